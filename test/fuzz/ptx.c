/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: lib/ptx/ptx.c lib/ptx/ptx_body.c lib/ptx/ptx_kernels.c lib/ptx/ptx_parse.c */
/* covers: lib/ptx/ptx_variable.c lib/ptx/ptx_variables.c */
#include "ptx.h"
#include "fuzz.h"

/* Adds up the bytes of a variable's name, which must not be beyond the text. */
static void read_name(const struct variable_info *variable, void *data)
{
	for (size_t i = 0; i < variable->length; i++)
		*(volatile size_t *)data += (unsigned char)variable->name[i];
}

/* Text that is read as a whole is read as the first of some bytes, too. */
static void read_first(struct bytes text, const struct ptx *whole)
{
	CLEANUP(free_ptx) struct ptx *ptx = NULL;
	struct ptx_extent extent;
	struct err e = { 0 };

	if (!ptx_open_first(text, &ptx, &extent, &e) != (ptx != NULL) || extent.size > text.size)
		abort();
	if (whole && (!ptx || !extent.all || !ptx_sniff(text)))
		abort();
}

/* Any bytes: they are refused with a reason, or every body lies inside them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free_ptx) struct ptx *ptx = NULL;
	struct kernel_info *kernels = NULL;
	struct err e = { 0 };
	size_t count = 0;

	if (ptx_open((struct bytes){ data, size }, &ptx, &e) && (ptx || !e.text[0]))
		abort();
	read_first((struct bytes){ data, size }, ptx);
	for (size_t i = 0; ptx && i < ptx->function_count; i++) {
		struct bytes body = ptx->functions[i].body;

		if (body.size &&
		    (body.data < data || body.data + body.size >= data + size))
			abort();
	}
	if (ptx)
		ptx_kernels(ptx, &kernels, &count, &e);
	kernel_info_free(kernels, count);
	if (ptx)
		ptx_variables(ptx, read_name, &count);
	if (ptx && !ptx_open_bodies(ptx, &e))
		for (size_t i = ptx->module_variables; i < ptx->variable_count; i++)
			if (ptx_of_body(ptx, ptx->variables[i].name.text) != &ptx->variables[i])
				abort();
	return 0;
}
