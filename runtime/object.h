/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a handle stands for. A handle is a generation, a kind and a slot in one
 * number; slots live in a growing table that is never taken back, so a stale
 * or made-up handle is refused by looking at its slot alone.
 *
 * An object is born with one reference, its creator's, which goes when the
 * handle is closed; calls that use it hold another meanwhile; a child holds
 * its parent. The last release destroys the object, then releases its parent.
 * Only object.c touches the counts.
 */
#ifndef RUNTIME_OBJECT_H
#define RUNTIME_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cleanup.h"
#include "err.h"

enum object_kind {
	OBJECT_DEVICE = 1,
	OBJECT_MODULE,
	OBJECT_KERNEL,
	OBJECT_STREAM,
	OBJECT_EVENT,
	OBJECT_KINDS,
};

struct object_slot;

/* First member of device, module, kernel, stream and event. */
struct object {
	struct object_slot *slot;
	uint64_t handle;
	struct object *parent;                  /* owned reference, or NULL */
	void (*destroy)(struct object *object); /* failures go to api_failed() */
	struct object *newer, *older;           /* of its kind; under the runtime's lock */
};

/* Returns the kind that @handle claims, live or not. */
enum object_kind object_kind_of(uint64_t handle);

/*
 * Gives @object a handle and retains @parent (NULL: none). The last step of a
 * constructor: from here on @destroy runs when the last reference goes.
 * GPURUN_NO_MEMORY; @object is then still its maker's to free.
 */
int object_add(struct object *object, enum object_kind kind, struct object *parent,
	       void (*destroy)(struct object *object), struct err *e);

/* Finds the object of @kind behind @handle and adds a reference. GPURUN_HANDLE. */
int object_get(uint64_t handle, enum object_kind kind, void *out, struct err *e);

/* Adds a reference to an object that the caller knows to be alive. */
void object_retain(struct object *object);

/* Tells whether the handle of @object is still open. */
bool object_is_open(const struct object *object);

/* Tells whether @handle is open, without a reference: it may be closed meanwhile. */
bool object_is_live(uint64_t handle);

/* Drops a reference. Takes NULL. */
void object_put(struct object *object);

static inline void put_object(void *object)
{
	object_put(*(struct object **)object);
}

/*
 * Refuses @handle from now on and hands its creator's reference to the caller,
 * who drops it. GPURUN_HANDLE when it was no live handle of @kind: of several
 * threads that close the same handle, one succeeds.
 */
int object_close(uint64_t handle, enum object_kind kind, void *out, struct err *e);

/* Returns the handle of the newest object of @kind whose handle is open, or 0. */
uint64_t object_newest(enum object_kind kind);

/* Calls @visit for each live object of @kind, newest first, under the runtime's lock. */
void object_each(enum object_kind kind, void (*visit)(struct object *object, void *data),
		 void *data);

#endif
