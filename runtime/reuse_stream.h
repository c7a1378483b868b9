/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The driver's streams and events whose handles are closed, kept by their
 * device for the next that is created: making one costs more than a launch.
 *
 * What is parked stays in runtime.natives under the handle that was closed, so
 * that a program that still has the driver's pointer can be told. An adopted or
 * quarantined object is never parked; nothing is, once the library goes down.
 */
#ifndef RUNTIME_REUSE_STREAM_H
#define RUNTIME_REUSE_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct device;

enum { REUSE_POOL_SIZE = 64 };

enum reuse_kind {
	REUSE_STREAMS,      /* that may have work to do */
	REUSE_IDLE_STREAMS, /* that have none, and get none while they are parked */
	REUSE_EVENTS,
	REUSE_TIMING_EVENTS,
	REUSE_KINDS,
};

/* A driver object and the handle it had, or 0. */
struct reuse_item {
	void *native;
	uint64_t handle;
};

/* A ring, in the order of parking; under the runtime's lock. */
struct reuse_pool {
	struct reuse_item items[REUSE_POOL_SIZE];
	unsigned first;
	_Atomic unsigned count; /* read by who only wants to know whether to look */
};

/* Reads what the environment says of pools into the runtime. Under its lock. */
void reuse_configure(void);

/* Parks a driver object; false when it has to be destroyed instead. */
bool reuse_stream_put(struct device *device, enum reuse_kind kind,
		      struct reuse_item item);

/* Takes out the one that was parked first. False when there is none. */
bool reuse_stream_take(struct device *device, enum reuse_kind kind,
		       struct reuse_item *item);

/* Counts what is parked, as it was a moment ago. Takes no lock. */
unsigned reuse_stream_count(const struct device *device, enum reuse_kind kind);

/*
 * Notes that a quarantined stream is destroyed: it stays in runtime.natives, as
 * the last so many of them do, until the driver gives its address to another.
 */
void reuse_stream_quarantine(struct reuse_item item);

/* Tells whether @item is one of these: its driver stream is gone, not parked. */
bool reuse_stream_is_quarantined(struct reuse_item item);

/* Tells whether a parked stream has work to do. Takes the lock. */
bool reuse_stream_is_busy(struct device *device);

/* Destroys what is parked; failures go to api_failed(). */
void reuse_stream_release(struct device *device);

#endif
