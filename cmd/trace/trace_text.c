/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "message.h"
#include "signature.h"
#include "value.h"

enum { MOST_LINES = 1000 };

/* ---- arguments ---- */

size_t trace_argument_count(const struct traced_call *call)
{
	return call->function && call->args.size ? call->function->count : 0;
}

/* Of no type that is known: small numbers are counts, large ones addresses. */
static bool format_whole(struct bytes bytes, char text[TRACE_ARGUMENT_SIZE])
{
	uint64_t value = 0;

	memcpy(&value, bytes.data, bytes.size);
	if (value >> 32)
		snprintf(text, TRACE_ARGUMENT_SIZE, "0x%" PRIx64, value);
	else
		snprintf(text, TRACE_ARGUMENT_SIZE, "%" PRIu64, value);
	return !(value >> 32);
}

static bool format_bytes(struct bytes bytes, char text[TRACE_ARGUMENT_SIZE])
{
	const size_t most = 24;
	size_t length = (size_t)snprintf(text, TRACE_ARGUMENT_SIZE, "0x");

	for (size_t i = 0; i < bytes.size && i < most; i++)
		length += (size_t)snprintf(text + length, TRACE_ARGUMENT_SIZE - length, "%02x",
					   bytes.data[i]);
	if (bytes.size > most)
		snprintf(text + length, TRACE_ARGUMENT_SIZE - length, "... (%zu bytes)",
			 bytes.size);
	return false;
}

/* The type that @param was declared with, if that is of numbers; "u32" and "b32" say no more than
 * its size. */
static bool find_declared(const struct trace_param *param, enum value_type *type)
{
	char name[sizeof(param->type)];

	memcpy(name, param->type, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	if (*name == 'u' || (*name == 'b' && name[1] != 'f'))
		return false;
	if (*name == 's')
		*name = 'i';
	return value_type_find(name, strlen(name), type);
}

/* The type of argument @index of @call; false: of its size alone. */
static bool find_argument_type(const struct traced_call *call, size_t index,
			       struct signature_param *out)
{
	const struct traced_function *function = call->function;

	out->pointer = false;
	return signature_param(function->signature, index, function->count, out) ||
	       find_declared(&function->params[index], &out->type);
}

bool trace_argument(const struct traced_call *call, size_t index, char text[TRACE_ARGUMENT_SIZE])
{
	const struct trace_param *param = &call->function->params[index];
	struct signature_param type;
	struct bytes bytes;
	uint64_t address;

	snprintf(text, TRACE_ARGUMENT_SIZE, "?");
	if (!bytes_slice(call->args, param->offset, param->size, &bytes) || !bytes.size)
		return false;
	if (!find_argument_type(call, index, &type))
		return bytes.size <= sizeof(uint64_t) ? format_whole(bytes, text) :
							format_bytes(bytes, text);
	if (type.pointer) {
		if (!bytes_read(bytes, 0, &address, sizeof(address)))
			return false;
		snprintf(text, TRACE_ARGUMENT_SIZE, "0x%" PRIx64, address);
		return false;
	}
	if (value_info(type.type)->size != bytes.size)
		return format_bytes(bytes, text);
	value_format(type.type, bytes.data, text);
	return value_info(type.type)->parts == 1;
}

/* ---- lines ---- */

static void print_dims(FILE *to, const char *what, const uint32_t dims[3])
{
	fprintf(to, " %s %u", what, dims[0]);
	if (dims[1] > 1 || dims[2] > 1)
		fprintf(to, "x%u", dims[1]);
	if (dims[2] > 1)
		fprintf(to, "x%u", dims[2]);
}

static void print_launch(FILE *to, const struct traced_call *call)
{
	const struct trace_record *record = &call->record;
	const size_t count = trace_argument_count(call);
	char text[TRACE_ARGUMENT_SIZE];

	fprintf(to, "launch %s,", call->function && *call->function->signature ?
					  call->function->signature : "of an unknown kernel");
	print_dims(to, "grid", record->grid);
	fputc(',', to);
	print_dims(to, "block", record->block);
	if (record->cluster[0])
		print_dims(to, ", cluster", record->cluster);
	if (record->shared)
		fprintf(to, ", shared %u", record->shared);
	if (record->flags & TRACE_COOPERATIVE)
		fputs(", cooperative", to);
	for (size_t i = 0; i < count; i++) {
		trace_argument(call, i, text);
		fprintf(to, "%s%s", i ? ", " : ", args ", text);
	}
}

static void print_memory(FILE *to, const struct traced_call *call)
{
	const struct trace_record *record = &call->record;

	fputs(trace_kind_name(record->kind), to);
	if (record->kind != TRACE_FREE)
		fprintf(to, " %" PRIu64 " bytes", record->bytes);
	if (record->kind == TRACE_COPY && record->source)
		fprintf(to, " from 0x%" PRIx64, record->source);
	if (record->address)
		fprintf(to, "%s 0x%" PRIx64, record->kind == TRACE_COPY ? " to" : " at",
			record->address);
	if (record->kind == TRACE_FILL)
		fprintf(to, " with 0x%" PRIx64, record->source);
}

/* "event 0x..." after what is about one. */
static void print_other(FILE *to, const struct traced_call *call)
{
	static const char *const of[TRACE_KINDS] = {
		[TRACE_GRAPH] = "", [TRACE_LOAD] = " module", [TRACE_UNLOAD] = " module",
		[TRACE_RECORD] = " event", [TRACE_WAIT] = " for event",
		[TRACE_SYNC] = " with event",
	};
	const struct trace_record *record = &call->record;

	fputs(trace_kind_name(record->kind), to);
	if (call->event_name)
		fprintf(to, "%s %s", of[record->kind], call->event_name);
	else if (record->handle && of[record->kind])
		fprintf(to, "%s 0x%" PRIx64, of[record->kind], record->handle);
	else if (record->address)
		fprintf(to, " 0x%" PRIx64, record->address);
}

static void print_call(FILE *to, const struct traced_call *call)
{
	const struct trace_record *record = &call->record;
	char counted[COUNTS_TEXT];

	if (record->kind == TRACE_LAUNCH)
		print_launch(to, call);
	else if (!strcmp(trace_category(record->kind), "memory"))
		print_memory(to, call);
	else
		print_other(to, call);
	if (call->stream_name)
		fprintf(to, ", stream %s", call->stream_name);
	else if (call->stream)
		fprintf(to, ", stream %u", call->stream);
	if (record->result)
		fprintf(to, ": failed with %s", *call->error ? call->error : "an unknown error");
	else if (call->unfinished)
		fputs(": not finished", to);
	else if (call->ran_begin)
		fprintf(to, ": %.3f us", (double)(call->ran_end - call->ran_begin) / 1000);
	if (call->counted)
		fprintf(to, ", counted %s", counts_text(call->counted, counted));
}

/* Tells whether the calls are of several processes, which lines have to tell apart. */
static bool has_processes(const struct trace *trace)
{
	for (size_t i = 1; i < trace->count; i++)
		if (trace->calls[i].process != trace->calls[0].process)
			return true;
	return false;
}

static void say(const struct traced_call *call, bool processes)
{
	CLEANUP(free_pointer) char *line = NULL;
	size_t size;
	FILE *to = open_memstream(&line, &size);

	if (!to)
		return;
	if (processes)
		fprintf(to, "%" PRIu64 ": ", call->process);
	print_call(to, call);
	if (!fclose(to))
		message_verbose("%s", line);
}

void trace_say(const struct trace *trace)
{
	const bool processes = has_processes(trace);

	for (size_t i = 0; i < trace->count && i < MOST_LINES; i++)
		say(&trace->calls[i], processes);
	if (trace->count > MOST_LINES)
		message_verbose("and %zu more calls; --trace FILE has all of them",
				trace->count - MOST_LINES);
}
