/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * PTX has no limits of its own for labels, arguments and nesting: each text here has as many as
 * asked for, runs right, and needs time that grows with its length.
 */
#include <time.h>

#include "grid.h"
#include "tap.h"

enum { SMALL = 2000, GROWTH = 16 };

#define HEAD ".version 8.1\n.target sm_70\n.address_size 64\n"
#define ENTRY                                                                              \
	".visible .entry k(.param .u64 out) {\n"                                           \
	".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;\n"                              \
	"ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; ld.global.u32 %r2, [%rd1];\n"
#define END "st.global.u32 [%rd1], %r1; ret; }\n"

/* Prints @part for 0 to @count - 1, which its %u are, with @between between them. */
static void repeat(FILE *f, unsigned count, const char *between, const char *part)
{
	for (unsigned i = 0; i < count; i++) {
		fputs(i ? between : "", f);
		for (const char *p = part; *p; p++)
			if (p[0] == '%' && p[1] == 'u')
				fprintf(f, "%u", i), p++;
			else
				fputc(*p, f);
	}
}

/* A switch of @n cases: the last one is reached. */
static void targets(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "T: .branchtargets ", f);
	repeat(f, n, ", ", "L%u");
	fprintf(f, ";\nadd.u32 %%r2, %%r2, %u; brx.idx %%r2, T;\n", n - 1);
	repeat(f, n, "", "L%u: mov.u32 %r1, %u; bra E;\n");
	fputs("E: add.u32 %r1, %r1, 1;\n" END, f);
}

static void numbered_targets(FILE *f, unsigned n)
{
	fprintf(f, HEAD "%sT: .branchtargets L<%u>;\n", ENTRY, n);
	fprintf(f, "add.u32 %%r2, %%r2, %u; brx.idx %%r2, T;\n", n - 1);
	repeat(f, n, "", "L%u: mov.u32 %r1, %u; bra E;\n");
	fputs("E: add.u32 %r1, %r1, 1;\n" END, f);
}

/* An indirect call that names @n functions, of which it calls the last. */
static void call_targets(FILE *f, unsigned n)
{
	fputs(HEAD, f);
	repeat(f, n, "", ".func (.param .u32 r) f%u() { st.param.u32 [r], %u; ret; }\n");
	fputs(ENTRY "T: .calltargets ", f);
	repeat(f, n, ", ", "f%u");
	fprintf(f, ";\nmov.u64 %%rd2, f%u; call (%%r1), %%rd2, (), T;\n", n - 1);
	fputs("add.u32 %r1, %r1, 1;\n" END, f);
}

static void arguments(FILE *f, unsigned n)
{
	fputs(HEAD ".func (.param .u32 r) f(", f);
	repeat(f, n, ", ", ".param .u32 p%u");
	fprintf(f, ") { .reg .u32 %%x, %%y; ld.param.u32 %%x, [p0]; ld.param.u32 %%y, [p%u];\n"
		"add.u32 %%x, %%x, %%y; st.param.u32 [r], %%x; ret; }\n", n - 1);
	fputs(ENTRY "call (%r1), f, (", f);
	repeat(f, n, ", ", "%u");
	fputs("); add.u32 %r1, %r1, 1;\n" END, f);
}

/* What would need more than a thread's stack is lowered alone. */
static void skip_large(FILE *f, unsigned n)
{
	if (n > SMALL)
		fprintf(f, "mov.u32 %%r1, %u; setp.eq.u32 %%p, %%r2, 0; @%%p bra E;\n", n);
}

static void prototype(FILE *f, unsigned n)
{
	fputs(HEAD ".func (.param .u32 r) f(", f);
	repeat(f, n, ", ", ".param .u32 p%u");
	fprintf(f, ") { .reg .u32 %%x; ld.param.u32 %%x, [p%u]; st.param.u32 [r], %%x; ret; }\n",
		n - 1);
	fputs(ENTRY, f);
	skip_large(f, n);
	fputs("P: .callprototype (.param .u32 _) _ (", f);
	repeat(f, n, ", ", ".param .u32 _");
	fprintf(f, "); mov.u64 %%rd2, f; call (%%r1), %%rd2, (");
	repeat(f, n, ", ", "%u");
	fputs("), P; add.u32 %r1, %r1, 1;\nE:\n" END, f);
}

/* Scopes in scopes, all of which branch to a label of the outermost one. */
static void scopes(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY, f);
	repeat(f, n, "", "{ .reg .u32 %a%u; setp.ne.u32 %p, %r2, 0; @%p bra E; add.u32 %r1, %r1, 1;");
	repeat(f, n, "", "}\n");
	fputs("E:\n" END, f);
}

/* Labels that were found are not asked for again when later scopes end. */
static void scopes_apart(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "{\n", f);
	repeat(f, n, "", "bra M%u; M%u: add.u32 %r1, %r1, 1;\n");
	fputs("}\n", f);
	repeat(f, n, "", "{ }\n");
	fputs(END, f);
}

/* Functions that call each other, one below the other. */
static void calls(FILE *f, unsigned n)
{
	fputs(HEAD, f);
	fputs(".func (.param .u32 r) f0() { st.param.u32 [r], 1; ret; }\n", f);
	for (unsigned i = 1; i < n; i++)
		fprintf(f, ".func (.param .u32 r) f%u() { .reg .u32 %%a; call (%%a), f%u, ();\n"
			"add.u32 %%a, %%a, 1; st.param.u32 [r], %%a; ret; }\n", i, i - 1);
	fputs(ENTRY, f);
	skip_large(f, n);
	fprintf(f, "call (%%r1), f%u, ();\nE:\n%s", n - 1, END);
}

static void parentheses(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "mov.u32 %r1, ", f);
	repeat(f, n, "", "(");
	fputs("0", f);
	repeat(f, n, "", "+1)");
	fputs(";\n" END, f);
}

static void braces(FILE *f, unsigned n)
{
	fputs(HEAD ".global .u32 x", f);
	repeat(f, n, "", "[1]");
	fputs(" = ", f);
	repeat(f, n, "", "{");
	fprintf(f, "%u", n);
	repeat(f, n, "", "}");
	fputs(";\n" ENTRY "ld.global.u32 %r1, [x];\n" END, f);
}

/* As many bytes as a kernel's parameters may have: they are no more for a longer text. */
static void parameters(FILE *f, unsigned n)
{
	n = n < 32700 ? n : 32700;
	fputs(HEAD ".visible .entry k(.param .u64 out, ", f);
	repeat(f, n, ", ", ".param .u8 p%u");
	fputs(") { .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [out];\n", f);
	fprintf(f, "ld.param.u8 %%r1, [p%u]; add.u32 %%r1, %%r1, %u;\n%s", n - 1, n, END);
}

static void digits(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY ".reg .f64 %d; mov.f64 %d, 0.", f);
	repeat(f, n, "", "9");
	fprintf(f, "; cvt.rni.u32.f64 %%r1, %%d; mul.lo.u32 %%r1, %%r1, %u;\n%s", n, END);
}

static void back_edges(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "setp.ne.u32 %p, %r2, 0;\n", f);
	repeat(f, n, "", "L%u: add.u32 %r1, %r1, 1;\n");
	repeat(f, n, "", "@%p bra L%u;\n");
	fputs(END, f);
}

static void functions(FILE *f, unsigned n)
{
	fputs(HEAD, f);
	repeat(f, n, "", ".func (.param .u32 r) f%u() { st.param.u32 [r], 1; ret; }\n");
	fputs(ENTRY, f);
	repeat(f, n, "", "call (%r3), f%u, (); add.u32 %r1, %r1, %r3;\n");
	fputs(END, f);
}

/* A chain of copies backwards, around a loop. */
static void copies(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY, f);
	fprintf(f, ".reg .u32 %%c<%u>; mov.u32 %%c0, %u;\nA: add.u32 %%r1, %%r1, 1;\n", n + 1, n);
	for (unsigned i = n; i; i--)
		fprintf(f, "mov.u32 %%c%u, %%c%u;\n", i, i - 1);
	fprintf(f, "setp.lt.u32 %%p, %%r1, 1; @%%p bra A;\nmov.u32 %%r1, %%c1;\n%s", END);
}

static const struct {
	const char *name;
	void (*print)(FILE *f, unsigned n);
} texts[] = {
	{ "targets", targets },	      { "numbered targets", numbered_targets },
	{ "call targets", call_targets }, { "arguments", arguments },
	{ "prototype", prototype },   { "scopes", scopes },
	{ "scopes apart", scopes_apart }, { "calls", calls },
	{ "parentheses", parentheses }, { "braces", braces },
	{ "parameters", parameters }, { "digits", digits },
	{ "back edges", back_edges }, { "functions", functions },
	{ "copies", copies },
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Loads and runs text @which of @n parts, which has to write @n. Returns the seconds that
 * loading it and lowering its kernel took. */
static double run(unsigned which, unsigned n)
{
	static uint8_t params[8 + 32700];
	CLEANUP(free_program) struct program *program = NULL;
	const struct kernel *kernel;
	struct err e = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	uint32_t *out = device_alloc(4);
	double start;

	texts[which].print(f, n);
	fclose(f);
	start = seconds();
	if (program_load((struct bytes){ (uint8_t *)text, size }, &program, &e) ||
	    program_kernel(program, "k", &kernel, &e)) {
		CHECK_STR(e.text, texts[which].name);
		free(text);
		return 0;
	}
	start = seconds() - start;
	free(text);
	memcpy(params, &out, sizeof(out));
	CHECK_INT(run_grid(kernel, (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ 1, 1, 1 }, 0, params), 0);
	if (!CHECK_INT(*out, which == 10 && n > 32700 ? 32700 : n))
		printf("#   %s of %u\n", texts[which].name, n);
	return start;
}

/* Sixteen times the length takes about sixteen times as long: a square would be 256 times. No longer
 * ones under valgrind, which looks at memory: the times of others are what counts. */
static void test_growth(void)
{
	const unsigned growth = slower() < 100 ? GROWTH : 1;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const double small = run(i, SMALL), large = run(i, SMALL * growth);

		printf("# %s: %.1f ms, %.1f ms\n", texts[i].name, 1e3 * small, 1e3 * large);
		if (!CHECK(large < 0.02 + 4 * growth * small))
			printf("#   %s: %f s, then %f s\n", texts[i].name, small, large);
	}
}

/* Scopes whose numbered names hide some of the outermost one's, which the innermost uses. */
static void hiding(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY ".reg .u32 %h<9>;\n", f);
	repeat(f, n, "", "{ .reg .u32 %h<2>;\n");
	repeat(f, n, "", "mov.u32 %r1, %h7;\n");
	repeat(f, n, "", "}");
	fputs(END, f);
}

static void registers(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY, f);
	repeat(f, n, "", ".reg .u32 %x%u_<1000000>;\n");
	fputs(END, f);
}

static void variables(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY, f);
	repeat(f, n, "", ".shared .u8 x%u_<100000>;\n");
	fputs(END, f);
}

static void tables(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "L0: L1: L2: L3:\n", f);
	repeat(f, n, "", "T%u: .branchtargets L<4000000>;\n");
	fputs(END, f);
}

static void operands(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "add.u32 ", f);
	repeat(f, n, ", ", "%r1");
	fputs(";\n" END, f);
}

static void vector(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "st.global.v4.u32 [%rd1], {", f);
	repeat(f, n, ", ", "%r1");
	fputs("};\n" END, f);
}

static void missing(FILE *f, unsigned n)
{
	fputs(HEAD ".func f(", f);
	repeat(f, n, ", ", ".param .u32 p%u");
	fputs(") { ret; }\n" ENTRY "call f, (1);\n" END, f);
}

static void not_labels(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "T: .branchtargets ", f);
	repeat(f, n, ", ", "%r1");
	fputs(";\n" END, f);
}

static void no_labels(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "L0:\nT: .branchtargets ", f);
	repeat(f, n, ",\n", "L%u");
	fputs(";\n" END, f);
}

/* Each of n calls of a recursive function saves n registers. */
static void saved(FILE *f, unsigned n)
{
	fprintf(f, HEAD ".func f() {\n.reg .u32 %%r<%u>; .reg .u64 %%rd1;\n", n);
	repeat(f, n, "", "ld.global.u32 %r%u, [%rd1];\n");
	repeat(f, n, "", "call f, ();\n");
	repeat(f, n, "", "st.global.u32 [%rd1], %r%u;\n");
	fputs("ret; }\n" ENTRY "call f, ();\n" END, f);
}

/* Each of n switches has n cases. */
static void switches(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY "T: .branchtargets ", f);
	repeat(f, n, ", ", "L%u");
	fputs(";\n", f);
	repeat(f, n, "", "L%u: brx.idx %r2, T;\n");
	fputs(END, f);
}

/* n registers live through n blocks. */
static void live(FILE *f, unsigned n)
{
	fputs(HEAD ENTRY, f);
	fprintf(f, ".reg .u32 %%v<%u>;\n", n);
	repeat(f, n, "", "ld.global.u32 %v%u, [%rd1];\n");
	repeat(f, n, "", "@%p bra M%u; M%u:\n");
	repeat(f, n, "", "st.global.u32 [%rd1], %v%u;\n");
	fputs(END, f);
}

/* What is refused says which limit it has passed, and in which line. */
static void test_refused(void)
{
	static const struct {
		void (*print)(FILE *f, unsigned n);
		unsigned n;
		const char *why;
	} rows[] = {
		{ hiding, 10000, "line 11035: names hide each other too often: more than 10277008 "
				 "comparisons in a function of 380169 bytes" },
		{ registers, 5, "line 11: 5000008 names with numbers are too many: a function of "
				"277 bytes has up to 4194581" },
		{ variables, 3, "line 9: 100000 more variables are too many: a function of 227 "
				"bytes has up to 262172" },
		{ tables, 2, "line 9: 8000008 names with numbers are too many: a function of "
			     "230 bytes has up to 4194534" },
		{ operands, 64, "line 7: 'add.u32' has more than 63 operands, as no instruction "
				"has" },
		{ operands, 40000, "line 7: 'add.u32' has more than 63 operands, as no "
				   "instruction has" },
		{ vector, 129, "line 7: a vector has more than 128 elements" },
		{ missing, 2, "line 8: call passes 1 parameters, where 2 are declared" },
		{ not_labels, 1, "line 7: '%r1' is not declared" },
		{ saved, 1000, "line 1598: call is beyond 1188738 ops, the limit for a kernel of a module "
			       "of 70081 bytes" },
		{ switches, 1200, "line 4: k() has more than 1116476 edges between blocks, the limit "
				  "for its 33950 bytes" },
		{ live, 16000, "line 4: k() has more than 3712042 registers in blocks, in units of 64, "
			       "the limit for its 1331733 bytes" },
		{ no_labels, 2, "line 9: 'L1' is not declared" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(free_program) struct program *program = NULL;
		const struct kernel *kernel;
		struct err e = { 0 };
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);

		rows[i].print(f, rows[i].n);
		fclose(f);
		if (!program_load((struct bytes){ (uint8_t *)text, size }, &program, &e))
			CHECK(program_kernel(program, "k", &kernel, &e));
		CHECK_STR(e.text, rows[i].why);
		free(text);
	}
}

int main(void)
{
	config_init(NULL);
	RUN(test_growth);
	RUN(test_refused);
	return tap_end();
}
