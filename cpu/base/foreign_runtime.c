/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "foreign_runtime.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf64.h"
#include "err.h"
#include "input.h"
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

/* ---- A runtime that is part of a program or library ------------------------------------- */

/* Tells whether the loader has the audit module that redirects such runtimes: see start/. */
static bool is_audited(void)
{
	const char *audit = getenv("LD_AUDIT");

	return audit && strstr(audit, "/gpurun/start/");
}

/* Tells whether @object is a library of NVIDIA's, which users do not build. */
static bool is_vendors(const char *object)
{
	static const char *const begins[] = { "libcublas", "libcudnn",	 "libcufft", "libcurand",
					      "libcusolver", "libcusparse", "libnccl",	"libnpp",
					      "libnvjpeg", "libnvinfer" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name_of(object), begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* What a symbol table shows of the runtime. */
enum symbol_names { NAMES_STRIPPED, NAMES_OF_TWELVE, NAMES_OTHER };

static enum symbol_names names_in(const struct elf64 *elf, const struct elf64_section *table)
{
	const size_t count = elf64_symbol_count(elf, table);

	for (size_t i = 0; i < count; i++) {
		struct elf64_symbol symbol;

		elf64_symbol(elf, table, i, &symbol);
		if (elf64_is_named(symbol.name, "cudaGetDeviceProperties_v2"))
			return NAMES_OF_TWELVE;
	}
	return NAMES_OTHER;
}

/* Looks into the file of @object; what cannot be read is like any other. */
static enum symbol_names look_into(const char *object)
{
	const bool program = object == program_invocation_name;
	enum symbol_names names = NAMES_STRIPPED;
	struct elf64_section section;
	struct input input;
	struct elf64 elf;
	struct err e;

	if (input_open(&input, program ? "/proc/self/exe" : object, NULL, &e))
		return NAMES_OTHER;
	if (elf64_open(input.bytes, &elf, &e))
		elf.section_count = 0;
	for (size_t i = 0; i < elf.section_count; i++) {
		elf64_section(&elf, i, &section);
		if (section.type == SHT_SYMTAB)
			names = names_in(&elf, &section);
	}
	input_release(&input);
	return names;
}

static void report_static(const char *object)
{
	static const char what[] = "has NVIDIA's runtime library in it, which does not start here";
	static const char shared[] = "build it with NVCC_APPEND_FLAGS='-cudart shared' (CMake: "
				     "CUDA_RUNTIME_LIBRARY Shared, and CUDA::cudart for "
				     "CUDA::cudart_static)";

	if (is_vendors(object))
		refuse(object, what, "it is a library of NVIDIA's, with code for GPUs alone: the "
				     "CPU device does not run it");
	else if (!is_audited())
		refuse(object, what,
		       "gpurun -d cpu --exec runs it as it is; its kernels: gpurun %s --list",
		       object);
	else if (look_into(object) == NAMES_STRIPPED)
		refuse(object, what, "gpurun knows it by its symbol table, which was stripped: "
				     "strip -g keeps it; or %s",
		       shared);
	else if (look_into(object) == NAMES_OF_TWELVE)
		refuse(object, what, "it is that of CUDA 12 or older, whose structures are others: "
				     "build it with CUDA 13");
	else
		refuse(object, what, "gpurun -v -d cpu --exec says why it is not redirected; %s, "
				     "or run its kernels as they are: gpurun %s --list",
		       shared, object);
}

/* ---- The whole -------------------------------------------------------------------------- */

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
