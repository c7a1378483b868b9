/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "reuse_rules.h"

#include "module.h"

CUresult reuse_rule_stream(CUstream stream)
{
	return runtime.cuda.cuStreamQuery(stream);
}

CUresult reuse_rule_fence(CUevent fence)
{
	return runtime.cuda.cuEventQuery(fence);
}

bool reuse_rule_module(const struct module *module)
{
	return !module->facts.variables && !module->exposed;
}
