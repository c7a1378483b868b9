/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_chrome.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "json.h"
#include "trace_json.h"

/* Added to a process's number for the tracks of its streams: no process has so large a one. */
#define DEVICE_OF 10000000

struct chrome {
	const struct trace *trace;
	struct json json;
	uint64_t arrows; /* so far */
};

/* A place on a track. */
struct point {
	uint64_t process, thread, time;
};

/* ---- events of the format ---- */

static void write_time(struct chrome *chrome, const char *key, uint64_t nanoseconds)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03u", nanoseconds / 1000,
		 (unsigned)(nanoseconds % 1000));
	json_number(&chrome->json, key, text);
}

/* Times count from the first call's. */
static uint64_t since_begin(const struct chrome *chrome, uint64_t time)
{
	const uint64_t begin = chrome->trace->calls[0].record.begin;

	return time > begin ? time - begin : 0;
}

static void begin_event(struct chrome *chrome, const char *phase, const char *name,
			const struct point *at)
{
	json_object(&chrome->json, NULL);
	json_string(&chrome->json, "ph", phase);
	json_string(&chrome->json, "name", name);
	json_unsigned(&chrome->json, "pid", at->process);
	json_unsigned(&chrome->json, "tid", at->thread);
	write_time(chrome, "ts", since_begin(chrome, at->time));
}

static void write_slice(struct chrome *chrome, const char *name, const struct traced_call *call,
			const struct point *at, uint64_t end)
{
	begin_event(chrome, "X", name, at);
	write_time(chrome, "dur", end > at->time ? end - at->time : 0);
	json_string(&chrome->json, "cat", trace_category(call->record.kind));
	json_object(&chrome->json, "args");
	trace_report_call(call, &chrome->json);
	json_end_object(&chrome->json);
	json_end_object(&chrome->json);
}

static void write_arrow(struct chrome *chrome, const char *name, const struct point *from,
			const struct point *to)
{
	const uint64_t id = ++chrome->arrows;

	begin_event(chrome, "s", name, from);
	json_string(&chrome->json, "cat", name);
	json_unsigned(&chrome->json, "id", id);
	json_end_object(&chrome->json);
	begin_event(chrome, "f", name, to);
	json_string(&chrome->json, "bp", "e");
	json_string(&chrome->json, "cat", name);
	json_unsigned(&chrome->json, "id", id);
	json_end_object(&chrome->json);
}

static void write_name(struct chrome *chrome, const char *of, const struct point *at,
		       const char *name)
{
	begin_event(chrome, "M", of, at);
	json_object(&chrome->json, "args");
	json_string(&chrome->json, "name", name);
	json_end_object(&chrome->json);
	json_end_object(&chrome->json);
}

/* ---- calls ---- */

static struct point host_point(const struct traced_call *call)
{
	return (struct point){ call->process, call->record.thread, call->record.begin };
}

/* Where the device begins what the call asked for. */
static struct point device_point(const struct traced_call *call)
{
	return (struct point){ DEVICE_OF + call->process, call->track, call->ran_begin };
}

static const char *device_name(const struct traced_call *call)
{
	return call->function && *call->function->signature ? call->function->signature :
							      trace_kind_name(call->record.kind);
}

static void write_call(struct chrome *chrome, const struct traced_call *call)
{
	const struct point host = host_point(call), device = device_point(call);

	write_slice(chrome, call->name, call, &host, call->record.end);
	if (!call->ran_begin)
		return;
	write_slice(chrome, device_name(call), call, &device, call->ran_end);
	write_arrow(chrome, "starts", &host, &device);
}

/* ---- names of tracks: at the first call of each ---- */

static void name_device(struct chrome *chrome, const struct traced_call *call)
{
	const struct point at = { DEVICE_OF + call->process, call->track, call->record.begin };
	char name[64];

	snprintf(name, sizeof(name), "device, process %" PRIu64, call->process);
	write_name(chrome, "process_name", &at, name);
	if (call->stream_name)
		snprintf(name, sizeof(name), "stream %s", call->stream_name);
	else if (call->stream)
		snprintf(name, sizeof(name), "stream %u", call->stream);
	else
		snprintf(name, sizeof(name), "default stream");
	write_name(chrome, "thread_name", &at, name);
}

static int name_tracks(struct chrome *chrome, struct err *e)
{
	const struct trace *trace = chrome->trace;
	CLEANUP(free_pointer) bool *named = calloc(trace->tracks + 1, sizeof(*named));
	uint64_t process = 0;

	if (!named)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the trace");
	for (size_t i = 0; i < trace->count; i++) {
		const struct traced_call *call = &trace->calls[i];
		const struct point at = host_point(call);
		char name[64];

		if (call->process != process) {
			process = call->process;
			snprintf(name, sizeof(name), "process %" PRIu64, process);
			write_name(chrome, "process_name", &at, name);
		}
		if (call->ran_begin && !named[call->track]) {
			name_device(chrome, call);
			named[call->track] = true;
		}
	}
	return 0;
}

/* ---- arrows for events ---- */

/* A record of an event, or a wait for it. */
struct mark {
	uint64_t process, event;
	size_t call;
};

static int compare_marks(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	return order_of(a->process, b->process) ?: order_of(a->event, b->event) ?:
	       order_of(a->call, b->call);
}

/* By call: the work of its stream before a record, or after a wait; NONE of them: trace->count. */
static void find_neighbours(const struct trace *trace, size_t *neighbours, size_t *of_track)
{
	for (size_t i = 0; i < trace->tracks; i++)
		of_track[i] = trace->count;
	for (size_t i = 0; i < trace->count; i++) {
		if (trace->calls[i].ran_begin)
			of_track[trace->calls[i].track] = i;
		if (trace->calls[i].record.kind == TRACE_RECORD)
			neighbours[i] = of_track[trace->calls[i].track];
	}
	for (size_t i = 0; i < trace->tracks; i++)
		of_track[i] = trace->count;
	for (size_t i = trace->count; i-- > 0;) {
		if (trace->calls[i].ran_begin)
			of_track[trace->calls[i].track] = i;
		if (trace->calls[i].record.kind == TRACE_WAIT)
			neighbours[i] = of_track[trace->calls[i].track];
	}
}

/* Between what ran, or, where that is not known, between the calls. */
static void write_wait(struct chrome *chrome, size_t record, size_t wait, const size_t *neighbours)
{
	const struct trace *trace = chrome->trace;
	const size_t before = neighbours[record], after = neighbours[wait];
	struct point from = host_point(&trace->calls[record]), to = host_point(&trace->calls[wait]);

	if (before < trace->count && after < trace->count &&
	    trace->calls[before].ran_end <= trace->calls[after].ran_begin) {
		from = device_point(&trace->calls[before]);
		from.time = trace->calls[before].ran_end;
		to = device_point(&trace->calls[after]);
	}
	write_arrow(chrome, "waits", &from, &to);
}

static int write_waits(struct chrome *chrome, struct err *e)
{
	const struct trace *trace = chrome->trace;
	CLEANUP(free_pointer) struct mark *marks = malloc((trace->count + 1) * sizeof(*marks));
	CLEANUP(free_pointer) size_t *neighbours = malloc((trace->count + 1) * sizeof(size_t));
	CLEANUP(free_pointer) size_t *of_track = malloc((trace->tracks + 1) * sizeof(size_t));
	size_t count = 0, record = trace->count;

	if (!marks || !neighbours || !of_track)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the trace");
	find_neighbours(trace, neighbours, of_track);
	for (size_t i = 0; i < trace->count; i++) {
		const struct traced_call *call = &trace->calls[i];

		if (!strcmp(trace_category(call->record.kind), "event") && call->record.handle &&
		    !call->record.result)
			marks[count++] = (struct mark){ call->process, call->record.handle, i };
	}
	qsort(marks, count, sizeof(*marks), compare_marks);
	for (size_t i = 0; i < count; i++) {
		const bool other = !i || marks[i].process != marks[i - 1].process ||
				   marks[i].event != marks[i - 1].event;

		record = other ? trace->count : record;
		if (trace->calls[marks[i].call].record.kind == TRACE_RECORD)
			record = marks[i].call;
		else if (record < trace->count)
			write_wait(chrome, record, marks[i].call, neighbours);
	}
	return 0;
}

/* ---- the file ---- */

static int write_events(struct chrome *chrome, struct err *e)
{
	const struct trace *trace = chrome->trace;

	json_object(&chrome->json, NULL);
	json_string(&chrome->json, "displayTimeUnit", "ns");
	json_object(&chrome->json, "otherData");
	json_string(&chrome->json, "writer", "gpurun");
	json_unsigned(&chrome->json, "dropped", trace->dropped);
	json_unsigned(&chrome->json, "untimed", trace->untimed);
	json_end_object(&chrome->json);
	json_array(&chrome->json, "traceEvents");
	TRY(name_tracks(chrome, e));
	for (size_t i = 0; i < trace->count; i++)
		write_call(chrome, &trace->calls[i]);
	TRY(write_waits(chrome, e));
	json_end_array(&chrome->json);
	json_end_object(&chrome->json);
	fputc('\n', chrome->json.to);
	return 0;
}

int trace_write_chrome(const struct trace *trace, const char *path, struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;
	struct chrome chrome = { .trace = trace };
	struct bytes bytes;
	size_t size;
	int status;

	chrome.json.to = open_memstream(&text, &size);
	if (!chrome.json.to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the trace");
	status = write_events(&chrome, e);
	if (fclose(chrome.json.to) && !status)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the trace");
	bytes = (struct bytes){ (const uint8_t *)text, size };
	return status ? status : file_replace(path, &bytes, 1, true, e);
}
