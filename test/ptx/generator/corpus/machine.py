# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of kernels that use what only some machines have, and of the runtime's."""

from ..cases import Cases, f16, single, wrap32
from ..values import rng
from .tensors import product


def flat(rows):
    return [x for row in rows for x in row]


def columns(rows):
    return flat(zip(*rows))


def matrix(r, height, width, most):
    return [[r.randrange(-most, most + 1) for _ in range(width)] for _ in range(height)]


def wmma():
    c, r = Cases("wmma"), rng("wmma")
    m, n, k = 16, 48, 32
    a, b, bias = matrix(r, m, k, 9), matrix(r, k, n, 9), [r.randrange(-9, 9) for _ in range(n)]
    c.launch("gemm", "grid=1,1 block=128")
    c.give("in", "f16", map(f16, flat(a)))
    c.give("in", "f16", map(f16, columns(b)))
    c.give("in", "f32", bias)
    c.give("out", "f32", [x * 0.25 + bias[i % n] for i, x in enumerate(product(a, b))])
    c.give("arg", "s32", [n])
    c.give("arg", "s32", [k])
    c.give("arg", "f32", [0.25])
    for kernel, m, n in (("tall", 32, 8), ("wide", 8, 32)):
        a, b, old = matrix(r, m, 16, 5), matrix(r, 16, n, 5), matrix(r, m, n, 99)
        out = [max(0, x + y) for x, y in zip(product(a, b), flat(old))]
        c.launch(kernel, "block=32")
        c.give("in", "f16", map(f16, columns(a)))
        c.give("in", "f16", map(f16, flat(b)))
        c.give("inout", "f16", map(f16, flat(old)))
        c.give("expect", "f16", [f16(out[y * n + x]) for x in range(n) for y in range(m)])
    a, b = matrix(r, 16, 48, 127), matrix(r, 48, 16, 127)
    c.launch("bytes", "block=32")
    c.give("in", "s8", flat(a))
    c.give("in", "s8", columns(b))
    c.give("out", "s32", product(a, b))
    c.give("arg", "s32", [48])
    return c


def mma():
    c, r = Cases("mma"), rng("mma")
    n, k = 32, 64
    a, b = matrix(r, 32, k, 5), matrix(r, k, n, 5)
    c.launch("mma_gemm", "block=128")
    c.give("in", "f16", map(f16, flat(a)))
    c.give("in", "f16", map(f16, flat(b)))
    c.give("out", "f32", product(a, b))
    c.give("arg", "s32", [n])
    c.give("arg", "s32", [k])
    a, b = matrix(r, 8, 16, 99), matrix(r, 16, 8, 99)
    c.launch("mma_f64", "block=32")
    c.give("in", "f64", [x / 4 for x in flat(a)])
    c.give("in", "f64", flat(b))
    c.give("out", "f64", [x / 4 for x in product(a, b)])
    a = matrix(r, 16, 32, 127)
    b = [[r.randrange(256) for _ in range(8)] for _ in range(32)]
    out = product(a, b)
    for g in range(8):
        for q in range(4):
            out[g * 8 + q * 2] += 0x7fff0000
            out[(g + 8) * 8 + q * 2 + 1] -= 0x7ffff000
    c.launch("mma_s8", "block=32")
    c.give("in", "s8", flat(a))
    c.give("in", "u8", columns(b))
    c.give("out", "s32", [max(-1 << 31, min((1 << 31) - 1, x)) for x in out])
    return c


def malloc():
    c, r = Cases("malloc"), rng("malloc")
    rows = [[r.randrange(-99, 99) for _ in range(14)] for _ in range(40)]
    c.launch("treesort", "grid=2 block=20")
    c.give("inout", "s32", flat(rows))
    c.give("expect", "s32", flat(map(sorted, rows)))
    c.give("arg", "s32", [14])
    data = [r.randrange(-999, 999) for _ in range(3 * 70)]
    c.launch("reverse", "grid=3 block=32")
    c.give("in", "s32", data)
    c.give("out", "s32", flat(data[i:i + 70][::-1] for i in (0, 70, 140)))
    c.give("arg", "s32", [70])
    keys = [r.randrange(60) for _ in range(250)]
    c.launch("count_words", "block=128")
    c.give("in", "s32", keys)
    c.give("arg", "s32", [250])
    c.give("inout", "s32", [0])
    c.give("expect", "s32", [len(set(keys))])
    c.give("inout", "s32", [0] * 60)
    c.give("expect", "s32", [keys.count(i) for i in range(60)])
    return c


def virtual():
    c, r = Cases("virtual"), rng("virtual")
    kind = [r.randrange(3) for _ in range(96)]
    c.launch("shapes", "grid=2 block=48")
    c.give("in", "s32", kind)
    c.give("out", "s32", [(i * 3, i * 5 // 2, i * i)[k] for i, k in enumerate(kind)])
    c.give("out", "s32", [(4, 3, 4 + i % 2)[k] for i, k in enumerate(kind)])
    programs, out = [], []
    for _ in range(50):
        program, depth, operands = [], 0, 7
        while operands or depth > 1:
            if operands and (depth < 2 or r.randrange(2)):
                program.append(r.randrange(20))
                operands -= 1
                depth += 1
            else:
                program.append(-r.randrange(1, 6))
                depth -= 1
        programs.append(program)
        out.append(calculate(program))
    c.launch("calculate", "grid=2 block=25")
    c.give("in", "s16", flat(programs))
    c.give("arg", "s32", [13])
    c.give("out", "s32", out)
    c.launch("change", "block=64 fresh")
    c.give("out", "s32", [i * 3000 + i - 3 for i in range(64)])
    return c


def calculate(program):
    stack = []
    for code in program:
        if code >= 0:
            stack.append(code)
            continue
        y, x = stack.pop(), stack.pop()
        q = abs(x) // abs(y) if y else 0
        stack.append(wrap32([x + y, x - y, x * y, q if (x < 0) == (y < 0) else -q,
                             x ** (y & 7)][-code - 1]))
    assert len(stack) == 1
    return stack[0]


def gridsync():
    c, r = Cases("gridsync"), rng("gridsync")
    n, sweeps = 200, 6
    a = [r.randrange(-64, 65) for _ in range(n)]
    now = a
    for _ in range(sweeps):
        now = [((now[i - 1] if i else 0) + (now[i + 1] if i + 1 < n else 0)) / 2
               for i in range(n)]
        now = list(map(single, now))
    c.launch("jacobi", "grid=3 block=32 cooperative")
    c.give("inout", "f32", a)
    c.give("expect", "f32", now)
    c.give("inout", "f32", [0] * n)
    c.give("arg", "s32", [n])
    c.give("arg", "s32", [sweeps])
    c.give("inout", "f32", [0])
    c.give("expect", "f32", [max(0, max(now))])
    data = [r.randrange(1, 100) for _ in range(n)]
    c.launch("normalise", "grid=4 block=40 cooperative")
    c.give("inout", "s32", data)
    c.give("expect", "s32", [x * 1000 // sum(data) for x in data])
    c.give("arg", "s32", [n])
    c.give("inout", "s32", [0] * 4)
    return c


def pipeline():
    c, r = Cases("pipeline"), rng("pipeline")
    tiles = 4
    data = [r.randrange(-99, 99) for _ in range(64 * tiles)]
    c.launch("windows", "block=64")
    c.give("in", "s32", data)
    c.give("out", "s32", [sum(data[i // 64 * 64 + (i + k) % 64] for k in range(4))
                          for i in range(64 * tiles)])
    c.give("arg", "s32", [tiles])
    n = 150
    xs = [r.randrange(-64, 64) / 4 for _ in range(4 * n)]
    c.launch("scale", "block=64")
    c.give("in", "f32", xs)
    c.give("out", "f32", [x * 2.5 for x in xs])
    c.give("arg", "s32", [n])
    c.give("arg", "f32", [2.5])
    c.launch("handover", "block=128")
    c.give("in", "s32", data)
    c.give("out", "s64", [sum(x * (i // 64 + 1) for i, x in enumerate(data))])
    c.give("arg", "s32", [tiles])
    return c


def cluster():
    c, r = Cases("cluster"), rng("cluster")
    data = [r.randrange(256) for _ in range(500)]
    c.launch("spread", "grid=2 block=64")
    c.give("in", "u8", data)
    c.give("arg", "s32", [500])
    c.give("out", "s32", [sum(x % 32 == i for x in data) for i in range(32)])
    data = [r.randrange(-999, 999) for _ in range(8 * 32)]
    c.launch("reduce", "grid=8 block=32")
    c.give("in", "s32", data)
    c.give("out", "s32", [sum(data[i:i + 128]) for i in (0, 128)])
    return c


def cases():
    return [wmma(), mma(), malloc(), virtual(), gridsync(), pipeline(), cluster()]
