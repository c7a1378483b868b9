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

#endif
