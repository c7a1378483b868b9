# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact floating point: values are fractions, rounded once."""

import functools
from fractions import Fraction
from math import isqrt

from .emit import NAN

INF = "inf"
MODES = ("rn", "rz", "rm", "rp")


class Format:
    def __init__(self, name, precision, exponent_bits, nan):
        self.name = name
        self.p = precision
        self.e = exponent_bits
        self.size = precision + exponent_bits
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.emin = 1 - self.bias
        self.emax = self.bias
        self.sign = 1 << (self.size - 1)
        self.inf = ((1 << exponent_bits) - 1) << (precision - 1)
        self.min_normal = 1 << (precision - 1)
        self.one = self.bias << (precision - 1)
        self.nan = nan  # what an operation makes; NAN: any

    def is_nan(self, x):
        return x & ~self.sign > self.inf

    def is_inf(self, x):
        return x & ~self.sign == self.inf

    def is_zero(self, x):
        return x & ~self.sign == 0

    def negative(self, x):
        return bool(x & self.sign)

    def is_subnormal(self, x):
        return 0 < x & ~self.sign < self.min_normal

    def flush(self, x):
        return x & self.sign if self.is_subnormal(x) else x

    @functools.lru_cache(1 << 16)
    def value(self, x):
        """The fraction that finite bits stand for."""
        exponent = x >> (self.p - 1) & ((1 << self.e) - 1)
        fraction = x & (self.min_normal - 1)
        if exponent:
            fraction |= self.min_normal
        else:
            exponent = 1
        v = Fraction(fraction) * Fraction(2) ** (exponent - self.bias - self.p + 1)
        return -v if self.negative(x) else v

    def round(self, v, mode="rn", zero_sign=0):
        """The bits nearest to v in the direction of mode."""
        if v == 0:
            return self.sign if zero_sign else 0
        sign, m = (self.sign, -v) if v < 0 else (0, v)
        e = m.numerator.bit_length() - m.denominator.bit_length()
        if m.denominator << max(e, 0) > m.numerator << max(-e, 0):
            e -= 1
        e = max(e, self.emin)
        shift = e - self.p + 1  # of the last bit
        whole = m.denominator << max(shift, 0)
        n, rest = divmod(m.numerator << max(-shift, 0), whole)
        n += self.round_up(rest, whole, n & 1, bool(sign), mode)
        if n == 1 << self.p:
            n, e = n >> 1, e + 1
        if e > self.emax:
            away = mode == "rn" or mode == "rna" or mode == ("rm" if sign else "rp")
            return sign | (self.inf if away else self.inf - 1)
        if n < self.min_normal:
            return sign | n
        return sign | (e + self.bias) << (self.p - 1) | (n - self.min_normal)

    @staticmethod
    def round_up(rest, whole, odd, negative, mode):
        """Whether rest / whole, which is less than 1, is rounded up."""
        if mode == "rn":
            return int(2 * rest > whole or (2 * rest == whole and odd))
        if mode == "rna":
            return int(2 * rest >= whole)
        if mode == "rz":
            return 0
        return int(rest > 0 and negative == (mode == "rm"))


F16 = Format("f16", 11, 5, 0x7fff)
BF16 = Format("bf16", 8, 8, 0x7fff)
F32 = Format("f32", 24, 8, 0x7fffffff)
F64 = Format("f64", 53, 11, NAN)
FORMATS = {"f16": F16, "f32": F32, "f64": F64}


def saturate(f, x):
    if x == NAN or f.is_nan(x) or f.negative(x):
        return 0
    return min(x, f.one)


def finish(f, x, ftz, sat):
    if ftz and x != NAN:
        x = f.flush(x)
    return saturate(f, x) if sat else x


def tiny(f, mode, v, zero_sign=0):
    """v rounded for .ftz: what only rounding raises to the smallest normal number is
    flushed by the hardware, which looks before it rounds; x86 looks after it."""
    x = f.round(v, mode, zero_sign)
    if 0 < abs(v) < f.value(f.min_normal) and x & ~f.sign == f.min_normal:
        return (x, x & f.sign)
    return x


def arithmetic(fn):
    """Wraps fn(f, mode, x, y, ...) with flushing, NaN and saturation."""
    def one(f, mode, ftz, sat, *xs):
        if ftz:
            xs = [f.flush(x) for x in xs]
        out = f.nan if any(f.is_nan(x) for x in xs) else fn(f, mode, *xs)
        if isinstance(out, tuple) and ftz:
            return tuple(finish(f, x, ftz, sat) for x in out)
        return finish(f, out[0] if isinstance(out, tuple) else out, ftz, sat)
    return one


@arithmetic
def add(f, mode, a, b):
    if f.is_inf(a) or f.is_inf(b):
        if f.is_inf(a) and f.is_inf(b) and a != b:
            return f.nan
        return a if f.is_inf(a) else b
    v = f.value(a) + f.value(b)
    if f.is_zero(a) and f.is_zero(b) and a == b:
        return a
    return f.round(v, mode, mode == "rm")


def sub(f, mode, ftz, sat, a, b):
    return add(f, mode, ftz, sat, a, b ^ f.sign)


@arithmetic
def mul(f, mode, a, b):
    sign = (a ^ b) & f.sign
    if f.is_inf(a) or f.is_inf(b):
        return f.nan if f.is_zero(a) or f.is_zero(b) else sign | f.inf
    return tiny(f, mode, f.value(a) * f.value(b), sign)


@arithmetic
def fma(f, mode, a, b, c):
    sign = (a ^ b) & f.sign
    if f.is_inf(a) or f.is_inf(b):
        if f.is_zero(a) or f.is_zero(b) or (f.is_inf(c) and c & f.sign != sign):
            return f.nan
        return sign | f.inf
    if f.is_inf(c):
        return c
    product = f.value(a) * f.value(b)
    if product == 0 and f.is_zero(c) and sign == c & f.sign:
        return c
    return tiny(f, mode, product + f.value(c), mode == "rm")


@arithmetic
def div(f, mode, a, b):
    sign = (a ^ b) & f.sign
    if f.is_inf(a):
        return f.nan if f.is_inf(b) else sign | f.inf
    if f.is_inf(b):
        return sign
    if f.is_zero(b):
        return f.nan if f.is_zero(a) else sign | f.inf
    return tiny(f, mode, f.value(a) / f.value(b), sign)


@arithmetic
def sqrt(f, mode, a):
    if f.is_zero(a):
        return a
    if f.negative(a):
        return f.nan
    if f.is_inf(a):
        return a
    v = f.value(a)
    # An integer root of many more bits than the result, odd where inexact.
    scale = 4 * f.p + 2 * (f.bias + f.p)
    n = v.numerator * (1 << 2 * scale) // v.denominator
    root = isqrt(n)
    root = 2 * root + (root * root != n or (v.numerator << 2 * scale) % v.denominator != 0)
    return f.round(Fraction(root, 1 << (scale + 1)), mode)


def rcp(f, mode, ftz, sat, a):
    return div(f, mode, ftz, sat, f.one, a)


def minimum(f, ftz, nan, xorsign, a, b, largest=False):
    if ftz:
        a, b = f.flush(a), f.flush(b)
    sign = (a ^ b) & f.sign
    if xorsign:
        a, b = a & ~f.sign, b & ~f.sign
    if f.is_nan(a) or f.is_nan(b):
        if nan or (f.is_nan(a) and f.is_nan(b)):
            return f.nan
        out = b if f.is_nan(a) else a
    else:
        def order(x):
            return -(x & ~f.sign) - 1 if f.negative(x) else x
        out = max(a, b, key=order) if largest else min(a, b, key=order)
    return out | sign if xorsign else out


def compare(f, op, ftz, a, b):
    """Ordered: eq ne lt le gt ge; with u: also true for a NaN; num, nan."""
    if ftz:
        a, b = f.flush(a), f.flush(b)
    nan = f.is_nan(a) or f.is_nan(b)
    if op in ("num", "nan"):
        return nan == (op == "nan")
    if nan:
        return op[-1] == "u"

    def order(x):
        x, s = x & ~f.sign, f.negative(x)
        return -x if s else x
    x, y = order(a), order(b)
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y,
            "ge": x >= y}[op[:2]]
