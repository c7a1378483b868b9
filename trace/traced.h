/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Records of calls of a driver, for who makes them in its place: the CPU device of its own calls
 * (cpu/api/exports.c), the library before a GPU's driver of those that it passes on (pass_on.c).
 *
 *	const uint64_t begin = trace_begin();
 *	CUresult result = ... the call ...;
 *
 *	TRACE_END(begin, cuMemFree, result, CU_STREAM_LEGACY, (address));
 *
 * Without a trace that is one load and a jump that is not taken. A call is in traces if there is a
 * function trace_NAME() of its parameters: traced.def, and launch.c for kernels.
 */
#ifndef TRACE_TRACED_H
#define TRACE_TRACED_H

#include "counted.h"
#include "cuda_abi.h"
#include "trace_file.h"

/* The call that the thread makes: its functions read it. */
struct traced {
	const char *name;
	uint64_t id;      /* 0: none */
	uint64_t begin, end; /* an end of 0: when its record is written */
	CUstream instead; /* of the NULL stream */
	CUresult result;
};
extern __thread struct traced traced;

/*
 * Who makes calls in a driver's place defines it: fills in the name of @function and its
 * parameters, at most TRACE_PARAMS_MOST, and returns how many there are. The name is valid as long
 * as the function; "" where there is no such function.
 */
size_t trace_describe(CUfunction function, const char **name, struct trace_param *params);

/* Gives the call that begins a number, traced.id. Its time, not 0. */
uint64_t trace_number(void);

static inline uint64_t trace_begin(void)
{
	if (__builtin_expect(!atomic_load_explicit(&trace_wanted, memory_order_relaxed), true))
		return 0;
	return trace_number();
}

#define CUDA_API(name, symbol, need, params, args) \
	void trace_##name params __attribute__((weak, visibility("hidden")));
#include "cuda_api.def"
/* Of the calls that are refused here, and so have no parameters there, the one in traces. */
void trace_cuGraphLaunch(CUgraphExec graph, CUstream stream)
	__attribute__((weak, visibility("hidden")));

#define TRACE_END(begun, call, result_, instead_, args)            \
	do {                                                       \
		if (__builtin_expect((begun) != 0, false)) {       \
			traced.name = #call;                       \
			traced.begin = (begun);                    \
			traced.result = (result_);                 \
			traced.instead = (instead_);               \
			if (trace_##call)                          \
				trace_##call args;                 \
			traced.id = 0;                             \
		}                                                  \
	} while (0)

/* Writes @record of the thread's call, whose number, times and result are filled in. */
void trace_call(struct trace_record *record, const void *more, size_t more_size);

/* Writes that the device did the work of call @id from @begin to @end; 0: that it has begun. */
void trace_ran(uint64_t id, uint64_t begin, uint64_t end);

/* Writes what the launch @id executed. */
void trace_counted(uint64_t id, const struct counted *counted);

/* Forgets the functions that it knows: a module is unloaded, and others may get their handles. */
void trace_forget_functions(void);

#endif
