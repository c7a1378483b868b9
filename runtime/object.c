/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A handle is SIGNATURE:32 | SLOT:32, a signature GENERATION:28 | KIND:4. A
 * slot's word is SIGNATURE:32 | REFERENCES:32; closing a handle zeroes the
 * signature and leaves the count. Slots stand in chunks that double in size
 * and never move, so that looking one up takes no lock.
 */
#include "object.h"

#include <stddef.h>

#include "runtime.h"

struct object_slot {
	_Atomic uint64_t word;
	struct object *object;
	uint32_t index;
	uint32_t generation; /* of the next object here */
	struct object_slot *next_free;
};

enum {
	FIRST_CHUNK_BITS = 8,
	CHUNKS = 20,
	KIND_BITS = 4,
	LAST_GENERATION = (1 << 28) - 1,
};

/* Guarded by the runtime's lock, but for chunks[] and count, which readers follow. */
static struct {
	struct object_slot *_Atomic chunks[CHUNKS];
	_Atomic uint32_t count; /* slots ever used */
	struct object_slot *free_first, *free_last; /* reused in turn: generations last longer */
	struct object *newest[OBJECT_KINDS];
} table;

static uint32_t signature_of(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

/* Returns the slot with @index, which is below table.count. */
static struct object_slot *slot_at(uint32_t index)
{
	uint32_t shifted = index + (1u << FIRST_CHUNK_BITS);
	unsigned top = 31 - (unsigned)__builtin_clz(shifted);

	return &table.chunks[top - FIRST_CHUNK_BITS][shifted - (1u << top)];
}

static struct object_slot *slot_new(void)
{
	uint32_t index = table.count;
	uint32_t shifted = index + (1u << FIRST_CHUNK_BITS);
	unsigned top = 31 - (unsigned)__builtin_clz(shifted);
	struct object_slot *_Atomic *chunk = &table.chunks[top - FIRST_CHUNK_BITS];
	struct object_slot *slot;

	if (top - FIRST_CHUNK_BITS >= CHUNKS)
		return NULL;
	if (!*chunk)
		*chunk = calloc((size_t)1 << top, sizeof(**chunk));
	if (!*chunk)
		return NULL;
	slot = &(*chunk)[shifted - (1u << top)];
	slot->index = index;
	slot->generation = 1;
	table.count = index + 1;
	return slot;
}

static struct object_slot *slot_take(void)
{
	struct object_slot *slot = table.free_first;

	if (!slot)
		return slot_new();
	table.free_first = slot->next_free;
	if (!table.free_first)
		table.free_last = NULL;
	slot->next_free = NULL;
	return slot;
}

/* A slot whose generations are used up is not given out again. */
static void slot_give(struct object_slot *slot)
{
	slot->object = NULL;
	if (slot->generation++ == LAST_GENERATION)
		return;
	if (table.free_last)
		table.free_last->next_free = slot;
	else
		table.free_first = slot;
	table.free_last = slot;
}

static void list_add(struct object *object, enum object_kind kind)
{
	object->older = table.newest[kind];
	object->newer = NULL;
	if (object->older)
		object->older->newer = object;
	table.newest[kind] = object;
}

static void list_remove(struct object *object, enum object_kind kind)
{
	if (object->older)
		object->older->newer = object->newer;
	if (object->newer)
		object->newer->older = object->older;
	else
		table.newest[kind] = object->older;
}

enum object_kind object_kind_of(uint64_t handle)
{
	return (enum object_kind)(handle >> 32 & ((1 << KIND_BITS) - 1));
}

int object_add(struct object *object, enum object_kind kind, struct object *parent,
	       void (*destroy)(struct object *object), struct err *e)
{
	struct object_slot *slot;
	uint64_t signature;

	runtime_lock();
	slot = slot_take();
	if (!slot) {
		runtime_unlock();
		return err_set(e, GPURUN_NO_MEMORY, "no memory for another handle");
	}
	signature = (uint64_t)slot->generation << KIND_BITS | (uint64_t)kind;
	object->slot = slot;
	object->handle = signature << 32 | slot->index;
	object->destroy = destroy;
	object->parent = parent;
	if (parent)
		object_retain(parent);
	list_add(object, kind);
	slot->object = object;
	atomic_store_explicit(&slot->word, signature << 32 | 1, memory_order_release);
	runtime_unlock();
	return 0;
}

static const char *const kind_names[OBJECT_KINDS] = {
	[OBJECT_DEVICE] = "device", [OBJECT_MODULE] = "module", [OBJECT_KERNEL] = "kernel",
	[OBJECT_STREAM] = "stream", [OBJECT_EVENT] = "event",
};

/* The rest of the article before the name of @kind. */
static const char *an(enum object_kind kind)
{
	return kind == OBJECT_EVENT ? "n" : "";
}

static int refuse(uint64_t handle, enum object_kind kind, struct err *e)
{
	enum object_kind is = object_kind_of(handle);
	const char *wanted = kind_names[kind];

	if (!handle)
		return err_set(e, GPURUN_HANDLE, "no %s: the handle is 0", wanted);
	if (is && is < OBJECT_KINDS && is != kind)
		return err_set(e, GPURUN_HANDLE, "handle %#llx is a%s %s, not a%s %s",
			       (unsigned long long)handle, an(is), kind_names[is], an(kind),
			       wanted);
	return err_set(e, GPURUN_HANDLE, "handle %#llx is no live %s",
		       (unsigned long long)handle, wanted);
}

int object_get(uint64_t handle, enum object_kind kind, void *out, struct err *e)
{
	uint32_t index = (uint32_t)handle;
	struct object_slot *slot;
	uint64_t word;

	*(void **)out = NULL;
	if (object_kind_of(handle) != kind ||
	    index >= atomic_load_explicit(&table.count, memory_order_acquire))
		return refuse(handle, kind, e);
	slot = slot_at(index);
	word = atomic_load_explicit(&slot->word, memory_order_relaxed);
	do {
		if (signature_of(word) != signature_of(handle))
			return refuse(handle, kind, e);
	} while (!atomic_compare_exchange_weak_explicit(
		&slot->word, &word, word + 1, memory_order_acquire, memory_order_relaxed));
	*(void **)out = slot->object;
	return 0;
}

int object_close(uint64_t handle, enum object_kind kind, void *out, struct err *e)
{
	struct object_slot *slot;
	uint64_t word;

	*(void **)out = NULL;
	if (object_kind_of(handle) != kind ||
	    (uint32_t)handle >= atomic_load_explicit(&table.count, memory_order_acquire))
		return refuse(handle, kind, e);
	slot = slot_at((uint32_t)handle);
	word = atomic_load_explicit(&slot->word, memory_order_relaxed);
	do {
		if (signature_of(word) != signature_of(handle))
			return refuse(handle, kind, e);
	} while (!atomic_compare_exchange_weak_explicit(&slot->word, &word,
							(uint32_t)word,
							memory_order_acq_rel,
							memory_order_relaxed));
	*(void **)out = slot->object;
	return 0;
}

void object_retain(struct object *object)
{
	atomic_fetch_add_explicit(&object->slot->word, 1, memory_order_relaxed);
}

bool object_is_open(const struct object *object)
{
	return signature_of(atomic_load(&object->slot->word)) != 0;
}

bool object_is_live(uint64_t handle)
{
	uint32_t index = (uint32_t)handle;

	if (!signature_of(handle) ||
	    index >= atomic_load_explicit(&table.count, memory_order_acquire))
		return false;
	return signature_of(atomic_load(&slot_at(index)->word)) == signature_of(handle);
}

/* Destroys an object without references; returns its parent, whose reference is the
 * caller's now. */
static struct object *destroy(struct object *object)
{
	struct object *parent = object->parent;

	runtime_lock();
	list_remove(object, object_kind_of(object->handle));
	slot_give(object->slot);
	runtime_unlock();
	object->destroy(object);
	return parent;
}

void object_put(struct object *object)
{
	while (object) {
		uint64_t word = atomic_fetch_sub_explicit(&object->slot->word, 1,
							  memory_order_acq_rel);

		if ((uint32_t)word != 1)
			return;
		/* The last reference to a child may be its parent's last too. */
		object = destroy(object);
	}
}

uint64_t object_newest(enum object_kind kind)
{
	struct object *object;

	runtime_lock();
	object = table.newest[kind];
	while (object && !object_is_open(object))
		object = object->older;
	runtime_unlock();
	return object ? object->handle : 0;
}

void object_each(enum object_kind kind, void (*visit)(struct object *object, void *data),
		 void *data)
{
	runtime_lock();
	for (struct object *object = table.newest[kind]; object; object = object->older)
		visit(object, data);
	runtime_unlock();
}
