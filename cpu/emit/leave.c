/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ways into a region and out of it. The state of the interpreter is all registers that are
 * needed in the row file: what is in registers, or is one number and constants, is brought
 * there; nothing else of the warp changes inside a region but its budget and its mode.
 */
#include "array.h"
#include "compile.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)
#define WARP(member) x86_at(AT_WARP, offsetof(struct warp, member))

/* ---- The state ----------------------------------------------------------------------------- */

/* The row of a value that lanes share, or that is one number and constants. */
static void store_shared_row(struct compile *c, uint32_t value)
{
	static const uint16_t broadcasts[] = { [1] = X86_vpbroadcastb, [2] = X86_vpbroadcastw,
					       [4] = X86_vpbroadcastd, [8] = X86_vpbroadcastq };
	static const uint16_t adds[] = { [1] = X86_vpaddb, [2] = X86_vpaddw, [4] = X86_vpaddd,
					 [8] = X86_vpaddq };
	const struct ir_value *v = value_of(c, value);
	const unsigned row = 32u * v->bytes, size = row < c->vector ? row : c->vector;
	const struct x86_operand base = scratch_vector(c, size, 0);
	const struct x86_operand sum = scratch_vector(c, size, 1);
	const int64_t *steps = c->ir->kinds.patterns[v->pattern];
	uint8_t all[64];

	value_store(c, value);
	x86_emit(c->x, broadcasts[v->bytes], base, x86_sized(home_memory(c, value), v->bytes));
	for (unsigned at = 0; at < row; at += size) {
		const struct x86_operand to = x86_at(AT_FILE, v->at + (int32_t)at);

		if (v->kind != KIND_PATTERN) {
			EMIT(vmovups, to, base);
			continue;
		}
		for (unsigned i = 0; i < size / v->bytes; i++)
			memcpy(all + i * v->bytes, &steps[at / v->bytes + i], v->bytes);
		x86_emit(c->x, adds[v->bytes], sum, base, x86_constant(c->x, all, size));
		EMIT(vmovups, to, sum);
	}
}

/* Stores what lanes share. */
static void store_shared(struct compile *c, uint32_t value)
{
	const struct ir_value *v = value_of(c, value);

	if (!v->bytes) {
		mask_collect(c, value);
		EMIT(mov, x86_at(AT_FILE, v->at), x86_r32(X86_RAX));
	} else if (v->slot) {
		value_store(c, value);
	} else {
		store_shared_row(c, value);
	}
}

void state_store_strip(struct compile *c, uint32_t value, unsigned strip)
{
	const struct ir_value *v = value_of(c, value);
	const uint8_t mask = c->places[value].parts[strip][0];
	struct strip from;

	if (!v->bytes) {
		if (mask != NO_PLACE)
			mask_store(c, value, strip, c->select.isa == X86_AVX512 ? x86_k(mask) :
										  x86_ymm(mask));
		return;
	}
	from = exact_source(c, value, v->bytes, strip, 0);
	for (unsigned part = 0; part < part_count(v->bytes); part++)
		if (from.part[part].kind == X86_VECTOR)
			part_store(c, part_memory(c, value, strip, part), from.part[part],
				   v->bytes);
}

static void store_vector(struct compile *c, uint32_t value)
{
	const struct ir_value *v = value_of(c, value);

	if (!v->bytes) {
		mask_collect(c, value);
		EMIT(mov, part_memory(c, value, 0, 0), x86_r32(X86_RAX));
		return;
	}
	for (unsigned strip = 0; strip < c->strips; strip++)
		state_store_strip(c, value, strip);
}

void state_store_value(struct compile *c, uint32_t value)
{
	if (value_of(c, value)->bytes > 8)
		return;
	if (value_of(c, value)->made.index)
		index_store_made(c, value);
	else if (in_vectors(c, value))
		store_vector(c, value);
	else
		store_shared(c, value);
}

void state_store(struct compile *c, uint32_t insn)
{
	const struct ir_live *live = &c->live.insns[insn];

	for (uint32_t i = 0; i < live->count; i++) {
		const uint32_t value = c->live.values[live->first + i];

		if (!value_of(c, value)->temporary && !c->clean[live->first + i])
			state_store_value(c, value);
	}
}

/* Loads the registers of a vector. */
static void load_vector(struct compile *c, uint32_t value)
{
	const struct ir_value *v = value_of(c, value);
	struct value_place *place = &c->places[value];

	for (unsigned strip = 0; strip < c->strips; strip++)
		for (unsigned part = 0; part < part_count(v->bytes); part++) {
			const uint8_t number = place->parts[strip][part];
			struct strip to = strip_result(c, value, strip);
			struct x86_operand mask;

			if (number == NO_PLACE)
				continue;
			if (v->bytes) {
				part_register(c, part_memory(c, value, strip, part), v->bytes,
					      number);
				continue;
			}
			place->parts[strip][0] = NO_PLACE; /* as if it were in memory */
			mask = mask_source(c, value, strip, number);
			place->parts[strip][0] = number;
			ASSERT(mask.number == to.part[0].number);
			(void)mask, (void)to;
		}
}

/* Loads what lanes share from the row file: lane 0 of a row. */
static void load_shared(struct compile *c, uint32_t value)
{
	const struct ir_value *v = value_of(c, value);
	const struct x86_operand from = x86_at(AT_FILE, v->at);
	const bool alone = c->places[value].alone;
	const struct x86_operand to = alone ? x86_r64(X86_RAX) : value_result(c, value);

	if (v->slot) {
		if (!alone && c->places[value].gpr != NO_PLACE)
			EMIT(mov, to, from);
		value_repeat(c, value, from);
		return;
	}
	if (v->bytes == 1 || v->bytes == 2)
		EMIT(movzx, x86_r32(to.number), x86_sized(from, v->bytes));
	else if (v->bytes == 8)
		EMIT(mov, to, from);
	else
		EMIT(mov, x86_r32(to.number), from);
	value_done(c, value, to);
}

void state_load_value(struct compile *c, uint32_t value)
{
	if (value_of(c, value)->bytes > 8)
		return;
	if (in_vectors(c, value))
		load_vector(c, value);
	else
		load_shared(c, value);
}

void state_load(struct compile *c, uint32_t insn)
{
	const struct ir_live *live = &c->live.insns[insn];

	for (uint32_t i = 0; i < live->count; i++)
		state_load_value(c, c->live.values[live->first + i]);
}

/* ---- Ways out ------------------------------------------------------------------------------ */

void call_function(struct compile *c, uintptr_t function)
{
	load_number(c, X86_RAX, ((int64_t)function));
	EMIT(call, x86_r64(X86_RAX));
}

/* The interpreter executes op @op by its own handler, which may have been replaced. */
static void leave_to(struct compile *c, uint32_t op)
{
	EMIT(mov, x86_r64(X86_RDI), x86_r64(AT_WARP));
	load_pointer(c, X86_RSI, &c->request->ops[op]);
	load_number(c, X86_RAX, ((int64_t)(uintptr_t)c->request->ops[op].fn));
	region_epilogue(c);
	EMIT(jmp, x86_r64(X86_RAX));
}

void leave_to_next(struct compile *c)
{
	EMIT(mov, x86_r64(X86_RDI), x86_r64(AT_WARP));
	EMIT(mov, x86_r64(X86_RSI), x86_r64(X86_RAX));
	region_epilogue(c);
	EMIT(jmp, x86_sized(x86_at(X86_RSI, offsetof(struct op, fn)), 8));
}

/* The interpreter begins at the op of @way. No check is missed where no lane is under its guard. */
static void emit_interpret(struct compile *c, const struct way_out *way)
{
	const struct ir_insn *insn = &c->ir->insns[way->insn];

	if (insn->under != IR_NONE && insn->checked != IR_NONE) {
		partial_collect(c, insn);
		EMIT(test, x86_r32(X86_RAX), x86_r32(X86_RAX));
		EMIT(je, x86_to(way->back));
	}
	state_store(c, way->insn);
	partial_leave(c, way->insn);
	leave_to(c, insn->at);
}

/* Calls exits->reach with everything saved; al is its result. */
static void emit_miss(struct compile *c, const struct way_out *way)
{
	const struct ir_insn *insn = &c->ir->insns[way->insn];
	const uint32_t stop = x86_label(c->x);

	if (way->reach) {
		EMIT(add, x86_r64(X86_RAX),
		     x86_at(AT_HITS, (int32_t)(way->reach & ~(uint32_t)EXITS_SHARED)));
	} else {
		EMIT(sub, x86_sized(x86_at(X86_RSP, AT_TRIES), 4), x86_immediate(1));
		EMIT(js, x86_to(stop));
	}
	EMIT(mov, x86_at(X86_RSP, AT_RSI), x86_r64(X86_RSI));
	load_number(c, X86_RSI, insn->hit);
	load_number(c, X86_RCX, way->span);
	load_number(c, X86_RDX, way->reach);
	EMIT(call, x86_to(c->reach_label));
	EMIT(mov, x86_r64(X86_RSI), x86_at(X86_RSP, AT_RSI));
	EMIT(test, x86_gpr(1, X86_RAX), x86_gpr(1, X86_RAX));
	EMIT(jne, x86_to(way->back));
	x86_bind(c->x, stop);
	if (way->otherwise)
		EMIT(jmp, x86_to(way->otherwise - 1));
	else
		emit_interpret(c, way);
}

/*
 * For all misses, once: calls exits->reach for the address in rax. The call has moved rsp by 8,
 * and by 8 more it is aligned.
 */
static void emit_reach(struct compile *c)
{
	static const uint8_t gprs[] = { X86_RDI, X86_R8, X86_R9, X86_R10, X86_R11 };
	const bool avx512 = c->select.isa == X86_AVX512;
	const unsigned vectors = scratch_vector(c, 16, 0).number - 2;

	x86_bind(c->x, c->reach_label);
	for (unsigned restores = 0; restores < 2; restores++) {
		int32_t at = (int32_t)c->save_at + 8;

		for (unsigned i = 0; i < sizeof(gprs); i++, at += 8)
			restores ? EMIT(mov, x86_r64(gprs[i]), x86_at(X86_RSP, at)) :
				   EMIT(mov, x86_at(X86_RSP, at), x86_r64(gprs[i]));
		for (unsigned i = 1; avx512 && i < SELECT_MASK; i++, at += 8)
			restores ? EMIT(kmovw, x86_k(i), x86_sized(x86_at(X86_RSP, at), 2)) :
				   EMIT(kmovw, x86_sized(x86_at(X86_RSP, at), 2), x86_k(i));
		for (unsigned i = 0; i < vectors; i++, at += (int32_t)c->vector)
			restores ? EMIT(vmovups, x86_vector(c->vector, i), x86_at(X86_RSP, at)) :
				   EMIT(vmovups, x86_at(X86_RSP, at), x86_vector(c->vector, i));
		if (restores)
			break;
		EMIT(mov, x86_r64(X86_RDI), x86_r64(AT_WARP));
		EMIT(mov, x86_r64(X86_R8), x86_r64(X86_RDX));
		EMIT(mov, x86_r64(X86_RDX), x86_r64(X86_RAX));
		x86_emit_all(c->x, X86_vzeroupper, NULL, 0);
		EMIT(sub, x86_r64(X86_RSP), x86_immediate(8));
		call_function(c, (uintptr_t)c->request->exits->reach);
		EMIT(add, x86_r64(X86_RSP), x86_immediate(8));
	}
	x86_emit_all(c->x, X86_ret, NULL, 0);
}

/* Lanes that do not go the same way, or the end of the time slice. */
static void emit_turn(struct compile *c, const struct way_out *way)
{
	const struct ir_insn *insn = &c->ir->insns[way->insn];
	const struct exits *exits = c->request->exits;
	const struct op *op = &c->request->ops[insn->at];
	const bool slice = way->how == WAY_SLICE;
	const uint32_t all = x86_label(c->x);

	if (!slice)
		EMIT(mov, x86_at(X86_RSP, AT_TAKEN), x86_r32(X86_RAX));
	state_store(c, way->insn);
	if (slice && insn->skipped) {
		partial_slice(c, insn, all);
		leave_to_next(c);
		x86_bind(c->x, all);
	}
	EMIT(mov, x86_r64(X86_RDI), x86_r64(AT_WARP));
	load_pointer(c, X86_RSI, slice ? &c->request->ops[c->ir->blocks[insn->imm].op] : op);
	if (!slice)
		EMIT(mov, x86_r32(X86_RDX), x86_at(X86_RSP, AT_TAKEN));
	x86_emit_all(c->x, X86_vzeroupper, NULL, 0);
	call_function(c, slice ? (uintptr_t)exits->back_edge :
		      insn->back ? (uintptr_t)exits->diverge_back : (uintptr_t)exits->diverge);
	leave_to_next(c);
}

void ways_emit(struct compile *c)
{
	for (size_t i = 0; i < c->way_count && !c->x->failed; i++) {
		const struct way_out way = c->ways[i];

		code_mark(c, MARK_WAY_OUT, way.insn);
		x86_bind(c->x, way.label);
		if (way.how == WAY_MISS) {
			emit_miss(c, &way);
		} else if (way.how == WAY_INTERPRET) {
			emit_interpret(c, &way);
		} else {
			emit_turn(c, &way);
		}
	}
	code_mark(c, MARK_REACH, IR_NONE);
	emit_reach(c);
}

/* ---- Steps that leave ---------------------------------------------------------------------- */

/* eax = the lanes whose predicate is @negated's opposite. */
static void collect_taken(struct compile *c, const struct ir_insn *insn)
{
	mask_collect(c, insn->a[0]);
	if (insn->negated)
		EMIT(not, x86_r32(X86_RAX));
}

void step_guard(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];

	collect_taken(c, insn);
	EMIT(test, x86_r32(X86_RAX), x86_r32(X86_RAX));
	EMIT(je, x86_to(c->insn_labels[insn->imm] - 1));
	if (!in_vectors(c, insn->a[0]) || insn->skipped)
		return;
	EMIT(cmp, x86_r32(X86_RAX), x86_immediate(-1));
	EMIT(jne, x86_to(way_out(c, index, WAY_INTERPRET)));
}

void step_branch(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const uint32_t target = c->block_labels[insn->imm], on = x86_label(c->x);
	const bool fused = insn->sources && index && insn[-1].fused;

	if (insn->skipped && insn->back) {
		partial_back(c, index, way_out(c, index, WAY_SLICE));
		return;
	}
	if (insn->skipped) {
		partial_branch(c, index);
		return;
	}
	if (fused && !insn->back) {
		x86_bind(c->x, on);
		fuse_jump(c, index, target, true);
		return;
	}
	if (fused) {
		fuse_jump(c, index, on, false);
	} else if (insn->sources) {
		collect_taken(c, insn);
		EMIT(test, x86_r32(X86_RAX), x86_r32(X86_RAX));
		EMIT(je, x86_to(on));
		if (in_vectors(c, insn->a[0])) {
			EMIT(cmp, x86_r32(X86_RAX), x86_immediate(-1));
			EMIT(jne, x86_to(way_out(c, index, WAY_DIVERGE)));
		}
	}
	if (insn->back) {
		EMIT(sub, x86_sized(WARP(budget), 4), x86_immediate(1));
		EMIT(js, x86_to(way_out(c, index, WAY_SLICE)));
		if (way_forced(c, index))
			EMIT(jmp, x86_to(way_out(c, index, WAY_SLICE)));
	}
	EMIT(jmp, x86_to(target));
	x86_bind(c->x, on);
}

/* Sets warp->left to @next if its handler is an entry: entries are published one by one, and the
 * interpreter, which executes @next until then, leaves warp->left as it is. */
static void note_left(struct compile *c, const struct op *next)
{
	const uint32_t unpublished = x86_label(c->x);

	load_pointer(c, X86_RAX, next);
	load_number(c, X86_RCX, (int64_t)(uintptr_t)next->fn);
	EMIT(cmp, x86_sized(x86_at(X86_RAX, offsetof(struct op, fn)), 8), x86_r64(X86_RCX));
	EMIT(je, x86_to(unpublished));
	EMIT(mov, WARP(left), x86_r64(X86_RAX));
	x86_bind(c->x, unpublished);
}

void step_leave(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];

	if (insn->sources) {
		collect_taken(c, insn);
		EMIT(test, x86_r32(X86_RAX), x86_r32(X86_RAX));
		EMIT(jne, x86_to(way_out(c, index, WAY_INTERPRET)));
		return;
	}
	if (handler_of(&c->ir->lowering->code->ops[insn->at]) == HANDLER_exit) {
		step_exit(c);
		return;
	}
	state_store(c, index);
	/* All lanes run. Behind a guard the interpreter looks for others where that ends. */
	EMIT(mov, x86_sized(WARP(saved_mask), 4), x86_immediate(-1));
	if (insn->op == IR_LEAVE && waits_only(c, index)) {
		note_left(c, &c->request->ops[c->ir->insns[index + 1].at]);
		step_barrier(c, index);
		return;
	}
	leave_to(c, insn->at);
}
