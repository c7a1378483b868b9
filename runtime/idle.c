/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "idle.h"

#include "module.h"

CUresult idle_stream(CUstream stream)
{
	return runtime.cuda.cuStreamQuery(stream);
}

CUresult idle_fence(CUevent fence)
{
	return runtime.cuda.cuEventQuery(fence);
}

bool idle_module(const struct module *module)
{
	return !module->facts.variables && !module->exposed;
}
