/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions that compute: table rows, comparisons, selections, predicate logic. */
#include "lower.h"

/* Tells whether the registers of an instruction may be wider than its types: those of cvt,
 * but not of one from or to bf16. */
static bool may_be_wider(const struct insn *insn, const struct opcode *opcode)
{
	for (unsigned i = 0; i < opcode->type_count; i++)
		if (opcode->types[i] == TYPE_BF16)
			return false;
	return insn->base == INSN_CVT;
}

/* Operand sizes must fit the row's. */
static int check_sizes(struct lowering *l, const struct op_row *row)
{
	bool convert = may_be_wider(l->insn, &l->opcode);
	unsigned first = row->shape == SHAPE_SETP;

	for (unsigned i = first; i <= row->sources; i++) {
		const struct operand *operand = &l->operands[i];
		unsigned have;

		if (operand->kind != OPERAND_REGISTER)
			continue;
		have = register_size(l, operand->index);
		if (have == row->sizes[i] || (convert && have > row->sizes[i]))
			continue;
		return lower_fail(l, GPURUN_FORMAT,
				  "has a register of %u bits as operand %u, where %u are expected",
				  have * 8, i + 1, row->sizes[i] * 8u);
	}
	return 0;
}

/* Halves, and pairs of them and of 16-bit integers, cannot be written as numbers. */
static int check_immediates(struct lowering *l, const struct op_row *row,
			    const struct operand *operands)
{
	const struct opcode *opcode = &l->opcode;
	enum ptx_type type = opcode->types[opcode->type_count - 1];

	if (type < TYPE_F16 || type == TYPE_TF32 || type == TYPE_F32 || type == TYPE_F64)
		return 0;
	for (unsigned i = 0; i < row->sources; i++)
		if (row->classes[i + 1] == ELEMENT_BITS &&
		    (operands[i].kind == OPERAND_INTEGER || operands[i].kind == OPERAND_FLOAT))
			return lower_fail(l, GPURUN_FORMAT, "has an immediate, where a register is "
							    "expected");
	return 0;
}

/* Arithmetic of numbers of 16 bits with an f32 is of sm_100. */
static int check_target(struct lowering *l)
{
	const struct ptx *ptx = l->program->ptx;
	const struct opcode *opcode = &l->opcode;
	const enum ptx_type last = opcode->types[opcode->type_count - 1];
	const enum insn_base base = l->insn->base;
	bool mixed;

	if (opcode->types[0] != TYPE_F32 || (last != TYPE_F16 && last != TYPE_BF16))
		return 0;
	mixed = base == INSN_ADD || base == INSN_SUB || base == INSN_FMA;
	if (mixed && (ptx->arch < 100 || ptx->version_major * 10 + ptx->version_minor < 86))
		return lower_fail(l, GPURUN_UNSUPPORTED, "takes 16 bits with an f32, which needs "
				  ".target sm_100 and .version 8.6, or newer ones");
	return 0;
}

/* The operands of @row as slots, if every one is the same for all lanes: *@all says so. */
static int scalar_sources(struct lowering *l, const struct op_row *row,
			  const struct operand *operands, int32_t at[4], bool *all)
{
	TRY(check_immediates(l, row, operands));
	*all = row->shape != SHAPE_CARRY;
	for (unsigned i = 0; i < row->sources && *all; i++) {
		const struct operand *operand = &operands[i];

		*all = operand->kind != OPERAND_VARIABLE;
		if (*all)
			TRY(source_scalar(l, operand, row->sizes[i + 1], row->classes[i + 1], all,
					  &at[i]));
	}
	return 0;
}

/* Slots for all operands and the result: computed one time. *@done says whether it was possible. */
static int lower_scalar(struct lowering *l, const struct op_row *row, bool *done)
{
	int32_t at[4] = { 0 }, d = 0;

	*done = row->shape == SHAPE_SETP ||
		result_slot(l, &l->operands[0], row->sizes[0], &d);
	if (*done)
		TRY(scalar_sources(l, row, l->operands + 1, at, done));
	if (!*done)
		return 0;
	if (row->shape == SHAPE_SETP)
		TRY(result_predicate(l, &l->operands[0], &d));
	return emit(l, row->scalar, d, at[0], at[1], at[2], at[3]);
}

/* Swaps the first two operands where the first is a slot, if their order is free. */
static int order_sources(struct lowering *l, const struct op_row *row,
			 const struct operand *operands, struct operand ordered[4])
{
	static const uint8_t free_order[] = { INSN_ADD, INSN_MUL, INSN_MAD, INSN_FMA, INSN_AND,
					      INSN_OR,	INSN_XOR, INSN_MIN, INSN_MAX };
	int32_t slot;
	bool scalar = false;

	memcpy(ordered, operands, row->sources * sizeof(*ordered));
	if (row->shape != SHAPE_ALU || row->sources < 2 || row->sizes[1] != row->sizes[2] ||
	    operands[0].kind != OPERAND_REGISTER || operands[1].kind != OPERAND_REGISTER)
		return 0;
	TRY(source_scalar(l, &operands[0], row->sizes[1], row->classes[1], &scalar, &slot));
	for (size_t i = 0; scalar && i < sizeof(free_order) / sizeof(free_order[0]); i++) {
		if (l->insn->base != free_order[i])
			continue;
		ordered[0] = operands[1];
		ordered[1] = operands[0];
	}
	return 0;
}

/* The operands of @row as slots and rows; *@form is the one of row->forms for these. */
static int sources(struct lowering *l, const struct op_row *row, const struct operand *given,
		   int32_t at[4], unsigned *form)
{
	struct operand operands[4];

	*form = 0;
	TRY(check_immediates(l, row, given));
	TRY(order_sources(l, row, given, operands));
	for (unsigned i = 0; i < row->sources; i++) {
		bool scalar = false, can = i && (row->shape == SHAPE_ALU ||
						 (row->shape == SHAPE_SETP && i == 1));
		unsigned size = row->sizes[i + 1];

		if (can)
			TRY(source_scalar(l, &operands[i], size, row->classes[i + 1], &scalar,
					  &at[i]));
		if (scalar)
			*form += i;
		else
			TRY(source_row(l, &operands[i], size, row->classes[i + 1], false, &at[i]));
	}
	return 0;
}

static int lower_lop3(struct lowering *l);

int lower_alu(struct lowering *l)
{
	const struct op_row *row = op_row_find(&l->opcode);
	int32_t at[4] = { 0 }, d = 0;
	unsigned form;
	bool done;

	if (!row && l->opcode.base.text[0] == 'v')
		return lower_video(l);
	if (!row) /* lop3 with a predicate is not a row */
		return l->insn->base == INSN_LOP3 ? lower_lop3(l) : lower_unsupported(l);
	TRY(check_target(l));
	TRY(expect_operands(l, row->sources + 1u));
	TRY(check_sizes(l, row));
	TRY(lower_scalar(l, row, &done));
	if (done)
		return 0;
	TRY(sources(l, row, l->operands + 1, at, &form));
	if (row->shape == SHAPE_SETP) {
		TRY(result_predicate(l, &l->operands[0], &d));
		return emit(l, row->forms[form], d, at[0], at[1], at[2], 0);
	}
	TRY(result_row(l, &l->operands[0], row->sizes[0], &d));
	TRY(emit_row(l, row, row->forms[form], d, at,
		     row->shape == SHAPE_CARRY ? AT_CARRY : at[3]));
	return result_done(l, &l->operands[0], row->sizes[0], row->is_signed, d);
}

/* Removes and, or or xor from the modifiers and returns it; 0 when there is none. */
static unsigned remove_logic(struct lowering *l)
{
	if (opcode_remove(&l->opcode, "and"))
		return HANDLER_pred_and;
	if (opcode_remove(&l->opcode, "or"))
		return HANDLER_pred_or;
	if (opcode_remove(&l->opcode, "xor"))
		return HANDLER_pred_xor;
	return 0;
}

/* Compares operands @first and the next into predicate slot @d. */
static int compare(struct lowering *l, unsigned first, int32_t d)
{
	const struct op_row *row = op_row_find(&l->opcode);
	int32_t at[4] = { 0 };
	unsigned form;
	bool all;

	if (!row || row->shape != SHAPE_SETP || row->sources != 2)
		return lower_unsupported(l);
	for (unsigned i = 0; i < 2; i++) {
		const struct operand *operand = &l->operands[first + i];

		if (operand->kind == OPERAND_REGISTER &&
		    register_size(l, operand->index) != row->sizes[i + 1])
			return lower_fail(l, GPURUN_FORMAT,
					  "has a register of %u bits as operand %u, where %u are "
					  "expected",
					  register_size(l, operand->index) * 8, first + i + 1,
					  row->sizes[i + 1] * 8u);
	}
	TRY(scalar_sources(l, row, l->operands + first, at, &all));
	if (all)
		return emit_row(l, row, row->scalar, d, at, 0);
	TRY(sources(l, row, l->operands + first, at, &form));
	return emit_row(l, row, row->forms[form], d, at, 0);
}

/* d = plain @logic c; @c NULL: d = plain */
static int combine(struct lowering *l, unsigned logic, int32_t d, int32_t plain, int32_t c)
{
	if (!logic)
		return emit(l, HANDLER_pred_mov, d, plain, plain, 0, 0);
	return emit(l, logic, d, plain, c, 0, 0);
}

/* lop3.and/or.b32 d|p, a, b, c, table, q: p = (d != 0) and/or q */
static int lower_lop3(struct lowering *l)
{
	unsigned logic = remove_logic(l), form;
	const struct op_row *row = op_row_find(&l->opcode);
	int32_t at[4] = { 0 }, zero, d, p, q, result = scratch_row(l);
	int32_t plain = scratch_predicate(l);

	if (!row || !logic || logic == HANDLER_pred_xor)
		return lower_unsupported(l);
	TRY(expect_operands(l, row->sources + 3u));
	TRY(sources(l, row, l->operands + 2, at, &form));
	TRY(source_predicate(l, &l->operands[row->sources + 2], &q));
	TRY(emit(l, row->forms[form], result, at[0], at[1], at[2], at[3]));
	TRY(constant_slot(l, 0, BASE_NONE, &zero));
	TRY(emit(l, HANDLER_setp_ne_b32_rs, plain, result, zero, 0, 0));
	TRY(result_predicate(l, &l->operands[1], &p));
	TRY(combine(l, logic, p, plain, q));
	TRY(result_row(l, &l->operands[0], 4, &d));
	TRY(resize(l, d, 4, result, 4, false));
	return result_done(l, &l->operands[0], 4, false, d);
}

/* Turns f16x2 and bf16x2, the last type of the opcode, into f16 and bf16; false for others. */
static bool halve_type(struct opcode *opcode)
{
	static const struct ptx_name f16 = { "f16", 3 }, bf16 = { "bf16", 4 };
	unsigned at = opcode->part_count - 1;
	bool b = opcode->part_count && opcode->type_of[at] == TYPE_BF16X2;

	if (!b && (!opcode->part_count || opcode->type_of[at] != TYPE_F16X2))
		return false;
	opcode->parts[at] = b ? bf16 : f16;
	opcode->type_of[at] = b ? TYPE_BF16 : TYPE_F16;
	opcode->types[opcode->type_count - 1] = opcode->type_of[at];
	return true;
}

/* Compares the halves of operands @first and the next: the lower ones into d[0]. */
static int compare_halves(struct lowering *l, unsigned first, const int32_t d[2])
{
	const struct op_row *row = op_row_find(&l->opcode);
	struct scratch used = l->scratch;

	if (!row || row->shape != SHAPE_SETP || row->sources != 2)
		return lower_unsupported(l);
	for (unsigned half = 0; half < 2; half++) {
		int32_t halves[2];

		l->scratch = used;
		for (unsigned i = 0; i < 2; i++) {
			int32_t pair;

			if (l->operands[first + i].kind != OPERAND_REGISTER ||
			    register_size(l, l->operands[first + i].index) != 4)
				return lower_fail(l, GPURUN_FORMAT, "has no register of 32 bits as "
						  "operand %u", first + i + 1);
			TRY(source_row(l, &l->operands[first + i], 4, ELEMENT_BITS, false, &pair));
			halves[i] = scratch_row(l);
			TRY(emit(l, HANDLER_extract, halves[i], pair, 4, 2, half));
		}
		TRY(emit(l, row->forms[0], d[half], halves[0], halves[1], 0, 0));
	}
	return 0;
}

/* setp.CMP[.BOOL].f16x2 p|q, a, b[, c]: p is of the lower halves, q of the upper ones. */
static int setp_halves(struct lowering *l, unsigned logic, bool two)
{
	int32_t plain[2] = { scratch_predicate(l), scratch_predicate(l) }, d, c;
	unsigned first = two ? 2 : 1;

	TRY(compare_halves(l, first, plain));
	if (logic) {
		TRY(source_predicate(l, &l->operands[first + 2], &c));
		for (unsigned half = 0; half < 2; half++)
			TRY(emit(l, logic, plain[half], plain[half], c, 0, 0));
	}
	for (unsigned half = 0; half < (two ? 2 : 1); half++) {
		TRY(result_predicate(l, &l->operands[half], &d));
		TRY(combine(l, 0, d, plain[half], 0));
	}
	return 0;
}

int lower_setp(struct lowering *l)
{
	unsigned logic = remove_logic(l);
	bool two = l->insn->count && l->operands[0].paired;
	unsigned first = two ? 2 : 1;
	int32_t d, q, c = 0, plain, inverse;

	TRY(expect_operands(l, first + 2 + !!logic));
	if (halve_type(&l->opcode))
		return setp_halves(l, logic, two);
	if (two && (opcode_has(&l->opcode, "f16") || opcode_has(&l->opcode, "bf16")))
		return lower_fail(l, GPURUN_FORMAT, "writes two predicates, where one is expected");
	TRY(result_predicate(l, &l->operands[0], &d));
	if (!two && !logic)
		return compare(l, first, d);
	plain = scratch_predicate(l);
	TRY(compare(l, first, plain));
	if (logic)
		TRY(source_predicate(l, &l->operands[first + 2], &c));
	inverse = scratch_predicate(l);
	if (two)
		TRY(emit(l, HANDLER_pred_not, inverse, plain, plain, 0, 0));
	if (logic && two) { /* d may be c: both results before either is written */
		int32_t both = scratch_predicate(l);

		TRY(combine(l, logic, both, inverse, c));
		inverse = both;
	}
	TRY(combine(l, logic, d, plain, c));
	if (!two)
		return 0;
	TRY(result_predicate(l, &l->operands[1], &q));
	return combine(l, 0, q, inverse, 0);
}

/* Removes the first type from the opcode, what set writes, and returns it. */
static enum ptx_type remove_first_type(struct opcode *opcode)
{
	enum ptx_type type = TYPE_NONE;
	unsigned kept = 0;

	for (unsigned i = 0; i < opcode->part_count; i++) {
		if (!type && opcode->type_of[i]) {
			type = opcode->type_of[i];
			continue;
		}
		opcode->parts[kept] = opcode->parts[i];
		opcode->type_of[kept++] = opcode->type_of[i];
	}
	opcode->part_count = kept;
	opcode->type_count = opcode->type_count ? opcode->type_count - 1 : 0;
	memmove(opcode->types, opcode->types + 1, sizeof(opcode->types) - 1);
	return type;
}

/* Tells whether set can write @to after comparing @from. */
static bool set_writes(enum ptx_type to, enum ptx_type from, bool ftz)
{
	bool half = from == TYPE_F16 || from == TYPE_BF16;

	switch (to) {
	case TYPE_U32:
	case TYPE_S32:
		return true;
	case TYPE_U16:
	case TYPE_S16:
		return half;
	case TYPE_F32:
		return !half;
	case TYPE_F16:
		return from != TYPE_BF16;
	case TYPE_BF16:
		return !ftz;
	default:
		return false;
	}
}

/* set.CMP[.BOOL].TYPE.f16x2 d, a, b[, c]: each half of d is 0 or @yes. */
static int set_halves(struct lowering *l, unsigned logic, enum ptx_type type)
{
	bool b = l->opcode.types[l->opcode.type_count - 1] == TYPE_BF16;
	uint64_t yes = type == TYPE_F16X2 ? 0x3c00 : type == TYPE_BF16X2 ? 0x3f80 : 0xffff;
	int32_t plain[2] = { scratch_predicate(l), scratch_predicate(l) };
	int32_t d, c, half, both, zero, one;

	if (type != TYPE_U32 && type != TYPE_S32 && type != (b ? TYPE_BF16X2 : TYPE_F16X2))
		return lower_unsupported(l);
	TRY(compare_halves(l, 1, plain));
	if (logic)
		TRY(source_predicate(l, &l->operands[3], &c));
	half = scratch_row(l);
	both = scratch_row(l);
	TRY(constant_slot(l, yes, BASE_NONE, &one));
	TRY(constant_slot(l, 0, BASE_NONE, &zero));
	for (unsigned i = 0; i < 2; i++) {
		if (logic)
			TRY(emit(l, logic, plain[i], plain[i], c, 0, 0));
		TRY(emit(l, HANDLER_selp_2_ss, half, one, zero, plain[i], 0));
		TRY(emit(l, HANDLER_insert, both, half, 4, 2, i));
	}
	TRY(result_row(l, &l->operands[0], 4, &d));
	TRY(resize(l, d, 4, both, 4, false));
	return result_done(l, &l->operands[0], 4, false, d);
}

int lower_set(struct lowering *l)
{
	static const struct ptx_name setp = { "setp", 4 };
	unsigned logic = remove_logic(l);
	enum ptx_type type = remove_first_type(&l->opcode);
	uint64_t yes = type == TYPE_F32 ? 0x3f800000 : type == TYPE_F16 ? 0x3c00 :
		       type == TYPE_BF16 ? 0x3f80 : UINT32_MAX;
	unsigned size = type_size(type);
	int32_t plain = scratch_predicate(l), d, c, zero, one;

	TRY(expect_operands(l, 3 + !!logic));
	l->opcode.base = setp;
	if (halve_type(&l->opcode))
		return set_halves(l, logic, type);
	if (!set_writes(type, l->opcode.types[0], opcode_has(&l->opcode, "ftz")))
		return lower_unsupported(l);
	TRY(compare(l, 1, plain));
	if (logic) {
		TRY(source_predicate(l, &l->operands[3], &c));
		TRY(emit(l, logic, plain, plain, c, 0, 0));
	}
	TRY(constant_slot(l, yes, BASE_NONE, &one));
	TRY(constant_slot(l, 0, BASE_NONE, &zero));
	TRY(result_row(l, &l->operands[0], size, &d));
	TRY(emit(l, size == 4 ? HANDLER_selp_4_ss : HANDLER_selp_2_ss, d, one, zero, plain, 0));
	return result_done(l, &l->operands[0], size, true, d);
}

int lower_selp(struct lowering *l)
{
#define SELP(size)                                                                                 \
	{ { HANDLER_selp_##size##_rr, HANDLER_selp_##size##_rs, HANDLER_selp_##size##_sr,      \
	    HANDLER_selp_##size##_ss }, HANDLER_slot_selp_##size }
	static const struct {
		uint16_t forms[4]; /* by which of the two are slots */
		uint16_t slot;     /* the result, too */
	} handlers[] = { SELP(2), SELP(4), SELP(8) };
#undef SELP
	enum ptx_type type = l->opcode.types[0];
	unsigned size = type_size(type), form = 0, which = size == 2 ? 0 : size == 4 ? 1 : 2;
	enum element_class class = type == TYPE_F32 ? ELEMENT_F32 :
				   type == TYPE_F64 ? ELEMENT_F64 : ELEMENT_BITS;
	int32_t at[2], d, p;

	TRY(expect_operands(l, 4));
	if (l->opcode.part_count != 1 || size < 2 || size > 8 || type == TYPE_OTHER ||
	    (type >= TYPE_F16 && type < TYPE_F32)) /* f16 is selected as b16 */
		return lower_unsupported(l);
	for (unsigned i = 0; i < 2; i++) {
		bool scalar;

		TRY(source_scalar(l, &l->operands[i + 1], size, class, &scalar, &at[i]));
		if (scalar)
			form += i ? 1 : 2;
		else
			TRY(source_row(l, &l->operands[i + 1], size, class, false, &at[i]));
	}
	TRY(source_predicate(l, &l->operands[3], &p));
	if (form == 3 && result_slot(l, &l->operands[0], size, &d))
		return emit(l, handlers[which].slot, d, at[0], at[1], p, 0);
	TRY(result_row(l, &l->operands[0], size, &d));
	TRY(emit(l, handlers[which].forms[form], d, at[0], at[1], p, 0));
	return result_done(l, &l->operands[0], size, false, d);
}

/* and, or, xor, not of predicates; of anything else: a table row. */
int lower_logic(struct lowering *l)
{
	bool inverts = l->insn->base == INSN_NOT;
	unsigned handler = inverts ? HANDLER_pred_not :
			   l->insn->base == INSN_AND ? HANDLER_pred_and :
			   l->insn->base == INSN_OR ? HANDLER_pred_or : HANDLER_pred_xor;
	int32_t d, a, b;

	if (!opcode_has(&l->opcode, "pred"))
		return lower_alu(l);
	TRY(expect_operands(l, inverts ? 2 : 3));
	TRY(source_predicate(l, &l->operands[1], &a));
	b = a;
	if (!inverts)
		TRY(source_predicate(l, &l->operands[2], &b));
	TRY(result_predicate(l, &l->operands[0], &d));
	return emit(l, handler, d, a, b, 0, 0);
}
