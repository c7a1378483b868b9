/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "guess.h"

#include <string.h>

#include "value.h"

struct other_name {
	const char *name, *here;
};

static const char *find_other_name(const struct other_name *names, const char *text, size_t length)
{
	for (; names->name; names++) {
		if (strlen(names->name) == length && !memcmp(names->name, text, length))
			return names->here;
	}
	return NULL;
}

static const char *find_type(const char *text, size_t length)
{
	static const struct other_name names[] = {
		{ "char", "i8" },	{ "int8", "i8" },	{ "int8_t", "i8" },
		{ "s8", "i8" },		{ "byte", "u8" },	{ "uint8", "u8" },
		{ "uint8_t", "u8" },	{ "short", "i16" },	{ "int16", "i16" },
		{ "int16_t", "i16" },	{ "s16", "i16" },	{ "uint16", "u16" },
		{ "uint16_t", "u16" },	{ "int", "i32" },	{ "int32", "i32" },
		{ "int32_t", "i32" },	{ "s32", "i32" },	{ "unsigned", "u32" },
		{ "uint", "u32" },	{ "uint32", "u32" },	{ "uint32_t", "u32" },
		{ "long", "i64" },	{ "int64", "i64" },	{ "int64_t", "i64" },
		{ "s64", "i64" },	{ "size_t", "u64" },	{ "uint64", "u64" },
		{ "uint64_t", "u64" },	{ "half", "f16" },	{ "float16", "f16" },
		{ "bfloat16", "bf16" }, { "float", "f32" },	{ "float32", "f32" },
		{ "double", "f64" },	{ "float64", "f64" },	{ "index", "i64" },
		{ NULL, NULL },
	};

	return find_other_name(names, text, length);
}

/* Tells whether @length bytes of @text, at least one, are of those that numbers have. */
static bool is_numeric(const char *text, size_t length)
{
	return length && strchr("0123456789+-.", text[0]) &&
	       strspn(text, "0123456789+-.,eExXabcdfABCDF") >= length;
}

static const char *type_of_number(const char *text, size_t length)
{
	const bool hexadecimal = strcspn(text, "xX") < length;

	return !hexadecimal && strcspn(text, ".eE") < length ? "f32" : "i32";
}

static bool is_path(const char *text)
{
	return strchr(text, '.') || strchr(text, '/');
}

int guess_type(const char *text, size_t length, struct err *e)
{
	size_t word = strcspn(text, "[*(");
	const char *meant = find_type(text, word < length ? word : length);
	enum value_type type;

	if (!meant && word < length && value_type_find(text, word, &type))
		meant = value_info(type)->name;
	if (meant && word < length)
		return err_hint(e, "a buffer is TYPE:SHAPE: %s:1024 has 1024 elements",
				meant);
	if (meant)
		return err_hint(e, "did you mean %s?", meant);
	if (is_numeric(text, length))
		return err_hint(e, "a number has no name: %.*s alone, or with its type: %s=%.*s",
				(int)length, text, type_of_number(text, length), (int)length,
				text);
	if (!text[length] && is_path(text))
		return err_hint(e, "a file has an @ before its name: @%s", text);
	return err_hint(e, "a buffer is TYPE:SHAPE[:INIT], a number TYPE=VALUE; types are %s",
			value_type_names());
}

void guess_number(const char *text, size_t length, struct err *e)
{
	const char *meant = find_type(text, length), *value = text + length + 1;

	if (meant && is_numeric(value, strlen(value)))
		err_hint(e, "did you mean %s=%.100s?", meant, value);
}

int guess_init(const char *text, struct err *e)
{
	static const struct other_name names[] = {
		{ "zeros", "zero" },	 { "ones", "fill=1" },	    { "random", "rand" },
		{ "uniform", "rand" },	 { "normal", "randn" },	    { "gauss", "randn" },
		{ "range", "iota" },	 { "arange", "iota" },	    { "undef", "uninit" },
		{ "empty", "uninit" },	 { "sequence", "iota" },    { NULL, NULL },
	};
	const char *meant = find_other_name(names, text, strlen(text));

	if (meant)
		return err_hint(e, "did you mean %s?", meant);
	if (is_numeric(text, strlen(text)))
		return err_hint(e, "did you mean %s=%.100s?",
				strchr(text, ',') ? "list" : "fill", text);
	if (is_path(text))
		return err_hint(e, "a file has an @ before its name: @%.100s", text);
	return err_hint(e, "there are zero uninit poison fill=V iota[=START[,STEP[,MOD]]] "
			   "rand[=LO,HI] randn[=MEAN,SD] list=V,V,... text=S @FILE");
}

void guess_shape(const char *text, struct err *e)
{
	size_t type = strcspn(text, ":");
	const char *rest = text + type + (text[type] == ':');

	if (!is_numeric(rest, strcspn(rest, ":")) || !strpbrk(rest, ".,-+"))
		return;
	if (strchr(rest, ','))
		err_hint(e, "values are a list: %.*s:list=%.100s", (int)type, text, rest);
	else
		err_hint(e, "a number is %.*s=%.100s, a buffer of them %.*s:SHAPE:fill=%.100s",
			 (int)type, text, rest, (int)type, text, rest);
}
