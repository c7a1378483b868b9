# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of the kernels in kernels/, by field: plain Python, as a reader would check."""

from . import bytes, machine, numeric, programs, scenes, sorting, tensors

GROUPS = [bytes, numeric, sorting, tensors, programs, scenes, machine]


def cases():
    return [made for group in GROUPS for made in group.cases()]
