/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Registered memory leaves while a kernel of another context reads it, and the program unmaps it at
 * once: the kernel faults, and the process does not. By its call, and with the context that
 * registered it.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "cuda_kernels.h"

enum { SIZE = 1 << 20, ROUNDS = 30 };

static const char reader[] = PTX_HEAD
	".visible .entry read(.param .u64 p, .param .u64 stop)\n"
	"{\n"
	"	.reg .pred %q;\n"
	"	.reg .b32 %r<3>;\n"
	"	.reg .b64 %rd<3>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	ld.param.u64 %rd2, [stop];\n"
	"again:\n"
	"	ld.volatile.global.u32 %r1, [%rd1];\n"
	"	ld.volatile.global.u32 %r1, [%rd1+65536];\n"
	"	st.volatile.global.u32 [%rd1+4096], %r1;\n"
	"	ld.volatile.global.u32 %r2, [%rd2];\n"
	"	setp.eq.u32 %q, %r2, 0;\n"
	"	@%q bra again;\n"
	"	ret;\n"
	"}\n";

static void launch_reader(void *memory, uint32_t *stop, CUstream *stream)
{
	void *params[] = { &memory, &stop };
	CUfunction function;
	CUmodule module;

	OK_CU(cu.cuModuleLoadData(&module, reader));
	OK_CU(cu.cuModuleGetFunction(&function, module, "read"));
	OK_CU(cu.cuStreamCreate(stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, *stream, params, NULL));
}

static void one_round(bool by_context, unsigned microseconds)
{
	CUcontext owner, user;
	CUstream stream;
	uint32_t *stop;
	void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(memory != MAP_FAILED);
	OK_CU(cu.cuCtxCreate_v2(&owner, 0, 0));
	OK_CU(cu.cuMemHostRegister(memory, SIZE, CU_MEMHOSTALLOC_PORTABLE |
						 CU_MEMHOSTALLOC_DEVICEMAP));
	OK_CU(cu.cuCtxCreate_v2(&user, 0, 0));
	OK_CU(cu.cuMemHostAlloc((void **)&stop, sizeof(*stop), CU_MEMHOSTALLOC_PORTABLE));
	*stop = 0;
	launch_reader(memory, stop, &stream);
	usleep(microseconds);
	OK_CU(cu.cuCtxSetCurrent(owner));
	if (by_context)
		OK_CU(cu.cuCtxDestroy(owner));
	else
		OK_CU(cu.cuMemHostUnregister(memory));
	munmap(memory, SIZE);
	OK_CU(cu.cuCtxSetCurrent(user));
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	/* The kernel has seen that the memory is gone, unless it was stopped before. */
	(void)cu.cuStreamSynchronize(stream);
	OK_CU(cu.cuCtxDestroy(user));
	if (!by_context)
		OK_CU(cu.cuCtxDestroy(owner));
}

static void test_call(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		one_round(false, 1500 + i * 37);
}

static void test_context(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		one_round(true, 1500 + i * 37);
}

int main(void)
{
	cuda_start();
	if (cu.gpurunCpuReport)
		cu.gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, NULL, 0);
	RUN(test_call);
	RUN(test_context);
	return tap_end();
}
