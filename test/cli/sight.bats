# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the CPU device shows of what it executes: trace= and dump=.

load helpers

rowsum=$BATS_TEST_DIRNAME/../../examples/debug/rowsum.ptx

trace() {	# WHAT: of rowsum, three threads in a block
	gpurun "$rowsum" -q -d "cpu:$1" --launch rowsum -b 3 -a i32:3x4:iota -a sum=i32:3 -a i32=3 \
		-a i32=4 --expect sum=list=6,18,30
}

@test "trace: one thread, one block, all; of kernels that match" {
	run -0 --separate-stderr trace trace=rowsum:0:1
	one=${#stderr_lines[@]}
	[[ $one -gt 40 && $stderr != *"(0,0,0) (0,0,0)"* && $stderr != *"(2,0,0)"* ]]
	[[ $stderr == *"trace: (0,0,0) (1,0,0) line 36: mad.lo.s32 %r1, %r10, %r9, %r11 %r10=0 %r9=3 %r11=1"* ]]
	[[ $stderr == *"trace: (0,0,0) (1,0,0) line 36 -> %r1=1"* ]]
	[[ $stderr == *"line 39: @%p1 bra \$L__BB0_5 %p1=false"* ]]
	run -0 --separate-stderr trace trace=rowsum:0
	[[ ${#stderr_lines[@]} == $((3 * one)) ]]
	run -0 --separate-stderr trace 'trace=row*'
	[[ ${#stderr_lines[@]} == $((3 * one)) ]]
	for other in rowsum:1 row rowsum:0:3; do
		run -0 --separate-stderr trace "trace=$other"
		[[ $stderr == "gpurun: trace=${other%%:*}: no thread that ran is of a kernel, block and thread that match" ]]
	done
	run -0 --separate-stderr gpurun --devices -q -d cpu:trace=row
	[[ ! $stderr ]]
	for other in trace dump; do
		run -110 --separate-stderr trace "$other=scale<float, 4>"
		[[ $stderr == *": CPU device: the comma behind 'scale<float' ends the key: write ? for it, as in trace='scale<float? 4>'" ]]
		run -0 --separate-stderr trace "$other=scale<float? 4>"
	done
}

@test "trace: the instruction that faults is the last one" {
	run -117 --separate-stderr gpurun "$rowsum" -q -d cpu:trace=rowsum:0:2 --launch rowsum -b 3 \
		-a i32:3x3 -a sum=i32:3 -a i32=3 -a i32=9
	[[ $(grep ^trace: <<<"$stderr" | tail -n 1) == *": ld.global.u32 %r16, [%rd11] %rd11=0x"* ]]
}

@test "trace: lanes that a predicate leaves out are not told, and check= finds the same" {
	run -119 --separate-stderr gpurun "$BATS_TEST_DIRNAME/../../examples/check/checks.ptx" -q \
		-d cpu:trace=barrier_bad:0:32 --check race --launch barrier_bad -b 64 \
		-a i32:64:iota -a out=i32:64
	[[ $stderr == *"check: race: write of 4 bytes at 0x80"* && $stderr == *"line 688: st.shared.u32 [%r5], %r2 %r5=128 %r2=32"* ]]
}

@test "dump: instructions, their registers, ops by their handlers" {
	run -0 --separate-stderr trace dump=rowsum
	[[ ${stderr_lines[0]} == "gpurun: dump of rowsum: ops 1 to "*", for warps whose threads differ in %tid.x alone" ]]
	[[ $stderr == *"line 46: mul.lo.s32 %r15, %r7, %r1"*"%r1 row 0x"*"mul_lo_u32_rs d=0x"* ]]
	[[ $stderr == *"a=0x500 (%tid.x)"* && $stderr != *"?"* ]]
	[[ ${stderr_lines[1]} == "  kinds of registers in blocks of any shape whose x is a multiple of 32" ]]
	[[ $stderr == *"-> %r11 row 0x"*" (32n+0..31)"*"%r7 slot 0x"*" (uniform), %r1 row 0x"*" (base+0..31), -> %r15 row 0x"*" (vector)"* ]]
	[[ $stderr == *"           if no lane of operand 2 wraps around in s32"* ]]
	run -0 --separate-stderr trace dump=rowsum,scalar=0
	[[ ${stderr_lines[0]} != *"alone" && $stderr != *" slot "* ]]
	run -0 --separate-stderr trace dump=vadd
	[[ $stderr == "gpurun: dump=vadd: no kernel that was launched has this name" ]]
}

@test "dump: kinds of a kernel that names its block, and of one that names none" {
	sed -n '1,/^\.address_size/p' "$BATS_TEST_DIRNAME/../../examples/debug/rowsum.ptx" >"$BATS_TEST_TMPDIR/k.ptx"
	cat >>"$BATS_TEST_TMPDIR/k.ptx" <<-'EOF'
		.visible .entry k() .reqntid 16, 16, 1 { .reg .b32 %r<3>; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; ret; }
	EOF
	GPURUN_CPU=dump=k run -0 --separate-stderr gpurun "$BATS_TEST_TMPDIR/k.ptx" -q --launch k -b 16x16
	[[ ${stderr_lines[1]} == "  kinds of registers in blocks of 16x16x1" ]]
	[[ $stderr == *" (0+0..15,0..15)"*" (2n+0*16,1*16)"* ]]
	GPURUN_CPU=dump=k,scalar=0 run -0 --separate-stderr gpurun <(sed 's/\.reqntid 16, 16, 1//' "$BATS_TEST_TMPDIR/k.ptx") \
		-q --launch k -b 16x16
	[[ ${stderr_lines[1]} == "  kinds of registers in blocks of any shape" && $stderr == *" (vector)"* ]]
}

@test "dump and trace: values that are none" {
	run -110 --separate-stderr trace trace=:1
	[[ $stderr == *"CPU device: trace=:1 is not KERNEL[:BLOCK[:THREAD]], such as vadd:0:31 or k:2x1:0x3"* ]]
	run -110 --separate-stderr trace dump=
	[[ $stderr == *"dump= is not a kernel's name, or a pattern"* ]]
}
