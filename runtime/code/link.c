/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "link.h"

#include "api.h"
#include "context.h"
#include "cubin.h"
#include "diagnose.h"
#include "fatbin.h"
#include "image_part.h"
#include "image_size.h"
#include "module.h"

/* A link of the driver's while it is made. */
struct linking {
	struct device *device; /* borrowed */
	CUlinkState state;
	void *values[2]; /* of its options: the driver writes them until the state is destroyed */
};

/* This frees the image that was made, too. */
static void linking_end(struct linking *linking)
{
	if (linking->state)
		CUDA_STEP(linking->device, cuLinkDestroy, linking->state);
}

/* The input type of @image for the linker. A driver looks into host files by itself. */
static CUjitInputType type_of(struct bytes image)
{
	if (fatbin_sniff(image, 0))
		return CU_JIT_INPUT_FATBINARY;
	if (bytes_begin(image, "\177ELF", 4))
		return cubin_sniff(image) ? CU_JIT_INPUT_CUBIN : CU_JIT_INPUT_OBJECT;
	return bytes_begin(image, "!<arch>\n", 8) ? CU_JIT_INPUT_LIBRARY : CU_JIT_INPUT_PTX;
}

static int begin(struct linking *linking, char *log, struct err *e)
{
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER,
				   CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };

	log[0] = '\0';
	linking->values[0] = log;
	linking->values[1] = (void *)(uintptr_t)API_LOG_SIZE;
	return CUDA(linking->device, e, cuLinkCreate, 2, options, linking->values,
		    &linking->state);
}

/* Adds the bytes of @input, of which @image is a copy with zeros after it. */
static int add_image(struct linking *linking, const struct gpurun_link_input *input,
		     struct bytes image, const char *log, struct err *e)
{
	CUjitInputType type = type_of(image);
	size_t size = image.size + (type == CU_JIT_INPUT_PTX); /* which ends with NUL */

	if (!CUDA(linking->device, e, cuLinkAddData, linking->state, type,
		  (void *)(uintptr_t)image.data, size, input->name, 0, NULL, NULL))
		return 0;
	return diagnose_link(log, e);
}

static int add_input(struct linking *linking, const struct gpurun_link_input *input,
		     const char *log, struct err *e)
{
	struct bytes image = { input->image, input->size };
	CLEANUP(free_pointer) uint8_t *copy = NULL;

	if (!image.data)
		return err_set(e, GPURUN_INVALID, "no image: the pointer is NULL");
	if (!image.size) {
		image.size = IMAGE_SIZE_UNKNOWN;
		TRY(image_size(image, &image.size, e));
	}
	TRY(image_part(linking->device, image, &copy, e));
	if (copy) { /* which is PTX or a cubin: its size is in its headers */
		image = (struct bytes){ copy, IMAGE_SIZE_UNKNOWN };
		TRY(image_size(image, &image.size, e));
	} else {
		TRY(image_copy(image, &copy, e));
		image.data = copy;
	}
	return add_image(linking, input, image, log, e);
}

static int add_all(struct linking *linking, const struct gpurun_link_input *inputs, size_t count,
		   const char *log, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		int status = add_input(linking, &inputs[i], log, e);

		if (status && inputs[i].name)
			return err_wrap(e, "%s", inputs[i].name);
		TRY(status);
	}
	return 0;
}

int link_load(struct gpurun_device owner, const struct gpurun_link_input *inputs, size_t count,
	      struct gpurun_module *handle, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	CLEANUP(linking_end) struct linking linking = { 0 };
	char *log = api_record()->log;
	void *image;
	size_t size;

	TRY(device_use(owner, &device, e));
	if (!inputs || !count)
		return err_set(e, GPURUN_INVALID, "nothing to link: there are no inputs");
	TRY(context_enter(device, &scope, e));
	linking.device = device;
	TRY(begin(&linking, log, e));
	TRY(add_all(&linking, inputs, count, log, e));
	if (CUDA(device, e, cuLinkComplete, linking.state, &image, &size))
		return diagnose_link(log, e);
	return module_load(owner, image, size, MODULE_PLAIN, handle, e);
}
