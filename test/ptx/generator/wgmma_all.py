# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wgmma: every width with every pair of types, dense and sparse.

A kernel has one pair of types. It goes through all widths, from the narrowest, adds each product
to the sums of those before and leaves one number for all elements of all threads: wrong widths
show as wrong numbers. Matrices are made of few different pieces of 16 bytes."""

import functools
import operator
from fractions import Fraction

from .emit import File, entry
from .mma import BITS, decode, encode, finish
from .sparse import choose, metadata
from .values import rng
from .wgmma import K, Image, fragment_a, fragment_d

WIDTHS = {"f": range(8, 257, 8), "s": [8, 24] + list(range(16, 257, 16))}
PIECES = 16
MIX = 0x9e3779b1

HELPERS = """
// Adds a number made of words and of the thread to that at to.
.func fold(.param .b64 pat, .param .b32 pwords, .param .b64 pto)
{
	.reg .b32 %i, %x, %y, %words, %hash;
	.reg .b64 %at, %to;
	.reg .pred %more;
	ld.param.b64 %at, [pat];
	ld.param.b32 %words, [pwords];
	ld.param.b64 %to, [pto];
	mov.u32 %hash, %tid.x;
	mov.u32 %i, 0;
$next:
	ld.global.b32 %x, [%at];
	xor.b32 %hash, %hash, %x;
	mul.lo.u32 %hash, %hash, 0x9e3779b1;
	shr.u32 %y, %hash, 15;
	xor.b32 %hash, %hash, %y;
	add.u64 %at, %at, 4;
	add.u32 %i, %i, 1;
	setp.lt.u32 %more, %i, %words;
	@%more bra $next;
	red.global.add.u32 [%to], %hash;
	ret;
}
"""


def fold(thread, words):
    """What the words of a thread come to: their lowest 32 bits count."""
    h = thread
    for x in words:
        h = (h ^ x) * MIX & 0xffffffff
        h ^= h >> 15
    return h


class Pieces:
    """16-byte pieces of elements, the first of them zeros."""

    def __init__(self, t):
        r = rng("pieces" + ("bytes" if t in ("s8", "u8", "b1") else t))
        self.t, self.count = t, 128 // BITS[t]
        self.bytes = [bytes(16)]
        for _ in range(PIECES - 1):
            if t in ("s8", "u8", "b1"):
                self.bytes.append(bytes(r.getrandbits(8) for _ in range(16)))
            else:
                self.bytes.append(b"".join(
                    encode(t, r.choice((-1, 1, 0, 2, -2, 1))).to_bytes(BITS[t] // 8, "little")
                    for _ in range(self.count)))

    def elements(self, piece):
        x = int.from_bytes(self.bytes[piece], "little")
        return [x >> BITS[self.t] * i & (1 << BITS[self.t]) - 1 for i in range(self.count)]

    def matrix(self, r, rows, columns):
        return [sum((self.elements(r.randrange(1, PIECES)) for _ in range(columns // self.count)),
                    []) for _ in range(rows)]


class Operands:
    """A and B of a kernel: in memory as pieces, in registers, and as numbers."""

    def __init__(self, types, sparse, mode, trans, name):
        _, ta, tb = types
        self.r, self.ta, self.tb, self.sparse = rng(name), ta, tb, sparse
        self.k = K[ta] * (1 + sparse)
        left, right = Pieces(ta), Pieces(tb)
        self.pieces = left.bytes + right.bytes[1:]
        held = self.matrix(left, 64, K[ta], trans[0])
        b = self.matrix(right, 256, self.k, trans[1])
        image = Image(self.r)
        self.first = image.add(held, BITS[ta], mode, trans[0])
        self.second = image.add(b, BITS[tb], mode, trans[1])
        data = bytes(image.bytes)
        self.shared = len(data)
        index = {piece: i for i, piece in reversed(list(enumerate(self.pieces)))}
        self.places = [index[data[at:at + 16]] for at in range(0, len(data), 16)]
        self.places += [0] * (-len(self.places) % 128)
        self.registers = fragment_a(held, ta)
        self.meta, a = self.spread(held)
        self.sums = products(a, b, ta, tb)

    def matrix(self, pieces, rows, columns, trans):
        if trans:
            return [list(row) for row in zip(*pieces.matrix(self.r, columns, rows))]
        return pieces.matrix(self.r, rows, columns)

    def spread(self, held):
        """The metadata of each thread, and A with the zeros that it leaves out."""
        if not self.sparse:
            return [0] * 128, held
        chosen = [choose(self.r, self.ta, self.k) for _ in held]
        out = []
        for (columns, _), values in zip(chosen, held):
            row = [0] * self.k
            for column, x in zip(columns, values):
                row[column] = x
            out.append(row)
        return sum((metadata(self.r, self.ta, self.k, [m for _, m in chosen[w:w + 16]], 0)
                    for w in range(0, 64, 16)), []), out


@functools.cache
def integer(t, x):
    return int(decode(t, x))


def products(rows, columns, ta, tb):
    """Products of every row and every column."""
    if ta == "b1":
        rows, columns = ([sum(x << i for i, x in enumerate(one)) for one in side]
                         for side in (rows, columns))
        return [[(row & column).bit_count() for column in columns] for row in rows]
    rows, columns = ([[integer(t, x) for x in one] for one in side]
                     for t, side in ((ta, rows), (tb, columns)))
    return [[sum(map(operator.mul, row, column)) for column in columns] for row in rows]


class Bits(dict):
    """The bits of sums in a type, each computed once."""

    def __init__(self, t):
        super().__init__()
        self.t = t

    def __missing__(self, v):
        self[v] = finish(self.t, Fraction(v)) & 0xffffffff
        return self[v]


def steps(types, widths, operands, satfinite):
    """What each width gives: the sums go on from one to the next."""
    d = types[0]
    bits = Bits(d)
    added = fragment_d(operands.sums)
    now = [[start(d, satfinite, thread)] * 128 for thread in range(128)]
    for number, n in enumerate(widths):
        sign = 1 if d == "s32" else signs(number)[0] * signs(number)[1]
        total = 0
        for thread, (row, product) in enumerate(zip(now, added)):
            row[:n // 2] = [x + sign * y for x, y in zip(row[:n // 2], product)]
            if satfinite:
                row[:n // 2] = [min(max(x, -1 << 31), (1 << 31) - 1) for x in row[:n // 2]]
            words = row[:n // 2] if d == "s32" else [bits[x] for x in row[:n // 2]]
            if d == "f16":
                words = [x | y << 16 for x, y in zip(words[::2], words[1::2])]
            total += fold(thread, words)
        yield total & 0xffffffff


def start(d, satfinite, thread):
    """What every element of a thread is before."""
    if d != "s32":
        return thread % 4
    return (1 << 31) - 1 - 1000 * thread if satfinite and thread % 2 else -(1 << 31) + 1000 * thread


def signs(number):
    return ((1, 1), (-1, 1), (1, -1), (-1, -1))[number % 4] if number > 2 else (1, 1)


def line(types, n, number, sparse, trans, flag):
    d, ta, tb = types
    held = number % 2 == 1 and not trans[0]
    words = ["{%s}" % ",".join("d%d" % i for i in range(n // (4 if d == "f16" else 2)))]
    words += ["{a0,a1,a2,a3}" if held else "da", "db"] + ["meta", "0"] * sparse
    words += ["yes" if number % 3 == 0 else "1"]
    if d != "s32":
        words += ["%d" % s for s in signs(number)]
    if BITS[ta] == 16:
        words += ["%d" % t for t in (trans[1:] if held else trans)]
    return "wgmma.mma_async%s.sync.aligned.m64n%dk%d.%s%s %s;" % (
        ".sp" * sparse, n, K[ta] * (1 + sparse), ".".join(types), flag, ",".join(words))


HEAD = """	.shared .align 1024 .b8 tile[%(shared)d];
	.reg .b32 i,x,base,piece,meta,a<4>,d<128>;
	.reg .b64 at,da,db,scratch,to,pieces,places,c,regs;
	.reg .pred more,yes;
	ld.param.u64 pieces,[ppieces];
	ld.param.u64 places,[pplaces];
	ld.param.u64 regs,[pregs];
	ld.param.u64 scratch,[pscratch];
	ld.param.u64 to,[pto];
	mov.u32 base,tile;
	mov.u32 i,%%tid.x;
$%(label)d:
	cvt.u64.u32 at,i;
	add.u64 at,at,places;
	ld.global.u8 piece,[at];
	mad.wide.u32 at,piece,16,pieces;
	ld.global.v4.b32 {d0,d1,d2,d3},[at];
	mad.lo.u32 x,i,16,base;
	st.shared.v4.b32 [x],{d0,d1,d2,d3};
	add.u32 i,i,128;
	setp.lt.u32 more,i,%(count)d;
	@more bra $%(label)d;
	fence.proxy.async;
	bar.sync 0;
	shr.u32 x,base,4;
	cvt.u64.u32 at,x;
	add.u64 da,at,0x%(first)x;
	add.u64 db,at,0x%(second)x;
	mov.u32 i,%%tid.x;
	mad.wide.u32 scratch,i,512,scratch;
	mad.wide.u32 regs,i,32,regs;
	ld.global.v4.b32 {a0,a1,a2,a3},[regs];
	ld.global.v2.b32 {meta,x},[regs+16];
	setp.ge.u32 yes,i,0;
"""


def kernel(f, name, types, operands, trans, flag, widths):
    d = types[0]
    text = entry(name, ["p" + p for p in ("pieces", "places", "regs", "scratch", "to")])
    text += HEAD % {"shared": 16 * len(operands.places), "label": f.count,
                    "count": len(operands.places), "first": operands.first,
                    "second": operands.second}
    text += "".join("\tmov.b32 d%d,x;\n" % i for i in range(64 if d == "f16" else 128))
    for number, n in enumerate(widths):
        text += "\twgmma.fence.sync.aligned;\n\t%s\n" % line(
            types, n, number, operands.sparse, trans, flag)
        text += "\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n"
        count = n // (4 if d == "f16" else 2)
        text += "".join("\tst.v2.b32 [scratch+%d],{d%d,d%d};\n" % (4 * i, i, i + 1)
                        for i in range(0, count, 2))
        text += "\t{\n\t.param .b64 u,w;\n\t.param .b32 v;\n\tst.param.b64 [u],scratch;\n"
        text += "\tst.param.b32 [v],%d;\n\tst.param.b64 [w],to;\n" % count
        text += "\tcall fold,(u,v,w);\n\t}\n\tadd.u64 to,to,4;\n"
    return text + "\tret;\n}\n"


def case(f, types, sparse, mode, trans=(0, 0), flag=""):
    d, ta, tb = types
    name = "_".join((["sp"] if sparse else []) + list(types) + [flag[1:].replace(".", "_")] *
                    (flag != ""))
    widths = sorted(WIDTHS["s" if d == "s32" else "f"])
    operands = Operands(types, sparse, mode, trans, name)
    satfinite = flag == ".satfinite"
    words = [finish(d, Fraction(start(d, satfinite, t))) & 0xffffffff for t in range(128)]
    if d == "f16":
        words = [w | w << 16 for w in words]
    pieces = [int.from_bytes(p[i:i + 4], "little") for p in operands.pieces
              for i in range(0, 16, 4)]
    regs = [x for a, m, w in zip(operands.registers, operands.meta, words)
            for x in a + [m, w, 0, 0]]
    want = list(steps(types, widths, operands, satfinite))
    text = "\n//@ launch %s block=128\n//@ in %s\n" % (name, f.list("b32", pieces))
    text += f.operand("in", "u8", operands.places) + f.operand("in", "b32", regs)
    text += "//@ in b32 0*%d\n" % (128 * 128)
    text += "//@ inout b32 0*%d\n" % len(want) + f.operand("expect", "b32", want)
    f.raw(text + kernel(f, name, types, operands, trans, flag, widths))
    f.count += 1


def floats(f, sparse):
    case(f, ("f32", "f16", "f16"), sparse, 1)
    case(f, ("f16", "f16", "f16"), sparse, 2, (1, 1))
    case(f, ("f32", "bf16", "bf16"), sparse, 3 - sparse, (0, 1))
    case(f, ("f32", "tf32", "tf32"), sparse, 0)


def bytes_(f, sparse):
    for number, (a, b) in enumerate((a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")):
        for d in ("f16", "f32"):
            case(f, (d, a, b), sparse, number % (4 - sparse))


def integers(f, sparse):
    for number, (a, b) in enumerate((a, b) for a in ("s8", "u8") for b in ("s8", "u8")):
        for flag in ("", ".satfinite"):
            case(f, ("s32", a, b), sparse, number % (4 - sparse), flag=flag)
    if not sparse:
        case(f, ("s32", "b1", "b1"), sparse, 1, flag=".and.popc")


def files():
    out = []
    for name, make in (("wgmma_all", floats), ("wgmma_fp8", bytes_), ("wgmma_int", integers)):
        f = File(name, "wgmma: every width and pair of types.", version="8.4", target="sm_90a")
        f.raw(HELPERS)
        for sparse in (False, True):
            make(f, sparse)
        out.append(f)
    return out
