/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "asserts.h"
#include "guest.h"
#include "heap.h"
#include "warp.h"

static uint8_t *frame_of(const struct guest *guest)
{
	const struct warp *w = guest->w;
	uint64_t thread = (uint64_t)w->index * LANES + guest->lane;

	ASSERT(w->mask >> guest->lane & 1 && (thread + 1) * w->cta->stack <= w->cta->local_size);
	return w->cta->local + thread * w->cta->stack + w->frame[guest->lane] +
	       (uint32_t)guest->ip->b;
}

uint64_t guest_argument(const struct guest *guest, uint32_t offset, uint32_t size)
{
	uint64_t value = 0;

	ASSERT(size <= sizeof(value));
	memcpy(&value, frame_of(guest) + offset, size);
	return value;
}

void guest_result(const struct guest *guest, uint32_t offset, uint64_t value, uint32_t size)
{
	ASSERT(size <= sizeof(value));
	memcpy(frame_of(guest) + offset, &value, size);
}

static bool malloc_lane(struct guest *guest)
{
	struct heap *heap = guest->w->cta->launch->heap;
	uint64_t address = heap_alloc(heap, guest_argument(guest, 0, 8));

	guest_result(guest, 8, address, 8);
	return true;
}

/* Clears the CTA's hits: they may be of the freed block. */
static bool free_lane(struct guest *guest)
{
	uint64_t address = guest_argument(guest, 0, 8);

	memset(guest->w->cta->hits, 0, sizeof(guest->w->cta->hits));
	if (!address || heap_free(guest->w->cta->launch->heap, address))
		return true;
	fault_set(guest->w, guest->ip, 1u << guest->lane,
		  about_access(KIND_INVALID_FREE, NULL, 0, address),
		  "free of %#llx, which malloc did not return, or which is free already",
		  (unsigned long long)address);
	return false;
}

static const struct {
	bool (*lane)(struct guest *guest);
	bool ends; /* the kernel, after all lanes have called */
} builtins[] = {
#define BUILTIN(name, lane, ends, uses) { lane, ends },
#include "builtins.def"
};

bool builtin_call(struct warp *w, const struct op *ip)
{
	ASSERT((uint64_t)ip->imm < sizeof(builtins) / sizeof(builtins[0]));
	FOR_BITS(l, w->mask) {
		struct guest guest = { .w = w, .ip = ip, .lane = l };

		if (!builtins[ip->imm].lane(&guest))
			return false;
	}
	if (!builtins[ip->imm].ends)
		return true;
	fault_set(w, ip, w->mask, ABOUT(ASSERT), "a device assertion failed");
	return false;
}
