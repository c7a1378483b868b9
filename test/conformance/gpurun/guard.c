/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What must not be used again too early, and what must not wait. Each test here
 * fails plainly on a library whose guard is gone (test/conformance/unguarded).
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

enum { SIZE = 12345, BLOCKS = 40, PATIENCE = 3000 /* ms */, LAUNCHES = 5 };

/*
 * hold(out, go): waits until *go is set, 10 s at most, then stores 1;
 * meet_or(mine, theirs, stop, met): sets *mine, waits for *theirs or *stop, and
 * tells whether it was *theirs; spin(ns): takes that long.
 */
static const char ptx[] =
	".version 6.0\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .entry hold(.param .u64 out, .param .u64 go)\n"
	"{\n"
	"	.reg .pred %p, %q;\n"
	"	.reg .b32 %r<2>;\n"
	"	.reg .b64 %d<6>;\n"
	"	ld.param.u64 %d1, [out];\n"
	"	ld.param.u64 %d2, [go];\n"
	"	mov.u64 %d3, %globaltimer;\n"
	"again:\n"
	"	mov.u64 %d4, %globaltimer;\n"
	"	sub.u64 %d5, %d4, %d3;\n"
	"	setp.lt.u64 %q, %d5, 10000000000;\n"
	"	ld.volatile.global.u32 %r1, [%d2];\n"
	"	setp.eq.and.u32 %p, %r1, 0, %q;\n"
	"	@%p bra again;\n"
	"	st.global.u32 [%d1], 1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry meet_or(.param .u64 mine, .param .u64 theirs, .param .u64 stop,\n"
	"	.param .u64 met)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<5>;\n"
	"	.reg .b64 %d<5>;\n"
	"	ld.param.u64 %d1, [mine];\n"
	"	ld.param.u64 %d2, [theirs];\n"
	"	ld.param.u64 %d3, [stop];\n"
	"	ld.param.u64 %d4, [met];\n"
	"	mov.u32 %r1, 1;\n"
	"	st.volatile.global.u32 [%d1], %r1;\n"
	"again:\n"
	"	ld.volatile.global.u32 %r2, [%d2];\n"
	"	ld.volatile.global.u32 %r3, [%d3];\n"
	"	or.b32 %r4, %r2, %r3;\n"
	"	setp.eq.u32 %p, %r4, 0;\n"
	"	@%p bra again;\n"
	"	st.global.u32 [%d4], %r2;\n"
	"	ret;\n"
	"}\n"
	".visible .entry spin(.param .u64 ns)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b64 %d<5>;\n"
	"	ld.param.u64 %d1, [ns];\n"
	"	mov.u64 %d2, %globaltimer;\n"
	"again:\n"
	"	mov.u64 %d3, %globaltimer;\n"
	"	sub.u64 %d4, %d3, %d2;\n"
	"	setp.lt.u64 %p, %d4, %d1;\n"
	"	@%p bra again;\n"
	"	ret;\n"
	"}\n";

static struct gpurun_module module;

/* Words that host and device see. */
static _Atomic uint32_t *new_words(unsigned count)
{
	uint64_t address = 0;
	_Atomic uint32_t *words;

	CHECK_INT(gpurun_memory_alloc(device, 4 * count, GPURUN_MEMORY_HOST, &address),
		  GPURUN_OK);
	words = (_Atomic uint32_t *)(uintptr_t)address;
	for (unsigned i = 0; i < count; i++)
		atomic_init(&words[i], 0);
	return words;
}

static uint64_t at(_Atomic uint32_t *word)
{
	return (uint64_t)(uintptr_t)word;
}

/* The driver's own functions, as a program uses them that mixes both. */
static struct {
	int (*stream_create)(void **stream, unsigned flags);
	int (*stream_synchronize)(void *stream);
	int (*stream_destroy)(void *stream);
	int (*launch)(void *kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		      unsigned shared, void *stream, void **params, void **extra);
} cu;

static bool find_driver(void)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *driver = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
	const struct {
		const char *name;
		void *at;
	} rows[] = {
		{ "cuStreamCreate", &cu.stream_create },
		{ "cuStreamSynchronize", &cu.stream_synchronize },
		{ "cuStreamDestroy_v2", &cu.stream_destroy },
		{ "cuLaunchKernel", &cu.launch },
	};

	for (size_t i = 0; driver && i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *found = dlsym(driver, rows[i].name);

		if (!CHECK(found != NULL))
			return false;
		memcpy(rows[i].at, &found, sizeof(found));
	}
	return driver;
}

/* Launches hold() on a stream that gpurun knows nothing of. */
static void hold(void *stream, uint64_t block, uint64_t go)
{
	void *kernel, *params[] = { &block, &go };

	CHECK_INT(gpurun_kernel_native(kernel_of(module, "hold"), &kernel), GPURUN_OK);
	CHECK_INT(cu.launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL), 0);
}

/* Allocates many blocks like it: is @freed among them? Frees them again. */
static bool is_given_out(uint64_t freed)
{
	uint64_t blocks[BLOCKS];
	bool given = false;

	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = alloc(SIZE);
		given = given || blocks[i] == freed;
	}
	for (int i = 0; i < BLOCKS; i++)
		CHECK_INT(gpurun_memory_free(blocks[i]), GPURUN_OK);
	return given;
}

/* A block is freed while a kernel on @stream uses it: it comes back when that is done. */
static void free_under(void *stream)
{
	uint64_t block = alloc(SIZE);
	_Atomic uint32_t *go = new_words(1);
	bool back = false;

	hold(stream, block, at(go));
	CHECK_INT(gpurun_memory_free(block), GPURUN_OK);
	CHECK(!is_given_out(block));
	CHECK(!is_given_out(block));
	atomic_store(go, 1);
	CHECK_INT(cu.stream_synchronize(stream), 0);
	for (int i = 0; i < 10 && !back; i++)
		back = is_given_out(block);
	CHECK(back);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(at(go)), GPURUN_OK);
}

static void test_block_on_foreign_stream(void)
{
	void *stream = NULL;

	CHECK_INT(gpurun_context_push(device), GPURUN_OK);
	REQUIRE(!cu.stream_create(&stream, 1));
	free_under(stream);
	CHECK_INT(cu.stream_destroy(stream), 0);
	CHECK_INT(gpurun_context_pop(), GPURUN_OK);
}

static void test_block_on_null_stream(void)
{
	CHECK_INT(gpurun_context_push(device), GPURUN_OK);
	free_under(NULL);
	CHECK_INT(gpurun_context_pop(), GPURUN_OK);
}

/* Waits until @stream is done, for a while. */
static bool is_done_soon(struct gpurun_stream stream)
{
	int status = GPURUN_NOT_READY;

	for (int i = 0; i < PATIENCE && status == GPURUN_NOT_READY; i++) {
		status = gpurun_stream_query(stream);
		usleep(1000);
	}
	return status == GPURUN_OK;
}

/*
 * A stream goes while its kernel waits for one on the next stream: on the same
 * one, that would never start. Waiting for another is when parked ones are asked.
 */
static void test_busy_stream(void)
{
	_Atomic uint32_t *words = new_words(5);
	uint64_t flag[2] = { at(&words[0]), at(&words[1]) }, stop = at(&words[2]);
	uint64_t met[2] = { at(&words[3]), at(&words[4]) };
	struct gpurun_kernel kernel = kernel_of(module, "meet_or");
	void *first[] = { &flag[0], &flag[1], &stop, &met[0] };
	void *second[] = { &flag[1], &flag[0], &stop, &met[1] };
	struct gpurun_stream stream = new_stream(), other = new_stream();

	CHECK_INT(launch1(kernel, stream, first), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(other), GPURUN_OK);
	stream = new_stream();
	CHECK_INT(launch1(kernel, stream, second), GPURUN_OK);
	CHECK(is_done_soon(stream));
	atomic_store(&words[2], 1);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
	CHECK_INT(words[3], 1);
	CHECK_INT(words[4], 1);
	CHECK_INT(gpurun_stream_destroy(other), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(flag[0]), GPURUN_OK);
}

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* A launch is back long before its kernel is. The best of some: machines are busy. */
static void test_launch_does_not_wait(void)
{
	struct gpurun_kernel kernel = kernel_of(module, "spin");
	struct gpurun_stream stream = new_stream();
	uint64_t short_time = 1000, ns = 100 * 1000 * 1000;
	void *warm[] = { &short_time }, *args[] = { &ns };
	double best = 1e9, all = milliseconds();

	CHECK_INT(launch1(kernel, stream, warm), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	for (int i = 0; i < LAUNCHES; i++) {
		double start = milliseconds(), taken;

		CHECK_INT(launch1(kernel, stream, args), GPURUN_OK);
		taken = milliseconds() - start;
		best = taken < best ? taken : best;
	}
	CHECK_INT(gpurun_stream_query(stream), GPURUN_NOT_READY);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	all = milliseconds() - all;
	if (!CHECK(best < 1) || !CHECK(all > 90.0 * LAUNCHES))
		printf("#   %.3f ms to enqueue, %.1f ms in all\n", best, all);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
}

int main(int argc, char **argv)
{
	tap_only(argc, argv);
	/* The CPU device keeps memory only when asked. */
	setenv("GPURUN_POOL", "1", 1);
	if (!up() || !find_driver() || gpurun_module_load(device, ptx, 0, &module))
		return 1;
	RUN(test_block_on_foreign_stream);
	RUN(test_block_on_null_stream);
	RUN(test_busy_stream);
	RUN(test_launch_does_not_wait);
	gpurun_shutdown();
	return tap_end();
}
