/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs: modules of the runtime. Cubins, PTX text, fatbins and offload binaries
 * are loaded unchanged; only the driver compiles. What does not parse, or has nothing
 * that the device could run, is OL_ERRC_INVALID_BINARY; PTX for the device that the
 * driver's compiler refuses is OL_ERRC_COMPILE_FAILURE, with its log.
 */
#include "ol.h"

/* Refuses a size of 0, of which nothing may be read: for the runtime it would mean that
 * the image has its own size. */
static ol_result_t check_bytes(size_t size)
{
	if (size)
		return OL_SUCCESS;
	return ol_error(OL_ERRC_INVALID_BINARY, "the program is empty: its size is 0 bytes");
}

/* Returns why a load failed with @status. If a driver could choose code from the image,
 * its compiler has refused it: the log is then the compiler's. */
static ol_result_t load_failure(struct gpurun_device device, const void *data, size_t size,
				int status)
{
	bool logged = gpurun_error_log()[0] != '\0';
	ol_result_t result = ol_result(status, OL_ERRC_INVALID_DEVICE);

	if (!logged || result->Code != OL_ERRC_INVALID_BINARY ||
	    gpurun_image_check(device, data, size))
		return result;
	return ol_error(OL_ERRC_COMPILE_FAILURE, "%s", result->Details);
}

ol_result_t olCreateProgram_impl(ol_device_handle_t handle, const void *data, size_t size,
				 ol_program_handle_t *program)
{
	struct gpurun_device device = ol_device(handle);
	struct gpurun_module module;
	int status;

	*program = NULL;
	if (ol_is_host(handle) || !size)
		OL_TRY(ol_check_gpu(handle, "programs"));
	OL_TRY(check_bytes(size));
	status = gpurun_module_load_alone(device, data, size, &module);
	if (status)
		return load_failure(device, data, size, status);
	*program = ol_handle(module.id);
	return OL_SUCCESS;
}

/* Garbage, or code of another device, is a valid query with result false. */
ol_result_t olIsValidBinary_impl(ol_device_handle_t handle, const void *data, size_t size,
				 bool *valid)
{
	int status;

	*valid = false;
	if (ol_is_host(handle) || !size)
		return ol_check_device(handle);
	status = gpurun_image_check(ol_device(handle), data, size);
	if (status == GPURUN_FORMAT || status == GPURUN_NO_IMAGE)
		return OL_SUCCESS;
	*valid = !status;
	return ol_result(status, OL_ERRC_INVALID_DEVICE);
}

ol_result_t olDestroyProgram_impl(ol_program_handle_t program)
{
	return ol_result(gpurun_module_unload(ol_program(program)), OL_ERRC_INVALID_ARGUMENT);
}
