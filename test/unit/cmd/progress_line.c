/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the line of a run that lasts says, in as many columns as there are. */
#include "progress_line.h"
#include "tap.h"

#define LONG "math::axpb<int, float, double>"

static const struct {
	struct progress progress;
	size_t columns;
	const char *line;
} rows[] = {
	{ { PROGRESS_SCAN, "a/lib.so", 12 * 1000 * 1000, 340 * 1000 * 1000, 3 }, 79,
	  "gpurun: scanning a/lib.so: 12 of 340 MB, 3 s" },
	{ { PROGRESS_SCAN, "-", 1, 999999, 3 }, 79, "gpurun: scanning -: 3 s" },
	{ { PROGRESS_SCAN, "-", 0, 0, 61 }, 79, "gpurun: scanning -: 61 s" },
	{ { PROGRESS_LOAD, "k.fatbin", 0, 0, 1 }, 79, "gpurun: loading k.fatbin: 1 s" },
	{ { PROGRESS_PREPARE, "scale", 2, 5, 1 }, 79, "gpurun: preparing scale: launch 2 of 5, 1 s" },
	{ { PROGRESS_PREPARE, "scale", 1, 1, 1 }, 79, "gpurun: preparing scale: 1 s" },
	{ { PROGRESS_RUN, "scale", 0, 4096, 2 }, 79, "gpurun: running scale: 0 of 4096 blocks, 2 s" },
	{ { PROGRESS_RUN, "scale", 0, 1, 2 }, 79, "gpurun: running scale: 0 of 1 block, 2 s" },
	{ { PROGRESS_RUN, "scale", 0, 0, 2 }, 79, "gpurun: running scale: 2 s" },
	{ { PROGRESS_TIME, "scale", 240, 0, 4 }, 79, "gpurun: timing scale: 240 runs, 4 s" },
	{ { PROGRESS_TIME, "scale", 1, 0, 4 }, 79, "gpurun: timing scale: 1 run, 4 s" },
	{ { PROGRESS_TIME, "scale", 0, 0, 4 }, 79, "gpurun: timing scale: 4 s" },
	{ { PROGRESS_REPEAT, "k.ptx", 37, 1000, 4 }, 79, "gpurun: repeating k.ptx: run 37 of 1000, 4 s" },
	/* A terminal obeys none of it. */
	{ { PROGRESS_RUN, "a\033[2J\r\n", 0, 0, 2 }, 79, "gpurun: running a\\x1b[2J\\x0d\\x0a: 2 s" },
	/* 30 columns of name fit, then not. */
	{ { PROGRESS_RUN, LONG, 0, 0, 2 }, 51, "gpurun: running " LONG ": 2 s" },
	{ { PROGRESS_RUN, LONG, 0, 0, 2 }, 50, "gpurun: running math::axpb<in…float, double>: 2 s" },
	{ { PROGRESS_RUN, LONG, 0, 0, 2 }, 29, "gpurun: running mat…le>: 2 s" },
	{ { PROGRESS_RUN, LONG, 0, 0, 2 }, 28, "gpurun: running : 2 s" },
	{ { PROGRESS_RUN, LONG, 0, 0, 2 }, 21, "gpurun: running : 2 s" },
	{ { PROGRESS_RUN, LONG, 0, 0, 2 }, 20, "gpurun: running : 2 " },
	{ { PROGRESS_RUN, LONG, 0, 0, 2 }, 1, "g" },
	{ { PROGRESS_RUN, "k", 0, 0, 2 }, 10, "gpurun: ru" },
	/* Characters that may have two columns are not cut through. */
	{ { PROGRESS_LOAD, "äöüäöüäöü", 0, 0, 2 }, 39, "gpurun: loading äöüäöüäöü: 2 s" },
	{ { PROGRESS_LOAD, "äöüäöüäöü", 0, 0, 2 }, 38, "gpurun: loading äöü…üäöü: 2 s" },
	{ { PROGRESS_LOAD, "äöüäöüäöü", 0, 0, 2 }, 37, "gpurun: loading äöü…äöü: 2 s" },
	{ { PROGRESS_LOAD, "xäöüäöüäöüx", 0, 0, 2 }, 37, "gpurun: loading xäöü…äöüx: 2 s" },
};

static void test_rows(void)
{
	char line[PROGRESS_LINE];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		progress_line(&rows[i].progress, rows[i].columns, line);
		CHECK_STR(line, rows[i].line);
	}
}

/* Of any length, at any width: it has no more columns, and all of them where it is cut. */
static void test_widths(void)
{
	char name[3000], line[PROGRESS_LINE];
	const struct progress progress = { PROGRESS_RUN, name, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	const size_t least = strlen("gpurun: running :  of  blocks,  s") + 3 * strlen("18446744073709551615") + 8;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t columns = 1; columns < 3200; columns++) {
		progress_line(&progress, columns, line);
		CHECK(strlen(line) <= columns + 1); /* the mark has three bytes, for two columns */
		CHECK(columns < least || columns > 700 || strlen(line) == columns + 1);
	}
}

int main(void)
{
	RUN(test_rows);
	RUN(test_widths);
	return tap_end();
}
