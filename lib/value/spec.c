/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "guess.h"

enum { PAD_MOST = 32764 }; /* bytes of all parameters of a kernel */

/* Counts the bytes of the identifier at @text; 0 when there is none. */
static size_t word_length(const char *text)
{
	size_t length = 0;

	if (isdigit((unsigned char)text[0]))
		return 0;
	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	return length;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

static const struct {
	const char *name;
	enum init_kind kind;
	unsigned least, most; /* values after '=' */
} inits[] = {
	{ "zero", INIT_ZERO, 0, 0 },	 { "uninit", INIT_UNINIT, 0, 0 },
	{ "poison", INIT_POISON, 0, 0 }, { "fill", INIT_FILL, 1, 1 },
	{ "iota", INIT_IOTA, 0, 3 },	 { "rand", INIT_RAND, 0, 2 },
	{ "randn", INIT_RANDN, 0, 2 },	 { "list", INIT_LIST, 1, 1 },
	{ "text", INIT_TEXT, 1, 1 },
};
#define INITS (sizeof(inits) / sizeof(inits[0]))

static bool find_init(const char *text, size_t length, size_t *index)
{
	for (*index = 0; *index < INITS; ++*index) {
		if (is_word(text, length, inits[*index].name))
			return true;
	}
	return false;
}

/* Names that mean something else where a buffer's name may be. */
static bool is_reserved(const char *text, size_t length)
{
	static const char *const words[] = {
		"len",	"sym",	 "raw",	 "memref", "null", "nan",  "inf",
		"true", "false", "struct", "ptrs", "pad",
	};
	enum value_type type;
	size_t index;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (is_word(text, length, words[i]))
			return true;
	}
	return value_type_find(text, length, &type) || find_init(text, length, &index);
}

int name_parse(const char *text, size_t length, char out[NAME_SIZE], struct err *e)
{
	out[0] = '\0';
	if (!length || word_length(text) < length) {
		err_set(e, GPURUN_INVALID, "'%.*s' is not a name", (int)length, text);
		return err_hint(e, "a name is made of letters, digits and _, "
				   "and begins with no digit");
	}
	if (length >= NAME_SIZE)
		return err_set(e, GPURUN_INVALID, "the name %.*s is longer than %d",
			       (int)length, text, NAME_SIZE - 1);
	memcpy(out, text, length);
	out[length] = '\0';
	return 0;
}

int buffer_name_parse(const char *text, size_t length, char out[NAME_SIZE], struct err *e)
{
	TRY(name_parse(text, length, out, e));
	if (is_reserved(text, length))
		return err_set(e, GPURUN_INVALID,
			       "'%s' has a meaning of its own and is no name",
			       out);
	return 0;
}

int shape_parse(const char *text, size_t length, struct shape *out, struct err *e)
{
	const char *end = text + length;

	*out = (struct shape){ .count = 1 };
	for (;;) {
		const char *cross = memchr(text, 'x', (size_t)(end - text));
		const char *stop = cross ? cross : end;
		uint64_t dim;

		TRY(size_parse(text, (size_t)(stop - text), &dim, e));
		if (out->rank == SHAPE_MAX_RANK)
			return err_set(e, GPURUN_INVALID, "more than %d dimensions",
				       SHAPE_MAX_RANK);
		out->dims[out->rank++] = dim;
		if (__builtin_mul_overflow(out->count, dim, &out->count))
			return err_set(e, GPURUN_INVALID, "%.*s elements are too many",
				       (int)length, end - length);
		if (!cross)
			return 0;
		text = cross + 1;
	}
}

void shape_format(const struct shape *shape, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < shape->rank && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%llu", i ? "x" : "",
				       (unsigned long long)shape->dims[i]);
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
	if (a->rank != b->rank)
		return false;
	for (unsigned i = 0; i < a->rank; i++) {
		if (a->dims[i] != b->dims[i])
			return false;
	}
	return true;
}

/* Reads "A" or "A,B" at @text into @init. */
static int read_values(const char *text, unsigned most, struct init *init, struct err *e)
{
	for (unsigned i = 0;; i++) {
		size_t length = strcspn(text, ",");

		if (i == most)
			return err_set(e, GPURUN_INVALID, "%s: more than %u value%s",
				       init->text, most, most == 1 ? "" : "s");
		if (number_parse(text, length, &init->values[i], e))
			return err_wrap(e, "%s", init->text);
		init->given[i] = true;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static int unknown_init(const char *text, struct err *e)
{
	err_set(e, GPURUN_INVALID, "'%s' is no way to fill a buffer", text);
	return guess_init(text, e);
}

int init_parse(const char *text, struct init *out, struct err *e)
{
	size_t length = word_length(text);
	size_t index;

	*out = (struct init){ .text = text };
	if (text[0] == '@') {
		out->kind = INIT_FILE;
		out->payload = text + 1;
		return text[1] ? 0 : err_set(e, GPURUN_INVALID, "@ without a file name");
	}
	if (!find_init(text, length, &index) || (text[length] && text[length] != '='))
		return unknown_init(text, e);
	out->kind = inits[index].kind;
	if (!text[length]) {
		if (inits[index].least)
			return err_set(e, GPURUN_INVALID, "%s needs a value: %s=...",
				       text, text);
		return 0;
	}
	out->payload = text + length + 1;
	if (out->kind == INIT_LIST || out->kind == INIT_TEXT)
		return 0;
	TRY(read_values(out->payload, inits[index].most, out, e));
	if ((out->kind == INIT_RAND || out->kind == INIT_RANDN) && !out->given[1])
		return err_set(e, GPURUN_INVALID, "%s: two values are needed", text);
	return 0;
}

bool init_sniff(const char *text)
{
	size_t index;

	return text[0] == '@' || find_init(text, word_length(text), &index);
}

static int unknown_type(const char *text, size_t length, struct err *e)
{
	err_set(e, GPURUN_INVALID, "unknown type '%.*s'", (int)length, text);
	return guess_type(text, length, e);
}

/* Tells whether @text is an INIT that says how many elements there are. */
static bool has_count(const char *text, uint64_t *count)
{
	if (!strncmp(text, "text=", 5)) {
		*count = strlen(text + 5);
		return true;
	}
	if (strncmp(text, "list=", 5))
		return false;
	*count = 1;
	for (const char *at = text; *at; at++)
		*count += *at == ',';
	return true;
}

int spec_parse(const char *text, struct spec *out, struct err *e)
{
	size_t length = strcspn(text, ":");
	const char *rest = text + length + 1;

	*out = (struct spec){ .init = { .kind = INIT_ZERO, .text = "zero" } };
	if (text[0] == '@')
		return init_parse(text, &out->init, e);
	if (!value_type_find(text, length, &out->type))
		return unknown_type(text, length, e);
	out->has_type = true;
	if (!text[length]) {
		err_set(e, GPURUN_INVALID, "'%s' says no shape", text);
		return err_hint(e, "a buffer is TYPE:SHAPE[:INIT], as %s:1024:iota",
				text);
	}
	if (rest[0] == '@')
		return init_parse(rest, &out->init, e);
	if (has_count(rest, &out->shape.count)) {
		out->shape.rank = 1;
		out->shape.dims[0] = out->shape.count;
		out->has_shape = true;
		return init_parse(rest, &out->init, e);
	}
	length = strcspn(rest, ":");
	if (shape_parse(rest, length, &out->shape, e)) {
		guess_shape(text, e);
		return err_wrap(e, "%s", text);
	}
	out->has_shape = true;
	return rest[length] ? init_parse(rest + length + 1, &out->init, e) : 0;
}

static bool is_number_start(const char *text)
{
	return isdigit((unsigned char)text[0]) || strchr("+-.", text[0]) ||
	       is_word(text, word_length(text), "inf") ||
	       is_word(text, word_length(text), "nan") ||
	       is_word(text, word_length(text), "true") ||
	       is_word(text, word_length(text), "false");
}

/* BUF, BUF+ELEMS or NAME=SPEC; @length is that of the name. */
static int parse_buffer(const char *text, size_t length, struct arg *out, struct err *e)
{
	const char *rest = text + length;
	int status;

	TRY(buffer_name_parse(text, length, out->name, e));
	if (*rest == '=') {
		out->kind = ARG_DECLARE;
		status = spec_parse(rest + 1, &out->spec, e);
		if (status)
			guess_number(text, length, e);
		return status;
	}
	out->kind = ARG_BUFFER;
	if (!*rest)
		return 0;
	if (*rest == '+')
		return size_parse(rest + 1, strlen(rest + 1), &out->elements, e);
	if (*rest == ':')
		return unknown_type(text, length, e);
	err_set(e, GPURUN_INVALID, "'%s' is not an argument", text);
	return guess_type(text, strlen(text), e);
}

/* What a memref, or any other buffer, may be. */
static int parse_place(const char *text, struct arg *out, struct err *e)
{
	size_t length = word_length(text);
	enum value_type type;

	if (text[0] == '@' ||
	    (text[length] == ':' && value_type_find(text, length, &type))) {
		out->kind = ARG_DECLARE;
		return spec_parse(text, &out->spec, e);
	}
	return parse_buffer(text, length, out, e);
}

static int parse_raw(const char *text, struct arg *out, struct err *e)
{
	size_t length = strlen(text);

	out->payload = text;
	out->kind = ARG_RAW;
	if (text[0] == '@') {
		out->kind = ARG_RAW_FILE;
		out->payload = text + 1;
		return text[1] ? 0
			       : err_set(e, GPURUN_INVALID, "raw:@ without a file name");
	}
	if (!length || length % 2 || strspn(text, "0123456789abcdefABCDEF") != length)
		return err_set(e, GPURUN_INVALID,
			       "raw:%s: not an even number of hexadecimal digits", text);
	return 0;
}

static int parse_pad(const char *text, struct arg *out, struct err *e)
{
	out->kind = ARG_PAD;
	TRY(size_parse(text, strlen(text), &out->elements, e));
	if (out->elements > PAD_MOST)
		return err_set(e, GPURUN_INVALID,
			       "pad:%s: the parameters of a kernel have %d bytes at most", text,
			       PAD_MOST);
	return 0;
}

/* The forms WORD:...; false when @text is none of them. */
static bool parse_keyword(const char *text, struct arg *out, struct err *e, int *status)
{
	size_t length = word_length(text);
	const char *rest = text + length + 1;

	if (text[length] != ':')
		return false;
	if (is_word(text, length, "memref")) {
		out->memref = true;
		*status = parse_place(rest, out, e);
		if (!*status && out->elements)
			*status = err_set(e, GPURUN_INVALID,
					  "%s: a memref takes no offset", text);
	} else if (is_word(text, length, "len")) {
		out->kind = ARG_LENGTH;
		*status = buffer_name_parse(rest, strlen(rest), out->name, e);
	} else if (is_word(text, length, "sym")) {
		out->kind = ARG_SYMBOL;
		out->payload = rest;
		*status = *rest ? 0 : err_set(e, GPURUN_INVALID, "sym: without a name");
	} else if (is_word(text, length, "raw")) {
		*status = parse_raw(rest, out, e);
	} else if (is_word(text, length, "struct") || is_word(text, length, "ptrs")) {
		out->kind = *text == 's' ? ARG_STRUCT : ARG_POINTERS;
		out->payload = rest;
		*status = *rest ? 0 : err_set(e, GPURUN_INVALID, "%s without parts", text);
	} else if (is_word(text, length, "pad")) {
		*status = parse_pad(rest, out, e);
	} else {
		return false;
	}
	return true;
}

int arg_parse(const char *text, struct arg *out, struct err *e)
{
	size_t length = word_length(text);
	int status = 0;

	*out = (struct arg){ .text = text };
	if (parse_keyword(text, out, e, &status))
		return status;
	if (!strcmp(text, "null")) {
		out->kind = ARG_NULL;
		return 0;
	}
	if (text[length] == '=' && value_type_find(text, length, &out->type)) {
		out->kind = ARG_SCALAR;
		return number_parse(text + length + 1, strlen(text + length + 1),
				    &out->number, e);
	}
	if (text[0] && is_number_start(text)) {
		out->kind = ARG_LITERAL;
		status = number_parse(text, strlen(text), &out->number, e);
		if (status && strchr(text, ','))
			err_hint(e, "a buffer of values: f32:list=%.100s", text);
		return status;
	}
	return parse_place(text, out, e);
}

int declaration_parse(const char *text, char name[NAME_SIZE], struct spec *spec,
		      struct err *e)
{
	const char *equals = strchr(text, '=');

	if (!equals) {
		err_set(e, GPURUN_INVALID, "'%s' is not NAME=SPEC", text);
		return err_hint(e, "as in x=f32:1024:iota");
	}
	TRY(buffer_name_parse(text, (size_t)(equals - text), name, e));
	return spec_parse(equals + 1, spec, e);
}
