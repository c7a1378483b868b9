/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * In a line table of ptxas each function has a sequence that begins with DW_LNE_set_address 0;
 * .rel.NAME (until sm_90) or .rela.NAME (from sm_100 on) says by the function's symbol where
 * that is. The sections .nv.merc.* of sm_100 and later are another form of the code, and have
 * tables of their own, which are not read.
 */
#include "cubin_table.h"

#include <elf.h>

#include "array.h"
#include "cleanup.h"

struct relocation {
	uint64_t offset;
	uint64_t address;
	uint32_t section;
	bool added; /* what is at the offset is added */
};

struct relocations {
	struct relocation *items; /* owned; by their offsets; twice their bytes of the cubin */
	size_t count;
};

/* Where a table comes from. */
struct source {
	struct bytes section;
	struct relocations relocations; /* owned */
	struct line_budget *budget;     /* borrowed */
};

static void source_release(struct source *source)
{
	free(source->relocations.items);
}

static int no_memory(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the line table of a cubin");
}

static int add_relocation(const struct elf64 *elf, const struct elf64_section *section,
			  const uint8_t *p, struct relocations *relocations, struct err *e)
{
	const uint32_t index = load_u32(p + 12); /* the symbol's */
	struct relocation *slot;
	struct elf64_section symbols;
	struct elf64_symbol symbol;

	if (section->link >= elf->section_count)
		return 0;
	elf64_section(elf, section->link, &symbols);
	if (index >= elf64_symbol_count(elf, &symbols))
		return 0;
	elf64_symbol(elf, &symbols, index, &symbol);
	slot = array_grow(&relocations->items, relocations->count, sizeof(*slot));
	if (!slot)
		return no_memory(e);
	relocations->count++;
	slot->offset = load_u64(p);
	slot->section = symbol.section;
	slot->address = symbol.value;
	slot->added = section->type == SHT_REL;
	if (!slot->added)
		slot->address += load_u64(p + 16);
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct relocation *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Reads those of section @index. */
static int read_relocations(const struct elf64 *elf, size_t index,
			    struct relocations *relocations, struct err *e)
{
	struct elf64_section section;

	for (size_t i = 0; i < elf->section_count; i++) {
		size_t size = sizeof(Elf64_Rel);
		struct bytes data;

		elf64_section(elf, i, &section);
		if (section.info != index ||
		    (section.type != SHT_REL && section.type != SHT_RELA))
			continue;
		if (section.type == SHT_RELA)
			size = sizeof(Elf64_Rela);
		data = elf64_data(elf, &section);
		for (size_t at = 0; data.size - at >= size; at += size)
			TRY(add_relocation(elf, &section, data.data + at, relocations, e));
	}
	if (relocations->count)
		qsort(relocations->items, relocations->count, sizeof(*relocations->items),
		      by_offset);
	return 0;
}

/* Sets the address of @row to that of its sequence's code; false when it is not known. */
static bool place(const struct relocations *relocations, const struct dwarf_line_row *row,
		  struct cubin_row *out)
{
	const struct relocation wanted = { .offset = (uint64_t)row->origin }, *found = NULL;

	if (row->origin != DWARF_LINE_UNSET && relocations->count)
		found = bsearch(&wanted, relocations->items, relocations->count, sizeof(wanted),
				by_offset);
	if (!found || !found->section)
		return false;
	out->section = found->section;
	out->address = row->address + found->address - (found->added ? 0 : row->given);
	return true;
}

static int add_row(struct cubin_table *table, const struct cubin_row *row, struct err *e)
{
	struct cubin_row *slot = array_grow(&table->rows, table->row_count, sizeof(*slot));

	if (!slot)
		return no_memory(e);
	*slot = *row;
	table->row_count++;
	return 0;
}

/* The rows of a sequence by the numbers that DW_LNE_inlined_call has for them. */
struct numbers {
	uint32_t *rows; /* owned; 1 + their indices */
	size_t count;
};

static void numbers_release(struct numbers *numbers)
{
	free(numbers->rows);
}

static int add_number(struct numbers *numbers, size_t row, struct err *e)
{
	uint32_t *slot = array_grow(&numbers->rows, numbers->count, sizeof(*slot));

	if (!slot)
		return no_memory(e);
	*slot = (uint32_t)row + 1;
	numbers->count++;
	return 0;
}

/* Whether @row of a sequence that begins at @first says nothing new: ptxas does not count it. */
static bool repeats(const struct cubin_table *table, size_t first, const struct cubin_row *row)
{
	const struct cubin_row *before;

	if (table->row_count == first)
		return false;
	before = &table->rows[table->row_count - 1];
	return before->address == row->address && before->file == row->file &&
	       before->line == row->line && before->caller == row->caller;
}

static int read_rows(struct dwarf_line *lines, const struct source *source,
		     struct cubin_table *table, struct err *e)
{
	CLEANUP(numbers_release) struct numbers numbers = { 0 };
	size_t first = table->row_count; /* of the sequence */
	struct dwarf_line_row row;

	while (dwarf_line_next(lines, &row)) {
		struct cubin_row out = { .line = row.line, .last = true, .end = row.end };

		if (!place(&source->relocations, &row, &out))
			continue;
		TRY(line_budget_take(source->budget, sizeof(out) + sizeof(*numbers.rows),
				     "rows of line tables", e));
		out.file = row.file < lines->file_count ?
				   (uint32_t)table->file_count + row.file : UINT32_MAX;
		if (row.caller && row.caller <= numbers.count)
			out.caller = numbers.rows[row.caller - 1];
		if (table->row_count > first && !row.end)
			table->rows[table->row_count - 1].last =
				table->rows[table->row_count - 1].address != out.address;
		if (!row.uncounted && !repeats(table, first, &out))
			TRY(add_number(&numbers, table->row_count, e));
		TRY(add_row(table, &out, e));
		if (row.end) {
			numbers_release(&numbers);
			numbers = (struct numbers){ 0 };
			first = table->row_count;
		}
	}
	return 0;
}

static int add_files(struct cubin_table *table, const struct dwarf_line *lines,
		     struct line_budget *budget, struct err *e)
{
	TRY(line_budget_take(budget, lines->file_count * sizeof(*lines->files),
			     "files of line tables", e));
	for (size_t i = 0; i < lines->file_count; i++) {
		struct dwarf_line_file *slot =
			array_grow(&table->files, table->file_count, sizeof(*slot));

		if (!slot)
			return no_memory(e);
		*slot = lines->files[i];
		table->file_count++;
	}
	return 0;
}

/* Reads one unit; *@offset moves to the section's end where it is no table. */
static int read_unit(const struct source *source, uint64_t *offset, struct cubin_table *table,
		     struct err *e)
{
	CLEANUP(dwarf_line_release) struct dwarf_line lines = { 0 };
	int status = dwarf_line_open(source->section, (struct bytes){ 0 }, offset, source->budget,
				     &lines, e);

	if (status == GPURUN_FORMAT)
		*offset = source->section.size;
	if (status)
		return status == GPURUN_FORMAT ? 0 : status;
	TRY(read_rows(&lines, source, table, e));
	return add_files(table, &lines, source->budget, e);
}

/* The first section called @name; false where there is none. */
static bool find_section(const struct elf64 *elf, const char *name, size_t *index)
{
	struct elf64_section section;

	for (*index = 0; *index < elf->section_count; ++*index) {
		elf64_section(elf, *index, &section);
		if (elf64_is_named(section.name, name))
			return true;
	}
	return false;
}

int cubin_table(const struct elf64 *elf, const char *name, struct line_budget *budget,
		struct cubin_table *table, struct err *e)
{
	CLEANUP(source_release) struct source source = { .budget = budget };
	struct elf64_section section;
	size_t index;

	*table = (struct cubin_table){ 0 };
	if (!find_section(elf, name, &index))
		return 0;
	elf64_section(elf, index, &section);
	source.section = elf64_data(elf, &section);
	TRY(read_relocations(elf, index, &source.relocations, e));
	for (uint64_t at = 0; at < source.section.size;)
		TRY(read_unit(&source, &at, table, e));
	return 0;
}

void cubin_table_release(struct cubin_table *table)
{
	free(table->rows);
	free(table->files);
	*table = (struct cubin_table){ 0 };
}
