/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The checker's ops, which stand before and behind those that touch memory. */
#include "access.h"
#include "config.h"
#include "race.h"
#include "simd.h"

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void find_addresses(struct warp *w, const struct op *ip, enum access_form form,
			   struct check_access *access)
{
	for (unsigned l = 0; l < LANES; l++) {
		if (form == FORM_SHARED_R4)
			access->at[l] = (uint32_t)(ROW(uint32_t, a)[l] + (uint32_t)ip->imm);
		else if (form == FORM_FLAT_S || form == FORM_SHARED_S)
			access->at[l] = (SLOT(uint64_t, a) + (uint64_t)ip->imm) &
					(ip->c & ACCESS_NARROW ? UINT32_MAX : UINT64_MAX);
		else
			access->at[l] = ROW(uint64_t, a)[l] + (uint64_t)ip->imm;
	}
}

/* Not inlined: what it needs on the stack would keep the handler from tail calls. */
#define CHECK(name, form)                                                                  \
	static __attribute__((noinline)) uint32_t legal_##name(struct warp *w,             \
							       const struct op *ip)        \
	{                                                                                  \
		struct check_access access = {                                             \
			.shared = form >= FORM_SHARED_R8,                                  \
			.kind = (enum access_kind)(ip->c >> ACCESS_KIND_SHIFT & 3),        \
			.size = (uint32_t)ip->c & 0xff,                                    \
			.width = (uint8_t)(ip->c >> ACCESS_WIDTH_SHIFT),                   \
			.strong = ip->c & ACCESS_STRONG,                                   \
			.release = ip->c & ACCESS_RELEASE,                                 \
		};                                                                         \
                                                                                           \
		find_addresses(w, ip, form, &access);                                      \
		return access_check(w, ip, &access);                                       \
	}                                                                                  \
	/* Lanes that may not go on stay out up to the check_end, d ops away. */           \
	HANDLE(check_##name)                                                               \
	{                                                                                  \
		uint32_t legal = legal_##name(w, ip);                                      \
                                                                                           \
		w->checked_mask = w->mask;                                                 \
		if (unlikely(!legal))                                                      \
			GOTO(ip + ip->d);                                                  \
		if (unlikely(legal != w->mask))                                            \
			warp_set_mask(w, legal);                                           \
		NEXT;                                                                      \
	}
CHECK(flat_r8, FORM_FLAT_R8)
CHECK(flat_s, FORM_FLAT_S)
CHECK(shared_r8, FORM_SHARED_R8)
CHECK(shared_r4, FORM_SHARED_R4)
CHECK(shared_s, FORM_SHARED_S)

HANDLE(check_acquire)
{
	race_acquire(w, ip->c);
	NEXT;
}

HANDLE(check_meet)
{
	(void)ip;
	race_meet(w);
	NEXT;
}

HANDLE(check_fence)
{
	race_fence(w);
	NEXT;
}

HANDLE(check_end)
{
	if (unlikely(w->mask != w->checked_mask))
		warp_set_mask(w, w->checked_mask);
	NEXT;
}
