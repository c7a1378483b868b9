/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * lib/gpurun/trace/libcuda.so.1, which stands before the driver of a GPU: each call is passed on to
 * the library that the word driver=PATH of GPURUN_EXEC names, and written down. gpurun --trace puts
 * it first on the library path. It cannot see what libraries of NVIDIA's do by the tables that
 * cuGetExportTable returns.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda_absent.h"
#include "exec_share.h"
#include "real.h"
#include "times.h"
#include "traced.h"

#define EXPORT __attribute__((visibility("default")))

static void *driver; /* the driver; NULL: none was named, or it cannot be opened */

struct real real = {
#define CUDA_API(name, symbol, need, params, args) .name = absent_##name,
#include "cuda_api.def"
};

static void find(const char *symbol, void *function)
{
	void *found = driver ? dlsym(driver, symbol) : NULL;

	if (found)
		memcpy(function, &found, sizeof(found));
}

/* ---- calls whose parameters we know ---- */

/* What is to be done before and after some calls, of their parameters, and the stream of those that
 * are launches: functions of those names below. */
#define AROUND(name, params)                                                    \
	void before_##name params __attribute__((weak, visibility("hidden")));  \
	void after_##name params __attribute__((weak, visibility("hidden")));   \
	CUstream launched_##name params __attribute__((weak, visibility("hidden")));
#define CUDA_API(name, symbol, need, params, args) AROUND(name, params)
#include "cuda_api.def"
AROUND(cuGraphLaunch, (CUgraphExec graph, CUstream stream))

/* @table: real or per_thread; @instead: of the NULL stream. */
#define PASS_ON(table, call, instead, args)                                       \
	({                                                                        \
		struct timing timing_ = { 0 };                                    \
		uint64_t begin_;                                                  \
		CUresult result_;                                                 \
                                                                                  \
		if (before_##call)                                                \
			before_##call args;                                       \
		if (launched_##call)                                              \
			times_begin(&timing_, launched_##call args, instead);     \
		begin_ = trace_begin();                                           \
		result_ = table.call args;                                        \
		if (launched_##call)                                              \
			times_end(&timing_, result_);                             \
		TRACE_END(begin_, call, result_, instead, args);                  \
		if (after_##call && !result_)                                     \
			after_##call args;                                        \
		result_;                                                          \
	})

#define CUDA_API(name, symbol, need, params, args)                  \
	EXPORT CUresult export_##name params __asm__(symbol);       \
	CUresult export_##name params                               \
	{                                                           \
		return PASS_ON(real, name, CU_STREAM_LEGACY, args); \
	}
#include "cuda_api.def"

/* Their forms for programs whose default stream is the thread's own. */
static struct {
#define CUDA_API(name, symbol, need, params, args)
#define CUDA_API_PTSZ(name, symbol, need, params, args) CUresult(*name) params;
#define CUDA_API_PTDS CUDA_API_PTSZ
#include "cuda_api.def"
} per_thread = {
#define CUDA_API(name, symbol, need, params, args)
#define CUDA_API_PTSZ(name, symbol, need, params, args) .name = absent_##name,
#define CUDA_API_PTDS CUDA_API_PTSZ
#include "cuda_api.def"
};

#define PER_THREAD(name, symbol, params, args)                                \
	EXPORT CUresult per_thread_##name params __asm__(symbol);             \
	CUresult per_thread_##name params                                     \
	{                                                                     \
		return PASS_ON(per_thread, name, CU_STREAM_PER_THREAD, args); \
	}
#define CUDA_API(name, symbol, need, params, args)
#define CUDA_API_PTSZ(name, symbol, need, params, args) \
	PER_THREAD(name, symbol "_ptsz", params, args)
#define CUDA_API_PTDS(name, symbol, need, params, args) \
	PER_THREAD(name, symbol "_ptds", params, args)
#include "cuda_api.def"

/* ---- calls of which we know the name alone: a jump leaves the parameters as they are ---- */

static CUresult not_there(void)
{
	return CUDA_ERROR_NOT_SUPPORTED;
}

#if defined(__x86_64__)
#define JUMP(symbol, slot) \
	"\tendbr64\n\tjmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(symbol, slot) \
	"\tadrp x16, " slot "\n\tldr x16, [x16, #:lo12:" slot "]\n\tbr x16\n"
#else
#error "a jump to an address in memory, of this processor"
#endif

#define PASS_JUMP(name, symbol)                                                          \
	__attribute__((visibility("hidden"))) void *jump_##name = (void *)not_there;     \
	__asm__("\t.text\n\t.globl " symbol "\n\t.type " symbol ", @function\n" symbol ":\n" \
		JUMP(symbol, "jump_" #name) "\t.size " symbol ", .-" symbol "\n");

#define CUDA_API(name, symbol, need, params, args)
#define CUDA_REFUSED(name, symbol, since, group) PASS_JUMP(name, symbol)
#define CUDA_REFUSED_PTSZ(name, symbol, since, group) \
	PASS_JUMP(name, symbol)                       \
	PASS_JUMP(name##_ptsz, symbol "_ptsz")
#define CUDA_REFUSED_PTDS(name, symbol, since, group) \
	PASS_JUMP(name, symbol)                       \
	PASS_JUMP(name##_ptds, symbol "_ptds")
#include "cuda_api.def"

#define CUDA_ALIAS(other, symbol, name, since) PASS_JUMP(old_##other, #other)
#define CUDA_ALIAS_PTSZ(other, symbol, name, since) \
	PASS_JUMP(old_##other, #other)              \
	PASS_JUMP(old_##other##_ptsz, #other "_ptsz")
#include "cuda_aliases.def"

/* ---- launches of graphs: they are jumped to in the driver's place ---- */

struct graphs {
	CUresult (*cuGraphLaunch)(CUgraphExec graph, CUstream stream);
};
static struct graphs graphs, graphs_per_thread;

static CUresult pass_graph(CUgraphExec graph, CUstream stream)
{
	return PASS_ON(graphs, cuGraphLaunch, CU_STREAM_LEGACY, (graph, stream));
}

static CUresult pass_graph_per_thread(CUgraphExec graph, CUstream stream)
{
	return PASS_ON(graphs_per_thread, cuGraphLaunch, CU_STREAM_PER_THREAD, (graph, stream));
}

static void find_graphs(void)
{
	memcpy(&graphs.cuGraphLaunch, &jump_cuGraphLaunch, sizeof(void *));
	memcpy(&graphs_per_thread.cuGraphLaunch, &jump_cuGraphLaunch_ptsz, sizeof(void *));
	jump_cuGraphLaunch = (void *)pass_graph;
	jump_cuGraphLaunch_ptsz = (void *)pass_graph_per_thread;
}

/* ---- finding the driver ---- */

static void find_all(void)
{
#define CUDA_API(name, symbol, need, params, args) find(symbol, &real.name);
#include "cuda_api.def"
#define CUDA_API(name, symbol, need, params, args)
#define CUDA_API_PTSZ(name, symbol, need, params, args) find(symbol "_ptsz", &per_thread.name);
#define CUDA_API_PTDS(name, symbol, need, params, args) find(symbol "_ptds", &per_thread.name);
#define CUDA_REFUSED(name, symbol, since, group) find(symbol, &jump_##name);
#define CUDA_REFUSED_PTSZ(name, symbol, since, group) \
	find(symbol, &jump_##name);                   \
	find(symbol "_ptsz", &jump_##name##_ptsz);
#define CUDA_REFUSED_PTDS(name, symbol, since, group) \
	find(symbol, &jump_##name);                   \
	find(symbol "_ptds", &jump_##name##_ptds);
#include "cuda_api.def"
#define CUDA_ALIAS(other, symbol, name, since) find(#other, &jump_old_##other);
#define CUDA_ALIAS_PTSZ(other, symbol, name, since) \
	find(#other, &jump_old_##other);            \
	find(#other "_ptsz", &jump_old_##other##_ptsz);
#include "cuda_aliases.def"
	find_graphs();
	/* Their first forms end contexts, too. */
	jump_old_cuCtxDestroy = (void *)export_cuCtxDestroy;
	jump_old_cuDevicePrimaryCtxRelease = (void *)export_cuDevicePrimaryCtxRelease;
	jump_old_cuDevicePrimaryCtxReset = (void *)export_cuDevicePrimaryCtxReset;
}

__attribute__((constructor)) static void begin(void)
{
	char path[1024];

	if (exec_path("driver=", path, sizeof(path)))
		driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!driver)
		return;
	find_all();
	trace_open();
	times_open();
}

/* ---- cuGetProcAddress ---- */

/* The functions here, and where those of the driver are that they take the place of. */
static const struct {
	void *const *of_driver;
	void *function;
} ours[] = {
#define OURS(table, name) { (void *const *)&table.name, (void *)
#define CUDA_API(name, symbol, need, params, args) OURS(real, name)export_##name },
#define CUDA_API_PTSZ(name, symbol, need, params, args) \
	OURS(real, name)export_##name }, OURS(per_thread, name)per_thread_##name },
#define CUDA_API_PTDS CUDA_API_PTSZ
#include "cuda_api.def"
	OURS(graphs, cuGraphLaunch)pass_graph },
	OURS(graphs_per_thread, cuGraphLaunch)pass_graph_per_thread },
};

/*
 * The driver has found *@function, whose form is of the version that the caller asked for: it is
 * one of ours if the driver exports it under one of our names. Others stay, and are in no trace.
 */
static void replace(void **function)
{
	for (size_t i = 0; *function && i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (*ours[i].of_driver != *function)
			continue;
		*function = ours[i].function;
		return;
	}
}

void after_cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags,
			    CUdriverProcAddressQueryResult *status)
{
	(void)symbol, (void)version, (void)flags, (void)status;
	if (driver)
		replace(function);
}

void after_cuGetProcAddress_v1(const char *symbol, void **function, int version, uint64_t flags)
{
	(void)symbol, (void)version, (void)flags;
	if (driver)
		replace(function);
}

/* ---- times of launches ---- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define LAUNCHED(name, stream, ...)          \
	CUstream launched_##name(__VA_ARGS__) \
	{                                    \
		return stream;               \
	}
LAUNCHED(cuLaunchKernel, stream, CUfunction function, unsigned gx, unsigned gy, unsigned gz,
	 unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream stream, void **params,
	 void **extra)
LAUNCHED(cuLaunchCooperativeKernel, stream, CUfunction function, unsigned gx, unsigned gy,
	 unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream stream,
	 void **params)
LAUNCHED(cuGraphLaunch, stream, CUgraphExec graph, CUstream stream)
LAUNCHED(cuLaunchKernelEx, config ? config->hStream : NULL, const CUlaunchConfig *config,
	 CUfunction function, void **params, void **extra)

void after_cuInit(unsigned flags)
{
	times_started();
}

/* Calls that have waited for something, and those that have seen that something is done. */
#define WAITED(name, all, ...)         \
	void after_##name(__VA_ARGS__) \
	{                              \
		times_read(all);       \
	}
WAITED(cuCtxSynchronize, true, void)
WAITED(cuCtxSynchronize_v2, true, CUcontext ctx)
WAITED(cuStreamSynchronize, true, CUstream stream)
WAITED(cuStreamQuery, false, CUstream stream)
WAITED(cuEventSynchronize, true, CUevent event)
WAITED(cuEventQuery, false, CUevent event)
WAITED(cuMemcpy, true, CUdeviceptr dst, CUdeviceptr src, size_t size)
WAITED(cuMemcpyDtoH, true, void *dst, CUdeviceptr src, size_t size)
#pragma GCC diagnostic pop

void before_cuCtxDestroy(CUcontext ctx)
{
	times_drop(ctx);
}

void before_cuCtxDetach(CUcontext ctx)
{
	times_drop(ctx);
}

void after_cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
	(void)ctx;
	times_retain(dev);
}

void before_cuDevicePrimaryCtxRelease(CUdevice dev)
{
	times_release(dev);
}

void before_cuDevicePrimaryCtxReset(CUdevice dev)
{
	times_drop_device(dev);
}

/* ---- what records need to know ---- */

/* The handle of a function, or of a kernel of a library. */
size_t trace_describe(CUfunction function, const char **name, struct trace_param *params)
{
	size_t count = 0, offset, size;

	*name = NULL;
	if (real.cuFuncGetName(name, function) && real.cuKernelGetName(name, (CUkernel)function))
		*name = NULL;
	while (count < TRACE_PARAMS_MOST &&
	       (!real.cuFuncGetParamInfo(function, count, &offset, &size) ||
		!real.cuKernelGetParamInfo((CUkernel)function, count, &offset, &size)))
		params[count++] = (struct trace_param){ (uint32_t)offset, (uint32_t)size, "" };
	*name = *name ? *name : "";
	return count;
}
