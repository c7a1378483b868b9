/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "complete.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "demangle.h"
#include "output.h"
#include "sources.h"

static int by_base(const void *a, const void *b)
{
	const struct lookup_kernel *left = *(const struct lookup_kernel *const *)a;
	const struct lookup_kernel *right = *(const struct lookup_kernel *const *)b;
	const int order = strcmp(left->scope, right->scope);

	return order ? order : strcmp(left->base, right->base);
}

/* Sets a flag in @shared for each kernel of which the base name is another one's, too. */
static int find_shared(const struct lookup *lookup, bool *shared, struct err *e)
{
	CLEANUP(free_pointer) const struct lookup_kernel **sorted =
		calloc(lookup->count + 1, sizeof(const struct lookup_kernel *));

	if (!sorted)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	for (size_t i = 0; i < lookup->count; i++)
		sorted[i] = &lookup->kernels[i];
	qsort(sorted, lookup->count, sizeof(*sorted), by_base);
	for (size_t i = 1; i < lookup->count; i++)
		if (!by_base(&sorted[i - 1], &sorted[i]))
			shared[sorted[i - 1] - lookup->kernels] =
				shared[sorted[i] - lookup->kernels] = true;
	return 0;
}

int complete_kernels(const struct plan *plan, struct err *e)
{
	CLEANUP(lookup_release) struct lookup lookup = { .joined = plan->joins > 0 };
	CLEANUP(free_pointer) bool *shared = NULL;

	for (size_t i = 0; i < plan->source_count; i++) {
		const struct source *source = &plan->sources[i];

		TRY(lookup_add(&lookup, source->name, source->file, source->wanted, e));
	}
	shared = calloc(lookup.count + 1, sizeof(*shared));
	if (!shared)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	TRY(find_shared(&lookup, shared, e));
	for (size_t i = 0; i < lookup.count; i++) {
		const struct lookup_kernel *kernel = &lookup.kernels[i];

		output_text("%s%s%s\n", kernel->scope, *kernel->scope ? ":" : "",
			    shared[i] ? kernel->name : kernel->base);
	}
	return 0;
}

static void print_variable(const struct variable_info *variable, void *data)
{
	CLEANUP(free_pointer) char *symbol = strndup(variable->name, variable->length);
	CLEANUP(free_pointer) char *signature = symbol ? demangle(symbol) : NULL;
	CLEANUP(free_pointer) char *qualified = signature ? demangle_qualified(signature) : NULL;

	(void)data;
	if (qualified && *symbol)
		output_text("%s\n", strncmp(symbol, "_Z", 2) ? symbol : qualified);
}

void complete_variables(const struct plan *plan)
{
	struct err ignored;

	for (size_t i = 0; i < plan->source_count; i++) {
		struct image_file *file = plan->sources[i].file;

		for (size_t k = 0; k < image_count(file); k++) {
			if (!sources_wants(&plan->sources[i], k) || image_at(file, k)->problem)
				continue;
			image_variables(file, image_at(file, k), print_variable, NULL, &ignored);
			image_forget(file, image_at(file, k));
		}
	}
}
