/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Initialisation and shutdown. A driver is opened and initialised before the lock
 * is acquired: opening a library waits for the loader's lock, whose owner may be
 * a static constructor that waits for us.
 */
#include "init.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "asserts.h"
#include "cuda_error.h"
#include "device.h"
#include "end.h"
#include "lock.h"
#include "place.h"
#include "report_fetch.h"
#include "reuse_stream.h"
#include "runtime.h"
#include "teardown.h"
#include "usage.h"

#define CPU_DRIVER "gpurun/cpu/libcuda.so.1"

/* A driver that is up, before it becomes the library's. */
struct candidate {
	struct cuda_api cuda;
	int count;      /* devices */
	int ordinal;    /* of the default one */
};

/* A process keeps the first libcuda.so.1 that it loads: here it is the CPU device, or may be. */
static atomic_bool cpu_loaded;

/* ---- Choosing a driver ---------------------------------------------------- */

static const char *gpu_driver(void)
{
	const char *path = secure_getenv("GPURUN_DRIVER");

	return path && *path ? path : "libcuda.so.1";
}

/* The CPU device's file is beside this library, wherever that is. */
static int cpu_driver(char *path, size_t size, struct err *e)
{
	size_t length;

	TRY(place_of_library(path, size, e));
	length = strlen(path);
	if ((size_t)snprintf(path + length, size - length, "/" CPU_DRIVER) >= size - length)
		return err_set(e, GPURUN_NO_DEVICE, "the path of the CPU device is too long");
	return 0;
}

/* Calls cuInit and counts the devices; *@absent when there is none. */
static int start(struct candidate *candidate, bool *absent, struct err *e)
{
	CUresult result = candidate->cuda.cuInit(0);

	*absent = result == CUDA_ERROR_NO_DEVICE || result == CUDA_ERROR_STUB_LIBRARY;
	if (result)
		return device_fail(NULL, result, "cuInit", e);
	result = candidate->cuda.cuDeviceGetCount(&candidate->count);
	if (result)
		return device_fail(NULL, result, "cuDeviceGetCount", e);
	*absent = candidate->count == 0;
	if (*absent)
		return err_set(e, GPURUN_NO_DEVICE, "the CUDA driver has no devices");
	return 0;
}

/* Where @path, which a GPU was to have, is the CPU device. */
static int refuse_cpu(const char *path, struct err *e)
{
	err_set(e, GPURUN_NO_DEVICE, "%s is gpurun's CPU device, not a GPU's driver", path);
	if (atomic_load(&cpu_loaded) && !strchr(path, '/'))
		return err_hint(e, "an earlier gpurun_init() has loaded the CPU device, which "
				"stays in this process: use the GPU in another one");
	return err_hint(e, "gpurun -d cpu --exec, LD_LIBRARY_PATH or GPURUN_DRIVER chose it: run "
			"without them, or ask for it by its name: cpu");
}

static int start_gpu(const struct selector *selector, struct candidate *candidate,
		     bool *absent, struct err *e)
{
	const char *path = gpu_driver();

	TRY(cuda_api_open(path, &candidate->cuda, absent, e));
	if (candidate->cuda.cpu && selector->kind == SELECT_GPU)
		return refuse_cpu(path, e);
	return start(candidate, absent, e);
}

static bool is_configured(const char *options)
{
	bool is;

	runtime_lock();
	is = !strcmp(options, runtime.cpu_options);
	runtime_unlock();
	return is;
}

/* Passes the options to the device; they are in force from its first cuInit on. */
static int configure(const struct selector *selector, struct candidate *candidate,
		     struct err *e)
{
	char message[ERR_TEXT_SIZE / 2] = "";
	CUresult result;

	/* Without options it only reads GPURUN_CPU; after the first cuInit it is too late. */
	if (!selector->options[0]) {
		result = candidate->cuda.gpurunCpuConfigure("", message, sizeof(message));
		return result != CUDA_ERROR_INVALID_VALUE ? 0 :
			       err_set(e, GPURUN_INVALID, "GPURUN_CPU: %s", message);
	}
	if (is_configured(selector->options))
		return 0;
	if (candidate->cuda.gpurunCpuConfigure(selector->options, message, sizeof(message)))
		return err_set(e, GPURUN_INVALID, "cpu:%.128s: %s", selector->options,
			       message);
	return 0;
}

static int start_cpu(const struct selector *selector, struct candidate *candidate,
		     struct err *e)
{
	char path[4096];
	bool absent;

	TRY(cpu_driver(path, sizeof(path), e));
	TRY(cuda_api_open(path, &candidate->cuda, &absent, e));
	atomic_store(&cpu_loaded, true);
	TRY(configure(selector, candidate, e));
	TRY(start(candidate, &absent, e));
	/* Reports are fetched: the device need not print them. */
	candidate->cuda.gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, NULL, 0);
	return 0;
}

static int choose(const struct selector *selector, struct candidate *candidate,
		  struct err *e)
{
	bool absent = false;
	int status;

	if (selector->kind == SELECT_CPU)
		return start_cpu(selector, candidate, e);
	status = start_gpu(selector, candidate, &absent, e);
	if (selector->kind == SELECT_AUTO && status && absent)
		return start_cpu(selector, candidate, e);
	if (status && absent)
		return err_hint(e, "GPURUN_DEVICE=cpu, or cpu as the device, runs PTX on the "
				"CPU");
	return status;
}

/* ---- Up and down ---------------------------------------------------------- */

/*
 * Counts one more init when the library is up: *@joined. The current device must
 * then match @wanted; any does where no device is asked for. Under the lock.
 */
static int join(const struct selector *wanted, bool *joined, struct err *e)
{
	ASSERT(lock_is_held(LOCK_RUNTIME));
	*joined = false;
	while (runtime_phase() == PHASE_CLOSING)
		pthread_cond_wait(&runtime.changed, &runtime.lock);
	if (runtime_phase() == PHASE_ENDED)
		return api_refuse_phase(PHASE_ENDED, e);
	if (runtime_phase() != PHASE_UP)
		return 0;
	if (!selector_agrees(wanted, &runtime.selector, runtime.cuda.cpu,
			     runtime.default_device))
		return err_set(e, GPURUN_INVALID, "gpurun is initialised with another "
			       "device: %s %d", runtime.cuda.cpu ? "the CPU device" : "GPU",
			       runtime.default_device);
	runtime.inits++;
	*joined = true;
	return 0;
}

/* Makes @candidate the library's driver. Under the lock. */
static int adopt(const struct selector *selector, struct candidate *candidate,
		 struct err *e)
{
	ASSERT(lock_is_held(LOCK_RUNTIME) && runtime_phase() == PHASE_DOWN && !runtime.devices);
	ASSERT(candidate->count > 0 && candidate->ordinal >= 0 &&
	       candidate->ordinal < candidate->count);
	TRY(end_hook(candidate->cuda.library, e));
	runtime.devices = calloc((size_t)candidate->count, sizeof(runtime.devices[0]));
	if (!runtime.devices)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %d devices",
			       candidate->count);
	runtime.cuda = candidate->cuda;
	runtime.device_count = candidate->count;
	runtime.default_device = candidate->ordinal;
	runtime.selector = *selector;
	if (candidate->cuda.cpu && selector->options[0])
		memcpy(runtime.cpu_options, selector->options, sizeof(runtime.cpu_options));
	reuse_configure();
	usage_configure();
	runtime.inits = 1;
	runtime_set_phase(PHASE_UP);
	if (runtime.recovers)
		report_recovered();
	return 0;
}

static int join_locked(const struct selector *selector, bool *joined, struct err *e)
{
	int status;

	runtime_lock();
	status = join(selector, joined, e);
	runtime_unlock();
	return status;
}

static int join_or_adopt(const struct selector *selector, struct candidate *candidate,
			 struct err *e)
{
	bool joined;
	int status;

	runtime_lock();
	status = join(selector, &joined, e);
	if (!status && !joined)
		status = adopt(selector, candidate, e);
	runtime_unlock();
	return status;
}

/* A caller without a selector gets the current device, else a GPU. */
static const struct selector no_wish = { .kind = SELECT_AUTO };

int runtime_init(const char *device, struct err *e)
{
	struct candidate candidate = { 0 };
	struct selector selector;
	bool any = false, joined;
	int status;

	if (runtime_phase() == PHASE_FORKED || (runtime.pid && runtime.pid != getpid()))
		return api_refuse_phase(PHASE_FORKED, e);
	if (!device)
		device = secure_getenv("GPURUN_DEVICE");
	if (!device || !*device)
		device = "gpu", any = true;
	TRY(selector_parse(device, &selector, e));
	TRY(end_prepare(e));
	TRY(join_locked(any ? &no_wish : &selector, &joined, e));
	if (joined)
		return 0;
	status = choose(&selector, &candidate, e);
	if (!status)
		status = device_select(&candidate.cuda, candidate.count, &selector,
				       &candidate.ordinal, e);
	if (!status)
		return join_or_adopt(&selector, &candidate, e);
	/* Another thread may have succeeded meanwhile. */
	if (!join_locked(&selector, &joined, NULL) && joined)
		return 0;
	return status;
}

/* Whether a call has returned a fault of a device. */
static bool has_fault(void)
{
	for (int i = 0; i < runtime.device_count; i++)
		if (runtime.devices[i] && atomic_load(&runtime.devices[i]->fault))
			return true;
	return false;
}

/* Shuts everything down: calls are refused, those inside leave. Under the lock. */
static void close_down(void)
{
	ASSERT(lock_is_held(LOCK_RUNTIME) && runtime_phase() == PHASE_UP && !runtime.inits);
	runtime_set_phase(PHASE_CLOSING);
	while ((uint32_t)atomic_load(&runtime.gate))
		pthread_cond_wait(&runtime.changed, &runtime.lock);
	runtime.recovers = has_fault();
	runtime_unlock();
	api_record()->inside = true;
	teardown();
	api_record()->inside = false;
	runtime_lock();
	/* The exit hook does not wait longer than its limit. */
	if (runtime_phase() == PHASE_CLOSING)
		runtime_set_phase(PHASE_DOWN);
}

int runtime_shutdown(struct err *e)
{
	int status = 0;

	if (runtime_phase() == PHASE_FORKED)
		return api_refuse_phase(PHASE_FORKED, e);
	runtime_lock();
	while (runtime_phase() == PHASE_CLOSING)
		pthread_cond_wait(&runtime.changed, &runtime.lock);
	if (runtime_phase() == PHASE_DOWN)
		status = api_refuse_phase(PHASE_DOWN, e);
	else if (runtime_phase() == PHASE_UP && --runtime.inits == 0)
		close_down();
	runtime_unlock();
	return status;
}
