/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The handler table of one instruction set, in the order of enum handler. Only the first set
 * has all of them: the others leave to the set before them what they gain nothing from, and
 * have NULL there.
 */
#include "handler.h"
#include "simd.h"

#ifdef SIMD_FIRST
#define WEAK
#else
#define WEAK __attribute__((weak))
#endif

#define DECLARE(name) WEAK op_fn SIMD_NAME(handle_##name);

#define HANDLER(name) DECLARE(name)
#include "handlers.def"
#define ALU1(name, op, spelling, mode, D, A) DECLARE(name##_r) DECLARE(name##_s)
#define ALU2(name, op, spelling, mode, D, A, B)                                  \
	DECLARE(name##_rr) DECLARE(name##_rs) DECLARE(name##_s)
#define ALU3(name, op, spelling, mode, D, A, B, C)                                             \
	DECLARE(name##_rrr) DECLARE(name##_rsr) DECLARE(name##_rrs) DECLARE(name##_rss)        \
	DECLARE(name##_s)
#define LANE1(name, op, spelling, mode, D, A) DECLARE(name##_r) DECLARE(name##_s)
#define LANE2(name, op, spelling, mode, D, A, B) DECLARE(name##_rr) DECLARE(name##_s)
#define LANE3(name, op, spelling, mode, D, A, B, C) DECLARE(name##_rrr) DECLARE(name##_s)
#define LANE4(name, op, spelling, mode, D, A, B, C, E) DECLARE(name##_rrrr) DECLARE(name##_s)
#define SETP1(name, op, spelling, mode, A) DECLARE(name##_r) DECLARE(name##_s)
#define SETP2(name, op, spelling, mode, A, B)                                  \
	DECLARE(name##_rr) DECLARE(name##_rs) DECLARE(name##_s)
#define CARRY2(name, op, carry, in, out, spelling, D, A, B) DECLARE(name##_rr)
#define CARRY3(name, op, carry, in, out, spelling, D, A, B, C) DECLARE(name##_rrr)
#include "ptx_ops.def"
#define FIRST(...)
#define SECOND(...)
#define FUSE(second, form2, op2, D, X, Y, first, form1, ...)                               \
	DECLARE(first##_##form1##_##second##_##form2)
#define FUSE_SETP(...) FUSE(__VA_ARGS__)
#include "fused.def"
#define COMPARE(name, op, A)                                                               \
	DECLARE(name##_rr_bra) DECLARE(name##_rs_bra) DECLARE(name##_s_bra)   \
	DECLARE(name##_rr_back) DECLARE(name##_rs_back) DECLARE(name##_s_back)
#define COUNT(name, op, A) DECLARE(name##_count)
#include "branches.def"

#define ENTRY(name) [HANDLER_##name] = SIMD_NAME(handle_##name),

op_fn *const SIMD_NAME(handlers)[HANDLER_COUNT] = {
#define HANDLER(name) ENTRY(name)
#include "handlers.def"
#define ALU1(name, op, spelling, mode, D, A) ENTRY(name##_r) ENTRY(name##_s)
#define ALU2(name, op, spelling, mode, D, A, B)                                  \
	ENTRY(name##_rr) ENTRY(name##_rs) ENTRY(name##_s)
#define ALU3(name, op, spelling, mode, D, A, B, C)                                             \
	ENTRY(name##_rrr) ENTRY(name##_rsr) ENTRY(name##_rrs) ENTRY(name##_rss) ENTRY(name##_s)
#define LANE1(name, op, spelling, mode, D, A) ENTRY(name##_r) ENTRY(name##_s)
#define LANE2(name, op, spelling, mode, D, A, B) ENTRY(name##_rr) ENTRY(name##_s)
#define LANE3(name, op, spelling, mode, D, A, B, C) ENTRY(name##_rrr) ENTRY(name##_s)
#define LANE4(name, op, spelling, mode, D, A, B, C, E) ENTRY(name##_rrrr) ENTRY(name##_s)
#define SETP1(name, op, spelling, mode, A) ENTRY(name##_r) ENTRY(name##_s)
#define SETP2(name, op, spelling, mode, A, B)                                  \
	ENTRY(name##_rr) ENTRY(name##_rs) ENTRY(name##_s)
#define CARRY2(name, op, carry, in, out, spelling, D, A, B) ENTRY(name##_rr)
#define CARRY3(name, op, carry, in, out, spelling, D, A, B, C) ENTRY(name##_rrr)
#include "ptx_ops.def"
#define FIRST(...)
#define SECOND(...)
#define FUSE(second, form2, op2, D, X, Y, first, form1, ...)                               \
	ENTRY(first##_##form1##_##second##_##form2)
#define FUSE_SETP(...) FUSE(__VA_ARGS__)
#include "fused.def"
#define COMPARE(name, op, A)                                                               \
	ENTRY(name##_rr_bra) ENTRY(name##_rs_bra) ENTRY(name##_s_bra)   \
	ENTRY(name##_rr_back) ENTRY(name##_rs_back) ENTRY(name##_s_back)
#define COUNT(name, op, A) ENTRY(name##_count)
#include "branches.def"
};
