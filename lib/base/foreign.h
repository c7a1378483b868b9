/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Files that are passed instead of an image: what a compiler makes one of, what
 * holds one, and what is for other devices. They are recognised by how they begin.
 */
#ifndef LIB_FOREIGN_H
#define LIB_FOREIGN_H

#include "bytes.h"

struct foreign {
	const char *name; /* "MLIR", "a gzip file" */
	const char *hint; /* how to get an image; FILE is replaced by the file's name */
};

/* Finds what @bytes, which are no image, are: static; NULL when that is not known. */
const struct foreign *foreign_find(struct bytes bytes);

/*
 * Prints the hint of @foreign to @text, which has @size bytes: FILE is @path as a shell reads
 * it, or stays if @path is too long or NULL. Returns @text.
 */
const char *foreign_hint(const struct foreign *foreign, const char *path, char *text,
			 size_t size);

#endif
