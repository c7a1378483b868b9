/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules: loaded images. Each load has its own copy of the bytes and its own
 * device variables. A module owns its kernels and variables, which are in tables by
 * name; its handle and theirs are closed together when it is unloaded. What can be used
 * for a later load of the same bytes is then kept (reuse_module.h).
 */
#ifndef RUNTIME_MODULE_H
#define RUNTIME_MODULE_H

#include "arity.h"
#include "bytes.h"
#include "device.h"
#include "image_facts.h"

struct kernel;
struct variable;

enum { MODULE_BUCKETS = 64, MODULE_STREAMS = 32 };

/* The default level of optimisation of the driver's compiler. */
enum { MODULE_LEVEL = 4 };

/* How an image is to be loaded. */
struct module_choice {
	int level;  /* of the compiler's optimisation, 0 to MODULE_LEVEL */
	bool alone; /* refused when it calls the host */
};

#define MODULE_PLAIN ((struct module_choice){ .level = MODULE_LEVEL })
#define MODULE_ALONE ((struct module_choice){ .level = MODULE_LEVEL, .alone = true })

struct module {
	struct object object; /* its parent is the device */
	struct device *device;
	CUmodule native;
	bool adopted;         /* the driver's module is the program's own */
	uint8_t *image;       /* owned copy, with zeros after it; NULL: adopted */
	size_t size;          /* without those */
	int level;            /* of the compiler's optimisation, 0 to MODULE_LEVEL */
	struct image_facts facts;
	struct arities arities; /* under lookup, except while the module is created or destroyed */
	atomic_bool exposed;  /* a variable's address was asked for */
	pthread_mutex_t lookup; /* held while adding to one of the two tables, by name: */
	struct kernel *kernels[MODULE_BUCKETS]; /* owned; under the runtime's lock */
	_Atomic(struct variable *) variables[MODULE_BUCKETS]; /* owned; read without one */
	_Atomic uint64_t last_stream; /* that ran a kernel: its handle */
	uint64_t streams[MODULE_STREAMS]; /* all that did; under the runtime's lock */
	unsigned stream_count;        /* above MODULE_STREAMS: too many to store */
	uint64_t *copies;             /* owned; by device: see module_copies.h */
	uint64_t fingerprint;         /* of a parked module's image */
	struct module *parked;        /* the next one in a list of parked modules */
};

static inline int module_use(struct gpurun_module handle, struct module **out,
			     struct err *e)
{
	return object_get(handle.id, OBJECT_MODULE, out, e);
}

int module_load(struct gpurun_device device, const void *image, size_t size,
		struct module_choice how, struct gpurun_module *handle, struct err *e);
int module_adopt(struct gpurun_device device, void *native, struct gpurun_module *handle,
		 struct err *e);
int module_check(struct gpurun_device device, const void *image, size_t size,
		 struct err *e);
int module_unload(struct gpurun_module handle, struct err *e);

/* Unloads the modules that @device keeps parked, which frees their memory. False when
 * there was none. */
bool module_release_parked(struct device *device);

int module_kernel(struct gpurun_module handle, const char *name,
		  struct gpurun_kernel *kernel, struct err *e);

/* Refuses an empty or missing name of a @what that is to be looked up; drivers differ on
 * an empty one. */
int module_check_name(const char *name, const char *what, struct err *e);

/* The bucket that @name belongs to, in either table. */
unsigned module_bucket(const char *name);

/* Records that kernels of @module run on stream @handle: the rare part. */
void module_add_stream(struct module *module, uint64_t handle);

static inline void module_ran_on(struct module *module, uint64_t handle)
{
	if (atomic_load_explicit(&module->last_stream, memory_order_relaxed) != handle)
		module_add_stream(module, handle);
}

#endif
