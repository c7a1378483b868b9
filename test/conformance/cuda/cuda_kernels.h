/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The kernels that the driver's conformance programs launch, as PTX that any
 * driver since CUDA 11 reads, and what it takes to launch them.
 */
#ifndef CONFORMANCE_CUDA_KERNELS_H
#define CONFORMANCE_CUDA_KERNELS_H

#include <stdatomic.h>
#include <time.h>

#include "cuda.h"

#define PTX_HEAD ".version 7.0\n.target sm_52\n.address_size 64\n"

/* vadd(a, b, c, n): c[i] = a[i] + b[i] in float. */
#define PTX_VADD                                                                           \
	".visible .entry vadd(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n" \
	"{\n"                                                                              \
	"	.reg .pred %p<2>;\n"                                                       \
	"	.reg .b32 %r<6>;\n"                                                        \
	"	.reg .f32 %f<4>;\n"                                                        \
	"	.reg .b64 %rd<8>;\n"                                                       \
	"	ld.param.u64 %rd1, [a];\n"                                                 \
	"	ld.param.u64 %rd2, [b];\n"                                                 \
	"	ld.param.u64 %rd3, [c];\n"                                                 \
	"	ld.param.u32 %r1, [n];\n"                                                  \
	"	mov.u32 %r2, %ctaid.x;\n"                                                  \
	"	mov.u32 %r3, %ntid.x;\n"                                                   \
	"	mov.u32 %r4, %tid.x;\n"                                                    \
	"	mad.lo.s32 %r5, %r2, %r3, %r4;\n"                                          \
	"	setp.ge.u32 %p1, %r5, %r1;\n"                                              \
	"	@%p1 bra $done;\n"                                                         \
	"	mul.wide.u32 %rd4, %r5, 4;\n"                                              \
	"	add.s64 %rd5, %rd1, %rd4;\n"                                               \
	"	add.s64 %rd6, %rd2, %rd4;\n"                                               \
	"	add.s64 %rd7, %rd3, %rd4;\n"                                               \
	"	ld.global.f32 %f1, [%rd5];\n"                                              \
	"	ld.global.f32 %f2, [%rd6];\n"                                              \
	"	add.f32 %f3, %f1, %f2;\n"                                                  \
	"	st.global.f32 [%rd7], %f3;\n"                                              \
	"$done:\n"                                                                         \
	"	ret;\n"                                                                    \
	"}\n"

/* step(p, k): *p = *p * 31 + k; tells in which order launches ran. */
#define PTX_STEP                                                                           \
	".visible .entry step(.param .u64 p, .param .u32 k)\n"                             \
	"{\n"                                                                              \
	"	.reg .b32 %r<4>;\n"                                                        \
	"	.reg .b64 %rd<2>;\n"                                                       \
	"	ld.param.u64 %rd1, [p];\n"                                                 \
	"	ld.param.u32 %r1, [k];\n"                                                  \
	"	ld.global.u32 %r2, [%rd1];\n"                                              \
	"	mad.lo.u32 %r3, %r2, 31, %r1;\n"                                           \
	"	st.global.u32 [%rd1], %r3;\n"                                              \
	"	ret;\n"                                                                    \
	"}\n"

/* wait(p): returns once *p is not 0. */
#define PTX_WAIT                                                                           \
	".visible .entry wait(.param .u64 p)\n"                                            \
	"{\n"                                                                              \
	"	.reg .pred %p<2>;\n"                                                       \
	"	.reg .b32 %r<2>;\n"                                                        \
	"	.reg .b64 %rd<2>;\n"                                                       \
	"	ld.param.u64 %rd1, [p];\n"                                                 \
	"$again:\n"                                                                        \
	"	ld.volatile.global.u32 %r1, [%rd1];\n"                                     \
	"	setp.eq.u32 %p1, %r1, 0;\n"                                                \
	"	@%p1 bra $again;\n"                                                        \
	"	ret;\n"                                                                    \
	"}\n"

/* meet(mine, other): sets *mine to 1, then waits until *other is not 0. */
#define PTX_MEET                                                                           \
	".visible .entry meet(.param .u64 mine, .param .u64 other)\n"                      \
	"{\n"                                                                              \
	"	.reg .pred %p<2>;\n"                                                       \
	"	.reg .b32 %r<2>;\n"                                                        \
	"	.reg .b64 %rd<3>;\n"                                                       \
	"	ld.param.u64 %rd1, [mine];\n"                                              \
	"	ld.param.u64 %rd2, [other];\n"                                             \
	"	mov.u32 %r1, 1;\n"                                                         \
	"	st.volatile.global.u32 [%rd1], %r1;\n"                                     \
	"$again:\n"                                                                        \
	"	ld.volatile.global.u32 %r1, [%rd2];\n"                                     \
	"	setp.eq.u32 %p1, %r1, 0;\n"                                                \
	"	@%p1 bra $again;\n"                                                        \
	"	ret;\n"                                                                    \
	"}\n"

/* last(p): every CTA waits until the last one has set *p. */
#define PTX_LAST                                                                           \
	".visible .entry last(.param .u64 p)\n"                                            \
	"{\n"                                                                              \
	"	.reg .pred %p<3>;\n"                                                       \
	"	.reg .b32 %r<5>;\n"                                                        \
	"	.reg .b64 %rd<2>;\n"                                                       \
	"	ld.param.u64 %rd1, [p];\n"                                                 \
	"	mov.u32 %r1, %ctaid.x;\n"                                                  \
	"	mov.u32 %r2, %nctaid.x;\n"                                                 \
	"	sub.u32 %r3, %r2, 1;\n"                                                    \
	"	setp.ne.u32 %p1, %r1, %r3;\n"                                              \
	"	@%p1 bra $again;\n"                                                        \
	"	st.volatile.global.u32 [%rd1], %r2;\n"                                     \
	"$again:\n"                                                                        \
	"	ld.volatile.global.u32 %r4, [%rd1];\n"                                     \
	"	setp.eq.u32 %p2, %r4, 0;\n"                                                \
	"	@%p2 bra $again;\n"                                                        \
	"	ret;\n"                                                                    \
	"}\n"

/* store(p, v): *p = v, wherever p leads. */
#define PTX_STORE                                                                          \
	".visible .entry store(.param .u64 p, .param .u32 v)\n"                            \
	"{\n"                                                                              \
	"	.reg .b32 %r<2>;\n"                                                        \
	"	.reg .b64 %rd<2>;\n"                                                       \
	"	ld.param.u64 %rd1, [p];\n"                                                 \
	"	ld.param.u32 %r1, [v];\n"                                                  \
	"	st.global.u32 [%rd1], %r1;\n"                                              \
	"	ret;\n"                                                                    \
	"}\n"

/* stop(): traps. */
#define PTX_STOP                                                                           \
	".visible .entry stop()\n"                                                         \
	"{\n"                                                                              \
	"	trap;\n"                                                                   \
	"	ret;\n"                                                                    \
	"}\n"

/* nothing(): returns. */
#define PTX_NOTHING ".visible .entry nothing() { ret; }\n"

/* Variables, and count(p): *p = ++counter. */
#define PTX_COUNT                                                                          \
	".visible .global .align 4 .u32 counter;\n"                                        \
	".visible .global .align 4 .b32 table[3] = { 7, 8, 9 };\n"                         \
	".visible .const .align 4 .u32 factor = 5;\n"                                      \
	".visible .entry count(.param .u64 p)\n"                                           \
	"{\n"                                                                              \
	"	.reg .b32 %r<3>;\n"                                                        \
	"	.reg .b64 %rd<2>;\n"                                                       \
	"	ld.param.u64 %rd1, [p];\n"                                                 \
	"	ld.global.u32 %r1, [counter];\n"                                           \
	"	add.u32 %r2, %r1, 1;\n"                                                    \
	"	st.global.u32 [counter], %r2;\n"                                           \
	"	st.global.u32 [%rd1], %r2;\n"                                              \
	"	ret;\n"                                                                    \
	"}\n"

/* shared(p): passes its thread index through dynamic shared memory, reversed. */
#define PTX_SHARED                                                                         \
	".extern .shared .align 4 .b8 room[];\n"                                           \
	".visible .entry shared(.param .u64 p)\n"                                          \
	"{\n"                                                                              \
	"	.reg .b32 %r<9>;\n"                                                        \
	"	.reg .b64 %rd<4>;\n"                                                       \
	"	ld.param.u64 %rd1, [p];\n"                                                 \
	"	mov.u32 %r1, %tid.x;\n"                                                    \
	"	mov.u32 %r2, room;\n"                                                      \
	"	shl.b32 %r3, %r1, 2;\n"                                                    \
	"	add.u32 %r4, %r2, %r3;\n"                                                  \
	"	st.shared.u32 [%r4], %r1;\n"                                               \
	"	bar.sync 0;\n"                                                             \
	"	mov.u32 %r5, %ntid.x;\n"                                                   \
	"	sub.u32 %r6, %r5, 1;\n"                                                    \
	"	sub.u32 %r6, %r6, %r1;\n"                                                  \
	"	shl.b32 %r7, %r6, 2;\n"                                                    \
	"	add.u32 %r7, %r2, %r7;\n"                                                  \
	"	ld.shared.u32 %r8, [%r7];\n"                                               \
	"	mul.wide.u32 %rd2, %r1, 4;\n"                                              \
	"	add.s64 %rd3, %rd1, %rd2;\n"                                               \
	"	st.global.u32 [%rd3], %r8;\n"                                              \
	"	ret;\n"                                                                    \
	"}\n"

#define PTX_ALL                                                                            \
	PTX_HEAD PTX_VADD PTX_STEP PTX_WAIT PTX_MEET PTX_LAST PTX_STORE PTX_STOP PTX_COUNT \
		PTX_SHARED PTX_NOTHING

/* Loads PTX_ALL; exits with a failure when that fails. */
TAP_UNUSED static CUmodule cuda_kernels(void)
{
	CUmodule module = NULL;
	CUresult result = cu.cuModuleLoadData(&module, PTX_ALL);

	if (result) {
		printf("not ok - the kernels do not load: %d\n", result);
		exit(1);
	}
	return module;
}

/* Looks up @name; NULL, and a failed check, when it is not there. */
TAP_UNUSED static CUfunction cuda_function(CUmodule module, const char *name)
{
	CUfunction function = NULL;

	OK_CU(cu.cuModuleGetFunction(&function, module, name));
	return function;
}

/* Launches one thread of @function on @stream. */
TAP_UNUSED static CUresult cuda_launch1(CUfunction function, CUstream stream, void **params)
{
	return cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

/* Memory that host and device see, zeroed: kernels wait for what the host writes there. */
TAP_UNUSED static atomic_uint *cuda_flag(CUdeviceptr *address)
{
	void *flag = NULL;

	*address = 0;
	if (!OK_CU(cu.cuMemHostAlloc(&flag, 64, CU_MEMHOSTALLOC_DEVICEMAP)) ||
	    !OK_CU(cu.cuMemHostGetDevicePointer(address, flag, 0))) {
		printf("not ok - no mapped host memory\n");
		exit(1);
	}
	memset(flag, 0, 64);
	return flag;
}

TAP_UNUSED static void sleep_ms(long ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

#endif
