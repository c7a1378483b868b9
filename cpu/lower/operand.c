/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operands of ops: rows, scalar slots, predicates, and conversions between sizes. */
#include "asserts.h"
#include "bits.h"
#include "hash.h"
#include "lower.h"
#include "special.h"

/* How many special registers are rows. */
enum {
	ROWS_OF_SPECIALS = 0
#define SPECIAL(name, spelling, form, bytes) +(FORM_##form == FORM_ROW)
	SPECIALS
#undef SPECIAL
};

/* The row file (code.h). */
_Static_assert(AT_SPECIAL_SLOTS + 8 * SPECIAL_NAMED <= AT_SPECIAL_ROWS, "a slot for each");
_Static_assert((int)ROWS_OF_SPECIALS == (int)SPECIAL_ROWS, "a row for each that has one");
_Static_assert(SPECIAL_ROWS <= 32, "a bit for each of them in code->uses");
_Static_assert(SCRATCH_BYTES == 16 * LANES, "a row of the widest elements");
_Static_assert(HITS % 2 == 0, "half of them are for ops that read, half for those that write");

/* The next of @count scratch rows or slots; emit() refuses what would use one twice. */
static int32_t allocate_scratch(struct lowering *l, unsigned *used, unsigned count)
{
	if (*used == count) {
		l->overdrawn = true;
		return 0;
	}
	return (int32_t)(*used)++;
}

int32_t scratch_row(struct lowering *l)
{
	return AT_SCRATCH + allocate_scratch(l, &l->scratch.rows, SCRATCH_ROWS) * SCRATCH_BYTES;
}

int32_t scratch_predicate(struct lowering *l)
{
	return AT_SCRATCH_PREDICATES +
	       8 * allocate_scratch(l, &l->scratch.predicates, SCRATCH_PREDICATES);
}

int32_t special_offset(unsigned special)
{
	ASSERT(special < SPECIAL_NAMED);
	if (special_infos[special].form == FORM_SLOT)
		return AT_SPECIAL_SLOTS + 8 * (int32_t)special;
	return AT_SPECIAL_ROWS + 128 * (int32_t)special_bit(special);
}

unsigned special_bit(unsigned special)
{
	ASSERT(special_infos[special].form == FORM_ROW &&
	       special_infos[special].row < SPECIAL_ROWS);
	return special_infos[special].row;
}

int32_t next_hit(struct lowering *l, bool writes)
{
	uint32_t n = l->hits[writes]++ % (HITS / 2) * 2 + writes;

	ASSERT(n < HITS && (n & 1) == writes);
	return (int32_t)(n * sizeof(struct hit));
}

int constant_slot(struct lowering *l, uint64_t value, enum slot_base base, int32_t *slot)
{
	struct code *code = l->code;
	uint32_t *bucket = &l->buckets[(hash_u64(value) >> 32 ^ base) % CONSTANT_BUCKETS];
	struct constant *constant;
	uint32_t *next;

	ASSERT(l->now); /* all registers have their places: constants follow them */
	for (uint32_t i = *bucket; i; i = l->constant_next[i - 1]) {
		ASSERT(i <= code->constant_count && l->constant_next[i - 1] < i);
		constant = &code->constants[i - 1];
		if (constant->value == value && constant->base == base) {
			*slot = constant->slot;
			return 0;
		}
	}
	next = array_grow(&l->constant_next, code->constant_count, sizeof(*next));
	if (!next)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for constants");
	constant = array_grow(&code->constants, code->constant_count, sizeof(*constant));
	if (!constant)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for constants");
	*slot = l->constants_at + (int32_t)(8 * code->constant_count++);
	*constant = (struct constant){ value, *slot, base };
	*next = *bucket;
	*bucket = (uint32_t)code->constant_count;
	return 0;
}

int32_t register_at(const struct lowering *l, uint32_t index)
{
	ASSERT(l->body == l->now->body && index < l->body->register_count);
	return l->now->places.offsets[index];
}

unsigned register_size(const struct lowering *l, uint32_t index)
{
	ASSERT(index < l->body->register_count);
	return type_size(l->body->register_types[index]);
}

/* The bits of an immediate as an element of @class. */
static bool immediate_bits(const struct operand *operand, unsigned size,
			   enum element_class class, uint64_t *bits)
{
	double wide;
	float narrow;

	*bits = (uint64_t)operand->value;
	if (operand->kind == OPERAND_INTEGER)
		return class == ELEMENT_BITS;
	if (operand->single) {
		uint32_t word = (uint32_t)operand->value;

		memcpy(&narrow, &word, sizeof(narrow));
		wide = narrow;
		if (class == ELEMENT_F64)
			memcpy(bits, &wide, sizeof(wide));
		return size == 4 || class == ELEMENT_F64;
	}
	memcpy(&wide, &operand->value, sizeof(wide));
	if (size == 8)
		return true;
	narrow = (float)wide;
	*bits = 0;
	memcpy(bits, &narrow, sizeof(narrow));
	return size == 4 && class != ELEMENT_BITS; /* as bits it is those of a double */
}

bool register_slot(const struct lowering *l, uint32_t index)
{
	ASSERT(index < l->body->register_count);
	return l->now->homes && l->now->homes[index] != HOME_ROW;
}

static unsigned size_index(unsigned size)
{
	return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
}

/* Tells whether elements of @size bytes can be in a slot, or resized: others are those of 16 bytes,
 * and parameters of a size that no register has. */
static bool size_is_plain(unsigned size)
{
	return size_index(size) < 4;
}

/* Notes what a kernel that reads register @special needs, or reports when it traps. */
static void note_special(const struct lowering *l, uint32_t special)
{
	l->code->reserved |= special >= SPECIAL_RESERVED_0 && special <= SPECIAL_RESERVED_END;
	l->code->workspace |= special == SPECIAL_ENVREG2;
}

/* Whether all threads of a warp have the same %tid.y and %tid.z. */
static bool special_shared(const struct lowering *l, uint32_t special)
{
	if (special != SPECIAL_TID_Y && special != SPECIAL_TID_Z)
		return special_infos[special].form == FORM_SLOT;
	l->code->aligned |= l->aligned;
	return l->aligned;
}

int source_scalar(struct lowering *l, const struct operand *operand, unsigned size,
		  enum element_class class, bool *scalar, int32_t *slot)
{
	uint64_t bits;

	*scalar = true;
	switch (operand->kind) {
	case OPERAND_INTEGER:
	case OPERAND_FLOAT:
		if (!immediate_bits(operand, size, class, &bits))
			return lower_fail(l, GPURUN_FORMAT, "has an immediate of the wrong type");
		return constant_slot(l, bits, BASE_NONE, slot);
	case OPERAND_SPECIAL:
		if (special_infos[operand->index].form == FORM_ZERO)
			return constant_slot(l, 0, BASE_NONE, slot);
		note_special(l, operand->index);
		*scalar = special_shared(l, operand->index);
		*slot = AT_SPECIAL_SLOTS + 8 * (int32_t)operand->index;
		return 0;
	case OPERAND_REGISTER:
		*scalar = register_slot(l, operand->index) &&
			  register_size(l, operand->index) >= size;
		*slot = register_at(l, operand->index);
		return 0;
	case OPERAND_FUNCTION:
		return constant_slot(l, l->program->functions + 16ull * operand->index,
				     BASE_NONE, slot);
	case OPERAND_VARIABLE:
		return symbol_value(l, operand, scalar, slot);
	default:
		*scalar = false;
		return 0;
	}
}


int resize(struct lowering *l, int32_t to, unsigned to_size, int32_t from, unsigned from_size,
	   bool sign)
{
	static const uint16_t movers[] = { HANDLER_mov_1_r, HANDLER_mov_2_r, HANDLER_mov_4_r,
					   HANDLER_mov_8_r, HANDLER_mov_16_r };
	static const uint16_t resizers[2][4][4] = {
		{
			{ 0, HANDLER_resize_u1_2, HANDLER_resize_u1_4, HANDLER_resize_u1_8 },
			{ HANDLER_resize_u2_1, 0, HANDLER_resize_u2_4, HANDLER_resize_u2_8 },
			{ HANDLER_resize_u4_1, HANDLER_resize_u4_2, 0, HANDLER_resize_u4_8 },
			{ HANDLER_resize_u8_1, HANDLER_resize_u8_2, HANDLER_resize_u8_4, 0 },
		},
		{
			{ 0, HANDLER_resize_s1_2, HANDLER_resize_s1_4, HANDLER_resize_s1_8 },
			{ HANDLER_resize_u2_1, 0, HANDLER_resize_s2_4, HANDLER_resize_s2_8 },
			{ HANDLER_resize_u4_1, HANDLER_resize_u4_2, 0, HANDLER_resize_s4_8 },
			{ HANDLER_resize_u8_1, HANDLER_resize_u8_2, HANDLER_resize_u8_4, 0 },
		},
	};

	if (to == from && to_size == from_size)
		return 0;
	if (to_size == from_size)
		return emit(l, movers[size_index(to_size)], to, from, 0, 0, 0);
	if (!to_size || !from_size)
		return lower_fail(l, GPURUN_FORMAT, "has a predicate where a value is expected");
	if (!size_is_plain(to_size) || !size_is_plain(from_size))
		return lower_unsupported(l);
	return emit(l, resizers[sign][size_index(from_size)][size_index(to_size)], to, from, 0, 0,
		    0);
}

/* Fills a scratch row with a slot's value. */
static int spread_slot(struct lowering *l, int32_t slot, unsigned size, int32_t *row)
{
	static const uint16_t movers[] = { HANDLER_mov_1_s, HANDLER_mov_2_s, HANDLER_mov_4_s,
					   HANDLER_mov_8_s };

	if (!size_is_plain(size))
		return lower_unsupported(l);
	*row = scratch_row(l);
	return emit(l, movers[size_index(size)], *row, slot, 0, 0, 0);
}

int source_row(struct lowering *l, const struct operand *operand, unsigned size,
	       enum element_class class, bool sign, int32_t *row)
{
	int32_t at = 0;
	unsigned have = 8;
	bool scalar;

	TRY(source_scalar(l, operand, size, class, &scalar, &at));
	if (scalar)
		return spread_slot(l, at, size, row);
	if (operand->kind == OPERAND_REGISTER) {
		at = register_at(l, operand->index);
		have = register_size(l, operand->index);
		if (have && register_slot(l, operand->index))
			TRY(spread_slot(l, at, have, &at));
		if (!have)
			return lower_fail(l, GPURUN_FORMAT, "has a predicate where a value is "
							    "expected");
	} else if (operand->kind == OPERAND_SPECIAL) {
		have = special_infos[operand->index].bytes;
		if (special_infos[operand->index].form == FORM_CLOCK) {
			at = scratch_row(l);
			TRY(emit(l, HANDLER_clock, at, 0, (int32_t)have, 0, operand->index));
		} else {
			at = special_offset(operand->index);
			l->code->uses |= 1u << special_bit(operand->index);
		}
	} else if (operand->kind != OPERAND_VARIABLE) {
		return lower_fail(l, GPURUN_FORMAT, "has an operand of the wrong kind");
	}
	*row = at;
	if (have == size)
		return 0;
	*row = scratch_row(l);
	return resize(l, *row, size, at, have, sign);
}

int source_predicate(struct lowering *l, const struct operand *operand, int32_t *slot)
{
	int32_t at;

	if (operand->kind == OPERAND_INTEGER)
		return constant_slot(l, operand->value ? UINT32_MAX : 0, BASE_NONE, slot);
	if (operand->kind == OPERAND_SPECIAL && !special_infos[operand->index].bytes) {
		*slot = special_offset(operand->index);
		return 0;
	}
	if (operand->kind != OPERAND_REGISTER || register_size(l, operand->index))
		return lower_fail(l, GPURUN_FORMAT, "has no predicate where one is expected");
	at = register_at(l, operand->index);
	*slot = at;
	if (!operand->negated)
		return 0;
	*slot = scratch_predicate(l);
	return emit(l, HANDLER_pred_not, *slot, at, at, 0, 0);
}

int result_row(struct lowering *l, const struct operand *operand, unsigned size, int32_t *row)
{
	if (operand->kind == OPERAND_SINK) {
		*row = scratch_row(l);
		return 0;
	}
	if (operand->kind != OPERAND_REGISTER || !register_size(l, operand->index))
		return lower_fail(l, GPURUN_FORMAT, "has no register for its result");
	if (register_size(l, operand->index) == size && !register_slot(l, operand->index))
		*row = register_at(l, operand->index);
	else
		*row = scratch_row(l);
	return 0;
}

bool result_slot(const struct lowering *l, const struct operand *operand, unsigned size,
		 int32_t *slot)
{
	if (operand->kind != OPERAND_REGISTER || !register_slot(l, operand->index) ||
	    register_size(l, operand->index) != size)
		return false;
	*slot = register_at(l, operand->index);
	return true;
}

int move_slot(struct lowering *l, int32_t to, int32_t from, unsigned size)
{
	static const uint16_t movers[] = { HANDLER_slot_mov_1, HANDLER_slot_mov_2,
					   HANDLER_slot_mov_4, HANDLER_slot_mov_8 };

	ASSERT(size_is_plain(size));
	return emit(l, movers[size_index(size)], to, from, 0, 0, 0);
}

int result_done(struct lowering *l, const struct operand *operand, unsigned size, bool sign,
		int32_t row)
{
	static const uint16_t takers[] = { HANDLER_slot_take_1, HANDLER_slot_take_2,
					   HANDLER_slot_take_4, HANDLER_slot_take_8 };
	unsigned have;
	int32_t wide = row;

	if (operand->kind == OPERAND_SINK)
		return 0;
	ASSERT(operand->kind == OPERAND_REGISTER); /* result_row() has refused others */
	have = register_size(l, operand->index);
	if (!register_slot(l, operand->index))
		return have == size ? 0 : resize(l, register_at(l, operand->index), have, row,
						 size, sign);
	if (have != size) {
		wide = scratch_row(l);
		TRY(resize(l, wide, have, row, size, sign));
	}
	ASSERT(size_is_plain(have));
	return emit(l, takers[size_index(have)], register_at(l, operand->index), wide, 0, 0, 0);
}

int result_predicate(struct lowering *l, const struct operand *operand, int32_t *slot)
{
	if (operand->kind == OPERAND_SINK) {
		*slot = scratch_predicate(l);
		return 0;
	}
	if (operand->kind != OPERAND_REGISTER || register_size(l, operand->index))
		return lower_fail(l, GPURUN_FORMAT, "has no predicate for its result");
	*slot = register_at(l, operand->index);
	return 0;
}
