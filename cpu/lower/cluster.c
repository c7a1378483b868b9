/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Clusters: mapa, getctarank, barrier.cluster. */
#include "lower.h"

/* The type of the addresses: 4 or 8 bytes; their space. */
static int parse_addresses(struct lowering *l, unsigned *size, bool *generic)
{
	*generic = !opcode_remove(&l->opcode, "shared::cluster");
	*size = type_size(l->opcode.types[0]);
	if (!opcode_remove(&l->opcode, "u32") && !opcode_remove(&l->opcode, "u64"))
		return lower_unsupported(l);
	return l->opcode.part_count ? lower_unsupported(l) : 0;
}

/* An address of @size bytes, as a row of 8. */
static int address_row(struct lowering *l, const struct operand *operand, unsigned size,
		       int32_t *row)
{
	int32_t narrow;

	if (operand->kind == OPERAND_REGISTER && register_size(l, operand->index) != size)
		return lower_fail(l, GPURUN_FORMAT, "has an address of %u bits, where %u are "
				  "expected", register_size(l, operand->index) * 8, size * 8);
	TRY(source_row(l, operand, size, ELEMENT_BITS, false, &narrow));
	*row = narrow;
	if (size == 8)
		return 0;
	*row = scratch_row(l);
	return resize(l, *row, 8, narrow, size, false);
}

/* mapa d, address, rank */
int lower_mapa(struct lowering *l)
{
	int32_t d, wide, a, b;
	unsigned size;
	bool generic;

	TRY(parse_addresses(l, &size, &generic));
	TRY(expect_operands(l, 3));
	TRY(address_row(l, &l->operands[1], size, &a));
	TRY(source_row(l, &l->operands[2], 4, ELEMENT_BITS, false, &b));
	TRY(result_row(l, &l->operands[0], size, &d));
	wide = size == 8 ? d : scratch_row(l);
	TRY(emit(l, HANDLER_mapa, wide, a, b, 0, generic));
	TRY(resize(l, d, size, wide, 8, false));
	return result_done(l, &l->operands[0], size, false, d);
}

/* getctarank d, address */
int lower_rank(struct lowering *l)
{
	int32_t d, a;
	unsigned size;
	bool generic;

	TRY(parse_addresses(l, &size, &generic));
	TRY(expect_operands(l, 2));
	TRY(address_row(l, &l->operands[1], size, &a));
	TRY(result_row(l, &l->operands[0], 4, &d));
	TRY(emit(l, HANDLER_getctarank, d, a, 0, 0, generic));
	return result_done(l, &l->operands[0], 4, false, d);
}

int lower_cluster_barrier(struct lowering *l)
{
	const bool wait = opcode_remove(&l->opcode, "wait");

	if (!wait && !opcode_remove(&l->opcode, "arrive"))
		return lower_unsupported(l);
	remove_words(l, wait ? "acquire aligned" : "release relaxed aligned");
	if (l->opcode.part_count)
		return lower_unsupported(l);
	TRY(expect_operands(l, 0));
	return emit(l, wait ? HANDLER_cluster_wait : HANDLER_cluster_arrive, 0, 0, 0, 0, 0);
}
