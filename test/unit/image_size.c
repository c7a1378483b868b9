/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image_size.h"

#include <elf.h>

#include "cleanup.h"
#include "tap.h"

static int size_of(const void *data, size_t bound, size_t *size)
{
	return image_size((struct bytes){ data, bound }, size, NULL);
}

static void test_text(void)
{
	size_t size;

	CHECK_INT(size_of(".version 8.0", IMAGE_SIZE_UNKNOWN, &size), 0);
	CHECK_INT(size, 12);
	CHECK_INT(size_of(".version 8.0", 5, &size), 0);
	CHECK_INT(size, 5);
	CHECK_INT(size_of("", IMAGE_SIZE_UNKNOWN, &size), GPURUN_FORMAT);
	CHECK_INT(size_of("\x7f", IMAGE_SIZE_UNKNOWN, &size), 0);
	CHECK_INT(size, 1);
}

/* promise: images lists what the file holds instead */
static void test_fatbin(void)
{
	uint8_t image[48] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 32 };
	size_t size;

	CHECK_INT(size_of(image, IMAGE_SIZE_UNKNOWN, &size), 0);
	CHECK_INT(size, 48);
	CHECK_INT(size_of(image, 48, &size), 0);
	CHECK_INT(size_of(image, 47, &size), GPURUN_FORMAT);
	CHECK_INT(size_of(image, 15, &size), GPURUN_FORMAT);
	memset(image + 8, 0xff, 8);
	CHECK_INT(size_of(image, IMAGE_SIZE_UNKNOWN, &size), GPURUN_FORMAT);
}

static void test_offload(void)
{
	uint8_t image[48] = { 0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0, 48 };
	size_t size;

	CHECK_INT(size_of(image, IMAGE_SIZE_UNKNOWN, &size), 0);
	CHECK_INT(size, 48);
	CHECK_INT(size_of(image, 47, &size), GPURUN_FORMAT);
	CHECK_INT(size_of(image, 31, &size), GPURUN_FORMAT);
	image[8] = 0;
	CHECK_INT(size_of(image, IMAGE_SIZE_UNKNOWN, &size), 0);
	CHECK_INT(size, 32);
	memset(image + 8, 0xff, 8);
	CHECK_INT(size_of(image, IMAGE_SIZE_UNKNOWN, &size), GPURUN_FORMAT);
}

/* An ELF with one section of 8 bytes at 100 and its table at 64. */
struct elf {
	Elf64_Ehdr head;
	Elf64_Shdr section;
	uint8_t rest[64];
};

static struct elf make(void)
{
	struct elf elf = { 0 };

	memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
	elf.head.e_ident[EI_CLASS] = ELFCLASS64;
	elf.head.e_ident[EI_DATA] = ELFDATA2LSB;
	elf.head.e_shoff = sizeof(elf.head);
	elf.head.e_shnum = 1;
	elf.head.e_shentsize = sizeof(elf.section);
	elf.section.sh_type = SHT_PROGBITS;
	elf.section.sh_offset = 140;
	elf.section.sh_size = 20;
	return elf;
}

static void test_elf(void)
{
	struct elf elf = make();
	size_t size;

	CHECK_INT(size_of(&elf, sizeof(elf), &size), 0);
	CHECK_INT(size, 160);
	CHECK_INT(size_of(&elf, 160, &size), 0);
	CHECK_INT(size_of(&elf, 159, &size), GPURUN_FORMAT);
	CHECK_INT(size_of(&elf, 20, &size), GPURUN_FORMAT);
	elf.section.sh_type = 0x7000000a; /* has a size but no bytes */
	CHECK_INT(size_of(&elf, sizeof(elf), &size), 0);
	CHECK_INT(size, 128);
	elf.section.sh_type = SHT_NOBITS;
	elf.section.sh_size = UINT64_MAX;
	CHECK_INT(size_of(&elf, sizeof(elf), &size), 0);
	CHECK_INT(size, 128);
	/* More sections than e_shnum can say stand in the first one's size. */
	elf.head.e_shnum = 0;
	elf.section.sh_size = 1;
	CHECK_INT(size_of(&elf, sizeof(elf), &size), 0);
	CHECK_INT(size, 128);
	/* That one has no bytes. */
	elf.head.e_shnum = 1;
	elf.section.sh_type = SHT_NULL;
	elf.section.sh_size = sizeof(elf);
	CHECK_INT(size_of(&elf, sizeof(elf), &size), 0);
	CHECK_INT(size, 128);
	elf.head.e_shnum = 0;
	elf.section.sh_size = UINT64_MAX / 2;
	CHECK_INT(size_of(&elf, sizeof(elf), &size), GPURUN_FORMAT);
	elf.head.e_shoff = UINT64_MAX - 8;
	CHECK_INT(size_of(&elf, sizeof(elf), &size), GPURUN_FORMAT);
	elf = make();
	elf.section.sh_offset = UINT64_MAX - 8; /* and 20 bytes there */
	CHECK_INT(size_of(&elf, IMAGE_SIZE_UNKNOWN, &size), GPURUN_FORMAT);
	elf = make();
	elf.head.e_phoff = 150;
	elf.head.e_phnum = 1;
	elf.head.e_phentsize = 56;
	CHECK_INT(size_of(&elf, IMAGE_SIZE_UNKNOWN, &size), 0);
	CHECK_INT(size, 206);
	elf = make();
	elf.head.e_ident[EI_CLASS] = ELFCLASS32;
	CHECK_INT(size_of(&elf, sizeof(elf), &size), GPURUN_FORMAT);
}

/* However few bytes of an image there are, none behind them is read. */
static void test_cut(void)
{
	const struct elf elf = make();
	const uint8_t fatbin[32] = { 0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 16 };
	const uint8_t offload[40] = { 0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0, 40 };
	const struct bytes whole[] = {
		{ (const uint8_t *)&elf, 160 },
		{ fatbin, sizeof(fatbin) },
		{ offload, sizeof(offload) },
	};

	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		for (size_t length = 4; length < whole[i].size; length++) {
			CLEANUP(free_pointer) uint8_t *copy = malloc(length);
			size_t size;

			REQUIRE(copy);
			memcpy(copy, whole[i].data, length);
			CHECK_INT(size_of(copy, length, &size), GPURUN_FORMAT);
		}
	}
}

/* Sums that do not fit 64 bits are sizes that no image has. */
static void test_overflow(void)
{
	static const uint64_t sizes[] = {
		UINT64_MAX, UINT64_MAX - 15, UINT64_MAX / 64, UINT64_MAX / 64 + 1,
		(uint64_t)1 << 63,
	};
	const size_t count = sizeof(sizes) / sizeof(*sizes);
	size_t size;

	for (size_t i = 0; i < count; i++) {
		struct elf elf = make();

		elf.section.sh_size = sizes[i];
		CHECK_INT(size_of(&elf, sizeof(elf), &size), GPURUN_FORMAT);
		elf.head.e_shnum = 0; /* then it is the number of sections */
		CHECK_INT(size_of(&elf, sizeof(elf), &size), GPURUN_FORMAT);
		elf.head.e_shoff = sizes[i];
		CHECK_INT(size_of(&elf, sizeof(elf), &size), GPURUN_FORMAT);
		elf = make();
		elf.head.e_phoff = sizes[i];
		elf.head.e_phnum = 1;
		CHECK_INT(size_of(&elf, sizeof(elf), &size), GPURUN_FORMAT);
	}
}

int main(void)
{
	RUN(test_text);
	RUN(test_fatbin);
	RUN(test_offload);
	RUN(test_elf);
	RUN(test_cut);
	RUN(test_overflow);
	return tap_end();
}
