/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Variables of a cubin are in sections that no kernel owns:
 *
 *	.nv.global, .nv.global.init	global memory
 *	.nv.constant3			__constant__; .nv.constant4: addresses
 *
 * while .nv.constant0.K (parameters), .nv.constant2.K (literals) and
 * .nv.shared.K are a kernel's, and are initialised for each launch. A variable is a
 * symbol of type STT_OBJECT, a texture or surface one of NVIDIA's types, from
 * 10 on; a stripped cubin has the sections alone.
 */
#include "cleanup.h"
#include "cubin.h"
#include "elf64.h"

#include <elf.h>

static bool is_launch_constant(struct bytes name)
{
	return elf64_begins(name, ".nv.constant0.") ||
	       elf64_begins(name, ".nv.constant2.");
}

/* Tells whether what is in @section lives as long as the module. */
static bool is_lasting(const struct elf64_section *section)
{
	return section->size && (elf64_begins(section->name, ".nv.global") ||
				 (elf64_begins(section->name, ".nv.constant") &&
				  !is_launch_constant(section->name)));
}

static bool is_variable(const struct elf64 *elf, const struct elf64_symbol *symbol)
{
	struct elf64_section section;

	if ((symbol->type != STT_OBJECT && symbol->type < STT_LOOS) || !symbol->section)
		return false;
	if (symbol->section >= elf->section_count)
		return true;
	elf64_section(elf, symbol->section, &section);
	return !elf64_begins(section.name, ".nv.shared") && !is_launch_constant(section.name);
}

static int visit_symbols(const struct elf64 *elf, const struct elf64_section *table,
			 variable_visitor *visit, void *data, struct err *e)
{
	uint64_t left = elf->bytes.size;
	struct elf64_symbol symbol;

	for (size_t i = 0; i < elf64_symbol_count(elf, table); i++) {
		const char *name;

		elf64_symbol(elf, table, i, &symbol);
		if (!is_variable(elf, &symbol))
			continue;
		name = elf64_name(symbol.name, &left);
		if (!left)
			return err_set(e, GPURUN_FORMAT,
				       "the names of variables are larger than the cubin");
		visit(&(struct variable_info){ name, strlen(name), symbol.size, "" }, data);
	}
	return 0;
}

int cubin_variables(struct bytes bytes, variable_visitor *visit, void *data,
		    struct err *e)
{
	struct elf64_section section;
	struct elf64 elf;

	TRY(elf64_open(bytes, &elf, e));
	for (size_t i = 0; i < elf.section_count; i++) {
		elf64_section(&elf, i, &section);
		if (section.type == SHT_SYMTAB)
			TRY(visit_symbols(&elf, &section, visit, data, e));
		else if (is_lasting(&section))
			visit(&(struct variable_info){ "", 0, section.size, "" }, data);
	}
	return 0;
}
