/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "failed.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "asserts.h"
#include "cause.h"
#include "cleanup.h"
#include "demangle.h"
#include "findings.h"
#include "lock.h"

enum { OUT_OF_MEMORY = 2, MOST_PENDING = 64 };

/* ---- what is no finding ---------------------------------------------------------------- */

/* Tells whether @name is that of @pattern, or begins so if that ends in *. */
static bool is_like(const char *name, const char *pattern)
{
	const size_t length = strlen(pattern);

	if (pattern[length - 1] == '*')
		return !strncmp(name, pattern, length - 1);
	return !strcmp(name, pattern);
}

static bool is_harmless(const char *call, int error)
{
	static const struct {
		const char *call;
		int error;
	} rows[] = {
#define HARMLESS(call, error, why) { call, error },
#include "harmless_calls.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].error == error && is_like(call, rows[i].call))
			return true;
	return false;
}

/* Tells whether the file that @caller is in has a name that begins with @name. */
static bool is_in(const void *caller, const char *name)
{
	const char *slash;
	Dl_info there;

	if (!caller || !dladdr(caller, &there) || !there.dli_fname)
		return false;
	slash = strrchr(there.dli_fname, '/');
	return !strncmp(slash ? slash + 1 : there.dli_fname, name, strlen(name));
}

bool failed_caller_is_cudart(const void *caller)
{
	return is_in(caller, "libcudart.so");
}

bool failed_caller_is_ours(const void *caller)
{
	static const char *const ours[] = { "libgpurun.so", "libcudart.so",
					    "libmlir_cuda_runtime.so", "libLLVMOffload.so",
					    "libcuda.so" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (is_in(caller, ours[i]))
			return true;
	return false;
}

/* ---- findings ------------------------------------------------------------------------------ */

/* A call that failed. */
struct failure {
	char call[64], cause[512];
	const char *error_name; /* static */
	int error;
	const void *caller;
};

/* One finding for each place of the program, call and error. */
static void report(const struct failure *f)
{
	struct about about = ABOUT(FAILED_CALL);
	char key[160];

	about.call = f->call;
	about.error = f->error;
	about.error_name = f->error_name;
	snprintf(key, sizeof(key), "%s %d %p", f->call, f->error, f->caller);
	finding_report_once(key, CHECK_API, about, "%s: %s (%d)%s%s", f->call, f->error_name,
			    f->error, *f->cause ? ": " : "", f->cause);
}

static struct {
	pthread_mutex_t lock;
	struct failure items[MOST_PENDING];
	unsigned count;
} pending = { .lock = PTHREAD_MUTEX_INITIALIZER };

atomic_bool failed_pending;

#define LOCKED LOCKED_BY(&pending.lock, LOCK_FAILED)

/* False when there is no room: it is reported at once then. */
static bool wait_for_success(const struct failure *f)
{
	LOCKED;

	ASSERT(pending.count <= MOST_PENDING && f->error == OUT_OF_MEMORY);
	if (pending.count == MOST_PENDING)
		return false;
	pending.items[pending.count++] = *f;
	atomic_store(&failed_pending, true);
	return true;
}

void failed_call(const char *call, int error, const char *error_name, const char *why,
		 const void *caller)
{
	const struct cause_launch *launch = cause_launched();
	struct failure f = { .error_name = error_name, .error = error, .caller = caller };
	CLEANUP(free_pointer) char *kernel = NULL;

	if (!(config.check & CHECK_API) || is_harmless(call, error) || cause_is_harmless() ||
	    failed_caller_is_ours(caller))
		return;
	snprintf(f.call, sizeof(f.call), "%s", call);
	kernel = demangle_alone(launch->kernel);
	snprintf(f.cause, sizeof(f.cause), "%s%s%s", kernel ? kernel : launch->kernel,
		 *launch->kernel ? ": " : "",
		 *cause_text() ? cause_text() : why);
	if (error != OUT_OF_MEMORY || !wait_for_success(&f))
		report(&f);
}

void failed_worked(const char *call)
{
	unsigned kept = 0;
	LOCKED;

	for (unsigned i = 0; i < pending.count; i++)
		if (strcmp(pending.items[i].call, call))
			pending.items[kept++] = pending.items[i];
	ASSERT(kept <= pending.count);
	pending.count = kept;
	atomic_store(&failed_pending, kept > 0);
}

void failed_end(void)
{
	LOCKED;

	for (unsigned i = 0; i < pending.count; i++)
		report(&pending.items[i]);
	pending.count = 0;
	atomic_store(&failed_pending, false);
}
