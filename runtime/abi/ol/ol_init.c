/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * olInit() and olShutDown(), which count. The environment, and the arguments of olInit(), are
 * read by the call that initialises the library. A machine without a driver or GPU has the host
 * device alone, unless GPURUN_DEVICE asks for more: then that is a failure.
 *
 * The runtime is initialised and shut down without the lock: opening a driver waits
 * for the loader's lock, whose owner may be a static constructor that waits for us.
 * Several threads may initialise it at the same time; one of them counts.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "ol.h"

struct ol_state ol;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* not closing any more */
static unsigned inits; /* olInit() without its olShutDown(); under the lock */
static bool closing;   /* a last olShutDown() is running; under the lock */

/* What an olInit() found, which becomes the library's state if no other was faster. */
struct candidate {
	bool driverless;           /* there is no driver, and none was asked for */
	bool host_alone;           /* platform CUDA was not asked for */
	uint64_t stack, heap;      /* bytes, as those below; 0: not set */
	uint64_t shared;           /* of a block, dynamic: the least that a launch has */
	bool validates, traces;
};

static const char *environment(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

/* Reads a number, decimal or after 0x; false for anything else. */
static bool parse(const char *text, uint64_t *number)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoull(text, &end, hex ? 16 : 10);
	return !errno && !*end;
}

/* The number in @name; 0 where it is not set. OL_ERRC_INVALID_VALUE for anything else. */
static ol_result_t read_number(const char *name, uint64_t most, uint64_t *number)
{
	const char *text = environment(name);

	*number = 0;
	if (text && (!parse(text, number) || *number > most))
		return ol_error(OL_ERRC_INVALID_VALUE, "%s is '%.64s': expected a number of "
				"bytes, %llu at most", name, text, (unsigned long long)most);
	return OL_SUCCESS;
}

static ol_result_t read_environment(struct candidate *candidate)
{
	candidate->validates = !secure_getenv("OFFLOAD_DISABLE_VALIDATION");
	candidate->traces = secure_getenv("OFFLOAD_TRACE") != NULL;
	OL_TRY(read_number("LIBOMPTARGET_STACK_SIZE", UINT64_MAX, &candidate->stack));
	OL_TRY(read_number("LIBOMPTARGET_HEAP_SIZE", UINT64_MAX, &candidate->heap));
	if (!ol_variant.has_least_shared)
		return OL_SUCCESS;
	return read_number("LIBOMPTARGET_SHARED_MEMORY_SIZE", UINT_MAX, &candidate->shared);
}

/* Reads whether platform CUDA is wanted; unknown platforms are skipped. */
static ol_result_t read_platforms(const ol_init_args_t *args, bool *cuda)
{
	*cuda = true;
	if (!args)
		return OL_SUCCESS;
	if (args->Size < sizeof(*args))
		return ol_error(OL_ERRC_INVALID_SIZE, "InitArgs->Size is %zu, expected %zu at "
				"least", args->Size, sizeof(*args));
	if (!args->NumPlatforms)
		return OL_SUCCESS;
	if (!args->Platforms)
		return ol_error(OL_ERRC_INVALID_NULL_POINTER, "InitArgs->Platforms is NULL, and "
				"InitArgs->NumPlatforms is %u", args->NumPlatforms);
	*cuda = false;
	for (uint32_t i = 0; i < args->NumPlatforms; i++)
		*cuda |= args->Platforms[i] == OL_PLATFORM_BACKEND_CUDA;
	return OL_SUCCESS;
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

/* Limits are in force from here on; setting them creates each device's context. */
static ol_result_t set_limits(const struct candidate *candidate)
{
	if (candidate->driverless)
		return OL_SUCCESS;
	if (candidate->stack)
		OL_TRY(limit_devices(GPURUN_LIMIT_STACK, candidate->stack));
	if (candidate->heap)
		OL_TRY(limit_devices(GPURUN_LIMIT_HEAP, candidate->heap));
	return OL_SUCCESS;
}

static ol_result_t open_driver(struct candidate *candidate)
{
	int status;

	gpurun_error_relay();
	status = gpurun_init(NULL);
	candidate->driverless = status == GPURUN_NO_DEVICE && !environment("GPURUN_DEVICE");
	if (status && !candidate->driverless)
		return ol_result(status, OL_ERRC_INVALID_DEVICE);
	return OL_SUCCESS;
}

static ol_result_t close_driver(bool driverless)
{
	return driverless ? OL_SUCCESS : ol_result(gpurun_shutdown(), OL_ERRC_INVALID_DEVICE);
}

static ol_result_t initialise(const ol_init_args_t *args, struct candidate *candidate)
{
	ol_result_t result;
	bool cuda;

	OL_TRY(read_environment(candidate));
	OL_TRY(read_platforms(args, &cuda));
	candidate->driverless = candidate->host_alone = !cuda;
	if (cuda)
		OL_TRY(open_driver(candidate));
	result = set_limits(candidate);
	return result ? ol_joined(result, close_driver(candidate->driverless)) : OL_SUCCESS;
}

/* Makes @candidate the library's state. Under the lock. */
static void adopt(const struct candidate *candidate)
{
	atomic_store(&ol.driverless, candidate->driverless);
	atomic_store(&ol.host_alone, candidate->host_alone);
	atomic_store(&ol.validates, candidate->validates);
	atomic_store(&ol.traces, candidate->traces);
	atomic_store(&ol.shared, (unsigned)candidate->shared);
	inits = 1;
	atomic_store_explicit(&ol.up, true, memory_order_release);
}

/* Counts one more olInit() when the library is up, else makes @candidate its state, unless
 * that is NULL. True: it was up. */
static bool join_or_adopt(const struct candidate *candidate)
{
	bool up;

	pthread_mutex_lock(&lock);
	while (closing)
		pthread_cond_wait(&changed, &lock);
	up = inits > 0;
	if (up)
		inits++;
	else if (candidate)
		adopt(candidate);
	pthread_mutex_unlock(&lock);
	return up;
}

/* Another thread may have been inside, with the lock, or in the middle of its work. */
static void after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&changed, NULL);
	closing = false;
	atomic_store(&ol.up, inits > 0);
	ol_register_after_fork();
}

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static int prepare_result;

static void prepare(void)
{
	prepare_result = pthread_atfork(NULL, NULL, after_fork);
}

/* At the end of the process, and in a child of fork(), it cannot be initialised again:
 * success would promise what every other call refuses. */
static ol_result_t check_driver(void)
{
	int count, status;

	if (!atomic_load(&ol.up) || atomic_load(&ol.driverless))
		return OL_SUCCESS;
	status = gpurun_device_count(&count);
	if (status != GPURUN_ENDED && status != GPURUN_FORKED)
		return OL_SUCCESS;
	return ol_result(status, OL_ERRC_INVALID_DEVICE);
}

ol_result_t olInit_impl(const ol_init_args_t *args)
{
	struct candidate candidate = { 0 };
	ol_result_t result;

	pthread_once(&prepared, prepare);
	if (prepare_result)
		return ol_error(OL_ERRC_OUT_OF_RESOURCES, "cannot register a fork handler");
	OL_TRY(check_driver());
	if (join_or_adopt(NULL))
		return OL_SUCCESS;
	result = initialise(args, &candidate);
	if (result) {
		atomic_store(&ol.traces, candidate.traces); /* shows the failure too */
		return result;
	}
	if (join_or_adopt(&candidate))
		close_driver(candidate.driverless); /* the other thread's keeps it up */
	return OL_SUCCESS;
}

/* The runtime releases everything, also what is left by a step that fails. */
static ol_result_t shut_down(void)
{
	ol_result_t result = close_driver(atomic_load(&ol.driverless));

	ol_register_forget();
	pthread_mutex_lock(&lock);
	closing = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return result;
}

ol_result_t olShutDown_impl(void)
{
	bool counted, last;

	pthread_mutex_lock(&lock);
	counted = inits > 0;
	inits -= counted;
	last = counted && !inits;
	if (last) {
		closing = true;
		atomic_store_explicit(&ol.up, false, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	if (last)
		return shut_down();
	return counted ? OL_SUCCESS : ol_uninitialized();
}
