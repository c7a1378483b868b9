/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each handler does, as the IR says it. */
#ifndef CPU_TRANSLATE_H
#define CPU_TRANSLATE_H

#include "handler.h"

enum action {
	ACTION_CALL,    /* nothing that the IR knows: the handler is called */
	ACTION_LEAVE,   /* other lanes or warps may run next: the interpreter executes it */
	ACTION_NOTHING, /* nothing is to be done while all lanes go the same way */
	ACTION_ROW,     /* row */
	ACTION_FUSED,   /* row, then second, of which operand place is the first one's result */
	ACTION_COMPARE, /* row, and a branch by its result */
	ACTION_COUNT,   /* an addition, row, and a branch by its result */
	ACTION_MOVE,    /* size */
	ACTION_SELECT,  /* size */
	ACTION_TAKE,    /* size */
	ACTION_LOGIC,   /* op: enum ir_op */
	ACTION_LOAD,    /* size, count, form */
	ACTION_STORE,
	ACTION_WINDOW,  /* the address for an atomic operation, which is the next op */
	ACTION_ATOMIC,  /* op: enum ir_atomic, size; count: rows that it reads */
	ACTION_FRAME,   /* the offset of a variable in each lane's own memory */
	ACTION_LOCAL,   /* the address of one */
	ACTION_FENCE,
	ACTION_SHUFFLE, /* form; the op behind it is a part of it */
	ACTION_VOTE,    /* form; size: of the result; 0: a predicate */
	ACTION_REDUCE,  /* form, size */
	ACTION_MATCH,   /* form, size of what is compared */
	ACTION_INSERT,  /* parts of elements: part_rows_find() */
	ACTION_EXTRACT,
	ACTION_BRANCH,  /* always: op 0; op 1: if its predicate is true; 2: if it is false */
	ACTION_GUARD,   /* op likewise */
	ACTION_ELSE,
	ACTION_END,     /* of a guard */
};

struct translation {
	uint8_t action;        /* enum action */
	uint8_t op, size, count, form, place;
	uint16_t row, second;  /* indices in op_rows */
};

/* By enum handler. */
extern const struct translation translations[HANDLER_COUNT];

/* Rows that put parts of @narrow bytes into elements of @wide ones and take them out. */
struct part_rows {
	uint8_t wide, narrow;
	uint16_t widen, cut, left, right, join; /* indices in op_rows */
};

/* NULL: there are none. */
const struct part_rows *part_rows_find(int32_t wide, int32_t narrow);

/* How many ops it is. */
static inline unsigned translation_ops(const struct translation *t)
{
	return 1u + (t->count > 1 || t->action == ACTION_SHUFFLE);
}

#endif
