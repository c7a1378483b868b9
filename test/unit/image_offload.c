/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Images in offload binaries, plain and compressed. */
#include "image.h"
#include "offload.h"
#include "fixture.h"

#include <zlib.h>

static struct image_file *open_file(const char *name)
{
	struct image_file *file = NULL;
	struct err e = { 0 };
	char path[256];

	snprintf(path, sizeof(path), "test/data/images/%s", name);
	if (!CHECK_INT(image_file_open(path, &file, &e), 0)) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
	CHECK(!image_file_damage(file));
	return file;
}

/* What is packed for different devices is one module; two for one device are not. */
static void test_containers(void)
{
	CLEANUP(free_image_file) struct image_file *two = open_file("vadd.v1.offload");
	CLEANUP(free_image_file) struct image_file *nested = open_file("nested.offload");
	CLEANUP(free_image_file) struct image_file *twice = NULL;
	CLEANUP(fixture_release) struct fixture file = fixture("vadd.v1.offload");
	CLEANUP(free_pointer) uint8_t *bytes = malloc(file.size * 2);

	CHECK_INT(image_at(two, 0)->container, image_at(two, 1)->container);
	CHECK(image_choose(two, image_at(two, 0)->container,
			   &(struct image_target){ .arch = 90 }) == image_at(two, 1));
	CHECK_STR(offload_producer(image_at(two, 1)->offload), "openmp");
	CHECK_INT(image_container(two, image_at(two, 0)).size, 0);
	CHECK_INT(image_container(nested, image_at(nested, 1)).size, 4864);
	REQUIRE(bytes != NULL);
	memcpy(bytes, file.data, file.size);
	memcpy(bytes + file.size, file.data, file.size);
	REQUIRE(!image_file_read((struct bytes){ bytes, file.size * 2 }, "x", &twice, NULL));
	REQUIRE(CHECK_INT(image_count(twice), 4));
	CHECK(image_at(twice, 0)->container != image_at(twice, 2)->container);
	CHECK_INT(image_at(twice, 0)->container, image_at(twice, 1)->container);
	CHECK_INT(image_at(twice, 2)->container, image_at(twice, 3)->container);
}

/* Sections are found by their type, whatever they are called. */
static void test_places(void)
{
	CLEANUP(free_image_file) struct image_file *object = open_file("offload.o");
	CLEANUP(free_image_file) struct image_file *renamed = NULL;
	CLEANUP(fixture_release) struct fixture file = fixture("offload.o");
	uint8_t *name = memmem(file.data, file.size, ".llvm.offloading", 16);

	CHECK_STR(image_at(object, 0)->where, ".llvm.offloading");
	REQUIRE(name != NULL);
	memcpy(name, ".another.section", 16);
	REQUIRE(!image_file_read(bytes_of(&file), "x", &renamed, NULL));
	CHECK_INT(image_count(renamed), 6);
	CHECK_STR(image_at(renamed, 5)->where, ".another.section");
}

static void test_problems(void)
{
	CLEANUP(free_image_file) struct image_file *file = open_file("foreign.offload");

	CHECK_STR(image_at(file, 0)->problem, "for devices of another kind than NVIDIA's");
	CHECK_STR(image_at(file, 1)->problem, "has to be compiled to PTX first");
	CHECK_STR(image_at(file, 2)->problem, "has to be compiled first");
	CHECK_STR(image_at(file, 3)->problem, "for the host");
}

/* Two files, one behind the other. */
static struct fixture join(const struct fixture *a, const struct fixture *b)
{
	struct fixture both = { malloc(a->size + b->size), a->size + b->size };

	if (!both.data)
		abort();
	memcpy(both.data, a->data, a->size);
	memcpy(both.data + a->size, b->data, b->size);
	return both;
}

/* A version that cannot be read is named, and the images next to it are used. */
static void test_versions(void)
{
	CLEANUP(fixture_release) struct fixture fourth = fixture("vadd.v3.offload");
	CLEANUP(fixture_release) struct fixture first = fixture("vadd.v1.offload");
	CLEANUP(fixture_release) struct fixture both = { 0 };
	CLEANUP(free_image_file) struct image_file *file = NULL;

	fourth.data[4] = 4;
	both = join(&fourth, &first);
	REQUIRE(!image_file_read(bytes_of(&both), "x", &file, NULL));
	CHECK_INT(image_count(file), 2);
	CHECK_HAS(image_file_damage(file),
		  "offset 0: offload binary version 4; versions 1 to 3 are read");
}

/* Every form of the same two images says the same of them. */
static void test_compressed(void)
{
	static const char *const names[] = { "v2", "v3", "zstd", "zlib" };

	for (size_t i = 0; i < 4; i++) {
		CLEANUP(free_image_file) struct image_file *file = NULL;
		CLEANUP(image_payload_release) struct image_payload payload = { 0 };
		char name[32];
		struct image *image;

		snprintf(name, sizeof(name), "vadd.%s.offload", names[i]);
		file = open_file(name);
		CHECK_STR(image_file_kind(file), "offload binary");
		CHECK(!image_file_damage(file));
		REQUIRE(CHECK_INT(image_count(file), 2));
		image = image_at(file, 1);
		CHECK_INT(image->unpacked, i >= 2);
		CHECK_STR(image->where, i >= 2 ? names[i] : "");
		CHECK_INT(image->size, 3848);
		CHECK_INT(image->container, image_at(file, 0)->container);
		REQUIRE(!image_unpack(file, image_at(file, 0), &payload, NULL));
		CHECK(bytes_begin(payload.bytes, ".version 9.0", 12));
		REQUIRE(!image_kernels(file, image, NULL));
		CHECK_STR(image->kernels[0].name, "vadd");
		image_forget(file, image);
		CHECK_INT(image_kernels(file, image, NULL), 0);
	}
}

/* Reads @bytes, which have images and @damage. */
static void check_damage(struct fixture bytes, const char *damage)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;

	REQUIRE(!image_file_read(bytes_of(&bytes), "x", &file, NULL));
	CHECK_INT(image_count(file), 2);
	CHECK_HAS(image_file_damage(file), damage);
}

/* What is wrong with a compressed one is told by where it stands, and what is beside it is
 * used. */
static void test_compressed_damage(void)
{
	enum { INFLATED = 32 };
	CLEANUP(fixture_release) struct fixture zstd = fixture("vadd.zstd.offload");
	CLEANUP(fixture_release) struct fixture first = fixture("vadd.v1.offload");
	CLEANUP(fixture_release) struct fixture behind = join(&first, &zstd);

	store_u64(behind.data + first.size + INFLATED, 5119);
	check_damage(behind, "offset 0x13d8: zstd data gives more than 5079 bytes");
	/* As large as a stream of that size may be, and then larger. */
	store_u64(behind.data + first.size + INFLATED, (16 << 20) + 64 * behind.size);
	check_damage(behind, "bytes of zstd data cannot unpack to");
	store_u64(behind.data + first.size + INFLATED, (16 << 20) + 64 * behind.size + 1);
	check_damage(behind, "offset 0x13d8: an offload binary that unpacks from 14");
	CHECK_INT(first.size + zstd.size, behind.size);
}

/* Compresses @plain, which is of version 3. */
static struct fixture compress_whole(const struct fixture *plain)
{
	enum { HEADER = 40, SIZE = 8, INFLATED = 32 };
	uLongf size = compressBound(plain->size);
	struct fixture file = { calloc(1, HEADER + size + 7), 0 };

	if (!file.data || compress(file.data + HEADER, &size, plain->data + HEADER,
				   plain->size - HEADER) != Z_OK)
		abort();
	file.size = (HEADER + size + 7) & ~(size_t)7;
	memcpy(file.data, plain->data, HEADER);
	store_u64(file.data + SIZE, file.size);
	store_u64(file.data + INFLATED, plain->size);
	return file;
}

/* An image that is damaged is told of by where it is once unpacked. */
static void test_compressed_image_damage(void)
{
	CLEANUP(fixture_release) struct fixture plain = fixture("vadd.v3.offload");
	CLEANUP(fixture_release) struct fixture file = { 0 };
	CLEANUP(free_image_file) struct image_file *images = NULL;
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };
	struct err e = { 0 };
	uint8_t *text = memmem(plain.data, plain.size, ".address_size", 13);
	char where[64];

	REQUIRE(text != NULL);
	memset(text, '(', 40);
	file = compress_whole(&plain);
	REQUIRE(!image_file_read(bytes_of(&file), "x", &images, NULL));
	REQUIRE(CHECK_INT(image_count(images), 2));
	snprintf(where, sizeof(where), "unpacked offset %#llx: ",
		 (unsigned long long)image_at(images, 0)->offset);
	CHECK_HAS(image_file_damage(images), where);
	CHECK_HAS(image_at(images, 0)->problem, where);
	CHECK_INT(image_unpack(images, image_at(images, 0), &payload, &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, "x: unpacked offset");
	CHECK_INT(image_kernels(images, image_at(images, 1), NULL), 0);
}

int main(void)
{
	RUN(test_containers);
	RUN(test_places);
	RUN(test_problems);
	RUN(test_versions);
	RUN(test_compressed);
	RUN(test_compressed_damage);
	RUN(test_compressed_image_damage);
	return tap_end();
}
