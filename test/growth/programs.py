# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX with n of one construct each. A function's doc is the row's name in docs/hostile.md."""

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
PROGRAMS = []


def construct(base, modes="list launch check compiled"):
    """A function of n that returns PTX; it is made for base, 4 * base and 16 * base."""
    def note(make):
        PROGRAMS.append((make.__doc__, make, base, modes.split()))
        return make
    return note


def lines(form, count):
    """The form for 0 to count - 1, a line each."""
    return "".join([form % ((i,) * form.count("%d")) + "\n" for i in range(count)])


def kernel(body, registers=""):
    return (".visible .entry k() {\n.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %q;\n" + registers +
            "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %r1;\nmov.u32 %r3, %r1;\nmov.u32 %r4, %r1;\n" + body + "ret;\n}\n")


def text(body, before="", registers=""):
    return HEAD + before + kernel(body, registers)


# ---- Kernels, functions, calls ------------------------------------------------------------------

@construct(2500)
def kernels(n):
    """kernels"""
    return text("") + lines(".visible .entry e%d() { ret; }", n)


@construct(1500)
def parameters(n):
    """parameters of a kernel"""
    return text("") + ".visible .entry e(" + ", ".join(".param .u32 p%d" % i for i in range(n)) + ") { ret; }\n"


@construct(1500)
def functions(n):
    """functions, each called once"""
    return text(lines("call f%d;", n), lines(".func f%d() { ret; }", n))


@construct(600)
def chain_of_functions(n):
    """functions, each called by the next"""
    return text("call f%d;\n" % (n - 1), ".func f0() { ret; }\n" + "".join(
        ".func f%d() { call f%d; ret; }\n" % (i, i - 1) for i in range(1, n)))


@construct(4000)
def calls(n):
    """calls of one function"""
    return text("call f;\n" * n, ".func f() { ret; }\n")


@construct(60)
def recursion(n):
    """recursive calls, as many registers that live at them"""
    body = "mov.u32 %r1, 0;\nsetp.eq.u32 %q, %r1, %r1;\n@%q ret;\n" + lines("mov.u32 %%v%d, %%tid.x;", n)
    body += "call f;\n" * n + lines("st.shared.u32 [s], %%v%d;", n)
    return text("call f;\n", ".shared .b32 s;\n.func f() {\n.reg .b32 %%r<8>, %%v<%d>; .reg .pred %%q;\n" % n +
                body + "ret;\n}\n")


@construct(500)
def arguments(n):
    """parameters and arguments of a function"""
    names = ", ".join(".param .b32 p%d" % i for i in range(n))
    declared = lines(".param .b32 a%d;\nst.param.b32 [a%d], %%r1;", n)
    return text("{\n" + declared + "call f, (" + ", ".join("a%d" % i for i in range(n)) + ");\n}\n",
                ".func f(" + names + ") { ret; }\n")


@construct(2000)
def declarations(n):
    """extern functions"""
    return text("", lines(".extern .func f%d();", n))


@construct(1000)
def aliases(n):
    """aliases"""
    return text("call f%d;\n" % n, ".visible .func f0() { ret; }\n" +
                "".join(".visible .func f%d();\n.alias f%d, f0;\n" % (i, i) for i in range(1, n + 1)))


@construct(1000)
def prototypes(n):
    """call prototypes and indirect calls"""
    return text("mov.u64 %rd1, f;\n" + lines("P%d: .callprototype _ ();\ncall %%rd1, (), P%d;", n),
                ".func f() { ret; }\n")


@construct(800)
def call_targets(n):
    """functions in one list of targets"""
    return text("mov.u64 %rd1, f0;\nT: .calltargets " + ", ".join("f%d" % i for i in range(n)) +
                ";\ncall %rd1, (), T;\n", lines(".func f%d() { ret; }", n))


# ---- Blocks and branches ------------------------------------------------------------------------

@construct(4000)
def labels(n):
    """labels"""
    return text(lines("L%d:", n))


@construct(1000)
def forward_branches(n):
    """forward branches"""
    return text("setp.eq.u32 %q, %r1, %r1;\n" + "".join("@%%q bra L%d;\n" % (n - 1 - i) for i in range(n)) +
                lines("L%d: add.u32 %%r1, %%r1, 1;", n))


@construct(400)
def back_edges(n):
    """back edges"""
    return text("setp.ne.u32 %q, %r1, %r1;\n" + lines("L%d: add.u32 %%r1, %%r1, 1;", n) +
                lines("@%%q bra L%d;", n))


@construct(150)
def nested_loops(n):
    """nested loops"""
    end = ["add.u32 %%v%d, %%v%d, 1;\nsetp.lt.u32 %%q, %%v%d, 1;\n@%%q bra L%d;\n" % (i, i, i, i)
           for i in reversed(range(n))]
    return text(lines("mov.u32 %%v%d, 0;\nL%d:", n) + "".join(end), registers=".reg .b32 %%v<%d>;\n" % n)


@construct(1000)
def loops(n):
    """loops, one after the other"""
    return text("setp.ne.u32 %q, %r1, %r1;\n" + lines("L%d: add.u32 %%r1, %%r1, 1;\n@%%q bra L%d;", n))


@construct(1000) # 16000 are beyond a limit
def registers_through_blocks(n):
    """registers that live through as many blocks"""
    return text("setp.eq.u32 %q, %r1, %r1;\n" + lines("mov.u32 %%v%d, %%tid.x;", n) +
                lines("@%%q bra M%d;\nadd.u32 %%r1, %%r1, 1;\nM%d:", n) + lines("st.shared.u32 [s], %%v%d;", n),
                ".shared .b32 s;\n", ".reg .b32 %%v<%d>;\n" % n)


@construct(500)
def moves_in_a_loop(n):
    """copies in a loop, each of the next"""
    moves = "".join("mov.b32 %%v%d, %%v%d;\n" % (i + 1, i) for i in reversed(range(n)))
    return text(lines("mov.u32 %%v%d, 0;", n + 1) + "L:\n" + moves + "mov.u32 %%v0, 1;\nsetp.eq.u32 %%q, %%v%d, 77;\n@%%q bra L;\n" % n,
                registers=".reg .b32 %%v<%d>;\n" % (n + 1))


@construct(500, "list launch")
def carried_moves(n):
    """copies in a loop, each of the next, of what nothing has written before it"""
    moves = "".join("mov.b32 %%v%d, %%v%d;\n" % (i + 1, i) for i in reversed(range(n)))
    return text("L:\n" + moves + "mov.u32 %%v0, %%r1;\nsetp.eq.u32 %%q, %%v%d, 77;\n@%%q bra L;\n" % n,
                registers=".reg .b32 %%v<%d>;\n" % (n + 1))


@construct(1000)
def branch_targets(n):
    """targets of one brx.idx"""
    return text("mov.u32 %r1, 0;\nT: .branchtargets " + ", ".join("L%d" % i for i in range(n)) +
                ";\nbrx.idx %r1, T;\n" + lines("L%d: add.u32 %%r1, %%r1, 1;", n))


@construct(8000)
def barriers(n):
    """barriers"""
    return text("bar.sync 0;\n" * n)


@construct(1000)
def predicates(n):
    """guards of instructions"""
    return text("setp.eq.u32 %q, %r1, %r1;\n" + "@%q add.u32 %r1, %r1, 1;\n@!%q add.u32 %r1, %r1, 1;\n" * n)


# ---- Operands and long tokens -------------------------------------------------------------------

@construct(2000)
def operands(n):
    """operands of three"""
    return text("mad.lo.u32 %r1, %r2, %r3, %r4;\n" * n)


@construct(1500)
def vectors(n):
    """vector operands"""
    return text("st.shared.v4.u32 [s], {%r1, %r1, %r1, %r1};\n" + "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];\n" * n, ".shared .align 16 .b32 s[4];\n")


@construct(1500)
def atomics(n):
    """atomic instructions"""
    return text("st.shared.u32 [s], 0;\n" + "atom.shared.add.u32 %r1, [s], 1;\n" * n, ".shared .b32 s;\n")


@construct(20000)
def sums(n):
    """terms of one constant expression"""
    return text("mov.u32 %r1, " + "1+" * n + "1;\n")


@construct(4000)
def parentheses(n):
    """nested parentheses"""
    return text("mov.u32 %r1, " + "(" * n + "1" + ")" * n + ";\n")


@construct(3000)
def statements_of_a_line(n):
    """instructions in one line"""
    return text("add.u32 %r1, %r1, 1; " * n)


@construct(20000)
def long_names(n):
    """characters of a name, used 20 times"""
    return text(("mov.u32 %r1, %" + "n" * n + ";\n") * 20, registers=".reg .b32 %" + "n" * n + ";\n")


@construct(200000)
def comments(n):
    """characters of comments"""
    return text("//" + "/" * n + "\n/*" + "*" * n + "*/\n" + "/* */" * (n // 5))


@construct(400000)
def blanks(n):
    """blanks and empty lines"""
    return text(" " * n + "\n" * n)


@construct(20000)
def pragmas(n):
    """.pragma"""
    return text('.pragma "nounroll";\n' * n)


# ---- Scopes and registers -----------------------------------------------------------------------

@construct(8000)
def braces(n):
    """nested braces"""
    return text("{" * n + "}" * n)


@construct(2000)
def scopes(n):
    """nested scopes with registers of one name"""
    return text("{ .reg .b32 %x; mov.u32 %x, 1;\n" * n + "}" * n)


@construct(3000)
def scopes_beside(n):
    """scopes with registers of one name, one after the other"""
    return text("{ .reg .b32 %x; mov.u32 %x, 1; }\n" * n)


@construct(2500)
def registers(n):
    """registers by their names"""
    return text(lines("mov.u32 %%a%d, 1;", n), registers=lines(".reg .b32 %%a%d;", n))


# ---- Variables ----------------------------------------------------------------------------------

def variables(space, modes="list launch check"):
    def make(n):
        used = lines("mov.u64 %%rd1, v%d;", n)
        if space == ".local":
            return text(lines(".local .b32 v%d;", n) + used)
        return text(used, lines(space + " .b32 v%d;", n))
    make.__doc__ = "variables of " + space
    construct(800, modes)(make)


for each in ".global", ".const", ".shared", ".local":
    variables(each)


@construct(80000)
def initialisers(n):
    """numbers of one initialiser"""
    return text("mov.u64 %rd1, g;\n", ".global .b32 g[%d] = {" % n + ", ".join("7" for _ in range(n)) + "};\n")


@construct(30000)
def addresses(n):
    """addresses of one initialiser"""
    return text("mov.u64 %rd1, g;\n", ".global .b32 a;\n.global .u64 g[%d] = {" % n +
                ", ".join("a+%d" % i for i in range(n)) + "};\n")


@construct(30000)
def rows_of_initialisers(n):
    """nested initialisers"""
    return text("mov.u64 %rd1, g;\n", ".global .b32 g[%d][1] = {" % n + ", ".join("{7}" for _ in range(n)) + "};\n")


# ---- Lines of the source ------------------------------------------------------------------------

@construct(2000)
def locations(n):
    """.loc and .file, as many of each"""
    return text(lines(".loc 1 %d 0\nadd.u32 %%r1, %%r1, 1;", n)) + "".join(
        '.file %d "f%d.cu"\n' % (i + 1, i) for i in range(n))


@construct(2000)
def inlined(n):
    """.loc, each inlined at the one before it, and a fault"""
    chain = "".join(".loc %d %d 0, function_name L, inlined_at %d %d 0\n" % (i, i, i - 1, i - 1) for i in range(2, n))
    return text(chain + "trap;\n") + "".join('.file %d "f"\n' % (2 * n + i) for i in range(n)) + "\n"


@construct(500000)
def strings(n):
    """characters of the name of a file"""
    return text(".loc 1 1 0\nadd.u32 %r1, %r1, 1;\n") + '.file 1 "' + "n" * n + '"\n'


@construct(40000)
def sections(n):
    """bytes of a .section"""
    return text("") + ".section .debug_info {\n" + ".b8 1\n" * n + "}\n"


@construct(10000)
def many_sections(n):
    """.section"""
    return text("") + lines(".section .debug_%d { .b32 1 }", n)


# ---- What compiled code is made of --------------------------------------------------------------

@construct(1500, "compiled")
def patterns(n):
    """numbers by which lanes differ"""
    return text(lines("mad.lo.u32 %%r5, %%r1, %d, %d; xor.b32 %%r6, %%r6, %%r5;", n))


@construct(2500, "compiled")
def spread(n):
    """values of one block that are brought into vectors"""
    return text("setp.lt.u32 %q, %r1, 7;\n" + lines("add.u32 %%a%d, %%r1, %d; @%%q xor.b32 %%r6, %%r6, %%a%d;", n),
                registers=".reg .b32 %%a<%d>;\n" % n)


@construct(1000, "compiled")
def ways_out(n):
    """accesses, each with a loop around it"""
    return text("mov.u32 %r7, buffer;\n" + lines(
        "L%d: ld.shared.b32 %%r5, [%%r7]; add.u32 %%r6, %%r6, %%r5; setp.gt.u32 %%q, %%r6, 9; @%%q bra L%d;", n),
                ".shared .align 4 .b8 buffer[64];\n")


@construct(1500, "compiled")
def leaps(n):
    """branches from anywhere to anywhere"""
    return text("".join("L%d: add.u32 %%r5, %%r5, 1; setp.eq.u32 %%q, %%r5, 0; @%%q bra L%d;\n" % (i, i * 7919 % n)
                        for i in range(n)))
