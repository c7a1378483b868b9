/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump.h"

#include <inttypes.h>

#include "bits.h"
#include "config.h"
#include "kinds.h"
#include "line_rank.h"
#include "listing.h"
#include "output.h"
#include "special.h"

static_assert((int)KIND_LANES == (int)LANES, "kinds are of the lanes of a warp");

/* What is being written. */
struct dump {
	FILE *to;
	const struct lowering *l;
	struct block_shape shape;
	struct kinds kinds;    /* owned; of an entry */
	const char *separator; /* before the next register */
};

/* The special register at @at in the row file; NULL when there is none. */
static const char *special_at(int32_t at)
{
	for (unsigned i = 0; i < SPECIAL_NAMED; i++) {
		const enum special_form form = special_infos[i].form;

		if ((form == FORM_SLOT || form == FORM_ROW) && special_offset(i) == at)
			return special_infos[i].spelling;
	}
	return NULL;
}

static void write_constant(FILE *to, const struct constant *constant)
{
	static const char *const bases[] = {
		[BASE_NONE] = "", [BASE_PARAMS] = "parameters + ", [BASE_SHARED] = "shared + ",
		[BASE_DYNAMIC] = "dynamic shared + ",
	};

	fprintf(to, " (%s%#" PRIx64 ")", bases[constant->base], constant->value);
}

/* One operand of an op: an offset in the row file, in most cases. */
static void write_operand(const struct dump *dump, const char *name, int32_t at)
{
	const struct code *code = dump->l->code;
	const int32_t index = (at - dump->l->constants_at) / 8;

	if (!at)
		return;
	fprintf(dump->to, " %s=%#x", name, (unsigned)at);
	/* Ops that access memory have another number in b. */
	if (*name == 'a' && at < AT_SCRATCH && special_at(at))
		fprintf(dump->to, " (%%%s)", special_at(at));
	else if (at >= AT_SCRATCH && at < AT_ROWS)
		fputs(" (scratch)", dump->to);
	else if (at >= dump->l->constants_at && (size_t)index < code->constant_count)
		write_constant(dump->to, &code->constants[index]);
}

static void write_op(const struct dump *dump, uint32_t i)
{
	const struct op *op = &dump->l->code->ops[i];
	const unsigned handler = handler_of(op);

	fprintf(dump->to, "    %5u  %s", i, handler_name(handler));
	write_operand(dump, "d", op->d);
	write_operand(dump, "a", op->a);
	write_operand(dump, "b", op->b);
	write_operand(dump, "c", op->c);
	if (op->imm)
		fprintf(dump->to, " imm=%" PRId64, op->imm);
	fputc('\n', dump->to);
}

static void write_register(void *context, uint32_t index, bool write)
{
	struct dump *dump = context;
	char name[REGISTER_NAME];

	fprintf(dump->to, "%s%s%s %s %#x", dump->separator, write ? "-> " : "",
		listing_register(dump->l->body, index, name),
		register_slot(dump->l, index) ? "slot" : "row",
		(unsigned)register_at(dump->l, index));
	dump->separator = ", ";
	if (!dump->kinds.registers)
		return;
	fputs(" (", dump->to);
	kinds_print(dump->to, &dump->kinds, index);
	fputc(')', dump->to);
}

/* What has to hold at an instruction for its result to have the kind of its register. */
static void write_check(const struct dump *dump, uint32_t i)
{
	const struct kind_check *check = &dump->kinds.results[i].check;

	if (check->operand)
		fprintf(dump->to, "           if no lane of operand %u wraps around in %c%u\n",
			check->operand + 1u, check->sign ? 's' : 'u', check->bits);
}

static void write_insn(struct dump *dump, uint32_t i)
{
	const struct insn *insn = &dump->l->body->insns[i];

	fprintf(dump->to, "  line %u: ", insn->line);
	listing_print(dump->to, listing_text(dump->l->program, insn));
	fputc('\n', dump->to);
	dump->separator = "           ";
	insn_registers(dump->l->body, insn, write_register, dump);
	if (*dump->separator == ',')
		fputc('\n', dump->to);
	if (dump->kinds.results)
		write_check(dump, i);
}

/* Of which blocks the kinds are that follow. */
static void write_shape(const struct dump *dump)
{
	const uint32_t *size = dump->shape.size;

	if (size[0])
		fprintf(dump->to, "  kinds of registers in blocks of %ux%ux%u\n", size[0], size[1],
			size[2]);
	else
		fprintf(dump->to, "  kinds of registers in blocks of any shape%s\n",
			dump->shape.aligned ? " whose x is a multiple of 32" : "");
}

static void write_ops(const struct dump *dump, uint32_t from, uint32_t until)
{
	for (uint32_t i = from; i < until; i++)
		write_op(dump, i);
}

static void write_function(struct dump *dump, const char *kernel)
{
	const struct lowering *l = dump->l;
	const struct body *body = l->body;

	fprintf(dump->to, "gpurun: %sdump of %s", line_rank(), kernel);
	if (!body->function->entry)
		fprintf(dump->to, ", function %.*s", (int)body->function->name.length,
			body->function->name.text);
	fprintf(dump->to, ": ops %u to %u%s\n", l->now->start, l->code->op_count - 1,
		l->aligned ? ", for warps whose threads differ in %tid.x alone" : "");
	if (dump->kinds.registers)
		write_shape(dump);
	write_ops(dump, l->now->start, l->insn_ops[0]);
	for (uint32_t i = 0; i < body->insn_count; i++) {
		write_insn(dump, i);
		write_ops(dump, l->insn_ops[i], l->insn_ops[i + 1]);
	}
	fputs("  at the end\n", dump->to);
	write_ops(dump, l->insn_ops[body->insn_count], l->code->op_count);
}

/* Finds the kinds of the registers of an entry. */
static int find_dump_kinds(struct lowering *l, struct dump *dump)
{
	const struct ptx_function *function = l->body->function;

	if (!function->entry)
		return 0;
	memcpy(dump->shape.size, function->required_block, sizeof(dump->shape.size));
	dump->shape.aligned = l->aligned;
	return kinds_find(l->body, &l->now->liveness, &dump->shape, &dump->kinds, l->e);
}

static void dump_release(struct dump *dump)
{
	kinds_release(&dump->kinds);
}

int dump_function(struct lowering *l, const char *kernel)
{
	CLEANUP(free_pointer) char *text = NULL;
	CLEANUP(dump_release) struct dump dump = { .l = l };
	size_t size;

	if (!listing_matches(config.dump, kernel))
		return 0;
	TRY(find_dump_kinds(l, &dump));
	dump.to = open_memstream(&text, &size);
	if (!dump.to)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for a dump");
	write_function(&dump, kernel);
	listing_printed(LISTING_DUMP);
	if (fclose(dump.to))
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for a dump");
	output_listing(text, size);
	return 0;
}
