/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench_peak.h"

#include <stddef.h>

/*
 * Results of 32-bit floating-point additions and multiplications that a multiprocessor has in a
 * clock cycle: the table of arithmetic throughput in the CUDA C++ Programming Guide.
 */
static const struct {
	int major, minor; /* the compute capability */
	int results;
} throughput[] = {
	{ 5, 0, 128 }, { 5, 2, 128 }, { 5, 3, 128 }, { 6, 0, 64 },   { 6, 1, 128 },
	{ 6, 2, 128 }, { 7, 0, 64 },  { 7, 2, 64 },  { 7, 5, 64 },   { 8, 0, 64 },
	{ 8, 6, 128 }, { 8, 7, 128 }, { 8, 9, 128 }, { 9, 0, 128 },  { 10, 0, 128 },
	{ 10, 3, 128 }, { 12, 0, 128 }, { 12, 1, 128 },
};

void bench_peak(const struct gpurun_device_info *info, double *bytes, double *flops)
{
	/* Two transfers in a cycle. */
	*bytes = (double)info->memory_clock_khz * 1e3 * 2 * info->memory_bus_bits / 8;
	*flops = 0;
	for (size_t i = 0; i < sizeof(throughput) / sizeof(throughput[0]); i++)
		if (throughput[i].major == info->cc_major && throughput[i].minor == info->cc_minor)
			*flops = 2.0 * throughput[i].results * info->multiprocessors *
				 (double)info->clock_khz * 1e3;
}
