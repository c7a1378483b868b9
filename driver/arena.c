/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The reserved range is divided into granules of 64 KiB. The table has one word
 * per granule: 0, a record (a large block has its granules to itself, and one
 * more behind it that stays empty), or a slab with bit 0 set (one granule of
 * equal cells for small blocks; a cell is at least 256 bytes longer than its
 * block). So every block is followed by a gap that belongs to nobody.
 *
 * Lookups take no lock: words and records are atomics, and neither records nor
 * slabs are ever given back. Changes are made under the lock. Freed blocks are
 * reused last, so that a report can still name them.
 */
#include "arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "array.h"
#include "cleanup.h"
#include "config.h"

#define GRANULE_SHIFT 16
#define GRANULE ((uint64_t)1 << GRANULE_SHIFT)
#define RED_ZONE 256
#define MIN_SHIFT 9  /* the smallest cell: 512 bytes */
#define MAX_SHIFT 14 /* the largest: 16 KiB */
#define CLASSES (MAX_SHIFT - MIN_SHIFT + 1)
#define KEEP_FREED 1024 /* large records kept for reports before they are reused */
#define SLAB_BIT 1

/* One block, live or freed. */
struct record {
	_Atomic uint64_t base, size, serial;
	_Atomic uint32_t kind;
	atomic_bool live;
	struct record *next; /* in a free list */
};

/* A first-in first-out list of records. */
struct queue {
	struct record *first, **last;
	size_t count;
};

struct slab {
	unsigned shift;
	struct slab *next;
	struct record records[];
};

/* Free granules. */
struct extent {
	uint64_t start, count;
};

/* The records of registered memory, sorted by base; replaced when it grows. */
struct registered {
	size_t capacity;
	struct record *_Atomic records[];
};

static struct {
	pthread_mutex_t lock;
	_Atomic uint64_t base, size;
	_Atomic(_Atomic uintptr_t *) table;
	struct extent *extents; /* owned; sorted */
	size_t extent_count, extent_capacity;
	uint64_t rover;         /* granule where the next search begins */
	struct queue free_cells[CLASSES];
	struct slab *slabs;
	struct record **large;  /* owned; every record that is in no slab */
	size_t large_count;
	struct queue free_large;
	struct registered *_Atomic registered;
	_Atomic uint64_t registered_count;
	_Atomic uint64_t sequence; /* odd while the registered array changes */
	uint64_t serial, used;
} arena = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void unlock(pthread_mutex_t **lock)
{
	pthread_mutex_unlock(*lock);
}

#define LOCKED                                                  \
	CLEANUP(unlock) pthread_mutex_t *locked_ = &arena.lock; \
	pthread_mutex_lock(locked_)

#define get(field) atomic_load_explicit(&(field), memory_order_relaxed)
#define set(field, value) atomic_store_explicit(&(field), value, memory_order_relaxed)

static void queue_put(struct queue *queue, struct record *record)
{
	record->next = NULL;
	if (!queue->first)
		queue->last = &queue->first;
	*queue->last = record;
	queue->last = &record->next;
	queue->count++;
}

static struct record *queue_take(struct queue *queue)
{
	struct record *record = queue->first;

	if (record) {
		queue->first = record->next;
		queue->count--;
	}
	return record;
}

/* ---- Lookup -------------------------------------------------------------- */

static bool holds(const struct record *record, uint64_t address)
{
	uint64_t base = get(record->base);

	return get(record->live) && address - base < get(record->size);
}

static void describe(const struct record *record, struct block *block)
{
	*block = (struct block){
		.base = get(record->base),
		.size = get(record->size),
		.kind = (enum block_kind)get(record->kind),
		.serial = get(record->serial),
	};
}

/* The last registered block that starts at or below @address, or NULL. */
static struct record *registered_below(uint64_t address)
{
	struct registered *array = atomic_load(&arena.registered);
	size_t low = 0, high = get(arena.registered_count);

	if (!array)
		return NULL;
	if (high > array->capacity)
		high = array->capacity;
	while (low < high) {
		size_t middle = (low + high) / 2;
		struct record *record = get(array->records[middle]);

		if (record && get(record->base) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? get(array->records[low - 1]) : NULL;
}

static bool registered_find(uint64_t address, struct block *block)
{
	struct record *record;
	uint64_t before;
	bool found;

	if (!get(arena.registered_count))
		return false;
	do {
		before = atomic_load(&arena.sequence);
		record = registered_below(address);
		found = record && holds(record, address);
		if (found)
			describe(record, block);
		atomic_thread_fence(memory_order_acquire);
	} while ((before & 1) || get(arena.sequence) != before);
	return found;
}

/* The record that @offset in the range belongs to, live or not, or NULL. */
static struct record *record_at(uint64_t offset)
{
	_Atomic uintptr_t *table = atomic_load_explicit(&arena.table, memory_order_acquire);
	uintptr_t word =
		atomic_load_explicit(&table[offset >> GRANULE_SHIFT], memory_order_acquire);
	struct slab *slab;

	if (!(word & SLAB_BIT))
		return (struct record *)word;
	slab = (struct slab *)(word & ~(uintptr_t)SLAB_BIT);
	return &slab->records[(offset & (GRANULE - 1)) >> slab->shift];
}

bool arena_find(uint64_t address, struct block *block)
{
	uint64_t offset = address - get(arena.base);
	const struct record *record;

	if (offset >= atomic_load_explicit(&arena.size, memory_order_acquire))
		return registered_find(address, block);
	record = record_at(offset);
	if (!record || !holds(record, address))
		return false;
	describe(record, block);
	return true;
}

bool arena_owns(uint64_t address)
{
	return address - get(arena.base) < atomic_load_explicit(&arena.size, memory_order_acquire);
}

struct nearest {
	uint64_t address, distance;
	const struct record *record;
};

/* Keeps @record when it is nearer than what was seen; of two as near, the live one. */
static void consider(struct nearest *n, const struct record *record)
{
	uint64_t base = get(record->base), size = get(record->size), distance = 0;

	if (!size)
		return;
	if (n->address < base)
		distance = base - n->address;
	else if (n->address - base >= size)
		distance = n->address - base - size + 1;
	if (n->record && (distance > n->distance ||
			  (distance == n->distance && !get(record->live))))
		return;
	n->distance = distance;
	n->record = record;
}

bool arena_nearest(uint64_t address, struct block *block, bool *freed)
{
	struct nearest n = { .address = address };
	LOCKED;

	for (size_t i = 0; i < arena.large_count; i++)
		consider(&n, arena.large[i]);
	for (const struct slab *slab = arena.slabs; slab; slab = slab->next)
		for (size_t i = 0; i < GRANULE >> slab->shift; i++)
			consider(&n, &slab->records[i]);
	if (!n.record)
		return false;
	describe(n.record, block);
	*freed = !get(n.record->live);
	return true;
}

/* ---- The reserved range ---------------------------------------------------- */

/* Reserves four times the device's memory, so that addresses are reused late. */
static int reserve(struct err *e)
{
	uint64_t size = (uint64_t)16 << 30;
	void *range = MAP_FAILED, *table;

	if (get(arena.size))
		return 0;
	while (size < 4 * config.memory)
		size *= 2;
	for (; size >= (uint64_t)64 << 20; size /= 2) {
		range = mmap(NULL, size, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (range != MAP_FAILED)
			break;
	}
	table = mmap(NULL, (size >> GRANULE_SHIFT) * sizeof(uintptr_t), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	arena.extents = calloc(16, sizeof(*arena.extents));
	if (range == MAP_FAILED || table == MAP_FAILED || !arena.extents)
		return err_set(e, GPURUN_NO_MEMORY, "cannot reserve addresses for device memory");
	arena.extent_capacity = 16;
	arena.extent_count = 1;
	/* A mapping starts at a page: the first granule begins where it is aligned. */
	arena.extents[0] = (struct extent){ 0, (size >> GRANULE_SHIFT) - 1 };
	set(arena.base, ((uintptr_t)range + GRANULE - 1) & ~(GRANULE - 1));
	atomic_store(&arena.table, table);
	atomic_store(&arena.size, size - GRANULE);
	return 0;
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

/* Where @count granules aligned to @align fit into @extent; UINT64_MAX when nowhere. */
static uint64_t fit(const struct extent *extent, uint64_t from, uint64_t count, uint64_t align)
{
	uint64_t first = get(arena.base) >> GRANULE_SHIFT;
	uint64_t start = extent->start < from ? from : extent->start;
	uint64_t end = extent->start + extent->count;

	start = align_up(start + first, align) - first;
	return start < end && end - start >= count ? start : UINT64_MAX;
}

static void extent_remove(size_t index)
{
	arena.extent_count--;
	memmove(&arena.extents[index], &arena.extents[index + 1],
		(arena.extent_count - index) * sizeof(*arena.extents));
}

static void extent_insert(size_t index, uint64_t start, uint64_t count)
{
	memmove(&arena.extents[index + 1], &arena.extents[index],
		(arena.extent_count - index) * sizeof(*arena.extents));
	arena.extents[index] = (struct extent){ start, count };
	arena.extent_count++;
}

/* Makes sure that the next extent_insert() has room. */
static bool extent_room(void)
{
	struct extent *grown;

	if (arena.extent_count < arena.extent_capacity)
		return true;
	grown = reallocarray(arena.extents, arena.extent_capacity * 2, sizeof(*grown));
	if (!grown)
		return false;
	arena.extents = grown;
	arena.extent_capacity *= 2;
	return true;
}

/* Takes granules @start .. @start + @count out of the extent at @index. */
static void extent_cut(size_t index, uint64_t start, uint64_t count)
{
	struct extent old = arena.extents[index];
	uint64_t before = start - old.start, after = old.count - before - count;

	extent_remove(index);
	if (after)
		extent_insert(index, start + count, after);
	if (before)
		extent_insert(index, old.start, before);
}

static bool granules_take(uint64_t count, uint64_t align, uint64_t *start)
{
	if (!extent_room())
		return false;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < arena.extent_count; i++) {
			*start = fit(&arena.extents[i], pass ? 0 : arena.rover, count, align);
			if (*start == UINT64_MAX)
				continue;
			extent_cut(i, *start, count);
			arena.rover = *start + count;
			return true;
		}
	}
	return false;
}

static void granules_give(uint64_t start, uint64_t count)
{
	size_t low = 0, high = arena.extent_count;
	bool joins_before, joins_after;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (arena.extents[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	joins_before = low && arena.extents[low - 1].start + arena.extents[low - 1].count == start;
	joins_after = low < arena.extent_count && arena.extents[low].start == start + count;
	if (joins_before && joins_after) {
		arena.extents[low - 1].count += count + arena.extents[low].count;
		extent_remove(low);
	} else if (joins_before) {
		arena.extents[low - 1].count += count;
	} else if (joins_after) {
		arena.extents[low] = (struct extent){ start, arena.extents[low].count + count };
	} else if (extent_room()) {
		extent_insert(low, start, count);
	}
	/* Out of memory: these addresses are not used again, nothing else is lost. */
}

static void *granule_address(uint64_t granule)
{
	return (void *)(uintptr_t)(get(arena.base) + (granule << GRANULE_SHIFT));
}

static void point(uint64_t granule, uint64_t count, uintptr_t word)
{
	_Atomic uintptr_t *table = atomic_load(&arena.table);

	for (uint64_t i = 0; i < count; i++)
		atomic_store_explicit(&table[granule + i], word, memory_order_release);
}

/* ---- Blocks ------------------------------------------------------------------ */

static void publish(struct record *record, uint64_t base, uint64_t size, enum block_kind kind)
{
	set(record->base, base);
	set(record->size, size);
	set(record->kind, (uint32_t)kind);
	set(record->serial, ++arena.serial);
	atomic_store_explicit(&record->live, true, memory_order_release);
}

static struct record *record_new(void)
{
	struct record *record = NULL, **slot;

	if (arena.free_large.count > KEEP_FREED)
		return queue_take(&arena.free_large);
	record = calloc(1, sizeof(*record));
	slot = record ? array_grow(&arena.large, arena.large_count, sizeof(*slot)) : NULL;
	if (!slot) {
		free(record);
		return NULL;
	}
	*slot = record;
	arena.large_count++;
	return record;
}

static bool slab_new(unsigned shift)
{
	size_t cells = GRANULE >> shift;
	struct slab *slab;
	uint64_t granule;

	slab = calloc(1, sizeof(*slab) + cells * sizeof(slab->records[0]));
	if (!slab || !granules_take(1, 1, &granule)) {
		free(slab);
		return false;
	}
	if (mprotect(granule_address(granule), GRANULE, PROT_READ | PROT_WRITE)) {
		granules_give(granule, 1);
		free(slab);
		return false;
	}
	slab->shift = shift;
	slab->next = arena.slabs;
	arena.slabs = slab;
	for (size_t i = 0; i < cells; i++) {
		set(slab->records[i].base,
		    (uintptr_t)granule_address(granule) + ((uint64_t)i << shift));
		queue_put(&arena.free_cells[shift - MIN_SHIFT], &slab->records[i]);
	}
	point(granule, 1, (uintptr_t)slab | SLAB_BIT);
	return true;
}

static struct record *small_alloc(unsigned shift, uint64_t size, enum block_kind kind)
{
	struct queue *queue = &arena.free_cells[shift - MIN_SHIFT];
	struct record *record;

	if (!queue->first && !slab_new(shift))
		return NULL;
	record = queue_take(queue);
	publish(record, get(record->base), size, kind);
	return record;
}

static struct record *large_alloc(uint64_t size, uint64_t align, enum block_kind kind)
{
	uint64_t count = align_up(size, GRANULE) >> GRANULE_SHIFT, granule;
	struct record *record;

	align = align > GRANULE ? align >> GRANULE_SHIFT : 1;
	if (!granules_take(count + 1, align, &granule))
		return NULL;
	record = record_new();
	if (!record || mprotect(granule_address(granule), count << GRANULE_SHIFT,
				PROT_READ | PROT_WRITE)) {
		if (record)
			queue_put(&arena.free_large, record);
		granules_give(granule, count + 1);
		return NULL;
	}
	publish(record, (uintptr_t)granule_address(granule), size, kind);
	point(granule, count, (uintptr_t)record);
	return record;
}

/* The cell for @size bytes aligned to @align, as a power of two; 0 when it takes granules. */
static unsigned cell_shift(uint64_t size, uint64_t align)
{
	for (unsigned shift = MIN_SHIFT; shift <= MAX_SHIFT; shift++)
		if ((uint64_t)1 << shift >= size + RED_ZONE && (uint64_t)1 << shift >= align)
			return shift;
	return 0;
}

int arena_alloc(uint64_t size, uint64_t align, enum block_kind kind, uint64_t *address,
		struct err *e)
{
	struct record *record;
	unsigned shift;
	LOCKED;

	*address = 0;
	if (!size || (align & (align - 1)))
		return err_set(e, GPURUN_INVALID, "no block of %llu bytes aligned to %llu",
			       (unsigned long long)size, (unsigned long long)align);
	if (size > config.memory - arena.used)
		return err_set(e, GPURUN_NO_MEMORY,
			       "%llu bytes asked for, %llu of %llu bytes of device memory free",
			       (unsigned long long)size,
			       (unsigned long long)(config.memory - arena.used),
			       (unsigned long long)config.memory);
	TRY(reserve(e));
	shift = cell_shift(size, align);
	record = shift ? small_alloc(shift, size, kind) : large_alloc(size, align, kind);
	if (!record)
		return err_set(e, GPURUN_NO_MEMORY, "the host has no memory for %llu bytes",
			       (unsigned long long)size);
	arena.used += size;
	*address = get(record->base);
	return 0;
}

/* The caller holds the lock. */
static void release(struct record *record)
{
	uint64_t base = get(record->base), size = get(record->size), count;
	uint64_t granule = (base - get(arena.base)) >> GRANULE_SHIFT;
	uintptr_t word = atomic_load(&atomic_load(&arena.table)[granule]);
	void *memory = (void *)(uintptr_t)base;

	set(record->live, false);
	arena.used -= size;
	if (word & SLAB_BIT) {
		unsigned shift = ((struct slab *)(word & ~(uintptr_t)SLAB_BIT))->shift;

		memset(memory, 0, (size_t)1 << shift);
		queue_put(&arena.free_cells[shift - MIN_SHIFT], record);
		return;
	}
	count = align_up(size, GRANULE) >> GRANULE_SHIFT;
	madvise(memory, count << GRANULE_SHIFT, MADV_DONTNEED);
	queue_put(&arena.free_large, record);
	granules_give(granule, count + 1);
}

/* ---- Registered memory --------------------------------------------------------- */

static struct registered *registered_room(size_t count)
{
	struct registered *old = atomic_load(&arena.registered), *grown;
	size_t capacity = old ? old->capacity * 2 : 16;

	if (old && count < old->capacity)
		return old;
	grown = calloc(1, sizeof(*grown) + capacity * sizeof(grown->records[0]));
	if (!grown)
		return NULL;
	grown->capacity = capacity;
	for (size_t i = 0; i < count; i++)
		set(grown->records[i], get(old->records[i]));
	/* A lookup may still be reading the old one: it is kept. */
	atomic_store(&arena.registered, grown);
	return grown;
}

static void registered_write(void (*change)(struct registered *, size_t, struct record *),
			     struct registered *array, size_t index, struct record *record)
{
	atomic_fetch_add(&arena.sequence, 1);
	change(array, index, record);
	atomic_fetch_add(&arena.sequence, 1);
}

static void insert_at(struct registered *array, size_t index, struct record *record)
{
	size_t count = get(arena.registered_count);

	for (size_t i = count; i > index; i--)
		set(array->records[i], get(array->records[i - 1]));
	set(array->records[index], record);
	set(arena.registered_count, count + 1);
}

static void remove_at(struct registered *array, size_t index, struct record *record)
{
	size_t count = get(arena.registered_count);

	(void)record;
	for (size_t i = index; i + 1 < count; i++)
		set(array->records[i], get(array->records[i + 1]));
	set(arena.registered_count, count - 1);
}

/* How many registered blocks start below @base. */
static size_t registered_index(uint64_t base)
{
	struct registered *array = atomic_load(&arena.registered);
	size_t count = get(arena.registered_count), i = 0;

	while (i < count && get(get(array->records[i])->base) < base)
		i++;
	return i;
}

static bool overlaps(uint64_t base, uint64_t size)
{
	struct registered *array = atomic_load(&arena.registered);
	size_t index = registered_index(base + size);
	const struct record *below;

	if (base < get(arena.base) + get(arena.size) && get(arena.base) < base + size)
		return true;
	if (!index)
		return false;
	below = get(array->records[index - 1]);
	return base < get(below->base) + get(below->size);
}

int arena_register(void *pointer, uint64_t size, struct err *e)
{
	uint64_t base = (uintptr_t)pointer, end;
	struct registered *array;
	struct record *record;
	LOCKED;

	if (!size || __builtin_add_overflow(base, size, &end) || overlaps(base, size))
		return err_set(e, GPURUN_INVALID, "%p, %llu bytes: registered already", pointer,
			       (unsigned long long)size);
	array = registered_room(get(arena.registered_count));
	record = array ? record_new() : NULL;
	if (!record)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory registering %p", pointer);
	publish(record, base, size, BLOCK_REGISTERED);
	registered_write(insert_at, array, registered_index(base), record);
	return 0;
}

static bool unregister(uint64_t address)
{
	struct registered *array = atomic_load(&arena.registered);
	size_t index = registered_index(address);
	struct record *record;

	if (index >= get(arena.registered_count))
		return false;
	record = get(array->records[index]);
	if (get(record->base) != address)
		return false;
	registered_write(remove_at, array, index, NULL);
	set(record->live, false);
	queue_put(&arena.free_large, record);
	return true;
}

int arena_free(uint64_t address, struct err *e)
{
	struct record *record = NULL;
	LOCKED;

	if (!arena_owns(address)) {
		if (unregister(address))
			return 0;
	} else {
		record = record_at(address - get(arena.base));
	}
	if (!record || !get(record->live) || get(record->base) != address)
		return err_set(e, GPURUN_INVALID, "%#llx is not the start of a block",
			       (unsigned long long)address);
	release(record);
	return 0;
}

void arena_clear(void)
{
	LOCKED;

	while (get(arena.registered_count))
		unregister(get(get(atomic_load(&arena.registered)->records[0])->base));
	for (size_t i = 0; i < arena.large_count; i++)
		if (get(arena.large[i]->live))
			release(arena.large[i]);
	for (struct slab *slab = arena.slabs; slab; slab = slab->next)
		for (size_t i = 0; i < GRANULE >> slab->shift; i++)
			if (get(slab->records[i].live))
				release(&slab->records[i]);
}

void arena_usage(uint64_t *used, uint64_t *limit)
{
	LOCKED;

	*used = arena.used;
	*limit = config.memory;
}
