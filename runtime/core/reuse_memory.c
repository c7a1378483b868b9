/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A block that is freed belongs to the next fence that will be placed, and is
 * free when that is passed: fences pass in order, so it suffices to compare two
 * numbers. In each bucket the oldest block of a size is first; if that one is not
 * free, no other of its size is.
 */
#include "reuse_memory.h"

#include "asserts.h"
#include "block.h"
#include "context.h"
#include "hash.h"
#include "lock.h"
#include "reuse_rules.h"

enum {
	BATCH_BLOCKS = 8,        /* so many frees share a fence, */
	BATCH_BYTES = 32 << 20,  /* or so much memory */
	MOST_BLOCKS = 4096,
	MEMORY_SHARE = 16,       /* at most that part of the device's memory is kept */
	PATIENT_SIZE = 4 << 20,  /* from this size on a short wait is better than a new block */
	PATIENCE = 32,           /* times that a fence is polled then */
};

void reuse_memory_init(struct reuse_memory *cache)
{
	pthread_mutex_init(&cache->lock, NULL);
}

void reuse_memory_destroy(struct reuse_memory *cache)
{
	pthread_mutex_destroy(&cache->lock);
}

static struct reuse_bucket *bucket_of(struct reuse_memory *cache, uint64_t size)
{
	return &cache->buckets[hash_u64(size) >> 56];
}

static uint64_t limit(const struct device *device)
{
	return device->info.memory / MEMORY_SHARE;
}

bool reuse_memory_wants(const struct block *block)
{
	const struct device *device = block->device;

	return runtime.pool_memory && runtime.cuda.fences && !block->adopted && !block->before &&
	       block->kind == GPURUN_MEMORY_DEVICE && block->size <= limit(device) &&
	       !atomic_load(&device->fault) && atomic_load(&runtime.contexts) == 1;
}

/* ---- What is kept; under the lock ------------------------------------------- */

static void keep_block(struct reuse_memory *cache, struct block *block)
{
	struct reuse_bucket *bucket = bucket_of(cache, block->size);

	ASSERT(lock_is_held(LOCK_REUSE) && !cache->newest == !cache->oldest);
	ASSERT(!cache->newest || !cache->newest->newer);
	block->newer = block->newer_alike = NULL;
	block->older = cache->newest;
	block->older_alike = bucket->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = block;
	*(bucket->newest ? &bucket->newest->newer_alike : &bucket->oldest) = block;
	cache->newest = bucket->newest = block;
	cache->blocks++;
	cache->bytes += block->size;
}

static void remove_block(struct reuse_memory *cache, struct block *block)
{
	struct reuse_bucket *bucket = bucket_of(cache, block->size);

	ASSERT(lock_is_held(LOCK_REUSE) && cache->blocks && cache->bytes >= block->size);
	ASSERT((block->older ? block->older->newer : cache->oldest) == block);
	ASSERT((block->newer ? block->newer->older : cache->newest) == block);
	*(block->older ? &block->older->newer : &cache->oldest) = block->newer;
	*(block->newer ? &block->newer->older : &cache->newest) = block->older;
	*(block->older_alike ? &block->older_alike->newer_alike : &bucket->oldest) =
		block->newer_alike;
	*(block->newer_alike ? &block->newer_alike->older_alike : &bucket->newest) =
		block->older_alike;
	cache->blocks--;
	cache->bytes -= block->size;
}

/* Chains @block to @list by its older. */
static struct block *chain(struct block *list, struct block *block)
{
	block->older = list;
	return block;
}

/* Removes what exceeds the limits, or all: a chain for release_chain(). */
static struct block *remove_excess(struct device *device, uint64_t bytes, unsigned blocks)
{
	struct reuse_memory *cache = &device->cache;
	struct block *list = NULL;

	while (cache->oldest && (cache->bytes > bytes || cache->blocks > blocks)) {
		struct block *block = cache->oldest;

		remove_block(cache, block);
		list = chain(list, block);
	}
	return list;
}

/* Frees the blocks in the driver. Without the lock: the driver waits for work to end. */
static void release_chain(struct block *list)
{
	while (list) {
		CLEANUP(free_block) struct block *block = list;

		list = block->older;
		CUDA_STEP(block->device, cuMemFree, block->address);
	}
}

/* ---- Fences; under the lock --------------------------------------------------- */

/* Polls whether fence @number is done, up to @times. */
static void poll_fence(struct reuse_memory *cache, uint64_t number, int times)
{
	CUresult result = CUDA_ERROR_NOT_READY;

	ASSERT(lock_is_held(LOCK_REUSE) && number > cache->passed && number <= cache->placed);
	while (times-- && result == CUDA_ERROR_NOT_READY)
		result = reuse_rule_fence(cache->fences[number % REUSE_FENCES]);
	if (!result)
		cache->passed = number;
	else if (result != CUDA_ERROR_NOT_READY)
		cache->off = true;
}

/* Tells whether one more fence can be placed: its event must not be another's. */
static bool has_room(struct reuse_memory *cache)
{
	ASSERT(cache->placed - cache->passed <= REUSE_FENCES);
	if (cache->placed - cache->passed == REUSE_FENCES)
		poll_fence(cache, cache->passed + 1, 1);
	return !cache->off && cache->placed - cache->passed < REUSE_FENCES;
}

/* Places a fence after all work that was submitted to the context. */
static void place_fence(struct device *device)
{
	struct reuse_memory *cache = &device->cache;
	CUevent *event = &cache->fences[(cache->placed + 1) % REUSE_FENCES];

	ASSERT(lock_is_held(LOCK_REUSE) && !cache->off);
	if (!has_room(cache))
		return;
	cache->off = (!*event &&
		      runtime.cuda.cuEventCreate(event, CU_EVENT_DISABLE_TIMING)) ||
		     runtime.cuda.cuCtxRecordEvent(device->context, *event);
	if (cache->off)
		return;
	cache->placed++;
	cache->unfenced_blocks = 0;
	cache->unfenced_bytes = 0;
}

/*
 * Tells whether @block can be used. A small one waits until its batch is full: a few
 * new ones cost less than a fence for each. For a large one a fence is placed and
 * polled for a short time.
 */
static bool is_free(struct device *device, struct block *block)
{
	struct reuse_memory *cache = &device->cache;
	bool large = block->size >= PATIENT_SIZE;

	ASSERT(block->device == device && block->fence && block->fence <= cache->placed + 1);
	if (large && block->fence > cache->placed)
		place_fence(device);
	if (!cache->off && block->fence > cache->passed && block->fence <= cache->placed)
		poll_fence(cache, block->fence, large ? PATIENCE : 1);
	return !cache->off && block->fence <= cache->passed;
}

/* ---- Keeping and reusing --------------------------------------------------------- */

void reuse_memory_put(struct block *block)
{
	struct device *device = block->device;
	struct reuse_memory *cache = &device->cache;
	struct block *excess;

	ASSERT(!block->adopted && !block->before && block->kind == GPURUN_MEMORY_DEVICE);
	lock_acquire(&cache->lock, LOCK_REUSE);
	block->fence = cache->placed + 1;
	keep_block(cache, block);
	cache->unfenced_blocks++;
	cache->unfenced_bytes += block->size;
	if (!cache->off && (cache->unfenced_blocks >= BATCH_BLOCKS ||
			    cache->unfenced_bytes >= BATCH_BYTES))
		place_fence(device);
	excess = cache->off ? remove_excess(device, 0, 0) :
			      remove_excess(device, limit(device), MOST_BLOCKS);
	lock_release(&cache->lock);
	release_chain(excess);
}

struct block *reuse_memory_take(struct device *device, uint64_t size)
{
	struct reuse_memory *cache = &device->cache;
	struct block *found;

	lock_acquire(&cache->lock, LOCK_REUSE);
	found = bucket_of(cache, size)->oldest;
	while (found && found->size != size)
		found = found->newer_alike;
	if (found && !is_free(device, found))
		found = NULL;
	if (found)
		remove_block(cache, found);
	lock_release(&cache->lock);
	return found;
}

bool reuse_memory_flush(struct device *device)
{
	struct block *all;
	bool any;

	lock_acquire(&device->cache.lock, LOCK_REUSE);
	all = remove_excess(device, 0, 0);
	lock_release(&device->cache.lock);
	any = all;
	release_chain(all);
	return any;
}

void reuse_memory_release(struct device *device)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct reuse_memory *cache = &device->cache;

	if (!atomic_load(&device->context))
		return;
	context_step(device, &scope);
	reuse_memory_flush(device);
	for (int i = 0; i < REUSE_FENCES; i++) {
		CUevent event = STEAL(cache->fences[i]);

		if (event)
			CUDA_STEP(device, cuEventDestroy, event);
	}
}

bool reuse_memory_holds(struct device *device, uint64_t address)
{
	const struct block *block;

	lock_acquire(&device->cache.lock, LOCK_REUSE);
	block = device->cache.newest;
	while (block && block->address != address)
		block = block->older;
	lock_release(&device->cache.lock);
	return block;
}

uint64_t reuse_memory_bytes(struct device *device)
{
	uint64_t bytes;

	lock_acquire(&device->cache.lock, LOCK_REUSE);
	bytes = device->cache.bytes;
	lock_release(&device->cache.lock);
	return bytes;
}
