/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What addresses in the program are for: the host function of a kernel, the host
 * copy of a variable, and kernels by their handles. One table for the process; a
 * symbol lives until its image or library is unloaded.
 */
#ifndef CUDART_SYMBOL_H
#define CUDART_SYMBOL_H

#include "cudart.h"

enum symbol_kind {
	SYMBOL_FUNCTION, /* a host function that launches the kernel of @name */
	SYMBOL_VARIABLE, /* host memory of the program, of no use but its address */
	SYMBOL_MANAGED,	 /* the variable itself, where the program has its address from us */
	SYMBOL_POINTER,	 /* a pointer of the program, to be set to a managed variable's address */
	SYMBOL_KERNEL,	 /* a handle of the driver's that a program has */
};

struct image;

struct symbol {
	const void *key;
	enum symbol_kind kind;
	struct image *image; /* that defines it; of a kernel of a cudaLibrary_t, NULL */
	const char *name;    /* borrowed from the program */
	size_t size;	     /* of a variable, in bytes */
	_Atomic CUkernel kernel; /* NULL until it is loaded */
	CUlibrary library;   /* of a kernel */
	struct symbol *next; /* of its image */
};

/*
 * Enters @symbol, which stays the caller's; a symbol of the same key, of a library
 * that was unloaded, say, makes place. cudaErrorMemoryAllocation.
 */
cudaError_t symbol_add(struct symbol *symbol);

/* Takes @symbol out of the table, if it is there. */
void symbol_remove(const struct symbol *symbol);

/* The symbol of @key, or NULL. */
struct symbol *symbol_find(const void *key);

#endif
