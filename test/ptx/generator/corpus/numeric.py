# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of numeric kernels: transforms, linear algebra, physics, images."""

import cmath
from fractions import Fraction
import math

from ..cases import Cases, single
from ..values import rng


def dft(x, sign=-1):
    n = len(x)
    root = [cmath.exp(sign * 2j * cmath.pi * k / n) for k in range(n)]
    return [sum(v * root[i * k % n] for i, v in enumerate(x)) for k in range(n)]


def fft():
    c, r = Cases("fft"), rng("fft")
    n = 256
    x = [[complex(r.randrange(-8, 9) / 8, r.randrange(-8, 9) / 8) for _ in range(n)]
         for _ in range(2)]
    c.launch("fft", "grid=2 block=64")
    c.give("in", "f32", [v for row in x for z in row for v in (z.real, z.imag)])
    c.give("out", "f32", [single(v) for row in x for z in dft(row)
                          for v in (z.real, z.imag)], "abs=3e-5")
    a = [r.randrange(-8, 9) / 8 if i < 40 else 0 for i in range(n)]
    b = [r.randrange(-8, 9) / 8 for _ in range(n)]
    c.launch("convolve", "block=128")
    c.give("in", "f32", a)
    c.give("in", "f32", b)
    c.give("out", "f32", [sum(a[k] * b[i - k] for k in range(40)) for i in range(n)],
           "abs=3e-5")
    return c


def spmv():
    c, r = Cases("spmv"), rng("spmv")
    n = 40
    x = [r.randrange(-16, 17) / 4 for _ in range(n)]
    rows = [{k: r.randrange(-32, 33) / 8
             for k in r.sample(range(n), r.choice([0, 2, 3, 5, 35]))} for _ in range(n)]
    y = [sum(v * x[k] for k, v in row.items()) for row in rows]
    entries = [(i, k, row[k]) for i, row in enumerate(rows) for k in sorted(row)]
    c.launch("csr", "grid=11 block=128")
    c.give("in", "s32", [sum(len(q) for q in rows[:i]) for i in range(n + 1)])
    c.give("in", "s32", [e[1] for e in entries])
    c.give("in", "f64", [e[2] for e in entries])
    c.give("in", "f64", x)
    c.give("out", "f64", y)
    c.give("arg", "s32", [n])
    few = [dict(list(row.items())[:5]) for row in rows]
    flat = [[list(row.items())[k] if k < len(row) else (-1, 0) for row in few]
            for k in range(5)]
    c.launch("ell", "grid=2 block=32")
    c.give("in", "s16", [e[0] for col in flat for e in col])
    c.give("in", "f32", [e[1] for col in flat for e in col])
    c.give("in", "f32", x)
    c.give("out", "f32", [sum(v * x[k] for k, v in row.items()) for row in few])
    c.give("arg", "s32", [n])
    c.give("arg", "s32", [5])
    c.launch("coo", "grid=%d block=64" % ((len(entries) + 63) // 64))
    c.give("in", "s32", [v for e in entries for v in e[:2]])
    c.give("in", "f64", [e[2] for e in entries])
    c.give("in", "f64", x)
    c.give("inout", "f64", [0] * n)
    c.give("expect", "f64", y)
    c.give("arg", "s32", [len(entries)])
    return c


def nbody():
    c, r = Cases("nbody"), rng("nbody")
    n, soft, dt = 50, 0.25, 0.125
    body = [[r.randrange(-64, 65) / 16 for _ in range(3)] + [r.randrange(1, 16) / 8]
            for _ in range(n)]
    speed = [[r.randrange(-8, 9) / 16 for _ in range(3)] + [0] for _ in range(n)]
    moved, faster = [], []
    for me, v in zip(body, speed):
        a = [0.0] * 3
        for other in body:
            d = [q - p for p, q in zip(me[:3], other[:3])]
            s = other[3] / math.sqrt(sum(k * k for k in d) + soft) ** 3
            a = [p + k * s for p, k in zip(a, d)]
        v = [p + k * dt for p, k in zip(v, a)]
        faster += v + [0]
        moved += [p + k * dt for p, k in zip(me, v)] + [me[3]]
    c.launch("nbody", "grid=2 block=32 shared=512")
    c.give("in", "f32", sum(body, []))
    c.give("out", "f32", map(single, moved), "abs=1e-5")
    c.give("inout", "f32", sum(speed, []))
    c.give("expect", "f32", map(single, faster), "abs=2e-5")
    c.give("arg", "s32", [n])
    c.give("arg", "f32", [soft])
    c.give("arg", "f32", [dt])
    e = -sum(body[i][3] * body[j][3]
             / math.sqrt(sum((p - q) ** 2 for p, q in zip(body[i][:3], body[j][:3])) + soft)
             for i in range(n) for j in range(i))
    c.launch("energy", "block=64")
    c.give("in", "f32", sum(body, []))
    c.give("arg", "s32", [n])
    c.give("arg", "f64", [soft])
    c.give("out", "f64", [e], "rel=1e-13")
    return c


def cholesky():
    c, r = Cases("cholesky"), rng("cholesky")
    n = 12
    matrix, right, lower, x, failed = [], [], [], [], []
    for system in range(3):
        low = [[r.randrange(-4, 5) if j < i else r.randrange(1, 5) if i == j else 0
                for j in range(n)] for i in range(n)]
        a = [[sum(p * q for p, q in zip(low[i], low[j])) for j in range(n)]
             for i in range(n)]
        want = [r.randrange(-5, 6) for _ in range(n)]
        bad = system == 1
        if bad:
            a[4][4] -= 100
        matrix += sum(a, [])
        right += [sum(p * q for p, q in zip(row, want)) for row in a]
        lower += ["_"] * (n * n) if bad else sum(low, [])
        x += ["_"] * n if bad else want
        failed.append(5 if bad else 0)
    c.launch("cholesky", "grid=3 block=32")
    c.give("in", "f64", matrix)
    c.give("in", "f64", right)
    c.give("out", "f64", lower, "abs=1e-9")
    c.give("out", "f64", x, "abs=1e-6")
    c.give("arg", "s32", [n])
    c.give("out", "s32", failed)
    return c


def determinant(a):
    a, det = [list(map(Fraction, row)) for row in a], Fraction(1)
    for k in range(len(a)):
        p = next(i for i in range(k, len(a)) if a[i][k])
        if p != k:
            a[k], a[p], det = a[p], a[k], -det
        det *= a[k][k]
        for i in range(k + 1, len(a)):
            f = a[i][k] / a[k][k]
            a[i] = [u - f * v for u, v in zip(a[i], a[k])]
    return float(det)


def lu():
    c, r = Cases("lu"), rng("lu")
    n = 10
    matrix, right, x, dets = [], [], [], []
    for _ in range(5):
        a = [[r.randrange(-8, 9) / 4 + (8 if (i * 3 + 4) % n == j else 0) for j in range(n)]
             for i in range(n)]
        want = [r.randrange(-5, 6) for _ in range(n)]
        matrix += sum(a, [])
        right += [sum(p * q for p, q in zip(row, want)) for row in a]
        x += want
        dets.append(single(determinant(a)))
    c.launch("solve", "grid=5 block=32")
    c.give("in", "f32", matrix)
    c.give("in", "f32", right)
    c.give("out", "f32", x, "abs=1e-4")
    c.give("out", "f32", dets, "rel=1e-4")
    return c


def kmeans():
    c, r = Cases("kmeans"), rng("kmeans")
    n, k, rounds = 150, 5, 6
    seeds = [(r.randrange(-900, 900), r.randrange(-900, 900)) for _ in range(k)]
    points = []
    for _ in range(n):
        s = r.choice(seeds)
        points.append((s[0] + r.randrange(-200, 200), s[1] + r.randrange(-200, 200)))
    centre, group, moved = points[:k], [None] * n, []
    first = list(centre)
    for _ in range(rounds):
        best = [min(range(k), key=lambda q: (p[0] - centre[q][0]) ** 2
                    + (p[1] - centre[q][1]) ** 2) for p in points]
        moved.append(sum(a != b for a, b in zip(best, group)))
        group = best
        for q in range(k):
            own = [p for p, g in zip(points, group) if g == q]
            if own:
                centre[q] = tuple(int(math.trunc(Fraction(sum(p[d] for p in own), len(own))))
                                  for d in (0, 1))
    c.launch("kmeans", "block=96")
    c.give("in", "s32", [v for p in points for v in p])
    c.give("arg", "s32", [n])
    c.give("inout", "s32", [v for p in first for v in p])
    c.give("expect", "s32", [v for p in centre for v in p])
    c.give("arg", "s32", [k])
    c.give("arg", "s32", [rounds])
    c.give("out", "u8", group)
    c.give("out", "s32", moved)
    return c


def stencil3d():
    c, r = Cases("stencil3d"), rng("stencil3d")
    nx, ny, nz = 19, 10, 4
    a = [r.randrange(-50, 51) for _ in range(nx * ny * nz)]

    def at(x, y, z):
        inside = 0 <= x < nx and 0 <= y < ny and 0 <= z < nz
        return a[(z * ny + y) * nx + x] if inside else 0
    for kernel, t, centre, side in (("heat_f32", "f32", -6, 1),
                                    ("heat_f64", "f64", 0.25, 0.125)):
        c.launch(kernel, "grid=2,2 block=16,8")
        c.give("in", t, a)
        c.give("out", t, [centre * at(x, y, z) + side * (
            at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z)
            + at(x, y, z - 1) + at(x, y, z + 1))
            for z in range(nz) for y in range(ny) for x in range(nx)])
        for n in (nx, ny, nz):
            c.give("arg", "s32", [n])
    return c


def life():
    c, r = Cases("life"), rng("life")
    w, h = 3, 25
    world = [r.getrandbits(32) & r.getrandbits(32) for _ in range(w * h)]
    cells = {(x, y) for y in range(h) for x in range(32 * w)
             if world[y * w + x // 32] >> x % 32 & 1}
    for rounds in (1, 7):
        now = cells
        for _ in range(rounds):
            near = {}
            for x, y in now:
                for dx in (-1, 0, 1):
                    for dy in (-1, 0, 1):
                        at = ((x + dx) % (32 * w), (y + dy) % h)
                        near[at] = near.get(at, 0) + ((dx, dy) != (0, 0))
            now = {p for p, n in near.items() if n == 3 or (n == 2 and p in now)}
        out = [0] * (w * h)
        for x, y in now:
            out[y * w + x // 32] |= 1 << x % 32
        c.launch("life", "block=3,16 shared=%d" % (w * h * 8))
        c.give("inout", "u32", world)
        c.give("expect", "u32", out)
        for n in (w, h, rounds):
            c.give("arg", "s32", [n])
        c.give("inout", "s32", [0])
        c.give("expect", "s32", [len(now)])
    return c


def convolution():
    c, r = Cases("convolution"), rng("convolution")
    w, h = 21, 11
    weight = [-4, 14, 60, 116, 60, 14, -4]

    def shape():
        c.give("arg", "s32", [w])
        c.give("arg", "s32", [h])

    def near(image, x, y):
        return image[max(0, min(y, h - 1)) * w + max(0, min(x, w - 1))]
    image = [tuple(r.choice([0, 255, r.randrange(256)]) for _ in range(4))
             for _ in range(w * h)]
    out = []
    for y in range(h):
        for x in range(w):
            for ch in range(3):
                s = sum(near(image, x + i - 3, y + j - 3)[ch] * weight[i] * weight[j]
                        for i in range(7) for j in range(7))
                out.append(max(0, min(255, s + (1 << 15) >> 16)))
            out.append(image[y * w + x][3])
    c.launch("blur", "grid=2,2 block=16,8")
    c.give("in", "u8", [v for p in image for v in p])
    c.give("out", "u8", out)
    shape()
    c.give("write weight", "s16", weight)
    grey = [p[0] for p in image]
    out = []
    for y in range(h):
        for x in range(w):
            def g(dx, dy):
                return near(grey, x + dx, y + dy)
            gx = sum(k * (g(1, j) - g(-1, j)) for j, k in ((-1, 1), (0, 2), (1, 1)))
            gy = sum(k * (g(i, 1) - g(i, -1)) for i, k in ((-1, 1), (0, 2), (1, 1)))
            out.append(min(255, int(math.sqrt(gx * gx + gy * gy) + 0.5)))
    c.launch("sobel", "grid=3,3 block=8,4")
    c.give("in", "u8", grey)
    c.give("out", "u8", out)
    shape()
    c.launch("median", "grid=2,3 block=16,4")
    c.give("in", "u8", grey)
    c.give("out", "u8", [sorted(near(grey, x + i, y + j) for i in (-1, 0, 1)
                                for j in (-1, 0, 1))[4]
                         for y in range(h) for x in range(w)])
    shape()
    return c


def cases():
    return [fft(), spmv(), nbody(), cholesky(), lu(), kmeans(), stencil3d(), life(),
            convolution()]
