/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the program orders, for check=race: each operation knows which others come
 * before it, by the order of streams, events and waits of the host, whenever they
 * actually run.
 *
 * Operations are numbered as they are submitted, and each stream is of one of
 * ORDER_LINES lines: all up to a number, of a line, come before. Streams that share a
 * line count as ordered; so is what any thread of the host submits after what any
 * of them has waited for. Both may miss races.
 *
 * Every pointer may be NULL here: without check=race there are no orders. The
 * caller holds the driver's lock unless said otherwise.
 */
#ifndef CPU_ORDER_H
#define CPU_ORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch;

enum { ORDER_LINES = 128 };

/* The stream of operations, for reports; other numbers count streams as they are created. */
enum { ORDER_NULL_STREAM = 0, ORDER_OWN_STREAM = UINT32_MAX };

struct order {
	uint64_t before[ORDER_LINES]; /* of each line: operations up to here come before */
	_Atomic uint64_t learned;     /* the same of all lines, by flags that it has read */
	_Atomic uint64_t acquired;    /* fences that it comes after (race.h) */
	uint64_t number;              /* 0: not submitted to a stream */
	uint32_t line, stream;
	uint32_t floor;               /* tags below come before; 0: it is not checked */
	bool mixed;                   /* some operations that come before have tags above */
	bool exclusive;               /* all others come before or after it: not checked */
};

/* A thread of the host calls the driver. As long as no other thread has ever called, nothing is
 * submitted while it waits; a thread that makes its first call meanwhile may be missed. */
void order_count_caller(void);

/* What an operation is, for reports. */
struct order_description {
	char name[80];  /* "kernel sum"; "" when it was too long ago */
	uint32_t stream, grid[3], block[3]; /* 0, of what is no kernel */
};

/* Whether orders are wanted. Needs no lock. */
bool order_wanted(void);

/* A new order, owned by the caller; NULL when none is wanted, or memory is exhausted. */
struct order *order_new(void);

/* @order comes after @other as well. */
void order_join(struct order *order, const struct order *other);

/*
 * @order is of an operation submitted to a stream of @line, by a host that knows what it
 * has waited for. @works: it touches memory. A line of ORDER_LINES: no stream.
 */
void order_submit(struct order *order, uint32_t line, uint32_t stream, bool works);

/* The host has waited for the operation of @order. */
void order_awaited(const struct order *order);

/* @order has acquired what was fenced up to @time. Needs no lock. */
void order_acquire(struct order *order, uint64_t time);

/*
 * The host may have acquired all that the kernel of @order had fenced up to @time, and what comes
 * before the kernel; all that was submitted earlier counts as that. Needs no lock.
 */
void order_release_to_host(const struct order *order, uint64_t time);

/* @order has read what the host may have written, or an operation that it does not come after:
 * all that was submitted so far may have come before. Needs no lock. */
void order_learn(struct order *order);

/* The operation begins, which touches memory; a kernel if @launch is given, else what @name
 * says. @awaited: the host waits for it, too. */
void order_begin(struct order *order, const struct launch *launch, const char *name,
		 bool awaited);

/* The operation ends. */
void order_end(const struct order *order);

/* Tells whether operation @number of @line comes before @order. Needs no lock. */
static inline bool order_covers(const struct order *order, uint32_t line, uint64_t number)
{
	return number <= order->before[line] ||
	       number <= atomic_load_explicit(&order->learned, memory_order_relaxed);
}

/* Writes what operation @number is. Needs no lock. */
void order_describe(uint64_t number, struct order_description *out);

/* Writes "on the NULL stream", say. */
void order_name_stream(uint32_t stream, char *text, size_t size);

#endif
