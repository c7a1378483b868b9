# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets Numba 0.56 use CUDA 13: a folder in PYTHONPATH, so that every Python that a test starts has it, too.

That Numba knows CUDA up to 11.7. Here it is told of three things that 12 and 13 changed:
the names of calls, the version of NVVM's IR, and the architectures that NVVM compiles for."""
import importlib.abc
import importlib.util
import os
import sys

ARCHITECTURES = ((7, 5), (8, 0), (8, 6), (8, 9), (9, 0))
# What compile_ptx() takes when it is not told: 5.3, which NVVM 13 no longer knows.
os.environ.setdefault("NUMBA_CUDA_DEFAULT_PTX_CC", "7.5")


def mend_nvvm(nvvm):
    from llvmlite import ir

    def add_ir_version(module):
        # NVVM IR 2.0, debug information 3.2 (of the toolkit's libnvvm: nvvmIRVersion())
        numbers = [ir.IntType(32)(n) for n in (2, 0, 3, 2)]
        module.add_named_metadata("nvvmir.version", module.add_metadata(numbers))

    nvvm.add_ir_version = add_ir_version
    nvvm._supported_cc = ARCHITECTURES
    nvvm.get_supported_ccs = lambda: ARCHITECTURES


def mend_driver(driver):
    find_api = driver.Driver._find_api

    def newer(self, name):
        # Numba tries NAME_v2 first; of these, v2 came with CUDA 13 and takes a context more
        if name in ("cuCtxGetDevice", "cuCtxSynchronize"):
            return getattr(self.lib, name)
        return find_api(self, name)

    driver.Driver._find_api = newer


MENDED = {"numba.cuda.cudadrv.nvvm": mend_nvvm, "numba.cuda.cudadrv.driver": mend_driver}


class Mender(importlib.abc.MetaPathFinder):
    """Finds nothing itself: changes a module of MENDED when the others have loaded it."""

    def find_spec(self, name, path, target=None):
        if name not in MENDED or name in sys.modules:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        # Numba's simulator has modules of the same names, which need nothing
        if not spec or not spec.loader or os.environ.get("NUMBA_ENABLE_CUDASIM", "0") != "0":
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            MENDED[name](module)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Mender())
