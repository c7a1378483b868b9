/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_format.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "demangle.h"
#include "visible.h"

static const struct {
	const char *name;
	int error;
} kinds[REPORT_KINDS] = {
#define REPORT_KIND(name, text, error, meaning) [KIND_##name] = { text, error },
#include "report_kinds.def"
};

const char *report_kind_name(enum report_kind kind)
{
	ASSERT((unsigned)kind < REPORT_KINDS && kinds[kind].name);
	return kinds[kind].name;
}

int report_kind_error(enum report_kind kind)
{
	ASSERT((unsigned)kind < REPORT_KINDS);
	return kinds[kind].error;
}

enum report_kind report_kind_of(int error)
{
	for (int i = 0; i < REPORT_KINDS; i++)
		if (error && kinds[i].error == error)
			return (enum report_kind)i;
	return KIND_OTHER;
}

/* ---- records --------------------------------------------------------------------------- */

/* Where the structure has its strings; short ones first, since long ones are cut. */
static const size_t strings[] = {
	offsetof(struct gpurun_report, kind),	      offsetof(struct gpurun_report, check),
	offsetof(struct gpurun_report, error_name),   offsetof(struct gpurun_report, call),
	offsetof(struct gpurun_report, access),	      offsetof(struct gpurun_report, space),
	offsetof(struct gpurun_report, other_access), offsetof(struct gpurun_report, other),
	offsetof(struct gpurun_report, what),	      offsetof(struct gpurun_report, hint),
	offsetof(struct gpurun_report, instruction),  offsetof(struct gpurun_report, file),
	offsetof(struct gpurun_report, kernel),	      offsetof(struct gpurun_report, inlined),
};
enum { STRINGS = sizeof(strings) / sizeof(strings[0]) };

static_assert(sizeof(struct gpurun_report) + STRINGS <= REPORT_LEAST,
	      "the smallest record has the structure and empty strings");
static_assert(REPORT_LEAST <= REPORT_MOST, "the largest record is not smaller");

static const char **string_of(struct gpurun_report *report, size_t i)
{
	return (const char **)((char *)report + strings[i]);
}

struct gpurun_report report_none(void)
{
	struct gpurun_report report = { .struct_size = sizeof(report) };

	for (size_t i = 0; i < STRINGS; i++)
		*string_of(&report, i) = "";
	return report;
}

size_t report_pack(const struct gpurun_report *report, void *record, size_t size)
{
	struct gpurun_report head = *report;
	size_t used = sizeof(head);

	ASSERT(size >= REPORT_LEAST);
	for (size_t i = 0; i < STRINGS; i++) {
		const char **string = string_of(&head, i);
		const size_t room = size - used - (STRINGS - i), length = strnlen(*string, room);

		memcpy((char *)record + used, *string, length);
		((char *)record)[used + length] = '\0';
		*string = (const char *)used;
		used += length + 1;
	}
	ASSERT(used <= size);
	head.struct_size = used;
	memcpy(record, &head, sizeof(head));
	return used;
}

size_t report_unpack(struct bytes bytes, struct gpurun_report *report)
{
	size_t size;

	*report = report_none();
	if (!bytes_read(bytes, 0, &size, sizeof(size)) || !bytes_at(bytes, 0, size) ||
	    size <= sizeof(*report) || bytes.data[size - 1])
		return 0;
	memcpy(report, bytes.data, sizeof(*report));
	for (size_t i = 0; i < STRINGS; i++) {
		const char **string = string_of(report, i);
		const size_t at = (size_t)*string;

		*string = at >= sizeof(*report) && at < size ? (const char *)bytes.data + at : "";
	}
	report->struct_size = sizeof(*report);
	return size;
}

void *report_copy(const struct gpurun_report *report)
{
	char record[REPORT_MOST];
	const size_t size = report_pack(report, record, sizeof(record));
	void *copy = malloc(size);

	return copy ? memcpy(copy, record, size) : NULL;
}

bool report_read(const void *record, struct gpurun_report *report)
{
	size_t size = 0;

	if (record)
		memcpy(&size, record, sizeof(size));
	ASSERT(!record || (size > sizeof(*report) && size <= REPORT_MOST));
	return report_unpack((struct bytes){ record, size }, report);
}

/* ---- text ------------------------------------------------------------------------------- */

struct report_text {
	char *at;
	size_t size, used;
};

static void report_append(struct report_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* For numbers and texts of our own. */
static void report_append(struct report_text *text, const char *fmt, ...)
{
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(text->at + text->used, text->size - text->used, fmt, args);
	va_end(args);
	text->used += length > 0 ? (size_t)length : 0;
	if (text->used >= text->size)
		text->used = text->size - 1;
}

static void add_bytes(struct report_text *text, const char *string, size_t size)
{
	text->used += visible_copy(text->at + text->used, text->size - text->used, string, size,
				   VISIBLE_NAME);
	if (text->used >= text->size) { /* cut before a character: nothing follows */
		text->used = strlen(text->at);
		text->size = text->used + 1;
	}
}

/* A name, or another part of a line. */
static void add_name(struct report_text *text, const char *before, const char *name)
{
	report_append(text, "%s", before);
	add_bytes(text, name, strlen(name));
}

static void add_dims(struct report_text *text, const char *what, const unsigned dims[3])
{
	report_append(text, "%s(%u,%u,%u)", what, dims[0], dims[1], dims[2]);
}

static void add_place(struct report_text *text, const struct gpurun_report *report)
{
	CLEANUP(free_pointer) char *kernel = demangle_alone(report->kernel);

	add_name(text, "\n  kernel ", kernel ? kernel : report->kernel);
	if (report->has_thread) {
		add_dims(text, ", block ", report->block);
		add_dims(text, ", thread ", report->thread);
	}
	if (report->more_lanes)
		report_append(text, " and %u more of its warp", report->more_lanes);
	if (report->ptx_line) {
		report_append(text, "\n  PTX line %u", report->ptx_line);
		add_name(text, ": ", report->instruction);
	}
	if (*report->file) {
		add_name(text, "\n  source ", report->file);
		report_append(text, ":%u", report->source_line);
	}
	for (const char *at = report->inlined, *end; *at; at = end + (*end == '\n')) {
		end = strchrnul(at, '\n');
		report_append(text, "\n  inlined at ");
		add_bytes(text, at, (size_t)(end - at));
	}
	add_dims(text, "\n  grid ", report->grid);
	add_dims(text, " of blocks ", report->block_size);
}

void report_format(const struct gpurun_report *report, char *out, size_t size)
{
	struct report_text text = { out, size, 0 };

	out[0] = '\0';
	add_name(&text, "", report->check);
	add_name(&text, *report->check ? ": " : "", report->what);
	if (*report->kernel)
		add_place(&text, report);
	if (report->count > 1)
		report_append(&text, "\n  %llu times in all", (unsigned long long)report->count);
}
