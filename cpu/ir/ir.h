/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The intermediate representation of an entry that is compiled: what its ops do, on values. It is
 * made of ops, not of PTX, so that it is what the interpreter executes, to the bit: where compiled
 * code stops in front of an op, the interpreter can go on there.
 *
 * It describes all lanes of a warp that go the same way. Values are registers of PTX, the scratch
 * rows that one instruction uses, special registers and constants: each has one home in the row
 * file, and a kind (kinds.h). There is no SSA form: an instruction writes its value's only place.
 *
 * Blocks are those of flow.h, in the same order.
 */
#ifndef CPU_IR_H
#define CPU_IR_H

#include "handler.h"
#include "kinds.h"
#include "lower.h"

enum ir_op {
#define IR(name, ...) IR_##name,
#include "ops.def"
	IR_OPS
};

enum ir_effect { IR_PURE, IR_EXITS, IR_ENDS, IR_BRANCHES, IR_MEETS };

/* The form of SHUFFLE, VOTE, REDUCE and MATCH. */
enum ir_shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum ir_vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT, VOTE_ACTIVE };
enum ir_reduce { REDUX_ADD, REDUX_AND, REDUX_OR, REDUX_XOR, REDUX_MIN_U32, REDUX_MAX_U32,
		 REDUX_MIN_S32, REDUX_MAX_S32 };
enum ir_match { MATCH_ANY, MATCH_ALL };

/* What ATOMIC makes of memory and b; ATOMIC_CAS: memory becomes c where it is b. */
enum ir_atomic { ATOMIC_ADD, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_EXCH, ATOMIC_CAS,
		 ATOMIC_MIN_U, ATOMIC_MAX_U, ATOMIC_MIN_S, ATOMIC_MAX_S, ATOMIC_INC, ATOMIC_DEC,
		 ATOMIC_ADD_F };

enum { IR_NONE = UINT32_MAX, IR_SOURCES = 6, IR_RESULTS = 4 };

/* What is not computed, but stored in its home where the region is left:
 * base + (index << shift). */
struct ir_made {
	uint32_t index;      /* a vector of 32 bits; 0: there is none */
	uint32_t base;       /* what lanes share, and is never written; 0: none */
	uint8_t shift;
	bool sign;           /* of the index */
};

struct ir_value {
	int32_t at;          /* its home in the row file */
	uint32_t reg;        /* the register of PTX; IR_NONE: another value */
	uint8_t bytes;       /* of an element; 0: a predicate */
	uint8_t kind;        /* enum kind: what its home, a row, holds then, is as kinds.h says */
	bool slot;           /* its home is a slot; then it is uniform */
	bool fixed;          /* never written: a special register or a constant */
	bool scratch;        /* lives in one instruction of PTX */
	bool temporary;      /* of no op: it has no place in the row file, at is 0 */
	uint32_t origin;     /* of a temporary: what it is made of; the interpreter needs that */
	bool known;          /* a constant: number */
	uint16_t pattern;    /* KIND_PATTERN: of ir->kinds */
	uint64_t number;
	struct ir_made made; /* an address that accesses take apart (index.c) */
};

struct ir_insn {
	uint8_t op;              /* enum ir_op */
	uint8_t size;            /* bytes of an element of the result, or of memory */
	uint8_t count;           /* LOAD, STORE: elements of each lane; ATOMIC: 1 */
	uint8_t form;            /* LOAD, STORE, ATOMIC: enum access_form; others: see above */
	uint8_t sources;         /* how many, but for guard */
	bool negated;            /* the predicate of BRANCH or GUARD */
	bool narrow;             /* of an access: its address has 32 bits, and wraps around */
	bool indexed;            /* LOAD, STORE: a[0] is the index that its address, the last
				  * source, is made of */
	bool guard_negated;
	bool fused;              /* a comparison that the branch after it makes; set by emit/ */
	bool whole;              /* LOAD, ATOMIC: lanes without guard do not need what they
				  * had */
	bool skipped;            /* GUARD: what it guards has its predicate; BRANCH: the block
				  * behind it is for lanes that do not branch, if there are some;
				  * of a converted loop: its lanes leave one after the other */
	bool tested;             /* GUARD, skipped: goes to insn imm all the same where no lane
				  * has a */
	bool back;               /* BRANCH: to a block before the end of this one */
	bool stays;              /* until ir_build() has made a predicate of both: guard and under
				  * are those of a GUARD, for lanes that stay in a loop; GUARD: it
				  * has such ones behind it */
	uint32_t row;            /* ROW: index in op_rows; ATOMIC: enum ir_atomic; LOCAL: the
				  * pattern of where lanes have memory, imm bytes each */
	uint32_t d[IR_RESULTS];  /* values; IR_NONE */
	uint32_t a[IR_SOURCES];  /* likewise */
	uint32_t guard;          /* of a pure one or an access: lanes without it keep their
				  * value, and access nothing; IR_NONE */
	uint32_t under;          /* the predicate of the skipped GUARD or BRANCH before it, negated
				  * likewise: lanes with it go on where the region is left, and
				  * execute a CALL; IR_NONE */
	uint32_t at, end;        /* the ops that it is: the interpreter can begin at the first */
	uint32_t source, source_end; /* the instructions of PTX that it is of; of CALL and LEAVE
				  * several may be in one op */
	int32_t hit;             /* of an access: offset of its struct hit */
	int64_t imm;
	struct kind_check check; /* what of value a[0], or a[1], has to hold: kind_rules.h */
	uint32_t checked;        /* the value that it is about; IR_NONE: there is no check */
};

struct ir_block {
	uint32_t first, end;     /* insns */
	uint32_t op;             /* its first op: a leader where lanes may reconverge */
	bool joined;
	uint8_t depth;           /* loops around it, by back-edges */
	uint32_t loop;           /* converted: the last block of the loop that it is in; or
				  * IR_NONE */
};

struct ir {
	const struct lowering *lowering; /* borrowed, as long as it has the entry */
	struct kinds kinds;      /* owned */
	struct ir_value *values; /* owned */
	size_t value_count;
	struct ir_insn *insns;   /* owned */
	size_t insn_count;
	struct ir_block *blocks; /* owned; one for each of flow's, and the end */
	size_t block_count;
	uint32_t staying;        /* the value of the lanes that the last skipped BRANCH left here */
	uint32_t *by_register;   /* owned: the value of each register; IR_NONE */
};

struct ir_options {
	struct block_shape shape;
	/* Tells whether @row can be computed, for lanes; others become IR_CALL. */
	bool (*has_row)(void *context, const struct op_row *row);
	/* Tells whether the last source of @row has to be a number. */
	bool (*has_number)(void *context, const struct op_row *row);
	/* Likewise for what all lanes share; others are computed for lanes. */
	bool (*has_value)(void *context, const struct op_row *row);
	/* Likewise for a load or store, whose address has its kind; others become IR_CALL. */
	bool (*has_access)(void *context, const struct ir *ir, const struct ir_insn *insn);
	/* Tells whether addresses of such elements may be a base and an index. */
	bool (*has_index)(void *context, const struct ir_insn *insn);
	/* Tells whether one of these can be executed by some lanes alone. */
	bool (*has_masked)(void *context, const struct ir *ir, const struct ir_insn *insn);
	void *context;
};

/*
 * Makes the IR of the entry that @l has just lowered. *@out is owned by the caller
 * (ir_release), and borrows @l. GPURUN_NO_MEMORY.
 */
int ir_build(struct lowering *l, const struct ir_options *options, struct ir *out, struct err *e);

/* Accepts a zeroed one. */
void ir_release(struct ir *ir);

enum ir_effect ir_effect(const struct ir_insn *insn);

/* Tells whether @insn accesses memory. */
static inline bool ir_accesses(const struct ir_insn *insn)
{
	return insn->op == IR_LOAD || insn->op == IR_STORE || insn->op == IR_ATOMIC;
}

/* What the address of an access that is indexed is made of. */
static inline const struct ir_made *ir_made(const struct ir *ir, const struct ir_insn *insn)
{
	return &ir->values[insn->a[insn->sources - 1]].made;
}

/* The last instruction of block @block; NULL: it has none. */
static inline struct ir_insn *ir_last(const struct ir *ir, uint32_t block)
{
	const struct ir_block *b = &ir->blocks[block];

	return b->end > b->first ? &ir->insns[b->end - 1] : NULL;
}

/* Tells whether a loop that has been converted begins at block @block. */
static inline bool ir_begins_loop(const struct ir *ir, uint32_t block)
{
	const uint32_t loop = ir->blocks[block].loop;

	return loop != IR_NONE && ir_last(ir, loop)->imm == (int64_t)block;
}

/* Writes @ir as text; a line of it, instruction @index. */
void ir_print(FILE *to, const struct ir *ir);
void ir_print_insn(FILE *to, const struct ir *ir, uint32_t index);

/* Finds what is wrong with @ir, for asserts: NULL, or a sentence. */
const char *ir_verify(const struct ir *ir);

#endif
