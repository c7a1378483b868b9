/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "handler.h"

#include <pthread.h>

#include "config.h"
#include "op_types.h"
#include "opcode.h"

#define CLASS(T)                                                                           \
	_Generic((T)0, f32: ELEMENT_F32, f64: ELEMENT_F64, default: ELEMENT_BITS)
#define SIGNED(T) _Generic((T)0, s8: 1, s16: 1, s32: 1, s64: 1, default: 0)

const struct op_row op_rows[] = {
#define ALU1(name, op, spelling, mode, D, A)                                                   \
	{ spelling, HANDLER_##name##_r, SHAPE_ALU, 1, { sizeof(D), sizeof(A) },            \
	  { CLASS(D), CLASS(A) }, SIGNED(D) },
#define ALU2(name, op, spelling, mode, D, A, B)                                                \
	{ spelling, HANDLER_##name##_rr, SHAPE_ALU, 2, { sizeof(D), sizeof(A), sizeof(B) },\
	  { CLASS(D), CLASS(A), CLASS(B) }, SIGNED(D) },
#define ALU3(name, op, spelling, mode, D, A, B, C)                                             \
	{ spelling, HANDLER_##name##_rrr, SHAPE_ALU, 3,                                    \
	  { sizeof(D), sizeof(A), sizeof(B), sizeof(C) },                                  \
	  { CLASS(D), CLASS(A), CLASS(B), CLASS(C) }, SIGNED(D) },
#define LANE1(name, op, spelling, mode, D, A)                                                  \
	{ spelling, HANDLER_##name##_r, SHAPE_LANE, 1, { sizeof(D), sizeof(A) },           \
	  { CLASS(D), CLASS(A) }, SIGNED(D) },
#define LANE2(name, op, spelling, mode, D, A, B)                                               \
	{ spelling, HANDLER_##name##_rr, SHAPE_LANE, 2,                                    \
	  { sizeof(D), sizeof(A), sizeof(B) }, { CLASS(D), CLASS(A), CLASS(B) }, SIGNED(D) },
#define LANE3(name, op, spelling, mode, D, A, B, C)                                            \
	{ spelling, HANDLER_##name##_rrr, SHAPE_LANE, 3,                                   \
	  { sizeof(D), sizeof(A), sizeof(B), sizeof(C) },                                  \
	  { CLASS(D), CLASS(A), CLASS(B), CLASS(C) }, SIGNED(D) },
#define LANE4(name, op, spelling, mode, D, A, B, C, E)                                         \
	{ spelling, HANDLER_##name##_rrrr, SHAPE_LANE, 4,                                  \
	  { sizeof(D), sizeof(A), sizeof(B), sizeof(C), sizeof(E) },                       \
	  { CLASS(D), CLASS(A), CLASS(B), CLASS(C), CLASS(E) }, SIGNED(D) },
#define SETP1(name, op, spelling, mode, A)                                                     \
	{ spelling, HANDLER_##name##_r, SHAPE_SETP, 1, { 0, sizeof(A) }, { 0, CLASS(A) }, 0 },
#define SETP2(name, op, spelling, mode, A, B)                                                  \
	{ spelling, HANDLER_##name##_rr, SHAPE_SETP, 2, { 0, sizeof(A), sizeof(B) },       \
	  { 0, CLASS(A), CLASS(B) }, 0 },
#define CARRY2(name, op, carry, in, out, spelling, D, A, B)                                              \
	{ spelling, HANDLER_##name##_rr, SHAPE_CARRY, 2,                                   \
	  { sizeof(D), sizeof(A), sizeof(B) }, { CLASS(D), CLASS(A), CLASS(B) }, SIGNED(D) },
#define CARRY3(name, op, carry, in, out, spelling, D, A, B, C)                                           \
	{ spelling, HANDLER_##name##_rrr, SHAPE_CARRY, 3,                                  \
	  { sizeof(D), sizeof(A), sizeof(B), sizeof(C) },                                  \
	  { CLASS(D), CLASS(A), CLASS(B), CLASS(C) }, SIGNED(D) },
#include "ptx_ops.def"
};

const size_t op_row_count = sizeof(op_rows) / sizeof(op_rows[0]);

/* What was built: the Makefile has ISA(name) of each set in BUILT_ISAS, in their order. */
#define ISA(name)                                                                          \
	extern op_fn *const handlers_##name[HANDLER_COUNT];                                \
	__attribute__((weak)) void warp_run_##name(struct warp *warp);
BUILT_ISAS
#undef ISA

static const struct {
	enum config_isa isa;
	op_fn *const *handlers;
	void (*run)(struct warp *warp);
} built[] = {
#define ISA(name) { ISA_##name, handlers_##name, warp_run_##name },
	BUILT_ISAS
#undef ISA
};

enum { SETS = sizeof(built) / sizeof(built[0]) };

static struct handler_set sets[SETS];

/* A set uses the handlers of the one before it if it has none of its own. */
static void fill_sets(void)
{
	static op_fn *handlers[SETS][HANDLER_COUNT];

	for (unsigned i = 0; i < SETS; i++) {
		for (unsigned h = 0; h < HANDLER_COUNT; h++)
			handlers[i][h] = built[i].handlers[h] || !i ? built[i].handlers[h] :
								     handlers[i - 1][h];
		sets[i].handlers = handlers[i];
		sets[i].run = built[i].run || !i ? built[i].run : sets[i - 1].run;
	}
}

const struct handler_set *handler_set_choose(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const bool has[] = {
		[ISA_BEST] = false,
#define ISA(name, test) [ISA_##name] = test,
#include "isas.def"
	};
	unsigned best = 0;

	pthread_once(&once, fill_sets);
	for (unsigned i = 0; i < SETS; i++)
		if (has[built[i].isa] &&
		    (config.isa == ISA_BEST || built[i].isa <= config.isa))
			best = i;
	return &sets[best];
}
