/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the stub driver promises to the tests that are made with it. */
#include <sys/wait.h>
#include <unistd.h>

#include "cuda.h"
#include "stub/tensor_map.h"

static CUcontext context;

static const char ptx[] = ".version 7.0\n.target sm_52\n.visible .entry work() { ret; }\n";

static CUstream new_stream(void)
{
	CUstream stream = NULL;

	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	return stream;
}

static CUevent new_event(void)
{
	CUevent event = NULL;

	OK_CU(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	return event;
}

static CUfunction function(void)
{
	static CUmodule module;
	CUfunction found = NULL;

	if (!module)
		OK_CU(cu.cuModuleLoadData(&module, ptx));
	OK_CU(cu.cuModuleGetFunction(&found, module, "work"));
	return found;
}

static CUresult launch(CUstream stream)
{
	return cu.cuLaunchKernel(function(), 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

/* The environment is read by cuInit. */
static void ask(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
	OK_CU(cu.cuInit(0));
}

static long resident(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file && fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (getpagesize() / 1024);
}

/* Creates and destroys one of each. */
static bool churn(unsigned count)
{
	CUdeviceptr address;
	CUstream stream;
	CUevent event;

	while (count--)
		if (cu.cuStreamCreate(&stream, 0) || cu.cuEventCreate(&event, 0) ||
		    cu.cuEventRecord(event, stream) || cu.cuMemAlloc(&address, 64) ||
		    cu.cuMemFree(address) || cu.cuEventDestroy(event) ||
		    cu.cuStreamDestroy(stream))
			return false;
	return true;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static void test_flat(void)
{
	enum { MANY = 350000 }; /* a million objects */
	long before;

	REQUIRE(churn(10000));
	before = resident();
	REQUIRE(churn(MANY));
	/* A sanitizer keeps what was freed for a while. */
	CHECK(resident() - before < (SANITIZED ? 1 << 20 : 4096));
}

static void test_stale(void)
{
	CUstream stream = new_stream();
	CUevent event = new_event();

	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuEventDestroy(event));
	REQUIRE(churn(1000));
	CHECK_CU(cu.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuEventDestroy(event), CUDA_ERROR_INVALID_HANDLE);
}

/* As an H100 answers it. */
static void test_misuse(void)
{
	CUstream stream = new_stream();
	CUevent event = new_event();
	int garbage[4];

	CHECK_CU(cu.cuEventSynchronize((CUevent)stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_CU(cu.cuEventDestroy((CUevent)stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_CU(cu.cuStreamWaitEvent(stream, (CUevent)stream, 0),
		 CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_CU(cu.cuStreamDestroy((CUstream)event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_CU(launch((CUstream)garbage), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(cu.cuModuleUnload(NULL), CUDA_ERROR_INVALID_HANDLE);
	OK_CU(cu.cuEventDestroy(event));
	OK_CU(cu.cuStreamDestroy(stream));
}

static void test_busy(void)
{
	CUstream stream = new_stream(), other = new_stream();
	CUevent event = new_event(), fence = new_event();

	ask("GPURUN_STUB_BUSY", "2");
	OK_CU(cu.cuEventRecord(event, stream));
	OK_CU(launch(stream));
	OK_CU(cu.cuEventQuery(event));
	OK_CU(cu.cuStreamQuery(other));
	CHECK_CU(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	CHECK_CU(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	OK_CU(cu.cuStreamQuery(stream));

	OK_CU(launch(stream));
	OK_CU(cu.cuEventRecord(event, stream));
	OK_CU(cu.cuCtxRecordEvent(context, fence));
	CHECK_CU(cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
	OK_CU(cu.cuEventSynchronize(event));
	OK_CU(cu.cuStreamQuery(stream));
	OK_CU(cu.cuEventQuery(fence));

	/* A wait for unfinished work makes a stream busy too; a fence sees what a
	 * destroyed stream has left to do. */
	OK_CU(launch(stream));
	OK_CU(cu.cuEventRecord(event, stream));
	OK_CU(cu.cuStreamWaitEvent(other, event, 0));
	OK_CU(cu.cuStreamSynchronize(stream));
	CHECK_CU(cu.cuStreamQuery(other), CUDA_ERROR_NOT_READY);
	OK_CU(cu.cuStreamDestroy(other));
	OK_CU(cu.cuCtxRecordEvent(context, fence));
	CHECK_CU(cu.cuEventQuery(fence), CUDA_ERROR_NOT_READY);
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuEventQuery(fence));

	ask("GPURUN_STUB_BUSY", NULL);
	OK_CU(cu.cuEventDestroy(event));
	OK_CU(cu.cuEventDestroy(fence));
	OK_CU(cu.cuStreamDestroy(stream));
}

static void test_unsupported(void)
{
	CUevent event = new_event();

	OK_CU(cu.cuCtxRecordEvent(context, event));
	setenv("GPURUN_STUB_FAIL", "cuCtxRecordEvent=801", 1);
	CHECK_CU(cu.cuCtxRecordEvent(context, event), CUDA_ERROR_NOT_SUPPORTED);
	unsetenv("GPURUN_STUB_FAIL");
	OK_CU(cu.cuCtxRecordEvent(context, event));
	OK_CU(cu.cuEventDestroy(event));
}

static void test_tensor_map(void)
{
	const uint64_t dims[] = { 64, 32 }, strides[] = { 256 };
	const uint32_t box[] = { 16, 8 }, steps[] = { 1, 1 };
	struct stub_tensor_map made;
	CUtensorMap map;

	OK_CU(cu.cuTensorMapEncodeTiled(&map, 7, 2, (void *)0x1000, dims, strides, box, steps,
					0, 3, 2, 1));
	memcpy(&made, &map, sizeof(made));
	CHECK_INT(made.address, 0x1000);
	CHECK_INT(made.type, 7);
	CHECK_INT(made.rank, 2);
	CHECK_INT(made.swizzle, 3);
	CHECK_INT(made.l2, 2);
	CHECK_INT(made.oob, 1);
	CHECK_INT(made.dims[1], 32);
	CHECK_INT(made.dims[2], 0);
	CHECK_INT(made.strides[0], 256);
	CHECK_INT(made.box[0], 16);
	CHECK_CU(cu.cuTensorMapEncodeTiled(&map, 7, 6, (void *)0x1000, dims, strides, box,
					   steps, 0, 0, 0, 0),
		 CUDA_ERROR_INVALID_VALUE);
}

static void test_cluster(void)
{
	CUlaunchAttribute attributes[] = {
		{ .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
		  .value.clusterDim = { 2, 1, 1 } },
		{ .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
		  .value.clusterSchedulingPolicyPreference = 1 },
		{ .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1 },
	};
	CUlaunchConfig config = { 4, 1, 1, 32, 1, 1, 0, NULL, attributes, 3 };
	char path[] = "/tmp/gpurun-trace-XXXXXX", text[4096] = "";
	int fd = mkstemp(path);

	REQUIRE(fd >= 0);
	ask("GPURUN_STUB_TRACE", path);
	OK_CU(cu.cuLaunchKernelEx(&config, function(), NULL, NULL));
	config.gridDimX = 3;
	CHECK_CU(cu.cuLaunchKernelEx(&config, function(), NULL, NULL),
		 CUDA_ERROR_INVALID_CLUSTER_SIZE);
	ask("GPURUN_STUB_TRACE", NULL);
	CHECK(read(fd, text, sizeof(text) - 1) > 0);
	CHECK_HAS(text, "cuLaunchKernelEx(grid 4 1 1, block 32 1 1, shared 0, 0, cluster 2 1 1, "
			"cluster policy 1, cooperative 1, function#1, ..., ...)\n");
	close(fd);
	unlink(path);
}

static void test_ranges(void)
{
	CUdeviceptr address, base = 0;
	size_t size = 0;

	OK_CU(cu.cuMemAlloc(&address, 1000));
	OK_CU(cu.cuMemGetAddressRange(&base, &size, address + 999));
	CHECK(base == address && size == 1000);
	CHECK_CU(cu.cuMemGetAddressRange(&base, &size, address + 1000),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFree(address));
	CHECK_CU(cu.cuMemGetAddressRange(NULL, NULL, address), CUDA_ERROR_INVALID_VALUE);
}

/* Access between devices is enabled once, in one direction; it goes with the context. */
static void test_peers(void)
{
	CUcontext second;
	int can = 0;

	CHECK_CU(cu.cuDeviceCanAccessPeer(&can, 0, 1), CUDA_ERROR_INVALID_DEVICE);
	ask("GPURUN_STUB_DEVICES", "2");
	OK_CU(cu.cuDeviceCanAccessPeer(&can, 0, 1));
	CHECK_INT(can, 1);
	OK_CU(cu.cuDevicePrimaryCtxRetain(&second, 1));
	CHECK_CU(cu.cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
	CHECK_CU(cu.cuCtxEnablePeerAccess(second, 1), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuCtxEnablePeerAccess(second, 0));
	CHECK_CU(cu.cuCtxEnablePeerAccess(second, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
	OK_CU(cu.cuCtxPushCurrent(second));
	OK_CU(cu.cuCtxEnablePeerAccess(context, 0));
	OK_CU(cu.cuCtxPopCurrent(&second));
	OK_CU(cu.cuDevicePrimaryCtxRelease(1));
	CHECK_CU(cu.cuCtxEnablePeerAccess(second, 0), CUDA_ERROR_INVALID_CONTEXT);
	ask("GPURUN_STUB_DEVICES", NULL);
}

/* The calls that the runtime does not make are told to fail, and traced, like all others. */
static void test_async(void)
{
	char path[] = "/tmp/gpurun-trace-XXXXXX", text[4096] = "", bytes[8] = "", in[8] = "eight!!";
	CUstream stream = new_stream();
	int fd = mkstemp(path);
	CUdeviceptr address = 0;
	CUevent event;

	REQUIRE(fd >= 0);
	ask("GPURUN_STUB_TRACE", path);
	OK_CU(cu.cuMemAllocAsync(&address, 8, stream));
	OK_CU(cu.cuMemcpyHtoDAsync(address, in, 8, stream));
	OK_CU(cu.cuMemcpyPeerAsync(address, context, address, context, 8, stream));
	OK_CU(cu.cuMemcpyDtoHAsync(bytes, address, 8, stream));
	CHECK_STR(bytes, in);
	setenv("GPURUN_STUB_FAIL", "cuMemFreeAsync=999,cuEventDestroy_v1=999", 1);
	CHECK_CU(cu.cuMemFreeAsync(address, stream), CUDA_ERROR_UNKNOWN);
	event = new_event();
	CHECK_CU(cu.cuEventDestroy_v1(event), CUDA_ERROR_UNKNOWN);
	unsetenv("GPURUN_STUB_FAIL");
	OK_CU(cu.cuMemFreeAsync(address, stream));
	CHECK_CU(cu.cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuEventDestroy_v1(event));
	ask("GPURUN_STUB_TRACE", NULL);
	CHECK(read(fd, text, sizeof(text) - 1) > 0);
	CHECK_HAS(text, ", context#1, memory#");
	CHECK_HAS(text, "cuEventDestroy_v1(event#");
	OK_CU(cu.cuStreamDestroy(stream));
	close(fd);
	unlink(path);
}

/* Each device has a context, streams, memory and faults of its own. */
static void test_devices(void)
{
	CUstream stream = new_stream();
	CUcontext second, found;
	CUdevice device = -1;
	CUevent event;
	size_t left, total, other;

	ask("GPURUN_STUB_DEVICES", "2");
	OK_CU(cu.cuDevicePrimaryCtxRetain(&second, 1));
	CHECK(second != context);
	OK_CU(cu.cuMemGetInfo(&left, &total));
	OK_CU(cu.cuCtxPushCurrent(second));
	OK_CU(cu.cuCtxGetDevice(&device));
	CHECK_INT(device, 1);
	OK_CU(cu.cuMemGetInfo(&other, &total));
	CHECK_INT(other, total);
	OK_CU(cu.cuStreamGetCtx(stream, &found));
	CHECK(found == context);
	event = new_event();
	CHECK_CU(cu.cuEventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
	CHECK_CU(launch(NULL), CUDA_ERROR_INVALID_HANDLE);
	setenv("GPURUN_STUB_FAIL", "cuCtxSynchronize=719", 1);
	CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
	OK_CU(cu.cuCtxPopCurrent(&found));
	OK_CU(cu.cuCtxSynchronize());
	/* What is of a context that was given up is told as destroyed. */
	OK_CU(cu.cuDevicePrimaryCtxRelease(1));
	CHECK_CU(cu.cuEventDestroy(event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	OK_CU(cu.cuStreamDestroy(stream));
	ask("GPURUN_STUB_DEVICES", NULL);
}

/* Runs a process of its own, which leaves a stream and fails to free a block. */
static void leave(const char *leaks, const char *counts)
{
	CUdeviceptr address;
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		setenv("GPURUN_STUB_LEAKS", leaks, 1);
		setenv("GPURUN_STUB_COUNTS", counts, 1);
		setenv("GPURUN_STUB_FAIL", "cuMemFree:2=1", 1);
		cuda_start();
		new_stream();
		cu.cuMemAlloc(&address, 8);
		cu.cuMemFree(address);
		cu.cuMemAlloc(&address, 8);
		cu.cuMemFree(address);
		cu.cuDevicePrimaryCtxRelease(0);
		exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
}

static void check_file(const char *path, const char *want)
{
	char text[512] = "";
	FILE *file = fopen(path, "r");

	if (CHECK(file != NULL) && fread(text, 1, sizeof(text) - 1, file))
		CHECK_STR(text, want);
	if (file)
		fclose(file);
	unlink(path);
}

static void test_reports(void)
{
	char leaks[] = "/tmp/gpurun-left-XXXXXX", counts[] = "/tmp/gpurun-count-XXXXXX";
	int first = mkstemp(leaks), second = mkstemp(counts);

	REQUIRE(first >= 0 && second >= 0);
	close(first);
	close(second);
	leave(leaks, counts);
	check_file(leaks, "left: stream#1\nrefused: memory#2\n1 left\n");
	check_file(counts, "cuCtxSetCurrent 1\ncuDeviceGet 1\ncuDevicePrimaryCtxRelease 1\n"
			   "cuDevicePrimaryCtxRetain 1\ncuInit 1\ncuMemAlloc 2\ncuMemFree 2\n"
			   "cuStreamCreate 1\n");
}

/* Last: it does not come back. */
static void test_gone(void)
{
	CUstream stream = new_stream();

	ask("GPURUN_STUB_GONE", "cuStreamQuery:100");
	OK_CU(cu.cuStreamQuery(stream));
	for (int i = 0; i < 100 && !cu.cuStreamQuery(stream); i++)
		continue;
	CHECK_CU(cu.cuStreamQuery(stream), CUDA_ERROR_DEINITIALIZED);
	CHECK_CU(cu.cuStreamDestroy(stream), CUDA_ERROR_DEINITIALIZED);
	CHECK_CU(cu.cuInit(0), CUDA_ERROR_DEINITIALIZED);
}

int main(void)
{
	/* First: its child must not find a driver that was used before the fork. */
	RUN(test_reports);
	cuda_start();
	cu.cuCtxGetCurrent(&context);
	RUN(test_flat);
	RUN(test_stale);
	RUN(test_misuse);
	RUN(test_busy);
	RUN(test_unsupported);
	RUN(test_tensor_map);
	RUN(test_cluster);
	RUN(test_ranges);
	RUN(test_peers);
	RUN(test_async);
	RUN(test_devices);
	RUN(test_gone);
	return tap_end();
}
