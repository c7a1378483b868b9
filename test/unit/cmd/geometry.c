/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Grid, block and cluster of a launch, as they are written, against what a kernel
 * requires. */
#include "geometry.h"

#include <limits.h>

#include "action.h"
#include "tap.h"

static struct kernel_info info;
static struct lookup_kernel kernel = { .base = "k", .info = &info };
static struct launch launch;
static struct err e;
static struct launch_options defaults;
static const struct plan planned;

/* Plans a launch of a kernel that requires nothing but what the test has put into @info.
 */
static int plan(struct launch_options own)
{
	launch = (struct launch){ .kernel = &kernel };
	e = (struct err){ 0 };
	defaults = (struct launch_options){ 0 };
	return geometry_plan(&planned, &launch, &own, &defaults, &e);
}

static bool is(const unsigned dims[3], unsigned x, unsigned y, unsigned z)
{
	return dims[0] == x && dims[1] == y && dims[2] == z;
}

static void test_written(void)
{
	info = (struct kernel_info){ 0 };
	CHECK_INT(plan((struct launch_options){ 0 }), 0);
	CHECK(is(launch.extent.grid, 1, 1, 1) && is(launch.extent.block, 1, 1, 1) && !launch.shared);
	CHECK_INT(plan((struct launch_options){
			  .grid = "2,3", .block = "4x5x6", .shared = "1Ki" }),
		  0);
	CHECK(is(launch.extent.grid, 2, 3, 1) && is(launch.extent.block, 4, 5, 6));
	CHECK_INT(launch.shared, 1024);
	CHECK_INT(plan((struct launch_options){ .grid = "4294967295" }), 0);
	CHECK_INT(launch.extent.grid[0], UINT_MAX);
}

static void test_refused(void)
{
	static const char *const bad[] = { "",		 "0",
					   "1,",	 "1,0",
					   "-1",	 "1,2,3,4",
					   "4294967296", "18446744073709551616",
					   "one" };

	info = (struct kernel_info){ 0 };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_INT(plan((struct launch_options){ .grid = bad[i] }),
			  GPURUN_INVALID);
		CHECK_HAS(e.text, "--grid");
		CHECK_INT(plan((struct launch_options){ .block = bad[i] }),
			  GPURUN_INVALID);
		CHECK_HAS(e.text, "--block");
		CHECK_INT(plan((struct launch_options){ .cluster = bad[i] }),
			  GPURUN_INVALID);
		CHECK_HAS(e.text, "--cluster");
	}
	CHECK_INT(plan((struct launch_options){ .shared = "2147483648" }),
		  GPURUN_INVALID);
	CHECK_INT(plan((struct launch_options){ .threads = "8", .grid = "1" }),
		  GPURUN_INVALID);
	CHECK_STR(e.text, "--threads and --grid exclude each other");
	CHECK_INT(plan((struct launch_options){ .threads = "8", .block = "4,2" }),
		  GPURUN_INVALID);
	CHECK_INT(plan((struct launch_options){ .block = "auto" }), GPURUN_INVALID);
	CHECK_STR(e.text, "--block auto needs --threads");
}

/* Threads are rounded up to whole blocks, and blocks to whole clusters. */
static void test_threads(void)
{
	info = (struct kernel_info){ 0 };
	CHECK_INT(plan((struct launch_options){ .threads = "1000", .block = "256" }), 0);
	CHECK(is(launch.extent.grid, 4, 1, 1));
	CHECK_INT(plan((struct launch_options){ .threads = "1024", .block = "256" }), 0);
	CHECK(is(launch.extent.grid, 4, 1, 1));
	CHECK_INT(plan((struct launch_options){
			  .threads = "1025", .block = "256", .cluster = "4" }),
		  0);
	CHECK(is(launch.extent.grid, 8, 1, 1) && is(launch.cluster, 4, 1, 1));
	CHECK_INT(plan((struct launch_options){ .threads = "4294967296", .block = "1" }),
		  GPURUN_INVALID);
	CHECK_INT(plan((struct launch_options){ .threads = "0", .block = "1" }),
		  GPURUN_INVALID);
}

/* What is left open is settled once the device has said how large a block may be. */
static void test_auto(void)
{
	struct extent extent;

	info = (struct kernel_info){ 0 };
	CHECK_INT(plan((struct launch_options){ .threads = "1000", .block = "auto" }), 0);
	CHECK(!launch.extent.grid[0] && !launch.extent.block[0]);
	CHECK_INT(launch.threads, 1000);
	CHECK_INT(geometry_settle(&launch, 384, &extent, &e), 0);
	CHECK(is(extent.grid, 3, 1, 1) && is(extent.block, 384, 1, 1));
	/* For this run: another device has another block. */
	CHECK(!launch.extent.grid[0] && launch.threads == 1000);
	/* Fewer threads than a block: as many warps as they need. */
	CHECK_INT(plan((struct launch_options){ .threads = "33", .block = "auto" }), 0);
	CHECK_INT(geometry_settle(&launch, 1024, &extent, &e), 0);
	CHECK(is(extent.grid, 1, 1, 1) && is(extent.block, 64, 1, 1));
}

static void test_required(void)
{
	info = (struct kernel_info){ .required_block = { 64, 2, 1 } };
	CHECK_INT(plan((struct launch_options){ 0 }), 0);
	CHECK(is(launch.extent.block, 64, 2, 1));
	CHECK_INT(plan((struct launch_options){ .block = "128" }), GPURUN_LAUNCH);
	CHECK_STR(e.text, "k requires blocks of 64x2x1 threads, not 128x1x1");
	info = (struct kernel_info){ .max_block = { 256, 1, 1 } };
	CHECK_INT(plan((struct launch_options){ .block = "16,16" }), 0);
	CHECK_INT(plan((struct launch_options){ .block = "257" }), GPURUN_LAUNCH);
	/* A product that does not fit into 64 bits is not a small one. */
	CHECK_INT(plan((struct launch_options){
			  .block = "4294967295,4294967295,4294967295" }),
		  GPURUN_LAUNCH);
	info = (struct kernel_info){ .cluster = { 2, 1, 1 } };
	CHECK_INT(plan((struct launch_options){ .grid = "4" }), 0);
	CHECK_INT(plan((struct launch_options){ .grid = "5" }), GPURUN_LAUNCH);
	CHECK_STR(e.text,
		  "k requires clusters of 2x1x1 blocks, which do not divide the grid of "
		  "5x1x1");
	CHECK_INT(plan((struct launch_options){ .grid = "8", .cluster = "4" }),
		  GPURUN_LAUNCH);
	CHECK_STR(e.text, "k requires clusters of 2x1x1 blocks, not 4x1x1");
}

/* What a launch says itself comes before what stands before the first launch. */
/* promise: Threads in a block */
static void test_defaults(void)
{
	const struct launch_options own = { .threads = "64" };
	const struct launch_options before = { .grid = "7",
					       .block = "32",
					       .cooperative = true };

	info = (struct kernel_info){ 0 };
	launch = (struct launch){ .kernel = &kernel };
	defaults = before;
	CHECK_INT(geometry_plan(&planned, &launch, &own, &defaults, &e), 0);
	CHECK(is(launch.extent.grid, 2, 1, 1) && is(launch.extent.block, 32, 1, 1) &&
	      launch.cooperative);
	launch = (struct launch){ .kernel = &kernel };
	CHECK_INT(geometry_plan(&planned, &launch, &(struct launch_options){ 0 }, &defaults,
				&e), 0);
	CHECK(is(launch.extent.grid, 7, 1, 1));
}

static void test_format(void)
{
	char text[40];

	CHECK_STR(geometry_format((unsigned[3]){ UINT_MAX, UINT_MAX, UINT_MAX }, text),
		  "4294967295x4294967295x4294967295");
	CHECK_STR(geometry_format((unsigned[3]){ 0 }, text), "auto");
}

int main(void)
{
	RUN(test_written);
	RUN(test_refused);
	RUN(test_threads);
	RUN(test_auto);
	RUN(test_required);
	RUN(test_defaults);
	RUN(test_format);
	return tap_end();
}
