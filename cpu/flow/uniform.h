/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Registers that hold the same value in all lanes that run together. They live
 * in slots of 8 bytes instead of rows, and are computed one time for all lanes.
 *
 * Lanes that run together are a group (state.h). While a group waits, its
 * variant slots are kept with it; groups become one only where every slot that
 * is still needed is equal. So the analysis need not prove that lanes reconverge
 * with equal values: it avoids slots for registers that probably differ then, for
 * these would keep groups apart.
 */
#ifndef CPU_UNIFORM_H
#define CPU_UNIFORM_H

#include "flow.h"

enum home {
	HOME_ROW,       /* one element per lane */
	HOME_TEMPORARY, /* a slot; no other group runs between its write and its last use */
	HOME_VARIANT,   /* a slot that groups keep while they wait */
	HOME_INVARIANT, /* a slot of its own: every write is of the same value */
};

/*
 * Finds the home of every register of entry @body. @aligned: a warp's threads differ in
 * %tid.x alone. *@homes is owned by the caller (free). GPURUN_NO_MEMORY.
 */
int uniform_find(const struct body *body, const struct flow *flow,
		 const struct liveness *liveness, bool aligned, uint8_t **homes, struct err *e);

/* Tells whether the address of @symbol is the same for all lanes of @body: not on their stacks. */
bool symbol_uniform(const struct body *body, const struct symbol *symbol);

#endif
