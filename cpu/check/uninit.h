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
#ifndef CPU_UNINIT_H
#define CPU_UNINIT_H

#include <stdbool.h>
#include <stdint.h>

#include "bits.h"

struct op;
struct warp;

/* The slow ways of the ops in simd/init.c, where there is something to hand on. */
void uninit_gather(struct warp *w, const struct op *ip);
void uninit_put(struct warp *w, const struct op *ip);
void uninit_flow(struct warp *w, const struct op *ip);
void uninit_shift(struct warp *w, const struct op *ip);
void uninit_shuffle(struct warp *w, const struct op *ip);
void uninit_logic(struct warp *w, const struct op *ip);
void uninit_loaded(struct warp *w, const struct op *ip);
void uninit_stored(struct warp *w, const struct op *ip);
void uninit_save(struct warp *w, const struct op *ip);
void uninit_restore(struct warp *w, const struct op *ip);
void uninit_pass(struct warp *w, const struct op *ip);
void uninit_take(struct warp *w, const struct op *ip);

/* Reports that @lanes read the register at @ip, and takes it for set from now on. */
void uninit_read(struct warp *w, const struct op *ip, uint32_t lanes);

#endif
