/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cause.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Thread_local const void *cause_caller;

/* A thread has one from its first failed call on: a library that is opened late has little
 * thread-local memory. */
struct call_cause {
	bool harmless;
	char text[256];
	struct cause_launch launch;
};

static _Thread_local struct call_cause *own;

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;

static void release(void *cause)
{
	own = NULL;
	free(cause);
}

static void prepare(void)
{
	pthread_key_create(&at_thread_end, release);
}

/* NULL without memory. */
static struct call_cause *get(void)
{
	if (own)
		return own;
	pthread_once(&prepared, prepare);
	own = calloc(1, sizeof(*own));
	pthread_setspecific(at_thread_end, own);
	return own;
}

CUresult cause_set(CUresult result, const char *fmt, ...)
{
	struct call_cause *cause = get();
	va_list args;

	if (!cause)
		return result;
	va_start(args, fmt);
	vsnprintf(cause->text, sizeof(cause->text), fmt, args);
	va_end(args);
	return result;
}

CUresult cause_launch(CUresult result, const char *kernel, const uint32_t grid[3],
		      const uint32_t block[3])
{
	struct call_cause *cause = result ? get() : NULL;

	if (!cause)
		return result;
	cause->launch.counted = true;
	snprintf(cause->launch.kernel, sizeof(cause->launch.kernel), "%s", kernel);
	memcpy(cause->launch.grid, grid, sizeof(cause->launch.grid));
	memcpy(cause->launch.block, block, sizeof(cause->launch.block));
	return result;
}

CUresult cause_harmless(CUresult result)
{
	struct call_cause *cause = get();

	if (cause)
		cause->harmless = true;
	return result;
}

bool cause_is_harmless(void)
{
	return own && own->harmless;
}

void cause_clear(void)
{
	if (!own)
		return;
	own->text[0] = own->launch.kernel[0] = '\0';
	own->harmless = own->launch.counted = false;
}

const char *cause_text(void)
{
	return own ? own->text : "";
}

const struct cause_launch *cause_launched(void)
{
	static const struct cause_launch none;

	return own ? &own->launch : &none;
}
