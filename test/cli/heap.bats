# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# malloc and free of kernels on the CPU device.

load helpers

@test "what a kernel allocates outlives it, and another one frees it" {
	run -0 gpurun "$data/images/heap.ptx" --launch keep -b 2 --launch find -a out=u32:2 \
		-e out=list=40,41 --launch keep -b 2 --launch find -a out
}

@test "free of what is free, and of what malloc did not return" {
	run -117 --separate-stderr gpurun "$data/images/heap.ptx" --launch keep -b 2 --launch twice
	[[ ${stderr_lines[0]} == "gpurun: free of 0x"*", which malloc did not return, or which is free already" ]]
	run -117 --separate-stderr gpurun "$data/images/heap.ptx" --launch foreign -a u32:4
	[[ ${stderr_lines[0]} == "gpurun: free of 0x"*", which malloc did not return, or which is free already" ]]
}

@test "a write behind a block of the heap" {
	run -117 --separate-stderr gpurun "$data/images/heap.ptx" --launch keep -b 2 --launch beyond
	[[ ${stderr_lines[0]} == "gpurun: illegal address: write of 4 bytes at "*"1 byte beyond the 8 bytes at "* ]]
}

@test "as many blocks fit as on a GPU, which counts more than their bytes" {
	cat >"$BATS_TEST_TMPDIR/fill.ptx" <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.extern .func (.param .b64 r) malloc(.param .b64 a);
		.visible .entry fill(.param .u64 out, .param .u64 size)
		{
			.reg .pred %p; .reg .b32 %r; .reg .b64 %rd<4>;
			ld.param.u64 %rd1, [out];
			ld.param.u64 %rd2, [size];
			mov.u32 %r, 0;
		L:	{ .param .b64 x; .param .b64 y;
			  st.param.b64 [x], %rd2; call (y), malloc, (x); ld.param.b64 %rd3, [y]; }
			setp.ne.u64 %p, %rd3, 0;
			@%p add.u32 %r, %r, 1;
			@%p bra L;
			st.global.u32 [%rd1], %r;
			ret;
		}
	PTX
	local row
	for row in 1=90200 64=90200 65=89240 4096=1880 100000=77; do
		run -0 gpurun "$BATS_TEST_TMPDIR/fill.ptx" -q --launch fill -b 1 -a o=u32:1 \
			-a u64="${row%=*}" --print o
		[[ $output == "o: ${row#*=}" ]]
	done
}
