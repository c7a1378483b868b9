# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clusters: ranks, shared memory of other blocks, the barrier."""

from .control import ints, kernel
from .emit import File

SHARED = ".shared .align 16 .b8 room[1024];\n.shared .align 8 .b64 bar[2];"
RANKS = """
    mov.u32 %r20, %cluster_ctarank;
    mov.u32 %r21, %cluster_nctarank;
    mov.u32 %r22, %tid.x;
    add.u32 %r23, %r20, 1;
    rem.u32 %r23, %r23, %r21;
    mov.u32 %r24, room;
    mov.u64 %rd20, room;
    cvta.shared.u64 %rd20, %rd20;
    shl.b32 %r25, %r22, 2;
"""
MEET = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"


class Directed:
    """A File whose next kernels carry a directive."""

    def __init__(self, file, directive):
        self.file, self.directive = file, directive

    def raw(self, text):
        self.file.raw(text.replace(")\n{\n", ") %s\n{\n" % self.directive, 1))


def cluster():
    f = File("cluster", "Clusters: ranks, the barrier, shared memory of other blocks.", "8.1")
    four = Directed(f, ".reqnctapercluster 4")

    kernel(four, "ranks", "grid=8 block=1", [ints("out", "u32", [
        v for c in range(8) for v in (c % 4, 4, c // 4, 2, c % 4, 4, 1, 1)])], """
        mov.u32 %r10, %cluster_ctarank;
        mov.u32 %r11, %cluster_nctarank;
        mov.u32 %r12, %clusterid.x;
        mov.u32 %r13, %nclusterid.x;
        mov.u32 %r14, %cluster_ctaid.x;
        mov.u32 %r15, %cluster_nctaid.x;
        mov.u32 %r16, %cluster_nctaid.y;
        mov.pred %p1, %is_explicit_cluster;
        selp.u32 %r17, 1, 0, %p1;
        mad.wide.u32 %out, %i, 28, %out;
    """ + "\n".join("st.global.u32 [%%out+%d], %%r%d;" % (4 * k, 10 + k) for k in range(8)))
    kernel(Directed(f, ".reqnctapercluster 2, 2"), "ranks_2d", "grid=4,4 block=1", [
        ints("out", "u32", [v for y in range(4) for x in range(4)
                            for v in (x % 2 + y % 2 * 2, x // 2, y // 2, y % 2)])], """
        mov.u32 %r3, %ctaid.y;
        mul.lo.u32 %r3, %r3, 4;
        mov.u32 %r4, %ctaid.x;
        mul.lo.u32 %r5, %r4, 12;
        cvt.u64.u32 %rd1, %r5;
        add.u64 %out, %out, %rd1;
        mad.wide.u32 %out, %r3, 16, %out;
        mov.u32 %r10, %cluster_ctarank;
        mov.u32 %r11, %clusterid.x;
        mov.u32 %r12, %clusterid.y;
        mov.u32 %r13, %cluster_ctaid.y;
        st.global.u32 [%out], %r10;
        st.global.u32 [%out+4], %r11;
        st.global.u32 [%out+8], %r12;
        st.global.u32 [%out+12], %r13;
    """)
    kernel(f, "alone", "grid=3 block=1", [ints("out", "u32", [1, 101, 201])], """
        mov.u32 %r3, %cluster_nctarank;
        mov.u32 %r4, %cluster_ctarank;
        mad.lo.u32 %r3, %i, 100, %r3;
        add.u32 %r3, %r3, %r4;
        barrier.cluster.arrive.release.aligned;
        barrier.cluster.wait.acquire.aligned;
        st.global.u32 [%out], %r3;
    """, note="a launch without clusters: each block is one")

    def block(rank, cluster, lane):
        return 1000 * (4 * cluster + rank) + lane

    def neighbours(name, read, note="", lanes=32, swap=None):
        """Each block leaves values in its room, and reads its neighbour's into %r10."""
        kernel(four, name, "grid=8 block=%d" % lanes, [ints("out", "u32", [
            block((c + 1) % 4, c // 4, swap(i) if swap else i)
            for c in range(8) for i in range(lanes)])], RANKS + """
            mov.u32 %r3, %ctaid.x;
            mad.lo.u32 %r4, %r3, 1000, %r22;
            add.u32 %r5, %r24, %r25;
            st.shared.u32 [%r5], %r4;
        """ + MEET + read + "st.global.u32 [%out], %r10;\n" + MEET, note=note, extra=SHARED)

    neighbours("load_mapped", """
        mapa.shared::cluster.u32 %r6, %r5, %r23;
        ld.shared::cluster.u32 %r10, [%r6];
    """)
    neighbours("load_wide", """
        cvt.u64.u32 %rd1, %r5;
        mapa.shared::cluster.u64 %rd2, %rd1, %r23;
        ld.shared::cluster.u32 %r10, [%rd2];
    """)
    neighbours("load_generic", """
        cvt.u64.u32 %rd1, %r25;
        add.u64 %rd2, %rd20, %rd1;
        mapa.u64 %rd3, %rd2, %r23;
        ld.u32 %r10, [%rd3];
    """)
    neighbours("load_reversed", """
        xor.b32 %r7, %r25, 124;
        add.u32 %r7, %r24, %r7;
        mapa.shared::cluster.u32 %r6, %r7, %r23;
        ld.shared::cluster.u32 %r10, [%r6];
    """, swap=lambda i: 31 - i)
    neighbours("load_vector", """
        and.b32 %r7, %r25, 112;
        add.u32 %r7, %r24, %r7;
        mapa.shared::cluster.u32 %r6, %r7, %r23;
        ld.shared::cluster.v4.u32 {%r10, %r11, %r12, %r13}, [%r6];
        and.b32 %r8, %r22, 3;
        setp.eq.u32 %p1, %r8, 1;
        selp.u32 %r10, %r11, %r10, %p1;
        setp.eq.u32 %p1, %r8, 2;
        selp.u32 %r10, %r12, %r10, %p1;
        setp.eq.u32 %p1, %r8, 3;
        selp.u32 %r10, %r13, %r10, %p1;
    """)
    neighbours("load_converted", """
        mapa.shared::cluster.u32 %r6, %r5, %r23;
        cvt.u64.u32 %rd1, %r6;
        cvta.shared::cluster.u64 %rd2, %rd1;
        cvta.to.shared::cluster.u64 %rd3, %rd2;
        cvt.u32.u64 %r7, %rd3;
        ld.shared::cluster.u32 %r8, [%r7];
        ld.u32 %r10, [%rd2];
        setp.ne.u32 %p1, %r8, %r10;
        @%p1 trap;
    """)
    kernel(four, "own", "grid=4 block=32", [ints("out", "u32", [
        100 * c + i for c in range(4) for i in range(32)])], RANKS + """
        mad.lo.u32 %r4, %r20, 100, %r22;
        add.u32 %r5, %r24, %r25;
        st.shared::cluster.u32 [%r5], %r4;
        mapa.shared::cluster.u32 %r6, %r5, %r20;
        ld.shared::cluster.u32 %r7, [%r6];
        ld.shared.u32 %r8, [%r5];
        setp.ne.u32 %p1, %r7, %r8;
        @%p1 trap;
        st.global.u32 [%out], %r7;
    """, note="an address of .shared::cta is one of .shared::cluster", extra=SHARED)
    kernel(four, "store_remote", "grid=4 block=32", [ints("out", "u32", [
        100 * ((c + 3) % 4) + i for c in range(4) for i in range(32)])], RANKS + MEET + """
        mad.lo.u32 %r4, %r20, 100, %r22;
        add.u32 %r5, %r24, %r25;
        mapa.shared::cluster.u32 %r6, %r5, %r23;
        st.shared::cluster.u32 [%r6], %r4;
    """ + MEET + """
        ld.shared.u32 %r7, [%r5];
        st.global.u32 [%out], %r7;
    """, extra=SHARED)
    kernel(four, "ranks_of", "grid=4 block=4", [ints("out", "u32", [
        11 * i for c in range(4) for i in range(4)])], RANKS + """
        mapa.shared::cluster.u32 %r5, %r24, %r22;
        getctarank.shared::cluster.u32 %r6, %r5;
        mapa.u64 %rd1, %rd20, %r22;
        getctarank.u64 %r7, %rd1;
        mad.lo.u32 %r6, %r6, 10, %r7;
        getctarank.shared::cluster.u32 %r8, %r24;
        setp.ne.u32 %p1, %r8, %r20;
        @%p1 trap;
        getctarank.u64 %r8, %rd20;
        setp.ne.u32 %p1, %r8, %r20;
        @%p1 trap;
        st.global.u32 [%out], %r6;
    """ + MEET, extra=SHARED)
    kernel(four, "spaces", "grid=4 block=4", [ints("out", "u32", [
        2 + (c == i) for c in range(4) for i in range(4)])], RANKS + """
        mapa.u64 %rd1, %rd20, %r22;
        isspacep.shared::cta %p1, %rd1;
        isspacep.shared::cluster %p2, %rd1;
        isspacep.global %p3, %rd1;
        selp.u32 %r5, 1, 0, %p1;
        selp.u32 %r6, 2, 0, %p2;
        selp.u32 %r7, 4, 0, %p3;
        add.u32 %r5, %r5, %r6;
        add.u32 %r5, %r5, %r7;
        st.global.u32 [%out], %r5;
    """ + MEET, extra=SHARED)
    kernel(four, "atomics", "grid=4 block=64", [ints("out", "u32", [
        v for c in range(4) for i in range(64)
        for v in [256 + 64 * 4 * 5 if c == 0 else 0]])], RANKS + """
        mov.u32 %r4, 0;
        st.shared.u32 [room], %r4;
    """ + MEET + """
        mapa.shared::cluster.u32 %r5, %r24, 0;
        atom.shared::cluster.add.u32 %r6, [%r5], 1;
        mapa.u64 %rd1, %rd20, 0;
        red.relaxed.cluster.add.u32 [%rd1], 5;
    """ + MEET + """
        ld.shared.u32 %r7, [room];
        st.global.u32 [%out], %r7;
    """, extra=SHARED)
    kernel(four, "rounds", "grid=8 block=96", [ints("out", "u32", [10] * 768)], RANKS + """
        mov.u32 %r4, 0;
        st.shared.u32 [room], %r4;
        setp.eq.u32 %p2, %r22, 0;
    """ + MEET + """
        mapa.shared::cluster.u32 %r5, %r24, %r23;
        mov.u32 %r6, 0;
    loop:
        @!%p2 bra skip;
        ld.shared::cluster.u32 %r7, [%r5];
        add.u32 %r8, %r6, 0;
        setp.ne.u32 %p1, %r7, %r8;
        @%p1 trap;
    skip:
    """ + MEET + """
        add.u32 %r6, %r6, 1;
        @%p2 st.shared.u32 [room], %r6;
        barrier.cluster.arrive.release;
        barrier.cluster.wait.acquire;
        setp.lt.u32 %p3, %r6, 10;
        @%p3 bra loop;
        st.global.u32 [%out], %r6;
    """, note="no block is a round ahead of another", extra=SHARED)
    kernel(four, "leavers", "grid=4 block=64", [ints("out", "u32", [
        7 if c == 2 and i < 5 else 3 for c in range(4) for i in range(64)])], RANKS + """
        mov.u32 %r10, 7;
        setp.eq.u32 %p1, %r20, 2;
        setp.lt.and.u32 %p1, %r22, 5, %p1;
        @%p1 bra done;
        barrier.cluster.arrive.relaxed;
        mov.u32 %r10, 3;
        barrier.cluster.wait;
    done:
        st.global.u32 [%out], %r10;
    """, note="threads that have left are not waited for", extra=SHARED)
    kernel(four, "remote_mbarrier", "grid=4 block=32", [ints("out", "u32", [
        sum(range(4)) * 10 if c == 0 else 0 for c in range(4) for i in range(32)])], RANKS + """
        setp.eq.u32 %p1, %r22, 0;
        @%p1 mbarrier.init.shared.b64 [bar], 4;
        @%p1 fence.mbarrier_init.release.cluster;
    """ + MEET + """
        mul.lo.u32 %r4, %r20, 10;
        mapa.shared::cluster.u32 %r5, %r24, 0;
        shl.b32 %r6, %r20, 2;
        add.u32 %r5, %r5, %r6;
        mov.u32 %r7, bar;
        mapa.shared::cluster.u32 %r8, %r7, 0;
        @!%p1 bra sent;
        st.shared::cluster.u32 [%r5], %r4;
        mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];
    sent:
        mov.u32 %r10, 0;
        setp.ne.u32 %p2, %r20, 0;
        @%p2 bra done;
    wait:
        mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0;
        @!%p3 bra wait;
        ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [room];
        add.u32 %r10, %r11, %r12;
        add.u32 %r10, %r10, %r13;
        add.u32 %r10, %r10, %r14;
    done:
        st.global.u32 [%out], %r10;
    """ + MEET, extra=SHARED)
    kernel(four, "store_async", "grid=4 block=32", [ints("out", "u32", [
        v for c in range(4) for i in range(32) for v in [(1000 * ((c + 3) % 4) + i) * 3 + 5]])],
           RANKS + """
        setp.eq.u32 %p1, %r22, 0;
        @%p1 mbarrier.init.shared.b64 [bar], 1;
        mov.u32 %r9, 5;
        add.u32 %r11, %r24, %r25;
        st.shared.u32 [%r11+512], %r9;
        @%p1 fence.mbarrier_init.release.cluster;
        @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 640;
    """ + MEET + """
        mad.lo.u32 %r4, %r20, 1000, %r22;
        mapa.shared::cluster.u32 %r5, %r11, %r23;
        mul.lo.u32 %r6, %r25, 3;
        add.u32 %r6, %r6, %r5;
        mov.u32 %r7, bar;
        mapa.shared::cluster.u32 %r8, %r7, %r23;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r4, [%r8];
        mov.u32 %r12, 128;
        mad.lo.u32 %r12, %r22, 8, %r12;
        mapa.shared::cluster.u32 %r13, %r24, %r23;
        add.u32 %r13, %r13, %r12;
        st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r13], {%r4, %r4}, [%r8];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5+512], %r4, [%r8];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [%r5+512], 0, [%r8];
    wait:
        mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0;
        @!%p3 bra wait;
        ld.shared.u32 %r14, [%r11];
        ld.shared.u32 %r15, [%r11+512];
        add.u32 %r16, %r12, %r24;
        ld.shared.v2.u32 {%r17, %r18}, [%r16];
        add.u32 %r14, %r14, %r15;
        add.u32 %r14, %r14, %r18;
        st.global.u32 [%out], %r14;
    """ + MEET, note="each adds its bytes to the mbarrier beside it", extra=SHARED)
    return f


def files():
    return [cluster()]
