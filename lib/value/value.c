/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "value.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"

// clang-format off
static const struct value_info infos[TYPE_COUNT] = {
	[TYPE_I8]    = { "i8",    1,  false, true,  0,  0,  false, 1, TYPE_I8 },
	[TYPE_U8]    = { "u8",    1,  false, false, 0,  0,  false, 1, TYPE_U8 },
	[TYPE_I16]   = { "i16",   2,  false, true,  0,  0,  false, 1, TYPE_I16 },
	[TYPE_U16]   = { "u16",   2,  false, false, 0,  0,  false, 1, TYPE_U16 },
	[TYPE_I32]   = { "i32",   4,  false, true,  0,  0,  false, 1, TYPE_I32 },
	[TYPE_U32]   = { "u32",   4,  false, false, 0,  0,  false, 1, TYPE_U32 },
	[TYPE_I64]   = { "i64",   8,  false, true,  0,  0,  false, 1, TYPE_I64 },
	[TYPE_U64]   = { "u64",   8,  false, false, 0,  0,  false, 1, TYPE_U64 },
	[TYPE_F16]   = { "f16",   2,  true,  true,  10, 5,  false, 1, TYPE_F16 },
	[TYPE_BF16]  = { "bf16",  2,  true,  true,  7,  8,  false, 1, TYPE_BF16 },
	[TYPE_F32]   = { "f32",   4,  true,  true,  23, 8,  false, 1, TYPE_F32 },
	[TYPE_F64]   = { "f64",   8,  true,  true,  52, 11, false, 1, TYPE_F64 },
	[TYPE_BOOL]  = { "bool",  1,  false, false, 0,  0,  false, 1, TYPE_BOOL },
	[TYPE_E4M3]  = { "e4m3",  1,  true,  true,  3,  4,  true,  1, TYPE_E4M3 },
	[TYPE_E5M2]  = { "e5m2",  1,  true,  true,  2,  5,  false, 1, TYPE_E5M2 },
	[TYPE_C64]   = { "c64",   8,  true,  true,  23, 8,  false, 2, TYPE_F32 },
	[TYPE_C128]  = { "c128",  16, true,  true,  52, 11, false, 2, TYPE_F64 },
};
// clang-format on

/* Values are copied as their first bytes. */
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian hosts only");

const struct value_info *value_info(enum value_type type)
{
	ASSERT((unsigned)type < TYPE_COUNT && infos[type].name);
	return &infos[type];
}

bool value_type_find(const char *name, size_t length, enum value_type *type)
{
	for (int i = 0; i < TYPE_COUNT; i++) {
		if (strlen(infos[i].name) == length &&
		    !memcmp(infos[i].name, name, length)) {
			*type = (enum value_type)i;
			return true;
		}
	}
	return false;
}

const char *value_type_names(void)
{
	return "i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 bool e4m3 e5m2 c64 c128";
}

/* Reads "", "K", "Mi", ... at @text as a factor; false when it is none of them. */
static bool suffix_factor(const char *text, size_t length, uint64_t *factor)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} suffixes[] = {
		{ "", 1 },	     { "K", 1000 },	{ "M", 1000000 },
		{ "G", 1000000000 }, { "Ki", 1 << 10 }, { "Mi", 1 << 20 },
		{ "Gi", 1 << 30 },
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (strlen(suffixes[i].name) == length &&
		    !memcmp(suffixes[i].name, text, length)) {
			*factor = suffixes[i].factor;
			return true;
		}
	}
	return false;
}

/* Reads digits and a suffix; false when there are none, others, or too many. */
static bool read_decimal(const char *text, size_t length, uint64_t *out)
{
	uint64_t value = 0, factor;
	size_t i = 0;

	for (; i < length && isdigit((unsigned char)text[i]); i++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return false;
	}
	if (!i || !suffix_factor(text + i, length - i, &factor))
		return false;
	return !__builtin_mul_overflow(value, factor, out);
}

int size_parse(const char *text, size_t length, uint64_t *out, struct err *e)
{
	*out = 0;
	if (read_decimal(text, length, out))
		return 0;
	err_set(e, GPURUN_INVALID, "'%.*s' is not a size", (int)length, text);
	return err_hint(e, "a size is a decimal number, also with K, M, G, Ki, Mi or Gi");
}

static bool read_hex(const char *text, size_t length, uint64_t *out)
{
	uint64_t value = 0;

	if (length < 3 || length > 18 || text[0] != '0' || (text[1] | 32) != 'x')
		return false;
	for (size_t i = 2; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (!isxdigit(c))
			return false;
		value = value << 4 |
			(uint64_t)(isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
	}
	*out = value;
	return true;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

/* What may be passed to strtod: it also reads spaces, "infinity", "nan(...)" and locales. */
static bool is_float_text(const char *text, size_t length)
{
	size_t i = length && (text[0] == '-' || text[0] == '+');

	if (is_word(text + i, length - i, "inf") || is_word(text + i, length - i, "nan"))
		return true;
	if (i == length || !(isdigit((unsigned char)text[i]) || text[i] == '.'))
		return false;
	for (; i < length; i++) {
		if (!isxdigit((unsigned char)text[i]) && !strchr(".+-xXpP", text[i]))
			return false;
	}
	return true;
}

static bool read_integer(const char *text, size_t length, struct number *out)
{
	bool negative = length && text[0] == '-';
	size_t skip = length && (text[0] == '-' || text[0] == '+');
	uint64_t magnitude;

	if (is_word(text, length, "true") || is_word(text, length, "false")) {
		out->integer = length == 4;
		return true;
	}
	if (read_hex(text + skip, length - skip, &magnitude))
		out->is_bits = !negative;
	else if (!read_decimal(text + skip, length - skip, &magnitude))
		return false;
	out->integer = negative ? -(wide)magnitude : (wide)magnitude;
	return true;
}

static bool read_real(const char *text, size_t length, struct number *out)
{
	char *end;

	*out = (struct number){ .text = text, .length = length };
	if (read_integer(text, length, out))
		return true;
	out->is_float = true;
	if (!is_float_text(text, length))
		return false;
	(void)strtod(text, &end);
	return end == text + length;
}

/* Bytes before the sign of the imaginary part; 0: that is all there is. */
static size_t real_length(const char *text, size_t length)
{
	size_t sign = length && (text[0] == '-' || text[0] == '+');
	bool is_hex = length > sign + 1 && (text[sign + 1] | 32) == 'x';

	for (size_t i = sign; i < length; i++) {
		if ((text[i] == '-' || text[i] == '+') && i > sign &&
		    (text[i - 1] | 32) != (is_hex ? 'p' : 'e'))
			return i;
	}
	return 0;
}

/* Reads 1+2j or 2j. The j is no i, which would make a size of 2K. */
static bool read_complex(const char *text, size_t length, struct number *out)
{
	size_t real = length ? real_length(text, length - 1) : 0;
	struct number part;

	if (!length || text[length - 1] != 'j' || (real && !read_real(text, real, &part)) ||
	    !read_real(text + real, length - 1 - real, &part))
		return false;
	*out = (struct number){ .is_float = true, .is_complex = true, .text = text,
				.length = length, .real = real };
	return true;
}

int number_parse(const char *text, size_t length, struct number *out, struct err *e)
{
	if (read_real(text, length, out) || read_complex(text, length, out))
		return 0;
	return err_set(e, GPURUN_INVALID, "'%.*s' is not a number", (int)length, text);
}

struct number number_part(const struct number *number, unsigned part)
{
	struct number out = { .text = "0", .length = 1 };

	if (!number->is_complex)
		return part ? out : *number;
	if (part)
		read_real(number->text + number->real, number->length - 1 - number->real, &out);
	else if (number->real)
		read_real(number->text, number->real, &out);
	return out;
}

double number_double(const struct number *number)
{
	struct number real = number_part(number, 0);

	return real.is_float ? strtod(real.text, NULL) : (double)real.integer;
}

/* Rounds @real to a float of that shape, to the nearest even; its bits. */
static uint64_t narrow(double real, const struct value_info *info)
{
	uint64_t sign = (uint64_t)(signbit(real) != 0)
			<< (info->mantissa + info->exponent);
	uint64_t infinity = ((1ull << info->exponent) - 1) << info->mantissa;
	uint64_t nan = infinity | (info->is_finite ? (1ull << info->mantissa) - 1 :
						     1ull << (info->mantissa - 1));
	uint64_t most = info->is_finite ? nan : infinity; /* of what is too large */
	int least = 2 - (1 << (info->exponent - 1));
	int exponent;
	uint64_t bits;

	ASSERT(info->mantissa && info->exponent && info->parts == 1);
	if (isnan(real))
		return sign | nan;
	if (isinf(real))
		return sign | most;
	exponent = real != 0 ? ilogb(real) : least;
	if (exponent < least)
		exponent = least;
	if (exponent > 1 << (info->exponent - 1))
		return sign | most;
	/* The leading bit of the significand adds one to the exponent's field. */
	bits = ((uint64_t)(exponent - least) << info->mantissa) +
	       (uint64_t)rint(ldexp(fabs(real), (int)info->mantissa - exponent));
	return sign | (bits > most ? most : bits);
}

/* The value of a float of that shape. */
static double widen(uint64_t bits, const struct value_info *info)
{
	uint64_t fraction = bits & ((1ull << info->mantissa) - 1);
	unsigned field =
		(unsigned)(bits >> info->mantissa) & ((1u << info->exponent) - 1);
	bool negative = bits >> (info->mantissa + info->exponent) & 1;
	bool is_top = field == (1u << info->exponent) - 1;
	int least = 2 - (1 << (info->exponent - 1));
	double real;

	if (info->is_finite ? is_top && fraction == (1ull << info->mantissa) - 1 : is_top)
		real = fraction ? (double)NAN : (double)INFINITY;
	else if (!field)
		real = ldexp((double)fraction, least - (int)info->mantissa);
	else
		real = ldexp((double)(fraction | 1ull << info->mantissa),
			     least + (int)field - 1 - (int)info->mantissa);
	return negative ? -real : real;
}

bool value_store_double(enum value_type type, void *at, double real)
{
	uint16_t half;
	uint8_t quarter;
	float single;

	switch (type) {
	case TYPE_F64:
		memcpy(at, &real, sizeof(real));
		return true;
	case TYPE_F32:
		single = (float)real;
		memcpy(at, &single, sizeof(single));
		return true;
	case TYPE_F16:
	case TYPE_BF16:
		half = (uint16_t)narrow(real, &infos[type]);
		memcpy(at, &half, sizeof(half));
		return true;
	case TYPE_E4M3:
	case TYPE_E5M2:
		quarter = (uint8_t)narrow(real, &infos[type]);
		memcpy(at, &quarter, sizeof(quarter));
		return true;
	default:
		return false;
	}
}

double value_load_double(enum value_type type, const void *at)
{
	uint16_t half;
	float single;
	double real;

	switch (type) {
	case TYPE_F64:
		memcpy(&real, at, sizeof(real));
		return real;
	case TYPE_F32:
		memcpy(&single, at, sizeof(single));
		return (double)single;
	case TYPE_E4M3:
	case TYPE_E5M2:
		return widen(*(const uint8_t *)at, &infos[type]);
	default:
		memcpy(&half, at, sizeof(half));
		return widen(half, &infos[type]);
	}
}

bool value_store_integer(enum value_type type, void *at, wide integer)
{
	const struct value_info *info = &infos[type];
	wide top = type == TYPE_BOOL ? 2 : (wide)1 << (8 * info->size - info->is_signed);
	uint64_t bits = (uint64_t)integer;

	if (info->parts > 1) {
		memset(at, 0, info->size);
		return value_store_integer(info->part, at, integer);
	}
	if (info->is_float) {
		double real = (double)integer;

		return (wide)real == integer && value_store_double(type, at, real) &&
		       value_load_double(type, at) == real;
	}
	if (integer >= top || integer < (info->is_signed ? -top : 0))
		return false;
	memcpy(at, &bits, info->size); /* little-endian hosts only */
	return true;
}

wide value_load_integer(enum value_type type, const void *at)
{
	const struct value_info *info = &infos[type];
	uint64_t bits = 0;
	unsigned unused = 64 - 8 * info->size;

	ASSERT(info->size <= sizeof(bits) && !info->is_float);
	memcpy(&bits, at, info->size);
	if (info->is_signed)
		return (int64_t)(bits << unused) >> unused;
	return bits;
}

/* A decimal too large for its type must not become an infinity unasked. */
static int store_float_text(const struct number *number, enum value_type type, void *at,
			    struct err *e)
{
	bool is_named = memchr(number->text, 'n', number->length); /* inf and nan */
	double real = strtod(number->text, NULL);
	/* Rounded once: through a double, a long decimal would be rounded twice. */
	float single = strtof(number->text, NULL);

	if (type == TYPE_F32)
		memcpy(at, &single, sizeof(single));
	else
		value_store_double(type, at, real);
	if (isfinite(value_load_double(type, at)) || isnan(real))
		return 0;
	if (!is_named)
		return err_set(e, GPURUN_INVALID, "%.*s is too large for %s",
			       (int)number->length, number->text, infos[type].name);
	return infos[type].is_finite ?
		       err_set(e, GPURUN_INVALID, "%s has no infinity", infos[type].name) :
		       0;
}

static int store_parts(const struct number *number, const struct value_info *info,
		       uint8_t *at, struct err *e)
{
	for (unsigned i = 0; i < info->parts; i++) {
		struct number part = number_part(number, i);

		TRY(number_store(&part, info->part, at + i * infos[info->part].size, e));
	}
	return 0;
}

int number_store(const struct number *number, enum value_type type, void *at,
		 struct err *e)
{
	const struct value_info *info = &infos[type];
	wide integer = number->integer;

	if (info->parts > 1)
		return store_parts(number, info, at, e);
	if (number->is_complex)
		return err_set(e, GPURUN_INVALID, "%.*s is complex, %s is not",
			       (int)number->length, number->text, info->name);
	if (number->is_float && info->is_float)
		return store_float_text(number, type, at, e);
	if (number->is_float)
		return err_set(e, GPURUN_INVALID, "%.*s is not an integer, as %s needs",
			       (int)number->length, number->text, info->name);
	if (number->is_bits && info->is_signed && !info->is_float &&
	    integer >> (8 * info->size - 1) == 1)
		integer -= (wide)1 << (8 * info->size);
	if (info->is_float && !integer && number->text[0] == '-') {
		value_store_double(type, at, -0.0);
		return 0;
	}
	if (value_store_integer(type, at, integer))
		return 0;
	return err_set(e, GPURUN_INVALID, "%s cannot hold %.*s exactly", info->name,
		       (int)number->length, number->text);
}

/* Lays out @digits (d.ddd without the point) times 10^@exponent. */
static void lay_out(bool negative, const char *digits, int exponent, char *text)
{
	int count = (int)strlen(digits);
	char *at = text;

	if (negative)
		*at++ = '-';
	if (exponent < -5 || exponent > 15) {
		at += sprintf(at, "%c%s%s", digits[0], count > 1 ? "." : "", digits + 1);
		sprintf(at, "e%+03d", exponent);
	} else if (exponent < 0) {
		sprintf(at, "0.%.*s%s", -exponent - 1, "00000", digits);
	} else {
		sprintf(at, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
	}
}

static bool reads_back(enum value_type type, double real, const char *decimal)
{
	uint8_t bits[8];

	if (type == TYPE_F32)
		return (double)strtof(decimal, NULL) == real;
	value_store_double(type, bits, strtod(decimal, NULL));
	return value_load_double(type, bits) == real;
}

static void format_float(enum value_type type, double real, char text[VALUE_TEXT_SIZE])
{
	char decimal[VALUE_TEXT_SIZE], digits[24];
	size_t count = 0;
	int exponent;

	if (isnan(real)) {
		strcpy(text, "nan");
		return;
	}
	if (isinf(real) || real == 0) {
		sprintf(text, "%s%s", signbit(real) ? "-" : "", real != 0 ? "inf" : "0");
		return;
	}
	/* A whole number is printed in full: 65504, not 65500, though f16 has none between.
	 */
	if (fabs(real) < 1e16 && rint(real) == real) {
		sprintf(text, "%.0f", real);
		return;
	}
	for (int precision = 0; precision <= 16; precision++) {
		snprintf(decimal, sizeof(decimal), "%.*e", precision, fabs(real));
		if (reads_back(type, fabs(real), decimal))
			break;
	}
	exponent = atoi(strchr(decimal, 'e') + 1);
	for (const char *at = decimal; *at != 'e'; at++) {
		if (*at != '.')
			digits[count++] = *at;
	}
	digits[count] = '\0';
	lay_out(signbit(real), digits, exponent, text);
}

void value_format_double(double real, char text[VALUE_TEXT_SIZE])
{
	format_float(TYPE_F64, real, text);
}

static void format_complex(const struct value_info *info, const uint8_t *at,
			   char text[VALUE_TEXT_SIZE])
{
	char imaginary[VALUE_TEXT_SIZE];
	size_t length;

	format_float(info->part, value_load_double(info->part, at), text);
	format_float(info->part, value_load_double(info->part, at + infos[info->part].size),
		     imaginary);
	length = strlen(text);
	snprintf(text + length, VALUE_TEXT_SIZE - length, "%s%sj", *imaginary == '-' ? "" : "+",
		 imaginary);
}

void value_format(enum value_type type, const void *at, char text[VALUE_TEXT_SIZE])
{
	wide integer;

	if (infos[type].parts > 1) {
		format_complex(&infos[type], at, text);
		return;
	}
	if (infos[type].is_float) {
		format_float(type, value_load_double(type, at), text);
		return;
	}
	integer = value_load_integer(type, at);
	if (type == TYPE_BOOL && integer <= 1)
		strcpy(text, integer ? "true" : "false");
	else if (integer < 0)
		sprintf(text, "%lld", (long long)integer);
	else
		sprintf(text, "%llu", (unsigned long long)integer);
}
