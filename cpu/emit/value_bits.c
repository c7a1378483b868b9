/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shifts, fields and counts of bits, logic of three operands. */
#include "asserts.h"
#include "select_value.h"

/* shl, shr: an amount of at least the bits of the element makes 0. The rule has shlx or shrx. */
bool value_shift(struct value *v)
{
	const unsigned bits = 8 * v->result_size, size = value_width(v->result_size);
	const enum x86_name by_constant = v->rule->name == X86_shlx ? X86_shl : X86_shr;
	struct x86_operand amount;

	if (value_is_immediate(v, 1)) {
		const int64_t by = v->sources[1].value;

		if (by >= bits) {
			value_set(v, v->result, 0);
			return true;
		}
		value_load(v, v->result, 0, size);
		if (by)
			x86_emit(v->x, by_constant, x86_gpr(size, v->result), x86_immediate(by));
		return value_finish(v, v->result);
	}
	amount = value_register(v, 1, 4, X86_RCX);
	x86_emit(v->x, v->rule->name, x86_gpr(size, X86_RAX), value_memory(v, 0, size, X86_RAX),
		 x86_gpr(size, amount.number));
	VOP(cmp, amount, x86_immediate(bits));
	VOP(sbb, x86_gpr(size, X86_RDX), x86_gpr(size, X86_RDX));
	VOP(and, x86_gpr(size, X86_RAX), x86_gpr(size, X86_RDX));
	return value_finish(v, X86_RAX);
}

/* shr of a signed number: an amount of at least its bits leaves the sign. */
bool value_shift_signed(struct value *v)
{
	const unsigned last = 8 * v->result_size - 1, size = value_width(v->result_size);

	value_widen(v, 1, size);
	if (value_is_immediate(v, 1)) {
		const int64_t by = v->sources[1].value;

		value_load(v, v->result, 0, size);
		if (by)
			VOP(sar, x86_gpr(size, v->result),
			    x86_immediate(by < last ? by : last));
		return value_finish(v, v->result);
	}
	value_set(v, X86_RDX, last);
	VOP(cmp, value_memory(v, 1, 4, X86_RCX), x86_immediate(last));
	VOP(cmovb, x86_r32(X86_RDX), value_memory(v, 1, 4, X86_RCX));
	VOP(sarx, x86_gpr(size, X86_RAX), value_memory(v, 0, size, X86_RAX),
	    x86_gpr(size, X86_RDX));
	return value_finish(v, X86_RAX);
}

/*
 * shf: the rule has shld, which shifts the high word, or shrd, the low one. Detail: an amount of
 * 32 and more is the other word, and is not cut to 5 bits.
 */
bool value_funnel(struct value *v)
{
	const bool left = v->rule->name == X86_shld;
	const struct x86_operand to = x86_r32(X86_RAX);
	struct x86_operand other;

	if (value_is_immediate(v, 2)) {
		const int64_t by = v->sources[2].value;

		if (v->rule->detail && by >= 32) {
			value_load(v, X86_RAX, left ? 0 : 1, 4);
			return value_finish(v, X86_RAX);
		}
		value_load(v, X86_RAX, left, 4);
		other = value_register(v, !left, 4, X86_RDX);
		x86_emit(v->x, v->rule->name, to, other, x86_immediate(by & 31));
		return value_finish(v, X86_RAX);
	}
	value_load(v, X86_RCX, 2, 4);
	value_load(v, X86_RAX, left, 4);
	other = value_register(v, !left, 4, X86_RDX);
	x86_emit(v->x, v->rule->name, to, other, x86_gpr(1, X86_RCX));
	if (v->rule->detail) {
		VOP(cmp, x86_r32(X86_RCX), x86_immediate(32));
		VOP(cmovae, to, other);
	}
	return value_finish(v, X86_RAX);
}

/* popc, clz: of the source's size. */
bool value_count(struct value *v)
{
	const unsigned size = v->source_size;

	x86_emit(v->x, v->rule->name, x86_gpr(size, X86_RAX), value_memory(v, 0, size, X86_RAX));
	return value_finish(v, X86_RAX);
}

/* Emits "exchange neighbours of @bits bits in rax"; @mask has the lower ones of 64 bits. */
static void exchange_bits(struct value *v, unsigned size, unsigned bits, uint64_t mask)
{
	const struct x86_operand a = x86_gpr(size, X86_RAX), b = x86_gpr(size, X86_RCX);
	const struct x86_operand m = x86_gpr(size, X86_RDX);

	value_set(v, X86_RDX, mask & value_bits_mask(size));
	VOP(mov, b, a);
	VOP(shr, b, x86_immediate(bits));
	VOP(and, b, m);
	VOP(and, a, m);
	VOP(shl, a, x86_immediate(bits));
	VOP(or, a, b);
}

/* brev */
bool value_reverse(struct value *v)
{
	const unsigned size = v->result_size;

	value_load(v, X86_RAX, 0, size);
	VOP(bswap, x86_gpr(size, X86_RAX));
	exchange_bits(v, size, 4, 0x0f0f0f0f0f0f0f0f);
	exchange_bits(v, size, 2, 0x3333333333333333);
	exchange_bits(v, size, 1, 0x5555555555555555);
	return value_finish(v, X86_RAX);
}

/* bfind: the detail is what the source is, and whether the left shift is asked for. */
bool value_find(struct value *v)
{
	const unsigned size = v->source_size, top = 8 * size - 1;
	const struct x86_operand a = x86_gpr(size, X86_RAX), sign = x86_gpr(size, X86_RCX);

	value_load(v, X86_RAX, 0, size);
	if (v->rule->detail & VALUE_SIGNED) {
		VOP(mov, sign, a);
		VOP(sar, sign, x86_immediate(top));
		VOP(xor, a, sign);
	}
	VOP(lzcnt, a, a); /* CF: there is none */
	if (v->rule->detail & VALUE_AMOUNT) {
		VOP(sbb, x86_r32(X86_RCX), x86_r32(X86_RCX));
		VOP(or, x86_r32(X86_RAX), x86_r32(X86_RCX));
		return value_finish(v, X86_RAX);
	}
	VOP(neg, x86_r32(X86_RAX));
	VOP(add, x86_r32(X86_RAX), x86_immediate(top));
	return value_finish(v, X86_RAX);
}

/*
 * The position or the length of a field, source @i, in register @number: at most @most. Of fields
 * of 32 bits the low 8 bits count.
 */
static void load_clamped(struct value *v, unsigned number, unsigned i, unsigned most)
{
	const bool wide = v->result_size == 8;

	if (value_is_immediate(v, i)) {
		const uint64_t bits = (uint64_t)v->sources[i].value & (wide ? ~0u : 0xffu);

		value_set(v, number, bits < most ? bits : most);
		return;
	}
	ASSERT(number != X86_RDX);
	value_load(v, number, i, wide ? 4 : 1);
	if (!wide && most >= 255)
		return;
	value_set(v, X86_RDX, most);
	VOP(cmp, x86_r32(number), x86_r32(X86_RDX));
	VOP(cmova, x86_r32(number), x86_r32(X86_RDX));
}

/* bfe of unsigned numbers. bextr wants the length above 8 bits of position, and clamps both. */
bool value_extract(struct value *v)
{
	const unsigned size = v->result_size;

	if (value_is_immediate(v, 1) && value_is_immediate(v, 2)) {
		const uint64_t most = size == 8 ? UINT32_MAX : 255;
		const uint64_t at = (uint64_t)v->sources[1].value & most;
		const uint64_t length = (uint64_t)v->sources[2].value & most;

		value_set(v, X86_RAX, (at < 255 ? at : 255) | (length < 255 ? length : 255) << 8);
	} else {
		load_clamped(v, X86_RAX, 1, 255);
		load_clamped(v, X86_RCX, 2, 255);
		VOP(shl, x86_r32(X86_RCX), x86_immediate(8));
		VOP(or, x86_r32(X86_RAX), x86_r32(X86_RCX));
	}
	VOP(bextr, x86_gpr(size, X86_RAX), value_memory(v, 0, size, X86_RCX),
	    x86_gpr(size, X86_RAX));
	return value_finish(v, X86_RAX);
}

/* bfe of signed numbers whose position and length are known. */
static bool extract_constant(struct value *v)
{
	const unsigned size = v->result_size, bits = 8 * size;
	const uint64_t most = size == 8 ? UINT32_MAX : 255;
	uint64_t at = (uint64_t)v->sources[1].value & most;
	uint64_t length = (uint64_t)v->sources[2].value & most;
	const struct x86_operand to = x86_gpr(size, v->result);

	if (!length) {
		value_set(v, v->result, 0);
		return true;
	}
	if (at >= bits)
		at = bits - 1;
	if (length > bits - at)
		length = bits - at;
	value_load(v, v->result, 0, size);
	if (at + length < bits)
		VOP(shl, to, x86_immediate((int64_t)(bits - at - length)));
	if (length < bits)
		VOP(sar, to, x86_immediate((int64_t)(bits - length)));
	return true;
}

/* bfe of signed numbers: the field is shifted to the top and down again, by -length of the bits. */
bool value_extract_signed(struct value *v)
{
	const unsigned size = v->result_size, bits = 8 * size;
	const struct x86_operand a = x86_gpr(size, X86_RAX), c = x86_gpr(size, X86_RCX);

	if (value_is_immediate(v, 1) && value_is_immediate(v, 2))
		return extract_constant(v);
	load_clamped(v, X86_RCX, 1, bits - 1);
	VOP(sarx, a, value_memory(v, 0, size, X86_RAX), c);
	load_clamped(v, X86_RCX, 2, bits);
	VOP(neg, c); /* CF: the length is not 0 */
	VOP(shlx, a, a, c);
	VOP(sarx, a, a, c);
	VOP(sbb, c, c);
	VOP(and, a, c);
	return value_finish(v, X86_RAX);
}

/* bfi: a mask of the length, shifted with the field; from the element's bits on nothing changes. */
bool value_insert(struct value *v)
{
	const unsigned size = v->result_size;
	const struct x86_operand a = x86_gpr(size, X86_RAX), c = x86_gpr(size, X86_RCX);
	const struct x86_operand d = x86_gpr(size, X86_RDX);
	struct x86_operand position;

	load_clamped(v, X86_RCX, 3, 255);
	value_set(v, X86_RAX, value_bits_mask(size));
	VOP(bzhi, a, a, c);
	load_clamped(v, X86_RCX, 2, 255);
	position = x86_r32(X86_RCX);
	VOP(shlx, a, a, c);
	VOP(cmp, position, x86_immediate(8 * size));
	VOP(sbb, d, d);
	VOP(and, d, a); /* the mask, or 0 */
	VOP(shlx, a, value_memory(v, 0, size, X86_RAX), c);
	VOP(and, a, d);
	VOP(andn, d, d, value_memory(v, 1, size, X86_RCX));
	VOP(or, a, d);
	return value_finish(v, X86_RAX);
}

/* lop3: the sum without carry of those of 1, a, b, c, ab, ... that the table's function has. */
bool value_logic(struct value *v)
{
	const uint8_t table = (uint8_t)v->sources[3].value;
	uint8_t terms = 0;
	const struct x86_operand sum = x86_r32(X86_RAX), product = x86_r32(X86_RCX);

	if (!value_is_immediate(v, 3))
		return false;
	for (unsigned term = 0; term < 8; term++)
		for (unsigned of = 0; of < 8; of++)
			if ((of & term) == of)
				terms ^= (uint8_t)((table >> of & 1) << term);
	value_set(v, X86_RAX, terms & 1 ? UINT32_MAX : 0);
	for (unsigned term = 1; term < 8; term++) {
		bool first = true;

		for (unsigned i = 0; i < 3 && terms >> term & 1; i++) {
			if (!(term & 4 >> i))
				continue;
			if (!first)
				VOP(and, product, value_any(v, i, 4, X86_RDX));
			else if (!(term & (term - 1)))
				VOP(xor, sum, value_any(v, i, 4, X86_RDX));
			else
				value_load(v, X86_RCX, i, 4);
			first = false;
		}
		if ((terms >> term & 1) && (term & (term - 1)))
			VOP(xor, sum, product);
	}
	return value_finish(v, X86_RAX);
}

/* The four nibbles of @selector, each in a byte. */
static uint32_t spread_nibbles(uint32_t selector)
{
	uint32_t bytes = 0;

	for (unsigned i = 0; i < 4; i++)
		bytes |= (selector >> 4 * i & 15) << 8 * i;
	return bytes;
}

/* Emits "bytes of xmm12 that register ecx has the nibbles of become those that they choose". */
static void permute_bytes(struct value *v, bool signs)
{
	const struct x86_operand bytes = x86_xmm(12), by = x86_xmm(13), sign = x86_xmm(14);

	if (signs) {
		VOP(mov, x86_r32(X86_RDX), x86_r32(X86_RCX));
		VOP(and, x86_r32(X86_RDX), x86_immediate(0x07070707));
		VOP(vmovd, by, x86_r32(X86_RDX));
	} else {
		VOP(vmovd, by, x86_r32(X86_RCX));
	}
	VOP(vpshufb, bytes, bytes, by);
	if (!signs)
		return;
	VOP(vpxor, sign, sign, sign);
	VOP(vpcmpgtb, sign, sign, bytes);
	VOP(shl, x86_r32(X86_RCX), x86_immediate(4));
	VOP(vmovd, by, x86_r32(X86_RCX));
	VOP(vpblendvb, bytes, bytes, sign, by);
}

/* prmt: a nibble of the selector chooses a byte of b:a, or with its top bit that byte's sign. */
bool value_permute(struct value *v)
{
	const bool known = value_is_immediate(v, 2);
	const uint32_t nibbles = known ? spread_nibbles((uint32_t)v->sources[2].value) : 0x08080808;

	value_load(v, X86_RAX, 0, 4);
	value_load(v, X86_RCX, 1, 4);
	VOP(shl, x86_r64(X86_RCX), x86_immediate(32));
	VOP(or, x86_r64(X86_RAX), x86_r64(X86_RCX));
	VOP(vmovq, x86_xmm(12), x86_r64(X86_RAX));
	if (known) {
		value_set(v, X86_RCX, nibbles);
	} else {
		value_set(v, X86_RAX, 0x0f0f0f0f);
		VOP(pdep, x86_r32(X86_RCX), value_register(v, 2, 4, X86_RCX), x86_r32(X86_RAX));
	}
	permute_bytes(v, nibbles & 0x08080808);
	VOP(vmovd, x86_r32(v->result), x86_xmm(12));
	return true;
}
