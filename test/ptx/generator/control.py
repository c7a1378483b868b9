# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow, calls, barriers, warps, special registers."""

from .emit import File, wrap

REGS = """\t.reg .pred %p<16>;
\t.reg .b16 %h<8>;
\t.reg .b32 %r<40>, %i;
\t.reg .f32 %f<8>;
\t.reg .b64 %rd<40>, %out;
\t.reg .f64 %fd<8>;
"""


def lines(text):
    """Body text with one tab in front, labels at the margin."""
    out = ""
    for line in text.strip("\n").split("\n"):
        line = line.strip()
        if line:
            out += line + "\n" if line.endswith(":") else "\t" + line + "\n"
    return out


def ints(verb, t, values, mode=""):
    head = "//@ %s %s%s" % (verb, t, " " + mode if mode else "")
    out, k = [], 0
    values = list(values)
    while k < len(values):
        n = 1
        while k + n < len(values) and values[k + n] == values[k]:
            n += 1
        text = str(values[k] if values[k] == "_" or abs(values[k]) < 65536 else hex(values[k]))
        out.append(text if n == 1 else "%s*%d" % (text, n))
        k += n
    return wrap(head, out)


def kernel(f, name, launch, operands, body, params=("out",), note="", extra="", by_value=()):
    """A kernel whose first lines leave the global thread index in %i and the
    address of its own u32 in the first buffer in %out; params are in %NAME, but
    for those structures whose bytes by_value tells."""
    text = "\n" + "".join("// %s\n" % l for l in note.strip().split("\n") if l)
    text += "//@ launch %s %s\n" % (name, launch) + "".join(operands)
    text += ".visible .entry %s(%s)\n{\n" % (name, ", ".join(
        ".param .align 8 .b8 p_%s[%d]" % (p, by_value[p]) if p in by_value else
        ".param .u64 p_" + p for p in params))
    text += REGS
    params = [p for p in params if p not in by_value]
    named = [p for p in params if p != "out"]
    if named:
        text += "\t.reg .b64 %s;\n" % ", ".join("%" + p for p in named)
    text += lines(extra) if extra else ""
    text += "".join("\tld.param.u64 %%%s, [p_%s];\n" % (p, p) for p in params)
    text += lines("""
        mov.u32 %r1, %ctaid.x;
        mov.u32 %r2, %ntid.x;
        mov.u32 %i, %tid.x;
        mad.lo.u32 %i, %r1, %r2, %i;
    """)
    if "out" in params:
        text += "\tmad.wide.u32 %out, %i, 4, %out;\n"
    f.raw(text + lines(body) + "\tret;\n}\n")


def branch():
    f = File("bra", "bra, ret, exit: divergence, loops, early ends, and what is uniform.")
    n = 96

    def out(fn, n=n):
        return [ints("out", "u32", [fn(i) & 0xffffffff for i in range(n)])]
    kernel(f, "if_else", "block=96", out(lambda i: 10 * i if i & 1 else i + 1000), """
        and.b32 %r3, %i, 1;
        setp.eq.u32 %p1, %r3, 0;
        @%p1 bra $even;
        mul.lo.u32 %r4, %i, 10;
        bra $join;
        $even:
        add.u32 %r4, %i, 1000;
        $join:
        st.global.u32 [%out], %r4;""")
    kernel(f, "nested", "block=96",
           out(lambda i: (1 if i & 1 else 2) + (10 if i & 2 else 20) * (3 if i & 1 else 5)), """
        and.b32 %r3, %i, 1;
        and.b32 %r4, %i, 2;
        setp.ne.u32 %p1, %r3, 0;
        setp.ne.u32 %p2, %r4, 0;
        @!%p1 bra $b;
        @!%p2 bra $a2;
        mov.u32 %r5, 31;
        bra $a3;
        $a2:
        mov.u32 %r5, 61;
        $a3:
        bra $end;
        $b:
        @%p2 bra $b2;
        mov.u32 %r5, 102;
        bra.uni $end;
        $b2:
        mov.u32 %r5, 52;
        $end:
        st.global.u32 [%out], %r5;""", note="Divergence inside divergence.")
    kernel(f, "trip_counts", "block=96", out(lambda i: i * (i + 1) // 2), """
        mov.u32 %r3, 0;
        mov.u32 %r4, 0;
        $loop:
        setp.ge.u32 %p1, %r3, %i;
        @%p1 bra $done;
        add.u32 %r3, %r3, 1;
        add.u32 %r4, %r4, %r3;
        bra $loop;
        $done:
        st.global.u32 [%out], %r4;""", note="Each lane leaves the loop at another time.")

    def collatz(i):
        n, k = i + 1, 0
        while n != 1:
            n, k = (n // 2 if n % 2 == 0 else 3 * n + 1), k + 1
        return k
    kernel(f, "collatz", "grid=3 block=100", out(collatz, 300), """
        add.u32 %r3, %i, 1;
        mov.u32 %r4, 0;
        $loop:
        setp.eq.u32 %p1, %r3, 1;
        @%p1 bra $done;
        and.b32 %r5, %r3, 1;
        setp.eq.u32 %p2, %r5, 0;
        @%p2 bra $even;
        mad.lo.u32 %r3, %r3, 3, 1;
        bra $next;
        $even:
        shr.u32 %r3, %r3, 1;
        $next:
        add.u32 %r4, %r4, 1;
        bra $loop;
        $done:
        st.global.u32 [%out], %r4;""")
    kernel(f, "early_ret", "block=96",
           [ints("out", "u32", [0xa5a5a5a5 if i % 3 == 0 else i for i in range(96)])], """
        rem.u32 %r3, %i, 3;
        setp.eq.u32 %p1, %r3, 0;
        @%p1 ret;
        st.global.u32 [%out], %i;""", note="Lanes that have left must not store.")
    kernel(f, "early_exit", "block=50",
           [ints("out", "u32", [0xa5a5a5a5 if i & 4 else i + 7 for i in range(50)])], """
        and.b32 %r3, %i, 4;
        setp.ne.u32 %p1, %r3, 0;
        add.u32 %r4, %i, 5;
        @%p1 exit;
        add.u32 %r4, %r4, 2;
        st.global.u32 [%out], %r4;""", note="Full-width arithmetic after some lanes left.")
    kernel(f, "exit_then_loop", "block=64",
           [ints("out", "u32", [0xa5a5a5a5 if i % 2 else 45 for i in range(64)])], """
        and.b32 %r3, %i, 1;
        setp.ne.u32 %p1, %r3, 0;
        @%p1 bra $leave;
        mov.u32 %r4, 0;
        mov.u32 %r5, 0;
        $loop:
        add.u32 %r4, %r4, %r5;
        add.u32 %r5, %r5, 1;
        setp.lt.u32 %p2, %r5, 10;
        @%p2 bra $loop;
        st.global.u32 [%out], %r4;
        ret;
        $leave:
        exit;""")
    kernel(f, "uniform_in_divergent", "block=96", out(lambda i: 5 + 3 if i & 1 else 7 + 3), """
        and.b32 %r3, %i, 1;
        setp.ne.u32 %p1, %r3, 0;
        mov.u32 %r4, 7;
        @!%p1 bra $join;
        mov.u32 %r4, 5;
        $join:
        mov.u32 %r5, 3;
        add.u32 %r4, %r4, %r5;
        st.global.u32 [%out], %r4;""",
           note="The same constant in every lane that assigns it, but not every lane does.")
    kernel(f, "uniform_counter", "block=96", out(lambda i: i % 5 + 100 * (i % 5)), """
        rem.u32 %r3, %i, 5;
        mov.u32 %r4, 0;
        mov.u32 %r5, 0;
        $loop:
        setp.eq.u32 %p1, %r4, %r3;
        @%p1 bra $done;
        add.u32 %r4, %r4, 1;
        add.u32 %r5, %r5, 100;
        bra $loop;
        $done:
        add.u32 %r6, %r4, %r5;
        st.global.u32 [%out], %r6;""",
           note="A counter that is equal in all lanes while they loop, but is kept by each\n"
                "lane as it was when that lane left.")
    kernel(f, "uniform_both_sides", "block=64", out(lambda i: 11 * 2 if i < 10 else 13 * 3, 64),
           """
        setp.lt.u32 %p1, %i, 10;
        @%p1 bra $low;
        mov.u32 %r3, 13;
        mov.u32 %r4, 3;
        bra $join;
        $low:
        mov.u32 %r3, 11;
        mov.u32 %r4, 2;
        $join:
        mul.lo.u32 %r5, %r3, %r4;
        st.global.u32 [%out], %r5;""", note="Uniform on both sides, not behind them.")
    kernel(f, "uniform_live_through", "block=64",
           out(lambda i: 1000 + (sum(range(i % 7)) if i & 1 else 77), 64), """
        mov.u32 %r9, 1000;
        and.b32 %r3, %i, 1;
        setp.eq.u32 %p1, %r3, 0;
        @%p1 bra $even;
        rem.u32 %r4, %i, 7;
        mov.u32 %r5, 0;
        mov.u32 %r6, 0;
        $loop:
        setp.ge.u32 %p2, %r5, %r4;
        @%p2 bra $join;
        add.u32 %r6, %r6, %r5;
        add.u32 %r5, %r5, 1;
        bra $loop;
        $even:
        mov.u32 %r5, 70;
        add.u32 %r6, %r5, 7;
        $join:
        add.u32 %r6, %r6, %r9;
        st.global.u32 [%out], %r6;""",
           note="A uniform register used on one side as a counter, on the other as a constant.")
    kernel(f, "break_continue", "block=96",
           out(lambda i: sum(k for k in range(20) if k % 3 and k <= i % 17)), """
        rem.u32 %r7, %i, 17;
        mov.u32 %r3, 0;
        mov.u32 %r4, 0;
        $loop:
        setp.gt.u32 %p1, %r3, %r7;
        @%p1 bra $done;
        rem.u32 %r5, %r3, 3;
        setp.eq.u32 %p2, %r5, 0;
        @%p2 bra $next;
        add.u32 %r4, %r4, %r3;
        $next:
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p3, %r3, 20;
        @%p3 bra $loop;
        $done:
        st.global.u32 [%out], %r4;""")
    kernel(f, "irreducible", "block=64", out(lambda i: (i & 1) + 3 * 10, 64), """
        mov.u32 %r3, 0;
        mov.u32 %r4, 0;
        and.b32 %r5, %i, 1;
        setp.ne.u32 %p1, %r5, 0;
        @%p1 bra $second;
        $first:
        add.u32 %r3, %r3, 10;
        add.u32 %r4, %r4, 1;
        setp.ge.u32 %p2, %r4, 3;
        @%p2 bra $done;
        bra $first2;
        $second:
        add.u32 %r3, %r3, 1;
        $first2:
        bra $first;
        $done:
        st.global.u32 [%out], %r3;""", note="A loop entered at two places.")
    kernel(f, "back_and_forth", "block=32", out(lambda i: 111, 32), """
        mov.u32 %r3, 0;
        bra $three;
        $one:
        add.u32 %r3, %r3, 1;
        bra $four;
        $two:
        add.u32 %r3, %r3, 10;
        bra $one;
        $three:
        add.u32 %r3, %r3, 100;
        bra $two;
        $four:
        st.global.u32 [%out], %r3;""", note="Blocks that do not run in the order of the text.")
    kernel(f, "predicated", "block=96", out(lambda i: (i * 2 if i % 4 else i) + (1 if i > 50 else
                                                                              2)), """
        and.b32 %r3, %i, 3;
        setp.ne.u32 %p1, %r3, 0;
        setp.gt.u32 %p2|%p3, %i, 50;
        mov.u32 %r4, %i;
        @%p1 shl.b32 %r4, %r4, 1;
        @%p2 add.u32 %r4, %r4, 1;
        @%p3 add.u32 %r4, %r4, 2;
        @%p1 st.global.u32 [%out], %r4;
        @!%p1 st.global.u32 [%out], %r4;""")
    kernel(f, "predicated_load", "block=64",
           [ints("out", "u32", [i * 3 if i % 2 else 1 for i in range(64)]),
            ints("in", "u32", [i * 3 for i in range(64)])], """
        and.b32 %r3, %i, 1;
        setp.ne.u32 %p1, %r3, 0;
        mov.u64 %rd1, 0;
        mad.wide.u32 %rd2, %i, 4, %in;
        selp.b64 %rd1, %rd2, %rd1, %p1;
        mov.u32 %r4, 1;
        @%p1 ld.global.u32 %r4, [%rd1];
        st.global.u32 [%out], %r4;""", ("out", "in"),
           note="Lanes that a predicate switches off must not touch their address, 0 here.")
    kernel(f, "divergent_warp_shapes", "grid=2 block=33,1,1", out(lambda i: i ^ 21, 66), """
        xor.b32 %r3, %i, 21;
        setp.gt.u32 %p1, %i, 40;
        @%p1 bra $store;
        bra $store;
        $store:
        st.global.u32 [%out], %r3;""", note="A second warp of one lane; a branch to the next line.")
    n3 = 5 * 3 * 2
    kernel(f, "thread_shapes", "block=5,3,2",
           [ints("out", "u32", [x + 10 * y + 100 * z for z in range(2) for y in range(3)
                                for x in range(5)])], """
        mov.u32 %r3, %tid.x;
        mov.u32 %r4, %tid.y;
        mov.u32 %r5, %tid.z;
        mov.u32 %r6, %ntid.x;
        mov.u32 %r7, %ntid.y;
        mad.lo.u32 %r8, %r5, %r7, %r4;
        mad.lo.u32 %r8, %r8, %r6, %r3;
        ld.param.u64 %rd1, [p_out];
        mad.wide.u32 %rd1, %r8, 4, %rd1;
        mad.lo.u32 %r9, %r4, 10, %r3;
        mad.lo.u32 %r9, %r5, 100, %r9;
        st.global.u32 [%rd1], %r9;""",
           note="%%tid.y is no constant of a warp that spans rows (%d threads)." % n3)
    kernel(f, "row_branch", "block=8,8",
           [ints("out", "u32", [5 if y % 3 == 0 else 9 for y in range(8) for x in range(8)])],
           """
        mov.u32 %r3, %tid.x;
        mov.u32 %r4, %tid.y;
        mad.lo.u32 %r5, %r4, 8, %r3;
        ld.param.u64 %rd1, [p_out];
        mad.wide.u32 %rd1, %r5, 4, %rd1;
        rem.u32 %r6, %r4, 3;
        setp.eq.u32 %p1, %r6, 0;
        mov.u32 %r7, 9;
        @!%p1 bra $store;
        mov.u32 %r7, 5;
        $store:
        st.global.u32 [%rd1], %r7;""", note="A branch on %tid.y diverges when a warp has rows.")
    return f


def special():
    f = File("special", "Special registers: identities exactly, times as far as they are sane.")

    grid, block = (3, 2, 2), (4, 3, 5)
    where = [(cx, cy, cz, x, y, z) for cz in range(grid[2]) for cy in range(grid[1])
             for cx in range(grid[0]) for z in range(block[2]) for y in range(block[1])
             for x in range(block[0])]
    regs = {
        "tid.x": lambda w: w[3], "tid.y": lambda w: w[4], "tid.z": lambda w: w[5],
        "ctaid.x": lambda w: w[0], "ctaid.y": lambda w: w[1], "ctaid.z": lambda w: w[2],
        "ntid.x": lambda w: 4, "ntid.y": lambda w: 3, "ntid.z": lambda w: 5,
        "nctaid.x": lambda w: 3, "nctaid.y": lambda w: 2, "nctaid.z": lambda w: 2,
        "laneid": lambda w: (w[3] + 4 * (w[4] + 3 * w[5])) & 31,
        "lanemask_eq": lambda w: 1 << ((w[3] + 4 * (w[4] + 3 * w[5])) & 31),
        "lanemask_lt": lambda w: (1 << ((w[3] + 4 * (w[4] + 3 * w[5])) & 31)) - 1,
        "lanemask_le": lambda w: (2 << ((w[3] + 4 * (w[4] + 3 * w[5])) & 31)) - 1,
        "lanemask_gt": lambda w: (-2 << ((w[3] + 4 * (w[4] + 3 * w[5])) & 31)) & 0xffffffff,
        "lanemask_ge": lambda w: (-1 << ((w[3] + 4 * (w[4] + 3 * w[5])) & 31)) & 0xffffffff,
    }
    for reg, fn in regs.items():
        kernel(f, reg.replace(".", "_"), "grid=3,2,2 block=4,3,5",
               [ints("out", "u32", [fn(w) for w in where])], """
            mov.u32 %%r3, %%ctaid.z;
            mov.u32 %%r4, %%ctaid.y;
            mad.lo.u32 %%r3, %%r3, 2, %%r4;
            mov.u32 %%r4, %%ctaid.x;
            mad.lo.u32 %%r3, %%r3, 3, %%r4;
            mov.u32 %%r4, %%tid.z;
            mad.lo.u32 %%r3, %%r3, 5, %%r4;
            mov.u32 %%r4, %%tid.y;
            mad.lo.u32 %%r3, %%r3, 3, %%r4;
            mov.u32 %%r4, %%tid.x;
            mad.lo.u32 %%r3, %%r3, 4, %%r4;
            ld.param.u64 %%rd1, [p_out];
            mad.wide.u32 %%rd1, %%r3, 4, %%rd1;
            mov.u32 %%r5, %%%s;
            st.global.u32 [%%rd1], %%r5;""" % reg)
    sane = {
        "warpid": ("mov.u32 %r3, %warpid;\nmov.u32 %r4, %nwarpid;", "%r3, %r4"),
        "smid": ("mov.u32 %r3, %smid;\nmov.u32 %r4, %nsmid;", "%r3, %r4"),
    }
    for name, (text, args) in sane.items():
        kernel(f, name, "grid=4 block=64", [ints("out", "u32", [1] * 256)], text + """
            setp.lt.u32 %%p1, %s;
            selp.u32 %%r5, 1, 0, %%p1;
            st.global.u32 [%%out], %%r5;""" % args, note="Below the number of them.")
    for name, bits in (("clock", 32), ("clock64", 64), ("globaltimer", 64), ("clock_hi", 32)):
        reg, t = ("%r", "u32") if bits == 32 else ("%rd", "u64")
        kernel(f, name, "block=64", [ints("out", "u32", [1] * 64)], """
            mov.{t} {r}3, %{name};
            mov.u32 %r8, 0;
            $loop:
            add.u32 %r8, %r8, 1;
            setp.lt.u32 %p2, %r8, 50;
            @%p2 bra $loop;
            mov.{t} {r}4, %{name};
            sub.{t} {r}4, {r}4, {r}3;
            setp.ge.{s} %p1, {r}4, 0;
            selp.u32 %r5, 1, 0, %p1;
            st.global.u32 [%out], %r5;""".format(t=t, s="s%d" % bits, r=reg, name=name),
               note="Never runs backwards.")
    kernel(f, "clock_hi_of_clock64", "block=64", [ints("out", "u32", [1] * 64)], """
        mov.u64 %rd3, %clock64;
        mov.u32 %r3, %clock_hi;
        mov.u64 %rd4, %clock64;
        cvt.u64.u32 %rd5, %r3;
        shr.u64 %rd3, %rd3, 32;
        shr.u64 %rd4, %rd4, 32;
        setp.le.u64 %p1, %rd3, %rd5;
        setp.le.and.u64 %p1, %rd5, %rd4, %p1;
        selp.u32 %r5, 1, 0, %p1;
        st.global.u32 [%out], %r5;""", note="The upper half.")
    kernel(f, "nanosleep", "block=32", [ints("out", "u32", range(32))], """
        nanosleep.u32 100;
        mov.u32 %r3, 20;
        nanosleep.u32 %r3;
        st.global.u32 [%out], %i;""")
    kernel(f, "shared_sizes", "block=32 shared=160", [ints("out", "u32", [160] * 32)], """
        mov.u32 %r3, %dynamic_smem_size;
        st.global.u32 [%out], %r3;""")
    kernel(f, "gridid", "block=32", [ints("out", "u32", range(32))], """
        mov.u64 %rd3, %gridid;
        st.global.u32 [%out], %i;""", note="Readable, of no particular value.")
    kernel(f, "activemask", "block=64", [ints("out", "u32", [1] * 64)], """
        and.b32 %r3, %i, 3;
        setp.eq.u32 %p1, %r3, 2;
        mov.u32 %r6, %laneid;
        mov.u32 %r7, 0;
        mov.u32 %r8, 1;
        shl.b32 %r8, %r8, %r6;
        @%p1 bra $other;
        activemask.b32 %r4;
        and.b32 %r7, %r4, 0x44444444;
        bra $join;
        $other:
        activemask.b32 %r4;
        and.b32 %r7, %r4, 0xbbbbbbbb;
        $join:
        and.b32 %r5, %r4, %r8;
        setp.ne.u32 %p2, %r5, 0;
        setp.eq.and.u32 %p2, %r7, 0, %p2;
        selp.u32 %r5, 1, 0, %p2;
        st.global.u32 [%out], %r5;""", note="Holds the lane itself and none that went elsewhere.")
    return f


def shuffle_reference(mode, b, c, lane, alive=32):
    seg, clamp = c >> 8 & 31, c & 31
    b &= 31
    max_lane = (lane & seg) | (clamp & ~seg)
    min_lane = lane & seg
    if mode == "up":
        j = lane - b
        ok = j >= max_lane
    elif mode == "down":
        j = lane + b
        ok = j <= max_lane
    elif mode == "bfly":
        j = lane ^ b
        ok = j <= max_lane
    else:
        j = min_lane | (b & ~seg & 31)
        ok = j <= max_lane
    return (j if ok else lane), ok


def shfl():
    f = File("shfl", "shfl.sync: modes, segments, out-of-range lanes, predicates, masks.")
    for mode in ("up", "down", "bfly", "idx"):
        for width in (32, 16, 8, 4, 2, 1):
            c = (32 - width) << 8 | (0 if mode == "up" else 31)
            for b in (0, 1, 3, 16, 31) if width in (32, 8) else (1, 2):
                got = []
                for i in range(64):
                    j, ok = shuffle_reference(mode, b, c, i % 32)
                    got.append((i & 32 | j) * 3 + 1 + (1000 if ok else 0))
                kernel(f, "%s_%d_by_%d" % (mode, width, b), "block=64",
                       [ints("out", "u32", got)], """
                    mad.lo.u32 %%r3, %%i, 3, 1;
                    shfl.sync.%s.b32 %%r4|%%p1, %%r3, %d, 0x%x, 0xffffffff;
                    @%%p1 add.u32 %%r4, %%r4, 1000;
                    st.global.u32 [%%out], %%r4;""" % (mode, b, c))
    got = []
    for i in range(32):
        j, ok = shuffle_reference("idx", (i * 7 + 3), 0x1f, i)
        got.append(j * j)
    kernel(f, "idx_per_lane", "block=32", [ints("out", "u32", got)], """
        mul.lo.u32 %r3, %i, %i;
        mad.lo.u32 %r5, %i, 7, 3;
        mov.u32 %r6, 0x1f;
        mov.u32 %r7, -1;
        shfl.sync.idx.b32 %r4, %r3, %r5, %r6, %r7;
        st.global.u32 [%out], %r4;""", note="Every operand in a register, b beyond 31.")
    got = []
    for i in range(32):
        c = (0x18 << 8 | 0x1f) if i & 8 else 0x1005
        j, ok = shuffle_reference("down", 2, c, i)
        got.append(j + (100 if ok else 0))
    kernel(f, "down_clamp_per_lane", "block=32", [ints("out", "u32", got)], """
        and.b32 %r5, %i, 8;
        setp.ne.u32 %p2, %r5, 0;
        selp.u32 %r6, 0x181f, 0x1005, %p2;
        shfl.sync.down.b32 %r4|%p1, %i, 2, %r6, 0xffffffff;
        @%p1 add.u32 %r4, %r4, 100;
        st.global.u32 [%out], %r4;""", note="Clamp and segment mask differ from lane to lane.")
    kernel(f, "halves", "block=64",
           [ints("out", "u32", [(i & ~31) | ((i & 31) ^ 1 if i & 16 else (i & 31) ^ 2)
                                for i in range(64)])], """
        and.b32 %r3, %i, 16;
        setp.ne.u32 %p1, %r3, 0;
        @%p1 bra $high;
        shfl.sync.bfly.b32 %r4, %i, 2, 31, 0x0000ffff;
        bra $join;
        $high:
        shfl.sync.bfly.b32 %r4, %i, 1, 31, 0xffff0000;
        $join:
        st.global.u32 [%out], %r4;""", note="Two halves of a warp at two places.")
    kernel(f, "gather_diverged", "block=32",
           [ints("out", "u32", [(i ^ 1) + 100 * (2 if (i ^ 1) & 1 else 3) for i in range(32)])], """
        and.b32 %r3, %i, 1;
        setp.ne.u32 %p1, %r3, 0;
        mov.u32 %r5, 300;
        @!%p1 bra $join;
        mov.u32 %r5, 200;
        $join:
        add.u32 %r5, %r5, %i;
        shfl.sync.bfly.b32 %r4, %r5, 1, 31, 0xffffffff;
        st.global.u32 [%out], %r4;""", note="The full mask waits for both sides.")
    sums = [sum(range(32 * w, 32 * w + 32)) for w in range(3)]
    kernel(f, "warp_sum", "block=96", [ints("out", "u32", [sums[i // 32] for i in range(96)])], """
        mov.u32 %r3, %i;
        shfl.sync.bfly.b32 %r4, %r3, 16, 31, -1;
        add.u32 %r3, %r3, %r4;
        shfl.sync.bfly.b32 %r4, %r3, 8, 31, -1;
        add.u32 %r3, %r3, %r4;
        shfl.sync.bfly.b32 %r4, %r3, 4, 31, -1;
        add.u32 %r3, %r3, %r4;
        shfl.sync.bfly.b32 %r4, %r3, 2, 31, -1;
        add.u32 %r3, %r3, %r4;
        shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;
        add.u32 %r3, %r3, %r4;
        st.global.u32 [%out], %r3;""")
    return f


def vote():
    f = File("vote", "vote.sync: all, any, uni, ballot; masks; both spellings of ballot.")
    cases = {"all_true": [1] * 64, "none": [0] * 64, "some": [int(i % 3 == 0) for i in range(64)],
             "one_warp": [int(i < 32) for i in range(64)]}
    for name, p in cases.items():
        for mode in ("all", "any", "uni", "ballot"):
            for neg in ("", "!") if name == "some" else ("",):
                got = []
                for i in range(64):
                    w = [x ^ (neg != "") for x in p[i & 32:(i & 32) + 32]]
                    got.append({"all": int(all(w)), "any": int(any(w)),
                                "uni": int(all(w) or not any(w)),
                                "ballot": sum(x << k for k, x in enumerate(w))}[mode])
                text = ("vote.sync.%s.pred %%p2, %s%%p1, -1;\nselp.u32 %%r4, 1, 0, %%p2;"
                        % (mode, neg) if mode != "ballot" else
                        "vote.sync.ballot.b32 %%r4, %s%%p1, -1;" % neg)
                kernel(f, "_".join(x for x in (mode, name, "not" if neg else "") if x),
                       "block=64", [ints("out", "u32", got), ints("in", "u32", p)], """
                    mad.wide.u32 %rd1, %i, 4, %in;
                    ld.global.u32 %r3, [%rd1];
                    setp.ne.u32 %p1, %r3, 0;
                    """ + text + "\nst.global.u32 [%out], %r4;", ("out", "in"))
    got = []
    for i in range(32):
        members = [k for k in range(32) if (k < 20) == (i < 20)]
        got.append(sum(1 << k for k in members if k & 1))
    kernel(f, "ballot_parts", "block=32", [ints("out", "u32", got)], """
        and.b32 %r3, %i, 1;
        setp.ne.u32 %p1, %r3, 0;
        setp.lt.u32 %p2, %i, 20;
        @%p2 bra $low;
        vote.sync.ballot.b32 %r4, %p1, 0xfff00000;
        bra $join;
        $low:
        vote.sync.ballot.b32 %r4, %p1, 0x000fffff;
        $join:
        st.global.u32 [%out], %r4;""")
    kernel(f, "ballot_tail", "block=40",
           [ints("out", "u32", [0xffffffff if i < 32 else 0xff for i in range(40)])], """
        setp.lt.u32 %p1, %i, 32;
        selp.b32 %r3, 0xffffffff, 0x000000ff, %p1;
        setp.eq.u32 %p2, %i, %i;
        vote.sync.ballot.b32 %r4, %p2, %r3;
        st.global.u32 [%out], %r4;""", note="A last warp of eight lanes.")
    kernel(f, "ballot_after_exit", "block=32",
           [ints("out", "u32", [0xa5a5a5a5 if i & 1 else 0x55555555 for i in range(32)])], """
        and.b32 %r3, %i, 1;
        setp.ne.u32 %p1, %r3, 0;
        @%p1 exit;
        vote.sync.ballot.b32 %r4, !%p1, 0x55555555;
        st.global.u32 [%out], %r4;""")
    return f


def barrier():
    f = File("bar", "bar.sync, barrier.sync: ids, counts, threads that have left.")
    body = """
        mov.u64 %rd1, room;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        st.shared.u32 [%rd2], %i;
        SYNC
        sub.u32 %r3, COUNT, %i;
        sub.u32 %r3, %r3, 1;
        mad.wide.u32 %rd2, %r3, 4, %rd1;
        ld.shared.u32 %r4, [%rd2];
        st.global.u32 [%out], %r4;"""
    for name, sync in (("bar_sync", "bar.sync 0;"), ("barrier_sync", "barrier.sync 0;"),
                       ("barrier_aligned", "barrier.sync.aligned 0;"),
                       ("bar_count", "bar.sync 0, 256;"), ("bar_15", "bar.sync 15;"),
                       ("bar_cta", "bar.cta.sync 3, 256;"),
                       ("barrier_cta", "barrier.cta.sync 0;"),
                       ("bar_register", "mov.u32 %r9, 5;\nmov.u32 %r8, 256;\n"
                                        "bar.sync %r9, %r8;"),
                       ("bar_twice", "bar.sync 0;\nbar.sync 0;\nbar.sync 1;\nbar.sync 0;")):
        kernel(f, name, "block=256", [ints("out", "u32", range(255, -1, -1))],
               body.replace("SYNC", sync).replace("COUNT", "256"),
               extra=".shared .align 4 .b8 room[1024];")
    kernel(f, "ping_pong", "block=64",
           [ints("out", "u32", [(i + 20) % 64 for i in range(64)])], """
        mov.u64 %rd1, room;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        add.u32 %r5, %i, 1;
        and.b32 %r5, %r5, 63;
        mad.wide.u32 %rd3, %r5, 4, %rd1;
        mov.u32 %r3, %i;
        mov.u32 %r4, 0;
        $loop:
        st.shared.u32 [%rd2], %r3;
        bar.sync 0;
        ld.shared.u32 %r3, [%rd3];
        bar.sync 0;
        add.u32 %r4, %r4, 1;
        setp.lt.u32 %p1, %r4, 20;
        @%p1 bra $loop;
        st.global.u32 [%out], %r3;""", extra=".shared .align 4 .b8 room[256];",
           note="Values walk from thread to thread, two barriers a step.")
    kernel(f, "two_teams", "block=128",
           [ints("out", "u32", [(64 * (i // 64)) + 63 - i % 64 for i in range(128)])], """
        mov.u64 %rd1, room;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        xor.b32 %r3, %i, 63;
        mad.wide.u32 %rd3, %r3, 4, %rd1;
        setp.lt.u32 %p1, %i, 64;
        @!%p1 bra $second;
        st.shared.u32 [%rd2], %i;
        bar.sync 1, 64;
        ld.shared.u32 %r4, [%rd3];
        bra $join;
        $second:
        st.shared.u32 [%rd2], %i;
        bar.sync 2, 64;
        ld.shared.u32 %r4, [%rd3];
        $join:
        st.global.u32 [%out], %r4;""", extra=".shared .align 4 .b8 room[512];",
           note="Two warps meet at barrier 1, the other two at barrier 2.")
    kernel(f, "exited_warps", "block=128",
           [ints("out", "u32", [0xa5a5a5a5 if i >= 64 else 63 - i for i in range(128)])], """
        setp.ge.u32 %p1, %i, 64;
        @%p1 exit;
        mov.u64 %rd1, room;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        st.shared.u32 [%rd2], %i;
        bar.sync 0;
        xor.b32 %r3, %i, 63;
        mad.wide.u32 %rd3, %r3, 4, %rd1;
        ld.shared.u32 %r4, [%rd3];
        st.global.u32 [%out], %r4;""", extra=".shared .align 4 .b8 room[512];",
           note="Whole warps that have left are not waited for.")
    kernel(f, "exited_lanes", "block=96",
           [ints("out", "u32", [0xa5a5a5a5 if i % 32 >= 20 else (i + 32) % 96
                                for i in range(96)])], """
        rem.u32 %r5, %i, 32;
        setp.ge.u32 %p1, %r5, 20;
        @%p1 exit;
        mov.u64 %rd1, room;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        st.shared.u32 [%rd2], %i;
        barrier.sync 0;
        add.u32 %r3, %i, 32;
        rem.u32 %r3, %r3, 96;
        mad.wide.u32 %rd3, %r3, 4, %rd1;
        ld.shared.u32 %r4, [%rd3];
        st.global.u32 [%out], %r4;""", extra=".shared .align 4 .b8 room[512];",
           note="Nor are the lanes of a warp that have left.")
    kernel(f, "diverged", "block=64",
           [ints("out", "u32", [(i ^ 33) + (1000 if (i ^ 33) & 1 else 2000) for i in range(64)])],
           """
        mov.u64 %rd1, room;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        xor.b32 %r3, %i, 33;
        mad.wide.u32 %rd3, %r3, 4, %rd1;
        and.b32 %r5, %i, 1;
        setp.ne.u32 %p1, %r5, 0;
        @%p1 bra $odd;
        add.u32 %r6, %i, 2000;
        st.shared.u32 [%rd2], %r6;
        barrier.sync 0;
        bra $join;
        $odd:
        add.u32 %r6, %i, 1000;
        st.shared.u32 [%rd2], %r6;
        barrier.sync 0;
        $join:
        ld.shared.u32 %r4, [%rd3];
        st.global.u32 [%out], %r4;""", extra=".shared .align 4 .b8 room[512];",
           note="barrier.sync reached at two places by the lanes of one warp.")
    kernel(f, "warp_sync", "block=64", [ints("out", "u32", [i ^ 5 for i in range(64)])], """
        mov.u64 %rd1, room;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        st.shared.u32 [%rd2], %i;
        bar.warp.sync 0xffffffff;
        xor.b32 %r3, %i, 5;
        mad.wide.u32 %rd3, %r3, 4, %rd1;
        ld.shared.u32 %r4, [%rd3];
        st.global.u32 [%out], %r4;""", extra=".shared .align 4 .b8 room[256];")
    kernel(f, "warp_sync_diverged", "block=32",
           [ints("out", "u32", [(i ^ 1) * 2 if not (i ^ 1) & 1 else (i ^ 1) * 3
                                for i in range(32)])], """
        mov.u64 %rd1, room;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        and.b32 %r5, %i, 1;
        setp.ne.u32 %p1, %r5, 0;
        @%p1 bra $odd;
        mul.lo.u32 %r6, %i, 2;
        st.shared.u32 [%rd2], %r6;
        bra $meet;
        $odd:
        mul.lo.u32 %r6, %i, 3;
        st.shared.u32 [%rd2], %r6;
        $meet:
        bar.warp.sync -1;
        xor.b32 %r3, %i, 1;
        mad.wide.u32 %rd3, %r3, 4, %rd1;
        ld.shared.u32 %r4, [%rd3];
        st.global.u32 [%out], %r4;""", extra=".shared .align 4 .b8 room[256];")
    kernel(f, "warp_sync_part", "block=32",
           [ints("out", "u32", [i ^ 3 if i < 8 else 7 for i in range(32)])], """
        mov.u64 %rd1, room;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        mov.u32 %r4, 7;
        setp.ge.u32 %p1, %i, 8;
        @%p1 bra $join;
        st.shared.u32 [%rd2], %i;
        bar.warp.sync 0xff;
        xor.b32 %r3, %i, 3;
        mad.wide.u32 %rd3, %r3, 4, %rd1;
        ld.shared.u32 %r4, [%rd3];
        $join:
        st.global.u32 [%out], %r4;""", extra=".shared .align 4 .b8 room[256];",
           note="Eight lanes of the warp, the others are elsewhere.")
    kernel(f, "tree_sum", "grid=4 block=256",
           [ints("out", "u32", [sum(range(256 * (i // 256), 256 * (i // 256) + 256))
                                if i % 256 == 0 else 0xa5a5a5a5 for i in range(1024)])], """
        mov.u64 %rd1, room;
        mov.u32 %r3, %tid.x;
        mad.wide.u32 %rd2, %r3, 4, %rd1;
        st.shared.u32 [%rd2], %i;
        mov.u32 %r4, 128;
        $loop:
        bar.sync 0;
        setp.ge.u32 %p1, %r3, %r4;
        @%p1 bra $next;
        ld.shared.u32 %r5, [%rd2];
        mad.wide.u32 %rd3, %r4, 4, %rd2;
        ld.shared.u32 %r6, [%rd3];
        add.u32 %r5, %r5, %r6;
        st.shared.u32 [%rd2], %r5;
        $next:
        shr.u32 %r4, %r4, 1;
        setp.ne.u32 %p2, %r4, 0;
        @%p2 bra $loop;
        setp.eq.u32 %p3, %r3, 0;
        @%p3 ld.shared.u32 %r5, [%rd2];
        @%p3 st.global.u32 [%out], %r5;""", extra=".shared .align 4 .b8 room[1024];")
    return f


def files():
    return [branch(), special(), shfl(), vote(), barrier()]
