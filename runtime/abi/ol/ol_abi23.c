/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How libLLVMOffload.so.23.1 differs from others. */
#include "ol.h"

/* LLVM's has the name of the processor. */
#if defined(__aarch64__)
#define PROCESSOR "aarch64"
#else
#define PROCESSOR "x86_64"
#endif

const struct ol_variant ol_variant = {
	.device_infos = OL_DEVICE_INFO_LAST,
	.host_platform = PROCESSOR,
	.host_name = "Host Offload Device",
	.host_product = "Host",
	.host_uid = PROCESSOR "-0",
	.host_vendor = "Unknown",
	.host_version = "23.1",
	.host_vendor_id = 1,
	.host_memory = 1,
};
