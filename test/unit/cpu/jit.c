/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Images that are given without their size: it is read from their headers. */
#include "jit.h"

#include <elf.h>

#include "bytes.h"
#include "cleanup.h"
#include "tap.h"

/* What the device says of @image, given without its size; *@said has the log. */
static CUresult answer(const uint8_t *image, struct err *said)
{
	struct bytes text = { 0 };
	CUresult result = jit_text((struct bytes){ image, JIT_UNSIZED }, &text, said);

	free((void *)text.data);
	return result;
}

/* A file may count its sections in the first one: then there are as many. */
static void test_extended_count(void)
{
	CLEANUP(free_pointer) uint8_t *image = NULL;
	struct err plain = { 0 }, extended = { 0 };
	Elf64_Ehdr head;
	Elf64_Shdr first;
	size_t size;

	image = tap_read("test/data/images/kernels.90a.cubin", &size);
	REQUIRE(image && size > sizeof(head));
	CHECK_INT(answer(image, &plain), CUDA_ERROR_NO_BINARY_FOR_GPU);
	memcpy(&head, image, sizeof(head));
	memcpy(&first, image + head.e_shoff, sizeof(first));
	first.sh_size = head.e_shnum;
	head.e_shnum = 0;
	head.e_phoff = head.e_phnum = 0; /* else its table ends the file */
	memcpy(image, &head, sizeof(head));
	memcpy(image + head.e_shoff, &first, sizeof(first));
	CHECK_INT(answer(image, &extended), CUDA_ERROR_NO_BINARY_FOR_GPU);
	CHECK_STR(extended.text, plain.text);
}

/* Sizes that no file can have are no sizes. */
static void test_monstrous(void)
{
	uint8_t fatbin[64] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0 };
	Elf64_Ehdr head = { .e_ident = ELFMAG, .e_shoff = UINT64_MAX - 63, .e_shnum = 1 };
	struct err said = { 0 };

	memset(fatbin + 8, 0xff, 8);
	CHECK_INT(answer(fatbin, &said), CUDA_ERROR_INVALID_IMAGE);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	CHECK_INT(answer((const uint8_t *)&head, &said), CUDA_ERROR_INVALID_IMAGE);
}

int main(void)
{
	RUN(test_extended_count);
	RUN(test_monstrous);
	return tap_end();
}
