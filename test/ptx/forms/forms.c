/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * forms [-v] [-x LIST]... TABLE
 *
 * Asks the driver $GPURUN_DRIVER about every form of instruction in TABLE
 * (table.txt, made by forms.py) and compares with what ptxas said: a form that
 * ptxas accepts has to load, one that it refuses must not. A line of TABLE is a
 * verdict and a product of forms:
 *
 *	+ add<;.rn><;.ftz>.f32 %r0, %r1, %r2
 *
 * '+' is accepted for sm_90, 'a' for sm_90a, '-' for neither; "<a;b>" is a or b,
 * "%r0..3" four registers. The lines of LIST are products as well, of forms that
 * are known to differ, and must. -v lists all forms that differ instead.
 *
 * Prints TAP, one result for each base; exits with 1 when one is not as expected.
 */
#include <unistd.h>

#include "cuda.h"

enum { FORM_SIZE = 512, TEXT_SIZE = 4096 };

static const char head[] = ".version 9.0\n.target sm_90a\n.address_size 64\n"
			   ".func f() { ret; }\n"
			   ".global .align 128 .b8 g[128];\n.const .align 128 .b8 c[128];\n"
			   ".shared .align 128 .b8 s[128];\n"
			   ".visible .entry k(.param .align 64 .b8 a[64])\n{\n"
			   ".reg .pred %p<8>;\n.reg .b8 %b<8>;\n.reg .b16 %h<16>;\n"
			   ".reg .b32 %r<300>;\n.reg .b64 %d<130>;\n.reg .b128 %q<8>;\n"
			   ".reg .v2 .b16 %h2v, %h2w;\n.reg .v4 .b16 %h4v, %h4w;\n"
			   ".reg .v2 .b32 %r2v, %r2w;\n.reg .v4 .b32 %r4v, %r4w;\n"
			   ".reg .v2 .b64 %d2v, %d2w;\n.local .align 16 .b8 l[64];\n";
static const char tail[] = ";\nL: ret;\nM:\n ret;\n}\n";

static bool verbose;

/* ---- One form ------------------------------------------------------------- */

/* Appends @form to @text, with its ranges of registers written out. */
static void append(char text[TEXT_SIZE], const char *form)
{
	char *to = text + strlen(text);
	const char *range, *digits;

	for (; (range = strstr(form, "..")); form = range) {
		int first, last, length;

		for (digits = range; digits[-1] != '%'; digits--)
			;
		to = stpncpy(to, form, (size_t)(range - form));
		first = atoi(digits + 1);
		sscanf(range, "..%d%n", &last, &length);
		range += length;
		for (int i = first + 1; i <= last; i++)
			to += sprintf(to, ", %%%c%d", digits[0], i);
	}
	strcpy(to, form);
}

/* Tells whether the driver makes a kernel of @form; if not, *@why is its log. */
static bool accepts(const char *form, char why[FORM_SIZE])
{
	CUjit_option names[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { why, (void *)(uintptr_t)FORM_SIZE };
	char text[TEXT_SIZE];
	CUmodule module;
	CUfunction kernel;
	bool good;

	strcpy(text, head);
	append(text, form);
	strcat(text, tail);
	why[0] = '\0';
	if (cu.cuModuleLoadDataEx(&module, text, 2, names, values))
		return false;
	good = !cu.cuModuleGetFunction(&kernel, module, "k");
	cu.cuModuleUnload(module);
	return good;
}

/* ---- The forms of a product ---------------------------------------------- */

typedef void form_fn(const char *form, void *context);

/* Calls @see for every form of @product, whose beginning up to here is @form. */
static void each_form(const char *product, char form[FORM_SIZE], size_t length, form_fn *see,
		      void *context)
{
	const char *open = strchr(product, '<'), *close = open ? strchr(open, '>') : NULL;
	size_t plain = open ? (size_t)(open - product) : strlen(product);

	memcpy(form + length, product, plain);
	length += plain;
	if (!open) {
		form[length] = '\0';
		see(form, context);
		return;
	}
	for (const char *choice = open + 1; choice <= close;) {
		size_t size = strcspn(choice, ";>");

		memcpy(form + length, choice, size);
		each_form(close + 1, form, length + size, see, context);
		choice += size + 1;
	}
}

/* Calls @see for every line of @path that is no comment. */
static void each_line(const char *path, void (*see)(char *line, void *context), void *context)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	if (!file) {
		fprintf(stderr, "forms: cannot open %s\n", path);
		exit(2);
	}
	while (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] && line[0] != '#')
			see(line, context);
	}
	free(line);
	fclose(file);
}

/* ---- Forms that are known to differ --------------------------------------- */

static struct {
	char **forms; /* sorted once all are there */
	bool *seen;
	size_t count;
} known;

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_known(const char *form, void *context)
{
	(void)context;
	known.forms = realloc(known.forms, (known.count + 1) * sizeof(*known.forms));
	if (!known.forms || !(known.forms[known.count++] = strdup(form)))
		abort();
}

static void read_known(char *line, void *context)
{
	char form[FORM_SIZE];

	each_form(line, form, 0, add_known, context);
}

/* Tells whether @form is known to differ, and notes that it has been asked about. */
static bool is_known(const char *form)
{
	char **found = known.count ? bsearch(&form, known.forms, known.count,
					     sizeof(*known.forms), by_text) : NULL;

	if (found)
		known.seen[found - known.forms] = true;
	return found;
}

/* ---- Verdicts --------------------------------------------------------------- */

/* The base that is being asked about, and what has come of it. */
static struct {
	char base[32];
	unsigned agreed, wrong;
} now;

static unsigned failed, passed;

static void conclude(void)
{
	if (!now.base[0] || verbose)
		return;
	printf("%s - %s: %u forms as expected, %u not\n", now.wrong ? "not ok" : "ok", now.base,
	       now.agreed, now.wrong);
	*(now.wrong ? &failed : &passed) += 1;
}

static void ask(const char *form, void *context)
{
	const bool wanted = *(const bool *)context;
	char why[FORM_SIZE];
	size_t length = strcspn(form, ". ");
	bool differs, expected;

	if (length != strlen(now.base) || memcmp(form, now.base, length)) {
		conclude();
		memset(&now, 0, sizeof(now));
		memcpy(now.base, form, length);
	}
	differs = accepts(form, why) != wanted;
	expected = is_known(form);
	now.agreed += differs == expected;
	now.wrong += differs != expected;
	if (verbose && differs)
		printf("%s %s\n", wanted ? "missing" : "extra", form);
	else if (!verbose && differs != expected)
		printf("# %s: ptxas %s it, the CPU device %s\n", form,
		       wanted ? "accepts" : "refuses",
		       !differs ? "too, but it is listed as one that differs" :
		       wanted ? "does not" : "executes it");
}

static void ask_line(char *line, void *context)
{
	bool wanted = line[0] != '-';
	char form[FORM_SIZE];

	(void)context;
	if (strchr("+-a", line[0]) && line[1] == ' ')
		each_form(line + 2, form, 0, ask, &wanted);
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "vx:")) != -1) {
		if (option == 'v')
			verbose = true;
		else if (option == 'x')
			each_line(optarg, read_known, NULL);
		else
			return 2;
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: forms [-v] [-x LIST]... TABLE\n");
		return 2;
	}
	if (known.count)
		qsort(known.forms, known.count, sizeof(*known.forms), by_text);
	known.seen = calloc(known.count + 1, sizeof(*known.seen));
	if (!known.seen || !freopen("/dev/null", "w", stderr)) /* the driver says why it refuses */
		abort();
	cuda_start();
	each_line(argv[optind], ask_line, NULL);
	conclude();
	for (size_t i = 0; i < known.count && !verbose; i++) {
		if (known.seen[i])
			continue;
		printf("not ok - %s is listed, but not in the table\n", known.forms[i]);
		failed++;
	}
	if (!verbose)
		printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
