/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Runs a warp ahead on a copy of its code, up to the first op that may change anything but
 * registers, and puts it back. So it is known which way it takes, however many there are.
 */
#ifndef CPU_PROBE_H
#define CPU_PROBE_H

#include "state.h"

/*
 * Tells whether @w, which stands at a back-edge's target, comes there again with the same
 * registers by ops alone that @is_harmless holds for. False also when there is no memory
 * for the copies.
 */
bool probe_goes_round(struct warp *w, bool (*is_harmless)(const struct op *op));

#endif
