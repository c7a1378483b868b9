/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs on a driver whose calls fail: what is told, and that nothing is left behind.
 * A scene is a process of its own, at whose end the stub says what was not released.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "ol.h"

static char trace[] = "/tmp/gpurun-trace-XXXXXX", leaks[] = "/tmp/gpurun-leaks-XXXXXX";

/* From here on the driver fails so; NULL: no more. */
static void fail(const char *what)
{
	if (what)
		setenv("GPURUN_STUB_FAIL", what, 1);
	else
		unsetenv("GPURUN_STUB_FAIL");
}

static unsigned count_of(const char *text, const char *part)
{
	unsigned count = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		count++;
	return count;
}

/* The text of a file; the caller frees it. */
static char *text_in(const char *path)
{
	size_t size;
	char *text = (char *)tap_read(path, &size);

	text[size] = '\0';
	return text;
}

static bool make_file(char *path)
{
	int fd = mkstemp(path);

	return fd >= 0 && !close(fd);
}

/* Plays @scene. Nothing is left at its end but what the driver refused to release:
 * @refused things. The trace is in its file. */
static void check_scene(const char *scene, const char *settings, unsigned refused)
{
	char all[256], *left;

	REQUIRE(make_file(trace) && make_file(leaks));
	snprintf(all, sizeof(all), "GPURUN_STUB_TRACE=%s GPURUN_STUB_LEAKS=%s %s", trace, leaks,
		 settings ? settings : "");
	CHECK_PLAY(scene, all, NULL);
	left = text_in(leaks);
	CHECK_HAS(left, "0 left");
	CHECK_INT(count_of(left, "refused: "), refused);
	free(left);
	unlink(leaks);
	strcpy(strrchr(leaks, '-'), "-XXXXXX");
}

/* Forgets the trace of the last scene. */
static void end_trace(void)
{
	unlink(trace);
	strcpy(strrchr(trace, '-'), "-XXXXXX");
}

static void check_simple(const char *scene, unsigned refused)
{
	check_scene(scene, NULL, refused);
	end_trace();
}

static void come_up(void)
{
	CHECK_OK(ol_init());
	look_up();
}

static void check_works(ol_program_handle_t program)
{
	ol_queue_handle_t queue = new_queue();

	CHECK_OK(launch1(queue, kernel_of(program, "nothing"), NULL, 0));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
}

/* ---- Failing unloads ---------------------------------------------------------------- */

/* It is told once, the handle is gone, the other program and the library are as before. */
static void scene_destroy_fails(void)
{
	ol_program_handle_t program, other;

	come_up();
	program = load();
	other = load();
	fail("cuModuleUnload=400");
	CHECK_TELLS(olDestroyProgram(program), UNKNOWN, "cuModuleUnload: ");
	fail(NULL);
	CHECK_CODE(olDestroyProgram(program), INVALID_ARGUMENT);
	check_works(other);
	CHECK_OK(olDestroyProgram(other));
	check_works(load());
	CHECK_OK(olShutDown());
}

static void test_destroy_fails(void)
{
	check_simple("scene_destroy_fails", 1);
}

/* One of several at the shutdown stops nothing: the others go, and all else does. */
static void scene_shutdown_fails(void)
{
	ol_event_handle_t event;
	ol_queue_handle_t queue;

	come_up();
	for (int i = 0; i < 3; i++)
		check_works(load());
	queue = new_queue();
	alloc(OL_ALLOC_TYPE_DEVICE, 64);
	alloc(OL_ALLOC_TYPE_HOST, 64);
	CHECK_OK(ol_create_event(queue, &event));
	fail("cuModuleUnload:2=400");
	CHECK_TELLS(olShutDown(), UNKNOWN, "cuModuleUnload: ");
	fail(NULL);
	come_up();
	check_works(load());
	CHECK_OK(olShutDown());
}

static void test_shutdown_fails(void)
{
	check_simple("scene_shutdown_fails", 1);
}

enum { MANY = 20 };

/* Each of many is told of, in one result. */
static void scene_all_fail(void)
{
	ol_result_t result;

	come_up();
	for (int i = 0; i < MANY; i++)
		load();
	fail("cuModuleUnload=400");
	result = olShutDown();
	fail(NULL);
	CHECK_CODE(result, UNKNOWN);
	CHECK_INT(count_of(text_of(result), "cuModuleUnload: "), MANY);
}

static void test_all_fail(void)
{
	check_simple("scene_all_fail", MANY);
}

/* Failures of every step of a shutdown are joined, none stops the next. */
static void scene_steps_fail(void)
{
	static const char *const steps[] = { "cuModuleUnload", "cuEventDestroy",
					     "cuStreamDestroy", "cuMemFree", "cuMemFreeHost",
					     "cuDevicePrimaryCtxRelease" };
	ol_event_handle_t event;
	ol_queue_handle_t queue;
	ol_result_t result;

	come_up();
	load();
	queue = new_queue();
	CHECK_OK(launch1(queue, kernel_of(load(), "nothing"), NULL, 0));
	CHECK_OK(ol_create_event(queue, &event));
	alloc(OL_ALLOC_TYPE_DEVICE, 64);
	alloc(OL_ALLOC_TYPE_HOST, 64);
	fail("cuModuleUnload=400,cuEventDestroy=400,cuStreamDestroy=400,cuMemFree=1,"
	     "cuMemFreeHost=1,cuDevicePrimaryCtxRelease=201");
	result = olShutDown();
	fail(NULL);
	CHECK_CODE(result, UNKNOWN);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		CHECK_HAS(text_of(result), steps[i]);
}

static void test_steps_fail(void)
{
	check_simple("scene_steps_fail", 7);
}

/* A device whose modules cannot be unloaded is not in the way of another one. */
static void scene_two_devices(void)
{
	struct image image;
	ol_program_handle_t program;
	ol_result_t result;

	come_up();
	REQUIRE(other_gpu != NULL);
	image = image_of("offload");
	for (int i = 0; i < 2; i++) {
		CHECK_OK(olCreateProgram(gpu, image.data, image.size, &program));
		CHECK_OK(olCreateProgram(other_gpu, image.data, image.size, &program));
	}
	free(image.data);
	fail("cuModuleUnload:1=400,cuModuleUnload:2=1,cuModuleUnload:3=999");
	result = olShutDown();
	fail(NULL);
	CHECK_CODE(result, UNKNOWN);
	CHECK_HAS(text_of(result), "(400)");
	CHECK_HAS(text_of(result), "(1)");
	CHECK_HAS(text_of(result), "(999)");
}

static void test_two_devices(void)
{
	check_scene("scene_two_devices", "GPURUN_STUB_DEVICES=2", 3);
	end_trace();
}

/* ---- Order ------------------------------------------------------------------------------ */

/* Where the first line of @text is that begins with @call and has @what; -1: nowhere. */
static long place_of(const char *text, const char *call, const char *what)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		const char *found = strstr(line, what);

		if (!strncmp(line, call, strlen(call)) && found &&
		    found < line + strcspn(line, "\n"))
			return line - text;
		if (!line[strcspn(line, "\n")])
			break;
	}
	return -1;
}

struct place {
	const char *call, *what;
};

/* All stand in the trace, each behind the one before it. */
static void check_order(const struct place *places, size_t count)
{
	char *text = text_in(trace);
	long last = -1;

	for (size_t i = 0; i < count; i++) {
		long place = place_of(text, places[i].call, places[i].what);

		if (!CHECK(place > last))
			printf("#   %s of '%s' at %ld, behind %ld\n", places[i].call,
			       places[i].what, place, last);
		last = place;
	}
	free(text);
}

static void scene_left(void)
{
	come_up();
	for (int i = 0; i < 3; i++)
		load_image("structors");
	CHECK_OK(olShutDown());
}

/* Image by image, the newest first, destructors before the unload of each. */
static void test_left(void)
{
	static const struct place places[] = {
		{ "cuModuleGetFunction(", "module#1, \"nvptx$device$init\"" },
		{ "cuModuleGetFunction(", "module#2, \"nvptx$device$init\"" },
		{ "cuModuleGetFunction(", "module#3, \"nvptx$device$init\"" },
		{ "cuModuleGetFunction(", "module#3, \"nvptx$device$fini\"" },
		{ "cuModuleGetGlobal(", "module#3, \"__fini_array_object_last_" },
		{ "cuModuleGetGlobal(", "module#3, \"__fini_array_end\"" },
		{ "cuModuleUnload(", "module#3" },
		{ "cuModuleGetFunction(", "module#2, \"nvptx$device$fini\"" },
		{ "cuModuleUnload(", "module#2" },
		{ "cuModuleGetFunction(", "module#1, \"nvptx$device$fini\"" },
		{ "cuModuleUnload(", "module#1" },
		{ "cuDevicePrimaryCtxRelease(", "" },
	};

	check_scene("scene_left", NULL, 0);
	check_order(places, sizeof(places) / sizeof(places[0]));
	end_trace();
}

static void scene_destroyed(void)
{
	ol_program_handle_t programs[3];

	come_up();
	for (int i = 0; i < 3; i++)
		programs[i] = load_image("structors");
	CHECK_OK(olDestroyProgram(programs[1]));
	kernel_of(programs[0], "tell");
	CHECK_OK(olShutDown());
}

/* What is destroyed goes at once, and alone. */
static void test_destroyed(void)
{
	static const struct place places[] = {
		{ "cuModuleGetFunction(", "module#2, \"nvptx$device$fini\"" },
		{ "cuModuleUnload(", "module#2" },
		{ "cuModuleGetFunction(", "\"tell\"" },
		{ "cuModuleUnload(", "module#3" },
		{ "cuModuleUnload(", "module#1" },
	};

	check_scene("scene_destroyed", NULL, 0);
	check_order(places, sizeof(places) / sizeof(places[0]));
	end_trace();
}

/* Destructors that fail are told, and the unload that fails too. */
static void scene_destructors_fail(void)
{
	ol_program_handle_t program;
	ol_result_t result;

	come_up();
	program = load_image("structors");
	fail("cuLaunchKernel=999");
	CHECK_TELLS(olDestroyProgram(program), UNKNOWN, "device destructors: cuLaunchKernel: ");
	fail(NULL);
	program = load_image("structors");
	fail("cuLaunchKernel=999,cuModuleUnload=400");
	result = olDestroyProgram(program);
	fail(NULL);
	CHECK_TELLS(result, UNKNOWN, "device destructors: cuLaunchKernel: ");
	CHECK_TELLS(result, UNKNOWN, "cuModuleUnload: ");
	load_image("structors");
	fail("cuLaunchKernel=999");
	CHECK_TELLS(olShutDown(), UNKNOWN, "device destructors: cuLaunchKernel: ");
	fail(NULL);
}

static void test_destructors_fail(void)
{
	static const struct place places[] = { { "cuModuleUnload(", "module#1" },
					       { "cuModuleUnload(", "module#2" },
					       { "cuModuleUnload(", "module#3" } };

	check_scene("scene_destructors_fail", NULL, 1);
	check_order(places, sizeof(places) / sizeof(places[0]));
	end_trace();
}

/* ---- Failing creations --------------------------------------------------------------- */

/* Whatever fails on the way, there is no program, and the next one is created. */
static void scene_create_fails(void)
{
	static const struct {
		const char *fail;
		ol_errc_t code;
	} rows[] = {
		/* First: what is freed is kept. */
		{ "cuMemAlloc=2", OL_ERRC_OUT_OF_RESOURCES },
		{ "cuModuleLoadDataEx=2", OL_ERRC_OUT_OF_RESOURCES },
		{ "cuModuleLoadDataEx=999", OL_ERRC_UNKNOWN },
		{ "cuModuleLoadDataEx=200", OL_ERRC_INVALID_BINARY },
		{ "cuModuleLoadDataEx=209", OL_ERRC_INVALID_BINARY },
		{ "cuModuleGetGlobal=999", OL_ERRC_UNKNOWN },
		{ "cuModuleGetFunction=999", OL_ERRC_UNKNOWN },
		{ "cuStreamCreate=2", OL_ERRC_OUT_OF_RESOURCES },
		{ "cuMemcpyAsync=999", OL_ERRC_UNKNOWN },
		{ "cuLaunchKernel=701", OL_ERRC_INVALID_SIZE },
		{ "cuLaunchKernel=999", OL_ERRC_UNKNOWN },
		{ "cuStreamSynchronize=999", OL_ERRC_UNKNOWN },
	};
	struct image image;

	come_up();
	image = image_of("structors");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ol_program_handle_t program = (ol_program_handle_t)(uintptr_t)1;
		ol_result_t result;

		fail(rows[i].fail);
		result = olCreateProgram(gpu, image.data, image.size, &program);
		fail(NULL);
		if (!CHECK_INT(code_of(result), rows[i].code))
			printf("#   %s: %s\n", rows[i].fail, text_of(result));
		CHECK(program == NULL);
		CHECK_OK(olCreateProgram(gpu, image.data, image.size, &program));
		CHECK_OK(olDestroyProgram(program));
	}
	free(image.data);
	CHECK_OK(olShutDown());
}

static void test_create_fails(void)
{
	check_simple("scene_create_fails", 0);
}

/* One that waits for a server of the host is gone before any of it has run. */
static void scene_rpc(void)
{
	size_t size;
	char *text = (char *)tap_read("test/data/images/structors.ptx", &size);
	ol_program_handle_t program;

	come_up();
	strcpy(text + size, ".visible .global .u64 __llvm_rpc_client;\n");
	for (int i = 0; i < 3; i++)
		CHECK_CODE(olCreateProgram(gpu, text, strlen(text), &program), UNSUPPORTED);
	free(text);
	check_works(load());
	CHECK_OK(olShutDown());
}

static void test_rpc(void)
{
	char *text;

	check_scene("scene_rpc", NULL, 0);
	text = text_in(trace);
	CHECK_INT(count_of(text, "\ncuLaunchKernel("), 1);
	CHECK_INT(count_of(text, "\ncuMemHostAlloc("), 0);
	CHECK_INT(count_of(text, "\ncuModuleUnload("), 4);
	free(text);
	end_trace();
}

/* ---- The caller's context ---------------------------------------------------------------- */

static int (*get_current)(void **context), (*set_current)(void *context);

static void *current(void)
{
	void *context = NULL;

	CHECK_INT(get_current(&context), 0);
	return context;
}

/* Creates, uses and destroys while @context is current; it is so afterwards. */
static void use_under(void *context)
{
	ol_program_handle_t program;
	ol_symbol_handle_t variable;

	CHECK_INT(set_current(context), 0);
	program = load();
	CHECK(current() == context);
	CHECK_OK(olGetSymbol(program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &variable));
	CHECK(current() == context);
	check_works(program);
	CHECK_OK(olDestroyProgram(program));
	CHECK(current() == context);
}

static void *destroy_under(void *context)
{
	ol_program_handle_t program = load();

	CHECK_INT(set_current(context), 0);
	CHECK_OK(olDestroyProgram(program));
	CHECK(!context || current() == context);
	return NULL;
}

static void on_thread(void *(*body)(void *data), void *data)
{
	pthread_t thread;

	REQUIRE(!pthread_create(&thread, NULL, body, data));
	pthread_join(thread, NULL);
}

/* Another device's context, or none, is current: that is the caller's business. */
static void scene_contexts(void)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *driver = dlopen(path ? path : "libcuda.so", RTLD_NOW), *context = NULL;
	int (*retain)(void **, int), (*give_up)(int);

	REQUIRE(driver != NULL);
	get_current = dlsym(driver, "cuCtxGetCurrent");
	set_current = dlsym(driver, "cuCtxSetCurrent");
	retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
	give_up = dlsym(driver, "cuDevicePrimaryCtxRelease_v2");
	REQUIRE(get_current && set_current && retain && give_up);
	come_up();
	CHECK_INT(retain(&context, 1), 0);
	use_under(context);
	on_thread(destroy_under, context);
	on_thread(destroy_under, NULL);
	CHECK_INT(set_current(context), 0);
	load();
	CHECK_OK(olShutDown());
	CHECK(current() == context);
	CHECK_INT(set_current(NULL), 0);
	CHECK_INT(give_up(1), 0);
}

static void test_contexts(void)
{
	check_scene("scene_contexts", "GPURUN_STUB_DEVICES=2", 0);
	end_trace();
}

static const struct ol_case cases[] = {
	OL_BARE(test_destroy_fails),
	OL_BARE(test_shutdown_fails),
	OL_BARE(test_all_fail),
	OL_BARE(test_steps_fail),
	OL_BARE(test_two_devices),
	OL_BARE(test_left),
	OL_BARE(test_destroyed),
	OL_BARE(test_destructors_fail),
	OL_BARE(test_create_fails),
	OL_BARE(test_rpc),
	OL_BARE(test_contexts),
	OL_SCENE(scene_destroy_fails),
	OL_SCENE(scene_shutdown_fails),
	OL_SCENE(scene_all_fail),
	OL_SCENE(scene_steps_fail),
	OL_SCENE(scene_two_devices),
	OL_SCENE(scene_left),
	OL_SCENE(scene_destroyed),
	OL_SCENE(scene_destructors_fail),
	OL_SCENE(scene_create_fails),
	OL_SCENE(scene_rpc),
	OL_SCENE(scene_contexts),
};
OL_MAIN(cases)
