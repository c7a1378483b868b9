/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is said of addresses, and advice that is read back. */
#ifndef CONFORMANCE_ANSWERS_MEMORY_H
#define CONFORMANCE_ANSWERS_MEMORY_H

#include "answers.h"

#define MIB (1 << 20)

/* An address, where the answer is one, by what it is. */
static const char *name_of(uint64_t value, uint64_t address, uint64_t base)
{
	return value == address ? "itself" : value == base ? "the base" : value ? "another" : "0";
}

static bool is_address(int attribute)
{
	return attribute == CU_POINTER_ATTRIBUTE_CONTEXT ||
	       attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
	       attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER || attribute == 5 ||
	       attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID ||
	       attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
	       attribute == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE ||
	       attribute == CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR ||
	       attribute == CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID;
}

/* An address that something is asked of; @base is where its memory begins. */
struct place {
	const char *name;
	uint64_t address, base;
};

static void ask_pointer(struct words *words, int attribute, const struct place *at)
{
	uint64_t value[2] = { 77, 77 };
	CUresult result =
		cu.cuPointerGetAttribute(value, (CUpointer_attribute)attribute, at->address);

	if (!result && is_address(attribute))
		say(words, " %s 0,%s;", at->name, name_of(value[0], at->address, at->base));
	else
		say(words, " %s %d,%#" PRIx64 ";", at->name, result, value[0]);
}

static void ask_pointers(const char *of, const struct place *places, size_t count)
{
	for (int i = 0; i < 24; i++) {
		struct words words = { .length = 0 };

		for (size_t j = 0; j < count; j++)
			ask_pointer(&words, i, &places[j]);
		answer("pointer attribute %d of %s:%s", i, of, words.text);
	}
}

static void set_pointers(const struct place *places, size_t count)
{
	for (int i = 0; i < 24; i++)
		for (size_t j = 0; j < count; j++) {
			struct words words = { .length = 0 };

			for (int number = 0; number < 3; number++) {
				uint64_t value[2] = { (uint64_t)number, 0 };
				CUresult set = cu.cuPointerSetAttribute(
					value, (CUpointer_attribute)i, places[j].address), get;

				value[0] = 77;
				get = cu.cuPointerGetAttribute(value,
							       CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
							       places[j].address);
				say(&words, " %d:%d,%d,%#" PRIx64, number, set, get, value[0]);
			}
			if (i == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !j)
				answer("set pointer attribute %d of %s:%s", i, places[j].name,
				       words.text);
		}
}

static void ask_host_memory(void)
{
	static char page[3 * 4096] __attribute__((aligned(4096)));
	struct words allocated = { .length = 0 }, registered = { .length = 0 };

	for (unsigned flags = 0; flags < 18; flags++) {
		void *host = NULL;
		unsigned got = 77;
		CUresult result = cu.cuMemHostAlloc(&host, 4096, flags), get = 0;

		if (!result)
			get = cu.cuMemHostGetFlags(&got, host);
		say(&allocated, " %u:%d,%d,%u", flags, result, get, got);
		if (host)
			cu.cuMemFreeHost(host);
		got = 77;
		result = cu.cuMemHostRegister(page, 4096, flags);
		get = result ? 0 : cu.cuMemHostGetFlags(&got, page);
		say(&registered, " %u:%d,%d,%u", flags, result, get, got);
		if (!result)
			cu.cuMemHostUnregister(page);
	}
	answer("host memory of flags:%s", allocated.text);
	answer("registered memory of flags:%s", registered.text);
}

/* ---- Managed memory ------------------------------------------------------------------ */

static void say_range(struct words *words, CUdeviceptr address, size_t size)
{
	for (int i = 1; i < 5; i++) {
		int value[2] = { UNWRITTEN, UNWRITTEN };
		CUresult result = cu.cuMemRangeGetAttribute(
			value, sizeof(int), (CUmem_range_attribute)i, address, size);

		say(words, result ? "e%d" : "%d", result ? (int)result : value[0]);
		say(words, "%s", i < 4 ? "," : "");
	}
}

static void ask_range(const char *when, CUdeviceptr address, size_t size)
{
	struct words words = { .length = 0 };

	say_range(&words, address, size);
	answer("range %s: %s", when, words.text);
	words.length = 0;
	for (int i = 0; i < 10; i++) {
		int value[2] = { UNWRITTEN, UNWRITTEN };

		say(&words, " %d", cu.cuMemRangeGetAttribute(value, sizeof(int),
							     (CUmem_range_attribute)i, address, size));
	}
	answer("attributes of a range %s:%s", when, words.text);
}

/* Each advice, and the range afterwards. */
static void advise(CUdeviceptr address, const char *name)
{
	for (int advice = 0; advice < 8; advice++) {
		struct words words = { .length = 0 };

		for (int type = 0; type < 6; type++)
			for (int id = -1; id < 2; id++) {
				CUmemLocation to = { (CUmemLocationType)type, id };
				CUresult result = cu.cuMemAdvise(address, 2 * MIB,
								 (CUmem_advise)advice, to);

				say(&words, " %d.%d:%d", type, id, result);
				if (result)
					continue;
				say(&words, ",");
				say_range(&words, address, 2 * MIB);
			}
		answer("advice %d for places of %s:%s", advice, name, words.text);
		words.length = 0;
		for (int device = -3; device < 2; device++)
			say(&words, " %d:%d", device,
			    cu.cuMemAdvise_v1(address, 2 * MIB, (CUmem_advise)advice, device));
		answer("old advice %d of %s:%s", advice, name, words.text);
	}
}

/* Advice for a part of an allocation holds for this part. */
static void advise_parts(void)
{
	const CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAllocManaged(&address, 8 * MIB, CU_MEM_ATTACH_GLOBAL));
	ask_range("that is new", address, 8 * MIB);
	cu.cuMemAdvise(address, 2 * MIB, CU_MEM_ADVISE_SET_READ_MOSTLY, here);
	cu.cuMemAdvise(address + 2 * MIB, 2 * MIB, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here);
	cu.cuMemAdvise(address + 4 * MIB, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, here);
	ask_range("of the advised first part", address, 2 * MIB);
	ask_range("of the advised second part", address + 2 * MIB, 2 * MIB);
	ask_range("of an advised page", address + 4 * MIB, 4096);
	ask_range("of the page after it", address + 4 * MIB + 4096, 4096);
	ask_range("of the rest of its block", address + 4 * MIB + 65536, 65536);
	ask_range("of parts that differ", address, 8 * MIB);
	ask_range("of one byte", address + 100, 1);
	ask_range("that is empty", address, 0);
	ask_range("beyond its end", address + 7 * MIB, 2 * MIB);
	ask_range("that nothing was said of", address + 6 * MIB, 2 * MIB);
	OK_CU(cu.cuMemFree(address));
}

static void prefetch(void)
{
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, host = { CU_MEM_LOCATION_TYPE_HOST, 0 };
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAllocManaged(&address, 4 * MIB, CU_MEM_ATTACH_GLOBAL));
	answer("prefetch to the device: %d",
	       cu.cuMemPrefetchAsync(address, 2 * MIB, here, 0, NULL));
	OK_CU(cu.cuCtxSynchronize());
	ask_range("that was prefetched", address, 2 * MIB);
	ask_range("of the part that was not", address + 2 * MIB, 2 * MIB);
	answer("prefetch to the host: %d", cu.cuMemPrefetchAsync(address, 2 * MIB, host, 0, NULL));
	OK_CU(cu.cuCtxSynchronize());
	ask_range("that was prefetched to the host", address, 2 * MIB);
	OK_CU(cu.cuMemFree(address));
}

/* ---- Virtual memory -------------------------------------------------------------------- */

static void ask_mapping(void)
{
	CUmemAllocationProp props = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				      .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	struct words words = { .length = 0 };
	CUmemGenericAllocationHandle handle = 0;
	CUdeviceptr at = 0;

	OK_CU(cu.cuMemAddressReserve(&at, 4 * MIB, 0, 0, 0));
	OK_CU(cu.cuMemCreate(&handle, 2 * MIB, &props, 0));
	OK_CU(cu.cuMemMap(at, 2 * MIB, 0, handle, 0));
	for (int i = 0; i < 5; i++) {
		CUmemAccessDesc desc = { props.location, (CUmemAccess_flags)i };
		CUresult set = cu.cuMemSetAccess(at, 2 * MIB, &desc, 1), get;
		unsigned long long flags = 77;

		get = cu.cuMemGetAccess(&flags, &props.location, at);
		say(&words, " %d:%d,%d,%llu", i, set, get, flags);
	}
	answer("set access of a mapping:%s", words.text);
	ask_pointers("mappings",
		     (struct place[]){ { "a mapping", at + 100, at },
				       { "a reserved address", at + 2 * MIB, at } },
		     2);
	OK_CU(cu.cuMemUnmap(at, 2 * MIB));
	OK_CU(cu.cuMemRelease(handle));
	OK_CU(cu.cuMemAddressFree(at, 4 * MIB));
}

static void ask_memory(void)
{
	static char page[2 * 4096] __attribute__((aligned(4096)));
	CUdeviceptr device = 0, managed = 0, pooled = 0;
	void *host = NULL;

	OK_CU(cu.cuMemAlloc(&device, 3000));
	OK_CU(cu.cuMemAllocManaged(&managed, 4 * MIB, CU_MEM_ATTACH_GLOBAL));
	OK_CU(cu.cuMemAllocAsync(&pooled, 3000, NULL));
	OK_CU(cu.cuMemHostAlloc(&host, 3000, CU_MEMHOSTALLOC_DEVICEMAP));
	OK_CU(cu.cuMemHostRegister(page, 4096, 0));
	OK_CU(cu.cuCtxSynchronize());
	const struct place places[] = {
		{ "device", device, device },
		{ "its middle", device + 100, device },
		{ "managed", managed + 100, managed },
		{ "pool", pooled + 100, pooled },
		{ "host", (uintptr_t)host + 100, (uintptr_t)host },
		{ "registered", (uintptr_t)page + 100, (uintptr_t)page },
		{ "the page after it", (uintptr_t)page + 4096, (uintptr_t)page },
		{ "NULL", 0, 0 },
	};

	ask_pointers("memory", places, COUNT(places));
	set_pointers(places, COUNT(places));
	ask_host_memory();
	advise(managed, "managed memory");
	advise(device, "device memory");
	advise_parts();
	prefetch();
	ask_mapping();
	OK_CU(cu.cuMemHostUnregister(page));
	OK_CU(cu.cuMemFreeHost(host));
	OK_CU(cu.cuMemFreeAsync(pooled, NULL));
	OK_CU(cu.cuMemFree(managed));
	OK_CU(cu.cuMemFree(device));
}

#endif
