/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A shared library of what MLIR compiles: its module comes and goes with it. */
#include "mgpu.h"

void object_run(void);

static void *module;

__attribute__((constructor(123))) static void load_module(void)
{
	module = load();
}

__attribute__((destructor(123))) static void unload_module(void)
{
	mgpuModuleUnload(module);
}

__attribute__((visibility("default"))) void object_run(void)
{
	void *stream = mgpuStreamCreate();

	launch1(mgpuModuleGetFunction(module, "nothing"), stream, NULL);
	mgpuStreamSynchronize(stream);
	mgpuStreamDestroy(stream);
}
