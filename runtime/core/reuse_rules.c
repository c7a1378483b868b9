/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "reuse_rules.h"

#include "runtime.h"

CUresult reuse_rule_stream(CUstream stream)
{
	return runtime.cuda.cuStreamQuery(stream);
}

CUresult reuse_rule_fence(CUevent fence)
{
	return runtime.cuda.cuEventQuery(fence);
}

bool reuse_rule_module(bool variables, bool exposed)
{
	return !variables && !exposed;
}
