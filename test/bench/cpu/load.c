/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How fast the CPU device loads PTX: load ROUNDS FILE.ptx...
 *
 * Reading a module, which checks all of it, and lowering every entry of it, in
 * megabytes of text per second of processor time; the best of ROUNDS: of the
 * files, whose comments are left out, one module each; of the slowest of them; of one
 * module of many kernels; and of one kernel of many instructions. Beside them, a plain
 * search for line ends in the same text: what looking at every byte once takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "exec.h"

enum { READING, LOWERING, SCANNING, PARTS };

struct text {
	char *data;    /* owned */
	size_t size;
};

struct times {
	double part[PARTS]; /* seconds */
};

_Noreturn static void fail(const char *name, const char *what)
{
	fprintf(stderr, "load: %s: %s\n", name, what);
	exit(1);
}

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The time since @begin, which is now from then on. */
static double lap(double *begin)
{
	double before = *begin;

	*begin = seconds();
	return *begin - before;
}

static void lower_all(struct program *program, const char *name)
{
	const struct kernel *kernel;
	const char *entry;
	struct err e;

	for (size_t i = 0; program_entry(program, i, &entry); i++)
		if (program_kernel(program, entry, &kernel, &e))
			fail(name, e.text);
}

static struct times load_once(const struct text *text, const char *name)
{
	static volatile size_t lines;
	struct bytes bytes = { (const uint8_t *)text->data, text->size };
	struct program *program = NULL;
	struct times times;
	double begin = seconds();
	struct err e;

	for (const char *at = text->data; at; at = memchr(at, '\n', text->size -
							  (size_t)(at - text->data))) {
		at++;
		lines++;
	}
	times.part[SCANNING] = lap(&begin);
	if (program_load(bytes, &program, &e))
		fail(name, e.text);
	times.part[READING] = lap(&begin);
	lower_all(program, name);
	times.part[LOWERING] = lap(&begin);
	program_free(program);
	return times;
}

static struct times load(const struct text *text, const char *name, unsigned rounds)
{
	struct times best = load_once(text, name);

	while (--rounds) {
		struct times times = load_once(text, name);

		for (unsigned i = 0; i < PARTS; i++)
			if (times.part[i] < best.part[i])
				best.part[i] = times.part[i];
	}
	return best;
}

/* What was loaded, and how long it took. */
struct row {
	const char *name;
	size_t size;
	struct times times;
};

/* Megabytes per second of all that is done. */
static double rate(const struct row *row)
{
	return (double)row->size / 1e6 / (row->times.part[READING] + row->times.part[LOWERING]);
}

static void print(const struct row *row)
{
	const double *part = row->times.part, size = (double)row->size / 1e6;

	printf("  %-26s %7.2f MB %9.1f %9.1f %9.1f %9.0f MB/s\n", row->name, size,
	       size / part[READING], size / part[LOWERING], rate(row), size / part[SCANNING]);
}

/* The file without its lines of comment, which would flatter. */
static struct text read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	struct text text = { NULL, 0 };
	char *line = NULL;
	size_t room = 0;
	FILE *out = open_memstream(&text.data, &text.size);

	if (!file || !out)
		fail(path, "cannot be read");
	while (getline(&line, &room, file) > 0)
		if (strncmp(line, "//", 2))
			fputs(line, out);
	free(line);
	fclose(file);
	fclose(out);
	return text;
}

/* A step of a loop over an array, as compilers write it; number @i of a kernel. */
static void write_step(FILE *out, unsigned i)
{
	fprintf(out, "\tadd.s32 \t%%r%u, %%r%u, %%r2;\n", 10 + i, 9 + i);
	fprintf(out, "\tmul.wide.s32 \t%%rd%u, %%r%u, 4;\n", 10 + 2 * i, 10 + i);
	fprintf(out, "\tadd.s64 \t%%rd%u, %%rd1, %%rd%u;\n", 11 + 2 * i, 10 + 2 * i);
	fprintf(out, "\tld.global.f32 \t%%f%u, [%%rd%u];\n", 2 * i + 10, 11 + 2 * i);
	fprintf(out, "\tfma.rn.f32 \t%%f%u, %%f%u, 0f3F000000, %%f%u;\n", 2 * i + 11,
		2 * i + 10, 2 * i + 9);
	fprintf(out, "\tst.global.f32 \t[%%rd%u+4], %%f%u;\n", 11 + 2 * i, 2 * i + 11);
	if (i % 8)
		return;
	fprintf(out, "\tsetp.ge.s32 \t%%p%u, %%r%u, %%r3;\n", i / 8, 10 + i);
	fprintf(out, "\t@%%p%u bra \t$L__BB0_%u;\n", i / 8, i / 8);
	fprintf(out, "\tadd.f32 \t%%f%u, %%f%u, 0f3F800000;\n", 2 * i + 11, 2 * i + 11);
	fprintf(out, "$L__BB0_%u:\n", i / 8);
}

/* A module of @kernels kernels with @steps steps each. */
static struct text generate(unsigned kernels, unsigned steps)
{
	struct text text = { NULL, 0 };
	FILE *out = open_memstream(&text.data, &text.size);

	if (!out)
		fail("generated", "out of memory");
	fprintf(out, ".version 8.0\n.target sm_80\n.address_size 64\n\n");
	for (unsigned k = 0; k < kernels; k++) {
		fprintf(out, ".visible .entry kernel_%u(\n\t.param .u64 kernel_%u_param_0,\n"
			     "\t.param .u32 kernel_%u_param_1\n)\n{\n", k, k, k);
		fprintf(out, "\t.reg .pred \t%%p<%u>;\n\t.reg .f32 \t%%f<%u>;\n\t.reg .b32 \t"
			     "%%r<%u>;\n\t.reg .b64 \t%%rd<%u>;\n\n", steps / 8 + 1,
			2 * steps + 12, steps + 12, 2 * steps + 12);
		fprintf(out, "\tld.param.u64 \t%%rd2, [kernel_%u_param_0];\n"
			     "\tld.param.u32 \t%%r3, [kernel_%u_param_1];\n"
			     "\tcvta.to.global.u64 \t%%rd1, %%rd2;\n\tmov.u32 \t%%r2, %%ntid.x;\n"
			     "\tmov.u32 \t%%r9, %%tid.x;\n\tmov.f32 \t%%f9, 0f00000000;\n", k, k);
		for (unsigned i = 0; i < steps; i++)
			write_step(out, i);
		fprintf(out, "\tret;\n\n}\n");
	}
	fclose(out);
	return text;
}

static void load_generated(const char *name, unsigned kernels, unsigned steps, unsigned rounds)
{
	struct text text = generate(kernels, steps);
	struct row row = { name, text.size, load(&text, name, rounds) };

	print(&row);
	free(text.data);
}

/* Loads the files at @paths, and tells of them together and of the slowest one. */
static void load_files(char **paths, unsigned rounds)
{
	struct row sum = { .name = "compiled kernels" }, slowest = { .name = NULL };

	for (char **path = paths; *path; path++) {
		const char *slash = strrchr(*path, '/');
		struct text text = read_text(*path);
		struct row row = { slash ? slash + 1 : *path, text.size,
				   load(&text, *path, rounds) };

		for (unsigned part = 0; part < PARTS; part++)
			sum.times.part[part] += row.times.part[part];
		sum.size += text.size;
		if (!slowest.name || rate(&row) < rate(&slowest))
			slowest = row;
		free(text.data);
	}
	print(&sum);
	print(&slowest);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[1]) : 0;

	if (!rounds)
		fail("usage", "load ROUNDS FILE.ptx...");
	config_init(NULL);
	printf("  %-26s %10s %9s %9s %9s %9s\n", "", "", "read", "lower", "both", "line ends");
	load_files(argv + 2, rounds);
	load_generated("one module, 300 kernels", 300, 40, rounds);
	load_generated("one kernel, 25000 insns", 1, 4000, rounds);
	return 0;
}
