#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""h100.py note KIT RESULTS...: notes in h100.txt what an H100 agreed with.

RESULTS is what `run' and `mpfr' print there, line by line for each case: the report of
`V=1 STAGES="ptx mpfr" scripts/gpu-check KIT', whose head names the GPU and the commit that ran.
KIT is that kit, as `make gpu-kit' made it: it knows the digests of the cases that ran. A kit of
uncommitted changes has the commit that they are based on: make none anew before its run is noted.
What h100.txt had of other cases stays; delete it to begin anew.

h100.py check: says which of its cases have been changed since, or are gone, and fails for them.
h100.py prune: takes them out.
h100.py digests: what a kit knows."""

import os
import re
import sys

import cases
import products

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "h100.txt")
HEAD = """# What an H100 agreed with, of the cases in PTX and of test/ptx/mpfr: made by make forms-h100.
# FILE KERNEL DIGEST: all cases of the kernel passed; differs: one did not. A kernel or a case that
# has been changed has another digest: make h100-prune takes its line out. form: mpfr's.
"""


def read():
    """The list: its runs, {(file, kernel): digest} of what agreed and of what differs, and the
    forms that agreed and that differ."""
    runs, agreed, differs, forms = [], {}, {}, {"+": set(), "-": set()}
    if os.path.exists(LIST):
        for line in open(LIST, encoding="utf-8"):
            words = line.split()
            if line.startswith("run "):
                runs.append(line)
            elif line.startswith("form "):
                forms[words[1]] |= {"".join(f) for f in products.expand(line[7:].rstrip("\n"))}
            elif line.startswith("differs "):
                differs[words[1], words[2]] = words[3]
            elif line[0] not in "#\n":
                agreed[words[0], words[1]] = words[2]
    return runs, agreed, differs, forms


def write(runs, agreed, differs, forms):
    with open(LIST, "w", encoding="utf-8") as out:
        out.write(HEAD + "".join(runs))
        out.writelines(digest_lines(agreed))
        out.writelines("differs " + line for line in digest_lines(differs))
        for sign in "+-":
            for product in products.lines(forms[sign]):
                out.write("form %s %s\n" % (sign, product))


def digest_lines(digests):
    return ["%s %s %s\n" % (file, kernel, digest)
            for (file, kernel), digest in sorted(digests.items())]


def present():
    """{(file, kernel): digest} of all cases that are there."""
    found = {}
    for name, path in cases.paths().items():
        with open(path, encoding="utf-8", errors="replace") as file:
            for kernel, (_, digest) in cases.kernels(file.read()).items():
                found[name, kernel] = digest
    return found


def parse(text):
    """What results say: {(file, kernel): agreed}, {form: agreed}, commit, the run's line."""
    kernels, forms, skipped = {}, {}, set()
    for good, what in re.findall(r"^(ok|not ok) - (.*)", text, re.M):
        # mpfr's name of a form has commas and spaces; a case is FILE:LINE KERNEL.
        case = re.match(r"([\w.+-]+\.ptx):\d+ ([\w$%]+)(.*)", what)
        if case:
            key = case.group(1), case.group(2)
            good = good == "ok" and "fails as expected" not in case.group(3)
            kernels[key] = kernels.get(key, True) and good
            if "# SKIP" in case.group(3):
                skipped.add(key)
        elif re.match(r"\w+\.\S+ %\w", what):
            form = re.split(r"(?:, expected|:) ", what)[0]
            forms[form] = good == "ok" and "expected to differ" not in what
    # Nothing is known of a kernel that has cases of the CPU device's own.
    kernels = {key: good for key, good in kernels.items() if key not in skipped}
    head = dict(re.findall(r"^- (commit|GPU|date): (.*)", text, re.M))
    gpu = re.sub(r", GPU-[-\w]+", "", head.get("GPU", "an H100"))
    commit = head.get("commit", "unknown")
    run = "run %s, %s, commit %s\n" % (gpu, head.get("date", "?").split(",")[0],
                                       re.sub(r"^(\w{12})\w*", r"\1", commit))
    return kernels, forms, commit, run


def digests_of(kit, results, commit):
    """What the kit says of its cases, which has to be the one that ran."""
    try:
        with open(os.path.join(kit, "kit/commit"), encoding="utf-8") as file:
            made = file.read().strip()
        with open(os.path.join(kit, "kit/digests"), encoding="utf-8") as file:
            found = {tuple(words[:2]): words[2] for words in map(str.split, file)}
    except OSError as error:
        sys.exit("h100.py: %s is no kit: %s" % (kit, error))
    if made != commit or made == "unknown":
        sys.exit("h100.py: %s is a run of commit %s, and %s of commit %s: take the kit that ran, or "
                 "make it anew of that commit" % (results, commit, kit, made))
    return found


def note(kit, paths):
    runs, agreed, differs, forms = read()
    now = present()
    for results in paths:
        with open(results, encoding="utf-8", errors="replace") as file:
            kernels, answers, commit, run = parse(file.read())
        print("h100.py: %s: %d kernels, %d forms" % (results, len(kernels), len(answers)))
        if not kernels and not answers:
            sys.exit("h100.py: no cases in it: V=1 makes gpu-check print them")
        ran = digests_of(kit, results, commit)
        changed = {key for key in kernels.keys() & ran.keys() if ran[key] != now.get(key)}
        if changed:
            print("h100.py: %d of them have been changed since, and are not noted" % len(changed))
        runs = [r for r in runs if r != run] + [run]
        for key in kernels.keys() & ran.keys() - changed:
            agreed.pop(key, None)
            differs.pop(key, None)
            (agreed if kernels[key] else differs)[key] = ran[key]
        for form, good in answers.items():
            forms["+-"[good]].discard(form)
            forms["-+"[good]].add(form)
    write(runs, agreed, differs, forms)


def stale():
    """What has evidence and is not there any more as it ran: {(file, kernel): why}."""
    _, agreed, differs, _ = read()
    now, why = present(), {}
    for key, digest in list(agreed.items()) + list(differs.items()):
        if key not in now:
            why[key] = "is gone"
        elif now[key] != digest:
            why[key] = "has been changed since it ran"
    return why


def check():
    why = stale()
    for key in sorted(why):
        print("h100.txt: %s %s %s: make h100-prune" % (*key, why[key]))
    return 1 if why else 0


def prune():
    gone = stale()
    runs, *lists, forms = read()
    kept = [{key: digest for key, digest in one.items() if key not in gone} for one in lists]
    write(runs, *kept, forms)
    print("h100.py: %d cases lost their evidence, %d have it" % (len(gone), len(kept[0])))


def main():
    command, *words = sys.argv[1:] or [""]
    if command == "note" and len(words) >= 2:
        note(words[0], words[1:])
    elif command == "check" and not words:
        sys.exit(check())
    elif command == "prune" and not words:
        prune()
    elif command == "digests" and not words:
        sys.stdout.writelines(digest_lines(present()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
