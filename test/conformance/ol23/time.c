/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events with flags, the time between them, and queries of queues. */
#include "ol_gate.h"

static ol_event_handle_t event_of(ol_queue_handle_t queue, ol_event_flags_t flags)
{
	ol_event_handle_t event = NULL;

	CHECK_OK(olCreateEvent(queue, flags, &event));
	return event;
}

static ol_event_handle_t timed(ol_queue_handle_t queue)
{
	return event_of(queue, OL_EVENT_FLAG_ENABLE_PROFILING);
}

/* Both. */
static void destroy2(ol_event_handle_t a, ol_event_handle_t b)
{
	CHECK_OK(olDestroyEvent(a));
	CHECK_OK(olDestroyEvent(b));
}

static void test_elapsed(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_program_handle_t program = load();
	ol_event_handle_t start = timed(queue), end;
	float elapsed = -1;

	for (int i = 0; i < 5; i++)
		CHECK_OK(launch1(queue, kernel_of(program, "nothing"), NULL, 0));
	end = timed(queue);
	CHECK_OK(olSyncEvent(end));
	CHECK_OK(olGetEventElapsedTime(start, end, &elapsed));
	CHECK(elapsed >= 0 && elapsed < 60000);
	destroy2(start, end);
	CHECK_OK(olDestroyProgram(program));
	CHECK_OK(olDestroyQueue(queue));
}

/* In milliseconds: what a host function sleeps is seen. */
static void sleep_a_little(void *data)
{
	(void)data;
	usleep(30000);
}

static void test_milliseconds(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t start = timed(queue), end;
	float elapsed = -1;

	CHECK_OK(olLaunchHostFunction(queue, sleep_a_little, NULL));
	end = timed(queue);
	CHECK_OK(olSyncEvent(end));
	CHECK_OK(olGetEventElapsedTime(start, end, &elapsed));
	if (executes())
		CHECK(elapsed >= 25 && elapsed < 30000);
	destroy2(start, end);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_same_event(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = timed(queue);
	float elapsed = -1;

	CHECK_OK(olSyncEvent(event));
	CHECK_OK(olGetEventElapsedTime(event, event, &elapsed));
	if (executes())
		CHECK(elapsed == 0);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

/* Events of two queues of a device, which may be gone. */
static void test_two_queues(void)
{
	ol_queue_handle_t first = new_queue(), second = new_queue();
	ol_event_handle_t start = timed(first), end = timed(second);
	float elapsed = -1;

	CHECK_OK(olSyncEvent(start));
	CHECK_OK(olSyncEvent(end));
	CHECK_OK(olDestroyQueue(first));
	CHECK_OK(olDestroyQueue(second));
	CHECK_OK(olGetEventElapsedTime(start, end, &elapsed));
	CHECK(elapsed >= 0);
	destroy2(start, end);
}

static void test_not_profiled(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t with = timed(queue), without = event_of(queue, OL_EVENT_FLAG_NONE);
	float elapsed = 5;

	CHECK_OK(olSyncQueue(queue));
	CHECK_CODE(olGetEventElapsedTime(with, without, &elapsed), INVALID_ARGUMENT);
	CHECK_CODE(olGetEventElapsedTime(without, with, &elapsed), INVALID_ARGUMENT);
	CHECK_CODE(olGetEventElapsedTime(without, without, &elapsed), INVALID_ARGUMENT);
	CHECK(elapsed == 0);
	destroy2(with, without);
	CHECK_OK(olDestroyQueue(queue));
}

/* A flag that there is not means nothing. */
static void test_unknown_flags(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t odd = event_of(queue, 0xfffffffe), both = event_of(queue, UINT32_MAX);
	float elapsed;

	CHECK_OK(olSyncQueue(queue));
	CHECK_CODE(olGetEventElapsedTime(odd, odd, &elapsed), INVALID_ARGUMENT);
	CHECK_OK(olGetEventElapsedTime(both, both, &elapsed));
	destroy2(odd, both);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_two_devices(void)
{
	ol_queue_handle_t queue = new_queue(), other = NULL;
	ol_event_handle_t start = timed(queue), end;
	float elapsed;

	if (other_gpu) {
		CHECK_OK(olCreateQueue(other_gpu, &other));
		end = timed(other);
		CHECK_OK(olSyncEvent(start));
		CHECK_OK(olSyncEvent(end));
		CHECK_CODE(olGetEventElapsedTime(start, end, &elapsed), INVALID_DEVICE);
		CHECK_OK(olDestroyEvent(end));
		CHECK_OK(olDestroyQueue(other));
	}
	CHECK_OK(olDestroyEvent(start));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_two_devices_of_stub(void)
{
	if (is_cpu() || is_gpu())
		return;
	CHECK_INT(play("scene_two_devices", "GPURUN_STUB_DEVICES=2").status, 0);
}

static void scene_two_devices(void)
{
	REQUIRE_OK(olInit(NULL));
	look_up();
	CHECK(other_gpu != NULL);
	test_two_devices();
	CHECK_OK(olShutDown());
}

static void test_not_done(void)
{
	struct gate gate;
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t start = timed(queue), end;
	float elapsed = 1;

	if (!hold(queue, &gate)) {
		destroy2(start, timed(queue));
		return;
	}
	end = timed(queue);
	CHECK_TELLS(olGetEventElapsedTime(start, end, &elapsed), UNKNOWN, "cuEventElapsedTime");
	CHECK(elapsed == 0);
	open_gate(&gate);
	CHECK_OK(olSyncEvent(end));
	CHECK_OK(olGetEventElapsedTime(start, end, &elapsed));
	destroy2(start, end);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_checks(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = timed(queue);
	float elapsed;

	CHECK_TELLS(olGetEventElapsedTime(NULL, NULL, NULL), INVALID_NULL_HANDLE,
		    "NULL == StartEvent");
	CHECK_TELLS(olGetEventElapsedTime(event, NULL, NULL), INVALID_NULL_HANDLE,
		    "NULL == EndEvent");
	CHECK_TELLS(olGetEventElapsedTime(event, event, NULL), INVALID_NULL_POINTER,
		    "NULL == ElapsedTime");
	CHECK_CODE(olGetEventElapsedTime(event, (ol_event_handle_t)queue, &elapsed),
		   INVALID_EVENT);
	CHECK_CODE(olGetEventElapsedTime((ol_event_handle_t)gpu, event, &elapsed), INVALID_EVENT);
	CHECK_OK(olDestroyEvent(event));
	CHECK_CODE(olGetEventElapsedTime(event, event, &elapsed), INVALID_EVENT);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_create_checks(void)
{
	ol_event_handle_t event = (ol_event_handle_t)1;

	CHECK_TELLS(olCreateEvent(NULL, 1, NULL), INVALID_NULL_HANDLE, "NULL == Queue");
	CHECK_CODE(olCreateEvent((ol_queue_handle_t)gpu, 1, &event), INVALID_QUEUE);
	CHECK(!event);
}

/* An event with time is one like any other. */
static void test_profiled_is_an_event(void)
{
	ol_queue_handle_t queue = new_queue(), other = new_queue(), told = NULL;
	ol_event_handle_t event = timed(queue);
	bool done = false;

	CHECK_OK(olWaitEvents(other, &event, 1));
	CHECK_OK(olSyncQueue(other));
	CHECK_OK(olGetEventInfo(event, OL_EVENT_INFO_QUEUE, sizeof(told), &told));
	CHECK_OK(olGetEventInfo(event, OL_EVENT_INFO_IS_COMPLETE, sizeof(done), &done));
	CHECK(told == queue && done);
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyQueue(other));
}

/* ---- olQueryQueue() -------------------------------------------------------------------- */

static void test_query(void)
{
	struct gate gate;
	ol_queue_handle_t queue = new_queue();
	bool done = false;

	CHECK_OK(olQueryQueue(queue, &done));
	CHECK(done);
	if (hold(queue, &gate)) {
		CHECK_OK(olQueryQueue(queue, &done));
		CHECK(!done);
		CHECK_OK(olQueryQueue(queue, NULL));
	}
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olQueryQueue(queue, &done));
	CHECK(done);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_query_checks(void)
{
	ol_queue_handle_t queue = new_queue();
	bool done;

	CHECK_TELLS(olQueryQueue(NULL, NULL), INVALID_NULL_HANDLE, "NULL == Queue");
	CHECK_CODE(olQueryQueue((ol_queue_handle_t)gpu, &done), INVALID_QUEUE);
	CHECK_CODE(olQueryQueue((ol_queue_handle_t)host, NULL), INVALID_QUEUE);
	CHECK_OK(olDestroyQueue(queue));
	CHECK_CODE(olQueryQueue(queue, &done), INVALID_QUEUE);
}

static void test_query_after_fault(void)
{
	if (is_cpu())
		play_fault("scene_fault");
}

static void scene_fault(void)
{
	ol_queue_handle_t queue;
	ol_result_t result = OL_SUCCESS;
	bool done = false;

	REQUIRE_OK(olInit(NULL));
	look_up();
	queue = new_queue();
	launch1(queue, kernel_of(load(), "trap"), NULL, 0);
	for (int i = 0; i < 3000 && !result && !done; i++) {
		result = olQueryQueue(queue, i % 2 ? &done : NULL);
		usleep(1000);
	}
	CHECK_CODE(result, UNKNOWN);
	olShutDown();
}

static void test_twins(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = NULL;
	float elapsed;
	bool done;

	CHECK_OK(olCreateEventWithCodeLoc(queue, OL_EVENT_FLAG_ENABLE_PROFILING, &event, &here));
	CHECK_OK(olSyncEvent(event));
	CHECK_OK(olGetEventElapsedTimeWithCodeLoc(event, event, &elapsed, &here));
	CHECK_OK(olQueryQueueWithCodeLoc(queue, &done, &here));
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olDestroyQueue(queue));
}

static const struct ol_case cases[] = {
	OL_CASE(test_elapsed),       OL_CASE(test_milliseconds),
	OL_CASE(test_same_event),    OL_CASE(test_two_queues),
	OL_CASE(test_not_profiled),  OL_CASE(test_unknown_flags),
	OL_CASE(test_two_devices),   OL_CASE(test_two_devices_of_stub),
	OL_CASE(test_not_done),      OL_CASE(test_checks),
	OL_CASE(test_create_checks), OL_CASE(test_profiled_is_an_event),
	OL_CASE(test_query),         OL_CASE(test_query_checks),
	OL_CASE(test_query_after_fault), OL_CASE(test_twins),
	OL_SCENE(scene_fault),       OL_SCENE(scene_two_devices),
};
OL_MAIN(cases)
