/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Accesses by one address, which is a vector, and several numbers: the check of the first one is
 * for those behind it, too: nothing comes between them that could leave them out. What it reaches
 * is then from the least number to the greatest one.
 */
#include "accesses.h"

/* What is still looked for, and how far apart the numbers may be. */
enum { MOST_OPEN = 8, MOST_APART = 1 << 16 };

struct open_ranges {
	uint32_t leaders[MOST_OPEN];
	unsigned count;
};

/* Tells whether what @leader finds says that @insn, by the same address, may be done. */
static bool same_check(const struct ir *ir, const struct ir_insn *leader,
		       const struct ir_insn *insn)
{
	return leader->a[0] == insn->a[0] && leader->form == insn->form &&
	       leader->indexed == insn->indexed &&
	       (!insn->indexed || ir_made(ir, leader)->base == ir_made(ir, insn)->base) &&
	       access_unit(leader) == access_unit(insn) &&
	       (leader->op == insn->op || access_is_shared(insn)) &&
	       ((uint64_t)insn->imm - (uint64_t)leader->imm) % access_unit(insn) == 0;
}

/* Adds @insn to the range of @leader, unless it would be too long. */
static bool join_range(struct access_range *leader, const struct ir_insn *insn)
{
	const int64_t low = insn->imm < leader->low ? insn->imm : leader->low;
	const int64_t most = leader->low + leader->more;
	const int64_t high = insn->imm > most ? insn->imm : most;
	const uint64_t more = (uint64_t)high - (uint64_t)low; /* which may be more than 2^63 */

	if (more > MOST_APART)
		return false;
	leader->low = low;
	leader->more = (uint32_t)more;
	return true;
}

/* Tells whether the check of one of @open is for access @index, too: it is its leader then. */
static bool join_open(struct compile *c, const struct open_ranges *open, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];

	for (unsigned i = 0; i < open->count; i++) {
		const uint32_t leader = open->leaders[i];

		if (!same_check(c->ir, &c->ir->insns[leader], insn) ||
		    !join_range(&c->ranges[leader], insn))
			continue;
		c->ranges[index].leader = leader;
		return true;
	}
	return false;
}

/* Forgets what reads @value. */
static void forget_address(const struct compile *c, struct open_ranges *open, uint32_t value)
{
	for (unsigned i = open->count; i-- > 0;)
		if (c->ir->insns[open->leaders[i]].a[0] == value)
			open->leaders[i] = open->leaders[--open->count];
}

/* Forgets those whose struct hit is that of @insn, which may change it: there are fewer than
 * accesses. Shared memory has none. */
static void forget_hit(const struct compile *c, struct open_ranges *open,
		       const struct ir_insn *insn)
{
	for (unsigned i = open->count; i-- > 0 && !access_is_shared(insn);) {
		const struct ir_insn *leader = &c->ir->insns[open->leaders[i]];

		if (leader->hit == insn->hit && !access_is_shared(leader))
			open->leaders[i] = open->leaders[--open->count];
	}
}

/* Finds the leader of access @index, or has it begin a range, unless it is for some lanes. */
static void find_range(struct compile *c, struct open_ranges *open, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const bool joins = insn->op != IR_ATOMIC && insn->guard == IR_NONE &&
			   in_vectors(c, insn->a[0]);

	if (joins && join_open(c, open, index))
		return;
	forget_hit(c, open, insn);
	if (joins && open->count < MOST_OPEN)
		open->leaders[open->count++] = index;
}

static void find_block_accesses(struct compile *c, const struct ir_block *block)
{
	struct open_ranges open = { .count = 0 };

	for (uint32_t i = block->first; i < block->end; i++) {
		const struct ir_insn *insn = &c->ir->insns[i];

		c->ranges[i] = (struct access_range){ i, insn->imm, 0 };
		if (c->insn_labels[i] || insn->op == IR_GUARD || insn->op == IR_CALL ||
		    insn->op == IR_LEAVE)
			open.count = 0;
		if (ir_accesses(insn))
			find_range(c, &open, i);
		for (unsigned k = 0; k < IR_RESULTS && insn->d[k] != IR_NONE; k++)
			forget_address(c, &open, insn->d[k]);
	}
}

int ranges_find(struct compile *c)
{
	c->ranges = calloc(c->ir->insn_count + 1, sizeof(*c->ranges));
	if (!c->ranges)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the accesses of a kernel");
	for (size_t b = 0; b < c->ir->block_count; b++)
		find_block_accesses(c, &c->ir->blocks[b]);
	return 0;
}
