/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libLLVMOffload among other libraries: initialised by the static constructor of one
 * that is being opened, and used beside the MLIR library. */
#include <pthread.h>

#include "beside.h"
#include "ol.h"

#define MLIR "../../lib/libmlir_cuda_runtime.so"

/* ---- The loader's lock ------------------------------------------------------------------ */

/* While the other thread runs the constructor of the library that it opens. */
static void *init_meanwhile(void *unused)
{
	(void)unused;
	usleep(50 * 1000);
	CHECK_OK(ol_init());
	return NULL;
}

/* A thread that waits for ever is ended by the alarm. */
static void in_constructor(void)
{
	ol_result_t (*result)(void);
	pthread_t thread;

	alarm(20);
	pthread_create(&thread, NULL, init_meanwhile, NULL);
	result = dlsym(open_beside(FORM_STARTER), "starter_result");
	pthread_join(thread, NULL);
	CHECK_OK(result());
	CHECK_OK(olShutDown());
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

static void test_in_constructor(void)
{
	CHECK_PLAY("in_constructor", NULL, NULL);
}

/* ---- Beside the MLIR library ----------------------------------------------------------------- */

static struct {
	void *(*stream)(void);
	void (*synchronize)(void *stream), (*destroy)(void *stream);
} mlir;

static void open_mlir(void)
{
	void *library = open_beside(MLIR);

	mlir.stream = dlsym(library, "mgpuStreamCreate");
	mlir.synchronize = dlsym(library, "mgpuStreamSynchronize");
	mlir.destroy = dlsym(library, "mgpuStreamDestroy");
}

/* Neither takes the other's things down: while one is up, what the other one left stays,
 * but for what it registered. */
static void beside_mlir(void)
{
	static char mine[4096];
	ol_queue_handle_t queue;
	void *stream, *pinned;

	open_mlir();
	CHECK_OK(ol_init());
	look_up();
	stream = mlir.stream();
	queue = new_queue();
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(ol_register(gpu, mine, sizeof(mine), 0, &pinned));
	CHECK_OK(olShutDown());
	CHECK_CODE(olSyncQueue(queue), UNINITIALIZED);
	mlir.synchronize(stream);
	mlir.destroy(stream);
	CHECK_OK(ol_init());
	look_up();
	CHECK_OK(ol_register(gpu, mine, sizeof(mine), 0, &pinned));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
	new_queue();
	mlir.stream();
}

static void test_beside_mlir(void)
{
	CHECK_PLAY("beside_mlir", NULL, NULL);
}

static const struct ol_case cases[] = {
	OL_BARE(test_in_constructor),
	OL_BARE(test_beside_mlir),
	OL_SCENE(in_constructor),
	OL_SCENE(beside_mlir),
};
OL_MAIN(cases)
