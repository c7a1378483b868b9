/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events: what they stand for, what they tell, how long they live. */
#include <pthread.h>

#include "ol_gate.h"

/* A handle that was never returned. */
static void *const made_up = (void *)0xdeadbeef0;

static void test_create(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t one = new_event(queue), two = new_event(queue);

	CHECK(one && two && one != two);
	CHECK_OK(olDestroyEvent(one));
	CHECK_OK(olSyncEvent(two));
	CHECK_OK(olDestroyEvent(two));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_create_checks(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event;

	CHECK_TELLS(ol_create_event(NULL, &event), INVALID_NULL_HANDLE, "NULL == Queue");
	CHECK_TELLS(ol_create_event(queue, NULL), INVALID_NULL_POINTER, "NULL == Event");
	CHECK_CODE(ol_create_event(NULL, NULL), INVALID_NULL_HANDLE);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_create_on_stale_queue(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = made_up;

	CHECK_OK(olDestroyQueue(queue));
	CHECK_CODE(ol_create_event(queue, &event), INVALID_QUEUE);
	CHECK(!event);
}

static void test_create_on_no_queue(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = new_event(queue), none;

	CHECK_CODE(ol_create_event((ol_queue_handle_t)event, &none), INVALID_QUEUE);
	CHECK_CODE(ol_create_event((ol_queue_handle_t)gpu, &none), INVALID_QUEUE);
	CHECK_CODE(ol_create_event((ol_queue_handle_t)host, &none), INVALID_QUEUE);
	CHECK_CODE(ol_create_event(made_up, &none), INVALID_QUEUE);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_null_handles(void)
{
	CHECK_TELLS(olSyncEvent(NULL), INVALID_NULL_HANDLE, "NULL == Event");
	CHECK_TELLS(olDestroyEvent(NULL), INVALID_NULL_HANDLE, "NULL == Event");
}

/* What every call that takes an event says to one that is none. */
static void refuse_event(ol_event_handle_t event)
{
	ol_queue_handle_t queue = new_queue(), told = made_up;
	size_t size = 42;

	CHECK_CODE(olSyncEvent(event), INVALID_EVENT);
	CHECK_CODE(olDestroyEvent(event), INVALID_EVENT);
	CHECK_CODE(olWaitEvents(queue, &event, 1), INVALID_EVENT);
	CHECK_CODE(olGetEventInfo(event, OL_EVENT_INFO_QUEUE, sizeof(told), &told),
		   INVALID_EVENT);
	CHECK_CODE(olGetEventInfoSize(event, OL_EVENT_INFO_QUEUE, &size), INVALID_EVENT);
	CHECK(told == made_up && size == 42);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_stale(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = new_event(queue);

	CHECK_OK(olDestroyEvent(event));
	refuse_event(event);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_wrong_kind(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_program_handle_t program = load();

	refuse_event((ol_event_handle_t)queue);
	refuse_event((ol_event_handle_t)program);
	refuse_event((ol_event_handle_t)kernel_of(program, "nothing"));
	refuse_event((ol_event_handle_t)gpu);
	refuse_event((ol_event_handle_t)host);
	refuse_event(made_up);
	CHECK_OK(olDestroyProgram(program));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_stale_after_shutdown(void)
{
	ol_event_handle_t event;

	REQUIRE_OK(ol_init());
	look_up();
	event = new_event(new_queue());
	CHECK_OK(olShutDown());
	CHECK_CODE(olSyncEvent(event), UNINITIALIZED);
	REQUIRE_OK(ol_init());
	look_up();
	refuse_event(event);
	CHECK_OK(olShutDown());
}

static void test_uninitialised(void)
{
	ol_event_handle_t event;
	size_t size;

	CHECK_CODE(ol_create_event(made_up, &event), UNINITIALIZED);
	CHECK_CODE(olSyncEvent(NULL), UNINITIALIZED);
	CHECK_CODE(olDestroyEvent(made_up), UNINITIALIZED);
	CHECK_CODE(olGetEventInfo(made_up, OL_EVENT_INFO_QUEUE, 0, NULL), UNINITIALIZED);
	CHECK_CODE(olGetEventInfoSize(made_up, OL_EVENT_INFO_QUEUE, &size), UNINITIALIZED);
}

static void test_of_idle_queue(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = new_event(queue);

	CHECK(is_complete(event));
	CHECK_OK(olSyncEvent(event));
	CHECK_OK(olSyncQueue(queue));
	CHECK(is_complete(event));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_sync_waits(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_program_handle_t program = load();
	volatile uint32_t *out = alloc(OL_ALLOC_TYPE_HOST, sizeof(*out));
	ol_event_handle_t event;

	CHECK_OK(launch1(queue, kernel_of(program, "slow"), &out, sizeof(out)));
	event = new_event(queue);
	CHECK_OK(olSyncEvent(event));
	if (executes())
		CHECK_INT(*out, 84);
	CHECK(is_complete(event));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyProgram(program));
	CHECK_OK(olMemFree((void *)out));
}

/* It is done before what was enqueued behind it. */
static void test_later_work_does_not_count(void)
{
	ol_queue_handle_t queue = new_queue();
	atomic_int counter = 0;
	ol_event_handle_t event;
	struct gate gate;

	CHECK_OK(olLaunchHostFunction(queue, count, &counter));
	event = new_event(queue);
	if (!hold(queue, &gate))
		return;
	CHECK_OK(olSyncEvent(event));
	CHECK_INT(counter, 1);
	CHECK(is_complete(event));
	CHECK(!atomic_load(&gate.passed));
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_is_complete(void)
{
	ol_queue_handle_t queue = new_queue();
	struct gate gate;
	ol_event_handle_t event;

	if (!hold(queue, &gate))
		return;
	event = new_event(queue);
	CHECK(!is_complete(event));
	leave_time();
	CHECK(!is_complete(event));
	open_gate(&gate);
	CHECK_OK(olSyncEvent(event));
	CHECK(is_complete(event));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

/* Asking is enough to see it done: no wait is needed. */
static void test_is_complete_without_sync(void)
{
	ol_queue_handle_t queue = new_queue();
	struct gate gate;
	ol_event_handle_t event;

	if (!hold(queue, &gate))
		return;
	event = new_event(queue);
	open_gate(&gate);
	for (int i = 0; i < 10000 && !is_complete(event); i++)
		usleep(1000);
	CHECK(is_complete(event));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

static ol_queue_handle_t queue_of(ol_event_handle_t event)
{
	ol_queue_handle_t queue = NULL;

	CHECK_OK(olGetEventInfo(event, OL_EVENT_INFO_QUEUE, sizeof(queue), &queue));
	return queue;
}

static void test_info_queue(void)
{
	ol_queue_handle_t one = new_queue(), two = new_queue();
	ol_event_handle_t of_one = new_event(one), of_two = new_event(two);
	size_t size = 0;

	CHECK_OK(olGetEventInfoSize(of_one, OL_EVENT_INFO_QUEUE, &size));
	CHECK_INT((long long)size, sizeof(one));
	CHECK(queue_of(of_one) == one && queue_of(of_two) == two);
	CHECK_OK(olDestroyEvent(of_one));
	CHECK_OK(olDestroyEvent(of_two));
	CHECK_OK(olDestroyQueue(one));
	CHECK_OK(olDestroyQueue(two));
}

/* A size of 0 comes before handles, handles before pointers, the property at last. */
static void test_info_checks(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = new_event(queue);
	size_t size;

	CHECK_CODE(olGetEventInfo(NULL, OL_EVENT_INFO_LAST, 0, NULL), INVALID_SIZE);
	CHECK_CODE(olGetEventInfo(NULL, OL_EVENT_INFO_LAST, 8, NULL), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetEventInfo(event, OL_EVENT_INFO_LAST, 8, NULL), INVALID_NULL_POINTER);
	CHECK_CODE(olGetEventInfo(event, OL_EVENT_INFO_LAST, 8, &queue), INVALID_ENUMERATION);
	CHECK_CODE(olGetEventInfoSize(NULL, OL_EVENT_INFO_LAST, NULL), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetEventInfoSize(event, OL_EVENT_INFO_LAST, NULL), INVALID_NULL_POINTER);
	CHECK_CODE(olGetEventInfoSize(event, OL_EVENT_INFO_LAST, &size), INVALID_ENUMERATION);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_info_room(void)
{
	ol_queue_handle_t queue = new_queue(), told[2] = { made_up, made_up };
	ol_event_handle_t event = new_event(queue);
	size_t size = 0;

	CHECK_OK(olGetEventInfoSize(event, OL_EVENT_INFO_IS_COMPLETE, &size));
	CHECK_INT((long long)size, sizeof(bool));
	CHECK_CODE(olGetEventInfo(event, OL_EVENT_INFO_QUEUE, sizeof(told[0]) - 1, told),
		   INVALID_SIZE);
	CHECK(told[0] == made_up);
	CHECK_OK(olGetEventInfo(event, OL_EVENT_INFO_QUEUE, sizeof(told), told));
	CHECK(told[0] == queue && told[1] == made_up);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_destroy_does_not_wait(void)
{
	ol_queue_handle_t queue = new_queue();
	struct gate gate;

	if (!hold(queue, &gate))
		return;
	for (int i = 0; i < 10; i++)
		CHECK_OK(olDestroyEvent(new_event(queue)));
	CHECK(!atomic_load(&gate.passed));
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
}

/* The queue goes first: the event is still waited for. */
static void test_outlives_queue(void)
{
	ol_queue_handle_t queue = new_queue();
	atomic_int counter = 0;
	ol_event_handle_t event;
	struct gate gate;

	if (!hold(queue, &gate))
		return;
	CHECK_OK(olLaunchHostFunction(queue, count, &counter));
	event = new_event(queue);
	CHECK_OK(olDestroyQueue(queue));
	open_gate(&gate);
	CHECK_OK(olSyncEvent(event));
	CHECK_INT(counter, 1);
	CHECK_OK(olDestroyEvent(event));
}

/* Of a queue that is gone it is told whether it is done, and which that was. */
static void test_asked_without_queue(void)
{
	ol_queue_handle_t queue = new_queue(), next;
	ol_event_handle_t event;
	struct gate gate;
	bool held = hold(queue, &gate);

	event = new_event(queue);
	CHECK_OK(olDestroyQueue(queue));
	CHECK(is_complete(event) != held);
	CHECK(queue_of(event) == queue);
	next = new_queue();
	CHECK(queue_of(event) != next);
	open_gate(&gate);
	CHECK_OK(olSyncEvent(event));
	CHECK(is_complete(event));
	CHECK(queue_of(event) == queue);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(next));
}

/* Work of a new queue, which may be the driver's same one, is none of the event's. */
static void test_next_queue_does_not_count(void)
{
	ol_queue_handle_t queue = new_queue(), next;
	ol_event_handle_t event = new_event(queue);
	struct gate gate;

	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
	next = new_queue();
	if (!hold(next, &gate))
		return;
	CHECK(is_complete(event));
	CHECK_OK(olSyncEvent(event));
	CHECK(!atomic_load(&gate.passed));
	open_gate(&gate);
	CHECK_OK(olSyncQueue(next));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(next));
}

/* The state of a few events, of which the first @done have to be done. */
static void check_done(const ol_event_handle_t *events, int count_of, int done)
{
	for (int i = 0; i < count_of; i++)
		CHECK(is_complete(events[i]) == (i < done));
}

static void test_in_order(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t events[4];
	struct gate gates[4];

	if (!executes())
		return;
	for (int i = 0; i < 4; i++) {
		hold(queue, &gates[i]);
		events[i] = new_event(queue);
	}
	for (int i = 0; i < 4; i++) {
		check_done(events, 4, i);
		open_gate(&gates[i]);
		CHECK_OK(olSyncEvent(events[i]));
	}
	check_done(events, 4, 4);
	for (int i = 0; i < 4; i++)
		CHECK_OK(olDestroyEvent(events[i]));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_many(void)
{
	static ol_event_handle_t events[1000];
	ol_queue_handle_t queue = new_queue();

	for (int i = 0; i < 1000; i++)
		events[i] = new_event(queue);
	CHECK_OK(olSyncEvent(events[999]));
	for (int i = 0; i < 1000; i++) {
		CHECK(is_complete(events[i]));
		CHECK_OK(olDestroyEvent(events[i]));
	}
	CHECK_OK(olDestroyQueue(queue));
}

static void *make_sync_destroy(void *queue)
{
	for (int i = 0; i < 100; i++) {
		ol_event_handle_t event = new_event(queue);

		CHECK_OK(olSyncEvent(event));
		CHECK(is_complete(event));
		CHECK_OK(olDestroyEvent(event));
	}
	return NULL;
}

static void test_threads_on_one_queue(void)
{
	ol_queue_handle_t queue = new_queue();
	pthread_t threads[20];

	for (int i = 0; i < 20; i++)
		pthread_create(&threads[i], NULL, make_sync_destroy, queue);
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
}

static atomic_int synced;

static void *sync_event(void *event)
{
	CHECK_OK(olSyncEvent(event));
	atomic_fetch_add(&synced, 1);
	return NULL;
}

/* Threads that wait for one event all go on when it is done, and not before. */
static void test_threads_wait_for_one(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event;
	pthread_t threads[8];
	struct gate gate;

	atomic_store(&synced, 0);
	if (!hold(queue, &gate))
		return;
	event = new_event(queue);
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, sync_event, event);
	leave_time();
	CHECK_INT(synced, 0);
	open_gate(&gate);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(synced, 8);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

/* An event goes while a thread waits for it: the wait ends well. */
static void test_destroyed_while_waited_for(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event;
	pthread_t thread;
	struct gate gate;

	atomic_store(&synced, 0);
	if (!hold(queue, &gate))
		return;
	event = new_event(queue);
	pthread_create(&thread, NULL, sync_event, event);
	leave_time();
	CHECK_OK(olDestroyEvent(event));
	CHECK_INT(synced, 0);
	open_gate(&gate);
	pthread_join(thread, NULL);
	CHECK_INT(synced, 1);
	CHECK_OK(olDestroyQueue(queue));
}

/* The shutdown of the case takes what is left. */
static void test_left_at_shutdown(void)
{
	for (int i = 0; i < 10; i++)
		CHECK(new_event(new_queue()));
}

/* Each function's twin, which is told where it stands. */
static void test_code_locations(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = NULL;
	bool complete = false;
	size_t size;

	CHECK_CODE(ol_create_event_twin(NULL, &event, &here), INVALID_NULL_HANDLE);
	CHECK_OK(ol_create_event_twin(queue, &event, &here));
	CHECK_OK(olSyncEventWithCodeLoc(event, &here));
	CHECK_OK(olGetEventInfoSizeWithCodeLoc(event, OL_EVENT_INFO_IS_COMPLETE, &size, &here));
	CHECK_OK(olGetEventInfoWithCodeLoc(event, OL_EVENT_INFO_IS_COMPLETE, size, &complete,
					   NULL));
	CHECK(complete);
	CHECK_OK(olDestroyEventWithCodeLoc(event, NULL));
	CHECK_OK(olDestroyQueue(queue));
}

/* What every call about an event says after a kernel has trapped. */
static void scene_fault(void)
{
	ol_queue_handle_t queue;
	ol_event_handle_t event;
	struct gate gate;
	ol_symbol_handle_t trap;
	bool complete;

	REQUIRE_OK(ol_init());
	look_up();
	queue = new_queue();
	trap = kernel_of(load(), "trap");
	if (hold(queue, &gate)) {
		CHECK_OK(launch1(queue, trap, NULL, 0));
		event = new_event(queue);
		open_gate(&gate);
		CHECK_CODE(olSyncEvent(event), UNKNOWN);
		CHECK_CODE(olGetEventInfo(event, OL_EVENT_INFO_IS_COMPLETE, sizeof(complete),
					  &complete), UNKNOWN);
		CHECK(queue_of(event) == queue);
	}
	olShutDown();
}

static void test_fault(void)
{
	play_fault("scene_fault");
}

static const struct ol_case cases[] = {
	OL_CASE(test_create),
	OL_CASE(test_create_checks),
	OL_CASE(test_create_on_stale_queue),
	OL_CASE(test_create_on_no_queue),
	OL_CASE(test_null_handles),
	OL_CASE(test_stale),
	OL_CASE(test_wrong_kind),
	OL_BARE(test_stale_after_shutdown),
	OL_BARE(test_uninitialised),
	OL_CASE(test_of_idle_queue),
	OL_CASE(test_sync_waits),
	OL_CASE(test_later_work_does_not_count),
	OL_CASE(test_is_complete),
	OL_CASE(test_is_complete_without_sync),
	OL_CASE(test_info_queue),
	OL_CASE(test_info_checks),
	OL_CASE(test_info_room),
	OL_CASE(test_destroy_does_not_wait),
	OL_CASE(test_outlives_queue),
	OL_CASE(test_asked_without_queue),
	OL_CASE(test_next_queue_does_not_count),
	OL_CASE(test_in_order),
	OL_CASE(test_many),
	OL_CASE(test_threads_on_one_queue),
	OL_CASE(test_threads_wait_for_one),
	OL_CASE(test_destroyed_while_waited_for),
	OL_CASE(test_left_at_shutdown),
	OL_CASE(test_code_locations),
	OL_BARE(test_fault),
	OL_SCENE(scene_fault),
};
OL_MAIN(cases)
