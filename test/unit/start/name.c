/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name.h"
#include "tap.h"

static enum name find(const char *text, size_t size)
{
	return name_find((struct bytes){ (const uint8_t *)text, size });
}

static void test_every_name(void)
{
	for (unsigned i = 0; i < NAMES; i++) {
		const char *text = name_text((enum name)i);

		CHECK_INT(find(text, strlen(text) + 1), i);
	}
	CHECK(NAMES >= 400);
	CHECK_INT(find("cudaMalloc", 11), NAME_cudaMalloc);
	CHECK_INT(find("cudaMemcpyAsync_ptsz", 21), NAME_cudaMemcpyAsync_ptsz);
	CHECK_INT(find("__cudaRegisterFatBinary", 24), NAME___cudaRegisterFatBinary);
}

static void test_what_follows_the_nul(void)
{
	CHECK_INT(find("cudaMalloc\0cudaFree", 20), NAME_cudaMalloc);
}

/* On the heap: a sanitizer sees a read behind the end. */
static void test_without_a_nul(void)
{
	for (unsigned i = 0; i < NAMES; i++) {
		const size_t size = strlen(name_text((enum name)i));
		char *text = malloc(size);

		memcpy(text, name_text((enum name)i), size);
		CHECK_INT(find(text, size), NAMES);
		free(text);
	}
	CHECK_INT(find(NULL, 0), NAMES);
}

static void test_beginnings_and_more(void)
{
	char text[256];

	for (unsigned i = 0; i < NAMES; i++) {
		const char *name = name_text((enum name)i);

		snprintf(text, sizeof(text), "%sX", name);
		CHECK_INT(find(text, strlen(text) + 1), NAMES);
		snprintf(text, sizeof(text), "x%s", name);
		CHECK_INT(find(text, strlen(text) + 1), NAMES);
		/* The beginning of one is another at times: cudaFree of cudaFreeHost. */
		snprintf(text, sizeof(text), "%.*s", (int)strlen(name) - 1, name);
		CHECK(find(text, strlen(text) + 1) != i);
	}
	CHECK_INT(find("", 1), NAMES);
	CHECK_INT(find("cuda", 5), NAMES);
	memset(text, 'a', sizeof(text));
	text[255] = '\0';
	CHECK_INT(find(text, sizeof(text)), NAMES);
}

static void test_begins(void)
{
	const struct bytes text = { (const uint8_t *)"cudaMalloc", 11 };

	CHECK(name_begins(text, "cuda"));
	CHECK(name_begins(text, ""));
	CHECK(!name_begins(text, "__cuda"));
	CHECK(!name_begins(text, "cudaMallocHost"));
	CHECK(!name_begins((struct bytes){ text.data, 3 }, "cuda"));
	CHECK(!name_begins((struct bytes){ 0 }, "cuda"));
}

int main(void)
{
	RUN(test_every_name);
	RUN(test_what_follows_the_nul);
	RUN(test_without_a_nul);
	RUN(test_beginnings_and_more);
	RUN(test_begins);
	return tap_end();
}
