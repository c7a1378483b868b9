/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Streams: queues of operations of one context. A stream that is destroyed lives on until its
 * last operation is done. The NULL stream (legacy) comes after, and before,
 * everything of the streams that were not created non-blocking.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef DRIVER_STREAM_H
#define DRIVER_STREAM_H

#include <stdbool.h>

#include "cuda_abi.h"

struct context;
struct task;
struct stream;

/*
 * Finds the stream behind @handle: NULL and the two special ones (201 when the
 * context is not current), else a live one (400; 709 for an event).
 */
CUresult stream_find(CUstream handle, struct stream **out);

/* Sets what a stream of NULL is in the calling thread, NULL or CU_STREAM_PER_THREAD; returns what
 * it was. Needs no lock. */
CUstream stream_set_default(CUstream handle);

/* Adds to @task what the order of @stream demands. 2 when memory is exhausted. */
CUresult stream_order(struct stream *stream, struct task *task);

/* Makes @task the last one of @stream. */
void stream_append(struct stream *stream, struct task *task);

/* Lets @task come after everything submitted to any stream of @context so far. */
CUresult stream_order_all(struct task *task, struct context *context);

/* Tells whether an operation submitted to @stream now would start at once. */
bool stream_idle(const struct stream *stream);

/* Submits an operation that does nothing and waits for it: all of @stream before it is done. */
CUresult stream_wait(struct stream *stream);

/* The line of orders (order.h) that @stream is of, and its number there. */
unsigned stream_line(const struct stream *stream);
unsigned stream_number(const struct stream *stream);

/* The context that @stream is of. */
struct context *stream_context(const struct stream *stream);

/* Nobody finds the streams of @context from here on: nothing more is submitted to them. */
void stream_close(const struct context *context);

/* Lets what is submitted to any stream of @context from now on come after @task, too: to those
 * that there are, and to those made later. */
CUresult stream_hold_all(struct context *context, struct task *task);

/* Tells of the streams of @context, or of any with NULL, that the program has not destroyed. */
void stream_tell_leaks(const struct context *context);

/* Destroys every stream of @context. Nothing is pending. */
void stream_clear(struct context *context);

#endif
