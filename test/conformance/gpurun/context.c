/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The current context of a thread: who has none gets the device's and keeps it, who
 * has another one keeps that. Looked at with the driver's own calls.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "functions.h"

/* The driver, which gpurun opens too; NULL where it has no such function. */
static struct {
	int (*init)(unsigned flags);
	int (*get_current)(void **context);
	int (*set_current)(void *context);
	int (*pop)(void **context);
	int (*push)(void *context);
	int (*primary_state)(int device, unsigned *flags, int *active);
	int (*primary_retain)(void **context, int device);
	int (*primary_release)(int device);
	int (*alloc)(uint64_t *address, size_t size);
	int (*release)(uint64_t address);
	int (*create)(void **context, unsigned flags, int device);
	int (*destroy)(void *context);
} cu;

static bool open_driver(void)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *driver = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);

	if (!driver)
		return false;
	cu.init = dlsym(driver, "cuInit");
	cu.get_current = dlsym(driver, "cuCtxGetCurrent");
	cu.set_current = dlsym(driver, "cuCtxSetCurrent");
	cu.pop = dlsym(driver, "cuCtxPopCurrent_v2");
	cu.push = dlsym(driver, "cuCtxPushCurrent_v2");
	cu.primary_state = dlsym(driver, "cuDevicePrimaryCtxGetState");
	cu.primary_retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
	cu.primary_release = dlsym(driver, "cuDevicePrimaryCtxRelease_v2");
	cu.alloc = dlsym(driver, "cuMemAlloc_v2");
	cu.release = dlsym(driver, "cuMemFree_v2");
	cu.create = dlsym(driver, "cuCtxCreate_v2");
	cu.destroy = dlsym(driver, "cuCtxDestroy_v2");
	return cu.init && !cu.init(0);
}

static void *current(void)
{
	void *context = NULL;

	CHECK_INT(cu.get_current(&context), 0);
	return context;
}

static bool is_active(void)
{
	unsigned flags;
	int active = -1;

	CHECK_INT(cu.primary_state(0, &flags, &active), 0);
	return active == 1;
}

/* Has the program itself retain what gpurun retains: shutdowns are then quick. */
static void *retain(void)
{
	void *context = NULL;

	CHECK_INT(cu.primary_retain(&context, 0), 0);
	return context;
}

/* Whether what other_context() gave was created; a driver may have the call, and refuse it. */
static bool created;

/*
 * Makes a context that is not gpurun's: one of the program's own, else (the stub) that
 * of a second device. NULL where a driver has neither.
 */
static void *other_context(void)
{
	void *context = NULL;

	created = cu.create && !cu.create(&context, 0, 0);
	if (created) {
		CHECK_INT(cu.pop(&context), 0);
		return context;
	}
	return cu.primary_retain(&context, 1) ? NULL : context;
}

static void release_other(void *context)
{
	CHECK_INT(created ? cu.destroy(context) : cu.primary_release(1), 0);
}

/* ---- Retained, not created ------------------------------------------------------ */

static void test_retained(void)
{
	void *mine, *native;

	CHECK(!is_active());
	REQUIRE(up());
	new_stream();
	CHECK(is_active());
	mine = retain();
	CHECK_INT(gpurun_device_native(device, &native), GPURUN_OK);
	CHECK(native == mine);
	CHECK_INT(cu.primary_release(0), 0);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK(!is_active());
}

/* What the program has in the context outlives gpurun. */
static void test_shared(void)
{
	void *mine = retain();
	uint64_t address = 0;

	CHECK_INT(cu.set_current(mine), 0);
	CHECK_INT(cu.alloc(&address, 64), 0);
	REQUIRE(up());
	new_stream();
	CHECK_INT(gpurun_memory_fill(address, 1, 4, 16, no_stream), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK(is_active());
	CHECK_INT(cu.release(address), 0);
	CHECK_INT(cu.set_current(NULL), 0);
	CHECK_INT(cu.primary_release(0), 0);
}

/* Where the program has retained the context, it lives on and stays current. */
static void test_kept_by_program(void)
{
	void *mine = retain();

	CHECK_INT(cu.set_current(mine), 0);
	REQUIRE(up());
	new_stream();
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK(current() == mine);
	CHECK_INT(cu.set_current(NULL), 0);
	CHECK_INT(cu.primary_release(0), 0);
	CHECK(!is_active());
}

/* ---- One thread ----------------------------------------------------------------- */

static void test_none_gets_ours(void)
{
	void *native;

	CHECK(current() == NULL);
	REQUIRE(up());
	CHECK(current() == NULL);
	new_stream();
	CHECK_INT(gpurun_device_native(device, &native), GPURUN_OK);
	CHECK(native && current() == native);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK(current() == NULL);
}

/* Calls @function as it should be, with everything there. */
static void call_in(const struct function *function, void *context)
{
	uint64_t ids[KINDS];
	void *now;

	functions_up();
	functions_ids(ids);
	function->call(ids[function->handle & ~(unsigned)OR_ZERO]);
	now = current();
	if (!CHECK(now == context))
		printf("#   %s\n", function->text);
	while (gpurun_shutdown() != GPURUN_UNINITIALIZED)
		continue;
	if (!CHECK(current() == context))
		printf("#   a shutdown after %s\n", function->text);
}

static bool is_scope(const struct function *function)
{
	return strstr(function->text, "gpurun_context_") == function->text;
}

/* No function changes what is current on a thread that has another context. */
static void test_other_stays(void)
{
	void *mine = retain(), *other = other_context();

	if (!other) {
		CHECK_INT(cu.primary_release(0), 0);
		return;
	}
	CHECK(mine != other);
	CHECK_INT(cu.set_current(other), 0);
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (!is_scope(&functions[i]))
			call_in(&functions[i], other);
	CHECK_INT(cu.set_current(NULL), 0);
	release_other(other);
	CHECK_INT(cu.primary_release(0), 0);
}

/* Where the program's own stack of contexts has ours in it, it stays as it is. */
static void test_stack(void)
{
	void *mine = retain(), *popped = NULL;

	CHECK_INT(cu.push(mine), 0);
	REQUIRE(up());
	CHECK_INT(gpurun_context_push(device), GPURUN_OK);
	new_stream();
	CHECK_INT(gpurun_context_pop(), GPURUN_OK);
	CHECK(current() == mine);
	CHECK_INT(cu.pop(&popped), 0);
	CHECK(popped == mine);
	CHECK(current() == NULL);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(cu.primary_release(0), 0);
}

/* A push that a shutdown finds is taken back by it, and not by a later pop. */
static void test_pushed_at_shutdown(void)
{
	void *other = other_context();

	if (other)
		CHECK_INT(cu.set_current(other), 0);
	REQUIRE(up());
	CHECK_INT(gpurun_context_push(device), GPURUN_OK);
	CHECK_INT(gpurun_context_push(device), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK(current() == other);
	REQUIRE(up());
	CHECK_INT(gpurun_context_pop(), GPURUN_INVALID);
	CHECK(current() == other);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	if (!other)
		return;
	CHECK_INT(cu.set_current(NULL), 0);
	release_other(other);
}

/* ---- Two threads ------------------------------------------------------------------ */

static pthread_barrier_t turn;

static void work(void)
{
	struct gpurun_stream stream = new_stream();

	CHECK_INT(launch1(kernel_of(load(), "nothing"), stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_fill(alloc(64), 0, 4, 16, no_stream), GPURUN_OK);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
}

/* Its context goes while it is current, and again, and with a push on top. */
static void *stay(void *data)
{
	struct gpurun_stream stream;
	int rounds = *(int *)data;

	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&turn); /* it is up */
		work();
		if (i == 1)
			CHECK_INT(gpurun_context_push(device), GPURUN_OK);
		pthread_barrier_wait(&turn); /* to be shut down */
		pthread_barrier_wait(&turn); /* it is down */
		CHECK_INT(gpurun_stream_create(device, &stream), GPURUN_UNINITIALIZED);
		CHECK_INT(gpurun_context_pop(), GPURUN_UNINITIALIZED);
		pthread_barrier_wait(&turn); /* to come up again */
	}
	return NULL;
}

static void test_other_thread(void)
{
	int rounds = 4;
	pthread_t thread;

	pthread_barrier_init(&turn, NULL, 2);
	REQUIRE(!pthread_create(&thread, NULL, stay, &rounds));
	for (int i = 0; i < rounds; i++) {
		CHECK(up());
		pthread_barrier_wait(&turn);
		pthread_barrier_wait(&turn);
		CHECK_INT(gpurun_shutdown(), GPURUN_OK);
		pthread_barrier_wait(&turn);
		pthread_barrier_wait(&turn);
	}
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&turn);
	CHECK_INT(wrong, 0);
}

int main(void)
{
	setenv("GPURUN_STUB_DEVICES", "2", 1);
	if (!open_driver())
		return 1;
	RUN(test_retained);
	RUN(test_shared);
	RUN(test_kept_by_program);
	RUN(test_none_gets_ours);
	RUN(test_other_stays);
	RUN(test_stack);
	RUN(test_pushed_at_shutdown);
	RUN(test_other_thread);
	return tap_end();
}
