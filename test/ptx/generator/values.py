# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs: corner values of every type, and reproducible random ones."""

import random

from .emit import bits_of


def rng(name):
    return random.Random("gpurun " + name)


def int_corners(bits):
    top = 1 << (bits - 1)
    return [0, 1, 2, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2]


F16 = [0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x83ff, 0x0400, 0x7bff, 0xfbff, 0x7c00,
       0xfc00, 0x7e00, 0x7d01]
F32 = [0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x807fffff, 0x00800000,
       0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffa00001]
F64 = [0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
       0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
       0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
       0xfff4000000000001]


def corners(t):
    if t[0] == "f":
        return {"f16": F16, "f32": F32, "f64": F64}[t]
    return int_corners(bits_of(t))


def random_value(r, t):
    bits = bits_of(t)
    if t[0] == "f":
        return random_float(r, t)
    kind = r.randrange(3)
    if kind == 0:
        return r.getrandbits(bits)
    if kind == 1:
        return r.getrandbits(r.randrange(1, bits + 1))
    return (1 << bits) - 1 - r.getrandbits(r.randrange(1, bits))


def random_float(r, t):
    """Mostly of moderate exponent, so that sums and products say something."""
    p, e = {"f16": (10, 5), "f32": (23, 8), "f64": (52, 11)}[t]
    bias = (1 << (e - 1)) - 1
    spread = r.choice([2, 8, bias - 1])
    spread = min(spread, bias - 1)
    exponent = bias + r.randrange(-spread, spread + 1)
    fraction = r.getrandbits(p)
    if r.randrange(4) == 0:
        fraction &= ~((1 << (p // 2)) - 1)
    return r.getrandbits(1) << (p + e) | exponent << p | fraction


def rows(name, types, count=96):
    """Rows of inputs: the corners against each other as far as they fit, then random."""
    r = rng(name)
    sets = [corners(t) for t in types]
    out = []
    if len(types) == 1:
        out = [(v,) for v in sets[0]]
    elif len(types) == 2:
        out = [(a, b) for a in sets[0] for b in sets[1]]
        if len(out) > count * 3 // 4:
            out = r.sample(out, count * 3 // 4)
    else:
        out = [tuple(r.choice(s) for s in sets) for _ in range(count * 3 // 4)]
    while len(out) < count:
        out.append(tuple(random_value(r, t) if r.randrange(4) else r.choice(s)
                         for t, s in zip(types, sets)))
    return out[:count]
