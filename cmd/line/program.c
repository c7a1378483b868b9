/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "program.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_keys.h"
#include "host_program.h"
#include "input.h"
#include "message.h"
#include "modes.h"
#include "options.h"
#include "quote.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A command line for a hint. */
struct line {
	char text[ERR_TEXT_SIZE - 128];
	bool cut; /* it did not fit */
};

static void add_word(struct line *line, const char *word)
{
	const size_t length = strlen(line->text);
	char *at = line->text + length;

	line->cut = line->cut || length + 2 > sizeof(line->text);
	if (line->cut)
		return;
	*at++ = ' ';
	line->cut = !quote_word(word, at, sizeof(line->text) - length - 1);
	if (line->cut)
		line->text[length] = '\0';
}

static bool ends_with(const char *text, const char *end)
{
	return strlen(text) > strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* What runs the file @path, which is no program by itself; NULL: nothing that is known. */
static const char *interpreter_of(const char *path)
{
	static const struct {
		const char *end, *name;
	} interpreters[] = { { ".py", "python3" }, { ".sh", "sh" } };

	for (size_t i = 0; i < COUNT(interpreters); i++)
		if (ends_with(path, interpreters[i].end))
			return interpreters[i].name;
	return NULL;
}

/* Adds "--exec" and how FILE is run to @line; false: it is no program. */
static bool add_program(struct line *line, const char *file)
{
	const char *interpreter = NULL;
	char path[PATH_MAX], here[PATH_MAX];
	const bool exists = !access(file, F_OK);

	if (!exists && (strchr(file, '/') || !host_program_find(file, path)))
		return false;
	if (exists && !host_program_is(file)) {
		interpreter = is_folder(file) ? NULL : interpreter_of(file);
		if (!interpreter)
			return false;
	}
	add_word(line, "--exec");
	if (interpreter)
		add_word(line, interpreter);
	/* A name without a slash is searched in PATH. */
	snprintf(here, sizeof(here), "%s%s",
		 exists && !interpreter && !strchr(file, '/') ? "./" : "", file);
	add_word(line, here);
	return true;
}

static bool go_with_exec(const struct options *options)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		if (options->given[i] && !modes_allow(&option_table[i], MODE_EXEC))
			return false;
	return true;
}

/* Tells whether C's @text has main(), as a word of its own. */
static bool has_main(struct bytes text)
{
	const char *begin = (const char *)text.data, *end = begin + text.size;

	for (const char *at = begin; (at = memmem(at, (size_t)(end - at), "main", 4)); at += 4) {
		const char *after = at + 4;

		while (after < end && isspace((unsigned char)*after))
			after++;
		if (after < end && *after == '(' && at > begin && isspace((unsigned char)at[-1]))
			return true;
	}
	return false;
}

/* A CUDA program is built first, so that the CPU device has its runtime and its PTX. */
static bool hint_source(const char *file, struct err *e)
{
	CLEANUP(input_release) struct input input = { .fd = -1 };
	const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char quoted[128], program[128];
	struct err ignored;

	if (!ends_with(file, ".cu") || input_open(&input, file, NULL, &ignored) ||
	    !has_main(input.bytes))
		return false;
	snprintf(program, sizeof(program), "./%.*s", (int)(strlen(name) - strlen(".cu")), name);
	if (!quote_word(file, quoted, sizeof(quoted)) || strpbrk(program, "' \\\"$"))
		return false;
	err_hint(e, "to run its main(): nvcc -lineinfo -arch=sm_80 %s -o %s && "
		    "gpurun --exec %s; or its kernels alone: nvcc -fatbin %s -o out.fatbin",
		 quoted, program + 2, program, quoted);
	return true;
}

static bool hint_folder(const char *file, struct err *e)
{
	char list[PATH_MAX], quoted[128];

	if (!is_folder(file))
		return false;
	snprintf(list, sizeof(list), "%s/CMakeLists.txt", file);
	if (!access(list, F_OK) && quote_word(file, quoted, sizeof(quoted)))
		err_hint(e,
			 "a project: cmake -S %s -B build -D CMAKE_CUDA_RUNTIME_LIBRARY=Shared && "
			 "cmake --build build && gpurun --exec ctest --test-dir build",
			 quoted);
	else
		err_hint(e, "a file of GPU code is expected; gpurun --exec PROGRAM runs a host "
			    "program, and all that it starts: make, ctest, pytest");
	return true;
}

bool program_hint(const struct options *options, bool parsed, struct err *e)
{
	struct line line = { "gpurun", false };
	const char *file = options->image;
	const struct texts *words = &options->words;
	size_t place = 0;

	if (!file || !strcmp(file, "-"))
		return false;
	while (place < words->count && words->at[place] != file)
		place++;
	for (size_t i = 0; go_with_exec(options) && i < words->count; i++)
		if (i < place || (parsed && i > place))
			add_word(&line, words->at[i]);
	if (!add_program(&line, file))
		return hint_folder(file, e) || hint_source(file, e);
	for (size_t i = place + 1; !parsed && i < words->count; i++)
		add_word(&line, words->at[i]);
	if (line.cut)
		err_hint(e, "gpurun --exec PROGRAM runs a host program");
	else
		err_hint(e, "to run a host program: %s", line.text);
	return true;
}

bool program_hint_second(const struct options *options, size_t at, struct err *e)
{
	const struct texts *words = &options->words;
	struct line line = { "gpurun", false };

	/* No other file of GPU code has such a name. */
	if (!options->image || strpbrk(options->image, "./") || !access(options->image, F_OK) ||
	    !add_program(&line, words->at[at]))
		return false;
	for (size_t i = at + 1; i < words->count; i++)
		add_word(&line, words->at[i]);
	if (line.cut)
		err_hint(e, "gpurun --exec PROGRAM runs a host program");
	else
		err_hint(e, "to run a host program: %s", line.text);
	return true;
}

/* ---- words after --exec's program --------------------------------------------------- */

/* How many of the @count @words are option @id at their beginning; *@value: its value, or NULL. */
static size_t match_option(enum option_id id, const char *const *words, size_t count,
			   const char **value)
{
	const struct option *option = &option_table[id];
	const size_t length = strcspn(words[0], "=");
	const char letter[] = { '-', option->letter, '\0' };

	*value = NULL;
	if ((strncmp(words[0], "--", 2) || length != strlen(option->name) + 2 ||
	     strncmp(words[0] + 2, option->name, length - 2)) &&
	    (!option->letter || strcmp(words[0], letter)))
		return 0;
	if (words[0][length])
		*value = words[0] + length + 1;
	else if (option->argument == ARGUMENT_REQUIRED && count > 1)
		*value = words[1];
	return *value && *value == (count > 1 ? words[1] : NULL) ? 2 : 1;
}

static bool has_cpu_keys(const char *device)
{
	return !strncmp(device, "cpu:", 4) && strchr(device, '=');
}

/*
 * How many of the @count @words are an option that only gpurun has, at their beginning. Others have
 * --check, --device, --json, --timeout and the like as well, but not with gpurun's values, and
 * --error-exitcode is valgrind's.
 */
static size_t count_ours(const char *const *words, size_t count)
{
	static const struct {
		enum option_id id;
		bool (*means)(const char *value); /* NULL: whatever its value is */
	} ours[] = {
		{ OPTION_CHECK, check_keys_are },
		{ OPTION_DEVICE, has_cpu_keys },
		{ OPTION_EXPECT_FAULT, NULL },
		{ OPTION_NO_DEVICE_EXIT, NULL },
		{ OPTION_REQUIRE_LAUNCH, NULL },
	};

	for (size_t i = 0; i < COUNT(ours); i++) {
		const char *value;
		const size_t taken = match_option(ours[i].id, words, count, &value);

		if (taken && (!ours[i].means || (value && ours[i].means(value))))
			return taken;
	}
	return 0;
}

/* Tells whether what follows @word is left alone: "--", or another gpurun. */
static bool ends_search(const char *word)
{
	return !strcmp(word, "--") || !strcmp(word, "gpurun") || ends_with(word, "/gpurun");
}

/* Adds the options of gpurun among the program's words to @ours, the others to @rest. */
static void sort_words(const struct texts *args, struct line *ours, struct line *rest)
{
	bool search = true;

	for (size_t i = 0; i < args->count;) {
		size_t taken;

		search = search && !ends_search(args->at[i]);
		taken = search ? count_ours(args->at + i, args->count - i) : 0;
		for (size_t k = 0; k < taken; k++)
			add_word(ours, args->at[i++]);
		if (!taken)
			add_word(rest, args->at[i++]);
	}
}

void program_note(const struct options *options)
{
	const struct texts *words = &options->words;
	const size_t end = words->count - options->exec_args.count;
	struct line before = { "gpurun", false }, ours = { "", false }, rest = { "", false };
	char program[PATH_MAX];

	if (ends_search(options->exec))
		return;
	sort_words(&options->exec_args, &ours, &rest);
	if (!ours.text[0] && !ours.cut)
		return;
	/* The words up to --exec: its value is one of its own, or behind "=". */
	for (size_t i = 0; i + (strcmp(words->at[end - 1], options->exec) ? 1 : 2) < end; i++)
		add_word(&before, words->at[i]);
	if (before.cut || ours.cut || rest.cut ||
	    !quote_word(options->exec, program, sizeof(program)))
		message_note("options of gpurun are given to %s; for gpurun they go before --exec",
			     options->exec);
	else
		message_note("%s is given to %s; for gpurun: %s%s --exec %s%s", ours.text + 1,
			     options->exec, before.text, ours.text, program, rest.text);
}
