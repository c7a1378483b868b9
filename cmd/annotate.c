/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "annotate.h"

#include <string.h>

#include "exit.h"
#include "fault.h"

/* Commands end with the line; properties end at commas, and at colons. */
static void write_escaped(FILE *to, const char *text, size_t size, const char *special)
{
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (c && strchr(special, c))
			fprintf(to, "%%%02X", c);
		else
			fputc(c < ' ' && c != '\t' ? '?' : c, to);
	}
}

static void write_property(FILE *to, const char *text, size_t size)
{
	write_escaped(to, text, size, "%\r\n:,");
}

static void write_data(FILE *to, const char *text)
{
	write_escaped(to, text, strlen(text), "%\r\n");
}

/* @where: NULL, or it may not know the source. */
static void begin(FILE *to, const struct finding_text *where, const char *title)
{
	fputs("::error ", to);
	if (where && where->file.size) {
		fputs("file=", to);
		write_property(to, (const char *)where->file.data, where->file.size);
		fprintf(to, ",line=%u,", where->source_line);
	}
	fputs("title=gpurun%3A ", to);
	write_property(to, title, strlen(title));
	fputs("::", to);
}

void annotate_mismatches(FILE *to, const struct run *run)
{
	const struct plan *plan = run->plan;

	for (size_t i = 0; i < plan->step_count; i++) {
		const struct step *step = &plan->steps[i];

		if (step->kind != OPTION_EXPECT || !step->expect.reported)
			continue;
		begin(to, NULL, "mismatch");
		write_data(to, step->expect.reported);
		fputc('\n', to);
	}
}

static void annotate_finding(FILE *to, const char *whole)
{
	struct finding_text text;

	fault_read_finding(whole, &text);
	begin(to, &text, text.kind);
	write_data(to, whole);
	fputc('\n', to);
}

/* False when there was no fault. */
static bool annotate_fault(FILE *to, const struct err *error)
{
	struct finding_text text;
	struct fault fault;

	if (!fault_get(&fault))
		return false;
	fault_read(&fault, &text);
	begin(to, &text, text.kind);
	write_data(to, error ? error->text : text.kind);
	if (*fault.text)
		fputs("%0A", to);
	write_data(to, fault.text);
	fputc('\n', to);
	return true;
}

/* What is reported already: of mismatches, and of findings that there are. */
static bool is_told(const struct ending *ending)
{
	return !strcmp(ending->stage, "expect") ||
	       (!strcmp(ending->stage, "check") && ending->findings && ending->findings->count);
}

void annotate_ending(FILE *to, const struct ending *ending)
{
	const struct err *error = ending->error;

	for (size_t i = 0; ending->findings && i < ending->findings->count; i++)
		annotate_finding(to, ending->findings->at[i]);
	if (annotate_fault(to, error) || !error || is_told(ending))
		return;
	begin(to, NULL, exit_name(ending->code));
	write_data(to, error->text);
	if (*error->hint)
		fputs("%0Ahint: ", to);
	write_data(to, error->hint);
	fputc('\n', to);
}
