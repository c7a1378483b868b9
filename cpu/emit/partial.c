/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is behind a guard or a branch for some lanes. Where a region is left there, or an op is
 * executed by its handler, registers are not all that the interpreter needs: also which lanes run,
 * and which ones will again.
 */
#include "compile.h"
#include "rounds.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)
#define WARP(member) x86_at(AT_WARP, offsetof(struct warp, member))

void partial_collect(struct compile *c, const struct ir_insn *insn)
{
	mask_collect(c, insn->under);
	if (insn->guard_negated)
		EMIT(not, x86_r32(X86_RAX));
}

void partial_run(struct compile *c)
{
	EMIT(mov, WARP(mask), x86_r32(X86_RAX));
	EMIT(xor, x86_r32(X86_RCX), x86_r32(X86_RCX));
	EMIT(cmp, x86_r32(X86_RAX), x86_immediate(-1));
	EMIT(sete, x86_gpr(1, X86_RCX));
	EMIT(mov, WARP(full), x86_r32(X86_RCX));
}

/* ---- Blocks that some lanes are in ------------------------------------------------------- */

/* The branch that says which lanes are in the block of instruction @index; NULL: all are. */
static const struct ir_insn *branch_of(const struct compile *c, uint32_t index)
{
	const uint32_t block = c->insn_blocks[index];
	const struct ir_insn *last;

	if (c->ir->insns[index].under == IR_NONE)
		return NULL;
	if (c->ir->blocks[block].loop != IR_NONE)
		return ir_last(c->ir, c->ir->blocks[block].loop);
	last = block ? ir_last(c->ir, block - 1) : NULL;
	return last && last->op == IR_BRANCH && last->skipped && !last->back ? last : NULL;
}

static struct x86_operand staying(const struct compile *c)
{
	return x86_sized(home_memory(c, c->ir->staying), 4);
}

/* Calls @function for the lanes in edx, at @branch. */
static void call_branch(struct compile *c, const struct ir_insn *branch,
			const struct op *(*function)(struct warp *, const struct op *, uint64_t))
{
	EMIT(mov, x86_r64(X86_RDI), x86_r64(AT_WARP));
	load_number(c, X86_RSI, (int64_t)(uintptr_t)&c->request->ops[branch->at]);
	x86_emit_all(c->x, X86_vzeroupper, NULL, 0);
	load_number(c, X86_RAX, (int64_t)(uintptr_t)function);
	EMIT(call, x86_r64(X86_RAX));
}

/*
 * Lanes that are not in the block have branched, or have not branched back: they wait behind it,
 * and what runs next is changed to an op of the block. The last back-edge has been counted already.
 */
static void diverge(struct compile *c, const struct ir_insn *branch)
{
	const uint32_t all = x86_label(c->x);

	EMIT(mov, x86_r32(X86_RDX), staying(c));
	EMIT(cmp, x86_r32(X86_RDX), x86_immediate(-1));
	EMIT(je, x86_to(all));
	if (branch->back) {
		EMIT(add, x86_sized(WARP(budget), 4), x86_immediate(1));
		EMIT(sub, x86_sized(WARP(spin), 4), x86_immediate(1));
	} else {
		EMIT(not, x86_r32(X86_RDX));
	}
	call_branch(c, branch, branch->back ? c->request->exits->diverge_back :
					      c->request->exits->diverge);
	x86_bind(c->x, all);
}

/* Tells whether a branch around the loop that @block begins has said which lanes come from the
 * block before. */
static bool is_around(const struct compile *c, uint32_t block)
{
	for (uint32_t before = 1; before <= 2 && before <= block; before++) {
		const struct ir_insn *last = ir_last(c->ir, block - before);

		if (last && last->op == IR_BRANCH)
			return last->skipped && !last->back &&
			       last->imm == c->ir->blocks[block].loop + 1;
	}
	return false;
}

/* With AVX2 the masks of loops are what staying() says. They change seldom, so that rounds do not
 * wait for them. */
static void find_masks(struct compile *c)
{
	const struct x86_operand vector = scratch_vector(c, c->vector, 0);

	for (unsigned strip = 0; c->select.isa == X86_AVX2 && strip < c->strips; strip++) {
		mask_expand(c, vector, x86_at(X86_RSP, AT_STAYING + (int32_t)strip));
		EMIT(vmovups, x86_at(X86_RSP, AT_MASKS + (int32_t)(strip * c->vector)), vector);
	}
}

void partial_begin(struct compile *c, uint32_t block)
{
	const uint32_t head = c->block_labels[block] + 1;

	if (is_around(c, block)) {
		find_masks(c);
		EMIT(jmp, x86_to(head));
	}
	x86_bind(c->x, c->block_labels[block]);
	EMIT(mov, staying(c), x86_immediate(-1));
	find_masks(c);
	x86_bind(c->x, head);
}

/* The lanes in eax are those that stay in the loop: where none do, goes to @none. */
static void let_stay(struct compile *c, uint32_t none)
{
	const struct x86_operand eax = x86_r32(X86_RAX);
	const uint32_t same = x86_label(c->x);

	EMIT(and, eax, staying(c));
	EMIT(cmp, eax, staying(c));
	EMIT(je, x86_to(same));
	EMIT(mov, staying(c), eax);
	EMIT(test, eax, eax);
	EMIT(je, x86_to(none));
	find_masks(c);
	x86_bind(c->x, same);
}

void partial_branch(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct x86_operand eax = x86_r32(X86_RAX);

	mask_collect(c, insn->a[0]);
	if (!insn->negated)
		EMIT(not, eax);
	if (c->loops) {
		let_stay(c, c->block_labels[insn->imm]);
		return;
	}
	EMIT(mov, staying(c), eax);
	EMIT(test, eax, eax);
	EMIT(je, x86_to(c->block_labels[insn->imm]));
}

/*
 * Counts a back-edge of lanes that others wait for, as warp_slice_ended() does, and goes on at
 * @head; also where their patience ends, as warp_back_edge() does in a loop that waits for no other
 * thread.
 */
static void count_back(struct compile *c, uint32_t head, uint32_t slice)
{
	const struct x86_operand ecx = x86_r32(X86_RCX), edx = x86_r32(X86_RDX);
	const uint32_t counted = x86_label(c->x);

	EMIT(mov, ecx, WARP(spin));
	EMIT(add, ecx, x86_immediate(1));
	EMIT(cmp, ecx, WARP(patience));
	EMIT(jbe, x86_to(counted));
	EMIT(mov, edx, WARP(rounds));
	EMIT(add, edx, WARP(patience));
	EMIT(add, edx, x86_immediate(1));
	EMIT(cmp, edx, x86_immediate(MOST_ROUNDS));
	EMIT(jae, x86_to(slice));
	EMIT(mov, WARP(rounds), edx);
	EMIT(xor, ecx, ecx);
	x86_bind(c->x, counted);
	EMIT(mov, WARP(spin), ecx);
	EMIT(jmp, x86_to(head));
}

/* As the interpreter counts: what others wait for may be that these do not run for ever. */
void partial_back(struct compile *c, uint32_t index, uint32_t slice)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const uint32_t on = x86_label(c->x), head = c->block_labels[insn->imm] + 1;
	const struct x86_operand eax = x86_r32(X86_RAX);

	mask_collect(c, insn->a[0]);
	if (insn->negated)
		EMIT(not, eax);
	let_stay(c, on);
	EMIT(sub, x86_sized(WARP(budget), 4), x86_immediate(1));
	EMIT(js, x86_to(slice));
	if (way_forced(c, index))
		EMIT(jmp, x86_to(slice));
	EMIT(cmp, eax, x86_immediate(-1));
	EMIT(je, x86_to(head));
	count_back(c, head, slice);
	x86_bind(c->x, on);
}

void partial_slice(struct compile *c, const struct ir_insn *branch, uint32_t all)
{
	EMIT(mov, x86_r32(X86_RDX), staying(c));
	EMIT(cmp, x86_r32(X86_RDX), x86_immediate(-1));
	EMIT(je, x86_to(all));
	EMIT(add, x86_sized(WARP(budget), 4), x86_immediate(1));
	call_branch(c, branch, c->request->exits->diverge_back);
}

/* ---- The interpreter goes on ------------------------------------------------------------- */

/* The lanes that stay are those that have come to a guard in their block, if there is one. */
static void leave_block(struct compile *c, const struct ir_insn *branch, const struct ir_insn *insn)
{
	const struct x86_operand eax = x86_r32(X86_RAX), taken = x86_at(X86_RSP, AT_TAKEN);
	const bool guarded = insn->under != c->ir->staying;

	if (guarded) {
		partial_collect(c, insn);
		EMIT(mov, taken, eax);
	}
	diverge(c, branch);
	EMIT(mov, eax, staying(c));
	EMIT(mov, WARP(saved_mask), eax);
	if (!guarded)
		return;
	EMIT(mov, eax, taken);
	partial_run(c);
}

void partial_leave(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct ir_insn *branch = branch_of(c, index);

	if (branch) {
		leave_block(c, branch, insn);
		return;
	}
	/* Also where all lanes have the guard: at its end the interpreter looks for others. */
	EMIT(mov, x86_sized(WARP(saved_mask), 4), x86_immediate(-1));
	if (insn->under == IR_NONE)
		return;
	partial_collect(c, insn);
	partial_run(c);
}
