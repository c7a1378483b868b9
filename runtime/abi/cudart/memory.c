/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include "cleanup.h"

/* Rows of pitched memory begin where the largest access of a thread is aligned. */
enum { LARGEST_ELEMENT = 16 };

static cudaError_t none(void **address)
{
	*address = NULL;
	return cudaSuccess;
}

cudaError_t memory_allocate(void **address, size_t size)
{
	if (!address)
		return cudaErrorInvalidValue;
	return size ? (cudaError_t)cuda.cuMemAlloc((CUdeviceptr *)address, size) : none(address);
}

cudaError_t memory_allocate_async(void **address, size_t size, CUstream stream)
{
	if (!address)
		return cudaErrorInvalidValue;
	if (!size)
		return none(address);
	return (cudaError_t)cuda.cuMemAllocAsync((CUdeviceptr *)address, size, stream);
}

cudaError_t memory_allocate_from_pool(void **address, size_t size, CUmemoryPool pool,
				      CUstream stream)
{
	if (!address)
		return cudaErrorInvalidValue;
	if (!size)
		return none(address);
	return (cudaError_t)cuda.cuMemAllocFromPoolAsync((CUdeviceptr *)address, size, pool,
							 stream);
}

cudaError_t memory_allocate_host(void **pointer, size_t size, unsigned flags)
{
	if (!pointer)
		return cudaErrorInvalidValue;
	return size ? (cudaError_t)cuda.cuMemHostAlloc(pointer, size, flags) : none(pointer);
}

cudaError_t memory_allocate_managed(void **address, size_t size, unsigned flags)
{
	if (!address)
		return cudaErrorInvalidValue;
	if (!size)
		return none(address);
	return (cudaError_t)cuda.cuMemAllocManaged((CUdeviceptr *)address, size, flags);
}

cudaError_t memory_allocate_pitch(void **address, size_t *pitch, size_t width, size_t height)
{
	if (!address || !pitch)
		return cudaErrorInvalidValue;
	if (width && height)
		return (cudaError_t)cuda.cuMemAllocPitch((CUdeviceptr *)address, pitch, width,
							 height, LARGEST_ELEMENT);
	*pitch = 0;
	return none(address);
}

cudaError_t memory_allocate_3d(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
	size_t rows;

	if (!pitched)
		return cudaErrorInvalidValue;
	if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
		return cudaErrorMemoryAllocation;
	*pitched = (struct cudaPitchedPtr){ .xsize = extent.width, .ysize = extent.height };
	return memory_allocate_pitch(&pitched->ptr, &pitched->pitch, extent.width, rows);
}

cudaError_t memory_set_pool(int device, CUmemoryPool pool)
{
	CUdevice handle;
	CUresult result = cuda.cuDeviceGet(&handle, device);

	if (result == CUDA_ERROR_INVALID_DEVICE)
		return cudaErrorInvalidValue;
	TRY(result);
	return (cudaError_t)cuda.cuDeviceSetMemPool(handle, pool);
}

cudaError_t memory_free(void *address)
{
	return address ? (cudaError_t)cuda.cuMemFree((CUdeviceptr)address) : cudaSuccess;
}

cudaError_t memory_free_async(void *address, CUstream stream)
{
	if (!address)
		return cudaSuccess;
	return (cudaError_t)cuda.cuMemFreeAsync((CUdeviceptr)address, stream);
}

cudaError_t memory_free_host(void *pointer)
{
	return pointer ? (cudaError_t)cuda.cuMemFreeHost(pointer) : cudaSuccess;
}

/* ---- What a pointer points to ------------------------------------------------- */

static enum cudaMemoryType type_of(unsigned memory, int managed)
{
	if (managed)
		return cudaMemoryTypeManaged;
	return memory == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost :
	       memory == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice :
						cudaMemoryTypeUnregistered;
}

/* cuPointerGetAttributes leaves zeros for a pointer that it does not know. */
cudaError_t memory_attributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
	CUpointer_attribute names[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
		CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
		CU_POINTER_ATTRIBUTE_HOST_POINTER,
	};
	unsigned memory = 0;
	int managed = 0, device = cudaInvalidDeviceId;
	void *on_device = NULL, *on_host = NULL;
	void *values[] = { &memory, &managed, &device, &on_device, &on_host };

	if (!attributes)
		return cudaErrorInvalidValue;
	TRY(cuda.cuPointerGetAttributes(sizeof(names) / sizeof(names[0]), names, values,
					(CUdeviceptr)pointer));
	*attributes = (struct cudaPointerAttributes){ .type = type_of(memory, managed),
						      .device = device,
						      .devicePointer = on_device,
						      .hostPointer = on_host };
	if (attributes->type == cudaMemoryTypeUnregistered) {
		attributes->device = cudaInvalidDeviceId;
		attributes->hostPointer = (void *)pointer;
	}
	return cudaSuccess;
}
