/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "x86.h"

#include <string.h>

#include "asserts.h"
#include "hash.h"
#include "x86_row.h"

/*
 * References to a label form a chain through the code: the 32 bits of each have the link to the
 * previous one, until x86_finish() writes the distance there. A link is the position of the bits
 * times 8, plus how many bytes of the instruction follow them; 0 ends the chain, for there is an
 * opcode in front of the first.
 */
struct x86_label {
	uint32_t position;
	uint32_t chain;
	bool bound;
	uint32_t constant;       /* that is there, plus 1; 0: none */
};

struct x86_constant {
	uint32_t label;
	uint32_t bytes;
	uint32_t next;           /* of those with its hash, plus 1; 0: none */
	uint8_t data[64];
};

/* Lists of constants by hash: about one for each of those that there will be. */
enum { FEWEST_LISTS = 64, MOST_LISTS = 65536, CONSTANTS_OF_LIST = 16 };

int x86_new(const struct x86_limits *limits, enum x86_isa isa, struct x86 **out, struct err *e)
{
	CLEANUP(free_x86) struct x86 *x = calloc(1, sizeof(*x));
	const size_t labels = (size_t)limits->labels + limits->constants;

	ASSERT((uintptr_t)limits->code % 64 == 0 && limits->size <= X86_MOST_CODE);
	*out = NULL;
	if (x) {
		x->limits = *limits;
		x->isa = isa;
		x->labels = calloc(labels + 1, sizeof(x->labels[0]));
		x->constants = calloc((size_t)limits->constants + 1, sizeof(x->constants[0]));
		x->list_count = FEWEST_LISTS;
		while (x->list_count < MOST_LISTS &&
		       x->list_count < limits->constants / CONSTANTS_OF_LIST)
			x->list_count *= 2;
		x->lists = calloc(x->list_count, sizeof(x->lists[0]));
	}
	if (!x || !x->labels || !x->constants || !x->lists)
		return err_set(e, GPURUN_NO_MEMORY, "compiling: %zu labels and %u constants",
			       labels, limits->constants);
	*out = STEAL(x);
	return 0;
}

void x86_free(struct x86 *x)
{
	if (!x)
		return;
	free(x->labels);
	free(x->constants);
	free(x->lists);
	free(x);
}

/* The first reason is the one that x86_finish() returns. */
static void note_failure(struct x86 *x, enum gpurun_status status, const char *reason)
{
	if (x->failed)
		return;
	x->failed = status;
	x->reason = reason;
}

uint32_t x86_label(struct x86 *x)
{
	if (x->label_count - x->constant_count >= x->limits.labels) {
		note_failure(x, GPURUN_NO_MEMORY, "too many labels");
		return 0;
	}
	return x->label_count++;
}

void x86_bind(struct x86 *x, uint32_t label)
{
	if (x->failed)
		return;
	ASSERT(label < x->label_count && !x->labels[label].bound);
	x->labels[label].position = (uint32_t)x->used;
	x->labels[label].bound = true;
}

/* The list that has the constant with the @bytes bytes at @data, if there is one. */
static uint32_t *constant_list(struct x86 *x, const uint8_t *data, unsigned bytes)
{
	uint64_t hash = bytes;

	for (unsigned at = 0; at < bytes; at += 4) {
		uint32_t word;

		memcpy(&word, data + at, 4);
		hash = hash_add(hash, word);
	}
	return &x->lists[hash & (x->list_count - 1)];
}

struct x86_operand x86_constant(struct x86 *x, const void *data, unsigned bytes)
{
	struct x86_constant *constant;
	uint32_t *list;

	ASSERT(bytes >= 4 && bytes <= 64 && !(bytes & (bytes - 1)));
	list = constant_list(x, data, bytes);
	for (uint32_t i = *list; i; i = constant->next) {
		constant = &x->constants[i - 1];
		if (constant->bytes == bytes && !memcmp(constant->data, data, bytes))
			return x86_sized(x86_at_label(constant->label), bytes);
	}
	if (x->constant_count == x->limits.constants) {
		note_failure(x, GPURUN_NO_MEMORY, "too many constants");
		return x86_sized(x86_at_label(0), bytes);
	}
	constant = &x->constants[x->constant_count++];
	constant->label = x->label_count++;
	x->labels[constant->label].constant = x->constant_count;
	constant->bytes = bytes;
	memcpy(constant->data, data, bytes);
	constant->next = *list;
	*list = x->constant_count;
	return x86_sized(x86_at_label(constant->label), bytes);
}

struct x86_operand x86_repeated(struct x86 *x, struct x86_operand element, unsigned bytes)
{
	const uint32_t index = x->labels[element.label].constant;
	const struct x86_constant *constant;
	uint8_t all[64];

	if (!index) /* there was no room for it */
		return element;
	constant = &x->constants[index - 1];
	for (unsigned at = 0; at < bytes; at += constant->bytes)
		memcpy(all + at, constant->data, constant->bytes);
	return x86_constant(x, all, bytes);
}

/* Puts the reference in @encoding, which is about to be at @x->used, at the head of its chain. */
static void link_reference(struct x86 *x, struct x86_encoding *encoding)
{
	const uint32_t position = (uint32_t)x->used + encoding->distance;
	const uint32_t behind = encoding->size - encoding->distance - 4u;
	struct x86_label *label;

	ASSERT(encoding->label < x->label_count && behind < 8);
	label = &x->labels[encoding->label];
	memcpy(encoding->bytes + encoding->distance, &label->chain, 4);
	label->chain = position << 3 | behind;
}

void x86_emit_all(struct x86 *x, enum x86_name name, const struct x86_operand *operands,
		  size_t count)
{
	const struct x86_row *row;
	struct x86_encoding encoding;
	unsigned size;

	if (x->failed)
		return;
	row = x86_find(x->isa, name, operands, count, &size);
	ASSERT(row);
	if (!row) {
		note_failure(x, GPURUN_INTERNAL, "an instruction has operands of the wrong kind");
		return;
	}
	x86_encode(row, size, operands, &encoding);
	if (encoding.size > x->limits.size - x->used) {
		note_failure(x, GPURUN_NO_MEMORY, "too much code");
		return;
	}
	if (encoding.distance)
		link_reference(x, &encoding);
	memcpy(x->limits.code + x->used, encoding.bytes, encoding.size);
	x->used += encoding.size;
}

/* int3 up to a multiple of 64, then the constants: those of 64 bytes first, so all are aligned. */
static void place_constants(struct x86 *x)
{
	const size_t room = x->limits.size - x->used, pad = -x->used & 63;

	if (!x->constant_count)
		return;
	if (pad > room) {
		note_failure(x, GPURUN_NO_MEMORY, "too much code");
		return;
	}
	memset(x->limits.code + x->used, 0xcc, pad);
	x->used += pad;
	for (unsigned bytes = 64; bytes; bytes >>= 1)
		for (uint32_t i = 0; i < x->constant_count && !x->failed; i++) {
			const struct x86_constant *constant = &x->constants[i];

			if (constant->bytes != bytes)
				continue;
			if (bytes > x->limits.size - x->used) {
				note_failure(x, GPURUN_NO_MEMORY, "too much code");
				return;
			}
			x86_bind(x, constant->label);
			memcpy(x->limits.code + x->used, constant->data, bytes);
			x->used += bytes;
		}
}

static void resolve_label(struct x86 *x, const struct x86_label *label)
{
	uint32_t link = label->chain;

	if (link && !label->bound)
		note_failure(x, GPURUN_INTERNAL, "a label is used and not bound");
	while (link && !x->failed) {
		uint8_t *place = x->limits.code + (link >> 3);
		const uint32_t distance = label->position - (link >> 3) - 4 - (link & 7);

		ASSERT((link >> 3) + 4 <= x->used);
		memcpy(&link, place, 4);
		memcpy(place, &distance, 4);
	}
}

int x86_finish(struct x86 *x, size_t *size, struct err *e)
{
	*size = 0;
	if (!x->failed)
		place_constants(x);
	for (uint32_t i = 0; i < x->label_count && !x->failed; i++)
		resolve_label(x, &x->labels[i]);
	if (x->failed)
		return err_set(e, x->failed, "compiling: %s (%zu of %zu bytes of code, %u of %u "
			       "labels, %u of %u constants)", x->reason, x->used,
			       x->limits.size, x->label_count - x->constant_count,
			       x->limits.labels, x->constant_count, x->limits.constants);
	*size = x->used;
	return 0;
}
