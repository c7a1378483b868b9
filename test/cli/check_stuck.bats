# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --check sync: loops that wait for ever, with another loop around them that writes.

load helpers

# A ring of two stages, as pipelines have it: thread 0 waits for each stage's mbarrier in turn
# and stores between. Thread 32 arrives at as many stages as the kernel is told.
setup_ring() {
	cat >ring.ptx <<-'PTX'
		.version 8.0
		.target sm_90
		.address_size 64
		.visible .entry ring(.param .u64 to, .param .u32 stages)
		{
			.shared .align 8 .b8 bars[16];
			.shared .align 4 .b8 word[4];
			.reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<2>; .reg .b64 %s;
			ld.param.u64 %rd1, [to];
			ld.param.u32 %r5, [stages];
			mov.u32 %r1, %tid.x;
			setp.ne.u32 %p1, %r1, 0;
			@%p1 bra inited;
			mbarrier.init.shared.b64 [bars], 1;
			mbarrier.init.shared.b64 [bars+8], 1;
		inited:
			bar.sync 0;
			mov.u32 %r2, 0;
			mov.u32 %r3, bars;
			setp.eq.u32 %p1, %r1, 32;
			@%p1 bra arrive;
			setp.ne.u32 %p1, %r1, 0;
			@%p1 ret;
		next:
			mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0;
			@%p1 bra.uni there;
			bra.uni next;
		there:
			st.shared.b32 [word], %r2;
			add.u32 %r3, %r3, 8;
			add.u32 %r2, %r2, 1;
			setp.lt.u32 %p2, %r2, 2;
			@%p2 bra next;
			st.global.u32 [%rd1], %r2;
			ret;
		arrive:
			setp.ge.u32 %p1, %r2, %r5;
			@%p1 ret;
			mbarrier.arrive.shared.b64 %s, [%r3];
			add.u32 %r3, %r3, 8;
			add.u32 %r2, %r2, 1;
			bra arrive;
		}
	PTX
}

@test "--check sync: a stage of a ring that never arrives, whichever of them; one that comes is silent" {
	setup_ring
	for stages in 0 1; do
		run -119 --separate-stderr gpurun ring.ptx --check sync -q -t 60s --launch ring \
			-b 64 -a u32:1 -a "$stages"
		[[ $stderr == *"sync: deadlock: 1 thread of the block waits for ever: this loop reads \
shared memory that no thread writes any more; they are ended
  kernel ring, block (0,0,0), thread (0,0,0)
  PTX line 25: mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0;"* ]]
	done
	run -0 --separate-stderr gpurun ring.ptx --check all -q -t 60s --launch ring -b 64 \
		-a x=u32:1 -a 2 -e x=fill=2
	nothing_found
}

# Two warps hand a word over, back and forth, by flags in shared memory. The loops around
# the waits have nothing in registers that changes: they count in memory.
@test "--check sync: loops that write, and come round with the same registers, are silent" {
	cat >table.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry table(.param .u64 to, .param .u32 most)
		{
			.shared .align 4 .b8 flag[4];
			.shared .align 4 .b8 count[4];
			.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<2>;
			ld.param.u64 %rd1, [to];
			ld.param.u32 %r5, [most];
			mov.u32 %r1, %tid.x;
			st.shared.u32 [flag], 0;
			st.shared.u32 [count], 0;
			bar.sync 0;
			and.b32 %r2, %r1, 31;
			setp.ne.u32 %p1, %r2, 0;
			@%p1 ret;
			shr.u32 %r3, %r1, 5;
			xor.b32 %r4, %r3, 1;
		turn:
			ld.volatile.shared.u32 %r6, [flag];
			setp.eq.u32 %p1, %r6, %r3;
			@%p1 bra mine;
			mov.u32 %r6, 0;
			bra turn;
		mine:
			ld.volatile.shared.u32 %r6, [count];
			setp.ge.u32 %p2, %r6, %r5;
			add.u32 %r6, %r6, 1;
			@%p2 bra done;
			st.volatile.shared.u32 [count], %r6;
			st.volatile.shared.u32 [flag], %r4;
			mov.u32 %r6, 0;
			bra turn;
		done:
			st.volatile.shared.u32 [flag], %r4;
			st.global.u32 [%rd1], %r5;
			ret;
		}
	PTX
	run -0 --separate-stderr gpurun table.ptx --check sync -q -t 60s --launch table -b 64 \
		-a x=u32:1 -a 3000 -e x=fill=3000
	nothing_found
	# Without the hand-over, the warp that has its turn comes round for ever and writes.
	sed '/flag], %r4/d; /@%p2 bra done/d; s/add.u32 %r6/min.u32 %r6/' table.ptx >alone.ptx
	run -124 --separate-stderr gpurun alone.ptx --check sync -q -t 1s --launch table -b 64 \
		-a x=u32:1 -a 3000
	[[ $stderr != *check:* ]]
}

# The second warp's first lane leaves the loop in which the others stay, and stores on its way
# out what the first warp waits for, which then lets the others go.
@test "--check sync: lanes that leave a loop are a change, though others stay in it" {
	cat >leave.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry leave(.param .u64 to)
		{
			.shared .align 4 .b8 flags[12];
			.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<2>;
			ld.param.u64 %rd1, [to];
			mov.u32 %r1, %tid.x;
			st.shared.u32 [flags], 0;
			st.shared.u32 [flags+4], 0;
			st.shared.u32 [flags+8], 0;
			bar.sync 0;
			and.b32 %r2, %r1, 31;
			setp.eq.u32 %p2, %r2, 0;
			setp.ge.u32 %p3, %r1, 64;
			mov.u32 %r3, 0;
			mov.u32 %r4, flags;
			bra.uni begin;
		out:
			@%p2 st.volatile.shared.u32 [flags+4], 1;
			ret;
		begin:
			@%p3 bra delay;
			setp.lt.u32 %p3, %r1, 32;
			@%p3 bra first;
			@!%p2 add.u32 %r4, %r4, 8;
		wait:
			ld.volatile.shared.u32 %r6, [%r4];
			setp.ne.u32 %p1, %r6, 0;
			@%p1 bra out;
			bra wait;
		first:
			ld.volatile.shared.u32 %r6, [flags+4];
			setp.eq.u32 %p1, %r6, 0;
			@%p1 bra first;
			st.volatile.shared.u32 [flags+8], 1;
			@%p2 st.global.u32 [%rd1], %r6;
			ret;
		delay:
			add.u32 %r3, %r3, 1;
			setp.lt.u32 %p1, %r3, 100000;
			@%p1 bra delay;
			st.volatile.shared.u32 [flags], 1;
			ret;
		}
	PTX
	run -0 --separate-stderr gpurun leave.ptx --check sync -q -t 60s --launch leave \
		-b 96 -a x=u32:1 -e x=fill=1
	nothing_found
}
