/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Votes, reductions and matches: what lanes have in common. All 32 lanes run, and are members, as
 * for shfl.
 */
#include "compile.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

/* ---- Votes ----------------------------------------------------------------------- */

/* Puts eax into @value: a number, or a predicate of 0 or all bits. */
static void put_shared(struct compile *c, uint32_t value)
{
	const struct x86_operand eax = x86_r32(X86_RAX), copy = scratch_vector(c, 16, 0);
	struct x86_operand result;

	if (!in_vectors(c, value)) {
		result = value_result(c, value);
		if (result.number != X86_RAX)
			EMIT(mov, x86_r32(result.number), eax);
		value_done(c, value, result);
		return;
	}
	EMIT(vmovd, copy, eax);
	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip to = strip_result(c, value, strip);

		if (to.part[0].kind == X86_MASK)
			EMIT(kmovw, to.part[0], eax);
		else
			EMIT(vpbroadcastd, to.part[0], copy);
		strip_done(c, value, strip, to);
	}
}

void step_vote(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct x86_operand eax = x86_r32(X86_RAX);

	if (insn->form == VOTE_ACTIVE)
		load_number(c, X86_RAX, UINT32_MAX);
	else
		mask_collect(c, insn->a[0]);
	switch ((enum ir_vote)insn->form) {
	case VOTE_ALL:
		EMIT(cmp, eax, x86_immediate(-1)); /* borrows unless all are 1 */
		EMIT(sbb, eax, eax);
		EMIT(not, eax);
		break;
	case VOTE_ANY:
		EMIT(cmp, eax, x86_immediate(1)); /* borrows from none */
		EMIT(sbb, eax, eax);
		EMIT(not, eax);
		break;
	case VOTE_UNI:
		EMIT(add, eax, x86_immediate(1));
		EMIT(cmp, eax, x86_immediate(2));
		EMIT(sbb, eax, eax);
		break;
	case VOTE_BALLOT:
	case VOTE_ACTIVE:
		break;
	}
	put_shared(c, insn->d[0]);
}

/* ---- Reductions ------------------------------------------------------------------ */

/* a = a and b, combined. */
static void combine_lanes(struct compile *c, unsigned form, struct x86_operand a,
			  struct x86_operand b)
{
	static const uint16_t names[][2] = {
		[REDUX_ADD] = { X86_vpaddd, X86_vpaddd },
		[REDUX_AND] = { X86_vpand, X86_vpandd },
		[REDUX_OR] = { X86_vpor, X86_vpord },
		[REDUX_XOR] = { X86_vpxor, X86_vpxord },
		[REDUX_MIN_U32] = { X86_vpminud, X86_vpminud },
		[REDUX_MAX_U32] = { X86_vpmaxud, X86_vpmaxud },
		[REDUX_MIN_S32] = { X86_vpminsd, X86_vpminsd },
		[REDUX_MAX_S32] = { X86_vpmaxsd, X86_vpmaxsd },
	};

	x86_emit(c->x, names[form][c->select.isa == X86_AVX512], a, a, b);
}

void step_reduce(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const bool avx512 = c->select.isa == X86_AVX512;
	const unsigned sum = scratch_vector(c, 16, 3).number;
	const unsigned other = scratch_vector(c, 16, 1).number;
	struct x86_operand from;

	for (unsigned strip = 0; strip < c->strips; strip++) {
		from = exact_source(c, insn->a[0], 4, strip, 0).part[0];
		from = part_register(c, from, 4, strip ? other : sum);
		if (strip)
			combine_lanes(c, insn->form, x86_vector(c->vector, sum), from);
		else if (from.number != sum)
			EMIT(vmovaps, x86_vector(c->vector, sum), from);
	}
	if (avx512) {
		EMIT(vextracti64x4, x86_ymm(other), x86_zmm(sum), x86_immediate(1));
		combine_lanes(c, insn->form, x86_ymm(sum), x86_ymm(other));
		EMIT(vextracti32x4, x86_xmm(other), x86_ymm(sum), x86_immediate(1));
	} else {
		EMIT(vextracti128, x86_xmm(other), x86_ymm(sum), x86_immediate(1));
	}
	combine_lanes(c, insn->form, x86_xmm(sum), x86_xmm(other));
	EMIT(vpshufd, x86_xmm(other), x86_xmm(sum), x86_immediate(0x4e)); /* the other 8 bytes */
	combine_lanes(c, insn->form, x86_xmm(sum), x86_xmm(other));
	EMIT(vpshufd, x86_xmm(other), x86_xmm(sum), x86_immediate(0xb1)); /* the other 4 */
	combine_lanes(c, insn->form, x86_xmm(sum), x86_xmm(other));
	EMIT(vmovd, x86_r32(X86_RAX), x86_xmm(sum));
	put_shared(c, insn->d[0]);
}

/* ---- Matches --------------------------------------------------------------------- */

/* eax = the lanes whose element of @bytes at AT_ELEMENTS is that at @from. It changes ecx. */
static void find_equal(struct compile *c, unsigned bytes, struct x86_operand from)
{
	const bool avx512 = c->select.isa == X86_AVX512, wide = bytes == 8;
	const unsigned lanes = c->vector / bytes, parts = 32 / lanes;
	const struct x86_operand one = scratch_vector(c, c->vector, 0);
	const struct x86_operand equal = avx512 ? x86_k(SELECT_MASK) :
						  scratch_vector(c, c->vector, 1);

	if (wide)
		EMIT(vpbroadcastq, one, x86_sized(from, 8));
	else
		EMIT(vpbroadcastd, one, x86_sized(from, 4));
	for (unsigned part = parts; part-- > 0;) {
		const struct x86_operand to = x86_r32(part + 1 == parts ? X86_RAX : X86_RCX);
		const struct x86_operand memory =
			x86_at(X86_RSP, AT_ELEMENTS + (int32_t)(part * c->vector));

		x86_emit(c->x, wide ? X86_vpcmpeqq : X86_vpcmpeqd, equal, one, memory);
		if (avx512)
			EMIT(kmovw, to, equal);
		else
			x86_emit(c->x, wide ? X86_vmovmskpd : X86_vmovmskps, to, equal);
		if (part + 1 == parts)
			continue;
		EMIT(shl, x86_r32(X86_RAX), x86_immediate(lanes));
		EMIT(or, x86_r32(X86_RAX), x86_r32(X86_RCX));
	}
}

/* Each lane's mask, by way of the frame. */
static void match_any(struct compile *c, const struct ir_insn *insn)
{
	const uint32_t loop = x86_label(c->x);

	EMIT(xor, x86_r32(X86_RDX), x86_r32(X86_RDX));
	x86_bind(c->x, loop);
	find_equal(c, insn->size, x86_indexed(X86_RSP, X86_RDX, insn->size, AT_ELEMENTS));
	EMIT(mov, x86_indexed(X86_RSP, X86_RDX, 4, AT_LANES), x86_r32(X86_RAX));
	EMIT(add, x86_r32(X86_RDX), x86_immediate(1));
	EMIT(cmp, x86_r32(X86_RDX), x86_immediate(32));
	EMIT(jb, x86_to(loop));
	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip to = strip_result(c, insn->d[0], strip);

		EMIT(vmovups, to.part[0],
		     x86_at(X86_RSP, AT_LANES + (int32_t)(strip * c->vector)));
		strip_done(c, insn->d[0], strip, to);
	}
}

void step_match(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const unsigned bytes = insn->size, lanes = 32 / c->strips;
	const unsigned number = scratch_vector(c, 16, 1).number;

	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip from = exact_source(c, insn->a[0], bytes, strip, 0);

		for (unsigned part = 0; part < part_count(bytes); part++)
			EMIT(vmovups,
			     x86_at(X86_RSP, AT_ELEMENTS + (int32_t)(strip * lanes * bytes +
								     part * c->vector)),
			     part_register(c, from.part[part], bytes, number));
	}
	if (insn->form == MATCH_ANY) {
		match_any(c, insn);
		return;
	}
	find_equal(c, bytes, x86_at(X86_RSP, AT_ELEMENTS));
	EMIT(cmp, x86_r32(X86_RAX), x86_immediate(-1)); /* borrows unless all are 1 */
	EMIT(sbb, x86_r32(X86_RDX), x86_r32(X86_RDX));
	EMIT(not, x86_r32(X86_RDX));
	for (unsigned i = 0; i < 2 && insn->d[i] != IR_NONE; i++) {
		EMIT(mov, x86_r32(X86_RAX), x86_r32(X86_RDX));
		put_shared(c, insn->d[i]);
	}
}
