/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All copies use a separate stream: nothing here waits for other work. */
#include "structors.h"

#include "api.h"
#include "arity.h"
#include "memory.h"

static const struct protocol {
	enum image_role role;
	const char *what, *kernel, *begin, *end;
} init = { ROLE_INIT, "device constructors", "nvptx$device$init", "__init_array_start",
	   "__init_array_end" },
  fini = { ROLE_FINI, "device destructors", "nvptx$device$fini", "__fini_array_start",
	   "__fini_array_end" };

/* What one run needs. */
struct run {
	struct module *module;
	const struct image_names *names;
	CUstream stream;
	uint64_t *functions; /* owned; device addresses */
	uint64_t array;      /* owned; the array on the device */
};

static void run_release(struct run *run)
{
	struct device *device = run->module->device;
	struct err e;

	if (run->stream) {
		CUDA_STEP(device, cuStreamSynchronize, run->stream);
		CUDA_STEP(device, cuStreamDestroy, run->stream);
	}
	/* A fault has been reported by then. */
	if (run->array && memory_free(run->array, &e) && !atomic_load(&device->fault))
		api_failed(&e);
	free(run->functions);
}

static uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* Copies the address in variable @name to @value, or in the other direction. */
static int copy_variable(struct run *run, const char *name, uint64_t *value, bool write,
			 struct err *e)
{
	struct device *device = run->module->device;
	CUdeviceptr address = 0;
	size_t size = 0;

	TRY(CUDA(device, e, cuModuleGetGlobal, &address, &size, run->module->native, name));
	if (size < sizeof(*value))
		return err_set(e, GPURUN_FORMAT, "variable '%s' has %zu bytes, expected %zu",
			       name, size, sizeof(*value));
	if (write)
		return CUDA(device, e, cuMemcpyAsync, address, address_of(value),
			    sizeof(*value), run->stream);
	return CUDA(device, e, cuMemcpyAsync, address_of(value), address, sizeof(*value),
		    run->stream);
}

/* Gathers the addresses of the functions, in the order of the array. */
static int gather(struct run *run, struct err *e)
{
	run->functions = calloc(run->names->count, sizeof(run->functions[0]));
	if (!run->functions)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu addresses",
			       run->names->count);
	for (size_t i = 0; i < run->names->count; i++)
		TRY(copy_variable(run, run->names->items[i].text, &run->functions[i], false,
				  e));
	return CUDA(run->module->device, e, cuStreamSynchronize, run->stream);
}

/* Makes the array on the device, and stores its address in the image. */
static int place(struct run *run, const struct protocol *protocol, struct err *e)
{
	struct device *device = run->module->device;
	struct gpurun_device handle = { device->object.handle };
	size_t size = run->names->count * sizeof(run->functions[0]);
	uint64_t end;

	TRY(memory_alloc(handle, size, GPURUN_MEMORY_DEVICE, 1, &run->array, e));
	end = run->array + size;
	TRY(CUDA(device, e, cuMemcpyAsync, run->array, address_of(run->functions), size,
		 run->stream));
	TRY(copy_variable(run, protocol->begin, &run->array, true, e));
	TRY(copy_variable(run, protocol->end, &end, true, e));
	return CUDA(device, e, cuStreamSynchronize, run->stream);
}

/* Calls them all. An image that has them but no kernel leaves them uncalled, as LLVM's
 * own runtime does. */
static int call(struct run *run, const struct protocol *protocol, struct err *e)
{
	struct device *device = run->module->device;
	CUfunction kernel = NULL;
	int status, parameters;

	TRY(arity_find(run->module, protocol->kernel, &parameters, e));
	if (parameters == ARITY_ABSENT)
		return 0;
	status = CUDA(device, e, cuModuleGetFunction, &kernel, run->module->native,
		      protocol->kernel);
	if (status == GPURUN_NOT_FOUND) {
		api_record()->driver = 0;
		return 0;
	}
	TRY(status);
	TRY(CUDA(device, e, cuStreamCreate, &run->stream, CU_STREAM_NON_BLOCKING));
	TRY(gather(run, e));
	TRY(place(run, protocol, e));
	TRY(CUDA(device, e, cuLaunchKernel, kernel, 1, 1, 1, 1, 1, 1, 0, run->stream, NULL,
		 NULL));
	return CUDA(device, e, cuStreamSynchronize, run->stream);
}

static int run_all(struct module *module, const struct protocol *protocol, struct err *e)
{
	CLEANUP(run_release) struct run run = {
		.module = module, .names = &module->facts.roles[protocol->role]
	};

	if (!run.names->count)
		return 0;
	if (call(&run, protocol, e))
		return err_wrap(e, "%s", protocol->what);
	return 0;
}

int structors_construct(struct module *module, struct err *e)
{
	return run_all(module, &init, e);
}

int structors_destroy(struct module *module, struct err *e)
{
	return run_all(module, &fini, e);
}
