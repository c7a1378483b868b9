# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of kernels that search, count and solve: integers and structures."""

from ..cases import Cases, single
from ..values import rng


def bigint():
    c, r = Cases("bigint"), rng("bigint")
    size = 512
    m = r.getrandbits(size) | 1 | 1 << size - 1
    base = [r.getrandbits(size) % m for _ in range(7)] + [m - 1]
    exponent = [r.getrandbits(12) for _ in range(5)] + [0, 1, 65537]

    def words(x, n=16):
        return [x >> 32 * i & 0xffffffff for i in range(n)]
    c.launch("power", "grid=2 block=4")
    c.give("in", "u32", [w for x in base for w in words(x)])
    c.give("in", "u32", exponent)
    c.give("in", "u32", words(m))
    c.give("in", "u32", words((1 << 2 * size) % m))
    c.give("out", "u32", [w for x, e in zip(base, exponent) for w in words(pow(x, e, m))])
    index = [0, 1, 2, 93, 94, 186, 187, 300, 365, 369]
    out = []
    for n in index:
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        out += [a >> 64 * i & (1 << 64) - 1 for i in range(4)]
    c.launch("fibonacci", "block=%d" % len(index))
    c.give("in", "s32", index)
    c.give("out", "u64", out)
    return c


def solve(cells, steps):
    """Fills the first empty cell with the smallest digit that works, and so on."""
    if 0 not in cells:
        return cells
    at = cells.index(0)
    row, col = divmod(at, 9)
    seen = {cells[row * 9 + i] for i in range(9)} | {cells[i * 9 + col] for i in range(9)}
    seen |= {cells[(row // 3 * 3 + i) * 9 + col // 3 * 3 + j]
             for i in range(3) for j in range(3)}
    for digit in range(1, 10):
        if digit not in seen:
            steps[0] += 1
            done = solve(cells[:at] + [digit] + cells[at + 1:], steps)
            if done:
                return done
    return None


def sudoku():
    c, r = Cases("sudoku"), rng("sudoku")
    puzzles, solved, steps = [], [], []
    while len(puzzles) < 6:
        order = [b * 3 + i for b in r.sample(range(3), 3) for i in r.sample(range(3), 3)]
        digit = r.sample(range(1, 10), 9)
        full = [digit[(order[y] * 3 + order[y] // 3 + x) % 9] for y in range(9)
                for x in range(9)]
        cells = list(full)
        for at in r.sample(range(81), 44 if len(puzzles) < 5 else 0):
            cells[at] = 0
        count = [0]
        done = solve(cells, count)
        if count[0] < 600:
            puzzles.append(cells)
            solved.append(done)
            steps.append(count[0])

    def text(boards):
        return [x + 48 for board in boards for x in board]
    c.launch("sudoku", "block=32")
    c.give("in", "u8", text(puzzles))
    c.give("out", "u8", text(solved))
    c.give("arg", "s32", [len(puzzles)])
    c.give("out", "s32", steps)
    for n, count in ((6, 4), (7, 40)):
        c.launch("queens", "grid=2 block=32")
        c.give("arg", "s32", [n])
        c.give("inout", "s32", [0])
        c.give("expect", "s32", [count])
    return c


def tridiagonal():
    c, r = Cases("tridiagonal"), rng("tridiagonal")

    def system(n):
        low, up = ([r.randrange(-8, 9) / 8 for _ in range(n)] for _ in range(2))
        return low, [r.randrange(18, 40) / 8 for _ in range(n)], up

    def times(matrix, x):
        low, mid, up = matrix
        n = len(x)
        return [(low[i] * x[i - 1] if i else 0) + mid[i] * x[i]
                + (up[i] * x[i + 1] if i + 1 < n else 0) for i in range(n)]
    n = 50
    matrices = [system(n) for _ in range(2)]
    xs = [[r.randrange(-9, 10) for _ in range(n)] for _ in range(2)]
    c.launch("cyclic", "grid=2 block=64 shared=%d" % (n * 32))
    for part in range(3):
        c.give("in", "f64", [v for m in matrices for v in m[part]])
    c.give("in", "f64", [v for m, x in zip(matrices, xs) for v in times(m, x)])
    c.give("out", "f64", sum(xs, []), "abs=1e-12")
    c.give("arg", "s32", [n])
    n, systems = 20, 24
    matrix = system(n)
    xs = [[r.randrange(-9, 10) for _ in range(n)] for _ in range(systems)]
    rights = [times(matrix, x) for x in xs]
    c.launch("thomas", "block=32")
    for part in matrix:
        c.give("in", "f32", part)
    c.give("in", "f32", [b[i] for i in range(n) for b in rights])
    c.give("out", "f32", [x[i] for i in range(n) for x in xs], "abs=2e-5")
    c.give("arg", "s32", [n])
    c.give("arg", "s32", [systems])
    return c


def smallest(n, edges):
    """For each vertex the smallest one that it is connected to."""
    near, label = [[] for _ in range(n)], [-1] * n
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    for v in range(n):
        todo = [v] if label[v] < 0 else []
        while todo:
            at = todo.pop()
            if label[at] < 0:
                label[at] = v
                todo += near[at]
    return label


def unionfind():
    c, r = Cases("unionfind"), rng("unionfind")
    n, count = 150, 130
    edges = [(r.randrange(n), r.randrange(n)) for _ in range(count)]
    edges += [(i, i + 1) for i in range(40, 60)]
    label = smallest(n, edges)
    c.launch("components", "block=128")
    c.give("in", "s32", [v for e in edges for v in e])
    c.give("arg", "s32", [len(edges)])
    c.give("out", "s32", label)
    c.give("arg", "s32", [n])
    c.give("inout", "s32", [0])
    c.give("expect", "s32", [len(set(label))])
    w, h = 24, 14
    image = [r.choice([0, 0, 0, 1, 2]) for _ in range(w * h)]
    edges = [(i, i + 1) for i in range(w * h) if (i + 1) % w and image[i] == image[i + 1]]
    edges += [(i, i + w) for i in range(w * h - w) if image[i] == image[i + w]]
    c.launch("regions", "block=96")
    c.give("in", "u8", image)
    c.give("arg", "s32", [w])
    c.give("arg", "s32", [h])
    c.give("out", "s32", smallest(w * h, edges))
    return c


def joined(words):
    start, text = [], []
    for word in words:
        start.append(len(text))
        text += [ord(x) for x in word] + [0]
    return text, start


def trie():
    c, r = Cases("trie"), rng("trie")
    words = ["".join(r.choice("abcd") for _ in range(r.randrange(1, 7))) for _ in range(90)]
    words += ["abracadabra", "abraca", "zzz", "z"]
    queries = ["a", "ab", "abc", "abra", "abracadabra", "z", "zz", "zzzz", "q"] + words[:20]
    text, start = joined(words)
    query, begin = joined(queries)
    c.launch("lookup", "block=128")
    c.give("in", "u8", text)
    c.give("in", "s16", start)
    c.give("arg", "s32", [len(words)])
    c.give("in", "u8", query)
    c.give("in", "s16", begin)
    c.give("arg", "s32", [len(queries)])
    c.give("inout", "s32", [-1] * (28 * (len(text) * 2)))
    c.give("inout", "s32", [1])
    c.give("out", "s16", [v for q in queries for v in (
        words.count(q), sum(w.startswith(q) for w in words))])
    return c


def aggregate():
    c, r = Cases("aggregate"), rng("aggregate")
    n = 150
    key = [r.randrange(9) if i < 96 else 5 for i in range(n)]
    value = [r.randrange(-50, 50) for _ in range(n)]
    c.launch("by_key", "grid=3 block=64")
    c.give("in", "s32", key)
    c.give("in", "s32", value)
    c.give("inout", "s32", [0] * 9)
    c.give("expect", "s32", [sum(v for k, v in zip(key, value) if k == j) for j in range(9)])
    c.give("inout", "s32", [0] * 9)
    c.give("expect", "s32", [sum(j in key[w:w + 32] for w in range(0, n, 32))
                             for j in range(9)])
    c.give("arg", "s32", [n])
    key = [4] * 32 + [4] * 31 + [3] + [-7] * 32 + [r.randrange(2) for _ in range(32)]
    c.launch("uniform_warps", "grid=2 block=64")
    c.give("in", "s32", key)
    c.give("out", "s32", [1, -1, 1, -1])
    data = [r.randrange(-64, 64) / 4 for _ in range(200)]
    kept = [x for x in data if x > 5]
    c.launch("compact", "grid=3 block=96")
    c.give("in", "f32", data)
    c.give("arg", "s32", [200])
    c.give("arg", "f32", [5])
    c.give("inout", "f32", [-1] * 200)
    c.give("expect", "f32", kept + [-1] * (200 - len(kept)), "set")
    c.give("inout", "s32", [0])
    c.give("expect", "s32", [len(kept)])
    c.launch("masks", "grid=2 block=70")
    c.give("inout", "s32", [0])
    c.give("expect", "s32", [0])
    return c


def edit(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        new = [i + 1]
        for j, y in enumerate(b):
            new.append(min(row[j + 1] + 1, new[j] + 1, row[j] + (x != y)))
        row = new
    return row[-1]


def local(a, b):
    """The best score of a local alignment with affine gaps, per column: (score, row)."""
    bad = -1000
    h = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    e = [[bad] * (len(b) + 1) for _ in range(len(a) + 1)]
    f = [[bad] * (len(b) + 1) for _ in range(len(a) + 1)]
    best = [(0, 0)] * len(b)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            e[i][j] = max(h[i - 1][j] - 5, e[i - 1][j] - 1)
            f[i][j] = max(h[i][j - 1] - 5, f[i][j - 1] - 1)
            s = 3 if a[i - 1] == b[j - 1] else -2
            h[i][j] = max(0, h[i - 1][j - 1] + s, e[i][j], f[i][j])
            if h[i][j] > best[j - 1][0]:
                best[j - 1] = h[i][j], i - 1
    return best


def levenshtein():
    c, r = Cases("levenshtein"), rng("levenshtein")
    pairs = []
    for _ in range(5):
        a = [r.choice(b"acgt") for _ in range(r.randrange(20, 60))]
        b = [x for x in a if r.randrange(5)] + [r.choice(b"acgt")
                                                for _ in range(r.randrange(20))]
        pairs.append((a, b))
    pairs.append(([], list(b"abc")))
    c.launch("distance", "grid=%d block=128" % len(pairs))
    for side in (0, 1):
        c.give("in", "u8", [x for p in pairs for x in p[side] + [0] * (128 - len(p[side]))])
    for side in (0, 1):
        c.give("in", "s32", [len(p[side]) for p in pairs])
    c.give("out", "s32", [edit(*p) for p in pairs])
    b = [r.choice(b"acgt") for _ in range(27)]
    a = [r.choice(b"acgt") for _ in range(30)] + b[3:12] + [ord("a")] * 2 + b[12:25] + \
        [r.choice(b"acgt") for _ in range(11)]
    best = max(score for score, _ in local(a, b))
    where = [(row, column) for column, (score, row) in enumerate(local(a, b))
             if score == best]
    assert len(where) == 1
    c.launch("align", "block=32")
    c.give("in", "u8", a)
    c.give("in", "u8", b)
    c.give("arg", "s32", [len(a)])
    c.give("arg", "s32", [len(b)])
    c.give("out", "s32", [best])
    c.give("out", "s32", where[0])
    return c


def cuckoo():
    c, r = Cases("cuckoo"), rng("cuckoo")
    keys = r.sample(range(1, 5000), 110)
    values = [r.randrange(1, 1 << 30) for _ in keys]
    queries = keys[::2] + r.sample(range(5000, 9000), 60)
    table = dict(zip(keys, values))
    c.launch("cuckoo", "block=96")
    c.give("in", "u32", [x for pair in zip(keys, values) for x in pair])
    c.give("arg", "s32", [len(keys)])
    c.give("inout", "u64", [0] * 256)
    c.give("in", "u32", queries)
    c.give("arg", "s32", [len(queries)])
    c.give("out", "s32", [table.get(q, -1) for q in queries])
    c.give("inout", "s32", [0])
    c.give("expect", "s32", [0])
    return c


def floyd():
    c, r = Cases("floyd"), rng("floyd")
    n, far = 20, 1 << 20
    weight = [[r.randrange(1, 100) if i != j and r.randrange(6) == 0 else 0
               for j in range(n)] for i in range(n)]
    d = [[0 if i == j else weight[i][j] or far for j in range(n)] for i in range(n)]
    hop = [[j if i == j or weight[i][j] else -1 for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
                    hop[i][j] = hop[i][k]
    c.launch("floyd", "block=32,32")
    c.give("in", "s32", sum(weight, []))
    c.give("out", "s32", sum(d, []))
    c.give("out", "s8", sum(hop, []))
    c.give("arg", "s32", [n])
    edges = [(i, j, weight[i][j]) for i in range(n) for j in range(n) if weight[i][j]]
    c.launch("relax", "block=64")
    c.give("in", "s32", [x for e in edges for x in e])
    c.give("arg", "s32", [len(edges)])
    c.give("inout", "s32", [0] + [far * 2] * (n - 1))
    c.give("expect", "s32", [x if x < far else far * 2 for x in d[0]])
    c.give("inout", "s32", [7])
    c.give("expect", "s32", [0])
    return c


def cases():
    return [bigint(), sudoku(), tridiagonal(), unionfind(), trie(), aggregate(),
            levenshtein(), cuckoo(), floyd()]
