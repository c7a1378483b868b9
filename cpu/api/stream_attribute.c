/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attributes of streams. All are hints, which are stored and read back. */
#include <string.h>

#include "cleanup.h"
#include "config.h"
#include "entry.h"
#include "exports.h"
#include "stream.h"

enum { DOMAINS = 2 }; /* of memory synchronisation that a stream may name: default and remote */

/* Finds the stream of a query; @out, for its result, must not be NULL. */
static CUresult find_for_query(CUstream handle, const void *out, struct stream **found)
{
	return out ? stream_find(handle, found) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(find_for_query(stream, priority, &found));
	*priority = stream_hints(found)->priority;
	return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(find_for_query(stream, dev, &found));
	*dev = 0;
	return CUDA_SUCCESS;
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attrib, CUstreamAttrValue *value)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	const struct stream_hints *hints;
	struct stream *found;

	TRY(call.result);
	TRY(find_for_query(stream, value, &found));
	hints = stream_hints(found);
	switch (attrib) {
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		value->syncPolicy = hints->sync_policy;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		value->priority = hints->priority;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		memcpy(&value->memSyncDomainMap, hints->domains, sizeof(hints->domains));
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		value->memSyncDomain = hints->domain;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		*value = (CUstreamAttrValue){ .pad = { 0 } };
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult set_domains(struct stream_hints *hints, const CUstreamAttrValue *value)
{
	const unsigned count = config.cc >= 90 ? 4 : 1; /* as the device's attribute says */

	if (value->memSyncDomainMap.default_ >= count || value->memSyncDomainMap.remote >= count)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(hints->domains, &value->memSyncDomainMap, sizeof(hints->domains));
	return CUDA_SUCCESS;
}

/* The window of an access policy is not stored: there is no cache that it could be about. */
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attrib,
			      const CUstreamAttrValue *value)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream_hints *hints;
	struct stream *found;

	TRY(call.result);
	TRY(find_for_query(stream, value, &found));
	hints = stream_hints(found);
	switch (attrib) {
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		if (value->syncPolicy < 1 || value->syncPolicy > 4)
			return CUDA_ERROR_INVALID_VALUE;
		hints->sync_policy = value->syncPolicy;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		hints->priority = stream_priority(value->priority);
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		return set_domains(hints, value);
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		if (value->memSyncDomain < 0 || value->memSyncDomain >= DOMAINS)
			return CUDA_ERROR_INVALID_VALUE;
		hints->domain = value->memSyncDomain;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

/* All but the priority. */
CUresult cuStreamCopyAttributes(CUstream dst, CUstream src)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *to, *from;
	int priority;

	TRY(call.result);
	TRY(stream_find(dst, &to));
	TRY(stream_find(src, &from));
	priority = stream_hints(to)->priority;
	*stream_hints(to) = *stream_hints(from);
	stream_hints(to)->priority = priority;
	return CUDA_SUCCESS;
}
