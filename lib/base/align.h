/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Alignment of addresses, offsets and sizes. */
#ifndef LIB_ALIGN_H
#define LIB_ALIGN_H

#include <stdint.h>

#include "asserts.h"

/* @value, or the next multiple of @align above it. @align is a power of two; 0 is 1. */
static inline uint64_t align_up(uint64_t value, uint64_t align)
{
	ASSERT(!(align & (align - 1)));
	return (value + (align ? align : 1) - 1) & ~((align ? align : 1) - 1);
}

#endif
