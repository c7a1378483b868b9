# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every opcode of setp, set, atom and red that forms/table.txt has.

Many opcodes in one kernel, on the same operands. What setp and set give is collected as
masks of the lanes that have it, what atom and red do lane by lane in slots of their own."""

import operator
import os
import re
import sys

from . import atomics, fp
from .emit import File
from .fp import FORMATS
from .integer import val
from .values import corners, rng

FORMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "forms")
CHUNK = 100  # opcodes in one kernel
BF16 = atomics.BF16
COMBINE = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
LETTER = {16: "%h", 32: "%r", 64: "%d", 128: "%q"}


def accepted(base):
    """The accepted forms of @base: opcode, operands."""
    sys.path.insert(0, FORMS)
    import products
    found = {}
    with open(os.path.join(FORMS, "table.txt"), encoding="utf-8") as table:
        for line in table:
            if re.match(r"\+ <?%s[<.]" % base, line):
                for pieces in products.expand(line[2:].rstrip("\n")):
                    opcode, _, operands = "".join(pieces).partition(" ")
                    found[opcode, operands.strip()] = None
    return list(found)


def chunks(forms):
    for at in range(0, len(forms), CHUNK):
        yield at // CHUNK, forms[at:at + CHUNK]


# ---- setp, set ---------------------------------------------------------------------


def size_of(t):
    return 32 if t.endswith("x2") else int(re.sub(r"\D+", "", t))


def format_of(t):
    t = t.replace("x2", "")
    return BF16 if t == "bf16" else FORMATS.get(t)


def element_rows(t):
    """32 rows of two operands: corners of t, every fourth row equal."""
    r = rng("opcodes" + t)
    some = corners(t.replace("b", "f") if t == "bf16" else t) if t != "bf16" else [
        0, 0x8000, 0x3f80, 0xbf80, 1, 0x80ff, 0x80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffa1]
    out = []
    for i in range(32):
        a = r.choice(some)
        out.append((a, a if i % 4 == 0 else r.choice(some)))
    return out


def operand_rows(t):
    if not t.endswith("x2"):
        return element_rows(t)
    low = element_rows(t[:-2])
    high = low[9:] + low[:9]
    return [(a | c << 16, b | d << 16) for (a, b), (c, d) in zip(low, high)]


def compares(t, op, ftz, a, b):
    """Whether it holds, for each element of the operands."""
    fmt = format_of(t)
    if t.endswith("x2"):
        return [fp.compare(fmt, op, ftz, a >> s & 0xffff, b >> s & 0xffff) for s in (0, 16)]
    if fmt:
        return [fp.compare(fmt, op, ftz, a, b)]
    word = UNSIGNED.get(op, op)
    kind = "u" + t[1:] if t[0] == "b" else t
    return [getattr(operator, word)(val(kind, a), val(kind, b))]


def holds(opcode, a, b, third):
    """The elements of what setp and set say of a, b and, where there is one, a predicate."""
    words = opcode.split(".")[1:]
    said = compares(words[-1], words[0], "ftz" in words, a, b)
    combine = next((COMBINE[w] for w in words if w in COMBINE), None)
    return [bool(combine(bool(x), third)) if combine else bool(x) for x in said]


def masks(rows, test):
    return sum(1 << lane for lane, row in enumerate(rows) if test(lane, *row))


def third(operands, lane):
    """%v is true in odd lanes."""
    return bool(lane & 1) != ("!" in operands)


def opens(f, name, t, want):
    """The head of a kernel whose lanes have operands of t in a0 and a1."""
    n = size_of(t)
    rows = operand_rows(t)
    f.raw("\n//@ launch %s block=32\n//@ in %s\n//@ in %s\n" % (
        name, f.list("b%d" % n, [r[0] for r in rows]), f.list("b%d" % n, [r[1] for r in rows])))
    f.raw(f.operand("out", "b32", want))
    f.raw(""".visible .entry %s(.param .u64 a, .param .u64 b, .param .u64 to)
{
	.reg .b%d %%a, %%b;
	.reg .b16 %%h;
	.reg .b32 %%r, %%i;
	.reg .b64 %%at, %%to;
	.reg .pred %%p, %%q, %%v;
	ld.param.u64 %%to, [to];
	mov.u32 %%i, %%tid.x;
	ld.param.u64 %%at, [a];
	mad.wide.u32 %%at, %%i, %d, %%at;
	ld.global.b%d %%a, [%%at];
	ld.param.u64 %%at, [b];
	mad.wide.u32 %%at, %%i, %d, %%at;
	ld.global.b%d %%b, [%%at];
	and.b32 %%i, %%i, 1;
	setp.ne.u32 %%v, %%i, 0;
""" % (name, n, n // 8, n, n // 8, n))


def collect(predicate, slot):
    return ("\tvote.sync.ballot.b32 %%i, %s, -1;\n\tst.global.b32 [%%to+%d], %%i;\n"
            % (predicate, 4 * slot))


def by_type(base):
    groups = {}
    for opcode, operands in accepted(base):
        groups.setdefault(opcode.split(".")[-1], []).append((opcode, operands))
    for t, forms in groups.items():
        for i, some in chunks(forms):
            yield t, "%s_%s_%d" % (base, t, i), some


def setp():
    f = File("setp_all", "setp: every opcode, with one destination and with two.")
    for t, name, forms in by_type("setp"):
        rows = operand_rows(t)
        want, body = [], ""
        for opcode, operands in forms:
            def said(lane, a, b):
                return holds(opcode, a, b, third(operands, lane))
            dual = "|" in operands
            source = "" if "%p2" not in operands else ", !%v" if "!" in operands else ", %v"
            body += "\t%s %s, %%a, %%b%s;\n" % (opcode, "%p|%q" if dual else "%p", source)
            body += collect("%p", len(want))
            want.append(masks(rows, lambda lane, a, b: said(lane, a, b)[0]))
            if dual:
                body += collect("%q", len(want))
                want.append(masks(rows, lambda lane, a, b: second(
                    opcode, a, b, third(operands, lane))))
        opens(f, name, t, want)
        f.raw(body + "\tret;\n}\n")
    return f


def second(opcode, a, b, c):
    """q of p|q: the upper half's comparison, or the complement of the only one."""
    words = opcode.split(".")[1:]
    said = compares(words[-1], words[0], "ftz" in words, a, b)
    combine = next((COMBINE[w] for w in words if w in COMBINE), lambda x, y: x)
    return combine(bool(said[1]) if len(said) > 1 else not said[0], c)


def truths(opcode):
    """The results of set, in the order of what it says of its elements as a number."""
    dt, t = opcode.split(".")[-2:]
    one = {"f16": 0x3c00, "bf16": 0x3f80, "f32": 0x3f800000}.get(dt.replace("x2", ""))
    if t.endswith("x2"):
        one = one or 0xffff
        return [0, one, one << 16, one << 16 | one]
    return [0, one or (1 << size_of(dt)) - 1]


def set_():
    f = File("set_all", "set: every opcode. What is collected: the lanes that get each of the\n"
             "values that it can give.")
    for t, name, forms in by_type("set"):
        rows = operand_rows(t)
        want, body = [], ""
        for opcode, operands in forms:
            n = size_of(opcode.split(".")[-2])
            d = "%h" if n == 16 else "%r"
            body += "\t%s %s, %%a, %%b%s;\n" % (opcode, d, ", %v" if "%p2" in operands else "")
            for number, value in enumerate(truths(opcode)):
                body += "\tsetp.eq.b%d %%p, %s, 0x%x;\n" % (n, d, value) + collect("%p", len(want))
                want.append(masks(rows, lambda lane, a, b: sum(
                    x << i for i, x in enumerate(holds(opcode, a, b, third("", lane)))) == number))
        opens(f, name, t, want)
        f.raw(body + "\tret;\n}\n")
    return f


def files():
    return [setp(), set_()]
