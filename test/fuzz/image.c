/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: lib/image.c lib/image_add.c lib/image_read.c lib/image_offload.c */
#include "lookup.h"
#include "fuzz.h"

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
	if ((image && (image->problem || !image->kernel_count ||
		       image_unpack(file, image, &payload, NULL) || !payload.bytes.size)) ||
	    (fatbin.size && (fatbin.data < data || fatbin.size > size)))
		abort();
	if (!lookup_add(&lookup, "", file, NULL, NULL))
		lookup_find(&lookup, NULL, "axpb", &kernel, &level, NULL);
	return 0;
}
