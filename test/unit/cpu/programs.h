/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs in the place of the real ones, for tests whose kernels are functions of their own. */
#ifndef TEST_UNIT_DRIVER_PROGRAMS_H
#define TEST_UNIT_DRIVER_PROGRAMS_H

#include <stdio.h>
#include <stdlib.h>

#include "exec.h"
#include "exports.h"

int program_load(struct bytes text, struct program **out, struct err *e)
{
	(void)text, (void)e;
	*out = calloc(1, 1);
	return 0;
}

void program_free(struct program *program)
{
	free(program);
}

int program_variable(const struct program *program, const char *name, uint64_t *address,
		     uint64_t *size)
{
	(void)program, (void)name, (void)address, (void)size;
	return GPURUN_NOT_FOUND;
}

bool program_is_managed(const struct program *program, const char *name)
{
	(void)program, (void)name;
	return false;
}

/* Starts the device with one worker and gives a module of it; else prints what TAP wants. */
static inline bool start_device(CUmodule *module)
{
	CUcontext context;
	char message[256];

	if (!gpurunCpuConfigure("threads=1", message, sizeof(message)) && !cuInit(0) &&
	    !gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, NULL, 0) &&
	    !cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context) &&
	    !cuModuleLoadData(module, ".version 7.0\n.target sm_52\n"))
		return true;
	printf("not ok - the device does not start\n");
	return false;
}

#endif
