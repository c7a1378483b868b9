/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From decoded bodies to ops: what each file of lower/ does for the others. Only they include
 * this. Functions return 0, or a status with "line N: ..." in l->e.
 */
#ifndef CPU_LOWER_H
#define CPU_LOWER_H

#include "emit.h"

/*
 * Reaches entry @function, one time for @l, and all that it calls: rows of l->functions, callees
 * before their callers. *@depth is the stack that it needs with what it calls. Fails when one
 * cannot be decoded, or a callee is an entry.
 */
int lower_reach(struct lowering *l, uint32_t function, uint32_t *depth);

void reached_release(struct reached *reached);

/* Appends the ops for the instructions of @reached. */
int lower_function(struct lowering *l, struct reached *reached);

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

/* Removes a space from the opcode; PTX_REG: generic addresses. */
enum ptx_space take_space(struct lowering *l);

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
