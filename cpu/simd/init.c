/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* check=init: which bits of registers, and bytes of frames, have been written (uninit.h). */
#include "access.h"
#include "local.h"
#include "simd.h"

#define UNINIT(field) ((struct uninit *)(w->rows + ip->field))

/* ---- Registers ---------------------------------------------------------------------- */

/* b registers from a on are uninitialised where a function begins. */
HANDLE(check_unwritten)
{
	for (int32_t i = 0; i < ip->b; i++) {
		struct uninit *uninit = UNINIT(a) + i;

		uninit->lanes |= w->mask;
		uninit->never |= w->mask;
		uninit->whole |= w->mask;
		uninit->origin = 0;
		EACH_ACTIVE uninit->bits[l] = ~(uint64_t)0;
	}
	NEXT;
}

HANDLE(check_wrote)
{
	UNINIT(a)->lanes &= ~w->mask;
	UNINIT(a)->never &= ~w->mask;
	NEXT;
}

/* A use of register a; d: predicate of the lanes that use it, or 0. */
HANDLE(check_read)
{
	uint32_t lanes = w->mask & UNINIT(a)->lanes;

	if (ip->d)
		lanes &= PRED(d);
	if (unlikely(lanes))
		uninit_read(w, ip, lanes);
	NEXT;
}

HANDLE(check_shuffle)
{
	if (unlikely(UNINIT(d)->lanes))
		uninit_shuffle(w, ip);
	else
		UNINIT(a)->lanes &= ~w->mask;
	NEXT;
}

HANDLE(check_flow)
{
	if (unlikely((UNINIT(a)->lanes | UNINIT(b)->lanes | UNINIT(c)->lanes) & w->mask))
		uninit_flow(w, ip);
	else
		UNINIT(d)->lanes &= ~w->mask;
	NEXT;
}

HANDLE(check_logic)
{
	if (unlikely((UNINIT(a)->lanes | UNINIT(b)->lanes) & w->mask))
		uninit_logic(w, ip);
	else
		UNINIT(d)->lanes &= ~w->mask;
	NEXT;
}

HANDLE(check_gather)
{
	if (unlikely(UNINIT(a)->lanes & w->mask))
		uninit_gather(w, ip);
	NEXT;
}

/* The same for a value that is merged with those of other operands. */
HANDLE(check_merge)
{
	w->cta->check->sum.given |= w->mask & ~UNINIT(a)->lanes;
	if (unlikely(UNINIT(a)->lanes & w->mask))
		uninit_gather(w, ip);
	NEXT;
}

HANDLE(check_put)
{
	if (unlikely(w->cta->check->sum.lanes))
		uninit_put(w, ip);
	else
		UNINIT(d)->lanes &= ~w->mask;
	w->cta->check->sum.given = 0;
	NEXT;
}

HANDLE(check_shift)
{
	if (unlikely((UNINIT(a)->lanes | UNINIT(b)->lanes) & w->mask))
		uninit_shift(w, ip);
	else
		UNINIT(d)->lanes &= ~w->mask;
	NEXT;
}

/* ---- Memory ------------------------------------------------------------------------- */

HANDLE(check_loaded)
{
	if (unlikely(w->cta->check->partial))
		uninit_loaded(w, ip);
	NEXT;
}

/* Precedes check_stored for a vector: notes lanes of register a that have a value; c: the end. */
HANDLE(check_filled)
{
	struct uninit *sum = &w->cta->check->sum;

	sum->given |= w->mask & ~(UNINIT(a)->lanes & UNINIT(a)->whole);
	if (ip->c)
		sum->given = 0;
	NEXT;
}

HANDLE(check_stored)
{
	if (unlikely(w->cta->check->sum.lanes))
		uninit_stored(w, ip);
	NEXT;
}

/* ---- Frames ------------------------------------------------------------------------- */

/* Of each lane's frame, bytes a to b are written (c), or not. */
HANDLE(check_frame)
{
	EACH_ACTIVE __builtin_memset(local_frame(w, l, (uint32_t)ip->a), ip->c,
				     (size_t)(ip->b - ip->a));
	NEXT;
}

/* Follows copy_frame. */
HANDLE(check_copy_frame)
{
	EACH_ACTIVE __builtin_memmove(local_frame(w, l, (uint32_t)ip->d),
				      local_frame(w, l, (uint32_t)ip->a), (size_t)ip->imm);
	NEXT;
}

/* Follows stack_allocate: d: the lowest address, a: bytes. */
HANDLE(check_alloca)
{
	const uint64_t *d = ROW(uint64_t, d), *a = ROW(uint64_t, a);

	EACH_ACTIVE __builtin_memset(local_frame(w, l, d[l] - w->frame[l]), 0, a[l]);
	NEXT;
}

/* For save and restore. */
HANDLE(check_save)
{
	uninit_save(w, ip);
	NEXT;
}

HANDLE(check_restore)
{
	uninit_restore(w, ip);
	NEXT;
}

HANDLE(check_pass)
{
	uninit_pass(w, ip);
	NEXT;
}

HANDLE(check_take)
{
	uninit_receive(w, ip);
	NEXT;
}
