# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mma.sp: every shape, type and selector; metadata in the lanes that the ISA's figures name,
noise in the others."""

from .emit import File
from .mma import (BITS, extreme, fragment_a, fragment_b, fragment_c, flat, matrix, multiply,
                  name_of, register, small, warp_kernel, whole)
from .values import rng

FORMS = [
    (("f16", "f16"), (16, 32), ("f16", "f32")),
    (("bf16", "bf16"), (16, 32), ("f32",)),
    (("tf32", "tf32"), (8, 16), ("f32",)),
] + [((a, b), (64,), ("f32",)) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")] + [
    ((a, b), (32, 64), ("s32",)) for a in ("s8", "u8") for b in ("s8", "u8")] + [
    ((a, b), (64, 128), ("s32",)) for a in ("s4", "u4") for b in ("s4", "u4")]


def selectors(t, k):
    if BITS[t] >= 16:
        return 4 if k * BITS[t] == 256 else 2
    return 2 if k * BITS[t] == 256 else 1


def choose(r, t, k):
    """Which k a row keeps, in order, and its metadata as a number of bits."""
    kept, meta, bits = [], 0, 0
    step = {"tf32": 2, "s4": 8, "u4": 8}.get(t, 4)
    for first in range(0, k, step):
        if t == "tf32":
            one = r.randrange(2)
            kept.append(first + one)
            meta |= (0b1110 if one else 0b0100) << bits
        else:
            places = sorted(r.sample(range(4), 2))
            meta |= (places[0] | places[1] << 2) << bits
            unit = step // 4
            kept += [first + p * unit + i for p in places for i in range(unit)]
        bits += 4
    return kept, meta


def metadata(r, t, k, rows, selector):
    """The metadata register of each lane."""
    lanes = [r.getrandbits(32) for _ in range(32)]
    wide = {32: 2 * k, 4: k // 2}.get(BITS[t], k)
    for row, meta in enumerate(rows):
        first, upper = row % 8 * 4, row // 8
        if BITS[t] >= 16:
            for part in range(wide // 16):
                lane = first + (selector if wide == 16 else 2 * selector + part)
                lanes[lane] &= 0xffff if upper else 0xffff0000
                lanes[lane] |= (meta >> 16 * part & 0xffff) << 16 * upper
        else:
            for part in range(wide // 32):
                lane = first + 2 * (selector if wide == 32 else part) + upper
                lanes[lane] = meta >> 32 * part & 0xffffffff
    return lanes


def case(f, a, b, k, d, selector, ordered, satfinite=False):
    types = (d, a, b, d)
    name = name_of((16, 8, k), types, "sel%d" % selector, "ordered" * ordered,
                   "satfinite" * satfinite)
    r = rng(name)
    one = extreme if satfinite else whole if d == "s32" else small
    chosen = [choose(r, a, k) for _ in range(16)]
    kept = matrix(16, k // 2, lambda: one(r, a))
    dense = [[0] * k for _ in range(16)]
    for row, (columns, _) in enumerate(chosen):
        for column, x in zip(columns, kept[row]):
            dense[row][column] = x
    right, c = matrix(k, 8, lambda: one(r, b)), matrix(16, 8, lambda: one(r, d))
    want = multiply(types, dense, right, c, satfinite)
    lanes = metadata(r, a, k, [m for _, m in chosen], selector)
    ins = [fragment_a(kept, a, 16, k // 2), fragment_b(right, b, k), fragment_c(c, d, 16),
           [[x] for x in lanes]]
    kinds = [(t, len(x[0])) for t, x in zip(("b32", "b32", register(d), "b32"), ins)]
    text = "\n//@ launch %s block=32\n" % name
    for (t, _), x in zip(kinds, ins):
        text += f.operand("in", t, flat([x]))
    text += f.operand("out", d, flat([fragment_c(want, "f32" if d == "f16" else d, 16)]))
    op = "mma.sp%s.sync.aligned.m16n8k%d.row.col%s.%s {d}, {a}, {b}, {c}, %%e0, %d;" % (
        "::ordered_metadata" * ordered, k, ".satfinite" * satfinite, ".".join(types), selector)
    f.raw(text + warp_kernel(name, kinds, (register(d), 2 if d == "f16" else 4), op))
    f.count += 1


def files():
    f = File("mma_sp", "mma.sp: products with half of A left out.", version="8.5")
    for (a, b), ks, ds in FORMS:
        for k in ks:
            for d in ds:
                for selector in range(selectors(a, k)):
                    case(f, a, b, k, d, selector, False)
                for satfinite in (False, True)[:1 + (d == "s32")]:
                    case(f, a, b, k, d, selectors(a, k) - 1, True, satfinite)
                if d == "s32":
                    case(f, a, b, k, d, 0, False, True)
    return [f]
