/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches of kernels: which function it is, and the bytes of its parameters. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "traced.h"
#include "cleanup.h"
#include "lock.h"

/* A function that a FUNCTION record has named. */
struct function {
	CUfunction handle;
	uint64_t number;
	size_t args_size;            /* bytes of its parameters; 0: more than records have */
	size_t count;
	struct trace_param params[]; /* @count */
};

enum { MOST_KNOWN = 1024 };

/* By handle. One that falls on the place of another takes it, and is named once more. */
static struct {
	pthread_mutex_t lock;
	struct function *known[MOST_KNOWN]; /* owned */
	uint64_t numbers;
} functions = { .lock = PTHREAD_MUTEX_INITIALIZER };

#define LOCKED LOCKED_BY(&functions.lock, LOCK_TRACED)

static struct function **place(CUfunction handle)
{
	return &functions.known[((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 54];
}

void trace_forget_functions(void)
{
	LOCKED;

	for (size_t i = 0; i < MOST_KNOWN; i++) {
		free(functions.known[i]);
		functions.known[i] = NULL;
	}
}

/* ---- what the driver knows of a function ---- */

/* Bytes that the @count parameters at @params take; 0: more than records have. */
static size_t size_of(const struct trace_param *params, size_t count)
{
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++)
		if (end < (uint64_t)params[i].offset + params[i].size)
			end = (uint64_t)params[i].offset + params[i].size;
	return end <= TRACE_ARGS_MOST ? (size_t)end : 0;
}

static void write_function(const struct function *function, const char *name)
{
	struct trace_record record = { .kind = TRACE_FUNCTION, .handle = function->number,
				       .param_count = (uint16_t)function->count };

	trace_write(&record, name, function->params,
		    function->count * sizeof(function->params[0]));
}

/* Keeps what the driver says of @handle, after its record. The driver is asked without our lock: it
 * has locks of its own. */
static void know(CUfunction handle)
{
	struct function *function = malloc(sizeof(*function) +
					   TRACE_PARAMS_MOST * sizeof(function->params[0]));
	struct function **at = place(handle);
	const char *name;

	if (!function)
		return;
	*function = (struct function){ .handle = handle };
	function->count = trace_describe(handle, &name, function->params);
	function->args_size = size_of(function->params, function->count);
	LOCKED;
	function->number = ++functions.numbers;
	write_function(function, name);
	free(*at);
	*at = function;
}

/* ---- launches ---- */

/* The buffer of parameters that @extra names; NULL: none. */
static const void *find_buffer(void **extra, size_t *size)
{
	const void *buffer = NULL;

	*size = 0;
	for (; extra && extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
		if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
		else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
			*size = *(const size_t *)extra[1];
	}
	return buffer;
}

static size_t copy_params(const struct function *function, void **params, void **extra,
			  uint8_t args[TRACE_ARGS_MOST])
{
	size_t size;
	const void *buffer = find_buffer(extra, &size);

	if (buffer) {
		size = size <= TRACE_ARGS_MOST ? size : TRACE_ARGS_MOST;
		memcpy(args, buffer, size);
		return size;
	}
	memset(args, 0, function->args_size);
	for (size_t i = 0; params && function->args_size && i < function->count; i++)
		memcpy(args + function->params[i].offset, params[i], function->params[i].size);
	return params ? function->args_size : 0;
}

/* Fills in the number of @handle and the bytes of its parameters, unless the launch was refused:
 * then they may be anything. Their size. */
static size_t find_args(CUfunction handle, void **params, void **extra,
			struct trace_record *record, uint8_t args[TRACE_ARGS_MOST])
{
	const struct function *function;

	LOCKED;
	function = *place(handle);
	if (!function || function->handle != handle)
		return 0;
	record->handle = function->number;
	return traced.result ? 0 : copy_params(function, params, extra, args);
}

static bool is_known(CUfunction handle)
{
	LOCKED;

	return *place(handle) && (*place(handle))->handle == handle;
}

/* What was refused as no function a driver need not look at. */
static bool may_ask(void)
{
	switch (traced.result) {
	case CUDA_ERROR_INVALID_HANDLE:
	case CUDA_ERROR_INVALID_CONTEXT:
	case CUDA_ERROR_NOT_INITIALIZED:
	case CUDA_ERROR_DEINITIALIZED:
		return false;
	default:
		return true;
	}
}

static void trace_launch(CUfunction handle, void **params, void **extra,
			 struct trace_record *record)
{
	uint8_t args[TRACE_ARGS_MOST];
	size_t size;

	record->kind = TRACE_LAUNCH;
	if (may_ask() && !is_known(handle))
		know(handle);
	size = find_args(handle, params, extra, record, args);
	record->args_size = (uint32_t)size;
	trace_call(record, args, size);
}

static uint64_t stream_of(CUstream stream)
{
	return (uint64_t)(uintptr_t)(stream ? stream : traced.instead);
}

void trace_cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, CUstream stream, void **params,
			  void **extra)
{
	trace_launch(function, params, extra,
		     &(struct trace_record){ .grid = { gx, gy, gz },
					     .block = { bx, by, bz },
					     .shared = shared,
					     .stream = stream_of(stream) });
}

void trace_cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
				     unsigned bx, unsigned by, unsigned bz, unsigned shared,
				     CUstream stream, void **params)
{
	trace_launch(function, params, NULL,
		     &(struct trace_record){ .grid = { gx, gy, gz },
					     .block = { bx, by, bz },
					     .shared = shared,
					     .flags = TRACE_COOPERATIVE,
					     .stream = stream_of(stream) });
}

static void read_attributes(const CUlaunchConfig *config, struct trace_record *record)
{
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttribute *at = &config->attrs[i];

		if (at->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && at->value.cooperative)
			record->flags |= TRACE_COOPERATIVE;
		if (at->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			continue;
		record->cluster[0] = at->value.clusterDim.x;
		record->cluster[1] = at->value.clusterDim.y;
		record->cluster[2] = at->value.clusterDim.z;
	}
}

void trace_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
			    void **extra)
{
	struct trace_record record = { 0 };

	if (config) {
		record = (struct trace_record){
			.grid = { config->gridDimX, config->gridDimY, config->gridDimZ },
			.block = { config->blockDimX, config->blockDimY, config->blockDimZ },
			.shared = config->sharedMemBytes,
			.stream = stream_of(config->hStream),
		};
		if (config->attrs)
			read_attributes(config, &record);
	}
	trace_launch(function, params, extra, &record);
}

void trace_cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launches, unsigned count,
						unsigned flags)
{
	(void)flags;
	for (unsigned i = 0; launches && i < count; i++)
		trace_cuLaunchCooperativeKernel(
			launches[i].function, launches[i].gridDimX, launches[i].gridDimY,
			launches[i].gridDimZ, launches[i].blockDimX, launches[i].blockDimY,
			launches[i].blockDimZ, launches[i].sharedMemBytes, launches[i].hStream,
			launches[i].kernelParams);
}
