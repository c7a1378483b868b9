/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * shfl: values of other lanes. All 32 lanes run, so that nothing waits, and the others are members
 * (build.c leaves where member masks may differ).
 */
#include "compile.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

/* ---- Where lanes take their values from ------------------------------------------ */

/* Tells whether @value is always one number: compilers have them in registers. */
static bool is_number(const struct compile *c, uint32_t value, uint32_t *number)
{
	const struct ir_value *v = value_of(c, value);
	const struct register_kind *kind;

	*number = (uint32_t)v->number;
	if (v->known || v->reg == IR_NONE || v->kind != KIND_UNIFORM)
		return v->known;
	kind = &c->ir->kinds.registers[v->reg];
	*number = (uint32_t)kind->base;
	return kind->form == VALUES_BASE && !kind->pattern && (uint32_t)kind->known == UINT32_MAX;
}

/* What operand c of shfl says of a lane. */
struct limit {
	uint32_t segment, most;
};

static struct limit limit_of(uint32_t lane, uint32_t number)
{
	const uint32_t segment = number >> 8 & 31;

	return (struct limit){ segment, (lane & segment) | (number & 31 & ~segment) };
}

/* Which lane's value each lane gets, for numbers @b and @number. Returns the lanes for which it is
 * inside. */
static uint32_t find_lanes(enum ir_shuffle form, uint32_t b, uint32_t number,
			   uint8_t from[KIND_LANES])
{
	uint32_t inside = 0;

	b &= 31;
	for (uint32_t l = 0; l < KIND_LANES; l++) {
		const struct limit limit = limit_of(l, number);
		const int32_t lanes[] = {
			[SHUFFLE_UP] = (int32_t)(l - b),
			[SHUFFLE_DOWN] = (int32_t)(l + b),
			[SHUFFLE_BFLY] = (int32_t)(l ^ b),
			[SHUFFLE_IDX] = (int32_t)((l & limit.segment) | (b & ~limit.segment)),
		};
		const bool in = form == SHUFFLE_UP ? lanes[form] >= (int32_t)limit.most :
						     lanes[form] <= (int32_t)limit.most;

		from[l] = (uint8_t)(in ? lanes[form] & 31 : (int32_t)l);
		inside |= (uint32_t)in << l;
	}
	return inside;
}

/* ---- Results --------------------------------------------------------------------- */

/* A vector for all of strip @strip of a result, until its place may be written. */
static struct x86_operand held_vector(const struct compile *c, unsigned strip)
{
	const unsigned first = scratch_vector(c, 16, 0).number;

	return x86_vector(c->vector, strip < 2 ? first + 2 + strip : first - 4 + strip);
}

/* Brings what was computed somewhere to its place. */
static void put_strip(struct compile *c, uint32_t value, unsigned strip, struct x86_operand from)
{
	struct strip to = strip_result(c, value, strip);

	if (c->places[value].parts[strip][0] == NO_PLACE)
		to.part[0] = from;
	else
		EMIT(vmovaps, to.part[0], from);
	strip_done(c, value, strip, to);
}

/* Makes a constant of predicate @value. */
static void put_mask(struct compile *c, uint32_t value, uint32_t bits)
{
	const unsigned lanes = KIND_LANES / c->strips;
	uint32_t all[16];

	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip to = strip_result(c, value, strip);

		for (unsigned l = 0; l < lanes; l++)
			all[l] = bits >> (strip * lanes + l) & 1 ? UINT32_MAX : 0;
		if (c->select.isa == X86_AVX512) {
			load_number(c, X86_RAX, bits >> strip * lanes & 0xffff);
			EMIT(kmovw, to.part[0], x86_r32(X86_RAX));
		} else {
			EMIT(vmovups, to.part[0], x86_constant(c->x, all, c->vector));
		}
		strip_done(c, value, strip, to);
	}
}

/* ---- Lanes that are known -------------------------------------------------------- */

/* The same order in each 16 bytes of a strip: what vpshufd does; -1: it is another one. */
static int order_of_four(const uint8_t *from, unsigned lanes, unsigned strip)
{
	int order = 0;

	for (unsigned l = 0; l < lanes; l++) {
		if (from[l] / 4 != (strip * lanes + l) / 4 || from[l] % 4 != from[l % 4] % 4)
			return -1;
		order |= l < 4 ? from[l] % 4 << 2 * l : 0;
	}
	return order;
}

/* The strips that lanes @from are in, as bits. */
static unsigned strips_of(const uint8_t *from, unsigned lanes)
{
	unsigned strips = 0;

	for (unsigned l = 0; l < lanes; l++)
		strips |= 1u << from[l] / lanes;
	return strips;
}

/* Elements of several strips: with AVX-512 of two, by one instruction. */
static void permute_strips(struct compile *c, uint32_t value, const uint8_t *from,
			   struct x86_operand to)
{
	const unsigned lanes = KIND_LANES / c->strips, strips = strips_of(from, lanes);
	const struct x86_operand index = scratch_vector(c, c->vector, 0);
	const struct x86_operand other = scratch_vector(c, c->vector, 1);
	uint32_t numbers[16];
	bool first = true;

	for (unsigned l = 0; l < lanes; l++)
		numbers[l] = from[l];
	if (c->select.isa == X86_AVX512 && strips == 3) {
		EMIT(vmovups, to, x86_constant(c->x, numbers, c->vector));
		EMIT(vpermi2d, to,
		     part_register(c, strip_source(c, value, 4, 0).part[0], 4, other.number),
		     strip_source(c, value, 4, 1).part[0]);
		return;
	}
	EMIT(vmovups, index, x86_constant(c->x, numbers, c->vector));
	for (unsigned k = 0; k < c->strips; k++) {
		unsigned chosen = 0;

		for (unsigned l = 0; l < lanes; l++)
			chosen |= (unsigned)(from[l] / lanes == k) << l;
		if (!chosen)
			continue;
		EMIT(vpermd, first ? to : other, index, strip_source(c, value, 4, k).part[0]);
		if (!first)
			EMIT(vpblendd, to, to, other, x86_immediate(chosen));
		first = false;
	}
}

/* to = the elements of lanes @from of @value. It changes scratch vectors 0 and 1. */
static void permute(struct compile *c, uint32_t value, const uint8_t *from,
		    struct x86_operand to)
{
	const unsigned lanes = KIND_LANES / c->strips;
	const int order = order_of_four(from, lanes, from[0] / lanes);
	const struct x86_operand source = strip_source(c, value, 4, from[0] / lanes).part[0];

	if (!in_vectors(c, value)) {
		part_register(c, source, 4, to.number);
	} else if (order == 0xe4) {
		if (part_register(c, source, 4, to.number).number != to.number)
			EMIT(vmovaps, to, source);
	} else if (order >= 0) {
		EMIT(vpshufd, to, source, x86_immediate(order));
	} else {
		permute_strips(c, value, from, to);
	}
}

static bool are_same(const uint8_t from[KIND_LANES])
{
	for (unsigned l = 1; l < KIND_LANES; l++)
		if (from[l] != from[0])
			return false;
	return true;
}

static void shuffle_known(struct compile *c, const struct ir_insn *insn, uint32_t b,
			  uint32_t number, bool predicate)
{
	const uint32_t a = insn->a[0], d = insn->d[0];
	const unsigned lanes = KIND_LANES / c->strips;
	uint8_t from[KIND_LANES];
	const uint32_t inside = find_lanes((enum ir_shuffle)insn->form, b, number, from);
	const bool same = are_same(from) || !in_vectors(c, a);
	/* Strips that are written while others are still read. */
	const bool held = same || a == d || value_of(c, a)->at == value_of(c, d)->at;

	for (unsigned strip = 0; strip < (same ? 1 : c->strips); strip++) {
		const struct strip result = strip_result(c, d, strip);
		const struct x86_operand to = held ? held_vector(c, strip) : result.part[0];

		permute(c, a, from + strip * lanes, to);
		if (c->places[a].loose && !c->places[d].loose)
			canonicalise(c, to, to);
		if (!held)
			strip_done(c, d, strip, result);
	}
	for (unsigned strip = 0; held && strip < c->strips; strip++)
		put_strip(c, d, strip, held_vector(c, same ? 0 : strip));
	if (predicate)
		put_mask(c, insn->d[1], inside);
}

/* ---- Lanes that are computed ----------------------------------------------------- */

enum logic { LOGIC_AND, LOGIC_ANDN, LOGIC_OR, LOGIC_XOR };

static void logic(struct compile *c, enum logic how, struct x86_operand to, struct x86_operand a,
		  struct x86_operand b)
{
	static const uint16_t names[][2] = { [LOGIC_AND] = { X86_vpand, X86_vpandd },
					     [LOGIC_ANDN] = { X86_vpandn, X86_vpandnd },
					     [LOGIC_OR] = { X86_vpor, X86_vpord },
					     [LOGIC_XOR] = { X86_vpxor, X86_vpxord } };

	x86_emit(c->x, names[how][c->select.isa == X86_AVX512], to, a, b);
}

/* Memory of @strip in the frame. */
static struct x86_operand frame_strip(const struct compile *c, int32_t at, unsigned strip)
{
	return x86_at(X86_RSP, at + (int32_t)(strip * c->vector));
}

/* A vector constant, of which @strip is what lanes there have. */
static struct x86_operand lanes_constant(struct compile *c, const uint32_t all[KIND_LANES],
					 unsigned strip)
{
	return x86_constant(c->x, all + strip * (KIND_LANES / c->strips), c->vector);
}

static const uint32_t lane_numbers[KIND_LANES] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
					      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					      22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
static const uint32_t lane_most[16] = { 31, 31, 31, 31, 31, 31, 31, 31,
					31, 31, 31, 31, 31, 31, 31, 31 };

/* Operand b of a strip: no scratch vector, which exact_source() may change. */
static struct x86_operand vector_b(const struct compile *c)
{
	return x86_vector(c->vector, scratch_vector(c, 16, 0).number - 1);
}

/* The limits of lanes in @strip: scratch vectors 1 and 2; 3 changes. */
static void load_limits(struct compile *c, uint32_t value, unsigned strip)
{
	const struct x86_operand segment = scratch_vector(c, c->vector, 1);
	const struct x86_operand most = scratch_vector(c, c->vector, 2);
	const struct x86_operand other = scratch_vector(c, c->vector, 3);
	const struct x86_operand masks = x86_constant(c->x, lane_most, c->vector);
	uint32_t segments[KIND_LANES], mosts[KIND_LANES];
	struct x86_operand from;
	uint32_t number;

	if (is_number(c, value, &number)) {
		for (uint32_t l = 0; l < KIND_LANES; l++) {
			const struct limit limit = limit_of(l, number);

			segments[l] = limit.segment;
			mosts[l] = limit.most;
		}
		EMIT(vmovups, segment, lanes_constant(c, segments, strip));
		EMIT(vmovups, most, lanes_constant(c, mosts, strip));
		return;
	}
	from = part_register(c, exact_source(c, value, 4, strip, 1).part[0], 4, most.number);
	EMIT(vpsrld, segment, from, x86_immediate(8));
	logic(c, LOGIC_AND, segment, segment, masks);
	logic(c, LOGIC_AND, most, from, masks);
	logic(c, LOGIC_ANDN, most, segment, most);
	logic(c, LOGIC_AND, other, segment, lanes_constant(c, lane_numbers, strip));
	logic(c, LOGIC_OR, most, most, other);
}

/* Scratch vector 3 = the lanes that those of @strip name, by b and a segment in vector 1. */
static void compute_lanes(struct compile *c, enum ir_shuffle form, unsigned strip)
{
	const struct x86_operand b = vector_b(c);
	const struct x86_operand segment = scratch_vector(c, c->vector, 1);
	const struct x86_operand to = scratch_vector(c, c->vector, 3);
	const struct x86_operand numbers = lanes_constant(c, lane_numbers, strip);

	switch (form) {
	case SHUFFLE_UP:
		EMIT(vmovups, to, numbers);
		EMIT(vpsubd, to, to, b);
		break;
	case SHUFFLE_DOWN:
		EMIT(vpaddd, to, b, numbers);
		break;
	case SHUFFLE_BFLY:
		logic(c, LOGIC_XOR, to, b, numbers);
		break;
	case SHUFFLE_IDX:
		logic(c, LOGIC_ANDN, to, segment, b);
		logic(c, LOGIC_AND, b, segment, numbers);
		logic(c, LOGIC_OR, to, to, b);
		break;
	}
}

/* Lanes that name one beyond their limit, in vector 2, keep their own. @value: a predicate, or
 * IR_NONE. */
static void keep_limits(struct compile *c, enum ir_shuffle form, uint32_t value, unsigned strip)
{
	const struct x86_operand beyond = scratch_vector(c, c->vector, 0);
	const struct x86_operand ones = scratch_vector(c, c->vector, 1);
	const struct x86_operand most = scratch_vector(c, c->vector, 2);
	const struct x86_operand lanes = scratch_vector(c, c->vector, 3);
	const struct x86_operand numbers = lanes_constant(c, lane_numbers, strip);
	const struct x86_operand mask = x86_k(SELECT_MASK + 1);
	const bool up = form == SHUFFLE_UP;
	struct strip to;

	if (c->select.isa == X86_AVX512) {
		EMIT(vpcmpd, mask, up ? most : lanes, up ? lanes : most, x86_immediate(6));
		EMIT(vmovdqa32, x86_masked(lanes, mask.number), numbers);
	} else {
		EMIT(vpcmpgtd, beyond, up ? most : lanes, up ? lanes : most);
		EMIT(vblendvps, lanes, lanes, numbers, beyond);
	}
	if (value == IR_NONE)
		return;
	to = strip_result(c, value, strip);
	if (c->select.isa == X86_AVX512) {
		EMIT(knotw, to.part[0], mask);
	} else {
		EMIT(vpcmpeqd, ones, ones, ones);
		EMIT(vpxor, to.part[0], beyond, ones);
	}
	strip_done(c, value, strip, to);
}

/* The elements of AT_ELEMENTS that @strip of AT_LANES names: in scratch vector 1 then, or in 0. */
static struct x86_operand gather_strip(struct compile *c, unsigned strip)
{
	const struct x86_operand index = scratch_vector(c, c->vector, 0);
	const struct x86_operand low = scratch_vector(c, c->vector, 1);
	const struct x86_operand high = scratch_vector(c, c->vector, 2);
	const struct x86_operand bit = scratch_vector(c, c->vector, 3);
	const struct x86_operand last = x86_vector(c->vector, index.number - 1);

	EMIT(vmovups, index, frame_strip(c, AT_LANES, strip));
	if (c->select.isa == X86_AVX512) {
		EMIT(vmovups, low, frame_strip(c, AT_ELEMENTS, 0));
		EMIT(vpermi2d, index, low, frame_strip(c, AT_ELEMENTS, 1));
		return index;
	}
	EMIT(vpslld, bit, index, x86_immediate(28)); /* bits 3 and 4 of a lane are its strip */
	EMIT(vpermd, low, index, frame_strip(c, AT_ELEMENTS, 0));
	EMIT(vpermd, high, index, frame_strip(c, AT_ELEMENTS, 1));
	EMIT(vblendvps, low, low, high, bit);
	EMIT(vpermd, high, index, frame_strip(c, AT_ELEMENTS, 2));
	EMIT(vpermd, last, index, frame_strip(c, AT_ELEMENTS, 3));
	EMIT(vblendvps, high, high, last, bit);
	EMIT(vpslld, bit, index, x86_immediate(27));
	EMIT(vblendvps, low, low, high, bit);
	return low;
}

/* By way of the frame: the result may be any of the sources. */
static void shuffle_unknown(struct compile *c, const struct ir_insn *insn, bool predicate)
{
	const struct x86_operand b = vector_b(c);
	const struct x86_operand masks = x86_constant(c->x, lane_most, c->vector);

	for (unsigned strip = 0; strip < c->strips; strip++)
		EMIT(vmovups, frame_strip(c, AT_ELEMENTS, strip),
		     part_register(c, exact_source(c, insn->a[0], 4, strip, 0).part[0], 4,
				   b.number));
	for (unsigned strip = 0; strip < c->strips; strip++) {
		logic(c, LOGIC_AND, b,
		      part_register(c, exact_source(c, insn->a[1], 4, strip, 0).part[0], 4,
				    b.number), masks);
		load_limits(c, insn->a[2], strip);
		compute_lanes(c, (enum ir_shuffle)insn->form, strip);
		keep_limits(c, (enum ir_shuffle)insn->form, predicate ? insn->d[1] : IR_NONE,
			    strip);
		EMIT(vmovups, frame_strip(c, AT_LANES, strip), scratch_vector(c, c->vector, 3));
	}
	for (unsigned strip = 0; strip < c->strips; strip++)
		put_strip(c, insn->d[0], strip, gather_strip(c, strip));
}

/* Tells whether something reads @value behind instruction @index. */
static bool is_needed(const struct compile *c, uint32_t index, uint32_t value)
{
	const struct ir_live *live = &c->live.insns[index + 1];

	if (value == IR_NONE || index + 1 == c->ir->blocks[c->insn_blocks[index]].end)
		return value != IR_NONE;
	for (uint32_t i = 0; i < live->count; i++)
		if (c->live.values[live->first + i] == value)
			return true;
	return false;
}

void step_shuffle(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const bool predicate = is_needed(c, index, insn->d[1]);
	uint32_t b, number;

	if (is_number(c, insn->a[1], &b) && is_number(c, insn->a[2], &number))
		shuffle_known(c, insn, b, number, predicate);
	else
		shuffle_unknown(c, insn, predicate);
}
