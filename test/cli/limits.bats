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

@test "a constant that other instructions have read cannot be written" {
	constant_store | program
	run -117 --separate-stderr gpurun "$BATS_TEST_TMPDIR/program.ptx" --launch k -a u32:1
	[[ ${stderr_lines[0]} == "illegal address: write of 4 bytes at "*", which are constant" ]]
}
