# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Video instructions, from the pseudo-code of the PTX ISA; fp8; comparisons of pairs."""

import functools
import operator

from . import fp
from .emit import ANY, File, signed
from .floating import ident
from .fp import BF16, FORMATS
from .values import rng, rows

OPS = {
    "vadd": operator.add, "vsub": operator.sub, "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min, "vmax": max,
    "vavrg": lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1,
}
COMPARE = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
           "gt": operator.gt, "ge": operator.ge}
ALL_TYPES = [(d, a, b) for d in "us" for a in "us" for b in "us"]
WORD = 0xffffffff


def piece(x, bits, index, kind):
    value = x >> (bits * index) & ((1 << bits) - 1)
    return signed(value, bits) if kind == "s" else value


def part(x, name, kind):
    """The part "b2" or "h1" of a word, or all of it."""
    bits = {"b": 8, "h": 16}.get(name[:1], 32)
    return piece(x, bits, int(name[1:] or 0), kind)


def limit(x, bits, kind):
    low, high = (-1 << (bits - 1), (1 << (bits - 1)) - 1) if kind == "s" else (0, (1 << bits) - 1)
    return max(low, min(high, x))


def merged(t, target, c):
    at, mask = parts_of(target) * int(target[1:]), (1 << parts_of(target)) - 1
    return c & ~(mask << at) | (t & mask) << at


def parts_of(target):
    return {"b": 8, "h": 16}.get(target[:1], 32)


def compared(base, t, types):
    """What .min and .max compare: the ISA does not tell how wide it is. In GPUs, the exact
    result, but the low 32 bits of sums."""
    if base == "vshl":
        t = signed(t, 64)
    elif base in ("vadd", "vsub"):
        t = signed(t, 32)
    return t if types[0] == "s" else t & (1 << 64) - 1


def followed(base, t, second, types, c):
    """The second operation."""
    if second == "add":
        return (t + c) & WORD
    if second:
        less = compared(base, t, types) < (signed(c, 32) if types[0] == "s" else c)
        t = t if less == (second == "min") else c
    return t & WORD


def gpu_limit(base, t, target, types):
    """.sat as GPUs of today do it, who have no such instructions: they let an unsigned sum or
    difference overflow, and a part is the least of it, unsigned, and of the largest number."""
    d = types[0]
    if base == "vshr" and types[:2] == ("s", "s"):
        return t
    if target:
        return min(t & (1 << 64) - 1, limit(1 << 32, parts_of(target), d))
    if d == "u" and base in ("vadd", "vsub", "vabsdiff"):
        return max(t, 0)
    return limit(t, 32, d)


def gpu_merged(t, target, c):
    """They take the upper half of the result for the upper half of c."""
    return t & 0xffff0000 | c & 0xffff if target == "h1" else merged(t, target, c)


def finish(base, t, sat, second, target, types, c):
    """Saturation, the second operation, the merge: the ISA's answer, with a GPU's if that differs."""
    isa = limit(t, parts_of(target), types[0]) if sat else t
    if sat and base == "vshl":
        gpu = isa
    else:
        gpu = gpu_limit(base, t, target, types) if sat else t
    if target:
        both = merged(isa, target, c), gpu_merged(gpu, target, c)
    else:
        # vset makes an unsigned number, says the ISA; GPUs take it and c for what a is.
        others = (types[1],) + types[1:] if base == "vset" else types
        both = followed(base, isa, second, types, c), followed(base, gpu, second, others, c)
    if sat and base == "vshl" and (isa != t or (second and isa >> 31)):
        return ANY  # GPUs mostly shift as if there was no .sat, but not always
    return both[0] if both[0] == both[1] else both


def scalar_value(base, fn, types, sat, second, target, x, y, p, q, r):
    """What an instruction leaves of three words; x, y: the parts that it takes."""
    t = fn(part(p, x, types[1]), part(q, y, types[2]))
    return finish(base, t, sat, second, target, types, r)


def scalar(f, base, fn, types, selections, mods=(), head=""):
    rs = rows(base, ["u32", "u32", "u32"], 32)
    kinds = types if base != "vset" else types[1:]
    spelling = ".".join("%s32" % t for t in kinds)
    for sat in ("", ".sat") if base != "vset" else ("",):
        for second, target, x, y in selections:
            if head:  # of vset it stands behind the types
                name = "%s.%s%s" % (base, spelling, head)
            else:
                name = "%s.%s%s%s" % (base, spelling, sat, "".join(mods))
            name += "." + second if second else ""
            text = "%s {d}%s, {a}%s, {b}%s%s;" % (
                name, target and "." + target, x and "." + x, y and "." + y,
                ", {c}" if second or target else "")
            f.lanes(ident(name, target, x, y).strip("_"), ["u32"] * 3, "u32", text, rs,
                    lambda p, q, r: scalar_value(base, fn, types, sat, second, target, x, y,
                                                 p, q, r))


SELECTIONS = [("", "", "", ""), ("", "", "b3", "h1"), ("add", "", "h0", "b1"), ("min", "", "", ""),
              ("max", "", "b0", "b2"), ("", "b2", "h1", ""), ("", "h1", "b1", "h0")]


def scalars():
    f = File("video", "vadd, vsub, vabsdiff, vmin, vmax, vset, vshl, vshr: parts of words,\n"
             "saturation, a second operation or a merge.")
    for base, fn in OPS.items():
        if base != "vavrg":
            for i, types in enumerate(ALL_TYPES):
                scalar(f, base, fn, types, SELECTIONS if i in (0, 7) else
                       [SELECTIONS[i % 7]])
    for word, fn in COMPARE.items():
        for types in (("u", "u", "u"), ("u", "s", "u"), ("u", "u", "s"), ("u", "s", "s")):
            scalar(f, "vset", lambda a, b: int(fn(a, b)), types, SELECTIONS[:1] + SELECTIONS[2:6:3],
                   head="." + word)
    for mode in ("clamp", "wrap"):
        for types in (("u", "u", "u"), ("s", "s", "u"), ("u", "s", "u"), ("s", "u", "u")):
            scalar(f, "vshl", shift("vshl", mode), types, SELECTIONS[1:6:2], ["." + mode])
            scalar(f, "vshr", shift("vshr", mode), types, SELECTIONS[:7:2], ["." + mode])
    return f


def shift(base, mode):
    def amount(b):
        return min(b, 32) if mode == "clamp" else b & 31
    if base == "vshl":
        return lambda a, b: a << amount(b)
    return lambda a, b: a >> amount(b)


def vmad_value(types, po, sat, scale, signs, x, y, p, q, r):
    """All signed when anything is, where the ISA mixes both. GPUs have all words signed, and
    clamp to unsigned when a and b are it and nothing is negated: 64 bits if scaled."""
    shift = {"": 0, ".shr7": 7, ".shr15": 15}[scale]
    kind = "s" if "s" in types or any(signs) else "u"
    words = part(p, x, types[1]), part(q, y, types[2]), r
    a, b, c = ((-1 if minus else 1) * piece(v, 32, 0, kind) for v, minus in zip(words, signs))
    total = a * b + c + bool(po) >> shift
    isa = (limit(total, 32, kind) if sat else total) & WORD
    if "s" in types[1:] or signs[0] != signs[1] or signs[2]:
        return isa
    total = signed(words[0], 32) * signed(words[1], 32) + signed(r, 32) + bool(po) >> shift
    gpu = limit(total & (1 << 64) - 1 if shift else total, 32, "u") if sat else total & WORD
    return isa if isa == gpu else (isa, gpu)


def vmad():
    f = File("vmad", "vmad: signs, one more, scaled and clamped.")
    rs = rows("vmad", ["u32", "u32", "u32"], 48)
    signs = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)]
    for i, (d, a, b) in enumerate(ALL_TYPES):
        for po in ("", ".po"):
            for j, (na, nb, nc) in enumerate(signs):
                if po and (nc or na != nb):
                    continue
                sat = ".sat" if (i + j) & 1 else ""
                scale = ["", ".shr7", ".shr15"][(i + j) % 3]
                x, y = [("", ""), ("b1", "h0"), ("h1", "")][(i // 2 + j) % 3]

                name = "vmad.%s32.%s32.%s32%s%s%s" % (d, a, b, po, sat, scale)
                text = "%s {d}, %s{a}%s, %s{b}%s, %s{c};" % (
                    name, "-" * na, x and "." + x, "-" * nb, y and "." + y, "-" * nc)
                f.lanes(ident(name, str(j), x, y).strip("_"), ["u32"] * 3, "u32", text, rs,
                        lambda p, q, r: vmad_value((d, a, b), po, sat, scale, (na, nb, nc), x, y,
                                                   p, q, r))
    return f


def several_value(fn, types, lanes, sat, add, mask, x, y, p, q, r):
    """mask, x, y: digits, or nothing for the usual ones."""
    bits = 32 // lanes
    lane_a = [int(c) for c in x[::-1]] or list(range(lanes))
    lane_b = [int(c) for c in y[::-1]] or list(range(lanes, 2 * lanes))
    both, out = p | q << 32, r
    for i in [int(c) for c in mask] if mask else range(lanes):
        t = fn(piece(both, bits, lane_a[i], types[1]), piece(both, bits, lane_b[i], types[2]))
        if sat:
            t = limit(t, bits, types[0])
        if add:
            out = (out + t) & WORD
        else:
            m = (1 << bits) - 1
            out = out & ~(m << bits * i) | (t & m) << bits * i
    return out


def several(f, base, fn, types, lanes, head, cases):
    rs = rows(base, ["u32", "u32", "u32"], 48)
    letter = "b" if lanes == 4 else "h"
    kinds = types if "vset" not in base else types[1:]
    for sat, add, mask, x, y in cases:
        name = "%s.%s%s%s%s" % (base, ".".join("%s32" % t for t in kinds), head,
                                ".sat" if sat else "", ".add" if add else "")
        text = "%s {d}%s, {a}%s, {b}%s, {c};" % (name, *("." + letter + s if s else ""
                                                         for s in (mask, x, y)))
        f.lanes(ident(name, mask, x, y).strip("_"), ["u32"] * 3, "u32", text, rs,
                lambda p, q, r: several_value(fn, types, lanes, sat, add, mask, x, y, p, q, r))


def simd(lanes):
    f = File("video%d" % lanes, "vadd%d and the like: %d parts of a word at once." % (lanes, lanes))
    if lanes == 2:
        cases = [(0, 0, "", "", ""), (1, 0, "0", "32", "10"), (0, 1, "1", "", "03"),
                 (0, 0, "1", "21", "30"), (1, 0, "10", "", "")]
    else:
        cases = [(0, 0, "", "", ""), (1, 0, "31", "7654", "3210"), (0, 1, "210", "", "0472"),
                 (0, 0, "2", "6025", "7171"), (1, 0, "3210", "", "")]
    for base, fn in OPS.items():
        for i, types in enumerate(ALL_TYPES):
            several(f, base + str(lanes), fn, types, lanes, "",
                    cases if i in (0, 7) else [cases[i % 5], cases[(i + 2) % 5]])
    for i, (word, fn) in enumerate(COMPARE.items()):
        for types in (("u", "u", "u"), ("u", "s", "u"), ("u", "u", "s"), ("u", "s", "s")):
            several(f, "vset%d" % lanes, lambda a, b: int(fn(a, b)), types, lanes, "." + word,
                    [c for c in cases if not c[0]][i % 3:])
    return f


# ---- fp8 ------------------------------------------------------------------------

class Small:
    """e4m3 or e5m2."""

    def __init__(self, name, fraction, bias, largest):
        self.name, self.fraction, self.bias, self.largest = name, fraction, bias, largest

    @functools.cache
    def value(self, x):
        exponent, fraction = x >> self.fraction & 0x7f >> self.fraction, x & (1 << self.fraction) - 1
        scale = fp.Fraction(2) ** (max(exponent, 1) - self.bias - self.fraction)
        return ((exponent > 0) * (1 << self.fraction) + fraction) * scale

    def round(self, f, x):
        """The bits for those of a wider format, saturated; the nearest by trying them all."""
        sign = 0x80 if f.negative(x) else 0
        if f.is_nan(x):
            return 0x7f
        if f.is_inf(x):
            return sign | self.largest
        return sign | self.nearest(abs(f.value(x)))

    @functools.cache
    def nearest(self, v):
        return min(range(self.largest + 1), key=lambda n: (abs(self.value(n) - v), n & 1))

    def to_f16(self, x):
        magnitude, sign = x & 0x7f, (x & 0x80) << 8
        if magnitude == 0x7f or (self.name == "e5m2" and magnitude > 0x7c):
            return 0x7fff
        if self.name == "e5m2" and magnitude == 0x7c:
            return 0x7c00 | sign
        return FORMATS["f16"].round(self.value(magnitude)) | sign


FP8 = [Small("e4m3", 3, 7, 0x7e), Small("e5m2", 2, 15, 0x7b)]


def relu8(x):
    return 0 if x & 0x80 else x


def near_fp8(small):
    """f16 values on, between and beside those of @small."""
    f, out = FORMATS["f16"], []
    for n in list(range(0, small.largest, 3)) + [small.largest - 1]:
        a, b = small.value(n), small.value(n + 1)
        for v in (a, (a + b) / 2):
            bits = f.round(v)
            out += [bits, max(bits - 1, 0), bits + 1]
    return [x | (i & 1) << 15 for i, x in enumerate(out)] + [0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xffff]


def fp8():
    f = File("cvt_fp8", "cvt: e4m3x2 and e5m2x2, saturated; the first operand is the upper half.")
    r = rng("fp8")
    for small in FP8:
        halves = near_fp8(small)
        while len(halves) % 32:
            halves.append(r.getrandbits(16))
        pairs = [(r.choice(halves) << 16 | h,) for h in halves]
        half = FORMATS["f16"]
        single = FORMATS["f32"]
        wide = [(widen(p[0] >> 16, r), widen(p[0] & 0xffff, r)) for p in pairs]
        for relu in ("", ".relu"):
            def one(fmt, x):
                y = small.round(fmt, x)
                return relu8(y) if relu else y
            f.lanes(ident("cvt_rn", relu, small.name, "f16x2"), ["b32"], "b16",
                    "cvt.rn%s.satfinite.%sx2.f16x2 {d}, {a};" % (relu, small.name), pairs,
                    lambda p: one(half, p >> 16) << 8 | one(half, p & 0xffff))
            f.lanes(ident("cvt_rn", relu, small.name, "f32"), ["f32", "f32"], "b16",
                    "cvt.rn%s.satfinite.%sx2.f32 {d}, {a}, {b};" % (relu, small.name), wide,
                    lambda p, q: one(single, p) << 8 | one(single, q))

            def back(x):
                y = small.to_f16(x)
                return 0 if relu and y & 0x8000 else y
            f.lanes(ident("cvt_rn", relu, "f16x2", small.name), ["b16"], "b32",
                    "cvt.rn%s.f16x2.%sx2 {d}, {a};" % (relu, small.name),
                    [((n * 7 + 3) % 256 << 8 | n,) for n in range(256)],
                    lambda p: back(p >> 8) << 16 | back(p & 255))
    return f


def widen(h, r):
    """An f16 as f32, or close to it, or beyond its range."""
    f, half = FORMATS["f32"], FORMATS["f16"]
    if half.is_nan(h):
        return 0x7fc00000
    sign = (h & 0x8000) << 16
    if half.is_inf(h):
        return 0x7f800000 | sign
    bits = f.round(abs(half.value(h)))
    kind = r.randrange(6)
    if kind == 0:
        bits += 1
    if kind == 1 and bits:
        bits -= 1
    if kind == 2:
        bits = min(bits + (r.randrange(40) << 23), 0x7f7fffff)
    return bits | sign


# ---- Comparisons of pairs ---------------------------------------------------------

COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num",
               "nan"]


def pairs():
    f = File("setp_x2", "setp and set of f16x2 and bf16x2: p is of the lower halves, q of the upper.")
    for t, fmt, one in (("f16x2", FORMATS["f16"], 0x3c00), ("bf16x2", BF16, 0x3f80)):
        r = rng("pairs" + t)
        special = [0, 0x8000, one, one | 0x8000, 1, fmt.inf, fmt.inf | 0x8000, 0x7fff, fmt.inf + 1,
                   fmt.min_normal - 1]
        values = [tuple(r.choice(special) << 16 | r.choice(special) for _ in range(2)) + (i & 1,)
                  for i in range(64)]
        for op in COMPARISONS:
            for z in ("", ".ftz") if t == "f16x2" else ("",):
                def both(a, b):
                    return [int(fp.compare(fmt, op, z != "", a >> s & 0xffff, b >> s & 0xffff))
                            for s in (0, 16)]
                f.lanes(ident("setp", op, z, t), ["b32", "b32"], "u32", """
                    setp.%s%s.%s %%q|%%u, {a}, {b};
                    selp.u32 {d}, 1, 0, %%q;
                    selp.u32 %%s, 2, 0, %%u;
                    or.b32 {d}, {d}, %%s;""" % (op, z, t), [v[:2] for v in values],
                        lambda a, b: both(a, b)[0] | both(a, b)[1] << 1,
                        extra=".reg .pred %q, %u; .reg .b32 %s;")
                for d, yes in ((t, one), ("u32", 0xffff), ("s32", 0xffff)):
                    f.lanes(ident("set", op, z, d, t), ["b32", "b32"], "u32",
                            "set.%s%s.%s.%s {d}, {a}, {b};" % (op, z, d, t),
                            [v[:2] for v in values],
                            lambda a, b: both(a, b)[0] * yes | both(a, b)[1] * yes << 16)
        for word, combine in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)):
            def some(a, b, c):
                return [combine(int(fp.compare(fmt, "lt", False, a >> s & 0xffff, b >> s & 0xffff)), c)
                        for s in (0, 16)]
            f.lanes(ident("setp_lt", word, t), ["b32", "b32", "u32"], "u32", """
                setp.ne.u32 %%v, {c}, 0;
                setp.lt.%s.%s %%q|%%u, {a}, {b}, %%v;
                selp.u32 {d}, 1, 0, %%q;
                selp.u32 %%s, 2, 0, %%u;
                or.b32 {d}, {d}, %%s;""" % (word, t), values,
                    lambda a, b, c: some(a, b, c)[0] | some(a, b, c)[1] << 1,
                    extra=".reg .pred %q, %u, %v; .reg .b32 %s;")
            f.lanes(ident("set_lt", word, t), ["b32", "b32", "u32"], "u32", """
                setp.ne.u32 %%v, {c}, 0;
                set.lt.%s.%s.%s {d}, {a}, {b}, %%v;""" % (word, t, t), values,
                    lambda a, b, c: some(a, b, c)[0] * one | some(a, b, c)[1] * one << 16,
                    extra=".reg .pred %v;")
    return f


def fma_oob():
    f = File("fma_oob", "fma.oob: 0 where an operand is the NaN that tensor copies fill with.",
             version="8.1")
    r = rng("fma_oob")
    for t, fmt in (("f16", FORMATS["f16"]), ("bf16", BF16)):
        def number(n):
            return fmt.round(fp.Fraction(n)) if n >= 0 else fmt.round(fp.Fraction(-n)) | fmt.sign
        values = [tuple(r.randrange(-9, 10) for _ in range(3)) for _ in range(32)]
        rs = [[number(n) for n in v] for v in values]
        want = [number(a * b + c) for a, b, c in values]
        for i in range(0, 32, 4):
            rs[i][i // 4 % 2], want[i] = 0x7ff7, 0
        rs[1][0], want[1] = 0x7ff6, 0x7fff  # any other NaN is one
        for opcode in fma_oob_opcodes(t):
            fn = (lambda w: 0 if w & 0x8000 else w) if "relu" in opcode else \
                (lambda w: fp.saturate(fmt, w)) if "sat" in opcode else (lambda w: w)
            f.lanes(ident(opcode), ["b16"] * 3, "b16", opcode + " {d}, {a}, {b}, {c};",
                    [tuple(v) for v in rs], [fn(w) for w in want])
            f.lanes(ident(opcode + "x2"), ["b32"] * 3, "b32", opcode + "x2 {d}, {a}, {b}, {c};",
                    [tuple(x << 16 | y for x, y in zip(v, w)) for v, w in zip(rs, rs[::-1])],
                    [fn(x) << 16 | fn(y) for x, y in zip(want, want[::-1])])
    return f


def fma_oob_opcodes(t):
    for mode in ("rn", "rz", "rm", "rp") if t == "bf16" else ("rn",):
        for then in ("", ".relu") if t == "bf16" else ("", ".relu", ".sat"):
            yield "fma.%s%s.oob.%s" % (mode, then, t) if then == ".sat" else \
                "fma.%s.oob%s.%s" % (mode, then, t)


def files():
    return [scalars(), vmad(), simd(2), simd(4), fp8(), pairs(), fma_oob()]
