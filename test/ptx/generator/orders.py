# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every opcode of fence, membar, barrier, bar, prefetch, discard, createpolicy and of what
else has no result but order or speed: with each of them, data go where they should."""

from .arrivals import WAIT
from .boxes import Mapped
from .bulks import opcodes
from .clusters import MEET, RANKS, Directed
from .control import ints, kernel
from .emit import File
from .opcodes import accepted
from .tensors import Tensor, hexes, values, words_of

THREADS = 64
SLOTS = ".shared .align 16 .b8 slots[256];\n"
AT = """
    mov.u32 %r3, slots;
    mad.lo.u32 %r4, %i, 4, %r3;
    xor.b32 %r5, %i, 63;
    mad.lo.u32 %r5, %r5, 4, %r3;
    mov.u32 %r10, 0;
"""


def fences(f):
    """Threads hand each other values, with a fence on both sides of a barrier."""
    some = [o for o in opcodes("fence") + opcodes("membar") if "tensormap" not in o]
    some = [o for o in some if "::generic" not in o or "async" in o]
    body = AT
    for k, opcode in enumerate(some):
        body += """add.u32 %%r6, %%i, %d;
            st.shared.u32 [%%r4], %%r6;
            %s;
            bar.sync 0;
            %s;
            ld.shared.u32 %%r7, [%%r5];
            mad.lo.u32 %%r10, %%r10, 3, %%r7;
            bar.sync 0;
        """ % (100 * k, opcode, opcode)
    want = []
    for i in range(THREADS):
        total = 0
        for k in range(len(some)):
            total = total * 3 + (i ^ 63) + 100 * k & 0xffffffff
        want.append(total)
    kernel(f, "exchanged", "block=64", [ints("out", "u32", want)],
           body + "st.global.u32 [%out], %r10;", extra=SLOTS)


def proxies(f):
    """What threads have written is what bulk copies read, behind each fence that is for it."""
    some = [o for o in opcodes("fence") if o.startswith("fence.proxy.async")
            and "::generic" not in o]
    body, want = "mov.u32 %r3, room;\nmov.u32 %r4, bar;\nsetp.eq.u32 %p1, %i, 0;\n", []
    for k, opcode in enumerate(some):
        body += """add.u32 %%r6, %%i, %d;
            mad.lo.u32 %%r7, %%i, 4, %%r3;
            st.shared.u32 [%%r7+%d], %%r6;
            fence.proxy.async.shared::cta;
            mad.wide.u32 %%rd1, %%i, 4, %%data;
            st.global.u32 [%%rd1+%d], %%r6;
            %s;
            bar.sync 0;
            %s;
        """ % (1000 * k, 256 * k, 128 * k, opcode, opcode)
        if opcode.endswith("global"):
            body += """
            @%%p1 mbarrier.init.shared.b64 [bar], 1;
            @%%p1 fence.mbarrier_init.release.cluster;
            bar.sync 0;
            @!%%p1 bra sent;
            mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r3+%d], [%%data+%d], 128, [%%r4];
        sent:
            """ % (256 * k + 128, 128 * k) + WAIT
        shown = 256 * k + (128 if opcode.endswith("global") else 0)
        body += """
            @%%p1 cp.async.bulk.global.shared::cta.bulk_group [%%to+%d], [%%r3+%d], 128;
        """ % (128 * k, shown)
        want += [1000 * k + i for i in range(32)]
    kernel(f, "proxies", "block=32", ["//@ inout u32 0*%d\n" % len(want), ints("out", "u32", want)],
           body + """
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
    """, params=("data", "to"),
           extra=".shared .align 128 .b8 room[2048];\n.shared .align 8 .b64 bar[2];")


def maps(f):
    """Copies of a tensor map, by cp_fenceproxy and by stores, are followed behind the fences
    of each scope."""
    tensor = Tensor("u32", [24, 20], [8, 4])
    data = values("u32", tensor.elements)
    scopes = ["cta", "cluster", "gpu", "sys"]
    room, body, copies = bytearray(8 * tensor.bytes()), "", ""
    for k in range(8):
        coords = [4 * (k % 3), 2 * k]
        for memory, at in tensor.places(coords):
            at += k * tensor.bytes()
            room[at:at + 4] = data[memory].to_bytes(4, "little")
        if k < 4:
            copies += """tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.%s.sync.aligned [%%copies+%d], [%%rd5], 128;
            """ % (scopes[k], 128 * k)
        else:
            body += "".join("st.global.u64 [%%copies+%d], %%rd%d;\n" % (128 * k + 8 * n, 20 + n)
                            for n in range(16))
            body += "fence.proxy.tensormap::generic.release.%s;\n" % scopes[k - 4]
        body += """fence.proxy.tensormap::generic.acquire.%s [%%copies+%d], 128;
            add.u64 %%rd7, %%copies, %d;
            cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%%r3+%d], [%%rd7, {%d, %d}], [%%r4];
        """ % (scopes[k % 4], 128 * k, 128 * k, 128 * k, coords[0], coords[1])
    load = "".join("ld.param.u64 %%rd%d, [p_map1+%d];\n@%%p1 st.shared.u64 [%%rd5+%d], %%rd%d;\n" % (
        20 + n, 8 * n, 8 * n, 20 + n) for n in range(16))
    kernel(Mapped(f), "maps", "block=32", [
        hexes("in", "u32", data), tensor.directive(), "//@ inout u32 0*256\n",
        hexes("out", "u32", words_of(room))], """
        setp.eq.u32 %p1, %i, 0;
        mov.u32 %r3, room;
        mov.u32 %r4, bar;
        mov.u64 %rd5, map;
        @%p1 mbarrier.init.shared.b64 [bar], 1;
        @%p1 fence.mbarrier_init.release.cluster;
    """ + load + "bar.sync 0;\n" + copies + """
        bar.sync 0;
        @!%p1 bra sent;
        mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;
    """ + body + "sent:\n" + WAIT + "".join("""
        ld.shared.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%r5+%d];
        st.global.v4.u32 [%%rd6+%d], {%%r10, %%r11, %%r12, %%r13};
    """ % (512 * n, 512 * n) for n in range(2)).join([
        "mad.lo.u32 %r5, %i, 16, %r3;\nmad.wide.u32 %rd6, %i, 16, %to;\n", ""]),
           params=("data", "map1", "copies", "to"),
           extra=".shared .align 128 .b8 room[1024];\n.shared .align 128 .b8 map[128];\n"
                 ".shared .align 8 .b64 bar[2];")


def fence():
    f = File("fence_all", "fence, membar, tensormap.cp_fenceproxy: every opcode.", "9.0", "sm_90a")
    fences(f)
    proxies(f)
    maps(f)
    return f


# ---- Caches --------------------------------------------------------------------------


def policies(f):
    """Loads with each policy; what .cvt takes is made by other programs."""
    data = values("u32", 512)
    some = opcodes("createpolicy")
    body, want = "mov.u32 %r3, 1024;\nmov.u32 %r4, 2048;\nmov.b32 %r5, 0f3F000000;\n", []
    for k, opcode in enumerate(some):
        if ".cvt" in opcode:
            body += "%s %%rd9, 0x10000000;\nst.global.u64 [%%kept], %%rd9;\n" % opcode
            continue
        more = [", [%data], %r3, %r4", ", [%data], 1024, 2048"] if "range" in opcode else [
            "", ", 0.5", ", %r5"]
        body += "".join("%s %%rd%d%s;\n" % (opcode, 9 + n, o) for n, o in enumerate(more))
        for n in range(len(more)):
            body += """ld.global.L2::cache_hint.u32 %%r10, [%%data+%d], %%rd%d;
                st.global.u32 [%%to+%d], %%r10;
            """ % (16 * k, 9 + n, 4 * len(want))
            want.append(data[4 * k])
    kernel(f, "policies", "block=1", [hexes("in", "u32", data), hexes("out", "u32", want),
                                      "//@ out u64 _\n"], body, params=("data", "to", "kept"))


def prefetches(f):
    data = values("u32", 64)
    body = """
        mov.u64 %rd1, there;
        cvta.local.u64 %rd2, %rd1;
        mov.u32 %r3, 77;
        st.local.u32 [%rd1+16], %r3;
    """
    some = opcodes("prefetch", "tensormap") + opcodes("applypriority")
    for opcode in some:
        more = ", 128" if "applypriority" in opcode else ""
        for at in ["%rd1"] if "local" in opcode else ["%data"] if "global" in opcode else [
                "%data", "%rd2"] if opcode in ("prefetch.L1", "prefetch.L2") else ["%data"]:
            body += "%s [%s]%s;\n" % (opcode, at, more)
    body += """
        ld.local.u32 %r10, [%rd1+16];
        st.global.u32 [%to], %r10;
    """ + "".join("ld.global.u32 %%r10, [%%data+%d];\nst.global.u32 [%%to+%d], %%r10;\n" % (
        4 * n, 4 * n) for n in range(1, 32))
    kernel(f, "prefetches", "block=1", [hexes("in", "u32", data),
                                        hexes("out", "u32", [77] + data[1:32])],
           body, params=("data", "to"), extra=".local .align 16 .b8 there[64];")


def map_prefetches(f):
    """Of a tensor map that is a parameter, and of one in constant memory that no kernel uses."""
    tensor = Tensor("u32", [24, 20], [8, 4])
    data = values("u32", tensor.elements)
    for name, opcode, at in (("map_generic", "prefetch.tensormap", "%map1"),
                             ("map_param", "prefetch.param.tensormap", "p_map1"),
                             ("map_const", "prefetch.const.tensormap", "constant")):
        kernel(Mapped(f), name, "block=1", [
            hexes("in", "u32", data), tensor.directive(), hexes("out", "u32", data[:1])], """
            %s [%s];
            ld.global.u32 %%r10, [%%data];
            st.global.u32 [%%to], %%r10;
        """ % (opcode, at), params=("data", "map1", "to"))


def discards(f):
    """Lines that are discarded and written again, between lines that stay."""
    some = opcodes("discard")
    old = values("u32", 32 * (2 * len(some) + 1))
    want, body = list(old), "mad.wide.u32 %rd1, %i, 4, %to;\nsetp.eq.u32 %p1, %i, 0;\n"
    for k, opcode in enumerate(some):
        body += """@%%p1 %s [%%to+%d], 128;
            bar.warp.sync -1;
            add.u32 %%r3, %%i, %d;
            st.global.u32 [%%rd1+%d], %%r3;
        """ % (opcode, 128 * (2 * k + 1), 100 * k, 128 * (2 * k + 1))
        want[32 * (2 * k + 1):32 * (2 * k + 2)] = [100 * k + i for i in range(32)]
    kernel(f, "discards", "block=32", [hexes("inout", "u32", old), hexes("expect", "u32", want)],
           body, params=("to",))


def cache():
    f = File("cache_all", "createpolicy, prefetch, applypriority, discard: every opcode.", "9.0",
             "sm_90a")
    f.raw(".const .align 64 .b8 constant[128];\n")
    policies(f)
    prefetches(f)
    map_prefetches(f)
    discards(f)
    return f


# ---- Barriers ------------------------------------------------------------------------


def barriers(f):
    """Half of the threads arrive or meet, with numbers from registers and as they are."""
    body, want = AT + """
        setp.lt.u32 %p1, %i, 32;
        mov.u32 %r8, 5;
        mov.u32 %r9, 64;
        rem.u32 %r11, %i, 3;
        setp.ne.u32 %p3, %r11, 0;
    """, [0] * THREADS
    plain = [o for base in ("barrier", "bar") for o in opcodes(base, "cluster", "warp")]
    for k, opcode in enumerate(plain):
        for at, count in (("%r8", "%r9"), ("3", "64")):
            words = opcode.split(".")
            if "red" in words:
                popc = "popc" in words
                body += "%s %s, %s%s, %s%%p3;\n" % (
                    opcode, "%r7" if popc else "%p2", at, ", " + count if k & 1 else "",
                    "!" if at == "3" else "")
                body += "" if popc else "selp.u32 %r7, 1, 0, %p2;\n"
                yes = sum((i % 3 != 0) != (at == "3") for i in range(THREADS))
                got = [yes if popc else int(yes == THREADS) if "and" in words else int(yes > 0)]
                got *= THREADS
            else:
                body += "add.u32 %%r6, %%i, %d;\nst.shared.u32 [%%r4], %%r6;\n" % (10 * k)
                if "arrive" in words:
                    body += """@%%p1 %s %s, %s;
                        @!%%p1 bar.sync %s, %s;
                        mov.u32 %%r7, 0;
                        @!%%p1 ld.shared.u32 %%r7, [%%r5];
                    """ % (opcode, at, count, at, count)
                    got = [0 if i < 32 else (i ^ 63) + 10 * k for i in range(THREADS)]
                else:
                    body += "%s %s;\nld.shared.u32 %%r7, [%%r5];\n" % (
                        opcode, at if k & 1 else at + ", " + count)
                    got = [(i ^ 63) + 10 * k for i in range(THREADS)]
            body += "mad.lo.u32 %r10, %r10, 3, %r7;\nbar.sync 0;\n"
            want = [w * 3 + g & 0xffffffff for w, g in zip(want, got)]
    kernel(f, "barriers", "block=64", [ints("out", "u32", want)],
           body + "st.global.u32 [%out], %r10;", extra=SLOTS)


def cluster_barriers(f):
    arrives, waits = ([o for o in opcodes("barrier") if o.startswith("barrier.cluster." + w)]
                      for w in ("arrive", "wait"))
    body, want = "mov.u32 %r3, slots;\nmapa.shared::cluster.u32 %r4, %r3, %r23;\nmov.u32 %r10, 0;\n", [0, 0]
    for k, arrive in enumerate(arrives):
        body += """mad.lo.u32 %%r5, %%r20, 7, %d;
            st.shared.u32 [slots], %%r5;
            %s;
            %s;
            ld.shared::cluster.u32 %%r7, [%%r4];
            mad.lo.u32 %%r10, %%r10, 3, %%r7;
        """ % (k, "fence.acq_rel.cluster;\n" + arrive if "relaxed" in arrive else arrive,
               waits[k % len(waits)]) + MEET
        want = [w * 3 + k + 7 * (1 - rank) for rank, w in enumerate(want)]
    kernel(Directed(f, ".reqnctapercluster 2"), "cluster_barriers", "grid=2 block=32", [
        ints("out", "u32", [want[i // 32] for i in range(64)])],
           RANKS + body + "st.global.u32 [%out], %r10;", extra=SLOTS + ".shared .b8 room[16];")


def addresses(f):
    """mapa and getctarank; 32 bits of a generic address tell nothing."""
    kernel(Directed(f, ".reqnctapercluster 2"), "addresses", "grid=2 block=1", [
        ints("out", "u32", [1, 0, 1, 0, 0, 0]), ints("out", "u32", ["_"] * 4)], RANKS + """
        mad.wide.u32 %rd1, %r20, 12, %to;
        mad.wide.u32 %rd2, %r20, 8, %kept;
        mov.u64 %rd3, room;
        mapa.shared::cluster.u64 %rd4, %rd3, %r23;
        getctarank.shared::cluster.u64 %r10, %rd4;
        st.global.u32 [%rd1], %r10;
        getctarank.shared::cluster.u64 %r10, %rd3;
        xor.b32 %r10, %r10, %r20;
        st.global.u32 [%rd1+4], %r10;
        mapa.u64 %rd5, %rd20, %r23;
        getctarank.u64 %r10, %rd5;
        st.global.u32 [%rd1+8], %r10;
        cvt.u32.u64 %r5, %rd20;
        mapa.u32 %r6, %r5, %r23;
        st.global.u32 [%rd2], %r6;
        getctarank.u32 %r7, %r5;
        st.global.u32 [%rd2+4], %r7;
    """ + MEET, params=("to", "kept"), extra=".shared .align 16 .b8 room[64];")


def grids(f):
    kernel(f, "dependents", "grid=2 block=32", [ints("out", "u32", range(64))], "".join(
        o + ";\n" for o in opcodes("griddepcontrol")) + "st.global.u32 [%out], %i;",
           note="nothing depends on it, and it depends on nothing")


def barrier():
    f = File("barrier_all", "barrier, bar, barrier.cluster, mapa, getctarank, griddepcontrol:\n"
             "every opcode.", "9.0")
    barriers(f)
    cluster_barriers(f)
    addresses(f)
    grids(f)
    return f


def files():
    return [fence(), cache(), barrier()]
