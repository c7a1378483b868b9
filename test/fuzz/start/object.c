/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: start/object.c start/found.c start/frames.c start/debug_file.c */
#include "object.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debug_file.h"
#include "found.h"
#include "fuzz.h"

/* What is said of a runtime: places in order, each once, names with an end. */
static void judge(const struct found *found)
{
	size_t count = 0;

	if (found->kind == FOUND_DOUBTFUL && !found->why)
		abort();
	if (found->kind != FOUND_RUNTIME)
		return;
	for (size_t i = 0; i < NAMES; i++) {
		count += found->at[i] != 0;
		if (found->at[i] && (found->at[i] < found->low || found->at[i] > found->high ||
				     found->at[i] % SLOT))
			abort();
	}
	if (count != found->count || count < ALMOST_ALL || found->newer_count > MOST_NEWER)
		abort();
	for (size_t i = 0; i < found->newer_count; i++)
		if (found->newer[i].at < found->low || found->newer[i].at > found->high ||
		    !memchr(found->newer[i].name, 0, NEWER_LENGTH))
			abort();
}

/* Any file: what is read of it is there, and no place is outside of what was found. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct found found;
	const int fd = memfd_create("input", MFD_CLOEXEC);
	struct object object, debug;
	char path[64];

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (object_open(&object, path)) {
		found_search(&found, &object, path);
		judge(&found);
		/* Each part, also where the search ends before it. */
		found_by_symbols(&found, &object);
		judge(&found);
		if (debug_file_open(&debug, &object, path)) {
			found_by_symbols(&found, &debug);
			judge(&found);
			object_close(&debug);
		}
		found_by_frames(&found, &object);
		judge(&found);
		found_nameless(&found, &object);
	}
	object_close(&object);
	close(fd);
	return 0;
}
