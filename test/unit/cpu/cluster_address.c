/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses in the shared memory of a cluster of two blocks, and of one that is alone. */
#include "cluster_address.h"

#include "tap.h"

enum { SIZE = 256 };

static uint8_t memory[2][SIZE];
static struct cta blocks[2];
static struct cluster pair = { .size = 2, .ctas = { &blocks[0], &blocks[1] } };

static void begin(uint32_t size)
{
	pair.size = size;
	for (uint32_t i = 0; i < 2; i++) {
		blocks[i].cluster = &pair;
		blocks[i].rank = i;
		blocks[i].shared = memory[i];
		blocks[i].shared_size = SIZE;
	}
}

static uint64_t window(uint32_t rank, uint64_t offset)
{
	return (uint64_t)(RANK_FIRST + rank) << RANK_SHIFT | offset;
}

static uint64_t generic(uint32_t rank, uint64_t offset)
{
	return (uint64_t)memory[rank] + offset;
}

static void test_pair(void)
{
	begin(2);
	for (uint32_t rank = 0; rank < 2; rank++) {
		CHECK(cluster_owner(&blocks[0], generic(rank, 40), 4) == &blocks[rank]);
		CHECK_INT(cluster_address(&blocks[0], window(rank, 40)), generic(rank, 40));
		CHECK_INT(cluster_window(&blocks[1], window(rank, 40)), generic(rank, 40));
		CHECK(cluster_shared(&blocks[0], window(rank, 40), 4) == memory[rank] + 40);
		CHECK_INT(cluster_map(&blocks[0], 40, rank, false), window(rank, 40));
		CHECK_INT(cluster_map(&blocks[0], generic(1, 40), rank, true), generic(rank, 40));
		CHECK_INT(cluster_rank(&blocks[0], window(rank, 40), false), rank);
		CHECK_INT(cluster_rank(&blocks[0], generic(rank, 40), true), rank);
	}
	CHECK_INT(cluster_address(&blocks[1], 40), generic(1, 40)); /* without a rank: its own */
	CHECK_INT(cluster_offset(&blocks[0], generic(0, 40)), 40);
	CHECK_INT(cluster_offset(&blocks[0], generic(1, 40)), window(1, 40));
	CHECK_INT(cluster_rank(&blocks[1], 40, false), 1);
}

/* What is in no block, or not whole in one. */
static void test_outside(void)
{
	const uint64_t none = window(2, 40);

	begin(2);
	CHECK(!cluster_owner(&blocks[0], generic(0, SIZE - 2), 4) ||
	      cluster_owner(&blocks[0], generic(0, SIZE - 2), 4) == &blocks[1]);
	CHECK(!cluster_owner(&blocks[0], 16, 4));
	CHECK(!cluster_shared(&blocks[0], window(1, SIZE - 3), 4));
	CHECK(cluster_shared(&blocks[0], window(1, SIZE - 4), 4) == memory[1] + SIZE - 4);
	CHECK(!cluster_shared(&blocks[0], none, 4) && !cluster_shared(&blocks[0], 40, 4));
	CHECK_INT(cluster_window(&blocks[0], none), none | CLUSTER_NOWHERE);
	CHECK_INT(cluster_map(&blocks[0], 40, 2, false) >> RANK_SHIFT, RANK_NONE);
	CHECK_INT(cluster_map(&blocks[0], generic(0, 40), 2, true), generic(0, 40) | CLUSTER_NOWHERE);
	CHECK_INT(cluster_rank(&blocks[1], 16, true), 0);
}

/* It has addresses without a rank only. */
static void test_alone(void)
{
	begin(1);
	CHECK_INT(cluster_map(&blocks[0], 40, 0, false), 40);
	CHECK_INT(cluster_address(&blocks[0], 40), generic(0, 40));
	CHECK_INT(cluster_window(&blocks[0], window(0, 40)), window(0, 40) | CLUSTER_NOWHERE);
	CHECK_INT(cluster_offset(&blocks[0], generic(0, 40)), 40);
	CHECK_INT(cluster_rank(&blocks[0], 40, false), 0);
}

int main(void)
{
	RUN(test_pair);
	RUN(test_outside);
	RUN(test_alone);
	return tap_end();
}
