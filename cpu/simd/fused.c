/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pairs of rows as one op (fused.def). a, b, c: the operands of the first row; imm: the
 * other operands of the second one, the first of them in its lower half.
 */
#include "op_bits.h"
#include "op_compare.h"
#include "op_float.h"
#include "op_int.h"
#include "simd.h"

#define AT(T, offset) ((T *)__builtin_assume_aligned(w->rows + (int32_t)(offset), 32))
#define AT_SLOT(T, offset) (*(const T *)(w->rows + (int32_t)(offset)))

#define READ_rr(A, B, C) const A *a = ROW(A, a); const B *b = ROW(B, b)
#define READ_rs(A, B, C) const A *a = ROW(A, a); const B b = SLOT(B, b)
#define READ_rrr(A, B, C) READ_rr(A, B, C); const C *c = ROW(C, c)
#define READ_rsr(A, B, C) READ_rs(A, B, C); const C *c = ROW(C, c)
#define READ_rrs(A, B, C) READ_rr(A, B, C); const C c = SLOT(C, c)
#define READ_rss(A, B, C) READ_rs(A, B, C); const C c = SLOT(C, c)
#define GIVE_rr(op) op_##op(a[l], b[l])
#define GIVE_rs(op) op_##op(a[l], b)
#define GIVE_rrr(op) op_##op(a[l], b[l], c[l])
#define GIVE_rsr(op) op_##op(a[l], b, c[l])
#define GIVE_rrs(op) op_##op(a[l], b[l], c)
#define GIVE_rss(op) op_##op(a[l], b, c)

#define OTHER_r(X) const X *x = AT(X, ip->imm)
#define OTHER_s(X) const X x = AT_SLOT(X, ip->imm)
#define OTHER_er(X, Y) OTHER_r(X)
#define OTHER_tr(X, Y) OTHER_r(X)
#define OTHER_rt(X, Y) OTHER_r(X)
#define OTHER_ts(X, Y) OTHER_s(X)
#define OTHER_err(X, Y) OTHER_r(X); const Y *y = AT(Y, ip->imm >> 32)
#define OTHER_rrt(X, Y) OTHER_err(X, Y)
#define OTHER_ers(X, Y) OTHER_r(X); const Y y = AT_SLOT(Y, ip->imm >> 32)
#define OTHER_rst(X, Y) OTHER_ers(X, Y)
#define OTHER_tsr(X, Y) OTHER_s(X); const Y *y = AT(Y, ip->imm >> 32)
#define OTHER_tss(X, Y) OTHER_s(X); const Y y = AT_SLOT(Y, ip->imm >> 32)
#define TAKE_er(op, t) op_##op(t, x[l])
#define TAKE_tr(op, t) op_##op(t, x[l])
#define TAKE_rt(op, t) op_##op(x[l], t)
#define TAKE_ts(op, t) op_##op(t, x)
#define TAKE_err(op, t) op_##op(t, x[l], y[l])
#define TAKE_rrt(op, t) op_##op(x[l], y[l], t)
#define TAKE_ers(op, t) op_##op(t, x[l], y)
#define TAKE_rst(op, t) op_##op(x[l], y, t)
#define TAKE_tsr(op, t) op_##op(t, x, y[l])
#define TAKE_tss(op, t) op_##op(t, x, y)

#define FIRST(...)
#define SECOND(...)
#define FUSE(second, form2, op2, D, X, Y, first, form1, op1, mode, A, B, C)                \
	HANDLE(first##_##form1##_##second##_##form2)                                       \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		D *d = ROW(D, d);                                                          \
		READ_##form1(A, B, C);                                                     \
		OTHER_##form2(X, Y);                                                       \
		BLEND(D, d, (D)TAKE_##form2(op2, GIVE_##form1(op1)));                      \
		NEXT;                                                                      \
	}
#define FUSE_SETP(second, form2, op2, D, X, Y, first, form1, op1, mode, A, B, C)           \
	HANDLE(first##_##form1##_##second##_##form2)                                       \
	{                                                                                  \
		SET_MODE_##mode;                                                           \
		READ_##form1(A, B, C);                                                     \
		OTHER_##form2(X, Y);                                                       \
		int32_t t[LANES] __attribute__((aligned(64)));                             \
		EACH_LANE t[l] = TAKE_##form2(op2, GIVE_##form1(op1)) ? -1 : 0;            \
		SET_PRED(d, COLLECT(t));                                                   \
		NEXT;                                                                      \
	}
#include "fused.def"
