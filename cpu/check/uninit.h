/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What check=init knows of a register: which bits of it, in which lanes, are
 * uninitialised. Moves, arithmetic, loads and stores propagate that; it is reported where
 * it has an effect: at a branch, an address, a store to memory that others see, and in
 * ops on several lanes, except shuffles. lower/init_*.c emits the ops.
 *
 * A lane that stores what it loaded, of which a part is not written, copies a structure
 * with its gaps; one that stores a value made of initialised and uninitialised parts fills
 * a vector up: neither is reported; memory keeps it, byte by byte. Only a value of which
 * nothing is initialised, or that was computed from such, is "whole".
 */
#ifndef CPU_UNINIT_H
#define CPU_UNINIT_H

#include <stdbool.h>
#include <stdint.h>

#include "bits.h"

struct op;
struct warp;

/* The slow paths of the ops in simd/init.c, where there is something to propagate. */
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
void uninit_receive(struct warp *w, const struct op *ip);

/* Reports that @lanes read the register at @ip, and marks it as initialised. */
void uninit_read(struct warp *w, const struct op *ip, uint32_t lanes);

#endif
