/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What other programs than the runtime ask of a driver: copies by their direction,
 * memory that comes and goes in stream order, callbacks, peers, a context's flags.
 */
#include "cuda_kernels.h"

#define SIZE ((size_t)1 << 20)

static CUcontext context;
static CUfunction wait_for;

struct gate {
	atomic_uint *flag;
	CUdeviceptr address;
	CUstream stream;
};

/* Makes a stream that is held back until gate_open(). */
static struct gate gate_new(void)
{
	struct gate gate = { 0 };
	void *params[] = { &gate.address };

	gate.flag = cuda_flag(&gate.address);
	OK_CU(cu.cuStreamCreate(&gate.stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cuda_launch1(wait_for, gate.stream, params));
	return gate;
}

static void gate_open(const struct gate *gate)
{
	CHECK_CU(cu.cuStreamQuery(gate->stream), CUDA_ERROR_NOT_READY);
	*gate->flag = 1;
	OK_CU(cu.cuStreamSynchronize(gate->stream));
	OK_CU(cu.cuStreamDestroy(gate->stream));
}

static CUdeviceptr alloc(void)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, SIZE));
	return address;
}

static unsigned char *pinned(void)
{
	void *pointer = NULL;

	OK_CU(cu.cuMemAllocHost(&pointer, SIZE));
	memset(pointer, 0, SIZE);
	return pointer;
}

static void test_host(void)
{
	unsigned char *host = pinned();
	CUdeviceptr address = 0;
	unsigned type = 0;

	OK_CU(cu.cuMemHostGetDevicePointer(&address, host, 0));
	OK_CU(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
	CHECK_INT(type, CU_MEMORYTYPE_HOST);
	CHECK_CU(cu.cuMemFree((uintptr_t)host), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFreeHost(host));
}

/* To the device, on it, to its peer, which is itself, and back: in the order of the stream. */
static void test_copies(void)
{
	unsigned char *in = pinned(), *out = pinned();
	CUdeviceptr a = alloc(), b = alloc(), c = alloc();
	struct gate gate = gate_new();

	memset(in, 5, SIZE);
	OK_CU(cu.cuMemcpyHtoDAsync(a, in, SIZE, gate.stream));
	OK_CU(cu.cuMemcpyDtoDAsync(b, a, SIZE, gate.stream));
	OK_CU(cu.cuMemcpyPeerAsync(c, context, b, context, SIZE, gate.stream));
	OK_CU(cu.cuMemcpyDtoHAsync(out, c, SIZE, gate.stream));
	CHECK_INT(out[0], 0);
	gate_open(&gate);
	CHECK(!memcmp(in, out, SIZE));
	OK_CU(cu.cuMemFreeHost(in));
	OK_CU(cu.cuMemFreeHost(out));
	OK_CU(cu.cuMemFree(a));
	OK_CU(cu.cuMemFree(b));
	OK_CU(cu.cuMemFree(c));
}

/* Pageable bytes are taken at the call, and there when it returns. */
static void test_pageable(void)
{
	unsigned char *host = malloc(SIZE);
	CUdeviceptr a = alloc();
	CUstream stream;

	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	memset(host, 5, SIZE);
	OK_CU(cu.cuMemcpyHtoDAsync(a, host, SIZE, stream));
	memset(host, 6, SIZE);
	OK_CU(cu.cuMemcpyDtoHAsync(host, a, SIZE, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK(host[0] == 5 && host[SIZE - 1] == 5);
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuMemFree(a));
	free(host);
}

static void test_refused(void)
{
	CUdeviceptr a = alloc();
	char host[16] = "";

	CHECK_CU(cu.cuMemcpyHtoDAsync(0, host, 16, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemcpyDtoHAsync(host, 0, 16, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemcpyDtoDAsync(a, 0, 16, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemcpyDtoDAsync(a, a, (size_t)1 << 40, NULL), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemcpyDtoDAsync(a, a, 0, NULL));
	OK_CU(cu.cuMemFree(a));
}

/* What was enqueued before the free still has the memory. */
static void test_alloc(void)
{
	unsigned char *out = pinned();
	CUdeviceptr a = 0, b = 0;
	struct gate gate;
	int pools = 0;

	OK_CU(cu.cuDeviceGetAttribute(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0));
	if (!pools)
		SKIP("the device has no memory pools");
	gate = gate_new();
	OK_CU(cu.cuMemAllocAsync(&a, SIZE, gate.stream));
	REQUIRE(a);
	OK_CU(cu.cuMemsetD8Async(a, 7, SIZE, gate.stream));
	OK_CU(cu.cuMemcpyDtoHAsync(out, a, SIZE, gate.stream));
	OK_CU(cu.cuMemFreeAsync(a, gate.stream));
	OK_CU(cu.cuMemAllocAsync(&b, SIZE, gate.stream));
	OK_CU(cu.cuMemsetD8Async(b, 8, SIZE, gate.stream));
	CHECK_INT(out[0], 0);
	gate_open(&gate);
	CHECK(out[0] == 7 && out[SIZE - 1] == 7);
	if (a != b)
		CHECK_CU(cu.cuMemFreeAsync(a, NULL), CUDA_ERROR_INVALID_VALUE);
	/* The two kinds of free are one for memory that nothing uses. */
	OK_CU(cu.cuMemcpyDtoH(out, b, SIZE));
	CHECK_INT(out[SIZE - 1], 8);
	OK_CU(cu.cuMemFree(b));
	OK_CU(cu.cuMemFreeHost(out));
}

/* Memory of which nothing is left, though a stream has not come to its free yet. */
static void test_free_pending(void)
{
	struct gate gate = gate_new();
	CUdeviceptr a = 0;

	OK_CU(cu.cuMemAllocAsync(&a, SIZE, gate.stream));
	OK_CU(cu.cuMemFreeAsync(a, gate.stream));
	CHECK(cu.cuMemFreeAsync(a, gate.stream) != CUDA_SUCCESS);
	gate_open(&gate);
	CHECK(cu.cuMemFree(a) != CUDA_SUCCESS);
}

/* More, one after the other, than the device has. */
static void test_free_gives_back(void)
{
	size_t left = 0, total = 0;
	CUdeviceptr a = 0;
	CUstream stream;

	OK_CU(cu.cuMemGetInfo(&left, &total));
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < 5; i++) {
		REQUIRE(cu.cuMemAllocAsync(&a, left / 3, stream) == CUDA_SUCCESS);
		OK_CU(cu.cuMemsetD8Async(a, 1, 64, stream));
		OK_CU(cu.cuMemFreeAsync(a, stream));
		OK_CU(cu.cuStreamSynchronize(stream));
	}
	OK_CU(cu.cuStreamDestroy(stream));
}

struct called {
	atomic_int count;
	CUstream stream;
	CUresult result;
};

static void callback(CUstream stream, CUresult result, void *data)
{
	struct called *called = data;

	called->stream = stream;
	called->result = result;
	called->count++;
}

static void test_callback(void)
{
	struct called called = { .result = CUDA_ERROR_UNKNOWN };
	struct gate gate = gate_new();

	OK_CU(cu.cuStreamAddCallback(gate.stream, callback, &called, 0));
	OK_CU(cu.cuStreamAddCallback(gate.stream, callback, &called, 0));
	CHECK(cu.cuStreamAddCallback(gate.stream, callback, &called, 1) != CUDA_SUCCESS);
	CHECK_INT(called.count, 0);
	gate_open(&gate);
	CHECK_INT(called.count, 2);
	CHECK(called.stream == gate.stream);
	CHECK_INT(called.result, CUDA_SUCCESS);
}

/* No device is its own peer. */
static void test_peers(void)
{
	int can = 1;

	OK_CU(cu.cuDeviceCanAccessPeer(&can, 0, 0));
	CHECK_INT(can, 0);
	CHECK_CU(cu.cuDeviceCanAccessPeer(&can, 0, 1000), CUDA_ERROR_INVALID_DEVICE);
	CHECK_CU(cu.cuDeviceCanAccessPeer(&can, 1000, 0), CUDA_ERROR_INVALID_DEVICE);
	CHECK_CU(cu.cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
	CHECK_CU(cu.cuCtxEnablePeerAccess(context, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuCtxEnablePeerAccess(NULL, 0), CUDA_ERROR_INVALID_CONTEXT);
}

/* The first forms of two functions do what the second do. */
static void test_first_forms(void)
{
	CUevent event = NULL;
	CUuuid first, second;

	OK_CU(cu.cuDeviceGetUuid_v1(&first, 0));
	OK_CU(cu.cuDeviceGetUuid(&second, 0));
	CHECK(!memcmp(&first, &second, sizeof(first)));
	OK_CU(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK_CU(cu.cuEventDestroy_v1(event));
	CHECK(cu.cuEventQuery(event) != CUDA_SUCCESS);
}

int main(void)
{
	cuda_start();
	cu.cuCtxGetCurrent(&context);
	wait_for = cuda_function(cuda_kernels(), "wait");
	RUN(test_host);
	RUN(test_copies);
	RUN(test_pageable);
	RUN(test_refused);
	RUN(test_alloc);
	RUN(test_free_pending);
	RUN(test_free_gives_back);
	RUN(test_callback);
	RUN(test_peers);
	RUN(test_first_forms);
	return tap_end();
}
