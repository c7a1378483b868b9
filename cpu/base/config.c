/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "words.h"

/* What jit= is without the key. A sanitizer does not see what compiled code does. */
#ifndef __has_feature
#define __has_feature(name) 0 /* gcc; clang has no macros for sanitizers */
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                       \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define JIT_DEFAULT JIT_OFF
#else
#define JIT_DEFAULT JIT_AUTO
#endif

enum { MAX_THREADS = 1024, EXIT_FINDINGS = 119, MAX_AFTER_US = 1000000000 };

struct config config;

/* Reads the value of a key into @c; false when the value is invalid. */
typedef bool parse_fn(struct config *c, const char *value);

static bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	unsigned long long number;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	number = strtoull(text, &end, 0);
	if (errno || *end || number < min || number > max)
		return false;
	*out = number;
	return true;
}

/* Bytes: a number, then Ki, Mi, Gi, Ti or nothing. */
static bool parse_size(const char *text, uint64_t *out)
{
	static const char units[] = "KMGT";
	unsigned long long number;
	const char *unit;
	unsigned shift;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return false;
	*out = number;
	if (!*end)
		return true;
	unit = strchr(units, *end);
	if (!unit || strcmp(end + 1, "i") != 0)
		return false;
	shift = 10 * (unsigned)(unit - units + 1);
	*out = number << shift;
	return *out >> shift == number;
}

static bool parse_threads(struct config *c, const char *value)
{
	uint64_t number;

	if (!parse_number(value, 1, MAX_THREADS, &number))
		return false;
	c->threads = (unsigned)number;
	return true;
}

static bool parse_cc(struct config *c, const char *value)
{
	unsigned major, minor;
	char rest;

	if (sscanf(value, "%2u.%1u%c", &major, &minor, &rest) != 2 || major < 3 || major > 12)
		return false;
	c->cc = major * 10 + minor;
	return true;
}

static bool parse_mem(struct config *c, const char *value)
{
	uint64_t size;

	if (!parse_size(value, &size) || size < (1 << 20) || size > (uint64_t)1 << 40)
		return false;
	c->memory = size;
	return true;
}

static bool parse_smem(struct config *c, const char *value)
{
	uint64_t size;

	if (!parse_size(value, &size) || size < 48 << 10 || size > 1 << 20)
		return false;
	c->shared = (uint32_t)size;
	return true;
}

static bool parse_sched(struct config *c, const char *value)
{
	c->random_schedule = !strcmp(value, "rand");
	return c->random_schedule || !strcmp(value, "rr");
}

static bool parse_seed(struct config *c, const char *value)
{
	return parse_number(value, 0, UINT64_MAX, &c->seed);
}

bool isa_available(enum config_isa isa)
{
	const bool has[] = {
		[ISA_BEST] = false,
#define ISA(name, test) [ISA_##name] = test,
#include "isas.def"
	};

	return has[isa];
}

static bool parse_isa(struct config *c, const char *value)
{
	static const char *const names[] = {
		[ISA_BEST] = "best",
#define ISA(name, test) [ISA_##name] = #name,
#include "isas.def"
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(value, names[i])) {
			c->isa = (enum config_isa)i;
			return true;
		}
	}
	return false;
}

/* Adds the check that @name names, or removes that of "-name"; false when it names none. */
static bool add_check(struct config *c, const char *name)
{
	static const struct {
		const char *name;
		unsigned bits;
	} checks[] = {
#define REPORT_CHECK(name, text, bit, meaning) { text, CHECK_##name },
#include "report_kinds.def"
		{ "all", CHECK_ALL },
		{ "none", 0 },
	};

	const bool without = name[0] == '-';

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (strcmp(name + without, checks[i].name) != 0)
			continue;
		c->check = without ? c->check & ~checks[i].bits : c->check | checks[i].bits;
		return true;
	}
	return false;
}

/* The first name of the list; the others follow as words without a key. */
static bool parse_check(struct config *c, const char *value)
{
	c->check = 0;
	return value[0] != '-' && add_check(c, value);
}

static const char check_values[] =
	"one or more of mem, init, race, sync, leak, api, or all or none";

static bool parse_exit_code(struct config *c, const char *value)
{
	uint64_t number;

	if (!parse_number(value, 0, 255, &number))
		return false;
	c->exit_code = (unsigned)number;
	return true;
}

static bool parse_check_log(struct config *c, const char *value)
{
	size_t length = strlen(value);

	if (!length || length >= sizeof(c->check_log))
		return false;
	memcpy(c->check_log, value, length + 1);
	return true;
}

static bool parse_warp(struct config *c, const char *value)
{
	(void)c;
	return !strcmp(value, "32");
}

static bool parse_printf(struct config *c, const char *value)
{
	c->print_at_once = !strcmp(value, "line");
	return c->print_at_once || !strcmp(value, "sync");
}

static bool parse_bounds(struct config *c, const char *value)
{
	c->wide_bounds = !strcmp(value, "gpu");
	return c->wide_bounds || !strcmp(value, "exact");
}

static bool parse_host_memory(struct config *c, const char *value)
{
	c->shared_with_host = !strcmp(value, "shared");
	return c->shared_with_host || !strcmp(value, "separate");
}

static bool parse_scalar(struct config *c, const char *value)
{
	c->no_scalar = !strcmp(value, "0");
	return c->no_scalar || !strcmp(value, "1");
}

/* One of names, or two of them with a number behind them. */
static bool parse_jit(struct config *c, const char *value)
{
	static const char *const names[] = { [JIT_OFF] = "off", [JIT_AUTO] = "auto",
					     [JIT_ALWAYS] = "always", [JIT_EXITS] = "exits" };
	const size_t length = strcspn(value, ":");
	uint64_t after = 0;
	unsigned i = 0;

	while (i < sizeof(names) / sizeof(names[0]) &&
	       (strncmp(value, names[i], length) != 0 || names[i][length]))
		i++;
	c->jit = (enum config_jit)i;
	c->jit_after = JIT_WORTH;
	if (!value[length])
		return i < sizeof(names) / sizeof(names[0]);
	if (i == JIT_EXITS)
		return parse_number(value + length + 1, 0, UINT64_MAX, &c->jit_seed);
	if (i != JIT_AUTO || !parse_number(value + length + 1, 0, MAX_AFTER_US, &after))
		return false;
	c->jit_after = 1000 * after;
	return true;
}

static bool parse_jit_most(struct config *c, const char *value)
{
	return parse_number(value, 0, UINT64_MAX, &c->jit_most);
}

static bool parse_jit_perf(struct config *c, const char *value)
{
	c->jit_perf = !strcmp(value, "1");
	return c->jit_perf || !strcmp(value, "0");
}

static bool parse_count(struct config *c, const char *value)
{
	c->count = !strcmp(value, "1");
	return c->count || !strcmp(value, "0");
}

/* A kernel's name, or a shell's pattern of one: colons are allowed in pairs alone. */
static bool parse_kernel(const char *text, size_t length, char out[128])
{
	if (!length || length >= 128 || *text == ':')
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] == ':' && (++i == length || text[i] != ':'))
			return false;
	memcpy(out, text, length);
	out[length] = '\0';
	return true;
}

static bool parse_dump(struct config *c, const char *value)
{
	return parse_kernel(value, strlen(value), c->dump);
}

/* "3", "3x1" or "3x1x0", of @length bytes. */
static bool parse_index(const char *text, size_t length, uint32_t out[3])
{
	char copy[48], *at = copy;

	out[0] = out[1] = out[2] = 0;
	if (!length || length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	for (unsigned i = 0; i < 3; i++) {
		uint64_t number;
		char *word = strsep(&at, "x");

		if (!parse_number(word, 0, UINT32_MAX, &number))
			return false;
		out[i] = (uint32_t)number;
		if (!at)
			return true;
	}
	return false;
}

/* Removes ":INDEX" from the end of the *@length bytes of @text; false when there is none. */
static bool cut_index(const char *text, size_t *length, uint32_t out[3])
{
	const char *colon = memrchr(text, ':', *length);
	const size_t before = colon ? (size_t)(colon - text) : 0;

	if (!before || text[before - 1] == ':' ||
	    !parse_index(colon + 1, *length - before - 1, out))
		return false;
	*length = before;
	return true;
}

static bool parse_trace(struct config *c, const char *value)
{
	size_t length = strlen(value);
	uint32_t last[3], first[3];

	c->trace.has_block = cut_index(value, &length, last);
	c->trace.has_thread = c->trace.has_block && cut_index(value, &length, first);
	memcpy(c->trace.thread, last, sizeof(last));
	memcpy(c->trace.block, c->trace.has_thread ? first : last, sizeof(last));
	return parse_kernel(value, length, c->trace.kernel);
}

static const char isa_values[] = "best"
#define ISA(name, test) " or " #name
#include "isas.def"
	;

static const struct key {
	const char *name;
	parse_fn *parse;
	const char *values;
} keys[] = {
#define CPU_KEY(name, parse, values, metavar, meaning) { name, parse, values },
#include "cpu_keys.def"
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

/* Tells whether the name of a template was cut at a comma. */
static bool is_cut(const char *kernel)
{
	return strchr(kernel, '<') && !strchr(kernel, '>');
}

static int unknown_key(const struct config *c, const char *name, struct err *e)
{
	const char *kernel = is_cut(c->trace.kernel) ? c->trace.kernel : c->dump;
	char names[256] = "";
	size_t length = 0;

	if (is_cut(kernel))
		return err_set(e, GPURUN_INVALID, "CPU device: the comma behind '%s' ends the key: "
			       "write ? for it, as in trace='scale<float? 4>'", kernel);
	for (size_t i = 0; i < KEY_COUNT; i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
					   i ? ", " : "", keys[i].name);
	return err_set(e, GPURUN_INVALID, "CPU device: unknown key '%s' (there are %s)", name,
		       names);
}

/* NULL when there is none. */
static const struct key *key_named(const char *name)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (!strcmp(name, keys[i].name))
			return &keys[i];
	return NULL;
}

static int set_key(struct config *c, char *word, struct err *e)
{
	char *value = strchr(word, '=');
	const struct key *key;

	if (value)
		*value++ = '\0';
	key = key_named(word);
	if (!key)
		return unknown_key(c, word, e);
	if (!value)
		return err_set(e, GPURUN_INVALID, "CPU device: key '%s' has no value (%s)", word,
			       key->values);
	if (!key->parse(c, value))
		return err_set(e, GPURUN_INVALID, "CPU device: %s=%s is not %s", word, value,
			       key->values);
	return 0;
}

/* Reads another name of the list after check=, or another key; mem can be both. */
static int add_word(struct config *c, char *word, bool *checks, struct err *e)
{
	const unsigned before = c->check;

	if (*checks && !strchr(word, '=') && (!key_named(word) || !strcmp(word, "mem"))) {
		if (!add_check(c, word))
			return err_set(e, GPURUN_INVALID, "CPU device: check=%s is not %s", word,
				       check_values);
		if (!before || !strcmp(word, "none"))
			return err_set(e, GPURUN_INVALID,
				       "CPU device: check=none stands alone in its list");
		return 0;
	}
	*checks = !strncmp(word, "check=", 6);
	return set_key(c, word, e);
}

int config_parse(const char *options, struct err *e)
{
	CLEANUP(free_pointer) char *copy = NULL;
	struct config c = config;
	bool checks = false; /* the last key was check */
	char *rest, *word;

	if (!options || !*options)
		return 0;
	copy = strdup(options);
	if (!copy)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory reading the options");
	rest = copy;
	while ((word = strsep(&rest, ",")))
		TRY(add_word(&c, word, &checks, e));
	/* A trace needs each instruction executed by itself. */
	c.no_scalar |= *c.trace.kernel != '\0';
	config = c;
	return 0;
}

int config_init(struct err *e)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long pages = sysconf(_SC_PHYS_PAGES);
	long page = sysconf(_SC_PAGESIZE);
	const char *blocking = secure_getenv("CUDA_LAUNCH_BLOCKING");

	config = (struct config){
		.threads = cpus < 1 ? 1 : cpus > MAX_THREADS ? MAX_THREADS : (unsigned)cpus,
		.cc = 90,
		.memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 :
						  (uint64_t)1 << 30,
		.shared = 227 << 10,
		.seed = 1,
		.jit = JIT_DEFAULT,
		.jit_seed = 1,
		.jit_after = JIT_WORTH,
		.jit_most = UINT64_MAX,
		.exit_code = EXIT_FINDINGS,
		.launch_blocking = blocking && !strcmp(blocking, "1"),
		.log_calls = words_have(secure_getenv("GPURUN_LOG"), "calls"),
		.log_jit = words_have(secure_getenv("GPURUN_LOG"), "jit"),
		.log_jit_time = words_have(secure_getenv("GPURUN_LOG"), "jit-time"),
	};
	return config_parse(secure_getenv("GPURUN_CPU"), e);
}
