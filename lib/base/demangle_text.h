/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What our own demanglers share: the name that they read, and the text that
 * they write. Work and text are bounded, so that back references cannot make them grow.
 */
#ifndef LIB_DEMANGLE_TEXT_H
#define LIB_DEMANGLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEMANGLE_MOST_TEXT = 1 << 14,  /* bytes */
	DEMANGLE_MOST_STEPS = 1 << 14, /* parts of names that are read */
	DEMANGLE_MOST_DEPTH = 100,     /* of what is in each other */
};

struct demangle_text {
	const char *name, *at, *end; /* borrowed: the mangled name, and what is next */
	char *text;            /* owned; terminated */
	size_t length, room;
	unsigned steps, depth;
	bool silent;           /* what is read is not written */
};

/* Makes room for @more bytes and the end. */
static inline bool demangle_grow(struct demangle_text *d, size_t more)
{
	const size_t least = d->length + more + 1;
	const size_t room = d->room * 2 > least ? d->room * 2 : least;
	char *grown;

	if (least <= d->room)
		return true;
	grown = realloc(d->text, room);
	if (!grown)
		return false;
	d->text = grown;
	d->room = room;
	return true;
}

/* Appends @size bytes. False when there is no memory, or the text becomes too long. */
static inline bool demangle_put(struct demangle_text *d, const char *bytes, size_t size)
{
	if (d->silent)
		return true;
	if (size > DEMANGLE_MOST_TEXT - d->length || !demangle_grow(d, size))
		return false;
	memcpy(d->text + d->length, bytes, size);
	d->length += size;
	d->text[d->length] = '\0';
	return true;
}

static inline bool demangle_puts(struct demangle_text *d, const char *text)
{
	return demangle_put(d, text, strlen(text));
}

/* Skips @c; false when it is not next. */
static inline bool demangle_accept(struct demangle_text *d, char c)
{
	if (*d->at != c)
		return false;
	d->at++;
	return true;
}

/* Reads a decimal number; false when there is none, or it is longer than the rest of the name. */
static inline bool demangle_number(struct demangle_text *d, size_t *number)
{
	const size_t most = (size_t)(d->end - d->at);

	if (*d->at < '0' || *d->at > '9')
		return false;
	for (*number = 0; *d->at >= '0' && *d->at <= '9'; d->at++) {
		*number = *number * 10 + (size_t)(*d->at - '0');
		if (*number > most)
			return false;
	}
	return *number <= (size_t)(d->end - d->at);
}

/*
 * The names that Rust ("_R...", and "_ZN...17h<hash>E" of before) and D ("_D...") give to
 * functions, as people write them: "kernels::add<f32>", "kernels.add<float>". NULL when @name is
 * none of them, or needs more than the bounds above. Owned by the caller (free).
 */
char *demangle_rust(const char *name);
char *demangle_d(const char *name);

/*
 * The name of a C++ function, "math::axpb<int>", without its parameters. NULL as above, and where
 * it has what kernels seldom have: then demangle() may read it.
 */
char *demangle_cpp(const char *name);

#endif
