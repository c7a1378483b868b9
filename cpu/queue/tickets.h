/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The CTAs of a grid that have not begun, by index. A worker gets several at a time:
 * neighbouring CTAs access neighbouring memory, for whose cache lines two cores
 * would compete. Those that it has kept and not begun can still be assigned to
 * others, when no more are left.
 *
 * So the CTAs begin in increasing order, except that each worker may be late by as
 * many as it got at a time. No locks: all functions may run concurrently, except two
 * calls of the same taker.
 */
#ifndef CPU_TICKETS_H
#define CPU_TICKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "cleanup.h"

struct tickets;

/* Makes those for CTAs 0 to @total - 1 and takers 0 to @takers - 1; NULL when memory is
 * exhausted. */
struct tickets *tickets_new(uint64_t total, unsigned takers);

/* NULL: nothing. */
void tickets_free(struct tickets *tickets);
DEFINE_CLEANUP(free_tickets, struct tickets *, tickets_free)

/* Assigns one to @taker. False when none is left that @taker can see: another taker may have just
 * got several, which it then has to begin itself. */
bool tickets_pop(struct tickets *tickets, unsigned taker, uint64_t *index);

/* The same, only from those that @taker has kept. */
bool tickets_next_kept(struct tickets *tickets, unsigned taker, uint64_t *index);

/* Removes all that are left; returns how many. */
uint64_t tickets_cancel(struct tickets *tickets);

#endif
