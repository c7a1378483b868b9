/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public functions, but for those of exports_error.c; gpurun.h is their manual. */
#pragma GCC visibility push(default)
#include "gpurun.h"
#pragma GCC visibility pop

#include <string.h>

#include "api.h"
#include "context.h"
#include "diagnose.h"
#include "end.h"
#include "event.h"
#include "init.h"
#include "interop.h"
#include "kernel.h"
#include "launch.h"
#include "link.h"
#include "memory.h"
#include "memory_fill.h"
#include "module.h"
#include "module_copies.h"
#include "native.h"
#include "report_fetch.h"
#include "stream.h"
#include "usage.h"
#include "variable.h"

/* An out-parameter: zeroed first; a NULL one is refused. */
#define OUT(pointer)                                                                       \
	do {                                                                               \
		if (!(pointer))                                                            \
			return no_out(#pointer);                                           \
		memset(pointer, 0, sizeof(*(pointer)));                                    \
	} while (0)

static int no_out(const char *name)
{
	return err_set(&api_clear()->err, GPURUN_INVALID, "nowhere to write the %s: the "
		       "pointer is NULL", name);
}

/* ---- Library */

int gpurun_check_finding(char *text, size_t size)
{
	if (!text || !size)
		return err_set(&api_clear()->err, GPURUN_INVALID, "no room for a finding");
	memset(text, 0, size);
	return API_CALL((void)e, report_finding(text, size));
}

int gpurun_report_get(int event, struct gpurun_report *report)
{
	if (event == GPURUN_REPORT_FAULT)
		return report_of_failure(report);
	return API_CALL(report_fetch(event, report, e));
}

void gpurun_exit_status(int status)
{
	if (runtime.cuda.cpu)
		runtime.cuda.gpurunCpuNote(GPURUN_CPU_NOTE_STATUS, NULL, (size_t)status);
}

int gpurun_init(const char *device)
{
	int status = runtime_init(device, &api_clear()->err);

	if (!status)
		api_clear();
	return status;
}

int gpurun_shutdown(void)
{
	struct err *e = &api_clear()->err;

	return api_outside(e, runtime_shutdown(e));
}

int gpurun_on_end(void (*report)(int status, void *data), void *data)
{
	return end_add_report(report, data, &api_clear()->err);
}

/* ---- Devices */

int gpurun_device_count(int *count)
{
	OUT(count);
	return API_CALL((void)e, *count = runtime.device_count, 0);
}

int gpurun_device_get(int ordinal, struct gpurun_device *device)
{
	OUT(device);
	return API_CALL(device_get(ordinal, device, e));
}

int gpurun_device_get_info(struct gpurun_device device, struct gpurun_device_info *info)
{
	if (!info)
		return no_out("info");
	return API_CALL(device_describe(device, info, e));
}

int gpurun_device_synchronize(struct gpurun_device device)
{
	return API_CALL(device_synchronize(device, e));
}

int gpurun_device_reset_l2(struct gpurun_device device)
{
	return API_CALL(device_reset_l2(device, e));
}

int gpurun_device_cooperative(struct gpurun_device device, int *cooperative)
{
	OUT(cooperative);
	return API_CALL(device_cooperative(device, cooperative, e));
}

int gpurun_device_memory(struct gpurun_device device, uint64_t *free_bytes,
			 uint64_t *total_bytes)
{
	OUT(free_bytes);
	OUT(total_bytes);
	return API_CALL(device_memory(device, free_bytes, total_bytes, e));
}

int gpurun_device_set_limit(struct gpurun_device device, enum gpurun_limit limit,
			    uint64_t bytes)
{
	return API_CALL(device_set_limit(device, limit, bytes, e));
}

int gpurun_device_get_limit(struct gpurun_device device, enum gpurun_limit limit,
			    uint64_t *bytes)
{
	OUT(bytes);
	return API_CALL(device_get_limit(device, limit, bytes, e));
}

/* ---- Modules and kernels */

int gpurun_module_load(struct gpurun_device device, const void *image, size_t size,
		       struct gpurun_module *module)
{
	OUT(module);
	return API_CALL(module_load(device, image, size, MODULE_PLAIN, module, e));
}

int gpurun_module_load_level(struct gpurun_device device, const void *image, size_t size,
			     int level, struct gpurun_module *module)
{
	struct module_choice how = { .level = level };

	OUT(module);
	return API_CALL(module_load(device, image, size, how, module, e));
}

int gpurun_module_load_alone(struct gpurun_device device, const void *image, size_t size,
			     struct gpurun_module *module)
{
	OUT(module);
	return API_CALL(module_load(device, image, size, MODULE_ALONE, module, e));
}

int gpurun_module_link(struct gpurun_device device, const struct gpurun_link_input *inputs,
		       size_t count, struct gpurun_module *module)
{
	OUT(module);
	return API_CALL(link_load(device, inputs, count, module, e));
}

int gpurun_module_on_device(struct gpurun_module module, struct gpurun_device device,
			    struct gpurun_module *other)
{
	OUT(other);
	return API_CALL(module_on_device(module, device, other, e));
}

int gpurun_image_check(struct gpurun_device device, const void *image, size_t size)
{
	return API_CALL(module_check(device, image, size, e));
}

int gpurun_module_unload(struct gpurun_module module)
{
	return API_RELEASE(module_unload(module, e));
}

int gpurun_module_kernel(struct gpurun_module module, const char *name,
			 struct gpurun_kernel *kernel)
{
	OUT(kernel);
	return API_CALL(module_kernel(module, name, kernel, e));
}

int gpurun_module_variable(struct gpurun_module module, const char *name,
			   struct gpurun_variable *variable)
{
	OUT(variable);
	return API_CALL(variable_find(module, name, variable, e));
}

int gpurun_variable_get_info(struct gpurun_variable variable,
			     struct gpurun_variable_info *info)
{
	if (!info)
		return no_out("info");
	return API_CALL(variable_describe(variable, info, e));
}

int gpurun_module_global(struct gpurun_module module, const char *name, uint64_t *address,
			 uint64_t *size)
{
	if (address)
		*address = 0;
	if (size)
		*size = 0;
	return API_CALL(variable_locate(module, name, address, size, e));
}

int gpurun_kernel_get_info(struct gpurun_kernel kernel, struct gpurun_kernel_info *info)
{
	if (!info)
		return no_out("info");
	return API_CALL(kernel_describe(kernel, info, e));
}

int gpurun_kernel_parameter(struct gpurun_kernel kernel, int index, uint64_t *offset,
			    uint64_t *size)
{
	if (offset)
		*offset = 0;
	if (size)
		*size = 0;
	return API_CALL(kernel_parameter(kernel, index, offset, size, e));
}

int gpurun_kernel_occupancy(struct gpurun_kernel kernel, unsigned shared, unsigned *block,
			    unsigned *grid)
{
	OUT(block);
	OUT(grid);
	return API_CALL(kernel_occupancy(kernel, shared, block, grid, e));
}

int gpurun_kernel_blocks(struct gpurun_kernel kernel, unsigned block, unsigned shared,
			 unsigned *blocks)
{
	OUT(blocks);
	return API_CALL(kernel_blocks(kernel, block, shared, blocks, e));
}

/* ---- Streams and events */

int gpurun_stream_create(struct gpurun_device device, struct gpurun_stream *stream)
{
	OUT(stream);
	return API_CALL(stream_create(device, stream, e));
}

int gpurun_stream_destroy(struct gpurun_stream stream)
{
	return API_RELEASE(stream_destroy(stream, e));
}

int gpurun_stream_quarantine(struct gpurun_stream stream)
{
	return API_CALL(stream_quarantine(stream, e));
}

int gpurun_stream_synchronize(struct gpurun_stream stream)
{
	return API_CALL(stream_synchronize(stream, e));
}

int gpurun_stream_query(struct gpurun_stream stream)
{
	return API_CALL(stream_query(stream, e));
}

int gpurun_stream_device(struct gpurun_stream stream, struct gpurun_device *device)
{
	OUT(device);
	return API_CALL(stream_device(stream, device, e));
}

int gpurun_stream_wait_event(struct gpurun_stream stream, struct gpurun_event event)
{
	return API_CALL(stream_wait_event(stream, event, e));
}

int gpurun_stream_host_function(struct gpurun_stream stream, void (*function)(void *data),
				void *data)
{
	return API_CALL(stream_host_function(stream, function, data, e));
}

int gpurun_event_create(struct gpurun_device device, unsigned flags,
			struct gpurun_event *event)
{
	OUT(event);
	return API_CALL(event_create(device, flags, event, e));
}

int gpurun_event_destroy(struct gpurun_event event)
{
	return API_RELEASE(event_destroy(event, e));
}

int gpurun_event_record(struct gpurun_event event, struct gpurun_stream stream)
{
	return API_CALL(event_record(event, stream, e));
}

int gpurun_event_stream(struct gpurun_event event, struct gpurun_stream *stream)
{
	OUT(stream);
	return API_CALL(event_stream(event, stream, e));
}

int gpurun_event_synchronize(struct gpurun_event event)
{
	return API_CALL(event_synchronize(event, e));
}

int gpurun_event_query(struct gpurun_event event)
{
	return API_CALL(event_query(event, e));
}

int gpurun_event_device(struct gpurun_event event, struct gpurun_device *device)
{
	OUT(device);
	return API_CALL(event_device(event, device, e));
}

int gpurun_event_elapsed(struct gpurun_event start, struct gpurun_event end,
			 uint64_t *nanoseconds)
{
	OUT(nanoseconds);
	return API_CALL(event_elapsed(start, end, nanoseconds, e));
}

/* ---- Memory */

int gpurun_memory_alloc(struct gpurun_device device, uint64_t size,
			enum gpurun_memory_kind kind, uint64_t *address)
{
	OUT(address);
	return API_CALL(memory_alloc(device, size, kind, 1, address, e));
}

int gpurun_memory_alloc_aligned(struct gpurun_device device, uint64_t size,
				enum gpurun_memory_kind kind, uint64_t alignment,
				uint64_t *address)
{
	OUT(address);
	return API_CALL(memory_alloc(device, size, kind, alignment, address, e));
}

int gpurun_memory_prefetch(uint64_t address, uint64_t size, int to_host,
			   struct gpurun_stream stream)
{
	return API_CALL(memory_prefetch(address, size, to_host, stream, e));
}

int gpurun_memory_free(uint64_t address)
{
	return API_RELEASE(memory_free(address, e));
}

int gpurun_memory_copy(uint64_t destination, uint64_t source, uint64_t size,
		       struct gpurun_stream stream)
{
	return API_CALL(memory_copy(destination, source, size, stream, e));
}

int gpurun_memory_fill(uint64_t address, uint32_t pattern, unsigned width, uint64_t count,
		       struct gpurun_stream stream)
{
	return API_CALL(fill_elements(address, pattern, width, count, stream, e));
}

int gpurun_memory_fill_pattern(uint64_t address, const void *pattern, uint64_t pattern_size,
			       uint64_t count, struct gpurun_stream stream)
{
	return API_CALL(fill_pattern(address, pattern, pattern_size, count, stream, e));
}

int gpurun_memory_register(void *pointer, uint64_t size)
{
	return API_CALL(memory_register(pointer, size, e));
}

int gpurun_memory_unregister(void *pointer)
{
	return API_RELEASE(memory_unregister(pointer, e));
}

int gpurun_memory_get_usage(struct gpurun_device device, struct gpurun_memory_usage *usage)
{
	if (!usage)
		return no_out("usage");
	return API_CALL(usage_get(device, usage, e));
}

int gpurun_memory_get_info(uint64_t address, struct gpurun_memory_info *info)
{
	if (!info)
		return no_out("info");
	return API_CALL(memory_describe(address, info, e));
}

/* ---- Launch */

int NO_STACK_GUARD gpurun_launch(struct gpurun_kernel kernel, const struct gpurun_launch *how,
				 void *const *args)
{
	return API_CALL(launch(kernel, how, args, e));
}

/* ---- Native interop */

int gpurun_stream_native(struct gpurun_stream stream, void **native)
{
	OUT(native);
	return API_CALL(interop_stream(stream, native, e));
}

int gpurun_event_native(struct gpurun_event event, void **native)
{
	OUT(native);
	return API_CALL(interop_event(event, native, e));
}

int gpurun_module_native(struct gpurun_module module, void **native)
{
	OUT(native);
	return API_CALL(interop_module(module, native, e));
}

int gpurun_kernel_native(struct gpurun_kernel kernel, void **native)
{
	OUT(native);
	return API_CALL(interop_kernel(kernel, native, e));
}

int gpurun_device_native(struct gpurun_device device, void **native)
{
	OUT(native);
	return API_CALL(interop_context(device, native, e));
}

enum gpurun_native_kind gpurun_native_kind(const void *native, uint64_t *id)
{
	enum gpurun_native_kind kind = GPURUN_NATIVE_UNKNOWN;

	if (id)
		*id = 0;
	API_CALL((void)e, kind = native_kind(native, id), 0);
	return kind;
}

enum gpurun_native_kind gpurun_handle_kind(uint64_t id)
{
	return native_handle_kind(id);
}

int gpurun_native_destroy(enum gpurun_native_kind kind, void *native)
{
	return API_RELEASE(interop_destroy(kind, native, e));
}

int gpurun_stream_adopt(struct gpurun_device device, void *native,
			struct gpurun_stream *stream)
{
	OUT(stream);
	return API_CALL(stream_adopt(device, native, stream, e));
}

int gpurun_event_adopt(struct gpurun_device device, void *native,
		       struct gpurun_event *event)
{
	OUT(event);
	return API_CALL(event_adopt(device, native, event, e));
}

int gpurun_module_adopt(struct gpurun_device device, void *native,
			struct gpurun_module *module)
{
	OUT(module);
	return API_CALL(module_adopt(device, native, module, e));
}

int gpurun_kernel_adopt(struct gpurun_device device, void *native,
			struct gpurun_kernel *kernel)
{
	OUT(kernel);
	return API_CALL(kernel_adopt(device, native, kernel, e));
}

int gpurun_kernel_release(struct gpurun_kernel kernel)
{
	return API_RELEASE(kernel_release(kernel, e));
}

int gpurun_memory_adopt(struct gpurun_device device, uint64_t address)
{
	return API_CALL(memory_adopt(device, address, e));
}

int gpurun_memory_keep(uint64_t address)
{
	return API_CALL(memory_keep(address, e));
}

int gpurun_context_push(struct gpurun_device device)
{
	return API_CALL(context_push(device, e));
}

int gpurun_context_pop(void)
{
	return API_RELEASE(context_pop(e));
}

int gpurun_tensor_map_encode(void *map, int data_type, unsigned rank, uint64_t address,
			     const uint64_t *dims, const uint64_t *strides,
			     const uint32_t *box, const uint32_t *element_strides,
			     int interleave, int swizzle, int l2_promotion, int oob_fill)
{
	return API_CALL(CUDA(NULL, e, cuTensorMapEncodeTiled, map, data_type, rank,
			     (void *)(uintptr_t)address, dims, strides, box,
			     element_strides, interleave, swizzle, l2_promotion, oob_fill));
}
