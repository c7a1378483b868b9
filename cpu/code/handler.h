/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The handlers that execute ops, by number. Every handler is compiled once per
 * instruction set; lowering uses the best table for the machine. What lists all
 * handlers includes this header; a handler itself needs code.h alone, so that a new
 * one does not recompile the others.
 */
#ifndef CPU_HANDLER_H
#define CPU_HANDLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asserts.h"
#include "bits.h"
#include "op.h"

struct warp;

/* In the order of handler_list.def. */
enum handler {
#define ENTRY(name) HANDLER_##name,
#define MARK(name) HANDLER_##name, HANDLER_BEFORE_##name = HANDLER_##name - 1,
#include "handler_list.def"
	HANDLER_COUNT,
};

static_assert(HANDLER_COUNT <= UINT16_MAX, "a handler's number has 16 bits");
static_assert(HANDLER_ROWS < HANDLER_BRANCHES && HANDLER_BRANCHES < HANDLER_COUNT,
	      "handlers made of rows follow the others, those that branch follow them");

/* The handlers for one instruction set, by enum handler; each set is complete. */
struct handler_set {
	op_fn *const *handlers;
	/* Runs @warp until it blocks, ends or has used up its time slice. */
	void (*run)(struct warp *warp);
};

/* The name of @handler in handler_list.def: "add_u32_rs"; "?" for HANDLER_COUNT. Static. */
const char *handler_name(unsigned handler);

/* Finds the handler that executes @op, of the set chosen; HANDLER_COUNT when it is none. */
unsigned handler_of(const struct op *op);

/* What an access does with memory: rows are loaded or stored, or slots are loaded. */
enum access_what { ACCESS_LOAD, ACCESS_STORE, ACCESS_LOAD_SLOT };

/*
 * The handler that accesses @count elements (1, 2, 4) of @size bytes (1, 2, 4, 8) in each lane, at
 * addresses of @form; slots are loaded from one address, which is a slot, too.
 */
enum handler handler_of_access(enum access_what what, enum access_form form, unsigned size,
			       unsigned count);

/* The best set that this machine has, up to config.isa, of those that were built. */
const struct handler_set *handler_set_choose(void);

enum row_shape { SHAPE_ALU, SHAPE_LANE, SHAPE_SETP, SHAPE_CARRY };

/* How an immediate becomes an element. */
enum element_class { ELEMENT_BITS, ELEMENT_F32, ELEMENT_F64 };

/* One row of ptx_ops.def, for lowering. */
struct op_row {
	const char *spelling;
	uint16_t forms[4];      /* the handlers, by which sources may be slots: none; b; c; both */
	uint16_t scalar;        /* the one for slots alone; not of SHAPE_CARRY */
	uint8_t shape;          /* enum row_shape */
	uint8_t sources;        /* 1 to 4 */
	uint8_t sizes[5];       /* bytes of an element: destination (0: predicate), sources */
	uint8_t classes[5];     /* enum element_class */
	bool is_signed;         /* the destination */
};

extern const struct op_row op_rows[];
extern const size_t op_row_count;

struct opcode;

/* Finds the row that matches @opcode; NULL when there is none. */
const struct op_row *op_row_find(const struct opcode *opcode);

#endif
