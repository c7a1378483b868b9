/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The initial contents of a buffer, as its INIT says. */
#ifndef LIB_FILL_H
#define LIB_FILL_H

#include "spec.h"

/*
 * Fills @count elements of @type at @data as @init, which is not INIT_FILE,
 * says. INIT_UNINIT leaves them unchanged. Parts of complex numbers are filled as if they were
 * real: iota's second ones stay 0 unless START or STEP has one, bounds and deviations of
 * rand and randn are of both unless they have two. @seed and @stream (which buffer it is)
 * choose the numbers of rand and randn: element i is made from
 * random_bits(@seed, @stream, i) alone. GPURUN_INVALID when the type cannot
 * hold a value exactly, rounding makes it an infinity, or a list has another length.
 */
int init_fill(const struct init *init, enum value_type type, uint64_t count,
	      uint64_t seed, uint64_t stream, void *data, struct err *e);

/*
 * Counter-based random numbers: 64 bits for the @index-th draw of @stream under
 * @seed. Three rounds of the finaliser of SplitMix64, over the seed, the stream
 * and the index; the same everywhere.
 */
uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index);

#endif
