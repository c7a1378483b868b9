/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory in rows and slices, in batches and from pools: by the plain calls. */
#include "calls.h"

CUresult stub_cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
			      unsigned element)
{
	(void)element;
	*pitch = (width + 511) & ~(size_t)511;
	return stub_cuMemAlloc(address, *pitch * height);
}

/* ---- Copies --------------------------------------------------------------------------- */

CUresult stub_cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	return stub_cuMemcpy(to, from, size);
}

CUresult stub_cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
			   CUcontext from_context, size_t size)
{
	return stub_cuMemcpyPeerAsync(to, to_context, from, from_context, size, NULL);
}

/* Device and host addresses are one; what the type does not name is ignored. */
static CUdeviceptr address_of(CUmemorytype type, const void *host, CUdeviceptr device)
{
	return type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : device;
}

CUresult stub_cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
	CUdeviceptr to = address_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice);
	CUdeviceptr from = address_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice);
	CUresult result = CUDA_SUCCESS;

	for (size_t z = 0; z < copy->Depth; z++)
		for (size_t y = 0; y < copy->Height && !result; y++) {
			size_t row = (copy->dstZ + z) * copy->dstHeight + copy->dstY + y;
			size_t from_row = (copy->srcZ + z) * copy->srcHeight + copy->srcY + y;

			result = stub_cuMemcpyAsync(
				to + row * copy->dstPitch + copy->dstXInBytes,
				from + from_row * copy->srcPitch + copy->srcXInBytes,
				copy->WidthInBytes, stream);
		}
	return result;
}

CUresult stub_cuMemcpy3D(const CUDA_MEMCPY3D *copy)
{
	return stub_cuMemcpy3DAsync(copy, NULL);
}

CUresult stub_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
	return stub_cuMemcpy3DAsync(copy, NULL);
}

CUresult stub_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
	return stub_cuMemcpy3DAsync(copy, stream);
}

CUresult stub_cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	CUDA_MEMCPY3D deep = {
		.srcXInBytes = copy->srcXInBytes, .srcY = copy->srcY,
		.srcMemoryType = copy->srcMemoryType, .srcHost = copy->srcHost,
		.srcDevice = copy->srcDevice, .srcPitch = copy->srcPitch,
		.dstXInBytes = copy->dstXInBytes, .dstY = copy->dstY,
		.dstMemoryType = copy->dstMemoryType, .dstHost = copy->dstHost,
		.dstDevice = copy->dstDevice, .dstPitch = copy->dstPitch,
		.WidthInBytes = copy->WidthInBytes, .Height = copy->Height, .Depth = 1,
	};

	return stub_cuMemcpy3DAsync(&deep, stream);
}

CUresult stub_cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy)
{
	return stub_cuMemcpy2DAsync(copy, NULL);
}

CUresult stub_cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
				 CUmemcpyAttributes *attributes, size_t *firsts, size_t number,
				 CUstream stream)
{
	CUresult result = CUDA_SUCCESS;

	(void)attributes, (void)firsts, (void)number;
	for (size_t i = 0; i < count && !result; i++)
		result = stub_cuMemcpyAsync(to[i], from[i], sizes[i], stream);
	return result;
}

CUresult stub_cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations,
				   unsigned long long flags, CUstream stream)
{
	(void)count, (void)operations, (void)flags;
	return stub_cuStreamQuery(stream);
}

CUresult stub_cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
			   size_t height)
{
	return stub_cuMemsetD2D8Async(to, pitch, value, width, height, NULL);
}

/* ---- Pools: where memory is from makes no difference ------------------------------------ */

CUresult stub_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	(void)props;
	*pool = (CUmemoryPool)thing_new(POOL, NULL);
	return CUDA_SUCCESS;
}

static CUresult check_pool(CUmemoryPool pool)
{
	struct thing *thing;

	return thing_find(pool, POOL, &thing) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult stub_cuMemPoolDestroy(CUmemoryPool pool)
{
	CUresult result = check_pool(pool);

	if (!result)
		thing_end((struct thing *)pool);
	return result;
}

CUresult stub_cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t size, CUmemoryPool pool,
				      CUstream stream)
{
	CUresult result = check_pool(pool);

	return result ? result : stub_cuMemAllocAsync(address, size, stream);
}

CUresult stub_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
				    void *value)
{
	(void)attribute;
	*(uint64_t *)value = 0;
	return check_pool(pool);
}

CUresult stub_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
				    void *value)
{
	(void)attribute, (void)value;
	return check_pool(pool);
}

CUresult stub_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool,
				 CUmemLocation *location)
{
	(void)location;
	*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return check_pool(pool);
}

CUresult stub_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
	(void)access, (void)count;
	return check_pool(pool);
}

CUresult stub_cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	(void)keep;
	return check_pool(pool);
}

/* A device's pool is told as none. */
CUresult stub_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	*pool = NULL;
	return stub_cuDeviceGet(&device, device);
}

CUresult stub_cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	return stub_cuDeviceGetMemPool(pool, device);
}

CUresult stub_cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	(void)device;
	return check_pool(pool);
}

CUresult stub_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location,
			      CUmemAllocationType type)
{
	(void)type;
	return stub_cuDeviceGetMemPool(pool, location->id);
}

CUresult stub_cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
				     CUmemAllocationType type)
{
	return stub_cuMemGetMemPool(pool, location, type);
}

CUresult stub_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type,
			      CUmemoryPool pool)
{
	(void)type;
	return stub_cuDeviceSetMemPool(location->id, pool);
}

/* ---- Streams and launches --------------------------------------------------------------- */

CUresult stub_cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
	(void)priority;
	return stub_cuStreamCreate(stream, flags);
}

CUresult stub_cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
	(void)flags;
	return stub_cuEventRecord(event, stream);
}

CUresult stub_cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy,
					unsigned gz, unsigned bx, unsigned by, unsigned bz,
					unsigned shared, CUstream stream, void **params)
{
	return stub_cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, params,
				   NULL);
}
