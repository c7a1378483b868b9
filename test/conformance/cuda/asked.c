/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What programs ask that has a plain answer: of captures, uses of contexts, abilities, the log. */
#include "cuda_kernels.h"

static void test_no_capture(void)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
	CUstream stream;

	OK_CU(cu.cuStreamCreate(&stream, 0));
	OK_CU(cu.cuStreamGetCaptureInfo(stream, &status, NULL, NULL, NULL, NULL, NULL));
	CHECK_INT(status, CU_STREAM_CAPTURE_STATUS_NONE);
	status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
	OK_CU(cu.cuStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, NULL, NULL));
	CHECK_INT(status, CU_STREAM_CAPTURE_STATUS_NONE);
	status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
	OK_CU(cu.cuStreamGetCaptureInfo_v1(stream, &status, NULL));
	CHECK_INT(status, CU_STREAM_CAPTURE_STATUS_NONE);
	OK_CU(cu.cuStreamDestroy(stream));
}

/* Each call gives the mode before. */
static void test_capture_mode(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	OK_CU(cu.cuThreadExchangeStreamCaptureMode(&mode));
	CHECK_INT(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
	OK_CU(cu.cuThreadExchangeStreamCaptureMode(&mode));
	CHECK_INT(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
	mode = (CUstreamCaptureMode)3;
	if (!cu.gpurunCpuReport)
		return; /* a GPU's driver takes any number */
	CHECK_CU(cu.cuThreadExchangeStreamCaptureMode(&mode), CUDA_ERROR_INVALID_VALUE);
}

static void test_no_green_context(void)
{
	CUgreenCtx green = (CUgreenCtx)(void *)&green;
	CUcontext context = NULL, current = NULL;
	CUstream stream;

	OK_CU(cu.cuCtxGetCurrent(&current));
	OK_CU(cu.cuStreamCreate(&stream, 0));
	OK_CU(cu.cuStreamGetCtx_v2(stream, &context, &green));
	CHECK(context == current && !green);
	green = (CUgreenCtx)(void *)&green;
	OK_CU(cu.cuStreamGetGreenCtx(stream, &green));
	CHECK(!green);
	OK_CU(cu.cuStreamDestroy(stream));
}

/* A context lives until the last of its users has left it. */
static void test_uses(void)
{
	CUcontext context = NULL, same = NULL, current = NULL;
	unsigned version;

	OK_CU(cu.cuCtxCreate_v2(&context, 0, 0));
	OK_CU(cu.cuCtxAttach(&same, 0));
	CHECK(same == context);
	OK_CU(cu.cuCtxDetach(context));
	OK_CU(cu.cuCtxGetCurrent(&current));
	CHECK(current == context);
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuCtxDetach(context));
	OK_CU(cu.cuCtxGetCurrent(&current));
	CHECK(current != context);
	if (!cu.gpurunCpuReport)
		return;
	CHECK(cu.cuCtxGetApiVersion(context, &version) != CUDA_SUCCESS);
	CHECK_CU(cu.cuCtxDetach(context), CUDA_ERROR_INVALID_CONTEXT);
	/* Destroyed in spite of its users. */
	OK_CU(cu.cuCtxCreate_v2(&context, 0, 0));
	OK_CU(cu.cuCtxAttach(&same, 0));
	OK_CU(cu.cuCtxDestroy(context));
	CHECK(cu.cuCtxGetApiVersion(context, &version) != CUDA_SUCCESS);
}

static void test_abilities(void)
{
	CUatomicOperation operations[2] = { CU_ATOMIC_OPERATION_INTEGER_ADD,
					    CU_ATOMIC_OPERATION_CAS };
	unsigned capabilities[2] = { 1 << 30, 1 << 30 }, nodes = 0;
	CUexecAffinityParam affinity = { 77, 77 };
	int count = 0;
	char luid[8] = "";
	size_t width = 0;

	OK_CU(cu.cuDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
	CHECK(capabilities[0] < 1 << 7 && capabilities[1] < 1 << 7);
	CHECK_CU(cu.cuDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 0),
		 CUDA_ERROR_INVALID_DEVICE);
	OK_CU(cu.cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 1, 0));
	CHECK(width >= 1 << 27);
	CHECK_CU(cu.cuDeviceGetLuid(luid, &nodes, 0), CUDA_ERROR_NOT_SUPPORTED);
	OK_CU(cu.cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	OK_CU(cu.cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
	CHECK_INT(affinity.type, CU_EXEC_AFFINITY_TYPE_SM_COUNT);
	CHECK_INT(affinity.smCount, count);
	if (!cu.gpurunCpuReport)
		return; /* writes from afar need another device */
	OK_CU(cu.cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
					    CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
}

/* The device as a program finds it that is about to divide it. */
static void test_resource(void)
{
	CUdevResource resource;
	int count = 0;

	if (!cu.cuDeviceGetDevResource)
		return;
	memset(&resource, 0xff, sizeof(resource));
	OK_CU(cu.cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	OK_CU(cu.cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_SM));
	CHECK_INT(resource.type, CU_DEV_RESOURCE_TYPE_SM);
	CHECK_INT(resource.sm.smCount, count);
	CHECK(resource.sm.minSmPartitionSize > 0 && resource.sm.smCoscheduledAlignment > 0);
	CHECK(resource.sm.minSmPartitionSize <= resource.sm.smCount);
	if (!cu.gpurunCpuReport)
		return; /* a GPU can be divided */
	CHECK_INT(resource.sm.minSmPartitionSize, count);
	CHECK_INT(resource.sm.smCoscheduledAlignment, count);
}

static char heard[512];

static void hear(void *data, CUlogLevel level, char *message, size_t length)
{
	CHECK_INT(level, CU_LOG_LEVEL_ERROR);
	CHECK(strlen(message) == length);
	snprintf(data, sizeof(heard), "%s", message);
}

/* A call that is refused; which ones are, a GPU's driver knows otherwise. */
static void refuse(const char *name)
{
	CUresult (*call)(void *, unsigned) = NULL;

	OK_CU(cu.cuGetProcAddress(name, (void **)&call, 13000, 0, NULL));
	REQUIRE(call);
	CHECK_CU(call(NULL, 0), CUDA_ERROR_NOT_SUPPORTED);
}

/* The file gets the messages from @at on, and @at is the end of them. */
static void check_file(CUlogIterator at)
{
	FILE *file = tmpfile();
	CUlogIterator end = 0;
	char path[64], text[512] = "";

	REQUIRE(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	OK_CU(cu.cuLogsDumpToFile(&at, path, 0));
	OK_CU(cu.cuLogsCurrent(&end, 0));
	CHECK_INT(at, end);
	CHECK(fread(text, 1, sizeof(text) - 1, file) > 0);
	CHECK(strstr(text, "cuGraphLaunch: ") && !strstr(text, "cuGraphCreate"));
	fclose(file);
}

static void test_log(void)
{
	CUlogIterator at = 99, before;
	CUlogsCallbackHandle handle = NULL;
	char text[25600] = "-";
	size_t size = sizeof(text);

	OK_CU(cu.cuLogsCurrent(&at, 0));
	OK_CU(cu.cuLogsDumpToMemory(&at, text, &size, 0));
	CHECK_INT(size, 0);
	CHECK_STR(text, cu.gpurunCpuReport ? "" : "-");
	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuLogsRegisterCallback(hear, heard, &handle));
	before = at;
	refuse("cuGraphCreate");
	CHECK(strstr(heard, "cuGraphCreate: "));
	size = sizeof(text);
	OK_CU(cu.cuLogsDumpToMemory(&at, text, &size, 0));
	CHECK(strstr(text, "cuGraphCreate: ") && size == strlen(text) && text[size - 1] == '\n');
	CHECK_INT(at, before + 1);
	OK_CU(cu.cuLogsUnregisterCallback(handle));
	CHECK_CU(cu.cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
	refuse("cuGraphLaunch");
	CHECK(!strstr(heard, "cuGraphLaunch"));
	check_file(at);
}

/* Too many messages, too small a buffer: the last ones are there, and it is told. */
static void test_full_log(void)
{
	CUlogIterator at = 0;
	char text[25600] = "", small[128] = "";
	size_t size = sizeof(text);

	if (!cu.gpurunCpuReport)
		return;
	for (int i = 0; i < 200; i++)
		refuse(i == 199 ? "cuTexObjectCreate" : "cuGraphCreate");
	OK_CU(cu.cuLogsDumpToMemory(&at, text, &size, 0));
	CHECK(!strncmp(text, "earlier messages", 16) && strstr(text, "cuTexObjectCreate"));
	at -= 2;
	size = sizeof(small);
	OK_CU(cu.cuLogsDumpToMemory(&at, small, &size, 0));
	CHECK(strstr(small, "cuTexObjectCreate") && size == strlen(small));
	at--;
	size = 8;
	CHECK_CU(cu.cuLogsDumpToMemory(&at, small, &size, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK(!size && !*small);
	at += 2;
	size = 8;
	CHECK_CU(cu.cuLogsDumpToMemory(&at, small, &size, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuLogsDumpToFile(NULL, "/no/such/folder/log", 0), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
	cuda_start();
	RUN(test_no_capture);
	RUN(test_capture_mode);
	RUN(test_no_green_context);
	RUN(test_uses);
	RUN(test_abilities);
	RUN(test_resource);
	RUN(test_log);
	RUN(test_full_log);
	return tap_end();
}
