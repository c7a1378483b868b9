#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py [NAME ...]: writes test/ptx/NAME.ptx and kernels/NAME.cases, all of them
without a name. After a change of kernels/, run kernels/compile too.

The expected values are computed here from the text of the PTX ISA, with Python's
integers and fractions, and by nothing that gpurun itself is made of.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from generator import (arrivals, atomics, boxes, bulks, calls, clusters, compare,  # noqa: E402
                       control, copies, corpus, floating, flow, integer, kernels, matrix,
                       memory, mma, opcodes, orders, sparse, spellings, tensors, video, warps, wgmma,
                       wmma, wmma_all, wgmma_all)

GROUPS = [integer, floating, compare, memory, control, calls, flow, matrix, mma, wmma, wmma_all,
          wgmma, sparse, copies, atomics, warps, clusters, spellings, video, tensors, opcodes,
          arrivals, bulks, boxes, orders,
          wgmma_all]


def main():
    wanted = set(sys.argv[1:])
    for group in GROUPS:
        for made in group.files():
            if not wanted or made.name in wanted:
                with open(os.path.join(HERE, made.name + ".ptx"), "w") as out:
                    out.write(made.text())
    for made in kernels.cases() + corpus.cases():
        if not wanted or made.name in wanted:
            with open(os.path.join(HERE, "kernels", made.name + ".cases"), "w") as out:
                out.write(made.text())


if __name__ == "__main__":
    main()
