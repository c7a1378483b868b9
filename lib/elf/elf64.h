/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The sections, symbols and strings of a little-endian ELF64 file, which is not
 * trusted. Device code is read with this instead of libelf, which does not know
 * its section types and stops at some of them.
 */
#ifndef LIB_ELF64_H
#define LIB_ELF64_H

#include "bytes.h"
#include "err.h"

struct elf64 {
	struct bytes bytes; /* borrowed */
	uint16_t type;      /* ET_EXEC, ET_REL */
	uint32_t version, flags;
	uint64_t sections; /* offset of the section headers */
	size_t section_count;
	struct bytes section_names;
	struct bytes
		wide_indices; /* of symbols' sections, where 16 bits do not hold them */
};

/* A name is all of its table from its first byte on: to look for its end takes time, and
 * any number of sections and symbols may share a long one. */

struct elf64_section {
	struct bytes name; /* borrowed; see above and elf64_name() */
	uint32_t type;
	uint32_t link, info;
	uint64_t flags, offset, size;
};

struct elf64_symbol {
	struct bytes name; /* borrowed; see above and elf64_name() */
	uint8_t type, binding, other;
	uint32_t section; /* 0: undefined */
	uint64_t value, size;
};

/*
 * Reads the header of @bytes into *@elf, which borrows them. GPURUN_FORMAT, also where so
 * many sections share their bytes that to read each would take time without a bound.
 */
int elf64_open(struct bytes bytes, struct elf64 *elf, struct err *e);

/* Reads section @index, which is below section_count. */
void elf64_section(const struct elf64 *elf, size_t index, struct elf64_section *section);

/*
 * Finds the end of @name: a string borrowed from the file; "" when it has no end, or none
 * in 65,536 bytes. The bytes that were searched are subtracted from *@left, which begins as the
 * size of the file; when that does not suffice, *@left is 0 and names overlap too much.
 */
const char *elf64_name(struct bytes name, uint64_t *left);

/* Tells whether @name is @wanted. */
bool elf64_is_named(struct bytes name, const char *wanted);

/* Tells whether @name begins with @prefix. */
bool elf64_begins(struct bytes name, const char *prefix);

/* Returns the bytes of @section; none when it has none in the file, or they do not fit. */
struct bytes elf64_data(const struct elf64 *elf, const struct elf64_section *section);

/* How many symbols the table @section holds. */
size_t elf64_symbol_count(const struct elf64 *elf, const struct elf64_section *section);

/* Reads symbol @index of the table @section; @index is below its count. */
void elf64_symbol(const struct elf64 *elf, const struct elf64_section *section,
		  size_t index, struct elf64_symbol *symbol);

/* Counts the sections of the file in @bytes without reading them; 0 when it is none, or their
 * headers are not all there. */
size_t elf64_count(struct bytes bytes);

/*
 * The size of the file, from its own headers; more may follow it in @bytes, or fewer be
 * there. UINT64_MAX when its headers name bytes that no file can have.
 */
uint64_t elf64_size(const struct elf64 *elf);

/* The same of a file of which nothing but its headers and section headers is to be read: the
 * end of @bytes may be unknown. GPURUN_FORMAT. */
int elf64_measure(struct bytes bytes, uint64_t *size, struct err *e);

#endif
