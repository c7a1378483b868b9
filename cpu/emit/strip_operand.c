/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the functions of selection share: operands, constants, moves, choices. */
#include "asserts.h"
#include "op_types.h"
#include "strip.h"

struct x86_operand strip_temporary(struct strip_work *w)
{
	const bool avx2 = w->isa == X86_AVX2;
	const unsigned first = avx2 ? SELECT_FIRST_AVX2 : SELECT_FIRST_AVX512;

	ASSERT(w->s->used < (avx2 ? SELECT_VECTORS_AVX2 : SELECT_VECTORS_AVX512));
	return x86_vector(w->bytes, first + w->s->used++);
}

void strip_load(struct strip_work *w, struct x86_operand to, unsigned i)
{
	const struct x86_operand from = w->a[i];
	const unsigned bytes = from.bytes;

	if (from.kind == X86_VECTOR) {
		if (from.number != to.number)
			OP(vmovaps, strip_wide(to, bytes), from);
		return;
	}
	to = strip_wide(to, bytes > 16 ? bytes : 16);
	if (from.broadcast) {
		if (strip_size(w, i) == 8)
			OP(vpbroadcastq, to, strip_element(from));
		else
			OP(vbroadcastss, to, strip_element(from));
	} else if (bytes >= 16) {
		OP(vmovups, to, from);
	} else if (bytes == 8) {
		OP(vmovq, to, from);
	} else {
		OP(vmovd, to, from);
	}
}

struct x86_operand strip_register(struct strip_work *w, unsigned i)
{
	return w->a[i].kind == X86_VECTOR ? w->a[i] : strip_copy(w, i);
}

struct x86_operand strip_copy(struct strip_work *w, unsigned i)
{
	struct x86_operand to;

	if (strip_is_free(w, w->a[i])) /* the upper half of a register, made for this part */
		return w->a[i];
	to = strip_temporary(w);

	strip_load(w, to, i);
	return strip_wide(to, w->a[i].bytes > 16 ? w->a[i].bytes : 16);
}

struct x86_operand strip_operand(struct strip_work *w, unsigned i)
{
	const struct x86_operand *from = &w->a[i];

	if (strip_is_number(w, i))
		return x86_repeated(w->x, *from, from->bytes);
	if (from->kind == X86_MEMORY &&
	    (from->bytes < 16 || (from->broadcast && w->isa == X86_AVX2)))
		return strip_register(w, i);
	return *from;
}

struct x86_operand strip_all32(struct strip_work *w, uint32_t value, unsigned bytes)
{
	const uint32_t all[8] = { value, value, value, value, value, value, value, value };

	if (w->isa == X86_AVX512)
		return x86_sized(x86_broadcast(x86_constant(w->x, &value, 4)), bytes);
	return x86_sized(x86_constant(w->x, all, 32), bytes);
}

struct x86_operand strip_constant32(struct strip_work *w, uint32_t value)
{
	return strip_all32(w, value, w->bytes);
}

struct x86_operand strip_all16(struct strip_work *w, uint16_t value)
{
	uint16_t all[8];

	for (unsigned i = 0; i < 8; i++)
		all[i] = value;
	return strip_constant128(w, (const uint8_t *)all, w->bytes);
}

struct x86_operand strip_constant64(struct strip_work *w, uint64_t value)
{
	const uint64_t all[4] = { value, value, value, value };

	if (w->isa == X86_AVX512)
		return x86_sized(x86_broadcast(x86_constant(w->x, &value, 8)), w->bytes);
	return x86_sized(x86_constant(w->x, all, 32), w->bytes);
}

struct x86_operand strip_filled32(struct strip_work *w, uint32_t value)
{
	const struct x86_operand to = strip_temporary(w);

	OP(vbroadcastss, to, x86_constant(w->x, &value, 4));
	return to;
}

struct x86_operand strip_filled64(struct strip_work *w, uint64_t value)
{
	const struct x86_operand to = strip_temporary(w);

	OP(vpbroadcastq, to, x86_constant(w->x, &value, 8));
	return to;
}

struct x86_operand strip_constant128(struct strip_work *w, const uint8_t data[16], unsigned bytes)
{
	uint8_t all[64];

	for (unsigned i = 0; i < sizeof(all); i++)
		all[i] = data[i % 16];
	return x86_constant(w->x, all, bytes);
}

struct x86_operand strip_flags(struct strip_work *w)
{
	return w->isa == X86_AVX512 ? x86_k(SELECT_MASK) : strip_temporary(w);
}

void strip_choose(struct strip_work *w, struct x86_operand d, struct x86_operand flags,
		  struct x86_operand yes, struct x86_operand no, unsigned size)
{
	if (w->isa == X86_AVX2)
		x86_emit(w->x, size == 8 ? X86_vblendvpd : X86_vblendvps, d, no, yes, flags);
	else
		x86_emit(w->x, size == 8 ? X86_vblendmpd : X86_vblendmps,
			 x86_masked(d, flags.number), no, yes);
}

void strip_canonical(struct strip_work *w, struct x86_operand d)
{
	const uint8_t used = w->s->used;
	struct x86_operand flags = strip_flags(w);

	if (flags.kind == X86_VECTOR)
		flags.bytes = d.bytes;
	OP(vcmpps, flags, d, d, IMM(3)); /* unordered */
	strip_choose(w, d, flags, strip_all32(w, F32_NAN, d.bytes), d, 4);
	w->s->used = used;
}

void strip_narrow(struct strip_work *w, struct x86_operand d, struct x86_operand a, unsigned to,
		  unsigned from)
{
	static const uint16_t names[9][5] = {
		[2][1] = X86_vpmovwb, [4][1] = X86_vpmovdb, [4][2] = X86_vpmovdw,
		[8][1] = X86_vpmovqb, [8][2] = X86_vpmovqw, [8][4] = X86_vpmovqd,
	};
	const unsigned group = 16 / from * to; /* bytes of a result in 16 bytes */
	struct x86_operand shuffled, high;
	uint8_t data[16];

	if (w->isa == X86_AVX512) {
		x86_emit(w->x, (enum x86_name)names[from][to], d, a);
		return;
	}
	for (unsigned i = 0; i < 16; i++)
		data[i] = i < group ? (uint8_t)(i / to * from + i % to) : 0x80;
	if (a.bytes == 16) {
		OP(vpshufb, d, a, strip_constant128(w, data, 16));
		return;
	}
	shuffled = strip_is_free(w, a) ? a : strip_wide(strip_temporary(w), a.bytes);
	OP(vpshufb, shuffled, a, strip_constant128(w, data, a.bytes));
	high = strip_wide(strip_temporary(w), 16);
	OP(vextracti128, high, shuffled, IMM(1));
	x86_emit(w->x, group == 8 ? X86_vpunpcklqdq : group == 4 ? X86_vpunpckldq : X86_vpunpcklwd,
		 d, strip_wide(shuffled, 16), high);
}

void strip_subtract_from(struct strip_work *w, struct x86_operand to, uint32_t number,
			 enum x86_name name)
{
	const struct x86_operand from = strip_filled32(w, number);

	x86_emit(w->x, name, to, from, to);
	w->s->used--;
}

void strip_binary(struct strip_work *w)
{
	const bool swapped = w->parameter == STRIP_SWAPPED ||
			     (w->parameter == STRIP_COMMUTES && w->a[0].kind == X86_MEMORY);
	const struct x86_operand first = strip_register(w, swapped);

	x86_emit(w->x, w->name, w->d, first, strip_operand(w, !swapped));
}

/* Of 16 bits, which are two in an element: no instruction has broadcasts of 4 bytes. */
void strip_binary_words(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);

	x86_emit(w->x, w->name, w->d, a, strip_register(w, 1));
}

void strip_unary(struct strip_work *w)
{
	x86_emit(w->x, w->name, w->d, strip_operand(w, 0));
}

void strip_move(struct strip_work *w)
{
	strip_load(w, w->d, 0);
}
