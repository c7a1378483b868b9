/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How instructions that move bits propagate which of them are uninitialised, for check=init.
 * Where the bits move must be known here, except for shifts; else all depend on all.
 */
#include "lower_init.h"

/* The number @operand is; false: it is none up to @most. */
static bool number_up_to(const struct operand *operand, unsigned most, unsigned *number)
{
	*number = (unsigned)operand->value;
	return operand->kind == OPERAND_INTEGER && operand->value >= 0 &&
	       operand->value <= (int64_t)most;
}

static int element_move(struct lowering *l, const struct operand *to, const struct operand *from,
			uint64_t keep, struct uninit_bits bits)
{
	if (to->kind != OPERAND_REGISTER || !uninit_of(l, to->index))
		return 0; /* what is gathered would reach the next register that is put */
	TRY(uninit_gather_from(l, from, keep, bits));
	return uninit_put_to(l, to, 64, 0);
}

/* prmt by a number: byte by byte, or a byte's sign eight times. */
int uninit_permute(struct lowering *l)
{
	const struct operand *by = &l->operands[3];

	if (l->insn->count != 4 || by->kind != OPERAND_INTEGER || l->opcode.part_count != 1)
		return uninit_total(l);
	for (unsigned i = 0; i < 4; i++) {
		const unsigned which = (unsigned)(by->value >> 4 * i) & 15;
		const unsigned sign = which > 7, from = which & 7;
		const struct uninit_bits bits = { (uint8_t)(8 * (from % 4) + 7 * sign),
						 (uint8_t)(8 * i), sign ? 8 : 0, true };

		TRY(uninit_gather_from(l, &l->operands[1 + from / 4], sign ? 1 : 0xff, bits));
	}
	return uninit_put_to(l, &l->operands[0], 32, 0);
}

/* mov: whole registers, packed or unpacked. */
int uninit_move(struct lowering *l)
{
	const struct operand *to = &l->operands[0], *from = &l->operands[1];
	const bool packs = from->kind == OPERAND_VECTOR, parts = to->kind == OPERAND_VECTOR;
	const struct operand *vector = packs ? from : to;
	const unsigned count = (unsigned)vector->value, size = type_size(l->opcode.types[0]);

	if (l->insn->count != 2 || (!packs && !parts))
		return element_move(l, to, from, ~0ull, (struct uninit_bits){ 0 });
	for (unsigned i = 0; count && i < count; i++) {
		const struct operand *element = &l->body->elements[vector->index + i];
		const unsigned wide = size / count * (size == 16 ? 4 : 8); /* bits in the whole */
		const uint8_t at = (uint8_t)(i * wide);

		if (packs)
			TRY(uninit_gather_from(l, element, size == 16 ? ~0ull : low_bits(wide),
					      (struct uninit_bits){ 0, at, size == 16 ?
						      (uint8_t)wide : 0, true }));
		else
			TRY(element_move(l, element, from, low_bits(wide), (struct uninit_bits){
					 at, 0, size == 16 ? 64 : 0, false }));
	}
	return packs ? uninit_put_to(l, to, 64, 0) : 0;
}

/* The bits of an operand that @base with the number @other keeps. */
static uint64_t kept(unsigned base, const struct operand *other)
{
	if (other->kind != OPERAND_INTEGER)
		return ~0ull;
	return base == INSN_AND ? (uint64_t)other->value :
	       base == INSN_OR ? ~(uint64_t)other->value : ~0ull;
}

/* Tells whether logic with @number overwrites some bits of the other operand. */
static bool writes_field(const struct lowering *l, const struct operand *number)
{
	const unsigned last = 8 * type_size(l->opcode.types[0]) - 1;

	return number->kind == OPERAND_INTEGER &&
	       (l->insn->base == INSN_OR ||
		(l->insn->base == INSN_AND && number->value >> last & 1));
}

int uninit_of_logic(struct lowering *l)
{
	const bool either = l->insn->base == INSN_OR;

	if (l->opcode.types[0] == TYPE_PRED)
		return uninit_logic_of_predicates(l);
	if (l->insn->results != 1)
		return uninit_total(l); /* lop3 with a predicate */
	for (unsigned i = 1; i < l->insn->count; i++) {
		const struct operand *other = &l->operands[l->insn->count == 3 ? 3 - i : i];

		TRY(uninit_gather_from(l, &l->operands[i], kept(l->insn->base, other),
				      (struct uninit_bits){ .merges = either }));
		if (writes_field(l, other))
			TRY(emit(l, HANDLER_check_merge, 0, l->now->uninit_at, 0, 0, 0));
	}
	return uninit_put_to(l, &l->operands[0], 64, 0);
}

/* By a register: where bits move is known when it is executed. */
static int shift_by_register(struct lowering *l, unsigned wide, bool left, bool sign)
{
	const struct operand *to = &l->operands[0], *a = &l->operands[1], *by = &l->operands[2];
	const struct scratch used = l->scratch;
	int32_t from = l->now->uninit_at, by_at = from, row;

	if (to->kind != OPERAND_REGISTER || !uninit_of(l, to->index))
		return 0;
	if (a->kind == OPERAND_REGISTER && uninit_of(l, a->index))
		from = uninit_of(l, a->index);
	if (uninit_of(l, by->index))
		by_at = uninit_of(l, by->index);
	TRY(source_row(l, by, 4, ELEMENT_BITS, false, &row));
	l->scratch = used;
	return emit(l, HANDLER_check_shift, uninit_of(l, to->index), from, by_at, row,
		    (int64_t)(wide << PUT_REGISTER_SHIFT) | (left ? SHIFT_LEFT : 0) |
		    (sign ? SHIFT_SIGN : 0));
}

int uninit_of_shift(struct lowering *l)
{
	const unsigned wide = 8 * type_size(l->opcode.types[0]);
	const bool left = l->insn->base == INSN_SHL;
	const bool sign = !left && type_signed(l->opcode.types[0]);
	const struct operand *by = &l->operands[2];
	unsigned n;

	if (l->insn->count != 3)
		return uninit_total(l);
	if (by->kind == OPERAND_REGISTER && register_size(l, by->index) == 4)
		return shift_by_register(l, wide, left, sign);
	if (!number_up_to(by, wide - 1, &n))
		return uninit_total(l);
	TRY(uninit_gather_from(l, &l->operands[1], ~0ull, (struct uninit_bits){
			      (uint8_t)(left ? 0 : n), (uint8_t)(left ? n : 0), 0, false }));
	return uninit_put_to(l, &l->operands[0], wide - n, sign ? PUT_SIGN : 0);
}

/* shf: of the two words c:a those 32 bits that begin at a number, counted from either end. */
int uninit_funnel(struct lowering *l)
{
	const bool left = opcode_has(&l->opcode, "l"), clamps = opcode_has(&l->opcode, "clamp");
	unsigned n, low;

	if (l->insn->count != 4 || !number_up_to(&l->operands[3], UINT32_MAX, &n))
		return uninit_total(l);
	n = !clamps ? n % 32 : n < 32 ? n : 32;
	low = left ? 32 - n : n;
	if (low < 32)
		TRY(uninit_gather_from(l, &l->operands[1], ~0ull, (struct uninit_bits){
				      (uint8_t)low, 0, 0, true }));
	if (low)
		TRY(uninit_gather_from(l, &l->operands[2], low_bits(low), (struct uninit_bits){
				      0, (uint8_t)(32 - low), 0, true }));
	return uninit_put_to(l, &l->operands[0], 32, 0);
}

/* bfe, by numbers. */
int uninit_extract(struct lowering *l)
{
	const enum ptx_type type = l->opcode.types[0];
	const unsigned wide = 8 * type_size(type);
	unsigned at, count;

	if (l->insn->count != 4 || !number_up_to(&l->operands[2], wide - 1, &at) ||
	    !number_up_to(&l->operands[3], wide, &count))
		return uninit_total(l);
	if (count > wide - at)
		count = wide - at;
	TRY(uninit_gather_from(l, &l->operands[1], low_bits(count), (struct uninit_bits){
			      .right = (uint8_t)at }));
	return uninit_put_to(l, &l->operands[0], count, type_signed(type) ? PUT_SIGN : 0);
}

/* bfi, by numbers. */
int uninit_insert(struct lowering *l)
{
	const unsigned wide = 8 * type_size(l->opcode.types[0]);
	unsigned at, count;
	uint64_t field;

	if (l->insn->count != 5 || !number_up_to(&l->operands[3], wide - 1, &at) ||
	    !number_up_to(&l->operands[4], wide, &count))
		return uninit_total(l);
	field = low_bits(count) << at;
	TRY(uninit_gather_from(l, &l->operands[1], low_bits(count), (struct uninit_bits){
			      .left = (uint8_t)at, .merges = true }));
	TRY(uninit_gather_from(l, &l->operands[2], ~field, (struct uninit_bits){ .merges = true }));
	return uninit_put_to(l, &l->operands[0], wide, 0);
}

bool uninit_converts_integer(const struct opcode *opcode)
{
	const enum ptx_type to = opcode->types[0], from = opcode->types[1];

	return opcode->type_count == 2 && to >= TYPE_U8 && to <= TYPE_S64 && from >= TYPE_U8 &&
	       from <= TYPE_S64 && !opcode_has(opcode, "sat") && !opcode_has(opcode, "pack");
}

static int convert_integer(struct lowering *l)
{
	const enum ptx_type to = l->opcode.types[0], from = l->opcode.types[1];
	const enum ptx_type narrow = type_size(from) < type_size(to) ? from : to;
	const unsigned size = 8 * type_size(narrow);

	TRY(uninit_gather_from(l, &l->operands[1], low_bits(size), (struct uninit_bits){ 0 }));
	return uninit_put_to(l, &l->operands[0], size, type_signed(narrow) ? PUT_SIGN : 0);
}

/* Each part of @wide bits of the result comes from one operand, the first is the highest. */
static int convert_both(struct lowering *l, unsigned wide)
{
	for (unsigned i = 0; i < 2; i++)
		TRY(uninit_gather_from(l, &l->operands[2 - i], ~0ull, (struct uninit_bits){
				      0, (uint8_t)(i * wide), (uint8_t)wide, true }));
	if (l->insn->count == 4) /* cvt.pack shifts up what is there */
		TRY(uninit_gather_from(l, &l->operands[3], low_bits(32 - 2 * wide),
				      (struct uninit_bits){ 0, (uint8_t)(2 * wide), 0, true }));
	return uninit_put_to(l, &l->operands[0], 64, 0);
}

/* Both halves of a register of @from bytes are converted to those of one of @to. */
static int convert_halves(struct lowering *l, unsigned to, unsigned from)
{
	for (unsigned i = 0; i < 2; i++)
		TRY(uninit_gather_from(l, &l->operands[1], low_bits(4 * from), (struct uninit_bits){
				      (uint8_t)(4 * from * i), (uint8_t)(4 * to * i),
				      (uint8_t)(4 * to), true }));
	return uninit_put_to(l, &l->operands[0], 64, 0);
}

int uninit_convert(struct lowering *l)
{
	const struct opcode *opcode = &l->opcode;
	const unsigned count = l->insn->count, to = type_size(opcode->types[0]);
	bool pair[2] = { false, false };
	unsigned size;

	if (uninit_converts_integer(opcode) && count == 2)
		return convert_integer(l);
	if (opcode_has(opcode, "pack"))
		return to && count > 2 ? convert_both(l, 8 * to) : uninit_total(l);
	for (unsigned i = 0, k = 0; i < opcode->part_count && k < 2; i++)
		if (opcode->type_of[i] != TYPE_NONE)
			pair[k++] = uninit_is_pair(opcode->parts[i]);
	if (!pair[0] || count < 2 || l->operands[0].kind != OPERAND_REGISTER)
		return uninit_total(l);
	size = register_size(l, l->operands[0].index);
	if (count == 3 && !pair[1])
		return convert_both(l, 4 * size);
	if (count == 2 && pair[1] && l->operands[1].kind == OPERAND_REGISTER)
		return convert_halves(l, size, register_size(l, l->operands[1].index));
	return uninit_total(l);
}
