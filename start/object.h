/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The file of a program or library, of which nothing is trusted: it may have been cut off, made to
 * mislead, or be written while it is read. It is read, never mapped, so that no access of ours
 * meets the end of a file that was truncated.
 */
#ifndef START_OBJECT_H
#define START_OBJECT_H

#include <elf.h>

#include "bytes.h"

struct object {
	int fd;
	uint64_t size;
	Elf64_Ehdr header;
	struct bytes segments; /* program headers, whole ones */
	struct bytes sections; /* section headers, whole ones; none where they are not all there */
};

/* Opens the 64-bit file of this processor at @path; false when it is none. The caller closes it. */
bool object_open(struct object *object, const char *path);

/* Also of one that could not be opened. */
void object_close(struct object *object);

/* Reads @size bytes at @offset to memory of its own, which bytes_free() releases; false, and none,
 * when they are not all there or memory is short. */
bool object_read(const struct object *object, uint64_t offset, uint64_t size, struct bytes *bytes);
void object_free(struct bytes *bytes);

/*
 * The symbol table of @type, SHT_SYMTAB or SHT_DYNSYM, and its strings, both read; false when there
 * is none. The caller frees both.
 */
bool object_symbols(const struct object *object, uint32_t type, struct bytes *symbols,
		    struct bytes *strings);

/* The address of what others see as @name; 0 when there is none. */
uint64_t object_find_export(const struct object *object, const char *name);

/* Finds the section called @name; false when there is none. */
bool object_find_section(const struct object *object, const char *name, Elf64_Shdr *section);

/* The first segment of @type that has all of the @size bytes at address @at in the file, with
 * @flags; false when there is none. Of PT_NOTE and others the address is not asked: @size is 0. */
bool object_segment(const struct object *object, uint32_t type, uint32_t flags, uint64_t at,
		    uint64_t size, Elf64_Phdr *segment);

enum { BUILD_ID_MOST = 32 };

/* Copies the build-id that the notes have; returns its bytes, 0: there is none, or a longer one. */
size_t object_build_id(const struct object *object, uint8_t id[BUILD_ID_MOST]);

#endif
