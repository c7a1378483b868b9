/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs whose images have device constructors and destructors, counters, or are
 * needed on two devices. */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

/* Reads @path, an image of this project; NULL, and told, when that fails. The caller's. */
static char *read_image(const char *path, size_t *size)
{
	char *image = calloc(1, 1 << 20);
	FILE *file = fopen(path, "r");

	*size = image && file ? fread(image, 1, (1 << 20) - 1, file) : 0;
	if (file)
		fclose(file);
	if (*size)
		return image;
	fprintf(stderr, "error: cannot read %s\n", path);
	free(image);
	return NULL;
}

/* One is unloaded, with its destructors; the other is left for the end. */
static void load_twice(const char *image, size_t size)
{
	struct gpurun_module first, second;

	STEP(gpurun_module_load(program_device, image, size, &first));
	STEP(gpurun_module_load(program_device, image, size, &second));
	STEP(gpurun_module_unload(first));
}

static void use(const char *path)
{
	size_t size;
	char *image = read_image(path, &size);

	if (image && program_start()) {
		load_twice(image, size);
		program_stop();
	}
	free(image);
}

/* Two images that are made one module. */
static void link_two(void)
{
	struct gpurun_link_input inputs[] = {
		{ program_ptx, 0, "program" },
		{ ".version 6.0\n.target sm_50\n.address_size 64\n"
		  ".visible .entry beside() { ret; }\n", 0, NULL },
	};
	struct gpurun_module module;

	STEP(gpurun_module_link(program_device, inputs, 2, &module));
	STEP(gpurun_module_unload(module));
}

void scenario_link(void)
{
	if (!program_start())
		return;
	link_two();
	program_stop();
}

void scenario_structors(void)
{
	use("test/data/images/structors.ptx");
}

void scenario_profile(void)
{
	use("test/data/images/profiled.ptx");
}

/* Loaded on the first device, asked for on the second, and unloaded from both. */
static void on_devices(void)
{
	struct gpurun_module module, other;
	struct gpurun_stream stream;
	struct gpurun_device second;

	STEP(gpurun_device_get(1, &second));
	STEP(gpurun_module_load(program_device, program_ptx, 0, &module));
	STEP(gpurun_module_on_device(module, second, &other));
	STEP(gpurun_stream_create(second, &stream));
	STEP(program_launch(other, "work", stream));
	STEP(gpurun_stream_synchronize(stream));
	STEP(gpurun_module_unload(module));
}

void scenario_on_device(void)
{
	if (!program_start())
		return;
	on_devices();
	program_stop();
}
