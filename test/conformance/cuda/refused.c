/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is answered to bad arguments of every call. Each test runs in a child of its own, so that
 * the others go on when a driver breaks down.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "refused_context.h"
#include "refused_memory.h"
#include "refused_module.h"
#include "refused_stream.h"

static void make_good(void)
{
	good.device = cuda_start();
	OK_CU(cu.cuCtxGetCurrent(&good.context));
	good.module = cuda_kernels();
	good.step = cuda_function(good.module, "step");
	good.nothing = cuda_function(good.module, "nothing");
	OK_CU(cu.cuLibraryLoadData(&good.library, PTX_ALL, NULL, NULL, 0, NULL, NULL, 0));
	OK_CU(cu.cuLibraryGetKernel(&good.kernel, good.library, "step"));
	OK_CU(cu.cuStreamCreate(&good.stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuEventCreate(&good.event, 0));
	OK_CU(cu.cuDeviceGetDefaultMemPool(&good.pool, 0));
	OK_CU(cu.cuMemAlloc(&good.memory, 4096));
	OK_CU(cu.cuMemAllocManaged(&good.managed, 4096, CU_MEM_ATTACH_GLOBAL));
	OK_CU(cu.cuMemHostAlloc(&good.host, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
}

/* A GPU's driver may follow a pointer that is NULL: the rest of the test is left out then. */
static void broke_down(int signal)
{
	(void)signal;
	dprintf(STDOUT_FILENO, "# %s breaks the driver down\n", trying);
	memset(tried, true, sizeof(*tried));
	_exit(0);
}

static void in_child(void (*body)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		make_good();
		if (!cu.gpurunCpuReport)
			signal(SIGSEGV, broke_down);
		body();
		OK_CU(cu.cuCtxSynchronize());
		fflush(stdout);
		_exit(tap.failed);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
}

/* Calls without an argument that could be bad; those of the CPU device have tests of their own. */
static const char *const exempt[] = { "cuCtxPopCurrent", "gpurunCpuConfigure", "gpurunCpuNote",
				      "gpurunCpuReport" };

static void check_tried(const char *name, size_t index)
{
	for (size_t i = 0; i < sizeof(exempt) / sizeof(exempt[0]); i++)
		if (!strcmp(name, exempt[i]))
			return;
	if ((*tried)[index])
		return;
	tap.failed = true;
	printf("# there is no row for %s\n", name);
}

static void test_every_call(void)
{
#define CUDA_API(name, symbol, need, params, args) check_tried(#name, INDEX(name));
#include "cuda_api.def"
}

/* test_name() runs bad_name(). */
#define BAD(name)                     \
	static void test_##name(void) \
	{                             \
		in_child(bad_##name); \
	}
BAD(driver)
BAD(device)
BAD(primary)
BAD(context)
BAD(no_context)
BAD(memory)
BAD(managed)
BAD(copies)
BAD(fills)
BAD(pools)
BAD(virtual)
BAD(module)
BAD(function)
BAD(kernel)
BAD(library)
BAD(link)
BAD(launch)
BAD(occupancy)
BAD(tensor_map)
BAD(stream)
BAD(values)
BAD(event)

int main(void)
{
	tried = mmap(NULL, sizeof(*tried), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (tried == MAP_FAILED) {
		printf("not ok - no shared memory\n");
		return 1;
	}
	RUN(test_driver);
	RUN(test_device);
	RUN(test_primary);
	RUN(test_context);
	RUN(test_no_context);
	RUN(test_memory);
	RUN(test_managed);
	RUN(test_copies);
	RUN(test_fills);
	RUN(test_pools);
	RUN(test_virtual);
	RUN(test_module);
	RUN(test_function);
	RUN(test_kernel);
	RUN(test_library);
	RUN(test_link);
	RUN(test_launch);
	RUN(test_occupancy);
	RUN(test_tensor_map);
	RUN(test_stream);
	RUN(test_values);
	RUN(test_event);
	RUN(test_every_call);
	return tap_end();
}
