/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name.h"

static const char *const texts[NAMES] = {
#define NAME(name) #name,
#include "name.def"
};

/* By the hash of a name, 1 + its number; twice as many as there are names, or more. */
enum { BUCKETS = 1024, LONGEST = 128 };
static_assert(NAMES * 2 <= BUCKETS, "a search ends at an empty bucket");
static uint16_t buckets[BUCKETS];

/* FNV-1a, which spreads short names well. */
static uint32_t hash(const char *text, size_t length)
{
	uint32_t value = 2166136261u;

	for (size_t i = 0; i < length; i++)
		value = (value ^ (uint8_t)text[i]) * 16777619u;
	return value % BUCKETS;
}

static size_t length_of(const char *text, size_t most)
{
	size_t length = 0;

	while (length < most && text[length])
		length++;
	return length;
}

/* The caller holds the loader's lock, or is alone. */
static void fill(void)
{
	for (unsigned name = 0; name < NAMES; name++) {
		uint32_t at = hash(texts[name], length_of(texts[name], LONGEST));

		while (buckets[at])
			at = (at + 1) % BUCKETS;
		buckets[at] = (uint16_t)(name + 1);
	}
}

enum name name_find(struct bytes text)
{
	static bool filled;
	const size_t length = length_of((const char *)text.data, text.size);

	if (!length || length >= LONGEST || length == text.size)
		return NAMES;
	if (!filled)
		fill();
	filled = true;
	for (uint32_t at = hash((const char *)text.data, length); buckets[at];
	     at = (at + 1) % BUCKETS) {
		const unsigned name = buckets[at] - 1u;

		/* With the NUL at its end. */
		if (length_of(texts[name], LONGEST) == length &&
		    !memcmp(texts[name], text.data, length))
			return (enum name)name;
	}
	return NAMES;
}

const char *name_text(enum name name)
{
	return texts[name];
}

bool name_begins(struct bytes text, const char *prefix)
{
	return bytes_begin(text, prefix, length_of(prefix, LONGEST));
}
