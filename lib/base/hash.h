/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hashes of numbers, for tables and fingerprints within one process. */
#ifndef LIB_HASH_H
#define LIB_HASH_H

#include <stdint.h>

/* Spreads the bits of @value to those above them: the highest depend on all, the lowest on few. */
static inline uint64_t hash_u64(uint64_t value)
{
	return value * 0x9e3779b97f4a7c15u; /* 2^64 divided by the golden ratio */
}

/* Adds @value to @hash, the hash of what precedes it. */
static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
	hash = hash_u64(hash ^ value);
	return hash ^ hash >> 32;
}

#endif
