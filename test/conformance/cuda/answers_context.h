/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is set for contexts, streams and pools, and what is read afterwards. */
#ifndef CONFORMANCE_ANSWERS_CONTEXT_H
#define CONFORMANCE_ANSWERS_CONTEXT_H

#include "answers.h"

static void set_cache(void)
{
	static const int values[] = { 0, 1, 2, 3, 4, -1, 1, 0 };
	struct words caches = { .length = 0 }, all_banks = { .length = 0 };
	CUfunc_cache cache = (CUfunc_cache)UNWRITTEN;
	CUresult get = cu.cuCtxGetCacheConfig(&cache);
	CUsharedconfig banks = (CUsharedconfig)UNWRITTEN;

	answer("cache of a new context: %d, %d", get, cache);
	get = cu.cuCtxGetSharedMemConfig(&banks);
	answer("banks of a new context: %d, %d", get, banks);
	for (size_t i = 0; i < COUNT(values); i++) {
		CUresult set = cu.cuCtxSetCacheConfig((CUfunc_cache)values[i]);

		get = cu.cuCtxGetCacheConfig(&cache);
		say(&caches, " %d:%d,%d,%d", values[i], set, get, cache);
		set = cu.cuCtxSetSharedMemConfig((CUsharedconfig)values[i]);
		get = cu.cuCtxGetSharedMemConfig(&banks);
		say(&all_banks, " %d:%d,%d,%d", values[i], set, get, banks);
	}
	answer("set cache:%s", caches.text);
	answer("set banks:%s", all_banks.text);
}

static void set_limit(CUlimit limit)
{
	static const size_t values[] = { 0, 1, 15, 16, 17, 512, 1000, 1024, 1025, 65536, 65537,
					 262144, 262145, 524288, 524289, 1 << 20, (1 << 20) + 1,
					 4 << 20, (4 << 20) + 1, 8 << 20, 16 << 20, 64 << 20 };
	struct words words = { .length = 0 };
	size_t before = 77, value;
	CUresult get = cu.cuCtxGetLimit(&before, limit);

	answer("limit %d: %d, %zu", (int)limit, get, before);
	for (size_t i = 0; i < COUNT(values); i++) {
		CUresult set = cu.cuCtxSetLimit(limit, values[i]);

		value = 77;
		get = cu.cuCtxGetLimit(&value, limit);
		say(&words, " %zu:%d,%d,%zu", values[i], set, get, value);
	}
	answer("set limit %d:%s", (int)limit, words.text);
	cu.cuCtxSetLimit(limit, before);
}

static void set_limits(void)
{
	for (int i = -1; i < 14; i++)
		set_limit((CUlimit)i);
}

/* All of the lower flags, and some with others. */
static unsigned next_flags(unsigned flags)
{
	return flags < 34 ? flags + 1 : flags + 23;
}

static void create_contexts(void)
{
	struct words words = { .length = 0 };

	for (unsigned flags = 0; flags < 140; flags = next_flags(flags)) {
		unsigned got = 77;
		CUcontext made = NULL;
		CUresult set = cu.cuCtxCreate_v2(&made, flags, 0);

		if (made) {
			cu.cuCtxGetFlags(&got);
			OK_CU(cu.cuCtxDestroy(made));
		}
		say(&words, " %u:%d,%u", flags, set, got);
	}
	answer("contexts of flags:%s", words.text);
}

static void set_flags(void)
{
	struct words words = { .length = 0 }, primary = { .length = 0 };
	unsigned got = 77, stated = 77;
	CUresult set, get;
	CUcontext made;
	int active = 0;

	get = cu.cuCtxGetFlags(&got);
	answer("flags of the primary context: %d, %u", get, got);
	get = cu.cuDevicePrimaryCtxGetState(0, &stated, &active);
	answer("state of the primary context: %d, %u, %d", get, stated, active);
	if (!OK_CU(cu.cuCtxCreate_v2(&made, 0, 0)))
		return;
	for (unsigned flags = 0; flags < 140; flags = next_flags(flags)) {
		set = cu.cuCtxSetFlags ? cu.cuCtxSetFlags(flags) : CUDA_SUCCESS;
		get = cu.cuCtxGetFlags(&got);
		say(&words, " %u:%d,%d,%u", flags, set, get, got);
	}
	answer("set flags:%s", words.text);
	OK_CU(cu.cuCtxDestroy(made));
	for (unsigned flags = 0; flags < 140; flags = next_flags(flags)) {
		set = cu.cuDevicePrimaryCtxSetFlags(0, flags);
		get = cu.cuDevicePrimaryCtxGetState(0, &stated, &active);
		cu.cuCtxGetFlags(&got);
		say(&primary, " %u:%d,%d,%u,%u", flags, set, get, stated, got);
	}
	answer("set flags of the primary context:%s", primary.text);
	cu.cuDevicePrimaryCtxSetFlags(0, 0);
}

static void set_in_context(void)
{
	CUstreamCaptureMode mode;
	CUexecAffinityParam affinity;
	unsigned version = 0;
	int least = 77, greatest = 77;
	CUcontext here = NULL;
	CUresult result;

	result = cu.cuCtxGetStreamPriorityRange(&least, &greatest);
	answer("priorities: %d, %d to %d", result, least, greatest);
	OK_CU(cu.cuCtxGetCurrent(&here));
	result = cu.cuCtxGetApiVersion(here, &version);
	answer("version of the primary context: %d, %u", result, version);
	if (!OK_CU(cu.cuCtxCreate_v2(&here, 0, 0)))
		return;
	result = cu.cuCtxGetApiVersion(here, &version);
	answer("version of a context: %d, %u", result, version);
	OK_CU(cu.cuCtxDestroy(here));
	for (int i = 0; i < 2; i++) {
		affinity = (CUexecAffinityParam){ (CUexecAffinityType)77, 77 };
		result = cu.cuCtxGetExecAffinity(&affinity, (CUexecAffinityType)i);
		answer("share of type %d: %d, type %d", i, result, affinity.type);
	}
	for (int i = -1; i < 5; i++) {
		mode = (CUstreamCaptureMode)i;
		result = cu.cuThreadExchangeStreamCaptureMode(&mode);
		answer("exchange of capture mode %d: %d, was %d", i, result, mode);
	}
	mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
	cu.cuThreadExchangeStreamCaptureMode(&mode);
	answer("persisting lines are reset: %d", cu.cuCtxResetPersistingL2Cache());
}

/* ---- Streams and events --------------------------------------------------------------- */

static void create_streams(void)
{
	for (unsigned flags = 0; flags < 4; flags++) {
		struct words words = { .length = 0 };

		for (int priority = -7; priority < 3; priority++) {
			CUstream stream = NULL;
			unsigned got = 77;
			int is = 77;
			CUresult result =
				cu.cuStreamCreateWithPriority(&stream, flags, priority);

			if (!result) {
				cu.cuStreamGetFlags(stream, &got);
				cu.cuStreamGetPriority(stream, &is);
				cu.cuStreamDestroy(stream);
			}
			say(&words, " %d:%d,%u,%d", priority, result, got, is);
		}
		answer("streams of flags %u, by priority:%s", flags, words.text);
	}
}

static void create_events(void)
{
	struct words words = { .length = 0 };

	for (unsigned flags = 0; flags < 18; flags++) {
		CUevent event = NULL;

		say(&words, " %u:%d", flags, cu.cuEventCreate(&event, flags));
		if (event)
			cu.cuEventDestroy(event);
	}
	answer("events of flags:%s", words.text);
}

static int word_of(const CUstreamAttrValue *value, int index)
{
	int word;

	memcpy(&word, value->pad + 4 * index, sizeof(word));
	return word;
}

static void ask_stream(CUstream stream, const char *name)
{
	unsigned flags = 77;
	int priority = 77;
	CUresult result = cu.cuStreamGetFlags(stream, &flags);

	answer("flags of %s: %d, %u", name, result, flags);
	result = cu.cuStreamGetPriority(stream, &priority);
	answer("priority of %s: %d, %d", name, result, priority);
	for (int i = -1; i < 20; i++) {
		CUstreamAttrValue value;

		memset(&value, 0x55, sizeof(value));
		result = cu.cuStreamGetAttribute(stream, (CUstreamAttrID)i, &value);
		answer("attribute %d of %s: %d, %#x %#x", i, name, result, word_of(&value, 0),
		       word_of(&value, 1));
	}
}

/* The window's numbers are of its address: none is there to set. */
static void set_stream(CUstream stream, const char *name)
{
	for (int i = -1; i < 20; i++) {
		struct words words = { .length = 0 };

		for (int number = -6; number < 6; number++) {
			CUstreamAttrValue value = { .pad = { 0 } };
			CUresult set, get;

			memcpy(value.pad, &number,
			       i == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW ? 0 : sizeof(number));
			set = cu.cuStreamSetAttribute(stream, (CUstreamAttrID)i, &value);
			memset(&value, 0x55, sizeof(value));
			get = cu.cuStreamGetAttribute(stream, (CUstreamAttrID)i, &value);
			say(&words, " %d:%d,%d,%#x", number, set, get, word_of(&value, 0));
		}
		answer("set attribute %d of %s:%s", i, name, words.text);
	}
}

static void set_streams(void)
{
	CUstreamAttrValue value = { .pad = { 0 } };
	CUstream stream = NULL, other = NULL;

	create_streams();
	create_events();
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	ask_stream(stream, "a stream");
	ask_stream(NULL, "the NULL stream");
	ask_stream(CU_STREAM_LEGACY, "the legacy stream");
	ask_stream(CU_STREAM_PER_THREAD, "the thread's stream");
	set_stream(stream, "a stream");
	set_stream(NULL, "the NULL stream");
	value.syncPolicy = 3;
	cu.cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value);
	answer("attributes are copied: %d", cu.cuStreamCopyAttributes(other, stream));
	ask_stream(other, "a stream with copied attributes");
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuStreamDestroy(other));
}

/* ---- Pools ------------------------------------------------------------------------------- */

static void ask_pool(CUmemoryPool pool, const char *name)
{
	for (int i = -1; i < 14; i++) {
		uint64_t value = 77;
		CUresult result =
			cu.cuMemPoolGetAttribute(pool, (CUmemPool_attribute)i, &value);

		answer("attribute %d of %s: %d, %" PRIu64, i, name, result, value);
	}
}

static void set_pool(CUmemoryPool pool, const char *name)
{
	static const uint64_t values[] = { 0, 1, 2, 77, 1 << 20, UINT64_MAX };

	for (int i = -1; i < 14; i++) {
		struct words words = { .length = 0 };

		for (size_t j = 0; j < COUNT(values); j++) {
			uint64_t value = values[j];
			CUresult set = cu.cuMemPoolSetAttribute(pool, (CUmemPool_attribute)i, &value);
			CUresult get;

			value = 77;
			get = cu.cuMemPoolGetAttribute(pool, (CUmemPool_attribute)i, &value);
			say(&words, " %" PRIu64 ":%d,%d,%" PRIu64, values[j], set, get, value);
		}
		answer("set attribute %d of %s:%s", i, name, words.text);
	}
}

/* The numbers of one, in use and after. */
static void use_pool(CUmemoryPool pool, const char *name)
{
	CUdeviceptr first = 0, second = 0;

	OK_CU(cu.cuMemAllocFromPoolAsync(&first, 1000, pool, NULL));
	OK_CU(cu.cuMemAllocFromPoolAsync(&second, 100000, pool, NULL));
	OK_CU(cu.cuCtxSynchronize());
	ask_pool(pool, name);
	OK_CU(cu.cuMemFreeAsync(first, NULL));
	OK_CU(cu.cuCtxSynchronize());
	ask_pool(pool, "it after one is freed");
	OK_CU(cu.cuMemFreeAsync(second, NULL));
	OK_CU(cu.cuCtxSynchronize());
	ask_pool(pool, "it after both are freed");
}

static void set_pools(void)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				 .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUmemAccess_flags access = (CUmemAccess_flags)77;
	CUmemoryPool standard = NULL, pool = NULL, now = NULL;

	OK_CU(cu.cuDeviceGetDefaultMemPool(&standard, 0));
	OK_CU(cu.cuMemPoolCreate(&pool, &props));
	ask_pool(standard, "the default pool");
	ask_pool(pool, "a pool");
	use_pool(pool, "a pool in use");
	set_pool(standard, "the default pool");
	set_pool(pool, "a pool");
	for (int i = 0; i < 5; i++) {
		CUmemAccessDesc desc = { here, (CUmemAccess_flags)i };
		CUresult set = cu.cuMemPoolSetAccess(pool, &desc, 1), get;

		get = cu.cuMemPoolGetAccess(&access, pool, &here);
		answer("set access to the pool to %d: %d, reads %d %d", i, set, get, access);
	}
	answer("set the device's pool: %d", cu.cuDeviceSetMemPool(0, pool));
	OK_CU(cu.cuDeviceGetMemPool(&now, 0));
	answer("the device's pool is it: %d", now == pool);
	OK_CU(cu.cuMemPoolDestroy(pool));
	OK_CU(cu.cuDeviceGetMemPool(&now, 0));
	answer("the device's pool afterwards is the default: %d", now == standard);
	answer("the default pool is destroyed: %d", cu.cuMemPoolDestroy(standard));
}

static void ask_context(void)
{
	set_in_context();
	create_contexts();
	set_cache();
	set_limits();
	set_flags();
	set_streams();
	set_pools();
}

#endif
