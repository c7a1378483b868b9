/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The host starts no thread for the device: that is reported, as a fault of its context. */
#include "exports.h"
#include "tap.h"
#include "thread.h"

bool thread_start(pthread_t *thread, void *(*main)(void *), void *argument)
{
	(void)thread, (void)main, (void)argument;
	return false;
}

static CUresult launch(void)
{
	static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
				   ".visible .entry k() { ret; }\n";
	CUfunction function;
	CUcontext context;
	CUmodule module;

	if (cuInit(0) || gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, NULL, 0) ||
	    cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
	    cuModuleLoadData(&module, text) || cuModuleGetFunction(&function, module, "k"))
		return CUDA_ERROR_UNKNOWN;
	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static void test_launch(void)
{
	char text[1024] = "";

	CHECK_INT(launch(), CUDA_SUCCESS);
	CHECK_INT(cuCtxSynchronize(), CUDA_ERROR_OPERATING_SYSTEM);
	CHECK_INT(gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, text, sizeof(text)), CUDA_SUCCESS);
	CHECK_STR(text, "the CPU device cannot start a thread");
}

int main(void)
{
	RUN(test_launch);
	return tap_end();
}
