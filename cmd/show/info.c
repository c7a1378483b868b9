/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "info.h"

#include "describe.h"
#include "document.h"
#include "globals.h"
#include "info_text.h"
#include "kernel_json.h"
#include "occupancy.h"
#include "options.h"
#include "output.h"
#include "sources.h"

/* What is reported, and where. */
struct printer {
	struct plan *plan;
	struct json *json; /* NULL: to stdout */
	struct occupancy *occupancy; /* NULL: no device was named */
	bool begun;        /* something was printed */
};

/* ---- A device's answer -------------------------------------------------------------- */

static void print_occupied(const struct occupancy *occupancy, const struct occupied *occupied)
{
	const struct gpurun_device_info *info = &occupancy->device.info;
	char shared[80] = "";

	if (occupied->shared)
		snprintf(shared, sizeof(shared), " with %u bytes of dynamic shared memory each",
			 occupied->shared);
	output_text("  occupancy: a multiprocessor of %s runs %u block%s of %u threads%s at once; "
		    "most threads run in blocks of %u%s\n",
		    info->name, occupied->blocks, occupied->blocks == 1 ? "" : "s", occupied->block,
		    shared, occupied->best_block, info->kind == GPURUN_DEVICE_CPU ?
		    " (registers do not limit it here)" : "");
}

static void json_occupied(struct json *json, const struct occupied *occupied,
			  const struct err *failure)
{
	json_object(json, "occupancy");
	if (failure->code) {
		json_string(json, "problem", failure->text);
	} else {
		json_unsigned(json, "block", occupied->block);
		json_unsigned(json, "shared", occupied->shared);
		json_unsigned(json, "blocks", occupied->blocks);
		json_unsigned(json, "best_block", occupied->best_block);
	}
	json_end_object(json);
}

/* That one kernel cannot be run there is reported with it, and is no failure. */
static void report_occupied(struct printer *printer, const struct lookup_kernel *kernel)
{
	struct occupied occupied = { 0 };
	struct err failure = { 0 };

	if (!printer->occupancy)
		return;
	occupancy_ask(printer->occupancy, printer->plan, kernel, &occupied, &failure);
	if (printer->json)
		json_occupied(printer->json, &occupied, &failure);
	else if (failure.code)
		output_text("  occupancy: unknown: %s\n", failure.text);
	else
		print_occupied(printer->occupancy, &occupied);
}

/* ---- Kernels -------------------------------------------------------------------------- */

static void report_kernel(struct printer *printer, const struct lookup_kernel *kernel)
{
	struct json *json = printer->json;

	if (json)
		json_object(json, NULL);
	else if (printer->begun)
		putchar('\n');
	printer->begun = true;
	if (json)
		kernel_json(json, printer->plan, kernel, true);
	else
		info_text(printer->plan, kernel);
	report_occupied(printer, kernel);
	if (json)
		json_end_object(json);
}

/* In text, the variables of a module follow its kernels. */
static void print_globals(const struct plan *plan, const struct lookup_kernel *kernel)
{
	globals_print(sources_of(plan, kernel), kernel->container, "variables of the module:",
		     NULL);
}

static bool visit(const struct lookup *lookup, void *data)
{
	struct printer *printer = data;

	for (size_t i = 0; i < lookup->count; i++)
		report_kernel(printer, &lookup->kernels[i]);
	if (!printer->json)
		print_globals(printer->plan, &lookup->kernels[0]);
	return printer->json || !ferror(stdout);
}

static int report_all(struct printer *printer, struct err *e)
{
	const struct plan *plan = printer->plan;

	for (size_t i = 0; i < plan->source_count; i++) {
		const struct source *source = &plan->sources[i];
		int status = lookup_each(source->name, source->file, source->wanted, visit,
					 printer, e);

		if (status)
			return status == GPURUN_NO_IMAGE ? err_wrap(e, "%s", source->path) :
							   status;
	}
	return 0;
}

static int find_kernel_to_show(struct plan *plan, struct launch *launch, struct err *e)
{
	const char *name = plan->topic;

	plan->stage = "kernel";
	TRY(sources_find_kernel(plan, launch, name, e));
	return sources_accept_prefix(plan, launch, name, e);
}

/* Reports all that is asked for; @launch has the kernel that --info names, or none. */
static int report(struct printer *printer, const struct launch *launch, struct err *e)
{
	if (!launch->kernel)
		return report_all(printer, e);
	report_kernel(printer, launch->kernel);
	if (!printer->json)
		print_globals(printer->plan, launch->kernel);
	return 0;
}

static void json_globals(struct json *json, const struct plan *plan,
			 const struct lookup_kernel *kernel)
{
	json_array(json, "variables");
	if (kernel)
		globals_print(sources_of(plan, kernel), kernel->container, NULL, json);
	for (size_t i = 0; !kernel && i < plan->source_count; i++)
		globals_print(&plan->sources[i], GLOBALS_ALL, NULL, json);
	json_end_array(json);
}

/* What is in a report. */
struct asked {
	struct printer *printer;
	const struct launch *launch;
};

static int json_members(struct json *json, const struct plan *plan, void *data, struct err *e)
{
	const struct asked *asked = data;
	struct printer *printer = asked->printer;

	printer->json = json;
	if (printer->occupancy)
		document_device(json, plan->device, &printer->occupancy->device.info);
	json_array(json, "kernels");
	TRY(report(printer, asked->launch, e));
	json_end_array(json);
	json_globals(json, plan, asked->launch->kernel);
	return 0;
}

/* Block and shared memory are a question to a device. */
static int check_question(const struct plan *plan, bool device, struct err *e)
{
	const bool *given = plan->options->given;

	if (device)
		return occupancy_check(&plan->options->launch, e);
	if (!given[OPTION_BLOCK] && !given[OPTION_SHARED])
		return 0;
	err_set(e, GPURUN_INVALID, "--%s besides --info asks a device, and none is named",
		given[OPTION_BLOCK] ? "block" : "shared");
	return err_hint(e, "-d cpu names one, or -d gpu where there is a GPU");
}

int info_print(struct plan *plan, struct err *e)
{
	const bool *given = plan->options->given;
	const bool device = given[OPTION_DEVICE] || given[OPTION_NO_DEVICE_EXIT];
	struct printer printer = { .plan = plan };
	struct occupancy occupancy = { .options = &plan->options->launch };
	struct launch launch = { 0 };

	TRY(check_question(plan, device, e));
	if (plan->topic)
		TRY(find_kernel_to_show(plan, &launch, e));
	if (device) {
		plan->stage = "device";
		TRY(device_open(plan, &occupancy.device, e));
		printer.occupancy = &occupancy;
	}
	if (plan->output->json.wanted)
		TRY(describe_json(plan, "info", json_members,
				  &(struct asked){ &printer, &launch }, NULL, e));
	else
		TRY(report(&printer, &launch, e));
	return describe_damage(plan, e);
}
