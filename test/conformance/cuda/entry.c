/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cuGetProcAddress: calls by name and version, and those with the thread's own default stream. */
#include <pthread.h>

#include "cuda_kernels.h"

typedef CUresult query_fn(CUstream stream);
typedef CUresult launch_fn(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			   unsigned, CUstream, void **, void **);
typedef CUresult set_fn(CUdeviceptr, unsigned, size_t);

/* What @name is in @version; NULL when it is not there. */
static void *entry(const char *name, int version, uint64_t flags)
{
	CUdriverProcAddressQueryResult status = 99;
	void *found = &found;

	cu.cuGetProcAddress(name, &found, version, flags, &status);
	CHECK((status == CU_GET_PROC_ADDRESS_SUCCESS) == (found != NULL));
	return found;
}

/* Programs ask for everything that they may call before they initialise the driver. */
static void test_before_init(void)
{
	unsigned (*version)(int *);
	int value = 0;

	*(void **)&version = entry("cuDriverGetVersion", 12000, 0);
	REQUIRE(version);
	OK_CU(version(&value));
	CHECK(value >= 12000);
	CHECK(entry("cuInit", 2000, 0));
	CHECK(entry("cuGetProcAddress", 12000, 0) != entry("cuGetProcAddress", 11030, 0));
}

/* The newest form that the version has. */
static void test_versions(void)
{
	void *query = NULL;

	CHECK(entry("cuMemAlloc", 3020, 0) == entry("cuMemAlloc", 12000, 0));
	CHECK(entry("cuDeviceGetUuid", 9020, 0) != entry("cuDeviceGetUuid", 11040, 0));
	CHECK(entry("cuDeviceGetUuid", 11030, 0) == entry("cuDeviceGetUuid", 9020, 0));
	OK_CU(cu.cuGetProcAddress_v1("cuStreamQuery", &query, 11030, 0));
	CHECK(query && query == entry("cuStreamQuery", 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM));
}

static void test_refused(void)
{
	CUdriverProcAddressQueryResult status = 99;
	void *found = &found;

	/* The status tells, or NULL; the result alone does in the older form. */
	OK_CU(cu.cuGetProcAddress("cuNothingOfTheKind", &found, 12000, 0, &status));
	CHECK(!found);
	CHECK_INT(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	found = &found;
	OK_CU(cu.cuGetProcAddress("cuNothingOfTheKind", &found, 12000, 0, NULL));
	CHECK(!found);
	found = &found;
	CHECK_CU(cu.cuGetProcAddress_v1("cuNothingOfTheKind", &found, 12000, 0),
		 CUDA_ERROR_NOT_FOUND);
	found = &found;
	OK_CU(cu.cuGetProcAddress("cuLaunchKernelEx", &found, 11000, 0, &status));
	CHECK(!found);
	CHECK_INT(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	/* A GPU's driver follows NULL without looking. */
	if (!cu.gpurunCpuReport)
		return;
	CHECK_CU(cu.cuGetProcAddress(NULL, &found, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuGetProcAddress("cuInit", NULL, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
}

/* What the CPU device does not execute is there and says so, in any of its versions. */
static void test_not_executed(void)
{
	static const struct {
		const char *name;
		int since, before; /* a version with it, the last one without it */
		CUresult answer;
	} rows[] = {
		{ "cuGraphCreate", 10000, 9020, CUDA_ERROR_NOT_SUPPORTED },
		{ "cuStreamBeginCapture", 10000, 9020, CUDA_ERROR_NOT_SUPPORTED },
		{ "cuTexObjectCreate", 5000, 4020, CUDA_ERROR_NOT_SUPPORTED },
		{ "cuArrayCreate", 2000, 1000, CUDA_ERROR_NOT_SUPPORTED },
		{ "cuArrayCreate", 13000, 1000, CUDA_ERROR_NOT_SUPPORTED },
		{ "cuIpcOpenMemHandle", 4010, 4000, CUDA_ERROR_NOT_SUPPORTED },
		{ "cuGLGetDevices", 13000, 4000, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT },
	};
	CUdriverProcAddressQueryResult status = 99;
	CUresult (*call)(void *, void *, void *, void *);
	void *found = &found;

	if (!cu.gpurunCpuReport)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		*(void **)&call = entry(rows[i].name, rows[i].since, 0);
		REQUIRE(call);
		CHECK_CU(call(NULL, NULL, NULL, NULL), rows[i].answer);
		CHECK(entry(rows[i].name, rows[i].since,
			    CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
		OK_CU(cu.cuGetProcAddress(rows[i].name, &found, rows[i].before, 0, &status));
		CHECK(!found);
		CHECK_INT(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	}
}

/*
 * NVRTC calls it without looking whether it is there, and goes on where it finds no table.
 * A GPU's driver has tables, though none of this name.
 */
static void test_export_table(void)
{
	static const CUuuid unknown = { "no such table" };
	const void *table = &table;

	CHECK(cu.cuGetExportTable(&table, &unknown) != CUDA_SUCCESS);
	CHECK(!table || !cu.gpurunCpuReport);
	CHECK(entry("cuGetExportTable", 3000, 0));
	if (cu.gpurunCpuReport)
		CHECK_CU(cu.cuGetExportTable(NULL, &unknown), CUDA_ERROR_INVALID_VALUE);
}

static query_fn *query_own;

static void *query_there(void *context)
{
	OK_CU(cu.cuCtxSetCurrent(context));
	OK_CU(query_own(NULL));
	return NULL;
}

/* A launch without a stream is then on the thread's own: other threads' are not busy. */
static void test_own_stream(void)
{
	const uint64_t own = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
	CUdeviceptr address;
	atomic_uint *flag = cuda_flag(&address);
	void *params[] = { &address };
	CUmodule module = cuda_kernels();
	launch_fn *launch;
	CUcontext context;
	pthread_t thread;

	*(void **)&query_own = entry("cuStreamQuery", 12000, own);
	*(void **)&launch = entry("cuLaunchKernel", 12000, own);
	REQUIRE(query_own && launch);
	CHECK((void *)query_own != entry("cuStreamQuery", 12000, 0));
	OK_CU(query_own(NULL));
	OK_CU(launch(cuda_function(module, "wait"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	CHECK_CU(query_own(NULL), CUDA_ERROR_NOT_READY);
	CHECK_CU(cu.cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
	OK_CU(cu.cuCtxGetCurrent(&context));
	pthread_create(&thread, NULL, query_there, context);
	pthread_join(thread, NULL);
	atomic_store(flag, 1);
	OK_CU(cu.cuStreamSynchronize(CU_STREAM_PER_THREAD));
	OK_CU(query_own(NULL));
	OK_CU(cu.cuModuleUnload(module));
	OK_CU(cu.cuMemFreeHost(flag));
}

/* So is a fill that names no stream at all; it comes after what the thread did before. */
static void test_own_fill(void)
{
	set_fn *set;
	CUdeviceptr address;
	unsigned word = 0;

	*(void **)&set = entry("cuMemsetD32", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
	REQUIRE(set);
	CHECK((void *)set != entry("cuMemsetD32", 12000, 0));
	OK_CU(cu.cuMemAlloc(&address, sizeof(word)));
	OK_CU(cu.cuMemsetD32Async(address, 1, 1, CU_STREAM_PER_THREAD));
	OK_CU(set(address, 2, 1));
	OK_CU(cu.cuStreamSynchronize(CU_STREAM_PER_THREAD));
	OK_CU(cu.cuMemcpyDtoH(&word, address, sizeof(word)));
	CHECK_INT(word, 2);
	OK_CU(cu.cuMemFree(address));
}

int main(void)
{
	cuda_open();
	RUN(test_before_init);
	RUN(test_versions);
	RUN(test_refused);
	RUN(test_export_table);
	cuda_start();
	RUN(test_not_executed);
	RUN(test_own_stream);
	RUN(test_own_fill);
	return tap_end();
}
