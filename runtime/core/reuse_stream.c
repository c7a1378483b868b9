/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "reuse_stream.h"

#include <string.h>

#include "api.h"
#include "asserts.h"
#include "context.h"
#include "native.h"

enum { LONGEST_QUARANTINE = 1024 };

/* The last streams that were destroyed in quarantine; under the runtime's lock. */
static struct {
	struct reuse_item items[LONGEST_QUARANTINE];
	unsigned next;
} quarantine;

void reuse_configure(void)
{
	const char *text = secure_getenv("GPURUN_POOL");

	runtime.pools = !text || strcmp(text, "0") != 0;
	runtime.pool_memory = runtime.pools &&
			      (!runtime.cuda.cpu || (text && !strcmp(text, "1")));
}

static bool may_park(const struct device *device)
{
	return runtime.pools && runtime_phase() == PHASE_UP && !atomic_load(&device->fault);
}

bool reuse_stream_put(struct device *device, enum reuse_kind kind, struct reuse_item item)
{
	struct reuse_pool *pool = &device->pools[kind];
	bool room;

	ASSERT(kind < REUSE_KINDS && item.native);
	if (!may_park(device))
		return false;
	runtime_lock();
	ASSERT(pool->count <= REUSE_POOL_SIZE && pool->first < REUSE_POOL_SIZE);
	room = pool->count < REUSE_POOL_SIZE;
	if (room)
		pool->items[(pool->first + pool->count++) % REUSE_POOL_SIZE] = item;
	runtime_unlock();
	return room;
}

bool reuse_stream_take(struct device *device, enum reuse_kind kind,
		       struct reuse_item *item)
{
	struct reuse_pool *pool = &device->pools[kind];
	bool any;

	ASSERT(kind < REUSE_KINDS);
	runtime_lock();
	ASSERT(pool->count <= REUSE_POOL_SIZE && pool->first < REUSE_POOL_SIZE);
	any = pool->count > 0;
	if (any) {
		*item = pool->items[pool->first];
		pool->first = (pool->first + 1) % REUSE_POOL_SIZE;
		pool->count--;
	}
	runtime_unlock();
	return any;
}

unsigned reuse_stream_count(const struct device *device, enum reuse_kind kind)
{
	return atomic_load_explicit(&device->pools[kind].count, memory_order_relaxed);
}

void reuse_stream_quarantine(struct reuse_item item)
{
	struct reuse_item *slot, oldest;

	runtime_lock();
	slot = &quarantine.items[quarantine.next++ % LONGEST_QUARANTINE];
	oldest = *slot;
	*slot = item;
	runtime_unlock();
	native_forget(oldest.native, oldest.handle);
}

bool reuse_stream_is_quarantined(struct reuse_item item)
{
	bool found = false;

	runtime_lock();
	for (unsigned i = 0; i < LONGEST_QUARANTINE && !found; i++)
		found = quarantine.items[i].native == item.native &&
			quarantine.items[i].handle == item.handle;
	runtime_unlock();
	return found;
}

bool reuse_stream_is_busy(struct device *device)
{
	struct reuse_pool *pool = &device->pools[REUSE_STREAMS];
	bool busy = false;

	runtime_lock();
	for (unsigned i = 0; i < pool->count && !busy; i++) {
		CUstream stream = pool->items[(pool->first + i) % REUSE_POOL_SIZE].native;

		busy = runtime.cuda.cuStreamQuery(stream) == CUDA_ERROR_NOT_READY;
	}
	runtime_unlock();
	return busy;
}

static void destroy(struct device *device, enum reuse_kind kind, struct reuse_item item)
{
	native_forget(item.native, item.handle);
	if (kind == REUSE_STREAMS || kind == REUSE_IDLE_STREAMS)
		CUDA_STEP(device, cuStreamDestroy, item.native);
	else
		CUDA_STEP(device, cuEventDestroy, item.native);
}

void reuse_stream_release(struct device *device)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct reuse_item item;

	if (!atomic_load(&device->context))
		return;
	context_step(device, &scope);
	for (enum reuse_kind kind = 0; kind < REUSE_KINDS; kind++)
		while (reuse_stream_take(device, kind, &item))
			destroy(device, kind, item);
}
