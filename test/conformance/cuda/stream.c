/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Streams: order within one, concurrency between two, the NULL stream, host
 * functions. Kernels are held back by a flag that the host sets, so that what
 * is asynchronous is seen to be.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cuda_kernels.h"

static CUmodule module;
static CUfunction wait_for, step, meet;

struct gate {
	atomic_uint *flag;
	CUdeviceptr address;
};

/* Holds @stream back until gate_open(). */
static struct gate gate_new(CUstream stream)
{
	struct gate gate;
	void *params[] = { &gate.address };

	gate.flag = cuda_flag(&gate.address);
	OK_CU(cuda_launch1(wait_for, stream, params));
	return gate;
}

static void gate_open(const struct gate *gate)
{
	*gate->flag = 1;
}

static CUstream stream_new(unsigned flags)
{
	CUstream stream = NULL;

	OK_CU(cu.cuStreamCreate(&stream, flags));
	return stream;
}

static CUdeviceptr word_new(void)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, 4));
	OK_CU(cu.cuMemsetD32(address, 0, 1));
	OK_CU(cu.cuCtxSynchronize());
	return address;
}

static void do_step(CUdeviceptr address, unsigned k, CUstream stream)
{
	void *params[] = { &address, &k };

	OK_CU(cuda_launch1(step, stream, params));
}

static unsigned word(CUdeviceptr address)
{
	unsigned value = 0;

	OK_CU(cu.cuMemcpyDtoH(&value, address, 4));
	return value;
}

static void test_order(void)
{
	CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
	CUdeviceptr address = word_new();
	struct gate gate = gate_new(stream);
	unsigned expected = 0;

	for (unsigned k = 1; k <= 20; k++) {
		do_step(address, k, stream);
		expected = expected * 31 + k;
	}
	CHECK_CU(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	gate_open(&gate);
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuStreamQuery(stream));
	CHECK_INT(word(address), expected);
	OK_CU(cu.cuStreamDestroy(stream));
}

/* One stream is held back: the other goes on. */
static void test_concurrent(void)
{
	CUstream held = stream_new(CU_STREAM_NON_BLOCKING);
	CUstream other = stream_new(CU_STREAM_NON_BLOCKING);
	CUdeviceptr address = word_new();
	struct gate gate = gate_new(held);

	do_step(address, 5, other);
	OK_CU(cu.cuStreamSynchronize(other));
	CHECK_CU(cu.cuStreamQuery(held), CUDA_ERROR_NOT_READY);
	gate_open(&gate);
	OK_CU(cu.cuStreamSynchronize(held));
	CHECK_INT(word(address), 5);
	OK_CU(cu.cuStreamDestroy(held));
	OK_CU(cu.cuStreamDestroy(other));
}

static void test_meet(void)
{
	CUstream one = stream_new(CU_STREAM_NON_BLOCKING);
	CUstream two = stream_new(CU_STREAM_NON_BLOCKING);
	CUdeviceptr a = word_new(), b = word_new();
	void *first[] = { &a, &b }, *second[] = { &b, &a };

	OK_CU(cuda_launch1(meet, one, first));
	OK_CU(cuda_launch1(meet, two, second));
	OK_CU(cu.cuStreamSynchronize(one));
	OK_CU(cu.cuStreamSynchronize(two));
	CHECK(word(a) == 1 && word(b) == 1);
	OK_CU(cu.cuStreamDestroy(one));
	OK_CU(cu.cuStreamDestroy(two));
}

/* The NULL stream comes after a blocking stream's work, and before its later work. */
static void test_null_stream(void)
{
	CUstream blocking = stream_new(CU_STREAM_DEFAULT);
	CUdeviceptr address = word_new();
	struct gate gate = gate_new(blocking);

	do_step(address, 1, NULL);
	do_step(address, 2, blocking);
	do_step(address, 3, CU_STREAM_LEGACY);
	CHECK_CU(cu.cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
	gate_open(&gate);
	OK_CU(cu.cuStreamSynchronize(NULL));
	OK_CU(cu.cuStreamQuery(blocking));
	CHECK_INT(word(address), (1 * 31 + 2) * 31 + 3);
	OK_CU(cu.cuStreamDestroy(blocking));
}

static void test_non_blocking(void)
{
	CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
	CUdeviceptr address = word_new();
	struct gate gate = gate_new(stream);

	do_step(address, 4, NULL);
	OK_CU(cu.cuStreamSynchronize(NULL));
	CHECK_CU(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	CHECK_INT(word(address), 4);
	gate_open(&gate);
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuStreamDestroy(stream));
}

static void *on_other_thread(void *context)
{
	CUdeviceptr address;

	OK_CU(cu.cuCtxSetCurrent(context));
	address = word_new();
	do_step(address, 6, CU_STREAM_PER_THREAD);
	OK_CU(cu.cuStreamSynchronize(CU_STREAM_PER_THREAD));
	CHECK_INT(word(address), 6);
	return NULL;
}

static void test_per_thread(void)
{
	CUcontext context;
	pthread_t thread;

	OK_CU(cu.cuCtxGetCurrent(&context));
	pthread_create(&thread, NULL, on_other_thread, context);
	pthread_join(thread, NULL);
	on_other_thread(context);
}

static atomic_int ran;

static void count_run(void *data)
{
	CHECK_INT(atomic_fetch_add(&ran, 1), *(int *)data);
}

static void test_host_function(void)
{
	CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
	struct gate gate = gate_new(stream);
	int order[] = { 0, 1, 2 };

	atomic_store(&ran, 0);
	for (int i = 0; i < 3; i++)
		OK_CU(cu.cuLaunchHostFunc(stream, count_run, &order[i]));
	sleep_ms(20);
	CHECK_INT(atomic_load(&ran), 0);
	gate_open(&gate);
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK_INT(atomic_load(&ran), 3);
	CHECK_CU(cu.cuLaunchHostFunc(stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuStreamDestroy(stream));
}

static void open_gate(void *data)
{
	gate_open(data);
}

/* A host function of one stream lets a kernel of another go on. */
static void test_host_function_releases(void)
{
	CUstream held = stream_new(CU_STREAM_NON_BLOCKING);
	CUstream other = stream_new(CU_STREAM_NON_BLOCKING);
	struct gate gate = gate_new(held);

	OK_CU(cu.cuLaunchHostFunc(other, open_gate, &gate));
	OK_CU(cu.cuStreamSynchronize(held));
	OK_CU(cu.cuStreamDestroy(held));
	OK_CU(cu.cuStreamDestroy(other));
}

/* A destroyed stream finishes what it holds. */
static void test_destroy_pending(void)
{
	CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
	CUdeviceptr address = word_new();
	struct gate gate = gate_new(stream);

	do_step(address, 8, stream);
	OK_CU(cu.cuStreamDestroy(stream));
	gate_open(&gate);
	OK_CU(cu.cuCtxSynchronize());
	CHECK_INT(word(address), 8);
}

/* Copies and fills stand in the order of their stream. */
static void test_copies_in_order(void)
{
	CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
	CUdeviceptr address = word_new();
	struct gate gate = gate_new(stream);
	unsigned in = 10;

	OK_CU(cu.cuMemcpyAsync(address, (uintptr_t)&in, 4, stream));
	in = 99;
	do_step(address, 1, stream);
	OK_CU(cu.cuMemsetD32Async(address + 0, 7, 0, stream));
	do_step(address, 2, stream);
	CHECK_INT(word(address), 0);
	gate_open(&gate);
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK_INT(word(address), (10 * 31 + 1) * 31 + 2);
	OK_CU(cu.cuStreamDestroy(stream));
}

static void test_ctx_synchronize(void)
{
	CUstream one = stream_new(CU_STREAM_NON_BLOCKING), two = stream_new(CU_STREAM_DEFAULT);
	CUdeviceptr a = word_new(), b = word_new();

	do_step(a, 1, one);
	do_step(b, 2, two);
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuStreamQuery(one));
	OK_CU(cu.cuStreamQuery(two));
	OK_CU(cu.cuStreamDestroy(one));
	OK_CU(cu.cuStreamDestroy(two));
}

static void test_handles(void)
{
	CUcontext context = NULL, current;
	CUstream stream = stream_new(0);

	OK_CU(cu.cuStreamGetCtx(stream, &context));
	OK_CU(cu.cuCtxGetCurrent(&current));
	CHECK(context == current);
	CHECK_CU(cu.cuStreamCreate(&stream, 99), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuStreamDestroy(stream));
	CHECK_CU(cu.cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
}

int main(void)
{
	cuda_start();
	module = cuda_kernels();
	wait_for = cuda_function(module, "wait");
	step = cuda_function(module, "step");
	meet = cuda_function(module, "meet");
	RUN(test_order);
	RUN(test_concurrent);
	RUN(test_meet);
	RUN(test_null_stream);
	RUN(test_non_blocking);
	RUN(test_per_thread);
	RUN(test_host_function);
	RUN(test_host_function_releases);
	RUN(test_destroy_pending);
	RUN(test_copies_in_order);
	RUN(test_ctx_synchronize);
	RUN(test_handles);
	return tap_end();
}
