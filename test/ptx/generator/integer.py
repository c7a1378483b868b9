# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer arithmetic, logic, shifts and bit operations."""

from .emit import ANY, File, bits_of, signed
from .values import rng, rows

SIGNED = ("s16", "s32", "s64")
UNSIGNED = ("u16", "u32", "u64")
BOTH = ("u16", "u32", "u64", "s16", "s32", "s64")
BITS = ("b16", "b32", "b64")


def val(t, x):
    """The number that bits x of type t stand for."""
    return signed(x, bits_of(t)) if t[0] == "s" else x & ((1 << bits_of(t)) - 1)


def clamp(t, x):
    n = bits_of(t)
    low, high = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if t[0] == "s" else (0, (1 << n) - 1)
    return max(low, min(high, x))


def wider(t):
    return t[0] + str(bits_of(t) * 2)


def add_sub(name, sign):
    f = File(name, "%s: integers; overflow wraps, .sat clamps." % name)
    for t in BOTH:
        f.binary("%s_%s" % (name, t), [t, t], t, "%s.%s {d}, {a}, {b};" % (name, t),
                 rows(name + t, [t, t]), lambda a, b: a + sign * b)
    f.binary(name + "_sat_s32", ["s32", "s32"], "s32", name + ".sat.s32 {d}, {a}, {b};",
             rows(name + "sat", ["s32", "s32"]),
             lambda a, b: clamp("s32", val("s32", a) + sign * val("s32", b)))
    return f


def mul():
    f = File("mul", "mul: .lo, .hi and .wide of all integer types.")
    for t in BOTH:
        n = bits_of(t)
        r = rows("mul" + t, [t, t])
        f.binary("mul_lo_" + t, [t, t], t, "mul.lo.%s {d}, {a}, {b};" % t, r,
                 lambda a, b: val(t, a) * val(t, b))
        f.binary("mul_hi_" + t, [t, t], t, "mul.hi.%s {d}, {a}, {b};" % t, r,
                 lambda a, b: val(t, a) * val(t, b) >> n)
        if n < 64:
            f.binary("mul_wide_" + t, [t, t], wider(t), "mul.wide.%s {d}, {a}, {b};" % t, r,
                     lambda a, b: val(t, a) * val(t, b))
    return f


def mul24_value(t, a):
    return signed(a, 24) if t[0] == "s" else a & 0xffffff


def mul24():
    f = File("mul24", "mul24, mad24: the low 24 bits of each factor; .hi is bits 47..16.")
    for t in ("u32", "s32"):
        def prod(a, b):
            return mul24_value(t, a) * mul24_value(t, b)
        r = rows("mul24" + t, [t, t])
        f.binary("mul24_lo_" + t, [t, t], t, "mul24.lo.%s {d}, {a}, {b};" % t, r, prod)
        f.binary("mul24_hi_" + t, [t, t], t, "mul24.hi.%s {d}, {a}, {b};" % t, r,
                 lambda a, b: prod(a, b) >> 16)
        r = rows("mad24" + t, [t, t, t])
        f.binary("mad24_lo_" + t, [t, t, t], t, "mad24.lo.%s {d}, {a}, {b}, {c};" % t, r,
                 lambda a, b, c: prod(a, b) + c)
        f.binary("mad24_hi_" + t, [t, t, t], t, "mad24.hi.%s {d}, {a}, {b}, {c};" % t, r,
                 lambda a, b, c: (prod(a, b) >> 16) + c)
    f.binary("mad24_hi_sat_s32", ["s32"] * 3, "s32", "mad24.hi.sat.s32 {d}, {a}, {b}, {c};",
             rows("mad24sat", ["s32"] * 3),
             lambda a, b, c: clamp("s32", (mul24_value("s32", a) * mul24_value("s32", b)
                                           >> 16) + val("s32", c)))
    return f


def mad():
    f = File("mad", "mad: integers, .lo, .hi, .wide; .hi.sat.s32 clamps.")
    for t in BOTH:
        n = bits_of(t)
        r = rows("mad" + t, [t, t, t])
        f.binary("mad_lo_" + t, [t] * 3, t, "mad.lo.%s {d}, {a}, {b}, {c};" % t, r,
                 lambda a, b, c: val(t, a) * val(t, b) + c)
        f.binary("mad_hi_" + t, [t] * 3, t, "mad.hi.%s {d}, {a}, {b}, {c};" % t, r,
                 lambda a, b, c: (val(t, a) * val(t, b) >> n) + c)
        if n < 64:
            w = wider(t)
            f.binary("mad_wide_" + t, [t, t, w], w, "mad.wide.%s {d}, {a}, {b}, {c};" % t,
                     rows("madw" + t, [t, t, w]), lambda a, b, c: val(t, a) * val(t, b) + c)
    f.binary("mad_hi_sat_s32", ["s32"] * 3, "s32", "mad.hi.sat.s32 {d}, {a}, {b}, {c};",
             rows("madsat", ["s32"] * 3),
             lambda a, b, c: clamp("s32", (val("s32", a) * val("s32", b) >> 32)
                                   + val("s32", c)))
    return f


def sad():
    f = File("sad", "sad: |a - b| + c.")
    for t in BOTH:
        f.binary("sad_" + t, [t] * 3, t, "sad.%s {d}, {a}, {b}, {c};" % t,
                 rows("sad" + t, [t] * 3),
                 lambda a, b, c: abs(val(t, a) - val(t, b)) + c)
    return f


def quotient(t, a, b):
    x, y = val(t, a), val(t, b)
    if y == 0:
        return ANY
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def remainder(t, a, b):
    q = quotient(t, a, b)
    return ANY if q == ANY else val(t, a) - q * val(t, b)


def div_rem(name, fn):
    f = File(name, name + ": truncates towards zero; by zero: any value but no fault; the\n"
             "smallest number by -1 must not fault either.")
    for t in BOTH:
        r = rows("div" + t, [t, t])
        minimum, minus = 1 << (bits_of(t) - 1), (1 << bits_of(t)) - 1
        r[:4] = [(minimum, minus), (minimum, 1), (minus, minus), (7, minus)]
        f.lanes("%s_%s" % (name, t), [t, t], t, "%s.%s {d}, {a}, {b};" % (name, t), r,
                lambda a, b: fn(t, a, b))
        few = [x for x in r if x[1]][::9]
        f.immediates("%s_%s_imm" % (name, t), [t, t], t, "%s.%s {d}, {a}, {b};" % (name, t),
                     few, lambda a, b: fn(t, a, b), 1)
    return f


def abs_neg():
    f = File("abs", "abs, neg: integers; the smallest number stays as it is.")
    for t in SIGNED:
        r = rows("abs" + t, [t], 40)
        f.lanes("abs_" + t, [t], t, "abs.%s {d}, {a};" % t, r, lambda a: abs(val(t, a)))
        f.lanes("neg_" + t, [t], t, "neg.%s {d}, {a};" % t, r, lambda a: -a)
    return f


def min_max():
    f = File("min", "min, max: integers; .relu raises a negative result to 0.")
    for t in BOTH:
        r = rows("min" + t, [t, t])
        for name, fn in (("min", min), ("max", max)):
            f.binary("%s_%s" % (name, t), [t, t], t, "%s.%s {d}, {a}, {b};" % (name, t), r,
                     lambda a, b: fn(val(t, a), val(t, b)))
    for name, fn in (("min", min), ("max", max)):
        t = "s32"
        f.binary(name + "_relu_s32", [t, t], t, name + ".relu.s32 {d}, {a}, {b};",
                 rows("relu", [t, t]), lambda a, b: max(0, fn(val(t, a), val(t, b))))
    return f


def halves():
    f = File("int_x2", "add, min, max of two 16-bit integers at once; .relu.")
    for t in ("u16", "s16"):
        rs = [(a << 16 | c, b << 16 | d) for a, b, c, d in rows("halves" + t, [t] * 4)]
        ops = [("add", lambda a, b: a + b), ("min", min), ("max", max)]
        if t == "s16":
            ops += [("min.relu", lambda a, b: max(0, min(a, b))),
                    ("max.relu", lambda a, b: max(0, a, b))]
        for name, fn in ops:
            def both(x, y):
                upper, lower = (fn(val(t, x >> k), val(t, y >> k)) & 0xffff for k in (16, 0))
                return upper << 16 | lower
            f.lanes("%s_%sx2" % (name.replace(".", "_"), t), ["b32", "b32"], "b32",
                    "%s.%sx2 {d}, {a}, {b};" % (name, t), rs, both)
    return f


def cvt_pack():
    f = File("cvt_pack_int", "cvt.pack: the first operand above the second, saturated; below 16 bits\n"
             "they push the third one up, so that four or eight can be packed one after another.")
    rs = rows("cvt_pack", ["s32", "s32", "b32"])
    rs += [(a, b, c) for a, b, c in zip(range(-20, 20), range(20, -20, -1), range(40))]
    for t in ("s16", "u16"):
        f.lanes("pack_" + t, ["s32", "s32"], "b32", "cvt.pack.sat.%s.s32 {d}, {a}, {b};" % t,
                [r[:2] for r in rs], lambda a, b: packed(t, 16, a, b, 0))
    for t in ("s2", "u2", "s4", "u4", "s8", "u8"):
        f.lanes("pack_" + t, ["s32", "s32", "b32"], "b32",
                "cvt.pack.sat.%s.s32.b32 {d}, {a}, {b}, {c};" % t, rs,
                lambda a, b, c: packed(t, int(t[1:]), a, b, c))
    return f


def packed(t, n, a, b, c):
    upper, lower = (clamp(t, val("s32", x)) & ((1 << n) - 1) for x in (a, b))
    return c << 2 * n | upper << n | lower


def reverse(x, n):
    return int(bin(x | 1 << n)[3:][::-1], 2)


def bit_counts():
    f = File("popc", "popc, clz, brev, bfind, fns: counts and places of bits.")
    for t in ("b32", "b64"):
        n = bits_of(t)
        r = rows("popc" + t, [t], 60) + [(1 << k,) for k in range(0, n, n // 16)]
        f.lanes("popc_" + t, [t], "u32", "popc.%s {d}, {a};" % t, r,
                lambda a: bin(a).count("1"))
        f.lanes("clz_" + t, [t], "u32", "clz.%s {d}, {a};" % t, r,
                lambda a: n - a.bit_length())
        f.lanes("brev_" + t, [t], t, "brev.%s {d}, {a};" % t, r, lambda a: reverse(a, n))
    for t in ("u32", "u64", "s32", "s64"):
        n = bits_of(t)
        r = rows("bfind" + t, [t], 60) + [(1 << k,) for k in range(0, n, n // 16)]

        def msb(a):
            a = ~val(t, a) if val(t, a) < 0 else a
            return a.bit_length() - 1
        f.lanes("bfind_" + t, [t], "u32", "bfind.%s {d}, {a};" % t, r, msb)
        f.lanes("bfind_shiftamt_" + t, [t], "u32", "bfind.shiftamt.%s {d}, {a};" % t, r,
                lambda a: n - 1 - msb(a) if msb(a) >= 0 else -1)
    r = rng("fns")
    fns = [(r.getrandbits(32), r.randrange(32), r.choice([-5, -2, -1, 0, 1, 2, 3, 9])
            & 0xffffffff) for _ in range(80)]
    f.lanes("fns_b32", ["b32", "b32", "s32"], "u32", "fns.b32 {d}, {a}, {b}, {c};", fns,
            find_nth)
    return f


def find_nth(mask, base, offset):
    offset = signed(offset, 32)
    if offset == 0:
        return base if mask >> base & 1 else 0xffffffff
    step = 1 if offset > 0 else -1
    count = abs(offset) - 1
    pos = base
    while 0 <= pos < 32:
        if mask >> pos & 1:
            if count == 0:
                return pos
            count -= 1
        pos += step
    return 0xffffffff


def extract(t, a, pos, length):
    n = bits_of(t)
    sign = 0
    if t[0] == "s" and length:
        sign = a >> min(pos + length - 1, n - 1) & 1
    out = 0
    for i in range(n):
        bit = a >> (pos + i) & 1 if i < length and pos + i < n else sign
        out |= bit << i
    return out


def bitfields():
    f = File("bfe", "bfe, bfi, bmsk, szext: fields; positions and lengths beyond the value.")
    r = rng("bfe")
    places = [0, 1, 5, 8, 16, 31, 32, 33, 40, 63, 64, 65, 200, 255]
    for t in ("u32", "s32", "u64", "s64"):
        rs = [(r.getrandbits(bits_of(t)), r.choice(places), r.choice(places))
              for _ in range(96)]
        f.lanes("bfe_" + t, [t, "u32", "u32"], t, "bfe.%s {d}, {a}, {b}, {c};" % t, rs,
                lambda a, b, c: extract(t, a, b, c))
        f.immediates("bfe_%s_imm" % t, [t, "u32", "u32"], t,
                     "bfe.%s {d}, {a}, {b}, {c};" % t, rs[::8],
                     lambda a, b, c: extract(t, a, b, c), 2)
    # Only the low 8 bits of position and length count, for 32-bit values.
    for t in ("u32", "s32"):
        rs = [(r.getrandbits(32), r.randrange(32) | r.getrandbits(24) << 8,
               r.randrange(33) | r.getrandbits(24) << 8) for _ in range(32)]
        f.lanes("bfe_high_bits_" + t, [t, "u32", "u32"], t,
                "bfe.%s {d}, {a}, {b}, {c};" % t, rs,
                lambda a, b, c: extract(t, a, b & 255, c & 255))

    # All 32 bits of them count for 64-bit values, on the hardware.
    far = [0x100, 0x108, 0x1000, 0x80000000, 0xffffff04]
    for t in ("u64", "s64"):
        rs = [(r.getrandbits(64), r.choice([3, r.choice(far)]), r.choice([9, r.choice(far)]))
              for _ in range(32)]
        f.lanes("bfe_high_bits_" + t, [t, "u32", "u32"], t,
                "bfe.%s {d}, {a}, {b}, {c};" % t, rs,
                lambda a, b, c: extract(t, a, min(b, 64), min(c, 64)))

    def insert(n):
        def one(a, b, pos, length):
            for i in range(length):
                if pos + i < n:
                    b = b & ~(1 << (pos + i)) | (a >> i & 1) << (pos + i)
            return b
        return one
    for t in ("b32", "b64"):
        n = bits_of(t)
        rs = [(r.getrandbits(n), r.getrandbits(n), r.choice(places), r.choice(places))
              for _ in range(96)]
        f.binary("bfi_" + t, [t, t, "u32", "u32"], t, "bfi.%s {d}, {a}, {b}, {c}, {g};" % t,
                 rs, insert(n))
    rs = [(r.choice(places), r.choice(places)) for _ in range(64)]

    def mask(clamped):
        def one(a, b):
            if not clamped:
                a, b = a & 31, b & 31
            return (((1 << b) - 1) << a) & 0xffffffff
        return one
    f.binary("bmsk_clamp_b32", ["u32", "u32"], "b32", "bmsk.clamp.b32 {d}, {a}, {b};", rs,
             mask(True))
    f.binary("bmsk_wrap_b32", ["u32", "u32"], "b32", "bmsk.wrap.b32 {d}, {a}, {b};", rs,
             mask(False))
    rs = [(r.getrandbits(32), r.choice([0, 1, 7, 8, 16, 31, 32, 33, 40, 255]))
          for _ in range(64)]
    for t in ("u32", "s32"):
        for mode in ("clamp", "wrap"):
            def one(a, n):
                if mode == "wrap":
                    n &= 31
                elif n >= 32:
                    return a
                if n == 0:
                    return 0
                low = a & ((1 << n) - 1)
                return signed(low, n) if t[0] == "s" else low
            f.binary("szext_%s_%s" % (mode, t), [t, "u32"], t,
                     "szext.%s.%s {d}, {a}, {b};" % (mode, t), rs, one)
    high = rng("bfi_high_bits")
    rs = [(high.getrandbits(32), high.getrandbits(32), high.randrange(40) | high.getrandbits(24) << 8,
           high.randrange(40) | high.getrandbits(24) << 8) for _ in range(32)]
    f.lanes("bfi_high_bits_b32", ["b32", "b32", "u32", "u32"], "b32",
            "bfi.b32 {d}, {a}, {b}, {c}, {g};", rs,
            lambda a, b, pos, length: insert(32)(a, b, pos & 255, length & 255))
    return f


def dot():
    f = File("dp4a", "dp4a, dp2a: dot products of bytes and halves, added to c.")
    r = rng("dp")
    for ta in ("u32", "s32"):
        for tb in ("u32", "s32"):
            t = "s32" if "s" in ta + tb else "u32"
            rs = [tuple(r.getrandbits(32) for _ in range(3)) for _ in range(64)]

            def part(x, i, bits, kind):
                x = x >> i * bits & ((1 << bits) - 1)
                return signed(x, bits) if kind[0] == "s" else x
            f.binary("dp4a_%s_%s" % (ta, tb), ["u32"] * 3, t,
                     "dp4a.%s.%s {d}, {a}, {b}, {c};" % (ta, tb), rs,
                     lambda a, b, c: c + sum(part(a, i, 8, ta) * part(b, i, 8, tb)
                                             for i in range(4)))
            for half in ("lo", "hi"):
                base = 2 if half == "hi" else 0
                f.binary("dp2a_%s_%s_%s" % (half, ta, tb), ["u32"] * 3, t,
                         "dp2a.%s.%s.%s {d}, {a}, {b}, {c};" % (half, ta, tb), rs,
                         lambda a, b, c: c + sum(part(a, i, 16, ta) *
                                                 part(b, i + base, 8, tb)
                                                 for i in range(2)))
    return f


def logic():
    f = File("and", "and, or, xor, not, cnot: bits and predicates.")
    for t in BITS:
        r = rows("and" + t, [t, t], 64)
        for name, fn in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b),
                         ("xor", lambda a, b: a ^ b)):
            f.binary("%s_%s" % (name, t), [t, t], t, "%s.%s {d}, {a}, {b};" % (name, t), r,
                     fn)
        r = rows("not" + t, [t], 40)
        f.lanes("not_" + t, [t], t, "not.%s {d}, {a};" % t, r, lambda a: ~a)
        f.lanes("cnot_" + t, [t], t, "cnot.%s {d}, {a};" % t, r, lambda a: int(a == 0))
    r = [(a, b) for a in (0, 1) for b in (0, 1)] * 10
    for name, fn in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b),
                     ("xor", lambda a, b: a ^ b)):
        f.lanes(name + "_pred", ["u32", "u32"], "u32", """
            setp.ne.u32 %u, {a}, 0;
            setp.ne.u32 %v, {b}, 0;
            NAME.pred %w, %u, %v;
            selp.u32 {d}, 1, 0, %w;""".replace("NAME", name), r, fn,
                extra=".reg .pred %u, %v, %w;")
    f.lanes("not_pred", ["u32"], "u32", """
            setp.ne.u32 %u, {a}, 0;
            not.pred %w, %u;
            selp.u32 {d}, 1, 0, %w;""", [(a,) for a, _ in r], lambda a: 1 - a,
            extra=".reg .pred %u, %w;")
    return f


def lut(table, a, b, c):
    out = 0
    for i in range(32):
        out |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i
    return out


def lop3():
    f = File("lop3", "lop3: table bits by a = 0xf0, b = 0xcc, c = 0xaa; with a predicate.",
             version="8.2")
    r = rows("lop3", ["b32"] * 3, 40)
    for table in (0x00, 0x01, 0x80, 0xf0, 0xcc, 0xaa, 0x96, 0xe8, 0xca, 0x3c, 0x1b, 0xff):
        f.lanes("lop3_%02x" % table, ["b32"] * 3, "b32",
                "lop3.b32 {d}, {a}, {b}, {c}, 0x%x;" % table, r,
                lambda a, b, c: lut(table, a, b, c))
    for name in ("or", "and"):
        def one(a, b, c, q):
            p = lut(0x80, a, b, c) != 0
            p = p or q if name == "or" else p and q
            return int(bool(p))
        rs = [(a & 3, b & 7, c, i & 1) for i, (a, b, c) in enumerate(r)]
        f.lanes("lop3_%s_predicate" % name, ["b32", "b32", "b32", "u32"], "u32", """
            setp.ne.u32 %u, {g}, 0;
            lop3.NAME.b32 %l|%v, {a}, {b}, {c}, 0x80, %u;
            selp.u32 {d}, 1, 0, %v;""".replace("NAME", name), rs, one,
                extra=".reg .pred %u, %v; .reg .b32 %l;")
    return f


def shifts():
    f = File("shl", "shl, shr: amounts of the width and more give 0, or the sign.")
    r = rng("shl")
    for t in BITS + SIGNED + UNSIGNED:
        n = bits_of(t)
        amounts = [0, 1, 7, n // 2, n - 1, n, n + 1, 63, 64, 65, 255, 256, 257, 1 << 16,
                   0x80000001, 0xffffffff]
        rs = [(r.getrandbits(n) | (i & 1) << (n - 1), r.choice(amounts))
              for i in range(96)]
        if t[0] == "b":
            f.binary("shl_" + t, [t, "u32"], t, "shl.%s {d}, {a}, {b};" % t, rs,
                     lambda a, b: a << min(b, n))
        f.lanes("shr_" + t, [t, "u32"], t, "shr.%s {d}, {a}, {b};" % t, rs,
                lambda a, b: val(t, a) >> min(b, n))
        # ptxas cuts a larger immediate of a 16-bit shift down.
        f.immediates("shr_%s_imm" % t, [t, "u32"], t, "shr.%s {d}, {a}, {b};" % t,
                     [x for x in rs if x[1] < 256][::8],
                     lambda a, b: val(t, a) >> min(b, n), 1)
    return f


def funnel():
    f = File("shf", "shf: funnel shifts; .clamp takes min(c, 32), .wrap c & 31.")
    r = rng("shf")
    rs = [(r.getrandbits(32), r.getrandbits(32),
           r.choice([0, 1, 8, 31, 32, 33, 63, 64, 255, 0xffffffff])) for _ in range(96)]
    for side in ("l", "r"):
        for mode in ("clamp", "wrap"):
            def one(a, b, c):
                n = min(c, 32) if mode == "clamp" else c & 31
                return (b << 32 | a) << n >> 32 if side == "l" else (b << 32 | a) >> n
            f.binary("shf_%s_%s_b32" % (side, mode), ["b32", "b32", "u32"], "b32",
                     "shf.%s.%s.b32 {d}, {a}, {b}, {c};" % (side, mode), rs, one)
    return f


def prmt_mode(mode, a, b, c):
    data = [(b << 32 | a) >> 8 * i & 255 for i in range(8)]
    k = c & 3
    if mode == "":
        out = []
        for i in range(4):
            sel = c >> 4 * i & 15
            byte = data[sel & 7]
            out.append((255 if byte & 128 else 0) if sel & 8 else byte)
    elif mode == "f4e":
        out = [data[k + i] for i in range(4)]
    elif mode == "b4e":
        out = [data[(k - i) % 8] for i in range(4)]
    elif mode == "rc8":
        out = [data[k]] * 4
    elif mode == "ecl":
        out = [data[max(i, k)] for i in range(4)]
    elif mode == "ecr":
        out = [data[min(i, k)] for i in range(4)]
    elif mode == "rc16":
        out = [data[i % 2 + 2 * (k & 1)] for i in range(4)]
    return sum(byte << 8 * i for i, byte in enumerate(out))


def prmt():
    f = File("prmt", "prmt: any four of eight bytes, sign replication, six special modes.")
    r = rng("prmt")
    rs = [(r.getrandbits(32), r.getrandbits(32), r.getrandbits(16)) for _ in range(96)]
    f.binary("prmt_b32", ["b32", "b32", "b32"], "b32", "prmt.b32 {d}, {a}, {b}, {c};", rs,
             lambda a, b, c: prmt_mode("", a, b, c))
    rs = [(a, b, i % 4 | (c & ~3 if i > 8 else 0)) for i, (a, b, c) in enumerate(rs[:32])]
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        f.binary("prmt_" + mode, ["b32", "b32", "b32"], "b32",
                 "prmt.b32.%s {d}, {a}, {b}, {c};" % mode, rs,
                 lambda a, b, c: prmt_mode(mode, a, b, c))
    return f


def multiplied(f, t):
    """Chains of two multiplications, of the one half of a product or of the other."""
    n = bits_of(t)
    m = (1 << n) - 1
    rs = rows("multiplied" + t, [t] * 4, 40)
    halves_of = {"lo": lambda a, b: val(t, a) * val(t, b) & m,
                 "hi": lambda a, b: val(t, a) * val(t, b) >> n & m}
    for first, one in halves_of.items():
        for second, two in halves_of.items():
            def total(a, b, c, d):
                return two(a, b) + d + (one(a, b) + c >> n)
            start = "mad.%s.cc.%s %%l, {a}, {b}, {c};" % (first, t)
            f.lanes("mad_%s_madc_%s_%s" % (first, second, t), [t] * 4, t,
                    start + "\nmadc.%s.%s {d}, {a}, {b}, {g};" % (second, t), rs, total,
                    extra=".reg .b%d %%l;" % n)
            f.lanes("mad_%s_madc_%s_cc_%s" % (first, second, t), [t] * 4, t, start + """
                    madc.%s.cc.%s %%l, {a}, {b}, {g};
                    addc.%s {d}, {c}, 0;""" % (second, t, t), rs,
                    lambda a, b, c, d: c + (total(a, b, c, d) >> n), extra=".reg .b%d %%l;" % n)


def carry():
    f = File("addc", "add.cc, addc, sub.cc, subc, mad.cc, madc: one carry per lane.")
    for n in (32, 64):
        u = "u%d" % n
        m = 1 << n
        r = rows("addc%d" % n, [u] * 4, 96)

        def wide(lo, hi):
            return hi << n | lo
        for name, sign in (("add", 1), ("sub", -1)):
            for s in ("u", "s"):
                f.lanes("%sc_%s%d" % (name, s, n), [u] * 4, u, """
                    {n}.cc.{t} %l, {{a}}, {{c}};
                    {n}c.{t} {{d}}, {{b}}, {{g}};""".format(n=name, t=s + str(n)), r,
                        lambda a, b, c, d: (wide(a, b) + sign * wide(c, d)) >> n,
                        extra=".reg .b%d %%l;" % n)
                # Three words: the middle instruction takes a carry and gives one.
                f.lanes("%sc_cc_%s%d" % (name, s, n), [u] * 4, u, """
                    {n}.cc.{t} %l, {{a}}, {{c}};
                    {n}c.cc.{t} %l, {{b}}, {{g}};
                    {n}c.{t} {{d}}, {{a}}, {{g}};""".format(n=name, t=s + str(n)), r,
                        lambda a, b, c, d: (a << 2 * n | b << n | a)
                        + sign * (d << 2 * n | d << n | c) >> 2 * n,
                        extra=".reg .b%d %%l;" % n)
        f.lanes("madc_u%d" % n, [u] * 4, u, """
            mad.lo.cc.{t} %l, {{a}}, {{b}}, {{c}};
            madc.hi.{t} {{d}}, {{a}}, {{b}}, {{g}};""".format(t=u), r,
                lambda a, b, c, d: (a * b + wide(c, d)) >> n, extra=".reg .b%d %%l;" % n)
        f.lanes("madc_hi_cc_u%d" % n, [u] * 4, u, """
            mad.lo.cc.{t} %l, {{a}}, {{b}}, {{c}};
            madc.hi.cc.{t} %l, {{a}}, {{b}}, {{g}};
            addc.{t} {{d}}, {{a}}, 0;""".format(t=u), r,
                lambda a, b, c, d: a + ((a * b + wide(c, d)) >> 2 * n),
                extra=".reg .b%d %%l;" % n)
        f.lanes("madc_lo_u%d" % n, [u] * 4, u, """
            mad.hi.cc.{t} %l, {{a}}, {{b}}, {{c}};
            madc.lo.{t} {{d}}, {{a}}, {{b}}, {{g}};""".format(t=u), r,
                lambda a, b, c, d: a * b + d + ((a * b >> n) + c >> n),
                extra=".reg .b%d %%l;" % n)
        # The code holds the carry of a + ~b + 1, so it is 0 after a borrow: mixed chains,
        # which the compilers' own 128-bit division has, show it.
        m1 = (1 << n) - 1
        for first, second in (("sub", "add"), ("add", "sub"), ("subc", "add"), ("mad", "sub")):
            def one(a, b, c, d):
                if first == "add":
                    carry = (a + c) >> n
                elif first == "mad":
                    carry = ((a * b & m1) + c) >> n
                elif first == "sub":
                    carry = (a + (~c & m1) + 1) >> n
                else:
                    carry = (b + (~d & m1) + ((a + (~c & m1) + 1) >> n)) >> n
                return b + d + carry if second == "add" else b + (~d & m1) + carry
            code = {"sub": "sub.cc.{t} %l, {{a}}, {{c}};",
                    "add": "add.cc.{t} %l, {{a}}, {{c}};",
                    "mad": "mad.lo.cc.{t} %l, {{a}}, {{b}}, {{c}};",
                    "subc": "sub.cc.{t} %l, {{a}}, {{c}};\nsubc.cc.{t} %l, {{b}}, {{g}};"}
            f.lanes("%s_cc_%sc_u%d" % (first, second, n), [u] * 4, u,
                    (code[first] + "\n{s}c.{t} {{d}}, {{b}}, {{g}};").format(t=u, s=second),
                    r, one, extra=".reg .b%d %%l;" % n)
    for t in ("u32", "s32", "u64", "s64"):
        multiplied(f, t)
    # 16 bits end a chain of 32.
    r = rows("addc16", ["u32", "u32", "u16", "u16", "u16"], 64)
    for s in ("u16", "s16"):
        for name, fn in (("addc", lambda a, b, c: a + b + c),
                         ("subc", lambda a, b, c: a + ~b + c)):
            f.lanes("%s_%s" % (name, s), ["u32", "u32", "u16", "u16"], "u16",
                    "add.cc.u32 %%l, {a}, {b};\n%s.%s {d}, {c}, {g};" % (name, s),
                    [x[:4] for x in r], lambda a, b, c, d: fn(c, d, a + b >> 32),
                    extra=".reg .b32 %l;")
        for part, shift in (("lo", 0), ("hi", 16)):
            f.lanes("madc_%s_%s" % (part, s), ["u32", "u16", "u16", "u16"], "u16",
                    "add.cc.u32 %%l, {a}, {a};\nmadc.%s.%s {d}, {b}, {c}, {g};" % (part, s),
                    [x[1:] for x in r], lambda a, b, c, d:
                    (val(s, b) * val(s, c) >> shift) + d + (a >> 31), extra=".reg .b32 %l;")
    s = "s32"
    f.lanes("madc_hi_s32", [s] * 4, s, """
        mad.lo.cc.u32 %l, {a}, {b}, {c};
        madc.hi.s32 {d}, {a}, {b}, {g};""", rows("madcs", [s] * 4),
            lambda a, b, c, d: (val(s, a) * val(s, b) + (d << 32 | c)) >> 32,
            extra=".reg .b32 %l;")
    return f


def files():
    return [add_sub("add", 1), add_sub("sub", -1), mul(), mul24(), mad(), sad(),
            div_rem("div", quotient), div_rem("rem", remainder), abs_neg(), min_max(), halves(),
            cvt_pack(),
            bit_counts(), bitfields(), dot(), logic(), lop3(), shifts(), funnel(), prmt(),
            carry()]
