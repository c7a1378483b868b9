/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Objects behind handles. A handle is a generation, a kind and a slot in one
 * number; slots are in a growing table that is never freed, so a stale or
 * made-up handle is refused by reading its slot alone.
 *
 * An object has initially one reference, its creator's, which is released when
 * the handle is closed; calls that use it hold another meanwhile; a child holds
 * its parent. The last release destroys the object, then releases its parent.
 * Only object.c and what is inline here touch the counts.
 *
 * A handle is SIGNATURE:32 | SLOT:32, a signature GENERATION:28 | KIND:4. A
 * slot's word is SIGNATURE:32 | REFERENCES:32; closing a handle zeroes the
 * signature and leaves the count. Slots never move, so that looking one up
 * needs no lock: the first are in an array, the others in chunks that double
 * in size.
 */
#ifndef RUNTIME_OBJECT_H
#define RUNTIME_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "asserts.h"
#include "cleanup.h"
#include "err.h"

enum object_kind {
	OBJECT_DEVICE = 1,
	OBJECT_MODULE,
	OBJECT_KERNEL,
	OBJECT_STREAM,
	OBJECT_EVENT,
	OBJECT_VARIABLE,
	OBJECT_KINDS,
};

enum {
	OBJECT_KIND_BITS = 4,
	OBJECT_NEAR = 1024, /* slots that exist from the start */
};

static_assert(OBJECT_KINDS <= 1 << OBJECT_KIND_BITS, "a kind has so many bits of a handle");

struct object_slot {
	_Atomic uint64_t word;
	union {
		struct object *object;
		struct object_slot *next_free;
	};
	uint32_t index;
	uint32_t generation; /* of the next object here */
	uint64_t pad;        /* to a power of two */
};

static_assert(sizeof(struct object_slot) == 32, "a slot's address is a shift away");

/* First member of device, module, kernel, stream, event and variable. */
struct object {
	struct object_slot *slot;
	uint64_t handle;
	struct object *parent;                  /* owned reference, or NULL */
	void (*destroy)(struct object *object); /* failures go to api_failed() */
	struct object *newer, *older;           /* of its kind; under the runtime's lock */
};

extern struct object_slot object_near[OBJECT_NEAR];

/* Returns the kind that @handle claims, live or not. */
static inline enum object_kind object_kind_of(uint64_t handle)
{
	return (enum object_kind)(handle >> 32 & ((1 << OBJECT_KIND_BITS) - 1));
}

/* The part of object_slot() for slots in chunks. */
struct object_slot *object_far_slot(uint32_t index);

/* Returns the slot of @handle, used or not; NULL where there is none yet. */
static inline struct object_slot *object_slot(uint64_t handle)
{
	uint32_t index = (uint32_t)handle;

	return index < OBJECT_NEAR ? &object_near[index] : object_far_slot(index);
}

static inline uint32_t object_signature(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

/*
 * Creates a handle for @object and retains @parent (NULL: none). The last step of a
 * constructor: from here on @destroy runs when the last reference is released.
 * GPURUN_NO_MEMORY; the caller then still owns @object.
 */
int object_add(struct object *object, enum object_kind kind, struct object *parent,
	       void (*destroy)(struct object *object), struct err *e);

/* The same when the slot of @handle is known, and that its kind is right. */
static inline struct object *object_hold_slot(struct object_slot *slot, uint64_t handle)
{
	uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);

	do {
		if (object_signature(word) != object_signature(handle))
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(
		&slot->word, &word, word + 1, memory_order_acquire, memory_order_relaxed));
	if (!slot->object)
		__builtin_unreachable();
	return slot->object;
}

/* Returns the object of @kind behind @handle with one more reference; NULL: none. */
static inline struct object *object_hold(uint64_t handle, enum object_kind kind)
{
	struct object_slot *slot = object_slot(handle);

	return slot && object_kind_of(handle) == kind ? object_hold_slot(slot, handle) : NULL;
}

/* Reports why object_hold() returned NULL. GPURUN_HANDLE. */
int object_refuse(uint64_t handle, enum object_kind kind, struct err *e);

/* Finds the object of @kind behind @handle and adds a reference. GPURUN_HANDLE. */
int object_get(uint64_t handle, enum object_kind kind, void *out, struct err *e);

/* Adds a reference to an object that the caller knows to be alive. */
void object_retain(struct object *object);

/* Tells whether the handle of @object is still open. */
bool object_is_open(const struct object *object);

/* Tells whether @handle is open, without a reference: it may be closed meanwhile. */
bool object_is_live(uint64_t handle);

/* Drops a reference; tells whether it was the last. The handle is closed then and the
 * whole word is zero: its owner's reference ends with the handle. */
static inline bool object_drop(struct object *object)
{
	ASSERT((uint32_t)atomic_load(&object->slot->word));
	return atomic_fetch_sub_explicit(&object->slot->word, 1, memory_order_acq_rel) == 1;
}

/* Destroys an object without references. */
void object_gone(struct object *object);

/* Drops a reference. NULL: nothing. */
static inline void object_put(struct object *object)
{
	if (object && __builtin_expect(object_drop(object), 0))
		object_gone(object);
}

static inline void put_object(void *object)
{
	object_put(*(struct object **)object);
}

/*
 * Makes @handle invalid and passes its creator's reference to the caller, which
 * drops it. GPURUN_HANDLE when it was no live handle of @kind: of several
 * threads that close the same handle, one succeeds.
 */
int object_close(uint64_t handle, enum object_kind kind, void *out, struct err *e);

/* Returns the handle of the newest object of @kind whose handle is open, or 0. */
uint64_t object_newest(enum object_kind kind);

/* Calls @visit for each live object of @kind, newest first, under the runtime's lock. */
void object_each(enum object_kind kind, void (*visit)(struct object *object, void *data),
		 void *data);

#endif
