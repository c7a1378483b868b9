/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Images that nothing names: at any address, and what may be read of what only looks like one. */
#include "image.h"
#include "fixture.h"

#include <elf.h>

enum {
	BEGIN = 16,     /* zeros, so that the file is of no kind */
	COST = 1 << 18, /* of what only looks like an image */
	MOST = 68,      /* of these in a file: 16 MiB, and four times the size of the file */
};

/* Makes a file of zeros, of @size bytes, that ends in the fixture @name. */
static struct fixture ends_in(size_t size, const char *name)
{
	CLEANUP(fixture_release) struct fixture image = fixture(name);
	struct fixture file = { calloc(1, size + image.size), size + image.size };

	if (!file.data)
		abort();
	memcpy(file.data + size, image.data, image.size);
	return file;
}

/* What image_describe_all() says of @file, in a buffer that the next call uses again. */
static const char *content(const struct fixture *file)
{
	CLEANUP(free_image_file) struct image_file *images = NULL;
	static char text[256];

	if (image_file_read(bytes_of(file), "x", &images, NULL))
		return "";
	image_describe_all(images, text, sizeof(text));
	return text;
}

static void test_addresses(void)
{
	static const struct {
		const char *name, *content;
	} images[] = {
		{ "vadd.ptx", "sm_75 PTX 9.0" },
		{ "kernels.90a.cubin", "sm_90a SASS" },
		{ "stored.fatbin", "sm_90 SASS, sm_75 PTX 9.0" },
		{ "nested.offload", "sm_90 SASS, sm_75 PTX 9.0" },
	};

	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++)
		for (size_t at = BEGIN; at < BEGIN + 16; at++) {
			CLEANUP(fixture_release) struct fixture file =
				ends_in(at, images[i].name);

			if (!CHECK_STR(content(&file), images[i].content))
				printf("#   %s at %zu\n", images[i].name, at);
		}
}

/* Headers of cubins of an unknown OS ABI, with the same section headers after the last one. */
static struct fixture false_cubins(size_t count)
{
	const size_t table = BEGIN + count * sizeof(Elf64_Ehdr), sections = COST / 64 - 1;
	struct fixture file = ends_in(table + sections * sizeof(Elf64_Shdr), "vadd.ptx");

	for (size_t i = 0; i < count; i++) {
		const size_t at = BEGIN + i * sizeof(Elf64_Ehdr);
		const Elf64_Ehdr head = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC,
			.e_machine = 190,
			.e_shoff = table - at,
			.e_shnum = (uint16_t)sections,
		};

		memcpy(file.data + at, &head, sizeof(head));
	}
	return file;
}

/* Headers of cubins that have the same symbols and names: kernels whose names have no end, which
 * is seen when the whole header was read. */
static struct fixture nameless_cubins(size_t count)
{
	enum { STRIDE = 8 * sizeof(Elf64_Sym), SYMBOLS = 100, NAME = 4096 };
	const Elf64_Sym symbol = { .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				   .st_other = 0x10, .st_shndx = 1 };
	const size_t table = BEGIN + count * STRIDE, symbols = table + 2 * STRIDE, distance = 1 << 16;
	const Elf64_Shdr sections[] = {
		{ 0 },
		{ .sh_type = SHT_SYMTAB, .sh_link = 2, .sh_offset = symbols - BEGIN,
		  .sh_size = SYMBOLS * sizeof(symbol) },
		{ .sh_type = SHT_STRTAB, .sh_offset = distance, .sh_size = NAME },
		{ .sh_type = SHT_PROGBITS, .sh_offset = COST - 1, .sh_size = 1 },
	};
	struct fixture file = ends_in(BEGIN + count * STRIDE + COST, "vadd.ptx");

	for (size_t i = 0; i < count; i++) {
		const size_t at = BEGIN + i * STRIDE;
		const Elf64_Ehdr head = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
				     0x33 },
			.e_type = ET_EXEC,
			.e_machine = 190,
			.e_shoff = table - at,
			.e_shnum = sizeof(sections) / sizeof(sections[0]),
		};

		memcpy(file.data + at, &head, sizeof(head));
	}
	memcpy(file.data + table, sections, sizeof(sections));
	/* Each header sees its own part of these. */
	for (size_t i = 0; i < SYMBOLS + 8 * count; i++)
		memcpy(file.data + symbols + i * sizeof(symbol), &symbol, sizeof(symbol));
	memset(file.data + BEGIN + distance, 'x', NAME + count * STRIDE);
	return file;
}

/* Headers of offload binaries whose entries are nowhere. */
static struct fixture false_offloads(size_t count)
{
	struct fixture file = ends_in(BEGIN + count * 32 + COST, "vadd.ptx");

	for (size_t i = 0; i < count; i++) {
		uint8_t *p = file.data + BEGIN + i * 32;

		store_u32(p, 0xAD10FF10);
		store_u32(p + 4, 1);
		store_u64(p + 8, COST);
		store_u64(p + 16, UINT64_MAX);
		store_u64(p + 24, 40);
	}
	return file;
}

/* Fatbins, each in the first entry of the one before; all share the last entry, which is damaged. */
static struct fixture false_fatbins(size_t count)
{
	enum { STRIDE = 16 + 64 };
	struct fixture file = ends_in(BEGIN + count * STRIDE, "vadd.ptx");

	for (size_t i = 0; i < count; i++) {
		uint8_t *p = file.data + BEGIN + i * STRIDE;

		store_u32(p, 0xBA55ED50);
		store_u32(p + 4, 16 << 16 | 1);
		store_u64(p + 8, (count - i) * STRIDE - 16);
		store_u32(p + 16 + 4, i + 1 < count ? 64 : 8);
		store_u64(p + 16 + 8, 16);
	}
	return file;
}

/* The PTX at the end of @good is found; that of @bad is not looked for any more. */
static void check_budget(struct fixture good, struct fixture bad)
{
	CHECK_STR(content(&good), "sm_75 PTX 9.0");
	CHECK_STR(content(&bad), "");
	fixture_release(&good);
	fixture_release(&bad);
}

static void test_budget(void)
{
	check_budget(false_cubins(MOST), false_cubins(MOST + 1));
	check_budget(nameless_cubins(MOST), nameless_cubins(MOST + 1));
	check_budget(false_offloads(MOST), false_offloads(MOST + 1));
	/* 64 bytes for each, and for each entry: the sum of 1 to 728. */
	check_budget(false_fatbins(728), false_fatbins(729));
}

int main(void)
{
	RUN(test_addresses);
	RUN(test_budget);
	return tap_end();
}
