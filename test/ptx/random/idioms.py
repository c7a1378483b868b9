# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compilers make many instructions of, each drawn as a whole: statements of programs.py."""

IN_WORDS = 1024

# How an index becomes wide, and by what it is multiplied.
WIDENING = (("cvt.u64.u32 %%x, %%s", 1), ("cvt.s64.s32 %%x, %%s", 1), ("mul.wide.u32 %%x, %%s, 4", 4),
            ("mul.wide.s32 %%x, %%s, 4", 4), ("mul.wide.u32 %%x, %%s, 12", 12), ("mul.wide.s32 %%x, %%s, 16", 16),
            ("mad.wide.u32 %%x, %%s, 8, %%d0", 8), ("mad.wide.s32 %%x, %%s, 4, %%d1", 4))

# A type of floating point: what its registers are, how an integer becomes one, and what there is.
FLOATS = (
    ("f32", "r", "cvt.rn.f32.s32", "add.f32 sub.f32 mul.f32 fma.rn.f32 min.f32 max.f32 div.rn.f32 sqrt.rn.f32 abs.f32 "
     "neg.f32 rcp.approx.f32 ex2.approx.ftz.f32 lg2.approx.f32 div.approx.f32 add.rz.f32 mul.ftz.f32 fma.rp.f32"),
    ("f64", "d", "cvt.rn.f64.s32", "add.f64 sub.f64 mul.f64 fma.rn.f64 min.f64 max.f64 div.rn.f64 sqrt.rn.f64 abs.f64 "
     "neg.f64 add.rm.f64 fma.rz.f64"),
    ("f16", "h", "cvt.rn.f16.s32", "add.f16 sub.f16 mul.f16 fma.rn.f16 min.f16 max.f16 abs.f16 neg.f16 fma.rn.relu.f16 "
     "add.sat.f16"),
    ("bf16", "h", "cvt.rn.bf16.s32", "fma.rn.bf16 min.bf16 max.bf16 abs.bf16 neg.bf16 add.bf16 mul.bf16"),
    ("f16x2", "r", None, "add.f16x2 mul.f16x2 fma.rn.f16x2 max.f16x2 neg.f16x2 sub.f16x2"),
    ("bf16x2", "r", None, "fma.rn.bf16x2 max.bf16x2 neg.bf16x2 abs.bf16x2"),
)

CARRIES = (
    "add.cc.u32 {0}, {1}, {2}; addc.cc.u32 {3}, {4}, {5}; addc.u32 {0}, {0}, 0",
    "sub.cc.u32 {0}, {1}, {2}; subc.cc.u32 {3}, {4}, {5}; subc.u32 {1}, {1}, {2}",
    "mad.lo.cc.u32 {0}, {1}, {2}, {3}; madc.hi.cc.u32 {4}, {1}, {2}, {4}; addc.u32 {5}, {5}, {0}",
    "add.cc.u64 {6}, {7}, {8}; addc.u64 {8}, {8}, {6}",
    "sub.cc.s64 {6}, {7}, {8}; subc.cc.s64 {7}, {8}, 5; subc.s64 {8}, {7}, {6}",
    "mad.lo.cc.u64 {6}, {7}, {8}, {6}; madc.hi.u64 {7}, {7}, {8}, {6}",
    "add.cc.s32 {0}, {1}, -1; @{9} addc.cc.s32 {2}, {2}, {3}; addc.s32 {4}, {4}, {4}",
)

ATOMICS = ("add.u64 d", "max.u64 d", "xor.b64 d", "exch.b64 d", "add.f32 r", "add.noftz.f16x2 r", "and.b32 r", "or.b32 r",
           "dec.u32 r", "max.u32 r", "min.s32 r", "add.s32 r")


class Idioms:
    # ---- Integers and floating point ------------------------------------------------

    def carries(self):
        names = [self.reg(letter) for letter in "rrrrrrdddp"]
        for part in self.r.choice(CARRIES).format(*names).split("; "):
            self.emit("%s", part)

    def floats(self):
        """Some arithmetic of numbers that are of a size that people use."""
        type_, letter, convert, operations = self.r.choice(FLOATS)
        registers = [self.reg(letter) for _ in range(4)]
        for register in registers[:2]:
            self.emit("and.b32 %%s, %s, %d", self.reg("r"), self.r.choice((7, 255, 65535)))
            self.emit("sub.s32 %%s, %%s, %d", self.r.choice((0, 3, 100)))
            if convert:
                self.emit("%s %s, %%s", convert, register)
                continue
            half = "%h0"
            self.emit("cvt.rn.%s.s32 %s, %%s", type_[:-2], half)
            self.emit("mov.b32 %s, {%s, %%h%d}", register, half, self.r.randrange(1, 4))
        for _ in range(self.r.randrange(1, 6)):
            operation = self.r.choice(operations.split())
            base = operation.partition(".")[0]
            count = 3 if base == "fma" else 1 if base in ("sqrt", "abs", "neg", "rcp", "ex2", "lg2") else 2
            to = self.r.choice(registers)
            self.emit("%s %s, %s", operation, to, ", ".join(self.r.choice(registers) for _ in range(count)))
            if type_ == "f64":
                self.calm(to)
        if type_ in ("f32", "f64"):
            self.emit("cvt.rzi.%s.%s %s, %s", self.r.choice(("s32", "u32")), type_, self.reg("r"), registers[0])
            self.emit("setp.%s.%s %s, %s, %s", self.r.choice(("lt", "geu", "num", "ne")), type_, self.reg("p"),
                      registers[0], registers[1])

    def wrapping(self):
        """An index that goes around at 2^32 in some lanes or in none, made wide."""
        source = self.r.choice(["%tid.x", "%tid.y", "%flat", "%id", "%laneid"] + 3 * self.indexes)
        self.emit("mov.u32 %%s, %s", source)
        if self.r.randrange(2):
            self.emit(self.r.choice(("mul.lo.u32 %%s, %%s, 3", "shl.b32 %%s, %%s, 2", "shl.b32 %%s, %%s, 27",
                                     "mul.lo.u32 %%s, %%s, 0x10000001", "neg.s32 %%s, %%s",
                                     "mul.lo.s32 %%s, %%s, -4", "xor.b32 %%s, %%s, 16")))
        far = self.r.choice((-1, -4, -16, -32, -40, 0x7ffffff0, 0x7fffffe1, 0x80000000, 1, 100, -0x7ffffffc))
        self.emit("add.s32 %%s, %%s, %d", far if far < 1 << 31 else far - (1 << 32))
        if self.r.randrange(3) == 0:
            self.emit("%s %%s, %%s, %s", self.r.choice(("add.s32", "sub.s32")), self.r.choice(("%n", "%t")))
        wide, scale = self.r.choice(WIDENING)
        self.emit(wide)
        if self.r.randrange(3) == 0:
            self.emit("add.s64 %s, %%x, %d", self.reg("d"), self.r.randrange(-9, 9))
        type_, values, size = self.access()
        if self.r.randrange(2):  # where it is not far from where it began
            self.emit("sub.s64 %%x, %%x, %d", (far if ".s32" in wide and far < 1 << 31 else far & 0xffffffff) * scale)
            self.emit("and.b64 %%x, %%x, %d", -size)
            self.emit("setp.lt.u64 %%q, %%x, %d", IN_WORDS * 4 - 16)
            guard = "@%q "
        else:
            self.emit("and.b64 %%x, %%x, %d", IN_WORDS * 4 - 16)
            guard = ""
        self.emit("add.s64 %%x, %%x, %%in")
        self.emit("%sld.global.%s %s, [%%x]", guard, type_, values)

    # ---- Memory -----------------------------------------------------------------------

    def elements(self):
        """Elements of arrays by an index, whose addresses are in registers that are written one time."""
        self.arrays += 1
        name = "%%e%dx" % self.arrays
        wide, scale = self.r.choice(("u32", "s32")), self.r.choice((1, 2, 4, 4, 8, 8, 12))
        low = self.r.choice((0, 0, -8, 100)) if wide == "s32" else 0
        self.emit(".reg .b64 %s<5>", name)
        self.emit("and.b32 %%s, %s, %d", self.reg("r"), (1 << (IN_WORDS * 2 // scale).bit_length() - 1) - 1)
        self.emit("add.s32 %%s, %%s, %d", low)
        self.emit("mul.wide.%s %s0, %%s, %d", wide, name, scale)
        for i in range(1, self.r.randrange(2, 6)):
            letter, size = self.r.choice((("r", 4), ("r", 4), ("d", 8), ("h", 2), ("h", 1)))
            if self.r.randrange(4) == 0:
                self.emit("mad.wide.%s %s%d, %%s, %d, %%in", wide, name, i, scale)
            else:
                self.emit("add.s64 %s%d, %s", name, i, self.r.choice(("%in, {0}0", "{0}0, %in")).format(name))
            if scale % size:
                size, letter = 1, "h"
            self.emit("%sld.global.b%d %s, [%s%d+%d]", self.guard(), 8 * size, "%h0" if letter == "h" else self.reg(letter),
                      name, i, max(-low, 0) * scale + self.r.randrange(4) * size)
            if letter == "h":
                self.emit("cvt.u32.u16 %s, %%h0", self.reg("r"))
            if self.r.randrange(8) == 0:
                self.emit("add.s64 %s, %s, %s0", self.reg("d"), self.reg("d"), name)

    def alike(self):
        """What all threads load alike, and lanes read: in a register of its own, which may be wider."""
        size = self.r.choice((1, 1, 2, 2, 4))
        letter = self.r.choice("rd") if size < 4 else "d"
        bits = 32 if letter == "r" else 64
        self.own_registers += 1
        own = "%%own%d" % self.own_registers
        to = self.reg(letter)
        self.lines.append("\t.reg .b%d %s;" % (bits, own))
        self.emit("ld.global.%s%d %s, [%%in+%d]", self.r.choice("ub"), 8 * size, own, self.r.randrange(64) * size)
        self.emit("%s.%s%d %s, %s, %s", *self.r.choice((("add", "u"), ("xor", "b"), ("sub", "s"))), bits, to, to, own)

    def far(self):
        """Accesses by an address that is elsewhere: what is added to it brings it back."""
        type_, values, size = self.access()
        shift = self.r.choice((1 << 63, (1 << 63) - (1 << 33), 1 << 62, 1 << 40, 1 << 31))
        self.index(IN_WORDS * 4 // 2, 16)
        self.emit("add.s64 %%x, %%x, %%in")
        self.emit("add.s64 %%x, %%x, %d", shift)
        for at in range(self.r.randrange(1, 4)):
            self.emit("%sld.global.%s %s, [%%x+%d]", self.guard(), type_, values, at * 16 - shift)

    def constant(self):
        """Of constants, and by addresses that could be of any space."""
        type_, values, size = self.access()
        kind = self.r.randrange(4)
        if kind == 0:
            self.emit("ld.const.%s %s, [numbers+%d]", type_, values, self.r.randrange(256 // size) * size)
        elif kind == 1:
            self.index(256, size)
            self.emit("mov.u64 %%y, numbers")
            self.emit("add.s64 %%x, %%x, %%y")
            self.emit("ld.const.%s %s, [%%x]", type_, values)
        elif kind == 2:
            self.emit("cvta.local.u64 %%y, %%stack")
            self.index(64, size)
            self.emit("add.s64 %%x, %%x, %%y")
            self.generic("%x", type_, values)
        else:
            self.emit("cvt.u64.u32 %%y, %%tile")
            self.emit("cvta.shared.u64 %%y, %%y")
            self.generic("%y", type_, values)

    def generic(self, address, type_, values):
        if self.r.randrange(2):
            self.emit("st.%s [%s], %s", type_, address, values)
        else:
            self.emit("ld.%s %s, [%s]", type_, values, address)

    def atomics(self):
        """More of them: without a result, of 8 bytes and floating point."""
        space, base = self.r.choice((("global", "sums"), ("shared", "cells")))
        operation, letter = self.r.choice(ATOMICS).split()
        size = 8 if letter == "d" else 4
        self.index(32, size)
        self.emit("add.s64 %%x, %%x, %%%s", base)
        guard = "@%s " % self.reg("p") if self.r.randrange(3) == 0 else ""
        if self.r.randrange(2) or operation.startswith("exch"):
            self.emit("%satom.%s.%s %s, [%%x], %s", guard, space, operation, self.reg(letter), self.reg(letter))
        else:
            self.emit("%sred.%s.%s [%%x], %s", guard, space, operation, self.reg(letter))

    # ---- Of warps and blocks ------------------------------------------------------------

    def of_some(self):
        """What the lanes with a predicate do together."""
        skip = self.label()
        condition = self.condition()
        self.emit("vote.sync.ballot.b32 %%m, %s, %%all", condition)
        self.emit("@!%s bra %s", condition, skip)
        self.among("%m")
        self.lines.append(skip + ":")

    def of_present(self):
        """Likewise those that happen to be here."""
        self.emit("activemask.b32 %%m")
        self.among("%m")

    def among(self, mask):
        for _ in range(self.r.randrange(1, 4)):
            kind = self.r.randrange(7)
            if kind < 2:  # from the lowest of them, or one below where that is one
                self.emit("brev.b32 %%t, %s", mask)
                self.emit("clz.b32 %%t, %%t")
                self.emit("shfl.sync.idx.b32 %s, %s, %%t, 31, %s", self.reg("r"), self.reg("r"), mask)
            elif kind == 2:
                self.emit("vote.sync.ballot.b32 %s, %s, %s", self.reg("r"), self.reg("p"), mask)
            elif kind == 3:
                self.emit("vote.sync.%s.pred %s, %s, %s", self.r.choice(("any", "all", "uni")), self.reg("p"),
                          self.reg("p"), mask)
            elif kind == 4:
                self.emit("redux.sync.%s %s, %s, %s", self.r.choice(("add.s32", "min.u32", "xor.b32")), self.reg("r"),
                          self.reg("r"), mask)
            elif kind == 5:
                self.emit("match.any.sync.b%s %s, %s, %s", *self.r.choice(
                    (("32", self.reg("r"), self.reg("r")), ("64", self.reg("r"), self.reg("d")))), mask)
            else:
                self.emit("elect.sync _|%s, %s", self.reg("p"), mask)

    def block_votes(self):
        kind = self.r.choice(("popc.u32", "and.pred", "or.pred"))
        self.emit("bar.red.%s %s, 0, %s", kind, self.reg("r" if kind == "popc.u32" else "p"), self.reg("p"))

    def rotate(self):
        """Between warps, by shared memory."""
        type_, values, _ = self.access()
        self.emit("st.shared.%s [%%tile], %s", type_, values)
        self.emit("bar.sync 0")
        self.emit("add.u32 %%s, %%flat, %d", self.r.choice((32, 33, 64, 1, 128)))
        self.emit("rem.u32 %%s, %%s, %%count")
        self.emit("mov.u32 %%t, tile")
        self.emit("mad.lo.u32 %%s, %%s, 16, %%t")
        type_, values, _ = self.access()
        self.emit("ld.shared.%s %s, [%%s]", type_, values)
        self.emit("bar.sync 0")

    def sums(self):
        """A sum over a block, by halves, with a barrier in the loop."""
        top, skip, done = self.label(), self.label(), self.label()
        self.emit("st.shared.b32 [%%tile], %s", self.reg("r"))
        self.emit("mov.u32 %%t, %%count")
        self.lines.append(top + ":")
        self.emit("bar.sync 0")
        self.emit("setp.lt.u32 %%q, %%t, 2")
        self.emit("@%%q bra %s", done)
        self.emit("shr.u32 %%t, %%t, 1")
        self.emit("setp.ge.u32 %%q, %%flat, %%t")
        self.emit("@%%q bra %s", skip)
        self.emit("mad.lo.u32 %%s, %%t, 16, %%tile")
        self.emit("ld.shared.b32 %%u, [%%s]")
        self.emit("ld.shared.b32 %%s, [%%tile]")
        self.emit("add.u32 %%u, %%u, %%s")
        self.emit("st.shared.b32 [%%tile], %%u")
        self.lines.append(skip + ":")
        self.emit("bra %s", top)
        self.lines.append(done + ":")
        self.emit("ld.shared.b32 %s, [tile]", self.reg("r"))
        self.emit("bar.sync 0")

    def lock(self):
        """Each thread has the lock one time, in an order that the scheduler chooses."""
        top, skip = self.label(), self.label()
        self.emit("setp.ne.u32 %%q, 0, 0")
        self.lines.append(top + ":")
        self.emit("atom.global.cas.b32 %%s, [%%sums+32], 0, 1")
        self.emit("setp.ne.u32 %%q, %%s, 0")
        self.emit("@%%q bra %s", skip)
        self.emit("ld.volatile.global.b32 %%u, [%%sums+36]")
        self.emit("mad.lo.u32 %%u, %%u, 5, %%flat")
        self.emit("st.volatile.global.b32 [%%sums+36], %%u")
        self.emit("membar.gl")
        self.emit("atom.global.exch.b32 %%t, [%%sums+32], 0")
        self.lines.append(skip + ":")
        self.emit("@%%q bra %s", top)
        self.emit("add.u32 %s, %%u, 1", self.reg("r"))

    # ---- Control flow -------------------------------------------------------------------

    def switch(self, depth):
        """One of four, one of which falls through to the next."""
        sides, join = [self.label() for _ in range(4)], self.label()
        table = join + "t"
        self.emit("and.b32 %%s, %s, 3", self.r.choice(("%flat", "%id", self.reg("r"), "%n")))
        self.lines.append("%s: .branchtargets %s;" % (table, ", ".join(sides)))
        self.emit("brx.idx %%s, %s", table)
        for i, side in enumerate(sides):
            self.lines.append(side + ":")
            self.inside(min(depth, 1))
            if i != 1:
                self.emit("bra %s", join)
        self.lines.append(join + ":")

    def rounds(self, depth):
        """A loop that all threads are in together."""
        top, counter = self.label(), self.counters
        self.counters += 1
        self.emit("and.b32 %%n%d, %s, 3", counter, self.r.choice(("%n", "%block", "%count")))
        self.emit("mov.u32 %%c%d, 0", counter)
        self.emit("add.u32 %%k%d, %s, %d", counter, self.r.choice(("%flat", "%id", "%n")),
                  self.r.choice((0, -64, 0x7fffffc0)))
        self.lines.append(top + ":")
        self.indexes.append("%%k%d" % counter)
        self.repeated += 1
        self.statements(depth - 1, (2, 7))
        self.repeated -= 1
        self.indexes.pop()
        self.emit("add.u32 %%k%d, %%k%d, %s", counter, counter, self.r.choice(("32", "%count", "1", "17")))
        self.emit("add.u32 %%c%d, %%c%d, 1", counter, counter)
        self.emit("setp.le.u32 %%q, %%c%d, %%n%d", counter, counter)
        self.emit("@%%q bra %s", top)

    def leaving(self):
        """A loop that threads leave one after the other, with registers of its own: what is needed behind it may have
        a place that others of the loop have had before."""
        top, done = self.label(), self.label()
        outs = ("%w4", "%w5", "%w6")
        # What is needed behind has something before, or each round makes it.
        around = self.r.randrange(3) == 0
        kept = outs if around else self.r.sample(outs, self.r.randrange(4))
        self.lines += ["\t{", "\t.reg .pred %v<4>;", "\t.reg .b32 %w<10>, %y<6>;", "\t.reg .b64 %z<2>;"]
        self.emit("and.b32 %%w0, %s, %d", self.reg("r"), self.r.choice((3, 7, 15, 15, 127)))
        self.emit("mov.u32 %%w1, %s", self.reg("r"))
        self.emit("mov.u32 %%w7, %s", self.r.choice(("0", "0", "1", "%laneid")))
        for register in kept:
            self.emit("mov.u32 %s, %s", register, self.r.choice(("%id", "%n", "7", self.reg("r"))))
        if around:
            self.emit("@%s bra %s", self.condition(), done)
        self.lines.append(top + ":")
        self.some_rounds(("%w2", "%w3"), kept)
        self.emit("xor.b32 %%y4, %%w2, %%w3")
        for register in outs:
            if register not in kept:
                self.emit("%s %s, %%y4, %s", self.r.choice(("add.u32", "xor.b32", "max.u32")), register,
                          self.r.choice(("%w1", "%w7", "9")))
        ways_out = self.r.choice((0, 0, 1, 1, 2))
        for i in range(ways_out):
            source = self.r.choice(outs + ("%w1", "%w7", "%w2"))
            self.emit("and.b32 %%w8, %s, %d", source, self.r.choice((3, 7, 31)))
            self.emit("setp.%s.u32 %%v0, %%w8, 2", self.r.choice(("eq", "eq", "gt")))
            self.emit("@%s%%v0 bra %s", self.r.choice(("", "", "!")), done)
            self.some_rounds(("%y0", "%y1") if i else ("%y2", "%y3"), outs)
        self.emit("add.u32 %%w7, %%w7, 1")
        self.emit("setp.lt.u32 %%v1, %%w7, %s", self.r.choice(("%w0", "%w0", "%w0", "9")))
        if self.r.randrange(3) == 0:
            self.emit("setp.ne.and.u32 %%v1, %s, %d, %%v1", self.r.choice(outs), self.r.randrange(4))
        self.emit("@%%v1 bra %s", top)
        self.lines.append(done + ":")
        for register in outs + ("%w7", "%w1"):
            if self.r.randrange(3):
                self.emit("xor.b32 %s, %s, %s", self.reg("r"), self.reg("r"), register)
        self.lines.append("\t}")

    def some_rounds(self, own, others):
        """Some of such a loop: registers that only these instructions use, and others."""
        self.emit("mad.lo.u32 %s, %%w1, %d, %%w7", own[0], self.r.choice((3, 5, 0x1003)))
        self.emit("shr.u32 %s, %s, %d", own[1], own[0], self.r.randrange(1, 9))
        for _ in range(self.r.randrange(1, 6)):
            self.of_round(own, ("%w1", *others))

    def of_round(self, own, others):
        kind = self.r.randrange(12)
        some = self.r.choice(others)
        to = self.r.choice(others + own)
        if kind < 3:
            self.emit("%s %s, %s, %s", self.r.choice(("add.u32", "xor.b32", "mul.lo.u32", "min.s32", "sub.u32")), to,
                      own[0], some)
        elif kind == 3:  # where all threads are, or each is somewhere
            self.emit("and.b32 %%w9, %s, 1023", self.r.choice(("%w7", "%w1", some) + own))
            self.emit("mul.wide.u32 %%z0, %%w9, 4")
            self.emit("add.s64 %%z1, %%z0, %%in")
            self.emit("ld.global%s.b32 %s, [%%z1]", self.r.choice(("", ".nc")), to)
        elif kind == 4:
            self.emit("st.global.b32 [%s], %s", self.own(), self.r.choice((some, own[0], "%w7")))
        elif kind == 5:
            self.emit("ld.global.b32 %s, [%s]", to, self.own())
        elif kind < 9:  # sides
            self.emit("and.b32 %%w9, %s, 3", self.r.choice(own + ("%w7", "%n")))
            self.emit("setp.%s.u32 %%v2, %%w9, 1", self.r.choice(("eq", "ne", "gt")))
            self.emit("@%%v2 add.u32 %s, %s, 3", some, some)
            if kind == 7:
                self.emit("@!%%v2 mad.lo.u32 %s, %s, 3, %%w7", some, some)
            elif kind == 8:
                self.emit("@%s%%v2 %s", self.r.choice(("", "!")), self.r.choice((
                    "st.global.b32 [%s], %s" % (self.own(), some), "ld.global.b32 %s, [%s]" % (some, self.own()))))
        elif kind == 9:
            self.compute()
        elif kind == 10 and not self.faults and self.r.randrange(4) == 0:
            self.fault()
        else:
            self.emit("cvt.rn.f32.s32 %%w9, %s", some)
            self.emit("mul.f32 %%w9, %%w9, 0f3fc00000")
            self.emit("cvt.rzi.s32.f32 %s, %%w9", to)

    def all_or_none(self, depth):
        """A branch that a whole block takes, or does not."""
        skip, join = self.label(), self.label()
        self.emit("and.b32 %%s, %s, %d", self.r.choice(("%n", "%block")), self.r.choice((1, 2)))
        self.emit("setp.eq.u32 %%q, %%s, 0")
        self.emit("@%%q bra %s", skip)
        self.repeated += 1
        self.statements(depth - 1, (2, 7))
        if self.r.randrange(2):
            self.emit("bra %s", join)
            self.lines.append(skip + ":")
            self.statements(depth - 1, (2, 7))
            self.lines.append(join + ":")
        else:
            self.lines.append(skip + ":")
        self.repeated -= 1
