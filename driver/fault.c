/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reports: what failed, which threads of which kernel, and the instruction
 * with its place in the PTX and in the source. The text of the program is all
 * that is kept for it; ".loc" directives are looked up when a fault happens.
 */
#include <pthread.h>
#include <stdarg.h>

#include "ptx.h"
#include "ptx_lex.h"
#include "warp.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

/* The line of text that begins at @at, without the white space around it. */
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

/* ".loc 1 12 3" as file 1, line 12. */
static bool read_loc(struct bytes line, unsigned *file, unsigned *number)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%.*s", (int)(line.size < 63 ? line.size : 63),
		 (const char *)line.data);
	return sscanf(copy, ".loc %u %u", file, number) == 2;
}

static void add_source(struct report *report, const struct program *program, unsigned file,
		       unsigned line)
{
	for (size_t i = 0; i < program->ptx->file_count; i++) {
		const struct ptx_file *known = &program->ptx->files[i];

		if (known->index == file)
			add(report, "\n  source %.*s:%u", (int)known->name.length,
			    known->name.text, line);
	}
}

/* The instruction's text, and the source line that the last .loc before it names. */
static void add_place(struct report *report, const struct program *program, uint32_t line)
{
	struct bytes text = program->text, found = { 0 };
	unsigned file = 0, source = 0, number;
	uint32_t at_line = 1;

	for (size_t at = 0; at < text.size && at_line <= line; at_line++) {
		struct bytes here = line_at(text, at);

		if (bytes_begin(here, ".loc", 4))
			read_loc(here, &file, &source);
		if (bytes_begin(here, ".entry", 6) || bytes_begin(here, ".func", 5) ||
		    bytes_begin(here, ".visible", 8))
			file = 0;
		if (at_line == line)
			found = here;
		while (at < text.size && text.data[at] != '\n')
			at++;
		at++;
	}
	number = (unsigned)(found.size < 200 ? found.size : 200);
	add(report, "\n  PTX line %u: %.*s", line, (int)number, (const char *)found.data);
	if (file)
		add_source(report, program, file, source);
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

void fault_set(struct warp *w, const struct op *ip, uint32_t lanes, CUresult code,
	       const char *fmt, ...)
{
	struct fault *fault = w->cta->launch->fault;
	struct report report = { fault->text, sizeof(fault->text), 0 };
	va_list args;

	w->cta->faulted = true;
	w->running = false;
	pthread_mutex_lock(&lock);
	if (!atomic_load(&fault->code)) {
		va_start(args, fmt);
		report.used = (size_t)vsnprintf(report.text, report.size / 2, fmt, args);
		va_end(args);
		if (report.used >= report.size / 2)
			report.used = report.size / 2 - 1;
		write_report(&report, w, ip, lanes);
		atomic_store(&fault->code, code);
	}
	pthread_mutex_unlock(&lock);
}
