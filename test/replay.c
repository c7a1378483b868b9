/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A main for fuzz targets without a fuzzer, so that any compiler can replay a
 * corpus: each file as it is, then cut short in places and with bytes changed,
 * the same ones in every run.
 *
 *	replay DIRECTORY [--plain]
 */
#include <dirent.h>

#include "tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUTS = 24, CHANGES = 40 };

/* A copy on the heap of exactly @size bytes: a sanitizer sees any step beyond. */
static void feed(const uint8_t *data, size_t size, size_t change, uint8_t value)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	if (change < size)
		copy[change] ^= value;
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void damage(const uint8_t *data, size_t size)
{
	uint64_t random = 1;

	for (size_t i = 0; i < CUTS; i++)
		feed(data, size * i / CUTS, SIZE_MAX, 0);
	for (size_t i = 0; i < CHANGES && size; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		feed(data, size, (random >> 33) % size, (uint8_t)(random >> 25) | 1);
	}
}

static void replay(const char *directory, const char *name, bool plain)
{
	char path[4096];
	size_t size;
	uint8_t *data;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	data = tap_read(path, &size);
	feed(data, size, SIZE_MAX, 0);
	if (!plain)
		damage(data, size);
	free(data);
}

int main(int argc, char **argv)
{
	bool plain = argc > 2 && !strcmp(argv[2], "--plain");
	DIR *directory = argc > 1 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	unsigned count = 0;

	if (!directory) {
		printf("not ok - no corpus %s\n", argc > 1 ? argv[1] : "named");
		return 1;
	}
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		replay(argv[1], entry->d_name, plain);
		count++;
	}
	closedir(directory);
	printf("%s - %u files of %s\n", count ? "ok" : "not ok", count, argv[1]);
	return count ? 0 : 1;
}
