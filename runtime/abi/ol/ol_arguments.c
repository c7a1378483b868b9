/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Launches with arguments one by one. Their number and sizes have to be those of the
 * kernel's parameters, where the driver reports these: with a wrong list other memory
 * would be read.
 */
#include "ol.h"

enum { REMEMBERED = 12 };

/* What was valid at the thread's last launch: no other kernel ever has this handle, and
 * its parameters never change. */
static _Thread_local struct {
	ol_symbol_handle_t kernel;
	size_t count;
	uint16_t sizes[REMEMBERED];
} known __attribute__((tls_model("initial-exec")));

static inline bool is_known(ol_symbol_handle_t kernel, size_t count, const size_t *sizes)
{
	if (kernel != known.kernel || count != known.count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (sizes[i] != known.sizes[i])
			return false;
	return true;
}

static void remember(ol_symbol_handle_t kernel, size_t count, const size_t *sizes)
{
	known.kernel = NULL;
	if (count > REMEMBERED)
		return;
	for (size_t i = 0; i < count; i++)
		known.sizes[i] = (uint16_t)sizes[i];
	known.count = count;
	known.kernel = kernel;
}

/* Compares with the parameters of @kernel, from @info. OL_ERRC_INVALID_ARGUMENT. */
static ol_result_t compare(struct gpurun_kernel kernel, const struct gpurun_kernel_info *info,
			   size_t count, const size_t *sizes)
{
	uint64_t size;

	if (count != (size_t)info->parameters)
		return ol_error(OL_ERRC_INVALID_ARGUMENT, "kernel '%s' takes %d arguments, %zu "
				"were given", info->name, info->parameters, count);
	for (size_t i = 0; i < count; i++) {
		OL_TRY(ol_result(gpurun_kernel_parameter(kernel, (int)i, NULL, &size),
				 OL_ERRC_INVALID_ARGUMENT));
		if (size != sizes[i])
			return ol_error(OL_ERRC_INVALID_ARGUMENT, "kernel '%s': argument %zu of "
					"%zu has %llu bytes, %zu were given", info->name, i,
					count, (unsigned long long)size, sizes[i]);
	}
	return OL_SUCCESS;
}

/* What is no kernel passes: the launch reports why. */
static ol_result_t check(ol_symbol_handle_t symbol, size_t count, const size_t *sizes)
{
	const struct gpurun_kernel kernel = { ol_id(symbol) };
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };

	if (gpurun_kernel_get_info(kernel, &info) || info.parameters < 0)
		return OL_SUCCESS;
	OL_TRY(compare(kernel, &info, count, sizes));
	remember(symbol, count, sizes);
	return OL_SUCCESS;
}

/* Reads what is asked for besides the geometry; @flags are gpurun's. */
static ol_result_t read_properties(const ol_kernel_launch_prop_t *property, unsigned *flags)
{
	for (; property->type != OL_KERNEL_LAUNCH_PROP_TYPE_NONE; property++) {
		if (property->type != OL_KERNEL_LAUNCH_PROP_TYPE_IS_COOPERATIVE)
			return ol_info_unknown("olLaunchKernel property", (int)property->type);
		if (!property->data)
			return ol_error(OL_ERRC_INVALID_NULL_POINTER, "property IS_COOPERATIVE "
					"has no data: expected a bool");
		*flags = *(const bool *)property->data ? GPURUN_LAUNCH_COOPERATIVE : 0;
	}
	return OL_SUCCESS;
}

ol_result_t olLaunchKernel_impl(ol_queue_handle_t queue, ol_device_handle_t device,
				ol_symbol_handle_t symbol,
				const ol_kernel_launch_size_args_t *size,
				const ol_kernel_launch_prop_t *properties, size_t count,
				void **pointers, const size_t *sizes)
{
	const struct ol_arguments arguments = { .each = count ? pointers : NULL };
	unsigned flags = 0;

	if (count && (!pointers || !sizes))
		return ol_error(OL_ERRC_INVALID_ARGUMENT, "%zu arguments, and no list of %s",
				count, pointers ? "their sizes" : "them");
	if (properties)
		OL_TRY(read_properties(properties, &flags));
	if (!is_known(symbol, count, sizes))
		OL_TRY(check(symbol, count, sizes));
	return ol_launch(queue, device, symbol, &arguments, flags, size);
}
