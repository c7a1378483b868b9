/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operands of machine instructions: where values are, and how they come from there and back. */
#include "compile.h"

void load_number(struct compile *c, unsigned number, int64_t value)
{
	if (value >= 0 && value <= UINT32_MAX)
		x86_emit(c->x, X86_mov, x86_r32(number), x86_immediate(value));
	else if (value >= INT32_MIN && value < 0)
		x86_emit(c->x, X86_mov, x86_r64(number), x86_immediate(value));
	else
		x86_emit(c->x, X86_movabs, x86_r64(number), x86_immediate(value));
}

void broadcast_number(struct compile *c, struct x86_operand to, struct x86_operand from)
{
	const struct x86_operand low = x86_xmm(to.number);
	const bool wide = from.bytes == 8;

	if (from.kind == X86_GPR && c->select.isa == X86_AVX2) {
		x86_emit(c->x, wide ? X86_vmovq : X86_vmovd, low, from);
		from = low;
	}
	x86_emit(c->x, wide ? X86_vpbroadcastq : X86_vpbroadcastd, to, from);
}

/* ---- What lanes share ---------------------------------------------------------------------- */

struct x86_operand home_memory(const struct compile *c, uint32_t value)
{
	const struct ir_value *v = value_of(c, value);
	const struct value_place *place = &c->places[value];

	return place->frame >= 0 ? x86_at(X86_RSP, place->frame) : x86_at(AT_FILE, v->at);
}

/* Loads what has @have bytes in memory into register @number, with zeros above @bytes. */
static void load_narrow(struct compile *c, unsigned number, struct x86_operand from, unsigned bytes)
{
	if (bytes == 1)
		x86_emit(c->x, X86_movzx, x86_r32(number), x86_sized(from, 1));
	else if (bytes == 2)
		x86_emit(c->x, X86_movzx, x86_r32(number), x86_sized(from, 2));
	else if (bytes == 4 || !bytes)
		x86_emit(c->x, X86_mov, x86_r32(number), from);
	else
		x86_emit(c->x, X86_mov, x86_r64(number), from);
}

/* The same from a register. */
static void move_narrow(struct compile *c, unsigned number, unsigned from, unsigned bytes)
{
	if (bytes <= 2 && bytes)
		x86_emit(c->x, X86_movzx, x86_r32(number), x86_gpr(bytes, from));
	else if (bytes == 4)
		x86_emit(c->x, X86_mov, x86_r32(number), x86_r32(from));
	else
		x86_emit(c->x, X86_mov, x86_r64(number), x86_r64(from));
}

struct x86_operand value_source(struct compile *c, uint32_t value, unsigned bytes, unsigned scratch)
{
	const struct ir_value *v = value_of(c, value);
	const struct value_place *place = &c->places[value];

	ASSERT(!in_vectors(c, value));
	if (v->known)
		return x86_immediate((int64_t)(v->number & low_bits(bytes ? 8 * bytes : 64)));
	if (place->gpr != NO_PLACE && !place->alone) {
		if (v->bytes <= bytes || !bytes)
			return x86_r64(place->gpr);
		move_narrow(c, scratch, place->gpr, bytes);
		return x86_r64(scratch);
	}
	/* A row of special registers has its next lane behind the first. */
	if (v->bytes > bytes || (v->fixed && !v->slot) || !bytes) {
		load_narrow(c, scratch, home_memory(c, value), bytes);
		return x86_r64(scratch);
	}
	return x86_sized(home_memory(c, value), 8);
}

struct x86_operand value_result(struct compile *c, uint32_t value)
{
	const struct value_place *place = &c->places[value];

	return x86_r64(place->gpr != NO_PLACE ? place->gpr : X86_RAX);
}

void value_repeat(struct compile *c, uint32_t value, struct x86_operand from)
{
	const struct value_place *place = &c->places[value];

	if (place->repeated != NO_PLACE)
		broadcast_number(c, x86_vector(c->vector, place->repeated),
				 x86_sized(from, value_of(c, value)->bytes));
}

void value_done(struct compile *c, uint32_t value, struct x86_operand result)
{
	const struct value_place *place = &c->places[value];

	if (place->stored || (place->gpr == NO_PLACE && !place->alone))
		x86_emit(c->x, X86_mov, home_memory(c, value), result);
	value_repeat(c, value, result);
}

void value_store(struct compile *c, uint32_t value)
{
	const struct value_place *place = &c->places[value];

	if (place->stored)
		return;
	if (!place->alone && place->gpr != NO_PLACE) {
		x86_emit(c->x, X86_mov, home_memory(c, value), x86_r64(place->gpr));
	} else if (place->alone && value_of(c, value)->bytes == 8) {
		x86_emit(c->x, X86_vmovq, x86_sized(home_memory(c, value), 8),
			 x86_xmm(place->repeated));
	} else if (place->alone) {
		x86_emit(c->x, X86_vmovd, x86_r32(X86_RAX), x86_xmm(place->repeated));
		x86_emit(c->x, X86_mov, home_memory(c, value), x86_r64(X86_RAX));
	}
}

/* ---- Vectors ------------------------------------------------------------------------------- */

unsigned part_count(unsigned bytes)
{
	return bytes == 8 ? 2 : 1;
}

unsigned part_bytes(const struct compile *c, unsigned bytes)
{
	const unsigned size = bytes == 2 ? c->vector / 2 : bytes == 1 ? c->vector / 4 : c->vector;

	return size;
}

struct x86_operand part_memory(const struct compile *c, uint32_t value, unsigned strip,
			       unsigned part)
{
	const struct ir_value *v = value_of(c, value);
	const struct value_place *place = &c->places[value];
	const bool frame = place->frame >= 0;
	const unsigned lanes = 32 / c->strips;
	const unsigned bits = strip * lanes / 8; /* of a predicate: its bytes */
	const unsigned at = v->bytes ? strip * lanes * v->bytes + part * c->vector : bits;

	return x86_at(frame ? X86_RSP : AT_FILE, (frame ? place->frame : v->at) + (int32_t)at);
}

struct x86_operand scratch_vector(const struct compile *c, unsigned bytes, unsigned i)
{
	const unsigned first = c->select.isa == X86_AVX512 ? SELECT_FIRST_AVX512 :
							     SELECT_FIRST_AVX2;

	return x86_vector(bytes < 16 ? 16 : bytes, first + i);
}

/* A vector constant of one number, for elements of @bytes. */
static struct x86_operand number_constant(struct compile *c, uint64_t number, unsigned bytes)
{
	uint8_t all[64];

	if (bytes >= 4)
		return x86_broadcast(x86_constant(c->x, &number, bytes));
	for (unsigned i = 0; i < sizeof(all); i++)
		all[i] = (uint8_t)(number >> 8 * (i % bytes));
	return x86_constant(c->x, all, part_bytes(c, bytes));
}

struct x86_operand steps_constant(struct compile *c, uint16_t pattern, unsigned bytes,
				  unsigned strip, unsigned part)
{
	const unsigned lanes = 32 / c->strips, size = part_bytes(c, bytes);
	const int64_t *steps = c->ir->kinds.patterns[pattern] + strip * lanes +
			       part * (c->vector / 8);
	uint8_t all[64];

	for (unsigned i = 0; i < size / bytes; i++)
		memcpy(all + i * bytes, &steps[i], bytes);
	return x86_constant(c->x, all, size);
}

struct strip strip_source(struct compile *c, uint32_t value, unsigned bytes, unsigned strip)
{
	const struct ir_value *v = value_of(c, value);
	const struct value_place *place = &c->places[value];
	struct strip all = { { { 0 } } };

	for (unsigned part = 0; part < part_count(bytes); part++) {
		struct x86_operand *operand = &all.part[part];

		if (v->known)
			*operand = number_constant(c, v->number, bytes);
		else if (place->repeated != NO_PLACE)
			*operand = x86_vector(c->vector, place->repeated);
		else if (v->kind != KIND_VECTOR)
			*operand = x86_broadcast(home_memory(c, value));
		else if (place->parts[strip][part] != NO_PLACE)
			*operand = x86_vector(part_bytes(c, bytes) < 16 ? 16 : part_bytes(c, bytes),
					      place->parts[strip][part]);
		else
			*operand = part_memory(c, value, strip, part);
	}
	return all;
}

struct strip strip_result(struct compile *c, uint32_t value, unsigned strip)
{
	const struct ir_value *v = value_of(c, value);
	const struct value_place *place = &c->places[value];
	const unsigned spare = c->select.isa == X86_AVX512 ? SELECT_FIRST_AVX512 - 2 :
							     SELECT_FIRST_AVX2 - 2;
	const unsigned size = v->bytes ? part_bytes(c, v->bytes) : c->vector;
	struct strip all = { { { 0 } } };

	if (!v->bytes && c->select.isa == X86_AVX512) {
		all.part[0] = x86_k(place->parts[strip][0] != NO_PLACE ? place->parts[strip][0] :
									 SELECT_MASK);
		return all;
	}
	for (unsigned part = 0; part < part_count(v->bytes); part++)
		all.part[part] = x86_vector(size < 16 ? 16 : size,
					    place->parts[strip][part] != NO_PLACE ?
						    place->parts[strip][part] : spare + part);
	return all;
}

void part_store(struct compile *c, struct x86_operand to, struct x86_operand from, unsigned bytes)
{
	const unsigned size = part_bytes(c, bytes);

	if (size >= 16)
		x86_emit(c->x, X86_vmovups, to, from);
	else
		x86_emit(c->x, X86_vmovq, x86_sized(to, 8), x86_xmm(from.number));
}

void mask_store(struct compile *c, uint32_t value, unsigned strip, struct x86_operand mask)
{
	const struct x86_operand to = part_memory(c, value, strip, 0);

	if (c->select.isa == X86_AVX512) {
		x86_emit(c->x, X86_kmovw, x86_sized(to, 2), mask);
		return;
	}
	x86_emit(c->x, X86_vmovmskps, x86_r32(X86_RAX), mask);
	x86_emit(c->x, X86_mov, to, x86_gpr(1, X86_RAX));
}

void strip_done(struct compile *c, uint32_t value, unsigned strip, struct strip result)
{
	const struct ir_value *v = value_of(c, value);
	const struct value_place *place = &c->places[value];

	for (unsigned part = 0; part < part_count(v->bytes); part++) {
		if (place->parts[strip][part] != NO_PLACE)
			continue;
		if (!v->bytes)
			mask_store(c, value, strip, result.part[0]);
		else
			part_store(c, part_memory(c, value, strip, part), result.part[part],
				   v->bytes);
	}
}

/* ---- Predicates ---------------------------------------------------------------------------- */

static const uint32_t lane_bits[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };

void mask_expand(struct compile *c, struct x86_operand to, struct x86_operand from)
{
	x86_emit(c->x, X86_vpbroadcastb, to, x86_sized(from, 1));
	x86_emit(c->x, X86_vpand, to, to, x86_constant(c->x, lane_bits, 32));
	x86_emit(c->x, X86_vpcmpeqd, to, to, x86_constant(c->x, lane_bits, 32));
}

struct x86_operand mask_source(struct compile *c, uint32_t value, unsigned strip, unsigned number)
{
	const struct ir_value *v = value_of(c, value);
	const struct value_place *place = &c->places[value];
	const struct x86_operand vector = x86_vector(c->vector, number);
	struct x86_operand from = part_memory(c, value, strip, 0);

	if (v->kind == KIND_VECTOR && place->parts[strip][0] != NO_PLACE)
		return c->select.isa == X86_AVX512 ? x86_k(place->parts[strip][0]) :
						     x86_vector(c->vector, place->parts[strip][0]);
	if (v->known) {
		const uint32_t bits = v->number & 1 ? UINT32_MAX : 0;

		from = x86_constant(c->x, &bits, 4);
	} else if (v->kind != KIND_VECTOR) {
		from = home_memory(c, value); /* 0 or all bits */
	}
	if (c->select.isa == X86_AVX512) {
		x86_emit(c->x, X86_kmovw, x86_k(number), x86_sized(from, 2));
		return x86_k(number);
	}
	if (v->kind != KIND_VECTOR) {
		x86_emit(c->x, X86_vpbroadcastd, vector, x86_sized(from, 4));
		return vector;
	}
	if (c->loops && value == c->ir->staying)
		x86_emit(c->x, X86_vmovups, vector, mask_operand(c, value, strip, number));
	else
		mask_expand(c, vector, from);
	return vector;
}

struct x86_operand mask_operand(struct compile *c, uint32_t value, unsigned strip, unsigned number)
{
	if (!c->loops || value != c->ir->staying)
		return mask_source(c, value, strip, number);
	return x86_sized(x86_at(X86_RSP, AT_MASKS + (int32_t)(strip * c->vector)), c->vector);
}

/* The masks of all strips, from registers or memory, as bits of eax. */
static void collect_strips(struct compile *c, uint32_t value)
{
	const struct value_place *place = &c->places[value];
	const unsigned lanes = 32 / c->strips;

	for (unsigned strip = c->strips; strip-- > 0;) {
		const struct x86_operand to = x86_r32(strip + 1 == c->strips ? X86_RAX : X86_RCX);
		const uint8_t number = place->parts[strip][0];

		if (number == NO_PLACE)
			x86_emit(c->x, X86_movzx, to,
				 x86_sized(part_memory(c, value, strip, 0), lanes / 8));
		else if (c->select.isa == X86_AVX512)
			x86_emit(c->x, X86_kmovw, to, x86_k(number));
		else
			x86_emit(c->x, X86_vmovmskps, to, x86_vector(c->vector, number));
		if (strip + 1 == c->strips)
			continue;
		x86_emit(c->x, X86_shl, x86_r32(X86_RAX), x86_immediate(lanes));
		x86_emit(c->x, X86_or, x86_r32(X86_RAX), x86_r32(X86_RCX));
	}
}

/* The same, all from registers of AVX2, whose lanes become one byte each. */
static void collect_avx2(struct compile *c, const struct value_place *place)
{
	/* 4 bytes each: packing has put the lower half of all strips before the upper one. */
	static const uint32_t order[8] = { 0, 4, 1, 5, 2, 6, 3, 7 };
	const struct x86_operand low = scratch_vector(c, 32, 0), high = scratch_vector(c, 32, 1);

	x86_emit(c->x, X86_vpackssdw, low, x86_ymm(place->parts[0][0]),
		 x86_ymm(place->parts[1][0]));
	x86_emit(c->x, X86_vpackssdw, high, x86_ymm(place->parts[2][0]),
		 x86_ymm(place->parts[3][0]));
	x86_emit(c->x, X86_vpacksswb, low, low, high);
	x86_emit(c->x, X86_vmovups, high, x86_constant(c->x, order, sizeof(order)));
	x86_emit(c->x, X86_vpermd, low, high, low);
	x86_emit(c->x, X86_vpmovmskb, x86_r32(X86_RAX), low);
}

void mask_collect(struct compile *c, uint32_t value)
{
	const struct ir_value *v = value_of(c, value);
	const struct value_place *place = &c->places[value];
	unsigned registers = 0;

	if (v->kind != KIND_VECTOR) {
		const struct x86_operand from = value_source(c, value, 4, X86_RAX);

		if (from.kind == X86_IMMEDIATE)
			x86_emit(c->x, X86_mov, x86_r32(X86_RAX),
				 x86_immediate(from.value & 1 ? -1 : 0));
		else if (from.kind == X86_GPR)
			x86_emit(c->x, X86_mov, x86_r32(X86_RAX), x86_r32(from.number));
		else
			x86_emit(c->x, X86_mov, x86_r32(X86_RAX), x86_sized(from, 4));
		return;
	}
	for (unsigned strip = 0; strip < c->strips; strip++)
		registers += place->parts[strip][0] != NO_PLACE;
	if (!registers)
		x86_emit(c->x, X86_mov, x86_r32(X86_RAX), part_memory(c, value, 0, 0));
	else if (registers == c->strips && c->select.isa == X86_AVX2)
		collect_avx2(c, place);
	else
		collect_strips(c, value);
}
