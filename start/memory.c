/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a compiler calls unasked, in a library that has no C library. */
#include <stdint.h>
#include <string.h>

/* Anywhere, and whatever else is there. */
typedef uint64_t word __attribute__((may_alias, aligned(1)));

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	char *t = to;

	for (const char *f = from; size; size--)
		*t++ = *f++;
	return to;
}

void *memset(void *at, int value, size_t size)
{
	const word all = (uint8_t)value * UINT64_C(0x0101010101010101);
	char *a = at;

	for (; size >= sizeof(all); size -= sizeof(all), a += sizeof(all))
		*(word *)a = all;
	for (; size; size--)
		*a++ = (char)value;
	return at;
}

int memcmp(const void *one, const void *other, size_t size)
{
	const unsigned char *a = one, *b = other;

	for (; size; size--, a++, b++)
		if (*a != *b)
			return *a < *b ? -1 : 1;
	return 0;
}
