/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Line tables: the programs of DWARF 2 to 5 that say which line the code at an address was
 * compiled from. ptxas writes two of them into a cubin, one for the source and one for the PTX.
 */
#ifndef LIB_DWARF_LINE_H
#define LIB_DWARF_LINE_H

#include "bytes.h"
#include "err.h"
#include "line_budget.h"

/* A file of a table, its strings borrowed from the section, without their NUL; a table whose
 * strings have more than 4,096 bytes is damaged. */
struct dwarf_line_file {
	struct bytes directory; /* none: that of the compilation */
	struct bytes name;
};

enum { DWARF_LINE_UNSET = -1 };

struct dwarf_line_row {
	uint64_t address;
	uint64_t given; /* the last address that was set, on which this one builds */
	int64_t origin; /* where in the section that is, for relocations; DWARF_LINE_UNSET: it
			 * was never set */
	uint32_t file;  /* an index of files; it may be beyond them */
	uint32_t line;
	uint32_t caller; /* NVIDIA's own: 0, or the row of the same sequence, from 1 on, that
			  * this one was inlined into */
	bool end;        /* the sequence's code ends before this address */
	bool uncounted;  /* it differs from the row before it in its caller alone: ptxas
			  * writes no such rows, and does not count it */
};

/* The table of one unit, and how far it has been read. */
struct dwarf_line {
	struct bytes unit;    /* the section up to the end of the unit; borrowed */
	struct bytes strings; /* of .debug_line_str; borrowed */
	struct line_budget *budget; /* borrowed */
	uint64_t at;
	bool bad;
	uint16_t version;
	bool wide; /* 64-bit DWARF */
	uint8_t step, range, opcodes;
	int8_t base;
	const uint8_t *operands; /* of each standard opcode */
	struct dwarf_line_row row;
	uint32_t caller; /* of the row before it */
	struct dwarf_line_file *files; /* owned */
	size_t file_count;
};

/*
 * Reads the header of the table at *@offset of @section, which is not the end, into *@table, and
 * moves *@offset after the table. @strings is .debug_line_str, or nothing. Its files are taken out
 * of @budget, which outlives *@table. The caller calls dwarf_line_release() after a failure too.
 * GPURUN_FORMAT, GPURUN_NO_MEMORY; GPURUN_UNSUPPORTED beyond the budget.
 */
int dwarf_line_open(struct bytes section, struct bytes strings, uint64_t *offset,
		    struct line_budget *budget, struct dwarf_line *table, struct err *e);

/* Reads the next row of @table; false at its end, and where it cannot be read any further. */
bool dwarf_line_next(struct dwarf_line *table, struct dwarf_line_row *row);

void dwarf_line_release(struct dwarf_line *table);

#endif
