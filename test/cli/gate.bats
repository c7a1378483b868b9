# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scripts/bench-gate: what it refuses, and what it prints. How it judges: test/unit/bench/ratio.c.
bats_require_minimum_version 1.5.0

# bats file_tags=plain

cpu=$BUILD/lib/gpurun/cpu/libcuda.so.1

setup() {
	unset GATE GATE_EXCEPT GPURUN_CPU
	export ROUNDS=10
}

@test "one library against itself: a row for each kernel asked for, the mean and the count" {
	GATE="scan hist" GATE_EXCEPT=hist GPURUN_CPU=isa=baseline run --separate-stderr \
		scripts/bench-gate "$BUILD" "$cpu"
	[[ $status -le 1 && -z $stderr ]] # other processes may make one of them slower
	[[ ${lines[0]} == "bench-gate: old is $cpu" && ${lines[1]} == "bench-gate: new is $cpu" ]]
	[[ ${lines[2]} == "bench-gate: GPURUN_CPU=isa=baseline,threads=1; "*"; 10 pairs" ]]
	[[ ${lines[4]} =~ ^\ \ scan\ +[0-9.]+\ ms\ +[0-9.]+\ ms\ +[0-9.]+\ \ [0-9.]+\ to\ [0-9.]+ ]]
	[[ ${lines[5]} == "  hist "*"  excepted" ]]
	[[ ${lines[6]} =~ ^\ \ mean\ +[0-9.]+\ \ [0-9.]+\ to\ [0-9.]+ ]]
	[[ ${lines[7]} == "bench-gate: once more, which decides; 20 pairs" || ${#lines[@]} == 8 ]]
	[[ ${lines[-1]} =~ ^"bench-gate: "([0-2])" passed, "([0-2])" failed"$ ]]
	((BASH_REMATCH[1] + BASH_REMATCH[2] == 2 && (BASH_REMATCH[2] > 0) == status))
}

@test "GATE_NATIVE: each ratio to native code, too" {
	GATE=scan GATE_NATIVE=1 GPURUN_CPU=isa=baseline run --separate-stderr \
		scripts/bench-gate "$BUILD" "$cpu"
	[[ $status -le 1 && -z $stderr ]]
	[[ ${lines[4]} =~ ^\ \ scan\ .*\ \ native\ +[0-9.]+\ \ [0-9.]+\ to\ [0-9.]+ ]]
	[[ ${lines[5]} =~ ^\ \ mean\ .*\ \ native\ +[0-9.]+\ \ [0-9.]+\ to\ [0-9.]+ ]]
}

@test "what is no build, no libcuda or not the CPU device" {
	run -2 --separate-stderr scripts/bench-gate "$BUILD" "$BATS_TEST_TMPDIR"
	[[ $stderr == "bench-gate: $BATS_TEST_TMPDIR/lib/gpurun/cpu/libcuda.so.1 is not there:"* ]]
	run -2 --separate-stderr scripts/bench-gate "$BUILD/nothing" "$BUILD"
	[[ $stderr == "bench-gate: $BUILD/nothing is not there: expected a build's folder"* ]]
	run -2 --separate-stderr scripts/bench-gate "$BUILD"
	[[ $stderr == "usage: bench-gate OLD NEW" ]]

	run -2 --separate-stderr scripts/bench-gate "$BUILD/test/libcuda-stub.so" "$cpu"
	[[ $stderr == "bench-gate: OLD: "*": the device is \"gpurun stub\", expected \"gpurun CPU device\""* ]]
	run -2 --separate-stderr scripts/bench-gate "$cpu" "$BUILD/test/libcuda-stub.so"
	[[ $stderr == "bench-gate: NEW: "*": the device is \"gpurun stub\", expected \"gpurun CPU device\""* ]]
	run -2 --separate-stderr scripts/bench-gate "$BUILD/lib/libgpurun.so" "$cpu"
	[[ $stderr == "bench-gate: OLD: "*" is no CUDA driver: it lacks cuInit" ]]
	run -2 --separate-stderr scripts/bench-gate scripts/bench-gate "$cpu"
	[[ $stderr == "bench-gate: OLD: "*"invalid ELF header"* ]]
}

@test "names of kernels and numbers of rounds that are none" {
	GATE="scan nosuch" run -2 --separate-stderr scripts/bench-gate "$BUILD" "$BUILD"
	[[ $stderr == "bench-gate: GATE: \"nosuch\" is no kernel's name; there are saxpy inthash "*" wmma16" ]]
	GATE_EXCEPT=mm8 run -2 --separate-stderr scripts/bench-gate "$BUILD" "$BUILD"
	[[ $stderr == "bench-gate: GATE_EXCEPT: \"mm8\" is no kernel's name; "* ]]
	GATE=" " run -2 --separate-stderr scripts/bench-gate "$BUILD" "$BUILD"
	[[ $stderr == "bench-gate: GATE names no kernel:"* ]]
	for ROUNDS in 0 none 99999; do
		run -2 --separate-stderr scripts/bench-gate "$BUILD" "$BUILD"
		[[ $stderr == "bench-gate: ROUNDS is to be a number from 1 to 2000: $ROUNDS" ]]
	done
}

@test "a kernel whose result is not that of the same work in C" {
	mkdir -p "$BATS_TEST_TMPDIR"/{scripts,test/bench/cpu}
	cp scripts/bench-gate "$BATS_TEST_TMPDIR/scripts"
	awk '/\.entry / { inside = /transpose/ } !(inside && /st\.global/)' \
		test/bench/cpu/kernels.ptx >"$BATS_TEST_TMPDIR/test/bench/cpu/kernels.ptx"
	GATE=transpose run -2 --separate-stderr "$BATS_TEST_TMPDIR/scripts/bench-gate" "$BUILD" "$BUILD"
	[[ $stderr == "bench-gate: OLD: transpose: word "*" is 0, expected 0x"* ]]
}

@test "each kernel that the gate has is in what it runs on, once" {
	run -2 --separate-stderr env GATE=none scripts/bench-gate "$BUILD" "$BUILD"
	names=${stderr##*there are }
	[[ $(wc -w <<<"$names") == 23 ]]
	[[ $(grep -c '\.entry ' test/bench/cpu/kernels.ptx) == 24 ]] # matmul8 is not the gate's
	while read -r name except; do
		[[ $name == '#'* ]] || for name in $except; do
			[[ " $names " == *" $name "* ]]
		done
	done <test/bench/cpu/excepted
}
