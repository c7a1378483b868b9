/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_names.h"

#include "trace_file.h"

/* @handle: that of the driver, of a stream, or else of an event. */
static void write_name(const char *name, const void *handle, bool stream)
{
	struct trace_record record = { .kind = TRACE_NAME };

	*(stream ? &record.stream : &record.handle) = (uint64_t)(uintptr_t)handle;
	trace_write(&record, name, NULL, 0);
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
}
