/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "end.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "device.h"
#include "exit_wait.h"
#include "image.h"
#include "line_rank.h"
#include "nap.h"
#include "visible.h"

enum outcome {
	OUTCOME_DONE,	 /* or failed, which is no reason to wait */
	OUTCOME_LATE,
	OUTCOME_REFUSED, /* in a host function: the driver accepts no calls there */
};

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

/* Sleeps for longer and longer; false when the time @deadline of now() is past. */
static bool nap(struct timespec *length, double deadline)
{
	if (now() >= deadline)
		return false;
	nap_sleep(length);
	return true;
}

static bool passes(CUevent event, double deadline)
{
	struct timespec length = NAP_FIRST;

	while (cuda.cuEventQuery(event) == CUDA_ERROR_NOT_READY)
		if (!nap(&length, deadline))
			return false;
	return true;
}

/* Of the whole context, or, for older drivers, of what the default stream waits for. */
static enum outcome await(CUcontext context, CUevent event, double deadline)
{
	CUresult result = cuda.cuCtxRecordEvent(context, event);

	if (result && result != CUDA_ERROR_NOT_PERMITTED)
		result = cuda.cuEventRecord(event, NULL);
	if (result == CUDA_ERROR_NOT_PERMITTED)
		return OUTCOME_REFUSED;
	if (!result && !passes(event, deadline))
		return OUTCOME_LATE;
	cuda.cuCtxSynchronize();
	return OUTCOME_DONE;
}

static enum outcome await_new_event(CUcontext context, double deadline)
{
	CUevent event = NULL;
	CUresult result = cuda.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
	enum outcome outcome;

	if (result)
		return result == CUDA_ERROR_NOT_PERMITTED ? OUTCOME_REFUSED : OUTCOME_DONE;
	outcome = await(context, event, deadline);
	cuda.cuEventDestroy(event);
	return outcome;
}

static enum outcome drain_context(CUcontext context, double deadline)
{
	CUresult result = cuda.cuCtxPushCurrent(context);
	enum outcome outcome;
	CUcontext popped;

	if (result)
		return result == CUDA_ERROR_NOT_PERMITTED ? OUTCOME_REFUSED : OUTCOME_DONE;
	outcome = await_new_event(context, deadline);
	cuda.cuCtxPopCurrent(&popped);
	return outcome;
}

static enum outcome drain(double deadline)
{
	enum outcome worst = OUTCOME_DONE;

	for (int i = 0; i < device_number() && worst != OUTCOME_REFUSED; i++) {
		CUcontext context = device_primary(i);
		enum outcome outcome = context ? drain_context(context, deadline) :
						 OUTCOME_DONE;

		worst = outcome > worst ? outcome : worst;
	}
	return worst;
}

bool end_wait(void)
{
	return drain(now() + exit_wait()) == OUTCOME_DONE;
}

/* A thread that loads code may be at it for a while. */
static bool unload(double deadline)
{
	struct timespec length = NAP_FIRST;

	while (!image_trylock())
		if (!nap(&length, deadline))
			return false;
	image_unload_all();
	image_unlock();
	return true;
}

void end_process(void)
{
	double seconds = exit_wait(), deadline = now() + seconds;
	enum outcome outcome = drain(deadline);

	if (outcome == OUTCOME_DONE && !unload(deadline))
		visible_printf(stderr, "gpurun: %slibcudart: a thread was still loading device "
			       "code %g s after exit(): nothing is unloaded\n", line_rank(),
			       seconds);
	if (outcome == OUTCOME_LATE)
		visible_printf(stderr, "gpurun: %slibcudart: work on a device had not ended %g s "
			       "after exit(): it is left to the driver\n", line_rank(), seconds);
}
