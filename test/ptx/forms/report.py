#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""report.py DIFFERENCES MPFR: writes refused.txt, lenient.txt and docs/ptx-forms.md.

DIFFERENCES is what `forms -v table.txt' prints, MPFR what `mpfr -l table.txt' does.
refused.txt: what ptxas accepts and the CPU device does not; lenient.txt: the other way round."""

import os
import re
import sys

import cases
import h100
import products

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")

# Why a form that ptxas accepts is none here, and why one that it refuses is.
REASONS = [
    (r"istypep", "textures, samplers and surfaces are not executed"),
]

# Why a GPU has another answer than MPFR.
MPFR_REASONS = [
    (r"fma\.r[mpz].*\.bf16", "the PTX ISA has .rn alone here; ptxas takes others, but widens bf16 as"
     " if it was f16, and rounds pairs to nearest"),
]

INTRODUCTION = """# Forms of PTX instructions

Made by `make forms-report`. A form is an instruction with its modifiers, types and kinds of operands. ptxas 13.0 was
asked about {asked} of them (PTX 9.0; sm_90 and sm_90a), and so was the CPU device.

- Accepted: ptxas takes the form. Executed: so does the CPU device. A kernel with any other form is refused when it is
  looked up, with the line and the instruction.
- Lenient: the CPU device executes it, ptxas refuses it.
- Opcodes: the forms without their operands. Tested: those that stand in a kernel of test/ptx that has a case, which
  compares every result, or that `make check-mpfr` compares with MPFR.
- H100: those of the tested ones that stand in a kernel whose cases all pass on an H100 too, or whose form does in
  check-mpfr there.{runs}

test/ptx/forms/table.txt has every form, refused.txt and lenient.txt those on which both differ; the test fails when
another one does. h100.txt has what ran on the H100 and how.

| base | accepted | executed | lenient | opcodes | tested | H100 |
|---|---|---|---|---|---|---|
"""


def base_of(form):
    return re.match(r"\w+", form.strip()).group()


class Seen:
    """Where opcodes are tested, and what an H100 said there."""

    def __init__(self, mpfr):
        self.tested, self.agreed, self.differ = set(), set(), {}
        self.runs, agreed, differs, forms = h100.read()
        why = self.reasons()
        for name, path in cases.paths().items():
            with open(path, encoding="utf-8", errors="replace") as file:
                found = cases.kernels(file.read())
            for kernel, (opcodes, digest) in found.items():
                self.tested |= opcodes
                if agreed.get((name, kernel)) == digest:
                    self.agreed |= opcodes
                elif differs.get((name, kernel)) == digest:
                    for opcode in opcodes:
                        self.differ.setdefault(opcode, why.get((name, kernel), "not explained"))
        for form in mpfr:
            opcode = products.opcode_of(form)
            self.tested.add(opcode)
            if form in forms["+"]:
                self.agreed.add(opcode)
            elif form in forms["-"]:
                self.differ.setdefault(opcode, reason(form, MPFR_REASONS) or "not explained")

    @staticmethod
    def reasons():
        """Of the list of expected failures; "as KERNEL" refers to another one of that file."""
        with open(os.path.join(cases.PTX, "runner/xfail.gpu"), encoding="utf-8") as file:
            rows = [line.split(None, 2) for line in file if line[0] not in "#\n"]
        why = {(row[0], row[1]): row[2].strip() for row in rows}
        return {key: why.get((key[0], text[3:]), text) if text.startswith("as ") else text
                for key, text in why.items()}


def reason(form, reasons=REASONS):
    return next((why for pattern, why in reasons if re.match(pattern, form)), "")


def write_list(name, head, forms):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as out:
        out.write("# %s\n" % head)
        for why in sorted({reason(form) for form in forms}):
            if why:
                out.write("\n# %s\n" % why)
            out.write("".join(line + "\n" for line in
                              products.lines([f for f in forms if reason(f) == why])))


def count(missing, extra, seen):
    """{base: accepted, executed, lenient, the opcodes as the table spells them, those that are
    tested, those that an H100 agreed on}, and how many forms there are."""
    rows, asked = {}, 0
    with open(os.path.join(HERE, "table.txt"), encoding="utf-8") as table:
        for line in table:
            for pieces in products.expand(line.rstrip("\n")[2:]) if line[0] != "#" else ():
                asked += 1
                if line[0] == "-":
                    continue
                form = "".join(pieces)
                row = rows.setdefault(base_of(form), [0, 0, 0, {}])
                row[0] += 1
                row[1] += form not in missing
                row[3].setdefault(products.opcode_of(form), form.split()[0])
    for form in extra:
        rows.setdefault(base_of(form), [0, 0, 0, {}])[2] += 1
    for row in rows.values():
        row += [row[3].keys() & seen.tested, row[3].keys() & seen.tested & seen.agreed]
    return rows, asked


def section(out, title, text, opcodes):
    if opcodes:
        out.write("\n## %s\n\n%s\n\n" % (title, text))
        for line in products.lines(sorted(opcodes)):
            out.write("- `%s`\n" % line.strip())


def write_page(rows, asked, seen):
    runs = "; ".join(run[4:].strip() for run in seen.runs)
    with open(os.path.join(ROOT, "docs/ptx-forms.md"), "w", encoding="utf-8") as out:
        out.write(INTRODUCTION.format(asked=asked, runs=" Seen: %s." % runs if runs else ""))
        total = [0] * 6
        for base in sorted(rows):
            row = [n if isinstance(n, int) else len(n) for n in rows[base]]
            total = [a + b for a, b in zip(total, row)]
            out.write("| %s | %s |\n" % (base, " | ".join(map(str, row))))
        out.write("| all | %s |\n" % " | ".join(map(str, total)))
        spelt = {o: text for row in rows.values() for o, text in row[3].items()}
        left = spelt.keys() & seen.tested - seen.agreed if runs else set()
        for why in sorted({seen.differ[o] for o in left & seen.differ.keys()}):
            section(out, "On an H100: " + why, "Agreed on in no case:",
                    {spelt[o] for o in left if seen.differ.get(o) == why})
        section(out, "Not run on an H100", "Tested since, or changed:",
                {spelt[o] for o in left - seen.differ.keys()})
        section(out, "Not tested", "Opcodes that ptxas takes and no case has:",
                {spelt[o] for o in spelt.keys() - seen.tested})


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [line.rstrip("\n").partition(" ") for line in file]
    with open(sys.argv[2], encoding="utf-8") as file:
        seen = Seen([line.rstrip("\n") for line in file])
    missing = [form for kind, _, form in lines if kind == "missing"]
    extra = [form for kind, _, form in lines if kind == "extra"]
    write_list("refused.txt", "What ptxas accepts and the CPU device refuses.", missing)
    write_list("lenient.txt", "What the CPU device executes and ptxas refuses.", extra)
    rows, asked = count(set(missing), extra, seen)
    write_page(rows, asked, seen)


main()
