/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Initialisation, devices, contexts. */
#include "calls.h"

#include <string.h>

enum { MAX_DEVICES = 8, MAX_DEPTH = 64, LIMITS = 3 };

static struct thing *primary[MAX_DEVICES];
static unsigned context_flags[MAX_DEVICES];
static bool peers[MAX_DEVICES][MAX_DEVICES]; /* access of the first to the second is enabled */
static size_t limits[MAX_DEVICES][LIMITS]; /* of its context, by CUlimit */
static _Thread_local struct thing *stack[MAX_DEPTH];
static _Thread_local unsigned depth;

struct thing *stub_current(void)
{
	return depth ? stack[depth - 1] : NULL;
}

struct thing *stub_primary(CUdevice device)
{
	return device >= 0 && device < MAX_DEVICES ? primary[device] : NULL;
}

struct thing *stub_context(void)
{
	return stub_current() ? stub_current() : primary[0];
}

CUresult stub_cuInit(unsigned flags)
{
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!stub_devices())
		return CUDA_ERROR_NO_DEVICE;
	stub_started();
	return CUDA_SUCCESS;
}

CUresult stub_cuDriverGetVersion(int *version)
{
	*version = 13000;
	return CUDA_SUCCESS;
}

CUresult stub_cuGetErrorName(CUresult result, const char **name)
{
	(void)result;
	*name = "CUDA_ERROR";
	return CUDA_SUCCESS;
}

CUresult stub_cuGetErrorString(CUresult result, const char **text)
{
	(void)result;
	*text = "an error of the stub";
	return CUDA_SUCCESS;
}

static bool is_device(CUdevice device)
{
	return device >= 0 && device < stub_devices() && device < MAX_DEVICES;
}

CUresult stub_cuDeviceGetCount(int *count)
{
	*count = stub_devices();
	return CUDA_SUCCESS;
}

CUresult stub_cuDeviceGet(CUdevice *device, int ordinal)
{
	*device = ordinal;
	return is_device(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult stub_cuDeviceGetName(char *name, int size, CUdevice device)
{
	snprintf(name, (size_t)size, "gpurun stub");
	return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult stub_cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
	snprintf(id, (size_t)size, "0000:0%X:00.0", 10 + device);
	return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult stub_cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	unsigned bus = 0;

	sscanf(id, "0000:%x:00.0", &bus);
	*device = (int)bus - 10;
	return is_device(*device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult stub_cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	memset(uuid, 0xab, sizeof(*uuid));
	uuid->bytes[0] = (char)device;
	return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult stub_cuDeviceGetUuid_v1(CUuuid *uuid, CUdevice device)
{
	return stub_cuDeviceGetUuid(uuid, device);
}

CUresult stub_cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	*can = device != peer;
	return is_device(device) && is_device(peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult stub_cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
	*bytes = (size_t)1 << 30;
	return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* The attributes of an H100, where they matter. */
static int attribute_of(CUdevice_attribute attribute)
{
	switch ((int)attribute) {
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
		return 1024;
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
		return 64;
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
		return 0x7fffffff;
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
		return 65535;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
		return 49152;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
		return 232448;
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
		return 2048;
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
		return 32;
	case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
		return 1980000;
	case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
		return 2619000;
	case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
		return 5120;
	case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
		return 50 << 20;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
		return 9;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
		return 0;
	}
	return 1;
}

CUresult stub_cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	*value = attribute_of(attribute);
	return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult stub_cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = context_flags[device];
	*active = primary[device] && primary[device]->references;
	return CUDA_SUCCESS;
}

/* What a context begins with. */
static const size_t first_limits[LIMITS] = {
	[CU_LIMIT_STACK_SIZE] = 1024,
	[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
	[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
};

CUresult stub_cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!primary[device])
		primary[device] = thing_new(CONTEXT, NULL);
	if (!primary[device]->references++)
		memcpy(limits[device], first_limits, sizeof(first_limits));
	*context = (CUcontext)primary[device];
	return CUDA_SUCCESS;
}

CUresult stub_cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
	const unsigned schedule = flags & CU_CTX_SCHED_MASK;

	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (flags > 0xff || schedule & (schedule - 1))
		return CUDA_ERROR_INVALID_VALUE;
	context_flags[device] = flags;
	return CUDA_SUCCESS;
}

CUresult stub_cuDevicePrimaryCtxRelease(CUdevice device)
{
	if (!is_device(device) || !primary[device] || !primary[device]->references)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (--primary[device]->references)
		return CUDA_SUCCESS;
	/* What the program left in it is kept for the report, and told as destroyed. */
	work_wait(primary[device], WORK_ALL_STREAMS, work_mark());
	primary[device]->fault = CUDA_SUCCESS;
	primary[device]->life++;
	memset(peers[device], 0, sizeof(peers[device]));
	return CUDA_SUCCESS;
}

/* What was retained stays so. */
CUresult stub_cuDevicePrimaryCtxReset(CUdevice device)
{
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!primary[device])
		return CUDA_SUCCESS;
	work_wait(primary[device], WORK_ALL_STREAMS, work_mark());
	things_end_of(primary[device]);
	primary[device]->fault = CUDA_SUCCESS;
	memset(peers[device], 0, sizeof(peers[device]));
	return CUDA_SUCCESS;
}

CUresult stub_cuCtxGetCurrent(CUcontext *context)
{
	*context = (CUcontext)stub_current();
	return CUDA_SUCCESS;
}

/* Whose primary context @context is. */
static CUresult device_of(const struct thing *context, CUdevice *device)
{
	for (*device = 0; *device < MAX_DEVICES; ++*device)
		if (context && primary[*device] == context)
			return CUDA_SUCCESS;
	return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult stub_cuCtxGetDevice(CUdevice *device)
{
	return device_of(stub_current(), device);
}

CUresult stub_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
	CUdevice self, other;

	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (device_of(stub_current(), &self) || device_of((struct thing *)peer, &other) ||
	    !primary[other]->references)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (self == other)
		return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	if (peers[self][other])
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	peers[self][other] = true;
	return CUDA_SUCCESS;
}

CUresult stub_cuCtxDisablePeerAccess(CUcontext peer)
{
	CUdevice self, other;

	if (device_of(stub_current(), &self) || device_of((struct thing *)peer, &other))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!peers[self][other])
		return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	peers[self][other] = false;
	return CUDA_SUCCESS;
}

CUresult stub_cuCtxPushCurrent(CUcontext context)
{
	struct thing *thing;

	if (thing_find(context, CONTEXT, &thing) || depth == MAX_DEPTH)
		return CUDA_ERROR_INVALID_CONTEXT;
	stack[depth++] = thing;
	return CUDA_SUCCESS;
}

CUresult stub_cuCtxPopCurrent(CUcontext *context)
{
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	*context = (CUcontext)stack[--depth];
	return CUDA_SUCCESS;
}

CUresult stub_cuCtxSetCurrent(CUcontext context)
{
	depth -= depth > 0;
	return context ? stub_cuCtxPushCurrent(context) : CUDA_SUCCESS;
}

/* The limit of the current context, or NULL. */
static CUresult find_limit(CUlimit limit, size_t **out)
{
	CUdevice device;
	CUresult result = stub_cuCtxGetDevice(&device);

	if (!result && (unsigned)limit >= LIMITS)
		result = CUDA_ERROR_INVALID_VALUE;
	*out = result ? NULL : &limits[device][limit];
	return result;
}

CUresult stub_cuCtxGetLimit(size_t *value, CUlimit limit)
{
	size_t *found;
	CUresult result = find_limit(limit, &found);

	if (!result)
		*value = *found;
	return result;
}

/* The stack is rounded up, as a driver may do. */
CUresult stub_cuCtxSetLimit(CUlimit limit, size_t value)
{
	size_t *found;
	CUresult result = find_limit(limit, &found);

	if (!result)
		*found = limit == CU_LIMIT_STACK_SIZE ? (value + 15) & ~(size_t)15 : value;
	return result;
}

CUresult stub_cuCtxSynchronize(void)
{
	if (!stub_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	work_wait(stub_current(), WORK_ALL_STREAMS, work_mark());
	return CUDA_SUCCESS;
}

CUresult stub_gpurunCpuConfigure(const char *options, char *message, size_t size)
{
	(void)options;
	(void)message;
	(void)size;
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult stub_gpurunCpuNote(int kind, const char *record, size_t number)
{
	(void)kind;
	(void)record;
	(void)number;
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult stub_gpurunCpuReport(int kind, char *text, size_t size)
{
	(void)kind;
	(void)text;
	(void)size;
	return CUDA_ERROR_NOT_SUPPORTED;
}
