/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "counts.h"
#include "trace_text.h"

enum { MOST_CALLS = 10000 };

static void report_hex(struct json *json, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_string(json, key, text);
}

static void report_args(const struct traced_call *call, struct json *json)
{
	const size_t count = trace_argument_count(call);
	char text[TRACE_ARGUMENT_SIZE];

	json_array(json, "args");
	for (size_t i = 0; i < count; i++) {
		if (trace_argument(call, i, text))
			json_number(json, NULL, text);
		else
			json_string(json, NULL, text);
	}
	json_end_array(json);
}

static void report_launch(const struct traced_call *call, struct json *json)
{
	const struct trace_record *record = &call->record;
	const struct traced_function *function = call->function;

	json_string(json, "kernel", function && *function->name ? function->signature : NULL);
	json_string(json, "mangled", function && *function->name ? function->name : NULL);
	json_dims(json, "grid", record->grid);
	json_dims(json, "block", record->block);
	if (record->cluster[0])
		json_dims(json, "cluster", record->cluster);
	if (record->flags & TRACE_COOPERATIVE)
		json_bool(json, "cooperative", true);
	json_unsigned(json, "shared", record->shared);
	if (call->args.size || (function && !function->count))
		report_args(call, json);
	if (call->counted)
		counts_report(json, call->counted);
}

void trace_report_call(const struct traced_call *call, struct json *json)
{
	const struct trace_record *record = &call->record;
	const bool is_memory = !strcmp(trace_category(record->kind), "memory");

	if (record->kind == TRACE_LAUNCH)
		report_launch(call, json);
	else if (record->handle)
		report_hex(json, "handle", record->handle);
	if (record->address)
		report_hex(json, record->kind == TRACE_COPY ? "to" : "address", record->address);
	if (record->kind == TRACE_COPY && record->source)
		report_hex(json, "from", record->source);
	if (is_memory && record->kind != TRACE_FREE)
		json_unsigned(json, "bytes", record->bytes);
	if (call->unfinished)
		json_bool(json, "unfinished", true);
	if (call->event_name)
		json_string(json, "event", call->event_name);
	json_unsigned(json, "stream", call->stream);
	if (call->stream_name)
		json_string(json, "stream_name", call->stream_name);
	if (record->result) {
		json_string(json, "failed", *call->error ? call->error : "an unknown error");
		json_unsigned(json, "cuda_error", (uint64_t)(uint32_t)record->result);
	}
}

void trace_report(const struct trace *trace, struct json *json)
{
	json_array(json, "calls");
	for (size_t i = 0; i < trace->count && i < MOST_CALLS; i++) {
		const struct traced_call *call = &trace->calls[i];

		json_object(json, NULL);
		json_string(json, "do", trace_kind_name(call->record.kind));
		json_string(json, "call", call->name);
		json_unsigned(json, "process", call->process);
		json_unsigned(json, "thread", call->record.thread);
		json_unsigned(json, "begin_ns", call->record.begin - trace->calls[0].record.begin);
		json_unsigned(json, "host_ns", call->record.end - call->record.begin);
		trace_report_call(call, json);
		if (call->ran_begin && !call->unfinished)
			json_unsigned(json, "gpu_ns", call->ran_end - call->ran_begin);
		json_end_object(json);
	}
	json_end_array(json);
	if (trace->count > MOST_CALLS)
		json_unsigned(json, "calls_left_out", trace->count - MOST_CALLS);
}
