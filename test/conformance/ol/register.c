/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registration: host memory pinned, by how many users, and unpinned. */
#include <pthread.h>

#include "ol_blocked.h"

enum { SIZE = 16384 };

static _Alignas(4096) uint8_t buffer[SIZE];

/* Registers @size bytes at @at; they are where they were. */
static void take(uint8_t *at, size_t size)
{
	void *pinned = NULL;

	CHECK_OK(ol_register(gpu, at, size, 0, &pinned));
	CHECK(pinned == at);
}

static ol_result_t try_take(uint8_t *at, size_t size)
{
	void *pinned = NULL;
	ol_result_t result = ol_register(gpu, at, size, 0, &pinned);

	CHECK(!result == (pinned == at));
	return result;
}

/* Adds 1 to the four words at @at, on the device. */
static void check_reached(void *at)
{
	const struct {
		void *words;
		uint32_t count;
	} arguments = { at, 4 };
	const ol_kernel_launch_size_args_t how = { 1, { 1, 1, 1 }, { 4, 1, 1 }, 0 };
	ol_queue_handle_t queue = new_queue();
	ol_program_handle_t program = load();
	uint32_t *words = at;

	for (uint32_t i = 0; i < 4; i++)
		words[i] = i * 100;
	CHECK_OK(ol_launch(queue, gpu, kernel_of(program, "add"), &arguments,
				sizeof(arguments), &how));
	CHECK_OK(olSyncQueue(queue));
	for (uint32_t i = 0; executes() && i < 4; i++)
		CHECK_INT(words[i], i * 100 + 1);
	CHECK_OK(olDestroyProgram(program));
}

/* A kernel reads and writes what is pinned, at the address that the host has. */
static void test_kernel_reaches(void)
{
	take(buffer, SIZE);
	check_reached(buffer + 4096);
	CHECK_OK(ol_unregister(gpu, buffer));
}

static void test_kernel_reaches_own(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_HOST, 4096);

	take(memory, 4096);
	check_reached(memory + 128);
	CHECK_OK(ol_unregister(gpu, memory));
	CHECK_OK(olMemFree(memory));
}

static void test_copies(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, SIZE);
	ol_queue_handle_t queue = new_queue();

	take(buffer, SIZE);
	for (int i = 0; i < SIZE; i++)
		buffer[i] = (uint8_t)(i * 7);
	CHECK_OK(olMemcpy(queue, memory, gpu, buffer, host, SIZE));
	CHECK_OK(olSyncQueue(queue));
	memset(buffer, 0, SIZE);
	CHECK_OK(olMemcpy(queue, buffer, host, memory, gpu, SIZE));
	CHECK_OK(olSyncQueue(queue));
	for (int i = 0; i < SIZE; i++)
		if (!CHECK_INT(buffer[i], (uint8_t)(i * 7)))
			break;
	CHECK_OK(ol_unregister(gpu, buffer));
	CHECK_OK(olMemFree(memory));
}

/* It is really pinned: a copy to it is enqueued, where one to other memory waits. */
static void test_pinned(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, SIZE);
	ol_queue_handle_t queue;

	take(buffer, SIZE);
	memset(buffer, 9, SIZE);
	CHECK_OK(olMemcpy(NULL, memory, gpu, buffer, host, SIZE));
	buffer[0] = 0;
	queue = blocked_queue();
	CHECK_OK(olMemcpy(queue, buffer, host, memory, gpu, SIZE));
	CHECK_BLOCKED();
	CHECK_OK(olSyncQueue(queue));
	CHECK_INT(buffer[0], 9);
	CHECK_OK(ol_unregister(gpu, buffer));
	CHECK_OK(olMemFree(memory));
}

/* ---- Users ---------------------------------------------------------------------------- */

static void test_again(void)
{
	take(buffer, SIZE);
	CHECK_OK(ol_unregister(gpu, buffer));
	take(buffer, SIZE);
	CHECK_OK(ol_unregister(gpu, buffer));
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
}

/* As often as it was registered it has to be taken back. */
static void test_counted(void)
{
	for (int i = 0; i < 3; i++)
		take(buffer, SIZE);
	for (int i = 0; i < 3; i++)
		CHECK_OK(ol_unregister(gpu, buffer));
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
}

/* A part is another use of the whole, and any address inside takes one back. */
static void test_contained(void)
{
	take(buffer + 4096, 8192);
	take(buffer + 4096, 1);
	take(buffer + 8192, 100);
	take(buffer + 12287, 1);
	CHECK_OK(ol_unregister(gpu, buffer + 4096));
	CHECK_OK(ol_unregister(gpu, buffer + 12287));
	CHECK_OK(ol_unregister(gpu, buffer + 5000));
	take(buffer + 5000, 1000);
	CHECK_OK(ol_unregister(gpu, buffer + 4096));
	CHECK_OK(ol_unregister(gpu, buffer + 4096));
	CHECK_CODE(ol_unregister(gpu, buffer + 4096), INVALID_ARGUMENT);
}

/* Overlapping in part is refused, on either side and around; nothing has changed then. */
static void test_partial(void)
{
	take(buffer + 4096, 4096);
	CHECK_CODE(try_take(buffer, 4097), INVALID_ARGUMENT);
	CHECK_CODE(try_take(buffer + 8191, 2), INVALID_ARGUMENT);
	CHECK_CODE(try_take(buffer, SIZE), INVALID_ARGUMENT);
	CHECK_CODE(try_take(buffer + 4096, 4097), INVALID_ARGUMENT);
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
	CHECK_CODE(ol_unregister(gpu, buffer + 8192), INVALID_ARGUMENT);
	CHECK_OK(ol_unregister(gpu, buffer + 4096));
	CHECK_CODE(ol_unregister(gpu, buffer + 4096), INVALID_ARGUMENT);
	take(buffer, SIZE);
	CHECK_OK(ol_unregister(gpu, buffer));
}

/* Intervals that only touch have nothing to do with each other. */
static void test_neighbours(void)
{
	take(buffer, 4096);
	take(buffer + 4096, 4096);
	take(buffer + 8192, 4096);
	CHECK_OK(ol_unregister(gpu, buffer + 4096));
	CHECK_CODE(ol_unregister(gpu, buffer + 4096), INVALID_ARGUMENT);
	CHECK_OK(ol_unregister(gpu, buffer));
	CHECK_OK(ol_unregister(gpu, buffer + 8192));
}

/* The same within a page. */
static void test_one_page(void)
{
	take(buffer, 100);
	take(buffer + 200, 100);
	CHECK_OK(ol_unregister(gpu, buffer));
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
	CHECK_OK(ol_unregister(gpu, buffer + 200));
}

static void test_many(void)
{
	enum { COUNT = 256 };
	uint8_t *memory = aligned_alloc(4096, (size_t)COUNT * 4096);

	for (size_t i = 0; i < COUNT; i++)
		take(memory + (i * 37 % COUNT) * 4096, 4096);
	for (size_t i = 0; i < COUNT; i++)
		CHECK_OK(ol_unregister(gpu, memory + (i * 91 % COUNT) * 4096));
	CHECK_CODE(ol_unregister(gpu, memory), INVALID_ARGUMENT);
	free(memory);
}

/* ---- What is refused -------------------------------------------------------------------- */

static void test_unknown(void)
{
	char local;

	CHECK_CODE(ol_unregister(gpu, &local), INVALID_ARGUMENT);
	CHECK_CODE(ol_unregister(gpu, (void *)1), INVALID_ARGUMENT);
	CHECK_CODE(ol_unregister(gpu, (void *)UINTPTR_MAX), INVALID_ARGUMENT);
}

static void test_order_of_checks(void)
{
	void *pinned = NULL;
	char local;

	CHECK_TELLS(ol_register(NULL, NULL, 0, 0, NULL), INVALID_SIZE,
		    "validation failure: Size == 0");
	CHECK_TELLS(ol_register(NULL, NULL, 1, 0, NULL), INVALID_NULL_HANDLE,
		    "validation failure: NULL == Device");
	CHECK_TELLS(ol_register(gpu, NULL, 1, 0, NULL), INVALID_NULL_POINTER,
		    "validation failure: NULL == Ptr");
	CHECK_TELLS(ol_register(gpu, &local, 1, 0, NULL), INVALID_NULL_POINTER,
		    "validation failure: NULL == PinnedPtr");
	CHECK_CODE(ol_register(NULL, &local, 1, 0, &pinned), INVALID_NULL_HANDLE);
	CHECK_TELLS(ol_unregister(NULL, NULL), INVALID_NULL_HANDLE, "NULL == Device");
	CHECK_TELLS(ol_unregister(gpu, NULL), INVALID_NULL_POINTER, "NULL == Ptr");
	CHECK(!pinned);
}

static void test_devices(void)
{
	ol_device_handle_t odd = (ol_device_handle_t)(void *)new_queue();
	void *pinned = NULL;

	CHECK_CODE(ol_register(odd, buffer, SIZE, 0, &pinned), INVALID_DEVICE);
	take(buffer, SIZE);
	CHECK_CODE(ol_unregister(odd, buffer), INVALID_DEVICE);
	CHECK_CODE(ol_unregister((ol_device_handle_t)(void *)buffer, buffer), INVALID_DEVICE);
	CHECK_OK(ol_unregister(gpu, buffer));
	CHECK(!pinned);
}

static void test_host_device(void)
{
	void *pinned = NULL;

	CHECK_CODE(ol_register(host, buffer, SIZE, 0, &pinned), INVALID_DEVICE);
	CHECK_CODE(ol_unregister(host, buffer), INVALID_DEVICE);
	CHECK(!pinned);
}

static void test_wrapped(void)
{
	CHECK_CODE(try_take(buffer, SIZE_MAX), INVALID_SIZE);
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
}

/* Memory that is not there cannot be pinned, and is not entered. */
static void test_unmapped(void)
{
	CHECK(try_take((uint8_t *)4096, 4096) || !executes());
	ol_unregister(gpu, (void *)4096);
	CHECK_CODE(ol_unregister(gpu, (void *)4096), INVALID_ARGUMENT);
}

/* ---- Memory of the library ----------------------------------------------------------------- */

static void check_own(ol_alloc_type_t type)
{
	uint8_t *memory = alloc(type, 4096);

	take(memory, 4096);
	take(memory + 100, 10);
	CHECK_OK(ol_unregister(gpu, memory + 100));
	CHECK_OK(ol_unregister(gpu, memory));
	memory[4095] = 1;
	CHECK_OK(olMemFree(memory));
	CHECK_CODE(ol_unregister(gpu, memory), INVALID_ARGUMENT);
}

/* It is pinned from the beginning, and to the end. */
static void test_own_host(void)
{
	check_own(OL_ALLOC_TYPE_HOST);
}

static void test_own_managed(void)
{
	check_own(OL_ALLOC_TYPE_MANAGED);
}

static void test_own_partial(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_HOST, 4096);

	CHECK_CODE(try_take(memory, 4097), INVALID_ARGUMENT);
	CHECK_CODE(try_take(memory - 1, 100), INVALID_ARGUMENT);
	CHECK_OK(olMemFree(memory));
}

static void test_own_device(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 4096);

	CHECK_TELLS(try_take(memory, 4096), INVALID_ARGUMENT, "memory of a device");
	CHECK_CODE(ol_unregister(gpu, memory), INVALID_ARGUMENT);
	CHECK_OK(olMemFree(memory));
}

/* To register memory is not to allocate it. */
static void test_not_allocated(void)
{
	void *base = NULL;

	take(buffer, SIZE);
	CHECK_CODE(olMemFree(buffer), INVALID_ARGUMENT);
	CHECK_CODE(olGetMemInfo(buffer, OL_MEM_INFO_BASE, sizeof(base), &base), NOT_FOUND);
	CHECK_OK(ol_unregister(gpu, buffer));
}

/* ---- Lifetimes -------------------------------------------------------------------------- */

/* What is registered is forgotten, and unpinned, with the last olShutDown(). */
static void test_left_behind(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	take(buffer + 4096, 4096);
	take(buffer + 4096, 4096);
	REQUIRE_OK(olShutDown());
	CHECK_CODE(ol_unregister(gpu, buffer + 4096), UNINITIALIZED);
	REQUIRE_OK(ol_init());
	look_up();
	CHECK_CODE(ol_unregister(gpu, buffer + 4096), INVALID_ARGUMENT);
	take(buffer, SIZE);
	CHECK_OK(ol_unregister(gpu, buffer));
	REQUIRE_OK(olShutDown());
}

static void scene_refused(void)
{
	void *pinned = NULL;

	REQUIRE_OK(ol_init());
	look_up();
	CHECK_TELLS(ol_register(gpu, buffer, SIZE, 0, &pinned), UNKNOWN, "cuMemHostRegister");
	CHECK(!pinned);
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

static void scene_not_given_back(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	take(buffer, SIZE);
	CHECK_TELLS(ol_unregister(gpu, buffer), UNKNOWN, "cuMemHostUnregister");
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

/* What the driver refuses is not entered; what it does not take back is not there any
 * more. The stub driver can be told to. */
static void test_driver_fails(void)
{
	if (executes())
		return;
	CHECK_PLAY("scene_refused", "GPURUN_STUB_FAIL=cuMemHostRegister=999", NULL);
	CHECK_PLAY("scene_not_given_back", "GPURUN_STUB_FAIL=cuMemHostUnregister=999", NULL);
}

static void test_flags(void)
{
	void *pinned = NULL;

	CHECK_OK(ol_register(gpu, buffer, SIZE, UINT32_MAX, &pinned));
	CHECK(pinned == buffer);
	CHECK_OK(ol_unregister(gpu, buffer));
}

static void test_twin(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	void *pinned = NULL;

	CHECK_OK(olMemRegisterWithCodeLoc(gpu, buffer, SIZE, OL_MEMORY_REGISTER_FLAG_LOCK_MEMORY, &pinned, &here));
	CHECK_OK(ol_unregister_twin(gpu, pinned, &here));
}

/* ---- Several devices and threads ------------------------------------------------------------ */

/* Memory is pinned for all devices: another one is another user. */
static void check_two(void)
{
	void *pinned = NULL;

	take(buffer, SIZE);
	CHECK_OK(ol_register(other_gpu, buffer, SIZE, 0, &pinned));
	CHECK(pinned == buffer);
	CHECK_OK(ol_unregister(other_gpu, buffer));
	CHECK_OK(ol_unregister(other_gpu, buffer));
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
}

static void scene_two_devices(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	REQUIRE(other_gpu);
	check_two();
	CHECK_OK(olShutDown());
}

static void test_two_devices(void)
{
	if (other_gpu)
		check_two();
	else if (executes())
		SKIP("needs a GPU and another one");
	else
		CHECK_PLAY("scene_two_devices", "GPURUN_STUB_DEVICES=2", NULL);
}

enum { THREADS = 8 };

static atomic_int failures;

/* All use the same interval, and each one of its own. */
static void *work(void *unused)
{
	uint8_t *mine = aligned_alloc(4096, 4096);
	void *pinned;

	(void)unused;
	for (int i = 0; i < 100; i++) {
		failures += ol_register(gpu, buffer, SIZE, 0, &pinned) != NULL;
		failures += ol_register(gpu, mine, 4096, 0, &pinned) != NULL;
		failures += ol_unregister(gpu, buffer + i) != NULL;
		failures += ol_unregister(gpu, mine) != NULL;
	}
	free(mine);
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];

	failures = 0;
	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, work, NULL));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(failures, 0);
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
}

static atomic_bool stop;

static bool is_expected(ol_result_t result)
{
	switch (code_of(result)) {
	case OL_ERRC_SUCCESS:
	case OL_ERRC_UNINITIALIZED:
	case OL_ERRC_INVALID_ARGUMENT: /* it went with the life before */
	case OL_ERRC_INVALID_DEVICE:
		return true;
	default:
		return false;
	}
}

static bool note_gpu(ol_device_handle_t device, void *data)
{
	*(ol_device_handle_t *)data = device;
	return false;
}

static void *work_on(void *unused)
{
	void *pinned;

	(void)unused;
	while (!stop) {
		ol_device_handle_t device = NULL;

		olIterateDevices(note_gpu, &device);
		if (!device)
			continue;
		failures += !is_expected(ol_register(device, buffer, SIZE, 0, &pinned));
		failures += !is_expected(ol_unregister(device, buffer));
	}
	return NULL;
}

/* The library goes down and comes up again under those who use it; nothing is entered
 * that is not pinned, nor the other way round. */
static void test_lives(void)
{
	pthread_t threads[4];
	void *pinned;

	failures = 0;
	stop = false;
	for (int i = 0; i < 4; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, work_on, NULL));
	for (int i = 0; i < 50; i++) {
		CHECK_OK(ol_init());
		look_up();
		ol_register(gpu, buffer, SIZE, 0, &pinned);
		CHECK_OK(olShutDown());
	}
	stop = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(failures, 0);
	CHECK_OK(ol_init());
	look_up();
	CHECK_CODE(ol_unregister(gpu, buffer), INVALID_ARGUMENT);
	take(buffer, SIZE);
	CHECK_OK(ol_unregister(gpu, buffer));
	CHECK_OK(olShutDown());
}

static const struct ol_case cases[] = {
	OL_CASE(test_kernel_reaches),
	OL_CASE(test_kernel_reaches_own),
	OL_CASE(test_copies),
	OL_CASE(test_pinned),
	OL_CASE(test_again),
	OL_CASE(test_counted),
	OL_CASE(test_contained),
	OL_CASE(test_partial),
	OL_CASE(test_neighbours),
	OL_CASE(test_one_page),
	OL_CASE(test_many),
	OL_CASE(test_unknown),
	OL_CASE(test_order_of_checks),
	OL_CASE(test_devices),
	OL_CASE(test_host_device),
	OL_CASE(test_wrapped),
	OL_CASE(test_unmapped),
	OL_CASE(test_own_host),
	OL_CASE(test_own_managed),
	OL_CASE(test_own_partial),
	OL_CASE(test_own_device),
	OL_CASE(test_not_allocated),
	OL_BARE(test_left_behind),
	OL_SCENE(scene_refused),
	OL_SCENE(scene_not_given_back),
	OL_CASE(test_driver_fails),
	OL_CASE(test_flags),
	OL_CASE(test_twin),
	OL_SCENE(scene_two_devices),
	OL_CASE(test_two_devices),
	OL_CASE(test_threads),
	OL_BARE(test_lives),
};
OL_MAIN(cases)
