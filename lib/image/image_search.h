/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where a large file holds what looks like an image: a fatbin, a cubin, an offload binary, PTX.
 * The caller goes through the file from its beginning, and passes over the images that it finds;
 * threads search the rest meanwhile, from its end. What is found does not depend on them.
 */
#ifndef LIB_IMAGE_SEARCH_H
#define LIB_IMAGE_SEARCH_H

#include "input.h"

struct image_search;

/*
 * Begins to search @bytes, which are @input's where that has any; both are borrowed. *@out is owned
 * by the caller (image_search_free). GPURUN_NO_MEMORY.
 */
int image_search_start(const struct input *input, struct bytes bytes, struct image_search **out,
		       struct err *e);

/* Returns the offset of the first mark from @offset on, before @end; @end where there is none.
 * A mark is what an image begins with; it may end after @end. @offset is not below those of former
 * calls. */
uint64_t image_search_next(struct image_search *search, uint64_t offset, uint64_t end);

/*
 * Returns how many bytes of the file whose search began last have been searched, or passed over,
 * or a thread has begun with, of *@size; 0 of 0 where none is searched. From any thread.
 */
uint64_t image_search_reached(uint64_t *size);

/* Ends the threads. */
void image_search_free(struct image_search *search);
DEFINE_CLEANUP(free_image_search, struct image_search *, image_search_free)

#endif
