/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image.h"
#include "fixture.h"

#include <sys/wait.h>

#define DATA "test/data/images/"

static struct image_file *open_file(const char *name)
{
	struct image_file *file = NULL;
	struct err e = { 0 };
	char path[256];

	snprintf(path, sizeof(path), DATA "%s", name);
	if (!CHECK_INT(image_file_open(path, &file, &e), 0)) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
	CHECK(!image_file_damage(file));
	return file;
}

static void check_file(const char *name, const char *kind, const char *content)
{
	CLEANUP(free_image_file) struct image_file *file = open_file(name);
	char text[256];

	image_describe_all(file, text, sizeof(text));
	if (!CHECK_STR(image_file_kind(file), kind) || !CHECK_STR(text, content))
		printf("#   in %s\n", name);
	for (size_t i = 0; i < image_count(file); i++) {
		CLEANUP(image_payload_release) struct image_payload payload = { 0 };
		struct image *image = image_at(file, i);

		CHECK_INT(image_kernels(file, image, NULL), 0);
		CHECK(image->kernel_count || image->problem);
		CHECK(image->problem || (!image_unpack(file, image, &payload, NULL) &&
					 payload.bytes.size));
	}
}

static void test_files(void)
{
	check_file("vadd.ptx", "PTX", "sm_75 PTX 9.0");
	check_file("kernels.90a.cubin", "cubin", "sm_90a SASS");
	check_file("vadd.abi7.cubin", "cubin", "sm_75 SASS");
	check_file("rdc.cubin", "cubin", "sm_90 relocatable SASS");
	check_file("stored.fatbin", "fatbin", "sm_90 SASS, sm_75 PTX 9.0");
	check_file("zlib.fatbin", "fatbin", "sm_90 SASS, sm_75 PTX 9.0");
	check_file("lz4frame.fatbin", "fatbin", "sm_90 SASS, sm_75 PTX 9.0");
	check_file("two.fatbin", "fatbin", "sm_90 SASS, sm_75 PTX 9.0");
	check_file("many.fatbin", "fatbin",
		   "sm_75 SASS, sm_80 SASS, sm_90a SASS, sm_100f SASS, sm_120 SASS, "
		   "sm_75 PTX 9.0");
	check_file("ltoir.fatbin", "fatbin", "sm_90 LTO-IR");
	check_file("narrow.fatbin", "fatbin", "sm_75 PTX 9.0");
	check_file("host.o", "ELF object", "sm_90 SASS, sm_75 PTX 9.0");
	check_file("host.exe", "ELF executable", "sm_90 SASS, sm_75 PTX 9.0");
	check_file("host.so", "ELF shared library", "sm_90 SASS, sm_75 PTX 9.0");
	check_file("rdc.o", "ELF object", "sm_90 relocatable SASS, sm_75 relocatable PTX 9.0");
	check_file("mlir.isa.o", "ELF object", "sm_90 PTX 8.0");
	check_file("mlir.bin.o", "ELF object", "sm_90 SASS");
	check_file("mlir.fatbin.o", "ELF object", "sm_90 SASS, sm_90 PTX 8.0");
	check_file("mlir.offloading.o", "ELF object", "LLVM bitcode");
	check_file("vadd.v1.offload", "offload binary", "sm_75 PTX 9.0, sm_90 SASS");
	check_file("vadd.v2.offload", "offload binary", "sm_75 PTX 9.0, sm_90 SASS");
	check_file("nested.offload", "offload binary", "sm_90 SASS, sm_75 PTX 9.0");
	check_file("rdc.offload", "offload binary", "sm_90 relocatable SASS");
	check_file("foreign.offload", "offload binary",
		   "gfx90a AMD machine code, SPIR-V, sm_75 LLVM bitcode, host ELF file");
	check_file("offload.o", "ELF object",
		   "sm_75 PTX 9.0, sm_90 SASS, gfx90a AMD machine code, SPIR-V, "
		   "sm_75 LLVM bitcode, host ELF file");
	check_file("library.a", "ar archive",
		   "sm_90 SASS, sm_75 PTX 9.0, gfx90a AMD machine code, SPIR-V, "
		   "sm_75 LLVM bitcode, host ELF file");
	check_file("offload.exe", "ELF executable", "sm_90 SASS");
}

static void test_places(void)
{
	CLEANUP(free_image_file) struct image_file *host = open_file("host.exe");
	CLEANUP(free_image_file) struct image_file *mlir = open_file("mlir.isa.o");
	CLEANUP(free_image_file) struct image_file *two = open_file("two.fatbin");
	struct bytes container;

	/* What nvcc's own link leaves in every program is not listed. */
	CHECK_INT(image_count(host), 2);
	CHECK_STR(image_at(host, 0)->where, ".nv_fatbin");
	CHECK_STR(image_at(mlir, 0)->where, "kmod_binary");
	CHECK_INT(image_container(mlir, image_at(mlir, 0)).size, 0);
	REQUIRE(CHECK_INT(image_count(two), 4));
	CHECK_INT(image_at(two, 1)->container, 0);
	CHECK_INT(image_at(two, 2)->container, 1);
	container = image_container(two, image_at(two, 3));
	CHECK_INT(container.data - image_file_bytes(two).data, 4864);
	CHECK_INT(container.size, image_file_bytes(two).size - 4864);
}

/* Members have their names before those of their places; a damaged one spoils no other. */
static void test_archive(void)
{
	CLEANUP(free_image_file) struct image_file *whole = open_file("library.a");
	CLEANUP(free_image_file) struct image_file *damaged = NULL;
	CLEANUP(fixture_release) struct fixture file = fixture("library.a");
	struct image *last = image_at(whole, image_count(whole) - 1);

	CHECK_STR(image_at(whole, 0)->where, "stored.fatbin");
	CHECK_STR(image_at(whole, 2)->where, "offload.o:.llvm.offloading");
	CHECK_STR(last->where, "vadd.ptx");
	CHECK_INT(image_count(whole), 9);
	CHECK(!image_kernels(whole, last, NULL) && last->kernel_count == 1);
	CHECK(!memcmp(file.data + last->offset, ".version", 8));
	file.data[image_at(whole, 2)->offset - 288 + 4] = 9; /* the ELF file's class */
	REQUIRE(!image_file_read(bytes_of(&file), "x", &damaged, NULL));
	CHECK_INT(image_count(damaged), 3);
	CHECK_HAS(image_file_damage(damaged), "member offload.o: ");
}

static void test_payload(void)
{
	CLEANUP(free_image_file) struct image_file *file = open_file("zstd.fatbin");
	CLEANUP(free_image_file) struct image_file *bare = open_file("vadd.ptx");
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };
	struct image *image = image_at(file, 1);

	CHECK_INT(image->codec, CODEC_ZSTD);
	REQUIRE(!image_kernels(file, image, NULL));
	CHECK_STR(image->kernels[0].name, "vadd");
	CHECK(image_find_kernel(image, "vadd") == &image->kernels[0]);
	CHECK(!image_find_kernel(image, "vad") && !image_find_kernel(image, "vadd2"));
	CHECK_INT(image_kernels(file, image, NULL), 0);
	REQUIRE(!image_unpack(file, image, &payload, NULL));
	/* Without the NUL that the container keeps. */
	CHECK_INT(payload.bytes.size, image->size - 1);
	CHECK(!memcmp(payload.bytes.data, ".version", 8));
	CHECK(payload.buffer == payload.bytes.data);
	image_payload_release(&payload);
	/* What is not compressed is the file's own. */
	REQUIRE(!image_unpack(bare, image_at(bare, 0), &payload, NULL));
	CHECK(!payload.buffer && payload.bytes.data == image_file_bytes(bare).data);
}

static void test_members(void)
{
	CLEANUP(free_image_file) struct image_file *two = open_file("two.fatbin");
	const size_t *numbers;

	REQUIRE(CHECK_INT(image_members(two, 1, &numbers), 2));
	CHECK(numbers[0] == 2 && numbers[1] == 3);
	CHECK_INT(image_members(two, 0, &numbers), 2);
	CHECK(numbers[0] == 0 && numbers[1] == 1);
	CHECK_INT(image_members(two, 2, &numbers), 0);
}

/* Where the two entries of zstd.fatbin say what they unpack to. */
static uint8_t *unpacked_size(struct fixture *file, size_t entry)
{
	uint8_t *p = file->data + 16;

	if (entry)
		p += load_u32(p + 4) + load_u64(p + 8);
	return p + 56;
}

/* The limit is for all images together: the second is one too many. */
static void test_bombs(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("zstd.fatbin");
	CLEANUP(free_image_file) struct image_file *images = NULL;
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };
	struct err e = { 0 };
	char want[300];

	store_u64(unpacked_size(&file, 0), 50 << 20);
	store_u64(unpacked_size(&file, 1), 50 << 20);
	REQUIRE(!image_file_read(bytes_of(&file), "x", &images, NULL));
	CHECK(!image_at(images, 0)->problem);
	CHECK_INT(image_kernels(images, image_at(images, 1), &e), GPURUN_FORMAT);
	snprintf(want, sizeof(want),
		 "a zstd image that unpacks from %" PRIu64 " to 52428800 bytes, after 52428800 "
		 "of others: the limit for all images of a file of %zu bytes is %zu",
		 image_at(images, 1)->stored, file.size, (64 << 20) + 64 * file.size);
	CHECK_HAS(e.text, want);
	CHECK_HAS(image_file_damage(images), want);
	CHECK_INT(image_unpack(images, image_at(images, 1), &payload, &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, want);
	/* None is left. */
	store_u64(unpacked_size(&file, 0), 1 << 30);
	store_u64(unpacked_size(&file, 1), UINT64_MAX);
	image_file_free(images);
	CHECK_INT(image_file_read(bytes_of(&file), "x", &images, &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, "x: offset 0x50: a zstd image that unpacks from ");
	CHECK_HAS(e.text, " to 1073741824 bytes, after 0 of others");
	CHECK_HAS(e.hint, "without compression");
}

/* What needs a device link is as good as other code where it is to be linked. */
static void test_to_be_linked(void)
{
	const struct image_target cpu = { .arch = 90, .ptx_only = true }, gpu = { .arch = 90 };
	CLEANUP(free_image_file) struct image_file *object = open_file("rdc.o");
	CLEANUP(free_image_file) struct image_file *cubin = open_file("rdc.cubin");

	CHECK(!image_choose(object, UINT32_MAX, &gpu));
	image_file_link(object);
	REQUIRE(image_choose(object, UINT32_MAX, &gpu) != NULL);
	CHECK_INT(image_choose(object, UINT32_MAX, &gpu)->kind, IMAGE_CUBIN);
	REQUIRE(image_choose(object, UINT32_MAX, &cpu) != NULL);
	CHECK_INT(image_choose(object, UINT32_MAX, &cpu)->kind, IMAGE_PTX);
	CHECK_INT(image_at(object, 1)->kernel_count, 5);
	image_file_link(cubin);
	REQUIRE(!image_kernels(cubin, image_at(cubin, 0), NULL));
	CHECK(!image_at(cubin, 0)->problem && image_at(cubin, 0)->kind == IMAGE_CUBIN);
}

static void test_problems(void)
{
	static const char needs_link[] =
		"needs a device link (nvcc, nvlink, clang-linker-wrapper)";
	CLEANUP(free_image_file) struct image_file *rdc = open_file("rdc.o");
	CLEANUP(free_image_file) struct image_file *narrow = open_file("narrow.fatbin");
	CLEANUP(free_image_file) struct image_file *ltoir = open_file("ltoir.fatbin");

	CHECK_STR(image_at(rdc, 0)->problem, needs_link);
	CHECK_STR(image_at(rdc, 1)->problem, needs_link);
	/* They are listed all the same. */
	CHECK(!image_kernels(rdc, image_at(rdc, 0), NULL) &&
	      image_at(rdc, 0)->kernel_count == 5);
	CHECK(!image_kernels(rdc, image_at(rdc, 1), NULL) &&
	      image_at(rdc, 1)->kernel_count == 5);
	CHECK_STR(image_at(rdc, 1)->problem, needs_link);
	CHECK_STR(image_at(narrow, 0)->problem, "32-bit code");
	CHECK_STR(image_at(ltoir, 0)->problem, "needs a device link");
}

/* A fatbin tells nothing of relocatable entries: that is known once they are read. */
static void test_hidden_relocatable(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("stored.fatbin");
	CLEANUP(free_image_file) struct image_file *images = NULL;
	struct image_target target = { .arch = 90 };

	file.data[0x50 + 16] = 1; /* ET_REL */
	REQUIRE(!image_file_read(bytes_of(&file), "x", &images, NULL));
	CHECK_INT(image_at(images, 0)->kind, IMAGE_CUBIN);
	CHECK(image_choose(images, UINT32_MAX, &target) == image_at(images, 1));
	CHECK_INT(image_at(images, 0)->kind, IMAGE_RELOCATABLE);
}

/* Until the text is read, what its fatbin says of its version counts. */
static void test_ptx_version(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("stored.fatbin");
	CLEANUP(free_image_file) struct image_file *images = NULL;
	uint8_t *second = file.data + 0x50;

	second += load_u64(file.data + 16 + 8);
	second[24] = 7;
	REQUIRE(!image_file_read(bytes_of(&file), "x", &images, NULL));
	CHECK_INT(image_at(images, 1)->ptx_major, 9);
	CHECK_INT(image_at(images, 1)->ptx_minor, 7);
	CHECK_INT(image_kernels(images, image_at(images, 1), NULL), 0);
	CHECK_INT(image_at(images, 1)->ptx_minor, 0);
}

static void refuse(const void *data, size_t size, int status, const char *text)
{
	struct image_file *file;
	struct err e = { 0 };

	CHECK_INT(image_file_read((struct bytes){ data, size }, "x", &file, &e), status);
	CHECK(!file);
	CHECK_STR(e.text, text);
	CHECK(e.hint[0] || status != GPURUN_FORMAT ||
	      !strcmp(text, "x: the file is empty") || strstr(text, "line") ||
	      strstr(text, "offload"));
}

static void test_refused(void)
{
	refuse("", 0, GPURUN_FORMAT, "x: the file is empty");
	refuse("ab", 2, GPURUN_FORMAT, "x: offset 0: not a GPU image: has 2 bytes");
	refuse("#!/bin/sh", 9, GPURUN_FORMAT,
	       "x: not a GPU image: a script");
	refuse("\1\2\3\4\5", 5, GPURUN_FORMAT,
	       "x: offset 0: not a GPU image: begins with 01 02 03 04");
	refuse("!<arch>\n", 8, GPURUN_NO_IMAGE, "x: no GPU image in this ar archive");
	refuse("!<thin>\n", 8, GPURUN_FORMAT,
	       "x: not a GPU image: a thin ar archive");
	refuse("\x10\xFF\x10\xAD", 4, GPURUN_FORMAT,
	       "x: offset 0: 4 bytes left, expected an offload binary's header of 32");
	refuse(".version 8.0\n.target sm_75\n.entry {", 36, GPURUN_FORMAT,
	       "x: offset 0: line 3: expected the name of an entry, found '{'");
}

static void refuse_file(const char *name, int status, const char *text, const char *hint)
{
	struct image_file *file;
	struct err e = { 0 };
	char path[256];

	snprintf(path, sizeof(path), DATA "%s", name);
	CHECK_INT(image_file_open(path, &file, &e), status);
	CHECK_HAS(e.text, text);
	CHECK_HAS(e.hint, hint);
	CHECK_HAS(e.text, path);
}

static void test_files_without_images(void)
{
	refuse_file("none.exe", GPURUN_NO_IMAGE, ": no GPU image in this ELF executable",
		    "");
	refuse_file("none.o", GPURUN_NO_IMAGE, ": no GPU image in this ELF object",
		    "cubins, offload binaries and PTX anywhere else");
	refuse_file("host.debug", GPURUN_NO_IMAGE,
		    ": a debug file: its GPU images were split off",
		    "the file that it was split from");
	refuse_file("no such file", GPURUN_IO, ": cannot open: No such file or directory",
		    "");
	refuse_file(".", GPURUN_IO, ": cannot read: Is a directory", "");
}

static void test_damaged_entry(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("zstd.fatbin");
	CLEANUP(free_image_file) struct image_file *images = NULL;
	struct image_target target = { .arch = 90 };
	struct err e = { 0 };

	file.data[0x50 + 40] ^= 0xff;
	REQUIRE(!image_file_read(bytes_of(&file), "x", &images, NULL));
	CHECK_INT(image_count(images), 2);
	CHECK_INT(image_kernels(images, image_at(images, 0), &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, "x: offset 0x50: ");
	CHECK_HAS(e.text, "zstd");
	CHECK(image_at(images, 0)->problem);
	CHECK_INT(image_kernels(images, image_at(images, 0), NULL), GPURUN_FORMAT);
	/* The other entry is whole, and can be launched. */
	CHECK(image_choose(images, 0, &target) == image_at(images, 1));
}

static void test_truncated_fatbin(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("two.fatbin");
	CLEANUP(free_image_file) struct image_file *images = NULL, *none = NULL;
	struct err e = { 0 };

	REQUIRE(!image_file_read((struct bytes){ file.data, 5000 }, "x", &images, NULL));
	CHECK_INT(image_count(images), 2);
	CHECK_STR(image_file_damage(images),
		  "offset 0x1300: fatbin of 1576 bytes in 136");
	CHECK_INT(image_file_read((struct bytes){ file.data, 200 }, "x", &none, &e),
		  GPURUN_FORMAT);
	CHECK_STR(e.text, "x: offset 0: fatbin of 4848 bytes in 200");
}

/* The second container is found behind a first one that lost its way. */
static void test_damage_between(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("two.fatbin");
	CLEANUP(free_image_file) struct image_file *images = NULL;

	store_u64(file.data + 8, UINT64_MAX);
	store_u32(file.data + 20, 8);
	REQUIRE(!image_file_read(bytes_of(&file), "x", &images, NULL));
	CHECK_INT(image_count(images), 2);
	CHECK_HAS(image_file_damage(images), "offset 0: fatbin of ");
	CHECK_INT(image_at(images, 0)->codec, CODEC_ZSTD);
	CHECK_INT(image_container(images, image_at(images, 0)).size, file.size - 4864);
}

static void test_junk_between(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("two.fatbin");
	CLEANUP(free_image_file) struct image_file *images = NULL;

	file.data[4864] = 0;
	REQUIRE(!image_file_read(bytes_of(&file), "x", &images, NULL));
	CHECK_INT(image_count(images), 2);
	CHECK_STR(image_file_damage(images), "offset 0x1300: expected a fatbin");
}

/* The number of sections of a cubin within a file may be in its section 0. */
static void test_counted_in_section(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("kernels.90a.cubin");
	CLEANUP(free_image_file) struct image_file *images = NULL;
	CLEANUP(free_pointer) uint8_t *data = calloc(1, file.size + 64);
	uint8_t *section;

	REQUIRE(data && load_u64(file.data + 40) + 64 <= file.size);
	section = file.data + load_u64(file.data + 40);
	store_u64(section + 32, load_u16(file.data + 60));
	file.data[60] = file.data[61] = 0;
	memcpy(data + 64, file.data, file.size);
	memcpy(data, "\177ELF\2\1\1", 7); /* a host's, which has no section */
	data[16] = 2, data[18] = 62, data[20] = 1, data[52] = 64;
	REQUIRE(!image_file_read((struct bytes){ data, file.size + 64 }, "x", &images, NULL));
	REQUIRE(image_count(images) == 1);
	CHECK_INT(image_at(images, 0)->kind, IMAGE_CUBIN);
	CHECK_INT(image_at(images, 0)->offset, 64);
}

/* Writes @data into a pipe that is standard input. */
static void feed_stdin(const struct fixture *file)
{
	int ends[2];
	pid_t child;

	if (pipe(ends))
		abort();
	child = fork();
	if (!child) {
		close(ends[0]);
		for (size_t done = 0; done < file->size;) {
			ssize_t sent =
				write(ends[1], file->data + done, file->size - done);

			if (sent <= 0)
				_exit(1);
			done += (size_t)sent;
		}
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
}

static void test_standard_input(void)
{
	CLEANUP(fixture_release) struct fixture host = fixture("host.exe");
	CLEANUP(free_image_file) struct image_file *piped = NULL, *mapped = NULL;
	struct err e = { 0 };

	feed_stdin(&host);
	CHECK_INT(image_file_open("-", &piped, &e), 0);
	wait(NULL);
	CHECK(piped && image_count(piped) == 2);
	REQUIRE(freopen(DATA "host.o", "r", stdin));
	CHECK_INT(image_file_open("-", &mapped, &e), 0);
	CHECK(mapped && image_count(mapped) == 2);
	REQUIRE(freopen("/dev/null", "r", stdin));
	free_image_file(&mapped);
	CHECK_INT(image_file_open("-", &mapped, &e), GPURUN_FORMAT);
	CHECK_STR(e.text, "standard input: the file is empty");
}

/* A file is read from where standard input stands. */
static void test_sought_input(void)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;

	REQUIRE(freopen(DATA "two.fatbin", "r", stdin));
	REQUIRE(lseek(STDIN_FILENO, 4864, SEEK_SET) == 4864);
	CHECK_INT(image_file_open("-", &file, NULL), 0);
	CHECK(file && image_count(file) == 2);
}

/* Looking for the holes of a file moves no other reader's place in it. */
static void test_sparse_input(void)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	FILE *sparse = tmpfile();
	struct err e = { 0 };

	REQUIRE(sparse && pwrite(fileno(sparse), "", 1, (1 << 28) + (1 << 20)) == 1);
	REQUIRE(dup2(fileno(sparse), STDIN_FILENO) == STDIN_FILENO);
	REQUIRE(lseek(STDIN_FILENO, 4096, SEEK_SET) == 4096);
	CHECK_INT(image_file_open("-", &file, &e), GPURUN_IO);
	CHECK_HAS(e.text, "standard input: a sparse file: ");
	CHECK_INT(lseek(STDIN_FILENO, 0, SEEK_CUR), 4096);
	fclose(sparse);
}

/* What @file is once it was looked into, and whether a device that runs PTX alone takes it. */
static void check_line_info(const struct fixture *file, const char *what, bool runs)
{
	const struct image_target cpu = { .arch = 90, .ptx_only = true }, old = { 70, true, 0 };
	CLEANUP(free_image_file) struct image_file *images = NULL;
	char text[64];

	REQUIRE(!image_file_read(bytes_of(file), "x", &images, NULL));
	CHECK(image_choose(images, UINT32_MAX, &cpu) == (runs ? image_at(images, 0) : NULL));
	CHECK(!image_choose(images, UINT32_MAX, &old));
	CHECK(!image_kernels(images, image_at(images, 0), NULL));
	CHECK_STR(image_describe(image_at(images, 0), text, sizeof(text)), what);
}

/* PTX of line info is of use where there is no other, and only if it has all kernels. */
static void test_line_info(void)
{
	static const char with[] = "sm_75 SASS with PTX (from line info)";
	CLEANUP(fixture_release) struct fixture whole = fixture("lineinfo.75.cubin");
	CLEANUP(fixture_release) struct fixture linked = fixture("lineinfo.rdc.cubin");
	CLEANUP(fixture_release) struct fixture packed = fixture("lineinfo.fatbin");
	CLEANUP(fixture_release) struct fixture none = fixture("vadd.75.cubin");
	uint8_t *entry;

	check_line_info(&whole, with, true);
	check_line_info(&linked, with, true);
	check_line_info(&packed, with, true);
	check_line_info(&none, "sm_75 SASS", false);
	entry = memmem(whole.data, whole.size, ".entry second", 13);
	REQUIRE(entry);
	entry[7] = 'S';
	check_line_info(&whole, "sm_75 SASS", false);
	entry[7] = ';';
	check_line_info(&whole, "sm_75 SASS", false);
}

/* The types that a cubin does not tell stand in its line info. */
static void test_line_info_types(void)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	const struct kernel_info *second;

	REQUIRE(!image_file_open(DATA "lineinfo.rdc.cubin", &file, NULL));
	REQUIRE(!image_kernels(file, image_at(file, 0), NULL));
	second = image_find_kernel(image_at(file, 0), "second");
	REQUIRE(second && CHECK_INT(second->param_count, 2));
	CHECK_INT(second->params[1].kind, PARAM_FLOAT);
	CHECK(second->registers > 0);
}

int main(void)
{
	RUN(test_line_info);
	RUN(test_line_info_types);
	RUN(test_files);
	RUN(test_places);
	RUN(test_archive);
	RUN(test_payload);
	RUN(test_members);
	RUN(test_bombs);
	RUN(test_problems);
	RUN(test_to_be_linked);
	RUN(test_hidden_relocatable);
	RUN(test_ptx_version);
	RUN(test_refused);
	RUN(test_files_without_images);
	RUN(test_damaged_entry);
	RUN(test_truncated_fatbin);
	RUN(test_damage_between);
	RUN(test_junk_between);
	RUN(test_counted_in_section);
	RUN(test_standard_input);
	RUN(test_sought_input);
	RUN(test_sparse_input);
	return tap_end();
}
