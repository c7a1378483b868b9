/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image_part.h"

#include "diagnose.h"
#include "offload.h"

static int copy(struct bytes bytes, uint8_t **out, struct err *e)
{
	*out = malloc(bytes.size + 1);
	if (!*out)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an image of %zu bytes",
			       bytes.size);
	memcpy(*out, bytes.data, bytes.size);
	(*out)[bytes.size] = '\0';
	return 0;
}

int image_part(const struct device *device, struct bytes bytes, uint8_t **part,
	       struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	struct bytes container;
	struct image *image;

	*part = NULL;
	if (!offload_sniff(bytes, 0))
		return 0;
	TRY(image_file_read(bytes, "image", &file, e));
	TRY(diagnose_choose(device, file, &image, e));
	container = image_container(file, image);
	return copy(container.size ? container : image->payload, part, e);
}
