/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A comparison and the branch after it as one op (branches.def). d: the predicate, which is
 * written as usual; c: ~0 when the branch depends on its opposite; imm: the distance.
 */
#include "branch.h"

#include "op_compare.h"
#include "alu.h"

/* Floats are compared as bits that MXCSR may flush: in the mode of their rows. */
#define MODE_OF(A) _Generic((A)0, f32: (void)fp_set(w, FP_RN), default: (void)0)

#define TRUTHS(A, value)                                                                   \
	TRUTH(A) t[LANES] __attribute__((aligned(64)));                                    \
	EACH_LANE t[l] = (value) ? -1 : 0;                                                 \
	const uint32_t bits = COLLECT(t)

/* The predicate has been written by then. */
#define TAKEN ((PRED(d) ^ (uint32_t)ip->c) & w->mask)

RARE(compare_diverge)
{
	GOTO(warp_diverge(w, ip + 1, ip + ip->imm, TAKEN));
}

RARE(compare_back_diverge)
{
	GOTO(warp_diverge_back(w, ip, TAKEN));
}

#define FORMS(name, op, A, end, go, part)                                                  \
	HANDLE(name##_rr_##end)                                                            \
	{                                                                                  \
		MODE_OF(A);                                                                \
		const A *a = ROW(A, a);                                                    \
		const A *b = ROW(A, b);                                                    \
		TRUTHS(A, op_##op(a[l], b[l]));                                            \
		SET_PRED(d, bits);                                                         \
		go(bits ^ (uint32_t)ip->c, part);                                          \
	}                                                                                  \
	HANDLE(name##_rs_##end)                                                            \
	{                                                                                  \
		MODE_OF(A);                                                                \
		const A *a = ROW(A, a);                                                    \
		const A b = SLOT(A, b);                                                    \
		TRUTHS(A, op_##op(a[l], b));                                               \
		SET_PRED(d, bits);                                                         \
		go(bits ^ (uint32_t)ip->c, part);                                          \
	}                                                                                  \
	HANDLE(name##_s_##end)                                                             \
	{                                                                                  \
		MODE_OF(A);                                                                \
		const uint32_t bits = op_##op(SLOT(A, a), SLOT(A, b)) ? ~0u : 0;           \
		SET_PRED(d, bits);                                                         \
		go(bits ^ (uint32_t)ip->c, part);                                          \
	}

#define COMPARE(name, op, A)                                                               \
	FORMS(name, op, A, bra, BRANCH, compare_diverge)                                   \
	FORMS(name, op, A, back, BRANCH_BACK, compare_back_diverge)

/*
 * d = a + b, then back while d compares with c. All lanes agree, and the predicate is not
 * read: imm is the distance.
 */
#define COUNT(name, op, A)                                                                 \
	HANDLE(name##_count)                                                               \
	{                                                                                  \
		const uint32_t sum = SLOT(uint32_t, a) + SLOT(uint32_t, b);                \
                                                                                           \
		PUT(uint32_t, d, sum);                                                     \
		if (!op_##op((A)sum, SLOT(A, c)))                                          \
			NEXT;                                                              \
		if (unlikely(warp_slice_ended(w)))                                         \
			REST(branch_yield);                                                \
		GOTO(ip + ip->imm);                                                        \
	}
#include "branches.def"
