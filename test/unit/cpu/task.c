/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Operations of streams: what their work leaves in memory, when each may start and is done, and
 * which are dropped. The operations here are marks and waits for words, which need no worker.
 */
#include "task.h"

#include "domain.h"
#include "driver.h"
#include "tap.h"
#include "value_wait.h"

/* ---- Work on memory ------------------------------------------------------------------- */

enum { PITCH = 10, SLICE = 40, SIZE = 3, ROWS = 3, SLICES = 2 };

/* Each byte of the parts that are copied arrives, and nothing between them. */
static void test_copy(void)
{
	uint8_t from[SLICES * SLICE], to[SLICES * SLICE + 4], want[sizeof(to)];
	const struct task_copy copy = { .dst = (uintptr_t)to, .src = (uintptr_t)from,
					.size = SIZE, .rows = ROWS, .slices = SLICES,
					.dst_pitch = PITCH + 1, .src_pitch = PITCH,
					.dst_slice = SLICE + 4, .src_slice = SLICE };
	struct task task = { .kind = TASK_COPY, .copy = copy };

	for (unsigned i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i + 1);
	memset(want, 0xee, sizeof(want));
	for (unsigned slice = 0; slice < SLICES; slice++)
		for (unsigned row = 0; row < ROWS; row++)
			memcpy(want + slice * (SLICE + 4) + row * (PITCH + 1),
			       from + slice * SLICE + row * PITCH, SIZE);
	memset(to, 0xee, sizeof(to));
	task_copy(&copy);
	CHECK(!memcmp(to, want, sizeof(to)));
	memset(to, 0xee, sizeof(to));
	task_execute(&task);
	CHECK(!memcmp(to, want, sizeof(to)));
}

/* Fills 3 elements of @width bytes in each of 2 rows. */
static void check_fill(unsigned width)
{
	const uint32_t value = 0x44332211;
	uint32_t words[16];
	uint8_t want[sizeof(words)];
	struct task task = { .kind = TASK_FILL,
			     .fill = { (uintptr_t)words, value, width, 3, 2, 32 } };

	memset(words, 0xee, sizeof(words));
	memset(want, 0xee, sizeof(want));
	for (unsigned i = 0; i < 6; i++)
		memcpy(want + i / 3 * 32 + i % 3 * width, &value, width);
	task_execute(&task);
	CHECK(!memcmp(words, want, sizeof(words)));
}

static void test_fill(void)
{
	check_fill(1);
	check_fill(2);
	check_fill(4);
}

static void test_write(void)
{
	uint64_t words[2] = { UINT64_MAX, UINT64_MAX };
	struct task task = { .kind = TASK_WRITE, .value = { (uintptr_t)words, 5, 4, 0 } };

	task_execute(&task);
	CHECK_INT(words[0], 0xffffffff00000005);
	task.value.width = 8;
	task_execute(&task);
	CHECK_INT(words[0], 5);
	CHECK_INT(words[1], -1);
}

/* ---- When they start and are done ----------------------------------------------------- */

static unsigned idle_calls;

static void note_idle(struct domain *domain)
{
	idle_calls += !domain->pending;
}

/* A wait for the word at @address to be 1, or what @flags say, submitted to @domain. */
static struct task *submit_wait(struct domain *domain, const void *address, unsigned width,
				uint64_t value, unsigned flags)
{
	struct task *task = task_new(TASK_WAIT);

	task->value = (struct task_value){ (uintptr_t)address, value, width, flags };
	task_submit_alone(task, domain);
	return task;
}

/* More operations than have room in each other wait for one; they start when it is done. */
static void test_after(void)
{
	enum { COUNT = 5 };
	struct domain domain = { .life = 1, .idle = note_idle };
	struct task *first, *last, *marks[COUNT];
	uint64_t word = 0;

	idle_calls = 0;
	driver_lock();
	first = submit_wait(&domain, &word, 8, 1, CU_STREAM_WAIT_VALUE_EQ);
	last = task_new(TASK_MARK);
	for (unsigned i = 0; i < COUNT; i++) {
		marks[i] = task_new(TASK_MARK);
		CHECK_INT(task_after(marks[i], first), 0);
		CHECK_INT(task_after(last, marks[i]), 0);
		task_submit_alone(marks[i], &domain);
	}
	task_submit_alone(last, &domain);
	CHECK_INT(domain.pending, COUNT + 2);
	CHECK_INT(domain.begun, 0);
	CHECK(!value_poll() && !first->done && !marks[0]->done && !last->done);
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	CHECK(value_poll() && first->done && last->done && last->time >= first->time);
	for (unsigned i = 0; i < COUNT; i++) {
		CHECK(marks[i]->done && !marks[i]->dropped);
		task_put(marks[i]);
	}
	CHECK_INT(domain.pending, 0);
	CHECK_INT(idle_calls, 1);
	task_put(first);
	task_put(last);
	driver_unlock();
}

/* One that is done holds nothing up. */
static void test_after_done(void)
{
	struct domain domain = { .life = 1 };
	struct task *first = NULL, *second = NULL;

	driver_lock();
	first = task_new(TASK_MARK);
	task_submit_alone(first, &domain);
	CHECK(first->done && !first->dropped);
	second = task_new(TASK_MARK);
	CHECK_INT(task_after(second, NULL), 0);
	CHECK_INT(task_after(second, first), 0);
	CHECK_INT(second->blocked, 1);
	task_submit_alone(second, &domain);
	CHECK(second->done);
	task_put(first);
	task_put(second);
	driver_unlock();
}

/* ---- What is dropped -------------------------------------------------------------------- */

/* The first fault of a domain counts; it drops what is pending and what comes, but not elsewhere. */
static void test_fault(void)
{
	struct domain domain = { .life = 1 }, other = { .life = 1 };
	struct task *wait, *elsewhere, *later;
	uint32_t word = 0;

	driver_lock();
	wait = submit_wait(&domain, &word, 4, 1, CU_STREAM_WAIT_VALUE_EQ);
	elsewhere = submit_wait(&other, &word, 4, 1, CU_STREAM_WAIT_VALUE_EQ);
	CHECK_INT(task_lost(wait), 0);
	CHECK(domain_fail(&domain, CUDA_ERROR_ASSERT));
	CHECK(!domain_fail(&domain, CUDA_ERROR_ILLEGAL_ADDRESS));
	CHECK_INT(domain.fault, CUDA_ERROR_ASSERT);
	CHECK(domain_report_pending(&domain) && !domain_report_pending(&other));
	CHECK_INT(task_lost(wait), CUDA_ERROR_ASSERT);
	CHECK(value_poll() && wait->done && !elsewhere->done);
	later = task_new(TASK_MARK);
	task_submit_alone(later, &domain);
	CHECK(later->done && later->dropped);
	domain_report_text(&domain, "of the test");
	CHECK(!domain_report_pending(&domain));
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	CHECK(value_poll() && elsewhere->done && !elsewhere->dropped);
	task_put(wait);
	task_put(elsewhere);
	task_put(later);
	driver_unlock();
}

/* What was submitted in an earlier life of its domain is not executed in this one. */
static void test_life(void)
{
	struct domain domain = { .life = 1 };
	uint32_t word = 0;
	struct task *wait;

	driver_lock();
	wait = submit_wait(&domain, &word, 4, 1, CU_STREAM_WAIT_VALUE_EQ);
	domain.life = 2;
	CHECK_INT(task_lost(wait), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK(value_poll() && wait->done);
	task_put(wait);
	driver_unlock();
}

/* ---- Words ------------------------------------------------------------------------------ */

/* Whether a wait for @value of a word of @width bytes ends where that is @now. */
static bool ends(unsigned flags, unsigned width, uint64_t now, uint64_t value)
{
	struct domain domain = { .life = 1 };
	struct task *task;
	bool ended;

	driver_lock();
	task = submit_wait(&domain, &now, width, value, flags);
	ended = value_poll();
	CHECK(ended == task->done);
	domain.life++;
	value_poll();
	CHECK(task->done);
	task_put(task);
	driver_unlock();
	return ended;
}

static void test_words(void)
{
	const uint64_t high = 0x500000000;

	CHECK(ends(CU_STREAM_WAIT_VALUE_EQ, 4, high + 7, 7));
	CHECK(!ends(CU_STREAM_WAIT_VALUE_EQ, 8, high + 7, 7));
	CHECK(ends(CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH, 8, 7, 7));
	CHECK(ends(CU_STREAM_WAIT_VALUE_GEQ, 4, 8, 7) && ends(CU_STREAM_WAIT_VALUE_GEQ, 4, 7, 7));
	CHECK(!ends(CU_STREAM_WAIT_VALUE_GEQ, 4, 6, 7));
	CHECK(ends(CU_STREAM_WAIT_VALUE_GEQ, 4, 1, UINT32_MAX)); /* it has wrapped around */
	CHECK(!ends(CU_STREAM_WAIT_VALUE_GEQ, 8, 1, UINT32_MAX));
	CHECK(ends(CU_STREAM_WAIT_VALUE_GEQ, 8, 1, UINT64_MAX));
	CHECK(ends(CU_STREAM_WAIT_VALUE_AND, 4, 6, 2) && !ends(CU_STREAM_WAIT_VALUE_AND, 4, 6, 1));
	CHECK(!ends(CU_STREAM_WAIT_VALUE_NOR, 4, UINT32_MAX - 4, 4));
	CHECK(ends(CU_STREAM_WAIT_VALUE_NOR, 8, UINT32_MAX, 4));
	CHECK(ends(CU_STREAM_WAIT_VALUE_NOR, 4, 1, 4));
}

int main(void)
{
	RUN(test_copy);
	RUN(test_fill);
	RUN(test_write);
	RUN(test_after);
	RUN(test_after_done);
	RUN(test_fault);
	RUN(test_life);
	RUN(test_words);
	return tap_end();
}
