# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# count=1 of the CPU device. Each kernel of test/data/count has its counts, by hand, in its first lines.

load helpers

# Runs it in ways that count the same, and compares with the counts by hand.
counts() {	# KERNEL ARGUMENT...
	local kernel=$1 how wanted
	local -a file=("$root/test/data/count/$1.ptx")

	shift
	wanted=$(sed -n 's,^// counted: ,,p' "${file[0]}")
	[[ $wanted ]]
	for how in scalar=1 scalar=0; do
		for how in "$how",threads={1,4}; do
			for how in "$how",isa={baseline,best}; do
				run -0 --separate-stderr gpurun "${file[@]}" -v -d "cpu:count=1,$how" --launch "$kernel" "$@"
				same "$how: $(sed -n 's/^gpurun: launch 1, .*: counted //p' <<<"$stderr")" "$how: $wanted"
			done
		done
	done
}

@test "count agrees with counts by hand: vadd" {
	counts vadd -g 4 -b 64 -a f32:256 -a f32:256 -a f32:256
}

@test "count agrees with counts by hand: saxpy, whose guard does not hold for the last threads" {
	counts saxpy -g 2 -b 64 -a f32:128 -a f32:128 -a 2.0 -a 100
}

@test "count agrees with counts by hand: a product of matrices in tiles of shared memory" {
	counts gemm -g 2,2 -b 16,16 -a a=f32:32x32:iota -a b=f32:32x32:fill=1 -a c=f32:32x32
}

@test "count agrees with counts by hand: a sum by shuffles and an atomic operation" {
	counts reduce -g 2 -b 64 -a x=f32:128:iota -a sum=f32:1 -e sum=fill=8128
}

@test "count agrees with counts by hand: numbers of 64 bits, and pairs of 16" {
	counts mixed -b 40 -a f64:40:iota -a u32:40
}

@test "count agrees with counts by hand: a loop with a branch, on both of which threads diverge" {
	counts loop -g 2 -b 40 -a f32:80
}

@test "count agrees with counts by hand: mma, ldmatrix and dp4a" {
	counts mma -b 64 -a u32:64
}

@test "count agrees with counts by hand: vectors, generic addresses, cp.async, atomic operations" {
	counts access -b 32 -a f32:128 -a u64:4
}

@test "count agrees with counts by hand: wmma, with matrices in three memories" {
	counts wmma -g 2 -b 32 -a f32:256 -a f32:256
}

@test "count agrees with counts by hand: bulk copies and wgmma" {
	counts bulk -b 128 -a u32:64
}

@test "counts of two launches are in the report of each, by name; without the key they are not" {
	local -a line=("$root/test/data/count/saxpy.ptx" -q --json=report --launch saxpy -g 2 -b 64 -a x=f32:128
		-a y=f32:128 -a 2.0 -a 100)

	run -0 gpurun "${line[@]}" -d cpu:count=1 --launch saxpy -b 64 -a x -a y -a 2.0 -a 0
	same "$(json report actions 0 counted)" '{"global_read": 800, "global_written": 400, "shared_read": 0, "shared_written": 0, "f16": 0, "f32": 200, "f64": 0, "matrix_float": 0, "matrix_integer": 0, "integer": 640}'
	same "$(json report actions 1 counted integer)" 320
	same "$(json report actions 1 counted global_read)" 0
	run -0 gpurun "${line[@]}"
	run -1 --separate-stderr json report actions 0 counted
	[[ $stderr == *KeyError* ]]
}

@test "GPURUN_CPU=count=1 counts as well, beside --trace and under a clock; the key of -d comes after it" {
	local -a line=("$root/test/data/count/vadd.ptx" -v --launch vadd -g 4 -b 64 -a f32:256 -a f32:256 -a f32:256)

	GPURUN_CPU=count=1 run -0 --separate-stderr gpurun "${line[@]}" --trace trace.json -t 60
	[[ $stderr == *"launch 1, vadd: counted global_read 2048, "* ]]
	grep -q '"counted":{"global_read":2048,' trace.json
	GPURUN_CPU=count=1 run -0 --separate-stderr gpurun "${line[@]}" -d cpu:count=0
	[[ $stderr != *counted* ]]
}

@test "a launch that breaks down is not counted" {
	run -117 --separate-stderr gpurun "$root/test/data/count/vadd.ptx" -v --json=report -d cpu:count=1 \
		--launch vadd -g 4 -b 64 -a f32:256 -a f32:256 -a f32:100
	[[ $stderr != *counted* ]]
	run ! grep counted report
}

@test "the launches of a program are counted, in its lines and its report" {
	run -0 --separate-stderr gpurun -v --json=report -d cpu:count=1 --exec "$build/test/host-programs/opened" \
		"$cuda/saxpy.ptx"
	[[ $stderr =~ "gpurun: launch saxpy"[^$'\n']*"us, counted global_read "[0-9]+", global_written "[0-9]+", f32 "[0-9]+ ]]
	grep -q '"counted":{"global_read":' report
}

@test "count takes 0 or 1" {
	fails 110 "gpurun: error: cpu:count=2: CPU device: count=2 is not 0 or 1" gpurun "$root/test/data/count/mma.ptx" \
		-d cpu:count=2 --launch mma -a u32:64
}

# promise: Let the CPU device count both
@test "--bench=count: bytes and operations of each launch, counted apart from what is timed" {
	local -a line=("$root/test/data/count/saxpy.ptx" --launch saxpy -g 2 -b 64 -a x=f32:128 -a y=f32:128:iota
		-a 2.0 -a 100 --launch saxpy -b 64 -a x -a y -a 2.0 -a 0)

	run -0 --separate-stderr gpurun "${line[@]}" --json=report -vo y=y.npy --bench=count,runs=20
	[[ $output == *"B/s, "*"FLOP/s"* && -e y.npy ]]
	[[ $stderr == *"gpurun: launch 1: counted global_read 800, global_written 400, f32 200, integer 640"* ]]
	same "$(json report bench launches 0 bytes) $(json report bench launches 0 flops)" "1200 200"
	same "$(json report bench launches 0 counted integer) $(json report bench launches 1 counted integer)" "640 320"
	run -0 gpurun "${line[@]}" --json=plain --bench=runs=20
	run ! grep counted plain
}

@test "--bench=count: a kernel of --against is timed, and not counted" {
	run -0 --separate-stderr gpurun "$root/test/data/count/vadd.ptx" --json=report --launch vadd -g 4 -b 64 -a f32:256 \
		-a f32:256 -a f32:256 --bench=count,runs=20 --against "$root/test/data/count/vadd.ptx"
	same "$(json report bench launches 0 bytes)" 3072
	same "$(json report bench launches 1 against)" true
	run -1 --separate-stderr json report bench launches 1 bytes
}

@test "--bench=count: what cannot be counted fails before anything is timed, and says what to do" {
	[[ -e $stub ]] || skip "the stub driver is not built"
	GPURUN_DRIVER=$stub GPURUN_DEVICE=gpu fails 112 \
		"gpurun: error: counting on the CPU device: $root/test/data/images/counter.cubin: no image for the CPU device; it holds sm_90 SASS
gpurun: hint: the CPU device runs PTX alone: bytes=N, flops=N give its numbers by hand" \
		gpurun "$root/test/data/images/counter.cubin" -q --launch bump -a u32:1 --bench=count
	fails 117 "gpurun: error: counting on the CPU device: timed out after 0.4 s while awaiting launch 1, endless on stream s0, grid 1x1x1, block 1x1x1
gpurun: hint: -t gives it more time; bytes=N, flops=N give its numbers by hand" \
		gpurun "$root/test/data/count/endless.ptx" -q --launch endless --bench=count -t 500ms
}
