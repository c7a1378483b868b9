/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Linking: the inputs are kept as PTX, and what cuLinkComplete returns as a cubin
 * is the one text that they are merged to.
 */
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "entry.h"
#include "exec.h"
#include "exports.h"
#include "handle.h"
#include "jit.h"
#include "link_input.h"

struct link {
	void *handle;
	bool busy;            /* a call works on it without the lock */
	struct link_list list;
	struct bytes image;   /* owned */
	struct jit_log log;   /* the buffers of cuLinkCreate */
};

static void link_free(struct link *link)
{
	if (!link)
		return;
	handle_free(link->handle);
	link_list_release(&link->list);
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

static CUresult add_link_data(CUlinkState state, CUjitInputType type, struct bytes image,
			      const char *name)
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
	result = link_list_add(&link->list, image,
			       type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY, name,
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
	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	return add_link_data(state, type, (struct bytes){ data, size }, name);
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
	return add_link_data(state, type, image, path);
}

/* A driver's own codes: for a name that is missing, and for one that is defined twice. */
static CUresult to_cuda(int status)
{
	switch (status) {
	case GPURUN_OK:
		return CUDA_SUCCESS;
	case GPURUN_NO_MEMORY:
		return CUDA_ERROR_OUT_OF_MEMORY;
	case GPURUN_NOT_FOUND:
	case GPURUN_INVALID:
		return CUDA_ERROR_INVALID_SOURCE;
	case GPURUN_NO_IMAGE:
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	default:
		return CUDA_ERROR_INVALID_PTX;
	}
}

/* Makes the image, and loads it one time as a check. Without the lock. */
static CUresult complete(struct link *link, struct err *e)
{
	CLEANUP(free_program) struct program *program = NULL;
	CLEANUP(free_pointer) void *owned = NULL;
	struct link_list *list = &link->list;
	const struct link_inputs inputs = { list->texts, list->count, list->machine,
					    list->machine_count };
	struct bytes image;

	TRY(to_cuda(link_merge(list->texts, list->count, link->log.registers, &image, e)));
	owned = (void *)image.data;
	TRY(to_cuda(link_check(image, &inputs, e)));
	TRY(jit_load(image, &program, e));
	STEAL(owned);
	link->image = image;
	return CUDA_SUCCESS;
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
	if (!image || !link->list.count)
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
