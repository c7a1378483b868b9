/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Things stand in a few arrays, each twice as long as the one before, so that a
 * pointer is told to be one of ours without being followed. A dead thing is
 * remembered as dead until GRAVEYARD others have died; then it is used again.
 */
#include "stub.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 12, FIRST_CHUNK = 1024, GRAVEYARD = 4096 };

static struct thing *chunks[CHUNKS]; /* chunk i has FIRST_CHUNK << i things */
static size_t made;                  /* things in them that were ever used */
static unsigned counts[THING_KINDS];

/* The dead, in the order of their deaths. */
static struct thing *oldest, *latest;
static unsigned dead;

static const char *const kind_names[THING_KINDS] = {
	[CONTEXT] = "context", [MODULE] = "module", [FUNCTION] = "function",
	[STREAM] = "stream",   [EVENT] = "event",   [MEMORY] = "memory",
	[LIBRARY] = "library", [POOL] = "pool", [LINK] = "link",
	[GRAPH] = "graph",
};

/* Takes the next one of the last chunk, or begins another. */
static struct thing *fresh(void)
{
	size_t place = made++;

	for (unsigned i = 0; i < CHUNKS; i++) {
		size_t room = (size_t)FIRST_CHUNK << i;

		if (!chunks[i])
			chunks[i] = calloc(room, sizeof(struct thing));
		if (!chunks[i])
			abort();
		if (place < room)
			return &chunks[i][place];
		place -= room;
	}
	fprintf(stderr, "stub: more than %zu things live at once\n", made - 1);
	abort();
}

/* Takes the one that is dead for longest. */
static struct thing *reused(void)
{
	struct thing *thing = oldest;

	oldest = thing->next;
	dead--;
	memset(thing, 0, sizeof(*thing));
	return thing;
}

struct thing *thing_new(enum thing_kind kind, struct thing *owner)
{
	struct thing *thing = dead > GRAVEYARD ? reused() : fresh();

	thing->kind = kind;
	thing->id = ++counts[kind];
	thing->live = true;
	thing->owner = owner;
	thing->life = thing_context(thing)->life;
	return thing;
}

void thing_end(struct thing *thing)
{
	thing->live = false;
	thing->next = NULL;
	if (dead++)
		latest->next = thing;
	else
		oldest = thing;
	latest = thing;
}

static void end_of(struct thing *thing, const struct thing *context)
{
	if (!thing->live || thing == context || thing_context(thing) != context)
		return;
	if (thing->kind != MEMORY)
		free(thing->data);
	else
		block_leave(thing);
	if (thing->kind == MEMORY && !thing->registered)
		block_free(thing->data);
	thing_end(thing);
}

void things_end_of(struct thing *context)
{
	for (unsigned i = 0; i < CHUNKS && chunks[i]; i++)
		for (size_t j = 0; j < (size_t)FIRST_CHUNK << i; j++)
			end_of(&chunks[i][j], context);
	context->size = 0;
}

struct thing *thing_context(struct thing *thing)
{
	while (thing->owner)
		thing = thing->owner;
	return thing;
}

/* The thing at @pointer, dead or alive, or NULL. */
static struct thing *known(const void *pointer)
{
	for (unsigned i = 0; i < CHUNKS && chunks[i]; i++) {
		uintptr_t offset = (uintptr_t)pointer - (uintptr_t)chunks[i];
		size_t place = offset / sizeof(struct thing);

		if (place >= (size_t)FIRST_CHUNK << i)
			continue;
		if (offset % sizeof(struct thing) || !chunks[i][place].id)
			return NULL;
		return &chunks[i][place];
	}
	return NULL;
}

CUresult thing_find(const void *pointer, enum thing_kind kind, struct thing **out)
{
	struct thing *thing = known(pointer);

	*out = thing;
	if (!thing || !thing->live)
		return CUDA_ERROR_INVALID_HANDLE;
	if (thing->kind != kind || thing->life != thing_context(thing)->life)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return CUDA_SUCCESS;
}

void thing_refuse(const void *pointer)
{
	struct thing *thing = known(pointer);

	if (thing)
		thing->refused++;
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

static void tell(FILE *out, const char *what, const struct thing *thing)
{
	fprintf(out, "%s: %s#%u\n", what, kind_names[thing->kind], thing->id);
}

unsigned things_left(FILE *out)
{
	unsigned left = 0;

	for (unsigned i = 0; i < CHUNKS && chunks[i]; i++)
		for (size_t j = 0; j < (size_t)FIRST_CHUNK << i; j++) {
			const struct thing *thing = &chunks[i][j];

			if (!is_left(thing))
				continue;
			for (unsigned k = 0; k < thing->refused; k++)
				tell(out, "refused", thing);
			if (!thing->refused)
				tell(out, "left", thing);
			left += !thing->refused;
		}
	return left;
}
