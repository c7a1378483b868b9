/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A copy that waits is the driver's own call of that kind, which knows what is
 * pageable; under a thread's own default stream, which those calls do not know by this
 * name, it is enqueued there and waited for.
 */
#include "copy.h"

#include "cleanup.h"
#include "device.h"
#include "note.h"
#include "variable.h"

static cudaError_t wait_for(CUstream stream)
{
	return (cudaError_t)cuda.cuStreamSynchronize(stream);
}

/* Tells whether the driver has a call for it that waits. */
static bool is_synchronous(enum copy_way way, CUstream stream)
{
	return way == COPY_WAITS && !stream;
}

/* What is enqueued for a call that waits has to be waited for. */
static cudaError_t enqueued(CUresult result, enum copy_way way, CUstream stream)
{
	TRY(result);
	return way == COPY_WAITS ? wait_for(stream) : cudaSuccess;
}

/* ---- Bytes in a row ------------------------------------------------------------- */

static CUresult copy_now(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	CUdeviceptr to = (CUdeviceptr)dst, from = (CUdeviceptr)src;

	switch (kind) {
	case cudaMemcpyHostToDevice:
		return cuda.cuMemcpyHtoD(to, src, count);
	case cudaMemcpyDeviceToHost:
		return cuda.cuMemcpyDtoH(dst, from, count);
	case cudaMemcpyDeviceToDevice:
		return cuda.cuMemcpyDtoD(to, from, count);
	case cudaMemcpyHostToHost:
	case cudaMemcpyDefault:
		break;
	}
	return cuda.cuMemcpy(to, from, count);
}

static CUresult copy_later(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
			   CUstream stream)
{
	CUdeviceptr to = (CUdeviceptr)dst, from = (CUdeviceptr)src;

	switch (kind) {
	case cudaMemcpyHostToDevice:
		return cuda.cuMemcpyHtoDAsync(to, src, count, stream);
	case cudaMemcpyDeviceToHost:
		return cuda.cuMemcpyDtoHAsync(dst, from, count, stream);
	case cudaMemcpyDeviceToDevice:
		return cuda.cuMemcpyDtoDAsync(to, from, count, stream);
	case cudaMemcpyHostToHost:
	case cudaMemcpyDefault:
		break;
	}
	return cuda.cuMemcpyAsync(to, from, count, stream);
}

static bool is_kind(enum cudaMemcpyKind kind)
{
	return (unsigned)kind <= cudaMemcpyDefault;
}

cudaError_t copy_linear(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
			enum copy_way way, CUstream stream)
{
	if (!is_kind(kind))
		return note_cause(cudaErrorInvalidMemcpyDirection, "kind %d", (int)kind);
	if (!count)
		return cudaSuccess;
	if (!dst || !src)
		return cudaErrorInvalidValue;
	if (is_synchronous(way, stream))
		return (cudaError_t)copy_now(dst, src, count, kind);
	return enqueued(copy_later(dst, src, count, kind, stream), way, stream);
}

cudaError_t copy_batch(void *const *dsts, const void *const *srcs, const size_t *sizes,
		       size_t count, CUmemcpyAttributes *attributes, size_t *firsts,
		       size_t number, CUstream stream)
{
	return (cudaError_t)cuda.cuMemcpyBatchAsync((CUdeviceptr *)dsts, (CUdeviceptr *)srcs,
						    (size_t *)sizes, count, attributes, firsts,
						    number, stream);
}

cudaError_t copy_peer(void *dst, int dst_device, const void *src, int src_device, size_t count)
{
	CUcontext to, from;

	TRY(device_context(dst_device, &to));
	TRY(device_context(src_device, &from));
	if (!count)
		return cudaSuccess;
	return (cudaError_t)cuda.cuMemcpyPeer((CUdeviceptr)dst, to, (CUdeviceptr)src, from,
					      count);
}

cudaError_t copy_peer_async(void *dst, int dst_device, const void *src, int src_device,
			    size_t count, CUstream stream)
{
	CUcontext to, from;

	TRY(device_context(dst_device, &to));
	TRY(device_context(src_device, &from));
	if (!count)
		return cudaSuccess;
	return (cudaError_t)cuda.cuMemcpyPeerAsync((CUdeviceptr)dst, to, (CUdeviceptr)src, from,
						   count, stream);
}

/* ---- Variables -------------------------------------------------------------------- */

/* The address of byte @offset of a variable that has @count bytes from there. */
static cudaError_t part_of(const void *symbol, size_t count, size_t offset, char **address)
{
	size_t size;

	TRY(variable_address((void **)address, symbol));
	TRY(variable_size(&size, symbol));
	if (offset > size || count > size - offset)
		return cudaErrorInvalidValue;
	*address += offset;
	return cudaSuccess;
}

cudaError_t copy_from_symbol(void *dst, const void *symbol, size_t count, size_t offset,
			     enum cudaMemcpyKind kind, enum copy_way way, CUstream stream)
{
	char *address;

	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
	    kind != cudaMemcpyDefault)
		return note_cause(cudaErrorInvalidMemcpyDirection, "kind %d", (int)kind);
	TRY(part_of(symbol, count, offset, &address));
	return copy_linear(dst, address, count, kind, way, stream);
}

cudaError_t copy_to_symbol(const void *symbol, const void *src, size_t count, size_t offset,
			   enum cudaMemcpyKind kind, enum copy_way way, CUstream stream)
{
	char *address;

	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
	    kind != cudaMemcpyDefault)
		return note_cause(cudaErrorInvalidMemcpyDirection, "kind %d", (int)kind);
	TRY(part_of(symbol, count, offset, &address));
	return copy_linear(address, src, count, kind, way, stream);
}

/* ---- Rows and slices -------------------------------------------------------------- */

static CUmemorytype source_type(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyDefault			     ? CU_MEMORYTYPE_UNIFIED :
	       kind == cudaMemcpyHostToHost ||
			       kind == cudaMemcpyHostToDevice ? CU_MEMORYTYPE_HOST :
								CU_MEMORYTYPE_DEVICE;
}

static CUmemorytype target_type(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyDefault			     ? CU_MEMORYTYPE_UNIFIED :
	       kind == cudaMemcpyHostToHost ||
			       kind == cudaMemcpyDeviceToHost ? CU_MEMORYTYPE_HOST :
								CU_MEMORYTYPE_DEVICE;
}

cudaError_t copy_2d(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
		    size_t width, size_t height, enum cudaMemcpyKind kind, enum copy_way way,
		    CUstream stream)
{
	CUDA_MEMCPY2D copy = { .srcMemoryType = source_type(kind), .srcHost = src,
			       .srcDevice = (CUdeviceptr)src, .srcPitch = src_pitch,
			       .dstMemoryType = target_type(kind), .dstHost = dst,
			       .dstDevice = (CUdeviceptr)dst, .dstPitch = dst_pitch,
			       .WidthInBytes = width, .Height = height };

	if (!is_kind(kind))
		return note_cause(cudaErrorInvalidMemcpyDirection, "kind %d", (int)kind);
	if (width > dst_pitch || width > src_pitch)
		return height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
	if (!width || !height)
		return cudaSuccess;
	if (!dst || !src)
		return cudaErrorInvalidValue;
	if (is_synchronous(way, stream))
		return (cudaError_t)cuda.cuMemcpy2DUnaligned(&copy);
	return enqueued(cuda.cuMemcpy2DAsync(&copy, stream), way, stream);
}

/* What both forms of a copy in three dimensions say. */
static cudaError_t describe(CUDA_MEMCPY3D *copy, const struct cudaPitchedPtr *dst,
			    const struct cudaPos *dst_at, const struct cudaPitchedPtr *src,
			    const struct cudaPos *src_at, const struct cudaExtent *extent)
{
	if (!dst->ptr || !src->ptr)
		return cudaErrorInvalidValue;
	*copy = (CUDA_MEMCPY3D){
		.srcXInBytes = src_at->x, .srcY = src_at->y, .srcZ = src_at->z,
		.srcHost = src->ptr, .srcDevice = (CUdeviceptr)src->ptr,
		.srcPitch = src->pitch, .srcHeight = src->ysize,
		.dstXInBytes = dst_at->x, .dstY = dst_at->y, .dstZ = dst_at->z,
		.dstHost = dst->ptr, .dstDevice = (CUdeviceptr)dst->ptr,
		.dstPitch = dst->pitch, .dstHeight = dst->ysize,
		.WidthInBytes = extent->width, .Height = extent->height,
		.Depth = extent->depth,
	};
	if (extent->width > src->pitch || extent->width > dst->pitch)
		return cudaErrorInvalidPitchValue;
	return cudaSuccess;
}

static bool is_empty(const struct cudaExtent *extent)
{
	return !extent->width || !extent->height || !extent->depth;
}

cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, enum copy_way way, CUstream stream)
{
	CUDA_MEMCPY3D copy;

	if (!p)
		return cudaErrorInvalidValue;
	if (p->srcArray || p->dstArray)
		return cudaErrorNotSupported;
	if (!is_kind(p->kind))
		return note_cause(cudaErrorInvalidMemcpyDirection, "kind %d", (int)p->kind);
	TRY(describe(&copy, &p->dstPtr, &p->dstPos, &p->srcPtr, &p->srcPos, &p->extent));
	copy.srcMemoryType = source_type(p->kind);
	copy.dstMemoryType = target_type(p->kind);
	if (is_empty(&p->extent))
		return cudaSuccess;
	if (is_synchronous(way, stream))
		return (cudaError_t)cuda.cuMemcpy3D(&copy);
	return enqueued(cuda.cuMemcpy3DAsync(&copy, stream), way, stream);
}

cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, enum copy_way way,
			 CUstream stream)
{
	CUcontext to, from;
	CUDA_MEMCPY3D copy;

	if (!p)
		return cudaErrorInvalidValue;
	if (p->srcArray || p->dstArray)
		return cudaErrorNotSupported;
	TRY(device_context(p->dstDevice, &to));
	TRY(device_context(p->srcDevice, &from));
	TRY(describe(&copy, &p->dstPtr, &p->dstPos, &p->srcPtr, &p->srcPos, &p->extent));
	copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.reserved0 = from;
	copy.reserved1 = to;
	if (is_empty(&p->extent))
		return cudaSuccess;
	if (is_synchronous(way, stream))
		return (cudaError_t)cuda.cuMemcpy3DPeer(&copy);
	return enqueued(cuda.cuMemcpy3DPeerAsync(&copy, stream), way, stream);
}

/* ---- Fills ------------------------------------------------------------------------ */

cudaError_t fill_linear(void *address, int value, size_t count, enum copy_way way,
			CUstream stream)
{
	CUdeviceptr to = (CUdeviceptr)address;

	if (!count)
		return cudaSuccess;
	if (is_synchronous(way, stream))
		return (cudaError_t)cuda.cuMemsetD8(to, (unsigned char)value, count);
	return enqueued(cuda.cuMemsetD8Async(to, (unsigned char)value, count, stream), way,
			stream);
}

cudaError_t fill_2d(void *address, size_t pitch, int value, size_t width, size_t height,
		    enum copy_way way, CUstream stream)
{
	CUdeviceptr to = (CUdeviceptr)address;
	unsigned char byte = (unsigned char)value;

	if (!width || !height)
		return cudaSuccess;
	if (height > 1 && width > pitch)
		return cudaErrorInvalidValue;
	if (is_synchronous(way, stream))
		return (cudaError_t)cuda.cuMemsetD2D8(to, pitch, byte, width, height);
	return enqueued(cuda.cuMemsetD2D8Async(to, pitch, byte, width, height, stream), way,
			stream);
}

cudaError_t fill_3d(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
		    enum copy_way way, CUstream stream)
{
	size_t slice;

	if (is_empty(&extent))
		return cudaSuccess;
	if (extent.height == 1 && extent.depth == 1)
		return fill_linear(pitched.ptr, value, extent.width, way, stream);
	if (extent.width > pitched.pitch || extent.height > pitched.ysize ||
	    __builtin_mul_overflow(pitched.pitch, pitched.ysize, &slice))
		return cudaErrorInvalidValue;
	for (size_t z = 0; z < extent.depth; z++)
		TRY(fill_2d((char *)pitched.ptr + z * slice, pitched.pitch, value, extent.width,
			    extent.height, way, stream));
	return cudaSuccess;
}
