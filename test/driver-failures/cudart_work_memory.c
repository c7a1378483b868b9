/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scenarios over libcudart: memory, copies, fills, pools, two devices. */
#include "cudart_calls.h"

enum { WIDTH = 16, HEIGHT = 4 };
static const struct cudaExtent cube = { WIDTH, HEIGHT, 2 };
static char host[WIDTH * HEIGHT * 2];

void cudart_memory(void)
{
	struct cudaPointerAttributes attributes;
	struct cudaPitchedPtr pitched;
	static char mine[4096];
	void *memory, *pinned, *other, *rows, *address;
	unsigned flags;
	size_t pitch;

	STEP(cudaMalloc(&memory, 64));
	STEP(cudaMallocHost(&pinned, 64));
	STEP(cudaHostAlloc(&other, 64, 0));
	STEP(cudaMallocPitch(&rows, &pitch, WIDTH, HEIGHT));
	STEP(cudaMalloc3D(&pitched, cube));
	STEP(cudaHostGetDevicePointer(&address, pinned, 0));
	STEP(cudaHostGetFlags(&flags, pinned));
	STEP(cudaHostRegister(mine, sizeof(mine), 0));
	STEP(cudaHostUnregister(mine));
	STEP(cudaPointerGetAttributes(&attributes, memory));
	STEP(cudaFreeHost(pinned));
	STEP(cudaFreeHost(other));
	STEP(cudaFree(rows));
	STEP(cudaFree(pitched.ptr));
	STEP(cudaFree(memory));
}

static void copy_shapes(void *memory)
{
	struct cudaMemcpy3DParms copy = { .extent = cube, .kind = cudaMemcpyHostToDevice,
					  .srcPtr = { host, WIDTH, WIDTH, HEIGHT },
					  .dstPtr = { memory, WIDTH, WIDTH, HEIGHT } };
	struct cudaMemcpy3DPeerParms peer = { .extent = cube,
					      .srcPtr = { memory, WIDTH, WIDTH, HEIGHT },
					      .dstPtr = { memory, WIDTH, WIDTH, HEIGHT } };
	CUDA_MEMCPY3D_BATCH_OP operation = { .extent = { WIDTH, HEIGHT, 2 } };

	STEP(cudaMemcpy2D(memory, WIDTH, host, WIDTH, WIDTH, HEIGHT, 1));
	STEP(cudaMemcpy2DAsync(host, WIDTH, memory, WIDTH, WIDTH, HEIGHT, 2, NULL));
	STEP(cudaMemcpy2D_ptds(host, WIDTH, memory, WIDTH, WIDTH, HEIGHT, 4));
	STEP(cudaMemcpy3D(&copy));
	STEP(cudaMemcpy3DAsync(&copy, NULL));
	STEP(cudaMemcpy3DPeer(&peer));
	STEP(cudaMemcpy3DPeerAsync(&peer, NULL));
	STEP(cudaMemcpy3DBatchAsync(1, &operation, 0, NULL));
}

void cudart_copies(void)
{
	CUmemcpyAttributes how = { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM };
	const void *from[] = { host };
	size_t sizes[] = { 4 }, first = 0;
	void *memory, *to[1];

	STEP(cudaMalloc(&memory, sizeof(host)));
	to[0] = memory;
	STEP(cudaMemcpy(memory, host, 4, cudaMemcpyHostToDevice));
	STEP(cudaMemcpy(host, memory, 4, cudaMemcpyDeviceToHost));
	STEP(cudaMemcpy(memory, memory, 4, cudaMemcpyDeviceToDevice));
	STEP(cudaMemcpy(memory, host, 4, cudaMemcpyDefault));
	STEP(cudaMemcpy_ptds(memory, host, 4, cudaMemcpyHostToDevice));
	STEP(cudaMemcpyAsync(memory, host, 4, cudaMemcpyHostToDevice, NULL));
	STEP(cudaMemcpyAsync(host, memory, 4, cudaMemcpyDeviceToHost, NULL));
	STEP(cudaMemcpyAsync(memory, memory, 4, cudaMemcpyDeviceToDevice, NULL));
	STEP(cudaMemcpyAsync(memory, host, 4, cudaMemcpyDefault, NULL));
	STEP(cudaMemcpyPeer(memory, 0, memory, 0, 4));
	STEP(cudaMemcpyPeerAsync(memory, 0, memory, 0, 4, NULL));
	STEP(cudaMemcpyBatchAsync(to, from, sizes, 1, &how, &first, 1, NULL));
	copy_shapes(memory);
}

void cudart_fills(void)
{
	struct cudaPitchedPtr rows = { NULL, WIDTH, WIDTH, HEIGHT };

	STEP(cudaMalloc(&rows.ptr, sizeof(host)));
	STEP(cudaMemset(rows.ptr, 1, WIDTH));
	STEP(cudaMemset_ptds(rows.ptr, 1, WIDTH));
	STEP(cudaMemsetAsync(rows.ptr, 1, WIDTH, NULL));
	STEP(cudaMemset2D(rows.ptr, WIDTH, 1, WIDTH, HEIGHT));
	STEP(cudaMemset2DAsync(rows.ptr, WIDTH, 1, WIDTH, HEIGHT, NULL));
	STEP(cudaMemset3D(rows, 1, cube));
	STEP(cudaMemset3DAsync(rows, 1, cube, NULL));
}

static void ask_pools(void)
{
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	cudaMemPool_t pool;

	STEP(cudaDeviceGetMemPool(&pool, 0));
	STEP(cudaDeviceGetDefaultMemPool(&pool, 0));
	STEP(cudaMemGetMemPool(&pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
	STEP(cudaMemGetDefaultMemPool(&pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
	STEP(cudaMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, cudart_pool));
	STEP(cudaDeviceSetMemPool(0, cudart_pool));
}

void cudart_pools(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				 .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUmemAccessDesc access = { here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemAccess_flags flags;
	void *memory, *more;
	uint64_t value = 0;

	STEP(cudaMemPoolCreate(&cudart_pool, &props));
	STEP(cudaMemPoolSetAttribute(cudart_pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
	STEP(cudaMemPoolGetAttribute(cudart_pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
	STEP(cudaMemPoolSetAccess(cudart_pool, &access, 1));
	STEP(cudaMemPoolGetAccess(&flags, cudart_pool, &here));
	STEP(cudaMallocFromPoolAsync(&memory, 64, cudart_pool, NULL));
	STEP(cudaMallocAsync(&more, 64, NULL));
	STEP(cudaFreeAsync(memory, NULL));
	STEP(cudaFreeAsync(more, NULL));
	STEP(cudaMemPoolTrimTo(cudart_pool, 0));
	ask_pools();
}

void cudart_managed(void)
{
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUmem_range_attribute attribute = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
	void *memory, *values[1];
	size_t sizes[] = { 4096 }, first = 0, four = 4;
	int number;

	values[0] = &number;
	STEP(cudaMallocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
	STEP(cudaMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
	STEP(cudaMemPrefetchAsync(memory, 4096, here, 0, NULL));
	STEP(cudaMemPrefetchBatchAsync(&memory, sizes, 1, &here, &first, 1, 0, NULL));
	STEP(cudaMemDiscardBatchAsync(&memory, sizes, 1, 0, NULL));
	STEP(cudaMemDiscardAndPrefetchBatchAsync(&memory, sizes, 1, &here, &first, 1, 0, NULL));
	STEP(cudaMemRangeGetAttribute(&number, 4, attribute, memory, 4096));
	STEP(cudaMemRangeGetAttributes(values, &four, &attribute, 1, memory, 4096));
	STEP(cudaStreamAttachMemAsync(NULL, memory, 0, CU_MEM_ATTACH_SINGLE));
}

/* On the second of two devices, and from it to the first. */
static void both(void)
{
	CUatomicOperation operation = 0;
	unsigned capabilities;
	void *here, *there;
	int number;

	STEP(cudaDeviceCanAccessPeer(&number, 0, 1));
	STEP(cudaDeviceGetP2PAttribute(&number, 1, 0, 1));
	STEP(cudaDeviceGetP2PAtomicCapabilities(&capabilities, &operation, 1, 0, 1));
	STEP(cudaMalloc(&here, 64));
	STEP(cudaSetDevice(1));
	STEP(cudaMalloc(&there, 64));
	STEP(cudaDeviceEnablePeerAccess(0, 0));
	STEP(cudaMemcpyPeer(there, 1, here, 0, 64));
	STEP(cudaDeviceDisablePeerAccess(0));
	STEP(cudaDeviceSynchronize());
	STEP(cudaDeviceReset());
	STEP(cudaSetDevice(0));
}

/* The second device is reset here, whatever has happened; the first one by who calls. */
void cudart_peers(void)
{
	both();
	if (!cudaPeekAtLastError())
		return;
	if (!cudaSetDevice(1) && cudaDeviceReset())
		cudaDeviceReset();
	cudaSetDevice(0);
}
