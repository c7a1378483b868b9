/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A worker that cannot begin a CTA without memory, and has taken others with it. A fault
 * takes back what is left of a grid, but not what a worker is about to take at that moment:
 * the tickets here are always such.
 */
#include <stdatomic.h>
#include <time.h>

#include "exec.h"
#include "exports.h"
#include "programs.h"
#include "tap.h"
#include "tickets.h"

enum { CTAS = 8 };

/* ---- Tickets and execution in the place of the real ones ------------------------- */

struct tickets {
	_Atomic uint64_t next;
};

static atomic_uint begun;

struct tickets *tickets_new(uint64_t total, unsigned takers)
{
	(void)total, (void)takers;
	return calloc(1, sizeof(struct tickets));
}

void tickets_free(struct tickets *tickets)
{
	free(tickets);
}

/* The first one; the others are taken at once with it. */
bool tickets_pop(struct tickets *tickets, unsigned taker, uint64_t *index)
{
	uint64_t none = 0;

	(void)taker;
	*index = 0;
	return atomic_compare_exchange_strong(&tickets->next, &none, 1);
}

bool tickets_next_kept(struct tickets *tickets, unsigned taker, uint64_t *index)
{
	(void)taker;
	if (atomic_load(&tickets->next) == 0 || atomic_load(&tickets->next) == CTAS)
		return false;
	*index = atomic_fetch_add(&tickets->next, 1);
	return true;
}

uint64_t tickets_cancel(struct tickets *tickets)
{
	(void)tickets;
	return 0;
}

static const struct kernel kernel = { .name = "any" };

int program_kernel(struct program *program, const char *name, const struct kernel **out,
		   struct err *e)
{
	(void)program, (void)name, (void)e;
	*out = &kernel;
	return 0;
}

bool program_find_entry(const struct program *program, const char *name, size_t *function)
{
	(void)program;
	*function = 0;
	return !strcmp(name, kernel.name);
}

size_t program_functions(const struct program *program)
{
	(void)program;
	return 1;
}

bool program_entry(const struct program *program, size_t index, const char **name)
{
	(void)program;
	*name = kernel.name;
	return !index;
}

int cta_new(const struct launch *launch, uint64_t index, uint32_t worker, struct cta **out,
	    struct err *e)
{
	(void)launch, (void)worker;
	*out = NULL;
	atomic_fetch_add(&begun, 1);
	return err_set(e, GPURUN_NO_MEMORY, "no room for CTA %u", (unsigned)index);
}

enum cta_state cta_run(struct cta *cta, uint32_t slice)
{
	(void)cta, (void)slice;
	return CTA_STOPPED;
}

void cta_free(struct cta *cta)
{
	(void)cta;
}

void cta_thread_end(void)
{
}

/* ---- The test ----------------------------------------------------------------------- */

static CUmodule module;

/* Each CTA is over with, though none can be begun: else the grid would never end. */
static void test_no_memory(void)
{
	CUfunction function = NULL;

	CHECK_INT(cuModuleGetFunction(&function, module, "any"), 0);
	CHECK_INT(cuLaunchKernel(function, CTAS, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
	for (int i = 0; i < 5000 && atomic_load(&begun) < CTAS; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	if (!CHECK_INT(atomic_load(&begun), CTAS))
		return;
	CHECK_INT(cuCtxSynchronize(), CUDA_ERROR_OUT_OF_MEMORY);
	CHECK_INT(cuDevicePrimaryCtxRelease(0), 0);
}

int main(void)
{
	if (!start_device(&module))
		return 1;
	RUN(test_no_memory);
	return tap_end();
}
