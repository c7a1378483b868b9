/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench_keys.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "duration.h"
#include "value.h"

/* A value as the user wrote it, and where. */
struct said {
	const char *option, *key, *value;
};

static int refuse_value(const struct said *said, const char *expected, struct err *e)
{
	return err_set(e, GPURUN_INVALID, "%s %s=%s: not %s", said->option, said->key, said->value,
		       expected);
}

static int read_percent(const struct said *said, void *to, struct err *e)
{
	char *end;
	const double percent = strtod(said->value, &end);

	end += *end == '%';
	if (end == said->value || *end || !isfinite(percent) || percent < 0)
		return refuse_value(said, "a percentage such as 0.5", e);
	*(double *)to = percent;
	return 0;
}

static int read_amount(const struct said *said, void *to, struct err *e)
{
	struct err ignored;

	if (size_parse(said->value, strlen(said->value), to, &ignored) || !*(uint64_t *)to)
		return refuse_value(said, "a number such as 1000, 3M or 16Mi", e);
	return 0;
}

static int read_count(const struct said *said, void *to, struct err *e)
{
	const size_t digits = strspn(said->value, "0123456789");

	if (!digits || said->value[digits] || digits > 9)
		return refuse_value(said, "a number of runs", e);
	*(uint64_t *)to = strtoull(said->value, NULL, 10);
	return 0;
}

static int read_duration(const struct said *said, void *to, struct err *e)
{
	char name[64] = "";

	strncat(strncat(strncat(name, said->option, 24), " ", 2), said->key, 24);
	return duration_parse(name, said->value, to, e);
}

static int read_flag(const struct said *said, void *to, struct err *e)
{
	(void)said;
	(void)e;
	*(bool *)to = true;
	return 0;
}

enum key_kind { KEY_FLAG, KEY_PERCENT, KEY_AMOUNT, KEY_COUNT, KEY_DURATION };

static int (*const readers[])(const struct said *said, void *to, struct err *e) = {
	[KEY_FLAG] = read_flag,   [KEY_PERCENT] = read_percent,   [KEY_AMOUNT] = read_amount,
	[KEY_COUNT] = read_count, [KEY_DURATION] = read_duration,
};

static const struct key {
	const char *name;
	enum key_kind kind;
	size_t offset;
} table[] = {
#define BENCH_KEY(name, kind, member, ...) \
	{ name, KEY_##kind, offsetof(struct bench_keys, member) },
#include "bench_keys.def"
};

static const struct key *find_key(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strncmp(table[i].name, word, length) && !table[i].name[length])
			return &table[i];
	return NULL;
}

static int no_key(const char *option, const char *word, struct err *e)
{
	err_set(e, GPURUN_INVALID, "%s %s: no such key", option, word);
	return err_hint(e, "there are: "
#define BENCH_KEY(name, kind, member, metavar, help) name ", "
#include "bench_keys.def"
			   "with commas between them");
}

static int read_word(const char *option, char *word, struct bench_keys *keys, struct err *e)
{
	char *equals = strchr(word, '=');
	const struct key *key = find_key(word, equals ? (size_t)(equals - word) : strlen(word));

	if (!key)
		return no_key(option, word, e);
	if (!equals != (key->kind == KEY_FLAG))
		return err_set(e, GPURUN_INVALID, "%s %s: %s", option, word,
			       equals ? "the key takes no value" : "the key needs a value");
	return readers[key->kind](&(struct said){ option, key->name, equals ? equals + 1 : "" },
				  (char *)keys + key->offset, e);
}

int bench_keys_read(const char *option, const char *text, struct bench_keys *keys, struct err *e)
{
	CLEANUP(free_pointer) char *copy = strdup(text ? text : "");
	char *rest = copy, *word;

	if (!copy)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	while (text && (word = strsep(&rest, ",")))
		TRY(read_word(option, word, keys, e));
	if (keys->count && (keys->bytes || keys->flops))
		return err_set(e, GPURUN_INVALID,
			       "%s: count beside bytes= or flops=: which of them holds?", option);
	return 0;
}

static int read_repeat(struct bench_options *options, struct err *e)
{
	const struct said said = { "--repeat", "", options->repeat };

	if (!options->repeat)
		return 0;
	if (options->wanted) {
		err_set(e, GPURUN_INVALID, "--repeat %s besides --bench, which repeats by itself",
			options->repeat);
		return err_hint(e, "--bench=runs=N runs at most N times");
	}
	if (read_count(&said, &options->times, e) || !options->times)
		return err_set(e, GPURUN_INVALID, "--repeat %s: not a number of runs, from 1 on",
			       options->repeat);
	return 0;
}

int bench_options_read(struct bench_options *options, bool wanted, struct err *e)
{
	options->wanted = wanted;
	options->keys = (struct bench_keys)BENCH_KEYS_DEFAULT;
	if (wanted)
		TRY(bench_keys_read("--bench", options->text, &options->keys, e));
	if (options->against && !wanted) {
		err_set(e, GPURUN_INVALID, "--against %s without --bench", options->against);
		return err_hint(e, "--bench times; --against times another kernel beside it");
	}
	if (options->keys.max_slowdown >= 0 && !options->against)
		return err_set(e, GPURUN_INVALID, "--bench max-slowdown=%g without --against",
			       options->keys.max_slowdown);
	return read_repeat(options, e);
}
