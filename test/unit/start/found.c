/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "found.h"

#include "maker.h"

static struct maker maker;
static struct found found;

static enum found_kind search(void)
{
	struct object object;

	if (CHECK(object_open(&object, maker_path(&maker))))
		found_by_symbols(&found, &object);
	object_close(&object);
	return found.kind;
}

/* A runtime of @count names; the symbol of the first is what is returned. */
static Elf64_Sym *make(size_t count)
{
	maker_init(&maker);
	maker_runtime(&maker, count);
	return &maker.symbols[1];
}

static void test_all_names(void)
{
	make(NAMES);
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_STR(found.by, ".symtab");
	CHECK_INT(found.count, NAMES);
	CHECK_INT(found.newer_count, 0);
	CHECK_INT(found.low, FIRST);
	CHECK_INT(found.high, maker_place(NAMES - 1));
	for (size_t i = 0; i < NAMES; i++)
		CHECK_INT(found.at[i], maker_place(i));
}

static void test_how_many(void)
{
	make(ALMOST_ALL);
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_INT(found.at[ALMOST_ALL], 0);
	make(ALMOST_ALL - 1);
	CHECK_INT(search(), FOUND_NONE);
	CHECK_INT(found.count, ALMOST_ALL - 1);
	make(0);
	CHECK_INT(search(), FOUND_NONE);
	CHECK_INT(found.count, 0);
}

/* The linker makes some hidden names local. */
static void test_local_names(void)
{
	Elf64_Sym *first = make(NAMES);

	for (size_t i = 0; i < NAMES; i += 3) {
		first[i].st_info = LOCAL_FUNC;
		first[i].st_other = STV_DEFAULT;
	}
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_INT(found.count, NAMES);
}

/* As our own libcudart has them, and as a program's own ones may be. */
static void test_names_that_others_see(void)
{
	Elf64_Sym *first = make(NAMES);

	for (size_t i = 0; i < NAMES; i++)
		first[i].st_other = i % 2 ? STV_DEFAULT : STV_PROTECTED;
	CHECK_INT(search(), FOUND_NONE);
	CHECK_INT(found.count, 0);
}

static void test_symbols_that_are_no_functions(void)
{
	Elf64_Sym *first = make(NAMES);

	for (size_t i = 0; i < NAMES; i += 4) {
		first[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
		first[i + 1].st_shndx = SHN_UNDEF;
		first[i + 2 < NAMES ? i + 2 : i].st_value = 0;
		first[i + 3 < NAMES ? i + 3 : i].st_name = UINT32_MAX;
	}
	CHECK_INT(search(), FOUND_NONE);
	CHECK_INT(found.count, 0);
}

/* The name of the last symbol has no end. */
static void test_strings_without_an_end(void)
{
	make(NAMES);
	maker.strings_size--;
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_INT(found.count, NAMES - 1);
}

/* A function of the program's own, local, has the same name: before the runtime's, or after. */
static void test_a_second_one_outside(void)
{
	for (int before = 0; before < 2; before++)
		for (int below = 0; below < 2; below++) {
			const uint64_t at = below ? FIRST - 32 : maker_place(NAMES) + 32;

			maker_init(&maker);
			if (before)
				maker_symbol(&maker, "cudaMalloc", at)->st_info = LOCAL_FUNC;
			maker_runtime(&maker, NAMES);
			if (!before)
				maker_symbol(&maker, "cudaMalloc", at)->st_info = LOCAL_FUNC;
			CHECK_INT(search(), FOUND_RUNTIME);
			CHECK_INT(found.at[NAME_cudaMalloc], maker_place(NAME_cudaMalloc));
			CHECK_INT(found.low, FIRST);
			CHECK_INT(found.high, maker_place(NAMES - 1));
		}
}

/* Each name twice, at the same place: an alias. */
static void test_aliases(void)
{
	make(NAMES);
	maker_runtime(&maker, NAMES);
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_INT(found.count, NAMES);
}

static void check_doubt(const char *why)
{
	CHECK_INT(search(), FOUND_DOUBTFUL);
	CHECK_STR(found.why, why);
}

static void test_two_inside(void)
{
	make(NAMES);
	maker_symbol(&maker, "cudaMalloc", maker_place(NAME_cudaFree) + 8);
	check_doubt("two functions have one name");
}

/* Two runtimes were put together: not one, but no two names say which. */
static void test_two_runtimes(void)
{
	make(NAMES);
	for (size_t i = 0; i < NAMES; i++)
		maker_symbol(&maker, name_text((enum name)i), maker_place(NAMES + i));
	check_doubt("two functions have one name");
}

static void test_overlapping(void)
{
	for (size_t i = 1; i < NAMES - 2; i++) {
		Elf64_Sym *first = make(NAMES);

		first[i].st_value = first[i + 1].st_value;
		check_doubt("its functions overlap");
	}
}

static void test_unaligned(void)
{
	Elf64_Sym *first = make(NAMES);

	first[17].st_value += 8;
	check_doubt("its functions overlap");
	first[17].st_value += 4;
	check_doubt("its functions overlap");
}

static void test_too_far(void)
{
	Elf64_Sym *first = make(NAMES);

	first[NAMES - 1].st_value = FIRST + (4 << 20) - 16;
	CHECK_INT(search(), FOUND_RUNTIME);
	first[NAMES - 1].st_value = FIRST + (4 << 20);
	check_doubt("its functions are too far from each other");
	first[NAMES - 1].st_value = UINT64_MAX - 15;
	check_doubt("its functions are too far from each other");
}

static void test_twelve(void)
{
	make(NAMES);
	maker_symbol(&maker, "cudaGetDeviceProperties_v2", maker_place(NAMES));
	CHECK_INT(search(), FOUND_TWELVE);
	maker_init(&maker);
	maker_symbol(&maker, "cudaGetDeviceProperties_v2", FIRST);
	maker_runtime(&maker, NAMES);
	CHECK_INT(search(), FOUND_TWELVE);
	make(NAMES);
	maker_symbol(&maker, "cudaGetDeviceProperties_v2", FIRST)->st_other = STV_DEFAULT;
	CHECK_INT(search(), FOUND_RUNTIME);
}

/* Room between two functions of the runtime. */
static uint64_t gap_at(size_t i)
{
	return maker_place(NAMES + i);
}

static void make_gap(void)
{
	make(NAMES);
	maker.symbols[NAMES].st_value = maker_place(NAMES + 200);
}

static void test_newer_names(void)
{
	make_gap();
	maker_symbol(&maker, "cudaFooBar", gap_at(0));
	maker_symbol(&maker, "__cudaFoo", gap_at(1))->st_info = LOCAL_FUNC;
	maker_symbol(&maker, "cuFoo", gap_at(2));
	maker_symbol(&maker, "cudaOfTheProgram", gap_at(3))->st_other = STV_DEFAULT;
	maker_symbol(&maker, "cudaOutside", maker_place(NAMES + 201));
	maker_symbol(&maker, "cudaBelow", FIRST - 16);
	CHECK_INT(search(), FOUND_RUNTIME);
	REQUIRE(CHECK_INT(found.newer_count, 2));
	CHECK_STR(found.newer[0].name, "cudaFooBar");
	CHECK_INT(found.newer[0].at, gap_at(0));
	CHECK_STR(found.newer[1].name, "__cudaFoo");
	CHECK_INT(found.newer[1].at, gap_at(1));
	CHECK_INT(found.count, NAMES);
}

static void add_newer(unsigned count)
{
	char name[32];

	make_gap();
	for (unsigned i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "cudaNew%u", i);
		maker_symbol(&maker, name, gap_at(i));
	}
}

static void test_many_newer(void)
{
	add_newer(MOST_NEWER);
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_INT(found.newer_count, MOST_NEWER);
	add_newer(MOST_NEWER + 1);
	check_doubt("it has too many functions that gpurun's has not");
}

static void test_a_newer_one_overlaps(void)
{
	make_gap();
	maker_symbol(&maker, "cudaFooBar", maker_place(7));
	check_doubt("its functions overlap");
	make_gap();
	maker_symbol(&maker, "cudaFooBar", FIRST);
	check_doubt("its functions overlap");
	make_gap();
	maker_symbol(&maker, "cudaFooBar", gap_at(0) + 1);
	check_doubt("its functions overlap");
}

static void test_long_names(void)
{
	char name[NEWER_LENGTH + 1] = "cuda";

	memset(name + 4, 'a', NEWER_LENGTH - 5);
	make_gap();
	maker_symbol(&maker, name, gap_at(0));
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK_STR(found.newer[0].name, name);
	name[NEWER_LENGTH - 1] = 'a';
	make_gap();
	maker_symbol(&maker, name, gap_at(0));
	CHECK_INT(search(), FOUND_DOUBTFUL);
}

/* What one search has noted is not there in the next. */
static void test_one_after_another(void)
{
	make(NAMES);
	maker_symbol(&maker, "cudaMalloc", maker_place(NAME_cudaFree) + 8);
	CHECK_INT(search(), FOUND_DOUBTFUL);
	make(NAMES);
	CHECK_INT(search(), FOUND_RUNTIME);
	CHECK(!found.why);
	make(0);
	CHECK_INT(search(), FOUND_NONE);
	CHECK_INT(found.at[NAME_cudaMalloc], 0);
}

static void test_nothing_is_kept(void)
{
	struct object object;
	unsigned long pages;

	make(NAMES);
	REQUIRE(object_open(&object, maker_path(&maker)));
	pages = maker_pages();
	for (int i = 0; i < 100; i++)
		found_by_symbols(&found, &object);
	CHECK_INT(found.kind, FOUND_RUNTIME);
	CHECK_INT(maker_pages(), pages);
	object_close(&object);
}

int main(void)
{
	RUN(test_all_names);
	RUN(test_how_many);
	RUN(test_local_names);
	RUN(test_names_that_others_see);
	RUN(test_symbols_that_are_no_functions);
	RUN(test_strings_without_an_end);
	RUN(test_a_second_one_outside);
	RUN(test_aliases);
	RUN(test_two_inside);
	RUN(test_two_runtimes);
	RUN(test_overlapping);
	RUN(test_unaligned);
	RUN(test_too_far);
	RUN(test_twelve);
	RUN(test_newer_names);
	RUN(test_many_newer);
	RUN(test_a_newer_one_overlaps);
	RUN(test_long_names);
	RUN(test_one_after_another);
	RUN(test_nothing_is_kept);
	maker_release(&maker);
	return tap_end();
}
