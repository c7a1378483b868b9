/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "occupancy.h"

#include <string.h>

#include "action.h"
#include "bytes.h"
#include "cleanup.h"
#include "geometry.h"
#include "library.h"
#include "sources.h"
#include "unit_load.h"
#include "units.h"

enum { DEFAULT_BLOCK = 256 };

static int load(struct occupancy *occupancy, struct plan *plan,
		const struct lookup_kernel *kernel, struct err *e)
{
	const struct image_target target = device_target(&occupancy->device);
	CLEANUP(bound_unit_release) struct bound_unit bound = { 0 };
	char text[160];
	size_t index;

	TRY(units_find(plan, kernel, &index, e));
	TRY(units_bind_one(plan, index, &target, device_describe(&occupancy->device, text),
			   &bound, e));
	return unit_load(occupancy->device.handle, plan->units[index].source, &bound,
			 &occupancy->module, e);
}

/* Loads the container of @kernel, unless it is the one that is loaded. */
static int use(struct occupancy *occupancy, struct plan *plan,
	       const struct lookup_kernel *kernel, struct err *e)
{
	const struct source *source = sources_of(plan, kernel);

	if (occupancy->source != source || occupancy->container != kernel->container) {
		if (occupancy->module.id)
			gpurun_module_unload(occupancy->module);
		occupancy->module = (struct gpurun_module){ 0 };
		occupancy->source = source;
		occupancy->container = kernel->container;
		occupancy->failure = (struct err){ 0 };
		load(occupancy, plan, kernel, &occupancy->failure);
	}
	if (occupancy->failure.code)
		*e = occupancy->failure;
	return (int)occupancy->failure.code;
}

/* The threads of the block that the kernel asks for, as far as the device allows them. */
static unsigned block_of(const struct kernel_info *info, int most)
{
	const unsigned *dims = info->required_block[0] ? info->required_block : info->max_block;
	uint64_t threads = 1;

	for (size_t i = 0; i < 3 && threads <= UINT32_MAX; i++)
		threads *= dims[i] ? dims[i] : 1;
	if (!dims[0])
		threads = DEFAULT_BLOCK;
	return threads > (uint64_t)most ? (unsigned)most : (unsigned)threads;
}

int occupancy_check(const struct launch_options *options, struct err *e)
{
	static const struct kernel_info nothing_required;
	const struct lookup_kernel any = { .base = "", .info = &nothing_required };

	return geometry_block(&(struct launch){ .kernel = &any }, options, e);
}

/* The block and the shared memory to ask about; block 0: the best one. */
static int choose_block(const struct launch_options *options, const struct lookup_kernel *kernel,
			int most, struct occupied *out, struct err *e)
{
	struct launch launch = { .kernel = kernel };
	uint64_t threads = 1;

	TRY(geometry_block(&launch, options, e));
	out->shared = launch.shared;
	for (int i = 0; i < 3; i++)
		if (!size_mul(threads, launch.extent.block[i], &threads))
			threads = UINT64_MAX;
	out->block = threads < UINT32_MAX ? (unsigned)threads : UINT32_MAX;
	if (!options->block)
		out->block = block_of(kernel->info, most);
	else if (!strcmp(options->block, "auto") && !kernel->info->required_block[0])
		out->block = 0;
	return 0;
}

int occupancy_ask(struct occupancy *occupancy, struct plan *plan,
		  const struct lookup_kernel *kernel, struct occupied *out, struct err *e)
{
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };
	struct gpurun_kernel handle;
	unsigned grid;

	TRY(use(occupancy, plan, kernel, e));
	TRY(CALL(gpurun_module_kernel(occupancy->module, kernel->name, &handle), e));
	TRY(CALL(gpurun_kernel_get_info(handle, &info), e));
	TRY(choose_block(occupancy->options, kernel, info.max_threads_per_block, out, e));
	TRY(CALL(gpurun_kernel_occupancy(handle, out->shared, &out->best_block, &grid), e));
	if (!out->block)
		out->block = out->best_block;
	return CALL(gpurun_kernel_blocks(handle, out->block, out->shared, &out->blocks), e);
}
