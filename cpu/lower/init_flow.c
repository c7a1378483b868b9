/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How instructions propagate uninitialised bits from registers to registers, for check=init:
 * those that compute, compare and select. Those that move bits are in lower/init_bits.c.
 */
#include "asserts.h"
#include "lower_init.h"

/* What gather and put ops have next to each other: bits.h. */
_Static_assert(sizeof(struct uninit_bits) == sizeof(int32_t), "it is an operand");
_Static_assert(64 << PUT_REGISTER_SHIFT < 1 << PUT_GROUP_SHIFT && PUT_TOTAL < PUT_SIGN &&
	       (PUT_SIGN | PUT_UP) < SHIFT_LEFT, "64 bits, 64 of a register, 64 in a row, flags");

/* The watched registers that an instruction reads, except its guard; each one time. */
struct sources {
	const struct lowering *l;
	uint32_t registers[16];
	unsigned count;
};

static void add_source(void *context, uint32_t index, bool write)
{
	struct sources *sources = context;

	if (write || !uninit_of(sources->l, index) || index == sources->l->insn->guard ||
	    sources->count == sizeof(sources->registers) / sizeof(sources->registers[0]))
		return;
	for (unsigned i = 0; i < sources->count; i++)
		if (sources->registers[i] == index)
			return;
	sources->registers[sources->count++] = index;
}

/* Gathers of @operand, in the lanes of predicate @p (0: all), or those where it is false. */
static int gather(struct lowering *l, const struct operand *operand, uint64_t keep,
		  struct uninit_bits bits, int32_t p, bool inverted)
{
	int32_t at = operand->kind == OPERAND_REGISTER ? uninit_of(l, operand->index) : 0, how;

	if (!keep || (!at && (!bits.merges || operand->kind != OPERAND_REGISTER)))
		return 0;
	if (!at)
		at = l->now->uninit_at;
	memcpy(&how, &bits, sizeof(how));
	return emit(l, bits.merges ? HANDLER_check_merge : HANDLER_check_gather,
		    inverted ? -1 : 0, at, how, p, (int64_t)keep);
}

int uninit_gather_from(struct lowering *l, const struct operand *operand, uint64_t keep,
		      struct uninit_bits bits)
{
	return gather(l, operand, keep, bits, 0, false);
}

/* How the bits of register @index depend on the operands. */
static unsigned register_how(const struct lowering *l, uint32_t index, unsigned how)
{
	const unsigned size = register_size(l, index);

	ASSERT(!(how & 0xffu << PUT_REGISTER_SHIFT));
	return how | (!size ? 8u : size == 16 ? 64u : 8 * size) << PUT_REGISTER_SHIFT;
}

int uninit_put_to(struct lowering *l, const struct operand *operand, unsigned bits, unsigned how)
{
	const int32_t at = operand->kind == OPERAND_REGISTER ? uninit_of(l, operand->index) : 0;

	if (!at)
		return 0;
	return emit(l, HANDLER_check_put, at, 0, 0,
		    (int32_t)register_how(l, operand->index, how | bits), 0);
}

/* @to is computed from all of @sources. */
static int compute_one(struct lowering *l, const struct operand *to,
		       const struct sources *sources, unsigned how)
{
	int32_t at[3] = { l->now->uninit_at, l->now->uninit_at, l->now->uninit_at };

	if (to->kind != OPERAND_REGISTER || !uninit_of(l, to->index))
		return 0;
	for (unsigned i = 0; i < sources->count && sources->count <= 3; i++)
		at[i] = uninit_of(l, sources->registers[i]);
	if (sources->count <= 3)
		return emit(l, HANDLER_check_flow, uninit_of(l, to->index), at[0], at[1], at[2],
			    register_how(l, to->index, how));
	for (unsigned i = 0; i < sources->count; i++) {
		const struct operand from = { .kind = OPERAND_REGISTER,
					      .index = sources->registers[i] };

		TRY(uninit_gather_from(l, &from, ~0ull, (struct uninit_bits){ 0 }));
	}
	return uninit_put_to(l, to, 64, how);
}

/* Each result is computed from all that is read. */
static int compute(struct lowering *l, unsigned how)
{
	struct sources sources = { .l = l };

	insn_registers(l->body, l->insn, add_source, &sources);
	for (unsigned i = 0; i < l->insn->results; i++)
		TRY(compute_one(l, &l->operands[i], &sources, how));
	return 0;
}

int uninit_total(struct lowering *l)
{
	return compute(l, PUT_TOTAL);
}

bool uninit_is_pair(struct ptx_name type)
{
	return type.length > 2 && !memcmp(type.text + type.length - 2, "x2", 2);
}

/* Tells whether the instruction does the same with both halves of all its operands. */
static bool is_packed(const struct lowering *l)
{
	const struct opcode *opcode = &l->opcode;

	for (unsigned i = 0; i < opcode->part_count; i++)
		if (opcode->type_of[i] != TYPE_NONE && !uninit_is_pair(opcode->parts[i]))
			return false;
	return opcode->type_count && l->operands[0].kind == OPERAND_REGISTER &&
	       register_size(l, l->operands[0].index) >= 4;
}

/* Sums and products of integers: no bit depends on those above it. */
static bool depends_on_lower(const struct insn *insn, const struct opcode *opcode)
{
	static const uint8_t bases[] = { INSN_ADD, INSN_ADDC, INSN_MAD, INSN_MADC, INSN_MUL,
					 INSN_NEG, INSN_SUB,  INSN_SUBC };
	const enum ptx_type type = opcode->types[0];

	if (type < TYPE_U8 || type > TYPE_S64 || opcode_has(opcode, "hi") ||
	    opcode_has(opcode, "sat"))
		return false;
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if (insn->base == bases[i])
			return true;
	return false;
}

static int arithmetic(struct lowering *l)
{
	if (is_packed(l))
		return compute(l, register_size(l, l->operands[0].index) * 4 << PUT_GROUP_SHIFT);
	return depends_on_lower(l->insn, &l->opcode) ? compute(l, PUT_UP) : uninit_total(l);
}

/*
 * The bits of the first operand that its comparison with number @value depends on: compilers
 * test its sign, or its upper bits, that way.
 */
static uint64_t compared(const struct opcode *opcode, int64_t value)
{
	const bool border = opcode_has(opcode, "lt") || opcode_has(opcode, "ge") ||
			    opcode_has(opcode, "lo") || opcode_has(opcode, "hs");
	const bool beyond = opcode_has(opcode, "le") || opcode_has(opcode, "gt") ||
			    opcode_has(opcode, "ls") || opcode_has(opcode, "hi");
	const enum ptx_type type = opcode->types[0];
	const unsigned size = type_size(type);
	const uint64_t first = (uint64_t)value + beyond;

	if ((!border && !beyond) || type < TYPE_U8 || type > TYPE_S64)
		return ~0ull;
	if (type_signed(type))
		return first ? ~0ull : 1ull << (8 * size - 1);
	return first && !(first & (first - 1)) ? ~(first - 1) : ~0ull;
}

/* setp: both results of a comparison, or that of each half. */
static int compare(struct lowering *l)
{
	const enum ptx_type type = l->opcode.types[0];
	const bool halves = (type == TYPE_F16X2 || type == TYPE_BF16X2) && l->insn->results == 2;
	const unsigned results = l->insn->results;
	const struct operand *a = &l->operands[results];

	if (l->insn->count != results + 2u || (!halves && a[1].kind != OPERAND_INTEGER))
		return uninit_total(l);
	for (unsigned i = 0; i < results; i++) {
		const uint64_t keep = halves ? low_bits(16) << 16 * i :
					       compared(&l->opcode, a[1].value);

		if (l->operands[i].kind != OPERAND_REGISTER ||
		    !uninit_of(l, l->operands[i].index))
			continue; /* what is gathered would reach the next register that is put */
		for (unsigned k = 0; k < 2; k++)
			TRY(uninit_gather_from(l, &a[k], keep, (struct uninit_bits){ 0 }));
		TRY(uninit_put_to(l, &l->operands[i], 64, PUT_TOTAL));
	}
	return 0;
}

static int select_one(struct lowering *l)
{
	const struct operand *p = &l->operands[3];
	int32_t at;

	if (l->insn->count != 4 || p->kind != OPERAND_REGISTER || register_size(l, p->index))
		return uninit_total(l);
	at = register_at(l, p->index);
	TRY(gather(l, &l->operands[1], ~0ull, (struct uninit_bits){ 0 }, at, p->negated));
	TRY(gather(l, &l->operands[2], ~0ull, (struct uninit_bits){ 0 }, at, !p->negated));
	TRY(uninit_gather_from(l, p, ~0ull, (struct uninit_bits){ .fill = 64 }));
	return uninit_put_to(l, &l->operands[0], 64, 0);
}

/* Predicates: what one operand decides does not depend on the other one. */
int uninit_logic_of_predicates(struct lowering *l)
{
	const bool both = l->insn->base == INSN_AND, either = l->insn->base == INSN_OR;
	int32_t at[2], sources[2];

	for (unsigned i = 0; i < 2; i++) {
		const struct operand *operand = &l->operands[i + 1];

		if (i + 1 >= l->insn->count || operand->kind != OPERAND_REGISTER ||
		    operand->negated)
			return uninit_total(l);
		at[i] = register_at(l, operand->index);
		sources[i] = uninit_of(l, operand->index);
		if (!sources[i])
			sources[i] = l->now->uninit_at;
	}
	if (l->operands[0].kind != OPERAND_REGISTER || !uninit_of(l, l->operands[0].index))
		return 0;
	return emit(l, HANDLER_check_logic, uninit_of(l, l->operands[0].index), sources[0],
		    sources[1], both ? 0 : either ? -1 : 1,
		    (int64_t)((uint64_t)(uint32_t)at[1] << 32 | (uint32_t)at[0]));
}

int uninit_propagate(struct lowering *l, enum uninit_flow flow)
{
	static int (*const ways[])(struct lowering *) = {
		[FLOWS_MOVE] = uninit_move,       [FLOWS_PERMUTE] = uninit_permute,
		[FLOWS_SELECT] = select_one,     [FLOWS_COMPARE] = compare,
		[FLOWS_LOGIC] = uninit_of_logic,  [FLOWS_SHIFT] = uninit_of_shift,
		[FLOWS_FUNNEL] = uninit_funnel,   [FLOWS_EXTRACT] = uninit_extract,
		[FLOWS_INSERT] = uninit_insert,   [FLOWS_CONVERT] = uninit_convert,
		[FLOWS_TOTAL] = arithmetic,
	};

	ASSERT(flow <= FLOWS_TOTAL && ways[flow]);
	return ways[flow](l);
}
