/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shared by race*.c and order.c: the segments that tags name, and the clock that they are released
 * by, which counts fences. Safe from any thread.
 */
#ifndef CPU_SEGMENT_H
#define CPU_SEGMENT_H

#include "asserts.h"
#include "order.h"
#include "race.h"
#include "report.h"

/* cta of a segment that is a copy, a fill or a write of a word. */
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
	ASSERT(race_segments);
	return &race_segments[tag >> TAG_SHIFT];
}

/* An operation begins; @alone: no other is active. Returns a tag not above any of its own; 0:
 * nothing is checked. A smaller one than before means that all earlier tags are cleared. */
uint32_t race_launch(bool alone);

/* The time of the last fence. */
uint64_t race_now(void);

/* Counts a fence; returns its time. */
uint64_t race_tick(void);

/* Begins a segment of the operation of @order. Returns its number; 0 when none is left. */
uint32_t race_new_segment(const struct order *order, uint32_t cta, uint32_t warp);

/* Tells whether memory has those bytes, or gets them within a short time from another worker, for
 * which @hold is released meanwhile. */
bool race_wait_for_bytes(const uint8_t *memory, const uint8_t *bytes, unsigned size,
			 struct race_hold hold);

/* Writes who made the access @tag: "thread (1,0,0) of block (0,0,0)"; with the name of its
 * operation when that is not @number. @about gets it as the other side, and borrows @text. */
void race_describe(uint64_t number, uint32_t tag, char *text, size_t size, struct about *about);

/* Reports the access of lane @lane of @w, as a race with what @tag has @written, or read. */
void race_report(const struct warp *w, const struct op *ip, const struct check_access *access,
		 unsigned lane, uint32_t tag, bool written);

#endif
