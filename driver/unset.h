/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What check=init knows of a register: which bits of it, in which lanes, have a value
 * that nobody gave. Moves, arithmetic, loads and stores hand that on; it is told of where
 * it takes effect: at a branch, an address, a store to memory that others see, and in
 * what works on several lanes, but for shuffles. lower_init.c emits the ops.
 *
 * A lane that stores a part of what it loaded without all of it being written copies a
 * structure with its gaps, and one that stores what it has put together of values and of
 * nothing fills a vector up: that is told of nowhere, and goes on in memory, byte by byte.
 * Only a value of which nothing was written, or that was computed from such, is "whole".
 */
#ifndef DRIVER_UNSET_H
#define DRIVER_UNSET_H

#include <stdbool.h>
#include <stdint.h>

struct op;
struct warp;

/* Stands behind the registers in the row file. The first of a function stays empty. */
struct unset {
	uint32_t lanes;        /* of which some bit is unset */
	uint32_t never;        /* of lanes: that have not written this very register */
	uint32_t whole;        /* that have no part of a structure, see above */
	uint32_t op;           /* where it was loaded, if it was */
	uint32_t given;        /* what is gathered: lanes that merge with a value */
	uint64_t origin;       /* and a generic address that was loaded, in one of the lanes */
	uint64_t bits[32];     /* of each lane; of registers of 16 bytes one for two of theirs,
				* of predicates 8 */
};

/* b of a gather op, whose imm are the bits that are taken: where they are, and go. */
struct unset_bits {
	uint8_t right;         /* the first is this one */
	uint8_t left;          /* and goes here */
	uint8_t fill;          /* or so many are set by any of them */
	uint8_t merges;        /* what is set of them is merged with what is not */
};

/* c of a put op, and imm of a flow op: bits that were gathered, those of the register, */
enum {
	PUT_REGISTER_SHIFT = 8,
	PUT_GROUP_SHIFT = 16,  /* how many in a row depend on each of them; 0: none does */
	PUT_SIGN = 1 << 24,    /* the state of the last one spreads upwards */
	PUT_UP = 1 << 25,      /* each depends on all below it */
	PUT_TOTAL = 64 << PUT_GROUP_SHIFT,
};

/* d of a stored op: bytes, then the first of them, and: */
enum {
	STORED_FIRST_SHIFT = 8,
	STORED_FIRST = 0xff,
	STORED_SILENT = 1 << 16, /* it is not told of */
};

/* imm of a shift op, beside those of put. */
#define SHIFT_LEFT (1ll << 32)
#define SHIFT_SIGN (1ll << 33)

static inline uint64_t low_bits(unsigned count)
{
	return count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
}

/* The slow ways of the ops in simd_init.c, where there is something to hand on. */
void unset_gather(struct warp *w, const struct op *ip);
void unset_put(struct warp *w, const struct op *ip);
void unset_flow(struct warp *w, const struct op *ip);
void unset_shift(struct warp *w, const struct op *ip);
void unset_shuffle(struct warp *w, const struct op *ip);
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
