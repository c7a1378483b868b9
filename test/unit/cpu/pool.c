/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How CTAs are scheduled. The execution of PTX is replaced by one whose CTAs do
 * what a test tells them: so it is seen in which order they begin, that each
 * stays on its thread, and that those that wait for each other finish.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "exec.h"
#include "exports.h"
#include "pool.h"
#include "programs.h"
#include "report.h"
#include "tap.h"

/* ---- The execution in the place of the real one --------------------------- */

struct cta {
	const struct launch *launch;
	uint64_t index;
	pthread_t thread;
	unsigned slices;
};

/* What a CTA does in a slice; chosen by the kernel's name. */
typedef enum cta_state run_fn(struct cta *cta);

static atomic_uint begun, finished, resident, most_resident, wrong_thread, out_of_order;
static atomic_uint room; /* CTAs that may be resident; more are out of memory */
static atomic_uint gates[2];
static atomic_uint gave_up; /* CTAs that have waited too long for others */

static enum cta_state run_once(struct cta *cta)
{
	(void)cta;
	return CTA_DONE;
}

/* Waits until all CTAs of its grid have begun. */
static enum cta_state run_all(struct cta *cta)
{
	return atomic_load(&begun) < cta->launch->grid[0] ? CTA_YIELDED : CTA_DONE;
}

static enum cta_state run_meet(struct cta *cta)
{
	unsigned self = cta->launch->params[0];

	atomic_store(&gates[self], 1);
	return atomic_load(&gates[!self]) ? CTA_DONE : CTA_YIELDED;
}

static enum cta_state run_endless(struct cta *cta)
{
	return atomic_load(&cta->launch->stop) ? CTA_STOPPED : CTA_YIELDED;
}

static void *record_of(unsigned index)
{
	const struct about about = ABOUT(ILLEGAL_ADDRESS);
	struct gpurun_report report;
	char what[40];

	snprintf(what, sizeof(what), "CTA %u was bad", index);
	report = report_about(GPURUN_REPORT_FAULT, &about, what);
	return report_copy(&report);
}

static enum cta_state run_fault(struct cta *cta)
{
	struct fault *fault = cta->launch->fault;
	int none = 0;

	if (atomic_load(&cta->launch->stop))
		return CTA_STOPPED;
	if (cta->index != cta->launch->grid[0] / 2)
		return CTA_YIELDED;
	if (atomic_compare_exchange_strong(&fault->code, &none, CUDA_ERROR_ILLEGAL_ADDRESS))
		fault->record = record_of((unsigned)cta->index);
	return CTA_FAULTED;
}

static enum cta_state run_twice(struct cta *cta)
{
	return ++cta->slices < 2 ? CTA_YIELDED : CTA_DONE;
}

/* The same in slices that are long ones, each of 0.3 ms; not for ever. */
static enum cta_state run_long(struct cta *cta)
{
	enum { MOST_SLICES = 3000 };

	nanosleep(&(struct timespec){ .tv_nsec = 300000 }, NULL);
	if (++cta->slices <= MOST_SLICES)
		return run_all(cta);
	atomic_fetch_add(&gave_up, 1);
	return CTA_DONE;
}

/* The first half of its CTAs ends at once, the others when a gate is open: the second one's where
 * there are fewer than five. */
static enum cta_state run_half(struct cta *cta)
{
	const unsigned ctas = cta->launch->grid[0];

	return cta->index < ctas / 2 || atomic_load(&gates[ctas < 5]) ? CTA_DONE : CTA_YIELDED;
}

static const struct kernel_slot slot = { .size = 1 };
static const struct {
	struct kernel kernel;
	run_fn *run;
} kernels[] = {
	{ { .name = "once" }, run_once },
	{ { .name = "all" }, run_all },
	{ { .name = "meet", .param_count = 1, .params = &slot, .param_bytes = 1 }, run_meet },
	{ { .name = "endless" }, run_endless },
	{ { .name = "fault" }, run_fault },
	{ { .name = "twice" }, run_twice },
	{ { .name = "long" }, run_long },
	{ { .name = "half" }, run_half },
};

int program_kernel(struct program *program, const char *name, const struct kernel **out,
		   struct err *e)
{
	(void)program, (void)e;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		if (!strcmp(kernels[i].kernel.name, name)) {
			*out = &kernels[i].kernel;
			return 0;
		}
	}
	return GPURUN_NOT_FOUND;
}

bool program_find_entry(const struct program *program, const char *name, size_t *function)
{
	(void)program;
	for (*function = 0; *function < sizeof(kernels) / sizeof(kernels[0]); ++*function)
		if (!strcmp(kernels[*function].kernel.name, name))
			return true;
	return false;
}

size_t program_functions(const struct program *program)
{
	(void)program;
	return sizeof(kernels) / sizeof(kernels[0]);
}

bool program_entry(const struct program *program, size_t index, const char **name)
{
	(void)program;
	if (index >= sizeof(kernels) / sizeof(kernels[0]))
		return false;
	*name = kernels[index].kernel.name;
	return true;
}

static void note_most(unsigned now)
{
	unsigned most = atomic_load(&most_resident);

	while (now > most && !atomic_compare_exchange_weak(&most_resident, &most, now))
		;
}

int cta_new(const struct launch *launch, uint64_t index, uint32_t worker, struct cta **out,
	    struct err *e)
{
	(void)worker;
	*out = NULL;
	if (atomic_load(&resident) >= atomic_load(&room))
		return err_set(e, GPURUN_NO_MEMORY, "no room for CTA %u", (unsigned)index);
	*out = calloc(1, sizeof(**out));
	(*out)->launch = launch;
	(*out)->index = index;
	(*out)->thread = pthread_self();
	note_most(atomic_fetch_add(&resident, 1) + 1);
	if (atomic_fetch_add(&begun, 1) != index)
		atomic_fetch_add(&out_of_order, 1);
	return 0;
}

enum cta_state cta_run(struct cta *cta, uint32_t slice)
{
	(void)slice;
	if (!pthread_equal(cta->thread, pthread_self()))
		atomic_fetch_add(&wrong_thread, 1);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (cta->launch->kernel == &kernels[i].kernel)
			return kernels[i].run(cta);
	return CTA_STOPPED;
}

void cta_free(struct cta *cta)
{
	if (!cta)
		return;
	if (!pthread_equal(cta->thread, pthread_self()))
		atomic_fetch_add(&wrong_thread, 1);
	atomic_fetch_sub(&resident, 1);
	atomic_fetch_add(&finished, 1);
	free(cta);
}

void cta_thread_end(void)
{
}

/* ---- The tests ---------------------------------------------------------------- */

static CUmodule module;

static void reset(void)
{
	atomic_store(&begun, 0);
	atomic_store(&finished, 0);
	atomic_store(&most_resident, 0);
	atomic_store(&wrong_thread, 0);
	atomic_store(&out_of_order, 0);
	atomic_store(&gave_up, 0);
	atomic_store(&room, 1000000);
}

static CUresult launch(const char *name, unsigned ctas, CUstream stream, void **params)
{
	CUfunction function;

	if (cuModuleGetFunction(&function, module, name))
		return CUDA_ERROR_NOT_FOUND;
	return cuLaunchKernel(function, ctas, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

static void check_over(unsigned ctas)
{
	CHECK_INT(atomic_load(&begun), ctas);
	CHECK_INT(atomic_load(&finished), ctas);
	CHECK_INT(atomic_load(&wrong_thread), 0);
}

/* CTAs that just run are begun one after the other, in order. */
static void test_order(void)
{
	reset();
	CHECK_INT(launch("once", 1000, NULL, NULL), 0);
	CHECK_INT(cuCtxSynchronize(), 0);
	check_over(1000);
	CHECK_INT(atomic_load(&out_of_order), 0);
	CHECK_INT(atomic_load(&most_resident), 1);
}

static void test_all_wait(void)
{
	reset();
	CHECK_INT(launch("all", 1000, NULL, NULL), 0);
	CHECK_INT(cuCtxSynchronize(), 0);
	check_over(1000);
	CHECK_INT(atomic_load(&out_of_order), 0);
	CHECK_INT(atomic_load(&most_resident), 1000);
}

/* CTAs that run and run may be waiting for one that has not begun. */
static void test_all_run(void)
{
	reset();
	CHECK_INT(launch("long", 9, NULL, NULL), 0);
	CHECK_INT(cuCtxSynchronize(), 0);
	check_over(9);
	CHECK_INT(atomic_load(&gave_up), 0);
	CHECK_INT(atomic_load(&most_resident), 9);
}

static void test_grids_meet(void)
{
	CUstream one, two;
	unsigned char first = 0, second = 1;
	void *params[2][1] = { { &first }, { &second } };

	reset();
	CHECK_INT(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING), 0);
	CHECK_INT(cuStreamCreate(&two, CU_STREAM_NON_BLOCKING), 0);
	CHECK_INT(launch("meet", 300, one, params[0]), 0);
	CHECK_INT(launch("meet", 300, two, params[1]), 0);
	CHECK_INT(cuStreamSynchronize(one), 0);
	CHECK_INT(cuStreamSynchronize(two), 0);
	check_over(600);
	CHECK_INT(cuStreamDestroy(one), 0);
	CHECK_INT(cuStreamDestroy(two), 0);
}

/* A CTA for which there is no memory waits until another has finished. */
static void test_little_room(void)
{
	reset();
	atomic_store(&room, 3);
	CHECK_INT(launch("twice", 100, NULL, NULL), 0);
	CHECK_INT(cuCtxSynchronize(), 0);
	check_over(100);
	CHECK(atomic_load(&most_resident) <= 3);
}

/* What a function of the program finds when it is called. */
struct called {
	const uint32_t *words;
	uint32_t first, last;
	bool inside, other_thread;
	pthread_t caller;
	atomic_int calls;
};

static void note_call(void *data)
{
	struct called *called = data;

	called->first = called->words[0];
	called->last = called->words[999];
	called->inside = pool_in_host_function();
	called->other_thread = !pthread_equal(called->caller, pthread_self());
	atomic_fetch_add(&called->calls, 1);
}

/* Operations that have to wait are executed by other threads, one after the other. */
static void test_operations(void)
{
	struct called called = { .caller = pthread_self() };
	CUdeviceptr word, words;
	CUstream stream;

	CHECK_INT(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), 0);
	CHECK_INT(cuMemAlloc(&word, 4), 0);
	CHECK_INT(cuMemAllocManaged(&words, 4000, CU_MEM_ATTACH_GLOBAL), 0);
	called.words = (const uint32_t *)words;
	CHECK_INT(cuMemsetD32(word, 0, 1), 0);
	CHECK_INT(cuMemsetD32(words, 1, 1000), 0);
	CHECK_INT(cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ), 0);
	CHECK_INT(cuMemsetD32Async(words, 7, 1000, stream), 0);
	CHECK_INT(cuLaunchHostFunc(stream, note_call, &called), 0);
	CHECK_INT(cuMemsetD32Async(words, 9, 1000, stream), 0);
	CHECK_INT(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	CHECK(!atomic_load(&called.calls) && called.words[0] == 1);
	CHECK_INT(cuMemsetD32(word, 1, 1), 0);
	CHECK_INT(cuStreamSynchronize(stream), 0);
	CHECK_INT(atomic_load(&called.calls), 1);
	CHECK(called.first == 7 && called.last == 7 && called.inside && called.other_thread);
	CHECK(called.words[0] == 9 && called.words[999] == 9 && !pool_in_host_function());
	CHECK_INT(cuMemFree(words), 0);
	CHECK_INT(cuMemFree(word), 0);
	CHECK_INT(cuStreamDestroy(stream), 0);
}

static void restart(void)
{
	CUcontext context;

	CHECK_INT(cuDevicePrimaryCtxRelease(0), 0);
	CHECK_INT(cuDevicePrimaryCtxRetain(&context, 0), 0);
	CHECK_INT(cuModuleLoadData(&module, ".version 7.0\n.target sm_52\n"), 0);
}

/* Reads the report of what runs; of no event: nothing does. */
static struct gpurun_report running(char record[REPORT_MOST])
{
	const int kind = GPURUN_CPU_REPORT_RUNNING | GPURUN_CPU_REPORT_RECORD;
	struct gpurun_report report = report_none();

	CHECK_INT(gpurunCpuReport(kind, record, REPORT_MOST), 0);
	CHECK(report_unpack((struct bytes){ (uint8_t *)record, REPORT_MOST }, &report));
	return report;
}

/* The oldest grid, while it runs, with the CTAs that have ended; no text. */
static void test_running(void)
{
	char record[REPORT_MOST];
	struct gpurun_report report;
	CUstream other;

	reset();
	atomic_store(&gates[0], 0);
	atomic_store(&gates[1], 0);
	CHECK_INT(running(record).event, GPURUN_REPORT_NONE);
	CHECK_INT(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), 0);
	CHECK_INT(launch("half", 10, NULL, NULL), 0);
	CHECK_INT(launch("half", 4, other, NULL), 0);
	for (int i = 0; i < 5000 && running(record).count < 5; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	report = running(record);
	CHECK_INT(report.event, GPURUN_REPORT_RUNNING);
	CHECK_STR(report.kernel, "half");
	CHECK_INT(report.count, 5);
	CHECK(report.grid[0] == 10 && report.grid[1] == 1 && report.block_size[0] == 1);
	CHECK_INT(gpurunCpuReport(GPURUN_CPU_REPORT_RUNNING, record, sizeof(record)),
		  CUDA_ERROR_INVALID_VALUE);
	atomic_store(&gates[0], 1);
	CHECK_INT(cuStreamSynchronize(NULL), 0);
	CHECK_INT(running(record).grid[0], 4);
	atomic_store(&gates[1], 1);
	CHECK_INT(cuStreamSynchronize(other), 0);
	CHECK_INT(cuStreamDestroy(other), 0);
	CHECK_INT(running(record).event, GPURUN_REPORT_NONE);
}

static void test_no_room(void)
{
	char report[256];

	reset();
	atomic_store(&room, 0);
	CHECK_INT(launch("once", 10, NULL, NULL), 0);
	CHECK_INT(cuCtxSynchronize(), CUDA_ERROR_OUT_OF_MEMORY);
	CHECK_INT(gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, report, sizeof(report)), 0);
	CHECK_HAS(report, "no room for CTA");
	CHECK_HAS(report, "  kernel once");
	restart();
}

/* A fault stops its own grid and all others; its report is whole when it is asked for. */
static void test_fault(void)
{
	CUstream other;
	char report[256];

	reset();
	CHECK_INT(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), 0);
	CHECK_INT(launch("endless", 50, other, NULL), 0);
	CHECK_INT(launch("fault", 40, NULL, NULL), 0);
	CHECK_INT(cuStreamSynchronize(other), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_INT(gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, report, sizeof(report)), 0);
	CHECK_STR(report, "CTA 20 was bad");
	CHECK_INT(launch("once", 1, NULL, NULL), CUDA_ERROR_NOT_FOUND);
	restart();
	CHECK_INT(atomic_load(&resident), 0);
	CHECK_INT(gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, report, sizeof(report)), 0);
	CHECK_STR(report, "");
	reset();
	CHECK_INT(launch("once", 7, NULL, NULL), 0);
	CHECK_INT(cuCtxSynchronize(), 0);
	check_over(7);
}

int main(void)
{
	if (!start_device(&module))
		return 1;
	RUN(test_order);
	RUN(test_all_wait);
	RUN(test_all_run);
	RUN(test_grids_meet);
	RUN(test_little_room);
	RUN(test_operations);
	RUN(test_running);
	RUN(test_no_room);
	RUN(test_fault);
	return tap_end();
}
