/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "json.h"

#include <string.h>

#include "asserts.h"
#include "value.h"
#include "visible.h"

/* One character, as visible.h shows it; but what has a number is escaped by JSON's own means,
 * and a reader of JSON gets the text unchanged. */
static void print_char(FILE *to, const struct visible_char *read, const char *at)
{
	if (read->kind == VISIBLE_CODE)
		fprintf(to, "\\u%04x", read->code);
	else if (read->kind == VISIBLE_BYTE)
		fprintf(to, "\\\\x%02x", read->code);
	else if (*at == '"' || *at == '\\')
		fprintf(to, "\\%c", *at);
	else
		fwrite(at, 1, read->length, to);
}

static void print_text(FILE *to, const char *text, size_t size)
{
	fputc('"', to);
	for (size_t i = 0; i < size;) {
		const struct visible_char read = visible_next(text + i, size - i);

		ASSERT(read.length && read.length <= size - i);
		print_char(to, &read, text + i);
		i += read.length;
	}
	fputc('"', to);
}

static void print_string(FILE *to, const char *text)
{
	print_text(to, text, strlen(text));
}

static void begin(struct json *json, const char *key)
{
	ASSERT(json->to);
	if (json->comma)
		fputc(',', json->to);
	json->comma = true;
	if (key) {
		print_string(json->to, key);
		fputc(':', json->to);
	}
}

static void enclose(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	fputc(bracket, json->to);
	json->comma = false;
}

static void end(struct json *json, char bracket)
{
	fputc(bracket, json->to);
	json->comma = true;
}

void json_object(struct json *json, const char *key)
{
	enclose(json, key, '{');
}

void json_end_object(struct json *json)
{
	end(json, '}');
}

void json_array(struct json *json, const char *key)
{
	enclose(json, key, '[');
}

void json_end_array(struct json *json)
{
	end(json, ']');
}

void json_string(struct json *json, const char *key, const char *text)
{
	begin(json, key);
	if (text)
		print_string(json->to, text);
	else
		fputs("null", json->to);
}

void json_text(struct json *json, const char *key, const char *text, size_t size)
{
	begin(json, key);
	print_text(json->to, text, size);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->to, "%llu", (unsigned long long)value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->to);
}

void json_number(struct json *json, const char *key, const char *text)
{
	begin(json, key);
	if (!strcmp(text, "nan") || !strcmp(text, "-nan"))
		fputs("null", json->to);
	else if (strpbrk(text, "nj")) /* "inf", "1+2j" */
		print_string(json->to, text);
	else
		fputs(text, json->to);
}

void json_double(struct json *json, const char *key, double value)
{
	char text[VALUE_TEXT_SIZE];

	value_format_double(value, text);
	json_number(json, key, text);
}

void json_dims(struct json *json, const char *key, const unsigned dims[3])
{
	json_array(json, key);
	for (int i = 0; i < 3; i++)
		json_unsigned(json, NULL, dims[i]);
	json_end_array(json);
}
