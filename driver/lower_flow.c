/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How instructions hand on what is unset from registers to registers, for check=init: byte by
 * byte where bytes are moved, else altogether.
 */
#include "lower_init.h"

/* What an instruction reads of watched registers, but for its guard; each once. */
struct sources {
	const struct lowering *l;
	uint32_t registers[16];
	unsigned count;
};

static void see_source(void *context, uint32_t index, bool write)
{
	struct sources *sources = context;

	if (write || !unset_of(sources->l, index) || index == sources->l->insn->guard ||
	    sources->count == sizeof(sources->registers) / sizeof(sources->registers[0]))
		return;
	for (unsigned i = 0; i < sources->count; i++)
		if (sources->registers[i] == index)
			return;
	sources->registers[sources->count++] = index;
}

int unset_gather_from(struct lowering *l, const struct operand *operand, struct unset_bytes bytes,
		      int32_t p, bool inverted)
{
	const int32_t at = operand->kind == OPERAND_REGISTER ? unset_of(l, operand->index) : 0;
	int32_t how;

	memcpy(&how, &bytes, sizeof(how));
	return at ? emit(l, HANDLER_check_gather, inverted ? -1 : 0, at, how, p, 0) : 0;
}

int unset_put_to(struct lowering *l, const struct operand *operand, unsigned size, unsigned flags)
{
	const int32_t at = operand->kind == OPERAND_REGISTER ? unset_of(l, operand->index) : 0;
	unsigned wide;

	if (!at)
		return 0;
	wide = register_size(l, operand->index);
	wide = !wide ? 1 : wide == 16 ? 8 : wide;
	return emit(l, HANDLER_check_put, at, 0, 0,
		    (int32_t)(size | wide << PUT_REGISTER_SHIFT | flags), 0);
}

/* All bytes of @to depend on all of @sources. */
static int flow_total(struct lowering *l, const struct operand *to, const struct sources *sources)
{
	int32_t at[3] = { l->now->unset_at, l->now->unset_at, l->now->unset_at };

	if (to->kind != OPERAND_REGISTER || !unset_of(l, to->index))
		return 0;
	for (unsigned i = 0; i < sources->count && sources->count <= 3; i++)
		at[i] = unset_of(l, sources->registers[i]);
	if (sources->count <= 3)
		return emit(l, HANDLER_check_flow, unset_of(l, to->index), at[0], at[1], at[2],
			    FLOW_TOTAL | 0xff << FLOW_KEEP_SHIFT);
	for (unsigned i = 0; i < sources->count; i++) {
		const struct operand from = { .kind = OPERAND_REGISTER,
					      .index = sources->registers[i] };

		TRY(unset_gather_from(l, &from, UNSET_ALL, 0, false));
	}
	return unset_put_to(l, to, 8, PUT_TOTAL);
}

/* All bytes of each result depend on all that is read. */
static int total(struct lowering *l)
{
	struct sources sources = { .l = l };

	insn_registers(l->body, l->insn, see_source, &sources);
	for (unsigned i = 0; i < l->insn->results; i++)
		TRY(flow_total(l, &l->operands[i], &sources));
	return 0;
}

static int element_move(struct lowering *l, const struct operand *to, const struct operand *from,
			struct unset_bytes bytes, unsigned size)
{
	if (to->kind != OPERAND_REGISTER || !unset_of(l, to->index))
		return 0; /* what is gathered would go to the next one that is put */
	TRY(unset_gather_from(l, from, bytes, 0, false));
	return unset_put_to(l, to, size, 0);
}

/* prmt by a number: byte by byte. */
static int permute(struct lowering *l)
{
	const struct operand *by = &l->operands[3];

	if (l->insn->count != 4 || by->kind != OPERAND_INTEGER || l->opcode.part_count != 1)
		return total(l);
	for (unsigned i = 0; i < 4; i++) {
		const unsigned from = (unsigned)(by->value >> 4 * i) & 7;
		const struct unset_bytes byte = { (uint8_t)(from % 4), 1, (uint8_t)i, 0 };

		TRY(unset_gather_from(l, &l->operands[1 + from / 4], byte, 0, false));
	}
	return unset_put_to(l, &l->operands[0], 4, 0);
}

/* mov: whole registers, packed or taken apart. */
static int move(struct lowering *l)
{
	const struct operand *to = &l->operands[0], *from = &l->operands[1];
	const bool packs = from->kind == OPERAND_VECTOR, parts = to->kind == OPERAND_VECTOR;
	const struct operand *vector = packs ? from : to;
	const unsigned count = (unsigned)vector->value, size = type_size(l->opcode.types[0]);

	if (l->insn->count != 2 || (!packs && !parts))
		return element_move(l, to, from, UNSET_ALL, 8);
	for (unsigned i = 0; count && i < count; i++) {
		const struct operand *element = &l->body->elements[vector->index + i];
		const unsigned part = size / count, unit = size == 16 ? 2 : 1;
		const uint8_t at = (uint8_t)(i * part / unit);
		const uint8_t bits = (uint8_t)((1u << part / unit) - 1);

		if (packs)
			TRY(unset_gather_from(l, element, (struct unset_bytes){ 0,
					      (uint8_t)((1u << part) - 1), at,
					      (uint8_t)(unit == 2 ? bits << at : 0) }, 0, false));
		else
			TRY(element_move(l, element, from, (struct unset_bytes){ at, bits, 0,
					 unit == 2 ? 0xff : 0 }, part > 8 ? 8 : part));
	}
	return packs ? unset_put_to(l, to, size > 8 ? 8 : size, 0) : 0;
}

static int select_one(struct lowering *l)
{
	const struct operand *p = &l->operands[3];
	int32_t at;

	if (l->insn->count != 4 || p->kind != OPERAND_REGISTER || register_size(l, p->index))
		return total(l);
	at = register_at(l, p->index);
	TRY(unset_gather_from(l, &l->operands[1], UNSET_ALL, at, p->negated));
	TRY(unset_gather_from(l, &l->operands[2], UNSET_ALL, at, !p->negated));
	TRY(unset_gather_from(l, p, UNSET_ANY, 0, false));
	return unset_put_to(l, &l->operands[0], 8, 0);
}

/* Predicates: what one operand decides does not depend on the other one. */
static int logic_of_predicates(struct lowering *l)
{
	const bool both = name_is(l->opcode.base, "and"), either = name_is(l->opcode.base, "or");
	int32_t at[2], sources[2];

	for (unsigned i = 0; i < 2; i++) {
		const struct operand *operand = &l->operands[i + 1];

		if (i + 1 >= l->insn->count || operand->kind != OPERAND_REGISTER ||
		    operand->negated)
			return total(l);
		at[i] = register_at(l, operand->index);
		sources[i] = unset_of(l, operand->index);
		if (!sources[i])
			sources[i] = l->now->unset_at;
	}
	if (l->operands[0].kind != OPERAND_REGISTER || !unset_of(l, l->operands[0].index))
		return 0;
	return emit(l, HANDLER_check_logic, unset_of(l, l->operands[0].index), sources[0],
		    sources[1], both ? 0 : either ? -1 : 1,
		    (int64_t)((uint64_t)(uint32_t)at[1] << 32 | (uint32_t)at[0]));
}

/* The bytes of @operand that can come through an AND; all but for those of a constant. */
static uint8_t kept(const struct operand *operand)
{
	uint8_t bits = 0;

	if (operand->kind != OPERAND_INTEGER)
		return 0xff;
	for (unsigned i = 0; i < 8; i++)
		bits |= (uint8_t)(((uint64_t)operand->value >> 8 * i & 0xff ? 1u : 0u) << i);
	return bits;
}

static int logic(struct lowering *l)
{
	const bool both = name_is(l->opcode.base, "and");

	if (l->opcode.types[0] == TYPE_PRED)
		return logic_of_predicates(l);
	for (unsigned i = 1; i < l->insn->count; i++) {
		const struct operand *other = &l->operands[l->insn->count == 3 ? 3 - i : i];

		TRY(unset_gather_from(l, &l->operands[i], (struct unset_bytes){ 0,
				      both ? kept(other) : 0xff, 0, 0 }, 0, false));
	}
	return unset_put_to(l, &l->operands[0], 8, 0);
}

/* Shifts by a number: bytes move, and parts of them to two. */
static int shift(struct lowering *l)
{
	const bool left = name_is(l->opcode.base, "shl");
	const struct operand *by = &l->operands[2];
	const unsigned bytes = (unsigned)by->value / 8;

	if (l->insn->count != 3 || by->kind != OPERAND_INTEGER || by->value < 0 ||
	    by->value > 63 || (!left && type_signed(l->opcode.types[0])))
		return total(l);
	for (unsigned i = bytes; i <= bytes + (by->value % 8 != 0) && i < 8; i++)
		TRY(unset_gather_from(l, &l->operands[1], (struct unset_bytes){
				      (uint8_t)(left ? 0 : i), 0xff, (uint8_t)(left ? i : 0), 0 },
				      0, false));
	return unset_put_to(l, &l->operands[0], 8, 0);
}

static int convert(struct lowering *l)
{
	const enum ptx_type to = l->opcode.types[0], from = l->opcode.types[1];
	const unsigned size = type_size(to) < type_size(from) ? type_size(to) : type_size(from);

	if (l->insn->count != 2 || l->opcode.type_count != 2 || to < TYPE_U8 || to > TYPE_S64 ||
	    from < TYPE_U8 || from > TYPE_S64 || opcode_has(&l->opcode, "sat"))
		return total(l);
	TRY(unset_gather_from(l, &l->operands[1], (struct unset_bytes){ 0,
			      (uint8_t)((1u << size) - 1), 0, 0 }, 0, false));
	return unset_put_to(l, &l->operands[0], size,
			    type_signed(to) || type_signed(from) ? PUT_SIGN : 0);
}

int unset_hand_on(struct lowering *l, enum hands flow)
{
	static int (*const ways[])(struct lowering *) = {
		[FLOWS_MOVE] = move,   [FLOWS_PERMUTE] = permute, [FLOWS_SELECT] = select_one,
		[FLOWS_LOGIC] = logic, [FLOWS_SHIFT] = shift,     [FLOWS_CONVERT] = convert,
		[FLOWS_TOTAL] = total,
	};

	return ways[flow](l);
}
