/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tensor_map.h"

#include <string.h>

#include "cleanup.h"
#include "cuda_abi.h"
#include "entry.h"
#include "exports.h"
#include "report.h"

#define MOST_DIM    (1ull << 32)
#define MOST_STRIDE (1ull << 40)
#define MOST_BYTES  (256ull << 10)

enum {
	MOST_BOX = 256, MOST_STEP = 8, MOST_PIXELS = 1024, SWIZZLES = 7, PACKED_TYPES = 3,
	LEAST_IM2COL = 3,
};

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

static bool is_float(int type)
{
	return type >= TENSOR_F16 && type != TENSOR_TYPES && type <= TENSOR_TF32_FTZ;
}

/* Elements that are copied of @box ones with @step. */
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

/* A chunk stays in the span of its row, so that the end is in the last one. */
uint64_t tensor_map_reach(const struct tensor_map *map, uint64_t offset)
{
	const uint64_t row = tensor_map_row(map);
	const uint64_t last = (tensor_map_size(map) / row - 1) * tensor_map_pitch(map);
	uint64_t end = 0;

	for (uint64_t at = last; at < last + row; at += TENSOR_CHUNK) {
		uint64_t to = tensor_map_swizzle(map, offset + at) - offset + TENSOR_CHUNK;

		end = to > end ? to : end;
	}
	return end;
}

/* ---- What a map has to be -------------------------------------------------------- */

/* Returns what is expected, unless @right, and where @got it is not. */
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
	EXPECT(map->rank <= TENSOR_DIMS && map->rank >= (map->im2col ? LEAST_IM2COL : 1),
	       "a tensor map has 1 to 5 dimensions, and one for im2col 3 to 5", map->rank);
	EXPECT(map->swizzle <= SWIZZLE_128, "a tensor map has a known swizzle", map->swizzle);
	EXPECT(!map->nan || (map->nan == 1 && is_float(map->type)),
	       "a tensor map fills with 0, or floating-point elements with NaN", map->nan);
	return NULL;
}

static const char *wrong_tensor(const struct tensor_map *map, uint64_t *value)
{
	EXPECT(map->address && map->address % TENSOR_CHUNK == 0,
	       "a tensor is at a multiple of 16 bytes", map->address);
	for (unsigned i = 0; i + 1u < map->rank; i++)
		EXPECT(map->strides[i] % TENSOR_CHUNK == 0 && map->strides[i] < MOST_STRIDE,
		       "a tensor has strides that are multiples of 16 bytes below 2^40",
		       map->strides[i]);
	for (unsigned i = 0; i < map->rank; i++)
		EXPECT(map->steps[i] && map->steps[i] <= MOST_STEP,
		       "a tensor map has steps of 1 to 8", map->steps[i]);
	return NULL;
}

/* How far a corner may be from the tensor's in each of so many dimensions. */
static int most_corner(unsigned rank)
{
	return rank == 3 ? 32767 : rank == 4 ? 127 : 15;
}

static const char *wrong_pixels(const struct tensor_map *map, uint64_t *value)
{
	const int most = most_corner(map->rank);

	EXPECT(map->channels && map->channels <= MOST_BOX,
	       "a tensor map for im2col has 1 to 256 channels", map->channels);
	EXPECT(map->pixels && map->pixels <= MOST_PIXELS,
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

/* Of a box: what a copy does rely on, since its chunks are moved as a whole. */
static const char *wrong_box(const struct tensor_map *map, uint64_t *value)
{
	for (unsigned i = 0; !map->im2col && i < map->rank; i++)
		EXPECT(map->box[i] && map->box[i] <= MOST_BOX,
		       "a tensor map has a box of 1 to 256 elements in each dimension",
		       map->box[i]);
	EXPECT(tensor_map_row(map) % TENSOR_CHUNK == 0,
	       "the box of a tensor map has rows of a multiple of 16 bytes", tensor_map_row(map));
	EXPECT(tensor_map_row(map) <= tensor_map_pitch(map),
	       "the box of a tensor map has rows that its swizzle spans", tensor_map_row(map));
	/* No document says so: an H100 takes 228 KiB and not 256. */
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
	/* tensormap.replace numbers the types in an order of its own. */
	static const uint8_t types[] = { TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64,
					 TENSOR_S64, TENSOR_F16, TENSOR_F32, TENSOR_F32_FTZ,
					 TENSOR_F64, TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ };

	switch (field) {
	case FIELD_ADDRESS:
		map->address = value;
		return value % TENSOR_CHUNK == 0;
	case FIELD_RANK:
		map->rank = (uint8_t)(value + 1);
		return value < TENSOR_DIMS;
	case FIELD_BOX:
		map->box[which] = (uint16_t)value;
		return value && value <= MOST_BOX;
	case FIELD_DIM:
		map->last[which] = (uint32_t)value - 1;
		return true;
	case FIELD_STRIDE:
		if (which + 1 < TENSOR_DIMS)
			map->strides[which] = value;
		return which + 1 < TENSOR_DIMS && value < MOST_STRIDE && value % 16 == 0;
	case FIELD_STEP:
		map->steps[which] = which ? (uint8_t)value : 1;
		return value && value <= MOST_STEP;
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

/* What every map is made of. */
struct tensor {
	int type;
	unsigned rank;
	void *address;
	const uint64_t *dims, *strides;
	const uint32_t *steps;
	int interleave, swizzle, l2, fill;
};

/* The bytes in a row of the box, @inner, are chunks of 16, and no more than are swizzled. */
static bool inner_fits(const struct tensor *t, uint64_t inner)
{
	static const uint16_t spans[SWIZZLES] = { UINT16_MAX, 32, 64, 128, 128, 128, 128 };

	return t->interleave || (inner % 16 == 0 && inner <= spans[t->swizzle]);
}

static CUresult check(const CUtensorMap *map, const struct tensor *t, unsigned least_rank)
{
	const uint64_t align = t->interleave == 2 ? 32 : 16;

	if (!map || (uintptr_t)map % 64 || t->type < 0 ||
	    t->type >= TENSOR_TYPES + PACKED_TYPES || t->rank < least_rank ||
	    t->rank > TENSOR_DIMS || !t->dims || !t->steps || (t->rank > 1 && !t->strides))
		return CUDA_ERROR_INVALID_VALUE;
	if (t->interleave < 0 || t->interleave > 2 || t->swizzle < 0 || t->swizzle >= SWIZZLES ||
	    t->l2 < 0 || t->l2 > 3 || t->fill < 0 || t->fill > 1)
		return CUDA_ERROR_INVALID_VALUE;
	if ((t->interleave && t->rank < 3) || (t->interleave == 2 && t->swizzle != SWIZZLE_32) ||
	    (t->fill && !is_float(t->type)) || !t->address || (uintptr_t)t->address % align)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < t->rank; i++)
		if (!t->dims[i] || t->dims[i] > MOST_DIM || !t->steps[i] ||
		    t->steps[i] > MOST_STEP)
			return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i + 1 < t->rank; i++)
		if (t->strides[i] % align || t->strides[i] >= MOST_STRIDE)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* What is right, but of a later device, or a layout that is not executed. */
static CUresult check_executed(const struct tensor *t)
{
	/* What a refused image left there is not about this. */
	report_clear();
	return t->interleave || t->swizzle > SWIZZLE_128 || t->type >= TENSOR_TYPES ?
		       CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

static void encode(const struct tensor *t, struct tensor_map *map)
{
	memset(map, 0, sizeof(*map));
	map->magic = TENSOR_MAGIC;
	map->type = (uint8_t)t->type;
	map->rank = (uint8_t)t->rank;
	map->swizzle = (uint8_t)t->swizzle;
	map->nan = (uint8_t)t->fill;
	map->address = (uintptr_t)t->address;
	for (unsigned i = 0; i < t->rank; i++) {
		map->last[i] = (uint32_t)(t->dims[i] - 1);
		map->steps[i] = i ? (uint8_t)t->steps[i] : 1;
	}
	for (unsigned i = 0; i + 1 < t->rank; i++)
		map->strides[i] = t->strides[i];
}

/* Hands @made out, if copies will take it: they judge it by the same function. */
static CUresult publish(const struct tensor_map *made, CUtensorMap *map)
{
	uint64_t value;

	if (tensor_map_wrong(made, &value))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(map, made, sizeof(*made));
	return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, int type, unsigned rank, void *address,
				const uint64_t *dims, const uint64_t *strides,
				const uint32_t *box, const uint32_t *element_strides,
				int interleave, int swizzle, int l2, int oob)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	const struct tensor t = { type, rank, address, dims, strides, element_strides,
				  interleave, swizzle, l2, oob };
	struct tensor_map made;

	TRY(call.result);
	TRY(check(map, &t, 1));
	if (!box)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < rank; i++)
		if (!box[i] || box[i] > MOST_BOX)
			return CUDA_ERROR_INVALID_VALUE;
	if (type < TENSOR_TYPES &&
	    !inner_fits(&t, (uint64_t)box[0] * tensor_element((unsigned)type)))
		return CUDA_ERROR_INVALID_VALUE;
	TRY(check_executed(&t));
	encode(&t, &made);
	for (unsigned i = 0; i < rank; i++)
		made.box[i] = (uint16_t)box[i];
	return publish(&made, map);
}

/* Whether each corner is in the range that so many dimensions leave it, and the box between
 * them is one. */
static bool corners_fit(const struct tensor *t, const int *lower, const int *upper)
{
	const int most = most_corner(t->rank);

	for (unsigned i = 0; i < t->rank - 2; i++) {
		if (lower[i] < -most - 1 || lower[i] > most || upper[i] < -most - 1 ||
		    upper[i] > most)
			return false;
		if ((int64_t)t->dims[i + 1] + upper[i] - lower[i] <= 0)
			return false;
	}
	return true;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, int type, unsigned rank, void *address,
				 const uint64_t *dims, const uint64_t *strides,
				 const int *lower, const int *upper, unsigned channels,
				 unsigned pixels, const uint32_t *element_strides, int interleave,
				 int swizzle, int l2, int oob)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	const struct tensor t = { type, rank, address, dims, strides, element_strides,
				  interleave, swizzle, l2, oob };
	struct tensor_map made;

	TRY(call.result);
	TRY(check(map, &t, LEAST_IM2COL));
	if (!lower || !upper || !channels || channels > MOST_BOX || !pixels ||
	    pixels > MOST_PIXELS || !corners_fit(&t, lower, upper))
		return CUDA_ERROR_INVALID_VALUE;
	if (type < TENSOR_TYPES &&
	    !inner_fits(&t, (uint64_t)channels * tensor_element((unsigned)type)))
		return CUDA_ERROR_INVALID_VALUE;
	TRY(check_executed(&t));
	encode(&t, &made);
	made.im2col = true;
	made.channels = (uint16_t)channels;
	made.pixels = (uint16_t)pixels;
	for (unsigned i = 0; i < rank - 2; i++) {
		made.lower[i] = (int16_t)lower[i];
		made.upper[i] = (int16_t)upper[i];
	}
	return publish(&made, map);
}

/* For devices of compute capability 10.0. */
CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, int type, unsigned rank, void *address,
				     const uint64_t *dims, const uint64_t *strides, int lower,
				     int upper, unsigned channels, unsigned pixels,
				     const uint32_t *element_strides, int interleave, int mode,
				     int swizzle, int l2, int oob)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	const struct tensor t = { type, rank, address, dims, strides, element_strides,
				  interleave, swizzle, l2, oob };

	TRY(call.result);
	TRY(check(map, &t, LEAST_IM2COL));
	if (lower < INT16_MIN || lower > INT16_MAX || upper < INT16_MIN || upper > INT16_MAX ||
	    !channels || channels > MOST_BOX || pixels > MOST_PIXELS || mode < 0 || mode > 1)
		return CUDA_ERROR_INVALID_VALUE;
	report_clear();
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct tensor_map known;

	TRY(call.result);
	if (!map || (uintptr_t)map % 64 || !address || (uintptr_t)address % 16)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&known, map, sizeof(known));
	if (known.magic != TENSOR_MAGIC)
		return CUDA_ERROR_INVALID_VALUE;
	known.address = (uintptr_t)address;
	memcpy(map, &known, sizeof(known));
	return CUDA_SUCCESS;
}
