# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidate forms of what works on matrices."""

import itertools

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4,
        "b1": 1, "s32": 32, "e4m3": 8, "e5m2": 8}
PRODUCTS = {  # type of a (and mostly of b): those of d and c
    "f16": ["f16", "f32"], "bf16": ["f32", "bf16"], "tf32": ["f32"], "f64": ["f64"],
    "s8": ["s32"], "u8": ["s32"], "s4": ["s32"], "u4": ["s32"], "b1": ["s32"],
    "e4m3": ["f16", "f32"], "e5m2": ["f16", "f32"], "f32": ["f32"],
}
ALIKE = [{"s8", "u8"}, {"s4", "u4"}, {"e4m3", "e5m2"}]


def vector(kind, elements, start, divisor=1):
    """The registers of a fragment that has so many elements in a warp."""
    bits = BITS[kind]
    per = 1 if bits == 64 else 32 // bits
    count = max(elements // 32 // per // divisor, 1)
    name = "d" if bits == 64 else "r"
    return braces(name, start, count)


def braces(name, start, count):
    """A vector of registers, "%r0..3" standing for four of them."""
    return "{%%%s%d%s}" % (name, start, "..%d" % (start + count - 1) if count > 1 else "")


def type_pairs():
    for a in PRODUCTS:
        for b in PRODUCTS:
            if a == b or any(a in pair and b in pair for pair in ALIKE):
                yield a, b


def dense():
    shapes = [(8, 8, k) for k in (4, 16, 32, 128)] + [
        (16, 8, k) for k in (4, 8, 16, 32, 64, 128, 256)]
    for (m, n, k), (a, b) in itertools.product(shapes, type_pairs()):
        for d, c in itertools.product(PRODUCTS[a], PRODUCTS[a]):
            if (m, n, k) == (8, 8, 4) and a == "f16":
                text = " {0}, {{%r40..41}}, {{%r50..51}}, {1}".format(
                    vector(d, 256, 0), vector(c, 256, 60))
            else:
                text = " %s, %s, %s, %s" % (vector(d, m * n, 0), vector(a, m * k, 40),
                                            vector(b, k * n, 50), vector(c, m * n, 60))
            yield [["mma.sync.aligned.m%dn%dk%d" % (m, n, k)], [".row.col", ".col.row", ".row.row",
                   ".col.col"], ["", ".satfinite"], [".%s.%s.%s.%s" % (d, a, b, c)],
                   ["", ".xor.popc", ".and.popc"], [text]]


def sparse():
    for k, (a, b) in itertools.product((8, 16, 32, 64, 128), type_pairs()):
        for d, c in itertools.product(PRODUCTS[a], PRODUCTS[a]):
            data = " %s, %s, %s, %s" % (vector(d, 128, 0), vector(a, 16 * k, 40, 2),
                                        vector(b, k * 8, 50), vector(c, 128, 60))
            yield [["mma.sp"], ["", "::ordered_metadata"], [".sync.aligned.m16n8k%d.row.col" % k],
                   ["", ".satfinite"], [".%s.%s.%s.%s" % (d, a, b, c)],
                   [data + ", %%r70, 0x%d" % s for s in range(5)]]


FRAGMENTS = {  # of each type: shape: registers of a and b
    "f16": {"m16n16k16": (8, 8), "m32n8k16": (8, 8), "m8n32k16": (8, 8)},
    "bf16": {"m16n16k16": (4, 4), "m32n8k16": (8, 2), "m8n32k16": (2, 8)},
    "tf32": {"m16n16k8": (4, 4)}, "f64": {"m8n8k4": (1, 1)},
    "s8": {"m16n16k16": (2, 2), "m32n8k16": (4, 1), "m8n32k16": (1, 4)},
    "s4": {"m8n8k32": (1, 1)}, "b1": {"m8n8k128": (1, 1)},
}
FRAGMENTS["u8"], FRAGMENTS["u4"] = FRAGMENTS["s8"], FRAGMENTS["s4"]
SUMS = {"m8n8k32": 2, "m8n8k128": 2, "m8n8k4": 2}


def registers(kind, count, start=0):
    name = "d" if kind == "f64" else "r"
    return braces(name, start, count)


def sums(kind, shape):
    return 4 if kind == "f16" else SUMS.get(shape, 8)


def wmma():
    layouts = [".row", ".col"]
    spaces = ["", ".global", ".shared", ".shared::cta"]
    for kind, shapes in FRAGMENTS.items():
        for shape, counts in shapes.items():
            for which, count in zip("ab", counts):
                yield [["wmma.load.%s.sync.aligned" % which], layouts, ["." + shape], spaces,
                       ["." + kind], [" %s, [%%d9]%s" % (registers(kind, count), stride)
                                      for stride in ("", ", %r99", ", 16")]]
            for out in PRODUCTS[kind]:
                data = registers(out, sums(out, shape))
                for stride in ("", ", %r99", ", 16"):
                    yield [["wmma.load.c.sync.aligned"], layouts, ["." + shape], spaces,
                           ["." + out], [" %s, [%%d9]%s" % (data, stride)]]
                    yield [["wmma.store.d.sync.aligned"], layouts, ["." + shape], spaces,
                           ["." + out], [" [%%d9], %s%s" % (data, stride)]]
            for other, d, c in itertools.product(FRAGMENTS, PRODUCTS[kind], PRODUCTS[kind]):
                if other != kind and {other, kind} not in ALIKE:
                    continue
                text = " %s, %s, %s, %s" % (registers(d, sums(d, shape)),
                                            registers(kind, counts[0], 20),
                                            registers(kind, counts[1], 40),
                                            registers(c, sums(c, shape), 60))
                types = [".%s.%s" % (d, c), ".%s.%s.%s.%s" % (d, kind, other, c)]
                yield [["wmma.mma"], ["", ".xor.popc", ".and.popc"], [".sync.aligned"], layouts,
                       layouts, ["." + shape], types, ROUNDING if kind == "f64" else [""],
                       ["", ".satfinite"], [text]]


ROUNDING = ["", ".rn", ".rz", ".rm", ".rp"]


def matrix():
    yield from dense()
    yield from sparse()
    yield from wmma()
    for shape, count in itertools.product(("m8n8", "m16n16", "m8n16"), (1, 2, 4)):
        data = registers("b16", count)
        for kind in (".b16", ".b8", ".b8x16.b6x16_p32"):
            yield [["ldmatrix.sync.aligned." + shape], [".x%d" % count], ["", ".trans"],
                   ["", ".shared", ".shared::cta"], [kind], [" %s, [%%d9]" % data]]
            yield [["stmatrix.sync.aligned." + shape], [".x%d" % count], ["", ".trans"],
                   ["", ".shared", ".shared::cta"], [kind], [" [%%d9], %s" % data]]
    yield [["movmatrix.sync.aligned.m8n8"], ["", ".trans"], [".b16"], [" %r0, %r1"]]


DEPTHS = {"f16": 16, "bf16": 16, "tf32": 8, "s8": 32, "u8": 32, "e4m3": 32, "e5m2": 32, "b1": 256}


def asynchronous(a, b, n, tails):
    """wgmma.mma_async of one pair of types and one width."""
    for d, sparse in itertools.product(PRODUCTS[a], (0, 1)):
        data = " " + registers("r", n // 2 if BITS[d] == 32 else n // 4)
        yield [["wgmma.mma_async"], [".sp" if sparse else ""], [".sync.aligned"],
               [".m64n%dk%d" % (n, DEPTHS[a] * (1 + sparse))],
               ["", ".satfinite"], [".%s.%s.%s" % (d, a, b)], ["", ".and.popc"] if a == "b1" else [""],
               [data], [", %d0", ", " + registers("r", 4, 290)],
               [", %d1, %r299, 0" if sparse else ", %d1"], tails]


def wgmma():
    yield [["wgmma"], [".fence", ".commit_group"], ["", ".sync.aligned"], [" "]]
    yield [["wgmma.wait_group"], ["", ".sync.aligned"], [" 0", " 3"]]
    for a, b in type_pairs():
        if a in DEPTHS:
            for n in (16, 256):
                yield from asynchronous(a, b, n, [", %p0", ", 1", ", %p0, 1, -1",
                                                  ", %p0, 1, 1, 1", ", %p0, 1, 1, 0, 1"])
            tail = {"f16": ", %p0, 1, 1, 0, 0", "bf16": ", %p0, 1, 1, 0, 0", "tf32": ", %p0, 1, 1",
                    "e4m3": ", %p0, 1, 1", "e5m2": ", %p0, 1, 1"}.get(a, ", %p0")
            for n in range(8, 257, 8):
                yield from asynchronous(a, b, n, [tail])
