# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Threads, blocks, streams and grids that wait for each other end, on one worker and on
# several, in any order; cooperative launches, clusters, blocks of the device's choice.

load helpers

# Runs with 1, 2 and 5 workers, and with 3 in random orders.
everywhere() {	# COMMAND...
	local workers

	for workers in threads=1 threads=2 threads=5 threads=3,sched=rand,sched-seed={1..5}; do
		run -0 --separate-stderr "$@" -d "cpu:$workers" -t 60s
		same "$output$stderr" ""
	done
}

@test "a spin lock that every thread of a grid takes" {
	everywhere gpurun "$cuda/together.fatbin" --launch count_locked -g 16 -b 96 -a u32:1 \
		-a count=u32:1 -e count=fill=1536
}

@test "a block that consumes what a later one produces" {
	everywhere gpurun "$cuda/together.fatbin" --launch hand_over -g 2 -b 32 -a u32:2 \
		-a sum=u32:1 -a 1000 -e sum=fill=500500
}

@test "two streams whose kernels wait for each other" {
	everywhere gpurun "$cuda/meet.fatbin" --launch ping -a gate=i32:2 --stream a \
		--launch pong -a gate --stream b -e gate=fill=1
}

# promise: All blocks run at once
@test "a barrier of the whole grid" {
	everywhere gpurun "$cuda/together.fatbin" --cooperative --launch rotate -g 32 -b 2 \
		-a x=u32:64:iota -a 64 -e x=iota
	prints "x: 3 4 5 …" gpurun "$cuda/together.fatbin" --launch rotate --cooperative -g 4 -b 16 \
		-a x=u32:64:iota -a 3 --print x:3
}

@test "two grids with barriers, at the same time" {
	everywhere gpurun "$cuda/together.fatbin" --cooperative \
		--launch rotate -g 24 -b 1 -a x=u32:24:iota -a 24 --stream a \
		--launch rotate -g 24 -b 1 -a y=u32:24:iota -a 24 --stream b -e x=iota -e y=iota
}

# promise: A grid of more blocks
# met: the refusal of a cooperative launch did not tell the limit
@test "a cooperative grid of more blocks than are resident at once is refused" {
	fails 116 "gpurun: error: launch 1, rotate on stream s0, grid 65x1x1, block 64x1x1: \
cuLaunchKernelEx: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE (720): cooperative grid too large
gpurun: hint: a cooperative launch runs all blocks at once: gpurun CPU device has room for 64 of these, the grid has 65" \
		gpurun "$cuda/together.fatbin" -d cpu:threads=2 --cooperative --launch rotate -g 65 \
		-b 64 -a u32:4160 -a 1
	run -0 gpurun "$cuda/together.fatbin" -d cpu:threads=2 --cooperative --launch rotate -g 64 \
		-b 64 -a u32:4096 -a 1
	# Large blocks leave room for fewer: two of 1024 threads a multiprocessor.
	run -116 gpurun "$cuda/together.fatbin" -d cpu:threads=2 --cooperative --launch rotate \
		-g 5 -b 1024 -a u32:5120 -a 1
}

# promise: All blocks run at once
@test "without --cooperative there is no barrier of the grid" {
	run -117 --separate-stderr gpurun "$cuda/together.fatbin" --launch rotate -g 2 -a u32:2 -a 1
	same "${stderr_lines[0]}" "gpurun: trap instruction; a barrier of the grid needs a cooperative launch, \
which this is not"
	[[ $stderr == *"
  inlined at cuda/together.cu:49
"* ]]
}

@test "a trap beside a kernel with a barrier of the grid" {
	cat >trap.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry waits() { .reg .b32 %r<2>; mov.u32 %r1, %envreg2; ret; }
		.visible .entry traps() { trap; }
	PTX
	run -117 --separate-stderr gpurun trap.ptx --launch traps
	same "${stderr_lines[0]}" "gpurun: trap instruction"
}

# promise: Blocks in a cluster
@test "a kernel that requires clusters" {
	local -r head='.version 9.0
.target sm_90
.address_size 64
.visible .entry pairs(.param .u64 to) .reqntid 4 .reqnctapercluster 2'
	local -r body='{
	.reg .u64 %rd<3>; .reg .u32 %r<3>;
	ld.param.u64 %rd1, [to];
	mov.u32 %r1, %clusterid.x;
	mov.u32 %r2, %ctaid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r1;
	ret;
}'

	printf '%s\n%s\n' "$head" "$body" >pairs.ptx
	prints "x: 0 0 1 1" gpurun pairs.ptx -d cpu --launch pairs --threads 13 -a x=u32:4 --print x
	run -0 gpurun pairs.ptx -d cpu --launch pairs -g 4 --cluster 2 -a x=u32:4
	fails 116 "gpurun: error: pairs requires clusters of 2x1x1 blocks, which do not divide the \
grid of 3x1x1" gpurun pairs.ptx -d cpu --launch pairs -g 3 -a u32:4
	fails 116 "gpurun: error: pairs requires clusters of 2x1x1 blocks, not 4x1x1
gpurun: hint: leave --cluster out" gpurun pairs.ptx -d cpu --launch pairs -g 4 --cluster 4 -a u32:4
	same "$(gpurun pairs.ptx --list --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["kernels"][0]["cluster"])')" "[2, 1, 1]"
	printf '%s .blocksareclusters\n%s\n' "$head" "$body" >counted.ptx
	run -0 gpurun counted.ptx --dry-run --launch pairs -g 3 -a u32:4
}

# promise: 'auto' lets the device choose
@test "-b auto: as many threads as the device holds, no more than there are to run" {
	local vadd=(--launch vadd -b auto -a x=f32:3000:iota -a f32:3000:fill=1 -a y=f32:3000 -a 3000)

	run -0 gpurun "$cuda/vadd.fatbin" "${vadd[@]}" --threads 3000 --print y:3 --json=report
	same "$(json report actions 0 block)" "[1024, 1, 1]"
	same "$(json report actions 0 grid)" "[3, 1, 1]"
	run -0 gpurun "$cuda/vadd.fatbin" "${vadd[@]}" --threads 70 --print y:3 --json=report
	same "$(json report actions 0 block)" "[96, 1, 1]"
	same "$(json report actions 0 grid)" "[1, 1, 1]"
	# It is the kernel's shared memory that leaves room for no block.
	fails 116 "gpurun: error: launch 1, vadd on stream s0, grid auto, block auto: kernel 'vadd': \
1048576 bytes of shared memory per block (0 static, 1048576 dynamic), the limit of \
gpurun CPU device is 232448" \
		gpurun "$cuda/vadd.fatbin" "${vadd[@]}" --threads 70 --shared 1Mi
}
