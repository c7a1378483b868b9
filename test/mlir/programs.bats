# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the built programs do beyond test/mlir/run: again and again, with the repair
# switched off, call by call on the stub, and when the driver fails. On the CPU device;
# scripts/gpu-check runs the file with GPURUN_TEST_DEVICE=gpu. RACE_TIMES=N is for the
# builds that a sanitizer slows down.

bats_require_minimum_version 1.5.0

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=${BUILD:-build/gcc}
	[[ $build == /* ]] || build=$root/$build
	programs=$build/test/mlir
	stub=$build/test/libcuda-stub.so
	device=${GPURUN_TEST_DEVICE:-cpu}
	times=${RACE_TIMES:-100}
	unset "${!GPURUN_@}"
	export GPURUN_DEVICE=$device
	cd "$BATS_TEST_TMPDIR" || return 1
}

same() {	# GOT WANT
	[[ $1 == "$2" ]] || { printf 'got:\n%s\nwant:\n%s\n' "$1" "$2"; return 1; }
}

# Runs a program on the stub, in whose environment VARIABLE=VALUE... are.
on_stub() {	# STATUS PROGRAM VARIABLE=VALUE...
	local status=$1 program=$2

	shift 2
	run "-$status" --separate-stderr env GPURUN_DEVICE=gpu GPURUN_DRIVER="$stub" "$@" \
		"$programs/$program"
}

# Wants one line on stderr, which tells of every WORD.
one_line() {	# WORD...
	local word

	same "${#stderr_lines[@]}" 1
	for word in "$@"; do
		[[ $stderr == *"$word"* ]] || { echo "no '$word' in: $stderr"; return 1; }
	done
}

@test "the race, from LLVM 22: right every time, each with the one warning" {
	for _ in $(seq "$times"); do
		run -0 --separate-stderr "$programs/race.isa"
		same "$output" "( 84, 84 )"
		one_line stream event
	done
}

@test "the race, as LLVM 23 lowers it: right every time, each in silence" {
	for _ in $(seq "$times"); do
		run -0 --separate-stderr "$programs/race23.isa"
		same "$output" "( 84, 84 )"
		same "$stderr" ""
	done
}

@test "the race with the repair switched off: wrong, said, and status 115" {
	local wrong=0

	for _ in {1..20}; do
		GPURUN_MLIR_REPAIR=0 run -115 --separate-stderr "$programs/race.isa"
		[[ $stderr == *CUDA_ERROR_CONTEXT_IS_DESTROYED* ]]
		[[ $output == "( 84, 84 )" ]] || wrong=$((wrong + 1))
	done
	echo "wrong $wrong times of 20"
	# A busy machine may let the kernel win now and then.
	((wrong >= 15))
}

# Compares what a program asks the driver for with NAME.trace. TRACES=write writes it anew.
traced() {	# NAME
	local wanted=$root/test/mlir/$1.trace

	on_stub 0 "$1.isa" GPURUN_STUB_TRACE="$PWD/trace" GPURUN_POOL=0
	grep -vE '^cu(Init|Device|Driver|Ctx|Func|Mem.*Info|StreamQuery|StreamGet)' trace >calls
	if [[ ${TRACES-} == write ]]; then
		cp calls "$wanted"
	fi
	diff -u "$wanted" calls
}

@test "the race as LLVM 23 lowers it, call by call: the event is waited for" {
	traced race23
}

@test "the race from LLVM 22, call by call: the stream is waited for, then destroyed" {
	traced race
}

@test "an unloading that fails while the driver lives is said, in main and at the end" {
	on_stub 115 counter.isa GPURUN_STUB_FAIL=cuModuleUnload:2=400
	one_line cuModuleUnload CUDA_ERROR_INVALID_HANDLE
	on_stub 115 empty.isa GPURUN_STUB_FAIL=cuModuleUnload=400
	one_line cuModuleUnload CUDA_ERROR_INVALID_HANDLE
}

@test "709 on a stream that lives is said" {
	on_stub 115 empty.isa GPURUN_STUB_FAIL=cuStreamSynchronize:1=709
	one_line cuStreamSynchronize CUDA_ERROR_CONTEXT_IS_DESTROYED
}

@test "a device chosen after the module was loaded gets the module" {
	on_stub 0 device.isa GPURUN_STUB_TRACE="$PWD/trace" GPURUN_STUB_DEVICES=2 \
		GPURUN_TEST_ORDINAL=1
	same "$stderr" ""
	grep -E '^cu(DevicePrimaryCtxRetain|Module(Load|Get)|Launch)' trace | sed 's/, \.\.\..*//' >calls
	diff -u - calls <<-'CALLS'
		cuDevicePrimaryCtxRetain(-> context#1, 0)
		cuModuleLoadDataEx(-> module#1
		cuDevicePrimaryCtxRetain(-> context#2, 1)
		cuModuleLoadDataEx(-> module#2
		cuModuleGetFunction(-> function#1, module#2, "main_kernel")
		cuLaunchKernel(function#1, 1, 1, 1, 1, 1, 1, 0, stream#1
	CALLS
}

@test "gpurun --exec: what the program prints, and its status" {
	run -0 --separate-stderr "$build/bin/gpurun" -d "$device" --exec "$programs/race23.isa"
	same "$output" "( 84, 84 )"
	same "$stderr" ""
	# The CPU device gives each cause the status that gpurun itself has for it.
	local status=115
	[[ $device != cpu ]] || status=117
	run "-$status" --separate-stderr "$build/bin/gpurun" -d "$device" --exec "$programs/assert.isa"
	[[ $stderr == *CUDA_ERROR_ASSERT* ]]
}

@test "--check leak: what a program leaves to the library is found, what it freed is not" {
	[[ $device == cpu ]] || skip "about the CPU device"
	local cpu=cpu:check=leak

	GPURUN_DEVICE=$cpu run -119 --separate-stderr "$programs/leak.isa"
	same "$output" 7
	same "$(sed 's/0x[0-9a-f]*/ADDRESS/; s/allocation [0-9]*/allocation N/' <<<"$stderr" | sort)" \
"gpurun: check: 2 findings
gpurun: check: leak: 100 bytes at ADDRESS, from cuMemAlloc, allocation N, are never freed
gpurun: check: leak: 300 bytes at ADDRESS, from cuMemAlloc, allocation N, are never freed"
	GPURUN_POOL=1 GPURUN_DEVICE=$cpu run -119 --separate-stderr "$programs/leak.isa"
	same "${stderr_lines[2]}" "gpurun: check: 2 findings"
	# What the library keeps for itself: freed blocks, streams, tensor maps.
	for program in memory.isa tensor.isa race23.isa; do
		GPURUN_POOL=1 GPURUN_DEVICE=$cpu run -0 --separate-stderr "$programs/$program"
		same "$stderr" ""
	done
	GPURUN_DEVICE=$cpu run -0 --separate-stderr "$programs/race.isa"
	one_line stream event
	GPURUN_LOG=leaks run -0 --separate-stderr "$programs/tensor.isa"
	[[ $stderr == "gpurun: device 0: no memory leaked, peak "* ]]
}

@test "the command finds the kernels in the objects of every LLVM" {
	local object

	for object in "$root"/test/mlir/objects/*.o; do
		[[ $object == */@(memory|leak).* ]] || "$build/bin/gpurun" "$object" --list
	done
}

@test "the table in docs/mlir-programs.md is what the programs do" {
	BUILD=$build "$root/test/mlir/run" "$device" table >rows
	# In any order: that of the page matters on no device.
	diff -u <(grep "| $device |" "$root/docs/mlir-programs.md" | sort) <(sort rows)
}
