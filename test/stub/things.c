/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stub.h"

#include <stdlib.h>

static struct thing *things;
static unsigned counts[THING_KINDS];

static const char *const kind_names[THING_KINDS] = {
	[CONTEXT] = "context", [MODULE] = "module", [FUNCTION] = "function",
	[STREAM] = "stream",   [EVENT] = "event",   [MEMORY] = "memory",
};

struct thing *thing_new(enum thing_kind kind, struct thing *owner)
{
	struct thing *thing = calloc(1, sizeof(*thing));

	if (!thing)
		abort();
	thing->kind = kind;
	thing->id = ++counts[kind];
	thing->live = true;
	thing->owner = owner;
	thing->next = things;
	things = thing;
	return thing;
}

static struct thing *known(const void *pointer)
{
	struct thing *thing = things;

	while (thing && thing != pointer)
		thing = thing->next;
	return thing;
}

CUresult thing_find(const void *pointer, enum thing_kind kind, struct thing **out)
{
	struct thing *thing = known(pointer);

	*out = thing;
	if (!thing || !thing->live)
		return CUDA_ERROR_INVALID_HANDLE;
	return thing->kind == kind ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

struct thing *thing_at(CUdeviceptr address)
{
	struct thing *thing = things;

	while (thing && !(thing->live && thing->kind == MEMORY &&
			  address - (uintptr_t)thing->data < thing->size))
		thing = thing->next;
	return thing;
}

struct thing *thing_freed_at(CUdeviceptr address)
{
	struct thing *thing = things;

	while (thing && !(thing->kind == MEMORY && address == (uintptr_t)thing->data))
		thing = thing->next;
	return thing;
}

void thing_name(const void *pointer, char *text, size_t size)
{
	const struct thing *thing = known(pointer);

	if (!pointer)
		snprintf(text, size, "0");
	else if (thing)
		snprintf(text, size, "%s#%u", kind_names[thing->kind], thing->id);
	else
		snprintf(text, size, "?");
}

/* A context is left when it is still retained; a function goes with its module. */
static bool is_left(const struct thing *thing)
{
	if (thing->kind == CONTEXT)
		return thing->references > 0;
	return thing->live && thing->kind != FUNCTION;
}

unsigned things_left(FILE *out)
{
	unsigned left = 0;

	for (const struct thing *thing = things; thing; thing = thing->next) {
		if (!is_left(thing))
			continue;
		fprintf(out, "left: %s#%u\n", kind_names[thing->kind], thing->id);
		left++;
	}
	return left;
}
