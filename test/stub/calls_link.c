/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Links: what is made is a text that has all names of the inputs. Nothing is resolved; the
 * name "unresolved" in an input stands for one that none defines.
 */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

/* The JIT's error log that was given at the beginning. */
struct log {
	char *text;
	size_t size;
};

struct link_text {
	struct log log;
	size_t size;
	char *text; /* owned; ends with NUL */
};

static const char head[] = ".version 8.0\n.target sm_50\n.address_size 64\n";

static CUresult append(struct link_text *link, const void *data, size_t size)
{
	char *grown = realloc(link->text, link->size + size + 1);

	if (!grown)
		abort();
	link->text = grown;
	for (size_t i = 0; i < size; i++) /* machine code has NULs */
		grown[link->size++] = ((const char *)data)[i] ? ((const char *)data)[i] : ' ';
	grown[link->size] = '\0';
	return CUDA_SUCCESS;
}

/* Bytes of the directives that a text begins with: there may be one set of them. */
static size_t head_size(const char *data, size_t size)
{
	const char *end = size > 8 && !memcmp(data, ".version", 8) ?
				  memmem(data, size, ".address_size 64", 16) : NULL;

	return end ? (size_t)(end - data) + 16 : 0;
}

CUresult stub_cuLinkCreate(unsigned count, CUjit_option *options, void **values,
			   CUlinkState *state)
{
	struct link_text *link = calloc(1, sizeof(*link));
	struct thing *thing;

	if (!link)
		abort();
	for (unsigned i = 0; i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			link->log.text = values[i];
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			link->log.size = (uintptr_t)values[i];
	}
	thing = thing_new(LINK, stub_current());
	thing->data = (void *)link;
	*state = (CUlinkState)thing;
	return append(link, head, sizeof(head) - 1);
}

CUresult stub_cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
			    const char *name, unsigned count, CUjit_option *options, void **values)
{
	struct thing *thing;
	CUresult result = thing_find(state, LINK, &thing);
	size_t skip = head_size(data, size);

	(void)type, (void)name, (void)count, (void)options, (void)values;
	return result ? result :
			append((struct link_text *)(void *)thing->data, (char *)data + skip,
			       size - skip);
}

CUresult stub_cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
	struct thing *thing;
	struct link_text *link;
	CUresult result = thing_find(state, LINK, &thing);

	if (result)
		return result;
	link = (struct link_text *)(void *)thing->data;
	if (strstr(link->text, "unresolved")) {
		if (link->log.text)
			snprintf(link->log.text, link->log.size,
				 "error   : Undefined reference to 'unresolved' in 'input'\n");
		return CUDA_ERROR_UNKNOWN;
	}
	*image = link->text;
	*size = link->size + 1;
	return CUDA_SUCCESS;
}

CUresult stub_cuLinkDestroy(CUlinkState state)
{
	struct thing *thing;
	struct link_text *link;
	CUresult result = thing_find(state, LINK, &thing);

	if (result)
		return result;
	link = (struct link_text *)(void *)thing->data;
	free(link->text);
	free(link);
	thing_end(thing);
	return CUDA_SUCCESS;
}
