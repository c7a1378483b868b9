/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The loader names a library as it found it, which may be relative to the folder that the
 * process started in. The kernel's list of mappings has absolute paths, in such lines:
 *
 *	7f0000001000-7f0000002000 r-xp 00001000 08:01 1234    /opt/lib/libgpurun.so.0
 */
#include "place.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "input.h"

/* Where the path begins in @line, if that is of the mapping that holds @address. */
static const char *path_in(const char *line, uintptr_t address)
{
	uintptr_t from, to;

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2 || address < from ||
	    address >= to)
		return NULL;
	return strchr(line, '/');
}

static bool want_all(struct bytes head)
{
	(void)head;
	return true;
}

/*
 * Not by a stream of the C library: exit() takes the buffers of all streams away, also those that
 * another thread is reading.
 */
static bool find_mapping(uintptr_t address, char *path, size_t size)
{
	CLEANUP(input_release) struct input maps;
	const char *at, *end, *found;
	char line[PATH_MAX + 128];
	struct err e;

	if (input_open(&maps, "/proc/self/maps", want_all, &e))
		return false;
	at = (const char *)maps.bytes.data;
	for (size_t left = maps.bytes.size; left && (end = memchr(at, '\n', left)); at = end + 1) {
		left -= (size_t)(end - at) + 1;
		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		found = path_in(line, address);
		if (found)
			return (size_t)snprintf(path, size, "%s", found) < size;
	}
	return false;
}

int place_of_library(char *path, size_t size, struct err *e)
{
	Dl_info self = { .dli_fname = NULL };

	if (!dladdr((void *)(uintptr_t)place_of_library, &self) || !self.dli_fname)
		return err_set(e, GPURUN_NO_DEVICE, "cannot tell where this library is");
	if (self.dli_fname[0] != '/') {
		if (!find_mapping((uintptr_t)place_of_library, path, size))
			return err_set(e, GPURUN_NO_DEVICE, "cannot tell where this library is: "
				       "it was loaded as %.128s, and /proc/self/maps does not "
				       "name it", self.dli_fname);
	} else if ((size_t)snprintf(path, size, "%s", self.dli_fname) >= size) {
		return err_set(e, GPURUN_NO_DEVICE, "the path of this library is too long");
	}
	*strrchr(path, '/') = '\0';
	return 0;
}
