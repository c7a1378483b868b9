/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The calls of the MLIR library that no object of test/mlir makes, as compiled code
 * makes them: without looking at anything but what it reads from memory itself.
 */
#include <stdlib.h>
#include <string.h>

#include "mgpu_abi.h"

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
			  ".visible .global .u32 counter;\n"
			  ".visible .entry work() { ret; }\n";

static void *module;

__attribute__((constructor(123))) static void load(void)
{
	module = mgpuModuleLoadJIT(ptx, 2, sizeof(ptx));
}

__attribute__((destructor(123))) static void unload(void)
{
	mgpuModuleUnload(module);
}

static void launches(void)
{
	void *work = mgpuModuleGetFunction(module, "work"), *stream = mgpuStreamCreate();
	void *none[] = { NULL };

	mgpuLaunchKernel(work, 4, 1, 1, 32, 1, 1, 100000, stream, none, NULL, 0);
	mgpuLaunchClusterKernel(work, 2, 1, 1, 4, 1, 1, 32, 1, 1, 0, stream, none, NULL, 0);
	mgpuLaunchKernelCooperative(work, 4, 1, 1, 0, 0, 0, 32, 1, 1, 0, stream, none, NULL);
	mgpuStreamSynchronize(stream);
	mgpuStreamDestroy(stream);
}

/* A memref of rank 2 on the device, and the tensor map of it. */
static void tensor_map(void)
{
	void *data = mgpuMemAlloc(64 * 32 * 4, NULL, 0);
	struct {
		void *allocated, *aligned;
		int64_t offset, sizes[2], strides[2];
	} memref = { data, data, 0, { 32, 64 }, { 64, 1 } };
	const int64_t box[] = { 8, 16 };

	mgpuTensorMapEncodeTiledMemref(2, &memref, 7, 0, 0, 0, 0, box);
	mgpuMemset32(data, 1, 64, NULL);
	mgpuMemset16(data, 1, 64, NULL);
	mgpuMemFree(data, NULL);
}

/* Memory that the host writes too, and the host's own, registered twice. */
static void memory(void)
{
	static char mine[64];
	void *stream = mgpuStreamCreate();
	char *shared = mgpuMemAlloc(64, stream, 1);

	if (shared)
		memset(shared, 1, 64);
	mgpuMemHostRegister(mine, sizeof(mine));
	mgpuMemHostRegister(mine, sizeof(mine));
	mgpuMemcpy(mine, shared, sizeof(mine), stream);
	mgpuStreamSynchronize(stream);
	mgpuMemHostUnregister(mine);
	mgpuMemHostUnregister(mine);
	mgpuMemFree(shared, stream);
	mgpuStreamDestroy(stream);
}

/* Waits as objects of LLVM 22 make them: on a stream that stands for an event. */
static void waits(void)
{
	void *stream = mgpuStreamCreate(), *other = mgpuStreamCreate();
	void *event = mgpuEventCreate();

	mgpuEventRecord(event, stream);
	mgpuStreamWaitEvent(other, event);
	mgpuStreamWaitEvent(other, stream);
	mgpuEventSynchronize(stream);
	mgpuEventDestroy(stream);
	mgpuEventDestroy(stream);
	mgpuEventSynchronize(event);
	mgpuEventDestroy(event);
	mgpuStreamSynchronize(other);
	mgpuStreamDestroy(other);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} rows[] = {
		{ "launches", launches },
		{ "tensor-map", tensor_map },
		{ "memory", memory },
		{ "waits", waits },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, argv[1])) {
			rows[i].run();
			return EXIT_SUCCESS;
		}
	return 2;
}
