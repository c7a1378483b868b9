/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What check=init knows of a register: which bytes of it, in which lanes, have a value
 * that nobody gave. Moves, arithmetic, loads and stores hand that on; it is told of where
 * it takes effect: at a branch, an address, a store to memory that others see, and in
 * whatever works on several lanes. lower_init.c emits the ops.
 *
 * A lane that has stored a part of what it loaded without all of it being written copies
 * a structure with its gaps: that is told of nowhere, and goes on in memory. Only a value
 * of which nothing was written, or that was computed from such, is "whole".
 */
#ifndef DRIVER_UNSET_H
#define DRIVER_UNSET_H

#include <stdbool.h>
#include <stdint.h>

struct op;
struct warp;

/* Stands behind the registers in the row file. The first of a function stays empty. */
struct unset {
	uint32_t lanes;        /* of which some byte is unset */
	uint32_t never;        /* of lanes: that have not written this very register */
	uint32_t whole;        /* that have no part of a structure, see above */
	uint32_t op;           /* where it was loaded, if it was */
	uint64_t origin;       /* and a generic address that was loaded, in one of the lanes */
	uint8_t bytes[32];     /* of each lane: a bit per byte; of registers of 16 per two */
	uint64_t unused;
};

/* b of a gather op: the bytes that are taken, and where they go. */
struct unset_bytes {
	uint8_t right;         /* taken from this one on */
	uint8_t keep;          /* a bit for each that is taken */
	uint8_t left;          /* go to this one */
	uint8_t fill;          /* else: bits that any of them sets */
};

/* c of a put op: bytes that were gathered, those of the register, and: */
enum {
	PUT_REGISTER_SHIFT = 8,
	PUT_SIGN = 1 << 16,    /* the last one's state spreads upwards */
	PUT_TOTAL = 1 << 17,   /* all bytes depend on each */
};

/* d of a stored op: bytes, then the first of them, and: */
enum { STORED_FIRST_SHIFT = 8, STORED_FIRST = 0xff, STORED_COPY = 1 << 16 };

/* imm of a flow op. */
enum { FLOW_TOTAL = 1, FLOW_KEEP_SHIFT = 8 };

/* The slow ways of the ops in simd_init.c, where there is something to hand on. */
void unset_gather(struct warp *w, const struct op *ip);
void unset_put(struct warp *w, const struct op *ip);
void unset_flow(struct warp *w, const struct op *ip);
void unset_logic(struct warp *w, const struct op *ip);
void unset_loaded(struct warp *w, const struct op *ip);
void unset_stored(struct warp *w, const struct op *ip);
void unset_save(struct warp *w, const struct op *ip);
void unset_restore(struct warp *w, const struct op *ip);
void unset_pass(struct warp *w, const struct op *ip);
void unset_take(struct warp *w, const struct op *ip);

/* Reports that @lanes read the register at @ip, and takes it for set from now on. */
void unset_read(struct warp *w, const struct op *ip, uint32_t lanes);

#endif
