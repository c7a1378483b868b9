# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What docs/recipes.md, docs/mlir.md, docs/offload.md, docs/many-machines.md and examples/README.md
# tell people to run, runs. Each test has a copy of examples/ in an empty folder, and no GPU.

bats_require_minimum_version 1.5.0
load documents
load lines

setup() {
	with_examples "$BATS_TEST_TMPDIR"
}

@test "every block of the documents is run by a test here" {
	local document

	for document in docs/recipes.md docs/mlir.md docs/offload.md docs/many-machines.md; do
		[[ $(blocks $document sh) == $(grep -c "^	recipe $document " "$BATS_TEST_FILENAME") ]]
	done
}

@test "a smoke test in a script" {
	recipe docs/recipes.md "--expect y=iota=1,2"
	[[ $output == "" ]]
}

@test "jobs that share a device" {
	recipe docs/recipes.md "--launch main --lock"
	[[ $output == "main runs on thread 0 of block 0"* ]]
}

@test "a skip where there is no GPU" {
	recipe docs/recipes.md "--no-device-exit 77"
}

@test "a report of a fault" {
	recipe docs/recipes.md "report.json"
}

@test "test cases and annotations for a CI system" {
	recipe docs/recipes.md "--junit=junit.xml"
}

@test "kernels of several files" {
	recipe docs/recipes.md "--unload two"
	[[ $output == "y: "* ]]
}

@test "a job of Open MPI" {
	needs mpirun
	recipe docs/many-machines.md "mpirun -np 4" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
		GPURUN_CPU=threads=1
	[[ $(od -An -tf4 -v -j 128 out.2.npy | xargs) == "2 3 4 5" && $(ls res.?.json) == res.0.json$'\n'*res.3.json ]]
}

@test "MLIR's object through a pipe, and FileCheck" {
	needs mlir-opt-22 mlir-translate-22 llc-22 FileCheck-22
	recipe docs/recipes.md "FileCheck-22 examples/lit/kernel.mlir"
}

@test "the lit suite passes, and what needs a GPU is unsupported" {
	needs mlir-opt-22 mlir-translate-22 llc-22 FileCheck-22 lit-22
	recipe docs/recipes.md "lit-22 -v examples/lit" GPURUN_DRIVER=/nonexistent
	[[ $output == *"UNSUPPORTED: gpu :: gpu-only.ll"* ]]
	[[ $output == *"Passed     : 3 "* ]]
}

@test "the lit suite without a tool: nothing runs and all is well, unless GPU_TESTS_STRICT is set" {
	needs lit-22
	mkdir tools
	ln -s "$(command -v gpurun)" "$(command -v env)" tools
	run -0 alone PATH="$PWD/tools" "$(command -v lit-22)" examples/lit
	[[ $output == *"Unsupported: 4 "* ]]
	run -2 alone PATH="$PWD/tools" GPU_TESTS_STRICT=1 "$(command -v lit-22)" examples/lit
	[[ $output == *"GPU_TESTS_STRICT is set, and missing: FileCheck, mlir-opt, mlir-translate, llc, cc, mlir-runtime"* ]]
}

@test "the lit suite in a folder where it cannot make its own" {
	needs mlir-opt-22 mlir-translate-22 llc-22 FileCheck-22 lit-22
	mkdir tmp
	# Root writes everywhere, but no folder in the place of a file.
	touch lit-output
	run alone TMPDIR="$PWD/tmp" GPURUN_DEVICE=cpu lit-22 examples/lit
	[[ $status == 0 && ! -s lit-output ]]
	[[ -e $(echo tmp/lit-output-*/Output) ]]
}

@test "a test that has to fail with one status" {
	recipe docs/recipes.md "test \$? = 117"
	[[ $stderr == "gpurun: illegal address: write"* ]]
}

@test "the lit suite fails where a kernel is wrong" {
	needs mlir-opt-22 mlir-translate-22 llc-22 FileCheck-22 lit-22
	sed -i 's/constant 3.0/constant 4.0/' examples/lit/kernel.mlir
	sed -i 's/%right = arith.constant 0/%right = arith.constant 5/' examples/lit/program.mlir
	sed -i 's/shl i32 %old, 1/shl i32 %old, 2/' examples/lit/kernel.ll
	run -1 alone GPURUN_DEVICE=cpu lit-22 examples/lit
	[[ $output == *"Failed     : 3 "* ]]
}

@test "offload binaries of LLVM" {
	needs llc-22 clang-22 llvm-offload-binary-22
	recipe docs/recipes.md "-fembed-offload-object"
	[[ $output == "0: sm_75 PTX "*"  .llvm.offloading  producer=openmp arch=sm_75 "* ]]
	[[ $output == *"main runs on thread 0"*"main runs on thread 0"* ]]
}

# promise: That is any program
@test "an MLIR program, compiled ahead of time" {
	needs mlir-opt-22 mlir-translate-22 llc-22
	recipe docs/recipes.md "--libs mlir_cuda_runtime"
	[[ $output == $'thread 0\nthread 1' ]]
}

@test "a program on LLVM Offload, linked with LLVM's own library" {
	needs llvm-offload-device-info-22
	recipe docs/recipes.md "examples/offload/vadd.c"
	[[ $output == $'1024 of 1024 right\n1024 of 1024 right' ]]
}

@test "a host program that opens the driver" {
	recipe docs/recipes.md "cc examples/c/driver.c"
	[[ $output == "gpurun CPU device: 1 3 5 7" ]]
}

@test "LLVM's own offload library lists the CPU device" {
	needs llvm-offload-device-info-22
	recipe docs/recipes.md "--exec llvm-offload-device-info-22"
	[[ $output == *$'\nNum Devices: 2\n'*$'\nName: gpurun CPU device\n'* ]]
}

@test "MLIR: a program that is linked, and one that is compiled just in time" {
	needs mlir-opt-22 mlir-translate-22 llc-22 mlir-runner-22
	recipe docs/mlir.md "cc program.o"
	[[ $output == $'thread 0\nthread 1' ]]
	cc program.o -o elsewhere -L"$(pkg-config --variable=libdir mlir_cuda_runtime)" -lmlir_cuda_runtime
	succeeds alone gpurun -d cpu --exec ./elsewhere # which does not know where the library is
	[[ $output == $'thread 0\nthread 1' ]]
	recipe docs/mlir.md "mlir-runner-22"
	[[ $output == *$'thread 0\nthread 1'* ]]
}

@test "MLIR: source lines" {
	needs mlir-opt-22 mlir-translate-22 llc-22
	recipe docs/mlir.md "ensure-debug-info-scope-on-llvm-func"
	[[ $output == "  source examples/lit/kernel.mlir:19" ]]
	sed -i 's/kernel.mlir/program.mlir/; s/kernel.o$/program.o/; /^gpurun/,$d' recipe.sh
	bash -euo pipefail recipe.sh
	# shellcheck disable=SC2046 # words
	cc program.o -o program $(pkg-config --libs mlir_cuda_runtime)
	succeeds alone gpurun -d cpu --exec ./program
	[[ $output == $'thread 0\nthread 1' ]]
}

# met: LLVM's libLLVMOffload in the place of the one that LD_LIBRARY_PATH named, from packages
# promise: The program finds in its environment
@test "--exec puts no folder of the system before those that LD_LIBRARY_PATH names" {
	local ours

	# shellcheck disable=SC2016 # the inner shell's
	succeeds alone LD_LIBRARY_PATH=/a:/usr/lib:/b gpurun -d cpu --exec sh -c 'echo "$LD_LIBRARY_PATH"'
	ours=${output%%:/a:*}
	[[ $output == "$ours:/a:/usr/lib:/b" && ":$ours:" == *:*/gpurun/cudart:*/gpurun/cpu:* ]]
	! tr : "\n" <<<"$ours" | grep -xE "(/usr)?/lib(/[^/]*)?"
}

@test "LLVM Offload: in the place of LLVM's library, and linked with" {
	needs llvm-offload-device-info-22
	recipe docs/offload.md "LD_LIBRARY_PATH=" GPURUN_DEVICE=cpu
	[[ $output == *$'\nName: gpurun CPU device\n'* ]]
	recipe docs/offload.md "cc -I/usr/lib/llvm-22/include"
	[[ $output == "1024 of 1024 right" ]]
}

@test "examples/README.md: each line ends with the status beside it" {
	local count=0 status_wanted line

	while IFS=$'\t' read -r status_wanted line; do
		run "-$status_wanted" alone GPURUN_DEVICE=cpu bash -c "$line"
		count=$((count + 1))
	done < <(lines examples/README.md)
	((count > 20))
}
