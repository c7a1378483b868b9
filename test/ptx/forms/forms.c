/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * forms [-v] TABLE
 *
 * Asks the driver $GPURUN_DRIVER about every form of instruction in TABLE
 * (table.txt, made by forms.py) and compares with what ptxas said: a form that
 * ptxas accepts has to load, one that it refuses must not. A line of TABLE is a
 * verdict and a product of forms:
 *
 *	+ add<;.rn><;.ftz>.f32 %r0, %r1, %r2
 *
 * '+' is accepted for sm_90, 'a' for sm_90a, '-' for neither; "<a;b>" is a or b,
 * "%r0..3" four registers. -v lists the forms that disagree. Exits with 1 when
 * there are any.
 */
#include <unistd.h>

#include "cuda.h"

enum { FORM_SIZE = 512, TEXT_SIZE = 4096 };

static const char head[] = ".version 9.0\n.target sm_90a\n.address_size 64\n"
			   ".func f() { ret; }\n"
			   ".global .align 128 .b8 g[128];\n.const .align 128 .b8 c[128];\n"
			   ".shared .align 128 .b8 s[128];\n"
			   ".visible .entry k(.param .align 64 .b8 a[64])\n{\n"
			   ".reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<300>;\n"
			   ".reg .b64 %d<130>;\n.reg .b128 %q<8>;\n"
			   ".local .align 16 .b8 l[64];\n";
static const char tail[] = ";\nL: ret;\nM:\n ret;\n}\n";

static bool verbose;

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

/* What one line of the table came to. */
struct outcome {
	unsigned agreed, differing;
};

static void ask(const char *form, bool wanted, struct outcome *outcome)
{
	char why[FORM_SIZE];

	if (accepts(form, why) == wanted) {
		outcome->agreed++;
		return;
	}
	outcome->differing++;
	if (verbose)
		printf("%s %s\n", wanted ? "missing" : "extra", form);
}

/* Asks about every form of @product, whose beginning up to here is @form. */
static void each_form(const char *product, char form[FORM_SIZE], size_t length, bool wanted,
		      struct outcome *outcome)
{
	const char *open = strchr(product, '<'), *close = open ? strchr(open, '>') : NULL;
	size_t plain = open ? (size_t)(open - product) : strlen(product);

	memcpy(form + length, product, plain);
	length += plain;
	if (!open) {
		form[length] = '\0';
		ask(form, wanted, outcome);
		return;
	}
	for (const char *choice = open + 1; choice <= close;) {
		size_t size = strcspn(choice, ";>");

		memcpy(form + length, choice, size);
		each_form(close + 1, form, length + size, wanted, outcome);
		choice += size + 1;
	}
}

int main(int argc, char **argv)
{
	struct outcome all = { 0 };
	char *line = NULL;
	size_t room = 0;
	int option;
	FILE *table;

	while ((option = getopt(argc, argv, "v")) != -1)
		verbose = option == 'v';
	table = optind < argc ? fopen(argv[optind], "r") : NULL;
	if (!table) {
		fprintf(stderr, "usage: forms [-v] TABLE\n");
		return 2;
	}
	cuda_start();
	while (getline(&line, &room, table) > 0) {
		struct outcome outcome = { 0 };
		char form[FORM_SIZE];

		line[strcspn(line, "\n")] = '\0';
		if (!strchr("+-a", line[0]) || line[1] != ' ')
			continue;
		each_form(line + 2, form, 0, line[0] != '-', &outcome);
		all.agreed += outcome.agreed;
		all.differing += outcome.differing;
	}
	printf("%u agreed, %u differ\n", all.agreed, all.differing);
	return all.differing != 0;
}
