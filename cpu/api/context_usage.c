/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Usage counts of contexts, as before CUDA 4; and queries of what contexts do not have here. */
#include "cleanup.h"
#include "config.h"
#include "context.h"
#include "entry.h"
#include "exports.h"

CUresult cuCtxAttach(CUcontext *ctx, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (!ctx || flags)
		return CUDA_ERROR_INVALID_VALUE;
	context_here()->retained++;
	*ctx = context_handle();
	return CUDA_SUCCESS;
}

/* Ends one use of the current context, which has to be @ctx; *@last: it was the last one. */
static CUresult detach(CUcontext ctx, bool *last, bool *primary)
{
	CLEANUP(leave) struct api_call call = enter_from(NEED_INIT, "cuCtxDetach");
	struct context *here;

	TRY(call.result);
	here = context_here();
	if (!context_is_current() || here->handle != ctx || !here->retained)
		return CUDA_ERROR_INVALID_CONTEXT;
	*primary = !context_owner(here);
	*last = here->retained == 1;
	if (!*last)
		here->retained--;
	return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext ctx)
{
	bool last, primary;

	TRY(detach(ctx, &last, &primary));
	if (!last)
		return CUDA_SUCCESS;
	return primary ? cuDevicePrimaryCtxRelease(0) : cuCtxDestroy(ctx);
}

/* No context has less than the whole device. */
CUresult cuCtxGetExecAffinity(CUexecAffinityParam *param, CUexecAffinityType type)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (!param)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
		return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	*param = (CUexecAffinityParam){ type, config.threads };
	return CUDA_SUCCESS;
}

/* No other device writes to the memory. */
CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
				    CUflushGPUDirectRDMAWritesScope scope)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX ||
	    (scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER &&
	     scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
