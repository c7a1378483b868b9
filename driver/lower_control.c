/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branches, barriers, fences, the ends of threads and functions. */
#include "lower.h"
#include "warp.h"

static int add_fixup(struct lowering *l, struct fixup **list, size_t *count, uint32_t target)
{
	struct fixup *fixup = array_grow(list, *count, sizeof(*fixup));

	if (!fixup)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for branches");
	*fixup = (struct fixup){ l->code->op_count, target };
	++*count;
	return 0;
}

/* A branch to instruction @target under predicate @p (-1: always). */
static int branch_to(struct lowering *l, uint32_t target, int32_t p, bool negated)
{
	bool back = target <= l->index;
	unsigned handler = back ? HANDLER_bra_back : HANDLER_bra;

	if (p >= 0)
		handler += negated ? 2 : 1;
	TRY(add_fixup(l, &l->branches, &l->branch_count, target));
	return emit(l, handler, 0, p >= 0 ? p : 0, 0, 0, 0);
}

int lower_branch(struct lowering *l)
{
	const struct operand *target = &l->operands[0];
	int32_t p = -1;

	take_words(l, "uni");
	TRY(expect_operands(l, 1));
	if (l->opcode.part_count)
		return lower_unsupported(l);
	if (target->kind != OPERAND_LABEL)
		return lower_fail(l, GPURUN_FORMAT, "has no label");
	if (l->insn->guard != NO_GUARD)
		p = register_at(l, l->insn->guard);
	return branch_to(l, l->body->labels[target->index].insn, p, l->insn->guard_negated);
}

int lower_branch_table(struct lowering *l)
{
	const struct label_table *table;
	int32_t a;

	take_words(l, "idx uni");
	TRY(expect_operands(l, 2));
	if (l->opcode.part_count || l->operands[1].kind != OPERAND_TABLE)
		return lower_unsupported(l);
	table = &l->body->tables[l->operands[1].index];
	TRY(source_row(l, &l->operands[0], 4, ELEMENT_BITS, false, &a));
	TRY(emit(l, HANDLER_brx, 0, a, (int32_t)table->count, 0, 0));
	for (uint32_t i = 0; i < table->count; i++) {
		const struct operand *target = &l->body->operands[table->first + i];

		if (target->kind != OPERAND_LABEL)
			return lower_fail(l, GPURUN_FORMAT, "has a target that is no label");
		TRY(add_fixup(l, &l->branches, &l->branch_count,
			      l->body->labels[target->index].insn));
		TRY(emit(l, HANDLER_halt, 0, 0, 0, 0, 0));
	}
	return 0;
}

/* ret and exit. */
int lower_end(struct lowering *l)
{
	bool leave = name_is(l->opcode.base, "exit") || l->body->function->entry;

	take_words(l, "uni");
	if (l->opcode.part_count)
		return lower_unsupported(l);
	if (!leave)
		TRY(lower_registers(l, SYMBOL_RETURN));
	return emit(l, leave ? HANDLER_exit : HANDLER_ret, 0, 0, 0, 0, 0);
}

/* bar.warp.sync */
static int lower_warp_barrier(struct lowering *l)
{
	int32_t members;

	take_words(l, "sync");
	TRY(expect_operands(l, 1));
	if (l->opcode.part_count)
		return lower_unsupported(l);
	TRY(source_row(l, &l->operands[0], 4, ELEMENT_BITS, false, &members));
	return emit(l, HANDLER_warp_barrier, 0, members, 0, 0, 0);
}

/* What is left of the opcode: sync, arrive, or red with an operation and its type. */
static int barrier_kind(struct lowering *l, enum barrier_kind *kind)
{
	static const char *const patterns[] = { [BARRIER_SYNC] = "sync",
						[BARRIER_ARRIVE] = "arrive",
						[BARRIER_POPC] = "red.popc.u32",
						[BARRIER_AND] = "red.and.pred",
						[BARRIER_OR] = "red.or.pred" };
	struct opcode opcode;

	for (unsigned i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		bool all = true;

		opcode = l->opcode;
		for (const char *at = patterns[i]; *at;) {
			size_t length = strcspn(at, ".");
			char word[8];

			snprintf(word, sizeof(word), "%.*s", (int)length, at);
			all &= opcode_take(&opcode, word);
			at += length + (at[length] == '.');
		}
		if (all && !opcode.part_count) {
			*kind = i;
			return 0;
		}
	}
	return lower_unsupported(l);
}

/* A number that may be the same for all lanes: a slot, or a row when bit @bit of *@rows is set. */
static int barrier_number(struct lowering *l, const struct operand *operand, unsigned bit,
			  int32_t *at, int32_t *rows)
{
	bool scalar;

	TRY(source_scalar(l, operand, 4, ELEMENT_BITS, &scalar, at));
	if (scalar)
		return 0;
	*rows |= 1 << bit;
	return source_row(l, operand, 4, ELEMENT_BITS, false, at);
}

/* bar.sync, bar.arrive, bar.red and their spellings as barrier; bar.warp.sync. */
int lower_barrier(struct lowering *l)
{
	bool aligned = name_is(l->opcode.base, "barrier");
	const struct operand *operand = l->operands;
	int32_t id, count, d = 0, p = 0, rows = 0;
	enum barrier_kind kind;

	if (!aligned && opcode_take(&l->opcode, "warp"))
		return lower_warp_barrier(l);
	take_words(l, aligned ? "cta aligned" : "cta");
	TRY(barrier_kind(l, &kind));
	if (kind == BARRIER_ARRIVE)
		TRY(expect_operands(l, 2));
	else if (l->insn->count - (kind == BARRIER_SYNC ? 0u : 2u) - 1u > 1u)
		return expect_operands(l, kind == BARRIER_SYNC ? 1 : 3);
	if (kind == BARRIER_POPC)
		TRY(result_row(l, operand, 4, &d));
	else if (kind > BARRIER_POPC)
		TRY(result_predicate(l, operand, &d));
	if (kind >= BARRIER_POPC) {
		TRY(source_predicate(l, &operand[l->insn->count - 1], &p));
		operand++;
	}
	TRY(barrier_number(l, operand, 0, &id, &rows));
	TRY(constant_slot(l, 0, BASE_NONE, &count));
	if (l->insn->count == (kind >= BARRIER_POPC ? 4 : 2))
		TRY(barrier_number(l, operand + 1, 1, &count, &rows));
	TRY(emit(l, HANDLER_barrier, d, id, count, rows, (int64_t)p << BARRIER_SHIFT | kind));
	return kind == BARRIER_POPC ? result_done(l, l->operands, 4, false, d) : 0;
}

int lower_fence(struct lowering *l)
{
	take_words(l, "proxy alias async async.global sc acq_rel acquire release sys gpu cta gl "
		      "cluster mbarrier_init sync_restrict::shared::cta "
		      "sync_restrict::shared::cluster");
	return l->opcode.part_count || l->insn->count ? lower_unsupported(l) :
							emit(l, HANDLER_fence, 0, 0, 0, 0, 0);
}

/* Instructions that take effect in no way that a program can see here. */
int lower_nothing(struct lowering *l)
{
	(void)l;
	return 0;
}

int lower_simple(struct lowering *l)
{
	static const struct {
		const char *base;
		enum handler handler;
	} simple[] = {
		{ "nanosleep", HANDLER_nanosleep },
		{ "trap", HANDLER_trap },
		{ "brkpt", HANDLER_trap },
	};

	take_words(l, "u32");
	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++)
		if (name_is(l->opcode.base, simple[i].base) && !l->opcode.part_count)
			return emit(l, simple[i].handler, 0, 0, 0, 0, 0);
	return lower_unsupported(l);
}
