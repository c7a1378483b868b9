/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * olInit() and olShutDown(), which count. The environment is read by the olInit()
 * that brings the library up. A machine without a driver or GPU has the host
 * device alone, unless GPURUN_DEVICE asks for more: then that is a failure.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "ol.h"

struct ol_state ol;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned inits; /* olInit() without its olShutDown(); under the lock */

/* What the environment says, in bytes; 0: nothing. */
struct settings {
	uint64_t stack;  /* of a thread */
	uint64_t heap;   /* of malloc() in kernels */
	uint64_t shared; /* of a block, dynamic: the least that a launch has */
};

static const char *environment(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

/* The number in @name; 0 where there is none. OL_ERRC_INVALID_VALUE for another thing. */
static ol_result_t read_number(const char *name, uint64_t most, uint64_t *number)
{
	const char *text = environment(name);
	char *end;

	*number = 0;
	if (!text)
		return OL_SUCCESS;
	errno = 0;
	*number = strtoull(text, &end, 0);
	if (errno || *end || *text == '-' || *number > most)
		return ol_error(OL_ERRC_INVALID_VALUE, "%s is '%.64s': expected a number of "
				"bytes, %llu at most", name, text, (unsigned long long)most);
	return OL_SUCCESS;
}

static ol_result_t read_settings(struct settings *settings)
{
	OL_TRY(read_number("LIBOMPTARGET_STACK_SIZE", UINT64_MAX, &settings->stack));
	OL_TRY(read_number("LIBOMPTARGET_HEAP_SIZE", UINT64_MAX, &settings->heap));
	return read_number("LIBOMPTARGET_SHARED_MEMORY_SIZE", UINT_MAX, &settings->shared);
}

static ol_result_t limit_devices(enum gpurun_limit limit, uint64_t bytes)
{
	struct gpurun_device device;
	int count, status = gpurun_device_count(&count);

	for (int i = 0; !status && i < count; i++)
		status = gpurun_device_get(i, &device) ?:
			 gpurun_device_set_limit(device, limit, bytes);
	return ol_result(status, OL_ERRC_INVALID_DEVICE);
}

/* Limits hold from here on; setting them brings up each device's context. */
static ol_result_t set_limits(const struct settings *settings)
{
	if (settings->stack)
		OL_TRY(limit_devices(GPURUN_LIMIT_STACK, settings->stack));
	return settings->heap ? limit_devices(GPURUN_LIMIT_HEAP, settings->heap) : OL_SUCCESS;
}

/* A driver is counted in, or there is none and nobody asked for one. */
static ol_result_t open_driver(bool *driverless)
{
	int status = gpurun_init(NULL);

	*driverless = status == GPURUN_NO_DEVICE && !environment("GPURUN_DEVICE");
	return status && !*driverless ? ol_result(status, OL_ERRC_INVALID_DEVICE) : OL_SUCCESS;
}

static void close_driver(bool driverless)
{
	if (!driverless)
		gpurun_shutdown();
}

/* Under the lock. */
static void come_up(const struct settings *settings, bool driverless)
{
	atomic_store(&ol.driverless, driverless);
	atomic_store(&ol.shared, (unsigned)settings->shared);
	atomic_store(&ol.validates, !secure_getenv("OFFLOAD_DISABLE_VALIDATION"));
	atomic_store(&ol.traces, secure_getenv("OFFLOAD_TRACE") != NULL);
	atomic_store_explicit(&ol.up, true, memory_order_release);
}

/* Counts one more olInit(); tells whether it is the first. */
static bool count_up(const struct settings *settings, bool driverless)
{
	bool first;

	pthread_mutex_lock(&lock);
	first = !inits++;
	if (first)
		come_up(settings, driverless);
	pthread_mutex_unlock(&lock);
	return first;
}

/*
 * The driver is opened before the lock is taken: opening a library waits for the
 * loader, whose owner may be a static constructor that waits for us. The first to
 * come keeps the runtime; it is counted once.
 */
ol_result_t olInit_impl(void)
{
	struct settings settings;
	ol_result_t result;
	bool driverless;

	OL_TRY(read_settings(&settings));
	OL_TRY(open_driver(&driverless));
	result = driverless || atomic_load(&ol.up) ? OL_SUCCESS : set_limits(&settings);
	if (result || !count_up(&settings, driverless))
		close_driver(driverless);
	return result;
}

/* What the runtime releases goes with it, what is left of a step that fails too. */
static ol_result_t go_down(void)
{
	ol_result_t result = OL_SUCCESS;

	atomic_store_explicit(&ol.up, false, memory_order_release);
	if (!atomic_load(&ol.driverless))
		result = ol_result(gpurun_shutdown(), OL_ERRC_INVALID_DEVICE);
	ol_register_forget();
	return result;
}

static ol_result_t count_down(void)
{
	if (!inits)
		return ol_uninitialized();
	return --inits ? OL_SUCCESS : go_down();
}

ol_result_t olShutDown_impl(void)
{
	ol_result_t result;

	pthread_mutex_lock(&lock);
	result = count_down();
	pthread_mutex_unlock(&lock);
	return result;
}
