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

static ol_result_t configure(void)
{
	uint64_t shared;

	OL_TRY(read_number("LIBOMPTARGET_SHARED_MEMORY_SIZE", UINT_MAX, &shared));
	atomic_store(&ol.shared, (unsigned)shared);
	atomic_store(&ol.validates, !secure_getenv("OFFLOAD_DISABLE_VALIDATION"));
	atomic_store(&ol.traces, secure_getenv("OFFLOAD_TRACE") != NULL);
	return OL_SUCCESS;
}

static ol_result_t come_up(void)
{
	int status = gpurun_init(NULL);
	bool driverless = status == GPURUN_NO_DEVICE && !environment("GPURUN_DEVICE");
	ol_result_t result;

	if (status && !driverless)
		return ol_result(status, OL_ERRC_INVALID_DEVICE);
	atomic_store(&ol.driverless, driverless);
	result = configure();
	if (result && !driverless)
		gpurun_shutdown();
	return result;
}

static ol_result_t count_up(void)
{
	ol_result_t result = inits ? OL_SUCCESS : come_up();

	if (!result && !inits++)
		atomic_store_explicit(&ol.up, true, memory_order_release);
	return result;
}

ol_result_t olInit_impl(void)
{
	ol_result_t result;

	pthread_mutex_lock(&lock);
	result = count_up();
	pthread_mutex_unlock(&lock);
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
