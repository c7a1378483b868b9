/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block_lanes.h"

#include <string.h>

#include "asserts.h"
#include "device_limits.h"

/* What the warps so far have in common in one of x, y and z. */
struct gathering {
	uint32_t all, any;     /* of lane 0: bits that are 1 in all warps, in some */
	bool differs;          /* the steps */
};

/* The next thread's x, y and z. Beyond the block x goes on: no row ends there. */
static void next_thread(const uint32_t size[3], bool beyond, uint32_t at[3])
{
	if (++at[0] < size[0] || beyond)
		return;
	at[0] = 0;
	if (++at[1] < size[1])
		return;
	at[1] = 0;
	at[2]++;
}

/* Adds a warp whose first thread is @at, which becomes the first of the next, to what is known. */
static void gather_warp(const uint32_t size[3], uint32_t left, uint32_t at[3],
			struct gathering found[3], struct block_lanes *out)
{
	const uint32_t first[3] = { at[0], at[1], at[2] };
	const bool only = out->lanes == 0;

	for (unsigned l = 0; l < KIND_LANES; l++) {
		for (unsigned k = 0; k < 3; k++) {
			const int64_t step = (int32_t)(at[k] - first[k]);

			if (only)
				out->tid[k].steps[l] = step;
			else if (l < left)
				found[k].differs |= out->tid[k].steps[l] != step;
		}
		next_thread(size, l + 1 >= left, at);
	}
	for (unsigned k = 0; k < 3; k++) {
		found[k].all &= first[k];
		found[k].any |= first[k];
	}
	if (only)
		out->lanes = left < KIND_LANES ? (1u << left) - 1 : UINT32_MAX;
}

/* Compares all warps of a block of a known shape. */
static void gather_block(struct block_lanes *out)
{
	const uint32_t *size = out->shape.size;
	const uint32_t total = size[0] * size[1] * size[2];
	struct gathering found[3] = { { UINT32_MAX, 0, false }, { UINT32_MAX, 0, false },
				      { UINT32_MAX, 0, false } };
	uint32_t at[3] = { 0, 0, 0 };

	out->lanes = 0;
	for (uint32_t done = 0; done < total; done += KIND_LANES)
		gather_warp(size, total - done, at, found, out);
	for (unsigned k = 0; k < 3; k++) {
		struct values *tid = &out->tid[k];

		if (found[k].differs) {
			values_vector(tid);
			continue;
		}
		tid->form = VALUES_BASE;
		tid->known = ~(uint64_t)(found[k].any ^ found[k].all);
		tid->base = found[k].all & tid->known;
		tid->varies = false;
		for (unsigned l = 0; l < KIND_LANES; l++)
			tid->varies |= tid->steps[l] != 0;
	}
}

void block_lanes_find(const struct block_shape *shape, struct block_lanes *out)
{
	const uint64_t threads = (uint64_t)shape->size[0] * shape->size[1] * shape->size[2];

	out->shape = *shape;
	out->lanes = UINT32_MAX;
	if (threads && threads <= DEVICE_MAX_THREADS) {
		gather_block(out);
		return;
	}
	out->shape.size[0] = 0;
	for (unsigned k = 0; k < 3; k++)
		values_vector(&out->tid[k]);
	if (!shape->aligned)
		return;
	for (unsigned k = 0; k < 3; k++)
		values_uniform(&out->tid[k], ~(uint64_t)(DEVICE_MAX_THREADS - 1), 0);
	out->tid[0].known |= KIND_LANES - 1;
	out->tid[0].varies = true;
	for (unsigned l = 0; l < KIND_LANES; l++)
		out->tid[0].steps[l] = l;
}

/* A special register that depends on the lane alone, or every bit of it. */
static uint32_t lane_bits(enum special special, unsigned lane)
{
	const uint32_t own = 1u << lane;

	switch (special) {
	case SPECIAL_LANEID:
		return lane;
	case SPECIAL_LANEMASK_EQ:
		return own;
	case SPECIAL_LANEMASK_LT:
		return own - 1;
	case SPECIAL_LANEMASK_LE:
		return own - 1 + own;
	case SPECIAL_LANEMASK_GE:
		return ~(own - 1);
	default:
		return ~(own - 1) & ~own; /* SPECIAL_LANEMASK_GT */
	}
}

static_assert(SPECIAL_TID_Z == SPECIAL_TID_X + 2 && SPECIAL_NTID_Z == SPECIAL_NTID_X + 2,
	      "x, y and z follow each other");
static_assert(!(DEVICE_MAX_THREADS & (DEVICE_MAX_THREADS - 1)), "the other bits are 0");

void block_lanes_special(const struct block_lanes *lanes, enum special special, struct values *out)
{
	uint64_t values[KIND_LANES];

	switch (special_infos[special].form) {
	case FORM_SLOT:
		values_uniform(out, 0, 0);
		if (special >= SPECIAL_NTID_X && special <= SPECIAL_NTID_Z && lanes->shape.size[0])
			values_uniform(out, UINT64_MAX,
				       lanes->shape.size[special - SPECIAL_NTID_X]);
		return;
	case FORM_ZERO:
		values_uniform(out, UINT64_MAX, 0);
		return;
	case FORM_CLOCK:
		values_vector(out);
		return;
	case FORM_ROW:
		break;
	}
	if (special >= SPECIAL_TID_X && special <= SPECIAL_TID_Z) {
		*out = lanes->tid[special - SPECIAL_TID_X];
		return;
	}
	for (unsigned l = 0; l < KIND_LANES; l++)
		values[l] = lane_bits(special, l);
	values_from_lanes(out, values, 32);
}
