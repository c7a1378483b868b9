/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loads and stores, by the kinds of their addresses: one for all lanes, one number and constants,
 * or a vector. access_check.c has the checks before them.
 */
#include "accesses.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

enum { PIECES = 4 };

/* ---- Loads ------------------------------------------------------------------------------ */

/* The element at @from, for all lanes that load it: result @i of @insn, shared or a vector. */
static void load_one(struct compile *c, const struct ir_insn *insn, unsigned i,
		     struct x86_operand from)
{
	const uint32_t value = insn->d[i];
	const unsigned bytes = insn->size;
	static const uint16_t broadcasts[] = { [1] = X86_vpbroadcastb, [2] = X86_vpbroadcastw,
					       [4] = X86_vpbroadcastd, [8] = X86_vpbroadcastq };
	struct x86_operand result;

	if (!in_vectors(c, value) && c->places[value].alone && !c->places[value].stored &&
	    value_of(c, value)->bytes == bytes) {
		value_repeat(c, value, from);
		return;
	}
	if (!in_vectors(c, value)) {
		result = value_result(c, value);
		if (bytes <= 2)
			EMIT(movzx, x86_r32(result.number), x86_sized(from, bytes));
		else
			EMIT(mov, x86_gpr(bytes, result.number), from);
		value_done(c, value, result);
		return;
	}
	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip to = strip_result(c, value, strip);
		const bool keeps = insn->guard != IR_NONE && !insn->whole;
		const struct strip loaded = keeps ? spare_result(c, value_of(c, value), to) : to;

		for (unsigned part = 0; part < part_count(bytes); part++)
			x86_emit(c->x, broadcasts[bytes], loaded.part[part],
				 x86_sized(from, bytes));
		if (keeps)
			strip_keep(c, insn, strip, to, loaded);
		strip_done(c, value, strip, to);
	}
}

/* Copies what one access reads or writes: at most 16 bytes, in a register. */
static void copy_piece(struct compile *c, struct x86_operand to, struct x86_operand from,
		       unsigned bytes)
{
	const struct x86_operand piece = bytes == 16 ? scratch_vector(c, 16, 0) :
						       x86_gpr(bytes, X86_RCX);

	if (bytes == 16) {
		EMIT(vmovaps, piece, x86_sized(from, 16));
		EMIT(vmovaps, x86_sized(to, 16), piece);
	} else {
		EMIT(mov, piece, from);
		EMIT(mov, to, piece);
	}
}

/* Vectors of one address: one access, then its elements. */
static void load_uniform(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct span span = access_span(c->ir, insn);
	const uint32_t unit = (uint32_t)insn->size * insn->count;
	const struct x86_operand copy = x86_at(X86_RSP, 0);

	access_check_span(c, index, &span);
	if (insn->count == 1) {
		load_one(c, insn, 0, x86_at(X86_RAX, 0));
		return;
	}
	for (uint32_t at = 0; at < unit; at += 16)
		copy_piece(c, x86_at(X86_RSP, (int32_t)at), x86_at(X86_RAX, (int32_t)at),
			   unit < 16 ? unit : 16);
	for (unsigned i = 0; i < insn->count; i++) {
		struct x86_operand from = copy;

		from.displacement = (int32_t)(i * insn->size);
		load_one(c, insn, i, from);
	}
}

enum part_layout access_layout(const int64_t *steps, unsigned lanes, unsigned bytes)
{
	bool same = true, run = true;

	for (unsigned l = 1; l < lanes; l++) {
		same &= steps[l] == steps[0];
		run &= steps[l] == steps[0] + (int64_t)(l * bytes);
	}
	return same ? LAYOUT_SAME : run ? LAYOUT_RUN : LAYOUT_OTHER;
}

/*
 * How many pieces, of 16 bytes at least, a part of @lanes has to have so that each is one of the
 * layouts in @layouts, as in blocks whose x is 4 or 8; 0: there is no such number.
 */
static unsigned pieces_of(const struct compile *c, const int64_t *steps, unsigned lanes,
			  unsigned bytes, enum part_layout layouts[PIECES])
{
	const unsigned most = bytes < 4 ? 0 : c->vector / 16;

	for (unsigned count = 2; count <= most; count *= 2) {
		bool known = true;

		for (unsigned i = 0; i < count; i++) {
			layouts[i] = access_layout(steps + i * lanes / count, lanes / count, bytes);
			known &= layouts[i] != LAYOUT_OTHER;
		}
		if (known)
			return count;
	}
	return 0;
}

/* Moves piece @i of a vector that has @count, from or to a register or memory. */
static void insert_piece(struct compile *c, struct x86_operand to, struct x86_operand piece,
			 unsigned count, unsigned i)
{
	const uint16_t name = c->vector == 32 ? X86_vinserti128 :
			      count == 2      ? X86_vinserti64x4 : X86_vinserti32x4;

	x86_emit(c->x, name, to, to, piece, x86_immediate(i));
}

static void extract_piece(struct compile *c, struct x86_operand to, struct x86_operand from,
			  unsigned count, unsigned i)
{
	const uint16_t name = c->vector == 32 ? X86_vextracti128 :
			      count == 2      ? X86_vextracti64x4 : X86_vextracti32x4;

	x86_emit(c->x, name, to, from, x86_immediate(i));
}

/* The lanes of a part whose @count pieces have one place each, or a run. */
static void load_pieces(struct compile *c, const struct ir_insn *insn, const struct span *span,
			struct x86_operand to, unsigned first, unsigned count,
			const enum part_layout *layouts)
{
	const unsigned lanes = c->vector / insn->size, size = c->vector / count;

	for (unsigned i = 0; i < count; i++) {
		const unsigned lane = first + i * lanes / count;
		const struct x86_operand from = access_memory(c, insn, span, lane);
		const struct x86_operand piece = i ? scratch_vector(c, size, 0) :
						     x86_vector(size, to.number);

		const bool run = layouts[i] == LAYOUT_RUN;

		if (!run)
			access_load_same(c, piece, from, insn->size);
		else if (!i)
			EMIT(vmovups, piece, x86_sized(from, size));
		if (i)
			insert_piece(c, to, run ? x86_sized(from, size) : piece, count, i);
	}
}

/* The lanes of a part, each from its own place. */
static void load_places(struct compile *c, const struct ir_insn *insn, const struct span *span,
			struct x86_operand to, unsigned first)
{
	const unsigned bytes = insn->size, lanes = c->vector / (bytes > 4 ? bytes : 4);
	const struct x86_operand indices = scratch_vector(c, lanes * 4, 0);
	enum part_layout layouts[PIECES];
	const unsigned pieces = pieces_of(c, span->steps + first, lanes, bytes, layouts);
	int32_t places[16];

	if (pieces) {
		load_pieces(c, insn, span, to, first, pieces, layouts);
		return;
	}
	if (bytes <= 2) {
		access_insert(c, insn, span, to, first);
		return;
	}
	if (access_load_window(c, insn, span, to, first))
		return;
	for (unsigned l = 0; l < lanes; l++)
		places[l] = (int32_t)(span->steps[first + l] - span->least);
	EMIT(vmovups, indices, x86_constant(c->x, places, lanes * 4));
	access_gather(c, to, &(struct gather){ indices, (uint8_t)bytes, 4, 1, 0 });
}

void access_load_span(struct compile *c, uint32_t index, const struct span *span, bool some)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const unsigned bytes = insn->size, lanes = 32 / c->strips / part_count(bytes);
	const bool keeps = some && !insn->whole;

	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip result = strip_result(c, insn->d[0], strip);
		const struct strip to =
			keeps ? spare_result(c, value_of(c, insn->d[0]), result) : result;

		for (unsigned part = 0; part < part_count(bytes); part++) {
			const unsigned first = strip * (32 / c->strips) + part * lanes;
			const struct x86_operand from = access_memory(c, insn, span, first);
			const enum part_layout layout =
				access_layout(span->steps + first, lanes, bytes);

			if (layout == LAYOUT_RUN)
				access_load_part(c, to.part[part], from, bytes);
			else if (layout == LAYOUT_SAME)
				access_load_same(c, to.part[part], from, bytes);
			else
				load_places(c, insn, span, to.part[part], first);
		}
		if (keeps)
			strip_keep(c, insn, strip, result, to);
		strip_done(c, insn->d[0], strip, result);
	}
}

static void load_pattern(struct compile *c, uint32_t index)
{
	const struct span span = access_span(c->ir, &c->ir->insns[index]);

	access_check_span(c, index, &span);
	access_load_span(c, index, &span, false);
}

bool access_known(const struct ir *ir, const struct ir_insn *insn)
{
	const struct ir_value *address = &ir->values[insn->a[0]];
	const struct span span = access_span(ir, insn);

	if (insn->size > 8 || access_unit(insn) > 32 ||
	    (insn->op == IR_ATOMIC && !access_masks(ir, insn)))
		return false;
	if (address->kind == KIND_UNIFORM)
		return true;
	if (insn->count > 1 && insn->size < 4)
		return false;
	if (address->kind == KIND_PATTERN)
		return span_bytes(&span) < MOST_SPAN;
	/* An address of 32 bits and what is added to it have a sum that does not wrap around, once
	 * both are signed. */
	return access_bytes(insn) == 8 ||
	       ((int32_t)insn->imm >= INT32_MIN / 2 && (int32_t)insn->imm <= INT32_MAX / 2);
}

bool access_leaves(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];

	if (value_of(c, insn->a[0])->kind != KIND_PATTERN || access_span(c->ir, insn).aligned)
		return false;
	EMIT(jmp, x86_to(way_out(c, index, WAY_INTERPRET)));
	return true;
}

static void load_all(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const enum kind kind = (enum kind)value_of(c, insn->a[0])->kind;

	if (access_leaves(c, index))
		return;
	if (kind == KIND_UNIFORM)
		load_uniform(c, index);
	else if (insn->count > 1)
		access_load_group(c, index);
	else if (kind == KIND_PATTERN)
		load_pattern(c, index);
	else
		access_load_lanes(c, index);
}

void step_load(struct compile *c, uint32_t index)
{
	if (c->ir->insns[index].guard == IR_NONE)
		load_all(c, index);
	else
		access_masked(c, index, load_all);
}

/* ---- Stores ------------------------------------------------------------------------------ */

/* Stores what is in one strip and part to @to. */
static void store_source(struct compile *c, const struct ir_insn *insn, struct strip from,
			 unsigned part, struct x86_operand to)
{
	const unsigned free = scratch_vector(c, 16, 0).number;

	part_store(c, to, part_register(c, from.part[part], insn->size, free), insn->size);
}

/* The lanes of a part whose pieces are runs: false where they are not. */
static bool store_pieces(struct compile *c, const struct ir_insn *insn, struct strip from,
			 unsigned part, const struct span *span, unsigned first)
{
	const unsigned bytes = insn->size, lanes = 32 / c->strips / part_count(bytes);
	const int64_t *steps = span->steps + first;
	enum part_layout layouts[PIECES];
	const unsigned count = pieces_of(c, steps, lanes, bytes, layouts);
	struct x86_operand all;

	if (!count)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (layouts[i] != LAYOUT_RUN)
			return false;
	all = part_register(c, from.part[part], bytes, scratch_vector(c, 16, 0).number);
	for (unsigned i = 0; i < count; i++) {
		const unsigned size = c->vector / count;
		const struct x86_operand to = x86_sized(
			access_memory(c, insn, span, first + i * lanes / count), size);

		if (i)
			extract_piece(c, to, all, count, i);
		else
			EMIT(vmovups, to, x86_vector(size, all.number));
	}
	return true;
}

/* The lanes of a part, from lane @first on, each to its own place. */
static void store_lanes(struct compile *c, const struct ir_insn *insn, struct strip from,
			unsigned part, const struct span *span, unsigned first)
{
	const unsigned bytes = insn->size, lanes = 32 / c->strips / part_count(bytes);
	const unsigned free = scratch_vector(c, 16, 0).number;
	const int64_t *steps = span->steps + first;

	if (bytes >= 4 &&
	    access_store_window(c, insn, span, part_register(c, from.part[part], bytes, free),
				first))
		return;
	store_source(c, insn, from, part, x86_at(X86_RSP, AT_ELEMENTS));
	for (unsigned l = 0; l < lanes; l++) {
		const struct x86_operand to = x86_at(X86_RAX, (int32_t)(steps[l] - span->least));
		const struct x86_operand copy = x86_at(X86_RSP, AT_ELEMENTS + (int32_t)(l * bytes));

		if (bytes <= 2)
			EMIT(movzx, x86_r32(X86_RCX), x86_sized(copy, bytes));
		else
			EMIT(mov, x86_gpr(bytes, X86_RCX), copy);
		EMIT(mov, to, x86_gpr(bytes, X86_RCX));
	}
}

static void store_pattern(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct span span = access_span(c->ir, insn);
	const unsigned bytes = insn->size, lanes = 32 / c->strips / part_count(bytes);

	access_check_span(c, index, &span);
	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip from = exact_source(c, insn->a[1], bytes, strip, 0);

		for (unsigned part = 0; part < part_count(bytes); part++) {
			const unsigned first = strip * (32 / c->strips) + part * lanes;

			if (access_layout(span.steps + first, lanes, bytes) == LAYOUT_RUN)
				store_source(c, insn, from, part,
					     access_memory(c, insn, &span, first));
			else if (!store_pieces(c, insn, from, part, &span, first))
				store_lanes(c, insn, from, part, &span, first);
		}
	}
}

/* Brings element @i of the last lane into register rcx. */
static void last_element(struct compile *c, const struct ir_insn *insn, unsigned i)
{
	const uint32_t value = insn->a[1 + i];
	const unsigned bytes = insn->size, strip = c->strips - 1, part = part_count(bytes) - 1;
	const struct x86_operand copy = x86_at(X86_RSP, AT_ELEMENTS);
	struct x86_operand from;

	if (in_vectors(c, value)) {
		store_source(c, insn, exact_source(c, value, bytes, strip, 0), part, copy);
		from = x86_at(X86_RSP, AT_ELEMENTS + (int32_t)(part_bytes(c, bytes) - bytes));
		if (bytes <= 2)
			EMIT(movzx, x86_r32(X86_RCX), x86_sized(from, bytes));
		else
			EMIT(mov, x86_gpr(bytes, X86_RCX), from);
		return;
	}
	from = value_source(c, value, bytes, X86_RCX);
	if (from.kind == X86_IMMEDIATE)
		load_number(c, X86_RCX, from.value);
	else if (from.kind != X86_GPR || from.number != X86_RCX)
		EMIT(mov, x86_r64(X86_RCX), from);
}

/* One address: of all lanes the last one's elements stay. */
static void store_uniform(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct span span = access_span(c->ir, insn);
	const unsigned bytes = insn->size, unit = access_unit(insn);

	access_check_span(c, index, &span);
	for (unsigned i = 0; i < insn->count; i++) {
		const struct x86_operand copy = x86_at(X86_RSP, AT_LANES + (int32_t)(i * bytes));

		last_element(c, insn, i);
		EMIT(mov, insn->count == 1 ? x86_at(X86_RAX, 0) : copy, x86_gpr(bytes, X86_RCX));
	}
	for (unsigned at = 0; insn->count > 1 && at < unit; at += 16)
		copy_piece(c, x86_at(X86_RAX, (int32_t)at),
			   x86_at(X86_RSP, AT_LANES + (int32_t)at), unit < 16 ? unit : 16);
}

static void store_all(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const enum kind kind = (enum kind)value_of(c, insn->a[0])->kind;

	if (access_leaves(c, index))
		return;
	if (kind == KIND_UNIFORM)
		store_uniform(c, index);
	else if (insn->count > 1)
		access_store_group(c, index);
	else if (kind == KIND_PATTERN)
		store_pattern(c, index);
	else
		access_store_lanes(c, index);
}

void step_store(struct compile *c, uint32_t index)
{
	if (c->ir->insns[index].guard == IR_NONE)
		store_all(c, index);
	else
		access_masked(c, index, store_all);
}
