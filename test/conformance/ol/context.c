/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The context that a thread has current, by the driver's own calls: nothing here needs
 * one, and a program that has one keeps it.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "ol.h"

static struct {
	int (*get_current)(void **context);
	int (*set_current)(void *context);
	int (*pop)(void **context);
	int (*retain)(void **context, int device);
	int (*release)(int device);
	int (*create)(void **context, unsigned flags, int device);
	int (*destroy)(void *context);
} cu;

/* The stub has a context for each device. */
__attribute__((constructor)) static void ask_for_two(void)
{
	setenv("GPURUN_STUB_DEVICES", "2", 0);
}

/* The driver that the library has opened. */
static bool open_driver(void)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *driver = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);

	if (!driver)
		driver = dlopen("libcuda.so", RTLD_NOW);
	if (!CHECK(driver != NULL))
		return false;
	cu.get_current = dlsym(driver, "cuCtxGetCurrent");
	cu.set_current = dlsym(driver, "cuCtxSetCurrent");
	cu.pop = dlsym(driver, "cuCtxPopCurrent_v2");
	cu.retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
	cu.release = dlsym(driver, "cuDevicePrimaryCtxRelease_v2");
	cu.create = dlsym(driver, "cuCtxCreate_v2");
	cu.destroy = dlsym(driver, "cuCtxDestroy_v2");
	return true;
}

static void *current(void)
{
	void *context = NULL;

	CHECK_INT(cu.get_current(&context), 0);
	return context;
}

/* A context that is not the library's: one of the program's own, else (the stub) that of
 * a second device; NULL where there is neither, as on the CPU device. */
static void *other_context(void)
{
	void *context = NULL;

	if (!cu.create)
		return cu.retain(&context, 1) ? NULL : context;
	if (cu.create(&context, 0, 0))
		return NULL;
	CHECK_INT(cu.pop(&context), 0);
	return context;
}

static void release_other(void *context)
{
	if (context)
		CHECK_INT(cu.create ? cu.destroy(context) : cu.release(1), 0);
}

/* ---- One call of each kind -------------------------------------------------------------- */

/* Succeeds, and leaves the current context as it is; who has none may get one. */
static void check_keeps(ol_result_t result, void *before, const char *call)
{
	bool works = CHECK_OK(result);

	if (!CHECK(!before || current() == before) || !works)
		printf("#   in %s\n", call);
}
#define KEEPS(call)                                                                        \
	do {                                                                               \
		void *before_ = current();                                                 \
                                                                                           \
		check_keeps(call, before_, #call);                                         \
	} while (0)

static struct {
	ol_program_handle_t program;
	ol_symbol_handle_t kernel, variable;
	ol_queue_handle_t queue, other;
	ol_event_handle_t event;
	void *memory, *managed, *pinned, *registered;
	struct image image;
	char page[4096];
} t;

static void make(void)
{
	KEEPS(olCreateQueue(gpu, &t.queue));
	KEEPS(olCreateQueue(gpu, &t.other));
	KEEPS(olCreateProgram(gpu, t.image.data, t.image.size, &t.program));
	KEEPS(olGetSymbol(t.program, "nothing", OL_SYMBOL_KIND_KERNEL, &t.kernel));
	KEEPS(olGetSymbol(t.program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &t.variable));
	KEEPS(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE, 64, &t.memory));
	KEEPS(olMemAlloc(gpu, OL_ALLOC_TYPE_MANAGED, 64, &t.managed));
	KEEPS(olMemAlloc(gpu, OL_ALLOC_TYPE_HOST, 64, &t.pinned));
	KEEPS(ol_register(gpu, t.page, sizeof(t.page), 0, &t.registered));
}

static void call_back(void *unused)
{
	(void)unused;
}

static void use(void)
{
	char bytes[64] = { 0 };
	size_t group = 0;

	KEEPS(olMemcpy(t.queue, t.memory, gpu, bytes, host, sizeof(bytes)));
	KEEPS(olSyncQueue(t.queue));
	KEEPS(olMemcpy(NULL, bytes, host, t.memory, gpu, sizeof(bytes)));
	KEEPS(olMemFill(t.queue, t.memory, 3, "abc", 63));
	KEEPS(olMemFill(t.queue, t.memory, 4, "abcd", 64));
	KEEPS(launch1(t.queue, t.kernel, NULL, 0));
	KEEPS(launch1(NULL, t.kernel, NULL, 0));
	KEEPS(olCalculateOptimalOccupancy(gpu, t.kernel, 0, &group));
	KEEPS(ol_create_event(t.queue, &t.event));
	KEEPS(olWaitEvents(t.other, &t.event, 1));
	KEEPS(olLaunchHostFunction(t.other, call_back, NULL));
	KEEPS(olSyncEvent(t.event));
	KEEPS(olSyncQueue(t.other));
}

static void ask(void)
{
	bool flag;
	size_t size;
	char name[256];

	KEEPS(olGetDeviceInfo(gpu, OL_DEVICE_INFO_NAME, sizeof(name), name));
	KEEPS(olGetQueueInfo(t.queue, OL_QUEUE_INFO_EMPTY, sizeof(flag), &flag));
	KEEPS(olGetEventInfo(t.event, OL_EVENT_INFO_IS_COMPLETE, sizeof(flag), &flag));
	KEEPS(olGetMemInfo(t.memory, OL_MEM_INFO_SIZE, sizeof(size), &size));
	KEEPS(olGetSymbolInfo(t.variable, OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE, sizeof(size),
			      &size));
	KEEPS(olIsValidBinary(gpu, t.image.data, t.image.size, &flag));
}

static void destroy(void)
{
	KEEPS(ol_unregister(gpu, t.page));
	KEEPS(olMemFree(t.memory));
	KEEPS(olMemFree(t.managed));
	KEEPS(olMemFree(t.pinned));
	KEEPS(olDestroyEvent(t.event));
	KEEPS(olDestroyProgram(t.program));
	KEEPS(olDestroyQueue(t.queue));
	KEEPS(olDestroyQueue(t.other));
}

static void (*const steps[])(void) = { make, use, ask, destroy };
enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

/* ---- Contexts ------------------------------------------------------------------------------ */

/* All of a life with a context of the program's own: what is current stays so. */
static void test_own_context(void)
{
	void *own;

	REQUIRE(!ol_init() && open_driver());
	look_up();
	t.image = image_of("offload");
	own = other_context();
	CHECK_INT(cu.set_current(own), 0);
	KEEPS(ol_init());
	for (int i = 0; own && i < STEPS; i++)
		steps[i]();
	KEEPS(olShutDown());
	KEEPS(olShutDown());
	CHECK(current() == own);
	CHECK_INT(cu.set_current(NULL), 0);
	release_other(own);
	free(t.image.data);
}

static void *in_fresh_thread(void *step)
{
	CHECK(!current());
	(*(void (*const *)(void))step)();
	return NULL;
}

/* What one thread has made another one uses, and a third destroys: each begins without a
 * current context. */
static void test_fresh_threads(void)
{
	pthread_t thread;

	REQUIRE(open_driver());
	t.image = image_of("offload");
	for (int i = 0; i < STEPS; i++) {
		REQUIRE(!pthread_create(&thread, NULL, in_fresh_thread, (void *)&steps[i]));
		pthread_join(thread, NULL);
	}
	free(t.image.data);
}

static void *call_alone(void *data)
{
	ol_result_t (*const *call)(void) = data;

	CHECK_OK((*call)());
	return NULL;
}

static ol_result_t destroy_program(void)
{
	return olDestroyProgram(t.program);
}

static ol_result_t launch(void)
{
	return launch1(t.queue, t.kernel, NULL, 0);
}

static ol_result_t create_event(void)
{
	return ol_create_event(t.queue, &t.event);
}

static ol_result_t wait_event(void)
{
	return olWaitEvents(t.other, &t.event, 1);
}

/* As the first call of a thread. */
static void check_alone(ol_result_t (*call)(void))
{
	pthread_t thread;

	REQUIRE(!pthread_create(&thread, NULL, call_alone, &call));
	pthread_join(thread, NULL);
}

static void test_first_calls(void)
{
	t.program = load();
	t.kernel = kernel_of(t.program, "nothing");
	t.queue = new_queue();
	t.other = new_queue();
	check_alone(launch);
	check_alone(create_event);
	check_alone(wait_event);
	check_alone(destroy_program);
	CHECK_OK(olDestroyEvent(t.event));
	CHECK_OK(olDestroyQueue(t.queue));
	CHECK_OK(olDestroyQueue(t.other));
}

static const struct ol_case cases[] = {
	OL_BARE(test_own_context),
	OL_CASE(test_fresh_threads),
	OL_CASE(test_first_calls),
};
OL_MAIN(cases)
