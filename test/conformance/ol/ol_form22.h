/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What differs between ABIs, as 22.1 has it; the others (ol_form23.h) have the same names. */
#ifndef CONFORMANCE_OL_FORM22_H
#define CONFORMANCE_OL_FORM22_H

#define FORM_HOST_PLATFORM "Host"
#define FORM_HOST_PLATFORM_SIZE "5"
#define FORM_HOST_NAME "Virtual Host Device"
#define FORM_HOST_PRODUCT "Virtual Host Device"
#define FORM_HOST_UID "HOST"
#define FORM_HOST_VENDOR "Liboffload"
#define FORM_HOST_VENDOR_ID 0
#define FORM_HOST_MEMORY 0
#define FORM_TRACE_HOST_MEMORY "0"
#define FORM_HOST_VERSION "22.1.8"
#define FORM_HOST_INFOS OL_DEVICE_INFO_LAST

/* LIBOMPTARGET_SHARED_MEMORY_SIZE is looked at. */
#define FORM_LEAST_SHARED true

/* A library that calls this one in its constructor, beside the program. */
#define FORM_STARTER "library/libstarter.so"

/* What olLaunchKernel() says of arguments that are not there. */
#define FORM_NO_ARGUMENTS "ArgumentsSize > 0 && ArgumentsData == NULL"

/* In the trace: olInit()'s parameters; the last ones of olLaunchKernel() without arguments,
 * where @sizes is what stands for LaunchSizeArgs. */
#define FORM_TRACE_INIT ""
#define FORM_TRACE_LAUNCH(sizes)                                                           \
	".ArgumentsData = nullptr, .ArgumentsSize = 0, .LaunchSizeArgs = " sizes

/* Rows of init.c's CALLS. */
#define FORM_CALLS                                                                       \
	CALL(INVALID_NULL_HANDLE, olCreateEvent, NULL, NULL)                               \
	CALL(INVALID_NULL_HANDLE, olLaunchKernel, NULL, NULL, NULL, NULL, 0, NULL)         \
	CALL(INVALID_NULL_HANDLE, olMemUnregister, NULL, NULL)

TAP_UNUSED static ol_result_t ol_init(void)
{
	return olInit();
}

TAP_UNUSED static ol_result_t ol_init_twin(ol_code_location_t *location)
{
	return olInitWithCodeLoc(location);
}

TAP_UNUSED static ol_result_t ol_create_event(ol_queue_handle_t queue, ol_event_handle_t *event)
{
	return olCreateEvent(queue, event);
}

TAP_UNUSED static ol_result_t ol_register(ol_device_handle_t device, void *pointer, size_t size,
					  ol_memory_register_flags_t flags, void **pinned)
{
	return olMemRegister(device, pointer, size, flags, pinned);
}

TAP_UNUSED static ol_result_t ol_unregister(ol_device_handle_t device, void *pointer)
{
	return olMemUnregister(device, pointer);
}

/* @arguments: a struct of one of the shapes that ol_form23.h knows. */
TAP_UNUSED static ol_result_t ol_launch(ol_queue_handle_t queue, ol_device_handle_t device,
					ol_symbol_handle_t kernel, const void *arguments,
					size_t size, const ol_kernel_launch_size_args_t *sizes)
{
	return olLaunchKernel(queue, device, kernel, arguments, size, sizes);
}

TAP_UNUSED static ol_result_t ol_launch_twin(ol_queue_handle_t queue, ol_device_handle_t device,
					     ol_symbol_handle_t kernel, const void *arguments,
					     size_t size,
					     const ol_kernel_launch_size_args_t *sizes,
					     ol_code_location_t *location)
{
	return olLaunchKernelWithCodeLoc(queue, device, kernel, arguments, size, sizes, location);
}

TAP_UNUSED static ol_result_t ol_create_event_twin(ol_queue_handle_t queue,
						   ol_event_handle_t *event,
						   ol_code_location_t *location)
{
	return olCreateEventWithCodeLoc(queue, event, location);
}

TAP_UNUSED static ol_result_t ol_unregister_twin(ol_device_handle_t device, void *pointer,
						 ol_code_location_t *location)
{
	return olMemUnregisterWithCodeLoc(device, pointer, location);
}

#endif
