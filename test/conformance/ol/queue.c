/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queues: made, destroyed, waited for, asked; and the host functions on them. */
#include <pthread.h>

#include "ol_gate.h"

/* A handle that was never returned. */
static void *const made_up = (void *)0xdeadbeef0;

static void test_create(void)
{
	ol_queue_handle_t one = new_queue(), two = new_queue();

	CHECK(one && two && one != two);
	CHECK_OK(olDestroyQueue(one));
	CHECK_OK(olSyncQueue(two));
	CHECK_OK(olDestroyQueue(two));
}

static void test_create_checks(void)
{
	ol_queue_handle_t queue;

	CHECK_TELLS(olCreateQueue(NULL, &queue), INVALID_NULL_HANDLE, "NULL == Device");
	CHECK_TELLS(olCreateQueue(gpu, NULL), INVALID_NULL_POINTER, "NULL == Queue");
	CHECK_CODE(olCreateQueue(NULL, NULL), INVALID_NULL_HANDLE);
}

static void test_create_on_the_host(void)
{
	ol_queue_handle_t queue = made_up;

	CHECK_TELLS(olCreateQueue(host, &queue), INVALID_DEVICE, "host device");
	CHECK(!queue);
}

static void test_create_on_no_device(void)
{
	ol_queue_handle_t queue = new_queue(), none = made_up;

	CHECK_CODE(olCreateQueue(made_up, &none), INVALID_DEVICE);
	CHECK(!none);
	CHECK_CODE(olCreateQueue((ol_device_handle_t)queue, &none), INVALID_DEVICE);
	CHECK_CODE(olCreateQueue((ol_device_handle_t)cuda, &none), INVALID_DEVICE);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_null_handles(void)
{
	CHECK_TELLS(olDestroyQueue(NULL), INVALID_NULL_HANDLE, "NULL == Queue");
	CHECK_TELLS(olSyncQueue(NULL), INVALID_NULL_HANDLE, "NULL == Queue");
}

/* What every call that takes a queue says to one that is none. */
static void refuse_queue(ol_queue_handle_t queue)
{
	ol_event_handle_t events[1] = { made_up }, event = made_up;
	ol_device_handle_t device = made_up;
	atomic_int counter = 0;
	size_t size = 42;

	CHECK_CODE(olSyncQueue(queue), INVALID_QUEUE);
	CHECK_CODE(olDestroyQueue(queue), INVALID_QUEUE);
	CHECK_CODE(olWaitEvents(queue, events, 0), INVALID_QUEUE);
	CHECK_CODE(olWaitEvents(queue, events, 1), INVALID_QUEUE);
	CHECK_CODE(olLaunchHostFunction(queue, count, &counter), INVALID_QUEUE);
	CHECK_CODE(olGetQueueInfo(queue, OL_QUEUE_INFO_DEVICE, sizeof(device), &device),
		   INVALID_QUEUE);
	CHECK_CODE(olGetQueueInfoSize(queue, OL_QUEUE_INFO_EMPTY, &size), INVALID_QUEUE);
	CHECK_CODE(ol_create_event(queue, &event), INVALID_QUEUE);
	CHECK(!event && device == made_up && size == 42 && counter == 0);
}

static void test_stale(void)
{
	ol_queue_handle_t queue = new_queue();

	CHECK_OK(olDestroyQueue(queue));
	refuse_queue(queue);
}

static void test_wrong_kind(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = new_event(queue);
	ol_program_handle_t program = load();

	refuse_queue((ol_queue_handle_t)event);
	refuse_queue((ol_queue_handle_t)program);
	refuse_queue((ol_queue_handle_t)gpu);
	refuse_queue((ol_queue_handle_t)host);
	refuse_queue((ol_queue_handle_t)cuda);
	refuse_queue(made_up);
	CHECK_OK(olDestroyProgram(program));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

/* No handle stays good across a shutdown, nor does another queue get it. */
static void test_stale_after_shutdown(void)
{
	ol_queue_handle_t old, fresh;

	REQUIRE_OK(ol_init());
	look_up();
	old = new_queue();
	CHECK_OK(olShutDown());
	CHECK_CODE(olSyncQueue(old), UNINITIALIZED);
	REQUIRE_OK(ol_init());
	look_up();
	fresh = new_queue();
	refuse_queue(old);
	CHECK_OK(olSyncQueue(fresh));
	CHECK_OK(olShutDown());
}

static void test_uninitialised(void)
{
	ol_queue_handle_t queue;
	ol_event_handle_t event;
	size_t size;

	CHECK_CODE(olCreateQueue(made_up, &queue), UNINITIALIZED);
	CHECK_CODE(olDestroyQueue(NULL), UNINITIALIZED);
	CHECK_CODE(olSyncQueue(made_up), UNINITIALIZED);
	CHECK_CODE(olWaitEvents(made_up, &event, 0), UNINITIALIZED);
	CHECK_CODE(olLaunchHostFunction(made_up, count, NULL), UNINITIALIZED);
	CHECK_CODE(olGetQueueInfo(made_up, OL_QUEUE_INFO_EMPTY, 0, NULL), UNINITIALIZED);
	CHECK_CODE(olGetQueueInfoSize(made_up, OL_QUEUE_INFO_EMPTY, &size), UNINITIALIZED);
}

static void test_sync_waits(void)
{
	ol_queue_handle_t queue = new_queue();
	struct gate gate;
	atomic_int counter = 0;

	if (!hold(queue, &gate))
		return;
	for (int i = 0; i < 3; i++)
		CHECK_OK(olLaunchHostFunction(queue, count, &counter));
	leave_time();
	CHECK_INT(counter, 0);
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queue));
	CHECK_INT(counter, 3);
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
}

/* The queue goes while it is held; what was enqueued runs all the same. */
static void test_destroy_does_not_wait(void)
{
	ol_queue_handle_t queue = new_queue();
	struct gate gate;
	atomic_int counter = 0;

	if (!hold(queue, &gate))
		return;
	CHECK_OK(olLaunchHostFunction(queue, count, &counter));
	CHECK_OK(olDestroyQueue(queue));
	CHECK(!atomic_load(&gate.passed));
	leave_time();
	CHECK_INT(counter, 0);
	open_gate(&gate);
	CHECK(reaches(&counter, 1));
}

static void test_kernel_of_destroyed_queue_runs(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_program_handle_t program = load();
	volatile uint32_t *out = alloc(OL_ALLOC_TYPE_HOST, sizeof(*out));
	ol_event_handle_t event;

	CHECK_OK(launch1(queue, kernel_of(program, "slow"), &out, sizeof(out)));
	event = new_event(queue);
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olSyncEvent(event));
	if (executes())
		CHECK_INT(*out, 84);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyProgram(program));
	CHECK_OK(olMemFree((void *)out));
}

static void test_info_device(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_device_handle_t device = NULL;
	size_t size = 0;

	CHECK_OK(olGetQueueInfoSize(queue, OL_QUEUE_INFO_DEVICE, &size));
	CHECK_INT((long long)size, sizeof(device));
	CHECK_OK(olGetQueueInfo(queue, OL_QUEUE_INFO_DEVICE, size, &device));
	CHECK(device == gpu);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_info_empty(void)
{
	ol_queue_handle_t queue = new_queue();
	struct gate gate;
	size_t size = 0;

	CHECK_OK(olGetQueueInfoSize(queue, OL_QUEUE_INFO_EMPTY, &size));
	CHECK_INT((long long)size, sizeof(bool));
	CHECK(is_empty(queue));
	if (!hold(queue, &gate))
		return;
	CHECK(!is_empty(queue));
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queue));
	CHECK(is_empty(queue));
	CHECK_OK(olDestroyQueue(queue));
}

/* A size of 0 comes before handles, handles before pointers, the property at last. */
static void test_info_checks(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_device_handle_t device;
	size_t size;

	CHECK_CODE(olGetQueueInfo(NULL, OL_QUEUE_INFO_LAST, 0, NULL), INVALID_SIZE);
	CHECK_CODE(olGetQueueInfo(NULL, OL_QUEUE_INFO_LAST, 8, NULL), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetQueueInfo(queue, OL_QUEUE_INFO_LAST, 8, NULL), INVALID_NULL_POINTER);
	CHECK_CODE(olGetQueueInfo(queue, OL_QUEUE_INFO_LAST, 8, &device), INVALID_ENUMERATION);
	CHECK_CODE(olGetQueueInfoSize(NULL, OL_QUEUE_INFO_LAST, NULL), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetQueueInfoSize(queue, OL_QUEUE_INFO_LAST, NULL), INVALID_NULL_POINTER);
	CHECK_CODE(olGetQueueInfoSize(queue, OL_QUEUE_INFO_LAST, &size), INVALID_ENUMERATION);
	CHECK_CODE(olGetQueueInfoSize(queue, OL_QUEUE_INFO_FORCE_UINT32, &size),
		   INVALID_ENUMERATION);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_info_room(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_device_handle_t devices[2] = { made_up, made_up };

	CHECK_CODE(olGetQueueInfo(queue, OL_QUEUE_INFO_DEVICE, sizeof(devices[0]) - 1, devices),
		   INVALID_SIZE);
	CHECK(devices[0] == made_up);
	CHECK_OK(olGetQueueInfo(queue, OL_QUEUE_INFO_DEVICE, sizeof(devices), devices));
	CHECK(devices[0] == gpu && devices[1] == made_up);
	CHECK_OK(olDestroyQueue(queue));
}

/* The next step of a sequence, and whether each came in its turn. */
static atomic_int steps, out_of_turn;

static void step(void *number)
{
	if (atomic_fetch_add(&steps, 1) != (int)(intptr_t)number)
		atomic_store(&out_of_turn, 1);
}

static void test_host_functions_in_order(void)
{
	ol_queue_handle_t queue = new_queue();

	atomic_store(&steps, 0);
	atomic_store(&out_of_turn, 0);
	for (int i = 0; i < 100; i++)
		CHECK_OK(olLaunchHostFunction(queue, step, (void *)(intptr_t)i));
	CHECK_OK(olSyncQueue(queue));
	CHECK_INT(steps, 100);
	CHECK_INT(out_of_turn, 0);
	CHECK_OK(olDestroyQueue(queue));
}

static volatile uint32_t *seen_at, seen;

static void see(void *unused)
{
	(void)unused;
	seen = *seen_at;
}

/* It sees what kernels before it wrote, and nothing of those after it. */
static void test_host_function_between_kernels(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_program_handle_t program = load();
	struct {
		volatile uint32_t *a;
		uint32_t n;
	} args = { alloc(OL_ALLOC_TYPE_HOST, 4), 1 };
	ol_symbol_handle_t add = kernel_of(program, "add");

	*args.a = 10;
	seen_at = args.a;
	CHECK_OK(launch1(queue, add, &args, sizeof(args)));
	CHECK_OK(olLaunchHostFunction(queue, see, NULL));
	CHECK_OK(launch1(queue, add, &args, sizeof(args)));
	CHECK_OK(olSyncQueue(queue));
	if (executes()) {
		CHECK_INT(seen, 11);
		CHECK_INT(*args.a, 12);
	}
	CHECK_OK(olMemFree((void *)args.a));
	CHECK_OK(olDestroyProgram(program));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_host_function_checks(void)
{
	ol_queue_handle_t queue = new_queue();

	CHECK_TELLS(olLaunchHostFunction(NULL, count, NULL), INVALID_NULL_HANDLE,
		    "NULL == Queue");
	CHECK_TELLS(olLaunchHostFunction(queue, NULL, NULL), INVALID_NULL_POINTER,
		    "NULL == Callback");
	CHECK_CODE(olLaunchHostFunction(NULL, NULL, NULL), INVALID_NULL_HANDLE);
	CHECK_OK(olDestroyQueue(queue));
}

static ol_symbol_handle_t add_kernel;

/* What another thread does while a queue is held. */
static void *go_on(void *done)
{
	ol_queue_handle_t queue = new_queue();
	const uint32_t seven = 7;
	uint32_t back = 0;
	struct {
		uint32_t *a, n;
	} args = { alloc(OL_ALLOC_TYPE_DEVICE, 4096), 1 };

	CHECK_OK(olMemFill(queue, args.a, sizeof(seven), &seven, 4096));
	CHECK_OK(launch1(queue, add_kernel, &args, sizeof(args)));
	CHECK_OK(olMemcpy(queue, &back, host, args.a, gpu, sizeof(back)));
	CHECK_OK(olSyncQueue(queue));
	CHECK_INT(back, executes() ? 8 : 7);
	CHECK_OK(olDestroyQueue(queue));
	atomic_store((atomic_bool *)done, true);
	return NULL;
}

/* Neither this thread nor others wait for a queue that is held for a third of a second. */
static void test_held_queue_holds_no_other(void)
{
	ol_queue_handle_t held = new_queue();
	ol_program_handle_t program = load();
	struct gate gate;
	pthread_t threads[4];
	atomic_bool done[4] = { 0 };
	double start;

	add_kernel = kernel_of(program, "add");
	go_on(&done[0]);
	atomic_store(&done[0], false);
	start = seconds();
	if (!hold(held, &gate))
		return;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, go_on, &done[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(done[0] && done[1] && done[2] && done[3]);
	while (seconds() - start < 0.35)
		leave_time();
	CHECK(!atomic_load(&gate.passed));
	CHECK(!is_empty(held));
	open_gate(&gate);
	CHECK_OK(olSyncQueue(held));
	CHECK_OK(olDestroyQueue(held));
	CHECK_OK(olDestroyProgram(program));
}

static void *destroy(void *queue)
{
	ol_errc_t code = code_of(olDestroyQueue(queue));

	CHECK(code == OL_ERRC_SUCCESS || code == OL_ERRC_INVALID_QUEUE);
	return (void *)(intptr_t)(code == OL_ERRC_SUCCESS);
}

/* Of many threads that destroy a queue one does, and the others are told. */
static void test_threads_destroy_one(void)
{
	for (int round = 0; round < 20; round++) {
		ol_queue_handle_t queue = new_queue();
		pthread_t threads[8];
		intptr_t destroyed = 0;

		for (int i = 0; i < 8; i++)
			pthread_create(&threads[i], NULL, destroy, queue);
		for (int i = 0; i < 8; i++) {
			void *result;

			pthread_join(threads[i], &result);
			destroyed += (intptr_t)result;
		}
		CHECK_INT(destroyed, 1);
	}
}

static void *make_and_destroy(void *counter)
{
	for (int i = 0; i < 50; i++) {
		ol_queue_handle_t queue = new_queue();

		CHECK_OK(olLaunchHostFunction(queue, count, counter));
		if (i % 2)
			CHECK_OK(olSyncQueue(queue));
		CHECK_OK(olDestroyQueue(queue));
	}
	return NULL;
}

static void test_threads_with_queues(void)
{
	static atomic_int counter;
	pthread_t threads[20];

	atomic_store(&counter, 0);
	for (int i = 0; i < 20; i++)
		pthread_create(&threads[i], NULL, make_and_destroy, &counter);
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
	CHECK(reaches(&counter, 1000));
}

static void test_many(void)
{
	static ol_queue_handle_t queues[500];
	atomic_int counter = 0;

	for (int i = 0; i < 500; i++) {
		queues[i] = new_queue();
		CHECK_OK(olLaunchHostFunction(queues[i], count, &counter));
	}
	for (int i = 0; i < 500; i++) {
		CHECK_OK(olSyncQueue(queues[i]));
		CHECK_OK(olDestroyQueue(queues[i]));
	}
	CHECK_INT(counter, 500);
}

/* The shutdown of the case takes what is left, and waits for its work. */
static void test_left_at_shutdown(void)
{
	static atomic_int counter;

	atomic_store(&counter, 0);
	for (int i = 0; i < 10; i++)
		CHECK_OK(olLaunchHostFunction(new_queue(), count, &counter));
}

/* Each function's twin, which is told where it stands. */
static void test_code_locations(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	ol_queue_handle_t queue = NULL;
	ol_event_handle_t none = NULL;
	atomic_int counter = 0;
	size_t size;
	bool empty;

	CHECK_CODE(olCreateQueueWithCodeLoc(NULL, &queue, &here), INVALID_NULL_HANDLE);
	CHECK_OK(olCreateQueueWithCodeLoc(gpu, &queue, &here));
	CHECK_OK(olWaitEventsWithCodeLoc(queue, &none, 0, &here));
	CHECK_OK(olLaunchHostFunctionWithCodeLoc(queue, count, &counter, &here));
	CHECK_OK(olSyncQueueWithCodeLoc(queue, &here));
	CHECK_OK(olGetQueueInfoWithCodeLoc(queue, OL_QUEUE_INFO_EMPTY, sizeof(empty), &empty,
					   &here));
	CHECK_OK(olGetQueueInfoSizeWithCodeLoc(queue, OL_QUEUE_INFO_EMPTY, &size, NULL));
	CHECK_OK(olDestroyQueueWithCodeLoc(queue, NULL));
	CHECK_INT(counter, 1);
}

static void scene_unchecked(void)
{
	ol_queue_handle_t queue;

	REQUIRE_OK(ol_init());
	look_up();
	CHECK_CODE(olCreateQueue(NULL, &queue), INVALID_DEVICE);
	CHECK_CODE(olSyncQueue(NULL), INVALID_QUEUE);
	CHECK_CODE(olDestroyQueue(NULL), INVALID_QUEUE);
	CHECK_CODE(olLaunchHostFunction(new_queue(), NULL, NULL), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

/* With the checks of parameters off, the runtime's own remain. */
static void test_unchecked(void)
{
	CHECK_PLAY("scene_unchecked", "OFFLOAD_DISABLE_VALIDATION=1", NULL);
}

static const struct ol_case cases[] = {
	OL_CASE(test_create),
	OL_CASE(test_create_checks),
	OL_CASE(test_create_on_the_host),
	OL_CASE(test_create_on_no_device),
	OL_CASE(test_null_handles),
	OL_CASE(test_stale),
	OL_CASE(test_wrong_kind),
	OL_BARE(test_stale_after_shutdown),
	OL_BARE(test_uninitialised),
	OL_CASE(test_sync_waits),
	OL_CASE(test_destroy_does_not_wait),
	OL_CASE(test_kernel_of_destroyed_queue_runs),
	OL_CASE(test_info_device),
	OL_CASE(test_info_empty),
	OL_CASE(test_info_checks),
	OL_CASE(test_info_room),
	OL_CASE(test_host_functions_in_order),
	OL_CASE(test_host_function_between_kernels),
	OL_CASE(test_host_function_checks),
	OL_CASE(test_held_queue_holds_no_other),
	OL_CASE(test_threads_destroy_one),
	OL_CASE(test_threads_with_queues),
	OL_CASE(test_many),
	OL_CASE(test_left_at_shutdown),
	OL_CASE(test_code_locations),
	OL_BARE(test_unchecked),
	OL_SCENE(scene_unchecked),
};
OL_MAIN(cases)
