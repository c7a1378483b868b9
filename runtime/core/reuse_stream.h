/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The driver's streams and events whose handles are closed, kept by their
 * device for the next that is created: creating one costs more than a launch.
 *
 * What is parked stays in runtime.natives under the handle that was closed, so that
 * a use of the driver's pointer by the program can be reported. An adopted or
 * quarantined object is never parked; nothing is when the library shuts down.
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
	_Atomic unsigned count; /* read without the lock as a hint */
};

/* Reads the environment's settings of pools into the runtime. Under its lock. */
void reuse_configure(void);

/* Parks a driver object; false when it has to be destroyed instead. */
bool reuse_stream_put(struct device *device, enum reuse_kind kind,
		      struct reuse_item item);

/* Removes the one that was parked first. False when there is none. */
bool reuse_stream_take(struct device *device, enum reuse_kind kind,
		       struct reuse_item *item);

/* Returns how many were parked a moment ago. Needs no lock. */
unsigned reuse_stream_count(const struct device *device, enum reuse_kind kind);

/*
 * Records that a quarantined stream is destroyed: it stays in runtime.natives, as a
 * limited number of the last ones do, until the driver reuses its address.
 */
void reuse_stream_quarantine(struct reuse_item item);

/* Tells whether @item is one of these: its driver stream is destroyed, not parked. */
bool reuse_stream_is_quarantined(struct reuse_item item);

/* Tells whether a parked stream has work to do. Acquires the lock. */
bool reuse_stream_is_busy(struct device *device);

/* Destroys what is parked; failures go to api_failed(). */
void reuse_stream_release(struct device *device);

#endif
