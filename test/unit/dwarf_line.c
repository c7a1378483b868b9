/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <time.h>

#include "dwarf_line.h"
#include "line_table.h"

/* Opens @made, which is a section of its own. */
static int open_table(const struct line_table *made, struct line_budget *budget,
		      struct dwarf_line *table, struct err *e)
{
	const struct bytes section = table_bytes(made);
	uint64_t offset = 0;

	*budget = line_budget_of(section.size);
	return dwarf_line_open(section, section, &offset, budget, table, e);
}

/* The head of @made is refused, and the text has @words. */
static void check_refused(const struct line_table *made, const char *words)
{
	CLEANUP(dwarf_line_release) struct dwarf_line table = { 0 };
	struct line_budget budget;
	struct err e = { 0 };

	CHECK_INT(open_table(made, &budget, &table, &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, words);
}

/* How many rows are read of @made; *@last is the last. */
static size_t count_rows(const struct line_table *made, struct dwarf_line_row *last)
{
	CLEANUP(dwarf_line_release) struct dwarf_line table = { 0 };
	struct line_budget budget;
	size_t count = 0;

	*last = (struct dwarf_line_row){ 0 };
	CHECK_INT(open_table(made, &budget, &table, NULL), 0);
	while (dwarf_line_next(&table, last))
		count++;
	return count;
}

static bool is_text(struct bytes bytes, const char *text)
{
	return bytes.size == strlen(text) && !memcmp(bytes.data, text, bytes.size);
}

/* Version 5: two tables, of directories and of files, with a path and a directory's number. */
static void put_tables(struct line_table *made)
{
	put_bytes(made, "\1\1\x08\2/a\0/b\0", 10);
	put_bytes(made, "\2\1\x08\2\x0b\2x.cu\0\0y.cu\0\1", 18);
}

static void test_versions(void)
{
	for (unsigned version = 2; version <= 5; version++) {
		CLEANUP(line_table_release) struct line_table made = line_table(version, -5, 14);
		CLEANUP(dwarf_line_release) struct dwarf_line table = { 0 };
		struct line_budget budget;
		struct dwarf_line_row row;

		if (version == 5)
			put_tables(&made);
		else
			put_file(&made, "/b", "y.cu");
		put_program(&made);
		put_address(&made);
		put_lines(&made, 70);
		put_number(&made, 10 + 14 * 2 + 6, 1); /* address 2, line 72 */
		put_sequence_end(&made);
		put_end(&made);
		CHECK_INT(open_table(&made, &budget, &table, NULL), 0);
		REQUIRE(CHECK_INT(table.file_count, 2));
		CHECK(is_text(table.files[1].name, "y.cu"));
		CHECK(is_text(table.files[1].directory, "/b"));
		REQUIRE(dwarf_line_next(&table, &row));
		CHECK(row.address == 2 && row.line == 72 && row.file == 1 && !row.end);
		REQUIRE(dwarf_line_next(&table, &row));
		CHECK(row.end && !dwarf_line_next(&table, &row));
	}
}

/* A special opcode divides by the range. */
static void test_range_of_zero(void)
{
	CLEANUP(line_table_release) struct line_table made = line_table(2, -5, 0);

	put_file(&made, "", "a.cu");
	put_program(&made);
	put_number(&made, 200, 1);
	put_end(&made);
	check_refused(&made, "a line table's header with range 0, 10 opcodes, 1 operations");
	made.data[made.range + 1] = 0;
	made.data[made.range] = 14;
	check_refused(&made, "a line table's header with range 14, 0 opcodes, 1 operations");
}

static void test_other_versions(void)
{
	CLEANUP(line_table_release) struct line_table old = line_table(1, -5, 14);
	CLEANUP(line_table_release) struct line_table new = line_table(6, -5, 14);

	put_program(&old);
	put_end(&old);
	check_refused(&old, "a line table of version 1, not of 2 to 5");
	put_program(&new);
	put_end(&new);
	check_refused(&new, "a line table of version 6, not of 2 to 5");
}

/* A table that ends behind its section, and opcodes that begin behind their table, or before the
 * end of its head. */
static void test_cut_heads(void)
{
	CLEANUP(line_table_release) struct line_table made = line_table(2, -5, 14);
	const size_t begin = made.size;

	put_file(&made, "", "a.cu");
	put_program(&made);
	put_end(&made);
	store_u32(made.data, (uint32_t)made.size);
	check_refused(&made, "a line table of 34 bytes in a section of 34");
	put_end(&made);
	store_u32(made.data + made.head, (uint32_t)(made.size - made.head - 3));
	check_refused(&made, "the header of a line table is cut off");
	store_u32(made.data + made.head, (uint32_t)(begin - made.head - 4));
	check_refused(&made, "the header of a line table is cut off");
}

/* An extended opcode that ends behind the unit is none: not even as the end of a sequence. */
static void test_opcode_beyond_its_unit(void)
{
	CLEANUP(line_table_release) struct line_table made = line_table(2, -5, 14);
	struct dwarf_line_row row;

	put_file(&made, "", "a.cu");
	put_program(&made);
	put_number(&made, 200, 1);
	put_bytes(&made, "\0\002\001", 3);
	put_end(&made);
	put_bytes(&made, "behind", 6);
	CHECK_INT(count_rows(&made, &row), 1);
	CHECK(!row.end);
	store_u32(made.data, (uint32_t)made.size - 4);
	CHECK_INT(count_rows(&made, &row), 7); /* "behind" are opcodes */
}

/* An address of more than eight bytes is none that was set. */
static void test_long_address(void)
{
	CLEANUP(line_table_release) struct line_table made = line_table(2, -5, 14);
	struct dwarf_line_row row;

	put_file(&made, "", "a.cu");
	put_program(&made);
	put_bytes(&made, "\0\012\002\1\1\1\1\1\1\1\1\1", 12);
	put_number(&made, 1, 1);
	put_end(&made);
	CHECK_INT(count_rows(&made, &row), 1);
	CHECK(row.address == 0 && row.origin == DWARF_LINE_UNSET);
}

/* A path has up to 4,096 bytes. */
static void test_long_paths(void)
{
	CLEANUP(line_table_release) struct line_table made = line_table(2, -5, 14);
	char *name = calloc(1, 4098);
	struct dwarf_line_row row;

	REQUIRE(name);
	memset(name, 'n', 4096);
	put_file(&made, "", name);
	put_program(&made);
	put_number(&made, 200, 1);
	put_end(&made);
	CHECK_INT(count_rows(&made, &row), 1);
	name[4096] = 'n';
	made.size = made.head + 4 + 14;
	put_file(&made, "", name);
	put_program(&made);
	put_end(&made);
	check_refused(&made, "the header of a line table is cut off");
	free(name);
}

/* A table of version 5 with @entries of one byte each, and a number with @padding bytes before it. */
static struct line_table small_entries(size_t entries, size_t padding)
{
	struct line_table made = line_table(5, -5, 14);

	put_number(&made, 1, 1);
	put_padded(&made, 3, padding); /* a time, which is not read */
	put_number(&made, 0x0b, 1);
	put_leb(&made, entries);
	if (entries > LINE_TABLE_MOST - made.size)
		abort();
	made.size += entries;
	put_bytes(&made, "\1\1\x08\1a.cu", 9);
	put_program(&made);
	put_number(&made, 200, 1);
	put_end(&made);
	return made;
}

/* What the columns of 100,000 entries are is read once: it has 100,000 bytes, too. */
static void test_long_columns(void)
{
	CLEANUP(line_table_release) struct line_table made = small_entries(100000, 100000);
	struct dwarf_line_row row;
	clock_t before = clock();

	CHECK_INT(count_rows(&made, &row), 1);
	CHECK(clock() - before < slower() * CLOCKS_PER_SEC);
}

/* Each entry takes 32 times the byte that it has. */
static void test_entries_beyond_the_budget(void)
{
	CLEANUP(line_table_release) struct line_table made = small_entries(200000, 1);
	CLEANUP(dwarf_line_release) struct dwarf_line table = { 0 };
	struct line_budget budget;
	struct err e = { 0 };

	CHECK_INT(open_table(&made, &budget, &table, &e), GPURUN_UNSUPPORTED);
	CHECK_STR(e.text, "directories and files: line info takes at least 5794688 bytes of "
			  "memory; its budget in a cubin of 200044 bytes is 5794656");
}

/* Entries without a column have no bytes that end them. */
static void test_entries_of_nothing(void)
{
	CLEANUP(line_table_release) struct line_table made = line_table(5, -5, 14);

	put_number(&made, 0, 1);
	put_leb(&made, 1000);
	put_bytes(&made, "\1\1\x08\1a.cu", 9);
	put_program(&made);
	put_end(&made);
	check_refused(&made, "the header of a line table is cut off");
}

int main(void)
{
	RUN(test_versions);
	RUN(test_range_of_zero);
	RUN(test_other_versions);
	RUN(test_cut_heads);
	RUN(test_opcode_beyond_its_unit);
	RUN(test_long_address);
	RUN(test_long_paths);
	RUN(test_long_columns);
	RUN(test_entries_beyond_the_budget);
	RUN(test_entries_of_nothing);
	return tap_end();
}
