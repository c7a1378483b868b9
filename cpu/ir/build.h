/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of ir_build(), and its parts. */
#ifndef CPU_BUILD_H
#define CPU_BUILD_H

#include "ir.h"
#include "special.h"
#include "translate.h"

/* Who has the place at some offset, for the present instruction of PTX. */
struct build_owner {
	uint32_t value, read;      /* what an op reads there, if @read is the present group */
	uint32_t result, written;  /* likewise, what it writes */
};

struct build {
	struct lowering *l;
	const struct ir_options *options;
	struct ir *ir;
	uint32_t at, step;         /* the present op, and how many it is */
	uint32_t source;           /* the present instruction of PTX */
	uint32_t group;            /* counts groups of them: those that one op may be of */
	uint32_t group_end;        /* the first instruction behind the present group */
	uint32_t guard;            /* the value of the present guard; IR_NONE */
	uint32_t guard_insn;       /* its IR_GUARD; IR_NONE */
	bool guard_negated;
	struct build_owner *owners; /* owned: of each 8 bytes of the row file */
	uint32_t *constants;       /* owned: the values of constants; 0: none yet */
	uint32_t specials[SPECIAL_NAMED][2]; /* of special registers, in slots and in rows */
	struct err *e;
};

void build_release(struct build *b);

/* The values of all registers. */
int build_registers(struct build *b);

/* Tells whether instruction @source of PTX has no op of its own: it is a part of one before, or
 * hoisted. */
bool build_is_part(const struct build *b, uint32_t source);

/* Continues with instruction @source of PTX. */
int build_source(struct build *b, uint32_t source);

/* The value that an op of the present instruction reads at offset @at of the row file. */
int build_operand(struct build *b, int32_t at, uint32_t *value);

/* The one that it writes, with elements of @bytes bytes (0: a predicate). */
int build_result(struct build *b, int32_t at, unsigned bytes, uint32_t *value);

/* The predicate of ir->staying. */
int build_staying(struct build *b, uint32_t *value);

/* A value of @bytes that only the present instruction of PTX uses; a number. */
int build_temporary(struct build *b, unsigned bytes, uint32_t *value);
int build_number(struct build *b, uint64_t number, uint32_t *value);

/* The number of the pattern of @steps; 0: there are too many. */
int build_pattern(struct build *b, const int64_t steps[KIND_LANES], uint16_t *pattern);

/* The value of special register @special; IR_NONE where it has no place of its own. */
uint32_t build_special(struct build *b, uint32_t special);

/* Makes the kinds of values fit what is known of how they are computed. */
int build_kinds(struct build *b);

/* Tells whether @insn can be executed by some of the lanes that run. */
bool build_is_partial(const struct build *b, const struct ir_insn *insn);

/* Makes vectors of what cannot be computed one time for all lanes. A slot stays one: its op is for
 * slots alone, and becomes a call if it has to. */
void build_demote(struct build *b);

/* Likewise what guard @at guards, if lanes differ in its predicate. */
bool build_guard_fits(const struct build *b, size_t at);

/* Tells whether @insn can be selected; if not, it becomes a call. */
bool build_is_known(const struct build *b, const struct ir_insn *insn);

/* Chooses the loops that lanes may leave one after the other. Values become vectors for that. */
int build_loops(struct build *b);

/* Lets those, and blocks that some lanes branch around, be executed by the others, without
 * leaving. */
int build_converted(struct build *b);

/* Adds IR_SPREAD for what lanes share, or differ in by constants, where vectors are computed of
 * it. */
int build_spreads(struct build *b);

/* Takes addresses apart that are a base and an index of 32 bits. */
int build_indices(struct build *b);

/* Tells whether parts of elements can be moved as @op, insert or extract, does. */
bool build_has_parts(const struct build *b, const struct op *op);

/* Tells whether the op at @at, which makes the address of an atomic operation, is a part of it. */
bool build_has_window(const struct build *b, uint32_t at);

/* The same of @rows: they are put into elements, or taken out. */
bool build_has_rows(const struct build *b, const struct part_rows *rows, bool inserts);

/* d = part @i of a; d = old, with a for part @i. Parts are put there from the lowest on. */
int build_cut(struct build *b, const struct part_rows *rows, uint32_t d, uint32_t a, unsigned i);
int build_join(struct build *b, const struct part_rows *rows, uint32_t d, uint32_t old, uint32_t a,
	       unsigned i);

/* The instructions of one op. */
int build_insert(struct build *b, const struct op *op);
int build_extract(struct build *b, const struct op *op);
int build_shuffle(struct build *b, const struct translation *t, const struct op *op);
int build_vote(struct build *b, const struct translation *t, const struct op *op);
int build_reduce(struct build *b, const struct translation *t, const struct op *op);
int build_match(struct build *b, const struct translation *t, const struct op *op);
int build_access(struct build *b, const struct translation *t, const struct op *op);
int build_frame(struct build *b, const struct op *op);
int build_local(struct build *b, const struct op *op);
int build_atomic(struct build *b, const struct translation *t, const struct op *op);

struct ir_insn *build_insn(struct build *b, enum ir_op op);
int build_full(struct build *b);

#endif
