/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "traced.h"

#include <stdio.h>

#include "clock.h"

__thread struct traced traced;

uint64_t trace_number(void)
{
	static _Atomic uint64_t last;

	traced.id = atomic_fetch_add(&last, 1) + 1;
	traced.end = 0;
	return clock_now();
}

/* Not asked of the driver, which may have ended. */
static const char *name_of(CUresult result)
{
	static const struct {
		CUresult number;
		const char *name;
	} results[] = {
#define CUDA_ERROR(name, number, meaning) { name, #name },
		CUDA_RESULTS
#undef CUDA_ERROR
	};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].number == result)
			return results[i].name;
	return "an error that has no name here";
}

void trace_call(struct trace_record *record, const void *more, size_t more_size)
{
	char name[160];

	record->result = (int32_t)traced.result;
	record->id = traced.id;
	record->begin = traced.begin;
	record->end = traced.end ? traced.end : clock_now();
	if (traced.result)
		snprintf(name, sizeof(name), "%s %s", traced.name,
			 name_of(traced.result));
	trace_write(record, traced.result ? name : traced.name, more, more_size);
	if (record->kind == TRACE_UNLOAD)
		trace_forget_functions();
}

void trace_ran(uint64_t id, uint64_t begin, uint64_t end)
{
	struct trace_record record = { .kind = TRACE_RAN, .id = id, .begin = begin, .end = end };

	trace_write(&record, "", NULL, 0);
}

void trace_counted(uint64_t id, const struct counted *counted)
{
	struct trace_record record = { .kind = TRACE_COUNTED, .id = id };

	trace_write(&record, "", counted, sizeof(*counted));
}

/* ---- one function for each call, of its parameters ---- */

#define HANDLE(value) ((uint64_t)(uintptr_t)(value))
#define WORKED        (!traced.result)
/* What a call that failed left there is not looked at, nor what it was given. */
#define GOT(pointer) (WORKED && (pointer) ? *(pointer) : (__typeof__(*(pointer)))0)

#define ON(where)  .stream = HANDLE((where) ? (where) : traced.instead)
#define PLAIN_COPY .address = HANDLE(dst), .source = HANDLE(src), .bytes = size

/* An end of a copy of parts: where the memory begins, not where the part does. */
#define SIDE(copy, side)                                                           \
	(!WORKED ? 0 : (copy)->side##MemoryType == CU_MEMORYTYPE_ARRAY ?           \
	 HANDLE((copy)->side##Array) : (copy)->side##MemoryType == CU_MEMORYTYPE_HOST ? \
	 HANDLE((copy)->side##Host) : (copy)->side##Device)
#define RECTANGLE(copy)                                                     \
	.address = SIDE(copy, dst), .source = SIDE(copy, src),              \
	.bytes = WORKED ? (copy)->WidthInBytes * (copy)->Height : 0
#define BOX(copy)                                              \
	.address = SIDE(copy, dst), .source = SIDE(copy, src), \
	.bytes = WORKED ? (copy)->WidthInBytes * (copy)->Height * (copy)->Depth : 0

static uint64_t sum(const size_t *sizes, size_t count)
{
	uint64_t bytes = 0;

	for (size_t i = 0; WORKED && i < count; i++)
		bytes += sizes[i];
	return bytes;
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define TRACED(name, what, params, ...)                                                \
	void trace_##name params                                                       \
	{                                                                              \
		trace_call(&(struct trace_record){ .kind = TRACE_##what, __VA_ARGS__ }, \
			   NULL, 0);                                                   \
	}
#include "traced.def"
