/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * check=init for registers. A register that is live where its function begins
 * has a way to a read on which nothing writes it. Only such registers are
 * watched: each has a mask of the lanes that have written it, in a slot behind
 * the registers, which the ops here keep and look at.
 */
#include "config.h"
#include "lower_check.h"

/* Parameters that are registers are written before the function begins. */
static bool is_param(const struct body *body, uint32_t reg)
{
	for (size_t i = 0; i < body->symbol_count; i++)
		if (body->symbols[i].space == PTX_REG && body->symbols[i].reg == reg)
			return true;
	return false;
}

int check_registers_place(struct lowering *l, struct reached *reached)
{
	const struct body *body = reached->body;

	if (!(config.check & CHECK_INIT) || !reached->flow.block_count)
		return 0;
	reached->written = calloc(body->register_count + 1, sizeof(*reached->written));
	if (!reached->written)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for the checks of registers");
	reached->written_at = reached->places.end;
	for (uint32_t r = 0; r < body->register_count; r++) {
		if (!liveness_enters(&reached->liveness, 0, r) || is_param(body, r))
			continue;
		reached->written[r] = reached->places.end;
		reached->places.end += 8;
		reached->written_count++;
	}
	return 0;
}

/* Where the mask of register @index stands; 0: it is not watched. A function that calls itself
 * would need a mask for each call: none of its registers is. */
static int32_t mask_of(const struct lowering *l, uint32_t index)
{
	return l->now->written && !l->recursive ? l->now->written[index] : 0;
}

int check_registers_begin(struct lowering *l)
{
	if (!l->now->written_count || l->recursive)
		return 0;
	return emit(l, HANDLER_check_unwritten, 0, l->now->written_at,
		    (int32_t)l->now->written_count, 0, 0);
}

/* The declaration of register @index. */
static const struct declared_registers *declaration(const struct body *body, uint32_t index)
{
	const struct declared_registers *found = NULL;

	for (size_t i = 0; i < body->declared_count; i++)
		if (body->declared[i].first <= index)
			found = &body->declared[i];
	return found;
}

static int check_read(struct lowering *l, uint32_t index)
{
	const struct declared_registers *from = declaration(l->body, index);
	int32_t number = from && from->range ? (int32_t)(index - from->first) : -1;

	return emit(l, HANDLER_check_read, 0, mask_of(l, index),
		    from ? (int32_t)from->name.length : 0, number,
		    from ? (int64_t)(uintptr_t)from->name.text : 0);
}

int check_guard(struct lowering *l)
{
	if (l->insn->guard == NO_GUARD || !mask_of(l, l->insn->guard))
		return 0;
	return check_read(l, l->insn->guard);
}

struct seen {
	struct lowering *l;
	bool writes; /* what is looked for */
	int status;
};

static void see(void *context, uint32_t index, bool write)
{
	struct seen *seen = context;
	struct lowering *l = seen->l;

	if (seen->status || write != seen->writes || !mask_of(l, index) ||
	    (!write && index == l->insn->guard))
		return;
	if (write)
		seen->status = emit(l, HANDLER_check_wrote, 0, mask_of(l, index), 0, 0, 0);
	else
		seen->status = check_read(l, index);
}

/*
 * Compilers move and select values that are never used, and wgmma reads its sum
 * only where that is scaled by 1.
 */
static bool may_read_anything(const struct lowering *l)
{
	static const char *const bases[] = { "mov", "selp", "wgmma" };

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if (name_is(l->opcode.base, bases[i]))
			return true;
	return false;
}

int check_reads(struct lowering *l)
{
	struct seen seen = { l, false, 0 };

	if (l->now->written_count && !may_read_anything(l))
		insn_registers(l->body, l->insn, see, &seen);
	return seen.status;
}

int check_writes(struct lowering *l)
{
	struct seen seen = { l, true, 0 };

	if (l->now->written_count)
		insn_registers(l->body, l->insn, see, &seen);
	return seen.status;
}
