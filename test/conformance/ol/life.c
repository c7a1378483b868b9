/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From one olInit() to the next: what is answered in between, what becomes of
 * handles and of results. Things are left behind in every state, which is allowed.
 */
#include "ol.h"

/* One of each, as an olInit() finds or makes them. */
struct things {
	ol_device_handle_t gpu;
	ol_queue_handle_t queue;
	ol_event_handle_t event;
	ol_program_handle_t program;
	ol_symbol_handle_t kernel, variable;
	void *memory;
};

static struct things make_things(void)
{
	struct things t = { .gpu = gpu };

	t.queue = new_queue();
	t.program = load();
	t.kernel = kernel_of(t.program, "nothing");
	CHECK_OK(olGetSymbol(t.program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &t.variable));
	t.memory = alloc(OL_ALLOC_TYPE_DEVICE, 64);
	CHECK_OK(launch1(t.queue, t.kernel, NULL, 0));
	CHECK_OK(ol_create_event(t.queue, &t.event));
	return t;
}

static void check_works(const struct things *t)
{
	size_t size = 0;
	void *base = NULL;
	bool complete = false;

	CHECK_OK(launch1(t->queue, t->kernel, NULL, 0));
	CHECK_OK(olSyncQueue(t->queue));
	CHECK_OK(olSyncEvent(t->event));
	CHECK_OK(olGetEventInfo(t->event, OL_EVENT_INFO_IS_COMPLETE, sizeof(complete),
				&complete));
	CHECK(complete);
	CHECK_OK(olGetSymbolInfo(t->variable, OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE,
				 sizeof(size), &size));
	CHECK_OK(olGetMemInfo(t->memory, OL_MEM_INFO_BASE, sizeof(base), &base));
	CHECK(base == t->memory);
}

/* The library comes up; everything is made and left to the olShutDown(). */
static struct things live_once(void)
{
	struct things t = { 0 };

	if (!CHECK_OK(ol_init()))
		return t;
	look_up();
	t = make_things();
	CHECK_OK(olShutDown());
	return t;
}

static void test_leave_all(void)
{
	for (int i = 0; i < 10 && !tap.failed; i++)
		live_once();
}

/* ---- Between two lives --------------------------------------------------------------- */

static void check_objects_uninitialised(const struct things *t)
{
	void *pointer = NULL;
	bool flag;

	CHECK_CODE(olSyncQueue(t->queue), UNINITIALIZED);
	CHECK_CODE(olDestroyQueue(t->queue), UNINITIALIZED);
	CHECK_CODE(olSyncEvent(t->event), UNINITIALIZED);
	CHECK_CODE(olDestroyEvent(t->event), UNINITIALIZED);
	CHECK_CODE(olGetEventInfo(t->event, OL_EVENT_INFO_IS_COMPLETE, sizeof(flag), &flag),
		   UNINITIALIZED);
	CHECK_CODE(olDestroyProgram(t->program), UNINITIALIZED);
	CHECK_CODE(launch1(t->queue, t->kernel, NULL, 0), UNINITIALIZED);
	CHECK_CODE(olMemFree(t->memory), UNINITIALIZED);
	CHECK_CODE(olGetMemInfo(t->memory, OL_MEM_INFO_BASE, sizeof(pointer), &pointer),
		   UNINITIALIZED);
	CHECK_CODE(olCreateQueue(t->gpu, (ol_queue_handle_t *)&pointer), UNINITIALIZED);
	CHECK(!pointer);
}

/* Not even NULL is looked at before. */
static void check_all_uninitialised(void)
{
	CHECK_CODE(olIterateDevices(NULL, NULL), UNINITIALIZED);
	CHECK_CODE(olGetDeviceInfo(NULL, OL_DEVICE_INFO_NAME, 0, NULL), UNINITIALIZED);
	CHECK_CODE(olGetPlatformInfo(NULL, OL_PLATFORM_INFO_NAME, 0, NULL), UNINITIALIZED);
	CHECK_CODE(olMemcpy(NULL, NULL, NULL, NULL, NULL, 0), UNINITIALIZED);
	CHECK_CODE(olMemFill(NULL, NULL, 0, NULL, 0), UNINITIALIZED);
	CHECK_CODE(olWaitEvents(NULL, NULL, 0), UNINITIALIZED);
	CHECK_CODE(olCreateProgram(NULL, NULL, 0, NULL), UNINITIALIZED);
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

static void test_before(void)
{
	check_all_uninitialised();
}

static void test_between(void)
{
	struct things t = live_once();

	check_objects_uninitialised(&t);
	check_all_uninitialised();
	REQUIRE_OK(ol_init());
	CHECK_OK(olShutDown());
	check_objects_uninitialised(&t);
}

/* Only the last olShutDown() ends it. */
static void test_nested(void)
{
	struct things t;

	REQUIRE_OK(ol_init());
	look_up();
	t = make_things();
	CHECK_OK(ol_init());
	CHECK_OK(ol_init());
	CHECK_OK(olShutDown());
	check_works(&t);
	CHECK_OK(olShutDown());
	check_works(&t);
	CHECK_OK(olShutDown());
	check_objects_uninitialised(&t);
}

/* ---- Handles of another life ----------------------------------------------------------- */

/* Makes as many new things as there were old ones: they take their places. */
static struct things come_again(struct things *old)
{
	struct things now = { 0 };

	*old = live_once();
	if (!CHECK_OK(ol_init()))
		return now;
	look_up();
	now = make_things();
	CHECK(now.gpu != old->gpu && now.queue != old->queue && now.event != old->event &&
	      now.program != old->program && now.kernel != old->kernel &&
	      now.variable != old->variable);
	return now;
}

static void test_stale_device(void)
{
	struct things old, now = come_again(&old);
	ol_queue_handle_t queue = NULL;
	void *memory = NULL;
	char name[256];

	CHECK_CODE(olGetDeviceInfo(old.gpu, OL_DEVICE_INFO_NAME, sizeof(name), name),
		   INVALID_DEVICE);
	CHECK_CODE(olCreateQueue(old.gpu, &queue), INVALID_DEVICE);
	CHECK_CODE(olMemAlloc(old.gpu, OL_ALLOC_TYPE_DEVICE, 64, &memory), INVALID_DEVICE);
	check_works(&now);
	CHECK_OK(olShutDown());
}

static void test_stale_queue(void)
{
	struct things old, now = come_again(&old);
	bool empty;

	CHECK_CODE(olSyncQueue(old.queue), INVALID_QUEUE);
	CHECK_CODE(launch1(old.queue, now.kernel, NULL, 0), INVALID_QUEUE);
	CHECK_CODE(olGetQueueInfo(old.queue, OL_QUEUE_INFO_EMPTY, sizeof(empty), &empty),
		   INVALID_QUEUE);
	CHECK_CODE(olDestroyQueue(old.queue), INVALID_QUEUE);
	check_works(&now);
	CHECK_OK(olShutDown());
}

static void test_stale_event(void)
{
	struct things old, now = come_again(&old);
	bool complete;

	CHECK_CODE(olSyncEvent(old.event), INVALID_EVENT);
	CHECK_CODE(olWaitEvents(now.queue, &old.event, 1), INVALID_EVENT);
	CHECK_CODE(olGetEventInfo(old.event, OL_EVENT_INFO_IS_COMPLETE, sizeof(complete),
				  &complete), INVALID_EVENT);
	CHECK_CODE(olDestroyEvent(old.event), INVALID_EVENT);
	check_works(&now);
	CHECK_OK(olShutDown());
}

static void test_stale_program(void)
{
	struct things old, now = come_again(&old);
	ol_symbol_handle_t symbol = NULL;

	CHECK_CODE(olGetSymbol(old.program, "nothing", OL_SYMBOL_KIND_KERNEL, &symbol),
		   INVALID_ARGUMENT);
	CHECK_CODE(olDestroyProgram(old.program), INVALID_ARGUMENT);
	check_works(&now);
	CHECK_OK(olShutDown());
}

static void test_stale_symbols(void)
{
	struct things old, now = come_again(&old);
	size_t size = 0;

	CHECK_CODE(launch1(now.queue, old.kernel, NULL, 0), INVALID_ARGUMENT);
	CHECK_CODE(olCalculateOptimalOccupancy(now.gpu, old.kernel, 0, &size),
		   INVALID_ARGUMENT);
	CHECK_CODE(olGetSymbolInfo(old.variable, OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE,
				   sizeof(size), &size), INVALID_ARGUMENT);
	check_works(&now);
	CHECK_OK(olShutDown());
}

/* What is told of a handle has the words of this interface. */
static void test_words(void)
{
	ol_queue_handle_t queue = new_queue();
	const void *program = queue, *device = gpu;

	CHECK_TELLS(olDestroyProgram((ol_program_handle_t)program), INVALID_ARGUMENT,
		    "is a queue, not a program");
	CHECK_TELLS(olSyncQueue((ol_queue_handle_t)device), INVALID_QUEUE,
		    "is a device, not a queue");
	CHECK_OK(olDestroyQueue(queue));
	CHECK_TELLS(olSyncQueue(queue), INVALID_QUEUE, "is no live queue");
}

/* Nor does what is left of another life prevent this one. */
static void test_left_registered(void)
{
	static char mine[4096];
	void *pinned = NULL;

	for (int i = 0; i < 3; i++) {
		REQUIRE_OK(ol_init());
		look_up();
		CHECK_OK(ol_register(gpu, mine, sizeof(mine), 0, &pinned));
		CHECK(pinned != NULL);
		CHECK_OK(olShutDown());
	}
	REQUIRE_OK(ol_init());
	look_up();
	CHECK_CODE(ol_unregister(gpu, mine), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

/* ---- Results ----------------------------------------------------------------------------- */

static ol_result_t fail(int number)
{
	char text[64];

	return olGetPlatformInfo(cuda, (ol_platform_info_t)number, sizeof(text), text);
}

/* They are never freed: neither by the end of the library nor by its next life. */
static void test_results_stay(void)
{
	ol_result_t result, again;

	REQUIRE_OK(ol_init());
	look_up();
	result = fail(4711);
	CHECK_OK(olShutDown());
	CHECK_TELLS(result, INVALID_ENUMERATION, "'4711'");
	REQUIRE_OK(ol_init());
	look_up();
	CHECK_TELLS(result, INVALID_ENUMERATION, "'4711'");
	again = fail(4711);
	CHECK(again == result);
	CHECK(fail(4712) != result);
	CHECK_OK(olShutDown());
	CHECK_TELLS(result, INVALID_ENUMERATION, "'4711'");
}

static const struct ol_case cases[] = {
	OL_BARE(test_before),        OL_BARE(test_leave_all),
	OL_BARE(test_between),       OL_BARE(test_nested),
	OL_BARE(test_stale_device),  OL_BARE(test_stale_queue),
	OL_BARE(test_stale_event),   OL_BARE(test_stale_program),
	OL_BARE(test_stale_symbols), OL_BARE(test_left_registered),
	OL_CASE(test_words),
	OL_BARE(test_results_stay),
};
OL_MAIN(cases)
