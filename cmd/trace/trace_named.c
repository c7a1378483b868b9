/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_named.h"

#include <stdlib.h>

#include "array.h"

void trace_name_list_release(struct trace_name_list *names)
{
	free(names->at);
}

int trace_name_list_add(struct trace_name_list *names, uint64_t process,
			const struct trace_record *record, const char *name, struct err *e)
{
	struct trace_name *added = array_grow(&names->at, names->count, sizeof(*added));

	if (!added)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the trace");
	*added = (struct trace_name){ process, record->stream ? record->stream : record->handle,
				      record->stream != 0, name };
	names->count++;
	return 0;
}

static int compare_named(const void *left, const void *right)
{
	const struct trace_name *a = left, *b = right;

	return order_of(a->process, b->process) ?: order_of(a->handle, b->handle) ?:
	       order_of(a->stream, b->stream);
}

/* That of the stream or event @handle of a process; NULL: it has none, as 0 has. */
static const char *find_trace_name(const struct trace_name_list *names, uint64_t process,
				   uint64_t handle, bool stream)
{
	const struct trace_name which = { process, handle, stream, NULL };
	const struct trace_name *found =
		handle ? bsearch(&which, names->at, names->count, sizeof(which), compare_named) :
			 NULL;

	return found ? found->name : NULL;
}

void trace_name_list_apply(struct trace_name_list *names, struct trace *trace)
{
	if (!names->count)
		return;
	qsort(names->at, names->count, sizeof(*names->at), compare_named);
	for (size_t i = 0; i < trace->count; i++) {
		struct traced_call *call = &trace->calls[i];
		const struct trace_record *record = &call->record;

		call->stream_name = find_trace_name(names, call->process, record->stream, true);
		if (record->kind == TRACE_RECORD || record->kind == TRACE_WAIT ||
		    record->kind == TRACE_SYNC)
			call->event_name = find_trace_name(names, call->process, record->handle,
							   false);
	}
}
