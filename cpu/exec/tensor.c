/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Boxes of tensors. In shared memory rows of the fastest dimension follow each other, in
 * chunks of 16 bytes whose places a swizzle permutes: bits 4 and up of the address, as many
 * as the mode has, are xored with those from bit 7. A row takes the span of the swizzle, 32, 64
 * or 128 bytes, even where it is shorter (not documented; an H100 does it).
 */
#include "access.h"
#include "asserts.h"
#include "bulk.h"
#include "tensor_map.h"
#include "warp.h"

enum { CHUNK = TENSOR_CHUNK };

/* One row of a box: elements that follow each other in both memories. */
struct tensor_row {
	int64_t first, last;   /* the elements of it that are inside of the tensor: [first, last) */
	uint64_t global;       /* of the first one of these; undefined if there are none */
	uint64_t distance;     /* from its address to its byte */
	uint32_t count;        /* elements */
	uint32_t offset;       /* in the box, without its swizzle */
};

/* Fills @chunk with the value that elements outside of the tensor have. */
static void fill(const struct tensor_map *map, uint8_t chunk[CHUNK])
{
	static const uint8_t nan64[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
	static const uint8_t nan32[4] = { 0xff, 0xff, 0xff, 0x7f }, nan16[2] = { 0xff, 0x7f };
	const unsigned size = tensor_element(map->type);
	const uint8_t *nan = size == 8 ? nan64 : size == 4 ? nan32 : nan16;

	ASSERT(size && CHUNK % size == 0 && (!map->nan || size > 1));
	memset(chunk, 0, CHUNK);
	for (unsigned i = 0; map->nan && i < CHUNK; i += size)
		memcpy(chunk + i, nan, size);
}

/* Moves the chunks of @row. What is inside of the tensor has been checked. */
static void move_row(const struct box *box, const struct tensor_row *row)
{
	const uint32_t size = tensor_element(box->map->type), per_chunk = CHUNK / size;
	uint8_t chunk[CHUNK];

	ASSERT(row->count % per_chunk == 0 && row->last <= row->count);
	for (uint32_t i = 0; i < row->count; i += per_chunk) {
		const uint64_t at = tensor_map_swizzle(box->map, box->offset + row->offset +
							 (uint64_t)i * size);
		uint8_t *shared = box->shared + (at - box->offset);
		const int64_t from = row->first > i ? row->first : i;
		const int64_t to = row->last < i + per_chunk ? row->last : i + per_chunk;
		const uint32_t bytes = to > from ? (uint32_t)(to - from) * size : 0;
		const uint32_t skip = bytes ? (uint32_t)(from - i) * size : 0;
		uint8_t *global = (uint8_t *)(row->global + row->distance +
					      (uint64_t)(from - row->first) * size);

		if (box->transfer.to_global) {
			if (bytes)
				bulk_move(&box->transfer, global, shared + skip, bytes);
			continue;
		}
		fill(box->map, chunk);
		if (bytes)
			bulk_move(&box->transfer, chunk + skip, global, bytes);
		memcpy(shared, chunk, CHUNK);
	}
}

static bool copy_row(struct warp *w, const struct op *ip, const struct box *box,
		     struct tensor_row *row, unsigned lane)
{
	const uint32_t size = tensor_element(box->map->type);
	struct hit hit;

	if (row->last > row->first) {
		const uint32_t bytes = (uint32_t)(row->last - row->first) * size;

		if (!memory_reach(w, ip, &hit, row->global, bytes, size, lane,
				  box->transfer.to_global))
			return false;
		row->distance = hit.distance;
		access_bulk(w, ip, lane, row->global, bytes, bulk_access(&box->transfer, true));
		if (w->cta->launch->counted)
			count_moved(w, &box->transfer, row->global, bytes);
	}
	move_row(box, row);
	return true;
}

/* The address of element @at of the tensor, which is inside of it. An overflow gives an address
 * that faults instead of wrapping around. */
static uint64_t element_at(const struct tensor_map *map, const int64_t at[TENSOR_DIMS])
{
	const uint64_t nowhere = -(uint64_t)CHUNK;
	uint64_t stride = tensor_element(map->type), address = map->address, distance;

	ASSERT(map->rank && map->rank <= TENSOR_DIMS);
	for (unsigned i = 0; i < map->rank; i++) {
		if (__builtin_mul_overflow((uint64_t)at[i], stride, &distance) ||
		    __builtin_add_overflow(address, distance, &address))
			return nowhere;
		stride = i + 1u < map->rank ? map->strides[i] : 0;
	}
	return address;
}

/* The row that begins at element @at of the tensor. */
static struct tensor_row row_at(const struct tensor_map *map,
				const int64_t at[TENSOR_DIMS], uint32_t count,
				uint32_t offset)
{
	const int64_t end = (int64_t)map->last[0] + 1 - at[0];
	struct tensor_row row = { .count = count, .offset = offset };
	int64_t first[TENSOR_DIMS];

	row.first = at[0] < 0 ? -at[0] : 0;
	row.last = end < count ? end : count;
	for (unsigned i = 1; i < map->rank; i++)
		if (at[i] < 0 || at[i] > map->last[i])
			row.last = 0;
	memcpy(first, at, sizeof(first));
	first[0] += row.first;
	if (row.last > row.first)
		row.global = element_at(map, first);
	return row;
}

static bool copy_tile(struct warp *w, const struct op *ip, const struct box *box, unsigned lane)
{
	const struct tensor_map *map = box->map;
	const uint32_t pitch = (uint32_t)tensor_map_pitch(map);
	uint32_t index[TENSOR_DIMS] = { 0 }, offset = 0;
	unsigned i;

	do {
		int64_t at[TENSOR_DIMS] = { box->coords[0] };
		struct tensor_row row;

		for (i = 1; i < map->rank; i++)
			at[i] = box->coords[i] + (int64_t)index[i] * map->steps[i];
		row = row_at(map, at, map->box[0], offset);
		if (!copy_row(w, ip, box, &row, lane))
			return false;
		offset += pitch;
		for (i = 1; i < map->rank; i++) {
			if (++index[i] < tensor_map_count(map, i))
				break;
			index[i] = 0;
		}
	} while (i < map->rank);
	return true;
}

/* Pixel by pixel of the box between the corners, each one with all of its channels. */
static bool copy_pixels(struct warp *w, const struct op *ip, const struct box *box,
			unsigned lane)
{
	const struct tensor_map *map = box->map;
	const unsigned spatial = map->rank - 2u;
	int64_t at[TENSOR_DIMS], pixel[TENSOR_DIMS];

	ASSERT(map->rank >= TENSOR_LEAST_IM2COL && spatial <= sizeof(map->lower) / 2);
	memcpy(pixel, box->coords, sizeof(pixel));
	for (uint32_t n = 0; n < map->pixels; n++) {
		struct tensor_row row;

		memcpy(at, pixel, sizeof(at));
		for (unsigned i = 0; i < spatial; i++)
			at[i + 1] += box->offsets[i];
		row = row_at(map, at, map->channels,
			     n * (uint32_t)tensor_map_pitch(map));
		if (!copy_row(w, ip, box, &row, lane))
			return false;
		for (unsigned i = 0; i < spatial; i++) {
			pixel[i + 1] += map->steps[i + 1];
			if (pixel[i + 1] <= (int64_t)map->last[i + 1] + map->upper[i])
				break;
			pixel[i + 1] = map->lower[i];
			if (i + 1 == spatial)
				pixel[spatial + 1]++;
		}
	}
	return true;
}

bool tensor_copy(struct warp *w, const struct op *ip, const struct box *box, unsigned lane)
{
	return box->map->im2col ? copy_pixels(w, ip, box, lane) : copy_tile(w, ip, box, lane);
}
