#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""h100.py RESULTS...: notes in h100.txt what an H100 agreed with.

RESULTS is what `run' and `mpfr' print there, line by line for each case: the report of
`V=1 STAGES="ptx mpfr" scripts/gpu-check', whose head names the GPU and the commit that ran.
What h100.txt had of other kernels stays; delete it to begin anew."""

import os
import re
import subprocess
import sys

import cases
import products

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "h100.txt")
HEAD = """# What an H100 agreed with, of test/ptx and of test/ptx/mpfr: made by make forms-h100.
# agreed: the digests of the kernels of a file whose cases all passed; differs: one that did not.
# A kernel that has been changed since has another digest, and is in neither. form: mpfr's.
"""
WIDTH = 100


def read():
    """The list: its runs, {file: digests that agreed}, {(file, kernel): digest that
    differs}, and the forms that agreed and that differ."""
    runs, agreed, differs, forms = [], {}, {}, {"+": set(), "-": set()}
    if os.path.exists(LIST):
        for line in open(LIST, encoding="utf-8"):
            words = line.split()
            if line.startswith("run "):
                runs.append(line)
            elif line.startswith("agreed "):
                agreed.setdefault(words[1], set()).update(words[2:])
            elif line.startswith("differs "):
                differs[words[1], words[2]] = words[3]
            elif line.startswith("form "):
                forms[words[1]] |= {"".join(f) for f in products.expand(line[7:].rstrip("\n"))}
    return runs, agreed, differs, forms


def write(runs, agreed, differs, forms):
    with open(LIST, "w", encoding="utf-8") as out:
        out.write(HEAD + "".join(runs))
        for name in sorted(agreed):
            line = "agreed " + name
            for digest in sorted(agreed[name]):
                if len(line) + 5 > WIDTH:
                    out.write(line + "\n")
                    line = "agreed " + name
                line += " " + digest
            out.write(line + "\n")
        for (name, kernel), digest in sorted(differs.items()):
            out.write("differs %s %s %s\n" % (name, kernel, digest))
        for sign in "+-":
            for product in products.lines(forms[sign]):
                out.write("form %s %s\n" % (sign, product))


def parse(text):
    """What results say: {(file, kernel): agreed}, {form: agreed}, commit, the run's line."""
    kernels, forms = {}, {}
    for good, what in re.findall(r"^(ok|not ok) - (.*)", text, re.M):
        # mpfr's name of a form has commas and spaces; a case is FILE:LINE KERNEL.
        case = re.match(r"([\w.+-]+\.ptx):\d+ ([\w$%]+)(.*)", what)
        if case:
            key = case.group(1), case.group(2)
            good = good == "ok" and "fails as expected" not in case.group(3)
            kernels[key] = kernels.get(key, True) and good
        elif re.match(r"\w+\.\S+ %\w", what):
            form = re.split(r"(?:, expected|:) ", what)[0]
            forms[form] = good == "ok" and "expected to differ" not in what
    head = dict(re.findall(r"^- (commit|GPU|date): (.*)", text, re.M))
    gpu = re.sub(r", GPU-[-\w]+", "", head.get("GPU", "an H100"))
    run = "run %s, %s, commit %s\n" % (gpu, head.get("date", "?").split(",")[0],
                                       head.get("commit", "?")[:12])
    return kernels, forms, head.get("commit"), run


def text_of(path, commit):
    """The file as it was when it ran."""
    if commit:
        where = os.path.relpath(path, os.path.join(cases.PTX, "../.."))
        done = subprocess.run(["git", "show", commit + ":" + where], cwd=cases.PTX,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            return done.stdout.decode("utf-8", errors="replace")
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def main():
    runs, agreed, differs, forms = read()
    paths = cases.paths()
    for results in sys.argv[1:]:
        with open(results, encoding="utf-8", errors="replace") as file:
            kernels, answers, commit, run = parse(file.read())
        print("h100.py: %s: %d kernels, %d forms" % (results, len(kernels), len(answers)))
        if not kernels and not answers:
            sys.exit("h100.py: no cases in it: V=1 makes gpu-check print them")
        runs = [r for r in runs if r != run] + [run]
        digests = {name: cases.kernels(text_of(paths[name], commit))
                   for name in sorted({name for name, _ in kernels} & paths.keys())}
        for (name, kernel), good in kernels.items():
            if kernel not in digests.get(name, {}):
                continue
            digest = digests[name][kernel][1]
            agreed.setdefault(name, set()).discard(digest)
            differs.pop((name, kernel), None)
            if good:
                agreed[name].add(digest)
            else:
                differs[name, kernel] = digest
        for form, good in answers.items():
            forms["+-"[good]].discard(form)
            forms["-+"[good]].add(form)
    write(runs, agreed, differs, forms)


if __name__ == "__main__":
    main()
