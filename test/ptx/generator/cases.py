# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of a kernel that compilers made, and what its references compute with."""

import struct

from .emit import number, squeeze, wrap


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def f16(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Cases:
    def __init__(self, name):
        self.name = name
        self.body = ""

    def launch(self, kernel, options):
        self.body += "//@ launch %s %s\n" % (kernel, options)

    def give(self, verb, t, values, mode=""):
        bits = {"f32": f32, "f64": f64}.get(t, lambda v: v)
        words = squeeze([number(t, v if isinstance(v, str) else bits(v)) for v in values])
        self.body += wrap("//@ %s %s%s" % (verb, t, " " + mode if mode else ""), words)

    def text(self):
        return self.body


def wrap32(x):
    x &= 0xffffffff
    return x - (1 << 32) if x >> 31 else x


def sums(values):
    out, total = [], 0
    for v in values:
        total += v
        out.append(wrap32(total))
    return out
