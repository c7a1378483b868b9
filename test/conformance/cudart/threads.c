/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that use the library at once: their first calls race to start it, to load the
 * image and to find its symbols; images come and go meanwhile; one thread resets the
 * device while the others wait, and all go on after it.
 */
#include <pthread.h>

#include "cudart_use.h"

enum { THREADS = 8, ROUNDS = 20 };

static struct cudart_image shared, own[THREADS];
static pthread_barrier_t together;
static const dim3 one = { 1, 1, 1 };

static void *allocated(void)
{
	void *memory = NULL;

	CHECK_INT(cudaMalloc(&memory, 64), cudaSuccess);
	return memory;
}

/* A launch of @function, whose count is read back; 0: it failed. */
static uint32_t bumped(const void *function, void *memory, cudaStream_t stream)
{
	void *args[] = { &memory };
	uint32_t count = 0;

	CHECK_INT(cudaLaunchKernel(function, one, one, args, 0, stream), cudaSuccess);
	CHECK_INT(cudaMemcpyAsync(&count, memory, 4, cudaMemcpyDeviceToHost, stream),
		  cudaSuccess);
	CHECK_INT(cudaStreamSynchronize(stream), cudaSuccess);
	return count;
}

/* An image of the thread's own, whose variable no other thread writes. */
static void use_own(struct cudart_image *image, void *memory, cudaStream_t stream)
{
	uint32_t value = 41;

	cudart_register(image);
	CHECK_INT(cudaMemcpyToSymbol(&image->counter, &value, 4, 0, cudaMemcpyHostToDevice),
		  cudaSuccess);
	CHECK_INT(bumped(&image->bump, memory, stream), 42);
	CHECK_INT(cudaMemcpyFromSymbol(&value, &image->counter, 4, 0, cudaMemcpyDeviceToHost),
		  cudaSuccess);
	CHECK_INT(value, 42);
	__cudaUnregisterFatBinary(image->handle);
}

static void use_all(struct cudart_image *image)
{
	struct cudaFuncAttributes attributes;
	cudaStream_t stream = NULL;
	void *memory = allocated(), *address = NULL;
	int device = -1;

	CHECK_INT(cudaStreamCreate(&stream), cudaSuccess);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(bumped(&shared.bump, memory, stream) > 0);
		CHECK_INT(cudaSetDevice(0), cudaSuccess);
		CHECK_INT(cudaGetDevice(&device), cudaSuccess);
		CHECK_INT(cudaGetSymbolAddress(&address, &shared.counter), cudaSuccess);
		CHECK_INT(cudaFuncGetAttributes(&attributes, &shared.nothing), cudaSuccess);
		CHECK_INT(cudaSetDevice(4096), cudaErrorInvalidDevice);
		CHECK_INT(cudaGetLastError(), cudaErrorInvalidDevice);
		if (i % 4 == 0)
			use_own(image, memory, stream);
	}
	CHECK_INT(cudaStreamDestroy(stream), cudaSuccess);
	CHECK_INT(cudaFree(memory), cudaSuccess);
	CHECK_INT(cudaGetLastError(), cudaSuccess);
}

/* Every launch of the shared image has counted, since the device was last reset. */
static void check_count(void)
{
	uint32_t count = 0;

	CHECK_INT(cudaMemcpyFromSymbol(&count, &shared.counter, 4, 0, cudaMemcpyDeviceToHost),
		  cudaSuccess);
	CHECK_INT(count, THREADS * ROUNDS);
}

static void *work(void *data)
{
	struct cudart_image *image = data;

	pthread_barrier_wait(&together);
	use_all(image);
	if (pthread_barrier_wait(&together)) {
		check_count();
		CHECK_INT(cudaDeviceReset(), cudaSuccess);
	}
	pthread_barrier_wait(&together);
	use_all(image);
	pthread_barrier_wait(&together);
	check_count();
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];

	REQUIRE(!pthread_barrier_init(&together, NULL, THREADS));
	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, work, &own[i]));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&together);
}

/* Threads that end leave what another goes on with. */
static void *launch_only(void *memory)
{
	void *args[] = { &memory };

	for (int i = 0; i < ROUNDS; i++)
		CHECK_INT(cudaLaunchKernel_ptsz(&shared.bump, one, one, args, 0, NULL),
			  cudaSuccess);
	return NULL;
}

static void test_left_behind(void)
{
	pthread_t threads[THREADS];
	void *memory = allocated();

	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, launch_only, memory));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
	CHECK_INT(cudaFree(memory), cudaSuccess);
}

int main(void)
{
	cudart_register(&shared);
	RUN(test_threads);
	RUN(test_left_behind);
	__cudaUnregisterFatBinary(shared.handle);
	return tap_end();
}
