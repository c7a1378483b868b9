/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A host object, executable or shared library, and the places in it where
 * compilers put GPU images.
 */
#ifndef LIB_HOSTELF_H
#define LIB_HOSTELF_H

#include "bytes.h"
#include "cleanup.h"
#include "err.h"

enum hostelf_kind {
	PLACE_FATBINS,  /* a section of fatbins, back to back */
	PLACE_OFFLOADS, /* a section of offload binaries, back to back */
	PLACE_SYMBOL,   /* one image */
};

struct hostelf_place {
	char *name; /* section or symbol, its first 1024 bytes; owned */
	enum hostelf_kind kind;
	bool relocatable; /* what is there needs a device link */
	uint64_t offset, size;
};

struct hostelf {
	const char *kind; /* "ELF object", "ELF executable", "ELF shared library" */
	bool debug_file;  /* has the section of GPU images, but its bytes were split off */
	bool gcc_code;    /* has GCC's intermediate code, which becomes PTX at the link */
	bool has_content; /* a section for memory, not of notes, that is not empty */
	struct hostelf_place *places; /* owned; sections first */
	size_t place_count;
};

/* Tells whether @bytes begins like an ELF file of any machine. */
bool hostelf_sniff(struct bytes bytes);

/*
 * Finds the places of @bytes: the sections .nv_fatbin (nvcc, clang) and
 * __nv_relfatbin (nvcc -rdc), .llvm.offloading, sections of LLVM's type for that,
 * whatever their name, and MLIR's data symbols, NAME_binary and (LLVM up to 20)
 * NAME_bin_cst, which may be something else. *@out is owned by the caller
 * (hostelf_free). GPURUN_FORMAT, also where places, names or tables of symbols overlap
 * so that the time would not grow with @bytes alone; GPURUN_NO_MEMORY.
 */
int hostelf_open(struct bytes bytes, struct hostelf **out, struct err *e);

/* Accepts NULL. */
void hostelf_free(struct hostelf *host);
DEFINE_CLEANUP(free_hostelf, struct hostelf *, hostelf_free)

#endif
