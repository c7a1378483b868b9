/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "cleanup.h"
#include "config.h"
#include "device_limits.h"
#include "entry.h"
#include "exec.h"
#include "exports.h"
#include "module.h"
#include "report.h"
#include "traced.h"

uint32_t function_static_shared(const struct kernel *kernel)
{
	return (kernel->static_shared + 15) & ~15u;
}

uint32_t function_default_shared(const struct kernel *kernel)
{
	const uint32_t used = function_static_shared(kernel);

	return used < DEVICE_SHARED ? DEVICE_SHARED - used : 0;
}

/*
 * Those that differ between lanes, as if the registers above the limit were in local memory; 1 at
 * least, which programs divide by.
 */
static unsigned registers_of(const struct function *function)
{
	const unsigned most = function->most_registers;
	const unsigned all = function->kernel->registers ? function->kernel->registers : 1;

	return most && all > most ? most : all;
}

/* What the kernel was compiled for, or else what was set. */
const uint32_t *function_cluster(const struct function *function)
{
	return function->kernel->required_cluster[0] ? function->kernel->required_cluster :
						       function->cluster;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attrib, CUfunction function)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	const struct kernel *kernel;
	struct function *found;
	unsigned axis;

	TRY(call.result);
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(function_find(function, &found));
	kernel = found->kernel;
	switch (attrib) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = (int)kernel_max_threads(kernel);
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value = (int)function_static_shared(kernel);
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
		*value = (int)kernel->constant;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*value = (int)kernel->local;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = (int)registers_of(found);
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
		*value = (int)kernel->target; /* not the .version, on a GPU either */
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = (int)config.cc;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = (int)found->dynamic_shared;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*value = found->large_clusters;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
		*value = 0;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = found->carveout;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
		*value = kernel->must_cluster;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
		axis = attrib - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
		*value = (int)function_cluster(found)[axis];
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		*value = found->cluster_policy;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* One dimension; what the kernel was compiled for stays. Launches check the three together. */
static CUresult set_cluster(struct function *function, unsigned axis, int value)
{
	const struct kernel *kernel = function->kernel;

	if (value < 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (kernel->required_cluster[0])
		return (uint32_t)value == kernel->required_cluster[axis] ?
			       CUDA_SUCCESS :
			       CUDA_ERROR_INVALID_VALUE;
	function->cluster[axis] = (uint32_t)value;
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attrib, int value)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;

	TRY(call.result);
	TRY(function_find(function, &found));
	switch (attrib) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 || function_static_shared(found->kernel) > config.shared ||
		    (uint32_t)value > config.shared - function_static_shared(found->kernel))
			return CUDA_ERROR_INVALID_VALUE;
		found->dynamic_shared = (uint32_t)value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		found->large_clusters = value != 0;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		found->carveout = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
		return set_cluster(found, attrib - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, value);
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		if (value < 0 || value > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
			return CUDA_ERROR_INVALID_VALUE;
		found->cluster_policy = value;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

/* A trace asks, which leaves the cause of the failed call that it is about as it is. */
size_t trace_describe(CUfunction function, const char **name, struct trace_param *params)
{
	struct function *found;
	size_t count = 0;

	*name = "";
	driver_lock();
	if (!driver_result() && !function_find(function, &found)) {
		const struct kernel *kernel = found->kernel;

		*name = found->name;
		for (; count < kernel->param_count && count < TRACE_PARAMS_MOST; count++) {
			const struct kernel_slot *from = &kernel->params[count];

			params[count] = (struct trace_param){ from->offset, from->size, "" };
			memcpy(params[count].type, from->type, sizeof(from->type));
		}
	}
	driver_unlock();
	return count;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;

	TRY(call.result);
	if (!offset)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(function_find(function, &found));
	if (index >= found->kernel->param_count)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = found->kernel->params[index].offset;
	if (size)
		*size = found->kernel->params[index].size;
	return CUDA_SUCCESS;
}

/* Finds the function of a query; @out, for its result, must not be NULL. */
static CUresult find_for_query(CUfunction handle, const void *out, struct function **found)
{
	return out ? function_peek(handle, found) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;

	TRY(call.result);
	TRY(find_for_query(function, name, &found));
	*name = found->name;
	return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;

	TRY(call.result);
	TRY(find_for_query(function, module, &found));
	*module = module_handle(found->module);
	return CUDA_SUCCESS;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;

	TRY(call.result);
	TRY(find_for_query(function, state, &found));
	*state = found->kernel ? CU_FUNCTION_LOADING_STATE_LOADED :
				 CU_FUNCTION_LOADING_STATE_UNLOADED;
	return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;

	TRY(call.result);
	return function_find(function, &found);
}

/* There are no caches or banks to configure. */
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache cache)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;

	TRY(call.result);
	if (cache > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	return function_peek(function, &found);
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig banks)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;

	TRY(call.result);
	if (banks > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
		return CUDA_ERROR_INVALID_VALUE;
	return function_peek(function, &found);
}
