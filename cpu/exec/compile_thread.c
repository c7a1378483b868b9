/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compile_thread.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "asserts.h"
#include "kernel.h"
#include "lock.h"
#include "thread.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct compile_job *first, **last; /* owned: those that wait */
	const struct compile_job *now;     /* what is being compiled, or NULL */
	bool started;
} queue = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.work = PTHREAD_COND_INITIALIZER,
	.done = PTHREAD_COND_INITIALIZER,
	.last = &queue.first,
};

/* Whether there ever was a job: programs of others are freed without the lock. */
static atomic_bool used;

static struct compile_job *pop(void)
{
	struct compile_job *job = queue.first;

	queue.first = job->next;
	if (!queue.first)
		queue.last = &queue.first;
	return job;
}

static void *compile_main(void *argument)
{
	(void)argument;
	lock_acquire(&queue.lock, LOCK_COMPILING);
	for (;;) {
		struct compile_job *job;

		while (!queue.first)
			pthread_cond_wait(&queue.work, &queue.lock);
		job = pop();
		queue.now = job;
		lock_release(&queue.lock);
		job->compile(job);
		lock_acquire(&queue.lock, LOCK_COMPILING);
		queue.now = NULL;
		free(job);
		pthread_cond_broadcast(&queue.done);
	}
	return NULL;
}

/* No thread waits for this one: its end is that of the process. */
static bool have_thread(void)
{
	pthread_t id;

	ASSERT(lock_is_held(LOCK_COMPILING));
	if (queue.started)
		return true;
	queue.started = thread_start(&id, compile_main, NULL);
	if (queue.started)
		pthread_detach(id);
	return queue.started;
}

bool compile_later(const struct compile_job *job)
{
	struct compile_job *copy = malloc(sizeof(*copy));

	if (!copy)
		return false;
	*copy = *job;
	copy->next = NULL;
	atomic_store(&used, true);
	LOCKED_BY(&queue.lock, LOCK_COMPILING);
	if (!have_thread()) {
		free(copy);
		return false;
	}
	*queue.last = copy;
	queue.last = &copy->next;
	pthread_cond_signal(&queue.work);
	return true;
}

static void drop(const struct program *program)
{
	struct compile_job **at = &queue.first;

	while (*at) {
		struct compile_job *job = *at;

		if (job->kernel->program == program) {
			*at = job->next;
			free(job);
		} else {
			at = &job->next;
		}
	}
	queue.last = at;
}

void compile_forget(const struct program *program)
{
	if (!atomic_load(&used))
		return;
	LOCKED_BY(&queue.lock, LOCK_COMPILING);
	drop(program);
	while (queue.now && queue.now->kernel->program == program)
		pthread_cond_wait(&queue.done, &queue.lock);
}

void compile_finish(void)
{
	LOCKED_BY(&queue.lock, LOCK_COMPILING);
	while (queue.now || queue.first)
		pthread_cond_wait(&queue.done, &queue.lock);
}
