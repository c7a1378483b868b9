/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of the driver over the seams of neighbouring mappings, and into a hole. */
#include "seams.h"

static struct range to, from;
static uint8_t *host; /* of SPAN bytes */

/* From before the first seam to after the third. */
#define BEFORE 272
#define SPAN (2 * unit + 2 * BEFORE)
#define DST (seam(&to, 0) - BEFORE)
#define SRC (seam(&from, 0) - BEFORE)

static void fill_host(unsigned salt)
{
	for (size_t i = 0; i < SPAN; i++)
		host[i] = (uint8_t)(i * 5 + (i >> 8) + (i >> 16) + salt);
}

/* Source and destination are made; what a call moved is compared by another call. */
static void begin(unsigned salt)
{
	fill_host(salt);
	OK_CU(cu.cuMemcpyHtoD(SRC, host, SPAN));
	OK_CU(cu.cuMemsetD8(DST, 0xee, SPAN));
	OK_CU(cu.cuCtxSynchronize());
}

static bool copied(void)
{
	uint8_t *got = malloc(SPAN);
	bool good = OK_CU(cu.cuCtxSynchronize()) && OK_CU(cu.cuMemcpyDtoH(got, DST, SPAN)) &&
		    CHECK(!memcmp(got, host, SPAN));

	free(got);
	return good;
}

static void test_linear(void)
{
	CUcontext context = NULL;
	uint8_t *got = malloc(SPAN);

	OK_CU(cu.cuCtxGetCurrent(&context));
#define MOVES(call)                                                                            \
	do {                                                                                   \
		begin(__LINE__);                                                               \
		OK_CU(call);                                                                   \
		copied();                                                                      \
	} while (0)
	MOVES(cu.cuMemcpyHtoD(DST, host, SPAN));
	MOVES(cu.cuMemcpyHtoDAsync(DST, host, SPAN, NULL));
	MOVES(cu.cuMemcpyDtoD(DST, SRC, SPAN));
	MOVES(cu.cuMemcpyDtoDAsync(DST, SRC, SPAN, NULL));
	MOVES(cu.cuMemcpy(DST, SRC, SPAN));
	MOVES(cu.cuMemcpyAsync(DST, SRC, SPAN, NULL));
	MOVES(cu.cuMemcpyPeer(DST, context, SRC, context, SPAN));
	MOVES(cu.cuMemcpyPeerAsync(DST, context, SRC, context, SPAN, NULL));
#undef MOVES
	begin(3);
	OK_CU(cu.cuMemcpyDtoHAsync(got, SRC, SPAN, NULL));
	OK_CU(cu.cuCtxSynchronize());
	CHECK(!memcmp(got, host, SPAN));
	free(got);
}

/* Each row lies over a seam of its own, or one in some rows. */
static void copy_rows(size_t pitch, size_t width, size_t height, int way)
{
	CUDA_MEMCPY2D copy = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = SRC,
		.srcPitch = pitch,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.dstDevice = DST,
		.dstPitch = pitch,
		.WidthInBytes = width,
		.Height = height,
	};
	uint8_t *want = malloc(SPAN), *got = malloc(SPAN);

	begin((unsigned)way);
	memset(want, 0xee, SPAN);
	for (size_t row = 0; row < height; row++)
		memcpy(want + row * pitch, host + row * pitch, width);
	OK_CU(way == 0 ? cu.cuMemcpy2D(&copy) :
	      way == 1 ? cu.cuMemcpy2DUnaligned(&copy) :
			 cu.cuMemcpy2DAsync(&copy, NULL));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemcpyDtoH(got, DST, SPAN));
	CHECK(!memcmp(got, want, SPAN));
	free(want);
	free(got);
}

static void test_rows(void)
{
	for (int way = 0; way < 3; way++) {
		copy_rows(unit, 2 * BEFORE, 3, way);
		copy_rows(1024, 768, SPAN / 1024, way);
		copy_rows(4096 + 16, 4096 + 16, 512, way);
	}
}

static void copy_slices(bool async)
{
	const size_t pitch = 1024, rows = unit / 2 / pitch, width = 640, height = rows - 5, depth = 4;
	const CUDA_MEMCPY3D copy = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = SRC,
		.srcPitch = pitch,
		.srcHeight = rows,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE,
		.dstDevice = DST,
		.dstPitch = pitch,
		.dstHeight = rows,
		.WidthInBytes = width,
		.Height = height,
		.Depth = depth,
	};
	uint8_t *want = malloc(SPAN), *got = malloc(SPAN);

	begin(async);
	memset(want, 0xee, SPAN);
	for (size_t z = 0; z < depth; z++)
		for (size_t y = 0; y < height; y++)
			memcpy(want + (z * rows + y) * pitch, host + (z * rows + y) * pitch, width);
	OK_CU(async ? cu.cuMemcpy3DAsync(&copy, NULL) : cu.cuMemcpy3D(&copy));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemcpyDtoH(got, DST, SPAN));
	CHECK(!memcmp(got, want, SPAN));
	free(want);
	free(got);
}

static void test_slices(void)
{
	copy_slices(false);
	copy_slices(true);
}

/* @width elements of @size bytes in each of @height rows of @pitch bytes have @value, no other has. */
static void filled(unsigned value, unsigned size, size_t pitch, size_t width, size_t height)
{
	uint8_t *want = malloc(SPAN), *got = malloc(SPAN);

	memset(want, 0xee, SPAN);
	for (size_t row = 0; row < height; row++)
		for (size_t i = 0; i < width; i++)
			memcpy(want + row * pitch + i * size, &value, size);
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemcpyDtoH(got, DST, SPAN));
	CHECK(!memcmp(got, want, SPAN));
	free(want);
	free(got);
	OK_CU(cu.cuMemsetD8(DST, 0xee, SPAN));
}

static void test_fills(void)
{
	const size_t n = SPAN - 32;

	begin(0);
#define FILLS(bits, value)                                                                     \
	do {                                                                                   \
		const unsigned size = bits / 8;                                                \
		OK_CU(cu.cuMemsetD##bits(DST, (value), n / size));                             \
		filled(value, size, 0, n / size, 1);                                           \
		OK_CU(cu.cuMemsetD##bits##Async(DST, (value), n / size, NULL));                \
		filled(value, size, 0, n / size, 1);                                           \
		OK_CU(cu.cuMemsetD2D##bits(DST, unit, (value), 2 * BEFORE / size, 3));         \
		filled(value, size, unit, 2 * BEFORE / size, 3);                               \
		OK_CU(cu.cuMemsetD2D##bits##Async(DST, 1024, (value), 512 / size, 2 * unit / 1024, NULL)); \
		filled(value, size, 1024, 512 / size, 2 * unit / 1024);                        \
	} while (0)
	FILLS(8, 0x12u);
	FILLS(16, 0x1234u);
	FILLS(32, 0x12345678u);
#undef FILLS
}

static void test_batch(void)
{
	CUmemcpyAttributes attributes = { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM };
	CUdeviceptr dst[] = { DST, DST + BEFORE, DST + unit }, src[] = { SRC, SRC + BEFORE, SRC + unit };
	size_t sizes[] = { BEFORE, unit - BEFORE, SPAN - unit }, first = 0;
	CUstream stream = NULL;

	if (!cu.cuMemcpyBatchAsync)
		return;
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	begin(9);
	OK_CU(cu.cuMemcpyBatchAsync(dst, src, sizes, 3, &attributes, &first, 1, stream));
	copied();
	begin(10);
	sizes[0] = SPAN;
	OK_CU(cu.cuMemcpyBatchAsync(dst, src, sizes, 1, &attributes, &first, 1, stream));
	copied();
	OK_CU(cu.cuStreamDestroy(stream));
}

/* Words that a stream writes and waits for, last of one mapping and first of the next. */
static void test_words(void)
{
	const CUdeviceptr at = seam(&to, 0);
	CUstream writer = NULL, waiter = NULL;
	uint32_t words[4] = { 0 };

	OK_CU(cu.cuStreamCreate(&writer, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamCreate(&waiter, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuMemsetD8(at - 8, 0, 16));
	OK_CU(cu.cuCtxSynchronize());
	for (int i = -2; i < 2; i++)
		OK_CU(cu.cuStreamWaitValue32(waiter, at + 4 * i, (unsigned)(i + 7), CU_STREAM_WAIT_VALUE_EQ));
	for (int i = -2; i < 2; i++)
		OK_CU(cu.cuStreamWriteValue32(writer, at + 4 * i, (unsigned)(i + 7), 0));
	OK_CU(cu.cuStreamSynchronize(waiter));
	OK_CU(cu.cuMemcpyDtoH(words, at - 8, sizeof(words)));
	CHECK(words[0] == 5 && words[1] == 6 && words[2] == 7 && words[3] == 8);
	for (int i = -1; i < 1; i++) {
		OK_CU(cu.cuStreamWaitValue64(waiter, at + 8 * i, 99 + (unsigned)i, CU_STREAM_WAIT_VALUE_EQ));
		OK_CU(cu.cuStreamWriteValue64(writer, at + 8 * i, 99 + (unsigned)i, 0));
	}
	OK_CU(cu.cuStreamSynchronize(waiter));
	OK_CU(cu.cuMemcpyDtoH(words, at - 8, sizeof(words)));
	CHECK(words[0] == 98 && !words[1] && words[2] == 99 && !words[3]);
	OK_CU(cu.cuStreamDestroy(writer));
	OK_CU(cu.cuStreamDestroy(waiter));
}

static void check_range(const struct range *range, CUdeviceptr at, unsigned index)
{
	const CUdeviceptr mapping = range->base + index * unit;
	CUdeviceptr base = 0, start = 0, map = 0, same = 0;
	size_t size = 0, length = 0, mapped = 0;
	unsigned type = 0;

	OK_CU(cu.cuMemGetAddressRange(&base, &size, at));
	OK_CU(cu.cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at));
	OK_CU(cu.cuPointerGetAttribute(&length, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at));
	OK_CU(cu.cuPointerGetAttribute(&map, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, at));
	OK_CU(cu.cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, at));
	OK_CU(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
	OK_CU(cu.cuPointerGetAttribute(&same, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, at));
	CHECK(base == mapping && size == unit);
	CHECK(map == mapping && mapped == unit);
	CHECK(start == range->base && length == range->count * unit);
	CHECK_INT(type, CU_MEMORYTYPE_DEVICE);
	CHECK(same == at);
}

/*
 * The range of an address is its mapping to cuMemGetAddressRange, and all that was reserved there,
 * with its holes, to cuPointerGetAttribute. Neighbours do not become one for either: so an H100.
 */
static void test_ranges(void)
{
	const struct range range = range_map(5, 3);
	CUdeviceptr base = 0;
	size_t size = 0;

	for (unsigned i = 0; i < 5; i++) {
		const CUdeviceptr first = range.base + i * unit, last = first + unit - 1;

		if (i != 3) {
			check_range(&range, first, i);
			check_range(&range, last, i);
			continue;
		}
		CHECK_CU(cu.cuMemGetAddressRange(&base, &size, first), CUDA_ERROR_NOT_FOUND);
		CHECK_CU(cu.cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
						  first), CUDA_ERROR_INVALID_VALUE);
	}
	range_unmap(&range);
}

/* Nothing is copied to or from where nothing is mapped, nor filled. */
static void test_hole(void)
{
	const struct range none = range_map(3, 1);
	const CUdeviceptr at = seam(&none, 0) - 64;
	uint8_t bytes[128] = { 0 };

	CHECK_CU(cu.cuMemcpyDtoH(bytes, at, 128), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemcpyHtoD(at, bytes, 128), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemcpyDtoD(at, to.base, 128), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemsetD8(at, 0, 128), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuMemcpyDtoH(bytes, seam(&none, 1) - 64, 128), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemcpyDtoH(bytes, at, 64));
	OK_CU(cu.cuCtxSynchronize());
	range_unmap(&none);
}

static void (*running)(void);

static void body(void)
{
	to = range_map(4, 4);
	from = range_map(4, 4);
	host = malloc(SPAN);
	running();
	free(host);
	range_unmap(&to);
	range_unmap(&from);
	no_findings();
}

/* Each test by itself, unchecked and checked. */
#define BOTH_WAYS(test)                                                                        \
	static void test##_child(void)                                                         \
	{                                                                                      \
		running = test;                                                                \
		in_child(NULL, body);                                                          \
		in_child("check=all,-api", body);                                                   \
	}
BOTH_WAYS(test_linear)
BOTH_WAYS(test_rows)
BOTH_WAYS(test_slices)
BOTH_WAYS(test_fills)
BOTH_WAYS(test_batch)
BOTH_WAYS(test_words)
BOTH_WAYS(test_ranges)
BOTH_WAYS(test_hole)

int main(void)
{
	RUN(test_linear_child);
	RUN(test_rows_child);
	RUN(test_slices_child);
	RUN(test_fills_child);
	RUN(test_batch_child);
	RUN(test_words_child);
	RUN(test_ranges_child);
	RUN(test_hole_child);
	return tap_end();
}
