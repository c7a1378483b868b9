# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are no fractions, to many more digits than any format holds."""

from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 80
getcontext().Emax = 10 ** 9
getcontext().Emin = -10 ** 9

LN2 = Decimal(2).ln()


def decimal(v):
    return Decimal(v.numerator) / Decimal(v.denominator)


def pi():
    """By Machin's formula."""
    def atan_inverse(n):
        x, total, k, power = Decimal(1) / n, Decimal(0), 1, Decimal(1) / n
        while abs(power) > Decimal(10) ** -85:
            total += power / k if k % 4 == 1 else -power / k
            power *= x * x
            k += 2
        return total
    return 4 * (4 * atan_inverse(5) - atan_inverse(239))


PI = pi()


def rounded(f, d, ftz, zero_sign=0):
    x = f.round(Fraction(d), "rn", zero_sign)
    return f.flush(x) if ftz else x


def rsqrt(f, ftz, a):
    a = f.flush(a) if ftz else a
    if f.is_nan(a):
        return f.nan
    if f.is_zero(a):
        return f.inf | a & f.sign
    if f.negative(a):
        return f.nan
    if f.is_inf(a):
        return 0
    return rounded(f, 1 / decimal(f.value(a)).sqrt(), ftz)


def exp2(f, ftz, a):
    a = f.flush(a) if ftz else a
    if f.is_nan(a):
        return f.nan
    if f.is_inf(a):
        return 0 if f.negative(a) else f.inf
    v = f.value(a)
    if v > 2 * f.bias:
        return f.inf
    if v < -4 * f.bias:
        return 0
    return rounded(f, (decimal(v) * LN2).exp(), ftz)


def log2(f, ftz, a):
    a = f.flush(a) if ftz else a
    if f.is_nan(a):
        return f.nan
    if f.is_zero(a):
        return f.inf | f.sign
    if f.negative(a):
        return f.nan
    if f.is_inf(a):
        return f.inf
    return rounded(f, decimal(f.value(a)).ln() / LN2, ftz)


def series(x, first):
    """x^first/first! - x^(first+2)/(first+2)! + ..."""
    term = x if first else Decimal(1)
    total, k = Decimal(0), first
    while abs(term) > Decimal(10) ** -85:
        total += term
        term *= -x * x / ((k + 1) * (k + 2))
        k += 2
    return total


def circular(f, ftz, a, first):
    a = f.flush(a) if ftz else a
    if f.is_nan(a) or f.is_inf(a):
        return f.nan
    if f.is_zero(a):
        return a if first else f.one
    x = decimal(f.value(a)) % (2 * PI)
    return rounded(f, series(x, first), ftz)


def sin(f, ftz, a):
    return circular(f, ftz, a, 1)


def cos(f, ftz, a):
    return circular(f, ftz, a, 0)


def tanh(f, a):
    if f.is_nan(a):
        return f.nan
    if f.is_inf(a):
        return f.one | a & f.sign
    if f.is_zero(a):
        return a
    v = decimal(f.value(a))
    if abs(v) > 50:
        return f.one | a & f.sign
    e = (2 * v).exp()
    return rounded(f, (e - 1) / (e + 1) if abs(v) > Decimal("1e-15") else v, False)
