/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "diagnose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "cleanup.h"
#include "image.h"
#include "suggest.h"

/*
 * The newest .version that a driver reads, as 90 for 9.0. Up to CUDA 12.5 and
 * from 13.0 it follows the driver's own; 12.6 to 12.9 lag by one.
 */
static unsigned newest_ptx(int driver_version)
{
	unsigned major = (unsigned)driver_version / 1000;
	unsigned minor = (unsigned)driver_version % 1000 / 10;

	if (major < 11)
		return 0;
	if (major == 12 && minor > 5)
		minor--;
	return (major - 4) * 10 + minor;
}

struct image_target diagnose_target(const struct device *device)
{
	const struct gpurun_device_info *info = &device->info;
	bool cpu = info->kind == GPURUN_DEVICE_CPU;

	return (struct image_target){
		.arch = (unsigned)(info->cc_major * 10 + info->cc_minor),
		.ptx_only = cpu,
		.ptx_version = cpu ? 0 : newest_ptx(info->driver_version),
	};
}

/* The first whole image of @kind; NULL when there is none. */
static const struct image *first_image(struct image_file *file, enum image_kind kind)
{
	for (size_t i = 0; i < image_count(file); i++)
		if (image_at(file, i)->kind == kind &&
		    (kind == IMAGE_BITCODE || !image_at(file, i)->problem))
			return image_at(file, i);
	return NULL;
}

/* The SM number of the PTX in @file, or in a cubin's line info; 0 when there is none. */
static unsigned ptx_arch(struct image_file *file)
{
	const struct image *ptx = first_image(file, IMAGE_PTX);
	const struct image *cubin = first_image(file, IMAGE_CUBIN);

	if (ptx)
		return ptx->arch;
	return cubin ? cubin->line_arch : 0;
}

static int refuse(const struct device *device, struct image_file *file,
		  struct err *e)
{
	const struct gpurun_device_info *info = &device->info;
	const bool cpu = info->kind == GPURUN_DEVICE_CPU;
	const unsigned arch = cpu ? ptx_arch(file) : 0;
	char held[256], other[64] = "";

	image_describe_all(file, held, sizeof(held));
	if (arch) {
		/* What the selector says counts more than the variable. */
		snprintf(other, sizeof(other), ", or %s=%u.%u", strstr(runtime.cpu_options, "cc=") ?
			 "-d cpu:cc" : "set GPURUN_CPU=cc", arch / 10, arch % 10);
		err_set(e, GPURUN_NO_IMAGE, "contains %s only; the CPU device is sm_%d%d", held,
			info->cc_major, info->cc_minor);
	} else if (cpu) {
		err_set(e, GPURUN_NO_IMAGE, "contains %s only; the CPU device runs PTX", held);
	} else {
		err_set(e, GPURUN_NO_IMAGE, "contains %s; nothing that device %d, %s "
			"(sm_%d%d), can run", held, info->ordinal, info->name,
			info->cc_major, info->cc_minor);
	}
	if (first_image(file, IMAGE_BITCODE))
		return err_hint(e, "compile the bitcode to PTX: llc -mtriple=nvptx64-nvidia-cuda "
				"-mcpu=sm_%d%d -o program.ptx program.bc", info->cc_major,
				info->cc_minor);
	return err_hint(e, "rebuild with -gencode arch=compute_%d%d,code=compute_%d%d%s",
			info->cc_major, info->cc_minor, info->cc_major, info->cc_minor, other);
}

/* The first image that @target can run, if it can be read; NULL when there is none. */
static struct image *any_image(struct image_file *file, const struct image_target *target)
{
	for (size_t i = 0; i < image_count(file); i++) {
		struct image *image = image_at(file, i);

		if (image_runs_on(image, target) && !image_kernels(file, image, NULL) &&
		    image_runs_on(image, target))
			return image;
	}
	return NULL;
}

int diagnose_choose(const struct device *device, struct image_file *file,
		    struct image **chosen, struct err *e)
{
	struct image_target target = diagnose_target(device);

	*chosen = image_choose(file, UINT32_MAX, &target);
	if (!*chosen)
		*chosen = any_image(file, &target);
	return *chosen ? 0 : refuse(device, file, e);
}

/* A driver does not look into files of the host: the image has to be extracted first. */
static int refuse_host(const struct image_file *file, struct err *e)
{
	if (strncmp(image_file_kind(file), "ELF ", 4) &&
	    strcmp(image_file_kind(file), "ar archive"))
		return 0;
	err_set(e, GPURUN_NO_IMAGE, "an %s with GPU code in it, not GPU code itself",
		image_file_kind(file));
	return err_hint(e, "load what is in its section, .nv_fatbin most often");
}

int diagnose_image(const struct device *device, struct bytes bytes, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	struct image *chosen;

	TRY(image_file_read(bytes, "image", &file, e));
	TRY(refuse_host(file, e));
	return diagnose_choose(device, file, &chosen, e);
}

/* Appends the first line of the JIT's log to the text: it says what is wrong. */
static void add_log(const char *log, struct err *e)
{
	size_t used = strlen(e->text);

	log += strspn(log, " \t\r\n");
	if (*log)
		snprintf(e->text + used, sizeof(e->text) - used, ": %.*s",
			 (int)strcspn(log, "\r\n"), log);
}

int diagnose_load(const struct device *device, struct bytes bytes, const char *log,
		  struct err *e)
{
	struct err found;
	int status = e->code;

	if (status == GPURUN_FORMAT || status == GPURUN_NO_IMAGE) {
		status = diagnose_image(device, bytes, &found);
		if (status == GPURUN_FORMAT || status == GPURUN_NO_IMAGE) {
			*e = found;
			return status;
		}
	}
	add_log(log, e);
	return e->code;
}

int diagnose_link(const char *log, struct err *e)
{
	add_log(log, e);
	switch (e->code) {
	case GPURUN_NO_MEMORY:
	case GPURUN_FAULT:
	case GPURUN_UNSUPPORTED:
		return e->code;
	default:
		/* Drivers have no special code for inputs that cannot be linked. */
		if (*log)
			e->code = GPURUN_NO_IMAGE;
		return e->code;
	}
}

int diagnose_kernel(const char *name, const char *log, struct err *e)
{
	if (*log)
		err_set(e, GPURUN_NO_IMAGE, "kernel %.*s", (int)strcspn(log, "\r\n"), log);
	else
		err_wrap(e, "kernel '%s'", name);
	if (e)
		e->code = GPURUN_NO_IMAGE;
	return err_hint(e, "other kernels of the image may run; a GPU may run this one");
}

/* The kernel of @image whose name is near @name; NULL: there is none. */
static const char *near_name(const struct image *image, const char *name)
{
	CLEANUP(free_pointer)
	const char **names = calloc(image->kernel_count + 1, sizeof(*names));

	for (size_t i = 0; names && i < image->kernel_count; i++)
		names[i] = image->kernels[i].name;
	return names ? suggest(name, names, image->kernel_count) : NULL;
}

int diagnose_name(const struct device *device, struct bytes bytes, const char *name,
		  struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	struct image *image;
	const char *near = NULL;

	if (bytes.size && !image_file_read(bytes, "image", &file, NULL) &&
	    !diagnose_choose(device, file, &image, NULL) && !image_kernels(file, image, NULL))
		near = near_name(image, name);
	err_set(e, GPURUN_NOT_FOUND, "no kernel '%s' in the module", name);
	return near ? err_hint(e, "did you mean '%s'?", near) : GPURUN_NOT_FOUND;
}
