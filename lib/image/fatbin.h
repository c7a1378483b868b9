/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A fatbin container: images of one module, compiled for several
 * architectures. The layout is in fatbin.c.
 */
#ifndef LIB_FATBIN_H
#define LIB_FATBIN_H

#include "cleanup.h"
#include "decompress.h"
#include "input.h"

/* What an entry holds, as numbered in the file. Others are not known. */
enum fatbin_kind {
	FATBIN_PTX = 0x01,
	FATBIN_CUBIN = 0x02,
	FATBIN_LTOIR = 0x08,
	FATBIN_RELOCATABLE_PTX = 0x40,
};

struct fatbin_entry {
	unsigned kind;
	unsigned arch;         /* SM number */
	char suffix;           /* 'a', 'f' or 0 */
	unsigned major, minor; /* PTX: of .version */
	bool wide;             /* 64-bit code */
	bool obfuscated;       /* cannot be read */
	enum image_codec codec;
	uint64_t offset;       /* of the payload in the bytes that were opened */
	struct bytes payload;  /* as stored; borrowed */
	uint64_t size;         /* bytes when decompressed */
};

struct fatbin {
	struct fatbin_entry *entries; /* owned */
	size_t count;
	uint64_t end;      /* where to continue: after the last whole entry */
	struct err damage; /* code is 0 when every entry is whole */
};

/* Tells whether a container begins at @offset of @bytes. */
bool fatbin_sniff(struct bytes bytes, uint64_t offset);

/*
 * Reads the container at @offset of @bytes and checks every header in it, so
 * that entries can be used without further checks. Damage ends the list of
 * entries but is no failure: fatbin->damage describes it, with its offset.
 *
 * *@out is owned by the caller (fatbin_free) and borrows @bytes. Fails with
 * GPURUN_FORMAT when there is no container, or GPURUN_NO_MEMORY.
 */
int fatbin_open(struct bytes bytes, uint64_t offset, struct fatbin **out, struct err *e);

/* The same for the bytes of @view, whose headers alone are read. */
int fatbin_read(struct input_view *view, uint64_t offset, struct fatbin **out, struct err *e);

/* Accepts NULL. */
void fatbin_free(struct fatbin *fatbin);
DEFINE_CLEANUP(free_fatbin, struct fatbin *, fatbin_free)

#endif
