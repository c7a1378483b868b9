/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stub.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum row {
#define CUDA_API(name, symbol, need, params, args) ROW_##name,
#include "cuda_api.def"
	ROWS
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned uses[ROWS]; /* of each call, so far */
static CUresult sticky;     /* of the one context that faulted */
static bool started, gone;

void stub_lock(void)
{
	pthread_mutex_lock(&lock);
}

void stub_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

int stub_devices(void)
{
	const char *text = getenv("GPURUN_STUB_DEVICES");

	return text ? atoi(text) : 1;
}

static bool is_fault(int code)
{
	return code == CUDA_ERROR_ILLEGAL_ADDRESS || code == CUDA_ERROR_LAUNCH_TIMEOUT ||
	       code == CUDA_ERROR_ASSERT ||
	       (code >= CUDA_ERROR_HARDWARE_STACK_ERROR && code <= CUDA_ERROR_LAUNCH_FAILED);
}

/* Calls that a context with a sticky error does not spoil. */
static bool is_immune(const char *name)
{
	static const char *const prefixes[] = { "cuInit", "cuDevice", "cuDriver", "cuGetError",
						"cuCtxGetCurrent", "cuCtxSetCurrent",
						"cuCtxPushCurrent", "cuCtxPopCurrent" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/*
 * Finds "NAME", "NAME:N" or either with "=CODE" in the list @text; *@code is
 * then what follows. Without N, @every decides whether each use is meant.
 */
static bool is_told(const char *text, const char *name, unsigned use, bool every, int *code)
{
	size_t length = strlen(name);

	for (; text; text = strchr(text, ','), text += text ? 1 : 0) {
		const char *rest = text + length;
		unsigned long wanted = every ? use : 1;

		if (strncmp(text, name, length) || (*rest && !strchr(":=,", *rest)))
			continue;
		if (*rest == ':')
			wanted = strtoul(rest + 1, (char **)&rest, 10);
		if (wanted != use)
			continue;
		*code = *rest == '=' ? atoi(rest + 1) : 0;
		return true;
	}
	return false;
}

CUresult stub_begin(unsigned row, const char *name)
{
	unsigned use = ++uses[row];
	int code = 0;

	if (gone)
		return CUDA_ERROR_DEINITIALIZED;
	if (is_told(getenv("GPURUN_STUB_CRASH"), name, use, false, &code))
		abort();
	if (is_told(getenv("GPURUN_STUB_FAIL"), name, use, true, &code)) {
		if (is_fault(code))
			sticky = code;
		return code;
	}
	if (!started && row != ROW_cuInit && row != ROW_cuDriverGetVersion &&
	    row != ROW_cuGetErrorName && row != ROW_cuGetErrorString)
		return CUDA_ERROR_NOT_INITIALIZED;
	return is_immune(name) ? CUDA_SUCCESS : sticky;
}

void stub_recover(void)
{
	sticky = CUDA_SUCCESS;
}

/* What a real driver does at exit: from here on it answers nothing. */
static void end(void)
{
	const char *path = getenv("GPURUN_STUB_LEAKS");
	FILE *out = path ? fopen(path, "w") : NULL;

	stub_lock();
	gone = true;
	if (out) {
		fprintf(out, "%u left\n", things_left(out));
		fclose(out);
	}
	stub_unlock();
}

void stub_started(void)
{
	if (!started)
		atexit(end);
	started = true;
}
