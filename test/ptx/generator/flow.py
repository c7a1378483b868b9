# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random structured programs: what every lane computes alone must come out however
lanes diverge, meet, loop, leave, call, and whatever is uniform or out of line."""

from .emit import File, number, squeeze, wrap
from .values import rng

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
VARS, WIDE, PREDS = 8, 3, 3
COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
           "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
OPS = {
    "add.u32": lambda a, b: a + b, "sub.u32": lambda a, b: a - b,
    "mul.lo.u32": lambda a, b: a * b, "xor.b32": lambda a, b: a ^ b,
    "and.b32": lambda a, b: a & b, "or.b32": lambda a, b: a | b,
    "min.u32": min, "max.u32": max, "shl.b32": lambda a, b: a << min(b, 32),
    "shr.u32": lambda a, b: a >> min(b, 32), "mul.hi.u32": lambda a, b: a * b >> 32,
}
WIDE_OPS = {
    "add.u64": lambda a, b: a + b, "xor.b64": lambda a, b: a ^ b,
    "mul.lo.u64": lambda a, b: a * b, "sub.u64": lambda a, b: a - b,
}


class Leave(Exception):
    pass


class Break(Exception):
    pass


class Continue(Exception):
    pass


class Program:
    """Makes statements; a statement is a pair of what it does and how it is written."""

    def __init__(self, r, calls):
        self.r = r
        self.labels = 0
        self.counters = 0
        self.calls = calls
        self.late = []

    def label(self):
        self.labels += 1
        return "$L%d" % self.labels

    def operand(self):
        r = self.r
        k = r.randrange(12)
        if k < 7:
            return "v%d" % r.randrange(VARS)
        if k < 9:
            return r.choice(["u0", "u1"])
        if k == 9:
            return r.choice(["id", "lane", "row"])
        return r.choice([0, 1, 2, 3, 5, 7, 31, 255, 0x12345, M32])

    def cond(self):
        return (self.r.choice(list(COMPARE)), self.operand(), self.operand(),
                self.r.choice([1, 3, 7, M32]))

    def block(self, depth, loop):
        return [self.statement(depth, loop) for _ in range(self.r.randrange(2, 6))]

    def statement(self, depth, loop):
        r = self.r
        k = r.randrange(20)
        if depth and k < 4:
            return ("if", self.cond(), self.block(depth - 1, loop),
                    self.block(depth - 1, loop) if r.randrange(3) else [], r.randrange(3))
        if depth and k < 6:
            self.counters += 1
            return ("loop", self.counters - 1, self.operand(), r.choice([3, 7]),
                    self.block(depth - 1, True))
        if loop and k == 6:
            return ("break", self.cond())
        if loop and k == 7:
            return ("continue", self.cond())
        if k == 8:
            return ("setp", r.randrange(PREDS), self.cond())
        if k == 9:
            return ("selp", r.randrange(VARS), self.operand(), self.operand(),
                    r.randrange(PREDS))
        if k == 10:
            return ("guarded", r.randrange(PREDS), r.randrange(2), r.choice(list(OPS)),
                    r.randrange(VARS), self.operand(), self.operand())
        if k == 11:
            return ("wide", r.randrange(WIDE), r.choice(list(WIDE_OPS)), r.randrange(WIDE),
                    self.operand())
        if k == 12:
            return ("narrow", r.randrange(VARS), r.randrange(WIDE), r.randrange(2))
        if k == 13 and self.calls:
            return ("call", r.randrange(VARS), r.choice(self.calls), self.operand(),
                    self.operand())
        if k == 14 and r.randrange(4) == 0:
            return ("leave", self.cond())
        return ("op", r.choice(list(OPS)), r.randrange(VARS), self.operand(), self.operand())

    # ---- Text -------------------------------------------------------------------

    def spell(self, x):
        return "%" + x if isinstance(x, str) else str(x)

    def test(self, cond, out):
        op, a, b, mask = cond
        out.append("and.b32 %%s, %s, %d;" % (self.spell(a), mask))
        out.append("and.b32 %%t, %s, %d;" % (self.spell(b), mask))
        out.append("setp.%s.u32 %%q, %%s, %%t;" % op)

    def text(self, block, out, ends=None):
        for s in block:
            getattr(self, "text_" + s[0])(s, out, ends)

    def text_op(self, s, out, ends):
        out.append("%s %%v%d, %s, %s;" % (s[1], s[2], self.spell(s[3]), self.spell(s[4])))

    def text_guarded(self, s, out, ends):
        out.append("@%s%%p%d %s %%v%d, %s, %s;" % ("!" if s[2] else "", s[1], s[3], s[4],
                                                  self.spell(s[5]), self.spell(s[6])))

    def text_setp(self, s, out, ends):
        self.test(s[2], out)
        out.append("mov.pred %%p%d, %%q;" % s[1])

    def text_selp(self, s, out, ends):
        out.append("selp.u32 %%v%d, %s, %s, %%p%d;" % (s[1], self.spell(s[2]),
                                                     self.spell(s[3]), s[4]))

    def text_wide(self, s, out, ends):
        out.append("mov.b32 %%s, %s;" % self.spell(s[4]))
        out.append("cvt.u64.u32 %x, %s;")
        out.append("%s %%w%d, %%w%d, %%x;" % (s[2], s[1], s[3]))

    def text_narrow(self, s, out, ends):
        parts = "{_, %%v%d}" if s[3] else "{%%v%d, _}"
        out.append("mov.b64 %s, %%w%d;" % (parts % s[1], s[2]))

    def text_if(self, s, out, ends):
        _, cond, then, other, shape = s
        join = self.label()
        self.test(cond, out)
        if shape == 2:  # one side stands out of line, at the end
            away = self.label()
            out.append("@%%q bra %s;" % away)
            self.text(other, out, ends)
            out.append(join + ":")
            late = [away + ":"]
            self.text(then, late, ends)
            late.append("bra %s;" % join)
            self.late.append(late)
            return
        skip = self.label()
        out.append("@!%%q bra %s;" % skip)
        self.text(then, out, ends)
        if other:
            out.append("bra %s;" % join)
        out.append(skip + ":")
        self.text(other, out, ends)
        out.append(join + ":")

    def text_loop(self, s, out, ends):
        _, counter, bound, mask, body = s
        top, after, done = self.label(), self.label(), self.label()
        out.append("and.b32 %%n%d, %s, %d;" % (counter, self.spell(bound), mask))
        out.append("mov.u32 %%c%d, 0;" % counter)
        out.append(top + ":")
        out.append("setp.ge.u32 %%q, %%c%d, %%n%d;" % (counter, counter))
        out.append("@%%q bra %s;" % done)
        self.text(body, out, (done, after))
        out.append(after + ":")
        out.append("add.u32 %%c%d, %%c%d, 1;" % (counter, counter))
        out.append("bra %s;" % top)
        out.append(done + ":")

    def text_break(self, s, out, ends):
        self.test(s[1], out)
        out.append("@%%q bra %s;" % ends[0])

    def text_continue(self, s, out, ends):
        self.test(s[1], out)
        out.append("@%%q bra %s;" % ends[1])

    def text_leave(self, s, out, ends):
        self.test(s[1], out)
        out.append("@%q exit;")

    def text_call(self, s, out, ends):
        out += ["{", ".param .b32 x;", ".param .b32 y;", ".param .b32 z;",
                "st.param.b32 [x], %s;" % self.spell(s[3]),
                "st.param.b32 [y], %s;" % self.spell(s[4]),
                "call (z), %s, (x, y);" % s[2].name,
                "ld.param.b32 %%v%d, [z];" % s[1], "}"]

    def finish(self, out):
        while self.late:
            late, self.late = self.late, []
            for block in late:
                out += block

    # ---- Meaning ----------------------------------------------------------------

    def run(self, block, e):
        for s in block:
            getattr(self, "run_" + s[0])(s, e)

    @staticmethod
    def get(e, x):
        return e[x] if isinstance(x, str) else x

    def holds(self, e, cond):
        op, a, b, mask = cond
        return COMPARE[op](self.get(e, a) & mask, self.get(e, b) & mask)

    def run_op(self, s, e):
        e["v%d" % s[2]] = OPS[s[1]](self.get(e, s[3]), self.get(e, s[4])) & M32

    def run_guarded(self, s, e):
        if e["p%d" % s[1]] != bool(s[2]):
            e["v%d" % s[4]] = OPS[s[3]](self.get(e, s[5]), self.get(e, s[6])) & M32

    def run_setp(self, s, e):
        e["p%d" % s[1]] = self.holds(e, s[2])

    def run_selp(self, s, e):
        e["v%d" % s[1]] = self.get(e, s[2] if e["p%d" % s[4]] else s[3])

    def run_wide(self, s, e):
        e["w%d" % s[1]] = WIDE_OPS[s[2]](e["w%d" % s[3]], self.get(e, s[4])) & M64

    def run_narrow(self, s, e):
        e["v%d" % s[1]] = e["w%d" % s[2]] >> (32 if s[3] else 0) & M32

    def run_if(self, s, e):
        self.run(s[2] if self.holds(e, s[1]) else s[3], e)

    def run_loop(self, s, e):
        for _ in range(self.get(e, s[2]) & s[3]):
            try:
                self.run(s[4], e)
            except Break:
                break
            except Continue:
                pass

    def run_break(self, s, e):
        if self.holds(e, s[1]):
            raise Break

    def run_continue(self, s, e):
        if self.holds(e, s[1]):
            raise Continue

    def run_leave(self, s, e):
        if self.holds(e, s[1]):
            raise Leave

    def run_call(self, s, e):
        e["v%d" % s[1]] = s[2].call(e, self.get(e, s[3]), self.get(e, s[4]))


REGS = """\t.reg .pred %%q, %%p<%d>;
\t.reg .b32 %%s, %%t, %%id, %%lane, %%row, %%u<2>, %%v<%d>, %%c<%d>, %%n<%d>;
\t.reg .b64 %%x, %%w<%d>, %%out;
"""


def start(e):
    """The variables' first values; some uniform, some not."""
    for k in range(VARS):
        e["v%d" % k] = (e["id"] * (k + 1) if k & 1 else 17 * k + e["u0"]) & M32
    for k in range(WIDE):
        e["w%d" % k] = (e["id"] + k) << 31 if k else e["u1"]
    for k in range(PREDS):
        e["p%d" % k] = bool(e["id"] >> k & 1)


START = ["mov.u32 %lane, %laneid;"]
for _k in range(VARS):
    START.append("mul.lo.u32 %%v%d, %%id, %d;" % (_k, _k + 1) if _k & 1 else
                 "add.u32 %%v%d, %%u0, %d;" % (_k, 17 * _k))
START.append("cvt.u64.u32 %w0, %u1;")
for _k in range(1, WIDE):
    START += ["cvt.u64.u32 %%w%d, %%id;" % _k, "add.u64 %%w%d, %%w%d, %d;" % (_k, _k, _k),
              "shl.b64 %%w%d, %%w%d, 31;" % (_k, _k)]
for _k in range(PREDS):
    START += ["and.b32 %%s, %%id, %d;" % (1 << _k), "setp.ne.u32 %%p%d, %%s, 0;" % _k]


def indent(lines):
    return "".join(l + "\n" if l.endswith(":") else "\t" + l + "\n" for l in lines)


class Function:
    """A function of two numbers; it may call those made before it."""

    def __init__(self, r, name, calls):
        self.name = name
        self.program = Program(r, calls)
        self.body = self.program.block(2, False)

    def call(self, caller, a, b):
        e = {"id": caller["id"], "lane": caller["lane"], "row": caller["row"], "u0": a,
             "u1": b}
        start(e)
        self.program.run(self.body, e)
        return (e["v0"] ^ e["v1"]) & M32

    def text(self):
        out = ["ld.param.u32 %u0, [a];", "ld.param.u32 %u1, [b];", "mov.u32 %row, %tid.y;",
               "mov.u32 %s, %ntid.x;", "mov.u32 %t, %tid.x;",
               "mad.lo.u32 %id, %row, %s, %t;", "mov.u32 %s, %ntid.y;",
               "mul.lo.u32 %s, %s, %ntid_x;", "mov.u32 %t, %ctaid.x;",
               "mad.lo.u32 %id, %t, %s, %id;"] + START
        out.insert(7, "mov.u32 %ntid_x, %ntid.x;")
        self.program.text(self.body, out)
        out += ["xor.b32 %s, %v0, %v1;", "st.param.u32 [r], %s;", "ret;"]
        self.program.finish(out)
        n = max(1, self.program.counters)
        return ("\n.func (.param .b32 r) %s(.param .b32 a, .param .b32 b)\n{\n" % self.name
                + REGS % (PREDS, VARS, n, n, WIDE) + "\t.reg .b32 %ntid_x;\n"
                + indent(out) + "}\n")


def random_kernel(f, index):
    r = rng("flow %d" % index)
    calls = []
    if index % 3 == 2:
        for k in range(2):
            calls.append(Function(r, "f%d_%d" % (index, k), calls[:]))
            f.raw(calls[-1].text())
    p = Program(r, calls)
    body = p.block(4, False) + p.block(3, False)
    bx, by = r.choice([(32, 1), (64, 1), (77, 1), (8, 8), (5, 7), (96, 1), (16, 3)])
    grid = r.choice([1, 2])
    u = [r.getrandbits(r.choice([3, 32])), r.getrandbits(r.choice([3, 16]))]
    want = []
    for c in range(grid):
        for y in range(by):
            for x in range(bx):
                flat = y * bx + x
                e = {"id": c * bx * by + flat, "lane": flat & 31, "row": y, "u0": u[0],
                     "u1": u[1]}
                start(e)
                try:
                    p.run(body, e)
                    total = 0
                    for k in range(VARS):
                        total = (total * 31 + e["v%d" % k]) & M32
                    for k in range(WIDE):
                        total = (total * 31 + (e["w%d" % k] >> 32 ^ e["w%d" % k])) & M32
                    want.append(total)
                except Leave:
                    want.append(0xa5a5a5a5)
    text = "\n//@ launch flow_%d grid=%d block=%d,%d\n" % (index, grid, bx, by)
    text += wrap("//@ out u32", squeeze([number("u32", v) for v in want]))
    text += "//@ arg u32 %d\n//@ arg u32 %d\n" % tuple(u)
    n = max(1, p.counters)
    text += ".visible .entry flow_%d(.param .u64 out, .param .u32 u0, .param .u32 u1)\n{\n" \
        % index + REGS % (PREDS, VARS, n, n, WIDE)
    out = ["ld.param.u64 %out, [out];", "ld.param.u32 %u0, [u0];", "ld.param.u32 %u1, [u1];",
           "mov.u32 %row, %tid.y;", "mov.u32 %s, %tid.x;",
           "mad.lo.u32 %%id, %%row, %d, %%s;" % bx, "mov.u32 %s, %ctaid.x;",
           "mad.lo.u32 %%id, %%s, %d, %%id;" % (bx * by)] + START
    p.text(body, out)
    out.append("mov.u32 %s, 0;")
    for k in range(VARS):
        out.append("mad.lo.u32 %%s, %%s, 31, %%v%d;" % k)
    for k in range(WIDE):
        out += ["mov.b64 {%%t, _}, %%w%d;" % k, "shr.u64 %%w%d, %%w%d, 32;" % (k, k),
                "cvt.u32.u64 %%c0, %%w%d;" % k, "xor.b32 %t, %t, %c0;",
                "mad.lo.u32 %s, %s, 31, %t;"]
    out += ["mad.wide.u32 %out, %id, 4, %out;", "st.global.u32 [%out], %s;", "ret;"]
    p.finish(out)
    f.raw(text + indent(out) + "}\n")


def files():
    f = File("flow", "Random programs of nested branches, loops, early ends and calls.")
    for index in range(30):
        random_kernel(f, index)
    return [f]
