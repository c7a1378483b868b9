/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From decoded bodies to ops: the state shared by the files of lower/, and by no others.
 * Functions return 0, or a status with "line N: ..." in l->e.
 */
#ifndef CPU_LOWER_H
#define CPU_LOWER_H

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
				    * 0: nowhere; NULL: of none */
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

/*
 * Reaches entry @function, one time for @l, and all that it calls: rows of l->functions, callees
 * before their callers. *@depth is the stack that it needs with what it calls. Fails when one
 * cannot be decoded, or a callee is an entry.
 */
int lower_reach(struct lowering *l, uint32_t function, uint32_t *depth);

void reached_release(struct reached *reached);

/* Appends the ops for the instructions of @reached. */
int lower_function(struct lowering *l, struct reached *reached);

/* Fails with "line N: OPCODE " and the sentence. */
int lower_fail(struct lowering *l, enum gpurun_status code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Fails with "line N: OPCODE is not executed by the CPU device". */
int lower_unsupported(struct lowering *l);

/* Appends an op. GPURUN_NO_MEMORY, GPURUN_INTERNAL when the scratch rows are used up. */
int emit(struct lowering *l, enum handler handler, int32_t d, int32_t a, int32_t b, int32_t c,
	 int64_t imm);

/* Appends an op that computes @row, or makes the op before it compute both. */
int emit_row(struct lowering *l, const struct op_row *row, unsigned handler, int32_t d,
	     const int32_t at[4], int64_t imm);

/*
 * Appends the branch of @handler under predicate @p, or makes the comparison before it
 * branch, too. *@op is the one whose imm is to be the distance.
 */
int emit_branch(struct lowering *l, enum handler handler, int32_t p, uint32_t *op);

/*
 * The next scratch row, or predicate, of this instruction. A caller that needs some no longer
 * restores l->scratch. There is no failure here: emit() refuses the op.
 */
int32_t scratch_row(struct lowering *l);
int32_t scratch_predicate(struct lowering *l);

/*
 * The byte offset of a memory op's struct hit in warp->hits. Ops that write share none
 * with those that read, which may reach constant memory.
 */
int32_t next_hit(struct lowering *l, bool writes);

/* The slot of a constant; added at its first use. GPURUN_NO_MEMORY. */
int constant_slot(struct lowering *l, uint64_t value, enum slot_base base, int32_t *slot);

/* The offset of register @index in the row file, or the size of its elements (0: predicate). */
int32_t register_at(const struct lowering *l, uint32_t index);
unsigned register_size(const struct lowering *l, uint32_t index);

/* Tells whether register @index is in a slot, not a row. */
bool register_slot(const struct lowering *l, uint32_t index);

/*
 * Makes @operand available as a scalar slot, when it is the same for all lanes.
 * *@scalar says so; nothing is emitted when it is false.
 */
int source_scalar(struct lowering *l, const struct operand *operand, unsigned size,
		  enum element_class class, bool *scalar, int32_t *slot);

/* Makes @operand available as a row of @size-byte elements; extended by @sign if narrower. */
int source_row(struct lowering *l, const struct operand *operand, unsigned size,
	       enum element_class class, bool sign, int32_t *row);

/* A predicate operand, negation included: a slot. */
int source_predicate(struct lowering *l, const struct operand *operand, int32_t *slot);

/* A row of @size-byte elements to compute into; lower_result() then moves it to @operand. */
int result_row(struct lowering *l, const struct operand *operand, unsigned size, int32_t *row);
int result_done(struct lowering *l, const struct operand *operand, unsigned size, bool sign,
		int32_t row);

/* Tells whether @operand is a register of @size bytes in a slot, and returns that. */
bool result_slot(const struct lowering *l, const struct operand *operand, unsigned size,
		 int32_t *slot);

/* Copies @size bytes from slot to slot. */
int move_slot(struct lowering *l, int32_t to, int32_t from, unsigned size);

/* The predicate to compute into; a scratch slot for '_'. */
int result_predicate(struct lowering *l, const struct operand *operand, int32_t *slot);

/* The address of a variable in its own space, as a row or a slot. */
int symbol_value(struct lowering *l, const struct operand *operand, bool *scalar, int32_t *at);

/* Allocates @symbol among the static shared variables; GPURUN_FORMAT when there is no room. */
int place_shared(struct lowering *l, const struct symbol *symbol, uint32_t line, uint32_t *at);

/* Offset of a shared variable. */
int shared_offset(struct lowering *l, const struct symbol *symbol, uint32_t index,
		  uint64_t *offset);

/* A row from elements of one size to another. */
int resize(struct lowering *l, int32_t to, unsigned to_size, int32_t from, unsigned from_size,
	   bool sign);

/* Fails when a number among the operands is one that ptxas refuses there. */
int check_numbers(struct lowering *l);

/* Fails unless the instruction has @count operands. */
int expect_operands(struct lowering *l, unsigned count);

/* Lowers the present instruction by @lower, with the checker's ops around it. */
int lower_one(struct lowering *l, int (*lower)(struct lowering *));

/* The same where lanes that reconverged may have to diverge again. */
int lower_parking(struct lowering *l, int (*lower)(struct lowering *));

/* A predicated instruction: narrows the lanes that run, or branches around it when it @parks. */
int lower_guarded(struct lowering *l, int (*lower)(struct lowering *), bool parks);

/* Ends the guard in force unless instruction @index, the next one, is under it, too. */
int lower_guard_end(struct lowering *l, uint32_t index);

int lower_alu(struct lowering *l);
int lower_setp(struct lowering *l);
int lower_set(struct lowering *l);
int lower_selp(struct lowering *l);
int lower_logic(struct lowering *l);
int lower_mov(struct lowering *l);
int lower_cvta(struct lowering *l);
int lower_isspacep(struct lowering *l);
int lower_load(struct lowering *l);
int lower_store(struct lowering *l);
int lower_branch(struct lowering *l);
int lower_branch_table(struct lowering *l);
int lower_end(struct lowering *l);
int lower_call(struct lowering *l);
/*
 * Where the parameters of @function are in its frame, then its results: as many as there are, in
 * @offsets, unless that is NULL. Returns where the last one ends.
 */
uint32_t param_offsets(const struct ptx_function *function, uint32_t *offsets);
/* Registers that are parameters or results: from the frame, or to it. */
int lower_registers(struct lowering *l, enum symbol_home home);
/* Fills in the targets of calls, after every function has its ops. */
int lower_calls_done(struct lowering *l);
int lower_barrier(struct lowering *l);
int lower_stack(struct lowering *l);
int lower_atom(struct lowering *l);
int lower_shfl(struct lowering *l);
int lower_vote(struct lowering *l);
int lower_activemask(struct lowering *l);
int lower_match(struct lowering *l);
int lower_redux(struct lowering *l);
int lower_elect(struct lowering *l);
int lower_ldmatrix(struct lowering *l);
int lower_stmatrix(struct lowering *l);
int lower_movmatrix(struct lowering *l);
int lower_mma(struct lowering *l);
int lower_wmma(struct lowering *l);
int lower_wgmma(struct lowering *l);
int lower_copy(struct lowering *l);
/* Counts @bytes as completed at the mbarrier that @operand, an address in @space, names. */
int lower_complete(struct lowering *l, const struct operand *operand, enum ptx_space space,
		   unsigned bytes);
/* cp.async.bulk and cp.reduce.async.bulk; tensormap.cp_fenceproxy. */
int lower_bulk(struct lowering *l);
int lower_map_copy(struct lowering *l);
int lower_tensormap(struct lowering *l);
int lower_mapa(struct lowering *l);
int lower_rank(struct lowering *l);
int lower_cluster_barrier(struct lowering *l);
int lower_policy(struct lowering *l);
int lower_line(struct lowering *l);
int lower_mbarrier(struct lowering *l);
int lower_fence(struct lowering *l);
int lower_nothing(struct lowering *l);
int lower_event(struct lowering *l);
int lower_simple(struct lowering *l);
int lower_video(struct lowering *l);
/* Parts of registers and negated ones are for video instructions alone: fails for others. */
int check_registers(struct lowering *l);

/* The generic address that @operand in brackets names: a row of 64 bits, and bytes to add.
 * Removes its space from the opcode. */
int generic_address(struct lowering *l, const struct operand *operand, int32_t *row,
		    int64_t *offset);

/* The same where the opcode names several spaces: @space is the operand's. */
int address_in(struct lowering *l, const struct operand *operand, enum ptx_space space,
	       int32_t *row, int64_t *offset);

/* Removes @words ("a b c") from the opcode. */
void remove_words(struct lowering *l, const char *words);

#endif
