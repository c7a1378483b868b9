# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of kernels that networks are made of, and of matrix products."""

import math
import struct

from ..cases import Cases, f16, f32, single
from ..values import rng


def half(bits):
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def bf16(x):
    """The bits of the nearest bfloat16, ties to even; x is finite."""
    bits = f32(x)
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16


def rounded(narrow, x, slack):
    """The bits of x in a narrow type; both neighbours where the slack leaves it open."""
    low, high = narrow(x - slack), narrow(x + slack)
    return low if low == high else (low, high)


def exps(row):
    most = max(row)
    e = [math.exp(x - most) for x in row]
    return [x / sum(e) for x in e]


def softmax():
    c, r = Cases("softmax"), rng("softmax")
    rows, width = 5, 45
    data = [[r.randrange(-64, 64) / 8 for _ in range(width)] for _ in range(rows)]
    c.launch("softmax_warp", "grid=3 block=32,2")
    c.give("in", "f32", sum(data, []))
    c.give("out", "f32", map(single, sum(map(exps, data), [])), "abs=1e-6")
    c.give("arg", "s32", [rows])
    c.give("arg", "s32", [width])
    data = [[r.randrange(-64, 64) / 8 for _ in range(width * 2)] for _ in range(2)]
    c.launch("softmax_block", "grid=2 block=64")
    c.give("in", "f16", [f16(x) for x in sum(data, [])])
    c.give("out", "f16", [rounded(f16, x, x * 2e-6) for x in sum(map(exps, data), [])])
    c.give("arg", "s32", [width])
    y = [[r.randrange(0, 64) / 64 for _ in range(48)] for _ in range(2)]
    dy = [[r.randrange(-16, 16) / 8 for _ in range(48)] for _ in range(2)]
    out = []
    for a, b in zip(y, dy):
        dot = sum(p * q for p, q in zip(a, b))
        out += [p * (q - dot) for p, q in zip(a, b)]
    c.launch("gradient", "grid=2 block=32")
    c.give("in", "f32", sum(y, []))
    c.give("in", "f32", sum(dy, []))
    c.give("out", "f32", map(single, out), "abs=1e-5")
    c.give("arg", "s32", [12])
    return c


def layernorm():
    c, r = Cases("layernorm"), rng("layernorm")
    width, epsilon = 80, 2.0 ** -10
    scale = [r.randrange(4, 16) / 8 for _ in range(width)]
    shift = [r.randrange(-16, 16) / 8 for _ in range(width)]
    for kernel, block in (("norm_f32", 64), ("norm_f16", 128), ("norm_bf16", 32)):
        data = [[r.randrange(-64, 64) / 16 + 3 for _ in range(width)] for _ in range(2)]
        out = []
        for row in data:
            mean = sum(row) / width
            root = math.sqrt(sum((x - mean) ** 2 for x in row) / width + epsilon)
            out += [(x - mean) / root * s + t for x, s, t in zip(row, scale, shift)]
        c.launch(kernel, "grid=2 block=%d" % block)
        if kernel == "norm_f32":
            c.give("in", "f32", sum(data, []))
            c.give("out", "f32", map(single, out), "abs=4e-6")
        else:
            t, narrow = ("f16", f16) if kernel == "norm_f16" else ("u16", bf16)
            c.give("in", t, [narrow(x) for x in sum(data, [])])
            c.give("out", t, [rounded(narrow, x, 4e-6) for x in out])
        c.give("in", "f32", scale)
        c.give("in", "f32", shift)
        c.give("arg", "s32", [width])
        c.give("arg", "f32", [epsilon])
    return c


def attention():
    c, r = Cases("attention"), rng("attention")
    rows, length, width = 6, 37, 64
    q, k, v = ([[r.randrange(-9, 10) for _ in range(width)] for _ in range(n)]
               for n in (rows, length, length))
    for first in (-1, 30):
        out = []
        for i in range(rows):
            end = length if first < 0 else first + i + 1
            p = exps([sum(a * b for a, b in zip(q[i], k[j])) / 64 for j in range(end)])
            out += [sum(p[j] * v[j][x] for j in range(end)) / 8 for x in range(width)]
        c.launch("attention", "grid=2 block=128")
        c.give("in", "f16", [f16(x) for x in sum(q, [])])
        for m in (k, v):
            c.give("in", "s8", sum(m, []))
        c.give("out", "f32", [single(x) for x in out], "abs=1e-5")
        for n in (rows, length, first):
            c.give("arg", "s32", [n])
        c.give("arg", "f32", [0.125])
    return c


def half_even(x):
    return round(x)


def int8gemm():
    c, r = Cases("int8gemm"), rng("int8gemm")
    m, n, k = 13, 21, 24
    a = [[r.randrange(-128, 128) for _ in range(k)] for _ in range(m)]
    b = [[r.randrange(-128, 128) for _ in range(k)] for _ in range(n)]
    scale = [2.0 ** -r.randrange(8, 12) for _ in range(n)]
    c.launch("int8gemm", "grid=2,1 block=16,16")
    c.give("in", "s8", sum(a, []))
    c.give("in", "s8", sum(b, []))
    c.give("out", "s8", [max(-128, min(127, half_even(
        sum(p * q for p, q in zip(row, col)) * s))) for row in a
        for col, s in zip(b, scale)])
    for x in (m, n, k // 4):
        c.give("arg", "s32", [x])
    c.give("in", "f32", scale)
    n = 30
    samples = [r.randrange(-32768, 32768) for _ in range(2 * n + 14)]
    weights = [r.randrange(-128, 128) for _ in range(16)]
    c.launch("filter", "grid=2 block=16")
    c.give("in", "s16", samples)
    c.give("in", "s8", weights)
    c.give("out", "s32", [sum(samples[2 * i + j] * weights[j] for j in range(16))
                          for i in range(n)])
    c.give("arg", "s32", [n])
    return c


def product(a, b):
    return [sum(p * row[x] for p, row in zip(line, b)) for line in a
            for x in range(len(b[0]))]


def halfgemm():
    c, r = Cases("halfgemm"), rng("halfgemm")
    n = 16
    a, b = ([[r.randrange(-9, 10) for _ in range(n)] for _ in range(n)] for _ in range(2))
    c.launch("gemm_f16", "grid=1,2 block=8,8")
    c.give("in", "f16", [f16(x) for x in sum(a, [])])
    c.give("in", "f16", [f16(x) for x in sum(b, [])])
    c.give("out", "f16", [f16(x) for x in product(a, b)])
    c.give("arg", "s32", [n])
    xs = [r.randrange(-160, 161) / 16 for _ in range(40)]
    out = []
    for i in range(0, 40, 2):
        pair = xs[i:i + 2]
        out += [max(x, x / 8) for x in pair] + [min(max(x, 0), 6) for x in pair]
        out += [min(max(x / 4 + 0.5, 0), 1) for x in pair]
        out += [abs(x) - (x > 1) for x in pair]
    c.launch("activate", "block=32")
    c.give("in", "f16", [f16(x) for x in xs])
    c.give("out", "f16", [f16(x) for x in out])
    c.give("arg", "s32", [20])
    return c


def bf16gemm():
    c, r = Cases("bf16gemm"), rng("bf16gemm")
    n = 24
    a, b = ([[r.randrange(-2, 3) for _ in range(n)] for _ in range(n)] for _ in range(2))
    c.launch("gemm_bf16", "grid=1,3 block=8,8")
    c.give("in", "u16", [bf16(x) for x in sum(a, [])])
    c.give("in", "u16", [bf16(x) for x in sum(b, [])])
    c.give("out", "u16", [bf16(x) for x in product(a, b)])
    c.give("arg", "s32", [n])
    g = [r.randrange(-128, 128) / 16 for _ in range(60)]
    bits = [bf16(x) for x in g]
    bad = {3: 0x7f80, 17: 0xff80, 18: 0x7fc0, 59: 0xffff}
    for i, x in bad.items():
        bits[i] = x
    rate, inverse = 0.25, 0.5
    w = [r.randrange(-512, 512) / 64 for _ in g]
    after = [x if i in bad else x - rate * inverse * max(-4, min(4, d))
             for i, (x, d) in enumerate(zip(w, g))]
    c.launch("update", "grid=2 block=32")
    c.give("in", "u16", bits)
    c.give("inout", "f32", w)
    c.give("expect", "f32", after)
    c.give("out", "u16", [bf16(x) for x in after])
    c.give("arg", "s32", [60])
    c.give("arg", "f32", [rate])
    c.give("arg", "f32", [inverse])
    c.give("inout", "s32", [0])
    c.give("expect", "s32", [4])
    return c


def dgemm():
    c, r = Cases("dgemm"), rng("dgemm")
    m, n, k = 37, 20, 11
    a = [[r.randrange(-9, 10) for _ in range(k)] for _ in range(m)]
    b = [[r.randrange(-9, 10) for _ in range(n)] for _ in range(k)]
    old = [r.randrange(-9, 10) for _ in range(m * n)]
    for kernel, alpha, beta in (("dgemm", 0.5, -2.0), ("dgemm_t", -3.0, 0.0)):
        given = a if kernel == "dgemm" else list(zip(*a))
        c.launch(kernel, "grid=1,2 block=64")
        for x in (m, n, k):
            c.give("arg", "s32", [x])
        c.give("arg", "f64", [alpha])
        c.give("in", "f64", [x for row in given for x in row])
        c.give("in", "f64", sum(b, []))
        c.give("arg", "f64", [beta])
        if beta:
            c.give("inout", "f64", old)
            c.give("expect", "f64", [alpha * x + beta * y for x, y in zip(product(a, b), old)])
        else:
            c.give("out", "f64", [alpha * x + 0.0 for x in product(a, b)])
    return c


def cases():
    return [softmax(), layernorm(), attention(), int8gemm(), halfgemm(), bf16gemm(), dgemm()]
