/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Blanks, ends of lines and comments between any two tokens of a statement, or none: what ptxas
 * accepts is read, and means what it means with a blank; what it refuses is refused. The cases
 * and what ptxas says are in test/ptx/blanks/table.txt, which ask.py beside it makes.
 */
#include "body.h"
#include "cleanup.h"
#include "config.h"
#include "exec.h"
#include "program.h"
#include "tap.h"

DEFINE_CLEANUP(free_program, struct program *, program_free)

static const char *const separators[] = { "", " ", "\t", "\n", "\r\n", "\r", "\f", "\v", "/**/",
					  "/*/*/", "/* * / ** */", "//;\n" };
enum { SEPARATORS = sizeof(separators) / sizeof(separators[0]) };

/* What is around a statement of each kind; of a body, as ask.py has it. */
#define HEAD                                                                               \
	".version 8.3\n.target sm_80\n.address_size 64\n.file 1 \"f.cu\"\n"               \
	".global .u32 g;\n.func f0() { ret; }\n"                                           \
	".func (.param .u32 r) f1(.param .u32 a) { st.param.u32 [r], 1; ret; }\n"
static const struct {
	const char *kind, *before, *after;
} frames[] = {
	{ "body", HEAD ".visible .entry k() {\n"
	  ".reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p<2>; .reg .f32 %f<4>; .reg .u32 v, _a;\n"
	  ".reg .f64 %e; .reg .b16 %h<4>; .local .u32 arr[4];\n", "\nL: $M: _N: ret; }\n" },
	{ "module", HEAD, "\n.visible .entry k() { ret; }\n" },
	{ "text", "", "\n" },
};
enum { FRAMES = sizeof(frames) / sizeof(frames[0]) };

/* Prints @statement, whose tokens blanks divide, with @separator in gap @gap; '#' is 7. */
static void print(FILE *f, const char *statement, unsigned gap, const char *separator)
{
	unsigned at = 0;

	for (const char *p = statement; *p; p++) {
		if (*p == ' ' && at++ == gap)
			fputs(separator, f);
		else
			fputc(*p == '#' ? '7' : *p, f);
	}
}

/* Reads the text: its entries lowered, and what was read of function @which in @body. */
static int read_text(const char *text, size_t size, struct program **program, struct err *e)
{
	const struct kernel *kernel;
	const char *name;

	*program = NULL;
	if (program_load((struct bytes){ (const uint8_t *)text, size }, program, e))
		return -1;
	for (size_t i = 0; program_entry(*program, i, &name); i++)
		if (program_kernel(*program, name, &kernel, e))
			return -1;
	return 0;
}

/* Prints what a program declares and does, so that two can be compared. */
static char *meaning(const struct program *program)
{
	const struct ptx *ptx = program->ptx;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct err e;

	for (size_t i = 0; i < ptx->variable_count; i++)
		fprintf(f, "variable %.*s %llu %u\n", (int)ptx->variables[i].name.length,
			ptx->variables[i].name.text, (unsigned long long)ptx->variables[i].size,
			ptx->variables[i].managed);
	for (size_t i = 0; i < ptx->function_count; i++) {
		const struct ptx_function *function = &ptx->functions[i];
		struct body *body = NULL;

		fprintf(f, "function %.*s %zu %zu %u %u\n", (int)function->name.length,
			function->name.text, function->param_count, function->return_count,
			function->max_block[0], function->required_block[0]);
		if (!function->defined ||
		    body_decode(ptx, &program->globals, function, &body, &e))
			continue;
		for (size_t k = 0; k < body->insn_count; k++)
			fprintf(f, "%.*s %u %u\n", (int)body->insns[k].opcode.length,
				body->insns[k].opcode.text, body->insns[k].guard,
				body->insns[k].guard_negated);
		for (size_t k = 0; k < body->operand_count; k++)
			fprintf(f, "%u %u %lld\n", body->operands[k].kind, body->operands[k].index,
				(long long)body->operands[k].value);
		body_free(body);
	}
	fclose(f);
	return text;
}

/* Reads a case; whether it is accepted, and *@what it means, or why it is not. */
static bool read_case(unsigned frame, const char *statement, unsigned gap, const char *separator,
		      char **what)
{
	CLEANUP(free_program) struct program *program = NULL;
	CLEANUP(free_pointer) char *text = NULL;
	struct err e = { 0 };
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	bool good;

	fputs(frames[frame].before, f);
	print(f, statement, gap, separator);
	fputs(frames[frame].after, f);
	fclose(f);
	good = !read_text(text, size, &program, &e);
	*what = good ? meaning(program) : strdup(e.text);
	return good;
}

static unsigned cases;

/* What the CPU device reads though ptxas does not: none of it changes what a program means. */
static bool is_lenient(const char *statement, unsigned gap)
{
	if (!strncmp(statement, ".loc ", 5) || !strncmp(statement, ".section ", 9))
		return true; /* nothing of it is needed to execute the kernel */
	if (!strncmp(statement, ".version ", 9))
		return !gap; /* ptxas wants the number in the same line, without a comment */
	return !strcmp(statement, ".func a# .noreturn { exit ; }") && gap == 1;
}

static void check_gap(unsigned frame, const char *statement, unsigned gap, const char *verdicts)
{
	CLEANUP(free_pointer) char *blank = NULL;

	read_case(frame, statement, gap, " ", &blank);
	for (unsigned i = 0; i < SEPARATORS; i++) {
		CLEANUP(free_pointer) char *what = NULL;
		const bool good = read_case(frame, statement, gap, separators[i], &what);

		cases++;
		if (good && verdicts[i] == '-' && is_lenient(statement, gap))
			continue;
		if (!CHECK_INT(good, verdicts[i] == '+') ||
		    (good && !CHECK(!strcmp(what, blank)))) {
			printf("#   %s, gap %u, separator %u: %s\n", statement, gap, i, what);
		}
	}
}

static void test_table(void)
{
	CLEANUP(close_file) FILE *f = fopen("test/ptx/blanks/table.txt", "r");
	char line[256], statement[256] = "";
	unsigned frame = 0, gap = 0;

	if (!CHECK(f))
		return;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (*line == '#')
			continue;
		if (*line == '\t') {
			if (CHECK_INT(strlen(line + 1), SEPARATORS))
				check_gap(frame, statement, gap++, line + 1);
			continue;
		}
		for (frame = 0; frame < FRAMES - 1; frame++)
			if (!strncmp(line, frames[frame].kind, strlen(frames[frame].kind)))
				break;
		strcpy(statement, strchr(line, ' ') + 1);
		gap = 0;
	}
	CHECK(cases > 5000);
}

int main(void)
{
	config_init(NULL);
	RUN(test_table);
	return tap_end();
}
