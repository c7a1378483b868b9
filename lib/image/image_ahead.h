/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that read the images of a file ahead of one thread that goes through its containers in
 * order. What this one finds is the same as without them, and in the same order: it counts what
 * lists take, and forgets them.
 */
#ifndef LIB_IMAGE_AHEAD_H
#define LIB_IMAGE_AHEAD_H

#include "image.h"

struct image_ahead;

/*
 * Starts as many threads as there are processors for the containers of @file from 0 on, of which
 * @wanted, when not NULL, has a flag per image. *@out is owned by the caller (image_ahead_free),
 * and NULL where @file has little to read, or without memory or threads: all calls accept that.
 */
void image_ahead_start(struct image_file *file, const bool *wanted, struct image_ahead **out);

/* Waits until no thread uses the images of @container, nor of those before it; the caller may use
 * them from then on. To be called for one container after the other. */
void image_ahead_wait(struct image_ahead *ahead, uint32_t container);

/* Ends the threads. */
void image_ahead_free(struct image_ahead *ahead);
DEFINE_CLEANUP(free_image_ahead, struct image_ahead *, image_ahead_free)

#endif
