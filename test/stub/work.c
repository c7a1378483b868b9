/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Busy streams. A kernel executes nothing, but with GPURUN_STUB_BUSY=N it keeps
 * its stream from being ready: the next N queries that ask for it are answered
 * "not ready", unless something waits for it. What was launched on a stream
 * ends as one, in the order of time that the marks count.
 */
#include "stub.h"

#include <stdlib.h>

/* The unfinished launches of one stream; outlives the stream. */
struct work {
	struct thing *context;
	unsigned stream;     /* its id; 0: the context's default stream */
	unsigned long first; /* mark of the oldest of them */
	unsigned left;       /* queries until they are done */
	struct work *next;
};

static struct work *works;
static unsigned long marks, launches;

static bool is_meant(const struct work *work, const struct thing *context, unsigned stream)
{
	return work->context == context &&
	       (stream == WORK_ALL_STREAMS || work->stream == stream);
}

static struct work *find(const struct thing *context, unsigned stream)
{
	struct work *work = works;

	while (work && !is_meant(work, context, stream))
		work = work->next;
	return work;
}

unsigned long work_mark(void)
{
	return marks;
}

unsigned long work_time(void)
{
	return launches;
}

void work_add(struct thing *context, unsigned stream)
{
	struct work *work;

	if (!stub_busy())
		return;
	work = find(context, stream);
	marks++;
	if (!work) {
		work = calloc(1, sizeof(*work));
		if (!work)
			abort();
		*work = (struct work){ context, stream, marks, 0, works };
		works = work;
	}
	work->left = stub_busy();
}

void work_launch(struct thing *context, unsigned stream)
{
	launches++;
	work_add(context, stream);
}

/* Ends those that are done: all that are meant when @wait, else those with no query left. */
static bool step(const struct thing *context, unsigned stream, unsigned long mark, bool wait)
{
	struct work **link = &works;
	bool busy = false;

	while (*link) {
		struct work *work = *link;

		if (!is_meant(work, context, stream) || work->first > mark) {
			link = &work->next;
		} else if (wait || !work->left) {
			*link = work->next;
			free(work);
		} else {
			work->left--;
			busy = true;
			link = &work->next;
		}
	}
	return busy;
}

bool work_is_busy(const struct thing *context, unsigned stream, unsigned long mark)
{
	return works && step(context, stream, mark, false);
}

void work_wait(const struct thing *context, unsigned stream, unsigned long mark)
{
	if (works)
		step(context, stream, mark, true);
}
