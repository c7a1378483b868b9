/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a relocatable cubin has for others, and what it needs of them: symbols of its table that
 * are global or weak, with a section or without one. "_param" and its like are local.
 */
#include "cleanup.h"
#include "cubin.h"
#include "elf64.h"

#include <elf.h>

enum { KERNEL = 0x10 }; /* in st_other: a function that the host launches */

static int visit_table(const struct elf64 *elf, const struct elf64_section *table,
		       cubin_symbol_visitor *visit, void *data, struct err *e)
{
	uint64_t left = elf->bytes.size;
	struct elf64_symbol symbol;

	for (size_t i = 0; i < elf64_symbol_count(elf, table); i++) {
		struct cubin_symbol found = { 0 };

		elf64_symbol(elf, table, i, &symbol);
		if (symbol.binding == STB_LOCAL)
			continue;
		found.name = elf64_name(symbol.name, &left);
		if (!left)
			return err_set(e, GPURUN_FORMAT,
				       "the names of symbols are larger than the cubin");
		found.defined = symbol.section != SHN_UNDEF;
		found.kernel = symbol.type == STT_FUNC && symbol.other & KERNEL;
		if (*found.name)
			TRY(visit(&found, data, e));
	}
	return 0;
}

int cubin_symbols(struct bytes bytes, cubin_symbol_visitor *visit, void *data, struct err *e)
{
	struct elf64_section section;
	struct elf64 elf;

	TRY(elf64_open(bytes, &elf, e));
	for (size_t i = 0; i < elf.section_count; i++) {
		elf64_section(&elf, i, &section);
		if (section.type == SHT_SYMTAB)
			TRY(visit_table(&elf, &section, visit, data, e));
	}
	return 0;
}
