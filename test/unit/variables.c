/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The variables that an image tells of: what a module would keep between launches. */
#include "fixture.h"
#include "cubin.h"
#include "image.h"

struct seen {
	unsigned count;
	char names[256]; /* "counter:4 table:16 " */
};

static void see(const struct variable_info *variable, void *data)
{
	struct seen *seen = data;
	size_t used = strlen(seen->names);

	seen->count++;
	if (variable->length)
		snprintf(seen->names + used, sizeof(seen->names) - used, "%.*s:%llu ",
			 (int)variable->length, variable->name,
			 (unsigned long long)variable->size);
}

/* What the image of @bytes for @arch (0: any) tells. */
static struct seen look(struct bytes bytes, unsigned arch, bool ptx_only)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	struct image_target target = { .arch = arch, .ptx_only = ptx_only };
	struct seen seen = { 0 };
	struct image *image;
	struct err e;

	if (!CHECK_INT(image_file_read(bytes, "test", &file, &e), 0))
		return seen;
	image = image_choose(file, UINT32_MAX, &target);
	if (CHECK(image != NULL))
		CHECK_INT(image_variables(file, image, see, &seen, &e), 0);
	return seen;
}

static struct seen look_at(const char *name, unsigned arch, bool ptx_only)
{
	CLEANUP(fixture_release) struct fixture file = fixture(name);

	return look(bytes_of(&file), arch, ptx_only);
}

static struct seen look_at_text(const char *ptx)
{
	return look((struct bytes){ (const uint8_t *)ptx, strlen(ptx) }, 0, true);
}

/* The same two in every form of the same source. */
static void test_named(void)
{
	static const struct {
		const char *file;
		unsigned arch;
		bool ptx_only;
	} rows[] = {
		{ "kernels.75.ptx", 75, true },    { "kernels.100.ptx", 100, true },
		{ "kernels.75.cubin", 75, false }, { "kernels.90a.cubin", 90, false },
		{ "many.fatbin", 75, true },       { "many.fatbin", 80, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct seen seen = look_at(rows[i].file, rows[i].arch, rows[i].ptx_only);

		CHECK(strstr(seen.names, "counter:4 "));
		if (!CHECK(strstr(seen.names, "table:16 ")))
			printf("#   %s: '%s'\n", rows[i].file, seen.names);
	}
}

static void test_none(void)
{
	CHECK_INT(look_at("vadd.ptx", 75, true).count, 0);
	CHECK_INT(look_at("large.ptx", 90, true).count, 0);
	CHECK_INT(look_at("vadd.75.cubin", 75, false).count, 0);
	CHECK_INT(look_at("vadd.90.cubin", 90, false).count, 0);
	CHECK_INT(look_at("vadd.abi7.cubin", 75, false).count, 0);
	CHECK_INT(look_at("large.cubin", 90, false).count, 0);
	CHECK_INT(look_at("zstd.fatbin", 90, false).count, 0);
	CHECK_INT(look_at("zstd.fatbin", 75, true).count, 0);
}

/* Sections tell what a cubin without symbols holds. */
static void test_stripped(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("kernels.90.cubin");
	static const char *const sections[] = { ".nv.global.init", ".nv.constant3" };
	struct seen all = { 0 };

	for (size_t i = 0; i < 2; i++)
		CHECK(memmem(file.data, file.size, sections[i], strlen(sections[i])));
	for (size_t at = 0; at < (size_t)file.data[60] + file.data[61] * 256u; at++) {
		uint8_t *header = file.data + load_u64(file.data + 40) + at * 64;

		if (load_u32(header + 4) == 2) /* SHT_SYMTAB */
			store_u32(header + 4, 1);
	}
	CHECK_INT(cubin_variables(bytes_of(&file), see, &all, NULL), 0);
	CHECK_INT(all.count, 3); /* and .nv.constant4, where their addresses are */
	CHECK_STR(all.names, "");
}

static const char head[] = ".version 8.0\n.target sm_70\n.address_size 64\n";

static struct seen look_at_module(const char *variables, const char *body)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s\n.visible .entry k(.param .u64 p)\n{\n%s\nret;\n}\n",
		 head, variables, body);
	return look_at_text(text);
}

static void test_spaces(void)
{
	CHECK_INT(look_at_module("", "").count, 0);
	CHECK_INT(look_at_module(".global .u32 a;", "").count, 1);
	CHECK_INT(look_at_module(".const .u32 a = 5;", "").count, 1);
	CHECK_INT(look_at_module(".extern .global .u32 a;", "").count, 0);
	CHECK_INT(look_at_module(".weak .global .u32 a, b;", "").count, 2);
	CHECK_INT(look_at_module(".shared .u32 a;", "").count, 0);
	CHECK_INT(look_at_module(".extern .shared .b8 a[];", "").count, 0);
	CHECK_STR(look_at_module(".global .align 8 .u64 nvptx$x[3];", "").names,
		  "nvptx$x:24 ");
}

/* A function's own are found, and what only looks like one is not. */
static void test_bodies(void)
{
	CHECK_INT(look_at_module("", ".global .u32 a;").count, 1);
	CHECK_INT(look_at_module("", "{ .const.align 4 .u32 a; }").count, 1);
	CHECK_INT(look_at_module("", "here: .global.u32 a;").count, 1);
	CHECK_INT(look_at_module("", ".reg .u32 r; ld.global.u32 r, [p];\n"
				     "ld.const.u32 r, [p];").count, 0);
	CHECK_INT(look_at_module("", "// ; .global .u32 a;\n").count, 0);
}

int main(void)
{
	RUN(test_named);
	RUN(test_none);
	RUN(test_stripped);
	RUN(test_spaces);
	RUN(test_bodies);
	return tap_end();
}
