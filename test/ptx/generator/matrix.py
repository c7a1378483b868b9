# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ldmatrix, stmatrix, movmatrix: 8x8 matrices of halves."""

from .emit import File, entry
from .values import rng

ROWS = 40  # of 16 bytes, in shared memory
SHARED = "\t.shared .align 16 .b8 tile[%d];\n" % (16 * ROWS)


def halves(words):
    return [h for w in words for h in (w & 0xffff, w >> 16)]


def words(hs):
    return [a | b << 16 for a, b in zip(hs[::2], hs[1::2])]


def in_registers(rows, trans):
    """What each lane gets of a matrix that is given as 8 rows of 8 halves."""
    out = []
    for lane in range(32):
        pair = [(lane // 4, 2 * (lane % 4)), (lane // 4, 2 * (lane % 4) + 1)]
        a, b = [rows[c][r] if trans else rows[r][c] for r, c in pair]
        out.append(a | b << 16)
    return out


def head(name, params, registers):
    text = entry(name, params) + SHARED + "\t.reg .b32 %i, %k, %base, %r<5>, %x;\n"
    text += "\t.reg .b64 %t, %g;\n\t.reg .pred %last;\n\t.reg .b64 " + ", ".join(
        "%" + p for p in params) + ";\n" + registers
    text += "".join("\tld.param.u64 %%%s, [%s];\n" % (p, p) for p in params)
    return text + "\tmov.u32 %i, %tid.x;\n\tmov.u32 %base, tile;\n"


def copy(label, load, store, count):
    """Each lane copies count words: every 32nd from its own on."""
    text = "\tmov.u32 %%k, %%i;\n%s:\n" % label
    text += load + store
    text += "\tadd.u32 %%k, %%k, 32;\n\tsetp.lt.u32 %%last, %%k, %d;\n" % count
    return text + "\t@%%last bra %s;\n\tbar.sync 0;\n" % label


GLOBAL = "\tmad.wide.u32 %%t, %%k, 4, %%%s;\n"
SHARE = "\tmad.lo.u32 %x, %k, 4, %base;\n"
FILL = copy("$fill", GLOBAL % "pm" + "\tld.global.b32 %r0, [%t];\n",
            SHARE + "\tst.shared.b32 [%x], %r0;\n", 4 * ROWS)
DRAIN = "\tbar.sync 0;\n" + copy("$drain", SHARE + "\tld.shared.b32 %r0, [%x];\n",
                                 GLOBAL % "pm" + "\tst.global.b32 [%t], %r0;\n", 4 * ROWS)
ADDRESS = ("\tmad.wide.u32 %t, %i, 4, %pa;\n\tld.global.b32 %x, [%t];\n"
           "\tadd.u32 %x, %x, %base;\n")
GENERIC = "\tcvt.u64.u32 %g, %x;\n\tcvta.shared.u64 %g, %g;\n"


def each_word(verb, count):
    """Loads or stores registers r1... : count of each lane, side by side."""
    text = "\tmad.wide.u32 %%t, %%i, %d, %%pd;\n" % (4 * count)
    for r in range(count):
        at = "[%%t+%d]" % (4 * r)
        text += "\tld.global.b32 %%r%d, %s;\n" % (r + 1, at) if verb == "ld" else \
            "\tst.global.b32 %s, %%r%d;\n" % (at, r + 1)
    return text


def case(f, name, directives, code):
    """A kernel of one warp; its labels get its number."""
    code = code.replace("$", "$%d" % f.count)
    f.raw("\n//@ launch %s block=32\n%s%s\tret;\n}\n" % (name, directives, code))
    f.count += 1


def moves(f, r):
    tile = [r.getrandbits(32) for _ in range(4 * ROWS)]
    rows = [halves(tile[4 * i:4 * i + 4]) for i in range(ROWS)]
    for count in (1, 2, 4):
        for trans in (False, True):
            at = r.sample(range(1, ROWS), 32)
            for space in ("", ".shared", ".shared::cta"):
                suffix = "x%d%s%s" % (count, "_trans" if trans else "",
                                      space.replace(".", "_").replace("::", "_"))
                form = ".sync.aligned.m8n8.x%d%s%s.b16" % (count, ".trans" * trans, space)
                load(f, suffix, form, count, trans, space, tile, rows, at)
                store(f, suffix, form, count, trans, space, tile, at)


def load(f, suffix, form, count, trans, space, tile, rows, at):
    parts = [in_registers([rows[at[8 * i + k]] for k in range(8)], trans)
             for i in range(count)]
    text = "//@ in %s\n//@ in %s\n" % (f.list("b32", tile),
                                       f.list("u32", [16 * a - 16 for a in at]))
    text += f.operand("out", "b32", [p[lane] for lane in range(32) for p in parts])
    names = "{%s}" % ", ".join("%%r%d" % (i + 1) for i in range(count))
    code = head("ld_" + suffix, ["pm", "pa", "pd"], "") + FILL + ADDRESS
    code += GENERIC if not space else ""
    code += "\tldmatrix%s %s, [%s+16];\n" % (form, names, "%x" if space else "%g")
    case(f, "ld_" + suffix, text, code + each_word("st", count))


def store(f, suffix, form, count, trans, space, tile, at):
    r = rng(suffix)
    values = [[r.getrandbits(32) for _ in range(count)] for _ in range(32)]
    after = list(tile)
    for i in range(count):
        matrix = [[0] * 8 for _ in range(8)]
        for lane in range(32):
            for h in (0, 1):
                row, col = lane // 4, 2 * (lane % 4) + h
                row, col = (col, row) if trans else (row, col)
                matrix[row][col] = values[lane][i] >> 16 * h & 0xffff
        for k in range(8):
            first = 4 * at[8 * i + k]
            after[first:first + 4] = words(matrix[k])
    text = "//@ inout %s\n" % f.list("b32", tile) + f.operand("expect", "b32", after)
    text += "//@ in %s\n" % f.list("u32", [16 * a - 16 for a in at])
    text += f.operand("in", "b32", sum(values, []))
    names = "{%s}" % ", ".join("%%r%d" % (i + 1) for i in range(count))
    code = head("st_" + suffix, ["pm", "pa", "pd"], "") + FILL + each_word("ld", count)
    code += ADDRESS + (GENERIC if not space else "")
    code += "\tstmatrix%s [%s+16], %s;\n" % (form, "%x" if space else "%g", names)
    case(f, "st_" + suffix, text, code + DRAIN)


def others(f, r):
    matrix = [[r.getrandbits(16) for _ in range(8)] for _ in range(8)]
    text = f.operand("in", "b32", in_registers(matrix, False))
    text += f.operand("out", "b32", in_registers(matrix, True))
    code = head("movmatrix", ["pd", "pe"], "") + each_word("ld", 1)
    code += "\tmovmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n"
    code += each_word("st", 1).replace("%pd", "%pe")
    case(f, "movmatrix", text, code)
    # The lanes come to it one after the other, and have to wait for each other.
    code = head("movmatrix_gathers", ["pd", "pe"], "") + each_word("ld", 1)
    code += "\tand.b32 %k, %i, 7;\n$wait:\n\tsetp.eq.u32 %last, %k, 0;\n\t@%last bra $go;\n"
    code += "\tsub.u32 %k, %k, 1;\n\tbra $wait;\n$go:\n"
    code += "\tmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n\tmov.b32 %r1, %r2;\n"
    case(f, "movmatrix_gathers", text, code + each_word("st", 1).replace("%pd", "%pe"))
    # Registers that hold the addresses are overwritten; one result is not wanted.
    tile = [r.getrandbits(32) for _ in range(4 * ROWS)]
    want = in_registers([halves(tile[4 * k:4 * k + 4]) for k in range(8, 16)], False)
    text = f.operand("in", "b32", tile) + f.operand("out", "b32", want)
    code = head("ld_over_address", ["pm", "pd"], "") + FILL
    code += "\tmad.lo.u32 %r1, %i, 16, %base;\n"
    code += "\tldmatrix.sync.aligned.m8n8.x2.shared.b16 {_, %r1}, [%r1];\n"
    case(f, "ld_over_address", text, code + each_word("st", 1))
    # A variable by its name: every lane names the same row.
    for space in ("", ".shared", ".shared::cta"):
        row = [halves(tile[4 * 9:4 * 10])] * 8
        name = "ld_named" + space.replace(".", "_").replace("::", "_")
        text = f.operand("in", "b32", tile) + f.operand("out", "b32", in_registers(row, True))
        code = head(name, ["pm", "pd"], "") + FILL
        at = "tile+144" if space else "%g+144"
        code += "" if space else "\tcvta.shared.u64 %g, tile;\n"
        code += "\tldmatrix.sync.aligned.m8n8.x1.trans%s.b16 {%%r1}, [%s];\n" % (space, at)
        case(f, name, text, code + each_word("st", 1))
    # An H100 takes no notice of them.
    for name, what, fault in (("misaligned", 8, 716), ("outside", 16 * ROWS + 262144, 700)):
        for verb in ("ldmatrix", "stmatrix"):
            code = head("%s_%s" % (verb, name), ["pd"], "") + "\tmov.u32 %r1, 0;\n"
            code += "\tadd.u32 %%x, %%base, %d;\n" % what
            form = "%s.sync.aligned.m8n8.x1.shared.b16 " % verb
            code += "\t" + form + ("{%r1}, [%x];\n" if verb[0] == "l" else "[%x], {%r1};\n")
            case(f, "%s_%s" % (verb, name), "//@ in u32 0\n//@ fault 0 %d\n" % fault, code)


def files():
    f = File("ldmatrix", "ldmatrix, stmatrix, movmatrix: counts, .trans, spaces, row addresses\n"
             "in any order; all lanes take part.", version="7.8")
    moves(f, rng("ldmatrix"))
    others(f, rng("movmatrix"))
    return [f]
