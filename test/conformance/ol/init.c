/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Coming up and going down: the count, every function while the library is not up,
 * and results that outlive it.
 */
#include <pthread.h>

#include "ol.h"

/* ---- Every function ------------------------------------------------------------------ */

/* CALL(what it answers to this, function, arguments): each function without a place in
 * olInit()'s count, called with nothing. */
#define CALLS                                                                            \
	CALL(INVALID_NULL_HANDLE, olCalculateOptimalOccupancy, NULL, NULL, 0, NULL)        \
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
	CALL(INVALID_SIZE, olMemAlloc, NULL, 0, 0, NULL)                                   \
	CALL(INVALID_NULL_POINTER, olMemFill, NULL, NULL, 1, NULL, 0)                      \
	CALL(INVALID_NULL_POINTER, olMemFree, NULL)                                        \
	CALL(INVALID_SIZE, olMemRegister, NULL, NULL, 0, 0, NULL)                          \
	CALL(INVALID_NULL_HANDLE, olMemcpy, NULL, NULL, NULL, NULL, NULL, 0)               \
	CALL(INVALID_NULL_HANDLE, olSyncEvent, NULL)                                       \
	CALL(INVALID_NULL_HANDLE, olSyncQueue, NULL)                                       \
	CALL(INVALID_NULL_HANDLE, olWaitEvents, NULL, NULL, 0)                             \
	FORM_CALLS

/* None is missing. */
enum {
#define CALL(...) +1
	CALLED = 0 CALLS,
#undef CALL
#define OL_API(first, last, ...) OL_ROW_##first##_##last(+1)
#define OL_API_BARE(...)
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
	CHECK_OK(ol_init());
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
		CHECK_OK(ol_init());
	for (int i = 0; i < 3; i++) {
		CHECK(devices() >= 1);
		CHECK_OK(olShutDown());
	}
	CHECK_CODE(olIterateDevices(count_device, NULL), UNINITIALIZED);
}

static void test_twins_count(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };

	CHECK_OK(ol_init_twin(&here));
	CHECK_OK(ol_init());
	CHECK_OK(ol_init_twin(NULL));
	CHECK_OK(olShutDown());
	CHECK_OK(olShutDownWithCodeLoc(&here));
	CHECK(devices() >= 1);
	CHECK_OK(olShutDownWithCodeLoc(NULL));
}

static void test_reinit(void)
{
	int first = 0;

	for (int i = 0; i < 10; i++) {
		CHECK_OK(ol_init());
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

	CHECK_OK(ol_init());
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

		CHECK_OK(ol_init());
		look_up();
		kernel_of(load(), "nothing");
		CHECK_OK(ol_create_event(new_queue(), &event));
		for (int type = OL_ALLOC_TYPE_HOST; type < OL_ALLOC_TYPE_LAST; type++)
			alloc((ol_alloc_type_t)type, 4096);
		CHECK_OK(olShutDown());
	}
}

static void *init_and_shut_down(void *data)
{
	int *wrong = data;

	/* To bring a GPU up anew takes a while. */
	for (int i = 0; i < (is_gpu() ? 5 : 50); i++) {
		*wrong += ol_init() != OL_SUCCESS;
		*wrong += olShutDown() != OL_SUCCESS;
	}
	return NULL;
}

static void test_eight_threads(void)
{
	pthread_t threads[8];
	int wrong[8] = { 0 };

	CHECK_OK(ol_init());
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

	CHECK_OK(ol_init());
	result = olMemFree(NULL);
	CHECK_OK(olShutDown());
	CHECK_TELLS(result, INVALID_NULL_POINTER, "validation failure: NULL == Address");
	CHECK_OK(ol_init());
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
	if (getenv("OL_TEST_EARLY") && ol_init())
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
	OL_SCENE(use_between),
};
OL_MAIN(cases)
