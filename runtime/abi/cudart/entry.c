/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The exported functions, made from cudart_api.def: what the call needs, the call,
 * and what is kept of its result.
 */
#include "calls.h"
#include "copy.h"
#include "device.h"
#include "kernel.h"
#include "launch.h"
#include "library.h"
#include "memory.h"
#include "variable.h"

#define EXPORT __attribute__((visibility("default")))

#define PER_THREAD CU_STREAM_PER_THREAD

/* The body of @name, whose twins differ in what they do to @stream before. */
#define BODY(name, state, call)                                           \
	{                                                                 \
		cudaError_t result_ = cudart_enter_##state();             \
                                                                          \
		if (!result_)                                             \
			result_ = (cudaError_t)(call);                    \
		if (result_ == cudaErrorCudartUnloading && cudart_over_##state()) \
			result_ = cudaSuccess;                            \
		return cudart_leave(CALL_##name, result_);                \
	}

#define DEFINE(export, name, state, params, before, call)               \
	EXPORT cudaError_t export params;                               \
	cudaError_t export params                                       \
	{                                                               \
		before;                                                 \
		BODY(name, state, call)                                 \
	}

#define CUDART(name, state, params, call) DEFINE(name, name, state, params, (void)0, call)
#define CUDART_PTSZ(name, state, params, call)                          \
	DEFINE(name, name, state, params, (void)0, call)                \
	DEFINE(name##_ptsz, name, state, params, stream = stream ? stream : PER_THREAD, call)
#define CUDART_PTDS(name, state, params, call)                          \
	DEFINE(name, name, state, params, CUstream stream = NULL, call) \
	DEFINE(name##_ptds, name, state, params, CUstream stream = PER_THREAD, call)
#define CUDART_OWN_PTSZ(name, state, params, call)                      \
	DEFINE(name, name, state, params, CUstream stream = NULL, call) \
	DEFINE(name##_ptsz, name, state, params, CUstream stream = PER_THREAD, call)

/* Whatever the arguments are: none is looked at. */
#define REFUSE(export, name)                                            \
	EXPORT cudaError_t export(void);                                \
	cudaError_t export(void)                                        \
	{                                                               \
		return calls_refuse(CALL_##name);                       \
	}
#define CUDART_REFUSED(name) REFUSE(name, name)
#define CUDART_REFUSED_PTSZ(name) REFUSE(name, name) REFUSE(name##_ptsz, name)
#define CUDART_REFUSED_PTDS(name) REFUSE(name, name) REFUSE(name##_ptds, name)
#include "cudart_api.def"
