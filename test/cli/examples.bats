# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The command lines people will copy, on the shipped examples. They run on the
# CPU device, a second time under GPURUN_CPU=check=all, which finds nothing in them;
# scripts/gpu-check runs them with GPURUN_TEST_DEVICE=gpu.

bats_require_minimum_version 1.5.0
load reports
load ../documents/lines

setup() {
	device=${GPURUN_TEST_DEVICE:-cpu}
	export GPURUN_DEVICE=$device
	unset GPURUN_DRIVER
	examples=$BATS_TEST_DIRNAME/../../examples
	cuda=$examples/cuda
	cd "$BATS_TEST_TMPDIR" || return 1
}

on_gpu() {
	[[ $device == gpu ]]
}

# Runs, wants success, and wants standard output to be what follows.
prints() {	# TEXT COMMAND...
	local want=$1

	shift
	run -0 --separate-stderr "$@"
	[[ $output == "$want" ]] || { echo "got: $output"; echo "want: $want"; return 1; }
}

# promise: Launch a kernel.
# promise: The only kernel of a fatbin
@test "a kernel named main from a fatbin" {
	prints "main runs on thread 0 of block 0" gpurun "$examples/llvm/main.fatbin" --launch main
}

@test "the same kernel from PTX on standard input" {
	prints "main runs on thread 0 of block 0" gpurun - --launch main <"$examples/llvm/main.ptx"
}

# promise: What is in a file:
@test "--list tells names, types, offsets and what the file holds" {
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" --list
	[[ $output == *vadd*sm_90* ]]
	[[ $output == *compute_75* || $output == *sm_75* ]]
	prints vadd gpurun "$cuda/vadd.fatbin" --list=names
}

# promise: A smoke test for CI
@test "a smoke test is skipped without a GPU only when asked to" {
	if on_gpu; then
		run -0 gpurun "$examples/llvm/main.fatbin" --launch main -t 30s --no-device-exit 77
	else
		unset GPURUN_DEVICE
		GPURUN_DRIVER=/nonexistent/libcuda.so.1 run -77 gpurun "$examples/llvm/main.fatbin" \
			--launch main -t 30s --no-device-exit 77
	fi
}

# promise: Arguments, and a check
@test "vadd of a million elements, checked" {
	run -0 gpurun "$cuda/vadd.cubin" --launch vadd --threads 1Mi -b 256 -a f32:1Mi:iota \
		-a f32:1Mi:fill=2 -a y=f32:1Mi -a i32=1Mi -e y=iota=2,1
}

# promise: Its content says what it is
@test "MLIR's object on standard input, in each format" {
	local format

	for format in scale scale-fatbin scale-bin; do
		# MLIR's formats bin and (without PTX) fatbin hold machine code alone.
		[[ $format == scale ]] || on_gpu || continue
		prints "y: 0 3 6 9 …" gpurun - --launch go_kernel -b 128 \
			-a memref:x=f32:128:iota -a memref:y=f32:128 -e y=iota=0,3 --print y:4 \
			<"$examples/mlir/$format.o"
	done
}

# promise: From MLIR, through a pipe:
@test "MLIR's tools piped into gpurun" {
	command -v mlir-opt-22 >/dev/null || skip "needs mlir-22-tools, which is not installed"
	command -v llc-22 >/dev/null || skip "needs llvm-22, which is not installed"
	mlir-opt-22 "$examples/mlir/scale.mlir" -gpu-lower-to-nvvm-pipeline=cubin-format=isa |
		mlir-translate-22 --mlir-to-llvmir | llc-22 -filetype=obj >k.o
	prints "y: 0 3 6 9 …" gpurun - --launch go_kernel -b 128 -a memref:x=f32:128:iota \
		-a memref:y=f32:128 --print y:4 <k.o
}

@test "saxpy from .npy to .npy, compared with a third" {
	local saxpy=("$cuda/saxpy.ptx" --launch saxpy --threads 4Ki -b 256)

	gpurun "${saxpy[@]}" -a 0.0 -a x=f32:4Ki -a y=f32:4Ki:iota -a len:x -o y=x.npy
	gpurun "${saxpy[@]}" -a 0.0 -a x=f32:4Ki -a y=f32:4Ki:fill=1 -a len:x -o y=y.npy
	gpurun "${saxpy[@]}" -a 0.0 -a x=f32:4Ki -a y=f32:4Ki:iota=1,2 -a len:x -o y=want.npy
	run -0 gpurun "${saxpy[@]}" -a 2.0 -a x=@x.npy -a y=@y.npy -a len:x -e y=@want.npy \
		--rtol 1e-6 -o y=got.npy
	cmp got.npy want.npy
}

@test "a C++ kernel of a host library by its demangled signature" {
	prints "s: 32768" gpurun "$cuda/reduce.so" \
		--launch 'reduce<float>(float const*, float*, int)' -g 8 -b 256 \
		-a x=f32:64Ki:fill=0.5 -a s=f32:1 -a i32=64Ki --print s
}

# promise: gpurun takes any file
# promise: Two stages on two streams
@test "two stages on two streams, joined by an event" {
	run -0 gpurun "$cuda/pipeline.fatbin" \
		--launch produce -g 64 -b 256 -a t=f32:16Ki --stream s1 --event ready \
		--launch consume -g 64 -b 256 -a t -a out=f32:16Ki --stream s2 --after ready \
		--await all -e out=fill=1 --rtol 1e-5
}

# promise: Resolve and check the whole command line
@test "a dry run checks bounds and signature and touches no device" {
	GPURUN_DRIVER=/nonexistent run -0 --separate-stderr gpurun "$cuda/meet.fatbin" --dry-run \
		--json --launch ping -a x+256 --buf x=i32:512
	[[ $output == "{"*'"gpurun/1"'*"}" ]]
	run -110 gpurun "$cuda/meet.fatbin" --dry-run --launch ping -a x+1024 --buf x=i32:512
}

@test "two kernels that wait for each other on two streams finish" {
	run -0 gpurun "$cuda/meet.fatbin" -t 60s --buf gate=i32:2 --launch ping -a gate \
		--stream s1 --launch pong -a gate --stream s2 --await all -e gate=fill=1
}

@test "matmul, histogram and scan are right" {
	run -0 gpurun "$cuda/matmul.fatbin" --launch matmul -g 4x4 -b 16x16 \
		-a f32:64x64:fill=2 -a f32:64x64:fill=0.5 -a c=f32:64x64 -a i32=64 -e c=fill=64
	run -0 gpurun "$cuda/histogram.fatbin" --launch histogram -b 256 -a u8:256:iota \
		-a i32=256 -a counts=u32:256 -e counts=fill=1
	run -0 gpurun "$cuda/scan.fatbin" --launch scan -b 256 -a i32:256:fill=1 \
		-a out=i32:256 -e out=iota=1,1
}

@test "a launch is timed, with a report" {
	run -0 --separate-stderr gpurun "$cuda/saxpy.fatbin" --launch saxpy --threads 64Ki -b 256 -a 2.0 \
		-a x=f32:64Ki:iota -a y=f32:64Ki:fill=1 -a len:x -e y=iota=1,2 \
		--bench=time=2s,bytes=768Ki,flops=128Ki --json=bench.json
	run -0 python3 -c '
import json
bench = json.load(open("bench.json"))["bench"]
(launch,) = bench["launches"]
print(launch["kernel"], bench["caches"], launch["median_ns"] > 0, launch["bytes_per_second"] > 0,
      launch["samples"] >= 20, bench["gpu_time"])'
	gpu_time=False
	! on_gpu || gpu_time=True
	[[ $output == "saxpy cold True True True $gpu_time" ]]
}

@test "a launch is timed beside another one" {
	run -0 --separate-stderr gpurun "$cuda/saxpy.fatbin" --launch saxpy --threads 64Ki -b 256 -a 2.0 \
		-a x=f32:64Ki:iota -a y=f32:64Ki:fill=1 -a len:x -e y=iota=1,2 \
		--bench=time=2s --against "$cuda/saxpy.ptx"
	[[ ${lines[*]} =~ saxpy\ takes\ [0-9.]+\ of\ the\ time\ of\ --against\ .*saxpy.ptx\ \( ]]
}

@test "what runs on two streams, with an event between, is traced" {
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" --trace run.json --buf x=f32:1Ki:iota \
		--launch vadd --threads 1Ki -b 256 -a x -a x -a y=f32:1Ki -a len:x --stream s1 \
		--record e1@s1 --wait e1@s2 --launch vadd --threads 1Ki -b 256 -a x -a y -a z=f32:1Ki -a len:x \
		--stream s2 --await e1 -e z=iota=0,3
	run -0 "$BATS_TEST_DIRNAME/validate_trace" run.json
}

@test "printf of every thread arrives" {
	run -0 --separate-stderr gpurun "$cuda/hello.fatbin" --launch hello -g 2 -b 3
	[[ $(sort <<<"$output") == "$(for b in 0 1; do for t in 0 1 2; do
		echo "hello from thread $t of block $b"; done; done | sort)" ]]
}

@test "a failing assert is exit 117 and tells where" {
	run -117 --separate-stderr gpurun "$cuda/assert.fatbin" --launch check -b 8
	[[ $stderr == *assert.cu*threadIdx.x* ]]
}

# promise: It executes the PTX
@test "a write past the end is found on the CPU device" {
	local status_wanted=117

	[[ ${GPURUN_CPU:-} != *check=* ]] || status_wanted=119
	run "-$status_wanted" --separate-stderr gpurun "$cuda/outofbounds.fatbin" -d cpu --launch fill -b 64 \
		-a i32:64
	[[ $stderr == *outofbounds.cu* ]]
}

@test "a kernel that never ends is killed, and nothing of it is left" {
	run -124 gpurun "$cuda/forever.fatbin" -t 2s --launch forever -a i32:1
	sleep 0.2
	run -1 pgrep -f "$cuda/forever.fatbin"
}

# signals.bats has it all, on the CPU device; this is what a GPU is asked.
@test "one SIGTERM ends a kernel that does not return, with its report" {
	local began code i limit pid

	for limit in "" "-t 5m"; do
		# shellcheck disable=SC2086 # two words, or none
		gpurun "$cuda/forever.fatbin" $limit --json=report --launch forever -a i32:1 2>stderr 3>&- &
		pid=$! began=$SECONDS code=0
		for ((i = 0; i < 60; i++)); do # until it handles the signal, and some more to launch
			((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$pid/status") & 0x4000)) && break
			sleep 0.05
		done
		sleep "$([[ ${GPURUN_DEVICE:-} == cpu ]] && echo 0.5 || echo 4)"
		kill -TERM "$pid"
		wait "$pid" || code=$?
		[[ $code == 143 ]]
		[[ $((SECONDS - began)) -lt 60 ]]
		[[ $(<stderr) == *"stopped by signal 15 (Terminated) while awaiting launch 1, forever on stream s0"* ]]
		[[ $(<report) == *'"exit":{"code":143,"name":"signal","source":"gpurun"}'*"}" ]]
		run -1 pgrep -f "$cuda/forever.fatbin"
	done
}

@test "a wrong result is exit 118, a wrong argument count 110" {
	run -118 gpurun "$cuda/vadd.fatbin" --launch vadd -b 4 -a f32:4:iota -a f32:4:fill=2 \
		-a y=f32:4 -a i32=4 -e y=list=2,3,4,6
	run -110 gpurun "$cuda/vadd.fatbin" --launch vadd -b 4 -a f32:4
}

@test "two files in one run, one of them unloaded while the other runs on" {
	prints "y: 1 2 3 4" gpurun "$cuda/pipeline.fatbin" --load sum="$cuda/vadd.fatbin" \
		--launch produce -b 4 -a t=f32:4 --stream s1 --event made \
		--launch sum:vadd -b 4 -a f32:4:iota -a f32:4:fill=1 -a y=f32:4 -a i32=4 --stream s2 \
		--unload sum --launch consume -b 4 -a t -a out=f32:4 --stream s1 \
		-e out=fill=1 --print y
}

# bats test_tags=plain
@test "examples/README.md: each line ends with the status beside it, and each image has one" {
	local count=0 status_wanted line image

	cd "$examples/.."
	while IFS=$'\t' read -r status_wanted line; do
		[[ $line != *" --check "* ]] || ! on_gpu || continue
		[[ $line != *outofbounds* || ${GPURUN_CPU:-} != *check=* ]] || status_wanted=119
		run "-$status_wanted" bash -c "$line"
		count=$((count + 1))
	done < <(lines "$examples/README.md")
	((count > 20))
	for image in examples/*/*.{fatbin,cubin,ptx,o,so}; do
		lines "$examples/README.md" | grep -qF "$image" || { echo "no line: $image"; return 1; }
	done
}

# promise: A host program that knows only
@test "host programs that know only the driver" {
	local program programs

	programs=$(dirname "$(command -v gpurun)")/../test/host-programs
	for program in opened linked; do
		for limit in "" "-t 60"; do
			# shellcheck disable=SC2086 # two words, or none
			run -0 --separate-stderr gpurun $limit --exec "$programs/$program" "$cuda/saxpy.ptx"
			# Under --check it ends with the line that says 0 findings.
			[[ $output == *": 1 3 5 7" ]]
			[[ ! $stderr || $stderr == "gpurun: "*" ran; 0 findings" ]]
			on_gpu || [[ $output == "gpurun CPU device: "* ]]
		done
	done
	# The look at the device before leaves no file of the driver open.
	run -0 gpurun --exec ls -l /proc/self/fd
	[[ $output != */dev/nvidia* ]]
}
