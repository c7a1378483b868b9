/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "align.h"
#include "exec_share.h"
#include "lock.h"

atomic_bool trace_wanted;

static struct {
	pthread_mutex_t lock;
	bool opened;
	int fd;
	struct trace_head *head; /* mapped */
	uint8_t *chunk;          /* mapped; NULL: the process has none yet */
	size_t used;             /* bytes of it */
} trace = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

#define LOCKED LOCKED_BY(&trace.lock, LOCK_TRACE)

/* ---- chunks ---- */

static void *map_chunk(uint64_t index)
{
	/* All its pages at once: else each of them interrupts a call of the program. */
	void *at = mmap(NULL, TRACE_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			trace.fd, (off_t)(index * TRACE_CHUNK));

	return at == MAP_FAILED ? NULL : at;
}

/* Takes a chunk that no other process has; false: there is no room for one. */
static bool take_chunk(void)
{
	struct trace_chunk *chunk;
	uint64_t index;

	if (trace.chunk)
		munmap(trace.chunk, TRACE_CHUNK);
	trace.chunk = NULL;
	if (atomic_load(&trace.head->chunks) >= TRACE_MOST / TRACE_CHUNK)
		return false;
	index = atomic_fetch_add(&trace.head->chunks, 1);
	if (posix_fallocate(trace.fd, (off_t)(index * TRACE_CHUNK), TRACE_CHUNK))
		return false;
	trace.chunk = map_chunk(index);
	if (!trace.chunk)
		return false;
	chunk = (struct trace_chunk *)trace.chunk;
	chunk->process = (uint64_t)getpid();
	trace.used = sizeof(*chunk);
	return true;
}

static __thread uint32_t thread; /* of the system; 0: not known yet */

/* In the child of fork(), whose only thread this is: the chunk is its parent's. */
static void forked(void)
{
	thread = 0;
	pthread_mutex_init(&trace.lock, NULL);
	if (trace.chunk)
		munmap(trace.chunk, TRACE_CHUNK);
	trace.chunk = NULL;
}

/* ---- opening ---- */

void trace_open(void)
{
	char path[256];

	LOCKED;
	if (trace.opened)
		return;
	trace.opened = true;
	if (!exec_path("trace=", path, sizeof(path)))
		return;
	trace.fd = open(path, O_RDWR | O_CLOEXEC);
	if (trace.fd < 0)
		return;
	trace.head = map_chunk(0);
	if (trace.head && !pthread_atfork(NULL, NULL, forked))
		atomic_store(&trace_wanted, true);
}

/* ---- writing ---- */

/* Room for @size bytes in the chunk, in a new one if need be; NULL: there is none. */
static uint8_t *reserve(size_t size)
{
	uint8_t *at;

	if ((!trace.chunk || trace.used + size > TRACE_CHUNK) && !take_chunk())
		return NULL;
	at = trace.chunk + trace.used;
	trace.used += size;
	return at;
}

void trace_untimed(uint64_t count)
{
	if (atomic_load(&trace_wanted))
		atomic_fetch_add(&trace.head->untimed, count);
}

void trace_write(struct trace_record *record, const char *name, const void *more, size_t more_size)
{
	const size_t name_size = strnlen(name, TRACE_NAME_MOST - 1) + 1;
	const size_t before = sizeof(*record) + align_up(name_size, 8);
	const size_t size = before + align_up(more_size, 8);
	uint8_t *to;

	ASSERT(size <= TRACE_CHUNK - sizeof(struct trace_chunk));
	if (!thread)
		thread = (uint32_t)gettid();
	record->thread = thread;
	record->name_size = (uint16_t)name_size;
	atomic_store_explicit(&record->size, 0, memory_order_relaxed);
	LOCKED;
	to = reserve(size);
	if (!to) {
		atomic_fetch_add(&trace.head->dropped, 1);
		return;
	}
	memcpy(to, record, sizeof(*record));
	memcpy(to + sizeof(*record), name, name_size - 1);
	if (more_size)
		memcpy(to + before, more, more_size);
	atomic_store_explicit(&((struct trace_record *)to)->size, (uint32_t)size,
			      memory_order_release);
}
