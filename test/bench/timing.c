/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The reference of scripts/check-bench: what a program on the bare driver API measures of a kernel.
 *
 *	timing IMAGE KERNEL GRID BLOCK RUNS ELEMENTS NUMBER
 *
 * The kernel takes two buffers of ELEMENTS floats, or, where that is negative, one, and NUMBER.
 * Before each run the L2 cache is asked to keep nothing, after which a short kernel takes about
 * 0.1 us longer on an H200, and memory of twice its size is written on the same stream. Prints the
 * median of RUNS times, in nanoseconds. Opens $GPURUN_DRIVER, or libcuda.so.1.
 */
#include "driver.h"

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct work {
	CUfunction function;
	CUdeviceptr scratch;
	size_t scratch_size;
	unsigned grid, block;
	void **args;
};

static double time_once(const struct work *work, CUevent begin, CUevent end)
{
	float milliseconds;

	if (cu.cuCtxResetPersistingL2Cache)
		cu.cuCtxResetPersistingL2Cache(); /* not every device can */
	TRY(cuMemsetD8Async(work->scratch, 1, work->scratch_size, NULL));
	TRY(cuEventRecord(begin, NULL));
	TRY(cuLaunchKernel(work->function, work->grid, 1, 1, work->block, 1, 1, 0, NULL, work->args,
			   NULL));
	TRY(cuEventRecord(end, NULL));
	TRY(cuEventSynchronize(end));
	TRY(cuEventElapsedTime(&milliseconds, begin, end));
	return (double)milliseconds * 1e6;
}

static double median_of(const struct work *work, size_t runs)
{
	double *times = calloc(runs + 1, sizeof(*times)), median;
	CUevent begin, end;

	TRY(cuEventCreate(&begin, 0));
	TRY(cuEventCreate(&end, 0));
	for (size_t i = 0; i < 3 + runs / 10; i++)
		time_once(work, begin, end);
	for (size_t i = 0; times && i < runs; i++)
		times[i] = time_once(work, begin, end);
	if (!times)
		exit(1);
	qsort(times, runs, sizeof(*times), by_value);
	median = times[runs / 2];
	free(times);
	return median;
}

int main(int argc, char **argv)
{
	const long elements = argc == 8 ? atol(argv[6]) : 0;
	const size_t bytes = 4 * (size_t)labs(elements);
	const size_t runs = argc == 8 ? strtoul(argv[5], NULL, 10) : 0;
	unsigned number = argc == 8 ? (unsigned)strtoul(argv[7], NULL, 10) : 0;
	CUdeviceptr from = 0, to;
	void *two[] = { &from, &to, &number }, *one[] = { &to, &number };
	struct work work = { .args = elements < 0 ? one : two };
	CUdevice device;
	CUcontext context;
	CUmodule module;
	int l2;

	if (!bytes || !runs) {
		fprintf(stderr, "usage: timing IMAGE KERNEL GRID BLOCK RUNS ELEMENTS NUMBER\n");
		return 2;
	}
	open_driver();
	TRY(cuInit(0));
	TRY(cuDeviceGet(&device, 0));
	TRY(cuDeviceGetAttribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device));
	TRY(cuDevicePrimaryCtxRetain(&context, device));
	TRY(cuCtxSetCurrent(context));
	TRY(cuModuleLoadData(&module, read_file(argv[1])));
	TRY(cuModuleGetFunction(&work.function, module, argv[2]));
	work.grid = (unsigned)strtoul(argv[3], NULL, 10);
	work.block = (unsigned)strtoul(argv[4], NULL, 10);
	work.scratch_size = 2 * (size_t)l2;
	TRY(cuMemAlloc(&work.scratch, work.scratch_size));
	TRY(cuMemAlloc(&to, bytes));
	TRY(cuMemsetD8(to, 0, bytes));
	if (elements > 0) {
		TRY(cuMemAlloc(&from, bytes));
		TRY(cuMemsetD8(from, 0, bytes));
	}
	printf("%.0f\n", median_of(&work, runs));
	return 0;
}
