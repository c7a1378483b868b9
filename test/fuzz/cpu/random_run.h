/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The plain interpreter: a tree, one thread after the other, in C alone. */
#ifndef RANDOM_RUN_H
#define RANDOM_RUN_H

#include <math.h>

#include "random_tree.h"

enum { MOST_THREADS = 96, REGISTERS = 8 };

struct frame {
	uint64_t registers[CLASSES][REGISTERS];
	uint32_t local[OWN];
};

struct machine {
	const struct tree *tree;
	const uint32_t *input;
	uint32_t *sums;
	unsigned block; /* which one runs */
	struct frame frames[MOST_THREADS];
	uint32_t own[MOST_THREADS][OWN];
	bool left[MOST_THREADS]; /* the thread has exited */
	unsigned steps;		 /* statements run so far */
};

/* A program that runs more statements than this in a block is not tried. */
enum { MOST_STEPS = 200000 };

/* How a list of statements ends: NORMAL, STOP_EXIT, STOP_CONTINUE, or loops to leave. */
enum { NORMAL = 0, STOP_EXIT = -1, STOP_CONTINUE = -2 };

static inline float number32(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float x;

	memcpy(&x, &low, sizeof(x));
	return x;
}

static inline uint64_t bits32(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return x == x ? bits : 0x7fffffff;
}

static inline double number64(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline uint64_t bits64(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return x == x ? bits : 0x7ff8000000000000u;
}

static inline uint64_t to_s32(float x)
{
	if (x != x)
		return 0;
	return x >= 0x1p31f   ? INT32_MAX
	       : x < -0x1p31f ? (uint32_t)INT32_MIN
			      : (uint32_t)(int32_t)x;
}

/* A NaN of 64 bits is not 0 but the top bit. */
static inline uint64_t to_s32_of_f64(double x)
{
	if (x != x)
		return (uint32_t)INT32_MIN;
	return x >= 0x1p31    ? INT32_MAX
	       : x <= -0x1p31 ? (uint32_t)INT32_MIN
			      : (uint32_t)(int32_t)x;
}

static inline uint32_t reversed(uint32_t x)
{
	uint32_t y = 0;

	for (int i = 0; i < 32; i++)
		y |= (x >> i & 1) << (31 - i);
	return y;
}

static inline uint64_t field(uint32_t x, uint64_t at, uint64_t length)
{
	uint64_t y = 0;

	for (uint64_t i = 0; i < length && at + i < 32; i++)
		y |= (uint64_t)(x >> (at + i) & 1) << i;
	return y;
}

static inline uint64_t permuted(uint64_t a, uint64_t b, uint64_t selector)
{
	uint64_t from = b << 32 | a, y = 0;

	for (int i = 0; i < 4; i++) {
		unsigned nibble = selector >> (4 * i) & 15;
		unsigned byte = from >> (8 * (nibble & 7)) & 255;

		y |= (uint64_t)(nibble & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * i);
	}
	return y;
}

static uint64_t compute(unsigned op, uint64_t A, uint64_t B, uint64_t C)
{
	unsigned at = 0;

	(void)A, (void)B, (void)C;
#define OP(d, s, text, value) \
	if (op == at++)       \
		return value;
#include "random_ops.def"
	return 0;
}

static uint64_t kept_bits(char letter, uint64_t value)
{
	return letter == 'p'			? value & 1
	       : letter == 'h'			? (uint16_t)value
	       : letter == 'd' || letter == 'g' ? value
						: (uint32_t)value;
}

static uint64_t source_value(const struct frame *f, char letter, const struct source *s)
{
	return s->immediate ? s->value : f->registers[class_of(letter)][s->index];
}

static bool guard_holds(const struct frame *f, const struct statement *s)
{
	return s->guard < 0 || (f->registers[class_of('p')][s->guard] != 0) != s->negated;
}

static uint32_t special_value(const struct machine *m, unsigned which, unsigned thread)
{
	const unsigned *block = m->tree->block;

	switch (which) {
	case 0:
	case 1:
		return thread % block[0];
	case 2:
		return thread / block[0];
	case 3:
		return m->block;
	case 4:
		return block[0];
	case 5:
		return m->tree->grid;
	case 6:
		return m->tree->arguments[0];
	default:
		return m->tree->arguments[1];
	}
}

static int run_list(struct machine *m, struct frame *f, unsigned thread, int at);

static void run_call(struct machine *m, struct frame *f, unsigned thread,
		     const struct statement *s)
{
	struct frame callee = { 0 };

	callee.registers[0][0] = source_value(f, 'r', &s->sources[0]);
	callee.registers[0][1] = source_value(f, 'r', &s->sources[1]);
	run_list(m, &callee, thread, m->tree->function[s->op]);
	f->registers[0][s->destination] = callee.registers[0][0];
}

static int run_loop(struct machine *m, struct frame *f, unsigned thread,
		    const struct statement *s)
{
	unsigned count = source_value(f, 'r', &s->sources[0]) & most_rounds(s);

	for (unsigned i = 0; i < count; i++) {
		int end = run_list(m, f, thread, s->body);

		if (end == STOP_EXIT)
			return end;
		if (end > 0)
			return end - 1;
	}
	return NORMAL;
}

static void run_operation(struct frame *f, const struct statement *s)
{
	uint64_t v[3] = { 0 };

	for (unsigned i = 0; signatures[s->op][i]; i++)
		v[i] = source_value(f, signatures[s->op][i], &s->sources[i]);
	f->registers[class_of(destinations[s->op])][s->destination] =
		kept_bits(destinations[s->op], compute(s->op, v[0], v[1], v[2]));
}

static int run_statement(struct machine *m, struct frame *f, unsigned thread,
			 const struct statement *s)
{
	uint64_t a = source_value(f, 'r', &s->sources[0]),
		 b = source_value(f, 'r', &s->sources[1]);
	bool holds = guard_holds(f, s);
	uint64_t *r = &f->registers[0][s->destination < REGISTERS ? s->destination : 0];

	if (s->kind == IF)
		return run_list(m, f, thread, holds ? s->body : s->other);
	if (s->kind == SWITCH)
		return (a & 3) == 0   ? run_list(m, f, thread, s->body)
		       : (a & 3) == 1 ? run_list(m, f, thread, s->other)
				      : NORMAL;
	if (!holds)
		return NORMAL;
	switch (s->kind) {
	case COMPUTE:
		run_operation(f, s);
		return NORMAL;
	case SPECIAL:
		*r = special_value(m, s->op, thread);
		return NORMAL;
	case LOAD:
		*r = m->input[a & (INPUTS - 1)];
		return NORMAL;
	case LOAD_OWN:
		*r = m->own[thread][a & (OWN - 1)];
		return NORMAL;
	case STORE_OWN:
		m->own[thread][a & (OWN - 1)] = (uint32_t)b;
		return NORMAL;
	case LOAD_LOCAL:
		*r = f->local[a & (OWN - 1)];
		return NORMAL;
	case STORE_LOCAL:
		f->local[a & (OWN - 1)] = (uint32_t)b;
		return NORMAL;
	case SUM:
		m->sums[s->op % SUMS] += (uint32_t)a;
		return NORMAL;
	case LOOP:
		return run_loop(m, f, thread, s);
	case BREAK:
		return (int)s->level;
	case CONTINUE:
		return STOP_CONTINUE;
	case LEAVE:
		return STOP_EXIT;
	case CALL:
		run_call(m, f, thread, s);
		return NORMAL;
	default:
		return NORMAL;
	}
}

static int run_list(struct machine *m, struct frame *f, unsigned thread, int at)
{
	for (; at >= 0; at = m->tree->statements[at].next) {
		int end = run_statement(m, f, thread, &m->tree->statements[at]);

		if (end)
			return end;
		if (++m->steps > MOST_STEPS)
			return STOP_EXIT;
	}
	return NORMAL;
}

/* What the threads of a block do together. */
static void run_together(struct machine *m, unsigned threads, const struct statement *s)
{
	uint64_t a[MOST_THREADS], p[MOST_THREADS];

	for (unsigned i = 0; i < threads; i++) {
		a[i] = source_value(&m->frames[i], 'r', &s->sources[0]);
		p[i] = m->frames[i].registers[class_of('p')][s->op & 3];
	}
	for (unsigned i = 0; i < threads; i++) {
		unsigned warp = i / 32 * 32,
			 end = warp + 32 < threads ? warp + 32 : threads;
		uint32_t bits = 0, sum = 0;

		for (unsigned k = warp; k < end; k++) {
			bits |= (uint32_t)p[k] << (k - warp);
			sum += (uint32_t)a[k];
		}
		m->frames[i].registers[0][s->destination] =
			s->kind == EXCHANGE  ? a[(i + 1 + s->op) % threads]
			: s->kind == SHUFFLE ? a[i ^ (1 + s->op)]
			: s->kind == BALLOT  ? bits
					     : sum;
	}
}

/* What a thread's registers hold at first: all others are 0. */
static void set_frame(struct machine *m, unsigned thread)
{
	uint64_t(*r)[REGISTERS] = m->frames[thread].registers;

	r[class_of('r')][0] = m->input[thread & (INPUTS - 1)];
	r[class_of('r')][1] = thread;
	r[class_of('r')][2] = m->tree->arguments[0];
	r[class_of('r')][3] = m->tree->arguments[1];
	r[class_of('d')][0] = r[0][0] * thread;
	r[class_of('f')][0] = bits32((float)(int32_t)r[0][0]);
	r[class_of('g')][0] = bits64((double)(int32_t)r[0][0]);
	r[class_of('h')][0] = (uint16_t)r[0][0];
	r[class_of('p')][0] = thread < 5;
	r[class_of('p')][1] = m->tree->arguments[0] < 128;
}

static void run_whole(struct machine *m, unsigned threads, int at)
{
	for (; at >= 0; at = m->tree->statements[at].next) {
		const struct statement *s = &m->tree->statements[at];

		if (s->kind == REPEAT) {
			for (unsigned i = 0; i < s->op; i++)
				run_whole(m, threads, s->body);
		} else if (s->kind == UNIFORM_IF) {
			run_whole(m, threads,
				  m->tree->arguments[0] >> s->op & 1 ? s->body
								     : s->other);
		} else if (s->kind >= EXCHANGE) {
			run_together(m, threads, s);
		} else {
			for (unsigned i = 0; i < threads; i++)
				if (!m->left[i] &&
				    run_statement(m, &m->frames[i], i, s) == STOP_EXIT)
					m->left[i] = true;
		}
	}
}

#endif
