/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object.h"

#include "maker.h"

static struct maker maker;
static struct object object;

static bool open_it(void)
{
	object_close(&object);
	return object_open(&object, maker_path(&maker));
}

static void test_a_whole_file(void)
{
	struct bytes symbols, strings;

	maker_init(&maker);
	maker_runtime(&maker, 3);
	REQUIRE(open_it());
	CHECK_INT(object.segments.size, 3 * sizeof(Elf64_Phdr));
	CHECK_INT(object.sections.size, 5 * sizeof(Elf64_Shdr));
	REQUIRE(object_symbols(&object, SHT_SYMTAB, &symbols, &strings));
	CHECK_INT(symbols.size, 4 * sizeof(Elf64_Sym));
	CHECK_INT(strings.size, maker.strings_size);
	object_free(&symbols);
	object_free(&strings);
	CHECK(!symbols.data && !strings.size);
}

/* No length of the file takes a read behind its end, or makes something of half a table. */
static void test_cut_files(void)
{
	const size_t heads = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr);
	struct bytes symbols, strings;
	size_t whole;

	maker_init(&maker);
	maker_runtime(&maker, 30);
	REQUIRE(open_it());
	whole = object.size;
	for (maker.cut = 1; maker.cut < whole; maker.cut += maker.cut < 512 ? 1 : 97) {
		CHECK_INT(open_it(), maker.cut >= heads);
		CHECK(!object.sections.data);
		CHECK(!object_symbols(&object, SHT_SYMTAB, &symbols, &strings));
		CHECK(!symbols.data && !strings.data);
	}
	maker.cut = 0;
}

/* The file is cut off after it was opened: what is asked for is not there, nor anything kept. */
static void test_a_file_cut_meanwhile(void)
{
	struct bytes bytes = { (const uint8_t *)"", 1 }, symbols, strings;
	unsigned long pages;

	maker_init(&maker);
	maker_runtime(&maker, 30);
	REQUIRE(open_it());
	REQUIRE(!ftruncate(maker.fd, TEXT));
	CHECK(!object_read(&object, TEXT, 64, &bytes));
	CHECK(!bytes.data && !bytes.size);
	CHECK(object_read(&object, 0, TEXT, &bytes));
	object_free(&bytes);
	pages = maker_pages();
	for (int i = 0; i < 100; i++) {
		CHECK(!object_read(&object, 0, TEXT + 1, &bytes));
		CHECK(!object_symbols(&object, SHT_SYMTAB, &symbols, &strings));
	}
	CHECK_INT(maker_pages(), pages);
}

/* Whatever is opened is closed. */
static void test_nothing_is_kept(void)
{
	uint8_t id[BUILD_ID_MOST];
	unsigned long pages;

	maker_init(&maker);
	maker_note(&maker, NT_GNU_BUILD_ID, "GNU", "abcd", 4);
	REQUIRE(open_it());
	object_close(&object);
	pages = maker_pages();
	for (int i = 0; i < 100; i++) {
		REQUIRE(object_open(&object, maker.path));
		CHECK_INT(object_build_id(&object, id), 4);
		object_close(&object);
	}
	CHECK_INT(maker_pages(), pages);
}

static void test_files_that_are_none(void)
{
	int ends[2];
	char path[32];

	CHECK(!object_open(&object, "/nonexistent"));
	object_close(&object);
	CHECK(!object_open(&object, "/"));
	object_close(&object);
	CHECK(!object_open(&object, "/dev/null"));
	object_close(&object);
	/* A pipe that nothing writes to is not waited for. */
	REQUIRE(!pipe2(ends, O_CLOEXEC));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	CHECK(!object_open(&object, path));
	object_close(&object);
	close(ends[0]);
	close(ends[1]);
}

#define OTHER(member, value)                    \
	do {                                    \
		maker_init(&maker);             \
		maker.header.member = value;    \
		CHECK(!open_it());              \
	} while (0)

static void test_headers_of_others(void)
{
	OTHER(e_ident[0], 'x');
	OTHER(e_ident[EI_CLASS], ELFCLASS32);
	OTHER(e_ident[EI_DATA], ELFDATA2MSB);
	OTHER(e_machine, EM_AARCH64);
	OTHER(e_phentsize, 32);
	OTHER(e_phentsize, 0);
	OTHER(e_phnum, 1025);
	OTHER(e_phnum, 0xffff);
	OTHER(e_phoff, UINT64_MAX - 8);
	OTHER(e_phoff, 1 << 30);
}

#define NO_SECTIONS(member, value)              \
	do {                                    \
		maker_init(&maker);             \
		maker.header.member = value;    \
		CHECK(open_it());               \
		CHECK(!object.sections.data);   \
		CHECK(!object_symbols(&object, SHT_SYMTAB, &symbols, &strings)); \
	} while (0)

static void test_lies_about_sections(void)
{
	struct bytes symbols, strings;

	NO_SECTIONS(e_shnum, 6);
	NO_SECTIONS(e_shnum, 0xffff);
	NO_SECTIONS(e_shentsize, 0);
	NO_SECTIONS(e_shentsize, 40);
	NO_SECTIONS(e_shoff, UINT64_MAX - 63);
	NO_SECTIONS(e_shoff, 1 << 30);
	/* Fewer than there are: what is said is read. */
	maker_init(&maker);
	maker.header.e_shnum = 1;
	CHECK(open_it());
	CHECK(!object_symbols(&object, SHT_SYMTAB, &symbols, &strings));
}

/* A table of symbols whose header says what @section does is none. */
static void lie(size_t index, Elf64_Shdr section)
{
	struct bytes symbols, strings;

	maker_init(&maker);
	maker_runtime(&maker, 3);
	REQUIRE(open_it());
	maker_put(&maker, &section, sizeof(section),
		  maker.header.e_shoff + index * sizeof(section));
	object_close(&object);
	REQUIRE(object_open(&object, maker.path));
	CHECK(!object_symbols(&object, SHT_SYMTAB, &symbols, &strings));
	CHECK(!symbols.data && !strings.data);
}

static void test_lies_about_symbols(void)
{
	lie(1, maker_section(SHT_SYMTAB, 1, TABLES, UINT64_MAX, 2));
	lie(1, maker_section(SHT_SYMTAB, 1, UINT64_MAX - 7, 24, 2));
	lie(1, maker_section(SHT_SYMTAB, 1, TABLES, 0, 2));
	lie(1, maker_section(SHT_SYMTAB, 1, TABLES, 24, 77));
	lie(1, maker_section(SHT_SYMTAB, 1, TABLES, 24, UINT32_MAX));
	lie(1, maker_section(SHT_SYMTAB, 1, TABLES, 24, 3)); /* no strings */
	lie(1, maker_section(SHT_DYNSYM, 1, TABLES, 24, 2));
	lie(2, maker_section(SHT_STRTAB, 9, TABLES, 1ULL << 40, 0));
	lie(2, maker_section(SHT_STRTAB, 9, TABLES, 0, 0));
}

static void test_segments(void)
{
	const uint64_t low = AT + TEXT, high = low + TEXT_SIZE;
	Elf64_Phdr segment;

	maker_init(&maker);
	REQUIRE(open_it());
	CHECK(object_segment(&object, PT_LOAD, PF_X, low, 16, &segment));
	CHECK_INT(segment.p_offset, TEXT);
	CHECK(object_segment(&object, PT_LOAD, PF_X, high - 16, 16, &segment));
	CHECK(object_segment(&object, PT_LOAD, PF_X, low, TEXT_SIZE, &segment));
	CHECK(!object_segment(&object, PT_LOAD, PF_X, low, TEXT_SIZE + 1, &segment));
	CHECK(!object_segment(&object, PT_LOAD, PF_X, low - 1, 16, &segment));
	CHECK(!object_segment(&object, PT_LOAD, PF_X, high, 1, &segment));
	CHECK(!object_segment(&object, PT_LOAD, PF_X, high - 8, UINT64_MAX, &segment));
	CHECK(!object_segment(&object, PT_LOAD, PF_X, UINT64_MAX, 16, &segment));
	CHECK(!object_segment(&object, PT_LOAD, PF_W, low, 16, &segment));
	CHECK(object_segment(&object, PT_GNU_EH_FRAME, 0, 0, 0, &segment));
	CHECK(!object_segment(&object, PT_DYNAMIC, 0, 0, 0, &segment));
}

static size_t id_of(uint8_t id[BUILD_ID_MOST])
{
	return open_it() ? object_build_id(&object, id) : 1000;
}

static void test_build_id(void)
{
	uint8_t id[BUILD_ID_MOST], wanted[20], large[64] = { 0 };

	memset(wanted, 7, sizeof(wanted));
	maker_init(&maker);
	CHECK_INT(id_of(id), 0);
	maker_note(&maker, NT_GNU_ABI_TAG, "GNU", large, 16);
	maker_note(&maker, NT_GNU_BUILD_ID, "Abc", large, 20);
	CHECK_INT(id_of(id), 0);
	maker_note(&maker, NT_GNU_BUILD_ID, "GNU", wanted, 20);
	CHECK_INT(id_of(id), 20);
	CHECK(!memcmp(id, wanted, 20));
	/* The id's last bytes are not there. */
	maker.notes_size -= 4;
	CHECK_INT(id_of(id), 0);

	maker_init(&maker);
	maker_note(&maker, NT_GNU_BUILD_ID, "GNU", large, BUILD_ID_MOST);
	CHECK_INT(id_of(id), BUILD_ID_MOST);
	maker_init(&maker);
	maker_note(&maker, NT_GNU_BUILD_ID, "GNU", large, BUILD_ID_MOST + 1);
	CHECK_INT(id_of(id), 0);
}

/* Sizes that no file has end the search, and are not added to what they overflow. */
static void test_notes_that_lie(void)
{
	uint8_t id[BUILD_ID_MOST];

	maker_init(&maker);
	maker_note(&maker, NT_GNU_BUILD_ID, "GNU", "abcd", 4);
	memcpy(maker.notes, &(uint32_t){ UINT32_MAX }, 4);
	CHECK_INT(id_of(id), 0);
	maker_init(&maker);
	maker_note(&maker, NT_GNU_BUILD_ID, "GNU", "abcd", 4);
	memcpy(maker.notes + 4, &(uint32_t){ UINT32_MAX }, 4);
	CHECK_INT(id_of(id), 0);
}

int main(void)
{
	object.fd = -1;
	RUN(test_a_whole_file);
	RUN(test_cut_files);
	RUN(test_a_file_cut_meanwhile);
	RUN(test_nothing_is_kept);
	RUN(test_files_that_are_none);
	RUN(test_headers_of_others);
	RUN(test_lies_about_sections);
	RUN(test_lies_about_symbols);
	RUN(test_segments);
	RUN(test_build_id);
	RUN(test_notes_that_lie);
	object_close(&object);
	maker_release(&maker);
	return tap_end();
}
