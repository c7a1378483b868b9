/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where threads are: which ones of which kernel, and the instruction with its place in the PTX
 * and in the source. Only the text of the program is kept for it; ".loc" directives are looked
 * up when a report is made.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "asserts.h"
#include "ptx.h"
#include "ptx_lex.h"
#include "region.h"
#include "report_format.h"
#include "state.h"

/* For each of so many the names of all files are looked through; a report has no room for more. */
enum { CALLERS = 256 };

/* The line of @text that begins at @at, without the white space around it. */
static struct bytes line_at(struct bytes text, size_t at)
{
	size_t end = at;

	while (end < text.size && text.data[end] != '\n')
		end++;
	while (at < end && (text.data[at] == ' ' || text.data[at] == '\t'))
		at++;
	while (end > at && (text.data[end - 1] == ' ' || text.data[end - 1] == '\r'))
		end--;
	return (struct bytes){ text.data + at, end - at };
}

/* What a .loc names; file 0 or line 0: nothing (compilers write it for code of their own). */
struct location {
	unsigned file, line, column;
};

/* Reads ".loc 1 12 3, function_name LABEL, inlined_at 1 20 4"; the end may be missing. */
static bool read_location(struct bytes line, struct location *at, struct location *caller)
{
	char copy[256];
	const char *inlined;

	*at = *caller = (struct location){ 0 };
	snprintf(copy, sizeof(copy), "%.*s", (int)(line.size < 255 ? line.size : 255),
		 (const char *)line.data);
	inlined = strstr(copy, "inlined_at");
	if (inlined)
		sscanf(inlined, "inlined_at %u %u %u", &caller->file, &caller->line,
		       &caller->column);
	return sscanf(copy, ".loc %u %u %u", &at->file, &at->line, &at->column) >= 2;
}

/* The name of the file of @location; NULL: it has none. */
static const struct ptx_name *name_of(const struct program *program,
				      const struct location *location)
{
	for (size_t i = 0; i < program->ptx->file_count; i++)
		if (program->ptx->files[i].index == location->file && location->line)
			return &program->ptx->files[i].name;
	return NULL;
}

static void set_source(struct report_place *place, const struct program *program,
		       const struct location *location, struct gpurun_report *report)
{
	const struct ptx_name *name = name_of(program, location);

	if (!name)
		return;
	snprintf(place->file, sizeof(place->file), "%.*s", (int)name->length, name->text);
	report->source_line = location->line;
}

/* A line of the list of callers; what it has no room for is left out. */
static void add_caller(struct report_place *place, const struct program *program,
		       const struct location *location)
{
	const struct ptx_name *name = name_of(program, location);
	const size_t used = strlen(place->inlined), room = sizeof(place->inlined) - used;
	int length;

	if (!name)
		return;
	length = snprintf(place->inlined + used, room, "%s%.*s:%u", used ? "\n" : "",
			  (int)name->length, name->text, location->line);
	if (length < 0 || (size_t)length >= room)
		place->inlined[used] = '\0';
}

/* The start of the line after the one that @at is in. */
static size_t next_line(struct bytes text, size_t at)
{
	const void *end = memchr(text.data + at, '\n', text.size - at);

	return end ? (size_t)((const uint8_t *)end - text.data) + 1 : text.size;
}

/* The start of the line before the one that begins at @at, which is not the first. */
static size_t line_before(struct bytes text, size_t at)
{
	const void *end = memrchr(text.data, '\n', at - 1);

	ASSERT(at && at <= text.size);
	return end ? (size_t)((const uint8_t *)end - text.data) + 1 : 0;
}

/*
 * Finds the last .loc of @wanted between @from and *@at, to which *@at moves, and its caller. From
 * there on back, so that each line is looked at once for a whole chain of callers.
 */
static bool find_location(struct bytes text, size_t from, size_t *at,
			  const struct location *wanted, struct location *caller)
{
	struct location here;

	while (*at > from) {
		*at = line_before(text, *at);
		if (read_location(line_at(text, *at), &here, caller) &&
		    here.file == wanted->file && here.line == wanted->line &&
		    here.column == wanted->column)
			return true;
	}
	return false;
}

/*
 * The source line of the .loc at @at, and where that was inlined; a caller's own .loc is
 * further up in the function, which begins at @from.
 */
static void add_source(struct report_place *place, const struct program *program, size_t from,
		       size_t at, struct gpurun_report *report)
{
	struct location here, caller;
	bool known = read_location(line_at(program->text, at), &here, &caller);

	set_source(place, program, &here, report);
	for (unsigned i = 0; i < CALLERS && known && caller.file; i++) {
		here = caller;
		add_caller(place, program, &here);
		known = find_location(program->text, from, &at, &here, &caller);
	}
}

/* @text with each run of white space as one blank. */
static void set_instruction(struct report_place *place, struct bytes text)
{
	char *copy = place->instruction;
	size_t used = 0;

	for (size_t i = 0; i < text.size && used < sizeof(place->instruction) - 1; i++) {
		bool blank = text.data[i] == ' ' || text.data[i] == '\t';

		if (!blank)
			copy[used++] = (char)text.data[i];
		else if (used && copy[used - 1] != ' ')
			copy[used++] = ' ';
	}
	copy[used] = '\0';
}

/*
 * Tells whether nvcc or clang compiled @text from CUDA. nvcc's begins with a comment; of what is in
 * a fatbin the comment's lines are left, empty.
 */
static bool is_compiled(struct bytes text)
{
	enum { EMPTY_LINES = 4, HEAD = 64 };
	const size_t size = text.size < HEAD ? text.size : HEAD;

	return bytes_begin(text, "\n\n\n\n", EMPTY_LINES) ||
	       memmem(text.data, size, "NVIDIA NVVM", strlen("NVIDIA NVVM"));
}

/* The instruction's text, and the source line that the last .loc before it names. */
static void add_line(struct report_place *place, const struct program *program, uint32_t line,
		     struct gpurun_report *report)
{
	struct bytes text = program->text, found = { 0 };
	size_t function = 0, location = SIZE_MAX;
	uint32_t at_line = 1;
	static atomic_bool hinted; /* one time in a process is enough */

	for (size_t at = 0; at < text.size && at_line <= line; at = next_line(text, at)) {
		struct bytes here = line_at(text, at);

		if (bytes_begin(here, ".loc", 4) && !bytes_begin(here, ".local", 6))
			location = at;
		if (bytes_begin(here, ".entry", 6) || bytes_begin(here, ".func", 5) ||
		    bytes_begin(here, ".visible", 8)) {
			function = at;
			location = SIZE_MAX;
		}
		if (at_line++ == line)
			found = here;
	}
	report->ptx_line = line;
	set_instruction(place, found);
	if (!program->ptx->file_count && is_compiled(text) && !atomic_exchange(&hinted, true))
		report->hint = "for lines of the source compile with nvcc -lineinfo, or "
			       "clang -gline-tables-only";
	if (location != SIZE_MAX)
		add_source(place, program, function, location, report);
}

static void add_thread(const struct warp *w, uint32_t lanes, struct gpurun_report *report)
{
	const uint32_t *block = w->cta->launch->block;
	const uint32_t thread = w->index * LANES + (uint32_t)__builtin_ctz(lanes ? lanes : 1);

	ASSERT(w->index < w->cta->warp_count);
	ASSERT(w->cta->id[0] < w->cta->launch->grid[0]);
	report->has_thread = 1;
	memcpy(report->block, w->cta->id, sizeof(report->block));
	report->thread[0] = thread % block[0];
	report->thread[1] = thread / block[0] % block[1];
	report->thread[2] = thread / block[0] / block[1];
	report->more_lanes = lanes ? (unsigned)__builtin_popcount(lanes) - 1 : 0;
}

void place_add(const struct warp *w, const struct op *ip, uint32_t lanes,
	       struct report_place *place, struct gpurun_report *report)
{
	const struct launch *launch = w->cta->launch;
	const struct code *code = w->cta->code;
	const struct code_region *region = code->region;
	uint32_t line = 0, original;

	place->instruction[0] = place->file[0] = place->inlined[0] = '\0';
	report->kernel = launch->kernel->name;
	memcpy(report->grid, launch->grid, sizeof(report->grid));
	memcpy(report->block_size, launch->block, sizeof(report->block_size));
	add_thread(w, lanes, report);
	original = region ? region_original(region, ip) : UINT32_MAX;
	if (original != UINT32_MAX)
		line = code->lines[original];
	else if (ip >= code->ops && ip < code->ops + code->op_count)
		line = code->lines[ip - code->ops];
	if (line)
		add_line(place, launch->kernel->program, line, report);
	report->instruction = place->instruction;
	report->file = place->file;
	report->inlined = place->inlined;
}
