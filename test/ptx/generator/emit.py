# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes .ptx files: kernels and the cases that their comments carry.

A lane kernel computes one instruction three ways from the same inputs, and the
results have to agree with one list of expected values:
  d  by all lanes at once
  e  under a predicate and then under its complement; what the other lanes'
     registers held has to survive
  f  by a loop whose operands are the same in every lane
"""

import struct

LICENSE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
ANY = "_"
NAN = "nan"
WIDTH = 92


def bits_of(t):
    return int(t[1:]) if t[1:].isdigit() else 1


def reg_type(t):
    """The register that holds a value of type t: never under 16 bits."""
    return t if t[0] == "f" and t != "f16" else "b%d" % max(bits_of(t), 16)


def mem_type(t):
    """The type that loads and stores a value of type t unchanged."""
    return t if bits_of(t) == 8 else "b%d" % bits_of(t)


def literal(t, value):
    """A value of type t as PTX spells an immediate."""
    if t == "f32":
        return "0f%08X" % value
    if t == "f64":
        return "0d%016X" % value
    if t[0] == "s":
        return str(signed(value, bits_of(t)))
    return "0x%x" % value


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def number(t, value):
    """A value of type t (its bits, or ANY, NAN, or a pair of two answers) as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return number(t, value[0]) + "|" + number(t, value[1])
    value &= (1 << bits_of(t)) - 1
    if t in ("f32", "f64"):
        code = "f" if t == "f32" else "d"
        real = struct.unpack("<" + code, value.to_bytes(bits_of(t) // 8, "little"))[0]
        short = "%.6g" % real
        if real == real and abs(real) != float("inf"):
            try:
                if struct.pack("<" + code, float(short)) == struct.pack("<" + code, real):
                    return short
            except OverflowError:
                pass
        return "0x%x" % value
    if t == "f16":
        return "0x%x" % value
    if t[0] == "s" and abs(signed(value, bits_of(t))) < 1 << 20:
        return str(signed(value, bits_of(t)))
    return str(value) if value < 10 else "0x%x" % value


def wrap(head, words):
    """The words after head, continued on //@ + lines."""
    lines, line = [], head
    for word in words:
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "//@ +"
        line += " " + word
    return "\n".join(lines + [line]) + "\n"


def squeeze(words):
    """Joins repeats: 0 0 0 -> 0*3."""
    out = []
    for word in words:
        if out and out[-1][0] == word:
            out[-1][1] += 1
        else:
            out.append([word, 1])
    return [w if n == 1 else "%s*%d" % (w, n) if n > 2 else w + " " + w for w, n in out]


class File:
    def __init__(self, name, title, version="8.0", target="sm_90"):
        self.name = name
        self.lists = {}
        self.head = LICENSE + "".join("// %s\n" % l for l in title.strip().split("\n"))
        self.head += "// Made by generate.py.\n"
        self.head += ".version %s\n.target %s\n.address_size 64\n" % (version, target)
        self.named = ""
        self.body = ""
        self.count = 0

    def raw(self, text):
        self.body += text

    def values(self, t, values, mode=""):
        words = squeeze([number(t, v) for v in values])
        return wrap("", words)[1:] if not mode else None

    def list(self, t, values):
        """The name of a list with these values, made once per file."""
        key = (t, tuple(values))
        if key not in self.lists:
            name = "%s_%d" % (t, len(self.lists))
            self.lists[key] = name
            self.named += wrap("//@ list %s %s" % (name, t),
                               squeeze([number(t, v) for v in values]))
        return self.lists[key]

    def operand(self, verb, t, values, mode=""):
        head = "//@ %s %s%s" % (verb, t, " " + mode if mode else "")
        return wrap(head, squeeze([number(t, v) for v in values]))

    def text(self):
        return self.head + "\n" + self.named + self.body

    # ---- Lane kernels ---------------------------------------------------------

    def lanes(self, name, ins, out, op, rows, expected, mode="", extra="", prelude="",
              predicated=True):
        """A lane kernel for op over rows of inputs.

        ins: types; out: type; op: PTX with {d} {a} {b} {c}; @ stands where the
        predicate goes; extra: declarations; expected: values, or a function of
        a row. mode: the tolerance. prelude: lines in front; %i is the lane.
        """
        if callable(expected):
            expected = [expected(*row) for row in rows]
        n = len(rows)
        names = "abcg"[:len(ins)]
        text = "\n// %s\n" % one_line(op, names)
        text += "//@ launch %s block=%d\n" % (name, n)
        for i, t in enumerate(ins):
            text += "//@ in %s\n" % self.list(t, [row[i] for row in rows])
        text += self.operand("out", out, expected, mode)
        text += "//@ out same\n//@ out same\n//@ arg u32 %d\n" % n
        text += lane_kernel(name, ins, out, op, extra, prelude, predicated)
        self.body += text
        self.count += 1

    def immediates(self, name, ins, out, op, rows, expected, which, mode="", extra=""):
        """One thread: op with operand number `which` as an immediate, row by row."""
        if callable(expected):
            expected = [expected(*row) for row in rows]
        names = "abcg"[:len(ins)]
        text = "\n//@ launch %s\n" % name
        for i, t in enumerate(ins):
            text += self.operand("in", t, [row[i] for row in rows])
        text += self.operand("out", out, expected, mode)
        params = ["p" + c for c in names] + ["pd"]
        text += entry(name, params)
        text += regs_for(ins, out, names, extra)
        for i, p in enumerate(params):
            text += "\tld.param.u64 %%%s, [%s];\n" % (p, p)
        for k, row in enumerate(rows):
            regs = {"d": "%d"}
            for i, c in enumerate(names):
                regs[c] = literal(ins[i], row[i]) if i == which else "%" + c
                if i != which:
                    text += "\tld.global.%s %%%s, [%%p%s+%d];\n" % (
                        mem_type(ins[i]), c, c, k * bits_of(ins[i]) // 8)
            text += "".join("\t%s\n" % l for l in instructions(op, regs, ""))
            text += "\tst.global.%s [%%pd+%d], %%d;\n" % (mem_type(out),
                                                         k * bits_of(out) // 8)
        self.body += text + "\tret;\n}\n"
        self.count += 1

    def binary(self, name, ins, out, op, rows, expected, mode="", extra="", imm=True):
        """lanes() and immediates() for the last operand."""
        self.lanes(name, ins, out, op, rows, expected, mode, extra)
        if imm:
            few = rows[::max(1, len(rows) // 10)]
            want = expected if callable(expected) else expected[::max(1, len(rows) // 10)]
            self.immediates(name + "_imm", ins, out, op, few, want, len(ins) - 1, mode,
                            extra)


def one_line(op, names):
    return " ".join(instructions(op, dict({"d": "d"}, **{c: c for c in names}), ""))


def instructions(op, regs, predicate):
    """The lines of op; @ marks where a predicate goes (default: in front of each)."""
    lines = [l.strip() for l in op.strip().split("\n")]
    return [((predicate + " ") if predicate else "") + l.format(**regs) for l in lines]


def entry(name, params):
    lines = ".visible .entry %s(" % name
    words = [".param .u64 %s" % p if p[-1] != "n" else ".param .u32 %s" % p for p in params]
    return lines + ", ".join(words) + ")\n{\n"


def regs_for(ins, out, names, extra):
    text = ""
    for i, t in enumerate(ins):
        text += "\t.reg .%s %%%s;\n" % (reg_type(t), names[i])
    text += "\t.reg .%s %%d;\n" % reg_type(out)
    text += "\t.reg .b64 %%pd, %s;\n" % ", ".join("%p" + c for c in names)
    if extra:
        text += "\t" + extra.strip() + "\n"
    return text


def lane_kernel(name, ins, out, op, extra, prelude="", predicated=True):
    names = "abcg"[:len(ins)]
    params = ["p" + c for c in names] + ["pd", "pe", "pf", "pn"]
    size = bits_of(out) // 8
    wide = "b%d" % max(bits_of(out), 16)
    poison = "0x5a5a5a5a5a5a5a5a"[:2 + max(bits_of(out), 16) // 4]
    regs = dict({c: "%" + c for c in names}, d="%d")

    def at(index, pointer, t):
        return "\tmad.wide.u32 %%t, %s, %d, %s;\n" % (index, bits_of(t) // 8, pointer)

    def loads(index):
        return "".join(at(index, "%p" + c, t) +
                       "\tld.global.%s %%%s, [%%t];\n" % (mem_type(t), c)
                       for c, t in zip(names, ins))

    def run(predicate, dest):
        return "".join("\t%s\n" % l
                       for l in instructions(op, dict(regs, d=dest), predicate))

    def store(index, pointer, value):
        return at(index, pointer, out) + "\tst.global.%s [%%t], %s;\n" % (mem_type(out),
                                                                        value)
    text = entry(name, params) + regs_for(ins, out, names, extra)
    text += "\t.reg .%s %%x, %%y;\n\t.reg .pred %%odd, %%more;\n" % wide
    text += "\t.reg .b32 %i, %k, %n;\n\t.reg .b64 %t, %pe, %pf;\n"
    for p in params[:-1]:
        text += "\tld.param.u64 %%%s, [%s];\n" % (p, p)
    text += "\tld.param.u32 %n, [pn];\n\tmov.u32 %i, %tid.x;\n"
    text += "".join("\t%s\n" % l.strip() for l in prelude.strip().split("\n") if l)
    text += loads("%i") + run("", "%d") + store("%i", "%pd", "%d")
    text += "\tand.b32 %k, %i, 1;\n\tsetp.ne.u32 %odd, %k, 0;\n"
    text += "\tmov.%s %%x, %s;\n\tmov.%s %%y, %%x;\n" % (wide, poison, wide)
    if predicated:
        text += run("@%odd", "%x") + run("@!%odd", "%y")
    else:
        text += run("", "%x")
    text += "\txor.%s %%x, %%x, %%y;\n\txor.%s %%x, %%x, %s;\n" % (wide, wide, poison)
    text += store("%i", "%pe", "%x")
    text += "\tmov.u32 %k, 0;\n$next:\n"
    text += loads("%k") + run("", "%d") + store("%k", "%pf", "%d")
    text += "\tadd.u32 %k, %k, 1;\n\tsetp.lt.u32 %more, %k, %n;\n\t@%more bra $next;\n"
    return text + "\tret;\n}\n"
