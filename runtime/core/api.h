/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Entering and leaving public calls: whether the library is up, and the calling
 * thread's error record, which each call clears.
 */
#ifndef RUNTIME_API_H
#define RUNTIME_API_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "report_format.h"
#include "runtime.h"

enum { API_LOG_SIZE = 8192 };

/* What the last call of a thread reports. */
struct api_record {
	struct err err;      /* valid unless its code is 0. First: see api_enter() */
	int driver;          /* CUresult of the call that failed, or 0 */
	unsigned late_count; /* failures of steps that could not stop the call */
	struct err late;     /* what they were */
	unsigned unlisted;   /* of them, those that its text has no room for */
	unsigned unlogged;   /* of them, those that the log has no room for */
	bool inside;         /* the thread is in a call */
	bool host_function;  /* the thread runs a host function of a stream */
	unsigned pushed;     /* gpurun_context_push() without its pop */
	char log[API_LOG_SIZE];
	bool reported;       /* the fault of the call that failed is in report */
	char report[REPORT_MOST]; /* a record, for the strings of gpurun_report_get() */
};

/* The calling thread's record; NULL before its first call. Uses the little thread-local
 * memory that is accessed without a call of the loader. */
extern _Thread_local struct api_record *api_own __attribute__((tls_model("initial-exec")));

/* Creates the calling thread's record. */
struct api_record *api_first(void);

/* Returns the calling thread's record. */
static inline struct api_record *api_record(void)
{
	return __builtin_expect(!!api_own, 1) ? api_own : api_first();
}

/* Returns the log of the calling thread's record, filtered in its place: a driver names things. */
const char *api_shown_log(void);

/* Clears the calling thread's record, except its status, and returns it. */
static inline struct api_record *api_begin(void)
{
	struct api_record *record = api_record();

	record->log[0] = '\0';
	record->reported = false;
	record->driver = 0;
	record->late_count = 0;
	return record;
}

/* Clears the record of the calling thread and returns it. */
static inline struct api_record *api_clear(void)
{
	struct api_record *record = api_begin();

	record->err.code = GPURUN_OK;
	return record;
}

/* Writes why calls fail in @phase, which is not PHASE_UP; returns the status. */
int api_refuse_phase(enum runtime_phase phase, struct err *e);

/* Leaves a call that was entered while the library is not up: @record says why. NULL. */
struct err *api_refuse(struct api_record *record);

/*
 * Enters a call: NULL when the library cannot be used now; the record then says
 * why, and api_refused() returns the status. A call that is left stores its status
 * in the record.
 */
static inline struct err *api_enter(void)
{
	struct api_record *record = api_begin();

	if (__builtin_expect(!runtime_enter(), 0))
		return api_refuse(record);
	record->inside = true;
	return &record->err;
}

/* The status of a call with failures noted meanwhile: they are reported, too. */
int api_merge_late(struct api_record *record, int status);

/* Ends a call that never entered (gpurun_shutdown) as api_leave() does. */
static inline int api_outside(struct err *e, int status)
{
	struct api_record *record = (struct api_record *)e;

	if (__builtin_expect(record->late_count, 0))
		status = api_merge_late(record, status);
	e->code = (enum gpurun_status)status;
	return status;
}

/* Leaves a call with @status, or with the failures noted meanwhile. Returns which. */
static inline int api_leave(struct err *e, int status)
{
	status = api_outside(e, status);
	((struct api_record *)e)->inside = false;
	runtime_leave();
	return status;
}

/* The status of a call that api_enter() refused; a @release after the end succeeds. */
int api_refused(bool release);

/*
 * Notes a failure that does not stop the call: of a step of a teardown, or of
 * the destruction of an object whose last reference was released. All of them are
 * reported when the call ends.
 */
void api_failed(const struct err *e);

/* Adds a line that is no failure to the log of the calling thread's record. */
void api_log(const char *line);

/*
 * Copies @from to @to, both of @size bytes and beginning with a size_t, as far
 * as the caller's struct reaches: its first member is its size. GPURUN_INVALID
 * when that was not set.
 */
int api_copy_struct(void *to, const void *from, size_t size, struct err *e);

/* Runs an expression, which may use "e", as the body of a public function. */
#define API_CALL(...)                                                                    \
	({                                                                                 \
		struct err *e = api_enter();                                               \
		e ? api_leave(e, (__VA_ARGS__)) : api_refused(false);                      \
	})

/* As above for a function that releases: it succeeds after the end. */
#define API_RELEASE(...)                                                                 \
	({                                                                                 \
		struct err *e = api_enter();                                               \
		e ? api_leave(e, (__VA_ARGS__)) : api_refused(true);                       \
	})

#endif
