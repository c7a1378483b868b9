/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The end of the process: where olInit() and olShutDown() may stand then, what else
 * may be called, what becomes of what is left. Each test plays a scene: this program
 * once more, which has to end with its own status and to say nothing.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "ol.h"

static ol_program_handle_t program;
static ol_queue_handle_t queue;
static ol_event_handle_t event;
static void *memory;
static ol_symbol_handle_t nothing;

/* A little of everything, with work on the queue. */
static void make_all(void)
{
	look_up();
	program = load();
	queue = new_queue();
	memory = alloc(OL_ALLOC_TYPE_DEVICE, 64);
	nothing = kernel_of(program, "nothing");
	CHECK_OK(launch1(queue, nothing, NULL, 0));
	CHECK_OK(ol_create_event(queue, &event));
}

/* By whatever the process ends: with 9 when a check has failed so far. */
static void give_verdict(void)
{
	fflush(stdout);
	if (tap.failed)
		_exit(9);
}

static void come_up(void)
{
	atexit(give_verdict);
	CHECK_OK(ol_init());
	make_all();
}

/* ---- Handlers ---------------------------------------------------------------------- */

/* The driver is gone: there is nothing left to release. */
static void release_all(void)
{
	CHECK_OK(olDestroyEvent(event));
	CHECK_OK(olMemFree(memory));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyProgram(program));
	CHECK_OK(olShutDown());
	give_verdict();
}

static void use_and_release(void)
{
	CHECK_OK(launch1(queue, nothing, NULL, 0));
	CHECK_OK(olSyncQueue(queue));
	release_all();
}

/* Registered before olInit(), the handler runs after the library's own end. */
static void handler_before(void)
{
	atexit(give_verdict);
	atexit(release_all);
	CHECK_OK(ol_init());
	make_all();
}

static void handler_after(void)
{
	come_up();
	atexit(use_and_release);
}

static void expect_refusals(void)
{
	ol_queue_handle_t other = NULL;

	CHECK_CODE(olSyncQueue(queue), BACKEND_FAILURE);
	CHECK_CODE(olCreateQueue(gpu, &other), BACKEND_FAILURE);
	CHECK_CODE(launch1(queue, nothing, NULL, 0), BACKEND_FAILURE);
	CHECK_CODE(ol_init(), BACKEND_FAILURE);
	CHECK_OK(olShutDown());
	CHECK_CODE(ol_init(), BACKEND_FAILURE);
	CHECK_CODE(olShutDown(), UNINITIALIZED);
	give_verdict();
}

/* What is no release tells that it is too late. */
static void use_after_the_end(void)
{
	atexit(expect_refusals);
	come_up();
}

static void test_handlers(void)
{
	CHECK_PLAY("handler_before", NULL, NULL);
	CHECK_PLAY("handler_after", NULL, NULL);
}

static void test_use_after_the_end(void)
{
	CHECK_PLAY("use_after_the_end", NULL, NULL);
}

/* ---- Static constructors and destructors ------------------------------------------------ */

static const char *scene = "";
static ol_result_t early, late;

static bool is_scene(const char *name)
{
	return !strcmp(scene, name);
}

static ol_result_t fail(int number)
{
	char text[64];

	return olGetPlatformInfo(cuda, (ol_platform_info_t)number, sizeof(text), text);
}

__attribute__((constructor)) static void construct(int argc, char **argv)
{
	scene = argc > 1 ? argv[1] : "";
	if (!strncmp(scene, "statics", strlen("statics")))
		CHECK_OK(ol_init());
}

/* Results of main are as they were, and new ones can be made. */
static void check_errors(void)
{
	CHECK_TELLS(early, INVALID_ENUMERATION, "'815'");
	late = fail(816);
	CHECK_TELLS(late, INVALID_ENUMERATION, "'816'");
	CHECK(fail(815) == early);
}

__attribute__((destructor)) static void destruct(void)
{
	if (is_scene("statics_with_errors"))
		check_errors();
	if (is_scene("statics_release"))
		release_all();
	else if (!strncmp(scene, "statics", strlen("statics")) || is_scene("object_before"))
		CHECK_OK(olShutDown());
	if (is_scene("statics_with_errors")) {
		CHECK_TELLS(early, INVALID_ENUMERATION, "'815'");
		CHECK_TELLS(late, INVALID_ENUMERATION, "'816'");
	}
	if (*scene)
		give_verdict();
}

static void statics(void)
{
	make_all();
}

static void statics_release(void)
{
	make_all();
}

static void statics_with_errors(void)
{
	make_all();
	early = fail(815);
}

/* Constructed before olInit(), destroyed after the driver's end. */
static void object_before(void)
{
	CHECK_OK(ol_init());
	make_all();
}

static void test_statics(void)
{
	CHECK_PLAY("statics", NULL, NULL);
	CHECK_PLAY("object_before", NULL, NULL);
}

static void test_statics_release(void)
{
	CHECK_PLAY("statics_release", NULL, NULL);
}

static void test_statics_with_errors(void)
{
	CHECK_PLAY("statics_with_errors", NULL, NULL);
}

/* ---- Ways to end -------------------------------------------------------------------------- */

static void check_ends(const char *name, int status)
{
	struct ending ending = play(name, NULL);

	if (!CHECK_INT(ending.status, status))
		printf("#   of %s\n", name);
	CHECK_STR(ending.said, "");
}

static void left_with_status(void)
{
	come_up();
	exit(7);
}

static void *exit_from_thread(void *unused)
{
	(void)unused;
	exit(7);
}

static void left_by_thread(void)
{
	pthread_t thread;

	come_up();
	pthread_create(&thread, NULL, exit_from_thread, NULL);
	for (;;)
		olSyncQueue(queue);
}

/* Threads at work are refused from some point on, and nothing worse. */
static void *keep_working(void *unused)
{
	ol_queue_handle_t mine;

	for (;;) {
		mine = NULL;
		olCreateQueue(gpu, &mine);
		launch1(mine, nothing, NULL, 0);
		olDestroyQueue(mine);
	}
	return unused;
}

static void left_with_threads(void)
{
	pthread_t thread;

	come_up();
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, keep_working, NULL);
	usleep(30 * 1000);
	exit(7);
}

static bool take_first(ol_device_handle_t device, void *first)
{
	*(ol_device_handle_t *)first = device;
	return false;
}

/* These see the last shutdown, too, once the main thread's olInit() is taken back. */
static void *come_and_go(void *unused)
{
	ol_device_handle_t device;
	ol_queue_handle_t mine;

	for (;;) {
		device = NULL;
		ol_init();
		olIterateDevices(take_first, &device);
		olCreateQueue(device, &mine);
		olShutDown();
	}
	return unused;
}

static void *go_and_come(void *unused)
{
	olShutDown();
	return come_and_go(unused);
}

static void left_with_cycles(void)
{
	pthread_t thread;

	atexit(give_verdict);
	CHECK_OK(ol_init());
	look_up();
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, i ? come_and_go : go_and_come, NULL);
	usleep(30 * 1000);
	exit(7);
}

static void call_exit(void *unused)
{
	(void)unused;
	exit(7);
}

static void left_by_host_function(void)
{
	come_up();
	CHECK_OK(olLaunchHostFunction(queue, call_exit, NULL));
	for (;;)
		pause();
}

static void test_left_behind(void)
{
	check_ends("left_with_status", 7);
	check_ends("left_by_thread", 7);
	check_ends("left_with_threads", 7);
	check_ends("left_with_cycles", 7);
}

static void test_exit_from_host_function(void)
{
	check_ends("left_by_host_function", 7);
}

/* ---- Outstanding work ------------------------------------------------------------------------ */

static uint32_t word;

static void take_long(void *unused)
{
	(void)unused;
	usleep(200 * 1000);
}

static void check_word(void)
{
	CHECK_INT(word, executes() ? 41 : 0);
	give_verdict();
}

/* Runs until its end, and what it wrote has arrived when the handlers before run. */
static void left_with_work(void)
{
	atexit(check_word);
	come_up();
	CHECK_OK(olMemcpy(queue, memory, gpu, &word, host, 4));
	CHECK_OK(olLaunchHostFunction(queue, take_long, NULL));
	CHECK_OK(launch1(queue, kernel_of(program, "bump"), &memory, sizeof(memory)));
	CHECK_OK(olMemcpy(queue, &word, host, memory, gpu, 4));
	exit(7);
}

static void test_outstanding_work(void)
{
	check_ends("left_with_work", 7);
}

/* ---- Destructors of the device --------------------------------------------------------------- */

static uint32_t page[1024] __attribute__((aligned(4096)));

static void check_page(void)
{
	CHECK_INT(page[0], executes() ? 145 : 1);
	give_verdict();
}

/* A program's that was left (test/data/images/structors.c) write to host memory, which is
 * the process's own and registered. */
static void left_with_destructors(void)
{
	ol_symbol_handle_t sink = NULL;
	void *pinned = NULL, *address = NULL;

	atexit(check_page);
	come_up();
	page[0] = 1;
	CHECK_OK(ol_register(gpu, page, sizeof(page), 0, &pinned));
	CHECK_OK(olGetSymbol(load_image("structors"), "sink", OL_SYMBOL_KIND_GLOBAL_VARIABLE,
			     &sink));
	CHECK_OK(olGetSymbolInfo(sink, OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS, sizeof(address),
				 &address));
	CHECK_OK(olMemcpy(NULL, address, gpu, &pinned, host, sizeof(pinned)));
	exit(7);
}

static void test_device_destructors(void)
{
	check_ends("left_with_destructors", 7);
}

static const struct ol_case cases[] = {
	OL_BARE(test_handlers),
	OL_BARE(test_use_after_the_end),
	OL_BARE(test_statics),
	OL_BARE(test_statics_release),
	OL_BARE(test_statics_with_errors),
	OL_BARE(test_left_behind),
	OL_BARE(test_exit_from_host_function),
	OL_BARE(test_outstanding_work),
	OL_BARE(test_device_destructors),
	OL_SCENE(handler_before),
	OL_SCENE(handler_after),
	OL_SCENE(use_after_the_end),
	OL_SCENE(statics),
	OL_SCENE(statics_release),
	OL_SCENE(statics_with_errors),
	OL_SCENE(object_before),
	OL_SCENE(left_with_status),
	OL_SCENE(left_by_thread),
	OL_SCENE(left_with_threads),
	OL_SCENE(left_with_cycles),
	OL_SCENE(left_by_host_function),
	OL_SCENE(left_with_work),
	OL_SCENE(left_with_destructors),
};
OL_MAIN(cases)
