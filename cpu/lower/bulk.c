/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cp.async.bulk, cp.reduce.async.bulk: runs of bytes, boxes of tensors. */
#include "bits.h"
#include "lower.h"
#include "lower_check.h"

#define HINT    ".L2::cache_hint?"
#define SIGNAL  ".mbarrier::complete_tx::bytes"
#define CAST    SIGNAL ".multicast::cluster?" HINT
#define DIMS    ".1d/2d/3d/4d/5d"
#define INTO    ".shared::cluster/shared::cta.global"
#define OUT     ".global.shared::cta"
#define BETWEEN ".shared::cluster.shared::cta"
#define REDUCE  ".add/min/max/inc/dec/and/or/xor"

enum { NOTHING = 1 << 30 }; /* a hint, or a wait for what is complete already */

static const struct form {
	const char *pattern;
	int32_t flags;
	uint8_t operands; /* those before a mask and a policy */
} forms[] = {
	{ "cp.async.bulk" INTO CAST, BULK_COMPLETES, 4 },
	{ "cp.async.bulk" BETWEEN SIGNAL, BULK_COMPLETES, 4 },
	{ "cp.async.bulk" OUT ".bulk_group" HINT, BULK_TO_GLOBAL, 3 },
	{ "cp.reduce.async.bulk" BETWEEN SIGNAL REDUCE ".b32/u32/s32/u64",
	  BULK_COMPLETES | BULK_REDUCES, 4 },
	{ "cp.reduce.async.bulk" OUT ".bulk_group" HINT ".noftz?" REDUCE
	  ".f16/bf16/b32/u32/s32/b64/u64/s64/f32/f64", BULK_TO_GLOBAL | BULK_REDUCES, 3 },
	{ "cp.async.bulk.tensor" DIMS INTO ".tile?" CAST, BULK_TENSOR | BULK_COMPLETES, 4 },
	{ "cp.async.bulk.tensor.3d/4d/5d" INTO ".im2col" CAST,
	  BULK_TENSOR | BULK_COMPLETES | BULK_IM2COL, 5 },
	{ "cp.async.bulk.tensor" DIMS OUT ".tile?.bulk_group" HINT,
	  BULK_TENSOR | BULK_TO_GLOBAL, 3 },
	{ "cp.async.bulk.tensor.3d/4d/5d" OUT ".im2col_no_offs.bulk_group" HINT,
	  BULK_TENSOR | BULK_TO_GLOBAL | BULK_IM2COL, 3 },
	{ "cp.reduce.async.bulk.tensor" DIMS OUT REDUCE ".tile?.bulk_group" HINT,
	  BULK_TENSOR | BULK_TO_GLOBAL | BULK_REDUCES, 3 },
	{ "cp.reduce.async.bulk.tensor.3d/4d/5d" OUT REDUCE ".im2col_no_offs.bulk_group" HINT,
	  BULK_TENSOR | BULK_TO_GLOBAL | BULK_REDUCES | BULK_IM2COL, 3 },
	{ "cp.async.bulk.prefetch.L2.global" HINT, NOTHING, 2 },
	{ "cp.async.bulk.prefetch.tensor" DIMS ".L2.global.tile?" HINT, NOTHING, 2 },
	{ "cp.async.bulk.prefetch.tensor.3d/4d/5d.L2.global.im2col" HINT, NOTHING, 3 },
	{ "cp.async.bulk.commit_group", NOTHING, 0 },
	{ "cp.async.bulk.wait_group.read?", NOTHING, 1 },
};

_Static_assert((int)NOTHING > (int)BULK_GROUPED, "no flag of a bulk op");

/* The reductions, with their types in shared and in global memory. */
static const struct {
	const char *word;
	const char *shared, *global;
} reductions[] = {
	[REDUCE_ADD] = { "add", "/u32/s32/u64/", "/f16/bf16/u32/s32/u64/f32/f64/" },
	[REDUCE_MIN] = { "min", "/u32/s32/", "/f16/bf16/u32/s32/u64/s64/" },
	[REDUCE_MAX] = { "max", "/u32/s32/", "/f16/bf16/u32/s32/u64/s64/" },
	[REDUCE_INC] = { "inc", "/u32/", "/u32/" },
	[REDUCE_DEC] = { "dec", "/u32/", "/u32/" },
	[REDUCE_AND] = { "and", "/b32/", "/b32/b64/" },
	[REDUCE_OR] = { "or", "/b32/", "/b32/b64/" },
	[REDUCE_XOR] = { "xor", "/b32/", "/b32/b64/" },
};

/* A copy that is being lowered. */
struct copy {
	int32_t flags, dims;
	int32_t reduction, type;
	struct {
		int32_t at, form;
		int64_t offset;
	} operands[BULK_OPERANDS];
	unsigned count;
};

static int find_reduction(struct lowering *l, struct copy *copy)
{
	const bool noftz = opcode_has(&l->opcode, "noftz");
	char type[16] = "";

	for (unsigned i = 0; i < l->opcode.part_count; i++)
		if (l->opcode.type_of[i])
			snprintf(type, sizeof(type), "/%.*s/", (int)l->opcode.parts[i].length,
				 l->opcode.parts[i].text);
	for (int32_t i = 0; i < (int32_t)(sizeof(reductions) / sizeof(reductions[0])); i++) {
		const bool half = !strcmp(type, "/f16/") || !strcmp(type, "/bf16/");

		if (!opcode_has(&l->opcode, reductions[i].word))
			continue;
		copy->reduction = i;
		copy->type = l->opcode.types[0];
		if (copy->flags & BULK_TENSOR)
			return 0;
		if (noftz == (half && i == REDUCE_ADD) &&
		    strstr(copy->flags & BULK_TO_GLOBAL ? reductions[i].global :
							  reductions[i].shared, type))
			return 0;
	}
	return lower_unsupported(l);
}

static int add_address(struct lowering *l, struct copy *copy, enum bulk_operand which,
		       const struct operand *operand, enum ptx_space space)
{
	struct operand address = *operand;

	address.kind = operand->kind == OPERAND_TENSOR ? OPERAND_ADDRESS : operand->kind;
	copy->operands[which].form = BULK_ROW_8;
	return address_in(l, &address, space, &copy->operands[which].at,
			  &copy->operands[which].offset);
}

static int add_value(struct lowering *l, struct copy *copy, unsigned which,
		     const struct operand *operand, unsigned size)
{
	bool scalar;

	copy->operands[which].form = BULK_SLOT;
	copy->operands[which].offset = 0;
	TRY(source_scalar(l, operand, size, ELEMENT_BITS, &scalar, &copy->operands[which].at));
	if (scalar)
		return 0;
	copy->operands[which].form = size == 2 ? BULK_ROW_2 : BULK_ROW_4;
	return source_row(l, operand, size, ELEMENT_BITS, false, &copy->operands[which].at);
}

/* Coordinates, or offsets: fails unless the number of elements is right. */
static int add_vector(struct lowering *l, struct copy *copy, unsigned first,
		      const struct operand *vector, int32_t count, unsigned size)
{
	if (vector->kind != OPERAND_VECTOR || vector->value != count)
		return lower_fail(l, GPURUN_FORMAT, "has no vector of %d elements", count);
	for (int32_t i = 0; i < count; i++)
		TRY(add_value(l, copy, first + (unsigned)i, &l->body->elements[vector->index + i],
			      size));
	return 0;
}

/* The two ends of the copy; *@next is the operand after them. */
static int add_ends(struct lowering *l, struct copy *copy, const struct operand **next)
{
	const bool tensor = copy->flags & BULK_TENSOR, out = copy->flags & BULK_TO_GLOBAL;
	const enum ptx_space there = tensor ? PTX_REG : PTX_GLOBAL;
	const struct operand *to = l->operands, *from = to + (tensor && out ? 2 : 1);
	const struct operand *map = out ? to : from;
	const bool inner = !out && !opcode_has(&l->opcode, "global");

	if (tensor && map->kind != OPERAND_TENSOR)
		return lower_fail(l, GPURUN_FORMAT, "has no coordinates");
	TRY(add_address(l, copy, BULK_TO, to, out ? there : PTX_SHARED_CLUSTER));
	TRY(add_address(l, copy, BULK_FROM, from, out || inner ? PTX_SHARED : there));
	*next = from + (tensor && !out ? 2 : 1);
	if (tensor)
		return add_vector(l, copy, BULK_COORDS, map + 1, copy->dims, 4);
	TRY(add_value(l, copy, BULK_SIZE, *next, 4));
	++*next;
	return 0;
}

static int emit_copy(struct lowering *l, const struct copy *copy)
{
	TRY(emit(l, HANDLER_bulk, copy->flags, (int32_t)copy->count, copy->dims, copy->reduction,
		 copy->type));
	for (unsigned i = 0; i < copy->count; i++)
		TRY(emit(l, HANDLER_halt, copy->operands[i].at, 0, 0, copy->operands[i].form,
			 copy->operands[i].offset));
	return 0;
}

static int lower_form(struct lowering *l, const struct form *form)
{
	struct copy copy = { .flags = form->flags, .count = BULK_COORDS };
	const bool policy = opcode_has(&l->opcode, "L2::cache_hint");
	const bool cast = opcode_has(&l->opcode, "multicast::cluster");
	const struct operand *next = NULL;
	int32_t none;

	if (cast && !opcode_has(&l->opcode, "shared::cluster"))
		return lower_unsupported(l);
	if (form->flags & BULK_TO_GLOBAL)
		copy.flags |= BULK_GROUPED;
	TRY(expect_operands(l, form->operands + 0u + policy + cast));
	TRY(constant_slot(l, 0, BASE_NONE, &none));
	for (unsigned i = 0; i < BULK_OPERANDS; i++)
		copy.operands[i].at = none;
	for (int32_t dims = 1; copy.flags & BULK_TENSOR && dims <= 5; dims++) {
		const char word[] = { (char)('0' + dims), 'd', 0 };

		if (opcode_has(&l->opcode, word))
			copy.dims = dims;
	}
	if (copy.flags & BULK_TENSOR)
		copy.count = BULK_OPERANDS;
	if (copy.flags & BULK_REDUCES)
		TRY(find_reduction(l, &copy));
	TRY(add_ends(l, &copy, &next));
	if (copy.flags & BULK_COMPLETES)
		TRY(add_address(l, &copy, BULK_SIGNAL, next++, PTX_SHARED_CLUSTER));
	if (copy.flags & BULK_IM2COL && copy.flags & BULK_COMPLETES)
		TRY(add_vector(l, &copy, BULK_OFFSETS, next++, copy.dims - 2, 2));
	if (cast) {
		copy.flags |= BULK_MULTICAST;
		TRY(add_value(l, &copy, BULK_MASK, next, 2));
	}
	return emit_copy(l, &copy);
}

/* Instructions that have an effect on the checker alone. */
static int lower_silent(struct lowering *l, const struct form *form)
{
	const struct operand *newest = l->operands;

	TRY(expect_operands(l, form->operands + 0u + opcode_has(&l->opcode, "L2::cache_hint")));
	if (opcode_has(&l->opcode, "commit_group"))
		return check_copies(l, ASYNC_COPY_OUT, COPIES_COMMIT, 0);
	if (!opcode_has(&l->opcode, "wait_group") || newest->kind != OPERAND_INTEGER)
		return 0;
	return check_copies(l, ASYNC_COPY_OUT, COPIES_WAIT, (uint32_t)newest->value);
}

int lower_bulk(struct lowering *l)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct form *form = &forms[i];

		if (!opcode_matches(&l->opcode, form->pattern))
			continue;
		return form->flags == NOTHING ? lower_silent(l, form) : lower_form(l, form);
	}
	return lower_unsupported(l);
}

int lower_map_copy(struct lowering *l)
{
	struct copy copy = { .flags = BULK_TO_GLOBAL, .count = BULK_COORDS };
	int32_t none;

	TRY(expect_operands(l, 3));
	if (l->operands[2].kind != OPERAND_INTEGER || l->operands[2].value != 128)
		return lower_fail(l, GPURUN_FORMAT, "is not for the 128 bytes of a tensor map");
	TRY(constant_slot(l, 0, BASE_NONE, &none));
	for (unsigned i = 0; i < BULK_OPERANDS; i++)
		copy.operands[i].at = none;
	TRY(add_address(l, &copy, BULK_TO, &l->operands[0], PTX_GLOBAL));
	TRY(add_address(l, &copy, BULK_FROM, &l->operands[1], PTX_SHARED));
	TRY(add_value(l, &copy, BULK_SIZE, &l->operands[2], 4));
	return emit_copy(l, &copy);
}
