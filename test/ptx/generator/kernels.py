# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of the kernels that compilers made: kernels/NAME.cases for kernels/compile."""

from fractions import Fraction
import math
import struct

from . import fp
from .cases import Cases, single, sums, wrap32
from .fp import FORMATS
from .values import rng


def reduce():
    c, r = Cases("reduce"), rng("reduce")
    data = [r.getrandbits(32) for _ in range(1000)]
    for grid, block in ((1, 32), (3, 128), (2, 1024)):
        c.launch("reduce", "grid=%d block=%d" % (grid, block))
        c.give("in", "u32", data)
        c.give("arg", "u32", [1000])
        c.give("inout", "u32", [0])
        c.give("expect", "u32", [sum(data) & 0xffffffff])
    return c


def scan():
    c, r = Cases("scan"), rng("scan")
    data = [r.randrange(-1000, 1000) for _ in range(256)]
    c.launch("scan", "block=256")
    c.give("in", "s32", data)
    c.give("out", "s32", sums(data))
    c.launch("warp_scan", "grid=2 block=128")
    c.give("in", "s32", data)
    c.give("out", "s32", [x for w in range(8) for x in sums(data[32 * w:32 * w + 32])])
    return c


def bitonic():
    c, r = Cases("bitonic"), rng("bitonic")
    data = [r.getrandbits(r.choice([4, 32])) for _ in range(512)]
    for block in (256, 100):
        c.launch("bitonic", "block=%d" % block)
        c.give("inout", "u32", data)
        c.give("expect", "u32", sorted(data))
    return c


def stencil():
    c, r = Cases("stencil"), rng("stencil")
    n = 150
    a = [r.randrange(100) for _ in range(n)]
    p = [0, 0] + a + [0, 0]
    c.launch("stencil", "grid=3 block=64")
    c.give("in", "f32", a)
    c.give("out", "f32", [p[i] + 2 * p[i + 1] + 4 * p[i + 2] + 2 * p[i + 3] + p[i + 4]
                          for i in range(n)])
    c.give("arg", "s32", [n])
    return c


def transpose():
    c = Cases("transpose")
    w, h = 37, 20
    a = list(range(w * h))
    c.launch("transpose", "grid=3,2 block=16,16")
    c.give("in", "s16", a)
    c.give("out", "s16", [a[y * w + x] for x in range(w) for y in range(h)])
    c.give("arg", "s32", [w])
    c.give("arg", "s32", [h])
    return c


def histogram():
    c, r = Cases("histogram"), rng("histogram")
    data = [r.randrange(256) if r.randrange(2) else 7 for _ in range(777)]
    bins = [0] * 64
    for x in data:
        bins[x & 63] += 1
    c.launch("histogram", "grid=3 block=96")
    c.give("in", "u8", data)
    c.give("arg", "u32", [777])
    c.give("inout", "u32", [0] * 64)
    c.give("expect", "u32", bins)
    return c


def table():
    c, r = Cases("hash"), rng("hash")
    keys = [r.randrange(1, 150) * 77 for _ in range(256)]
    c.launch("insert", "grid=4 block=64")
    c.give("in", "u32", keys)
    c.give("inout", "u32", [0] * 512)
    c.give("expect", "u32", [0] * (512 - len(set(keys))) + sorted(set(keys)), "set")
    c.give("inout", "u32", [0])
    c.give("expect", "u32", [len(set(keys))])
    return c


def spinlock():
    c = Cases("spinlock")
    c.launch("spinlock", "grid=8 block=128 fresh timeout=60")
    c.give("inout", "u32", [0])
    c.give("expect", "u32", [1024])
    c.say("read plain u32 1024")
    return c


def search():
    c = Cases("search")
    text = b"abracadabra, said the abrabra; abr abr ABRA abra"
    at = [int(text[i:i + 4] == b"abra") for i in range(len(text))]
    c.launch("search", "grid=2 block=32")
    c.give("in", "u8", list(text))
    c.give("arg", "s32", [len(text)])
    c.give("inout", "s32", [0])
    c.give("expect", "s32", [sum(at)])
    c.give("out", "u8", at)
    return c


def montecarlo():
    c = Cases("montecarlo")
    hits = 0
    for i in range(192):
        s = i + 1

        def step(s):
            s ^= s << 13 & 0xffffffff
            s ^= s >> 17
            return s ^ (s << 5 & 0xffffffff)
        for _ in range(50):
            s = step(s)
            x = s >> 16
            s = step(s)
            y = s >> 16
            hits += x * x + y * y < 1 << 32
    c.launch("montecarlo", "grid=2 block=96")
    c.give("inout", "u64", [0])
    c.give("expect", "u64", [hits])
    c.give("arg", "s32", [50])
    return c


def recursion():
    c = Cases("recursion")

    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def ack(m, n):
        return n + 1 if m == 0 else ack(m - 1, ack(m, n - 1) if n else 1)
    c.launch("recursion", "block=64")
    c.give("out", "s32", [fib(i % 14) if i & 1 else ack(i % 3, i % 5) for i in range(64)])
    return c


def templates():
    c, r = Cases("templates"), rng("templates")

    def poly(x, n):
        return sum((k + 1) * x ** k for k in range(n + 1))
    xs = [r.randrange(-1000, 1000) for _ in range(40)]
    c.launch("_Z4polyIiLi3EEvPKT_PS0_", "block=40")
    c.give("in", "s32", xs)
    c.give("out", "s32", [wrap32(poly(x, 3)) for x in xs])
    xs = [r.randrange(-64, 64) / 4 for _ in range(40)]
    c.launch("_Z4polyIdLi4EEvPKT_PS0_", "block=40")
    c.give("in", "f64", xs)
    c.give("out", "f64", [poly(x, 4) for x in xs])
    xs = [r.randrange(256) for _ in range(40)]
    c.launch("_Z4polyIhLi2EEvPKT_PS0_", "block=40")
    c.give("in", "u8", xs)
    c.give("out", "u8", [poly(x, 2) & 255 for x in xs])
    return c


def byvalue():
    c = Cases("byvalue")
    x, y, z, tags, w = 1.5, -2.0, 0.25, (7, -9, 30), 1000.0
    blob = struct.pack("<fff3h2xd", x, y, z, *tags, w)
    blob = struct.pack("<fff3hxxxxxxd", x, y, z, *tags, w)
    pick = [i % 3 for i in range(32)]
    c.launch("byvalue", "block=32")
    c.give("arg", "u8", list(blob))
    c.give("in", "s32", pick)
    c.give("out", "f64", [x * i + y * i * 10 + z * i * 100 + w + tags[1] + tags[0] + 1
                          + tags[pick[i]] for i in range(32)])
    return c


def functions():
    c, r = Cases("double"), rng("double")
    xs = [0.5, 1.0, -1.0, 2.5, -2.5, 3.5, 100.0, 1e-3, -7.25, 20.0] + \
        [r.uniform(-20, 20) for _ in range(30)]
    fns = [math.sin, math.cos, math.exp, lambda x: math.log(abs(x)),
           lambda x: abs(x) ** 1.5, lambda x: math.sqrt(abs(x)) / (x + 0.5), math.tanh,
           lambda x: math.floor(x) + math.ceil(x) * 2 + round(x) * 4 + math.trunc(x) * 8,
           lambda x: math.fmod(x, 1.25),
           lambda x: math.copysign(abs(x) ** (1 / 3), x), lambda x: math.atan2(x, 2.0)]
    for which, fn in enumerate(fns):
        exact = which in (7, 8)
        c.launch("functions", "block=40")
        c.give("in", "f64", xs)
        c.give("out", "f64", [fn(x) for x in xs], "" if exact else "rel=4e-15 "
               .strip())
        c.give("arg", "s32", [which])
    for which, fn in enumerate(fns):
        exact = which in (7, 8)
        c.launch("functions_f", "block=40")
        # Away from places where the result is much smaller than the argument.
        fs = [single(x) for x in xs]
        if which == 2:
            fs = [x if x < 80 else 80.0 for x in fs]
        c.give("in", "f32", fs)
        c.give("out", "f32", [single(fn(x)) for x in fs],
               "" if exact else "abs=1e-6" if which in (0, 1, 3) else "rel=1e-6")
        c.give("arg", "s32", [which])
    return c


def half():
    c, r = Cases("half"), rng("half")
    fmt = FORMATS["f16"]
    a = [fmt.round(Fraction(r.uniform(-50, 50))) for _ in range(32)]
    b = [fmt.round(Fraction(r.uniform(-3, 3))) for _ in range(32)]
    a[:4] = [0x0001, 0x7bff, 0x3c00, 0x8000]
    b[:4] = [0x0001, 0x7bff, 0x3c00, 0x0000]
    out = []
    for x, y in zip(a, b):
        s = fp.add(fmt, "rn", False, False, x, y)
        out += [s, fp.mul(fmt, "rn", False, False, x, y),
                fp.fma(fmt, "rn", False, False, x, y, s)]
        f = FORMATS["f32"]
        q = fp.div(f, "rn", False, False, f.round(fmt.value(x), "rn", fmt.negative(x)),
                   f.round(Fraction(3)))
        out.append(fmt.round(f.value(q), "rn", f.negative(q)))
    c.launch("half_math", "block=32")
    c.give("in", "f16", a)
    c.give("in", "f16", b)
    c.give("out", "f16", out)
    a2 = [x if i % 4 else b[i] for i, x in enumerate(a)]
    a2[1] = 0x7e00
    c.launch("half_compare", "block=32")
    c.give("in", "f16", a2)
    c.give("in", "f16", b)
    c.give("out", "s32", [int(fp.compare(fmt, "lt", False, x, y))
                          + 2 * int(fp.compare(fmt, "eq", False, x, y))
                          + 4 * int(fp.compare(fmt, "ge", False, x, y))
                          for x, y in zip(a2, b)])
    return c


def dynamic():
    c, r = Cases("dynamic"), rng("dynamic")
    n = 70
    xs = [r.randrange(1000) / 8 for _ in range(n)]
    index = [r.randrange(n) for _ in range(n)]
    c.launch("dynamic", "block=%d shared=%d" % (n, n * 10))
    c.give("in", "f64", xs)
    c.give("in", "s16", index)
    c.give("out", "f64", [xs[index[n - 1 - i]] * 2 for i in range(n)])
    return c


def flags():
    c = Cases("flags")
    c.launch("flags", "grid=3 block=64 fresh")
    c.give("out", "s32", [i * i + 2 for i in range(64)])
    return c


def saxpy():
    c, r = Cases("saxpy"), rng("saxpy")
    n = 333
    xs = [r.randrange(-100, 100) for _ in range(n)]
    ys = [r.randrange(-100, 100) for _ in range(n)]
    c.launch("saxpy", "grid=2 block=64")
    c.give("arg", "f32", [2.5])
    c.give("in", "f32", xs)
    c.give("inout", "f32", ys)
    c.give("expect", "f32", [2.5 * x + y for x, y in zip(xs, ys)])
    c.give("arg", "s32", [n])
    return c


def switch():
    c, r = Cases("switch"), rng("switch")
    code = [r.choice([1, 2, 3, 4, 5, 6, 7, 8, 9]) for _ in range(62)] + [0, 0]
    ins = [r.randrange(-10000, 10000) for _ in range(48)]
    outs = []
    for t, a in enumerate(ins):
        b, pc, out = t, 0, -1
        while pc < 64:
            op = code[pc]
            if op == 0:
                out = a
                break
            if op == 1:
                a = wrap32(a + b)
            elif op == 2:
                a = wrap32(a - 7)
            elif op == 3:
                a = wrap32(a * 3)
            elif op == 4:
                b = wrap32(b ^ a)
            elif op == 5:
                a = wrap32(abs(a))
            elif op == 6:
                pc += a & 1
            elif op == 7:
                a = wrap32(int(math.fmod(a, 1000)) + b)
            elif op == 8:
                b = bin(a & 0xffffffff).count("1")
            else:
                a = wrap32(~a)
            pc += 1
        outs.append(out)
    c.launch("machine", "block=48")
    c.give("in", "u8", code)
    c.give("in", "s32", ins)
    c.give("out", "s32", outs)
    xs = [0, 1, 2, 3, 4, 5, 9, 1000, -1, 8, 10, 999] * 3
    table = {0: 10, 1: 7, 2: 31, 3: -97, 4: 5, 9: 99, 1000: 1}
    c.launch("choose", "block=36")
    c.give("in", "s32", xs)
    c.give("out", "s32", [table.get(x, -x) for x in xs])
    return c


def div64():
    c, r = Cases("div64"), rng("div64")
    a = [r.getrandbits(64) - (1 << 63) for _ in range(30)] + [-1, 1 << 62, 5, -7, 0,
                                                             -(1 << 63)]
    b = [r.getrandbits(r.choice([5, 33, 62])) + 1 for _ in range(30)] + [-1, 3, -2, 2, 9, 7]
    b = [-y if i % 3 == 0 and i < 30 else y for i, y in enumerate(b)]

    def divide(x, y):
        q = abs(x) // abs(y)
        return q if (x < 0) == (y < 0) else -q
    out, m = [], (1 << 64) - 1
    for x, y in zip(a, b):
        q = divide(x, y)
        out += [q, x - q * y, (x & m) // (y & m), (x & m) % (y & m), divide(x, 1000000007),
                (x & m) % 10]
    c.launch("div64", "block=36")
    c.give("in", "s64", a)
    c.give("in", "s64", b)
    c.give("out", "s64", out)
    return c


def int128():
    c, r = Cases("int128"), rng("int128")
    a = [r.getrandbits(64) for _ in range(30)] + [0, (1 << 64) - 1]
    n, m, out = 17, (1 << 64) - 1, []
    for x in a:
        z, u = x * n - 5, x << 40
        q = abs(z) // 7 * (1 if z >= 0 else -1)
        out += [z >> 64 & m, q & m, z - 7 * q & m,
                abs(z) // n * (-1 if z >= 0 else 1) & m, u // (n * 1000003) & m,
                u % (n * 1000003) & m, x * (x * 3 & m) >> 64, u >> n & m]
    c.launch("int128", "block=32")
    c.give("in", "u64", a)
    c.give("out", "u64", out)
    c.give("arg", "s32", [n])
    return c


def printing():
    c = Cases("print")
    c.launch("print", "block=4")
    c.give("arg", "s32", [-70000])
    c.give("arg", "f32", [2.5])
    c.give("in", "u8", [ord(x) for x in "text"] + [0])
    # Lanes 0 and 1 print after lane 3, as the source has it.
    c.say('print "text: n=-70000 f=2.500 x 4900000000 %\\nthread 0 of block 0\\n'
          'thread 1 of block 0\\n"')
    c.launch("check", "block=20")
    c.give("in", "s32", [3] * 17 + [10, 3, 3])
    c.say("fault 710")
    c.say('error "thread: [17,0,0] Assertion `in[threadIdx.x] < 10` failed."')
    c.launch("check", "block=17")
    c.give("in", "s32", [3] * 17)
    return c


def matmul():
    c, r = Cases("matmul"), rng("matmul")
    n = 16
    a = [r.randrange(-9, 10) for _ in range(n * n)]
    b = [r.randrange(-9, 10) for _ in range(n * n)]
    c.launch("matmul", "grid=2,2 block=8,8")
    c.give("in", "f32", a)
    c.give("in", "f32", b)
    c.give("out", "f32", [sum(a[y * n + k] * b[k * n + x] for k in range(n))
                          for y in range(n) for x in range(n)])
    c.give("arg", "s32", [n])
    return c


def mandelbrot():
    c = Cases("mandelbrot")
    w, h = 40, 20
    out = []
    for py in range(h):
        for px in range(w):
            cx = (px * 3 << 16) // w - (2 << 16)
            cy = (py * 2 << 16) // h - (1 << 16)
            x = y = n = 0
            while n < 100 and x * x + y * y < 4 << 32:
                x, y = ((x * x - y * y) >> 16) + cx, ((x * y) >> 15) + cy
                n += 1
            out.append(n)
    c.launch("mandelbrot", "grid=3,3 block=16,8")
    c.give("out", "u8", out)
    c.give("arg", "s32", [w])
    c.give("arg", "s32", [h])
    return c


def lambdas():
    c = Cases("lambda")
    outs = []
    for i in range(64):
        a, r = [0] * 8, 0
        for k in range(8):
            a[(k * 5 + i) & 7] = i * 3 + k * k
        for k in range(8):
            r = wrap32(r * 31 + a[k])
        outs.append(r)
    c.launch("lambdas", "block=64")
    c.give("out", "s32", outs)
    return c


def block_library():
    c, r = Cases("cub"), rng("cub")
    keys = [r.getrandbits(r.choice([5, 32])) for _ in range(256)]
    order = sorted(range(256), key=lambda i: keys[i])
    c.launch("cub_sort", "block=64")
    c.give("inout", "u32", keys)
    c.give("expect", "u32", [keys[i] for i in order])
    c.give("inout", "u16", range(256))
    c.give("expect", "u16", order)
    data = [r.randrange(-9999, 9999) for _ in range(96)]
    c.launch("cub_scan", "block=96")
    c.give("in", "s32", data)
    c.give("out", "s32", [0] + sums(data)[:-1])
    c.give("out", "s64", [sum(x * x for x in data)])
    return c


def cooperative():
    c, r = Cases("coop"), rng("coop")
    data = [r.randrange(100) for _ in range(96)]
    out = []
    for i in range(96):
        out.append(sum(data[i // 8 * 8:i // 8 * 8 + 8]))
    c.launch("tiles", "block=96")
    c.give("in", "s32", data)
    c.give("out", "s32", [x + int(x > 500) for x in out])
    chosen = [x for x in data if x % 3 == 0]
    c.launch("aggregated", "block=96")
    c.give("in", "s32", data)
    c.give("inout", "s32", [0])
    c.give("expect", "s32", [len(chosen)])
    c.give("inout", "s32", [-1] * 96)
    c.give("expect", "s32", sorted(chosen) + [-1] * (96 - len(chosen)), "set")
    return c


def mlir():
    c, r = Cases("vecadd"), rng("vecadd")
    xs = [r.randrange(-100, 100) / 4 for _ in range(100)]
    ys = [r.randrange(-100, 100) / 4 for _ in range(100)]
    c.launch("vecadd", "grid=4 block=32")
    c.give("in", "f32", xs)
    c.give("in", "f32", ys)
    c.give("out", "f32", [x + y for x, y in zip(xs, ys)])
    c.give("arg", "u64", [100])
    data = [r.randrange(-1000, 1000) for _ in range(100)]
    c.launch("total", "block=100")
    c.give("in", "s32", data)
    c.give("out", "s32", [sum(data)] * 100)
    return c


def cases():
    return [reduce(), scan(), bitonic(), stencil(), transpose(), histogram(), table(),
            spinlock(), search(), montecarlo(), recursion(), templates(), byvalue(),
            functions(), half(), dynamic(), flags(), saxpy(), switch(), div64(), int128(),
            printing(),
            matmul(), mandelbrot(), lambdas(), block_library(), cooperative(),
            mlir()]
