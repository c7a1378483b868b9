/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Offload binaries as images: which of theirs is loaded, and what is refused. */
#include "kernels.h"

struct file {
	uint8_t *data; /* owned */
	size_t size;
};

static void file_release(struct file *file)
{
	free(file->data);
}

#define FILE_CLEANUP __attribute__((cleanup(file_release)))

static struct file read_file(const char *name)
{
	struct file file;
	char path[128];

	snprintf(path, sizeof(path), "test/data/images/%s", name);
	file.data = tap_read(path, &file.size);
	return file;
}

static void store_u64(uint8_t *p, uint64_t value)
{
	for (size_t i = 0; i < 8; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

/* Appends an offload binary of version 1 that holds @text, with nothing behind it when its
 * length is a multiple of 8. */
static void append(struct file *file, const char *text)
{
	size_t length = strlen(text), size = 72 + ((length + 7) & ~(size_t)7);
	uint8_t *p;

	file->data = realloc(file->data, file->size + size);
	if (!file->data)
		abort();
	p = file->data + file->size;
	memset(p, 0, size);
	memcpy(p, "\x10\xff\x10\xad\1", 5);
	store_u64(p + 8, size);
	store_u64(p + 16, 32);
	store_u64(p + 24, 40);
	store_u64(p + 56, 72);
	store_u64(p + 64, length);
	memcpy(p + 72, text, length);
	file->size += size;
}

/* Runs vadd of @module and checks what it adds. */
static void check_vadd(struct gpurun_module module)
{
	enum { N = 64 };
	struct gpurun_stream stream = new_stream();
	struct gpurun_launch launch = { .stream = stream, .block = { N, 1, 1 } };
	uint64_t a = alloc(N * 4), b = alloc(N * 4);
	float values[N];
	int n = N;
	void *args[] = { &a, &a, &b, &n };

	for (int i = 0; i < N; i++)
		values[i] = (float)i;
	CHECK_INT(gpurun_memory_copy(a, host(values), N * 4, stream), GPURUN_OK);
	CHECK_INT(gpurun_launch(kernel_of(module, "vadd"), &launch, args), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(values), b, N * 4, stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	if (executes())
		CHECK_INT(values[N - 1], 2 * (N - 1));
	CHECK_INT(gpurun_memory_free(a), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(b), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
}

static void loads(const char *name, bool sized)
{
	FILE_CLEANUP struct file file = read_file(name);
	struct gpurun_module module;
	size_t size = sized ? file.size : 0;

	CHECK_INT(gpurun_image_check(device, file.data, size), GPURUN_OK);
	/* The second time it may be one that was kept. */
	for (int i = 0; i < 2; i++) {
		REQUIRE(CHECK_INT(gpurun_module_load(device, file.data, size, &module),
				  GPURUN_OK));
		check_vadd(module);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
}

static void test_versions(void)
{
	loads("vadd.v1.offload", true);
	loads("vadd.v1.offload", false);
	loads("vadd.v2.offload", true);
	loads("vadd.v2.offload", false);
	loads("vadd.v3.offload", true);
	loads("vadd.zstd.offload", true);
	loads("vadd.zstd.offload", false);
	loads("vadd.zlib.offload", true);
	loads("nested.offload", true);
}

/* A text that the next binary follows at once has to get a NUL of its own. */
static void test_no_nul(void)
{
	FILE_CLEANUP struct file file = { NULL, 0 };
	size_t length = (strlen(kernels_ptx) + 7) & ~(size_t)7;
	struct gpurun_module module;
	char *text = malloc(length + 1);

	REQUIRE(text != NULL);
	snprintf(text, length + 1, "%-*s", (int)length, kernels_ptx);
	append(&file, text);
	append(&file, "\x03\x02\x23\x07 is no code for this device");
	free(text);
	CHECK_INT(gpurun_module_load(device, file.data, file.size, &module), GPURUN_OK);
	kernel_of(module, "nothing");
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

/* An image may be there for its variables alone. */
static void test_without_kernels(void)
{
	FILE_CLEANUP struct file file = { NULL, 0 };
	struct gpurun_module module;
	uint64_t address = 0;

	append(&file, ".version 6.0\n.target sm_50\n.address_size 64\n"
		      ".visible .global .u32 word = 7;\n");
	CHECK_INT(gpurun_image_check(device, file.data, file.size), GPURUN_OK);
	CHECK_INT(gpurun_module_load(device, file.data, file.size, &module), GPURUN_OK);
	CHECK_INT(gpurun_module_global(module, "word", &address, NULL), GPURUN_OK);
	CHECK(address != 0);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

/* The image that is best for the device is loaded, wherever it stands. */
static void test_best(void)
{
	FILE_CLEANUP struct file file = { NULL, 0 };
	struct gpurun_module module;
	struct gpurun_kernel kernel;

	append(&file, ".version 6.0\n.target sm_50\n.address_size 64\n"
		      ".visible .entry old() { ret; }\n");
	append(&file, ".version 6.4\n.target sm_70\n.address_size 64\n"
		      ".visible .entry new() { ret; }\n");
	append(&file, ".version 6.0\n.target sm_60\n.address_size 64\n"
		      ".visible .entry older() { ret; }\n");
	CHECK_INT(gpurun_module_load(device, file.data, file.size, &module), GPURUN_OK);
	CHECK_INT(gpurun_module_kernel(module, "new", &kernel), GPURUN_OK);
	if (executes())
		CHECK_INT(gpurun_module_kernel(module, "old", &kernel), GPURUN_NOT_FOUND);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static void refused_file(const struct file *file, size_t size, int status, const char *text)
{
	struct gpurun_module module = { 1 };

	CHECK_INT(gpurun_image_check(device, file->data, size), status);
	CHECK_HAS(gpurun_error_text(), text);
	CHECK_INT(gpurun_module_load(device, file->data, size, &module), status);
	CHECK_HAS(gpurun_error_text(), text);
	CHECK_INT(module.id, 0);
}

static void refused(const char *name, size_t cut, int status, const char *text)
{
	FILE_CLEANUP struct file file = read_file(name);

	refused_file(&file, cut ? cut : file.size, status, text);
}

static void test_refused(void)
{
	refused("rdc.offload", 0, GPURUN_NO_IMAGE, "contains sm_90 relocatable");
	refused("foreign.offload", 0, GPURUN_NO_IMAGE,
		"contains gfx90a AMD machine code, SPIR-V, sm_75 LLVM bitcode, host ELF file");
	refused("vadd.v1.offload", 31, GPURUN_FORMAT, "an offload binary's header");
	refused("vadd.v1.offload", 1000, GPURUN_FORMAT, "an offload binary of 1088 bytes");
	refused("vadd.zstd.offload", 1000, GPURUN_FORMAT, "an offload binary of 1464 bytes");
}

/* Numbers of the header that are wrong. */
static void test_damaged(void)
{
	enum { VERSION = 4, INFLATED = 32 };
	static const struct {
		const char *name;
		size_t at;
		uint8_t value;
		const char *text;
	} rows[] = {
		{ "vadd.v3.offload", VERSION, 4,
		  "offload binary version 4; versions 1 to 3 are read" },
		{ "vadd.zstd.offload", INFLATED, 1, "of zstd data cannot unpack to 5081" },
		{ "vadd.zlib.offload", INFLATED, 1, "zlib data gave 5080 bytes, expected 5081" },
		{ "vadd.zlib.offload", INFLATED + 7, 1, "limit for all of a file of" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE_CLEANUP struct file file = read_file(rows[i].name);

		file.data[rows[i].at] = rows[i].value;
		refused_file(&file, file.size, GPURUN_FORMAT, rows[i].text);
	}
}

/* A file around images is no image: no driver looks into it. */
static void test_files(void)
{
	static const char *const names[] = { "offload.o", "library.a" };

	for (size_t i = 0; i < 2; i++) {
		FILE_CLEANUP struct file file = read_file(names[i]);
		struct gpurun_module module;
		int status = gpurun_image_check(device, file.data, file.size);

		CHECK_INT(status, GPURUN_NO_IMAGE);
		CHECK_HAS(gpurun_error_text(), i ? "an ar archive with GPU code in it" :
						   "an ELF object with GPU code in it");
		/* The stub takes anything for an image. */
		if (executes())
			CHECK(gpurun_module_load(device, file.data, file.size, &module));
	}
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_versions);
	RUN(test_no_nul);
	RUN(test_without_kernels);
	RUN(test_best);
	RUN(test_refused);
	RUN(test_damaged);
	RUN(test_files);
	gpurun_shutdown();
	return tap_end();
}
