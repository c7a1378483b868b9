/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "check_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "options.h"

#define EXITCODE "exitcode"

int status_read(const char *said, const char *text, int *status, struct err *e)
{
	const size_t digits = strspn(text, "0123456789");

	if (!digits || text[digits] || digits > 3 || atoi(text) > 255)
		return err_set(e, GPURUN_INVALID, "%s%s: not an exit status, 0 to 255", said, text);
	*status = atoi(text);
	return 0;
}

/* Returns what follows "exitcode=" in @word, "" where nothing does; NULL: another word. */
static const char *exitcode_of(const char *word)
{
	const size_t length = strlen(EXITCODE);

	if (strncmp(word, EXITCODE, length) != 0 || (word[length] && word[length] != '='))
		return NULL;
	return word + length + (word[length] == '=');
}

/* Reads exitcode=@value; a number that was given before is the same one. */
static int read_exitcode(struct options *options, const char *value, struct err *e)
{
	const int before = options->check_status;
	char said[64];

	snprintf(said, sizeof(said), "%s " EXITCODE "=", option_said(options, OPTION_CHECK));
	TRY(status_read(said, value, &options->check_status, e));
	if (before >= 0 && before != options->check_status)
		return err_set(e, GPURUN_INVALID, "%s%d and " EXITCODE "=%s: two exit statuses",
			       said, before, value);
	return 0;
}

/* Reads a word with "=" in the list of checks. */
static int read_key(struct options *options, const char *word, struct err *e)
{
	const char *value = exitcode_of(word);

	if (value)
		return read_exitcode(options, value, e);
	err_set(e, GPURUN_INVALID, "%s %s: the one key here is " EXITCODE "=N",
		option_said(options, OPTION_CHECK), word);
	return err_hint(e, "a key of the CPU device: -d cpu:%.100s", word);
}

/* Takes the keys out of @list, of which the names stay. */
static int take_keys(struct options *options, char *list, struct err *e)
{
	CLEANUP(free_pointer) char *copy = strdup(list);
	const char *separator = "";
	char *rest = copy, *to = list, *word;

	if (!copy)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	*list = '\0';
	while ((word = strsep(&rest, ","))) {
		if (strchr(word, '=') || exitcode_of(word)) {
			TRY(read_key(options, word, e));
			continue;
		}
		to = stpcpy(stpcpy(to, separator), word);
		separator = ",";
	}
	if (*list || options->check_status < 0)
		return 0;
	err_set(e, GPURUN_INVALID, "%s %s: no check is named",
		option_said(options, OPTION_CHECK), options->check);
	return err_hint(e, "the names of checks go before it: all,%.100s", options->check);
}

/* --error-exitcode N is exitcode=N in --check. */
static int read_old(struct options *options, struct err *e)
{
	const char *text = options->error_exitcode;
	int status = -1;

	if (!text)
		return 0;
	TRY(status_read("--error-exitcode ", text, &status, e));
	if (!options->check)
		return err_set(e, GPURUN_INVALID, "--error-exitcode %s without --check", text);
	if (options->check_status >= 0 && options->check_status != status) {
		err_set(e, GPURUN_INVALID,
			"--error-exitcode %s and %s " EXITCODE "=%d: two exit statuses", text,
			option_said(options, OPTION_CHECK), options->check_status);
		return err_hint(e, "--error-exitcode is the old spelling: leave it out");
	}
	options->check_status = status;
	return 0;
}

int check_keys_read(struct options *options, struct err *e)
{
	ASSERT(!options->check_names && options->check_status < 0);
	if (options->check) {
		options->check_names = strdup(options->check);
		if (!options->check_names)
			return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
		TRY(take_keys(options, options->check_names, e));
		options->check = options->check_names;
	}
	return read_old(options, e);
}

static bool is_check(const char *word)
{
	static const char *const names[] = {
#define REPORT_CHECK(name, text, bit, meaning) text,
#include "report_kinds.def"
		"all", "none",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(word + (word[0] == '-'), names[i]))
			return true;
	return exitcode_of(word) != NULL;
}

bool check_keys_are(const char *text)
{
	CLEANUP(free_pointer) char *copy = strdup(text);
	char *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		if (!is_check(word))
			return false;
	return copy != NULL;
}
