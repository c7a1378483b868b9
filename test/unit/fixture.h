/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of test/data/images, whole and damaged. */
#ifndef TEST_UNIT_FIXTURE_H
#define TEST_UNIT_FIXTURE_H

#include <stdlib.h>

#include "bytes.h"
#include "cleanup.h"
#include "tap.h"

/* A copy of a file, which may be changed. */
struct fixture {
	uint8_t *data; /* owned */
	size_t size;
};

static inline void fixture_release(struct fixture *fixture)
{
	free(fixture->data);
}

/* Reads test/data/images/@name; without it no test can go on. */
static inline struct fixture fixture(const char *name)
{
	struct fixture file;
	char path[256];

	snprintf(path, sizeof(path), "test/data/images/%s", name);
	file.data = tap_read(path, &file.size);
	/* No larger than the file: a sanitizer sees any step beyond. */
	file.data = realloc(file.data, file.size);
	if (!file.data)
		abort();
	return file;
}

static inline struct bytes bytes_of(const struct fixture *fixture)
{
	return (struct bytes){ fixture->data, fixture->size };
}

static inline void store_u32(uint8_t *p, uint32_t value)
{
	for (size_t i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

static inline void store_u64(uint8_t *p, uint64_t value)
{
	store_u32(p, (uint32_t)value);
	store_u32(p + 4, (uint32_t)(value >> 32));
}

#endif
