/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One plan that is followed several times in one process: what comes out, is compared and
 * reported is the same each time, since a run leaves nothing in its plan.
 */
#include "execute.h"

#include <ctype.h>
#include <unistd.h>

#include "cleanup.h"
#include "options.h"
#include "report.h"
#include "tap.h"

enum { RUNS = 3 };

/* out[i] = list[0][i] + list[1][i], which needs addresses in a buffer and in parameters. */
static const char kernel[] = ".version 7.0\n"
			     ".target sm_75\n"
			     ".address_size 64\n"
			     ".visible .entry add(.param .u64 list, .param .u64 out, .param .u32 n)\n"
			     "{\n"
			     "	.reg .pred %p;\n"
			     "	.reg .b32 %r<7>;\n"
			     "	.reg .b64 %d<6>;\n"
			     "	mov.u32 %r1, %ctaid.x;\n"
			     "	mov.u32 %r2, %ntid.x;\n"
			     "	mov.u32 %r3, %tid.x;\n"
			     "	mad.lo.u32 %r1, %r1, %r2, %r3;\n"
			     "	ld.param.u32 %r4, [n];\n"
			     "	setp.ge.u32 %p, %r1, %r4;\n"
			     "	@%p ret;\n"
			     "	ld.param.u64 %d1, [list];\n"
			     "	ld.u64 %d2, [%d1];\n"
			     "	ld.u64 %d3, [%d1+8];\n"
			     "	ld.param.u64 %d4, [out];\n"
			     "	mul.wide.u32 %d5, %r1, 4;\n"
			     "	add.u64 %d2, %d2, %d5;\n"
			     "	add.u64 %d3, %d3, %d5;\n"
			     "	add.u64 %d4, %d4, %d5;\n"
			     "	ld.u32 %r5, [%d2];\n"
			     "	ld.u32 %r6, [%d3];\n"
			     "	add.u32 %r5, %r5, %r6;\n"
			     "	st.u32 [%d4], %r5;\n"
			     "	ret;\n"
			     "}\n";

/* A folder of the test, with the kernel and what a run writes. */
struct folder {
	char path[64], kernel[96], out[96], printed[96];
	char out_option[128];
};

static void folder_remove(struct folder *folder)
{
	unlink(folder->kernel);
	unlink(folder->out);
	unlink(folder->printed);
	rmdir(folder->path);
}

static bool folder_make(struct folder *folder)
{
	FILE *to;

	snprintf(folder->path, sizeof(folder->path), "/tmp/gpurun-again-XXXXXX");
	if (!mkdtemp(folder->path))
		return false;
	snprintf(folder->kernel, sizeof(folder->kernel), "%s/add.ptx", folder->path);
	snprintf(folder->out, sizeof(folder->out), "%s/y.npy", folder->path);
	snprintf(folder->printed, sizeof(folder->printed), "%s/printed", folder->path);
	snprintf(folder->out_option, sizeof(folder->out_option), "y=%s", folder->out);
	to = fopen(folder->kernel, "w");
	return to && fputs(kernel, to) >= 0 && !fclose(to);
}

/* A plan of a command line; both last as long as the test. */
struct planned {
	struct options options;
	struct plan plan;
};

static void planned_release(struct planned *planned)
{
	plan_release(&planned->plan);
	options_release(&planned->options);
}

static int make(struct planned *planned, char **argv, struct err *e)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	TRY(options_parse(argc, argv, &planned->options, e));
	plan_begin(&planned->options, &planned->plan);
	TRY(plan_open(&planned->plan, e));
	return plan_make(&planned->plan, e);
}

/* What came of one run, as texts. */
struct outcome {
	int status;
	struct err error;
	size_t mismatches;
	char *printed; /* owned; on standard output and standard error */
	char *out;     /* owned; the file of --out */
	char *reports[OUTPUT_KINDS]; /* owned; without times */
};

static void outcome_release(struct outcome *outcome)
{
	free(outcome->printed);
	free(outcome->out);
	for (int i = 0; i < OUTPUT_KINDS; i++)
		free(outcome->reports[i]);
}

/* Makes the number after each @key in @text a 0. */
static void hide_times(char *text, const char *key)
{
	for (char *at = text; (at = strstr(at, key));) {
		char *to = at += strlen(key), *from = to;

		while (isdigit((unsigned char)*from) || *from == '.')
			from++;
		if (from == to)
			continue;
		*to = '0';
		memmove(to + 1, from, strlen(from) + 1);
	}
}

static void take_reports(const struct run *run, struct outcome *outcome)
{
	CLEANUP(free_report) struct report *report = NULL;
	const struct gpurun_report *counts = &run->counts;
	const struct ending ending = {
		.stage = run->stage,
		.history = &run->history,
		.error = outcome->status ? &outcome->error : NULL,
		.counts = { counts->launches, counts->failed, counts->kernels },
		.has_counts = true,
	};
	struct err e;

	REQUIRE(!report_begin(run, &report, &e) && !report_end(report, &ending, &e));
	for (int i = 0; i < OUTPUT_KINDS; i++) {
		if (!report->documents[i].text)
			continue;
		outcome->reports[i] = strdup(report->documents[i].text);
		hide_times(outcome->reports[i], "_ns\":");
		hide_times(outcome->reports[i], "time=\"");
	}
}

static char *read_text(const char *path)
{
	size_t size;
	CLEANUP(free_pointer) uint8_t *bytes = tap_read(path, &size);

	return strndup((const char *)bytes, size);
}

static char *read_hex(const char *path)
{
	size_t size;
	CLEANUP(free_pointer) uint8_t *bytes = tap_read(path, &size);
	char *text = calloc(2, size + 1);

	for (size_t i = 0; text && i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

/* Follows @plan with standard output and standard error in a file. */
static void follow(const struct plan *plan, const struct folder *folder, struct outcome *outcome)
{
	CLEANUP(run_release) struct run run = { .plan = plan };
	FILE *to = fopen(folder->printed, "w");
	int out = dup(1), error = dup(2);

	REQUIRE(to && out >= 0 && error >= 0);
	fflush(NULL);
	dup2(fileno(to), 1);
	dup2(fileno(to), 2);
	outcome->status = execute(&run, execute_once, &outcome->error);
	fflush(NULL);
	dup2(out, 1);
	dup2(error, 2);
	close(out);
	close(error);
	fclose(to);
	outcome->mismatches = run.mismatches;
	outcome->printed = read_text(folder->printed);
	if (!outcome->status)
		outcome->out = read_hex(folder->out);
	take_reports(&run, outcome);
	run_show(NULL);
	CHECK_INT(gpurun_shutdown(), 0);
}

static void compare(const struct outcome *first, const struct outcome *other)
{
	CHECK_INT(other->status, first->status);
	CHECK_STR(other->error.text, first->error.text);
	CHECK_INT(other->mismatches, first->mismatches);
	CHECK_STR(other->printed, first->printed);
	CHECK_STR(other->out, first->out);
	for (int i = 0; i < OUTPUT_KINDS; i++)
		CHECK_STR(other->reports[i], first->reports[i]);
}

/* Each action there is, on two streams, with a comparison that fails. */
static void test_same(void)
{
	CLEANUP(folder_remove) struct folder folder = { 0 };
	CLEANUP(planned_release) struct planned planned = { 0 };
	char *argv[] = { "gpurun", folder.kernel, "-d", "cpu", "-f",
			 "--json=report", "--junit=report", "--annotate",
			 "--load", "c=test/data/images/counter.ptx",
			 "--buf", "a=u32:101:iota", "--buf", "b=u32:101:iota",
			 "--launch", "add", "--threads", "100", "--block", "auto",
			 "-a", "ptrs:a,b+1", "-a", "y=u32:100", "-a", "100",
			 "--stream", "s1", "--event", "added",
			 "--record", "begun", "--wait", "added", "--await", "added",
			 "--expect", "y=iota", "--print", "y:4", "--out", folder.out_option,
			 "--set", "given=fill=9",
			 "--launch", "c:bump", "-a", "u=u32:1", "--launch", "c:bump", "-a", "u",
			 "--launch", "c:tell", "-a", "v=u32:1", "--print", "u", "--print", "v",
			 "--get", "counter=u32:1", "--copy", "a=b", "--fill", "b=zero",
			 "--print", "a:3", "--print", "b:3", "--await", "all", "--unload", "c",
			 NULL };
	CLEANUP(outcome_release) struct outcome first = { 0 };
	struct err e = { 0 };

	REQUIRE(folder_make(&folder));
	if (!CHECK_INT(make(&planned, argv, &e), 0))
		printf("# %s\n", e.text);
	follow(&planned.plan, &folder, &first);
	if (!CHECK_INT(first.status, 0))
		printf("# %s\n", first.error.text);
	CHECK_INT(first.mismatches, 1);
	CHECK_HAS(first.printed, "expect y: 100 of 100 elements differ");
	CHECK_HAS(first.printed, "y: 1 3 5 7 ");
	CHECK_HAS(first.printed, "u: 2\nv: 9\ncounter: 2\na: 0 1 2 ");
	CHECK_HAS(first.printed, "b: 0 0 0 ");
	CHECK_HAS(first.reports[OUTPUT_JUNIT], "4 launches of 3 kernels ran, 0 failed; 0 findings\"");
	CHECK_HAS(first.reports[OUTPUT_JSON], "\"grid\":[1,1,1],\"block\":[128,1,1]");
	for (int i = 1; i < RUNS; i++) {
		CLEANUP(outcome_release) struct outcome other = { 0 };

		follow(&planned.plan, &folder, &other);
		compare(&first, &other);
	}
}

/* A step that fails fails again, with the same words. */
static void test_failure(void)
{
	CLEANUP(folder_remove) struct folder folder = { 0 };
	CLEANUP(planned_release) struct planned planned = { 0 };
	char *argv[] = { "gpurun", folder.kernel, "-d", "cpu", "-f", "--json=report",
			 "--threads", "100", "--block", "auto", "--shared", "1Gi",
			 "--launch", "add", "-a", "ptrs:y,y", "-a", "y=u32:100", "-a", "100",
			 "--print", "y", "--out", folder.out_option, NULL };
	CLEANUP(outcome_release) struct outcome first = { 0 };
	struct err e = { 0 };

	REQUIRE(folder_make(&folder));
	REQUIRE(!make(&planned, argv, &e));
	follow(&planned.plan, &folder, &first);
	CHECK_HAS(first.error.text, "launch 1, add on stream s0, grid auto, block auto");
	for (int i = 1; i < RUNS; i++) {
		CLEANUP(outcome_release) struct outcome other = { 0 };

		follow(&planned.plan, &folder, &other);
		compare(&first, &other);
	}
}

int main(void)
{
	RUN(test_same);
	RUN(test_failure);
	return tap_end();
}
