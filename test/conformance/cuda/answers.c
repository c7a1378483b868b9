/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Answers of the driver about itself, row by row, beside those of an H100 (answers.h100), with the
 * CPU device's own and a reason where it has others (answers.differ). `cuda_answers print [GROUP]'
 * prints them. Each group is asked in a process of its own: what some of them do lasts, and some
 * never end.
 */
#include <fnmatch.h>
#include <signal.h>
#include <sys/wait.h>

#include "answers_context.h"
#include "answers_device.h"
#include "answers_function.h"
#include "answers_host.h"
#include "answers_memory.h"
#include "answers_wait.h"

#define EXPECTED "test/conformance/cuda/answers.h100"
#define DIFFERENCES "test/conformance/cuda/answers.differ"
#define MOST_ROWS 4096

static void ask_name(void)
{
	char name[64] = "";
	int version = 0;

	OK_CU(cu.cuDeviceGetName(name, sizeof(name), 0));
	OK_CU(cu.cuDriverGetVersion(&version));
	answer("device: %s, %d", name, version);
}

enum { NEVER = 2, LONG = 120 }; /* seconds: what takes longer never ends */

static const struct group {
	const char *name;
	void (*ask)(void);
	unsigned seconds;
} groups[] = {
	{ "name", ask_name, LONG },
	{ "images", ask_images, LONG },
	{ "kernels", ask_kernels, LONG },
	{ "device", ask_device, LONG },
	{ "context", ask_context, LONG },
	{ "memory", ask_memory, LONG },
	{ "host", ask_in_host_function, LONG },
	{ "callback", ask_in_callback, LONG },
	{ "own", ask_wait_own, NEVER },
	{ "later", ask_wait_later, NEVER },
	{ "destroy", ask_destroy, NEVER },
	{ "null", ask_wait_null, LONG },
	{ "kernel", ask_wait_kernel, LONG },
	{ "launched", ask_wait_host, NEVER },
	{ "two", ask_two, LONG },
};

/* "question: answer", or "question: answer | reason"; @used: some answer was compared with it. */
struct row {
	char *question, *answer, *reason;
	bool used;
};

static struct table {
	struct row rows[MOST_ROWS];
	size_t count;
} expected, differences;

static const struct group *group; /* that is asked */
static bool other;                /* a GPU unlike the one of the table */

/* The answer follows the first colon that a blank follows; a question may have others. */
static void read_table(const char *path, struct table *table)
{
	FILE *file = fopen(path, "r");
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		struct row *row = &table->rows[table->count];
		char *colon = strstr(line, ": "), *text, *bar;

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || !*line)
			continue;
		text = strdup(line);
		if (!colon || table->count++ == MOST_ROWS) {
			printf("not ok - %s: %s\n", path, text);
			exit(1);
		}
		row->question = text;
		row->answer = text + (colon - line) + 2;
		row->answer[-2] = '\0';
		bar = strstr(row->answer, " | ");
		if (bar) {
			*bar = '\0';
			row->reason = bar + 3;
		}
	}
	if (file)
		fclose(file);
	CHECK(file && table->count);
}

static struct row *expected_of(const char *question)
{
	for (size_t i = 0; i < expected.count; i++)
		if (!expected.rows[i].used && !strcmp(expected.rows[i].question, question))
			return &expected.rows[i];
	return NULL;
}

/* Of the CPU device; on a GPU, those alone that each machine has otherwise. */
static bool may_differ(const char *question, const char *answer)
{
	for (size_t i = 0; i < differences.count; i++) {
		struct row *row = &differences.rows[i];
		const bool here = cu.gpurunCpuReport || !strcmp(row->answer, "*");

		if (here && !fnmatch(row->question, question, 0) &&
		    !fnmatch(row->answer, answer, 0))
			return row->used = true;
	}
	return false;
}

/* @line is "question: answer" without the group. */
static void compare(const char *line)
{
	char question[4096], *answer;
	struct row *row;

	snprintf(question, sizeof(question), "%s %s", group->name, line);
	answer = strstr(question, ": ");
	if (!answer)
		return (void)tap_check(false, __FILE__, __LINE__, line);
	*answer = '\0';
	answer += 2;
	row = expected_of(question);
	if (row)
		row->used = true;
	if (row && !strcmp(row->answer, answer))
		return;
	if (row && may_differ(question, answer))
		return;
	tap.failed = true;
	printf("# %s: %s\n#   an H100: %s\n", question, answer,
	       row ? row->answer : "there is no such row");
}

static void ask_in_child(int to)
{
	answers_to = to;
	alarm(group->seconds * (unsigned)slower());
	cuda_start();
	group->ask();
	fflush(stdout);
	_exit(tap.failed);
}

/* Asks the group in a child; @take gets each line, and one that says whether it ended. */
static void ask(void (*take)(const char *line))
{
	int ends[2], status = 0;
	char line[4096];
	FILE *from;
	pid_t child;

	fflush(stdout);
	REQUIRE(!pipe(ends));
	child = fork();
	if (!child)
		ask_in_child(ends[1]);
	close(ends[1]);
	from = fdopen(ends[0], "r");
	while (from && fgets(line, sizeof(line), from)) {
		line[strcspn(line, "\n")] = '\0';
		take(line);
	}
	CHECK(waitpid(child, &status, 0) == child);
	take(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "ends: never" : "ends: yes");
	CHECK(!status || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM));
	fclose(from);
}

/* What is asked is to be what the table has. */
static void test_group(void)
{
	const size_t length = strlen(group->name);

	if (other)
		SKIP("needs a GPU: the one of answers.h100");
	ask(compare);
	for (size_t i = 0; i < expected.count; i++) {
		const struct row *row = &expected.rows[i];

		/* What is never answered on an H100 ends the group there. */
		if (row->used || strncmp(row->question, group->name, length) ||
		    row->question[length] != ' ' || !strcmp(row->answer, "never"))
			continue;
		tap.failed = true;
		printf("# %s: nothing asks this\n", row->question);
	}
}

/* Each difference has a reason, and is one. */
static void test_differences(void)
{
	if (!cu.gpurunCpuReport)
		return;
	for (size_t i = 0; i < differences.count; i++) {
		const struct row *row = &differences.rows[i];

		if (row->used && row->reason && *row->reason)
			continue;
		tap.failed = true;
		printf("# %s: %s: %s\n", row->question, row->answer,
		       row->used ? "no reason" : "is no difference any more");
	}
}

static void print(const char *line)
{
	printf("%s %s\n", group->name, line);
}

/* A GPU is compared when it is the table's. */
static void know(const char *line)
{
	if (!strncmp(line, "device: ", 8) && !cu.gpurunCpuReport && expected.count)
		other = strcmp(line + 8, expected.rows[0].answer) != 0;
}

int main(int argc, char **argv)
{
	const bool prints = argc > 1 && !strcmp(argv[1], "print");

	cuda_open();
	if (!prints) {
		read_table(EXPECTED, &expected);
		read_table(DIFFERENCES, &differences);
		group = &groups[0];
		ask(know);
	}
	for (size_t i = 0; i < COUNT(groups); i++) {
		group = &groups[i];
		if (prints && (argc < 3 || !strcmp(argv[2], group->name)))
			ask(print);
		else if (!prints)
			tap_run(test_group, group->name);
	}
	if (prints)
		return 0;
	RUN(test_differences);
	return tap_end();
}
