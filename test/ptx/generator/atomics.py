# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""atom and red on vectors, packed halves, bf16 and 128 bits."""

from . import fp
from .emit import File, squeeze, wrap
from .fp import Format
from .values import rng

F16 = Format("f16", 11, 5, 0x7fff)
BF16 = Format("bf16", 8, 8, 0x7fff)
F32 = Format("f32", 24, 8, 0x7fffffff)
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32}
LANES = 12


def some(r, fmt):
    """A finite value other than -0. Some are subnormal: of f32, those may be flushed."""
    if fmt is not F32 and r.random() < 0.15:
        return r.randrange(fmt.min_normal)
    exponent = r.randrange(fmt.bias - 8, fmt.bias + 6)
    sign = fmt.sign if r.random() < 0.5 else 0
    return sign | exponent << (fmt.p - 1) | r.randrange(fmt.min_normal)


def combine(fmt, op, a, b):
    if op == "add":
        return fp.add(fmt, "rn", False, False, a, b)
    if fmt.value(a) == fmt.value(b):
        return a
    return a if (fmt.value(a) < fmt.value(b)) == (op == "min") else b


def word_list(verb, bits, values):
    words = ["0x%x" % v for v in values]
    return wrap("//@ %s b%d" % (verb, bits), squeeze(words))


def kernel(f, name, spelling, bits, count, memory, values, after, args, old, space):
    """One lane, one vector: memory before and after, and what atom returns."""
    size = bits // 8 * count
    text = "\n// %s\n//@ launch %s block=%d\n" % (spelling, name, len(memory) // count)
    text += word_list("inout", bits, memory) + word_list("expect", bits, after)
    text += word_list("in", bits, values)
    if old:
        text += word_list("out", bits, memory)
    text += ".visible .entry %s(.param .u64 p_m, .param .u64 p_v%s)\n{\n" % (
        name, ", .param .u64 p_o" if old else "")
    text += "\t.reg .b%d %%v<8>, %%d<8>;\n\t.reg .b32 %%i;\n" % bits
    text += "\t.reg .b64 %m, %v, %o, %s;\n\t.reg .b128 %q<4>;\n"
    if "shared" in space:
        text += "\t.shared .align 16 .b8 slots[%d];\n" % (size * (len(memory) // count))
    text += "\tmov.u32 %i, %tid.x;\n"
    for n in "mvo" if old else "mv":
        text += "\tld.param.u64 %%%s, [p_%s];\n\tmad.wide.u32 %%%s, %%i, %d, %%%s;\n" % (
            n, n, n, size, n)
    place = "%m"
    if "shared" in space:
        place = "%s"
        text += "\tmov.u64 %%s, slots;\n\tmad.wide.u32 %%s, %%i, %d, %%s;\n" % size
        for i in range(count):
            text += "\tld.global.b%d %%d%d, [%%m+%d];\n" % (bits, i, i * bits // 8)
            text += "\tst.shared.b%d [%%s+%d], %%d%d;\n" % (bits, i * bits // 8, i)
        if space == "generic_shared":
            text += "\tcvta.shared.u64 %s, %s;\n"
    for i in range(count):
        text += "\tld.global.b%d %%v%d, [%%v+%d];\n" % (bits, i, i * bits // 8)
    text += args.replace("PLACE", "[%s]" % place)
    for i in range(count if old else 0):
        text += "\tst.global.b%d [%%o+%d], %%d%d;\n" % (bits, i * bits // 8, i)
    if "shared" in space:
        read = "ld" if space == "generic_shared" else "ld.shared"
        for i in range(count):
            text += "\t%s.b%d %%d%d, [%%s+%d];\n" % (read, bits, i, i * bits // 8)
            text += "\tst.global.b%d [%%m+%d], %%d%d;\n" % (bits, i * bits // 8, i)
    f.raw(text + "\tret;\n}\n")


def braces(letter, count):
    return "{" + ", ".join("%%%s%d" % (letter, i) for i in range(count)) + "}"


def vector_text(verb, spelling, count):
    v = braces("v", count) if count > 1 else "%v0"
    d = braces("d", count) if count > 1 else "%d0"
    return "\t%s %sPLACE, %s;\n" % (spelling, d + ", " if verb == "atom" else "", v)


def floats(f, verb, space, t, op, count, type_first=False):
    halves = 2 if t.endswith("x2") else 1
    fmt = FORMATS[t.replace("x2", "")]
    bits = fmt.size * halves
    r = rng("%s%s%s%s%d" % (verb, space, t, op, count))
    memory = [[some(r, fmt) for _ in range(halves)] for _ in range(LANES * count)]
    values = [[some(r, fmt) for _ in range(halves)] for _ in range(LANES * count)]
    after = [[combine(fmt, op, a, b) for a, b in zip(m, v)] for m, v in zip(memory, values)]

    def packed(rows):
        return [sum(x << (fmt.size * i) for i, x in enumerate(row)) for row in rows]
    where = "" if space.startswith("generic") else "." + space
    noftz = "" if t == "f32" else ".noftz"
    vec = ".v%d" % count if count > 1 else ""
    spelling = (verb + where + vec + "." + t + "." + op + noftz if type_first else
                verb + where + "." + op + noftz + vec + "." + t)
    name = "_".join([verb, space] + (["v%d" % count] if count > 1 else []) + [t, op] +
                    (["first"] if type_first else []))
    kernel(f, name, spelling, bits, count, packed(memory), packed(values), packed(after),
           vector_text(verb, spelling, count), verb == "atom", space)


def wide(f, space, op):
    """128 bits: two words in memory; cas compares with what is there in half of the lanes."""
    r = rng("b128" + space + op)
    memory = [r.randrange(1 << 64) for _ in range(2 * LANES)]
    values = [r.randrange(1 << 64) for _ in range(2 * LANES)]
    after = list(values)
    where = "" if space.startswith("generic") else "." + space
    text = "\tmov.b128 %q0, {%v0, %v1};\n"
    if op == "cas":
        # Compared with the memory, its low or its high word changed in some lanes.
        text += "\tld.global.b64 %d0, [%m];\n\tld.global.b64 %d1, [%m+8];\n"
        text += "\tand.b32 %i, %i, 3;\n\tcvt.u64.u32 %d2, %i;\n"
        text += "\tand.b64 %d3, %d2, 1;\n\tshr.u64 %d2, %d2, 1;\n"
        text += "\txor.b64 %d0, %d0, %d3;\n\txor.b64 %d1, %d1, %d2;\n"
        text += "\tmov.b128 %q1, {%d0, %d1};\n"
        text += "\tatom%s.cas.b128 %%q2, PLACE, %%q1, %%q0;\n" % where
        for lane in range(LANES):
            if lane & 3:
                after[2 * lane:2 * lane + 2] = memory[2 * lane:2 * lane + 2]
    else:
        text += "\tatom%s.exch.b128 %%q2, PLACE, %%q0;\n" % where
    text += "\tmov.b128 {%d0, %d1}, %q2;\n"
    kernel(f, "atom_%s_%s_b128" % (space, op), "atom%s.%s.b128" % (where, op), 64, 2, memory,
           values, after, text, True, space)


def misaligned(f, name, spelling, setup):
    f.raw("""
// %s, off by half
//@ launch %s
//@ inout u64 0*4
//@ fault 716
.visible .entry %s(.param .u64 p_m)
{
\t.reg .b32 %%v<4>;
\t.reg .b64 %%m, %%w;
\t.reg .b128 %%q<2>;
\tld.param.u64 %%m, [p_m];
%s\tret;
}
""" % (spelling, name, name, setup))


def atom_wide():
    f = File("atom_wide", "atom and red on vectors, packed halves, bf16 and 128 bits, each lane\n"
             "on its own vector.", "8.3")
    for verb in ("atom", "red"):
        for space in ("global", "generic"):
            for count in (2, 4):
                floats(f, verb, space, "f32", "add", count)
            for t, counts in (("f16", (2, 4, 8)), ("bf16", (2, 4, 8)), ("f16x2", (2, 4)),
                              ("bf16x2", (2, 4))):
                for count in counts:
                    for op in ("add", "min", "max"):
                        floats(f, verb, space, t, op, count)
        floats(f, verb, "global", "f32", "add", 2, True)
        floats(f, verb, "global", "f16", "min", 8, True)
        for space in ("global", "shared", "generic", "generic_shared"):
            for t in ("bf16", "f16x2", "bf16x2"):
                floats(f, verb, space, t, "add", 1)
    for space in ("global", "shared", "generic", "generic_shared"):
        wide(f, space, "exch")
        wide(f, space, "cas")
    misaligned(f, "vector_misaligned", "red.global.add.v2.f32", """\tmov.b32 %v0, 0;
\tred.global.add.v2.f32 [%m+4], {%v0, %v0};
""")
    misaligned(f, "b128_misaligned", "atom.global.exch.b128", """\tmov.b64 %w, 0;
\tmov.b128 %q0, {%w, %w};
\tatom.global.exch.b128 %q1, [%m+8], %q0;
""")
    return f


def files():
    return [atom_wide()]
