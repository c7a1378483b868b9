/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modes.h"

#include <stdio.h>
#include <string.h>

#include "options.h"

/* The modes that allow some of the options only, and what is said of them. */
static const struct rule {
	const char *why; /* NULL: all are allowed */
	const char *rest; /* of the hint */
	bool file;        /* is allowed */
} rules[MODE_VERSION + 1] = {
	[MODE_EXEC] = { "which runs a program instead", "; what follows it is the program's",
			false },
	[MODE_LIST] = { "which runs nothing", "", true },
	[MODE_INFO] = { "which runs nothing", "", true },
	[MODE_EXTRACT] = { "which runs nothing", "", true },
	[MODE_DEVICES] = { "which runs nothing", "", false },
	[MODE_DOCTOR] = { "which runs nothing", "; a program to look at is --doctor=PROG", false },
};

bool modes_allow(const struct option *option, enum mode mode)
{
	return option->modes >> mode & 1 || (option->scope == SCOPE_MODE && option->mode == mode);
}

/* Appends @word to @text, the @index'th of @count. */
static void add_listed(char *text, size_t size, const char *dashes, const char *word, int index,
		       int count)
{
	const char *before = !index ? "" : index + 1 == count ? " and " : ", ";
	const size_t length = strlen(text);

	snprintf(text + length, size - length, "%s%s%s", before, dashes, word);
}

static bool option_goes(const struct option *option, enum mode mode)
{
	return option->modes >> mode & 1 && option->scope != SCOPE_OLD;
}

/* "with --list go FILE, -d and -v": all that @mode allows. */
static int hint_allowed(enum mode mode, const char *name, const struct rule *rule, struct err *e)
{
	int count = rule->file, index = 0;
	char text[400] = "";

	for (int i = 0; i < OPTION_COUNT; i++)
		count += option_goes(&option_table[i], mode);
	if (rule->file)
		add_listed(text, sizeof(text), "", "FILE", index++, count);
	for (int i = 0; i < OPTION_COUNT; i++) {
		const struct option *option = &option_table[i];
		const char letter[2] = { option->letter, '\0' };

		if (option_goes(option, mode))
			add_listed(text, sizeof(text), letter[0] ? "-" : "--",
				   letter[0] ? letter : option->name, index++, count);
	}
	return err_hint(e, "with --%s go %s%s", name, text, rule->rest);
}

int modes_check(const struct options *options, struct err *e)
{
	const struct rule *rule = &rules[options->mode];
	const char *name = "", *wrong = rule->file ? NULL : options->image, *dashes = "";

	if (!rule->why)
		return 0;
	for (int i = 0; i < OPTION_COUNT; i++) {
		const struct option *option = &option_table[i];

		if (option->scope == SCOPE_MODE && option->mode == options->mode)
			name = option->name;
		if (!wrong && options->given[i] && !modes_allow(option, options->mode)) {
			wrong = option->name;
			dashes = "--";
		}
	}
	if (!wrong)
		return 0;
	err_set(e, GPURUN_INVALID, "%s%s besides --%s, %s", dashes, wrong, name, rule->why);
	return hint_allowed(options->mode, name, rule, e);
}
