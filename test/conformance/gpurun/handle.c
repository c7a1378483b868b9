/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A handle that is no live one of its kind is refused, whatever it is. */
#include "kernels.h"

static void test_made_up(void)
{
	const uint64_t made_up[] = { 0, 1, 0xdeadbeef, UINT64_MAX, device.id + 1,
				     device.id ^ (uint64_t)1 << 40, host(&device) };

	for (size_t i = 0; i < sizeof(made_up) / sizeof(made_up[0]); i++) {
		struct gpurun_stream stream = { made_up[i] };
		struct gpurun_event event = { made_up[i] };
		struct gpurun_module module = { made_up[i] };
		struct gpurun_kernel kernel = { made_up[i] };

		CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_HANDLE);
		CHECK_INT(gpurun_stream_destroy(stream), GPURUN_HANDLE);
		CHECK_INT(gpurun_event_query(event), GPURUN_HANDLE);
		CHECK_INT(gpurun_module_unload(module), GPURUN_HANDLE);
		CHECK_INT(launch1(kernel, stream, NULL), GPURUN_HANDLE);
	}
}

static void test_wrong_kind(void)
{
	struct gpurun_stream stream = new_stream();
	struct gpurun_event event = { stream.id };

	CHECK_INT(gpurun_event_synchronize(event), GPURUN_HANDLE);
	CHECK_HAS(gpurun_error_text(), "is a stream, not an event");
	CHECK_INT(gpurun_stream_wait_event(stream, event), GPURUN_HANDLE);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_HANDLE);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
}

static void test_stale(void)
{
	struct gpurun_stream first = new_stream(), other;

	CHECK_INT(gpurun_stream_destroy(first), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(first), GPURUN_HANDLE);
	for (int i = 0; i < 1000; i++) {
		other = new_stream();
		CHECK(other.id != first.id);
		CHECK_INT(gpurun_stream_query(first), GPURUN_HANDLE);
		CHECK_INT(gpurun_stream_destroy(other), GPURUN_OK);
	}
}

/* A module goes with its kernels' handles; another load of the same bytes lives on. */
static void test_unloaded(void)
{
	struct gpurun_module module = load(), other = load();
	struct gpurun_kernel kernel = kernel_of(module, "nothing");
	struct gpurun_kernel living = kernel_of(other, "nothing");
	struct gpurun_stream stream = new_stream();
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };

	CHECK_INT(launch1(kernel, stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_HANDLE);
	CHECK_INT(launch1(kernel, stream, NULL), GPURUN_HANDLE);
	CHECK_INT(gpurun_kernel_get_info(kernel, &info), GPURUN_HANDLE);
	CHECK_INT(gpurun_module_kernel(module, "nothing", &kernel), GPURUN_HANDLE);
	CHECK_INT(launch1(living, stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_made_up);
	RUN(test_wrong_kind);
	RUN(test_stale);
	RUN(test_unloaded);
	gpurun_shutdown();
	return tap_end();
}
