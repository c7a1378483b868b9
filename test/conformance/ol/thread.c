/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many threads at once: at errors, at the first and the last call, on one queue, with
 * programs, queues, events and memory of their own. */
#include <pthread.h>
#include <stdatomic.h>

#include "ol.h"
#include "sanitized.h"

enum { THREADS = 8, MANY = 20, ROUNDS = 40 };

/* ---- Threads ---------------------------------------------------------------------- */

static pthread_barrier_t start;
static atomic_int wrong;  /* what threads found wrong */
static atomic_bool stop;  /* for those that go on until then */

static void expect(bool good, ol_result_t result, int line)
{
	/* A few are enough to see why. */
	if (!good && atomic_fetch_add(&wrong, 1) < 5)
		printf("# %s:%d: %s \"%s\"\n", __FILE__, line, code_name(code_of(result)),
		       text_of(result));
}
#define EXPECT_OK(call)                                                                    \
	do {                                                                               \
		ol_result_t result_ = (call);                                              \
		expect(!result_, result_, __LINE__);                                       \
	} while (0)

struct thread {
	pthread_t id;
	void (*body)(int number);
	int number;
};

static void *begin(void *data)
{
	const struct thread *thread = data;

	pthread_barrier_wait(&start);
	thread->body(thread->number);
	return NULL;
}

/* Runs @body in @count threads, with their numbers from 0 on. */
static void run_threads(int count, void (*body)(int number))
{
	struct thread threads[MANY];

	atomic_store(&wrong, 0);
	pthread_barrier_init(&start, NULL, (unsigned)count);
	for (int i = 0; i < count; i++) {
		threads[i] = (struct thread){ .body = body, .number = i };
		if (pthread_create(&threads[i].id, NULL, begin, &threads[i]))
			exit(1);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i].id, NULL);
	pthread_barrier_destroy(&start);
	CHECK_INT(wrong, 0);
}

/* ---- Errors ------------------------------------------------------------------------- */

enum { OWN = 2000 }; /* failures that each thread makes alone */

static ol_result_t own_results[THREADS][OWN];

/* A failure whose text has @number in it. */
static ol_result_t fail(int number)
{
	char text[64];

	return olGetPlatformInfo(cuda, (ol_platform_info_t)number, sizeof(text), text);
}

static void make_errors(int number)
{
	for (int i = 0; i < OWN; i++)
		own_results[number][i] = fail(100000 + number * OWN + i);
}

static void errors(void)
{
	char want[16];

	REQUIRE_OK(ol_init());
	look_up();
	run_threads(THREADS, make_errors);
	for (int i = 0; i < THREADS; i++)
		for (int j = 0; j < OWN; j++) {
			snprintf(want, sizeof(want), "'%d'", 100000 + i * OWN + j);
			CHECK_TELLS(own_results[i][j], INVALID_ENUMERATION, want);
		}
	CHECK_OK(olShutDown());
}

/* From the first failure of a process on, where what goes wrong goes wrong. */
static void test_errors(void)
{
	for (int i = 0; i < 10 && !tap.failed; i++)
		CHECK_PLAY("errors", NULL, NULL);
}

/* Equal failures are one. */
static void make_the_same(int number)
{
	for (int i = 0; i < OWN; i++)
		own_results[number][i] = fail(5000 + i);
}

static void same_errors(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	run_threads(THREADS, make_the_same);
	for (int i = 1; i < THREADS; i++)
		for (int j = 0; j < OWN; j++)
			CHECK(own_results[i][j] == own_results[0][j]);
	CHECK_OK(olShutDown());
}

static void test_same_errors(void)
{
	for (int i = 0; i < 10 && !tap.failed; i++)
		CHECK_PLAY("same_errors", NULL, NULL);
}

/* ---- Up and down ---------------------------------------------------------------------- */

static atomic_int downs;

static void shut_down(int number)
{
	ol_result_t result = olShutDown();

	(void)number;
	if (!result)
		atomic_fetch_add(&downs, 1);
	else
		expect(result->Code == OL_ERRC_UNINITIALIZED, result, __LINE__);
}

/* Of threads that all shut down what was initialised once, one does. A thread takes a sanitizer
 * a millisecond. */
static void test_one_shuts_down(void)
{
	for (int i = 0; i < (SANITIZED ? 5 : 75) * ROUNDS && !tap.failed; i++) {
		atomic_store(&downs, 0);
		REQUIRE_OK(ol_init());
		run_threads(THREADS, shut_down);
		CHECK_INT(downs, 1);
	}
}

static bool find_gpu(ol_device_handle_t device, void *data)
{
	ol_device_type_t type = OL_DEVICE_TYPE_HOST;
	ol_result_t result = olGetDeviceInfo(device, OL_DEVICE_INFO_TYPE, sizeof(type), &type);

	if (!result && type == OL_DEVICE_TYPE_GPU)
		*(ol_device_handle_t *)data = device;
	return true;
}

/* Uses the library between its own olInit() and olShutDown(): all of it succeeds,
 * whatever the others do. */
static void cycle_with_use(int number)
{
	ol_device_handle_t device;
	ol_queue_handle_t queue;

	(void)number;
	for (int i = 0; i < ROUNDS; i++) {
		device = NULL;
		queue = NULL;
		EXPECT_OK(ol_init());
		EXPECT_OK(olIterateDevices(find_gpu, &device));
		EXPECT_OK(olCreateQueue(device, &queue));
		EXPECT_OK(olSyncQueue(queue));
		EXPECT_OK(olDestroyQueue(queue));
		EXPECT_OK(olShutDown());
	}
}

static void test_cycles(void)
{
	run_threads(THREADS, cycle_with_use);
}

/* Looks whether the answer is one that a user may get who has not initialised. */
static void expect_refusal(ol_result_t result, ol_errc_t stale, int line)
{
	expect(!result || result->Code == OL_ERRC_UNINITIALIZED || result->Code == stale,
	       result, line);
}

/* One with handles of any age. */
static void use_uninitialised(void)
{
	ol_device_handle_t device = NULL;
	ol_queue_handle_t queue = NULL;
	void *memory = NULL;

	expect_refusal(olIterateDevices(find_gpu, &device), OL_ERRC_SUCCESS, __LINE__);
	if (!device)
		return;
	expect_refusal(olCreateQueue(device, &queue), OL_ERRC_INVALID_DEVICE, __LINE__);
	expect_refusal(olMemAlloc(device, OL_ALLOC_TYPE_DEVICE, 64, &memory),
		       OL_ERRC_INVALID_DEVICE, __LINE__);
	if (queue)
		expect_refusal(olDestroyQueue(queue), OL_ERRC_INVALID_QUEUE, __LINE__);
	if (memory)
		expect_refusal(olMemFree(memory), OL_ERRC_INVALID_ARGUMENT, __LINE__);
}

/* The first come and go, the others take what they get. */
static void cycle_or_use(int number)
{
	if (number < THREADS / 2)
		cycle_with_use(number);
	else
		for (int i = 0; i < 5 * ROUNDS; i++)
			use_uninitialised();
}

static void test_use_during_cycles(void)
{
	run_threads(THREADS, cycle_or_use);
}

/* ---- Work ------------------------------------------------------------------------------ */

static ol_queue_handle_t queue;
static ol_symbol_handle_t kernel;
static struct {
	void *words;
	uint32_t count;
} arguments; /* of kernel add() */

static void launch_rounds(int number)
{
	(void)number;
	for (int i = 0; i < ROUNDS; i++)
		EXPECT_OK(launch1(queue, kernel, &arguments, 12));
}

/* Launches on one queue run one after another, on whichever thread. */
static void test_one_queue(void)
{
	ol_program_handle_t program = load();
	uint32_t word = 0;

	queue = new_queue();
	kernel = kernel_of(program, "add");
	arguments.words = alloc(OL_ALLOC_TYPE_DEVICE, 4);
	arguments.count = 1;
	CHECK_OK(olMemcpy(NULL, arguments.words, gpu, &word, host, 4));
	run_threads(MANY, launch_rounds);
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemcpy(NULL, &word, host, arguments.words, gpu, 4));
	CHECK_INT(word, executes() ? MANY * ROUNDS : 0);
	CHECK_OK(olMemFree(arguments.words));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyProgram(program));
}

static struct image image;

/* A program, its kernel and its variable. */
static void one_program(int number)
{
	ol_program_handle_t program = NULL;
	ol_symbol_handle_t bump = NULL, counter = NULL;
	size_t size = 0;

	(void)number;
	EXPECT_OK(olCreateProgram(gpu, image.data, image.size, &program));
	EXPECT_OK(olGetSymbol(program, "bump", OL_SYMBOL_KIND_KERNEL, &bump));
	EXPECT_OK(olGetSymbol(program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &counter));
	EXPECT_OK(olGetSymbolInfo(counter, OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE, sizeof(size),
				  &size));
	expect(!executes() || size == 4, NULL, __LINE__);
	EXPECT_OK(olDestroyProgram(program));
}

static void program_rounds(int number)
{
	for (int i = 0; i < ROUNDS / 4; i++)
		one_program(number);
}

static void test_programs(void)
{
	image = image_of("offload");
	run_threads(THREADS, program_rounds);
	free(image.data);
}

static void *shared_program;

/* Every thread asks for the same symbols: they are the same. */
static ol_symbol_handle_t found[THREADS];

static void find_symbol(int number)
{
	EXPECT_OK(olGetSymbol(shared_program, "bump", OL_SYMBOL_KIND_KERNEL, &found[number]));
}

static void test_symbols(void)
{
	shared_program = load();
	run_threads(THREADS, find_symbol);
	for (int i = 1; i < THREADS; i++)
		CHECK(found[i] && found[i] == found[0]);
	CHECK_OK(olDestroyProgram(shared_program));
}

/* Each its own queue, event and memory: a word goes to the device and comes back. */
static void one_transfer(uint32_t word)
{
	ol_queue_handle_t mine = NULL;
	ol_event_handle_t event = NULL;
	void *memory = NULL;
	uint32_t back = 0;

	EXPECT_OK(olCreateQueue(gpu, &mine));
	EXPECT_OK(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE, sizeof(word), &memory));
	EXPECT_OK(olMemcpy(mine, memory, gpu, &word, host, sizeof(word)));
	EXPECT_OK(olMemcpy(mine, &back, host, memory, gpu, sizeof(word)));
	EXPECT_OK(ol_create_event(mine, &event));
	EXPECT_OK(olDestroyQueue(mine));
	EXPECT_OK(olSyncEvent(event));
	expect(back == word, NULL, __LINE__);
	EXPECT_OK(olDestroyEvent(event));
	EXPECT_OK(olMemFree(memory));
}

static void transfer_rounds(int number)
{
	for (int i = 0; i < ROUNDS; i++)
		one_transfer((uint32_t)(number * ROUNDS + i + 1));
}

static void test_transfers(void)
{
	run_threads(THREADS, transfer_rounds);
}

/* ---- Children ---------------------------------------------------------------------------- */

enum { FORKS = SANITIZED ? 0 : 50 };

/* Is in the library nearly all the time, mostly in what acquires a lock. */
static void keep_busy(int number)
{
	static char mine[2][4096];
	void *pinned;

	for (int i = 0; !atomic_load(&stop); i++) {
		EXPECT_OK(ol_init());
		fail(i % 1000 + number);
		EXPECT_OK(ol_register(gpu, mine[number - 1], 4096, 0, &pinned));
		EXPECT_OK(ol_unregister(gpu, mine[number - 1]));
		EXPECT_OK(olShutDown());
	}
}

/* A child of any moment gets its answers; an endless wait is ended by the alarm. */
static void ask_in_child(void)
{
	alarm(20);
	ol_init();
	while (code_of(olShutDown()) != OL_ERRC_UNINITIALIZED)
		continue;
	_exit(olCreateQueue(gpu, &queue) == OL_SUCCESS || ol_init() == OL_SUCCESS);
}

static void fork_children(int number)
{
	if (number)
		return keep_busy(number);
	for (int i = 0; i < FORKS; i++) {
		int status = 0;
		pid_t child = fork();

		if (!child)
			ask_in_child();
		waitpid(child, &status, 0);
		expect(!status, NULL, __LINE__);
	}
	atomic_store(&stop, true);
}

/* The process had its driver before: its children are refused one. */
static void forking(void)
{
	CHECK_OK(ol_init());
	look_up();
	run_threads(3, fork_children);
	CHECK_OK(olShutDown());
}

static void test_forking(void)
{
	CHECK_PLAY("forking", NULL, NULL);
}

static const struct ol_case cases[] = {
	OL_BARE(test_errors),
	OL_SCENE(errors),
	OL_BARE(test_same_errors),
	OL_SCENE(same_errors),
	OL_BARE(test_one_shuts_down),
	OL_BARE(test_cycles),
	OL_BARE(test_use_during_cycles),
	OL_CASE(test_one_queue),
	OL_CASE(test_programs),
	OL_CASE(test_symbols),
	OL_CASE(test_transfers),
	OL_BARE(test_forking),
	OL_SCENE(forking),
};
OL_MAIN(cases)
