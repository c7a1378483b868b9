/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lookup.h"

#include <unistd.h>

#include "fixture.h"

static struct image_file *open_file(const char *name)
{
	struct image_file *file;
	struct err e = { 0 };
	char path[256];

	snprintf(path, sizeof(path), "test/data/images/%s", name);
	if (image_file_open(path, &file, &e)) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
	return file;
}

static void check_name(const struct lookup *lookup, const char *name, const char *mangled,
		       enum lookup_level level)
{
	const struct lookup_kernel *kernel = NULL;
	enum lookup_level found;
	struct err e = { 0 };

	if (!CHECK_INT(lookup_find(lookup, NULL, name, &kernel, &found, &e), 0) ||
	    !CHECK_STR(kernel->name, mangled) || !CHECK_INT(found, level))
		printf("#   for \"%s\": %s\n", name, e.text);
}

static void check_failure(const struct lookup *lookup, const char *name,
			  const char *words, const char *hint)
{
	const struct lookup_kernel *kernel;
	enum lookup_level level;
	struct err e = { 0 };

	CHECK_INT(lookup_find(lookup, NULL, name, &kernel, &level, &e), GPURUN_NOT_FOUND);
	CHECK(!kernel);
	CHECK_HAS(e.text, words);
	CHECK_HAS(e.hint, hint);
}

#define AXPB_INT "_ZN4math4axpbIiEEvPT_S1_S1_i"

/* promise: KERNEL is looked up as */
static void test_levels(void)
{
	CLEANUP(free_image_file) struct image_file *file = open_file("host.o");
	CLEANUP(lookup_release) struct lookup lookup = { 0 };

	REQUIRE(!lookup_add(&lookup, "", file, NULL, NULL));
	CHECK_INT(lookup.count, 5);
	check_name(&lookup, "vadd", "vadd", LOOKUP_MANGLED);
	check_name(&lookup, AXPB_INT, AXPB_INT, LOOKUP_MANGLED);
	check_name(&lookup, "math::axpb<int>(int*, int, int, int)", AXPB_INT,
		   LOOKUP_SIGNATURE);
	check_name(&lookup, "math::axpb<int>(int *,int,int,int)", AXPB_INT,
		   LOOKUP_SIGNATURE);
	check_name(&lookup, "math::axpb<int>", AXPB_INT, LOOKUP_TEMPLATE);
	check_name(&lookup, "axpb<int>", AXPB_INT, LOOKUP_TEMPLATE);
	check_name(&lookup, "axpb< float >", "_ZN4math4axpbIfEEvPT_S1_S1_i",
		   LOOKUP_TEMPLATE);
	check_name(&lookup, "hidden", "_Z6hiddenPi", LOOKUP_TEMPLATE);
	check_name(&lookup, "hid", "_Z6hiddenPi", LOOKUP_PREFIX);
	check_name(&lookup, "_ZN4math4axpbIi", AXPB_INT, LOOKUP_PREFIX);
	check_name(&lookup, "mix", "mixed", LOOKUP_PREFIX);
}

static void test_failures(void)
{
	CLEANUP(free_image_file) struct image_file *file = open_file("host.o");
	CLEANUP(lookup_release) struct lookup lookup = { 0 };

	REQUIRE(!lookup_add(&lookup, "", file, NULL, NULL));
	check_failure(&lookup, "axpb", "'axpb' may be any of math::axpb<int>(int*",
		      "give more of the name, in quotes: 'NAME<TYPE>' or 'NAME(TYPE, ...)'");
	check_failure(&lookup, "math::axpb", "'math::axpb' may be any of",
		      "more of the name");
	check_failure(&lookup, ".", "'.' may be any of", "more of the name");
	check_failure(&lookup, "vdad", "no kernel 'vdad'; there is ",
		      "did you mean 'vadd'?");
	check_failure(&lookup, "VADD", "no kernel", "did you mean 'vadd'?");
	check_failure(&lookup, "", "no kernel ''; there is ", "");
	check_failure(&lookup, "nothing-like-it", ", mixed, vadd", "");
}

static void test_only_one(void)
{
	CLEANUP(free_image_file) struct image_file *file = open_file("zstd.fatbin");
	CLEANUP(lookup_release) struct lookup lookup = { 0 };

	REQUIRE(!lookup_add(&lookup, "", file, NULL, NULL));
	REQUIRE(CHECK_INT(lookup.count, 1));
	check_name(&lookup, ".", "vadd", LOOKUP_ONLY);
	/* Of the two entries of the container, PTX tells more. */
	CHECK_INT(lookup.kernels[0].image->kind, IMAGE_PTX);
	CHECK_STR(lookup.kernels[0].info->params[3].type, "u32");
}

static void test_only_one_with_structors(void)
{
	CLEANUP(free_image_file) struct image_file *file = open_file("structors.ptx");
	CLEANUP(lookup_release) struct lookup lookup = { 0 };

	REQUIRE(!lookup_add(&lookup, "", file, NULL, NULL));
	CHECK_INT(lookup.count, 3);
	check_name(&lookup, ".", "tell", LOOKUP_ONLY);
	check_name(&lookup, "nvptx$device$fini", "nvptx$device$fini", LOOKUP_MANGLED);
}

static void test_several_containers(void)
{
	CLEANUP(free_image_file) struct image_file *file = open_file("two.fatbin");
	CLEANUP(lookup_release) struct lookup lookup = { 0 }, picked = { 0 };
	const bool wanted[4] = { false, false, true, false };

	REQUIRE(!lookup_add(&lookup, "", file, NULL, NULL));
	CHECK_INT(lookup.count, 2);
	check_failure(&lookup, "vadd", "vadd (image 1), vadd (image 3)",
		      "pick one of the images by its number: --image");
	REQUIRE(!lookup_add(&picked, "", file, wanted, NULL));
	check_name(&picked, "vadd", "vadd", LOOKUP_MANGLED);
	CHECK_INT(picked.kernels[0].container, 1);
	CHECK_INT(picked.kernels[0].image->kind, IMAGE_CUBIN);
}

static void test_nothing_loadable(void)
{
	CLEANUP(free_image_file) struct image_file *file = open_file("rdc.o");
	CLEANUP(lookup_release) struct lookup lookup = { 0 };
	struct err e = { 0 };

	CHECK_INT(lookup_add(&lookup, "", file, NULL, &e), GPURUN_NO_IMAGE);
	CHECK_STR(e.text, "no image that can be loaded; it holds sm_90 relocatable SASS, sm_75 "
			  "relocatable PTX 9.0");
	CHECK_HAS(e.hint, "sm_90 relocatable SASS: ");
	CHECK_HAS(e.hint, "nvlink");
	check_failure(&lookup, "k", "there is none at all", "");
}

/* Of what is to be linked, the images of all translation units are one container. */
static void test_to_be_linked(void)
{
	CLEANUP(free_image_file) struct image_file *file = open_file("rdc.o");
	CLEANUP(lookup_release) struct lookup lookup = { 0 };

	image_file_link(file);
	REQUIRE(!lookup_add(&lookup, "", file, NULL, NULL));
	CHECK_INT(lookup.count, 5);
	check_name(&lookup, "vadd", "vadd", LOOKUP_MANGLED);
	CHECK_INT(lookup.kernels[0].image->kind, IMAGE_PTX); /* which has types */
}

static void test_damaged_image(void)
{
	CLEANUP(fixture_release) struct fixture bytes = fixture("zstd.fatbin");
	CLEANUP(free_image_file) struct image_file *one = NULL, *both = NULL;
	CLEANUP(lookup_release) struct lookup lookup = { 0 };
	struct err e = { 0 };

	bytes.data[0x4b8 + 40] ^= 0xff;
	REQUIRE(!image_file_read(bytes_of(&bytes), "x", &one, NULL));
	CHECK_INT(lookup_add(&lookup, "", one, NULL, &e), 0);
	CHECK_INT(lookup.count, 1);
	lookup_release(&lookup);
	bytes.data[0x50 + 40] ^= 0xff;
	REQUIRE(!image_file_read(bytes_of(&bytes), "x", &both, NULL));
	CHECK_INT(lookup_add(&lookup, "", both, NULL, &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, "x: offset 0x50: ");
}

static void check_scoped(const struct lookup *lookup, const char *scope, const char *name,
			 const char *want)
{
	const struct lookup_kernel *kernel = NULL;
	enum lookup_level level;
	struct err e = { 0 };
	char got[512] = "";

	if (!lookup_find(lookup, scope, name, &kernel, &level, &e))
		snprintf(got, sizeof(got), "%s:%s", kernel->scope, kernel->name);
	else
		snprintf(got, sizeof(got), "%s", e.text);
	CHECK_STR(got, want);
}

/* One file without a name and two that have one. */
static void test_scopes(void)
{
	CLEANUP(free_image_file) struct image_file *plain = open_file("zstd.fatbin");
	CLEANUP(free_image_file) struct image_file *b = open_file("host.o");
	CLEANUP(free_image_file) struct image_file *c = open_file("host.o");
	CLEANUP(lookup_release) struct lookup lookup = { 0 };
	const struct lookup_kernel *kernel;
	enum lookup_level level;
	struct err e = { 0 };

	REQUIRE(!lookup_add(&lookup, "", plain, NULL, NULL));
	REQUIRE(!lookup_add(&lookup, "b", b, NULL, NULL));
	REQUIRE(lookup.count > 5 && lookup.kernels[0].file == plain);
	check_scoped(&lookup, NULL, "vadd", ":vadd");
	check_scoped(&lookup, NULL, "vad", ":vadd");
	check_scoped(&lookup, "b", "vadd", "b:vadd");
	check_scoped(&lookup, NULL, "mixed", "b:mixed");
	check_scoped(&lookup, NULL, "mix", "b:mixed");
	check_scoped(&lookup, "b", "mix", "b:mixed");
	check_scoped(&lookup, "", "mixed", "no kernel 'mixed'; there is vadd");
	REQUIRE(!lookup_add(&lookup, "c", c, NULL, NULL));
	check_scoped(&lookup, "c", "mixed", "c:mixed");
	check_scoped(&lookup, NULL, "mixed", "'mixed' may be any of b:mixed, c:mixed");
	CHECK_INT(lookup_find(&lookup, NULL, "mixed", &kernel, &level, &e),
		  GPURUN_NOT_FOUND);
	CHECK_STR(e.hint, "say which: b:mixed");
}

/* What a list shows of a name that is not plain text finds it; the name itself comes first. */
/* promise: A kernel is launched by its name as it is */
static void test_shown(void)
{
	CLEANUP(fixture_release) struct fixture cubin = fixture("kernels.75.cubin");
	CLEANUP(free_image_file) struct image_file *file = NULL;
	CLEANUP(lookup_release) struct lookup lookup = { 0 };

	for (size_t at = 0; at + 5 < cubin.size; at++) { /* also in the names of sections */
		if (!memcmp(cubin.data + at, "vadd", 5))
			memcpy(cubin.data + at, "\x1b[2J", 4);
		if (!memcmp(cubin.data + at, "mixed", 6))
			memcpy(cubin.data + at, "\xff\xc2\x9b\\n", 5);
	}
	REQUIRE(!image_file_read(bytes_of(&cubin), "cubin", &file, NULL));
	REQUIRE(!lookup_add(&lookup, "", file, NULL, NULL));
	check_name(&lookup, "\x1b[2J", "\x1b[2J", LOOKUP_MANGLED);
	check_name(&lookup, "\\x1b[2J", "\x1b[2J", LOOKUP_SHOWN);
	check_name(&lookup, "\\xff\\u009b\\n", "\xff\xc2\x9b\\n", LOOKUP_SHOWN);
	check_failure(&lookup, "\\x1b[2K", "no kernel '\\x1b[2K'; there is", "");
	check_failure(&lookup, "\\X1B[2J", "there is", "");
}

/* A message names the first ones, and how many more there are. */
static void test_many(void)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	CLEANUP(lookup_release) struct lookup lookup = { 0 };
	char path[] = "/tmp/gpurun-lookup-XXXXXX";
	FILE *to = fdopen(mkstemp(path), "w");
	struct err e = { 0 };

	REQUIRE(to);
	fputs(".version 7.0\n.target sm_70\n.address_size 64\n", to);
	for (char c = 'a'; c <= 'k'; c++)
		fprintf(to, ".visible .entry all_%c() { ret; }\n", c);
	fclose(to);
	CHECK_INT(image_file_open(path, &file, &e), 0);
	unlink(path);
	REQUIRE(file && !lookup_add(&lookup, "", file, NULL, NULL));
	CHECK_INT(lookup.count, 11);
	check_failure(&lookup, "other", "all_a, all_b, all_c, all_d, all_e, all_f, all_g, all_h "
		      "and 3 more", "");
}

int main(void)
{
	RUN(test_levels);
	RUN(test_failures);
	RUN(test_only_one);
	RUN(test_only_one_with_structors);
	RUN(test_several_containers);
	RUN(test_nothing_loadable);
	RUN(test_to_be_linked);
	RUN(test_damaged_image);
	RUN(test_scopes);
	RUN(test_shown);
	RUN(test_many);
	return tap_end();
}
