/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The CTAs of a grid that have not begun, by index. A worker takes several at once:
 * CTAs next to each other work on memory next to each other, whose lines two cores
 * would take from one another. Those it has taken and not begun are still for all:
 * once the others are gone, whoever is idle takes them from it.
 *
 * So the CTAs begin in increasing order, except that each worker may be behind by as
 * many as it took at once. No locks; the functions may run at the same time as each
 * other, but for each taker only one at a time.
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

/* Takes NULL. */
void tickets_free(struct tickets *tickets);
DEFINE_CLEANUP(free_tickets, struct tickets *, tickets_free)

/* Hands one out to @taker. False when none is left that @taker can see: another taker may just
 * be about to take several, which it then has to go on with. */
bool tickets_take(struct tickets *tickets, unsigned taker, uint64_t *index);

/* The same, of those alone that @taker took at once with one that was handed out to it. */
bool tickets_go_on(struct tickets *tickets, unsigned taker, uint64_t *index);

/* Takes all that are left; returns how many. */
uint64_t tickets_take_rest(struct tickets *tickets);

#endif
