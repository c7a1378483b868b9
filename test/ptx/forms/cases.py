# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of a .ptx file that have cases: the opcodes in each, and what tells a change.

A kernel is its own text and that of the functions that it names, with all that stands
outside of functions, its cases, and the lists that these name."""

import base64
import glob
import hashlib
import os
import re
import sys

import products

PTX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MADE = os.path.join(PTX, "../../build/ptx")  # by make ptx-cases
OUTSIDE = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"', re.S)
FUNCTION = re.compile(r"\.(?:entry|func)\b[^{};]*?([\w$%]+)\s*(?:\([^{};()]*\)[^{};]*)?([{;])")
LINKAGE = re.compile(r"\.(?:visible|weak|extern)\b")  # of functions that are gone, too
INSTRUCTION = re.compile(r"\s*(?:[\w$]+:\s*)*(?:@!?[%\w$]+\s+)?([a-z][\w.:]*)(?:\s|$)")


def paths():
    """Every file of cases, by its name."""
    if not os.path.isdir(MADE):
        sys.exit("%s is not there: make ptx-cases" % os.path.relpath(MADE))
    found = [path for folder in (os.path.join(PTX, "cases"), os.path.join(PTX, "kernels"), MADE,
                                 os.path.join(MADE, "kernels"))
             for path in glob.glob(os.path.join(folder, "*.ptx"))]
    return {os.path.basename(path): path for path in sorted(found)}


def functions(text):
    """The bodies of functions and kernels by name, and what is left."""
    text = OUTSIDE.sub(" ", text)
    bodies, rest, at = {}, "", 0
    while match := FUNCTION.search(text, at):
        end, depth = match.end(), match.group(2) == "{"
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if match.group(2) == "{":
            bodies[match.group(1)] = text[match.start():end]
            rest += text[at:match.start()]
        else:
            rest += text[at:end]
        at = end
    return bodies, LINKAGE.sub(" ", rest + text[at:])


def directives(text):
    """The cases of each kernel and the named lists, as text."""
    cases, lists, of = {}, {}, None
    for line in re.findall(r"^//@ .*", text, re.M):
        words = line.split()
        if words[1] == "launch":
            of = cases.setdefault(words[2], [])
        elif words[1] == "list":
            of = lists.setdefault(words[2], [])
        elif words[1] == "load":
            of = []
        of.append(line)
    return cases, lists


def opcodes(body):
    found = set()
    for piece in re.split("[;{}]", body[body.find("{") + 1:]):
        match = INSTRUCTION.match(piece)
        if match:
            found.add(products.opcode_of(match.group(1)))
    return found


def closure(name, bodies):
    """A kernel and the functions that it names, directly or through others."""
    reached, fresh = set(), {name}
    while fresh:
        reached |= fresh
        words = set(re.findall(r"[\w$%]+", " ".join(bodies[n] for n in fresh)))
        fresh = (words & bodies.keys()) - reached
    return sorted(reached)


def kernels(text):
    """{kernel: (opcodes, digest)}; a digest is four letters, 24 bits."""
    bodies, rest = functions(text)
    cases, lists = directives(text)
    found = {}
    for name, lines in cases.items():
        if name not in bodies:
            continue
        reached = closure(name, bodies)
        named = sorted(set(" ".join(lines).split()) & lists.keys())
        parts = [rest] + [bodies[n] for n in reached] + lines + sum((lists[n] for n in named), [])
        digest = hashlib.sha256("\n".join(" ".join(part.split()) for part in parts).encode()).digest()
        found[name] = (set().union(*(opcodes(bodies[n]) for n in reached)),
                       base64.urlsafe_b64encode(digest[:3]).decode())
    return found
