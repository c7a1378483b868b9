/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "count_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asserts.h"
#include "duration.h"
#include "exec_share.h"
#include "options.h"

/* What a run without --timeout may take; and the part of that, which is the whole line's. */
enum { LIMIT_S = 300 };
static const double PART_OF_TIMEOUT = 0.8;

/* Options that the run goes without, by name: it prints and writes nothing, measures and checks
 * nothing, and is on another device, whose lock it does not wait for. */
static const char *const left_out[] = {
	"against", "annotate", "bench", "check", "device", "error-exitcode", "get", "json",
	"junit", "lock", "no-device-exit", "out", "print", "quiet", "repeat", "timeout", "trace",
	"verbose",
};

/* Variables that it goes without, besides those of these options. */
static const char *const unset[] = { EXEC_VARIABLE, "GPURUN_WORKER", "GPURUN_DRIVER" };

static bool is_left_out(const struct option *option)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (!strcmp(option->name, left_out[i]))
			return true;
	return false;
}

/* A list for execve() that is being made, with room for all that can come. */
struct list {
	char **at;
	size_t count, room;
};

static int list_open(struct list *list, char ***owner, size_t room, struct err *e)
{
	*owner = list->at = calloc(room + 1, sizeof(*list->at));
	list->room = room;
	return list->at ? 0 : err_set(e, GPURUN_NO_MEMORY, "no memory for the run that counts");
}

/* Takes @text, which is owned; NULL: there was no memory for it. */
static int list_take(struct list *list, char *text, struct err *e)
{
	if (!text)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the run that counts");
	ASSERT(list->count < list->room);
	list->at[list->count++] = text;
	return 0;
}

static int list_add(struct list *list, const char *text, struct err *e)
{
	return list_take(list, strdup(text), e);
}

static char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *format_text(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}

/* ---- words ---- */

/* The option that @word, "--name" or "--name=value", is. The line was parsed: there is one. */
static const struct option *long_option(const char *word)
{
	const size_t length = strcspn(word + 2, "=");

	for (int i = 0; i < OPTION_COUNT; i++)
		if (!strncmp(option_table[i].name, word + 2, length) &&
		    !option_table[i].name[length])
			return &option_table[i];
	return NULL;
}

static const struct option *short_option(char letter)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		if (option_table[i].letter == letter)
			return &option_table[i];
	return NULL;
}

/* Words of a line, taken one after the other. */
struct reader {
	const struct texts *words;
	size_t next;
};

static const char *next_word(struct reader *reader)
{
	ASSERT(reader->next < reader->words->count);
	return reader->words->at[reader->next++];
}

static int add_long(struct list *list, struct reader *reader, const char *word, struct err *e)
{
	const struct option *option = long_option(word);
	const bool has_value = option && option->argument == ARGUMENT_REQUIRED &&
			       !strchr(word, '=') && reader->next < reader->words->count;
	const char *value = has_value ? next_word(reader) : NULL;

	if (option && is_left_out(option))
		return 0;
	TRY(list_add(list, word, e));
	return value ? list_add(list, value, e) : 0;
}

/* Each letter becomes a word of its own. */
static int add_letters(struct list *list, struct reader *reader, const char *letters,
		       struct err *e)
{
	for (; *letters; letters++) {
		const struct option *option = short_option(*letters);
		const bool has_value = option && option->argument == ARGUMENT_REQUIRED;
		const char *value = "";

		if (has_value)
			value = letters[1] ? letters + 1 : next_word(reader);
		if (!option || !is_left_out(option))
			TRY(list_take(list, format_text("-%c%s", *letters, value), e));
		if (has_value)
			return 0;
	}
	return 0;
}

static int add_words(struct list *list, const struct texts *words, struct err *e)
{
	struct reader reader = { .words = words };

	while (reader.next < words->count) {
		const char *word = next_word(&reader);

		if (!strcmp(word, "--"))
			return 0;
		if (word[0] != '-' || !word[1])
			TRY(list_add(list, word, e));
		else if (word[1] == '-')
			TRY(add_long(list, &reader, word, e));
		else
			TRY(add_letters(list, &reader, word + 1, e));
	}
	return 0;
}

static int make_words(const struct options *options, struct count_line *out, struct err *e)
{
	const char *device = options->device ? options->device : "";
	const bool keys = !strncmp(device, "cpu:", 4) && device[4];
	size_t room = 4;
	struct list list = { 0 };

	for (size_t i = 0; i < options->words.count; i++)
		room += strlen(options->words.at[i]) + 1;
	TRY(list_open(&list, &out->words, room, e));
	TRY(list_add(&list, "gpurun", e));
	TRY(list_add(&list, "--quiet", e));
	TRY(list_take(&list, format_text("--device=cpu:%s%scount=1", keys ? device + 4 : "",
				   keys ? "," : ""), e));
	TRY(list_take(&list, format_text("--timeout=%.3f", out->seconds), e));
	return add_words(&list, &options->words, e);
}

/* ---- variables ---- */

static bool is_variable(const char *entry, const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(entry, name, length) && entry[length] == '=';
}

static bool is_unset(const char *entry)
{
	for (size_t i = 0; i < sizeof(unset) / sizeof(unset[0]); i++)
		if (is_variable(entry, unset[i]))
			return true;
	for (int i = 0; i < OPTION_COUNT; i++)
		if (option_table[i].variable && is_left_out(&option_table[i]) &&
		    is_variable(entry, option_table[i].variable))
			return true;
	return false;
}

static int make_variables(const char *trace, struct count_line *out, struct err *e)
{
	struct list list = { 0 };
	size_t room = 1;

	while (environ[room])
		room++;
	TRY(list_open(&list, &out->variables, room + 1, e));
	for (char **entry = environ; *entry; entry++)
		if (!is_unset(*entry))
			TRY(list_add(&list, *entry, e));
	return list_take(&list, format_text(EXEC_VARIABLE "=trace=%s", trace), e);
}

/* ---- the whole ---- */

/* Tells whether @word is "@-" or has it as its value: "x=@-". */
static bool reads_stdin(const char *word)
{
	const size_t length = strlen(word);

	return length >= 2 && !strcmp(word + length - 2, "@-") &&
	       (length == 2 || word[length - 3] == '=');
}

static int refuse_stdin(const struct options *options, struct err *e)
{
	bool reads = options->image && !strcmp(options->image, "-");

	for (size_t i = 0; i < options->words.count; i++)
		reads = reads || reads_stdin(options->words.at[i]);
	if (!reads)
		return 0;
	err_set(e, GPURUN_INVALID,
		"counting on the CPU device: stdin cannot be read a second time");
	return err_hint(e, "write it to a file; or " BY_HAND);
}

static int read_time_limit(const struct options *options, double *seconds, struct err *e)
{
	uint64_t limit;

	*seconds = LIMIT_S;
	if (!options->timeout)
		return 0;
	TRY(duration_parse(option_said(options, OPTION_TIMEOUT), options->timeout, &limit, e));
	*seconds = PART_OF_TIMEOUT * (double)limit / 1e9;
	return 0;
}

int count_line_make(const struct options *options, const char *trace, struct count_line *out,
		    struct err *e)
{
	TRY(refuse_stdin(options, e));
	TRY(read_time_limit(options, &out->seconds, e));
	TRY(make_words(options, out, e));
	return make_variables(trace, out, e);
}

static void free_list(char **list)
{
	for (char **at = list; at && *at; at++)
		free(*at);
	free(list);
}

void count_line_release(struct count_line *line)
{
	free_list(line->words);
	free_list(line->variables);
	*line = (struct count_line){ 0 };
}
