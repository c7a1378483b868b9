/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Asynchronous copies and mbarriers. A copy is complete when it is issued: waiting
 * for groups of them does nothing, arrivals that wait for them happen immediately.
 */
#include "access.h"
#include "bulk.h"
#include "config.h"
#include "async_copy.h"
#include "mbarrier.h"
#include "simd.h"

#define ALWAYS static inline __attribute__((always_inline))

/* Whole words, as ld and st move them: other threads may use the source. */
ALWAYS void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t size)
{
	uint32_t i = 0;

	for (; i + 4 <= size && !((uint64_t)from & 3); i += 4) {
		uint32_t word = __atomic_load_n((const uint32_t *)(from + i), __ATOMIC_RELAXED);

		__builtin_memcpy(to + i, &word, sizeof(word));
	}
	for (; i < size; i++)
		to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
}

/* How many bytes lane @l reads: ip[1].c: 0: all, 1: row ip[1].a, 2: none if predicate. */
ALWAYS uint32_t bytes_of(const struct warp *w, const struct op *ip, unsigned l)
{
	const uint32_t all = (uint32_t)ip->c;
	const uint32_t *row = (const uint32_t *)(w->rows + ip[1].a);

	if (ip[1].c == 1)
		return row[l] < all ? row[l] : all;
	return ip[1].c == 2 && *row >> l & 1 ? 0 : all;
}

/* Row d plus ip[1].imm: generic addresses in shared memory; row a plus imm: of the source;
 * c: bytes, those not read are 0. */
HANDLE(cp_async)
{
	const uint64_t *d = ROW(uint64_t, d), *a = ROW(uint64_t, a);
	struct hit *hit = (struct hit *)((char *)w->hits + ip->b);
	const uint32_t size = (uint32_t)ip->c;

	EACH_ACTIVE
	{
		const uint64_t from = a[l] + (uint64_t)ip->imm;
		const uint64_t to = d[l] + (uint64_t)ip[1].imm, offset = to - (uint64_t)w->shared;
		const uint32_t bytes = bytes_of(w, ip, l);
		const uint8_t *source;

		if (unlikely(offset >= w->shared_size || size > w->shared_size - offset ||
			     offset & (size - 1))) {
			memory_shared_fault(w, ip, offset, size, l, true);
			HALT;
		}
		if (bytes && unlikely(from - hit->base >= hit->size ||
				      bytes > hit->size - (from - hit->base) ||
				      from & (size - 1)) &&
		    !memory_reach(w, ip, hit, from, bytes, size, l, false))
			HALT;
		source = (const uint8_t *)(from + hit->distance); /* the checker changes the hit */
		if (unlikely(config.check & CHECK_KERNELS)) {
			if (bytes)
				access_check_lane(w, ip, l, from, bytes, false, false);
			access_check_lane(w, ip, l, to, size, false, true);
			async_copy_begin(w, ASYNC_COPY_IN, l, to, size);
		}
		copy_bytes((uint8_t *)to, source, bytes);
		__builtin_memset((uint8_t *)to + bytes, 0, size - bytes);
	}
	GOTO(ip + 2);
}

/* The op after it; NULL after a fault. Lanes whose phase is not complete let others run
 * before they poll again. */
static __attribute__((noinline)) const struct op *after_mbarrier(struct warp *w,
								 const struct op *ip)
{
	bool waits;

	if (!mbarrier_execute(w, ip, &waits))
		return NULL;
	return waits ? warp_yield(w, ip + 1) : ip + 1;
}

HANDLE(mbarrier)
{
	const struct op *after = after_mbarrier(w, ip);

	if (!after)
		HALT;
	GOTO(after);
}

HANDLE(mbarrier_pending)
{
	uint32_t *d = ROW(uint32_t, d);
	const uint64_t *a = ROW(uint64_t, a);

	BLEND(uint32_t, d, mbarrier_pending(a[l]));
	NEXT;
}

/* Its operands are in the a ops after it. */
HANDLE(bulk)
{
	SET_MODE_RN;
	if (!bulk_execute(w, ip))
		HALT;
	GOTO(ip + 1 + ip->a);
}

HANDLE(tensormap_replace)
{
	if (!bulk_replace(w, ip))
		HALT;
	NEXT;
}
