/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "signature.h"

#include <string.h>

/* As the demangler spells them. */
static const struct {
	const char *name;
	enum value_type type;
} types[] = {
	{ "bool", TYPE_BOOL },
	{ "char", TYPE_I8 },
	{ "signed char", TYPE_I8 },
	{ "unsigned char", TYPE_U8 },
	{ "short", TYPE_I16 },
	{ "unsigned short", TYPE_U16 },
	{ "int", TYPE_I32 },
	{ "unsigned int", TYPE_U32 },
	{ "long", TYPE_I64 },
	{ "unsigned long", TYPE_U64 },
	{ "long long", TYPE_I64 },
	{ "unsigned long long", TYPE_U64 },
	{ "__half", TYPE_F16 },
	{ "__nv_bfloat16", TYPE_BF16 },
	{ "float", TYPE_F32 },
	{ "double", TYPE_F64 },
	{ "__nv_fp8_e4m3", TYPE_E4M3 },
	{ "__nv_fp8_e5m2", TYPE_E5M2 },
	{ "float2", TYPE_C64 },
	{ "double2", TYPE_C128 },
	{ "float _Complex", TYPE_C64 },
	{ "double _Complex", TYPE_C128 },
};

/* std::complex, cuda::std::complex and thrust::complex, with what an inline namespace puts
 * between: "cuda::std::__4::complex<float>". */
static bool find_complex(const char *text, size_t length, enum value_type *type)
{
	static const char *const spaces[] = { "std::", "cuda::std::", "thrust::" };
	static const char *const names[] = { "complex<float>", "complex<double>" };

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		size_t space = strlen(spaces[i]);

		if (length <= space || memcmp(text, spaces[i], space))
			continue;
		for (size_t j = 0; j < 2; j++) {
			size_t name = strlen(names[j]), before = length - name;

			*type = j ? TYPE_C128 : TYPE_C64;
			if (length >= space + name && !memcmp(text + before, names[j], name) &&
			    !memcmp(text + before - 2, "::", 2) &&
			    !memchr(text, '<', before))
				return true;
		}
	}
	return false;
}

/* Finds the type that the @length bytes at @text say. */
static bool find_type(const char *text, size_t length, enum value_type *type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i].name) == length && !memcmp(types[i].name, text, length)) {
			*type = types[i].type;
			return true;
		}
	}
	return find_complex(text, length, type);
}

/* Finds the end of the parameter at @text: its comma, or the bracket that ends the list. */
static const char *param_end(const char *text)
{
	unsigned depth = 0;

	for (;; text++) {
		if (!*text || (!depth && (*text == ',' || *text == ')')))
			return text;
		if (strchr("(<[{", *text))
			depth++;
		else if (strchr(")>]}", *text) && depth)
			depth--;
	}
}

/* The list of parameters: from the bracket that the last one of @signature closes. */
static const char *params_of(const char *signature)
{
	size_t depth = 0, at = strlen(signature);

	if (!at || signature[at - 1] != ')')
		return NULL;
	while (at--) {
		if (signature[at] == ')')
			depth++;
		else if (signature[at] == '(' && !--depth)
			return signature + at + 1;
	}
	return NULL;
}

static void drop_end(struct signature_param *param, size_t length)
{
	param->length -= length;
	while (param->length && param->text[param->length - 1] == ' ')
		param->length--;
}

static bool ends_with(const struct signature_param *param, const char *end)
{
	size_t length = strlen(end);

	return param->length >= length &&
	       !memcmp(param->text + param->length - length, end, length);
}

/* Reads the type that @out->text says. */
static bool read_type(struct signature_param *out)
{
	struct signature_param rest = *out;

	out->pointer = ends_with(&rest, "*");
	if (out->pointer)
		drop_end(&rest, 1);
	if (out->pointer && ends_with(&rest, " const"))
		drop_end(&rest, strlen(" const"));
	return find_type(rest.text, rest.length, &out->type);
}

bool signature_param(const char *signature, size_t index, size_t count,
		     struct signature_param *out)
{
	const char *text = params_of(signature);
	bool found = false;
	size_t at = 0;

	if (!text)
		return false;
	for (;; at++) {
		const char *end = param_end(text);

		if (at == index) {
			*out = (struct signature_param){ .text = text,
							 .length = (size_t)(end - text) };
			found = true;
		}
		if (*end != ',')
			break;
		text = end + 1 + strspn(end + 1, " ");
	}
	return found && at + 1 == count && read_type(out);
}

bool signature_takes(enum value_type want, enum value_type have)
{
	const struct value_info *a = value_info(want), *b = value_info(have);

	if (a->parts > 1 && have == a->part)
		return true;
	return a->is_float || b->is_float ? want == have : a->size == b->size;
}
