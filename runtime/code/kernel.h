/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Kernels: of a module, or adopted. Their attributes are queried one time: a
 * module's kernels stay in its table when their handles are closed, and get new
 * handles when it is loaded again.
 */
#ifndef RUNTIME_KERNEL_H
#define RUNTIME_KERNEL_H

#include "module.h"

struct kernel {
	struct object object;   /* its parent is the module, or the device */
	struct module *module;  /* NULL: adopted */
	struct device *device;
	CUfunction native;
	char *name;             /* owned */
	unsigned plain_threads; /* per block, within all limits except block.z's */
	unsigned plain_grid;    /* blocks, within the limits of grid.y and grid.z */
	_Atomic uint64_t last_stream; /* that it was launched on: its handle */
	_Atomic(struct object_slot *) last_slot; /* of that handle, or stored soon */
	struct gpurun_kernel_info info;
	struct kernel_parameter {
		uint64_t offset, size; /* bytes */
	} *parameters;          /* owned; info.parameters of them when that is known */
	_Atomic unsigned dynamic_shared; /* bytes that the kernel may currently have */
	_Atomic bool wide_clusters;      /* allowed clusters that are not portable */
	bool open;              /* has a handle; under the runtime's lock, as is: */
	struct kernel *next;    /* of its bucket in the module's table */
};

static inline int kernel_use(struct gpurun_kernel handle, struct kernel **out,
			     struct err *e)
{
	return object_get(handle.id, OBJECT_KERNEL, out, e);
}

/*
 * Looks up @name in @module, whose context is current. *@out has no handle yet
 * and is the caller's (kernel_free). GPURUN_NOT_FOUND.
 */
int kernel_new(struct module *module, const char *name, struct kernel **out,
	       struct err *e);

/* Creates a handle for a kernel of a module that has none. It holds the module. */
int kernel_open(struct kernel *kernel, struct err *e);

/* Accepts NULL and half-built kernels; those of modules belong to their table. */
void kernel_free(struct kernel *kernel);
DEFINE_CLEANUP(free_kernel, struct kernel *, kernel_free)

int kernel_adopt(struct gpurun_device device, void *native, struct gpurun_kernel *handle,
		 struct err *e);
int kernel_release(struct gpurun_kernel handle, struct err *e);
int kernel_describe(struct gpurun_kernel handle, struct gpurun_kernel_info *info,
		    struct err *e);
int kernel_parameter(struct gpurun_kernel handle, int index, uint64_t *offset,
		     uint64_t *size, struct err *e);

int kernel_occupancy(struct gpurun_kernel handle, unsigned shared, unsigned *block,
		     unsigned *grid, struct err *e);
int kernel_blocks(struct gpurun_kernel handle, unsigned block, unsigned shared,
		  unsigned *blocks, struct err *e);

/*
 * Raises the kernel's limit of dynamic shared memory to @bytes; its context is current.
 * GPURUN_LAUNCH when that is more than the device has for a block.
 */
int kernel_allow_shared(struct kernel *kernel, unsigned bytes, struct err *e);

/* Allows clusters of more blocks than every device can run. */
int kernel_allow_wide_clusters(struct kernel *kernel, struct err *e);

/* Notes that the kernel runs on a stream, which is of its device. */
static inline void kernel_ran_on(struct kernel *kernel, const struct object *stream)
{
	if (kernel->module)
		module_ran_on(kernel->module, stream->handle);
	atomic_store_explicit(&kernel->last_slot, stream->slot, memory_order_relaxed);
	atomic_store_explicit(&kernel->last_stream, stream->handle, memory_order_relaxed);
}

#endif
