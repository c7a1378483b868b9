/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Coming up on a driver that fails, has several devices or none: an olInit() that
 * fails leaves nothing behind. And what the driver is asked for.
 */
#include "ol.h"

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

/* What the stub missed at the exit of scene @name, with @settings besides. */
static int left_by(const char *name, const char *settings)
{
	char path[] = "/tmp/gpurun-left-XXXXXX", with[512], line[256];
	int left = -1, fd = mkstemp(path);
	FILE *file;

	snprintf(with, sizeof(with), "%s GPURUN_STUB_LEAKS=%s", settings, path);
	CHECK_PLAY(name, with, NULL);
	file = fdopen(fd, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "%d left", &left);
	if (file)
		fclose(file);
	unlink(path);
	return left;
}

/* ---- Failures ----------------------------------------------------------------------- */

/* Fails as the environment has it; then the driver is well, and so is olInit(). */
static void fails_then_works(void)
{
	CHECK_TELLS(ol_init(), UNKNOWN, getenv("OL_TEST_CALL"));
	CHECK_CODE(olIterateDevices(count_device, NULL), UNINITIALIZED);
	CHECK_CODE(olShutDown(), UNINITIALIZED);
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_OK(ol_init());
	CHECK_INT(devices(), 2);
	CHECK_OK(olShutDown());
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

static void test_driver_fails(void)
{
	CHECK_INT(left_by("fails_then_works", "OL_TEST_CALL=cuInit GPURUN_STUB_FAIL=cuInit=999"),
		  0);
}

static void test_count_fails(void)
{
	CHECK_INT(left_by("fails_then_works", "OL_TEST_CALL=cuDeviceGetCount "
					      "GPURUN_STUB_FAIL=cuDeviceGetCount=3"), 0);
}

static void test_limit_fails(void)
{
	CHECK_INT(left_by("fails_then_works",
			  "OL_TEST_CALL=cuCtxSetLimit GPURUN_STUB_FAIL=cuCtxSetLimit=999 "
			  "LIBOMPTARGET_STACK_SIZE=4096"), 0);
}

static void fails_twice(void)
{
	ol_result_t result = ol_init();

	CHECK_TELLS(result, UNKNOWN, "cuCtxSetLimit: ");
	CHECK_HAS(text_of(result), "; also cuDevicePrimaryCtxRelease: ");
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

/* What the undoing fails with is told as well. */
static void test_limit_and_undoing_fail(void)
{
	CHECK_PLAY("fails_twice", "LIBOMPTARGET_STACK_SIZE=4096 GPURUN_STUB_FAIL="
		   "cuCtxSetLimit=999,cuDevicePrimaryCtxRelease=999", NULL);
}

/* While it fails it fails each time, and counts nothing. */
static void fails_each_time(void)
{
	for (int i = 0; i < 3; i++) {
		CHECK_CODE(ol_init(), UNKNOWN);
		CHECK_CODE(olShutDown(), UNINITIALIZED);
	}
}

static void test_fails_each_time(void)
{
	CHECK_PLAY("fails_each_time", "GPURUN_STUB_FAIL=cuInit=999", NULL);
}

/* ---- Devices -------------------------------------------------------------------------- */

static void has_devices(void)
{
	CHECK_OK(ol_init());
	CHECK_INT(devices(), atoi(getenv("OL_TEST_DEVICES")));
	CHECK_OK(olShutDown());
}

/* A driver without a device is no failure: the host is there. */
static void test_no_device(void)
{
	CHECK_PLAY("has_devices", "OL_TEST_DEVICES=1 GPURUN_DEVICE GPURUN_STUB_FAIL=cuInit=100",
		   NULL);
}

static void test_four_devices(void)
{
	CHECK_PLAY("has_devices", "OL_TEST_DEVICES=5 GPURUN_STUB_DEVICES=4", NULL);
}

/* ---- What remains ------------------------------------------------------------------------ */

static void leave_things(void)
{
	ol_event_handle_t event = NULL;

	for (int i = 0; i < 2; i++) {
		CHECK_OK(ol_init());
		look_up();
		kernel_of(load(), "nothing");
		CHECK_OK(ol_create_event(new_queue(), &event));
		for (int type = OL_ALLOC_TYPE_HOST; type < OL_ALLOC_TYPE_LAST; type++)
			alloc((ol_alloc_type_t)type, 4096);
		CHECK_OK(olShutDown());
	}
}

static void test_leftovers(void)
{
	CHECK_INT(left_by("leave_things", ""), 0);
}

/* ---- Limits ----------------------------------------------------------------------------- */

static void up_and_down(void)
{
	CHECK_OK(ol_init());
	CHECK_OK(olShutDown());
}

/* Counts the calls of cuCtxSetLimit() with @arguments that coming up made. */
static int limits_set(const char *arguments, const char *settings)
{
	char path[] = "/tmp/gpurun-trace-XXXXXX", with[512], line[512], call[128];
	int count = 0, fd = mkstemp(path);
	FILE *file;

	snprintf(with, sizeof(with), "%s GPURUN_STUB_TRACE=%s", settings, path);
	snprintf(call, sizeof(call), "cuCtxSetLimit(%s", arguments);
	CHECK_PLAY("up_and_down", with, NULL);
	file = fdopen(fd, "r");
	while (file && fgets(line, sizeof(line), file))
		count += strstr(line, call) != NULL;
	if (file)
		fclose(file);
	unlink(path);
	return count;
}

static void test_limits(void)
{
	const char *settings = "LIBOMPTARGET_STACK_SIZE=4096 LIBOMPTARGET_HEAP_SIZE=16777216";

	CHECK_INT(limits_set("0, 4096)", settings), 1);
	CHECK_INT(limits_set("2, 16777216)", settings), 1);
	CHECK_INT(limits_set("0, 4096)", "GPURUN_STUB_DEVICES=3 LIBOMPTARGET_STACK_SIZE=4096"),
		  3);
	CHECK_INT(limits_set("", ""), 0);
}

static const struct ol_case cases[] = {
	OL_BARE(test_driver_fails),
	OL_BARE(test_count_fails),
	OL_BARE(test_limit_fails),
	OL_BARE(test_limit_and_undoing_fail),
	OL_BARE(test_fails_each_time),
	OL_BARE(test_no_device),
	OL_BARE(test_four_devices),
	OL_BARE(test_leftovers),
	OL_BARE(test_limits),
	OL_SCENE(fails_then_works),
	OL_SCENE(fails_twice),
	OL_SCENE(fails_each_time),
	OL_SCENE(has_devices),
	OL_SCENE(leave_things),
	OL_SCENE(up_and_down),
};
OL_MAIN(cases)
