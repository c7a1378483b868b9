/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of two and three dimensions: a box of bytes out of one array of rows
 * into another. There are no CUDA arrays on this device.
 */
#include "cleanup.h"
#include "context.h"
#include "copy.h"
#include "entry.h"
#include "exports.h"
#include "task.h"

/* One side of a copy. */
struct side {
	uint64_t address; /* of the array, then of the box in it */
	CUmemorytype type;
	size_t x, y, z;   /* where the box is */
	size_t pitch, height;
	uint64_t slice;   /* bytes from one slice of the array to the next */
	enum place place;
};

/* The distance of the end of the box from its first byte; false when it is too large. */
static bool extent_of(const CUDA_MEMCPY3D *copy, const struct side *side, uint64_t *bytes)
{
	uint64_t rows, slices;

	return !__builtin_mul_overflow(side->pitch, copy->Height - 1, &rows) &&
	       !__builtin_mul_overflow(side->slice, copy->Depth - 1, &slices) &&
	       !__builtin_add_overflow(rows, slices, bytes) &&
	       !__builtin_add_overflow(*bytes, copy->WidthInBytes, bytes);
}

/* Moves the address to the box; false on overflow. */
static bool find_box(struct side *side)
{
	uint64_t rows, slices;

	return !__builtin_mul_overflow(side->pitch, side->y, &rows) &&
	       !__builtin_mul_overflow(side->slice, side->z, &slices) &&
	       !__builtin_add_overflow(side->address, side->x, &side->address) &&
	       !__builtin_add_overflow(side->address, rows, &side->address) &&
	       !__builtin_add_overflow(side->address, slices, &side->address);
}

/* Rows must not overlap, nor slices. The pitch of a single one does not matter when it is 0. */
static bool is_array(const CUDA_MEMCPY3D *copy, struct side *side)
{
	if ((side->pitch || copy->Height > 1 || side->y || copy->Depth > 1 || side->z) &&
	    (side->pitch < side->x || side->pitch - side->x < copy->WidthInBytes))
		return false;
	if ((side->height || copy->Depth > 1 || side->z) &&
	    (side->height < side->y || side->height - side->y < copy->Height))
		return false;
	return !__builtin_mul_overflow(side->pitch, side->height, &side->slice);
}

static CUresult check_side(const CUDA_MEMCPY3D *copy, struct side *side)
{
	uint64_t bytes;

	if (side->type != CU_MEMORYTYPE_HOST && side->type != CU_MEMORYTYPE_DEVICE &&
	    side->type != CU_MEMORYTYPE_UNIFIED)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_array(copy, side) || !find_box(side) || !extent_of(copy, side, &bytes))
		return CUDA_ERROR_INVALID_VALUE;
	side->place = place_of(side->address, bytes);
	if (side->place == PLACE_INVALID ||
	    (side->type == CU_MEMORYTYPE_DEVICE && side->place != PLACE_DEVICE))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static uint64_t address_of(CUmemorytype type, const void *host, CUdeviceptr device)
{
	return type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : device;
}

CUresult copy_of_box(const CUDA_MEMCPY3D *c, struct task_copy *what, enum place *to_place,
		     enum place *from_place)
{
	struct side to = {
		.address = address_of(c->dstMemoryType, c->dstHost, c->dstDevice),
		.type = c->dstMemoryType,
		.x = c->dstXInBytes, .y = c->dstY, .z = c->dstZ,
		.pitch = c->dstPitch, .height = c->dstHeight,
	};
	struct side from = {
		.address = address_of(c->srcMemoryType, c->srcHost, c->srcDevice),
		.type = c->srcMemoryType,
		.x = c->srcXInBytes, .y = c->srcY, .z = c->srcZ,
		.pitch = c->srcPitch, .height = c->srcHeight,
	};

	*what = (struct task_copy){
		.size = c->WidthInBytes, .rows = c->Height, .slices = c->Depth,
		.dst_pitch = to.pitch, .src_pitch = from.pitch,
	};
	TRY(check_side(c, &to));
	TRY(check_side(c, &from));
	what->dst = to.address;
	what->src = from.address;
	what->dst_slice = to.slice;
	what->src_slice = from.slice;
	*to_place = to.place;
	*from_place = from.place;
	return CUDA_SUCCESS;
}

static CUresult copy_box(const CUDA_MEMCPY3D *copy, CUstream stream, bool wait)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	enum place to, from;
	struct task_copy what;

	TRY(call.result);
	if (copy->srcLOD || copy->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	if (!copy->WidthInBytes || !copy->Height || !copy->Depth)
		return CUDA_SUCCESS;
	TRY(copy_of_box(copy, &what, &to, &from));
	return copy_submit(&what, to, from, stream, wait);
}

/* The same copy in three dimensions. */
static CUDA_MEMCPY3D deepen(const CUDA_MEMCPY2D *copy)
{
	return (CUDA_MEMCPY3D){
		.srcXInBytes = copy->srcXInBytes, .srcY = copy->srcY,
		.srcMemoryType = copy->srcMemoryType, .srcHost = copy->srcHost,
		.srcDevice = copy->srcDevice, .srcPitch = copy->srcPitch,
		.dstXInBytes = copy->dstXInBytes, .dstY = copy->dstY,
		.dstMemoryType = copy->dstMemoryType, .dstHost = copy->dstHost,
		.dstDevice = copy->dstDevice, .dstPitch = copy->dstPitch,
		.WidthInBytes = copy->WidthInBytes, .Height = copy->Height, .Depth = 1,
	};
}

static CUresult copy_plane(const CUDA_MEMCPY2D *copy, CUstream stream, bool wait)
{
	CUDA_MEMCPY3D deep;

	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	deep = deepen(copy);
	return copy_box(&deep, stream, wait);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy)
{
	return copy_plane(copy, NULL, true);
}

/* Here every pitch is accepted. */
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy)
{
	return copy_plane(copy, NULL, true);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	return copy_plane(copy, stream, false);
}

static CUresult copy_volume(const CUDA_MEMCPY3D *copy, CUstream stream, bool wait)
{
	if (!copy || copy->reserved0 || copy->reserved1)
		return CUDA_ERROR_INVALID_VALUE;
	return copy_box(copy, stream, wait);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy)
{
	return copy_volume(copy, NULL, true);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
	return copy_volume(copy, stream, false);
}

/* Device memory has a context here, which is checked. */
static CUresult copy_peer(const CUDA_MEMCPY3D_PEER *copy, CUstream stream, bool wait)
{
	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	if ((copy->srcMemoryType == CU_MEMORYTYPE_DEVICE &&
	     !context_known(copy->reserved0)) ||
	    (copy->dstMemoryType == CU_MEMORYTYPE_DEVICE && !context_known(copy->reserved1)))
		return CUDA_ERROR_INVALID_CONTEXT;
	return copy_box(copy, stream, wait);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
	return copy_peer(copy, NULL, true);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
	return copy_peer(copy, stream, false);
}
