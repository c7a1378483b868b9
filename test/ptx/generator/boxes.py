# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every opcode of cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and their prefetches.

Tensors of each rank, and of images from three dimensions on; each opcode loads, stores or
reduces a box of 128 bytes of its own. Later, reductions of each type of elements."""

import re

from .arrivals import exchange, padded, put, rooms
from .bulks import FINISH, elements, opcodes, reduced
from .control import kernel
from .emit import File
from .tensors import SIZES, TYPES, Pixels, Tensor, hexes, mem, values, words_of
from .values import rng

BOX = 128


class Mapped:
    """A File in whose next kernels the parameters map* are tensor maps."""

    def __init__(self, file):
        self.file = file

    def raw(self, text):
        text = re.sub(r"\.param \.u64 (p_map\w+)", r".param .align 64 .b8 \1[128]", text)
        text = re.sub(r"ld\.param\.u64 (%map\w+), \[(\w+)\];",
                      r"mov.u64 \1, \2;\n\tcvta.param.u64 \1, \1;", text)
        self.file.raw(text)


def forms():
    """The opcodes with tensors by rank and whether they take pixels."""
    found = {}
    for opcode in opcodes("cp"):
        words = opcode.split(".")
        if "tensor" in words:
            key = next(int(w[0]) for w in words if re.match(r"\dd$", w)), "im2col" in opcode
            found.setdefault(key, []).append(opcode)
    return sorted(found.items())


def braces(numbers):
    return "{" + ", ".join(map(str, numbers)) + "}"


# ---- Loads ---------------------------------------------------------------------------

LOADED = {
    (1, False): Tensor("u32", [512], [32]),
    (2, False): Tensor("u32", [16, 20], [4, 8]),
    (3, False): Tensor("u32", [8, 8, 10], [4, 2, 4]),
    (4, False): Tensor("u32", [8, 6, 5, 4], [4, 2, 2, 2]),
    (5, False): Tensor("u32", [8, 4, 4, 3, 4], [4, 2, 2, 1, 2]),
    (3, True): Pixels("u32", [8, 9, 6], [-1], [-1], 4, 8),
    (4, True): Pixels("u32", [8, 6, 5, 3], [-1, -1], [-1, -1], 4, 8),
    (5, True): Pixels("u32", [8, 5, 4, 3, 3], [-1] * 3, [-1] * 3, 4, 8),
}


def loads(f):
    data = values("u32", max(t.elements for t in LOADED.values()))
    count = sum(1 for _, some in forms() for o in some if "complete_tx" in o)
    room = bytearray(b"\x11" * padded(BOX * count))
    want, k = bytearray(room), 0
    body = "setp.eq.u32 %p2, %r20, 0;\nmov.u16 %h7, 3;\n"
    maps, names = "", []
    for (rank, pixels), some in forms():
        tensor = LOADED[rank, pixels]
        names.append("map%d%s" % (rank, "p" if pixels else ""))
        maps += tensor.directive(2)
        for opcode in [o for o in some if "global.shared::cta" not in o]:
            coords = [4 * (k * 3 % (tensor.dims[0] // 4))]
            coords += [k * (5 + n) % d - (k & 1) for n, d in enumerate(tensor.dims[1:-1])]
            coords += [k % tensor.dims[-1]] if rank > 1 else []
            offsets = [(k + n) % 3 for n in range(rank - 2)] if pixels else []
            if pixels:
                coords[1:-1] = [min(max(c, -1), d - 2) for c, d in zip(coords[1:-1],
                                                                     tensor.dims[1:-1])]
            moved = "".join("mov.u16 %%h%d, %d;\n" % (n, o) for n, o in enumerate(offsets))
            source = "[%%%s, %s]" % (names[-1], braces(coords))
            hint = ", %rd19" if "cache_hint" in opcode else ""
            column = ", " + braces("%%h%d" % n for n in range(len(offsets))) if pixels else ""
            if "prefetch" in opcode:
                body += moved + "%s %s%s%s;\n" % (opcode, source, column, hint)
                continue
            cast = "multicast::cluster" in opcode
            body += moved + "%s%s [%%rd10+%d], %s, [%%rd11]%s%s%s;\n" % (
                "@%p2 " if cast else "", opcode, BOX * k, source, column,
                ", %h7" if cast else "", hint)
            places = tensor.places(coords, offsets) if pixels else tensor.places(coords)
            for memory, at in places:
                put(want, BOX * k + at, data[memory] if memory is not None else 0, 4)
            k += 1
    exchange(Mapped(f), "loads", room, [want, want], BOX * count, body,
             [hexes("in", "u32", data), maps], ("data",) + tuple(names))


# ---- Stores --------------------------------------------------------------------------


def stored(rank, pixels, count):
    """A tensor with room for @count boxes, and where the box k stands."""
    half = -(-count // 2)
    if pixels:
        sizes = {3: [8], 4: [4, 2], 5: [2, 2, 2]}[rank]
        tensor = Pixels("u32", [8] + sizes + [half], [0] * len(sizes), [0] * len(sizes), 4, 8)
        return tensor, lambda k: [4 * (k & 1)] + [0] * len(sizes) + [k >> 1]
    if rank == 1:
        return Tensor("u32", [32 * count], [32]), lambda k: [32 * k]
    box = [4] + {2: [8], 3: [2, 4], 4: [2, 2, 2], 5: [2, 2, 1, 2]}[rank]
    dims = [8] + box[1:-1] + [box[-1] * half]
    return Tensor("u32", dims, box), lambda k: [4 * (k & 1)] + [0] * (rank - 2) + [
        box[-1] * (k >> 1)]


START = """
    setp.eq.u32 %%p1, %%i, 0;
    mov.u64 %%rd10, room;
    createpolicy.fractional.L2::evict_first.b64 %%rd19, 1.0;
    mov.u32 %%r4, %%i;
fill:
    mad.wide.u32 %%rd1, %%r4, 4, %%rd10;
    mad.wide.u32 %%rd2, %%r4, 4, %%src;
    ld.global.u32 %%r6, [%%rd2];
    st.shared.u32 [%%rd1], %%r6;
    add.u32 %%r4, %%r4, 32;
    setp.lt.u32 %%p2, %%r4, %d;
    @%%p2 bra fill;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    @!%%p1 bra done;
"""


def store_kernel(f, name, new, tensor, old, want, copies):
    """Runs @copies, which bring boxes of @new to what is @old in memory."""
    t = mem(tensor.t)
    kernel(Mapped(f), name, "block=32", [
        hexes("in", "u32", words_of(new)), hexes("inout", t, old), hexes("expect", t, want),
        tensor.directive(1)], START % (len(new) // 4) + copies + FINISH,
           params=("src", "to", "map1"), extra=".shared .align 128 .b8 room[%d];" % len(new))


def stores(f):
    new = rooms(8 * BOX)
    for (rank, pixels), some in forms():
        some = [o for o in some if "global.shared::cta" in o]
        tensor, place = stored(rank, pixels, len(some))
        old = words_of(rooms(4 * tensor.elements))
        want, body = list(old), ""
        for k, opcode in enumerate(some):
            words = opcode.split(".")
            body += "%s [%%map1, %s], [%%rd10+%d]%s;\n" % (
                opcode, braces(place(k)), BOX * (k % 8),
                ", %rd19" if "cache_hint" in opcode else "")
            for memory, at in tensor.places(place(k)):
                at += BOX * (k % 8)
                value = int.from_bytes(new[at:at + 4], "little")
                if "reduce" in words:
                    value = reduced(words[words.index("shared::cta") + 1], "u32", old[memory], value)
                want[memory] = value
        store_kernel(f, "store_%d%s" % (rank, "_pixels" if pixels else ""), new, tensor, old,
                     want, body)


def types(f):
    """What elements are to a reduction is told by the tensor map."""
    half, word = ["add", "min", "max"], ["and", "or", "xor"]
    for t, ops in {"s32": half + word, "u64": half + word, "s64": ["min", "max"], "f16": half,
                   "bf16": half, "f32": ["add"], "f64": ["add"]}.items():
        size, r = SIZES[t], rng("types" + t)
        tensor = Tensor(t, [16 // size, 8 * len(ops)], [16 // size, 8])
        old, new = elements(t, tensor.elements, r), elements(t, tensor.elements, r)
        want, body = list(old), ""
        for k, op in enumerate(ops):
            for n in range(BOX // size * k, BOX // size * (k + 1)):
                want[n] = reduced(op, t, old[n], new[n])
            body += "cp.reduce.async.bulk.tensor.2d.global.shared::cta.%s.bulk_group " % op
            body += "[%%map1, {0, %d}], [%%rd10+%d];\n" % (8 * k, BOX * k)
        raw = b"".join(v.to_bytes(size, "little") for v in new)
        store_kernel(f, "reduce_" + t, raw, tensor, old, want, body)


def tensor():
    f = File("tensor_all", "Bulk copies of boxes of tensors: every opcode.", "9.0", "sm_90a")
    loads(f)
    stores(f)
    types(f)
    return f


def files():
    return [tensor()]
