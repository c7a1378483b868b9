/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image_facts.h"

#include "diagnose.h"
#include "image.h"

static void note(const struct variable_info *variable, void *data)
{
	struct image_facts *facts = data;

	(void)variable;
	facts->variables = true;
}

/* A part that the driver could choose, and that cannot be read, may define anything. */
static int read_part(struct image_file *file, struct image *image,
		     struct image_facts *facts, struct err *e)
{
	int status = image_variables(file, image, note, facts, e);

	if (status == GPURUN_NO_MEMORY)
		return status;
	if (status)
		facts->variables = true;
	return 0;
}

int image_facts_read(const struct device *device, struct bytes bytes,
		     struct image_facts *facts, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	struct image_target target = diagnose_target(device);
	size_t parts = 0;
	int status = image_file_read(bytes, "image", &file, e);

	*facts = (struct image_facts){ 0 };
	if (status == GPURUN_NO_MEMORY)
		return status;
	for (size_t i = 0; file && i < image_count(file); i++) {
		struct image *image = image_at(file, i);

		if (!image_runs_on(image, &target))
			continue;
		parts++;
		TRY(read_part(file, image, facts, e));
	}
	if (!parts)
		facts->variables = true;
	return 0;
}
