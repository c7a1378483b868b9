/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image_part.h"

#include "diagnose.h"
#include "offload.h"

enum { ZEROS = 16 }; /* after a copy */

int image_copy(struct bytes image, uint8_t **copy, struct err *e)
{
	*copy = malloc(image.size + ZEROS);
	if (!*copy)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an image of %zu bytes",
			       image.size);
	memcpy(*copy, image.data, image.size);
	memset(*copy + image.size, 0, ZEROS);
	return 0;
}

int image_part(const struct device *device, struct bytes bytes, uint8_t **part,
	       struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };
	struct bytes container;
	struct image *image;

	*part = NULL;
	if (!offload_sniff(bytes, 0))
		return 0;
	TRY(image_file_read(bytes, "image", &file, e));
	TRY(diagnose_choose(device, file, &image, e));
	container = image_container(file, image);
	if (!container.size)
		TRY(image_unpack(file, image, &payload, e));
	return image_copy(container.size ? container : payload.bytes, part, e);
}
