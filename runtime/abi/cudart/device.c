/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"

/* A primary context, retained while it is not NULL. */
static struct device {
	CUcontext primary;
} *devices;
static int number;		   /* of devices */
static int *valid, valid_count;	   /* of cudaSetValidDevices; none: all in order */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void unlock(pthread_mutex_t **held)
{
	pthread_mutex_unlock(*held);
}

#define LOCKED                                               \
	CLEANUP(unlock) pthread_mutex_t *held_ = &lock;      \
	pthread_mutex_lock(held_)

cudaError_t device_begin(void)
{
	TRY(cuda.cuDeviceGetCount(&number));
	if (!number)
		return cudaErrorNoDevice;
	devices = calloc((size_t)number, sizeof(*devices));
	return devices ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t device_context(int device, CUcontext *context)
{
	LOCKED;

	if (device < 0 || device >= number)
		return cudaErrorInvalidDevice;
	if (!devices[device].primary)
		TRY(cuda.cuDevicePrimaryCtxRetain(&devices[device].primary, device));
	*context = devices[device].primary;
	return cudaSuccess;
}

/* Takes note of the context that is current now, so that the next call only compares. */
static cudaError_t note(CUcontext current, unsigned era)
{
	cudart_thread.current = current;
	cudart_thread.era = era;
	return cudaSuccess;
}

/* A primary context whose device was reset since is none any more; retained again, it has
 * the same handle. */
static cudaError_t is_stale(CUcontext context, bool *stale)
{
	unsigned flags;
	int device, active = 1;

	*stale = false;
	if (cuda.cuCtxGetDevice(&device)) {
		*stale = true;
		return cudaSuccess;
	}
	LOCKED;
	if (device < 0 || device >= number || devices[device].primary == context)
		return cudaSuccess;
	TRY(cuda.cuDevicePrimaryCtxGetState(device, &flags, &active));
	*stale = !active && !devices[device].primary;
	return cudaSuccess;
}

cudaError_t cudart_bind(void)
{
	unsigned era = atomic_load(&cudart.era);
	CUcontext current = NULL;
	bool stale = false;

	TRY(cuda.cuCtxGetCurrent(&current));
	if (current)
		TRY(is_stale(current, &stale));
	if (current && !stale)
		return note(current, era);
	TRY(device_context(cudart_thread.device, &current));
	TRY(cuda.cuCtxSetCurrent(current));
	return note(current, era);
}

cudaError_t device_set(int device)
{
	CUcontext context;

	TRY(device_context(device, &context));
	TRY(cuda.cuCtxSetCurrent(context));
	cudart_thread.device = device;
	return note(context, atomic_load(&cudart.era));
}

/* A context of the program's own has the say over what cudaSetDevice said. */
cudaError_t device_get(int *device)
{
	CUcontext current = NULL;

	if (!device)
		return cudaErrorInvalidValue;
	if (!cuda.cuCtxGetCurrent(&current) && current && !cuda.cuCtxGetDevice(device))
		return cudaSuccess;
	*device = cudart_thread.device;
	return cudaSuccess;
}

cudaError_t device_reset(void)
{
	int device;
	LOCKED;

	TRY(device_get(&device));
	if (device < 0 || device >= number)
		return cudaErrorInvalidDevice;
	TRY(cuda.cuDevicePrimaryCtxReset(device));
	if (devices[device].primary)
		cuda.cuDevicePrimaryCtxRelease(device);
	devices[device].primary = NULL;
	atomic_fetch_add(&cudart.era, 1);
	cudart_thread.current = NULL;
	cudart_thread.last = cudaSuccess;
	return cudaSuccess;
}

cudaError_t device_init(int device, unsigned device_flags, unsigned flags)
{
	CUcontext context;

	if (flags & ~cudaInitDeviceFlagsAreValid)
		return cudaErrorInvalidValue;
	if (device < 0 || device >= number)
		return cudaErrorInvalidDevice;
	if (flags & cudaInitDeviceFlagsAreValid)
		TRY(cuda.cuDevicePrimaryCtxSetFlags(device, device_flags));
	return device_context(device, &context);
}

cudaError_t device_flags(unsigned *flags)
{
	int device, active;

	if (!flags)
		return cudaErrorInvalidValue;
	TRY(device_get(&device));
	TRY(cuda.cuDevicePrimaryCtxGetState(device, flags, &active));
	*flags |= cudaDeviceMapHost;
	return cudaSuccess;
}

cudaError_t device_set_flags(unsigned flags)
{
	int device;

	if (flags & ~(unsigned)cudaDeviceMask)
		return cudaErrorInvalidValue;
	TRY(device_get(&device));
	return (cudaError_t)cuda.cuDevicePrimaryCtxSetFlags(device,
							    flags & ~(unsigned)cudaDeviceMapHost);
}

cudaError_t device_count(int *count)
{
	cudaError_t result;

	if (!count)
		return cudaErrorInvalidValue;
	result = cudart_enter_DRIVER();
	*count = result ? 0 : number;
	return result;
}

/* Without a driver the version is 0. */
cudaError_t device_driver_version(int *version)
{
	if (!version)
		return cudaErrorInvalidValue;
	if (cudart_enter_DRIVER() || cuda.cuDriverGetVersion(version))
		*version = 0;
	return cudaSuccess;
}

cudaError_t device_runtime_version(int *version)
{
	if (!version)
		return cudaErrorInvalidValue;
	*version = CUDART_VERSION;
	return cudaSuccess;
}

/* The contexts on both sides exist: this thread's, and the peer's from here on. */
static cudaError_t peer_context(int peer, CUcontext *context)
{
	int device;

	TRY(device_get(&device));
	if (peer == device)
		return cudaErrorInvalidDevice;
	return device_context(peer, context);
}

cudaError_t device_enable_peer(int peer, unsigned flags)
{
	CUcontext context;

	TRY(peer_context(peer, &context));
	return (cudaError_t)cuda.cuCtxEnablePeerAccess(context, flags);
}

cudaError_t device_disable_peer(int peer)
{
	CUcontext context;

	TRY(peer_context(peer, &context));
	return (cudaError_t)cuda.cuCtxDisablePeerAccess(context);
}

/* ---- Which device suits ------------------------------------------------------ */

cudaError_t device_set_valid(const int *list, int count)
{
	CLEANUP(free_pointer) int *copy = NULL;
	LOCKED;

	if (count < 0 || (count && !list) || count > number)
		return cudaErrorInvalidValue;
	for (int i = 0; i < count; i++)
		if (list[i] < 0 || list[i] >= number)
			return cudaErrorInvalidDevice;
	copy = calloc((size_t)count + 1, sizeof(*copy));
	if (!copy)
		return cudaErrorMemoryAllocation;
	if (count)
		memcpy(copy, list, (size_t)count * sizeof(*copy));
	free(valid);
	valid = STEAL(copy);
	valid_count = count;
	if (count)
		cudart_thread.device = valid[0];
	return cudaSuccess;
}

/* How many of the properties that matter a device has; 0 in @wanted: any will do. */
static int rate(const struct cudaDeviceProp *has, const struct cudaDeviceProp *wanted)
{
	int version = wanted->major * 10 + wanted->minor;

	return (!version || has->major * 10 + has->minor >= version) +
	       (has->totalGlobalMem >= wanted->totalGlobalMem) +
	       (has->multiProcessorCount >= wanted->multiProcessorCount) +
	       (has->sharedMemPerBlock >= wanted->sharedMemPerBlock) +
	       (has->maxThreadsPerBlock >= wanted->maxThreadsPerBlock);
}

cudaError_t device_choose(int *device, const struct cudaDeviceProp *prop)
{
	struct cudaDeviceProp has;
	int best = -1;

	if (!device || !prop)
		return cudaErrorInvalidValue;
	for (int i = 0; i < number; i++) {
		TRY(properties_get(&has, i));
		if (rate(&has, prop) <= best)
			continue;
		best = rate(&has, prop);
		*device = i;
	}
	return cudaSuccess;
}

/* ---- The end ------------------------------------------------------------------ */

enum { DEFAULT_EXIT_WAIT = 10, LONGEST_EXIT_WAIT = 86400 }; /* seconds */
enum { LONGEST_NAP = 2 * 1000 * 1000 };			    /* nanoseconds */

static double exit_wait(void)
{
	const char *text = secure_getenv("GPURUN_EXIT_WAIT");
	double seconds;
	char *end;

	if (!text || !*text)
		return DEFAULT_EXIT_WAIT;
	seconds = strtod(text, &end);
	if (*end || !(seconds >= 0))
		return DEFAULT_EXIT_WAIT;
	return seconds < LONGEST_EXIT_WAIT ? seconds : LONGEST_EXIT_WAIT;
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

/* Waits for @event until the time @deadline of now(). */
static bool passes(CUevent event, double deadline)
{
	struct timespec nap = { .tv_nsec = 20 * 1000 };

	while (cuda.cuEventQuery(event) == CUDA_ERROR_NOT_READY) {
		if (now() >= deadline)
			return false;
		nanosleep(&nap, NULL);
		nap.tv_nsec = nap.tv_nsec < LONGEST_NAP / 2 ? 2 * nap.tv_nsec : LONGEST_NAP;
	}
	return true;
}

/* False when there is work that did not end in time. A failure is no reason to wait. */
static bool drain(CUcontext context, double deadline)
{
	CUevent event;
	bool done;

	if (cuda.cuCtxSetCurrent(context) ||
	    cuda.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING))
		return true;
	/* Of the whole context, or, for older drivers, of what the default stream waits for. */
	done = (cuda.cuCtxRecordEvent(context, event) && cuda.cuEventRecord(event, NULL)) ||
	       passes(event, deadline);
	if (done)
		cuda.cuCtxSynchronize();
	cuda.cuEventDestroy(event);
	return done;
}

void device_finish(void)
{
	CUcontext popped;

	for (int i = 0; i < number; i++)
		if (devices[i].primary && !cuda.cuCtxPushCurrent(devices[i].primary)) {
			cuda.cuCtxSynchronize();
			cuda.cuCtxPopCurrent(&popped);
		}
}

bool device_drain(void)
{
	double seconds = exit_wait(), deadline = now() + seconds;
	bool done = true;

	for (int i = 0; i < number; i++)
		if (devices[i].primary && !drain(devices[i].primary, deadline))
			done = false;
	if (!done)
		fprintf(stderr, "gpurun: libcudart: work on a device had not ended %g s after "
			"exit(): it is left to the driver\n", seconds);
	return done;
}
