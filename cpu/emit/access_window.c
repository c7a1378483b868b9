/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Parts of a pattern whose lanes are neither in one place nor follow each other, but are close
 * together: loaded by one vector or two, whose elements are then moved to their lanes, and stored
 * by masked vectors. All that is loaded is inside of what has been checked for the warp.
 */
#include "accesses.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

enum { MOST_CHUNKS = 4 };

/* A part's lanes, against the least address of the warp. */
struct window {
	unsigned lanes, bytes;
	int64_t at[16];
	int64_t least, end;
};

static struct window window_of(const struct compile *c, const struct ir_insn *insn,
			       const struct span *span, unsigned first)
{
	struct window w = { .lanes = c->vector / insn->size, .bytes = insn->size,
			    .least = INT64_MAX };

	for (unsigned l = 0; l < w.lanes; l++) {
		w.at[l] = span->steps[first + l] - span->least;
		w.least = w.at[l] < w.least ? w.at[l] : w.least;
		w.end = w.at[l] + w.bytes > w.end ? w.at[l] + w.bytes : w.end;
	}
	return w;
}

/* Register @to: for each lane, which element it takes. */
static void load_chosen(struct compile *c, struct x86_operand to, const struct window *w,
			const uint64_t chosen[16])
{
	uint8_t all[64];

	for (unsigned l = 0; l < w->lanes; l++)
		memcpy(all + l * w->bytes, &chosen[l], w->bytes);
	EMIT(vmovups, to, x86_constant(c->x, all, c->vector));
}

/* Elements of 8 bytes for AVX2, by numbers in an immediate; others by those in @to. */
static void permute(struct compile *c, struct x86_operand to, struct x86_operand from,
		    const struct window *w, const uint64_t chosen[16])
{
	unsigned numbers = 0;

	if (w->bytes == 4 || c->select.isa == X86_AVX512) {
		load_chosen(c, to, w, chosen);
		x86_emit(c->x, w->bytes == 8 ? X86_vpermq : X86_vpermd, to, to, from);
		return;
	}
	for (unsigned l = 0; l < w->lanes; l++)
		numbers |= (unsigned)chosen[l] << 2 * l;
	EMIT(vpermq, to, from, x86_immediate(numbers));
}

bool access_load_window(struct compile *c, const struct ir_insn *insn, const struct span *span,
			struct x86_operand to, unsigned first)
{
	const struct window w = window_of(c, insn, span, first);
	const int64_t vector = c->vector, most = (int64_t)span_bytes(span) + w.bytes;
	const int64_t low = w.least + vector > most ? most - vector : w.least;
	const int64_t high = w.end - vector;
	const bool two = w.end > low + vector, avx512 = c->select.isa == X86_AVX512;
	const struct x86_operand other = scratch_vector(c, c->vector, 0);
	uint64_t chosen[2][16] = { { 0 } };
	unsigned upper = 0;

	if (low < 0 || w.end - low > 2 * vector)
		return false;
	for (unsigned l = 0; l < w.lanes; l++) {
		const bool second = w.at[l] + w.bytes > low + vector;

		chosen[second][l] = (uint64_t)(w.at[l] - (second ? high : low)) / w.bytes;
		if (second && avx512)
			chosen[0][l] = chosen[1][l] + w.lanes;
		for (unsigned bit = 0; second && bit < w.bytes / 4; bit++)
			upper |= 1u << (l * w.bytes / 4 + bit);
	}
	if (two && avx512) {
		load_chosen(c, to, &w, chosen[0]);
		EMIT(vmovups, other, x86_at(X86_RAX, (int32_t)low));
		x86_emit(c->x, w.bytes == 8 ? X86_vpermi2q : X86_vpermi2d, to, other,
			 x86_at(X86_RAX, (int32_t)high));
		return true;
	}
	permute(c, to, x86_at(X86_RAX, (int32_t)low), &w, chosen[0]);
	if (two) {
		permute(c, other, x86_at(X86_RAX, (int32_t)high), &w, chosen[1]);
		EMIT(vpblendd, to, to, other, x86_immediate(upper));
	}
	return true;
}

bool access_store_window(struct compile *c, const struct ir_insn *insn, const struct span *span,
			 struct x86_operand from, unsigned first)
{
	const struct window w = window_of(c, insn, span, first);
	const int64_t vector = c->vector;
	const struct x86_operand moved = scratch_vector(c, c->vector, 1);
	const struct x86_operand k = x86_k(SELECT_MASK + 1);

	if (c->select.isa != X86_AVX512 || w.end - w.least > MOST_CHUNKS * vector)
		return false;
	for (int64_t at = w.least; at < w.end; at += vector) {
		uint64_t chosen[16] = { 0 };
		unsigned mask = 0;

		/* Of several lanes in one place the last one stays. */
		for (unsigned l = 0; l < w.lanes; l++) {
			const int64_t element = (w.at[l] - at) / w.bytes;

			if (w.at[l] < at || element >= w.lanes)
				continue;
			chosen[element] = l;
			mask |= 1u << element;
		}
		if (!mask)
			continue;
		permute(c, moved, from, &w, chosen);
		EMIT(mov, x86_r32(X86_RCX), x86_immediate((int64_t)mask));
		EMIT(kmovw, k, x86_r32(X86_RCX));
		x86_emit(c->x, w.bytes == 8 ? X86_vmovupd : X86_vmovups,
			 x86_masked(x86_at(X86_RAX, (int32_t)at), k.number), moved);
	}
	return true;
}
