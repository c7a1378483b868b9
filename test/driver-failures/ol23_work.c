/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs about what came with LLVM Offload 23.1. */
#include "ol_calls.h"

enum { BYTES = 4096 };

static unsigned answer(void *port, unsigned lanes)
{
	(void)port;
	return lanes;
}

static void pin(void)
{
	static char mine[BYTES];
	void *pinned;

	STEP(olMemRegister(ol_gpu, mine, BYTES, 0, &pinned));
	STEP(olMemUnregister(ol_gpu, mine, 0));
	STEP(ol_register(ol_gpu, mine, BYTES, 0, &pinned));
	STEP(olMemRegister(ol_gpu, mine, BYTES, 0, &pinned));
	STEP(olMemUnregister(ol_gpu, mine, 0));
	STEP(ol_unregister(ol_gpu, mine));
}

static void migrate(ol_queue_handle_t queue, const void *memory)
{
	const void *list[] = { memory, memory };
	const size_t sizes[] = { BYTES, 64 };
	bool done;

	STEP(olMemPrefetch(queue, 2, list, sizes, OL_MEM_MIGRATION_FLAG_HOST_TO_DEVICE));
	STEP(olMemPrefetch(queue, 2, list, sizes, OL_MEM_MIGRATION_FLAG_DEVICE_TO_HOST));
	STEP(olQueryQueue(queue, &done));
	STEP(olQueryQueue(queue, NULL));
	STEP(olSyncQueue(queue));
}

void ol23_memory(void)
{
	void *device, *managed, *host;
	ol_queue_handle_t queue;

	STEP(olCreateQueue(ol_gpu, &queue));
	STEP(olMemAllocAligned(ol_gpu, OL_ALLOC_TYPE_DEVICE, BYTES, 65536, &device));
	STEP(olMemAllocAligned(ol_gpu, OL_ALLOC_TYPE_MANAGED, BYTES, 1, &managed));
	STEP(olMemAllocAligned(ol_gpu, OL_ALLOC_TYPE_HOST, BYTES, 1 << 20, &host));
	PART(migrate(queue, managed));
	PART(pin());
	STEP(olMemFree(host));
	STEP(olMemFree(managed));
	STEP(olMemFree(device));
	STEP(olDestroyQueue(queue));
}

void ol23_launches(void)
{
	const ol_kernel_launch_size_args_t size = { 1, { 2, 1, 1 }, { 32, 1, 1 }, 60000 };
	bool cooperative = true;
	const ol_kernel_launch_prop_t how[] = {
		{ OL_KERNEL_LAUNCH_PROP_TYPE_IS_COOPERATIVE, &cooperative },
		{ OL_KERNEL_LAUNCH_PROP_TYPE_NONE, NULL },
	};
	ol_program_handle_t program;
	ol_platform_handle_t platform;
	ol_symbol_handle_t kernel;
	ol_queue_handle_t queue;
	uint32_t most;

	STEP(olGetDeviceInfo(ol_gpu, OL_DEVICE_INFO_PLATFORM, sizeof(platform), &platform));
	STEP(olPlatformRegisterRPCCallback(platform, answer));
	STEP(olCreateProgram(ol_gpu, ol_ptx, ol_ptx_size, &program));
	STEP(olGetSymbol(program, "work", OL_SYMBOL_KIND_KERNEL, &kernel));
	STEP(olGetKernelMaxCooperativeGroupCount(ol_gpu, kernel, &size, &most));
	STEP(olCreateQueue(ol_gpu, &queue));
	STEP(olLaunchKernel(queue, ol_gpu, kernel, &size, how, 0, NULL, NULL));
	STEP(olLaunchKernel(NULL, ol_gpu, kernel, &size, how + 1, 0, NULL, NULL));
	STEP(olSyncQueue(queue));
	STEP(olDestroyQueue(queue));
	STEP(olDestroyProgram(program));
}

void ol23_time(void)
{
	ol_event_handle_t start, end;
	ol_queue_handle_t queue;
	float elapsed;

	STEP(olCreateQueue(ol_gpu, &queue));
	STEP(olCreateEvent(queue, OL_EVENT_FLAG_ENABLE_PROFILING, &start));
	STEP(olCreateEvent(queue, OL_EVENT_FLAG_ENABLE_PROFILING, &end));
	STEP(olSyncEvent(end));
	STEP(olGetEventElapsedTime(start, end, &elapsed));
	STEP(olDestroyEvent(start));
	STEP(olDestroyEvent(end));
	STEP(olDestroyQueue(queue));
}
