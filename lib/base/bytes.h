/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A borrowed span of bytes, and the only place where untrusted images are
 * read: every access calls bytes_at first, every sum and product of sizes is
 * checked here.
 */
#ifndef LIB_BYTES_H
#define LIB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "asserts.h"

struct bytes {
	const uint8_t *data;
	size_t size;
};

/* Returns a pointer to @size bytes at @offset, or NULL when they do not fit. */
static inline const uint8_t *bytes_at(struct bytes bytes, uint64_t offset, uint64_t size)
{
	ASSERT(bytes.data || !bytes.size);
	if (offset > bytes.size || size > bytes.size - offset)
		return NULL;
	return bytes.data + offset;
}

/* Narrows @bytes to @size bytes at @offset; false when they do not fit. */
static inline bool bytes_slice(struct bytes bytes, uint64_t offset, uint64_t size,
			       struct bytes *out)
{
	const uint8_t *data = bytes_at(bytes, offset, size);

	if (!data)
		return false;
	*out = (struct bytes){ data, (size_t)size };
	return true;
}

/* Copies @size bytes at @offset to @out; false, and @out untouched, when they do not fit. */
static inline bool bytes_read(struct bytes bytes, uint64_t offset, void *out, size_t size)
{
	const uint8_t *data = bytes_at(bytes, offset, size);

	if (!data)
		return false;
	memcpy(out, data, size);
	return true;
}

/* Tells whether @bytes begins with the @size bytes of @prefix. */
static inline bool bytes_begin(struct bytes bytes, const void *prefix, size_t size)
{
	return bytes.size >= size && !memcmp(bytes.data, prefix, size);
}

/* The little-endian loads; the caller has called bytes_at. */
static inline uint16_t load_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_u32(const uint8_t *p)
{
	return (uint32_t)load_u16(p) | (uint32_t)load_u16(p + 2) << 16;
}

static inline uint64_t load_u64(const uint8_t *p)
{
	return (uint64_t)load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

/* Adds or multiplies sizes; false, and @out unspecified, when the result does not fit. */
static inline bool size_add(uint64_t a, uint64_t b, uint64_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}

static inline bool size_mul(uint64_t a, uint64_t b, uint64_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

#endif
