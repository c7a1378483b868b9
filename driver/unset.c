/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unset.h"

#include "access.h"
#include "cluster.h"
#include "finding.h"
#include "local.h"
#include "program.h"

/* Each of @lanes, as l. */
#define EACH(lanes)                                                                        \
	for (uint32_t m_ = (lanes), l; m_ && (l = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

static struct unset *unset_at(const struct warp *w, int32_t at)
{
	return (struct unset *)(w->rows + at);
}

static struct unset *sum_of(const struct warp *w)
{
	return &w->cta->check->sum;
}

/* ---- From registers to registers ---------------------------------------------------- */

/* Adds @bits of lane @l of @from to what is gathered. */
static void add(struct unset *sum, const struct unset *from, unsigned l, uint32_t bits)
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
		sum->bytes[l] = 0;
	}
	sum->bytes[l] |= (uint8_t)bits;
	sum->whole |= from->whole & lane;
}

/* a: a register; b: struct unset_bytes; c: predicate of the lanes concerned, 0: all; d: its
 * bits are inverted. */
void unset_gather(struct warp *w, const struct op *ip)
{
	const struct unset *from = unset_at(w, ip->a);
	uint32_t lanes = from->lanes & w->mask;
	struct unset_bytes bytes;

	memcpy(&bytes, &ip->b, sizeof(bytes));
	if (ip->c)
		lanes &= *(const uint32_t *)(w->rows + ip->c) ^ (uint32_t)ip->d;
	EACH(lanes)
	{
		uint32_t bits = (uint32_t)from->bytes[l] >> bytes.right & bytes.keep;

		add(sum_of(w), from, l, bytes.fill ? (bits ? bytes.fill : 0) : bits << bytes.left);
	}
}

/* Gives register @to what is gathered. */
static void put(const struct warp *w, struct unset *to, uint32_t how)
{
	const uint32_t size = how & 0xff, wide = how >> PUT_REGISTER_SHIFT & 0xff;
	struct unset *sum = sum_of(w);
	const uint32_t lanes = sum->lanes & w->mask;

	to->lanes = (to->lanes & ~w->mask) | lanes;
	to->never &= ~w->mask;
	to->whole = (to->whole & ~w->mask) | (how & PUT_TOTAL ? lanes : sum->whole & lanes);
	EACH(lanes)
	{
		uint32_t bits = sum->bytes[l];

		if (how & PUT_SIGN && size && bits >> (size - 1) & 1)
			bits |= 0xffu << size;
		to->bytes[l] = (uint8_t)(how & PUT_TOTAL ? 0xff : wide < 8 ?
						bits & ((1u << wide) - 1) : bits);
		if (!to->bytes[l])
			to->lanes &= ~(1u << l);
	}
	if (lanes) {
		to->origin = sum->origin;
		to->op = sum->op;
	}
	sum->lanes = 0;
}

void unset_put(struct warp *w, const struct op *ip)
{
	put(w, unset_at(w, ip->d), (uint32_t)ip->c);
}

/* d: of up to three registers a, b, c; imm: FLOW_TOTAL, and the bytes that are kept. */
void unset_flow(struct warp *w, const struct op *ip)
{
	const int32_t sources[] = { ip->a, ip->b, ip->c };

	for (unsigned i = 0; i < 3; i++) {
		const struct unset *from = unset_at(w, sources[i]);

		EACH(from->lanes & w->mask)
			add(sum_of(w), from, l, from->bytes[l] & (uint32_t)(ip->imm >>
								   FLOW_KEEP_SHIFT));
	}
	put(w, unset_at(w, ip->d), 0x808u | (ip->imm & FLOW_TOTAL ? PUT_TOTAL : 0));
}

/* Predicates: of lanes in which one operand decides alone, the other one does not matter.
 * imm: both of them; c: what decides: 0, or ~0; 1: nothing does. */
void unset_logic(struct warp *w, const struct op *ip)
{
	const struct unset *a = unset_at(w, ip->a), *b = unset_at(w, ip->b);
	const uint32_t p = *(const uint32_t *)(w->rows + (uint32_t)ip->imm);
	const uint32_t q = *(const uint32_t *)(w->rows + (uint32_t)(ip->imm >> 32));
	const uint32_t decides = (uint32_t)ip->c;
	uint32_t lanes = (a->lanes | b->lanes) & w->mask;

	if (decides != 1)
		lanes &= (a->lanes | (p ^ decides)) & (b->lanes | (q ^ decides));
	EACH(lanes)
		add(sum_of(w), a->lanes >> l & 1 ? a : b, l, 1);
	put(w, unset_at(w, ip->d), 0x101u | PUT_TOTAL);
}

/* ---- Memory ------------------------------------------------------------------------- */

/* Bits of @size bytes from those of memory, and the other way round. */
static uint32_t pair_bits(uint32_t bits)
{
	uint32_t pairs = 0;

	for (unsigned i = 0; i < 16; i++)
		pairs |= (bits >> i & 1) << i / 2;
	return pairs;
}

static bool is_unset(uint32_t bits, unsigned byte, unsigned size)
{
	return bits >> (size == 16 ? byte / 2 : byte) & 1;
}

/* What the load that follows brings, from byte b on, c bytes. */
void unset_loaded(struct warp *w, const struct op *ip)
{
	const struct cta_check *check = w->cta->check;
	const uint32_t size = (uint32_t)ip->c, all = size == 16 ? 0xffff : (1u << size) - 1;
	struct unset *sum = sum_of(w);

	EACH(check->partial & w->mask)
	{
		const uint32_t missing = (uint32_t)check->missing[l] >> ip->b & all;
		struct unset from = { .whole = size > 1 ? check->missing_all : 0,
				      .op = (uint32_t)(ip - w->cta->code->ops) };

		if (!missing)
			continue;
		from.origin = check->at_shared ? cluster_address(w->cta, check->at[l]) :
						 check->at[l];
		from.origin += (uint32_t)ip->b + (uint32_t)__builtin_ctz(missing);
		add(sum, &from, l, size == 16 ? pair_bits(missing) : missing);
	}
}

static void describe_origin(const struct warp *w, const struct unset *unset, char *text,
			    size_t size)
{
	const struct op *from = w->cta->code->ops + unset->op;
	const bool local = unset->origin && local_has(w->cta, unset->origin, 1);
	char where[256] = "";

	if (!unset->origin) {
		snprintf(text, size, "whose value comes from a register that nothing has written");
		return;
	}
	if (local)
		local_describe(w, from, unset->origin, where, sizeof(where));
	else if (unset->origin - (uint64_t)w->shared >= w->shared_size)
		memory_describe(w, unset->origin, where, sizeof(where));
	snprintf(text, size, "which line %u of the PTX loads from what %s written at %#llx%s%s",
		 w->cta->code->lines[unset->op], local ? "the thread has not" : "nobody has",
		 (unsigned long long)unset->origin, where[0] ? ": " : "", where);
}

static void report(struct warp *w, const struct op *ip, const struct unset *unset,
		   uint32_t lanes, const char *verb)
{
	const char *name = (const char *)(uintptr_t)ip->imm;
	char number[16] = "", why[400] = "which nothing has written";

	if (!finding_is_news(w, ip, CHECK_INIT))
		return;
	if (ip->c >= 0)
		snprintf(number, sizeof(number), "%d", ip->c);
	if (!(unset->never & lanes))
		describe_origin(w, unset, why, sizeof(why));
	finding_add(w, ip, lanes, CHECK_INIT, "%s of register %.*s%s, %s", verb, ip->b,
		    name ? name : "", number, why);
}

/* Tells of the whole values in memory that others see, and returns their lanes. */
static uint32_t tell_stored(struct warp *w, const struct op *ip)
{
	const struct cta_check *check = w->cta->check;
	const struct unset *sum = sum_of(w);
	uint32_t told = 0;

	EACH(sum->lanes & sum->whole & w->mask)
		if (check->at_shared || !local_has(w->cta, check->at[l], 1))
			told |= 1u << l;
	if (told)
		report(w, ip, sum, told, "store");
	return told;
}

/* The store before stores what is gathered: d bytes. Of a structure, gaps may be copied. */
void unset_stored(struct warp *w, const struct op *ip)
{
	const uint32_t size = (uint32_t)ip->d & 0xff;
	const uint32_t first = (uint32_t)ip->d >> STORED_FIRST_SHIFT & STORED_FIRST;
	const uint32_t told = ip->d & STORED_COPY ? 0 : tell_stored(w, ip);
	struct unset *sum = sum_of(w);

	EACH(sum->lanes & w->mask & ~told)
	{
		uint8_t *written = access_written_at(w, w->cta->check->at[l] + first, size,
						     w->cta->check->at_shared);

		for (unsigned i = 0; written && i < size; i++)
			if (is_unset(sum->bytes[l], i, size))
				__atomic_store_n(&written[i], 0, __ATOMIC_RELAXED);
	}
	sum->lanes = 0;
}

/* ---- Frames ------------------------------------------------------------------------- */

/* What is known of a saved register stands beside the 16 bytes that it is saved in. */
struct saved {
	uint8_t bytes, state;
	uint32_t op;
	uint64_t origin;
};
enum { SAVED_LANE = 1, SAVED_NEVER = 2, SAVED_WHOLE = 4 };

void unset_save(struct warp *w, const struct op *ip)
{
	const struct unset *from = unset_at(w, ip->a);

	EACH(w->mask)
	{
		const uint32_t state = (from->lanes >> l & 1) * SAVED_LANE |
				       (from->never >> l & 1) * SAVED_NEVER |
				       (from->whole >> l & 1) * SAVED_WHOLE;
		const struct saved saved = { from->bytes[l], (uint8_t)state, from->op,
					     from->origin };

		memcpy(local_frame(w, l, (uint64_t)ip->imm), &saved, sizeof(saved));
	}
}

void unset_restore(struct warp *w, const struct op *ip)
{
	struct unset *to = unset_at(w, ip->a);

	to->lanes &= ~w->mask;
	to->never &= ~w->mask;
	to->whole &= ~w->mask;
	EACH(w->mask)
	{
		struct saved saved;

		memcpy(&saved, local_frame(w, l, (uint64_t)ip->imm), sizeof(saved));
		to->lanes |= (uint32_t)(saved.state & SAVED_LANE) << l;
		to->never |= (uint32_t)(saved.state & SAVED_NEVER) / SAVED_NEVER << l;
		to->whole |= (uint32_t)(saved.state & SAVED_WHOLE) / SAVED_WHOLE << l;
		to->bytes[l] = saved.bytes;
		if (saved.state & SAVED_LANE) {
			to->origin = saved.origin;
			to->op = saved.op;
		}
	}
}

/* What is gathered goes to byte imm of the frame, c bytes. */
void unset_pass(struct warp *w, const struct op *ip)
{
	const uint32_t size = (uint32_t)ip->c;
	struct unset *sum = sum_of(w);

	EACH(w->mask)
	{
		uint8_t *written = local_frame(w, l, (uint64_t)ip->imm);
		const uint32_t bits = sum->lanes >> l & 1 ? sum->bytes[l] : 0;

		for (unsigned i = 0; i < size; i++)
			written[i] = !is_unset(bits, i, size);
	}
	sum->lanes = 0;
}

/* And is taken from there. */
void unset_take(struct warp *w, const struct op *ip)
{
	const uint32_t size = (uint32_t)ip->c;
	struct unset *sum = sum_of(w);

	EACH(w->mask)
	{
		const uint8_t *written = local_frame(w, l, (uint64_t)ip->imm);
		struct unset from = { .whole = ~0u, .op = (uint32_t)(ip - w->cta->code->ops) };
		uint32_t bits = 0;

		for (unsigned i = 0; i < size; i++)
			bits |= (uint32_t)!(written[i] & 1) << i;
		from.origin = (uint64_t)w->cta->local +
			      (uint64_t)(written - w->cta->check->local);
		add(sum, &from, l, size == 16 ? pair_bits(bits) : bits);
	}
}

void unset_read(struct warp *w, const struct op *ip, uint32_t lanes)
{
	struct unset *unset = unset_at(w, ip->a);

	report(w, ip, unset, lanes, "read");
	unset->lanes &= ~lanes;
	unset->never &= ~lanes;
}
