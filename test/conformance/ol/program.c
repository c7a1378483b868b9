/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs: which images make one, and which are told to. */
#include <sys/mman.h>

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

/* Creates a program and destroys it. */
static void create_and_destroy(struct image image)
{
	ol_program_handle_t program = NULL;

	REQUIRE_OK(olCreateProgram(gpu, image.data, image.size, &program));
	CHECK(program != NULL);
	CHECK_OK(olDestroyProgram(program));
}

/* The image makes no program. Returns why. */
static ol_result_t refused(struct image image)
{
	ol_program_handle_t program;
	ol_result_t result = olCreateProgram(gpu, image.data, image.size, &program);

	CHECK(result != OL_SUCCESS);
	if (!result)
		CHECK_OK(olDestroyProgram(program));
	return result;
}

/* A copy of @size bytes of @data in a block of exactly so many. */
static struct image exactly(const void *data, size_t size)
{
	struct image image = { malloc(size), size };

	if (!image.data)
		abort();
	memcpy(image.data, data, size);
	return image;
}

/* ---- What makes a program ------------------------------------------------------- */

static void test_create(void)
{
	ol_program_handle_t program = load();

	kernel_of(program, "add");
	CHECK_OK(olDestroyProgram(program));
}

/* A program from PTX can be destroyed as any other, again and again. */
static void test_ptx(void)
{
	struct image image = file_of("offload.ptx");

	for (int i = 0; i < 3; i++)
		create_and_destroy(image);
	free(image.data);
}

static void leave_ptx(void)
{
	struct image image = file_of("offload.ptx");
	ol_program_handle_t program;

	for (int i = 0; i < 3; i++)
		CHECK_OK(olCreateProgram(gpu, image.data, image.size, &program));
	free(image.data);
}

/* One that is left is no failure of the shutdown, and the library comes up again. */
static void test_ptx_left(void)
{
	for (int i = 0; i < 3; i++) {
		REQUIRE_OK(ol_init());
		look_up();
		leave_ptx();
		CHECK_OK(olShutDown());
	}
}

static void test_fatbin(void)
{
	static const char *const names[] = { "counter.fatbin", "stored.fatbin", "zlib.fatbin",
					     "lz4.fatbin", "zstd.fatbin" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct image image = file_of(names[i]);

		if (is_valid(image))
			create_and_destroy(image);
		else
			CHECK(false);
		free(image.data);
	}
}

/* Of fatbins one behind the other the first one is the program, unless a GPU's driver checks it. */
static void test_first_fatbin(void)
{
	struct image first = file_of("narrow.fatbin"), second = file_of("counter.fatbin");
	struct image both = { malloc(first.size + second.size), first.size + second.size };

	REQUIRE(both.data != NULL);
	memcpy(both.data, first.data, first.size);
	memcpy((char *)both.data + first.size, second.data, second.size);
	CHECK(!is_valid(both));
	if (is_cpu())
		CHECK_CODE(refused(both), INVALID_BINARY);
	memcpy(both.data, second.data, second.size);
	memcpy((char *)both.data + second.size, first.data, first.size);
	CHECK(is_valid(both));
	create_and_destroy(both);
	free(first.data);
	free(second.data);
	free(both.data);
}

/* The packager's files of all versions, and what they may hold. */
static void test_offload_binary(void)
{
	static const char *const names[] = { "vadd.v1.offload", "vadd.v2.offload",
					     "vadd.v3.offload", "vadd.zstd.offload",
					     "vadd.zlib.offload" };

	for (size_t i = 0; i < 5; i++) {
		struct image image = file_of(names[i]);
		ol_program_handle_t program;

		CHECK(is_valid(image));
		REQUIRE_OK(olCreateProgram(gpu, image.data, image.size, &program));
		memset(image.data, 0, image.size);
		free(image.data);
		kernel_of(program, "vadd");
		CHECK_OK(olDestroyProgram(program));
	}
}

/* None of what is packed for others, told by their names. */
static void test_foreign_images(void)
{
	struct image image = file_of("foreign.offload");

	CHECK(!is_valid(image));
	CHECK_TELLS(refused(image), INVALID_BINARY, "SPIR-V");
	CHECK_TELLS(refused(image), INVALID_BINARY, "LLVM bitcode");
	free(image.data);
	image = file_of("vadd.v3.offload");
	((char *)image.data)[4] = 4;
	CHECK(!is_valid(image));
	CHECK_TELLS(refused(image), INVALID_BINARY, "offload binary version 4");
	free(image.data);
}

/* A cubin is for GPUs; the CPU device says what it runs. */
static void test_cubin(void)
{
	struct image image = file_of("offload.90.cubin");

	if (is_valid(image))
		create_and_destroy(image);
	else
		CHECK_TELLS(refused(image), INVALID_BINARY, "sm_90");
	if (is_cpu())
		CHECK_TELLS(refused(image), INVALID_BINARY, "the CPU device runs PTX");
	free(image.data);
}

/* The bytes are the program's own: the caller's may go at once. */
static void test_copied(void)
{
	struct image image = image_of("offload");
	ol_program_handle_t program;

	REQUIRE_OK(olCreateProgram(gpu, image.data, image.size, &program));
	memset(image.data, '#', image.size);
	free(image.data);
	kernel_of(program, "nothing");
	kernel_of(program, "bump");
	CHECK_OK(olDestroyProgram(program));
}

/* PTX ends where the size says, and a NUL is part of it or not. */
static void test_unterminated(void)
{
	struct image file = file_of("offload.ptx");
	struct image image = exactly(file.data, file.size);

	CHECK(is_valid(image));
	create_and_destroy(image);
	free(image.data);
	((char *)file.data)[file.size++] = '\0';
	CHECK(is_valid(file));
	create_and_destroy(file);
	free(file.data);
}

/* Text behind the size is none of the program's. */
static void test_size_counts(void)
{
	struct image image = file_of("offload.ptx");
	ol_program_handle_t program;
	ol_symbol_handle_t kernel;

	memcpy((char *)image.data + image.size, ".visible .entry more() { ret; }", 32);
	REQUIRE_OK(olCreateProgram(gpu, image.data, image.size, &program));
	CHECK_CODE(olGetSymbol(program, "more", OL_SYMBOL_KIND_KERNEL, &kernel), NOT_FOUND);
	CHECK_OK(olDestroyProgram(program));
	image.size += 32;
	REQUIRE_OK(olCreateProgram(gpu, image.data, image.size, &program));
	CHECK_OK(olGetSymbol(program, "more", OL_SYMBOL_KIND_KERNEL, &kernel));
	CHECK_OK(olDestroyProgram(program));
	free(image.data);
}

/* ---- What makes none -------------------------------------------------------------- */

/* A page that cannot be read. */
static void *forbidden(void)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* No bytes are no program, and are not looked at. */
static void test_empty(void)
{
	struct image image = { forbidden(), 0 };
	ol_program_handle_t program;

	REQUIRE(image.data != NULL);
	CHECK(!is_valid(image));
	CHECK_TELLS(olCreateProgram(gpu, image.data, 0, &program), INVALID_BINARY, "0 bytes");
	munmap(image.data, 4096);
}

/* Nothing behind the size is looked at. */
static void test_short(void)
{
	char *pages = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	static const char *const starts[] = {
		"\x7f\x45LF\2\1\1\x41\x08", "\x50\xed\x55\xba\1\0\x10\0", "BC\xc0\xde",
		"\x10\xff\x10\xad\1\0\0\0", ".version 6.0\n", "//\n.v", "!<arch>\n",
	};

	REQUIRE(pages != MAP_FAILED && !mprotect(pages + 4096, 4096, PROT_NONE));
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		for (size_t size = 1; size <= strlen(starts[i]); size++) {
			struct image image = { pages + 4096 - size, size };

			memcpy(image.data, starts[i], size);
			CHECK(!is_valid(image));
			if (starts[i][0] != '.')
				CHECK_CODE(refused(image), INVALID_BINARY);
		}
	}
	munmap(pages, 2 * 4096);
}

static void test_junk(void)
{
	static const char *const junk[] = {
		"this is no program at all, but long enough to be one", "\x7f\x45LF, it says",
		"\x50\xed\x55\xba says that it is a fatbin", "\x10\xff\x10\xad is no container",
		"\n\n\n", " ",
	};

	for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++) {
		struct image image = exactly(junk[i], strlen(junk[i]));

		CHECK(!is_valid(image));
		CHECK_CODE(refused(image), INVALID_BINARY);
		free(image.data);
	}
}

/* No call takes what stood there for a program. */
static void test_refused_is_null(void)
{
	ol_program_handle_t program = (ol_program_handle_t)(uintptr_t)1;

	CHECK(olCreateProgram(gpu, "junk", 4, &program) != OL_SUCCESS);
	CHECK(program == NULL);
}

/* Cut anywhere, an image is whole or refused: what has its size in its head is refused. */
static void check_cut(const char *name, bool text)
{
	struct image whole = file_of(name);

	for (size_t size = 1; size < whole.size; size += whole.size / 24) {
		struct image image = exactly(whole.data, size);
		ol_program_handle_t program;
		ol_result_t result = olCreateProgram(gpu, image.data, size, &program);

		if (!result)
			CHECK_OK(olDestroyProgram(program));
		if (!text)
			CHECK_CODE(result, INVALID_BINARY);
		free(image.data);
	}
	free(whole.data);
}

static void test_cut(void)
{
	check_cut("offload.90.cubin", false);
	check_cut("counter.fatbin", false);
	check_cut("vadd.v2.offload", false);
	check_cut("offload.ptx", true);
}

/* Bitcode is told from junk, and what to do about it. */
static void test_bitcode(void)
{
	static const char bitcode[64] = "BC\xc0\xde\x35\x14";
	struct image image = exactly(bitcode, sizeof(bitcode));

	CHECK(!is_valid(image));
	CHECK_TELLS(refused(image), INVALID_BINARY, "LLVM bitcode");
	CHECK_TELLS(refused(image), INVALID_BINARY, "llc -mtriple=nvptx64-nvidia-cuda");
	free(image.data);
}

/* What is for other devices is told with what it is for. */
static void test_other_architecture(void)
{
	static const struct {
		const char *name, *text;
	} rows[] = { { "kernels.75.cubin", "sm_75" }, { "kernels.80.cubin", "sm_80" },
		     { "kernels.120.cubin", "sm_120" }, { "kernels.100f.cubin", "sm_100f" } };
	unsigned told = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct image image = file_of(rows[i].name);

		if (!is_valid(image)) {
			told++;
			/* The stub loads what has the form of an image. */
			if (executes())
				CHECK_TELLS(refused(image), INVALID_BINARY, rows[i].text);
		}
		free(image.data);
	}
	CHECK(told >= 2);
}

/* Code that has yet to be linked: a GPU's driver links what refers to nothing else. */
static void test_relocatable(void)
{
	struct image image = file_of("rdc.cubin");

	CHECK(!is_valid(image));
	if (is_cpu())
		CHECK_CODE(refused(image), INVALID_BINARY);
	free(image.data);
}

/* What the driver's compiler refuses is its failure, with what it says. */
static void test_compile_failure(void)
{
	static const char bad[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				  ".visible .entry nothing() { no.such.instruction %r1; ret; }\n";
	struct image image = exactly(bad, sizeof(bad));
	ol_result_t result;

	if (!executes()) {
		free(image.data);
		SKIP("needs a GPU or the CPU device: the stub compiles nothing");
	}
	CHECK(is_valid(image));
	result = refused(image);
	CHECK_CODE(result, COMPILE_FAILURE);
	/* That is where it is wrong. */
	CHECK_TELLS(result, COMPILE_FAILURE, "line 4");
	free(image.data);
}

/* LLVM's C library for GPUs waits for the host, which nothing here answers for. */
static void test_rpc(void)
{
	static const char rpc[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				  ".visible .global .u64 __llvm_rpc_client;\n"
				  ".visible .entry nothing() { ret; }\n";
	struct image image = exactly(rpc, sizeof(rpc));

	CHECK_TELLS(refused(image), UNSUPPORTED, "__llvm_rpc_client");
	free(image.data);
}

/* ---- Parameters ---------------------------------------------------------------------- */

static void test_null(void)
{
	struct image image = image_of("offload");
	ol_program_handle_t program;
	bool valid;

	CHECK_CODE(olCreateProgram(NULL, image.data, image.size, &program),
		   INVALID_NULL_HANDLE);
	CHECK_CODE(olCreateProgram(gpu, NULL, image.size, &program), INVALID_NULL_POINTER);
	CHECK_CODE(olCreateProgram(gpu, image.data, image.size, NULL), INVALID_NULL_POINTER);
	CHECK_CODE(olCreateProgram(NULL, NULL, 0, NULL), INVALID_NULL_HANDLE);
	CHECK_CODE(olIsValidBinary(NULL, image.data, image.size, &valid), INVALID_NULL_HANDLE);
	CHECK_CODE(olIsValidBinary(gpu, NULL, image.size, &valid), INVALID_NULL_POINTER);
	CHECK_CODE(olIsValidBinary(gpu, NULL, 0, &valid), INVALID_NULL_POINTER);
	CHECK_CODE(olIsValidBinary(gpu, image.data, image.size, NULL), INVALID_NULL_POINTER);
	CHECK_CODE(olDestroyProgram(NULL), INVALID_NULL_HANDLE);
	free(image.data);
}

static void test_host(void)
{
	struct image image = image_of("offload");
	ol_program_handle_t program;

	CHECK_TELLS(olCreateProgram(host, image.data, image.size, &program), INVALID_DEVICE,
		    "host device");
	CHECK_CODE(olCreateProgram(host, image.data, 0, &program), INVALID_DEVICE);
	free(image.data);
}

/* What is no device is told to be none, whatever else is wrong. */
static void test_no_device(void)
{
	struct image image = image_of("offload");
	ol_program_handle_t program = load();
	const ol_device_handle_t wrong[] = {
		(ol_device_handle_t)(void *)program, (ol_device_handle_t)(void *)cuda,
		(ol_device_handle_t)(void *)&image, (ol_device_handle_t)(uintptr_t)-1,
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ol_program_handle_t none;
		bool valid;

		CHECK_CODE(olCreateProgram(wrong[i], image.data, image.size, &none),
			   INVALID_DEVICE);
		CHECK_CODE(olCreateProgram(wrong[i], image.data, 0, &none), INVALID_DEVICE);
		CHECK_CODE(olIsValidBinary(wrong[i], image.data, image.size, &valid),
			   INVALID_DEVICE);
		CHECK_CODE(olIsValidBinary(wrong[i], image.data, 0, &valid), INVALID_DEVICE);
	}
	CHECK_OK(olDestroyProgram(program));
	free(image.data);
}

/* A device of before the last shutdown is none, either. */
static void test_stale_device(void)
{
	struct image image;
	ol_program_handle_t program;
	ol_device_handle_t gone;

	REQUIRE_OK(ol_init());
	look_up();
	gone = gpu;
	CHECK_OK(olShutDown());
	REQUIRE_OK(ol_init());
	look_up();
	image = image_of("offload");
	CHECK_CODE(olCreateProgram(gone, image.data, image.size, &program), INVALID_DEVICE);
	free(image.data);
	CHECK_OK(olShutDown());
}

static void test_uninitialized(void)
{
	ol_program_handle_t program;
	bool valid;

	CHECK_CODE(olCreateProgram(gpu, "x", 1, &program), UNINITIALIZED);
	CHECK_CODE(olIsValidBinary(gpu, "x", 1, &valid), UNINITIALIZED);
	CHECK_CODE(olDestroyProgram(NULL), UNINITIALIZED);
}

static const struct ol_case cases[] = {
	OL_CASE(test_create),
	OL_CASE(test_ptx),
	OL_BARE(test_ptx_left),
	OL_CASE(test_fatbin),
	OL_CASE(test_first_fatbin),
	OL_CASE(test_offload_binary),
	OL_CASE(test_foreign_images),
	OL_CASE(test_cubin),
	OL_CASE(test_copied),
	OL_CASE(test_unterminated),
	OL_CASE(test_size_counts),
	OL_CASE(test_empty),
	OL_CASE(test_short),
	OL_CASE(test_junk),
	OL_CASE(test_refused_is_null),
	OL_CASE(test_cut),
	OL_CASE(test_bitcode),
	OL_CASE(test_other_architecture),
	OL_CASE(test_relocatable),
	OL_CASE(test_compile_failure),
	OL_CASE(test_rpc),
	OL_CASE(test_null),
	OL_CASE(test_host),
	OL_CASE(test_no_device),
	OL_BARE(test_stale_device),
	OL_BARE(test_uninitialized),
};
OL_MAIN(cases)
