/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pick.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What --image says. */
struct pick {
	bool by_index, ptx;
	size_t index;
	unsigned arch;
	char suffix;
};

static int read_pick(const char *text, struct pick *pick, struct err *e)
{
	char *end = NULL;

	*pick = (struct pick){ 0 };
	if (!strcmp(text, "ptx")) {
		pick->ptx = true;
		return 0;
	}
	if (isdigit((unsigned char)text[0])) {
		pick->by_index = true;
		pick->index = strtoul(text, &end, 10);
	} else if (!strncmp(text, "sm_", 3) && isdigit((unsigned char)text[3])) {
		pick->arch = (unsigned)strtoul(text + 3, &end, 10);
		if (*end == 'a' || *end == 'f')
			pick->suffix = *end++;
	}
	if (end && !*end)
		return 0;
	err_set(e, GPURUN_INVALID, "--image %s: not a number, sm_90 or ptx", text);
	return err_hint(e, "--list=images shows the images");
}

static bool matches(const struct image *image, size_t index, const struct pick *pick)
{
	if (pick->by_index)
		return index == pick->index;
	if (image->problem)
		return false;
	if (pick->ptx)
		return image->kind == IMAGE_PTX;
	return image->kind == IMAGE_CUBIN && image->arch == pick->arch &&
	       image->suffix == pick->suffix;
}

int pick_images(struct source *source, const char *text, struct err *e)
{
	size_t count = image_count(source->file);
	char all[ERR_TEXT_SIZE / 2];
	struct pick pick;
	bool any = false;

	TRY(read_pick(text, &pick, e));
	source->wanted = calloc(count + 1, sizeof(*source->wanted));
	if (!source->wanted)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu images", count);
	for (size_t i = 0; i < count; i++) {
		source->wanted[i] = matches(image_at(source->file, i), i, &pick);
		any |= source->wanted[i];
	}
	if (any)
		return 0;
	image_describe_all(source->file, all, sizeof(all));
	err_set(e, GPURUN_NO_IMAGE, "%s: there is no image %s", source->path,
		text);
	return err_hint(e, "it holds %s", all);
}
