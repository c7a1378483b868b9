/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "uninit.h"

#include "access.h"
#include "asserts.h"
#include "cluster_address.h"
#include "finding.h"
#include "local.h"
#include "low_bits.h"

static struct uninit *uninit_at(const struct warp *w, int32_t at)
{
	ASSERT(at > 0 && (size_t)at + sizeof(struct uninit) <= w->cta->code->row_bytes);
	return (struct uninit *)(w->rows + at);
}

static struct uninit *sum_of(const struct warp *w)
{
	return &w->cta->check->sum;
}

/* ---- From registers to registers ---------------------------------------------------- */

/* Adds @bits of lane @l of @from to @sum. */
static void add_lane_bits(struct uninit *sum, const struct uninit *from, unsigned l, uint64_t bits)
{
	const uint32_t lane = 1u << l;

	if (!bits)
		return;
	if (!sum->lanes) {
		sum->origin = from->origin;
		sum->op = from->op;
	}
	if (!(sum->lanes & lane)) {
		sum->lanes |= lane;
		sum->whole &= ~lane;
		sum->bits[l] = 0;
	}
	sum->bits[l] |= bits;
	sum->whole |= from->whole & lane;
}

/* a: a register; b: struct uninit_bits; c: predicate of the lanes concerned, 0: all; d: its
 * bits are inverted; imm: bits that are used. */
void uninit_gather(struct warp *w, const struct op *ip)
{
	const struct uninit *from = uninit_at(w, ip->a);
	uint32_t lanes = from->lanes & w->mask;
	struct uninit_bits how;

	memcpy(&how, &ip->b, sizeof(how));
	if (ip->c)
		lanes &= *(const uint32_t *)(w->rows + ip->c) ^ (uint32_t)ip->d;
	FOR_BITS(l, lanes) {
		uint64_t bits = from->bits[l] >> how.right & (uint64_t)ip->imm;

		if (how.merges && !bits)
			sum_of(w)->given |= 1u << l;
		if (how.fill && bits)
			bits = low_bits(how.fill);
		add_lane_bits(sum_of(w), from, l, bits << how.left);
	}
}

/* The bits of a result that are uninitialised when @bits of its operands are. */
static uint64_t spread(uint64_t bits, uint32_t how)
{
	const unsigned size = how & 0xff, group = how >> PUT_GROUP_SHIFT & 0xff;
	uint64_t all = 0;

	if (how & PUT_SIGN && size && bits >> (size - 1) & 1)
		bits |= ~low_bits(size);
	if (how & PUT_UP)
		bits |= -bits;
	if (!group)
		return bits;
	for (unsigned at = 0; at < 64; at += group)
		if (bits >> at & low_bits(group))
			all |= low_bits(group) << at;
	return all;
}

/* Moves what is gathered to register @to. */
static void put(const struct warp *w, struct uninit *to, uint32_t how)
{
	const unsigned wide = how >> PUT_REGISTER_SHIFT & 0xff;
	const bool computed = how & PUT_UP || (how >> PUT_GROUP_SHIFT & 0xff) >= wide;
	const uint64_t all = low_bits(wide);
	struct uninit *sum = sum_of(w);
	const uint32_t lanes = sum->lanes & w->mask;

	to->lanes = (to->lanes & ~w->mask) | lanes;
	to->never &= ~w->mask;
	to->whole = (to->whole & ~w->mask) | (sum->whole & lanes & ~sum->given);
	FOR_BITS(l, lanes) {
		to->bits[l] = spread(sum->bits[l], how) & all;
		if (!to->bits[l])
			to->lanes &= ~(1u << l);
		else if (computed || (to->bits[l] == all && sum->whole >> l & 1))
			to->whole |= 1u << l;
	}
	if (lanes) {
		to->origin = sum->origin;
		to->op = sum->op;
	}
	sum->lanes = sum->given = 0;
}

void uninit_put(struct warp *w, const struct op *ip)
{
	put(w, uninit_at(w, ip->d), (uint32_t)ip->c);
}

/* d: of up to three registers a, b, c; imm: as c of a put. */
void uninit_flow(struct warp *w, const struct op *ip)
{
	const int32_t sources[] = { ip->a, ip->b, ip->c };

	for (unsigned i = 0; i < 3; i++) {
		const struct uninit *from = uninit_at(w, sources[i]);

		FOR_BITS(l, from->lanes & w->mask)
			add_lane_bits(sum_of(w), from, l, from->bits[l]);
	}
	put(w, uninit_at(w, ip->d), (uint32_t)ip->imm);
}

/* d: a by b, whose values are row c. */
void uninit_shift(struct warp *w, const struct op *ip)
{
	const struct uninit *a = uninit_at(w, ip->a), *by = uninit_at(w, ip->b);
	const unsigned wide = (unsigned)(ip->imm >> PUT_REGISTER_SHIFT) & 0xff;
	const uint32_t *values = (const uint32_t *)(w->rows + ip->c);

	FOR_BITS(l, by->lanes & w->mask)
		add_lane_bits(sum_of(w), by, l, ~(uint64_t)0);
	FOR_BITS(l, a->lanes & w->mask & ~by->lanes) {
		const unsigned n = values[l] < wide ? values[l] : wide;
		const bool sign = ip->imm & SHIFT_SIGN && a->bits[l] >> (wide - 1) & 1;
		const uint64_t filled = a->bits[l] | (sign ? ~low_bits(wide) : 0);

		if (n == 64)
			add_lane_bits(sum_of(w), a, l, sign ? ~(uint64_t)0 : 0);
		else
			add_lane_bits(sum_of(w), a, l, ip->imm & SHIFT_LEFT ? a->bits[l] << n :
				      filled >> n | (sign ? ~(~(uint64_t)0 >> n) : 0));
	}
	put(w, uninit_at(w, ip->d), (uint32_t)ip->imm);
}

/* a: of d, by the lanes in row b. */
void uninit_shuffle(struct warp *w, const struct op *ip)
{
	const struct uninit *data = uninit_at(w, ip->d);
	const uint32_t *from = (const uint32_t *)(w->rows + ip->b);

	FOR_BITS(l, w->mask) {
		const unsigned source = from[l] & 31;
		const struct uninit one = { .whole = (data->whole >> source & 1) << l,
					   .op = data->op, .origin = data->origin };

		if (data->lanes >> source & 1)
			add_lane_bits(sum_of(w), &one, l, data->bits[source]);
	}
	put(w, uninit_at(w, ip->a), 32u << PUT_REGISTER_SHIFT);
}

/* Predicates: of lanes in which one operand decides alone, the other one does not matter.
 * imm: the rows of both; c: the value that decides: 0, or ~0; 1: none does. */
void uninit_logic(struct warp *w, const struct op *ip)
{
	const struct uninit *a = uninit_at(w, ip->a), *b = uninit_at(w, ip->b);
	const uint32_t p = *(const uint32_t *)(w->rows + (uint32_t)ip->imm);
	const uint32_t q = *(const uint32_t *)(w->rows + (uint32_t)(ip->imm >> 32));
	const uint32_t decides = (uint32_t)ip->c;
	uint32_t lanes = (a->lanes | b->lanes) & w->mask;

	if (decides != 1)
		lanes &= (a->lanes | (p ^ decides)) & (b->lanes | (q ^ decides));
	FOR_BITS(l, lanes)
		add_lane_bits(sum_of(w), a->lanes >> l & 1 ? a : b, l, 0xff);
	put(w, uninit_at(w, ip->d), 8u << PUT_REGISTER_SHIFT | PUT_TOTAL);
}

/* ---- Memory ------------------------------------------------------------------------- */

/* Of a register of 16 bytes a bit is for two. */
static unsigned bits_per_byte(unsigned size)
{
	return size == 16 ? 4 : 8;
}

/* The bits of a register of @size bytes for the bytes in @missing. */
static uint64_t bits_of(uint32_t missing, unsigned size)
{
	const unsigned step = bits_per_byte(size);
	uint64_t bits = 0;

	ASSERT(size && size <= 16);
	for (unsigned i = 0; i < size; i++)
		if (missing >> i & 1)
			bits |= low_bits(step) << i * step;
	return bits;
}

/*
 * Memory is tracked by bytes: one is uninitialised when all its bits are, or of a whole value
 * when any is. So bit fields of a word are ignored rather than reported.
 */
static bool is_uninit(const struct uninit *from, unsigned l, unsigned byte, unsigned size)
{
	const unsigned step = bits_per_byte(size);
	const uint64_t bits = from->bits[l] >> byte * step & low_bits(step);

	return from->whole >> l & 1 ? bits : bits == low_bits(step);
}

/* Gathers what the following load loads, from byte b on, c bytes. */
void uninit_loaded(struct warp *w, const struct op *ip)
{
	const struct cta_check *check = w->cta->check;
	const uint32_t size = (uint32_t)ip->c, all = size == 16 ? 0xffff : (1u << size) - 1;
	struct uninit *sum = sum_of(w);

	FOR_BITS(l, check->partial & w->mask) {
		const uint32_t missing = check->missing[l] >> ip->b & all;
		struct uninit from = { .whole = size > 1 ? check->missing_all : 0,
				      .op = (uint32_t)(ip - w->cta->code->ops) };

		if (!missing)
			continue;
		from.origin = check->at_shared ? cluster_address(w->cta, check->at[l]) :
						 check->at[l];
		from.origin += (uint32_t)ip->b + (uint32_t)__builtin_ctz(missing);
		add_lane_bits(sum, &from, l, bits_of(missing, size));
	}
}

static void describe_origin(const struct warp *w, const struct uninit *value, char *text,
			    size_t size)
{
	const struct op *from = w->cta->code->ops + value->op;
	const uint64_t offset = value->origin - (uint64_t)w->shared;
	const bool shared = offset < w->shared_size;
	char where[288];

	ASSERT(value->op < w->cta->code->op_count);
	if (!value->origin) {
		snprintf(text, size, "whose value comes from a register that nothing has written");
		return;
	}
	access_describe(w, from, shared, shared ? offset : value->origin, where, sizeof(where));
	/* Bytes that were stored count as unwritten too where the value was. */
	snprintf(text, size,
		 "whose value comes from what %s written; line %u of the PTX loads it at %s",
		 local_has(w->cta, value->origin, 1) ? "the thread had not" : "nothing had",
		 w->cta->code->lines[value->op], where);
}

static void report(struct warp *w, const struct op *ip, const struct uninit *value,
		   uint32_t lanes, const char *verb)
{
	const char *name = (const char *)(uintptr_t)ip->imm;
	char number[16] = "", why[400] = "which nothing has written";

	if (!finding_is_news(w, ip, CHECK_INIT))
		return;
	if (ip->c >= 0)
		snprintf(number, sizeof(number), "%d", ip->c);
	if (!(value->never & lanes))
		describe_origin(w, value, why, sizeof(why));
	finding_add(w, ip, lanes, CHECK_INIT, ABOUT(UNINITIALISED), "%s of register %.*s%s, %s",
		    verb, ip->b, name ? name : "", number, why);
}

/* Reports stores of whole values to device memory, and returns their lanes. */
static uint32_t report_stored(struct warp *w, const struct op *ip)
{
	const struct cta_check *check = w->cta->check;
	const struct uninit *sum = sum_of(w);
	uint32_t reported = 0;

	FOR_BITS(l, check->at_shared ? 0 : sum->lanes & sum->whole & w->mask & ~sum->given)
		if (!local_has(w->cta, check->at[l], 1) &&
		    !cluster_owner(w->cta, check->at[l], 1))
			reported |= 1u << l;
	if (reported)
		report(w, ip, sum, reported, "store");
	return reported;
}

/* The preceding store has stored what is gathered: d bytes. Gaps of a structure may be copied,
 * and vectors filled up. */
void uninit_stored(struct warp *w, const struct op *ip)
{
	const uint32_t size = (uint32_t)ip->d & 0xff;
	const uint32_t first = (uint32_t)ip->d >> STORED_FIRST_SHIFT & STORED_FIRST;
	const uint32_t reported = ip->d & STORED_SILENT ? 0 : report_stored(w, ip);
	struct uninit *sum = sum_of(w);

	FOR_BITS(l, sum->lanes & w->mask & ~reported) {
		uint8_t *written = access_written_at(w, w->cta->check->at[l] + first, size,
						     w->cta->check->at_shared);

		for (unsigned i = 0; written && i < size; i++)
			if (is_uninit(sum, l, i, size))
				__atomic_store_n(&written[i], 0, __ATOMIC_RELAXED);
	}
	sum->lanes = 0;
}

/* ---- Frames ------------------------------------------------------------------------- */

/*
 * What is known of a saved register; it stands where the 16 bytes are that it is saved in, and not
 * in their shadow, which a store to them changes.
 */
struct saved {
	uint8_t bytes, state;
	uint32_t op;
	uint64_t origin;
};
enum { SAVED_LANE = 1, SAVED_NEVER = 2, SAVED_WHOLE = 4 };

static_assert(sizeof(struct saved) == 16, "a saved register has 16 bytes of the frame");

void uninit_save(struct warp *w, const struct op *ip)
{
	const struct uninit *from = uninit_at(w, ip->a);

	FOR_BITS(l, w->mask) {
		const uint32_t state = (from->lanes >> l & 1) * SAVED_LANE |
				       (from->never >> l & 1) * SAVED_NEVER |
				       (from->whole >> l & 1) * SAVED_WHOLE;
		struct saved saved = { 0, (uint8_t)state, from->op, from->origin };

		for (unsigned i = 0; i < 8; i++)
			saved.bytes |= (uint8_t)(is_uninit(from, l, i, 8) << i);
		memcpy(local_saved(w, l, (uint64_t)ip->imm), &saved, sizeof(saved));
	}
}

void uninit_restore(struct warp *w, const struct op *ip)
{
	struct uninit *to = uninit_at(w, ip->a);

	to->lanes &= ~w->mask;
	to->never &= ~w->mask;
	to->whole &= ~w->mask;
	FOR_BITS(l, w->mask) {
		struct saved saved;

		memcpy(&saved, local_saved(w, l, (uint64_t)ip->imm), sizeof(saved));
		to->lanes |= (uint32_t)(saved.bytes ? saved.state & SAVED_LANE : 0) << l;
		to->never |= (uint32_t)(saved.state & SAVED_NEVER) / SAVED_NEVER << l;
		to->whole |= (uint32_t)(saved.state & SAVED_WHOLE) / SAVED_WHOLE << l;
		to->bits[l] = bits_of(saved.bytes, 8);
		if (saved.state & SAVED_LANE) {
			to->origin = saved.origin;
			to->op = saved.op;
		}
	}
}

/* Moves what is gathered to byte imm of the frame, c bytes. */
void uninit_pass(struct warp *w, const struct op *ip)
{
	const uint32_t size = (uint32_t)ip->c;
	struct uninit *sum = sum_of(w);

	FOR_BITS(l, w->mask) {
		uint8_t *written = local_frame(w, l, (uint64_t)ip->imm);
		const bool some = sum->lanes >> l & 1;

		for (unsigned i = 0; i < size; i++)
			written[i] = !some || !is_uninit(sum, l, i, size);
	}
	sum->lanes = 0;
}

/* Gathers it from there. */
void uninit_receive(struct warp *w, const struct op *ip)
{
	const uint32_t size = (uint32_t)ip->c;
	struct uninit *sum = sum_of(w);

	FOR_BITS(l, w->mask) {
		const uint8_t *written = local_frame(w, l, (uint64_t)ip->imm);
		struct uninit from = { .whole = ~0u, .op = (uint32_t)(ip - w->cta->code->ops) };
		uint32_t missing = 0;

		for (unsigned i = 0; i < size; i++)
			missing |= (uint32_t)!(written[i] & 1) << i;
		from.origin = (uint64_t)w->cta->local +
			      (uint64_t)(written - w->cta->check->local);
		add_lane_bits(sum, &from, l, bits_of(missing, size));
	}
}

void uninit_read(struct warp *w, const struct op *ip, uint32_t lanes)
{
	struct uninit *value = uninit_at(w, ip->a);

	report(w, ip, value, lanes, "read");
	value->lanes &= ~lanes;
	value->never &= ~lanes;
}
