/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A stream where an event belongs, as LLVM 22 and older lower it: waited for, kept
 * while others may come for it, said once. Without the repair the driver says no.
 */
#include <pthread.h>

#include "mgpu.h"

enum { DONE = 84 };

/* When another thread destroys a stream that is being waited for. */
static enum { NEVER, BEFORE_KEPT, AFTER_KEPT } destroyed;

struct handle {
	uint64_t id;
};

static int real(const char *name, struct handle stream)
{
	int (*function)(struct handle stream) = (int (*)(struct handle))dlsym(RTLD_NEXT, name);

	return function(stream);
}

/* Stands before the library's: the moments between its calls are reached here. */
__attribute__((visibility("default"))) int gpurun_stream_quarantine(struct handle stream);
int gpurun_stream_quarantine(struct handle stream)
{
	int status;

	if (destroyed == BEFORE_KEPT)
		real("gpurun_stream_destroy", stream);
	status = real("gpurun_stream_quarantine", stream);
	if (destroyed == AFTER_KEPT)
		real("gpurun_stream_destroy", stream);
	return status;
}

static void *memory, *module;

/* A stream whose kernel takes its time to write DONE to @memory. */
static void *busy_stream(void)
{
	void *stream = mgpuStreamCreate();
	void *params[] = { &memory };

	launch1(mgpuModuleGetFunction(module, "slow"), stream, params);
	return stream;
}

static void begin(void)
{
	void *stream = mgpuStreamCreate();

	module = load();
	memory = mgpuMemAlloc(4, stream, 0);
	mgpuMemset32(memory, 0, 1, stream);
	mgpuStreamSynchronize(stream);
	mgpuStreamDestroy(stream);
}

/* Ends the scene with 1 when the kernel was not done; the stub has no kernels. */
static void expect_done(uint32_t value)
{
	if (executes() && value != DONE)
		exit(1);
}

/* Reads what is there now, without waiting for any stream. */
static uint32_t word_now(void)
{
	void *stream = mgpuStreamCreate();
	uint32_t word = word_at(memory, stream);

	mgpuStreamDestroy(stream);
	return word;
}

/* ---- Scenes ---------------------------------------------------------------------- */

/* gpu.wait on the host. */
static void synchronize(void)
{
	uint32_t word;
	void *stream;

	begin();
	stream = busy_stream();
	mgpuEventSynchronize(stream);
	word = word_now();
	mgpuEventDestroy(stream);
	expect_done(word);
}

/* A dependency of another task. */
static void stream_wait(void)
{
	void *first, *second = NULL;

	begin();
	first = busy_stream();
	second = mgpuStreamCreate();
	mgpuStreamWaitEvent(second, first);
	mgpuEventDestroy(first);
	expect_done(word_at(memory, second));
	mgpuStreamDestroy(second);
}

/* The first thing that happens to it is its end; others wait for it even then. */
static void destroy_first(void)
{
	void *first, *second;

	begin();
	first = busy_stream();
	mgpuEventDestroy(first);
	mgpuEventDestroy(first);
	second = mgpuStreamCreate();
	mgpuStreamWaitEvent(second, first);
	mgpuEventDestroy(first);
	expect_done(word_at(memory, second));
	mgpuEventSynchronize(first);
	mgpuStreamDestroy(second);
}

/* Nothing but the exit hook ends it. */
static void never_destroyed(void)
{
	begin();
	mgpuEventSynchronize(busy_stream());
	expect_done(word_now());
}

/* Waited for long after it was destroyed for real: it was idle then. */
static void long_gone(void)
{
	void *first, *second;

	begin();
	first = busy_stream();
	mgpuEventSynchronize(first);
	mgpuEventDestroy(first);
	for (int i = 0; i < 600; i++)
		mgpuEventDestroy(mgpuStreamCreate());
	second = mgpuStreamCreate();
	mgpuStreamWaitEvent(second, first);
	mgpuEventSynchronize(first);
	mgpuEventDestroy(first);
	expect_done(word_at(memory, second));
}

/* Destroyed as the stream it is, and waited for as an event after that. */
static void destroyed_as_stream(void)
{
	void *stream;

	begin();
	stream = busy_stream();
	mgpuStreamDestroy(stream);
	mgpuEventSynchronize(stream);
	expect_done(word_now());
}

static void gone_meanwhile(void)
{
	void *second;

	begin();
	second = mgpuStreamCreate();
	destroyed = BEFORE_KEPT;
	mgpuEventSynchronize(busy_stream());
	expect_done(word_now());
	destroyed = AFTER_KEPT;
	mgpuEventSynchronize(busy_stream());
	mgpuStreamWaitEvent(second, busy_stream());
	expect_done(word_at(memory, second));
	mgpuEventDestroy(busy_stream());
}

/* It is still a stream to those who take it for one. */
static void still_a_stream(void)
{
	void *stream;

	begin();
	stream = busy_stream();
	mgpuEventDestroy(stream);
	mgpuStreamSynchronize(stream);
	expect_done(word_now());
	mgpuStreamDestroy(stream);
	mgpuEventDestroy(stream);
}

static void record(void)
{
	void *stream;

	begin();
	stream = busy_stream();
	mgpuEventRecord(stream, stream);
}

static void many(void)
{
	void *stream, *second;

	begin();
	second = mgpuStreamCreate();
	for (int i = 0; i < 3000; i++) {
		stream = mgpuStreamCreate();
		mgpuStreamWaitEvent(second, stream);
		mgpuEventDestroy(stream);
	}
	mgpuStreamSynchronize(second);
}

static long resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long all = 0, resident = 0;

	if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2)
		exit(2);
	fclose(file);
	return resident * sysconf(_SC_PAGESIZE);
}

/* As many as would be tens of megabytes if something of each stayed. */
static void flat(void)
{
	void *second;
	long before = 0;

	begin();
	second = mgpuStreamCreate();
	for (int i = 0; i < 60000; i++) {
		void *stream = mgpuStreamCreate();

		mgpuStreamWaitEvent(second, stream);
		mgpuEventDestroy(stream);
		if (i == 5000)
			before = resident_bytes();
	}
	mgpuStreamSynchronize(second);
	if (resident_bytes() > before + (4 << 20))
		exit(1);
}

enum { THREADS = 4, ROUNDS = 200 };

static void *shared_streams[ROUNDS];
static pthread_barrier_t barrier;

/* Each thread is a consumer of every stream. */
static void *consume(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		void *own = mgpuStreamCreate();

		pthread_barrier_wait(&barrier);
		mgpuStreamWaitEvent(own, shared_streams[i]);
		mgpuEventDestroy(shared_streams[i]);
		mgpuEventSynchronize(shared_streams[i]);
		mgpuStreamSynchronize(own);
		mgpuStreamDestroy(own);
	}
	return NULL;
}

static void several_consumers(void)
{
	pthread_t threads[THREADS];

	begin();
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < ROUNDS; i++)
		shared_streams[i] = mgpuStreamCreate();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, consume, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* What is right needs no repair. */
static void as_llvm_23(void)
{
	void *event, *stream;

	begin();
	stream = busy_stream();
	event = mgpuEventCreate();
	mgpuEventRecord(event, stream);
	mgpuStreamDestroy(stream);
	mgpuEventSynchronize(event);
	mgpuEventDestroy(event);
	expect_done(word_now());
}

static const struct scene scenes[] = {
	SCENE(synchronize),
	SCENE(stream_wait),
	SCENE(destroy_first),
	SCENE(never_destroyed),
	SCENE(long_gone),
	SCENE(destroyed_as_stream),
	SCENE(gone_meanwhile),
	SCENE(still_a_stream),
	SCENE(record),
	SCENE(many),
	SCENE(flat),
	SCENE(several_consumers),
	SCENE(as_llvm_23),
};

/* ---- Tests ------------------------------------------------------------------------ */

/* What is not waited for then is a race, which the thread sanitizer need not tell. */
#define OFF "GPURUN_MLIR_REPAIR=0 TSAN_OPTIONS=report_bugs=0:atexit_sleep_ms=0"

/* The scene succeeds and says once that it was repaired. */
static void repaired(const char *scene)
{
	struct ending ending = play(scene);

	CHECK_ENDING(ending, 0, 1);
	CHECK_HAS(ending.text, "mlir_cuda_runtime: mgpu");
	CHECK_HAS(ending.text, "warning: given a stream for an event");
	CHECK_HAS(ending.text, "LLVM 23");
}

static void test_synchronize(void)
{
	repaired("synchronize");
}

static void test_wait(void)
{
	repaired("stream_wait");
}

static void test_destroy_first(void)
{
	repaired("destroy_first");
}

static void test_never_destroyed(void)
{
	repaired("never_destroyed");
}

static void test_long_gone(void)
{
	repaired("long_gone");
}

static void test_destroyed_as_stream(void)
{
	CHECK_ENDING(play("destroyed_as_stream"), 0, 0);
}

static void test_still_a_stream(void)
{
	repaired("still_a_stream");
}

static void test_many(void)
{
	repaired("many");
}

/* Sanitizers keep what was freed. */
static void test_flat(void)
{
	if (!dlsym(RTLD_DEFAULT, "__asan_init") && !dlsym(RTLD_DEFAULT, "__tsan_init"))
		repaired("flat");
}

/* Another consumer's destruction comes between looking the stream up and waiting. */
static void test_gone_meanwhile(void)
{
	repaired("gone_meanwhile");
}

static void test_several_consumers(void)
{
	repaired("several_consumers");
}

static void test_nothing_to_repair(void)
{
	CHECK_ENDING(play("as_llvm_23"), 0, 0);
}

/* No program can have meant that: an error. */
static void test_record(void)
{
	struct ending ending = play("record");

	CHECK_ENDING(ending, 115, 1);
	CHECK_HAS(ending.text, "mgpuEventRecord: no event: ");
	CHECK_HAS(ending.text, "is a stream");
}

/* Without the repair the driver answers at once, and the result is wrong, but on a busy
 * machine the producer may be done before: then once more. */
static struct ending play_unrepaired(const char *name)
{
	struct ending ending = play_with(name, OFF);

	for (int i = 0; i < 10 && executes() && ending.status == 115; i++)
		ending = play_with(name, OFF);
	return ending;
}

static void test_off(void)
{
	struct ending ending = play_unrepaired("synchronize");

	CHECK_ENDING(ending, executes() ? 1 : 115, 2);
	CHECK_HAS(ending.text, "mgpuEventSynchronize: cuEventSynchronize: CUDA_ERROR_");
	CHECK_HAS(ending.text, "mgpuEventDestroy: cuEventDestroy: CUDA_ERROR_");
}

static void test_off_wait(void)
{
	struct ending ending = play_unrepaired("stream_wait");

	CHECK_ENDING(ending, executes() ? 1 : 115, 2);
	CHECK_HAS(ending.text, "mgpuStreamWaitEvent: cuStreamWaitEvent: CUDA_ERROR_");
}

static void test_off_needs_none(void)
{
	CHECK_ENDING(play_with("as_llvm_23", OFF), 0, 0);
}

int main(int argc, char **argv)
{
	SCENES(scenes, argc, argv);
	RUN(test_synchronize);
	RUN(test_wait);
	RUN(test_destroy_first);
	RUN(test_never_destroyed);
	RUN(test_long_gone);
	RUN(test_destroyed_as_stream);
	RUN(test_still_a_stream);
	RUN(test_many);
	RUN(test_flat);
	RUN(test_gone_meanwhile);
	RUN(test_several_consumers);
	RUN(test_nothing_to_repair);
	RUN(test_record);
	RUN(test_off);
	RUN(test_off_wait);
	RUN(test_off_needs_none);
	return tap_end();
}
