/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the row of an opcode among some two thousand: by its base, its first
 * type and its last type. A row that is spelt with several types ("s32/u32")
 * is in the list of each.
 */
#include <pthread.h>

#include "asserts.h"
#include "handler.h"
#include "opcode.h"

enum { BUCKETS = 2048, MOST_ENTRIES = 8192, MOST_TYPES = 8 };

static_assert(MOST_ENTRIES < UINT16_MAX, "an index of an entry and one more have 16 bits");

/* A row in a bucket's list; they keep the order of the rows. */
struct entry_of_row {
	uint16_t row, next; /* next: its index plus 1; 0: none */
};

static struct {
	struct entry_of_row entries[MOST_ENTRIES];
	uint16_t first[BUCKETS], last[BUCKETS], count; /* index plus 1 */
} row_index;

static unsigned bucket_of(struct ptx_name base, unsigned first, unsigned last)
{
	uint32_t hash = first * 32 + last;

	for (uint32_t i = 0; i < base.length; i++)
		hash = hash * 31 + (unsigned char)base.text[i];
	return (hash ^ hash >> 11) % BUCKETS;
}

/* The types that a segment "s32/u32" names; none when it names modifiers. */
static unsigned segment_types(const char *segment, size_t length, uint8_t types[MOST_TYPES])
{
	unsigned count = 0;
	const char *end = segment + length;

	while (segment < end && count < MOST_TYPES) {
		size_t size = strcspn(segment, "/.?");

		types[count] = type_parse((struct ptx_name){ segment, (uint32_t)size });
		if (!types[count++])
			return 0;
		segment += size + 1;
	}
	return count;
}

static void add_entry(uint16_t row, unsigned bucket)
{
	uint16_t at = row_index.count;

	ASSERT(row < op_row_count && bucket < BUCKETS);
	if (at == MOST_ENTRIES) /* then its row is not found, which check-forms reports */
		return;
	row_index.count++;
	row_index.entries[at].row = row;
	if (row_index.last[bucket])
		row_index.entries[row_index.last[bucket] - 1].next = at + 1;
	else
		row_index.first[bucket] = at + 1;
	row_index.last[bucket] = at + 1;
}

static void add_row(uint16_t row)
{
	const char *at = op_rows[row].spelling;
	struct ptx_name base = { at, (uint32_t)strcspn(at, ".") };
	uint8_t first[MOST_TYPES] = { TYPE_NONE }, last[MOST_TYPES] = { TYPE_NONE };
	unsigned firsts = 0, lasts = 0;

	for (at += base.length; *at == '.'; at += strcspn(at, ".")) {
		uint8_t types[MOST_TYPES];
		unsigned count;

		at++;
		count = segment_types(at, strcspn(at, "."), types);
		if (!count)
			continue;
		if (!firsts)
			memcpy(first, types, firsts = count);
		else
			memcpy(last, types, lasts = count);
	}
	for (unsigned i = 0; i < firsts; i++) {
		if (!lasts)
			add_entry(row, bucket_of(base, first[i], first[i]));
		for (unsigned j = 0; j < lasts; j++)
			add_entry(row, bucket_of(base, first[i], last[j]));
	}
}

static void make_index(void)
{
	for (size_t row = 0; row < op_row_count; row++)
		add_row((uint16_t)row);
}

const struct op_row *op_row_find(const struct opcode *opcode)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	unsigned at;

	if (!opcode->type_count)
		return NULL;
	pthread_once(&once, make_index);
	at = row_index.first[bucket_of(opcode->base, opcode->types[0],
				       opcode->types[opcode->type_count - 1])];
	for (; at; at = row_index.entries[at - 1].next) {
		const struct op_row *row = &op_rows[row_index.entries[at - 1].row];

		if (opcode_matches(opcode, row->spelling))
			return row;
	}
	return NULL;
}
