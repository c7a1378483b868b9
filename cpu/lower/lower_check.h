/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The checker's part in lowering: ops before those that access memory, and
 * nothing at all unless config.check says so. What accesses memory is lowered
 * between a check_before() and a check_after():
 *
 *	TRY(check_generic(l, row, offset, 16, ACCESS_READ));
 *	TRY(emit(l, HANDLER_...));
 *	TRY(check_after(l));
 *
 * Lanes whose address is illegal then do not execute the ops in between.
 */
#ifndef CPU_LOWER_CHECK_H
#define CPU_LOWER_CHECK_H

#include "bits.h"
#include "lower.h"

/*
 * Announces that each lane accesses @size bytes at @at, an address of @form, plus
 * @offset. @flags: ACCESS_NARROW, and the width of the elements if the next op is
 * the store.
 */
int check_before(struct lowering *l, enum access_form form, int32_t at, int64_t offset,
		 unsigned size, enum access_kind kind, unsigned flags);

/* The same for generic addresses in a row of 64 bits. */
int check_generic(struct lowering *l, int32_t row, int64_t offset, unsigned size,
		  enum access_kind kind);

/* Notes whether the instruction is volatile, atomic or ordered; before its words are removed. */
void check_order(struct lowering *l);

/*
 * Uninitialised registers: places a struct uninit for those of @reached that need it, after
 * its registers; begins a function; checks the guard, the operands and the results of the
 * instruction, the latter after it; and what a load or store of @size bytes moves.
 * GPURUN_NO_MEMORY.
 */
int check_registers_place(struct lowering *l, struct reached *reached);
int check_registers_begin(struct lowering *l);
int check_guard(struct lowering *l);
int check_reads(struct lowering *l);
int check_writes(struct lowering *l);
int check_elements(struct lowering *l, bool store, unsigned size);

/*
 * shfl by @handler, whose operands and @rows are those of its ops: precedes it, with the row
 * that it fills with the lanes that are read, or 0; and follows it.
 */
int check_shuffle(struct lowering *l, enum handler handler, int32_t b, int32_t c, int32_t m,
		  int64_t rows, int32_t *from);
int check_shuffled(struct lowering *l, int32_t from);

/*
 * Registers in a function's frame: row @index is saved at @at, or restored from there; @operand
 * is stored at @at, or loaded from there.
 */
int check_saved(struct lowering *l, uint32_t index, uint64_t at, bool restore);
int check_passed_register(struct lowering *l, const struct operand *operand, uint64_t at,
			  unsigned size, bool take);

/*
 * Frames: notes the variables of the present function, which begins with all but its
 * parameters uninitialised; what a call passes, bytes @from to @to of the frame, is written
 * or not; @bytes are copied within the frame. GPURUN_NO_MEMORY.
 */
int check_frame_begin(struct lowering *l);
int check_passed(struct lowering *l, uint64_t from, uint64_t to, bool written);
int check_frame_copy(struct lowering *l, uint64_t to, uint64_t from, uint64_t bytes);

/* alloca has allocated the bytes in row @bytes, uninitialised, at the local address in row @at. */
int check_allocated(struct lowering *l, int32_t at, int32_t bytes);

/* Follows each instruction. */
int check_done(struct lowering *l);

/* Follows a fence. */
int check_fence(struct lowering *l);

/* Ends a group of copies, waits for all but the @newest groups, or for all copies. */
int check_copies(struct lowering *l, enum async_copy_kind kind, enum copies_op op, uint32_t newest);

/* Ends what check_before() began; not needed for instructions without one. */
int check_after(struct lowering *l);

#endif
