/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "order.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "config.h"
#include "demangle.h"
#include "launch.h"
#include "lock.h"
#include "segment.h"
#include "shadow_memory.h"

enum { WORKS = 1024 };

/* The driver's lock guards all of it, but what is atomic: of the numbers, and of what the host has
 * learned and acquired, which kernels raise while they run. */

/* Operations that have begun: the last of them. */
struct work {
	uint64_t number;
	uint32_t line, tag; /* the first tag that it may have */
};

static struct {
	/* by the driver's lock: */
	struct work works[WORKS];
	uint64_t count;               /* all that have begun */
	uint64_t dropped[ORDER_LINES]; /* of each line, the last that is not in works any more */
	uint64_t begun[ORDER_LINES];   /* of each line, the last that has begun */
	uint64_t submitted[ORDER_LINES];
	unsigned active;              /* begun and not done */
	unsigned callers;             /* threads of the host that have called the driver */
	uint32_t last;                /* tag: a smaller one means that all were cleared */
	struct order host;            /* what the host knows; without it what is atomic there */
	/* without a lock: */
	_Atomic uint64_t numbers;     /* of the last operation */
} orders;

static pthread_mutex_t description_lock = PTHREAD_MUTEX_INITIALIZER; /* of the next two: */
static struct order_description descriptions[WORKS];
static uint64_t described[WORKS]; /* their numbers */

static_assert(sizeof(((struct work *)NULL)->tag) * 8 > TAG_SHIFT, "a tag names a segment");

bool order_wanted(void)
{
	return config.check & CHECK_RACE;
}

void order_count_caller(void)
{
	static _Thread_local bool known;

	ASSERT(lock_is_held(LOCK_DRIVER));
	orders.callers += !known;
	known = true;
}

struct order *order_new(void)
{
	return order_wanted() ? calloc(1, sizeof(struct order)) : NULL;
}

static void set_at_least(uint64_t *at, uint64_t number)
{
	if (*at < number)
		*at = number;
}

static void raise_to(_Atomic uint64_t *at, uint64_t time)
{
	uint64_t before = atomic_load(at);

	while (before < time && !atomic_compare_exchange_weak(at, &before, time))
		;
}

void order_join(struct order *order, const struct order *other)
{
	if (!order || !other)
		return;
	ASSERT(lock_is_held(LOCK_DRIVER));
	for (unsigned i = 0; i < ORDER_LINES; i++)
		set_at_least(&order->before[i], other->before[i]);
	raise_to(&order->learned, atomic_load(&other->learned));
	raise_to(&order->acquired, atomic_load(&other->acquired));
}

void order_submit(struct order *order, uint32_t line, uint32_t stream, bool works)
{
	if (!order)
		return;
	ASSERT(lock_is_held(LOCK_DRIVER) && line <= ORDER_LINES && !order->number);
	order_join(order, &orders.host);
	if (line == ORDER_LINES)
		return;
	order->number = atomic_fetch_add(&orders.numbers, 1) + 1;
	order->line = line;
	order->stream = stream;
	ASSERT(order->before[line] < order->number);
	order->before[line] = order->number;
	if (works)
		orders.submitted[line] = order->number;
}

void order_awaited(const struct order *order)
{
	order_join(&orders.host, order);
}

void order_acquire(struct order *order, uint64_t time)
{
	raise_to(&order->acquired, time);
}

void order_release_to_host(const struct order *order, uint64_t time)
{
	raise_to(&orders.host.learned, order->number - 1);
	raise_to(&orders.host.acquired, time);
}

void order_learn(struct order *order)
{
	uint64_t numbers = atomic_load(&orders.numbers);

	if (!order || atomic_load(&order->learned) >= numbers)
		return;
	raise_to(&order->learned, numbers);
	raise_to(&order->acquired, race_now());
}

/* Tells whether @order comes after all of @numbers, one of each line. */
static bool covers_all(const struct order *order, const uint64_t numbers[ORDER_LINES])
{
	const uint64_t learned = atomic_load(&order->learned);
	uint64_t left = 0;

	for (unsigned i = 0; i < ORDER_LINES; i++)
		left |= (uint64_t)(order->before[i] < numbers[i] && learned < numbers[i]);
	return !left;
}

/* The lowest tag that an operation may have which @order does not come after; at most @next. */
static uint32_t lowest_tag(const struct order *order, uint32_t next)
{
	uint32_t lowest = next;

	ASSERT(lock_is_held(LOCK_DRIVER) && next >= 1u << TAG_SHIFT);
	if (covers_all(order, orders.begun))
		return next;
	if (!covers_all(order, orders.dropped))
		return 1 << TAG_SHIFT;
	for (unsigned i = 0; i < WORKS; i++) {
		const struct work *work = &orders.works[i];

		if (work->tag < lowest && !order_covers(order, work->line, work->number))
			lowest = work->tag;
	}
	return lowest;
}

static void describe(const struct order *order, const struct launch *launch, const char *name)
{
	const uint64_t place = orders.count % WORKS;
	struct order_description *description = &descriptions[place];
	CLEANUP(free_pointer) char *kernel = NULL;

	ASSERT(lock_is_held(LOCK_DRIVER));
	if (launch)
		kernel = demangle_alone(launch->kernel->name);
	lock_acquire(&description_lock, LOCK_ORDER);
	described[place] = order->number;
	memset(description, 0, sizeof(*description));
	description->stream = order->stream;
	_Static_assert(sizeof(description->grid) == sizeof(launch->grid) &&
		       sizeof(description->block) == sizeof(launch->block), "both x, y, z");
	if (launch) {
		memcpy(description->grid, launch->grid, sizeof(launch->grid));
		memcpy(description->block, launch->block, sizeof(launch->block));
		snprintf(description->name, sizeof(description->name), "kernel %s",
			 kernel ? kernel : launch->kernel->name);
	} else {
		snprintf(description->name, sizeof(description->name), "%s", name);
	}
	lock_release(&description_lock);
}

static void forget_all(void)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && !orders.active);
	memset(orders.works, 0, sizeof(orders.works));
	memset(orders.begun, 0, sizeof(orders.begun));
	memset(orders.dropped, 0, sizeof(orders.dropped));
}

void order_begin(struct order *order, const struct launch *launch, const char *name,
		 bool awaited)
{
	struct work *work = &orders.works[orders.count % WORKS];
	const uint32_t next = order ? race_launch(!orders.active) : 0;

	if (!next)
		return;
	ASSERT(lock_is_held(LOCK_DRIVER) && order->number && order->line < ORDER_LINES);
	ASSERT(!order->floor); /* it has not begun before */
	if (next < orders.last)
		forget_all();
	orders.last = next;
	orders.active++;
	order->floor = lowest_tag(order, next);
	ASSERT(order->floor && order->floor <= next);
	order->mixed = order->floor < next;
	order->exclusive = awaited && orders.callers == 1 && covers_all(order, orders.submitted);
	if (work->number)
		set_at_least(&orders.dropped[work->line], work->number);
	describe(order, launch, name);
	*work = (struct work){ order->number, order->line, next };
	set_at_least(&orders.begun[order->line], order->number);
	orders.count++;
}

void order_end(const struct order *order)
{
	if (!order || !order->floor)
		return;
	ASSERT(lock_is_held(LOCK_DRIVER) && orders.active);
	orders.active--;
}

void order_describe(uint64_t number, struct order_description *out)
{
	memset(out, 0, sizeof(*out));
	lock_acquire(&description_lock, LOCK_ORDER);
	for (unsigned i = 0; i < WORKS; i++)
		if (described[i] == number)
			*out = descriptions[i];
	lock_release(&description_lock);
}

void order_name_stream(uint32_t stream, char *text, size_t size)
{
	if (stream == ORDER_NULL_STREAM)
		snprintf(text, size, "on the NULL stream");
	else if (stream == ORDER_OWN_STREAM)
		snprintf(text, size, "on a thread's own stream");
	else
		snprintf(text, size, "on stream %u", stream);
}
