/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The platforms: CUDA, of GPUs and of the CPU device that replaces one, and the
 * host. llvm-offload-device-info has room for strings of 23 characters.
 */
#include "ol.h"

struct platform {
	const char *name;
	ol_platform_backend_t backend;
};

static const struct platform platforms[] = {
	[OL_HOST_PLATFORM] = { NULL, OL_PLATFORM_BACKEND_HOST }, /* ol_variant names it */
	[OL_CUDA_PLATFORM] = { "CUDA", OL_PLATFORM_BACKEND_CUDA },
};

static ol_result_t find_platform(ol_platform_handle_t handle, const struct platform **platform)
{
	uint64_t id = ol_id(handle);

	if (id != OL_HOST_PLATFORM && id != OL_CUDA_PLATFORM)
		return ol_error(OL_ERRC_INVALID_PLATFORM, "%p is no platform", (void *)handle);
	*platform = &platforms[id];
	return OL_SUCCESS;
}

static ol_result_t ask(ol_platform_handle_t handle, ol_platform_info_t name,
		       struct ol_info *info)
{
	const struct platform *platform = NULL;

	OL_TRY(find_platform(handle, &platform));
	switch (name) {
	case OL_PLATFORM_INFO_NAME:
		*info = ol_info_string(platform->name ?: ol_variant.host_platform);
		return OL_SUCCESS;
	case OL_PLATFORM_INFO_VENDOR_NAME:
		*info = ol_info_string("Unknown platform vendor");
		return OL_SUCCESS;
	case OL_PLATFORM_INFO_VERSION:
		*info = ol_info_string("v0.0.1");
		return OL_SUCCESS;
	case OL_PLATFORM_INFO_BACKEND:
		*info = OL_INFO(platform->backend);
		return OL_SUCCESS;
	default:
		return ol_info_unknown("getPlatformInfo", (int)name);
	}
}

ol_result_t olGetPlatformInfo_impl(ol_platform_handle_t handle, ol_platform_info_t name,
				   size_t size, void *value)
{
	struct ol_info info;

	OL_TRY(ask(handle, name, &info));
	return ol_info_copy(info, size, value);
}

ol_result_t olGetPlatformInfoSize_impl(ol_platform_handle_t handle, ol_platform_info_t name,
				       size_t *size)
{
	struct ol_info info;

	OL_TRY(ask(handle, name, &info));
	*size = info.size;
	return OL_SUCCESS;
}

/* It is never called: programs that wait for its results are not loaded. */
static _Atomic(ol_platform_rpc_cb_t) rpc_callback;

ol_result_t olPlatformRegisterRPCCallback_impl(ol_platform_handle_t handle,
					       ol_platform_rpc_cb_t callback)
{
	const struct platform *platform = NULL;

	OL_TRY(find_platform(handle, &platform));
	atomic_store(&rpc_callback, callback);
	return OL_SUCCESS;
}
