# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every spelling of ld and st that forms/table.txt has: what reaches memory, and what comes back."""

import os
import re
import sys

from .emit import File

FORMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "forms")
PATTERN = bytes(0x81 + 7 * i & 255 for i in range(64))
SPACES = {"": "generic", "global": "global", "shared": "shared", "shared::cta": "shared",
          "shared::cluster": "shared", "local": "local", "const": "const", "param": "param",
          "param::entry": "param", "param::func": "function"}
CHUNK = 150  # forms in one kernel


def accepted(base):
    """The forms of @base with an address in a register, without their operands: opcode, lanes."""
    sys.path.insert(0, FORMS)
    import products
    found = {}
    with open(os.path.join(FORMS, "table.txt"), encoding="utf-8") as table:
        for line in table:
            if not re.match(r"\+ <?%s[<.]" % base, line):
                continue
            for pieces in products.expand(line[2:].rstrip("\n")):
                opcode, _, operands = "".join(pieces).partition(" ")
                if "[%d9" in operands and not opcode.startswith(base + ".async"):
                    found[opcode] = None
    return list(found)


def parts(opcode):
    """Where it goes, the type, the elements."""
    words = opcode.split(".")[1:]
    space = next((w for w in words if w in SPACES), "")
    kind = words[-1]
    lanes = next((int(w[1]) for w in words if re.match(r"v\d$", w)), 1)
    return SPACES[space], kind, lanes


def bits(kind):
    return int(kind[1:])


def register(kind, n):
    return {8: "%h", 16: "%h", 32: "%r", 64: "%d", 128: "%q"}[bits(kind)] + str(n)


def registers(kind, lanes):
    text = ", ".join(register(kind, i) for i in range(lanes))
    return "{" + text + "}" if lanes > 1 else text


HEAD = """.const .align 64 .b8 pattern[64] = { %s };
.shared .align 64 .b8 shared_at[4096];
""" % ", ".join(map(str, PATTERN))
DECLARATIONS = """	.local .align 64 .b8 local_at[4096];
	.reg .b16 %h<4>;
	.reg .b32 %r<4>;
	.reg .b64 %d<4>, %at, %to, %t, %u, %policy;
	.reg .b128 %q<2>;
"""
SPACE_AT = {"generic": "", "global": "", "shared": "shared_at", "local": "local_at",
            "const": "pattern", "param": "bytes"}


def widened(kind, n):
    """Register n as 64 bits in %t."""
    size, name = bits(kind), register(kind, n)
    if size == 128:
        return "\tmov.b128 {%%t, %%u}, %s;\n\txor.b64 %%t, %%t, %%u;\n" % name
    if size == 64:
        return "\tmov.b64 %%t, %s;\n" % name
    return "\tcvt.u64.u%d %%t, %s;\n" % (max(size, 16), name)


def loaded(kind, lanes):
    """What %t holds after loading from the pattern and widening the last element."""
    size = bits(kind) // 8
    raw = PATTERN[size * (lanes - 1):size * lanes]
    if size == 16:
        return int.from_bytes(raw[:8], "little") ^ int.from_bytes(raw[8:], "little")
    value = int.from_bytes(raw, "little", signed=kind[0] == "s")
    return value & (1 << max(8 * size, 16)) - 1


def begin(name, space, out):
    text = ".visible .entry %s(.param .u64 from, .param .u64 to,\n" % name
    text += "\t.param .align 64 .b8 bytes[64])\n{\n"
    text += DECLARATIONS
    text += "\tld.param.u64 %to, [to];\n\tld.param.u64 %at, [from];\n"
    text += "\tcreatepolicy.fractional.L2::evict_last.b64 %policy, 1.0;\n"
    if space in ("shared", "local"):
        for i in range(0, out, 8):
            text += "\tld.global.b64 %%t, [%%at+%d];\n\tst.%s.b64 [%s+%d], %%t;\n" % (
                i % 64, space, SPACE_AT[space], i)
    if SPACE_AT[space]:
        text += "\tmov.u64 %%at, %s;\n" % SPACE_AT[space]
    return text


def case(name, out):
    words = " ".join("0x%x" % b for b in PATTERN)
    text = "\n//@ launch %s\n//@ in b8 %s\n" % (name, words)
    return text + out + "//@ arg b8 %s\n" % words


def groups(base):
    """Forms by space, in chunks."""
    spaces = {}
    for opcode in accepted(base):
        space, kind, lanes = parts(opcode)
        spaces.setdefault(space, []).append((opcode, kind, lanes))
    for space, forms in sorted(spaces.items()):
        for at in range(0, len(forms), CHUNK):
            yield space, "%s_%s_%d" % (base, space, at // CHUNK), forms[at:at + CHUNK]


def loads():
    f = File("ld_spellings", "ld, ldu: every modifier, in every state space.", version="9.0")
    f.raw(HEAD)
    for space, name, forms in list(groups("ld")) + list(groups("ldu")):
        want = [loaded(kind, lanes) for _, kind, lanes in forms]
        body = ""
        for i, (opcode, kind, lanes) in enumerate(forms):
            body += "\t%s %s, [%%at]%s;\n" % (opcode, registers(kind, lanes),
                                             ", %policy" if "cache_hint" in opcode else "")
            body += widened(kind, lanes - 1) + "\tst.global.b64 [%%to+%d], %%t;\n" % (8 * i)
        f.body += case(name, f.operand("out", "b64", want))
        if space == "function":
            f.body += through_function(name, body)
        else:
            f.body += begin(name, space, 64) + body + "\tret;\n}\n"
    return f


def through_function(name, body):
    """The parameter of a function, a structure whose address it takes."""
    text = ".func of_%s(.param .align 64 .b8 bytes[64], .param .b64 to)\n{\n" % name
    text += DECLARATIONS + "\tld.param::func.b64 %to, [to];\n\tmov.b64 %at, bytes;\n" + body
    text += "\tret;\n}\n" + begin(name, "param", 0)
    text += "\t.param .align 64 .b8 given[64];\n\t.param .b64 place;\n"
    for i in range(0, 64, 8):
        text += "\tld.param.b64 %%t, [bytes+%d];\n\tst.param.b64 [given+%d], %%t;\n" % (i, i)
    return text + ("\tst.param.b64 [place], %%to;\n\tcall of_%s, (given, place);\n"
                   "\tret;\n}\n" % name)


def stores():
    f = File("st_spellings", "st: every modifier, in every state space.", version="9.0")
    f.raw(HEAD)
    for space, name, forms in groups("st"):
        if space == "param":
            continue
        moved = space in ("shared", "local")
        want = b""
        body = begin(name, space, 16 * len(forms))
        if not moved:
            body += "\tmov.u64 %at, %to;\n"
        for n in range(4):
            body += "\tmov.b16 %%h%d, 0x%x;\n\tmov.b32 %%r%d, 0x%x;\n\tmov.b64 %%d%d, 0x%x;\n" % (
                n, 0x1a2b + n, n, 0x3c4d5e6f + n, n, 0x0123456789abcdef + n)
        body += "\tmov.b128 %q0, {%d0, %d1};\n"
        values = {8: 0x2b, 16: 0x1a2b, 32: 0x3c4d5e6f, 64: 0x0123456789abcdef}
        for i, (opcode, kind, lanes) in enumerate(forms):
            size = bits(kind)
            body += "\t%s [%%at+%d], %s%s;\n" % (opcode, 16 * i, registers(kind, lanes),
                                               ", %policy" if "cache_hint" in opcode else "")
            if size == 128:
                raw = b"".join((values[64] + n).to_bytes(8, "little") for n in range(2))
            else:
                raw = b"".join((values[size] + n).to_bytes(size // 8, "little")
                               for n in range(lanes))
            under = (PATTERN * 2)[16 * i % 64:16 * i % 64 + 16] if moved else b"\xa5" * 16
            want += raw + under[len(raw):]
        for i in range(0, 16 * len(forms) if moved else 0, 8):
            body += "\tld.%s.b64 %%t, [%s+%d];\n\tst.global.b64 [%%to+%d], %%t;\n" % (
                space, SPACE_AT[space], i, i)
        words = [int.from_bytes(want[i:i + 8], "little") for i in range(0, len(want), 8)]
        f.body += case(name, f.operand("out", "b64", words)) + body + "\tret;\n}\n"
    return f


def files():
    return [loads(), stores()]
