/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "asserts.h"
#include "context.h"
#include "cuda_error.h"
#include "report_fetch.h"

int device_fail(struct device *device, CUresult result, const char *call, struct err *e)
{
	int status = cuda_error_set(e, result, call);

	ASSERT(result && status);
	api_record()->driver = result;
	if (result == CUDA_ERROR_INVALID_VALUE)
		report_add_cause(e);
	if (status == GPURUN_FAULT && device)
		atomic_store(&device->fault, result);
	if (status == GPURUN_FAULT || status == GPURUN_UNSUPPORTED || status == GPURUN_FORMAT)
		report_keep(result, call, e);
	return status;
}

bool device_is_unreported(int reported, CUresult result)
{
	return result && result != CUDA_ERROR_DEINITIALIZED && result != (CUresult)reported;
}

void device_step(struct device *device, CUresult result, const char *call)
{
	struct err e;

	if (!device_is_unreported(device ? atomic_load(&device->fault) : 0, result))
		return;
	device_fail(device, result, call, &e);
	api_failed(&e);
}

static void format_uuid(const CUuuid *uuid, bool cpu, char text[48])
{
	int length = snprintf(text, 48, cpu ? "CPU-" : "GPU-");

	for (int i = 0; i < 16; i++)
		length += snprintf(text + length, 48 - (size_t)length, "%s%02x",
				   i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
				   (unsigned char)uuid->bytes[i]);
}

/* The numbers of a device that are plain attributes. */
static int read_attributes(struct device *device, struct err *e)
{
	struct gpurun_device_info *info = &device->info;
	const struct {
		CUdevice_attribute attribute;
		int *value;
	} rows[] = {
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &info->cc_major },
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &info->cc_minor },
		{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &info->multiprocessors },
		{ CU_DEVICE_ATTRIBUTE_WARP_SIZE, &info->warp_size },
		{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &info->max_threads_per_block },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &info->max_block[0] },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &info->max_block[1] },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &info->max_block[2] },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &info->max_grid[0] },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &info->max_grid[1] },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &info->max_grid[2] },
		{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
		  &info->max_shared_per_block },
		{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
		  &info->max_shared_per_block_optin },
		{ CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &info->clock_khz },
		{ CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &info->memory_clock_khz },
		{ CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &info->memory_bus_bits },
		{ CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &info->l2_bytes },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		TRY(CUDA(device, e, cuDeviceGetAttribute, rows[i].value,
			 rows[i].attribute, device->native));
	return 0;
}

static int read_info(struct device *device, struct err *e)
{
	struct gpurun_device_info *info = &device->info;
	CUuuid uuid = { { 0 } };
	size_t memory = 0;

	info->struct_size = sizeof(*info);
	info->kind = runtime.cuda.cpu ? GPURUN_DEVICE_CPU : GPURUN_DEVICE_GPU;
	TRY(CUDA(device, e, cuDeviceGet, &device->native, info->ordinal));
	TRY(CUDA(device, e, cuDeviceGetName, info->name, sizeof(info->name),
		 device->native));
	TRY(CUDA(device, e, cuDeviceGetUuid, &uuid, device->native));
	format_uuid(&uuid, runtime.cuda.cpu, info->uuid);
	if (!runtime.cuda.cpu)
		TRY(CUDA(device, e, cuDeviceGetPCIBusId, info->pci, sizeof(info->pci),
			 device->native));
	for (char *c = info->pci; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	TRY(CUDA(device, e, cuDeviceTotalMem, &memory, device->native));
	info->memory = memory;
	TRY(CUDA(device, e, cuDriverGetVersion, &info->driver_version));
	return read_attributes(device, e);
}

static void device_destroy(struct object *object)
{
	struct device *device = (struct device *)object;

	context_release(device);
	reuse_memory_destroy(&device->cache);
	free(device);
}

static int device_new(int ordinal, struct device **out, struct err *e)
{
	CLEANUP(free_pointer) struct device *device = calloc(1, sizeof(*device));

	*out = NULL;
	if (!device)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for device %d", ordinal);
	device->info.ordinal = ordinal;
	TRY(read_info(device, e));
	reuse_memory_init(&device->cache);
	TRY(object_add(&device->object, OBJECT_DEVICE, NULL, device_destroy, e));
	*out = STEAL(device);
	return 0;
}

/* Adds a new device unless another thread was faster. Returns the handle to use. */
static uint64_t enter(struct device *device, int ordinal)
{
	uint64_t handle;

	runtime_lock();
	ASSERT(ordinal >= 0 && ordinal < runtime.device_count);
	if (!runtime.devices[ordinal])
		runtime.devices[ordinal] = device;
	handle = runtime.devices[ordinal]->object.handle;
	runtime_unlock();
	return handle;
}

struct device *device_made(int ordinal)
{
	struct device *device;

	runtime_lock();
	device = runtime.devices[ordinal];
	runtime_unlock();
	return device;
}

int device_get(int ordinal, struct gpurun_device *handle, struct err *e)
{
	struct device *device;

	if (ordinal == -1)
		ordinal = runtime.default_device;
	if (ordinal < 0 || ordinal >= runtime.device_count)
		return err_set(e, GPURUN_NO_DEVICE, "no device %d: there %s %d", ordinal,
			       runtime.device_count == 1 ? "is" : "are",
			       runtime.device_count);
	device = device_made(ordinal);
	if (device) {
		handle->id = device->object.handle;
		return 0;
	}
	TRY(device_new(ordinal, &device, e));
	handle->id = enter(device, ordinal);
	if (handle->id != device->object.handle &&
	    !object_close(device->object.handle, OBJECT_DEVICE, &device, e))
		object_put(&device->object);
	return 0;
}

int device_find(int ordinal, struct device **out, struct err *e)
{
	struct gpurun_device handle = { 0 };

	*out = NULL;
	TRY(device_get(ordinal, &handle, e));
	return device_use(handle, out, e);
}

int device_describe(struct gpurun_device handle, struct gpurun_device_info *info,
		    struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;

	TRY(device_use(handle, &device, e));
	return api_copy_struct(info, &device->info, sizeof(*info), e);
}

int device_cooperative(struct gpurun_device handle, int *cooperative, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;

	TRY(device_use(handle, &device, e));
	return CUDA(device, e, cuDeviceGetAttribute, cooperative,
		    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, device->native);
}

int device_reset_l2(struct gpurun_device handle, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(device_use(handle, &device, e));
	TRY(context_enter(device, &scope, e));
	return CUDA(device, e, cuCtxResetPersistingL2Cache);
}

int device_synchronize(struct gpurun_device handle, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(device_use(handle, &device, e));
	TRY(context_enter(device, &scope, e));
	return CUDA(device, e, cuCtxSynchronize);
}

int device_memory(struct gpurun_device handle, uint64_t *free_bytes, uint64_t *total,
		  struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	size_t unused = 0, all = 0;

	TRY(device_use(handle, &device, e));
	TRY(context_enter(device, &scope, e));
	TRY(CUDA(device, e, cuMemGetInfo, &unused, &all));
	*free_bytes = unused;
	*total = all;
	return 0;
}

static int find_limit(enum gpurun_limit limit, CUlimit *out, const char **name,
		      struct err *e)
{
	static const struct {
		CUlimit number;
		const char *name;
	} rows[] = {
		[GPURUN_LIMIT_STACK] = { CU_LIMIT_STACK_SIZE, "stack" },
		[GPURUN_LIMIT_HEAP] = { CU_LIMIT_MALLOC_HEAP_SIZE, "heap" },
		[GPURUN_LIMIT_PRINTF] = { CU_LIMIT_PRINTF_FIFO_SIZE, "printf" },
	};

	if ((unsigned)limit >= sizeof(rows) / sizeof(rows[0]) || !rows[limit].name)
		return err_set(e, GPURUN_INVALID, "no limit %d: there are 1 (stack), 2 (heap) "
			       "and 3 (printf)", (int)limit);
	*out = rows[limit].number;
	*name = rows[limit].name;
	return 0;
}

int device_set_limit(struct gpurun_device handle, enum gpurun_limit limit, uint64_t bytes,
		     struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	const char *name = NULL;
	CUlimit number = 0;

	TRY(device_use(handle, &device, e));
	TRY(find_limit(limit, &number, &name, e));
	TRY(context_enter(device, &scope, e));
	if (CUDA(device, e, cuCtxSetLimit, number, bytes))
		return err_wrap(e, "%s of %llu bytes", name, (unsigned long long)bytes);
	return 0;
}

int device_get_limit(struct gpurun_device handle, enum gpurun_limit limit, uint64_t *bytes,
		     struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	const char *name = NULL;
	CUlimit number = 0;
	size_t found = 0;

	TRY(device_use(handle, &device, e));
	TRY(find_limit(limit, &number, &name, e));
	TRY(context_enter(device, &scope, e));
	TRY(CUDA(device, e, cuCtxGetLimit, &found, number));
	*bytes = found;
	return 0;
}

/* Finds the device whose UUID begins with @prefix, which has no "GPU-". */
static int select_uuid(const struct cuda_api *api, int count, const char *prefix,
		       int *ordinal, struct err *e)
{
	char text[48];
	CUuuid uuid;
	CUdevice native;

	for (int i = 0; i < count; i++) {
		if (api->cuDeviceGet(&native, i) || api->cuDeviceGetUuid(&uuid, native))
			continue;
		format_uuid(&uuid, false, text);
		if (strncmp(text + strlen("GPU-"), prefix, strlen(prefix)))
			continue;
		*ordinal = i;
		return 0;
	}
	return err_set(e, GPURUN_NO_DEVICE, "no device has a UUID that begins with '%s'; "
		       "there %s %d", prefix, count == 1 ? "is" : "are", count);
}

static int select_pci(const struct cuda_api *api, int count, const char *address, int *ordinal,
		      struct err *e)
{
	CUdevice native, other;

	if (!api->cuDeviceGetByPCIBusId ||
	    api->cuDeviceGetByPCIBusId(&native, address))
		return err_set(e, GPURUN_NO_DEVICE, "no device at PCI address %s; there %s %d",
			       address, count == 1 ? "is" : "are", count);
	for (int i = 0; i < count; i++) {
		if (api->cuDeviceGet(&other, i) || other != native)
			continue;
		*ordinal = i;
		return 0;
	}
	return err_set(e, GPURUN_NO_DEVICE, "the device at PCI address %s is not visible",
		       address);
}

int device_select(const struct cuda_api *api, int count, const struct selector *selector,
		  int *ordinal, struct err *e)
{
	*ordinal = 0;
	if (selector->uuid[0])
		return select_uuid(api, count, selector->uuid, ordinal, e);
	if (selector->pci[0])
		return select_pci(api, count, selector->pci, ordinal, e);
	if (selector->ordinal >= count)
		return err_set(e, GPURUN_NO_DEVICE, "no device %d: there %s %d",
			       selector->ordinal, count == 1 ? "is" : "are", count);
	if (selector->ordinal > 0)
		*ordinal = selector->ordinal;
	return 0;
}
