/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Eight threads that come up, work and go down as they like. */
#include <pthread.h>
#include <stdatomic.h>

#include "kernels.h"

enum { THREADS = 8, ROUNDS = 30 };

static atomic_int failures;

static void expect(int status)
{
	if (status)
		atomic_fetch_add(&failures, 1);
}

/* Other threads may go down at any time, but not below this thread's own init. */
static void work(void)
{
	struct gpurun_device mine;
	struct gpurun_module module;
	struct gpurun_kernel kernel;
	struct gpurun_stream stream;
	uint64_t address;

	expect(gpurun_device_get(0, &mine));
	expect(gpurun_module_load(mine, kernels_ptx, 0, &module));
	expect(gpurun_module_kernel(module, "nothing", &kernel));
	expect(gpurun_stream_create(mine, &stream));
	expect(gpurun_memory_alloc(mine, 256, GPURUN_MEMORY_DEVICE, &address));
	expect(launch1(kernel, stream, NULL));
	expect(gpurun_stream_synchronize(stream));
	expect(gpurun_memory_free(address));
	expect(gpurun_stream_destroy(stream));
	expect(gpurun_module_unload(module));
}

static void *come_and_go(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		expect(gpurun_init(NULL));
		work();
		expect(gpurun_shutdown());
	}
	return NULL;
}

static void run(void *(*body)(void *data), void *data)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, body, data));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void test_come_and_go(void)
{
	run(come_and_go, NULL);
	CHECK_INT(failures, 0);
	CHECK_INT(gpurun_shutdown(), GPURUN_UNINITIALIZED);
}

/* A thread that uses what others take away is refused, and nothing worse. */
static atomic_bool stop;
static _Atomic uint64_t shared_stream, shared_kernel;

static void *use(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop)) {
		struct gpurun_stream stream = { atomic_load(&shared_stream) };
		struct gpurun_kernel kernel = { atomic_load(&shared_kernel) };
		int status = launch1(kernel, stream, NULL);

		if (status && status != GPURUN_HANDLE && status != GPURUN_UNINITIALIZED)
			atomic_fetch_add(&failures, 1);
		gpurun_stream_query(stream);
	}
	return NULL;
}

static void test_used_while_taken_away(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, use, NULL));
	for (int i = 0; i < ROUNDS; i++) {
		struct gpurun_module module;
		struct gpurun_stream stream;

		REQUIRE(up());
		module = load();
		stream = new_stream();
		atomic_store(&shared_kernel, kernel_of(module, "nothing").id);
		atomic_store(&shared_stream, stream.id);
		for (int j = 0; j < 50; j++)
			gpurun_stream_query(stream);
		if (i % 3 == 0)
			CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
		if (i % 3 == 1)
			CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
		CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	}
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(failures, 0);
}

/* Each thread's error is its own. */
static void *fail(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++)
		if (gpurun_init("nonsense") != GPURUN_INVALID ||
		    !strstr(gpurun_error_text(), "nonsense"))
			atomic_fetch_add(&failures, 1);
	return NULL;
}

static void test_own_errors(void)
{
	CHECK_INT(gpurun_shutdown(), GPURUN_UNINITIALIZED);
	run(fail, NULL);
	CHECK_INT(failures, 0);
	CHECK_HAS(gpurun_error_text(), "not initialised");
}

int main(void)
{
	RUN(test_come_and_go);
	RUN(test_used_while_taken_away);
	RUN(test_own_errors);
	return tap_end();
}
