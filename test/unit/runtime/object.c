/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object.h"

#include "tap.h"

struct thing {
	struct object object;
	int *destroyed; /* counts up; the order is kept in its value */
	int at;
};

static void destroy(struct object *object)
{
	struct thing *thing = (struct thing *)object;

	thing->at = ++*thing->destroyed;
}

static void add(struct thing *thing, enum object_kind kind, struct object *parent)
{
	struct err e;

	CHECK_INT(object_add(&thing->object, kind, parent, destroy, &e), 0);
}

/* Drops the creator's reference, as a user's destroy does. */
static int release(uint64_t handle, enum object_kind kind)
{
	struct object *object;
	int status = object_close(handle, kind, &object, NULL);

	object_put(object);
	return status;
}

/* A child keeps its parent: the device goes after the module, whichever is asked first. */
static void test_parent(void)
{
	int destroyed = 0;
	struct thing device = { .destroyed = &destroyed }, module = { .destroyed = &destroyed };
	struct object *found;

	add(&device, OBJECT_DEVICE, NULL);
	add(&module, OBJECT_MODULE, &device.object);
	CHECK_INT(release(device.object.handle, OBJECT_DEVICE), 0);
	CHECK_INT(destroyed, 0);
	CHECK_INT(object_get(device.object.handle, OBJECT_DEVICE, &found, NULL), GPURUN_HANDLE);
	CHECK_INT(release(module.object.handle, OBJECT_MODULE), 0);
	CHECK_INT(module.at, 1);
	CHECK_INT(device.at, 2);
	CHECK_INT(object_get(module.object.handle, OBJECT_MODULE, &found, NULL), GPURUN_HANDLE);
	CHECK(!found);
}

/* Live until it is closed, whatever still uses it; what is no handle is not. */
static void test_live(void)
{
	int destroyed = 0;
	struct thing event = { .destroyed = &destroyed };
	struct object *user, *closed;
	uint64_t handle;

	add(&event, OBJECT_EVENT, NULL);
	handle = event.object.handle;
	CHECK(object_is_live(handle));
	CHECK(!object_is_live(0));
	CHECK(!object_is_live((uint32_t)handle));
	CHECK(!object_is_live(handle + ((uint64_t)1 << 36)));
	CHECK(!object_is_live(handle | 0xffffffff));
	CHECK_INT(object_get(handle, OBJECT_EVENT, &user, NULL), 0);
	CHECK_INT(object_close(handle, OBJECT_EVENT, &closed, NULL), 0);
	CHECK(!object_is_live(handle));
	object_put(closed);
	CHECK_INT(destroyed, 0);
	object_put(user);
	CHECK_INT(destroyed, 1);
}

static void test_refused(void)
{
	int destroyed = 0;
	struct thing stream = { .destroyed = &destroyed };
	struct object *found;
	struct err e;

	add(&stream, OBJECT_STREAM, NULL);
	CHECK_INT(object_get(0, OBJECT_STREAM, &found, &e), GPURUN_HANDLE);
	CHECK_STR(e.text, "no stream: the handle is 0");
	CHECK_INT(object_get(stream.object.handle, OBJECT_EVENT, &found, &e), GPURUN_HANDLE);
	CHECK_HAS(e.text, "is a stream, not an event");
	CHECK_INT(object_get(stream.object.handle + ((uint64_t)1 << 36), OBJECT_STREAM, &found,
			     &e),
		  GPURUN_HANDLE);
	CHECK_INT(object_get(stream.object.handle | 0xffffffff, OBJECT_STREAM, &found, &e),
		  GPURUN_HANDLE);
	CHECK_INT(release(stream.object.handle, OBJECT_STREAM), 0);
	CHECK_INT(release(stream.object.handle, OBJECT_STREAM), GPURUN_HANDLE);
	CHECK_INT(destroyed, 1);
}

/* A call that is inside keeps the object, though its handle is closed. */
static void test_used_while_closed(void)
{
	int destroyed = 0;
	struct thing event = { .destroyed = &destroyed };
	struct object *used;

	add(&event, OBJECT_EVENT, NULL);
	CHECK_INT(object_get(event.object.handle, OBJECT_EVENT, &used, NULL), 0);
	CHECK(used == &event.object);
	CHECK(object_is_open(used));
	CHECK_INT(release(event.object.handle, OBJECT_EVENT), 0);
	CHECK(!object_is_open(used));
	CHECK_INT(destroyed, 0);
	object_put(used);
	CHECK_INT(destroyed, 1);
}

/* The table grows, slots are used again, and no two handles are ever the same. */
static void test_growth(void)
{
	enum { MANY = 3000 };
	static struct thing things[MANY];
	static uint64_t first[MANY];
	struct object *found;
	uint32_t last = 0; /* of the slots of the first round */
	int destroyed = 0;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++) {
			uint32_t slot;

			things[i] = (struct thing){ .destroyed = &destroyed };
			add(&things[i], OBJECT_KERNEL, NULL);
			slot = (uint32_t)things[i].object.handle;
			if (round)
				CHECK(slot <= last);
			else if (slot > last)
				last = slot;
		}
		for (int i = 0; i < MANY; i++) {
			CHECK_INT(object_get(things[i].object.handle, OBJECT_KERNEL, &found, NULL),
				  0);
			CHECK(found == &things[i].object);
			object_put(found);
			if (round)
				CHECK_INT(object_get(first[i], OBJECT_KERNEL, &found, NULL),
					  GPURUN_HANDLE);
			first[i] = things[i].object.handle;
		}
		CHECK_INT(object_newest(OBJECT_KERNEL), things[MANY - 1].object.handle);
		for (int i = 0; i < MANY; i++)
			CHECK_INT(release(things[i].object.handle, OBJECT_KERNEL), 0);
		CHECK_INT(object_newest(OBJECT_KERNEL), 0);
	}
	CHECK_INT(destroyed, 2 * MANY);
}

int main(void)
{
	RUN(test_parent);
	RUN(test_live);
	RUN(test_refused);
	RUN(test_used_while_closed);
	RUN(test_growth);
	return tap_end();
}
