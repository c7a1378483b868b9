/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cuda_error.h"

#include "tap.h"

static void test_text(void)
{
	struct err e;

	CHECK_INT(cuda_error_set(&e, CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc"), GPURUN_NO_MEMORY);
	CHECK_STR(e.text, "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
	CHECK_INT(cuda_error_set(&e, (CUresult)12345, "cuInit"), GPURUN_DRIVER);
	CHECK_STR(e.text, "cuInit: CUDA_ERROR_? (12345): an error this version does not know");
}

static void test_statuses(void)
{
	static const struct {
		int result;
		enum gpurun_status status;
	} rows[] = {
		{ 0, GPURUN_OK },	    { 1, GPURUN_INVALID },  { 2, GPURUN_NO_MEMORY },
		{ 4, GPURUN_DRIVER },	    { 34, GPURUN_NO_DEVICE }, { 46, GPURUN_DRIVER },
		{ 100, GPURUN_NO_DEVICE },  { 200, GPURUN_FORMAT }, { 209, GPURUN_NO_IMAGE },
		{ 218, GPURUN_FORMAT },	    { 222, GPURUN_NO_IMAGE }, { 500, GPURUN_NOT_FOUND },
		{ 600, GPURUN_NOT_READY },  { 700, GPURUN_FAULT },  { 701, GPURUN_LAUNCH },
		{ 702, GPURUN_FAULT },	    { 709, GPURUN_DRIVER }, { 710, GPURUN_FAULT },
		{ 713, GPURUN_DRIVER },	    { 714, GPURUN_FAULT },  { 719, GPURUN_FAULT },
		{ 720, GPURUN_LAUNCH },	    { 801, GPURUN_UNSUPPORTED }, { 912, GPURUN_LAUNCH },
		{ 999, GPURUN_DRIVER },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_INT(cuda_error_status((CUresult)rows[i].result), rows[i].status);
}

/* A launch that the driver calls invalid was refused, not misspelt. */
static void test_launch(void)
{
	struct err e;

	CHECK_INT(cuda_error_set(&e, CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel"),
		  GPURUN_LAUNCH);
	CHECK_INT(cuda_error_set(&e, CUDA_ERROR_INVALID_VALUE, "cuLaunchKernelEx"),
		  GPURUN_LAUNCH);
	CHECK_INT(cuda_error_set(&e, CUDA_ERROR_INVALID_VALUE, "cuMemcpy"), GPURUN_INVALID);
	CHECK_INT(cuda_error_set(&e, CUDA_ERROR_ASSERT, "cuLaunchKernel"), GPURUN_FAULT);
}

int main(void)
{
	RUN(test_text);
	RUN(test_statuses);
	RUN(test_launch);
	return tap_end();
}
