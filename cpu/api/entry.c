/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "entry.h"

#include <stdio.h>
#include <stdlib.h>

#include "answer.h"
#include "arena.h"
#include "asserts.h"
#include "calls.h"
#include "cause.h"
#include "cleanup.h"
#include "config.h"
#include "context.h"
#include "exports.h"
#include "host_fault.h"
#include "kernel_time.h"
#include "listing.h"
#include "lock.h"
#include "order.h"
#include "outcome.h"
#include "output.h"
#include "pool.h"
#include "race.h"
#include "report.h"
#include "trace_file.h"

static bool configured; /* the defaults and GPURUN_CPU are read */

CUresult refused_in_host_function(void)
{
	if (!pool_in_host_function())
		return CUDA_SUCCESS;
	TRY(driver_result());
	return CUDA_ERROR_NOT_PERMITTED;
}

struct api_call enter_from(enum need need, const char *name)
{
	struct api_call call = { .result = driver_result() };

	cause_clear();
	arena_caller = name[0] == 'c' && name[1] == 'u' ? name : NULL;
	if (call.result)
		return call;
	driver_lock();
	call.locked = true;
	ASSERT(need <= NEED_CONTEXT);
	order_count_caller();
	call.result = driver_result();
	if (!call.result && need >= NEED_ACTIVE)
		call.result = context_result(need == NEED_CONTEXT);
	return call;
}

void leave(struct api_call *call)
{
	if (call->locked)
		driver_unlock();
}

/*
 * Runs at exit, before the handlers registered earlier than cuInit: for those,
 * and for destructors, the driver has ended. Threads are made to end; what they
 * worked on is left to the process's end.
 */
static void end(void)
{
	if (!driver_enter_state(DRIVER_READY, DRIVER_ENDED))
		return;
	driver_lock();
	driver_changed();
	pool_end();
	driver_unlock();
	pool_join();
	output_flush();
	driver_lock(); /* some call may still be running */
	if (config.check & CHECK_LEAK && !context_faulted())
		context_report_leaks(NULL);
	if (config.log_calls)
		calls_report();
	if (config.log_jit_time)
		kernel_time_report();
	listing_report_empty();
	driver_unlock();
}

/* No lock: a thread that held one does not exist in the child. */
static void forked(void)
{
	driver_enter_state(driver_state(), DRIVER_FORKED);
}

/* The caller holds the lock. */
static int configure(const char *options, struct err *e)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	if (!configured)
		TRY(config_init(e));
	configured = true;
	return config_parse(options, e);
}

void entry_configure(void)
{
	struct err e;

	if (driver_state() != DRIVER_NEW)
		return;
	driver_lock();
	if (driver_state() == DRIVER_NEW && !configure(NULL, &e) && config.check & CHECK_API)
		outcome_begin();
	driver_unlock();
}

static CUresult initialise(void)
{
	struct err e = { 0 };

	ASSERT(lock_is_held(LOCK_DRIVER) && driver_state() == DRIVER_NEW);
	if (configure(NULL, &e)) {
		report_refusal(KIND_OTHER, "%s", e.text);
		return CUDA_ERROR_INVALID_VALUE;
	}
	if ((config.check && arena_prepare(&e)) ||
	    (config.check & CHECK_RACE && race_prepare(&e))) {
		report_refusal(KIND_OTHER, "%s", e.text);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (!outcome_begin())
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (pthread_atfork(NULL, NULL, forked) || atexit(end))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!config.shared_with_host)
		host_fault_watch();
	trace_open();
	answer_begin();
	driver_enter_state(DRIVER_NEW, DRIVER_READY);
	return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags)
{
	CUresult result = CUDA_SUCCESS;

	if (driver_state() == DRIVER_FORKED)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	driver_lock();
	if (driver_state() == DRIVER_NEW)
		result = initialise();
	else
		result = driver_result();
	driver_unlock();
	return result;
}

CUresult gpurunCpuConfigure(const char *options, char *message, size_t size)
{
	CUresult result = CUDA_SUCCESS;
	struct err e = { 0 };

	if (message && size)
		message[0] = '\0';
	if (driver_state() == DRIVER_FORKED)
		return CUDA_ERROR_NOT_INITIALIZED;
	driver_lock();
	if (driver_state() != DRIVER_NEW) {
		err_set(&e, GPURUN_INVALID, "CPU device: options must come before cuInit");
		result = driver_ended() ? CUDA_ERROR_DEINITIALIZED : CUDA_ERROR_ILLEGAL_STATE;
	} else if (configure(options, &e)) {
		result = CUDA_ERROR_INVALID_VALUE;
	}
	driver_unlock();
	if (result && message && size)
		snprintf(message, size, "%s", e.text);
	return result;
}

CUresult cuDriverGetVersion(int *version)
{
	if (driver_ended())
		return CUDA_ERROR_DEINITIALIZED;
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = DRIVER_VERSION;
	return CUDA_SUCCESS;
}

static const struct {
	CUresult number;
	const char *name, *meaning;
} results[] = {
#define CUDA_ERROR(name, number, meaning) { name, #name, meaning },
	CUDA_RESULTS
#undef CUDA_ERROR
};

/* Finds the row of @result; both texts are NULL for a number that has none. */
static CUresult describe(CUresult result, const char **name, const char **meaning)
{
	*name = *meaning = NULL;
	if (driver_ended())
		return CUDA_ERROR_DEINITIALIZED;
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		if (results[i].number == result) {
			*name = results[i].name;
			*meaning = results[i].meaning;
			return CUDA_SUCCESS;
		}
	}
	return CUDA_ERROR_INVALID_VALUE;
}

const char *entry_result_name(CUresult result)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].number == result)
			return results[i].name;
	return "an unknown error";
}

CUresult cuGetErrorName(CUresult result, const char **name)
{
	const char *meaning;

	outcome_looked((int)result);
	return name ? describe(result, name, &meaning) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult result, const char **text)
{
	const char *name;

	outcome_looked((int)result);
	return text ? describe(result, &name, text) : CUDA_ERROR_INVALID_VALUE;
}
