/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kernel.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "arity.h"
#include "asserts.h"
#include "context.h"
#include "diagnose.h"
#include "native.h"

/* The most parameters a kernel can have: 32764 bytes of them. */
enum { MAX_PARAMETERS = 32764 };

/* Tells whether the driver's function is the program's own. */
static bool is_foreign(const struct kernel *kernel)
{
	return !kernel->module || kernel->module->adopted;
}

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	if (kernel->object.handle && !is_foreign(kernel))
		native_forget(kernel->native, kernel->object.handle);
	free(kernel->parameters);
	free(kernel->name);
	free(kernel);
}

static void destroy_adopted(struct object *object)
{
	kernel_free((struct kernel *)object);
}

/* The module keeps it. */
static void destroy(struct object *object)
{
	(void)object;
}

static int read_attributes(struct kernel *kernel, struct err *e)
{
	struct gpurun_kernel_info *info = &kernel->info;
	const struct {
		CUfunction_attribute attribute;
		int *value;
	} rows[] = {
		{ CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &info->max_threads_per_block },
		{ CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &info->static_shared },
		{ CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &info->constant },
		{ CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &info->local },
		{ CU_FUNC_ATTRIBUTE_NUM_REGS, &info->registers },
		{ CU_FUNC_ATTRIBUTE_PTX_VERSION, &info->ptx_version },
		{ CU_FUNC_ATTRIBUTE_BINARY_VERSION, &info->binary_version },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		TRY(CUDA(kernel->device, e, cuFuncGetAttribute, rows[i].value,
			 rows[i].attribute, kernel->native));
	return 0;
}

static bool add_parameter(struct kernel *kernel, size_t index, size_t offset, size_t size)
{
	struct kernel_parameter *grown = kernel->parameters;

	ASSERT(index < MAX_PARAMETERS && !index == !grown);
	/* Doubled whenever the count is a power of two. */
	if (!(index & (index - 1)))
		grown = realloc(grown, (index ? 2 * index : 1) * sizeof(*grown));
	if (!grown)
		return false;
	kernel->parameters = grown;
	grown[index] = (struct kernel_parameter){ offset, size };
	if (offset + size > kernel->info.parameter_bytes)
		kernel->info.parameter_bytes = offset + size;
	return true;
}

/* How many parameters to query: as many as the image says, so that no call fails; for a
 * foreign kernel until one fails. */
static int count_parameters(const struct kernel *kernel, size_t *count, struct err *e)
{
	int found = ARITY_UNKNOWN;

	if (kernel->module)
		TRY(arity_find(kernel->module, kernel->name, &found, e));
	*count = found >= 0 && found < MAX_PARAMETERS ? (size_t)found : MAX_PARAMETERS;
	return 0;
}

/* A driver older than CUDA 12.4 does not report parameters: their count is then -1. */
static int read_parameters(struct kernel *kernel, struct err *e)
{
	size_t offset, size, count, index = 0;
	CUresult result = 0;

	if (!runtime.cuda.parameters) {
		kernel->info.parameters = -1;
		return 0;
	}
	TRY(count_parameters(kernel, &count, e));
	for (; index < count; index++) {
		result = runtime.cuda.cuFuncGetParamInfo(kernel->native, index, &offset,
							 &size);
		if (result)
			break;
		if (!add_parameter(kernel, index, offset, size))
			return err_set(e, GPURUN_NO_MEMORY, "no memory for the parameters");
	}
	if (!index && result == CUDA_ERROR_NOT_SUPPORTED) {
		kernel->info.parameters = -1;
		return 0;
	}
	if (result && result != CUDA_ERROR_INVALID_VALUE)
		return device_fail(kernel->device, result, "cuFuncGetParamInfo", e);
	kernel->info.parameters = (int)index;
	return 0;
}

/* The limit without opting in: the default one less the static part. */
static unsigned default_dynamic_shared(const struct kernel *kernel)
{
	int left = kernel->device->info.max_shared_per_block -
		   kernel->info.static_shared;

	return left > 0 ? (unsigned)left : 0;
}

/* The program may have opted in to more, which a launch must not revoke. */
static int read_dynamic_shared(struct kernel *kernel, struct err *e)
{
	int allowed = 0;

	TRY(CUDA(kernel->device, e, cuFuncGetAttribute, &allowed,
		 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel->native));
	if (allowed > 0 && (unsigned)allowed > kernel->dynamic_shared)
		kernel->dynamic_shared = (unsigned)allowed;
	return 0;
}

static int find_function(struct kernel *kernel, struct err *e)
{
	struct device *device = kernel->device;
	int status = CUDA(device, e, cuModuleGetFunction, &kernel->native,
			  kernel->module->native, kernel->name);

	if (status == GPURUN_NOT_FOUND)
		return diagnose_name(kernel->device, (struct bytes){ kernel->module->image,
				     kernel->module->size }, kernel->name, e);
	if (status == GPURUN_UNSUPPORTED || status == GPURUN_FORMAT)
		return diagnose_kernel(kernel->name, api_record()->log, e);
	if (status)
		return err_wrap(e, "kernel '%s'", kernel->name);
	return 0;
}

/* The slot of no stream. */
static struct object_slot no_slot = { .index = UINT32_MAX };

/* Creates a kernel of which only the name is set. */
static int kernel_begin(struct device *device, const char *name, struct kernel **out,
			struct err *e)
{
	CLEANUP(free_kernel) struct kernel *kernel = calloc(1, sizeof(*kernel));

	*out = NULL;
	if (kernel)
		kernel->name = strdup(name);
	if (!kernel || !kernel->name)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for kernel '%s'", name);
	kernel->device = device;
	kernel->last_slot = &no_slot;
	kernel->info.struct_size = sizeof(kernel->info);
	kernel->info.name = kernel->name;
	kernel->info.device.id = device->object.handle;
	*out = STEAL(kernel);
	return 0;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Sets how many threads of a block, in any x and y, and how many blocks, in y or z, are
 * within all limits. */
static void set_plain(struct kernel *kernel)
{
	const struct gpurun_device_info *device = &kernel->device->info;
	int threads = least(kernel->info.max_threads_per_block, device->max_threads_per_block);
	int grid = least(device->max_grid[1], device->max_grid[2]);

	threads = least(threads, least(device->max_block[0], device->max_block[1]));
	kernel->plain_threads = threads > 0 ? (unsigned)threads : 0;
	kernel->plain_grid = grid > 0 ? (unsigned)grid : 0;
}

/* Queries the driver for all that a launch needs. */
static int describe(struct kernel *kernel, struct err *e)
{
	TRY(read_attributes(kernel, e));
	TRY(read_parameters(kernel, e));
	kernel->dynamic_shared = default_dynamic_shared(kernel);
	set_plain(kernel);
	return is_foreign(kernel) ? read_dynamic_shared(kernel, e) : 0;
}

int kernel_new(struct module *module, const char *name, struct kernel **out,
	       struct err *e)
{
	CLEANUP(free_kernel) struct kernel *kernel = NULL;

	*out = NULL;
	TRY(kernel_begin(module->device, name, &kernel, e));
	kernel->module = module;
	TRY(find_function(kernel, e));
	TRY(describe(kernel, e));
	*out = STEAL(kernel);
	return 0;
}

int kernel_open(struct kernel *kernel, struct err *e)
{
	ASSERT(kernel->module && kernel->native);
	/* A module that is used again has no stream recorded yet. */
	atomic_store(&kernel->last_stream, 0);
	atomic_store(&kernel->last_slot, &no_slot);
	TRY(object_add(&kernel->object, OBJECT_KERNEL, &kernel->module->object, destroy, e));
	if (is_foreign(kernel))
		return 0;
	return native_enter(&kernel->object, kernel->native, e);
}

int kernel_adopt(struct gpurun_device owner, void *native, struct gpurun_kernel *handle,
		 struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_kernel) struct kernel *kernel = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	char name[32];

	TRY(device_use(owner, &device, e));
	if (!native)
		return err_set(e, GPURUN_INVALID, "no kernel to adopt: the pointer is NULL");
	snprintf(name, sizeof(name), "%p", native);
	TRY(kernel_begin(device, name, &kernel, e));
	kernel->native = native;
	TRY(context_enter(device, &scope, e));
	TRY(describe(kernel, e));
	TRY(object_add(&kernel->object, OBJECT_KERNEL, &device->object, destroy_adopted, e));
	handle->id = STEAL(kernel)->object.handle;
	return 0;
}

int kernel_release(struct gpurun_kernel handle, struct err *e)
{
	CLEANUP(put_object) struct kernel *kernel = NULL;
	CLEANUP(put_object) struct object *closed = NULL;

	TRY(kernel_use(handle, &kernel, e));
	if (kernel->module)
		return err_set(e, GPURUN_INVALID, "kernel '%s' was not adopted: it goes with "
			       "its module", kernel->name);
	return object_close(handle.id, OBJECT_KERNEL, &closed, e);
}

int kernel_describe(struct gpurun_kernel handle, struct gpurun_kernel_info *info,
		    struct err *e)
{
	CLEANUP(put_object) struct kernel *kernel = NULL;

	TRY(kernel_use(handle, &kernel, e));
	return api_copy_struct(info, &kernel->info, sizeof(*info), e);
}

int kernel_parameter(struct gpurun_kernel handle, int index, uint64_t *offset,
		     uint64_t *size, struct err *e)
{
	CLEANUP(put_object) struct kernel *kernel = NULL;
	const struct gpurun_kernel_info *info;

	TRY(kernel_use(handle, &kernel, e));
	info = &kernel->info;
	if (info->parameters < 0)
		return err_set(e, GPURUN_UNSUPPORTED, "this driver cannot tell the "
			       "parameters of kernel '%s'", info->name);
	if (index < 0 || index >= info->parameters)
		return err_set(e, GPURUN_INVALID, "kernel '%s' has no parameter %d: it has %d",
			       info->name, index, info->parameters);
	if (offset)
		*offset = kernel->parameters[index].offset;
	if (size)
		*size = kernel->parameters[index].size;
	return 0;
}

static int check_shared(const struct kernel *kernel, unsigned bytes, struct err *e)
{
	const struct gpurun_device_info *info = &kernel->device->info;
	uint64_t total = (uint64_t)bytes + (unsigned)kernel->info.static_shared;

	if (total > (unsigned)info->max_shared_per_block_optin)
		return err_set(e, GPURUN_LAUNCH, "kernel '%s': %llu bytes of shared memory per "
			       "block (%d static, %u dynamic), the limit of %s is %d",
			       kernel->name, (unsigned long long)total,
			       kernel->info.static_shared, bytes, info->name,
			       info->max_shared_per_block_optin);
	return 0;
}

int kernel_allow_shared(struct kernel *kernel, unsigned bytes, struct err *e)
{
	int status = 0;

	TRY(check_shared(kernel, bytes, e));
	runtime_lock();
	if (bytes > kernel->dynamic_shared) {
		status = CUDA(kernel->device, e, cuFuncSetAttribute, kernel->native,
			      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
		if (!status)
			kernel->dynamic_shared = bytes;
	}
	runtime_unlock();
	return status;
}

int kernel_allow_wide_clusters(struct kernel *kernel, struct err *e)
{
	if (kernel->wide_clusters)
		return 0;
	TRY(CUDA(kernel->device, e, cuFuncSetAttribute, kernel->native,
		 CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
	kernel->wide_clusters = true;
	return 0;
}

int kernel_occupancy(struct gpurun_kernel handle, unsigned shared, unsigned *block,
		     unsigned *grid, struct err *e)
{
	CLEANUP(put_object) struct kernel *kernel = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	int blocks = 0, threads = 0;

	TRY(kernel_use(handle, &kernel, e));
	TRY(context_enter(kernel->device, &scope, e));
	if (shared > kernel->dynamic_shared)
		TRY(kernel_allow_shared(kernel, shared, e));
	TRY(CUDA(kernel->device, e, cuOccupancyMaxPotentialBlockSize, &blocks, &threads,
		 kernel->native, NULL, shared, 0));
	if (blocks <= 0 || threads <= 0)
		return err_set(e, GPURUN_LAUNCH, "kernel '%s': no block with %u bytes of dynamic "
			       "shared memory fits on %s", kernel->name, shared,
			       kernel->device->info.name);
	*block = (unsigned)threads;
	*grid = (unsigned)blocks;
	return 0;
}

int kernel_blocks(struct gpurun_kernel handle, unsigned block, unsigned shared,
		  unsigned *blocks, struct err *e)
{
	CLEANUP(put_object) struct kernel *kernel = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	int count = 0;

	if (!block || block > INT_MAX)
		return err_set(e, GPURUN_INVALID, "a block of %u threads", block);
	TRY(kernel_use(handle, &kernel, e));
	TRY(context_enter(kernel->device, &scope, e));
	if (shared > kernel->dynamic_shared)
		TRY(kernel_allow_shared(kernel, shared, e));
	TRY(CUDA(kernel->device, e, cuOccupancyMaxActiveBlocksPerMultiprocessor, &count,
		 kernel->native, (int)block, shared));
	*blocks = count > 0 ? (unsigned)count : 0;
	return 0;
}
