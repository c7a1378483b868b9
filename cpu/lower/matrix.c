/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ldmatrix, stmatrix, movmatrix; and what all matrix instructions have in common. */
#include "asserts.h"
#include "lower_mma.h"

/* The elements of vector @operand, @count of them. */
static int vector_of(struct lowering *l, const struct operand *operand, unsigned count,
		     const struct operand **elements)
{
	if (operand->kind != OPERAND_VECTOR)
		return lower_fail(l, GPURUN_FORMAT, "has no vector of %u elements", count);
	if (operand->value != count)
		return lower_fail(l, GPURUN_FORMAT, "has a vector of %d elements, where %u are "
			"expected", (int)operand->value, count);
	*elements = l->body->elements + operand->index;
	return 0;
}

static int check_size(struct lowering *l, const struct operand *element, unsigned size)
{
	if (element->kind != OPERAND_REGISTER || register_size(l, element->index) == size)
		return 0;
	return lower_fail(l, GPURUN_FORMAT, "has a register of %u bits for a fragment of %u",
			  register_size(l, element->index) * 8, size * 8);
}

int fragment_sources(struct lowering *l, const struct operand *operand, unsigned count,
		     unsigned size, struct fragments *out)
{
	enum element_class class = size == 8 ? ELEMENT_F64 : ELEMENT_F32;
	const struct operand *elements;

	TRY(vector_of(l, operand, count, &elements));
	ASSERT(out->count + count <= MOST_FRAGMENTS);
	for (unsigned i = 0; i < count; i++) {
		int32_t *at = &out->at[out->count++];
		bool scalar;

		TRY(check_size(l, &elements[i], size));
		TRY(source_scalar(l, &elements[i], size, class, &scalar, at));
		if (scalar)
			*at |= FRAGMENT_SLOT;
		else
			TRY(source_row(l, &elements[i], size, class, false, at));
	}
	return 0;
}

int fragment_results(struct lowering *l, const struct operand *operand, unsigned count,
		     unsigned size, struct fragments *out)
{
	const struct operand *elements;

	TRY(vector_of(l, operand, count, &elements));
	ASSERT(out->count + count <= MOST_FRAGMENTS);
	for (unsigned i = 0; i < count; i++) {
		TRY(check_size(l, &elements[i], size));
		TRY(result_row(l, &elements[i], size, &out->at[out->count++]));
	}
	return 0;
}

int fragments_emit(struct lowering *l, const struct fragments *fragments)
{
	for (unsigned i = 0; i < fragments->count; i += 4) {
		int32_t at[4] = { 0 };

		for (unsigned k = 0; k < 4 && i + k < fragments->count; k++)
			at[k] = fragments->at[i + k];
		TRY(emit(l, HANDLER_halt, at[0], at[1], at[2], at[3], 0));
	}
	return 0;
}

int matrix_place(struct lowering *l, const struct operand *operand, struct matrix_place *place)
{
	place->shared = opcode_has(&l->opcode, "shared") || opcode_has(&l->opcode, "shared::cta");
	return generic_address(l, operand, &place->row, &place->offset);
}

int expect_aligned(struct lowering *l)
{
	if (opcode_remove(&l->opcode, "sync") && opcode_remove(&l->opcode, "aligned"))
		return 0;
	return lower_fail(l, GPURUN_FORMAT, "has to be .sync and .aligned");
}

/* Removes the number of matrices from the opcode and returns it; 0 when it has none. */
static unsigned remove_count(struct lowering *l)
{
	return opcode_remove(&l->opcode, "x4") ? 4 :
	       opcode_remove(&l->opcode, "x2") ? 2 :
	       opcode_remove(&l->opcode, "x1");
}

static int lower_move(struct lowering *l, enum handler handler, bool store)
{
	unsigned count = remove_count(l);
	bool trans = opcode_remove(&l->opcode, "trans");
	int32_t hit = next_hit(l, store);
	struct fragments rows = { .count = 0 };
	struct matrix_place place;

	TRY(expect_aligned(l));
	TRY(expect_operands(l, 2));
	TRY(matrix_place(l, &l->operands[!store], &place));
	if (!count || !opcode_remove(&l->opcode, "m8n8") || !opcode_remove(&l->opcode, "b16") ||
	    l->opcode.part_count)
		return lower_unsupported(l);
	if (store)
		TRY(fragment_sources(l, &l->operands[1], count, 4, &rows));
	else
		TRY(fragment_results(l, &l->operands[0], count, 4, &rows));
	TRY(emit(l, handler, 0, place.row, hit,
		 (int32_t)count | (trans ? MATRIX_TRANS : 0) | (place.shared ? MATRIX_SHARED : 0),
		 place.offset));
	return fragments_emit(l, &rows);
}

int lower_ldmatrix(struct lowering *l)
{
	return lower_move(l, HANDLER_ldmatrix, false);
}

int lower_stmatrix(struct lowering *l)
{
	return lower_move(l, HANDLER_stmatrix, true);
}

int lower_movmatrix(struct lowering *l)
{
	int32_t d, a;

	TRY(expect_aligned(l));
	TRY(expect_operands(l, 2));
	if (!opcode_remove(&l->opcode, "trans"))
		return lower_fail(l, GPURUN_FORMAT, "has to be .trans");
	remove_words(l, "m8n8 b16");
	if (l->opcode.part_count)
		return lower_unsupported(l);
	TRY(source_row(l, &l->operands[1], 4, ELEMENT_BITS, false, &a));
	TRY(result_row(l, &l->operands[0], 4, &d));
	TRY(emit(l, HANDLER_movmatrix, d, a, 0, 0, 0));
	return result_done(l, &l->operands[0], 4, false, d);
}
