/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Bulk copies: runs of bytes, and boxes of a tensor, between global memory and
 * the shared memory of a cluster. They are done when they are issued.
 */
#ifndef CPU_BULK_H
#define CPU_BULK_H

#include "access.h"

struct tensor_map;

/* How bytes get to where they are for. */
struct transfer {
	bool to_global;
	bool reduces;
	enum reduction reduction;
	uint8_t type;    /* enum ptx_type, of what is reduced */
};

/* What becomes of the end of @transfer that is in global memory, or of the other one. */
static inline enum access_kind bulk_access(const struct transfer *transfer, bool global)
{
	if (global != transfer->to_global)
		return ACCESS_READ;
	return transfer->reduces ? ACCESS_ATOMIC : ACCESS_WRITE;
}

/* Executes @ip for the active lanes. False after a fault. */
bool bulk_execute(struct warp *warp, const struct op *ip);

/* tensormap.replace: in the maps at row a of generic addresses plus imm, field c of dimension d
 * becomes row b. False after a fault. */
bool bulk_replace(struct warp *warp, const struct op *ip);

/* Moves @size bytes, of whole elements. */
void bulk_move(const struct transfer *transfer, uint8_t *to, const uint8_t *from, uint32_t size);

/* Combines @size bytes of elements of @type with those at @to, each one atomically. */
void bulk_reduce(enum reduction reduction, unsigned type, uint8_t *to, const uint8_t *from,
		 uint32_t size);

/* A copy of a box of a tensor. */
struct box {
	const struct tensor_map *map;
	int64_t coords[5];
	uint16_t offsets[3];
	uint8_t *shared;       /* where the box is in shared memory */
	uint64_t offset;       /* of that, in the CTA's */
	struct transfer transfer;
};

/*
 * Copies a box; what is outside of the tensor is not. False after a fault. The map is right
 * (tensor_map_wrong()) and there is shared memory as far as tensor_map_reach(): nothing
 * beyond is touched. Global memory is reached row by row, for what of it is inside.
 */
bool tensor_copy(struct warp *warp, const struct op *ip, const struct box *box, unsigned lane);

#endif
