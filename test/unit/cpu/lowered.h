/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A kernel written in a test, lowered: its IR for blocks of a shape, with almost all rows known. */
#ifndef TEST_UNIT_DRIVER_LOWERED_H
#define TEST_UNIT_DRIVER_LOWERED_H

#include "ir.h"
#include "live.h"
#include "lock.h"
#include "lower_entry.h"
#include "special.h"

#include "grid.h"
#include "tap.h"

/* What stands before the text of every kernel: the registers that it may use. */
#define LOWERED_HEAD                                                                       \
	".version 8.0\n.target sm_90\n.address_size 64\n"                                  \
	".visible .entry k(.param .u64 to, .param .u32 n)\n{\n"                            \
	".reg .b32 %a, %b, %c, %i, %t, %n; .reg .f32 %f, %g, %h; .reg .b64 %to, %at, %x;\n" \
	".reg .pred %p, %q, %r; .shared .align 16 .b8 s[1024];\n"

/* Parts of kernels. */
#define T "mov.u32 %t, %tid.x;"
#define N "ld.param.u32 %n, [n];"
#define TO "ld.param.u64 %to, [to];"
#define AT T N TO "mul.wide.u32 %x, %t, 4;add.u64 %at, %to, %x;" /* of each lane */
#define LOAD(r, at) "ld.global.u32 %" #r ", [%" #at "];"
#define STORE(r, at) "st.global.u32 [%" #at "], %" #r ";"
#define RET "ret;"

/* Called while all that is known of the kernel is there; what it writes to @to is compared. */
typedef void lowered_look(FILE *to, struct ir *ir);

struct lowered {
	lowered_look *look;
	struct block_shape shape;
	char *said;              /* owned */
	size_t size;
};

/* Rows and accesses that the compiler of the test does not know. */
static inline bool lowered_has_row(void *context, const struct op_row *row)
{
	(void)context;
	return strcmp(row->spelling, "brev.b32") != 0;
}

static inline bool lowered_has_number(void *context, const struct op_row *row)
{
	(void)context;
	return !strcmp(row->spelling, "lop3.b32");
}

static inline bool lowered_has_value(void *context, const struct op_row *row)
{
	(void)context;
	return strcmp(row->spelling, "popc.b32") != 0;
}

static inline bool lowered_has_access(void *context, const struct ir *ir,
				      const struct ir_insn *insn)
{
	(void)context, (void)ir;
	return insn->size > 1;
}

static inline bool lowered_has_index(void *context, const struct ir_insn *insn)
{
	(void)context;
	return insn->count == 1 && insn->size >= 4;
}

static inline int lowered_visit(struct lowering *l, void *context, struct err *e)
{
	CLEANUP(ir_release) struct ir ir = { 0 };
	struct lowered *k = context;
	const struct ir_options options = {
		k->shape, lowered_has_row, lowered_has_number, lowered_has_value,
		lowered_has_access, lowered_has_index, lowered_has_access, NULL
	};
	FILE *to;

	TRY(ir_build(l, &options, &ir, e));
	to = open_memstream(&k->said, &k->size);
	if (!to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for text");
	k->look(to, &ir);
	fclose(to);
	return 0;
}

static inline void lowered_release(struct lowered *k)
{
	free(k->said);
}

/* What @look says of a kernel of @body, without its declarations and braces; "" after a failure. */
static inline const char *lowered_say(struct lowered *k, const char *body)
{
	CLEANUP(free_program) struct program *program = NULL;
	const struct lower_visitor visitor = { lowered_visit, k };
	const struct kernel *kernel;
	struct code *code;
	char text[4096];
	struct err e = { 0 };
	size_t length = (size_t)snprintf(text, sizeof(text), "%s%s}\n", LOWERED_HEAD, body);
	int status = program_load((struct bytes){ (const uint8_t *)text, length }, &program, &e);

	if (!status)
		status = program_kernel(program, "k", &kernel, &e);
	if (!status)
		status = entry_code(kernel->entry, k->shape.size[0] ? k->shape.size :
						   (uint32_t[]){ 32, 1, 1 }, true, &code, &e);
	if (!status) {
		LOCKED_BY(&program->lock, LOCK_PROGRAM);
		status = entry_visit(kernel->entry, code, &visitor, &e);
	}
	CHECK_STR(e.text, "");
	return CHECK_INT(status, 0) && k->said ? k->said : "";
}

/* Checks what @look_ says of a kernel of @text in blocks of @shape_. */
#define CHECK_LOWERED(look_, shape_, text, expected)                                       \
	do {                                                                               \
		CLEANUP(lowered_release) struct lowered k_ = { look_, shape_, NULL, 0 };    \
                                                                                           \
		CHECK_STR(lowered_say(&k_, text), expected);                               \
	} while (0)

#endif
