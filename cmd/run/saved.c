/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "saved.h"

#include <stdlib.h>

#include "array.h"
#include "cleanup.h"
#include "library.h"
#include "run.h"

static int saved_no_memory(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the run");
}

static int copy_block(uint64_t to, uint64_t from, uint64_t size, struct err *e)
{
	return CALL(gpurun_memory_copy(to, from, size, (struct gpurun_stream){ 0 }), e);
}

static int save(struct run *run, uint64_t address, uint64_t size, const char *name, struct err *e)
{
	struct saved_memory *saved = &run->saved;
	struct saved_block *block;

	if (!size)
		return 0;
	block = array_grow(&saved->at, saved->count, sizeof(*block));
	if (!block)
		return saved_no_memory(e);
	*block = (struct saved_block){ .address = address, .size = size };
	if (CALL(gpurun_memory_alloc(run->device.handle, size, GPURUN_MEMORY_DEVICE, &block->copy),
		 e)) {
		err_wrap(e, "a copy of %s, from which each run begins", name);
		return err_hint(e, "it takes as much memory again as the buffers have");
	}
	saved->count++;
	return copy_block(block->copy, address, size, e);
}

/* The variables of the module of a unit. */
struct variables {
	struct run *run;
	struct gpurun_module module;
	int status;
	struct err *e;
};

static void save_variable(const struct variable_info *info, void *data)
{
	struct variables *variables = data;
	CLEANUP(free_pointer) char *name = strndup(info->name, info->length);
	uint64_t address, size;

	if (variables->status || !info->length)
		return;
	if (!name)
		variables->status = saved_no_memory(variables->e);
	else if (!gpurun_module_global(variables->module, name, &address, &size))
		variables->status = save(variables->run, address, size, name, variables->e);
}

static int save_variables(struct variables *variables, const struct source *source,
			  const struct image *chosen, struct err *e)
{
	struct image_file *file = source->file;

	TRY(image_variables(file, image_at(file, image_index(file, chosen)), save_variable,
			    variables, e));
	return variables->status;
}

static int save_module(struct run *run, size_t index, struct err *e)
{
	const struct bound_unit *bound = &run_bound(run)->at[index];
	struct variables variables = { run, run->modules[index], 0, e };

	for (size_t i = 0; i < bound->part_count; i++)
		TRY(save_variables(&variables, bound->parts[i].source, bound->parts[i].chosen, e));
	if (bound->part_count || !bound->chosen)
		return 0;
	return save_variables(&variables, run->plan->units[index].source, bound->chosen, e);
}

int saved_take(struct run *run, struct err *e)
{
	const struct plan *plan = run->plan;

	run->stage = "memory";
	for (size_t i = 0; i < plan->buffer_count && !run->memory; i++) {
		if (!plan->buffers[i].symbol)
			TRY(save(run, run->buffers[i].address, plan->buffers[i].size,
				 plan->buffers[i].name, e));
	}
	for (size_t i = 0; i < plan->unit_count; i++)
		TRY(save_module(run, i, e));
	return 0;
}

int saved_restore(const struct run *run, struct err *e)
{
	for (size_t i = 0; i < run->saved.count; i++) {
		const struct saved_block *block = &run->saved.at[i];

		TRY(copy_block(block->address, block->copy, block->size, e));
	}
	return 0;
}
