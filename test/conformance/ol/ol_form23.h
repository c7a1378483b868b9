/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What differs between ABIs, as 23.1 has it: see ol_form22.h. */
#ifndef CONFORMANCE_OL_FORM23_H
#define CONFORMANCE_OL_FORM23_H

#if defined(__aarch64__)
#define FORM_HOST_PLATFORM "aarch64"
#define FORM_HOST_PLATFORM_SIZE "8"
#else
#define FORM_HOST_PLATFORM "x86_64"
#define FORM_HOST_PLATFORM_SIZE "7"
#endif
#define FORM_HOST_NAME "Host Offload Device"
#define FORM_HOST_PRODUCT "Host"
#define FORM_HOST_UID FORM_HOST_PLATFORM "-0"
#define FORM_HOST_VENDOR "Unknown"
#define FORM_HOST_VENDOR_ID 1
#define FORM_HOST_MEMORY 1
#define FORM_TRACE_HOST_MEMORY "1"
#define FORM_HOST_VERSION "23.1"
/* Those after them it has not. */
#define FORM_HOST_INFOS OL_DEVICE_INFO_COOPERATIVE_LAUNCH_SUPPORT

#define FORM_LEAST_SHARED false

#define FORM_STARTER "library/libstarter23.so"

#define FORM_NO_ARGUMENTS "NumArgs > 0 && ArgPtrs == NULL"

#define FORM_TRACE_INIT ".InitArgs = nullptr"
#define FORM_TRACE_LAUNCH(sizes)                                                           \
	".LaunchSizeArgs = " sizes ", .Properties = nullptr, .NumArgs = 0, "               \
	".ArgPtrs = nullptr, .ArgSizes = nullptr"

#define FORM_CALLS                                                                       \
	CALL(INVALID_NULL_HANDLE, olCreateEvent, NULL, 0, NULL)                            \
	CALL(INVALID_NULL_HANDLE, olGetEventElapsedTime, NULL, NULL, NULL)                 \
	CALL(INVALID_NULL_HANDLE, olGetKernelMaxCooperativeGroupCount, NULL, NULL, NULL, NULL) \
	CALL(INVALID_NULL_HANDLE, olLaunchKernel, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL) \
	CALL(INVALID_SIZE, olMemAllocAligned, NULL, 0, 0, 0, NULL)                         \
	CALL(INVALID_NULL_HANDLE, olMemPrefetch, NULL, 0, NULL, NULL, 0)                   \
	CALL(INVALID_NULL_HANDLE, olMemUnregister, NULL, NULL, 0)                          \
	CALL(INVALID_NULL_HANDLE, olPlatformRegisterRPCCallback, NULL, NULL)               \
	CALL(INVALID_NULL_HANDLE, olQueryQueue, NULL, NULL)

TAP_UNUSED static ol_result_t ol_init(void)
{
	return olInit(NULL);
}

TAP_UNUSED static ol_result_t ol_init_twin(ol_code_location_t *location)
{
	return olInitWithCodeLoc(NULL, location);
}

TAP_UNUSED static ol_result_t ol_create_event(ol_queue_handle_t queue, ol_event_handle_t *event)
{
	return olCreateEvent(queue, OL_EVENT_FLAG_NONE, event);
}

TAP_UNUSED static ol_result_t ol_register(ol_device_handle_t device, void *pointer, size_t size,
					  ol_memory_register_flags_t flags, void **pinned)
{
	return olMemRegister(device, pointer, size,
			     flags | OL_MEMORY_REGISTER_FLAG_LOCK_MEMORY, pinned);
}

TAP_UNUSED static ol_result_t ol_unregister(ol_device_handle_t device, void *pointer)
{
	return olMemUnregister(device, pointer, OL_MEMORY_REGISTER_FLAG_UNLOCK_MEMORY);
}

/* The parameters of a struct of @size bytes: a u32; an address; that and a u32; two u64 and
 * a u16. */
TAP_UNUSED static size_t ol_split(const void *arguments, size_t size, void **pointers,
				  size_t *sizes)
{
	static const size_t shapes[][3] = { { 8, 8, 2 }, { 8, 4, 0 }, { 8, 0, 0 }, { 4, 0, 0 } };
	const size_t *shape = shapes[size >= 18 ? 0 : size >= 12 ? 1 : size >= 8 ? 2 : 3];
	size_t count = 0;

	for (const char *at = arguments; size && count < 3 && shape[count]; count++) {
		pointers[count] = (void *)at;
		sizes[count] = shape[count];
		at += shape[count];
	}
	return count;
}

TAP_UNUSED static ol_result_t ol_launch(ol_queue_handle_t queue, ol_device_handle_t device,
					ol_symbol_handle_t kernel, const void *arguments,
					size_t size, const ol_kernel_launch_size_args_t *sizes)
{
	size_t argument_sizes[3];
	void *pointers[3];
	size_t count;

	if (!arguments)
		return olLaunchKernel(queue, device, kernel, sizes, NULL, size, NULL, NULL);
	count = ol_split(arguments, size, pointers, argument_sizes);
	return olLaunchKernel(queue, device, kernel, sizes, NULL, count, pointers,
			      argument_sizes);
}

TAP_UNUSED static ol_result_t ol_launch_twin(ol_queue_handle_t queue, ol_device_handle_t device,
					     ol_symbol_handle_t kernel, const void *arguments,
					     size_t size,
					     const ol_kernel_launch_size_args_t *sizes,
					     ol_code_location_t *location)
{
	size_t argument_sizes[3];
	void *pointers[3];
	size_t count = ol_split(arguments, size, pointers, argument_sizes);

	return olLaunchKernelWithCodeLoc(queue, device, kernel, sizes, NULL, count, pointers,
					 argument_sizes, location);
}

TAP_UNUSED static ol_result_t ol_create_event_twin(ol_queue_handle_t queue,
						   ol_event_handle_t *event,
						   ol_code_location_t *location)
{
	return olCreateEventWithCodeLoc(queue, OL_EVENT_FLAG_NONE, event, location);
}

TAP_UNUSED static ol_result_t ol_unregister_twin(ol_device_handle_t device, void *pointer,
						 ol_code_location_t *location)
{
	return olMemUnregisterWithCodeLoc(device, pointer, OL_MEMORY_REGISTER_FLAG_UNLOCK_MEMORY,
					  location);
}

#endif
