/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device.h"

#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "message.h"

int device_open(const char *selector, struct device *device, struct err *e)
{
	*device = (struct device){ .info.struct_size = sizeof(device->info) };
	TRY(message_from_library(gpurun_init(selector), e));
	TRY(message_from_library(gpurun_device_get(-1, &device->handle), e));
	TRY(message_from_library(gpurun_device_get_info(device->handle, &device->info),
				 e));
	if (!strcmp(selector, "auto") && device->info.kind == GPURUN_DEVICE_CPU)
		message_note("no GPU here: using the CPU device");
	return 0;
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
