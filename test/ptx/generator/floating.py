# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating-point arithmetic: exact instructions, then the approximate ones."""

from fractions import Fraction

from . import fp, real
from .emit import NAN, File
from .fp import BF16, FORMATS, MODES
from .values import F32, F64, random_float, rng, rows


def variants(t):
    """(suffix, mode, ftz, sat) of an exact instruction on type t."""
    if t == "f16":
        return [(".rn" + z + s, "rn", z != "", s != "") for z in ("", ".ftz")
                for s in ("", ".sat")] + [("", "rn", False, False)]
    if t == "f64":
        return [(m and "." + m, m or "rn", False, False) for m in ("",) + MODES]
    return [((m and "." + m) + z + s, m or "rn", z != "", s != "") for m in ("",) + MODES
            for z in ("", ".ftz") for s in ("", ".sat")]


def ident(*words):
    return "_".join(w.strip(".").replace(".", "_") for w in words if w)


def near_ties(f, r):
    """Operands whose sum, product or quotient lies on or beside a rounding tie."""
    one = f.one
    ulp = 1
    tie = (f.bias - f.p) << (f.p - 1)
    return [(one, tie), (one + ulp, tie), (one, tie | f.sign), (one + ulp, tie | f.sign),
            (one, tie + 1), (one, 1), (one, f.sign | 1), (one + 3, one + 5),
            (one | f.sign, tie), (f.min_normal, one - ulp), (f.min_normal + 1, one - 1),
            (f.min_normal, one - (1 << (f.p - 1))), (f.inf - 1, one + ulp),
            (f.inf - 1, f.inf - 1), (f.min_normal - 1, one + ulp), (one, one + 2)]


def binary_rows(name, t, n=96):
    f = FORMATS[t]
    r = rng(name)
    out = near_ties(f, r) + rows(name + t, [t, t], n - 16)
    return out


def exact2(name, fn, types=("f16", "f32", "f64")):
    f = File(name + "_f", name + ": floating point; every rounding, .ftz and .sat.")
    for t in types:
        fmt = FORMATS[t]
        r = binary_rows(name, t, 80)
        for suffix, mode, ftz, sat in variants(t):
            f.lanes(ident(name, suffix, t), [t, t], t,
                    "%s%s.%s {d}, {a}, {b};" % (name, suffix, t), r,
                    lambda a, b: fn(fmt, mode, ftz, sat, a, b))
        if t != "f16":
            f.immediates(ident(name, "rn", t, "imm"), [t, t], t,
                         "%s.rn.%s {d}, {a}, {b};" % (name, t), r[::8],
                         lambda a, b: fn(fmt, "rn", False, False, a, b), 1)
    return f


def widened(half, x):
    """The f32 that a number of 16 bits stands for."""
    f = FORMATS["f32"]
    sign = f.sign if half.negative(x) else 0
    if half.is_nan(x):
        return f.nan
    return sign | f.inf if half.is_inf(x) else f.round(half.value(x), zero_sign=sign)


def mixed():
    f = File("sm_100/mixed", "add, sub and fma of 16 bits and an f32: those are widened, the result is\n"
             "rounded once; every rounding and .sat.", version="8.6", target="sm_100")
    f32 = FORMATS["f32"]
    for t, half, listed, low in (("f16", FORMATS["f16"], "f16", 0x0001),
                                 ("bf16", BF16, "b16", 0x3380)):
        # 2^-24, which is a tie beside 1, then each corner of both types.
        pairs = signs2(half, f32, [(low, f32.one + k) for k in range(3)] + [(half.one, 0x33800000)])
        pairs += rows("mixed", ["f16", "f32"], 80) if t == "f16" else [
            (a >> 16, b) for a, b in rows("mixed", ["f32", "f32"], 80)]
        for base, fn in (("add", fp.add), ("sub", fp.sub), ("fma", fp.fma)):
            rs = pairs
            if base == "fma":  # each of the numbers of 16 bits with another one
                rs = [(a, pairs[i * 7 % len(pairs)][0], c) for i, (a, c) in enumerate(pairs)]
            types = [listed] * (len(rs[0]) - 1) + ["f32"]
            args = ", ".join("{%s}" % c for c in "abc"[:len(types)])

            def expected(m, sat):
                return [fn(f32, m, False, sat, *[widened(half, x) for x in row[:-1]], row[-1])
                        for row in rs]
            for m in MODES + (("",) if base != "fma" else ()):
                for s in ("", ".sat"):
                    f.lanes(ident(base, m, s, "f32", t), types, "f32",
                            "%s%s%s.f32.%s {d}, %s;" % (base, m and "." + m, s, t, args), rs,
                            expected(m or "rn", s != ""))
            f.immediates(ident(base, "rn_f32", t, "imm"), types, "f32",
                         "%s.rn.f32.%s {d}, %s;" % (base, t, args), rs[::8],
                         expected("rn", False)[::8], len(types) - 1)
    return f


def signs2(f, g, rs):
    """Those rows with every pair of signs."""
    return [(a ^ x, b ^ y) for a, b in rs for x in (0, f.sign) for y in (0, g.sign)]


def exact3(name):
    f = File(name + "_f", name + ": floating point; one rounding of a * b + c.")
    for t in ("f16", "f32", "f64") if name == "fma" else ("f32", "f64"):
        fmt = FORMATS[t]
        r = rng(name)
        near = [(a, b, c) for a, b in near_ties(fmt, r)
                for c in (fmt.sign | fmt.one, 1)] + single_rounding(fmt, r)
        rs = near + rows(name + t, [t] * 3, 48)
        for suffix, mode, ftz, sat in variants(t):
            if not suffix.startswith(".r"):
                continue
            f.lanes(ident(name, suffix, t), [t] * 3, t,
                    "%s%s.%s {d}, {a}, {b}, {c};" % (name, suffix, t), rs,
                    lambda a, b, c: fp.fma(fmt, mode, ftz, sat, a, b, c))
    if name == "fma":
        for t in ("f32", "f64"):
            fmt = FORMATS[t]
            f.lanes("mul_then_add_" + t, [t] * 3, t,
                    "mul.rn.%s %%m, {a}, {b};\nadd.rn.%s {d}, %%m, {c};" % (t, t),
                    single_rounding(fmt, rng("contract")) + rows("contract" + t, [t] * 3, 32),
                    lambda a, b, c: two_roundings(fmt, a, b, c), extra=".reg .%s %%m;" % t)
        t, fmt = "f16", FORMATS["f16"]
        rs = rows("relu", ["f16"] * 3, 64)

        def relu(a, b, c):
            x = fp.fma(fmt, "rn", False, False, a, b, c)
            return x if fmt.is_nan(x) else 0 if fmt.negative(x) else x
        f.lanes("fma_rn_relu_f16", [t] * 3, t, "fma.rn.relu.f16 {d}, {a}, {b}, {c};", rs,
                relu)
        for t, rs in OFF_A_TIE.items():
            fmt = FORMATS[t]
            f.lanes("fma_off_a_tie_" + t, [t] * 3, t, "fma.rn.%s {d}, {a}, {b}, {c};" % t,
                    signs(fmt, rs),
                    lambda a, b, c: fp.fma(fmt, "rn", False, False, a, b, c))
    return f


# Sums that end so little off a tie that the next wider format takes them for one.
OFF_A_TIE = {
    "f16": [(0x3c01, 0x0ffe, 0x3c01), (0x3c01, 0x13fe, 0x4001)],
    "f32": [(0x3f800001, 0x337ffffe, 0x3f800001), (0x3f800800, 0x337ff001, 0x3f800000),
            (0x3f800001, 0x347ffffe, 0x40800001), (0x3f800800, 0x33fff001, 0x40000002)],
}


def signs(f, rs):
    """Those rows, and the same negated, and both with the signs of a and b turned."""
    return [(a ^ x, b ^ x ^ y, c ^ y) for a, b, c in rs
            for x in (0, f.sign) for y in (0, f.sign)]


def two_roundings(f, a, b, c):
    """What a multiplication and an addition give that no compiler may contract."""
    product = fp.mul(f, "rn", False, False, a, b)
    return NAN if product == NAN else fp.add(f, "rn", False, False, product, c)


def single_rounding(f, r):
    """Products that a second rounding spoils: the sum ends just off a tie."""
    out = []
    for _ in range(16):
        a = f.one | r.getrandbits(f.p - 1)
        b = f.one | r.getrandbits(f.p - 1)
        c = f.round(-f.value(f.round(f.value(a) * f.value(b))))
        out.append((a, b, c))
        tiny = (f.bias - f.p - r.randrange(3)) << (f.p - 1)
        out.append((a, b, tiny | (r.getrandbits(1) * f.sign)))
    return out


def min_max():
    f = File("min_f", "min, max: floating point. A number wins over a NaN, -0 is below +0;\n"
             ".NaN gives a NaN; .xorsign.abs; three inputs.", version="8.6", target="sm_90")
    for name, largest in (("min", False), ("max", True)):
        for t in ("f16", "f32", "f64"):
            fmt = FORMATS[t]
            rs = rows("min" + t, [t, t], 80) + [(0, fmt.sign), (fmt.sign, 0)]
            forms = [("", 0, 0, 0)]
            if t != "f64":
                forms = [(z + n + x, z != "", n != "", x != "") for z in ("", ".ftz")
                         for n in ("", ".NaN") for x in ("", ".xorsign.abs")]
            for suffix, ftz, nan, xorsign in forms:
                f.lanes(ident(name, suffix.lower(), t), [t, t], t,
                        "%s%s.%s {d}, {a}, {b};" % (name, suffix, t), rs,
                        lambda a, b: fp.minimum(fmt, ftz, nan, xorsign, a, b, largest))
    return f


def abs_neg():
    f = File("abs_f", "abs, neg: floating point, .ftz; copysign, testp.")
    for t in ("f16", "f32", "f64"):
        fmt = FORMATS[t]
        rs = rows("abs" + t, [t], 48)
        for ftz in ("", ".ftz") if t != "f64" else ("",):
            def sign(fn):
                def one(a):
                    if fmt.is_nan(a):
                        return NAN
                    return fn(fmt.flush(a) if ftz else a)
                return one
            f.lanes(ident("abs", ftz, t), [t], t, "abs%s.%s {d}, {a};" % (ftz, t), rs,
                    sign(lambda a: a & ~fmt.sign))
            f.lanes(ident("neg", ftz, t), [t], t, "neg%s.%s {d}, {a};" % (ftz, t), rs,
                    sign(lambda a: a ^ fmt.sign))
    for t in ("f32", "f64"):
        fmt = FORMATS[t]
        f.lanes("copysign_" + t, [t, t], t, "copysign.%s {d}, {a}, {b};" % t,
                rows("copysign" + t, [t, t], 96),
                lambda a, b: (a & fmt.sign) | (b & ~fmt.sign))
        rs = rows("testp" + t, [t], 48)
        tests = {
            "finite": lambda a: not fmt.is_inf(a) and not fmt.is_nan(a),
            "infinite": fmt.is_inf, "number": lambda a: not fmt.is_nan(a),
            "notanumber": fmt.is_nan, "subnormal": fmt.is_subnormal,
            # Zero counts as normal on the hardware.
            "normal": lambda a: not (fmt.is_inf(a) or fmt.is_nan(a) or
                                     fmt.is_subnormal(a)),
        }
        for name, fn in tests.items():
            f.lanes(ident("testp", name, t), [t], "u32",
                    "testp.%s.%s %%q, {a};\nselp.u32 {d}, 1, 0, %%q;" % (name, t), rs,
                    lambda a: int(fn(a)), extra=".reg .pred %q;")
    return f


def div():
    f = File("div_f", "div: IEEE roundings; .full and .approx of f32 within their bounds.")
    for t in ("f32", "f64"):
        fmt = FORMATS[t]
        r = binary_rows("div", t, 96)
        for m in MODES:
            for z in ("", ".ftz") if t == "f32" else ("",):
                f.lanes(ident("div", m, z, t), [t, t], t,
                        "div.%s%s.%s {d}, {a}, {b};" % (m, z, t), r,
                        lambda a, b: fp.div(fmt, m, z != "", False, a, b))
    fmt = FORMATS["f32"]
    r = rng("div approx")
    moderate = []
    while len(moderate) < 80:
        a, b = random_float(r, "f32"), random_float(r, "f32")
        if abs((a >> 23 & 255) - (b >> 23 & 255)) < 100 and 3 < (b >> 23 & 255) < 252:
            moderate.append((a, b))
    special = [(a, b) for a in F32 for b in F32
               if not fmt.is_subnormal(a) and not fmt.is_subnormal(b)
               and not 0x7f000000 < b & 0x7fffffff < 0x7f800000
               and not 0x7f000000 < a & 0x7fffffff < 0x7f800000][:64]
    special = [x for x in special if not (x[0] & 0x7fffffff == 0x800000 or
                                          x[1] & 0x7fffffff == 0x800000)]
    for form in ("full", "full.ftz", "approx", "approx.ftz"):
        f.lanes(ident("div", form, "f32"), ["f32"] * 2, "f32",
                "div.%s.f32 {d}, {a}, {b};" % form, moderate + special,
                lambda a, b: fp.div(fmt, "rn", False, False, a, b), mode="ulp=2")
    # Beyond 2^126 the divisor's reciprocal is 0: so is the quotient, or a NaN.
    huge = [(0x3f800000, 0x7e800001), (0x40400000, 0x7f000000), (0x7f000000, 0x7f000000),
            (0x7f800000, 0x7f000000), (0xff800000, 0xff000000)]
    f.lanes("div_approx_huge", ["f32"] * 2, "f32", "div.approx.f32 {d}, {a}, {b};", huge,
            lambda a, b: NAN if fmt.is_inf(a) else 0)
    return f


def roots():
    f = File("rcp", "rcp, sqrt, rsqrt: IEEE roundings and approximations.")
    for t in ("f32", "f64"):
        fmt = FORMATS[t]
        r = rows("rcp" + t, [t], 96) + [(fmt.round(Fraction(k * k)),) for k in range(1, 9)]
        for name, fn in (("rcp", fp.rcp), ("sqrt", fp.sqrt)):
            for m in MODES:
                for z in ("", ".ftz") if t == "f32" else ("",):
                    f.lanes(ident(name, m, z, t), [t], t,
                            "%s.%s%s.%s {d}, {a};" % (name, m, z, t), r,
                            lambda a: fn(fmt, m, z != "", False, a))
    fmt = FORMATS["f32"]
    r = rows("rcp approx", ["f32"], 96)
    for z in ("", ".ftz"):
        f.lanes(ident("rcp_approx", z, "f32"), ["f32"], "f32",
                "rcp.approx%s.f32 {d}, {a};" % z, r,
                lambda a: fp.rcp(fmt, "rn", z != "", False, a), mode="ulp=1")
        f.lanes(ident("sqrt_approx", z, "f32"), ["f32"], "f32",
                "sqrt.approx%s.f32 {d}, {a};" % z, r,
                lambda a: fp.sqrt(fmt, "rn", z != "", False, a), mode="rel=1.2e-7")
        f.lanes(ident("rsqrt_approx", z, "f32"), ["f32"], "f32",
                "rsqrt.approx%s.f32 {d}, {a};" % z, r,
                lambda a: real.rsqrt(fmt, z != "", a), mode="rel=1.3e-7")
    fmt = FORMATS["f64"]
    r = [(a,) for a in F64] + [(random_float(rng("rsq%d" % i), "f64"),) for i in range(80)]
    f.lanes("rsqrt_approx_f64", ["f64"], "f64", "rsqrt.approx.f64 {d}, {a};", r,
            lambda a: real.rsqrt(fmt, False, a), mode="rel=1.2e-7")

    def high(fn):
        """Only the high word is read and written; the low word of the result is 0."""
        def one(a):
            x = fn(fmt, fmt.flush(a & ~0xffffffff))
            return x if x == NAN else fmt.flush(x) & ~0xffffffff
        return one
    f.lanes("rcp_approx_ftz_f64", ["f64"], "f64", "rcp.approx.ftz.f64 {d}, {a};", r,
            high(lambda m, a: fp.rcp(m, "rn", False, False, a)), mode="rel=1.9e-6")
    f.lanes("rsqrt_approx_ftz_f64", ["f64"], "f64", "rsqrt.approx.ftz.f64 {d}, {a};", r,
            high(lambda m, a: real.rsqrt(m, False, a)), mode="rel=1.9e-6")
    for name in ("rcp", "rsqrt"):
        f.lanes(name + "_approx_ftz_f64_low", ["f64"], "u32",
                name + ".approx.ftz.f64 %l, {a};\ncvt.u32.u64 {d}, %l;", r[:8] + r[13:45],
                lambda a: 0, extra=".reg .b64 %l;")
    return f


def transcendental():
    f = File("ex2", "ex2, lg2, sin, cos, tanh: approximations within the ISA's bounds.")
    fmt = FORMATS["f32"]
    r = rng("ex2")

    def uniform(low, high, n):
        return [(fmt.round(Fraction(r.uniform(low, high))),) for _ in range(n)]
    special = [(a,) for a in F32]
    ranges = special + uniform(-126, 128, 48) + uniform(-1, 1, 16) + uniform(-149, -126, 8)
    ranges += [(fmt.round(Fraction(k)),) for k in (-150, -149, -127, -126, 0, 1, 10, 127, 128)]
    for z in ("", ".ftz"):
        f.lanes(ident("ex2_approx", z, "f32"), ["f32"], "f32",
                "ex2.approx%s.f32 {d}, {a};" % z, ranges,
                lambda a: real.exp2(fmt, z != "", a), mode="ulp=3")
    logs = special + rows("lg2", ["f32"], 48)[13:] + \
        [(fmt.round(Fraction(2) ** k),) for k in (-149, -126, -10, -1, 1, 10, 127)]
    near = uniform(0.501, 1.99, 48)
    for z in ("", ".ftz"):
        f.lanes(ident("lg2_approx", z, "f32"), ["f32"], "f32",
                "lg2.approx%s.f32 {d}, {a};" % z,
                [x for x in logs if not 0x3f000000 < x[0] < 0x40000000 or x[0] == fmt.one],
                lambda a: real.log2(fmt, z != "", a), mode="rel=2.4e-7")
        f.lanes(ident("lg2_approx", z, "f32_near_1"), ["f32"], "f32",
                "lg2.approx%s.f32 {d}, {a};" % z, near,
                lambda a: real.log2(fmt, z != "", a), mode="abs=2.4e-7")
    pi2 = uniform(-6.2831, 6.2831, 80)
    far = uniform(-314, 314, 64)
    for name, fn in (("sin", real.sin), ("cos", real.cos)):
        for z in ("", ".ftz"):
            f.lanes(ident(name, "approx", z, "f32"), ["f32"], "f32",
                    "%s.approx%s.f32 {d}, {a};" % (name, z), pi2,
                    lambda a: fn(fmt, z != "", a), mode="abs=6.8e-7")
            f.lanes(ident(name, "approx", z, "f32_far"), ["f32"], "f32",
                    "%s.approx%s.f32 {d}, {a};" % (name, z), far,
                    lambda a: fn(fmt, z != "", a), mode="abs=3.8e-5")
        f.lanes(ident(name, "approx_f32_special"), ["f32"], "f32",
                "%s.approx.f32 {d}, {a};" % name,
                [(a,) for a in (0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000)],
                lambda a: fn(fmt, False, a))
    f.lanes("tanh_approx_f32", ["f32"], "f32", "tanh.approx.f32 {d}, {a};",
            special + uniform(-10, 10, 48) + uniform(-0.5, 0.5, 16),
            lambda a: real.tanh(fmt, a), mode="rel=4.9e-4")
    half = FORMATS["f16"]
    hs = rows("h", ["f16"], 80)
    f.lanes("ex2_approx_f16", ["f16"], "f16", "ex2.approx.f16 {d}, {a};", hs,
            lambda a: real.exp2(half, False, a), mode="rel=0.001")
    f.lanes("tanh_approx_f16", ["f16"], "f16", "tanh.approx.f16 {d}, {a};", hs,
            lambda a: real.tanh(half, a), mode="rel=0.002")
    return f


def files():
    return [exact2("add", fp.add), exact2("sub", fp.sub), exact2("mul", fp.mul),
            mixed(), exact3("fma"), exact3("mad"), min_max(), abs_neg(), div(), roots(),
            transcendental()]
