/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Both ABIs in one process, as two plugins bring them: each counts by itself, over one
 * runtime, and calls its own functions. */
#include <dlfcn.h>
#include <pthread.h>

#include "ol.h"

/* What is called of the other library, in the form that 22.1 has. */
static struct {
	ol_result_t (*olInit)(void);
	ol_result_t (*olInitWithCodeLoc)(ol_code_location_t *);
	ol_result_t (*olShutDown)(void);
	ol_result_t (*olIterateDevices)(ol_device_iterate_cb_t, void *);
	ol_result_t (*olCreateQueue)(ol_device_handle_t, ol_queue_handle_t *);
	ol_result_t (*olSyncQueue)(ol_queue_handle_t);
	ol_result_t (*olCreateEvent)(ol_queue_handle_t, ol_event_handle_t *);
	ol_result_t (*olCreateEventWithCodeLoc)(ol_queue_handle_t, ol_event_handle_t *,
						ol_code_location_t *);
	ol_result_t (*olSyncEvent)(ol_event_handle_t);
	ol_result_t (*olMemAlloc)(ol_device_handle_t, ol_alloc_type_t, size_t, void **);
	ol_result_t (*olMemFree)(void *);
	ol_result_t (*olGetDeviceInfo)(ol_device_handle_t, ol_device_info_t, size_t, void *);
} old;

static bool open_old(int flags)
{
	char path[512];
	Dl_info here;
	void *library;

	dladdr((void *)olShutDown, &here);
	snprintf(path, sizeof(path), "%s", here.dli_fname);
	strcpy(strrchr(path, '/') + 1, "libLLVMOffload.so.22.1");
	library = dlopen(path, RTLD_NOW | flags);
	if (!CHECK(library))
		return false;
#define FIND(name) *(void **)&old.name = dlsym(library, #name);
	FIND(olInit) FIND(olInitWithCodeLoc) FIND(olShutDown) FIND(olIterateDevices)
	FIND(olCreateQueue) FIND(olSyncQueue) FIND(olCreateEvent) FIND(olCreateEventWithCodeLoc)
	FIND(olSyncEvent) FIND(olMemAlloc) FIND(olMemFree) FIND(olGetDeviceInfo)
	return CHECK((void *)old.olShutDown != (void *)olShutDown);
}

static bool take(ol_device_handle_t device, void *taken)
{
	*(ol_device_handle_t *)taken = device;
	return false;
}

static void test_counts_apart(void)
{
	if (!open_old(RTLD_LOCAL))
		return;
	CHECK_OK(olInit(NULL));
	CHECK_CODE(old.olSyncQueue(NULL), UNINITIALIZED);
	CHECK_CODE(old.olShutDown(), UNINITIALIZED);
	CHECK_OK(old.olInit());
	CHECK_OK(old.olInit());
	CHECK_OK(olShutDown());
	CHECK_CODE(olSyncQueue(NULL), UNINITIALIZED);
	CHECK_CODE(old.olSyncQueue(NULL), INVALID_NULL_HANDLE);
	CHECK_OK(old.olShutDown());
	CHECK_CODE(old.olSyncQueue(NULL), INVALID_NULL_HANDLE);
	CHECK_OK(old.olShutDown());
	CHECK_CODE(old.olShutDown(), UNINITIALIZED);
}

/* One runtime: the devices have the same handles, and what one has made lives on while the
 * other is up. */
static void test_one_runtime(void)
{
	ol_device_handle_t device = NULL;
	ol_queue_handle_t queue = NULL;
	void *memory = NULL;

	if (!open_old(RTLD_LOCAL))
		return;
	CHECK_OK(olInit(NULL));
	CHECK_OK(old.olInit());
	look_up();
	CHECK_OK(old.olIterateDevices(take, &device));
	CHECK(device == gpu);
	CHECK_OK(old.olCreateQueue(device, &queue));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(old.olMemAlloc(device, OL_ALLOC_TYPE_DEVICE, 64, &memory));
	CHECK_OK(old.olShutDown());
	CHECK_OK(olMemFree(memory));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olShutDown());
}

/* A twin calls its library's function of that name, not the one that was loaded first. */
static void test_own_functions(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	ol_device_handle_t device = NULL;
	ol_queue_handle_t queue = NULL;
	ol_event_handle_t event = NULL;

	if (!open_old(RTLD_GLOBAL))
		return;
	CHECK_OK(old.olInitWithCodeLoc(&here));
	CHECK_CODE(olSyncQueue(NULL), UNINITIALIZED);
	CHECK_OK(olInitWithCodeLoc(NULL, &here));
	CHECK_OK(old.olIterateDevices(take, &device));
	CHECK_OK(old.olCreateQueue(device, &queue));
	CHECK_OK(old.olCreateEventWithCodeLoc(queue, &event, &here));
	CHECK_OK(old.olSyncEvent(event));
	CHECK_OK(olCreateEventWithCodeLoc(queue, 0, &event, &here));
	CHECK_OK(olSyncEvent(event));
	CHECK_OK(olShutDown());
	CHECK_OK(old.olShutDown());
}

/* Each tells what its ABI has. */
static void test_own_properties(void)
{
	bool value;

	if (!open_old(RTLD_LOCAL))
		return;
	CHECK_OK(olInit(NULL));
	CHECK_OK(old.olInit());
	look_up();
	CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_SINGLE_FP_SUPPORT, 1, &value));
	CHECK_CODE(old.olGetDeviceInfo(gpu, OL_DEVICE_INFO_SINGLE_FP_SUPPORT, 1, &value),
		   INVALID_ENUMERATION);
	CHECK_OK(old.olShutDown());
	CHECK_OK(olShutDown());
}

/* Comes up and goes down, with the older library or this one; returns what failed. */
static void *cycle(void *old_one)
{
	ol_device_handle_t device = NULL;
	intptr_t failures = 0;

	for (int i = 0; i < 50; i++) {
		failures += (old_one ? old.olInit() : olInit(NULL)) != NULL;
		failures += (old_one ? old.olIterateDevices(take, &device) :
				       olIterateDevices(take, &device)) != NULL;
		failures += (old_one ? old.olShutDown() : olShutDown()) != NULL;
	}
	return (void *)failures;
}

static void test_threads(void)
{
	pthread_t threads[4];
	void *failures;

	if (!open_old(RTLD_LOCAL))
		return;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, cycle, i % 2 ? &old : NULL);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &failures);
		CHECK(!failures);
	}
}

/* Two plugins that leave everything to the end of the process. */
static void leave_all(void)
{
	ol_device_handle_t device = NULL;
	ol_queue_handle_t queue;
	void *memory;

	if (!open_old(RTLD_LOCAL))
		return;
	CHECK_OK(olInit(NULL));
	CHECK_OK(old.olInit());
	look_up();
	CHECK_OK(old.olIterateDevices(take, &device));
	CHECK_OK(old.olCreateQueue(device, &queue));
	launch1(queue, kernel_of(load(), "nothing"), NULL, 0);
	CHECK_OK(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE, 64, &memory));
}

static void shut_down_at_exit(void)
{
	if (olShutDown() || old.olShutDown())
		_exit(9);
}

static void leave_to_handler(void)
{
	atexit(shut_down_at_exit);
	leave_all();
}

static void test_end(void)
{
	CHECK_PLAY("leave_all", NULL, NULL);
	CHECK_PLAY("leave_to_handler", NULL, NULL);
}

static const struct ol_case cases[] = {
	OL_BARE(test_counts_apart), OL_BARE(test_one_runtime),
	OL_BARE(test_own_functions), OL_BARE(test_own_properties),
	OL_BARE(test_threads),      OL_BARE(test_end),
	OL_SCENE(leave_all),        OL_SCENE(leave_to_handler),
};
OL_MAIN(cases)
