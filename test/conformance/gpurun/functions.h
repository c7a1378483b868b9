/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every function of gpurun.h as a row of a table, and what their calls need. */
#ifndef CONFORMANCE_FUNCTIONS_H
#define CONFORMANCE_FUNCTIONS_H

#include "ending.h"

enum class { ANSWERS, CALL, RELEASE, LIFE };

enum handle { NONE, DEVICE, MODULE, KERNEL, STREAM, EVENT, VARIABLE, KINDS, OR_ZERO = 16 };
enum { DEVICE_OR_ZERO = DEVICE | OR_ZERO, STREAM_OR_ZERO = STREAM | OR_ZERO };

/* What works, while the library is up. */
static struct {
	struct gpurun_module module;
	struct gpurun_kernel kernel;
	struct gpurun_stream stream;
	struct gpurun_event event;
	struct gpurun_variable variable;
	uint64_t address;
	void *native_module, *native_kernel, *native_stream, *native_event;
} live;

/* Where the calls write. */
static union {
	uint8_t bytes[8];
	int number;
	unsigned count;
	uint64_t size;
	void *native;
	struct gpurun_device device;
	struct gpurun_module module;
	struct gpurun_kernel kernel;
	struct gpurun_stream stream;
	struct gpurun_event event;
	struct gpurun_variable variable;
} out;

static struct gpurun_kernel_info kernel_info = { .struct_size = sizeof(kernel_info) };
static struct gpurun_memory_info memory_info = { .struct_size = sizeof(memory_info) };
static struct gpurun_variable_info variable_info = {
	.struct_size = sizeof(variable_info)
};
static struct gpurun_report finding = { .struct_size = sizeof(finding) };
static struct gpurun_memory_usage usage = { .struct_size = sizeof(usage) };

static void report(int status, void *data)
{
	(void)status;
	(void)data;
}

static void host_function(void *data)
{
	(void)data;
}

static int encode(void)
{
	static struct {
		uint8_t bytes[128];
	} map __attribute__((aligned(64)));
	const uint64_t dims[] = { 4 };
	const uint32_t box[] = { 4 };

	return gpurun_tensor_map_encode(&map, 0, 1, live.address, dims, dims, box, box, 0, 0, 0,
					0);
}

#define PASTE(a, b)  PASTE_(a, b)
#define PASTE_(a, b) a##b
#define AS(kind)     ((struct gpurun_##kind){ id })

#define FUNCTION(name, class, handle, call)                                                \
	static int PASTE(call_, __LINE__)(uint64_t id)                                     \
	{                                                                                  \
		(void)id;                                                                  \
		return (int)(call);                                                        \
	}
#include "functions.def"

static const struct function {
	const char *text;
	enum class class;
	unsigned handle;
	int (*call)(uint64_t id);
} functions[] TAP_UNUSED = {
#define FUNCTION(name, class, handle, call)                                                \
	{ #call, class, handle, PASTE(call_, __LINE__) },
#include "functions.def"
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* Comes up with everything that a call could want. */
TAP_UNUSED static void functions_up(void)
{
	ending_up();
	live.module = load();
	live.kernel = kernel_of(live.module, "nothing");
	live.stream = new_stream();
	EXPECT(gpurun_event_create(device, GPURUN_EVENT_TIMING, &live.event), GPURUN_OK);
	EXPECT(gpurun_event_record(live.event, live.stream), GPURUN_OK);
	EXPECT(gpurun_event_synchronize(live.event), GPURUN_OK);
	live.address = alloc(64);
	EXPECT(gpurun_module_variable(live.module, "counter", &live.variable), GPURUN_OK);
	EXPECT(gpurun_module_native(live.module, &live.native_module), GPURUN_OK);
	EXPECT(gpurun_kernel_native(live.kernel, &live.native_kernel), GPURUN_OK);
	EXPECT(gpurun_stream_native(live.stream, &live.native_stream), GPURUN_OK);
	EXPECT(gpurun_event_native(live.event, &live.native_event), GPURUN_OK);
}

/* The handles of what is live, by kind. */
TAP_UNUSED static void functions_ids(uint64_t of[KINDS])
{
	of[NONE] = 0;
	of[DEVICE] = device.id;
	of[MODULE] = live.module.id;
	of[KERNEL] = live.kernel.id;
	of[STREAM] = live.stream.id;
	of[EVENT] = live.event.id;
	of[VARIABLE] = live.variable.id;
}

#endif
