/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "lock.h"
#include "note.h"

/* A primary context, retained while it is not NULL; set under the lock. */
static struct device {
	_Atomic(CUcontext) primary;
} *devices;
static int number; /* of devices */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define LOCKED LOCKED_BY(&lock, LOCK_PRIMARIES)

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
	CUcontext primary;
	LOCKED;

	if (device < 0 || device >= number)
		return note_cause(cudaErrorInvalidDevice, "device %d of %d", device, number);
	primary = devices[device].primary;
	if (!primary)
		TRY(cuda.cuDevicePrimaryCtxRetain(&primary, device));
	devices[device].primary = *context = primary;
	return cudaSuccess;
}

int device_number(void)
{
	return number;
}

CUcontext device_primary(int device)
{
	return devices[device].primary;
}

/* Takes note of the context that is current now, so that the next call only compares. */
static cudaError_t note(CUcontext current, unsigned era)
{
	cudart_thread.current = current;
	cudart_thread.era = era;
	return cudaSuccess;
}

/* A primary context whose device was reset since is no longer one; retained again, it has
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
	CUresult result;

	if (!device)
		return cudaErrorInvalidValue;
	result = cuda.cuCtxGetCurrent(&current);
	if (result == CUDA_ERROR_NOT_PERMITTED)
		return (cudaError_t)result;
	if (!result && current && !cuda.cuCtxGetDevice(device))
		return cudaSuccess;
	*device = cudart_thread.device;
	return cudaSuccess;
}

/* A stream that is no number has its device; it is asked inside a host function, too. */
cudaError_t device_of_stream(cudaStream_t stream, int *device)
{
	if ((uintptr_t)stream <= (uintptr_t)CU_STREAM_PER_THREAD)
		TRY(cudart_enter_CONTEXT());
	return (cudaError_t)cuda.cuStreamGetDevice(stream, device);
}

cudaError_t device_reset(void)
{
	int device;
	LOCKED;

	TRY(device_get(&device));
	if (device < 0 || device >= number)
		return note_cause(cudaErrorInvalidDevice, "device %d of %d", device, number);
	TRY(cuda.cuDevicePrimaryCtxReset(device));
	if (devices[device].primary)
		cuda.cuDevicePrimaryCtxRelease(device);
	devices[device].primary = NULL;
	atomic_fetch_add(&cudart.era, 1);
	cudart_thread.current = NULL;
	cudart_thread.last = cudaSuccess;
	note_reset();
	return cudaSuccess;
}

cudaError_t device_init(int device, unsigned device_flags, unsigned flags)
{
	CUcontext context;

	if (device < 0 || device >= number)
		return note_cause(cudaErrorInvalidDevice, "device %d of %d", device, number);
	if (flags & cudaInitDeviceFlagsAreValid)
		TRY(cuda.cuDevicePrimaryCtxSetFlags(
			device, device_flags & ~(unsigned)cudaDeviceMapHost));
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
	/* Host memory is mapped whatever is asked for; the bits without a name are dropped. */
	return (cudaError_t)cuda.cuDevicePrimaryCtxSetFlags(
		device, flags & (cudaDeviceScheduleMask | cudaDeviceLmemResizeToMax |
				 cudaDeviceSyncMemops));
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
		return cudaErrorPeerAccessUnsupported;
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
	cudaError_t result = peer_context(peer, &context);

	if (result == cudaErrorPeerAccessUnsupported)
		return cudaErrorPeerAccessNotEnabled;
	TRY(result);
	return (cudaError_t)cuda.cuCtxDisablePeerAccess(context);
}

/* ---- Which device suits ------------------------------------------------------ */

/* The first one is this thread's, where it has not begun with another: devices do not fail to
 * work one by one, so no other is ever tried. */
cudaError_t device_set_valid(const int *list, int count)
{
	if (count < 0 || (count && !list) || count > number)
		return cudaErrorInvalidValue;
	for (int i = 0; i < count; i++)
		if (list[i] < 0 || list[i] >= number)
			return cudaErrorInvalidDevice;
	if (count)
		cudart_thread.device = list[0];
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
