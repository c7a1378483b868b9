/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is written, where, and how much of it: the options that every room reads. Apart from
 * options.h for the reason that action.h has.
 */
#ifndef CMD_OUTPUT_OPTIONS_H
#define CMD_OUTPUT_OPTIONS_H

#include <stdbool.h>

struct report_option {
	bool wanted;
	const char *file; /* NULL: the standard output */
};

struct output_options {
	struct report_option json, junit;
	const char *trace; /* the file of --trace, or NULL */
	bool trace_times;  /* its key */
	bool annotate, verbose, quiet;
	bool force; /* existing files may be replaced */
};

static inline bool output_is_on_stdout(const struct report_option *report)
{
	return report->wanted && !report->file;
}

/* Tells whether a report, and nothing else, goes to the standard output. */
static inline bool output_has_report(const struct output_options *output)
{
	return output_is_on_stdout(&output->json) || output_is_on_stdout(&output->junit);
}

#endif
