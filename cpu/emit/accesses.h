/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Parts of loads and stores (access.c). After a check, rax and what a lane has more lead to the
 * lane's element:
 *
 *	patterns  [rax + steps[lane] - least]
 *	vectors   [rax + the lane's address, or its index and their scale, + access_more()]
 */
#ifndef CPU_ACCESSES_H
#define CPU_ACCESSES_H

#include "compile.h"

/* How the addresses of a warp differ. */
struct span {
	const int64_t *steps;     /* of each lane, against lane 0 */
	int64_t least, most;
	bool aligned;             /* all are multiples of what a lane accesses */
};

struct span access_span(const struct ir *ir, const struct ir_insn *insn);

/* Addresses that are farther apart are not checked by one comparison. */
enum { MOST_SPAN = 1 << 20 };

/* How far apart the addresses are: as much as all of an address space. */
static inline uint64_t span_bytes(const struct span *span)
{
	return (uint64_t)span->most - (uint64_t)span->least;
}

/* What one lane accesses, in bytes. */
static inline uint32_t access_unit(const struct ir_insn *insn)
{
	return (uint32_t)insn->size * insn->count;
}

static inline bool access_is_shared(const struct ir_insn *insn)
{
	return insn->form >= FORM_SHARED_R8;
}

/* Bytes of an address in a vector. */
static inline unsigned access_bytes(const struct ir_insn *insn)
{
	return insn->form == FORM_SHARED_R4 || insn->indexed ? 4 : 8;
}

/* What one more in an address, or in an index, is in bytes. */
static inline unsigned access_scale(const struct ir *ir, const struct ir_insn *insn)
{
	return insn->indexed ? 1u << ir_made(ir, insn)->shift : 1;
}

/* How far addresses, or indices, are apart if elements follow each other; 0: they cannot. */
static inline unsigned access_step(const struct ir *ir, const struct ir_insn *insn)
{
	return insn->size / access_scale(ir, insn);
}

/* ---- Checks (access_check.c) ------------------------------------------------------------ */

/* Where a check of @bytes by the op's struct hit begins, and is repeated a few times; returns where
 * it goes if it fails, with an address in rax. */
uint32_t access_begin_check(struct compile *c, uint32_t index, uint32_t bytes);

/* Leaves unless the address in rax is a multiple of @unit. */
void access_check_aligned(struct compile *c, uint32_t index, uint32_t unit);

/* rdx = the last place that @bytes can have, which may be negative: the carry flag says so. */
void access_load_last(struct compile *c, const struct ir_insn *insn, uint64_t bytes);

/* Checks all of @span, or addresses that are a vector. What fails leaves, with nothing done; or
 * where all of @span is not there continues at label @otherwise minus 1. */
void access_check_span(struct compile *c, uint32_t index, const struct span *span);
void access_check_span_or(struct compile *c, uint32_t index, const struct span *span,
			  uint32_t otherwise);
void access_check_lanes(struct compile *c, uint32_t index);

/* Tells whether the addresses are a pattern that the access always fails with: then it jumps to
 * where the interpreter says how. */
bool access_leaves(struct compile *c, uint32_t index);
/* The addresses of a strip, which are a vector, or in the frame. */
struct strip access_addresses(struct compile *c, const struct ir_insn *insn, unsigned strip);

/* Sets the zero flag if all bits of @vector that @bits has, in elements of 8 bytes, are 0. */
void access_test_bits(struct compile *c, struct x86_operand vector, uint64_t bits);

/* What is left of imm to add to the address of a lane. */
int32_t access_more(const struct ir_insn *insn);

/* Stores the addresses of @strip in the frame, at AT_LANES. */
void access_spill(struct compile *c, const struct ir_insn *insn, unsigned strip);

/* Where @lane's element is; @span NULL: by its address in the frame, and rcx changes. */
struct x86_operand access_memory(struct compile *c, const struct ir_insn *insn,
				 const struct span *span, unsigned lane);

/* Loads @lanes, 8 or 16, of those in AT_TAKEN into mask register k7, from lane @first on. */
void access_load_taken(struct compile *c, unsigned first, unsigned lanes);

/* ---- Elements of many lanes (access_lanes.c) -------------------------------------------- */

/* Loads a part whose lanes follow each other from @from. */
void access_load_part(struct compile *c, struct x86_operand to, struct x86_operand from,
		      unsigned bytes);

/* Loads the element at @from into all lanes of a part. */
void access_load_same(struct compile *c, struct x86_operand to, struct x86_operand from,
		      unsigned bytes);

/* What a gather reads: elements of @bytes from rax + @more + @scale times their indices. */
struct gather {
	struct x86_operand indices;
	uint8_t bytes, index_bytes; /* 4 or 8 */
	uint8_t scale;
	int32_t more;
};

/* Loads as many elements as fit into @to, or as there are indices. Changes scratch vector 2, k7. */
void access_gather(struct compile *c, struct x86_operand to, const struct gather *from);

/* Loads the elements of 1 or 2 bytes of the lanes from @first on, one by one. */
void access_insert(struct compile *c, const struct ir_insn *insn, const struct span *span,
		   struct x86_operand to, unsigned first);

/* Loads and stores of single elements whose addresses are a vector; or of some lanes. */
void access_load_lanes(struct compile *c, uint32_t index);
void access_store_lanes(struct compile *c, uint32_t index);

/* ---- Elements of a pattern (access.c) ---------------------------------------------------- */

/* Whether the lanes of a part are in one place, or follow each other. */
enum part_layout { LAYOUT_SAME, LAYOUT_RUN, LAYOUT_OTHER };

enum part_layout access_layout(const int64_t *steps, unsigned lanes, unsigned bytes);

/* Loads the elements of @span, after its check; if @some, for some lanes. */
void access_load_span(struct compile *c, uint32_t index, const struct span *span, bool some);

/* ---- Lanes close together (access_window.c) ---- */

/* A part of 4 or 8 bytes, from lane @first on, after the check of @span; false: they are too far
 * apart, and nothing is emitted. */
bool access_load_window(struct compile *c, const struct ir_insn *insn, const struct span *span,
			struct x86_operand to, unsigned first);
bool access_store_window(struct compile *c, const struct ir_insn *insn, const struct span *span,
			 struct x86_operand from, unsigned first);

/* ---- Some lanes (access_masked.c) ---- */

/* eax = the lanes with the guard of @insn. */
void access_collect(struct compile *c, const struct ir_insn *insn);

/* Stores a vector of as many bytes as are accessed in the frame. */
void access_spill_elements(struct compile *c, const struct ir_insn *insn, uint32_t value,
			   unsigned frame_at);

/* Loads @strip of one from there. */
void access_load_elements(struct compile *c, const struct ir_insn *insn, unsigned frame_at,
			  unsigned strip, struct strip to);

/*
 * Stores the addresses of all lanes in the frame, at AT_LANES, and checks those in AT_TAKEN. Then
 * rax leads to the element of each: [rax + the lane's address + imm]. What fails leaves, with
 * nothing done.
 */
void access_check_taken(struct compile *c, uint32_t index);

/* Loads the address of lane ecx, plus imm, into register @to. */
void access_load_address(struct compile *c, const struct ir_insn *insn, unsigned to);

/* A load or store under a guard; @all is executed where all lanes have it. */
void access_masked(struct compile *c, uint32_t index,
		   void (*all)(struct compile *c, uint32_t index));

/* ---- Addresses that are a base and an index (access_index.c) ---- */

/* Checks the indices of all lanes, unless an access before has done that; then rax leads to
 * elements, by their index. */
void access_check_index(struct compile *c, uint32_t index);

/* Loads the address of lane ecx, whose index is in the frame, into register @to. */
void index_load_address(struct compile *c, const struct ir_insn *insn, unsigned to);

/* ---- Elements of 4 and 8 bytes, two or four of them (access_group.c) ---- */

/* The addresses are a pattern or a vector. */
void access_load_group(struct compile *c, uint32_t index);
void access_store_group(struct compile *c, uint32_t index);

#endif
