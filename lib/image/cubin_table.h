/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A line table of a cubin: which line of which file the code at a place in a section was made
 * from. .debug_line names source files, .nv_debug_line_sass sections of PTX.
 */
#ifndef LIB_CUBIN_TABLE_H
#define LIB_CUBIN_TABLE_H

#include "dwarf_line.h"
#include "elf64.h"

struct cubin_row {
	uint64_t address; /* within the section */
	uint32_t section;
	uint32_t file;   /* an index of files, or UINT32_MAX */
	uint32_t line;
	uint32_t caller; /* 0, or 1 + the index of a row before it: the line that calls this one */
	bool last;       /* no later row of the same sequence has the same address */
	bool end;        /* only says where the code of the rows before it ends */
};

struct cubin_table {
	struct cubin_row *rows; /* owned; in the order of the table */
	size_t row_count;
	struct dwarf_line_file *files; /* owned */
	size_t file_count;
};

/*
 * Reads the table in the section @name: no rows if there is none, and only those before a damage.
 * Rows whose section no relocation says are left out. What it takes is taken out of @budget. The
 * caller calls cubin_table_release() after a failure too: GPURUN_NO_MEMORY, GPURUN_UNSUPPORTED
 * beyond the budget.
 */
int cubin_table(const struct elf64 *elf, const char *name, struct line_budget *budget,
		struct cubin_table *table, struct err *e);

void cubin_table_release(struct cubin_table *table);

#endif
