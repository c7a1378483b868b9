/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "align.h"
#include "array.h"
#include "demangle.h"
#include "trace_named.h"
#include "trace_ran.h"
#include "trace_types.h"

static const struct {
	const char *name, *category;
} kinds[TRACE_KINDS] = {
#define TRACE_KIND(id, name, category) { name, category },
#include "trace_kinds.def"
};

const char *trace_kind_name(unsigned kind)
{
	ASSERT(kind < TRACE_KINDS);
	return kinds[kind].name;
}

const char *trace_category(unsigned kind)
{
	ASSERT(kind < TRACE_KINDS);
	return kinds[kind].category;
}

static int lacks_memory(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the trace");
}

/* ---- the file ---- */

int trace_file_open(struct err *e)
{
	struct trace_head head = { .chunks = 1 };
	int fd = memfd_create("gpurun-trace", MFD_CLOEXEC);

	if (fd >= 0 && !ftruncate(fd, TRACE_CHUNK) &&
	    pwrite(fd, &head, sizeof(head), 0) == sizeof(head))
		return fd;
	err_set(e, GPURUN_INTERNAL, "cannot trace: %s", strerror(errno));
	close_fd(&fd);
	return -1;
}

/* A copy: processes that are left may write on. */
static int read_file(int fd, struct trace *trace, struct bytes *out, struct err *e)
{
	struct stat status;
	size_t size = 0;

	if (fstat(fd, &status))
		return err_set(e, GPURUN_IO, "cannot read the trace: %s", strerror(errno));
	trace->bytes = malloc((size_t)status.st_size + 1);
	if (!trace->bytes)
		return lacks_memory(e);
	while (size < (size_t)status.st_size) {
		const ssize_t got = pread(fd, trace->bytes + size, (size_t)status.st_size - size,
					  (off_t)size);

		if (got <= 0)
			break;
		size += (size_t)got;
	}
	*out = (struct bytes){ trace->bytes, size };
	return 0;
}

/* ---- records ---- */

/* A record of a chunk, and what follows it. */
struct found_record {
	struct trace_record record;
	uint64_t process;
	char *name;        /* in the file's bytes */
	struct bytes more; /* after it */
};

/* Narrows @more to the parameters of @found; false: they are not all there. */
static bool find_more(struct found_record *found, struct bytes more)
{
	const struct trace_record *record = &found->record;

	if (record->kind == TRACE_FUNCTION || record->kind == TRACE_TYPES)
		return bytes_slice(more, 0, record->param_count * sizeof(struct trace_param),
				   &found->more);
	if (record->kind == TRACE_COUNTED)
		return bytes_slice(more, 0, sizeof(struct counted), &found->more);
	if (record->kind == TRACE_LAUNCH)
		return bytes_slice(more, 0, record->args_size, &found->more);
	found->more = (struct bytes){ 0 };
	return true;
}

/* The record at the beginning of @chunk, and its size; 0: there is none more. */
static size_t next_record(struct bytes chunk, struct found_record *found)
{
	const size_t begin = sizeof(found->record);
	struct trace_record *record = &found->record;
	struct bytes all = { 0 }, name, more;
	uint32_t size;

	if (!bytes_read(chunk, 0, record, begin))
		return 0;
	size = atomic_load_explicit(&record->size, memory_order_relaxed);
	if (size < begin || size % 8 || !bytes_slice(chunk, 0, size, &all))
		return 0;
	if (record->kind >= TRACE_KINDS || !record->name_size ||
	    !bytes_slice(all, begin, record->name_size, &name) || name.data[name.size - 1])
		return 0;
	if (!bytes_slice(all, begin + align_up(record->name_size, 8),
			 size - begin - align_up(record->name_size, 8), &more) ||
	    !find_more(found, more))
		return 0;
	found->name = (char *)(uintptr_t)name.data;
	return size;
}

/* ---- functions ---- */

static int compare_functions(const void *left, const void *right)
{
	const struct traced_function *a = left, *b = right;

	return order_of(a->process, b->process) ?: order_of(a->number, b->number);
}

static int add_function(struct trace *trace, const struct found_record *found, struct err *e)
{
	struct traced_function function = { .process = found->process,
					    .number = found->record.handle,
					    .count = found->record.param_count };

	if (!array_grow(&trace->functions, trace->function_count, sizeof(function)))
		return lacks_memory(e);
	function.name = strdup(found->name);
	function.signature = demangle(found->name);
	function.params = malloc(found->more.size + 1);
	trace->functions[trace->function_count++] = function;
	if (!function.name || !function.signature || !function.params)
		return lacks_memory(e);
	if (found->more.size)
		memcpy(function.params, found->more.data, found->more.size);
	return 0;
}

/* ---- calls ---- */

static int add_call(struct trace *trace, const struct found_record *found, struct err *e)
{
	char *error = strchr(found->name, ' ');
	struct traced_call *call;

	call = array_grow(&trace->calls, trace->count, sizeof(*call));
	if (!call)
		return lacks_memory(e);
	trace->count++;
	*call = (struct traced_call){ .record = found->record,
				      .process = found->process,
				      .name = found->name,
				      .error = error ? error + 1 : "",
				      .args = found->more };
	if (error)
		*error = '\0';
	return 0;
}

/* Records that are no calls of their own. */
struct notes {
	struct rans rans;
	struct trace_name_list names;
	struct found_record *types; /* owned; borrow from the file's bytes */
	size_t type_count;
};

static void release_notes(struct notes *notes)
{
	rans_release(&notes->rans);
	trace_name_list_release(&notes->names);
	free(notes->types);
}

static int add_types(struct notes *notes, const struct found_record *found, struct err *e)
{
	struct found_record *types = array_grow(&notes->types, notes->type_count, sizeof(*types));

	if (!types)
		return lacks_memory(e);
	*types = *found;
	notes->type_count++;
	return 0;
}

static int compare_types(const void *left, const void *right)
{
	const struct found_record *a = left, *b = right;

	return order_of(a->process, b->process) ?: strcmp(a->name, b->name);
}

/* Gives functions the types that their process has written. */
static void apply_types(struct notes *notes, struct trace *trace)
{
	if (!notes->type_count)
		return;
	qsort(notes->types, notes->type_count, sizeof(*notes->types), compare_types);
	for (size_t i = 0; i < trace->function_count; i++) {
		struct traced_function *function = &trace->functions[i];
		const struct found_record which = { .process = function->process,
						    .name = function->name };
		const struct found_record *found = bsearch(&which, notes->types, notes->type_count,
							   sizeof(which), compare_types);

		if (found)
			trace_types_give(function, (const void *)found->more.data,
					 found->record.param_count);
	}
}

static int compare_counted(const void *left, const void *right)
{
	const struct traced_counted *a = left, *b = right;

	return order_of(a->process, b->process) ?: order_of(a->id, b->id);
}

static int add_counted(struct trace *trace, const struct found_record *found, struct err *e)
{
	struct traced_counted *counted;

	counted = array_grow(&trace->counts, trace->counts_count, sizeof(*counted));
	if (!counted)
		return lacks_memory(e);
	*counted = (struct traced_counted){ .process = found->process, .id = found->record.id };
	memcpy(&counted->counted, found->more.data, sizeof(counted->counted));
	trace->counts_count++;
	return 0;
}

static int add_record(struct trace *trace, struct notes *notes, const struct found_record *found,
		      struct err *e)
{
	switch (found->record.kind) {
	case TRACE_FUNCTION:
		return add_function(trace, found, e);
	case TRACE_RAN:
		return rans_add(&notes->rans, found->process, &found->record, e);
	case TRACE_COUNTED:
		return add_counted(trace, found, e);
	case TRACE_TYPES:
		return add_types(notes, found, e);
	case TRACE_NAME:
		return trace_name_list_add(&notes->names, found->process, &found->record,
					   found->name, e);
	default:
		return add_call(trace, found, e);
	}
}

static int read_chunk(struct trace *trace, struct notes *notes, struct bytes chunk, struct err *e)
{
	struct trace_chunk head;
	struct found_record found;
	size_t size;

	if (!bytes_read(chunk, 0, &head, sizeof(head)))
		return 0;
	found.process = head.process;
	chunk = (struct bytes){ chunk.data + sizeof(head), chunk.size - sizeof(head) };
	while ((size = next_record(chunk, &found)) != 0) {
		TRY(add_record(trace, notes, &found, e));
		chunk = (struct bytes){ chunk.data + size, chunk.size - size };
	}
	return 0;
}

static int compare_calls(const void *left, const void *right)
{
	const struct traced_call *a = left, *b = right;

	return order_of(a->record.begin, b->record.begin) ?: order_of(a->record.id, b->record.id);
}

/* What the launch @call executed; NULL: it was not counted. */
static const struct counted *find_counted(const struct trace *trace,
					  const struct traced_call *call)
{
	const struct traced_counted which = { .process = call->process, .id = call->record.id };
	const struct traced_counted *found = NULL;

	if (call->record.kind == TRACE_LAUNCH && trace->counts_count)
		found = bsearch(&which, trace->counts, trace->counts_count, sizeof(which),
				compare_counted);
	return found ? &found->counted : NULL;
}

/* Gives each launch its function, and what it executed. */
static void assign_functions(struct trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		struct traced_call *call = &trace->calls[i];
		const struct traced_function function = { .process = call->process,
							  .number = call->record.handle };

		call->counted = find_counted(trace, call);
		if (call->record.kind == TRACE_LAUNCH && trace->function_count)
			call->function = bsearch(&function, trace->functions,
						 trace->function_count, sizeof(function),
						 compare_functions);
	}
}

/* ---- streams ---- */

/* Handles of the driver: the default stream has two, and each thread one of its own. */
enum { STREAM_LEGACY = 1, STREAM_OF_THREAD = 2 };

/* A call, by the stream that it is on. */
struct use {
	uint64_t process, handle, thread;
	size_t call;
};

static struct use use_of(const struct trace *trace, size_t index)
{
	const struct traced_call *call = &trace->calls[index];
	struct use use = { .process = call->process, .handle = call->record.stream, .call = index };

	use.handle = use.handle == STREAM_LEGACY ? 0 : use.handle;
	use.thread = use.handle == STREAM_OF_THREAD ? call->record.thread : 0;
	return use;
}

static int compare_streams(const struct use *a, const struct use *b)
{
	return order_of(a->process, b->process) ?: order_of(a->handle, b->handle) ?:
	       order_of(a->thread, b->thread);
}

static int compare_uses(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	return compare_streams(a, b) ?: order_of(a->call, b->call);
}

/* Gives each call the track of its stream. They are in the order of process and handle. */
static int find_tracks(struct trace *trace, struct err *e)
{
	CLEANUP(free_pointer) struct use *uses = malloc((trace->count + 1) * sizeof(*uses));

	if (!uses)
		return lacks_memory(e);
	for (size_t i = 0; i < trace->count; i++)
		uses[i] = use_of(trace, i);
	qsort(uses, trace->count, sizeof(*uses), compare_uses);
	for (size_t i = 0; i < trace->count; i++) {
		trace->tracks += !i || compare_streams(&uses[i - 1], &uses[i]);
		trace->calls[uses[i].call].track = trace->tracks - 1;
	}
	return 0;
}

/* A stream, and how many of its process have a number: that is at the process's first track. */
struct stream {
	unsigned number, numbered;
};

/* Numbers streams that were created in the order of their first calls. */
static int number_streams(struct trace *trace, struct err *e)
{
	CLEANUP(free_pointer) struct stream *streams = calloc(trace->tracks + 1, sizeof(*streams));
	CLEANUP(free_pointer) size_t *firsts = calloc(trace->tracks + 1, sizeof(*firsts));
	CLEANUP(free_pointer) uint64_t *processes = calloc(trace->tracks + 1, sizeof(*processes));

	if (!streams || !firsts || !processes)
		return lacks_memory(e);
	for (size_t i = 0; i < trace->count; i++)
		processes[trace->calls[i].track] = trace->calls[i].process;
	for (size_t i = 1; i < trace->tracks; i++)
		firsts[i] = processes[i] == processes[i - 1] ? firsts[i - 1] : i;
	for (size_t i = 0; i < trace->count; i++) {
		struct traced_call *call = &trace->calls[i];
		struct stream *stream = &streams[call->track];

		if (call->record.stream <= STREAM_OF_THREAD)
			continue;
		if (!stream->number)
			stream->number = ++streams[firsts[call->track]].numbered;
		call->stream = stream->number;
	}
	return 0;
}

int trace_read(int fd, struct trace *trace, struct err *e)
{
	CLEANUP(release_notes) struct notes notes = { 0 };
	struct trace_head head;
	struct bytes all = { 0 }, chunk;

	*trace = (struct trace){ 0 };
	TRY(read_file(fd, trace, &all, e));
	if (!bytes_read(all, 0, &head, sizeof(head)))
		return 0;
	trace->dropped = atomic_load(&head.dropped);
	trace->untimed = atomic_load(&head.untimed);
	for (uint64_t i = 1; bytes_slice(all, i * TRACE_CHUNK, TRACE_CHUNK, &chunk); i++)
		TRY(read_chunk(trace, &notes, chunk, e));
	if (trace->count)
		qsort(trace->calls, trace->count, sizeof(*trace->calls), compare_calls);
	if (trace->function_count)
		qsort(trace->functions, trace->function_count, sizeof(*trace->functions),
		      compare_functions);
	if (trace->counts_count)
		qsort(trace->counts, trace->counts_count, sizeof(*trace->counts),
		      compare_counted);
	apply_types(&notes, trace);
	assign_functions(trace);
	TRY(find_tracks(trace, e));
	TRY(rans_apply(&notes.rans, trace, e));
	trace_name_list_apply(&notes.names, trace);
	return number_streams(trace, e);
}

void trace_release(struct trace *trace)
{
	for (size_t i = 0; i < trace->function_count; i++) {
		free(trace->functions[i].name);
		free(trace->functions[i].signature);
		free(trace->functions[i].params);
	}
	free(trace->functions);
	free(trace->counts);
	free(trace->calls);
	free(trace->bytes);
	*trace = (struct trace){ 0 };
}
