/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The kernels of one or several files by the names that people give them.
 * Entries of one container that have the same name are one kernel, compiled for
 * several architectures; the same name in two containers is two kernels.
 */
#ifndef LIB_LOOKUP_H
#define LIB_LOOKUP_H

#include "cleanup.h"
#include "image.h"

/* How a name was understood, in the order in which they are tried. */
enum lookup_level {
	LOOKUP_ONLY,      /* "." and there is one kernel */
	LOOKUP_MANGLED,   /* "_Z4axpbIiEvPT_S0_S0_i", "main" */
	LOOKUP_SIGNATURE, /* "axpb<int>(int*, int, int, int)"; spaces do not matter */
	LOOKUP_TEMPLATE,  /* "axpb<int>", "math::axpb<int>" */
	LOOKUP_BASE,      /* "axpb", "math::axpb" */
	LOOKUP_SHOWN,     /* any of these, as visible.h shows it: "ke\x1bnel" */
	LOOKUP_PREFIX,    /* "axp", "_Z4axp", "main" of "main_kernel" */
};

struct lookup_kernel {
	const char *name;    /* mangled; borrowed from the file */
	char *signature;     /* demangled, without return type; owned */
	char *qualified;     /* "math::axpb<int>"; owned */
	char *base;          /* "axpb"; owned */
	const char *scope;   /* as passed to lookup_add(); borrowed */
	struct image_file *file; /* borrowed */
	uint32_t container;  /* where it is: see struct image */
	struct image *image; /* the first that holds it, PTX before others; borrowed */
	const struct kernel_info
		*info; /* as that image says (PTX has types); borrowed */
	size_t *images;      /* owned; the numbers of all that hold it, in order of the file */
	size_t image_count;
};

struct lookup {
	struct lookup_kernel *kernels; /* owned; in order of the file */
	size_t count;
	bool joined; /* files of scope "" are linked: of one name they have one kernel */
	uint64_t names, signatures; /* bytes of all: names stay mangled if they grow too much,
				     * beyond 16 MiB and 16 times their size */
};

/*
 * Adds the kernels of the loadable images of @file to @lookup, which is zero at
 * first; file and @scope must outlive it. @scope is "" for the file that plain
 * names are looked up in first, else a name for the file. @wanted,
 * when not NULL, has a flag per image: others are left out (an image was
 * picked). An image that cannot be read is left out as long as another can.
 * Fails with the first such failure, GPURUN_NO_MEMORY, or GPURUN_NO_IMAGE when
 * no image is loadable. Released by lookup_release() also after a failure.
 */
int lookup_add(struct lookup *lookup, const char *scope, struct image_file *file,
	       const bool *wanted, struct err *e);

/* Receives the kernels of one container; returns false to stop. */
typedef bool lookup_visitor(const struct lookup *lookup, void *data);

/*
 * Calls @visit for the kernels of @file, container by container, as lookup_add() would add them:
 * the lists of one container are in memory at a time. Fails as lookup_add() does if the file
 * has none.
 */
int lookup_each(const char *scope, struct image_file *file, const bool *wanted,
		lookup_visitor *visit, void *data, struct err *e);

/* Releases what @lookup owns. Accepts a zeroed one. */
void lookup_release(struct lookup *lookup);

/*
 * Finds the kernel that @name means: of the first level that knows it, among
 * those of @scope. A @scope of NULL looks in the file of scope "" first, then
 * in all others together; a prefix, which is a guess, counts only when neither
 * knows the whole name. GPURUN_NOT_FOUND when there is none (the text lists
 * what there is, the hint has what was probably meant) or several (the text
 * lists them).
 */
int lookup_find(const struct lookup *lookup, const char *scope, const char *name,
		const struct lookup_kernel **kernel, enum lookup_level *level,
		struct err *e);

#endif
