/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a copy of a box has to do, element by element, in 128 bits. It shares nothing with the
 * device but the map's fields.
 */
#ifndef TEST_TENSOR_MODEL_H
#define TEST_TENSOR_MODEL_H

#include "tensor_run.h"

enum expected {
	EXPECT_DONE,
	EXPECT_FAULT,
	EXPECT_EITHER, /* it reaches memory that the model does not have */
};

/* The tensor's memory, which is at @base for the device, and the room of a block. */
struct model {
	uint8_t *memory, *room;
	uint64_t base, size;
};

/* What a copy does with one element: where it is in the box, if there was no swizzle. */
struct element {
	const struct copy *copy;
	const struct model *model;
	int64_t at[TENSOR_DIMS];
	uint64_t plain;
};

static inline unsigned model_size(unsigned type)
{
	static const uint8_t sizes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };

	return sizes[type];
}

static inline bool model_is_float(unsigned type)
{
	return type >= TENSOR_F16 && type <= TENSOR_TF32_FTZ;
}

/* Of the address in shared memory, bits 4 to 6 are changed by bits 7 to 9: as many as the
 * mode has. */
static inline uint64_t model_place(const struct copy *copy, uint64_t plain)
{
	const uint64_t offset = ROOM_AT + copy->at + plain, masks[] = { 0, 1, 3, 7 };

	return (offset ^ ((offset / 128 & masks[copy->map.swizzle]) * 16)) - ROOM_AT;
}

/* Whether the element is inside of the tensor, and its address. */
static inline bool model_inside(const struct element *e, __int128 *address)
{
	const struct tensor_map *map = &e->copy->map;
	bool inside = e->at[0] >= 0 && e->at[0] <= map->last[0];

	*address = (__int128)map->address + (__int128)e->at[0] * model_size(map->type);
	for (unsigned i = 1; i < map->rank; i++) {
		*address += (__int128)e->at[i] * map->strides[i - 1];
		inside = inside && e->at[i] >= 0 && e->at[i] <= map->last[i];
	}
	return inside;
}

/* ---- Whether it may be done at all ---------------------------------------------------- */

static inline bool model_dims_right(const struct tensor_map *map)
{
	for (unsigned i = 0; i < map->rank; i++)
		if (map->steps[i] < 1 || map->steps[i] > 8 ||
		    (!map->im2col && (map->box[i] < 1 || map->box[i] > 256)))
			return false;
	for (unsigned i = 1; i < map->rank; i++)
		if (map->strides[i - 1] & 15 || map->strides[i - 1] >> 40)
			return false;
	return true;
}

static inline bool model_corners_right(const struct tensor_map *map)
{
	static const int bits[] = { 15, 7, 4 };
	const int most = 1 << bits[map->rank - 3];

	if (map->channels < 1 || map->channels > 256 || map->pixels < 1 || map->pixels > 1024)
		return false;
	for (unsigned i = 0; i < map->rank - 2u; i++)
		if (map->lower[i] < -most || map->lower[i] >= most || map->upper[i] < -most ||
		    map->upper[i] >= most ||
		    (int64_t)map->last[i + 1] + map->upper[i] < map->lower[i])
			return false;
	return true;
}

/* Bytes of the box. */
static inline unsigned __int128 model_bytes(const struct tensor_map *map)
{
	unsigned __int128 bytes = model_size(map->type);

	if (map->im2col)
		return bytes * map->channels * map->pixels;
	for (unsigned i = 0; i < map->rank; i++)
		bytes *= i ? (map->box[i] + map->steps[i] - 1u) / map->steps[i] : map->box[i];
	return bytes;
}

static inline uint64_t model_row(const struct tensor_map *map)
{
	return (map->im2col ? map->channels : map->box[0]) * model_size(map->type);
}

/* Where byte @dense of the box is if there is no swizzle: each row has a span of it, if it has
 * one. */
static inline uint64_t model_plain(const struct tensor_map *map, uint64_t dense)
{
	static const unsigned spans[] = { 0, 32, 64, 128 };
	const uint64_t row = model_row(map), span = map->swizzle ? spans[map->swizzle] : row;

	return dense / row * span + dense % row;
}

/* As cuTensorMapEncode's documentation has it, and no box that an H100 does not take. */
static inline bool model_map_right(const struct tensor_map *map)
{
	uint64_t row;

	if (map->magic != TENSOR_MAGIC || map->type > TENSOR_TF32_FTZ || map->im2col > 1 ||
	    map->rank < (map->im2col ? 3 : 1) || map->rank > 5 || map->swizzle > 3 ||
	    map->nan > (model_is_float(map->type) ? 1 : 0) || !map->address || map->address & 15)
		return false;
	if (!model_dims_right(map) || (map->im2col && !model_corners_right(map)))
		return false;
	row = model_row(map);
	return !(row & 15) && (!map->swizzle || row <= 16u << map->swizzle) &&
	       model_bytes(map) < 256 * 1024;
}

static inline bool model_reducible(const struct copy *copy)
{
	const unsigned type = copy->map.type;

	if (type < TENSOR_U32 || type >= TENSOR_TF32)
		return false;
	return !model_is_float(type) || !copy->reduction ||
	       ((type == TENSOR_F16 || type == TENSOR_BF16) && copy->reduction <= 2);
}

/* All but what is in memory. */
static inline bool model_right(const struct copy *copy)
{
	const struct tensor_map *map = &copy->map;
	uint64_t bytes, end = 0;

	if (!model_map_right(map) || map->rank != copy->rank || map->im2col != copy->pixels ||
	    copy->at % 128 || (copy->kind == COPY_REDUCE && !model_reducible(copy)))
		return false;
	bytes = (uint64_t)model_bytes(map);
	for (uint64_t dense = 0; dense < bytes; dense += 16)
		if (model_place(copy, model_plain(map, dense)) + 16 > end)
			end = model_place(copy, model_plain(map, dense)) + 16;
	if (end > copy->room)
		return false;
	if (!copy->pixels && (int64_t)copy->coords[0] * model_size(map->type) % 16)
		return false;
	for (unsigned i = 0; !copy->pixels && copy->kind != COPY_LOAD && i < map->rank; i++)
		if (copy->coords[i] < 0)
			return false;
	return true;
}

/* ---- Its elements --------------------------------------------------------------------- */

static inline void model_each_tile(const struct copy *copy, const struct model *model,
				   void (*visit)(const struct element *, void *), void *data)
{
	const struct tensor_map *map = &copy->map;
	const unsigned size = model_size(map->type);
	const uint64_t count = (uint64_t)model_bytes(map) / size;

	for (uint64_t n = 0; n < count; n++) {
		struct element e = { copy, model, { 0 }, model_plain(map, n * size) };
		uint64_t left = n;

		for (unsigned i = 0; i < map->rank; i++) {
			const unsigned step = i ? map->steps[i] : 1;
			const unsigned across = (map->box[i] + step - 1) / step;

			e.at[i] = copy->coords[i] + (int64_t)(left % across * step);
			left /= across;
		}
		visit(&e, data);
	}
}

/* Pixel after pixel, between the corners of the image; the filter is at the offsets. */
static inline void model_each_pixel(const struct copy *copy, const struct model *model,
				    void (*visit)(const struct element *, void *), void *data)
{
	const struct tensor_map *map = &copy->map;
	const unsigned images = map->rank - 1u, size = model_size(map->type);
	const bool offset = copy->kind == COPY_LOAD; /* stores have none */
	int64_t first[TENSOR_DIMS];
	uint64_t dense = 0;

	for (unsigned i = 0; i < TENSOR_DIMS; i++)
		first[i] = copy->coords[i];
	for (unsigned n = 0; n < map->pixels; n++) {
		unsigned axis = 1;

		for (unsigned c = 0; c < map->channels; c++, dense += size) {
			struct element e = { copy, model, { 0 }, model_plain(map, dense) };

			for (unsigned i = 0; i < map->rank; i++)
				e.at[i] = first[i] + (offset && i && i < images ?
							      copy->offsets[i - 1] : 0);
			e.at[0] += c;
			visit(&e, data);
		}
		while (axis < images) {
			first[axis] += map->steps[axis];
			if (first[axis] <= (int64_t)map->last[axis] + map->upper[axis - 1])
				break;
			first[axis] = map->lower[axis - 1];
			axis++;
		}
		first[images] += axis == images;
	}
}

static inline void model_each(const struct copy *copy, const struct model *model,
			      void (*visit)(const struct element *, void *), void *data)
{
	if (copy->pixels)
		model_each_pixel(copy, model, visit, data);
	else
		model_each_tile(copy, model, visit, data);
}

static inline void model_reach(const struct element *e, void *data)
{
	enum { NEAR = 1 << 24 };
	enum expected *expected = data;
	__int128 address;

	if (!model_inside(e, &address))
		return;
	address -= e->model->base;
	if (address >= 0 && address < e->model->size)
		return;
	if (address < -NEAR || address >= e->model->size + NEAR)
		*expected = EXPECT_FAULT;
	else if (*expected == EXPECT_DONE)
		*expected = EXPECT_EITHER;
}

static inline enum expected model_expect(const struct copy *copy, const struct model *model)
{
	enum expected expected = EXPECT_DONE;

	if (!model_right(copy))
		return EXPECT_FAULT;
	model_each(copy, model, model_reach, &expected);
	return expected;
}

/* @old reduced by @value, of integers. */
static inline uint64_t model_reduced(const struct copy *copy, uint64_t old, uint64_t value)
{
	const unsigned type = copy->map.type, bits = 8 * model_size(type);
	const bool is_signed = type == TENSOR_S32 || type == TENSOR_S64;
	const uint64_t flip = is_signed ? 1ull << (bits - 1) : 0; /* makes them compare as unsigned */
	const uint64_t a = old ^ flip, b = value ^ flip;

	switch (copy->reduction) {
	case 0: return old + value;
	case 1: return a < b ? old : value;
	case 2: return a > b ? old : value;
	case 3: return a >= b ? 0 : old + 1;
	case 4: return !old || a > b ? value : old - 1;
	case 5: return old & value;
	case 6: return old | value;
	}
	return old ^ value;
}

static inline void model_do(const struct element *e, void *data)
{
	static const uint8_t nans[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
	const struct copy *copy = e->copy;
	const unsigned size = model_size(copy->map.type);
	uint8_t *room = e->model->room + model_place(copy, e->plain);
	uint64_t old = 0, value = 0;
	__int128 address;
	bool inside = model_inside(e, &address);
	uint8_t *memory = e->model->memory + (inside ? (uint64_t)(address - e->model->base) : 0);

	(void)data;
	if (copy->kind == COPY_LOAD) {
		memset(room, 0, size);
		if (inside)
			memcpy(room, memory, size);
		else if (copy->map.nan)
			memcpy(room, nans + sizeof(nans) - size, size);
		return;
	}
	if (!inside)
		return;
	memcpy(&old, memory, size);
	memcpy(&value, room, size);
	if (copy->kind == COPY_REDUCE)
		value = model_reduced(copy, old, value);
	memcpy(memory, &value, size);
}

#endif
