/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Faults: a kernel's error shows at the next synchronisation, sticks to every
 * call of the context, and goes with it. Each case runs in a child of its own.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_kernels.h"

/* Runs @body in a child that has not touched the driver. */
static void in_child(void (*body)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		cuda_start();
		if (cu.gpurunCpuReport)
			cu.gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, NULL, 0);
		body();
		fflush(stdout);
		_exit(tap.failed);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
}

static void check_sticks(CUresult code)
{
	CUdeviceptr address;
	CUstream stream;
	CUevent event;
	int value;

	CHECK_CU(cu.cuCtxSynchronize(), code);
	CHECK_CU(cu.cuMemAlloc(&address, 16), code);
	CHECK_CU(cu.cuStreamCreate(&stream, 0), code);
	CHECK_CU(cu.cuEventCreate(&event, 0), code);
	CHECK_CU(cu.cuStreamSynchronize(NULL), code);
	OK_CU(cu.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
}

static void trap_body(void)
{
	CUfunction stop = cuda_function(cuda_kernels(), "stop");

	OK_CU(cuda_launch1(stop, NULL, NULL));
	check_sticks(CUDA_ERROR_LAUNCH_FAILED);
}

static void store_at(CUdeviceptr address)
{
	CUfunction store = cuda_function(cuda_kernels(), "store");
	unsigned value = 1;
	void *params[] = { &address, &value };

	OK_CU(cuda_launch1(store, NULL, params));
}

static void address_body(void)
{
	store_at(0x7000);
	check_sticks(CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void misaligned_body(void)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, 16));
	store_at(address + 2);
	check_sticks(CUDA_ERROR_MISALIGNED_ADDRESS);
}

static void test_trap(void)
{
	in_child(trap_body);
}

static void test_illegal_address(void)
{
	in_child(address_body);
}

static void test_misaligned(void)
{
	in_child(misaligned_body);
}

/* What was queued behind the fault does not run. */
static void queued_body(void)
{
	CUmodule module = cuda_kernels();
	CUfunction stop = cuda_function(module, "stop"), wait = cuda_function(module, "wait");
	CUdeviceptr gate_address, result_address;
	atomic_uint *gate = cuda_flag(&gate_address), *result = cuda_flag(&result_address);
	void *params[] = { &gate_address };

	OK_CU(cuda_launch1(wait, NULL, params));
	OK_CU(cuda_launch1(stop, NULL, NULL));
	OK_CU(cu.cuMemsetD32Async(result_address, 1, 1, NULL));
	*gate = 1;
	CHECK_CU(cu.cuStreamSynchronize(NULL), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_INT(*result, 0);
}

static void test_queued(void)
{
	in_child(queued_body);
}

static void note(CUstream stream, CUresult result, void *data)
{
	(void)stream;
	*(atomic_int *)data = (int)result;
}

static void set(void *data)
{
	*(atomic_int *)data = 1;
}

/* A callback is told of the fault, a host function is not called. */
static void callback_body(void)
{
	CUmodule module = cuda_kernels();
	CUfunction stop = cuda_function(module, "stop"), wait = cuda_function(module, "wait");
	CUdeviceptr gate_address;
	atomic_uint *gate = cuda_flag(&gate_address);
	void *params[] = { &gate_address };
	static atomic_int told = -1, called;

	OK_CU(cuda_launch1(wait, NULL, params));
	OK_CU(cuda_launch1(stop, NULL, NULL));
	OK_CU(cu.cuStreamAddCallback(NULL, note, &told, 0));
	OK_CU(cu.cuLaunchHostFunc(NULL, set, &called));
	*gate = 1;
	CHECK_CU(cu.cuStreamSynchronize(NULL), CUDA_ERROR_LAUNCH_FAILED);
	for (int i = 0; i < 200 && told == -1; i++)
		sleep_ms(10);
	CHECK_INT(told, CUDA_ERROR_LAUNCH_FAILED);
	CHECK_INT(called, 0);
}

static void test_callback(void)
{
	in_child(callback_body);
}

/* Kernels of other streams are ended, so that nothing hangs. */
static void others_body(void)
{
	CUmodule module = cuda_kernels();
	CUfunction stop = cuda_function(module, "stop"), wait = cuda_function(module, "wait");
	CUdeviceptr address;
	CUstream one, two;
	void *params[] = { &address };

	cuda_flag(&address);
	OK_CU(cu.cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
	OK_CU(cuda_launch1(wait, one, params));
	OK_CU(cuda_launch1(stop, two, NULL));
	CHECK_CU(cu.cuStreamSynchronize(two), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_CU(cu.cuStreamSynchronize(one), CUDA_ERROR_LAUNCH_FAILED);
}

static void test_others(void)
{
	in_child(others_body);
}

static void reset_body(void)
{
	CUdeviceptr address = 0;
	CUcontext context;

	store_at(0x7000);
	CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	OK_CU(cu.cuDevicePrimaryCtxRelease(0));
	OK_CU(cu.cuDevicePrimaryCtxRetain(&context, 0));
	OK_CU(cu.cuCtxSetCurrent(context));
	OK_CU(cu.cuMemAlloc(&address, 16));
	store_at(address);
	OK_CU(cu.cuCtxSynchronize());
}

/* A new life of the context knows nothing of the fault. (A GPU is lost to the process.) */
static void test_reset(void)
{
	cuda_open();
	if (cu.gpurunCpuReport)
		in_child(reset_body);
}

/* The CPU device tells what went wrong, and where. */
static void report_body(void)
{
	char text[4096] = "";

	store_at(0x7000);
	CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	OK_CU(cu.gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, text, sizeof(text)));
	CHECK_HAS(text, "store");
	CHECK_HAS(text, "0x7000");
	CHECK_CU(cu.gpurunCpuReport(99, text, sizeof(text)), CUDA_ERROR_INVALID_VALUE);
}

static void test_report(void)
{
	cuda_open();
	if (cu.gpurunCpuReport)
		in_child(report_body);
}

/* Line 7 is inlined at line 5 and, from another column, at line 6. */
static void inlined_body(void)
{
	static const char ptx[] =
		PTX_HEAD ".file 1 \"a.cu\"\n"
		".visible .entry inlined()\n{\n"
		".loc 1 5 3\n"
		".loc 1 7 3, function_name $L, inlined_at 1 5 3\n"
		".loc 1 7 9, function_name $L, inlined_at 1 6 3\n"
		".loc 1 9 1, function_name $L, inlined_at 1 7 3\n"
		"trap;\nret;\n}\n"
		".section .debug_str\n{\n$L:\n.b8 103\n.b8 0\n}\n";
	char report[4096] = "";
	CUmodule module = NULL;

	OK_CU(cu.cuModuleLoadData(&module, ptx));
	OK_CU(cuda_launch1(cuda_function(module, "inlined"), NULL, NULL));
	CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
	OK_CU(cu.gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, report, sizeof(report)));
	CHECK_HAS(report, "source a.cu:9\n  inlined at a.cu:7\n  inlined at a.cu:5\n");
}

static void test_inlined(void)
{
	cuda_open();
	if (cu.gpurunCpuReport)
		in_child(inlined_body);
}

int main(void)
{
	RUN(test_trap);
	RUN(test_illegal_address);
	RUN(test_misaligned);
	RUN(test_queued);
	RUN(test_callback);
	RUN(test_others);
	RUN(test_reset);
	RUN(test_report);
	RUN(test_inlined);
	return tap_end();
}
