/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The shadow of stacks, for check=init: a byte for each byte of every thread's .local
 * memory says whether its thread has written it since the frame around it was entered.
 * Lowering lays out the frames, and emits ops that update this where no access does:
 * where frames begin, and where calls pass values. Any store of a kernel changes it: what more
 * the checker has to keep of a frame stands in memory of its own.
 */
#ifndef CPU_LOCAL_H
#define CPU_LOCAL_H

#include "access.h"

/* Makes the shadow of the stacks of @cta as large as they are. GPURUN_NO_MEMORY. */
int local_start(struct cta *cta, struct err *e);
void local_release(struct cta_check *check);

/* Tells whether @size bytes at generic @address are in the stacks of @cta. */
static inline bool local_has(const struct cta *cta, uint64_t address, uint64_t size)
{
	const uint64_t offset = address - (uint64_t)cta->local;

	return offset < cta->local_size && size <= cta->local_size - offset;
}

/* The shadow of generic @address in the stacks of @cta; NULL: it is in none. */
static inline uint8_t *local_written(const struct cta *cta, uint64_t address, uint64_t size)
{
	return local_has(cta, address, size) ?
		       cta->check->local + (address - (uint64_t)cta->local) : NULL;
}

/* Where byte @offset of the frame of @lane is, in the stacks of all threads. */
static inline uint64_t local_place(const struct warp *w, unsigned lane, uint64_t offset)
{
	const uint64_t thread = (uint64_t)w->index * LANES + lane;

	return thread * w->cta->stack + w->frame[lane] + offset;
}

/* The shadow of byte @offset of the frame of @lane. */
static inline uint8_t *local_frame(const struct warp *w, unsigned lane, uint64_t offset)
{
	return w->cta->check->local + local_place(w, lane, offset);
}

/* As many bytes for the checker alone as the frame has from @offset on. */
static inline uint8_t *local_saved(const struct warp *w, unsigned lane, uint64_t offset)
{
	return w->cta->check->saved + local_place(w, lane, offset);
}

/* Writes which byte of which variable generic @address is, for a warp that is at @ip. */
void local_describe(const struct warp *w, const struct op *ip, uint64_t address, char *text,
		    size_t size);

#endif
