/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shadow_memory.h"

#include <string.h>
#include <sys/mman.h>

#include "asserts.h"
#include "cleanup.h"
#include "config.h"
#include "race_cells.h"

struct shadow shadow;

static void *map(uint64_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

int shadow_reserve(uint64_t base, uint64_t size, struct err *e)
{
	ASSERT(size && !shadow.size);
	if (config.check & CHECK_INIT) {
		shadow.written = map(size);
		if (!shadow.written)
			return err_set(e, GPURUN_NO_MEMORY,
				       "cannot reserve addresses for check=init");
	}
	if (config.check & CHECK_RACE)
		TRY(race_cells_reserve(size, e));
	shadow.base = base;
	shadow.size = size;
	return 0;
}

/* Sets @size bytes to 0; whole pages without touching them. */
static void clear(uint8_t *at, uint64_t size)
{
	enum { PAGE = 4096, LARGE = 1 << 16 };
	uint8_t *end = at + size, *first, *last;

	if (size < LARGE) {
		memset(at, 0, size);
		return;
	}
	first = (uint8_t *)(((uintptr_t)at + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
	last = (uint8_t *)((uintptr_t)end & ~(uintptr_t)(PAGE - 1));
	if (madvise(first, (size_t)(last - first), MADV_DONTNEED)) {
		memset(at, 0, size);
		return;
	}
	memset(at, 0, (size_t)(first - at));
	memset(last, 0, (size_t)(end - last));
}

void shadow_set_written(uint64_t address, uint64_t size, bool written)
{
	uint8_t *at = shadow_written(address);

	ASSERT(!at || size <= shadow.size - (address - shadow.base));
	if (at && written)
		memset(at, 1, size);
	else if (at)
		clear(at, size);
}

void shadow_copy(uint64_t to, uint64_t from, uint64_t size)
{
	uint8_t *at = shadow_written(to);
	const uint8_t *source = shadow_written(from);

	ASSERT(!at || size <= shadow.size - (to - shadow.base));
	ASSERT(!source || size <= shadow.size - (from - shadow.base));
	if (!at)
		return;
	if (source)
		memmove(at, source, size);
	else
		memset(at, 1, size);
}
