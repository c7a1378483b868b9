/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every member of the headers, sections and symbols of an ELF file that is made here. */
#include "elf64.h"

#include <elf.h>
#include <stddef.h>

#include "tap.h"

/* A table of strings, one of symbols, and one of the sections' names; the last symbol's section is
 * in a table of wide indices. */
struct file {
	Elf64_Ehdr head;
	char strings[16], names[32];
	Elf64_Sym symbols[3];
	uint32_t wide[3];
	Elf64_Shdr sections[5];
};

enum { STRINGS = 1, SYMBOLS, WIDE, NAMES };

static struct file make(void)
{
	struct file file = {
		.head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT },
			  .e_type = ET_REL, .e_machine = 190, .e_version = EV_CURRENT,
			  .e_shoff = offsetof(struct file, sections), .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 5, .e_shstrndx = NAMES },
		.strings = "\0first\0second",
		.names = "\0.str\0.sym\0.wide\0.names",
		.symbols = { [1] = { .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				     .st_other = 0x13, .st_shndx = 4, .st_value = 0x1122334455,
				     .st_size = 0x66778899aa },
			     [2] = { .st_name = 7, .st_info = ELF64_ST_INFO(STB_WEAK, STT_OBJECT),
				     .st_other = 0x21, .st_shndx = SHN_XINDEX, .st_value = 5,
				     .st_size = 6 } },
		.wide = { 0, 0, 70000 },
	};

	file.sections[STRINGS] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_STRTAB,
					       .sh_offset = offsetof(struct file, strings),
					       .sh_size = sizeof(file.strings) };
	file.sections[SYMBOLS] = (Elf64_Shdr){ .sh_name = 6, .sh_type = SHT_SYMTAB,
					       .sh_flags = 0x123, .sh_link = STRINGS, .sh_info = 9,
					       .sh_offset = offsetof(struct file, symbols),
					       .sh_size = sizeof(file.symbols),
					       .sh_entsize = sizeof(Elf64_Sym) };
	file.sections[WIDE] = (Elf64_Shdr){ .sh_name = 11, .sh_type = SHT_SYMTAB_SHNDX,
					    .sh_link = SYMBOLS,
					    .sh_offset = offsetof(struct file, wide),
					    .sh_size = sizeof(file.wide), .sh_entsize = 4 };
	file.sections[NAMES] = (Elf64_Shdr){ .sh_name = 17, .sh_type = SHT_STRTAB,
					     .sh_offset = offsetof(struct file, names),
					     .sh_size = sizeof(file.names) };
	return file;
}

static struct bytes bytes_of(const struct file *file)
{
	return (struct bytes){ (const uint8_t *)file, sizeof(*file) };
}

static const char *name(struct bytes text)
{
	uint64_t left = sizeof(struct file);

	return elf64_name(text, &left);
}

static void test_sections(void)
{
	static const char *const names[] = { "", ".str", ".sym", ".wide", ".names" };
	const struct file file = make();
	struct elf64_section section;
	struct elf64 elf;
	struct err e;

	REQUIRE(!elf64_open(bytes_of(&file), &elf, &e));
	CHECK_INT(elf.section_count, 5);
	CHECK_INT(elf64_count(bytes_of(&file)), 5);
	CHECK_INT(elf64_size(&elf), sizeof(file));
	for (size_t i = 0; i < 5; i++) {
		elf64_section(&elf, i, &section);
		CHECK_STR(name(section.name), names[i]);
	}
	elf64_section(&elf, SYMBOLS, &section);
	CHECK(section.type == SHT_SYMTAB && section.flags == 0x123 && section.link == STRINGS);
	CHECK(section.info == 9 && section.offset == offsetof(struct file, symbols));
	CHECK(section.size == sizeof(file.symbols));
	CHECK(elf64_data(&elf, &section).data == (const uint8_t *)file.symbols);
	CHECK(elf64_is_named(section.name, ".sym") && !elf64_is_named(section.name, ".symb"));
	CHECK(elf64_begins(section.name, ".s") && !elf64_begins(section.name, ".t"));
}

static void test_symbols(void)
{
	const struct file file = make();
	struct elf64_section section;
	struct elf64_symbol symbol;
	struct elf64 elf;
	struct err e;

	REQUIRE(!elf64_open(bytes_of(&file), &elf, &e));
	elf64_section(&elf, SYMBOLS, &section);
	CHECK_INT(elf64_symbol_count(&elf, &section), 3);
	elf64_symbol(&elf, &section, 1, &symbol);
	CHECK_STR(name(symbol.name), "first");
	CHECK(symbol.type == STT_FUNC && symbol.binding == STB_GLOBAL && symbol.other == 0x13);
	CHECK(symbol.section == 4 && symbol.value == 0x1122334455 && symbol.size == 0x66778899aa);
	elf64_symbol(&elf, &section, 2, &symbol);
	CHECK_STR(name(symbol.name), "second");
	CHECK(symbol.type == STT_OBJECT && symbol.binding == STB_WEAK && symbol.other == 0x21);
	CHECK(symbol.section == 70000 && symbol.value == 5 && symbol.size == 6);
}

int main(void)
{
	RUN(test_sections);
	RUN(test_symbols);
	return tap_end();
}
