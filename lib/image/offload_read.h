/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entries of an offload binary, for offload.c. */
#ifndef LIB_OFFLOAD_READ_H
#define LIB_OFFLOAD_READ_H

#include "offload.h"

enum {
	OFFLOAD_HEADER = 32, /* of versions 1 and 2 */
	OFFLOAD_HEADER3 = 40,
};

/* What is read, and how many bytes of it may still be claimed by the tables of strings, by
 * images, and by texts: without a bound a small file could request any memory and time. */
struct offload_reader {
	struct bytes binary; /* no more than itself; has a whole header */
	uint64_t start;      /* of it, in the bytes that were opened */
	uint32_t version;
	uint64_t strings_left, images_left, texts_left;
};

/* The bytes of the header of a binary of @version. */
uint64_t offload_header_size(uint32_t version);

/*
 * Reads the entries that the header describes and adds them to @offload, except those without
 * an image and those that are damaged: offload->damage describes the first of these.
 * GPURUN_NO_MEMORY.
 */
int offload_read_entries(struct offload_reader *reader, struct offload *offload,
			 struct err *e);

#endif
