/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A libLLVMOffload.so.22.1, ours or LLVM's own. */
#include <dlfcn.h>
#include <stdio.h>

#include "ol_abi.h"
#include "sides.h"

static struct {
#define OL_API(first, last, name, params, args, checks, trace)                             \
	OL_ROW_##first##_##last(ol_result_t (*name) params;)
#define OL_API_BARE(first, last, name, params, args, trace)                                \
	OL_ROW_##first##_##last(ol_result_t (*name) params;)
#define OL_API_VOID(first, last, name)                                                     \
	OL_ROW_##first##_##last(ol_result_t (*name)(void);)
#include "ol_api.def"
} ol;

static struct {
	ol_device_handle_t device;
	ol_queue_handle_t queue;
	ol_program_handle_t program;
	ol_symbol_handle_t kernel;
	void *counter;
} own;

static void expect(ol_result_t result, const char *call)
{
	if (result)
		fail(call, result->Details);
}
#define EXPECT(call) expect(call, #call)

static void *find(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function)
		fail("not in the library", name);
	return function;
}

static void open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		fail("cannot open the library", dlerror());
#define FIND(name) ol.name = find(library, #name);
#define OL_API(first, last, name, ...) OL_ROW_##first##_##last(FIND(name))
#define OL_API_BARE(first, last, name, ...) OL_ROW_##first##_##last(FIND(name))
#define OL_API_VOID(first, last, name) OL_ROW_##first##_##last(FIND(name))
#include "ol_api.def"
}

/* Takes the first GPU. */
static bool take_gpu(ol_device_handle_t device, void *taken)
{
	ol_device_type_t type;

	EXPECT(ol.olGetDeviceInfo(device, OL_DEVICE_INFO_TYPE, sizeof(type), &type));
	if (type != OL_DEVICE_TYPE_GPU)
		return true;
	*(ol_device_handle_t *)taken = device;
	return false;
}

static void init(void)
{
	EXPECT(ol.olInit());
}

static void new_counter(void)
{
	const unsigned zero = 0;

	EXPECT(ol.olMemAlloc(own.device, OL_ALLOC_TYPE_DEVICE, LARGE, &own.counter));
	EXPECT(ol.olMemFill(own.queue, own.counter, sizeof(zero), &zero, sizeof(zero)));
	work.arguments.out = (uintptr_t)own.counter;
}

static void free_counter(void)
{
	EXPECT(ol.olMemFree(own.counter));
}

static void set_up(void)
{
	own.device = NULL;
	EXPECT(ol.olIterateDevices(take_gpu, &own.device));
	if (!own.device)
		fail("the library has no GPU", NULL);
	EXPECT(ol.olCreateQueue(own.device, &own.queue));
	new_counter();
	EXPECT(ol.olCreateProgram(own.device, work.image, work.image_size, &own.program));
	EXPECT(ol.olGetSymbol(own.program, "count", OL_SYMBOL_KIND_KERNEL, &own.kernel));
	EXPECT(ol.olSyncQueue(own.queue));
}

static void launch(ol_queue_handle_t queue)
{
	const ol_kernel_launch_size_args_t sizes = {
		.Dimensions = 1,
		.NumGroups = { 1, 1, 1 },
		.GroupSize = { 1, 1, 1 },
	};

	EXPECT(ol.olLaunchKernel(queue, own.device, own.kernel, &work.arguments,
				 sizeof(work.arguments), &sizes));
}

static void enqueue(void)
{
	launch(own.queue);
}

static void finish(void)
{
	EXPECT(ol.olSyncQueue(own.queue));
}

static void launch_sync(void)
{
	launch(own.queue);
	finish();
}

static void queue_cycle(void)
{
	ol_queue_handle_t queue;

	EXPECT(ol.olCreateQueue(own.device, &queue));
	launch(queue);
	EXPECT(ol.olSyncQueue(queue));
	EXPECT(ol.olDestroyQueue(queue));
}

static void event_idle(void)
{
	ol_event_handle_t event;

	EXPECT(ol.olCreateEvent(own.queue, &event));
	EXPECT(ol.olSyncEvent(event));
	EXPECT(ol.olDestroyEvent(event));
}

static void event_cycle(void)
{
	launch(own.queue);
	event_idle();
}

static void alloc_free(size_t size)
{
	void *address;

	EXPECT(ol.olMemAlloc(own.device, OL_ALLOC_TYPE_DEVICE, size, &address));
	EXPECT(ol.olMemFree(address));
}

static void alloc_small(void)
{
	alloc_free(SMALL);
}

static void alloc_large(void)
{
	alloc_free(LARGE);
}

static void program_cycle(void)
{
	ol_program_handle_t program;

	EXPECT(ol.olCreateProgram(own.device, work.image, work.image_size, &program));
	EXPECT(ol.olDestroyProgram(program));
}

static ol_device_handle_t host_device;

static bool take_host(ol_device_handle_t device, void *taken)
{
	*(ol_device_handle_t *)taken = device; /* the last one */
	return true;
}

static unsigned counted(void)
{
	unsigned count = 0;

	EXPECT(ol.olIterateDevices(take_host, &host_device));
	EXPECT(ol.olMemcpy(NULL, &count, host_device, own.counter, own.device, sizeof(count)));
	return count;
}

static void tear_down(void)
{
	EXPECT(ol.olDestroyProgram(own.program));
	free_counter();
	EXPECT(ol.olDestroyQueue(own.queue));
}

static void shut_down(void)
{
	EXPECT(ol.olShutDown());
}

const struct side_calls side_library = {
	.open = open_library,
	.init = init,
	.set_up = set_up,
	.operations = {
		[ENQUEUE] = enqueue,
		[LAUNCH_SYNC] = launch_sync,
		[QUEUE_CYCLE] = queue_cycle,
		[EVENT_CYCLE] = event_cycle,
		[EVENT_IDLE] = event_idle,
		[ALLOC_ALONE] = alloc_large,
		[ALLOC_LARGE] = alloc_large,
		[ALLOC_SMALL] = alloc_small,
		[PROGRAM] = program_cycle,
	},
	.finish = finish,
	.counted = counted,
	.new_counter = new_counter,
	.free_counter = free_counter,
	.tear_down = tear_down,
	.shut_down = shut_down,
};
