# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bulk copies: runs of bytes, boxes of tensors."""

import itertools

from .clusters import MEET, RANKS, Directed
from .control import ints, kernel, lines
from .emit import File, squeeze, wrap

SIZES = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f16": 2, "f32": 4, "f64": 8,
         "bf16": 2}
TYPES = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8,
         "bf16": 9}
SWIZZLES = {"": 0, "32": 1, "64": 2, "128": 3}
FAULT = "//@ fault 715\n"
SHARED = ".shared .align 1024 .b8 room[16384];\n.shared .align 8 .b64 bar[2];"


def swizzled(offset, mode):
    """Where the byte is that would be at offset of a box without the swizzle."""
    bits = SWIZZLES[mode]
    return offset ^ ((offset >> 7 & ((1 << bits) - 1)) << 4)


class Tensor:
    """A tensor in memory and the box that copies of it span; dimensions fastest first."""

    def __init__(self, t, dims, box, strides=None, steps=None, swizzle="", nan=0):
        self.t, self.size, self.dims, self.box = t, SIZES[t], dims, box
        self.strides = strides or []
        for k in range(len(self.strides), len(dims) - 1):
            self.strides.append(dims[0] * self.size if k == 0
                                else self.strides[k - 1] * dims[k])
        self.steps = steps or [1] * len(dims)
        self.swizzle, self.nan = swizzle, nan
        last = self.strides[-1] * dims[-1] if len(dims) > 1 else dims[0] * self.size
        self.elements = last // self.size

    def directive(self, operand=0):
        words = [TYPES[self.t], SWIZZLES[self.swizzle], self.nan, len(self.dims)]
        words += self.dims + self.strides + self.box + self.steps
        return "//@ tensor %d s64 %s\n" % (operand, " ".join(map(str, words)))

    def counts(self):
        return [self.box[0]] + [-(-b // s) for b, s in zip(self.box[1:], self.steps[1:])]

    def bytes(self):
        n = self.size
        for c in self.counts():
            n *= c
        return n

    def pitch(self):
        """Bytes from row to row of the box: a swizzle gives each what it spans."""
        return 16 << SWIZZLES[self.swizzle] if self.swizzle else self.box[0] * self.size

    def extent(self):
        """Bytes that the box takes, with what its rows leave free."""
        return self.bytes() // (self.box[0] * self.size) * self.pitch()

    def places(self, coords):
        """Pairs of an element's index in memory, None outside, and its byte in the box."""
        row = self.box[0] * self.size
        offset = 0
        for index in itertools.product(*[range(c) for c in reversed(self.counts())]):
            at = [c + i * (s if k else 1) for k, (c, i, s) in
                  enumerate(zip(coords, reversed(index), self.steps))]
            inside = all(0 <= a < d for a, d in zip(at, self.dims))
            memory = at[0] * self.size + sum(a * s for a, s in zip(at[1:], self.strides))
            place = offset // row * self.pitch() + offset % row
            yield memory // self.size if inside else None, swizzled(place, self.swizzle)
            offset += self.size


class Pixels:
    """A tensor of images, channels first, and the column of pixels that a copy takes from the
    box between two corners."""

    def __init__(self, t, dims, lower, upper, channels, count, steps=None):
        self.t, self.size, self.dims, self.count = t, SIZES[t], dims, count
        self.lower, self.upper, self.channels = lower, upper, channels
        self.steps = steps or [1] * len(dims)
        self.strides = [dims[0] * self.size]
        for d in dims[1:-1]:
            self.strides.append(self.strides[-1] * d)
        self.elements = self.strides[-1] * dims[-1] // self.size

    def directive(self, operand=0):
        words = [TYPES[self.t], 0, 0, len(self.dims)] + self.dims + self.strides + self.lower
        words += self.upper + [self.channels, self.count] + self.steps
        return "//@ im2col %d s64 %s\n" % (operand, " ".join(map(str, words)))

    def bytes(self):
        return self.channels * self.count * self.size

    def extent(self):
        return self.bytes()

    def places(self, coords, offsets=None):
        """Pairs of an element's index in memory, None outside, and its byte in the column."""
        at, offsets = list(coords), offsets or [0] * (len(coords) - 2)
        for k in range(self.channels * self.count):
            place = [at[0] + k % self.channels]
            place += [a + o for a, o in zip(at[1:-1], offsets)] + [at[-1]]
            inside = all(0 <= p < d for p, d in zip(place, self.dims))
            memory = place[0] + sum(p * s // self.size for p, s in zip(place[1:], self.strides))
            yield memory if inside else None, k * self.size
            if (k + 1) % self.channels == 0:
                self.next_pixel(at)

    def next_pixel(self, at):
        for k in range(1, len(self.dims) - 1):
            at[k] += self.steps[k]
            if at[k] <= self.dims[k] - 1 + self.upper[k - 1]:
                return
            at[k] = self.lower[k - 1]
        at[-1] += 1


def values(t, count):
    mask = (1 << 8 * SIZES[t]) - 1
    return [(k * 2654435761 >> 3 ^ k) & mask for k in range(1, count + 1)]


def words_of(raw):
    return [int.from_bytes(raw[k:k + 4], "little") for k in range(0, len(raw), 4)]


def hexes(verb, t, numbers):
    return wrap("//@ %s %s" % (verb, t), squeeze(["0x%x" % n if n > 9 else str(n)
                                                  for n in numbers]))


def mem(t):
    return "u%d" % (8 * SIZES[t])


START = """
    mov.u32 %i, %tid.x;
    setp.eq.u32 %p1, %i, 0;
    mov.u32 %r3, room;
    mov.u32 %r4, bar;
    mov.u64 %rd1, p_map;
    cvta.param.u64 %rd1, %rd1;
"""
WAIT = """
wait:
    mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
    @!%p2 bra wait;
"""


def each_word(count, loop, body, end):
    """body for each of the first count words of the room: %r21 is its address, %r20 its index."""
    return """
        mov.u32 %%r20, %%i;
    %s:
        setp.ge.u32 %%p3, %%r20, %d;
        @%%p3 bra %s;
        mad.lo.u32 %%r21, %%r20, 4, %%r3;
        %s
        add.u32 %%r20, %%r20, 32;
        bra %s;
    %s:
    """ % (loop, count, end, body.strip(), loop, end)


def dump(count):
    """The first count words of the room, in order."""
    return each_word(count, "dump", """
        ld.shared.u32 %r22, [%r21];
        mad.wide.u32 %rd9, %r20, 4, %out;
        st.global.u32 [%rd9], %r22;
    """, "done")


def tensor_kernel(f, name, operands, body, params, note=""):
    """A kernel with a tensor map of its first operand in p_map, and the others' addresses."""
    text = "\n" + ("// %s\n" % note if note else "")
    text += "//@ launch %s block=32\n" % name + "".join(operands)
    text += ".visible .entry %s(%s)\n{\n" % (name, ", ".join(
        ".param .align 64 .b8 p_map[128]" if p == "map" else ".param .u64 p_" + p
        for p in params))
    text += "\t.reg .pred %p<8>;\n\t.reg .b16 %h<8>;\n\t.reg .b32 %r<40>, %i;\n"
    text += "\t.reg .b64 %rd<20>, %out, %src, %first, %scratch;\n" + lines(SHARED)
    for p in params:
        if p != "map":
            text += "\tld.param.u64 %%%s, [p_%s];\n" % (p, p)
    f.raw(text + lines(START) + lines(body) + "\tret;\n}\n")


def fill(count):
    """Words of the room that depend on their place."""
    return each_word(count, "fill", """
        mad.lo.u32 %r22, %r20, 0x01010101, 0x10203;
        st.shared.u32 [%r21], %r22;
    """, "filled") + "fence.proxy.async.shared::cta;\n"


def filled(size):
    """What fill() leaves in so many bytes."""
    return bytearray(b"".join((k * 0x01010101 + 0x10203 & 0xffffffff).to_bytes(4, "little")
                              for k in range(size // 4)))


def load(f, name, tensor, coords, note="", how="", fault=""):
    data = values(tensor.t, tensor.elements)
    gaps = tensor.extent() > tensor.bytes()
    room = filled(tensor.extent())
    nan = bytes([0xff] * (tensor.size - 1) + [0x7f])
    for memory, at in tensor.places(coords):
        if memory is not None:
            raw = data[memory].to_bytes(tensor.size, "little")
        else:
            raw = nan if tensor.nan else bytes(tensor.size)
        room[at:at + tensor.size] = raw
    want = words_of(room)
    body = """
        @%%p1 mbarrier.init.shared.b64 [bar], 1;
        @%%p1 fence.mbarrier_init.release.cluster;
        bar.sync 0;
        mov.u32 %%r5, %d;
        @!%%p1 bra wait;
        mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;
        cp.async.bulk.tensor.%dd.shared::cluster.global%s.mbarrier::complete_tx::bytes [%%r3], [%%rd1, {%s}], [%%r4];
    """ % (coords[0], tensor.bytes(), len(coords), how,
           ", ".join(["%r5"] + [str(c) for c in coords[1:]]))
    tensor_kernel(f, name, [hexes("in", mem(tensor.t), data), tensor.directive(),
                            hexes("out", "u32", want), fault],
                  (fill(len(want)) if gaps else "") + body + WAIT + dump(len(want)),
                  ("src", "map", "out"), note)


def store(f, name, tensor, coords, note="", reduction="", fault=""):
    old = values(tensor.t, tensor.elements) if reduction else [7] * tensor.elements
    new = list(old)
    room = filled(tensor.extent())
    mask = (1 << 8 * tensor.size) - 1
    for memory, at in tensor.places(coords):
        if memory is None:
            continue
        value = int.from_bytes(room[at:at + tensor.size], "little")
        if reduction == "add":
            value = value + new[memory] & mask
        elif reduction == "max":
            value = max(value, new[memory])
        elif reduction == "xor":
            value ^= new[memory]
        new[memory] = value
    count = len(room) // 4
    body = fill(count) + """
        bar.sync 0;
        @!%%p1 bra done;
        cp.%sasync.bulk.tensor.%dd.global.shared::cta%s.bulk_group [%%rd1, {%s}], [%%r3];
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
    done:
    """ % ("reduce." if reduction else "", len(coords),
           "." + reduction if reduction else "", ", ".join(map(str, coords)))
    tensor_kernel(f, name, [hexes("inout", mem(tensor.t), old),
                            hexes("expect", mem(tensor.t), new), tensor.directive(), fault],
                  body, ("src", "map"), note)


def pixels(f, name, dims, lower, upper, channels, count, coords, offsets, note="", steps=None):
    """An im2col load of u16: pixel after pixel of the box between the corners."""
    column = Pixels("u16", dims, lower, upper, channels, count, steps)
    data, room = values("u16", column.elements), bytearray()
    for memory, _ in column.places(coords, offsets):
        room += (data[memory] if memory is not None else 0).to_bytes(2, "little")
    want = words_of(room)
    body = """
        @%%p1 mbarrier.init.shared.b64 [bar], 1;
        @%%p1 fence.mbarrier_init.release.cluster;
        bar.sync 0;
        @!%%p1 bra wait;
        mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;
        %s
        cp.async.bulk.tensor.%dd.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%%r3], [%%rd1, {%s}], [%%r4], {%s};
    """ % (len(room), "\n".join("mov.u16 %%h%d, %d;" % (k, o) for k, o in enumerate(offsets)),
           len(dims), ", ".join(map(str, coords)),
           ", ".join("%%h%d" % k for k in range(len(offsets))))
    tensor_kernel(f, name, [hexes("in", "u16", data),
                            column.directive(), hexes("out", "u32", want)],
                  body + WAIT + dump(len(want)), ("src", "map", "out"), note)


def tensor():
    f = File("tensor", "cp.async.bulk.tensor: boxes, swizzles, what is outside.", "8.0")
    load(f, "line", Tensor("u32", [64], [32]), [16])
    load(f, "line_before", Tensor("u32", [64], [32]), [-4], "zeros in front")
    load(f, "line_beyond", Tensor("u16", [64], [64]), [40], "zeros behind")
    load(f, "box", Tensor("u32", [24, 10], [8, 4]), [4, 3])
    load(f, "box_outside", Tensor("u32", [24, 10], [16, 8]), [16, -3])
    load(f, "box_far", Tensor("u32", [24, 10], [8, 4]), [100, 3], "nothing of it is inside")
    load(f, "box_tile", Tensor("u16", [40, 9], [16, 4]), [8, 2], how=".tile")
    load(f, "pitch", Tensor("u8", [40, 6], [32, 4], strides=[64]), [16, 1])
    load(f, "steps", Tensor("u32", [16, 12], [8, 8], steps=[1, 3]), [4, 1],
         "every third row")
    load(f, "cube", Tensor("u16", [16, 6, 5], [8, 3, 2]), [8, 2, 3])
    load(f, "four", Tensor("u32", [8, 4, 3, 4], [4, 2, 2, 3]), [4, 1, 2, 1])
    load(f, "five", Tensor("u32", [8, 3, 3, 2, 3], [4, 2, 2, 2, 2]), [4, 1, 1, 0, 2])
    load(f, "swizzle_32", Tensor("u16", [32, 16], [16, 16], swizzle="32"), [8, 0])
    load(f, "swizzle_64", Tensor("u16", [64, 16], [32, 16], swizzle="64"), [8, 2])
    load(f, "swizzle_128", Tensor("u16", [80, 20], [64, 16], swizzle="128"), [8, 6])
    load(f, "swizzle_128_narrow", Tensor("u8", [64, 20], [16, 16], swizzle="128"), [16, 2],
         "a row takes what the swizzle spans")
    load(f, "swizzle_64_narrow", Tensor("u16", [64, 20], [24, 9], swizzle="64"), [8, 2])
    load(f, "swizzle_32_narrow", Tensor("u32", [8, 6, 5], [4, 3, 4], swizzle="32"), [4, 1, 1])
    load(f, "swizzle_128_u32", Tensor("u32", [48, 10], [32, 8], swizzle="128"), [4, -1])
    load(f, "swizzle_128_cube", Tensor("u8", [128, 4, 4], [128, 3, 3], swizzle="128"),
         [0, 1, 1])
    pixels(f, "im2col", [8, 6, 5, 2], [-1, -1], [-1, -1], 8, 16, [0, -1, -1, 0], [1, 2],
           "pixels of a convolution, whose filter stands at the offsets")
    pixels(f, "im2col_wraps", [16, 4, 3, 2], [0, 0], [-1, 0], 8, 20, [8, 2, 1, 0], [1, 0],
           "from one image into the next")
    pixels(f, "im2col_line", [8, 20, 2], [-1], [-1], 8, 24, [0, 5, 0], [2])
    store(f, "store_line", Tensor("u32", [64], [32]), [8])
    store(f, "store_box", Tensor("u32", [24, 10], [8, 4]), [4, 3])
    store(f, "store_outside", Tensor("u32", [24, 10], [16, 8]), [16, 6],
          "what is outside is left alone")
    store(f, "store_swizzle_128", Tensor("u16", [80, 20], [64, 16], swizzle="128"), [8, 6])
    store(f, "store_swizzle_64", Tensor("u16", [64, 16], [32, 16], swizzle="64"), [8, 2])
    store(f, "store_swizzle_128_narrow", Tensor("u16", [80, 20], [40, 9], swizzle="128"),
          [8, 6])
    store(f, "store_cube", Tensor("u16", [16, 6, 5], [8, 3, 2]), [8, 2, 3])
    store(f, "reduce_add", Tensor("u32", [24, 10], [8, 4]), [4, 3], reduction="add")
    store(f, "reduce_max", Tensor("u32", [24, 10], [8, 4]), [20, 3], reduction="max")
    store(f, "reduce_xor", Tensor("u32", [24, 10], [8, 4], swizzle="32"), [4, 8],
          reduction="xor")
    crooked = "a row of a box begins at a multiple of 16 bytes"
    load(f, "line_crooked", Tensor("u32", [64], [32]), [-5], crooked, fault=FAULT)
    load(f, "cube_crooked", Tensor("u16", [16, 6, 5], [8, 3, 2]), [4, 2, 3], fault=FAULT)
    store(f, "store_crooked", Tensor("u32", [24, 10], [8, 4]), [5, 3], fault=FAULT)
    store(f, "reduce_crooked", Tensor("u32", [24, 10], [8, 4]), [5, 3], reduction="add",
          fault=FAULT)
    store(f, "store_before", Tensor("u32", [24, 10], [16, 8]), [16, -3],
          "nothing is stored from in front of a tensor", fault=FAULT)
    return f


def bulk():
    f = File("bulk", "cp.async.bulk: runs of bytes, reductions.", "8.0")
    data = values("u32", 256)

    def run(name, ins, outs, body, params, launch="block=32"):
        kernel(f, name, launch, ins + outs, """
            setp.eq.u32 %p1, %i, 0;
            mov.u32 %r3, room;
            mov.u32 %r4, bar;
            @%p1 mbarrier.init.shared.b64 [bar], 1;
            @%p1 fence.mbarrier_init.release.cluster;
            bar.sync 0;
        """ + body, params=params, extra=SHARED)

    source = hexes("in", "u32", data)
    run("load", [source], [ints("out", "u32", [data[64 + i] for i in range(32)])], """
        @!%p1 bra wait;
        mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%src+256], 128, [%r4];
    wait:
        mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
        @!%p2 bra wait;
        mad.lo.u32 %r5, %i, 4, %r3;
        ld.shared.u32 %r6, [%r5];
        st.global.u32 [%out], %r6;
    """, ("src", "out"))
    run("load_sizes", [source], [ints("out", "u32", [
        data[i] if i < 4 else data[i + 4] if i < 12 else data[i + 40] for i in range(32)])], """
        @!%p1 bra wait;
        mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
        mov.u32 %r7, 16;
        add.u64 %rd1, %src, 32;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%src], %r7, [%r4];
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+16], [%rd1], 32, [%r4];
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+48], [%src+208], 80, [bar];
    wait:
        mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
        @!%p2 bra wait;
        mad.lo.u32 %r5, %i, 4, %r3;
        ld.shared.u32 %r6, [%r5];
        st.global.u32 [%out], %r6;
    """, ("src", "out"))
    run("store", [], [ints("out", "u32", [3 * i + 1 for i in range(32)])], """
        mad.lo.u32 %r5, %i, 4, %r3;
        mad.lo.u32 %r6, %i, 3, 1;
        st.shared.u32 [%r5], %r6;
        fence.proxy.async.shared::cta;
        bar.sync 0;
        @!%p1 bra done;
        cp.async.bulk.global.shared::cta.bulk_group [%out], [%r3], 128;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group.read 0;
        cp.async.bulk.wait_group 0;
    done:
    """, ("out",))

    def reduce(name, op, t, old, new, want):
        r = {2: "h", 4: "r", 8: "rd"}[SIZES[t]] + "7"
        bits = 8 * SIZES[t]
        run(name, [], [hexes("inout", mem(t), old), hexes("expect", mem(t), want)],
            "\n".join("mov.u%d %%%s, 0x%x;\nst.shared.u%d [room+%d], %%%s;" % (
                bits, r, v, bits, k * SIZES[t], r) for k, v in enumerate(new)) + """
            fence.proxy.async.shared::cta;
            bar.sync 0;
            @!%%p1 bra done;
            cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%src], [%%r3], %d;
            cp.async.bulk.commit_group;
            cp.async.bulk.wait_group 0;
        done:
        """ % (op, len(new) * SIZES[t]), ("src",))

    reduce("reduce_add_u32", "add.u32", "u32", [1, 2, 3, 0xffffffff], [5, 6, 7, 2], [6, 8, 10, 1])
    reduce("reduce_min_s32", "min.s32", "u32", [1, 2, 0x80000000, 7], [0xffffffff, 6, 7, 2],
           [0xffffffff, 2, 0x80000000, 2])
    reduce("reduce_inc", "inc.u32", "u32", [1, 5, 9, 0], [5, 5, 7, 2], [2, 0, 0, 1])
    reduce("reduce_or", "or.b32", "u32", [1, 5, 9, 0], [5, 8, 7, 2], [5, 13, 15, 2])
    reduce("reduce_add_u64", "add.u64", "u64", [1, 1 << 63], [5, 1 << 63], [6, 0])
    reduce("reduce_max_s64", "max.s64", "u64", [1, 1 << 63], [(1 << 64) - 5, 7], [1, 7])
    reduce("reduce_add_f32", "add.f32", "u32", [0x3f800000, 0, 0x40000000, 0xbf800000],
           [0x3f800000, 0x40400000, 0x3f800000, 0x3f800000],
           [0x40000000, 0x40400000, 0x40400000, 0])
    reduce("reduce_add_f16", "add.noftz.f16", "f16", [0x3c00] * 8, [0x3c00] * 4 + [0x4000] * 4,
           [0x4000] * 4 + [0x4200] * 4)
    return f


def multicast():
    """One block's copy reaches several of its cluster; a block fills another's memory."""
    f = File("multicast", "cp.async.bulk into the shared memory of other blocks.", "8.0",
             "sm_90a")
    four = Directed(f, ".reqnctapercluster 4")
    data = values("u32", 64)
    start = """
        setp.eq.u32 %p1, %r22, 0;
        mov.u32 %r4, bar;
        mov.u32 %r26, 0;
        add.u32 %r5, %r24, %r25;
        st.shared.u32 [%r5], %r26;
        @%p1 mbarrier.init.shared.b64 [bar], 1;
        @%p1 fence.mbarrier_init.release.cluster;
        fence.proxy.async.shared::cta;
    """
    finish = """
    wait:
        mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0;
        @!%p2 bra wait;
        ld.shared.u32 %r6, [%r5];
        st.global.u32 [%out], %r6;
    """ + MEET
    kernel(four, "multicast", "grid=4 block=32", [
        hexes("in", "u32", data), ints("out", "u32", [
            data[i + 8] if c in (0, 1, 3) else 0 for c in range(4) for i in range(32)])],
           RANKS + start + """
        setp.eq.u32 %p3, %r20, 2;
        @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
        and.pred %p4, %p1, %p3;
        @%p4 mbarrier.complete_tx.shared::cta.b64 [bar], 128;
    """ + MEET + """
        setp.eq.u32 %p3, %r20, 1;
        and.pred %p4, %p1, %p3;
        mov.u16 %h1, 11;
        @%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r24], [%src+32], 128, [%r4], %h1;
    """ + finish, params=("src", "out"), extra=SHARED,
           note="to ranks 0, 1 and 3, at the places of the block that copies")
    kernel(four, "to_neighbour", "grid=4 block=32", [ints("out", "u32", [
        100 * ((c + 3) % 4) + i for c in range(4) for i in range(32)])], RANKS + start + """
        mad.lo.u32 %r7, %r20, 100, %r22;
        st.shared.u32 [%r5+512], %r7;
        fence.proxy.async.shared::cta;
        @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
    """ + MEET + """
        mapa.shared::cluster.u32 %r8, %r24, %r23;
        mapa.shared::cluster.u32 %r9, %r4, %r23;
        add.u32 %r10, %r24, 512;
        @%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8], [%r10], 128, [%r9];
    """ + finish, params=("out",), extra=SHARED)
    kernel(four, "reduce_neighbour", "grid=4 block=32", [ints("out", "u32", [
        100 * ((c + 3) % 4) + i + 7 for c in range(4) for i in range(32)])], RANKS + start + """
        mad.lo.u32 %r7, %r20, 100, %r22;
        st.shared.u32 [%r5+512], %r7;
        mov.u32 %r7, 7;
        st.shared.u32 [%r5], %r7;
        fence.proxy.async.shared::cta;
        @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
    """ + MEET + """
        mapa.shared::cluster.u32 %r8, %r24, %r23;
        mapa.shared::cluster.u32 %r9, %r4, %r23;
        add.u32 %r10, %r24, 512;
        @%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r8], [%r10], 128, [%r9];
    """ + finish, params=("out",), extra=SHARED)
    return f


def tensormap():
    """A map is copied, changed field by field, and used."""
    f = File("tensormap", "tensormap.replace, tensormap.cp_fenceproxy.", "8.3", "sm_90a")
    data = values("u32", 240)
    to_global = """
        bar.warp.sync 0xffffffff;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%scratch], [%r8], 128;
    """

    def replaced(name, space, at, place, release, first, other, setup=""):
        """The map of @first is copied to @place and made one of @other by @at; @release makes
        it one for copies."""
        room = bytearray(other.bytes())
        for memory, offset in other.places([20, 3]):
            value = data[memory] if memory is not None else 0
            room[offset:offset + 4] = value.to_bytes(4, "little")
        want = words_of(room)
        fields = [("global_address", "b64", None, "%src"), ("rank", "b32", None, "1"),
                  ("elemtype", "b32", None, "2"), ("global_dim", "b32", 0, "24"),
                  ("global_dim", "b32", 1, "%r9"), ("global_stride", "b64", 0, "%rd11"),
                  ("box_dim", "b32", 0, "8"), ("box_dim", "b32", 1, str(other.box[1])),
                  ("element_stride", "b32", 1, "1"), ("swizzle_mode", "b32", None, "0"),
                  ("interleave_layout", "b32", None, "0"), ("fill_mode", "b32", None, "0")]
        copy = "\n".join("ld.param.u64 %%rd10, [p_map+%d];\nst.%s.u64 [%s+%d], %%rd10;" % (
            8 * k, *place[:2], place[2] + 8 * k) for k in range(16))
        changes = "\n".join("tensormap.replace.tile.%s%s.b1024.%s [%s], %s%s;" % (
            field, space, t, at, "" if which is None else "%d, " % which, value)
            for field, t, which, value in fields)
        tensor_kernel(f, name, [
            hexes("in", "u16", [1] * first.elements), first.directive(),
            hexes("in", "u32", data), "//@ inout u32 0*32\n", hexes("out", "u32", want)], """
            mov.u32 %%r9, 10;
            mov.u64 %%rd11, 96;
            add.u32 %%r8, %%r3, 8192;
            @%%p1 mbarrier.init.shared.b64 [bar], 1;
            @%%p1 fence.mbarrier_init.release.cluster;
            @!%%p1 bra copied;
            %s
        copied:
            %s
            bar.sync 0;
            @!%%p1 bra wait;
            fence.proxy.tensormap::generic.acquire.gpu [%%scratch], 128;
            mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;
            cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%%r3], [%%scratch, {20, 3}], [%%r4];
        """ % ("\n".join([copy, setup, changes]), release, other.bytes()) + WAIT +
                      dump(len(want)), ("first", "map", "src", "scratch", "out"))

    release = "fence.proxy.tensormap::generic.release.gpu;"
    in_shared, in_global = ("shared", "room", 8192), ("global", "%scratch", 0)
    two = Tensor("u16", [64, 8], [16, 4]), Tensor("u32", [24, 10], [8, 4])
    unlike = (Tensor("f16", [64, 12, 2], [16, 4, 2], steps=[1, 2, 1], swizzle="32", nan=1),
              Tensor("u32", [24, 10], [8, 8]))
    replaced("replaced", ".shared::cta", "%r8", in_shared, to_global, *two)
    replaced("replaced_global", ".global", "%scratch", in_global, release, *unlike)
    replaced("replaced_generic", "", "%scratch", in_global, release, *unlike)
    replaced("replaced_generic_shared", "", "%rd12", in_shared, to_global, *unlike,
             "cvt.u64.u32 %rd12, %r8;\ncvta.shared.u64 %rd12, %rd12;")
    return f


def files():
    return [bulk(), tensor(), multicast(), tensormap()]
