/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* olIsValidBinary: which images a device is told to run. */
#include "ol.h"

static struct image file_of(const char *name)
{
	struct image image;
	char path[256];

	snprintf(path, sizeof(path), "test/data/images/%s", name);
	image.data = tap_read(path, &image.size);
	return image;
}

static bool is_valid(struct image image)
{
	bool valid = false;

	CHECK_OK(olIsValidBinary(gpu, image.data, image.size, &valid));
	return valid;
}

/* It answers what can really be created. */
static void test_created(void)
{
	static const char *const names[] = {
		"offload.ptx", "offload.90.cubin", "kernels.75.ptx", "kernels.75.cubin",
		"kernels.80.cubin", "kernels.90.cubin", "kernels.90a.cubin", "kernels.120.cubin",
		"vadd.abi7.cubin", "many.fatbin", "zstd.fatbin", "ltoir.fatbin", "none.o",
		"kernels.cu", "host.o",
	};

	if (!executes())
		SKIP("needs a GPU or the CPU device: the stub loads any architecture");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct image image = file_of(names[i]);
		ol_program_handle_t program = NULL;
		bool valid = is_valid(image);
		ol_result_t result = olCreateProgram(gpu, image.data, image.size, &program);

		if (!CHECK(valid == !result))
			printf("#   %s: %s, but %s\n", names[i], valid ? "valid" : "not valid",
			       result ? text_of(result) : "created");
		if (!result)
			CHECK_OK(olDestroyProgram(program));
		free(image.data);
	}
}

static void test_kinds(void)
{
	struct image ptx = file_of("offload.ptx"), cubin = file_of("kernels.90.cubin");

	CHECK(is_valid(ptx));
	if (is_cpu())
		CHECK(!is_valid(cubin));
	free(ptx.data);
	free(cubin.data);
}

/* A cubin runs on the minor versions above its own, and on no other major one. */
static void test_minor(void)
{
	static const struct {
		const char *name;
		bool on_90;
	} rows[] = { { "kernels.75.cubin", false }, { "kernels.80.cubin", false },
		     { "kernels.90.cubin", true }, { "kernels.90a.cubin", true },
		     { "kernels.120.cubin", false } };

	if (is_cpu())
		SKIP("needs a GPU or the stub: the CPU device runs no cubin");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct image image = file_of(rows[i].name);

		/* Others of these than the H100 know 90 no better than 80. */
		if (is_valid(image) != rows[i].on_90)
			CHECK_STR(rows[i].name, "valid only on what is no sm_90");
		free(image.data);
	}
}

/* For the host nothing is valid, and that is an answer. */
static void test_host(void)
{
	struct image image = image_of("offload");
	bool valid = true;

	CHECK_OK(olIsValidBinary(host, image.data, image.size, &valid));
	CHECK(!valid);
	valid = true;
	CHECK_OK(olIsValidBinary(host, "junk", 0, &valid));
	CHECK(!valid);
	free(image.data);
}

static const struct ol_case cases[] = {
	OL_CASE(test_created),
	OL_CASE(test_kinds),
	OL_CASE(test_minor),
	OL_CASE(test_host),
};
OL_MAIN(cases)
