/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fatbin container: u32 magic, u16 version, u16 header size, u64 size of what
 * follows. Offload binary: u32 magic, u32 version, u64 size, this included. Cubin:
 * the ends of its section table, its program header table and of each section that
 * has bytes in the file (NVIDIA has types of its own that have none).
 */
#include "image_size.h"

#include <elf.h>
#include <string.h>

#include "cleanup.h"

enum { FATBIN_HEADER = 16, OFFLOAD_HEADER = 32 };

static const uint8_t fatbin_magic[] = { 0x50, 0xed, 0x55, 0xba };
static const uint8_t offload_magic[] = { 0x10, 0xff, 0x10, 0xad };

/* Raises *@end to @offset + @size; they have to fit into @image. */
static int extend(struct bytes image, uint64_t offset, uint64_t size, const char *what,
		  size_t *end, struct err *e)
{
	if (!bytes_at(image, offset, size))
		return err_set(e, GPURUN_FORMAT, "offset %#llx: %s of %llu bytes, past the "
			       "end of the image", (unsigned long long)offset, what,
			       (unsigned long long)size);
	if (offset + size > *end)
		*end = (size_t)(offset + size);
	return 0;
}

static int fatbin_size(struct bytes image, size_t *size, struct err *e)
{
	TRY(extend(image, 0, FATBIN_HEADER, "a fatbin header", size, e));
	return extend(image, load_u16(image.data + 6), load_u64(image.data + 8),
		      "a fatbin container", size, e);
}

static int offload_size(struct bytes image, size_t *size, struct err *e)
{
	TRY(extend(image, 0, OFFLOAD_HEADER, "an offload binary's header", size, e));
	return extend(image, 0, load_u64(image.data + 8), "an offload binary", size, e);
}

static bool has_bytes(const Elf64_Shdr *section)
{
	switch (section->sh_type) {
	case SHT_NOBITS:
	case 0x70000007: /* .nv.shared */
	case 0x70000009: /* .nv.shared.reserved */
	case 0x7000000a: /* .nv_debug.shared */
		return false;
	}
	return true;
}

/* Counts the sections; more than e_shnum can say the first one says. */
static int count_sections(struct bytes image, const Elf64_Ehdr *head, uint64_t *count,
			  struct err *e)
{
	Elf64_Shdr first = { 0 };
	size_t end = 0;

	*count = head->e_shnum;
	if (*count || !head->e_shoff)
		return 0;
	TRY(extend(image, head->e_shoff, sizeof(first), "a section header", &end, e));
	bytes_read(image, head->e_shoff, &first, sizeof(first));
	*count = first.sh_size;
	return 0;
}

static int sections_size(struct bytes image, const Elf64_Ehdr *head, size_t *size,
			 struct err *e)
{
	uint64_t count, bytes;
	Elf64_Shdr section = { 0 };

	TRY(count_sections(image, head, &count, e));
	if (!size_mul(count, sizeof(section), &bytes))
		bytes = UINT64_MAX;
	TRY(extend(image, head->e_shoff, bytes, "a section table", size, e));
	for (uint64_t i = 0; i < count; i++) {
		bytes_read(image, head->e_shoff + i * sizeof(section), &section,
			   sizeof(section));
		if (has_bytes(&section))
			TRY(extend(image, section.sh_offset, section.sh_size, "a section",
				   size, e));
	}
	return 0;
}

static int elf_size(struct bytes image, size_t *size, struct err *e)
{
	Elf64_Ehdr head;

	TRY(extend(image, 0, sizeof(head), "an ELF header", size, e));
	bytes_read(image, 0, &head, sizeof(head));
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (head.e_shnum && head.e_shentsize != sizeof(Elf64_Shdr)))
		return err_set(e, GPURUN_FORMAT, "offset 0x4: not a 64-bit little-endian ELF");
	TRY(extend(image, head.e_phoff, (uint64_t)head.e_phnum * head.e_phentsize,
		   "a program header table", size, e));
	return sections_size(image, &head, size, e);
}

/* Tells whether @image begins with the four bytes of @magic; never reads past a NUL. */
static bool begins(struct bytes image, const void *magic)
{
	for (size_t i = 0; i < 4; i++)
		if (i >= image.size || image.data[i] != ((const uint8_t *)magic)[i])
			return false;
	return true;
}

int image_size(struct bytes image, size_t *size, struct err *e)
{
	*size = 0;
	if (begins(image, ELFMAG))
		return elf_size(image, size, e);
	if (begins(image, fatbin_magic))
		return fatbin_size(image, size, e);
	if (begins(image, offload_magic))
		return offload_size(image, size, e);
	*size = strnlen((const char *)image.data, image.size);
	if (!*size)
		return err_set(e, GPURUN_FORMAT, "the image is empty");
	return 0;
}
