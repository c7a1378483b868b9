/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bulk.h"

#include "access.h"
#include "asserts.h"
#include "cluster_address.h"
#include "async_copy.h"
#include "mbarrier.h"
#include "opcode.h"
#include "tensor_map.h"
#include "warp.h"

static uint64_t operand(const struct warp *w, const struct op *ip, unsigned which, unsigned lane)
{
	const struct op *op = &ip[1 + which];
	const uint8_t *at = w->rows + op->d;
	uint64_t value = 0;

	ASSERT(which < BULK_OPERANDS && lane < LANES);
	ASSERT(op->d >= 0 && (uint32_t)op->d < w->cta->code->row_bytes);
	switch (op->c) {
	case BULK_SLOT:
		value = *(const uint64_t *)at;
		break;
	case BULK_ROW_2:
		value = ((const uint16_t *)at)[lane];
		break;
	case BULK_ROW_4:
		value = ((const uint32_t *)at)[lane];
		break;
	case BULK_ROW_8:
		value = ((const uint64_t *)at)[lane];
		break;
	}
	return value + (uint64_t)op->imm;
}

/* By words where both addresses allow it: other threads may access either. */
static void copy(uint8_t *to, const uint8_t *from, uint32_t size)
{
	uint32_t i = 0;

	if (!(((uintptr_t)to | (uintptr_t)from) & 7))
		for (; i + 8 <= size; i += 8)
			__atomic_store_n((uint64_t *)(to + i),
					 __atomic_load_n((const uint64_t *)(from + i),
							 __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	for (; i < size; i++)
		__atomic_store_n(to + i, __atomic_load_n(from + i, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
}

void bulk_move(const struct transfer *transfer, uint8_t *to, const uint8_t *from, uint32_t size)
{
	ASSERT(size);
	if (transfer->reduces)
		bulk_reduce(transfer->reduction, transfer->type, to, from, size);
	else
		copy(to, from, size);
}

static bool refuse(struct warp *w, const struct op *ip, unsigned lane, enum report_kind kind,
		   const char *what, uint64_t value)
{
	fault_set(w, ip, 1u << lane, (struct about){ .kind = kind }, "bulk copy: %s, not %#llx",
		  what, (unsigned long long)value);
	return false;
}

/* The CTA in whose shared memory @size bytes at @address are; NULL after a fault. */
static struct cta *shared_at(struct warp *w, const struct op *ip, uint64_t address,
			     uint64_t size, uint64_t align, unsigned lane)
{
	struct cta *owner = cluster_owner(w->cta, address, size);

	ASSERT(align && !(align & (align - 1)));
	if (address % align) {
		refuse(w, ip, lane, KIND_MISALIGNED_ADDRESS,
		       align == 16 ? "shared memory is at a multiple of 16 bytes" :
				     "the box of a tensor is at a multiple of 128 bytes", address);
		return NULL;
	}
	if (!owner)
		refuse(w, ip, lane, KIND_ILLEGAL_ADDRESS,
		       "both ends of it are inside of shared memory", address);
	return owner;
}

static bool run(struct warp *w, const struct op *ip, uint64_t to, uint64_t from, uint32_t size,
		unsigned lane)
{
	const bool to_global = ip->d & BULK_TO_GLOBAL;
	const struct transfer transfer = { to_global, ip->d & BULK_REDUCES,
					   (enum reduction)ip->c, (uint8_t)ip->imm };
	struct hit hit;

	if (size % 16)
		return refuse(w, ip, lane, KIND_MISALIGNED_ADDRESS,
			      "its size is a multiple of 16 bytes", size);
	if (!size)
		return true;
	if (!shared_at(w, ip, to_global ? from : to, size, 16, lane) ||
	    !memory_reach(w, ip, &hit, to_global ? to : from, size, 16, lane, to_global))
		return false;
	if (ip->d & (BULK_GROUPED | BULK_COMPLETES)) {
		access_bulk(w, ip, lane, from, size, ACCESS_READ);
		access_bulk(w, ip, lane, to, size, transfer.reduces ? ACCESS_ATOMIC : ACCESS_WRITE);
	}
	ASSERT((to_global ? to : from) - hit.base <= hit.size - size);
	bulk_move(&transfer, (uint8_t *)(to + (to_global ? hit.distance : 0)),
		  (const uint8_t *)(from + (to_global ? 0 : hit.distance)), size);
	access_written(w, to, size);
	if (w->cta->launch->counted)
		count_moved(w, &transfer, to_global ? to : from, size);
	return true;
}

static bool find_map(struct warp *w, const struct op *ip, uint64_t address, unsigned lane,
		     struct tensor_map *map)
{
	struct hit hit;
	const char *wrong;
	uint64_t value;

	if (address % 64)
		return refuse(w, ip, lane, KIND_MISALIGNED_ADDRESS,
			      "a tensor map is at a multiple of 64 bytes", address);
	if (!memory_reach(w, ip, &hit, address, sizeof(*map), 8, lane, false))
		return false;
	/* Kernels can write there: the copy that is used is validated. */
	memcpy(map, (const void *)(address + hit.distance), sizeof(*map));
	wrong = tensor_map_wrong(map, &value);
	if (wrong)
		return refuse(w, ip, lane, KIND_BULK_COPY, wrong, value);
	if (map->rank != ip->b || map->im2col != !!(ip->d & BULK_IM2COL))
		return refuse(w, ip, lane, KIND_BULK_COPY,
			      "a tensor map is made by cuTensorMapEncode for the instruction's "
			      "rank and mode", address);
	return true;
}

/* The type of a tensor's elements for a reduction; TYPE_NONE: it cannot be reduced. */
static uint8_t reduced_type(const struct tensor_map *map)
{
	static const uint8_t types[TENSOR_TYPES] = {
		[TENSOR_U32] = TYPE_U32, [TENSOR_S32] = TYPE_S32, [TENSOR_U64] = TYPE_U64,
		[TENSOR_S64] = TYPE_S64, [TENSOR_F16] = TYPE_F16, [TENSOR_F32] = TYPE_F32,
		[TENSOR_F64] = TYPE_F64, [TENSOR_BF16] = TYPE_BF16, [TENSOR_F32_FTZ] = TYPE_F32,
	};

	ASSERT(map->type < TENSOR_TYPES);
	return types[map->type];
}

/* Floating-point elements are added; those of 16 bits have a minimum and a maximum too. */
static bool reducible(enum reduction reduction, uint8_t type)
{
	const bool half = type == TYPE_F16 || type == TYPE_BF16;

	if (!type)
		return false;
	return !type_float(type) || reduction == REDUCE_ADD || (half && reduction <= REDUCE_MAX);
}

/* Whether a tile may begin where @box does: its rows at multiples of 16 bytes, and none stored
 * at negative coordinates. */
static bool begin_valid(struct warp *w, const struct op *ip, const struct box *box,
			unsigned lane)
{
	const struct tensor_map *map = box->map;

	if (map->im2col)
		return true;
	if (box->coords[0] * tensor_element(map->type) % 16)
		return refuse(w, ip, lane, KIND_BULK_COPY,
			      "the first coordinate leads to a multiple of 16 bytes",
			      (uint64_t)box->coords[0]);
	for (unsigned i = 0; box->transfer.to_global && i < map->rank; i++)
		if (box->coords[i] < 0)
			return refuse(w, ip, lane, KIND_BULK_COPY,
				      "a box is not stored at a negative coordinate",
				      (uint64_t)box->coords[i]);
	return true;
}

/* Reports @box to the checker: as a whole where its rows are as long as the swizzle's span, which
 * then only permutes chunks inside of it; else each chunk. */
static void note_box(struct warp *w, const struct op *ip, const struct box *box, unsigned lane)
{
	const enum access_kind kind = bulk_access(&box->transfer, false);
	const struct tensor_map *map = box->map;
	const uint64_t size = tensor_map_size(map), first = (uint64_t)box->shared;
	const uint64_t pitch = tensor_map_pitch(map), row = tensor_map_row(map);

	if (row == pitch) {
		access_bulk(w, ip, lane, first, (uint32_t)size, kind);
		return;
	}
	for (uint64_t i = 0; i < size; i += TENSOR_CHUNK)
		access_bulk(w, ip, lane,
			    first - box->offset + tensor_map_swizzle(map, box->offset +
					i / row * pitch + i % row),
			    TENSOR_CHUNK, kind);
}

static bool box(struct warp *w, const struct op *ip, const struct tensor_map *map,
		uint64_t shared, unsigned lane)
{
	struct box box = {
		.map = map,
		.shared = (uint8_t *)shared,
		.transfer = { ip->d & BULK_TO_GLOBAL, ip->d & BULK_REDUCES,
			      (enum reduction)ip->c, reduced_type(map) },
	};
	const struct cta *owner = shared_at(w, ip, shared, tensor_map_size(map), 128, lane);

	if (!owner)
		return false;
	box.offset = shared - (uint64_t)owner->shared;
	if (tensor_map_reach(map, box.offset) > owner->shared_size - box.offset)
		return refuse(w, ip, lane, KIND_ILLEGAL_ADDRESS,
			      "all that a swizzle moves is inside of shared memory", shared);
	if (box.transfer.reduces && !reducible(box.transfer.reduction, box.transfer.type))
		return refuse(w, ip, lane, KIND_BULK_COPY,
			      "a reduction has a type that it is for", map->type);
	ASSERT(ip->b == map->rank && ip->b <= TENSOR_DIMS);
	for (int i = 0; i < ip->b; i++)
		box.coords[i] = (int32_t)operand(w, ip, BULK_COORDS + (unsigned)i, lane);
	for (int i = 0; ip->d & BULK_IM2COL && i < ip->b - 2; i++)
		box.offsets[i] = (uint16_t)operand(w, ip, BULK_OFFSETS + (unsigned)i, lane);
	if (!begin_valid(w, ip, &box, lane))
		return false;
	note_box(w, ip, &box, lane);
	return tensor_copy(w, ip, &box, lane);
}

/* One copy, to the CTA that @to and @signal are in. */
static bool deliver(struct warp *w, const struct op *ip, const struct tensor_map *map,
		    uint64_t to, uint64_t signal, unsigned lane)
{
	const uint64_t from = operand(w, ip, BULK_FROM, lane);
	uint32_t size = map ? (uint32_t)tensor_map_size(map) :
			      (uint32_t)operand(w, ip, BULK_SIZE, lane);

	if (map && !box(w, ip, map, ip->d & BULK_TO_GLOBAL ? from : to, lane))
		return false;
	if (!map && !run(w, ip, to, from, size, lane))
		return false;
	if (w->cta->launch->counted)
		count_shared(w, ip->d, size);
	if (ip->d & BULK_GROUPED)
		async_copy_begin(w, ASYNC_COPY_OUT, lane, from, size);
	if (ip->d & BULK_COMPLETES)
		async_copy_load(w, lane, to, size, signal);
	return !(ip->d & BULK_COMPLETES) || mbarrier_complete(w, ip, signal, size, lane);
}

static bool multicast(struct warp *w, const struct op *ip, const struct tensor_map *map,
		      uint64_t to, uint64_t signal, unsigned lane)
{
	const struct cluster *cluster = w->cta->cluster;
	const uint64_t mask = operand(w, ip, BULK_MASK, lane);
	uint64_t *const read = &w->cta->counted.at[COUNTED_GLOBAL_READ], once = 0;

	/* Global memory is read one time for all of them. */
	for (uint32_t rank = 0; rank < cluster->size; rank++) {
		uint64_t there = cluster_map(w->cta, to, rank, true);
		uint64_t signal_there = cluster_map(w->cta, signal, rank, true);

		if (!(mask >> rank & 1))
			continue;
		if (!deliver(w, ip, map, there, signal_there, lane))
			return false;
		once = once ? once : *read;
		*read = once;
	}
	return true;
}

static bool lane_copy(struct warp *w, const struct op *ip, unsigned lane)
{
	const uint64_t to = operand(w, ip, BULK_TO, lane);
	const uint64_t signal = operand(w, ip, BULK_SIGNAL, lane);
	struct tensor_map space, *map = NULL;

	if (ip->d & BULK_TENSOR) {
		map = &space;
		if (!find_map(w, ip, ip->d & BULK_TO_GLOBAL ? to :
					    operand(w, ip, BULK_FROM, lane), lane, map))
			return false;
	}
	return ip->d & BULK_MULTICAST ? multicast(w, ip, map, to, signal, lane) :
					deliver(w, ip, map, to, signal, lane);
}

bool bulk_execute(struct warp *w, const struct op *ip)
{
	FOR_BITS(l, w->mask)
		if (!lane_copy(w, ip, l))
			return false;
	return true;
}

static bool lane_replace(struct warp *w, const struct op *ip, unsigned lane)
{
	const uint64_t at = ((const uint64_t *)(w->rows + ip->a))[lane] + (uint64_t)ip->imm;
	const uint64_t value = ((const uint64_t *)(w->rows + ip->b))[lane];
	struct tensor_map map;
	struct hit hit;

	if (at % 64)
		return refuse(w, ip, lane, KIND_MISALIGNED_ADDRESS,
			      "a tensor map is at a multiple of 64 bytes", at);
	if (!memory_reach(w, ip, &hit, at, sizeof(map), 8, lane, true))
		return false;
	memcpy(&map, (const void *)(at + hit.distance), sizeof(map));
	if (map.magic != TENSOR_MAGIC ||
	    !tensor_map_replace(&map, (enum tensor_field)ip->c, (unsigned)ip->d, value))
		return refuse(w, ip, lane, KIND_BULK_COPY,
			      "a tensor map that cuTensorMapEncode made gets a value that the "
			      "field may have", value);
	memcpy((void *)(at + hit.distance), &map, sizeof(map));
	access_written(w, at, sizeof(map));
	return true;
}

bool bulk_replace(struct warp *w, const struct op *ip)
{
	FOR_BITS(l, w->mask)
		if (!lane_replace(w, ip, l))
			return false;
	return true;
}
