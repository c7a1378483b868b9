# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --check init: parts of registers and of what is stored, of which others have no value.

load helpers

# Adds kernel $1 to parts.ptx: $2 sets %p9, which is used. Of low the lower half has a value,
# of high the upper one, of full both, of none none; own is memory of the thread's.
kernel() {
	cat >>parts.ptx <<-END
		.visible .entry $1(.param .u64 to) {
			.reg .b16 %h<3>; .reg .b32 low, high, full, none, by, %r<5>; .reg .b64 o, wide;
			.reg .f32 %f<3>; .reg .pred %p<10>; .reg .b128 %q<3>;
			.local .align 16 .b8 own[32];
			ld.param.u64 o, [to];
			ld.global.u16 %h1, [o];
			mov.b32 low, {%h1, %h2};
			mov.b32 high, {%h2, %h1};
			mov.b32 full, {%h1, %h1};
			mov.b32 none, {%h2, %h2};
			ld.global.u32 by, [o+4];
			$2
			@%p9 st.global.u32 [o+8], 1;
			ret;
		}
	END
}

# Instructions $1 make %r1: its bits $2 have a value; of $3, if there are such, one has none.
bits() {
	count=$((count + 1))
	kernel "bits_good$count" "$1; and.b32 %r2, %r1, $2; setp.ne.u32 %p9, %r2, 7;"
	[[ -z ${3-} ]] || kernel "bits_bad$count" "$1; and.b32 %r2, %r1, $3; setp.ne.u32 %p9, %r2, 7;"
}

# After $1 the predicate %p9 depends on what has a value, after $2 it does not.
either() {
	count=$((count + 1))
	kernel "either_good$count" "$1"
	kernel "either_bad$count" "$2"
}

setup_parts() {
	printf '.version 8.6\n.target sm_90\n.address_size 64\n' >parts.ptx
	count=0
}

run_parts() {
	local name

	for name in $(sed -n 's/.*\.entry \([a-z0-9_]*\)(.*/\1/p' parts.ptx); do
		grep -A12 "entry $name(" parts.ptx
		if [[ $name == *good* ]]; then
			run -0 --separate-stderr gpurun parts.ptx --check all -q --launch "$name" -b 1 \
				-a to=u32:4:iota
			nothing_found
		else
			run -119 --separate-stderr gpurun parts.ptx --check init -q --launch "$name" \
				-b 1 -a to=u32:4:iota
			[[ $stderr == "gpurun: check: init: "*" of register "* ]]
		fi
	done
}

@test "--check init: halves of a register are apart" {
	setup_parts
	bits "add.rn.f16x2 %r1, low, full" 0xffff 0x80000000
	bits "fma.rn.bf16x2 %r1, high, full, full" 0xffff0000 1
	bits "neg.f16x2 %r1, high" 0xffff0000 1
	bits "ex2.approx.f16x2 %r1, low" 0xffff 0x10000
	bits "min.s16x2 %r1, low, full" 0xffff 0x10000
	bits "set.eq.f16x2.f16x2 %r1, low, full" 0xffff 0x10000
	either "setp.eq.f16x2 %p9|%p1, low, full;" "setp.eq.f16x2 %p1|%p9, low, full;"
	either "setp.eq.f16x2 %p1|%p9, high, full;" "setp.eq.f16x2 %p9|%p1, high, full;"
	bits "mov.b32 %f1, none; mov.b32 %f2, full; cvt.rn.f16x2.f32 %r1, %f1, %f2" 0xffff 0x10000
	bits "mov.b32 %f1, none; mov.b32 %f2, full; cvt.rn.bf16x2.f32 %r1, %f2, %f1" 0xffff0000 1
	bits "cvt.pack.sat.s16.s32 %r1, none, full" 0xffff 0x10000
	bits "cvt.pack.sat.u8.s32.b32 %r1, full, none, low" 0xffffff00 1
	bits "cvt.pack.sat.u8.s32.b32 %r1, full, full, high" 0xffff 0x10000
	run_parts
}

@test "--check init: bits that are moved and masked" {
	setup_parts
	bits "bfe.u32 %r1, low, 8, 16" 0xff 0x100
	bits "bfe.s32 %r1, low, 0, 16" 0xffffffff
	bits "bfe.s32 %r1, low, 4, 16" 0xfff 0x80000000
	bits "bfi.b32 %r1, low, full, 8, 24" 0xffffff 0x1000000
	bits "bfi.b32 %r1, full, low, 16, 15" 0x7fffffff 0x80000000
	bits "prmt.b32 %r1, low, full, 0x4321" 0xff0000ff 0x100
	bits "prmt.b32 %r1, low, full, 0xbbb9" 0xff 0x100
	bits "lop3.b32 %r1, low, full, full, 0x80" 0xffff 0x10000
	bits "and.b32 %r1, low, full" 0xffff 0x10000
	bits "or.b32 %r1, low, 0xfff00000" 0xfff0ffff 0x10000
	bits "shl.b32 %r1, low, 4" 0xfffff 0x100000
	bits "shl.b32 %r1, low, by" 0x1ffff 0x20000
	bits "shr.u32 %r1, low, by" 0x80007fff 0x8000
	bits "shr.s32 %r1, low, by" 0x7fff 0x80000000
	bits "shr.s32 %r1, low, 20" 0 1
	bits "shl.b32 %r1, full, low" 0 1
	bits "mov.b64 wide, {low, full}; add.u32 by, by, 70; shr.s64 wide, wide, by; \
cvt.u32.u64 %r1, wide" 0xffffffff
	bits "mov.b64 wide, {full, low}; add.u32 by, by, 70; shr.s64 wide, wide, by; \
cvt.u32.u64 %r1, wide" 0 1
	bits "shf.l.wrap.b32 %r1, low, full, 16" 0xffff0000 1
	bits "shf.l.wrap.b32 %r1, full, low, 12" 0x0fffffff 0x10000000
	bits "shf.r.clamp.b32 %r1, low, full, 20" 0xfffff000 1
	bits "shf.r.clamp.b32 %r1, none, full, 32" 0xffffffff
	bits "mov.b64 wide, {low, full}; shr.u64 wide, wide, 40; cvt.u32.u64 %r1, wide" 0xffffff
	bits "cvt.s64.u32 wide, none; shr.u64 wide, wide, 32; cvt.u32.u64 %r1, wide" 0xffffffff
	bits "cvt.u64.s32 wide, none; shr.u64 wide, wide, 32; cvt.u32.u64 %r1, wide" 0 1
	bits "add.s32 %r1, low, full" 0xffff 0x10000
	bits "mul.hi.u32 %r1, high, full" 0 1
	bits "add.sat.s32 %r1, low, full" 0 1
	either "setp.lt.s32 %p9, high, 0;" "setp.lt.s32 %p9, low, 0;"
	either "setp.gt.s32 %p9, high, -1;" "setp.gt.s32 %p9, high, 0;"
	either "setp.lt.u32 %p9, high, 0x10000;" "setp.lt.u32 %p9, high, 0x8000;"
	either "setp.hi.u32 %p9, high, 0xffff;" "setp.hi.u32 %p9, high, 0x10000;"
	run_parts
}

# A word of which fields are set one by one has bytes of which others never are.
@test "--check init: fields of a word in memory" {
	local field="ld.local.u32 %r1, [own]; and.b32 %r1, %r1, -8; or.b32 %r1, %r1, 5;
		st.local.u32 [own], %r1; ld.local.u32 %r1, [own]"

	setup_parts
	bits "$field" 7 0xff00
	bits "ld.local.u32 %r1, [own]; bfi.b32 %r1, full, %r1, 3, 5; st.local.u32 [own], %r1;
		ld.local.u32 %r1, [own]" 0xf8 0xff00
	run_parts
}

# What has no value fills vectors up; memory is unset there, and a use of it is told of.
@test "--check init: stores that are filled up" {
	local part

	setup_parts
	for part in "st.global.v2.b32 [o+8], {full, none}; ld.global.v2.b32 {%r1, %r2}, [o+8]" \
		"st.global.b32 [o+8], low; ld.global.b32 %r3, [o+8]; and.b32 %r1, %r3, 255;
			shr.u32 %r2, %r3, 16" \
		"st.global.v2.b32 [o+8], {low, none}; ld.global.v2.b32 {%r1, %r2}, [o+8];
			and.b32 %r1, %r1, 0xffff" \
		"mov.b64 wide, {full, none}; st.global.b64 [o+8], wide;
			ld.global.v2.b32 {%r1, %r2}, [o+8]"; do
		either "$part; setp.eq.u32 %p9, %r1, 7;" "$part; setp.eq.u32 %p9, %r2, 7;"
	done
	either "st.global.v2.b32 [o+8], {full, full}; setp.eq.u32 %p9, by, 1;" \
		"st.global.v2.b32 [o+8], {none, none}; setp.eq.u32 %p9, by, 7;"
	either "st.global.b32 [o+8], low; setp.eq.u32 %p9, by, 7;" \
		"st.global.b32 [o+8], none; setp.eq.u32 %p9, by, 7;"
	either "cvt.u32.u16 %r1, %h1; st.global.b32 [o+8], %r1; setp.eq.u32 %p9, by, 7;" \
		"cvt.u32.u16 %r1, %h2; st.global.b32 [o+8], %r1; setp.eq.u32 %p9, by, 7;"
	either "st.global.v2.b32 [o+8], {none, 0}; setp.eq.u32 %p9, by, 7;" \
		"mov.b32 %r1, 5; or.b32 %r1, %r1, %r1; st.global.b32 [o+8], none;
			setp.eq.u32 %p9, by, 7;"
	run_parts
}

# As nvcc -G copies a structure of two words, of which the second is a gap.
@test "--check init: copies of a structure whose parts have bases of their own" {
	local parts=".reg .b64 %d<3>; mov.u64 wide, own; st.local.b32 [wide], by;
		add.s64 %d1, wide, 4; add.s64 %d2, o, 12;
		ld.local.b32 %r1, [wide]; ld.local.b32 %r2, [%d1]; st.global.b32 [o+8], %r1"

	setup_parts
	either "$parts; st.global.b32 [%d2], %r2; setp.eq.u32 %p9, by, 7;" \
		"$parts; st.global.b32 [%d2+-12], %r2; setp.eq.u32 %p9, by, 7;"
	either "$parts; st.global.b32 [%d2], %r2; setp.eq.u32 %p9, by, 7;" \
		"$parts; add.s64 %d2, o, %d2; sub.s64 %d2, %d2, o; st.global.b32 [%d2], %r2;
			setp.eq.u32 %p9, by, 7;"
	run_parts
}

# Structures are shuffled with their gaps, and compilers compute beforehand.
@test "--check init: shuffles, and what is computed or loaded too early" {
	local word="mov.b32 %r1, none; shfl.sync.idx.b32 %r2, low, 0, 31, 1;
		shfl.sync.idx.b32 %r1, %r1, 0, 31, 1;"

	setup_parts
	either "$word and.b32 %r2, %r2, 255; setp.eq.u32 %p9, %r2, 7;" \
		"$word setp.eq.u32 %p9, %r2, 7;"
	either "$word and.b32 %r2, %r2, 255; setp.eq.u32 %p9, %r2, 7;" \
		"$word setp.eq.u32 %p9, %r1, 7;"
	either "shfl.sync.idx.b32 %r1, full, 0, 31, 1; setp.eq.u32 %p9, %r1, 7;" \
		"shfl.sync.idx.b32 %r1, full, none, 31, 1; setp.eq.u32 %p9, by, 7;"
	word="add.s32 %r1, %r4, 1; max.s32 %r1, %r1, by; setp.eq.u32 %p1, by, 7;"
	either "$word selp.b32 %r1, %r1, full, %p1; setp.eq.u32 %p9, %r1, 7;" \
		"$word selp.b32 %r1, full, %r1, %p1; setp.eq.u32 %p9, %r1, 7;"
	word=".shared .b32 var; ld.shared.b32 %r1, [var]; setp.eq.u32 %p1, by, 7;"
	either "$word selp.b32 %r1, %r1, full, %p1; setp.eq.u32 %p9, %r1, 7;" \
		"$word selp.b32 %r1, full, %r1, %p1; setp.eq.u32 %p9, %r1, 7;"
	word=".shared .align 8 .b8 gap[16]; st.shared.u32 [gap], by; mov.u32 %r2, gap;
		ld.shared.b32 %r1, [%r2+4]; st.local.b32 [own], %r1; ld.local.b32 %r1, [own];"
	either "$word setp.eq.u32 %p9, by, 7;" "$word setp.eq.u32 %p9, %r1, 7;"
	run_parts
}

@test "--check: kinds in any order" {
	setup_parts
	either "setp.eq.u32 %p9, by, 7;" "setp.eq.u32 %p9, none, 7;"
	run -119 gpurun parts.ptx --check init,mem,sync -q --launch either_bad1 -b 1 -a u32:4:iota
	run -0 gpurun parts.ptx --check race,mem -q --launch either_bad1 -b 1 -a u32:4:iota
}

# Of 32 bytes one word is written: the registers of the others are followed as well.
@test "--check init: parts of 256 bits loaded at once" {
	cat >wide.ptx <<-'PTX'
	.version 8.8
	.target sm_100
	.address_size 64
	.visible .entry wide(.param .u64 pa, .param .u32 which)
	{
		.reg .b32 %r<10>;
		.reg .pred %p<3>;
		.reg .b64 a;
		ld.param.u64 a, [pa];
		ld.param.u32 %r9, [which];
		st.global.u32 [a+4], %r9;
		ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [a];
		setp.eq.u32 %p1, %r9, 7;
		selp.b32 %r1, %r7, %r1, %p1;
		setp.eq.u32 %p2, %r1, 0;
		@%p2 st.global.u32 [a+8], %r9;
		ret;
	}
	PTX
	run -119 gpurun wide.ptx -d cpu:cc=10.0 --check init -q --launch wide -a u8:32:uninit -a 7
	[[ $output == *"read of register %p2"*"byte 28 of the 32 bytes"* ]]
	run -0 gpurun wide.ptx -d cpu:cc=10.0 --check init -q --launch wide -a u8:32:uninit -a 1
	[ -z "$output" ]
}
