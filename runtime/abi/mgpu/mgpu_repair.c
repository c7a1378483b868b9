/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LLVM 22 and older pass a stream where an event is expected: its consumers
 * wait for the stream, and destroy it, as if it were an event. A driver returns
 * an error for that, so nothing is waited for and results are wrong.
 *
 * Here the stream itself is waited for. It cannot be destroyed when the first
 * consumer asks for it: there may be several, on other threads, and later ones
 * wait for it too. So it is put into a queue, and destroyed when it is idle and
 * many others have followed it. A wait for it after that has nothing to wait for.
 *
 * GPURUN_MLIR_REPAIR=0 passes the stream to the driver unchanged.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mgpu.h"

enum {
	QUEUE_KEPT = 256, /* streams that outlive their first destruction in any case */
	REAP_TRIES = 2,   /* polled for each that is added: more than are added */
	REAPED_KNOWN = 1024, /* as many as gpurun stores pointers of */
};

/* A queue in a ring; under the lock. */
static struct {
	struct gpurun_stream *streams; /* owned; never freed */
	size_t capacity;               /* a power of two, or 0 */
	size_t first, count;
} queue;

/* The last destroyed ones of all streams passed as events; under the lock. */
static uint64_t reaped[REAPED_KNOWN];
static size_t reaped_next;

static _Atomic bool warned;

static struct gpurun_stream *queue_at(size_t index)
{
	return &queue.streams[(queue.first + index) & (queue.capacity - 1)];
}

static bool queue_grow(void)
{
	size_t capacity = queue.capacity ? 2 * queue.capacity : 2 * QUEUE_KEPT;
	struct gpurun_stream *streams = malloc(capacity * sizeof(*streams));

	if (!streams)
		return false;
	for (size_t i = 0; i < queue.count; i++)
		streams[i] = *queue_at(i);
	free(queue.streams);
	queue.streams = streams;
	queue.capacity = capacity;
	queue.first = 0;
	return true;
}

static bool queue_holds(struct gpurun_stream stream)
{
	/* The other consumers follow soon, if there are any. */
	for (size_t i = queue.count; i--;)
		if (queue_at(i)->id == stream.id)
			return true;
	return false;
}

/* What cannot be added is left to the end of the process. */
static void queue_push(struct gpurun_stream stream)
{
	if (queue.count == queue.capacity && !queue_grow())
		return;
	*queue_at(queue.count++) = stream;
}

static struct gpurun_stream queue_pop(void)
{
	struct gpurun_stream stream = *queue_at(0);

	queue.first++;
	queue.count--;
	return stream;
}

/* Destroys @stream if it is idle. A fault in one is reported by a wait for it. */
static void reap(const char *who, struct gpurun_stream stream)
{
	switch (gpurun_stream_query(stream)) {
	case GPURUN_NOT_READY:
		queue_push(stream);
		return;
	case GPURUN_HANDLE: /* the program has destroyed it as a stream */
		return;
	}
	mgpu_ok(who, gpurun_stream_destroy(stream));
	reaped[reaped_next++ % REAPED_KNOWN] = stream.id;
}

static bool was_reaped(uint64_t id)
{
	bool found = false;

	mgpu_lock();
	for (size_t i = 0; i < REAPED_KNOWN && !found; i++)
		found = reaped[i] == id;
	mgpu_unlock();
	return found;
}

/* A stream that was destroyed in another way may not be idle yet. */
void mgpu_repair_wait_gone(const char *who, uint64_t id)
{
	if (!was_reaped(id))
		mgpu_ok(who, gpurun_device_synchronize(mgpu_device()));
}

void mgpu_repair_destroy(const char *who, struct gpurun_stream stream)
{
	mgpu_lock();
	if (!queue_holds(stream)) {
		queue_push(stream);
		for (int i = 0; i < REAP_TRIES && queue.count > QUEUE_KEPT; i++)
			reap(who, queue_pop());
	}
	mgpu_unlock();
}

static bool is_off(void)
{
	const char *wanted = secure_getenv("GPURUN_MLIR_REPAIR");

	return wanted && !strcmp(wanted, "0");
}

static void warn_once(const char *who)
{
	if (!atomic_exchange(&warned, true))
		mgpu_warn(who, "warning: given a stream for an event, as LLVM 22 and older "
			  "lower an async.yield: the stream is waited for instead "
			  "(LLVM 23 lowers it correctly; GPURUN_MLIR_REPAIR=0 leaves it alone)");
}

/* Another consumer on another thread may end the stream at any moment. */
static enum mgpu_event_kind quarantine(const char *who, struct gpurun_stream stream)
{
	int status = gpurun_stream_quarantine(stream);

	if (status == GPURUN_HANDLE)
		return MGPU_IS_GONE;
	return mgpu_ok(who, status) ? MGPU_IS_STREAM : MGPU_IS_WRONG;
}

enum mgpu_event_kind mgpu_event_kind_of(const char *who, void *native, uint64_t *id)
{
	enum gpurun_native_kind kind = mgpu_kind_of(native, id);

	switch (kind) {
	case GPURUN_NATIVE_EVENT:
		return MGPU_IS_EVENT;
	case GPURUN_NATIVE_UNKNOWN:
		/* What is passed as an event may be a stream, and missing as one. */
		if (!native && (mgpu_is_consequence(MGPU_EVENT) ||
				mgpu_is_consequence(MGPU_STREAM)))
			return MGPU_IS_WRONG;
		return mgpu_ready(who) ? MGPU_IS_FOREIGN : MGPU_IS_WRONG;
	case GPURUN_NATIVE_STREAM:
		if (is_off())
			return MGPU_IS_FOREIGN;
		warn_once(who);
		return quarantine(who, (struct gpurun_stream){ *id });
	case GPURUN_NATIVE_CLOSED:
		if (!is_off() && gpurun_handle_kind(*id) == GPURUN_NATIVE_STREAM)
			return MGPU_IS_GONE;
		break;
	case GPURUN_NATIVE_MODULE:
	case GPURUN_NATIVE_KERNEL:
	case GPURUN_NATIVE_VARIABLE:
		break;
	}
	mgpu_wrong_kind(who, native, kind, MGPU_EVENT);
	return MGPU_IS_WRONG;
}

/* An event of our own, for one wait. */
struct temporary {
	struct gpurun_event event;
	const char *who; /* needs it */
};

static void temporary_end(struct temporary *temporary)
{
	if (temporary->event.id)
		mgpu_ok(temporary->who, gpurun_event_destroy(temporary->event));
}

static int record(struct gpurun_stream stream, struct gpurun_event *event)
{
	struct gpurun_device device;

	return gpurun_stream_device(stream, &device) ?:
	       gpurun_event_create(device, 0, event) ?: gpurun_event_record(*event, stream);
}

void mgpu_repair_wait(const char *who, struct gpurun_stream stream,
		      struct gpurun_stream other)
{
	CLEANUP(temporary_end) struct temporary made = { .who = who };
	int status = record(other, &made.event);

	if (status == GPURUN_HANDLE)
		mgpu_repair_wait_gone(who, other.id);
	else if (mgpu_ok(who, status))
		mgpu_ok(who, gpurun_stream_wait_event(stream, made.event));
}

void mgpu_repair_synchronize(const char *who, struct gpurun_stream stream)
{
	int status = gpurun_stream_synchronize(stream);

	if (status == GPURUN_HANDLE)
		mgpu_repair_wait_gone(who, stream.id);
	else
		mgpu_ok(who, status);
}
