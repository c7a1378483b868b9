/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Runs a warp ahead on a copy of its code, up to the first op that may change anything but
 * registers, and restores it. This shows which path of a loop it takes.
 */
#ifndef CPU_PROBE_H
#define CPU_PROBE_H

#include "state.h"

/*
 * Tells whether @w, which is at a back-edge's target, gets there again with the same registers
 * by ops for which @is_harmless is true. False also when there is no memory for the copies.
 */
bool probe_loops(struct warp *w, bool (*is_harmless)(const struct op *op));

#endif
