/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory: all of it is the host's, so that copies and fills are real. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

static const size_t total_memory = (size_t)1 << 30;

static CUresult check_stream(CUstream stream)
{
	struct thing *context;
	unsigned id;

	return stub_find_stream(stream, &context, &id);
}

static void *host(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

static CUresult allocate(struct thing *context, void **out, size_t size)
{
	struct thing *thing;

	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!size)
		return CUDA_ERROR_INVALID_VALUE;
	if (size > total_memory - context->size)
		return CUDA_ERROR_OUT_OF_MEMORY;
	thing = thing_new(MEMORY, context);
	thing->data = block_memory(size);
	thing->size = size;
	if (!block_enter(thing))
		abort();
	context->size += size;
	*out = thing->data;
	return CUDA_SUCCESS;
}

/* Finds the block that starts at @address, ours or, when so asked, the caller's. */
static struct thing *block_at(CUdeviceptr address, bool registered)
{
	struct thing *thing = thing_at(address);

	if (!thing || (uintptr_t)thing->data != address || thing->registered != registered)
		return NULL;
	return thing;
}

static CUresult release(CUdeviceptr address, bool wait)
{
	struct thing *thing = block_at(address, false);

	if (!address)
		return CUDA_SUCCESS;
	if (!thing)
		return CUDA_ERROR_INVALID_VALUE;
	if (wait)
		work_wait(thing->owner, WORK_ALL_STREAMS, work_mark());
	thing->owner->size -= thing->size;
	block_leave(thing);
	block_free(thing->data);
	thing_end(thing);
	return CUDA_SUCCESS;
}

CUresult stub_cuMemAlloc(CUdeviceptr *address, size_t size)
{
	void *pointer = NULL;
	CUresult result = allocate(stub_current(), &pointer, size);

	*address = (uintptr_t)pointer;
	return result;
}

CUresult stub_cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream)
{
	struct thing *context;
	void *pointer = NULL;
	unsigned id;
	CUresult result = stub_find_stream(stream, &context, &id);

	if (!result && size)
		result = allocate(context, &pointer, size);
	*address = (uintptr_t)pointer;
	return result;
}

CUresult stub_cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned flags)
{
	(void)flags;
	return stub_cuMemAlloc(address, size);
}

CUresult stub_cuMemHostAlloc(void **pointer, size_t size, unsigned flags)
{
	(void)flags;
	return allocate(stub_current(), pointer, size);
}

CUresult stub_cuMemAllocHost(void **pointer, size_t size)
{
	return allocate(stub_current(), pointer, size);
}

/* The real one waits for all work too. */
CUresult stub_cuMemFree(CUdeviceptr address)
{
	return release(address, true);
}

CUresult stub_cuMemFreeHost(void *pointer)
{
	return release((uintptr_t)pointer, true);
}

CUresult stub_cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
	CUresult result = check_stream(stream);

	if (!result && address)
		result = release(address, false);
	return result;
}

CUresult stub_cuMemHostRegister(void *pointer, size_t size, unsigned flags)
{
	struct thing *thing;

	(void)flags;
	if (!stub_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!pointer || !size)
		return CUDA_ERROR_INVALID_VALUE;
	thing = thing_new(MEMORY, stub_current());
	thing->data = pointer;
	thing->size = size;
	thing->registered = true;
	if (!block_enter(thing)) {
		thing_end(thing);
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	}
	return CUDA_SUCCESS;
}

CUresult stub_cuMemHostUnregister(void *pointer)
{
	struct thing *thing = block_at((uintptr_t)pointer, true);

	if (!thing)
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	block_leave(thing);
	thing_end(thing);
	return CUDA_SUCCESS;
}

CUresult stub_cuMemHostGetDevicePointer(CUdeviceptr *address, void *pointer, unsigned flags)
{
	(void)flags;
	*address = (uintptr_t)pointer;
	return thing_at(*address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult stub_cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	struct thing *thing = thing_at(address);

	if (!thing)
		return CUDA_ERROR_INVALID_VALUE;
	if (base)
		*base = (uintptr_t)thing->data;
	if (size)
		*size = thing->size;
	return CUDA_SUCCESS;
}

CUresult stub_cuMemGetInfo(size_t *unused, size_t *total)
{
	if (!stub_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	*unused = total_memory - stub_current()->size;
	*total = total_memory;
	return CUDA_SUCCESS;
}

CUresult stub_cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
				    CUdeviceptr address)
{
	if (!thing_at(address) || attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
		return CUDA_ERROR_INVALID_VALUE;
	*(unsigned *)data = CU_MEMORYTYPE_DEVICE;
	return CUDA_SUCCESS;
}

CUresult stub_cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	if (!stub_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	work_wait(stub_current(), 0, work_mark());
	memmove(host(to), host(from), size);
	return CUDA_SUCCESS;
}

CUresult stub_cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	CUresult result = check_stream(stream);

	if (!result)
		memmove(host(to), host(from), size);
	return result;
}

CUresult stub_cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
	return stub_cuMemcpyAsync(to, from, size, stream);
}

CUresult stub_cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream)
{
	return stub_cuMemcpyAsync((uintptr_t)to, from, size, stream);
}

CUresult stub_cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
	return stub_cuMemcpyAsync(to, (uintptr_t)from, size, stream);
}

/* Its contexts are looked at, and told by the trace; what is where is not compared. */
CUresult stub_cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
				CUcontext from_context, size_t size, CUstream stream)
{
	struct thing *thing;

	if (thing_find(to_context, CONTEXT, &thing) || thing_find(from_context, CONTEXT, &thing))
		return CUDA_ERROR_INVALID_CONTEXT;
	return stub_cuMemcpyAsync(to, from, size, stream);
}

CUresult stub_cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size)
{
	return stub_cuMemcpy((uintptr_t)to, from, size);
}

CUresult stub_cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size)
{
	return stub_cuMemcpy(to, (uintptr_t)from, size);
}

/* Fills @count elements of @width bytes, which must lie in one block. */
static CUresult fill(CUdeviceptr to, unsigned value, size_t width, size_t count)
{
	const struct thing *thing = thing_at(to);
	char *out = host(to);

	if (!thing || count > (thing->size - (size_t)(out - thing->data)) / width)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++)
		memcpy(out + i * width, &value, width);
	return CUDA_SUCCESS;
}

/* Fills @rows of @count elements, @pitch bytes from one to the next. */
static CUresult fill_rows(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
			  size_t count, size_t rows, CUstream stream)
{
	CUresult result = check_stream(stream);

	if (!result && (to % width || (rows > 1 && (pitch % width || pitch / width < count))))
		result = CUDA_ERROR_INVALID_VALUE;
	for (size_t row = 0; row < rows && !result; row++)
		result = fill(to + row * pitch, value, width, count);
	return result;
}

CUresult stub_cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count)
{
	return fill(to, value, 1, count);
}

CUresult stub_cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count)
{
	return fill(to, value, 2, count);
}

CUresult stub_cuMemsetD32(CUdeviceptr to, unsigned value, size_t count)
{
	return fill(to, value, 4, count);
}

CUresult stub_cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
			      CUstream stream)
{
	CUresult result = check_stream(stream);

	return result ? result : fill(to, value, 1, count);
}

CUresult stub_cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
			       CUstream stream)
{
	CUresult result = check_stream(stream);

	return result ? result : fill(to, value, 2, count);
}

CUresult stub_cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
	CUresult result = check_stream(stream);

	return result ? result : fill(to, value, 4, count);
}

CUresult stub_cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
				size_t height, CUstream stream)
{
	return fill_rows(to, pitch, value, 1, width, height, stream);
}

CUresult stub_cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
				size_t height, CUstream stream)
{
	return fill_rows(to, pitch, value, 2, width, height, stream);
}

CUresult stub_cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
				size_t height, CUstream stream)
{
	return fill_rows(to, pitch, value, 4, width, height, stream);
}
