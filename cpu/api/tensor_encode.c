/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cuTensorMapEncode and its like. */
#include <string.h>

#include "cleanup.h"
#include "cuda_abi.h"
#include "entry.h"
#include "exports.h"
#include "report.h"
#include "tensor_map.h"

enum { SWIZZLES = 7, PACKED_TYPES = 3 };

/* The parameters of all kinds of maps. */
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
	    (t->fill && !tensor_is_float(t->type)) || !t->address || (uintptr_t)t->address % align)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < t->rank; i++)
		if (!t->dims[i] || t->dims[i] > TENSOR_MOST_DIM || !t->steps[i] ||
		    t->steps[i] > TENSOR_MOST_STEP)
			return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i + 1 < t->rank; i++)
		if (t->strides[i] % align || t->strides[i] >= TENSOR_MOST_STRIDE)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* Refuses what is valid, but of a later device, or a layout that is not executed. */
static CUresult check_executed(const struct tensor *t)
{
	/* A reason left by a refused image is not about this. */
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

/* Writes @made to @map, if copies will accept it: they check it by the same function. */
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
		if (!box[i] || box[i] > TENSOR_MOST_BOX)
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
	const int most = tensor_most_corner(t->rank);

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
	TRY(check(map, &t, TENSOR_LEAST_IM2COL));
	if (!lower || !upper || !channels || channels > TENSOR_MOST_BOX || !pixels ||
	    pixels > TENSOR_MOST_PIXELS || !corners_fit(&t, lower, upper))
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
	TRY(check(map, &t, TENSOR_LEAST_IM2COL));
	if (lower < INT16_MIN || lower > INT16_MAX || upper < INT16_MIN || upper > INT16_MAX ||
	    !channels || channels > TENSOR_MOST_BOX || pixels > TENSOR_MOST_PIXELS || mode < 0 ||
	    mode > 1)
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
