#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""forms -v table.txt | report.py: writes refused.txt, lenient.txt and docs/ptx-forms.md.

refused.txt: what ptxas accepts and the CPU device does not; lenient.txt: the other way round."""

import glob
import os
import re
import sys

import products

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")

# Why a form that ptxas accepts is none here, and why one that it refuses is.
REASONS = [
    (r"mov\.b128.* 1$", "ptxas takes it, the PTX ISA has no such instruction"),
    (r"cp\.async\.mbarrier.*%r0", "ptxas takes a generic address of 32 bits"),
    (r"istypep", "textures, samplers and surfaces are not executed"),
    (r"(shfl|vote|exit|redux|match|mov|ld|st)\b", "spellings of older PTX, or harmless ones"),
]

INTRODUCTION = """# Forms of PTX instructions

Made by `make forms-report`. A form is an instruction with its modifiers, types and kinds of operands. ptxas 13.0 was
asked about {asked} of them (PTX 9.0; sm_90 and sm_90a), and so was the CPU device.

- Accepted: ptxas takes the form. Executed: so does the CPU device. A kernel with any other form is refused when it is
  looked up, with the line and the instruction.
- Lenient: the CPU device executes it, ptxas refuses it: mostly spellings of older versions of PTX and of older GPUs.
- Tested: the opcode stands in a file of test/ptx, whose cases compare every result.

test/ptx/forms/table.txt has every form, refused.txt and lenient.txt those on which both differ; the test fails when
another one does.

| base | accepted | executed | lenient | opcodes | tested |
|---|---|---|---|---|---|
"""


def base_of(form):
    return re.match(r"\w+", form.strip()).group()


def opcode_of(form):
    """The opcode, its modifiers in a fixed order."""
    parts = form.split()[0].split(".")
    return parts[0] + "." + ".".join(sorted(parts[1:]))


def tested():
    """The opcodes that occur in the tests."""
    found = set()
    for path in glob.glob(os.path.join(ROOT, "test/ptx/**/*.ptx"), recursive=True):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                match = re.match(r"\s*\{?\s*(?:@!?[%\w]+\s+)?([a-z][\w.:]*)[\s;]", line)
                if match:
                    found.add(opcode_of(match.group(1)))
    return found


def reason(form):
    return next((why for pattern, why in REASONS if re.match(pattern, form)), "")


def write_list(name, head, forms):
    groups = {}
    for form in forms:
        opcode, _, operands = form.partition(" ")
        parts = tuple(re.findall(r"^[^.]*|\.[^.]*", opcode)) + (" " + operands,)
        groups.setdefault((reason(form), base_of(form), len(parts)), []).append(parts)
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as out:
        out.write("# %s\n" % head)
        said = None
        for key in sorted(groups):
            if key[0] != said:
                said = key[0]
                if said:
                    out.write("\n# %s\n" % said)
            for row in sorted(products.merge(groups[key])):
                out.write(products.spell(row) + "\n")


def main():
    differ = {"missing": [], "extra": []}
    for line in sys.stdin:
        kind, _, form = line.rstrip("\n").partition(" ")
        if kind in differ:
            differ[kind].append(form)
    write_list("refused.txt", "What ptxas accepts and the CPU device refuses.", differ["missing"])
    write_list("lenient.txt", "What the CPU device executes and ptxas refuses.", differ["extra"])
    known, missing = tested(), set(differ["missing"])
    rows, asked = {}, 0
    with open(os.path.join(HERE, "table.txt"), encoding="utf-8") as table:
        for line in table:
            if line[0] == "#":
                continue
            for pieces in products.expand(line.rstrip("\n")[2:]):
                form = "".join(pieces)
                asked += 1
                if line[0] == "-":
                    continue
                row = rows.setdefault(base_of(form), [0, 0, 0, set(), set()])
                row[0] += 1
                row[1] += form not in missing
                opcode = opcode_of(form)
                row[3].add(opcode)
                if opcode in known:
                    row[4].add(opcode)
    for form in differ["extra"]:
        rows.setdefault(base_of(form), [0, 0, 0, set(), set()])[2] += 1
    with open(os.path.join(ROOT, "docs/ptx-forms.md"), "w", encoding="utf-8") as out:
        out.write(INTRODUCTION.format(asked=asked))
        total = [0] * 5
        for base in sorted(rows):
            row = [n if isinstance(n, int) else len(n) for n in rows[base]]
            total = [a + b for a, b in zip(total, row)]
            out.write("| %s | %d | %d | %d | %d | %d |\n" % ((base,) + tuple(row)))
        out.write("| all | %d | %d | %d | %d | %d |\n" % tuple(total))


main()
