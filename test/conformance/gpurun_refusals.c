/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every function of gpurun.h answers where the library cannot be used: before
 * it is initialised, after a shutdown, after the end, in a forked child; and with
 * every kind of wrong handle. functions.def is the list.
 */
#include "ending.h"

enum class { ANSWERS, CALL, RELEASE, LIFE };

enum handle { NONE, DEVICE, MODULE, KERNEL, STREAM, EVENT, KINDS, OR_ZERO = 16 };
enum { DEVICE_OR_ZERO = DEVICE | OR_ZERO, STREAM_OR_ZERO = STREAM | OR_ZERO };

/* What works, while the library is up. */
static struct {
	struct gpurun_module module;
	struct gpurun_kernel kernel;
	struct gpurun_stream stream;
	struct gpurun_event event;
	uint64_t address;
	void *native_module, *native_kernel, *native_stream, *native_event;
} live;

/* Where the calls write. */
static union {
	uint8_t bytes[8];
	int number;
	uint64_t size;
	void *native;
	struct gpurun_device device;
	struct gpurun_module module;
	struct gpurun_kernel kernel;
	struct gpurun_stream stream;
	struct gpurun_event event;
} out;

static struct gpurun_kernel_info kernel_info = { .struct_size = sizeof(kernel_info) };

static void report(int status, void *data)
{
	(void)status;
	(void)data;
}

static void host_function(void *data)
{
	(void)data;
}

static int encode(void)
{
	static struct {
		uint8_t bytes[128];
	} map __attribute__((aligned(64)));
	const uint64_t dims[] = { 4 };
	const uint32_t box[] = { 4 };

	return gpurun_tensor_map_encode(&map, 0, 1, live.address, dims, dims, box, box, 0, 0, 0,
					0);
}

#define PASTE(a, b)  PASTE_(a, b)
#define PASTE_(a, b) a##b
#define AS(kind)     ((struct gpurun_##kind){ id })

#define FUNCTION(name, class, handle, call)                                                \
	static int PASTE(call_, __LINE__)(uint64_t id)                                     \
	{                                                                                  \
		(void)id;                                                                  \
		return (int)(call);                                                        \
	}
#include "functions.def"

static const struct function {
	const char *name, *text;
	enum class class;
	unsigned handle;
	int (*call)(uint64_t id);
} functions[] = {
#define FUNCTION(name, class, handle, call)                                                \
	{ #name, #call, class, handle, PASTE(call_, __LINE__) },
#include "functions.def"
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

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

/* Comes up with everything that a call could want. */
static void come_up(void)
{
	ending_up();
	live.module = load();
	live.kernel = kernel_of(live.module, "nothing");
	live.stream = new_stream();
	EXPECT(gpurun_event_create(device, GPURUN_EVENT_TIMING, &live.event), GPURUN_OK);
	EXPECT(gpurun_event_record(live.event, live.stream), GPURUN_OK);
	EXPECT(gpurun_event_synchronize(live.event), GPURUN_OK);
	live.address = alloc(64);
	EXPECT(gpurun_module_native(live.module, &live.native_module), GPURUN_OK);
	EXPECT(gpurun_kernel_native(live.kernel, &live.native_kernel), GPURUN_OK);
	EXPECT(gpurun_stream_native(live.stream, &live.native_stream), GPURUN_OK);
	EXPECT(gpurun_event_native(live.event, &live.native_event), GPURUN_OK);
}

/* ---- States ------------------------------------------------------------------- */

static void leave_uninitialised(void)
{
	want_all(uninitialised);
	come_up();
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
	come_up();
}

/* The end is the end, too, where the library was down. */
static void leave_ended_down(void)
{
	atexit(after_the_end);
	come_up();
	EXPECT(gpurun_shutdown(), GPURUN_OK);
}

static void leave_forked(void)
{
	int status = 0;
	pid_t child;

	come_up();
	child = fork();
	if (!child) {
		want_all(forked);
		_exit(wrong);
	}
	waitpid(child, &status, 0);
	EXPECT(status, 0);
}

static const struct ending endings[] = {
	{ "uninitialised", leave_uninitialised },
	{ "ended", leave_ended },
	{ "ended-down", leave_ended_down },
	{ "forked", leave_forked },
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

/* ---- Handles ------------------------------------------------------------------ */

static void ids(uint64_t of[KINDS])
{
	of[NONE] = 0;
	of[DEVICE] = device.id;
	of[MODULE] = live.module.id;
	of[KERNEL] = live.kernel.id;
	of[STREAM] = live.stream.id;
	of[EVENT] = live.event.id;
}

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

	come_up();
	ids(stale);
	REQUIRE(!gpurun_shutdown());
	come_up();
	ids(now);
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
	RUN(test_handles);
	return tap_end();
}
