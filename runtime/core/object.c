/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object.h"

#include <stddef.h>

#include "asserts.h"
#include "lock.h"
#include "runtime.h"

enum { LAST_GENERATION = (1 << 28) - 1 };

enum { CHUNKS = 22 };

static_assert((uint64_t)OBJECT_NEAR << CHUNKS == (uint64_t)1 << 32, "chunks have all other slots");
static_assert((uint64_t)LAST_GENERATION << OBJECT_KIND_BITS <= UINT32_MAX,
	      "a signature has 32 bits");

struct object_slot object_near[OBJECT_NEAR];

/* Changed under the runtime's lock. Chunk N has OBJECT_NEAR << N slots. */
static _Atomic(struct object_slot *) chunks[CHUNKS];

/* Guarded by the runtime's lock. */
static struct {
	uint32_t count; /* slots ever used */
	struct object_slot *free_first, *free_last; /* used in order: generations last */
	struct object *newest[OBJECT_KINDS];
} table;

/* The chunk that has slot @index, which is beyond the near ones. */
static unsigned chunk_of(uint32_t index)
{
	ASSERT(index >= OBJECT_NEAR);
	return 31 - (unsigned)__builtin_clz(index / OBJECT_NEAR);
}

struct object_slot *object_far_slot(uint32_t index)
{
	unsigned chunk = chunk_of(index);
	struct object_slot *slots = atomic_load_explicit(&chunks[chunk], memory_order_acquire);

	return slots ? &slots[index - ((uint32_t)OBJECT_NEAR << chunk)] : NULL;
}

static struct object_slot *slot_new(void)
{
	uint32_t index = table.count;
	struct object_slot *slot = object_slot(index);

	ASSERT(lock_is_held(LOCK_RUNTIME));
	if (!slot && index < UINT32_MAX) {
		unsigned chunk = chunk_of(index);

		chunks[chunk] = calloc((size_t)OBJECT_NEAR << chunk, sizeof(*slot));
		slot = object_slot(index);
	}
	if (!slot || index == UINT32_MAX)
		return NULL;
	slot->index = index;
	slot->generation = 1;
	table.count = index + 1;
	return slot;
}

static struct object_slot *slot_pop(void)
{
	struct object_slot *slot = table.free_first;

	ASSERT(lock_is_held(LOCK_RUNTIME) && !table.free_first == !table.free_last);
	if (!slot)
		return slot_new();
	table.free_first = slot->next_free;
	if (!table.free_first)
		table.free_last = NULL;
	return slot;
}

/* A slot whose generations are used up is not used again. */
static void slot_push(struct object_slot *slot)
{
	ASSERT(lock_is_held(LOCK_RUNTIME) && slot->generation);
	ASSERT(slot->generation <= LAST_GENERATION);
	slot->next_free = NULL;
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
	ASSERT(lock_is_held(LOCK_RUNTIME));
	ASSERT(!table.newest[kind] || !table.newest[kind]->newer);
	object->older = table.newest[kind];
	object->newer = NULL;
	if (object->older)
		object->older->newer = object;
	table.newest[kind] = object;
}

static void list_remove(struct object *object, enum object_kind kind)
{
	ASSERT(lock_is_held(LOCK_RUNTIME) && kind && kind < OBJECT_KINDS);
	ASSERT(!object->older || object->older->newer == object);
	ASSERT((object->newer ? object->newer->older : table.newest[kind]) == object);
	if (object->older)
		object->older->newer = object->newer;
	if (object->newer)
		object->newer->older = object->older;
	else
		table.newest[kind] = object->older;
}

int object_add(struct object *object, enum object_kind kind, struct object *parent,
	       void (*destroy)(struct object *object), struct err *e)
{
	struct object_slot *slot;
	uint64_t signature;

	ASSERT(kind && kind < OBJECT_KINDS && destroy);
	runtime_lock();
	slot = slot_pop();
	if (!slot) {
		runtime_unlock();
		return err_set(e, GPURUN_NO_MEMORY, "no memory for another handle");
	}
	ASSERT(!atomic_load(&slot->word)); /* it is free */
	signature = (uint64_t)slot->generation << OBJECT_KIND_BITS | (uint64_t)kind;
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
	[OBJECT_VARIABLE] = "variable",
};

/* The rest of the article before the name of @kind. */
static const char *an(enum object_kind kind)
{
	return kind == OBJECT_EVENT ? "n" : "";
}

int object_refuse(uint64_t handle, enum object_kind kind, struct err *e)
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
	struct object *object = object_hold(handle, kind);

	*(void **)out = object;
	return object ? 0 : object_refuse(handle, kind, e);
}

int object_close(uint64_t handle, enum object_kind kind, void *out, struct err *e)
{
	struct object_slot *slot = object_slot(handle);
	uint64_t word;

	*(void **)out = NULL;
	if (!slot || object_kind_of(handle) != kind)
		return object_refuse(handle, kind, e);
	word = atomic_load_explicit(&slot->word, memory_order_relaxed);
	do {
		if (object_signature(word) != object_signature(handle))
			return object_refuse(handle, kind, e);
	} while (!atomic_compare_exchange_weak_explicit(&slot->word, &word,
							(uint32_t)word,
							memory_order_acq_rel,
							memory_order_relaxed));
	*(void **)out = slot->object;
	return 0;
}

void object_retain(struct object *object)
{
	ASSERT((uint32_t)atomic_load(&object->slot->word));
	atomic_fetch_add_explicit(&object->slot->word, 1, memory_order_relaxed);
}

bool object_is_open(const struct object *object)
{
	return object_signature(atomic_load(&object->slot->word)) != 0;
}

bool object_is_live(uint64_t handle)
{
	struct object_slot *slot = object_slot(handle);

	return slot && object_signature(handle) &&
	       object_signature(atomic_load(&slot->word)) == object_signature(handle);
}

/* Destroys an object without references; returns its parent, whose reference is the
 * caller's now. */
static struct object *destroy(struct object *object)
{
	struct object *parent = object->parent;

	ASSERT(!atomic_load(&object->slot->word) && object->slot->object == object);
	runtime_lock();
	list_remove(object, object_kind_of(object->handle));
	slot_push(object->slot);
	runtime_unlock();
	object->destroy(object);
	return parent;
}

void object_gone(struct object *object)
{
	/* The last reference to a child may hold the last one to its parent. */
	do
		object = destroy(object);
	while (object && object_drop(object));
}

uint64_t object_newest(enum object_kind kind)
{
	struct object *object;
	uint64_t handle;

	runtime_lock();
	object = table.newest[kind];
	while (object && !object_is_open(object))
		object = object->older;
	handle = object ? object->handle : 0;
	runtime_unlock();
	return handle;
}

void object_each(enum object_kind kind, void (*visit)(struct object *object, void *data),
		 void *data)
{
	runtime_lock();
	for (struct object *object = table.newest[kind]; object; object = object->older)
		visit(object, data);
	runtime_unlock();
}
