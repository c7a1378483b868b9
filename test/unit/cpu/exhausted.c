/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is left when memory is exhausted: each call is made again and again, with one
 * allocation more that succeeds, until it does. The linker leads the device's allocations
 * here (--wrap).
 */
#include "arena.h"
#include "exports.h"
#include "extents.h"
#include "tap.h"

/* Allocations of this thread that succeed before one fails; negative: all do. */
static __thread int left = -1;

static bool fails(void)
{
	return left >= 0 && left-- == 0;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, count, size);
}

/* Spans that are returned stay free, however many pieces they make. */
static void test_extents(void)
{
	enum { SPANS = 100 };
	struct extents extents;
	uint64_t start[SPANS], free_now = 0;

	REQUIRE(extents_init(&extents, SPANS, 0));
	for (int i = 0; i < SPANS; i++)
		REQUIRE(extents_allocate(&extents, 1, 1, &start[i]));
	for (int i = 0; i < SPANS; i += 2) {
		left = 0;
		extents_release(&extents, start[i], 1);
	}
	left = -1;
	for (size_t i = 0; i < extents.count; i++)
		free_now += extents.items[i].count;
	CHECK_INT(free_now, SPANS / 2);
	for (int i = 1; i < SPANS; i += 2)
		extents_release(&extents, start[i], 1);
	CHECK_INT(extents.count, 1);
	CHECK_INT(extents.items[0].count, SPANS);
	free(extents.items);
}

/* A context that could not be destroyed is there as before, with its streams. */
static void test_destroy(void)
{
	enum { STREAMS = 6 };
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
	CUdeviceptr word = 0;
	int failed = 0;

	CHECK_INT(cuMemAlloc(&word, 4), CUDA_SUCCESS);
	CHECK_INT(cuMemsetD32(word, 0, 1), CUDA_SUCCESS);
	while (result == CUDA_ERROR_OUT_OF_MEMORY && failed < 50) {
		CUstream streams[STREAMS];
		CUcontext context = NULL;
		unsigned long long id;

		CHECK_INT(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
		for (int i = 0; i < STREAMS; i++) {
			CHECK_INT(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING), 0);
			CHECK_INT(cuStreamWaitValue32(streams[i], word, 1, 0), 0);
		}
		left = failed;
		result = cuCtxDestroy(context);
		left = -1;
		if (!result)
			break;
		failed++;
		CHECK_INT(result, CUDA_ERROR_OUT_OF_MEMORY);
		CHECK_INT(cuCtxGetId(context, &id), CUDA_SUCCESS);
		CHECK_INT(cuStreamQuery(streams[0]), CUDA_ERROR_NOT_READY);
		CHECK_INT(cuCtxDestroy(context), CUDA_SUCCESS);
	}
	CHECK(failed > 1);
	CHECK_INT(cuMemFree(word), CUDA_SUCCESS);
}

/* Memory whose access could not be granted is not reached at that address. */
static void test_access(void)
{
	const size_t size = 2 << 20;
	const CUmemAllocationProp props = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
					    .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	const CUmemAccessDesc writable = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
					   CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
	CUmemGenericAllocationHandle memory = 0;
	CUdeviceptr range = 0;
	const volatile uint32_t *second;
	int failed = 0;

	CHECK_INT(cuMemAddressReserve(&range, 2 * size, 0, 0, 0), CUDA_SUCCESS);
	CHECK_INT(cuMemCreate(&memory, size, &props, 0), CUDA_SUCCESS);
	CHECK_INT(cuMemMap(range, size, 0, memory, 0), CUDA_SUCCESS);
	CHECK_INT(cuMemSetAccess(range, size, &writable, 1), CUDA_SUCCESS);
	CHECK_INT(cuMemsetD32(range, 42, 1), CUDA_SUCCESS);
	second = arena_bytes(range + size);
	while (result == CUDA_ERROR_OUT_OF_MEMORY && failed < 50) {
		CHECK_INT(cuMemMap(range + size, size, 0, memory, 0), CUDA_SUCCESS);
		left = failed;
		result = cuMemSetAccess(range + size, size, &writable, 1);
		left = -1;
		if (!result)
			break;
		failed++;
		CHECK_INT(result, CUDA_ERROR_OUT_OF_MEMORY);
		CHECK_INT(*second, 0);
		CHECK_INT(cuMemUnmap(range + size, size), CUDA_SUCCESS);
		CHECK_INT(*second, 0);
	}
	CHECK(failed > 0);
	CHECK_INT(*second, 42);
	CHECK_INT(cuMemUnmap(range, 2 * size), CUDA_SUCCESS);
	CHECK_INT(cuMemRelease(memory), CUDA_SUCCESS);
	CHECK_INT(cuMemAddressFree(range, 2 * size), CUDA_SUCCESS);
}

int main(void)
{
	CUcontext context;

	RUN(test_extents);
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) {
		printf("not ok - the device does not start\n");
		return 1;
	}
	RUN(test_destroy);
	RUN(test_access);
	return tap_end();
}
