/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the environment makes of olInit(): the trace, the checks, the limits. It is
 * read by each olInit() that brings the library up.
 */
#include <ctype.h>
#include <fcntl.h>

#include "ol.h"

/* ---- The trace ----------------------------------------------------------------------- */

/* Calls that say little of where they run. */
static void traced(void)
{
	const ol_kernel_launch_size_args_t sizes = { 1, { 1, 2, 3 }, { 4, 5, 6 }, 7 };
	ol_dimensions_t most;
	uint32_t type;
	uint64_t size;
	char text[8];
	bool valid;

	CHECK_OK(olGetPlatformInfo(host_platform, OL_PLATFORM_INFO_NAME, sizeof(text), text));
	CHECK_OK(olGetPlatformInfoSize(host_platform, OL_PLATFORM_INFO_NAME, &size));
	CHECK_OK(olGetDeviceInfo(host, OL_DEVICE_INFO_TYPE, sizeof(type), &type));
	CHECK_OK(olGetDeviceInfo(host, OL_DEVICE_INFO_MAX_WORK_SIZE_PER_DIMENSION, sizeof(most),
				 &most));
	CHECK_OK(olGetDeviceInfo(host, OL_DEVICE_INFO_GLOBAL_MEM_SIZE, sizeof(size), &size));
	CHECK_OK(olIsValidBinary(host, "junk", 4, &valid));
	CHECK_CODE(olMemFree(NULL), INVALID_NULL_POINTER);
	CHECK_CODE(ol_launch(NULL, host, NULL, NULL, 0, &sizes), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetSymbol(NULL, "name", OL_SYMBOL_KIND_KERNEL, NULL), INVALID_NULL_HANDLE);
	CHECK_CODE(olWaitEvents(NULL, NULL, 3), INVALID_NULL_HANDLE);
}

/* The trace of what looks the devices up is not kept. */
static void trace_scene(void)
{
	int kept = dup(2), nowhere = open("/dev/null", O_WRONLY);

	CHECK_OK(ol_init());
	dup2(nowhere, 2);
	look_up();
	dup2(kept, 2);
	traced();
}

/* Numbers that are pointers become "P". */
static void without_pointers(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		if (strncmp(from, "0x", 2)) {
			*to++ = *from++;
			continue;
		}
		for (from += 2; isxdigit((unsigned char)*from); from++)
			;
		*to++ = 'P';
	}
	*to = '\0';
}

static void check_lines(char *said, const char *const *want, size_t count)
{
	char *line = strtok(said, "\n");

	for (size_t i = 0; i < count; i++, line = strtok(NULL, "\n"))
		CHECK_STR(line, want[i]);
	CHECK_STR(line, NULL);
}

static void test_trace(void)
{
	static const char *const want[] = {
		("---> olInit(" FORM_TRACE_INIT ")-> OL_SUCCESS"),
		"---> olGetPlatformInfo(.Platform = P, .PropName = OL_PLATFORM_INFO_NAME, "
		".PropSize = 8, .PropValue = P (" FORM_HOST_PLATFORM "))-> OL_SUCCESS",
		"---> olGetPlatformInfoSize(.Platform = P, .PropName = OL_PLATFORM_INFO_NAME, "
		".PropSizeRet = P (" FORM_HOST_PLATFORM_SIZE "))-> OL_SUCCESS",
		"---> olGetDeviceInfo(.Device = P, .PropName = OL_DEVICE_INFO_TYPE, "
		".PropSize = 4, .PropValue = P (OL_DEVICE_TYPE_HOST))-> OL_SUCCESS",
		"---> olGetDeviceInfo(.Device = P, "
		".PropName = OL_DEVICE_INFO_MAX_WORK_SIZE_PER_DIMENSION, .PropSize = 12, "
		".PropValue = P ((struct ol_dimensions_t){.x = 4294967295, .y = 4294967295, "
		".z = 4294967295}))-> OL_SUCCESS",
		"---> olGetDeviceInfo(.Device = P, .PropName = OL_DEVICE_INFO_GLOBAL_MEM_SIZE, "
		".PropSize = 8, .PropValue = P (" FORM_TRACE_HOST_MEMORY "))-> OL_SUCCESS",
		"---> olIsValidBinary(.Device = P, .ProgData = P, .ProgDataSize = 4, "
		".Valid = P (0))-> OL_SUCCESS",
		"---> olMemFree(.Address = nullptr)-> OL_ERRC_INVALID_NULL_POINTER",
		"     *Error Details* validation failure: NULL == Address ",
		"---> olLaunchKernel(.Queue = nullptr, .Device = P, .Kernel = nullptr, "
		FORM_TRACE_LAUNCH("P ((struct ol_kernel_launch_size_args_t){.Dimensions = 1, "
		".NumGroups = (struct ol_dimensions_t){.x = 1, .y = 2, .z = 3}, "
		".GroupSize = (struct ol_dimensions_t){.x = 4, .y = 5, .z = 6}, "
		".DynSharedMemory = 7})") ")-> OL_ERRC_INVALID_NULL_HANDLE",
		"     *Error Details* validation failure: NULL == Kernel ",
		"---> olGetSymbol(.Program = nullptr, .Name = P (name), "
		".Kind = OL_SYMBOL_KIND_KERNEL, .Symbol = nullptr)-> OL_ERRC_INVALID_NULL_HANDLE",
		"     *Error Details* validation failure: NULL == Program ",
		"---> olWaitEvents(.Queue = nullptr, .Events = nullptr, .NumEvents = 3)-> "
		"OL_ERRC_INVALID_NULL_HANDLE",
		"     *Error Details* validation failure: NULL == Queue ",
	};
	struct ending ending = play("trace_scene", "OFFLOAD_TRACE=1");

	CHECK_INT(ending.status, 0);
	without_pointers(ending.said);
	check_lines(ending.said, want, sizeof(want) / sizeof(want[0]));
}

/* What a failed call did not write is not shown. */
static void trace_failure(void)
{
	ol_device_handle_t no_device = NULL;
	void *address;
	char text[4];

	CHECK_OK(ol_init());
	CHECK_CODE(olMemAlloc(no_device, OL_ALLOC_TYPE_HOST, 3, &address), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetDeviceInfo(no_device, OL_DEVICE_INFO_LAST, sizeof(text), text),
		   INVALID_NULL_HANDLE);
}

static void test_trace_of_failures(void)
{
	static const char *const want[] = {
		("---> olInit(" FORM_TRACE_INIT ")-> OL_SUCCESS"),
		"---> olMemAlloc(.Device = nullptr, .Type = OL_ALLOC_TYPE_HOST, .Size = 3, "
		".AllocationOut = P)-> OL_ERRC_INVALID_NULL_HANDLE",
		"     *Error Details* validation failure: NULL == Device ",
		"---> olGetDeviceInfo(.Device = nullptr, .PropName = unknown enumerator, "
		".PropSize = 4, .PropValue = P)-> OL_ERRC_INVALID_NULL_HANDLE",
		"     *Error Details* validation failure: NULL == Device ",
	};
	struct ending ending = play("trace_failure", "OFFLOAD_TRACE=1");

	CHECK_INT(ending.status, 0);
	without_pointers(ending.said);
	check_lines(ending.said, want, sizeof(want) / sizeof(want[0]));
}

/* A failed call may have been told of more than there is. */
static void trace_list(void)
{
	ol_event_handle_t events[] = { NULL }, done = NULL;
	int kept = dup(2), nowhere = open("/dev/null", O_WRONLY);
	ol_queue_handle_t queue;

	CHECK_OK(ol_init());
	dup2(nowhere, 2);
	look_up();
	queue = new_queue();
	CHECK_OK(ol_create_event(queue, &done));
	CHECK_CODE(olWaitEvents(queue, events, SIZE_MAX), INVALID_NULL_HANDLE);
	dup2(kept, 2);
	CHECK_CODE(olWaitEvents(queue, events, 1), INVALID_NULL_HANDLE);
	events[0] = done;
	CHECK_OK(olWaitEvents(queue, events, 1));
}

static void test_trace_of_lists(void)
{
	static const char *const want[] = {
		("---> olInit(" FORM_TRACE_INIT ")-> OL_SUCCESS"),
		"---> olWaitEvents(.Queue = P, .Events = P, .NumEvents = 1)-> "
		"OL_ERRC_INVALID_NULL_HANDLE",
		"     *Error Details* event 0 of 1 is NULL ",
		"---> olWaitEvents(.Queue = P, .Events = P (P), .NumEvents = 1)-> OL_SUCCESS",
	};
	struct ending ending = play("trace_list", "OFFLOAD_TRACE=1");

	CHECK_INT(ending.status, 0);
	without_pointers(ending.said);
	check_lines(ending.said, want, sizeof(want) / sizeof(want[0]));
}

static void come_up(void)
{
	CHECK_OK(ol_init());
}

static void up_and_down(void)
{
	CHECK_OK(ol_init());
	CHECK_OK(olShutDown());
}

static void test_trace_is_set_by_any_value(void)
{
	CHECK_PLAY("come_up", "OFFLOAD_TRACE=0", "---> olInit(" FORM_TRACE_INIT ")-> OL_SUCCESS\n");
	CHECK_PLAY("come_up", "OFFLOAD_TRACE=", "---> olInit(" FORM_TRACE_INIT ")-> OL_SUCCESS\n");
	CHECK_PLAY("come_up", "OFFLOAD_TRACE", NULL);
}

static void come_up_in_vain(void)
{
	CHECK_CODE(ol_init(), INVALID_VALUE);
	CHECK_CODE(olSyncQueue(NULL), UNINITIALIZED);
}

/* An olInit() that fails is what a trace is most wanted for. */
static void test_trace_of_failed_init(void)
{
	CHECK_PLAY("come_up_in_vain", "OFFLOAD_TRACE=1 LIBOMPTARGET_STACK_SIZE=much",
		   "---> olInit(" FORM_TRACE_INIT ")-> OL_ERRC_INVALID_VALUE\n"
		   "     *Error Details* LIBOMPTARGET_STACK_SIZE is 'much': expected a "
		   "number of bytes, 18446744073709551615 at most \n");
}

static void test_trace_of_shutdown(void)
{
	CHECK_PLAY("up_and_down", "OFFLOAD_TRACE=1",
		   "---> olInit(" FORM_TRACE_INIT ")-> OL_SUCCESS\n---> olShutDown()-> OL_SUCCESS\n");
}

/* ---- When it is read ------------------------------------------------------------------ */

static void set_too_late(void)
{
	CHECK_OK(ol_init());
	setenv("OFFLOAD_TRACE", "1", 1);
	setenv("OFFLOAD_DISABLE_VALIDATION", "1", 1);
	CHECK_OK(ol_init());
	CHECK_TELLS(olMemFree(NULL), INVALID_NULL_POINTER, "validation failure");
	CHECK_OK(olShutDown());
	CHECK_OK(olShutDown());
}

static void test_environment_is_read_when_coming_up(void)
{
	CHECK_PLAY("set_too_late", NULL, NULL);
}

static void set_between(void)
{
	CHECK_OK(ol_init());
	CHECK_OK(olShutDown());
	setenv("OFFLOAD_TRACE", "1", 1);
	CHECK_OK(ol_init());
}

static void test_environment_is_read_each_time(void)
{
	CHECK_PLAY("set_between", NULL, "---> olInit(" FORM_TRACE_INIT ")-> OL_SUCCESS\n");
}

/* ---- The checks ------------------------------------------------------------------------ */

/* What remains is found by the functions themselves. */
static void without_validation(void)
{
	char text[4];
	ol_result_t result;

	CHECK_OK(ol_init());
	look_up();
	result = olGetDeviceInfo(host, OL_DEVICE_INFO_NAME, 0, text);
	CHECK_CODE(result, INVALID_SIZE);
	CHECK(!strstr(text_of(result), "validation failure"));
	CHECK_CODE(olGetDeviceInfo(host, OL_DEVICE_INFO_NAME, sizeof(text), text), INVALID_SIZE);
	CHECK_OK(olShutDown());
}

static void test_no_validation(void)
{
	CHECK_PLAY("without_validation", "OFFLOAD_DISABLE_VALIDATION=1", NULL);
}

/* Handles are refused nevertheless. */
static void null_without_validation(void)
{
	char text[64];

	CHECK_OK(ol_init());
	CHECK_CODE(olGetDeviceInfo(NULL, OL_DEVICE_INFO_NAME, sizeof(text), text),
		   INVALID_DEVICE);
	CHECK_CODE(olSyncQueue(NULL), INVALID_QUEUE);
	CHECK_CODE(olSyncEvent(NULL), INVALID_EVENT);
	CHECK_OK(olShutDown());
}

static void test_null_without_validation(void)
{
	CHECK_PLAY("null_without_validation", "OFFLOAD_DISABLE_VALIDATION=1", NULL);
}

/* ---- Limits ---------------------------------------------------------------------------- */

/* The bytes that a kernel sees that is launched with @dynamic ones. */
static uint32_t shared_of(ol_symbol_handle_t kernel, uint32_t *out, size_t dynamic)
{
	const ol_kernel_launch_size_args_t sizes = { 1, { 1, 1, 1 }, { 1, 1, 1 }, dynamic };
	ol_queue_handle_t queue = new_queue();
	uint32_t got = 0;

	CHECK_OK(ol_launch(queue, gpu, kernel, &out, sizeof(out), &sizes));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemcpy(NULL, &got, host, out, gpu, sizeof(got)));
	CHECK_OK(olDestroyQueue(queue));
	return got;
}

static void with_shared_memory(void)
{
	ol_symbol_handle_t kernel;
	uint32_t *out;

	CHECK_OK(ol_init());
	look_up();
	kernel = kernel_of(load(), "shared");
	out = alloc(OL_ALLOC_TYPE_DEVICE, sizeof(*out));
	if (executes()) {
		CHECK_INT(shared_of(kernel, out, 0), FORM_LEAST_SHARED ? 4096 : 0);
		CHECK_INT(shared_of(kernel, out, 1024), FORM_LEAST_SHARED ? 4096 : 1024);
		CHECK_INT(shared_of(kernel, out, 8192), 8192);
	}
	CHECK_OK(olShutDown());
}

static void test_shared_memory_size(void)
{
	CHECK_PLAY("with_shared_memory", "LIBOMPTARGET_SHARED_MEMORY_SIZE=4096", NULL);
}

static void test_limits(void)
{
	CHECK_PLAY("up_and_down", "LIBOMPTARGET_STACK_SIZE=4096 LIBOMPTARGET_HEAP_SIZE=16777216",
		   NULL);
	CHECK_PLAY("up_and_down", "LIBOMPTARGET_STACK_SIZE=0x1000 LIBOMPTARGET_HEAP_SIZE=08192",
		   NULL);
}

/* One that cannot be read is told, and the next olInit() begins anew. */
static void with_bad_number(void)
{
	CHECK_CODE(ol_init(), INVALID_VALUE);
	CHECK_CODE(olShutDown(), UNINITIALIZED);
	unsetenv("LIBOMPTARGET_STACK_SIZE");
	unsetenv("LIBOMPTARGET_HEAP_SIZE");
	unsetenv("LIBOMPTARGET_SHARED_MEMORY_SIZE");
	CHECK_OK(ol_init());
	look_up();
	CHECK_OK(olShutDown());
}

static void test_bad_numbers(void)
{
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_STACK_SIZE=lots", NULL);
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_HEAP_SIZE=-1", NULL);
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_HEAP_SIZE=\t-1", NULL);
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_HEAP_SIZE=0x", NULL);
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_STACK_SIZE=18446744073709551616", NULL);
	if (!FORM_LEAST_SHARED)
		return;
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_SHARED_MEMORY_SIZE=4294967296", NULL);
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_SHARED_MEMORY_SIZE=48k", NULL);
}

static const struct ol_case cases[] = {
	OL_BARE(test_trace),
	OL_BARE(test_trace_of_failures),
	OL_BARE(test_trace_of_lists),
	OL_BARE(test_trace_of_failed_init),
	OL_BARE(test_trace_of_shutdown),
	OL_BARE(test_trace_is_set_by_any_value),
	OL_BARE(test_environment_is_read_when_coming_up),
	OL_BARE(test_environment_is_read_each_time),
	OL_BARE(test_no_validation),
	OL_BARE(test_null_without_validation),
	OL_BARE(test_shared_memory_size),
	OL_BARE(test_limits),
	OL_BARE(test_bad_numbers),
	OL_SCENE(trace_scene),
	OL_SCENE(trace_failure),
	OL_SCENE(trace_list),
	OL_SCENE(come_up),
	OL_SCENE(come_up_in_vain),
	OL_SCENE(up_and_down),
	OL_SCENE(set_too_late),
	OL_SCENE(set_between),
	OL_SCENE(without_validation),
	OL_SCENE(null_without_validation),
	OL_SCENE(with_shared_memory),
	OL_SCENE(with_bad_number),
};
OL_MAIN(cases)
