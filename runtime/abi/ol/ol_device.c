/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The devices: those of the runtime, in its order, then the host. The CPU device
 * reports that it is a GPU, of NVIDIA and of platform CUDA, because programs look
 * for one to run their images on; its name says what it is.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ol.h"

enum { VENDOR_NVIDIA = 0x10de }; /* PCI-SIG's number */

/* All properties of a device. */
struct device {
	ol_device_type_t type;
	ol_platform_handle_t platform;
	char name[128], product[128], uid[64], vendor[32], version[32];
	ol_dimensions_t group, work;  /* threads of a group, groups */
	uint32_t group_threads, most, vendor_id, units, clock, memory_clock, bits;
	uint32_t fp, fp_half, width, width_half;
	uint64_t memory, shared;
	bool has_float, has_half, has_cooperative;
};

static void describe_common(struct device *d)
{
	d->most = UINT32_MAX;
	d->bits = 64;
	d->width = 1;
	d->has_float = true;
	d->fp = OL_DEVICE_FP_CAPABILITY_FLAG_CORRECTLY_ROUNDED_DIVIDE_SQRT |
		OL_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_NEAREST |
		OL_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_ZERO |
		OL_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_INF |
		OL_DEVICE_FP_CAPABILITY_FLAG_INF_NAN | OL_DEVICE_FP_CAPABILITY_FLAG_DENORM |
		OL_DEVICE_FP_CAPABILITY_FLAG_FMA;
}

/* The host has no useful properties; clocks must not be 0, and are not measured. */
static void describe_host(struct device *d)
{
	d->type = OL_DEVICE_TYPE_HOST;
	d->platform = ol_handle(OL_HOST_PLATFORM);
	strcpy(d->name, ol_variant.host_name);
	strcpy(d->product, ol_variant.host_product);
	strcpy(d->uid, ol_variant.host_uid);
	strcpy(d->vendor, ol_variant.host_vendor);
	strcpy(d->version, ol_variant.host_version);
	d->vendor_id = ol_variant.host_vendor_id;
	d->group = (ol_dimensions_t){ 1, 1, 1 };
	d->work = (ol_dimensions_t){ UINT32_MAX, UINT32_MAX, UINT32_MAX };
	d->memory = d->shared = ol_variant.host_memory;
	d->group_threads = d->units = 1;
	d->clock = d->memory_clock = 64;
}

/* "CUDA-" and the 32 digits of the UUID, without its prefix and dashes. */
static void make_uid(char *uid, const char *uuid)
{
	const char *digits = strchr(uuid, '-');

	uid += sprintf(uid, "CUDA-");
	for (; digits && *digits; digits++)
		if (isxdigit((unsigned char)*digits))
			*uid++ = *digits;
	*uid = '\0';
}

static void describe_gpu(struct device *d, const struct gpurun_device_info *info)
{
	d->type = OL_DEVICE_TYPE_GPU;
	d->platform = ol_handle(OL_CUDA_PLATFORM);
	snprintf(d->name, sizeof(d->name), "%s", info->name);
	snprintf(d->product, sizeof(d->product), "%s", info->name);
	make_uid(d->uid, info->uuid);
	strcpy(d->vendor, "NVIDIA");
	snprintf(d->version, sizeof(d->version), "%d", info->driver_version);
	d->group = (ol_dimensions_t){ (uint32_t)info->max_block[0],
				      (uint32_t)info->max_block[1],
				      (uint32_t)info->max_block[2] };
	d->work = (ol_dimensions_t){ (uint32_t)info->max_grid[0], (uint32_t)info->max_grid[1],
				     (uint32_t)info->max_grid[2] };
	d->group_threads = (uint32_t)info->max_threads_per_block;
	d->vendor_id = VENDOR_NVIDIA;
	d->units = (uint32_t)info->multiprocessors;
	d->clock = (uint32_t)info->clock_khz / 1000;
	d->memory_clock = (uint32_t)info->memory_clock_khz / 1000;
	d->memory = info->memory;
	d->shared = (uint64_t)info->max_shared_per_block;
	d->has_half = info->cc_major > 5 || (info->cc_major == 5 && info->cc_minor >= 3);
}

/* Only where it is asked for: it is a call of the driver. */
static ol_result_t describe_cooperative(ol_device_handle_t handle, ol_device_info_t name,
					struct device *d)
{
	int cooperative = 0;

	if (name != OL_DEVICE_INFO_COOPERATIVE_LAUNCH_SUPPORT ||
	    (unsigned)name >= ol_variant.device_infos)
		return OL_SUCCESS;
	if (ol_is_host(handle))
		return ol_error(OL_ERRC_UNIMPLEMENTED, "the host device launches nothing");
	OL_TRY(ol_result(gpurun_device_cooperative(ol_device(handle), &cooperative),
			 OL_ERRC_INVALID_DEVICE));
	d->has_cooperative = cooperative;
	return OL_SUCCESS;
}

static ol_result_t describe(ol_device_handle_t handle, struct device *d)
{
	struct gpurun_device_info info = { .struct_size = sizeof(info) };

	memset(d, 0, sizeof(*d));
	describe_common(d);
	if (ol_is_host(handle)) {
		describe_host(d);
		return OL_SUCCESS;
	}
	OL_TRY(ol_result(gpurun_device_get_info(ol_device(handle), &info),
			 OL_ERRC_INVALID_DEVICE));
	describe_gpu(d, &info);
	return OL_SUCCESS;
}

ol_result_t ol_check_device(ol_device_handle_t handle)
{
	struct gpurun_device_info info = { .struct_size = sizeof(info) };

	if (ol_is_host(handle))
		return OL_SUCCESS;
	return ol_result(gpurun_device_get_info(ol_device(handle), &info),
			 OL_ERRC_INVALID_DEVICE);
}

ol_result_t ol_check_gpu(ol_device_handle_t handle, const char *what)
{
	if (ol_is_host(handle))
		return ol_error(OL_ERRC_INVALID_DEVICE, "the host device has no %s", what);
	return ol_check_device(handle);
}

static ol_result_t ask(const struct device *d, ol_device_info_t name, struct ol_info *info)
{
	const struct ol_info properties[OL_DEVICE_INFO_LAST] = {
		[OL_DEVICE_INFO_TYPE] = OL_INFO(d->type),
		[OL_DEVICE_INFO_PLATFORM] = OL_INFO(d->platform),
		[OL_DEVICE_INFO_NAME] = ol_info_string(d->name),
		[OL_DEVICE_INFO_PRODUCT_NAME] = ol_info_string(d->product),
		[OL_DEVICE_INFO_UID] = ol_info_string(d->uid),
		[OL_DEVICE_INFO_VENDOR] = ol_info_string(d->vendor),
		[OL_DEVICE_INFO_DRIVER_VERSION] = ol_info_string(d->version),
		[OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE] = OL_INFO(d->group_threads),
		[OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE_PER_DIMENSION] = OL_INFO(d->group),
		[OL_DEVICE_INFO_MAX_WORK_SIZE] = OL_INFO(d->most),
		[OL_DEVICE_INFO_MAX_WORK_SIZE_PER_DIMENSION] = OL_INFO(d->work),
		[OL_DEVICE_INFO_VENDOR_ID] = OL_INFO(d->vendor_id),
		[OL_DEVICE_INFO_NUM_COMPUTE_UNITS] = OL_INFO(d->units),
		[OL_DEVICE_INFO_MAX_CLOCK_FREQUENCY] = OL_INFO(d->clock),
		[OL_DEVICE_INFO_MEMORY_CLOCK_RATE] = OL_INFO(d->memory_clock),
		[OL_DEVICE_INFO_ADDRESS_BITS] = OL_INFO(d->bits),
		[OL_DEVICE_INFO_MAX_MEM_ALLOC_SIZE] = OL_INFO(d->memory),
		[OL_DEVICE_INFO_GLOBAL_MEM_SIZE] = OL_INFO(d->memory),
		[OL_DEVICE_INFO_WORK_GROUP_LOCAL_MEM_SIZE] = OL_INFO(d->shared),
		[OL_DEVICE_INFO_SINGLE_FP_CONFIG] = OL_INFO(d->fp),
		[OL_DEVICE_INFO_DOUBLE_FP_CONFIG] = OL_INFO(d->fp),
		[OL_DEVICE_INFO_HALF_FP_CONFIG] = OL_INFO(d->fp_half),
		[OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR] = OL_INFO(d->width),
		[OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT] = OL_INFO(d->width),
		[OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT] = OL_INFO(d->width),
		[OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG] = OL_INFO(d->width),
		[OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT] = OL_INFO(d->width),
		[OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE] = OL_INFO(d->width),
		[OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF] = OL_INFO(d->width_half),
		[OL_DEVICE_INFO_SINGLE_FP_SUPPORT] = OL_INFO(d->has_float),
		[OL_DEVICE_INFO_DOUBLE_FP_SUPPORT] = OL_INFO(d->has_float),
		[OL_DEVICE_INFO_HALF_FP_SUPPORT] = OL_INFO(d->has_half),
		[OL_DEVICE_INFO_COOPERATIVE_LAUNCH_SUPPORT] = OL_INFO(d->has_cooperative),
	};

	if ((unsigned)name >= ol_variant.device_infos)
		return ol_info_unknown("getDeviceInfo", (int)name);
	*info = properties[name];
	return OL_SUCCESS;
}

ol_result_t olGetDeviceInfo_impl(ol_device_handle_t handle, ol_device_info_t name,
				 size_t size, void *value)
{
	struct device device;
	struct ol_info info;

	OL_TRY(describe(handle, &device));
	OL_TRY(describe_cooperative(handle, name, &device));
	OL_TRY(ask(&device, name, &info));
	return ol_info_copy(info, size, value);
}

ol_result_t olGetDeviceInfoSize_impl(ol_device_handle_t handle, ol_device_info_t name,
				     size_t *size)
{
	struct device device;
	struct ol_info info;

	OL_TRY(describe(handle, &device));
	OL_TRY(describe_cooperative(handle, name, &device));
	OL_TRY(ask(&device, name, &info));
	*size = info.size;
	return OL_SUCCESS;
}

ol_result_t olIterateDevices_impl(ol_device_iterate_cb_t callback, void *data)
{
	struct gpurun_device device;
	int count = 0;

	if (!atomic_load(&ol.driverless))
		OL_TRY(ol_result(gpurun_device_count(&count), OL_ERRC_INVALID_DEVICE));
	for (int i = 0; i < count; i++) {
		OL_TRY(ol_result(gpurun_device_get(i, &device), OL_ERRC_INVALID_DEVICE));
		if (!callback(ol_handle(device.id), data))
			return OL_SUCCESS;
	}
	callback(ol_handle(OL_HOST_DEVICE), data);
	return OL_SUCCESS;
}
