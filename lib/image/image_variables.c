/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cubin.h"
#include "image.h"
#include "ptx.h"

int image_variables(struct image_file *file, struct image *image, variable_visitor *visit,
		    void *data, struct err *e)
{
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };
	CLEANUP(free_ptx) struct ptx *ptx = NULL;

	TRY(image_kernels(file, image, e));
	TRY(image_unpack(file, image, &payload, e));
	if (image->kind != IMAGE_PTX)
		return cubin_variables(payload.bytes, visit, data, e);
	TRY(ptx_open(payload.bytes, &ptx, e));
	ptx_variables(ptx, visit, data);
	return 0;
}
