#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ask.py [PTXAS]: which tokens of PTX may be neighbours, and by what apart. For each gap between two
tokens of each statement below it asks ptxas whether the statement is accepted when there is nothing
in the gap, a blank, and so on; prints table.txt. `make blanks PTXAS=ptxas` writes it anew.

Many cases are asked in one process: a case that ptxas refuses is named by its line, taken out, and
asked alone."""

import re
import subprocess
import sys
import tempfile

# In the order of the columns of table.txt; test/unit/cpu/blanks.c has the same.
SEPARATORS = ["", " ", "\t", "\n", "\r\n", "\r", "\f", "\v", "/**/", "/*/*/", "/* * / ** */", "//;\n"]

HEAD = ".version 8.3\n.target sm_80\n.address_size 64\n"
MODULE = """.global .u32 g;
.func f0() { ret; }
.func (.param .u32 r) f1(.param .u32 a) { st.param.u32 [r], 1; ret; }
"""
# A body statement is in a function of its own; '#' is the number of the case.
BODY = """.func b#() {
.reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p<2>; .reg .f32 %f<4>; .reg .u32 v, _a; .reg .f64 %e;
.reg .b16 %h<4>; .local .u32 arr[4];
"""
END = "\nL: $M: _N: ret; }\n"

BODIES = """
mov .u32 %r0 , 7 ;
mov .u32 %r0 , 0x7 ;
mov .u32 %r0 , 7U ;
mov .u32 %r0 , 0b11 ;
mov .u32 %r0 , 07 ;
mov .u32 v , %r1 ;
mov .u32 %r1 , v ;
mov .u32 _a , v ;
mov .u32 %r0 , %laneid ;
mov .u32 %r0 , %tid .x ;
mov .u32 %r0 , WARP_SZ ;
mov .b32 %f0 , 0f3F800000 ;
mov .f32 %f0 , 1.5 ;
mov .f32 %f0 , - 1.5 ;
mov .f32 %f0 , .5 ;
mov .f32 %f0 , 5. ;
mov .f32 %f0 , 1e5 ;
mov .f64 %e , 0d3FF0000000000000 ;
mov .f64 %e , 1.5e+5 ;
mov .u64 %d0 , g ;
mov .u64 %d0 , g + 4 ;
mov .b64 { %r0 , %r1 } , %d0 ;
mov .b64 %d0 , { %r0 , %r1 } ;
mov .b64 { v , _ } , %d0 ;
add .u32 %r0 , %r1 , - 1 ;
add .u32 %r0 , %r1 , 1 + 2 ;
add .u32 %r0 , %r1 , ( 1 << 2 ) * 3 ;
add .u32 %r0 , %r1 , 7 % 4 ;
add .u32 %r0 , %r1 , 7 / 2 ;
add .u32 %r0 , %r1 , 1 ? 2 : 3 ;
add .u32 %r0 , %r1 , 3 > 2 ;
add .u32 %r0 , %r1 , 3 >= 2 && ! 0 ;
add .u32 %r0 , %r1 , ~ 5 ;
add .u32 %r0 , %r1 , ( .s64 ) 5 ;
add .rn .f32 %f0 , %f1 , %f2 ;
ld .global .u32 %r1 , [ %d1 ] ;
ld .global .u32 %r1 , [ %d1 + 4 ] ;
ld .global .u32 %r1 , [ %d1 + - 4 ] ;
ld .global .u32 %r1 , [ g ] ;
ld .global .u32 %r1 , [ g + 4 ] ;
ld .global .v2 .u32 { %r1 , %r2 } , [ %d1 ] ;
ld .relaxed .gpu .global .L1::evict_last .u32 %r1 , [ %d1 ] ;
ld .shared::cta .u32 %r1 , [ %d1 ] ;
ld .local .u32 %r1 , [ arr + 4 ] ;
ld .local .u32 %r1 , arr [ 1 ] ;
st .global .u32 [ %d1 ] , %r1 ;
st .global .v2 .u32 [ %d1 ] , { %r1 , v } ;
setp .eq .u32 %p0 , %r0 , 1 ;
setp .eq .u32 %p0 | %p1 , %r0 , 1 ;
setp .lt .and .s32 %p0 , %r0 , %r1 , ! %p1 ;
selp .u32 %r0 , 1 , 2 , %p0 ;
@ %p0 bra L ;
@ ! %p0 bra .uni $M ;
bra L ;
bra $M ;
bra _N ;
@ %p0 mov .u32 %r0 , 1 ;
call f0 ;
call .uni f0 , ( ) ;
call ( %r0 ) , f1 , ( %r1 ) ;
call ( v ) , f1 , ( 7 ) ;
{ mov .u32 %r0 , 1 ; }
{ .reg .u32 %z ; mov .u32 %z , 7 ; }
{ }
.reg .u32 %z ;
.reg .u32 z ;
.reg .u32 %z < 4 > ;
.reg .u32 %y , %z ;
.reg .v4 .f32 %z ;
.local .align 4 .b8 z [ 16 ] ;
.param .b32 z ;
.pragma "nounroll" ;
X : mov .u32 %r0 , 1 ;
$X : { }
X : Y : bra X ;
T : .branchtargets L , $M ;
T : .callprototype ( .param .u32 _ ) _ ( .param .u32 _ ) ; call ( %r0 ) , %d0 , ( 1 ) , T ;
.loc 1 2 3
bar .sync 0 ;
shfl .sync .idx .b32 %r0 | %p0 , %r1 , 0 , 31 , -1 ;
atom .global .add .u32 %r0 , [ %d0 ] , 1 ;
red .global .add .u32 [ %d0 ] , 1 ;
cvt .rn .f32 .s32 %f0 , %r0 ;
ret ;
exit ;
""".strip().split("\n")

MODULES = """
.global .u32 a# ;
.global .align 4 .b8 a# [ 4 ] ;
.global .u32 a# = 5 ;
.global .f32 a# = 1.5 ;
.global .f32 a# = 0f3F800000 ;
.global .u32 a# [ 2 ] = { 1 , 2 } ;
.global .u32 a# [ ] = { 1 , - 2 } ;
.global .u64 a# = g ;
.global .u64 a# = generic ( g ) + 4 ;
.global .u32 a# , c# ;
.global .attribute ( .managed ) .u32 a# ;
.visible .global .u32 a# ;
.const .u32 a# = 1 + 2 ;
.visible .entry a# ( ) { ret ; }
.entry a# { ret ; }
.entry a# ( .param .u32 x ) { ret ; }
.visible .entry a# ( .param .u64 .ptr .global .align 4 x , .param .u32 y [ 2 ] ) .maxntid 32 , 1 , 1 { ret ; }
.entry a# .reqntid 32 { ret ; }
.entry a# .maxnreg 32 .minnctapersm 1 { ret ; }
.func a# ;
.func a# { ret ; }
.func ( .param .u32 r ) a# ( .param .u32 x , .param .u32 y ) { ret ; }
.func ( .reg .u32 r ) a# ( .reg .u32 x ) { ret ; }
.extern .func a# ( .param .u32 x ) ;
.func a# .noreturn { exit ; }
.file # "x.cu"
.section .debug_str { .b8 0 , 1 }
""".strip().split("\n")

WHOLE = """
.version 8.3 .target sm_80 .address_size 64 .entry k { ret ; }
.version 8.3 .target sm_80 , debug .address_size 64 .entry k { ret ; }
""".strip().split("\n")

KINDS = (("body", BODIES), ("module", MODULES), ("text", WHOLE))


def join(tokens, gap, separator):
    return " ".join(tokens[: gap + 1]) + separator + " ".join(tokens[gap + 1 :])


def wrap(kind, statement, number):
    """The text of a case in its module."""
    if kind == "body":
        statement = BODY + statement + END
    return statement.replace("#", str(number)) + "\n"


def ptxas(text):
    """The lines of @text that ptxas refuses, in the order in which it says so. A syntax error at
    the end keeps it from compiling what it has read."""
    last = text.count("\n") + 2
    with tempfile.NamedTemporaryFile(suffix=".ptx", mode="w", newline="") as f:
        f.write(text + "\n?\n")
        f.flush()
        done = subprocess.run([PTXAS, "-arch=sm_80", f.name, "-o", "/dev/null"], text=True,
                              capture_output=True)
    said = re.findall(r"line (\d+); (error|fatal)", done.stdout + done.stderr)
    if not said:
        sys.exit("ptxas names no line:\n" + done.stdout + done.stderr)
    return [int(line) for line, _ in said if int(line) < last]


def head(kind):
    return "" if kind == "text" else HEAD + ".file 1 \"f.cu\"\n" + MODULE


def refused(kind, cases):
    """The numbers of those of @cases that ptxas refuses: {number: statement}."""
    left, bad = list(cases.items()), set()
    while left:
        text, lines = head(kind), []
        for number, statement in left[:100]:
            first = text.count("\n") + 1
            text += wrap(kind, statement, number)
            lines.append((first, text.count("\n"), number))
        named = ptxas(text)
        found = [i for i, (first, last, n) in enumerate(lines)
                 if any(first <= line <= last for line in named)]
        for i in found:
            if ptxas(head(kind) + wrap(kind, left[i][1], left[i][0])):
                bad.add(left[i][0])
        left = left[max(found) + 1 if found else 100:]
    return bad


def ask(kind, statements):
    cases, rows, number = {}, {}, 10
    for statement in statements:
        tokens = statement.split(" ")
        for gap in range(len(tokens) - 1):
            for separator in SEPARATORS:
                number += 1
                cases[number] = join(tokens, gap, separator)
                rows.setdefault((statement, gap), []).append(number)
    if kind == "text":
        bad = {n for n, text in cases.items() if ptxas(wrap(kind, text, n))}
    else:
        bad = refused(kind, cases)
    for statement in statements:
        print(kind, statement)
        for gap in range(len(statement.split(" ")) - 1):
            print("\t" + "".join("+-"[n in bad] for n in rows[(statement, gap)]))


PTXAS = sys.argv[1] if len(sys.argv) > 1 else "ptxas"
version = re.search(r"release ([\d.]+)", subprocess.run([PTXAS, "--version"], text=True,
                    capture_output=True).stdout)
print("# By ask.py, of ptxas", version.group(1) if version else "unknown")
print("# Of each gap between two tokens: + where ptxas accepts it, - where not, when it holds")
print("# nothing, a blank, tab, LF, CR LF, CR, FF, VT, /**/, /*/*/, /* * / ** */, a line comment.")
for kind, statements in KINDS:
    ask(kind, statements)
