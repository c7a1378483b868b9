/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * timed COUNT STEP...: does the steps, each of them NAME or NAME:STREAM, and prints a line for each
 * launch that is timed, by events of its own: the microseconds. The kernel goes round COUNT times, in
 * the step warm once.
 * Streams: a and b; 0, the NULL stream. What is captured between two steps a third one launches.
 */
#include <string.h>

#include "find.h"
#include "spin.h"

enum { MOST_TIMED = 64 };

static void *context, *function, *event, *graph, *streams[128];
static unsigned long long buffer;
static unsigned count;

static void *timed[MOST_TIMED][2]; /* events around a launch */
static size_t timed_count;

static void *new_event(void)
{
	void *made;

	CALL("cuEventCreate", (void **, unsigned), &made, 0);
	return made;
}

static void record(void *stream)
{
	CALL("cuEventRecord", (void *, void *), event, stream);
}

static void wait_event(void *stream)
{
	CALL("cuStreamWaitEvent", (void *, void *, unsigned), stream, event, 0);
}

static void spin(void *stream)
{
	void *args[] = { &buffer, &count };

	CALL("cuLaunchKernel",
	     (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	      void **, void **),
	     function, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL);
}

static void launch_graph(void *stream)
{
	CALL("cuGraphLaunch", (void *, void *), graph, stream);
}

static void in_time(void (*launch)(void *), void *stream)
{
	void **pair = timed[timed_count++];

	check(timed_count > MOST_TIMED, "timed launches");
	pair[0] = new_event();
	pair[1] = new_event();
	CALL("cuEventRecord", (void *, void *), pair[0], stream);
	launch(stream);
	CALL("cuEventRecord", (void *, void *), pair[1], stream);
}

static void timed_spin(void *stream)
{
	in_time(spin, stream);
}

static void warm(void *stream)
{
	const unsigned asked = count;

	count = 1;
	timed_spin(stream);
	count = asked;
}

static void timed_graph(void *stream)
{
	in_time(launch_graph, stream);
}

/* So that an unsafe call, of any thread, breaks it. */
static void capture(void *stream)
{
	CALL("cuStreamBeginCapture_v2", (void *, int), stream, 0);
}

static void end_capture(void *stream)
{
	void *captured;

	CALL("cuStreamEndCapture", (void *, void **), stream, &captured);
	CALL("cuGraphInstantiateWithFlags", (void **, void *, unsigned long long), &graph, captured,
	     0);
	CALL("cuGraphDestroy", (void *), captured);
}

static void retain(void *stream)
{
	(void)stream;
	CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0);
}

static void release(void *stream)
{
	(void)stream;
	CALL("cuDevicePrimaryCtxRelease_v2", (int), 0);
}

static const struct step {
	const char *name;
	void (*run)(void *stream);
} steps[] = {
	{ "spin", spin }, { "timed", timed_spin }, { "warm", warm }, { "record", record }, { "wait", wait_event },
	{ "sync", synchronize }, { "sync-all", synchronize_all }, { "capture", capture },
	{ "end-capture", end_capture }, { "graph", launch_graph }, { "timed-graph", timed_graph },
	{ "release", release }, { "retain", retain },
};

static void make(void)
{
	void *module;

	CALL("cuInit", (unsigned), 0);
	CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0);
	CALL("cuCtxSetCurrent", (void *), context);
	CALL("cuModuleLoadData", (void **, const void *), &module, spin_ptx);
	CALL("cuModuleGetFunction", (void **, void *, const char *), &function, module, "spin");
	CALL("cuMemAlloc_v2", (unsigned long long *, size_t), &buffer, 64);
	event = new_event();
	for (const char *name = "ab"; *name; name++)
		CALL("cuStreamCreate", (void **, unsigned), &streams[(int)*name], 1);
}

static void run(const char *argument)
{
	const size_t length = strcspn(argument, ":");
	const int stream = argument[length] ? argument[length + 1] & 127 : 0;
	size_t k = 0;

	while (k < sizeof(steps) / sizeof(steps[0]) &&
	       (strlen(steps[k].name) != length || strncmp(steps[k].name, argument, length) != 0))
		k++;
	check(k == sizeof(steps) / sizeof(steps[0]), argument);
	steps[k].run(streams[stream]);
}

int main(int argc, char **argv)
{
	check(argc < 2, "timed COUNT STEP...");
	count = (unsigned)strtoul(argv[1], NULL, 10);
	make();
	for (int i = 2; i < argc; i++)
		run(argv[i]);
	CALL("cuCtxSynchronize", (void), );
	for (size_t i = 0; i < timed_count; i++) {
		float ms = 0;

		CALL("cuEventElapsedTime", (float *, void *, void *), &ms, timed[i][0], timed[i][1]);
		printf("%.3f\n", (double)ms * 1000);
	}
	return 0;
}
