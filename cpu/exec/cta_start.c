/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The warps of a CTA at their first instruction: special registers, constants, and
 * the registers that may be read before they are written, which are 0.
 *
 * Most of a row file is the same for every CTA of a launch. A CTA in the memory of
 * an ended one of the same launch finds it there.
 */
#include "asserts.h"
#include "handler.h"
#include "race.h"
#include "region.h"
#include "special.h"
#include "warp.h"

static_assert(8 * SPECIAL_COUNT <= AT_SPECIAL_ROWS - AT_SPECIAL_SLOTS,
	      "each special register has a slot before the rows");
static_assert(SPECIAL_CTAID_Z == SPECIAL_CTAID_X + 2 && SPECIAL_TID_Z == SPECIAL_TID_X + 2 &&
	      SPECIAL_NTID_Z == SPECIAL_NTID_X + 2 && SPECIAL_NCTAID_Z == SPECIAL_NCTAID_X + 2 &&
	      SPECIAL_CLUSTERID_Z == SPECIAL_CLUSTERID_X + 2 &&
	      SPECIAL_NCLUSTERID_Z == SPECIAL_NCLUSTERID_X + 2 &&
	      SPECIAL_CLUSTER_CTAID_Z == SPECIAL_CLUSTER_CTAID_X + 2 &&
	      SPECIAL_CLUSTER_NCTAID_Z == SPECIAL_CLUSTER_NCTAID_X + 2,
	      "x, y and z follow each other");

static void set_slot(struct warp *w, enum special special, uint64_t value)
{
	ASSERT(special < SPECIAL_COUNT);
	memcpy(w->rows + AT_SPECIAL_SLOTS + 8 * special, &value, sizeof(value));
}

/* The place in the grid, of which x, y and z have a bit in @which. */
static inline void fill_place(const struct cta *cta, struct warp *w, uint32_t which)
{
	FOR_BITS(k, which) {
		set_slot(w, SPECIAL_CTAID_X + k, cta->id[k]);
		set_slot(w, SPECIAL_CLUSTERID_X + k, cta->id[k]);
	}
}

/* Likewise in a launch with clusters. */
static void fill_cluster(const struct cta *cta, struct warp *w)
{
	const struct launch *launch = cta->launch;

	for (unsigned k = 0; k < 3; k++) {
		set_slot(w, SPECIAL_CLUSTERID_X + k, cta->id[k] / launch->cluster[k]);
		set_slot(w, SPECIAL_CLUSTER_CTAID_X + k, cta->id[k] % launch->cluster[k]);
	}
	set_slot(w, SPECIAL_CLUSTER_CTARANK, cta->rank);
}

/* The size of shared memory: the part that the system reserves is at the end. */
static void fill_shared(const struct cta *cta, struct warp *w)
{
	const uint32_t end = cta->shared_size;
	const uint32_t begin = end - (cta->code->reserved ? CTA_RESERVED : 0);

	set_slot(w, SPECIAL_TOTAL_SMEM, begin);
	set_slot(w, SPECIAL_AGGR_SMEM, end);
	for (unsigned k = 0; k < 2; k++)
		set_slot(w, SPECIAL_RESERVED_0 + k, begin);
	set_slot(w, SPECIAL_RESERVED_BEGIN, begin);
	set_slot(w, SPECIAL_RESERVED_CAP, end);
	set_slot(w, SPECIAL_RESERVED_END, end);
}

/* The special registers that are the same for all threads. */
static void fill_slots(const struct cta *cta, struct warp *w)
{
	const struct launch *launch = cta->launch;

	set_slot(w, SPECIAL_CLUSTER_CTARANK, 0);
	for (unsigned k = 0; k < 3; k++)
		set_slot(w, SPECIAL_CLUSTER_CTAID_X + k, 0);
	fill_place(cta, w, 7);
	if (launch->clustered)
		fill_cluster(cta, w);
	for (unsigned k = 0; k < 3; k++) {
		const uint32_t cluster = launch->cluster[k];

		set_slot(w, SPECIAL_NTID_X + k, launch->block[k]);
		set_slot(w, SPECIAL_NCTAID_X + k, launch->grid[k]);
		set_slot(w, SPECIAL_NCLUSTERID_X + k, launch->grid[k] / cluster);
		set_slot(w, SPECIAL_CLUSTER_NCTAID_X + k, cluster);
	}
	set_slot(w, SPECIAL_CLUSTER_NCTARANK,
		 launch->cluster[0] * launch->cluster[1] * launch->cluster[2]);
	set_slot(w, SPECIAL_IS_CLUSTER, launch->clustered ? UINT32_MAX : 0);
	set_slot(w, SPECIAL_GRIDID, launch->id);
	set_slot(w, SPECIAL_ENVREG1, launch->workspace >> 32);
	set_slot(w, SPECIAL_ENVREG2, (uint32_t)launch->workspace);
	set_slot(w, SPECIAL_NWARPID, 64);
	set_slot(w, SPECIAL_SMID, cta->worker);
	set_slot(w, SPECIAL_NSMID, 1024);
	set_slot(w, SPECIAL_DYNAMIC_SMEM, launch->dynamic_shared);
	fill_shared(cta, w);
}

static void fill_constants(struct cta *cta, struct warp *w)
{
	const struct code *code = cta->code;
	uint64_t bases[] = { 0, (uint64_t)cta->launch->params, (uint64_t)cta->shared,
			     code->dynamic_at };

	for (size_t i = 0; i < code->constant_count; i++) {
		uint64_t value = code->constants[i].value + bases[code->constants[i].base];

		ASSERT(code->constants[i].base < sizeof(bases) / sizeof(bases[0]));
		ASSERT((uint32_t)code->constants[i].slot < code->row_bytes);
		memcpy(w->rows + code->constants[i].slot, &value, sizeof(value));
	}
}

/* A special register that depends on the lane alone. */
static uint32_t lane_value(enum special special, unsigned l)
{
	switch (special) {
	case SPECIAL_LANEID:
		return l;
	case SPECIAL_LANEMASK_EQ:
		return 1u << l;
	case SPECIAL_LANEMASK_LT:
		return (1u << l) - 1;
	case SPECIAL_LANEMASK_LE:
		return (2u << l) - 1;
	case SPECIAL_LANEMASK_GE:
		return ~((1u << l) - 1);
	case SPECIAL_LANEMASK_GT:
		return ~((2u << l) - 1);
	default:
		return 0;
	}
}

static void fill_lanes(struct cta *cta, struct warp *w)
{
	for (unsigned special = SPECIAL_LANEID; special <= SPECIAL_LANEMASK_LT; special++) {
		uint32_t *row = (uint32_t *)(w->rows + special_offset(special));

		if (!(cta->code->uses >> special_bit(special) & 1))
			continue;
		for (unsigned l = 0; l < LANES; l++)
			row[l] = lane_value(special, l);
	}
}

/* Copies what is the same in all warps from the first one, which has not run yet. */
static void copy_first(const struct code *code, struct warp *w, const uint8_t *first)
{
	const uint32_t lanes = (1u << special_bit(SPECIAL_TID_X)) - 1;

	memcpy(w->rows + AT_SPECIAL_SLOTS, first + AT_SPECIAL_SLOTS, 8 * SPECIAL_COUNT);
	if (code->uses & lanes)
		memcpy(w->rows + AT_SPECIAL_ROWS, first + AT_SPECIAL_ROWS,
		       128 * special_bit(SPECIAL_TID_X));
	memcpy(w->rows + code->constants_at, first + code->constants_at,
	       8 * code->constant_count);
}

/* The rows of %tid, whether they are read or not. */
static void fill_threads(const uint32_t block[3], struct warp *w, const uint32_t first[3])
{
	uint32_t *x = (uint32_t *)(w->rows + special_offset(SPECIAL_TID_X));
	uint32_t *y = (uint32_t *)(w->rows + special_offset(SPECIAL_TID_Y));
	uint32_t *z = (uint32_t *)(w->rows + special_offset(SPECIAL_TID_Z));
	uint32_t at[3] = { first[0], first[1], first[2] };

	for (unsigned l = 0; !(block[0] % LANES) && l < LANES; l++) {
		x[l] = at[0] + l;
		y[l] = at[1];
		z[l] = at[2];
	}
	for (unsigned l = 0; block[0] % LANES && l < LANES; l++) {
		x[l] = at[0];
		y[l] = at[1];
		z[l] = at[2];
		if (++at[0] < block[0])
			continue;
		at[0] = 0;
		if (++at[1] < block[1])
			continue;
		at[1] = 0;
		at[2]++;
	}
}

/* The special registers in which the warps differ. */
static void fill_own(struct cta *cta, struct warp *w)
{
	const uint32_t *block = cta->launch->block;
	const uint32_t thread = w->index * LANES, line = thread / block[0];
	const uint32_t first[] = { thread % block[0], line % block[1], line / block[1] };

	set_slot(w, SPECIAL_WARPID, w->index);
	set_slot(w, SPECIAL_TID_Y, first[1]); /* for code that is lowered for whole lines */
	set_slot(w, SPECIAL_TID_Z, first[2]);
	if (cta->code->uses >> special_bit(SPECIAL_TID_X))
		fill_threads(block, w, first);
}

/* Registers that may be read before they are written. */
static void clear_registers(const struct code *code, struct warp *w)
{
	for (size_t i = 0; i < code->blank_count; i++) {
		const struct blank *blank = &code->blanks[i];

		ASSERT((uint32_t)blank->at + (uint32_t)blank->size <= code->row_bytes);
		memset(w->rows + blank->at, 0, (size_t)blank->size);
	}
}

static void start_warp(struct cta *cta, struct warp *w, uint32_t index, uint8_t *rows)
{
	memset(w, 0, sizeof(*w));
	w->cta = cta;
	w->index = index;
	w->rows = rows;
	w->slots = (uint64_t *)(w->rows + cta->code->variants_at);
	w->kept = (uint64_t *)(w->rows + cta->code->row_bytes);
	w->hits = cta->hits;
	w->shared = cta->shared;
	w->shared_size = cta->shared_size;
	if (index) {
		copy_first(cta->code, w, cta->warps[0].rows);
	} else {
		fill_slots(cta, w);
		fill_constants(cta, w);
		fill_lanes(cta, w);
	}
	fill_own(cta, w);
}

/* Tells whether the operands of @op, whose handler is made of a row of ops_*.def, are in the row
 * file. For asserts, as the next one. */
static inline bool is_in_rows(const struct code *code, const struct op *op)
{
	const int32_t end = (int32_t)code->row_bytes;

	return op->d >= 0 && op->d < end && op->a >= 0 && op->a < end && op->b >= 0 &&
	       op->b < end && op->c >= 0 && op->c < end;
}

/* The handler of op @i, which compiled code may have replaced. */
static inline unsigned handler_before(const struct code *code, uint32_t i)
{
	struct op op = { .fn = op_handler(&code->ops[i]) };
	const struct code_region *region = code->region;
	op_fn *fn = region ? region_handler(region, i) : NULL;

	op.fn = fn ? fn : op.fn;
	return handler_of(&op);
}

/* Tells whether each op of @code has a handler, and those made of rows their operands. */
static inline bool has_sound_ops(const struct code *code)
{
	for (uint32_t i = 0; i < code->op_count; i++) {
		const unsigned handler = handler_before(code, i);

		if (handler >= HANDLER_COUNT ||
		    (handler >= HANDLER_ROWS && handler < HANDLER_BRANCHES &&
		     !is_in_rows(code, &code->ops[i])))
			return false;
	}
	return handler_before(code, 0) == HANDLER_halt;
}

/* Puts @w, of which @threads exist, at op @start, which is its first one. */
static inline void begin_warp(struct warp *w, uint32_t threads, const struct op *start)
{
	w->arrived = 0;
	w->left = NULL;
	w->live = threads >= LANES ? ~0u : (1u << threads) - 1;
	warp_wait_whole(w, start, GROUP_READY, 0);
}

void cta_start(struct cta *cta, uint8_t *rows)
{
	const struct code *code = cta->code;

	ASSERT(cta->live && cta->live <= DEVICE_MAX_THREADS);
	ASSERT(code->start < code->op_count && code->again < code->op_count);
	ASSERT(cta->id[0] | cta->id[1] | cta->id[2] || has_sound_ops(code));
	ASSERT(code->warp_bytes >= code->row_bytes && code->warp_bytes % 64 == 0);
	for (uint32_t i = 0; i * LANES < cta->live; i++) {
		struct warp *w = &cta->warps[i];

		start_warp(cta, w, i, rows + (size_t)i * code->warp_bytes);
		clear_registers(code, w);
		w->unkept = ~0u;
		if (cta->race)
			race_start_warp(cta, w, i);
		begin_warp(w, cta->live - i * LANES, &code->ops[code->start]);
		cta->warp_count = i + 1;
	}
}

/* What calls have left behind: lanes may have exited in a function, also in one without a frame. */
static void forget_calls(struct warp *w)
{
	ASSERT(!w->levels);
	w->level_count = 0;
	memset(w->frame, 0, sizeof(w->frame));
	memset(w->taken, 0, sizeof(w->taken));
	memset(w->depth, 0, sizeof(w->depth));
}

/* What only some kernels need in each warp. */
static void restart_rest(struct cta *cta)
{
	const struct code *code = cta->code;

	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct warp *w = &cta->warps[i];

		if (code->stack || code->callee_count)
			forget_calls(w);
		if (cta->launch->clustered)
			fill_cluster(cta, w);
		if (cta->race)
			race_start_warp(cta, w, i);
		clear_registers(code, w);
	}
}

void cta_restart(struct cta *cta, uint32_t moved)
{
	const struct code *code = cta->code;
	const struct op *start = &code->ops[code->again];
	uint32_t threads = cta->live;

	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct warp *w = &cta->warps[i];

		/* This is how the exit of its last lane leaves a warp. */
		ASSERT(w->cta == cta && !w->live && !w->mask && !w->group_count && !w->split);
		ASSERT(w->unkept == ~0u);
		fill_place(cta, w, moved);
		begin_warp(w, threads, start);
		threads -= LANES;
	}
	if (code->stack || code->callee_count || code->blank_count || cta->launch->clustered ||
	    cta->race)
		restart_rest(cta);
}
