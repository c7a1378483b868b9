/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stub.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

enum row {
#define CUDA_API(name, symbol, need, params, args) ROW_##name,
#include "cuda_api.def"
	ROWS
};

static const char *const names[ROWS] = {
#define CUDA_API(name, symbol, need, params, args) #name,
#include "cuda_api.def"
};

/* "CALL:N=CODE,..." taken apart. */
struct orders {
	unsigned count;
	struct order {
		unsigned row;
		unsigned use; /* 0: every one */
		int code;
	} at[64];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long uses[ROWS]; /* of each call, so far */
static bool started, gone;
static _Atomic pid_t process;    /* that made the first call; its child reports nothing */

/* What the environment asks. */
static struct {
	int devices;
	unsigned busy;
	struct orders crash, gone, fail, hang;
	const char *fail_text; /* what fail was read from */
	char leaks[4096], counts[4096];
} asked;

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
	return asked.devices;
}

unsigned stub_busy(void)
{
	return asked.busy;
}

/* ---- What is asked ----------------------------------------------------------- */

static unsigned row_of(const char *name, size_t length)
{
	for (unsigned row = 0; row < ROWS; row++)
		if (strlen(names[row]) == length && !memcmp(names[row], name, length))
			return row;
	fprintf(stderr, "stub: no call '%.*s'\n", (int)length, name);
	abort();
}

/* Takes @text apart; what has no N means use number @use. */
static void read_orders(const char *text, unsigned use, struct orders *orders)
{
	orders->count = 0;
	while (text && *text) {
		struct order order = { row_of(text, strcspn(text, ":=,")), use, 0 };

		text += strcspn(text, ":=,");
		if (*text == ':')
			order.use = (unsigned)strtoul(text + 1, (char **)&text, 10);
		if (*text == '=')
			order.code = (int)strtol(text + 1, (char **)&text, 10);
		if ((*text && *text != ',') ||
		    orders->count == sizeof(orders->at) / sizeof(orders->at[0])) {
			fprintf(stderr, "stub: cannot read '%s'\n", text);
			abort();
		}
		orders->at[orders->count++] = order;
		text += *text == ',';
	}
}

static const struct order *find(const struct orders *orders, unsigned row, unsigned long use)
{
	for (unsigned i = 0; i < orders->count; i++) {
		const struct order *order = &orders->at[i];

		if (order->row == row && (!order->use || order->use == use))
			return order;
	}
	return NULL;
}

static void read_environment(void)
{
	const char *devices = getenv("GPURUN_STUB_DEVICES");
	const char *busy = getenv("GPURUN_STUB_BUSY");
	const char *leaks = getenv("GPURUN_STUB_LEAKS");
	const char *counts = getenv("GPURUN_STUB_COUNTS");

	process = process ? process : getpid();
	asked.devices = devices ? atoi(devices) : 1;
	asked.busy = busy ? (unsigned)strtoul(busy, NULL, 10) : 0;
	read_orders(getenv("GPURUN_STUB_CRASH"), 1, &asked.crash);
	read_orders(getenv("GPURUN_STUB_GONE"), 1, &asked.gone);
	read_orders(getenv("GPURUN_STUB_HANG"), 1, &asked.hang);
	snprintf(asked.leaks, sizeof(asked.leaks), "%s", leaks ? leaks : "");
	snprintf(asked.counts, sizeof(asked.counts), "%s", counts ? counts : "");
	trace_open(getenv("GPURUN_STUB_TRACE"));
}

/* Reads GPURUN_STUB_FAIL again when it was set anew. */
static const struct order *find_failure(unsigned row, unsigned long use)
{
	const char *text = getenv("GPURUN_STUB_FAIL");

	if (text != asked.fail_text)
		read_orders(text, 0, &asked.fail);
	asked.fail_text = text;
	return find(&asked.fail, row, use);
}

/* ---- What is answered -------------------------------------------------------- */

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

/* The answer that was asked for, or that the state of things demands. */
static CUresult answer(unsigned row, unsigned long use)
{
	struct thing *context = stub_context();
	const struct order *order;

	if (find(&asked.gone, row, use))
		gone = true;
	if (gone)
		return CUDA_ERROR_DEINITIALIZED;
	if (find(&asked.crash, row, use))
		abort();
	order = find_failure(row, use);
	if (order && context && is_fault(order->code))
		context->fault = order->code;
	if (order)
		return order->code;
	if (!started && row != ROW_cuInit && row != ROW_cuDriverGetVersion &&
	    row != ROW_cuGetErrorName && row != ROW_cuGetErrorString)
		return CUDA_ERROR_NOT_INITIALIZED;
	return context && context->fault && !is_immune(names[row]) ? context->fault :
								     CUDA_SUCCESS;
}

/* Remembers what cannot be released because of an answer. */
static void refuse(unsigned row, uint64_t first)
{
	switch (row) {
	case ROW_cuStreamDestroy:
	case ROW_cuEventDestroy:
	case ROW_cuEventDestroy_v1:
	case ROW_cuModuleUnload:
	case ROW_cuLibraryUnload:
	case ROW_cuLinkDestroy:
	case ROW_cuMemPoolDestroy:
		thing_refuse((void *)(uintptr_t)first);
		return;
	case ROW_cuMemFree:
	case ROW_cuMemFreeAsync:
	case ROW_cuMemFreeHost:
	case ROW_cuMemHostUnregister:
		thing_refuse(thing_at(first));
		return;
	case ROW_cuDevicePrimaryCtxRelease:
		thing_refuse(stub_primary((CUdevice)first));
		return;
	}
}

/* As a real driver waits for a kernel: other threads may call it meanwhile. */
static void hang(unsigned row)
{
	trace_hang(names[row]);
	stub_unlock();
	for (;;)
		pause();
}

CUresult stub_begin(unsigned row, uint64_t first)
{
	unsigned long use = ++uses[row];
	CUresult result;

	if (!process || row == ROW_cuInit)
		read_environment();
	if (find(&asked.hang, row, use))
		hang(row);
	result = answer(row, use);
	if (result)
		refuse(row, first);
	return result;
}

/* ---- The end ------------------------------------------------------------------- */

static void write_counts(void)
{
	FILE *out = *asked.counts ? fopen(asked.counts, "w") : NULL;

	if (!out)
		return;
	for (unsigned row = 0; row < ROWS; row++)
		if (uses[row])
			fprintf(out, "%s %lu\n", names[row], uses[row]);
	fclose(out);
}

static void write_leaks(void)
{
	FILE *out = *asked.leaks ? fopen(asked.leaks, "w") : NULL;

	if (!out)
		return;
	fprintf(out, "%u left\n", things_left(out));
	fclose(out);
}

/* What a real driver does at exit: from here on it answers nothing. */
static void end(void)
{
	/* In a forked child another thread's call may hold the lock for ever. */
	if (process != getpid())
		return;
	stub_lock();
	/* A driver that was gone before had released everything itself. */
	if (!gone)
		write_leaks();
	gone = true;
	stub_unlock();
}

/* Later than any call: destructors of programs have run. */
__attribute__((destructor)) static void report(void)
{
	if (process != getpid())
		return;
	stub_lock();
	write_counts();
	stub_unlock();
}

void stub_started(void)
{
	if (!started)
		atexit(end);
	started = true;
}
