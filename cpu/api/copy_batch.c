/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Many copies by one call. All are checked before the first is submitted; they are
 * then executed one by one, which is one of the orders that they may have.
 */
#include <stdint.h>

#include "batch.h"
#include "cleanup.h"
#include "copy.h"
#include "entry.h"
#include "exports.h"
#include "task.h"

/* No copy has caused the failure. */
#define NO_COPY SIZE_MAX

static bool is_way(CUmemcpySrcAccessOrder order, unsigned flags)
{
	return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM &&
	       order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY &&
	       flags <= CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
}

/* A source that is to be read before the call returns is treated as pageable memory always is. */
static CUresult submit(const struct task_copy *what, enum place to, enum place from,
		       CUmemcpySrcAccessOrder order, CUstream stream)
{
	if (order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL && from == PLACE_DEVICE)
		from = PLACE_PAGEABLE;
	return copy_submit(what, to, from, stream, false);
}

/* ---- Rows of bytes ---------------------------------------------------------- */

static CUresult check_rows(const CUdeviceptr *dst, const CUdeviceptr *src, const size_t *sizes,
			   size_t count, size_t *failed)
{
	for (size_t i = 0; i < count; i++) {
		*failed = i;
		if (sizes[i] && (place_of(dst[i], sizes[i]) == PLACE_INVALID ||
				 place_of(src[i], sizes[i]) == PLACE_INVALID))
			return CUDA_ERROR_INVALID_VALUE;
	}
	*failed = NO_COPY;
	return CUDA_SUCCESS;
}

static CUresult copy_rows(const CUdeviceptr *dst, const CUdeviceptr *src, const size_t *sizes,
			  size_t count, const CUmemcpyAttributes *attributes,
			  const size_t *firsts, size_t number, size_t *failed, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter_from(NEED_ACTIVE, "cuMemcpyBatchAsync");
	size_t group = 0;

	TRY(call.result);
	*failed = NO_COPY;
	if (!dst || !src || !sizes || !attributes || !batch_divides(firsts, number, count))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < number; i++)
		if (!is_way(attributes[i].srcAccessOrder, attributes[i].flags))
			return CUDA_ERROR_INVALID_VALUE;
	TRY(batch_stream(stream));
	TRY(check_rows(dst, src, sizes, count, failed));
	for (size_t i = 0; i < count; i++) {
		const struct task_copy what = {
			.dst = dst[i], .src = src[i],
			.size = sizes[i], .rows = 1, .slices = 1,
		};

		group = batch_group(firsts, number, group, i);
		*failed = i;
		TRY(submit(&what, place_of(dst[i], sizes[i]), place_of(src[i], sizes[i]),
			   attributes[group].srcAccessOrder, stream));
	}
	*failed = NO_COPY;
	return CUDA_SUCCESS;
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *dst, CUdeviceptr *src, size_t *sizes, size_t count,
			    CUmemcpyAttributes *attributes, size_t *firsts, size_t number,
			    CUstream stream)
{
	size_t failed;

	return copy_rows(dst, src, sizes, count, attributes, firsts, number, &failed, stream);
}

CUresult cuMemcpyBatchAsync_v1(CUdeviceptr *dst, CUdeviceptr *src, size_t *sizes, size_t count,
			       CUmemcpyAttributes *attributes, size_t *firsts, size_t number,
			       size_t *failed, CUstream stream)
{
	size_t unwanted;

	return copy_rows(dst, src, sizes, count, attributes, firsts, number,
			 failed ? failed : &unwanted, stream);
}

/* ---- Boxes ------------------------------------------------------------------ */

static bool is_box(const CUDA_MEMCPY3D_BATCH_OP *op)
{
	return op->extent.width && op->extent.height && op->extent.depth &&
	       op->src.type == CU_MEMCPY_OPERAND_TYPE_POINTER &&
	       op->dst.type == CU_MEMCPY_OPERAND_TYPE_POINTER &&
	       is_way(op->srcAccessOrder, op->flags);
}

/* A size of 0 of an operand is that of the copy. */
static CUresult read_box(const CUDA_MEMCPY3D_BATCH_OP *op, struct task_copy *what, enum place *to,
			 enum place *from)
{
	const CUDA_MEMCPY3D copy = {
		.srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = op->src.op.ptr.ptr,
		.srcPitch = op->src.op.ptr.rowLength ? op->src.op.ptr.rowLength : op->extent.width,
		.srcHeight = op->src.op.ptr.layerHeight ? op->src.op.ptr.layerHeight :
							  op->extent.height,
		.dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = op->dst.op.ptr.ptr,
		.dstPitch = op->dst.op.ptr.rowLength ? op->dst.op.ptr.rowLength : op->extent.width,
		.dstHeight = op->dst.op.ptr.layerHeight ? op->dst.op.ptr.layerHeight :
							  op->extent.height,
		.WidthInBytes = op->extent.width,
		.Height = op->extent.height,
		.Depth = op->extent.depth,
	};

	return is_box(op) ? copy_of_box(&copy, what, to, from) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult copy_boxes(size_t count, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t *failed,
			   unsigned long long flags, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter_from(NEED_ACTIVE, "cuMemcpy3DBatchAsync");
	enum place to, from;
	struct task_copy what;

	TRY(call.result);
	*failed = NO_COPY;
	if (!count || !ops || flags)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(batch_stream(stream));
	for (*failed = 0; *failed < count; ++*failed)
		TRY(read_box(&ops[*failed], &what, &to, &from));
	for (*failed = 0; *failed < count; ++*failed) {
		TRY(read_box(&ops[*failed], &what, &to, &from));
		TRY(submit(&what, to, from, ops[*failed].srcAccessOrder, stream));
	}
	*failed = NO_COPY;
	return CUDA_SUCCESS;
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *ops, unsigned long long flags,
			      CUstream stream)
{
	size_t failed;

	return copy_boxes(count, ops, &failed, flags, stream);
}

CUresult cuMemcpy3DBatchAsync_v1(size_t count, CUDA_MEMCPY3D_BATCH_OP *ops, size_t *failed,
				 unsigned long long flags, CUstream stream)
{
	size_t unwanted;

	return copy_boxes(count, ops, failed ? failed : &unwanted, flags, stream);
}
