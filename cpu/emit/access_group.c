/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two or four elements of 4 or 8 bytes of each lane. They are transposed in registers, from lanes
 * to elements or back. Memory is accessed in pieces of 16 bytes, by vmovaps where they are those
 * of one lane: of the instructions here it is the one that the manuals promise to be one access.
 *
 * In wider vectors each 16 bytes are transposed by themselves: of a vector's pieces one belongs to
 * the first lanes of the strip, and each next one to as many lanes further as 16 bytes of an
 * element are.
 */
#include "accesses.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)
#define EITHER(name, name512, ...)                                                         \
	x86_emit(c->x, c->select.isa == X86_AVX512 ? X86_##name512 : X86_##name, __VA_ARGS__)

enum { PIECE = 16 };

/* An access. */
struct tuple {
	struct compile *c;
	const struct ir_insn *insn;
	const struct span *span;     /* NULL: addresses are a vector, and in the frame */
	struct x86_operand s[4];     /* scratch vectors */
	struct x86_operand spare[2]; /* those for results */
};

static struct tuple group_of(struct compile *c, const struct ir_insn *insn, const struct span *span)
{
	struct tuple g = { .c = c, .insn = insn, .span = span };

	for (unsigned i = 0; i < 4; i++)
		g.s[i] = scratch_vector(c, c->vector, i);
	for (unsigned i = 0; i < 2; i++)
		g.spare[i] = x86_vector(c->vector, g.s[0].number - 2u + i);
	return g;
}

/* The check; rax leads to elements then. */
static void begin_group(struct compile *c, uint32_t index, const struct span *span)
{
	if (span) {
		access_check_span(c, index, span);
		return;
	}
	access_check_lanes(c, index);
	for (unsigned strip = 0; strip < c->strips; strip++)
		access_spill(c, &c->ir->insns[index], strip);
}

/* What is at @at of the elements of @lane. */
static struct x86_operand lane_memory(const struct tuple *g, unsigned lane, unsigned at)
{
	struct x86_operand memory = access_memory(g->c, g->insn, g->span, lane);

	memory.displacement += (int32_t)at;
	return memory;
}

/* Tells whether the elements of the next lane, too, are in a piece. */
static bool piece_is_run(const struct tuple *g, unsigned lane)
{
	return g->span && g->span->steps[lane + 1] == g->span->steps[lane] + PIECE / 2;
}

/* ---- Loads ------------------------------------------------------------------------------ */

/* A piece of one lane, or, where lanes have 8 bytes, of two. */
static void load_piece(const struct tuple *g, struct x86_operand to, unsigned lane, unsigned at)
{
	struct compile *c = g->c;

	if (access_unit(g->insn) >= PIECE) {
		EMIT(vmovaps, to, lane_memory(g, lane, at));
	} else if (piece_is_run(g, lane)) {
		EMIT(vmovups, to, lane_memory(g, lane, at));
	} else {
		EMIT(vmovq, to, x86_sized(lane_memory(g, lane, at), 8));
		EMIT(vmovhps, to, to, lane_memory(g, lane + 1, at));
	}
}

/* All pieces of a vector: of @lane, and of those @apart from it. */
static void load_pieces(const struct tuple *g, struct x86_operand to, unsigned lane, unsigned apart,
			unsigned at)
{
	struct compile *c = g->c;
	const struct x86_operand piece = x86_xmm(g->spare[1].number);

	load_piece(g, x86_xmm(to.number), lane, at);
	for (unsigned i = 1; i < c->vector / PIECE; i++) {
		load_piece(g, piece, lane + i * apart, at);
		EITHER(vinserti128, vinserti32x4, to, to, piece, x86_immediate(i));
	}
}

/* Of a strip of 4 bytes, element @element: what @name makes of two vectors. */
static void load_element(const struct tuple *g, unsigned strip, unsigned element, uint16_t name,
			 struct x86_operand a, struct x86_operand b)
{
	const uint32_t value = g->insn->d[element];
	const struct strip to = strip_result(g->c, value, strip);

	x86_emit(g->c->x, name, to.part[0], a, b);
	strip_done(g->c, value, strip, to);
}

/* Of two elements, one by a shuffle with each second number. */
static void load_pairs(const struct tuple *g, unsigned strip)
{
	static const uint8_t chosen[] = { 0x88, 0xdd };
	struct compile *c = g->c;
	const unsigned first = strip * (32 / c->strips);

	for (unsigned i = 0; i < 2; i++)
		load_pieces(g, g->s[i], first + 2 * i, 4, 0);
	for (unsigned i = 0; i < 2; i++) {
		const struct strip to = strip_result(c, g->insn->d[i], strip);

		EMIT(vshufps, to.part[0], g->s[0], g->s[1], x86_immediate(chosen[i]));
		strip_done(c, g->insn->d[i], strip, to);
	}
}

static void load_quads(const struct tuple *g, unsigned strip)
{
	struct compile *c = g->c;
	const unsigned first = strip * (32 / c->strips);
	const struct x86_operand *s = g->s, low = g->spare[1];

	for (unsigned i = 0; i < 4; i++)
		load_pieces(g, s[i], first + i, 4, 0);
	EMIT(vunpcklps, low, s[0], s[1]);
	EMIT(vunpckhps, s[0], s[0], s[1]);
	EMIT(vunpcklps, s[1], s[2], s[3]);
	EMIT(vunpckhps, s[2], s[2], s[3]);
	load_element(g, strip, 0, X86_vunpcklpd, low, s[1]);
	load_element(g, strip, 1, X86_vunpckhpd, low, s[1]);
	load_element(g, strip, 2, X86_vunpcklpd, s[0], s[2]);
	load_element(g, strip, 3, X86_vunpckhpd, s[0], s[2]);
}

/* Elements @element and @element + 1 of 8 bytes: each piece has both of one lane. */
static void load_wide(const struct tuple *g, unsigned strip, unsigned element)
{
	static const uint16_t names[] = { X86_vunpcklpd, X86_vunpckhpd };
	struct compile *c = g->c;
	const unsigned lanes = 32 / c->strips, first = strip * lanes;

	for (unsigned i = 0; i < 4; i++)
		load_pieces(g, g->s[i], first + i / 2 * (lanes / 2) + i % 2, 2, element * 8);
	for (unsigned i = 0; i < 2; i++) {
		const uint32_t value = g->insn->d[element + i];
		const struct strip to = strip_result(c, value, strip);

		for (unsigned part = 0; part < 2; part++)
			x86_emit(c->x, names[i], to.part[part], g->s[2 * part], g->s[2 * part + 1]);
		strip_done(c, value, strip, to);
	}
}

/* ---- Stores ----------------------------------------------------------------------------- */

static void store_piece(const struct tuple *g, struct x86_operand from, unsigned lane, unsigned at)
{
	struct compile *c = g->c;

	if (access_unit(g->insn) >= PIECE) {
		EMIT(vmovaps, lane_memory(g, lane, at), from);
	} else if (piece_is_run(g, lane)) {
		EMIT(vmovups, lane_memory(g, lane, at), from);
	} else {
		EMIT(vmovlps, lane_memory(g, lane, at), from);
		EMIT(vmovhps, lane_memory(g, lane + 1, at), from);
	}
}

/* Piece @i of @from; changes scratch vector 2. */
static void store_from(const struct tuple *g, struct x86_operand from, unsigned i, unsigned lane,
		       unsigned at)
{
	struct compile *c = g->c;
	struct x86_operand piece = x86_xmm(from.number);

	if (i) {
		piece = x86_xmm(g->s[2].number);
		EITHER(vextracti128, vextracti32x4, piece, from, x86_immediate(i));
	}
	store_piece(g, piece, lane, at);
}

/* Elements @element and @element + 1 of @strip: in their own registers, or in those for
 * results. Scratch vectors 1 and 3 stay as they are. */
static void load_sources(const struct tuple *g, unsigned strip, unsigned part, unsigned element,
			 struct x86_operand to[2])
{
	for (unsigned i = 0; i < 2; i++) {
		const struct strip from = exact_source(g->c, g->insn->a[1 + element + i],
						       g->insn->size, strip, i);

		to[i] = part_register(g->c, from.part[part], g->insn->size, g->spare[!i].number);
	}
}

static void store_pairs(const struct tuple *g, unsigned strip)
{
	struct compile *c = g->c;
	const unsigned first = strip * (32 / c->strips);
	struct x86_operand from[2];

	load_sources(g, strip, 0, 0, from);
	EMIT(vunpcklps, g->s[1], from[0], from[1]);
	EMIT(vunpckhps, g->s[3], from[0], from[1]);
	for (unsigned i = 0; i < c->vector / PIECE; i++) {
		store_from(g, g->s[1], i, first + 4 * i, 0);
		store_from(g, g->s[3], i, first + 4 * i + 2, 0);
	}
}

static void store_quads(const struct tuple *g, unsigned strip)
{
	struct compile *c = g->c;
	const unsigned first = strip * (32 / c->strips);
	const struct x86_operand *s = g->s;
	const struct x86_operand lanes[4] = { g->spare[0], g->spare[1], s[0], s[1] };
	struct x86_operand from[2];

	load_sources(g, strip, 0, 0, from);
	EMIT(vunpcklps, s[1], from[0], from[1]);
	EMIT(vunpckhps, s[3], from[0], from[1]);
	load_sources(g, strip, 0, 2, from);
	EMIT(vunpcklps, s[0], from[0], from[1]);
	EMIT(vunpckhps, s[2], from[0], from[1]);
	EMIT(vunpcklpd, lanes[0], s[1], s[0]);
	EMIT(vunpckhpd, lanes[1], s[1], s[0]);
	EMIT(vunpcklpd, lanes[2], s[3], s[2]);
	EMIT(vunpckhpd, lanes[3], s[3], s[2]);
	for (unsigned i = 0; i < c->vector / PIECE; i++)
		for (unsigned k = 0; k < 4; k++)
			store_from(g, lanes[k], i, first + 4 * i + k, 0);
}

static void store_wide(const struct tuple *g, unsigned strip, unsigned element)
{
	struct compile *c = g->c;
	const unsigned lanes = 32 / c->strips;
	struct x86_operand from[2];

	for (unsigned part = 0; part < 2; part++) {
		const unsigned first = strip * lanes + part * (lanes / 2);

		load_sources(g, strip, part, element, from);
		EMIT(vunpcklpd, g->s[1], from[0], from[1]);
		EMIT(vunpckhpd, g->s[3], from[0], from[1]);
		for (unsigned i = 0; i < c->vector / PIECE; i++) {
			store_from(g, g->s[1], i, first + 2 * i, element * 8);
			store_from(g, g->s[3], i, first + 2 * i + 1, element * 8);
		}
	}
}

/* ---- Either ----------------------------------------------------------------------------- */

/* What emits elements of 4 bytes, two or four of them, and of 8, two at a time. */
struct group_parts {
	void (*pairs)(const struct tuple *g, unsigned strip);
	void (*quads)(const struct tuple *g, unsigned strip);
	void (*wide)(const struct tuple *g, unsigned strip, unsigned element);
};

static void access_group(struct compile *c, uint32_t index, const struct group_parts *parts)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct span span = access_span(c->ir, insn);
	const struct tuple g = group_of(c, insn, in_vectors(c, insn->a[0]) ? NULL : &span);

	begin_group(c, index, g.span);
	for (unsigned strip = 0; strip < c->strips; strip++) {
		if (insn->size == 4) {
			(insn->count == 2 ? parts->pairs : parts->quads)(&g, strip);
			continue;
		}
		for (unsigned element = 0; element < insn->count; element += 2)
			parts->wide(&g, strip, element);
	}
}

void access_load_group(struct compile *c, uint32_t index)
{
	access_group(c, index, &(struct group_parts){ load_pairs, load_quads, load_wide });
}

void access_store_group(struct compile *c, uint32_t index)
{
	access_group(c, index, &(struct group_parts){ store_pairs, store_quads, store_wide });
}
