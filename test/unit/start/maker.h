/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Files for the tests of start/: a small ELF file of this processor, which has what a test wants of
 * symbols, code, notes and begins of functions. It is a memory file, which object_open() finds by
 * maker_path().
 */
#ifndef UNIT_START_MAKER_H
#define UNIT_START_MAKER_H

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "name.h"
#include "tap.h"

enum {
	TEXT = 0x1000,	  /* the code's offset; its address is AT more */
	AT = 0x400000,	  /* as that of a program which is no PIE */
	TEXT_SIZE = 0x4000,
	TABLES = TEXT + TEXT_SIZE,
	MOST_SYMBOLS = 1024,
	MOST_BEGINS = 1024,
	FIRST = AT + TEXT + 0x40, /* of the functions of maker_runtime() */
};

#define HIDDEN	    STV_HIDDEN
#define GLOBAL_FUNC ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LOCAL_FUNC  ELF64_ST_INFO(STB_LOCAL, STT_FUNC)

struct maker {
	Elf64_Ehdr header;
	uint8_t text[TEXT_SIZE];
	Elf64_Sym symbols[MOST_SYMBOLS];
	size_t symbol_count;
	char strings[MOST_SYMBOLS * 80];
	size_t strings_size;
	uint8_t notes[128], link[64];
	size_t notes_size, link_size;
	uint32_t begins_head[3];
	int32_t begins[MOST_BEGINS][2];
	size_t begin_count;
	size_t cut; /* bytes of the file, 0: all */
	int fd;
	char path[32];
};

TAP_UNUSED static void maker_init(struct maker *maker)
{
	*maker = (struct maker){ .fd = -1, .strings_size = 1, .symbol_count = 1 };
	memcpy(maker->header.e_ident, ELFMAG, SELFMAG);
	maker->header.e_ident[EI_CLASS] = ELFCLASS64;
	maker->header.e_ident[EI_DATA] = ELFDATA2LSB;
	maker->header.e_machine = EM_X86_64;
	maker->header.e_phentsize = sizeof(Elf64_Phdr);
	maker->header.e_phoff = sizeof(maker->header);
	maker->header.e_shentsize = sizeof(Elf64_Shdr);
	/* mov $35, %eax; ret; and no int3, which counts as a debugger's. */
	memset(maker->text, 0x90, TEXT_SIZE);
	for (size_t at = 0; at < TEXT_SIZE; at += 16)
		memcpy(maker->text + at, "\xb8\x23\0\0\0\xc3", 6);
}

TAP_UNUSED static Elf64_Sym *maker_symbol(struct maker *maker, const char *name, uint64_t at)
{
	Elf64_Sym *symbol = &maker->symbols[maker->symbol_count++];

	*symbol = (Elf64_Sym){ .st_name = (uint32_t)maker->strings_size, .st_info = GLOBAL_FUNC,
			       .st_other = HIDDEN, .st_shndx = 1, .st_value = at, .st_size = 16 };
	strcpy(maker->strings + maker->strings_size, name);
	maker->strings_size += strlen(name) + 1;
	return symbol;
}

/* Where maker_runtime() puts function @name. */
TAP_UNUSED static uint64_t maker_place(size_t name)
{
	return FIRST + 16 * (uint64_t)name;
}

/* A symbol of each of the first @count names. */
TAP_UNUSED static void maker_runtime(struct maker *maker, size_t count)
{
	for (size_t i = 0; i < count; i++)
		maker_symbol(maker, name_text((enum name)i), maker_place(i));
}

TAP_UNUSED static void maker_note(struct maker *maker, uint32_t type, const char *owner,
				  const void *text, uint32_t size)
{
	const Elf64_Nhdr note = { 4, size, type };

	memcpy(maker->notes + maker->notes_size, &note, sizeof(note));
	memcpy(maker->notes + maker->notes_size + sizeof(note), owner, 4);
	memcpy(maker->notes + maker->notes_size + sizeof(note) + 4, text, size);
	maker->notes_size += sizeof(note) + 4 + (size + 3) / 4 * 4;
}

/* The table of begins, which .eh_frame_hdr is; its address is AT + TABLES. */
TAP_UNUSED static void maker_begin(struct maker *maker, uint64_t at)
{
	maker->begins[maker->begin_count++][0] = (int32_t)(at - (AT + TABLES));
	maker->begins_head[0] = 0x3b031b01; /* version 1, the encodings that linkers use */
	maker->begins_head[2]++;
}

TAP_UNUSED static Elf64_Phdr maker_segment(uint32_t type, uint32_t flags, uint64_t offset,
					   uint64_t size)
{
	return (Elf64_Phdr){ .p_type = type, .p_flags = flags, .p_offset = offset,
			     .p_vaddr = AT + offset, .p_filesz = size, .p_memsz = size };
}

TAP_UNUSED static Elf64_Shdr maker_section(uint32_t type, uint32_t name, uint64_t offset,
					   uint64_t size, uint32_t link)
{
	return (Elf64_Shdr){ .sh_type = type, .sh_name = name, .sh_offset = offset,
			     .sh_size = size, .sh_link = link };
}

TAP_UNUSED static void maker_put(struct maker *maker, const void *from, size_t size, uint64_t at)
{
	if (size && pwrite(maker->fd, from, size, (off_t)at) != (ssize_t)size)
		abort();
}

/* Writes the file: code, begins, notes, symbols, strings, .gnu_debuglink, headers of sections. */
TAP_UNUSED static const char *maker_path(struct maker *maker)
{
	static const char names[] = "\0.symtab\0.strtab\0.gnu_debuglink";
	const size_t begins = sizeof(maker->begins_head) + maker->begin_count * 8;
	const uint64_t notes = TABLES + begins, symbols = notes + sizeof(maker->notes);
	const size_t symbols_size = maker->symbol_count * sizeof(Elf64_Sym);
	const uint64_t strings = symbols + symbols_size, link = strings + maker->strings_size;
	const uint64_t text = link + sizeof(maker->link), sections = (text + sizeof(names) + 7) & ~7ULL;
	const Elf64_Phdr heads[] = {
		maker_segment(PT_LOAD, PF_R | PF_X, TEXT, TEXT_SIZE),
		maker_segment(PT_NOTE, PF_R, notes, maker->notes_size),
		maker_segment(PT_GNU_EH_FRAME, PF_R, TABLES, begins),
	};
	const Elf64_Shdr tables[] = {
		maker_section(SHT_NULL, 0, 0, 0, 0),
		maker_section(SHT_SYMTAB, 1, symbols, symbols_size, 2),
		maker_section(SHT_STRTAB, 9, strings, maker->strings_size, 0),
		maker_section(SHT_PROGBITS, 17, link, maker->link_size, 0),
		maker_section(SHT_STRTAB, 0, text, sizeof(names), 0),
	};

	maker->header.e_phnum = maker->header.e_phnum ? maker->header.e_phnum : 3;
	maker->header.e_shnum = maker->header.e_shnum ? maker->header.e_shnum : 5;
	maker->header.e_shstrndx = maker->header.e_shstrndx ? maker->header.e_shstrndx : 4;
	maker->header.e_shoff = maker->header.e_shoff ? maker->header.e_shoff : sections;
	if (maker->fd >= 0)
		close(maker->fd);
	maker->fd = memfd_create("maker", MFD_CLOEXEC);
	maker_put(maker, &maker->header, sizeof(maker->header), 0);
	maker_put(maker, heads, sizeof(heads), sizeof(maker->header));
	maker_put(maker, maker->text, TEXT_SIZE, TEXT);
	maker_put(maker, maker->begins_head, sizeof(maker->begins_head), TABLES);
	maker_put(maker, maker->begins, maker->begin_count * 8,
		  TABLES + sizeof(maker->begins_head));
	maker_put(maker, maker->notes, sizeof(maker->notes), notes);
	maker_put(maker, maker->symbols, symbols_size, symbols);
	maker_put(maker, maker->strings, maker->strings_size, strings);
	maker_put(maker, maker->link, sizeof(maker->link), link);
	maker_put(maker, names, sizeof(names), text);
	maker_put(maker, tables, sizeof(tables), sections);
	if (maker->cut && ftruncate(maker->fd, (off_t)maker->cut))
		abort();
	snprintf(maker->path, sizeof(maker->path), "/proc/self/fd/%d", maker->fd);
	return maker->path;
}

/* Pages of addresses that the process has: what is not freed is seen there. */
TAP_UNUSED static unsigned long maker_pages(void)
{
	static char text[64]; /* no memory is asked for meanwhile */
	const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	const ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	close(fd);
	return size > 0 ? strtoul(text, NULL, 10) : 0;
}

TAP_UNUSED static void maker_release(struct maker *maker)
{
	if (maker->fd >= 0)
		close(maker->fd);
	maker->fd = -1;
}

#endif
