/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What calls cost, in one interleaved run:
 *
 *	calls IMAGE [ROUNDS]
 *
 * In each round each way does each operation a number of times in a row, one way
 * after the other, beginning with another way each time. Medians over the rounds
 * with their quartiles; ratios are of medians. The targets are for a GPU. Exits
 * with 1 when a launch was lost.
 *
 * What upstream's runtime does with memory is measured in a process of its own, in
 * turn with the others: a driver that holds blocks already, ours among them, has
 * room in what it has mapped, which a program of upstream's has not.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "gpurun.h"
#include "times.h"

enum { MOST_ROUNDS = 10000, BATCH_TIME = 1000 * 1000, MOST_IN_BATCH = 200 };

struct work work = { .step = 1, .limit = UINT32_MAX };
void *arguments[] = { &work.out, &work.step, &work.limit };

static const struct way_calls *const ways[WAYS] = {
	[FLOOR] = &calls_floor,
	[UPSTREAM] = &calls_upstream,
	[GPURUN] = &calls_gpurun,
	[MGPU] = &calls_mgpu,
};

static const char *const way_names[WAYS] = { "floor", "upstream", "gpurun", "mgpu" };

/* Targets are ratios to another way; those of gpurun and mgpu are the same. */
static const struct {
	const char *name;
	enum way against;
	double target;
} rows[OPERATIONS] = {
	[ENQUEUE] = { "launch, enqueue", FLOOR, 1.03 },
	[LAUNCH_SYNC] = { "launch + synchronise", FLOOR, 1.05 },
	[LAUNCH_FUNC] = { "gpu.launch_func", FLOOR, 1.2 },
	[ASYNC_TOKEN] = { "async token", FLOOR, 1.1 },
	[ALLOC_SMALL] = { "alloc + free, 64 B", UPSTREAM, 0.06 },
	[ALLOC_LARGE] = { "alloc + free, 1 MiB", UPSTREAM, 0.06 },
	[LOAD] = { "load + unload", UPSTREAM, 0.12 },
};

static bool present[WAYS] = { true, true, true };
static uint64_t outs[WAYS];                   /* device addresses of the counters */
static unsigned launched[WAYS];
static double times[OPERATIONS][WAYS][MOST_ROUNDS]; /* nanoseconds per operation */

void expect(int status, const char *call)
{
	if (!status)
		return;
	fprintf(stderr, "calls: %s: %d %s\n", call, status, gpurun_error_text());
	exit(1);
}

/* Nanoseconds per operation of @count in a row. */
static double measure_here(void (*call)(void), int count)
{
	double start = now();

	for (int i = 0; i < count; i++)
		call();
	return (now() - start) / count;
}

/* ---- The other process --------------------------------------------------------- */

struct order {
	enum operation operation;
	int count;
};

static int orders, answers; /* pipes */
static pid_t helper;

/* Carries out orders until its peer has ended. */
static void serve(int from, int to)
{
	struct order order;

	open_driver();
	while (read(from, &order, sizeof(order)) == sizeof(order)) {
		double time = measure_here(calls_upstream.operations[order.operation],
					   order.count);

		if (write(to, &time, sizeof(time)) != sizeof(time))
			break;
	}
	_exit(0);
}

/* Starts it, before this one has a driver. */
static void start_other(void)
{
	int down[2], up[2];

	if (pipe(down) || pipe(up) || (helper = fork()) < 0)
		expect(1, "fork");
	if (helper == 0) {
		close(down[1]);
		serve(down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	orders = down[1];
	answers = up[0];
}

static double measure_there(enum operation operation, int count)
{
	struct order order = { operation, count };
	double time = 0;

	if (write(orders, &order, sizeof(order)) != sizeof(order) ||
	    read(answers, &time, sizeof(time)) != sizeof(time))
		expect(1, "the process of upstream's memory");
	return time;
}

static double measure(enum operation operation, enum way way, int count)
{
	double time;

	if (way == UPSTREAM && (operation == ALLOC_SMALL || operation == ALLOC_LARGE))
		return measure_there(operation, count);
	work.out = outs[way];
	time = measure_here(ways[way]->operations[operation], count);
	ways[way]->finish();
	if (operation <= ASYNC_TOKEN)
		launched[way] += (unsigned)count;
	return time;
}

/* ---- All of it -------------------------------------------------------------------- */

static bool takes_part(enum operation operation, enum way way)
{
	return present[way] && ways[way]->operations[operation];
}

/* How often an operation goes into a batch: the slowest way takes a millisecond. */
static int batch_of(enum operation operation)
{
	double slowest = 1;
	int count;

	for (enum way way = FLOOR; way < WAYS; way++) {
		double time;

		if (!takes_part(operation, way))
			continue;
		measure(operation, way, 20);
		time = measure(operation, way, 20);
		slowest = time > slowest ? time : slowest;
	}
	count = (int)(BATCH_TIME / slowest);
	return count < 5 ? 5 : count > MOST_IN_BATCH ? MOST_IN_BATCH : count;
}

static void run(int rounds)
{
	int batches[OPERATIONS];

	for (enum operation o = 0; o < OPERATIONS; o++)
		batches[o] = batch_of(o);
	for (int round = 0; round < rounds; round++)
		for (enum operation o = 0; o < OPERATIONS; o++)
			for (int turn = 0; turn < WAYS; turn++) {
				enum way way = (enum way)((turn + round) % WAYS);

				if (takes_part(o, way))
					times[o][way][round] = measure(o, way, batches[o]);
			}
}

static double median(enum operation operation, enum way way, int rounds)
{
	return times[operation][way][rounds / 2];
}

static void describe(enum operation o, enum way way, int rounds, bool gpu)
{
	const double *sorted = times[o][way];
	enum way against = rows[o].against;

	printf("%-21s %-8s %8.2f us (%.2f-%.2f)", rows[o].name, way_names[way],
	       sorted[rounds / 2] / 1e3, sorted[rounds / 4] / 1e3,
	       sorted[rounds * 3 / 4] / 1e3);
	for (enum way other = FLOOR; other <= UPSTREAM && way >= GPURUN; other++)
		if (takes_part(o, other))
			printf(", %.3f of %s", sorted[rounds / 2] / median(o, other, rounds),
			       way_names[other]);
	if (gpu && way >= GPURUN)
		printf(", target %.2f of %s: %s", rows[o].target, way_names[against],
		       sorted[rounds / 2] <= rows[o].target * median(o, against, rounds) ?
			       "ok" : "MISSED");
	putchar('\n');
}

/* Tells whether the device has counted every launch of @way. */
static bool is_complete(enum way way)
{
	unsigned counted = 0;

	EXPECT(cu.cuMemcpyDtoH(&counted, outs[way], sizeof(counted)));
	if (counted == launched[way])
		return true;
	printf("%s: %u launches, the device has counted %u\n", way_names[way], launched[way],
	       counted);
	return false;
}

static void read_image(const char *path)
{
	enum { LIMIT = 1 << 20 };
	FILE *file = fopen(path, "rb");

	work.image = calloc(1, LIMIT + 1);
	if (file && work.image)
		work.image_size = fread(work.image, 1, LIMIT, file);
	if (!work.image_size) {
		fprintf(stderr, "calls: cannot read %s\n", path);
		exit(1);
	}
	fclose(file);
}

static void set_up(void)
{
	present[MGPU] = open_mgpu();
	for (enum way way = FLOOR; way < WAYS; way++) {
		CUdeviceptr address;

		if (!present[way])
			continue;
		EXPECT(cu.cuMemAlloc(&address, sizeof(unsigned)));
		EXPECT(cu.cuMemsetD32(address, 0, 1));
		outs[way] = address;
		ways[way]->set_up();
	}
	EXPECT(cu.cuCtxSynchronize());
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 51;
	struct gpurun_device_info info = { .struct_size = sizeof(info) };
	struct gpurun_device device;
	bool complete = true;

	if (argc < 2 || rounds < 1 || rounds > MOST_ROUNDS)
		return 2;
	read_image(argv[1]);
	start_other();
	EXPECT(gpurun_init(NULL));
	EXPECT(gpurun_device_get(0, &device));
	EXPECT(gpurun_device_get_info(device, &info));
	open_driver();
	set_up();
	run(rounds);
	for (enum operation o = 0; o < OPERATIONS; o++)
		for (enum way way = FLOOR; way < WAYS; way++)
			if (takes_part(o, way))
				sort_times(times[o][way], rounds);
	printf("calls on %s, %d rounds, interleaved\n", info.name, rounds);
	for (enum operation o = 0; o < OPERATIONS; o++)
		for (enum way way = FLOOR; way < WAYS; way++)
			if (takes_part(o, way))
				describe(o, way, rounds, info.kind == GPURUN_DEVICE_GPU);
	for (enum way way = FLOOR; way < WAYS; way++)
		complete &= !present[way] || is_complete(way);
	close(orders);
	waitpid(helper, NULL, 0);
	return complete && !gpurun_shutdown() ? 0 : 1;
}
