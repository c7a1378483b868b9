/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The ends of processes that hold what MLIR compiles a gpu.binary to: a constructor
 * of priority 123 that loads the module and a destructor that unloads it, when the
 * driver is gone. However such a process ends, it says nothing and its status is its
 * own; but for work that does not end.
 */
#include <pthread.h>
#include <stdlib.h>

#include "beside.h"
#include "mgpu.h"

enum { LATE = 4 };

static void *module, *late[LATE];

static void unload_late(int number)
{
	if (late[number])
		mgpuModuleUnload(late[number]);
}

__attribute__((constructor(123))) static void load_module(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		module = load();
}

__attribute__((destructor(123))) static void unload_module(void)
{
	if (module)
		mgpuModuleUnload(module);
}

__attribute__((destructor)) static void unload_above(void)
{
	unload_late(0);
}

__attribute__((destructor(110))) static void unload_below(void)
{
	unload_late(1);
}

static void unload_static(void *number)
{
	unload_late(*(int *)number);
}

static void unload_in_handler(void)
{
	unload_late(3);
}

/* A launch as MLIR lowers it, with its own stream. */
static void launch(void)
{
	void *stream = mgpuStreamCreate();

	launch1(mgpuModuleGetFunction(module, "nothing"), stream, NULL);
	mgpuStreamSynchronize(stream);
	mgpuStreamDestroy(stream);
}

static void as_it_is(void)
{
	launch();
}

int __cxa_atexit(void (*destroy)(void *object), void *object, void *library);
extern void *__dso_handle;

/* Unloaded on both sides of 123 and before all destructors. */
static void all_around(void)
{
	static int static_number = 2;

	__cxa_atexit(unload_static, &static_number, &__dso_handle);
	atexit(unload_in_handler);
	for (int i = 0; i < LATE; i++)
		late[i] = load();
	launch();
}

/* Nothing is destroyed, not even waited for. */
static void left_behind(void)
{
	void *stream = mgpuStreamCreate();

	mgpuMemAlloc(1000, stream, false);
	mgpuEventRecord(mgpuEventCreate(), stream);
	launch1(mgpuModuleGetFunction(module, "nothing"), stream, NULL);
}

static void *exit_thread(void *unused)
{
	(void)unused;
	exit(0);
}

static void from_thread(void)
{
	pthread_t thread;

	launch();
	if (!pthread_create(&thread, NULL, exit_thread, NULL))
		pthread_detach(thread);
	for (;;)
		pause();
}

static void quickly(void)
{
	launch();
	quick_exit(0);
}

/* A child has the memory of threads that it does not have: no leak of ours. */
static int is_forked_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return is_forked_child;
}

/* A child has the destructors, too: they do nothing, and say nothing. */
static void with_child(void)
{
	void *stream = mgpuStreamCreate(), *event = mgpuEventCreate();
	void *memory = mgpuMemAlloc(64, stream, false);
	int status = -1;
	pid_t child;

	launch();
	child = fork();
	if (!child) {
		is_forked_child = 1;
		mgpuMemFree(memory, stream);
		mgpuMemHostUnregister(&status);
		mgpuEventDestroy(event);
		mgpuStreamDestroy(stream);
		exit(3);
	}
	waitpid(child, &status, 0);
	launch();
	exit(WIFEXITED(status) && WEXITSTATUS(status) == 3 ? 0 : 60);
}

/* What works in its parent only is said, once for each. */
static void used_by_child(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		is_forked_child = 1;
		mgpuStreamCreate();
		exit(0);
	}
	waitpid(child, &status, 0);
	launch();
	exit(WIFEXITED(status) && WEXITSTATUS(status) == 115 ? 0 : 60);
}

/* Objects come and go with a library. */
static void *open_object(void)
{
	void *object = open_beside("library/libobject.so");
	void (*run)(void) = dlsym(object, "object_run");

	if (!run)
		exit(61);
	run();
	return object;
}

static void closed_object(void)
{
	for (int i = 0; i < 3; i++)
		dlclose(open_object());
}

static void open_objects(void)
{
	open_object();
}

/* A kernel that never ends; on the stub, one that is busy for as long as it is asked. */
static void never_ends(void)
{
	void *stream = mgpuStreamCreate();
	void *flag = mgpuMemAlloc(4, stream, false);
	void *params[] = { &flag };

	mgpuMemset32(flag, 0, 1, stream);
	launch1(mgpuModuleGetFunction(module, "wait"), stream, params);
}

/* The program leaks the memory that a tensor map describes; the map is the library's. */
static void leaks_mapped(void)
{
	float *data = mgpuMemAlloc(64 * 32 * 4, NULL, false);
	struct {
		void *allocated, *aligned;
		int64_t offset, sizes[2], strides[2];
	} memref = { data, data, 0, { 32, 64 }, { 64, 1 } };
	const int64_t box[] = { 8, 16 };

	if (!mgpuTensorMapEncodeTiledMemref(2, &memref, 7, 0, 0, 0, 0, box))
		exit(62);
}

static const struct scene scenes[] = {
	SCENE(as_it_is),
	SCENE(all_around),
	SCENE(left_behind),
	SCENE(from_thread),
	SCENE(quickly),
	SCENE(with_child),
	SCENE(used_by_child),
	SCENE(closed_object),
	SCENE(open_objects),
	SCENE(never_ends),
	SCENE(leaks_mapped),
};

static void test_silent(void)
{
	CHECK_ENDING(play("as_it_is"), 0, 0);
	CHECK_ENDING(play("all_around"), 0, 0);
	CHECK_ENDING(play("left_behind"), 0, 0);
}

static void test_thread(void)
{
	CHECK_ENDING(play("from_thread"), 0, 0);
}

static void test_quick_exit(void)
{
	CHECK_ENDING(play("quickly"), 0, 0);
}

static void test_child(void)
{
	struct ending ending = play("used_by_child");

	CHECK_ENDING(ending, 0, 1);
	CHECK_HAS(ending.text, "mgpuStreamCreate: gpurun was initialised before fork()");
	CHECK_ENDING(play("with_child"), 0, 0);
}

static void test_library(void)
{
	CHECK_ENDING(play("closed_object"), 0, 0);
	CHECK_ENDING(play("open_objects"), 0, 0);
}

static void test_never_ends(void)
{
	struct ending ending = play_with("never_ends", "GPURUN_EXIT_WAIT=0.5 "
					 "GPURUN_STUB_BUSY=4000000000");

	CHECK_ENDING(ending, 115, 1);
	CHECK_HAS(ending.text, "mlir_cuda_runtime: at exit: work was still running on device 0 "
			       "after 0.5 s");
}

static void test_leaks(void)
{
	struct ending ending = play_with("leaks_mapped", "GPURUN_LOG=leaks");

	CHECK_HAS(ending.text, "gpurun: leak: 8192 bytes of device memory at 0x");
	CHECK_HAS(ending.text, "gpurun: device 0: 8192 bytes leaked in 1 block, peak ");
	CHECK(!strstr(ending.text, "leak: 128 bytes"));
}

int main(int argc, char **argv)
{
	SCENES(scenes, argc, argv);
	RUN(test_silent);
	RUN(test_thread);
	RUN(test_quick_exit);
	RUN(test_child);
	RUN(test_library);
	RUN(test_never_ends);
	RUN(test_leaks);
	return tap_end();
}
