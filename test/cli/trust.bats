# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How programs end under --exec: the rows of test/exec/trust/table, a section in each test.

load helpers

rows() {	# SECTION
	BUILD=$build "$root/test/exec/trust/rows" "$root/test/exec/trust/table" "$1"
}

@test "every section of the table has its test" {
	same "$(sed -n 's/^== //p' "$root/test/exec/trust/table" | sort)" \
		"$(sed -n 's/^\trows //p' "$BATS_TEST_FILENAME" | sort)"
}

@test "117: a kernel faulted, and the program did not look" {
	rows faults
}

@test "a fault that the program looked at is its own to judge" {
	rows looks
}

@test "--expect-fault: a fault is right, and none is 118" {
	rows expected
	run -110 --separate-stderr gpurun --expect-fault "$cuda/saxpy.ptx" --launch saxpy
	[[ $stderr == "gpurun: error: --expect-fault"*"--exec"* ]]
}

@test "116: a launch by <<<>>> failed and was not read" {
	rows launches
}

@test "112: a module was refused, and nothing ran" {
	rows images
}

@test "115: another failure of a library of ours" {
	rows cuda
}

@test "119: findings of the checker" {
	rows findings
}

@test "--check api: a failed call is a finding, but for those that are questions" {
	rows api
}

@test "--require-launch: fewer kernels ran than that" {
	rows required
	run -110 --separate-stderr gpurun --require-launch "$cuda/saxpy.ptx" --launch saxpy
	[[ $stderr == "gpurun: error: --require-launch"*"--exec"* ]]
	run -110 --separate-stderr gpurun --require-launch=none --exec true
	[[ $stderr == "gpurun: error: --require-launch"* ]]
}

@test "each child of the program answers for itself" {
	rows children
}

@test "the program's own status stays" {
	rows own
}

@test "programs that are right stay green" {
	rows right
}

# bats test_tags=plain
@test "programs of Python, by ctypes" {
	rows ctypes
}

# bats test_tags=plain
@test "GCC's OpenMP" {
	local compiler=x86_64-linux-gnu-gcc-12

	if ! command -v "$compiler" >/dev/null ||
		! [[ -x $("$compiler" -print-file-name=accel/nvptx-none/mkoffload) ]]; then
		skip "needs gcc-12-offload-nvptx"
	fi
	mkdir bin
	# GCC 12 asks for sm_35, which a ptxas of today refuses to verify.
	"$compiler" -O2 -fopenmp -foffload=nvptx-none -foffload-options=nvptx-none=-Wa,--no-verify \
		"$root/test/exec/trust/gcc/openmp.c" -o bin/openmp
	export OMP_TARGET_OFFLOAD=MANDATORY
	rows openmp
}

@test "a process that is not under --exec gets the line and keeps its status" {
	local trust=$build/test/exec/trust

	export LD_LIBRARY_PATH=$build/lib/gpurun/cudart:$build/lib/gpurun/cpu:$build/lib
	run -0 --separate-stderr "$trust/runtime" launch:trap sync
	same "$output" "sync 719"
	[[ $stderr == *"gpurun: "*trap* ]]
	run -0 --separate-stderr "$trust/runtime" launch:nothing,b=2048 sync
	[[ $stderr == *"gpurun: "*nothing*"2048 threads, at most 1024"* ]]
	run -0 --separate-stderr "$trust/driver" init load:newer
	[[ $stderr == *"gpurun: "*sm_120* ]]
	run -0 --separate-stderr "$build/test/exec/foreign" 0 \
		6bd5fb6c5bf4e74a8987d93912fd9df9
	[[ $stderr == "gpurun: "*"NVIDIA's runtime library"* ]]
	GPURUN_CPU=check=mem run -119 "$trust/driver" init load alloc launch:crooked sync
}
