/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The callbacks of rtld-audit(7): gpurun -d cpu --exec names this library in LD_AUDIT. The loader
 * calls them with its lock held, before any code of the objects runs that it has loaded.
 */
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "entry.h"
#include "found.h"
#include "kernel.h"
#include "line_rank.h"
#include "nvrtc.h"
#include "patch.h"
#include "text.h"

#define EXPORT __attribute__((visibility("default")))

/* Programs have libraries of these names from elsewhere, by DT_RPATH or a whole path. */
static struct substitute {
	const char *name, *place; /* of ours, seen from the folder above this library's */
	char path[4096];
} substitutes[] = {
	{ .name = "libcudart.so.13", .place = "/cudart/libcudart.so.13" },
	{ .name = "libcuda.so.1", .place = "/cpu/libcuda.so.1" },
};
enum { CUDART, SUBSTITUTES = sizeof(substitutes) / sizeof(*substitutes) };

static bool verbose;
static const char *first_argument; /* of the process */

/* An object that was loaded, until it is looked at; a redirected one stays, until it is closed. */
struct loaded {
	struct link_map *map;
	struct patched patched;
};

/* Grows by whole tables, which stay: a process has more objects than one table only seldom. */
static struct table {
	struct table *next;
	struct loaded rows[255];
} first_table;

/* ---- texts ---------------------------------------------------------------------------------- */

/* The value of the variable @name in @environment; NULL. */
static const char *variable(char **environment, const char *name)
{
	for (; environment && *environment; environment++) {
		const char *e = *environment, *n = name;

		while (*n && *e == *n)
			e++, n++;
		if (!*n && *e == '=')
			return e + 1;
	}
	return NULL;
}

/* Finds a part of @list between @separator, which @ends with or, @whole, is. */
static const char *find_part(const char *list, char separator, const char *wanted, bool whole,
			     size_t *length)
{
	size_t size = 0;

	while (wanted[size])
		size++;
	for (; list && *list; list += *length + (list[*length] == separator)) {
		*length = 0;
		while (list[*length] && list[*length] != separator)
			++*length;
		if ((whole ? *length == size : *length >= size) &&
		    !memcmp(list + *length - size, wanted, size))
			return list;
	}
	return NULL;
}

/* ---- objects -------------------------------------------------------------------------------- */

/* The row of @map; a free one for NULL. NULL: there is none. */
static struct loaded *find_row(const struct link_map *map)
{
	for (struct table *table = &first_table; table; table = table->next) {
		for (size_t i = 0; i < sizeof(table->rows) / sizeof(*table->rows); i++)
			if (table->rows[i].map == map)
				return &table->rows[i];
		if (!map && !table->next)
			table->next = kernel_map(NULL, sizeof(*table), PROT_READ | PROT_WRITE, 0,
						 -1, 0);
	}
	return NULL;
}

static void tell_compiler(const char *path, const char *why)
{
	if (verbose)
		kernel_print(path, ": what it compiles ",
			     why ? "gets no -lineinfo: " : "gets -lineinfo, and so has its PTX",
			     why, NULL);
}

static void tell(const char *path, const struct found *found, const char *why)
{
	if (!verbose)
		return;
	if (found->kind == FOUND_TWELVE)
		kernel_print(path, ": its CUDA runtime is that of CUDA 12 or older, which is not "
				   "redirected", NULL);
	else if (why)
		kernel_print(path, ": its CUDA runtime is not redirected: ", why, NULL);
	else
		kernel_print(path, ": calls of its CUDA runtime lead to gpurun's, by ", found->by,
			     NULL);
}

#define PROGRAM "/proc/self/exe"

static const char *program_path(void)
{
	static char path[4096];
	const long length = kernel_readlink(PROGRAM, path, sizeof(path) - 1);

	if (length <= 0)
		return PROGRAM;
	path[length] = '\0';
	return path;
}

/* Tells whether @object is the file of @map: it has its dynamic section where that has it. */
static bool is_file_of(const struct object *object, const struct link_map *map)
{
	Elf64_Phdr dynamic;

	return object_segment(object, PT_DYNAMIC, 0, 0, 0, &dynamic) &&
	       map->l_addr + dynamic.p_vaddr == (uintptr_t)map->l_ld;
}

/* Opens the file of @map; *@path is its name. Of the program itself the loader has none. */
static bool open_file(struct object *object, const struct link_map *map, const char **path)
{
	*path = map->l_name;
	if (**path)
		return object_open(object, *path);
	/* Whatever has become of the program's name since, it is that file ... */
	*path = program_path();
	if (object_open(object, PROGRAM) && is_file_of(object, map))
		return true;
	object_close(object);
	/* ... but where the loader itself was started, with the program as its argument. */
	*path = first_argument ? first_argument : PROGRAM;
	return object_open(object, *path);
}

static struct found found; /* large */

/* Looks for a runtime in what @row has, and redirects it. */
static void look_at(struct loaded *row)
{
	const char *path, *why = NULL;
	struct object object;

	found.kind = FOUND_NONE;
	if (!open_file(&object, row->map, &path))
		;
	else if (nvrtc_is(text_file_name(path)))
		tell_compiler(path, nvrtc_redirect(&object, row->map->l_addr, &row->patched));
	else
		found_search(&found, &object, path);
	if (found.kind == FOUND_RUNTIME)
		why = patch_runtime(&found, &object, row->map->l_addr, entry_targets,
				    (void *)entry_newer, &row->patched);
	if (found.kind == FOUND_DOUBTFUL)
		why = found.why;
	if (found.kind == FOUND_NONE && verbose && found_nameless(&found, &object))
		why = "it was stripped of its names, which strip -g keeps, and gpurun does not "
		      "know its version without them";
	object_close(&object);
	if (found.kind != FOUND_NONE)
		tell(path, &found, why);
	if (!row->patched.ways)
		row->map = NULL;
}

/*
 * Says that the runtime of @map is left alone, which has a namespace of its own: there is another C
 * library there, whose threads cannot call what the program's one is linked to.
 */
static void tell_elsewhere(const struct link_map *map)
{
	struct object object;

	found.kind = FOUND_NONE;
	if (verbose && object_open(&object, map->l_name))
		found_search(&found, &object, map->l_name);
	if (verbose)
		object_close(&object);
	if (found.kind != FOUND_NONE)
		tell(map->l_name, &found, "dlmopen() has loaded it into a namespace of its own");
}

/* ---- callbacks ------------------------------------------------------------------------------ */

/* Objects since the last time that all was consistent. */
static bool pending;

/* The loader's own arguments of constructors: without a C library there is no environ. */
__attribute__((constructor)) static void begin(int count, char **arguments, char **environment)
{
	size_t length = 0;
	const char *audit = find_part(variable(environment, "LD_AUDIT"), ':', "/" START_NAME, false,
				      &length);

	first_argument = count > 0 ? arguments[0] : NULL;
	verbose = find_part(variable(environment, "GPURUN_LOG"), ',', "start", true,
			    &(size_t){ 0 });
	length -= audit ? sizeof("/" START_NAME) - 1 : 0;
	kernel_rank(variable(environment, LINE_RANK_VARIABLE));
	for (unsigned i = 0; i < SUBSTITUTES; i++) {
		char *to = substitutes[i].path, *end = to + sizeof(substitutes[i].path) - 1;

		for (size_t at = 0; at < length && to < end; at++)
			*to++ = audit[at];
		for (const char *from = substitutes[i].place; length && *from && to < end; from++)
			*to++ = *from;
		if (to == end)
			substitutes[i].path[0] = '\0';
	}
	entry_begin(substitutes[CUDART].path);
}

EXPORT unsigned la_version(unsigned version)
{
	return substitutes[CUDART].path[0] ? version : 0;
}

/* The library of ours that is loaded in the place of @name; NULL. */
static char *substitute_of(const char *name)
{
	for (unsigned i = 0; i < SUBSTITUTES; i++)
		if (text_same(text_file_name(name), substitutes[i].name))
			return substitutes[i].path;
	return NULL;
}

EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
	(void)cookie;
	char *ours = flag == LA_SER_ORIG ? substitute_of(name) : NULL;

	return ours ? ours : (char *)name;
}

/* Not looked at: what has no file, as the kernel's own part, and our own. */
EXPORT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	struct loaded *row;

	(void)cookie;
	if ((*map->l_name && text_file_name(map->l_name) == map->l_name) ||
	    substitute_of(map->l_name))
		return 0;
	if (space != LM_ID_BASE) {
		tell_elsewhere(map);
		return 0;
	}
	if (entry_see_library(map))
		return 0;
	row = find_row(NULL);
	if (row)
		row->map = map;
	pending = true;
	return 0;
}

EXPORT void la_activity(uintptr_t *cookie, unsigned what)
{
	(void)cookie;
	if (what != LA_ACT_CONSISTENT || !pending)
		return;
	pending = false;
	for (struct table *table = &first_table; table; table = table->next)
		for (size_t i = 0; i < sizeof(table->rows) / sizeof(*table->rows); i++)
			if (table->rows[i].map && !table->rows[i].patched.ways)
				look_at(&table->rows[i]);
}

EXPORT unsigned la_objclose(uintptr_t *cookie)
{
	struct loaded *row = *cookie ? find_row((struct link_map *)*cookie) : NULL;

	if (row) {
		patch_release(&row->patched);
		row->map = NULL;
	}
	return 0;
}
