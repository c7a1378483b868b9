/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The limits that the CPU device reports, and enforces at launches. */
#ifndef CPU_DEVICE_LIMITS_H
#define CPU_DEVICE_LIMITS_H

#define DEVICE_MAX_THREADS 1024 /* of a block */
/* Of a block and of a multiprocessor: compute capability 5.0 to 12.x. */
#define DEVICE_REGISTERS 65536
#define DEVICE_LEAST_REGISTERS 24 /* of a thread: ptxas raises lower limits to it */
#define DEVICE_MAX_BLOCK_X 1024
#define DEVICE_MAX_BLOCK_Y 1024
#define DEVICE_MAX_BLOCK_Z 64
#define DEVICE_MAX_GRID_X  2147483647
#define DEVICE_MAX_GRID_YZ 65535
#define DEVICE_SHARED      (48 << 10) /* of a block that has not opted into more */
#define DEVICE_CLUSTER     8          /* blocks; 16 for functions that allow it */
#define DEVICE_SM_THREADS  2048       /* at once on one multiprocessor */
#define DEVICE_SM_BLOCKS   32
#define DEVICE_SM_SHARED   1024       /* bytes that it has beyond those of one block */
#define DEVICE_RESIDENT    1024       /* blocks that one worker may have begun and not finished */

/* A one-dimensional texture in linear memory: bytes, and elements. */
#define DEVICE_TEXTURE_LINEAR (UINT64_C(1) << 32)
#define DEVICE_TEXTURE_WIDTH  (1 << 30)

#define DEVICE_LAUNCH_ATTRIBUTES 20
#define DEVICE_ATTRIBUTES  148        /* attributes up to CUDA 13.0 */

#endif
