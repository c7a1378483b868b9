/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Freed device memory, kept for allocations of exactly the same size: the
 * driver's cuMemFree waits for all work of the context, which costs far more
 * than everything else about a block.
 *
 * A free relies on that wait: work on our streams, on the program's own streams
 * or on the NULL stream may use the block. So a block is used again only when a
 * fence over the whole context (cuCtxRecordEvent) that was recorded after its
 * free is done. A fence is for several frees; it is polled, hardly ever waited
 * for.
 *
 * Nothing is kept where the driver has no such fence or after one has failed,
 * nor while contexts of several devices are in use: their work could access the
 * block too. Managed, pinned and adopted memory is always freed in the driver.
 * For the CPU device, which checks accesses against live allocations, memory is
 * kept only with GPURUN_POOL=1.
 */
#ifndef RUNTIME_REUSE_MEMORY_H
#define RUNTIME_REUSE_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cuda_abi.h"

struct block;
struct device;

enum { REUSE_FENCES = 16, REUSE_BUCKETS = 256 };

/*
 * What a device keeps. It has its own lock, because that is held over calls of
 * the driver, which may wait for a host function that needs the runtime's.
 */
struct reuse_memory {
	pthread_mutex_t lock;
	bool off;                       /* a fence has failed */
	CUevent fences[REUSE_FENCES];   /* owned; fence N is at N % REUSE_FENCES; NULL: none yet */
	uint64_t placed, passed;        /* the last fence that was placed, and that is done */
	struct block *newest, *oldest;  /* owned, by the time of their free */
	struct reuse_bucket {
		struct block *newest, *oldest;
	} buckets[REUSE_BUCKETS];       /* the same by size */
	unsigned blocks, unfenced_blocks;
	uint64_t bytes, unfenced_bytes;
};

void reuse_memory_init(struct reuse_memory *cache);
void reuse_memory_destroy(struct reuse_memory *cache);

/* Tells whether @block, which is not in the table any more, may be kept. */
bool reuse_memory_wants(const struct block *block);

/* Keeps @block, or frees it in the driver. Owns it. Its context is current. */
void reuse_memory_put(struct block *block);

/* Removes a block of @size bytes that nothing uses any more, which the caller then owns;
 * or NULL. The context of @device is current. A fault that the fence shows is reported by
 * the caller's own allocation, one time. */
struct block *reuse_memory_take(struct device *device, uint64_t size);

/* Frees all blocks in the driver; failures go to api_failed(). False when there were
 * none. */
bool reuse_memory_flush(struct device *device);

/* The same at the end, with the fences. */
void reuse_memory_release(struct device *device);

/* Tells whether the block that starts at @address is kept: freed by the program, but
 * allocated for the driver. */
bool reuse_memory_holds(struct device *device, uint64_t address);

/* How many bytes are kept. */
uint64_t reuse_memory_bytes(struct device *device);

#endif
