/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The exported functions, one per row of the table: each asks whether it has to
 * fail, does what calls_*.c says, and writes its line of the trace.
 */
#include "stub.h"

#include "calls.h"

enum row {
#define CUDA_API(name, symbol, need, params, args) ROW_##name,
#include "cuda_api.def"
};

/* How each type of argument is written. */
#define TRACE_KIND(x)                                                                      \
	_Generic((x),                                                                      \
		int: TRACE_INT,                                                            \
		unsigned: TRACE_UNSIGNED,                                                  \
		unsigned char: TRACE_U8,                                                   \
		unsigned short: TRACE_U16,                                                 \
		size_t: TRACE_SIZE,                                                        \
		CUdeviceptr: TRACE_ADDRESS,                                                \
		CUcontext: TRACE_HANDLE,                                                   \
		CUmodule: TRACE_HANDLE,                                                    \
		CUfunction: TRACE_HANDLE,                                                  \
		CUstream: TRACE_HANDLE,                                                    \
		CUevent: TRACE_HANDLE,                                                     \
		void *: TRACE_HOST,                                                        \
		const char *: TRACE_STRING,                                                \
		CUcontext *: TRACE_OUT_HANDLE,                                             \
		CUmodule *: TRACE_OUT_HANDLE,                                              \
		CUfunction *: TRACE_OUT_HANDLE,                                            \
		CUstream *: TRACE_OUT_HANDLE,                                              \
		CUevent *: TRACE_OUT_HANDLE,                                               \
		CUdeviceptr *: TRACE_OUT_ADDRESS,                                          \
		size_t *: TRACE_OUT_SIZE,                                                  \
		int *: TRACE_OUT_INT,                                                      \
		const CUlaunchConfig *: TRACE_CONFIG,                                      \
		default: TRACE_OTHER)

/* ARGUMENTS(a, b, ...): ARGUMENT of each, for up to sixteen of them. */
#define ARGUMENT(x)          trace_argument(TRACE_KIND(x), &(x), answer_)
#define COUNT(...)                                                                         \
	COUNT_(_, ##__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define COUNT_(_, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, n, ...) n
#define PASTE(a, b)          PASTE_(a, b)
#define PASTE_(a, b)         a##b
#define ARGUMENTS(...)       PASTE(EACH_, COUNT(__VA_ARGS__))(__VA_ARGS__)
#define EACH_0()
#define EACH_1(a)            ARGUMENT(a)
#define EACH_2(a, ...)       ARGUMENT(a), EACH_1(__VA_ARGS__)
#define EACH_3(a, ...)       ARGUMENT(a), EACH_2(__VA_ARGS__)
#define EACH_4(a, ...)       ARGUMENT(a), EACH_3(__VA_ARGS__)
#define EACH_5(a, ...)       ARGUMENT(a), EACH_4(__VA_ARGS__)
#define EACH_6(a, ...)       ARGUMENT(a), EACH_5(__VA_ARGS__)
#define EACH_7(a, ...)       ARGUMENT(a), EACH_6(__VA_ARGS__)
#define EACH_8(a, ...)       ARGUMENT(a), EACH_7(__VA_ARGS__)
#define EACH_9(a, ...)       ARGUMENT(a), EACH_8(__VA_ARGS__)
#define EACH_10(a, ...)      ARGUMENT(a), EACH_9(__VA_ARGS__)
#define EACH_11(a, ...)      ARGUMENT(a), EACH_10(__VA_ARGS__)
#define EACH_12(a, ...)      ARGUMENT(a), EACH_11(__VA_ARGS__)
#define EACH_13(a, ...)      ARGUMENT(a), EACH_12(__VA_ARGS__)
#define EACH_14(a, ...)      ARGUMENT(a), EACH_13(__VA_ARGS__)
#define EACH_15(a, ...)      ARGUMENT(a), EACH_14(__VA_ARGS__)
#define EACH_16(a, ...)      ARGUMENT(a), EACH_15(__VA_ARGS__)

/* FIRST(a, ...): the first argument as a number; 0 when there is none. */
#define FIRST(...)           (0 __VA_OPT__(+(uint64_t)(uintptr_t)FIRST_(__VA_ARGS__, )))
#define FIRST_(a, ...)       (a)

#define CUDA_API(name, symbol, need, params, args)                                         \
	__attribute__((visibility("default"))) CUresult entry_##name params __asm__(symbol); \
	CUresult entry_##name params                                                       \
	{                                                                                  \
		CUresult answer_;                                                          \
                                                                                           \
		stub_lock();                                                               \
		answer_ = stub_begin(ROW_##name, FIRST args);                              \
		if (!answer_)                                                              \
			answer_ = stub_##name args;                                        \
		if (trace_begin(#name)) {                                                  \
			ARGUMENTS args;                                                    \
			trace_end(answer_);                                                \
		}                                                                          \
		stub_unlock();                                                             \
		return answer_;                                                            \
	}
#include "cuda_api.def"
