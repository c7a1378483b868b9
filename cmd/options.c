/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * No getopt: it accepts unique prefixes of long options, and every option
 * added later would then break scripts.
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "modes.h"
#include "near.h"
#include "response.h"

const struct option option_table[OPTION_COUNT] = {
#define OPTION(id, name, letter, argument, scope, metavar, help)                \
	[OPTION_##id] = {                                                       \
		name, letter, ARGUMENT_##argument, SCOPE_##scope, metavar, help \
	},
#include "options.def"
};

struct parser {
	struct options *options;
	size_t next; /* word */
	/* The most recent action that modifiers apply to, counted from 1; 0: none. */
	size_t launch, enqueued, expect;
};

static struct action *action_at(struct parser *parser, size_t number)
{
	return number ? &parser->options->actions[number - 1] : NULL;
}

int texts_add(struct texts *texts, const char *text, struct err *e)
{
	const char **grown = reallocarray(texts->at, texts->count + 1, sizeof(*grown));

	if (!grown)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	texts->at = grown;
	texts->at[texts->count++] = text;
	return 0;
}

static int find_long(const char *name, size_t length, enum option_id *id, struct err *e)
{
	const char *near = NULL;

	*id = OPTION_COUNT;
	for (int i = 0; i < OPTION_COUNT; i++) {
		const char *candidate = option_table[i].name;

		if (!strncmp(candidate, name, length)) {
			if (!candidate[length]) {
				*id = (enum option_id)i;
				return 0;
			}
			if (length >= 2 && !near)
				near = candidate;
		}
	}
	err_set(e, GPURUN_INVALID, "unknown option --%.*s", (int)length, name);
	if (near_option(name, length))
		return err_hint(e, "did you mean --%s?", near_option(name, length));
	if (near)
		return err_hint(e, "did you mean --%s? options are not abbreviated",
				near);
	return err_hint(e, "gpurun --help lists the options");
}

static int find_letter(char letter, enum option_id *id, struct err *e)
{
	*id = OPTION_COUNT;
	for (int i = 0; i < OPTION_COUNT; i++) {
		if (option_table[i].letter == letter) {
			*id = (enum option_id)i;
			return 0;
		}
	}
	err_set(e, GPURUN_INVALID, "unknown option -%c", letter);
	return err_hint(e, "gpurun --help lists the options");
}

static int set_mode(struct options *options, enum mode mode, struct err *e)
{
	/* --help and --version answer whatever else is asked. */
	if (options->mode == MODE_HELP || options->mode == MODE_VERSION)
		return 0;
	if (options->mode != MODE_RUN && options->mode != mode && mode != MODE_HELP &&
	    mode != MODE_VERSION)
		return err_set(
			e, GPURUN_INVALID,
			"only one of --list, --info, --extract, --devices, --dry-run and --exec "
			"can be given");
	options->mode = mode;
	return 0;
}

static int add_action(struct parser *parser, enum option_id id, const char *value,
		      struct err *e)
{
	struct options *options = parser->options;
	size_t number = options->action_count + 1;
	struct action *grown = reallocarray(options->actions, number, sizeof(*grown));

	if (!grown)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	options->actions = grown;
	options->action_count = number;
	grown[number - 1] = (struct action){ .kind = id, .value = value };
	if (id == OPTION_LAUNCH)
		parser->launch = number;
	if (id == OPTION_LAUNCH || id == OPTION_RECORD || id == OPTION_WAIT)
		parser->enqueued = number;
	if (id == OPTION_EXPECT)
		parser->expect = number;
	return 0;
}

static int set_enqueued(struct parser *parser, enum option_id id, const char *value,
			struct err *e)
{
	struct action *action = action_at(parser, parser->enqueued);

	if (!action) {
		err_set(e, GPURUN_INVALID, "--%s: there is nothing before it to apply to",
			option_table[id].name);
		return err_hint(e, "it belongs behind a --launch, --record or --wait");
	}
	if (id == OPTION_STREAM)
		action->stream = value;
	else if (id == OPTION_AFTER)
		action->after = value;
	else
		action->event = value;
	return 0;
}

static int apply_launch(struct launch_options *launch, enum option_id id,
			const char *value, struct err *e)
{
	switch (id) {
	case OPTION_ARG:
		return texts_add(&launch->args, value, e);
	case OPTION_GRID:
		launch->grid = value;
		return 0;
	case OPTION_BLOCK:
		launch->block = value;
		return 0;
	case OPTION_CLUSTER:
		launch->cluster = value;
		return 0;
	case OPTION_COOPERATIVE:
		launch->cooperative = true;
		return 0;
	case OPTION_THREADS:
		launch->threads = value;
		return 0;
	case OPTION_SHARED:
		launch->shared = value;
		return 0;
	default:
		return err_set(e, GPURUN_INTERNAL, "option %d is not of a launch",
			       (int)id);
	}
}

static int apply_tolerance(struct tolerance_options *tolerance, enum option_id id,
			   const char *value)
{
	if (id == OPTION_RTOL)
		tolerance->rtol = value;
	else if (id == OPTION_ATOL)
		tolerance->atol = value;
	else
		tolerance->ulp = value;
	return 0;
}

static int apply_mode(struct options *options, enum option_id id, const char *value,
		      struct err *e)
{
	static const struct {
		enum option_id id;
		enum mode mode;
	} modes[] = {
		{ OPTION_LIST, MODE_LIST },	  { OPTION_DEVICES, MODE_DEVICES },
		{ OPTION_DRY_RUN, MODE_DRY_RUN }, { OPTION_HELP, MODE_HELP },
		{ OPTION_VERSION, MODE_VERSION },   { OPTION_EXEC, MODE_EXEC },
		{ OPTION_INFO, MODE_INFO },	  { OPTION_EXTRACT, MODE_EXTRACT },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (modes[i].id == id)
			TRY(set_mode(options, modes[i].mode, e));
	}
	if (value && id != OPTION_EXEC)
		options->topic = value;
	return 0;
}

/* What stands behind --exec is the program's, whatever it looks like. */
static int take_program(struct parser *parser, const char *program, struct err *e)
{
	struct options *options = parser->options;

	TRY(apply_mode(options, OPTION_EXEC, program, e));
	options->exec = program;
	options->exec_args.at = options->words.at + parser->next;
	options->exec_args.count = options->words.count - parser->next;
	parser->next = options->words.count;
	return 0;
}

static void take_junit(struct options *options, const char *file)
{
	options->junit = true;
	options->junit_file = strcmp(file, "-") ? file : NULL;
}

static int apply_global(struct options *options, enum option_id id, const char *value,
			struct err *e)
{
	switch (id) {
	case OPTION_BUF:
		return texts_add(&options->buffers, value, e);
	case OPTION_CHECK:
		options->check = value;
		return 0;
	case OPTION_DEVICE:
		options->device = value;
		return 0;
	case OPTION_ERROR_EXITCODE:
		options->error_exitcode = value;
		return 0;
	case OPTION_FORCE:
		options->force = true;
		return 0;
	case OPTION_UNTYPED:
		options->untyped = true;
		return 0;
	case OPTION_IMAGE:
		options->image_pick = value;
		return 0;
	case OPTION_JSON:
		options->json = true;
		options->json_file = value && strcmp(value, "-") ? value : NULL;
		return 0;
	case OPTION_LINK:
		return texts_add(&options->links, value, e);
	case OPTION_JUNIT:
		take_junit(options, value);
		return 0;
	case OPTION_ANNOTATE:
		options->annotate = true;
		return 0;
	case OPTION_LOAD:
		return texts_add(&options->loads, value, e);
	case OPTION_NO_DEVICE_EXIT:
		options->no_device_exit = value;
		return 0;
	case OPTION_QUIET:
		options->quiet = true;
		return 0;
	case OPTION_SEED:
		options->seed = value;
		return 0;
	case OPTION_TIMEOUT:
		options->timeout = value;
		return 0;
	case OPTION_VERBOSE:
		options->verbose = true;
		return 0;
	default:
		return err_set(e, GPURUN_INTERNAL, "option %d is not global", (int)id);
	}
}

static int apply(struct parser *parser, enum option_id id, const char *value,
		 struct err *e)
{
	struct options *options = parser->options;
	struct action *launch = action_at(parser, parser->launch);
	struct action *expect = action_at(parser, parser->expect);

	options->given[id] = true;
	switch (option_table[id].scope) {
	case SCOPE_MODE:
		if (id == OPTION_EXEC)
			return take_program(parser, value, e);
		return apply_mode(options, id, value, e);
	case SCOPE_ACTION:
		return add_action(parser, id, value, e);
	case SCOPE_LAUNCH:
		return apply_launch(launch ? &launch->launch : &options->launch, id,
				    value, e);
	case SCOPE_ENQUEUED:
		return set_enqueued(parser, id, value, e);
	case SCOPE_EXPECTED:
		return apply_tolerance(expect ? &expect->tolerance : &options->tolerance,
				       id, value);
	case SCOPE_GLOBAL:
		return apply_global(options, id, value, e);
	}
	return 0;
}

/* Takes the next word as the value of option @id. */
static int next_value(struct parser *parser, enum option_id id, const char **value,
		      struct err *e)
{
	struct texts *words = &parser->options->words;

	if (parser->next == words->count)
		return err_set(e, GPURUN_INVALID, "--%s needs a value: %s",
			       option_table[id].name, option_table[id].metavar);
	*value = words->at[parser->next++];
	return 0;
}

static int parse_long(struct parser *parser, const char *word, struct err *e)
{
	const char *equals = strchr(word, '=');
	const char *value = equals ? equals + 1 : NULL;
	enum option_id id;

	TRY(find_long(word, equals ? (size_t)(equals - word) : strlen(word), &id, e));
	if (value && option_table[id].argument == ARGUMENT_NONE)
		return err_set(e, GPURUN_INVALID, "--%s takes no value",
			       option_table[id].name);
	if (!value && option_table[id].argument == ARGUMENT_REQUIRED)
		TRY(next_value(parser, id, &value, e));
	return apply(parser, id, value, e);
}

/* One letter or several; the first that takes a value takes the rest of the word. */
static int parse_letters(struct parser *parser, const char *word, struct err *e)
{
	for (const char *at = word; *at; at++) {
		const char *value = NULL;
		enum option_id id;

		TRY(find_letter(*at, &id, e));
		if (option_table[id].argument == ARGUMENT_REQUIRED) {
			value = at + 1;
			if (!*value)
				TRY(next_value(parser, id, &value, e));
			return apply(parser, id, value, e);
		}
		TRY(apply(parser, id, NULL, e));
	}
	return 0;
}

static int parse_image(struct parser *parser, const char *word, struct err *e)
{
	struct options *options = parser->options;


	if (!*word)
		return err_set(e, GPURUN_INVALID,
			       "an empty word where a file or option belongs");
	if (options->image) {
		err_set(e, GPURUN_INVALID, "a second file: '%s' after '%s'", word,
			options->image);
		return near_word(options, parser->next - 1, e);
	}
	options->image = word;
	return 0;
}

static int parse_word(struct parser *parser, const char *word, struct err *e)
{
	if (word[0] == '@') {
		TRY(response_splice(parser->options, parser->next - 1, word + 1, e));
		parser->next--;
		return 0;
	}
	if (word[0] != '-' || !word[1])
		return parse_image(parser, word, e);
	if (word[1] != '-')
		return parse_letters(parser, word + 1, e);
	return parse_long(parser, word + 2, e);
}

/* A variable that is empty is one that is not set. */
static void from_environment(struct options *options)
{
	const struct {
		enum option_id id;
		const char *variable;
		const char **value;
	} rows[] = {
		{ OPTION_CHECK, "GPURUN_CHECK", &options->check },
		{ OPTION_DEVICE, "GPURUN_DEVICE", &options->device },
		{ OPTION_NO_DEVICE_EXIT, "GPURUN_NO_DEVICE_EXIT", &options->no_device_exit },
		{ OPTION_SEED, "GPURUN_SEED", &options->seed },
		{ OPTION_TIMEOUT, "GPURUN_TIMEOUT", &options->timeout },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *value = getenv(rows[i].variable);

		if (*rows[i].value || !value || !*value)
			continue;
		*rows[i].value = value;
		options->variables[rows[i].id] = rows[i].variable;
	}
}

const char *option_said(const struct options *options, enum option_id id)
{
	static const char *const said[OPTION_COUNT] = {
#define OPTION(id, name, letter, argument, scope, metavar, help) [OPTION_##id] = "--" name,
#include "options.def"
	};

	return options->variables[id] ? options->variables[id] : said[id];
}

/* Tells whether @letter stands in the word of letters before one that takes a value. */
static bool has_letter(const char *letters, char letter)
{
	struct err e;

	for (; *letters && *letters != letter; letters++) {
		enum option_id id;

		if (find_letter(*letters, &id, &e) ||
		    option_table[id].argument == ARGUMENT_REQUIRED)
			return false;
	}
	return *letters;
}

/* A wrong command line is reported as it asks for, also behind what is wrong. */
static void find_reports(struct options *options, size_t next)
{
	for (; next < options->words.count; next++) {
		const char *word = options->words.at[next];

		if (!strcmp(word, "--") || !strncmp(word, "--exec", 6))
			return;
		if (!strncmp(word, "--json", 6) && (!word[6] || word[6] == '=')) {
			options->json = true;
			options->json_file = word[6] && strcmp(word, "--json=-") ? word + 7 : NULL;
		} else if (word[0] == '-' && word[1] != '-' && has_letter(word + 1, 'j')) {
			options->json = true;
		} else if (!strncmp(word, "--junit=", 8)) {
			take_junit(options, word + 8);
		} else if (!strcmp(word, "--junit") && next + 1 < options->words.count) {
			take_junit(options, options->words.at[++next]);
		} else if (!strcmp(word, "--annotate")) {
			options->annotate = true;
		}
	}
}

static int parse_all(struct parser *parser, struct err *e)
{
	struct options *options = parser->options;

	while (parser->next < options->words.count) {
		const char *word = options->words.at[parser->next++];

		if (!strcmp(word, "--")) {
			if (parser->next < options->words.count)
				options->program_args = options->words.at[parser->next];
			return 0;
		}
		TRY(parse_word(parser, word, e));
	}
	return 0;
}

/* A run is reported, and standard output has room for one report: the JSON then tells of it. */
static int check_reports(struct options *options, struct err *e)
{
	if (options->junit && options->mode == MODE_DRY_RUN)
		return err_set(e, GPURUN_INVALID, "--junit besides --dry-run, which runs nothing");
	if (!options->junit || options->junit_file || !options->json || options->json_file)
		return 0;
	options->junit = false;
	err_set(e, GPURUN_INVALID, "--json and --junit=- both go to stdout");
	return err_hint(e, "--json=FILE leaves it free");
}

bool options_report_on_stdout(const struct options *options)
{
	return (options->json && !options->json_file) ||
	       (options->junit && !options->junit_file);
}

/* Names the response file and line of the word before @next, where something is wrong. */
static int say_place(const struct options *options, size_t next, struct err *e)
{
	const struct place *place = next ? &options->places[next - 1] : NULL;

	return place && place->file ? err_wrap(e, "@%s:%u", place->file, place->line) :
				      (int)e->code;
}

int options_parse(int argc, char **argv, struct options *out, struct err *e)
{
	struct parser parser = { .options = out };

	out->places = calloc((size_t)argc, sizeof(*out->places));
	if (!out->places)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	for (int i = 1; i < argc; i++)
		TRY(texts_add(&out->words, argv[i], e));
	if (parse_all(&parser, e)) {
		find_reports(out, parser.next);
		return say_place(out, parser.next, e);
	}
	from_environment(out);
	TRY(check_reports(out, e));
	return modes_check(out, e);
}

static void texts_release(struct texts *texts)
{
	free(texts->at);
	*texts = (struct texts){ 0 };
}

void options_release(struct options *options)
{
	for (size_t i = 0; i < options->action_count; i++)
		texts_release(&options->actions[i].launch.args);
	free(options->actions);
	for (size_t i = 0; i < options->files.count; i++)
		free((char *)options->files.at[i]);
	texts_release(&options->files);
	free(options->places);
	texts_release(&options->words);
	texts_release(&options->buffers);
	texts_release(&options->loads);
	texts_release(&options->links);
	texts_release(&options->launch.args);
}
