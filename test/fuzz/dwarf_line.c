/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Line tables of every version, one behind the other; their strings are in the same bytes. */
#include "dwarf_line.h"
#include "fuzz.h"

/* Reads all of @bytes, which must not be beyond the section. */
static void read_bytes(struct bytes bytes)
{
	volatile uint8_t last = 0;

	for (size_t i = 0; i < bytes.size; i++)
		last ^= bytes.data[i];
	(void)last;
}

static void read_table(struct dwarf_line *table)
{
	struct dwarf_line_row row;

	for (size_t i = 0; i < table->file_count; i++) {
		read_bytes(table->files[i].directory);
		read_bytes(table->files[i].name);
	}
	for (int rows = 0; rows < 100000 && dwarf_line_next(table, &row); rows++)
		if (row.origin < DWARF_LINE_UNSET || row.origin > (int64_t)table->unit.size)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bytes section = { data, size };
	struct line_budget budget = line_budget_of(size);
	uint64_t offset = 0;

	while (offset < size) {
		struct dwarf_line table = { 0 };
		const uint64_t before = offset;
		const int status = dwarf_line_open(section, section, &offset, &budget,
						   &table, NULL);

		if (!status)
			read_table(&table);
		dwarf_line_release(&table);
		if (status || offset <= before || offset > size)
			break;
	}
	return 0;
}
