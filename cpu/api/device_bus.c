/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device's place on a bus. It is on none: its address is one that no machine has. */
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "entry.h"
#include "exports.h"

#define PCI_BUS_ID "0000:00:00.0"

struct address {
	unsigned domain, bus, device, function;
};

/*
 * DOMAIN:BUS:DEVICE.FUNCTION, without DOMAIN: or without .FUNCTION, but not without both, as a
 * GPU's driver accepts them: hexadecimal numbers as scanf() reads them, and nothing may follow.
 */
static bool read_bus_id(const char *id, struct address *at)
{
	int end = 0;

	*at = (struct address){ 0 };
	if (sscanf(id, "%x:%x:%x.%x%n", &at->domain, &at->bus, &at->device, &at->function,
		   &end) == 4)
		return !id[end];
	if (sscanf(id, "%x:%x:%x%n", &at->domain, &at->bus, &at->device, &end) == 3)
		return !id[end];
	at->domain = 0;
	return sscanf(id, "%x:%x.%x%n", &at->bus, &at->device, &at->function, &end) == 3 &&
	       !id[end];
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *id)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct address at;

	TRY(call.result);
	if (!dev || !id || !read_bus_id(id, &at))
		return CUDA_ERROR_INVALID_VALUE;
	if (at.domain || at.bus || at.device || at.function)
		return CUDA_ERROR_INVALID_DEVICE;
	*dev = 0;
	return CUDA_SUCCESS;
}

/* A buffer that is too short gets the beginning. */
CUresult cuDeviceGetPCIBusId(char *id, int len, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (dev)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!id || len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(id, (size_t)len, "%s", PCI_BUS_ID);
	return len < (int)sizeof(PCI_BUS_ID) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
