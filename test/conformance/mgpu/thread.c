/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many threads at everything at once, from the first call of all on. */
#include <pthread.h>

#include "mgpu.h"

enum { THREADS = 8, ROUNDS = 60, WORDS = 64 };

static pthread_barrier_t start;
static int wrong; /* atomically */

static void expect(bool condition)
{
	if (!condition)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

/* One task: a buffer through a stream, an event and another stream. */
static void task(void *module)
{
	uint32_t host[WORDS] = { 0 }, count = WORDS;
	void *first = mgpuStreamCreate(), *second = mgpuStreamCreate();
	void *event = mgpuEventCreate(), *memory = mgpuMemAlloc(sizeof(host), first, 0);
	void *params[] = { &memory, &count };

	mgpuMemHostRegister(host, sizeof(host));
	mgpuMemset32(memory, 3, WORDS, first);
	mgpuLaunchKernel(mgpuModuleGetFunction(module, "add"), 2, 1, 1, 32, 1, 1, 0, first,
			 params, NULL, 2);
	mgpuEventRecord(event, first);
	mgpuStreamWaitEvent(second, event);
	mgpuStreamDestroy(first);
	mgpuEventDestroy(event);
	mgpuMemcpy(host, memory, sizeof(host), second);
	mgpuStreamSynchronize(second);
	mgpuMemHostUnregister(host);
	expect(host[0] == (executes() ? 4 : 3));
	expect(host[WORDS - 1] == (executes() ? 4 : 3));
	mgpuMemFree(memory, second);
	mgpuStreamDestroy(second);
}

static void *shared_module;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load_shared(void)
{
	shared_module = load();
}

static void *work(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&start);
	/* The first call: each thread may be the one that initialises. */
	mgpuSetDefaultDevice(0);
	pthread_once(&loaded, load_shared);
	for (int i = 0; i < ROUNDS; i++) {
		void *own = i % 8 ? shared_module : load();

		task(own);
		if (own != shared_module)
			mgpuModuleUnload(own);
	}
	return NULL;
}

static void run_threads(void *(*function)(void *))
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, function, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void test_tasks(void)
{
	run_threads(work);
	CHECK_INT(wrong, 0);
}

/* Failures from many threads: no matter what, it ends. Their lines are whole. */
static void *fail(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&start);
	for (int i = 0; i < 50; i++)
		mgpuStreamDestroy(shared_module);
	return NULL;
}

static void failing(void)
{
	pthread_barrier_init(&start, NULL, THREADS);
	load_shared();
	run_threads(fail);
}

static uint32_t pinned[WORDS];

/* Is inside the library nearly all the time. */
static void *keep_registering(void *unused)
{
	for (;;) {
		mgpuMemHostRegister(pinned, sizeof(pinned));
		mgpuMemHostUnregister(pinned);
	}
	return unused;
}

/* A child has no other threads, and nothing of its own to release; it must not wait for
 * either. An endless wait is ended by the alarm. */
static void release_in_child(void *memory)
{
	alarm(10);
	mgpuMemHostUnregister(pinned);
	mgpuMemFree(memory, NULL);
	_exit(0);
}

static void forking(void)
{
	void *memory = mgpuMemAlloc(64, NULL, 0);
	pthread_t thread;

	pthread_create(&thread, NULL, keep_registering, NULL);
	for (int i = 0; i < 50; i++) {
		int status = 0;
		pid_t child = fork();

		if (!child)
			release_in_child(memory);
		waitpid(child, &status, 0);
		if (status)
			_exit(1);
	}
	/* The other thread is inside; at exit that is waited for. */
	_exit(0);
}

static const struct scene scenes[] = {
	SCENE(failing),
	SCENE(forking),
};

static void test_forking(void)
{
	CHECK_ENDING(play("forking"), 0, 0);
}

static void test_failing(void)
{
	static const char start_of_line[] = "mlir_cuda_runtime: mgpuStreamDestroy: no stream: ";
	struct ending ending = play("failing");
	const char *line = ending.text;

	CHECK_ENDING(ending, 115, THREADS * 50);
	/* As many as there was room for. */
	for (int i = 0; i < 100; i++) {
		if (!CHECK(!strncmp(line, start_of_line, strlen(start_of_line))))
			break;
		line = strchr(line, '\n') + 1;
	}
}

static void *destroy_stream(void *stream)
{
	mgpuStreamDestroy(stream);
	return NULL;
}

static void *unload_module(void *module)
{
	mgpuModuleUnload(module);
	return NULL;
}

static void in_another_thread(void *(*function)(void *), void *data)
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, data);
	pthread_join(thread, NULL);
}

/* Launches "bump" of @module, which has not been launched before, twice on @stream. */
static void bump_twice(void *module, void *stream)
{
	void *function = mgpuModuleGetFunction(module, "bump");
	void *out = mgpuMemAlloc(4, stream, 0);
	void *params[] = { &out };

	mgpuMemset32(out, 0, 1, stream);
	launch1(function, stream, params);
	launch1(function, stream, params);
	CHECK_INT(word_at(out, stream), executes() ? 2 : 0);
	mgpuMemFree(out, stream);
}

/*
 * What a thread has just launched, and what it was launched on, go in another thread
 * and come back at the same addresses, as what is kept and used again does.
 */
static void test_gone_meanwhile(void)
{
	void *module = load(), *stream = mgpuStreamCreate();

	bump_twice(module, stream);
	for (int i = 0; i < 3; i++) {
		in_another_thread(destroy_stream, stream);
		stream = mgpuStreamCreate();
		in_another_thread(unload_module, module);
		module = load();
		bump_twice(module, stream);
	}
	mgpuModuleUnload(module);
	mgpuStreamDestroy(stream);
}

int main(int argc, char **argv)
{
	SCENES(scenes, argc, argv);
	hear_stderr();
	pthread_barrier_init(&start, NULL, THREADS);
	RUN(test_tasks);
	RUN(test_failing);
	RUN(test_forking);
	RUN(test_gone_meanwhile);
	RUN(test_silence);
	return tap_end();
}
