/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The 128 bytes of a CUtensorMap, which are opaque to programs: plain fields, so
 * that tensormap.replace can change them one by one.
 *
 * A map is in memory that kernels can write, so that its fields may have any value.
 * They are validated
 *
 *	when it is made	  cuTensorMapEncode: all, and what does not fit into a field
 *	when it changes	  tensormap.replace: the new value, as far as a field alone can be
 *			  valid or not
 *	when it is used	  every copy reads the 128 bytes one time and validates all fields,
 *			  by the function that Encode calls last
 *
 * A copy then checks its addresses: the box, with what a swizzle adds, is in the
 * shared memory of one block of the cluster, at a multiple of 128 bytes; a row that
 * has elements inside of the tensor is in global memory as far as these go.
 */
#ifndef CPU_TENSOR_MAP_H
#define CPU_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "bits.h"

enum {
	TENSOR_MAGIC = 0x70616d74,
	TENSOR_CHUNK = 16, /* bytes that a copy moves together in shared memory */
	TENSOR_MOST_BOX = 256, TENSOR_MOST_STEP = 8, TENSOR_MOST_PIXELS = 1024,
	TENSOR_LEAST_IM2COL = 3, /* dimensions */
};

#define TENSOR_MOST_DIM    (1ull << 32) /* elements */
#define TENSOR_MOST_STRIDE (1ull << 40) /* bytes */

/* CUtensorMapDataType */
enum tensor_type {
	TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64, TENSOR_S64, TENSOR_F16,
	TENSOR_F32, TENSOR_F64, TENSOR_BF16, TENSOR_F32_FTZ, TENSOR_TF32, TENSOR_TF32_FTZ,
	TENSOR_TYPES,
};

/* CUtensorMapSwizzle; the later ones need a newer device. */
enum tensor_swizzle { SWIZZLE_NONE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128 };

struct tensor_map {
	uint32_t magic;        /* TENSOR_MAGIC: else it was never encoded */
	uint8_t type;          /* enum tensor_type */
	uint8_t rank;          /* 1 to 5 */
	uint8_t im2col;
	uint8_t swizzle;       /* enum tensor_swizzle */
	uint64_t address;
	uint64_t strides[TENSOR_DIMS - 1]; /* bytes; of dimension 1 and up */
	uint32_t last[TENSOR_DIMS];        /* elements less 1, the fastest dimension first */
	uint16_t box[TENSOR_DIMS];         /* elements that a copy spans */
	uint8_t steps[TENSOR_DIMS];        /* one of so many of them is copied */
	uint8_t nan;           /* elements outside of the tensor are NaN; else 0 */
	int16_t lower[3], upper[3];        /* im2col: the corners of the box, W H D */
	uint16_t channels, pixels;         /* im2col: of one copy */
	uint8_t unused[24];
};

_Static_assert(sizeof(struct tensor_map) == 128, "as large as a CUtensorMap");

/*
 * Changes @field, of dimension @which where there is one for each, as
 * tensormap.replace encodes values. False for one that the field cannot have, or
 * that is not executed: @map must not be used then.
 */
bool tensor_map_replace(struct tensor_map *map, enum tensor_field field, unsigned which,
			uint64_t value);

/* Tells whether @type, enum tensor_type, is of floating point. */
bool tensor_is_float(int type);

/* How far a corner of im2col may be from the tensor's in each of @rank dimensions. */
int tensor_most_corner(unsigned rank);

/* Bytes of an element. */
unsigned tensor_element(unsigned type);

/*
 * Validates every field of @map, which may have any value. NULL: a copy may use it, and
 * cuTensorMapEncode may make it. Else the text of what is expected, and in @value the
 * invalid value.
 */
const char *tensor_map_wrong(const struct tensor_map *map, uint64_t *value);

/* Elements of a tile that are copied in dimension @i. */
uint32_t tensor_map_count(const struct tensor_map *map, unsigned i);

/* Bytes of its rows: elements that follow each other in both memories. */
uint64_t tensor_map_row(const struct tensor_map *map);

/* Bytes of a box: what an mbarrier counts. At most 2^43 if no dimension is over 256. */
uint64_t tensor_map_size(const struct tensor_map *map);

/* Bytes from one row of a box to the next in shared memory: the span of the swizzle, of which a
 * shorter row leaves the rest unchanged; without a swizzle, those of a row. */
uint64_t tensor_map_pitch(const struct tensor_map *map);

/* The place of the chunk that would be at @offset of a CTA's shared memory without the swizzle. */
uint64_t tensor_map_swizzle(const struct tensor_map *map, uint64_t offset);

/*
 * Bytes of shared memory, counted from the beginning of a box at @offset of a CTA's, a
 * multiple of 128, up to the end of what a copy of it accesses. It accesses nothing before
 * the box. More than tensor_map_size() where rows are shorter than the span of the swizzle.
 */
uint64_t tensor_map_reach(const struct tensor_map *map, uint64_t offset);

#endif
