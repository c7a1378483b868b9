/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is made to fail: every call of a clean run, with the codes of the file
 * codes, and what the file harmless excuses.
 */
#include "inject.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 128, UNKNOWN = 999, EXIT_CUDA = 115 };

/* A row of the file codes. */
struct code {
	char call[48], text[128];
	int code, exit;
};

/* A row of the file harmless. */
struct excuse {
	char call[48], scenario[128], reason[256];
	long use;     /* 0: all; N: from the N-th on; -N: the N-th from the end */
	bool is_used; /* it excused something */
};

static struct code codes[MAX_ROWS];
static struct excuse excuses[MAX_ROWS];
static unsigned code_count, excuse_count;

/* The calls that release something. */
static const char *const releases[] = {
	"cuDevicePrimaryCtxRelease", "cuEventDestroy", "cuMemFree", "cuMemFreeHost",
	"cuMemHostUnregister", "cuModuleUnload", "cuStreamDestroy",
};

/* Hands each row of @folder/@name to @take, which says whether it could read it. */
static void read_rows(const char *folder, const char *name, bool (*take)(const char *row))
{
	char path[512], row[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	while (file && fgets(row, sizeof(row), file)) {
		if (*row == '#' || *row == '\n' || take(row))
			continue;
		printf("not ok - inject: %s: cannot read: %s", path, row);
		exit(1);
	}
	if (file)
		fclose(file);
}

static bool take_code(const char *row)
{
	struct code *code = &codes[code_count++];

	return code_count < MAX_ROWS &&
	       sscanf(row, "%47s %d %d %127[^\n]", code->call, &code->code, &code->exit,
		      code->text) >= 3;
}

static bool take_excuse(const char *row)
{
	struct excuse *excuse = &excuses[excuse_count++];

	return excuse_count < MAX_ROWS &&
	       sscanf(row, "%47s %ld %127s %255[^\n]", excuse->call, &excuse->use,
		      excuse->scenario, excuse->reason) == 4;
}

void faults_read(const char *folder)
{
	read_rows(folder, "codes", take_code);
	read_rows(folder, "harmless", take_excuse);
}

/* Tells whether @excuse is for use @use of a call, which is use @from_end. */
static bool is_for(const struct excuse *excuse, unsigned long use, long from_end)
{
	return excuse->use < 0 ? excuse->use == from_end : use >= (unsigned long)excuse->use;
}

/* The reason why @fault does no harm, which is use @from_end of its call, or NULL. */
static const char *excuse_of(const struct scenario *scenario, const struct fault *fault,
			     long from_end)
{
	const char *reason = NULL;
	char coded[64];

	snprintf(coded, sizeof(coded), "%s=%d", fault->call, fault->code);
	for (unsigned i = 0; i < excuse_count && !reason; i++) {
		struct excuse *excuse = &excuses[i];

		if ((strcmp(excuse->call, fault->call) && strcmp(excuse->call, coded)) ||
		    !is_for(excuse, fault->use, from_end) ||
		    fnmatch(excuse->scenario, scenario->name, FNM_EXTMATCH))
			continue;
		excuse->is_used = true;
		reason = excuse->reason;
	}
	return reason;
}

bool faults_all_used(void)
{
	bool all = true;

	for (unsigned i = 0; i < excuse_count; i++) {
		if (excuses[i].is_used)
			continue;
		printf("# harmless: '%s %ld %s' excuses nothing\n", excuses[i].call,
		       excuses[i].use, excuses[i].scenario);
		all = false;
	}
	return all;
}

/* The list at work. */
struct list {
	const struct scenario *scenario;
	struct fault *at;
	size_t count;
};

static struct fault *add(struct list *list, enum manner manner, const char *call,
			 unsigned long use)
{
	struct fault *fault = &list->at[list->count++];

	if (list->count > MAX_FAULTS) {
		printf("not ok - inject: %s makes more than %d calls\n", list->scenario->name,
		       MAX_FAULTS);
		exit(1);
	}
	*fault = (struct fault){ .manner = manner, .use = use, .code = UNKNOWN,
				 .exit = EXIT_CUDA };
	snprintf(fault->call, sizeof(fault->call), "%s", call);
	return fault;
}

/* Adds the pair, and the same use with the other codes that the call may answer. */
static void add_use(struct list *list, const char *call, unsigned long use,
		    unsigned long uses)
{
	size_t first = list->count;
	struct fault *fault = NULL;

	for (unsigned i = 0; i < code_count; i++) {
		if (strcmp(codes[i].call, call))
			continue;
		fault = add(list, fault ? MANNER_OTHER : MANNER_PAIR, call, use);
		fault->code = codes[i].code;
		fault->exit = codes[i].exit;
		fault->text = *codes[i].text ? codes[i].text : NULL;
	}
	if (!fault)
		add(list, MANNER_PAIR, call, use);
	for (size_t i = first; i < list->count; i++)
		list->at[i].excuse = excuse_of(list->scenario, &list->at[i],
					       (long)use - (long)uses - 1);
	add(list, MANNER_GONE, call, use);
}

size_t faults_make(const struct scenario *scenario, const char *counts, struct fault *out,
		   unsigned long *pairs)
{
	struct list list = { scenario, out, 0 };
	unsigned long uses;
	char call[48];

	*pairs = 0;
	for (; sscanf(counts, "%47s %lu", call, &uses) == 2; counts = strchr(counts, '\n') + 1) {
		*pairs += uses;
		for (unsigned long use = 1; use <= uses; use++)
			add_use(&list, call, use, uses);
	}
	add(&list, MANNER_ALL, "release", 0);
	return list.count;
}

void fault_describe(const struct fault *fault, char *text, size_t size)
{
	size_t used = 0;

	switch (fault->manner) {
	case MANNER_PAIR:
	case MANNER_OTHER:
		snprintf(text, size, "%s:%lu=%d", fault->call, fault->use, fault->code);
		return;
	case MANNER_GONE:
		snprintf(text, size, "%s:%lu", fault->call, fault->use);
		return;
	case MANNER_ALL:
		for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
			used += (size_t)snprintf(text + used, size - used, "%s%s=%d",
						 i ? "," : "", releases[i], fault->code);
		return;
	}
}
