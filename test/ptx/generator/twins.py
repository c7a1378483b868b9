# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests whose text is that of a compiled kernel, for another target.

nvcc makes the same text for several targets, but for the line .target. kernels/compile keeps
the first one, and a comment in it names each other: `// Also: nvcc90 sm_90' in fft.nvcc75.ptx
makes kernels/fft.nvcc90.ptx here, the same lines with `.target sm_90'.
"""

import glob
import os
import re
import sys

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kernels")


class Twin:
    def __init__(self, name, text):
        self.name = "kernels/" + name
        self._text = text

    def text(self):
        return self._text


def bad(path, line, what):
    sys.exit("generate.py: %s:%d: %s" % (os.path.relpath(path), line, what))


def twin(path, text, number, line):
    """The test that line number of a file names."""
    match = re.fullmatch(r"// Also: (\w+) (sm_\w+)", line)
    if not match:
        bad(path, number, "expected // Also: COMPILER sm_N")
    name = "%s.%s" % (os.path.basename(path).split(".")[0], match.group(1))
    if os.path.exists(os.path.join(KERNELS, name + ".ptx")):
        bad(path, number, "%s.ptx is a file of its own" % name)
    # A case is known by its line: no line is added or removed above the cases.
    text = re.sub("^// Made by: .*", "// Made of: " + os.path.basename(path), text, flags=re.M)
    text, count = re.subn(r"^\.target sm_\w+$", ".target " + match.group(2), text, flags=re.M)
    if count != 1:
        bad(path, number, "the text has %d lines .target sm_N, not one" % count)
    return Twin(name, re.sub(r"^// Also: .*\n", "", text, flags=re.M))


def files():
    twins = []
    for path in sorted(glob.glob(os.path.join(KERNELS, "*.ptx"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for number, line in enumerate(text.split("\n"), 1):
            if re.match(r"//\s*also\b", line, re.I):
                twins.append(twin(path, text, number, line))
    return twins
