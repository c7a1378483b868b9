/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fatbin container: u32 magic, u16 version, u16 header size, u64 size of what
 * follows. Cubin: the ends of its section table, its program header table and
 * of each section that has bytes in the file (NVIDIA has types of its own that
 * have none).
 */
#include "image_size.h"

#include <elf.h>
#include <string.h>

#include "bytes.h"

enum { FATBIN_HEADER = 16 };

static const uint8_t fatbin_magic[] = { 0x50, 0xed, 0x55, 0xba };

static int fatbin_size(const uint8_t *image, size_t *size, struct err *e)
{
	uint64_t total;

	if (!size_add(load_u16(image + 6), load_u64(image + 8), &total) || total > PTRDIFF_MAX)
		return err_set(e, GPURUN_FORMAT, "offset 0x8: a fatbin of %llu bytes cannot be",
			       (unsigned long long)load_u64(image + 8));
	*size = (size_t)total;
	return 0;
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

/* Raises *@end to @offset + @size; false when that is no address. */
static bool extend(uint64_t *end, uint64_t offset, uint64_t size)
{
	uint64_t stop;

	if (!size_add(offset, size, &stop) || stop > PTRDIFF_MAX)
		return false;
	if (stop > *end)
		*end = stop;
	return true;
}

static int elf_size(const uint8_t *image, size_t *size, struct err *e)
{
	uint64_t end = sizeof(Elf64_Ehdr), count;
	Elf64_Shdr section;
	Elf64_Ehdr head;

	memcpy(&head, image, sizeof(head));
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (head.e_shnum && head.e_shentsize != sizeof(section)))
		return err_set(e, GPURUN_FORMAT, "offset 0x4: not a 64-bit little-endian ELF");
	count = head.e_shnum;
	if (!count && head.e_shoff) {
		/* More sections than e_shnum can say: the first one says it. */
		memcpy(&section, image + head.e_shoff, sizeof(section));
		count = section.sh_size;
	}
	if (count > UINT32_MAX || !extend(&end, head.e_shoff, count * sizeof(section)) ||
	    !extend(&end, head.e_phoff, (uint64_t)head.e_phnum * head.e_phentsize))
		return err_set(e, GPURUN_FORMAT, "offset 0x20: header tables out of range");
	for (uint64_t i = 0; i < count; i++) {
		memcpy(&section, image + head.e_shoff + i * sizeof(section), sizeof(section));
		if (has_bytes(&section) && !extend(&end, section.sh_offset, section.sh_size))
			return err_set(e, GPURUN_FORMAT, "section %llu is out of range",
				       (unsigned long long)i);
	}
	*size = (size_t)end;
	return 0;
}

int image_size(const void *image, size_t *size, struct err *e)
{
	const uint8_t *bytes = image;

	*size = 0;
	if (!memcmp(image, ELFMAG, SELFMAG))
		return elf_size(bytes, size, e);
	if (!memcmp(image, fatbin_magic, sizeof(fatbin_magic)))
		return fatbin_size(bytes, size, e);
	*size = strlen(image);
	if (!*size)
		return err_set(e, GPURUN_FORMAT, "the image is empty");
	return 0;
}
