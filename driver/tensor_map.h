/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the 128 bytes of a CUtensorMap hold, which to programs are opaque: plain
 * fields, so that tensormap.replace can change them one by one.
 */
#ifndef DRIVER_TENSOR_MAP_H
#define DRIVER_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_DIMS = 5, TENSOR_MAGIC = 0x70616d74 };

/* CUtensorMapDataType */
enum tensor_type {
	TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64, TENSOR_S64, TENSOR_F16,
	TENSOR_F32, TENSOR_F64, TENSOR_BF16, TENSOR_F32_FTZ, TENSOR_TF32, TENSOR_TF32_FTZ,
	TENSOR_TYPES,
};

/* CUtensorMapSwizzle; the later ones need a newer device. */
enum tensor_swizzle { SWIZZLE_NONE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128 };

struct tensor_map {
	uint32_t magic;        /* TENSOR_MAGIC: else nothing has encoded it */
	uint8_t type;          /* enum tensor_type */
	uint8_t rank;          /* 1 to 5 */
	uint8_t im2col;
	uint8_t swizzle;       /* enum tensor_swizzle */
	uint64_t address;
	uint64_t strides[TENSOR_DIMS - 1]; /* bytes; of dimension 1 and up */
	uint32_t last[TENSOR_DIMS];        /* elements less 1, the fastest dimension first */
	uint16_t box[TENSOR_DIMS];         /* elements that a copy spans */
	uint8_t steps[TENSOR_DIMS];        /* every so many of them are copied */
	uint8_t nan;           /* what is outside of the tensor reads as a NaN; else 0 */
	int16_t lower[3], upper[3];        /* im2col: the corners of the box, W H D */
	uint16_t channels, pixels;         /* im2col: of one copy */
	uint8_t unused[24];
};

_Static_assert(sizeof(struct tensor_map) == 128, "as large as a CUtensorMap");

/* The fields that tensormap.replace changes. */
enum tensor_field {
	FIELD_ADDRESS, FIELD_RANK, FIELD_BOX, FIELD_DIM, FIELD_STRIDE, FIELD_STEP, FIELD_TYPE,
	FIELD_INTERLEAVE, FIELD_SWIZZLE, FIELD_FILL,
};

/*
 * Changes @field, of dimension @which where there is one for each, as
 * tensormap.replace spells values. False for one that is not executed.
 */
bool tensor_map_replace(struct tensor_map *map, enum tensor_field field, unsigned which,
			uint64_t value);

/* Bytes of an element. */
unsigned tensor_element(unsigned type);

/* Tells whether @map is one that can be followed. */
bool tensor_map_valid(const struct tensor_map *map);

#endif
