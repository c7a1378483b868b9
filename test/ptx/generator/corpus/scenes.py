# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of kernels around images, signals and chance."""

import math

from ..cases import Cases, single
from ..values import rng


def flat(rows):
    return [x for row in rows for x in row]


def philox4(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xd2511f53 * c[0], 0xcd9e8d57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & 0xffffffff, a >> 32 ^ c[3] ^ k[1], a & 0xffffffff]
        k = [(k[0] + 0x9e3779b9) & 0xffffffff, (k[1] + 0xbb67ae85) & 0xffffffff]
    return c


def philox():
    # The vector of the authors for zeros.
    assert philox4([0] * 4, [0] * 2) == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
    c, r = Cases("philox"), rng("philox")
    seed = 20231107
    c.launch("philox", "grid=2 block=10")
    c.give("out", "u32", flat(philox4([i, 0, t, 0], [seed, seed ^ 0xffffffff])
                              for t in range(20) for i in range(3)))
    c.give("arg", "u32", [seed])
    c.give("arg", "s32", [3])
    out = []
    for block in range(2):
        room = list(range(50))
        for i in range(49, 0, -1):
            j = philox4([i, 0, block, 1], [seed, 0])[0] * (i + 1) >> 32
            room[i], room[j] = room[j], room[i]
        out += room
    c.launch("shuffle", "grid=2 block=50")
    c.give("out", "u8", out)
    c.give("arg", "u32", [seed])
    out = []
    for t in range(64):
        x = philox4([0, 0, t, 2], [seed, 0])
        radius = math.sqrt(-2 * math.log((x[0] + 1) / 2 ** 32))
        out += [radius * math.cos(2 * math.pi * x[1] / 2 ** 32),
                radius * math.sin(2 * math.pi * x[1] / 2 ** 32)]
    c.launch("normals", "grid=2 block=32")
    c.give("out", "f64", out, "abs=1e-13")
    c.give("arg", "u32", [seed])
    n, rate, volatility = 60, 0.03125, 0.25
    spot = [r.randrange(200, 1200) / 16 for _ in range(n)]
    strike = [r.randrange(200, 1200) / 16 for _ in range(n)]
    years = [r.randrange(1, 64) / 16 for _ in range(n)]
    calls, puts = [], []
    for s, k, t in zip(spot, strike, years):
        root = volatility * math.sqrt(t)
        d1 = (math.log(s / k) + (rate + volatility ** 2 / 2) * t) / root
        n1, n2 = (math.erfc(-d / math.sqrt(2)) / 2 for d in (d1, d1 - root))
        now = k * math.exp(-rate * t)
        calls.append(single(s * n1 - now * n2))
        puts.append(single(now * (1 - n2) - s * (1 - n1)))
    c.launch("price", "block=64")
    for x in (spot, strike, years):
        c.give("in", "f32", x)
    c.give("out", "f32", calls, "abs=1e-4")
    c.give("out", "f32", puts, "abs=1e-4")
    c.give("arg", "s32", [n])
    c.give("arg", "f32", [rate])
    c.give("arg", "f32", [volatility])
    return c


def code_lengths(count):
    """Of each symbol, by joining the two lightest; the first of equals."""
    trees = [(w, i, [i]) for i, w in enumerate(count) if w]
    depth = [0] * len(count)
    node = len(count)
    while len(trees) > 1:
        trees.sort(key=lambda t: t[:2])
        a, b = trees[:2]
        for s in a[2] + b[2]:
            depth[s] += 1
        trees = trees[2:] + [(a[0] + b[0], node, a[2] + b[2])]
        node += 1
    return depth


def huffman():
    c, r = Cases("huffman"), rng("huffman")
    text = [min(r.randrange(16), r.randrange(16), r.randrange(16)) for _ in range(300)]
    depth = code_lengths([text.count(s) for s in range(16)])
    assert max(depth) <= 8
    codes, following = {}, 0
    for length in range(1, 9):
        following <<= 1
        for s in range(16):
            if depth[s] == length:
                codes[s] = format(following, "0%db" % length)
                following += 1
    bits = "".join(codes[s] for s in text)
    words = [int(bits[i:i + 32].ljust(32, "0"), 2) for i in range(0, len(bits), 32)]
    c.launch("encode", "block=96")
    c.give("in", "u8", text)
    c.give("arg", "s32", [len(text)])
    c.give("inout", "u32", [0] * (len(words) + 1))
    c.give("expect", "u32", words + [0])
    c.give("out", "u32", depth)
    c.give("out", "u32", [len(bits)])
    c.launch("decode", "block=64")
    c.give("in", "u32", words)
    c.give("arg", "u32", [len(bits)])
    c.give("in", "u32", depth)
    c.give("out", "u8", text)
    c.give("out", "s32", [len(text)])
    return c


ZIGZAG = sorted(range(64), key=lambda i: (
    i // 8 + i % 8, i // 8 if (i // 8 + i % 8) % 2 else i % 8))


def integers(x, slack=1e-3):
    """The nearest integer, or both that are as near."""
    low, high = round(x - slack), round(x + slack)
    return low if low == high else (low, high)


def transform(block, back):
    m = [[math.cos((2 * x + 1) * u * math.pi / 16) * (0.5 if u else math.sqrt(1 / 8))
          for x in range(8)] for u in range(8)]
    if back:
        m = list(zip(*m))
    half = [[sum(m[u][x] * row[x] for x in range(8)) for u in range(8)] for row in block]
    return [[sum(m[v][y] * half[y][u] for y in range(8)) for u in range(8)]
            for v in range(8)]


def dct():
    c, r = Cases("dct"), rng("dct")
    w, h, quality = 24, 16, 5
    image = [min(255, max(0, 128 + (x - 9) * 8 + (y * y) // 3 + r.randrange(-20, 20)))
             for y in range(h) for x in range(w)]
    out, chosen, pixels = [], [], [0] * (w * h)
    for by in range(0, h, 8):
        for bx in range(0, w, 8):
            block = [[image[(by + y) * w + bx + x] - 128 for x in range(8)]
                     for y in range(8)]
            scale = [1 + (1 + i // 8 + i % 8) * quality for i in range(64)]
            spread = flat(transform(block, False))
            quantised = [integers(v / s) for v, s in zip(spread, scale)]
            out += [quantised[i] for i in ZIGZAG]
            plain = [v[0] if isinstance(v, tuple) else v for v in quantised]
            chosen += [plain[i] for i in ZIGZAG]
            again = [v * s for v, s in zip(plain, scale)]
            again = transform([again[i:i + 8] for i in range(0, 64, 8)], True)
            for y in range(8):
                for x in range(8):
                    p = min(255, max(0, again[y][x] + 128))
                    pixels[(by + y) * w + bx + x] = integers(p)
    c.launch("forward", "grid=3,2 block=8,8")
    c.give("in", "u8", image)
    c.give("arg", "s32", [w])
    c.give("out", "s16", out)
    c.give("arg", "s32", [quality])
    c.launch("inverse", "grid=3,2 block=8,8")
    c.give("in", "s16", chosen)
    c.give("out", "u8", pixels)
    c.give("arg", "s32", [w])
    c.give("arg", "s32", [quality])
    pairs, counts = [], []
    for i in range(0, len(chosen), 64):
        own, zeros = [], 0
        for v in chosen[i:i + 64]:
            if v:
                own += [zeros, v]
            zeros = 0 if v else zeros + 1
        counts.append(len(own) // 2)
        pairs += own + [0, 0] + ["_"] * (128 - len(own))
    c.launch("runs", "grid=6 block=32")
    c.give("in", "s16", chosen)
    c.give("out", "s16", pairs)
    c.give("out", "s32", counts)
    return c


SPHERES = [((0.0, 0.25, 0.5), 1.0, 0.5, 200), ((-1.5, -0.5, 0.0), 0.5, 0.0, 255),
           ((1.25, -0.75, -0.5), 0.5, 0.75, 128), ((0.0, -101.0, 0.0), 100.0, 0.25, 160)]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def unit(a):
    return tuple(p / math.sqrt(dot(a, a)) for p in a)


def hit(start, way):
    best = None
    for s in SPHERES:
        to = tuple(p - q for p, q in zip(s[0], start))
        b = dot(to, way)
        d = b * b - dot(to, to) + s[1] * s[1]
        if d >= 0 and b - math.sqrt(d) > 1e-3 and (not best or b - math.sqrt(d) < best[0]):
            best = b - math.sqrt(d), s
    return best


def ray(start, way):
    total, weight, sun = 0.0, 1.0, unit((1, 2, -1.5))
    for n in range(5):
        found = hit(start, way)
        if not found:
            return total + weight * (0.5 + 0.5 * way[1]), n
        t, (centre, _, mirror, colour) = found
        at = tuple(p + t * q for p, q in zip(start, way))
        normal = unit(tuple(p - q for p, q in zip(at, centre)))
        shade = 0 if hit(at, sun) else max(0, dot(normal, sun))
        total += weight * (1 - mirror) * (0.1 + shade) * colour / 255
        weight *= mirror
        if not weight:
            return total, n
        way = tuple(p - 2 * dot(way, normal) * q for p, q in zip(way, normal))
        start = at
    return total, 5


def raytrace():
    c = Cases("raytrace")
    w, h = 24, 16
    light, bounces = [], []
    for y in range(h):
        for x in range(w):
            way = ((x - w * 0.5 + 0.25) / h, (h * 0.5 - y - 0.25) / h, 1)
            # What a slight push of the ray changes much, rounding may decide.
            seen = [ray((dx, dy, -4 + dx), unit(way))
                    for dx in (-3e-5, 0, 3e-5) for dy in (-3e-5, 0, 3e-5)]
            clear = all(n == seen[4][1] and abs(v - seen[4][0]) < 3e-3 for v, n in seen)
            light.append(single(seen[4][0]) if clear else "_")
            bounces.append(seen[4][1] if clear else "_")
    assert light.count("_") < 20
    c.launch("trace", "grid=3,2 block=8,8")
    c.give("out", "f32", light, "abs=1e-3")
    c.give("out", "u8", bounces)
    for n in (w, h, len(SPHERES)):
        c.give("arg", "s32", [n])
    words = [x for s in SPHERES for x in (*s[0], s[1], s[2], s[3] * 2.0 ** -149)]
    c.give("write spheres", "f32", words)
    return c


def cases():
    return [philox(), huffman(), dct(), raytrace()]
