/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What queues, events and launches say when a call of the driver fails, which the stub
 * driver's do on demand; and that the same call succeeds afterwards.
 */
#include "ol_gate.h"

static void *const made_up = (void *)0xdeadbeef0;

/* What the calls below work with; they leave what they make to the shutdown. */
static ol_queue_handle_t queue;
static ol_event_handle_t event;
static ol_symbol_handle_t kernel;
static void *made; /* by the last call */

static ol_result_t create_queue(void)
{
	made = made_up;
	return olCreateQueue(gpu, (ol_queue_handle_t *)&made);
}

static ol_result_t create_event(void)
{
	made = made_up;
	return ol_create_event(queue, (ol_event_handle_t *)&made);
}

static ol_result_t sync_queue(void)
{
	return olSyncQueue(queue);
}

static ol_result_t sync_event(void)
{
	return olSyncEvent(event);
}

static ol_result_t wait_event(void)
{
	return olWaitEvents(queue, &event, 1);
}

static ol_result_t ask_queue(void)
{
	bool empty;

	return olGetQueueInfo(queue, OL_QUEUE_INFO_EMPTY, sizeof(empty), &empty);
}

static ol_result_t ask_event(void)
{
	bool complete;

	return olGetEventInfo(event, OL_EVENT_INFO_IS_COMPLETE, sizeof(complete), &complete);
}

static ol_result_t host_function(void)
{
	static atomic_int counter;

	return olLaunchHostFunction(queue, count, &counter);
}

static ol_result_t launch(void)
{
	return launch1(queue, kernel, NULL, 0);
}

static ol_result_t launch_alone(void)
{
	return launch1(NULL, kernel, NULL, 0);
}

static ol_result_t launch_with_shared(void)
{
	const ol_kernel_launch_size_args_t size = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 64 << 10 };

	return ol_launch(queue, gpu, kernel, NULL, 0, &size);
}

static ol_result_t occupancy(void)
{
	size_t threads;

	return olCalculateOptimalOccupancy(gpu, kernel, 0, &threads);
}

static const struct failure {
	const char *call, *number; /* of the driver; what it answers */
	ol_result_t (*run)(void);
	ol_errc_t code;
	bool makes;
} failures[] = {
	{ "cuStreamCreate", "2", create_queue, OL_ERRC_OUT_OF_RESOURCES, true },
	{ "cuStreamCreate", "999", create_queue, OL_ERRC_UNKNOWN, true },
	{ "cuEventCreate", "2", create_event, OL_ERRC_OUT_OF_RESOURCES, true },
	{ "cuEventRecord", "999", create_event, OL_ERRC_UNKNOWN, true },
	{ "cuStreamSynchronize", "999", sync_queue, OL_ERRC_UNKNOWN, false },
	{ "cuEventSynchronize", "999", sync_event, OL_ERRC_UNKNOWN, false },
	{ "cuStreamWaitEvent", "999", wait_event, OL_ERRC_UNKNOWN, false },
	{ "cuStreamQuery", "999", ask_queue, OL_ERRC_UNKNOWN, false },
	{ "cuEventQuery", "999", ask_event, OL_ERRC_UNKNOWN, false },
	{ "cuLaunchHostFunc", "999", host_function, OL_ERRC_UNKNOWN, false },
	{ "cuLaunchKernel", "2", launch, OL_ERRC_OUT_OF_RESOURCES, false },
	{ "cuLaunchKernel", "701", launch, OL_ERRC_INVALID_SIZE, false },
	{ "cuLaunchKernel", "999", launch, OL_ERRC_UNKNOWN, false },
	{ "cuLaunchKernel", "999", launch_alone, OL_ERRC_UNKNOWN, false },
	{ "cuStreamSynchronize", "999", launch_alone, OL_ERRC_UNKNOWN, false },
	{ "cuFuncSetAttribute", "999", launch_with_shared, OL_ERRC_UNKNOWN, false },
	{ "cuOccupancyMaxPotentialBlockSize", "999", occupancy, OL_ERRC_UNKNOWN, false },
};

static void fail_once(const struct failure *failure)
{
	char setting[64];
	ol_result_t result;

	snprintf(setting, sizeof(setting), "%s=%s", failure->call, failure->number);
	setenv("GPURUN_STUB_FAIL", setting, 1);
	result = failure->run();
	unsetenv("GPURUN_STUB_FAIL");
	if (code_of(result) != failure->code || !strstr(text_of(result), failure->call)) {
		tap.failed = true;
		printf("# %s answers %s: got %s \"%s\", want %s\n", failure->call,
		       failure->number, code_name(code_of(result)), text_of(result),
		       code_name(failure->code));
	}
	CHECK(!failure->makes || !made);
	CHECK_OK(failure->run());
	CHECK(!failure->makes || made);
}

static void test_failures(void)
{
	if (executes())
		return;
	queue = new_queue();
	event = NULL;
	kernel = kernel_of(load(), "nothing");
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		if (!event && failures[i].run != create_queue && failures[i].run != create_event)
			event = new_event(queue);
		fail_once(&failures[i]);
	}
}

/* Makes events, and launches on no queue, which fail; destroys what it has. */
static void fail_often(void)
{
	ol_program_handle_t program = load();

	queue = new_queue();
	kernel = kernel_of(program, "nothing");
	setenv("GPURUN_STUB_FAIL", "cuEventRecord=999,cuLaunchKernel=999", 1);
	for (int i = 0; i < 20; i++) {
		CHECK_CODE(create_event(), UNKNOWN);
		CHECK_CODE(launch_alone(), UNKNOWN);
	}
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyProgram(program));
}

static void scene_in_vain(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	if (!executes())
		fail_often();
	CHECK_OK(olShutDown());
}

/* What was made for a call that failed is not left. */
static void test_nothing_is_left(void)
{
	struct ending ending = play("scene_in_vain", "GPURUN_LOG=leaks");

	CHECK_INT(ending.status, 0);
	if (!CHECK(!strstr(ending.said, "leak:")))
		printf("%s", ending.said);
}

static const struct ol_case cases[] = {
	OL_CASE(test_failures),
	OL_BARE(test_nothing_is_left),
	OL_SCENE(scene_in_vain),
};
OL_MAIN(cases)
