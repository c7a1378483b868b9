/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elf64.h"
#include "cleanup.h"

#include <elf.h>
#include <inttypes.h>

enum {
	SECTION_HEADER = 64,
	PROGRAM_HEADER = 56,
	SYMBOL = 24,
	LONGEST_NAME = 65536,
	SHARING = 4, /* how often sections may share a byte, on average; ptxas: up to 1.11 */
	/* Section types of cubins that have a size but no bytes in the file. */
	CUDA_SHARED_INFO = 0x70000007,
	CUDA_SHARED_RESERVED = 0x70000009,
	CUDA_SHARED_DEBUG = 0x7000000A,
};

/* What is from @offset of @table on. */
static struct bytes name_at(struct bytes table, uint64_t offset)
{
	struct bytes name = { 0 };

	if (offset < table.size)
		bytes_slice(table, offset, table.size - offset, &name);
	return name;
}

const char *elf64_name(struct bytes name, uint64_t *left)
{
	size_t most = name.size < LONGEST_NAME ? name.size : LONGEST_NAME;
	const uint8_t *nul = most ? memchr(name.data, 0, most) : NULL;
	uint64_t cost = nul ? (uint64_t)(nul - name.data) : most;

	*left -= cost < *left ? cost : *left;
	return nul && *left ? (const char *)name.data : "";
}

bool elf64_is_named(struct bytes name, const char *wanted)
{
	return bytes_begin(name, wanted, strlen(wanted) + 1);
}

bool elf64_begins(struct bytes name, const char *prefix)
{
	return bytes_begin(name, prefix, strlen(prefix));
}

/* Numbers that do not fit the header are in section 0. */
static int read_counts(struct elf64 *elf, uint64_t *names, struct err *e)
{
	const uint8_t *p = elf->bytes.data;
	const uint8_t *first = bytes_at(elf->bytes, elf->sections, SECTION_HEADER);
	uint64_t count = load_u16(p + 60), size;

	*names = load_u16(p + 62);
	if (!elf->sections)
		return 0;
	if (first && !count)
		count = load_u64(first + 32);
	if (first && *names == SHN_XINDEX)
		*names = load_u32(first + 40);
	if (!size_mul(count, SECTION_HEADER, &size) ||
	    !bytes_at(elf->bytes, elf->sections, size))
		return err_set(e, GPURUN_FORMAT,
			       "%" PRIu64 " section headers at offset %#" PRIx64
			       " in an ELF file of %zu bytes",
			       count, elf->sections, elf->bytes.size);
	elf->section_count = count;
	return 0;
}

/* Finds the wide indices, and refuses sections that share too many bytes. */
static int walk_sections(struct elf64 *elf, struct err *e)
{
	const uint64_t most = SHARING * (uint64_t)elf->bytes.size;
	struct elf64_section section;
	uint64_t sum = 0;

	for (size_t i = 0; i < elf->section_count; i++) {
		struct bytes data;

		elf64_section(elf, i, &section);
		data = elf64_data(elf, &section);
		sum += data.size;
		if (sum > most)
			return err_set(e, GPURUN_FORMAT,
				       "%zu sections overlap: they have more than %" PRIu64
				       " bytes in an ELF file of %zu",
				       elf->section_count, most, elf->bytes.size);
		if (section.type == SHT_SYMTAB_SHNDX)
			elf->wide_indices = data;
	}
	return 0;
}

/* Reads what the header says; *@names: the section of the sections' names. */
static int open_header(struct bytes bytes, struct elf64 *elf, uint64_t *names, struct err *e)
{
	const uint8_t *p = bytes_at(bytes, 0, sizeof(Elf64_Ehdr));

	*elf = (struct elf64){ .bytes = bytes };
	if (!p || memcmp(p, ELFMAG, SELFMAG) || p[EI_CLASS] != ELFCLASS64 ||
	    p[EI_DATA] != ELFDATA2LSB)
		return err_set(e, GPURUN_FORMAT,
			       "expected a 64-bit little-endian ELF header");
	elf->type = load_u16(p + 16);
	elf->version = load_u32(p + 20);
	elf->sections = load_u64(p + 40);
	elf->flags = load_u32(p + 48);
	return read_counts(elf, names, e);
}

int elf64_open(struct bytes bytes, struct elf64 *elf, struct err *e)
{
	struct elf64_section section;
	uint64_t names;

	TRY(open_header(bytes, elf, &names, e));
	if (names < elf->section_count) {
		elf64_section(elf, names, &section);
		elf->section_names = elf64_data(elf, &section);
	}
	return walk_sections(elf, e);
}

size_t elf64_count(struct bytes bytes)
{
	struct elf64 elf;
	uint64_t names;

	return open_header(bytes, &elf, &names, NULL) ? 0 : elf.section_count;
}

static const uint8_t *section_header(const struct elf64 *elf, size_t index)
{
	return elf->bytes.data + elf->sections + index * SECTION_HEADER;
}

void elf64_section(const struct elf64 *elf, size_t index, struct elf64_section *section)
{
	const uint8_t *p = section_header(elf, index);

	section->name = name_at(elf->section_names, load_u32(p));
	section->type = load_u32(p + 4);
	section->flags = load_u64(p + 8);
	section->offset = load_u64(p + 24);
	section->size = load_u64(p + 32);
	section->link = load_u32(p + 40);
	section->info = load_u32(p + 44);
}

/* Tells whether a section of @type has bytes in the file. */
static bool has_bytes(uint32_t type)
{
	return type != SHT_NULL && type != SHT_NOBITS && type != CUDA_SHARED_INFO &&
	       type != CUDA_SHARED_RESERVED && type != CUDA_SHARED_DEBUG;
}

struct bytes elf64_data(const struct elf64 *elf, const struct elf64_section *section)
{
	struct bytes data = { 0 };

	if (has_bytes(section->type))
		bytes_slice(elf->bytes, section->offset, section->size, &data);
	return data;
}

size_t elf64_symbol_count(const struct elf64 *elf, const struct elf64_section *section)
{
	return elf64_data(elf, section).size / SYMBOL;
}

static uint32_t wide_index(const struct elf64 *elf, size_t index)
{
	const uint8_t *p = bytes_at(elf->wide_indices, (uint64_t)index * 4, 4);

	return p ? load_u32(p) : SHN_UNDEF;
}

void elf64_symbol(const struct elf64 *elf, const struct elf64_section *section,
		  size_t index, struct elf64_symbol *symbol)
{
	const uint8_t *p = elf64_data(elf, section).data + index * SYMBOL;
	struct elf64_section strings = { 0 };

	if (section->link < elf->section_count)
		elf64_section(elf, section->link, &strings);
	symbol->name = name_at(elf64_data(elf, &strings), load_u32(p));
	symbol->type = ELF64_ST_TYPE(p[4]);
	symbol->binding = ELF64_ST_BIND(p[4]);
	symbol->other = p[5];
	symbol->section = load_u16(p + 6);
	symbol->value = load_u64(p + 8);
	symbol->size = load_u64(p + 16);
	if (symbol->section == SHN_XINDEX)
		symbol->section = wide_index(elf, index);
}

static void extend(uint64_t *end, uint64_t offset, uint64_t count, uint64_t size)
{
	uint64_t candidate;

	if (!size_mul(count, size, &candidate) ||
	    !size_add(candidate, offset, &candidate))
		candidate = UINT64_MAX;
	if (candidate > *end)
		*end = candidate;
}

uint64_t elf64_size(const struct elf64 *elf)
{
	const uint8_t *p = elf->bytes.data;
	uint64_t end = sizeof(Elf64_Ehdr);

	extend(&end, elf->sections, elf->section_count, SECTION_HEADER);
	extend(&end, load_u64(p + 32), load_u16(p + 56), PROGRAM_HEADER);
	for (size_t i = 0; i < elf->section_count; i++) {
		const uint8_t *header = section_header(elf, i);

		if (has_bytes(load_u32(header + 4)))
			extend(&end, load_u64(header + 24), load_u64(header + 32), 1);
	}
	return end;
}

int elf64_measure(struct bytes bytes, uint64_t *size, struct err *e)
{
	struct elf64 elf;
	uint64_t names;

	TRY(open_header(bytes, &elf, &names, e));
	*size = elf64_size(&elf);
	return 0;
}
