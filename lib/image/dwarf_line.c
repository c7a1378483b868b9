/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * By chapter 6.2 of the DWARF standards. A unit:
 *
 *	u32 length (or 0xffffffff, u64 length), u16 version; from 5 on u8 address size, u8 segment
 *	u32 or u64 length of the rest of the header, u8 step; from 4 on u8 operations a step
 *	u8 default of is_stmt, s8 base, u8 range, u8 opcodes, operands of each opcode but the first
 *	until 4: directories, "", files {name, directory, time, size}, ""
 *	from 5 on: the same as two tables, each with a description of its columns before it
 *	opcodes, up to the unit's end
 *
 * ptxas of CUDA 13.0 writes version 2, and an extended opcode of its own, which cuda-gdb knows
 * as DW_LNE_inlined_call: 0x90, uleb row, uleb name; the rows of a sequence are counted from 1 on.
 * Code of the same line as that before it gets no row even if it has another caller, but this
 * opcode and then DW_LNS_advance_pc, as all code does.
 */
#include "dwarf_line.h"

#include "array.h"
#include "asserts.h"
#include "cleanup.h"

enum {
	LNS_COPY = 1,
	LNS_ADVANCE_PC,
	LNS_ADVANCE_LINE,
	LNS_SET_FILE,
	LNS_CONST_ADD_PC = 8,
	LNS_FIXED_ADVANCE_PC = 9,
	LNE_END_SEQUENCE = 1,
	LNE_SET_ADDRESS = 2,
	LNE_INLINED_CALL = 0x90,
	LNCT_PATH = 1,
	LNCT_DIRECTORY = 2,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_DATA1 = 0x0b,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
	LONGEST = 4097, /* string, with its NUL */
};

/* Reads a number of @size bytes; 0, and the table is bad, if the unit ends before. */
static uint64_t fixed(struct dwarf_line *table, unsigned size)
{
	const uint8_t *p = bytes_at(table->unit, table->at, size);
	uint64_t value = 0;

	ASSERT(size <= sizeof(value));
	table->bad |= !p;
	if (!p)
		return 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)p[i] << 8 * i;
	table->at += size;
	return value;
}

static uint8_t byte(struct dwarf_line *table)
{
	return (uint8_t)fixed(table, 1);
}

/* Bits beyond 64 are lost; *@shift is how many there were. */
static uint64_t leb(struct dwarf_line *table, unsigned *shift)
{
	uint64_t value = 0;
	uint8_t part;

	*shift = 0;
	do {
		part = byte(table);
		if (*shift < 64)
			value |= (uint64_t)(part & 0x7f) << *shift;
		*shift += *shift < 64 ? 7 : 0;
	} while (part & 0x80);
	return value;
}

static uint64_t uleb(struct dwarf_line *table)
{
	unsigned shift;

	return leb(table, &shift);
}

static uint64_t sleb(struct dwarf_line *table)
{
	unsigned shift;
	uint64_t value = leb(table, &shift);

	ASSERT(shift >= 7 && shift < 64 + 7);
	if (shift < 64 && value >> (shift - 1) & 1)
		value |= UINT64_MAX << shift;
	return value;
}

static void skip(struct dwarf_line *table, uint64_t size)
{
	if (!bytes_at(table->unit, table->at, size))
		table->bad = true;
	else
		table->at += size;
}

/* The string at @offset of @bytes, without its NUL; false where it has none. */
static bool string_at(struct bytes bytes, uint64_t offset, struct bytes *out)
{
	const uint8_t *end = NULL;
	uint64_t most = 0;

	*out = (struct bytes){ 0 };
	if (offset < bytes.size)
		most = bytes.size - offset;
	if (most)
		end = memchr(bytes.data + offset, 0, most < LONGEST ? most : LONGEST);
	if (end)
		*out = (struct bytes){ bytes.data + offset,
				       (size_t)(end - bytes.data) - offset };
	return end;
}

static struct bytes string(struct dwarf_line *table)
{
	struct bytes text;

	if (string_at(table->unit, table->at, &text))
		table->at += text.size + 1;
	else
		table->bad = true;
	return text;
}

struct list {
	struct dwarf_line_file *items; /* owned */
	size_t count;
};

static void list_release(struct list *list)
{
	free(list->items);
}

/* An entry has one byte at least, and takes many. */
static int add_file_entry(struct dwarf_line *table, struct list *list, struct dwarf_line_file file,
			  struct err *e)
{
	struct dwarf_line_file *slot;

	TRY(line_budget_take(table->budget, sizeof(*slot), "directories and files", e));
	slot = array_grow(&list->items, list->count, sizeof(*slot));
	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the files of a line table");
	*slot = file;
	list->count++;
	return 0;
}

static struct bytes directory_at(const struct list *directories, uint64_t index)
{
	return index < directories->count ? directories->items[index].name : (struct bytes){ 0 };
}

/* Until version 4: both begin with the compilation's own, which has no name here. */
static int read_lists(struct dwarf_line *table, struct list *directories, struct list *files,
		      struct err *e)
{
	struct dwarf_line_file item = { 0 };

	do {
		TRY(add_file_entry(table, directories, item, e));
		item.name = string(table);
	} while (item.name.size);
	do {
		TRY(add_file_entry(table, files, item, e));
		item.name = string(table);
		if (item.name.size) {
			item.directory = directory_at(directories, uleb(table));
			uleb(table);
			uleb(table);
		}
	} while (item.name.size && !table->bad);
	return 0;
}

/* Skips a value of @form that is neither a string nor a number that is needed. */
static uint64_t value_of(struct dwarf_line *table, uint64_t form)
{
	switch (form) {
	case FORM_DATA1: return byte(table);
	case FORM_DATA2: return fixed(table, 2);
	case FORM_DATA4: return fixed(table, 4);
	case FORM_DATA8: return fixed(table, 8);
	case FORM_UDATA: return uleb(table);
	case FORM_LINE_STRP:
	case FORM_STRP: return fixed(table, table->wide ? 8 : 4);
	case FORM_DATA16: skip(table, 16); return 0;
	case FORM_BLOCK: skip(table, uleb(table)); return 0;
	case FORM_STRING: string(table); return 0;
	}
	table->bad = true;
	return 0;
}

/* A name is where it is used or in .debug_line_str; what is in .debug_str stays unknown. */
static struct bytes path_of(struct dwarf_line *table, uint64_t form)
{
	struct bytes text = { 0 };
	uint64_t offset;

	if (form == FORM_STRING)
		return string(table);
	offset = value_of(table, form);
	if (form == FORM_LINE_STRP)
		string_at(table->strings, offset, &text);
	return text;
}

/* What the entries of a table of version 5 have. Its numbers can be as long as the table, so that
 * they are read once and not for each entry. */
struct columns {
	uint64_t type[UINT8_MAX], form[UINT8_MAX];
	unsigned count;
};

static void read_columns(struct dwarf_line *table, struct columns *columns)
{
	columns->count = byte(table);
	for (unsigned i = 0; i < columns->count; i++) {
		columns->type[i] = uleb(table);
		columns->form[i] = uleb(table);
	}
}

static struct dwarf_line_file read_entry(struct dwarf_line *table, const struct columns *columns,
					 const struct list *directories)
{
	struct dwarf_line_file item = { 0 };

	for (unsigned i = 0; i < columns->count && !table->bad; i++) {
		const uint64_t type = columns->type[i], form = columns->form[i];

		if (type == LNCT_PATH)
			item.name = path_of(table, form);
		else if (type == LNCT_DIRECTORY)
			item.directory = directory_at(directories, value_of(table, form));
		else
			value_of(table, form);
	}
	return item;
}

/* A table of version 5. Each of its values has a byte at least. */
static int read_entries(struct dwarf_line *table, const struct list *directories,
			struct list *list, struct err *e)
{
	struct columns columns;
	uint64_t entries;

	read_columns(table, &columns);
	entries = uleb(table);
	table->bad |= entries && !columns.count;
	for (uint64_t i = 0; i < entries && !table->bad; i++)
		TRY(add_file_entry(table, list, read_entry(table, &columns, directories), e));
	return 0;
}

static int read_files(struct dwarf_line *table, struct err *e)
{
	CLEANUP(list_release) struct list directories = { 0 };
	CLEANUP(list_release) struct list files = { 0 };

	if (table->version < 5) {
		TRY(read_lists(table, &directories, &files, e));
	} else {
		TRY(read_entries(table, &directories, &directories, e));
		TRY(read_entries(table, &directories, &files, e));
	}
	table->file_count = files.count;
	table->files = STEAL(files.items);
	return 0;
}

/* What precedes the lists of files; *@program is where the opcodes begin. */
static int read_head(struct dwarf_line *table, uint64_t *program, struct err *e)
{
	uint64_t length;
	unsigned operations = 1;

	table->version = (uint16_t)fixed(table, 2);
	if (table->bad || table->version < 2 || table->version > 5)
		return err_set(e, GPURUN_FORMAT, "a line table of version %u, not of 2 to 5",
			       table->version);
	if (table->version == 5)
		fixed(table, 2);
	length = fixed(table, table->wide ? 8 : 4);
	if (!size_add(table->at, length, program))
		table->bad = true;
	table->step = byte(table);
	if (table->version >= 4)
		operations = byte(table);
	byte(table);
	table->base = (int8_t)byte(table);
	table->range = byte(table);
	table->opcodes = byte(table);
	table->operands = table->unit.data + table->at;
	skip(table, table->opcodes ? table->opcodes - 1u : 0);
	if (table->bad || !table->range || !table->opcodes || operations != 1)
		return err_set(e, GPURUN_FORMAT, "a line table's header with range %u, %u opcodes, "
			       "%u operations a step", table->range, table->opcodes, operations);
	return 0;
}

static void reset(struct dwarf_line *table)
{
	table->row = (struct dwarf_line_row){ .file = 1, .line = 1, .origin = DWARF_LINE_UNSET };
	table->caller = 0;
}

int dwarf_line_open(struct bytes section, struct bytes strings, uint64_t *offset,
		    struct line_budget *budget, struct dwarf_line *table, struct err *e)
{
	uint64_t length, program = 0;

	*table = (struct dwarf_line){ .unit = section, .strings = strings, .at = *offset,
				      .budget = budget };
	length = fixed(table, 4);
	table->wide = length == UINT32_MAX;
	if (table->wide)
		length = fixed(table, 8);
	if (table->bad || !bytes_at(section, table->at, length))
		return err_set(e, GPURUN_FORMAT, "a line table of %llu bytes in a section of %zu",
			       (unsigned long long)length, section.size);
	table->unit.size = (size_t)(table->at + length);
	TRY(read_head(table, &program, e));
	TRY(read_files(table, e));
	if (table->bad || program < table->at || program > table->unit.size)
		return err_set(e, GPURUN_FORMAT, "the header of a line table is cut off");
	*offset = table->unit.size;
	table->at = program;
	reset(table);
	return 0;
}

/* Does what an extended opcode says; true when it makes a row. */
static bool extended(struct dwarf_line *table)
{
	uint64_t size = uleb(table), next;
	uint8_t opcode;

	if (!size_add(table->at, size, &next) || next > table->unit.size || !size)
		table->bad = true;
	if (table->bad)
		return false;
	opcode = byte(table);
	table->row.end = opcode == LNE_END_SEQUENCE;
	if (opcode == LNE_SET_ADDRESS && size <= 9) {
		table->row.origin = (int64_t)table->at;
		table->row.given = fixed(table, (unsigned)size - 1);
		table->row.address = table->row.given;
	} else if (opcode == LNE_INLINED_CALL) {
		table->row.caller = (uint32_t)uleb(table);
	}
	table->at = next;
	return table->row.end;
}

static void advance_special(struct dwarf_line *table, uint8_t opcode)
{
	table->row.address += (uint64_t)(opcode - table->opcodes) / table->range * table->step;
}

/* After an advance: whether code begins here that gets no row, but has another caller. */
static bool new_caller(struct dwarf_line *table)
{
	const uint8_t *next = bytes_at(table->unit, table->at, 3);

	table->row.uncounted = table->row.caller != table->caller && next && *next != LNS_COPY &&
			       !(!next[0] && next[1] == 1 && next[2] == LNE_END_SEQUENCE);
	return table->row.uncounted;
}

/* Does what a standard opcode says; true when it makes a row. */
static bool standard(struct dwarf_line *table, uint8_t opcode)
{
	switch (opcode) {
	case LNS_COPY: return true;
	case LNS_ADVANCE_PC:
		table->row.address += uleb(table) * table->step;
		return new_caller(table);
	case LNS_ADVANCE_LINE: table->row.line += (uint32_t)sleb(table); return false;
	case LNS_SET_FILE: table->row.file = (uint32_t)uleb(table); return false;
	case LNS_CONST_ADD_PC: advance_special(table, 255); return false;
	case LNS_FIXED_ADVANCE_PC: table->row.address += fixed(table, 2); return false;
	}
	for (unsigned i = 0; i < table->operands[opcode - 1] && !table->bad; i++)
		uleb(table);
	return false;
}

/* Does what the next opcode says; true when it makes a row. */
static bool execute(struct dwarf_line *table)
{
	const uint8_t opcode = byte(table);

	table->row.uncounted = false;
	if (opcode >= table->opcodes) {
		advance_special(table, opcode);
		table->row.line += (uint32_t)(table->base +
					      (opcode - table->opcodes) % table->range);
		return true;
	}
	return opcode ? standard(table, opcode) : extended(table);
}

bool dwarf_line_next(struct dwarf_line *table, struct dwarf_line_row *row)
{
	while (!table->bad && table->at < table->unit.size) {
		if (!execute(table) || table->bad)
			continue;
		*row = table->row;
		table->caller = row->caller;
		if (row->end)
			reset(table);
		return true;
	}
	return false;
}

void dwarf_line_release(struct dwarf_line *table)
{
	free(table->files);
	table->files = NULL;
}
