# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asynchronous copies by threads, mbarriers."""

from .control import ints, kernel
from .emit import File

SOURCE = [(i * 2654435761) & 0xffffffff for i in range(128)]
SHARED = ".shared .align 16 .b8 room[2048];\n.shared .align 8 .b64 bar[4];"


def cp_async():
    f = File("cp_async", "cp.async: sizes, bytes not read, groups, mbarriers.")

    def copies(name, copy, want, note=""):
        """Each of 32 threads copies 16 bytes' worth of words and reads them back."""
        kernel(f, name, "block=32", [ints("in", "u32", SOURCE), ints("out", "u32", want)], """
            mul.lo.u32 %r3, %i, 16;
            mov.u32 %r4, room;
            add.u32 %r4, %r4, %r3;
            mov.u32 %r9, 0xeeeeeeee;
            st.shared.v4.u32 [%r4], {%r9, %r9, %r9, %r9};
            cvt.u64.u32 %rd1, %r3;
            add.u64 %rd2, %src, %rd1;
            and.b32 %r5, %i, 7;
            shl.b32 %r6, %r5, 1;
            setp.gt.u32 %p1, %r5, 3;
            add.u64 %rd4, %rd2, 4;
            add.u64 %rd5, %rd2, 8;
        """ + copy + """
            cp.async.wait_all;
            mad.wide.u32 %out, %i, 12, %out;
            ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4];
            st.global.u32 [%out], %r10;
            st.global.u32 [%out+4], %r11;
            st.global.u32 [%out+8], %r12;
            st.global.u32 [%out+12], %r13;
        """, params=("src", "out"), note=note, extra=SHARED)

    def words(lane):
        return SOURCE[4 * lane:4 * lane + 4]

    def cut(lane, start, count):
        """16 bytes of lane whose first count bytes are read, behind start kept ones."""
        raw = b"".join(w.to_bytes(4, "little") for w in words(lane))
        raw = raw[:start + count] + bytes(16 - start - count)
        return [int.from_bytes(raw[k:k + 4], "little") for k in range(0, 16, 4)]

    whole = [w for lane in range(32) for w in words(lane)]
    old = 0xeeeeeeee
    copies("whole_16", "cp.async.ca.shared.global [%r4], [%rd2], 16;", whole)
    copies("whole_cg", "cp.async.cg.shared.global.L2::128B [%r4], [%rd2], 16;", whole)
    copies("eights", """
        cp.async.ca.shared.global [%r4+8], [%rd2+8], 8;
        cp.async.ca.shared::cta.global [%r4], [%rd2], 8;
        cp.async.commit_group;
        cp.async.wait_group 0;""", whole)
    copies("fours", """
        cp.async.ca.shared.global [%r4], [%rd2+12], 4;
        cp.async.ca.shared.global [%r4+12], [%rd2], 4;
        cp.async.commit_group;
        cp.async.wait_group 0;""",
           [w for lane in range(32) for w in (words(lane)[3], old, old, words(lane)[0])])
    copies("generic_constant", """
        setp.eq.u32 %p2, %i, 4;
        @%p2 cp.async.ca.shared.global [room+64], [%src+32], 8;""",
           [w for lane in range(32) for w in
            ([SOURCE[8], SOURCE[9], old, old] if lane == 4 else [old] * 4)])
    copies("part_16", "cp.async.cg.shared.global [%r4], [%rd2], 16, %r6;",
           [w for lane in range(32) for w in cut(lane, 0, 2 * (lane & 7))],
           note="src-size: the rest is filled with zeros")
    copies("part_none", "cp.async.ca.shared.global [%r4], [%rd2], 16, 0;", [0] * 128)
    copies("part_4", "cp.async.ca.shared.global [%r4], [%rd2], 4, %r5;".replace("%r5", "3"),
           [w for lane in range(32) for w in (words(lane)[0] & 0xffffff, old, old, old)])
    copies("ignored", "cp.async.ca.shared.global [%r4], [%rd2], 8, %p1;",
           [w for lane in range(32)
            for w in ([0, 0] if lane & 7 > 3 else words(lane)[:2]) + [old, old]],
           note="ignore-src: zeros instead")
    copies("guarded", "@%p1 cp.async.ca.shared.global [%r4], [%rd2], 16;",
           [w for lane in range(32) for w in (words(lane) if lane & 7 > 3 else [old] * 4)])
    # Some ptxas put the shared address into the register of the policy when they know it as a
    # base and an offset (an illegal instruction on an H100): hide that from them.
    copies("policy", """
        createpolicy.fractional.L2::evict_first.b64 %rd9;
        shfl.sync.bfly.b32 %r4, %r4, 0, 31, 0xffffffff;
        cp.async.cg.shared.global.L2::cache_hint [%r4], [%rd2], 16, %rd9;""", whole)
    copies("null_not_read", """
        mov.u64 %rd2, 0;
        cp.async.ca.shared.global [%r4], [%rd2], 16, 0;""", [0] * 128,
           note="what is not read need not be there")
    kernel(f, "arrive_noinc", "block=64", [ints("in", "u32", SOURCE[:64]), ints("out", "u32", [
        SOURCE[63 - i] for i in range(64)])], """
            setp.eq.u32 %p1, %i, 0;
            @%p1 mbarrier.init.shared.b64 [bar], 64;
            bar.sync 0;
            mad.wide.u32 %rd1, %i, 4, %src;
            mov.u32 %r3, room;
            mad.lo.u32 %r4, %i, 4, %r3;
            cp.async.ca.shared.global [%r4], [%rd1], 4;
            cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
        wait:
            mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;
            @!%p2 bra wait;
            sub.u32 %r5, 63, %i;
            mad.lo.u32 %r4, %r5, 4, %r3;
            ld.shared.u32 %r6, [%r4];
            st.global.u32 [%out], %r6;
        """, params=("src", "out"), extra=SHARED)
    kernel(f, "arrive_inc", "block=64", [ints("in", "u32", SOURCE[:64]), ints("out", "u32", [
        SOURCE[63 - i] for i in range(64)])], """
            setp.eq.u32 %p1, %i, 0;
            @%p1 mbarrier.init.shared.b64 [bar], 64;
            bar.sync 0;
            mad.wide.u32 %rd1, %i, 4, %src;
            mov.u32 %r3, room;
            mad.lo.u32 %r4, %i, 4, %r3;
            cp.async.ca.shared.global [%r4], [%rd1], 4;
            mov.u64 %rd2, bar;
            cvta.shared.u64 %rd3, %rd2;
            cp.async.mbarrier.arrive.b64 [%rd3];
            mbarrier.arrive.b64 %rd4, [%rd3];
        wait:
            mbarrier.test_wait.b64 %p2, [%rd3], %rd4;
            @!%p2 bra wait;
            sub.u32 %r5, 63, %i;
            mad.lo.u32 %r4, %r5, 4, %r3;
            ld.shared.u32 %r6, [%r4];
            st.global.u32 [%out], %r6;
        """, params=("src", "out"), extra=SHARED,
           note="without .noinc the copies' arrival is one more that the phase takes")
    for name, copy in (("misaligned_source", "cp.async.ca.shared.global [room], [%src+4], 8;"),
                       ("misaligned_target", "cp.async.cg.shared.global [room+8], [%src], 16;")):
        kernel(f, name, "block=1 fresh", [ints("in", "u32", SOURCE[:8]), "//@ fault 716\n"],
               copy + "\ncp.async.wait_all;", params=("src",), extra=SHARED)
    return f


def mbarrier():
    f = File("mbarrier", "mbarrier: arrivals, bytes, states, parity, waiting.")

    def one(name, body, want, note=""):
        """One thread; what is left in %r10... are the results."""
        stores = "\n".join("st.global.u32 [%%out+%d], %%r%d;" % (4 * k, 10 + k)
                           for k in range(len(want)))
        kernel(f, name, "block=1", [ints("out", "u32", want)],
               "mov.u32 %r3, bar;\nmov.u64 %rd9, bar;\ncvta.shared.u64 %rd9, %rd9;\n" +
               body + "\n" + stores, note=note, extra=SHARED)

    def test(bit, how, p="%p1"):
        return "mbarrier.%s;\nselp.u32 %%r%d, 1, 0, %s;\n" % (how % p, 10 + bit, p)

    one("parity", """
        mbarrier.init.shared.b64 [bar], 2;
    """ + test(0, "test_wait.parity.shared.b64 %s, [bar], 1")
        + test(1, "test_wait.parity.shared.b64 %s, [bar], 0")
        + "mbarrier.arrive.shared.b64 %rd1, [bar];\n"
        + test(2, "test_wait.parity.shared.b64 %s, [bar], 0")
        + "mbarrier.arrive.shared.b64 _, [bar];\n"
        + test(3, "test_wait.parity.shared.b64 %s, [bar], 0")
        + test(4, "test_wait.parity.shared.b64 %s, [bar], 1")
        + test(5, "test_wait.shared.b64 %s, [bar], %%rd1")
        + "mbarrier.arrive.shared.b64 _, [bar], 2;\n"
        + test(6, "test_wait.parity.shared.b64 %s, [bar], 1")
        + test(7, "test_wait.parity.shared.b64 %s, [bar], 0"),
        [1, 0, 0, 1, 0, 1, 1, 0],
        note="parity of the phase that is over: of the one before the first, 1")
    one("states", """
        mbarrier.init.b64 [%rd9], 3;
        mbarrier.arrive.b64 %rd1, [%rd9];
    """ + test(0, "test_wait.b64 %s, [%%rd9], %%rd1") + """
        mbarrier.arrive.release.cta.shared::cta.b64 %rd2, [%r3], 2;
    """ + test(1, "test_wait.b64 %s, [%%rd9], %%rd1")
        + test(2, "test_wait.acquire.cta.shared::cta.b64 %s, [%%r3], %%rd2") + """
        mbarrier.arrive.shared.b64 %rd3, [%r3];
    """ + test(3, "test_wait.shared.b64 %s, [%%r3], %%rd3")
        + test(4, "test_wait.shared.b64 %s, [%%r3], %%rd2"),
        [0, 1, 1, 0, 1])
    one("pending", """
        mbarrier.init.shared.b64 [bar], 10;
        mbarrier.arrive.noComplete.shared.b64 %rd1, [bar], 3;
        mbarrier.arrive.shared.b64 %rd2, [bar];
        mbarrier.arrive_drop.shared.b64 %rd3, [bar];
        mbarrier.arrive.shared.b64 %rd4, [bar], 5;
        mbarrier.arrive.shared.b64 %rd5, [bar], 2;
        mbarrier.pending_count.b64 %r10, %rd1;
        mbarrier.pending_count.b64 %r11, %rd2;
        mbarrier.pending_count.b64 %r12, %rd3;
        mbarrier.pending_count.b64 %r13, %rd4;
        mbarrier.pending_count.b64 %r14, %rd5;
    """ + test(5, "test_wait.shared.b64 %s, [bar], %%rd4")
        + test(6, "test_wait.shared.b64 %s, [bar], %%rd5"),
        [10, 7, 6, 5, 9, 1, 0], note="a dropped arrival is missing in the next phases too")
    one("bytes", """
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 48;
    """ + test(0, "test_wait.shared.b64 %s, [bar], %%rd1") + """
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 32;
    """ + test(1, "test_wait.shared.b64 %s, [bar], %%rd1") + """
        mbarrier.complete_tx.shared::cta.b64 [bar], 16;
    """ + test(2, "test_wait.shared.b64 %s, [bar], %%rd1")
        + test(3, "test_wait.parity.shared.b64 %s, [bar], 1") + """
        mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 8;
        mbarrier.arrive.shared.b64 %rd2, [bar];
    """ + test(4, "test_wait.shared.b64 %s, [bar], %%rd2") + """
        mbarrier.complete_tx.shared::cta.b64 [bar], 8;
    """ + test(5, "test_wait.shared.b64 %s, [bar], %%rd2"), [0, 0, 1, 0, 0, 1])
    one("bytes_first", """
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.complete_tx.shared::cta.b64 [bar], 64;
    """ + test(0, "test_wait.parity.shared.b64 %s, [bar], 0") + """
        mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 64;
    """ + test(1, "test_wait.parity.shared.b64 %s, [bar], 0"), [0, 1],
        note="bytes may come before they are expected, within a phase")
    one("drop_expect", """
        mbarrier.init.shared.b64 [bar], 2;
        mbarrier.arrive_drop.expect_tx.shared.b64 %rd1, [bar], 4;
        mbarrier.arrive.shared.b64 %rd2, [bar];
    """ + test(0, "test_wait.shared.b64 %s, [bar], %%rd1") + """
        mbarrier.complete_tx.shared::cta.b64 [bar], 4;
    """ + test(1, "test_wait.shared.b64 %s, [bar], %%rd1") + """
        mbarrier.arrive.shared.b64 %rd3, [bar];
    """ + test(2, "test_wait.shared.b64 %s, [bar], %%rd3"), [0, 1, 1])
    one("again", """
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.arrive.shared.b64 %rd1, [bar];
        mbarrier.inval.shared.b64 [bar];
        mov.u64 %rd2, 77;
        st.shared.u64 [bar], %rd2;
        mbarrier.init.shared.b64 [bar], 1;
    """ + test(0, "test_wait.parity.shared.b64 %s, [bar], 0"), [0])
    kernel(f, "producer", "block=96", [ints("out", "u32", [
        sum(r * 32 + i for r in range(20)) if i < 32 else 0 for i in range(96)])], """
            mov.u32 %r3, room;
            setp.eq.u32 %p1, %i, 0;
            @%p1 mbarrier.init.shared.b64 [bar], 64;
            @%p1 mbarrier.init.shared.b64 [bar+8], 32;
            bar.sync 0;
            mov.u32 %r5, 0;
            mov.u32 %r6, 0;
            setp.lt.u32 %p2, %i, 32;
            @%p2 bra consume;
        produce:
            and.b32 %r7, %r5, 1;
            xor.b32 %r8, %r7, 1;
        empty:
            mbarrier.try_wait.parity.shared.b64 %p3, [bar+8], %r8;
            @!%p3 bra empty;
            setp.ge.u32 %p4, %i, 64;
            @%p4 bra skip;
            sub.u32 %r9, %i, 32;
            mad.lo.u32 %r10, %r9, 4, %r3;
            mad.lo.u32 %r11, %r5, 32, %r9;
            st.shared.u32 [%r10], %r11;
        skip:
            mbarrier.arrive.shared.b64 _, [bar];
            add.u32 %r5, %r5, 1;
            setp.lt.u32 %p5, %r5, 20;
            @%p5 bra produce;
            bra done;
        consume:
            and.b32 %r7, %r5, 1;
        full:
            mbarrier.try_wait.parity.shared.b64 %p3, [bar], %r7, 1000;
            @!%p3 bra full;
            mad.lo.u32 %r10, %i, 4, %r3;
            ld.shared.u32 %r11, [%r10];
            add.u32 %r6, %r6, %r11;
            mbarrier.arrive.shared.b64 %rd1, [bar+8];
            add.u32 %r5, %r5, 1;
            setp.lt.u32 %p5, %r5, 20;
            @%p5 bra consume;
        done:
            st.global.u32 [%out], %r6;
        """, note="two warps fill, one empties, in turns", extra=SHARED)
    kernel(f, "split_warp", "block=32", [ints("out", "u32", [
        100 + i if i >= 16 else 200 + i for i in range(32)])], """
            mov.u32 %r3, room;
            setp.eq.u32 %p1, %i, 0;
            @%p1 mbarrier.init.shared.b64 [bar], 16;
            bar.warp.sync 0xffffffff;
            mad.lo.u32 %r4, %i, 4, %r3;
            setp.lt.u32 %p2, %i, 16;
            @!%p2 bra write;
        wait:
            mbarrier.test_wait.parity.shared.b64 %p3, [bar], 0;
            @!%p3 bra wait;
            ld.shared.u32 %r5, [%r4+64];
            add.u32 %r5, %r5, 84;
            bra done;
        write:
            add.u32 %r5, %i, 100;
            st.shared.u32 [%r4], %r5;
            mbarrier.arrive.shared.b64 _, [bar];
        done:
            st.global.u32 [%out], %r5;
        """, note="lanes that wait for others of their warp", extra=SHARED)
    return f


def files():
    return [cp_async(), mbarrier()]
