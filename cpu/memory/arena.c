/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The reserved range is the two zones of zone.h, in granules of 64 KiB. The table has one word
 * per granule: 0, a record (a large block has its granules to itself, and one
 * more after it that stays empty), or a slab with bit 0 set (one granule of
 * equal cells for small blocks; a cell is at least 256 bytes longer than its
 * block). So every block is followed by a gap that belongs to no block.
 *
 * Lookups take no lock: words and records are atomics, and neither records nor
 * slabs are ever freed. Changes are made under the lock. Freed blocks are
 * reused last, so that a report can still name them.
 */
#include "arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "align.h"
#include "array.h"
#include "asserts.h"
#include "cleanup.h"
#include "config.h"
#include "lock.h"
#include "race_cells.h"
#include "record.h"
#include "registered.h"
#include "shadow_memory.h"
#include "zone.h"

#define RED_ZONE 256
#define MIN_SHIFT 9  /* the smallest cell: 512 bytes */
#define MAX_SHIFT 14 /* the largest: 16 KiB */
#define CLASSES (MAX_SHIFT - MIN_SHIFT + 1)
#define KEEP_FREED 1024 /* large records kept for reports before they are reused */
#define SLAB_BIT 1
#define MOST_RESERVE ((uint64_t)64 << 20)

/* The kinds of blocks that are the host's memory, too. */
#define HOSTS (1u << BLOCK_HOST | 1u << BLOCK_MANAGED | 1u << BLOCK_MANAGED_VARIABLE)

/* Those that arena_clear() leaves to the modules and mappings that they are of. */
#define KEPT (1u << BLOCK_VARIABLE | 1u << BLOCK_MANAGED_VARIABLE | 1u << BLOCK_CONSTANT | \
	      1u << BLOCK_CODE | 1u << BLOCK_MAPPED)

struct slab {
	unsigned shift;
	struct slab *next;
	struct record records[];
};

static struct {
	pthread_mutex_t lock;
	_Atomic uint64_t base, size;
	_Atomic(_Atomic uintptr_t *) table;
	struct zone zones[ZONES];
	struct queue free_cells[ZONES][CLASSES];
	struct slab *slabs;
	struct record **large;  /* owned; every record that is in no slab */
	size_t large_count;
	struct queue free_large;
	uint64_t serial, used;
} arena = { .lock = PTHREAD_MUTEX_INITIALIZER };

_Thread_local const char *arena_caller;
_Atomic uint64_t arena_ends;
struct arena_hidden arena_hidden;

#define LOCKED LOCKED_BY(&arena.lock, LOCK_ARENA)

/* ---- Lookup -------------------------------------------------------------- */

/* The record that @offset in the range belongs to, live or not, or NULL. */
static struct record *record_at(uint64_t offset)
{
	uintptr_t word = get(get(arena.table)[offset >> GRANULE_SHIFT]);
	struct slab *slab;

	ASSERT(offset < get(arena.size));
	if (!(word & SLAB_BIT))
		return (struct record *)word;
	slab = (struct slab *)(word & ~(uintptr_t)SLAB_BIT);
	return &slab->records[(offset & (GRANULE - 1)) >> slab->shift];
}

bool arena_find(uint64_t address, struct block *block)
{
	uint64_t offset = address - get(arena.base);
	const struct record *record;

	if (offset >= get(arena.size))
		return registered_find(address, block);
	record = record_at(offset);
	return record && record_find(record, address, block);
}

bool arena_owns(uint64_t address)
{
	return address - get(arena.base) < get(arena.size);
}

/* Where a large block ends inside of a granule, or a gap follows it. */
static bool is_of(const struct record *record, uint64_t address)
{
	return record && get(record->size) && address >= get(record->base) &&
	       address - get(record->base) < get(record->size) + 2 * GRANULE;
}

bool arena_look(uint64_t address, struct block *block, bool *freed)
{
	const uint64_t offset = address - get(arena.base);
	const struct record *record;

	if (offset >= get(arena.size))
		return false;
	record = record_at(offset);
	if (!record && offset >= GRANULE)
		record = record_at(offset - GRANULE);
	if (!is_of(record, address))
		return false;
	*block = record_block(record);
	*freed = !get(record->live);
	return true;
}

struct nearest {
	uint64_t address, distance;
	const struct record *record;
};

/* Keeps @record when it is nearer than the one in @n; of two equally near, the live one. */
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
	*block = record_block(n.record);
	*freed = !get(n.record->live);
	return true;
}

/* ---- The reserved range ---------------------------------------------------- */

/* The table and the checker's memory cover the zones as one range. */
int arena_prepare(struct err *e)
{
	const struct zone *device = &arena.zones[ZONE_DEVICE], *host = &arena.zones[ZONE_HOST];
	uint64_t size;
	void *table;

	if (get(arena.size))
		return 0;
	TRY(zones_reserve(arena.zones, config.memory, config.shared_with_host, e));
	size = device->size + host->size;
	table = mmap(NULL, (size >> GRANULE_SHIFT) * sizeof(uintptr_t), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table == MAP_FAILED)
		return err_set(e, GPURUN_NO_MEMORY, "cannot reserve addresses for device memory");
	TRY(shadow_reserve(device->base, size, e));
	if (device->distance) {
		set(arena_hidden.base, device->base);
		set(arena_hidden.distance, device->distance);
		set(arena_hidden.size, device->size);
	}
	set(arena.base, device->base);
	set(arena.table, table);
	set(arena.size, size);
	return 0;
}

static uint64_t granule_of(uint64_t address)
{
	return (address - get(arena.base)) >> GRANULE_SHIFT;
}

static unsigned zone_of(uint64_t address)
{
	return address >= arena.zones[ZONE_HOST].base ? ZONE_HOST : ZONE_DEVICE;
}

/* Stores @word for the @count granules from @address on. */
static void set_words(uint64_t address, uint64_t count, uintptr_t word)
{
	_Atomic uintptr_t *words = get(arena.table) + granule_of(address);

	ASSERT(granule_of(address) + count <= get(arena.size) >> GRANULE_SHIFT);
	for (uint64_t i = 0; i < count; i++)
		set(words[i], word);
}

/* ---- Blocks ------------------------------------------------------------------ */

static void publish(struct record *record, uint64_t base, uint64_t size, enum block_kind kind)
{
	ASSERT(lock_is_held(LOCK_ARENA));
	record_publish(record, &(struct block){ .base = base, .size = size, .kind = kind,
						 .serial = ++arena.serial,
						 .made_by = arena_caller });
	shadow_set_written(base, size, kind != BLOCK_DEVICE && kind != BLOCK_HEAP);
	race_forget(base, size);
}

static struct record *record_new(void)
{
	struct record *record = NULL, **slot;

	if (arena.free_large.count > KEEP_FREED)
		return queue_pop(&arena.free_large);
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

static bool slab_new(unsigned zone, unsigned shift)
{
	size_t cells = GRANULE >> shift;
	struct slab *slab;
	uint64_t base;

	ASSERT(shift >= MIN_SHIFT && shift <= MAX_SHIFT);
	slab = calloc(1, sizeof(*slab) + cells * sizeof(slab->records[0]));
	base = slab ? zone_allocate(&arena.zones[zone], 1, 1, 1) : 0;
	if (!base) {
		free(slab);
		return false;
	}
	slab->shift = shift;
	slab->next = arena.slabs;
	arena.slabs = slab;
	for (size_t i = 0; i < cells; i++) {
		set(slab->records[i].base, base + ((uint64_t)i << shift));
		queue_push(&arena.free_cells[zone][shift - MIN_SHIFT], &slab->records[i]);
	}
	set_words(base, 1, (uintptr_t)slab | SLAB_BIT);
	return true;
}

static struct record *small_alloc(unsigned zone, unsigned shift, uint64_t size,
				  enum block_kind kind)
{
	struct queue *queue = &arena.free_cells[zone][shift - MIN_SHIFT];
	struct record *record;

	if (!queue->first && !slab_new(zone, shift))
		return NULL;
	record = queue_pop(queue);
	ASSERT(size + RED_ZONE <= 1ull << shift && zone_of(get(record->base)) == zone);
	publish(record, get(record->base), size, kind);
	return record;
}

static struct record *large_alloc(unsigned zone, uint64_t size, uint64_t align,
				  enum block_kind kind)
{
	uint64_t count = align_up(size, GRANULE) >> GRANULE_SHIFT, base;
	struct record *record;

	base = zone_allocate(&arena.zones[zone], count + 1, count, align);
	if (!base)
		return NULL;
	record = record_new();
	if (!record) {
		zone_release(&arena.zones[zone], base, count + 1);
		return NULL;
	}
	ASSERT(base % GRANULE == 0 && zone_of(base) == zone);
	publish(record, base, size, kind);
	set_words(base, count, (uintptr_t)record);
	return record;
}

/* The cell for @size bytes aligned to @align, as a power of two; 0 when it needs granules. */
static unsigned cell_shift(uint64_t size, uint64_t align)
{
	for (unsigned shift = MIN_SHIFT; shift <= MAX_SHIFT; shift++)
		if ((uint64_t)1 << shift >= size + RED_ZONE && (uint64_t)1 << shift >= align)
			return shift;
	return 0;
}

/* Bytes that a block of @kind may still have: a program does not get the reserve. */
static uint64_t available(enum block_kind kind)
{
	const uint64_t part = config.memory / 64, most = part < MOST_RESERVE ? part : MOST_RESERVE;
	const uint64_t free = config.memory - arena.used;
	const bool own = kind > BLOCK_MAPPED || kind == BLOCK_REGISTERED; /* of the device itself */

	return own ? free : free > most ? free - most : 0;
}

int arena_alloc(uint64_t size, uint64_t align, enum block_kind kind, uint64_t *address,
		struct err *e)
{
	const unsigned zone = HOSTS >> kind & 1 ? ZONE_HOST : ZONE_DEVICE;
	struct record *record;
	unsigned shift;
	LOCKED;

	*address = 0;
	if (!size || (align & (align - 1)))
		return err_set(e, GPURUN_INVALID, "no block of %llu bytes aligned to %llu",
			       (unsigned long long)size, (unsigned long long)align);
	if (size > available(kind))
		return err_set(e, GPURUN_NO_MEMORY,
			       "%llu bytes asked for, %llu of %llu bytes of device memory free",
			       (unsigned long long)size, (unsigned long long)available(kind),
			       (unsigned long long)config.memory);
	TRY(arena_prepare(e));
	shift = cell_shift(size, align);
	record = shift ? small_alloc(zone, shift, size, kind) :
			 large_alloc(zone, size, align, kind);
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
	uintptr_t word = get(get(arena.table)[granule_of(base)]);
	const unsigned zone = zone_of(base);
	void *memory = arena_bytes(base);

	ASSERT(lock_is_held(LOCK_ARENA) && arena.used >= size);
	set(record->freed_by, arena_caller);
	record_end(record);
	arena.used -= size;
	if (word & SLAB_BIT) {
		unsigned shift = ((struct slab *)(word & ~(uintptr_t)SLAB_BIT))->shift;

		memset(memory, 0, (size_t)1 << shift);
		queue_push(&arena.free_cells[zone][shift - MIN_SHIFT], record);
		return;
	}
	count = align_up(size, GRANULE) >> GRANULE_SHIFT;
	madvise(memory, count << GRANULE_SHIFT, MADV_DONTNEED);
	shadow_set_written(base, size, false);
	queue_push(&arena.free_large, record);
	zone_release(&arena.zones[zone], base, count + 1);
}

/* Tells whether bytes of @base .. @base + @size - 1 lie in the reserved range. */
static bool touches_range(uint64_t base, uint64_t size)
{
	return base < get(arena.base) + get(arena.size) && get(arena.base) < base + size;
}

int arena_register(void *pointer, uint64_t size, struct err *e)
{
	uint64_t base = (uintptr_t)pointer, end;
	struct record *record;
	LOCKED;

	if (!size || __builtin_add_overflow(base, size, &end) || touches_range(base, size) ||
	    registered_overlaps(base, size))
		return err_set(e, GPURUN_INVALID, "%p, %llu bytes: registered already", pointer,
			       (unsigned long long)size);
	record = registered_room() ? record_new() : NULL;
	if (!record)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory registering %p", pointer);
	publish(record, base, size, BLOCK_REGISTERED);
	registered_add(record);
	return 0;
}

static bool unregister(uint64_t address)
{
	struct record *record = registered_remove(address);

	if (!record)
		return false;
	set(record->freed_by, arena_caller);
	record_end(record);
	queue_push(&arena.free_large, record);
	return true;
}

/* The live block that starts at @address in the range, or NULL. */
static struct record *record_from(uint64_t address)
{
	struct record *record = NULL;

	if (arena_owns(address))
		record = record_at(address - get(arena.base));
	return record && get(record->live) && get(record->base) == address ? record : NULL;
}

void arena_note(uint64_t address, uint64_t owner, uint32_t flags)
{
	struct record *record;
	LOCKED;

	record = record_from(address);
	if (!record)
		record = registered_at(address);
	if (!record)
		return;
	set(record->owner, owner);
	set(record->flags, flags);
}

void arena_retire(uint64_t address)
{
	struct record *record;
	LOCKED;

	record = record_from(address);
	if (record)
		set(record->kind, (uint32_t)BLOCK_RETIRED);
}

int arena_free(uint64_t address, struct err *e)
{
	struct record *record;
	LOCKED;

	if (unregister(address))
		return 0;
	record = record_from(address);
	if (!record || get(record->kind) == BLOCK_MAPPED)
		return err_set(e, GPURUN_INVALID, "%#llx is not the start of a block",
			       (unsigned long long)address);
	release(record);
	return 0;
}

bool arena_free_of(uint64_t address, enum block_kind kind, uint64_t owner, uint64_t *size)
{
	struct record *record;
	LOCKED;

	record = record_from(address);
	if (!record || get(record->kind) != kind || get(record->owner) != owner)
		return false;
	*size = get(record->size);
	release(record);
	return true;
}

/* Tells whether arena_clear() releases @record; modules free their variables themselves. */
static bool should_release(const struct record *record,
			   bool (*is_ending)(uint64_t, uint64_t), uint64_t ending)
{
	const struct block block = record_block(record);

	return get(record->live) && !(KEPT >> block.kind & 1) && is_ending(block.owner, ending);
}

void arena_report_leak(uint64_t address)
{
	const struct record *record;
	LOCKED;

	record = record_from(address);
	if (record)
		record_report_leak(record, LEAKING, NULL, 0);
}

void arena_report_leaks(unsigned kinds, bool (*is_ending)(uint64_t owner, uint64_t ending),
			uint64_t ending)
{
	LOCKED;

	for (size_t i = 0; i < arena.large_count; i++)
		record_report_leak(arena.large[i], kinds, is_ending, ending);
	for (struct slab *slab = arena.slabs; slab; slab = slab->next)
		for (size_t i = 0; i < GRANULE >> slab->shift; i++)
			record_report_leak(&slab->records[i], kinds, is_ending, ending);
}

void arena_clear(bool (*is_ending)(uint64_t owner, uint64_t ending), uint64_t ending)
{
	LOCKED;

	for (size_t i = 0; i < arena.large_count; i++) {
		struct record *record = arena.large[i];

		if (!should_release(record, is_ending, ending))
			continue;
		if (get(record->kind) == BLOCK_REGISTERED)
			unregister(get(record->base));
		else
			release(record);
	}
	for (struct slab *slab = arena.slabs; slab; slab = slab->next)
		for (size_t i = 0; i < GRANULE >> slab->shift; i++)
			if (should_release(&slab->records[i], is_ending, ending))
				release(&slab->records[i]);
}

/* ---- Addresses without memory --------------------------------------------------- */

int arena_reserve(uint64_t size, uint64_t align, uint64_t *address, struct err *e)
{
	LOCKED;

	*address = 0;
	TRY(arena_prepare(e));
	*address = zone_allocate(&arena.zones[ZONE_DEVICE], (size >> GRANULE_SHIFT) + 1, 0, align);
	if (!*address)
		return err_set(e, GPURUN_NO_MEMORY, "no %llu bytes of addresses are free",
			       (unsigned long long)size);
	return 0;
}

void arena_unreserve(uint64_t address, uint64_t size)
{
	LOCKED;

	zone_release(&arena.zones[ZONE_DEVICE], address, (size >> GRANULE_SHIFT) + 1);
}

int arena_map(uint64_t address, uint64_t size, struct err *e)
{
	struct record *record;
	LOCKED;

	ASSERT(address % GRANULE == 0 && size % GRANULE == 0);
	record = record_new();
	if (!record)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a mapping");
	publish(record, address, size, BLOCK_MAPPED);
	set_words(address, size >> GRANULE_SHIFT, (uintptr_t)record);
	return 0;
}

void arena_unmap(uint64_t address)
{
	struct record *record;
	LOCKED;

	record = record_from(address);
	if (!record || get(record->kind) != BLOCK_MAPPED)
		return;
	set(record->freed_by, arena_caller);
	record_end(record);
	queue_push(&arena.free_large, record);
}

bool arena_charge(int64_t bytes)
{
	LOCKED;

	if (bytes > 0 && (uint64_t)bytes > available(BLOCK_MAPPED))
		return false;
	ASSERT(bytes >= 0 || arena.used >= -(uint64_t)bytes);
	arena.used += (uint64_t)bytes;
	return true;
}

void arena_usage(uint64_t *free, uint64_t *limit)
{
	LOCKED;

	*free = available(BLOCK_DEVICE);
	*limit = config.memory;
}
