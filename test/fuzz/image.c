/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lookup.h"
#include "fuzz.h"

/* Any file: it is refused with a reason, or can be listed, looked up and chosen from. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	CLEANUP(lookup_release) struct lookup lookup = { 0 };
	struct image_target target = { .arch = 90 };
	const struct lookup_kernel *kernel;
	enum lookup_level level;
	struct image *image;
	struct err e = { 0 };

	if (image_file_read((struct bytes){ data, size }, "x", &file, &e))
		return 0;
	image = image_choose(file, UINT32_MAX, &target);
	if (image && (image->problem || !image->kernel_count || !image->payload.size))
		abort();
	if (!lookup_init(&lookup, file, NULL, &e))
		lookup_find(&lookup, "axpb", &kernel, &level, &e);
	return 0;
}
