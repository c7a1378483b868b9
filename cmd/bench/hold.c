/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hold.h"

#include "clock.h"
#include "library.h"

/* A driver may wait for the stream while something is enqueued: that must not be for ever. */
static const uint64_t LONGEST = 20000000;

/* On the driver's thread; calls nothing of it. */
static void wait_for_release(void *data)
{
	const struct hold *hold = data;
	const uint64_t begin = clock_now();

	while (!atomic_load_explicit(&hold->released, memory_order_acquire) &&
	       clock_now() - begin < LONGEST)
		;
}

int hold_begin(struct hold *hold, struct gpurun_stream stream, struct err *e)
{
	atomic_store_explicit(&hold->released, false, memory_order_relaxed);
	return CALL(gpurun_stream_host_function(stream, wait_for_release, hold), e);
}

void hold_end(struct hold *hold)
{
	atomic_store_explicit(&hold->released, true, memory_order_release);
}
