/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From rows of ptx_ops.def to handlers: included by a file of simd/ before its rows.
 * The mode is set before any operand is loaded, so that nothing, not even what
 * depends on a scalar operand alone, can be computed in the previous mode.
 */
#ifndef CPU_ALU_H
#define CPU_ALU_H

#include "simd.h"

/* Operands and result in slots: computed one time for all lanes. */
#define SCALAR1(name, op, mode, D, A)                                                      \
	HANDLE(name##_s)                                                                   \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		PUT(D, d, op_##op(SLOT(A, a)));                                            \
		NEXT;                                                                      \
	}
#define SCALAR2(name, op, mode, D, A, B)                                                   \
	HANDLE(name##_s)                                                                   \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		PUT(D, d, op_##op(SLOT(A, a), SLOT(B, b)));                                \
		NEXT;                                                                      \
	}
#define SCALAR3(name, op, mode, D, A, B, C)                                                \
	HANDLE(name##_s)                                                                   \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		PUT(D, d, op_##op(SLOT(A, a), SLOT(B, b), SLOT(C, c)));                    \
		NEXT;                                                                      \
	}
#define SCALAR4(name, op, mode, D, A, B, C, E)                                             \
	HANDLE(name##_s)                                                                   \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		PUT(D, d, op_##op(SLOT(A, a), SLOT(B, b), SLOT(C, c), SLOT(E, imm)));      \
		NEXT;                                                                      \
	}

#define ALU1(name, op, spelling, mode, D, A)                                                   \
	HANDLE(name##_r)                                                                   \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		BLEND(D, d, op_##op(a[l]));                                              \
		NEXT;                                                                      \
	}                                                                                  \
	SCALAR1(name, op, mode, D, A)

#define ALU2(name, op, spelling, mode, D, A, B)                                                \
	HANDLE(name##_rr)                                                                  \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		const B *b = ROW(B, b);                                                    \
		BLEND(D, d, op_##op(a[l], b[l]));                                        \
		NEXT;                                                                      \
	}                                                                                  \
	HANDLE(name##_rs)                                                                  \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		const B b = SLOT(B, b);                                                    \
		BLEND(D, d, op_##op(a[l], b));                                           \
		NEXT;                                                                      \
	}                                                                                  \
	SCALAR2(name, op, mode, D, A, B)

#define ALU3_FORM(form, name, op, mode, D, A, B, C, bexpr, bat, cexpr, cat)                    \
	HANDLE(name##_##form)                                                              \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		const B bexpr;                                                             \
		const C cexpr;                                                             \
		BLEND(D, d, op_##op(a[l], bat, cat));                                    \
		NEXT;                                                                      \
	}
#define ALU3(name, op, spelling, mode, D, A, B, C)                                             \
	ALU3_FORM(rrr, name, op, mode, D, A, B, C, *b = ROW(B, b), b[l], *c = ROW(C, c), c[l]) \
	ALU3_FORM(rsr, name, op, mode, D, A, B, C, b = SLOT(B, b), b, *c = ROW(C, c), c[l])    \
	ALU3_FORM(rrs, name, op, mode, D, A, B, C, *b = ROW(B, b), b[l], c = SLOT(C, c), c)    \
	ALU3_FORM(rss, name, op, mode, D, A, B, C, b = SLOT(B, b), b, c = SLOT(C, c), c)   \
	SCALAR3(name, op, mode, D, A, B, C)

#define LANE1(name, op, spelling, mode, D, A)                                                  \
	HANDLE(name##_r)                                                                   \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		EACH_ACTIVE d[l] = op_##op(a[l]);                                        \
		NEXT;                                                                      \
	}                                                                                  \
	SCALAR1(name, op, mode, D, A)

#define LANE2(name, op, spelling, mode, D, A, B)                                               \
	HANDLE(name##_rr)                                                                  \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		const B *b = ROW(B, b);                                                    \
		EACH_ACTIVE d[l] = op_##op(a[l], b[l]);                                  \
		NEXT;                                                                      \
	}                                                                                  \
	SCALAR2(name, op, mode, D, A, B)

#define LANE3(name, op, spelling, mode, D, A, B, C)                                            \
	HANDLE(name##_rrr)                                                                 \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		const B *b = ROW(B, b);                                                    \
		const C *c = ROW(C, c);                                                    \
		EACH_ACTIVE d[l] = op_##op(a[l], b[l], c[l]);                            \
		NEXT;                                                                      \
	}                                                                                  \
	SCALAR3(name, op, mode, D, A, B, C)

#define LANE4(name, op, spelling, mode, D, A, B, C, E)                                         \
	HANDLE(name##_rrrr)                                                                \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		const B *b = ROW(B, b);                                                    \
		const C *c = ROW(C, c);                                                    \
		const E *e = ROW(E, imm);                                                  \
		EACH_ACTIVE d[l] = op_##op(a[l], b[l], c[l], e[l]);                      \
		NEXT;                                                                      \
	}                                                                                  \
	SCALAR4(name, op, mode, D, A, B, C, E)

/* Comparisons work on rows of 0 and -1 as wide as what is compared. */
#define TRUTH(A) __typeof__(__builtin_choose_expr(sizeof(A) == 8, (int64_t)0, (int32_t)0))

#define SETP1(name, op, spelling, mode, A)                                                     \
	HANDLE(name##_r)                                                                   \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		const A *a = ROW(A, a);                                                    \
		TRUTH(A) t[LANES] __attribute__((aligned(64)));                            \
		EACH_LANE t[l] = op_##op(a[l]) ? -1 : 0;                                 \
		SET_PRED(d, COLLECT(t));                                                   \
		NEXT;                                                                      \
	}                                                                                  \
	HANDLE(name##_s)                                                                   \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		SET_PRED(d, op_##op(SLOT(A, a)) ? ~0u : 0);                                \
		NEXT;                                                                      \
	}

#define SETP2(name, op, spelling, mode, A, B)                                                  \
	HANDLE(name##_rr)                                                                  \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		const A *a = ROW(A, a);                                                    \
		const B *b = ROW(B, b);                                                    \
		TRUTH(A) t[LANES] __attribute__((aligned(64)));                            \
		EACH_LANE t[l] = op_##op(a[l], b[l]) ? -1 : 0;                           \
		SET_PRED(d, COLLECT(t));                                                   \
		NEXT;                                                                      \
	}                                                                                  \
	HANDLE(name##_rs)                                                                  \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		const A *a = ROW(A, a);                                                    \
		const B b = SLOT(B, b);                                                    \
		TRUTH(A) t[LANES] __attribute__((aligned(64)));                            \
		EACH_LANE t[l] = op_##op(a[l], b) ? -1 : 0;                              \
		SET_PRED(d, COLLECT(t));                                                   \
		NEXT;                                                                      \
	}                                                                                  \
	HANDLE(name##_s)                                                                   \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		SET_PRED(d, op_##op(SLOT(A, a), SLOT(B, b)) ? ~0u : 0);                    \
		NEXT;                                                                      \
	}

/* The condition code is a predicate slot: imm is its offset. */
#define CARRY_LOOP(D, op, carry, in, out, ...)                                             \
	uint32_t *cc = &PRED(imm);                                                         \
	uint32_t chain = *cc;                                                              \
                                                                                           \
	EACH_ACTIVE                                                                        \
	{                                                                                  \
		uint32_t bit = in ? chain >> l & 1 : 0;                                    \
		D v = op_##op(__VA_ARGS__, bit);                                           \
                                                                                           \
		if (out)                                                                   \
			chain = (chain & ~(1u << l)) |                                     \
				(uint32_t)op_##carry(__VA_ARGS__, bit) << l;               \
		d[l] = v;                                                                  \
	}                                                                                  \
	*cc = chain

#define CARRY2(name, op, carry, in, out, spelling, D, A, B)                                \
	HANDLE(name##_rr)                                                                  \
	{                                                                                  \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		const B *b = ROW(B, b);                                                    \
		CARRY_LOOP(D, op, carry, in, out, a[l], b[l]);                             \
		NEXT;                                                                      \
	}

#define CARRY3(name, op, carry, in, out, spelling, D, A, B, C)                             \
	HANDLE(name##_rrr)                                                                 \
	{                                                                                  \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
		const B *b = ROW(B, b);                                                    \
		const C *c = ROW(C, c);                                                    \
		CARRY_LOOP(D, op, carry, in, out, a[l], b[l], c[l]);                       \
		NEXT;                                                                      \
	}

#endif
