# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every opcode of cp.async, and of bulk copies and reductions of runs of bytes."""

from . import fp
from .arrivals import combined, exchange, get, padded, put, rooms
from .atomics import FORMATS, combine, some
from .control import kernel
from .emit import File
from .opcodes import accepted
from .tensors import hexes, values, words_of
from .values import rng

PIECE = 32  # bytes that one bulk copy moves


def opcodes(base, *without):
    """The opcodes of @base that have none of these words."""
    return sorted({o for o, _ in accepted(base) if not set(without) & set(o.split("."))})


# ---- cp.async ------------------------------------------------------------------------

COPY = """
    mov.u32 %r3, room;
    mov.u32 %r5, 512;
    shfl.sync.bfly.b32 %r3, %r3, 0, 31, -1;
    shfl.sync.bfly.b32 %r5, %r5, 0, 31, -1;
    cvt.u64.u32 %rd5, %r5;
    shl.b32 %r4, %i, 4;
    add.u32 %r3, %r3, %r4;
    cvt.u64.u32 %rd1, %r4;
    add.u64 %rd2, %src, %rd1;
    add.u64 %rd3, %to, %rd1;
    mov.u32 %r6, %r3;
    createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0;
"""
# ptxas 13.0 loses the policy's register when it has the shared address as a uniform base and an
# offset, and an H100 finds an illegal instruction. Only what memory gives is not known to be
# uniform: ptxas sees through shfl.
HIDDEN = """
    st.volatile.shared.v2.u32 [%r3], {%r3, %r5};
    ld.volatile.shared.v2.u32 {%r3, %r5}, [%r3];
    mov.u32 %r6, %r3;
    cvt.u64.u32 %rd5, %r5;
"""


def copies(f, name, forms):
    """Each lane copies 16 bytes by each opcode."""
    data, body, shown = values("u32", 128 * len(forms)), COPY, ""
    if "cache_hint" in forms[0]:
        body += HIDDEN
    for k, opcode in enumerate(forms):
        body += """%s [%%r6], [%%rd2], 16%s;
            add.u32 %%r6, %%r6, %%r5;
            add.u64 %%rd2, %%rd2, %%rd5;
        """ % (opcode, ", %rd9" if "cache_hint" in opcode else "")
        shown += """ld.shared.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%r3+%d];
            st.global.v4.u32 [%%rd3+%d], {%%r10, %%r11, %%r12, %%r13};
        """ % (512 * k, 512 * k)
    kernel(f, name, "block=32", [hexes("in", "u32", data), hexes("out", "u32", data)],
           body + "cp.async.wait_all;\n" + shown, params=("src", "to"),
           extra=".shared .align 16 .b8 room[%d];" % (512 * len(forms)))


def arrivals(f):
    """Each lane copies 4 bytes for each opcode and reads what its neighbour copied, once the
    mbarrier of the opcode lets it."""
    forms = sorted({(o, p) for o, p in accepted("cp") if o.startswith("cp.async.mbarrier")})
    data, start, body, shown = values("u32", 32 * len(forms)), "", "", ""
    for k, (opcode, operands) in enumerate(forms):
        start += "@%%p1 mbarrier.init.shared.b64 [bars+%d], 32;\n" % (8 * k)
        near = "shared" in opcode
        at = "%r6" if operands == "[%r0]" else "%rd6" if near else "%rd7"
        body += """cp.async.ca.shared.global [%%r4+%d], [%%rd1+%d], 4;
            %s [%s+%d];
        """ % (128 * k, 128 * k, opcode, at, 8 * k)
        if "noinc" not in opcode:
            body += "mbarrier.arrive.shared.b64 _, [%%r6+%d];\n" % (8 * k)
        shown += """mov.u32 %%r39, 0;
        wait%d:
            mbarrier.try_wait.parity.shared.b64 %%p2, [%%r6+%d], 0;
            add.u32 %%r39, %%r39, 1;
            setp.gt.or.u32 %%p2, %%r39, 100000, %%p2;
            @!%%p2 bra wait%d;
            ld.shared.u32 %%r10, [%%r5+%d];
            st.global.u32 [%%rd2+%d], %%r10;
        """ % (k, 8 * k, k, 128 * k, 128 * k)
    want = [data[32 * k + (i ^ 1)] for k in range(len(forms)) for i in range(32)]
    kernel(f, "arrivals", "block=32", [hexes("in", "u32", data), hexes("out", "u32", want)], """
        setp.eq.u32 %p1, %i, 0;
        mov.u32 %r3, room;
        mov.u32 %r6, bars;
        mov.u64 %rd6, bars;
        cvta.shared.u64 %rd7, %rd6;
        mad.lo.u32 %r4, %i, 4, %r3;
        xor.b32 %r5, %r4, 4;
        mad.wide.u32 %rd1, %i, 4, %src;
        mad.wide.u32 %rd2, %i, 4, %to;
    """ + start + "bar.sync 0;\n" + body + shown, params=("src", "to"),
           extra=".shared .align 16 .b8 room[%d];\n.shared .align 8 .b64 bars[%d];" % (
               128 * len(forms), len(forms)))


def threads():
    f = File("cp_async_all", "cp.async: every opcode.", "9.0")
    forms = [o for o in opcodes("cp") if o.startswith(("cp.async.ca", "cp.async.cg"))]
    copies(f, "copies", [o for o in forms if "cache_hint" not in o])
    copies(f, "policies", [o for o in forms if "cache_hint" in o])
    arrivals(f)
    return f


# ---- Bulk copies ---------------------------------------------------------------------


def hints(opcode):
    return ", %rd19" if "cache_hint" in opcode else ""


def bulk_forms(*without):
    return [o for o in opcodes("cp", "tensor", "wait_group", "commit_group", *without)
            if ".bulk." in o]


def into_shared(f):
    """Copies and reductions that an mbarrier knows of, each into a place of its own: from
    global memory, and from the shared memory of the neighbour."""
    forms = [o for o in bulk_forms("bulk_group") if "prefetch" not in o]
    source = values("u32", PIECE // 4 * len(forms))
    raw = b"".join(v.to_bytes(4, "little") for v in source)
    room = rooms(padded(2 * PIECE * len(forms)))
    wants, total, body = [bytearray(room), bytearray(room)], 0, "mov.u16 %h1, 3;\n"
    for opcode in [o for o in bulk_forms() if "prefetch" in o]:
        body += "%s [%%data], 128%s;\n" % (opcode, hints(opcode))
    for k, opcode in enumerate(forms):
        to, words = 2 * PIECE * k, opcode.split(".")
        mine = ".global" in opcode and "multicast::cluster" not in words
        come = "%%data+%d" % (PIECE * k) if ".global" in opcode else "%%rd10+%d" % (to + PIECE)
        target, bar = ("%rd12", "%rd14") if not mine else ("%rd10", "%rd11")
        if "multicast::cluster" in words:
            target, bar = "%rd10", "%rd11"
            body += "setp.eq.u32 %p2, %r20, 0;\n@%p2 "
        body += "%s [%s+%d], [%s], %d, [%s]%s%s;\n" % (
            opcode, target, to, come, PIECE, bar,
            ", %h1" if "multicast::cluster" in words else "", hints(opcode))
        for rank in range(2):
            for at in range(to, to + PIECE, 8 if words[-1][-2:] == "64" else 4):
                size = 8 if words[-1][-2:] == "64" else 4
                if ".global" in opcode:
                    value = get(raw, PIECE * k + at - to, size)
                else:
                    value = get(room, PIECE + at, size)
                if "reduce" in words:
                    value = combined(words[-2], words[-1], get(room, at, size), value)
                put(wants[rank], at, value, size)
        total += PIECE
    exchange(f, "into_shared", room, wants, total, body, [hexes("in", "u32", source)], ("data",))


def elements(t, count, r):
    """Values of type @t that a reduction takes, as bits."""
    if t in FORMATS:
        return [some(r, FORMATS[t]) for _ in range(count)]
    if t == "f64":
        return [fp.FORMATS["f64"].bias + r.randrange(-9, 9) << 52 | r.randrange(1 << 52)
                for _ in range(count)]
    bits = int(t[1:])
    return [r.choice((r.randrange(1 << bits), r.randrange(6))) for _ in range(count)]


def reduced(op, t, a, b):
    if t in FORMATS:
        return combine(FORMATS[t], op, a, b)
    if t == "f64":
        return fp.add(fp.FORMATS["f64"], "rn", False, False, a, b)
    return combined(op, t, a, b)


# One thread's copies, to be awaited; the others go to "done".
FINISH = """
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
done:
"""


def into_global(f):
    """Copies and reductions in bulk groups, each from a place of its own into another."""
    forms = [o for o in bulk_forms() if "bulk_group" in o]
    old, new, want, body = bytearray(), bytearray(), bytearray(), ""
    for k, opcode in enumerate(forms):
        words = opcode.split(".")
        reduces = "reduce" in words
        t = words[-1] if reduces else "u32"
        size = int(t.lstrip("usbf")) // 8
        r = rng(opcode)
        a, b = elements(t, PIECE // size, r), elements(t, PIECE // size, r)
        for x, y in zip(a, b):
            made = reduced([w for w in words if w != "noftz"][-2], t, x, y) if reduces else y
            old += x.to_bytes(size, "little")
            new += y.to_bytes(size, "little")
            want += made.to_bytes(size, "little")
        body += "%s [%%to+%d], [%%r3+%d], %d%s;\n" % (opcode, PIECE * k, PIECE * k, PIECE,
                                                 hints(opcode))
    count = len(new) // 4
    kernel(f, "into_global", "block=32", [
        hexes("in", "u32", words_of(new)), hexes("inout", "u32", words_of(old)),
        hexes("expect", "u32", words_of(want))], """
        setp.eq.u32 %%p1, %%i, 0;
        mov.u32 %%r3, room;
        createpolicy.fractional.L2::evict_first.b64 %%rd19, 1.0;
        mov.u32 %%r4, %%i;
    fill:
        mad.lo.u32 %%r5, %%r4, 4, %%r3;
        mad.wide.u32 %%rd1, %%r4, 4, %%src;
        ld.global.u32 %%r6, [%%rd1];
        st.shared.u32 [%%r5], %%r6;
        add.u32 %%r4, %%r4, 32;
        setp.lt.u32 %%p2, %%r4, %d;
        @%%p2 bra fill;
        fence.proxy.async.shared::cta;
        bar.sync 0;
        @!%%p1 bra done;
    """ % count + body + FINISH, params=("src", "to"), extra=".shared .align 128 .b8 room[%d];" % len(new))


def bulk():
    f = File("bulk_all", "cp.async.bulk, cp.reduce.async.bulk of bytes: every opcode.", "9.0",
             "sm_90a")
    into_shared(f)
    into_global(f)
    return f


def files():
    return [threads(), bulk()]
