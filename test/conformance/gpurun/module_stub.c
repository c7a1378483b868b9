/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What modules ask of the driver, read from the stub's trace. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels.h"

static const char pure_ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
			       ".visible .entry nothing() { ret; }\n";
static const char global_ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				 ".global .u32 state;\n"
				 ".visible .entry nothing() { ret; }\n";
static const char const_ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				".visible .const .u32 state = 1;\n"
				".visible .entry nothing() { ret; }\n";
static const char body_ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
			       ".visible .entry nothing() { .global .u32 state; ret; }\n";

static char trace[] = "/tmp/gpurun-trace-XXXXXX";

static void empty_trace(void)
{
	if (truncate(trace, 0))
		abort();
}

/* How many lines of the trace begin with @call. */
static int calls_of(const char *call)
{
	char line[512];
	int count = 0;
	FILE *file = fopen(trace, "r");

	while (file && fgets(line, sizeof(line), file))
		count += strstr(line, call) != NULL;
	if (file)
		fclose(file);
	return count;
}

/* Loads @image three times, with a kernel looked up and launched each time; with all
 * dimensions told, which is the shortest way there is. */
static void cycle(const char *image)
{
	struct gpurun_launch how = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
	void *none[] = { NULL };

	empty_trace();
	REQUIRE(up());
	how.stream = new_stream();
	for (int i = 0; i < 3; i++) {
		struct gpurun_module module;

		CHECK_INT(gpurun_module_load(device, image, 0, &module), GPURUN_OK);
		CHECK_INT(gpurun_launch(kernel_of(module, "nothing"), &how, none), GPURUN_OK);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

static void check_calls(int loads, int waits)
{
	CHECK_INT(calls_of("cuModuleLoadDataEx("), loads);
	CHECK_INT(calls_of("cuModuleGetFunction("), loads);
	CHECK_INT(calls_of("cuFuncGetAttribute("), loads * 7);
	CHECK_INT(calls_of("cuModuleUnload("), loads);
	CHECK_INT(calls_of("cuLaunchKernel("), 3);
	CHECK_INT(calls_of("cuStreamSynchronize("), waits);
}

/* A module without variables is loaded and asked once; each unload waits. */
static void test_kept(void)
{
	cycle(pure_ptx);
	check_calls(1, 3);
}

static void test_variables(void)
{
	cycle(global_ptx);
	check_calls(3, 3);
	cycle(const_ptx);
	check_calls(3, 3);
	cycle(body_ptx);
	check_calls(3, 3);
}

static void test_switched_off(void)
{
	setenv("GPURUN_POOL", "0", 1);
	cycle(pure_ptx);
	check_calls(3, 3);
	unsetenv("GPURUN_POOL");
}

/* The stub finds a variable that the image does not define: then nothing is known. */
static void test_address_told(void)
{
	struct gpurun_module module;
	uint64_t address;

	empty_trace();
	REQUIRE(up());
	for (int i = 0; i < 2; i++) {
		CHECK_INT(gpurun_module_load(device, pure_ptx, 0, &module), GPURUN_OK);
		CHECK_INT(gpurun_module_global(module, "nothing", &address, NULL), GPURUN_OK);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
	CHECK_INT(calls_of("cuModuleUnload("), 2);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* The same for a variable's handle; one that is not there returns no address. The
 * driver is asked once for what is there. */
static void test_variable_told(void)
{
	struct gpurun_module module;
	struct gpurun_variable variable;

	empty_trace();
	REQUIRE(up());
	for (int i = 0; i < 2; i++) {
		CHECK_INT(gpurun_module_load(device, pure_ptx, 0, &module), GPURUN_OK);
		CHECK_INT(gpurun_module_variable(module, "none", &variable),
			  GPURUN_NOT_FOUND);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
	CHECK_INT(calls_of("cuModuleUnload("), 0);
	CHECK_INT(gpurun_module_load(device, pure_ptx, 0, &module), GPURUN_OK);
	for (int i = 0; i < 3; i++)
		CHECK_INT(gpurun_module_variable(module, "nothing", &variable), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleGetGlobal("), 2 + 1);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleUnload("), 1);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* A look-up that fails leaves nothing behind; the next one works. */
static void test_variable_fails(void)
{
	struct gpurun_module module;
	struct gpurun_variable variable;

	empty_trace();
	REQUIRE(up());
	module = load();
	setenv("GPURUN_STUB_FAIL", "cuModuleGetGlobal=999", 1);
	CHECK_INT(gpurun_module_variable(module, "counter", &variable), GPURUN_DRIVER);
	CHECK_INT(variable.id, 0);
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_HAS(gpurun_error_text(), "cuModuleGetGlobal: ");
	CHECK_INT(gpurun_module_variable(module, "counter", &variable), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* Images that differ in one byte only, wherever it is, are two modules. */
static void test_other_bytes(void)
{
	enum { SIZE = 5000 };
	char image[SIZE + 1];
	struct gpurun_module module;

	empty_trace();
	REQUIRE(up());
	snprintf(image, sizeof(image), "%s//%*s", pure_ptx, SIZE, "");
	for (int i = 1; i <= 8; i++) {
		image[SIZE - 1 - i] = '.';
		CHECK_INT(gpurun_module_load(device, image, 0, &module), GPURUN_OK);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
		CHECK_INT(calls_of("cuModuleLoadDataEx("), i);
	}
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

static void load_at(int level, int status)
{
	struct gpurun_module module;

	CHECK_INT(gpurun_module_load_level(device, pure_ptx, 0, level, &module), status);
	if (!status)
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

/* The level is told where it is not the driver's own; a module of another is another. */
static void test_level(void)
{
	empty_trace();
	REQUIRE(up());
	load_at(4, GPURUN_OK);
	CHECK_INT(calls_of(", ..., 2, ..., ...)"), 1);
	load_at(0, GPURUN_OK);
	CHECK_INT(calls_of(", ..., 3, ..., ...)"), 1);
	load_at(4, GPURUN_OK);
	load_at(0, GPURUN_OK);
	load_at(5, GPURUN_INVALID);
	load_at(-1, GPURUN_INVALID);
	CHECK_INT(calls_of("cuModuleLoadDataEx("), 2);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* However many images come by, few modules are kept. */
static void test_bounded(void)
{
	char image[512];
	struct gpurun_module module;
	int loaded;

	empty_trace();
	REQUIRE(up());
	for (int i = 0; i < 100; i++) {
		snprintf(image, sizeof(image), "%s// %d\n", pure_ptx, i);
		CHECK_INT(gpurun_module_load(device, image, 0, &module), GPURUN_OK);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
		CHECK(calls_of("cuModuleLoadDataEx(") - calls_of("cuModuleUnload(") <= 16);
	}
	/* The last one is among them, the first one is not. */
	CHECK_INT(gpurun_module_load(device, image, 0, &module), GPURUN_OK);
	loaded = calls_of("cuModuleLoadDataEx(");
	CHECK_INT(loaded, 100);
	snprintf(image, sizeof(image), "%s// %d\n", pure_ptx, 0);
	CHECK_INT(gpurun_module_load(device, image, 0, &module), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleLoadDataEx("), loaded + 1);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleUnload("), loaded + 1);
}

/* When memory is exhausted, what is kept goes before anything is refused. */
static void test_out_of_memory(void)
{
	struct gpurun_module module;
	uint64_t address;

	empty_trace();
	REQUIRE(up());
	for (int i = 0; i < 2; i++) {
		CHECK_INT(gpurun_module_load(device, pure_ptx, 0, &module), GPURUN_OK);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
		CHECK_INT(calls_of("cuModuleUnload("), i);
		setenv("GPURUN_STUB_FAIL", i ? "cuModuleLoadDataEx=2" : "cuMemAlloc=2", 1);
		if (i)
			CHECK_INT(gpurun_module_load(device, global_ptx, 0, &module),
				  GPURUN_NO_MEMORY);
		else
			CHECK_INT(gpurun_memory_alloc(device, 64, GPURUN_MEMORY_DEVICE,
						      &address), GPURUN_NO_MEMORY);
		unsetenv("GPURUN_STUB_FAIL");
		CHECK_INT(calls_of("cuModuleUnload("), i + 1);
	}
	CHECK_INT(calls_of("cuMemAlloc("), 2);
	CHECK_INT(calls_of("cuModuleLoadDataEx("), 2 + 2);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* A module whose last wait failed is not used again. */
static void test_failed_wait(void)
{
	struct gpurun_module module;

	empty_trace();
	REQUIRE(up());
	CHECK_INT(gpurun_module_load(device, pure_ptx, 0, &module), GPURUN_OK);
	CHECK_INT(launch1(kernel_of(module, "nothing"), new_stream(), NULL), GPURUN_OK);
	setenv("GPURUN_STUB_FAIL", "cuStreamSynchronize=999", 1);
	CHECK_INT(gpurun_module_unload(module), GPURUN_DRIVER);
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_INT(calls_of("cuModuleUnload("), 1);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* Reads @file up to a call of @call with @what in it; false when there is none. */
static bool comes(FILE *file, const char *call, const char *what)
{
	char line[512];

	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, call, strlen(call)) && strstr(line, what))
			return true;
	return false;
}

static struct gpurun_module load_structors(void)
{
	struct gpurun_module module;
	size_t size;
	uint8_t *bytes = tap_read("test/data/images/structors.ptx", &size);

	CHECK_INT(gpurun_module_load(device, bytes, size, &module), GPURUN_OK);
	free(bytes);
	return module;
}

/* What is done with constructors and destructors, and when. */
static void test_structors(void)
{
	static const struct {
		const char *call, *what;
	} rows[] = {
		{ "cuModuleLoadDataEx(", "" },
		{ "cuModuleGetFunction(", "nvptx$device$init" },
		{ "cuModuleGetGlobal(", "first_" },
		{ "cuModuleGetGlobal(", "second_" },
		{ "cuModuleGetGlobal(", "__init_array_start" },
		{ "cuModuleGetGlobal(", "__init_array_end" },
		{ "cuLaunchKernel(", "1, 1, 1, 1, 1, 1, 0, " },
		{ "cuStreamSynchronize(", "" },
		{ "cuModuleGetFunction(", "\"tell\"" },
		{ "cuLaunchKernel(", "" },
		{ "cuStreamSynchronize(", "" },
		{ "cuModuleGetFunction(", "nvptx$device$fini" },
		{ "cuModuleGetGlobal(", "last_" },
		{ "cuModuleGetGlobal(", "last_but_one_" },
		{ "cuModuleGetGlobal(", "__fini_array_start" },
		{ "cuModuleGetGlobal(", "__fini_array_end" },
		{ "cuLaunchKernel(", "1, 1, 1, 1, 1, 1, 0, " },
		{ "cuStreamSynchronize(", "" },
		{ "cuModuleUnload(", "" },
	};
	struct gpurun_stream stream;
	struct gpurun_module module;
	uint64_t out;
	void *args[] = { &out };
	FILE *file;

	empty_trace();
	REQUIRE(up());
	stream = new_stream();
	module = load_structors();
	CHECK_INT(launch1(kernel_of(module, "tell"), stream, args), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	file = fopen(trace, "r");
	REQUIRE(file != NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!CHECK(comes(file, rows[i].call, rows[i].what)))
			printf("#   no %s of '%s'\n", rows[i].call, rows[i].what);
	fclose(file);
}

/* Each step of an unload is made, and each failure is told. */
static void test_failing_steps(void)
{
	struct gpurun_module module, other;

	empty_trace();
	REQUIRE(up());
	other = load();
	module = load_structors();
	setenv("GPURUN_STUB_FAIL", "cuLaunchKernel=999,cuModuleUnload=400", 1);
	CHECK_INT(gpurun_module_unload(module), GPURUN_DRIVER);
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_STR(gpurun_error_text(),
		  "device destructors: cuLaunchKernel: CUDA_ERROR_UNKNOWN (999): unknown "
		  "error; cuModuleUnload: CUDA_ERROR_INVALID_HANDLE (400): invalid handle");
	CHECK_INT(calls_of("cuModuleUnload("), 1);
	/* The other one lives. */
	CHECK_INT(launch1(kernel_of(other, "nothing"), new_stream(), NULL), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleUnload("), 2);
}

/* A constructor that fails leaves no module behind. */
static void test_failing_constructor(void)
{
	struct gpurun_module module = { 1 };
	size_t size;
	uint8_t *bytes = tap_read("test/data/images/structors.ptx", &size);

	empty_trace();
	REQUIRE(up());
	setenv("GPURUN_STUB_FAIL", "cuLaunchKernel=999", 1);
	CHECK_INT(gpurun_module_load(device, bytes, size, &module), GPURUN_DRIVER);
	unsetenv("GPURUN_STUB_FAIL");
	free(bytes);
	CHECK_HAS(gpurun_error_text(), "device constructors: cuLaunchKernel: ");
	CHECK_INT(module.id, 0);
	CHECK_INT(calls_of("cuModuleUnload("), 1);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleUnload("), 1);
}

/* One that would wait is unloaded before its constructors run; one without variables is
 * not asked about. */
static void test_alone(void)
{
	struct gpurun_module module;
	size_t size;
	char *text = (char *)tap_read("test/data/images/structors.ptx", &size);

	strcpy(text + size, ".visible .global .u64 __llvm_rpc_client;\n");
	empty_trace();
	REQUIRE(up());
	CHECK_INT(gpurun_module_load_alone(device, text, 0, &module), GPURUN_UNSUPPORTED);
	CHECK_INT(calls_of("cuModuleGetGlobal("), 1);
	CHECK_INT(calls_of("cuLaunchKernel("), 0);
	CHECK_INT(calls_of("cuModuleUnload("), 1);
	setenv("GPURUN_STUB_FAIL", "cuModuleGetGlobal=999", 1);
	CHECK_INT(gpurun_module_load_alone(device, text, 0, &module), GPURUN_DRIVER);
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_INT(calls_of("cuModuleUnload("), 2);
	free(text);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(gpurun_module_load_alone(device, pure_ptx, 0, &module), GPURUN_OK);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
	CHECK_INT(calls_of("cuModuleGetGlobal("), 2);
	CHECK_INT(calls_of("cuModuleLoadDataEx("), 3);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* ---- On another device ------------------------------------------------------ */

static struct gpurun_device second;

static bool two_devices(void)
{
	setenv("GPURUN_STUB_DEVICES", "2", 1);
	empty_trace();
	return up() && !gpurun_device_get(1, &second);
}

/* Loaded when it is first asked for, once, and unloaded with its owner. */
static void test_on_device(void)
{
	struct gpurun_module module, other, again, own;
	struct gpurun_stream stream;

	REQUIRE(two_devices());
	module = load();
	CHECK_INT(calls_of("cuModuleLoadDataEx("), 1);
	CHECK_INT(gpurun_module_on_device(module, device, &own), GPURUN_OK);
	CHECK_INT(own.id, module.id);
	CHECK_INT(gpurun_module_on_device(module, second, &other), GPURUN_OK);
	CHECK(other.id != module.id);
	CHECK_INT(gpurun_module_on_device(module, second, &again), GPURUN_OK);
	CHECK_INT(again.id, other.id);
	CHECK_INT(calls_of("cuModuleLoadDataEx("), 2);
	CHECK_INT(gpurun_stream_create(second, &stream), GPURUN_OK);
	CHECK_INT(launch1(kernel_of(module, "nothing"), stream, NULL), GPURUN_INVALID);
	CHECK_INT(launch1(kernel_of(other, "nothing"), stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleUnload("), 2);
	CHECK_INT(gpurun_module_unload(other), GPURUN_HANDLE);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* Unloaded by either of them: it is loaded again when it is asked for again. */
static void test_on_device_unloaded(void)
{
	struct gpurun_module module, other, again;

	REQUIRE(two_devices());
	module = load();
	CHECK_INT(gpurun_module_on_device(module, second, &other), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(other), GPURUN_OK);
	CHECK_INT(gpurun_module_on_device(module, second, &again), GPURUN_OK);
	CHECK(again.id != other.id);
	/* Left to the shutdown. */
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleLoadDataEx("), 3);
	CHECK_INT(calls_of("cuModuleUnload("), 3);
}

/* Each device keeps modules for itself. */
static void test_on_device_kept(void)
{
	struct gpurun_module module, other;

	REQUIRE(two_devices());
	for (int i = 0; i < 3; i++) {
		CHECK_INT(gpurun_module_load(device, pure_ptx, 0, &module), GPURUN_OK);
		CHECK_INT(gpurun_module_on_device(module, second, &other), GPURUN_OK);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
	CHECK_INT(calls_of("cuModuleLoadDataEx("), 2);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleUnload("), 2);
}

static void test_on_device_fails(void)
{
	struct gpurun_module module, other = { 1 }, adopted;
	void *native;

	REQUIRE(two_devices());
	module = load();
	setenv("GPURUN_STUB_FAIL", "cuModuleLoadDataEx=2", 1);
	CHECK_INT(gpurun_module_on_device(module, second, &other), GPURUN_NO_MEMORY);
	CHECK_INT(other.id, 0);
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_INT(gpurun_module_native(module, &native), GPURUN_OK);
	CHECK_INT(gpurun_module_adopt(device, native, &adopted), GPURUN_OK);
	CHECK_INT(gpurun_module_on_device(adopted, second, &other), GPURUN_UNSUPPORTED);
	CHECK_INT(gpurun_module_on_device(adopted, device, &other), GPURUN_OK);
	CHECK_INT(gpurun_module_on_device(module, second, &other), GPURUN_OK);
	/* The copy's failure is told with the other, and nothing is left undone. */
	setenv("GPURUN_STUB_FAIL", "cuModuleUnload=400", 1);
	CHECK_INT(gpurun_module_unload(module), GPURUN_DRIVER);
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_HAS(gpurun_error_text(), "handle; cuModuleUnload: ");
	CHECK_INT(calls_of("cuModuleUnload("), 2);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

static struct gpurun_module shared;

static void *ask(void *data)
{
	struct gpurun_module other;

	CHECK_INT(gpurun_module_on_device(shared, second, &other), GPURUN_OK);
	*(uint64_t *)data = other.id;
	return NULL;
}

/* All threads get the same one; those that lost the race have unloaded theirs. */
static void test_on_device_threads(void)
{
	pthread_t threads[8];
	uint64_t ids[8];

	REQUIRE(two_devices());
	for (int round = 0; round < 10; round++) {
		shared = load();
		for (int i = 0; i < 8; i++)
			REQUIRE(!pthread_create(&threads[i], NULL, ask, &ids[i]));
		for (int i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
		for (int i = 1; i < 8; i++)
			CHECK_INT(ids[i], ids[0]);
		CHECK_INT(gpurun_module_unload(shared), GPURUN_OK);
	}
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(calls_of("cuModuleLoadDataEx("), calls_of("cuModuleUnload("));
	unsetenv("GPURUN_STUB_DEVICES");
}

int main(void)
{
	int fd = mkstemp(trace);

	if (fd < 0)
		return 1;
	close(fd);
	setenv("GPURUN_STUB_TRACE", trace, 1);
	RUN(test_kept);
	RUN(test_variables);
	RUN(test_switched_off);
	RUN(test_address_told);
	RUN(test_variable_told);
	RUN(test_variable_fails);
	RUN(test_other_bytes);
	RUN(test_level);
	RUN(test_bounded);
	RUN(test_out_of_memory);
	RUN(test_failed_wait);
	RUN(test_structors);
	RUN(test_failing_steps);
	RUN(test_failing_constructor);
	RUN(test_alone);
	RUN(test_on_device);
	RUN(test_on_device_unloaded);
	RUN(test_on_device_kept);
	RUN(test_on_device_fails);
	RUN(test_on_device_threads);
	unlink(trace);
	return tap_end();
}
