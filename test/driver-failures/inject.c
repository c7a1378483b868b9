/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * inject FOLDER [SCENARIO ...]: runs the scenarios of FOLDER/scenarios, or those
 * named, with every call failing once. Prints TAP, a line per scenario. FAULTS_JOBS
 * runs go on at once (2), each for FAULTS_TIMEOUT seconds (20) at most.
 */
#include "inject.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What names of variables are made of. */
#define NAME "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static char place[64]; /* a folder of ours */

/* What the workers have done, together. */
struct tally {
	_Atomic unsigned long runs, pairs, left_out, failures;
};

static void die(const char *what)
{
	printf("not ok - inject: %s\n", what);
	exit(1);
}

static void path_of(unsigned worker, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%u.%s", place, worker, name);
}

static void slurp(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t length = file ? fread(text, 1, size - 1, file) : 0;

	text[length] = '\0';
	if (file)
		fclose(file);
	unlink(path);
}

/* What the environment says, from 1 on. */
static unsigned number_of(const char *variable, unsigned usual)
{
	const char *text = getenv(variable);
	unsigned number = text ? (unsigned)strtoul(text, NULL, 10) : 0;

	return number ? number : usual;
}

/* The child's part: does not return. */
static void become(const struct scenario *scenario, const struct fault *fault, unsigned worker)
{
	char path[128], order[4096];

	if (fault) {
		fault_describe(fault, order, sizeof(order));
		setenv(fault->manner == MANNER_GONE ? "GPURUN_STUB_GONE" : "GPURUN_STUB_FAIL",
		       order, 1);
	}
	path_of(worker, "leaks", path);
	setenv("GPURUN_STUB_LEAKS", path, 1);
	path_of(worker, "counts", path);
	setenv("GPURUN_STUB_COUNTS", path, 1);
	for (unsigned i = 0; i < scenario->settings; i++)
		putenv(scenario->words[i]);
	path_of(worker, "stderr", path);
	if (dup2(open("/dev/null", O_RDWR), 0) < 0 || dup2(0, 1) < 0 ||
	    dup2(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2) < 0)
		_exit(126);
	alarm(number_of("FAULTS_TIMEOUT", 20));
	execvp(scenario->words[scenario->settings], &scenario->words[scenario->settings]);
	fprintf(stderr, "cannot run %s\n", scenario->words[scenario->settings]);
	_exit(127);
}

/* Takes the lines out that are no errors: a repair is said, whatever fails. */
static void drop_warnings(char *text)
{
	char *to = text;

	while (*text) {
		size_t length = strcspn(text, "\n") + 1;
		char *warning = strstr(text, ": warning: ");

		length -= !text[length - 1];
		if (!warning || warning > text + length) {
			memmove(to, text, length);
			to += length;
		}
		text += length;
	}
	*to = '\0';
}

/* Runs @scenario, with @fault unless that is NULL. */
static void run(const struct scenario *scenario, const struct fault *fault, unsigned worker,
		struct outcome *outcome)
{
	char path[128];
	pid_t child = fork();

	if (!child)
		become(scenario, fault, worker);
	if (child < 0 || waitpid(child, &outcome->status, 0) != child)
		die("cannot fork");
	path_of(worker, "stderr", path);
	slurp(path, outcome->text, sizeof(outcome->text));
	drop_warnings(outcome->text);
	path_of(worker, "leaks", path);
	slurp(path, outcome->leaks, sizeof(outcome->leaks));
	path_of(worker, "counts", path);
	slurp(path, outcome->counts, sizeof(outcome->counts));
}

/* Tells whether the use that was to fail came at all; who crashed does not say. */
static bool was_reached(const struct fault *fault, const struct outcome *outcome)
{
	const char *counts = outcome->counts;
	unsigned long uses;
	char call[48];

	for (; sscanf(counts, "%47s %lu", call, &uses) == 2; counts = strchr(counts, '\n') + 1)
		if (!strcmp(call, fault->call))
			return uses >= fault->use;
	return !*outcome->counts || fault->manner == MANNER_ALL;
}

/* Tells of a run that went wrong; the first few are enough. */
static void complain(struct tally *tally, FILE *out, const char *order, const char *why,
		     const struct outcome *outcome)
{
	char *text = strdup(outcome->text), *line, *rest = text;

	if (atomic_fetch_add(&tally->failures, 1) < 12) {
		fprintf(out, "# %s: %s\n", order, why);
		for (int i = 0; i < 6 && (line = strsep(&rest, "\n")) && *line; i++)
			fprintf(out, "#   stderr: %.400s\n", line);
	}
	free(text);
}

/* FAULTS_EVERY=N leaves out all but the first use of each call and each Nth of the others. */
static bool is_left_out(const struct fault *fault, size_t index)
{
	return fault->use > 1 && index % number_of("FAULTS_EVERY", 1);
}

/* One worker's share of the faults. */
static void work(const struct scenario *scenario, const struct fault *list, size_t count,
		 unsigned worker, struct tally *tally, FILE *out)
{
	static struct outcome outcome;
	char order[4096], why[8192];
	size_t i;

	/* A worker that is free takes the next one. */
	while ((i = atomic_fetch_add(&tally->runs, 1)) < count) {
		if (is_left_out(&list[i], i)) {
			tally->left_out += list[i].manner == MANNER_PAIR;
			continue;
		}
		run(scenario, &list[i], worker, &outcome);
		tally->pairs += list[i].manner == MANNER_PAIR;
		if (!was_reached(&list[i], &outcome))
			snprintf(why, sizeof(why), "the use never happens");
		else if (!judge_fault(scenario, &list[i], &outcome, why, sizeof(why)))
			continue;
		fault_describe(&list[i], order, sizeof(order));
		complain(tally, out, order, why, &outcome);
	}
}

static unsigned jobs(void)
{
	return number_of("FAULTS_JOBS", 2);
}

static void copy_out(unsigned worker)
{
	static char text[TEXT_SIZE];
	char path[128];

	path_of(worker, "notes", path);
	slurp(path, text, sizeof(text));
	fputs(text, stdout);
}

static void work_all(const struct scenario *scenario, const struct fault *list, size_t count,
		     struct tally *tally)
{
	char path[128];

	fflush(stdout);
	for (unsigned worker = 0; worker < jobs(); worker++) {
		if (fork())
			continue;
		path_of(worker, "notes", path);
		FILE *out = fopen(path, "w");

		if (!out)
			_exit(1);
		work(scenario, list, count, worker, tally, out);
		fclose(out);
		_exit(0);
	}
	while (wait(NULL) > 0)
		continue;
	for (unsigned worker = 0; worker < jobs(); worker++)
		copy_out(worker);
}

/* Runs @scenario clean, then with each fault; tells whether all went well. */
static bool inject(const struct scenario *scenario)
{
	static struct fault list[MAX_FAULTS];
	static struct outcome clean;
	char why[8192];
	struct tally *tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned long pairs, failures;
	size_t count;

	if (tally == MAP_FAILED)
		die("no memory");
	run(scenario, NULL, 0, &clean);
	if (judge_clean(&clean, why, sizeof(why))) {
		printf("# clean run: %s\n#   stderr: %s\nnot ok - %s\n", why, clean.text,
		       scenario->name);
		munmap(tally, sizeof(*tally));
		return false;
	}
	count = faults_make(scenario, clean.counts, list, &pairs);
	work_all(scenario, list, count, tally);
	failures = tally->failures;
	if (tally->pairs + tally->left_out != pairs)
		failures++;
	printf("%sok - %s: %lu pairs of %lu calls, %zu runs", failures ? "not " : "",
	       scenario->name, (unsigned long)tally->pairs, pairs, count + 1);
	printf(failures ? ", %lu wrong\n" : "\n", failures);
	fflush(stdout);
	munmap(tally, sizeof(*tally));
	return !failures;
}

/* ---- The list of scenarios ------------------------------------------------------ */

static enum kind kind_of(const char *word)
{
	static const char *const kinds[] = {
		[KIND_PROGRAM] = "program", [KIND_COMMAND] = "command", [KIND_MLIR] = "mlir",
		[KIND_OFFLOAD] = "offload", [KIND_CUDART] = "cudart",
	};

	for (int kind = KIND_PROGRAM; kind <= KIND_CUDART; kind++)
		if (word && !strcmp(word, kinds[kind]))
			return (enum kind)kind;
	die("scenarios: a row is NAME program|command|mlir|offload|cudart [VARIABLE=VALUE ...] WORD ...");
	return KIND_PROGRAM;
}

/* Takes a row apart; false for a comment. */
static bool parse(struct scenario *scenario)
{
	char *rest = scenario->row, *word;
	unsigned count = 0;

	snprintf(scenario->row, sizeof(scenario->row), "%s", scenario->line);
	scenario->name = strtok_r(rest, " \t\n", &rest);
	if (!scenario->name || *scenario->name == '#')
		return false;
	scenario->kind = kind_of(strtok_r(NULL, " \t\n", &rest));
	scenario->settings = 0;
	while (count < MAX_WORDS - 1 && (word = strtok_r(NULL, " \t\n", &rest))) {
		if (scenario->settings == count && word[strspn(word, NAME)] == '=')
			scenario->settings++;
		scenario->words[count++] = word;
	}
	scenario->words[count] = NULL;
	return true;
}

static bool is_wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static struct scenario scenario;
	char path[512];
	bool good = true;
	FILE *file;

	if (argc < 2)
		die("inject FOLDER [SCENARIO ...]");
	snprintf(place, sizeof(place), "/tmp/gpurun-faults-XXXXXX");
	snprintf(path, sizeof(path), "%s/scenarios", argv[1]);
	file = fopen(path, "r");
	if (!file || !mkdtemp(place))
		die("no scenarios");
	faults_read(argv[1]);
	while (fgets(scenario.line, sizeof(scenario.line), file))
		if (parse(&scenario) && is_wanted(scenario.name, argv + 2))
			good &= inject(&scenario);
	fclose(file);
	rmdir(place);
	if (argc == 2) {
		bool used = faults_all_used();

		printf("%sok - every excuse is needed\n", used ? "" : "not ");
		good &= used;
	}
	return good ? 0 : 1;
}
