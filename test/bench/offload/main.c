/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What libLLVMOffload costs beside upstream's and the bare driver, in one
 * interleaved run:
 *
 *	ol IMAGE ROUNDS LIVES OURS [UPSTREAM]
 *
 * OURS and UPSTREAM are libraries. One process per side does calls, told through
 * a pipe: in each round each side does each operation a number of times in a row,
 * one side after the other, beginning with another one each time. Then LIVES times
 * each side lives a whole process. Medians with their quartiles; ratios are of
 * medians. The targets are for a GPU: `MISSED' elsewhere says nothing, and none is
 * printed on the CPU device. Exits with 1 when a call failed or a launch was lost.
 *
 * IMAGE has to be machine code for upstream's, which cannot destroy other programs.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sides.h"
#include "times.h"

enum { MOST_ROUNDS = 10000, BATCH_TIME = 1000 * 1000, MOST_IN_BATCH = 200 };

struct work work = { .arguments = { .step = 1, .limit = UINT32_MAX } };

static struct {
	const char *name, *library;
	const struct side_calls *calls;
	int orders, answers; /* pipes to and from its process of calls */
	pid_t pid;
} sides[SIDES] = {
	[BARE] = { .name = "bare", .library = "libcuda.so.1", .calls = &side_bare },
	[UPSTREAM] = { .name = "upstream", .calls = &side_library },
	[OURS] = { .name = "ours", .calls = &side_library },
};

/*
 * Targets are ratios of ours to another side; 0: none. An event of an idle queue is
 * nothing upstream, which makes none. Upstream takes memory of up to 8 KiB again at
 * once, whatever uses it, and beside other memory the driver is quick itself.
 */
static const struct {
	const char *name;
	enum side against;
	double target;
} rows[OPERATIONS] = {
	[ENQUEUE] = { "launch, enqueue", UPSTREAM, 1.0 },
	[LAUNCH_SYNC] = { "launch + sync", UPSTREAM, 0.45 },
	[QUEUE_CYCLE] = { "queue with a launch", UPSTREAM, 0.45 },
	[EVENT_CYCLE] = { "event after a launch", BARE, 1.1 },
	[EVENT_IDLE] = { "event, idle queue", BARE, 0 },
	[ALLOC_ALONE] = { "alloc + free, 1 MiB", UPSTREAM, 0.06 },
	[ALLOC_LARGE] = { "1 MiB beside memory", UPSTREAM, 0 },
	[ALLOC_SMALL] = { "64 B beside memory", UPSTREAM, 0 },
	[PROGRAM] = { "program", UPSTREAM, 0.75 },
	[INIT] = { "olInit", UPSTREAM, 1.0 },
	[RESULT] = { "olInit to a result", UPSTREAM, 0 },
	[SHUT_DOWN] = { "olShutDown", UPSTREAM, 1.0 },
	[INIT_AGAIN] = { "olInit, second", UPSTREAM, 1.0 },
	[RESULT_AGAIN] = { "the second's result", UPSTREAM, 0 },
	[SHUT_DOWN_AGAIN] = { "olShutDown, second", UPSTREAM, 1.0 },
	[PROCESS] = { "process", UPSTREAM, 0 },
};

static double times[OPERATIONS][SIDES][MOST_ROUNDS]; /* nanoseconds */

static bool takes_part(enum side side)
{
	return sides[side].library != NULL;
}

/* ---- Calls ------------------------------------------------------------------------ */

static void start(enum side side)
{
	int down[2], up[2];

	if (pipe(down) || pipe(up) || (sides[side].pid = fork()) < 0)
		fail("fork", NULL);
	if (sides[side].pid == 0) {
		close(down[1]);
		close(up[0]);
		serve(sides[side].calls, sides[side].library, down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	sides[side].orders = down[1];
	sides[side].answers = up[0];
}

static double order(enum side side, enum operation operation, int count)
{
	struct order order = { operation, count };
	double answer = 0;

	if (write(sides[side].orders, &order, sizeof(order)) != sizeof(order) ||
	    read(sides[side].answers, &answer, sizeof(answer)) != sizeof(answer))
		fail("the process ended early", sides[side].name);
	return answer;
}

/* How often an operation goes into a batch: the slowest side takes a millisecond. */
static int batch_of(enum operation operation)
{
	double slowest = 1;
	int count;

	for (enum side side = BARE; side < SIDES; side++) {
		double time;

		if (!takes_part(side))
			continue;
		order(side, operation, 20);
		time = order(side, operation, 20);
		slowest = time > slowest ? time : slowest;
	}
	count = (int)(BATCH_TIME / slowest);
	return count < 5 ? 5 : count > MOST_IN_BATCH ? MOST_IN_BATCH : count;
}

static void run_calls(enum operation first, enum operation end, int rounds)
{
	int batches[CALLS];

	for (enum operation o = first; o < end; o++)
		batches[o] = batch_of(o);
	for (int round = 0; round < rounds; round++)
		for (enum operation o = first; o < end; o++)
			for (int turn = 0; turn < SIDES; turn++) {
				enum side side = (enum side)((turn + round) % SIDES);

				if (takes_part(side))
					times[o][side][round] = order(side, o, batches[o]);
			}
}

/* Has the launches of @side counted, and its process ended. */
static void stop(enum side side)
{
	int status;

	printf("%s: %.0f launches, all counted by the device\n", sides[side].name,
	       order(side, CALLS, 0));
	close(sides[side].orders);
	if (waitpid(sides[side].pid, &status, 0) < 0 || status)
		fail("the process ended badly", sides[side].name);
	close(sides[side].answers);
}

/* ---- Lives ------------------------------------------------------------------------ */

static void live_once(enum side side, int round)
{
	enum { BYTES = (PROCESS - CALLS) * sizeof(double) };
	double answers[PROCESS - CALLS], begin = now();
	int up[2], status;
	ssize_t got;
	pid_t pid;

	fflush(stdout);
	if (pipe(up) || (pid = fork()) < 0)
		fail("fork", NULL);
	if (pid == 0)
		live(sides[side].calls, sides[side].library, up[1]);
	close(up[1]);
	got = read(up[0], answers, sizeof(answers));
	close(up[0]);
	if (waitpid(pid, &status, 0) < 0 || status || got != BYTES)
		fail("a process ended badly", sides[side].name);
	times[PROCESS][side][round] = now() - begin;
	for (enum operation o = CALLS; o < PROCESS; o++)
		times[o][side][round] = answers[o - CALLS];
}

static void run_lives(int lives)
{
	for (int round = 0; round < lives; round++)
		for (int turn = 0; turn < SIDES; turn++) {
			enum side side = (enum side)((turn + round) % SIDES);

			if (takes_part(side))
				live_once(side, round);
		}
}

/* ---- The report --------------------------------------------------------------------- */

static double median(enum operation operation, enum side side, int rounds)
{
	return times[operation][side][rounds / 2];
}

static void describe(enum operation o, enum side side, int rounds, bool judges)
{
	const double *sorted = times[o][side];
	bool is_call = o < CALLS;
	double unit = is_call ? 1e3 : 1e6;
	enum side against = rows[o].against;

	printf("%-20s %-8s %8.2f %s (%.2f-%.2f)", rows[o].name, sides[side].name,
	       sorted[rounds / 2] / unit, is_call ? "us" : "ms", sorted[rounds / 4] / unit,
	       sorted[rounds * 3 / 4] / unit);
	for (enum side other = BARE; other < side; other++)
		if (takes_part(other))
			printf(", %.3f of %s", sorted[rounds / 2] / median(o, other, rounds),
			       sides[other].name);
	if (side == OURS && judges && rows[o].target > 0 && takes_part(against))
		printf(", target %.2f of %s: %s", rows[o].target, sides[against].name,
		       sorted[rounds / 2] <= rows[o].target * median(o, against, rounds) ?
			       "ok" : "MISSED");
	putchar('\n');
}

static void report(int rounds, int lives, bool judges)
{
	for (enum operation o = 0; o < OPERATIONS; o++) {
		int count = o < CALLS ? rounds : lives;

		for (enum side side = BARE; side < SIDES; side++)
			if (takes_part(side))
				sort_times(times[o][side], count);
		for (enum side side = BARE; side < SIDES && count; side++)
			if (takes_part(side))
				describe(o, side, count, judges);
	}
}

static void read_image(const char *path)
{
	enum { LIMIT = 1 << 20 };
	FILE *file = fopen(path, "rb");

	work.image = calloc(1, LIMIT + 1);
	if (file && work.image)
		work.image_size = fread(work.image, 1, LIMIT, file);
	if (!work.image_size)
		fail("cannot read the image", path);
	fclose(file);
}

int main(int argc, char **argv)
{
	const char *driver = getenv("GPURUN_DRIVER"), *device = getenv("GPURUN_DEVICE");
	int rounds = argc > 4 ? atoi(argv[2]) : 0, lives = argc > 4 ? atoi(argv[3]) : -1;

	if (argc > 6 || rounds < 1 || rounds > MOST_ROUNDS || lives < 0 || lives > MOST_ROUNDS)
		return 2;
	read_image(argv[1]);
	sides[BARE].library = driver ? driver : "libcuda.so.1";
	sides[OURS].library = argv[4];
	sides[UPSTREAM].library = argc > 5 ? argv[5] : NULL;
	for (enum side side = BARE; side < SIDES; side++)
		if (takes_part(side))
			start(side);
	run_calls(0, ALLOC_LARGE, rounds);
	run_calls(ALLOC_LARGE, CALLS, rounds);
	for (enum side side = BARE; side < SIDES; side++)
		if (takes_part(side))
			stop(side);
	run_lives(lives);
	printf("LLVM Offload, %d rounds of calls, %d processes of each, interleaved\n", rounds,
	       lives);
	report(rounds, lives, !device || strcmp(device, "cpu"));
	return 0;
}
