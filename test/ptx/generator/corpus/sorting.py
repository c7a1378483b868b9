# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of kernels that sort, scan and search."""

from ..cases import Cases, sums
from ..values import rng


def radixsort():
    c, r = Cases("radixsort"), rng("radixsort")
    for n in (700, 33):
        keys = [r.getrandbits(r.choice([8, 32])) for _ in range(n)]
        c.launch("radixsort", "block=256")
        c.give("inout", "u32", keys)
        c.give("expect", "u32", sorted(keys))
        c.give("inout", "u32", [0] * n)
        c.give("arg", "s32", [n])
    return c


def mergesort():
    c, r = Cases("mergesort"), rng("mergesort")
    for n, block in ((500, 64), (77, 16)):
        keys = [r.randrange(-40, 40) for _ in range(n)]
        order = sorted(range(n), key=lambda i: keys[i])
        c.launch("mergesort", "block=%d shared=%d" % (block, block * 8 * 4 * 2))
        c.give("inout", "s16", [x for i in range(n) for x in (keys[i], i)])
        c.give("expect", "s16", [x for i in order for x in (keys[i], i)])
        c.give("arg", "s32", [n])
    return c


def quicksort():
    c, r = Cases("quicksort"), rng("quicksort")
    for kernel, threads, width in (("recursive", 20, 24), ("iterative", 24, 20)):
        rows = [[r.randrange(-60, 60) / 4 for _ in range(width)] for _ in range(threads)]
        c.launch(kernel, "grid=2 block=%d" % (threads // 2))
        c.give("inout", "f32", sum(rows, []))
        c.give("expect", "f32", sum(map(sorted, rows), []))
        c.give("arg", "s32", [width])
        if kernel == "iterative":
            c.give("inout", "s32", [0])
            c.give("expect", "s32", [0])
    return c


def lookback():
    c, r = Cases("lookback"), rng("lookback")
    for n, block in ((900, 64), (700, 256), (300, 32)):
        data = [r.randrange(256) for _ in range(n)]
        c.launch("lookback", "grid=%d block=%d fresh timeout=60" % ((n - 1) // block + 1, block))
        c.give("in", "u8", data)
        c.give("out", "u32", sums(data))
        c.give("arg", "s32", [n])
    return c


def graph(r, vertices, edges):
    """An undirected graph in CSR form: starts, targets; and a set of neighbours."""
    near = [set() for _ in range(vertices)]
    for _ in range(edges):
        a, b = r.randrange(vertices), r.randrange(vertices)
        if a != b:
            near[a].add(b)
            near[b].add(a)
    start, target = [0], []
    for v in range(vertices):
        target += sorted(near[v])
        start.append(len(target))
    return start, target


def levels(start, target, source):
    level = [-1] * (len(start) - 1)
    level[source], queue = 0, [source]
    for v in queue:
        for t in target[start[v]:start[v + 1]]:
            if level[t] < 0:
                level[t] = level[v] + 1
                queue.append(t)
    return level


def bfs():
    c, r = Cases("bfs"), rng("bfs")
    n = 200
    start, target = graph(r, n, 240)
    for source in (0, 55):
        c.launch("bfs", "block=128")
        c.give("in", "s32", start)
        c.give("in", "s32", target)
        c.give("arg", "s32", [n])
        c.give("arg", "s32", [source])
        c.give("out", "s32", levels(start, target, source))
    level = levels(start, target, 0)
    c.launch("pull", "grid=4 block=64")
    c.give("in", "s32", start)
    c.give("in", "s32", target)
    c.give("arg", "s32", [n])
    c.give("arg", "s32", [3])
    c.give("inout", "s32", [v if v < 3 else -1 for v in level])
    c.give("expect", "s32", [v if v <= 3 else -1 for v in level])
    c.give("inout", "s32", [0])
    c.give("expect", "s32", [level.count(3)])
    return c


def cases():
    return [radixsort(), mergesort(), quicksort(), lookback(), bfs()]
