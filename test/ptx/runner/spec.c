/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads the directives ("//@ word ...") of a .ptx file. Test data is trusted:
 * the first mistake ends the program with the file and line.
 */
#include "spec.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct value_type types[] = {
	{ "u8", KIND_UNSIGNED, 1 },  { "u16", KIND_UNSIGNED, 2 }, { "u32", KIND_UNSIGNED, 4 },
	{ "u64", KIND_UNSIGNED, 8 }, { "s8", KIND_SIGNED, 1 },    { "s16", KIND_SIGNED, 2 },
	{ "s32", KIND_SIGNED, 4 },   { "s64", KIND_SIGNED, 8 },   { "b8", KIND_BITS, 1 },
	{ "b16", KIND_BITS, 2 },     { "b32", KIND_BITS, 4 },     { "b64", KIND_BITS, 8 },
	{ "f16", KIND_FLOAT, 2 },    { "f32", KIND_FLOAT, 4 },    { "f64", KIND_FLOAT, 8 },
};

/* Where the reader is: the rest of one line, and what continues on the next. */
struct reader {
	struct spec *spec;
	unsigned line;
	char *rest;
	struct list *open; /* the list that a "+" line continues */
};

__attribute__((format(printf, 2, 3), noreturn)) static void bad(const struct reader *r,
								  const char *fmt, ...)
{
	va_list ap;

	printf("not ok - %s:%u: ", r->spec->path, r->line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

/* Makes room for one more of @size bytes in the array @data of @count. */
static void *grow(void *data, size_t count, size_t size)
{
	if (!count || !(count & (count - 1)))
		data = realloc(data, (count ? count * 2 : 1) * size);
	if (!data)
		abort();
	memset((char *)data + count * size, 0, size);
	return data;
}

/* The next word of the line, or NULL at its end. */
static char *word(struct reader *r)
{
	char *start;

	while (isspace((unsigned char)*r->rest))
		r->rest++;
	if (!*r->rest)
		return NULL;
	start = r->rest;
	while (*r->rest && !isspace((unsigned char)*r->rest))
		r->rest++;
	if (*r->rest)
		*r->rest++ = '\0';
	return start;
}

static char *need_word(struct reader *r, const char *what)
{
	char *text = word(r);

	if (!text)
		bad(r, "%s is missing", what);
	return text;
}

static uint64_t parse_number(struct reader *r, const struct value_type *type, const char *text)
{
	char *end;
	uint64_t bits = 0;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'f' || text[1] == 'd');

	if (type->kind != KIND_FLOAT || hex) {
		const char *digits = hex ? text + 2 : text;

		bits = *digits == '-' ? (uint64_t)strtoll(digits, &end, 10) :
				        strtoull(digits, &end, hex ? 16 : 10);
	} else if (type->size == 4) {
		float value = strtof(text, &end);

		memcpy(&bits, &value, sizeof(value));
	} else if (type->size == 8) {
		double value = strtod(text, &end);

		memcpy(&bits, &value, sizeof(value));
	} else {
		bad(r, "an f16 is given by its bits, not as %s", text);
	}
	if (*end || end == text)
		bad(r, "%s is no %s", text, type->name);
	return type->size == 8 ? bits : bits & ((1ULL << type->size * 8) - 1);
}

static void append(struct list *list, struct element element)
{
	list->elements = grow(list->elements, list->count, sizeof(element));
	list->elements[list->count++] = element;
}

/* One value with its spellings: V, V|W, V*COUNT, FIRST..LAST, _ and nan. */
static void parse_value(struct reader *r, struct list *list, char *text)
{
	struct element element = { 0 };
	char *star = strchr(text, '*'), *bar = strchr(text, '|'), *dots = strstr(text, "..");
	unsigned long times = 1;

	if (dots) {
		*dots = '\0';
		for (long long v = atoll(text); v <= atoll(dots + 2); v++) {
			element.bits = (uint64_t)v;
			append(list, element);
		}
		return;
	}
	if (star) {
		*star = '\0';
		times = strtoul(star + 1, NULL, 0);
	}
	if (bar) {
		*bar = '\0';
		element.has_other = true;
		element.other = parse_number(r, list->type, bar + 1);
	}
	if (!strcmp(text, "_"))
		element.kind = ELEMENT_ANY;
	else if (!strcmp(text, "nan"))
		element.kind = ELEMENT_NAN;
	else
		element.bits = parse_number(r, list->type, text);
	while (times--)
		append(list, element);
}

static bool parse_mode(struct list *list, const char *text)
{
	if (!strcmp(text, "set")) {
		list->as_set = true;
		return true;
	}
	if (!strncmp(text, "ulp=", 4))
		list->tolerance = TOLERANCE_ULP;
	else if (!strncmp(text, "abs=", 4))
		list->tolerance = TOLERANCE_ABS;
	else if (!strncmp(text, "rel=", 4))
		list->tolerance = TOLERANCE_REL;
	else
		return false;
	list->bound = strtod(text + 4, NULL);
	return true;
}

static void parse_values(struct reader *r, struct list *list)
{
	char *text;

	r->open = list;
	while ((text = word(r)))
		if (!parse_mode(list, text))
			parse_value(r, list, text);
}

/* "TYPE [mode] values ..." or the name of a list made before. */
static void parse_list(struct reader *r, struct list *list)
{
	const char *text = need_word(r, "a type or the name of a list");

	for (size_t i = 0; i < r->spec->list_count; i++)
		if (!strcmp(r->spec->lists[i].name, text)) {
			*list = r->spec->lists[i].list;
			return;
		}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, text))
			list->type = &types[i];
	if (!list->type)
		bad(r, "%s is neither a type nor a list", text);
	parse_values(r, list);
}

static struct test_case *current(struct reader *r)
{
	if (!r->spec->case_count)
		bad(r, "no launch or load stands before this");
	return &r->spec->cases[r->spec->case_count - 1];
}

static struct test_case *new_case(struct reader *r)
{
	struct spec *spec = r->spec;
	struct test_case *test;

	spec->cases = grow(spec->cases, spec->case_count, sizeof(*spec->cases));
	test = &spec->cases[spec->case_count++];
	test->line = r->line;
	for (int i = 0; i < 3; i++)
		test->grid[i] = test->block[i] = 1;
	return test;
}

static void parse_code(struct reader *r, struct test_case *test)
{
	const char *text;

	while ((text = word(r))) {
		if (test->code_count == MAX_CODES)
			bad(r, "more than %d codes", MAX_CODES);
		test->codes[test->code_count++] = atoi(text);
	}
	if (!test->code_count)
		bad(r, "a code is missing");
}

static void parse_launch(struct reader *r)
{
	struct test_case *test = new_case(r);
	char *text;

	test->kernel = need_word(r, "a kernel's name");
	while ((text = word(r))) {
		if (!strcmp(text, "fresh"))
			test->fresh = true;
		else if (!strcmp(text, "cooperative"))
			test->cooperative = true;
		else if (!strcmp(text, "cpu"))
			test->cpu = true;
		else if (sscanf(text, "grid=%u,%u,%u", test->grid, test->grid + 1,
				test->grid + 2) < 1 &&
			 sscanf(text, "block=%u,%u,%u", test->block, test->block + 1,
				test->block + 2) < 1 &&
			 sscanf(text, "shared=%u", &test->shared) < 1 &&
			 sscanf(text, "timeout=%u", &test->timeout) < 1)
			bad(r, "%s is no part of a launch", text);
	}
}

static struct operand *new_operand(struct reader *r, enum operand_role role)
{
	struct test_case *test = current(r);
	struct operand *operand;

	test->operands = grow(test->operands, test->operand_count, sizeof(*operand));
	operand = &test->operands[test->operand_count++];
	operand->role = role;
	return operand;
}

static struct operand *last_operand(struct reader *r)
{
	struct test_case *test = current(r);

	if (!test->operand_count)
		bad(r, "no operand stands before this");
	return &test->operands[test->operand_count - 1];
}

/* "out same": what the out before it expects, for a kernel that computes twice. */
static void parse_out(struct reader *r)
{
	struct operand *operand = new_operand(r, OPERAND_BUFFER);
	const struct test_case *test = current(r);

	while (isspace((unsigned char)*r->rest))
		r->rest++;
	if (strncmp(r->rest, "same", 4)) {
		parse_list(r, &operand->expected);
		return;
	}
	for (size_t i = test->operand_count - 1; i--;)
		if (test->operands[i].expected.type) {
			operand->expected = test->operands[i].expected;
			return;
		}
	bad(r, "no out stands before this");
}

/* Takes the quoted text that follows, with \n, \" and \\ in it. */
static char *parse_quoted(struct reader *r)
{
	char *from = strchr(r->rest, '"'), *start, *to;

	if (!from)
		bad(r, "a quoted text is missing");
	start = to = ++from;
	for (; *from && *from != '"'; from++)
		if (*from == '\\' && *++from == 'n')
			*to++ = '\n';
		else
			*to++ = *from;
	if (!*from)
		bad(r, "the quoted text does not end");
	*to = '\0';
	return start;
}

static void parse_named(struct reader *r)
{
	struct spec *spec = r->spec;
	struct named_list *named;
	struct list list = { 0 };
	char *name = need_word(r, "the list's name");

	parse_list(r, &list);
	spec->lists = grow(spec->lists, spec->list_count, sizeof(*spec->lists));
	named = &spec->lists[spec->list_count++];
	*named = (struct named_list){ name, list };
	r->open = &named->list;
}

static void parse_tensor(struct reader *r, bool im2col)
{
	struct operand *operand = new_operand(r, OPERAND_TENSOR);

	operand->im2col = im2col;
	operand->buffer = strtoul(need_word(r, "the number of an operand"), NULL, 10);
	parse_list(r, &operand->given);
	if (operand->buffer + 1 >= current(r)->operand_count)
		bad(r, "the operand of a tensor does not stand before it");
	if (operand->given.count < 4 || operand->given.type->size != 8)
		bad(r, "a tensor is told in numbers of type s64");
}

static void parse_variable(struct reader *r, enum operand_role role)
{
	struct operand *operand = new_operand(r, role);

	operand->variable = need_word(r, "a variable's name");
	parse_list(r, role == OPERAND_WRITE ? &operand->given : &operand->expected);
}

static void parse_directive(struct reader *r)
{
	const char *verb = need_word(r, "a directive");

	if (!strcmp(verb, "+")) {
		if (!r->open)
			bad(r, "nothing to continue");
		parse_values(r, r->open);
	} else if (!strcmp(verb, "list")) {
		parse_named(r);
	} else if (!strcmp(verb, "launch")) {
		parse_launch(r);
	} else if (!strcmp(verb, "load")) {
		parse_code(r, new_case(r));
	} else if (!strcmp(verb, "fault")) {
		parse_code(r, current(r));
	} else if (!strcmp(verb, "in") || !strcmp(verb, "inout")) {
		parse_list(r, &new_operand(r, OPERAND_BUFFER)->given);
	} else if (!strcmp(verb, "out")) {
		parse_out(r);
	} else if (!strcmp(verb, "expect")) {
		parse_list(r, &last_operand(r)->expected);
	} else if (!strcmp(verb, "arg")) {
		parse_list(r, &new_operand(r, OPERAND_SCALAR)->given);
	} else if (!strcmp(verb, "tensor") || !strcmp(verb, "im2col")) {
		parse_tensor(r, verb[0] == 'i');
	} else if (!strcmp(verb, "write")) {
		parse_variable(r, OPERAND_WRITE);
	} else if (!strcmp(verb, "read")) {
		parse_variable(r, OPERAND_READ);
	} else if (!strcmp(verb, "print")) {
		current(r)->print = parse_quoted(r);
	} else if (!strcmp(verb, "error")) {
		current(r)->error = parse_quoted(r);
	} else {
		bad(r, "unknown directive %s", verb);
	}
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0, capacity = 0;

	if (!file) {
		printf("not ok - cannot open %s\n", path);
		exit(1);
	}
	do {
		capacity = capacity ? capacity * 2 : 1 << 16;
		text = realloc(text, capacity);
		if (!text)
			abort();
		size += fread(text + size, 1, capacity - 1 - size, file);
	} while (size == capacity - 1);
	text[size] = '\0';
	fclose(file);
	return text;
}

struct spec *spec_read(const char *path)
{
	static struct spec *newest;
	struct spec *spec = calloc(1, sizeof(*spec));
	struct reader reader = { spec, 0, NULL, NULL };
	char *next;

	if (!spec)
		abort();
	spec->older = newest;
	newest = spec;
	spec->path = path;
	spec->text = read_text(path);
	spec->words = strdup(spec->text);
	if (!spec->words)
		abort();
	for (char *line = spec->words; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		reader.line++;
		if (strncmp(line, "//@", 3))
			continue;
		reader.rest = line + 3;
		parse_directive(&reader);
	}
	return spec;
}

void case_name(const struct spec *spec, const struct test_case *test, char name[256])
{
	const char *base = strrchr(spec->path, '/');

	snprintf(name, 256, "%s:%u %s", base ? base + 1 : spec->path, test->line,
		 test->kernel ? test->kernel : "load");
}

bool case_is_listed(const struct spec *spec, const struct test_case *test, const char *list)
{
	const char *base = strrchr(spec->path, '/'), *at = list;
	char row[256];
	size_t length;

	if (!at)
		return false;
	length = (size_t)snprintf(row, sizeof(row), "%s %s ", base ? base + 1 : spec->path,
				  test->kernel ? test->kernel : "load");
	for (; (at = strstr(at, row)); at += length)
		if (at == list || at[-1] == '\n')
			return true;
	return false;
}
