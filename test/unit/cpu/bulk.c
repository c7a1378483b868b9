/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bulk copies of bytes: how many, and where they may begin. */
#include "grid.h"
#include "tap.h"

static const char text[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry k(.param .u64 p, .param .u32 size, .param .u32 at) {\n"
	".reg .b32 %r<4>; .reg .b64 %rd<2>; .shared .align 128 .b8 room[64];\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [size]; ld.param.u32 %r2, [at];\n"
	"mov.u32 %r3, room; add.u32 %r2, %r2, %r3;\n"
	"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], %r1;\n"
	"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }\n";

static const struct kernel *kernel;
static uint64_t memory;

static int copy(uint32_t size, uint32_t at, uint64_t to)
{
	const struct {
		uint64_t p;
		uint32_t size, at;
	} params __attribute__((aligned(128))) = { memory + to, size, at };

	return run_grid(kernel, (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ 1, 1, 1 }, 0, &params);
}

static void test_sizes(void)
{
	for (uint32_t size = 0; size <= 64; size++) {
		CHECK_INT(copy(size, 0, 0), size % 16 ? CUDA_ERROR_MISALIGNED_ADDRESS : 0);
		if (size % 16)
			CHECK(strstr(fault_text(&grid_fault), "its size is a multiple of 16 bytes"));
	}
	CHECK_INT(copy(80, 0, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_INT(copy(UINT32_MAX - 15, 0, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void test_places(void)
{
	for (uint32_t at = 0; at < 16; at++) {
		CHECK_INT(copy(16, at, 0), at ? CUDA_ERROR_MISALIGNED_ADDRESS : 0);
		CHECK_INT(copy(16, 0, at), at ? CUDA_ERROR_MISALIGNED_ADDRESS : 0);
	}
}

/* What is beyond the end of memory, and the thread that copied it. */
static void test_end(void)
{
	CHECK_INT(copy(64, 0, 256 - 64), 0);
	CHECK_INT(copy(64, 0, 256 - 32), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK(strstr(fault_text(&grid_fault), "illegal address: write of 16 bytes at"));
	CHECK(strstr(fault_text(&grid_fault), "thread (0,0,0)"));
}

int main(void)
{
	struct program *program = NULL;
	struct err e = { 0 };

	if (config_init(&e))
		abort();
	config.memory = 64 << 20;
	memory = (uint64_t)device_alloc(256);
	if (program_load((struct bytes){ (const uint8_t *)text, sizeof(text) - 1 }, &program, &e) ||
	    program_kernel(program, "k", &kernel, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	RUN(test_sizes);
	RUN(test_places);
	RUN(test_end);
	program_free(program);
	return tap_end();
}
