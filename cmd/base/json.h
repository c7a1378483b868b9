/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writing JSON. Members are written one after the other; commas take care of
 * themselves. A key of NULL is for elements of arrays and the outermost value.
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *to;   /* borrowed */
	bool comma; /* something precedes the next member */
};

/* Opens an object or array; each needs its json_end_...(). */
void json_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_array(struct json *json, const char *key);
void json_end_array(struct json *json);

/*
 * Writes @text, NULL as null. No character is in the output that visible.h escapes: it is escaped
 * as JSON does, so readers get it back; a byte that is no UTF-8 becomes the four letters \xff.
 */
void json_string(struct json *json, const char *key, const char *text);

/* The same for @size bytes, some of which may be NUL, with a NUL after them. */
void json_text(struct json *json, const char *key, const char *text, size_t size);

void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);

/* Writes the shortest decimal; of what JSON lacks, nan as null and inf as a string. */
void json_double(struct json *json, const char *key, double value);

/* Writes @text, a number as value_format() prints it, likewise. */
void json_number(struct json *json, const char *key, const char *text);

/* Writes [x, y, z]. */
void json_dims(struct json *json, const char *key, const unsigned dims[3]);

#endif
