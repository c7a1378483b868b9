/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What race*.c have in common: the segments that tags name. */
#ifndef CPU_SEGMENT_H
#define CPU_SEGMENT_H

#include "order.h"
#include "race.h"

/* cta of a segment that is a copy's, a fill's or a word's. */
#define SEGMENT_TRANSFER UINT32_MAX

struct segment {
	_Atomic uint64_t released; /* time of the fence; 0: not yet */
	uint64_t number;           /* of the operation (order.h) */
	uint32_t cta, warp;        /* in the launch, in the CTA */
	uint32_t next;             /* of the warp */
	uint32_t line;             /* of the operation */
};

extern struct segment *race_segments;

static inline const struct segment *segment_of(uint32_t tag)
{
	return &race_segments[tag >> TAG_SHIFT];
}

/* Begins a segment of the operation of @order. Returns its number; 0 when there are no more. */
uint32_t race_new_segment(const struct order *order, uint32_t cta, uint32_t warp);

/* Tells whether memory comes to have those bytes: another worker may be about to write them, and
 * need the cells of @hold for that. */
bool race_comes_to_hold(const uint8_t *memory, const uint8_t *bytes, unsigned size,
			struct race_hold hold);

/* Writes whose access @tag was: "thread (1,0,0) of block (0,0,0)" of @number, an operation;
 * with its name when it is of another. */
void race_describe(uint64_t number, uint32_t tag, char *text, size_t size);

/* Reports what lane @lane of @w does, after what @tag has @written, or read. */
void race_report(const struct warp *w, const struct op *ip, const struct check_access *access,
		 unsigned lane, uint32_t tag, bool written);

#endif
