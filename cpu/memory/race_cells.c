/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "race_cells.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "asserts.h"
#include "shadow_memory.h"

enum { SKEW = 5 * 4096 }; /* offset of the cells, to avoid conflicts in the sets of caches */

struct race_cells race_global;
_Atomic uint32_t race_next = 1;
static struct race_lock global_locks[STRIPES];

/* The size of all cells of @size bytes, which are one mapping. */
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

static void lay_out_cells(struct race_cells *cells, void *at, uint64_t size)
{
	size = (size + 7) & ~(uint64_t)7;
	cells->writes = (uint32_t *)at + SKEW / 4;
	cells->reads = cells->writes + (size + SKEW) / 4;
	cells->byte_writes = cells->reads + size / 4;
	cells->byte_reads = cells->byte_writes + size;
	cells->released = (uint64_t *)(cells->byte_reads + size);
	cells->bytes_used = (uint8_t *)(cells->released + size / 4);
}

void *race_cells_map(struct race_cells *cells, uint64_t size)
{
	void *at = mmap(NULL, cells_size(size), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	lay_out_cells(cells, at, size);
	return at;
}

void race_cells_unmap(void *memory, uint64_t size)
{
	munmap(memory, cells_size(size));
}

int race_cells_reserve(uint64_t size, struct err *e)
{
	if (!race_cells_map(&race_global, size + 8))
		return err_set(e, GPURUN_NO_MEMORY, "cannot reserve addresses for check=race");
	race_global.locks = global_locks;
	madvise(race_global.writes, 2 * size + SKEW, MADV_HUGEPAGE);
	return 0;
}

void race_forget_all(void)
{
	ASSERT(race_global.writes && shadow.size);
	madvise(race_global.writes - SKEW / 4, cells_size(shadow.size), MADV_DONTNEED);
}

/* Clears cells; whole pages without touching them, since most were never used. */
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

	if (!race_global.writes || offset >= shadow.size || atomic_load(&race_next) == 1)
		return;
	ASSERT(size <= shadow.size - offset);
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
	return atomic_load(&race_next) << TAG_SHIFT;
}
