/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Coming up and going down: the count, every function while the library is not up,
 * the environment, and results that outlive it.
 */
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>

#include "ol.h"

/* ---- Every function ------------------------------------------------------------------ */

/* CALL(what it answers to this, function, arguments): each function without a place in
 * olInit()'s count, called with nothing. */
#define CALLS                                                                            \
	CALL(INVALID_NULL_HANDLE, olCalculateOptimalOccupancy, NULL, NULL, 0, NULL)        \
	CALL(INVALID_NULL_HANDLE, olCreateEvent, NULL, NULL)                               \
	CALL(INVALID_NULL_HANDLE, olCreateProgram, NULL, NULL, 0, NULL)                    \
	CALL(INVALID_NULL_HANDLE, olCreateQueue, NULL, NULL)                               \
	CALL(INVALID_NULL_HANDLE, olDestroyEvent, NULL)                                    \
	CALL(INVALID_NULL_HANDLE, olDestroyProgram, NULL)                                  \
	CALL(INVALID_NULL_HANDLE, olDestroyQueue, NULL)                                    \
	CALL(INVALID_SIZE, olGetDeviceInfo, NULL, 0, 0, NULL)                              \
	CALL(INVALID_NULL_HANDLE, olGetDeviceInfoSize, NULL, 0, NULL)                      \
	CALL(INVALID_SIZE, olGetEventInfo, NULL, 0, 0, NULL)                               \
	CALL(INVALID_NULL_HANDLE, olGetEventInfoSize, NULL, 0, NULL)                       \
	CALL(INVALID_SIZE, olGetMemInfo, NULL, 0, 0, NULL)                                 \
	CALL(INVALID_NULL_POINTER, olGetMemInfoSize, NULL, 0, NULL)                        \
	CALL(INVALID_SIZE, olGetPlatformInfo, NULL, 0, 0, NULL)                            \
	CALL(INVALID_NULL_HANDLE, olGetPlatformInfoSize, NULL, 0, NULL)                    \
	CALL(INVALID_SIZE, olGetQueueInfo, NULL, 0, 0, NULL)                               \
	CALL(INVALID_NULL_HANDLE, olGetQueueInfoSize, NULL, 0, NULL)                       \
	CALL(INVALID_NULL_HANDLE, olGetSymbol, NULL, NULL, 0, NULL)                        \
	CALL(INVALID_SIZE, olGetSymbolInfo, NULL, 0, 0, NULL)                              \
	CALL(INVALID_NULL_HANDLE, olGetSymbolInfoSize, NULL, 0, NULL)                      \
	CALL(INVALID_NULL_HANDLE, olIsValidBinary, NULL, NULL, 0, NULL)                    \
	CALL(INVALID_NULL_POINTER, olIterateDevices, NULL, NULL)                           \
	CALL(INVALID_NULL_HANDLE, olLaunchHostFunction, NULL, NULL, NULL)                  \
	CALL(INVALID_NULL_HANDLE, olLaunchKernel, NULL, NULL, NULL, NULL, 0, NULL)         \
	CALL(INVALID_SIZE, olMemAlloc, NULL, 0, 0, NULL)                                   \
	CALL(INVALID_NULL_POINTER, olMemFill, NULL, NULL, 1, NULL, 0)                      \
	CALL(INVALID_NULL_POINTER, olMemFree, NULL)                                        \
	CALL(INVALID_SIZE, olMemRegister, NULL, NULL, 0, 0, NULL)                          \
	CALL(INVALID_NULL_HANDLE, olMemUnregister, NULL, NULL)                             \
	CALL(INVALID_NULL_HANDLE, olMemcpy, NULL, NULL, NULL, NULL, NULL, 0)               \
	CALL(INVALID_NULL_HANDLE, olSyncEvent, NULL)                                       \
	CALL(INVALID_NULL_HANDLE, olSyncQueue, NULL)                                       \
	CALL(INVALID_NULL_HANDLE, olWaitEvents, NULL, NULL, 0)

/* None is missing. */
enum {
#define CALL(...) +1
	CALLED = 0 CALLS,
#undef CALL
#define OL_API(...) +1
#define OL_API_VOID(...)
	THERE_ARE = 0
#include "ol_api.def"
};
_Static_assert(CALLED == (int)THERE_ARE, "a row of ol_api.def is not called");

static void check_down(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };

#define CALL(code, function, ...)                                                        \
	CHECK_CODE(function(__VA_ARGS__), UNINITIALIZED);                                  \
	CHECK_CODE(function##WithCodeLoc(__VA_ARGS__, &here), UNINITIALIZED);
	CALLS
#undef CALL
	CHECK_CODE(olShutDown(), UNINITIALIZED);
	CHECK_CODE(olShutDownWithCodeLoc(&here), UNINITIALIZED);
}

static void test_down_before(void)
{
	check_down();
}

static void test_down_again(void)
{
	CHECK_OK(olInit());
	CHECK_OK(olShutDown());
	check_down();
}

static void test_nothing_given(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };

#define CALL(code, function, ...)                                                        \
	CHECK_CODE(function(__VA_ARGS__), code);                                           \
	CHECK_TELLS(function##WithCodeLoc(__VA_ARGS__, &here), code, "validation failure: ");
	CALLS
#undef CALL
}

/* ---- The count ----------------------------------------------------------------------- */

static bool count_device(ol_device_handle_t device, void *data)
{
	++*(int *)data;
	return device != NULL;
}

static int devices(void)
{
	int count = 0;

	CHECK_OK(olIterateDevices(count_device, &count));
	return count;
}

static void test_counts(void)
{
	for (int i = 0; i < 3; i++)
		CHECK_OK(olInit());
	for (int i = 0; i < 3; i++) {
		CHECK(devices() >= 1);
		CHECK_OK(olShutDown());
	}
	CHECK_CODE(olIterateDevices(count_device, NULL), UNINITIALIZED);
}

static void test_twins_count(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };

	CHECK_OK(olInitWithCodeLoc(&here));
	CHECK_OK(olInit());
	CHECK_OK(olInitWithCodeLoc(NULL));
	CHECK_OK(olShutDown());
	CHECK_OK(olShutDownWithCodeLoc(&here));
	CHECK(devices() >= 1);
	CHECK_OK(olShutDownWithCodeLoc(NULL));
}

static void test_reinit(void)
{
	int first = 0;

	for (int i = 0; i < 10; i++) {
		CHECK_OK(olInit());
		if (i == 0)
			first = devices();
		CHECK_INT(devices(), first);
		CHECK_OK(olShutDown());
		CHECK_CODE(olShutDown(), UNINITIALIZED);
	}
	CHECK(first >= 2);
}

/* A later olInit() neither moves devices nor takes what is there. */
static void test_init_again_changes_nothing(void)
{
	ol_device_handle_t before = gpu;
	ol_queue_handle_t queue = new_queue();

	CHECK_OK(olInit());
	look_up();
	CHECK(gpu == before);
	CHECK_OK(olShutDown());
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_leftovers(void)
{
	for (int i = 0; i < 2; i++) {
		ol_event_handle_t event = NULL;

		CHECK_OK(olInit());
		look_up();
		kernel_of(load(), "nothing");
		CHECK_OK(olCreateEvent(new_queue(), &event));
		for (int type = OL_ALLOC_TYPE_HOST; type < OL_ALLOC_TYPE_LAST; type++)
			alloc((ol_alloc_type_t)type, 4096);
		CHECK_OK(olShutDown());
	}
}

static void *init_and_shut_down(void *data)
{
	int *wrong = data;

	for (int i = 0; i < 50; i++) {
		*wrong += olInit() != OL_SUCCESS;
		*wrong += olShutDown() != OL_SUCCESS;
	}
	return NULL;
}

static void test_eight_threads(void)
{
	pthread_t threads[8];
	int wrong[8] = { 0 };

	CHECK_OK(olInit());
	for (int i = 0; i < 8; i++)
		CHECK(!pthread_create(&threads[i], NULL, init_and_shut_down, &wrong[i]));
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		CHECK_INT(wrong[i], 0);
	}
	CHECK_OK(olShutDown());
}

/* Each thread has the library to itself now and then: up and down for real. */
static void test_eight_threads_alone(void)
{
	pthread_t threads[8];
	int wrong[8] = { 0 };

	for (int i = 0; i < 8; i++)
		CHECK(!pthread_create(&threads[i], NULL, init_and_shut_down, &wrong[i]));
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		CHECK_INT(wrong[i], 0);
	}
}

/* ---- Results ------------------------------------------------------------------------- */

static void test_text_of_down(void)
{
	ol_result_t result = olIterateDevices(count_device, NULL);

	CHECK_TELLS(result, UNINITIALIZED, "liboffload has not been initialized - please call "
					   "olInit before using this API");
	CHECK(result == olShutDown());
}

static void test_same_failure_same_result(void)
{
	ol_result_t first = olMemFree(NULL), second = olMemFree(NULL);

	CHECK(first && first == second);
	CHECK(first != olSyncQueue(NULL));
}

static void test_result_outlives(void)
{
	ol_result_t result;

	CHECK_OK(olInit());
	result = olMemFree(NULL);
	CHECK_OK(olShutDown());
	CHECK_TELLS(result, INVALID_NULL_POINTER, "validation failure: NULL == Address");
	CHECK_OK(olInit());
	CHECK(result == olMemFree(NULL));
	CHECK_OK(olShutDown());
}

/* ---- Static constructors and destructors ------------------------------------------------ */

/* This scene is named by the environment, since it begins before main. */
static bool is_early(const char *what)
{
	const char *early = getenv("OL_TEST_EARLY");

	return early && !strcmp(early, what);
}

__attribute__((constructor)) static void come_up_early(void)
{
	if (getenv("OL_TEST_EARLY") && olInit())
		_exit(61);
}

__attribute__((destructor)) static void go_down_late(void)
{
	ol_result_t result = is_early("error") ? olSyncQueue(NULL) : OL_SUCCESS;

	if (is_early("error") && !strstr(text_of(result), "NULL == Queue"))
		_exit(62);
	if (getenv("OL_TEST_EARLY") && olShutDown())
		_exit(63);
}

static void use_between(void)
{
	CHECK(devices() >= 1);
	if (is_early("error"))
		CHECK_CODE(olMemFree(NULL), INVALID_NULL_POINTER);
}

static void test_static_structors(void)
{
	CHECK_PLAY("use_between", "OL_TEST_EARLY=plain", NULL);
}

/* A failure in main, then one in the destructor. */
static void test_errors_in_static_destructors(void)
{
	CHECK_PLAY("use_between", "OL_TEST_EARLY=error", NULL);
}

/* ---- The environment ------------------------------------------------------------------- */

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
	CHECK_CODE(olLaunchKernel(NULL, host, NULL, NULL, 0, &sizes), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetSymbol(NULL, "name", OL_SYMBOL_KIND_KERNEL, NULL), INVALID_NULL_HANDLE);
	CHECK_CODE(olWaitEvents(NULL, NULL, 3), INVALID_NULL_HANDLE);
}

/* The trace of what looks the devices up is not kept. */
static void trace_scene(void)
{
	int kept = dup(2), nowhere = open("/dev/null", O_WRONLY);

	CHECK_OK(olInit());
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
		"---> olInit()-> OL_SUCCESS",
		"---> olGetPlatformInfo(.Platform = P, .PropName = OL_PLATFORM_INFO_NAME, "
		".PropSize = 8, .PropValue = P (Host))-> OL_SUCCESS",
		"---> olGetPlatformInfoSize(.Platform = P, .PropName = OL_PLATFORM_INFO_NAME, "
		".PropSizeRet = P (5))-> OL_SUCCESS",
		"---> olGetDeviceInfo(.Device = P, .PropName = OL_DEVICE_INFO_TYPE, "
		".PropSize = 4, .PropValue = P (OL_DEVICE_TYPE_HOST))-> OL_SUCCESS",
		"---> olGetDeviceInfo(.Device = P, "
		".PropName = OL_DEVICE_INFO_MAX_WORK_SIZE_PER_DIMENSION, .PropSize = 12, "
		".PropValue = P ((struct ol_dimensions_t){.x = 4294967295, .y = 4294967295, "
		".z = 4294967295}))-> OL_SUCCESS",
		"---> olGetDeviceInfo(.Device = P, .PropName = OL_DEVICE_INFO_GLOBAL_MEM_SIZE, "
		".PropSize = 8, .PropValue = P (0))-> OL_SUCCESS",
		"---> olIsValidBinary(.Device = P, .ProgData = P, .ProgDataSize = 4, "
		".Valid = P (0))-> OL_SUCCESS",
		"---> olMemFree(.Address = nullptr)-> OL_ERRC_INVALID_NULL_POINTER",
		"     *Error Details* validation failure: NULL == Address ",
		"---> olLaunchKernel(.Queue = nullptr, .Device = P, .Kernel = nullptr, "
		".ArgumentsData = nullptr, .ArgumentsSize = 0, .LaunchSizeArgs = P "
		"((struct ol_kernel_launch_size_args_t){.Dimensions = 1, "
		".NumGroups = (struct ol_dimensions_t){.x = 1, .y = 2, .z = 3}, "
		".GroupSize = (struct ol_dimensions_t){.x = 4, .y = 5, .z = 6}, "
		".DynSharedMemory = 7}))-> OL_ERRC_INVALID_NULL_HANDLE",
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

	CHECK_OK(olInit());
	CHECK_CODE(olMemAlloc(no_device, OL_ALLOC_TYPE_HOST, 3, &address), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetDeviceInfo(no_device, OL_DEVICE_INFO_LAST, sizeof(text), text),
		   INVALID_NULL_HANDLE);
}

static void test_trace_of_failures(void)
{
	static const char *const want[] = {
		"---> olInit()-> OL_SUCCESS",
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

static void come_up(void)
{
	CHECK_OK(olInit());
}

static void up_and_down(void)
{
	CHECK_OK(olInit());
	CHECK_OK(olShutDown());
}

static void test_trace_is_set_by_any_value(void)
{
	CHECK_PLAY("come_up", "OFFLOAD_TRACE=0", "---> olInit()-> OL_SUCCESS\n");
	CHECK_PLAY("come_up", "OFFLOAD_TRACE=", "---> olInit()-> OL_SUCCESS\n");
	CHECK_PLAY("come_up", "OFFLOAD_TRACE", NULL);
}

static void test_trace_of_shutdown(void)
{
	CHECK_PLAY("up_and_down", "OFFLOAD_TRACE=1",
		   "---> olInit()-> OL_SUCCESS\n---> olShutDown()-> OL_SUCCESS\n");
}

static void set_too_late(void)
{
	CHECK_OK(olInit());
	setenv("OFFLOAD_TRACE", "1", 1);
	setenv("OFFLOAD_DISABLE_VALIDATION", "1", 1);
	CHECK_OK(olInit());
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
	CHECK_OK(olInit());
	CHECK_OK(olShutDown());
	setenv("OFFLOAD_TRACE", "1", 1);
	CHECK_OK(olInit());
}

static void test_environment_is_read_each_time(void)
{
	CHECK_PLAY("set_between", NULL, "---> olInit()-> OL_SUCCESS\n");
}

/* What remains is found by the functions themselves. */
static void without_validation(void)
{
	char text[4];
	ol_result_t result;

	CHECK_OK(olInit());
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

	CHECK_OK(olInit());
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

/* The bytes that a kernel sees that is launched with @dynamic ones. */
static uint32_t shared_of(ol_symbol_handle_t kernel, uint32_t *out, size_t dynamic)
{
	const ol_kernel_launch_size_args_t sizes = { 1, { 1, 1, 1 }, { 1, 1, 1 }, dynamic };
	ol_queue_handle_t queue = new_queue();
	uint32_t got = 0;

	CHECK_OK(olLaunchKernel(queue, gpu, kernel, &out, sizeof(out), &sizes));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemcpy(NULL, &got, host, out, gpu, sizeof(got)));
	CHECK_OK(olDestroyQueue(queue));
	return got;
}

static void with_shared_memory(void)
{
	ol_symbol_handle_t kernel;
	uint32_t *out;

	CHECK_OK(olInit());
	look_up();
	kernel = kernel_of(load(), "shared");
	out = alloc(OL_ALLOC_TYPE_DEVICE, sizeof(*out));
	if (executes()) {
		CHECK_INT(shared_of(kernel, out, 0), 4096);
		CHECK_INT(shared_of(kernel, out, 1024), 4096);
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
}

/* One that cannot be read is told, and the next olInit() begins anew. */
static void with_bad_number(void)
{
	CHECK_CODE(olInit(), INVALID_VALUE);
	CHECK_CODE(olShutDown(), UNINITIALIZED);
	unsetenv("LIBOMPTARGET_STACK_SIZE");
	unsetenv("LIBOMPTARGET_HEAP_SIZE");
	unsetenv("LIBOMPTARGET_SHARED_MEMORY_SIZE");
	CHECK_OK(olInit());
	CHECK(devices() >= 2);
	CHECK_OK(olShutDown());
}

static void test_bad_numbers(void)
{
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_STACK_SIZE=lots", NULL);
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_HEAP_SIZE=-1", NULL);
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_SHARED_MEMORY_SIZE=4294967296", NULL);
	CHECK_PLAY("with_bad_number", "LIBOMPTARGET_SHARED_MEMORY_SIZE=48k", NULL);
}

static const struct ol_case cases[] = {
	OL_BARE(test_down_before),
	OL_BARE(test_down_again),
	OL_CASE(test_nothing_given),
	OL_BARE(test_counts),
	OL_BARE(test_twins_count),
	OL_BARE(test_reinit),
	OL_CASE(test_init_again_changes_nothing),
	OL_BARE(test_leftovers),
	OL_BARE(test_eight_threads),
	OL_BARE(test_eight_threads_alone),
	OL_BARE(test_text_of_down),
	OL_CASE(test_same_failure_same_result),
	OL_BARE(test_result_outlives),
	OL_BARE(test_static_structors),
	OL_BARE(test_errors_in_static_destructors),
	OL_BARE(test_trace),
	OL_BARE(test_trace_of_failures),
	OL_BARE(test_trace_of_shutdown),
	OL_BARE(test_trace_is_set_by_any_value),
	OL_BARE(test_environment_is_read_when_coming_up),
	OL_BARE(test_environment_is_read_each_time),
	OL_BARE(test_no_validation),
	OL_BARE(test_null_without_validation),
	OL_BARE(test_shared_memory_size),
	OL_BARE(test_limits),
	OL_BARE(test_bad_numbers),
	OL_SCENE(use_between),
	OL_SCENE(trace_scene),
	OL_SCENE(trace_failure),
	OL_SCENE(come_up),
	OL_SCENE(up_and_down),
	OL_SCENE(set_too_late),
	OL_SCENE(set_between),
	OL_SCENE(without_validation),
	OL_SCENE(null_without_validation),
	OL_SCENE(with_shared_memory),
	OL_SCENE(with_bad_number),
};
OL_MAIN(cases)
