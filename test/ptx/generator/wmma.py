# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wmma: matrices from memory to memory, every shape, type and layout; where elements are
in registers is not looked at."""

from .emit import File, entry, signed
from .mma import (BITS, TOLERANCE, extreme, matrix, multiply, name_of, near, pack, register,
                  small, tile, vector, whole)
from .values import rng

WIDE = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]


def registers(t, elements):
    return 8 if t == "f16" else max(1, elements * BITS[t] // 1024) if t != "f64" else \
        elements // 32


def counts(shape, types):
    """The registers of a, b, c and d."""
    m, n, k = shape
    out = [registers(t, e) for t, e in zip(types[1:3], (m * k, k * n))]
    return out + [BITS[t] * m * n // (2048 if t == "f64" else 1024)
                  for t in (types[3], types[0])]


def layout(x, col, stride, t, gap):
    """Matrix x as it stands in memory: rows (or columns) of stride elements."""
    lines = [list(c) for c in zip(*x)] if col else [list(row) for row in x]
    flat = [v for line in lines for v in line + [gap] * (stride - len(line))]
    return pack(flat, BITS[t]) if BITS[t] < 8 else flat


def memory_type(t):
    return "b32" if BITS[t] < 8 else {"f32": "f32", "f64": "f64", "s32": "s32",
                                      "f16": "f16"}.get(t, "b%d" % BITS[t])


class Case:
    def __init__(self, f, shape, types, layouts, space, flags=""):
        self.f, self.shape, self.types, self.flags = f, shape, types, flags
        self.layouts, self.space = layouts, space
        self.spelling = "m%dn%dk%d" % shape

    def stride(self, which):
        """Elements from one row or column to the next: whole units of 16 bytes."""
        m, n, k = self.shape
        col = self.layouts[which] == "col"
        length = ((m, k), (k, n), (m, n))[which][0 if col else 1]
        unit = max(1, 128 // BITS[self.types[which + 1]])
        return -(-length // unit) * unit + (unit if self.space != "" else 0)

    def move(self, verb, which, regs, at):
        t = self.types[(1, 2, 3, 0)[which]]
        stride = self.stride(min(which, 2))
        form = "wmma.%s.%s.sync.aligned.%s.%s%s.%s " % (
            verb, "abcd"[which], self.layouts[min(which, 2)], self.spelling, self.space, t)
        tail = "%s" % ("%st" if which == 0 else stride)
        set_stride = "\tmov.u32 %%st, %d;\n" % stride if which == 0 else ""
        if verb == "load":
            return set_stride + "\t%s%s, [%s], %s;\n" % (form, regs, at, tail)
        return "\t%s[%s], %s, %s;\n" % (form, at, regs, tail)

    def product(self, names):
        d, a, b, c = self.types
        kinds = [d, c] if a == "f16" else [d, a, b, c]
        if a == "b1":
            return "\twmma.mma.%s.popc.sync.aligned.row.col.%s.s32.b1.b1.s32 %s;\n" % (
                self.flags, self.spelling, ", ".join(names))
        return "\twmma.mma.sync.aligned.%s.%s.%s.%s%s %s;\n" % (
            self.layouts[0], self.layouts[1], self.spelling, ".".join(kinds), self.flags,
            ", ".join(names))

    def add(self, name, mats, want, mode="", between="", scale=1):
        m, n, k = self.shape
        f, t = self.f, self.types
        text = "\n//@ launch %s block=32\n" % name
        for i, x in enumerate(mats):
            text += f.operand("in", memory_type(t[i + 1]), layout(
                x, self.layouts[i] == "col", self.stride(i), t[i + 1], 0))
        expect = layout(want, self.layouts[2] == "col", self.stride(2), "f32"
                        if t[0] == "f16" else t[0], "_")
        text += f.operand("out", memory_type(t[0]), expect, mode)
        f.raw(text + self.kernel(name, between))
        f.count += 1

    def kernel(self, name, between):
        each = counts(self.shape, self.types)
        kinds = [register(t) for t in self.types[1:] + self.types[:1]]
        names = [vector(c, x) for c, x in zip("abcd", each)]
        text = entry(name, ["pa", "pb", "pc", "pd"]) + "\t.reg .b32 %st;\n"
        for c, count, kind in zip("abcd", each, kinds):
            text += "\t.reg .b64 %%p%s;\n\t.reg .%s %%%s<%d>;\n" % (c, kind, c, count)
            text += "\tld.param.u64 %%p%s, [p%s];\n" % (c, c)
        for i in range(3):
            text += self.move("load", i, names[i], "%p" + "abc"[i])
        text += between + self.product([names[3]] + names[:3])
        return text + self.move("store", 3, names[3], "%pd") + "\tret;\n}\n"


def all_layouts(types):
    if BITS[types[1]] < 8:
        return [("row", "col", "row"), ("row", "col", "col")]
    return [("row", "col", "row"), ("col", "row", "col"), ("row", "row", "col"),
            ("col", "col", "row")]


def products(f, shapes, types, make, mode="", kinds=("", ".global"), flag=""):
    for shape in shapes:
        for i, layouts in enumerate(all_layouts(types)):
            case = Case(f, shape, types, layouts, kinds[i % 2], flag)
            name = name_of(shape, types, *layouts, flag.strip("."), "near" if mode else "")
            r = rng(name)
            mats = tile(*shape, types, lambda t: make(r, t))
            case.add(name, mats, multiply(types, *mats, flag != ""), mode)


def floats(f):
    for d in ("f16", "f32"):
        for c in ("f16", "f32"):
            products(f, WIDE if c == d else WIDE[:1], (d, "f16", "f16", c), small)
    products(f, WIDE[:1], ("f32", "f16", "f16", "f32"), near, TOLERANCE["f32"])
    products(f, WIDE[:1], ("f16", "f16", "f16", "f16"), near, TOLERANCE["f16"])
    products(f, WIDE, ("f32", "bf16", "bf16", "f32"), small)
    products(f, [(16, 16, 8)], ("f32", "tf32", "tf32", "f32"), small)
    products(f, [(8, 8, 4)], ("f64",) * 4, small)
    products(f, [(8, 8, 4)], ("f64",) * 4, near, TOLERANCE["f64"])


def scaled(f):
    """Every element of a fragment doubled, one register after the other."""
    shape, types, layouts = (16, 16, 16), ("f16",) * 4, ("row", "row", "col")
    for which in range(3):
        case = Case(f, shape, types, layouts, ".global")
        r = rng("scaled")
        mats = tile(*shape, types, lambda t: small(r, t))
        between = "".join("\tadd.f16x2 %%%s%d, %%%s%d, %%%s%d;\n" % ("abc"[which], i,
                                                                  "abc"[which], i,
                                                                  "abc"[which], i)
                          for i in range(4 if which == 2 else 8))
        twice = [[[double(x) if i == which else x for x in row] for row in mat]
                 for i, mat in enumerate(mats)]
        case.add("scaled_%s" % "abc"[which], mats, multiply(types, *twice), "", between)


def double(x):
    return x + 0x400 if x & 0x7fff else x


def bits(f):
    shape, types = (8, 8, 128), ("s32", "b1", "b1", "s32")
    for op in ("xor", "and"):
        for layouts in all_layouts(types):
            r = rng("wmma" + op)
            a = matrix(8, 128, lambda: r.getrandbits(1))
            b = matrix(128, 8, lambda: r.getrandbits(1))
            c = matrix(8, 8, lambda: whole(r, "s32"))
            d = [[signed(c[i][j] + sum((x & y[j]) if op == "and" else x ^ y[j]
                                       for x, y in zip(a[i], b)), 32) for j in range(8)]
                 for i in range(8)]
            Case(f, shape, types, layouts, ".global", op).add(
                "m8n8k128_b1_%s_%s" % (op, layouts[2]), (a, b, c), d)


def faults(f):
    """Rows outside of the buffer, or not at a whole word."""
    for name, stride, offset, fault in (("outside", 1 << 28, 0, "700 717"), ("misaligned", 16, 2, "716")):
        for verb in ("load", "store"):
            text = "\n//@ launch %s_%s block=32\n//@ in f32 0*256\n//@ fault %s\n" % (
                verb, name, fault)
            text += entry("%s_%s" % (verb, name), ["pa"]) + "\t.reg .b64 %pa;\n"
            text += "\t.reg .f32 %d<8>;\n\tld.param.u64 %pa, [pa];\n"
            regs, at = vector("d", 8), "[%%pa+%d]" % offset
            text += "".join("\tmov.f32 %%d%d, 0f00000000;\n" % i for i in range(8))
            text += "\twmma.%s.%s.sync.aligned.row.m16n16k16.global.f32 %s, %d;\n" % (
                verb, "c" if verb == "load" else "d",
                regs + ", " + at if verb == "load" else at + ", " + regs, stride)
            if verb == "load":
                text += "\tst.global.f32 [%pa], %d7;\n"
            f.raw(text + "\tret;\n}\n")
            f.count += 1


def files():
    f = File("wmma", "wmma: floating point, every shape, type and layout; elementwise use of\n"
             "fragments; accesses that fail.", version="7.8")
    floats(f)
    scaled(f)
    faults(f)
    g = File("wmma_int", "wmma: integers and bits; .satfinite.", version="7.8")
    for t in ("s8", "u8"):
        products(g, WIDE, ("s32", t, t, "s32"), whole)
        products(g, WIDE[:1], ("s32", t, t, "s32"), extreme, flag=".satfinite")
    for t in ("s4", "u4"):
        products(g, [(8, 8, 32)], ("s32", t, t, "s32"), whole)
        products(g, [(8, 8, 32)], ("s32", t, t, "s32"), extreme, flag=".satfinite")
    bits(g)
    return [f, g]
