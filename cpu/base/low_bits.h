/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CPU_LOW_BITS_H
#define CPU_LOW_BITS_H

#include <stdint.h>

/* A number with its @count lowest bits set: all of them from 64 on. */
static inline uint64_t low_bits(unsigned count)
{
	return count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
}

#endif
