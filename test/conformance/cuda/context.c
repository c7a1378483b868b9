/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contexts that a program creates: several at once, what belongs to each, what they tell. */
#include <pthread.h>

#include "cuda_kernels.h"

static CUcontext context_new(unsigned flags)
{
	CUcontext context = NULL;

	OK_CU(cu.cuCtxCreate_v2(&context, flags, 0));
	CHECK(context);
	return context;
}

static CUcontext current(void)
{
	CUcontext context = NULL;

	OK_CU(cu.cuCtxGetCurrent(&context));
	return context;
}

/* A new context is current, and gone from the stack when it is destroyed. */
static void test_create(void)
{
	CUcontext before = current(), one = context_new(0), two;
	CUdevice device = 99;

	CHECK(current() == one && one != before);
	two = context_new(CU_CTX_SCHED_BLOCKING_SYNC);
	CHECK(current() == two && two != one);
	OK_CU(cu.cuCtxGetDevice(&device));
	CHECK_INT(device, 0);
	OK_CU(cu.cuCtxDestroy(two));
	CHECK(current() == one);
	OK_CU(cu.cuCtxDestroy(one));
	CHECK(current() == before);
	CHECK(cu.cuCtxDestroy(NULL) != CUDA_SUCCESS);
}

/* The forms of later versions, without what they can ask for besides. */
static void test_forms(void)
{
	CUcontext context = NULL;

	OK_CU(cu.cuCtxCreate_v3(&context, NULL, 0, 0, 0));
	CHECK(current() == context);
	OK_CU(cu.cuCtxDestroy(context));
	OK_CU(cu.cuCtxCreate(&context, NULL, 0, 0));
	CHECK(current() == context);
	OK_CU(cu.cuCtxDestroy(context));
	CHECK_CU(cu.cuCtxCreate_v2(&context, 0, 1000), CUDA_ERROR_INVALID_DEVICE);
	CHECK_CU(cu.cuCtxCreate_v2(NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuCtxCreate_v2(&context, 3, 0), CUDA_ERROR_INVALID_VALUE);
}

/* From cuInit to a kernel's result, in the manner of CUDA 13's driver samples: they create
 * the context with parameters that are all zero. */
static void test_sample(void)
{
	CUctxCreateParams none = { 0 };
	CUcontext context = NULL;
	CUdeviceptr word = 0;
	unsigned k = 5, result = 0;
	void *params[] = { &word, &k };
	CUdevice device = 99;
	CUmodule module;

	OK_CU(cu.cuInit(0));
	OK_CU(cu.cuDeviceGet(&device, 0));
	OK_CU(cu.cuCtxCreate(&context, &none, 0, device));
	CHECK(context && current() == context);
	module = cuda_kernels();
	OK_CU(cu.cuMemAlloc(&word, sizeof(result)));
	OK_CU(cu.cuMemsetD32(word, 3, 1));
	OK_CU(cuda_launch1(cuda_function(module, "step"), NULL, params));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemcpyDtoH(&result, word, sizeof(result)));
	CHECK_INT(result, 98);
	OK_CU(cu.cuModuleUnload(module));
	OK_CU(cu.cuMemFree(word));
	OK_CU(cu.cuCtxDestroy(context));
}

/* What the CPU device cannot give is refused: a share of it, and graphics beside. */
static void test_shares(void)
{
	CUexecAffinityParam affinity = { CU_EXEC_AFFINITY_TYPE_SM_COUNT, 1 };
	CUctxCreateParams share = { &affinity, 1, NULL }, graphics = { NULL, 0, &affinity };
	CUctxCreateParams both = { &affinity, 1, &affinity }, missing = { NULL, 1, NULL };
	CUcontext context = NULL;

	if (!cu.gpurunCpuReport)
		return;
	CHECK_CU(cu.cuCtxCreate(&context, &share, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
	CHECK_CU(cu.cuCtxCreate(&context, &graphics, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
	CHECK_CU(cu.cuCtxCreate(&context, &both, 0, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuCtxCreate(&context, &missing, 0, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK(!context);
}

/* A module, a stream and memory are made in each of two contexts, and used there. */
static void test_two(void)
{
	CUcontext contexts[2];
	CUmodule modules[2];
	CUstream streams[2];
	CUdeviceptr words[2];
	unsigned k = 5, word = 0;

	for (int i = 0; i < 2; i++) {
		contexts[i] = context_new(0);
		modules[i] = cuda_kernels();
		OK_CU(cu.cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
		OK_CU(cu.cuMemAlloc(&words[i], sizeof(word)));
		OK_CU(cu.cuMemsetD32(words[i], (unsigned)i, 1));
		OK_CU(cu.cuCtxSynchronize());
	}
	for (int i = 0; i < 2; i++) {
		void *params[] = { &words[i], &k };
		CUcontext owner = NULL;

		OK_CU(cu.cuCtxSetCurrent(contexts[i]));
		OK_CU(cuda_launch1(cuda_function(modules[i], "step"), streams[i], params));
		OK_CU(cuda_launch1(cuda_function(modules[i], "step"), streams[i], params));
		OK_CU(cu.cuStreamSynchronize(streams[i]));
		OK_CU(cu.cuMemcpyDtoH(&word, words[i], sizeof(word)));
		CHECK_INT(word, (i * 31 + 5) * 31 + 5);
		OK_CU(cu.cuStreamGetCtx(streams[i], &owner));
		CHECK(owner == contexts[i]);
		OK_CU(cu.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, words[i]));
		CHECK(owner == contexts[i]);
	}
	OK_CU(cu.cuCtxDestroy(contexts[1]));
	OK_CU(cu.cuCtxSetCurrent(contexts[0]));
	OK_CU(cu.cuMemcpyDtoH(&word, words[0], sizeof(word)));
	CHECK_INT(word, 5 * 31 + 5);
	OK_CU(cu.cuCtxDestroy(contexts[0]));
}

#define PTX_TAKE                                                                           \
	PTX_HEAD                                                                           \
	".extern .func (.param .b64 r) malloc (.param .b64 n);\n"                          \
	".visible .entry take(.param .u64 out, .param .u64 size)\n"                        \
	"{\n"                                                                              \
	"	.reg .b64 %rd<4>;\n"                                                       \
	"	ld.param.u64 %rd1, [out];\n"                                               \
	"	ld.param.u64 %rd2, [size];\n"                                              \
	"	{\n"                                                                       \
	"		.param .b64 a;\n"                                                  \
	"		.param .b64 b;\n"                                                  \
	"		st.param.b64 [a], %rd2;\n"                                         \
	"		call.uni (b), malloc, (a);\n"                                      \
	"		ld.param.b64 %rd3, [b];\n"                                         \
	"	}\n"                                                                       \
	"	st.global.u64 [%rd1], %rd3;\n"                                             \
	"	ret;\n"                                                                    \
	"}\n"

/* What malloc() of @size bytes gives a kernel in the current context. */
static CUdeviceptr taken(uint64_t size)
{
	CUdeviceptr out = 0, address = 1;
	CUmodule module = NULL;
	void *params[] = { &out, &size };

	OK_CU(cu.cuMemAlloc(&out, sizeof(address)));
	OK_CU(cu.cuModuleLoadData(&module, PTX_TAKE));
	OK_CU(cuda_launch1(cuda_function(module, "take"), NULL, params));
	OK_CU(cu.cuMemcpyDtoH(&address, out, sizeof(address)));
	OK_CU(cu.cuModuleUnload(module));
	OK_CU(cu.cuMemFree(out));
	return address;
}

/* Limits are those of a context, and so is the heap that malloc() of its kernels takes from. */
static void test_limits(void)
{
	CUcontext large = context_new(0), small;
	size_t limit = 0, stack = 0, first = 0;

	OK_CU(cu.cuCtxGetLimit(&first, CU_LIMIT_STACK_SIZE));
	OK_CU(cu.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
	OK_CU(cu.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 64 << 20));
	small = context_new(0);
	OK_CU(cu.cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
	CHECK_INT(limit, 8 << 20);
	OK_CU(cu.cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE));
	CHECK_INT(stack, first);
	CHECK(!taken(32 << 20));
	OK_CU(cu.cuCtxPopCurrent(NULL));
	OK_CU(cu.cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
	CHECK(limit >= 64 << 20);
	OK_CU(cu.cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE));
	CHECK_INT(stack, 4096);
	CHECK(taken(32 << 20));
	OK_CU(cu.cuCtxDestroy(small));
	/*
	 * CUDA's manual says how large the heap is, not how much of it allocations can take: in
	 * a GPU's the rest need not have room for another of this size.
	 */
	if (cu.gpurunCpuReport)
		CHECK(taken(16 << 20));
	else
		puts("# a second allocation in the heap is left out: it needs the CPU device");
	OK_CU(cu.cuCtxDestroy(large));
}

#define PTX_PRINT                                                                          \
	PTX_HEAD                                                                           \
	".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"          \
	".visible .entry print(.param .u64 format)\n"                                      \
	"{\n"                                                                              \
	"	.reg .b64 %rd<2>;\n"                                                       \
	"	.reg .pred %p;\n"                                                          \
	"	ld.param.u64 %rd1, [format];\n"                                            \
	"	setp.eq.u64 %p, %rd1, 0;\n"                                                \
	"	@%p bra done;\n"                                                           \
	"	{\n"                                                                       \
	"		.param .b64 f;\n"                                                  \
	"		.param .b64 a;\n"                                                  \
	"		.param .b32 r;\n"                                                  \
	"		st.param.b64 [f], %rd1;\n"                                         \
	"		st.param.b64 [a], 0;\n"                                            \
	"		call.uni (r), vprintf, (f, a);\n"                                  \
	"	}\n"                                                                       \
	"done:\n"                                                                          \
	"	ret;\n"                                                                    \
	"}\n"

/* The limits of what a kernel uses are fixed from its launch on, those of others are not. */
static void test_fixed_limits(void)
{
	CUcontext context = context_new(0);
	CUdeviceptr format = 0;
	CUmodule module = NULL;
	void *params[] = { &format };
	size_t limit = 0;

	OK_CU(cu.cuModuleLoadData(&module, PTX_PRINT));
	OK_CU(cu.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
	CHECK(taken(1 << 20));
	CHECK_CU(cu.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 32 << 20), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
	CHECK(limit >= 16 << 20 && limit < 32 << 20);
	OK_CU(cu.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 << 20));
	OK_CU(cuda_launch1(cuda_function(module, "print"), NULL, params));
	OK_CU(cu.cuCtxSynchronize());
	CHECK_CU(cu.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4 << 20), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
	OK_CU(cu.cuCtxDestroy(context));
	context = context_new(0);
	OK_CU(cu.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 32 << 20));
	OK_CU(cu.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4 << 20));
	OK_CU(cu.cuCtxDestroy(context));
}

/* What belonged to a context ends with it. */
static void test_destroyed(void)
{
	CUcontext before = current(), context = context_new(0);
	CUstream stream = NULL;
	CUdeviceptr address = 0;
	CUmodule module = cuda_kernels();
	uint64_t ignored;

	OK_CU(cu.cuStreamCreate(&stream, 0));
	OK_CU(cu.cuMemAlloc(&address, 64));
	CHECK(module);
	OK_CU(cu.cuCtxDestroy(context));
	while (current() != before)
		OK_CU(cu.cuCtxPopCurrent(NULL));
	CHECK(cu.cuPointerGetAttribute(&ignored, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) !=
	      CUDA_SUCCESS);
	/* A GPU's driver takes a pointer for a context, whatever it leads to. */
	if (cu.gpurunCpuReport)
		CHECK(cu.cuCtxPushCurrent(context) != CUDA_SUCCESS);
	CHECK(current() == before);
}

struct ending {
	CUcontext context, other;
	CUresult result;
	atomic_int go;
};

static void hold(void *argument)
{
	struct ending *ending = argument;

	while (!atomic_load(&ending->go))
		sleep_ms(1);
}

static void *destroy(void *argument)
{
	struct ending *ending = argument;

	OK_CU(cu.cuCtxSetCurrent(ending->other));
	ending->result = cu.cuCtxDestroy(ending->context);
	return NULL;
}

/* What a query of @stream is answered with once it is refused, or at last. */
static CUresult refused_at_last(CUstream stream)
{
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < 3000 && result != CUDA_ERROR_INVALID_HANDLE; i++) {
		result = cu.cuStreamQuery(stream);
		sleep_ms(1);
	}
	return result;
}

/*
 * The CPU device alone: other drivers leave it open. While a context ends, and waits for what it
 * still has to do, no call finds it or its streams any more: more work would prolong the wait.
 */
static void test_ending(void)
{
	struct ending ending = { .other = current() };
	CUstream stream = NULL;
	CUdeviceptr word = 0;
	pthread_t thread;

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuMemAlloc(&word, 4));
	ending.context = context_new(0);
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuLaunchHostFunc(stream, hold, &ending));
	OK_CU(cu.cuCtxPopCurrent(NULL));
	pthread_create(&thread, NULL, destroy, &ending);
	CHECK_CU(refused_at_last(stream), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuMemsetD32Async(word, 1, 1, stream), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuCtxPushCurrent(ending.context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	atomic_store(&ending.go, 1);
	pthread_join(thread, NULL);
	OK_CU(ending.result);
	OK_CU(cu.cuMemFree(word));
}

/*
 * The NULL stream of one context does not wait for another's. What a driver makes when it is
 * first needed is there before the kernel that waits: making it may wait for the device.
 */
static void test_null_streams(void)
{
	CUdeviceptr address;
	atomic_uint *flag = cuda_flag(&address);
	CUmodule module = cuda_kernels();
	CUfunction wait = cuda_function(module, "wait");
	CUcontext before = current(), context = context_new(0);
	void *params[] = { &address };
	CUdeviceptr word = 0;

	OK_CU(cu.cuMemAlloc(&word, 4));
	OK_CU(cu.cuMemsetD32Async(word, 0, 1, NULL));
	OK_CU(cu.cuStreamSynchronize(NULL));
	OK_CU(cu.cuCtxPopCurrent(NULL));
	OK_CU(cuda_launch1(wait, NULL, params));
	OK_CU(cu.cuCtxPushCurrent(context));
	OK_CU(cu.cuMemsetD32Async(word, 1, 1, NULL));
	OK_CU(cu.cuStreamSynchronize(NULL));
	OK_CU(cu.cuCtxPopCurrent(NULL));
	CHECK(current() == before);
	CHECK_CU(cu.cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
	atomic_store(flag, 1);
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuCtxDestroy(context));
	OK_CU(cu.cuModuleUnload(module));
	OK_CU(cu.cuMemFreeHost(flag));
}

static void test_told(void)
{
	CUcontext before = current(), context = context_new(CU_CTX_SCHED_YIELD);
	unsigned long long id = 0, other = 0;
	unsigned flags = 99, version = 0;
	int least = 99, greatest = 99;
	CUdevice device = 99;
	CUfunc_cache cache = 99;

	OK_CU(cu.cuCtxGetFlags(&flags));
	CHECK_INT(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_YIELD);
	OK_CU(cu.cuCtxGetId(context, &id));
	OK_CU(cu.cuCtxGetId(before, &other));
	CHECK(id != other);
	OK_CU(cu.cuCtxGetApiVersion(context, &version));
	CHECK(version >= 3010);
	OK_CU(cu.cuCtxGetStreamPriorityRange(&least, &greatest));
	CHECK(least == 0 && greatest <= 0);
	OK_CU(cu.cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
	OK_CU(cu.cuCtxGetCacheConfig(&cache));
	CHECK(cache <= CU_FUNC_CACHE_PREFER_EQUAL);
	OK_CU(cu.cuCtxResetPersistingL2Cache());
	OK_CU(cu.cuProfilerStart());
	OK_CU(cu.cuProfilerStop());
	if (cu.cuCtxGetDevice_v2) {
		OK_CU(cu.cuCtxGetDevice_v2(&device, context));
		CHECK_INT(device, 0);
		OK_CU(cu.cuCtxSynchronize_v2(before));
	}
	OK_CU(cu.cuCtxDestroy(context));
}

/* A context with a stream that waits for a flag, and an event behind that. */
struct held {
	CUcontext context;
	CUfunction nothing;
	CUevent event;
	atomic_uint *flag;
};

static struct held held_new(void)
{
	struct held held = { 0 };
	CUdeviceptr address;
	void *params[] = { &address };
	CUstream gate = NULL;
	CUmodule module;

	held.flag = cuda_flag(&address);
	held.context = context_new(0);
	module = cuda_kernels();
	held.nothing = cuda_function(module, "nothing");
	OK_CU(cuda_launch1(held.nothing, NULL, NULL));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuStreamCreate(&gate, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuEventCreate(&held.event, CU_EVENT_DISABLE_TIMING));
	OK_CU(cuda_launch1(cuda_function(module, "wait"), gate, params));
	OK_CU(cu.cuEventRecordWithFlags(held.event, gate, 0));
	return held;
}

static void let_go(struct held held)
{
	OK_CU(cu.cuCtxDestroy(held.context));
	OK_CU(cu.cuMemFreeHost(held.flag));
}

/* What is launched on @streams waits until the flag is set. */
static void check_held(struct held held, const CUstream *streams, int count)
{
	for (int i = 0; i < count; i++)
		OK_CU(cuda_launch1(held.nothing, streams[i], NULL));
	sleep_ms(20);
	for (int i = 0; i < count; i++)
		CHECK_CU(cu.cuStreamQuery(streams[i]), CUDA_ERROR_NOT_READY);
	atomic_store(held.flag, 1);
	for (int i = 0; i < count; i++)
		OK_CU(cu.cuStreamSynchronize(streams[i]));
}

/* An event that all later work of a context waits for. */
static void test_wait_event(void)
{
	struct held held = held_new();
	CUstream streams[] = { NULL, NULL }; /* one of its own, and the NULL stream */

	OK_CU(cu.cuStreamCreate(&streams[0], CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamQuery(streams[0]));
	OK_CU(cu.cuCtxWaitEvent(held.context, held.event));
	check_held(held, streams, 2);
	let_go(held);
}

/* So does that of streams which are made, or used at all, behind the wait only. */
static void test_wait_event_new_streams(void)
{
	struct held held = held_new();
	CUstream streams[] = { NULL, NULL, NULL, CU_STREAM_PER_THREAD };

	OK_CU(cu.cuCtxWaitEvent(held.context, held.event));
	OK_CU(cu.cuStreamCreate(&streams[0], CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamCreate(&streams[1], 0));
	check_held(held, streams, 4);
	let_go(held);
}

/* Each of two events is waited for, whichever is over first. */
static void test_wait_events(void)
{
	struct held held = held_new();
	CUstream gate = NULL, fresh = NULL;
	CUevent over = NULL;

	OK_CU(cu.cuStreamCreate(&gate, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuEventCreate(&over, CU_EVENT_DISABLE_TIMING));
	OK_CU(cuda_launch1(held.nothing, gate, NULL));
	OK_CU(cu.cuEventRecord(over, gate));
	OK_CU(cu.cuCtxWaitEvent(held.context, held.event));
	OK_CU(cu.cuCtxWaitEvent(held.context, over));
	OK_CU(cu.cuEventSynchronize(over));
	OK_CU(cu.cuStreamCreate(&fresh, CU_STREAM_NON_BLOCKING));
	check_held(held, &fresh, 1);
	let_go(held);
}

/* The work of a context is that of streams which are destroyed, too; its events are its own. */
static void test_record_event(void)
{
	struct held held = held_new();
	CUcontext other = context_new(0);
	CUstream stream = NULL;
	CUevent all = NULL;

	OK_CU(cu.cuEventCreate(&all, CU_EVENT_DISABLE_TIMING));
	CHECK_CU(cu.cuCtxRecordEvent(held.context, all), CUDA_ERROR_INVALID_HANDLE);
	OK_CU(cu.cuCtxRecordEvent(other, all));
	OK_CU(cu.cuEventSynchronize(all));
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamWaitEvent(stream, held.event, 0));
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuCtxRecordEvent(other, all));
	CHECK_CU(cu.cuEventQuery(all), CUDA_ERROR_NOT_READY);
	atomic_store(held.flag, 1);
	OK_CU(cu.cuEventSynchronize(all));
	OK_CU(cu.cuCtxDestroy(other));
	let_go(held);
}

/*
 * The CPU device alone: a GPU may be lost to the whole process. A fault is that of its context,
 * whose other calls answer it, until it is destroyed; others go on.
 */
static void test_fault(void)
{
	CUcontext before = current(), context;
	CUmodule module;
	unsigned word = 0;
	CUdeviceptr kept = 0;
	char text[1024] = "";

	if (!cu.gpurunCpuReport)
		return;
	cu.gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, NULL, 0);
	OK_CU(cu.cuMemAlloc(&kept, 4));
	context = context_new(0);
	module = cuda_kernels();
	OK_CU(cuda_launch1(cuda_function(module, "stop"), NULL, NULL));
	CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_CU(cu.cuMemAlloc(&kept, 4), CUDA_ERROR_LAUNCH_FAILED);
	OK_CU(cu.cuCtxPopCurrent(NULL));
	CHECK(current() == before);
	OK_CU(cu.cuMemsetD32(kept, 3, 1));
	OK_CU(cu.cuMemcpyDtoH(&word, kept, 4));
	CHECK_INT(word, 3);
	OK_CU(cu.cuCtxDestroy(context_new(0)));
	OK_CU(cu.gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, text, sizeof(text)));
	CHECK(strstr(text, "kernel stop"));
	OK_CU(cu.cuCtxDestroy(context));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemFree(kept));
}

int main(void)
{
	cuda_start();
	RUN(test_create);
	RUN(test_forms);
	RUN(test_sample);
	RUN(test_shares);
	RUN(test_two);
	RUN(test_limits);
	RUN(test_fixed_limits);
	RUN(test_destroyed);
	RUN(test_ending);
	RUN(test_null_streams);
	RUN(test_told);
	RUN(test_wait_event);
	RUN(test_wait_event_new_streams);
	RUN(test_wait_events);
	RUN(test_record_event);
	RUN(test_fault);
	return tap_end();
}
