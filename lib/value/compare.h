/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares two arrays of one type. */
#ifndef LIB_COMPARE_H
#define LIB_COMPARE_H

#include "value.h"

/* An element passes when |got - want| <= atol + rtol * |want|, or within ulp units. */
struct tolerance {
	double rtol, atol; /* 0: exact */
	uint64_t ulp;      /* units in the last place; for integers: their difference */
};

struct comparison {
	uint64_t count;   /* elements */
	uint64_t bad;     /* those that do not pass */
	uint64_t first;   /* index of the first bad one */
	double max_abs;   /* over all elements that are numbers on both sides */
	double max_rel;   /* infinity where a zero was expected */
	uint64_t max_ulp; /* UINT64_MAX when a number is compared with NaN */
};

/*
 * Compares @count elements. Without tolerance equal values pass: -0 equals 0,
 * and NaN equals NaN. Complex numbers are compared part by part: an element passes if
 * both do.
 */
void compare_values(enum value_type type, const void *got, const void *want,
		    uint64_t count, const struct tolerance *tolerance,
		    struct comparison *out);

#endif
