/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rust's names. Since 2021 (RFC 2603): "_R" PATH [PATH of the crate that made an instance].
 *
 *	PATH:  C [s N] NAME            a crate
 *	       N space PATH [s N] NAME "a::b"; a capital letter as space is a closure or a shim
 *	       M IMPL TYPE             "<T>"
 *	       X IMPL TYPE PATH        "<T as Trait>";  Y TYPE PATH likewise
 *	       I PATH {ARGUMENT} E     "a<T>"
 *	       B N                     what is at byte N after "_R"
 *
 * Numbers N are of base 62 with "_" at their end. Before that names look like C++'s, with a hash
 * as the last part: "_ZN7kernels3add17h0123456789abcdefE".
 */
#include "demangle_text.h"

#include <stdio.h>

static bool path(struct demangle_text *d);
static bool type(struct demangle_text *d);

/* ---- Numbers and names --------------------------------------------------------- */

static int digit62(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

/* "_" is 0, "0_" is 1. */
static bool base62(struct demangle_text *d, uint64_t *number)
{
	*number = 0;
	if (demangle_accept(d, '_'))
		return true;
	for (; digit62(*d->at) >= 0; d->at++) /* hashes of 64 bits, which wrap */
		*number = *number * 62 + (unsigned)digit62(*d->at);
	++*number;
	return demangle_accept(d, '_');
}

/* "s_" and the like, which tell names apart that are spelt alike. */
static bool disambiguator(struct demangle_text *d, uint64_t *number)
{
	*number = 0;
	if (!demangle_accept(d, 's'))
		return true;
	if (!base62(d, number))
		return false;
	++*number;
	return true;
}

/* Finds the bytes of a name: "3add", "3_123", or "u" before it for one that is not ASCII. */
static bool identifier(struct demangle_text *d, const char **name, size_t *size)
{
	demangle_accept(d, 'u');
	if (!demangle_number(d, size))
		return false;
	demangle_accept(d, '_');
	if (*size > (size_t)(d->end - d->at))
		return false;
	*name = d->at;
	d->at += *size;
	return true;
}

/* ---- Paths ---------------------------------------------------------------------- */

/* Counts a part that is read, and how deep it is. The caller leaves by d->depth--. */
static bool enter(struct demangle_text *d)
{
	return ++d->steps < DEMANGLE_MOST_STEPS && ++d->depth < DEMANGLE_MOST_DEPTH;
}

/* "B12_": reads by @part what is there. */
static bool back(struct demangle_text *d, bool (*part)(struct demangle_text *))
{
	const char *from = d->at, *after;
	uint64_t place;

	if (!base62(d, &place) || place >= (size_t)(from - 1 - d->name))
		return false;
	after = d->at;
	d->at = d->name + place;
	if (!d->silent && !part(d))
		return false;
	d->at = after;
	return true;
}

static bool nested(struct demangle_text *d)
{
	const char space = *d->at, *name;
	uint64_t number;
	size_t size;
	char text[48];

	if (!space)
		return false;
	d->at++;
	if (!path(d) || !disambiguator(d, &number) || !identifier(d, &name, &size))
		return false;
	if (space >= 'A' && space <= 'Z') {
		snprintf(text, sizeof(text), "#%llu}", (unsigned long long)number);
		return demangle_puts(d, space == 'C' ? "::{closure" :
					space == 'S' ? "::{shim" : "::{other") &&
		       (!size || demangle_puts(d, ":")) && demangle_put(d, name, size) &&
		       demangle_puts(d, text);
	}
	return !size || (demangle_puts(d, "::") && demangle_put(d, name, size));
}

/* The place of an impl, which people do not write. */
static bool skip_impl(struct demangle_text *d)
{
	const bool silent = d->silent;
	uint64_t number;
	bool good;

	d->silent = true;
	good = disambiguator(d, &number) && path(d);
	d->silent = silent;
	return good;
}

static bool qualified(struct demangle_text *d, bool trait)
{
	return demangle_puts(d, "<") && type(d) &&
	       (!trait || (demangle_puts(d, " as ") && path(d))) && demangle_puts(d, ">");
}

/* A number of a type of @kind: hexadecimal digits and "_". */
static bool constant(struct demangle_text *d)
{
	const char kind = *d->at;
	char text[32], *end;
	uint64_t value;
	bool negative;

	if (!kind)
		return false;
	d->at++;
	if (kind == 'p')
		return demangle_puts(d, "_");
	if (kind == 'B')
		return back(d, constant);
	if (!strchr("abchijlmnostxy", kind))
		return false;
	negative = demangle_accept(d, 'n');
	value = strtoull(d->at, &end, 16);
	if (end == d->at || end - d->at > 16 || *d->at == '-' || *d->at == '+' || *d->at == ' ' ||
	    *end != '_')
		return false;
	d->at = end + 1;
	if (kind == 'b')
		return demangle_puts(d, value ? "true" : "false");
	snprintf(text, sizeof(text), kind == 'c' ? "'\\u{%s%llx}'" : "%s%llu",
		 negative ? "-" : "", (unsigned long long)value);
	return demangle_puts(d, text);
}

static bool lifetime(struct demangle_text *d)
{
	uint64_t number;

	return base62(d, &number);
}

static bool argument(struct demangle_text *d)
{
	if (demangle_accept(d, 'L'))
		return lifetime(d) && demangle_puts(d, "'_");
	return demangle_accept(d, 'K') ? constant(d) : type(d);
}

/* Reads by @part up to 'E', with commas between. */
static bool list(struct demangle_text *d, bool (*part)(struct demangle_text *))
{
	for (bool first = true; !demangle_accept(d, 'E'); first = false)
		if ((!first && !demangle_puts(d, ", ")) || !part(d))
			return false;
	return true;
}

static bool path_part(struct demangle_text *d, char kind)
{
	const char *name;
	uint64_t number;
	size_t size;

	switch (kind) {
	case 'C':
		return disambiguator(d, &number) && identifier(d, &name, &size) &&
		       demangle_put(d, name, size);
	case 'N':
		return nested(d);
	case 'M':
		return skip_impl(d) && qualified(d, false);
	case 'X':
		return skip_impl(d) && qualified(d, true);
	case 'Y':
		return qualified(d, true);
	case 'I':
		return path(d) && demangle_puts(d, "<") && list(d, argument) &&
		       demangle_puts(d, ">");
	case 'B':
		return back(d, path);
	}
	return false;
}

static bool path(struct demangle_text *d)
{
	const char kind = *d->at;
	bool good;

	if (!kind)
		return false;
	d->at++;
	good = enter(d) && path_part(d, kind);
	d->depth--;
	return good;
}

/* ---- Types ---------------------------------------------------------------------- */

static const char *basic(char c)
{
	static const char *const names[26] = {
		"i8", "bool", "char", "f64", "str", "f32", NULL, "u8", "isize", "usize", NULL,
		"i32", "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...", NULL,
		"i64", "u64", "!",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* "fn(a) -> b"; what binds lifetimes and the ABI are not written. */
static bool function(struct demangle_text *d)
{
	const char *name;
	uint64_t number;
	size_t size;

	if (demangle_accept(d, 'G') && !base62(d, &number))
		return false;
	demangle_accept(d, 'U');
	if (demangle_accept(d, 'K') && !demangle_accept(d, 'C') && !identifier(d, &name, &size))
		return false;
	if (!demangle_puts(d, "fn(") || !list(d, type) || !demangle_puts(d, ")"))
		return false;
	return demangle_accept(d, 'u') || (demangle_puts(d, " -> ") && type(d));
}

static bool reference(struct demangle_text *d, const char *sign)
{
	if (demangle_accept(d, 'L') && !lifetime(d))
		return false;
	return demangle_puts(d, sign) && type(d);
}

static bool type_part(struct demangle_text *d, char kind)
{
	switch (kind) {
	case 'A':
		return demangle_puts(d, "[") && type(d) && demangle_puts(d, "; ") && constant(d) &&
		       demangle_puts(d, "]");
	case 'S':
		return demangle_puts(d, "[") && type(d) && demangle_puts(d, "]");
	case 'T':
		return demangle_puts(d, "(") && list(d, type) && demangle_puts(d, ")");
	case 'R':
		return reference(d, "&");
	case 'Q':
		return reference(d, "&mut ");
	case 'P':
		return demangle_puts(d, "*const ") && type(d);
	case 'O':
		return demangle_puts(d, "*mut ") && type(d);
	case 'F':
		return function(d);
	case 'B':
		return back(d, type);
	}
	d->at--;
	return path(d);
}

static bool type(struct demangle_text *d)
{
	const char kind = *d->at;
	bool good;

	if (!kind)
		return false;
	d->at++;
	if (basic(kind))
		return demangle_puts(d, basic(kind));
	good = enter(d) && type_part(d, kind);
	d->depth--;
	return good;
}

/* ---- Names with a hash ------------------------------------------------------------ */

/* Writes a part of a name, in which "$LT$" is '<', "$u20$" a blank and ".." is "::". */
static bool unescape(struct demangle_text *d, const char *name, size_t size)
{
	static const char *const escapes[][2] = {
		{ "$SP$", "@" }, { "$BP$", "*" }, { "$RF$", "&" }, { "$LT$", "<" },
		{ "$GT$", ">" }, { "$LP$", "(" }, { "$RP$", ")" }, { "$C$", "," },
		{ "$u20$", " " }, { "$u27$", "'" }, { "$u5b$", "[" }, { "$u5d$", "]" },
		{ "$u7b$", "{" }, { "$u7d$", "}" }, { "$u3b$", ";" }, { "$u2b$", "+" },
		{ "$u22$", "\"" }, { "$u7e$", "~" }, { "..", "::" },
	};
	const char *end = name + size;

	if (size > 1 && name[0] == '_' && name[1] == '$')
		name++;
	while (name < end) {
		const char *text = NULL;

		for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]) && !text; i++) {
			const size_t length = strlen(escapes[i][0]);

			if ((size_t)(end - name) >= length &&
			    !memcmp(name, escapes[i][0], length)) {
				text = escapes[i][1];
				name += length;
			}
		}
		if (!(text ? demangle_puts(d, text) : demangle_put(d, name++, 1)))
			return false;
	}
	return true;
}

static bool is_hash(const char *name, size_t size)
{
	return size == 17 && *name == 'h' && strspn(name + 1, "0123456789abcdef") >= 16;
}

static bool hashed(struct demangle_text *d)
{
	for (bool first = true;; first = false) {
		const char *name;
		size_t size;

		if (!demangle_number(d, &size))
			return false;
		name = d->at;
		d->at += size;
		if (is_hash(name, size) && *d->at == 'E')
			return !first;
		if ((!first && !demangle_puts(d, "::")) || !unescape(d, name, size))
			return false;
	}
}

/* Whether @d is at the end of a name, or at what LLVM has added to it: ".llvm.123". */
static bool ended(const struct demangle_text *d)
{
	return !*d->at || *d->at == '.' || *d->at == '$';
}

char *demangle_rust(const char *name)
{
	struct demangle_text d = { .end = name + strlen(name) };
	bool good = false;

	if (strncmp(name, "_R", 2) && strncmp(name, "_ZN", 3))
		return NULL;
	d.name = d.at = name + 2;
	if (!strncmp(name, "_R", 2)) {
		good = path(&d);
		d.silent = true;
		if (good && !ended(&d))
			good = path(&d) && ended(&d);
	} else {
		d.at++;
		good = hashed(&d) && demangle_accept(&d, 'E') && ended(&d);
	}
	if (!good || !d.length) {
		free(d.text);
		return NULL;
	}
	return d.text;
}
