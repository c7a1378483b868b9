/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An op: what lowering makes of an instruction, and a handler executes. */
#ifndef CPU_OP_H
#define CPU_OP_H

#include <stdint.h>

#include "asserts.h"

struct op;
struct warp;

/* Executes @ip for the active lanes of @warp and continues with the next op. */
typedef void op_fn(struct warp *warp, const struct op *ip);

/*
 * One op. Operands are byte offsets into the warp's row file: of a row, one
 * element per lane, or of a scalar slot of 8 bytes; the handler knows which.
 */
struct op {
	op_fn *fn;
	int32_t d, a, b, c;
	int64_t imm;
};

static_assert(sizeof(struct op) == 32, "two ops in a cache line");

/*
 * The handler of @op, where compiled code may take its place meanwhile: what was written before
 * that is seen then. Handlers, which continue with each other, load fn as it is: an aligned
 * pointer is loaded in one piece, and either handler is right.
 */
static inline op_fn *op_handler(const struct op *op)
{
	return (op_fn *)__atomic_load_n((const uintptr_t *)&op->fn, __ATOMIC_ACQUIRE);
}

#endif
