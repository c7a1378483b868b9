/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles of a module's variables. */
#include <pthread.h>
#include <stdatomic.h>

#include "kernels.h"

static struct gpurun_variable variable_of(struct gpurun_module module, const char *name)
{
	struct gpurun_variable variable;

	CHECK_INT(gpurun_module_variable(module, name, &variable), GPURUN_OK);
	return variable;
}

static struct gpurun_variable_info info_of(struct gpurun_variable variable)
{
	struct gpurun_variable_info info = { .struct_size = sizeof(info) };

	CHECK_INT(gpurun_variable_get_info(variable, &info), GPURUN_OK);
	return info;
}

static void test_same(void)
{
	struct gpurun_module module = load();
	struct gpurun_variable variable = variable_of(module, "counter");
	uint64_t address, size;
	struct gpurun_variable_info info = info_of(variable);

	CHECK(variable.id != 0);
	for (int i = 0; i < 3; i++)
		CHECK(variable_of(module, "counter").id == variable.id);
	CHECK_STR(info.name, "counter");
	CHECK_INT(gpurun_module_global(module, "counter", &address, &size), GPURUN_OK);
	CHECK(info.address == address);
	CHECK(info.size == size);
	if (executes())
		CHECK_INT(info.size, 4);
	CHECK_INT(gpurun_handle_kind(variable.id), GPURUN_NATIVE_VARIABLE);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static void test_not_found(void)
{
	struct gpurun_module module = load();
	struct gpurun_variable none = { 1 };

	CHECK_INT(gpurun_module_variable(module, "no_such_variable", &none),
		  GPURUN_NOT_FOUND);
	CHECK_INT(none.id, 0);
	CHECK_HAS(gpurun_error_text(), "no variable 'no_such_variable'");
	CHECK_INT(gpurun_module_variable(module, NULL, &none), GPURUN_INVALID);
	CHECK_INT(gpurun_module_variable(module, "counter", NULL), GPURUN_INVALID);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

/* A caller that was built against a shorter struct gets what it knows of. */
static void test_info_sizes(void)
{
	struct gpurun_module module = load();
	struct gpurun_variable variable = variable_of(module, "counter");
	struct gpurun_variable_info info = { .struct_size = 0 };

	CHECK_INT(gpurun_variable_get_info(variable, &info), GPURUN_INVALID);
	CHECK_INT(gpurun_variable_get_info(variable, NULL), GPURUN_INVALID);
	info.struct_size = offsetof(struct gpurun_variable_info, size);
	info.size = 77;
	CHECK_INT(gpurun_variable_get_info(variable, &info), GPURUN_OK);
	CHECK(info.address == info_of(variable).address);
	CHECK_INT(info.size, 77);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static void test_wrong_kind(void)
{
	struct gpurun_module module = load();
	struct gpurun_kernel kernel = kernel_of(module, "nothing");
	struct gpurun_variable wrong = { kernel.id };
	struct gpurun_variable_info info = { .struct_size = sizeof(info) };

	CHECK_INT(gpurun_variable_get_info(wrong, &info), GPURUN_HANDLE);
	CHECK_HAS(gpurun_error_text(), "is a kernel, not a variable");
	kernel.id = variable_of(module, "counter").id;
	CHECK_INT(launch1(kernel, no_stream, NULL), GPURUN_HANDLE);
	CHECK_HAS(gpurun_error_text(), "is a variable, not a kernel");
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

/* A variable goes with its module; the same one of another load stays. */
static void test_stale(void)
{
	struct gpurun_module module = load(), other = load();
	struct gpurun_variable gone = variable_of(module, "counter");
	struct gpurun_variable living = variable_of(other, "counter");
	struct gpurun_variable_info info = { .struct_size = sizeof(info) };

	CHECK(gone.id != living.id);
	CHECK(info_of(gone).address != info_of(living).address);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(gpurun_variable_get_info(gone, &info), GPURUN_HANDLE);
	CHECK_INT(gpurun_module_variable(module, "counter", &gone), GPURUN_HANDLE);
	CHECK_STR(info_of(living).name, "counter");
	CHECK_INT(gpurun_module_unload(other), GPURUN_OK);
}

/* Nor does it come back with the library, or with the same bytes. */
static void test_stale_after_init(void)
{
	struct gpurun_variable gone = variable_of(load(), "counter");
	struct gpurun_variable_info info = { .struct_size = sizeof(info) };

	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	REQUIRE(up());
	CHECK(variable_of(load(), "counter").id != gone.id);
	CHECK_INT(gpurun_variable_get_info(gone, &info), GPURUN_HANDLE);
}

/* What is written to the address is what kernels read. */
static void test_address(void)
{
	struct gpurun_module module = load();
	struct gpurun_stream stream = new_stream();
	uint64_t out = alloc(4), at = info_of(variable_of(module, "counter")).address;
	uint32_t value = 41;
	void *args[] = { &out };

	CHECK_INT(gpurun_memory_copy(at, host(&value), 4, no_stream), GPURUN_OK);
	CHECK_INT(launch1(kernel_of(module, "bump"), stream, args), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(&value), at, 4, stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	if (executes())
		CHECK_INT(value, 42);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
}

/* A foreign module's variables have handles too, which go with its handle. */
static void test_adopted(void)
{
	struct gpurun_module owner = load(), adopted;
	struct gpurun_variable variable, own = variable_of(owner, "counter");
	struct gpurun_variable_info info = { .struct_size = sizeof(info) };
	void *native;

	CHECK_INT(gpurun_module_native(owner, &native), GPURUN_OK);
	CHECK_INT(gpurun_module_adopt(device, native, &adopted), GPURUN_OK);
	variable = variable_of(adopted, "counter");
	CHECK(variable.id != own.id);
	CHECK(info_of(variable).address == info_of(own).address);
	CHECK_INT(gpurun_module_unload(adopted), GPURUN_OK);
	CHECK_INT(gpurun_variable_get_info(variable, &info), GPURUN_HANDLE);
	CHECK_INT(gpurun_variable_get_info(own, &info), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(owner), GPURUN_OK);
}

/* ---- Threads ------------------------------------------------------------------ */

enum { THREADS = 8, ROUNDS = 40, NAMES = 8 };

static struct gpurun_module shared;
static atomic_int failures;

/* Asks for what all ask for, and for one of a few that the others ask for, too. */
static void *ask(void *data)
{
	struct gpurun_variable *found = data, other;
	int status = gpurun_module_variable(shared, "counter", found);

	if (status && status != GPURUN_HANDLE)
		atomic_fetch_add(&failures, 1);
	for (int i = 0; i < NAMES; i++) {
		status = gpurun_module_variable(shared, i % 2 ? "counter" : "add", &other);
		if (status && status != GPURUN_HANDLE && status != GPURUN_NOT_FOUND)
			atomic_fetch_add(&failures, 1);
	}
	return NULL;
}

static void ask_all(struct gpurun_variable found[THREADS], bool unload)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, ask, &found[i]));
	if (unload)
		CHECK_INT(gpurun_module_unload(shared), GPURUN_OK);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void test_threads(void)
{
	struct gpurun_variable found[THREADS];

	for (int round = 0; round < ROUNDS; round++) {
		shared = load();
		ask_all(found, false);
		CHECK(found[0].id != 0);
		for (int i = 1; i < THREADS; i++)
			CHECK(found[i].id == found[0].id);
		CHECK_INT(gpurun_module_unload(shared), GPURUN_OK);
	}
	CHECK_INT(failures, 0);
}

/* A call that comes too late is refused; no handle outlives the module. */
static void test_unloaded_meanwhile(void)
{
	struct gpurun_variable found[THREADS];
	struct gpurun_variable_info info = { .struct_size = sizeof(info) };

	for (int round = 0; round < ROUNDS; round++) {
		shared = load();
		ask_all(found, true);
		for (int i = 0; i < THREADS; i++)
			CHECK_INT(gpurun_variable_get_info(found[i], &info), GPURUN_HANDLE);
	}
	CHECK_INT(failures, 0);
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_same);
	RUN(test_not_found);
	RUN(test_info_sizes);
	RUN(test_wrong_kind);
	RUN(test_stale);
	RUN(test_stale_after_init);
	RUN(test_address);
	RUN(test_adopted);
	RUN(test_threads);
	RUN(test_unloaded_meanwhile);
	gpurun_shutdown();
	return tap_end();
}
