# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How programs end under --exec: the rows of test/host-programs/statuses/table, a section in each test.

load helpers

rows() {	# SECTION
	BUILD=$build "$root/test/host-programs/statuses/rows" "$root/test/host-programs/statuses/table" "$1"
}

@test "every section of the table has its test" {
	same "$(sed -n 's/^== //p' "$root/test/host-programs/statuses/table" | sort)" \
		"$(sed -n 's/^\trows //p' "$BATS_TEST_FILENAME" | sort)"
}

# promise: On the CPU device a process
# promise: A kernel faulted, and the program
# promise: To get the error as the result
# promise: A status of the program's own
# promise: What counts is the low byte
# promise: A process that ends by _exit()
# promise: What happens has a line
@test "117: a kernel faulted, and the program did not look" {
	rows faults
}

# promise: A kernel faulted, and the program
# promise: Programs of libgpurun(3) look at it
@test "a fault that the program looked at is its own to judge" {
	rows looks
}

# promise: With --exec: a fault of a kernel
# promise: It is no reason for 117
@test "--expect-fault: a fault is right, and none is 118" {
	rows expected
	run -110 --separate-stderr gpurun --expect-fault "$cuda/saxpy.ptx" --launch saxpy
	[[ $stderr == "gpurun: error: --expect-fault"*"--exec"* ]]
}

# promise: On the CPU device a process
# promise: A launch by <<<>>> failed
# promise: A status of the program's own
# promise: What counts is the low byte
# promise: A process that ends by _exit()
# promise: A launch of a grid of 0 blocks
# promise: The results of calls of the driver
# promise: A library that asks for the last error
# promise: What happens has a line
# promise: At most eight failed launches
# promise: With --check and -v
# promise: In -j 'launches' has
@test "116: a launch by <<<>>> failed and was not read" {
	rows launches
}

# promise: On the CPU device a process
# promise: An image was refused
# promise: What happens has a line
@test "112: a module was refused, and nothing ran" {
	rows images
}

# promise: On the CPU device a process
# promise: Of programs of libmlir_cuda_runtime(3)
@test "115: another failure of a library of ours" {
	rows cuda
}

# promise: On the CPU device a process
# promise: --check has findings.
# promise: A status of the program's own
# promise: With --check and -v
@test "119: findings of the checker" {
	rows findings
}

# promise: A name with '-' before it
# promise: With --check api, which is
# promise: Not a finding is a question
# promise: A program that tests errors
@test "--check api: a failed call is a finding, but for those that are questions" {
	rows api
}

# promise: With --exec: where fewer kernels
@test "--require-launch: fewer kernels ran than that" {
	rows required
	run -110 --separate-stderr gpurun --require-launch "$cuda/saxpy.ptx" --launch saxpy
	[[ $stderr == "gpurun: error: --require-launch"*"--exec"* ]]
	run -110 --separate-stderr gpurun --require-launch=none --exec true
	[[ $stderr == "gpurun: error: --require-launch"* ]]
}

# promise: The program that gpurun runs, and its children
# promise: Where --exec stays in its process
# promise: Processes without the variable
# promise: In -j 'launches' has
@test "each child of the program answers for itself" {
	rows children
}

# promise: A status of the program's own
# promise: What counts is the low byte
@test "the program's own status stays" {
	rows own
}

# promise: A launch of a grid of 0 blocks
# promise: The results of calls of the driver
# promise: With --check and -v
# promise: A program that tests errors
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
		"$root/test/host-programs/statuses/gcc/openmp.c" -o bin/openmp
	export OMP_TARGET_OFFLOAD=MANDATORY
	rows openmp
}

# promise: Processes without the variable
@test "a process that is not under --exec gets the line and keeps its status" {
	local trust=$build/test/host-programs/statuses

	export LD_LIBRARY_PATH=$build/lib/gpurun/cudart:$build/lib/gpurun/cpu:$build/lib
	run -0 --separate-stderr "$trust/runtime" launch:trap sync
	same "$output" "sync 719"
	[[ $stderr == *"gpurun: "*trap* ]]
	run -0 --separate-stderr "$trust/runtime" launch:nothing,b=2048 sync
	[[ $stderr == *"gpurun: "*nothing*"2048 threads, at most 1024"* ]]
	run -0 --separate-stderr "$trust/driver" init load:newer
	[[ $stderr == *"gpurun: "*sm_120* ]]
	run -0 --separate-stderr "$build/test/host-programs/foreign" 0 \
		6bd5fb6c5bf4e74a8987d93912fd9df9
	[[ $stderr == "gpurun: "*"NVIDIA's runtime library"* ]]
	GPURUN_CPU=check=mem run -119 "$trust/driver" init load alloc launch:crooked sync
}

# met: an outer gpurun said 0 launches where tests ran below a gpurun of their own
@test "a gpurun below another one: both know what ran, failed and was found" {
	local program="$build/test/host-programs/statuses/driver" inner

	for inner in "gpurun --exec" "gpurun --require-launch --exec" "gpurun --check mem --exec"; do
		gpurun --require-launch=2 --json=r.json --exec sh -c "$inner '$program' init load alloc \
			launch:nothing sync launch:nothing sync"
		same "$(json r.json launches ran)" 2
	done
	run -117 --separate-stderr gpurun --json=r.json --exec gpurun -t 60 --exec "$program" init load alloc \
		launch:trap sync
	same "$(json r.json launches failed) $(json r.json fault kernel)" "1 trap"
	gpurun --expect-fault --require-launch=0 --json=r.json --exec gpurun --expect-fault --exec "$program" init \
		load alloc launch:trap sync
	gpurun --trace t.json --exec gpurun --exec "$program" init load alloc launch:nothing sync
	grep -q cuLaunchKernel t.json
}
