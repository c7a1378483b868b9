/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What MLIR programs call besides the GPU: printing, tasks and their tokens. Stands in
 * for libmlir_c_runner_utils and libmlir_async_runtime where no LLVM is installed (a
 * machine with a GPU and nothing else), with the same names and the same behaviour:
 * each task runs on a thread of its own, and a task that waits for a token that is not
 * there yet is resumed by the thread that brings it. With GPURUN_TEST_SERIAL set a task
 * is let run until it ends or waits, so that what is done is the same in every run.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Printing ------------------------------------------------------------------ */

void printI64(int64_t value);
void printF32(float value);
void printOpen(void);
void printClose(void);
void printComma(void);
void printNewline(void);

void printI64(int64_t value) { printf("%" PRId64, value); }
void printF32(float value) { printf("%g", (double)value); }
void printOpen(void) { fputs("( ", stdout); }
void printClose(void) { fputs(" )", stdout); }
void printComma(void) { fputs(", ", stdout); }
void printNewline(void) { putchar('\n'); }

/* ---- The device that device.mlir asks for -------------------------------------- */

int32_t chosen_device(void);

int32_t chosen_device(void)
{
	const char *ordinal = getenv("GPURUN_TEST_ORDINAL");

	return ordinal ? atoi(ordinal) : 0;
}

/* ---- Tokens, values, tasks ------------------------------------------------------- */

typedef void resume_function(void *handle);

enum state { PENDING, AVAILABLE, FAILED };

/* Who waits for a token without a thread: a suspended coroutine. */
struct waiter {
	void *handle;
	resume_function *resume;
	struct waiter *next;
};

/* A token, or a value, which is a token with bytes. */
struct token {
	int64_t references;
	enum state state;
	struct waiter *waiters;
	_Alignas(16) char storage[];
};

struct task {
	pthread_t thread;
	void *handle;
	resume_function *resume;
	struct task *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct task *tasks;

void *mlirAsyncRuntimeCreateToken(void);
void *mlirAsyncRuntimeCreateValue(int64_t size);
void *mlirAsyncRuntimeGetValueStorage(struct token *value);
void mlirAsyncRuntimeAddRef(struct token *token, int64_t count);
void mlirAsyncRuntimeDropRef(struct token *token, int64_t count);
void mlirAsyncRuntimeEmplaceToken(struct token *token);
void mlirAsyncRuntimeEmplaceValue(struct token *value);
void mlirAsyncRuntimeSetTokenError(struct token *token);
void mlirAsyncRuntimeSetValueError(struct token *value);
bool mlirAsyncRuntimeIsTokenError(struct token *token);
bool mlirAsyncRuntimeIsValueError(struct token *value);
void mlirAsyncRuntimeAwaitToken(struct token *token);
void mlirAsyncRuntimeAwaitValue(struct token *value);
void mlirAsyncRuntimeAwaitTokenAndExecute(struct token *token, void *handle,
					  resume_function *resume);
void mlirAsyncRuntimeAwaitValueAndExecute(struct token *value, void *handle,
					  resume_function *resume);
void mlirAsyncRuntimeExecute(void *handle, resume_function *resume);

static void *allocated(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

/* Two references: the caller's, and the task's until it brings the token. */
void *mlirAsyncRuntimeCreateValue(int64_t size)
{
	struct token *value = allocated(sizeof(*value) + (size_t)size);

	value->references = 2;
	return value;
}

void *mlirAsyncRuntimeCreateToken(void)
{
	return mlirAsyncRuntimeCreateValue(0);
}

void *mlirAsyncRuntimeGetValueStorage(struct token *value)
{
	return value->storage;
}

void mlirAsyncRuntimeAddRef(struct token *token, int64_t count)
{
	pthread_mutex_lock(&lock);
	token->references += count;
	pthread_mutex_unlock(&lock);
}

void mlirAsyncRuntimeDropRef(struct token *token, int64_t count)
{
	bool last;

	pthread_mutex_lock(&lock);
	token->references -= count;
	last = token->references == 0;
	pthread_mutex_unlock(&lock);
	if (last)
		free(token);
}

/* Brings @token: wakes the threads and resumes the coroutines that wait for it. */
static void bring(struct token *token, enum state state)
{
	struct waiter *waiter;

	pthread_mutex_lock(&lock);
	token->state = state;
	waiter = token->waiters;
	token->waiters = NULL;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	while (waiter) {
		struct waiter *next = waiter->next;

		waiter->resume(waiter->handle);
		free(waiter);
		waiter = next;
	}
	mlirAsyncRuntimeDropRef(token, 1);
}

void mlirAsyncRuntimeEmplaceToken(struct token *token) { bring(token, AVAILABLE); }
void mlirAsyncRuntimeEmplaceValue(struct token *value) { bring(value, AVAILABLE); }
void mlirAsyncRuntimeSetTokenError(struct token *token) { bring(token, FAILED); }
void mlirAsyncRuntimeSetValueError(struct token *value) { bring(value, FAILED); }

bool mlirAsyncRuntimeIsTokenError(struct token *token)
{
	bool failed;

	pthread_mutex_lock(&lock);
	failed = token->state == FAILED;
	pthread_mutex_unlock(&lock);
	return failed;
}

bool mlirAsyncRuntimeIsValueError(struct token *value)
{
	return mlirAsyncRuntimeIsTokenError(value);
}

void mlirAsyncRuntimeAwaitToken(struct token *token)
{
	pthread_mutex_lock(&lock);
	while (token->state == PENDING)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

void mlirAsyncRuntimeAwaitValue(struct token *value)
{
	mlirAsyncRuntimeAwaitToken(value);
}

void mlirAsyncRuntimeAwaitTokenAndExecute(struct token *token, void *handle,
					  resume_function *resume)
{
	struct waiter *waiter = allocated(sizeof(*waiter));
	bool pending;

	waiter->handle = handle;
	waiter->resume = resume;
	pthread_mutex_lock(&lock);
	pending = token->state == PENDING;
	if (pending) {
		waiter->next = token->waiters;
		token->waiters = waiter;
	}
	pthread_mutex_unlock(&lock);
	if (pending)
		return;
	free(waiter);
	resume(handle);
}

void mlirAsyncRuntimeAwaitValueAndExecute(struct token *value, void *handle,
					  resume_function *resume)
{
	mlirAsyncRuntimeAwaitTokenAndExecute(value, handle, resume);
}

static void *run_task(void *data)
{
	struct task *task = data;

	task->resume(task->handle);
	return NULL;
}

void mlirAsyncRuntimeExecute(void *handle, resume_function *resume)
{
	struct task *task = allocated(sizeof(*task));

	task->handle = handle;
	task->resume = resume;
	pthread_mutex_lock(&lock);
	if (pthread_create(&task->thread, NULL, run_task, task))
		abort();
	if (!getenv("GPURUN_TEST_SERIAL")) {
		task->next = tasks;
		tasks = task;
		pthread_mutex_unlock(&lock);
		return;
	}
	pthread_mutex_unlock(&lock);
	pthread_join(task->thread, NULL);
	free(task);
}

/* A task has brought its tokens before main ends, but may not have returned yet. */
__attribute__((destructor)) static void join_tasks(void)
{
	while (tasks) {
		struct task *task = tasks;

		tasks = task->next;
		pthread_join(task->thread, NULL);
		free(task);
	}
}
