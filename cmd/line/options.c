/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * No getopt: it accepts unique prefixes of long options, and every option
 * added later would then break scripts.
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "check_keys.h"
#include "cleanup.h"
#include "expand.h"
#include "message.h"
#include "modes.h"
#include "near.h"
#include "none.h"
#include "program.h"
#include "response.h"
#include "trace_keys.h"

/* The structs of scopes, the types of kinds, and the modes of options: those of scope MODE. */
#define STRUCT_MODE	struct options
#define STRUCT_ACTION	struct options
#define STRUCT_LAUNCH	struct launch_options
#define STRUCT_ENQUEUED struct action
#define STRUCT_EXPECTED struct tolerance_options
#define STRUCT_GLOBAL	struct options
#define STRUCT_OLD	struct options

#define TYPE_FLAG    bool
#define TYPE_TEXT    const char *
#define TYPE_TEXTS   struct texts
#define TYPE_REPORT  struct report_option
#define TYPE_ACTION  struct action *
#define TYPE_MODE    const char *
#define TYPE_PROGRAM const char *

#define MODE_OF_MODE(id)     MODE_##id
#define MODE_OF_ACTION(id)   MODE_RUN
#define MODE_OF_LAUNCH(id)   MODE_RUN
#define MODE_OF_ENQUEUED(id) MODE_RUN
#define MODE_OF_EXPECTED(id) MODE_RUN
#define MODE_OF_GLOBAL(id)   MODE_RUN
#define MODE_OF_OLD(id)      MODE_RUN

const struct option option_table[OPTION_COUNT] = {
#define OPTION(id, name, letter, argument, scope, modes, kind, member, variable, metavar, help)  \
	[OPTION_##id] = {                                                                        \
		name, letter, ARGUMENT_##argument, SCOPE_##scope, modes, KIND_##kind,            \
		offsetof(STRUCT_##scope, member), MODE_OF_##scope(id), variable, metavar, help   \
	},
#include "options.def"
};

/* store() writes through a pointer to void: each member has to be of the type of its kind. */
#define OPTION(id, name, letter, argument, scope, modes, kind, member, ...)                \
	_Static_assert(_Generic(((STRUCT_##scope *)NULL)->member, TYPE_##kind: 1, default: 0), \
		       name ": the kind is not that of the member");
#include "options.def"

_Static_assert(OPTION_COUNT <= 60, "docs/cli.md says where a further one belongs");

struct parser {
	struct options *options;
	size_t next; /* word */
	/* The most recent action that modifiers apply to, or NONE. */
	size_t launch, enqueued, expect;
};

static struct action *action_at(struct parser *parser, size_t index)
{
	ASSERT(index == NONE || index < parser->options->action_count);
	return index != NONE ? &parser->options->actions[index] : NULL;
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
			if (length >= 2 && !near && option_table[i].scope != SCOPE_OLD)
				near = candidate;
		}
	}
	err_set(e, GPURUN_INVALID, "unknown option --%.*s", (int)length, name);
	if (near_option(name, length))
		return err_hint(e, "did you mean --%s?", near_option(name, length));
	if (near)
		return err_hint(e, "did you mean --%s? options are not abbreviated",
				near);
	return GPURUN_INVALID;
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
	return err_set(e, GPURUN_INVALID, "unknown option -%c", letter);
}

static int choose_mode(struct options *options, enum mode mode, struct err *e)
{
	/* --help and --version answer whatever else is asked. */
	if (options->mode == MODE_HELP || options->mode == MODE_VERSION)
		return 0;
	if (options->mode != MODE_RUN && options->mode != mode && mode != MODE_HELP &&
	    mode != MODE_VERSION)
		return err_set(
			e, GPURUN_INVALID,
			"only one of --list, --info, --extract, --devices, --doctor, --dry-run and "
			"--exec can be given");
	options->mode = mode;
	return 0;
}

static int add_action(struct parser *parser, enum option_id id, const char *value,
		      struct err *e)
{
	struct options *options = parser->options;
	const size_t index = options->action_count;
	struct action *grown = reallocarray(options->actions, index + 1, sizeof(*grown));

	if (!grown)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	options->actions = grown;
	options->action_count++;
	grown[index] = (struct action){ .option = &option_table[id], .value = value };
	if (id == OPTION_LAUNCH)
		parser->launch = index;
	if (id == OPTION_LAUNCH || id == OPTION_RECORD || id == OPTION_WAIT)
		parser->enqueued = index;
	if (id == OPTION_EXPECT)
		parser->expect = index;
	return 0;
}

static int set_mode(struct options *options, enum option_id id, const char **to,
		    const char *value, struct err *e)
{
	ASSERT(option_table[id].scope == SCOPE_MODE);
	TRY(choose_mode(options, option_table[id].mode, e));
	if (value)
		*to = value;
	return 0;
}

/* What follows --exec is the program's, whatever it looks like. */
static void take_arguments(struct parser *parser)
{
	struct options *options = parser->options;

	options->exec_args.at = options->words.at + parser->next;
	options->exec_args.count = options->words.count - parser->next;
	parser->next = options->words.count;
}

static void want_report(struct report_option *report, const char *file)
{
	report->wanted = true;
	report->file = file && strcmp(file, "-") ? file : NULL;
}

/* The struct that has the member of option @id; NULL: nothing that it applies to. */
static void *target(struct parser *parser, enum option_id id)
{
	struct options *options = parser->options;
	struct action *launch = action_at(parser, parser->launch);
	struct action *expect = action_at(parser, parser->expect);

	switch (option_table[id].scope) {
	case SCOPE_LAUNCH:
		return launch ? &launch->launch : &options->launch;
	case SCOPE_ENQUEUED:
		return action_at(parser, parser->enqueued);
	case SCOPE_EXPECTED:
		return expect ? &expect->tolerance : &options->tolerance;
	case SCOPE_MODE:
	case SCOPE_ACTION:
	case SCOPE_GLOBAL:
	case SCOPE_OLD:
		break;
	}
	return options;
}

/* Stores @value in @to, the member of option @id. */
static int store(struct parser *parser, enum option_id id, void *to, const char *value,
		 struct err *e)
{
	switch (option_table[id].kind) {
	case KIND_FLAG:
		*(bool *)to = true;
		return 0;
	case KIND_TEXT:
		*(const char **)to = value;
		return 0;
	case KIND_TEXTS:
		return texts_add(to, value, e);
	case KIND_REPORT:
		want_report(to, value);
		return 0;
	case KIND_ACTION:
		return add_action(parser, id, value, e);
	case KIND_MODE:
		return set_mode(parser->options, id, to, value, e);
	case KIND_PROGRAM:
		TRY(set_mode(parser->options, id, to, value, e));
		take_arguments(parser);
		return 0;
	}
	return 0;
}

/*
 * The values that are the user's data, and names of files for it. Files of code and the names in
 * them are not: they may have any %.
 */
static const enum option_id expanded_ids[] = {
	OPTION_ARG,  OPTION_BUF, OPTION_EXPECT, OPTION_FILL, OPTION_JSON, OPTION_JUNIT,
	OPTION_OUT, OPTION_SEED, OPTION_SET, OPTION_TRACE,
};

/* Puts the text that *@value of option @id stands for (expand.h) in its place. */
static int expand_value(struct options *options, enum option_id id, const char **value,
			struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;
	bool wanted = false;

	for (size_t i = 0; i < sizeof(expanded_ids) / sizeof(expanded_ids[0]); i++)
		wanted = wanted || expanded_ids[i] == id;
	if (!wanted || !*value)
		return 0;
	if (expand(*value, &text, e))
		return err_wrap(e, "%s %s", option_said(options, id), *value);
	if (!text)
		return 0;
	TRY(texts_add(&options->expanded, text, e));
	*value = STEAL(text);
	return 0;
}

static int apply(struct parser *parser, enum option_id id, const char *value,
		 struct err *e)
{
	char *of = target(parser, id);

	TRY(expand_value(parser->options, id, &value, e));
	ASSERT(id < OPTION_COUNT);
	ASSERT(value || option_table[id].argument != ARGUMENT_REQUIRED);
	parser->options->given[id] = true;
	if (of)
		return store(parser, id, of + option_table[id].offset, value, e);
	err_set(e, GPURUN_INVALID, "--%s: there is nothing before it to apply to",
		option_table[id].name);
	return err_hint(e, "it belongs after a --launch, --record or --wait");
}

/* The hint of an option that is not known, where there is none yet. */
static int unknown(const struct parser *parser, struct err *e)
{
	if (e->hint[0] || program_hint(parser->options, false, e))
		return (int)e->code;
	return err_hint(e, "gpurun --help lists the options");
}

/* Tells whether @word is "--" and an option's name, maybe with its value. */
static bool is_long_option(const char *word)
{
	enum option_id id;
	struct err e;

	return !strncmp(word, "--", 2) && word[2] &&
	       !find_long(word + 2, strcspn(word + 2, "="), &id, &e);
}

/* Takes the next word as the value of option @id. */
static int next_value(struct parser *parser, enum option_id id, const char **value,
		      struct err *e)
{
	struct texts *words = &parser->options->words;
	const struct option *option = &option_table[id];

	ASSERT(parser->next && parser->next <= words->count);
	if (parser->next == words->count)
		return err_set(e, GPURUN_INVALID, "--%s needs a value: %s", option->name,
			       option->metavar);
	*value = words->at[parser->next];
	if (is_long_option(*value)) {
		err_set(e, GPURUN_INVALID, "--%s needs a value: %s, got %s", option->name,
			option->metavar, *value);
		return id == OPTION_EXEC ? err_hint(e, "--exec is the last option: gpurun %s ... "
						       "--exec PROG", *value) : (int)e->code;
	}
	parser->next++;
	return 0;
}

static int parse_long(struct parser *parser, const char *word, struct err *e)
{
	const char *equals = strchr(word, '=');
	const char *value = equals ? equals + 1 : NULL;
	enum option_id id;

	if (find_long(word, equals ? (size_t)(equals - word) : strlen(word), &id, e))
		return unknown(parser, e);
	if (value && option_table[id].argument == ARGUMENT_NONE)
		return err_set(e, GPURUN_INVALID, "--%s takes no value",
			       option_table[id].name);
	if (!value && option_table[id].argument == ARGUMENT_REQUIRED)
		TRY(next_value(parser, id, &value, e));
	return apply(parser, id, value, e);
}

/* The hint where the text at @at in @word was meant as the value of the letter before it. */
static int refuse_value(const char *word, const char *at, struct err *e)
{
	for (const char *before = at; before-- > word;) {
		enum option_id id;

		if (find_letter(*before, &id, &(struct err){ 0 }))
			continue;
		if (option_table[id].argument == ARGUMENT_OPTIONAL)
			return err_hint(e, "-%c takes no value: --%s=%s", *before,
					option_table[id].name, option_table[id].metavar);
		if (*at == '=' && before + 1 == at)
			return err_hint(e, "-%c takes no value", *before);
	}
	return (int)e->code;
}

/* One letter or several; the first that takes a value takes the rest of the word. */
static int parse_letters(struct parser *parser, const char *word, struct err *e)
{
	for (const char *at = word; *at; at++) {
		const char *value = NULL;
		enum option_id id;

		if (find_letter(*at, &id, e)) {
			refuse_value(word, at, e);
			return unknown(parser, e);
		}
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
static int from_environment(struct options *options, struct err *e)
{
	for (int i = 0; i < OPTION_COUNT; i++) {
		const char **to = (const char **)((char *)options + option_table[i].offset);
		const char *variable = option_table[i].variable;
		const char *value = variable ? getenv(variable) : NULL;

		ASSERT(!variable || (option_table[i].scope == SCOPE_GLOBAL &&
				     option_table[i].kind == KIND_TEXT));
		if (!value || !*value || *to)
			continue;
		options->inherited[i] = true;
		TRY(expand_value(options, (enum option_id)i, &value, e));
		*to = value;
	}
	return 0;
}

const char *option_said(const struct options *options, enum option_id id)
{
	static const char *const said[OPTION_COUNT] = {
#define OPTION(id, name, ...) [OPTION_##id] = "--" name,
#include "options.def"
	};

	return options->inherited[id] ? option_table[id].variable : said[id];
}

void options_note_old(const struct options *options)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		if (options->given[i] && option_table[i].scope == SCOPE_OLD)
			message_note("--%s is an old spelling: write %s", option_table[i].name,
				     option_table[i].help);
}

/* Tells whether @letter is in the word of letters before one that takes a value. */
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

/* Without a name for its file there is no report. */
static void find_report(struct options *options, enum option_id id, struct report_option *report,
			const char *file)
{
	struct err ignored;

	if (!expand_value(options, id, &file, &ignored))
		want_report(report, file);
}

static bool asks_for_rank(const char *word, const char *next)
{
	if (!strcmp(word, "-d") || !strcmp(word, "--device"))
		return next && !strcmp(next, "rank");
	return !strcmp(word, "-drank") || !strcmp(word, "--device=rank");
}

/*
 * A wrong command line is reported as it asks for, also after what is wrong, and with -d rank
 * its lines say of which rank they are.
 */
static void find_reports(struct options *options, size_t next)
{
	for (; next < options->words.count; next++) {
		const bool is_last = next + 1 == options->words.count;
		const char *word = options->words.at[next];

		if (!strcmp(word, "--") || !strncmp(word, "--exec", 6))
			return;
		if (!strncmp(word, "--json", 6) && (!word[6] || word[6] == '=')) {
			find_report(options, OPTION_JSON, &options->output.json,
				    word[6] ? word + 7 : NULL);
		} else if (word[0] == '-' && word[1] != '-' && has_letter(word + 1, 'j')) {
			options->output.json.wanted = true;
		} else if (!strncmp(word, "--junit=", 8)) {
			find_report(options, OPTION_JUNIT, &options->output.junit, word + 8);
		} else if (!strcmp(word, "--junit") && !is_last) {
			find_report(options, OPTION_JUNIT, &options->output.junit,
				    options->words.at[++next]);
		} else if (asks_for_rank(word, is_last ? NULL : options->words.at[next + 1])) {
			options->device = "rank";
		} else if (!strcmp(word, "--annotate")) {
			options->output.annotate = true;
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

/* A run is reported, and standard output has room for one: the JSON then has the error. */
static int check_reports(struct options *options, struct err *e)
{
	if (options->output.junit.wanted && options->mode == MODE_DRY_RUN)
		return err_set(e, GPURUN_INVALID, "--junit besides --dry-run, which runs nothing");
	if (!output_is_on_stdout(&options->output.json) ||
	    !output_is_on_stdout(&options->output.junit))
		return 0;
	options->output.junit.wanted = false;
	err_set(e, GPURUN_INVALID, "--json and --junit=- both go to stdout");
	return err_hint(e, "--json=FILE leaves it free");
}

/* Names the response file and line of the word before @next, where something is wrong. */
static int say_place(const struct options *options, size_t next, struct err *e)
{
	const struct place *place = next ? &options->places[next - 1] : NULL;

	ASSERT(next <= options->words.count);
	return place && place->file ? err_wrap(e, "@%s:%u", place->file, place->line) :
				      (int)e->code;
}

int options_parse(int argc, char **argv, struct options *out, struct err *e)
{
	struct parser parser = { .options = out, .launch = NONE, .enqueued = NONE, .expect = NONE };

	out->check_status = -1;
	out->local_rank = -1;
	out->places = calloc((size_t)argc, sizeof(*out->places));
	if (!out->places)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	for (int i = 1; i < argc; i++)
		TRY(texts_add(&out->words, argv[i], e));
	if (parse_all(&parser, e)) {
		find_reports(out, parser.next);
		return say_place(out, parser.next, e);
	}
	TRY(from_environment(out, e));
	TRY(check_reports(out, e));
	TRY(modes_check(out, e));
	TRY(bench_options_read(&out->bench, out->given[OPTION_BENCH], e));
	if (out->mode == MODE_HELP || out->mode == MODE_VERSION)
		return 0;
	return check_keys_read(out, e) ?: trace_keys_read(&out->output, &out->expanded, e);
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
	free(options->check_names);
	for (size_t i = 0; i < options->files.count; i++)
		free((char *)options->files.at[i]);
	for (size_t i = 0; i < options->expanded.count; i++)
		free((char *)options->expanded.at[i]);
	texts_release(&options->files);
	texts_release(&options->expanded);
	free(options->places);
	texts_release(&options->words);
	texts_release(&options->buffers);
	texts_release(&options->loads);
	texts_release(&options->links);
	texts_release(&options->launch.args);
}
