/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the race checker does between threads of the host, step by step. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "arena.h"
#include "config.h"
#include "driver.h"
#include "race_transfer.h"
#include "segment.h"
#include "shadow_memory.h"
#include "tap.h"

enum { STRIPE = 1 << STRIPE_SHIFT };

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static uint64_t alloc(uint64_t size, enum block_kind kind)
{
	uint64_t address = 0;

	CHECK_INT(arena_alloc(size, STRIPE, kind, &address, NULL), 0);
	return address;
}

static struct race_hold hold_word(uint64_t address)
{
	return race_hold(&race_global, address - shadow.base, 4);
}

/* ---- Equal writes --------------------------------------------------------------- */

/* Makes its write of a word only once it has had the cells of it. */
static void *write_later(void *address)
{
	const struct race_hold hold = hold_word((uint64_t)address);

	__atomic_store_n((uint32_t *)address, 42, __ATOMIC_RELAXED);
	race_unhold(hold);
	return NULL;
}

/* A worker that waits for another one's write releases the cells meanwhile. */
static void test_equal_writes(void)
{
	const uint64_t address = alloc(4, BLOCK_DEVICE);
	const uint32_t value = 42;
	const struct race_hold hold = hold_word(address);
	pthread_t other;

	REQUIRE(!pthread_create(&other, NULL, write_later, (void *)address));
	CHECK(race_wait_for_bytes((uint8_t *)address, (const uint8_t *)&value, 4, hold));
	CHECK_INT(hold.locks[0]->held, 1);
	race_unhold(hold);
	pthread_join(other, NULL);
	CHECK_INT(arena_free(address, NULL), 0);
}

/* ---- Runs longer than a stripe ----------------------------------------------------- */

struct transfer {
	struct order order;
	uint64_t address;
	atomic_bool over;
};

static void *transfer(void *data)
{
	static const uint8_t bytes[4 * STRIPE];
	struct transfer *run = data;
	struct race_transfer t = { .order = &run->order, .name = "a copy", .source = bytes };

	race_transfer(&t, run->address, sizeof(bytes));
	atomic_store(&run->over, true);
	return NULL;
}

/* The tag of the write of the word at @at, which no other worker holds. */
static uint32_t write_of(uint64_t at)
{
	return cell_load(race_global.writes + (at - shadow.base) / 4);
}

static bool is_written_since(uint64_t at, uint32_t before)
{
	const struct race_hold hold = hold_word(at);
	const bool is = write_of(at) > before;

	race_unhold(hold);
	return is;
}

/* It comes to no stripe that another worker holds; not the first, not the last, not between. */
static void test_stripes(void)
{
	struct transfer run = { .order = { .number = 1, .floor = race_launch(false) } };

	run.address = alloc(4 * STRIPE, BLOCK_DEVICE);
	for (unsigned held = 0; held < 4; held++) {
		const uint64_t at = run.address + held * STRIPE;
		const struct race_hold hold = hold_word(at);
		const uint32_t before = write_of(at);
		pthread_t thread;

		atomic_store(&run.over, false);
		run.order.floor = race_launch(false);
		REQUIRE(!pthread_create(&thread, NULL, transfer, &run));
		for (int i = 0; held && i < 2000 && !is_written_since(at - STRIPE, before); i++)
			sleep_ms(1);
		sleep_ms(5);
		CHECK(write_of(at) == before && !atomic_load(&run.over));
		race_unhold(hold);
		pthread_join(thread, NULL);
		CHECK(write_of(at) > before);
	}
	CHECK_INT(arena_free(run.address, NULL), 0);
}

/* ---- Flags between kernels ----------------------------------------------------------- */

/* A kernel of one warp. */
struct side {
	struct order order;
	struct launch launch;
	struct race_cta race;
	struct cluster cluster;
	struct cta *cta;
	struct warp *warp;
};

static void side_begin(struct side *side, uint64_t number, uint32_t line)
{
	memset(side, 0, sizeof(*side));
	side->order.number = number;
	side->order.line = line;
	side->order.floor = race_launch(false);
	side->launch.order = &side->order;
	side->launch.floor = side->order.floor;
	side->launch.grid[0] = side->launch.grid[1] = side->launch.grid[2] = 1;
	side->cta = aligned_alloc(64, sizeof(struct cta) + sizeof(struct warp));
	memset(side->cta, 0, sizeof(struct cta) + sizeof(struct warp));
	side->cta->launch = &side->launch;
	side->cta->race = &side->race;
	side->cta->warp_count = 1;
	side->warp = &side->cta->warps[0];
	side->warp->cta = side->cta;
	side->warp->live = 1;
	race_start_warp(side->cta, side->warp, 0);
}

/* Lane 0 of @side is about to do that to the word at @address, as an atomic or the like does. */
static void come(struct side *side, uint64_t address, enum access_kind kind)
{
	struct check_access access = { .kind = kind, .size = 4, .strong = true };

	access.at[0] = address;
	race_check(side->warp, NULL, &access, 1);
}

static bool has_learned(const struct side *of, const struct side *other)
{
	return order_covers(&of->order, other->order.line, other->order.number);
}

static uint64_t submitted(uint32_t line)
{
	struct order order = { 0 };

	driver_lock();
	order_submit(&order, line, line, true);
	driver_unlock();
	return order.number;
}

/* The flag comes between the moment at which a read is looked at and that of the read. */
static void check_flag(enum block_kind where, enum access_kind told, enum access_kind heard,
		       bool again, bool learns)
{
	const uint64_t flag = alloc(4, where);
	struct side teller, hearer;

	side_begin(&teller, submitted(1), 1);
	side_begin(&hearer, submitted(2), 2);
	come(&hearer, flag, heard);
	come(&teller, flag, told);
	if (again)
		come(&hearer, flag, heard);
	race_acquire(hearer.warp, true);
	CHECK(has_learned(&hearer, &teller) == learns);
	free(teller.cta);
	free(hearer.cta);
	CHECK_INT(arena_free(flag, NULL), 0);
}

static void test_flags(void)
{
	check_flag(BLOCK_DEVICE, ACCESS_WRITE, ACCESS_READ, false, true);
	check_flag(BLOCK_DEVICE, ACCESS_ATOMIC, ACCESS_READ, false, true);
	check_flag(BLOCK_DEVICE, ACCESS_WRITE, ACCESS_ATOMIC, false, true);
	check_flag(BLOCK_DEVICE, ACCESS_ATOMIC, ACCESS_ATOMIC, false, true);
	check_flag(BLOCK_DEVICE, ACCESS_WRITE, ACCESS_ATOMIC, true, true);
	check_flag(BLOCK_DEVICE, ACCESS_WRITE, ACCESS_WRITE, false, false);
	check_flag(BLOCK_DEVICE, ACCESS_READ, ACCESS_READ, false, false);
	check_flag(BLOCK_HOST, ACCESS_READ, ACCESS_READ, false, true);
	check_flag(BLOCK_HOST, ACCESS_WRITE, ACCESS_WRITE, false, false);
}

/* What was fenced before a flag is known to who reads the flag, and counts once that is acquired. */
static void test_acquire(void)
{
	const uint64_t flag = alloc(4, BLOCK_DEVICE);
	const struct race_warp *race;
	struct side teller, hearer;
	uint64_t fenced;

	side_begin(&teller, submitted(1), 1);
	side_begin(&hearer, submitted(2), 2);
	race = hearer.warp->race;
	race_fence(teller.warp);
	fenced = teller.warp->race->fenced;
	come(&teller, flag, ACCESS_WRITE);
	come(&hearer, flag, ACCESS_READ);
	CHECK(fenced && race->acquired < fenced);
	race_acquire(hearer.warp, false);
	CHECK(race->pending >= fenced && race->acquired < fenced);
	race_acquire(hearer.warp, true);
	CHECK(race->acquired >= fenced);
	free(teller.cta);
	free(hearer.cta);
	CHECK_INT(arena_free(flag, NULL), 0);
}

/* A barrier of the only warp of a block orders all that the block has done; one of two does not. */
static void test_warp_sync(void)
{
	const uint64_t word = alloc(4, BLOCK_DEVICE);
	struct side side;
	uint32_t tag, floor;

	side_begin(&side, submitted(5), 5);
	come(&side, word, ACCESS_READ);
	tag = side.warp->race->tag;
	floor = side.race.floor;
	CHECK(floor <= tag);
	side.cta->warp_count = 2;
	race_warp_sync(side.warp);
	CHECK(side.race.floor == floor && side.warp->race->seen[0] > tag);
	side.cta->warp_count = 1;
	race_warp_sync(side.warp);
	CHECK(side.race.floor > tag);
	free(side.cta);
	CHECK_INT(arena_free(word, NULL), 0);
}

/* ---- Runs of words --------------------------------------------------------------------- */

static bool are(const uint32_t *cells, uint32_t tag, bool by_lane)
{
	for (uint32_t i = 0; i < 2 * LANES; i++)
		if (cells[i] != tag + (by_lane ? i / 2 : 0))
			return false;
	return true;
}

/* One is recorded at once where all that is there comes before, and else left unchanged. */
static void test_mixed_run(void)
{
	const uint64_t word = alloc(4, BLOCK_DEVICE);
	uint32_t writes[2 * LANES], reads[2 * LANES], old, own;
	struct side other, side;

	side_begin(&other, submitted(3), 3);
	side_begin(&side, submitted(4), 4);
	come(&other, word, ACCESS_READ);
	come(&side, word, ACCESS_READ);
	old = other.warp->race->tag;
	own = side.warp->race->tag;
	for (uint32_t i = 0; i < 2 * LANES; i++)
		writes[i] = reads[i] = old;
	CHECK(!race_mixed_run(side.warp, writes, reads, 1, true) && are(writes, old, false));
	side.order.before[other.order.line] = other.order.number;
	CHECK(race_mixed_run(side.warp, writes, reads, 1, true));
	CHECK(are(writes, own, true) && are(reads, old, false));
	CHECK(race_mixed_run(side.warp, writes, reads, 1, false));
	CHECK(are(writes, own, true) && are(reads, own, true));
	reads[63] ^= 1; /* of another lane */
	CHECK(!race_mixed_run(side.warp, writes, reads, 1, true));
	free(other.cta);
	free(side.cta);
	CHECK_INT(arena_free(word, NULL), 0);
}

int main(void)
{
	struct err e;

	config.check = CHECK_RACE;
	if (config_init(&e) || config_parse("check=race,host_memory=shared", &e) || arena_prepare(&e) ||
	    race_prepare(&e)) {
		printf("not ok - %s\n", e.text);
		return 1;
	}
	RUN(test_equal_writes);
	RUN(test_stripes);
	RUN(test_flags);
	RUN(test_acquire);
	RUN(test_warp_sync);
	RUN(test_mixed_run);
	return tap_end();
}
