/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modes.h"

#include "options.h"

/* The modes that allow some of the options only. */
static const struct rule {
	enum mode mode;
	const char *name; /* of the option */
	const char *why;
	const char *hint;
	bool file; /* is allowed */
	bool allowed[OPTION_COUNT];
} rules[] = {
	{ MODE_EXEC, "exec", "which runs a program instead",
	  "with --exec go -d, -t, -j, --junit, --annotate, -q, -v, --check, --error-exitcode, "
	  "--expect-fault, --require-launch and --no-device-exit; "
	  "what follows it is the program's", false,
	  { [OPTION_EXEC] = true, [OPTION_CHECK] = true, [OPTION_ERROR_EXITCODE] = true,
	    [OPTION_EXPECT_FAULT] = true, [OPTION_REQUIRE_LAUNCH] = true,
	    [OPTION_DEVICE] = true, [OPTION_NO_DEVICE_EXIT] = true, [OPTION_TIMEOUT] = true,
	    [OPTION_JSON] = true, [OPTION_JUNIT] = true, [OPTION_ANNOTATE] = true,
	    [OPTION_QUIET] = true, [OPTION_VERBOSE] = true } },
	{ MODE_LIST, "list", "which runs nothing",
	  "with --list go FILE, --image, --link, --load, -d, -j, -q and -v", true,
	  { [OPTION_LIST] = true, [OPTION_IMAGE] = true, [OPTION_LINK] = true,
	    [OPTION_LOAD] = true, [OPTION_DEVICE] = true, [OPTION_JSON] = true,
	    [OPTION_QUIET] = true, [OPTION_VERBOSE] = true } },
	{ MODE_INFO, "info", "which runs nothing",
	  "with --info go FILE, --image, --link, --load, -d, -j, -q, -v and --no-device-exit",
	  true,
	  { [OPTION_INFO] = true, [OPTION_IMAGE] = true, [OPTION_LINK] = true,
	    [OPTION_LOAD] = true, [OPTION_DEVICE] = true, [OPTION_NO_DEVICE_EXIT] = true,
	    [OPTION_JSON] = true, [OPTION_QUIET] = true, [OPTION_VERBOSE] = true } },
	{ MODE_EXTRACT, "extract", "which runs nothing",
	  "with --extract go FILE, --image, --load, -f, -d, -j, -q and -v", true,
	  { [OPTION_EXTRACT] = true, [OPTION_IMAGE] = true, [OPTION_LOAD] = true,
	    [OPTION_FORCE] = true, [OPTION_DEVICE] = true, [OPTION_JSON] = true,
	    [OPTION_QUIET] = true, [OPTION_VERBOSE] = true } },
	{ MODE_DEVICES, "devices", "which runs nothing",
	  "with --devices go -d, -t, -j, -q, -v and --no-device-exit", false,
	  { [OPTION_DEVICES] = true, [OPTION_DEVICE] = true, [OPTION_TIMEOUT] = true,
	    [OPTION_NO_DEVICE_EXIT] = true, [OPTION_JSON] = true, [OPTION_QUIET] = true,
	    [OPTION_VERBOSE] = true } },
};

static int check_rule(const struct options *options, const struct rule *rule, struct err *e)
{
	const char *wrong = rule->file ? NULL : options->image, *dashes = "";

	for (int i = 0; i < OPTION_COUNT && !wrong; i++) {
		if (options->given[i] && !rule->allowed[i]) {
			wrong = option_table[i].name;
			dashes = "--";
		}
	}
	if (!wrong)
		return 0;
	err_set(e, GPURUN_INVALID, "%s%s besides --%s, %s", dashes, wrong, rule->name,
		rule->why);
	return err_hint(e, "%s", rule->hint);
}

int modes_check(const struct options *options, struct err *e)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].mode == options->mode)
			return check_rule(options, &rules[i], e);
	return 0;
}
