/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Devices of the chosen driver. A device is created when it is first asked for
 * and lives until the last shutdown; its primary context is retained at its
 * first use.
 */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include "object.h"
#include "reuse_memory.h"
#include "reuse_stream.h"
#include "runtime.h"

struct module;

/* The memory that the program has; under the runtime's lock. */
struct memory_count {
	uint64_t bytes, peak, blocks;
};

struct device {
	struct object object;
	CUdevice native;
	_Atomic(CUcontext) context; /* retained; NULL until needed */
	_Atomic int fault;          /* the context's permanent fault, as reported; or 0 */
	struct module *parked;      /* owned; see reuse_module.h */
	struct reuse_pool pools[REUSE_KINDS];
	struct reuse_memory cache;
	struct memory_count memory;
	struct gpurun_device_info info;
};

/* Returns the default device or the one with @ordinal; a reference for put_object. */
int device_find(int ordinal, struct device **out, struct err *e);

static inline int device_use(struct gpurun_device handle, struct device **out,
			     struct err *e)
{
	return object_get(handle.id, OBJECT_DEVICE, out, e);
}

/* Returns the device with @ordinal if it was created, else NULL. It lives until all calls
 * have left. */
struct device *device_made(int ordinal);

int device_get(int ordinal, struct gpurun_device *handle, struct err *e);
int device_describe(struct gpurun_device handle, struct gpurun_device_info *info,
		    struct err *e);
int device_synchronize(struct gpurun_device handle, struct err *e);
int device_reset_l2(struct gpurun_device handle, struct err *e);
int device_cooperative(struct gpurun_device handle, int *cooperative, struct err *e);
int device_memory(struct gpurun_device handle, uint64_t *free_bytes, uint64_t *total,
		  struct err *e);

int device_set_limit(struct gpurun_device handle, enum gpurun_limit limit, uint64_t bytes,
		     struct err *e);
int device_get_limit(struct gpurun_device handle, enum gpurun_limit limit, uint64_t *bytes,
		     struct err *e);

/* Finds the ordinal that @selector means among the devices of @api, before the library is
 * up. GPURUN_NO_DEVICE lists what exists. */
int device_select(const struct cuda_api *api, int count, const struct selector *selector,
		  int *ordinal, struct err *e);

/* Records that @call returned @result: in @e, in the thread's record, and in @device
 * (may be NULL) when it is a fault. Returns the status. */
int device_fail(struct device *device, CUresult result, const char *call, struct err *e);

/* The same for a step whose failure must not stop the following steps. */
void device_step(struct device *device, CUresult result, const char *call);

/*
 * Tells whether @result of a step, which releases or waits for a release, has to be
 * reported: not the fault @reported that was reported to the program already, nor that the
 * driver has ended and has nothing left to release.
 */
bool device_is_unreported(int reported, CUresult result);

/* Calls a driver function; 0 or the status. */
#define CUDA(device, e, name, ...)                                                         \
	({                                                                                 \
		CUresult result_ = runtime.cuda.name(__VA_ARGS__);                         \
		result_ ? device_fail(device, result_, #name, e) : 0;                      \
	})

/* Calls a driver function as a step. */
#define CUDA_STEP(device, name, ...)                                                       \
	device_step(device, runtime.cuda.name(__VA_ARGS__), #name)

#endif
