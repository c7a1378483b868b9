# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the CPU device refuses of programs, and what it takes though it is unusual.

load helpers

# Writes to program.ptx what is read.
program() {
	{ printf '.version 8.0\n.target sm_80\n.address_size 64\n'; cat; } \
		> "$BATS_TEST_TMPDIR/program.ptx"
}

# An entry with 63 loads between one that reads a constant and a store over it.
constant_store() {
	echo '.const .align 4 .u32 c = 5;'
	echo '.visible .entry k(.param .u64 p) {'
	echo '.reg .b64 %rd<4>; .reg .b32 %r<4>;'
	echo 'ld.param.u64 %rd2, [p]; mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1;'
	echo 'ld.u32 %r1, [%rd1];'
	for ((i = 0; i < 63; i++)); do echo 'ld.global.u32 %r2, [%rd2];'; done
	echo 'st.u32 [%rd1], %r1; ret; }'
}

@test "a store to a constant is done, as on a GPU, and told by check=mem" {
	constant_store | program
	run -0 --separate-stderr gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k -a u32:1
	[[ $stderr != *constant* ]]
	run -119 --separate-stderr gpurun "$BATS_TEST_TMPDIR/program.ptx" --check mem \
		--launch k -a u32:1
	[[ ${stderr_lines[0]} == "gpurun: check: mem: write of 4 bytes at "*" of c, which are constant" ]] ||
		{ echo "$stderr"; return 1; }
}

# f0 to f199, each of which calls what it is given.
callers() {
	for ((i = 0; i < 200; i++)); do
		cat <<-END
			.func f$i(.param .b64 p) {
			.reg .b64 %rd<4>; .reg .pred %q;
			ld.param.u64 %rd1, [p]; setp.eq.u64 %q, %rd1, 0; @%q ret;
			{ .param .b64 x; st.param.b64 [x], 0;
			proto: .callprototype _ (.param .b64 a);
			call %rd1, (x), proto; }
			ret; }
		END
	done
	cat <<-END
		.visible .entry k(.param .u64 out) {
		.reg .b64 %rd<4>; .reg .b32 %r;
		{ .param .b64 x; mov.u64 %rd1, f0; st.param.b64 [x], %rd1; call f1, (x); }
		ld.param.u64 %rd2, [out]; mov.u32 %r, 1; st.global.u32 [%rd2], %r;
		ret; }
	END
}

@test "many functions that call through pointers" {
	callers | program
	run -0 gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k -a out=u32:1 -e out=list=1
}

@test "recursion below a large array" {
	program <<-END
		.func (.param .b32 r) down(.param .b32 n) {
		.reg .b32 %r<4>; .reg .pred %p;
		ld.param.u32 %r1, [n]; setp.eq.u32 %p, %r1, 0; @%p bra done;
		sub.u32 %r1, %r1, 1;
		{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1;
		call (y), down, (x); ld.param.b32 %r1, [y]; }
		add.u32 %r1, %r1, 1;
		done: st.param.b32 [r], %r1; ret; }
		.visible .entry k(.param .u64 out) {
		.local .align 4 .b8 array[100000];
		.reg .b32 %r<8>; .reg .b64 %rd<8>;
		ld.param.u64 %rd1, [out]; mov.u64 %rd2, array; mov.u32 %r1, 2;
		st.local.u32 [%rd2+99996], %r1;
		{ .param .b32 x; .param .b32 y; st.param.b32 [x], 5;
		call (y), down, (x); ld.param.b32 %r3, [y]; }
		ld.local.u32 %r4, [%rd2+99996]; add.u32 %r3, %r3, %r4;
		st.global.u32 [%rd1], %r3; ret; }
	END
	run -0 gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k -a out=u32:1 -e out=list=7
}

@test "an entry is no function" {
	program <<-END
		.visible .entry other(.param .u64 out) { ret; }
		.visible .entry k(.param .u64 out) {
		.reg .b64 %rd<4>; ld.param.u64 %rd2, [out];
		{ .param .b64 x; st.param.b64 [x], %rd2; call other, (x); }
		ret; }
	END
	run --separate-stderr gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k -a u32:1
	((status))
	[[ $stderr == *"'other' is an entry, which cannot be called"* ]]
}

@test "variables that are larger than shared memory" {
	for count in 49153 1073741824 '1073741824][4'; do
		program <<-END
			.visible .entry k(.param .u64 out) {
			.shared .align 4 .b8 small[4]; .shared .align 8 .b8 large[$count];
			.reg .b64 %rd<4>; .reg .b32 %r;
			ld.param.u64 %rd2, [out]; st.shared.u32 [large], 1;
			ret; }
		END
		run --separate-stderr gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k -a u32:1
		((status))
		[[ $stderr == *"of shared memory"* || $stderr == *"too large"* ]]
	done
}

# Thread 0 calls malloc n calls deep; thread 1's stack begins where its own ends.
deep_malloc() {
	cat <<-END
		.extern .func malloc;
		.func deep(.param .b32 n) {
		.reg .b32 %r<4>; .reg .pred %p;
		ld.param.u32 %r1, [n]; setp.eq.u32 %p, %r1, 0; @%p bra done;
		sub.u32 %r1, %r1, 1;
		{ .param .b32 x; st.param.b32 [x], %r1; call deep, (x); }
		ret;
		done: call malloc; ret; }
		.visible .entry k(.param .u64 out, .param .u32 n) {
		.local .align 8 .b64 array[2];
		.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p;
		mov.u64 %rd2, array; mov.u64 %rd3, -1;
		st.local.u64 [%rd2], %rd3; st.local.u64 [%rd2+8], %rd3;
		mov.u32 %r2, %tid.x; setp.ne.u32 %p, %r2, 0; @%p bra wait;
		ld.param.u32 %r3, [n];
		{ .param .b32 x; st.param.b32 [x], %r3; call deep, (x); }
		wait: bar.warp.sync -1;
		ld.local.u64 %rd4, [%rd2]; ld.local.u64 %rd5, [%rd2+8];
		and.b64 %rd4, %rd4, %rd5;
		ld.param.u64 %rd1, [out]; mul.wide.u32 %rd6, %r2, 8; add.u64 %rd1, %rd1, %rd6;
		st.global.u64 [%rd1], %rd4; ret; }
	END
}

@test "malloc at the end of a stack leaves the next one alone" {
	deep_malloc | program
	for ((n = 4085; n < 4120; n++)); do
		run gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k -b 2 -a out=i64:2 \
			-a u32=$n -e out=list=-1,-1
		((status == 0)) || [[ $status == 117 && $output == *"stack overflow"* ]]
	done
	((status == 117))
}

# Writes a kernel with instruction $1, which does not run.
numbered() {
	cat >number.ptx <<-END
		.version 8.6
		.target sm_90a
		.address_size 64
		.visible .entry number(.param .u64 to) {
			.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<2>;
			.shared .align 128 .b8 s[64];
			mov.u32 %r1, %tid.x;
			setp.eq.u32 %p1, %r1, 0;
			@%p1 bra END;
			$1;
		END:
			ret;
		}
	END
}

# Each line: an instruction, of whose number @ the former are refused, the latter taken. A toolkit
# has to agree.
@test "numbers in instructions: those that ptxas refuses" {
	local instruction bad good number

	while IFS='|' read -r instruction bad good; do
		for number in $bad; do
			numbered "${instruction//@/$number}"
			run -112 --separate-stderr gpurun number.ptx -d cpu -q --launch number -b 1 \
				-a u8:8
			[[ $stderr == *"line 10: "*" has "*" as operand "*", where "*" expected"* ]]
			! command -v ptxas || run -255 ptxas -arch=sm_90a -o /dev/null number.ptx
		done
		for number in $good; do
			numbered "${instruction//@/$number}"
			run -0 gpurun number.ptx -d cpu -q --launch number -b 1 -a u8:8
			! command -v ptxas || run -0 ptxas -arch=sm_90a -o /dev/null number.ptx
		done
	done <<-'END'
		bfe.u32 %r1, %r2, @, 4|-1 256|0 255
		bfe.s64 %d1, %d2, 4, @|-1 256|0 255
		bfi.b32 %r1, %r2, %r3, @, 4|-1 256|0 255
		bfi.b64 %d1, %d2, %d3, 4, @|-1 256 4294967296|0 255
		cp.async.ca.shared.global [s], [%d1], 8, @|-1 9 16|0 3 8
		cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], @, [s]|-16 8 1048576|0 16 1048560
		cp.async.bulk.global.shared::cta.bulk_group [%d1], [s], @|8 1048576|0 32
		cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [s], @|8|0 64
		cp.async.bulk.prefetch.L2.global [%d1], @|8 1048576|16 1048560
		createpolicy.range.global.L2::evict_last.b64 %d1, [%d2], @, 1024|1025 -1|0 1024
		fence.proxy.tensormap::generic.acquire.gpu [%d1], @|64 256|128
		mbarrier.arrive.shared.b64 %d1, [s], @|0 -1|1 64
		mbarrier.arrive_drop.shared.b64 %d1, [s], @|0 -1|1 64
		mbarrier.arrive.noComplete.shared.b64 %d1, [s], @|0|1
		mbarrier.try_wait.parity.shared.b64 %p1, [s], @|-1 2|0 1
		mbarrier.test_wait.parity.shared.b64 %p1, [s], @|2|0 1
		setmaxnreg.inc.sync.aligned.u32 @|16 28 264|24 256
		wgmma.wait_group.sync.aligned @|-1|0 8
	END
}

# A kernel that stores the tensor's address into the map of a box of 256 u8 in each of four
# dimensions, 2^32 bytes, and copies it with $1.
huge_box() {
	cat <<-END
		.visible .entry k(.param .u64 map, .param .u64 tensor) {
		.reg .b32 %r<4>; .reg .b64 %rd<4>;
		.shared .align 1024 .b8 room[1024]; .shared .align 8 .b64 bar;
		ld.param.u64 %rd1, [map]; ld.param.u64 %rd2, [tensor];
		st.global.u64 [%rd1+8], %rd2; mov.u32 %r1, 0; mbarrier.init.shared.b64 [bar], 1;
		$1;
		cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }
	END
}

@test "a box that a kernel makes larger than a block's shared memory" {
	local to=cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
	local from=cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group
	local at='[%rd1, {%r1, %r1, %r1, %r1}]'
	# Rank 4; sizes of 256, 256, 1 and 1 in strides of 256; the box; steps of 1.
	local map=u32:32:list=0x70616d74,1024,0,0,256,0,256,0,256,0,0,0,255,255,0,0,0
	map+=,0x1000100,0x1000100,0x1010001,0x10101,0,0,0,0,0,0,0,0,0,0,0
	local copy

	for copy in "$to [room], $at, [bar]" "$from $at, [room]"; do
		huge_box "$copy" | sed "1i .version 8.0\n.target sm_90\n.address_size 64" \
			> "$BATS_TEST_TMPDIR/program.ptx"
		run -117 --separate-stderr gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k \
			-a "$map" -a out=u8:64Ki
		[[ ${stderr_lines[0]} == "gpurun: bulk copy: the box of a tensor map has less than 256 KiB, \
not 0x100000000" ]]
	done
}

@test "types of tensors that PTX 8.7 has added are none before" {
	local version status

	for version in 8.6 8.7; do
		printf '.version %s\n.target sm_90a\n.address_size 64\n%s\n' $version \
			'.visible .entry k(.param .u64 p) { .reg .b64 %d; ld.param.u64 %d, [p];
			tensormap.replace.tile.elemtype.global.b1024.b32 [%d], 13; ret; }' \
			> "$BATS_TEST_TMPDIR/program.ptx"
		status=112
		[[ $version == 8.6 ]] || status=117
		run -$status --separate-stderr gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k \
			-a u8:128
		[[ $version == 8.7 || $stderr == *"has a value that is no number from 0 to 12"* ]]
	done
}

@test "an overrun inside of what a GPU allocates runs on with bounds=gpu alone" {
	program <<-END
		.visible .entry k(.param .u64 p) {
		.reg .b64 %rd<3>; .reg .b32 %r<3>;
		ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1+508];
		add.u32 %r1, %r1, 7; st.global.u32 [%rd1+4], %r1; st.global.u32 [%rd1], %r1; ret; }
	END
	run -117 --separate-stderr gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k -a u32:1
	[[ ${stderr_lines[0]} == "gpurun: illegal address: read of 4 bytes at "* ]]
	GPURUN_CPU=bounds=gpu run -0 gpurun "$BATS_TEST_TMPDIR/program.ptx" \
		--launch k -a out=u32:1 -e out=list=7
	run -0 gpurun "$BATS_TEST_TMPDIR/program.ptx" -d cpu:bounds=gpu --check mem \
		--launch k -a out=u32:1 -e out=list=7
	sed -i 's/+508/+512/' "$BATS_TEST_TMPDIR/program.ptx"
	run -117 gpurun "$BATS_TEST_TMPDIR/program.ptx" -d cpu:bounds=gpu --launch k -a u32:1
}
