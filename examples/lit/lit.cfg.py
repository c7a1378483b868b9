# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of GPU code that need no GPU:  lit -v examples/lit
#
# gpurun has to be in PATH. GPURUN_DEVICE is passed on; without it kernels run on a
# GPU, and where there is none on the CPU device.
#
# %gpurun       gpurun with a time limit, without notes
# %mlir-opt ... the tool of LLVM 22, or of the version that LLVM names (LLVM=23 lit ...)
# %mlir-runtime the options that link libmlir_cuda_runtime
#
# REQUIRES: gpu         a GPU is there
# REQUIRES: mlir-opt    that tool is there; likewise mlir-translate, llc, cc
# REQUIRES: mlir-runtime pkg-config finds libmlir_cuda_runtime
#
# Tests whose tools are missing are unsupported, and lit ends with 0. GPU_TESTS_STRICT=1
# makes a missing tool an error; a missing GPU is none.

import json
import os
import shutil
import subprocess
import tempfile

import lit.formats

config.name = "gpu"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ll"]
config.test_source_root = os.path.dirname(__file__)
# Where lit is started; below $TMPDIR or /tmp if nothing can be written there.
try:
    config.test_exec_root = os.path.join(os.getcwd(), "lit-output")
    os.makedirs(config.test_exec_root, exist_ok=True)
except OSError:
    config.test_exec_root = tempfile.mkdtemp(prefix="lit-output-")


def find(name):
    version = os.environ.get("LLVM", "22")
    return shutil.which(name + "-" + version) or shutil.which(name)


gpurun = shutil.which("gpurun")
if not gpurun:
    lit_config.fatal("gpurun is not in PATH")

config.substitutions.append(("%gpurun", gpurun + " -q -t 60"))

# Packages have it where pkg-config looks, a tarball beside the command.
beside = os.path.join(os.path.dirname(os.path.realpath(gpurun)), "..", "lib", "pkgconfig")
os.environ["PKG_CONFIG_PATH"] = os.environ.get("PKG_CONFIG_PATH", "") + ":" + beside
if shutil.which("pkg-config"):
    options = subprocess.run(
        ["pkg-config", "--libs", "mlir_cuda_runtime"], stdout=subprocess.PIPE, text=True
    )
    if options.returncode == 0:
        config.substitutions.append(("%mlir-runtime", options.stdout.strip()))
        config.available_features.add("mlir-runtime")

tools = ["FileCheck", "mlir-opt", "mlir-translate", "llc", "cc"]
for tool in tools:
    path = find(tool)
    if path:
        config.substitutions.append(("%" + tool + r"\b", path))
        config.available_features.add(tool)

missing = [name for name in tools + ["mlir-runtime"] if name not in config.available_features]
if missing and os.environ.get("GPU_TESTS_STRICT"):
    lit_config.fatal("GPU_TESTS_STRICT is set, and missing: " + ", ".join(missing))

config.environment["GPURUN_DEVICE"] = os.environ.get("GPURUN_DEVICE", "auto")
answer = subprocess.run([gpurun, "--devices", "--json", "-q"], stdout=subprocess.PIPE)
if any(device["kind"] == "gpu" for device in json.loads(answer.stdout)["devices"]):
    config.available_features.add("gpu")
