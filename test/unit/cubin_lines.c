/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Line tables of our own in a cubin of ptxas, of which the text names the source. */
#include "cubin.h"
#include "line_table.h"

enum {
	HEADER = 64,
	HEAD_LINES = 4, /* of a text before its blocks */
};

/* The header of the section called @name in @file. */
static uint8_t *header_of(struct fixture *file, const char *name)
{
	uint8_t *headers = file->data + load_u64(file->data + 40);
	const uint8_t *names = headers + HEADER * load_u16(file->data + 62);

	for (size_t i = 0; i < load_u16(file->data + 60); i++)
		if (!strcmp((char *)file->data + load_u64(names + 24) +
			    load_u32(headers + i * HEADER), name))
			return headers + i * HEADER;
	printf("Bail out! no section %s\n", name);
	exit(1);
}

/* Gives the section @name of @file other @bytes. */
static void replace(struct fixture *file, const char *name, struct bytes bytes)
{
	const size_t before = file->size;
	uint8_t *header;

	file->data = realloc(file->data, before + bytes.size);
	if (!file->data)
		abort();
	memcpy(file->data + before, bytes.data, bytes.size);
	file->size += bytes.size;
	header = header_of(file, name);
	store_u64(header + 24, before);
	store_u64(header + 32, bytes.size);
}

/* Lets the address at @place of the table @name be that of the kernel `first', and no other one be
 * that of any. */
static void relocate(struct fixture *file, const char *name, uint64_t place)
{
	const uint8_t *header = header_of(file, name);
	uint8_t *first = file->data + load_u64(header + 24);

	for (uint64_t at = 0; at < load_u64(header + 32); at += 16)
		store_u64(first + at, at ? UINT64_MAX : place);
}

/* A text with @count blocks, each @empty lines and an instruction. */
static struct line_table make_text(size_t count, size_t empty)
{
	struct line_table text = { .data = calloc(1, LINE_TABLE_MOST) };

	if (!text.data)
		abort();
	put_text(&text, ".version 9.0");
	put_text(&text, ".target sm_75");
	put_text(&text, ".visible .entry first()");
	put_text(&text, "{");
	for (size_t i = 0; i < count; i++) {
		text.size += empty; /* of zeros */
		put_text(&text, "ret;");
	}
	put_text(&text, "}");
	return text;
}

/* A cubin of that text, where instruction i is code at address i; its lines are in @source, whose
 * address of the kernel is at @place. */
static struct fixture make_cubin(size_t count, size_t empty, const struct line_table *source,
				 size_t place)
{
	CLEANUP(line_table_release) struct line_table text = make_text(count, empty);
	CLEANUP(line_table_release)
	struct line_table made = line_table(2, (int)empty + 1, 1);
	struct fixture file = fixture("lineinfo.75.cubin");

	put_number(&made, 0, 2); /* no directories, no files */
	put_program(&made);
	relocate(&file, ".rel.nv_debug_line_sass", put_address(&made));
	put_lines(&made, (uint32_t)(HEAD_LINES + empty));
	put_number(&made, 1, 1);
	for (size_t i = 1; i < count; i++)
		put_number(&made, 11, 1);
	put_end(&made);
	replace(&file, ".nv_debug_ptx_txt", table_bytes(&text));
	replace(&file, ".nv_debug_line_sass", table_bytes(&made));
	replace(&file, ".debug_line", table_bytes(source));
	relocate(&file, ".rel.debug_line", place);
	return file;
}

/* The table of a source file @name; opcode 11 is the next address and line. */
static struct line_table make_source(const char *directory, const char *name, size_t *place)
{
	struct line_table made = line_table(2, 1, 1);

	put_file(&made, directory, name);
	put_program(&made);
	*place = put_address(&made);
	put_lines(&made, 99); /* line 100 */
	return made;
}

/* The text of @file with the lines of its source; @status is what is expected. */
static struct cubin_texts add_lines(const struct fixture *file, int status, struct err *e)
{
	struct cubin_texts texts = { 0 };

	CHECK_INT(cubin_texts(bytes_of(file), &texts, NULL), 0);
	CHECK_INT(cubin_add_lines(bytes_of(file), &texts, e), status);
	if (texts.count != 1) {
		printf("Bail out! not one text\n");
		exit(1);
	}
	return texts;
}

static bool has(const struct cubin_texts *texts, const char *words)
{
	return strstr((const char *)texts->items[0].data, words);
}

/* Three instructions of one file: two lines, and one that was inlined into the first. */
static void test_made_table(void)
{
	size_t place;
	CLEANUP(line_table_release) struct line_table source = make_source("/d", "a.cu", &place);
	CLEANUP(fixture_release) struct fixture file = { 0 };
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };

	put_bytes(&source, "\1\13", 2);
	put_caller(&source, 1);
	put_bytes(&source, "\13", 1);
	put_sequence_end(&source);
	put_end(&source);
	file = make_cubin(3, 2, &source, place);
	texts = add_lines(&file, 0, NULL);
	CHECK(has(&texts, "{\n\n.loc 2 100 0\nret;\n\n.loc 2 101 0\nret;\n"
			  ".loc 2 100 0\n.loc 2 102 0, inlined_at 2 100 0\nret;\n}\n"));
	CHECK(has(&texts, ".file 2 \"/d/a.cu\"\n"));
}

/* A row that does not exist is no caller, nor is the row itself. */
static void check_caller(uint32_t row)
{
	size_t place;
	CLEANUP(line_table_release) struct line_table source = make_source("", "a.cu", &place);
	CLEANUP(fixture_release) struct fixture file = { 0 };
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };

	put_number(&source, 1, 1);
	put_caller(&source, row);
	put_number(&source, 11, 1);
	put_end(&source);
	file = make_cubin(2, 2, &source, place);
	texts = add_lines(&file, 0, NULL);
	CHECK(has(&texts, "\n.loc 2 101 0\nret;"));
	CHECK(!has(&texts, "inlined_at"));
}

static void test_callers_out_of_bounds(void)
{
	check_caller(2);
	check_caller(3);
	check_caller(0x10000000);
	check_caller(UINT32_MAX);
}

/* Of a file whose name cannot be in a string of PTX nothing is said. */
static void check_no_file(const char *directory, const char *name)
{
	size_t place;
	CLEANUP(line_table_release) struct line_table source = make_source(directory, name, &place);
	CLEANUP(fixture_release) struct fixture file = { 0 };
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };

	put_number(&source, 1, 1);
	put_end(&source);
	file = make_cubin(1, 1, &source, place);
	texts = add_lines(&file, 0, NULL);
	CHECK(!has(&texts, ".loc"));
	CHECK(!has(&texts, ".file"));
	CHECK(has(&texts, "{\n\nret;\n}\n"));
}

static void test_quotation_marks(void)
{
	check_no_file("", "a\".cu");
	check_no_file("\"", "a.cu");
	check_no_file("", "a\"\nret;\n.file 3 \"b.cu");
}

static void test_control_characters(void)
{
	check_no_file("", "a\n.cu");
	check_no_file("/d\033[2J", "a.cu");
}

/* A backslash would let the string go on. */
static void test_backslash_at_the_end(void)
{
	check_no_file("", "a.cu\\");
}

static void test_too_long_paths(void)
{
	char name[4098] = "", directory[2049] = "";

	memset(name, 'n', 4096);
	check_no_file("", name);
	name[2048] = '\0';
	memset(directory, 'd', 2048);
	check_no_file(directory, name);
}

/* A row may name a file that the table has not. */
static void test_file_out_of_bounds(void)
{
	size_t place;
	CLEANUP(line_table_release) struct line_table source = make_source("", "a.cu", &place);
	CLEANUP(fixture_release) struct fixture file = { 0 };
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };

	put_bytes(&source, "\4\2\1", 3);
	put_end(&source);
	file = make_cubin(1, 1, &source, place);
	texts = add_lines(&file, 0, NULL);
	CHECK(has(&texts, "{\n\nret;\n}\n"));
}

/* Nor is it one of the unit behind it. */
static void test_file_of_another_unit(void)
{
	size_t place;
	CLEANUP(line_table_release) struct line_table source = make_source("", "a.cu", &place);
	CLEANUP(line_table_release) struct line_table behind = line_table(2, 1, 1);
	CLEANUP(fixture_release) struct fixture file = { 0 };
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };

	put_bytes(&source, "\4\3\1", 3);
	put_end(&source);
	put_file(&behind, "", "b.cu");
	put_program(&behind);
	put_end(&behind);
	put_bytes(&source, behind.data, behind.size);
	file = make_cubin(1, 1, &source, place);
	texts = add_lines(&file, 0, NULL);
	CHECK(has(&texts, "{\n\nret;\n}\n"));
	CHECK(!has(&texts, "b.cu"));
}

/* Lines that need more than the budget are left out: the text is what it was. */
static void check_left_out(const struct fixture *file, const char *words)
{
	CLEANUP(cubin_texts_release) struct cubin_texts before = { 0 }, after = { 0 };
	struct err e = { 0 };

	REQUIRE(!cubin_texts(bytes_of(file), &before, NULL));
	after = add_lines(file, GPURUN_UNSUPPORTED, &e);
	CHECK_HAS(e.text, words);
	CHECK(before.items[0].size == after.items[0].size &&
	      !memcmp(before.items[0].data, after.items[0].data, before.items[0].size));
}

/* A byte is a row, which takes 36. */
static void test_rows_beyond_the_budget(void)
{
	size_t place;
	CLEANUP(line_table_release) struct line_table source = make_source("", "a.cu", &place);
	CLEANUP(fixture_release) struct fixture file = { 0 };

	for (size_t i = 0; i < 200000; i++)
		put_number(&source, 11, 1);
	put_end(&source);
	file = make_cubin(1, 1, &source, place);
	check_left_out(&file, "rows of line tables: line info takes at least 58");
}

/* Each of the empty lines gets a line of text: the code was inlined 16 times. */
static void put_chain(struct line_table *source, size_t count)
{
	put_number(source, 1, 1);
	for (uint32_t i = 1; i <= 16; i++) {
		put_caller(source, i);
		put_bytes(source, "\3\1\1", 3);
	}
	for (size_t i = 1; i < count; i++)
		put_number(source, 11, 1);
	put_end(source);
}

static void test_inlined_beyond_the_budget(void)
{
	size_t place;
	CLEANUP(line_table_release) struct line_table source = make_source("", "a.cu", &place);
	CLEANUP(fixture_release) struct fixture file = { 0 };

	put_chain(&source, 12000);
	file = make_cubin(12000, 17, &source, place);
	check_left_out(&file, ".loc and .file of the source: line info takes at least 6");
}

/* The same, much less of it, is written. */
static void test_inlined_within_the_budget(void)
{
	size_t place;
	CLEANUP(line_table_release) struct line_table source = make_source("", "a.cu", &place);
	CLEANUP(fixture_release) struct fixture file = { 0 };
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };

	put_chain(&source, 1000);
	file = make_cubin(1000, 17, &source, place);
	texts = add_lines(&file, 0, NULL);
	CHECK(has(&texts, "\n.loc 2 101 0, inlined_at 2 100 0\n"
			  ".loc 2 102 0, inlined_at 2 101 0\n"));
	CHECK(texts.items[0].size > 400000);
}

/* Each of 2,000 files is in a directory whose name has 4,000 bytes. */
static void test_paths_beyond_the_budget(void)
{
	CLEANUP(line_table_release) struct line_table source = line_table(2, 0, 1);
	CLEANUP(fixture_release) struct fixture file = { 0 };
	const size_t count = 2000;
	char directory[4001] = "";
	size_t place;

	memset(directory, 'd', 4000);
	put_text(&source, directory);
	put_number(&source, 0, 1);
	for (size_t i = 0; i < count; i++)
		put_bytes(&source, "a\0\1\0\0", 5);
	put_number(&source, 0, 1);
	put_program(&source);
	place = put_address(&source);
	for (uint32_t i = 1; i <= count; i++) {
		put_number(&source, 4, 1);
		put_leb(&source, i);
		put_number(&source, 11, 1);
	}
	put_end(&source);
	file = make_cubin(count, 1, &source, place);
	check_left_out(&file, ".loc and .file of the source: line info takes at least 4");
}

static uint64_t id_of(const char *name)
{
	return cubin_text_id((struct bytes){ (const uint8_t *)name, strlen(name) });
}

/* Any number of sections may share a name: it has no more digits than a number needs. */
static void test_text_ids(void)
{
	CHECK_INT(id_of(".nv_debug_ptx_txt"), 0);
	CHECK_INT(id_of(".nv_debug_ptx_txt.2657028037"), 2657028037);
	CHECK_INT(id_of(".nv_debug_ptx_txt.00000000000000000007"), 7);
	CHECK(id_of(".nv_debug_ptx_txt.000000000000000000007") == UINT64_MAX);
	CHECK(id_of(".nv_debug_ptx_txt.18446744073709551616") == UINT64_MAX);
	CHECK(id_of(".nv_debug_ptx_txt.") == UINT64_MAX);
	CHECK(id_of(".nv_debug_ptx_txt.7x") == UINT64_MAX);
	CHECK(id_of(".nv_debug_ptx_txt7") == UINT64_MAX);
	CHECK(id_of(".nv_debug_ptx") == UINT64_MAX);
}

int main(void)
{
	RUN(test_made_table);
	RUN(test_callers_out_of_bounds);
	RUN(test_quotation_marks);
	RUN(test_control_characters);
	RUN(test_backslash_at_the_end);
	RUN(test_too_long_paths);
	RUN(test_file_out_of_bounds);
	RUN(test_file_of_another_unit);
	RUN(test_rows_beyond_the_budget);
	RUN(test_inlined_beyond_the_budget);
	RUN(test_inlined_within_the_budget);
	RUN(test_paths_beyond_the_budget);
	RUN(test_text_ids);
	return tap_end();
}
