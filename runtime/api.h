/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The way into and out of every public call: whether the library is up, and
 * the calling thread's error record, which each call clears.
 */
#ifndef RUNTIME_API_H
#define RUNTIME_API_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

enum { API_LOG_SIZE = 8192 };

/* What the last call of a thread has to say. */
struct api_record {
	struct err err;
	int driver;          /* CUresult of the call that failed, or 0 */
	struct err late;     /* failures of steps that could not stop the call */
	unsigned late_count;
	bool inside;         /* the thread is in a call */
	bool host_function;  /* the thread runs a host function of a stream */
	unsigned pushed;     /* gpurun_context_push() without its pop */
	char log[API_LOG_SIZE];
};

/* Returns the calling thread's record. */
struct api_record *api_record(void);

/* Clears the record of the calling thread and returns it. */
struct api_record *api_clear(void);

/*
 * Enters a call: NULL when the library cannot be used now; the record then says
 * why, and api_refused() gives the status.
 */
struct err *api_enter(void);

/* Leaves a call with @status, or with the failures noted meanwhile. Returns which. */
int api_leave(int status);

/* Ends a call that never entered (gpurun_shutdown) as api_leave() does. */
int api_outside(int status);

/* The status of a call that api_enter() refused; a @release after the end succeeds. */
int api_refused(bool release);

/*
 * Notes a failure that does not stop the call: of a step of a teardown, or of
 * the destruction of an object whose last reference went. All of them are told
 * when the call ends.
 */
void api_failed(const struct err *e);

/*
 * Copies @from to @to, both of @size bytes and beginning with a size_t, as far
 * as the caller's struct goes: its first member says how far. GPURUN_INVALID
 * when that was not set.
 */
int api_copy_struct(void *to, const void *from, size_t size, struct err *e);

/* Runs an expression, which may use "e", as the body of a public function. */
#define API_CALL(...)                                                                    \
	({                                                                                 \
		struct err *e = api_enter();                                               \
		e ? api_leave((__VA_ARGS__)) : api_refused(false);                                  \
	})

/* As above for a function that releases: it succeeds after the end. */
#define API_RELEASE(...)                                                                 \
	({                                                                                 \
		struct err *e = api_enter();                                               \
		e ? api_leave((__VA_ARGS__)) : api_refused(true);                                   \
	})

#endif
