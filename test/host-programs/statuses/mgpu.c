/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program of the functions that MLIR's GPU lowering calls: steps.h says how it is told what to
 * do. None of them returns whether it has failed.
 */
#include "kernels.h"
#include "mgpu_abi.h"
#include "steps.h"

static void *module, *stream, *memory;

static void load(const char *what)
{
	size_t size;
	const void *image = image_of(what, &size);

	module = mgpuModuleLoad(image, size);
	if (!stream)
		stream = mgpuStreamCreate();
}

static void unload(const char *what)
{
	(void)what;
	mgpuModuleUnload(module);
	mgpuStreamDestroy(stream);
}

static void launch(const char *what)
{
	const struct shape s = shape(what);
	void *args[] = { &memory };

	mgpuLaunchKernel(mgpuModuleGetFunction(module, s.kernel), s.grid, 1, 1, s.block, 1, 1,
			 (int32_t)s.shared, s.bad_stream ? (void *)0x1234 : stream, args, NULL, 1);
}

static void synchronize(const char *what)
{
	(void)what;
	mgpuStreamSynchronize(stream);
}

static void allocate(const char *what)
{
	memory = mgpuMemAlloc(*what ? strtoull(what, NULL, 0) : 64, stream, 0);
}

static void release(const char *what)
{
	mgpuMemFree(*what ? (void *)0x77 : memory, stream);
}

static const struct step steps[] = {
	{ "load", load }, { "unload", unload }, { "launch", launch }, { "sync", synchronize },
	{ "alloc", allocate }, { "free", release }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_program(steps, argc, argv);
}
