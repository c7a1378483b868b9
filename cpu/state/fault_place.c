/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where threads are: which ones of which kernel, and the instruction with its place in the PTX
 * and in the source. Only the text of the program is kept for it; ".loc" directives are looked
 * up when a report is made.
 */
#include <stdarg.h>

#include "ptx.h"
#include "ptx_lex.h"
#include "state.h"

struct report {
	char *text;
	size_t size, used;
};

static void add(struct report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct report *report, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(report->text + report->used, report->size - report->used, fmt, args);
	va_end(args);
	if (n > 0)
		report->used += (size_t)n;
	if (report->used >= report->size)
		report->used = report->size - 1;
}

static void add_threads(struct report *report, const struct warp *w, uint32_t lanes)
{
	const uint32_t *block = w->cta->launch->block;
	uint32_t thread = w->index * LANES + (uint32_t)__builtin_ctz(lanes ? lanes : 1);
	int more = __builtin_popcount(lanes) - 1;

	add(report, "thread (%u,%u,%u)", thread % block[0], thread / block[0] % block[1],
	    thread / block[0] / block[1]);
	if (more > 0)
		add(report, " and %d more of its warp", more);
}

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

static void add_file(struct report *report, const struct program *program, const char *what,
		     const struct location *location)
{
	for (size_t i = 0; i < program->ptx->file_count; i++) {
		const struct ptx_file *known = &program->ptx->files[i];

		if (known->index == location->file && location->line)
			add(report, "\n  %s %.*s:%u", what, (int)known->name.length,
			    known->name.text, location->line);
	}
}

/* The start of the line after the one that @at is in. */
static size_t next_line(struct bytes text, size_t at)
{
	const void *end = memchr(text.data + at, '\n', text.size - at);

	return end ? (size_t)((const uint8_t *)end - text.data) + 1 : text.size;
}

/* Finds the last .loc of @wanted between @from and *@before: its position and its caller. */
static bool find_location(struct bytes text, size_t from, size_t *before,
			  const struct location *wanted, struct location *caller)
{
	const size_t end = *before;
	struct location here, inlined_at;
	bool found = false;

	for (size_t at = from; at < end; at = next_line(text, at))
		if (read_location(line_at(text, at), &here, &inlined_at) &&
		    here.file == wanted->file && here.line == wanted->line &&
		    here.column == wanted->column) {
			*caller = inlined_at;
			*before = at;
			found = true;
		}
	return found;
}

/*
 * The source line of the .loc at @at, and where that was inlined; a caller's own .loc is
 * further up in the function, which begins at @from.
 */
static void add_source(struct report *report, const struct program *program, size_t from,
		       size_t at)
{
	struct location here, caller;
	bool known = read_location(line_at(program->text, at), &here, &caller);

	add_file(report, program, "source", &here);
	while (known && caller.file) {
		here = caller;
		add_file(report, program, "inlined at", &here);
		known = find_location(program->text, from, &at, &here, &caller);
	}
}

/* @text with each run of white space as one blank. */
static void add_words(struct report *report, struct bytes text)
{
	char copy[200];
	size_t used = 0;

	for (size_t i = 0; i < text.size && used < sizeof(copy) - 1; i++) {
		bool blank = text.data[i] == ' ' || text.data[i] == '\t';

		if (!blank)
			copy[used++] = (char)text.data[i];
		else if (used && copy[used - 1] != ' ')
			copy[used++] = ' ';
	}
	add(report, "%.*s", (int)used, copy);
}

/* The instruction's text, and the source line that the last .loc before it names. */
static void add_place(struct report *report, const struct program *program, uint32_t line)
{
	struct bytes text = program->text, found = { 0 };
	size_t function = 0, location = SIZE_MAX;
	uint32_t at_line = 1;

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
	add(report, "\n  PTX line %u: ", line);
	add_words(report, found);
	if (location != SIZE_MAX)
		add_source(report, program, function, location);
}

static void write_report(struct report *report, const struct warp *w, const struct op *ip,
			 uint32_t lanes)
{
	const struct cta *cta = w->cta;
	const struct launch *launch = cta->launch;
	const struct code *code = cta->code;
	uint32_t line = 0;

	add(report, "\n  kernel %s, block (%u,%u,%u), ", launch->kernel->name, cta->id[0],
	    cta->id[1], cta->id[2]);
	add_threads(report, w, lanes);
	if (ip >= code->ops && ip < code->ops + code->op_count)
		line = code->lines[ip - code->ops];
	if (line)
		add_place(report, launch->kernel->program, line);
	add(report, "\n  grid (%u,%u,%u) of blocks (%u,%u,%u)", launch->grid[0], launch->grid[1],
	    launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
}

void fault_place(const struct warp *w, const struct op *ip, uint32_t lanes, char *text,
		 size_t size)
{
	struct report report = { text, size, 0 };

	text[0] = '\0';
	write_report(&report, w, ip, lanes);
}
