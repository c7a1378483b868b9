/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Waits for events: what they hold and what not. The work that is held, or goes on,
 * is a kernel: host functions of several queues may share one thread.
 */
#include "ol_gate.h"

/* What the kernel "add" takes: it adds 1 to a word of host memory. */
struct add {
	_Atomic uint32_t *word;
	uint32_t count;
};

static ol_program_handle_t program;
static ol_symbol_handle_t adds, spins;
static struct add add;
static _Atomic uint32_t *flags; /* that kernels wait for */

static void begin(void)
{
	program = load();
	adds = kernel_of(program, "add");
	spins = kernel_of(program, "wait");
	add.word = alloc(OL_ALLOC_TYPE_HOST, sizeof(*add.word));
	add.count = 1;
	flags = alloc(OL_ALLOC_TYPE_HOST, 3 * sizeof(*flags));
	atomic_store(flags, 1);
	CHECK_OK(launch1(NULL, adds, &add, sizeof(add)));
	CHECK_OK(launch1(NULL, spins, &flags, sizeof(flags)));
	memset((void *)flags, 0, 3 * sizeof(*flags));
	atomic_store(add.word, 0);
}

static void end(void)
{
	CHECK_OK(olMemFree(add.word));
	CHECK_OK(olMemFree((void *)flags));
	CHECK_OK(olDestroyProgram(program));
}

static void launch_add(ol_queue_handle_t queue)
{
	CHECK_OK(launch1(queue, adds, &add, sizeof(add)));
}

/* Launches on a second queue while the first is held. */
static void launch_beside(bool waits)
{
	ol_queue_handle_t first = new_queue(), second = new_queue();
	struct gate gate;
	ol_event_handle_t event;

	begin();
	if (!hold(first, &gate))
		return;
	event = new_event(first);
	if (waits)
		CHECK_OK(olWaitEvents(second, &event, 1));
	launch_add(second);
	if (waits) {
		leave_time();
		CHECK_INT(*add.word, 0);
		CHECK(!is_empty(second));
	} else {
		CHECK_OK(olSyncQueue(second));
		CHECK_INT(*add.word, 1);
	}
	CHECK(!atomic_load(&gate.passed));
	open_gate(&gate);
	CHECK_OK(olSyncQueue(second));
	CHECK_INT(*add.word, 1);
	CHECK_OK(olSyncQueue(first));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(first));
	CHECK_OK(olDestroyQueue(second));
	end();
}

static void test_wait(void)
{
	launch_beside(true);
}

/* What shows that the wait makes the difference. */
static void test_no_wait(void)
{
	launch_beside(false);
}

/* What was enqueued before the wait does not wait. */
static void test_wait_is_for_later_work(void)
{
	ol_queue_handle_t first = new_queue(), second = new_queue();
	struct gate gate;
	ol_event_handle_t held, before;

	begin();
	if (!hold(first, &gate))
		return;
	held = new_event(first);
	launch_add(second);
	before = new_event(second);
	CHECK_OK(olWaitEvents(second, &held, 1));
	launch_add(second);
	CHECK_OK(olSyncEvent(before));
	CHECK_INT(*add.word, 1);
	leave_time();
	CHECK_INT(*add.word, 1);
	open_gate(&gate);
	CHECK_OK(olSyncQueue(second));
	CHECK_INT(*add.word, 2);
	CHECK_OK(olDestroyEvent(held));
	CHECK_OK(olDestroyEvent(before));
	CHECK_OK(olDestroyQueue(first));
	CHECK_OK(olDestroyQueue(second));
	end();
}

/* A kernel that waits for a word of host memory, on a queue of its own. */
struct spinner {
	_Atomic uint32_t *flag;
	ol_queue_handle_t queue;
	ol_event_handle_t event;
};

static struct spinner spin(_Atomic uint32_t *flag)
{
	struct spinner spinner = { flag, new_queue(), NULL };

	CHECK_OK(launch1(spinner.queue, spins, &spinner.flag, sizeof(spinner.flag)));
	spinner.event = new_event(spinner.queue);
	return spinner;
}

static void stop(struct spinner *spinner)
{
	atomic_store(spinner->flag, 1);
	CHECK_OK(olSyncQueue(spinner->queue));
	CHECK_OK(olDestroyQueue(spinner->queue));
	CHECK_OK(olDestroyEvent(spinner->event));
}

static void test_wait_for_all(void)
{
	ol_queue_handle_t queue = new_queue();
	struct spinner spinners[3];
	ol_event_handle_t events[3];

	begin();
	if (!executes())
		return;
	for (int i = 0; i < 3; i++) {
		spinners[i] = spin(&flags[i]);
		events[i] = spinners[i].event;
	}
	CHECK_OK(olWaitEvents(queue, events, 3));
	launch_add(queue);
	/* In their order: a device need not run all three kernels at a time. */
	for (int i = 0; i < 3; i++) {
		leave_time();
		CHECK_INT(*add.word, 0);
		CHECK(!is_complete(events[i]));
		stop(&spinners[i]);
	}
	CHECK_OK(olSyncQueue(queue));
	CHECK_INT(*add.word, 1);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

/* Three queues in a row, each behind the one before: the first one's kernel is last to
 * write where none of them waits. */
static void test_chain(void)
{
	ol_queue_handle_t queues[3] = { new_queue(), new_queue(), new_queue() };
	ol_event_handle_t events[3];

	begin();
	CHECK_OK(launch1(queues[0], kernel_of(program, "slow"), &add.word, sizeof(add.word)));
	events[0] = new_event(queues[0]);
	for (int i = 1; i < 3; i++) {
		CHECK_OK(olWaitEvents(queues[i], &events[i - 1], 1));
		launch_add(queues[i]);
		events[i] = new_event(queues[i]);
	}
	CHECK_OK(olSyncEvent(events[2]));
	if (executes())
		CHECK_INT(*add.word, 86);
	for (int i = 0; i < 3; i++) {
		CHECK(is_complete(events[i]));
		CHECK_OK(olDestroyEvent(events[i]));
		CHECK_OK(olDestroyQueue(queues[i]));
	}
	end();
}

/* Two queues that wait for one, and one that waits for both. */
static void test_diamond(void)
{
	ol_queue_handle_t queues[4] = { new_queue(), new_queue(), new_queue(), new_queue() };
	ol_event_handle_t first, middle[2];
	struct gate gate;

	begin();
	if (!hold(queues[0], &gate))
		return;
	first = new_event(queues[0]);
	for (int i = 0; i < 2; i++) {
		CHECK_OK(olWaitEvents(queues[1 + i], &first, 1));
		middle[i] = new_event(queues[1 + i]);
	}
	CHECK_OK(olWaitEvents(queues[3], middle, 2));
	launch_add(queues[3]);
	leave_time();
	CHECK_INT(*add.word, 0);
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queues[3]));
	CHECK_INT(*add.word, 1);
	CHECK(is_complete(middle[0]) && is_complete(middle[1]));
	CHECK_OK(olDestroyEvent(first));
	for (int i = 0; i < 2; i++)
		CHECK_OK(olDestroyEvent(middle[i]));
	for (int i = 0; i < 4; i++)
		CHECK_OK(olDestroyQueue(queues[i]));
	end();
}

/* A queue that waits for itself, or for what is done, goes on. */
static void test_wait_for_own(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t events[2] = { new_event(queue) };
	atomic_int counter = 0;

	CHECK_OK(olLaunchHostFunction(queue, count, &counter));
	events[1] = new_event(queue);
	CHECK_OK(olWaitEvents(queue, events, 2));
	CHECK_OK(olLaunchHostFunction(queue, count, &counter));
	CHECK_OK(olSyncQueue(queue));
	CHECK_INT(counter, 2);
	CHECK_OK(olDestroyEvent(events[0]));
	CHECK_OK(olDestroyEvent(events[1]));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_wait_for_none(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t none = NULL;

	CHECK_OK(olWaitEvents(queue, &none, 0));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_wait_checks(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = new_event(queue);

	CHECK_TELLS(olWaitEvents(NULL, &event, 1), INVALID_NULL_HANDLE, "NULL == Queue");
	CHECK_TELLS(olWaitEvents(queue, NULL, 1), INVALID_NULL_POINTER, "NULL == Events");
	CHECK_CODE(olWaitEvents(queue, NULL, 0), INVALID_NULL_POINTER);
	CHECK_CODE(olWaitEvents(NULL, NULL, 0), INVALID_NULL_HANDLE);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

/* A list with an element that is no event makes the queue wait for nothing. */
static void refuse_list(ol_event_handle_t wrong, ol_errc_t code)
{
	ol_queue_handle_t queue = new_queue(), other = new_queue();
	ol_event_handle_t events[3] = { NULL, wrong, NULL };
	struct gate gate;

	if (!hold(other, &gate))
		return;
	events[0] = events[2] = new_event(other);
	CHECK_INT(code_of(olWaitEvents(queue, events, 3)), code);
	CHECK_OK(olSyncQueue(queue));
	CHECK(!atomic_load(&gate.passed));
	open_gate(&gate);
	CHECK_OK(olSyncQueue(other));
	CHECK_OK(olDestroyEvent(events[0]));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyQueue(other));
}

static void test_wait_null_element(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t none = NULL;

	CHECK_CODE(olWaitEvents(queue, &none, 1), INVALID_NULL_HANDLE);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_wait_all_or_none(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t stale = new_event(queue);

	CHECK_OK(olDestroyEvent(stale));
	refuse_list(NULL, OL_ERRC_INVALID_NULL_HANDLE);
	refuse_list(stale, OL_ERRC_INVALID_EVENT);
	refuse_list((ol_event_handle_t)queue, OL_ERRC_INVALID_EVENT);
	CHECK_OK(olDestroyQueue(queue));
}

/* A queue of one device that waits for an event of another. */
static void wait_for_other_device(void)
{
	ol_queue_handle_t queue = new_queue(), other = NULL;
	ol_device_handle_t device = NULL;
	ol_event_handle_t event;
	struct gate gate;
	bool held;

	CHECK_OK(olCreateQueue(other_gpu, &other));
	CHECK_OK(olGetQueueInfo(other, OL_QUEUE_INFO_DEVICE, sizeof(device), &device));
	CHECK(device == other_gpu);
	held = hold(other, &gate);
	event = new_event(other);
	CHECK_OK(olWaitEvents(queue, &event, 1));
	CHECK(is_empty(queue) != held);
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queue));
}

static void scene_two_devices(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	if (other_gpu)
		wait_for_other_device();
	CHECK_OK(olShutDown());
}

/* On a machine that has one, which the stub driver makes of any. */
static void test_wait_for_another_device(void)
{
	CHECK_PLAY("scene_two_devices", "GPURUN_STUB_DEVICES=2", NULL);
}

/* A wait that is made holds though the event goes, and the queue it was of. */
static void test_wait_outlives_the_event(void)
{
	ol_queue_handle_t first = new_queue(), second = new_queue();
	struct gate gate;
	ol_event_handle_t event;

	begin();
	if (!hold(first, &gate))
		return;
	event = new_event(first);
	CHECK_OK(olWaitEvents(second, &event, 1));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(first));
	/* Another event, which may be the driver's same one, is done at once. */
	event = new_event(second);
	launch_add(second);
	leave_time();
	CHECK_INT(*add.word, 0);
	open_gate(&gate);
	CHECK_OK(olSyncQueue(second));
	CHECK_INT(*add.word, 1);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(second));
	end();
}

/* An event can be waited for when its queue is gone. */
static void test_wait_for_event_without_queue(void)
{
	ol_queue_handle_t first = new_queue(), second = new_queue();
	struct gate gate;
	ol_event_handle_t event;

	begin();
	if (!hold(first, &gate))
		return;
	event = new_event(first);
	CHECK_OK(olDestroyQueue(first));
	CHECK_OK(olWaitEvents(second, &event, 1));
	launch_add(second);
	leave_time();
	CHECK_INT(*add.word, 0);
	open_gate(&gate);
	CHECK_OK(olSyncQueue(second));
	CHECK_INT(*add.word, 1);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(second));
	end();
}

static const struct ol_case cases[] = {
	OL_CASE(test_wait),
	OL_CASE(test_no_wait),
	OL_CASE(test_wait_is_for_later_work),
	OL_CASE(test_wait_for_all),
	OL_CASE(test_chain),
	OL_CASE(test_diamond),
	OL_CASE(test_wait_for_own),
	OL_CASE(test_wait_for_none),
	OL_CASE(test_wait_checks),
	OL_CASE(test_wait_null_element),
	OL_CASE(test_wait_all_or_none),
	OL_BARE(test_wait_for_another_device),
	OL_CASE(test_wait_outlives_the_event),
	OL_CASE(test_wait_for_event_without_queue),
	OL_SCENE(scene_two_devices),
};
OL_MAIN(cases)
