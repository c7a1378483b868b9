/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What count=1 adds before the ops of an instruction: cpu/lower/lower_count.h. d: enum
 * counted_kind. */
#include "simd.h"

/* imm for each lane */
HANDLE(count)
{
	w->cta->counted.at[ip->d] += warp_lanes(w->mask) * (uint64_t)ip->imm;
	NEXT;
}

/* a: row of what to count, of which imm is the most */
HANDLE(count_limited)
{
	const uint32_t *a = ROW(uint32_t, a);

	EACH_ACTIVE w->cta->counted.at[ip->d] += a[l] < ip->imm ? a[l] : (uint64_t)ip->imm;
	NEXT;
}

/* imm for each lane whose predicate a does not hold */
HANDLE(count_unless)
{
	w->cta->counted.at[ip->d] += warp_lanes(w->mask & ~PRED(a)) * (uint64_t)ip->imm;
	NEXT;
}

/* a: row of generic addresses, plus imm; b: bytes read, c: bytes written */
HANDLE(count_generic)
{
	count_generic(w, ip, (uint32_t)ip->b, (uint32_t)ip->c);
	NEXT;
}
