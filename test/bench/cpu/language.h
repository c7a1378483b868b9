/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What CUDA C and OpenCL C say in different words: kernels.cu is written in these
 * macros and is both. LANE_XOR gives the value of the thread whose number in its row of 32
 * differs in the bits of @mask; OpenCL C exchanges it by memory, which EXCHANGE declares in
 * a kernel of 4 such rows.
 */
#ifdef __OPENCL_VERSION__
#define KERNEL kernel void
#define GLOBAL global
#define SHARED local
#define TX ((int)get_local_id(0))
#define TY ((int)get_local_id(1))
#define BX ((int)get_group_id(0))
#define BY ((int)get_group_id(1))
#define NX ((int)get_local_size(0))
#define NY ((int)get_local_size(1))
#define GX ((int)get_num_groups(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define FLOAT4(x, y, z, w) ((float4)(x, y, z, w))
#define FMA fma
#define MAXIMUM fmax
#define EXP native_exp
#define LOG native_log
#define ROOT sqrt
#define INVERSE_ROOT native_rsqrt
#define COUNT(counter, more) atomic_add(counter, more)
#define ROLLED
#define EXCHANGE local float exchange[128]
#define LANE_XOR(value, mask) lane_xor(value, mask, exchange)

static inline float lane_xor(float value, int mask, local float *exchange)
{
	int t = get_local_id(1) * 32 + get_local_id(0);

	exchange[t] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	value = exchange[t ^ mask];
	barrier(CLK_LOCAL_MEM_FENCE);
	return value;
}
#else
#include <cuda_fp16.h>
#include <mma.h>
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define SHARED __shared__
#define restrict __restrict__
#define TX ((int)threadIdx.x)
#define TY ((int)threadIdx.y)
#define BX ((int)blockIdx.x)
#define BY ((int)blockIdx.y)
#define NX ((int)blockDim.x)
#define NY ((int)blockDim.y)
#define GX ((int)gridDim.x)
#define BARRIER __syncthreads()
#define FLOAT4 make_float4
#define FMA fmaf
#define MAXIMUM fmaxf
#define EXP __expf
#define LOG __logf
#define ROOT sqrtf
#define INVERSE_ROOT rsqrtf
#define COUNT(counter, more) atomicAdd(counter, more)
#define ROLLED _Pragma("unroll 1")
#define EXCHANGE
#define LANE_XOR(value, mask) __shfl_xor_sync(0xffffffffu, value, mask)
typedef unsigned uint;
#endif
