/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the device says of itself. */
#ifndef CONFORMANCE_ANSWERS_DEVICE_H
#define CONFORMANCE_ANSWERS_DEVICE_H

#include "answers.h"

#define DEVICE_ATTRIBUTES 152 /* more than CUDA 13 has */

static int attribute_of_device(CUdevice_attribute attribute)
{
	int value = UNWRITTEN;
	CUresult result = cu.cuDeviceGetAttribute(&value, attribute, 0);

	return result ? -1000 - (int)result : value;
}

static void ask_device_attributes(void)
{
	for (int i = -1; i < DEVICE_ATTRIBUTES + 1; i++)
		answer("device attribute %d: %d", i,
		       attribute_of_device((CUdevice_attribute)i));
}

static void ask_properties(void)
{
	CUdevprop p = { 0 };
	CUresult result = cu.cuDeviceGetProperties(&p, 0);

	answer("properties: %d, %d, %d %d %d, %d %d %d, %d %d %d %d %d %d", result,
	       p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
	       p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2], p.sharedMemPerBlock,
	       p.totalConstantMemory, p.SIMDWidth, p.memPitch, p.regsPerBlock, p.textureAlign);
	answer("properties, clock rate: %d", p.clockRate);
}

static void ask_abilities(void)
{
	CUatomicOperation operations[13];
	unsigned capabilities[13] = { 0 }, nodes = 77;
	CUresult result;
	char luid[9] = "........";
	int value;

	for (int i = 0; i < 6; i++) {
		value = UNWRITTEN;
		result = cu.cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)i, 0, 0);
		answer("peer attribute %d of the device itself: %d, %d", i, result, value);
	}
	value = UNWRITTEN;
	result = cu.cuDeviceCanAccessPeer(&value, 0, 0);
	answer("the device is its own peer: %d, %d", result, value);
	for (int i = 0; i < 3; i++) {
		value = UNWRITTEN;
		result = cu.cuDeviceGetExecAffinitySupport(&value, (CUexecAffinityType)i, 0);
		answer("exec affinity %d: %d, %d", i, result, value);
	}
	result = cu.cuDeviceGetLuid(luid, &nodes, 0);
	answer("luid: %d, %u", result, nodes);
	for (int i = 0; i < 13; i++)
		operations[i] = (CUatomicOperation)i;
	if (cu.cuDeviceGetHostAtomicCapabilities) {
		result = cu.cuDeviceGetHostAtomicCapabilities(capabilities, operations, 13, 0);
		for (int i = 0; i < 13; i++)
			answer("atomic %d between host and device: %d, %u", i, result,
			       capabilities[i]);
	}
	if (cu.cuDeviceGetP2PAtomicCapabilities)
		answer("atomics of the device as its peer: %d",
		       cu.cuDeviceGetP2PAtomicCapabilities(capabilities, operations, 13, 0, 0));
}

static void ask_sizes(void)
{
	size_t total = 0, available = 0, all = 0;
	CUresult result;

	answer("total memory: %d", cu.cuDeviceTotalMem(&total, 0));
	result = cu.cuMemGetInfo(&available, &all);
	answer("free memory: %d, less than the total %d, totals agree %d", result,
	       available < total, all == total);
}

static void ask_textures(void)
{
	static const int formats[] = { 0, 1, 2, 3, 8, 9, 10, 16, 32, 33 };

	for (size_t i = 0; i < COUNT(formats); i++) {
		struct words words = { .length = 0 };

		for (unsigned channels = 0; channels < 6; channels++) {
			size_t width = 77;
			CUresult result = cu.cuDeviceGetTexture1DLinearMaxWidth(
				&width, (CUarray_format)formats[i], channels, 0);

			say(&words, " %u:%d,%zu", channels, result, width);
		}
		answer("linear textures of format %d:%s", formats[i], words.text);
	}
}

static void ask_resources(void)
{
	for (int i = -1; i < 5; i++) {
		CUdevResource resource = { .type = (CUdevResourceType)UNWRITTEN };
		CUresult result = cu.cuDeviceGetDevResource(0, &resource, (CUdevResourceType)i);

		answer("device resource %d: %d, type %d", i, result, resource.type);
	}
}

static void ask_granularity(void)
{
	for (int type = 0; type < 5; type++)
		for (int handles = 0; handles < 9; handles = handles < 2 ? handles + 1 : handles + 6) {
			struct words words = { .length = 0 };

			for (int option = 0; option < 3; option++) {
				CUmemAllocationProp props = {
					.type = CU_MEM_ALLOCATION_TYPE_PINNED,
					.requestedHandleTypes = (CUmemAllocationHandleType)handles,
					.location = { (CUmemLocationType)type, 0 },
				};
				size_t bytes = 77;
				CUresult result = cu.cuMemGetAllocationGranularity(
					&bytes, &props, (CUmemAllocationGranularity_flags)option);

				say(&words, " %d:%d,%zu", option, result, bytes);
			}
			answer("granularity at a place of type %d, handles %d:%s", type, handles,
			       words.text);
		}
}

/* ---- Names of the bus ------------------------------------------------------------ */

/* %D, %B, %d: the domain, bus and device in hexadecimal, with the digits that the number before
 * says. */
static const char *const spellings[] = {
	"%4D:%2B:%2d.0", "%1D:%1B:%1d.0", "%8D:%2B:%2d.0", "%1D:%1B:%1d", "%2B:%2d.0", "%1B:%1d.0",
	"%2B:%2d", "%1B:%1d", "%4D:%2B:%2d", "%4D:%2B:%2d.1", "%4D:%2B:%2d.7", "%4D:%2B:%2d.8",
	"%4D:%2B:%2d.00", "%4D:%2B:%2d.0x", "%4D:%2B:%2d.0 ", " %4D:%2B:%2d.0", "%4D:%2B:%2d.",
	"%4D:%2B:%2dx", "%4D:%2B:%2d.x", "%4D %2B %2d", "%4D:%2B", "%4D:%2B:", "%4D", "", ":", "::",
	":::", "x", "nonsense", "%4D:%2B:%2d:0", "%4D:%2B:%2d.0.0", "%16D:%2B:%2d.0",
	"%9D:%4B:%4d.0", "0x%4D:0x%2B:0x%2d.0", "-%4D:%2B:%2d.0", "+%4D:%2B:%2d.0",
	"%4D: %2B: %2d.0", "%4D.%2B.%2d.0", "%4D-%2B-%2d-0", "%2B.%2d", "%2B:%2d.0x", "%2B:%2dx",
	"fffe:%2B:%2d.0", "%4D:fe:%2d.0", "%4D:%2B:1e.0", "fe:1e", "1ffff:%2B:%2d.0",
	"%4D:1%2B:%2d.0", "gg:%2B:%2d.0", "%4D:gg:%2d.0", "%4D:%2B:gg.0", "GPU-0", "0",
	"10000%4D:%2B:%2d.0", "%4D:%2B:1%2d.0", "%4D:100%2B:%2d.0", "%4D:%2B:100%2d.0",
};

static void spell(const char *form, char *out, size_t size)
{
	size_t used = 0;
	int digits = 0;

	for (out[0] = '\0'; *form; form++) {
		int attribute = 0;

		if (*form != '%') {
			out[used++] = *form;
			out[used] = '\0';
			continue;
		}
		for (digits = 0; *++form >= '0' && *form <= '9';)
			digits = digits * 10 + *form - '0';
		attribute = *form == 'D' ? CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID :
			    *form == 'B' ? CU_DEVICE_ATTRIBUTE_PCI_BUS_ID :
					   CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID;
		used += (size_t)snprintf(out + used, size - used, "%0*x", digits,
					 attribute_of_device((CUdevice_attribute)attribute));
	}
}

static void ask_spellings(void)
{
	char id[64] = "";
	int device;

	for (size_t i = 0; i < COUNT(spellings); i++) {
		CUresult result;

		device = UNWRITTEN;
		spell(spellings[i], id, sizeof(id));
		result = cu.cuDeviceGetByPCIBusId(&device, id);
		answer("device at '%s': %d, %d", spellings[i], result, device);
	}
}

static void ask_bus_id(void)
{
	struct words words = { .length = 0 };

	for (int length = -1; length < 20; length++) {
		char id[64] = "................";
		CUresult result = cu.cuDeviceGetPCIBusId(id, length, 0);
		int device = UNWRITTEN;

		say(&words, " %d:%d,%zu,%d", length, result, strlen(id),
		    result ? 0 : (int)cu.cuDeviceGetByPCIBusId(&device, id));
	}
	answer("bus id in so many bytes:%s", words.text);
}

static void ask_device(void)
{
	ask_device_attributes();
	ask_properties();
	ask_abilities();
	ask_sizes();
	ask_textures();
	ask_resources();
	ask_granularity();
	ask_spellings();
	ask_bus_id();
}

#endif
