/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Single elements whose addresses are a vector. Most strips of such addresses follow each other or
 * are all the same, though it was not known before: a look at the first two lanes says which of
 * the two is worth a test. Others are gathered; they are stored lane after lane, so that of
 * several stores to one place the last one stays.
 */
#include "accesses.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)
#define EITHER(name, name512, ...)                                                         \
	x86_emit(c->x, c->select.isa == X86_AVX512 ? X86_##name512 : X86_##name, __VA_ARGS__)

static unsigned strip_lanes(const struct compile *c)
{
	return 32 / c->strips;
}

/* ---- Parts ------------------------------------------------------------------------------ */

void access_load_part(struct compile *c, struct x86_operand to, struct x86_operand from,
		      unsigned bytes)
{
	const unsigned size = part_bytes(c, bytes);

	if (size >= 16)
		EMIT(vmovups, to, from);
	else if (size == 8)
		EMIT(vmovq, to, x86_sized(from, 8));
	else
		EMIT(vmovd, to, x86_sized(from, 4));
}

void access_load_same(struct compile *c, struct x86_operand to, struct x86_operand from,
		      unsigned bytes)
{
	static const uint16_t names[] = { [1] = X86_vpbroadcastb, [2] = X86_vpbroadcastw,
					  [4] = X86_vpbroadcastd, [8] = X86_vpbroadcastq };

	x86_emit(c->x, names[bytes], to, x86_sized(from, bytes));
}

void access_gather(struct compile *c, struct x86_operand to, const struct gather *gather)
{
	static const uint16_t names[2][2] = { { X86_vpgatherdd, X86_vpgatherdq },
					      { X86_vpgatherqd, X86_vpgatherqq } };
	const uint16_t name = names[gather->index_bytes == 8][gather->bytes == 8];
	const struct x86_operand indices = gather->indices;
	const struct x86_operand from = x86_gathered(X86_RAX, indices.bytes, indices.number,
						     gather->scale, gather->more);
	const struct x86_operand k = x86_k(SELECT_MASK + 1);
	const struct x86_operand mask = scratch_vector(c, to.bytes, 2);
	const bool same = to.number == indices.number; /* which no gather may have */
	const struct x86_operand into = same ? scratch_vector(c, to.bytes, 3) : to;

	if (c->select.isa == X86_AVX512) {
		EMIT(kxnorw, k, k, k);
		x86_emit(c->x, name, x86_masked(into, k.number), from);
	} else {
		EMIT(vpcmpeqd, mask, mask, mask);
		x86_emit(c->x, name, into, from, mask);
	}
	if (same)
		EMIT(vmovaps, to, into);
}

/* The upper half of @of, in @to. */
static struct x86_operand upper(struct compile *c, struct x86_operand to, struct x86_operand of)
{
	to = x86_vector(of.bytes / 2u, to.number);
	EITHER(vextracti128, vextracti64x4, to, of, x86_immediate(1));
	return to;
}

/* 4 bytes by indices of 8: two vectors of them. */
static void gather_halves(struct compile *c, struct x86_operand to,
			  const struct x86_operand indices[2], int32_t more)
{
	const struct x86_operand low = x86_vector(c->vector / 2, to.number);
	const struct x86_operand high = scratch_vector(c, c->vector / 2, 3);

	access_gather(c, low, &(struct gather){ indices[0], 4, 8, 1, more });
	access_gather(c, high, &(struct gather){ indices[1], 4, 8, 1, more });
	EITHER(vinserti128, vinserti64x4, to, to, high, x86_immediate(1));
}

void access_insert(struct compile *c, const struct ir_insn *insn, const struct span *span,
		   struct x86_operand to, unsigned first)
{
	const unsigned lanes = strip_lanes(c), most = 16u / insn->size;
	const struct x86_operand high = scratch_vector(c, 16, 3);

	for (unsigned l = 0; l < lanes; l++) {
		const struct x86_operand into = l < most ? x86_xmm(to.number) : high;
		const struct x86_operand from = access_memory(c, insn, span, first + l);

		if (l % most == 0)
			EITHER(vpxor, vpxord, into, into, into);
		if (insn->size == 1)
			EMIT(vpinsrb, into, into, x86_sized(from, 1), x86_immediate(l % most));
		else
			EMIT(vpinsrw, into, into, x86_sized(from, 2), x86_immediate(l % most));
	}
	if (lanes > most)
		EITHER(vinserti128, vinserti32x4, x86_ymm(to.number), x86_ymm(to.number), high,
		       x86_immediate(1));
}

/* ---- Whether lanes follow each other ---------------------------------------------------- */

/* The addresses of a strip, in registers. */
struct addresses {
	struct x86_operand part[2];
	unsigned bytes;           /* of each */
	unsigned parts;
};

static struct addresses load_addresses(struct compile *c, const struct ir_insn *insn,
				       unsigned strip)
{
	const unsigned bytes = access_bytes(insn);
	const struct strip from = access_addresses(c, insn, strip);
	struct addresses to = { .bytes = bytes, .parts = part_count(bytes) };

	for (unsigned part = 0; part < to.parts; part++)
		to.part[part] = part_register(c, from.part[part], bytes,
					      scratch_vector(c, 16, part).number);
	return to;
}

/* rcx = the address of the first lane, rdx = what the second one has more. */
static void look(struct compile *c, const struct addresses *a)
{
	const struct x86_operand first = x86_xmm(a->part[0].number);
	const struct x86_operand rcx = x86_r64(X86_RCX), rdx = x86_r64(X86_RDX);

	if (a->bytes == 8) {
		EMIT(vmovq, rcx, first);
		EMIT(vpextrq, rdx, first, x86_immediate(1));
	} else {
		EMIT(vmovd, x86_r32(X86_RCX), first);
		EMIT(vpextrd, x86_r32(X86_RDX), first, x86_immediate(1));
		EMIT(movsxd, rcx, x86_r32(X86_RCX));
		EMIT(movsxd, rdx, x86_r32(X86_RDX));
	}
	EMIT(sub, rdx, rcx);
}

/* Jumps to @run if the second lane follows the first; the zero flag says whether it is in its
 * place. */
static void look_close(struct compile *c, const struct ir_insn *insn, const struct addresses *a,
		       uint32_t run)
{
	const unsigned step = access_step(c->ir, insn);

	look(c, a);
	if (step) {
		EMIT(cmp, x86_r64(X86_RDX), x86_immediate(step));
		EMIT(je, x86_to(run));
	}
	EMIT(test, x86_r64(X86_RDX), x86_r64(X86_RDX));
}

/* Jumps to @other unless all addresses of a strip are @step apart. */
static void test_steps(struct compile *c, const struct addresses *a, unsigned step, uint32_t other)
{
	const bool wide = a->bytes == 8;
	const struct x86_operand differs = scratch_vector(c, c->vector, 2);
	const struct x86_operand last = scratch_vector(c, c->vector, 3);
	const struct x86_operand mask = x86_k(SELECT_MASK + 1);
	const struct x86_operand first = x86_xmm(a->part[0].number);
	const unsigned lanes = c->vector / a->bytes;

	x86_emit(c->x, wide ? X86_vpbroadcastq : X86_vpbroadcastd, last, first);
	for (unsigned part = 0; part < a->parts; part++) {
		const struct x86_operand to = part + 1 < a->parts ? differs : last;
		uint8_t steps[64];

		for (unsigned i = 0; i < lanes; i++) {
			const uint64_t offset = (uint64_t)step * (part * lanes + i);

			memcpy(steps + i * a->bytes, &offset, a->bytes);
		}
		x86_emit(c->x, wide ? X86_vpsubq : X86_vpsubd, to, a->part[part], last);
		if (step)
			EITHER(vpxor, vpxorq, to, to, x86_constant(c->x, steps, c->vector));
	}
	if (a->parts == 2)
		EITHER(vpor, vporq, last, last, differs);
	if (c->select.isa == X86_AVX512) {
		EMIT(vptestmq, mask, last, last);
		EMIT(kortestw, mask, mask);
	} else {
		EMIT(vptest, last, last);
	}
	EMIT(jne, x86_to(other));
}

/* The first lane's element, after look(). */
static struct x86_operand first_memory(const struct compile *c, const struct ir_insn *insn)
{
	return x86_indexed(X86_RAX, X86_RCX, access_scale(c->ir, insn), access_more(insn));
}

/* ---- Loads ------------------------------------------------------------------------------ */

/* Addresses that are neither the same nor follow each other. */
static void load_apart(struct compile *c, const struct ir_insn *insn, const struct addresses *a,
		       struct strip to, unsigned strip)
{
	const int32_t more = access_more(insn);
	const struct x86_operand half = x86_vector(c->vector / 2, a->part[0].number);
	struct gather gather = { a->part[0], insn->size, (uint8_t)a->bytes,
				 (uint8_t)access_scale(c->ir, insn), more };

	if (insn->size <= 2) {
		access_spill(c, insn, strip);
		access_insert(c, insn, NULL, to.part[0], strip * strip_lanes(c));
	} else if (insn->size == 4 && a->bytes == 8) {
		gather_halves(c, to.part[0], a->part, more);
	} else if (insn->size == 4) {
		access_gather(c, to.part[0], &gather);
	} else if (a->bytes == 8) {
		access_gather(c, to.part[0], &gather);
		gather.indices = a->part[1];
		access_gather(c, to.part[1], &gather);
	} else {
		gather.indices = half;
		access_gather(c, to.part[0], &gather);
		gather.indices = upper(c, scratch_vector(c, 16, 1), a->part[0]);
		access_gather(c, to.part[1], &gather);
	}
}

/* What lanes of a strip load, wherever it is. */
static void load_any(struct compile *c, const struct ir_insn *insn, const struct addresses *a,
		     struct strip to, unsigned strip)
{
	const uint32_t run = x86_label(c->x), same = x86_label(c->x), apart = x86_label(c->x);
	const uint32_t done = x86_label(c->x);
	const unsigned step = access_step(c->ir, insn);
	struct x86_operand from = first_memory(c, insn);

	look_close(c, insn, a, run);
	EMIT(je, x86_to(same));
	x86_bind(c->x, apart);
	load_apart(c, insn, a, to, strip);
	EMIT(jmp, x86_to(done));
	x86_bind(c->x, same);
	test_steps(c, a, 0, apart);
	for (unsigned part = 0; part < part_count(insn->size); part++)
		access_load_same(c, to.part[part], from, insn->size);
	if (step) {
		EMIT(jmp, x86_to(done));
		x86_bind(c->x, run);
		test_steps(c, a, step, apart);
	}
	for (unsigned part = 0; part < part_count(insn->size) && step; part++) {
		access_load_part(c, to.part[part], from, insn->size);
		from.displacement += (int32_t)c->vector;
	}
	x86_bind(c->x, done);
}

static void load_strips(struct compile *c, const struct ir_insn *insn, bool apart)
{
	const bool keeps = c->some && !insn->whole;

	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip result = strip_result(c, insn->d[0], strip);
		const struct strip to =
			keeps ? spare_result(c, value_of(c, insn->d[0]), result) : result;
		const struct addresses a = load_addresses(c, insn, strip);

		if (apart)
			load_apart(c, insn, &a, to, strip);
		else
			load_any(c, insn, &a, to, strip);
		if (keeps)
			strip_keep(c, insn, strip, result, to);
		strip_done(c, insn->d[0], strip, result);
	}
}

/* Jumps to @apart where the first lanes are neither the same nor follow each other. */
static void look_first(struct compile *c, const struct ir_insn *insn, uint32_t apart)
{
	const struct addresses a = load_addresses(c, insn, 0);
	const uint32_t close = x86_label(c->x);

	look_close(c, insn, &a, close);
	EMIT(jne, x86_to(apart));
	x86_bind(c->x, close);
}

/* The addresses of some lanes and others in between say nothing. */
void access_load_lanes(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const uint32_t apart = x86_label(c->x), done = x86_label(c->x);

	access_check_lanes(c, index);
	if (!c->some && insn->size >= 4) {
		look_first(c, insn, apart);
		load_strips(c, insn, false);
		EMIT(jmp, x86_to(done));
	}
	x86_bind(c->x, apart);
	load_strips(c, insn, c->some || insn->size >= 4);
	x86_bind(c->x, done);
}

/* ---- Stores ----------------------------------------------------------------------------- */

void access_load_taken(struct compile *c, unsigned first, unsigned lanes)
{
	const struct x86_operand from = x86_at(X86_RSP, AT_TAKEN + (int32_t)first / 8);

	x86_emit(c->x, lanes == 8 ? X86_kmovb : X86_kmovw, x86_k(SELECT_MASK + 1),
		 x86_sized(from, lanes / 8));
}

/* One scatter, of lanes from @first on: of several elements for one address the last one stays. */
static void scatter(struct compile *c, const struct ir_insn *insn, unsigned first,
		    struct x86_operand indices, struct x86_operand from)
{
	const unsigned bytes = insn->size, index_bytes = access_bytes(insn);
	static const uint16_t names[2][2] = { { X86_vpscatterdd, X86_vpscatterdq },
					      { X86_vpscatterqd, X86_vpscatterqq } };
	const struct x86_operand to = x86_gathered(X86_RAX, indices.bytes, indices.number,
						   access_scale(c->ir, insn), access_more(insn));
	const struct x86_operand mask = x86_k(SELECT_MASK + 1);

	if (c->some)
		access_load_taken(c, first, indices.bytes / index_bytes);
	else
		EMIT(kxnorw, mask, mask, mask);
	x86_emit(c->x, names[index_bytes == 8][bytes == 8], x86_masked(to, mask.number), from);
}

/* Elements of 4 and 8 bytes, with AVX-512. */
static void scatter_strip(struct compile *c, const struct ir_insn *insn, const struct addresses *a,
			  struct strip from, unsigned strip)
{
	const struct x86_operand half = scratch_vector(c, 16, 2);
	const unsigned first = strip * strip_lanes(c), second = first + strip_lanes(c) / 2;

	if (insn->size == 4 && a->bytes == 4) {
		scatter(c, insn, first, a->part[0], from.part[0]);
	} else if (insn->size == 4) {
		scatter(c, insn, first, a->part[0], x86_ymm(from.part[0].number));
		scatter(c, insn, second, a->part[1], upper(c, half, from.part[0]));
	} else if (a->bytes == 8) {
		scatter(c, insn, first, a->part[0], from.part[0]);
		scatter(c, insn, second, a->part[1], from.part[1]);
	} else {
		scatter(c, insn, first, x86_ymm(a->part[0].number), from.part[0]);
		scatter(c, insn, second, upper(c, half, a->part[0]), from.part[1]);
	}
}

/* By way of the frame. */
static void store_apart(struct compile *c, const struct ir_insn *insn, struct strip from,
			unsigned strip)
{
	const unsigned bytes = insn->size;
	const struct x86_operand scalar = x86_gpr(bytes, X86_RDX);

	access_spill(c, insn, strip);
	for (unsigned part = 0; part < part_count(bytes); part++)
		part_store(c, x86_at(X86_RSP, AT_ELEMENTS + (int32_t)(part * c->vector)),
			   from.part[part], bytes);
	for (unsigned l = 0; l < strip_lanes(c); l++) {
		const struct x86_operand copy = x86_at(X86_RSP, AT_ELEMENTS + (int32_t)(l * bytes));
		const struct x86_operand to = access_memory(c, insn, NULL,
							    strip * strip_lanes(c) + l);

		if (bytes <= 2)
			EMIT(movzx, x86_r32(X86_RDX), x86_sized(copy, bytes));
		else
			EMIT(mov, scalar, copy);
		EMIT(mov, to, scalar);
	}
}

static void store_strip(struct compile *c, const struct ir_insn *insn, unsigned strip)
{
	const unsigned spare = scratch_vector(c, 16, 0).number - 2u;
	struct strip from = exact_source(c, insn->a[1], insn->size, strip, 0);
	const uint32_t apart = x86_label(c->x), done = x86_label(c->x);
	const unsigned step = access_step(c->ir, insn);
	struct x86_operand to = first_memory(c, insn);
	struct addresses a;

	for (unsigned part = 0; part < part_count(insn->size); part++)
		from.part[part] = part_register(c, from.part[part], insn->size, spare + part);
	a = load_addresses(c, insn, strip);
	if (c->some) {
		scatter_strip(c, insn, &a, from, strip);
		return;
	}
	if (step) {
		look(c, &a);
		EMIT(cmp, x86_r64(X86_RDX), x86_immediate(step));
		EMIT(jne, x86_to(apart));
		test_steps(c, &a, step, apart);
	}
	for (unsigned part = 0; part < part_count(insn->size) && step; part++) {
		part_store(c, to, from.part[part], insn->size);
		to.displacement += (int32_t)c->vector;
	}
	if (step)
		EMIT(jmp, x86_to(done));
	x86_bind(c->x, apart);
	if (c->select.isa == X86_AVX512 && insn->size >= 4)
		scatter_strip(c, insn, &a, from, strip);
	else
		store_apart(c, insn, from, strip);
	x86_bind(c->x, done);
}

void access_store_lanes(struct compile *c, uint32_t index)
{
	access_check_lanes(c, index);
	for (unsigned strip = 0; strip < c->strips; strip++)
		store_strip(c, &c->ir->insns[index], strip);
}
