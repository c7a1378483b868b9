/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "calls.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "compiled.h"
#include "entry.h"
#include "logs.h"
#include "output.h"

#define MOST_NAMES 5 /* in the line; the other refused calls are counted */

static const struct {
	const char *symbol; /* as the program has linked or found it */
	const char *group;
} rows[REFUSED_CALLS] = {
#define CUDA_API(name, symbol, need, params, args)
#define CUDA_REFUSED(name, symbol, since, group) [REFUSED_##name] = { symbol, #group },
#include "cuda_api.def"
};

static uint64_t refusals[REFUSED_CALLS]; /* by row */
static uint64_t launches, kernels;

static CUresult count(enum refused which)
{
	CLEANUP(leave) struct api_call call = enter_from(NEED_INIT, rows[which].symbol);

	TRY(call.result);
	refusals[which]++;
	return CUDA_SUCCESS;
}

CUresult calls_refuse(enum refused call)
{
	ASSERT((unsigned)call < REFUSED_CALLS && rows[call].symbol);
	TRY(refused_in_host_function());
	TRY(count(call));
	logs_add("%s: the CPU device does not execute this call", rows[call].symbol);
	return strcmp(rows[call].group, "OPENGL") ? CUDA_ERROR_NOT_SUPPORTED :
						    CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
}

void calls_launched(bool first)
{
	launches++;
	kernels += first;
}

/* The row with the most refusals among those not @reported, or REFUSED_CALLS. */
static enum refused most_of(const bool reported[REFUSED_CALLS])
{
	enum refused most = REFUSED_CALLS;

	for (int i = 0; i < REFUSED_CALLS; i++)
		if (refusals[i] && !reported[i] &&
		    (most == REFUSED_CALLS || refusals[i] > refusals[most]))
			most = (enum refused)i;
	return most;
}

static void write_refused(FILE *to)
{
	bool reported[REFUSED_CALLS] = { false };
	enum refused call;
	unsigned count = 0;

	for (; (call = most_of(reported)) != REFUSED_CALLS; count++) {
		reported[call] = true;
		if (count < MOST_NAMES)
			fprintf(to, "%s %s (%" PRIu64 ")", count ? "," : "; unsupported:",
				rows[call].symbol, refusals[call]);
	}
	if (!count)
		fputs("; no unsupported call", to);
	else if (count > MOST_NAMES)
		fprintf(to, " and %u other%s", count - MOST_NAMES,
			count - MOST_NAMES > 1 ? "s" : "");
}

void calls_report(void)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	fprintf(to, "CPU device: %" PRIu64 " launch%s of %" PRIu64 " kernel%s accepted", launches,
		launches == 1 ? "" : "es", kernels, kernels == 1 ? "" : "s");
	write_refused(to);
	if (kernels && compiled_forbidden())
		fputs("; kernels are interpreted: the system does not execute code that was just "
		      "written", to);
	if (!fclose(to))
		output_note("%s", text);
}
