#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py [NAME ...]: writes test/ptx/NAME.ptx and kernels/NAME.cases, all of them
without a name. After a change of kernels/, run kernels/compile too.

The expected values are computed here from the text of the PTX ISA, with Python's
integers and fractions, and by nothing that gpurun itself is made of.
"""

import importlib
import os
import pkgutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import generator  # noqa: E402
from generator import corpus, kernels  # noqa: E402

MODULES = [importlib.import_module("generator." + module.name)
           for module in pkgutil.iter_modules(generator.__path__)]


def main():
    wanted = set(sys.argv[1:])
    for module in MODULES:
        for made in module.files() if hasattr(module, "files") else ():
            if not wanted or made.name in wanted:
                with open(os.path.join(HERE, made.name + ".ptx"), "w") as out:
                    out.write(made.text())
    for made in kernels.cases() + corpus.cases():
        if not wanted or made.name in wanted:
            with open(os.path.join(HERE, "kernels", made.name + ".cases"), "w") as out:
                out.write(made.text())


if __name__ == "__main__":
    main()
