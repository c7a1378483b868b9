/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "times.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "cleanup.h"
#include "clock.h"
#include "exec_share.h"
#include "lock.h"
#include "real.h"
#include "traced.h"
#include "words.h"

/* The most launches of a context that are neither read nor given up. */
enum { MOST_PENDING = 1 << 16 };

/* Milliseconds after which an anchor is replaced: up to there a float has them to 0.1 us. */
#define ANCHOR_MOST 1000

struct pair {
	CUevent begin, end;
	uint64_t id; /* of the call */
	struct pair *next;
};

struct timed_context {
	CUcontext context;
	CUdevice device;
	uint64_t number;      /* of its clock */
	struct pair *unused;  /* owned */
	struct pair *pending, **last; /* owned, in the order of their launches */
	size_t count;         /* of @pending */
	CUevent anchor;       /* the event that times are read from; NULL: none yet */
	int64_t anchor_time;  /* ns on the context's clock */
	struct timed_context *next;
};

static struct {
	pthread_mutex_t lock;
	struct timed_context *contexts; /* owned */
	uint64_t numbers;
} times = { .lock = PTHREAD_MUTEX_INITIALIZER };

#define LOCKED LOCKED_BY(&times.lock, LOCK_TIMES)

atomic_bool times_wanted;

/* ---- no call of ours breaks a capture of the program's ---- */

static void restore_mode(CUstreamCaptureMode *mode)
{
	real.cuThreadExchangeStreamCaptureMode(mode);
}

static CUstreamCaptureMode relax(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	real.cuThreadExchangeStreamCaptureMode(&mode);
	return mode;
}

#define RELAXED                                                                             \
	__attribute__((unused)) CLEANUP(restore_mode) CUstreamCaptureMode mode_ = relax()

/* Tells whether @stream captures, or is not to be asked; a driver without captures has none. */
static bool captures(CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	const CUresult result = real.cuStreamIsCapturing(stream, &status);

	return result ? result != CUDA_ERROR_NOT_SUPPORTED :
			status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* ---- pairs ---- */

static void release_pair(struct pair *pair)
{
	if (pair->begin)
		real.cuEventDestroy(pair->begin);
	if (pair->end)
		real.cuEventDestroy(pair->end);
	free(pair);
}

static struct pair *new_pair(void)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	if (!pair)
		return NULL;
	if (!real.cuEventCreate(&pair->begin, 0) && !real.cuEventCreate(&pair->end, 0))
		return pair;
	release_pair(pair);
	return NULL;
}

static void push(struct pair **list, struct pair *pair)
{
	pair->next = *list;
	*list = pair;
}

static struct pair *pop(struct pair **list)
{
	struct pair *pair = *list;

	if (pair)
		*list = pair->next;
	return pair;
}

/* ---- reading ---- */

/* When @event was, on the clock of @timed; of one before the anchor *@ms is below 0. */
static bool read_time(const struct timed_context *timed, CUevent event, float *ms, int64_t *time)
{
	if (real.cuEventElapsedTime(ms, timed->anchor, event) || !isfinite(*ms))
		return false;
	*time = timed->anchor_time + (int64_t)((double)*ms * 1e6);
	return true;
}

static void write_time(const struct timed_context *timed, const struct pair *pair, int64_t begin,
		       int64_t end)
{
	struct trace_record record = { .kind = TRACE_RAN,
				       .flags = TRACE_CLOCK,
				       .id = pair->id,
				       .handle = timed->number,
				       .begin = (uint64_t)begin,
				       .end = (uint64_t)end };

	trace_write(&record, "", NULL, 0);
}

/* Makes the begin of @pair the anchor; the pair has the event that was it. */
static void move_anchor(struct timed_context *timed, struct pair *pair, int64_t time)
{
	const CUevent before = timed->anchor;

	timed->anchor = pair->begin;
	timed->anchor_time = time;
	pair->begin = before;
}

/* Writes when the launch of @pair, whose events are done, was. */
static bool read_pair(struct timed_context *timed, struct pair *pair)
{
	int64_t begin = 0, end;
	float from = 0, to;

	if (!timed->anchor)
		move_anchor(timed, pair, 0);
	else if (!read_time(timed, pair->begin, &from, &begin))
		return false;
	if (!read_time(timed, pair->end, &to, &end))
		return false;
	write_time(timed, pair, begin, end);
	if (from > ANCHOR_MOST)
		move_anchor(timed, pair, begin);
	return true;
}

/* Reads the pairs of @timed that the device is done with: all, or up to the first that it is not
 * done with. */
static void read_pending(struct timed_context *timed, bool all)
{
	struct pair **link = &timed->pending, *pair;

	while ((pair = *link)) {
		const CUresult result = real.cuEventQuery(pair->end);

		if (result == CUDA_ERROR_NOT_READY && !all)
			break;
		if (result == CUDA_ERROR_NOT_READY) {
			link = &pair->next;
			continue;
		}
		*link = pair->next;
		timed->count--;
		if (result || !read_pair(timed, pair))
			trace_untimed(1);
		if (pair->begin)
			push(&timed->unused, pair);
		else
			release_pair(pair);
	}
	while (*link)
		link = &(*link)->next;
	timed->last = link;
}

void times_read(bool all)
{
	if (!atomic_load_explicit(&times_wanted, memory_order_relaxed))
		return;
	LOCKED;
	RELAXED;

	for (struct timed_context *timed = times.contexts; timed; timed = timed->next)
		if (timed->pending)
			read_pending(timed, all);
}

/* ---- contexts ---- */

static struct timed_context *new_context(CUcontext context)
{
	struct timed_context *timed = calloc(1, sizeof(*timed));

	if (!timed)
		return NULL;
	timed->context = context;
	timed->last = &timed->pending;
	timed->number = ++times.numbers;
	if (real.cuCtxGetDevice(&timed->device))
		timed->device = -1;
	timed->next = times.contexts;
	times.contexts = timed;
	return timed;
}

/* That of @context, which is current; NULL: no memory. */
static struct timed_context *find_context(CUcontext context)
{
	struct timed_context *timed = times.contexts;

	while (timed && timed->context != context)
		timed = timed->next;
	return timed ? timed : new_context(context);
}

static void drop(struct timed_context *timed)
{
	struct pair *pair;

	read_pending(timed, true);
	trace_untimed(timed->count);
	while ((pair = pop(&timed->pending)))
		release_pair(pair);
	while ((pair = pop(&timed->unused)))
		release_pair(pair);
	if (timed->anchor)
		real.cuEventDestroy(timed->anchor);
	free(timed);
}

/* Drops those of @context, of any if it is NULL, on @device, on any if that is negative. */
static void drop_all(CUcontext context, CUdevice device)
{
	struct timed_context **link = &times.contexts, *timed;

	LOCKED;
	RELAXED;

	while ((timed = *link)) {
		if ((context && timed->context != context) ||
		    (device >= 0 && timed->device != device)) {
			link = &timed->next;
			continue;
		}
		*link = timed->next;
		drop(timed);
	}
}

void times_drop(CUcontext context)
{
	if (context && atomic_load(&times_wanted))
		drop_all(context, -1);
}

void times_drop_device(CUdevice device)
{
	if (device >= 0 && atomic_load(&times_wanted))
		drop_all(NULL, device);
}

/* Those that are counted: others end their contexts at each release. */
enum { DEVICES = 64 };

static unsigned retained[DEVICES];

static bool has_count(CUdevice device)
{
	return device >= 0 && device < DEVICES;
}

void times_retain(CUdevice device)
{
	LOCKED;

	if (has_count(device))
		retained[device]++;
}

static bool release_last(CUdevice device)
{
	LOCKED;

	if (!has_count(device) || !retained[device])
		return true;
	return !--retained[device];
}

void times_release(CUdevice device)
{
	if (release_last(device))
		times_drop_device(device);
}

/* ---- launches ---- */

/* The current context, which events would be of, if @stream is of it; NULL: it is of another. */
static CUcontext context_of(CUstream stream)
{
	CUcontext current = NULL, owner = NULL;

	if (real.cuCtxGetCurrent(&current))
		return NULL;
	if (stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
		return current;
	return real.cuStreamGetCtx(stream, &owner) || owner != current ? NULL : current;
}

/* A pair for a launch in @context; NULL: none can be had. */
static struct pair *obtain(CUcontext context)
{
	struct timed_context *timed;
	struct pair *pair;

	LOCKED;
	timed = find_context(context);
	if (!timed)
		return NULL;
	if (!timed->unused)
		read_pending(timed, false);
	pair = pop(&timed->unused);
	return pair || timed->count >= MOST_PENDING ? pair : new_pair();
}

void times_before(struct timing *timing, CUstream stream)
{
	CUcontext context;

	RELAXED;

	if (captures(stream))
		return;
	timing->stream = stream;
	timing->missed = true;
	context = context_of(stream);
	if (context)
		timing->pair = obtain(context);
	if (timing->pair && real.cuEventRecord(timing->pair->begin, stream)) {
		release_pair(timing->pair);
		timing->pair = NULL;
	}
}

/* Appends @pair to what is to be read; false: its context has ended meanwhile. */
static bool add_pending(CUcontext context, struct pair *pair)
{
	struct timed_context *timed;

	LOCKED;
	timed = find_context(context);
	if (!timed)
		return false;
	pair->next = NULL;
	*timed->last = pair;
	timed->last = &pair->next;
	timed->count++;
	return true;
}

void times_after(struct timing *timing, CUresult result)
{
	struct pair *pair = timing->pair;
	CUcontext context;
	bool recorded;

	traced.end = clock_now();
	if (!pair) {
		trace_untimed(!result);
		return;
	}
	RELAXED;

	context = context_of(timing->stream);
	pair->id = traced.id;
	recorded = !result && context && !real.cuEventRecord(pair->end, timing->stream) &&
		   add_pending(context, pair);
	if (recorded)
		return;
	release_pair(pair);
	trace_untimed(!result);
}

/* ---- begin and end ---- */

/* A context of the parent's is none in the child of fork(); it may begin anew. */
static void forget(void)
{
	pthread_mutex_init(&times.lock, NULL);
	times.contexts = NULL;
}

void times_open(void)
{
	const char *words = secure_getenv(EXEC_VARIABLE);

	if (atomic_load(&trace_wanted) && words_have(words, "times") &&
	    !pthread_atfork(NULL, NULL, forget))
		atomic_store(&times_wanted, true);
}

/* Before the driver ends: what it registers at the end was so in cuInit. */
static void end(void)
{
	if (atomic_exchange(&times_wanted, false))
		drop_all(NULL, -1);
}

void times_started(void)
{
	static atomic_bool registered;

	if (atomic_load(&times_wanted) && !atomic_exchange(&registered, true))
		atexit(end);
}
