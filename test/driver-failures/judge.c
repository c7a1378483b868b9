/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a run ended as it should have. */
#include "inject.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cuda_abi.h"

/* How each kind tells an error, and how it ends. */
static const struct {
	const char *error; /* begins the line */
	int exit;          /* 0: the fault says */
} kinds[] = {
	[KIND_PROGRAM] = { "error: ", 1 },
	[KIND_COMMAND] = { "gpurun: error: ", 0 },
	[KIND_MLIR] = { "mlir_cuda_runtime: ", 115 },
	[KIND_OFFLOAD] = { "error: ", 1 },
	[KIND_CUDART] = { "error: ", 1 },
};

static const char *name_of(int code)
{
	switch (code) {
#define CUDA_ERROR(name, number, meaning)                                                  \
	case number:                                                                       \
		return #name;
		CUDA_RESULTS
#undef CUDA_ERROR
	}
	return "CUDA_ERROR_?";
}

static unsigned count(const char *text, const char *part)
{
	unsigned found = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		found++;
	return found;
}

/* How many lines of @text begin with @start. */
static unsigned lines(const char *text, const char *start)
{
	unsigned found = 0;

	for (; text && *text; text = strchr(text, '\n'), text += text ? 1 : 0)
		found += !strncmp(text, start, strlen(start));
	return found;
}

/* What no run may do, whatever fails: crash, hang, or leave something behind. */
static bool judge_end(const struct outcome *outcome, char *why, size_t size)
{
	const char *left = strstr(outcome->leaks, " left\n");

	if (WIFSIGNALED(outcome->status) && WTERMSIG(outcome->status) == SIGALRM)
		snprintf(why, size, "hangs");
	else if (WIFSIGNALED(outcome->status))
		snprintf(why, size, "ended by signal %d", WTERMSIG(outcome->status));
	else if (left && (left - outcome->leaks < 1 || left[-1] != '0' ||
			  (left - outcome->leaks > 1 && left[-2] != '\n')))
		snprintf(why, size, "leaves:\n# %s", outcome->leaks);
	else if (strstr(outcome->text, "Sanitizer"))
		snprintf(why, size, "a sanitizer's finding");
	else
		return false;
	return true;
}

static bool judge_exit(const struct outcome *outcome, int want, char *why, size_t size)
{
	if (WEXITSTATUS(outcome->status) == want)
		return false;
	snprintf(why, size, "exit %d, not %d", WEXITSTATUS(outcome->status), want);
	return true;
}

bool judge_clean(const struct outcome *outcome, char *why, size_t size)
{
	if (judge_end(outcome, why, size) || judge_exit(outcome, 0, why, size))
		return true;
	if (!*outcome->text)
		return false;
	snprintf(why, size, "writes to stderr though nothing fails");
	return true;
}

/* A call of libcudart answers a code, which is all that the program can tell. */
static bool judge_code(const struct fault *fault, const struct outcome *outcome, char *why,
		       size_t size)
{
	char text[32];

	snprintf(text, sizeof(text), " (%d)\n", fault->code);
	if (judge_exit(outcome, 1, why, size))
		return true;
	if (lines(outcome->text, "error: ") == 1 && count(outcome->text, text) == 1)
		return false;
	snprintf(why, size, "code %d is not told in one line", fault->code);
	return true;
}

/* One error, told once, and an exit status that goes with it. */
static bool judge_error(const struct scenario *scenario, const struct fault *fault,
			const struct outcome *outcome, char *why, size_t size)
{
	const char *start = kinds[scenario->kind].error;
	int want = kinds[scenario->kind].exit ? kinds[scenario->kind].exit : fault->exit;
	char text[160];

	snprintf(text, sizeof(text), "%s: %s (%d)", fault->call, name_of(fault->code),
		 fault->code);
	if (judge_exit(outcome, want, why, size))
		return true;
	if (lines(outcome->text, start) != 1)
		snprintf(why, size, "%u lines begin with '%s', not one",
			 lines(outcome->text, start), start);
	else if (fault->text && !strstr(outcome->text, fault->text))
		snprintf(why, size, "'%s' is not in what it says", fault->text);
	else if (!fault->text && count(outcome->text, text) != 1)
		snprintf(why, size, "'%s' is told %u times", text, count(outcome->text, text));
	else if (count(outcome->text, "CUDA_ERROR_") > 1)
		snprintf(why, size, "tells of more than one error");
	else
		return false;
	return true;
}

/* A driver that goes is told of once, by the first call that needs it, or not at all
 * when only releases were to come. */
static bool judge_gone(const struct scenario *scenario, const struct outcome *outcome,
		       char *why, size_t size)
{
	const char *start = kinds[scenario->kind].error;
	unsigned told = lines(outcome->text, start);
	int want = kinds[scenario->kind].exit ? kinds[scenario->kind].exit : 115;

	if (judge_exit(outcome, told ? want : 0, why, size))
		return true;
	if (told < 2 && count(outcome->text, "CUDA_ERROR_") <= told)
		return false;
	snprintf(why, size, "tells %u times that the driver is gone",
		 count(outcome->text, "CUDA_ERROR_"));
	return true;
}

/*
 * How many times @what is told. An error that has a log, a line each, is told of by
 * that: the lines before it (the command) or after it.
 */
static unsigned told_in(const struct scenario *scenario, const char *text, const char *what)
{
	const char *start = kinds[scenario->kind].error;
	bool is_before = scenario->kind == KIND_COMMAND;
	unsigned total = 0, error = 0, log = 0;
	char line[4096];

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		if (strncmp(line, start, strlen(start))) {
			log += count(line, what);
			continue;
		}
		if (is_before)
			error = count(line, what);
		total += log > error ? log : error;
		error = is_before ? 0 : count(line, what);
		log = 0;
	}
	return total + (log > error ? log : error);
}

/* Each release that failed is told. */
static bool judge_all(const struct scenario *scenario, const struct outcome *outcome,
		      char *why, size_t size)
{
	unsigned failed = count(outcome->leaks, "refused: ");
	unsigned told = told_in(scenario, outcome->text, "CUDA_ERROR_UNKNOWN (999)");

	if (scenario->kind == KIND_CUDART)
		return false;
	if (!failed)
		return judge_exit(outcome, 0, why, size);
	if (judge_exit(outcome, kinds[scenario->kind].exit ? kinds[scenario->kind].exit : 115,
		       why, size))
		return true;
	if (told == failed)
		return false;
	snprintf(why, size, "%u releases failed, %u are told", failed, told);
	return true;
}

bool judge_fault(const struct scenario *scenario, const struct fault *fault,
		 const struct outcome *outcome, char *why, size_t size)
{
	if (judge_end(outcome, why, size))
		return true;
	switch (fault->manner) {
	case MANNER_PAIR:
	case MANNER_OTHER:
		if (fault->excuse && (scenario->kind != KIND_CUDART || !outcome->status))
			return judge_clean(outcome, why, size);
		if (scenario->kind == KIND_CUDART)
			return judge_code(fault, outcome, why, size);
		return judge_error(scenario, fault, outcome, why, size);
	case MANNER_GONE:
		return judge_gone(scenario, outcome, why, size);
	case MANNER_ALL:
		return judge_all(scenario, outcome, why, size);
	}
	return true;
}
