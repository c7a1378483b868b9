/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Bulk copies: runs of bytes, and boxes of a tensor, between global memory and
 * the shared memory of a cluster. They are executed when they are issued.
 */
#ifndef CPU_BULK_H
#define CPU_BULK_H

#include "access.h"
#include "asserts.h"

struct tensor_map;

/* How bytes are moved. */
struct transfer {
	bool to_global;
	bool reduces;
	enum reduction reduction;
	uint8_t type;    /* enum ptx_type, of what is reduced */
};

/* How @transfer accesses its global memory, or its shared memory. */
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

/*
 * count=1: counts what a bulk copy does to @size bytes @there, in global memory or, between CTAs,
 * in the shared memory that it reads; and to those of the shared memory at its other end: @flags
 * are those of its op.
 */
void count_moved(struct warp *warp, const struct transfer *transfer, uint64_t there, uint64_t size);
void count_shared(struct warp *warp, int32_t flags, uint64_t size);

/* Combines @size bytes of elements of @type with those at @to, each one atomically. */
void bulk_reduce(enum reduction reduction, unsigned type, uint8_t *to, const uint8_t *from,
		 uint32_t size);

/* A copy of a box of a tensor. */
struct box {
	const struct tensor_map *map;
	int64_t coords[5];
	uint16_t offsets[3];
	uint8_t *shared;       /* where the box is in shared memory */
	uint64_t offset;       /* of it, in the CTA's shared memory */
	struct transfer transfer;
};

static_assert(BULK_OFFSETS - BULK_COORDS == TENSOR_DIMS, "an operand for each coordinate");

/*
 * Copies the part of a box that is inside of the tensor. False after a fault. The map is valid
 * (tensor_map_wrong()) and there is shared memory as far as tensor_map_reach(): nothing
 * beyond is accessed. Global memory is checked row by row.
 */
bool tensor_copy(struct warp *warp, const struct op *ip, const struct box *box, unsigned lane);

#endif
