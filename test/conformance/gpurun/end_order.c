/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Who comes before and after the exit hook. The library comes up in main or in a
 * constructor; handlers of atexit(), on_exit() and __cxa_atexit() (a static object
 * of C++) stand on both sides of its hook, destructors behind it, whatever their
 * priority. Each releases what is its own, as compiled programs do.
 */
#include "ending.h"

int __cxa_atexit(void (*destroy)(void *object), void *object, void *library);
extern void *__dso_handle;

enum place {
	ATEXIT_AFTER, /* registered after the library came up: it runs while all is well */
	ON_EXIT_AFTER,
	STATIC_AFTER,
	LAST_ALIVE = STATIC_AFTER,
	ATEXIT_BEFORE, /* from here on the driver is gone */
	ON_EXIT_BEFORE,
	STATIC_BEFORE,
	DESTRUCTOR,
	DESTRUCTOR_200,
	DESTRUCTOR_123,
	DESTRUCTOR_110,
	PLACES,
};

static struct {
	struct gpurun_module module;
	struct gpurun_kernel kernel;
	struct gpurun_stream stream;
	struct gpurun_event event;
	uint64_t address;
} owned[PLACES];
static bool is_up, visited[PLACES];

static void expect_alive(enum place place)
{
	EXPECT(launch1(owned[place].kernel, owned[place].stream, NULL), GPURUN_OK);
	EXPECT(gpurun_event_record(owned[place].event, owned[place].stream), GPURUN_OK);
	EXPECT(gpurun_event_synchronize(owned[place].event), GPURUN_OK);
}

static void expect_ended(enum place place)
{
	struct gpurun_module other;

	EXPECT(launch1(owned[place].kernel, owned[place].stream, NULL), GPURUN_ENDED);
	EXPECT(gpurun_event_synchronize(owned[place].event), GPURUN_ENDED);
	EXPECT(gpurun_module_load(device, kernels_ptx, 0, &other), GPURUN_ENDED);
	EXPECT(gpurun_init(NULL), GPURUN_ENDED);
}

/* What every handler and destructor does. */
static void come_by(enum place place)
{
	if (!is_up)
		return;
	visited[place] = true;
	if (place <= LAST_ALIVE)
		expect_alive(place);
	else
		expect_ended(place);
	EXPECT(gpurun_event_destroy(owned[place].event), GPURUN_OK);
	EXPECT(gpurun_stream_destroy(owned[place].stream), GPURUN_OK);
	EXPECT(gpurun_memory_free(owned[place].address), GPURUN_OK);
	EXPECT(gpurun_module_unload(owned[place].module), GPURUN_OK);
	if (gpurun_error_text()[0])
		wrong++;
}

static void atexit_after(void)
{
	come_by(ATEXIT_AFTER);
}

static void atexit_before(void)
{
	come_by(ATEXIT_BEFORE);
}

static void on_exit_place(int status, void *data)
{
	(void)status;
	come_by(*(enum place *)data);
}

static void destroy_static(void *data)
{
	come_by(*(enum place *)data);
}

__attribute__((destructor)) static void destructor(void)
{
	come_by(DESTRUCTOR);
}

__attribute__((destructor(200))) static void destructor_200(void)
{
	come_by(DESTRUCTOR_200);
}

__attribute__((destructor(123))) static void destructor_123(void)
{
	come_by(DESTRUCTOR_123);
}

__attribute__((destructor(110))) static void destructor_110(void)
{
	come_by(DESTRUCTOR_110);
}

/* The last of all: says how it was. */
__attribute__((destructor(101))) static void verdict(void)
{
	if (!is_up)
		return;
	for (int place = 0; place < PLACES; place++)
		EXPECT(visited[place], true);
	EXPECT(gpurun_shutdown(), GPURUN_OK);
	fflush(stdout);
	_exit(wrong);
}

static void make_all(void)
{
	for (int place = 0; place < PLACES; place++) {
		owned[place].module = load();
		owned[place].kernel = kernel_of(owned[place].module, "nothing");
		owned[place].stream = new_stream();
		EXPECT(gpurun_event_create(device, 0, &owned[place].event), GPURUN_OK);
		owned[place].address = alloc(64);
	}
}

static void come_up(void)
{
	static enum place places[] = { ON_EXIT_BEFORE, STATIC_BEFORE, ON_EXIT_AFTER,
				       STATIC_AFTER };

	atexit(atexit_before);
	on_exit(on_exit_place, &places[0]);
	__cxa_atexit(destroy_static, &places[1], &__dso_handle);
	ending_up();
	is_up = true;
	make_all();
	atexit(atexit_after);
	on_exit(on_exit_place, &places[2]);
	__cxa_atexit(destroy_static, &places[3], &__dso_handle);
}

/* Constructors get the arguments of main. */
__attribute__((constructor(123))) static void constructor_123(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "constructor-123"))
		come_up();
}

__attribute__((constructor)) static void constructor(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "constructor"))
		come_up();
}

static void leave_as_is(void)
{
	expect_alive(DESTRUCTOR);
}

/* Once more after a shutdown: the hook is where it was. */
static void leave_again(void)
{
	come_up();
	EXPECT(gpurun_shutdown(), GPURUN_OK);
	ending_up();
	make_all();
}

static const struct ending endings[] = {
	{ "main", come_up },
	{ "again", leave_again },
	{ "constructor-123", leave_as_is },
	{ "constructor", leave_as_is },
};

static void test_up_in_main(void)
{
	ends_with("main", 0);
	ends_with("again", 0);
}

static void test_up_in_constructor(void)
{
	ends_with("constructor-123", 0);
	ends_with("constructor", 0);
}

int main(int argc, char **argv)
{
	if (ENDING_LEAVE(argc, argv, endings))
		return wrong;
	RUN(test_up_in_main);
	RUN(test_up_in_constructor);
	return tap_end();
}
