/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * vprintf and __assertfail, which kernels call and the driver provides.
 * Arguments of vprintf are packed in memory with natural alignment: 4 bytes for
 * integers up to 32 bits, 8 for longer ones, pointers and floating point.
 */
#include <stdarg.h>

#include "builtin.h"
#include "output.h"

static bool guest_read(struct guest *guest, uint64_t address, void *out, uint32_t size)
{
	if (address - guest->hit.base >= guest->hit.size ||
	    size > guest->hit.size - (address - guest->hit.base)) {
		if (!memory_reach(guest->w, guest->ip, &guest->hit, address, size, 1, guest->lane,
				  false))
			return false;
	}
	memcpy(out, (const void *)address, size);
	return true;
}

/* Copies a string, cut to @size; false after a fault. */
static bool guest_string(struct guest *guest, uint64_t address, char *out, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!guest_read(guest, address + i, &out[i], 1))
			return false;
		if (!out[i])
			return true;
	}
	out[size - 1] = 0;
	return true;
}

/* The text of one call. */
struct text {
	char bytes[4096];
	size_t used;
	int conversions;
};

static void add(struct text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *fmt, ...)
{
	size_t room = sizeof(text->bytes) - text->used;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text->bytes + text->used, room, fmt, args);
	va_end(args);
	if (n > 0)
		text->used += (size_t)n < room ? (size_t)n : room - 1;
}

/* A conversion: flags, width and precision as written, '*' replaced by its argument. */
struct conversion {
	char spec[64];
	size_t used;
	bool wide;
	char letter;
};

static bool take_star(struct guest *guest, uint64_t *args, struct conversion *conversion)
{
	int32_t value;

	*args = (*args + 3) & ~(uint64_t)3;
	if (!guest_read(guest, *args, &value, 4))
		return false;
	*args += 4;
	conversion->used += (size_t)snprintf(conversion->spec + conversion->used, 12, "%d", value);
	return true;
}

/* Reads one conversion after its '%'; *@format ends behind it. False after a fault. */
static bool read_conversion(struct guest *guest, const char **format, uint64_t *args,
			    struct conversion *conversion)
{
	const char *at = *format;

	*conversion = (struct conversion){ .spec = "%", .used = 1 };
	for (; *at && strchr("-+ #0123456789.*", *at) && conversion->used < 32; at++) {
		if (*at == '*') {
			if (!take_star(guest, args, conversion))
				return false;
		} else {
			conversion->spec[conversion->used++] = *at;
		}
	}
	for (; *at && strchr("hlLqjzt", *at); at++)
		conversion->wide |= *at != 'h';
	conversion->letter = *at;
	*format = *at ? at + 1 : at;
	return true;
}

static void finish(struct conversion *conversion, const char *length, char letter)
{
	snprintf(conversion->spec + conversion->used,
		 sizeof(conversion->spec) - conversion->used, "%s%c", length, letter);
}

static bool take(struct guest *guest, uint64_t *args, void *out, uint32_t size)
{
	*args = (*args + size - 1) & ~(uint64_t)(size - 1);
	if (!guest_read(guest, *args, out, size))
		return false;
	*args += size;
	return true;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* The specification was put together from checked parts. */
static bool convert(struct guest *guest, struct conversion *conversion, uint64_t *args,
		    struct text *text)
{
	char string[1024];
	uint64_t value = 0;
	double number;

	switch (conversion->letter) {
	case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': case 'c':
		if (!take(guest, args, &value, conversion->wide ? 8 : 4))
			return false;
		finish(conversion, conversion->wide && conversion->letter != 'c' ? "ll" : "",
		       conversion->letter);
		if (conversion->wide && conversion->letter != 'c')
			add(text, conversion->spec, (unsigned long long)value);
		else
			add(text, conversion->spec, (unsigned)value);
		break;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
		if (!take(guest, args, &number, 8))
			return false;
		finish(conversion, "", conversion->letter);
		add(text, conversion->spec, number);
		break;
	case 'p':
		if (!take(guest, args, &value, 8))
			return false;
		finish(conversion, "", 'p');
		add(text, conversion->spec, (void *)value);
		break;
	case 's':
		if (!take(guest, args, &value, 8))
			return false;
		if (!value)
			strcpy(string, "(null)");
		else if (!guest_string(guest, value, string, sizeof(string)))
			return false;
		finish(conversion, "", 's');
		add(text, conversion->spec, string);
		break;
	default: /* %n and what nobody knows is printed as it stands */
		finish(conversion, "", conversion->letter);
		add(text, "%s", conversion->spec);
		return true;
	}
	text->conversions++;
	return true;
}
#pragma GCC diagnostic pop

bool print_lane(struct guest *guest)
{
	uint64_t args = guest_argument(guest, 8, 8);
	char format[2048];
	const char *at = format;
	struct text text = { .used = 0 };

	if (!guest_string(guest, guest_argument(guest, 0, 8), format, sizeof(format)))
		return false;
	while (*at) {
		struct conversion conversion;

		if (*at != '%') {
			add(&text, "%c", *at++);
			continue;
		}
		at++;
		if (*at == '%') {
			add(&text, "%%");
			at++;
			continue;
		}
		if (!read_conversion(guest, &at, &args, &conversion) ||
		    !convert(guest, &conversion, &args, &text))
			return false;
	}
	output_printf(text.bytes, text.used);
	guest_result(guest, 16, (uint32_t)text.conversions, 4);
	return true;
}

bool assert_lane(struct guest *guest)
{
	const struct warp *w = guest->w;
	const uint32_t *id = w->cta->id, *block = w->cta->launch->block;
	uint32_t thread = w->index * LANES + guest->lane;
	char message[512], file[512], function[512];
	struct text text = { .used = 0 };

	if (!guest_string(guest, guest_argument(guest, 0, 8), message, sizeof(message)) ||
	    !guest_string(guest, guest_argument(guest, 8, 8), file, sizeof(file)) ||
	    !guest_string(guest, guest_argument(guest, 24, 8), function, sizeof(function)))
		return false;
	add(&text,
	    "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
	    (unsigned)guest_argument(guest, 16, 4), function, id[0], id[1], id[2],
	    thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1], message);
	output_assert(text.bytes, text.used);
	return true;
}
