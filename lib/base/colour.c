/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "line_rank.h"
#include "visible.h"

#define SOURCE "  source "

static bool is_set(const char *name, const char *off)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, off) != 0;
}

bool colour_wanted(int fd)
{
	const char *terminal = getenv("TERM");

	if (is_set("NO_COLOR", ""))
		return false;
	if (is_set("CLICOLOR_FORCE", "0"))
		return true;
	return (!terminal || strcmp(terminal, "dumb") != 0) && isatty(fd);
}

/* Prints the line at @text, of @length bytes; @first: it begins with the kind and ": ". */
static void print_line(FILE *to, const char *text, size_t length, bool first)
{
	const char *end = first ? memmem(text, length, ": ", 2) : NULL;
	size_t plain = 0;

	if (end) {
		plain = (size_t)(end - text) + 1;
		fprintf(to, "%.*s" COLOUR_PLAIN, (int)plain, text);
	} else if (length > strlen(SOURCE) && !strncmp(text, SOURCE, strlen(SOURCE))) {
		fprintf(to, SOURCE COLOUR_PLACE "%.*s" COLOUR_PLAIN,
			(int)(length - strlen(SOURCE)), text + strlen(SOURCE));
		plain = length;
	} else if (first) {
		fputs(COLOUR_PLAIN, to);
	}
	fwrite(text + plain, 1, length - plain, to);
	fputc('\n', to);
}

/* @text, which is filtered, with colours. */
static void print_coloured(FILE *to, const char *kind, const char *text)
{
	fprintf(to, "gpurun: %s" COLOUR_KIND "%s", line_rank(), kind);
	for (bool first = true; first || *text; first = false) {
		const size_t length = strcspn(text, "\n");

		print_line(to, text, length, first);
		text += length + (text[length] == '\n');
	}
}

void colour_report(FILE *to, const char *kind, const char *text)
{
	CLEANUP(free_pointer) char *shown = NULL, *all = NULL;
	size_t size = 0;
	FILE *memory = NULL;

	/* The command may have made another stream of stderr (cmd/base/status_line.h). */
	if (colour_wanted(to == stderr ? STDERR_FILENO : fileno(to))) {
		shown = visible_new(text, VISIBLE_TEXT);
		memory = shown ? open_memstream(&all, &size) : NULL;
	}
	if (memory)
		print_coloured(memory, kind, shown);
	if (memory && !fclose(memory))
		fwrite(all, 1, size, to);
	else
		visible_lines(to, "gpurun: %s%s%s\n", line_rank(), kind, text);
}
