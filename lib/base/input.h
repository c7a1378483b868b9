/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bytes of a file or of standard input: mapped where that is possible,
 * else read to the end.
 */
#ifndef LIB_INPUT_H
#define LIB_INPUT_H

#include "bytes.h"
#include "cleanup.h"
#include "err.h"

/* The most that is read from what cannot be mapped: pipes, devices, files of /proc. The
 * largest of NVIDIA's libraries has 541 MB. */
#define INPUT_MAX ((size_t)1 << 30)

/* What may be missing of a mapped file: a sparse one of 1 TiB needs 4 KiB of a disk, and
 * minutes to search. */
#define INPUT_MAX_HOLES ((size_t)1 << 28)

/* What is read before input_open() asks whether to go on. */
#define INPUT_HEAD ((size_t)1 << 20)

struct input {
	struct bytes bytes;
	void *mapped; /* owned; NULL when the bytes were read */
	size_t mapped_size;
	int fd; /* owned; of what is mapped; -1: none was left */
	uint8_t *buffer; /* owned; NULL when the bytes are mapped */
};

/*
 * Opens @path, or standard input for "-" (from its current offset). What cannot be
 * mapped is read to its end if @wanted agrees to its first INPUT_HEAD bytes; if
 * not, these are all there is. Fails with GPURUN_IO, beyond the limits above as
 * well, or GPURUN_NO_MEMORY. Released by input_release().
 */
int input_open(struct input *input, const char *path, bool (*wanted)(struct bytes head),
	       struct err *e);

/* Returns the memory of @bytes, which are the input's, to the system: if they are used again,
 * they are read again. So a large file needs little memory. */
void input_drop(const struct input *input, struct bytes bytes);

/*
 * Returns @bytes, which are the input's, to be read one time: what is mapped is copied to @buffer,
 * which has room for it. For all of a large file that is faster than a fault for each page.
 */
struct bytes input_copy(const struct input *input, struct bytes bytes, uint8_t *buffer);

enum { INPUT_VIEW = 4096 }; /* bytes that a view copies at once */

/* Reads headers that are far apart: what is mapped is copied, as above. To be initialised with its
 * first two members. */
struct input_view {
	const struct input *input; /* borrowed; NULL: what is read is in memory */
	struct bytes bytes;	   /* borrowed; what is read, @input's or part of it */
	uint64_t from;		   /* where @near begins in @bytes */
	struct bytes near;
	uint8_t buffer[INPUT_VIEW];
};

/* As bytes_at() of @view's bytes, for @size up to INPUT_VIEW; valid up to the next call. */
const uint8_t *input_view_at(struct input_view *view, uint64_t offset, size_t size);

/* Accepts a zeroed one. */
void input_release(struct input *input);

#endif
