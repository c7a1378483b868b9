/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t list_bytes(const struct list *list)
{
	return list->count * list->type->size;
}

void list_pack(const struct list *list, uint8_t *to)
{
	for (size_t i = 0; i < list->count; i++, to += list->type->size) {
		uint64_t bits = list->elements[i].kind == ELEMENT_VALUE ?
					list->elements[i].bits :
					0xa5a5a5a5a5a5a5a5;

		memcpy(to, &bits, list->type->size);
	}
}

uint64_t value_at(const struct value_type *type, const uint8_t *memory, size_t index)
{
	uint64_t bits = 0;

	memcpy(&bits, memory + index * type->size, type->size);
	return bits;
}

static double half_value(uint64_t bits)
{
	int exponent = bits >> 10 & 31;
	double fraction = (double)(bits & 1023);
	double magnitude;

	if (exponent == 31)
		magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		magnitude = ldexp(fraction, -24);
	else
		magnitude = ldexp(fraction + 1024, exponent - 25);
	return bits >> 15 ? -magnitude : magnitude;
}

static double float_value(const struct value_type *type, uint64_t bits)
{
	double wide;
	float narrow;

	if (type->size == 2)
		return half_value(bits);
	if (type->size == 4) {
		memcpy(&narrow, &bits, sizeof(narrow));
		return (double)narrow;
	}
	memcpy(&wide, &bits, sizeof(wide));
	return wide;
}

static int64_t signed_value(const struct value_type *type, uint64_t bits)
{
	unsigned unused = 64 - type->size * 8;

	return (int64_t)(bits << unused) >> unused;
}

void value_text(const struct value_type *type, uint64_t bits, char text[VALUE_TEXT])
{
	int digits = (int)type->size * 2;

	if (type->kind == KIND_FLOAT)
		snprintf(text, VALUE_TEXT, "%.17g (0x%0*" PRIx64 ")", float_value(type, bits),
			 digits, bits);
	else if (type->kind == KIND_SIGNED)
		snprintf(text, VALUE_TEXT, "%" PRId64 " (0x%0*" PRIx64 ")",
			 signed_value(type, bits), digits, bits);
	else
		snprintf(text, VALUE_TEXT, "0x%0*" PRIx64, digits, bits);
}

void element_text(const struct list *list, size_t index, char text[VALUE_TEXT])
{
	const struct element *element = &list->elements[index];

	if (element->kind == ELEMENT_VALUE)
		value_text(list->type, element->bits, text);
	else
		snprintf(text, VALUE_TEXT, "%s",
			 element->kind == ELEMENT_NAN ? "a NaN" : "anything");
}

/* Steps between two floats of one size, -0 and +0 being one place. */
static double ulps(const struct value_type *type, uint64_t a, uint64_t b)
{
	uint64_t sign = 1ULL << (type->size * 8 - 1);
	int64_t x = a & sign ? -(int64_t)(a & ~sign) : (int64_t)a;
	int64_t y = b & sign ? -(int64_t)(b & ~sign) : (int64_t)b;

	return fabs((double)x - (double)y);
}

static bool close_enough(const struct list *want, uint64_t bits, uint64_t got)
{
	double a = float_value(want->type, bits), b = float_value(want->type, got);

	if (isnan(a) || isnan(b) || isinf(a) || isinf(b))
		return want->tolerance == TOLERANCE_ULP && !isnan(a) && !isnan(b) &&
		       ulps(want->type, bits, got) <= want->bound;
	switch (want->tolerance) {
	case TOLERANCE_NONE:
		return false;
	case TOLERANCE_ULP:
		return ulps(want->type, bits, got) <= want->bound;
	case TOLERANCE_ABS:
		return fabs(a - b) <= want->bound;
	case TOLERANCE_REL:
		return fabs(a - b) <= want->bound * fabs(a);
	}
	return false;
}

static bool matches(const struct list *want, const struct element *element, uint64_t got)
{
	switch (element->kind) {
	case ELEMENT_ANY:
		return true;
	case ELEMENT_NAN:
		return isnan(float_value(want->type, got));
	case ELEMENT_VALUE:
		break;
	}
	if (got == element->bits || (element->has_other && got == element->other))
		return true;
	return want->tolerance != TOLERANCE_NONE && close_enough(want, element->bits, got);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Compares without regard to order; *@first is a place in @want. */
static size_t set_differences(const struct list *want, const uint8_t *got, size_t *first)
{
	uint64_t *a = calloc(want->count, sizeof(*a)), *b = calloc(want->count, sizeof(*b));
	size_t count = 0;

	if (!a || !b)
		abort();
	for (size_t i = 0; i < want->count; i++) {
		a[i] = want->elements[i].bits;
		b[i] = value_at(want->type, got, i);
	}
	qsort(a, want->count, sizeof(*a), by_value);
	qsort(b, want->count, sizeof(*b), by_value);
	for (size_t i = want->count; i--;)
		if (a[i] != b[i]) {
			*first = i;
			count++;
		}
	free(a);
	free(b);
	return count;
}

size_t list_differences(const struct list *want, const uint8_t *got, size_t *first)
{
	size_t count = 0;

	if (want->as_set)
		return set_differences(want, got, first);
	for (size_t i = want->count; i--;)
		if (!matches(want, &want->elements[i], value_at(want->type, got, i))) {
			*first = i;
			count++;
		}
	return count;
}

/* Tells whether the bits of element @i are the same on each host: see digest_memory(). */
static bool list_has_bits(const struct list *list, size_t i)
{
	const enum element_kind kind = list->elements[i].kind;

	return kind == ELEMENT_VALUE || (kind == ELEMENT_NAN && list->type->size < 8);
}

uint64_t digest_bytes(uint64_t digest, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		digest = (digest ^ bytes[i]) * 0x100000001b3;
	return digest;
}

uint64_t digest_memory(uint64_t digest, const struct list *list, const uint8_t *bytes)
{
	static const uint8_t nan[8] = { 0, 0, 0, 0, 0, 0, 0xf8, 0x7f };
	const bool is_f64 = list->type->kind == KIND_FLOAT && list->type->size == 8;

	if (!is_f64)
		return digest_bytes(digest, bytes, list_bytes(list));
	for (size_t i = 0; i < list->count; i++) {
		const bool is_nan = isnan(float_value(list->type, value_at(list->type, bytes, i)));

		digest = digest_bytes(digest, is_nan ? nan : bytes + 8 * i, 8);
	}
	return digest;
}

uint64_t digest_list(uint64_t digest, const struct list *want, const uint8_t *bytes)
{
	const size_t size = want->type->size;

	for (size_t i = 0; i < want->count && !want->as_set; i++)
		if (list_has_bits(want, i))
			digest = digest_bytes(digest, bytes + i * size, size);
	return digest;
}
