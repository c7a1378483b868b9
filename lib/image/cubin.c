/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Layout, found by analysing what ptxas and nvlink of CUDA 11 to 13 write
 * (10,963 cubins of 5 libraries). An ELF64 file, e_machine 190, with
 *
 *			CUDA 11, 12		CUDA 13
 *	OSABI, version	0x33, 7			0x41, 8
 *	e_flags		SM in bits 0-7		SM in bits 8-15
 *	sm_90a		e_flags bit 11		.nv.compat, record 9 is 1
 *	sm_100f		-			".note.nv.tkinfo" has "-arch sm_100f"
 *
 * Kernels and their attributes: see cubin_kernels.c.
 */
#include "cubin.h"
#include "cleanup.h"
#include "cubin_record.h"
#include "elf64.h"

#include <elf.h>
#include <inttypes.h>

enum {
	OSABI_OLD = 0x33,
	OSABI_NEW = 0x41,
	MACHINE_CUDA = 190,
	OLD_SPECIFIC = 0x800,
	COMPAT = 0x70000086,
	COMPAT_TARGET = 9,
};

bool cubin_sniff(struct bytes bytes)
{
	const uint8_t *p = bytes_at(bytes, 0, sizeof(Elf64_Ehdr));

	return p && !memcmp(p, ELFMAG, SELFMAG) && p[EI_CLASS] == ELFCLASS64 &&
	       p[EI_DATA] == ELFDATA2LSB && load_u16(p + 18) == MACHINE_CUDA;
}

/* Tells whether the records of .nv.compat say that the code is for one SM alone. */
static bool compat_specific(struct bytes data)
{
	struct cubin_record record;
	uint64_t offset = 0;

	while (offset < data.size && !cubin_record(data, &offset, &record, NULL))
		if (record.code == COMPAT_TARGET)
			return record.value == 1;
	return false;
}

/* Finds what follows "sm_<arch>" in the command line of the tool that made the cubin. */
static char noted_suffix(struct bytes note, unsigned arch)
{
	char option[24];
	const uint8_t *p = NULL;
	int length = 0;

	for (int i = 0; i < 2 && !p && note.size; i++) {
		length = snprintf(option, sizeof(option), "-arch%csm_%u", i ? '=' : ' ',
				  arch);
		p = memmem(note.data, note.size, option, (size_t)length);
	}
	if (!p || p + length >= note.data + note.size)
		return 0;
	return p[length] == 'a' || p[length] == 'f' ? (char)p[length] : 0;
}

static char find_suffix(const struct elf64 *elf, unsigned arch)
{
	struct elf64_section section;
	char suffix = 0;

	for (size_t i = 0; i < elf->section_count && !suffix; i++) {
		elf64_section(elf, i, &section);
		if (section.type == COMPAT && compat_specific(elf64_data(elf, &section)))
			suffix = 'a';
		else if (elf64_is_named(section.name, ".note.nv.tkinfo"))
			suffix = noted_suffix(elf64_data(elf, &section), arch);
	}
	return suffix;
}

static bool has_lines(const struct elf64 *elf)
{
	struct elf64_section section;

	for (size_t i = 0; i < elf->section_count; i++) {
		elf64_section(elf, i, &section);
		if (elf64_is_named(section.name, ".debug_line") ||
		    elf64_is_named(section.name, ".nv_debug_line_sass"))
			return true;
	}
	return false;
}

/* Tells whether there is nothing to launch and nothing to read or write. */
static bool is_empty(const struct elf64 *elf)
{
	struct elf64_section section;
	struct elf64_symbol symbol;

	for (size_t i = 0; i < elf->section_count; i++) {
		elf64_section(elf, i, &section);
		if (section.type != SHT_SYMTAB)
			continue;
		for (size_t j = 0; j < elf64_symbol_count(elf, &section); j++) {
			elf64_symbol(elf, &section, j, &symbol);
			if (symbol.section &&
			    (symbol.type == STT_FUNC || symbol.type == STT_OBJECT))
				return false;
		}
	}
	return true;
}

int cubin_head(struct bytes bytes, struct cubin_head *head, struct err *e)
{
	struct elf64 elf;

	*head = (struct cubin_head){ 0 };
	TRY(elf64_open(bytes, &elf, e));
	switch (bytes.data[EI_OSABI]) {
	case OSABI_OLD:
		head->arch = elf.flags & 0xff;
		break;
	case OSABI_NEW:
		head->arch = (elf.flags >> 8) & 0xff;
		break;
	default:
		return err_set(
			e, GPURUN_FORMAT,
			"cubin of OS ABI %#x, expected 0x33 (CUDA 11, 12) or 0x41 (13)",
			bytes.data[EI_OSABI]);
	}
	if (elf.type != ET_EXEC && elf.type != ET_REL)
		return err_set(e, GPURUN_FORMAT, "cubin of ELF type %u, expected 1 or 2",
			       elf.type);
	head->suffix = find_suffix(&elf, head->arch);
	if (bytes.data[EI_OSABI] == OSABI_OLD && (elf.flags & OLD_SPECIFIC))
		head->suffix = 'a';
	head->relocatable = elf.type == ET_REL;
	head->lines = has_lines(&elf);
	head->empty = is_empty(&elf);
	head->size = elf64_size(&elf);
	if (head->size > bytes.size)
		return err_set(e, GPURUN_FORMAT, "cubin of %" PRIu64 " bytes in %zu",
			       head->size, bytes.size);
	return 0;
}
