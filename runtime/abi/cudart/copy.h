/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies and fills. @stream is the one that a call names, or the default stream of a call
 * that names none and waits. Arrays are not supported: cudaErrorNotSupported.
 */
#ifndef CUDART_COPY_H
#define CUDART_COPY_H

#include "cudart.h"

enum copy_way {
	COPY_WAITS,    /* the call returns when it is done, as far as its reference says so */
	COPY_ENQUEUES, /* in the stream */
};

/* No bytes are success. A kind that there is not: cudaErrorInvalidMemcpyDirection. */
cudaError_t copy_linear(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
			enum copy_way way, CUstream stream);

/* Rows that are wider than a pitch: cudaErrorInvalidPitchValue; a single row of two dimensions:
 * cudaErrorInvalidValue. */
cudaError_t copy_2d(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
		    size_t width, size_t height, enum cudaMemcpyKind kind, enum copy_way way,
		    CUstream stream);
cudaError_t copy_3d(const struct cudaMemcpy3DParms *copy, enum copy_way way, CUstream stream);
cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *copy, enum copy_way way,
			 CUstream stream);

cudaError_t copy_batch(void *const *dsts, const void *const *srcs, const size_t *sizes,
		       size_t count, CUmemcpyAttributes *attributes, size_t *firsts,
		       size_t number, CUstream stream);

cudaError_t copy_peer(void *dst, int dst_device, const void *src, int src_device, size_t count);
cudaError_t copy_peer_async(void *dst, int dst_device, const void *src, int src_device,
			    size_t count, CUstream stream);

/* A variable of the program: cudaErrorInvalidSymbol where @symbol is none, and
 * cudaErrorInvalidValue for bytes after its end. */
cudaError_t copy_from_symbol(void *dst, const void *symbol, size_t count, size_t offset,
			     enum cudaMemcpyKind kind, enum copy_way way, CUstream stream);
cudaError_t copy_to_symbol(const void *symbol, const void *src, size_t count, size_t offset,
			   enum cudaMemcpyKind kind, enum copy_way way, CUstream stream);

cudaError_t fill_linear(void *address, int value, size_t count, enum copy_way way,
			CUstream stream);
cudaError_t fill_2d(void *address, size_t pitch, int value, size_t width, size_t height,
		    enum copy_way way, CUstream stream);
cudaError_t fill_3d(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
		    enum copy_way way, CUstream stream);

#endif
