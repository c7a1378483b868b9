# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidate forms of what waits, moves or works on more than one lane."""

import itertools

from families import BITS, INTEGERS, SCALARS, SCOPES, register

SHARED = ["", ".shared", ".shared::cta", ".shared::cluster"]
GLOBAL = ["", ".global"]
SEMANTICS = ["", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc"]


def control():
    yield [["bra"], ["", ".uni"], [" L", " M"]]
    for opcode in ("ret", "exit", "trap", "brkpt", "ret.uni", "exit.uni"):
        yield [[opcode], [" "]]
    yield [["nanosleep"], ["", ".u32", ".u64"], [" 100", " %r0"]]
    yield [["pmevent"], ["", ".mask"], [" 7", " %r0", " 15", " 16", " -1", " 65535", " 65536"]]
    yield [["griddepcontrol"], [".launch_dependents", ".wait", ""], [" "]]
    yield [["setmaxnreg"], [".inc", ".dec"], ["", ".sync"], ["", ".aligned"], ["", ".u32"], [" 64"]]
    yield [["activemask"], ["", ".b32", ".u32"], [" %r0"]]
    yield [["elect"], ["", ".sync"], [" %r0|%p0, %r1", " _|%p0, -1", " %r0, %r1", " _|_, 1",
                                   " %r0|_, 1"]]
    for base in ("bar", "barrier"):
        cta, aligned = ["", ".cta"], ["", ".aligned"]
        yield [[base], cta, [".sync"], aligned, [" 0", " %r0", " 1, 64", " %r0, %r1", " 1, %r1",
               " 15", " 16", " -1", " 1, 33", " 1, 0", " 1, -32"]]
        yield [[base], cta, [".arrive"], aligned, [" 1, 64", " %r0, %r1", " 1, %r1", " 1", " 16, 64",
               " 1, 65", " 1, 0"]]
        yield [[base], cta, [".red"], [".popc"], aligned, [".u32"],
               [" %r0, 1, %p0", " %r0, 1, 64, %p0", " %r0, %r1, %r2, !%p0", " %r0, %r1, %p0",
                " %r0, 16, %p0", " %r0, 1, 65, %p0"]]
        yield [[base], cta, [".red"], [".and", ".or", ".popc", ".xor"], aligned, [".pred"],
               [" %p1, 1, %p0", " %p1, 1, 64, %p0", " %p1, %r1, %r2, !%p0", " %p1, %r1, %p0"]]
        yield [[base], [".warp"], [".sync"], aligned, [" -1", " %r0"]]
        yield [[base], [".cluster"], [".arrive"], ["", ".release", ".relaxed", ".acquire"], aligned,
               [" "]]
        yield [[base], [".cluster"], [".wait"], ["", ".acquire", ".relaxed"], aligned, [" "]]
    yield [["membar"], ["", ".cta", ".gl", ".sys", ".cluster"], [" "]]
    yield [["fence"], SEMANTICS, SCOPES, [" "]]
    yield [["fence"], [".acquire", ".release", ".acq_rel"],
           [".sync_restrict::shared::cluster", ".sync_restrict::shared::cta"], SCOPES, [" "]]
    yield [["fence.mbarrier_init"], ["", ".release"], SCOPES, [" "]]
    for base in ("fence", "membar"):
        yield [[base + ".proxy"], [".alias", ".async", ".async.global", ".async.shared::cta",
                                   ".async.shared::cluster", ".tensormap"], [" "]]
        yield [[base + ".proxy.tensormap::generic"], ["", ".release", ".acquire", ".acq_rel"], SCOPES,
               [" ", " [%d0], 128"]]
        yield [[base + ".proxy.async::generic"], ["", ".release", ".acquire"],
               ["", ".sync_restrict::shared::cta", ".sync_restrict::shared::cluster"], SCOPES, [" "]]
    yield [["alloca"], ["", ".u32", ".u64"], [" %d0, 64", " %d0, %d1", " %d0, %d1, 16", " %r0, %r1"]]
    yield [["stacksave"], ["", ".u32", ".u64"], [" %d0", " %r0"]]
    yield [["stackrestore"], ["", ".u32", ".u64"], [" %d0", " %r0"]]
    yield [["createpolicy.fractional"],
           [".L2::evict_last", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_unchanged"],
           ["", ".L2::evict_first", ".L2::evict_unchanged", ".L2::evict_last"], [".b64"],
           [" %d0", " %d0, 1.0", " %d0, 0.5", " %d0, %r0"]]
    yield [["createpolicy.range"], GLOBAL,
           [".L2::evict_last", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_unchanged"],
           ["", ".L2::evict_first", ".L2::evict_unchanged"], [".b64"],
           [" %d0, [%d1], %r0, %r1", " %d0, [%d1], 1024, 2048"]]
    yield [["createpolicy.cvt.L2"], [".b64"], [" %d0, %d1", " %d0, 0x10000000"]]
    yield [["istypep"], [".texref", ".samplerref", ".surfref"], [" %p0, %d0"]]


def warp():
    mask = ["", ".sync"]
    for m, text in (("", ""), (".sync", ", -1"), (".sync", ", %r9")):
        yield [["shfl" + m], [".up", ".down", ".bfly", ".idx"], [".b32", ".u32", ".s32", ".f32", ""],
               [" %r0, %r1, %r2, %r3" + text, " %r0|%p0, %r1, 1, 31" + text,
                " _|%p0, %r1, %r2, 0" + text]]
        for first in ("sync", "mode"):
            for mode in (".all", ".any", ".uni"):
                name = "vote" + (m + mode if first == "sync" else mode + m)
                yield [[name], [".pred", ""], [" %p0, %p1" + text, " %p0, !%p1" + text]]
            name = "vote" + (m + ".ballot" if first == "sync" else ".ballot" + m)
            yield [[name], [".b32", ".u32", ""], [" %r0, %p1" + text, " %r0, !%p1" + text]]
    for kind in SCALARS:
        for text in (register(kind, 1) + ", %r2", register(kind, 1) + ", -1"):
            yield [["match"], [".any", ".all"], mask, ["." + kind],
                   [" %r0, " + text, " %r0|%p0, " + text]]
    for kind in ("b32", "u32", "s32", "f32"):
        yield [["redux"], mask, [".add", ".min", ".max", ".and", ".or", ".xor"], ["", ".abs"],
               ["", ".NaN"], ["." + kind], [" %r0, %r1, %r2", " %r0, %r1, -1"]]


def atomics():
    spaces = ["", ".global", ".shared", ".shared::cta", ".shared::cluster"]
    operations = [".and", ".or", ".xor", ".exch", ".add", ".inc", ".dec", ".min", ".max"]
    for kind in SCALARS:
        if kind in ("pred", "tf32", "f32x2"):
            continue
        r = [register(kind, i) for i in range(9)]
        yield [["atom"], ["", ".relaxed.gpu"], spaces, operations, ["", ".noftz"], ["." + kind],
               [" %s, [%%d9], %s" % (r[0], r[1])]]
        yield [["red"], ["", ".relaxed.gpu"], spaces, operations, ["", ".noftz"], ["." + kind],
               [" [%%d9], %s" % r[1]]]
        yield [["atom"], ["", ".relaxed.gpu"], spaces, [".cas"], ["." + kind],
               [" %s, [%%d9], %s, %s" % (r[0], r[1], r[2])]]
        for count in (2, 4, 8):
            a = "{" + ", ".join(r[:count]) + "}"
            b = "{" + ", ".join(register(kind, 8 - i) for i in range(count)) + "}"
            yield [["atom"], ["", ".relaxed.gpu"], ["", ".global", ".shared"],
                   [".add", ".min", ".max"], ["", ".noftz"], [".v%d" % count], ["." + kind],
                   [" %s, [%%d9], %s" % (a, b)]]
            yield [["red"], ["", ".relaxed.gpu"], ["", ".global", ".shared"],
                   [".add", ".min", ".max"], ["", ".noftz"], [".v%d" % count], ["." + kind],
                   [" [%%d9], %s" % b]]
    for kind in ("u32", "b64", "f32"):
        r = [register(kind, i) for i in range(3)]
        for operation in ("add", "exch", "min"):
            yield [["atom"], SEMANTICS, SCOPES, spaces, ["." + operation], ["", ".L2::cache_hint"],
                   ["." + kind], [" %s, [%%d9+8], %s" % (r[0], r[1]), " _, [%%d9], %s" % r[1],
                                  " %s, [%%d9], %s, %%d8" % (r[0], r[1])]]
            yield [["red"], SEMANTICS, SCOPES, spaces, ["." + operation], ["", ".L2::cache_hint"],
                   ["." + kind], [" [%%d9+8], %s" % r[1], " [%%d9], %s, %%d8" % r[1]]]
    yield [["atom"], SEMANTICS, SCOPES, spaces, [".cas"], ["", ".L2::cache_hint"],
           [".b16"], [" %h0, [%d9], %h1, %h2", " %h0, [%d9], %h1, %h2, %d8"]]
    yield [["atom"], SEMANTICS, SCOPES, spaces, [".cas"], ["", ".L2::cache_hint"],
           [".b128"], [" %q0, [%d9], %q1, %q2", " %q0, [%d9], %q1, %q2, %d8"]]
    yield [["red.async"], ["", ".relaxed"], SCOPES, [".shared::cluster", ""],
           [".mbarrier::complete_tx::bytes", ""],
           [".inc", ".dec", ".add", ".min", ".max", ".and", ".or", ".xor"],
           [".u32", ".s32", ".b32"], [" [%d0], %r1, [%d2]"]]
    yield [["red.async"], ["", ".relaxed"], SCOPES, [".shared::cluster", ""],
           [".mbarrier::complete_tx::bytes", ""], [".add", ".min", ".and"],
           [".u64", ".s64", ".b64"], [" [%d0], %d1, [%d2]"]]


def asynchronous():
    hint = ["", ".L2::cache_hint"]
    fetch = ["", ".L2::64B", ".L2::128B", ".L2::256B"]
    for c in (".ca", ".cg", ""):
        for text in ("4", "8", "16", "16, 8", "4, 0", "16, %r0", "16, %p0", "16, %r0, %p0", "32"):
            yield [["cp.async"], [c], [".shared", ".shared::cta", ""], [".global", ""], fetch,
                   [" [%d0], [%d1], " + text]]
            yield [["cp.async"], [c], [".shared"], [".global"], [".L2::cache_hint"], fetch,
                   [" [%d0], [%d1], " + text + ", %d8"]]
    yield [["cp.async.commit_group", "cp.async.wait_all", "cp.async.bulk.commit_group"], [" "]]
    yield [["cp.async.wait_group"], [" 0", " 3", " %r0"]]
    yield [["cp.async.bulk.wait_group"], ["", ".read"], [" 0", " 3"]]
    yield [["cp.async.mbarrier.arrive"], ["", ".noinc"], SHARED, [".b64"], [" [%d0]", " [%r0]"]]
    complete = [".mbarrier::complete_tx::bytes", ""]
    yield [["cp.async.bulk.shared::cluster.global"], complete, [" [%d0], [%d1], %r0, [%d2]"]]
    yield [["cp.async.bulk.shared::cta.global"], complete, [" [%d0], [%d1], %r0, [%d2]"]]
    yield [["cp.async.bulk.shared::cluster.global"], complete, [".L2::cache_hint"],
           [" [%d0], [%d1], %r0, [%d2], %d3"]]
    yield [["cp.async.bulk.shared::cluster.global"], complete, [".multicast::cluster"],
           [" [%d0], [%d1], %r0, [%d2], %h0"]]
    yield [["cp.async.bulk.shared::cluster.global"], complete, [".multicast::cluster"],
           [".L2::cache_hint"], [" [%d0], [%d1], %r0, [%d2], %h0, %d3"]]
    yield [["cp.async.bulk.shared::cluster.shared::cta"], complete, [" [%d0], [%d1], %r0, [%d2]"]]
    yield [["cp.async.bulk.global.shared::cta"], [".bulk_group", ""], hint,
           [" [%d0], [%d1], %r0", " [%d0], [%d1], 16", " [%d0], [%d1], %r0, %d3"]]
    yield [["cp.async.bulk.global.shared::cta"], [".bulk_group", ""], hint, [".cp_mask"],
           [" [%d0], [%d1], %r0, %h0", " [%d0], [%d1], %r0, %d3, %h0"]]
    yield [["cp.async.bulk.prefetch.L2.global"], hint, [" [%d0], %r0", " [%d0], %r0, %d3"]]
    operations = [".and", ".or", ".xor", ".add", ".inc", ".dec", ".min", ".max"]
    kinds = ["." + k for k in ("f16", "bf16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64")]
    yield [["cp.reduce.async.bulk.shared::cluster.shared::cta"], complete, operations, kinds,
           [" [%d0], [%d1], %r0, [%d2]"]]
    yield [["cp.reduce.async.bulk.global.shared::cta"], [".bulk_group"], operations, ["", ".noftz"],
           kinds, [" [%d0], [%d1], %r0"]]
    yield [["cp.reduce.async.bulk.global.shared::cta"], [".bulk_group"], [".L2::cache_hint"],
           operations, ["", ".noftz"], kinds, [" [%d0], [%d1], %r0, %d3"]]
    for dims in range(1, 6):
        at = "{" + ", ".join("%%r%d" % i for i in range(dims)) + "}"
        tensor = ["." + str(dims) + "d"]
        loads = ["", ".tile", ".im2col", ".im2col::w", ".im2col::w::128", ".tile::gather4"]
        offsets = ["", ", {" + ", ".join("%%h%d" % i for i in range(max(dims - 2, 1))) + "}"]
        for offset in offsets:
            for cast, more in (("", ""), (".multicast::cluster", ", %h9"),
                               (".L2::cache_hint", ", %d5"),
                               (".multicast::cluster.L2::cache_hint", ", %h9, %d5")):
                yield [["cp.async.bulk.tensor"], tensor, [".shared::cluster", ".shared::cta"],
                       [".global"], loads, complete, [cast],
                       [" [%%d0], [%%d1, %s], [%%d2]%s%s" % (at, offset, more)]]
            for cast, more in (("", ""), (".L2::cache_hint", ", %d5")):
                yield [["cp.async.bulk.prefetch.tensor"], tensor, [".L2.global"], loads, [cast],
                       [" [%%d1, %s]%s%s" % (at, offset, more)]]
        for cast, more in (("", ""), (".L2::cache_hint", ", %d5")):
            stores = ["", ".tile", ".im2col_no_offs", ".im2col", ".tile::scatter4"]
            yield [["cp.async.bulk.tensor"], tensor, [".global.shared::cta"], stores,
                   [".bulk_group"], [cast], [" [%%d1, %s], [%%d0]%s" % (at, more)]]
            yield [["cp.reduce.async.bulk.tensor"], tensor, [".global.shared::cta"], operations,
                   stores[:3], [".bulk_group"], [cast], [" [%%d1, %s], [%%d0]%s" % (at, more)]]
    yield from barriers()
    for kind, count in itertools.product(("b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"),
                                         (1, 2, 4)):
        r = [register(kind, i) for i in range(10, 10 + count)]
        text = r[0] if count == 1 else "{" + ", ".join(r) + "}"
        yield [["st.async"], ["", ".weak"], [".shared::cluster", ""], complete,
               [".v%d" % count if count > 1 else ""], ["." + kind], [" [%%d0], %s, [%%d2]" % text]]
    yield [["mapa"], ["", ".shared::cluster"], [".u64"], [" %d0, %d1, %r2", " %d0, %d1, 1", " %d0, s, 1"]]
    yield [["mapa"], ["", ".shared::cluster"], [".u32"], [" %r0, %r1, %r2", " %r0, s, 1"]]
    yield [["getctarank"], ["", ".shared::cluster"], [".u64"], [" %r0, %d1"]]
    yield [["getctarank"], ["", ".shared::cluster"], [".u32"], [" %r0, %r1", " %r0, s"]]
    fields = ["global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride",
              "elemtype", "interleave_layout", "swizzle_mode", "fill_mode", "swizzle_atomicity"]
    for field in fields:
        for text in ("%d1", "%r1", "3", "0, %r1", "1, %d1", "2, 3", "0"):
            yield [["tensormap.replace.tile." + field], ["", ".global", ".shared::cta"], [".b1024"],
                   [".b32", ".b64"], [" [%d0], " + text]]
    yield [["tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release"], SCOPES,
           [".sync.aligned"], [" [%d0], [%d1], 128"]]
    yield [["clusterlaunchcontrol.try_cancel.async"], ["", ".shared::cta"],
           [".mbarrier::complete_tx::bytes.b128"], [" [%d0], [%d1]"]]


def barriers():
    yield [["mbarrier.init"], SHARED, [".b64"], [" [%d0], 32", " [%d0], %r0", " [%r1], 1"]]
    yield [["mbarrier.inval"], SHARED, [".b64"], [" [%d0]"]]
    yield [["mbarrier"], [".expect_tx", ".complete_tx"], ["", ".relaxed"], ["", ".cta", ".cluster"],
           SHARED, [".b64"], [" [%d0], %r0", " [%d0], 64"]]
    for base in (".arrive", ".arrive_drop"):
        for extra in ("", ".expect_tx", ".noComplete"):
            for count in ("", ", %r0", ", 2"):
                yield [["mbarrier" + base], [extra], ["", ".release", ".relaxed"],
                       ["", ".cta", ".cluster"], SHARED, [".b64"],
                       [" %d1, [%d0]" + count, " _, [%d0]" + count]]
    for base in (".test_wait", ".try_wait"):
        for parity, state in (("", "%d1"), (".parity", "%r1"), (".parity", "1")):
            for hint in ("", ", %r2", ", 1000"):
                yield [["mbarrier" + base], [parity], ["", ".acquire", ".relaxed"],
                       ["", ".cta", ".cluster"], SHARED, [".b64"],
                       [" %%p0, [%%d0], %s%s" % (state, hint)]]
    yield [["mbarrier.pending_count.b64"], [" %r0, %d0"]]
