/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * D's names: "_D" and parts, then types, which are not read.
 *
 *	part:  N NAME           N bytes
 *	       __T part {ARGUMENT} Z, also as the N bytes of a name: a template
 *	       Q N              the part that begins N bytes before: base 26, the last digit small
 *
 * A template is written as C++ writes it, "add<float>", where D has "add!float".
 */
#include "demangle_text.h"

static bool part(struct demangle_text *d);

static const char *basic(char c)
{
	static const char *const names[26] = {
		"char", "bool", NULL, "double", "real", "float", "byte", "ubyte", "int", NULL,
		"uint", "long", "ulong", "none", NULL, NULL, NULL, NULL, "short", "ushort", "wchar",
		"void", "dchar",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* A type of arguments: basic ones and pointers to them. */
static bool type(struct demangle_text *d)
{
	size_t stars = 0;

	while (demangle_accept(d, 'P'))
		stars++;
	if (!basic(*d->at) || !demangle_puts(d, basic(*d->at)))
		return false;
	for (d->at++; stars--;)
		if (!demangle_puts(d, "*"))
			return false;
	return true;
}

/* The arguments of a template as far as 'Z' at @end, or where that is not known. */
static bool arguments(struct demangle_text *d, const char *end)
{
	for (bool first = true; !demangle_accept(d, 'Z'); first = false) {
		if (!first && !demangle_puts(d, ", "))
			return false;
		if (demangle_accept(d, 'T') && type(d))
			continue;
		/* Others are not read: what follows is found only by a length. */
		if (!end || !demangle_puts(d, "..."))
			return false;
		d->at = end;
		return true;
	}
	return !end || d->at == end;
}

/* "__T" is read; @end is where the template ends, or NULL. */
static bool template(struct demangle_text *d, const char *end)
{
	bool good = ++d->depth < DEMANGLE_MOST_DEPTH;

	good = good && part(d) && demangle_puts(d, "<") && arguments(d, end) &&
	       demangle_puts(d, ">");
	d->depth--;
	return good;
}

static bool begins_template(const char *at)
{
	return !strncmp(at, "__T", 3) || !strncmp(at, "__U", 3);
}

/* "Qb": what is named there. */
static bool back(struct demangle_text *d)
{
	const char *from = d->at - 1, *after;
	size_t distance = 0, size;

	for (; *d->at >= 'A' && *d->at <= 'Z' && distance < 1 << 20; d->at++)
		distance = distance * 26 + (size_t)(*d->at - 'A');
	if (*d->at < 'a' || *d->at > 'z')
		return false;
	distance = distance * 26 + (size_t)(*d->at++ - 'a');
	if (!distance || distance > (size_t)(from - d->name))
		return false;
	after = d->at;
	d->at = from - distance;
	if (!demangle_number(d, &size) || !demangle_put(d, d->at, size))
		return false;
	d->at = after;
	return true;
}

static bool part(struct demangle_text *d)
{
	const char *end;
	size_t size;

	if (++d->steps >= DEMANGLE_MOST_STEPS)
		return false;
	if (demangle_accept(d, 'Q'))
		return back(d);
	if (begins_template(d->at)) {
		d->at += 3;
		return template(d, NULL);
	}
	if (!demangle_number(d, &size) || !size)
		return false;
	end = d->at + size;
	if (begins_template(d->at) && size > 3) {
		d->at += 3;
		return template(d, end);
	}
	if (!demangle_put(d, d->at, size))
		return false;
	d->at = end;
	return true;
}

char *demangle_d(const char *name)
{
	struct demangle_text d = { .end = name + strlen(name) };
	bool good;

	if (strncmp(name, "_D", 2) || name[2] < '1' || name[2] > '9')
		return NULL;
	d.name = d.at = name + 2;
	good = part(&d);
	while (good && (*d.at == 'Q' || begins_template(d.at) || (*d.at >= '1' && *d.at <= '9')))
		good = demangle_puts(&d, ".") && part(&d);
	if (!good || !d.length) {
		free(d.text);
		return NULL;
	}
	return d.text;
}
