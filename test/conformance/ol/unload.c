/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of programs: by whom, when, and what of the others. */
#include <pthread.h>
#include <stdatomic.h>

#include "ol.h"

/* Runs a kernel of one thread that writes a word, on @queue, and reads the word. */
static uint32_t word_of(ol_queue_handle_t queue, ol_symbol_handle_t kernel)
{
	void *out = alloc(OL_ALLOC_TYPE_DEVICE, 4);
	uint32_t value = 0;

	CHECK_OK(launch1(queue, kernel, &out, sizeof(out)));
	CHECK_OK(olMemcpy(queue, &value, host, out, gpu, 4));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemFree(out));
	return value;
}

/* Kernels of @program run. */
static void check_works(ol_program_handle_t program)
{
	ol_queue_handle_t queue = new_queue();
	uint32_t value = word_of(queue, kernel_of(program, "bump"));

	if (executes())
		CHECK(value > 40);
	CHECK_OK(olDestroyQueue(queue));
}

/* ---- Handles ------------------------------------------------------------------------ */

static void test_twice(void)
{
	ol_program_handle_t program = load();

	CHECK_OK(olDestroyProgram(program));
	CHECK_CODE(olDestroyProgram(program), INVALID_ARGUMENT);
	CHECK_CODE(olDestroyProgram(program), INVALID_ARGUMENT);
}

static void test_wrong_handle(void)
{
	ol_program_handle_t program = load();
	ol_queue_handle_t queue = new_queue();
	void *const wrong[] = { queue, gpu, host, cuda, kernel_of(program, "add"), &program,
				(void *)(uintptr_t)-1 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_CODE(olDestroyProgram(wrong[i]), INVALID_ARGUMENT);
	check_works(program);
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyProgram(program));
}

/* A program of before the last shutdown is gone, and is not the one in its place. */
static void test_stale(void)
{
	ol_program_handle_t gone, program;

	REQUIRE_OK(ol_init());
	look_up();
	gone = load();
	CHECK_OK(olShutDown());
	REQUIRE_OK(ol_init());
	look_up();
	program = load();
	CHECK(program != gone);
	CHECK_CODE(olDestroyProgram(gone), INVALID_ARGUMENT);
	check_works(program);
	CHECK_OK(olShutDown());
}

/* ---- Others ------------------------------------------------------------------------- */

/* Whichever of several goes, the others stay. */
static void test_one_by_one(void)
{
	static const int order[] = { 2, 0, 3, 1 };
	ol_program_handle_t programs[4];

	for (int i = 0; i < 4; i++)
		programs[i] = load();
	for (int i = 0; i < 4; i++) {
		CHECK_OK(olDestroyProgram(programs[order[i]]));
		for (int j = i + 1; j < 4; j++)
			check_works(programs[order[j]]);
	}
}

static void release(_Atomic uint32_t *flag)
{
	usleep(200 * 1000);
	atomic_store(flag, 1);
}

static void *release_later(void *flag)
{
	release(flag);
	return NULL;
}

/*
 * A program goes while another one's kernel runs, which is not affected. The driver may
 * wait for that kernel.
 */
static void test_beside(void)
{
	ol_program_handle_t running = load(), other = load();
	ol_queue_handle_t queue = new_queue();
	void *flag = alloc(OL_ALLOC_TYPE_HOST, 4);
	pthread_t thread;

	atomic_store((_Atomic uint32_t *)flag, 0);
	check_works(other);
	CHECK_OK(launch1(queue, kernel_of(running, "wait"), &flag, sizeof(flag)));
	REQUIRE(!pthread_create(&thread, NULL, release_later, flag));
	CHECK_OK(olDestroyProgram(other));
	pthread_join(thread, NULL);
	CHECK_OK(olSyncQueue(queue));
	check_works(running);
	CHECK_OK(olDestroyProgram(running));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olMemFree(flag));
}

/* Kernels that were launched come to their end before their program does. */
static void test_own_kernels(void)
{
	ol_program_handle_t program = load();
	ol_queue_handle_t queues[2] = { new_queue(), new_queue() };
	void *outs[2];
	uint32_t value = 0;

	for (int i = 0; i < 2; i++) {
		outs[i] = alloc(OL_ALLOC_TYPE_DEVICE, 4);
		CHECK_OK(launch1(queues[i], kernel_of(program, "slow"), &outs[i],
				 sizeof(outs[i])));
	}
	CHECK_OK(olDestroyProgram(program));
	for (int i = 0; i < 2; i++) {
		CHECK_OK(olMemcpy(NULL, &value, host, outs[i], gpu, 4));
		if (executes())
			CHECK_INT(value, 84);
		CHECK_OK(olDestroyQueue(queues[i]));
		CHECK_OK(olMemFree(outs[i]));
	}
}

/* The queue that a kernel ran on may be gone before its program. */
static void test_after_queue(void)
{
	ol_program_handle_t program = load();
	ol_queue_handle_t queue = new_queue();
	void *out = alloc(OL_ALLOC_TYPE_DEVICE, 4);
	uint32_t value = 0;

	CHECK_OK(launch1(queue, kernel_of(program, "slow"), &out, sizeof(out)));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyProgram(program));
	CHECK_OK(olMemcpy(NULL, &value, host, out, gpu, 4));
	if (executes())
		CHECK_INT(value, 84);
	CHECK_OK(olMemFree(out));
}

/* The same bytes again are a program as new. */
static void test_again(void)
{
	for (int i = 0; i < 3; i++) {
		ol_program_handle_t program = load();
		ol_queue_handle_t queue = new_queue();

		for (uint32_t count = 41; count < 43; count++) {
			uint32_t value = word_of(queue, kernel_of(program, "bump"));

			if (executes())
				CHECK_INT(value, count);
		}
		CHECK_OK(olDestroyQueue(queue));
		CHECK_OK(olDestroyProgram(program));
	}
}

/* ---- Left to the shutdown ------------------------------------------------------------ */

static void test_left(void)
{
	for (int i = 0; i < 3; i++) {
		REQUIRE_OK(ol_init());
		look_up();
		for (int j = 0; j < 5; j++)
			check_works(load());
		CHECK_OK(olShutDown());
	}
}

/* With work in flight, which is waited for. */
static void test_left_busy(void)
{
	ol_queue_handle_t queue;
	void *out;

	for (int i = 0; i < 2; i++) {
		REQUIRE_OK(ol_init());
		look_up();
		queue = new_queue();
		out = alloc(OL_ALLOC_TYPE_DEVICE, 4);
		CHECK_OK(launch1(queue, kernel_of(load(), "slow"), &out, sizeof(out)));
		CHECK_OK(olShutDown());
	}
}

/* ---- Threads ---------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 12 };

struct task {
	ol_program_handle_t program;
	ol_result_t result;
};

static void *destroy(void *data)
{
	struct task *task = data;

	task->result = olDestroyProgram(task->program);
	return NULL;
}

static void *create(void *data)
{
	struct task *task = data;
	struct image image = image_of("offload");

	task->result = olCreateProgram(gpu, image.data, image.size, &task->program);
	free(image.data);
	return NULL;
}

static void on_thread(void *(*body)(void *data), struct task *task)
{
	pthread_t thread;

	REQUIRE(!pthread_create(&thread, NULL, body, task));
	pthread_join(thread, NULL);
	CHECK_OK(task->result);
}

/* Threads that have done nothing before create and destroy as any other. */
static void test_fresh_threads(void)
{
	struct task task = { NULL, OL_SUCCESS };

	on_thread(create, &task);
	check_works(task.program);
	on_thread(destroy, &task);
	task.program = load();
	on_thread(destroy, &task);
	on_thread(create, &task);
	CHECK_OK(olDestroyProgram(task.program));
}

/* Of several threads that destroy a program, one does. */
static void test_one_destroys(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct task tasks[THREADS];
		pthread_t threads[THREADS];
		ol_program_handle_t program = load();
		int done = 0;

		for (int i = 0; i < THREADS; i++) {
			tasks[i].program = program;
			REQUIRE(!pthread_create(&threads[i], NULL, destroy, &tasks[i]));
		}
		for (int i = 0; i < THREADS; i++) {
			pthread_join(threads[i], NULL);
			done += !tasks[i].result;
			if (tasks[i].result)
				CHECK_CODE(tasks[i].result, INVALID_ARGUMENT);
		}
		CHECK_INT(done, 1);
	}
}

static atomic_int failures;

/* No CHECK: those are one thread's. */
static void want_ok(ol_result_t result)
{
	if (!result)
		return;
	atomic_fetch_add(&failures, 1);
	printf("# %s: %s\n", code_name(result->Code), text_of(result));
}

/* Creates, runs and destroys programs of two kinds. */
static void *come_and_go(void *data)
{
	const struct image *images = data;
	const ol_kernel_launch_size_args_t one = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 0 };

	for (int round = 0; round < ROUNDS; round++) {
		const struct image *image = &images[round % 2];
		ol_program_handle_t program = NULL;
		ol_symbol_handle_t kernel = NULL;
		ol_queue_handle_t queue = NULL;

		want_ok(olCreateProgram(gpu, image->data, image->size, &program));
		want_ok(olGetSymbol(program, "nothing", OL_SYMBOL_KIND_KERNEL, &kernel));
		want_ok(olCreateQueue(gpu, &queue));
		want_ok(ol_launch(queue, gpu, kernel, NULL, 0, &one));
		want_ok(olDestroyProgram(program));
		want_ok(olDestroyQueue(queue));
	}
	return NULL;
}

static void test_threads(void)
{
	static char plain[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
			      ".visible .entry nothing() { ret; }\n";
	struct image images[2] = { image_of("offload"), { plain, sizeof(plain) } };
	pthread_t threads[THREADS];

	atomic_store(&failures, 0);
	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, come_and_go, images));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(failures, 0);
	free(images[0].data);
}

/* ---- After a fault ------------------------------------------------------------------------ */

/* The device is lost to the process, but not the order of things. */
static void scene_trap(void)
{
	ol_program_handle_t program, other;
	ol_queue_handle_t queue;

	REQUIRE_OK(ol_init());
	look_up();
	program = load();
	other = load();
	queue = new_queue();
	CHECK_OK(launch1(queue, kernel_of(program, "trap"), NULL, 0));
	CHECK_CODE(olSyncQueue(queue), UNKNOWN);
	/* What was told is not told again, and the handle is gone. */
	CHECK_OK(olDestroyProgram(program));
	CHECK_CODE(olDestroyProgram(program), INVALID_ARGUMENT);
	CHECK_OK(olDestroyProgram(other));
	CHECK_OK(olShutDown());
}

/* A fault that no call has reported is reported by the destruction that meets it. */
static void scene_untold_trap(void)
{
	ol_program_handle_t program;
	ol_queue_handle_t queue;

	REQUIRE_OK(ol_init());
	look_up();
	program = load();
	queue = new_queue();
	CHECK_OK(launch1(queue, kernel_of(program, "trap"), NULL, 0));
	CHECK_CODE(olDestroyProgram(program), UNKNOWN);
	CHECK_CODE(olDestroyProgram(program), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

static void test_trap(void)
{
	CHECK_OK(ol_init());
	look_up();
	CHECK_OK(olShutDown());
	if (!executes())
		SKIP("needs a GPU or the CPU device: the stub's kernels do not trap");
	CHECK_PLAY("scene_trap", NULL, NULL);
	CHECK_PLAY("scene_untold_trap", NULL, NULL);
}

static const struct ol_case cases[] = {
	OL_CASE(test_twice),
	OL_CASE(test_wrong_handle),
	OL_BARE(test_stale),
	OL_CASE(test_one_by_one),
	OL_CASE(test_beside),
	OL_CASE(test_own_kernels),
	OL_CASE(test_after_queue),
	OL_CASE(test_again),
	OL_BARE(test_left),
	OL_BARE(test_left_busy),
	OL_CASE(test_fresh_threads),
	OL_CASE(test_one_destroys),
	OL_CASE(test_threads),
	OL_BARE(test_trap),
	OL_SCENE(scene_trap),
	OL_SCENE(scene_untold_trap),
};
OL_MAIN(cases)
