/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The handlers that execute ops, by number. Every handler is compiled once per
 * instruction set; lowering takes the table that suits the machine. What lists all
 * handlers includes this header; a handler itself needs code.h alone, so that one more
 * of them does not compile the others again.
 */
#ifndef DRIVER_HANDLER_H
#define DRIVER_HANDLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code.h"

struct warp;

/*
 * Handlers of one row follow each other: rr rs, or rrr rsr rrs rss; the last one, s, has
 * slots for all its operands and its result.
 */

/* From HANDLER_ROWS on they follow from rows; from HANDLER_BRANCHES on they may branch, too. */
enum handler {
#define HANDLER(name) HANDLER_##name,
#include "handlers.def"
	HANDLER_ROWS, HANDLER_BEFORE_ROWS = HANDLER_ROWS - 1,
#define ALU1(name, op, spelling, mode, D, A) HANDLER_##name##_r, HANDLER_##name##_s,
#define ALU2(name, op, spelling, mode, D, A, B)                                          \
	HANDLER_##name##_rr, HANDLER_##name##_rs, HANDLER_##name##_s,
#define ALU3(name, op, spelling, mode, D, A, B, C)                                       \
	HANDLER_##name##_rrr, HANDLER_##name##_rsr, HANDLER_##name##_rrs, HANDLER_##name##_rss, \
	HANDLER_##name##_s,
#define LANE1(name, op, spelling, mode, D, A) HANDLER_##name##_r, HANDLER_##name##_s,
#define LANE2(name, op, spelling, mode, D, A, B) HANDLER_##name##_rr, HANDLER_##name##_s,
#define LANE3(name, op, spelling, mode, D, A, B, C) HANDLER_##name##_rrr, HANDLER_##name##_s,
#define LANE4(name, op, spelling, mode, D, A, B, C, E)                                     \
	HANDLER_##name##_rrrr, HANDLER_##name##_s,
#define SETP1(name, op, spelling, mode, A) HANDLER_##name##_r, HANDLER_##name##_s,
#define SETP2(name, op, spelling, mode, A, B)                                              \
	HANDLER_##name##_rr, HANDLER_##name##_rs, HANDLER_##name##_s,
#define CARRY2(name, op, carry, in, out, spelling, D, A, B) HANDLER_##name##_rr,
#define CARRY3(name, op, carry, in, out, spelling, D, A, B, C) HANDLER_##name##_rrr,
#include "ptx_ops.def"
#define FIRST(...)
#define SECOND(...)
#define FUSE(second, form2, op2, D, X, Y, first, form1, ...)                               \
	HANDLER_##first##_##form1##_##second##_##form2,
#define FUSE_SETP(...) FUSE(__VA_ARGS__)
#include "fused.def"
	HANDLER_BRANCHES, HANDLER_BEFORE_BRANCHES = HANDLER_BRANCHES - 1,
#define COMPARE(name, op, A)                                                               \
	HANDLER_##name##_rr_bra, HANDLER_##name##_rs_bra, HANDLER_##name##_s_bra,          \
	HANDLER_##name##_rr_back, HANDLER_##name##_rs_back, HANDLER_##name##_s_back,
#define COUNT(name, op, A) HANDLER_##name##_count,
#include "branches.def"
	HANDLER_COUNT,
};

/* The handlers for one instruction set, by enum handler; each set is complete. */
struct handler_set {
	op_fn *const *handlers;
	/* Runs @warp until it blocks, ends or has used its turn up. */
	void (*run)(struct warp *warp);
};

/* The best set that this machine has, up to config.isa, of those that were built. */
const struct handler_set *handler_set_choose(void);

enum row_shape { SHAPE_ALU, SHAPE_LANE, SHAPE_SETP, SHAPE_CARRY };

/* How an immediate becomes an element. */
enum element_class { ELEMENT_BITS, ELEMENT_F32, ELEMENT_F64 };

/* One row of ptx_ops.def, for lowering. */
struct op_row {
	const char *spelling;
	uint16_t handler;       /* the first form */
	uint8_t shape;          /* enum row_shape */
	uint8_t sources;        /* 1 to 4 */
	uint8_t sizes[5];       /* bytes of an element: destination (0: predicate), sources */
	uint8_t classes[5];     /* enum element_class */
	bool is_signed;         /* the destination */
};

extern const struct op_row op_rows[];
extern const size_t op_row_count;

struct opcode;

/* Finds the row that @opcode is; NULL when there is none. */
const struct op_row *op_row_find(const struct opcode *opcode);

#endif
