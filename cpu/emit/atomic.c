/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Atomic operations on memory, lane after lane, in the order of lanes: several of them may be for
 * one place. As with the interpreter those on shared memory are no atomic operations of the host,
 * since one of its threads at a time runs a block.
 *
 * Where one address is that of all lanes, memory is read and written one time: what lanes see of
 * each other is computed in a register.
 *
 * In the frame are the addresses of lanes, at AT_LANES, and what they have: AT_ELEMENTS, which
 * becomes what memory had, and AT_SWAPS. Registers: rsi, the memory that addresses are added to;
 * rdi, the lane; r8, the lanes that are left; rdx, the address of the lane; rax, what memory has;
 * rcx, what it becomes.
 */
#include "accesses.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

enum { EACH = 32 }; /* the lane in rdi */

struct atomic {
	struct compile *c;
	const struct ir_insn *insn;
	uint32_t index;
	bool shared;               /* only this thread of the host is there */
	bool result;               /* it is needed */
	bool counts;               /* the source is this number: */
	int64_t number;
	unsigned old_at;           /* where in the frame results are put */
};

/* How what memory becomes, rcx, is made of what it has, rax. */
enum make { MAKE_COMPUTED, MAKE_CHOSEN, MAKE_SET, MAKE_SWAPPED, MAKE_COUNTED, MAKE_ADDED };

static const struct {
	uint8_t make;              /* enum make */
	uint16_t name;             /* of the instruction that does it */
} makes[] = {
	[ATOMIC_ADD] = { MAKE_COMPUTED, X86_add },
	[ATOMIC_AND] = { MAKE_COMPUTED, X86_and },
	[ATOMIC_OR] = { MAKE_COMPUTED, X86_or },
	[ATOMIC_XOR] = { MAKE_COMPUTED, X86_xor },
	[ATOMIC_EXCH] = { MAKE_SET, X86_mov },
	[ATOMIC_CAS] = { MAKE_SWAPPED, X86_cmove },
	[ATOMIC_MIN_U] = { MAKE_CHOSEN, X86_cmovbe },
	[ATOMIC_MAX_U] = { MAKE_CHOSEN, X86_cmovae },
	[ATOMIC_MIN_S] = { MAKE_CHOSEN, X86_cmovle },
	[ATOMIC_MAX_S] = { MAKE_CHOSEN, X86_cmovge },
	[ATOMIC_INC] = { MAKE_COUNTED, X86_inc },
	[ATOMIC_DEC] = { MAKE_COUNTED, X86_dec },
	[ATOMIC_ADD_F] = { MAKE_ADDED, X86_vaddss },
};

static struct x86_operand lane_register(const struct atomic *a, unsigned number)
{
	return x86_gpr(a->insn->size, number);
}

/* What @lane has in the frame at @frame_at. */
static struct x86_operand in_frame(const struct atomic *a, unsigned frame_at, unsigned lane)
{
	const unsigned size = a->insn->size;

	if (lane == EACH)
		return x86_sized(x86_indexed(X86_RSP, X86_RDI, size, (int32_t)frame_at), size);
	return x86_sized(x86_at(X86_RSP, (int32_t)(frame_at + lane * size)), size);
}

static struct x86_operand source_of(const struct atomic *a, unsigned lane)
{
	return a->counts ? x86_immediate(a->number) : in_frame(a, AT_ELEMENTS, lane);
}

/* Other threads of the host wait for what follows. */
static void emit_lock(const struct atomic *a)
{
	if (!a->shared)
		x86_emit_all(a->c->x, X86_lock, NULL, 0);
}

/* ---- What memory becomes -------------------------------------------------------------------- */

/* A sum, whose NaN is the canonical one if it is of f32; of two NaNs of f64 it is the source's. */
static void make_sum(const struct atomic *a, struct x86_operand source)
{
	struct compile *c = a->c;
	const struct x86_operand sum = x86_xmm(SELECT_FIRST_AVX2);
	const struct x86_operand old = x86_xmm(SELECT_FIRST_AVX2 + 1);
	const uint32_t on = x86_label(c->x);

	if (a->insn->size == 8) {
		EMIT(vmovq, old, x86_r64(X86_RAX));
		EMIT(vmovq, sum, source);
		EMIT(vaddsd, sum, sum, old);
		EMIT(vmovq, x86_r64(X86_RCX), sum);
		return;
	}
	EMIT(vmovd, sum, x86_r32(X86_RAX));
	EMIT(vaddss, sum, sum, source);
	EMIT(vucomiss, sum, sum);
	EMIT(vmovd, x86_r32(X86_RCX), sum);
	EMIT(jnp, x86_to(on));
	load_number(c, X86_RCX, 0x7fffffff);
	x86_bind(c->x, on);
}

/* One more, but 0 from @source on; one less, but @source where that is 0 or more than @source. */
static void make_count(const struct atomic *a, struct x86_operand source)
{
	struct compile *c = a->c;
	const struct x86_operand old = lane_register(a, X86_RAX), new = lane_register(a, X86_RCX);
	const bool up = a->insn->row == ATOMIC_INC;
	const uint32_t on = x86_label(c->x);

	EMIT(lea, new, x86_at(X86_RAX, up ? 1 : -1));
	EMIT(cmp, up ? old : new, source);
	EMIT(jb, x86_to(on));
	EMIT(mov, new, up ? x86_immediate(0) : source);
	x86_bind(c->x, on);
}

static void make_new(const struct atomic *a, unsigned lane)
{
	struct compile *c = a->c;
	const struct x86_operand old = lane_register(a, X86_RAX), new = lane_register(a, X86_RCX);
	const struct x86_operand source = source_of(a, lane);
	const enum x86_name name = (enum x86_name)makes[a->insn->row].name;

	switch ((enum make)makes[a->insn->row].make) {
	case MAKE_COMPUTED:
		EMIT(mov, new, old);
		x86_emit(c->x, name, new, source);
		break;
	case MAKE_CHOSEN:
		EMIT(mov, new, source);
		EMIT(cmp, old, new);
		x86_emit(c->x, name, new, old);
		break;
	case MAKE_SET:
		EMIT(mov, new, source);
		break;
	case MAKE_SWAPPED:
		EMIT(mov, new, old);
		EMIT(cmp, old, source);
		x86_emit(c->x, name, new, in_frame(a, AT_SWAPS, lane));
		break;
	case MAKE_COUNTED:
		make_count(a, source);
		break;
	case MAKE_ADDED:
		make_sum(a, source);
		break;
	}
}

/* ---- One lane ------------------------------------------------------------------------------ */

/* Tells whether one instruction does it. */
static bool is_simple(const struct atomic *a)
{
	return makes[a->insn->row].make == MAKE_COMPUTED && !a->result;
}

/* One instruction, but for shared memory, where it would lock; returns what has the old element. */
static struct x86_operand exchange(const struct atomic *a, struct x86_operand memory, unsigned lane)
{
	struct compile *c = a->c;
	const struct x86_operand new = lane_register(a, X86_RCX), old = lane_register(a, X86_RAX);

	EMIT(mov, new, source_of(a, lane));
	if (a->insn->row == ATOMIC_ADD) {
		emit_lock(a);
		EMIT(xadd, memory, new);
		return new;
	}
	if (!a->shared) {
		EMIT(xchg, memory, new);
		return new;
	}
	EMIT(mov, old, memory);
	EMIT(mov, memory, new);
	return old;
}

static struct x86_operand swap(const struct atomic *a, struct x86_operand memory, unsigned lane)
{
	struct compile *c = a->c;
	const struct x86_operand old = lane_register(a, X86_RAX), new = lane_register(a, X86_RCX);

	EMIT(mov, old, source_of(a, lane));
	EMIT(mov, new, in_frame(a, AT_SWAPS, lane));
	emit_lock(a);
	EMIT(cmpxchg, memory, new);
	return old;
}

static struct x86_operand update(const struct atomic *a, struct x86_operand memory, unsigned lane)
{
	struct compile *c = a->c;
	const struct x86_operand old = lane_register(a, X86_RAX), new = lane_register(a, X86_RCX);
	const uint32_t again = x86_label(c->x);

	EMIT(mov, old, memory);
	x86_bind(c->x, again);
	make_new(a, lane);
	if (a->shared) {
		EMIT(mov, memory, new);
		return old;
	}
	emit_lock(a);
	EMIT(cmpxchg, memory, new);
	EMIT(jne, x86_to(again));
	return old;
}

/* What @lane does with its element in @memory. */
static void act(const struct atomic *a, struct x86_operand memory, unsigned lane)
{
	struct compile *c = a->c;
	const unsigned row = a->insn->row;
	struct x86_operand source = source_of(a, lane), old;

	memory = x86_sized(memory, a->insn->size);
	if (is_simple(a)) {
		if (!a->counts) {
			EMIT(mov, lane_register(a, X86_RCX), source);
			source = lane_register(a, X86_RCX);
		}
		emit_lock(a);
		x86_emit(c->x, (enum x86_name)makes[row].name, memory, source);
		return;
	}
	if (row == ATOMIC_EXCH || (row == ATOMIC_ADD && !a->shared))
		old = exchange(a, memory, lane);
	else if (row == ATOMIC_CAS)
		old = swap(a, memory, lane);
	else
		old = update(a, memory, lane);
	if (a->result)
		EMIT(mov, in_frame(a, a->old_at, lane), old);
}

/* ---- Lanes ----------------------------------------------------------------------------------- */

enum { AT_RDI = 0, AT_R8 = 8 };

/* Behind the check, which may leave: the base goes from rax to rsi, what lanes have to the
 * frame. */
static void begin_lanes(const struct atomic *a)
{
	struct compile *c = a->c;

	EMIT(mov, x86_at(X86_RSP, AT_RSI), x86_r64(X86_RSI));
	EMIT(mov, x86_at(X86_RSP, AT_RDI), x86_r64(X86_RDI));
	EMIT(mov, x86_at(X86_RSP, AT_R8), x86_r64(X86_R8));
	EMIT(mov, x86_r64(X86_RSI), x86_r64(X86_RAX));
	if (!a->counts)
		access_spill_elements(c, a->insn, a->insn->a[1], AT_ELEMENTS);
	if (a->insn->sources == 3)
		access_spill_elements(c, a->insn, a->insn->a[2], AT_SWAPS);
}

static void end_lanes(const struct atomic *a)
{
	struct compile *c = a->c;

	EMIT(mov, x86_r64(X86_RSI), x86_at(X86_RSP, AT_RSI));
	EMIT(mov, x86_r64(X86_RDI), x86_at(X86_RSP, AT_RDI));
	EMIT(mov, x86_r64(X86_R8), x86_at(X86_RSP, AT_R8));
}

/* The lanes in @mask; behind what each does comes next_lane(). */
static uint32_t first_lane(const struct atomic *a, struct x86_operand mask)
{
	struct compile *c = a->c;
	const uint32_t again = x86_label(c->x);

	EMIT(mov, x86_r32(X86_R8), mask);
	x86_bind(c->x, again);
	EMIT(tzcnt, x86_r32(X86_RDI), x86_r32(X86_R8));
	return again;
}

static void next_lane(const struct atomic *a, uint32_t again)
{
	struct compile *c = a->c;

	EMIT(lea, x86_r32(X86_RCX), x86_at(X86_R8, -1));
	EMIT(and, x86_r32(X86_R8), x86_r32(X86_RCX));
	EMIT(jne, x86_to(again));
}

/* By the addresses in the frame, to which @more is added. */
static void act_each(const struct atomic *a, struct x86_operand mask, int32_t more)
{
	struct compile *c = a->c;
	const unsigned bytes = access_bytes(a->insn);
	const uint32_t again = first_lane(a, mask);

	EMIT(mov, x86_gpr(bytes, X86_RDX), x86_indexed(X86_RSP, X86_RDI, bytes, AT_LANES));
	if (bytes == 4 && more) {
		EMIT(add, x86_r32(X86_RDX), x86_immediate(more));
		more = 0;
	}
	act(a, x86_indexed(X86_RSI, X86_RDX, 1, more), EACH);
	next_lane(a, again);
}

/* One address, in rsi. */
static void act_combined(const struct atomic *a, struct x86_operand mask)
{
	struct compile *c = a->c;
	const struct x86_operand memory = x86_sized(x86_at(X86_RSI, 0), a->insn->size);
	const struct x86_operand old = lane_register(a, X86_RAX), new = lane_register(a, X86_RCX);
	const struct x86_operand begin = lane_register(a, X86_RDX);
	const uint32_t retry = x86_label(c->x);
	uint32_t again;

	EMIT(mov, old, memory);
	x86_bind(c->x, retry);
	EMIT(mov, begin, old);
	again = first_lane(a, mask);
	if (a->result)
		EMIT(mov, in_frame(a, a->old_at, EACH), old);
	make_new(a, EACH);
	EMIT(mov, old, new);
	next_lane(a, again);
	if (a->shared) {
		EMIT(mov, memory, old);
		return;
	}
	EMIT(mov, new, old);
	EMIT(mov, old, begin);
	emit_lock(a);
	EMIT(cmpxchg, memory, new);
	EMIT(jne, x86_to(retry));
}

/* ---- All lanes, or some ---------------------------------------------------------------------- */

static struct x86_operand taken(void)
{
	return x86_sized(x86_at(X86_RSP, AT_TAKEN), 4);
}

/* Tells whether all lanes need no loop: what each does is short, and waits for nothing. */
static bool is_unrolled(const struct atomic *a)
{
	return is_simple(a) && (a->shared || !in_vectors(a->c, a->insn->a[0]));
}

/* The memory of @lane, whose address is a pattern; or in the frame: rdx changes. */
static struct x86_operand lane_memory(const struct atomic *a, const struct span *span,
				      unsigned lane)
{
	struct compile *c = a->c;
	const unsigned bytes = access_bytes(a->insn);
	const struct x86_operand from = x86_at(X86_RSP, AT_LANES + (int32_t)(lane * bytes));

	if (!in_vectors(c, a->insn->a[0]))
		return x86_at(X86_RSI, (int32_t)(span->steps[lane] - span->least));
	if (bytes == 4)
		EMIT(movsxd, x86_r64(X86_RDX), x86_sized(from, 4));
	else
		EMIT(mov, x86_r64(X86_RDX), from);
	return x86_indexed(X86_RSI, X86_RDX, 1, access_more(a->insn));
}

static void act_unrolled(const struct atomic *a)
{
	const struct span span = access_span(a->c->ir, a->insn);

	for (unsigned lane = 0; lane < 32; lane++)
		act(a, lane_memory(a, &span, lane), lane);
}

/* The lanes in AT_TAKEN, one after the other also where addresses are checked. */
static void act_some(const struct atomic *a)
{
	access_check_taken(a->c, a->index);
	begin_lanes(a);
	act_each(a, taken(), (int32_t)a->insn->imm);
	end_lanes(a);
}

/* All lanes, whose addresses are a pattern or a vector. */
static void act_all(const struct atomic *a)
{
	struct compile *c = a->c;
	const bool vector = in_vectors(c, a->insn->a[0]);
	const struct span span = access_span(c->ir, a->insn);

	if (!vector && !is_unrolled(a)) {
		EMIT(mov, taken(), x86_immediate(-1));
		act_some(a);
		return;
	}
	if (vector)
		access_check_lanes(c, a->index);
	else
		access_check_span(c, a->index, &span);
	begin_lanes(a);
	for (unsigned strip = 0; vector && strip < c->strips; strip++)
		access_spill(c, a->insn, strip);
	if (is_unrolled(a))
		act_unrolled(a);
	else
		act_each(a, x86_immediate(-1), access_more(a->insn));
	end_lanes(a);
}

/* One address, and the lanes in @mask. */
static void act_one(const struct atomic *a, struct x86_operand mask)
{
	const struct span span = access_span(a->c->ir, a->insn);

	access_check_span(a->c, a->index, &span);
	begin_lanes(a);
	act_combined(a, mask);
	end_lanes(a);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Tells whether an instruction behind @index may need @value. */
static bool has_reader(const struct compile *c, uint32_t index, uint32_t value)
{
	const struct ir_live *live = &c->live.insns[index + 1];

	for (uint32_t i = 0; i < live->count; i++)
		if (c->live.values[live->first + i] == value)
			return true;
	return false;
}

/* Finds the number that the source is: its row is one that a number has been spread into. */
static void find_number(struct atomic *a)
{
	const struct ir *ir = a->c->ir;
	const uint32_t first = ir->blocks[a->c->insn_blocks[a->index]].first;
	const uint32_t source = a->insn->a[1];
	const struct ir_insn *from = NULL;
	uint64_t number;

	if (makes[a->insn->row].make == MAKE_ADDED || !ir->values[source].scratch)
		return;
	for (uint32_t i = a->index; i-- > first && !from;)
		if (ir->insns[i].d[0] == source)
			from = &ir->insns[i];
	if (!from || from->op != IR_MOVE || !ir->values[from->a[0]].known)
		return;
	number = ir->values[from->a[0]].number;
	a->number = a->insn->size == 4 ? (int32_t)number : (int64_t)number;
	a->counts = a->number == (int32_t)a->number;
}

/* Brings results from the frame to where they belong. */
static void load_results(const struct atomic *a)
{
	struct compile *c = a->c;
	const struct ir_insn *insn = a->insn;
	const bool keeps = insn->guard != IR_NONE && !insn->whole;

	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip to = strip_result(c, insn->d[0], strip);
		const struct strip loaded = keeps ? spare_result(c, value_of(c, insn->d[0]), to) :
						    to;

		access_load_elements(c, insn, a->old_at, strip, loaded);
		if (keeps)
			strip_keep(c, insn, strip, to, loaded);
		strip_done(c, insn->d[0], strip, to);
	}
}

/* Jumps to @none if no lane has the guard; else those that have it are in AT_TAKEN, and eax. */
static void find_taken(const struct atomic *a, uint32_t none)
{
	struct compile *c = a->c;

	access_collect(c, a->insn);
	EMIT(test, x86_r32(X86_RAX), x86_r32(X86_RAX));
	EMIT(je, x86_to(none));
	if (way_forced(c, a->index))
		EMIT(jmp, x86_to(way_out(c, a->index, WAY_INTERPRET)));
	EMIT(mov, taken(), x86_r32(X86_RAX));
}

void step_atomic(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const bool one = value_of(c, insn->a[0])->kind == KIND_UNIFORM;
	const bool guarded = insn->guard != IR_NONE;
	const uint32_t some = x86_label(c->x), behind = x86_label(c->x), none = x86_label(c->x);
	struct atomic a = { .c = c, .insn = insn, .index = index,
			    .shared = access_is_shared(insn),
			    .result = has_reader(c, index, insn->d[0]),
			    .old_at = one ? AT_LANES : AT_ELEMENTS };

	find_number(&a);
	if (guarded)
		find_taken(&a, none);
	if (access_leaves(c, index)) {
		x86_bind(c->x, none);
		return;
	}
	if (one) {
		act_one(&a, guarded ? taken() : x86_immediate(-1));
	} else {
		if (guarded) {
			EMIT(cmp, x86_r32(X86_RAX), x86_immediate(-1));
			EMIT(jne, x86_to(some));
		}
		act_all(&a);
		if (guarded) {
			EMIT(jmp, x86_to(behind));
			x86_bind(c->x, some);
			act_some(&a);
		}
	}
	x86_bind(c->x, behind);
	if (a.result)
		load_results(&a);
	x86_bind(c->x, none);
}

void step_fence(struct compile *c)
{
	x86_emit_all(c->x, X86_lock, NULL, 0);
	EMIT(or, x86_sized(x86_at(X86_RSP, 0), 4), x86_immediate(0));
}
