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

/* The most that is read from what cannot be mapped (pipes). */
#define INPUT_MAX ((size_t)1 << 31)

struct input {
	struct bytes bytes;
	void *mapped; /* owned; NULL when the bytes were read */
	size_t mapped_size;
	uint8_t *buffer; /* owned; NULL when the bytes are mapped */
};

/*
 * Opens @path, or standard input for "-" (from where it stands). Fails with
 * GPURUN_IO or GPURUN_NO_MEMORY. Released by input_release().
 */
int input_open(struct input *input, const char *path, struct err *e);

/* Takes a zeroed one. */
void input_release(struct input *input);

#endif
