# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What PTX leaves open, or forbids and no tool looks for: the CPU device has an answer to it. A GPU
# may have another one, or none.

load helpers

# Runs kernel k, whose text is read, on a buffer of four words, out.
kernel() {	# OPTION...
	{ printf '.version 8.0\n.target sm_80\n.address_size 64\n'; cat; } \
		> "$BATS_TEST_TMPDIR/program.ptx"
	run --separate-stderr timeout -s KILL 60 gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k \
		-a out=u32:4 "$@"
}

# It ends with a fault whose first line is like that.
faulted() {	# PATTERN
	((status == 117)) || return 1
	# shellcheck disable=SC2053 # a pattern
	[[ ${stderr_lines[0]} == "gpurun: "$1 ]] || return 1
}

registers='.reg .b16 %h<8>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<8>; .reg .pred %p<4>;'

@test "registers that nothing has written are 0, whatever stood in their place" {
	kernel -b 32 -g 64 -e out=list=0,0,0,0 <<-END
		.visible .entry k(.param .u64 out) {
		$registers
		ld.param.u64 %rd1, [out];
		mov.u32 %r6, %tid.x;
		setp.eq.u32 %p1, %r6, 99;
		@%p1 mov.u32 %r1, 5; @%p1 mov.u32 %r2, %ctaid.x;
		or.b32 %r3, %r1, %r2;
		red.global.add.u32 [%rd1], %r3;
		mov.u32 %r1, -1; mov.u32 %r2, -1; mov.u32 %r3, -1;
		red.global.and.b32 [%rd1+4], %r1;
		ret; }
	END
	((status == 0))
}

@test "barriers that there are not, and for a part of a warp" {
	kernel -b 32 <<-END
		.visible .entry k(.param .u64 out) { $registers mov.u32 %r1, %ntid.x; sub.u32 %r1, %r1, 16;
		barrier.sync %r1; ret; }
	END
	faulted "barrier 16 does not exist"
	kernel -b 32 <<-END
		.visible .entry k(.param .u64 out) { $registers mov.u32 %r1, %ntid.x; sub.u32 %r1, %r1, 15;
		barrier.sync 1, %r1; ret; }
	END
	faulted "barrier 1 for 17 threads, which are no whole warps"
	for operands in 16 '1, 17'; do
		kernel <<-END
			.visible .entry k(.param .u64 out) { barrier.sync $operands; ret; }
		END
		((status))
		[[ $stderr == *barrier* ]]
	done
}

@test "an index beyond the table of a branch" {
	for index in 2 4294967295; do
		kernel -b 32 <<-END
			.visible .entry k(.param .u64 out) { $registers
			mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r1, 7;
			@%p1 mov.u32 %r2, $index;
			table: .branchtargets one, two;
			brx.idx %r2, table;
			one: ret; two: ret; }
		END
		faulted "branch index $index in a table of 2 targets"
	done
}

@test "a call of what is no function" {
	for address in 0 0x1234 -16; do
		kernel <<-END
			.func f() { ret; }
			.global .u64 pointer = f;
			.visible .entry k(.param .u64 out) { $registers
			mov.u64 %rd1, $address; ld.global.u64 %rd2, [pointer]; mov.u32 %r1, %tid.x;
			setp.eq.u32 %p1, %r1, 99; @%p1 mov.u64 %rd1, %rd2;
			proto: .callprototype _ ();
			call %rd1, (), proto; ret; }
		END
		faulted "call of 0"*", which is no function"
	done
}

@test "parameters cannot be written: not by name, not by their address" {
	kernel <<-END
		.visible .entry k(.param .u64 out) { st.param.b64 [out], 1; ret; }
	END
	((status))
	[[ $stderr == *"'out', a parameter that can only be read"* ]]
	kernel <<-END
		.visible .entry k(.param .u64 out) { $registers
		mov.b64 %rd1, out; cvta.param.u64 %rd1, %rd1; ld.u64 %rd2, [%rd1]; st.u64 [%rd1], %rd2;
		ret; }
	END
	faulted "illegal address: write of 8 bytes at 0x"*
}

@test "recursion without end" {
	kernel -b 2 <<-END
		.func deeper(.param .b32 n) { $registers
		.local .align 4 .b8 room[64];
		ld.param.u32 %r1, [n]; add.u32 %r1, %r1, 1; st.local.u32 [room+60], %r1;
		{ .param .b32 x; st.param.b32 [x], %r1; call deeper, (x); }
		ld.local.u32 %r2, [room+60]; st.local.u32 [room], %r2; ret; }
		.visible .entry k(.param .u64 out) { $registers
		{ .param .b32 x; st.param.b32 [x], 0; call deeper, (x); }
		ret; }
	END
	faulted "stack overflow: "*
}

@test "lanes that have left are not waited for, though others name them" {
	kernel -b 32 -e out=list=1431655765,24,0,0 <<-END
		.visible .entry k(.param .u64 out) { $registers
		ld.param.u64 %rd1, [out];
		mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0;
		@%p1 exit;
		vote.sync.ballot.b32 %r3, !%p1, -1;
		shfl.sync.down.b32 %r4, %r1, 24, 31, -1;
		bar.warp.sync -1;
		setp.ne.u32 %p2, %r1, 0;
		@%p2 exit;
		st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r4; ret; }
	END
	((status == 0))
}

@test "a block of alloca that the stack does not hold" {
	for bytes in 65600 1073741824 -8; do
		kernel <<-END
			.visible .entry k(.param .u64 out) { $registers
			alloca.u64 %rd1, $bytes; st.local.u32 [%rd1], 1; ret; }
		END
		faulted "stack overflow: alloca of "*
	done
}

@test "%n in a format is printed, and writes nothing" {
	kernel -e out=list=7,0,0,0 <<-END
		.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
		.global .align 1 .b8 text[9] = {97, 37, 110, 98, 37, 104, 110, 10, 0};
		.visible .entry k(.param .u64 out) { $registers
		.local .align 8 .b64 place[2];
		ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], 7;
		st.local.u64 [place], %rd1; st.local.u64 [place+8], %rd1;
		mov.u64 %rd2, place; cvta.local.u64 %rd2, %rd2;
		mov.u64 %rd3, text; cvta.global.u64 %rd3, %rd3;
		{ .param .b64 a; .param .b64 b; .param .b32 v;
		st.param.b64 [a], %rd3; st.param.b64 [b], %rd2;
		call (v), vprintf, (a, b); }
		ret; }
	END
	((status == 0))
	[[ $output == a%nb%hn* ]]
}

@test "%globaltimer is the time of day in nanoseconds" {
	local before after

	before=$(date +%s%N)
	kernel --print out:4 <<-END
		.visible .entry k(.param .u64 out) { $registers
		ld.param.u64 %rd1, [out]; mov.u64 %rd2, %globaltimer; st.global.u64 [%rd1], %rd2;
		mov.u32 %r1, %globaltimer_hi; st.global.u32 [%rd1+8], %r1; ret; }
	END
	after=$(date +%s%N)
	((status == 0))
	read -r _ low high upper _ <<<"$output"
	((before <= low + (high << 32) && low + (high << 32) <= after))
	((upper == high || upper == high + 1))
}
