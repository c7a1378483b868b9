# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""setp, set, selp, slct, and conversions."""

from fractions import Fraction
import operator

from . import fp
from .emit import NAN, File, bits_of, signed
from .floating import ident
from .fp import FORMATS
from .integer import BOTH, clamp, val
from .values import rng, rows

INT_OPS = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
           "gt": operator.gt, "ge": operator.ge}
UNSIGNED_OPS = {"lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge}
FLOAT_OPS = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu",
             "num", "nan"]
COMBINE = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
PRED = ".reg .pred %q, %u, %v;"


def comparisons():
    """(op, type, function, flush suffixes)"""
    for t in BOTH + ("b16", "b32", "b64"):
        ops = dict(INT_OPS)
        if t[0] == "b":
            ops = {"eq": operator.eq, "ne": operator.ne}
        if t[0] == "u":
            ops.update(UNSIGNED_OPS)
        for op, fn in ops.items():
            yield op, t, "", (lambda a, b, fn=fn, t=t: fn(val(t, a), val(t, b)))
    for t in ("f16", "f32", "f64"):
        for op in FLOAT_OPS:
            for z in ("", ".ftz") if t != "f64" else ("",):
                yield op, t, z, (lambda a, b, op=op, z=z, t=t:
                                 fp.compare(FORMATS[t], op, z != "", a, b))


def equal_rows(name, t, n):
    """Rows for comparisons, every fifth of them equal."""
    rs = rows(name + t, [t, t], n)
    return [(a, a) if i % 5 == 0 else (a, b) for i, (a, b) in enumerate(rs)]


def setp(floats):
    f = File("setp_f" if floats else "setp",
             "setp: every comparison; p|q, and, or, xor with a third predicate.\n"
             + ("ne is ordered: false on a NaN; neu is true." if floats else
                "lo, ls, hi, hs are unsigned."))
    for op, t, z, fn in comparisons():
        if (t[0] == "f") != floats:
            continue
        rs = equal_rows("setp", t, 64)
        name = "%s%s.%s" % (op, z, t)
        f.lanes(ident("setp", name), [t, t], "u32",
                "setp.%s %%q, {a}, {b};\nselp.u32 {d}, 1, 0, %%q;" % name, rs,
                lambda a, b: int(fn(a, b)), extra=PRED)
        if op not in ("lt", "eq", "neu", "hs"):
            continue
        f.immediates(ident("setp", name, "imm"), [t, t], "u32",
                     "setp.%s %%q, {a}, {b};\nselp.u32 {d}, 1, 0, %%q;" % name,
                     [x for x in rs if t != "f16"][::6], lambda a, b: int(fn(a, b)), 1,
                     extra=PRED)
        if t == "f16":  # has one destination
            continue
        both = [(a, b, i & 1) for i, (a, b) in enumerate(rs)]
        f.lanes(ident("setp", name, "dual"), [t, t], "u32", """
            setp.%s %%q|%%u, {a}, {b};
            selp.u32 {d}, 1, 0, %%q;
            selp.u32 %%s, 2, 0, %%u;
            or.b32 {d}, {d}, %%s;""" % name, rs, lambda a, b: 1 if fn(a, b) else 2,
                extra=PRED + " .reg .b32 %s;")
        for word, combine in COMBINE.items():
            f.lanes(ident("setp", op, word, z, t), [t, t, "u32"], "u32", """
                setp.ne.u32 %%v, {c}, 0;
                setp.%s.%s%s.%s %%q|%%u, {a}, {b}, %%v;
                selp.u32 {d}, 1, 0, %%q;
                selp.u32 %%s, 2, 0, %%u;
                or.b32 {d}, {d}, %%s;""" % (op, word, z, t), both,
                    lambda a, b, c: int(combine(bool(fn(a, b)), bool(c)))
                    + 2 * int(combine(not fn(a, b), bool(c))),
                    extra=PRED + " .reg .b32 %s;")
        f.lanes(ident("setp", op, "and_not", z, t), [t, t, "u32"], "u32", """
            setp.ne.u32 %%v, {c}, 0;
            setp.%s.and%s.%s %%q, {a}, {b}, !%%v;
            selp.u32 {d}, 1, 0, %%q;""" % (op, z, t), both,
                lambda a, b, c: int(bool(fn(a, b)) and not c), extra=PRED)
    return f


def set_():
    f = File("set", "set: all ones, or 1.0, where the comparison holds; with and, or, xor.\n"
             "Never predicated: ptxas 13.0 compiles that wrong.")
    for op, t, z, fn in comparisons():
        if t == "f16" or (t[0] != "f" and op not in ("eq", "lt", "hs", "ge")) or \
                (t[0] == "f" and op not in ("eq", "ne", "ltu", "ge", "nan")):
            continue
        rs = equal_rows("set", t, 48)
        for dt, true in (("u32", 0xffffffff), ("s32", 0xffffffff), ("f32", 0x3f800000)):
            f.lanes(ident("set", op, z, dt, t), [t, t], dt,
                    "set.%s%s.%s.%s {d}, {a}, {b};" % (op, z, dt, t), rs,
                    lambda a, b: true if fn(a, b) else 0, predicated=False)
        for word, combine in COMBINE.items() if op in ("eq", "ltu") else ():
            f.lanes(ident("set", op, word, z, "u32", t), [t, t, "u32"], "u32", """
                setp.ne.u32 %%v, {c}, 0;
                set.%s.%s%s.u32.%s {d}, {a}, {b}, %%v;""" % (op, word, z, t),
                    [(a, b, i & 1) for i, (a, b) in enumerate(rs)],
                    lambda a, b, c: -int(combine(bool(fn(a, b)), bool(c))), extra=PRED,
                    predicated=False)
    return f


def selp_slct():
    f = File("selp", "selp, slct: one of two, by a predicate or a sign.")
    types = ("b16", "b32", "b64") + BOTH + ("f32", "f64")
    for t in types:
        rs = [(a, b, i % 3 & 1) for i, (a, b) in enumerate(rows("selp" + t, [t, t], 40))]
        f.lanes("selp_" + t, [t, t, "u32"], t,
                "setp.ne.u32 %%v, {c}, 0;\nselp.%s {d}, {a}, {b}, %%v;" % t, rs,
                lambda a, b, c: a if c else b, extra=PRED)
        if t[1:] != "16":
            f.immediates("selp_%s_imm" % t, [t, "u32", t], t,
                         "setp.ne.u32 %%v, {b}, 0;\nselp.%s {d}, {a}, {c}, %%v;" % t,
                         [(a, c, b) for a, b, c in rs[::4]],
                         lambda a, c, b: a if c else b, 2, extra=PRED)
        for z, ct in (("", "s32"), ("", "f32"), (".ftz", "f32")):
            cs = rows("slct" + ct, [ct], 40)
            rs2 = [(a, b, c) for (a, b, _), (c,) in zip(rs, cs)]

            def one(a, b, c):
                if ct == "s32":
                    return a if signed(c, 32) >= 0 else b
                return a if fp.compare(FORMATS["f32"], "ge", z != "", c, 0) else b
            f.lanes(ident("slct", z, t, ct), [t, t, ct], t,
                    "slct%s.%s.%s {d}, {a}, {b}, {c};" % (z, t, ct), rs2, one)
    return f


# ---- cvt -----------------------------------------------------------------------

NUMBERS = dict(FORMATS, bf16=fp.BF16)
INTS = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64")
INT_ROUND = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def round_integer(v, mode):
    """The integer that v rounds to."""
    n = v.numerator // v.denominator
    rest = v - n
    if mode == "rn":
        return n + int(rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n & 1))
    if mode == "rz":
        return n + int(v < 0 and rest > 0)
    return n + int(mode == "rp" and rest > 0)


def float_to_int(t, dt, mode, ftz, x):
    f = NUMBERS[t]
    if ftz:
        x = f.flush(x)
    if f.is_nan(x):
        # 0 for 32 bits and less from f32; the top bit for f64 or 64 bits.
        if bits_of(dt) == 64 or t == "f64":
            return NAN_INT
        return 0
    if f.is_inf(x):
        n = bits_of(dt)
        return clamp(dt, -(1 << 70) if f.negative(x) else 1 << 70) & ((1 << n) - 1)
    return clamp(dt, round_integer(f.value(x), INT_ROUND[mode]))


NAN_INT = "_"


def float_rows(name, t, dt=None, n=64):
    """Inputs around the halves and around the limits of dt."""
    f = FORMATS[t]
    r = rng(name + t)
    out = []
    for k in (0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999, 1.0, -1.0, 100.75, -100.25):
        out.append(f.round(Fraction(k)))
    for edge in limits(dt) if dt else []:
        x = f.round(Fraction(edge), "rz", edge < 0)
        out += [x, x + 1, x - 1] if not f.is_zero(x) else [x, x + 1]
        out.append(f.round(Fraction(2 * edge + 1, 2), "rz"))
    out += [c for (c,) in rows(name + t, [t], 40)]
    while len(out) < n:
        out.append(f.round(Fraction(r.uniform(-300, 300))))
    return [(x,) for x in out]


def limits(dt):
    n = bits_of(dt)
    return [-(1 << (n - 1)), (1 << (n - 1)) - 1] if dt[0] == "s" else [0, (1 << n) - 1]




def cvt_int():
    f = File("cvt_int", "cvt between integers: truncates or extends; .sat clamps. The result\n"
             "is extended into a wider register, and only the low part of a source counts.")
    for st in INTS:
        for dt in INTS:
            rs = rows("cvt" + st, [st], 40)
            f.lanes("cvt_%s_%s" % (dt, st), [st], dt, "cvt.%s.%s {d}, {a};" % (dt, st), rs,
                    lambda a: val(st, a))
            if all(clamp(dt, edge) == edge for edge in limits(st)):
                continue  # nothing to clamp: .sat is refused
            f.lanes("cvt_sat_%s_%s" % (dt, st), [st], dt,
                    "cvt.sat.%s.%s {d}, {a};" % (dt, st), rs, lambda a: clamp(dt, val(st, a)))
    r = rng("cvtwide")
    for st in INTS:
        n = bits_of(st)
        for wide in ("b32", "b64"):
            if n >= bits_of(wide):
                continue
            rs = [(r.getrandbits(bits_of(wide)),) for _ in range(40)]
            # From a wider register, and into one: cvt.s8.s32 on two .b32.
            for dt in ("u8", "s8", "u16", "s16"):
                f.lanes("cvt_%s_%s_in_%s" % (dt, st, wide), [wide], wide,
                        "cvt.%s.%s {d}, {a};" % (dt, st), rs,
                        lambda a: val(dt, val(st, a)))
    return f


def cvt_to_int():
    f = File("cvt_f2i", "cvt from floating point to integers: rounds, then clamps. A NaN is 0,\n"
             "or of no particular value from f64 and to 64 bits (see cvt_nan).")
    for st in ("f16", "f32", "f64"):
        for dt in INTS:
            rs = float_rows("f2i", st, dt)
            for m in INT_ROUND:
                for z in ("", ".ftz") if st == "f32" and m in ("rzi", "rpi") else ("",):
                    f.lanes(ident("cvt", m, z, dt, st), [st], dt,
                            "cvt.%s%s.%s.%s {d}, {a};" % (m, z, dt, st), rs,
                            lambda a: float_to_int(st, dt, m, z != "", a))
            f.lanes(ident("cvt_rni_sat", dt, st), [st], dt,
                    "cvt.rni.sat.%s.%s {d}, {a};" % (dt, st), rs,
                    lambda a: float_to_int(st, dt, "rni", False, a))
    return f


def cvt_nan():
    f = File("cvt_nan", "cvt of a NaN to integers: 0, but the top bit alone from f64 or to 64 bits.")
    for st in ("f16", "f32", "f64"):
        fmt = FORMATS[st]
        rs = [(fmt.inf + 1,), (fmt.inf | 1 << (fmt.p - 2),), (fmt.sign | fmt.inf | 5,)]
        for dt in ("u32", "s32", "u64", "s64"):
            top = st == "f64" or bits_of(dt) == 64
            f.lanes(ident("cvt_rzi", dt, st), [st], dt, "cvt.rzi.%s.%s {d}, {a};" % (dt, st),
                    rs, lambda a: 1 << (bits_of(dt) - 1) if top else 0)
    return f


def cvt_from_int():
    f = File("cvt_i2f", "cvt from integers to floating point: every rounding; .sat.")
    for st in INTS:
        n = bits_of(st)
        r = rng("i2f" + st)
        rs = rows("i2f" + st, [st], 40)
        for p in (11, 24, 53):  # numbers on and beside a tie
            for delta in (-1, 0, 1, 1 << 5):
                if n > p + 1:
                    rs.append((((1 << p) + 1 << (n - p - 3)) + delta,))
                    rs.append((((r.getrandbits(p) << 1 | 1) << (n - p - 2)) + delta,))
        rs = [(x & ((1 << n) - 1),) for (x,) in rs]
        for dt in ("f16", "f32", "f64"):
            fmt = FORMATS[dt]
            for m in fp.MODES:
                f.lanes(ident("cvt", m, dt, st), [st], dt,
                        "cvt.%s.%s.%s {d}, {a};" % (m, dt, st), rs,
                        lambda a: fmt.round(Fraction(val(st, a)), m))
            f.lanes(ident("cvt_rn_sat", dt, st), [st], dt,
                    "cvt.rn.sat.%s.%s {d}, {a};" % (dt, st), rs,
                    lambda a: fp.saturate(fmt, fmt.round(Fraction(val(st, a)), "rn")))
    return f


def convert(st, dt, mode, ftz, sat, x):
    """Between formats; mode is None when widening, rni... when to an integral value."""
    s, d = NUMBERS[st], NUMBERS[dt]
    if ftz and st == "f32":
        x = s.flush(x)
    if s.is_nan(x):
        return 0 if sat else NAN
    elif s.is_inf(x):
        out = d.inf | (d.sign if s.negative(x) else 0)
    elif mode in INT_ROUND:
        out = d.round(Fraction(round_integer(s.value(x), INT_ROUND[mode])), "rn",
                      s.negative(x))
    else:
        out = d.round(s.value(x), mode or "rn", s.negative(x))
    return fp.finish(d, out, ftz and dt == "f32", sat)


def cvt_float():
    f = File("cvt_f2f", "cvt between f16, f32, f64: widening is exact, narrowing rounds;\n"
             "between equal formats: to an integral value.")
    for st in ("f16", "f32", "f64"):
        for dt in ("f16", "f32", "f64"):
            s, d = FORMATS[st], FORMATS[dt]
            rs = float_rows("f2f", st)
            if s.p > d.p:
                r = rng("narrow" + st + dt)
                for _ in range(24):  # on and beside ties, subnormals of dt among them
                    x = s.round(d.value(d.round(Fraction(r.uniform(-9, 9)) *
                                                Fraction(2) ** r.choice([0, d.emin - 3]))))
                    half = 1 << (s.p - d.p - 1)
                    rs += [(x | half,), ((x | half) + 1,), ((x | half) - 1,)]
            modes = [None] + list(INT_ROUND) if st == dt else [None] if s.p < d.p else fp.MODES
            for m in modes:
                for z in ("", ".ftz") if "f32" in (st, dt) else ("",):
                    for sat in ("", ".sat"):
                        # Narrowing to f16 flushes nothing, .ftz or not.
                        flush = z != "" and not (st == "f32" and dt == "f16")
                        f.lanes(ident("cvt", m or "", z, sat, dt, st), [st], dt,
                                "cvt%s%s%s.%s.%s {d}, {a};" % ("." + m if m else "", z, sat,
                                                               dt, st), rs,
                                lambda a: convert(st, dt, m, flush, sat != "", a))
    return f


def files():
    return [setp(False), setp(True), set_(), selp_slct(), cvt_int(), cvt_to_int(), cvt_nan(),
            cvt_from_int(), cvt_float()]
