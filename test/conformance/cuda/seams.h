/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Mappings that are neighbours (cuMemMap) and the seams between them, for programs that look at
 * what reaches over those. Each test is a child process that starts the driver itself, under
 * settings of the CPU device if it names some.
 */
#ifndef CONFORMANCE_SEAMS_H
#define CONFORMANCE_SEAMS_H

#include <sys/wait.h>
#include <unistd.h>

#include "cuda_kernels.h"

enum {
	SEAMS = 30,
	WINDOW = 4096, /* bytes before and after a seam that are compared */
};

/* The bytes of a mapping. */
static size_t unit;

/* @count addresses of mappings in a row, with a mapping at each, but @hole. */
struct range {
	CUdeviceptr base;
	unsigned count, hole;
};

static const CUmemAccessDesc seam_access = {
	{ CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
};

TAP_UNUSED static void map_one(const struct range *range, unsigned index)
{
	const CUmemAllocationProp props = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = seam_access.location,
	};
	const CUdeviceptr address = range->base + index * unit;
	CUmemGenericAllocationHandle memory = 0;

	OK_CU(cu.cuMemCreate(&memory, unit, &props, 0));
	OK_CU(cu.cuMemMap(address, unit, 0, memory, 0));
	OK_CU(cu.cuMemRelease(memory));
	OK_CU(cu.cuMemSetAccess(address, unit, &seam_access, 1));
}

/* Maps @count of them; @hole: the one that is left out, or @count. */
TAP_UNUSED static struct range range_map(unsigned count, unsigned hole)
{
	struct range range = { 0, count, hole };

	OK_CU(cu.cuMemAddressReserve(&range.base, count * unit, 0, 0, 0));
	for (unsigned i = count; i-- > 0;) /* the order of memory is not that of addresses */
		if (i != hole)
			map_one(&range, i);
	return range;
}

/* What the driver does at its end is about one that is whole. */
TAP_UNUSED static void range_unmap(const struct range *range)
{
	for (unsigned i = 0; i < range->count; i++)
		if (i != range->hole)
			OK_CU(cu.cuMemUnmap(range->base + i * unit, unit));
	OK_CU(cu.cuMemAddressFree(range->base, range->count * unit));
}

/* The seam between the mappings @index and @index + 1. */
TAP_UNUSED static CUdeviceptr seam(const struct range *range, unsigned index)
{
	return range->base + (index + 1) * unit;
}

/* A byte for each place: as numbers of any type of 16 bits and more they are positive and normal. */
static uint8_t pattern(size_t place)
{
	return 0x40 | ((place * 5 + (place >> 5) + (place >> 21)) & 0x1f);
}

/* Writes the pattern around each seam. */
TAP_UNUSED static void range_fill(const struct range *range)
{
	static uint8_t bytes[2 * WINDOW];

	for (unsigned s = 0; s + 1 < range->count; s++) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = pattern((s + 1) * unit - WINDOW + i);
		if (s != range->hole && s + 1 != range->hole)
			OK_CU(cu.cuMemcpyHtoD(seam(range, s) - WINDOW, bytes, sizeof(bytes)));
	}
}

/* No finding of the checker, which reports each of them once. */
TAP_UNUSED static void no_findings(void)
{
	char text[2048] = "";

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.gpurunCpuReport(GPURUN_CPU_REPORT_FINDING, text, sizeof(text)));
	CHECK_STR(text, "");
}

/* Starts the driver in a child and runs @body there; @settings: for the CPU device alone, or NULL. */
TAP_UNUSED static void in_child(const char *settings, void (*body)(void))
{
	const CUmemAllocationProp props = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = seam_access.location,
	};
	char message[256];
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		tap.failed = false;
		cuda_open();
		if (settings && !cu.gpurunCpuConfigure)
			_exit(0);
		if (settings)
			OK_CU(cu.gpurunCpuConfigure(settings, message, sizeof(message)));
		cuda_start();
		if (cu.gpurunCpuReport)
			cu.gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, NULL, 0);
		OK_CU(cu.cuMemGetAllocationGranularity(&unit, &props,
						       CU_MEM_ALLOC_GRANULARITY_MINIMUM));
		body();
		fflush(stdout);
		_exit(tap.failed);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
}

/* Loads PTX; exits with a failure, and what the driver says, when that fails. */
TAP_UNUSED static CUmodule module_of(const char *text)
{
	static char log[4096];
	CUjit_option names[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
	CUmodule module = NULL;
	CUresult result = cu.cuModuleLoadDataEx(&module, text, 2, names, values);

	if (result) {
		printf("not ok - the kernels do not load: %d %s\n", result, log);
		exit(1);
	}
	return module;
}

#endif
