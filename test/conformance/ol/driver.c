/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What GPURUN_DEVICE and GPURUN_DRIVER make of olInit(): a machine without a driver,
 * one that is asked for a GPU all the same, the CPU device.
 */
#include "ol.h"

static bool count_device(ol_device_handle_t device, void *data)
{
	host = device;
	++*(int *)data;
	return true;
}

static int devices(void)
{
	int count = 0;

	CHECK_OK(olIterateDevices(count_device, &count));
	return count;
}

/* ---- The host device alone ------------------------------------------------------------ */

/* It is there, and nothing else is: handles are refused, not taken for something. */
static void host_only(void)
{
	ol_device_handle_t none = (ol_device_handle_t)(uintptr_t)0x4242;
	ol_device_type_t type = OL_DEVICE_TYPE_LAST;
	int from = 7, to = 0;
	void *address = NULL;
	bool valid = true;

	CHECK_OK(ol_init());
	CHECK_INT(devices(), 1);
	CHECK_OK(olGetDeviceInfo(host, OL_DEVICE_INFO_TYPE, sizeof(type), &type));
	CHECK_INT(type, OL_DEVICE_TYPE_HOST);
	CHECK_OK(olMemcpy(NULL, &to, host, &from, host, sizeof(to)));
	CHECK_INT(to, 7);
	CHECK_OK(olIsValidBinary(host, "image", 5, &valid));
	CHECK(!valid);
	CHECK_CODE(olGetDeviceInfo(none, OL_DEVICE_INFO_TYPE, sizeof(type), &type),
		   INVALID_DEVICE);
	CHECK_CODE(olMemAlloc(none, OL_ALLOC_TYPE_DEVICE, 64, &address), INVALID_DEVICE);
	CHECK_CODE(olSyncQueue((ol_queue_handle_t)none), INVALID_QUEUE);
	CHECK_CODE(olSyncEvent((ol_event_handle_t)none), INVALID_EVENT);
	CHECK_CODE(olDestroyProgram((ol_program_handle_t)none), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

static void test_no_driver(void)
{
	CHECK_PLAY("host_only", "GPURUN_DEVICE GPURUN_DRIVER=/nonexistent/libcuda.so.1", NULL);
}

static void test_no_driver_and_an_empty_wish(void)
{
	CHECK_PLAY("host_only", "GPURUN_DEVICE= GPURUN_DRIVER=/nonexistent/libcuda.so.1", NULL);
}

/* ---- A wish that cannot be met ------------------------------------------------------------ */

/* Nothing is left of the failure: the next olInit() finds the CPU device. */
static void refused_then_cpu(void)
{
	ol_result_t result = ol_init();

	CHECK(code_of(result) != OL_ERRC_SUCCESS);
	CHECK(strlen(text_of(result)) > 0);
	CHECK_CODE(olIterateDevices(count_device, NULL), UNINITIALIZED);
	CHECK_CODE(olShutDown(), UNINITIALIZED);
	unsetenv("GPURUN_DRIVER");
	setenv("GPURUN_DEVICE", "cpu", 1);
	CHECK_OK(ol_init());
	look_up();
	CHECK(is_cpu());
	CHECK_OK(olShutDown());
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

static void test_gpu_without_driver(void)
{
	CHECK_PLAY("refused_then_cpu",
		   "GPURUN_DEVICE=gpu GPURUN_DRIVER=/nonexistent/libcuda.so.1", NULL);
}

/* A library that is no driver is told, not passed over. */
static void test_other_library(void)
{
	CHECK_PLAY("refused_then_cpu", "GPURUN_DEVICE GPURUN_DRIVER=libm.so.6", NULL);
}

static void test_no_such_device(void)
{
	CHECK_PLAY("refused_then_cpu", "GPURUN_DEVICE=nonsense", NULL);
}

static void text_of_no_driver(void)
{
	CHECK_TELLS(ol_init(), INVALID_DEVICE, "/nonexistent/libcuda.so.1");
}

static void test_names_what_was_tried(void)
{
	CHECK_PLAY("text_of_no_driver",
		   "GPURUN_DEVICE=gpu GPURUN_DRIVER=/nonexistent/libcuda.so.1", NULL);
}

/* ---- The CPU device ------------------------------------------------------------------------ */

/* It stands where programs look for a GPU, and runs their PTX. */
static void on_cpu(void)
{
	ol_device_type_t type = OL_DEVICE_TYPE_LAST;
	ol_program_handle_t program;
	uint32_t *out, got = 0;

	CHECK_OK(ol_init());
	look_up();
	CHECK(is_cpu());
	CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_TYPE, sizeof(type), &type));
	CHECK_INT(type, OL_DEVICE_TYPE_GPU);
	program = load();
	out = alloc(OL_ALLOC_TYPE_DEVICE, sizeof(*out));
	CHECK_OK(launch1(NULL, kernel_of(program, "bump"), &out, sizeof(out)));
	CHECK_OK(olMemcpy(NULL, &got, host, out, gpu, sizeof(got)));
	CHECK_INT(got, 41);
	CHECK_OK(olShutDown());
}

static void test_cpu(void)
{
	CHECK_PLAY("on_cpu", "GPURUN_DEVICE=cpu GPURUN_DRIVER", NULL);
}

static const struct ol_case cases[] = {
	OL_BARE(test_no_driver),
	OL_BARE(test_no_driver_and_an_empty_wish),
	OL_BARE(test_gpu_without_driver),
	OL_BARE(test_other_library),
	OL_BARE(test_no_such_device),
	OL_BARE(test_names_what_was_tried),
	OL_BARE(test_cpu),
	OL_SCENE(host_only),
	OL_SCENE(refused_then_cpu),
	OL_SCENE(text_of_no_driver),
	OL_SCENE(on_cpu),
};
OL_MAIN(cases)
