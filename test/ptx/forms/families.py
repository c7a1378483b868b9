# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidate forms: more than is legal, so that ptxas may say where the borders are.

A family is a list of products. "@t" in a product is a type, and the operands after it
follow from the types: "d0" is register 0 of the first type, "a1" register 1 of the last."""

import itertools

INTEGERS = "u8 s8 u16 s16 u32 s32 u64 s64".split()
BITS = "b8 b16 b32 b64 b128".split()
HALVES = "f16 bf16 f16x2 bf16x2".split()
FLOATS = "f32 f64".split()
ODD = "u16x2 s16x2 f32x2 tf32".split()
SCALARS = INTEGERS + BITS + HALVES + FLOATS + ODD + ["pred"]

ROUNDING = ["", ".rn", ".rz", ".rm", ".rp"]
CONVERSIONS = ROUNDING + [".rna", ".rni", ".rzi", ".rmi", ".rpi"]
FTZ = ["", ".ftz"]
SAT = ["", ".sat"]
COMPARISONS = ("eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan").split()
SCOPES = ["", ".cta", ".cluster", ".gpu", ".sys"]


def size(name):
    if name == "pred":
        return 0
    if name in ("e4m3", "e5m2", "e2m1", "e3m2", "e2m3", "ue8m0", "e2m1x2"):
        return 8
    if name in ("e4m3x2", "e5m2x2", "ue8m0x2", "e2m3x2", "e3m2x2"):
        return 16
    if name in ("f16x2", "bf16x2", "tf32", "u16x2", "s16x2", "u8x4", "s8x4", "e4m3x4", "e5m2x4"):
        return 32
    if name in ("u4", "s4", "u2", "s2", "b1"):
        return 32
    if name == "f32x2":
        return 64
    return int("".join(c for c in name if c.isdigit()))


def register(name, n):
    return {0: "%p", 8: "%h", 16: "%h", 32: "%r", 64: "%d", 128: "%q"}[size(name)] + str(n)


def same(*counts):
    """All operands of the last type: as many as @counts say."""
    return [lambda t, n=n: ", ".join(register(t[-1], i) for i in range(n)) for n in counts]


def ops(*texts):
    """Operands in words: "T0" register 0 of the last type, "D0" of the first; others stand."""
    def maker(text):
        def make(t):
            words = []
            for word in text.split(" "):
                comma = "," if word.endswith(",") else ""
                word = word.rstrip(",")
                if word[0] in "TD" and word[1:].isdigit():
                    word = register(t[-1] if word[0] == "T" else t[0], int(word[1:]))
                words.append(word + comma)
            return " ".join(words)
        return make
    return [maker(text) for text in texts]


def family(base, slots, types, operands, tail=""):
    """Yields products (a tuple of pieces) for every choice of @types and of @operands.

    @slots: the choices of modifiers before the types; @types: strings "f32" or "f32.f16"."""
    for kind in types:
        for make in operands:
            text = make(kind.split(".")) if kind else make(["b32"])
            yield [[base]] + slots + [["." + kind if kind else ""], [tail + " " + text]]


def pairs(first, second):
    return [a + "." + b for a, b in itertools.product(first, second)]


def arithmetic():
    for base in ("add", "sub"):
        yield from family(base, [ROUNDING, FTZ, SAT, ["", ".cc"]], SCALARS,
                          same(3) + ops("T0, T1, 1"))
        yield from family(base, [ROUNDING, FTZ, SAT], ["f32.f16", "f32.bf16", "f64.f32"],
                          ops("D0, T1, D2"))
    for base in ("addc", "subc"):
        yield from family(base, [["", ".cc"]], SCALARS, same(3))
    yield from family("mul", [["", ".lo", ".hi", ".wide"], ROUNDING, FTZ, SAT],
                      SCALARS, same(3))
    yield from family("mul", [[".wide"]], ["u16", "s16"], ops("%r0, T1, T2", "%r0, T1, 7"))
    yield from family("mul", [[".wide"]], ["u32", "s32"], ops("%d0, T1, T2"))
    yield from family("mul24", [["", ".lo", ".hi"], SAT], SCALARS, same(3))
    yield from family("mad", [["", ".lo", ".hi", ".wide"], ROUNDING, FTZ, SAT, ["", ".cc"]],
                      SCALARS, same(4))
    yield from family("mad", [[".wide"]], ["u16", "s16"], ops("%r0, T1, T2, %r3"))
    yield from family("mad", [[".wide"]], ["u32", "s32"], ops("%d0, T1, T2, %d3"))
    yield from family("madc", [["", ".lo", ".hi"], ["", ".cc"]], SCALARS, same(4))
    yield from family("mad24", [["", ".lo", ".hi"], SAT], SCALARS, same(4))
    yield from family("fma", [ROUNDING, FTZ, SAT, ["", ".relu"], ["", ".oob"]], SCALARS, same(4))
    yield from family("fma", [ROUNDING, FTZ, SAT], ["f32.f16", "f32.bf16"], ops("D0, T1, T2, D3"))
    yield from family("div", [["", ".approx", ".full"] + ROUNDING[1:], FTZ], SCALARS, same(3))
    yield from family("rem", [[""]], SCALARS, same(3))
    yield from family("sad", [[""]], SCALARS, ops("T0, T1, T2, T3"))
    for base in ("abs", "neg"):
        yield from family(base, [FTZ, SAT], SCALARS, same(2))
    for base in ("min", "max"):
        yield from family(base, [FTZ, ["", ".NaN"], ["", ".xorsign.abs", ".abs"], ["", ".relu"]],
                          SCALARS, same(3))
        yield from family(base, [FTZ, ["", ".NaN"], ["", ".abs"]], ["f32", "s32"], same(4))
    for base in ("rcp", "sqrt", "rsqrt"):
        yield from family(base, [["", ".approx"] + ROUNDING[1:], FTZ], SCALARS, same(2))
    for base in ("sin", "cos", "lg2", "ex2", "tanh"):
        yield from family(base, [["", ".approx"], FTZ], SCALARS, same(2))
    yield from family("copysign", [[""]], SCALARS, same(3))
    yield from family("testp", [[".finite", ".infinite", ".number", ".notanumber", ".normal",
                                ".subnormal"]], SCALARS, ops("%p0, T1"))
    yield from family("dp4a", [[""]], pairs(("u32", "s32", "u8"), ("u32", "s32")), same(4))
    yield from family("dp2a", [["", ".lo", ".hi"]], pairs(("u32", "s32"), ("u32", "s32")), same(4))


def logic():
    for base in ("and", "or", "xor"):
        yield from family(base, [[""]], SCALARS, same(3) + ops("T0, T1, 1"))
    for base in ("not", "cnot"):
        yield from family(base, [[""]], SCALARS, same(2))
    for base in ("shl", "shr"):
        yield from family(base, [[""]], SCALARS, ops("T0, T1, %r2", "T0, T1, 3"))
    yield from family("shf", [[".l", ".r"], ["", ".clamp", ".wrap"]], SCALARS, ops("T0, T1, T2, %r3"))
    for base in ("popc", "clz"):
        yield from family(base, [[""]], SCALARS, ops("%r0, T1"))
    yield from family("brev", [[""]], SCALARS, same(2))
    yield from family("bfind", [["", ".shiftamt"]], SCALARS, ops("%r0, T1"))
    yield from family("bfe", [[""]], SCALARS, ops("T0, T1, %r2, %r3", "T0, T1, 4, 8"))
    yield from family("bfi", [[""]], SCALARS, ops("T0, T1, T2, %r3, %r4", "T0, T1, T2, 4, 8"))
    yield from family("bmsk", [["", ".clamp", ".wrap"]], SCALARS, same(3))
    yield from family("szext", [["", ".clamp", ".wrap"]], SCALARS, ops("T0, T1, %r2"))
    yield from family("fns", [[""]], SCALARS, ops("T0, T1, %r2, %r3"))
    yield from family("prmt", [[""]], SCALARS, same(4), "")
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        for kind in ("b32", "u32"):
            yield [["prmt." + kind], ["." + mode], [" %r0, %r1, %r2, %r3"]]
    yield from family("lop3", [["", ".and", ".or", ".xor"]], SCALARS,
                      ops("T0, T1, T2, T3, 0x1e", "T0|%p0, T1, T2, T3, 0x1e, %p1",
                          "_|%p0, T1, T2, T3, 0x1e, !%p1"))


def comparisons():
    kinds = [k for k in SCALARS]
    compare = ["." + c for c in COMPARISONS]
    yield from family("setp", [compare, FTZ], kinds, ops("%p0, T1, T2", "%p0|%p1, T1, T2"))
    yield from family("setp", [compare, [".and", ".or", ".xor"], FTZ], kinds,
                      ops("%p0, T1, T2, %p2", "%p0|%p1, T1, T2, !%p2"))
    targets = INTEGERS + HALVES + FLOATS + ["b32"]
    yield from family("set", [compare, FTZ], pairs(targets, kinds), ops("D0, T1, T2"))
    yield from family("set", [[".eq", ".lt"], [".and", ".or", ".xor"], FTZ], pairs(targets, kinds),
                      ops("D0, T1, T2, %p2"))
    yield from family("selp", [[""]], SCALARS, ops("T0, T1, T2, %p0", "T0, T1, 1, !%p0"))
    yield from family("slct", [FTZ], pairs(SCALARS, SCALARS), ops("D0, D1, D2, T3"))


def conversions():
    kinds = INTEGERS + ["f16", "bf16", "f32", "f64", "tf32", "b16", "b32"]
    yield from family("cvt", [CONVERSIONS, ["", ".ftz"], ["", ".sat"]], pairs(kinds, kinds),
                      ops("D0, T1"))
    yield from family("cvt", [CONVERSIONS, ["", ".ftz"], ["", ".relu"], ["", ".satfinite"], ["", ".sat"]],
                      pairs(["f16", "bf16", "tf32", "f32"], ["f32", "f16", "bf16", "f64"]),
                      ops("D0, T1"))
    small = ["e4m3x2", "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2"]
    half = ["f16x2", "bf16x2"]
    short = [".rn", ".rz", ".rna", ".rp", ".rs", ""]
    finish = [["", ".relu"], ["", ".satfinite"]]
    yield from family("cvt", [short] + finish, pairs(half + small, ["f32"]), ops("D0, T1, T2"))
    yield from family("cvt", [short] + finish, pairs(half, ["f32"]), ops("D0, T1, T2, %r3"))
    yield from family("cvt", [short] + finish, pairs(half + small, half + small), ops("D0, T1"))
    yield from family("cvt.pack", [SAT], pairs(["u16", "s16", "u32"], ["s32", "u32"]), same(3))
    yield from family("cvt.pack", [SAT], [a + "." + b + ".b32" for a in
                      ("u2", "s2", "u4", "s4", "u8", "s8", "u16") for b in ("s32", "u32")],
                      same(4))
    # a register may be wider than what is converted
    kinds = INTEGERS + HALVES[:2] + FLOATS
    yield from family("cvt", [["", ".rn", ".rzi"]], pairs(kinds, kinds),
                      ops("%r0, %d1", "%d0, %r1", "%d0, %d1", "%r0, %r1", "%r0, T1", "D0, %r1"))


def moves():
    yield from family("mov", [[""]], SCALARS, ops("T0, T1", "T0, 1"))
    for text in ("{%h0, %h1}, %r0", "{%h0, _}, %r0"):
        yield [["mov"], [".b32", ".u32", ".f32"], [" " + text]]
    for text in ("%r0, {%h0, %h1}",):
        yield [["mov"], [".b32", ".u32"], [" " + text]]
    for text in ("{%r0, %r1}, %d0", "{_, %r1}, %d0", "%d0, {%r0, %r1}",
                 "{%h0, %h1, %h2, %h3}, %d0", "%d0, {%h0, %h1, %h2, %h3}"):
        yield [["mov"], [".b64"], [" " + text]]
    for text in ("{%d0, %d1}, %q0", "%q0, {%d0, %d1}", "{%r0, %r1, %r2, %r3}, %q0",
                 "%q0, {%r0, %r1, %r2, %r3}", "{_, %d1}, %q0"):
        yield [["mov"], [".b128"], [" " + text]]
    for name in ("g", "s", "c", "l", "a", "g+4", "f", "k"):
        yield [["mov"], [".u64", ".b64", ".u32"], [(" %r0, " if False else " %d0, ") + name]]
    for special in SPECIALS:
        for kind, target in (("u32", "%r0"), ("u64", "%d0"), ("pred", "%p0"), ("b32", "%r0"),
                             ("u16", "%h0")):
            yield [["mov." + kind], [" " + target + ", %" + special]]
    spaces = [".global", ".const", ".shared", ".shared::cta", ".shared::cluster", ".local",
              ".param", ".param::entry", ".param::func", ""]
    yield [["cvta"], ["", ".to"], spaces, [".u64"], [" %d0, %d1"]]
    yield [["cvta"], ["", ".to"], spaces, [".u32"], [" %r0, %r1"]]
    for name in ("g", "s", "c", "l", "a", "g+4"):
        yield [["cvta"], spaces, [".u64"], [" %d0, " + name]]
    yield [["isspacep"], spaces, [" %p0, %d1"]]
    yield [["isspacep"], spaces, [" %p0, %r1"]]


SPECIALS = """tid.x tid.y tid.z tid.w ntid.x ntid.w laneid warpid nwarpid ctaid.x ctaid.y ctaid.z
ctaid.w nctaid.x nctaid.w smid nsmid gridid is_explicit_cluster clusterid.x clusterid.y clusterid.z
clusterid.w nclusterid.x nclusterid.z nclusterid.w cluster_ctaid.x cluster_ctaid.y cluster_ctaid.z
cluster_ctaid.w cluster_nctaid.x cluster_nctaid.z cluster_nctaid.w cluster_ctarank
cluster_nctarank lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt clock clock_hi clock64
pm0 pm1 pm2 pm3 pm4 pm5 pm6 pm7 pm0_64 pm7_64 envreg0 envreg1 envreg2 envreg31 globaltimer
globaltimer_lo globaltimer_hi reserved_smem_offset_begin reserved_smem_offset_end
reserved_smem_offset_cap reserved_smem_offset_0 reserved_smem_offset_1 total_smem_size
aggr_smem_size dynamic_smem_size current_graph_exec""".split()


def accesses():
    kinds = [k for k in SCALARS if k not in ("tf32", "u16x2", "s16x2", "f32x2")]
    spaces = ["", ".global", ".const", ".shared", ".shared::cta", ".shared::cluster", ".local",
              ".param", ".param::entry", ".param::func"]
    orders = ["", ".weak", ".volatile", ".nc"] + [
        "." + o + s for o in ("relaxed", "acquire", "release", "mmio.relaxed") for s in SCOPES]
    vectors = ["", ".v2", ".v4", ".v8"]

    def vector(name, count):
        if count == 1:
            return register(name, 0)
        return "{" + ", ".join(register(name, i) for i in range(count)) + "}"

    for kind in kinds:
        for lanes in (1, 2, 4, 8):
            if lanes == 8 and size(kind) < 32:
                continue  # ptxas crashes on some of them
            v = [".v%d" % lanes if lanes > 1 else ""]
            data = vector(kind, lanes)
            yield [["ld"], ["", ".volatile", ".relaxed.gpu", ".acquire.sys"], spaces, v,
                   ["." + kind], [" %s, [%%d9+16]" % data]]
            yield [["ld.global.nc"], v, ["." + kind], [" %s, [%%d9]" % data]]
            yield [["ldu"], ["", ".global", ".shared"], v, ["." + kind], [" %s, [%%d9]" % data]]
            yield [["st"], ["", ".volatile", ".relaxed.gpu", ".release.sys"], spaces, v,
                   ["." + kind], [" [%%d9+16], %s" % data]]
    caches = ["", ".ca", ".cg", ".cs", ".lu", ".cv", ".wb", ".wt"]
    first = ["", ".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first",
             ".L1::evict_last", ".L1::no_allocate"]
    second = ["", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_last"]
    fetch = ["", ".L2::64B", ".L2::128B", ".L2::256B"]
    for v, data in (("", "%r0"), (".v4", "{%r0, %r1, %r2, %r3}")):
        for base, text in (("ld", " %s, [%%d9]" % data), ("st", " [%%d9], %s" % data)):
            yield [[base], orders, spaces, caches, [v], [".b32"], [text]]
            yield [[base], ["", ".weak", ".relaxed.gpu", ".volatile"], ["", ".global", ".shared"],
                   ["", ".nc"], first, second, fetch, [v], [".b32"], [text]]
            yield [[base], ["", ".weak", ".relaxed.gpu", ".volatile"], ["", ".global", ".shared"],
                   ["", ".nc"], first, [".L2::cache_hint"], fetch, [v], [".b32"], [text + ", %d8"]]
    for name in ("g", "g+4", "0x1000", "%r1", "%r1+4", "%d1-8"):
        yield [["ld"], spaces, [".u32"], [" %%r0, [%s]" % name]]
        yield [["st"], spaces, [".u32"], [" [%s], %%r0" % name]]
    yield [["st"], spaces, [".u32", ".f32", ".b64"], [" [%d9], 0"]]
    yield [["st"], spaces, [".f32", ".f64"], [" [%d9], 0f3f800000"]]
    for name, space in (("s", ".shared"), ("c", ".const"), ("l", ".local"), ("a", ".param")):
        yield [["ld"], [space, ""], [".u32"], [" %%r0, [%s+4]" % name]]
        yield [["st"], [space, ""], [".u32"], [" [%s+4], %%r0" % name]]
    # a register may be wider than what is loaded or stored
    narrow = ["." + k for k in INTEGERS + ["b8", "b16", "b32", "f16", "bf16", "f32"]]
    for target in ("%h0", "%r0", "%d0"):
        yield [["ld.global"], narrow, [" %s, [%%d9]" % target]]
        yield [["st.global"], narrow, [" [%%d9], %s" % target]]
    yield [["prefetch"], ["", ".global", ".local", ".shared"],
           [".L1", ".L2", ".L2::evict_last", ".L2::evict_normal", ".tensormap"], [" [%d0]"]]
    yield [["prefetch"], [".param", ".const", ""], [".tensormap"], [" [%d0]"]]
    yield [["prefetchu"], ["", ".global"], [".L1", ".L2"], [" [%d0]"]]
    yield [["applypriority"], ["", ".global", ".shared"], [".L2::evict_normal"],
           [" [%d0], 128", " [%d0], 64"]]
    yield [["discard"], ["", ".global", ".shared"], [".L2"], [" [%d0], 128", " [%d0], 64"]]


def bytes_alone():
    """With registers of 8 bits, which few instructions have; else those of 16 hold a byte."""
    kinds = ["u8", "s8", "b8"]
    others = INTEGERS[2:] + ["f16", "bf16", "f32", "f64"]
    modifiers = [CONVERSIONS, FTZ, SAT]
    yield from family("cvt", modifiers, pairs(kinds, others), ops("%b0, T1"))
    yield from family("cvt", modifiers, pairs(others, kinds), ops("D0, %b1"))
    yield from family("cvt", modifiers, pairs(kinds, kinds), ops("%b0, %b1"))
    yield [["mov"], ["." + k for k in kinds + ["b16"]], [" %b0, %b1", " %h0, %b1", " %b0, %h1"]]
    yield [["add", "and", "shl", "min"], ["." + k for k in kinds], [" %b0, %b1, %b2"]]
    for kind in ("b8", "b16", "b32", "b64"):
        for both in (("%h0", "{%b0, %b1}"), ("%r0", "{%b0, %b1, %b2, %b3}"),
                     ("%h0", "{%b0, _}"), ("%h0", "{%b0, 1}"), ("%d0", "{%b0..7}")):
            yield [["mov"], ["." + kind], [" " + ", ".join(both), " " + ", ".join(both[::-1])]]
    spaces = ["", ".global", ".const", ".shared", ".local", ".param"]
    orders = ["", ".volatile", ".relaxed.gpu", ".acquire.sys", ".release.sys"]
    for v, data in (("", "%b0"), (".v2", "{%b0, %b1}"), (".v4", "{%b0, %b1, %b2, %b3}")):
        yield [["ld"], orders, spaces, [v], ["." + k for k in kinds], [" %s, [%%d9]" % data]]
        yield [["ld.global.nc", "ldu.global"], [v], ["." + k for k in kinds],
               [" %s, [%%d9]" % data]]
        yield [["st"], orders, spaces, [v], ["." + k for k in kinds], [" [%%d9], %s" % data]]


def vectors():
    """With vector registers: a whole one stands for the list of its elements. Not with atom,
    nor with elements that there are none of: ptxas 13.0 crashes."""
    kinds = ["." + k for k in SCALARS if size(k) and size(k) < 128]
    for name, count in (("h", 2), ("h", 4), ("r", 2), ("r", 4), ("d", 2)):
        v, w = ("%%%s%d%s" % (name, count, c) for c in "vw")
        elements = "{" + ", ".join("%%%s%d" % (name, i) for i in range(count)) + "}"
        lanes = [".v%d" % count]
        yield [["mov"], ["", ".v2", ".v4"], kinds,
               [" %s, %s" % both for both in itertools.product((v, elements), (w, elements))]]
        yield [["mov"], lanes, kinds, [" %s, {%s}" % (v, ", ".join("3" * count)),
               " {_, %s}, %s" % (elements[1:-1].split(", ", 1)[1], v)]]
        yield [["mov"], kinds, [" %%%s0, %s.%s" % (name, v, c)
                                for c in ("xyrg" if count == 2 else "xyrgzwba")]]
        yield [["mov.b32", "mov.b64", "mov.b128"],
               [" %s, %s" % both for wide in ("%r0", "%d0", "%q0") for both in ((wide, v), (v, wide))]]
        yield [["add", "and"], kinds, [" %s.x, %s.y, %%%s0" % (v, w, name)]]
        yield [["ld.global", "ld.shared", "ld.global.nc"], lanes, kinds, [" %s, [%%d9]" % v]]
        yield [["st.global", "st.local"], lanes, kinds, [" [%%d9], %s" % v]]
        yield [["red.global.add"], ["", ".noftz"], lanes, kinds, [" [%%d9], %s" % v]]


def video():
    byte = ["b0", "b1", "b2", "b3"]
    half = ["h0", "h1"]
    kinds = ["u32.u32.u32", "s32.s32.s32", "u32.s32.u32", "s32.u32.u32", "u32.u32.s32",
             "s32.s32.u32", "s32.u32.s32", "u32.s32.s32"]
    second = [".add", ".min", ".max"]
    for base in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        yield [[base], ["." + k for k in kinds], SAT, [" %r0, %r1, %r2"]]
        yield [[base], ["." + k for k in kinds], SAT, second, [" %r0, %r1, %r2, %r3"]]
        for a, b in (("b0", "h1"), ("h0", "b3"), ("b1", "b2"), ("h1", "h0")):
            yield [[base], ["." + k for k in kinds], SAT, [" %%r0, %%r1.%s, %%r2.%s" % (a, b)]]
        for m in byte + half:
            yield [[base], ["." + k for k in kinds], SAT,
                   [" %%r0.%s, %%r1.b0, %%r2.h1, %%r3" % m]]
    for base in ("vshl", "vshr"):
        for mode in (".clamp", ".wrap"):
            pre = [[base], ["." + k for k in kinds], SAT, [mode]]
            yield pre + [[" %r0, %r1, %r2"]]
            yield pre + [second, [" %r0, %r1, %r2, %r3"]]
            yield pre + [[" %r0, %r1.b2, %r2.h1"]]
            yield pre + [[" %r0.h1, %r1.b2, %r2.h1, %r3"]]
    signs = ["", "-"]
    for scale in ("", ".shr7", ".shr15"):
        for po in ("", ".po"):
            for a, b, c in itertools.product(signs, signs, signs):
                yield [["vmad"], ["." + k for k in kinds], [po], SAT, [scale],
                       [" %%r0, %s%%r1.b0, %s%%r2.h1, %s%%r3" % (a, b, c)]]
    compare = [".eq", ".ne", ".lt", ".le", ".gt", ".ge"]
    two = ["u32.u32", "u32.s32", "s32.u32", "s32.s32"]
    yield [["vset"], ["." + k for k in two], compare, [" %r0, %r1, %r2"]]
    yield [["vset"], ["." + k for k in two], compare, second, [" %r0, %r1.b0, %r2.h1, %r3"]]
    yield [["vset"], ["." + k for k in two], compare, [" %r0.b3, %r1.b0, %r2.h1, %r3"]]
    for lanes, masks in (("2", ["", ".h0", ".h1", ".h10"]),
                         ("4", ["", ".b0", ".b10", ".b210", ".b3210", ".b31"])):
        select = ["", ".h10" if lanes == "2" else ".b3210", ".h32" if lanes == "2" else ".b7654"]
        bases = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"]
        for base in bases:
            for mask in masks:
                for a in select:
                    yield [[base + lanes], ["." + k for k in kinds], SAT, ["", ".add"],
                           [" %%r0%s, %%r1%s, %%r2, %%r3" % (mask, a)]]
        for mask in masks:
            for a in select:
                yield [["vset" + lanes], ["." + k for k in two], compare, ["", ".add"],
                       [" %%r0%s, %%r1%s, %%r2, %%r3" % (mask, a)]]
