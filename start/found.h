/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where NVIDIA's static CUDA runtime is in a file. All its functions stand there at the distances
 * that they have in its archive, which is one section of one object: no linker leaves one out or
 * moves it. Each begins at a multiple of 16 bytes and with an entry of .eh_frame.
 */
#ifndef START_FOUND_H
#define START_FOUND_H

#include "name.h"
#include "object.h"

enum {
	SLOT = 16,	   /* bytes that each function has, or more */
	ALMOST_ALL = 400,  /* of the names; with fewer it is something else */
	MOST_NEWER = 64,
	NEWER_LENGTH = 72, /* of a name, with its NUL */
};

enum found_kind {
	FOUND_NONE,	/* no runtime, or none that is recognised */
	FOUND_RUNTIME,
	FOUND_TWELVE,	/* CUDA 12's, whose functions of the same names take other structures */
	FOUND_DOUBTFUL, /* many of the names, but not as the archive has them */
	FOUND_NAMELESS, /* one is there, of no version that is known without names */
};

struct found {
	enum found_kind kind;
	const char *by;	    /* what told the places: ".symtab", "the debug file", ".eh_frame" */
	const char *why;    /* of FOUND_DOUBTFUL */
	uint64_t at[NAMES]; /* addresses in the file; 0: not there */
	size_t count;
	uint64_t low, high; /* the first and the last of them */
	size_t newer_count; /* functions of a newer runtime than ours */
	struct newer {
		uint64_t at;
		char name[NEWER_LENGTH];
	} newer[MOST_NEWER];
};

/* Finds the runtime in @object, the file at @path, which is the program's own name of it. */
void found_search(struct found *found, const struct object *object, const char *path);

/*
 * Tells, where nothing was found, whether @object has a runtime nevertheless, in a file without
 * symbols: FOUND_NAMELESS then. It reads much, and is for those who want to know.
 */
bool found_nameless(struct found *found, const struct object *object);

/* How many functions .eh_frame has; 0: it does not say. */
size_t found_functions(const struct object *object);

/* The parts of it, for tests: by the symbols of @names, which is @object or its debug file ... */
void found_by_symbols(struct found *found, const struct object *names);

/* ... and by the begins of functions, which stripped files have too, with tables of archives. */
void found_by_frames(struct found *found, const struct object *object);

#endif
