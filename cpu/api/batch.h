/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by calls that submit many operations. The caller holds the driver's lock. */
#ifndef CPU_BATCH_H
#define CPU_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda_abi.h"
#include "stream.h"

/* Finds the stream behind @handle as stream_find(); the NULL stream accepts no batches: 1. */
static inline CUresult batch_stream(CUstream handle)
{
	struct stream *stream;
	CUresult result = stream_find(handle, &stream);

	if (!result && stream_is_null(stream))
		result = CUDA_ERROR_INVALID_VALUE;
	return result;
}

/*
 * Tells whether the @number entries at @firsts divide @count operations: each is the first
 * operation of a group, which ends before the next group's first, or at the end.
 */
static inline bool batch_divides(const size_t *firsts, size_t number, size_t count)
{
	if (!firsts || !number || number > count || firsts[0])
		return false;
	for (size_t i = 1; i < number; i++)
		if (firsts[i] <= firsts[i - 1] || firsts[i] >= count)
			return false;
	return true;
}

/* The group of operation @at, when the preceding one was of @group (for the first: 0). */
static inline size_t batch_group(const size_t *firsts, size_t number, size_t group, size_t at)
{
	return group + 1 < number && firsts[group + 1] <= at ? group + 1 : group;
}

#endif
