/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kernel.h"

#include <pthread.h>
#include <stdlib.h>

#include "cleanup.h"
#include "image.h"
#include "launch.h"
#include "lock.h"

/* ---- Who is who ----------------------------------------------------------------- */

cudaError_t kernel_get(CUkernel *kernel, const void *function)
{
	struct symbol *symbol = symbol_find(function);

	if (!kernel)
		return cudaErrorInvalidValue;
	if (!function)
		return cudaErrorInvalidDeviceFunction;
	if (!symbol || (symbol->kind != SYMBOL_FUNCTION && symbol->kind != SYMBOL_KERNEL))
		return cudaErrorInvalidResourceHandle;
	return image_kernel(symbol, kernel);
}

cudaError_t kernel_of_symbol(CUkernel *kernel, const void *symbol)
{
	cudaError_t result = kernel_get(kernel, symbol);

	return result == cudaErrorInvalidResourceHandle ? cudaErrorInvalidDeviceFunction : result;
}

cudaError_t kernel_handle(CUkernel *kernel, const void *function)
{
	if (!kernel)
		return cudaErrorInvalidValue;
	*kernel = (CUkernel)function;
	return cudaSuccess;
}

cudaError_t kernel_function(CUfunction *function, const void *symbol)
{
	CUkernel kernel;

	TRY(kernel_get(&kernel, symbol));
	return (cudaError_t)cuda.cuKernelGetFunction(function, kernel);
}

/* Of the program's cudaLibrary_t; those of images belong to them. */
static struct symbol *kernels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static cudaError_t add_library_kernel(CUkernel kernel, CUlibrary library)
{
	struct symbol *symbol = symbol_find(kernel);

	if (symbol && symbol->library == library)
		return cudaSuccess;
	symbol = calloc(1, sizeof(*symbol));
	if (!symbol)
		return cudaErrorMemoryAllocation;
	*symbol = (struct symbol){ .key = kernel, .kind = SYMBOL_KERNEL, .kernel = kernel,
				   .library = library, .next = kernels };
	kernels = symbol;
	return symbol_add(symbol);
}

cudaError_t kernel_add(CUkernel kernel, CUlibrary library)
{
	cudaError_t result;

	lock_acquire(&lock, LOCK_KERNELS);
	result = add_library_kernel(kernel, library);
	lock_release(&lock);
	return result;
}

void kernel_forget(CUlibrary library)
{
	struct symbol **at = &kernels;

	lock_acquire(&lock, LOCK_KERNELS);
	while (*at) {
		struct symbol *symbol = *at;

		if (symbol->library != library) {
			at = &symbol->next;
			continue;
		}
		*at = symbol->next;
		symbol_remove(symbol);
		free(symbol);
	}
	lock_release(&lock);
}

/* ---- Attributes ------------------------------------------------------------------ */

/* Attributes of a function that only programs with clusters ask for. */
enum {
	FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
	FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
	FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
	FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
	FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
};

/* Who is asked, and what has failed. */
struct asked {
	CUfunction function;
	CUresult failed;
};

/* What the driver does not know stays 0; another failure is kept. */
static int ask(struct asked *asked, int attribute)
{
	int value = 0;
	CUresult result = cuda.cuFuncGetAttribute(&value, (CUfunction_attribute)attribute,
						  asked->function);

	if (result && result != CUDA_ERROR_INVALID_VALUE && result != CUDA_ERROR_NOT_SUPPORTED)
		asked->failed = result;
	return result ? 0 : value;
}

cudaError_t kernel_attributes(struct cudaFuncAttributes *out, const void *symbol)
{
	struct asked asked = { NULL, CUDA_SUCCESS };
	struct cudaFuncAttributes found;

	if (!out)
		return cudaErrorInvalidValue;
	TRY(kernel_function(&asked.function, symbol));
	found = (struct cudaFuncAttributes){
		.sharedSizeBytes = (size_t)ask(&asked, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
		.constSizeBytes = (size_t)ask(&asked, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES),
		.localSizeBytes = (size_t)ask(&asked, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
		.maxThreadsPerBlock = ask(&asked, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
		.numRegs = ask(&asked, CU_FUNC_ATTRIBUTE_NUM_REGS),
		.ptxVersion = ask(&asked, CU_FUNC_ATTRIBUTE_PTX_VERSION),
		.binaryVersion = ask(&asked, CU_FUNC_ATTRIBUTE_BINARY_VERSION),
		.cacheModeCA = ask(&asked, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA),
		.maxDynamicSharedSizeBytes =
			ask(&asked, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
		.preferredShmemCarveout =
			ask(&asked, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT),
		.clusterDimMustBeSet = ask(&asked, FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET),
		.requiredClusterWidth = ask(&asked, FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH),
		.requiredClusterHeight = ask(&asked, FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
		.requiredClusterDepth = ask(&asked, FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH),
		.clusterSchedulingPolicyPreference =
			ask(&asked, FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE),
		.nonPortableClusterSizeAllowed =
			ask(&asked, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED),
	};
	if (!asked.failed)
		*out = found;
	return (cudaError_t)asked.failed;
}

cudaError_t kernel_set_attribute(const void *symbol, CUfunction_attribute attribute, int value)
{
	CUfunction function;

	TRY(kernel_function(&function, symbol));
	return (cudaError_t)cuda.cuFuncSetAttribute(function, attribute, value);
}

cudaError_t kernel_set_cache(const void *symbol, CUfunc_cache cache)
{
	CUfunction function;

	TRY(kernel_function(&function, symbol));
	return (cudaError_t)cuda.cuFuncSetCacheConfig(function, cache);
}

cudaError_t kernel_set_banks(const void *symbol, CUsharedconfig banks)
{
	CUfunction function;

	TRY(kernel_function(&function, symbol));
	return (cudaError_t)cuda.cuFuncSetSharedMemConfig(function, banks);
}

cudaError_t kernel_name(const char **name, const void *symbol)
{
	CUkernel kernel;

	TRY(kernel_get(&kernel, symbol));
	return (cudaError_t)cuda.cuKernelGetName(name, kernel);
}

cudaError_t kernel_parameter(const void *symbol, size_t index, size_t *offset, size_t *size)
{
	CUkernel kernel;

	TRY(kernel_get(&kernel, symbol));
	return (cudaError_t)cuda.cuKernelGetParamInfo(kernel, index, offset, size);
}

/* ---- Occupancy -------------------------------------------------------------------- */

cudaError_t occupancy_blocks(int *blocks, const void *symbol, int block, size_t shared,
			     unsigned flags)
{
	CUfunction function;

	TRY(kernel_function(&function, symbol));
	return (cudaError_t)cuda.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, function, block, shared, flags);
}

cudaError_t occupancy_shared(size_t *shared, const void *symbol, int blocks, int block)
{
	CUfunction function;

	TRY(kernel_function(&function, symbol));
	if (!shared)
		return cudaErrorInvalidValue;
	return (cudaError_t)cuda.cuOccupancyAvailableDynamicSMemPerBlock(shared, function,
									 blocks, block);
}

cudaError_t occupancy_clusters(int *clusters, const void *symbol,
			       const cudaLaunchConfig_t *config)
{
	CUlaunchConfig how;
	CUfunction function;

	TRY(kernel_function(&function, symbol));
	TRY(launch_config(config, &how));
	return (cudaError_t)cuda.cuOccupancyMaxActiveClusters(clusters, function, &how);
}

cudaError_t occupancy_cluster_size(int *size, const void *symbol,
				   const cudaLaunchConfig_t *config)
{
	CUlaunchConfig how;
	CUfunction function;

	TRY(kernel_function(&function, symbol));
	TRY(launch_config(config, &how));
	return (cudaError_t)cuda.cuOccupancyMaxPotentialClusterSize(size, function, &how);
}
