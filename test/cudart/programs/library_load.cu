// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries of kernels that the program loads: PTX as text, its kernels and variables by name.
#include "check.h"

static const char text[] =
	".version 7.8\n.target sm_75\n.address_size 64\n"
	".visible .global .align 4 .u32 base = 40;\n"
	".visible .entry put(.param .u64 p, .param .u32 n)\n"
	"{\n"
	"	.reg .u64 %p;\n"
	"	.reg .u32 %n, %b;\n"
	"	ld.param.u64 %p, [p];\n"
	"	ld.param.u32 %n, [n];\n"
	"	ld.global.u32 %b, [base];\n"
	"	add.u32 %n, %n, %b;\n"
	"	st.global.u32 [%p], %n;\n"
	"	ret;\n"
	"}\n"
	".visible .entry nothing() { ret; }\n";

int main()
{
	cudaLibrary_t library;
	cudaKernel_t put, all[2], none;
	unsigned *data = zeroed<unsigned>(1), n = 2, count, base = 50;
	void *args[] = { &data, &n }, *address;
	size_t size;

	CHECK(cudaLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0));
	CHECK(cudaLibraryGetKernelCount(&count, library));
	SAME(2, count);
	CHECK(cudaLibraryEnumerateKernels(all, 2, library));
	CHECK(cudaLibraryGetKernel(&put, library, "put"));
	EXPECT(put == all[0] || put == all[1]);
	CHECK(cudaLaunchKernel(put, dim3(1), dim3(1), args, 0, 0));
	SAME(42, fetched(data, 1)[0]);
	CHECK(cudaLibraryGetGlobal(&address, &size, library, "base"));
	SAME(4, size);
	CHECK(cudaMemcpy(address, &base, 4, cudaMemcpyHostToDevice));
	CHECK(cudaLaunchKernel(put, dim3(1), dim3(1), args, 0, 0));
	SAME(52, fetched(data, 1)[0]);
	GIVES(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&none, library, "nosuch"));
	GIVES(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&address, &size, library, "nosuch"));
	CHECK(cudaLibraryUnload(library));
	/* NVIDIA's follows a handle that is gone, and looks at an image at its first use. */
	if (!getenv("GPURUN_TEST_GPU")) {
		GIVES(cudaErrorInvalidResourceHandle, cudaLaunchKernel(put, dim3(1), dim3(1), args, 0, 0));
		EXPECT(cudaLibraryLoadData(&library, ".version 99.9\n", 0, 0, 0, 0, 0, 0) != cudaSuccess);
	}
	return ok();
}
