/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "handler.h"

#include <pthread.h>

#include "asserts.h"
#include "config.h"
#include "op_types.h"
#include "opcode.h"

#define CLASS(T)                                                                           \
	_Generic((T)0, f32: ELEMENT_F32, f64: ELEMENT_F64, default: ELEMENT_BITS)
#define SIGNED(T) _Generic((T)0, s8: 1, s16: 1, s32: 1, s64: 1, default: 0)

#define H(name, form) HANDLER_##name##_##form
const struct op_row op_rows[] = {
#define ALU1(name, op, spelling, mode, D, A)                                                   \
	{ spelling, { H(name, r) }, H(name, s), SHAPE_ALU, 1, { sizeof(D), sizeof(A) },    \
	  { CLASS(D), CLASS(A) }, SIGNED(D) },
#define ALU2(name, op, spelling, mode, D, A, B)                                                \
	{ spelling, { H(name, rr), H(name, rs) }, H(name, s), SHAPE_ALU, 2,                \
	  { sizeof(D), sizeof(A), sizeof(B) }, { CLASS(D), CLASS(A), CLASS(B) }, SIGNED(D) },
#define ALU3(name, op, spelling, mode, D, A, B, C)                                             \
	{ spelling, { H(name, rrr), H(name, rsr), H(name, rrs), H(name, rss) }, H(name, s),\
	  SHAPE_ALU, 3, { sizeof(D), sizeof(A), sizeof(B), sizeof(C) },                    \
	  { CLASS(D), CLASS(A), CLASS(B), CLASS(C) }, SIGNED(D) },
#define LANE1(name, op, spelling, mode, D, A)                                                  \
	{ spelling, { H(name, r) }, H(name, s), SHAPE_LANE, 1, { sizeof(D), sizeof(A) },   \
	  { CLASS(D), CLASS(A) }, SIGNED(D) },
#define LANE2(name, op, spelling, mode, D, A, B)                                               \
	{ spelling, { H(name, rr) }, H(name, s), SHAPE_LANE, 2,                            \
	  { sizeof(D), sizeof(A), sizeof(B) }, { CLASS(D), CLASS(A), CLASS(B) }, SIGNED(D) },
#define LANE3(name, op, spelling, mode, D, A, B, C)                                            \
	{ spelling, { H(name, rrr) }, H(name, s), SHAPE_LANE, 3,                           \
	  { sizeof(D), sizeof(A), sizeof(B), sizeof(C) },                                  \
	  { CLASS(D), CLASS(A), CLASS(B), CLASS(C) }, SIGNED(D) },
#define LANE4(name, op, spelling, mode, D, A, B, C, E)                                         \
	{ spelling, { H(name, rrrr) }, H(name, s), SHAPE_LANE, 4,                          \
	  { sizeof(D), sizeof(A), sizeof(B), sizeof(C), sizeof(E) },                       \
	  { CLASS(D), CLASS(A), CLASS(B), CLASS(C), CLASS(E) }, SIGNED(D) },
#define SETP1(name, op, spelling, mode, A)                                                     \
	{ spelling, { H(name, r) }, H(name, s), SHAPE_SETP, 1, { 0, sizeof(A) },           \
	  { 0, CLASS(A) }, 0 },
#define SETP2(name, op, spelling, mode, A, B)                                                  \
	{ spelling, { H(name, rr), H(name, rs) }, H(name, s), SHAPE_SETP, 2,               \
	  { 0, sizeof(A), sizeof(B) }, { 0, CLASS(A), CLASS(B) }, 0 },
#define CARRY2(name, op, carry, in, out, spelling, D, A, B)                                    \
	{ spelling, { H(name, rr) }, 0, SHAPE_CARRY, 2,                                    \
	  { sizeof(D), sizeof(A), sizeof(B) }, { CLASS(D), CLASS(A), CLASS(B) }, SIGNED(D) },
#define CARRY3(name, op, carry, in, out, spelling, D, A, B, C)                                 \
	{ spelling, { H(name, rrr) }, 0, SHAPE_CARRY, 3,                                   \
	  { sizeof(D), sizeof(A), sizeof(B), sizeof(C) },                                  \
	  { CLASS(D), CLASS(A), CLASS(B), CLASS(C) }, SIGNED(D) },
#include "ptx_ops.def"
};

#undef H

_Static_assert(HANDLER_halt == 0, "0 in a table of handlers is none: no op needs to choose halt");
_Static_assert(sizeof(op_rows) / sizeof(op_rows[0]) <= UINT16_MAX, "row_index.c has them so");

const size_t op_row_count = sizeof(op_rows) / sizeof(op_rows[0]);

enum handler handler_of_access(enum access_what what, enum access_form form, unsigned size,
			       unsigned count)
{
#define VECTORS(what, width)                                                               \
	{ HANDLER_##what##_##width##_v1, HANDLER_##what##_##width##_v2,                \
	  HANDLER_##what##_##width##_v4 }
#define WIDTHS(what)                                                                       \
	{ VECTORS(what, 1), VECTORS(what, 2), VECTORS(what, 4), VECTORS(what, 8) }
	static const uint16_t handlers[][ACCESS_FORMS][4][3] = {
		[ACCESS_LOAD] = { [FORM_FLAT_R8] = WIDTHS(ld_flat_r8),
				  [FORM_FLAT_S] = WIDTHS(ld_flat_s),
				  [FORM_SHARED_R8] = WIDTHS(ld_shared_r8),
				  [FORM_SHARED_R4] = WIDTHS(ld_shared_r4),
				  [FORM_SHARED_S] = WIDTHS(ld_shared_s) },
		[ACCESS_STORE] = { [FORM_FLAT_R8] = WIDTHS(st_flat_r8),
				   [FORM_FLAT_S] = WIDTHS(st_flat_s),
				   [FORM_SHARED_R8] = WIDTHS(st_shared_r8),
				   [FORM_SHARED_R4] = WIDTHS(st_shared_r4),
				   [FORM_SHARED_S] = WIDTHS(st_shared_s) },
		[ACCESS_LOAD_SLOT] = { [FORM_FLAT_S] = WIDTHS(ld_flat_slot),
				       [FORM_SHARED_S] = WIDTHS(ld_shared_slot) },
	};
#undef WIDTHS
#undef VECTORS

	return handlers[what][form][__builtin_ctz(size)][__builtin_ctz(count)];
}

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

static_assert(SETS > 0, "some set of handlers is built");

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
	unsigned best = 0;

	pthread_once(&once, fill_sets);
	for (unsigned i = 0; i < SETS; i++)
		if (isa_available(built[i].isa) &&
		    (config.isa == ISA_BEST || built[i].isa <= config.isa))
			best = i;
	ASSERT(sets[best].run && sets[best].handlers[0]);
	return &sets[best];
}
