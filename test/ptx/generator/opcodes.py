# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every opcode of setp, set, atom, red and cvt that forms/table.txt has.

Many opcodes in one kernel, on the same operands. What setp and set give is collected as
masks of the lanes that have it, what atom and red do lane by lane in slots of their own."""

import operator
import os
import re
import sys

from . import atomics, compare, fp
from .emit import ANY, NAN, File
from .fp import FORMATS
from .integer import clamp, val
from .values import corners, rng

FORMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "forms")
CHUNK = 100  # opcodes in one kernel
BF16 = atomics.BF16
COMBINE = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
LETTER = {16: "%h", 32: "%r", 64: "%d", 128: "%q"}


def accepted(base, mark="+"):
    """The accepted forms of @base: opcode, operands; with @mark "a" those that sm_90a adds."""
    sys.path.insert(0, FORMS)
    import products
    found = {}
    with open(os.path.join(FORMS, "table.txt"), encoding="utf-8") as table:
        for line in table:
            if re.match(r"%s <?%s[<.;]" % (re.escape(mark), base), line):
                for pieces in products.expand(line[2:].rstrip("\n")):
                    opcode, _, operands = "".join(pieces).partition(" ")
                    found[opcode, operands.strip()] = None
    return list(found)


def chunks(forms):
    for at in range(0, len(forms), CHUNK):
        yield at // CHUNK, forms[at:at + CHUNK]


# ---- setp, set ---------------------------------------------------------------------


def size_of(t):
    return 32 if t.endswith("x2") else int(re.sub(r"\D+", "", t))


def format_of(t):
    t = t.replace("x2", "")
    return BF16 if t == "bf16" else FORMATS.get(t)


def element_rows(t):
    """32 rows of two operands: corners of t, every fourth row equal."""
    r = rng("opcodes" + t)
    some = corners(t.replace("b", "f") if t == "bf16" else t) if t != "bf16" else [
        0, 0x8000, 0x3f80, 0xbf80, 1, 0x80ff, 0x80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffa1]
    out = []
    for i in range(32):
        a = r.choice(some)
        out.append((a, a if i % 4 == 0 else r.choice(some)))
    return out


def operand_rows(t):
    if not t.endswith("x2"):
        return element_rows(t)
    low = element_rows(t[:-2])
    high = low[9:] + low[:9]
    return [(a | c << 16, b | d << 16) for (a, b), (c, d) in zip(low, high)]


def compares(t, op, ftz, a, b):
    """Whether it holds, for each element of the operands."""
    fmt = format_of(t)
    if t.endswith("x2"):
        return [fp.compare(fmt, op, ftz, a >> s & 0xffff, b >> s & 0xffff) for s in (0, 16)]
    if fmt:
        return [fp.compare(fmt, op, ftz, a, b)]
    word = UNSIGNED.get(op, op)
    kind = "u" + t[1:] if t[0] == "b" else t
    return [getattr(operator, word)(val(kind, a), val(kind, b))]


def holds(opcode, a, b, third):
    """The elements of what setp and set say of a, b and, where there is one, a predicate."""
    words = opcode.split(".")[1:]
    said = compares(words[-1], words[0], "ftz" in words, a, b)
    combine = next((COMBINE[w] for w in words if w in COMBINE), None)
    return [bool(combine(bool(x), third)) if combine else bool(x) for x in said]


def masks(rows, test):
    return sum(1 << lane for lane, row in enumerate(rows) if test(lane, *row))


def third(operands, lane):
    """%v is true in odd lanes."""
    return bool(lane & 1) != ("!" in operands)


def opens(f, name, t, want, zeros=False):
    """The head of a kernel whose lanes have operands of t in %a and %b; with zeros, registers for
    a 0 of each size."""
    n = size_of(t)
    rows = operand_rows(t)
    f.raw("\n//@ launch %s block=32\n//@ in %s\n//@ in %s\n" % (
        name, f.list("b%d" % n, [r[0] for r in rows]), f.list("b%d" % n, [r[1] for r in rows])))
    f.raw(f.operand("out", "b32", want))
    f.raw(""".visible .entry %s(.param .u64 a, .param .u64 b, .param .u64 to)
{
	.reg .b%d %%a, %%b;
	.reg .b16 %%h%s;
	.reg .b32 %%r, %%i%s;
	.reg .b64 %%at, %%to;
	.reg .pred %%p, %%q, %%v;
	ld.param.u64 %%to, [to];
	mov.u32 %%i, %%tid.x;
	ld.param.u64 %%at, [a];
	mad.wide.u32 %%at, %%i, %d, %%at;
	ld.global.b%d %%a, [%%at];
	ld.param.u64 %%at, [b];
	mad.wide.u32 %%at, %%i, %d, %%at;
	ld.global.b%d %%b, [%%at];
	and.b32 %%i, %%i, 1;
	setp.ne.u32 %%v, %%i, 0;
""" % (name, n, *((", %z16", ", %z32") if zeros else ("", "")), n // 8, n, n // 8, n))


def collect(predicate, slot):
    return ("\tvote.sync.ballot.b32 %%i, %s, -1;\n\tst.global.b32 [%%to+%d], %%i;\n"
            % (predicate, 4 * slot))


def by_type(base):
    groups = {}
    for opcode, operands in accepted(base):
        groups.setdefault(opcode.split(".")[-1], []).append((opcode, operands))
    for t, forms in groups.items():
        for i, some in chunks(forms):
            yield t, "%s_%s_%d" % (base, t, i), some


def setp():
    f = File("setp_all", "setp: every opcode, with one destination and with two.")
    for t, name, forms in by_type("setp"):
        rows = operand_rows(t)
        want, body = [], ""
        for opcode, operands in forms:
            def said(lane, a, b):
                return holds(opcode, a, b, third(operands, lane))
            dual = "|" in operands
            source = "" if "%p2" not in operands else ", !%v" if "!" in operands else ", %v"
            body += "\t%s %s, %%a, %%b%s;\n" % (opcode, "%p|%q" if dual else "%p", source)
            body += collect("%p", len(want))
            want.append(masks(rows, lambda lane, a, b: said(lane, a, b)[0]))
            if dual:
                body += collect("%q", len(want))
                want.append(masks(rows, lambda lane, a, b: second(
                    opcode, a, b, third(operands, lane))))
        opens(f, name, t, want)
        f.raw(body + "\tret;\n}\n")
    return f


def second(opcode, a, b, c):
    """q of p|q: the upper half's comparison, or the complement of the only one."""
    words = opcode.split(".")[1:]
    said = compares(words[-1], words[0], "ftz" in words, a, b)
    combine = next((COMBINE[w] for w in words if w in COMBINE), lambda x, y: x)
    return combine(bool(said[1]) if len(said) > 1 else not said[0], c)


def truths(opcode):
    """The results of set, in the order of what it says of its elements as a number."""
    dt, t = opcode.split(".")[-2:]
    one = {"f16": 0x3c00, "bf16": 0x3f80, "f32": 0x3f800000}.get(dt.replace("x2", ""))
    if t.endswith("x2"):
        one = one or 0xffff
        return [0, one, one << 16, one << 16 | one]
    return [0, one or (1 << size_of(dt)) - 1]


def set_():
    """ptxas 13.0 makes one comparison of set.ftz of f32 and of setp with 0 behind it, and forgets
    .ftz there; so the 0 of f32 is one that it does not know of. The others have a constant 0, with
    which an H100 agrees: without one, ptxas makes HSET2 of set of f16 and bf16 and compares 32 bits
    of its result, more than the 16 that it has (as it seems: fewer lanes are equal then)."""
    f = File("set_all", "set: every opcode. What is collected: the lanes that get each of the\n"
             "values that it can give.")
    for t, name, forms in by_type("set"):
        rows = operand_rows(t)
        hidden = t == "f32"
        want, body = [], "\tmov.u32 %z32, %ctaid.x;\n\tcvt.u16.u32 %z16, %z32;\n" * hidden
        for opcode, operands in forms:
            n = size_of(opcode.split(".")[-2])
            d = "%h" if n == 16 else "%r"
            body += "\t%s %s, %%a, %%b%s;\n" % (opcode, d, ", %v" if "%p2" in operands else "")
            for number, value in enumerate(truths(opcode)):
                body += "\tsetp.eq.b%d %%p, %s, %s;\n" % (
                    n, d, "%%z%d" % n if hidden and not value else "0x%x" % value)
                body += collect("%p", len(want))
                want.append(masks(rows, lambda lane, a, b: sum(
                    x << i for i, x in enumerate(holds(opcode, a, b, third("", lane)))) == number))
        opens(f, name, t, want, hidden)
        f.raw(body + "\tret;\n}\n")
    return f


# ---- atom, red ---------------------------------------------------------------------

SPACES = {"global": "global", "shared": "shared", "shared::cta": "shared",
          "shared::cluster": "shared"}
LANES = 4


def place(opcode):
    """The space, the type, how many of them, and the operation."""
    words = opcode.split(".")[1:]
    count = next((int(w[1]) for w in words if re.match(r"v\d$", w)), 1)
    op = next(w for w in words if w in ("add", "and", "or", "xor", "min", "max", "inc", "dec",
                                        "exch", "cas"))
    return next((SPACES[w] for w in words if w in SPACES), "generic"), words[-1], count, op


def combined(t, op, old, new, flushes=False):
    """What memory holds afterwards, of one element or of two halves; two answers if it may flush
    subnormal numbers: GPUs do so in global memory, of f32, and the ISA says so of them."""
    if t.endswith("x2"):
        low, high = (combined(t[:-2], op, old >> s & 0xffff, new >> s & 0xffff) for s in (0, 16))
        return low | high << 16
    if format_of(t):
        exact = atomics.combine(format_of(t), op, old, new)
        flushed = fp.add(format_of(t), "rn", True, False, old, new) if flushes else exact
        return exact if exact == flushed else (exact, flushed)
    kind = t.replace("b", "u")
    a, b = val(kind, old), val(kind, new)
    out = {"add": a + b, "and": a & b, "or": a | b, "xor": a ^ b, "min": min(a, b),
           "max": max(a, b), "exch": b, "inc": 0 if a >= b else a + 1,
           "dec": b if a == 0 or a > b else a - 1}[op]
    return out & (1 << size_of(t)) - 1


def some(r, t):
    if t.endswith("x2"):
        return some(r, t[:-2]) | some(r, t[:-2]) << 16
    fmt = format_of(t)
    if t == "f64":
        return fmt.round(fp.Fraction(r.uniform(-9, 9)))
    if fmt:
        return atomics.some(r, fmt)
    return r.choice(corners("u%d" % size_of(t)) + [r.getrandbits(size_of(t))] * 8)


def group(base):
    """Opcodes by space, type and count, and whether their results go nowhere."""
    groups = {}
    for opcode, operands in accepted(base):
        if not opcode.startswith("red.async"):
            space, t, count, _ = place(opcode)
            groups.setdefault((space, t, count), {})[opcode, operands[0] == "_"] = None
    for (space, t, count), forms in sorted(groups.items()):
        for i, part in chunks(list(forms)):
            name = "%s_%s_v%d_%s_%d" % (base, space, count, t, i)
            yield space, t, count, name, part


class Lanes:
    """The operands of the lanes of a kernel, in words: two for 128 bits."""

    def __init__(self, t, count, flushes):
        r = rng("atomics" + t + str(count))
        self.flushes = flushes
        self.bits = min(size_of(t), 64)
        self.words = count * size_of(t) // self.bits
        self.letter, self.t, self.count = LETTER[size_of(t)], t, count
        kind = "b64" if t == "b128" else t
        self.old, self.new = ([[some(r, kind) for _ in range(self.words)] for _ in range(LANES)]
                              for _ in range(2))
        # cas finds in half of the lanes what it looks for.
        self.compared = [[x ^ (lane & 1) for x in row] for lane, row in enumerate(self.old)]

    def after(self, op, lane):
        if op == "cas":
            return self.old[lane] if lane & 1 else self.new[lane]
        kind = "b64" if self.t == "b128" else self.t
        return [combined(kind, op, a, b, self.flushes)
                for a, b in zip(self.old[lane], self.new[lane])]

    def vector(self, at):
        names = ["%s%d" % (self.letter, at + i) for i in range(self.count)]
        return "{" + ", ".join(names) + "}" if self.count > 1 else names[0]

    def moved(self, verb, space, at, address, offset):
        """Loads or stores of the registers from number @at on."""
        out = ""
        for i in range(self.words):
            memory = "[%s+%d]" % (address, offset + i * self.bits // 8)
            register = "%s%d" % (LETTER[self.bits], at + i)
            pair = (register, memory) if verb == "ld" else (memory, register)
            out += "\t%s%s.b%d %s, %s;\n" % ((verb, space, self.bits) + pair)
        return out

    def wide(self, at, joined):
        """Between two words and one register of 128 bits."""
        if self.t != "b128":
            return ""
        pair = "{%%d%d, %%d%d}" % (at, at + 1)
        return "\tmov.b128 %s, %s;\n" % (("%%q%d" % at, pair) if joined else
                                         (pair, "%%q%d" % at))


def pointers(names, size):
    text = ""
    for n in names:
        text += "\tld.param.u64 %%%s, [%s];\n\tmad.wide.u32 %%%s, %%i, %d, %%%s;\n" % (
            n, n, n, size, n)
    return text


def atom_kernel(f, base, space, t, count, name, forms):
    """One slot of memory, and one of results, for each opcode and lane."""
    x = Lanes(t, count, t == "f32" and space != "shared")
    size = x.words * x.bits // 8
    pitch = size * LANES
    where = "" if space == "generic" else "." + space
    shared = space == "shared"
    body, after, old = "", [], []
    for i, (opcode, sink) in enumerate(forms):
        op = place(opcode)[3]
        body += x.moved("st", where, 0, "%at", i * pitch)
        words = [] if base == "red" else ["_" if sink else x.vector(16)]
        words += ["[%%at+%d]" % (i * pitch)]
        words += [x.vector(24)] if op == "cas" else []
        words += [x.vector(8)] + (["%policy"] if "cache_hint" in opcode else [])
        body += "\t%s %s;\n" % (opcode, ", ".join(words))
        if base == "atom" and not sink:
            body += x.wide(16, False) + x.moved("st", ".global", 16, "%o", len(old) * size //
                                                x.words)
            old += [w for row in x.old for w in row]
        if shared:
            body += x.moved("ld", where, 16, "%at", i * pitch)
            body += x.moved("st", ".global", 16, "%m", i * pitch)
        for lane in range(LANES):
            after += x.after(op, lane)
    bits = "b%d" % x.bits
    text = "\n//@ launch %s block=%d\n" % (name, LANES)
    for rows in (x.old, x.new, x.compared):
        text += "//@ in %s\n" % f.list(bits, [w for row in rows for w in row])
    text += f.operand("out", bits, after) + (f.operand("out", bits, old) if old else "")
    text += ".visible .entry %s(.param .u64 a, .param .u64 b, .param .u64 c, " % name
    text += ".param .u64 m%s)\n{\n" % (", .param .u64 o" if old else "")
    text += "\t.reg .b16 %h<32>;\n\t.reg .b32 %r<32>, %i;\n\t.reg .b128 %q<32>;\n"
    text += "\t.reg .b64 %d<32>, %a, %b, %c, %m, %o, %at, %policy;\n"
    if shared:
        text += "\t.shared .align 16 .b8 slots[%d];\n" % (pitch * len(forms))
    text += "\tmov.u32 %i, %tid.x;\n" + pointers("abcmo" if old else "abcm", size)
    text += "\tmov.u64 %at, slots;\n\tmad.wide.u32 %at, %i, {}, %at;\n".format(size) \
        if shared else "\tmov.u64 %at, %m;\n"
    text += "\tcreatepolicy.fractional.L2::evict_last.b64 %policy, 1.0;\n"
    for at, pointer in ((0, "%a"), (8, "%b"), (24, "%c")):
        text += x.moved("ld", ".global", at, pointer, 0) + x.wide(at, True)
    f.raw(text + body + "\tret;\n}\n")


def atoms(base):
    f = File(base + "_all", base + ": every opcode, each lane on a slot of its own.", "9.0")
    for space, t, count, name, forms in group(base):
        atom_kernel(f, base, space, t, count, name, forms)
    return f


# ---- cvt ---------------------------------------------------------------------------

NUMBERS = compare.NUMBERS
WORDS = set(fp.MODES) | set(compare.INT_ROUND) | {"ftz", "sat"}
SOURCES = "s16 s32 s8 u16 u32 u8 s64 u64 bf16 f16 f32 f64".split()


def converted(words, dt, st, x):
    """What cvt makes of x, or ANY where the ISA does not tell."""
    mode = next((w for w in words if w not in ("ftz", "sat")), None)
    ftz, sat = "ftz" in words, "sat" in words
    if st not in NUMBERS:
        value = val(st, x)
        if dt not in NUMBERS:
            return clamp(dt, value) if sat else value
        out = NUMBERS[dt].round(fp.Fraction(value), mode or "rn")
        return fp.saturate(NUMBERS[dt], out) if sat else out
    source = NUMBERS[st]
    if ftz and "bf16" in (st, dt) and source.is_subnormal(x):
        return ANY
    if dt not in NUMBERS:
        return compare.float_to_int(st, dt, mode, ftz, x)
    flush = ftz and not (st == "f32" and dt == "f16")
    return compare.convert(st, dt, mode, flush, sat, x)


def bf16_nan(x):
    """Lists have no bf16, so a NaN of it may be anything."""
    return ANY if x == NAN else x


def cvt():
    f = File("cvt_all", "cvt: every opcode between two integers or numbers.")
    groups = {st: {} for st in SOURCES}
    for opcode, operands in accepted("cvt"):
        *words, dt, st = opcode.split(".")[1:]
        if not (WORDS >= set(words) and {dt, st} <= set(SOURCES)):
            continue
        # Registers of 16 bits and more, as wide as the types; cvt_byte.ptx has those of 8 bits.
        if operands == ", ".join(LETTER[max(size_of(t), 16)] + n for t, n in ((dt, "0"), (st, "1"))):
            groups[st].setdefault(dt, {})[opcode] = words
    for st, by_result in groups.items():
        source = max(size_of(st), 16)
        load = st if size_of(st) == 8 else "b%d" % size_of(st)
        rows = [(a,) for a, _ in element_rows(st)][:16]
        for dt, forms in by_result.items():
            name, n = "cvt_%s_%s" % (dt, st), size_of(dt)
            register = LETTER[max(n, 16)] + "0"
            want, body = [], ""
            for i, (opcode, words) in enumerate(forms.items()):
                body += "\t%s %s, %%a;\n\tst.global.b%d [%%to+%d], %s;\n" % (
                    opcode, register, n, 2 * n * i, register)
                want += [converted(words, dt, st, x) for (x,) in rows]
            f.raw("\n//@ launch %s block=16\n//@ in %s\n" % (
                name, f.list("b%d" % size_of(st), [x for (x,) in rows])))
            f.raw(f.operand("out", dt.replace("bf16", "b16"), [
                bf16_nan(x) if dt == "bf16" else x for x in want]))
            f.raw(""".visible .entry %s(.param .u64 from, .param .u64 to)
{
	.reg .b16 %%h0;
	.reg .b32 %%r0, %%i;
	.reg .b64 %%d0, %%from, %%to;
	.reg .b%d %%a;
	mov.u32 %%i, %%tid.x;
	ld.param.u64 %%from, [from];
	mad.wide.u32 %%from, %%i, %d, %%from;
	ld.global.%s %%a, [%%from];
	ld.param.u64 %%to, [to];
	mad.wide.u32 %%to, %%i, %d, %%to;
%s	ret;
}
""" % (name, source, size_of(st) // 8, load, n // 8, body))
    return f


def files():
    return [setp(), set_(), atoms("atom"), atoms("red"), cvt()]
