/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "foreign_runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "outcome.h"
#include "place.h"
#include "report.h"

/* Our libcudart, seen from the folder of this library. */
#define OURS "gpurun/cudart"

static const CUuuid runtime_interface = { {
	0x6b, (char)0xd5, (char)0xfb, 0x6c, 0x5b, (char)0xf4, (char)0xe7, 0x4a,
	(char)0x89, (char)0x87, (char)0xd9, 0x39, 0x12, (char)0xfd, (char)0x9d, (char)0xf9,
} };

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Tells whether the folder of @path ends in that of our libcudart, wherever it is installed. */
static bool is_ours(const char *path)
{
	size_t length = (size_t)(name_of(path) - path), ours = strlen("/" OURS "/");

	return length >= ours && !strncmp(path + length - ours, "/" OURS "/", ours);
}

static int find_cudart(struct dl_phdr_info *info, size_t size, void *to)
{
	char real[PATH_MAX];
	const char *path = info->dlpi_name;

	(void)size;
	if (strncmp(name_of(path), "libcudart", strlen("libcudart")) != 0)
		return 0;
	if (is_ours(realpath(path, real) ? real : path))
		return 0;
	snprintf(to, PATH_MAX, "%s", path);
	return 1;
}

/* Tells whether LD_LIBRARY_PATH names the folder of our libcudart. */
static bool path_has_ours(void)
{
	const char *path = getenv("LD_LIBRARY_PATH");

	return path && strstr(path, "/" OURS);
}

/* Ours is a sibling of the folder of this library. */
static void our_folder(char folder[PATH_MAX])
{
	struct err e;
	char *slash = place_of_library(folder, PATH_MAX - sizeof(OURS), &e) ?
			      NULL : strrchr(folder, '/');

	strcpy(slash ? slash + 1 : folder, slash ? "cudart" : "PREFIX/lib/" OURS);
}

/* Reports @library with @what it is, and the cure. */
static void refuse(const char *library, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void refuse(const char *library, const char *what, const char *fmt, ...)
{
	const struct about about = ABOUT(REFUSED_IMAGE);
	char text[PATH_MAX + 256], cure[2 * PATH_MAX + 512];
	struct gpurun_report report;
	va_list args;

	snprintf(text, sizeof(text), "CPU device: %s %s", library, what);
	va_start(args, fmt);
	vsnprintf(cure, sizeof(cure), fmt, args);
	va_end(args);
	report = report_about(GPURUN_REPORT_IMAGE, &about, text);
	report.hint = cure;
	outcome_begin();
	outcome_image(&report, true);
}

static void report_shared(const char *library)
{
	static const char what[] = "is NVIDIA's runtime library, which does not start here";
	char ours[PATH_MAX];

	our_folder(ours);
	if (strncmp(name_of(library), "libcudart.so.13", strlen("libcudart.so.13")) != 0)
		refuse(library, what, "gpurun has libcudart.so.13 alone: build the program with "
				      "CUDA 13");
	else if (path_has_ours())
		refuse(library, what, "the program names it or its folder itself: "
				      "LD_PRELOAD=%s/libcudart.so.13 puts gpurun's before it",
		       ours);
	else
		refuse(library, what, "gpurun -d cpu --exec puts gpurun's before it, and so does "
				      "LD_LIBRARY_PATH=%s", ours);
}

/* The object that contains @caller; the program, if that is this library or unknown. */
static const char *object_of(const void *caller)
{
	Dl_info there, self;

	if (!dladdr(caller, &there) || !there.dli_fname || !*there.dli_fname ||
	    (dladdr(&runtime_interface, &self) && self.dli_fbase == there.dli_fbase))
		return program_invocation_name;
	return there.dli_fname;
}

static void report_static(const char *object)
{
	refuse(object, "has NVIDIA's runtime library in it, which does not start here",
	       "build it with NVCC_APPEND_FLAGS='-cudart shared' (CMake: CUDA_RUNTIME_LIBRARY "
	       "Shared) and run it by gpurun -d cpu --exec, or run its kernels as they are: "
	       "gpurun %s --list",
	       object);
}

void foreign_runtime_ask(const CUuuid *table, const void *caller)
{
	static atomic_flag reported = ATOMIC_FLAG_INIT;
	char library[PATH_MAX];

	if (!table || memcmp(table, &runtime_interface, sizeof(*table)) != 0 ||
	    atomic_flag_test_and_set(&reported))
		return;
	if (dl_iterate_phdr(find_cudart, library))
		report_shared(library);
	else
		report_static(object_of(caller));
}
