/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Operations of streams. An operation starts when every operation that it comes
 * after is done; the order of a stream, of the NULL stream and of events are all
 * such edges. It lives until it is done and has no references (of its stream as
 * the last one, of an event as the recorded one, of a thread that waits).
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_TASK_H
#define CPU_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "cuda_abi.h"
#include "traced.h"

struct domain;
struct grid;

enum task_kind {
	TASK_MARK,   /* nothing to do: an event's record, a wait */
	TASK_COPY,
	TASK_FILL,
	TASK_FREE,   /* of memory, in stream order */
	TASK_WRITE,  /* a word */
	TASK_WAIT,   /* for a word */
	TASK_HOST,   /* a host function */
	TASK_KERNEL,
};

enum { INLINE_EDGES = 2 };

struct task_edge {
	struct task *task;        /* the one that waits */
	struct task_edge *next;
};

/* @rows of @count elements, @pitch bytes from one to the next. */
struct task_fill {
	uint64_t dst;
	uint32_t value;
	unsigned width; /* bytes of one element */
	size_t count, rows;
	uint64_t pitch; /* of more than one row */
};

/*
 * @slices of @rows of @size bytes each; the strides are of more than one row, or slice, and in
 * bytes. A plain copy has one row.
 */
struct task_copy {
	uint64_t dst, src;           /* addresses of the host or the device */
	size_t size, rows, slices;
	size_t dst_pitch, src_pitch; /* from one row to the next */
	size_t dst_slice, src_slice; /* from one slice to the next */
	void *staged;                /* owned, or NULL */
};

/* A word of @width bytes in memory, and the flags of the call. */
struct task_value {
	uint64_t address, value;
	unsigned width, flags;
};

struct task {
	enum task_kind kind;
	unsigned refs;
	struct domain *domain; /* borrowed: lives while any of its operations is not done */
	unsigned blocked;     /* counts: operations that it waits for, and its submission */
	uint64_t life;        /* of the domain, when it was submitted */
	bool by_caller;       /* the submitting thread runs it: see task_run() */
	bool awaited;         /* the call that submits it returns when it is done */
	bool counted;         /* it is counted in the domain's begun */
	bool ready;           /* by_caller: may run now */
	bool dropped;         /* not run: a kernel had faulted, or the life has ended */
	bool done;
	uint64_t time;        /* clock_now(), when done */
	uint64_t traced;      /* the call that it is of, in a trace; 0: in none */
	uint64_t began;       /* clock_now(), when its work began; 0: not in a trace */
	struct task_edge *edges; /* owned: the operations that come after this one */
	struct task_edge inline_edges[INLINE_EDGES]; /* by which this one waits, the first ones */
	unsigned inline_used;
	struct task *next;      /* in the list of those that may start, or in the pool's */
	struct order *order;  /* owned; NULL without check=race */
	union {
		struct task_copy copy;
		struct task_fill fill;
		struct task_value value;
		uint64_t freed; /* address of the block */
		struct {
			CUhostFn fn;               /* not called after a fault; or else: */
			CUstreamCallback callback; /* called in any case */
			CUstream stream;
			void *data;
		} host;
		struct grid *grid; /* owned */
	};
};

/* Creates an operation; the caller has a reference. NULL when memory is exhausted. */
struct task *task_new(enum task_kind kind);

struct task *task_get(struct task *task);

/* NULL: nothing. */
void task_put(struct task *task);
static inline void put_task(struct task **task)
{
	task_put(*task);
}

/* Lets @task start only after @other, which may be NULL or done. Before submission. */
CUresult task_after(struct task *task, struct task *other);

/*
 * Submits @task to @domain, as operation @number of @line (order.h): it starts when all that it
 * comes after are done.
 */
void task_submit(struct task *task, struct domain *domain, unsigned line, unsigned number);

/* Submits an operation that is of no line, and accesses no memory that the checker checks. */
void task_submit_alone(struct task *task, struct domain *domain);

/* Makes @task, which is not submitted but may have edges already, do nothing: it lives until the
 * operations that it waits for are done, but its work is released. */
void task_defuse(struct task *task);

/* Why @task, submitted and not done, is not to be executed: the fault of its domain, or 709 when
 * the life of that has ended; else 0. */
CUresult task_lost(const struct task *task);

/* Notes that the work of @task begins, for a trace. Any number of calls. */
static inline void task_begins(struct task *task)
{
	if (!task->traced || task->began)
		return;
	task->began = clock_now();
	/* A kernel may never end. */
	if (task->kind == TASK_KERNEL)
		trace_ran(task->traced, task->began, 0);
}

/* Marks @task done and starts what waited for it. */
void task_done(struct task *task);

/*
 * Waits until @task is done, then writes out what kernels have printed; the lock
 * is released meanwhile. 4 when the process ends.
 */
CUresult task_wait(const struct task *task);

/* The same, for a wait that orders nothing: the program did not ask for it. */
CUresult task_await(const struct task *task);

/*
 * As task_wait(), but stops when nothing is executed any more in @domain (NULL: in any): what is
 * left waits for words that nothing submitted will write.
 */
CUresult task_wait_quiet(const struct task *task, const struct domain *domain);

/* Runs a by_caller operation in this thread when it may start, and returns when it is done. Only
 * for an awaited one this orders what follows. */
CUresult task_run(struct task *task);

/* Copies immediately. Without the lock. */
void task_copy(const struct task_copy *copy);

/* Does the work of a copy, a fill, a free or a write. Without the lock. */
void task_execute(const struct task *task);

#endif
