/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a file says about a kernel without loading it: its name, parameters
 * and resource needs, from PTX text or from a cubin. Owned by the image that
 * lists it.
 */
#ifndef LIB_KERNEL_INFO_H
#define LIB_KERNEL_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of number a parameter holds; only PTX says it (of a cubin: UNKNOWN). */
enum param_kind {
	PARAM_UNKNOWN,  /* a cubin's: nothing but the size is known */
	PARAM_BITS,     /* .b8 .. .b128 */
	PARAM_UNSIGNED, /* .u8 .. .u64 */
	PARAM_SIGNED,   /* .s8 .. .s64 */
	PARAM_FLOAT,    /* .f16 .f32 .f64 (and .bf16) */
	PARAM_OPAQUE,   /* .texref, .samplerref, .surfref */
};

/* Where a parameter declared .ptr points (a cubin has the same numbers). */
enum param_space {
	PARAM_NOT_POINTER = 0, /* not declared .ptr: may still be a pointer */
	PARAM_LOCAL = 1,
	PARAM_SHARED = 2,
	PARAM_CONST = 3,
	PARAM_GLOBAL = 4,
	PARAM_GENERIC = 5,
};

/*
 * The most that a module of @size bytes may declare: kernels, their parameters, functions
 * and variables. The description of each needs many times the 12 bytes that declare it in
 * PTX, so that small files, unpacked, could request any memory. Real ones have 100 bytes each
 * and more.
 */
static inline uint64_t kernel_info_most(uint64_t size)
{
	return ((uint64_t)1 << 18) + size / 128;
}

struct kernel_param {
	enum param_kind kind;
	enum param_space space;
	unsigned width;  /* bytes of one element */
	uint64_t count;  /* elements: 1, or N of an array ("[N]") */
	uint64_t offset; /* bytes from the start of the parameter block */
	uint64_t size;   /* bytes: width * count */
	bool array;      /* declared with [N]: a struct by value, or f16 spelt .b8[2] */
	char type[12];   /* PTX spelling without the dot: "f32"; "" when unknown */
};

struct kernel_info {
	char *name;           /* mangled; owned */
	bool local;           /* not exported: static __global__, no .visible */
	struct kernel_param *params; /* owned, in order */
	size_t param_count;
	uint64_t param_bytes; /* of the parameter block */
	int registers;        /* per thread; -1 unknown */
	int64_t static_shared;/* bytes; -1 unknown */
	int64_t stack;        /* bytes of local memory of a thread; -1 unknown (a cubin only) */
	int64_t constant;     /* bytes of its constant bank, parameters included; -1 unknown (a
			       * cubin only) */
	int barriers;         /* named barriers; -1 unknown (a cubin only) */
	unsigned max_registers; /* .maxnreg; 0 when not given */
	unsigned min_blocks;    /* .minnctapersm (PTX only); 0 when not given */
	unsigned max_cluster;   /* .maxclusterrank, blocks; 0 when not given */
	unsigned required_block[3]; /* .reqntid; 0 when not given */
	unsigned max_block[3];      /* .maxntid; 0 when not given */
	unsigned cluster[3];        /* that divides the grid; 0 when none is required */
	bool dynamic_shared;  /* uses .extern .shared (PTX only) */
};

/* Sets what a count of 0 would claim to be known to "unknown". */
void kernel_info_begin(struct kernel_info *info);

/* Releases what @info owns, not @info itself. Accepts a zeroed one. */
void kernel_info_release(struct kernel_info *info);

/* Releases @count kernels and the array that holds them. Accepts NULL. */
void kernel_info_free(struct kernel_info *kernels, size_t count);

#endif
