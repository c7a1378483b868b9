/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device.h"

#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "message.h"

/* What the exit hook could not release after a run that failed is told too. */
static void tell_end(int status, void *data)
{
	struct err e;

	(void)data;
	if (!message_from_library(status, &e))
		return;
	message_log(gpurun_error_log());
	message_error(&e);
}

int device_open(const char *selector, struct device *device, struct err *e)
{
	*device = (struct device){ .info.struct_size = sizeof(device->info) };
	TRY(message_from_library(gpurun_on_end(tell_end, NULL), e));
	TRY(message_from_library(gpurun_init(selector), e));
	TRY(message_from_library(gpurun_device_get(-1, &device->handle), e));
	TRY(message_from_library(gpurun_device_get_info(device->handle, &device->info),
				 e));
	if (!strcmp(selector, "auto") && device->info.kind == GPURUN_DEVICE_CPU)
		message_note("no GPU here: using the CPU device");
	return 0;
}

int device_close(struct err *e)
{
	int status = gpurun_shutdown();

	if (!status)
		return 0;
	/* Nothing in the command line can be wrong any more. */
	message_from_library(status == GPURUN_FAULT ? status : GPURUN_DRIVER, e);
	message_log(gpurun_error_log());
	return (int)e->code;
}

struct image_target device_target(const struct device *device)
{
	/* Which PTX the CPU device reads is for its own front end to say. */
	if (device->info.kind == GPURUN_DEVICE_CPU)
		return (struct image_target){ .ptx_only = true };
	return (struct image_target){
		.arch = (unsigned)(device->info.cc_major * 10 + device->info.cc_minor),
	};
}

const char *device_describe(const struct device *device, char text[160])
{
	if (device->info.kind == GPURUN_DEVICE_CPU)
		return "the CPU device";
	snprintf(text, 160, "sm_%d%d (%.128s)", device->info.cc_major,
		 device->info.cc_minor, device->info.name);
	return text;
}
