/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What special registers hold in the lanes of a warp, whichever warp of a block of some shape. */
#ifndef CPU_BLOCK_LANES_H
#define CPU_BLOCK_LANES_H

#include "lane_values.h"
#include "special.h"

/* The threads in a block, or what is known of it. */
struct block_shape {
	uint32_t size[3];  /* x, y and z; 0: unknown, all of them */
	bool aligned;      /* then: x is a multiple of 32 */
};

struct block_lanes {
	struct block_shape shape;
	uint32_t lanes;        /* those that some warp has */
	struct values tid[3];
};

void block_lanes_find(const struct block_shape *shape, struct block_lanes *out);

/* What @special holds. */
void block_lanes_special(const struct block_lanes *lanes, enum special special, struct values *out);

#endif
