/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The numbers that buffers and arguments are made of: their types, how they
 * are written in text, stored in little-endian memory, and printed so that
 * reading them back gives the same bits.
 */
#ifndef LIB_VALUE_H
#define LIB_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

enum value_type {
	TYPE_I8, TYPE_U8, TYPE_I16, TYPE_U16, TYPE_I32, TYPE_U32, TYPE_I64, TYPE_U64,
	TYPE_F16, TYPE_BF16, TYPE_F32, TYPE_F64, TYPE_BOOL,
	TYPE_E4M3, TYPE_E5M2, /* of 8 bits: OCP's E4M3, without infinities, and E5M2 */
	TYPE_C64, TYPE_C128,  /* complex: a real part, then an imaginary one */
	TYPE_COUNT
};

/* Wide enough for every sum and product of two 64-bit integers in use here. */
typedef __int128 wide;

struct value_info {
	const char *name;
	unsigned size;     /* bytes */
	bool is_float, is_signed;
	unsigned mantissa; /* stored bits of a float's mantissa */
	unsigned exponent; /* bits of a float's exponent */
	bool is_finite;    /* a float without infinities: all ones alone are NaN */
	unsigned parts;    /* 2: a complex number; 1: any other */
	enum value_type part; /* of a complex number; any other is its own */
};

/* Bytes of the largest value. */
#define VALUE_MAX_SIZE 16

/* Describes @type. Static. */
const struct value_info *value_info(enum value_type type);

/* Finds the type called by the @length bytes of @name; false: there is none. */
bool value_type_find(const char *name, size_t length, enum value_type *type);

/* The names of all types, for messages. Static. */
const char *value_type_names(void);

/* A number as it was written. */
struct number {
	bool is_float;   /* written with a point, an exponent, or inf or nan, or complex */
	bool is_complex; /* written with a j */
	bool is_bits;    /* written 0x...: may be a negative number's bits */
	wide integer;    /* when !is_float */
	const char *text; /* as written; borrowed, a NUL or ',' follows */
	size_t length;
	size_t real;     /* of a complex one: bytes of its real part; 0: it has none */
};

/*
 * Reads the @length bytes at @text, which a NUL or a comma follows, as a
 * number: decimal with an optional size suffix (K M G Ki Mi Gi), 0x..., a
 * float, inf, nan, true or false; or as a complex one, 1+2j or 2j, whose parts are
 * such numbers. GPURUN_INVALID.
 */
int number_parse(const char *text, size_t length, struct number *out, struct err *e);

/* The real (@part 0) or the imaginary part of @number: 0 for one without. */
struct number number_part(const struct number *number, unsigned part);

/*
 * Stores @number as a @type at @at. Integers must be exact; decimals are
 * rounded once to the nearest. GPURUN_INVALID when it does not fit.
 */
int number_store(const struct number *number, enum value_type type, void *at,
		 struct err *e);

/* The nearest double, of a complex number's real part; an integer may lose its last bits. */
double number_double(const struct number *number);

/* Stores @integer at @at; false when @type cannot hold exactly that. */
bool value_store_integer(enum value_type type, void *at, wide integer);

/*
 * Stores @real, rounded to the nearest: what is too large becomes an infinity, NaN in a
 * type without. False for integer types and complex ones.
 */
bool value_store_double(enum value_type type, void *at, double real);

/* Loads a float of @type, which is not complex, as a double, exactly. */
double value_load_double(enum value_type type, const void *at);

/* Loads an integer or bool of @type. */
wide value_load_integer(enum value_type type, const void *at);

/* Room for any printed value. */
#define VALUE_TEXT_SIZE 64

/*
 * Prints the value at @at to @text: integers in decimal, floats as the shortest
 * decimal that reads back as the same bits ("0.1", "1e+30", "inf", "nan"),
 * whole numbers below 1e16 in full ("2", "65504"); complex numbers by their parts
 * ("1-2j").
 */
void value_format(enum value_type type, const void *at, char text[VALUE_TEXT_SIZE]);

/* Prints @real the same way, as a double. */
void value_format_double(double real, char text[VALUE_TEXT_SIZE]);

/* Reads a SIZE: decimal digits and K, M, G, Ki, Mi or Gi. GPURUN_INVALID. */
int size_parse(const char *text, size_t length, uint64_t *out, struct err *e);

#endif
