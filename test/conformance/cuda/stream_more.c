/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What streams tell of themselves; words that they write and wait for; cooperative launches. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>

#include "cuda_kernels.h"

static CUstream stream_new(unsigned flags)
{
	CUstream stream = NULL;

	OK_CU(cu.cuStreamCreate(&stream, flags));
	return stream;
}

static void test_told(void)
{
	CUstream one = stream_new(CU_STREAM_NON_BLOCKING), two = stream_new(0);
	unsigned long long id = 0, other = 0;
	unsigned flags = 99;
	int priority = 99;
	CUstreamCaptureStatus capture = 99;

	OK_CU(cu.cuStreamGetFlags(one, &flags));
	CHECK_INT(flags, CU_STREAM_NON_BLOCKING);
	OK_CU(cu.cuStreamGetFlags(NULL, &flags));
	CHECK_INT(flags, 0);
	OK_CU(cu.cuStreamGetId(one, &id));
	OK_CU(cu.cuStreamGetId(two, &other));
	CHECK(id != other);
	OK_CU(cu.cuStreamGetPriority(one, &priority));
	CHECK_INT(priority, 0);
	OK_CU(cu.cuStreamIsCapturing(one, &capture));
	CHECK_INT(capture, CU_STREAM_CAPTURE_STATUS_NONE);
	OK_CU(cu.cuStreamDestroy(one));
	OK_CU(cu.cuStreamDestroy(two));
}

/* A priority is brought into the range that there is. */
static void test_priority(void)
{
	int least = 9, greatest = 9, priority = 99;
	CUstream stream = NULL;

	OK_CU(cu.cuCtxGetStreamPriorityRange(&least, &greatest));
	OK_CU(cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -1000));
	OK_CU(cu.cuStreamGetPriority(stream, &priority));
	CHECK_INT(priority, greatest);
	OK_CU(cu.cuStreamDestroy(stream));
	CHECK_CU(cu.cuStreamCreateWithPriority(&stream, 77, 0), CUDA_ERROR_INVALID_VALUE);
}

static void test_attributes(void)
{
	CUstream one = stream_new(0), two = stream_new(0);
	CUstreamAttrValue value = { .pad = { 0 } };

	value.syncPolicy = 3;
	OK_CU(cu.cuStreamSetAttribute(one, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	OK_CU(cu.cuStreamCopyAttributes(two, one));
	value.syncPolicy = 0;
	OK_CU(cu.cuStreamGetAttribute(two, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
	CHECK_INT(value.syncPolicy, 3);
	CHECK_CU(cu.cuStreamGetAttribute(two, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuStreamDestroy(one));
	OK_CU(cu.cuStreamDestroy(two));
}

/* ---- Words ------------------------------------------------------------------------ */

/*
 * One stream waits for the word that the other one writes after its kernel. A driver knows of no
 * order between the two: it may put the one that is told first in front of the other, and wait
 * for the device when it makes what a kernel needs. So the writer comes first, and the kernel has
 * run once before.
 */
static void test_wait_for_write(void)
{
	CUstream writer = stream_new(CU_STREAM_NON_BLOCKING);
	CUstream waiter = stream_new(CU_STREAM_NON_BLOCKING);
	CUdeviceptr address, gate, word = 0;
	atomic_uint *flag = cuda_flag(&gate), *seen = cuda_flag(&address);
	CUmodule module = cuda_kernels();
	CUfunction wait = cuda_function(module, "wait");
	void *params[] = { &gate };

	OK_CU(cu.cuMemAlloc(&word, 8));
	OK_CU(cu.cuMemsetD8(word, 0, 8));
	atomic_store(flag, 1);
	OK_CU(cuda_launch1(wait, writer, params));
	OK_CU(cu.cuCtxSynchronize());
	atomic_store(flag, 0);
	OK_CU(cuda_launch1(wait, writer, params));
	OK_CU(cu.cuStreamWriteValue32(writer, word, 8, CU_STREAM_WRITE_VALUE_DEFAULT));
	OK_CU(cu.cuStreamWaitValue32(waiter, word, 7, CU_STREAM_WAIT_VALUE_GEQ));
	OK_CU(cu.cuStreamWriteValue32(waiter, address, 5, CU_STREAM_WRITE_VALUE_DEFAULT));
	sleep_ms(20);
	CHECK_INT(atomic_load(seen), 0);
	CHECK_CU(cu.cuStreamQuery(waiter), CUDA_ERROR_NOT_READY);
	atomic_store(flag, 1);
	OK_CU(cu.cuStreamSynchronize(waiter));
	CHECK_INT(atomic_load(seen), 5);
	OK_CU(cu.cuStreamSynchronize(writer));
	OK_CU(cu.cuMemFree(word));
	OK_CU(cu.cuMemFreeHost(flag));
	OK_CU(cu.cuMemFreeHost(seen));
	OK_CU(cu.cuStreamDestroy(writer));
	OK_CU(cu.cuStreamDestroy(waiter));
	OK_CU(cu.cuModuleUnload(module));
}

struct lost {
	CUstream stream;
	CUdeviceptr word, seen;
};

static atomic_int called;

static void note_call(CUstream stream, CUresult result, void *data)
{
	(void)stream;
	(void)data;
	atomic_store(&called, result ? 1 : 2);
}

/* A wait for a word that no thread writes, and what comes behind it, in the current context. */
static struct lost lost_new(CUdeviceptr seen)
{
	struct lost lost = { stream_new(CU_STREAM_NON_BLOCKING), 0, seen };

	OK_CU(cu.cuMemAlloc(&lost.word, 4));
	OK_CU(cu.cuMemsetD32(lost.word, 0, 1));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuStreamWaitValue32(lost.stream, lost.word, 1, CU_STREAM_WAIT_VALUE_EQ));
	OK_CU(cu.cuMemsetD32Async(seen, 1, 1, lost.stream));
	atomic_store(&called, 0);
	OK_CU(cu.cuStreamAddCallback(lost.stream, note_call, NULL, 0));
	return lost;
}

static CUresult destroy_current(void)
{
	CUcontext context = NULL;

	OK_CU(cu.cuCtxGetCurrent(&context));
	return cu.cuCtxDestroy(context);
}

/* As long as the others have the primary context, too. */
static CUresult reset_primary(void)
{
	CUcontext primary;

	OK_CU(cu.cuDevicePrimaryCtxReset(0));
	return cu.cuDevicePrimaryCtxRetain(&primary, 0);
}

static CUresult release_primary(void)
{
	CUcontext primary;

	OK_CU(cu.cuDevicePrimaryCtxRelease(0));
	return cu.cuDevicePrimaryCtxRetain(&primary, 0);
}

/* The CPU device alone: the manual leaves it open. A context that ends does not wait for words
 * that no thread writes, and what comes behind is not done. */
static void test_lost(void)
{
	static CUresult (*const ends[])(void) = { destroy_current, reset_primary, release_primary };
	CUcontext context = NULL;
	atomic_uint *seen;
	CUdeviceptr address;

	if (!cu.gpurunCpuReport)
		return;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		OK_CU(cu.cuCtxCreate_v2(&context, 0, 0));
		seen = cuda_flag(&address);
		if (!i)
			OK_CU(cu.cuCtxCreate_v2(&(CUcontext){ NULL }, 0, 0));
		else
			OK_CU(cu.cuCtxPopCurrent(NULL));
		lost_new(address);
		OK_CU(ends[i]());
		for (int n = 0; n < 500 && !atomic_load(&called); n++)
			sleep_ms(10);
		CHECK_INT(atomic_load(&called), 1);
		CHECK_INT(atomic_load(seen), 0);
		OK_CU(cu.cuCtxDestroy(context));
	}
}

/* The same where the wait is another context's, which goes on. */
static void test_lost_elsewhere(void)
{
	CUcontext other = NULL, context = NULL;
	CUevent event = NULL;
	CUdeviceptr address;
	atomic_uint *seen;
	struct lost lost;

	if (!cu.gpurunCpuReport)
		return;
	seen = cuda_flag(&address);
	OK_CU(cu.cuCtxCreate_v2(&other, 0, 0));
	OK_CU(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	lost = lost_new(address + 4);
	OK_CU(cu.cuEventRecord(event, lost.stream));
	OK_CU(cu.cuCtxCreate_v2(&context, 0, 0));
	OK_CU(cu.cuStreamWaitEvent(NULL, event, 0));
	OK_CU(cu.cuMemsetD32Async(address, 1, 1, NULL));
	OK_CU(cu.cuCtxDestroy(context));
	OK_CU(cu.cuStreamWriteValue32(NULL, lost.word, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
	OK_CU(cu.cuStreamSynchronize(lost.stream));
	CHECK_INT(atomic_load(&called), 2);
	CHECK_INT(atomic_load(&seen[0]), 0);
	CHECK_INT(atomic_load(&seen[1]), 1);
	OK_CU(cu.cuCtxDestroy(other));
	OK_CU(cu.cuMemFreeHost(seen));
}

/* Each condition, met by the host. */
static void test_conditions(void)
{
	static const struct {
		unsigned flags;
		uint32_t value, without, with;
	} rows[] = {
		{ CU_STREAM_WAIT_VALUE_GEQ, 4, 3, 4 },
		{ CU_STREAM_WAIT_VALUE_GEQ, 4, 0x80000010, 5 },
		{ CU_STREAM_WAIT_VALUE_EQ, 4, 5, 4 },
		{ CU_STREAM_WAIT_VALUE_AND, 4, 3, 6 },
		{ CU_STREAM_WAIT_VALUE_NOR, 0xfffffff0, 15, 7 },
	};
	CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
	CUdeviceptr address;
	atomic_uint *word = cuda_flag(&address);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		atomic_store(word, rows[i].without);
		OK_CU(cu.cuStreamWaitValue32(stream, address, rows[i].value, rows[i].flags));
		sleep_ms(5);
		CHECK_CU(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
		atomic_store(word, rows[i].with);
		OK_CU(cu.cuStreamSynchronize(stream));
	}
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuMemFreeHost(word));
}

/* What the device says of itself is what the tests of conditions and batches use. */
static void test_capabilities(void)
{
	static const CUdevice_attribute words[] = {
		CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
		CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR,
	};
	int value = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		OK_CU(cu.cuDeviceGetAttribute(&value, words[i], 0));
		CHECK_INT(value, 1);
	}
}

static void test_batch(void)
{
	CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
	CUdeviceptr address = 0;
	uint64_t words[2] = { 0, 0 };
	CUstreamBatchMemOpParams ops[3];

	OK_CU(cu.cuMemAlloc(&address, sizeof(words)));
	OK_CU(cu.cuMemsetD8(address, 0, sizeof(words)));
	OK_CU(cu.cuCtxSynchronize());
	memset(ops, 0, sizeof(ops));
	ops[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
	ops[0].writeValue.address = address;
	ops[0].writeValue.value64 = 0x123456789abcull;
	ops[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
	ops[1].waitValue.address = address;
	ops[1].waitValue.value64 = 0x123456789abcull;
	ops[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
	ops[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	ops[2].writeValue.address = address + 8;
	ops[2].writeValue.value = 9;
	OK_CU(cu.cuStreamBatchMemOp(stream, 3, ops, 0));
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuMemcpyDtoH(words, address, sizeof(words)));
	CHECK(words[0] == 0x123456789abcull);
	CHECK_INT(words[1], 9);
	CHECK_CU(cu.cuStreamWriteValue32(stream, address + 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuMemFree(address));
}

/* ---- Launches ------------------------------------------------------------------------ */

static void test_cooperative(void)
{
	CUmodule module = cuda_kernels();
	CUdeviceptr address = 0;
	unsigned word = 0;
	void *params[] = { &address };
	int blocks = 0, units = 0;

	OK_CU(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(
		&blocks, cuda_function(module, "last"), 32, 0));
	CHECK(blocks >= 1);
	OK_CU(cu.cuDeviceGetAttribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	blocks *= units;
	OK_CU(cu.cuMemAlloc(&address, 4));
	OK_CU(cu.cuMemsetD32(address, 0, 1));
	OK_CU(cu.cuLaunchCooperativeKernel(cuda_function(module, "last"), (unsigned)blocks, 1, 1,
					   32, 1, 1, 0, NULL, params));
	OK_CU(cu.cuMemcpyDtoH(&word, address, 4));
	CHECK_INT(word, blocks);
	CHECK_CU(cu.cuLaunchCooperativeKernel(cuda_function(module, "last"), (unsigned)blocks + 1,
					      1, 1, 32, 1, 1, 0, NULL, params),
		 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
	OK_CU(cu.cuMemFree(address));
	OK_CU(cu.cuModuleUnload(module));
}

static void test_occupancy(void)
{
	CUmodule module = cuda_kernels();
	CUfunction function = cuda_function(module, "shared");
	int few = 0, many = 0, grid = 0, block = 0;
	size_t available = 0;

	OK_CU(cu.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&few, function, 256, 40000,
								      0));
	OK_CU(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&many, function, 256, 1000));
	CHECK(few >= 1 && many > few);
	OK_CU(cu.cuOccupancyAvailableDynamicSMemPerBlock(&available, function, 2, 256));
	CHECK(available >= 16 << 10);
	OK_CU(cu.cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, NULL, 0, 128,
							   0));
	CHECK(grid >= 1 && block > 0 && block <= 128);
	CHECK_CU(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&few, function, 0, 0),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuModuleUnload(module));
}

/* An attribute names an event that is recorded when the kernel has begun, or later. */
static void test_completion_event(void)
{
	CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
	CUmodule module = cuda_kernels();
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT };
	CUlaunchConfig how = { 1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1 };
	CUevent event = NULL;

	OK_CU(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	attribute.value.launchCompletionEvent.event = event;
	OK_CU(cu.cuLaunchKernelEx(&how, cuda_function(module, "nothing"), NULL, NULL));
	OK_CU(cu.cuEventSynchronize(event));
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuEventDestroy(event));
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuModuleUnload(module));
}

/* A launch that is refused for its event does not run: a GPU's driver may not survive it. */
static void test_completion_refused(void)
{
	CUmodule module = cuda_kernels();
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT };
	CUlaunchConfig how = { 1, 1, 1, 1, 1, 1, 0, NULL, &attribute, 1 };
	CUdeviceptr word = 0;
	unsigned k = 5, seen = 0;
	void *params[] = { &word, &k };
	CUevent event = NULL;

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuMemAlloc(&word, 4));
	OK_CU(cu.cuMemsetD32(word, 3, 1));
	OK_CU(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK_CU(cu.cuEventDestroy(event));
	attribute.value.launchCompletionEvent.event = event;
	CHECK_CU(cu.cuLaunchKernelEx(&how, cuda_function(module, "step"), params, NULL),
		 CUDA_ERROR_INVALID_HANDLE);
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemcpyDtoH(&seen, word, 4));
	CHECK_INT(seen, 3);
	OK_CU(cu.cuMemFree(word));
	OK_CU(cu.cuModuleUnload(module));
}

static void test_device(void)
{
	CUdevprop props = { 0 };
	char id[32] = "";
	CUdevice device = 99;
	int major = 0, minor = -1, wanted = 0;

	OK_CU(cu.cuDeviceComputeCapability(&major, &minor, 0));
	OK_CU(cu.cuDeviceGetAttribute(&wanted, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	CHECK_INT(major, wanted);
	OK_CU(cu.cuDeviceGetProperties(&props, 0));
	CHECK_INT(props.SIMDWidth, 32);
	CHECK_INT(props.maxThreadsPerBlock, 1024);
	OK_CU(cu.cuDeviceGetPCIBusId(id, sizeof(id), 0));
	OK_CU(cu.cuDeviceGetByPCIBusId(&device, id));
	CHECK_INT(device, 0);
	CHECK(cu.cuDeviceGetByPCIBusId(&device, "no such thing") != CUDA_SUCCESS);
}

/* ---- Threads that the driver starts ------------------------------------------------ */

enum { THREADS = 256 };

/* The numbers of the process's threads. */
static size_t threads_now(long ids[static THREADS])
{
	struct dirent *entry;
	DIR *tasks = opendir("/proc/self/task");
	size_t count = 0;

	while (tasks && (entry = readdir(tasks)) && count < THREADS)
		if (entry->d_name[0] != '.')
			ids[count++] = strtol(entry->d_name, NULL, 10);
	if (tasks)
		closedir(tasks);
	return count;
}

/* The signals that a thread blocks, SIGHUP as bit 0. */
static uint64_t blocked_by(long id)
{
	char path[64], line[256];
	uint64_t blocked = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/status", id);
	status = fopen(path, "r");
	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "SigBlk:", 7))
			blocked = strtoull(line + 7, NULL, 16);
	if (status)
		fclose(status);
	return blocked;
}

static long first_threads[THREADS];
static size_t first_count;

static bool is_first(long id)
{
	for (size_t i = 0; i < first_count; i++)
		if (first_threads[i] == id)
			return true;
	return false;
}

static void wait_for_flag(void *flag)
{
	while (!atomic_load((atomic_uint *)flag))
		sleep_ms(1);
}

/*
 * The program's handlers run on its own threads: the driver's block every signal. Its threads
 * for kernels, for host functions and for words are all at work when they are looked at.
 */
static void test_threads(void)
{
	static const int signals[] = { SIGHUP,	SIGINT,	 SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
				       SIGTERM, SIGCHLD, SIGPROF, SIGIO,   SIGWINCH };
	CUstream streams[2] = { stream_new(CU_STREAM_NON_BLOCKING),
				stream_new(CU_STREAM_NON_BLOCKING) };
	atomic_uint done = 0;
	CUdeviceptr word;
	long ids[THREADS];
	size_t count;
	int found = 0;

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuMemAlloc(&word, 4));
	OK_CU(cu.cuMemsetD32(word, 0, 1));
	OK_CU(cu.cuStreamWaitValue32(streams[0], word, 1, CU_STREAM_WAIT_VALUE_EQ));
	OK_CU(cu.cuLaunchHostFunc(streams[1], wait_for_flag, &done));
	count = threads_now(ids);
	for (size_t i = 0; i < count; i++) {
		if (is_first(ids[i]))
			continue;
		found++;
		for (size_t s = 0; s < sizeof(signals) / sizeof(signals[0]); s++)
			CHECK(blocked_by(ids[i]) >> (signals[s] - 1) & 1);
	}
	CHECK(found >= 3);
	atomic_store(&done, 1);
	OK_CU(cu.cuMemsetD32(word, 1, 1));
	for (int i = 0; i < 2; i++) {
		OK_CU(cu.cuStreamSynchronize(streams[i]));
		OK_CU(cu.cuStreamDestroy(streams[i]));
	}
	OK_CU(cu.cuMemFree(word));
}

int main(void)
{
	first_count = threads_now(first_threads);
	cuda_start();
	RUN(test_told);
	RUN(test_priority);
	RUN(test_attributes);
	RUN(test_wait_for_write);
	RUN(test_lost);
	RUN(test_lost_elsewhere);
	RUN(test_conditions);
	RUN(test_capabilities);
	RUN(test_batch);
	RUN(test_cooperative);
	RUN(test_occupancy);
	RUN(test_completion_event);
	RUN(test_completion_refused);
	RUN(test_device);
	RUN(test_threads);
	return tap_end();
}
