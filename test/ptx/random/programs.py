#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""programs.py DIR FIRST COUNT: writes random programs into DIR, SEED.ptx for each seed.

What a program leaves is not known: it is compared with what it leaves when it is executed in another
way (run). The first line has how that is, for GPURUN_CPU: what both ways have, then what one has more.
All that a program does is defined, or the same in both ways: memory is shared by threads in ways that
the order of warps decides, which is the same.

Instructions without memory are drawn from forms/table.txt; memory, warps and control flow are here and in
idioms.py.
"""

import os
import random
import re
import sys

from idioms import IN_WORDS, Idioms

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "forms", "table.txt")
SECTIONS = ("arithmetic", "logic", "comparisons", "conversions", "video")
# Video instructions are many forms and seldom met; what is drawn twice is what compilers write most.
OFTEN = ("add sub mul mad fma and or xor shl shr setp selp cvt min max lop3 prmt shf bfe bfi mov div rem "
         "not neg abs").split()
# An address of shared memory is the host's, and of what space an address is follows from it.
LEFT_OUT = ("cvta", "isspacep", "istypep", "mapa", "getctarank")
MODES = ("always", "exits", "auto:0")
COUNTS = {"r": 14, "d": 8, "h": 6, "p": 6}
ROWS = 16  # of 16 bytes, that each thread has in its memory
ALL_ROWS = ROWS + 9  # with those for its registers
LOCAL = 64
BLOCKS = [(32, 1, 1), (64, 1, 1), (128, 1, 1), (96, 1, 1), (1, 1, 1), (33, 1, 1), (48, 1, 1), (16, 16, 1),
          (8, 8, 1), (16, 4, 1), (4, 4, 4), (32, 4, 1), (7, 5, 1), (256, 1, 1), (31, 1, 1), (65, 1, 1), (8, 2, 2),
          (1, 64, 1), (32, 2, 2), (20, 3, 1), (2, 1, 1), (24, 4, 1)]
NUMBERS = (0, 1, 2, 3, 6, 17, 63, 0x7ffffff1, 0xfffffff0, 0xffffffff)  # the parameter
FAULTS = ("ld.global.b32 %%r0, [%%in+0x40000000]", "ld.global.b32 %%r0, [%%in+2]", "ld.global.b64 %%d0, [%%in+4096]",
          "st.global.v4.b32 [%%in+-0x7fffffe0], {%%r0, %%r1, %%r2, %%r3}", "ld.shared.b32 %%r0, [%%tile+0x1000000]",
          "st.shared.b64 [%%tile+4], %%d0", "atom.global.add.u32 %%r0, [%%in+0x40000000], %%r1",
          "ld.local.b32 %%r1, [%%stack+0x10000000]", "ld.global.v2.b64 {%%d0, %%d1}, [%%mine+8]", "trap")
SPECIAL = ("%tid.x %tid.y %tid.z %ntid.x %ntid.y %ctaid.x %nctaid.x %laneid %warpid %nwarpid %lanemask_lt "
           "%lanemask_eq %lanemask_ge").split()
ACCESSES = [("u8", "r"), ("s8", "r"), ("u16", "h"), ("s16", "r"), ("b32", "r"), ("b32", "r"), ("b32", "r"),
            ("b64", "d"), ("v2.b32", "r"), ("v4.b32", "r"), ("v2.b64", "d"), ("v2.u16", "h")]


def read_forms():
    """The accepted lines of the table, by base, whose operands are registers, numbers and "_"."""
    forms, section = {}, None
    with open(TABLE, encoding="utf-8") as table:
        for line in table:
            if line.startswith("# "):
                section = line[2:].partition(":")[0]
            base = re.match(r"\+ ([a-z0-9_]+)", line)
            operands = re.sub(r"%[hrdp]\d+|0x1e", "", line.partition("%")[1] + line.partition("%")[2])
            if not base or section not in SECTIONS or base[1] in LEFT_OUT or re.search(r"[%{\[@]", operands):
                continue
            forms.setdefault(base[1], []).append(line[2:].strip())
    return forms


FORMS = read_forms()
BASES = sorted(base for base in FORMS if not base.startswith("v"))
VIDEO = sorted(base for base in FORMS if base.startswith("v"))


class Program(Idioms):
    def __init__(self, seed):
        self.r = random.Random("gpurun program %d" % seed)
        # What is launched, one after the other: blocks and how many of them.
        self.shapes = [(self.r.choice(BLOCKS), self.r.randrange(1, 4)) for _ in range(self.r.choice((1, 1, 2, 3)))]
        blocks = [x * y * z for (x, y, z), _ in self.shapes]
        self.whole = all(count % 32 == 0 for count in blocks)  # warps are
        self.in_block = max(blocks)  # at most
        self.threads = max(count * grid for count, (_, grid) in zip(blocks, self.shapes))
        self.lines, self.late = [], []
        self.indexes = []  # of the loops around
        self.labels = self.counters = self.arrays = self.own_registers = 0
        self.faults = False
        self.repeated = 0  # barriers may be executed again
        self.ended = False  # some threads may have exited
        self.together = True  # no branch but those around all threads
        self.has_function = self.r.randrange(3) == 0
        self.in_function = False

    # ---- Operands ---------------------------------------------------------------

    def reg(self, letter):
        return "%%%s%d" % (letter, self.r.randrange(COUNTS[letter]))

    def label(self):
        self.labels += 1
        return "$L%d" % self.labels

    def emit(self, text, *values):
        self.lines.append("\t" + text % values + ";")

    # ---- Instructions without memory -----------------------------------------------

    def form(self):
        kind = self.r.randrange(40)
        base = self.r.choice(VIDEO if kind == 0 else OFTEN if kind < 20 else BASES)
        form = self.r.choice(FORMS.get(base) or FORMS["add"])
        form = re.sub(r"<([^<>]*)>", lambda choices: self.r.choice(choices[1].split(";")), form)
        opcode, _, operands = form.partition(" ")
        operands = re.sub(r"%([hrdp])\d+", lambda register: self.reg(register[1]), operands.strip())
        operands = re.sub(r"(?<=, )\d+\b", lambda _: str(self.r.choice((0, 1, 2, 3, 7, 15, 31))), operands)
        operands = re.sub(r"(%p\d+)\|\1(?=,)", "\\1|_", operands)  # what two results in one register are is undefined
        return opcode, operands.replace("0x1e", hex(self.r.randrange(256)))

    def compute(self):
        opcode, operands = self.form()
        guard = self.r.choice(("@%s ", "@!%s ")) % self.reg("p") if not self.r.randrange(6) else ""
        self.emit("%s%s %s", guard, opcode, operands)
        if ".f64" in opcode and operands.startswith("%d"):
            self.calm(operands.partition(",")[0])

    def calm(self, to):
        """Of two NaNs in f64 the host's instruction returns one or the other."""
        self.emit("testp.notanumber.f64 %%q, %s", to)
        self.emit("@%%q mov.b64 %s, 0x7ff8000000000000", to)

    def special(self):
        self.emit("mov.u32 %s, %s", self.reg("r"), self.r.choice(SPECIAL))

    # ---- Memory -----------------------------------------------------------------------

    def values(self, type_, letter):
        count = int(type_[1]) if type_[0] == "v" else 1
        registers = self.r.sample(range(COUNTS[letter]), count)
        text = ", ".join("%%%s%d" % (letter, register) for register in registers)
        return "{%s}" % text if count > 1 else text

    def access(self):
        """A type, its registers, and the bytes of the access."""
        type_, letter = self.r.choice(ACCESSES)
        count = int(type_[1]) if type_[0] == "v" else 1
        return type_, self.values(type_, letter), count * int(type_[-2:].strip("us")) // 8

    def index(self, limit, size):
        """Into %x: a multiple of @size below @limit, both powers of 2."""
        self.emit("and.b32 %%s, %s, %d", self.reg("r"), limit - size)
        self.emit("cvt.u64.u32 %%x, %%s")

    def guard(self):
        return "@%s%s " % (self.r.choice(("", "!")), self.reg("p")) if self.r.randrange(4) == 0 else ""

    def load(self):
        type_, values, size = self.access()
        kind = self.r.randrange(4)
        if kind == 0:
            self.emit("%sld.global.%s %s, [%%in+%d]", self.guard(), type_, values, self.r.randrange(IN_WORDS * 4 // size) * size)
            return
        if kind == 1:
            self.index(IN_WORDS * 4, size)
        else:
            shift = self.r.choice((size, size, 4 * size if size < 16 else size))
            self.emit("mul.wide.u32 %%x, %%id, %d", shift)
            self.emit("and.b64 %%x, %%x, %d", IN_WORDS * 4 - 16)
        self.emit("add.s64 %%x, %%x, %%in")
        self.emit("%sld.global%s.%s %s, [%%x]", self.guard(), self.r.choice(("", "", ".nc")), type_, values)

    def own(self):
        """A row of this thread's own memory: next to those of its neighbours."""
        return "%%mine+%d" % (self.r.randrange(ROWS) * self.threads * 16)

    def store(self):
        type_, values, _ = self.access()
        self.emit("%sst.global.%s [%s], %s", self.guard(), type_, self.own(), values)

    def load_own(self):
        type_, values, _ = self.access()
        self.emit("%sld.global.%s %s, [%s]", self.guard(), type_, values, self.own())

    def local(self):
        type_, values, size = self.access()
        self.index(LOCAL, size)
        self.emit("add.s64 %%x, %%x, %%stack")
        if self.r.randrange(2):
            self.emit("%sst.local.%s [%%x], %s", self.guard(), type_, values)
        else:
            self.emit("%sld.local.%s %s, [%%x]", self.guard(), type_, values)

    def atomic(self):
        space, base = self.r.choice((("global", "sums"), ("shared", "cells")))
        operation = self.r.choice(("add.u32", "max.s32", "min.u32", "xor.b32", "exch.b32", "inc.u32", "cas.b32"))
        more = ", " + self.reg("r") if operation == "cas.b32" else ""
        self.index(32, 4)
        self.emit("add.s64 %%x, %%x, %%%s", base)
        self.emit("atom.%s.%s %s, [%%x], %s%s", space, operation, self.reg("r"), self.reg("r"), more)

    def exchange(self):
        """Between the threads of a block, by shared memory."""
        type_, values, _ = self.access()
        self.emit("st.shared.%s [%%tile], %s", type_, values)
        self.emit("bar.sync 0")
        self.emit("xor.b32 %%s, %%flat, %d", self.r.choice((0, 1, 2, 8, 31)))
        self.emit("rem.u32 %%s, %%s, %%count")
        self.emit("mov.u32 %%t, tile")
        self.emit("mad.lo.u32 %%s, %%s, 16, %%t")
        type_, values, _ = self.access()
        self.emit("ld.shared.%s %s, [%%s]", type_, values)
        self.emit("bar.sync 0")

    def of_warp(self):
        if not self.whole or self.ended:
            self.among("%all")
            return
        kind = self.r.randrange(5)
        if kind == 0:
            self.emit("shfl.sync.%s.b32 %s, %s, %s, %s, -1", self.r.choice(("bfly", "up", "down", "idx")),
                      self.reg("r"), self.reg("r"), self.r.choice((self.reg("r"), "1", "16")),
                      self.r.choice((self.reg("r"), "31", "0x1800")))
        elif kind == 1:
            self.emit("vote.sync.ballot.b32 %s, %s, -1", self.reg("r"), self.reg("p"))
        elif kind == 2:
            self.emit("vote.sync.%s.pred %s, %s, -1", self.r.choice(("any", "all", "uni")), self.reg("p"),
                      self.reg("p"))
        elif kind == 3:
            self.emit("redux.sync.%s %s, %s, -1", self.r.choice(("add.u32", "max.s32", "or.b32")),
                      self.reg("r"), self.reg("r"))
        else:
            self.emit("match.any.sync.b32 %s, %s, -1", self.reg("r"), self.reg("r"))

    # ---- Control flow ---------------------------------------------------------------

    def condition(self):
        """Into %q; uniform, by thread or anything."""
        kind = self.r.randrange(4)
        if kind == 0:
            return self.reg("p")
        source = ("%ctaid.x", "%id", self.reg("r"))[kind - 1]
        self.emit("mov.u32 %%s, %s", source)
        self.emit("and.b32 %%s, %%s, %d", self.r.choice((1, 3, 16, 31, 32, 0)))
        self.emit("setp.%s.u32 %%q, %%s, %d", self.r.choice(("eq", "ne", "lt", "gt")), self.r.choice((0, 1, 2, 16)))
        return "%q"

    def inside(self, depth):
        together, self.together = self.together, False
        self.statements(depth - 1)
        self.together = together

    def branch(self, depth):
        skip, join = self.label(), self.label()
        late = self.r.randrange(4) == 0
        self.emit("@%s%s bra %s", self.r.choice(("", "!")), self.condition(), skip)
        self.inside(depth)
        if late:  # the other side is out of line, at the end
            self.lines.append(join + ":")
            lines, self.lines = self.lines, [skip + ":"]
            self.inside(depth)
            self.emit("bra %s", join)
            self.late += self.lines
            self.lines = lines
            return
        if self.r.randrange(2):
            self.emit("bra %s", join)
            self.lines.append(skip + ":")
            self.inside(depth)
            self.lines.append(join + ":")
        else:
            self.lines.append(skip + ":")

    def loop(self, depth):
        top, done = self.label(), self.label()
        counter = self.counters
        self.counters += 1
        bound = self.r.choice(("3", "5", "%id", self.reg("r"), "%ctaid.x", "%laneid"))
        self.emit("mov.u32 %%n%d, %s", counter, bound)
        self.emit("and.b32 %%n%d, %%n%d, 7", counter, counter)
        self.emit("mov.u32 %%c%d, 0", counter)
        self.emit("add.s64 %%at%d, %%%s, 0", counter, self.r.choice(("in", "near")))
        self.emit("add.u32 %%k%d, %s, %d", counter, self.r.choice(("%flat", "%id", "%n", "%laneid")),
                  self.r.choice((0, 0, -64, -5, 0x7fffffc0)))
        self.lines.append(top + ":")
        self.indexes.append("%%k%d" % counter)
        before = self.r.randrange(2)
        if before:
            self.emit("setp.ge.u32 %%q, %%c%d, %%n%d", counter, counter)
            self.emit("@%%q bra %s", done)
        self.inside(depth)
        self.indexes.pop()
        if self.r.randrange(3) == 0:
            self.emit("@%s bra %s", self.condition(), done)
        if not self.in_function:
            self.emit("ld.global.b32 %s, [%%at%d]", self.reg("r"), counter)
        self.emit("add.u32 %%k%d, %%k%d, %s", counter, counter, self.r.choice(("32", "%count", "1", "17", "%r2")))
        self.emit("add.s64 %%at%d, %%at%d, %d", counter, counter, self.r.choice((4, 16, 64)))
        self.emit("add.u32 %%c%d, %%c%d, 1", counter, counter)
        if before:
            self.emit("bra %s", top)
        else:
            self.emit("setp.lt.u32 %%q, %%c%d, %%n%d", counter, counter)
            self.emit("@%%q bra %s", top)
        self.lines.append(done + ":")

    def call(self):
        self.lines += ["\t{", "\t.param .b32 x;", "\t.param .b32 y;"]
        self.emit("st.param.b32 [x], %s", self.reg("r"))
        self.emit("call (y), helper, (x)")
        self.emit("ld.param.b32 %s, [y]", self.reg("r"))
        self.lines.append("\t}")

    def leave(self):
        self.emit("@%s exit", self.condition())
        self.ended = True

    def choices(self, depth):
        yield from ((24, self.compute), (1, self.carries), (2, self.floats))
        if depth:
            yield 3, lambda: self.branch(depth)
            yield 2, lambda: self.loop(depth)
            yield 0.5, lambda: self.switch(depth)
        if self.in_function:
            return
        yield from ((4, self.load), (3, self.store), (2, self.load_own), (1, self.local), (1, self.atomic),
                    (1, self.special), (2, self.wrapping), (2, self.elements), (1, self.constant), (1, self.atomics), (1, self.alike), (0.5, self.far),
                    (0.3, self.of_present))
        yield (1.5 if depth else 0), self.leaving
        yield (1 if self.has_function else 0), self.call
        yield (0 if self.together or self.repeated else 0.2), self.leave
        yield (0.1 if self.threads <= 128 else 0), self.lock
        yield (0 if self.faults else 0.05), self.fault
        if self.together and not self.ended:
            yield from ((2, self.exchange), (2, self.of_warp), (1, self.of_some), (0.5, self.block_votes),
                        (1, self.rotate), (0.3, self.sums))
            if depth:
                yield 1.5, lambda: self.rounds(depth)
                yield 1, lambda: self.all_or_none(depth)

    def statements(self, depth, count=None):
        for _ in range(self.r.randrange(*(count or ((4, 20) if self.together else (2, 8))))):
            weights, actions = zip(*self.choices(depth))
            self.r.choices(actions, weights)[0]()

    # ---- The file -----------------------------------------------------------------------

    def registers(self):
        return ("\t.reg .pred %%q, %%p<%(p)d>;\n\t.reg .b16 %%h<%(h)d>;\n\t.reg .b32 %%s, %%t, %%u, %%m, %%all, %%id, %%flat, %%n, %%count, %%block, %%tile, %%r<%(r)d>;\n"
                "\t.reg .b64 %%x, %%y, %%in, %%near, %%mine, %%sums, %%cells, %%stack, %%d<%(d)d>;\n" % COUNTS +
                "\t.reg .b32 %%c<%d>, %%n<%d>, %%k<%d>;\n\t.reg .b64 %%at<%d>;\n" % (4 * (self.counters + 1,)))

    def begin(self):
        """The first values of the registers: uniform, by thread and from memory."""
        for i in range(COUNTS["r"]):
            self.emit(*(("mul.lo.u32 %%r%d, %%id, %d", i, i + 1), ("mov.u32 %%r%d, %d", i, 77 * i),
                        ("ld.global.b32 %%r%d, [%%x+%d]", i, 4 * i))[i % 3])
        for i in range(COUNTS["d"]):
            self.emit(*(("mul.wide.u32 %%d%d, %%id, %d", i, 0x10001 * i), ("ld.global.b64 %%d%d, [%%x+%d]", i, 8 * i))[i % 2])
        for i in range(COUNTS["h"]):
            self.emit("cvt.u16.u32 %%h%d, %%r%d", i, i)
        for i in range(COUNTS["p"]):
            self.emit("and.b32 %%s, %%%s, %d", "id" if i & 1 else "r2", 1 << i)
            self.emit("setp.ne.u32 %%p%d, %%s, 0", i)

    def function(self):
        self.in_function = True
        self.lines = []
        self.emit("ld.param.b32 %%id, [x]")
        for register, value in (("%flat", "%id"), ("%n", "3"), ("%count", "%ntid.x"), ("%block", "%ctaid.x")):
            self.emit("mov.u32 %s, %s", register, value)
        for register in ("%in", "%near"):
            self.emit("mov.u64 %s, 0", register)
        self.emit("add.cc.u32 %%s, %%id, 0")
        for letter in "rdhp":
            for i in range(COUNTS[letter]):
                self.emit(*{"r": ("add.u32 %%r%d, %%id, %d", i, i), "d": ("cvt.u64.u32 %%d%d, %%r%d", i, i),
                            "h": ("cvt.u16.u32 %%h%d, %%r%d", i, i),
                            "p": ("setp.gt.u32 %%p%d, %%r%d, 9", i, i)}[letter])
        self.together = False
        self.statements(self.r.choice((0, 0, 1)))
        self.emit("st.param.b32 [y], %%r0")
        self.emit("ret")
        return ".func (.param .b32 y) helper(.param .b32 x)\n{\n%s%s\n}\n\n" % (
            self.registers(), "\n".join(self.lines + self.late))

    def end(self):
        """All that the registers hold."""
        for letter, size, row in (("r", 4, ROWS), ("d", 8, ROWS + 4), ("h", 2, ROWS + 8)):
            for i in range(COUNTS[letter]):
                at = (row + i * size // 16) * self.threads * 16 + i * size % 16
                self.emit("st.global.b%d [%%mine+%d], %%%s%d", 8 * size, at, letter, i)
        for i in range(COUNTS["p"]):
            self.emit("@%%p%d red.global.add.u32 [%%sums+%d], 1", i, 4 * i)
        self.lines.append("$end:")
        self.emit("ret")

    def tail(self):
        """The last threads of a grid have nothing to do."""
        self.emit("setp.lt.u32 %%q, %%id, %d", self.r.randrange(self.threads) + 1)
        self.emit("vote.sync.ballot.b32 %%all, %%q, %%all")
        self.emit(self.r.choice(("@!%%q bra $end", "@!%%q ret", "@!%%q exit")))
        self.whole = False

    def fault(self):
        """Some thread does what it may not."""
        self.faults = True
        self.emit("setp.eq.u32 %%q, %%id, %d", self.r.randrange(self.threads))
        self.emit("@%%q " + self.r.choice(FAULTS))

    def prologue(self):
        for name in ("in", "mine", "sums"):
            self.emit("ld.param.u64 %%%s, [p_%s]", name, name)
        self.emit("ld.param.u32 %%n, [p_n]")
        # The shape of a block is a number, or the launch says what it is.
        x, y, z = map(str, self.shapes[0][0]) if len(self.shapes) == 1 and self.r.randrange(2) else (
            "%ntid.x", "%ntid.y", "%ntid.z")
        for line in ("mov.u32 %s, %tid.z", "mov.u32 %u, " + y, "mov.u32 %m, %tid.y",
                     "mad.lo.u32 %s, %s, %u, %m", "mov.u32 %t, " + x, "mov.u32 %m, %tid.x",
                     "mad.lo.u32 %flat, %s, %t, %m", "mul.lo.u32 %count, %t, %u", "mov.u32 %u, " + z,
                     "mul.lo.u32 %count, %count, %u", "mov.u32 %block, %ctaid.x",
                     "mad.lo.u32 %id, %block, %count, %flat", "mul.wide.u32 %x, %id, 16",
                     "add.s64 %mine, %mine, %x", "and.b64 %x, %x, 2047", "add.s64 %near, %x, %in",
                     "mov.u64 %cells, cells", "mov.u64 %stack, stack", "mov.u32 %t, tile",
                     "mad.lo.u32 %tile, %flat, 16, %t", "mov.b64 %x, %near", "activemask.b32 %all",
                     "add.cc.u32 %s, %n, 1"):
            self.emit("%s", line)

    def launches(self):
        words = " ".join(hex(self.r.choice((0, 1, 0x7fc00000, 0x3f800000, self.r.getrandbits(32), self.r.getrandbits(8))))
                         for _ in range(IN_WORDS))
        yield "//@ list words b32 %s\n" % words
        for block, grid in self.shapes:
            yield "//@ launch k grid=%d block=%d,%d,%d\n//@ in words\n//@ out b32 _*%d\n" % (
                grid, *block, ALL_ROWS * 4 * self.threads)
            yield "//@ inout u32 0*32\n//@ expect u32 _*32\n//@ arg u32 %d\n" % self.r.choice(NUMBERS)
            if self.faults:
                yield "//@ fault 700 716 719 0\n"

    def text(self, options):
        helper = ""
        if self.has_function:
            helper = self.function()
            self.in_function, self.together, self.lines, self.late = False, True, [], []
        self.prologue()
        self.begin()
        if self.r.randrange(5) == 0:
            self.tail()
        self.statements(3)
        if not self.ended and self.r.randrange(12) == 0:
            self.fault()
        self.end()
        numbers = ", ".join(str(self.r.getrandbits(8)) for _ in range(256))
        return ("// %s\n.version 8.3\n.target sm_90\n.address_size 64\n\n.const .align 16 .b8 numbers[256] = {%s};\n\n"
                "%s%s.visible .entry k(.param .u64 p_in, .param .u64 p_mine, .param .u64 p_sums, .param .u32 p_n)\n{\n%s"
                "\t.shared .align 16 .b8 tile[%d];\n\t.shared .align 8 .b8 cells[32];\n"
                "\t.local .align 16 .b8 stack[%d];\n%s\n}\n" % (
                    options, numbers, helper, "".join(self.launches()), self.registers(), 16 * self.in_block, LOCAL,
                    "\n".join(self.lines + self.late)))


def mode(r):
    chosen = r.choice(MODES)
    return chosen if chosen != "exits" else "exits:%d" % r.randrange(1, 1 << 20)


def options(seed):
    """What both ways have, and what one of them has more."""
    r = random.Random("gpurun options %d" % seed)
    both = ["threads=1"]
    if r.randrange(2):
        both += ["sched=rand", "sched-seed=%d" % r.randrange(1000)]
    if r.randrange(8) == 0:
        both.append("scalar=0")
    return "%s %s" % (",".join(both), ",".join(["jit=" + mode(r), "isa=" + r.choice(("best", "v3"))]))


def main():
    folder, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + count):
        with open(os.path.join(folder, "%d.ptx" % seed), "w", encoding="utf-8") as file:
            file.write(Program(seed).text(options(seed)))


if __name__ == "__main__":
    main()
