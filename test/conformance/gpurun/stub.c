/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Driver calls that fail, on the stub, which can be told to: what is said, what
 * is still done, and that nothing is left behind.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "kernels.h"

static void fail(const char *what)
{
	setenv("GPURUN_STUB_FAIL", what, 1);
}

static void fail_nothing(void)
{
	unsetenv("GPURUN_STUB_FAIL");
}

static void test_no_device(void)
{
	fail("cuInit=100");
	CHECK_INT(gpurun_init("gpu"), GPURUN_NO_DEVICE);
	CHECK_STR(gpurun_error_text(), "cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable "
				       "device");
	CHECK_INT(gpurun_error_driver(), 100);
	CHECK_HAS(gpurun_error_hint(), "GPURUN_DEVICE=cpu");
	fail_nothing();
	setenv("GPURUN_STUB_DEVICES", "0", 1);
	CHECK_INT(gpurun_init("gpu"), GPURUN_NO_DEVICE);
	unsetenv("GPURUN_STUB_DEVICES");
}

/* A GPU that is there but fails is no reason to take the CPU device. */
static void test_failing_driver(void)
{
	const char *const codes[] = { "cuInit=999", "cuInit=803", "cuInit=46",
				      "cuDeviceGetCount=999" };

	for (int i = 0; i < 4; i++) {
		fail(codes[i]);
		CHECK_INT(gpurun_init("auto"), GPURUN_DRIVER);
	}
	fail_nothing();
	CHECK_INT(gpurun_shutdown(), GPURUN_UNINITIALIZED);
}

/* Where no GPU exists, auto takes the CPU device. */
/* promise: auto (default): a GPU */
static void test_auto(void)
{
	const char *const codes[] = { "cuInit=100", "cuInit=34" };

	for (int i = 0; i < 2; i++) {
		fail(codes[i]);
		CHECK_INT(gpurun_init("auto"), GPURUN_OK);
		CHECK_STR(gpurun_error_text(), "");
		CHECK_INT(gpurun_error_driver(), 0);
		fail_nothing();
		REQUIRE(!gpurun_device_get(0, &device));
		device_info.struct_size = sizeof(device_info);
		CHECK_INT(gpurun_device_get_info(device, &device_info), GPURUN_OK);
		CHECK_INT(device_info.kind, GPURUN_DEVICE_CPU);
		CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	}
	CHECK_INT(gpurun_init("auto"), GPURUN_OK);
	REQUIRE(!gpurun_device_get(0, &device));
	CHECK_INT(gpurun_device_get_info(device, &device_info), GPURUN_OK);
	CHECK_INT(device_info.kind, GPURUN_DEVICE_GPU);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* promise: auto (default): a GPU */
/* met: a GPU had no selector by its PCI address; registers and shared memory were not listed */
static void test_selected(void)
{
	setenv("GPURUN_STUB_DEVICES", "3", 1);
	CHECK_INT(gpurun_init("gpu:2"), GPURUN_OK);
	CHECK_INT(gpurun_device_get(-1, &device), GPURUN_OK);
	CHECK_INT(gpurun_device_get_info(device, &device_info), GPURUN_OK);
	CHECK_INT(device_info.ordinal, 2);
	CHECK_STR(device_info.pci, "0000:0c:00.0");
	CHECK_INT(gpurun_init("gpu:1"), GPURUN_INVALID);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(gpurun_init("gpu:GPU-01AB"), GPURUN_OK);
	CHECK_INT(gpurun_device_get(-1, &device), GPURUN_OK);
	CHECK_INT(gpurun_device_get_info(device, &device_info), GPURUN_OK);
	CHECK_INT(device_info.ordinal, 1);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(gpurun_init("gpu:0000:0b:00.0"), GPURUN_OK);
	CHECK_INT(gpurun_device_get(-1, &device), GPURUN_OK);
	CHECK_INT(gpurun_device_get_info(device, &device_info), GPURUN_OK);
	CHECK_INT(device_info.ordinal, 1);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(gpurun_init("gpu:0000:0d:00.0"), GPURUN_NO_DEVICE);
	CHECK_HAS(gpurun_error_text(), "no device at PCI address 0000:0d:00.0; there are 3");
	CHECK_INT(gpurun_init("gpu:3"), GPURUN_NO_DEVICE);
	CHECK_HAS(gpurun_error_text(), "no device 3: there are 3");
	CHECK_INT(gpurun_init("gpu:ff"), GPURUN_NO_DEVICE);
	unsetenv("GPURUN_STUB_DEVICES");
}

static void test_limits(void)
{
	uint64_t bytes = 0;

	REQUIRE(up());
	fail("cuCtxSetLimit=1,cuCtxGetLimit=215");
	CHECK_INT(gpurun_device_set_limit(device, GPURUN_LIMIT_HEAP, 1 << 20), GPURUN_INVALID);
	CHECK_STR(gpurun_error_text(), "heap of 1048576 bytes: cuCtxSetLimit: "
				       "CUDA_ERROR_INVALID_VALUE (1): invalid argument");
	CHECK_INT(gpurun_device_get_limit(device, GPURUN_LIMIT_HEAP, &bytes), GPURUN_DRIVER);
	fail_nothing();
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

static void test_occupancy(void)
{
	struct gpurun_kernel kernel;
	unsigned block = 7, grid = 7;

	REQUIRE(up());
	kernel = kernel_of(load(), "nothing");
	CHECK_INT(gpurun_kernel_occupancy(kernel, 0, &block, &grid), GPURUN_OK);
	CHECK_INT(block, 1024);
	CHECK_INT(grid, 2);
	fail("cuOccupancyMaxPotentialBlockSize=801");
	CHECK_INT(gpurun_kernel_occupancy(kernel, 0, &block, &grid), GPURUN_UNSUPPORTED);
	CHECK_INT(block, 0);
	fail_nothing();
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* Each step that fails is told, and the steps after it are still made. */
static void test_failing_teardown(void)
{
	REQUIRE(up());
	load();
	new_stream();
	CHECK(alloc(100) != 0);
	fail("cuModuleUnload=999,cuStreamDestroy=400,cuMemFree=1");
	CHECK_INT(gpurun_shutdown(), GPURUN_DRIVER);
	CHECK_STR(gpurun_error_text(),
		  "cuModuleUnload: CUDA_ERROR_UNKNOWN (999): unknown error; "
		  "cuStreamDestroy: CUDA_ERROR_INVALID_HANDLE (400): invalid handle; "
		  "cuMemFree: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
	CHECK_HAS(gpurun_error_log(), "cuMemFree");
	fail_nothing();
	REQUIRE(up());
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

static unsigned lines_of(const char *text)
{
	unsigned lines = 0;

	while ((text = strchr(text, '\n')))
		lines++, text++;
	return lines;
}

/* The log has a line for each; where there are more than it holds, it counts them. */
static void test_many_failures(void)
{
	enum { FEW = 30, MANY = 1000 };
	unsigned more = 0;

	REQUIRE(up());
	for (int i = 0; i < FEW; i++)
		new_stream();
	fail("cuStreamDestroy=400");
	CHECK_INT(gpurun_shutdown(), GPURUN_DRIVER);
	CHECK_INT(lines_of(gpurun_error_log()), FEW);
	CHECK_HAS(gpurun_error_text(), "cuStreamDestroy: CUDA_ERROR_INVALID_HANDLE (400): "
				       "invalid handle; and 23 more");
	fail_nothing();
	REQUIRE(up());
	for (int i = 0; i < MANY; i++)
		new_stream();
	fail("cuStreamDestroy=400");
	CHECK_INT(gpurun_shutdown(), GPURUN_DRIVER);
	fail_nothing();
	REQUIRE(strrchr(gpurun_error_log(), '\n') != NULL);
	CHECK(sscanf(strrchr(gpurun_error_log(), '\n'), " and %u more", &more) == 1);
	CHECK_INT(lines_of(gpurun_error_log()) + more, MANY);
}

/* The handle is gone even when the unload fails. */
static void test_failing_unload(void)
{
	struct gpurun_module module;

	REQUIRE(up());
	module = load();
	fail("cuModuleUnload=709");
	CHECK_INT(gpurun_module_unload(module), GPURUN_DRIVER);
	CHECK_HAS(gpurun_error_text(), "CUDA_ERROR_CONTEXT_IS_DESTROYED (709)");
	fail_nothing();
	CHECK_INT(gpurun_module_unload(module), GPURUN_HANDLE);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* A sticky error that was told is not told again; one that was not is, once. */
static void test_sticky(void)
{
	struct gpurun_stream stream;

	for (int told = 0; told < 2; told++) {
		REQUIRE(up());
		load();
		stream = new_stream();
		CHECK(alloc(100) != 0);
		fail(told ? "cuStreamSynchronize=700" : "cuCtxSynchronize=700");
		if (told)
			CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_FAULT);
		CHECK_INT(gpurun_shutdown(), told ? GPURUN_OK : GPURUN_FAULT);
		if (!told)
			CHECK_STR(gpurun_error_text(),
				  "cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): "
				  "illegal memory access by a kernel");
		fail_nothing();
	}
}

/* The statuses that a launch has of its own. */
static void test_launch(void)
{
	static const struct {
		const char *fail;
		int status;
	} rows[] = {
		{ "cuLaunchKernel=1", GPURUN_LAUNCH },
		{ "cuLaunchKernel=701", GPURUN_LAUNCH },
		{ "cuLaunchKernel=2", GPURUN_NO_MEMORY },
		{ "cuLaunchKernel=999", GPURUN_DRIVER },
		{ "cuLaunchKernel=719", GPURUN_FAULT },
	};
	struct gpurun_stream stream;
	struct gpurun_kernel kernel;

	REQUIRE(up());
	stream = new_stream();
	kernel = kernel_of(load(), "nothing");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fail(rows[i].fail);
		CHECK_INT(launch1(kernel, stream, NULL), rows[i].status);
	}
	fail_nothing();
	gpurun_shutdown();
}

static void work(void)
{
	struct gpurun_stream stream = { 0 };
	struct gpurun_module module = { 0 };
	struct gpurun_kernel kernel = { 0 };
	struct gpurun_event event = { 0 };
	struct gpurun_launch launch = { .shared = 100000 };
	uint64_t address = 0, pinned = 0;
	uint32_t word = 7;

	if (!up())
		return;
	gpurun_stream_create(device, &stream);
	gpurun_module_load(device, kernels_ptx, 0, &module);
	gpurun_module_kernel(module, "nothing", &kernel);
	gpurun_event_create(device, GPURUN_EVENT_TIMING, &event);
	gpurun_memory_alloc(device, 64, GPURUN_MEMORY_DEVICE, &address);
	gpurun_memory_alloc(device, 64, GPURUN_MEMORY_HOST, &pinned);
	gpurun_memory_register(&word, sizeof(word));
	if (address)
		gpurun_memory_copy(address, host(&word), sizeof(word), stream);
	launch.stream = stream;
	gpurun_launch(kernel, &launch, NULL);
	gpurun_event_record(event, stream);
	gpurun_stream_wait_event(stream, event);
	gpurun_event_synchronize(event);
	gpurun_stream_synchronize(stream);
	gpurun_module_unload(module);
	gpurun_memory_free(pinned);
	gpurun_event_destroy(event);
}

/* Does the work with one call failing; tells how many things are left at the end. */
static int left_after(const char *failing, const char *leaks)
{
	int left = -1, status;
	pid_t child = fork();
	FILE *file;

	if (!child) {
		fail(failing);
		setenv("GPURUN_STUB_LEAKS", leaks, 1);
		work();
		gpurun_shutdown();
		exit(0);
	}
	waitpid(child, &status, 0);
	if (status)
		return 999;
	file = fopen(leaks, "r");
	if (file) {
		char line[64];

		while (fgets(line, sizeof(line), file))
			sscanf(line, "%d left", &left);
		fclose(file);
	}
	return left;
}

/* Whichever call fails at its first, second or third use: no crash, nothing left. */
static void test_every_call(void)
{
	static const char *const calls[] = {
		"cuCtxSetCurrent", "cuCtxSynchronize", "cuDeviceGet", "cuDeviceGetAttribute",
		"cuDeviceGetCount", "cuDeviceGetName", "cuDeviceGetPCIBusId",
		"cuDeviceGetUuid", "cuDevicePrimaryCtxRetain", "cuDeviceTotalMem",
		"cuDriverGetVersion", "cuEventCreate", "cuEventRecord", "cuEventSynchronize",
		"cuFuncGetAttribute", "cuFuncSetAttribute", "cuLaunchKernel", "cuMemAlloc",
		"cuMemHostAlloc", "cuMemHostRegister", "cuMemcpyAsync",
		"cuModuleGetFunction", "cuModuleLoadDataEx", "cuStreamCreate",
		"cuStreamQuery", "cuStreamSynchronize", "cuStreamWaitEvent",
	};
	char leaks[] = "/tmp/gpurun-left-XXXXXX", failing[64];
	int fd = mkstemp(leaks);

	REQUIRE(fd >= 0);
	close(fd);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		for (int use = 1; use <= 3; use++) {
			snprintf(failing, sizeof(failing), "%s:%d=999", calls[i], use);
			unlink(leaks);
			if (!CHECK_INT(left_after(failing, leaks), 0))
				printf("#   with %s\n", failing);
		}
	unlink(leaks);
}

int main(void)
{
	device_info.struct_size = sizeof(device_info);
	/* First: its children must not find a library that was up before the fork. */
	RUN(test_every_call);
	RUN(test_no_device);
	RUN(test_failing_driver);
	RUN(test_auto);
	RUN(test_selected);
	RUN(test_limits);
	RUN(test_occupancy);
	RUN(test_failing_teardown);
	RUN(test_many_failures);
	RUN(test_failing_unload);
	RUN(test_sticky);
	RUN(test_launch);
	return tap_end();
}
