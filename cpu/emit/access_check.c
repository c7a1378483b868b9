/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an access reaches is checked before anything of it is done: one time where its addresses
 * are one number and constants, else for all lanes in vectors. Where the check fails the op's
 * struct hit is brought up to date, or the interpreter repeats the op, which then faults or not.
 */
#include "accesses.h"
#include "asserts.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)
/* Instructions of AVX-512 that have a name of their own. */
#define EITHER(name, name512, ...)                                                         \
	x86_emit(c->x, c->select.isa == X86_AVX512 ? X86_##name512 : X86_##name, __VA_ARGS__)
#define HIT(member) x86_at(AT_HITS, insn->hit + (int32_t)offsetof(struct hit, member))
#define REACH(member)                                                                      \
	x86_at(AT_HITS, (int32_t)(c->reaches[index] + offsetof(struct access_reach, member)))
#define WARP(member) x86_at(AT_WARP, offsetof(struct warp, member))

static const int64_t no_steps[KIND_LANES];

struct span access_span(const struct ir *ir, const struct ir_insn *insn)
{
	const struct ir_value *address = &ir->values[insn->a[0]];
	struct span span = { .steps = no_steps, .aligned = true };

	if (address->kind == KIND_PATTERN)
		span.steps = ir->kinds.patterns[address->pattern];
	for (unsigned l = 0; l < KIND_LANES; l++) {
		const int64_t step = span.steps[l];

		span.least = step < span.least ? step : span.least;
		span.most = step > span.most ? step : span.most;
		span.aligned &= step % access_unit(insn) == 0;
	}
	return span;
}

/* Without a struct access_reach nothing can be done about shared memory. */
static uint32_t begin_check(struct compile *c, uint32_t index, uint32_t bytes, uint32_t reach,
			    uint32_t otherwise)
{
	const uint32_t again = x86_label(c->x);
	const bool shared = access_is_shared(&c->ir->insns[index]);

	if (shared && !reach)
		return otherwise ? otherwise - 1 : way_out(c, index, WAY_INTERPRET);
	if (!reach)
		EMIT(mov, x86_sized(x86_at(X86_RSP, AT_TRIES), 4), x86_immediate(2));
	x86_bind(c->x, again);
	if (!way_out(c, index, WAY_MISS))
		return 0;
	c->ways[c->way_count - 1].back = again;
	c->ways[c->way_count - 1].span = bytes;
	c->ways[c->way_count - 1].reach = reach | (reach && shared ? EXITS_SHARED : 0u);
	c->ways[c->way_count - 1].otherwise = otherwise;
	return c->ways[c->way_count - 1].label;
}

uint32_t access_begin_check(struct compile *c, uint32_t index, uint32_t bytes)
{
	return begin_check(c, index, bytes, 0, 0);
}

/* An access of one span, or by an index, has a struct access_reach of its own, as long as there are
 * some: those in loops first. */
void reaches_find(struct compile *c)
{
	uint32_t count = 0;

	for (unsigned loops = 2; loops-- > 0;)
		for (size_t b = 0; b < c->ir->block_count; b++) {
			const struct ir_block *block = &c->ir->blocks[b];

			for (uint32_t i = block->first; i < block->end && count < REACHES; i++) {
				const struct ir_insn *insn = &c->ir->insns[i];

				if (!ir_accesses(insn) || c->ranges[i].leader != i ||
				    (in_vectors(c, insn->a[0]) && !insn->indexed) ||
				    loops != (block->depth > 0))
					continue;
				c->reaches[i] = (uint32_t)((HITS + count) * sizeof(struct hit));
				count++;
			}
		}
}

/* ---- One check for all lanes ------------------------------------------------------------ */

/* rax = the address of lane 0, plus @more, as the interpreter computes it. */
static void load_address(struct compile *c, const struct ir_insn *insn, int64_t more)
{
	const unsigned bytes = insn->narrow ? 4 : 8;
	const struct x86_operand rax = x86_r64(X86_RAX);
	const struct x86_operand from = value_source(c, insn->a[0], bytes, X86_RAX);
	const int64_t add = (int64_t)((uint64_t)insn->imm + (uint64_t)more);

	if (from.kind == X86_IMMEDIATE) {
		const uint64_t number = (uint64_t)from.value + (uint64_t)add;

		load_number(c, X86_RAX, insn->narrow ? (uint32_t)number : (int64_t)number);
		return;
	}
	if (from.kind != X86_GPR || from.number != X86_RAX)
		EMIT(mov, rax, from);
	if (!add)
		return;
	if (insn->narrow) {
		EMIT(add, x86_r32(X86_RAX), x86_immediate((int32_t)add));
	} else if (add >= INT32_MIN && add <= INT32_MAX) {
		EMIT(add, rax, x86_immediate(add));
	} else {
		load_number(c, X86_RCX, add);
		EMIT(add, rax, x86_r64(X86_RCX));
	}
}

void access_check_aligned(struct compile *c, uint32_t index, uint32_t unit)
{
	if (unit == 1)
		return;
	EMIT(test, x86_r32(X86_RAX), x86_immediate(unit - 1));
	EMIT(jne, x86_to(way_out(c, index, WAY_INTERPRET)));
}

void access_load_last(struct compile *c, const struct ir_insn *insn, uint64_t bytes)
{
	if (access_is_shared(insn))
		EMIT(mov, x86_r32(X86_RDX), WARP(shared_size));
	else
		EMIT(mov, x86_r64(X86_RDX), HIT(size));
	EMIT(sub, x86_r64(X86_RDX), x86_immediate((int64_t)bytes));
}

void access_check_span_or(struct compile *c, uint32_t index, const struct span *span,
			  uint32_t otherwise)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const uint64_t bytes = span_bytes(span) + access_unit(insn);
	const struct x86_operand rax = x86_r64(X86_RAX), rcx = x86_r64(X86_RCX);
	const bool shared = access_is_shared(insn);
	const uint32_t miss = begin_check(c, index, (uint32_t)bytes, c->reaches[index], otherwise);

	ASSERT(bytes < MOST_SPAN + access_unit(insn));
	load_address(c, insn, span->least);
	access_check_aligned(c, index, access_unit(insn));
	if (c->reaches[index]) {
		EMIT(sub, rax, REACH(base));
		EMIT(cmp, rax, REACH(limit));
		EMIT(jae, x86_to(miss));
		EMIT(add, rax, REACH(host));
		return;
	}
	access_load_last(c, insn, bytes);
	EMIT(jb, x86_to(miss));
	if (!shared) {
		EMIT(mov, rcx, rax);
		EMIT(sub, rcx, HIT(base));
	}
	EMIT(cmp, shared ? rax : rcx, x86_r64(X86_RDX));
	EMIT(ja, x86_to(miss));
	EMIT(add, rax, shared ? WARP(shared) : HIT(distance));
}

void access_check_span(struct compile *c, uint32_t index, const struct span *span)
{
	access_check_span_or(c, index, span, 0);
}

/* ---- A check of each lane --------------------------------------------------------------- */

struct strip access_addresses(struct compile *c, const struct ir_insn *insn, unsigned strip)
{
	const unsigned bytes = access_bytes(insn);
	const int32_t at = AT_LANES + (int32_t)(strip * (32 / c->strips) * bytes);

	if (!c->some)
		return strip_source(c, insn->a[0], bytes, strip);
	return (struct strip){ { x86_at(X86_RSP, at), x86_at(X86_RSP, at + (int32_t)c->vector) } };
}

/* A number in all elements of @bytes, as the last source of an instruction. */
static struct x86_operand repeated(struct compile *c, uint64_t number, unsigned bytes)
{
	uint8_t all[32];

	if (c->select.isa == X86_AVX512)
		return x86_broadcast(x86_constant(c->x, &number, bytes));
	for (unsigned at = 0; at < sizeof(all); at += bytes)
		memcpy(all + at, &number, bytes);
	return x86_constant(c->x, all, sizeof(all));
}

void access_test_bits(struct compile *c, struct x86_operand vector, uint64_t bits)
{
	const struct x86_operand mask = x86_k(SELECT_MASK + 1);

	if (c->select.isa == X86_AVX512) {
		EMIT(vptestmq, mask, vector, bits == UINT64_MAX ? vector : repeated(c, bits, 8));
		EMIT(kortestw, mask, mask);
	} else {
		EMIT(vptest, vector, bits == UINT64_MAX ? vector : repeated(c, bits, 8));
	}
}

/* rax = the address of lane 0, which is a vector's, and @more. */
static void load_first(struct compile *c, const struct ir_insn *insn, int64_t more)
{
	const struct x86_operand rax = x86_r64(X86_RAX);
	const struct x86_operand from = access_addresses(c, insn, 0).part[0];

	if (from.kind == X86_VECTOR)
		EMIT(vmovq, rax, x86_xmm(from.number));
	else
		EMIT(mov, rax, from);
	if (!more)
		return;
	load_number(c, X86_RCX, more);
	EMIT(add, rax, x86_r64(X86_RCX));
}

/*
 * Addresses of 64 bits. A place is out where it is negative, or more than the last one; both are
 * signs, since no memory is so large that a difference of two places in it has one.
 */
static void check_wide(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct access_range *range = &c->ranges[index];
	const uint32_t bytes = access_unit(insn) + range->more;
	const uint64_t sign = 1ull << 63;
	const struct x86_operand add = scratch_vector(c, c->vector, 0);
	const struct x86_operand last = scratch_vector(c, c->vector, 1);
	const struct x86_operand all = scratch_vector(c, c->vector, 2);
	const struct x86_operand left = scratch_vector(c, c->vector, 3);
	const struct x86_operand place = x86_vector(c->vector, add.number - 2u);
	const struct x86_operand rest = x86_vector(c->vector, add.number - 1u);
	const uint32_t miss = access_begin_check(c, index, bytes);

	load_number(c, X86_RCX, range->low);
	if (access_is_shared(insn)) {
		EITHER(vpxor, vpxorq, all, all, all);
	} else {
		EMIT(sub, x86_r64(X86_RCX), HIT(base));
		EMIT(vpbroadcastq, all, x86_sized(HIT(base), 8));
	}
	access_load_last(c, insn, bytes);
	broadcast_number(c, add, x86_r64(X86_RCX));
	broadcast_number(c, last, x86_r64(X86_RDX));
	EMIT(vmovaps, left, last);
	for (unsigned strip = 0; strip < c->strips; strip++)
		for (unsigned part = 0; part < 2; part++) {
			EMIT(vpaddq, place, add, access_addresses(c, insn, strip).part[part]);
			EITHER(vpor, vporq, all, all, place);
			EMIT(vpsubq, rest, last, place);
			EITHER(vpor, vporq, left, left, rest);
		}
	EITHER(vpand, vpandq, left, left, repeated(c, sign, 8));
	EITHER(vpor, vporq, all, all, left);
	if (!access_is_shared(insn))
		load_first(c, insn, range->low);
	access_test_bits(c, all, sign | (access_unit(insn) - 1));
	EMIT(jne, x86_to(miss));
}

/* Addresses of 32 bits, which wrap around: their maximum is at most the last place. */
static void check_narrow(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct access_range *range = &c->ranges[index];
	const uint32_t bytes = access_unit(insn) + range->more;
	const uint32_t low = access_unit(insn) - 1, imm = (uint32_t)range->low;
	const uint64_t lows = (uint64_t)low << 32 | low;
	const struct x86_operand add = scratch_vector(c, c->vector, 0);
	const struct x86_operand last = scratch_vector(c, c->vector, 1);
	const struct x86_operand all = scratch_vector(c, c->vector, 2);
	const struct x86_operand most = scratch_vector(c, c->vector, 3);
	const struct x86_operand place = x86_vector(c->vector, add.number - 2u);
	const uint32_t miss = access_begin_check(c, index, bytes);

	access_load_last(c, insn, bytes);
	EMIT(jb, x86_to(miss));
	broadcast_number(c, last, x86_r32(X86_RDX));
	EMIT(vmovaps, most, last);
	EITHER(vpxor, vpxorq, all, all, all);
	if (imm)
		EMIT(vpbroadcastd, add, x86_sized(x86_constant(c->x, &imm, 4), 4));
	for (unsigned strip = 0; strip < c->strips; strip++) {
		struct x86_operand from = access_addresses(c, insn, strip).part[0];

		if (imm) {
			EMIT(vpaddd, place, add, from);
			from = place;
		}
		EMIT(vpmaxud, most, most, from);
		EITHER(vpor, vporq, all, all, from);
	}
	EITHER(vpxor, vpxorq, most, most, last);
	EITHER(vpand, vpandq, all, all, repeated(c, lows, 8));
	EITHER(vpor, vporq, all, all, most);
	access_test_bits(c, all, UINT64_MAX);
	EMIT(jne, x86_to(miss));
}

static bool imm_is_small(const struct ir_insn *insn)
{
	return insn->imm >= INT32_MIN / 2 && insn->imm <= INT32_MAX / 2;
}

int32_t access_more(const struct ir_insn *insn)
{
	return insn->form == FORM_SHARED_R4 || imm_is_small(insn) ? (int32_t)insn->imm : 0;
}

void access_check_lanes(struct compile *c, uint32_t index)
{
	const struct ir_insn *const own = &c->ir->insns[index];
	const struct ir_insn *insn = &c->ir->insns[c->ranges[index].leader];

	if (own->indexed) {
		access_check_index(c, index);
		return;
	}
	if (insn == own && access_bytes(insn) == 4)
		check_narrow(c, index);
	else if (insn == own)
		check_wide(c, index);
	EMIT(mov, x86_r64(X86_RAX), access_is_shared(insn) ? WARP(shared) : HIT(distance));
	insn = own;
	if (access_more(insn) != insn->imm && access_bytes(insn) == 8) {
		load_number(c, X86_RCX, insn->imm);
		EMIT(add, x86_r64(X86_RAX), x86_r64(X86_RCX));
	}
}

/* ---- Where elements are ----------------------------------------------------------------- */

void access_spill(struct compile *c, const struct ir_insn *insn, unsigned strip)
{
	const unsigned bytes = access_bytes(insn);
	const struct strip from = access_addresses(c, insn, strip);

	for (unsigned part = 0; part < part_count(bytes) && !c->some; part++) {
		const unsigned at = strip * (32 / c->strips) * bytes + part * c->vector;

		EMIT(vmovups, x86_at(X86_RSP, AT_LANES + (int32_t)at),
		     part_register(c, from.part[part], bytes, scratch_vector(c, 16, 0).number));
	}
}

struct x86_operand access_memory(struct compile *c, const struct ir_insn *insn,
				 const struct span *span, unsigned lane)
{
	const unsigned bytes = access_bytes(insn);
	const struct x86_operand from = x86_at(X86_RSP, AT_LANES + (int32_t)(lane * bytes));

	if (span)
		return x86_at(X86_RAX, (int32_t)(span->steps[lane] - span->least));
	if (bytes == 4)
		EMIT(movsxd, x86_r64(X86_RCX), x86_sized(from, 4));
	else
		EMIT(mov, x86_r64(X86_RCX), from);
	return x86_indexed(X86_RAX, X86_RCX, access_scale(c->ir, insn), access_more(insn));
}
