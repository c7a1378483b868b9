/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of a trace, as processes and threads write it, and as it is read. */
#include "trace.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec_share.h"
#include "tap.h"
#include "trace_chrome.h"

enum { THREADS = 4, RECORDS = 1000 };

static int file = -1; /* of the process: it opens one trace */

static struct trace_record record_of(uint16_t kind, uint64_t id)
{
	return (struct trace_record){ .kind = kind, .id = id, .begin = 1000 + id, .end = 1001 + id };
}

static void write_call(uint16_t kind, uint64_t id, uint64_t stream)
{
	struct trace_record record = record_of(kind, id);

	record.stream = stream;
	trace_write(&record, "cuCall", NULL, 0);
}

static void *write_many(void *first)
{
	for (uint64_t i = 0; i < RECORDS; i++)
		write_call(TRACE_COPY, (uintptr_t)first + i, 0);
	return NULL;
}

/* What is in the file so far; the caller releases it. */
static struct trace read_all(void)
{
	struct trace trace = { 0 };
	struct err e;

	CHECK(!trace_read(file, &trace, &e));
	return trace;
}

/* The last @count calls, those of the running test: its numbers are the largest so far. */
static const struct traced_call *last(const struct trace *trace, size_t count)
{
	return CHECK(trace->count >= count) ? trace->calls + trace->count - count : NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	struct trace trace;

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, write_many, (void *)(1 + i * RECORDS));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	trace = read_all();
	CHECK_INT(trace.count, THREADS * RECORDS);
	for (size_t i = 0; i < trace.count; i++)
		if (!CHECK_INT(trace.calls[i].record.id, i + 1))
			break;
	CHECK_INT(trace.dropped, 0);
	trace_release(&trace);
}

static void test_child_of_fork(void)
{
	const struct traced_call *calls;
	struct trace trace;
	pid_t child;

	write_call(TRACE_COPY, 100001, 0);
	child = fork();
	if (!child) {
		write_call(TRACE_COPY, 100002, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	write_call(TRACE_COPY, 100003, 0);
	trace = read_all();
	calls = last(&trace, 3);
	if (calls) {
		CHECK_INT(calls[0].process, getpid());
		CHECK_INT(calls[1].process, child);
		CHECK_INT(calls[1].record.thread, child);
		CHECK_INT(calls[2].process, getpid());
	}
	trace_release(&trace);
}

static void test_functions_and_times(void)
{
	const struct trace_param params[] = { { 0, 8, "u64" }, { 8, 4, "s32" } };
	struct trace_record function = record_of(TRACE_FUNCTION, 0);
	struct trace_record launch = record_of(TRACE_LAUNCH, 200001);
	struct trace_record ran = record_of(TRACE_RAN, 200001);
	const uint8_t args[12] = { 1 };
	const struct traced_call *call;
	struct trace trace;

	function.handle = launch.handle = 7;
	function.param_count = 2;
	launch.args_size = sizeof(args);
	ran.begin = 5000;
	ran.end = 6000;
	trace_write(&function, "_Z4kernPvi", params, sizeof(params));
	trace_write(&launch, "cuLaunchKernel CUDA_ERROR_LAUNCH_FAILED", args, sizeof(args));
	trace_write(&ran, "", NULL, 0);
	trace = read_all();
	call = last(&trace, 1);
	if (call && CHECK(call->function != NULL)) {
		CHECK_STR(call->name, "cuLaunchKernel");
		CHECK_STR(call->error, "CUDA_ERROR_LAUNCH_FAILED");
		CHECK_STR(call->function->name, "_Z4kernPvi");
		CHECK_STR(call->function->signature, "kern(void*, int)");
		CHECK_INT(call->function->params[1].offset, 8);
		CHECK_INT(call->args.size, sizeof(args));
		CHECK_INT(call->ran_end - call->ran_begin, 1000);
	}
	trace_release(&trace);
}

static void write_counted(uint64_t id, uint64_t number, size_t size)
{
	struct trace_record record = record_of(TRACE_COUNTED, id);
	const struct counted counted = { { [COUNTED_F32] = number } };

	trace_write(&record, "", &counted, size);
}

/* By its number, and of a launch alone. */
static void test_counted(void)
{
	const struct traced_call *calls;
	struct trace trace;

	write_call(TRACE_LAUNCH, 250001, 0);
	write_call(TRACE_LAUNCH, 250002, 0);
	write_call(TRACE_COPY, 250003, 0);
	write_counted(250002, 7, sizeof(struct counted));
	write_counted(250003, 8, sizeof(struct counted));
	trace = read_all();
	calls = last(&trace, 3);
	if (calls) {
		CHECK(!calls[0].counted);
		CHECK(calls[1].counted && calls[1].counted->at[COUNTED_F32] == 7);
		CHECK(!calls[2].counted);
	}
	trace_release(&trace);
}

static void test_counted_cut_short(void)
{
	const pid_t child = fork();
	const struct traced_call *call;
	struct trace trace;

	if (!child) {
		write_call(TRACE_LAUNCH, 260001, 0);
		write_counted(260001, 7, sizeof(uint64_t));
		_exit(0);
	}
	waitpid(child, NULL, 0);
	trace = read_all();
	call = last(&trace, 1);
	if (call) {
		CHECK_INT(call->process, child);
		CHECK(!call->counted);
	}
	trace_release(&trace);
}

/* Writes a launch and its time on clock @clock. */
static void write_timed(uint64_t id, uint64_t clock, uint64_t stream, int64_t begin, int64_t end)
{
	struct trace_record ran = record_of(TRACE_RAN, id);

	write_call(TRACE_LAUNCH, id, stream);
	ran.flags = TRACE_CLOCK;
	ran.handle = clock;
	ran.begin = (uint64_t)begin;
	ran.end = (uint64_t)end;
	trace_write(&ran, "", NULL, 0);
}

/* A clock is placed so that no launch begins before its call; each has its own. */
static void test_clocks(void)
{
	const struct traced_call *calls;
	struct trace trace;

	write_timed(350001, 1, 0x40, 0, 10);
	write_timed(350005, 1, 0x40, 3, 20);
	write_timed(350009, 1, 0x50, -20, 40);
	write_timed(350010, 2, 0x60, 5000000, 5000007);
	trace = read_all();
	calls = last(&trace, 4);
	if (calls) {
		CHECK_INT(calls[2].ran_begin, calls[2].record.begin);
		CHECK_INT(calls[2].ran_end - calls[2].ran_begin, 60);
		CHECK_INT(calls[0].ran_begin - calls[2].ran_begin, 20);
		CHECK_INT(calls[0].ran_end - calls[0].ran_begin, 10);
		/* On one stream one begins after the other. */
		CHECK_INT(calls[1].ran_begin, calls[0].ran_end);
		CHECK_INT(calls[1].ran_end - calls[0].ran_begin, 20);
		CHECK_INT(calls[3].ran_begin, calls[3].record.begin);
		CHECK_INT(calls[3].ran_end - calls[3].ran_begin, 7);
	}
	trace_release(&trace);
}

/* The default stream has no number; others get theirs in the order of their first calls. */
static void test_streams(void)
{
	static const uint64_t handles[] = { 0, 0x900, 1, 0x500, 0x900, 2 };
	static const unsigned numbers[] = { 0, 1, 0, 2, 1, 0 };
	const struct traced_call *calls;
	struct trace trace;

	for (uint64_t i = 0; i < 6; i++)
		write_call(TRACE_FILL, 300001 + i, handles[i]);
	trace = read_all();
	calls = last(&trace, 6);
	if (calls) {
		for (int i = 0; i < 6; i++)
			CHECK_INT(calls[i].stream, numbers[i]);
		CHECK_INT(calls[0].track, calls[2].track);
		CHECK(calls[0].track != calls[5].track);
	}
	trace_release(&trace);
}

/* As when a process is killed, or one writes what it likes: no byte of the file is believed. */
static void test_damaged(void)
{
	struct trace trace = read_all();
	uint64_t random = 1;

	trace_release(&trace);
	for (int i = 0; i < 100; i++) {
		const uint8_t byte = (uint8_t)(random >> 40);

		random = random * 6364136223846793005u + 1442695040888963407u;
		CHECK(pwrite(file, &byte, 1, TRACE_CHUNK + (off_t)(random >> 33) % 4096) == 1);
		trace = read_all();
		CHECK(!trace_write_chrome(&trace, "/dev/null", &(struct err){ 0 }));
		trace_release(&trace);
	}
}

/* Last: no chunk is left. */
static void test_full(void)
{
	struct trace_head head;
	struct trace trace;

	CHECK(pread(file, &head, sizeof(head), 0) == sizeof(head));
	atomic_store(&head.chunks, TRACE_MOST / TRACE_CHUNK);
	CHECK(pwrite(file, &head, sizeof(head), 0) == sizeof(head));
	write_many((void *)1);
	write_many((void *)1);
	trace = read_all();
	CHECK(trace.dropped > 0);
	trace_release(&trace);
}

int main(void)
{
	char word[64];
	struct err e;

	file = trace_file_open(&e);
	snprintf(word, sizeof(word), "trace=/proc/self/fd/%d", file);
	setenv(EXEC_VARIABLE, word, 1);
	trace_open();
	CHECK(atomic_load(&trace_wanted));
	RUN(test_threads);
	RUN(test_child_of_fork);
	RUN(test_functions_and_times);
	RUN(test_counted);
	RUN(test_counted_cut_short);
	RUN(test_streams);
	RUN(test_clocks);
	RUN(test_damaged);
	RUN(test_full);
	close(file);
	return tap_end();
}
