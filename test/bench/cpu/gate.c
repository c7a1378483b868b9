/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whether one build of the CPU device has lost speed beside another:
 *
 *	gate OLD NEW KERNELS.ptx
 *
 * OLD and NEW are paths of a libcuda.so.1 each, different files. Both are opened in one process,
 * and launches of a kernel alternate, as does which one is first; a launch's time is the processor
 * time of the process until the work is done. The rounds are spread over passes over all
 * kernels, each pass in a process of its own: see ratio.h, which says how the ratio NEW/OLD is
 * judged. In the environment:
 *
 *	ROUNDS        how often each kernel runs on each side (200); above that there are more passes
 *	GATE          kernels to run, by their names, with blanks between them (all)
 *	GATE_EXCEPT   kernels that are shown and not counted
 *	GATE_NATIVE   1: native code (native.c) runs in each round, too; NEW's ratio to it is shown
 *
 * What is slower than it may be is measured once more, with twice the passes, and that
 * decides: on a busy machine one of so many intervals is too narrow now and then.
 *
 * The first launches are checked (work.h). Exits with 0, with 1 where a kernel or the mean is
 * slower than allowed, and with 2 where nothing could be measured.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "ratio.h"

/* Passes are of so many rounds, but that there are some of them at least. */
enum { OLD, NEW, SIDES, PASS_ROUNDS = 10, LEAST_PASSES = 10, MOST_ROUNDS = 2000 };

/* What is measured. The times are those of struct pairs, for each kernel one after the other, in
 * memory that the passes share. */
struct gate {
	const char *paths[SIDES], *ptx;
	unsigned kernels[MOST_WORKS], count;
	struct plan plan;
	double (*times)[2];
	double (*native)[2]; /* likewise of native code and NEW; or NULL */
	bool part;  /* the mean is not asked for */
};

static double (*times_of(const struct gate *gate, double (*times)[2], unsigned k))[2]
{
	return times + (size_t)k * gate->plan.passes * gate->plan.rounds;
}

_Noreturn static void refuse(const char *what, const char *value)
{
	fprintf(stderr, "bench-gate: %s%s\n", what, value);
	exit(2);
}

/* The row of the kernel named by the @length characters at @name; NULL: none of the gate's. */
static const struct work *named(const char *name, size_t length)
{
	for (unsigned i = 0; i < work_count; i++)
		if (works[i].sets & IN_GATE && strlen(works[i].name) == length &&
		    !strncmp(works[i].name, name, length))
			return &works[i];
	return NULL;
}

/* The next name in a list with blanks between them, from *@at on, which moves to it, or 0. */
static size_t next_name(const char **at)
{
	*at += strspn(*at, " ");
	return strcspn(*at, " ");
}

static bool listed(const char *list, const struct work *work)
{
	for (size_t length; (length = next_name(&list)); list += length)
		if (named(list, length) == work)
			return true;
	return false;
}

/* The list in the variable @name, all of whose names are kernels'; "" if it is not set. */
static const char *names(const char *name)
{
	const char *list = getenv(name);

	list = list ? list : "";
	for (size_t length; (length = next_name(&list)); list += length) {
		if (named(list, length))
			continue;
		fprintf(stderr, "bench-gate: %s: \"%.*s\" is no kernel's name; there are", name,
			(int)length, list);
		for (unsigned i = 0; i < work_count; i++)
			if (works[i].sets & IN_GATE)
				fprintf(stderr, " %s", works[i].name);
		fprintf(stderr, "\n");
		exit(2);
	}
	return getenv(name) ? getenv(name) : "";
}

/* One launch of what was prepared, all of it: nanoseconds. */
static double timed_launch(struct device *device, const struct work *work)
{
	double begin = work_cpu_time();

	device_launch(device, work);
	device_wait(device);
	work_settle();
	return work_cpu_time() - begin;
}

static double timed_native(const struct work *work, void *const in[MOST_BUFFERS])
{
	double begin = work_cpu_time();

	native_fast(work->kernel)(work, in);
	work_settle();
	return work_cpu_time() - begin;
}

/* The first launch on each side. */
static void first_launches(struct device devices[SIDES], const struct work *work, bool check,
			   void *buffers[SIDES][MOST_BUFFERS])
{
	const unsigned last = work->buffer_count - 1;

	for (unsigned s = 0; s < SIDES; s++) {
		void *in[MOST_BUFFERS], *got;

		got = work_memory(devices[s].name, work->buffers[last].words * 4ull);
		work_inputs(work, in);
		for (unsigned b = 0; b <= last; b++)
			buffers[s][b] = device_buffer(&devices[s], in[b], work->buffers[b].words);
		device_prepare(&devices[s], work, buffers[s]);
		timed_launch(&devices[s], work);
		if (check) {
			device_read(&devices[s], buffers[s][last], got, work->buffers[last].words);
			work_check(devices[s].name, work, in, got);
		}
		work_drop(in);
		free(got);
	}
}

/* All rounds of a kernel in one pass, after one that is not counted. */
static void run_kernel(const struct gate *gate, struct device devices[SIDES], unsigned k,
		       unsigned pass)
{
	const struct work *work = &works[gate->kernels[k]];
	double (*times)[2] = times_of(gate, gate->times, k) + (size_t)pass * gate->plan.rounds;
	void *buffers[SIDES][MOST_BUFFERS], *in[MOST_BUFFERS];

	work_inputs(work, in);
	first_launches(devices, work, !pass, buffers);
	for (unsigned round = 0; round <= gate->plan.rounds; round++) {
		for (unsigned turn = 0; turn < SIDES; turn++) {
			unsigned s = (turn + round + pass) % SIDES;
			double time;

			device_prepare(&devices[s], work, buffers[s]);
			time = timed_launch(&devices[s], work);
			if (round)
				times[round - 1][s] = time;
		}
		if (gate->native && round) {
			double *pair = times_of(gate, gate->native, k)[pass * gate->plan.rounds +
									 round - 1];

			pair[0] = timed_native(work, in);
			pair[1] = times[round - 1][NEW];
		}
	}
	work_drop(in);
	for (unsigned s = 0; s < SIDES; s++)
		device_drop(&devices[s], work, buffers[s]);
}

/* A process's work: opens both, the one or the other first, and runs all kernels. */
_Noreturn static void run_pass(const struct gate *gate, unsigned pass)
{
	static const char *const sides[SIDES] = { "bench-gate: OLD", "bench-gate: NEW" };
	struct device devices[SIDES];

	for (unsigned turn = 0; turn < SIDES; turn++) {
		unsigned s = (turn + pass / 2) % SIDES;

		device_open(&devices[s], sides[s], gate->paths[s],
			    s == NEW ? getenv("GATE_KEYS") : NULL);
		device_require_cpu(&devices[s], gate->paths[s]);
		device_load(&devices[s], gate->ptx);
	}
	for (unsigned k = 0; k < gate->count; k++)
		run_kernel(gate, devices, k, pass);
	_exit(0);
}

static void run(const struct gate *gate)
{
	for (unsigned pass = 0; pass < gate->plan.passes; pass++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			run_pass(gate, pass);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			refuse("no process for a pass", "");
		if (WIFSIGNALED(status))
			refuse("a pass died: ", strsignal(WTERMSIG(status)));
		if (status)
			exit(2); /* the pass has said why */
	}
}

/* Prints what of the processor is in use. */
static void print_head(const struct gate *gate)
{
	const char *options = getenv("GPURUN_CPU"), *isa = "baseline";

#define ISA(name, test) isa = (test) ? #name : isa;
#include "isas.def"
	printf("bench-gate: GPURUN_CPU=%s; isa=best is %s here, where a build has it; %u pairs\n",
	       options ? options : "", isa, gate->plan.passes * gate->plan.rounds);
	printf("  %-10s %10s %10s  %6s  %s\n", "per launch", "old", "new", "ratio", "95 % interval");
	fflush(stdout);
}

/* @native: that of NEW to native code; or NULL. */
static void print_ratio(const char *name, const struct ratio *ratio, const struct ratio *native,
			const char *verdict)
{
	printf("  %-10s ", name);
	if (ratio->before > 0)
		printf("%7.3f ms %7.3f ms  ", ratio->before / 1e6, ratio->after / 1e6);
	else
		printf("%23s", "");
	printf("%6.3f  %.3f to %.3f", ratio->ratio, ratio->low, ratio->high);
	if (native)
		printf("  native %7.3f  %.3f to %.3f", native->ratio, native->low, native->high);
	printf("%s\n", verdict);
}

/* How many kernels are slower than they may be, and whether the mean is. */
struct verdict {
	unsigned kernels;
	bool mean;
};

/* Prints the table. Leaves in @gate what is slower: kernels, or with the mean all of them. */
static struct verdict judge(struct gate *gate, const char *except)
{
	struct verdict verdict = { 0 };
	struct ratio each[MOST_WORKS], mean, natives[MOST_WORKS], native_mean;
	struct pairs pairs[MOST_WORKS], native[MOST_WORKS];
	const bool shown = gate->native;
	unsigned slower[MOST_WORKS];

	for (unsigned k = 0; k < gate->count; k++) {
		pairs[k] = (struct pairs){ (const double(*)[2])times_of(gate, gate->times, k),
					   !listed(except, &works[gate->kernels[k]]) };
		native[k] = pairs[k];
		if (shown)
			native[k].times = (const double(*)[2])times_of(gate, gate->native, k);
	}
	if (!ratios(&gate->plan, pairs, gate->count, each, &mean) ||
	    !ratios(&gate->plan, native, gate->count, natives, &native_mean))
		refuse("out of memory", "");
	for (unsigned k = 0; k < gate->count; k++) {
		bool slow = pairs[k].counted && ratio_one_slower(&each[k]);

		print_ratio(works[gate->kernels[k]].name, &each[k], shown ? &natives[k] : NULL,
			    !pairs[k].counted ? "  excepted" : slow ? "  SLOWER" : "");
		if (slow)
			slower[verdict.kernels++] = gate->kernels[k];
	}
	if (!gate->part) {
		verdict.mean = ratio_mean_slower(&mean);
		print_ratio("mean", &mean, shown ? &native_mean : NULL,
			    verdict.mean ? "  SLOWER" : "");
	}
	if (!verdict.mean) {
		gate->part = true;
		gate->count = verdict.kernels;
		memcpy(gate->kernels, slower, gate->count * sizeof(*slower));
	}
	return verdict;
}

static struct verdict measure(struct gate *gate, const char *except)
{
	const char *native = getenv("GATE_NATIVE");
	size_t times = (size_t)gate->count * gate->plan.passes * gate->plan.rounds;
	size_t size = 2 * times * sizeof(*gate->times);
	struct verdict verdict;

	gate->times = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (gate->times == MAP_FAILED)
		refuse("out of memory", "");
	gate->native = native && *native == '1' ? gate->times + times : NULL;
	run(gate);
	verdict = judge(gate, except);
	munmap(gate->times, size);
	fflush(stdout); /* or the next passes' processes have it, too */
	return verdict;
}

/* Enough passes and rounds for as many rounds as the environment asks for. */
static struct plan plan(void)
{
	const char *text = getenv("ROUNDS");
	unsigned long rounds = text ? strtoul(text, NULL, 10) : 200;
	struct plan plan = { LEAST_PASSES, 0, .resamples = 2000 };

	if (!rounds || rounds > MOST_ROUNDS)
		refuse("ROUNDS is to be a number from 1 to 2000: ", text);
	if (rounds > LEAST_PASSES * PASS_ROUNDS)
		plan.passes = (unsigned)rounds / PASS_ROUNDS;
	plan.rounds = ((unsigned)rounds + plan.passes - 1) / plan.passes;
	return plan;
}

int main(int argc, char **argv)
{
	const char *only = names("GATE"), *except = names("GATE_EXCEPT");
	struct gate gate = { .plan = plan() };
	struct verdict verdict;
	unsigned asked = 1, failed;

	if (argc != 4)
		refuse("usage: gate OLD NEW KERNELS.ptx", "");
	gate.paths[OLD] = argv[1];
	gate.paths[NEW] = argv[2];
	gate.ptx = argv[3];
	for (unsigned i = 0; i < work_count; i++) {
		if (!(works[i].sets & IN_GATE) || (*only && !listed(only, &works[i])))
			continue;
		gate.kernels[gate.count++] = i;
		asked += !listed(except, &works[i]);
	}
	if (!gate.count)
		refuse("GATE names no kernel: ", only);
	print_head(&gate);
	verdict = measure(&gate, except);
	if (verdict.kernels || verdict.mean) {
		gate.plan.passes *= 2;
		printf("bench-gate: once more, which decides; %u pairs\n",
		       gate.plan.passes * gate.plan.rounds);
		fflush(stdout);
		verdict = measure(&gate, except);
	}
	failed = verdict.kernels + verdict.mean;
	printf("bench-gate: %u passed, %u failed\n", asked - failed, failed);
	return failed > 0;
}
