# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas says about single instructions."""

import re
import subprocess
import tempfile

HEAD = """.version 9.0
.target {target}
.address_size 64
.func f() {{ ret; }}
.global .align 128 .b8 g[128];
.const .align 128 .b8 c[128];
.shared .align 128 .b8 s[128];
.visible .entry k(.param .align 64 .b8 a[64])
{{
"""
DECLARATIONS = """.reg .pred %p<8>;
.reg .b8 %b<8>;
.reg .b16 %h<16>;
.reg .b32 %r<300>;
.reg .b64 %d<130>;
.reg .b128 %q<8>;
.reg .v2 .b16 %h2v, %h2w;
.reg .v4 .b16 %h4v, %h4w;
.reg .v2 .b32 %r2v, %r2w;
.reg .v4 .b32 %r4v, %r4w;
.reg .v2 .b64 %d2v, %d2w;
.local .align 16 .b8 l[64];
"""
TAIL = "L: ret;\nM:\n ret;\n}\n"
CHUNK = 4000


def spread(form):
    """The form with every "%r0..3" written out."""
    return re.sub(r"(%[a-z]+)(\d+)\.\.(\d+)", lambda m: ", ".join(
        m[1] + str(i) for i in range(int(m[2]), int(m[3]) + 1)), form)


def complaints(ptxas, target, forms):
    """Runs ptxas once: whether it failed, and the indices of the forms that it names."""
    lines, index = (HEAD.format(target=target) + DECLARATIONS).split("\n")[:-1], {}
    for i, form in forms:
        lines.append(spread(form) + ";")
        index[len(lines)] = i
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write("\n".join(lines) + "\n" + TAIL)
        file.flush()
        done = subprocess.run([ptxas, "-arch=" + target, "-O0", file.name, "-o", "/dev/null"],
                              stderr=subprocess.PIPE, text=True)
    named = {index.get(int(n)) for n in re.findall(r", line (\d+); (?:error|fatal)", done.stderr)}
    return done.returncode != 0, named - {None}


def refused(ptxas, target, forms):
    """The indices among @forms, pairs of index and text, of those that ptxas refuses."""
    bad = set()
    while True:
        left = [form for form in forms if form[0] not in bad]
        failed, named = complaints(ptxas, target, left)
        bad |= named
        if not failed:
            return bad
        if not named and len(left) == 1:
            return bad | {left[0][0]}
        if not named:  # it does not say where: look in both halves
            middle = len(left) // 2
            return (bad | refused(ptxas, target, left[:middle]) |
                    refused(ptxas, target, left[middle:]))


def verdicts(ptxas, target, forms):
    """Of each form, whether ptxas accepts it."""
    accepted = []
    for start in range(0, len(forms), CHUNK):
        part = list(enumerate(forms[start:start + CHUNK]))
        bad = refused(ptxas, target, part)
        accepted += [i not in bad for i, _ in part]
    return accepted
