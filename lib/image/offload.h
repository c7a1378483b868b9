/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An LLVM offload binary: device images of any kind with what their packager
 * said about them, as llvm-offload-binary and clang write them into files and
 * into the section .llvm.offloading. The layout is in offload.c.
 */
#ifndef LIB_OFFLOAD_H
#define LIB_OFFLOAD_H

#include "bytes.h"
#include "cleanup.h"
#include "decompress.h"
#include "err.h"

/* A property of an image: "triple", "arch", and whatever its packager got. */
struct offload_string {
	const char *key;    /* borrowed */
	struct bytes value; /* without a NUL at its end; may hold some; borrowed */
};

struct offload_entry {
	unsigned kind; /* what the file's extension said: never to be trusted */
	unsigned producer;              /* see offload_producer() */
	struct offload_string *strings; /* owned */
	size_t string_count;
	uint64_t text_size; /* bytes to print them all, and what is between them */
	struct bytes arch;  /* the value of "arch"; borrowed */
	uint64_t offset;    /* of the image in the bytes that were opened */
	struct bytes image; /* borrowed */
};

struct offload {
	struct offload_entry *entries; /* owned; those without an image are left out */
	size_t count;
	enum image_codec codec; /* what the entries are compressed with: then there are none
				   here, only after offload_unpack(). Else CODEC_NONE */
	struct bytes stored;    /* what is compressed; borrowed */
	const uint8_t *header;  /* borrowed */
	uint64_t size;          /* of the binary when unpacked, as its header says */
	uint64_t end;      /* where to continue: after the binary, or its header */
	struct err damage; /* code is 0 when every entry is whole */
};

/* Tells whether an offload binary, of whatever version, begins at @offset of @bytes. */
bool offload_sniff(struct bytes bytes, uint64_t offset);

/*
 * Reads the offload binary at @offset of @bytes and checks every number in it,
 * so that entries can be used without further checks. What is damaged, or of
 * another version than 1, 2 and 3, is left out but is no failure: offload->damage
 * describes the first, with its offset. Of a compressed one the header is read.
 *
 * *@out is owned by the caller (offload_free) and borrows @bytes. Fails with
 * GPURUN_FORMAT when there is no offload binary, or GPURUN_NO_MEMORY.
 */
int offload_open(struct bytes bytes, uint64_t offset, struct offload **out,
		 struct err *e);

/*
 * Unpacks @packed, which has a codec and unpacks to packed->size bytes: the caller has to check
 * before that they are not too many. *@plain is owned by the caller (free) and has an offload
 * binary of that size without compression, for offload_open(). GPURUN_FORMAT, GPURUN_NO_MEMORY.
 */
int offload_unpack(const struct offload *packed, uint8_t **plain, struct err *e);

/* Releases entries that were moved out of a struct offload. Accepts NULL. */
void offload_entries_free(struct offload_entry *entries, size_t count);

/* Accepts NULL. */
void offload_free(struct offload *offload);
DEFINE_CLEANUP(free_offload, struct offload *, offload_free)

/* The value of @key; of size 0 when @entry has none. */
struct bytes offload_value(const struct offload_entry *entry, const char *key);

/* Which language's compiler made @entry: "openmp", "cuda", "hip", "sycl", or "none". */
const char *offload_producer(const struct offload_entry *entry);

#endif
