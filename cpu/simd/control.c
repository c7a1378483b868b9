/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Control flow: branches, guards, barriers, calls, the end of threads. */
#include "branch.h"

void SIMD_NAME(warp_run)(struct warp *w);
void SIMD_NAME(warp_run)(struct warp *w)
{
	struct cta *cta = w->cta;
	const struct op *ip;

	ip = warp_next(w);
	w->running = true;
	w->mode = FP_RN; /* set by cta_run(), and restored by every warp */
	cta->now = w;
	while (w->running) {
		op_handler(ip)(w, ip);
		w = cta->now;
		ip = w->pc;
	}
	fp_set(w, FP_RN);
}

HANDLE(halt)
{
	(void)ip;
	HALT;
}

/*
 * Where control flow joins: lanes that wait here join the running ones. a: not 0 where a loop
 * begins that may wait for other threads; imm: variant slots that nothing needs from here on.
 */
HANDLE(leader)
{
	if (unlikely(ip >= w->limit))
		GOTO(warp_reconverge(w, ip));
	NEXT;
}

/* After an op for which groups with different slots reconverged: they diverge again. */
HANDLE(split)
{
	if (unlikely(w->split))
		GOTO(warp_split(w, ip + 1));
	NEXT;
}

HANDLE(bra)
{
	GOTO(ip + ip->imm);
}

RARE(bra_if_diverge)
{
	GOTO(warp_diverge(w, ip + 1, ip + ip->imm, PRED(a) & w->mask));
}

HANDLE(bra_if)
{
	BRANCH(PRED(a), bra_if_diverge);
}

RARE(bra_unless_diverge)
{
	GOTO(warp_diverge(w, ip + 1, ip + ip->imm, ~PRED(a) & w->mask));
}

HANDLE(bra_unless)
{
	BRANCH(~PRED(a), bra_unless_diverge);
}

HANDLE(bra_back)
{
	if (unlikely(warp_slice_ended(w)))
		GOTO(warp_back_edge(w, ip + ip->imm));
	GOTO(ip + ip->imm);
}

RARE(bra_back_if_diverge)
{
	GOTO(warp_diverge_back(w, ip, PRED(a) & w->mask));
}

HANDLE(bra_back_if)
{
	BRANCH_BACK(PRED(a), bra_back_if_diverge);
}

RARE(bra_back_unless_diverge)
{
	GOTO(warp_diverge_back(w, ip, ~PRED(a) & w->mask));
}

HANDLE(bra_back_unless)
{
	BRANCH_BACK(~PRED(a), bra_back_unless_diverge);
}

/* Narrows the running lanes up to guard_end, or skips to the op after it: imm ops. */
#define GUARD(bits)                                                                        \
	uint32_t taken = (bits) & w->mask;                                                 \
                                                                                           \
	w->saved_mask = w->mask;                                                           \
	if (!taken)                                                                        \
		GOTO(ip + ip->imm);                                                        \
	if (taken != w->mask)                                                              \
		warp_set_mask(w, taken);                                                   \
	NEXT

HANDLE(guard_if)
{
	GUARD(PRED(a));
}

HANDLE(guard_unless)
{
	GUARD(~PRED(a));
}

/* Instead of guard_end, runs the other lanes; there may have been no first ones. */
#define GUARD_ELSE(bits)                                                                   \
	uint32_t taken = (bits) & w->saved_mask;                                           \
                                                                                           \
	if (!taken) {                                                                      \
		warp_set_mask(w, w->saved_mask);                                           \
		GOTO(ip + ip->imm);                                                        \
	}                                                                                  \
	warp_set_mask(w, taken);                                                           \
	NEXT

HANDLE(guard_else_if)
{
	GUARD_ELSE(PRED(a));
}

HANDLE(guard_else_unless)
{
	GUARD_ELSE(~PRED(a));
}

HANDLE(guard_end)
{
	if (w->mask != w->saved_mask)
		warp_set_mask(w, w->saved_mask);
	NEXT;
}

/* Another warp may be next. */
HANDLE(exit)
{
	ip = warp_exit(w);
	w = w->cta->now;
	GOTO(ip);
}

HANDLE(barrier)
{
	ip = cta_barrier(w, ip);
	w = w->cta->now;
	GOTO(ip);
}

/* a: row of member masks */
HANDLE(warp_barrier)
{
	GOTO(warp_barrier(w, ip, ROW(uint32_t, a)));
}

HANDLE(call)
{
	GOTO(call_enter(w, ip));
}

HANDLE(call_indirect)
{
	GOTO(call_enter_indirect(w, ip));
}

HANDLE(ret)
{
	(void)ip;
	GOTO(call_return(w));
}

/* Lets other groups run: for sleeping and spinning. */
HANDLE(nanosleep)
{
	GOTO(warp_yield(w, ip + 1));
}

/* Before or after an instruction of a kernel that is traced. */
HANDLE(trace)
{
	trace_step(w, ip);
	NEXT;
}

HANDLE(trap)
{
	fault_set(w, ip, w->mask, ABOUT(TRAP), "trap instruction%s", trap_hint(w));
	HALT;
}

HANDLE(fence)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	NEXT;
}

/* a: row of indices; d: targets, b: how many; the targets follow as ops with imm */
HANDLE(brx)
{
	GOTO(warp_branch_table(w, ip));
}

/* Makes sure that each lane's stack has imm bytes beyond its frame. */
HANDLE(reserve)
{
	EACH_ACTIVE
	{
		if (likely(w->frame[l] + (uint64_t)ip->imm + w->taken[l] <= w->cta->stack))
			continue;
		fault_set(w, ip, 1u << l, ABOUT(STACK_OVERFLOW),
			  "stack overflow: %u calls deep, of %u bytes of stack", w->depth[l],
			  w->cta->stack);
		HALT;
	}
	NEXT;
}

/*
 * alloca: d: the new lowest address of what is allocated, a bytes below the present
 * one, aligned to imm, and never 0. Frames grow from the other end; this one has b bytes.
 */
HANDLE(stack_allocate)
{
	uint64_t *d = ROW(uint64_t, d);
	const uint64_t *a = ROW(uint64_t, a);

	EACH_ACTIVE
	{
		uint64_t room = w->cta->stack - w->taken[l], at = room - a[l];

		at &= ~((uint64_t)ip->imm - 1);
		if (unlikely(a[l] > room || !at ||
			     at < w->frame[l] + (uint64_t)(uint32_t)ip->b)) {
			fault_set(w, ip, 1u << l, ABOUT(STACK_OVERFLOW),
				  "stack overflow: alloca of %llu bytes, of %u bytes of stack",
				  (unsigned long long)a[l], w->cta->stack);
			HALT;
		}
		w->taken[l] = w->cta->stack - (uint32_t)at;
		d[l] = at;
	}
	NEXT;
}

HANDLE(stack_save)
{
	uint64_t *d = ROW(uint64_t, d);

	EACH_ACTIVE d[l] = w->cta->stack - w->taken[l];
	NEXT;
}

/* a: what stack_save returned; never below what is allocated now */
HANDLE(stack_restore)
{
	const uint64_t *a = ROW(uint64_t, a);

	EACH_ACTIVE
	{
		if (unlikely(a[l] > w->cta->stack || a[l] < w->cta->stack - w->taken[l])) {
			fault_set(w, ip, 1u << l, ABOUT(STACK_RESTORE),
				  "stackrestore of %#llx, which no stacksave gave",
				  (unsigned long long)a[l]);
			HALT;
		}
		w->taken[l] = w->cta->stack - (uint32_t)a[l];
	}
	NEXT;
}

/* Where the frame of lane @l is. */
static inline uint8_t *frame_of(const struct warp *w, unsigned l)
{
	uint64_t thread = (uint64_t)w->index * LANES + l;

	return w->cta->local + thread * w->cta->stack + w->frame[l];
}

/* Copies imm bytes within each lane's stack, from a to d bytes into its frame. */
HANDLE(copy_frame)
{
	EACH_ACTIVE
	{
		uint8_t *frame = frame_of(w, l);

		__builtin_memmove(frame + ip->d, frame + ip->a, (size_t)ip->imm);
	}
	NEXT;
}

/* Row d, elements of b bytes (0: a predicate), to or from byte imm of the frame. */
HANDLE(save)
{
	uint8_t *d = ROW(uint8_t, d);
	uint32_t size = (uint32_t)ip->b;

	EACH_ACTIVE
	{
		uint8_t *to = frame_of(w, l) + ip->imm;

		if (size)
			__builtin_memcpy(to, d + l * size, size);
		else
			*to = PRED(d) >> l & 1;
	}
	NEXT;
}

HANDLE(restore)
{
	uint8_t *d = ROW(uint8_t, d);
	uint32_t size = (uint32_t)ip->b;

	EACH_ACTIVE
	{
		const uint8_t *from = frame_of(w, l) + ip->imm;

		if (size)
			__builtin_memcpy(d + l * size, from, size);
		else
			PRED(d) = (PRED(d) & ~(1u << l)) | (uint32_t)(*from & 1) << l;
	}
	NEXT;
}

/* Device functions that the driver provides: imm says which. */
HANDLE(builtin)
{
	if (!builtin_call(w, ip))
		HALT;
	NEXT;
}
