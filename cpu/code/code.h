/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an entry was lowered to: ops, the constants and variables that they need, and the
 * layout of a warp's row file.
 */
#ifndef CPU_CODE_H
#define CPU_CODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asserts.h"
#include "op.h"
#include "ptx.h"

struct code_region;
struct kernel_time;
struct trace;

/* A slot whose value depends on the CTA. */
enum slot_base { BASE_NONE, BASE_PARAMS, BASE_SHARED, BASE_DYNAMIC };

struct constant {
	uint64_t value;
	int32_t slot;              /* offset in the row file */
	uint32_t base;             /* enum slot_base: added to value */
};

/* A function inside the code of an entry. */
struct callee {
	uint32_t function;         /* in the module */
	uint32_t start;            /* op */
	uint32_t frame;            /* bytes */
};

/* Registers that a function may read before it writes them. */
struct blank {
	int32_t at, size;          /* bytes in the row file */
};

/* A variable in the frame of a function, for reports; names are the program's. */
struct frame_variable {
	uint32_t start;            /* op at which its function begins */
	uint32_t offset, size;     /* bytes in the frame */
	struct ptx_name name, function;
};

/* From its first launch on. */
enum compiling {
	COMPILING_NEW,             /* not launched yet, or kernels are not compiled */
	COMPILING_COUNTS,          /* its work is counted, until it is worth compiling */
	COMPILING_TRIED,           /* it is compiled, or will be, or cannot be */
};

/* What an entry was lowered to. */
struct code {
	struct op *ops;            /* owned; the first one is halt */
	uint32_t *lines;           /* owned: the PTX line of each op */
	uint32_t op_count, start;
	uint32_t again;            /* where warps begin that reuse a row file: hoist.h */
	uint32_t row_bytes;        /* of one warp's row file */
	uint32_t warp_bytes;       /* with what its waiting groups keep of their slots */
	int32_t variants_at;       /* where the slots are that they keep */
	uint32_t variant_count;
	op_fn *leader;             /* where groups become one; its imm: slots not needed there */
	bool aligned;              /* it relies on threads that differ in %tid.x alone */
	uint32_t uses;             /* bit per row of special registers that is read */
	struct constant *constants;/* owned */
	int32_t constants_at;      /* where their slots begin, in this order */
	size_t constant_count;
	struct blank *blanks;      /* owned: 0 where a warp begins */
	size_t blank_count;
	struct callee *callees;    /* owned */
	size_t callee_count;
	struct frame_variable *variables; /* owned: local.h; none without check=init */
	size_t variable_count;
	uint32_t stack;            /* bytes per thread; 0: none */
	uint32_t dynamic_at;       /* offset of dynamic shared memory */
	bool dynamic;              /* it uses that */
	bool reserved;             /* and the shared memory that the system reserves */
	bool workspace;            /* and the memory of grid barriers */
	struct trace *trace;       /* owned: trace.h; NULL: none */
	bool awaits;               /* some loop may wait for other threads */
	bool lowered_aligned;      /* it was lowered for warps that differ in %tid.x alone */
	_Atomic(struct code_region *) region; /* owned: what is compiled of it, in place of some
				    * handlers; of op_handler(), then of this, or NULL */
	atomic_int compiling;      /* enum compiling */
	_Atomic uint64_t work;     /* COMPILING_COUNTS: nanoseconds that it was interpreted */
	struct kernel_time *time;  /* borrowed: of GPURUN_LOG=jit-time; or NULL */
	void (*run)(struct warp *warp);
};

/* Offsets in a row file. */
enum {
	AT_SPECIAL_SLOTS = 0,      /* 8 bytes each */
	AT_SPECIAL_ROWS = 512,     /* 128 bytes each */
	SPECIAL_ROWS = 9,
	AT_SCRATCH = AT_SPECIAL_ROWS + SPECIAL_ROWS * 128,
	SCRATCH_BYTES = 512,
	SCRATCH_ROWS = 15,
	AT_SCRATCH_PREDICATES = AT_SCRATCH + SCRATCH_ROWS * SCRATCH_BYTES,
	SCRATCH_PREDICATES = 32,
	AT_CARRY = AT_SCRATCH_PREDICATES + 8 * SCRATCH_PREDICATES,
	AT_ROWS = AT_SCRATCH_PREDICATES + SCRATCH_BYTES,
};

static_assert(AT_SPECIAL_ROWS % 64 == 0 && AT_SCRATCH % 64 == 0 && AT_ROWS % 64 == 0,
	      "rows are loaded as aligned vectors");
static_assert(AT_CARRY + 8 <= AT_ROWS, "the carry is before the rows");

/* The offset of a special register, and its bit in code->uses. */
int32_t special_offset(unsigned special);
unsigned special_bit(unsigned special);

#endif
