/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * vprintf and __assertfail, which kernels call and the driver provides.
 * Arguments of vprintf are packed in memory with natural alignment: 4 bytes for
 * integers up to 32 bits, 8 for longer ones, pointers and floating point.
 *
 * The format, what its arguments point to and the arguments themselves are memory
 * that other threads may be writing: each byte of it is checked and read one time.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "asserts.h"
#include "cleanup.h"
#include "demangle.h"
#include "guest.h"
#include "warp.h"
#include "output.h"

enum {
	TEXT_MOST = 1 << 20, /* characters of one call: as many as the FIFO of a GPU has bytes */
	FIELD_MOST = 4095,   /* width and precision: what C requires of a conversion */
	SMALL = 1024,
};

/* What vprintf returns besides the number of arguments, by the CUDA Programming Guide. */
enum { NO_FORMAT = -1, INTERNAL_ERROR = -2 };

static bool guest_read(struct guest *guest, uint64_t address, void *out, uint32_t size)
{
	if (address - guest->hit.base >= guest->hit.size ||
	    size > guest->hit.size - (address - guest->hit.base)) {
		if (!memory_reach(guest->w, guest->ip, &guest->hit, address, size, 1, guest->lane,
				  false))
			return false;
	}
	memcpy(out, (const void *)(address + guest->hit.distance), size);
	return true;
}

/* ---- Text ------------------------------------------------------------------------ */

/* What one call prints. */
struct text {
	char small[SMALL];
	char *large;  /* owned; NULL while the small one suffices */
	size_t used, room;
	bool cut;     /* it would have been longer */
};

static void text_release(struct text *text)
{
	free(text->large);
}

static void text_init(struct text *text)
{
	text->large = NULL;
	text->used = 0;
	text->room = SMALL;
	text->cut = false;
}

static char *bytes_of(struct text *text)
{
	return text->large ? text->large : text->small;
}

/* Makes room for @more characters and a NUL; what does not fit is cut. */
static void make_room(struct text *text, size_t more)
{
	size_t room = 2 * text->room;
	char *grown;

	ASSERT(text->used < text->room && text->used <= TEXT_MOST);
	if (more > TEXT_MOST - text->used) {
		text->cut = true;
		more = TEXT_MOST - text->used;
	}
	if (more < text->room - text->used)
		return;
	while (room <= text->used + more)
		room *= 2;
	grown = realloc(text->large, room);
	if (!grown) {
		text->cut = true;
		return;
	}
	if (!text->large)
		memcpy(grown, text->small, text->used);
	text->large = grown;
	text->room = room;
}

static void add_byte(struct text *text, char byte)
{
	make_room(text, 1);
	if (text->used < TEXT_MOST && text->used + 1 < text->room)
		bytes_of(text)[text->used++] = byte;
}

static void text_add(struct text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void text_add(struct text *text, const char *fmt, ...)
{
	va_list args, again;
	size_t length, room;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(bytes_of(text) + text->used, text->room - text->used, fmt, args);
	length = n > 0 ? (size_t)n : 0;
	if (length >= text->room - text->used) {
		make_room(text, length);
		vsnprintf(bytes_of(text) + text->used, text->room - text->used, fmt, again);
	}
	va_end(again);
	va_end(args);
	room = TEXT_MOST - text->used;
	if (room > text->room - text->used - 1)
		room = text->room - text->used - 1;
	text->cut |= length > room;
	text->used += length < room ? length : room;
	ASSERT(text->used < text->room && text->used <= TEXT_MOST);
}

/* Adds the string at @address, @most characters of it at most; false after a fault. */
static bool add_string(struct guest *guest, uint64_t address, size_t most, struct text *text)
{
	char byte;

	for (size_t i = 0; i < most && !text->cut; i++) {
		if (!guest_read(guest, address + i, &byte, 1))
			return false;
		if (!byte)
			return true;
		add_byte(text, byte);
	}
	return true;
}

/* ---- What a format asks for ------------------------------------------------------- */

/* A call of vprintf. */
struct print_call {
	struct guest *guest;
	uint64_t format; /* the character after @at */
	char at;         /* the current character of the format; NUL at its end */
	uint64_t args;   /* the next argument */
	int arguments;   /* that were read */
	int64_t field;   /* a width or precision above the limit; 0: none */
	struct text text;
};

static void call_release(struct print_call *call)
{
	text_release(&call->text);
}

static bool step(struct print_call *call)
{
	return guest_read(call->guest, call->format++, &call->at, 1);
}

/* The same; adds the character to the text, to be printed unchanged if it is no conversion. */
static bool step_and_add(struct print_call *call)
{
	add_byte(&call->text, call->at);
	return step(call);
}

static bool read_argument(struct print_call *call, void *out, uint32_t size)
{
	ASSERT(size == 4 || size == 8);
	call->args = (call->args + size - 1) & ~(uint64_t)(size - 1);
	if (!guest_read(call->guest, call->args, out, size))
		return false;
	call->args += size;
	call->arguments++;
	return true;
}

/* %[flags][width][.precision][size]letter */
struct conversion {
	char flags[8];
	int width;
	int precision; /* negative: not given */
	bool wide;     /* 8 bytes */
	int halves;    /* how many h */
	char letter;   /* NUL at the end of the format */
};

/* Limits a width or precision to the range that is supported. */
static int limit(struct print_call *call, int64_t number)
{
	if (number > FIELD_MOST) {
		call->field = number;
		return FIELD_MOST;
	}
	return (int)number;
}

/* Reads digits, or a star and its argument. */
static bool read_number(struct print_call *call, int64_t *number)
{
	int32_t argument;

	*number = 0;
	if (call->at == '*') {
		if (!read_argument(call, &argument, 4))
			return false;
		*number = argument;
		return step_and_add(call);
	}
	while (call->at >= '0' && call->at <= '9') {
		if (*number < INT32_MAX)
			*number = *number * 10 + (call->at - '0');
		if (!step_and_add(call))
			return false;
	}
	return true;
}

static bool read_flags(struct print_call *call, struct conversion *conversion)
{
	size_t used = 0;

	while (call->at && strchr("-+ #0", call->at)) {
		if (!strchr(conversion->flags, call->at))
			conversion->flags[used++] = call->at;
		if (!step_and_add(call))
			return false;
	}
	return true;
}

static bool read_size(struct print_call *call, struct conversion *conversion)
{
	while (call->at && strchr("hlLqjzt", call->at)) {
		conversion->wide |= call->at != 'h';
		conversion->halves += conversion->halves < 2 && call->at == 'h';
		if (!step_and_add(call))
			return false;
	}
	return true;
}

/* Reads one conversion after its '%', its letter included. False after a fault. */
static bool read_conversion(struct print_call *call, struct conversion *conversion)
{
	int64_t number;

	*conversion = (struct conversion){ .precision = -1 };
	if (!read_flags(call, conversion) || !read_number(call, &number))
		return false;
	if (number < 0) {
		if (!strchr(conversion->flags, '-'))
			conversion->flags[strlen(conversion->flags)] = '-';
		number = -number;
	}
	conversion->width = limit(call, number);
	if (call->at == '.') {
		if (!step_and_add(call) || !read_number(call, &number))
			return false;
		conversion->precision = number < 0 ? -1 : limit(call, number);
	}
	if (!read_size(call, conversion))
		return false;
	conversion->letter = call->at;
	return !call->at || step_and_add(call);
}

/* ---- Conversions --------------------------------------------------------------------- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* The specification of one value, put together from checked parts. */
static const char *spec_of(const struct conversion *conversion, const char *size, char spec[24])
{
	snprintf(spec, 24, "%%%s*.*%s%c", conversion->flags, size, conversion->letter);
	return spec;
}

/* An integer as wide as its size says. */
static int64_t narrow(const struct conversion *conversion, uint64_t value)
{
	const bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';

	if (conversion->wide)
		return (int64_t)value;
	switch (conversion->halves) {
	case 0:
		return is_signed ? (int32_t)value : (int64_t)(uint32_t)value;
	case 1:
		return is_signed ? (int16_t)value : (int64_t)(uint16_t)value;
	default:
		return is_signed ? (int8_t)value : (int64_t)(uint8_t)value;
	}
}

static bool add_integer(struct print_call *call, const struct conversion *how)
{
	uint64_t value = 0;
	char spec[24];

	if (!read_argument(call, &value, how->wide ? 8 : 4))
		return false;
	if (how->letter == 'c')
		text_add(&call->text, spec_of(how, "", spec), how->width, how->precision,
			 (int)value);
	else
		text_add(&call->text, spec_of(how, "ll", spec), how->width, how->precision,
			 (long long)narrow(how, value));
	return true;
}

static bool add_float(struct print_call *call, const struct conversion *how)
{
	char spec[24];
	double value;

	if (!read_argument(call, &value, 8))
		return false;
	text_add(&call->text, spec_of(how, "", spec), how->width, how->precision, value);
	return true;
}

static bool add_pointer(struct print_call *call, const struct conversion *how)
{
	char spec[24];
	uint64_t value;

	if (!read_argument(call, &value, 8))
		return false;
	text_add(&call->text, spec_of(how, "", spec), how->width, how->precision, (void *)value);
	return true;
}

/* A string with a precision is read no further: it need not end. */
static bool add_text(struct print_call *call, const struct conversion *how)
{
	CLEANUP(text_release) struct text string;
	uint64_t address;
	char spec[24];

	text_init(&string);
	if (!read_argument(call, &address, 8))
		return false;
	if (!address)
		text_add(&string, "(null)");
	else if (!add_string(call->guest, address,
			     how->precision < 0 ? SIZE_MAX : (size_t)how->precision, &string))
		return false;
	call->text.cut |= string.cut;
	bytes_of(&string)[string.used] = '\0';
	text_add(&call->text, spec_of(how, "", spec), how->width, how->precision,
		 bytes_of(&string));
	return true;
}
#pragma GCC diagnostic pop

/* Prints one conversion from its '%' on. %n, and what is unknown, is printed unchanged. */
static bool convert(struct print_call *call)
{
	const size_t before = call->text.used;
	bool (*by)(struct print_call *call, const struct conversion *how) = NULL;
	struct conversion how;

	if (!step_and_add(call) || !read_conversion(call, &how))
		return false;
	switch (how.letter) {
	case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': case 'c':
		by = add_integer;
		break;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
		by = add_float;
		break;
	case 'p':
		by = add_pointer;
		break;
	case 's':
		by = add_text;
		break;
	case '%':
		call->text.used -= call->text.used == before + 2;
		break;
	}
	if (!by || call->text.cut)
		return true;
	call->text.used = before;
	return by(call, &how);
}

/* ---- The calls ------------------------------------------------------------------------- */

/* Notes, one time each, that a text was cut or a width limited. */
static void note_limits(const struct print_call *call)
{
	static atomic_bool noted_cut, noted_field;
	CLEANUP(free_pointer) char *kernel = NULL;

	if (!call->text.cut && !call->field)
		return;
	kernel = demangle_alone(call->guest->w->cta->launch->kernel->name);
	if (!kernel)
		return;
	if (call->text.cut && !atomic_exchange(&noted_cut, true))
		output_note("%s: a call of printf is cut: it prints at most %d characters", kernel,
			    TEXT_MOST);
	if (call->field && !atomic_exchange(&noted_field, true))
		output_note("%s: printf with a width or precision of %lld: %d is the most", kernel,
			    (long long)call->field, FIELD_MOST);
}

static bool print(struct print_call *call)
{
	if (!step(call))
		return false;
	while (call->at && !call->text.cut)
		if (!(call->at == '%' ? convert(call) : step_and_add(call)))
			return false;
	return true;
}

bool print_lane(struct guest *guest)
{
	CLEANUP(call_release) struct print_call call;
	int32_t result = NO_FORMAT;

	text_init(&call.text);
	call.guest = guest;
	call.format = guest_argument(guest, 0, 8);
	call.args = guest_argument(guest, 8, 8);
	call.arguments = 0;
	call.field = 0;
	if (call.format) {
		if (!print(&call))
			return false;
		note_limits(&call);
		output_printf(bytes_of(&call.text), call.text.used);
		result = call.text.cut ? INTERNAL_ERROR : call.arguments;
	}
	guest_result(guest, 16, (uint32_t)result, 4);
	return true;
}

/* file:line: function: block: [...], thread: [...] Assertion `message` failed. */
bool assert_lane(struct guest *guest)
{
	const struct warp *w = guest->w;
	const uint32_t *id = w->cta->id, *block = w->cta->launch->block;
	const uint32_t thread = w->index * LANES + guest->lane;
	CLEANUP(text_release) struct text text;

	text_init(&text);
	if (!add_string(guest, guest_argument(guest, 8, 8), SIZE_MAX, &text))
		return false;
	text_add(&text, ":%u: ", (unsigned)guest_argument(guest, 16, 4));
	if (!add_string(guest, guest_argument(guest, 24, 8), SIZE_MAX, &text))
		return false;
	text_add(&text, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", id[0], id[1], id[2],
		 thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]);
	if (!add_string(guest, guest_argument(guest, 0, 8), SIZE_MAX, &text))
		return false;
	text_add(&text, "` failed.");
	output_assert(bytes_of(&text), text.used);
	return true;
}
