/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of race checking: cells, and the numbers of segments. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "config.h"
#include "segment.h"
#include "shadow.h"

enum { SEGMENTS = 1 << (32 - TAG_SHIFT) };
enum { SKEW = 5 * 4096 }; /* of cells: what a kernel strides over shares the sets of caches */

struct race_cells race_global;
struct segment *race_segments;
static struct race_lock global_locks[STRIPES];
static _Atomic uint32_t next_segment = 1, era;
static atomic_bool exhausted;

static void *map(uint64_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Of all the cells of @size bytes, in one mapping; zero. */
static uint64_t cells_size(uint64_t size)
{
	return size * (1 + 1 + 4 + 4 + 2) + (size >> PAGE_SHIFT) + 64 + 2 * SKEW;
}

void race_wait(void)
{
	static _Thread_local unsigned rounds;

	if (++rounds % 64 == 0)
		sched_yield();
}

static void lay_cells(struct race_cells *cells, void *at, uint64_t size)
{
	size = (size + 7) & ~(uint64_t)7;
	cells->writes = (uint32_t *)at + SKEW / 4;
	cells->reads = cells->writes + (size + SKEW) / 4;
	cells->byte_writes = cells->reads + size / 4;
	cells->byte_reads = cells->byte_writes + size;
	cells->released = (uint64_t *)(cells->byte_reads + size);
	cells->bytes_used = (uint8_t *)(cells->released + size / 4);
}

int race_reserve(uint64_t size, struct err *e)
{
	void *at = map(cells_size(size + 8));

	race_segments = map((uint64_t)SEGMENTS * sizeof(*race_segments));
	if (!at || !race_segments)
		return err_set(e, GPURUN_NO_MEMORY, "cannot reserve addresses for check=race");
	lay_cells(&race_global, at, size);
	race_global.locks = global_locks;
	madvise(race_global.writes, 2 * size + SKEW, MADV_HUGEPAGE);
	return 0;
}

uint32_t race_launch(bool alone)
{
	if (!race_segments)
		return 0;
	if (alone && atomic_load(&next_segment) > SEGMENTS / 2) {
		madvise(race_global.writes - SKEW / 4, cells_size(shadow.size), MADV_DONTNEED);
		atomic_store(&next_segment, 1);
		atomic_store(&exhausted, false);
		atomic_fetch_add(&era, 1);
	}
	return race_next_tag();
}

/* Behind the struct, for recycling: the cells of @shared bytes. */
int race_start(struct cta *cta, struct err *e)
{
	struct race_cta *race = cta->race;
	uint64_t shared = (cta->shared_size + 8191ull) & ~4095ull;

	if (!race_segments || !(config.check & CHECK_RACE))
		return 0;
	if (!race || race->size < shared || race->era != atomic_load(&era)) {
		race_release(race);
		cta->race = race = calloc(1, sizeof(*race));
		if (!race || !(race->memory = map(cells_size(shared))))
			return err_set(e, GPURUN_NO_MEMORY, "no memory to check a block");
		race->size = shared;
		race->era = atomic_load(&era);
		lay_cells(&race->cells, race->memory, shared);
	}
	memset(race->gone, 0, sizeof(race->gone));
	race->floor = race_next_tag();
	return 0;
}

void race_release(struct race_cta *race)
{
	if (!race)
		return;
	if (race->memory)
		munmap(race->memory, cells_size(race->size));
	free(race);
}

/* Clears the cells of whole pages without touching them, as most were never used. */
static void clear(void *from, uint64_t size)
{
	const uint64_t page = 4096, start = (uint64_t)from, end = start + size;
	const uint64_t first = (start + page - 1) & -page, last = end & -page;

	if (first >= last) {
		memset(from, 0, size);
		return;
	}
	memset(from, 0, first - start);
	memset((void *)last, 0, end - last);
	madvise((void *)first, last - first, MADV_DONTNEED);
}

void race_forget(uint64_t address, uint64_t size)
{
	uint64_t offset = address - shadow.base;

	if (!race_global.writes || offset >= shadow.size || atomic_load(&next_segment) == 1)
		return;
	clear(race_global.writes + offset / 4, (size + 3) / 4 * 4);
	clear(race_global.reads + offset / 4, (size + 3) / 4 * 4);
	for (uint64_t end = offset + size, part; offset < end; offset += part) {
		part = (1 << PAGE_SHIFT) - offset % (1 << PAGE_SHIFT);
		part = part < end - offset ? part : end - offset;
		if (!race_has_bytes(&race_global, offset))
			continue;
		clear(race_global.byte_writes + offset, part * 4);
		clear(race_global.byte_reads + offset, part * 4);
	}
}

uint32_t race_next_tag(void)
{
	return atomic_load(&next_segment) << TAG_SHIFT;
}

static void say_exhausted(void)
{
	if (!atomic_exchange(&exhausted, true))
		fputs("gpurun: check: race: this launch is too long to be checked to its end\n",
		      stderr);
}

uint32_t race_new_segment(const struct order *order, uint32_t cta, uint32_t warp)
{
	uint32_t number = atomic_load(&next_segment);
	struct segment *segment;

	if (number < SEGMENTS)
		number = atomic_fetch_add(&next_segment, 1);
	if (number >= SEGMENTS) {
		atomic_store(&next_segment, SEGMENTS);
		say_exhausted();
		return 0;
	}
	segment = &race_segments[number];
	atomic_store_explicit(&segment->released, 0, memory_order_relaxed);
	segment->number = order->number;
	segment->line = order->line;
	segment->cta = cta;
	segment->warp = warp;
	segment->next = 0;
	return number;
}
