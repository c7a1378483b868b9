/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * dump=KERNEL: the IR, and the machine code that was made of it, in bytes as llvm-mc reads them
 * (--disassemble), with a comment where a part of the code begins: its offset, and what it is of.
 */
#include "array.h"
#include "compile.h"
#include "config.h"
#include "listing.h"
#include "output.h"

void code_mark(struct compile *c, enum mark what, uint32_t insn)
{
	struct code_mark *mark;

	if (!c->marked)
		return;
	mark = array_grow(&c->marks, c->mark_count, sizeof(*mark));
	if (!mark) {
		c->no_memory = true;
		return;
	}
	*mark = (struct code_mark){ (uint32_t)c->x->used, insn, (uint8_t)what };
	c->mark_count++;
}

static int dump_fails(const struct compile *c)
{
	return err_set(c->e, GPURUN_NO_MEMORY, "no memory for a dump");
}

/* The name of the kernel, owned by the caller; NULL: no memory. */
static char *kernel_name(const struct compile *c)
{
	const struct ptx_name name = c->ir->lowering->body->function->name;

	return strndup(name.text, name.length);
}

static void print_ir(FILE *to, const struct compile *c)
{
	ir_print(to, c->ir);
}

/* Writes what @print does, under a line with the kernel's name. */
static int dump(const struct compile *c, const char *what,
		void (*print)(FILE *to, const struct compile *c))
{
	CLEANUP(free_pointer) char *kernel = kernel_name(c), *text = NULL;
	size_t size;
	FILE *to = kernel ? open_memstream(&text, &size) : NULL;

	if (!to)
		return dump_fails(c);
	fprintf(to, "gpurun: %s of %s\n", what, kernel);
	print(to, c);
	if (fclose(to))
		return dump_fails(c);
	output_listing(text, size);
	return 0;
}

int dump_ir(struct compile *c)
{
	CLEANUP(free_pointer) char *kernel = kernel_name(c);

	if (!kernel)
		return dump_fails(c);
	c->marked = listing_matches(config.dump, kernel);
	return c->marked ? dump(c, "IR", print_ir) : 0;
}

static void print_bytes(FILE *to, const uint8_t *code, size_t from, size_t end)
{
	enum { IN_LINE = 16 };

	for (size_t i = from; i < end; i++)
		fprintf(to, "0x%02x%c", code[i],
			i + 1 == end || (i + 1 - from) % IN_LINE == 0 ? '\n' : ' ');
}

/* Steps of a run are interleaved: each begins with its number. */
static void print_code(FILE *to, const struct compile *c)
{
	static const char *const texts[] = { [MARK_STEP] = "", [MARK_WAY_OUT] = "way out: ",
					     [MARK_ENTRY] = "entry: ", [MARK_REACH] = "reach" };

	for (size_t i = 0; c->marks[i].what != MARK_END; i++) {
		const struct code_mark *mark = &c->marks[i];

		fprintf(to, "# 0x%x %s", mark->offset, texts[mark->what]);
		if (mark->insn == IR_NONE)
			fputc('\n', to);
		else
			ir_print_insn(to, c->ir, mark->insn);
		print_bytes(to, c->x->limits.code, mark->offset, mark[1].offset);
	}
}

int dump_code(const struct compile *c)
{
	return c->marked ? dump(c, "machine code", print_code) : 0;
}
