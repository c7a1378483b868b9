# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every opcode of the video instructions that forms/table.txt has."""

import re

from .emit import File
from .opcodes import accepted
from .values import rows
from .video import COMPARE, OPS, scalar_value, several_value, shift, vmad_value

LANES = 16
SCALAR = "vadd vsub vabsdiff vmin vmax vset vshl vshr vmad".split()
OPERAND = re.compile(r"(-?)%r\d(?:\.([bh])(\d+))?")


def signs_of(opcode):
    """The types of d, a and b, as letters; what vset makes is unsigned."""
    kinds = tuple(word[0] for word in opcode.split(".") if word in ("u32", "s32"))
    return ("u",) + kinds if len(kinds) == 2 else kinds


def value(opcode, operands, p, q, r):
    base, *words = opcode.split(".")
    types = signs_of(opcode)
    compare = next((COMPARE[w] for w in words if w in COMPARE), None)
    mode = next((w for w in words if w in ("clamp", "wrap")), None)
    second = next((w for w in words if w in ("add", "min", "max")), "")
    found = OPERAND.findall(operands)
    minus = [sign == "-" for sign, _, _ in found[1:]]
    letters = [letter + digits for _, letter, digits in found[:3]]
    if base == "vmad":
        scale = next(("." + w for w in words if w.startswith("shr")), "")
        return vmad_value(types, "po" in words, "sat" in words, scale, minus, letters[1], letters[2],
                          p, q, r)
    lanes = {"2": 2, "4": 4}.get(base[-1])
    name = base[:-1] if lanes else base
    if compare:
        def fn(a, b):
            return int(compare(a, b))
    else:
        fn = shift(base, mode) if mode else OPS[name]
    if lanes:
        return several_value(fn, types, lanes, "sat" in words, second, found[0][2], found[1][2],
                             found[2][2], p, q, r)
    return scalar_value(base, fn, types, "sat" in words, second, *letters, p, q, r)


def chosen(base):
    """One form for each opcode, operands of every kind in turn: {types: forms}."""
    forms, out = {}, {}
    for opcode, operands in accepted(base):
        forms.setdefault(opcode, []).append(operands)
    for i, (opcode, operands) in enumerate(sorted(forms.items())):
        out.setdefault(signs_of(opcode), []).append((opcode, operands[i * 7 % len(operands)]))
    return sorted(out.items())


def kernel(f, name, forms):
    rs = rows("video_all", ["u32"] * 3, LANES)
    want, body = [], ""
    for i, (opcode, operands) in enumerate(forms):
        # What is not written of a register is that of c.
        body += "\t%s %s;\n\tst.global.b32 [%%to+%d], %%r0;\n" % (opcode, operands, 4 * LANES * i)
        want += [value(opcode, operands, *row) for row in rs]
    f.raw("\n//@ launch %s block=%d\n" % (name, LANES))
    for column in range(3):
        f.raw("//@ in %s\n" % f.list("u32", [row[column] for row in rs]))
    f.raw(f.operand("out", "u32", want))
    f.raw(""".visible .entry %s(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 to)
{
	.reg .b32 %%r<4>, %%i;
	.reg .b64 %%at, %%to;
	mov.u32 %%i, %%tid.x;
""" % name)
    for n, pointer in enumerate("abc"):
        f.raw("\tld.param.u64 %%at, [%s];\n\tmad.wide.u32 %%at, %%i, 4, %%at;\n"
              "\tld.global.b32 %%r%d, [%%at];\n" % (pointer, n + 1))
    f.raw("\tld.param.u64 %%to, [to];\n\tmad.wide.u32 %%to, %%i, 4, %%to;\n%s\tret;\n}\n" % body)


def files():
    f = File("video_all", "Every opcode of the video instructions, on parts of words and on whole ones.")
    for base in SCALAR + [op + n for op in ["vset"] + list(OPS) for n in "24"]:
        for types, forms in chosen(base):
            kernel(f, "%s_%s" % (base, "".join(types)), forms)
    return [f]
