# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every opcode of mbarrier, st.async and red.async, and of the bulk copies and reductions
between the blocks of a cluster.

An mbarrier is looked at by arriving twice more; what blocks send each other goes into
places of their own, and all of it has to have come when the mbarrier there says so."""

import re

from .clusters import MEET, RANKS, Directed
from .control import ints, kernel, lines
from .emit import File, signed
from .opcodes import accepted, chunks
from .tensors import hexes, values, words_of

BARRIERS = ".shared .align 8 .b64 bars[64];"
SHARED = ".shared .align 128 .b8 room[%d];\n.shared .align 8 .b64 bar[2];"
# After one arrival at a barrier for three: what two more give, and who is missed in the next
# phase. Bytes complete after the third arrival.
LOOK = """
.func (.param .b32 word) look(.param .b64 at, .param .b32 bytes)
{
""" + lines("""
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %at, %s<3>;
    ld.param.u64 %at, [at];
    ld.param.u32 %r0, [bytes];
    mbarrier.arrive.shared.b64 %s0, [%at];
    mbarrier.test_wait.shared.b64 %p0, [%at], %s0;
    selp.u32 %r1, 0x100, 0, %p0;
    mbarrier.arrive.shared.b64 _, [%at];
    mbarrier.test_wait.shared.b64 %p0, [%at], %s0;
    selp.u32 %r2, 0x200, 0, %p0;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 mbarrier.complete_tx.shared::cta.b64 [%at], %r0;
    mbarrier.test_wait.shared.b64 %p0, [%at], %s0;
    selp.u32 %r3, 0x400, 0, %p0;
    mbarrier.arrive.shared.b64 %s1, [%at];
    mbarrier.pending_count.b64 %r4, %s0;
    mbarrier.pending_count.b64 %r5, %s1;
    shl.b32 %r5, %r5, 4;
    or.b32 %r4, %r4, %r5;
    or.b32 %r1, %r1, %r2;
    or.b32 %r3, %r3, %r4;
    or.b32 %r1, %r1, %r3;
    st.param.b32 [word], %r1;
    ret;
""") + "}\n"


def looked(expects, drops):
    return 2 | (2 if drops else 3) << 4 | (0 if expects else 0x200) | 0x400


def look(at, expects):
    return """{
    .param .b64 at;
    .param .b32 bytes, word;
    st.param.b64 [at], %s;
    st.param.b32 [bytes], %d;
    call (word), look, (at, bytes);
    ld.param.b32 %%r10, [word];
    }
    """ % (at, 16 if expects else 0)


def arrives(opcode, at, state):
    """The text that arrives once at [@at], and whether bytes are left to come."""
    words = opcode.split(".")
    if words[1] == "init":
        return "%s [%s], 3;\nmbarrier.arrive.shared.b64 %s, [%%rd8];" % (opcode, at, state), 0
    if words[1] == "inval":
        return """mbarrier.init.shared.b64 [%%rd8], 9;
            %s [%s];
            mbarrier.init.shared.b64 [%%rd8], 3;
            mbarrier.arrive.shared.b64 %s, [%%rd8];""" % (opcode, at, state), 0
    if words[1] == "expect_tx":
        return "%s [%s], 16;\nmbarrier.arrive.shared.b64 %s, [%%rd8];" % (opcode, at, state), 1
    if words[1] == "complete_tx":
        return """mbarrier.arrive.expect_tx.shared.b64 %s, [%%rd8], 16;
            %s [%s], 16;""" % (state, opcode, at), 0
    more = ", 16" if "expect_tx" in words else ", 1" if "noComplete" in words else ""
    return "%s %s, [%s]%s;" % (opcode, state, at, more), "expect_tx" in words


def waits(opcode, at):
    """Asks before a phase ends and after it: by its state, or by both parities."""
    def ask(bit, what, hint=""):
        return "%s %%p1, [%s], %s%s;\nselp.u32 %%r11, %d, 0, %%p1;\nor.b32 %%r10, %%r10, %%r11;\n" % (
            opcode, at, what, hint, 1 << bit)
    short = ", 100" if "try_wait" in opcode else ""
    text = "mov.u32 %r10, 0;\nmbarrier.init.shared.b64 [%rd8], 2;\n"
    text += "mbarrier.arrive.shared.b64 %rd1, [%rd8];\n"
    asks = ["0", "1"] if "parity" in opcode else ["%rd1"]
    for k, what in enumerate(asks):
        text += ask(k, what, short)
    text += "mbarrier.arrive.shared.b64 _, [%rd8];\n"
    for k, what in enumerate(asks):
        text += ask(len(asks) + k, what, short if what == "1" else "")
    return text, 0b0110 if "parity" in opcode else 0b10


def mbarrier():
    f = File("mbarrier_all", "mbarrier: every opcode.", "9.0")
    f.raw(BARRIERS + "\n" + LOOK)
    forms = sorted({o for o, _ in accepted("mbarrier") if "pending_count" not in o})
    near = [o for o in forms if "shared::cluster" not in o]
    far = [o for o in forms if "shared::cluster" in o]
    for i, some in chunks(near):
        want, body = [], "mov.u64 %rd8, bars;\ncvta.shared.u64 %rd9, %rd8;\n"
        for k, opcode in enumerate(some):
            at = "%rd8" if "shared" in opcode else "%rd9"
            if "_wait" in opcode:
                text, word = waits(opcode, at)
            else:
                text, expects = arrives(opcode, at, "%rd1")
                word = looked(expects, "drop" in opcode) | 3 << 12
                if ".arrive" in opcode or "_tx" in opcode:
                    text = "mbarrier.init.shared.b64 [%rd8], 3;\n" + text
                text += look("%rd8", expects) + """
                    mbarrier.pending_count.b64 %r11, %rd1;
                    shl.b32 %r11, %r11, 12;
                    or.b32 %r10, %r10, %r11;
                """
            body += text + "st.global.u32 [%%to+%d], %%r10;\n" % (4 * k)
            body += "mbarrier.inval.shared.b64 [%rd8];\n"
            want.append(word)
        kernel(f, "near_%d" % i, "block=1", [ints("out", "u32", want)], body, params=("to",))
    want, sent, seen = [], "", ""
    for k, opcode in enumerate(far):
        words = opcode.split(".")
        expects = "expect_tx" in words
        more = ", 16" if expects or "complete_tx" in words else ""
        sink = "" if words[1] in ("expect_tx", "complete_tx") else "_, "
        sent += "%s %s[%%rd10+%d]%s;\n" % (opcode, sink, 8 * k, more)
        at = "add.u64 %%rd8, %%rd9, %d;\n" % (8 * k)
        if words[1] == "complete_tx":
            seen += at + "mbarrier.arrive.expect_tx.shared.b64 _, [%rd8], 16;\n"
        elif words[1] == "expect_tx":
            seen += at + "mbarrier.arrive.shared.b64 _, [%rd8];\n"
        else:
            seen += at
        seen += look("%rd8", expects) + "st.global.u32 [%%to+%d], %%r10;\n" % (4 * k)
        want.append(looked(expects, "drop" in opcode))
    kernel(Directed(f, ".reqnctapercluster 2"), "far", "grid=2 block=1", [ints("out", "u32", want)],
           "mov.u64 %rd9, bars;\n" + "".join(
               "mbarrier.init.shared.b64 [bars+%d], 3;\n" % (8 * k) for k in range(len(far))) + """
        fence.mbarrier_init.release.cluster;
        mov.u32 %r20, %cluster_ctarank;
        setp.eq.u32 %p1, %r20, 0;
        mapa.shared::cluster.u64 %rd10, %rd9, 1;
    """ + MEET + "@!%p1 bra sent;\n" + sent + "sent:\n" + MEET + "@%p1 bra done;\n" + seen + "done:",
           params=("to",), note="at the barriers of another block")
    return f


# ---- What blocks send each other -----------------------------------------------------

COPY_IN = """
    mov.u32 %%r31, %%r22;
fill:
    mad.lo.u32 %%r32, %%r31, 4, %%r24;
    mad.wide.u32 %%rd31, %%r31, 4, %%src;
    ld.global.u32 %%r33, [%%rd31];
    st.shared.u32 [%%r32], %%r33;
    add.u32 %%r31, %%r31, 32;
    setp.lt.u32 %%p14, %%r31, %d;
    @%%p14 bra fill;
"""
COPY_OUT = """
    mad.lo.u32 %%r31, %%r20, %d, %%r22;
    mov.u32 %%r34, %%r22;
dump:
    mad.lo.u32 %%r32, %%r34, 4, %%r24;
    mad.wide.u32 %%rd31, %%r31, 4, %%to;
    ld.shared.u32 %%r33, [%%r32];
    st.global.u32 [%%rd31], %%r33;
    add.u32 %%r31, %%r31, 32;
    add.u32 %%r34, %%r34, 32;
    setp.lt.u32 %%p14, %%r34, %d;
    @%%p14 bra dump;
"""
# A mistake has to be a wrong value, not a kernel that never ends.
WAIT = """
    mov.u32 %r39, 0;
wait:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p15, [bar], 0;
    add.u32 %r39, %r39, 1;
    setp.gt.or.u32 %p15, %r39, 100000, %p15;
    @!%p15 bra wait;
"""
NEIGHBOUR = """
    setp.eq.u32 %p1, %r22, 0;
    mov.u64 %rd10, room;
    mapa.shared::cluster.u64 %rd12, %rd10, %r23;
    mapa.u64 %rd13, %rd20, %r23;
    mov.u64 %rd11, bar;
    mapa.shared::cluster.u64 %rd14, %rd11, %r23;
    cvta.shared.u64 %rd15, %rd11;
    mapa.u64 %rd15, %rd15, %r23;
    @%p1 mbarrier.init.shared.b64 [bar], 1;
    @%p1 fence.mbarrier_init.release.cluster;
"""


def exchange(f, name, room, wants, total, body, extra=(), params=()):
    """Two blocks whose rooms begin as @room; lane 0 of each runs @body, and waits for @total
    bytes. %rd10: the own room; %rd12, %rd13: the other's, by its address in the cluster and a
    generic one; %rd14, %rd15: its barrier; %rd19: a policy."""
    count = len(room) // 4
    assert count % 32 == 0
    kernel(Directed(f, ".reqnctapercluster 2"), name, "grid=2 block=32", [
        hexes("in", "u32", words_of(room)),
        hexes("out", "u32", words_of(wants[0]) + words_of(wants[1]))] + list(extra),
           RANKS + NEIGHBOUR + COPY_IN % count + """
        createpolicy.fractional.L2::evict_first.b64 %%rd19, 1.0;
        fence.proxy.async;
        @%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;
    """ % total + MEET + "@!%p1 bra sent;\n" + body + "sent:\n" + WAIT +
           COPY_OUT % (count, count) + MEET,
           params=("src", "to") + params, extra=SHARED % len(room))


def combined(op, t, old, new):
    """What a reduction of type @t leaves, as unsigned bits."""
    bits = int(t[1:])
    mask = (1 << bits) - 1
    a, b = (signed(x, bits) if t[0] == "s" else x for x in (old, new))
    made = {"add": lambda: a + b, "min": lambda: min(a, b), "max": lambda: max(a, b),
            "inc": lambda: 0 if a >= b else a + 1, "dec": lambda: b if not a or a > b else a - 1,
            "and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b}[op]()
    return made & mask


def put(room, at, value, size):
    room[at:at + size] = value.to_bytes(size, "little")


def get(room, at, size):
    return int.from_bytes(room[at:at + size], "little")


def rooms(count):
    """@count bytes of values; every fourth word small, so that counts wrap."""
    raw = bytearray()
    for k, v in enumerate(values("u32", count // 4)):
        raw += (v & 7 if k % 4 == 0 else v).to_bytes(4, "little")
    return raw


def padded(size):
    return -(-size // 128) * 128


WORDS = [0x3c4d5e6f + 0x1010101 * n for n in range(4)]
WIDE = [0x0123456789abcdef + 0x101010101 * n for n in range(2)]
SET_VALUES = "".join("add.u32 %%r%d, %%r20, 0x%x;\n" % (10 + n, v) for n, v in enumerate(WORDS))
SET_VALUES += "cvt.u64.u32 %rd16, %r20;\n" + "".join(
    "add.u64 %%rd%d, %%rd16, 0x%x;\n" % (17 + n, v) for n, v in enumerate(WIDE))


def sent_async():
    f = File("st_async_all", "st.async, red.async: every opcode.", "9.0")
    forms = sorted({o for o, _ in accepted("st.async")})
    for i, some in chunks(forms):
        room = rooms(padded(16 * len(some)))
        wants, total, body = [bytearray(room), bytearray(room)], 0, SET_VALUES
        for k, opcode in enumerate(some):
            size = int(opcode[-2:]) // 8
            lanes = int((re.findall(r"\.v(\d)", opcode) or ["1"])[0])
            names = ["%%r%d" % (10 + n) if size == 4 else "%%rd%d" % (17 + n) for n in range(lanes)]
            for n in range(lanes):
                for rank in range(2):
                    put(wants[rank], 16 * k + n * size,
                        (WORDS if size == 4 else WIDE)[n] + 1 - rank, size)
            near = "shared::cluster" in opcode
            body += "%s [%%rd%d+%d], %s, [%%rd%d];\n" % (
                opcode, 12 if near else 13, 16 * k,
                "{" + ", ".join(names) + "}" if lanes > 1 else names[0], 14 if near else 15)
            total += size * lanes
        exchange(f, "store_%d" % i, room, wants, total, body)
    forms = sorted({o for o, _ in accepted("red.async")})
    room = rooms(padded(8 * len(forms)))
    wants, total, body = [bytearray(room), bytearray(room)], 0, SET_VALUES
    for k, opcode in enumerate(forms):
        op, t = opcode.split(".")[-2:]
        size, near = int(t[1:]) // 8, "shared::cluster" in opcode
        small = op in ("inc", "dec")
        body += "%s [%%rd%d+%d], %s, [%%rd%d];\n" % (
            opcode, 12 if near else 13, 8 * k, "%rd17" if size == 8 else "5" if small else "%r11",
            14 if near else 15)
        for rank in range(2):
            value = WIDE[0] + 1 - rank if size == 8 else 5 if small else WORDS[1] + 1 - rank
            put(wants[rank], 8 * k, combined(op, t, get(room, 8 * k, size), value), size)
        total += size
    exchange(f, "reduce", room, wants, total, body)
    return f


def files():
    return [mbarrier(), sent_async()]
