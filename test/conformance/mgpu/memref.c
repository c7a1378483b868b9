/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memrefs by their descriptors: registering them, and tensor maps of them. What is
 * in a map only the stub driver shows; only a GPU uses one.
 */
#include "mgpu.h"
#include "tensor_map.h"

enum { UINT8 = 0, INT32 = 3, FLOAT64 = 8, LAST_TYPE = 12 };

/* A descriptor of rank @rank, laid out as MLIR has it. */
struct memref {
	void *allocated, *aligned;
	int64_t offset, rest[10];
};

static struct memref memref(void *data, int64_t offset, int rank, const int64_t *sizes,
			    const int64_t *strides)
{
	struct memref made = { data, data, offset, { 0 } };

	for (int i = 0; i < rank; i++) {
		made.rest[i] = sizes[i];
		made.rest[rank + i] = strides[i];
	}
	return made;
}

#define MEMREF(data, offset, rank, ...) memref(data, offset, rank, __VA_ARGS__)
#define AXES(...)		       ((const int64_t[]){ __VA_ARGS__ })

/* ---- Registering: scenes, as lines on stderr are what is to be seen ---------------------- */

static uint32_t host[4096] __attribute__((aligned(4096)));

/* Tells whether the driver has the word at @pointer registered. */
static bool is_registered(void *pointer)
{
	CUdeviceptr address = 0;

	return !cu.cuMemHostGetDevicePointer(&address, pointer, 0);
}

static void expect(bool condition, int status)
{
	if (!condition)
		_exit(status);
}

static void dense(void)
{
	struct memref m = MEMREF(host, 8, 2, AXES(4, 8), AXES(8, 1));

	cuda_open();
	mgpuMemHostRegisterMemRef(2, &m, 4);
	expect(is_registered(&host[8]), 1);
	mgpuMemHostUnregisterMemRef(2, &m, 4);
	expect(!is_registered(&host[8]), 2);
}

static void scalar(void)
{
	struct memref m = MEMREF(host, 3, 0, NULL, NULL);

	cuda_open();
	/* What stands behind a descriptor of rank 0 is not part of it. */
	m.rest[0] = m.rest[1] = INT64_MIN;
	mgpuMemHostRegisterMemRef(0, &m, 4);
	expect(is_registered(&host[3]), 1);
	mgpuMemHostUnregisterMemRef(0, &m, 4);
}

static void single_axes(void)
{
	struct memref m = MEMREF(host, 0, 3, AXES(1, 16, 1), AXES(999, 1, -7));

	mgpuMemHostRegisterMemRef(3, &m, 4);
	mgpuMemHostUnregisterMemRef(3, &m, 4);
}

static void empty(void)
{
	struct memref m = MEMREF(NULL, 0, 2, AXES(0, 8), AXES(8, 1));

	mgpuMemHostRegisterMemRef(2, &m, 4);
	mgpuMemHostUnregisterMemRef(2, &m, 4);
}

static void again(void)
{
	struct memref m = MEMREF(host, 0, 1, AXES(64), AXES(1));

	cuda_open();
	mgpuMemHostRegisterMemRef(1, &m, 4);
	mgpuMemHostRegisterMemRef(1, &m, 4);
	mgpuMemHostRegister(host, 256);
	mgpuMemHostUnregister(host);
	mgpuMemHostUnregisterMemRef(1, &m, 4);
	expect(is_registered(host), 1);
	mgpuMemHostUnregister(host);
	expect(!is_registered(host), 2);
}

/* Another range that begins there is another matter. */
static void overlapping(void)
{
	mgpuMemHostRegister(host, 256);
	mgpuMemHostRegister(host, 512);
}

static void refused(void)
{
	struct memref gaps = MEMREF(host, 0, 2, AXES(4, 4), AXES(8, 1));
	struct memref huge = MEMREF(host, 0, 2, AXES((int64_t)1 << 40, (int64_t)1 << 40),
				    AXES((int64_t)1 << 40, 1));
	struct memref negative = MEMREF(host, 0, 1, AXES(-4), AXES(1));
	struct memref far = MEMREF(host, INT64_MAX, 1, AXES(4), AXES(1));
	struct memref wide = MEMREF(host, 0, 1, AXES(INT64_MAX / 2), AXES(1));

	mgpuMemHostRegisterMemRef(2, &gaps, 4);
	mgpuMemHostRegisterMemRef(2, &huge, 4);
	mgpuMemHostRegisterMemRef(1, &negative, 4);
	mgpuMemHostRegisterMemRef(1, &far, 4);
	mgpuMemHostRegisterMemRef(1, &wide, 4);
	mgpuMemHostRegisterMemRef(1, NULL, 4);
	mgpuMemHostRegisterMemRef(-1, &gaps, 4);
	mgpuMemHostRegisterMemRef(1000, &gaps, 4);
	mgpuMemHostRegisterMemRef(1, &gaps, 0);
}

/* ---- Tensor maps ------------------------------------------------------------------------ */

static void *encode(int rank, const struct memref *m, int64_t type, const int64_t *box)
{
	return mgpuTensorMapEncodeTiledMemref(rank, m, type, 0, 0, 2, 0, box);
}

static void map_refused(void)
{
	char *data = mgpuMemAlloc(4096, NULL, 0);
	struct memref m = MEMREF(data, 0, 1, AXES(64), AXES(1));
	struct memref loose = MEMREF(data, 0, 2, AXES(4, 4), AXES(16, 2));
	struct memref negative = MEMREF(data, 0, 2, AXES(4, 4), AXES(-16, 1));

	expect(!encode(0, &m, INT32, AXES(1)), 1);
	expect(!encode(6, &m, INT32, AXES(1)), 2);
	expect(!encode(1, &m, LAST_TYPE + 1, AXES(1)), 3);
	expect(!encode(1, &m, INT32, NULL), 4);
	expect(!encode(1, NULL, INT32, AXES(1)), 5);
	expect(!encode(1, &m, INT32, AXES((int64_t)1 << 32)), 6);
	expect(!encode(2, &loose, INT32, AXES(1, 1)), 7);
	expect(!encode(2, &negative, INT32, AXES(1, 1)), 8);
}

/* An interleaved layout is not for the CPU device. */
static void map_unsupported(void)
{
	char *data = mgpuMemAlloc(4096, NULL, 0);
	struct memref m = MEMREF(data, 0, 3, AXES(4, 4, 16), AXES(64, 16, 1));

	expect(!mgpuTensorMapEncodeTiledMemref(3, &m, INT32, 1, 0, 2, 0, AXES(2, 2, 16)), 1);
}

/* The log of another failure does not come along. */
static void map_after_log(void)
{
	mgpuModuleLoad("no image", 8);
	map_unsupported();
}

static const struct scene scenes[] = {
	SCENE(dense),
	SCENE(scalar),
	SCENE(single_axes),
	SCENE(empty),
	SCENE(again),
	SCENE(overlapping),
	SCENE(refused),
	SCENE(map_refused),
	SCENE(map_unsupported), SCENE(map_after_log),
};

/* ---- Tests ------------------------------------------------------------------------------- */

static void test_register(void)
{
	CHECK_ENDING(play("dense"), 0, 0);
	CHECK_ENDING(play("scalar"), 0, 0);
	CHECK_ENDING(play("single_axes"), 0, 0);
	CHECK_ENDING(play("empty"), 0, 0);
}

static void test_register_again(void)
{
	CHECK_ENDING(play("again"), 0, 0);
	CHECK_ENDING(play("overlapping"), 115, 1);
}

static void test_register_refused(void)
{
	struct ending ending = play("refused");

	CHECK_ENDING(ending, 115, 9);
	CHECK_HAS(ending.text, "the memref has gaps: stride 0 is 8, not 4");
	CHECK_HAS(ending.text, "a memref of rank 1000");
}

static void test_map_refused(void)
{
	CHECK_ENDING(play("map_refused"), 115, 8);
}

static struct stub_tensor_map read_map(void *map)
{
	struct stub_tensor_map content = { 0 };

	mgpuMemcpy(&content, map, sizeof(content), NULL);
	mgpuStreamSynchronize(NULL);
	return content;
}

/* Axes in the other order, strides in bytes without the first, the offset counted. */
static void test_map(void)
{
	char *data;
	struct stub_tensor_map map;
	struct memref m;
	void *address;

	if (executes())
		return;
	data = mgpuMemAlloc(1 << 20, NULL, 0);
	m = MEMREF(data, 64, 3, AXES(5, 7, 32), AXES(512, 64, 1));
	address = mgpuTensorMapEncodeTiledMemref(3, &m, FLOAT64, 0, 3, 2, 1, AXES(2, 4, 16));
	REQUIRE(address != NULL);
	map = read_map(address);
	CHECK(map.address == (uintptr_t)data + 64 * 8);
	CHECK_INT(map.rank, 3);
	CHECK_INT(map.type, FLOAT64);
	CHECK_INT(map.swizzle, 3);
	CHECK_INT(map.l2, 2);
	CHECK_INT(map.oob, 1);
	CHECK_INT(map.dims[0], 32);
	CHECK_INT(map.dims[1], 7);
	CHECK_INT(map.dims[2], 5);
	CHECK_INT(map.strides[0], 64 * 8);
	CHECK_INT(map.strides[1], 512 * 8);
	CHECK_INT(map.box[0], 16);
	CHECK_INT(map.box[1], 4);
	CHECK_INT(map.box[2], 2);
	CHECK_INT(map.element_strides[2], 1);
	mgpuMemFree(data, NULL);
}

/* As many axes as there may be. */
static void test_map_of_five(void)
{
	struct stub_tensor_map map;
	struct memref m;
	char *data;
	void *address;

	if (executes())
		return;
	data = mgpuMemAlloc(1 << 20, NULL, 0);
	m = MEMREF(data, 0, 5, AXES(2, 3, 4, 5, 16), AXES(960, 320, 80, 16, 1));
	address = mgpuTensorMapEncodeTiledMemref(5, &m, FLOAT64, 0, 0, 2, 0,
						 AXES(1, 1, 1, 1, 16));
	REQUIRE(address != NULL);
	map = read_map(address);
	CHECK_INT(map.rank, 5);
	CHECK_INT(map.dims[4], 2);
	mgpuMemFree(data, NULL);
}

/* An axis of one element may have any stride; the upper halves of enums are anything. */
static void test_map_lenient(void)
{
	const int64_t junk = (int64_t)0x7eadbeef << 32;
	struct stub_tensor_map map;
	struct memref m;
	char *data;
	void *address;

	if (executes())
		return;
	data = mgpuMemAlloc(1 << 20, NULL, 0);
	m = MEMREF(data, 0, 5, AXES(1, 2, 1, 4, 64), AXES(-3, 256, 0, 64, 1));
	address = mgpuTensorMapEncodeTiledMemref(5, &m, junk | INT32, junk, junk | 2, junk, junk,
						 AXES(1, 1, 1, 4, 64));
	REQUIRE(address != NULL);
	map = read_map(address);
	CHECK_INT(map.type, INT32);
	CHECK_INT(map.swizzle, 2);
	CHECK_INT(map.strides[0], 256);
	CHECK_INT(map.strides[1], 1024);
	CHECK_INT(map.strides[2], 1024);
	CHECK_INT(map.strides[3], 2048);
	mgpuMemFree(data, NULL);
}

/* One map for each content, while the memory it describes is there. */
static void test_map_kept(void)
{
	char *data, *other;
	struct memref m, n;
	void *map;

	data = mgpuMemAlloc(1 << 20, NULL, 0);
	other = mgpuMemAlloc(1 << 20, NULL, 0);
	m = MEMREF(data, 0, 1, AXES(64), AXES(1));
	n = MEMREF(other, 0, 1, AXES(64), AXES(1));
	map = encode(1, &m, INT32, AXES(16));
	CHECK(map != NULL);
	CHECK(encode(1, &m, INT32, AXES(16)) == map);
	CHECK(encode(1, &m, INT32, AXES(8)) != map);
	CHECK(encode(1, &n, INT32, AXES(16)) != map);
	mgpuMemFree(other, NULL);
	CHECK(encode(1, &m, INT32, AXES(16)) == map);
	mgpuMemFree(data, NULL);
}

/* A million of them would be 256 MB. */
static void test_map_not_leaked(void)
{
	size_t before = 0, after = 0, total;

	cuda_start();
	for (int i = 0; i < 10000; i++) {
		char *data = mgpuMemAlloc(1 << 16, NULL, 0);
		struct memref m = MEMREF(data, 0, 1, AXES(64 + i % 7), AXES(1));

		if (!encode(1, &m, INT32, AXES(16)))
			CHECK(!"a map");
		mgpuMemFree(data, NULL);
		if (i == 100)
			OK_CU(cu.cuMemGetInfo(&before, &total));
	}
	OK_CU(cu.cuMemGetInfo(&after, &total));
	CHECK(after + (1 << 20) > before);
}

static void test_map_of_caller(void)
{
	char *data;
	CUtensorMap map;
	const uint64_t dims[] = { 64, 4 }, strides[] = { 256 };
	const uint32_t box[] = { 16, 2 }, ones[] = { 1, 1 };
	const CUtensorMap zero = { { 0 } };

	data = mgpuMemAlloc(4096, NULL, 0);
	map = zero;
	mgpuTensorMapEncodeTiled(&map, INT32, 2, data, dims, strides, box, ones, 0, 0, 0, 0);
	CHECK(memcmp(&map, &zero, sizeof(map)) != 0);
	mgpuMemFree(data, NULL);
}

static void test_map_unsupported(void)
{
	if (!is_cpu())
		return;
	CHECK_ENDING(play("map_unsupported"), 115, 1);
	CHECK_ENDING(play("map_after_log"), 115, 3);
}

int main(int argc, char **argv)
{
	SCENES(scenes, argc, argv);
	hear_stderr();
	RUN(test_register);
	RUN(test_register_again);
	RUN(test_register_refused);
	RUN(test_map_refused);
	RUN(test_map);
	RUN(test_map_of_five);
	RUN(test_map_lenient);
	RUN(test_map_kept);
	RUN(test_map_not_leaked);
	RUN(test_map_of_caller);
	RUN(test_map_unsupported);
	RUN(test_silence);
	return tap_end();
}
