/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_names.h"

#include "trace_types.h"

/* @handle: that of the driver, of a stream, or else of an event. */
static void write_name(const char *name, const void *handle, bool stream)
{
	struct trace_record record = { .kind = TRACE_NAME };

	*(stream ? &record.stream : &record.handle) = (uint64_t)(uintptr_t)handle;
	trace_write(&record, name, NULL, 0);
}

/* Of a launch that does not follow another one of its kernel. */
static void write_types(const struct plan *plan, size_t index)
{
	const struct launch *launch = step_launch(&plan->steps[index]);
	struct trace_record record = { .kind = TRACE_TYPES };
	struct trace_param params[TRACE_PARAMS_MOST];

	if (!launch || (index && step_launch(&plan->steps[index - 1]) &&
			step_launch(&plan->steps[index - 1])->kernel == launch->kernel))
		return;
	record.param_count = (uint16_t)trace_types_of(launch->kernel->info, params);
	trace_write(&record, launch->kernel->name, params,
		    record.param_count * sizeof(params[0]));
}

void trace_names(const struct run *run)
{
	const struct plan *plan = run->plan;
	void *native;

	trace_open();
	if (!atomic_load(&trace_wanted))
		return;
	for (size_t i = 0; i < plan->streams.count; i++)
		if (!gpurun_stream_native(run->streams[i], &native))
			write_name(plan->streams.at[i], native, true);
	for (size_t i = 0; i < plan->events.count; i++)
		if (!gpurun_event_native(run->events[i], &native))
			write_name(plan->events.at[i], native, false);
	for (size_t i = 0; i < plan->step_count && run->device.info.kind == GPURUN_DEVICE_GPU; i++)
		write_types(plan, i);
}
