/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "near.h"

#include <ctype.h>
#include <string.h>

#include "asserts.h"
#include "options.h"
#include "program.h"

const char *near_option(const char *name, size_t length)
{
	static const struct {
		const char *name, *here;
	} names[] = {
		{ "args", "arg" },
		{ "bench", "verbose" },
		{ "blockdim", "block" },
		{ "blocks", "grid" },
		{ "dynamic-shared", "shared" },
		{ "entry", "launch" },
		{ "entry-point", "launch" },
		{ "function", "launch" },
		{ "gpu", "device" },
		{ "griddim", "grid" },
		{ "input", "arg" },
		{ "kernel", "launch" },
		{ "kernels", "list" },
		{ "memcheck", "check" },
		{ "output", "out" },
		{ "overwrite", "force" },
		{ "racecheck", "check" },
		{ "run", "exec" },
		{ "sanitize", "check" },
		{ "smem", "shared" },
		{ "synccheck", "check" },
		{ "time", "verbose" },
		{ "times", "verbose" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == length && !memcmp(names[i].name, name, length))
			return names[i].here;
	}
	return NULL;
}

/* The option that @word is, with two dashes or as a letter alone; NULL when it is none. */
static const struct option *option_of(const char *word)
{
	for (int i = 0; word[0] == '-' && i < OPTION_COUNT; i++) {
		const struct option *option = &option_table[i];

		if (word[1] == '-' ? !strcmp(word + 2, option->name)
				   : word[1] == option->letter && word[1] && !word[2])
			return option;
	}
	return NULL;
}

static bool is_name(const char *word)
{
	for (int i = 0; i < OPTION_COUNT; i++) {
		if (!strcmp(word, option_table[i].name))
			return true;
	}
	return false;
}

static bool takes_numbers(const struct option *option)
{
	return option == &option_table[OPTION_GRID] ||
	       option == &option_table[OPTION_BLOCK] ||
	       option == &option_table[OPTION_CLUSTER] ||
	       option == &option_table[OPTION_THREADS];
}

int near_word(const struct options *options, size_t at, struct err *e)
{
	const char *const *words = options->words.at;
	const char *word = words[at];
	const char *before = at ? words[at - 1] : "";
	const char *second = at > 1 ? words[at - 2] : "";
	const struct option *option = option_of(before);

	ASSERT(at < options->words.count && options->image);
	if (option && option->argument == ARGUMENT_OPTIONAL)
		return err_hint(e, "a value of --%s is written after =: --%s=%.100s",
				option->name, option->name, word);
	option = option_of(second);
	if (option && takes_numbers(option) && isdigit((unsigned char)word[0]))
		return err_hint(e, "--%s is one word: %.40s,%.40s", option->name, before,
				word);
	if (option && option->argument == ARGUMENT_REQUIRED && option_of(before))
		return err_hint(e, "--%s took %s for its value: %s", option->name, before,
				option->metavar);
	if (before[0] == '-' && is_name(before + 1))
		return err_hint(e, "long options have two dashes: -%s", before);
	if (!strncmp(word, "\342\200", 2))
		return err_hint(e, "it begins with a dash that is no '-'");
	if (program_hint_second(options, at, e))
		return (int)e->code;
	if (is_name(options->image))
		return err_hint(e, "did you mean --%s?", options->image);
	if (program_hint(options, false, e))
		return (int)e->code;
	return err_hint(e, "a kernel is named by --launch, its arguments are given with "
			   "--arg");
}

int near_file(const struct options *options, const char *path, struct err *e)
{
	if (path == options->image && program_hint(options, true, e))
		return (int)e->code;
	if (e->code == GPURUN_IO && is_name(path))
		return err_hint(e, "did you mean --%s?", path);
	return (int)e->code;
}
