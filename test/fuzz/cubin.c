/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: lib/image/cubin.c lib/image/cubin_kernels.c lib/image/cubin_ptx.c lib/image/cubin_variables.c lib/elf/elf64.c */
/* covers: lib/image/cubin_lines.c lib/image/cubin_table.c */
#include "cleanup.h"
#include "cubin.h"
#include "fuzz.h"

/* Reads the name of a variable, which must not be beyond the bytes. */
static void read_name(const struct variable_info *variable, void *data)
{
	*(volatile size_t *)data = strnlen(variable->name, variable->length + 1);
}

static size_t count_lines(struct bytes text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++)
		count += text.data[i] == '\n';
	return count;
}

/* With the lines of the source a text is still one, and has no fewer lines. */
static void check_lines(struct bytes bytes, struct cubin_texts *texts)
{
	size_t before = 0, after = 0;

	for (size_t i = 0; i < texts->count; i++)
		before += count_lines(texts->items[i]);
	if (cubin_add_lines(bytes, texts, NULL))
		return;
	for (size_t i = 0; i < texts->count; i++) {
		after += count_lines(texts->items[i]);
		if (strlen((const char *)texts->items[i].data) != texts->items[i].size)
			abort();
	}
	if (after < before)
		abort();
}

/* What stands in the line info is text up to its end, and no more than the file can have. */
static void check_texts(struct bytes bytes)
{
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };
	size_t sum = 0;

	if (cubin_texts(bytes, &texts, NULL))
		return;
	for (size_t i = 0; i < texts.count; i++) {
		sum += texts.items[i].size;
		if (strlen((const char *)texts.items[i].data) != texts.items[i].size)
			abort();
	}
	if (sum > 4 * bytes.size)
		abort();
	check_lines(bytes, &texts);
}

/* Any bytes: they are refused, or parameters lie inside their kernel's block. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };
	struct kernel_info *kernels = NULL;
	struct cubin_head head;
	size_t count = 0;

	if (cubin_head(bytes, &head, NULL) &&
	    !cubin_kernels(bytes, &kernels, &count, NULL))
		abort();
	cubin_kernels(bytes, &kernels, &count, NULL);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < kernels[i].param_count; j++)
			if (kernels[i].params[j].offset + kernels[i].params[j].size >
			    kernels[i].param_bytes)
				abort();
	kernel_info_free(kernels, count);
	cubin_variables(bytes, read_name, &count, NULL);
	check_texts(bytes);
	return 0;
}
