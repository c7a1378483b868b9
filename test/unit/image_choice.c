/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image_file.h"
#include "tap.h"

#include <time.h>

/* What nvlink 13.0 links and ptxas 13.0 assembles, for each device of CUDA 13. */
static const unsigned devices[] = { 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 };

static const struct row {
	unsigned arch;
	char suffix;
	const char *runs_on; /* devices, with a space after each */
} cubins[] = {
	{ 75, 0, "75 " },
	{ 80, 0, "80 86 89 " },
	{ 86, 0, "86 89 " },
	{ 87, 0, "87 " },
	{ 88, 0, "88 " },
	{ 89, 0, "89 " },
	{ 90, 0, "90 " },
	{ 90, 'a', "90 " },
	{ 100, 0, "100 103 " },
	{ 100, 'a', "100 " },
	{ 100, 'f', "100 103 " },
	{ 103, 0, "103 " },
	{ 103, 'a', "103 " },
	{ 103, 'f', "103 " },
	{ 110, 0, "110 " },
	{ 110, 'a', "110 " },
	{ 110, 'f', "110 " },
	{ 120, 0, "120 121 " },
	{ 120, 'a', "120 " },
	{ 120, 'f', "120 121 " },
	{ 121, 0, "121 " },
	{ 121, 'a', "121 " },
	{ 121, 'f', "121 " },
	/* Older, and what sm_110 was called before. */
	{ 70, 0, "75 " },
	{ 72, 0, "" },
	{ 101, 'a', "110 " },
}, ptx[] = {
	{ 50, 0, "75 80 86 87 88 89 90 100 103 110 120 121 " },
	{ 75, 0, "75 80 86 87 88 89 90 100 103 110 120 121 " },
	{ 80, 0, "80 86 87 88 89 90 100 103 110 120 121 " },
	{ 86, 0, "86 87 88 89 90 100 103 110 120 121 " },
	{ 87, 0, "87 88 89 90 100 103 110 120 121 " },
	{ 88, 0, "88 89 90 100 103 110 120 121 " },
	{ 89, 0, "89 90 100 103 110 120 121 " },
	{ 90, 0, "90 100 103 110 120 121 " },
	{ 90, 'a', "90 " },
	{ 100, 0, "100 103 110 120 121 " },
	{ 100, 'a', "100 " },
	{ 100, 'f', "100 103 " },
	{ 101, 'a', "110 " },
	{ 103, 0, "103 110 120 121 " },
	{ 103, 'a', "103 " },
	{ 103, 'f', "103 " },
	{ 110, 0, "110 120 121 " },
	{ 110, 'a', "110 " },
	{ 110, 'f', "110 " },
	{ 120, 0, "120 121 " },
	{ 120, 'a', "120 " },
	{ 120, 'f', "120 121 " },
	{ 121, 0, "121 " },
	{ 121, 'a', "121 " },
	{ 121, 'f', "121 " },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void check_row(const struct row *row, enum image_kind kind)
{
	struct image image = { .kind = kind, .arch = row->arch, .suffix = row->suffix };
	char text[128] = "";

	for (size_t i = 0; i < COUNT(devices); i++) {
		struct image_target target = { .arch = devices[i] };

		if (image_runs_on(&image, &target))
			sprintf(text + strlen(text), "%u ", devices[i]);
	}
	if (!CHECK_STR(text, row->runs_on))
		printf("#   for sm_%u%.1s\n", row->arch, &row->suffix);
}

static void test_cubins(void)
{
	for (size_t i = 0; i < COUNT(cubins); i++)
		check_row(&cubins[i], IMAGE_CUBIN);
}

static void test_ptx(void)
{
	for (size_t i = 0; i < COUNT(ptx); i++)
		check_row(&ptx[i], IMAGE_PTX);
}

static void test_targets(void)
{
	struct image text = { .kind = IMAGE_PTX,
			      .arch = 90,
			      .suffix = 'a',
			      .ptx_major = 8,
			      .ptx_minor = 3 };
	struct image code = { .kind = IMAGE_CUBIN, .arch = 90 };
	struct image bitcode = { .kind = IMAGE_BITCODE };
	struct image_target any = { 0 }, cpu = { .ptx_only = true, .ptx_version = 90 };
	struct image_target old = { .ptx_version = 82 }, exact = { .ptx_version = 83 };

	CHECK(image_runs_on(&text, &any) && image_runs_on(&code, &any));
	CHECK(image_runs_on(&text, &cpu) && !image_runs_on(&code, &cpu));
	CHECK(!image_runs_on(&text, &old) && image_runs_on(&text, &exact));
	CHECK(image_runs_on(&code, &old));
	CHECK(!image_runs_on(&bitcode, &any));
	text.problem = "32-bit code";
	CHECK(!image_runs_on(&text, &any));
}

/* A file of ready images, so that the choice alone is under test. */
static struct image_entry entries[16];
static struct kernel_info kernel = { .name = (char *)"k" };
static struct image_file file = { .entries = entries, .name = (char *)"x" };

static void add(enum image_kind kind, unsigned arch, char suffix, uint32_t container)
{
	entries[file.count++] = (struct image_entry){
		.listed = true,
		.image = { .kind = kind,
			   .arch = arch,
			   .suffix = suffix,
			   .container = container,
			   .kernels = &kernel,
			   .kernel_count = 1,
			   .ptx_major = 8 },
	};
}

static void check_choice(unsigned device, uint32_t container, int index)
{
	struct image_target target = { .arch = device };
	struct image *image;

	file.containers = 2;
	REQUIRE(!image_file_index(&file, NULL));
	image = image_choose(&file, container, &target);
	free(file.order);
	free(file.first);
	free(file.with_ptx);

	if (!CHECK(image == (index < 0 ? NULL : &entries[index].image)))
		printf("#   on sm_%u\n", device);
}

static void test_choice(void)
{
	file.count = 0;
	add(IMAGE_PTX, 120, 0, 0);
	add(IMAGE_PTX, 75, 0, 0);
	add(IMAGE_CUBIN, 80, 0, 0);
	add(IMAGE_PTX, 86, 0, 0);
	add(IMAGE_CUBIN, 90, 0, 0);
	add(IMAGE_CUBIN, 90, 'a', 0);
	add(IMAGE_CUBIN, 100, 0, 0);
	add(IMAGE_CUBIN, 100, 'f', 0);
	add(IMAGE_CUBIN, 100, 'a', 0);
	add(IMAGE_CUBIN, 75, 0, 1);
	check_choice(75, 0, 1);
	check_choice(75, UINT32_MAX, 9);
	check_choice(80, 0, 2);
	check_choice(86, 0, 2);
	check_choice(87, 0, 3);
	check_choice(90, 0, 5);
	check_choice(100, 0, 8);
	check_choice(103, 0, 7);
	check_choice(110, 0, 3);
	check_choice(120, 0, 0);
	check_choice(90, 1, -1);
	check_choice(70, UINT32_MAX, -1);
	check_choice(90, 7, -1);
}

static void test_cpu_choice(void)
{
	struct image_target cpu = { .ptx_only = true };

	file.count = 0;
	add(IMAGE_CUBIN, 90, 0, 0);
	CHECK(!image_choose(&file, UINT32_MAX, &cpu));
	add(IMAGE_PTX, 75, 0, 0);
	add(IMAGE_PTX, 90, 'a', 0);
	CHECK(image_choose(&file, UINT32_MAX, &cpu) == &entries[2].image);
}

/* An image of variables alone is taken where no other is whole. */
static void test_no_kernels(void)
{
	file.count = 0;
	add(IMAGE_CUBIN, 90, 'a', 0);
	entries[0].image.kernel_count = 0;
	add(IMAGE_RELOCATABLE, 90, 0, 0);
	add(IMAGE_CUBIN, 90, 0, 0);
	entries[2].status = GPURUN_FORMAT;
	check_choice(90, 0, 0);
	add(IMAGE_PTX, 75, 0, 0);
	check_choice(90, 0, 3);
}

/* A file of many images without kernels takes time for each of them, not for each pair. */
static void test_many_without_kernels(void)
{
	enum { MANY = 100000 };
	CLEANUP(free_pointer) struct image_entry *many = calloc(MANY, sizeof(*many));
	struct image_file large = { .entries = many, .count = MANY, .name = (char *)"x" };
	clock_t begin = clock();

	REQUIRE(many != NULL);
	for (size_t i = 0; i < MANY; i++) {
		many[i].image.kind = IMAGE_PTX;
		many[i].image.arch = 75;
		many[i].listed = true;
	}
	CHECK(image_choose(&large, UINT32_MAX, &(struct image_target){ .arch = 90 }) ==
	      &many[0].image);
	many[0].image.kernels = many[MANY - 1].image.kernels = &kernel;
	many[0].image.kernel_count = many[MANY - 1].image.kernel_count = 1;
	/* Of equals the first is taken. */
	CHECK(image_choose(&large, UINT32_MAX, &(struct image_target){ .arch = 90 }) ==
	      &many[0].image);
	many[0].image.kernel_count = 0;
	CHECK(image_choose(&large, UINT32_MAX, &(struct image_target){ .arch = 90 }) ==
	      &many[MANY - 1].image);
	CHECK((clock() - begin) / CLOCKS_PER_SEC < 5 * slower());
}

static void test_description(void)
{
	char text[64], tiny[8];

	file.count = 0;
	image_describe_all(&file, text, sizeof(text));
	CHECK_STR(text, "");
	add(IMAGE_CUBIN, 90, 'a', 0);
	add(IMAGE_PTX, 90, 0, 0);
	add(IMAGE_CUBIN, 90, 'a', 1);
	add(IMAGE_CUBIN, 9, 0, 1);
	add(IMAGE_LTOIR, 90, 0, 1);
	image_describe_all(&file, text, sizeof(text));
	CHECK_STR(text, "sm_90a SASS, sm_90 PTX 8.0, sm_9 SASS, sm_90 LTO-IR");
	add(IMAGE_UNKNOWN, 90, 0, 1);
	image_describe_all(&file, text, sizeof(text));
	CHECK_STR(text, "sm_90a SASS, sm_90 PTX 8.0, sm_9 SASS, sm_90 LTO-IR, ...");
	image_describe_all(&file, tiny, sizeof(tiny));
	CHECK_STR(tiny, ", ...");
}

int main(void)
{
	RUN(test_cubins);
	RUN(test_ptx);
	RUN(test_targets);
	RUN(test_choice);
	RUN(test_cpu_choice);
	RUN(test_no_kernels);
	RUN(test_many_without_kernels);
	RUN(test_description);
	return tap_end();
}
