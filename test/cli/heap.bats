# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# malloc and free of kernels on the CPU device.

load helpers

@test "what a kernel allocates outlives it, and another one frees it" {
	run -0 gpurun "$data/images/heap.ptx" --launch keep -b 2 --launch find -a out=u32:2 \
		-e out=list=40,41 --launch keep -b 2 --launch find -a out
}

@test "free of what is free, and of what malloc did not give" {
	run -117 --separate-stderr gpurun "$data/images/heap.ptx" --launch keep -b 2 --launch twice
	[[ ${stderr_lines[0]} == "free of 0x"*", which malloc did not give, or which is free already" ]]
	run -117 --separate-stderr gpurun "$data/images/heap.ptx" --launch foreign -a u32:4
	[[ ${stderr_lines[0]} == "free of 0x"*", which malloc did not give, or which is free already" ]]
}

@test "a write behind a block of the heap" {
	run -117 --separate-stderr gpurun "$data/images/heap.ptx" --launch keep -b 2 --launch beyond
	[[ ${stderr_lines[0]} == "illegal address: write of 4 bytes at "*"1 bytes beyond the 8 bytes at "* ]]
}
