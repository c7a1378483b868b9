# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For pytest: the program as a user runs it.
import pathlib
import subprocess

PROGRAM = pathlib.Path(__file__).parent / "histogram"


def test_counts():
    assert subprocess.check_output([PROGRAM, "5000"], text=True) == "right\n"


def test_usage():
    assert subprocess.run([PROGRAM]).returncode == 2
