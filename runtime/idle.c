/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "idle.h"

#include <stdlib.h>
#include <string.h>

#include "module.h"

bool idle_wanted(void)
{
	const char *text = secure_getenv("GPURUN_POOL");

	return !text || strcmp(text, "0") != 0;
}

bool idle_module(const struct module *module)
{
	return !module->facts.variables && !module->exposed;
}
