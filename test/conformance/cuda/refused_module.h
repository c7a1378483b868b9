/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bad arguments of what is about code: modules, libraries, functions and launches. */
#ifndef CONFORMANCE_REFUSED_MODULE_H
#define CONFORMANCE_REFUSED_MODULE_H

#include "refused.h"

static void bad_module(void)
{
	CUmodule module;
	CUfunction function;
	CUdeviceptr address;
	unsigned count;
	size_t size;

	REFUSED(cuModuleLoad, (NULL, "no file"), VALUE);
	REFUSED(cuModuleLoad, (&module, NULL), VALUE);
	REFUSED(cuModuleLoad, (&module, "/no/file"), CUDA_ERROR_FILE_NOT_FOUND);
	REFUSED(cuModuleLoadData, (NULL, PTX_ALL), VALUE);
	REFUSED(cuModuleLoadData, (&module, NULL), VALUE);
	REFUSED(cuModuleLoadData, (&module, PTX_HEAD "nonsense"), CUDA_ERROR_INVALID_PTX);
	REFUSED(cuModuleLoadDataEx, (NULL, PTX_ALL, 0, NULL, NULL), VALUE);
	REFUSED(cuModuleLoadDataEx, (&module, NULL, 0, NULL, NULL), VALUE);
	HERE(cuModuleLoadDataEx, (&module, PTX_ALL, 1, NULL, NULL), VALUE);
	REFUSED(cuModuleLoadFatBinary, (NULL, PTX_ALL), VALUE);
	REFUSED(cuModuleLoadFatBinary, (&module, NULL), VALUE);
	REFUSED(cuModuleUnload, (NULL), VALUE, HANDLE);
	REFUSED(cuModuleGetFunction, (NULL, good.module, "step"), VALUE);
	REFUSED(cuModuleGetFunction, (&function, good.module, NULL), VALUE);
	REFUSED(cuModuleGetFunction, (&function, good.module, "none"), MISSING);
	REFUSED(cuModuleGetFunction, (&function, NULL, "step"), VALUE, HANDLE);
	REFUSED(cuModuleGetFunctionCount, (NULL, good.module), VALUE);
	REFUSED(cuModuleGetFunctionCount, (&count, NULL), VALUE, HANDLE);
	REFUSED(cuModuleEnumerateFunctions, (NULL, 1, good.module), VALUE);
	REFUSED(cuModuleEnumerateFunctions, (&function, 1, NULL), VALUE, HANDLE);
	REFUSED(cuModuleGetGlobal, (&address, &size, good.module, NULL), VALUE);
	REFUSED(cuModuleGetGlobal, (&address, &size, good.module, "none"), MISSING);
	REFUSED(cuModuleGetGlobal, (&address, &size, NULL, "table"), VALUE, HANDLE);
	HERE(cuModuleGetLoadingMode, (NULL), VALUE);
	OK_CU(cu.cuModuleLoadData(&module, PTX_ALL));
	OK_CU(cu.cuModuleGetFunction(&function, module, "nothing"));
	OK_CU(cu.cuModuleUnload(module));
	HERE(cuModuleUnload, (module), HANDLE, VALUE);
	HERE(cuModuleGetFunction, (&function, module, "step"), HANDLE, VALUE);
	HERE(cuLaunchKernel, (function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), HANDLE);
}

static void bad_function(void)
{
	CUfunctionLoadingState state;
	const char *name;
	CUmodule module;
	size_t size;
	int value;

	REFUSED(cuFuncGetAttribute, (NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, good.step), VALUE);
	REFUSED(cuFuncGetAttribute, (&value, (CUfunction_attribute)UNKNOWN, good.step), VALUE);
	REFUSED(cuFuncGetAttribute, (&value, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL), HANDLE, VALUE);
	REFUSED(cuFuncSetAttribute, (good.step, (CUfunction_attribute)UNKNOWN, 1), VALUE);
	REFUSED(cuFuncSetAttribute, (good.step, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), VALUE);
	REFUSED(cuFuncSetAttribute,
		(good.step, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30), VALUE);
	REFUSED(cuFuncSetAttribute,
		(good.step, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1), VALUE);
	REFUSED(cuFuncSetAttribute, (NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, 1), HANDLE, VALUE);
	REFUSED(cuFuncSetCacheConfig, (NULL, CU_FUNC_CACHE_PREFER_NONE), HANDLE, VALUE);
	REFUSED(cuFuncSetCacheConfig, (good.step, (CUfunc_cache)UNKNOWN), VALUE);
	REFUSED(cuFuncSetSharedMemConfig, (NULL, 0), HANDLE, VALUE);
	REFUSED(cuFuncSetSharedMemConfig, (good.step, (CUsharedconfig)UNKNOWN), VALUE);
	REFUSED(cuFuncGetModule, (NULL, good.step), VALUE);
	REFUSED(cuFuncGetModule, (&module, NULL), HANDLE, VALUE);
	REFUSED(cuFuncGetName, (NULL, good.step), VALUE);
	REFUSED(cuFuncGetName, (&name, NULL), HANDLE, VALUE);
	REFUSED(cuFuncGetParamInfo, (good.step, 2, &size, &size), VALUE);
	REFUSED(cuFuncGetParamInfo, (good.step, 0, NULL, &size), VALUE);
	REFUSED(cuFuncGetParamInfo, (NULL, 0, &size, &size), HANDLE, VALUE);
	REFUSED(cuFuncIsLoaded, (NULL, good.step), VALUE);
	REFUSED(cuFuncIsLoaded, (&state, NULL), HANDLE, VALUE);
	REFUSED(cuFuncLoad, (NULL), HANDLE, VALUE);
}

static void bad_kernel(void)
{
	CUfunction function;
	CUlibrary library;
	const char *name;
	size_t size;
	int value;

	REFUSED(cuKernelGetFunction, (NULL, good.kernel), VALUE);
	REFUSED(cuKernelGetFunction, (&function, NULL), HANDLE, VALUE);
	REFUSED(cuKernelGetLibrary, (NULL, good.kernel), VALUE);
	REFUSED(cuKernelGetLibrary, (&library, NULL), HANDLE, VALUE);
	REFUSED(cuKernelGetName, (NULL, good.kernel), VALUE);
	REFUSED(cuKernelGetName, (&name, NULL), HANDLE, VALUE);
	REFUSED(cuKernelGetParamInfo, (good.kernel, 2, &size, &size), VALUE);
	REFUSED(cuKernelGetParamInfo, (good.kernel, 0, NULL, &size), VALUE);
	REFUSED(cuKernelGetAttribute, (NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, good.kernel, 0), VALUE);
	REFUSED(cuKernelGetAttribute, (&value, (CUfunction_attribute)UNKNOWN, good.kernel, 0),
		VALUE);
	REFUSED(cuKernelGetAttribute, (&value, CU_FUNC_ATTRIBUTE_NUM_REGS, good.kernel, NONE),
		DEVICE);
	REFUSED(cuKernelGetAttribute, (&value, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL, 0), HANDLE, VALUE);
	REFUSED(cuKernelSetAttribute, (CU_FUNC_ATTRIBUTE_NUM_REGS, 1, good.kernel, 0), VALUE);
	REFUSED(cuKernelSetAttribute,
		(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1, good.kernel, NONE), DEVICE);
	REFUSED(cuKernelSetCacheConfig, (good.kernel, (CUfunc_cache)UNKNOWN, 0), VALUE);
	REFUSED(cuKernelSetCacheConfig, (good.kernel, CU_FUNC_CACHE_PREFER_NONE, NONE), DEVICE);
}

static void bad_library(void)
{
	CUdeviceptr address;
	CUlibrary library;
	CUkernel kernel;
	CUmodule module;
	unsigned count;
	void *function;
	size_t size;

	REFUSED(cuLibraryLoadData, (NULL, PTX_ALL, NULL, NULL, 0, NULL, NULL, 0), VALUE);
	REFUSED(cuLibraryLoadData, (&library, NULL, NULL, NULL, 0, NULL, NULL, 0), VALUE);
	HERE(cuLibraryLoadData, (&library, PTX_ALL, NULL, NULL, 1, NULL, NULL, 0), VALUE);
	REFUSED(cuLibraryLoadFromFile, (NULL, "/no/file", NULL, NULL, 0, NULL, NULL, 0), VALUE);
	REFUSED(cuLibraryLoadFromFile, (&library, "/no/file", NULL, NULL, 0, NULL, NULL, 0),
		CUDA_ERROR_FILE_NOT_FOUND, VALUE);
	REFUSED(cuLibraryUnload, (NULL), HANDLE, VALUE);
	REFUSED(cuLibraryGetKernel, (NULL, good.library, "step"), VALUE);
	REFUSED(cuLibraryGetKernel, (&kernel, good.library, NULL), VALUE);
	REFUSED(cuLibraryGetKernel, (&kernel, good.library, "none"), MISSING);
	REFUSED(cuLibraryGetKernel, (&kernel, NULL, "step"), HANDLE, VALUE);
	REFUSED(cuLibraryGetKernelCount, (NULL, good.library), VALUE);
	REFUSED(cuLibraryGetKernelCount, (&count, NULL), HANDLE, VALUE);
	REFUSED(cuLibraryEnumerateKernels, (NULL, 1, good.library), VALUE);
	REFUSED(cuLibraryGetModule, (NULL, good.library), VALUE);
	REFUSED(cuLibraryGetModule, (&module, NULL), HANDLE, VALUE);
	REFUSED(cuLibraryGetGlobal, (&address, &size, good.library, "none"), MISSING);
	REFUSED(cuLibraryGetGlobal, (&address, &size, good.library, NULL), VALUE);
	REFUSED(cuLibraryGetManaged, (&address, &size, good.library, "none"), MISSING);
	REFUSED(cuLibraryGetUnifiedFunction, (&function, good.library, "none"), MISSING, VALUE);
	OK_CU(cu.cuLibraryLoadData(&library, PTX_ALL, NULL, NULL, 0, NULL, NULL, 0));
	OK_CU(cu.cuLibraryGetKernel(&kernel, library, "nothing"));
	OK_CU(cu.cuLibraryUnload(library));
	HERE(cuLibraryUnload, (library), HANDLE, VALUE);
	HERE(cuLibraryGetKernelCount, (&count, library), HANDLE, VALUE);
	HERE(cuKernelGetLibrary, (&library, kernel), HANDLE, VALUE);
	HERE(cuLaunchKernel, ((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), HANDLE);
}

/* The manual leaves open what comes of a state that there is not. */
static void bad_link(void)
{
	CUlinkState state;
	void *image;
	size_t size;

	REFUSED(cuLinkCreate, (0, NULL, NULL, NULL), VALUE);
	HERE(cuLinkCreate, (1, NULL, NULL, &state), VALUE);
	OK_CU(cu.cuLinkCreate(0, NULL, NULL, &state));
	REFUSED(cuLinkAddFile, (state, CU_JIT_INPUT_PTX, "/no/file", 0, NULL, NULL),
		CUDA_ERROR_FILE_NOT_FOUND);
	HERE(cuLinkAddData, (state, CU_JIT_INPUT_PTX, NULL, 4, "", 0, NULL, NULL), VALUE);
	HERE(cuLinkAddData, (state, UNKNOWN, PTX_ALL, 4, "", 0, NULL, NULL), VALUE);
	HERE(cuLinkAddFile, (state, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL), VALUE);
	HERE(cuLinkComplete, (state, NULL, &size), VALUE);
	OK_CU(cu.cuLinkDestroy(state));
	HERE(cuLinkDestroy, (state), HANDLE, VALUE);
	HERE(cuLinkComplete, (state, &image, &size), HANDLE, VALUE);
	HERE(cuLinkAddData, (state, CU_JIT_INPUT_PTX, PTX_ALL, 4, "", 0, NULL, NULL), HANDLE,
	     VALUE);
}

static void bad_steps(void)
{
	CUDA_LAUNCH_PARAMS launch = { good.nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL };
	const CUfunction f = good.step;

	REFUSED(cuFuncSetBlockShape, (NULL, 1, 1, 1), HANDLE);
	REFUSED(cuFuncSetBlockShape, (f, 0, 1, 1), VALUE);
	REFUSED(cuFuncSetSharedSize, (NULL, 4), HANDLE);
	REFUSED(cuParamSetSize, (NULL, 4), HANDLE);
	REFUSED(cuParamSeti, (NULL, 0, 4), HANDLE);
	REFUSED(cuParamSetf, (NULL, 0, 4), HANDLE);
	REFUSED(cuParamSetv, (NULL, 0, &launch, 4), HANDLE);
	HERE(cuParamSetv, (f, 0, NULL, 4), VALUE);
	REFUSED(cuLaunch, (NULL), HANDLE);
	REFUSED(cuLaunchGrid, (NULL, 1, 1), HANDLE);
	REFUSED(cuLaunchGridAsync, (NULL, 1, 1, good.stream), HANDLE);
	REFUSED(cuLaunchCooperativeKernelMultiDevice, (&launch, 0, 0), VALUE);
	REFUSED(cuLaunchCooperativeKernelMultiDevice, (&launch, 1, 0), VALUE, HANDLE);
	launch.hStream = good.stream;
	REFUSED(cuLaunchCooperativeKernelMultiDevice, (&launch, 1, UNKNOWN), VALUE);
	HERE(cuLaunchCooperativeKernelMultiDevice, (&launch, 2, 0), VALUE);
	HERE(cuLaunchCooperativeKernelMultiDevice, (NULL, 1, 0), VALUE);
}

static void bad_launch(void)
{
	CUlaunchConfig how = { 0, 1, 1, 1, 1, 1, 0, NULL, NULL, 0 };
	const CUresult large = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	void *params[] = { &good.memory, &(unsigned){ 1 } };
	const CUfunction f = good.step;

	REFUSED(cuLaunchKernel, (NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), HANDLE);
	REFUSED(cuLaunchKernel, (f, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL), VALUE);
	REFUSED(cuLaunchKernel, (f, 1, 1, 0, 1, 1, 1, 0, NULL, params, NULL), VALUE);
	REFUSED(cuLaunchKernel, (f, 1, 1 << 16, 1, 1, 1, 1, 0, NULL, params, NULL), VALUE);
	REFUSED(cuLaunchKernel, (f, 1, 1, 1, 0, 1, 1, 0, NULL, params, NULL), VALUE);
	REFUSED(cuLaunchKernel, (f, 1, 1, 1, 1025, 1, 1, 0, NULL, params, NULL), VALUE);
	REFUSED(cuLaunchKernel, (f, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL), VALUE);
	REFUSED(cuLaunchKernel, (f, 1, 1, 1, 64, 32, 1, 0, NULL, params, NULL), VALUE);
	REFUSED(cuLaunchKernel, (f, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, params, NULL), VALUE, large);
	REFUSED(cuLaunchKernel, (f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), VALUE);
	REFUSED(cuLaunchCooperativeKernel, (NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL), HANDLE);
	REFUSED(cuLaunchCooperativeKernel, (f, 1 << 30, 1, 1, 1, 1, 1, 0, NULL, params),
		CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
	REFUSED(cuLaunchKernelEx, (&how, f, params, NULL), VALUE);
	HERE(cuLaunchKernelEx, (NULL, f, params, NULL), VALUE);
	how.gridDimX = 1;
	REFUSED(cuLaunchKernelEx, (&how, NULL, params, NULL), HANDLE);
	how.numAttrs = 1;
	HERE(cuLaunchKernelEx, (&how, f, params, NULL), VALUE);
	bad_steps();
}

static void bad_occupancy(void)
{
	const CUlaunchConfig how = { 1, 1, 1, 32, 1, 1, 0, NULL, NULL, 0 };
	const CUfunction f = good.step;
	int value, other;
	size_t size;

	REFUSED(cuOccupancyMaxActiveBlocksPerMultiprocessor, (NULL, f, 32, 0), VALUE);
	REFUSED(cuOccupancyMaxActiveBlocksPerMultiprocessor, (&value, f, 0, 0), VALUE);
	REFUSED(cuOccupancyMaxActiveBlocksPerMultiprocessor, (&value, NULL, 32, 0), HANDLE, VALUE);
	REFUSED(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (NULL, f, 32, 0, 0), VALUE);
	REFUSED(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (&value, f, 32, 0, UNKNOWN),
		VALUE);
	REFUSED(cuOccupancyMaxPotentialBlockSize, (NULL, &other, f, NULL, 0, 0), VALUE);
	REFUSED(cuOccupancyMaxPotentialBlockSize, (&value, NULL, f, NULL, 0, 0), VALUE);
	REFUSED(cuOccupancyMaxPotentialBlockSize, (&value, &other, NULL, NULL, 0, 0), HANDLE,
		VALUE);
	REFUSED(cuOccupancyMaxPotentialBlockSizeWithFlags,
		(&value, &other, f, NULL, 0, 0, UNKNOWN), VALUE);
	REFUSED(cuOccupancyAvailableDynamicSMemPerBlock, (NULL, f, 1, 32), VALUE);
	REFUSED(cuOccupancyAvailableDynamicSMemPerBlock, (&size, f, 1, 0), VALUE);
	REFUSED(cuOccupancyAvailableDynamicSMemPerBlock, (&size, NULL, 1, 32), HANDLE, VALUE);
	REFUSED(cuOccupancyMaxPotentialClusterSize, (NULL, f, &how), VALUE);
	HERE(cuOccupancyMaxPotentialClusterSize, (&value, f, NULL), VALUE);
	REFUSED(cuOccupancyMaxActiveClusters, (NULL, f, &how), VALUE);
	HERE(cuOccupancyMaxActiveClusters, (&value, f, NULL), VALUE);
}

static void bad_tensor_map(void)
{
	static const uint64_t dims[] = { 64, 64, 64 }, strides[] = { 128, 8192 };
	static const uint32_t box[] = { 32, 32, 32 }, steps[] = { 1, 1, 1 };
	static const int corner[] = { 0 };
	_Alignas(64) CUtensorMap map;
	void *at = (void *)(uintptr_t)good.memory;

	REFUSED(cuTensorMapEncodeTiled,
		(NULL, 2, 2, at, dims, strides, box, steps, 0, 0, 0, 0), VALUE);
	REFUSED(cuTensorMapEncodeTiled,
		(&map, UNKNOWN, 2, at, dims, strides, box, steps, 0, 0, 0, 0), VALUE);
	REFUSED(cuTensorMapEncodeTiled,
		(&map, 2, 6, at, dims, strides, box, steps, 0, 0, 0, 0), VALUE);
	REFUSED(cuTensorMapEncodeIm2col,
		(NULL, 2, 3, at, dims, strides, corner, corner, 8, 8, steps, 0, 0, 0, 0), VALUE);
	REFUSED(cuTensorMapEncodeIm2colWide,
		(NULL, 2, 3, at, dims, strides, 0, 0, 8, 8, steps, 0, 0, 0, 0, 0), VALUE);
	REFUSED(cuTensorMapReplaceAddress, (NULL, at), VALUE);
}

#endif
