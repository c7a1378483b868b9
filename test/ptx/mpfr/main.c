/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * mpfr [-l] [-n COUNT] [-k PATTERN] [-x PATTERN] TABLE
 *
 * Runs every floating-point form of TABLE (../forms/table.txt: what ptxas accepts)
 * on the driver $GPURUN_DRIVER, or libcuda.so.1, with COUNT inputs (65536), and
 * holds the results against MPFR. An operand of 8 or 16 bits that stands alone
 * takes every value; others take corners, what is close to each other, and what
 * is random. Prints TAP, a line per form whose name matches -k; of those that match
 * -x something has to differ. Exits with 1 after a failure, also when a form has no
 * reference here. -l only lists the forms that it would run, and needs no driver.
 */
#include <fnmatch.h>
#include <unistd.h>

#include "cuda.h"

#include "answer.h"
#include "inputs.h"

enum { BLOCK = 256, FORM_SIZE = 512, SHOWN = 3 };

static size_t count = 65536;
static const char *pattern = "*", *differing;
static unsigned passed, failed;
static bool listing;

/* ---- On the device -------------------------------------------------------------- */

static char *load_line(char *to, const struct insn *insn, unsigned i)
{
	char kind = insn->registers[i];
	unsigned bits = register_bits(kind);

	return to + sprintf(to,
			    "ld.param.u64 %%p, [p%u];\nmad.wide.u32 %%p, %%i, %u, %%p;\n"
			    "ld.global.b%u %%%c%u, [%%p];\n",
			    i, bits / 8, bits, kind, i);
}

static void kernel_text(const struct insn *insn, const char *form, char *to)
{
	unsigned bits = register_bits(insn->registers[0]);

	to += sprintf(
		to, ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(");
	for (unsigned i = 0; i <= insn->sources; i++)
		to += sprintf(to, "%s.param .u64 p%u", i ? ", " : "", i);
	to += sprintf(to,
		      ")\n{\n.reg .b16 %%h<4>;\n.reg .b32 %%r<4>, %%i, %%t;\n"
		      ".reg .b64 %%d<4>, %%p;\nmov.u32 %%i, %%ctaid.x;\n"
		      "mov.u32 %%t, %%tid.x;\nmad.lo.u32 %%i, %%i, %d, %%t;\n",
		      BLOCK);
	for (unsigned i = 1; i <= insn->sources; i++)
		to = load_line(to, insn, i);
	sprintf(to,
		"%s;\nld.param.u64 %%p, [p0];\nmad.wide.u32 %%p, %%i, %u, %%p;\n"
		"st.global.b%u [%%p], %%%c0;\nret;\n}\n",
		form, bits / 8, bits, insn->registers[0]);
}

/* The registers of all threads: [0] the results, then the sources. */
struct run {
	const struct insn *insn;
	uint8_t *registers[1 + MAX_SOURCES];
};

static size_t buffer_size(const struct insn *insn, unsigned i)
{
	return count * register_bits(insn->registers[i]) / 8;
}

static uint64_t register_at(const struct run *run, unsigned which, size_t i)
{
	size_t size = register_bits(run->insn->registers[which]) / 8;
	uint64_t bits = 0;

	memcpy(&bits, run->registers[which] + i * size, size);
	return bits;
}

/* Names the call that failed, or NULL. */
static const char *execute(const struct run *run, const char *text)
{
	const struct insn *insn = run->insn;
	CUdeviceptr addresses[1 + MAX_SOURCES] = { 0 };
	void *params[1 + MAX_SOURCES];
	const char *wrong = NULL;
	CUfunction kernel;
	CUmodule module;

	if (cu.cuModuleLoadData(&module, text))
		return "cuModuleLoadData";
	for (unsigned i = 0; i <= insn->sources && !wrong; i++) {
		params[i] = &addresses[i];
		if (cu.cuMemAlloc(&addresses[i], buffer_size(insn, i)) ||
		    (i && cu.cuMemcpyHtoD(addresses[i], run->registers[i],
					  buffer_size(insn, i))))
			wrong = "cuMemcpyHtoD";
	}
	if (!wrong && cu.cuModuleGetFunction(&kernel, module, "k"))
		wrong = "cuModuleGetFunction";
	if (!wrong &&
	    (cu.cuLaunchKernel(kernel, (unsigned)(count / BLOCK), 1, 1, BLOCK, 1, 1, 0,
			       NULL, params, NULL) ||
	     cu.cuMemcpyDtoH(run->registers[0], addresses[0], buffer_size(insn, 0))))
		wrong = "cuLaunchKernel";
	for (unsigned i = 0; i <= insn->sources; i++)
		cu.cuMemFree(addresses[i]);
	cu.cuModuleUnload(module);
	return wrong;
}

/* ---- Comparison ------------------------------------------------------------------- */

static uint64_t lane_of(uint64_t bits, unsigned width, unsigned lane)
{
	return width == 64 ? bits : bits >> lane * width & ((1ull << width) - 1);
}

/* The sources of one lane: cvt takes the upper one of two from its first operand. */
static void sources(const struct run *run, size_t i, unsigned lane,
		    uint64_t in[MAX_SOURCES])
{
	const struct insn *insn = run->insn;
	bool packs = insn->base == CVT && insn->sources == 2;

	for (unsigned s = 0; s < insn->sources; s++)
		in[s] = lane_of(register_at(run, s + 1, i), insn->from.bits,
				insn->from.lanes == 2 ? lane : 0);
	if (packs && lane == 0)
		in[0] = in[1];
}

static bool check_lane(const struct run *run, size_t i, unsigned lane, bool show)
{
	const struct insn *insn = run->insn;
	uint64_t in[MAX_SOURCES] = { 0 }, got = register_at(run, 0, i);
	struct answer answer;

	if (insn->to.format)
		got = lane_of(got, insn->to.bits, lane);
	sources(run, i, lane, in);
	answer_of(insn, in, &answer);
	if (answer_allows(insn, &answer, got))
		return true;
	if (show)
		printf("#   %#" PRIx64 ", %#" PRIx64 ", %#" PRIx64 ": expected %#" PRIx64
		       " (about %g), got %#" PRIx64 "\n",
		       in[0], in[1], in[2], answer.bits, answer.value, got);
	return false;
}

static void compare(const struct run *run, const char *form)
{
	bool differs = differing && !fnmatch(differing, form, 0);
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++)
		for (unsigned lane = 0; lane < run->insn->to.lanes; lane++)
			wrong += !check_lane(run, i, lane, wrong < SHOWN);
	if (wrong)
		printf("#   %zu of %zu results are wrong\n", wrong, count);
	if (differs != (wrong != 0))
		failed++;
	else
		passed++;
	printf("%sok - %s%s\n", differs != (wrong != 0) ? "not " : "", form,
	       differs ? ", expected to differ" : "");
}

/* .oob stands for a NaN of tensors that no page tells bit for bit. */
static bool undefined(const char *form)
{
	return !fnmatch("*.oob.*", form, 0);
}

static void test(const char *form)
{
	char text[4096];
	struct insn insn;
	struct run run = { .insn = &insn };
	const char *unknown, *wrong;

	if (fnmatch(pattern, form, 0) || undefined(form))
		return;
	if (!insn_parse(form, &insn, &unknown)) {
		if (unknown) {
			printf("not ok - %s: no reference knows %s\n", form, unknown);
			failed++;
		}
		return;
	}
	if (listing) {
		puts(form);
		return;
	}
	for (unsigned i = 0; i <= insn.sources; i++) {
		run.registers[i] = calloc(count, 8);
		if (!run.registers[i])
			abort();
	}
	inputs_fill(&insn, count, &run.registers[1]);
	kernel_text(&insn, form, text);
	wrong = execute(&run, text);
	if (wrong) {
		printf("not ok - %s: %s fails\n", form, wrong);
		failed++;
	} else {
		compare(&run, form);
	}
	for (unsigned i = 0; i <= insn.sources; i++)
		free(run.registers[i]);
}

/* ---- The table ----------------------------------------------------------------------
 */

/* Calls test() with each form of a line in which <a;b> is a or b. */
static void expand(const char *line)
{
	const char *open = strchr(line, '<'), *close = open ? strchr(open, '>') : NULL;
	char form[FORM_SIZE];

	if (!close) {
		test(line);
		return;
	}
	for (const char *at = open + 1; at <= close; at += strcspn(at, ";>") + 1) {
		snprintf(form, sizeof(form), "%.*s%.*s%s", (int)(open - line), line,
			 (int)strcspn(at, ";>"), at, close + 1);
		expand(form);
	}
}

int main(int argc, char **argv)
{
	char line[4096];
	FILE *table;
	int c;

	while ((c = getopt(argc, argv, "ln:k:x:")) != -1)
		if (c == 'l')
			listing = true;
		else if (c == 'n')
			count = (strtoul(optarg, NULL, 10) + BLOCK - 1) / BLOCK * BLOCK;
		else if (c == 'k')
			pattern = optarg;
		else if (c == 'x')
			differing = optarg;
		else
			return 2;
	table = optind < argc ? fopen(argv[optind], "r") : NULL;
	if (!table || !count) {
		fprintf(stderr, "usage: mpfr [-l] [-n COUNT] [-k PATTERN] [-x PATTERN] TABLE\n");
		return 2;
	}
	if (!listing)
		cuda_start();
	while (fgets(line, sizeof(line), table)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '+')
			expand(line + 2);
	}
	fclose(table);
	if (!listing)
		printf("%u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}
