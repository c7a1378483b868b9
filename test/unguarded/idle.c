/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The guards of runtime/idle.h taken away: whatever is kept may be used again. */
#include "idle.h"

CUresult idle_stream(CUstream stream)
{
	(void)stream;
	return CUDA_SUCCESS;
}

CUresult idle_fence(CUevent fence)
{
	(void)fence;
	return CUDA_SUCCESS;
}

bool idle_module(const struct module *module)
{
	(void)module;
	return true;
}
