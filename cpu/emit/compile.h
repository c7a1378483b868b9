/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of compiling a region: from the IR of an entry to its machine code. Each value has
 * one place for all of the region, a register or memory, so that blocks, entries and exits
 * agree without moves between them.
 *
 * Registers with a meaning: rbx, the row file; r15, the warp; r14, its hits. Free for any
 * instruction: rax, rcx, rdx, the vectors of selection (select.h), two more for results, k6 and
 * k7.
 */
#ifndef CPU_COMPILE_H
#define CPU_COMPILE_H

#include "exits.h"
#include "live.h"
#include "region_compile.h"
#include "select.h"

enum {
	AT_WARP = X86_R15,
	AT_HITS = X86_R14,
	AT_FILE = X86_RBX,
	NO_PLACE = 0xff,
	/* What a function leaves as it is, and the region may use. */
	CALLEE_SAVED = 1u << X86_RBX | 1u << X86_RBP | 1u << X86_R12 | 1u << X86_R13 |
		       1u << X86_R14 | 1u << X86_R15,
	MOST_STRIPS = 4,
	MODE_UNKNOWN = 0,
	/* in the frame, before the places of values: */
	AT_RSI = 32,           /* what it holds, while it is used for something else */
	AT_TAKEN = 40,         /* lanes that branch, or access memory */
	AT_TRIES = 44,         /* how often a check may be repeated */
	AT_STAYING = 48,       /* the value of ir->staying */
	AT_LANES = 64,         /* addresses of all lanes */
	AT_ELEMENTS = 320,     /* what they load or store */
	AT_SWAPS = 576,        /* what else atomic operations store */
	AT_MASKS = 832,        /* that again, in loops: as masks of all strips. With AVX2 */
	AT_VALUES = 960,
	WHOLE = 0xff,          /* step.strip: of all strips, or of none */
};

/* Where a value is. */
struct value_place {
	uint8_t gpr;               /* what lanes share, or lane 0 of a pattern; or NO_PLACE */
	uint8_t repeated;          /* what lanes share: a vector that has it for each; NO_PLACE */
	bool alone;                /* lanes alone read it: gpr is for computing it */
	uint8_t parts[MOST_STRIPS][2]; /* of a vector: registers; or NO_PLACE */
	bool stored;               /* its memory always has it, too: vectors are computed of it */
	bool through;              /* it is stored in the row file where it is written (clean.c) */
	bool loose;                /* NaNs of it may be any; see loose.c */
	bool computed;             /* loose: by an instruction, or moved from what is */
	int32_t frame;             /* offset in the frame of what has no memory of its own; or -1 */
};

/* One instruction in one strip. */
struct step {
	uint32_t insn;
	uint8_t strip;             /* or WHOLE */
	bool first;                /* of a run: steps that follow each other strip by strip */
};

/* A way out of the region, whose code is behind the rest. */
struct way_out {
	uint32_t label;
	uint32_t insn;             /* the state is that before it */
	uint8_t how;               /* enum way */
	uint32_t back;             /* label to continue at; or none */
	uint32_t span;             /* WAY_MISS: bytes */
	uint32_t reach;            /* likewise: what exits->reach is told of the place */
	uint32_t otherwise;        /* likewise: a label, plus 1, to continue at where nothing is
				    * found there; or 0 */
};

/* What machine code is of, for dump=. */
struct code_mark {
	uint32_t offset;
	uint32_t insn;             /* an instruction of the IR; or IR_NONE */
	uint8_t what;              /* enum mark */
};

enum mark { MARK_STEP, MARK_WAY_OUT, MARK_ENTRY, MARK_REACH, MARK_END };

enum way {
	WAY_INTERPRET,             /* the interpreter executes the op */
	WAY_DIVERGE,               /* eax: the lanes that branch */
	WAY_SLICE,                 /* the branch is taken, and the time slice ends */
	WAY_MISS,                  /* rax: an address; the memory there is looked up, and the access
				    * repeated */
};

/* What the check of an access is for. */
struct access_range {
	uint32_t leader;           /* the access before it, whose check is for it, too; or itself */
	int64_t low;               /* of a leader: the least number that is added to the address, */
	uint32_t more;             /* and what the greatest one is more */
};

struct compile {
	struct ir *ir;
	const struct region_request *request;
	struct live live;          /* owned */
	struct x86 *x;             /* owned */
	struct select select;
	struct value_place *places;      /* owned: of each value */
	struct step *steps;        /* owned */
	size_t step_count;
	uint32_t *block_labels;    /* owned */
	uint32_t *insn_labels;     /* owned: of instructions behind a guard; 0: none */
	struct way_out *ways;      /* owned */
	size_t way_count;
	struct region_entry *entries; /* owned; offset: its label until the code is finished */
	size_t entry_count;
	uint32_t *entry_labels;    /* owned: of instructions at which the region is entered, behind
				    * the prologue; 0: none */
	uint32_t *insn_blocks;     /* owned: of each instruction */
	uint8_t *clean;            /* owned: of each of live.values, whether the row file has it */
	uint32_t *reaches;         /* owned: of each, where its struct access_reach is, from the
				    * first hit; or 0 */
	struct access_range *ranges; /* owned: of each */
	struct region_call *calls; /* owned */
	size_t call_count;
	uint8_t *called;           /* owned: of each value, how the present call uses it */
	struct op *copies;         /* owned: ops of all calls */
	size_t copied;
	struct code_mark *marks;   /* owned */
	size_t mark_count;
	bool marked;               /* dump=: marks are made */
	uint32_t frame;            /* bytes of the frame so far */
	uint32_t saved;            /* bit per register of the caller's that the region uses */
	uint32_t save_at;          /* where it has registers while exits->reach is called */
	uint32_t reach_label;
	bool no_memory;
	bool loops;                /* the present block is in a converted loop: AT_MASKS is used */
	bool some;                 /* the present access is that of some lanes: addresses are in the
				    * frame, those lanes are in AT_TAKEN */
	uint32_t strips;           /* 4 with AVX2, 2 with AVX-512 */
	uint32_t vector;           /* bytes of a vector register */
	uint32_t only_mode;        /* that all of the region needs; or MODE_UNKNOWN */
	uint32_t mode;             /* MXCSR at the present step; or MODE_UNKNOWN */
	struct err *e;
};

static inline const struct ir_value *value_of(const struct compile *c, uint32_t value)
{
	return &c->ir->values[value];
}

static inline bool in_vectors(const struct compile *c, uint32_t value)
{
	return value_of(c, value)->kind == KIND_VECTOR;
}

/* Tells whether @insn is computed strip by strip. */
bool is_strip(const struct compile *c, const struct ir_insn *insn);

/* The MXCSR that @insn needs; MODE_UNKNOWN: any. */
uint32_t insn_mode(const struct ir_insn *insn);

/* Labels what is behind guards; orders the steps; chooses places; marks values whose NaNs may
 * be any. */
int schedule_labels(struct compile *c);
int schedule_find(struct compile *c);
int places_find(struct compile *c);
void loose_find(struct compile *c);

/* Finds what need not be stored (clean.c). GPURUN_NO_MEMORY. */
int clean_find(struct compile *c);

/* Tells whether source @i of @insn may be any NaN. */
bool loose_source(const struct ir_insn *insn, unsigned i);

/* ---- Operands (operand.c) ---- */

/* The memory of what lanes share, or of lane 0: 8 bytes, but of special rows. */
struct x86_operand home_memory(const struct compile *c, uint32_t value);

/* The memory of part @part of a vector in @strip. */
struct x86_operand part_memory(const struct compile *c, uint32_t value, unsigned strip,
			       unsigned part);

/* How many registers a strip of elements of @bytes has; the bytes of each. */
unsigned part_count(unsigned bytes);
unsigned part_bytes(const struct compile *c, unsigned bytes);

/* A number of 4 or 8 bytes in a general-purpose register, or in memory, in all elements. */
void broadcast_number(struct compile *c, struct x86_operand to, struct x86_operand from);

/* Loads a number into all 8 bytes of register @number; or an address. */
void load_number(struct compile *c, unsigned number, int64_t value);
static inline void load_pointer(struct compile *c, unsigned number, const void *pointer)
{
	load_number(c, number, (int64_t)(uintptr_t)pointer);
}

/* What lanes share, as a source of @bytes: a register, a slot or a number. @scratch: a register
 * that may be used for it. */
struct x86_operand value_source(struct compile *c, uint32_t value, unsigned bytes,
				unsigned scratch);

/* The register to compute what lanes share into; value_done() then stores it where it has to be,
 * and value_repeat() what is in register @from, or in memory, for each lane. */
struct x86_operand value_result(struct compile *c, uint32_t value);
void value_done(struct compile *c, uint32_t value, struct x86_operand result);
void value_repeat(struct compile *c, uint32_t value, struct x86_operand from);

/* Brings what has a register into its memory, unless that has it. */
void value_store(struct compile *c, uint32_t value);

/* A source of @bytes in @strip; the registers to compute into; and what follows. */
struct strip strip_source(struct compile *c, uint32_t value, unsigned bytes, unsigned strip);
struct strip strip_result(struct compile *c, uint32_t value, unsigned strip);
void strip_done(struct compile *c, uint32_t value, unsigned strip, struct strip result);

/* A source whose bits are read: NaNs of it are canonical; @i: which vector for results it may take,
 * 0 or 1; 2 or more: none, and scratch vectors 0 to 2 change. */
struct strip exact_source(struct compile *c, uint32_t value, unsigned bytes, unsigned strip,
			  unsigned i);

/* Brings a part that is memory into vector register @number; others stay where they are. */
struct x86_operand part_register(struct compile *c, struct x86_operand from, unsigned bytes,
				 unsigned number);

/* The same as the last operand of an instruction: memory remains, if that can have it. */
struct x86_operand part_operand(struct compile *c, struct x86_operand from, unsigned bytes,
				unsigned number);

/* Stores a register into the memory of a part of a vector of elements of @bytes. */
void part_store(struct compile *c, struct x86_operand to, struct x86_operand from, unsigned bytes);

/* A predicate in @strip, as select.h has them; @number: a scratch register for it. With AVX2
 * mask_expand() makes such a register of bit 0 on of memory @from. */
struct x86_operand mask_source(struct compile *c, uint32_t value, unsigned strip, unsigned number);

void mask_expand(struct compile *c, struct x86_operand to, struct x86_operand from);

/* The same as the last operand of an instruction of AVX2: memory, if it has all of the mask. */
struct x86_operand mask_operand(struct compile *c, uint32_t value, unsigned strip, unsigned number);

/* Stores a predicate in @strip, which is in register @mask, where bits of it are; eax changes. */
void mask_store(struct compile *c, uint32_t value, unsigned strip, struct x86_operand mask);

/* Loads all 32 bits of a predicate into eax. */
void mask_collect(struct compile *c, uint32_t value);

/* Where to compute what only some lanes take: never in the place of what others keep. Then the
 * result of both. */
struct strip spare_result(const struct compile *c, const struct ir_value *d, struct strip result);
void strip_keep(struct compile *c, const struct ir_insn *insn, unsigned strip, struct strip result,
		struct strip computed);

/* to = mask ? yes : no, for one part of elements of @bytes; @number: a free vector. */
void part_blend(struct compile *c, unsigned bytes, unsigned part, struct x86_operand mask,
		struct x86_operand to, struct x86_operand yes, struct x86_operand no,
		unsigned number);

/* A scratch vector of selection. */
struct x86_operand scratch_vector(const struct compile *c, unsigned bytes, unsigned i);

/* A vector constant: the elements of @strip that begin at part @part. */
struct x86_operand steps_constant(struct compile *c, uint16_t pattern, unsigned bytes,
				  unsigned strip, unsigned part);

/* Makes NaNs of f32 in @from canonical, into @to. */
void canonicalise(struct compile *c, struct x86_operand to, struct x86_operand from);

/* ---- Some lanes (partial.c) ---- */

/* eax = the lanes that @insn, behind a guard or a branch, is for. */
void partial_collect(struct compile *c, const struct ir_insn *insn);

/* The lanes in eax are those that run. */
void partial_run(struct compile *c);

/* With all registers in the row file, makes the warp what it is before instruction @index. */
void partial_leave(struct compile *c, uint32_t index);

/* Branch @index is for lanes that then wait: where all do, they go on there. */
void partial_branch(struct compile *c, uint32_t index);

/* Binds the label of a loop that lanes leave one after the other, and the next one, which is behind
 * what all lanes come by. Lanes branch back at the end of it: a jump to @slice ends the time
 * slice. */
void partial_begin(struct compile *c, uint32_t block);
void partial_back(struct compile *c, uint32_t index, uint32_t slice);

/* Ends the time slice at @branch, with all registers in the row file: rax is what runs next, unless
 * all lanes branch: then this jumps to @all. */
void partial_slice(struct compile *c, const struct ir_insn *branch, uint32_t all);

/* ---- Steps ---- */

/* Finds whether one mode is that of all: it is set where the region is entered. */
void modes_find(struct compile *c);

/* Sets MXCSR, unless it is known to be @mode, or @mode is MODE_UNKNOWN. */
void mode_set(struct compile *c, uint32_t mode);

void step_value(struct compile *c, uint32_t insn);
void step_strip(struct compile *c, uint32_t insn, unsigned strip);
void step_load(struct compile *c, uint32_t insn);
void step_store(struct compile *c, uint32_t insn);
void step_atomic(struct compile *c, uint32_t insn);
void step_fence(struct compile *c);

/* Of IR_LOCAL, the address of lane 0, or of all in @strip. */
void local_value(struct compile *c, const struct ir_insn *insn, struct x86_operand result);
void local_strip(struct compile *c, const struct ir_insn *insn, unsigned strip,
		 struct strip result);

void step_shuffle(struct compile *c, uint32_t insn);
void step_vote(struct compile *c, uint32_t insn);
void step_reduce(struct compile *c, uint32_t insn);
void step_match(struct compile *c, uint32_t insn);
void step_guard(struct compile *c, uint32_t insn);
void step_branch(struct compile *c, uint32_t insn);
void step_call(struct compile *c, uint32_t insn);
void step_leave(struct compile *c, uint32_t insn);

/* Gives accesses a struct access_reach; and finds those whose addresses are checked before. */
void reaches_find(struct compile *c);
int ranges_find(struct compile *c);

/* Tells whether a load or store, or an atomic operation, is known to these. */
bool access_known(const struct ir *ir, const struct ir_insn *insn);

/* Tells whether a load or store may have its address as a base and an index. */
bool access_has_index(const struct ir_insn *insn);

/* Tells whether @insn is a product by a number next to a power of two; emits one. */
bool multiply_is_near(const struct compile *c, const struct ir_insn *insn);
void multiply_near(struct compile *c, const struct ir_insn *insn, unsigned strip,
		   struct strip result);

/* Marks comparisons that the branches after them make; compares, and jumps to @label if branch
 * @index is @taken, or not. */
void fuses_find(struct compile *c);
void fuse_jump(struct compile *c, uint32_t index, uint32_t label, bool taken);
/* The same with lanes that leave it out. */
bool access_masks(const struct ir *ir, const struct ir_insn *insn);

/* A label that is jumped to in order to leave before @insn. */
uint32_t way_out(struct compile *c, uint32_t insn, enum way how);

/* Tells whether a test wants the region to be left at @insn, where it need not be. */
bool way_forced(const struct compile *c, uint32_t insn);

/* Code behind the rest; entries. */
void ways_emit(struct compile *c);
int entry_add(struct compile *c, uint32_t op, uint32_t insn);
void entries_emit(struct compile *c);

/* Restores what the caller of the region has; rdi, rsi and rax stay. */
void region_epilogue(struct compile *c);

/* With all registers in the row file, continues with the op in rax, which warp AT_WARP is at. */
void leave_to_next(struct compile *c);

/* What follows is machine code of instruction @insn. */
void code_mark(struct compile *c, enum mark what, uint32_t insn);

/* dump=KERNEL, on stderr: the IR; the machine code, which is finished. */
int dump_ir(struct compile *c);
int dump_code(const struct compile *c);

/* What follows is no work of the region, as a handler that is called; it is again. Where time is
 * counted rcx and rdx change. */
void region_rest(struct compile *c);
void region_resume(struct compile *c);

/* All lanes exit, or arrive at barrier @insn, for which waits_only() is true. The next warp of the
 * block runs on in the region, where it is at its begin, or behind the same barrier; else the
 * region is left. */
void step_exit(struct compile *c);
void step_barrier(struct compile *c, uint32_t insn);

/* Tells whether instruction @insn is a barrier after which nothing has changed but other warps. */
bool waits_only(const struct compile *c, uint32_t insn);

/* Brings a value to its row or slot, or back from there; of a vector one strip alone. */
void state_store_value(struct compile *c, uint32_t value);
void state_store_strip(struct compile *c, uint32_t value, unsigned strip);
void state_load_value(struct compile *c, uint32_t value);

/* Computes an address that was made of an index, into its row (access_index.c). */
void index_store_made(struct compile *c, uint32_t value);

/* The same of all that is needed before @insn. */
void state_store(struct compile *c, uint32_t insn);
void state_load(struct compile *c, uint32_t insn);

/* Calls a function; rax changes before. */
void call_function(struct compile *c, uintptr_t function);

#endif
