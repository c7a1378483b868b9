/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls by which streams write words and wait for words. */
#include "cleanup.h"
#include "copy.h"
#include "entry.h"
#include "exports.h"
#include "stream.h"
#include "task.h"

/* The caller holds the lock. */
static CUresult submit(enum task_kind kind, struct task_value value, CUstream handle)
{
	CLEANUP(put_task) struct task *task = NULL;
	struct stream *stream;

	TRY(stream_find(handle, &stream));
	if (!value.address || value.address % value.width ||
	    place_of(value.address, value.width) != PLACE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	task = task_new(kind);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	task->value = value;
	return stream_submit(stream, task);
}

static bool wait_flags_are_valid(unsigned flags)
{
	return (flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH) <= CU_STREAM_WAIT_VALUE_NOR;
}

static CUresult wait_value(CUstream stream, struct task_value value)
{
	if (!wait_flags_are_valid(value.flags))
		return CUDA_ERROR_INVALID_VALUE;
	return submit(TASK_WAIT, value, stream);
}

static CUresult write_value(CUstream stream, struct task_value value)
{
	if (value.flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
		return CUDA_ERROR_INVALID_VALUE;
	return submit(TASK_WRITE, value, stream);
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return wait_value(stream, (struct task_value){ address, value, 4, flags });
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return wait_value(stream, (struct task_value){ address, value, 8, flags });
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, uint32_t value,
			      unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return write_value(stream, (struct task_value){ address, value, 4, flags });
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, uint64_t value,
			      unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return write_value(stream, (struct task_value){ address, value, 8, flags });
}

static CUresult one_of_batch(CUstream stream, const CUstreamBatchMemOpParams *task)
{
	const uint32_t low = task->waitValue.value;
	const uint64_t whole = task->waitValue.value64;
	const CUdeviceptr address = task->waitValue.address;
	const unsigned flags = task->waitValue.flags;

	switch (task->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
		return wait_value(stream, (struct task_value){ address, low, 4, flags });
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		return wait_value(stream, (struct task_value){ address, whole, 8, flags });
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		return write_value(stream, (struct task_value){ address, low, 4, flags });
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		return write_value(stream, (struct task_value){ address, whole, 8, flags });
	case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
	case CU_STREAM_MEM_OP_BARRIER:
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams *ops,
			    unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	if (flags || !count || count > 256 || !ops)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < count; i++)
		TRY(one_of_batch(stream, &ops[i]));
	return CUDA_SUCCESS;
}
