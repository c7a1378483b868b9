/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The side of native code: native.c as it was compiled for this processor, one thread. */
#include <string.h>

#include "work.h"

static void *prepared[MOST_BUFFERS];

static void *buffer(const void *data, uint32_t words)
{
	return memcpy(work_memory("native", words * 4ull), data, words * 4ull);
}

static void read_back(void *from, void *data, uint32_t words)
{
	memcpy(data, from, words * 4ull);
}

static void prepare(const struct work *work, void *buffers[])
{
	memcpy(prepared, buffers, work->buffer_count * sizeof(*buffers));
}

static void launch(const struct work *work)
{
	native_fast(work->kernel)(work, prepared);
}

static void wait_all(void)
{
}

int main(void)
{
	static const struct side side = { "native", buffer, read_back, prepare, launch, wait_all };

	return work_serve(&side);
}
