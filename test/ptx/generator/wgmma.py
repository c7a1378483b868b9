# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wgmma: products of a warpgroup out of shared memory; descriptors, swizzles, orders."""

from .emit import File, entry, signed
from .mma import BITS, decode, finish, matrix, pack, register, small, vector, whole
from .sparse import choose, metadata
from .values import rng

K = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}
SPAN = {0: 16, 1: 128, 2: 64, 3: 32}  # bytes, by the descriptor's swizzle mode


class Image:
    """Shared memory of a block, and where a matrix of 32 bytes of k is put in it."""

    def __init__(self, r):
        self.bytes = bytearray()
        self.r = r

    def reserve(self, size):
        start = (len(self.bytes) + 1023) // 1024 * 1024
        self.bytes += bytes(start - len(self.bytes) + size)
        return start

    def add(self, rows, bits, mode, columns):
        """Puts a matrix (m or n rows of k) and returns its descriptor, without the base.
        columns: m or n goes first in memory. A part of a wider matrix where it can be."""
        span, n = SPAN[mode], len(rows)
        step = 0
        if columns:
            per = span // 2
            group, groups = 8 * span, len(rows[0]) // 8
            if mode:
                lead, stride = groups * group, group
            else:
                lead, stride = 128, 128 * groups
            spans = -(-n // per)
            size = spans * groups * group if mode else n // 8 * 128 * groups
        else:
            parts = len(to_bytes(rows[0], bits)) // 16
            lead, stride = (128, 128 * parts) if mode == 0 else (16, 8 * span)
            size = n // 8 * stride
            if mode:
                step = self.r.randrange(span // 16 // parts) * 16 * parts
        start = self.reserve(size)
        for i, row in enumerate(rows):
            data = to_bytes(row, bits)
            if columns:
                for k in range(8 * groups):
                    if mode:
                        at = i // per * lead + k // 8 * stride + k % 8 * span + i % per * 2
                    else:
                        at = i // 8 * stride + k // 8 * lead + k % 8 * 16 + i % 8 * 2
                    self.put(start + at, mode, data[2 * k:2 * k + 2])
                continue
            for part in range(parts):
                at = i // 8 * stride + i % 8 * span + part * lead + step
                self.put(start + at, mode, data[16 * part:16 * part + 16])
        return (start + step) >> 4 | lead >> 4 << 16 | stride >> 4 << 32 | mode << 62

    def put(self, at, mode, data):
        span = SPAN[mode]
        at ^= at >> 3 & (span - 16)
        self.bytes[at:at + len(data)] = data

    def words(self):
        data = bytes(self.bytes) + bytes(-len(self.bytes) % 512)  # a word for each thread
        return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def to_bytes(row, bits):
    if bits >= 8:
        return b"".join(x.to_bytes(bits // 8, "little") for x in row)
    return b"".join(w.to_bytes(4, "little") for w in pack(row, bits))


def fragment_a(a, t):
    """A in registers: 64 rows, 16 to a warp."""
    per, out = max(1, 32 // BITS[t]), []
    for thread in range(128):
        w, g, q = thread // 32, thread % 32 // 4, thread % 4
        one = []
        for r in range(4):
            row = a[16 * w + g + 8 * (r % 2)]
            one += row[r // 2 * 4 * per + q * per:][:per]
        out.append(pack(one, BITS[t]))
    return out


def fragment_d(d):
    out = []
    for thread in range(128):
        w, g, q = thread // 32, thread % 32 // 4, thread % 4
        out.append([d[16 * w + g + 8 * (i // 2 % 2)][8 * (i // 4) + 2 * q + i % 2]
                    for i in range(len(d[0]) // 2)])
    return out


def product(types, a, b, c, sign, satfinite=False):
    """b: by columns."""
    d, ta, tb = types
    if ta == "b1":
        return [[signed(c[i][j] + sum(x & y for x, y in zip(row, b[j])), 32)
                 for j in range(len(b))] for i, row in enumerate(a)]
    da = [[int(decode(ta, x)) for x in row] for row in a]
    db = [[int(decode(tb, x)) for x in row] for row in b]
    return [[finish(d, decode(d, c[i][j]) + sign * sum(x * y for x, y in zip(row, db[j])),
                    satfinite) for j in range(len(b))] for i, row in enumerate(da)]


def case(f, types, n, modes=(0, 0), trans=(0, 0), registers=False, scale_d="1", signs=(1, 1),
         flag=""):
    d, ta, tb = types
    k, bits = K[ta], BITS[ta]
    name = "_".join(["n%d" % n] + list(types) + ["s%d%d" % modes, "t%d%d" % trans] +
                    ["rs"] * registers + ["d" + scale_d.replace("%", "").replace("!", "not_")] * (scale_d != "1") +
                    ["neg"] * (signs != (1, 1)) + [flag.strip(".")] * (flag == ".satfinite"))
    r = rng(name)
    one = whole if ta[0] in "su" or ta == "b1" else small
    a, b = matrix(64, k, lambda: one(r, ta)), matrix(n, k, lambda: one(r, tb))
    c = matrix(64, n, lambda: one(r, d))
    image = Image(r)
    first = 0 if registers else image.add(a, bits, modes[0], trans[0])
    second = image.add(b, bits, modes[1], trans[1])
    before = fragment_d(c)
    zero = [[0] * n for _ in range(64)]
    added = scale_d in ("1", "%yes")
    want = fragment_d(product(types, a, b, c if added else zero, signs[0] * signs[1],
                              flag == ".satfinite"))
    if d == "f16":
        before = [pack(x, 16) for x in before]
    words = image.words()
    text = "\n//@ launch %s block=128\n" % name
    text += f.operand("in", "b32", words)
    text += f.operand("in", register(d), [x for lane in before for x in lane])
    if registers:
        text += f.operand("in", "b32", [x for lane in fragment_a(a, ta) for x in lane])
    text += f.operand("out", {"s32": "s32"}.get(d, d), [x for lane in want for x in lane])
    shape = "m64n%dk%d" % (n, k)
    operands = [vector("d", len(before[0])), vector("a", 4) if registers else "%da", "%db",
                scale_d]
    if ta[0] not in "su" and ta != "b1":
        operands += ["%d" % s for s in signs]
    if bits == 16:
        operands += ["%d" % t for t in (trans[1:] if registers else trans)]
    op = "wgmma.mma_async.sync.aligned.%s.%s%s %s;" % (shape, ".".join(types), flag,
                                                     ", ".join(operands))
    f.raw(text + kernel(name, register(d), len(before[0]), 4 * registers, len(words), first, second,
                        op).replace("$", "$%d" % f.count))
    f.count += 1


def kernel(name, kind, count, registers, words, first, second, op):
    params = ["pm", "pc"] + ["pa"] * (registers > 0) + ["pd"]
    text = entry(name, params) + "\t.shared .align 1024 .b8 tile[%d];\n" % (4 * words)
    text += "\t.reg .b32 %i, %k, %x, %w, %base;\n\t.reg .b64 %at, %da, %db, %b;\n"
    text += "\t.reg .pred %%more, %%yes, %%no;\n\t.reg .%s %%d<%d>;\n" % (kind, count)
    if registers:
        text += "\t.reg .b32 %%a<%d>;\n" % registers
    for p in params:
        text += "\t.reg .b64 %%%s;\n\tld.param.u64 %%%s, [%s];\n" % (p, p, p)
    text += "\tmov.u32 %i, %tid.x;\n\tmov.u32 %base, tile;\n\tmov.u32 %k, %i;\n$fill:\n"
    text += "\tmad.wide.u32 %at, %k, 4, %pm;\n\tld.global.b32 %w, [%at];\n"
    text += "\tmad.lo.u32 %x, %k, 4, %base;\n\tst.shared.b32 [%x], %w;\n"
    text += "\tadd.u32 %%k, %%k, 128;\n\tsetp.lt.u32 %%more, %%k, %d;\n" % words
    text += "\t@%more bra $fill;\n\tfence.proxy.async;\n\tbar.sync 0;\n"
    text += "\tsetp.eq.u32 %yes, %base, %base;\n\tsetp.ne.u32 %no, %base, %base;\n"
    text += "\tshr.u32 %x, %base, 4;\n\tcvt.u64.u32 %b, %x;\n"
    text += "\tadd.u64 %%da, %%b, 0x%x;\n\tadd.u64 %%db, %%b, 0x%x;\n" % (first, second)
    load = "\tmad.wide.u32 %%at, %%i, %d, %%%s;\n"
    text += load % (4 * count, "pc")
    t = kind if kind == "f32" else "b32"
    text += "".join("\tld.global.%s %%d%d, [%%at+%d];\n" % (t, i, 4 * i) for i in range(count))
    if registers:
        text += load % (4 * registers, "pa")
        text += "".join("\tld.global.b32 %%a%d, [%%at+%d];\n" % (i, 4 * i)
                        for i in range(registers))
    text += "\twgmma.fence.sync.aligned;\n\t%s\n\twgmma.commit_group.sync.aligned;\n" % op
    text += "\twgmma.wait_group.sync.aligned 0;\n" + load % (4 * count, "pd")
    text += "".join("\tst.global.%s [%%at+%d], %%d%d;\n" % (t, 4 * i, i) for i in range(count))
    return text + "\tret;\n}\n"


def sparse(f, types, n, modes, registers=False, selector=0):
    """Half of A left out: 64 bytes of k in B."""
    d, ta, tb = types
    k, bits = 2 * K[ta], BITS[ta]
    name = "_".join(["sp_n%d" % n] + list(types) + ["s%d%d" % modes] + ["rs"] * registers +
                    ["sel%d" % selector])
    r = rng(name)
    one = whole if ta[0] in "su" else small
    chosen = [choose(r, ta, k) for _ in range(64)]
    kept, b = matrix(64, k // 2, lambda: one(r, ta)), matrix(n, k, lambda: one(r, tb))
    a = [[0] * k for _ in range(64)]
    for row, (columns, _) in enumerate(chosen):
        for column, x in zip(columns, kept[row]):
            a[row][column] = x
    c = matrix(64, n, lambda: one(r, d))
    image = Image(r)
    first = 0 if registers else image.add(kept, bits, modes[0], 0)
    second = image.add(b, bits, modes[1], 0)
    meta = sum((metadata(r, ta, k, [m for _, m in chosen[16 * w:16 * w + 16]], selector)
                for w in range(4)), [])
    before, want = fragment_d(c), fragment_d(product(types, a, b, c, 1))
    words = image.words()
    text = "\n//@ launch %s block=128\n" % name + f.operand("in", "b32", words)
    text += f.operand("in", register(d), [x for lane in before for x in lane])
    held = fragment_a(kept, ta) if registers else [[]] * 128
    text += f.operand("in", "b32", [x for lane, m in zip(held, meta)
                                    for x in (lane or [0] * 4) + [m]])
    text += f.operand("out", d, [x for lane in want for x in lane])
    operands = [vector("d", len(before[0])), vector("a", 4) if registers else "%da", "%db",
                "%a4", str(selector), "1"] + ["1", "1"] * (ta[0] not in "su")
    if bits == 16:
        operands += ["0"] * (1 if registers else 2)
    op = "wgmma.mma_async.sp.sync.aligned.m64n%dk%d.%s %s;" % (n, k, ".".join(types),
                                                             ", ".join(operands))
    f.raw(text + kernel(name, register(d), len(before[0]), 5, len(words), first, second,
                        op).replace("$", "$%d" % f.count))
    f.count += 1


def sparse_forms(f):
    sparse(f, ("f32", "f16", "f16"), 16, (1, 1))
    sparse(f, ("f32", "f16", "f16"), 8, (2, 2), registers=True, selector=1)
    sparse(f, ("f32", "bf16", "bf16"), 8, (0, 0))
    sparse(f, ("f32", "tf32", "tf32"), 8, (3, 1), selector=1)
    sparse(f, ("f32", "e4m3", "e5m2"), 8, (1, 2))
    sparse(f, ("s32", "s8", "u8"), 16, (1, 1))
    sparse(f, ("s32", "u8", "u8"), 8, (0, 0), registers=True)


def halves(f):
    types = ("f32", "f16", "f16")
    for mode in range(4):
        for trans in ((0, 0), (1, 1)):
            case(f, types, 16 if mode else 8, (mode, mode), trans)
    case(f, types, 40, (1, 2), (1, 0))
    case(f, types, 72, (3, 1), (0, 1))
    case(f, types, 128, (1, 1), (0, 1), registers=True)
    case(f, types, 256, (1, 1), (0, 0))
    case(f, types, 8, (2, 3), registers=True, scale_d="%no")
    case(f, types, 8, (0, 0), scale_d="0")
    case(f, types, 8, (0, 0), scale_d="%yes", signs=(-1, 1))
    case(f, types, 8, (0, 0), scale_d="!%yes", signs=(-1, -1))
    case(f, ("f16", "f16", "f16"), 24, (1, 0))
    case(f, ("f32", "bf16", "bf16"), 16, (1, 1), (1, 0))
    case(f, ("f32", "tf32", "tf32"), 16, (1, 2))
    case(f, ("f32", "tf32", "tf32"), 8, (0, 3), registers=True, signs=(1, -1))


def bytes_and_bits(f):
    case(f, ("f32", "e4m3", "e5m2"), 16, (1, 2))
    case(f, ("f16", "e5m2", "e4m3"), 8, (0, 3), registers=True)
    for a, b in (("s8", "s8"), ("u8", "u8"), ("s8", "u8")):
        case(f, ("s32", a, b), 16, (1, 0))
    case(f, ("s32", "u8", "s8"), 48, (3, 2), registers=True)
    case(f, ("s32", "s8", "s8"), 8, (0, 1), flag=".satfinite")
    case(f, ("s32", "b1", "b1"), 16, (1, 0), flag=".and.popc")
    case(f, ("s32", "b1", "b1"), 8, (2, 3), registers=True, scale_d="0", flag=".and.popc")


def registers_move(f):
    """A warpgroup gives registers back and asks for them again; values stay."""
    text = "\n//@ launch registers_move block=128\n"
    text += f.operand("out", "u32", [3 * i + 2 for i in range(128)])
    f.raw(text + entry("registers_move", ["pd"]).replace(
        "\n{", "\n.reqntid 128, 1, 1\n.maxnreg 96\n{") + """	.reg .b32 %i, %x;
	.reg .b64 %at;
	ld.param.u64 %at, [pd];
	mov.u32 %i, %tid.x;
	mad.lo.u32 %x, %i, 3, 1;
	setmaxnreg.dec.sync.aligned.u32 40;
	mad.wide.u32 %at, %i, 4, %at;
	st.global.u32 [%at], %x;
	setmaxnreg.inc.sync.aligned.u32 64;
	ld.global.u32 %x, [%at];
	add.u32 %x, %x, 1;
	st.global.u32 [%at], %x;
	ret;
}
""")
    f.count += 1


def files():
    f = File("wgmma", "wgmma: descriptors and swizzles, orders in memory, A in registers, signs.",
             version="8.4", target="sm_90a")
    halves(f)
    bytes_and_bits(f)
    sparse_forms(f)
    g = File("setmaxnreg", "setmaxnreg.", version="8.4", target="sm_90a")
    registers_move(g)
    return [f, g]
