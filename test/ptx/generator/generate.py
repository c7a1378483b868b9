#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py -o DIR [NAME ...]: writes NAME.ptx into DIR. Without a name DIR is made anew, as a
whole: what was in it is gone, and nothing of it changes unless all files could be made.

generate.py -k [-o DIR] [NAME ...]: writes NAME.cases of the kernels that compilers made, into
kernels/ or DIR, all of them without a name. Run kernels/compile then.

The expected values are computed here from the text of the PTX ISA, with Python's
integers and fractions, and by nothing that gpurun itself is made of.
"""

import argparse
import concurrent.futures
import fcntl
import importlib
import os
import pkgutil
import shutil
import sys

PTX = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = PTX  # the modules are those of the package alone

import generator  # noqa: E402

# Those that take longest, about matrices, are at the end of the alphabet: they begin.
MODULES = sorted((module.name for module in pkgutil.iter_modules(generator.__path__)
                  if module.name != "generate"), reverse=True)


def write(folder, file, text):
    path = os.path.join(folder, file)
    os.makedirs(os.path.dirname(path), exist_ok=True)  # what a newer target has is in a folder
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def write_module(name, folder, wanted):
    """Writes the files of one module, or those that are wanted; their names."""
    module = importlib.import_module("generator." + name)
    files = [made for made in (module.files() if hasattr(module, "files") else ())
             if not wanted or made.name in wanted]
    for made in files:
        write(folder, made.name + ".ptx", made.text())
    return [made.name for made in files]


def write_modules(folder, wanted):
    """A process for each processor: the names of what they wrote."""
    names = []
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for done in [pool.submit(write_module, name, folder, wanted) for name in MODULES]:
            names += done.result()
    for name in sorted(set(names)):
        if names.count(name) > 1:
            sys.exit("generate.py: two modules make %s.ptx" % name)
    return names


def replace(folder):
    """Makes the folder anew. Who comes while another one does, waits."""
    new, old = folder + ".new", folder + ".old"
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(folder + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(new, ignore_errors=True)
        os.mkdir(new)
        write_modules(new, ())
        shutil.rmtree(old, ignore_errors=True)
        if os.path.exists(folder):
            os.rename(folder, old)
        os.rename(new, folder)
        shutil.rmtree(old, ignore_errors=True)


def write_kernels(folder, wanted):
    names = []
    for module in ("kernels", "corpus"):
        for made in importlib.import_module("generator." + module).cases():
            if not wanted or made.name in wanted:
                write(folder, made.name + ".cases", made.text())
                names.append(made.name)
    return names


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-o", dest="folder")
    parser.add_argument("-k", dest="kernels", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    if not args.folder and not args.kernels:
        parser.error("say where: -o DIR")
    folder = os.path.abspath(args.folder or os.path.join(PTX, "kernels"))
    if not args.kernels and not args.names:
        replace(folder)
        return
    os.makedirs(folder, exist_ok=True)
    made = (write_kernels if args.kernels else write_modules)(folder, args.names)
    for name in args.names:
        if name not in made:
            sys.exit("generate.py: no module makes " + name)


if __name__ == "__main__":
    main()
