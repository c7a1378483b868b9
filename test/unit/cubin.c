/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <time.h>

#include "cubin.h"
#include "fixture.h"

struct kernels {
	struct kernel_info *list;
	size_t count;
};

static void release(struct kernels *kernels)
{
	kernel_info_free(kernels->list, kernels->count);
}

static const struct kernel_info *find(const struct kernels *kernels, const char *name)
{
	for (size_t i = 0; i < kernels->count; i++)
		if (!strcmp(kernels->list[i].name, name))
			return &kernels->list[i];
	printf("Bail out! no kernel %s\n", name);
	exit(1);
}

static void check_head(const char *name, unsigned arch, char suffix, bool relocatable)
{
	CLEANUP(fixture_release) struct fixture file = fixture(name);
	struct cubin_head head;

	CHECK(cubin_sniff(bytes_of(&file)));
	REQUIRE(!cubin_head(bytes_of(&file), &head, NULL));
	if (!CHECK_INT(head.arch, arch) || !CHECK_INT(head.suffix, suffix) ||
	    !CHECK_INT(head.relocatable, relocatable) || !CHECK_INT(head.size, file.size))
		printf("#   in %s\n", name);
	CHECK(!head.empty);
}

static void test_heads(void)
{
	check_head("kernels.75.cubin", 75, 0, false);
	check_head("kernels.80.cubin", 80, 0, false);
	check_head("kernels.90.cubin", 90, 0, false);
	check_head("kernels.90a.cubin", 90, 'a', false);
	check_head("kernels.100f.cubin", 100, 'f', false);
	check_head("kernels.120.cubin", 120, 0, false);
	check_head("rdc.cubin", 90, 0, true);
}

static void test_old_heads(void)
{
	check_head("vadd.abi7.cubin", 75, 0, false);
	check_head("vadd.abi7a.cubin", 90, 'a', false);
}

/* The same kernels, whatever the architecture; static shared memory without the system's.
 */
static void check_kernels(const char *name)
{
	CLEANUP(fixture_release) struct fixture file = fixture(name);
	CLEANUP(release) struct kernels k = { 0 };
	const struct kernel_info *mixed, *vadd;

	REQUIRE(!cubin_kernels(bytes_of(&file), &k.list, &k.count, NULL));
	REQUIRE(CHECK_INT(k.count, 5));
	mixed = find(&k, "mixed");
	CHECK_INT(mixed->static_shared, 256);
	CHECK_INT(mixed->max_block[0], 64);
	CHECK_INT(mixed->max_block[2], 1);
	CHECK_INT(mixed->required_block[0], 0);
	CHECK_INT(mixed->param_bytes, 32);
	REQUIRE(CHECK_INT(mixed->param_count, 3));
	CHECK(mixed->params[0].offset == 0 && mixed->params[0].size == 1);
	CHECK(mixed->params[1].offset == 8 && mixed->params[1].size == 16);
	CHECK(mixed->params[2].offset == 24 && mixed->params[2].size == 8);
	CHECK_INT(mixed->params[2].kind, PARAM_UNKNOWN);
	CHECK(mixed->registers > 0 && mixed->registers < 255);
	CHECK(!mixed->local && find(&k, "_Z6hiddenPi")->local);
	vadd = find(&k, "vadd");
	CHECK_INT(vadd->static_shared, 0);
	CHECK_INT(vadd->param_count, 4);
	CHECK_INT(vadd->params[3].offset, 24);
	CHECK_INT(find(&k, "_ZN4math4axpbIfEEvPT_S1_S1_i")->param_bytes, 20);
}

static void test_kernels(void)
{
	check_kernels("kernels.75.cubin");
	check_kernels("kernels.80.cubin");
	check_kernels("kernels.90.cubin");
	check_kernels("kernels.90a.cubin");
	check_kernels("kernels.100f.cubin");
	check_kernels("kernels.120.cubin");
}

/* Before the link the system's part of shared memory is not in the cubin. */
static void test_relocatable(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("rdc.cubin");
	CLEANUP(release) struct kernels k = { 0 };

	REQUIRE(!cubin_kernels(bytes_of(&file), &k.list, &k.count, NULL));
	CHECK_INT(k.count, 5);
	CHECK_INT(find(&k, "mixed")->static_shared, 256);
}

static void test_registers(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("kernels.90.cubin");
	CLEANUP(release) struct kernels k = { 0 };

	/* As an independent decoder tells them. */
	REQUIRE(!cubin_kernels(bytes_of(&file), &k.list, &k.count, NULL));
	CHECK_INT(find(&k, "vadd")->registers, 12);
	CHECK_INT(find(&k, "_Z6hiddenPi")->registers, 10);
	CHECK_INT(find(&k, "_ZN4math4axpbIiEEvPT_S1_S1_i")->registers, 8);
	CHECK_INT(find(&k, "vadd")->stack, 0);
	CHECK_INT(find(&k, "vadd")->constant, 0x210 + 28);
	CHECK_INT(find(&k, "vadd")->barriers, 0);
	CHECK_INT(find(&k, "mixed")->barriers, 1);
	CHECK_INT(find(&k, "mixed")->max_registers, 0);
}

/* CUDA 11 and 12 count the barriers in the flags of the code. */
static void test_old_barriers(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.abi7.cubin");
	CLEANUP(release) struct kernels before = { 0 }, after = { 0 };
	uint8_t *headers = file.data + load_u64(file.data + 40);

	REQUIRE(!cubin_kernels(bytes_of(&file), &before.list, &before.count, NULL));
	CHECK_INT(find(&before, "vadd")->barriers, 0);
	for (size_t i = 0; i < load_u16(file.data + 60); i++) {
		uint8_t *flags = headers + 64 * i + 8;

		if (load_u64(flags) & 4) /* SHF_EXECINSTR */
			store_u64(flags, load_u64(flags) | 5 << 20);
	}
	REQUIRE(!cubin_kernels(bytes_of(&file), &after.list, &after.count, NULL));
	CHECK_INT(find(&after, "vadd")->barriers, 5);
}

/* From compute_100 on nvcc tells which parameters are pointers. */
static void test_pointer_spaces(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("kernels.120.cubin");
	CLEANUP(release) struct kernels k = { 0 };
	const struct kernel_info *vadd;

	REQUIRE(!cubin_kernels(bytes_of(&file), &k.list, &k.count, NULL));
	vadd = find(&k, "vadd");
	CHECK_INT(vadd->params[0].space, PARAM_GENERIC);
	CHECK_INT(vadd->params[3].space, PARAM_NOT_POINTER);
}

static size_t count_lines(struct bytes text, const char *what)
{
	size_t count = 0;

	for (const char *p = (const char *)text.data; (p = strstr(p, what)); p++)
		count++;
	return count;
}

/* The PTX of the line info: a text for each translation unit. */
static void test_texts(void)
{
	CLEANUP(fixture_release) struct fixture whole = fixture("lineinfo.75.cubin");
	CLEANUP(fixture_release) struct fixture linked = fixture("lineinfo.rdc.cubin");
	CLEANUP(fixture_release) struct fixture none = fixture("vadd.75.cubin");
	CLEANUP(cubin_texts_release) struct cubin_texts one = { 0 }, two = { 0 }, nil = { 0 };

	CHECK_INT(cubin_texts(bytes_of(&whole), &one, NULL), 0);
	REQUIRE(CHECK_INT(one.count, 1));
	CHECK(!strncmp((const char *)one.items[0].data, "\n\n\n\n\n\n\n\n.version 9.0\n", 21));
	CHECK_INT(count_lines(one.items[0], "\n.visible .entry"), 3);
	CHECK_INT(strlen((const char *)one.items[0].data), one.items[0].size);
	CHECK_INT(cubin_texts(bytes_of(&linked), &two, NULL), 0);
	REQUIRE(CHECK_INT(two.count, 2));
	CHECK_INT(count_lines(two.items[0], ".extern .func"), 1);
	CHECK_INT(count_lines(two.items[1], ".visible .func"), 1);
	CHECK_INT(cubin_texts(bytes_of(&none), &nil, NULL), 0);
	CHECK_INT(nil.count, 0);
}

/* The line of @text whose number is @number, from 1 on. */
static const char *line_of(struct bytes text, unsigned number)
{
	const char *p = (const char *)text.data;

	while (p && --number)
		p = (p = strchr(p, '\n')) ? p + 1 : NULL;
	return p ? p : "";
}

static bool line_is(struct bytes text, unsigned number, const char *wanted)
{
	return !strncmp(line_of(text, number), wanted, strlen(wanted));
}

/* The source's lines stand where nvcc -ptx has them, and no other line moves. */
static void test_lines(void)
{
	CLEANUP(fixture_release) struct fixture whole = fixture("lineinfo.75.cubin");
	CLEANUP(fixture_release) struct fixture linked = fixture("lineinfo.rdc.cubin");
	CLEANUP(cubin_texts_release) struct cubin_texts one = { 0 }, two = { 0 };
	struct bytes text;

	CHECK_INT(cubin_texts(bytes_of(&whole), &one, NULL), 0);
	CHECK_INT(cubin_add_lines(bytes_of(&whole), &one, NULL), 0);
	REQUIRE(CHECK_INT(one.count, 1));
	text = one.items[0];
	CHECK_INT(strlen((const char *)text.data), text.size);
	CHECK(line_is(text, 44, ".loc 2 22 0\ncvta.to.global.u64 	%rd2, %rd1;\n"));
	CHECK(line_is(text, 65, "st.global.u32 	[%rd4], %r6;\n.loc 2 23 0\nmov.u32"));
	CHECK(line_is(text, 86, ".loc 2 13 0\n"));
	CHECK(line_is(text, 110, ".loc 2 41 0\n"));
	CHECK(line_is(text, 118, "st.global.f32 	[%rd4], %f3;\n"));
	CHECK(strstr((const char *)text.data, "\n.file 2 \"/tmp/fix/lineinfo.cu\"\n"));
	CHECK_INT(cubin_texts(bytes_of(&linked), &two, NULL), 0);
	CHECK_INT(cubin_add_lines(bytes_of(&linked), &two, NULL), 0);
	REQUIRE(CHECK_INT(two.count, 2));
	CHECK_INT(count_lines(two.items[0], "\n.loc 2 22 0\n"), 1);
	CHECK_INT(count_lines(two.items[1], "\n.loc 4 41 0\n"), 1);
	CHECK_INT(count_lines(two.items[1], "\n.file "), 1);
}

/* Each byte of the line tables changed: whatever they say then, the text keeps its lines. */
static void test_hostile_lines(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("lineinfo.75.cubin");

	for (size_t at = 0x998; at < 0xad7; at++) {
		CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };
		const uint8_t before = file.data[at];

		file.data[at] ^= 0xff;
		CHECK_INT(cubin_texts(bytes_of(&file), &texts, NULL), 0);
		CHECK_INT(cubin_add_lines(bytes_of(&file), &texts, NULL), 0);
		CHECK(texts.count == 1 && line_is(texts.items[0], 118, "st.global.f32 	[%rd4]"));
		file.data[at] = before;
	}
}

/* Texts without an end, of no bytes, and outside the file. */
static void test_hostile_texts(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("lineinfo.75.cubin");
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };
	uint8_t *begin = memmem(file.data, file.size, ".version 9.0", 12);
	const uint64_t offset = (uint64_t)(begin - file.data) - 8;
	uint8_t *header = memmem(file.data, file.size, &offset, sizeof(offset));
	uint64_t size;

	REQUIRE(begin && header);
	for (size = 0; size < 30; size += 10) {
		memcpy(header + 8, &size, sizeof(size));
		CHECK_INT(cubin_texts(bytes_of(&file), &texts, NULL), 0);
		REQUIRE(CHECK_INT(texts.count, 1));
		CHECK_INT(texts.items[0].size, size);
		CHECK_INT(texts.items[0].data[size], 0);
		cubin_texts_release(&texts);
	}
	size = file.size;
	memcpy(header + 8, &size, sizeof(size));
	CHECK_INT(cubin_texts(bytes_of(&file), &texts, NULL), 0);
	REQUIRE(CHECK_INT(texts.count, 1));
	CHECK_INT(texts.items[0].size, 0);
	cubin_texts_release(&texts);
	file.data[0] = 0;
	CHECK_INT(cubin_texts(bytes_of(&file), &texts, NULL), GPURUN_FORMAT);
}

static void test_large_parameters(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("large.cubin");
	CLEANUP(release) struct kernels k = { 0 };
	const struct kernel_info *large, *unexported;

	REQUIRE(!cubin_kernels(bytes_of(&file), &k.list, &k.count, NULL));
	large = find(&k, "large");
	REQUIRE(CHECK_INT(large->param_count, 5));
	CHECK_INT(large->params[0].size, 4100);
	CHECK_INT(large->params[1].offset, 4104);
	CHECK_INT(large->params[2].space, PARAM_GLOBAL);
	CHECK_INT(large->params[3].size, 300);
	CHECK_INT(large->param_bytes, 4424);
	CHECK_INT(large->max_block[1], 2);
	unexported = find(&k, "unexported");
	CHECK(unexported->local && unexported->required_block[1] == 4);
	CHECK_INT(unexported->params[0].space, PARAM_SHARED);
	CHECK_INT(unexported->params[1].size, 12);
}

static void test_not_a_cubin(void)
{
	CLEANUP(fixture_release) struct fixture host = fixture("none.o");
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.90.cubin");
	struct cubin_head head;
	struct err e = { 0 };

	CHECK(!cubin_sniff(bytes_of(&host)));
	CHECK(!cubin_sniff((struct bytes){ file.data, 63 }));
	CHECK_INT(cubin_head((struct bytes){ file.data, 63 }, &head, &e), GPURUN_FORMAT);
	CHECK_STR(e.text, "expected a 64-bit little-endian ELF header");
	file.data[7] = 0x29;
	CHECK_INT(cubin_head(bytes_of(&file), &head, &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, "cubin of OS ABI 0x29, expected 0x33");
	file.data[7] = 0x41;
	file.data[16] = 3;
	CHECK_INT(cubin_head(bytes_of(&file), &head, &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, "ELF type 3");
}

/* Finds @bytes in @file: a place to damage. */
static uint8_t *place_of(const struct fixture *file, const void *bytes, size_t size)
{
	uint8_t *found = memmem(file->data, file->size, bytes, size);

	if (!found) {
		printf("Bail out! the fixture is not what it was\n");
		exit(1);
	}
	return found;
}

static void check_damage(const struct fixture *file, const char *words)
{
	struct kernel_info *list;
	size_t count;
	struct err e = { 0 };

	CHECK_INT(cubin_kernels(bytes_of(file), &list, &count, &e), GPURUN_FORMAT);
	CHECK(!list && !count);
	CHECK_HAS(e.text, words);
}

/* The record of parameter 3 of vadd: format 4, code 0x17, 12 bytes. */
static const uint8_t record[] = { 4, 0x17, 12, 0, 0, 0, 0, 0, 3, 0, 24, 0 };

static void test_damaged_attributes(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.90.cubin");
	uint8_t *p = place_of(&file, record, sizeof(record));

	p[8] = 4;
	check_damage(&file, "kernel 'vadd': parameter 4 of 4");
	p[8] = 2;
	check_damage(&file, "kernel 'vadd': parameter 3 of 4 is missing");
	p[8] = 3;
	p[10] = 25;
	check_damage(&file, "kernel 'vadd': parameter 3 ends at byte 29 of 28");
	p[2] = p[3] = 255;
	check_damage(&file, "attribute 0x17 of 65535 bytes in the ");
}

static void test_truncated(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.90.cubin");
	struct kernel_info *list;
	size_t count;
	struct err e = { 0 };

	for (size_t size = 0; size < file.size; size += 64)
		CHECK_INT(cubin_kernels((struct bytes){ file.data, size }, &list, &count,
					&e),
			  GPURUN_FORMAT);
	CHECK_HAS(e.text, "cubin of ");
}

/* ---- Made to take time or memory ---------------------------------------- */

enum {
	HEADER = 64,
	SECTIONS = 5, /* none, names, the table of symbols, its names, .text.k */
	NAME = 60000,
	SYMBOL = 24,
};

/* An ELF file of a cubin's kind with @sections headers behind its first 64 bytes. */
static struct fixture make_cubin(size_t sections, size_t rest)
{
	static const uint8_t head[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8 };
	struct fixture file = { .size = HEADER + sections * HEADER + rest };

	file.data = calloc(1, file.size);
	if (!file.data)
		abort();
	memcpy(file.data, head, sizeof(head));
	file.data[16] = 2;   /* executable */
	file.data[18] = 190; /* CUDA */
	store_u64(file.data + 40, HEADER);
	store_u32(file.data + 48, 90 << 8);
	if (sections < 0xff00)
		file.data[60] = (uint8_t)sections, file.data[61] = (uint8_t)(sections >> 8);
	else
		store_u64(file.data + HEADER + 32, sections);
	file.data[62] = 1;
	return file;
}

static void put_section(struct fixture *file, size_t index, uint32_t name, uint32_t type,
			uint64_t offset, uint64_t size, uint32_t link)
{
	uint8_t *p = file->data + HEADER + index * HEADER;

	store_u32(p, name);
	store_u32(p + 4, type);
	store_u64(p + 24, offset);
	store_u64(p + 32, size);
	store_u32(p + 40, link);
}

/* A cubin of @count symbols of @type, which all have the same long name. */
static struct fixture same_names(size_t count, uint8_t type, uint8_t other)
{
	const uint64_t symbols = HEADER + SECTIONS * HEADER;
	const uint64_t names = symbols + count * SYMBOL;
	struct fixture file = make_cubin(SECTIONS, count * SYMBOL + NAME + 1);

	put_section(&file, 1, 0, 3, names, NAME + 1, 0);
	put_section(&file, 2, 0, 2, symbols, count * SYMBOL, 3);
	put_section(&file, 3, 0, 3, names, NAME + 1, 0);
	put_section(&file, 4, 0, 1, 0, 0, 0);
	memset(file.data + names, 'n', NAME);
	for (size_t i = 0; i < count; i++) {
		uint8_t *p = file.data + symbols + i * SYMBOL;

		p[4] = type;
		p[5] = other;
		p[6] = 4;
		store_u64(p + 16, 1);
	}
	return file;
}

static void count_variables(const struct variable_info *variable, void *data)
{
	*(size_t *)data += variable->size != 0;
}

/* Each kernel has a copy of its name: 10,000 kernels of one name would take 600 MB. */
static void test_kernels_of_one_name(void)
{
	CLEANUP(fixture_release) struct fixture file = same_names(10000, 2, 0x10);
	CLEANUP(fixture_release) struct fixture one = same_names(1, 2, 0x10);
	CLEANUP(release) struct kernels k = { 0 };

	check_damage(&file, "the names of 6 kernels are larger than the cubin");
	REQUIRE(!cubin_kernels(bytes_of(&one), &k.list, &k.count, NULL));
	REQUIRE(CHECK_INT(k.count, 1));
	CHECK_INT(strlen(k.list[0].name), NAME);
}

/* A kernel takes eight times the symbol that it is. */
static void test_many_kernels(void)
{
	const size_t count = 400000;
	CLEANUP(fixture_release) struct fixture file = same_names(count, 2, 0x10);

	for (size_t i = 0; i < count; i++)
		store_u32(file.data + HEADER + SECTIONS * HEADER + i * SYMBOL, NAME - 1);
	check_damage(&file, "more than 337615 kernels and parameters in a cubin of 9660385 bytes");
}

static void test_variables_of_one_name(void)
{
	CLEANUP(fixture_release) struct fixture file = same_names(10000, 1, 0);
	CLEANUP(fixture_release) struct fixture one = same_names(1, 1, 0);
	struct err e = { 0 };
	size_t count = 0;

	CHECK_INT(cubin_variables(bytes_of(&file), count_variables, &count, &e),
		  GPURUN_FORMAT);
	CHECK_STR(e.text, "the names of variables are larger than the cubin");
	CHECK_INT(count, 5);
	count = 0;
	CHECK_INT(cubin_variables(bytes_of(&one), count_variables, &count, &e), 0);
	CHECK_INT(count, 1);
}

/* What is no kernel has no name to read: 1,000,000 of 60,000 bytes would take seconds. */
static void test_symbols_of_one_name(void)
{
	CLEANUP(fixture_release) struct fixture file = same_names(1000000, 3, 0);
	CLEANUP(release) struct kernels k = { 0 };
	clock_t before = clock();

	REQUIRE(!cubin_kernels(bytes_of(&file), &k.list, &k.count, NULL));
	CHECK_INT(k.count, 0);
	CHECK(clock() - before < slower() * CLOCKS_PER_SEC);
}

/* Each of 20,000 sections has all of the file: 25 GB to read. */
/* promise: An image beyond that is damage */
static void test_sections_of_the_same_bytes(void)
{
	const size_t count = 20000;
	CLEANUP(fixture_release) struct fixture file = make_cubin(count, 4);
	struct cubin_head head;
	struct err e = { 0 };

	for (size_t i = 1; i < count; i++)
		put_section(&file, i, 0, 0x70000000, 0, file.size, 0);
	CHECK_INT(cubin_head(bytes_of(&file), &head, &e), GPURUN_FORMAT);
	CHECK_STR(e.text, "20000 sections overlap: they have more than 5120272 bytes in an "
			  "ELF file of 1280068");
}

int main(void)
{
	RUN(test_heads);
	RUN(test_old_heads);
	RUN(test_kernels);
	RUN(test_relocatable);
	RUN(test_registers);
	RUN(test_old_barriers);
	RUN(test_pointer_spaces);
	RUN(test_texts);
	RUN(test_lines);
	RUN(test_hostile_lines);
	RUN(test_hostile_texts);
	RUN(test_large_parameters);
	RUN(test_not_a_cubin);
	RUN(test_damaged_attributes);
	RUN(test_truncated);
	RUN(test_kernels_of_one_name);
	RUN(test_many_kernels);
	RUN(test_variables_of_one_name);
	RUN(test_symbols_of_one_name);
	RUN(test_sections_of_the_same_bytes);
	return tap_end();
}
