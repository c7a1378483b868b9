/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image_size.h"
#include "elf64.h"
#include "fuzz.h"

/*
 * Any bytes: their size is refused or at most theirs, what follows an image does not change it,
 * and an image that lacks its last byte is shorter or none. elf64_open() says the same.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };
	size_t own = 0, again = 0;
	struct elf64 elf;

	if (image_size(bytes, &own, NULL))
		return 0;
	if (!own || own > size)
		abort();
	bytes.size = own;
	if (image_size(bytes, &again, NULL) || again != own)
		abort();
	if (!elf64_open(bytes, &elf, NULL) &&
	    (elf64_size(&elf) != own || elf64_count(bytes) != elf.section_count))
		abort();
	bytes.size = own - 1;
	if (!image_size(bytes, &again, NULL) && again >= own)
		abort();
	return 0;
}
