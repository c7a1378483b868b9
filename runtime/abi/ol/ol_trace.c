/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ol_trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* An enumerator; of a property also the type of its value. */
struct row {
	const char *name;
	enum ol_type type;
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

#define OL_ERRC(label, value) [value] = { .name = "OL_ERRC_" #label },
static const struct row errcs[] = {
#include "ol_enum.def"
};
#define OL_ALLOC_TYPE(label, value) [value] = { .name = "OL_ALLOC_TYPE_" #label },
static const struct row alloc_types[] = {
#include "ol_enum.def"
};
#define OL_DEVICE_TYPE(label, value) [value] = { .name = "OL_DEVICE_TYPE_" #label },
static const struct row device_types[] = {
#include "ol_enum.def"
};
#define OL_PLATFORM_BACKEND(label, value) [value] = { .name = "OL_PLATFORM_BACKEND_" #label },
static const struct row backends[] = {
#include "ol_enum.def"
};
#define OL_SYMBOL_KIND(label, value) [value] = { .name = "OL_SYMBOL_KIND_" #label },
static const struct row symbol_kinds[] = {
#include "ol_enum.def"
};
#define OL_PLATFORM_INFO(label, value, kind)                                              \
	[value] = { "OL_PLATFORM_INFO_" #label, OL_TYPE_##kind },
static const struct row platform_infos[] = {
#include "ol_enum.def"
};
#define OL_DEVICE_INFO(label, value, kind)                                                \
	[value] = { "OL_DEVICE_INFO_" #label, OL_TYPE_##kind },
static const struct row device_infos[] = {
#include "ol_enum.def"
};
#define OL_MEM_INFO(label, value, kind) [value] = { "OL_MEM_INFO_" #label, OL_TYPE_##kind },
static const struct row mem_infos[] = {
#include "ol_enum.def"
};
#define OL_QUEUE_INFO(label, value, kind)                                                 \
	[value] = { "OL_QUEUE_INFO_" #label, OL_TYPE_##kind },
static const struct row queue_infos[] = {
#include "ol_enum.def"
};
#define OL_EVENT_INFO(label, value, kind)                                                 \
	[value] = { "OL_EVENT_INFO_" #label, OL_TYPE_##kind },
static const struct row event_infos[] = {
#include "ol_enum.def"
};
#define OL_SYMBOL_INFO(label, value, kind)                                                \
	[value] = { "OL_SYMBOL_INFO_" #label, OL_TYPE_##kind },
static const struct row symbol_infos[] = {
#include "ol_enum.def"
};

static const struct rows {
	const struct row *rows;
	size_t count;
} enums[] = {
	[OL_ENUM_ERRC] = { errcs, COUNT(errcs) },
	[OL_ENUM_ALLOC_TYPE] = { alloc_types, COUNT(alloc_types) },
	[OL_ENUM_DEVICE_TYPE] = { device_types, COUNT(device_types) },
	[OL_ENUM_BACKEND] = { backends, COUNT(backends) },
	[OL_ENUM_SYMBOL_KIND] = { symbol_kinds, COUNT(symbol_kinds) },
	[OL_ENUM_PLATFORM_INFO] = { platform_infos, COUNT(platform_infos) },
	[OL_ENUM_DEVICE_INFO] = { device_infos, COUNT(device_infos) },
	[OL_ENUM_MEM_INFO] = { mem_infos, COUNT(mem_infos) },
	[OL_ENUM_QUEUE_INFO] = { queue_infos, COUNT(queue_infos) },
	[OL_ENUM_EVENT_INFO] = { event_infos, COUNT(event_infos) },
	[OL_ENUM_SYMBOL_INFO] = { symbol_infos, COUNT(symbol_infos) },
};

/* NULL: there is none of that value. */
static const struct row *find_enum_row(enum ol_enum kind, int value)
{
	return value >= 0 && (size_t)value < enums[kind].count ? &enums[kind].rows[value] : NULL;
}

static const char *name_of(enum ol_enum kind, int value)
{
	const struct row *row = find_enum_row(kind, value);

	return row ? row->name : "unknown enumerator";
}

__attribute__((format(printf, 2, 3)))
static void trace_add(struct ol_trace *trace, const char *format, ...)
{
	size_t room = sizeof(trace->text) - trace->length;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(trace->text + trace->length, room, format, args);
	va_end(args);
	if (length > 0)
		trace->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* Begins a parameter. */
static void add_name(struct ol_trace *trace, const char *name)
{
	bool first = trace->text[trace->length - 1] == '(';

	trace_add(trace, "%s.%s = ", first ? "" : ", ", name);
}

static void add_pointer(struct ol_trace *trace, const void *pointer)
{
	if (pointer)
		trace_add(trace, "%p", pointer);
	else
		trace_add(trace, "nullptr");
}

static void add_dimensions(struct ol_trace *trace, const ol_dimensions_t *d)
{
	trace_add(trace, "(struct ol_dimensions_t){.x = %u, .y = %u, .z = %u}", d->x, d->y, d->z);
}

/* Shows what @value points to, of @size bytes at most where it is a string. */
static void add_value(struct ol_trace *trace, enum ol_type type, const void *value, int size)
{
	switch (type) {
	case OL_TYPE_STRING:
		trace_add(trace, "%.*s", size, (const char *)value);
		return;
	case OL_TYPE_U32:
		trace_add(trace, "%u", *(const uint32_t *)value);
		return;
	case OL_TYPE_U64:
		trace_add(trace, "%llu", *(const unsigned long long *)value);
		return;
	case OL_TYPE_BOOL:
		trace_add(trace, "%d", *(const bool *)value);
		return;
	case OL_TYPE_FLOAT:
		trace_add(trace, "%f", (double)*(const float *)value);
		return;
	case OL_TYPE_HANDLE:
	case OL_TYPE_POINTER:
		add_pointer(trace, *(void *const *)value);
		return;
	case OL_TYPE_DIMENSIONS:
		add_dimensions(trace, value);
		return;
	case OL_TYPE_ALLOC_TYPE:
		trace_add(trace, "%s", name_of(OL_ENUM_ALLOC_TYPE, *(const int *)value));
		return;
	case OL_TYPE_DEVICE_TYPE:
		trace_add(trace, "%s", name_of(OL_ENUM_DEVICE_TYPE, *(const int *)value));
		return;
	case OL_TYPE_BACKEND:
		trace_add(trace, "%s", name_of(OL_ENUM_BACKEND, *(const int *)value));
		return;
	case OL_TYPE_SYMBOL_KIND:
		trace_add(trace, "%s", name_of(OL_ENUM_SYMBOL_KIND, *(const int *)value));
		return;
	}
}

/* Shows a pointer and, where the call has written it, what it points to. */
static void add_out(struct ol_trace *trace, const void *out, enum ol_type type, size_t size)
{
	int most = size < sizeof(trace->text) ? (int)size : (int)sizeof(trace->text);

	add_pointer(trace, out);
	if (!out || trace->result)
		return;
	trace_add(trace, " (");
	add_value(trace, type, out, most);
	trace_add(trace, ")");
}

void ol_trace_begin(struct ol_trace *trace, const char *function, ol_result_t result)
{
	trace->length = 0;
	trace->result = result;
	trace_add(trace, "---> %s(", function);
}

void ol_trace_pointer(struct ol_trace *trace, const char *name, const void *pointer)
{
	add_name(trace, name);
	add_pointer(trace, pointer);
}

void ol_trace_callback(struct ol_trace *trace, const char *name, void (*function)(void))
{
	add_name(trace, name);
	trace_add(trace, "0x%llx", (unsigned long long)(uintptr_t)function);
}

void ol_trace_string(struct ol_trace *trace, const char *name, const char *text)
{
	add_name(trace, name);
	add_pointer(trace, text);
	if (text)
		trace_add(trace, " (%.256s)", text);
}

void ol_trace_size(struct ol_trace *trace, const char *name, size_t size)
{
	add_name(trace, name);
	trace_add(trace, "%zu", size);
}

void ol_trace_enum(struct ol_trace *trace, const char *name, enum ol_enum kind, int value)
{
	add_name(trace, name);
	trace_add(trace, "%s", name_of(kind, value));
}

void ol_trace_out(struct ol_trace *trace, const char *name, const void *out,
		  enum ol_type type)
{
	add_name(trace, name);
	add_out(trace, out, type, 0);
}

static bool is_full(const struct ol_trace *trace)
{
	return trace->length == sizeof(trace->text) - 1;
}

/* A call that failed may have been passed a count of more elements than exist. */
void ol_trace_list(struct ol_trace *trace, const char *name, const void *list, size_t count)
{
	add_name(trace, name);
	add_pointer(trace, list);
	if (!list || !count || trace->result)
		return;
	for (size_t i = 0; i < count && !is_full(trace); i++) {
		trace_add(trace, i ? ", " : " (");
		add_pointer(trace, ((void *const *)list)[i]);
	}
	trace_add(trace, ")");
}

void ol_trace_info(struct ol_trace *trace, enum ol_enum kind, int name, size_t size,
		   const void *value)
{
	const struct row *row = find_enum_row(kind, name);

	ol_trace_enum(trace, "PropName", kind, name);
	ol_trace_size(trace, "PropSize", size);
	add_name(trace, "PropValue");
	if (row)
		add_out(trace, value, row->type, size);
	else
		add_pointer(trace, value);
}

void ol_trace_launch(struct ol_trace *trace, const char *name,
		     const ol_kernel_launch_size_args_t *launch)
{
	add_name(trace, name);
	add_pointer(trace, launch);
	if (!launch)
		return;
	trace_add(trace, " ((struct ol_kernel_launch_size_args_t){.Dimensions = %zu, .NumGroups = ",
		  launch->Dimensions);
	add_dimensions(trace, &launch->NumGroups);
	trace_add(trace, ", .GroupSize = ");
	add_dimensions(trace, &launch->GroupSize);
	trace_add(trace, ", .DynSharedMemory = %zu})", launch->DynSharedMemory);
}

/* A struct that is too short is not read further. */
void ol_trace_init(struct ol_trace *trace, const char *name, const ol_init_args_t *args)
{
	add_name(trace, name);
	add_pointer(trace, args);
	if (!args || args->Size < sizeof(*args))
		return;
	trace_add(trace, " ((struct ol_init_args_t){.Size = %zu, .NumPlatforms = %u, .Platforms = ",
		  args->Size, args->NumPlatforms);
	add_pointer(trace, args->Platforms);
	trace_add(trace, "})");
}

void ol_trace_end(struct ol_trace *trace)
{
	ol_result_t result = trace->result;

	if (result)
		fprintf(stderr, "%s)-> %s\n     *Error Details* %s \n", trace->text,
			name_of(OL_ENUM_ERRC, (int)result->Code), result->Details);
	else
		fprintf(stderr, "%s)-> OL_SUCCESS\n", trace->text);
}
