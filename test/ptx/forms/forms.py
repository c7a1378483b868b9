#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""forms.py PTXAS [SECTION...]: asks ptxas about every candidate form; prints table.txt.

A line of the table is a verdict (+: accepted for sm_90, a: for sm_90a, -: for neither) and a
product of forms: "<a;b>" stands for a or b, "%r0..3" for four registers."""

import itertools
import sys

import ask
import families
import matrix
import others
import products

SECTIONS = [
    ("arithmetic", families.arithmetic), ("logic", families.logic),
    ("comparisons", families.comparisons), ("conversions", families.conversions),
    ("moves", families.moves), ("accesses", families.accesses),
    ("bytes", families.bytes_alone), ("vectors", families.vectors), ("video", families.video), ("control", others.control),
    ("warp", others.warp), ("atomics", others.atomics),
    ("asynchronous", others.asynchronous), ("matrix", matrix.matrix), ("wgmma", matrix.wgmma),
]


def main():
    ptxas, chosen = sys.argv[1], sys.argv[2:]
    for name, make in SECTIONS:
        if chosen and name not in chosen:
            continue
        seen = {}
        for slots in make():
            for form in itertools.product(*slots):
                text = "".join(form)
                if text not in seen:
                    seen[text] = (len(slots), form)
        forms = list(seen)
        plain = ask.verdicts(ptxas, "sm_90", forms)
        special = [False] * len(forms)
        rest = [i for i in range(len(forms)) if not plain[i]]
        for i, ok in zip(rest, ask.verdicts(ptxas, "sm_90a", [forms[i] for i in rest])):
            special[i] = ok
        print("# %s: %d candidates, %d accepted, %d more by sm_90a" %
              (name, len(forms), sum(plain), sum(special)), flush=True)
        groups = {}
        for i, text in enumerate(forms):
            verdict = "+" if plain[i] else "a" if special[i] else "-"
            width, form = seen[text]
            base = text.split(" ")[0].split(".")[0]
            groups.setdefault((base, verdict, width), []).append(form)
        for (base, verdict, _), members in sorted(groups.items()):
            for row in sorted(products.merge(members)):
                print(verdict, products.spell(row))


main()
