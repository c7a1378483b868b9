/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A kernel that traps: who is told, how often, and that all is well after it. */
#include "kernels.h"

static void fault(struct gpurun_stream *stream)
{
	struct gpurun_module module = load();

	*stream = new_stream();
	CHECK_INT(launch1(kernel_of(module, "trap"), *stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(*stream), GPURUN_FAULT);
}

/* The parts of the report have @call, which returned it. */
static void check_report(const char *call)
{
	struct gpurun_report report = { .struct_size = sizeof(report) };

	CHECK_INT(gpurun_report_get(GPURUN_REPORT_FAULT, &report), GPURUN_OK);
	CHECK_INT(report.event, GPURUN_REPORT_FAULT);
	CHECK_STR(report.kernel, "trap");
	CHECK_STR(report.call, call);
	CHECK_STR(report.error_name, "CUDA_ERROR_LAUNCH_FAILED");
	CHECK_INT(report.error, gpurun_error_driver());
}

/* The fault sticks to the device until the last shutdown, which does not tell it again. */
static void test_sticks(void)
{
	struct gpurun_stream stream;
	uint64_t address;

	REQUIRE(up());
	fault(&stream);
	CHECK_HAS(gpurun_error_text(), "cuStreamSynchronize: CUDA_ERROR_");
	CHECK(gpurun_error_driver() >= 700 && gpurun_error_driver() < 720);
	if (device_info.kind == GPURUN_DEVICE_CPU) {
		CHECK_HAS(gpurun_error_text(), ": trap, launched before");
		CHECK_HAS(gpurun_error_log(), "trap");
		CHECK_HAS(gpurun_error_log(), "\n  kernel trap, block (0,0,0)");
		check_report("cuStreamSynchronize");
		CHECK_INT(gpurun_memory_alloc(device, 16, GPURUN_MEMORY_DEVICE, &address),
			  GPURUN_FAULT);
		CHECK_HAS(gpurun_error_text(), ": trap, launched before");
	}
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_FAULT);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_FAULT);
	CHECK_INT(gpurun_memory_alloc(device, 16, GPURUN_MEMORY_DEVICE, &address),
		  GPURUN_FAULT);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_STR(gpurun_error_text(), "");
}

static void test_well_again(void)
{
	struct gpurun_stream stream;

	REQUIRE(up());
	stream = new_stream();
	CHECK_INT(launch1(kernel_of(load(), "nothing"), stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* A fault that no call has asked about is told by the shutdown, once. */
static void test_told_by_shutdown(void)
{
	struct gpurun_stream stream;

	REQUIRE(up());
	stream = new_stream();
	CHECK_INT(launch1(kernel_of(load(), "trap"), stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_FAULT);
	CHECK_HAS(gpurun_error_text(), "cuCtxSynchronize: CUDA_ERROR_");
	CHECK(!strchr(gpurun_error_text(), ';'));
	CHECK_INT(gpurun_shutdown(), GPURUN_UNINITIALIZED);
	test_well_again();
}

int main(void)
{
	if (!up())
		return 1;
	gpurun_shutdown();
	if (!executes())
		return tap_skip_all("needs a GPU or the CPU device");
	RUN(test_sticks);
	RUN(test_well_again);
	RUN(test_told_by_shutdown);
	return tap_end();
}
