/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every function of gpurun.h answers where the library cannot be used: before
 * it is initialised, after a shutdown, after the end, in a forked child; and with
 * every kind of wrong handle. functions.def is the list.
 */
#include <unistd.h>

#include "ending.h"
#include "functions.h"

/* Calls and compares; a call that is refused says why, and leaves zeros. */
static void want(const struct function *function, uint64_t id, int status)
{
	int got;

	memset(&out, 0xa5, sizeof(out));
	got = function->call(id);
	if (got != status) {
		wrong++;
		printf("# %s with handle %#" PRIx64 ": %d, not %d: %s\n", function->text, id, got,
		       status, gpurun_error_text());
	}
	if (status && !gpurun_error_text()[0]) {
		wrong++;
		printf("# %s does not say why it fails\n", function->text);
	}
	if (status && strstr(function->text, "&out.") && out.number != 0) {
		wrong++;
		printf("# %s fails and leaves its result as it was\n", function->text);
	}
	fflush(stdout);
}

/* Calls all; @of says what each class answers, -1 that it is not called. */
static void want_all(const int of[4])
{
	for (int i = 0; i < FUNCTIONS; i++)
		if (of[functions[i].class] >= 0)
			want(&functions[i], device.id, of[functions[i].class]);
}

static const int uninitialised[] = {
	[ANSWERS] = GPURUN_OK, [CALL] = GPURUN_UNINITIALIZED,
	[RELEASE] = GPURUN_UNINITIALIZED, [LIFE] = -1,
};

static const int ended[] = {
	[ANSWERS] = GPURUN_OK, [CALL] = GPURUN_ENDED,
	[RELEASE] = GPURUN_OK, [LIFE] = GPURUN_ENDED,
};

static const int forked[] = {
	[ANSWERS] = GPURUN_OK, [CALL] = GPURUN_FORKED,
	[RELEASE] = GPURUN_FORKED, [LIFE] = GPURUN_FORKED,
};

/* ---- States ------------------------------------------------------------------- */

static void leave_uninitialised(void)
{
	want_all(uninitialised);
	functions_up();
	EXPECT(gpurun_shutdown(), GPURUN_OK);
	want_all(uninitialised);
}

static void after_the_end(void)
{
	want_all(ended);
	fflush(stdout);
	if (wrong)
		_exit(wrong);
}

static void leave_ended(void)
{
	atexit(after_the_end);
	functions_up();
}

/* The end is the end, too, where the library was down. */
static void leave_ended_down(void)
{
	atexit(after_the_end);
	functions_up();
	EXPECT(gpurun_shutdown(), GPURUN_OK);
}

static void leave_forked(void)
{
	int status = 0;
	pid_t child;

	functions_up();
	child = fork();
	if (!child) {
		want_all(forked);
		_exit(wrong);
	}
	waitpid(child, &status, 0);
	EXPECT(status, 0);
}

/* The CPU device stays in the process: LD_LIBRARY_PATH is not to blame. */
static void leave_gpu_after_cpu(void)
{
	unsetenv("GPURUN_DRIVER");
	EXPECT(gpurun_init("cpu:nosuch=1"), GPURUN_INVALID);
	EXPECT(gpurun_init("gpu"), GPURUN_NO_DEVICE);
	EXPECT(!strstr(gpurun_error_hint(), "an earlier gpurun_init() has loaded"), 0);
	EXPECT(gpurun_init("cpu"), GPURUN_OK);
	EXPECT(gpurun_shutdown(), GPURUN_OK);
	EXPECT(gpurun_init("gpu"), GPURUN_NO_DEVICE);
	EXPECT(!strstr(gpurun_error_hint(), "an earlier gpurun_init() has loaded"), 0);
}

static const struct ending endings[] = {
	{ "uninitialised", leave_uninitialised },
	{ "ended", leave_ended },
	{ "ended-down", leave_ended_down },
	{ "forked", leave_forked },
	{ "gpu-after-cpu", leave_gpu_after_cpu },
};

static void test_uninitialised(void)
{
	ends_with("uninitialised", 0);
}

static void test_ended(void)
{
	ends_with("ended", 0);
	ends_with("ended-down", 0);
}

static void test_forked(void)
{
	ends_with("forked", 0);
}

static void test_gpu_after_cpu(void)
{
	const char *build = getenv("BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/lib/gpurun/cpu/libcuda.so.1", build ? build : "");
	if (build && access(path, R_OK))
		SKIP("needs a GPU or the CPU device: this build has none");
	ends_with("gpu-after-cpu", 0);
}

/* ---- Structures --------------------------------------------------------------- */

static size_t *const sizes[] = {
	&device_info.struct_size, &kernel_info.struct_size, &memory_info.struct_size,
	&variable_info.struct_size, &finding.struct_size, &usage.struct_size,
};

enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static bool fills_struct(const struct function *function)
{
	return strstr(function->text, "_info)") || strstr(function->text, "&finding)") ||
	       strstr(function->text, "&usage)");
}

/* The caller says how large a structure is: the error for 0 names the field. */
static void test_struct_size(void)
{
	uint64_t now[KINDS];
	int found = 0;

	functions_up();
	functions_ids(now);
	for (int i = 0; i < SIZES; i++)
		*sizes[i] = 0;
	for (int i = 0; i < FUNCTIONS; i++) {
		if (!fills_struct(&functions[i]))
			continue;
		found++;
		want(&functions[i], now[functions[i].handle], GPURUN_INVALID);
		CHECK_HAS(gpurun_error_text(), "struct_size is 0: set it to");
	}
	CHECK_INT(found, SIZES + 2); /* reports of three events */
	CHECK_INT(wrong, 0);
	device_info.struct_size = sizeof(device_info);
	kernel_info.struct_size = sizeof(kernel_info);
	memory_info.struct_size = sizeof(memory_info);
	variable_info.struct_size = sizeof(variable_info);
	finding.struct_size = sizeof(finding);
	usage.struct_size = sizeof(usage);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* ---- Handles ------------------------------------------------------------------ */

/* Another object's number with a generation, a kind or a slot that is not its own. */
static void want_mutants(const struct function *function, uint64_t id)
{
	for (int bit = 0; bit < 64; bit++)
		want(function, id ^ (uint64_t)1 << bit, GPURUN_HANDLE);
}

static void want_handle(const struct function *function, const uint64_t now[KINDS],
			const uint64_t stale[KINDS])
{
	unsigned kind = function->handle & ~(unsigned)OR_ZERO;

	if (!(function->handle & OR_ZERO))
		want(function, 0, GPURUN_HANDLE);
	want(function, 1, GPURUN_HANDLE);
	want(function, UINT64_MAX, GPURUN_HANDLE);
	for (unsigned i = DEVICE; i < KINDS; i++) {
		want(function, stale[i], GPURUN_HANDLE);
		if (i != kind)
			want(function, now[i], GPURUN_HANDLE);
	}
	want_mutants(function, now[kind]);
}

/* None of them touches anything: what is live stays so. */
static void test_handles(void)
{
	uint64_t now[KINDS], stale[KINDS];

	functions_up();
	functions_ids(stale);
	REQUIRE(!gpurun_shutdown());
	functions_up();
	functions_ids(now);
	for (int i = 0; i < FUNCTIONS; i++)
		if (functions[i].handle != NONE)
			want_handle(&functions[i], now, stale);
	CHECK_INT(wrong, 0);
	CHECK_INT(launch1(live.kernel, live.stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(live.stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(live.address), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(live.event), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(live.module), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

int main(int argc, char **argv)
{
	if (ENDING_LEAVE(argc, argv, endings))
		return wrong;
	RUN(test_uninitialised);
	RUN(test_ended);
	RUN(test_forked);
	RUN(test_gpu_after_cpu);
	RUN(test_struct_size);
	RUN(test_handles);
	return tap_end();
}
