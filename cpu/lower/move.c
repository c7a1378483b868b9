/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mov with its packing forms, cvta, isspacep, and the addresses of variables. */
#include "device_limits.h"
#include "lower.h"
#include "special.h"

static enum element_class class_of(enum ptx_type type)
{
	return type == TYPE_F32 ? ELEMENT_F32 : type == TYPE_F64 ? ELEMENT_F64 : ELEMENT_BITS;
}

int place_shared(struct lowering *l, const struct symbol *symbol, uint32_t line, uint32_t *at)
{
	uint64_t align = symbol->align ? symbol->align : 1;
	uint64_t start = (l->shared_size + align - 1) & ~(align - 1);

	if (start > DEVICE_SHARED || symbol->size > DEVICE_SHARED - start)
		return err_set(l->e, GPURUN_FORMAT, "line %u: '%.*s' needs %llu bytes behind %llu "
			       "others of shared memory, where variables have %d", line,
			       (int)symbol->name.length, symbol->name.text,
			       (unsigned long long)symbol->size, (unsigned long long)start,
			       DEVICE_SHARED);
	*at = (uint32_t)start;
	l->shared_size = (uint32_t)(start + symbol->size);
	return 0;
}

/* Lays out a shared variable of the module, at its first use. */
static int place_global(struct lowering *l, const struct symbol *symbol)
{
	const struct ptx_variable *variable = &l->program->ptx->variables[symbol->index];
	struct symbol whole = *symbol; /* of numbered ones: all */
	uint32_t at;

	if (variable->unsized)
		return 0;
	whole.size = variable->size;
	TRY(place_shared(l, &whole, l->insn->line, &at));
	l->shared_at[symbol->index] = at + 1;
	return 0;
}

/* Offset of function-scope symbol @index of the present function. */
int shared_offset(struct lowering *l, const struct symbol *symbol, uint32_t index,
		  uint64_t *offset)
{
	if (symbol->home == SYMBOL_BODY) {
		*offset = l->now->frame_offsets[index];
		return 0;
	}
	if (!l->shared_at[symbol->index])
		TRY(place_global(l, symbol));
	*offset = l->shared_at[symbol->index] - 1;
	return 0;
}

/* Whether a .shared symbol is the dynamic array, which begins where the static ones end. */
static bool is_dynamic(const struct lowering *l, const struct symbol *symbol)
{
	return symbol->home == SYMBOL_MODULE && l->program->ptx->variables[symbol->index].unsized;
}

/* Offset of a parameter of an entry. */
static uint64_t entry_param(const struct lowering *l, uint32_t index)
{
	const struct ptx_function *function = l->body->function;
	uint64_t at = 0;

	for (uint32_t i = 0;; i++) {
		uint64_t align = function->params[i].align ? function->params[i].align : 1;

		at = (at + align - 1) & ~(align - 1);
		if (i == index)
			return at;
		at += function->params[i].size;
	}
}

int symbol_value(struct lowering *l, const struct operand *operand, bool *scalar, int32_t *at)
{
	const struct symbol *symbol = &l->body->symbols[operand->index];
	uint64_t offset = (uint64_t)operand->value, base;

	*scalar = true;
	if (symbol->space == PTX_SHARED) {
		if (is_dynamic(l, symbol)) {
			l->code->dynamic = true;
			if (symbol->align > l->dynamic_align)
				l->dynamic_align = (uint32_t)symbol->align;
			return constant_slot(l, offset, BASE_DYNAMIC, at);
		}
		TRY(shared_offset(l, symbol, operand->index, &base));
		return constant_slot(l, base + offset, BASE_NONE, at);
	}
	if (symbol->home == SYMBOL_MODULE) {
		base = l->program->addresses[symbol->index];
		if (!base)
			return lower_fail(l, GPURUN_UNSUPPORTED,
					  "uses '%.*s', which has no address on the CPU device",
					  (int)symbol->name.length, symbol->name.text);
		return constant_slot(l, base + offset, BASE_NONE, at);
	}
	if (symbol->home == SYMBOL_PARAM && l->body->function->entry)
		return constant_slot(l, entry_param(l, symbol->index) + offset, BASE_PARAMS, at);
	if (symbol->space == PTX_REG)
		return lower_unsupported(l);
	*scalar = false;
	*at = scratch_row(l);
	TRY(emit(l, HANDLER_frame, *at, 0, 0, 0,
		 (int64_t)(l->now->frame_offsets[operand->index] + offset)));
	if (symbol->space == PTX_LOCAL)
		return 0;
	return emit(l, HANDLER_local_address, *at, *at, 0, 0, 0);
}

/* mov.bN d, {a, b, ...}: each element is an equal part of d. */
static int pack(struct lowering *l, unsigned size)
{
	const struct operand *vector = &l->operands[1];
	const unsigned count = (unsigned)vector->value, part = size / count;
	int32_t d, row = scratch_row(l);

	for (unsigned i = 0; i < count; i++) {
		struct scratch used = l->scratch;
		int32_t a;

		TRY(source_row(l, &l->body->elements[vector->index + i], part, ELEMENT_BITS, false,
			       &a));
		TRY(emit(l, HANDLER_insert, row, a, (int32_t)size, (int32_t)part, i));
		l->scratch = used;
	}
	TRY(result_row(l, &l->operands[0], size, &d));
	TRY(resize(l, d, size, row, size, false));
	return result_done(l, &l->operands[0], size, false, d);
}

/* mov.bN {d, e, ...}, a */
static int unpack(struct lowering *l, unsigned size)
{
	const struct operand *vector = &l->operands[0];
	const unsigned count = (unsigned)vector->value, part = size / count;
	int32_t a, copy = scratch_row(l);

	TRY(source_row(l, &l->operands[1], size, ELEMENT_BITS, false, &a));
	TRY(resize(l, copy, size, a, size, false)); /* a may be one of the destinations */
	for (unsigned i = 0; i < count; i++) {
		const struct operand *to = &l->body->elements[vector->index + i];
		struct scratch used = l->scratch;
		int32_t d;

		if (to->kind == OPERAND_SINK)
			continue;
		TRY(result_row(l, to, part, &d));
		TRY(emit(l, HANDLER_extract, d, copy, (int32_t)size, (int32_t)part, i));
		TRY(result_done(l, to, part, false, d));
		l->scratch = used;
	}
	return 0;
}

/* mov.b128 d, immediate: 64 bits, under as many zeros. */
static int mov_wide_immediate(struct lowering *l)
{
	struct operand halves[2] = { l->operands[1], { .kind = OPERAND_INTEGER } };
	int32_t d, row = scratch_row(l);

	for (unsigned i = 0; i < 2; i++) {
		struct scratch used = l->scratch;
		int32_t a;

		TRY(source_row(l, &halves[i], 8, ELEMENT_BITS, false, &a));
		TRY(emit(l, HANDLER_insert, row, a, 16, 8, i));
		l->scratch = used;
	}
	TRY(result_row(l, &l->operands[0], 16, &d));
	TRY(resize(l, d, 16, row, 16, false));
	return result_done(l, &l->operands[0], 16, false, d);
}

static int mov_predicate(struct lowering *l)
{
	int32_t d, a;

	TRY(source_predicate(l, &l->operands[1], &a));
	TRY(result_predicate(l, &l->operands[0], &d));
	return emit(l, HANDLER_pred_mov, d, a, a, 0, 0);
}

_Static_assert(SPECIAL_CTAID_Z == SPECIAL_CTAID_X + 2 &&
	       SPECIAL_NCTAID_Z == SPECIAL_NCTAID_X + 2 &&
	       SPECIAL_NTID_Z == SPECIAL_NTID_X + 2 && SPECIAL_TID_Z == SPECIAL_TID_X + 2,
	       "x, y and z, and nothing between them");

/* Those of PTX 1, which were 16 bits wide then, can still be read so. */
static bool was_narrow(unsigned special)
{
	return special == SPECIAL_ZERO_ONCE_NARROW || special == SPECIAL_GRIDID ||
	       (special >= SPECIAL_CTAID_X && special <= SPECIAL_CTAID_Z) ||
	       (special >= SPECIAL_NCTAID_X && special <= SPECIAL_NCTAID_Z) ||
	       (special >= SPECIAL_NTID_X && special <= SPECIAL_NTID_Z) ||
	       (special >= SPECIAL_TID_X && special <= SPECIAL_TID_Z);
}

/* A register must have @size bytes; names and special registers are integers. */
static int check_place(struct lowering *l, const struct operand *operand, unsigned number,
		       unsigned size)
{
	const enum ptx_type type = l->opcode.types[0];
	unsigned have = size;

	if (operand->kind == OPERAND_REGISTER)
		have = register_size(l, operand->index);
	else if (operand->kind == OPERAND_SPECIAL)
		have = special_infos[operand->index].bytes;
	else if (operand->kind != OPERAND_VARIABLE && operand->kind != OPERAND_FUNCTION)
		return 0;
	if (operand->kind != OPERAND_REGISTER && type_float(type))
		return lower_fail(l, GPURUN_FORMAT, "moves an integer as a number");
	if (have != size && !(operand->kind == OPERAND_SPECIAL && size < have &&
			      was_narrow(operand->index)))
		return lower_fail(l, GPURUN_FORMAT,
				  "has %u bits as operand %u, where %u are expected", have * 8,
				  number, size * 8);
	return 0;
}

/* Both operands have @size bytes; two or four parts of one share them. */
static int check_mov(struct lowering *l, unsigned size)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct operand *operand = &l->operands[i];
		const unsigned count = (unsigned)operand->value;

		if (operand->kind != OPERAND_VECTOR) {
			TRY(check_place(l, operand, i + 1, size));
			continue;
		}
		if (l->opcode.types[0] > TYPE_B128 || (count != 2 && count != 4) || size < count)
			return lower_unsupported(l);
		for (unsigned k = 0; k < count; k++)
			TRY(check_place(l, &l->body->elements[operand->index + k], i + 1,
					size / count));
	}
	return 0;
}

/* Tells whether @operand is a function's parameter: where its address is taken, it is in .local. */
static bool names_parameter(const struct lowering *l, const struct operand *operand)
{
	const struct symbol *symbol;

	if (operand->kind != OPERAND_VARIABLE || l->body->function->entry)
		return false;
	symbol = &l->body->symbols[operand->index];
	return symbol->space == PTX_PARAM && symbol->home != SYMBOL_MODULE;
}

int lower_mov(struct lowering *l)
{
	static const uint16_t from_slot[] = { [1] = HANDLER_mov_1_s, [2] = HANDLER_mov_2_s,
					      [4] = HANDLER_mov_4_s, [8] = HANDLER_mov_8_s };
	enum ptx_type type = l->opcode.types[0];
	unsigned size = type_size(type);
	bool scalar;
	int32_t d, a = 0;

	TRY(expect_operands(l, 2));
	if (l->opcode.part_count != 1 || size == 1 || type == TYPE_OTHER ||
	    (type >= TYPE_F16 && type <= TYPE_TF32))
		return lower_unsupported(l);
	if (type == TYPE_PRED)
		return mov_predicate(l);
	TRY(check_mov(l, size));
	if (l->operands[0].kind == OPERAND_VECTOR)
		return unpack(l, size);
	if (l->operands[1].kind == OPERAND_VECTOR)
		return pack(l, size);
	if (size == 16 && l->operands[1].kind == OPERAND_INTEGER)
		return mov_wide_immediate(l);
	TRY(source_scalar(l, &l->operands[1], size, class_of(type), &scalar, &a));
	if (scalar && result_slot(l, &l->operands[0], size, &d))
		return move_slot(l, d, a, size);
	if (names_parameter(l, &l->operands[1]) && size == 8) {
		TRY(result_row(l, &l->operands[0], size, &d));
		TRY(emit(l, HANDLER_local_offset, d, a, 0, 0, 0));
		return result_done(l, &l->operands[0], size, false, d);
	}
	if (scalar && size <= 8) {
		TRY(result_row(l, &l->operands[0], size, &d));
		TRY(emit(l, from_slot[size], d, a, 0, 0, 0));
	} else {
		TRY(source_row(l, &l->operands[1], size, class_of(type), false, &a));
		TRY(result_row(l, &l->operands[0], size, &d));
		TRY(resize(l, d, size, a, size, false));
	}
	return result_done(l, &l->operands[0], size, false, d);
}

static enum ptx_space remove_space(struct lowering *l)
{
	static const struct {
		const char *word;
		enum ptx_space space;
	} spaces[] = {
		{ "global", PTX_GLOBAL },	{ "const", PTX_CONST },
		{ "shared", PTX_SHARED },	{ "shared::cta", PTX_SHARED },
		{ "shared::cluster", PTX_SHARED_CLUSTER },
		{ "local", PTX_LOCAL },		{ "param", PTX_PARAM },
		{ "param::entry", PTX_PARAM },
	};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (opcode_remove(&l->opcode, spaces[i].word))
			return spaces[i].space;
	return PTX_REG;
}

int lower_cvta(struct lowering *l)
{
	bool to = opcode_remove(&l->opcode, "to");
	enum ptx_space space = remove_space(l);
	int32_t a, d;
	bool scalar;

	TRY(expect_operands(l, 2));
	if (space == PTX_REG || l->opcode.part_count != 1 || l->opcode.types[0] != TYPE_U64)
		return lower_unsupported(l);
	if (l->operands[1].kind == OPERAND_VARIABLE &&
	    l->body->symbols[l->operands[1].index].space !=
		    (space == PTX_SHARED_CLUSTER ? PTX_SHARED : space))
		return lower_fail(l, GPURUN_FORMAT, "names a variable of another state space");
	if (space != PTX_LOCAL && space != PTX_SHARED_CLUSTER &&
	    result_slot(l, &l->operands[0], 8, &d)) {
		TRY(source_scalar(l, &l->operands[1], 8, ELEMENT_BITS, &scalar, &a));
		if (scalar && space != PTX_SHARED)
			return move_slot(l, d, a, 8);
		if (scalar)
			return emit(l, to ? HANDLER_shared_offset_s : HANDLER_shared_address_s, d,
				    a, 0, 0, 0);
	}
	TRY(source_row(l, &l->operands[1], 8, ELEMENT_BITS, false, &a));
	TRY(result_row(l, &l->operands[0], 8, &d));
	if (space == PTX_SHARED) {
		TRY(emit(l, to ? HANDLER_shared_offset : HANDLER_shared_address, d, a, 0, 0, 0));
	} else if (space == PTX_SHARED_CLUSTER) {
		TRY(emit(l, to ? HANDLER_cluster_offset : HANDLER_cluster_address, d, a, 0, 0, 0));
	} else if (space == PTX_LOCAL) {
		TRY(emit(l, to ? HANDLER_local_offset : HANDLER_local_address, d, a, 0, 0, 0));
	} else {
		TRY(resize(l, d, 8, a, 8, false));
	}
	return result_done(l, &l->operands[0], 8, false, d);
}

int lower_isspacep(struct lowering *l)
{
	enum ptx_space space = remove_space(l);
	int32_t a, d;

	TRY(expect_operands(l, 2));
	if (space == PTX_REG || l->opcode.part_count)
		return lower_unsupported(l);
	TRY(source_row(l, &l->operands[1], 8, ELEMENT_BITS, false, &a));
	TRY(result_predicate(l, &l->operands[0], &d));
	return emit(l, HANDLER_within, d, a, 0, 0, space);
}
