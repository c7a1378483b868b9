# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""match, redux, elect: what a warp finds out together."""

from .control import ints, kernel
from .emit import File
from .values import rng

HALVES = """
    setp.lt.u32 %p3, %r10, 16;
    selp.b32 %r11, 0x0000ffff, 0xffff0000, %p3;
"""
# Lane in %r10, its member mask in %r11.
MASKS = {
    "all": ("mov.b32 %r11, -1;", lambda l: 0xffffffff),
    "halves": (HALVES, lambda l: 0xffff if l < 16 else 0xffff0000),
}


def members(mask, lane):
    return [k for k in range(32) if MASKS[mask][1](lane) >> k & 1]


def word_in(f, name, values, bits, expected, body, mask, spelling):
    """One value per lane of two warps; a result per lane."""
    n = len(values)
    load = "ld.global.b%d %%%s5, [%%rd9];" % (bits, "r" if bits == 32 else "rd")
    out = [expected(values[i - i % 32:i - i % 32 + 32], i % 32) & 0xffffffff for i in range(n)]
    kernel(f, name, "block=%d" % n,
           [ints("in", "b%d" % bits, values), ints("out", "b32", out)], """
        mad.wide.u32 %%rd9, %%i, %d, %%in;
        %s
        and.b32 %%r10, %%i, 31;
        %s
        %s
        st.global.u32 [%%out], %%r4;""" % (bits // 8, load, MASKS[mask][0], body),
           ("in", "out"), spelling)


def match(f):
    r = rng("match")
    few = [r.choice((3, 5, 0xffffffff)) for _ in range(32)] + list(range(32))
    high = [(v << 32 | 7) & 0xffffffffffffffff for v in few]
    same = [9] * 32 + [9] * 31 + [8]
    split = [1] * 16 + [2] * 16 + [1] * 8 + [4] + [1] * 23

    def any_of(mask):
        return lambda warp, l: sum(1 << k for k in members(mask, l) if warp[k] == warp[l])

    def all_of(mask):
        def found(warp, l):
            who = members(mask, l)
            if any(warp[k] != warp[l] for k in who):
                return 0
            return sum(1 << k for k in who) + 1
        return found
    for mask in MASKS:
        for bits, reg, sets in ((32, "%r5", (few, split)), (64, "%rd5", (high,))):
            for n, values in enumerate(sets):
                word_in(f, "any_b%d_%s_%d" % (bits, mask, n), values, bits, any_of(mask),
                        "match.any.sync.b%d %%r4, %s, %%r11;" % (bits, reg), mask,
                        "match.any.sync.b%d" % bits)
        for bits, reg, values in ((32, "%r5", same), (64, "%rd5", same), (32, "%r5", split)):
            word_in(f, "all_b%d_%s_%d" % (bits, mask, values is split), values, bits,
                    all_of(mask), """match.all.sync.b%d %%r4|%%p1, %s, %%r11;
                    selp.b32 %%r6, 1, 0, %%p1;
                    add.u32 %%r4, %%r4, %%r6;""" % (bits, reg), mask,
                    "match.all.sync.b%d d|p: the mask, plus 1 for a true predicate" % bits)
    word_in(f, "all_alone", same, 32, lambda warp, l: all_of("all")(warp, l) - 1
            if all_of("all")(warp, l) else 0, "match.sync.all.b32 %r4, %r5, -1;", "all",
            "match.all without a predicate, its words in the other order")


def signed(v):
    return v - (1 << 32) if v >> 31 else v


def fold(fn, mask):
    def found(warp, l):
        out = None
        for k in members(mask, l):
            out = warp[k] if out is None else fn(out, warp[k])
        return out
    return found


def redux(f):
    r = rng("redux")
    values = [r.randrange(1 << 32) for _ in range(64)]
    ops = (("add", "u32", lambda a, b: a + b), ("add", "s32", lambda a, b: a + b),
           ("and", "b32", lambda a, b: a & b), ("or", "b32", lambda a, b: a | b),
           ("xor", "b32", lambda a, b: a ^ b), ("min", "u32", min), ("max", "u32", max),
           ("min", "s32", lambda a, b: min(a, b, key=signed)),
           ("max", "s32", lambda a, b: max(a, b, key=signed)))
    for op, t, fn in ops:
        rows = values
        if op in ("and", "or"):  # few bits that differ
            rows = [0xfffffff0 | v & 15 if op == "and" else v & 0x1010 << l % 16
                    for l, v in enumerate(values)]
            rows = [v | 8 if op == "and" else v for v in rows]
        for mask in MASKS:
            word_in(f, "%s_%s_%s" % (op, t, mask), rows, 32, fold(fn, mask),
                    "redux.sync.%s.%s %%r4, %%r5, %%r11;" % (op, t), mask,
                    "redux.sync.%s.%s" % (op, t))
    word_in(f, "add_part", values, 32,
            lambda warp, l: sum(warp[:8]) if l < 8 else 77,
            """mov.u32 %r4, 77;
            setp.ge.u32 %p1, %r10, 8;
            @%p1 bra $rest;
            redux.sync.add.u32 %r4, %r5, 255;
            $rest:""", "all", "redux.sync.add.u32 by the lanes of one side of a branch")


def elect(f):
    """Whichever lane it is: one of the members, the same for all of them."""
    body = """
        and.b32 %%r10, %%i, 31;
        %s
        mov.u32 %%r4, 0;
        elect.sync %%r5|%%p1, %%r11;
        vote.sync.ballot.b32 %%r6, %%p1, %%r11;
        popc.b32 %%r7, %%r6;
        setp.eq.u32 %%p2, %%r7, 1;
        mov.u32 %%r8, 1;
        shl.b32 %%r8, %%r8, %%r5;
        setp.eq.and.b32 %%p2, %%r8, %%r6, %%p2;
        and.b32 %%r9, %%r8, %%r11;
        setp.ne.and.b32 %%p2, %%r9, 0, %%p2;
        selp.u32 %%r4, 1, 0, %%p2;
        st.global.u32 [%%out], %%r4;"""
    for mask, (setup, _) in MASKS.items():
        kernel(f, "elect_" + mask, "block=64", [ints("out", "u32", [1] * 64)], body % setup)


def files():
    f = File("warp", "match, redux, elect: whole warps, halves with masks of their own.")
    match(f)
    redux(f)
    elect(f)
    return [f]
