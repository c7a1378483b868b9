/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches: what they compute, and what is refused before the driver is asked. */
#include "kernels.h"

enum { N = 1000 };

static struct gpurun_module module;
static struct gpurun_stream stream;

/* c = a + b over N elements, given as pointers or packed. */
static void add(bool packed)
{
	float a[N], b[N], c[N] = { 0 };
	struct {
		uint64_t a, b, c;
		uint32_t n;
	} args = { alloc(sizeof(a)), alloc(sizeof(b)), alloc(sizeof(c)), N };
	void *pointers[] = { &args.a, &args.b, &args.c, &args.n };
	struct gpurun_launch launch = { .grid = { 8 }, .block = { 128 }, .stream = stream,
					.packed = &args, .packed_size = 28 };

	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = 0.5f;
	}
	CHECK_INT(gpurun_memory_copy(args.a, host(a), sizeof(a), stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(args.b, host(b), sizeof(b), stream), GPURUN_OK);
	CHECK_INT(gpurun_launch(kernel_of(module, "add"), &launch, packed ? NULL : pointers),
		  GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(c), args.c, sizeof(c), stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	for (int i = 0; executes() && i < N; i++)
		REQUIRE(c[i] == (float)i + 0.5f);
	CHECK_INT(gpurun_memory_free(args.a), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(args.b), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(args.c), GPURUN_OK);
}

static void test_add(void)
{
	add(false);
}

static void test_packed(void)
{
	add(true);
}

/* A launch that must be refused with @status and a text that has @part. */
static void refused(struct gpurun_launch launch, int status, const char *part)
{
	launch.stream = stream;
	CHECK_INT(gpurun_launch(kernel_of(module, "nothing"), &launch, NULL), status);
	CHECK_HAS(gpurun_error_text(), part);
	CHECK_INT(gpurun_error_driver(), 0);
}

static void test_geometry(void)
{
	unsigned most = (unsigned)device_info.max_threads_per_block;
	unsigned wide = (unsigned)device_info.max_block[0];
	unsigned deep = (unsigned)device_info.max_grid[1];

	refused((struct gpurun_launch){ .block = { wide + 1 } }, GPURUN_LAUNCH, "block.x");
	refused((struct gpurun_launch){ .block = { most, 2 } }, GPURUN_LAUNCH, "threads");
	refused((struct gpurun_launch){ .grid = { 1, deep + 1 } }, GPURUN_LAUNCH, "grid.y");
	refused((struct gpurun_launch){ .flags = 0x80 }, GPURUN_INVALID, "flags");
}

/* What the kernel allows may be less than what the device does. */
static void test_kernel_limit(void)
{
	static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				  ".visible .entry few() .maxntid 32, 1, 1 { ret; }\n";
	struct gpurun_launch launch = { .grid = { 1 }, .block = { 33 }, .stream = stream };
	struct gpurun_kernel few;
	struct gpurun_module own;

	if (!executes()) /* the stub knows no kernel's limit */
		return;
	REQUIRE(!gpurun_module_load(device, ptx, 0, &own));
	few = kernel_of(own, "few");
	CHECK_INT(gpurun_launch(few, &launch, NULL), GPURUN_LAUNCH);
	CHECK_HAS(gpurun_error_text(), "has 33 threads, the kernel allows 32");
	launch.block[0] = 32;
	CHECK_INT(gpurun_launch(few, &launch, NULL), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(own), GPURUN_OK);
}

static void test_shared(void)
{
	unsigned most = (unsigned)device_info.max_shared_per_block_optin;
	struct gpurun_launch launch = { .shared = most, .stream = stream };
	struct gpurun_kernel kernel = kernel_of(module, "nothing");

	refused((struct gpurun_launch){ .shared = most + 1 }, GPURUN_LAUNCH, "shared memory");
	/* Above 48 KiB a kernel opts in by itself, and keeps what it got. */
	CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_OK);
	launch.shared = 100;
	CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_OK);
	launch.shared = most;
	CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
}

static void test_arguments(void)
{
	struct gpurun_kernel kernel = kernel_of(module, "add");
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };
	struct gpurun_launch launch = { .stream = stream, .packed = &info, .packed_size = 24 };
	void *args[4] = { &launch, &launch, &launch, NULL };

	CHECK_INT(gpurun_launch(kernel, NULL, NULL), GPURUN_INVALID);
	CHECK_INT(gpurun_kernel_get_info(kernel, &info), GPURUN_OK);
	if (info.parameters < 0)
		return; /* this driver cannot tell, so nothing can be checked */
	CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "28 bytes");
	CHECK_INT(gpurun_launch(kernel, &launch, args), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "argument 3");
	launch.packed = NULL;
	CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "takes 4 arguments");
}

static bool knows_parameters(struct gpurun_kernel kernel)
{
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };

	return !gpurun_kernel_get_info(kernel, &info) && info.parameters > 0;
}

/* A struct's size counts its padding, the parameters do not. Also where it is launched
 * again, which takes a shorter way. */
static void test_padding(void)
{
	static const char mixed_ptx[] =
		".version 6.0\n.target sm_50\n.address_size 64\n"
		".visible .entry mixed(.param .u64 out, .param .u64 a, .param .u16 b)\n"
		"{\n"
		"	.reg .b16 %h;\n"
		"	.reg .b64 %d<4>;\n"
		"	ld.param.u64 %d1, [out];\n"
		"	ld.param.u64 %d2, [a];\n"
		"	ld.param.u16 %h, [b];\n"
		"	cvt.u64.u16 %d3, %h;\n"
		"	add.u64 %d2, %d2, %d3;\n"
		"	st.global.u64 [%d1], %d2;\n"
		"	ret;\n"
		"}\n";
	struct {
		uint64_t out, a;
		uint16_t b;
	} args = { alloc(8), 1000000000000, 321 };
	struct gpurun_launch launch = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
					.stream = stream, .packed = &args };
	struct gpurun_module mixed;
	struct gpurun_kernel kernel;
	uint64_t sum = 0;

	CHECK_INT(gpurun_module_load(device, mixed_ptx, 0, &mixed), GPURUN_OK);
	kernel = kernel_of(mixed, "mixed");
	for (int i = 0; i < 3; i++, args.a++) {
		launch.packed_size = i == 1 ? 18 : sizeof(args);
		CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_OK);
	}
	CHECK_INT(gpurun_memory_copy(host(&sum), args.out, 8, stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	if (executes())
		CHECK_INT((long long)sum, 1000000000002 + 321);
	launch.packed_size = 17;
	if (knows_parameters(kernel))
		CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_INVALID);
	CHECK_INT(gpurun_module_unload(mixed), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(args.out), GPURUN_OK);
}

/* Clusters, spread or not; a preference that has nothing to prefer changes nothing. */
static void test_cluster(void)
{
	struct gpurun_kernel kernel = kernel_of(load(), "nothing");
	struct gpurun_launch launch = { .grid = { 4, 2 }, .cluster = { 2 },
					.stream = new_stream() };

	launch.flags = GPURUN_LAUNCH_SPREAD;
	if (device_info.cc_major >= 9)
		CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_OK);
	launch.flags |= GPURUN_LAUNCH_COOPERATIVE;
	if (device_info.cc_major >= 9)
		CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_OK);
	memset(launch.cluster, 0, sizeof(launch.cluster));
	CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_OK);
	launch.flags = GPURUN_LAUNCH_SPREAD;
	CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_OK);
	launch.cluster[0] = 3;
	CHECK_INT(gpurun_launch(kernel, &launch, NULL), GPURUN_LAUNCH);
	CHECK_HAS(gpurun_error_text(), "does not divide grid.x");
	CHECK_INT(gpurun_stream_synchronize(launch.stream), GPURUN_OK);
}

static struct gpurun_kernel again_kernel;
static void **again_args;

/* What the second launch of a kernel on a stream answers, changed by @how. */
static int again(struct gpurun_launch how, void **args)
{
	struct gpurun_launch good = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
				      .stream = new_stream() };
	int status;

	for (int i = 0; i < 2; i++)
		CHECK_INT(gpurun_launch(again_kernel, &good, again_args), GPURUN_OK);
	how.stream = good.stream;
	status = gpurun_launch(again_kernel, &how, args);
	CHECK_INT(gpurun_stream_synchronize(good.stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(good.stream), GPURUN_OK);
	return status;
}

/* Everything is checked again though kernel and stream are those of the last launch. */
static void test_again(void)
{
	const unsigned most = (unsigned)device_info.max_threads_per_block;
	struct gpurun_launch how = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
	uint64_t out = alloc(4);
	void *args[] = { &out }, *missing[] = { NULL };
	uint32_t count = 0;

	again_kernel = kernel_of(load(), "bump");
	again_args = args;
	CHECK_INT(again(how, args), GPURUN_OK);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(&count), out, 4, no_stream), GPURUN_OK);
	if (executes())
		CHECK_INT(count, 3);
	if (knows_parameters(again_kernel))
		CHECK_INT(again(how, missing), GPURUN_INVALID);
	how.block[0] = most + 1;
	CHECK_INT(again(how, args), GPURUN_LAUNCH);
	how.block[0] = 2;
	how.block[1] = most;
	CHECK_INT(again(how, args), GPURUN_LAUNCH);
	how.block[0] = how.block[1] = 0x80000000;
	how.block[2] = 4;
	CHECK_INT(again(how, args), GPURUN_LAUNCH);
	how.block[0] = how.block[1] = 1;
	how.block[2] = (unsigned)device_info.max_block[2] + 1;
	CHECK_INT(again(how, args), GPURUN_LAUNCH);
	how.block[2] = 0;
	CHECK_INT(again(how, args), GPURUN_OK);
	for (int i = 0; i < 3; i++) {
		memset(how.grid, 0, sizeof(how.grid));
		CHECK_INT(again(how, args), GPURUN_OK);
		how.grid[i] = (unsigned)device_info.max_grid[i] + 1;
		CHECK_INT(again(how, args), GPURUN_LAUNCH);
	}
	memset(how.grid, 0, sizeof(how.grid));
	how.shared = (unsigned)device_info.max_shared_per_block_optin + 1;
	CHECK_INT(again(how, args), GPURUN_LAUNCH);
	how.shared = 0;
	how.flags = 0x80;
	CHECK_INT(again(how, args), GPURUN_INVALID);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
}

/* Handles that are not that of the last stream, though they look like it. */
static void test_other_streams(void)
{
	struct gpurun_launch how = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
	struct gpurun_kernel kernel = kernel_of(load(), "nothing");
	struct gpurun_stream streams[] = { new_stream(), new_stream() };
	void *none[] = { NULL };
	uint64_t id = streams[0].id;

	how.stream.id = 0;
	CHECK_INT(gpurun_launch(kernel, &how, none), GPURUN_HANDLE);
	for (int i = 0; i < 6; i++) {
		how.stream = streams[i / 2 % 2];
		CHECK_INT(gpurun_launch(kernel, &how, none), GPURUN_OK);
	}
	for (unsigned bit = 0; bit < 64; bit++) {
		how.stream = streams[0];
		CHECK_INT(gpurun_launch(kernel, &how, none), GPURUN_OK);
		how.stream.id = id ^ (uint64_t)1 << bit;
		if (gpurun_stream_query(how.stream) == GPURUN_HANDLE)
			CHECK_INT(gpurun_launch(kernel, &how, none), GPURUN_HANDLE);
	}
	how.stream = streams[0];
	CHECK_INT(gpurun_launch(kernel, &how, none), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(streams[0]), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(streams[0]), GPURUN_OK);
	CHECK_INT(gpurun_launch(kernel, &how, none), GPURUN_HANDLE);
	how.stream = new_stream();
	CHECK_INT(gpurun_launch(kernel, &how, none), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(how.stream), GPURUN_OK);
}

static void test_occupancy(void)
{
	struct gpurun_kernel kernel = kernel_of(module, "nothing");
	unsigned block = 0, grid = 0, less = 0;
	struct gpurun_launch how = { .stream = stream };

	CHECK_INT(gpurun_kernel_occupancy(kernel, 0, &block, &grid), GPURUN_OK);
	CHECK(block >= 32 && block <= (unsigned)device_info.max_threads_per_block);
	CHECK(grid >= (unsigned)device_info.multiprocessors);
	/* What a block may have at most leaves room for one; the kernel is opted in. */
	how.shared = (unsigned)device_info.max_shared_per_block_optin;
	CHECK_INT(gpurun_kernel_occupancy(kernel, how.shared, &how.block[0], &less), GPURUN_OK);
	CHECK(how.block[0] >= 32 && less <= grid);
	CHECK_INT(gpurun_launch(kernel, &how, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_kernel_occupancy(kernel, how.shared + 1, &block, &grid), GPURUN_LAUNCH);
	CHECK_HAS(gpurun_error_text(), "bytes of shared memory per block");
	CHECK_INT(block, 0);
	CHECK_INT(grid, 0);
	CHECK_INT(gpurun_kernel_occupancy(kernel, 0, NULL, &grid), GPURUN_INVALID);
}

static void test_blocks(void)
{
	struct gpurun_kernel kernel = kernel_of(module, "nothing");
	const unsigned most = (unsigned)device_info.max_shared_per_block_optin;
	unsigned small = 0, large = 0, none = 7;

	CHECK_INT(gpurun_kernel_blocks(kernel, 32, 0, &small), GPURUN_OK);
	CHECK_INT(gpurun_kernel_blocks(kernel, (unsigned)device_info.max_threads_per_block, 0,
				       &large), GPURUN_OK);
	CHECK(large >= 1 && small >= large);
	CHECK_INT(gpurun_kernel_blocks(kernel, 32, most, &large), GPURUN_OK);
	CHECK_INT(large, 1);
	CHECK_INT(gpurun_kernel_blocks(kernel, 32, most + 1, &none), GPURUN_LAUNCH);
	CHECK_INT(none, 0);
	CHECK_INT(gpurun_kernel_blocks(kernel, 0, 0, &none), GPURUN_INVALID);
	CHECK_STR(gpurun_error_text(), "a block of 0 threads");
	CHECK_INT(gpurun_kernel_blocks(kernel, 32, 0, NULL), GPURUN_INVALID);
}

static void test_no_stream(void)
{
	struct gpurun_kernel kernel = kernel_of(module, "nothing");

	CHECK_INT(launch1(kernel, no_stream, NULL), GPURUN_HANDLE);
}

int main(void)
{
	if (!up())
		return 1;
	module = load();
	stream = new_stream();
	RUN(test_add);
	RUN(test_packed);
	RUN(test_geometry);
	RUN(test_kernel_limit);
	RUN(test_shared);
	RUN(test_arguments);
	RUN(test_padding);
	RUN(test_cluster);
	RUN(test_again);
	RUN(test_other_streams);
	RUN(test_occupancy);
	RUN(test_blocks);
	RUN(test_no_stream);
	gpurun_shutdown();
	return tap_end();
}
