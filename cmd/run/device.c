/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device.h"

#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "device_lock.h"
#include "library.h"
#include "message.h"
#include "options.h"

/*
 * Puts the environment variable that has the wrong value in front of what the library says
 * of a selector. That is --check's where the text is about the key it was made: "... check=x
 * is not one or more of ...". The kinds alone, which have no value, are never wrong.
 */
static int name_variable(const struct plan *plan, struct err *e)
{
	bool check = plan->checked && strstr(e->text, ": check=");
	enum option_id id = check ? OPTION_CHECK : OPTION_DEVICE;
	const char *selector = plan->options->device;

	if (!plan->options->inherited[id] ||
	    (e->code != GPURUN_INVALID && e->code != GPURUN_NO_DEVICE) ||
	    (!check && (plan_takes_any(selector) || !strcmp(selector, "gpu") ||
			!strcmp(selector, "cpu"))))
		return (int)e->code;
	return err_wrap(e, "%s", option_said(plan->options, id));
}

static int refuse_selector(const struct plan *plan, struct err *e)
{
	if (e->code == GPURUN_INVALID && !strncmp(plan->device, "rank", 4))
		err_hint(e, "rank takes nothing after it; keys of the CPU device go into "
			    "GPURUN_CPU");
	return name_variable(plan, e);
}

/* The processes of a machine share its devices; -1: the one that the selector says. */
static int choose_by_rank(const struct plan *plan, int *ordinal, struct err *e)
{
	int count;

	*ordinal = -1;
	if (plan->local_rank < 0)
		return 0;
	TRY(library_status(gpurun_device_count(&count), e));
	*ordinal = plan->local_rank % count;
	message_verbose("local rank %d: device %d of %d", plan->local_rank, *ordinal, count);
	return 0;
}

int device_open(const struct plan *plan, struct device *device, struct err *e)
{
	int ordinal;

	*device = (struct device){ .info.struct_size = sizeof(device->info) };
	if (library_status(gpurun_init(plan_takes_any(plan->device) ? "auto" : plan->device), e))
		return refuse_selector(plan, e);
	TRY(choose_by_rank(plan, &ordinal, e));
	TRY(library_status(gpurun_device_get(ordinal, &device->handle), e));
	TRY(library_status(gpurun_device_get_info(device->handle, &device->info),
				 e));
	if (plan_takes_any(plan->device) && device->info.kind == GPURUN_DEVICE_CPU)
		message_note("no GPU here: using the CPU device");
	return 0;
}

int device_take_turn(const struct plan *plan, const struct device *device, bool inherit,
		     struct err *e)
{
	const struct options *options = plan->options;

	return options->given[OPTION_LOCK] ?
		       device_lock(options->lock, &device->info, inherit, e) : 0;
}

struct image_target device_target(const struct device *device)
{
	/* Which PTX the CPU device reads is for its own front end to say. */
	if (device->info.kind == GPURUN_DEVICE_CPU)
		return (struct image_target){ .ptx_only = true };
	return (struct image_target){
		.arch = (unsigned)(device->info.cc_major * 10 + device->info.cc_minor),
	};
}

const char *device_describe(const struct device *device, char text[160])
{
	if (device->info.kind == GPURUN_DEVICE_CPU)
		return "the CPU device";
	snprintf(text, 160, "sm_%d%d (%.128s)", device->info.cc_major,
		 device->info.cc_minor, device->info.name);
	return text;
}
