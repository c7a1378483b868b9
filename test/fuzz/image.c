/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: lib/image/image.c lib/image/image_add.c lib/image/image_read.c lib/image/image_offload.c lib/image/image_scan.c */
/* covers: lib/image/image_alternatives.c lib/image/image_join.c */
#include "lookup.h"
#include "fuzz.h"

/* Forgets the list of @image, which is made again as it was. */
static void check_again(struct image_file *file, struct image *image)
{
	const size_t count = image->kernel_count;

	image_forget(file, image);
	image_peek(file, image);
	if (image_kernels(file, image, NULL) || image->kernel_count != count)
		abort();
}

/* Each image is one of its container; what is listed is found; what failed fails again. */
static void check_images(struct image_file *file)
{
	for (size_t i = 0; i < image_count(file); i++) {
		CLEANUP(image_payload_release) struct image_payload payload = { 0 };
		struct image *image = image_at(file, i);
		const size_t *numbers;
		size_t count = image_members(file, image->container, &numbers), at = 0;
		const bool failed = image_kernels(file, image, NULL) != 0;

		while (at < count && numbers[at] != i)
			at++;
		if (at == count || failed != (image_kernels(file, image, NULL) != 0) ||
		    (failed && (image->kernel_count || !image_unpack(file, image, &payload, NULL))))
			abort();
		for (size_t j = 0; j < image->kernel_count && j < 8; j++)
			if (!image_find_kernel(image, image->kernels[j].name))
				abort();
		if (image_find_kernel(image, "no such kernel") && !image->kernel_count)
			abort();
		if (!failed && i < 8)
			check_again(file, image);
	}
}

/* The same file with what is to be linked: each image is one of its container and of its part, and
 * what is chosen of a part is loadable. */
static void check_linked(struct bytes bytes)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	CLEANUP(lookup_release) struct lookup lookup = { 0 };
	const struct image_target target = { .arch = 90, .ptx_only = true };
	size_t members = 0, parts = 0;
	const size_t *numbers;

	if (image_file_read(bytes, "x", &file, NULL))
		return;
	image_file_link(file);
	lookup_add(&lookup, "", file, NULL, NULL);
	for (uint32_t i = 0; i < image_containers(file); i++) {
		const struct image *image = image_choose_part(file, i, &target);

		members += image_members(file, i, &numbers);
		parts += image_part_members(file, i, &numbers);
		if (image && (image->problem || image->part != i))
			abort();
	}
	if (members != image_count(file) || parts != image_count(file))
		abort();
}

/* Any file: it is refused, or what is chosen and looked up in it is whole and inside it.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	CLEANUP(lookup_release) struct lookup lookup = { 0 };
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };
	const struct lookup_kernel *kernel;
	enum lookup_level level;
	char text[200];

	if (image_file_read((struct bytes){ data, size }, "x", &file, NULL))
		return 0;
	image_describe_all(file, text, sizeof(text));
	if (!*image_file_kind(file) || image_file_bytes(file).size != size ||
	    (image_file_damage(file) && !*image_file_damage(file)))
		abort();
	struct image *image =
		image_choose(file, UINT32_MAX, &(struct image_target){ .arch = 90 });
	struct bytes fatbin = image_container(file, image_at(file, 0));
	if ((image && (image->problem || image_unpack(file, image, &payload, NULL) ||
		       !payload.bytes.size)) ||
	    (fatbin.size && !image_at(file, 0)->unpacked &&
	     (fatbin.data < data || fatbin.size > size)))
		abort();
	check_images(file);
	check_linked((struct bytes){ data, size });
	if (!lookup_add(&lookup, "", file, NULL, NULL))
		lookup_find(&lookup, NULL, "axpb", &kernel, &level, NULL);
	return 0;
}
