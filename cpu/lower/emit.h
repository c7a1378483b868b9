/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of lowering an entry, from its decoded bodies to its ops, and what every file of
 * lower/ does with it: append an op, or fail. It lives as long as one entry is lowered, and only
 * one thread uses it. Functions return 0, or a status with "line N: ..." in l->e.
 */
#ifndef CPU_EMIT_H
#define CPU_EMIT_H

#include "align.h"
#include "array.h"
#include "flow.h"
#include "handler.h"
#include "opcode.h"
#include "program.h"
#include "uniform.h"

/* The registers that a call has to save, as find_live() in call.c goes from call to call. */
struct live_registers {
	uint32_t *by_start;        /* owned: those that are needed beyond one instruction, by the
				    * first that needs them */
	uint32_t total, next;      /* in by_start: all, and the first not reached yet */
	uint32_t *now;             /* owned */
	uint32_t count;            /* in now */
};

/* A function that an entry reaches, the entry included. */
struct reached {
	uint32_t function;         /* in the module */
	struct body *body;         /* owned */
	struct flow flow;          /* owned */
	struct liveness liveness;  /* owned */
	uint8_t *homes;            /* owned: of each register; NULL: rows for all */
	uint8_t *hoisted;          /* owned: of each instruction: hoist.h; NULL: none is */
	struct places places;      /* owned: of each register in the row file */
	uint32_t *variants;        /* owned: the registers that are in variant slots */
	uint32_t variant_count;
	int32_t *uninits;          /* owned: of each register, where its struct uninit is;
				    * 0: it has none; NULL: no register has one */
	int32_t uninit_at;         /* the first of them, which is always empty */
	uint32_t uninit_count;     /* those after it that begin uninitialised */
	uint32_t *frame_offsets;   /* owned: of each symbol that lives in the frame */
	uint32_t frame;            /* bytes */
	uint32_t start;            /* op */
	uint32_t saves;            /* where registers are saved in the frame */
	struct live_registers live; /* where calls save some */
	uint32_t depth;            /* bytes of stack it needs with what it calls */
};

/* A branch or call whose target's op is not known yet. */
struct fixup {
	uint32_t op, target;       /* target: instruction, or index in reached for calls */
};

/* The last op that computes a row of ptx_ops.def into its register, for lower/fuse.c. */
struct last_row {
	uint32_t op, reg;
	uint16_t handler;          /* 0: none */
};

enum { CONSTANT_BUCKETS = 1024 };

/* What is known of a function of the module. */
enum reach_state { REACH_UNKNOWN, REACH_VISITING, REACHED };

struct lowering {
	struct program *program;
	struct code *code;
	uint64_t most_ops;         /* the budget of the module */
	op_fn *const *handlers;
	struct reached *functions; /* owned; callees before callers */
	size_t function_count;
	struct reached *now;       /* the function being lowered */
	const struct body *body;
	const struct insn *insn;
	const struct operand *operands;
	struct opcode opcode;      /* of insn */
	uint32_t index;            /* of insn */
	uint32_t *insn_ops;        /* owned: where each instruction of the function begins */
	struct fixup *branches;    /* owned; of the function */
	size_t branch_count;
	struct fixup *calls;       /* owned; of the entry */
	size_t call_count;
	uint64_t *shared_at;       /* owned: offset plus 1 of each shared variable of the module */
	uint32_t shared_size;
	int32_t constants_at;      /* row-file offset of the first constant */
	uint32_t buckets[CONSTANT_BUCKETS];
	uint32_t *constant_next;   /* owned */
	struct last_row last;
	uint32_t guard_op;         /* the present guard; 0: none */
	struct scratch {
		unsigned rows, predicates;
	} scratch;                 /* what of it the instruction uses */
	bool overdrawn;            /* it has requested more than there is */
	uint32_t hits[2];          /* memory ops so far: those that read, those that write */
	uint32_t *states;          /* owned: of each function of the module: enum reach_state, or
				    * REACHED and its index in functions */
	uint32_t check;            /* the op of check_before() */
	bool aligned;              /* the threads of a warp differ in %tid.x alone */
	unsigned order;            /* what check_order() has noted */
	bool recursive;            /* some call leads back to its function */
	bool indirect;             /* some call is indirect: all functions are reached */
	uint32_t stack_align;      /* the greatest that some alloca requests; 0: there is none */
	uint32_t dynamic_align;    /* of the dynamic shared array */
	unsigned uses;             /* enum kernel_use */
	bool traced;               /* trace.h */
	struct err *e;
};

/* Fails with "line N: OPCODE " and the sentence. */
int lower_fail(struct lowering *l, enum gpurun_status code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Fails with "line N: OPCODE is not executed by the CPU device". */
int lower_unsupported(struct lowering *l);

/* Fails unless the instruction has @count operands. */
int expect_operands(struct lowering *l, unsigned count);

/* Appends an op. GPURUN_NO_MEMORY, GPURUN_INTERNAL when the scratch rows are used up. */
int emit(struct lowering *l, enum handler handler, int32_t d, int32_t a, int32_t b, int32_t c,
	 int64_t imm);

#endif
