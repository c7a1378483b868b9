/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cubin.h"
#include "image.h"
#include "ptx.h"

int image_variables(struct image_file *file, struct image *image, variable_visitor *visit,
		    void *data, struct err *e)
{
	CLEANUP(free_ptx) struct ptx *ptx = NULL;

	TRY(image_kernels(file, image, e));
	if (image->kind != IMAGE_PTX)
		return cubin_variables(image->payload, visit, data, e);
	TRY(ptx_open(image->payload, &ptx, e));
	ptx_variables(ptx, visit, data);
	return 0;
}
