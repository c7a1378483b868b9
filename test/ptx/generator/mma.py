# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mma: every shape and type that sm_90 has. Layouts as the ISA's formulas give them;
sums of small integers are exact everywhere, others are compared within a tolerance."""

import functools
import operator
import struct
from fractions import Fraction

from .emit import NAN, File, bits_of, entry, mem_type, signed
from .fp import BF16, F16, F32, F64, Format
from .values import rng

TF32 = Format("tf32", 11, 8, 0x7fffffff)
E5M2 = Format("e5m2", 3, 5, 0x7f)
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "f64": 64, "f32": 32,
        "s32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
INTS = ("s8", "u8", "s4", "u4")
SHAPES = {
    "f16": [(16, 8, 8), (16, 8, 16)],
    "bf16": [(16, 8, 8), (16, 8, 16)],
    "tf32": [(16, 8, 4), (16, 8, 8)],
    "fp8": [(16, 8, 16), (16, 8, 32)],
    "f64": [(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)],
    "int8": [(8, 8, 16), (16, 8, 16), (16, 8, 32)],
    "int4": [(8, 8, 32), (16, 8, 32), (16, 8, 64)],
    "b1": [(8, 8, 128), (16, 8, 128), (16, 8, 256)],
}


# ---- Elements ---------------------------------------------------------------------

@functools.lru_cache(1 << 16)
def encode(t, v):
    """The bits of an exactly representable value v of type t."""
    if t in INTS or t in ("s32", "b1"):
        return int(v) & ((1 << BITS[t]) - 1)
    if t == "e4m3":
        for x in range(256):
            if x & 0x7f != 0x7f and decode(t, x) == v and (v or not x):
                return x
        raise ValueError(v)
    if t == "tf32":
        return TF32.round(Fraction(v)) << 13
    return {"f16": F16, "bf16": BF16, "e5m2": E5M2, "f32": F32, "f64": F64}[t].round(
        Fraction(v))


@functools.lru_cache(1 << 16)
def decode(t, x):
    """The value of bits x, exactly; infinities and NaN as floats."""
    if t[0] == "s":
        return signed(x, BITS[t])
    if t[0] in "ub":
        if t != "bf16":
            return x
    if t == "e4m3":
        if x & 0x7f == 0x7f:
            return float("nan")
        e, f = x >> 3 & 15, x & 7
        v = Fraction(f + 8 * (e > 0)) * Fraction(2) ** (max(e, 1) - 10)
        return -v if x >> 7 else v
    f = {"f16": F16, "bf16": BF16, "e5m2": E5M2, "f32": F32, "f64": F64, "tf32": TF32}[t]
    x = x >> 13 if t == "tf32" else x
    if f.is_nan(x):
        return float("nan")
    if f.is_inf(x):
        return float("-inf" if f.negative(x) else "inf")
    return f.value(x)


def finish(t, v, satfinite=False):
    """The sum v as bits of type t."""
    if t == "s32":
        v = int(v)
        return min(max(v, -1 << 31), (1 << 31) - 1) if satfinite else signed(v, 32)
    f = {"f16": F16, "f32": F32, "f64": F64}[t]
    if isinstance(v, float):
        return NAN if v != v else f.inf | (f.sign if v < 0 else 0)
    return f.round(v)


# ---- Fragments: lists of 32 lanes, each a list of registers -------------------------

def pack(values, bits):
    """Elements of one lane, the first in the low bits, as registers."""
    per = max(1, 32 // bits)
    return [sum(x << bits * i for i, x in enumerate(values[k:k + per]))
            for k in range(0, len(values), per)]


def fragment_a(a, t, m, k):
    per, out = max(1, 32 // BITS[t]), []
    for lane in range(32):
        g, q, one = lane // 4, lane % 4, []
        for i in range(m * k // 32):
            r = i // per
            row = g + 8 * (r % 2) if m == 16 else g
            one.append(a[row][q * per + i % per + 4 * per * (r // (m // 8))])
        out.append(pack(one, BITS[t]))
    return out


def fragment_b(b, t, k):
    per, out = max(1, 32 // BITS[t]), []
    for lane in range(32):
        g, q = lane // 4, lane % 4
        out.append(pack([b[q * per + i % per + 4 * per * (i // per)][g]
                         for i in range(8 * k // 32)], BITS[t]))
    return out


def fragment_c(c, t, m):
    out = []
    for lane in range(32):
        g, q = lane // 4, lane % 4
        one = [c[g + 8 * (i // 2)][2 * q + i % 2] for i in range(m // 4)]
        out.append(pack(one, 16) if t == "f16" and NAN not in one else one)
    return out


# ---- Kernels ------------------------------------------------------------------------

def register(t):
    return {"f64": "f64", "f32": "f32"}.get(t, "b32")


def vector(name, count):
    return "{%s}" % ", ".join("%%%s%d" % (name, i) for i in range(count))


def warp_kernel(name, ins, out, op, extra=""):
    """Every lane loads its registers a, b, c..., executes op and stores those of d.
    ins: (register type, count); tiles by blocks."""
    names = "abcegh"[:len(ins)]
    text = entry(name, ["p" + c for c in names] + ["pd"])
    text += "\t.reg .b32 %i, %t;\n\t.reg .b64 %at;\n" + extra
    for c, (t, count) in list(zip(names, ins)) + [("d", out)]:
        text += "\t.reg .b64 %%p%s;\n\t.reg .%s %%%s<%d>;\n" % (c, t, c, count)
        text += "\tld.param.u64 %%p%s, [p%s];\n" % (c, c)
    text += "\tmov.u32 %t, %tid.x;\n\tmov.u32 %i, %ctaid.x;\n\tmad.lo.u32 %i, %i, 32, %t;\n"

    def each(c, t, count, verb):
        size = bits_of(t) // 8
        lines = "\tmad.wide.u32 %%at, %%i, %d, %%p%s;\n" % (size * count, c)
        for i in range(count):
            at, reg = "[%%at+%d]" % (size * i), "%%%s%d" % (c, i)
            lines += "\t%s.global.%s %s;\n" % (
                verb, mem_type(t), reg + ", " + at if verb == "ld" else at + ", " + reg)
        return lines
    for c, (t, count) in zip(names, ins):
        text += each(c, t, count, "ld")
    regs = {c: vector(c, count) for c, (_, count) in zip(names, ins)}
    text += "".join("\t%s\n" % line for line in op.format(d=vector("d", out[1]), **regs)
                    .split("\n"))
    return text + each("d", out[0], out[1], "st") + "\tret;\n}\n"


def flat(tiles):
    return [x for tile in tiles for lane in tile for x in lane]


def halves(values):
    return [x for w in values for x in ((NAN, NAN) if w == NAN else
                                        (w & 0xffff, w >> 16))]


def product(f, name, op, types, tiles, mode="", fragments=None, satfinite=False):
    """One kernel: tiles is a list of (A, B, C) as matrices of bits."""
    d, a, b, c = types
    m, k = len(tiles[0][0]), len(tiles[0][1])
    fa, fb, fc = fragments or (lambda x, t: fragment_a(x, t, m, k),
                               lambda x, t: fragment_b(x, t, k),
                               lambda x, t: fragment_c(x, t, m))
    ins = [[fa(x, a) for x, _, _ in tiles], [fb(x, b) for _, x, _ in tiles],
           [fc(x, c) for _, _, x in tiles]]
    out = [multiply(types, x, y, z, satfinite) for x, y, z in tiles]
    outs = [fc(x, "f32" if d == "f16" else d) for x in out]
    kinds = [(register(t), len(x[0][0])) for t, x in zip((a, b, c), ins)]
    text = "\n//@ launch %s block=32 grid=%d\n" % (name, len(tiles))
    for (t, _), x in zip(kinds, ins):
        text += f.operand("in", t, flat(x))
    text += f.operand("out", {"s32": "s32"}.get(d, d), flat(outs), mode)
    count = len(outs[0][0]) // (2 if d == "f16" else 1)
    f.raw(text + warp_kernel(name, kinds, (register(d), count), op))
    f.count += 1


def multiply(types, a, b, c, satfinite=False):
    d, ta, tb, tc = types
    da = [[decode(ta, x) for x in row] for row in a]
    db = [[decode(tb, x) for x in row] for row in b]
    if ta == "b1":
        raise ValueError(ta)
    rows, columns = [common(row) for row in da], [common(column) for column in zip(*db)]
    return [[finish(d, total(decode(tc, c[i][j]), row, column), satfinite)
             for j, column in enumerate(columns)] for i, row in enumerate(rows)]


def common(values):
    """Values as whole numbers over a common denominator; that is 0 where there are floats,
    which stay as they are."""
    if any(isinstance(x, float) for x in values):
        return values, 0
    least = max(x.denominator for x in values)  # powers of two
    return [x.numerator * (least // x.denominator) for x in values], least


def total(c, row, column):
    (x, over_x), (y, over_y) = row, column
    if isinstance(c, float) or not over_x or not over_y:
        x, y = ([float(Fraction(v, over) if over else v) for v in values]
                for values, over in (row, column))
        return float(c) + sum(map(operator.mul, x, y))
    return c + Fraction(sum(map(operator.mul, x, y)), over_x * over_y)


# ---- Inputs --------------------------------------------------------------------------

def matrix(rows, columns, make):
    return [[make() for _ in range(columns)] for _ in range(rows)]


def small(r, t, limit=3):
    """A small integer; tf32 with bits that do not count."""
    x = encode(t, r.randrange(0 if t[0] == "u" else -limit, limit + 1))
    return x | r.getrandbits(13) if t == "tf32" else x


def near(r, t):
    """A number between -2 and 2 with all its bits in use."""
    f = {"f16": F16, "bf16": BF16, "e5m2": E5M2, "f32": F32, "f64": F64, "tf32": TF32}.get(t)
    if t == "e4m3":
        return r.getrandbits(1) << 7 | r.randrange(0x30, 0x40)
    x = f.round(Fraction(r.randrange(-1 << 60, 1 << 60), 1 << 59))
    return x << 13 | r.getrandbits(13) if t == "tf32" else x


def whole(r, t):
    return r.getrandbits(BITS[t])


def tile(m, n, k, types, make_a, make_c=None):
    _, a, b, c = types
    return (matrix(m, k, lambda: make_a(a)), matrix(k, n, lambda: make_a(b)),
            matrix(m, n, lambda: (make_c or make_a)(c)))


def special(r, m, n, k, types):
    """Infinities, NaN, overflow and cancellation, one to a row; zeros elsewhere."""
    d, a, b, c = types
    inf = {"f16": 0x7c00, "bf16": 0x7f80, "tf32": 0x7f800000, "e5m2": 0x7c}.get(a)
    nan = {"f16": 0x7e00, "bf16": 0x7fc0, "tf32": 0x7fc00000, "e5m2": 0x7e, "e4m3": 0x7f}[a]
    one, minus = encode(a, 1), encode(a, -1)
    x, y, z = matrix(m, k, lambda: 0), matrix(k, n, lambda: encode(b, 1)), matrix(
        m, n, lambda: encode(c, 0))
    x[0][1], x[1][k - 1] = nan, nan
    if inf:
        x[2][0], x[3][1], x[4][0], x[4][1] = inf, inf | minus ^ one, inf, inf | minus ^ one
    x[5][k - 1] = one
    cf = {"f16": F16, "f32": F32}[c]
    z[5] = [cf.inf, cf.inf | cf.sign] * (n // 2)
    z[6] = [cf.one] * n
    if inf:
        for i in range(k):
            y[i][n - 1] = 0
    return x, y, z


TOLERANCE = {"f32": "abs=0.0001", "f16": "abs=0.04", "f64": "abs=1e-13"}


def name_of(shape, types, *more):
    words = ["m%dn%dk%d" % shape] + list(types) + [w for w in more if w]
    return "_".join(words)


def floats(f, family, inputs, results):
    for shape in SHAPES[family]:
        m, n, k = shape
        for a, b in inputs:
            for d in results:
                types = (d, a, b, d)
                r = rng(name_of(shape, types))
                op = "mma.sync.aligned.m%dn%dk%d.row.col.%s {d}, {a}, {b}, {c};" % (
                    m, n, k, ".".join(types))
                tiles = [tile(m, n, k, types, lambda t: small(r, t))]
                if a != "f64":
                    tiles.append(special(r, m, n, k, types))
                if a == "f16":
                    tiles.append(subnormal(r, m, n, k))
                product(f, name_of(shape, types), op, types, tiles)
                product(f, name_of(shape, types, "near"), op, types,
                        [tile(m, n, k, types, lambda t: near(r, t))], TOLERANCE[d])


def subnormal(r, m, n, k):
    """Subnormal halves times 0 and 2: nothing else that they could be lost beside."""
    return (matrix(m, k, lambda: r.randrange(4)), matrix(k, n, lambda: r.choice([0, 0x4000])),
            matrix(m, n, lambda: 0))


def ints(f, family, types):
    for shape in SHAPES[family]:
        m, n, k = shape
        for a in types:
            for b in types:
                kinds = ("s32", a, b, "s32")
                for sat, logic in variants(a):
                    r = rng(name_of(shape, kinds))
                    op = "mma.sync.aligned.m%dn%dk%d.row.col%s.%s%s {d}, {a}, {b}, {c};" % (
                        m, n, k, ".satfinite" * sat, ".".join(kinds), logic)
                    name = name_of(shape, kinds, "satfinite" * sat, logic[1:4])
                    product(f, name, op, kinds, [tile(m, n, k, kinds, lambda t: make(r, t))
                                                 for make in ((extreme,) if sat else (whole,))],
                            satfinite=sat)


def variants(a):
    """Saturation; and what ptxas allows on 4 bits, to no effect."""
    return [(False, ""), (True, "")] + [
        (False, "." + op + ".popc") for op in ("and", "xor") if BITS[a] == 4]


def extreme(r, t):
    top = 1 << (BITS[t] - 1)
    if t == "s32":
        return (r.choice([top - 1, top]) + r.randrange(-1000, 1000)) & 0xffffffff
    return r.choice([0, top, top - 1, 2 * top - 1])


def bits(f):
    for m, n, k in SHAPES["b1"]:
        for op in ("xor", "and"):
            name = name_of((m, n, k), ("b1",), op)
            r = rng(name)
            a = matrix(m, k, lambda: r.getrandbits(1))
            b = matrix(k, n, lambda: r.getrandbits(1))
            c = matrix(m, n, lambda: whole(r, "s32"))
            d = [[signed(c[i][j] + sum((x & row[j]) if op == "and" else (x ^ row[j])
                                       for x, row in zip(a[i], b)), 32) for j in range(n)]
                 for i in range(m)]
            ins = [fragment_a(a, "b1", m, k), fragment_b(b, "b1", k),
                   fragment_c(c, "s32", m)]
            text = "\n//@ launch %s block=32\n" % name
            text += "".join(f.operand("in", "b32", flat([x])) for x in ins)
            text += f.operand("out", "s32", flat([fragment_c(d, "s32", m)]))
            form = "mma.sync.aligned.m%dn%dk%d.row.col.s32.b1.b1.s32.%s.popc {d}, {a}, {b}, {c};"
            f.raw(text + warp_kernel(name, [("b32", len(x[0])) for x in ins],
                                     ("b32", m // 4), form % (m, n, k, op)))
            f.count += 1


def roundings(f):
    """f64: one rounding of every product with its addition, in the mode's direction."""
    for mode in ("rn", "rz", "rm", "rp"):
        types, r = ("f64",) * 4, rng("round" + mode)
        x, y, z = tile(8, 8, 4, types, lambda t: encode(t, 0))
        for i in range(8):
            x[i][0] = F64.round(Fraction(r.randrange(-1 << 60, 1 << 60), 1 << 59))
            z[i] = [F64.round(Fraction(r.randrange(-1 << 60, 1 << 60), 1 << 61))
                    for _ in range(8)]
        y[0] = [F64.round(Fraction(r.randrange(-1 << 60, 1 << 60), 1 << 59))
                for _ in range(8)]
        want = [[F64.round(F64.value(x[i][0]) * F64.value(y[0][j]) + F64.value(z[i][j]), mode)
                 for j in range(8)] for i in range(8)]
        ins = [fragment_a(x, "f64", 8, 4), fragment_b(y, "f64", 4), fragment_c(z, "f64", 8)]
        name = "m8n8k4_f64_" + mode
        text = "\n//@ launch %s block=32\n" % name
        text += "".join(f.operand("in", "f64", flat([v])) for v in ins)
        text += f.operand("out", "f64", flat([fragment_c(want, "f64", 8)]))
        f.raw(text + warp_kernel(name, [("f64", len(v[0])) for v in ins], ("f64", 2),
                                 "mma.sync.aligned.m8n8k4.row.col.%s.f64.f64.f64.f64 "
                                 "{d}, {a}, {b}, {c};" % mode))
        f.count += 1


# ---- m8n8k4 of halves: four products at once -----------------------------------------

def quads(f):
    for la in ("row", "col"):
        for lb in ("row", "col"):
            for d in ("f16", "f32"):
                for c in ("f16", "f32"):
                    if c == "f16" or d == "f32":
                        quad(f, la, lb, (d, "f16", "f16", c))


def quad(f, la, lb, types):
    d, _, _, c = types
    name = "_".join(["m8n8k4", la, lb, d, c])
    r = rng(name)
    tiles = [tile(8, 8, 4, types, lambda t: small(r, t)) for _ in range(4)]
    outs = [multiply(types, *x) for x in tiles]
    ins = [quad_in(tiles, 0, la == "row"), quad_in([(0, list(zip(*b)), 0) for _, b, _ in tiles],
                                                  1, lb == "col"),
           quad_sums([x[2] for x in tiles], c)]
    out = quad_sums(outs, d)
    text = "\n//@ launch %s block=32\n" % name
    for x, t in zip(ins, ("b32", "b32", register(c))):
        text += f.operand("in", t, flat([x]))
    text += f.operand("out", register(d), flat([out]))
    op = "mma.sync.aligned.m8n8k4.%s.%s.%s {d}, {a}, {b}, {c};" % (la, lb, ".".join(types))
    f.raw(text + warp_kernel(name, [("b32", 2), ("b32", 2), (register(c), len(ins[2][0]))],
                             (register(d), len(out[0])), op))
    f.count += 1


def quad_in(tiles, which, along):
    """A by rows, or the transposed B: each lane has one row, or one k of four rows."""
    out = []
    for lane in range(32):
        x, upper = tiles[lane // 4 % 4][which], lane // 16 * 4
        out.append(pack([x[lane % 4 + upper][i] if along else x[i + upper][lane % 4]
                         for i in range(4)], 16))
    return out


def quad_sums(sums, t):
    out = []
    for lane in range(32):
        x, upper, one = sums[lane // 4 % 4], lane // 16 * 4, []
        for i in range(8):
            row, col = lane % 4, i
            if t == "f32":
                row, col = (lane & 1) + (i & 2), (i & 4) + (lane & 2) + (i & 1)
            one.append(x[row + upper][col])
        out.append(pack(one, 16) if t == "f16" else one)
    return out


def many(f):
    """So many products that none of them may need stack of its own."""
    text = "\n//@ launch many_products block=32\n//@ out s32 %d*64\n" % (16 * 5000)
    text += entry("many_products", ["pd"]) + """\t.reg .b64 %pd, %at;
\t.reg .b32 %d0, %d1, %a, %i;
\t.reg .pred %more;
\tld.param.u64 %pd, [pd];
\tmov.b32 %d0, 0;
\tmov.b32 %d1, 0;
\tmov.b32 %a, 0x01010101;
\tmov.u32 %i, 0;
$next:
\tmma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%d0, %d1}, {%a}, {%a}, {%d0, %d1};
\tadd.u32 %i, %i, 1;
\tsetp.lt.u32 %more, %i, 5000;
\t@%more bra $next;
\tmov.u32 %i, %tid.x;
\tmad.wide.u32 %at, %i, 8, %pd;
\tst.global.v2.b32 [%at], {%d0, %d1};
\tret;
}
"""
    f.raw(text)
    f.count += 1


def files():
    f = File("mma", "mma: products of f16, bf16, tf32 and f64 matrices, every shape of sm_90.",
             version="7.8")
    floats(f, "f16", [("f16", "f16")], ["f16", "f32"])
    floats(f, "bf16", [("bf16", "bf16")], ["f32"])
    floats(f, "tf32", [("tf32", "tf32")], ["f32"])
    floats(f, "f64", [("f64", "f64")], ["f64"])
    roundings(f)
    quads(f)
    g = File("mma_int", "mma: products of integer and of bit matrices; .satfinite.",
             version="7.8")
    ints(g, "int8", ("s8", "u8"))
    ints(g, "int4", ("s4", "u4"))
    bits(g)
    many(g)
    h = File("mma_fp8", "mma: products of e4m3 and e5m2 matrices.", version="8.7",
             target="sm_90")
    floats(h, "fp8", [(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")],
           ["f16", "f32"])
    return [f, g, h]
