/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"

#include <stdlib.h>

#include "asserts.h"

enum { FIRST_BUCKETS = 64 };

static uint32_t hash_of(struct ptx_name text)
{
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i < text.length; i++)
		hash = (hash ^ (uint8_t)text.text[i]) * 16777619u;
	return hash;
}

static void enter(struct names *names, uint32_t i)
{
	struct name *name = &names->items[i];
	uint32_t *bucket = &names->buckets[name->hash & names->mask];

	ASSERT(*bucket <= i); /* the newest is first: names_cut() removes from there */
	name->next = *bucket;
	*bucket = i + 1;
}

/* Doubles the arrays; the buckets are filled again, oldest first. */
static int grow(struct names *names, struct err *e)
{
	uint32_t size = names->mask ? (names->mask + 1) * 2 : FIRST_BUCKETS;
	CLEANUP(free_pointer) uint32_t *buckets = calloc(size, sizeof(*buckets));
	struct name *items = reallocarray(names->items, size, sizeof(*items));

	if (items)
		names->items = items;
	if (!items || !buckets)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %u names", size);
	free(names->buckets);
	names->buckets = STEAL(buckets);
	names->mask = size - 1;
	for (uint32_t i = 0; i < names->count; i++)
		enter(names, i);
	return 0;
}

int names_add(struct names *names, struct ptx_name text, enum name_kind kind, uint32_t index,
	      uint32_t count, struct err *e)
{
	if (!names->mask || names->count > names->mask)
		TRY(grow(names, e));
	ASSERT(kind <= NAME_VECTORS && names->count <= names->mask);
	names->items[names->count] =
		(struct name){ text, hash_of(text), 0, kind, index, count, 1 };
	enter(names, names->count++);
	return 0;
}

/* The newest one of @text, numbered or not, whose count is at least @least. */
static const struct name *find_newest(const struct names *names, struct ptx_name text,
				      bool numbered, uint64_t least)
{
	uint32_t hash = hash_of(text);

	if (!names->mask)
		return NULL;
	for (uint32_t i = names->buckets[hash & names->mask]; i;) {
		const struct name *name = &names->items[i - 1];

		ASSERT(i <= names->count && name->next < i);
		if (names->steps)
			++*names->steps;
		if (name->hash == hash && (name->kind >= NAME_REGISTERS) == numbered &&
		    name->count >= least && name_equal(name->text, text))
			return name;
		i = name->next;
	}
	return NULL;
}

const struct name *names_find(const struct names *names, struct ptx_name text)
{
	return find_newest(names, text, false, 0);
}

const struct name *names_find_stem(const struct names *names, struct ptx_name stem)
{
	return find_newest(names, stem, true, 0);
}

/* Removes the digits at the end of @text, and returns their number, UINT32_MAX at most. */
static uint64_t cut_number(struct ptx_name *text)
{
	uint64_t number = 0, scale = 1;

	for (; text->length; text->length--) {
		char c = text->text[text->length - 1];

		if (c < '0' || c > '9')
			break;
		number += (uint64_t)(c - '0') * scale;
		if (number > UINT32_MAX)
			number = UINT32_MAX;
		if (scale <= UINT32_MAX)
			scale *= 10;
	}
	return number;
}

const struct name *names_find_numbered(const struct names *names, struct ptx_name text,
				       uint32_t *number)
{
	const struct name *exact = find_newest(names, text, false, 0), *numbered = NULL;
	struct ptx_name stem = text;
	uint64_t n = cut_number(&stem);

	if (stem.length < text.length)
		numbered = find_newest(names, stem, true, n + 1);
	*number = 0;
	if (!numbered || (exact && numbered < exact))
		return exact;
	*number = (uint32_t)n;
	return numbered;
}

void names_cut(struct names *names, uint32_t count)
{
	ASSERT(count <= names->count);
	while (names->count > count) {
		const struct name *name = &names->items[--names->count];

		ASSERT(names->buckets[name->hash & names->mask] == names->count + 1);
		names->buckets[name->hash & names->mask] = name->next;
	}
}

void names_release(struct names *names)
{
	free(names->items);
	free(names->buckets);
}
