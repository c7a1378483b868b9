/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random programs as trees: what a kernel and its device functions do, made
 * from a fuzzer's bytes. Each byte decides one choice; when they are used up
 * the program ends. Programs always end, and what they compute depends on no
 * order of threads.
 */
#ifndef RANDOM_TREE_H
#define RANDOM_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	CLASSES = 6,
	MOST_STATEMENTS = 160,
	FUNCTIONS = 2,
	NESTED = 3,
	INPUTS = 64,
	OWN = 8,
	SUMS = 4
};

/* Registers of each class, in every function: its letter and how many there are. */
static const struct {
	char letter;
	unsigned count;
} classes[CLASSES] = { { 'r', 8 }, { 'd', 4 }, { 'h', 3 },
		       { 'f', 5 }, { 'g', 3 }, { 'p', 4 } };

/* Of a source, u and b are r. */
static inline unsigned class_of(char letter)
{
	unsigned i = 0;

	if (letter == 'u' || letter == 'b')
		letter = 'r';
	while (classes[i].letter != letter)
		i++;
	return i;
}

struct source {
	bool immediate;
	unsigned index;
	uint64_t value;
};

enum kind {
	COMPUTE,  /* destination = ops[op](sources) */
	SPECIAL,  /* r = a special register */
	LOAD,	  /* r = input[source & (INPUTS - 1)] */
	LOAD_OWN, /* r = the thread's own word [source & (OWN - 1)] */
	STORE_OWN,
	LOAD_LOCAL,
	STORE_LOCAL,
	SUM,   /* adds to one of SUMS words */
	IF,    /* body where the predicate holds, other where not */
	LOOP,  /* body as often as (source & most_rounds()) says */
	BREAK, /* out of `level' loops, where the predicate holds */
	CONTINUE,
	LEAVE,	/* exit where the predicate holds */
	CALL,	/* r = function(sources) */
	SWITCH, /* brx.idx: body, other or neither */
	/* for whole blocks, where control flow is uniform: */
	EXCHANGE, /* through shared memory and a barrier */
	SHUFFLE,
	BALLOT,
	REDUCE,
	REPEAT,	   /* body op times */
	UNIFORM_IF /* body when bit op of the first argument is set, else other */
};

struct statement {
	enum kind kind;
	unsigned op, destination, level;
	struct source sources[3];
	int guard; /* predicate, or -1 */
	bool negated;
	int body, other, next; /* statements, or -1 */
	unsigned depth;	       /* loops around it, in its own block */
};

/* How often a loop's body runs at most: a mask. */
static inline unsigned most_rounds(const struct statement *s)
{
	return s->depth ? 3 : 7;
}

struct tree {
	const uint8_t *data;
	size_t left;
	struct statement statements[MOST_STATEMENTS];
	unsigned count;
	int function[FUNCTIONS +
		     1]; /* the first statement of each; the last one is the kernel */
	unsigned grid, block[2];
	bool leaves; /* threads may exit early: nothing is done by whole blocks */
	uint32_t arguments[2];
};

static const char *const opcodes[] = {
#define OP(d, s, text, value) text,
#include "random_ops.def"
};
static const char destinations[] = {
#define OP(d, s, text, value) d,
#include "random_ops.def"
};
static const char *const signatures[] = {
#define OP(d, s, text, value) s,
#include "random_ops.def"
};
enum { OPS = sizeof(destinations) };

static inline unsigned choose(struct tree *t, unsigned count)
{
	if (!t->left)
		return 0;
	t->left--;
	return *t->data++ % count;
}

static inline struct source choose_source(struct tree *t, char letter)
{
	static const uint32_t floats[] = { 0,	       0x3f800000, 0xbfc00000,
					   0x7f800000, 0x42280000, 0x00000001 };
	struct source s = {
		.index = choose(t, classes[class_of(letter)].count)
	};

	if (letter == 'u')
		return (struct source){ true, 0, choose(t, 64) };
	if (letter == 'g' || letter == 'p' || letter == 'h' || choose(t, 4))
		return s;
	s.immediate = true;
	s.value = letter == 'f'	 ? floats[choose(t, 6)]
		  : choose(t, 3) ? choose(t, 40)
				 : (uint32_t)(choose(t, 256) * 0x1010203u);
	if (letter == 'b')
		s.value &= 255;
	return s;
}

static int choose_list(struct tree *t, unsigned function, unsigned nested, unsigned depth,
		       bool whole);

static void choose_operation(struct tree *t, struct statement *s)
{
	s->op = choose(t, OPS);
	s->destination = choose(t, classes[class_of(destinations[s->op])].count);
	for (unsigned i = 0; signatures[s->op][i]; i++)
		s->sources[i] = choose_source(t, signatures[s->op][i]);
}

/* Which kinds are possible at this place. */
static bool possible(const struct tree *t, enum kind kind, unsigned function,
		     unsigned nested, unsigned depth, bool whole)
{
	switch (kind) {
	case IF:
	case SWITCH:
	case LOOP:
		return nested < NESTED;
	case BREAK:
	case CONTINUE:
		return depth > 0;
	case LEAVE:
		return t->leaves && function == FUNCTIONS;
	case CALL:
		return function > 0;
	case SHUFFLE:
		return whole && t->block[0] * t->block[1] % 32 == 0;
	case EXCHANGE:
	case BALLOT:
	case REDUCE:
		return whole;
	case REPEAT:
	case UNIFORM_IF:
		return whole && nested < NESTED;
	default:
		return true;
	}
}

static int choose_statement(struct tree *t, unsigned function, unsigned nested,
			    unsigned depth, bool whole)
{
	static const uint8_t kinds[] = {
		COMPUTE,    COMPUTE,	COMPUTE,     COMPUTE,  COMPUTE, COMPUTE,
		COMPUTE,    COMPUTE,	COMPUTE,     SPECIAL,  LOAD,	LOAD_OWN,
		STORE_OWN,  LOAD_LOCAL, STORE_LOCAL, SUM,      IF,	IF,
		LOOP,	    LOOP,	BREAK,	     CONTINUE, LEAVE,	CALL,
		SWITCH,	    EXCHANGE,	SHUFFLE,     BALLOT,   REDUCE,	REPEAT,
		UNIFORM_IF,
	};
	enum kind kind = kinds[choose(t, sizeof(kinds))];
	int at = (int)t->count++;
	struct statement *s = &t->statements[at];

	*s = (struct statement){ .guard = -1, .body = -1, .other = -1, .next = -1 };
	s->kind = possible(t, kind, function, nested, depth, whole) ? kind : COMPUTE;
	s->depth = depth;
	s->destination = choose(t, classes[0].count);
	s->sources[0] = choose_source(t, 'r');
	s->op = choose(t, 8);
	if (s->kind == COMPUTE)
		choose_operation(t, s);
	if ((s->kind <= SUM && !choose(t, 4)) ||
	    (s->kind >= IF && s->kind <= LEAVE && s->kind != LOOP)) {
		s->guard = (int)choose(t, classes[class_of('p')].count);
		s->negated = choose(t, 2);
	}
	if (s->kind == STORE_OWN || s->kind == STORE_LOCAL || s->kind == CALL)
		s->sources[1] = choose_source(t, 'r');
	if (s->kind == BREAK)
		s->level = 1 + choose(t, depth);
	if (s->kind == CALL)
		s->op = choose(t, function);
	if (s->kind == IF || s->kind == SWITCH || s->kind == LOOP)
		s->body = choose_list(t, function, nested + 1, depth + (s->kind == LOOP),
				      false);
	if (s->kind == IF || s->kind == SWITCH)
		s->other = choose_list(t, function, nested + 1, depth, false);
	if (s->kind == REPEAT || s->kind == UNIFORM_IF)
		s->body = choose_list(t, function, nested + 1, 0, true);
	if (s->kind == UNIFORM_IF)
		s->other = choose_list(t, function, nested + 1, 0, true);
	return at;
}

/* A list of statements; @whole: all threads of the block run it together. */
static int choose_list(struct tree *t, unsigned function, unsigned nested, unsigned depth,
		       bool whole)
{
	unsigned count = function == FUNCTIONS && !nested ? 40 : 1 + choose(t, 6);
	int first = -1, last = -1;

	for (unsigned i = 0; i < count && t->left && t->count < MOST_STATEMENTS - 16;
	     i++) {
		int at = choose_statement(t, function, nested, depth, whole);

		if (first < 0)
			first = at;
		else
			t->statements[last].next = at;
		last = at;
	}
	return first;
}

static void choose_tree(struct tree *t, const uint8_t *data, size_t size)
{
	static const uint8_t blocks[][2] = { { 32, 1 }, { 64, 1 }, { 7, 1 }, { 33, 1 },
					     { 16, 4 }, { 8, 8 },  { 5, 9 }, { 32, 3 } };

	memset(t, 0, sizeof(*t));
	t->data = data;
	t->left = size;
	t->grid = 1 + choose(t, 3);
	memcpy(t->block, (unsigned[2]){ 0 }, sizeof(t->block));
	unsigned shape = choose(t, 8);

	t->block[0] = blocks[shape][0];
	t->block[1] = blocks[shape][1];
	t->leaves = choose(t, 2);
	for (unsigned i = 0; i < 2; i++)
		t->arguments[i] = choose(t, 256) * (i ? 0x01000193u : 1);
	for (unsigned i = 0; i <= FUNCTIONS; i++)
		t->function[i] = choose_list(t, i, 0, 0, i == FUNCTIONS && !t->leaves);
}

#endif
