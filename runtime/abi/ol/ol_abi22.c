/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How libLLVMOffload.so.22.1 differs from later ones. */
#include "ol.h"

const struct ol_variant ol_variant = {
	.device_infos = OL_DEVICE_INFO_LAST,
	.has_least_shared = true,
	.host_platform = "Host",
	.host_name = "Virtual Host Device",
	.host_product = "Virtual Host Device",
	.host_uid = "HOST",
	.host_vendor = "Liboffload",
	.host_version = "22.1.8",
};

ol_result_t olInit_impl22(void)
{
	return olInit_impl(NULL);
}

ol_result_t olCreateEvent_impl22(ol_queue_handle_t queue, ol_event_handle_t *event)
{
	return olCreateEvent_impl(queue, OL_EVENT_FLAG_NONE, event);
}

ol_result_t olLaunchKernel_impl22(ol_queue_handle_t queue, ol_device_handle_t device,
				  ol_symbol_handle_t symbol, const void *packed,
				  size_t packed_size,
				  const ol_kernel_launch_size_args_t *size)
{
	const struct ol_arguments arguments = {
		.packed = packed_size ? packed : NULL,
		.packed_size = packed_size,
	};

	return ol_launch(queue, device, symbol, &arguments, 0, size);
}

/* Its flags have no meaning: to register is to pin. */
ol_result_t olMemRegister_impl22(ol_device_handle_t device, void *pointer, size_t size,
				 ol_memory_register_flags_t flags, void **pinned)
{
	(void)flags;
	return olMemRegister_impl(device, pointer, size, OL_MEMORY_REGISTER_FLAG_LOCK_MEMORY,
				  pinned);
}

ol_result_t olMemUnregister_impl22(ol_device_handle_t device, void *pointer)
{
	return olMemUnregister_impl(device, pointer, OL_MEMORY_REGISTER_FLAG_UNLOCK_MEMORY);
}
