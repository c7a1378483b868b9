/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Streams: queues of operations of one context. A stream that is destroyed lives on until its
 * last operation is done. The NULL stream (legacy) comes after, and before,
 * everything of the streams that were not created non-blocking.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_STREAM_H
#define CPU_STREAM_H

#include <stdbool.h>

#include "cuda_abi.h"

struct context;
struct task;
struct stream;

#define STREAM_GREATEST_PRIORITY -5 /* of a hint; the least is 0 */

/* What a program can set for a stream and read back; nothing here depends on it. */
struct stream_hints {
	int sync_policy, priority;
	unsigned char domains[2]; /* of memory synchronisation: default and remote */
	int domain;
};

/*
 * Finds the stream of @handle: NULL and the two special ones (201 when the
 * context is not current, 800 inside a host function), else a live one (400; 709 for an event).
 */
CUresult stream_find(CUstream handle, struct stream **out);

/* Sets the meaning of a NULL stream in the calling thread, NULL or CU_STREAM_PER_THREAD; returns
 * the previous one. Needs no lock. */
CUstream stream_set_default(CUstream handle);

/*
 * Appends @task to @stream, in the order that the stream's kind demands. When
 * that fails because memory is exhausted (2), @task will do nothing.
 */
CUresult stream_submit(struct stream *stream, struct task *task);

/* Submits an operation of @context that belongs to no stream; it comes after all that was
 * submitted in @context. */
CUresult stream_submit_after_all(struct task *task, struct context *context);

/* Lets @task come after everything submitted to any stream of @context so far. */
CUresult stream_order_all(struct task *task, struct context *context);

/* Tells whether an operation submitted to @stream now would start immediately. */
bool stream_idle(const struct stream *stream);

/* Submits an operation that does nothing and waits for it: all of @stream before it is done. */
CUresult stream_wait(struct stream *stream);

/* Tells whether @stream is the legacy NULL stream. */
bool stream_is_null(const struct stream *stream);

/* The hints of @stream, to read and to set. */
struct stream_hints *stream_hints(struct stream *stream);

/* The nearest priority to @priority that there is. Needs no lock. */
int stream_priority(int priority);

/* The context that @stream is of. */
struct context *stream_context(const struct stream *stream);

/* Makes the streams of @context invalid: nothing more is submitted to them. */
void stream_close(const struct context *context);

/* Makes all that is submitted to any stream of @context from now on come after @task, too: to
 * existing streams, and to those created later. */
CUresult stream_hold_all(struct context *context, struct task *task);

/* Reports the streams of @context (NULL: of any) that the program has not destroyed. */
void stream_report_leaks(const struct context *context);

/* Destroys every stream of @context. Nothing is pending. */
void stream_clear(struct context *context);

#endif
