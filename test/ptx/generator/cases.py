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
    """The text of NAME.cases. A long list that comes again is named and written once."""

    def __init__(self, name):
        self.name = name
        self.parts = []  # text, or (verb, the list's text)

    def say(self, line):
        self.parts.append("//@ %s\n" % line)

    def launch(self, kernel, options):
        self.say("launch %s %s" % (kernel, options) if options else "launch " + kernel)

    def give(self, verb, t, values, mode=""):
        bits = {"f32": f32, "f64": f64}.get(t, lambda v: v)
        words = squeeze([number(t, v if isinstance(v, str) else bits(v)) for v in values])
        self.parts.append((verb, " ".join([t] + mode.split() + words)))

    def text(self):
        lists = [part[1] for part in self.parts if isinstance(part, tuple)]
        again = sorted({text for text in lists if lists.count(text) > 1 and len(text) > 80},
                       key=lists.index)
        names = {text: "list%d" % i for i, text in enumerate(again)}
        out = "".join(wrap("//@ list " + names[text], text.split()) for text in again)
        for part in self.parts:
            if isinstance(part, str):
                out += part
            elif part[1] in names:
                out += "//@ %s %s\n" % (part[0], names[part[1]])
            else:
                out += wrap("//@ " + part[0], part[1].split())
        return out


def wrap32(x):
    x &= 0xffffffff
    return x - (1 << 32) if x >> 31 else x


def sums(values):
    out, total = [], 0
    for v in values:
        total += v
        out.append(wrap32(total))
    return out
