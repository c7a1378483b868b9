/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions that MLIR's GPU lowering calls: the binary interface of
 * libmlir_cuda_runtime, of LLVM 17 to 23. Pointers named module, function,
 * stream and event are the driver's own (CUmodule, CUfunction, CUstream,
 * CUevent); NULL as a stream is the driver's default stream.
 *
 * Code of older compilers passes fewer arguments, so the value of a missing one is
 * garbage: image_size, ptx_size and count are never read, nor the upper bits of
 * narrow integers.
 *
 * None of them can return a status: a failure is one line on stderr and changes
 * the exit status of the process (mgpu_error.c). What creates something then
 * returns NULL. All of them may be called from any thread, from constructors,
 * from destructors and from exit handlers; a release after the driver's end is
 * a success, everything else there is a failure.
 */
#ifndef MGPU_ABI_H
#define MGPU_ABI_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* ---- Modules --------------------------------------------------------------- */

/* Loads a cubin, a fatbin or PTX text for the current default device. */
void *mgpuModuleLoad(const void *image, size_t image_size);

/* Loads PTX text, which ends at its NUL, for the current default device. @level is the
 * optimisation of the driver's compiler, 0 to 4. */
void *mgpuModuleLoadJIT(const void *ptx, int level, size_t ptx_size);

void mgpuModuleUnload(void *module);

/* Looks a kernel up, in @module as it is on the current default device. */
void *mgpuModuleGetFunction(void *module, const char *name);

/* ---- Launch: never waits ------------------------------------------------------ */

void mgpuLaunchKernel(void *function, intptr_t grid_x, intptr_t grid_y, intptr_t grid_z,
		      intptr_t block_x, intptr_t block_y, intptr_t block_z, int32_t shared,
		      void *stream, void **params, void **extra, size_t count);

/* The cluster's parameters precede the grid's. */
void mgpuLaunchClusterKernel(void *function, intptr_t cluster_x, intptr_t cluster_y,
			     intptr_t cluster_z, intptr_t grid_x, intptr_t grid_y,
			     intptr_t grid_z, intptr_t block_x, intptr_t block_y,
			     intptr_t block_z, int32_t shared, void *stream, void **params,
			     void **extra, size_t count);

/* Cooperative. The cluster's parameters follow the grid's; less than 1 on an axis: none. */
void mgpuLaunchKernelCooperative(void *function, intptr_t grid_x, intptr_t grid_y,
				 intptr_t grid_z, intptr_t cluster_x, intptr_t cluster_y,
				 intptr_t cluster_z, intptr_t block_x, intptr_t block_y,
				 intptr_t block_z, int32_t shared, void *stream,
				 void **params, void **extra);

/* ---- Streams and events ------------------------------------------------------- */

void *mgpuStreamCreate(void);
void mgpuStreamDestroy(void *stream);
void mgpuStreamSynchronize(void *stream);
void *mgpuEventCreate(void);
void mgpuEventRecord(void *event, void *stream);

/* These accept a stream as an event: see mgpu_repair.c. */
void mgpuStreamWaitEvent(void *stream, void *event);
void mgpuEventSynchronize(void *event);
void mgpuEventDestroy(void *event);

/* ---- Memory -------------------------------------------------------------------- */

/* Allocates device memory, usable immediately; managed memory when @host_shared is 1. */
void *mgpuMemAlloc(uint64_t size, void *stream, unsigned host_shared);

/* Frees; work that was enqueued before and uses the memory stays safe. */
void mgpuMemFree(void *pointer, void *stream);

void mgpuMemcpy(void *destination, void *source, size_t size, void *stream);

/* @count counts elements. */
void mgpuMemset32(void *pointer, unsigned value, size_t count, void *stream);
void mgpuMemset16(void *pointer, unsigned value, size_t count, void *stream);

/* Pins host memory. Repeated calls for the same range are counted. */
void mgpuMemHostRegister(void *pointer, uint64_t size);
void mgpuMemHostUnregister(void *pointer);
void mgpuMemHostRegisterMemRef(int64_t rank, const void *descriptor, int64_t element_size);
void mgpuMemHostUnregisterMemRef(int64_t rank, const void *descriptor,
				 int64_t element_size);

/* ---- Devices --------------------------------------------------------------------- */

/* Chooses the device of the calling thread, and of threads that never choose. */
void mgpuSetDefaultDevice(int32_t ordinal);

/* ---- Tensor maps ------------------------------------------------------------------ */

/* The driver's cuTensorMapEncodeTiled. */
void mgpuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
			      const uint64_t *dims, const uint64_t *strides,
			      const uint32_t *box, const uint32_t *element_strides,
			      int interleave, int swizzle, int promotion, int fill);

/* Describes a memref and returns the map's address in device memory. The map
 * is freed with the memory that it describes, or at the end. */
void *mgpuTensorMapEncodeTiledMemref(int64_t rank, const void *descriptor, int64_t type,
				     int64_t interleave, int64_t swizzle,
				     int64_t promotion, int64_t fill,
				     const int64_t *box);

/* ---- cuSPARSE and cuSPARSELt: not implemented --------------------------------------- */

#define MGPU_SPARSE(result, name, params) result name params;
#include "mgpu_sparse.def"

#pragma GCC visibility pop

#endif
