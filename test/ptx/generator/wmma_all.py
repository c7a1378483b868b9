# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wmma: every opcode that forms/table.txt has. The kernel of a shape and its types loads, multiplies
and stores in every layout and every space; it compares what is stored itself."""

import re
from fractions import Fraction

from .emit import File, entry, signed
from .fp import F64
from .mma import BITS, extreme, matrix, multiply, name_of, register, small, tile, vector
from .opcodes import accepted
from .values import rng
from .wmma import WIDE, Case, counts, layout, memory_type

SPACES = ("", ".global", ".shared", ".shared::cta")
UNWRITTEN = 0xa5a5a5a5a5a5a5a5
EVEN = 128  # bytes, where matrices begin

HELPERS = """
.func copy(.param .b64 pto, .param .b64 pfrom, .param .b32 pwords)
{
	.reg .b32 %i, %x, %words;
	.reg .b64 %t, %f, %to, %from;
	.reg .pred %more;
	ld.param.b64 %to, [pto];
	ld.param.b64 %from, [pfrom];
	ld.param.b32 %words, [pwords];
	mov.u32 %i, %tid.x;
$next:
	mad.wide.u32 %f, %i, 4, %from;
	ld.b32 %x, [%f];
	mad.wide.u32 %t, %i, 4, %to;
	st.b32 [%t], %x;
	add.u32 %i, %i, 32;
	setp.lt.u32 %more, %i, %words;
	@%more bra $next;
	ret;
}
// Whether words differ from those wanted; makes them 0xa5 again.
.func (.param .b32 wrong) compare(.param .b64 pat, .param .b64 pwant, .param .b32 pwords)
{
	.reg .b32 %i, %x, %y, %words, %wrong;
	.reg .b64 %t, %f, %at, %want;
	.reg .pred %more, %differ;
	ld.param.b64 %at, [pat];
	ld.param.b64 %want, [pwant];
	ld.param.b32 %words, [pwords];
	bar.warp.sync 0xffffffff;
	mov.u32 %i, %tid.x;
	mov.u32 %wrong, 0;
$next:
	mad.wide.u32 %f, %i, 4, %want;
	ld.b32 %y, [%f];
	mad.wide.u32 %t, %i, 4, %at;
	ld.b32 %x, [%t];
	setp.ne.u32 %differ, %x, %y;
	@%differ mov.u32 %wrong, 1;
	st.b32 [%t], 0xa5a5a5a5;
	add.u32 %i, %i, 32;
	setp.lt.u32 %more, %i, %words;
	@%more bra $next;
	bar.warp.sync 0xffffffff;
	st.param.b32 [wrong], %wrong;
	ret;
}
"""


def call(function, to, at, words):
    """Both take two addresses and a number."""
    text = "\t{\n\t.param .b64 x, y;\n\t.param .b32 n, r;\n"
    text += "\tst.param.b64 [x], %s;\n\tst.param.b64 [y], %s;\n\tst.param.b32 [n], %d;\n" % (
        to, at, words)
    if function == "copy":
        return text + "\tcall copy, (x, y, n);\n\t}\n"
    return text + "\tcall (r), compare, (x, y, n);\n\tld.param.b32 %wrong, [r];\n\t}\n"


class Image:
    """A matrix in memory by rows, and then by columns."""

    def __init__(self, t, matrix, gap, padded):
        self.t, self.elements, self.start, self.strides = t, [], [], []
        self.size = max(BITS[t], 32 if BITS[t] < 8 else 8) // 8
        for col in (False, True):
            length = len(matrix if col else matrix[0])
            unit = 128 // BITS[t]
            stride = -(-length // unit) * unit + unit * (padded != col)
            self.start.append(len(self.elements) * self.size)
            self.elements += layout(matrix, col, stride, t, gap)
            self.elements += [gap] * (-len(self.elements) % (EVEN // self.size))
            self.strides.append((stride, stride == length))
        self.bytes = len(self.elements) * self.size
        self.lengths = self.start[1], self.bytes - self.start[1]


def runs(types):
    """Whether a, b, c and d are by columns, and the space of the first; the others' follow it."""
    if BITS[types[1]] < 8:
        orders = [(False, True, c, not c) for c in (False, True)]
    else:
        orders = [(a, b, a, b) for a in (False, True) for b in (False, True)]
    return [(order, space) for order in orders for space in range(len(SPACES))]


class Product(Case):
    def __init__(self, f, shape, types, flags, mats, want):
        super().__init__(f, shape, types, None, "", flags)
        self.images, self.places, at = [], [], 0
        for which, m in enumerate(mats + (want,)):
            t = types[(1, 2, 3, 0)[which]]
            gap = UNWRITTEN >> 64 - BITS[t] if which == 3 else 0
            self.images.append(Image(t, m, gap, (f.count + which) % 2 == 1))
            self.places.append(at)
            at += self.images[which].bytes
        self.room = max(self.images[3].lengths)
        self.shared = self.places[3] + self.room

    def address(self, which, space, start, run):
        """Register or variable and offset of what is at @start in the buffer of an operand."""
        inside = self.places[which] + start
        if space == ".global" or (space == "" and (run // 4 + run // 8) % 2):
            return "%%g%s" % "abcd"[which], start
        return {"": "%gs", ".shared": "%tile", ".shared::cta": "tile"}[space], inside

    def move(self, which, regs, col, space, at, run):
        """wmma.load, or wmma.store of d: the stride is a register, a number or none."""
        image = self.images[which]
        stride, tight = image.strides[col]
        form = "wmma.%s.%s.sync.aligned.%s.%s%s.%s " % (
            "store" if which == 3 else "load", "abcd"[which], "col" if col else "row",
            self.spelling, space, image.t)
        place = "[%s+%d]" % at
        operands = place + ", " + regs if which == 3 else regs + ", " + place
        if (run + run // 4 + which) % 2:
            return "\t%s%s, %d;\n" % (form, operands, stride)
        if tight:
            return "\t%s%s;\n" % (form, operands)
        return "\tmov.u32 %%stride, %d;\n\t%s%s, %%stride;\n" % (stride, form, operands)

    def run(self, number, order, first, names):
        spaces = [SPACES[(first + which) % len(SPACES)] for which in range(4)]
        starts = [self.images[which].start[order[which]] for which in range(3)] + [0]
        at = [self.address(which, spaces[which], starts[which], number) for which in range(4)]
        moves = [self.move(i, names[i], order[i], spaces[i], at[i], number) for i in range(4)]
        self.layouts = ["col" if col else "row" for col in order]
        text = "".join(moves[:3]) + self.product([names[3]] + names[:3]) + moves[3]
        base, offset = at[3]
        text += "\tadd.u64 %%to, %s, %d;\n" % (base if base[:2] == "%g" else "%gs", offset)
        text += "\tadd.u64 %%want, %%ge, %d;\n" % self.images[3].start[order[3]]
        text += call("compare", "%to", "%want", self.images[3].lengths[order[3]] // 4)
        return text + "\tshl.b32 %%wrong, %%wrong, %d;\n\tor.b32 %%bad, %%bad, %%wrong;\n" % number

    def kernel(self, name, _=""):
        each = counts(self.shape, self.types)
        kinds = [register(t) for t in self.types[1:] + self.types[:1]]
        text = entry(name, ["pa", "pb", "pc", "pe", "pd", "pw"])
        text += "\t.shared .align %d .b8 tile[%d];\n" % (EVEN, self.shared)
        text += "\t.reg .b32 %stride, %tile, %wrong, %bad, %i;\n"
        text += "\t.reg .b64 %ga, %gb, %gc, %gd, %ge, %gs, %gw, %to, %want;\n"
        for c, count, kind in zip("abcd", each, kinds):
            text += "\t.reg .%s %%%s<%d>;\n" % (kind, c, count)
        text += "".join("\tld.param.u64 %%g%s, [p%s];\n" % (c, c) for c in "abcedw")
        text += "\tmov.u32 %tile, tile;\n\tmov.u64 %gs, tile;\n\tcvta.shared.u64 %gs, %gs;\n"
        text += "\tmov.u32 %bad, 0;\n"
        for which in range(3):
            text += "\tadd.u64 %%to, %%gs, %d;\n" % self.places[which]
            text += call("copy", "%to", "%g" + "abc"[which], self.images[which].bytes // 4)
        text += "\tadd.u64 %%to, %%gs, %d;\n" % self.places[3]
        text += call("compare", "%to", "%to", self.room // 4)
        names = [vector(c, x) for c, x in zip("abcd", each)]
        for number, (order, first) in enumerate(runs(self.types)):
            text += self.run(number, order, first, names)
        text += "\tmov.u32 %i, %tid.x;\n\tmad.wide.u32 %to, %i, 4, %gw;\n\tst.b32 [%to], %bad;\n"
        return text + "\tret;\n}\n"

    def emit(self, name):
        text = "\n//@ launch %s block=32\n" % name
        for image in self.images:
            text += self.f.operand("in", memory_type(image.t), image.elements)
        text += "//@ out b32 0xa5a5a5a5*%d\n//@ out b32 0*32\n" % (self.room // 4)
        self.f.raw(text + self.kernel(name))
        self.f.count += 1


def exact(f, shape, types, make=small, flags=""):
    r = rng("all" + name_of(shape, types, flags))
    mats = tile(*shape, types, lambda t: make(r, t))
    want = multiply(types, *mats, flags == ".satfinite")
    Product(f, shape, types, flags, mats, want).emit(name_of(shape, types, flags.strip(".")))


def integers(f, shape, t):
    types = ("s32", t, t, "s32")
    exact(f, shape, types)
    exact(f, shape, types, extreme, ".satfinite")


def rounded(f, mode):
    """One product to a sum: one rounding."""
    types, r = ("f64",) * 4, rng("wmma round" + mode)

    def number():
        return F64.round(Fraction(r.randrange(-1 << 60, 1 << 60), 1 << 59))
    a, b, c = matrix(8, 4, lambda: 0), matrix(4, 8, lambda: 0), matrix(8, 8, number)
    for i in range(8):
        a[i][1], b[1][i] = number(), number()
    want = [[F64.round(F64.value(a[i][1]) * F64.value(b[1][j]) + F64.value(c[i][j]), mode)
             for j in range(8)] for i in range(8)]
    Product(f, (8, 8, 4), types, "." + mode, (a, b, c), want).emit("m8n8k4_f64_" + mode)


def bits(f, op):
    shape, types, r = (8, 8, 128), ("s32", "b1", "b1", "s32"), rng("wmma all" + op)
    a, b = matrix(8, 128, lambda: r.getrandbits(1)), matrix(128, 8, lambda: r.getrandbits(1))
    c = matrix(8, 8, lambda: small(r, "s32", 1000))
    want = [[signed(c[i][j] + sum((x & y[j]) if op == "and" else x ^ y[j]
                                  for x, y in zip(a[i], b)), 32) for j in range(8)]
            for i in range(8)]
    Product(f, shape, types, op, (a, b, c), want).emit("m8n8k128_b1_" + op)


def complain(f):
    """Every opcode of the table has to be here."""
    here = set(re.findall(r"^\t(wmma\.\S+)", f.body, re.M))
    missing = {opcode for opcode, _ in accepted("wmma")} - here
    if missing:
        raise ValueError("not tested: " + ", ".join(sorted(missing)))


def files():
    f = File("wmma_all", "wmma: every opcode, in every layout and space.", version="7.8")
    f.raw(HELPERS)
    for shape in WIDE:
        for d in ("f16", "f32"):
            for c in ("f16", "f32"):
                exact(f, shape, (d, "f16", "f16", c))
        exact(f, shape, ("f32", "bf16", "bf16", "f32"))
        for t in ("s8", "u8"):
            integers(f, shape, t)
    exact(f, (16, 16, 8), ("f32", "tf32", "tf32", "f32"))
    for t in ("s4", "u4"):
        integers(f, (8, 8, 32), t)
    exact(f, (8, 8, 4), ("f64",) * 4)
    for mode in ("rn", "rz", "rm", "rp"):
        rounded(f, mode)
    for op in ("xor", "and"):
        bits(f, op)
    complain(f)
    return [f]
