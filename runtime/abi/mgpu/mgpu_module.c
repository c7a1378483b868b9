/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "mgpu.h"

/* Format "offloading" embeds bitcode, which only LLVM can compile. */
static bool is_bitcode(const void *image)
{
	return image && !strncmp(image, "BC\xc0\xde", 4);
}

/* The default level of the driver's compiler. */
enum { DEFAULT_LEVEL = 4 };

static bool load(const char *who, const void *image, int level,
		 struct gpurun_module *module)
{
	if (!mgpu_ready(who))
		return false;
	if (is_bitcode(image))
		return mgpu_refuse(who, GPURUN_FORMAT,
				   "the image is LLVM bitcode, which no driver loads; "
				   "hint: embed format isa, fatbin or bin");
	return mgpu_ok(who, gpurun_module_load_level(mgpu_device(), image, 0, level,
						    module));
}

static void *load_native(const char *who, const void *image, int level)
{
	struct gpurun_module module;
	void *native;

	if (!load(who, image, level, &module) ||
	    !mgpu_ok(who, gpurun_module_native(module, &native)))
		return mgpu_not_made(MGPU_MODULE);
	return native;
}

void *mgpuModuleLoad(const void *image, size_t image_size)
{
	(void)image_size;
	return load_native(__func__, image, DEFAULT_LEVEL);
}

void *mgpuModuleLoadJIT(const void *ptx, int level, size_t ptx_size)
{
	(void)ptx_size;
	return load_native(__func__, ptx, level);
}

void mgpuModuleUnload(void *native)
{
	struct gpurun_module module;
	enum gpurun_native_kind kind = mgpu_kind_of(native, &module.id);

	mgpu_launch_forget();
	if (kind == GPURUN_NATIVE_MODULE)
		mgpu_ok(__func__, gpurun_module_unload(module));
	else
		mgpu_destroy_other(__func__, native, kind, MGPU_MODULE);
}

/* The module of a call; an adopted one is released by end(). */
struct lookup {
	struct gpurun_module module;
	bool adopted;
};

static bool begin(const char *who, void *native, struct lookup *lookup)
{
	enum gpurun_native_kind kind = mgpu_kind_of(native, &lookup->module.id);

	lookup->adopted = false;
	if (kind == GPURUN_NATIVE_MODULE)
		return true;
	if (kind != GPURUN_NATIVE_UNKNOWN)
		return mgpu_wrong_kind(who, native, kind, MGPU_MODULE);
	if (!mgpu_ready(who) || (!native && mgpu_is_consequence(MGPU_MODULE)))
		return false;
	lookup->adopted = mgpu_ok(who, gpurun_module_adopt(mgpu_device(), native,
							   &lookup->module));
	return lookup->adopted;
}

static void end(struct lookup *lookup)
{
	if (lookup->adopted)
		gpurun_module_unload(lookup->module);
}

/* Modules are loaded before the program can choose a device: the code is loaded there
 * then. A foreign one stays where it is. */
static bool use_on_device(const char *who, struct lookup *lookup)
{
	if (lookup->adopted || !mgpu_device_was_chosen())
		return true;
	return mgpu_ok(who, gpurun_module_on_device(lookup->module, mgpu_device(),
						    &lookup->module));
}

void *mgpuModuleGetFunction(void *module, const char *name)
{
	CLEANUP(end) struct lookup lookup;
	struct gpurun_kernel kernel;
	void *native;

	if (!begin(__func__, module, &lookup) || !use_on_device(__func__, &lookup) ||
	    !mgpu_ok(__func__, gpurun_module_kernel(lookup.module, name, &kernel)) ||
	    !mgpu_ok(__func__, gpurun_kernel_native(kernel, &native)))
		return mgpu_not_made(MGPU_KERNEL);
	return native;
}
