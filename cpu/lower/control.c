/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branches, barriers, fences, the ends of threads and functions. */
#include "asserts.h"
#include "bits.h"
#include "config.h"
#include "lower_check.h"

enum { MOST_ALIGN = 4096 }; /* of stacks: a page */

/* The imm of a barrier op. */
_Static_assert(BARRIER_OR <= BARRIER_KIND && !(BARRIER_ALIGNED & BARRIER_KIND) &&
	       BARRIER_ALIGNED < 1 << BARRIER_SHIFT, "the kind, a flag, then a slot");

static int add_fixup(struct lowering *l, struct fixup **list, size_t *count, uint32_t op,
		     uint32_t target)
{
	struct fixup *fixup = array_grow(list, *count, sizeof(*fixup));

	ASSERT(op <= l->code->op_count && target <= l->body->insn_count);
	if (!fixup)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for branches");
	*fixup = (struct fixup){ op, target };
	++*count;
	return 0;
}

/* A branch to instruction @target under predicate @p (-1: always). */
static int branch_to(struct lowering *l, uint32_t target, int32_t p, bool negated)
{
	static const uint16_t handlers[2][3] = {
		{ HANDLER_bra, HANDLER_bra_if, HANDLER_bra_unless },
		{ HANDLER_bra_back, HANDLER_bra_back_if, HANDLER_bra_back_unless },
	};
	const bool back = target <= l->index;
	uint32_t op;

	TRY(emit_branch(l, handlers[back][p < 0 ? 0 : negated ? 2 : 1], p >= 0 ? p : 0, &op));
	return add_fixup(l, &l->branches, &l->branch_count, op, target);
}

int lower_branch(struct lowering *l)
{
	const struct operand *target = &l->operands[0];
	int32_t p = -1;

	remove_words(l, "uni");
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

	remove_words(l, "idx uni");
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
		TRY(add_fixup(l, &l->branches, &l->branch_count, l->code->op_count,
			      l->body->labels[target->index].insn));
		TRY(emit(l, HANDLER_halt, 0, 0, 0, 0, 0));
	}
	return 0;
}

/* ret and exit. */
int lower_end(struct lowering *l)
{
	bool leave = l->insn->base == INSN_EXIT || l->body->function->entry;

	if (l->insn->base == INSN_RET)
		remove_words(l, "uni");
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

	TRY(expect_operands(l, 1));
	TRY(source_row(l, &l->operands[0], 4, ELEMENT_BITS, false, &members));
	return emit(l, HANDLER_warp_barrier, 0, members, 0, 0, 0);
}

static int barrier_kind(struct lowering *l, enum barrier_kind *kind)
{
	static const struct {
		const char *pattern;
		enum barrier_kind kind;
	} rows[] = {
		{ "bar.cta?.sync", BARRIER_SYNC },
		{ "bar.cta?.arrive", BARRIER_ARRIVE },
		{ "bar.cta?.red.popc.u32", BARRIER_POPC },
		{ "bar.cta?.red.and.pred", BARRIER_AND },
		{ "bar.cta?.red.or.pred", BARRIER_OR },
		{ "barrier.cta?.sync.aligned?", BARRIER_SYNC },
		{ "barrier.cta?.arrive.aligned?", BARRIER_ARRIVE },
		{ "barrier.cta?.red.popc.aligned?.u32", BARRIER_POPC },
		{ "barrier.cta?.red.and.aligned?.pred", BARRIER_AND },
		{ "barrier.cta?.red.or.aligned?.pred", BARRIER_OR },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (opcode_matches(&l->opcode, rows[i].pattern)) {
			*kind = rows[i].kind;
			return 0;
		}
	}
	return lower_unsupported(l);
}

/* Checks an immediate number of a barrier (@bit 0), or count of its threads. */
static int check_number(struct lowering *l, const struct operand *operand, unsigned bit,
			enum barrier_kind kind)
{
	uint32_t value = (uint32_t)operand->value;

	if (operand->kind != OPERAND_INTEGER)
		return 0;
	if (!bit && (uint64_t)operand->value >= BARRIERS)
		return lower_fail(l, GPURUN_FORMAT, "names barrier %lld, where the last is %d",
				  (long long)operand->value, BARRIERS - 1);
	if (bit && value % LANES)
		return lower_fail(l, GPURUN_FORMAT, "is for %u threads, which are no whole warps",
				  value);
	if (bit && !value && kind == BARRIER_ARRIVE)
		return lower_fail(l, GPURUN_FORMAT,
				  "arrives and does not say for how many threads");
	return 0;
}

/* A number that may be the same for all lanes: a slot, or a row when bit @bit of *@rows is set. */
static int barrier_number(struct lowering *l, const struct operand *operand, unsigned bit,
			  enum barrier_kind kind, int32_t *at, int32_t *rows)
{
	bool scalar;

	TRY(check_number(l, operand, bit, kind));
	TRY(source_scalar(l, operand, 4, ELEMENT_BITS, &scalar, at));
	if (scalar)
		return 0;
	*rows |= 1 << bit;
	return source_row(l, operand, 4, ELEMENT_BITS, false, at);
}

/* bar.sync, bar.arrive, bar.red and their spellings as barrier; bar.warp.sync. */
int lower_barrier(struct lowering *l)
{
	const struct operand *operand = l->operands;
	int32_t id, count, d = 0, p = 0, rows = 0;
	enum barrier_kind kind = BARRIER_SYNC;
	bool aligned = l->insn->base == INSN_BAR || opcode_has(&l->opcode, "aligned");

	if (opcode_matches(&l->opcode, "bar.warp.sync"))
		return lower_warp_barrier(l);
	if (l->insn->base == INSN_BARRIER && opcode_remove(&l->opcode, "cluster"))
		return lower_cluster_barrier(l);
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
	TRY(barrier_number(l, operand, 0, kind, &id, &rows));
	TRY(constant_slot(l, 0, BASE_NONE, &count));
	if (l->insn->count == (kind >= BARRIER_POPC ? 4 : 2))
		TRY(barrier_number(l, operand + 1, 1, kind, &count, &rows));
	TRY(emit(l, HANDLER_barrier, d, id, count, rows,
		 (int64_t)p << BARRIER_SHIFT | (aligned ? BARRIER_ALIGNED : 0) | kind));
	return kind == BARRIER_POPC ? result_done(l, l->operands, 4, false, d) : 0;
}

/* All fences are the host's strongest one: every access is an ordinary one here. */
int lower_fence(struct lowering *l)
{
	static const struct {
		const char *pattern;
		unsigned operands;
	} rows[] = {
		{ "membar.cta/gl/sys", 0 },
		{ "membar.proxy.alias", 0 },
		{ "fence.sc/acq_rel/acquire/release?.cta/cluster/gpu/sys", 0 },
		{ "fence.acquire.sync_restrict::shared::cluster.cluster", 0 },
		{ "fence.release.sync_restrict::shared::cta.cluster", 0 },
		{ "fence.mbarrier_init.release.cluster", 0 },
		{ "fence.proxy.alias", 0 },
		{ "fence.proxy.async.global/shared::cta/shared::cluster?", 0 },
		{ "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", 0 },
		{ "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", 0 },
		{ "fence.proxy.tensormap::generic.release.cta/cluster/gpu/sys", 0 },
		{ "fence.proxy.tensormap::generic.acquire.cta/cluster/gpu/sys", 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!opcode_matches(&l->opcode, rows[i].pattern))
			continue;
		TRY(expect_operands(l, rows[i].operands));
		TRY(emit(l, HANDLER_fence, 0, 0, 0, 0, 0));
		return check_fence(l);
	}
	return lower_unsupported(l);
}

/* Moves a local address of 64 bits in @row to @operand. */
static int stack_result(struct lowering *l, const struct operand *operand, int32_t row,
			unsigned size)
{
	int32_t d;

	if (operand->kind == OPERAND_REGISTER && register_size(l, operand->index) != size)
		return lower_fail(l, GPURUN_FORMAT, "has a register of another width");
	TRY(result_row(l, operand, size, &d));
	TRY(resize(l, d, size, row, 8, false));
	return result_done(l, operand, size, false, d);
}

/* Stacks have room after the frames, and begin at multiples of @align. */
static void use_stack(struct lowering *l, uint32_t align)
{
	if (align > l->stack_align)
		l->stack_align = align;
}

/* alloca d, bytes{, alignment}; stacksave d; stackrestore a */
int lower_stack(struct lowering *l)
{
	bool allocate = l->insn->base == INSN_ALLOCA;
	bool restore = l->insn->base == INSN_STACKRESTORE;
	unsigned size = type_size(l->opcode.types[0]);
	int64_t align = 8;
	int32_t row, bytes = 0;

	if (l->opcode.part_count != 1 ||
	    (l->opcode.types[0] != TYPE_U32 && l->opcode.types[0] != TYPE_U64))
		return lower_unsupported(l);
	if (restore) {
		TRY(expect_operands(l, 1));
		if (l->operands[0].kind == OPERAND_REGISTER &&
		    register_size(l, l->operands[0].index) != size)
			return lower_fail(l, GPURUN_FORMAT, "has a register of another width");
		TRY(source_row(l, &l->operands[0], 8, ELEMENT_BITS, false, &row));
		use_stack(l, 8);
		return emit(l, HANDLER_stack_restore, 0, row, 0, 0, 0);
	}
	if (l->insn->count < 1u + allocate || l->insn->count > 1u + 2 * allocate)
		return expect_operands(l, 1u + allocate);
	if (allocate)
		TRY(source_row(l, &l->operands[1], 8, ELEMENT_BITS, false, &bytes));
	if (l->insn->count == 3) {
		align = l->operands[2].value;
		if (l->operands[2].kind != OPERAND_INTEGER || align < 1 || (align & (align - 1)))
			return lower_fail(l, GPURUN_FORMAT, "has an alignment that is no power "
					  "of two");
	}
	use_stack(l, align < MOST_ALIGN ? (uint32_t)align : MOST_ALIGN);
	row = scratch_row(l);
	TRY(emit(l, allocate ? HANDLER_stack_allocate : HANDLER_stack_save, row, bytes,
		 (int32_t)l->now->frame, 0, align));
	if (allocate)
		TRY(check_allocated(l, row, bytes));
	return stack_result(l, &l->operands[0], row, size);
}

/* prefetchu: of a generic address, which no constant variable has. */
static int check_uniform(struct lowering *l)
{
	const struct operand *address = l->operands;
	const struct symbol *symbol;

	if (address->kind != OPERAND_ADDRESS || address->base != OPERAND_VARIABLE)
		return 0;
	symbol = &l->body->symbols[address->index];
	if (symbol->space != PTX_CONST)
		return 0;
	return lower_fail(l, GPURUN_FORMAT, "names '%.*s', which is in another state space",
			  (int)symbol->name.length, symbol->name.text);
}

/* Instructions without an effect that a program can see here. */
int lower_nothing(struct lowering *l)
{
	static const struct {
		const char *pattern;
		unsigned operands;
	} rows[] = {
		{ "griddepcontrol.launch_dependents/wait", 0 },
		{ "setmaxnreg.inc/dec.sync.aligned.u32", 1 },
		{ "prefetch.global/local?.L1/L2", 1 },
		{ "prefetch.global?.L2::evict_last/L2::evict_normal", 1 },
		{ "prefetch.const/param?.tensormap", 1 },
		{ "prefetchu.L1", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!opcode_matches(&l->opcode, rows[i].pattern))
			continue;
		TRY(expect_operands(l, rows[i].operands));
		return l->insn->base == INSN_PREFETCHU ? check_uniform(l) : 0;
	}
	return lower_unsupported(l);
}

/* pmevent event; pmevent.mask events: of 16 */
int lower_event(struct lowering *l)
{
	bool mask = opcode_remove(&l->opcode, "mask");
	int64_t most = mask ? UINT16_MAX : 15;
	const struct operand *event = l->operands;

	TRY(expect_operands(l, 1));
	if (l->opcode.part_count)
		return lower_unsupported(l);
	if (event->kind != OPERAND_INTEGER || event->value < 0 || event->value > most)
		return lower_fail(l, GPURUN_FORMAT, "needs a number from 0 to %d", (int)most);
	return 0;
}

int lower_simple(struct lowering *l)
{
	static const struct {
		const char *pattern;
		enum handler handler;
		unsigned operands;
	} simple[] = {
		{ "nanosleep.u32", HANDLER_nanosleep, 1 },
		{ "trap", HANDLER_trap, 0 },
		{ "brkpt", HANDLER_trap, 0 }, /* without a debugger, the launch ends */
	};

	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++) {
		if (!opcode_matches(&l->opcode, simple[i].pattern))
			continue;
		TRY(expect_operands(l, simple[i].operands));
		return emit(l, simple[i].handler, 0, 0, 0, 0, 0);
	}
	return lower_unsupported(l);
}
