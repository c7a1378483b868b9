/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each of very many launches costs that are queued at the same time, on a stream each. */
#include <stdatomic.h>
#include <time.h>

#include "exports.h"
#include "tap.h"

enum { FEW = 8000, MANY = 4 * FEW };

static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry nothing() { ret; }\n"
	".visible .entry waits(.param .u64 flag) {\n"
	".reg .b64 %rd; .reg .b32 %r; .reg .pred %p;\n"
	"ld.param.u64 %rd, [flag];\n"
	"L: ld.volatile.global.u32 %r, [%rd]; setp.eq.u32 %p, %r, 0; @%p bra L;\n"
	"ret; }\n";

static CUfunction nothing, waits;
static CUstream streams[MANY];
static _Atomic unsigned *flag;

static bool start(void)
{
	CUcontext context;
	CUmodule module;
	char message[256];
	int wrong = gpurunCpuConfigure("threads=1", message, sizeof(message)) || cuInit(0) ||
		    cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
		    cuModuleLoadData(&module, text) ||
		    cuModuleGetFunction(&nothing, module, "nothing") ||
		    cuModuleGetFunction(&waits, module, "waits") ||
		    cuMemHostAlloc((void **)&flag, sizeof(*flag), CU_MEMHOSTALLOC_DEVICEMAP);

	for (size_t i = 0; i < MANY; i++)
		wrong = wrong || cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING);
	return !wrong;
}

static double processor_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The seconds of processors that @count launches take which have to wait for the one worker. */
static double run_queued(size_t count)
{
	const double begin = processor_seconds();
	void *args[] = { &flag };

	atomic_store(flag, 0);
	CHECK_INT(cuLaunchKernel(waits, 1, 1, 1, 1, 1, 1, 0, streams[0], args, NULL), 0);
	for (size_t i = 1; i < count; i++)
		if (cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, streams[i], NULL, NULL))
			CHECK(!"a launch failed");
	atomic_store(flag, 1);
	CHECK_INT(cuCtxSynchronize(), 0);
	return processor_seconds() - begin;
}

/* Four times as many took thirty times as long, when each was looked for among all. */
static void test_time_of_each(void)
{
	const double few = run_queued(FEW), many = run_queued(MANY);

	if (!CHECK(many < 10 * few + 0.05))
		printf("# %d launches: %.3f s; %d: %.3f s\n", FEW, few, MANY, many);
}

int main(void)
{
	if (!CHECK(start()))
		return tap_end();
	RUN(test_time_of_each);
	return tap_end();
}
