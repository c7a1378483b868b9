# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tools such as compute-sanitizer report each driver call that fails. So none may in a run that
# goes well, on a driver that has every call: on the stub, by its trace. Streams that are not
# idle yet (600) are no failure.

load helpers

# Runs a command on a stub whose kernels have N parameters; fails when a call failed.
clean() {	# N COMMAND...
	local count=$1

	shift
	[[ -e $stub ]] || skip "the stub driver is not built"
	rm -f trace
	run -0 --separate-stderr env GPURUN_DRIVER="$stub" GPURUN_STUB_TRACE="$PWD/trace" \
		GPURUN_DEVICE=gpu GPURUN_STUB_PARAMETERS="$count" GPURUN_STUB_VARIABLE=8 "$@"
	grep -q "^cuInit" trace
	run ! grep -E '\) = [0-9]+$' <(grep -v ') = 600$' trace)
}

# met: a clean run made driver calls that fail
@test "no call fails in a clean run: fatbin, PTX, cubin, object, several launches and streams" {
	clean 3 gpurun "$cuda/pipeline.fatbin" -q \
		--launch produce -g 4 -b 256 -a t=f32:1Ki --stream s1 --event ready \
		--launch consume -g 4 -b 256 -a t -a out=f32:1Ki --stream s2 --after ready
	for image in vadd.fatbin vadd.cubin; do
		clean 4 gpurun "$cuda/$image" -q --launch vadd -a f32:4 -a f32:4 -a f32:4 -a i32=4
	done
	clean 4 gpurun "$cuda/saxpy.ptx" -q --launch saxpy -a f32=2 -a f32:4 -a f32:4 -a i32=4
	clean 4 gpurun "$data/images/offload.o" -q --launch vadd -a f32:4 -a f32:4 -a f32:4 -a i32=4
	clean 0 gpurun --devices
}

# met: a clean run made driver calls that fail
@test "no call fails in a clean run: a kernel without parameters, and one with many" {
	local parameters

	parameters=$(printf '.param .u64 p%d, ' {1..32})
	cat >counts.ptx <<-PTX
		.version 7.0
		.target sm_70
		.address_size 64
		.visible .entry none() { ret; }
		.visible .entry many(${parameters%, }) { ret; }
	PTX
	clean 33 gpurun counts.ptx -q --launch none --launch none
	same "$(grep -c cuFuncGetParamInfo trace)" 0
	clean 32 gpurun counts.ptx -q --launch many $(printf -- '-a u64=0 %.0s' {1..32})
	same "$(grep -c cuFuncGetParamInfo trace)" 32
}

@test "no call fails in a clean run: programs of MLIR and LLVM Offload" {
	for program in memory.isa race.isa race23.isa tensor.isa counter.fatbin; do
		[[ -e $build/test/mlir/$program ]] || skip "the programs of MLIR are not built"
		clean 64 "$build/test/mlir/$program"
	done
	for program in ol_binary ol_structors ol_queue ol_event gpurun_structors gpurun_stream; do
		clean 64 env -C "$root" "$build/test/conformance/$program"
	done
}
