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
#include "elf64.h"

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

static int elf_size(struct bytes image, size_t *size, struct err *e)
{
	uint64_t own;

	TRY(elf64_measure(image, &own, e));
	return extend(image, 0, own, "an ELF file", size, e);
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
