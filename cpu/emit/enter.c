/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ways into a region: code in the place of an op's handler, for warps all of whose lanes run and
 * whose registers are what their kinds say. Others stay with the handler.
 */
#include "array.h"
#include "compile.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)
#define WARP(member) x86_at(AT_WARP, offsetof(struct warp, member))

/* Adds the time to warp->ticks, or subtracts it: rcx and rdx change. */
static void count_ticks(struct compile *c, bool begin)
{
	const struct x86_operand rax = x86_r64(X86_RAX), rcx = x86_r64(X86_RCX);
	const struct x86_operand rdx = x86_r64(X86_RDX);

	if (!c->request->timed)
		return;
	EMIT(mov, rcx, rax);
	x86_emit_all(c->x, X86_rdtsc, NULL, 0);
	EMIT(shl, rdx, x86_immediate(32));
	EMIT(or, rdx, rax);
	begin ? EMIT(sub, WARP(ticks), rdx) : EMIT(add, WARP(ticks), rdx);
	EMIT(mov, rax, rcx);
}

void region_rest(struct compile *c)
{
	count_ticks(c, false);
}

void region_resume(struct compile *c)
{
	count_ticks(c, true);
}

/* Restores what the caller has; rdi, rsi and rax stay. */
void region_epilogue(struct compile *c)
{
	region_rest(c);
	x86_emit_all(c->x, X86_vzeroupper, NULL, 0);
	EMIT(add, x86_r64(X86_RSP), x86_immediate(c->frame));
	for (unsigned i = 16; i-- > 0;)
		if (c->saved >> i & 1)
			EMIT(pop, x86_r64(i));
}

static void prologue(struct compile *c)
{
	FOR_BITS(i, c->saved)
		EMIT(push, x86_r64(i));
	EMIT(sub, x86_r64(X86_RSP), x86_immediate(c->frame));
	EMIT(mov, x86_r64(AT_WARP), x86_r64(X86_RDI));
	EMIT(mov, x86_r64(AT_FILE), WARP(rows));
	EMIT(mov, x86_r64(AT_HITS), WARP(hits));
	region_resume(c);
}

/*
 * Tells whether instruction @index is a barrier that writes no register and is the same one for all
 * lanes, and the region is entered right behind it.
 */
bool waits_only(const struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct op *ops = c->ir->lowering->code->ops;
	uint32_t next = insn->at + 1;

	if (handler_of(&ops[insn->at]) != HANDLER_barrier || insn->sources || ops[insn->at].c ||
	    c->insn_blocks[index] != c->insn_blocks[index + 1])
		return false;
	while (next < insn->end && handler_of(&ops[next]) == HANDLER_split)
		next++;
	return next == insn->end && (ops[insn->at].imm & BARRIER_KIND) == BARRIER_SYNC;
}

/*
 * Calls @function, after which another warp runs, at the op in rax: inside the region where this is
 * @expected, at which instruction @insn is entered.
 */
static void change_warp(struct compile *c, uintptr_t function, const struct op *expected,
			uint32_t insn)
{
	const uint32_t out = x86_label(c->x);

	region_rest(c);
	EMIT(mov, x86_r64(X86_RDI), x86_r64(AT_WARP));
	x86_emit_all(c->x, X86_vzeroupper, NULL, 0);
	call_function(c, function);
	EMIT(mov, x86_r64(X86_RDX), WARP(cta));
	EMIT(mov, x86_r64(AT_WARP), x86_at(X86_RDX, offsetof(struct cta, now)));
	region_resume(c);
	load_pointer(c, X86_RDX, expected);
	EMIT(cmp, x86_r64(X86_RAX), x86_r64(X86_RDX));
	EMIT(jne, x86_to(out));
	EMIT(cmp, x86_sized(WARP(mask), 4), x86_immediate(-1));
	EMIT(jne, x86_to(out));
	if (expected != &c->request->ops[c->ir->insns[insn].at]) {
		EMIT(cmp, x86_sized(WARP(split), 1), x86_immediate(0));
		EMIT(jne, x86_to(out));
	}
	EMIT(mov, x86_r64(AT_FILE), WARP(rows));
	EMIT(jmp, x86_to(c->entry_labels[insn] - 1));
	x86_bind(c->x, out);
	leave_to_next(c);
}

void step_exit(struct compile *c)
{
	change_warp(c, (uintptr_t)c->request->exits->exit,
		    &c->request->ops[c->ir->lowering->code->again], c->ir->blocks[0].first);
}

void step_barrier(struct compile *c, uint32_t insn)
{
	const struct op *barrier = &c->request->ops[c->ir->insns[insn].at];

	load_pointer(c, X86_RSI, barrier);
	change_warp(c, (uintptr_t)c->request->exits->barrier, barrier + 1, insn + 1);
}

/* Leaves by @bail unless the row of @value is what its kind says. */
static void check_row(struct compile *c, uint32_t value, uint32_t bail)
{
	static const uint16_t broadcasts[] = { [1] = X86_vpbroadcastb, [2] = X86_vpbroadcastw,
					       [4] = X86_vpbroadcastd, [8] = X86_vpbroadcastq };
	static const uint16_t adds[] = { [1] = X86_vpaddb, [2] = X86_vpaddw, [4] = X86_vpaddd,
					 [8] = X86_vpaddq };
	const struct ir_value *v = value_of(c, value);
	const unsigned row = 32u * v->bytes;
	const struct x86_operand base = x86_ymm(0), sum = x86_ymm(1), differs = x86_ymm(2);
	const int64_t *steps = c->ir->kinds.patterns[v->pattern];
	uint8_t all[32];

	/* No register has a value yet. */
	x86_emit(c->x, broadcasts[v->bytes], base, x86_sized(x86_at(AT_FILE, v->at), v->bytes));
	EMIT(vpxor, differs, differs, differs);
	for (unsigned at = 0; at < row; at += 32) {
		struct x86_operand want = base;

		if (v->kind == KIND_PATTERN) {
			for (unsigned i = 0; i < 32u / v->bytes; i++)
				memcpy(all + i * v->bytes, &steps[at / v->bytes + i], v->bytes);
			x86_emit(c->x, adds[v->bytes], sum, base, x86_constant(c->x, all, 32));
			want = sum;
		}
		EMIT(vpxor, sum, want, x86_at(AT_FILE, v->at + (int32_t)at));
		EMIT(vpor, differs, differs, sum);
	}
	EMIT(vptest, differs, differs);
	EMIT(jne, x86_to(bail));
}

/* Likewise what is known of the bits of lane 0. */
static void check_known(struct compile *c, uint32_t value, uint32_t bail)
{
	const struct ir_value *v = value_of(c, value);
	const struct register_kind *kind;

	if (v->reg == IR_NONE)
		return;
	kind = &c->ir->kinds.registers[v->reg];
	if (!kind->known || kind->form != VALUES_BASE)
		return;
	load_number(c, X86_RAX, ((int64_t)kind->known));
	load_number(c, X86_RCX, ((int64_t)kind->base));
	if (v->bytes == 8) {
		EMIT(and, x86_r64(X86_RAX), x86_at(AT_FILE, v->at));
	} else {
		EMIT(mov, x86_r32(X86_RDX), x86_at(AT_FILE, v->at));
		EMIT(and, x86_r64(X86_RAX), x86_r64(X86_RDX));
	}
	EMIT(cmp, x86_r64(X86_RAX), x86_r64(X86_RCX));
	EMIT(jne, x86_to(bail));
}

static void check_state(struct compile *c, uint32_t insn, uint32_t bail)
{
	const struct ir_live *live = &c->live.insns[insn];

	for (uint32_t i = 0; i < live->count; i++) {
		const uint32_t value = c->live.values[live->first + i];
		const struct ir_value *v = value_of(c, value);

		if (in_vectors(c, value))
			continue;
		if (!v->bytes) {
			EMIT(mov, x86_r32(X86_RAX), x86_at(AT_FILE, v->at));
			EMIT(add, x86_r32(X86_RAX), x86_immediate(1));
			EMIT(cmp, x86_r32(X86_RAX), x86_immediate(1));
			EMIT(ja, x86_to(bail));
		} else if (!v->slot) {
			check_row(c, value, bail);
		}
		check_known(c, value, bail);
	}
}

int entry_add(struct compile *c, uint32_t op, uint32_t insn)
{
	struct region_entry *entry;

	/* They come in the order of their ops, but for the first: where warps begin. */
	if (c->entry_count && c->entries[0].op == op)
		return 0;
	for (size_t i = c->entry_count; i-- > 1 && c->entries[i].op >= op;)
		if (c->entries[i].op == op)
			return 0;
	entry = array_grow(&c->entries, c->entry_count, sizeof(*entry));
	if (!entry)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the entries of a region");
	*entry = (struct region_entry){ op, insn, c->request->ops[op].fn };
	c->entry_labels[insn] = x86_label(c->x) + 1;
	c->entry_count++;
	return 0;
}

/* The code that replaces the handler of an op: rdi is the warp, rsi the op. */
static void emit_entry(struct compile *c, struct region_entry *entry)
{
	const uint32_t insn = entry->offset, other = x86_label(c->x), bail = x86_label(c->x);
	const uint32_t known = x86_label(c->x);
	const uint32_t block = c->insn_blocks[insn];

	code_mark(c, MARK_ENTRY, insn);
	entry->offset = (uint32_t)c->x->used;
	EMIT(cmp, x86_sized(x86_at(X86_RDI, offsetof(struct warp, mask)), 4), x86_immediate(-1));
	EMIT(jne, x86_to(other));
	prologue(c);
	x86_bind(c->x, c->entry_labels[insn] - 1);
	if (insn && c->ir->insns[insn - 1].op == IR_LEAVE && waits_only(c, insn - 1)) {
		load_pointer(c, X86_RSI, &c->request->ops[entry->op]);
		EMIT(cmp, x86_r64(X86_RSI), WARP(left));
		EMIT(mov, x86_sized(WARP(left), 8), x86_immediate(0));
		EMIT(je, x86_to(known));
	}
	check_state(c, insn, bail);
	x86_bind(c->x, known);
	state_load(c, insn);
	c->mode = MODE_UNKNOWN;
	mode_set(c, c->only_mode);
	EMIT(jmp, x86_to(c->ir->blocks[block].first == insn ? c->block_labels[block] :
							      c->insn_labels[insn] - 1));
	x86_bind(c->x, bail);
	EMIT(mov, x86_r64(X86_RDI), x86_r64(AT_WARP));
	load_pointer(c, X86_RSI, &c->request->ops[entry->op]);
	region_epilogue(c);
	x86_bind(c->x, other);
	load_number(c, X86_RAX, ((int64_t)(uintptr_t)c->request->ops[entry->op].fn));
	EMIT(jmp, x86_r64(X86_RAX));
}

void entries_emit(struct compile *c)
{
	for (size_t i = 0; i < c->entry_count && !c->x->failed; i++)
		emit_entry(c, &c->entries[i]);
}
