/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ownership of locals. Every owned local is CLEANUP(fn) and starts as NULL (or
 * zero); a result leaves its function through STEAL; TRY may then return from
 * anywhere. Nothing is released explicitly.
 */
#ifndef LIB_CLEANUP_H
#define LIB_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))

/* Moves the pointer out of its owner, which is NULL afterwards. */
#define STEAL(ptr)                                                                         \
	({                                                                                 \
		__auto_type steal_ = (ptr);                                                \
		(ptr) = NULL;                                                              \
		steal_;                                                                    \
	})

/* Returns from the calling function with a non-zero status. */
#define TRY(expr)                                                                          \
	do {                                                                               \
		int try_ = (expr);                                                         \
		if (try_)                                                                  \
			return try_;                                                       \
	} while (0)

/* Makes @name usable in CLEANUP for a variable of @type that @destroy releases. */
#define DEFINE_CLEANUP(name, type, destroy)                                                \
	static inline void name(type *p)                                                   \
	{                                                                                  \
		destroy(*p);                                                               \
	}

static inline void free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

static inline void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

#endif
