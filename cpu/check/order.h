/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the program orders, for check=race: each operation knows which others come
 * before it, by the order of streams, events and waits of the host, and whatever the
 * time at which they run.
 *
 * Operations are numbered as they are submitted, and each stream is of one of
 * ORDER_LINES lines: all up to a number, of a line, come before. Streams that share a
 * line are taken for ordered; so is what any thread of the host submits behind
 * what any of them has waited for. Both err on the side of silence.
 *
 * Every pointer may be NULL here: without check=race there are no orders. The
 * caller holds the driver's lock, but where said otherwise.
 */
#ifndef CPU_ORDER_H
#define CPU_ORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch;

enum { ORDER_LINES = 128 };

/* Whose operations they are, for reports; other numbers count streams as they are made. */
enum { ORDER_NULL_STREAM = 0, ORDER_OWN_STREAM = UINT32_MAX };

struct order {
	uint64_t before[ORDER_LINES]; /* of each line: operations up to here come before */
	_Atomic uint64_t learned;     /* the same of all lines, by what it has read */
	_Atomic uint64_t acquired;    /* fences that it comes after (race.h) */
	uint64_t number;              /* 0: not submitted to a stream */
	uint32_t line, stream;
	uint32_t floor;               /* tags below come before; 0: it takes no part in races */
	bool mixed;                   /* some tags of what comes before are not below */
	bool aside;                   /* all else comes before it, or after: nobody looks at it */
};

/* A thread of the host calls the driver. While it waits nobody submits anything, as long as no
 * other has ever called: one whose first call this is may come too late to be seen. */
void order_called(void);

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

/* The host knows that the operation of @order is done, or as good as. */
void order_known(const struct order *order);

/* @order has acquired what was fenced up to @time. Needs no lock. */
void order_acquire(struct order *order, uint64_t time);

/*
 * The kernel of @order has told the host of all that was fenced up to @time, and with that of what
 * comes before it; what was submitted earlier is taken for that. Needs no lock.
 */
void order_told(const struct order *order, uint64_t time);

/* @order has read what the host may have written, or an operation that it does not come after:
 * all that was submitted so far may have come before. Needs no lock. */
void order_learn(struct order *order);

/* The operation begins, which touches memory; a kernel if @launch is given, else what @name
 * says. @awaited: the host waits for it, too. */
void order_begin(struct order *order, const struct launch *launch, const char *name,
		 bool awaited);

/* It is done. */
void order_end(const struct order *order);

/* Tells whether operation @number of @line comes before @order. Needs no lock. */
static inline bool order_covers(const struct order *order, uint32_t line, uint64_t number)
{
	return number <= order->before[line] ||
	       number <= atomic_load_explicit(&order->learned, memory_order_relaxed);
}

/* Tells what operation @number is. Needs no lock. */
void order_describe(uint64_t number, struct order_description *out);

/* Writes "on the NULL stream", say. */
void order_name_stream(uint32_t stream, char *text, size_t size);

#endif
