/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names of C++'s functions, without their parameters: what the Itanium C++ ABI, 5.1, says of
 * names, template arguments and the types among these, as far as kernels have it. What is left out
 * (operators, lambdas, expressions, types of functions and arrays) is not read.
 *
 *	name:   N {part} E                 a::b
 *	        part
 *	part:   N NAME                     N bytes
 *	        S_, S<base 36>_, St        what was named before; std
 *	        part I {argument} E        a template
 *
 * It is written as the demangler of GCC's C++ library writes it.
 */
#include "demangle_text.h"

enum { MOST_BACK = 128 };

struct cpp {
	struct demangle_text d;
	/* What S_, S0_, ... name: places in the text, which only grows behind them. */
	struct {
		size_t at, size;
	} back[MOST_BACK];
	unsigned back_count;
};

static bool read_cpp_type(struct cpp *c);
static bool read_list(struct cpp *c);

/* What was written from @at on can be named again. */
static bool remember_text(struct cpp *c, size_t at)
{
	if (c->back_count == MOST_BACK)
		return false;
	c->back[c->back_count].at = at;
	c->back[c->back_count++].size = c->d.length - at;
	return true;
}

/* Of "S1Z_" what follows the S. */
static bool again(struct cpp *c)
{
	size_t index = 0, size;
	bool first = true;

	for (; !demangle_accept(&c->d, '_'); first = false) {
		const char digit = *c->d.at++;

		if (index > MOST_BACK)
			return false;
		if (digit >= '0' && digit <= '9')
			index = index * 36 + (size_t)(digit - '0');
		else if (digit >= 'A' && digit <= 'Z')
			index = index * 36 + (size_t)(digit - 'A') + 10;
		else
			return false;
	}
	index += !first;
	if (index >= c->back_count)
		return false;
	size = c->back[index].size;
	return demangle_grow(&c->d, size) &&
	       demangle_put(&c->d, c->d.text + c->back[index].at, size);
}

static bool is_anonymous(const char *name, size_t size)
{
	return size >= 10 && !strncmp(name, "_GLOBAL_", 8) && strchr("_.$", name[8]) &&
	       name[9] == 'N';
}

/* A name alone; L says that others do not see it. */
static bool part(struct cpp *c)
{
	const char *name;
	size_t size;

	demangle_accept(&c->d, 'L');
	if (!demangle_number(&c->d, &size) || !size)
		return false;
	name = c->d.at;
	c->d.at += size;
	if (is_anonymous(name, size))
		return demangle_puts(&c->d, "(anonymous namespace)");
	return demangle_put(&c->d, name, size);
}

/* The arguments of a template, whose I is read. */
static bool arguments(struct cpp *c)
{
	return demangle_puts(&c->d, "<") && read_list(c) &&
	       demangle_puts(&c->d, c->d.text[c->d.length - 1] == '>' ? " >" : ">");
}

/* The part of N ... E that is next, of a name that begins at @start. */
static bool nested_part(struct cpp *c, size_t start)
{
	struct demangle_text *d = &c->d;
	const bool first = d->length == start;

	if (demangle_accept(d, 'S')) {
		if (!first)
			return false;
		return demangle_accept(d, 't') ? demangle_puts(d, "std") : again(c);
	}
	if (demangle_accept(d, 'I')) {
		if (first || !arguments(c))
			return false;
	} else if ((!first && !demangle_puts(d, "::")) || !part(c)) {
		return false;
	}
	return *d->at == 'E' || remember_text(c, start);
}

/* What is not nested, of a name that begins at @start; *@known: it can be named again already. */
static bool plain(struct cpp *c, size_t start, bool *known)
{
	struct demangle_text *d = &c->d;

	*known = *d->at == 'S' && d->at[1] != 't';
	if (*known) {
		d->at++;
		if (!again(c))
			return false;
	} else {
		if (*d->at == 'S' && (d->at += 2) && !demangle_puts(d, "std::"))
			return false;
		if (!part(c))
			return false;
	}
	if (!demangle_accept(d, 'I'))
		return true;
	if (!*known && !remember_text(c, start))
		return false;
	*known = false;
	return arguments(c);
}

/* A name; that of a type can be named again. */
static bool name(struct cpp *c, bool of_type)
{
	const size_t start = c->d.length;
	bool known = false;

	if (demangle_accept(&c->d, 'N')) {
		while (!demangle_accept(&c->d, 'E'))
			if (!nested_part(c, start))
				return false;
	} else if (!plain(c, start, &known)) {
		return false;
	}
	return !of_type || known || remember_text(c, start);
}

static const char *basic_name(char c)
{
	static const char *const names[26] = {
		"signed char", "bool", "char", "double", "long double", "float", "__float128",
		"unsigned char", "int", "unsigned int", NULL, "long", "unsigned long", "__int128",
		"unsigned __int128", NULL, NULL, NULL, "short", "unsigned short", NULL, "void",
		"wchar_t", "long long", "unsigned long long", NULL,
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* A type and what is behind it in the text: "float const*" of PKf. */
static bool derived(struct cpp *c, const char *behind)
{
	const size_t start = c->d.length;

	c->d.at++;
	return read_cpp_type(c) && demangle_puts(&c->d, behind) && remember_text(c, start);
}

static bool read_type_within(struct cpp *c)
{
	switch (*c->d.at) {
	case 'P':
		return derived(c, "*");
	case 'R':
		return derived(c, "&");
	case 'O':
		return derived(c, "&&");
	case 'K':
		return derived(c, " const");
	}
	if (basic_name(*c->d.at))
		return demangle_puts(&c->d, basic_name(*c->d.at++));
	return name(c, true);
}

static bool read_cpp_type(struct cpp *c)
{
	bool good = ++c->d.steps < DEMANGLE_MOST_STEPS && ++c->d.depth < DEMANGLE_MOST_DEPTH;

	good = good && read_type_within(c);
	c->d.depth--;
	return good;
}

/* How a literal of the type @c ends; NULL: with its type before it. */
static const char *suffix(char c)
{
	static const char *const suffixes[26] = {
		['i' - 'a'] = "",  ['j' - 'a'] = "u",  ['l' - 'a'] = "l",
		['m' - 'a'] = "ul", ['x' - 'a'] = "ll", ['y' - 'a'] = "ull",
	};

	return c >= 'a' && c <= 'z' ? suffixes[c - 'a'] : NULL;
}

/* "Li4E": its L is read. */
static bool literal(struct cpp *c)
{
	struct demangle_text *d = &c->d;
	const char *behind = suffix(*d->at);
	size_t digits;

	if (!strncmp(d->at, "b0E", 3) || !strncmp(d->at, "b1E", 3)) {
		d->at += 3;
		return demangle_puts(d, d->at[-2] == '1' ? "true" : "false");
	}
	if (!*d->at || strchr("_bdefgvz", *d->at))
		return false;
	if (behind)
		d->at++;
	else if (!demangle_puts(d, "(") || !read_cpp_type(c) || !demangle_puts(d, ")"))
		return false;
	if (demangle_accept(d, 'n') && !demangle_puts(d, "-"))
		return false;
	digits = strspn(d->at, "0123456789");
	if (!digits || !demangle_put(d, d->at, digits) || !demangle_puts(d, behind ? behind : ""))
		return false;
	d->at += digits;
	return demangle_accept(d, 'E');
}

/* J begins a list of arguments that is one of them. */
static bool argument(struct cpp *c)
{
	bool good = ++c->d.steps < DEMANGLE_MOST_STEPS && ++c->d.depth < DEMANGLE_MOST_DEPTH;

	if (demangle_accept(&c->d, 'L'))
		good = good && literal(c);
	else if (demangle_accept(&c->d, 'J'))
		good = good && read_list(c);
	else
		good = good && read_cpp_type(c);
	c->d.depth--;
	return good;
}

/* As far as E. Where an argument is an empty list there is no comma. */
static bool read_list(struct cpp *c)
{
	struct demangle_text *d = &c->d;

	for (bool first = true; !demangle_accept(d, 'E');) {
		const size_t before = d->length;
		size_t begin;

		if (!first && !demangle_puts(d, ", "))
			return false;
		begin = d->length;
		if (!argument(c))
			return false;
		if (d->length == begin)
			d->text[d->length = before] = '\0';
		else
			first = false;
	}
	return true;
}

char *demangle_cpp(const char *mangled)
{
	static const char rest[] = "abcdefghijklmnopqrstuvwxyz" "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_.$";
	struct cpp c = { .d = { .end = mangled + strlen(mangled) } };

	if (strncmp(mangled, "_Z", 2))
		return NULL;
	c.d.name = c.d.at = mangled + 2;
	if (name(&c, false) && c.d.length && !c.d.at[strspn(c.d.at, rest)])
		return c.d.text;
	free(c.d.text);
	return NULL;
}
