/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Inside a program: the module with the addresses of its variables, and its
 * entries with the code they were lowered to.
 */
#ifndef DRIVER_PROGRAM_H
#define DRIVER_PROGRAM_H

#include <pthread.h>

#include "code.h"
#include "exec.h"
#include "names.h"

struct program {
	struct bytes text;         /* owned; a NUL stands behind it */
	struct ptx *ptx;           /* owned */
	struct names globals;      /* variables and functions by name */
	uint64_t *addresses;       /* owned: of each variable of the module, 0: none */
	uint64_t functions;        /* block whose addresses stand for functions; 0: none */
	uint32_t constant;         /* bytes of .const */
	char **names;              /* owned, each too: of the entries with a body, then NULL */
	pthread_mutex_t lock;      /* of entries */
	struct entry **entries;    /* owned: of each function of the module, NULL: not lowered */
};

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

/* What an entry was lowered to. */
struct code {
	struct op *ops;            /* owned; the first one is halt */
	uint32_t *lines;           /* owned: the PTX line of each op */
	uint32_t op_count, start;
	uint32_t again;            /* where warps begin in the place of others: once.h */
	uint32_t row_bytes;        /* of one warp's row file */
	uint32_t warp_bytes;       /* with what its waiting groups keep of their slots */
	int32_t variants_at;       /* where the slots stand that they keep */
	uint32_t variant_count;
	op_fn *leader;             /* where groups become one: imm: slots not needed there */
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
	bool reserved;             /* it asks for the shared memory that is the system's */
	bool workspace;            /* and for what a barrier of the grid works in */
	struct trace *trace;       /* owned: trace.h; NULL: none */
	void (*run)(struct warp *warp);
};

struct entry {
	struct kernel kernel;
	uint32_t function;         /* in the module */
	struct code code;          /* for all blocks; lowered when it is first needed: */
	atomic_bool lowered;       /* it is */
	struct code aligned;       /* for warps whose threads differ in %tid.x alone; has no ops
				    * where the other is as good */
	struct kernel_slot *slots; /* owned: kernel.params */
	char *name;                /* owned: kernel.name */
};

/* Where things stand in a row file. */
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

/* Where a special register stands, and which bit of code->uses it is. */
int32_t special_offset(unsigned special);
unsigned special_bit(unsigned special);

/* Lowers entry @function of @program. */
int entry_lower(struct program *program, uint32_t function, struct entry **out,
		struct err *e);

/*
 * Tells the code of @entry for blocks whose warps' threads differ in %tid.x alone, or for
 * any; lowers it if it is the first to ask. Thread-safe. GPURUN_NO_MEMORY.
 */
int entry_code(struct entry *entry, bool aligned, const struct code **out, struct err *e);

/* Takes NULL. */
void entry_free(struct entry *entry);
DEFINE_CLEANUP(free_entry, struct entry *, entry_free)

#endif
