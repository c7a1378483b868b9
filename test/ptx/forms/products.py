# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of forms, written as products: "add<;.rn><;.ftz>.f32 %r0, %r1, %r2"."""

import itertools
import re


def expand(product):
    """All forms of a product, as tuples of its pieces."""
    pieces = re.split("<([^>]*)>", product)
    choices = [[piece] if i % 2 == 0 else piece.split(";") for i, piece in enumerate(pieces)]
    return itertools.product(*choices)


def merge(forms):
    """The tuples @forms, all of one length, as few lists of choices."""
    rows = {tuple((piece,) for piece in form) for form in forms}
    width = len(next(iter(rows)))
    for at in reversed(range(width)):
        groups = {}
        for row in rows:
            groups.setdefault(row[:at] + row[at + 1:], []).append(row[at])
        rows = {key[:at] + (tuple(sorted(set().union(*map(set, groups[key])))),) + key[at:]
                for key in groups}
    return rows


def spell(row):
    """A list of choices as a product."""
    return "".join(choice[0] if len(choice) == 1 else "<" + ";".join(choice) + ">"
                   for choice in row)


def lines(forms):
    """The texts @forms as few products."""
    groups = {}
    for form in forms:
        opcode, _, operands = form.partition(" ")
        parts = tuple(re.findall(r"^[^.]*|\.[^.]*", opcode)) + (" " + operands,)
        groups.setdefault((parts[0], len(parts)), []).append(parts)
    return [spell(row) for key in sorted(groups) for row in sorted(merge(groups[key]))]


TYPE = re.compile(r"pred|[usbf]\d+(x\d+)?|bf16(x2)?|tf32|e\dm\d(x\d)?|ue8m0(x2)?|row|col|m\d+n\d+k\d+")


def opcode_of(form):
    """The opcode of a form: its modifiers sorted, since they may stand in several orders, and
    then its types and layouts, whose order matters."""
    base, *words = form.split()[0].split(".")
    order = sorted(word for word in words if not TYPE.fullmatch(word))
    return ".".join([base] + order + [word for word in words if TYPE.fullmatch(word)])
