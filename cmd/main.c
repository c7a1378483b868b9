/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dry_run.h"
#include "exit.h"
#include "help.h"
#include "list.h"
#include "message.h"
#include "output.h"
#include "plan.h"

static int no_image(struct err *e)
{
	err_set(e, GPURUN_INVALID, "no file given");
	return err_hint(e, "gpurun FILE --list shows what is in FILE; gpurun --help");
}

static int run(struct plan *plan, const struct options *options, struct err *e)
{
	switch (options->mode) {
	case MODE_HELP:
		return help_print(options->topic, e);
	case MODE_VERSION:
		help_version();
		return 0;
	case MODE_LIST:
		if (!options->image)
			return no_image(e);
		TRY(plan_open(options, plan, e));
		return list_print(plan, e);
	default:
		break;
	}
	if (!options->image)
		return no_image(e);
	TRY(plan_open(options, plan, e));
	TRY(plan_make(plan, e));
	return dry_run_print(plan, e);
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct plan plan = { 0 };
	struct err error = { 0 };
	int status = options_parse(argc, argv, &options, &error);

	message_level(options.quiet, options.verbose);
	if (!status)
		status = output_begin(options.json && !options.json_file, &error);
	if (!status)
		status = run(&plan, &options, &error);
	if (!status)
		status = output_end(&error);
	if (status)
		message_error(&error);
	plan_release(&plan);
	options_release(&options);
	return exit_of_status((enum gpurun_status)status);
}
