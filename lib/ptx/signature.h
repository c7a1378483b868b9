/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the C++ signature of a kernel, "vadd<float>(float const*, float*, int)", says of its
 * parameters: of pointers, images have only the size.
 */
#ifndef LIB_SIGNATURE_H
#define LIB_SIGNATURE_H

#include "value.h"

struct signature_param {
	const char *text; /* as written there; borrowed, @length bytes */
	size_t length;
	bool pointer;	      /* to @type */
	enum value_type type;
};

/*
 * Describes parameter @index (from 0) of @signature, one of @count. False when it is unknown: no
 * C++ name, another number of parameters, or a type that is no number and no pointer to numbers.
 */
bool signature_param(const char *signature, size_t index, size_t count,
		     struct signature_param *out);

/* Tells whether code for @want accepts memory of type @have: the same float, an integer
 * of its size, or the parts of a complex number, as float2 need not be one. */
bool signature_takes(enum value_type want, enum value_type have);

#endif
