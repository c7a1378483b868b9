/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Launches: what is refused and with which code, shapes, queues, threads, faults.
 * arguments.c has what kernels are given.
 */
#include <pthread.h>

#include "ol_gate.h"

/* A handle that was never returned. */
static void *const made_up = (void *)0xdeadbeef0;

static const ol_kernel_launch_size_args_t one = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 0 };

static ol_program_handle_t program;
static uint32_t *out; /* a word of host memory that kernels write */

static void begin(void)
{
	program = load();
	out = alloc(OL_ALLOC_TYPE_HOST, 64);
	memset(out, 0, 64);
}

static void end(void)
{
	CHECK_OK(olMemFree(out));
	CHECK_OK(olDestroyProgram(program));
}

/* Launches kernel @name, which takes an address, with @size on no queue, and waits. */
static ol_result_t launch(const char *name, ol_kernel_launch_size_args_t size)
{
	return ol_launch(NULL, gpu, kernel_of(program, name), &out, sizeof(out), &size);
}

static void test_nothing(void)
{
	ol_queue_handle_t queue = new_queue();

	begin();
	CHECK_OK(launch1(queue, kernel_of(program, "nothing"), NULL, 0));
	CHECK_OK(launch1(NULL, kernel_of(program, "nothing"), NULL, 0));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
	end();
}

/* Arguments come first, then handles, then pointers. */
static void test_checks(void)
{
	ol_symbol_handle_t kernel;

	begin();
	kernel = kernel_of(program, "nothing");
	CHECK_TELLS(ol_launch(NULL, NULL, NULL, NULL, 1, NULL), INVALID_ARGUMENT,
		    FORM_NO_ARGUMENTS);
	CHECK_TELLS(ol_launch(NULL, NULL, NULL, NULL, 0, NULL), INVALID_NULL_HANDLE,
		    "NULL == Device");
	CHECK_TELLS(ol_launch(NULL, gpu, NULL, NULL, 0, NULL), INVALID_NULL_HANDLE,
		    "NULL == Kernel");
	CHECK_TELLS(ol_launch(NULL, gpu, kernel, NULL, 0, NULL), INVALID_NULL_POINTER,
		    "NULL == LaunchSizeArgs");
	CHECK_CODE(ol_launch(NULL, NULL, kernel, &kernel, 8, &one), INVALID_NULL_HANDLE);
	end();
}

static void test_uninitialised(void)
{
	CHECK_CODE(ol_launch(made_up, made_up, made_up, NULL, 1, NULL), UNINITIALIZED);
	CHECK_CODE(olCalculateOptimalOccupancy(NULL, NULL, 0, NULL), UNINITIALIZED);
}

/* On no queue a launch is over when it is back. */
static void test_synchronous(void)
{
	begin();
	CHECK_OK(launch("slow", one));
	if (executes())
		CHECK_INT(*(volatile uint32_t *)out, 84);
	end();
}

/* Behind work that is held, the call is back before the kernel runs. */
static void test_asynchronous(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_symbol_handle_t slow;
	struct gate gate;

	begin();
	slow = kernel_of(program, "slow");
	CHECK_OK(launch("slow", one));
	*out = 0;
	if (!hold(queue, &gate))
		return;
	CHECK_OK(launch1(queue, slow, &out, sizeof(out)));
	CHECK(!atomic_load(&gate.passed));
	leave_time();
	CHECK_INT(*(volatile uint32_t *)out, 0);
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queue));
	CHECK_INT(*(volatile uint32_t *)out, 84);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

/* A launch on no queue waits for no queue that is held. */
static void test_synchronous_beside_held(void)
{
	ol_queue_handle_t queue = new_queue();
	struct gate gate;

	begin();
	CHECK_OK(launch("bump", one));
	if (!hold(queue, &gate))
		return;
	CHECK_OK(launch("bump", one));
	CHECK_INT(*out, 42);
	CHECK(!atomic_load(&gate.passed));
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
	end();
}

static void test_shape(void)
{
	begin();
	CHECK_OK(launch("shape", (ol_kernel_launch_size_args_t){ 3, { 4, 3, 2 }, { 5, 7, 1 },
								 0 }));
	if (executes())
		CHECK_INT(*out, 432571);
	end();
}

static void test_dimensions_are_not_read(void)
{
	begin();
	for (size_t dimensions = 0; dimensions < 6; dimensions++) {
		ol_kernel_launch_size_args_t size = { dimensions, { 4, 3, 2 }, { 5, 7, 1 }, 0 };

		*out = 0;
		CHECK_OK(launch("shape", size));
		if (executes())
			CHECK_INT(*out, 432571);
	}
	end();
}

static void test_many_groups(void)
{
	ol_queue_handle_t queue = new_queue();
	struct {
		uint32_t *a, n;
	} args = { alloc(OL_ALLOC_TYPE_HOST, 40000), 9999 };

	begin();
	memset(args.a, 0, 40000);
	CHECK_OK(ol_launch(queue, gpu, kernel_of(program, "add"), &args, sizeof(args),
				&(ol_kernel_launch_size_args_t){ 1, { 79, 1, 1 },
								 { 128, 1, 1 }, 0 }));
	CHECK_OK(olSyncQueue(queue));
	for (int i = 0; executes() && i < 9999; i++)
		CHECK(args.a[i] == 1);
	CHECK_INT(args.a[9999], 0);
	CHECK_OK(olMemFree(args.a));
	CHECK_OK(olDestroyQueue(queue));
	end();
}

/* An axis of nothing is refused on a queue and on none, and the queue goes on. */
static void test_zero(void)
{
	ol_queue_handle_t queue = new_queue();

	begin();
	for (int i = 0; i < 6; i++) {
		ol_kernel_launch_size_args_t size = one;
		uint32_t *axes[] = { &size.NumGroups.x, &size.NumGroups.y, &size.NumGroups.z,
				     &size.GroupSize.x, &size.GroupSize.y, &size.GroupSize.z };

		*axes[i] = 0;
		CHECK_CODE(launch("shape", size), INVALID_SIZE);
		CHECK_CODE(ol_launch(queue, gpu, kernel_of(program, "shape"), &out,
					  sizeof(out), &size), INVALID_SIZE);
	}
	CHECK_INT(*out, 0);
	CHECK_OK(launch1(queue, kernel_of(program, "nothing"), NULL, 0));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
	end();
}

static void test_too_large(void)
{
	ol_dimensions_t most;
	uint32_t threads;

	CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE_PER_DIMENSION,
				 sizeof(most), &most));
	CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE, sizeof(threads),
				 &threads));
	begin();
	CHECK_TELLS(launch("shape", (ol_kernel_launch_size_args_t){
		1, { 1, 1, 1 }, { most.x + 1, 1, 1 }, 0 }), INVALID_SIZE, "block.x");
	CHECK_TELLS(launch("shape", (ol_kernel_launch_size_args_t){
		1, { 1, 1, 1 }, { 1, 1, most.z + 1 }, 0 }), INVALID_SIZE, "block.z");
	CHECK_TELLS(launch("shape", (ol_kernel_launch_size_args_t){
		1, { 1, 1, 1 }, { threads, 2, 1 }, 0 }), INVALID_SIZE, "threads");
	CHECK_TELLS(launch("shape", (ol_kernel_launch_size_args_t){
		1, { 1, UINT32_MAX, 1 }, { 1, 1, 1 }, 0 }), INVALID_SIZE, "grid.y");
	CHECK_INT(*out, 0);
	CHECK_OK(launch("shape", one));
	end();
}

static void test_variable(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_symbol_handle_t counter = NULL;

	begin();
	CHECK_OK(olGetSymbol(program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &counter));
	CHECK_CODE(launch1(queue, counter, NULL, 0), SYMBOL_KIND);
	CHECK_CODE(launch1(NULL, counter, NULL, 0), SYMBOL_KIND);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

/* What is wrong with the symbol comes before what is wrong with the size. */
static void test_variable_and_zero(void)
{
	ol_symbol_handle_t counter = NULL;

	begin();
	CHECK_OK(olGetSymbol(program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &counter));
	CHECK_CODE(ol_launch(NULL, gpu, counter, NULL, 0,
				  &(ol_kernel_launch_size_args_t){ 0 }), SYMBOL_KIND);
	end();
}

/* Symbols of a program that is gone. */
static void test_stale_symbols(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_symbol_handle_t counter = NULL, kernel;

	begin();
	kernel = kernel_of(program, "nothing");
	CHECK_OK(olGetSymbol(program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &counter));
	CHECK_OK(launch1(queue, kernel, NULL, 0));
	end();
	CHECK_CODE(launch1(queue, kernel, NULL, 0), INVALID_ARGUMENT);
	CHECK_CODE(launch1(NULL, kernel, NULL, 0), INVALID_ARGUMENT);
	CHECK_CODE(launch1(queue, counter, NULL, 0), INVALID_ARGUMENT);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_no_symbol(void)
{
	ol_queue_handle_t queue = new_queue();

	begin();
	CHECK_CODE(launch1(queue, made_up, NULL, 0), INVALID_ARGUMENT);
	CHECK_CODE(launch1(queue, (ol_symbol_handle_t)program, NULL, 0), INVALID_ARGUMENT);
	CHECK_CODE(launch1(queue, (ol_symbol_handle_t)queue, NULL, 0), INVALID_ARGUMENT);
	CHECK_CODE(launch1(NULL, (ol_symbol_handle_t)gpu, NULL, 0), INVALID_ARGUMENT);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

/* A queue that is gone, also where the launch before was on it. */
static void test_stale_queue(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_symbol_handle_t kernel;

	begin();
	kernel = kernel_of(program, "nothing");
	CHECK_OK(launch1(queue, kernel, NULL, 0));
	CHECK_OK(launch1(queue, kernel, NULL, 0));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_CODE(launch1(queue, kernel, NULL, 0), INVALID_QUEUE);
	CHECK_CODE(launch1(made_up, kernel, NULL, 0), INVALID_QUEUE);
	CHECK_CODE(launch1((ol_queue_handle_t)program, kernel, NULL, 0), INVALID_QUEUE);
	CHECK_CODE(launch1((ol_queue_handle_t)kernel, kernel, NULL, 0), INVALID_QUEUE);
	CHECK_OK(launch1(NULL, kernel, NULL, 0));
	end();
}

static void test_no_device(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_symbol_handle_t kernel;

	begin();
	kernel = kernel_of(program, "nothing");
	CHECK_CODE(ol_launch(NULL, made_up, kernel, NULL, 0, &one), INVALID_DEVICE);
	CHECK_CODE(ol_launch(queue, made_up, kernel, NULL, 0, &one), INVALID_DEVICE);
	CHECK_CODE(ol_launch(queue, (ol_device_handle_t)queue, kernel, NULL, 0, &one),
		   INVALID_DEVICE);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

static void test_host_device(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_symbol_handle_t kernel;

	begin();
	kernel = kernel_of(program, "nothing");
	CHECK_CODE(ol_launch(queue, host, kernel, NULL, 0, &one), INVALID_DEVICE);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

static void test_host_device_without_queue(void)
{
	begin();
	CHECK_CODE(ol_launch(NULL, host, kernel_of(program, "nothing"), NULL, 0, &one),
		   INVALID_DEVICE);
	end();
}

/* On a machine with two: queue, device and program have to be of the same. */
static void scene_two_devices(void)
{
	ol_queue_handle_t queue, other = NULL;
	ol_symbol_handle_t kernel;

	REQUIRE_OK(ol_init());
	look_up();
	if (other_gpu) {
		queue = new_queue();
		CHECK_OK(olCreateQueue(other_gpu, &other));
		kernel = kernel_of(load(), "nothing");
		CHECK_OK(ol_launch(queue, gpu, kernel, NULL, 0, &one));
		CHECK_CODE(ol_launch(queue, other_gpu, kernel, NULL, 0, &one),
			   INVALID_DEVICE);
		CHECK_CODE(ol_launch(other, gpu, kernel, NULL, 0, &one), INVALID_DEVICE);
		CHECK_TELLS(ol_launch(other, other_gpu, kernel, NULL, 0, &one),
			    INVALID_DEVICE, "another device");
		CHECK_TELLS(ol_launch(NULL, other_gpu, kernel, NULL, 0, &one),
			    INVALID_DEVICE, "another device");
		CHECK_OK(olSyncQueue(queue));
	}
	CHECK_OK(olShutDown());
}

static void test_two_devices(void)
{
	CHECK_PLAY("scene_two_devices", "GPURUN_STUB_DEVICES=2", NULL);
}

/* One launch after the other on queues in turn: each is found again. */
static void test_queues_in_turn(void)
{
	ol_queue_handle_t queues[3] = { new_queue(), new_queue(), new_queue() };
	ol_event_handle_t event;

	begin();
	for (int i = 0; i < 30; i++) {
		CHECK_OK(launch1(queues[i % 3], kernel_of(program, "bump"), &out, sizeof(out)));
		event = new_event(queues[i % 3]);
		CHECK_OK(olWaitEvents(queues[(i + 1) % 3], &event, 1));
		CHECK_OK(olDestroyEvent(event));
	}
	CHECK_OK(olSyncQueue(queues[0]));
	if (executes())
		CHECK_INT(*out, 70);
	for (int i = 0; i < 3; i++)
		CHECK_OK(olDestroyQueue(queues[i]));
	end();
}

static void test_in_order(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_symbol_handle_t bump;

	begin();
	bump = kernel_of(program, "bump");
	for (int i = 0; i < 5000; i++)
		CHECK_OK(launch1(queue, bump, &out, sizeof(out)));
	CHECK_OK(olSyncQueue(queue));
	if (executes())
		CHECK_INT(*out, 5040);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

/* What a launching thread is told. */
struct launcher {
	ol_queue_handle_t queue; /* NULL: none */
	ol_symbol_handle_t kernel;
	int launches;
	uint32_t *out;
};

static void *launch_many(void *data)
{
	const struct launcher *launcher = data;

	for (int i = 0; i < launcher->launches; i++)
		CHECK_OK(launch1(launcher->queue, launcher->kernel, &launcher->out,
				 sizeof(launcher->out)));
	return NULL;
}

/* Twenty threads launch "count" on one queue, on queues of their own, or on none. */
static void launch_by_threads(ol_queue_handle_t queue, bool own, int launches)
{
	ol_program_handle_t layouts = load_image("layouts");
	struct launcher launchers[20];
	pthread_t threads[20];

	begin();
	for (int i = 0; i < 20; i++) {
		launchers[i] = (struct launcher){ own ? new_queue() : queue,
						  kernel_of(layouts, "count"), launches, out };
		pthread_create(&threads[i], NULL, launch_many, &launchers[i]);
	}
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
	if (queue)
		CHECK_OK(olSyncQueue(queue));
	for (int i = 0; own && i < 20; i++) {
		CHECK_OK(olSyncQueue(launchers[i].queue));
		CHECK_OK(olDestroyQueue(launchers[i].queue));
	}
	if (executes())
		CHECK_INT(*out, 20 * launches);
	CHECK_OK(olDestroyProgram(layouts));
	end();
}

static void test_threads_on_one_queue(void)
{
	ol_queue_handle_t queue = new_queue();

	launch_by_threads(queue, false, 100);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_threads_on_own_queues(void)
{
	launch_by_threads(NULL, true, 100);
}

static void test_threads_on_no_queue(void)
{
	launch_by_threads(NULL, false, 20);
}

static void test_code_locations(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	size_t size = 0;

	begin();
	CHECK_OK(ol_launch_twin(NULL, gpu, kernel_of(program, "bump"), &out,
					   sizeof(out), &one, &here));
	if (executes())
		CHECK_INT(*out, 41);
	CHECK_CODE(ol_launch_twin(NULL, NULL, NULL, NULL, 0, NULL, NULL),
		   INVALID_NULL_HANDLE);
	CHECK_CODE(olCalculateOptimalOccupancyWithCodeLoc(NULL, NULL, 0, &size, &here),
		   INVALID_NULL_HANDLE);
	end();
}

/* With the checks of parameters off, the runtime's own remain. */
static void scene_unchecked(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	begin();
	CHECK_CODE(ol_launch(NULL, NULL, kernel_of(program, "nothing"), NULL, 0, &one),
		   INVALID_DEVICE);
	CHECK_CODE(ol_launch(NULL, gpu, NULL, NULL, 0, &one), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

static void test_unchecked(void)
{
	CHECK_PLAY("scene_unchecked", "OFFLOAD_DISABLE_VALIDATION=1", NULL);
}

/* Work that no call waited for is over before the library is down. */
static void test_left_at_shutdown(void)
{
	begin();
	for (int i = 0; i < 5; i++)
		CHECK_OK(launch1(new_queue(), kernel_of(program, "slow"), &out, sizeof(out)));
}

/* A kernel that traps: the next call that waits says so, and what comes after. */
static void scene_fault(void)
{
	ol_symbol_handle_t nothing;
	ol_queue_handle_t queue;

	REQUIRE_OK(ol_init());
	look_up();
	if (executes()) {
		queue = new_queue();
		begin();
		nothing = kernel_of(program, "nothing");
		CHECK_OK(launch1(queue, kernel_of(program, "trap"), NULL, 0));
		CHECK_TELLS(olSyncQueue(queue), UNKNOWN, "cuStreamSynchronize");
		CHECK_TELLS(olSyncQueue(queue), UNKNOWN, is_cpu() ? "trap" : "");
		CHECK_CODE(launch1(queue, nothing, NULL, 0), UNKNOWN);
	}
	olShutDown();
}

static void test_fault(void)
{
	play_fault("scene_fault");
}

/* On no queue the launch itself says so. */
static void scene_fault_synchronous(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	if (executes()) {
		begin();
		CHECK_CODE(launch1(NULL, kernel_of(program, "trap"), NULL, 0), UNKNOWN);
	}
	olShutDown();
}

static void test_fault_synchronous(void)
{
	play_fault("scene_fault_synchronous");
}

static const struct ol_case cases[] = {
	OL_CASE(test_nothing),
	OL_CASE(test_checks),
	OL_BARE(test_uninitialised),
	OL_CASE(test_synchronous),
	OL_CASE(test_asynchronous),
	OL_CASE(test_synchronous_beside_held),
	OL_CASE(test_shape),
	OL_CASE(test_dimensions_are_not_read),
	OL_CASE(test_many_groups),
	OL_CASE(test_zero),
	OL_CASE(test_too_large),
	OL_CASE(test_variable),
	OL_CASE(test_variable_and_zero),
	OL_CASE(test_stale_symbols),
	OL_CASE(test_no_symbol),
	OL_CASE(test_stale_queue),
	OL_CASE(test_no_device),
	OL_CASE(test_host_device),
	OL_CASE(test_host_device_without_queue),
	OL_BARE(test_two_devices),
	OL_CASE(test_queues_in_turn),
	OL_CASE(test_in_order),
	OL_CASE(test_threads_on_one_queue),
	OL_CASE(test_threads_on_own_queues),
	OL_CASE(test_threads_on_no_queue),
	OL_CASE(test_code_locations),
	OL_BARE(test_unchecked),
	OL_CASE(test_left_at_shutdown),
	OL_BARE(test_fault),
	OL_BARE(test_fault_synchronous),
	OL_SCENE(scene_two_devices),
	OL_SCENE(scene_unchecked),
	OL_SCENE(scene_fault),
	OL_SCENE(scene_fault_synchronous),
};
OL_MAIN(cases)
