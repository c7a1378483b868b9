/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tensor_map.h"

#include <string.h>

#include "asserts.h"

#define MOST_BYTES (256ull << 10)

unsigned tensor_element(unsigned type)
{
	static const uint8_t bytes[TENSOR_TYPES] = {
		[TENSOR_U8] = 1,   [TENSOR_U16] = 2,  [TENSOR_U32] = 4,	    [TENSOR_S32] = 4,
		[TENSOR_U64] = 8,  [TENSOR_S64] = 8,  [TENSOR_F16] = 2,	    [TENSOR_F32] = 4,
		[TENSOR_F64] = 8,  [TENSOR_BF16] = 2, [TENSOR_F32_FTZ] = 4, [TENSOR_TF32] = 4,
		[TENSOR_TF32_FTZ] = 4,
	};

	return type < TENSOR_TYPES ? bytes[type] : 0;
}

bool tensor_is_float(int type)
{
	return type >= TENSOR_F16 && type != TENSOR_TYPES && type <= TENSOR_TF32_FTZ;
}

/* How many of @box elements are copied with @step. */
static uint32_t steps_in(uint32_t box, uint32_t step)
{
	return (box + step - 1) / step;
}

uint32_t tensor_map_count(const struct tensor_map *map, unsigned i)
{
	return i ? steps_in(map->box[i], map->steps[i]) : map->box[0];
}

uint64_t tensor_map_row(const struct tensor_map *map)
{
	return (uint64_t)(map->im2col ? map->channels : map->box[0]) * tensor_element(map->type);
}

uint64_t tensor_map_size(const struct tensor_map *map)
{
	uint64_t size = tensor_map_row(map);

	if (map->im2col)
		return size * map->pixels;
	for (unsigned i = 1; i < map->rank; i++)
		size *= tensor_map_count(map, i);
	return size;
}

uint64_t tensor_map_pitch(const struct tensor_map *map)
{
	return map->swizzle ? 16u << map->swizzle : tensor_map_row(map);
}

uint64_t tensor_map_swizzle(const struct tensor_map *map, uint64_t offset)
{
	return offset ^ ((offset >> 7 & ((1u << map->swizzle) - 1)) << 4);
}

/* A chunk stays in the span of its row, so that the end is in the last row. */
uint64_t tensor_map_reach(const struct tensor_map *map, uint64_t offset)
{
	const uint64_t row = tensor_map_row(map);
	const uint64_t last = (tensor_map_size(map) / row - 1) * tensor_map_pitch(map);
	uint64_t end = 0;

	ASSERT(row && row % TENSOR_CHUNK == 0);
	for (uint64_t at = last; at < last + row; at += TENSOR_CHUNK) {
		uint64_t to = tensor_map_swizzle(map, offset + at) - offset + TENSOR_CHUNK;

		end = to > end ? to : end;
	}
	return end;
}

/* ---- Validation ------------------------------------------------------------------ */

/* Returns the text of what is expected, and @got in its value, unless @right. */
#define EXPECT(right, what, got)                                                           \
	do {                                                                               \
		if (!(right)) {                                                            \
			*value = (uint64_t)(got);                                          \
			return what;                                                       \
		}                                                                          \
	} while (0)

static const char *wrong_kind(const struct tensor_map *map, uint64_t *value)
{
	EXPECT(map->magic == TENSOR_MAGIC, "a tensor map is made by cuTensorMapEncode",
	       map->magic);
	EXPECT(map->type < TENSOR_TYPES, "a tensor map has elements of a known type", map->type);
	EXPECT(map->im2col <= 1, "a tensor map is for tiles or im2col", map->im2col);
	EXPECT(map->rank <= TENSOR_DIMS && map->rank >= (map->im2col ? TENSOR_LEAST_IM2COL : 1),
	       "a tensor map has 1 to 5 dimensions, and one for im2col 3 to 5", map->rank);
	EXPECT(map->swizzle <= SWIZZLE_128, "a tensor map has a known swizzle", map->swizzle);
	EXPECT(!map->nan || (map->nan == 1 && tensor_is_float(map->type)),
	       "a tensor map fills with 0, or floating-point elements with NaN", map->nan);
	return NULL;
}

static const char *wrong_tensor(const struct tensor_map *map, uint64_t *value)
{
	EXPECT(map->address && map->address % TENSOR_CHUNK == 0,
	       "a tensor is at a multiple of 16 bytes", map->address);
	for (unsigned i = 0; i + 1u < map->rank; i++)
		EXPECT(map->strides[i] % TENSOR_CHUNK == 0 && map->strides[i] < TENSOR_MOST_STRIDE,
		       "a tensor has strides that are multiples of 16 bytes below 2^40",
		       map->strides[i]);
	for (unsigned i = 0; i < map->rank; i++)
		EXPECT(map->steps[i] && map->steps[i] <= TENSOR_MOST_STEP,
		       "a tensor map has steps of 1 to 8", map->steps[i]);
	return NULL;
}

int tensor_most_corner(unsigned rank)
{
	return rank == 3 ? 32767 : rank == 4 ? 127 : 15;
}

static const char *wrong_pixels(const struct tensor_map *map, uint64_t *value)
{
	const int most = tensor_most_corner(map->rank);

	EXPECT(map->channels && map->channels <= TENSOR_MOST_BOX,
	       "a tensor map for im2col has 1 to 256 channels", map->channels);
	EXPECT(map->pixels && map->pixels <= TENSOR_MOST_PIXELS,
	       "a tensor map for im2col has 1 to 1024 pixels", map->pixels);
	for (unsigned i = 0; i + 2u < map->rank; i++) {
		const int lower = map->lower[i], upper = map->upper[i];

		EXPECT(lower >= -most - 1 && lower <= most && upper >= -most - 1 &&
			       upper <= most,
		       "the corners of a tensor map for im2col are in the range of its rank",
		       lower < -most - 1 || lower > most ? lower : upper);
		EXPECT((int64_t)map->last[i + 1] + 1 + upper - lower > 0,
		       "there is a box between the corners of a tensor map for im2col",
		       upper - lower);
	}
	return NULL;
}

/* Of a box: what a copy relies on, since its chunks are moved as a whole. */
static const char *wrong_box(const struct tensor_map *map, uint64_t *value)
{
	for (unsigned i = 0; !map->im2col && i < map->rank; i++)
		EXPECT(map->box[i] && map->box[i] <= TENSOR_MOST_BOX,
		       "a tensor map has a box of 1 to 256 elements in each dimension",
		       map->box[i]);
	EXPECT(tensor_map_row(map) % TENSOR_CHUNK == 0,
	       "the box of a tensor map has rows of a multiple of 16 bytes", tensor_map_row(map));
	EXPECT(tensor_map_row(map) <= tensor_map_pitch(map),
	       "the box of a tensor map has rows that its swizzle spans", tensor_map_row(map));
	/* Not documented: an H100 accepts 228 KiB and not 256. */
	EXPECT(tensor_map_size(map) < MOST_BYTES,
	       "the box of a tensor map has less than 256 KiB", tensor_map_size(map));
	return NULL;
}

const char *tensor_map_wrong(const struct tensor_map *map, uint64_t *value)
{
	const char *what = wrong_kind(map, value);

	what = what ? what : wrong_tensor(map, value);
	what = what || !map->im2col ? what : wrong_pixels(map, value);
	return what ? what : wrong_box(map, value);
}

bool tensor_map_replace(struct tensor_map *map, enum tensor_field field, unsigned which,
			uint64_t value)
{
	/* tensormap.replace numbers the types in another order. */
	static const uint8_t types[] = { TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64,
					 TENSOR_S64, TENSOR_F16, TENSOR_F32, TENSOR_F32_FTZ,
					 TENSOR_F64, TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ };
	static_assert(sizeof(types) == TENSOR_TYPES, "each type has a number");

	ASSERT(which < TENSOR_DIMS);
	switch (field) {
	case FIELD_ADDRESS:
		map->address = value;
		return value % TENSOR_CHUNK == 0;
	case FIELD_RANK:
		map->rank = (uint8_t)(value + 1);
		return value < TENSOR_DIMS;
	case FIELD_BOX:
		map->box[which] = (uint16_t)value;
		return value && value <= TENSOR_MOST_BOX;
	case FIELD_DIM:
		map->last[which] = (uint32_t)value - 1;
		return true;
	case FIELD_STRIDE:
		if (which + 1 < TENSOR_DIMS)
			map->strides[which] = value;
		return which + 1 < TENSOR_DIMS && value < TENSOR_MOST_STRIDE && value % 16 == 0;
	case FIELD_STEP:
		map->steps[which] = which ? (uint8_t)value : 1;
		return value && value <= TENSOR_MOST_STEP;
	case FIELD_TYPE:
		map->type = value < sizeof(types) ? types[value] : TENSOR_TYPES;
		return value < sizeof(types);
	case FIELD_INTERLEAVE:
		return value == 0;
	case FIELD_SWIZZLE:
		map->swizzle = (uint8_t)value;
		return value <= SWIZZLE_128;
	case FIELD_FILL:
		map->nan = (uint8_t)value;
		return value <= 1;
	}
	return false;
}
