/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "info.h"

#include "describe.h"
#include "document.h"
#include "globals.h"
#include "info_text.h"
#include "kernel_json.h"
#include "occupancy.h"
#include "sources.h"

/* What is reported, and where. */
struct telling {
	struct plan *plan;
	struct json *json; /* NULL: to stdout */
	struct occupancy *occupancy; /* NULL: no device was named */
	bool begun;        /* something was printed */
};

/* ---- A device's answer -------------------------------------------------------------- */

static void print_occupied(const struct occupancy *occupancy, const struct occupied *occupied)
{
	const struct gpurun_device_info *info = &occupancy->device.info;

	printf("  occupancy: a multiprocessor of %s runs %u block%s of %u threads at once; most "
	       "threads run in blocks of %u\n",
	       info->name, occupied->blocks, occupied->blocks == 1 ? "" : "s", occupied->block,
	       occupied->best_block);
}

static void json_occupied(struct json *json, const struct occupied *occupied,
			  const struct err *failure)
{
	json_object(json, "occupancy");
	if (failure->code) {
		json_string(json, "problem", failure->text);
	} else {
		json_unsigned(json, "block", occupied->block);
		json_unsigned(json, "blocks", occupied->blocks);
		json_unsigned(json, "best_block", occupied->best_block);
	}
	json_end_object(json);
}

/* That one kernel cannot be run there is reported with it, and is no failure. */
static void tell_occupied(struct telling *telling, const struct lookup_kernel *kernel)
{
	struct occupied occupied = { 0 };
	struct err failure = { 0 };

	if (!telling->occupancy)
		return;
	occupancy_ask(telling->occupancy, telling->plan, kernel, &occupied, &failure);
	if (telling->json)
		json_occupied(telling->json, &occupied, &failure);
	else if (failure.code)
		printf("  occupancy: unknown: %s\n", failure.text);
	else
		print_occupied(telling->occupancy, &occupied);
}

/* ---- Kernels -------------------------------------------------------------------------- */

static void tell_kernel(struct telling *telling, const struct lookup_kernel *kernel)
{
	struct json *json = telling->json;

	if (json)
		json_object(json, NULL);
	else if (telling->begun)
		putchar('\n');
	telling->begun = true;
	if (json)
		kernel_json(json, telling->plan, kernel, true);
	else
		info_text(telling->plan, kernel);
	tell_occupied(telling, kernel);
	if (json)
		json_end_object(json);
}

/* In text, the variables of a module follow its kernels. */
static void print_globals(const struct plan *plan, const struct lookup_kernel *kernel)
{
	globals_tell(sources_of(plan, kernel), kernel->container, "\nvariables of the module:",
		     NULL);
}

static bool visit(const struct lookup *lookup, void *data)
{
	struct telling *telling = data;

	for (size_t i = 0; i < lookup->count; i++)
		tell_kernel(telling, &lookup->kernels[i]);
	if (!telling->json)
		print_globals(telling->plan, &lookup->kernels[0]);
	return telling->json || !ferror(stdout);
}

static int tell_all(struct telling *telling, struct err *e)
{
	const struct plan *plan = telling->plan;

	for (size_t i = 0; i < plan->source_count; i++) {
		const struct source *source = &plan->sources[i];
		int status = lookup_each(source->name, source->file, source->wanted, visit,
					 telling, e);

		if (status)
			return status == GPURUN_NO_IMAGE ? err_wrap(e, "%s", source->path) :
							   status;
	}
	return 0;
}

static int find(struct plan *plan, struct launch *launch, struct err *e)
{
	const char *name = plan->options->topic;

	plan->stage = "kernel";
	TRY(sources_find_kernel(plan, launch, name, e));
	return sources_accept_prefix(plan, launch, name, e);
}

/* Reports all that is asked for; @launch has the kernel that --info names, or none. */
static int tell(struct telling *telling, const struct launch *launch, struct err *e)
{
	if (!launch->kernel)
		return tell_all(telling, e);
	tell_kernel(telling, launch->kernel);
	if (!telling->json)
		print_globals(telling->plan, launch->kernel);
	return 0;
}

static void json_globals(struct json *json, const struct plan *plan,
			 const struct lookup_kernel *kernel)
{
	json_array(json, "variables");
	if (kernel)
		globals_tell(sources_of(plan, kernel), kernel->container, NULL, json);
	for (size_t i = 0; !kernel && i < plan->source_count; i++)
		globals_tell(&plan->sources[i], GLOBALS_ALL, NULL, json);
	json_end_array(json);
}

/* What goes into a report. */
struct asked {
	struct telling *telling;
	const struct launch *launch;
};

static int json_members(struct json *json, const struct plan *plan, void *data, struct err *e)
{
	const struct asked *asked = data;
	struct telling *telling = asked->telling;

	telling->json = json;
	if (telling->occupancy)
		document_device(json, plan->device, &telling->occupancy->device.info);
	json_array(json, "kernels");
	TRY(tell(telling, asked->launch, e));
	json_end_array(json);
	json_globals(json, plan, asked->launch->kernel);
	return 0;
}

int info_print(struct plan *plan, struct err *e)
{
	struct telling telling = { .plan = plan };
	struct occupancy occupancy = { 0 };
	struct launch launch = { 0 };

	if (plan->options->topic)
		TRY(find(plan, &launch, e));
	if (plan->options->given[OPTION_DEVICE] || plan->options->given[OPTION_NO_DEVICE_EXIT]) {
		plan->stage = "device";
		TRY(device_open(plan, &occupancy.device, e));
		telling.occupancy = &occupancy;
	}
	if (plan->options->json.wanted)
		TRY(describe_json(plan, json_members, &(struct asked){ &telling, &launch }, NULL,
				  e));
	else
		TRY(tell(&telling, &launch, e));
	return describe_damage(plan, e);
}
