/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Linking: the inputs are kept as PTX, and what cuLinkComplete returns as a cubin
 * is the one text that they are merged to.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "entry.h"
#include "exec.h"
#include "exports.h"
#include "handle.h"
#include "jit.h"
#include "link_merge.h"

struct link {
	void *handle;
	bool busy;            /* a call works on it without the lock */
	struct bytes *inputs; /* owned, as each of them; ends with NUL */
	size_t count;
	struct bytes image;   /* owned */
	struct jit_log log;   /* the buffers of cuLinkCreate */
};

static void link_free(struct link *link)
{
	if (!link)
		return;
	handle_free(link->handle);
	for (size_t i = 0; i < link->count; i++)
		free((void *)link->inputs[i].data);
	free(link->inputs);
	free((void *)link->image.data);
	free(link);
}
DEFINE_CLEANUP(free_link, struct link *, link_free)
DEFINE_CLEANUP(free_program, struct program *, program_free)

/* One call at a time works on a link. */
static CUresult link_find(CUlinkState handle, struct link **out)
{
	*out = handle_object(handle, HANDLE_LINK);
	if (!*out)
		return CUDA_ERROR_INVALID_HANDLE;
	return (*out)->busy ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	CLEANUP(free_link) struct link *link = NULL;

	TRY(call.result);
	if (!state || (count && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;
	link = calloc(1, sizeof(*link));
	if (!link)
		return CUDA_ERROR_OUT_OF_MEMORY;
	link->log = jit_log(count, options, values);
	link->handle = handle_new(HANDLE_LINK, link);
	if (!link->handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*state = link->handle;
	STEAL(link);
	return CUDA_SUCCESS;
}

/* Without the lock. */
static CUresult add_text(struct link *link, bool objects, struct bytes image, struct err *e)
{
	struct bytes *slot = array_grow(&link->inputs, link->count, sizeof(*slot));

	if (!slot)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(jit_text(image, objects, slot, e));
	link->count++;
	return CUDA_SUCCESS;
}

static CUresult add(CUlinkState state, CUjitInputType type, struct bytes image)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct err e = { 0 };
	struct link *link;
	CUresult result;

	TRY(call.result);
	TRY(link_find(state, &link));
	if (link->image.data)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (!image.data || !image.size || type > CU_JIT_INPUT_NVVM)
		return CUDA_ERROR_INVALID_VALUE;
	if (type == CU_JIT_INPUT_NVVM)
		return CUDA_ERROR_NOT_SUPPORTED;
	link->busy = true;
	driver_unlock();
	result = add_text(link, type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY, image,
			  &e);
	driver_lock();
	link->busy = false;
	if (result)
		jit_log_error(&link->log, &e);
	return result;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
		       const char *name, unsigned count, CUjit_option *options, void **values)
{
	(void)name;
	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	return add(state, type, (struct bytes){ data, size });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
		       CUjit_option *options, void **values)
{
	CLEANUP(free_pointer) void *owned = NULL;
	struct bytes image;
	struct err e = { 0 };

	if (!path || (count && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;
	TRY(jit_read(path, &image, &e));
	owned = (void *)image.data;
	return add(state, type, image);
}

/* Makes the image, and loads it one time as a check. Without the lock. */
static CUresult complete(struct link *link, struct err *e)
{
	CLEANUP(free_program) struct program *program = NULL;
	CLEANUP(free_pointer) void *owned = NULL;
	struct bytes image;

	switch (link_merge(link->inputs, link->count, link->log.registers, &image, e)) {
	case GPURUN_OK:
		owned = (void *)image.data;
		TRY(jit_load(image, &program, e));
		STEAL(owned);
		link->image = image;
		return CUDA_SUCCESS;
	case GPURUN_NO_MEMORY:
		return CUDA_ERROR_OUT_OF_MEMORY;
	default:
		return CUDA_ERROR_INVALID_PTX;
	}
}

/* The image lives as long as the link. As with a real driver @size may be NULL. */
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	CUresult result = CUDA_SUCCESS;
	struct err e = { 0 };
	struct link *link;

	TRY(call.result);
	TRY(link_find(state, &link));
	if (!image || !link->count)
		return CUDA_ERROR_INVALID_VALUE;
	if (!link->image.data) {
		link->busy = true;
		driver_unlock();
		result = complete(link, &e);
		driver_lock();
		link->busy = false;
	}
	jit_log_time(&link->log);
	if (result) {
		jit_log_error(&link->log, &e);
		return result;
	}
	*image = (void *)link->image.data;
	if (size)
		*size = link->image.size + 1;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct link *link;

	TRY(call.result);
	TRY(link_find(state, &link));
	link_free(link);
	return CUDA_SUCCESS;
}
