/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of vectors in registers, and the bits of values that may be any NaN (loose.c). */
#include "compile.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

struct x86_operand part_register(struct compile *c, struct x86_operand from, unsigned bytes,
				 unsigned number)
{
	const unsigned size = part_bytes(c, bytes);
	const struct x86_operand to = x86_vector(size < 16 ? 16 : size, number);

	if (from.kind == X86_VECTOR)
		return from;
	if (from.broadcast) {
		from.broadcast = false;
		if (bytes == 8)
			EMIT(vpbroadcastq, to, x86_sized(from, 8));
		else
			EMIT(vpbroadcastd, to, x86_sized(from, 4));
	} else if (size >= 16) {
		EMIT(vmovups, to, from);
	} else if (size == 8) {
		EMIT(vmovq, to, x86_sized(from, 8));
	} else {
		EMIT(vmovd, to, x86_sized(from, 4));
	}
	return to;
}

struct x86_operand part_operand(struct compile *c, struct x86_operand from, unsigned bytes,
				unsigned number)
{
	const bool repeats = from.kind == X86_MEMORY && from.broadcast;

	if (repeats && c->select.isa == X86_AVX2 && from.base == X86_RIP)
		return x86_repeated(c->x, from, c->vector);
	if (repeats ? c->select.isa == X86_AVX512 : part_bytes(c, bytes) >= 16)
		return from;
	return part_register(c, from, bytes, number);
}

void canonicalise(struct compile *c, struct x86_operand to, struct x86_operand from)
{
	const uint32_t nan = 0x7fffffff;
	const struct x86_operand is_nan = scratch_vector(c, c->vector, 0);

	if (c->select.isa == X86_AVX512) {
		EMIT(vcmpps, x86_k(SELECT_MASK + 1), from, from, x86_immediate(3));
		EMIT(vblendmps, x86_masked(to, SELECT_MASK + 1), from,
		     x86_sized(x86_broadcast(x86_constant(c->x, &nan, 4)), c->vector));
		return;
	}
	EMIT(vcmpps, is_nan, from, from, x86_immediate(3));
	if (to.number == from.number) {
		const struct x86_operand all = scratch_vector(c, c->vector, 1);

		EMIT(vbroadcastss, all, x86_sized(x86_constant(c->x, &nan, 4), 4));
		EMIT(vblendvps, to, from, all, is_nan);
		return;
	}
	EMIT(vbroadcastss, to, x86_sized(x86_constant(c->x, &nan, 4), 4));
	EMIT(vblendvps, to, from, to, is_nan);
}

/* Makes NaNs of @value canonical where it is: it may have any. @number: a free vector. */
static void canonicalise_place(struct compile *c, uint32_t value, unsigned strip, unsigned number)
{
	const struct x86_operand place = strip_source(c, value, 4, strip).part[0];
	const struct x86_operand loaded = part_register(c, place, 4, number);

	canonicalise(c, loaded, loaded);
	if (place.kind != X86_VECTOR)
		part_store(c, place, loaded, 4);
}

/* A source of @insn whose bits are read: its NaNs are made canonical, in the vectors for results;
 * of a third one where it is. */
struct strip exact_source(struct compile *c, uint32_t value, unsigned bytes, unsigned strip,
			  unsigned i)
{
	struct strip source = strip_source(c, value, bytes, strip);
	const unsigned first = scratch_vector(c, 16, 0).number;
	const struct x86_operand to = x86_vector(c->vector, first - 1 - i % 2);

	if (!in_vectors(c, value) || !c->places[value].loose)
		return source;
	if (i >= 2) {
		canonicalise_place(c, value, strip, first + 2);
		return source;
	}
	canonicalise(c, to, part_register(c, source.part[0], 4, first + 2));
	source.part[0] = to;
	return source;
}
