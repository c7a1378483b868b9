/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An ar archive: the members of a static library, one after the other. Its
 * tables of symbols and of long names are no members. A thin archive, whose
 * members are elsewhere, is none.
 */
#ifndef LIB_ARCHIVE_H
#define LIB_ARCHIVE_H

#include "bytes.h"
#include "cleanup.h"
#include "err.h"

struct archive_member {
	struct bytes name;  /* its first 1024 bytes; borrowed, as many members may share one */
	uint64_t offset;    /* of its bytes in those that were opened */
	struct bytes bytes; /* borrowed */
};

struct archive {
	struct archive_member *members; /* owned */
	size_t count;
	struct err damage; /* code is 0 when every member is whole */
};

/* Tells whether @bytes begins like an archive. */
bool archive_sniff(struct bytes bytes);

/*
 * Finds the members of the archive @bytes. Damage ends the list but is no
 * failure: archive->damage describes it, with its offset.
 *
 * *@out is owned by the caller (archive_free) and borrows @bytes. Fails with
 * GPURUN_FORMAT when it is no archive, or GPURUN_NO_MEMORY.
 */
int archive_open(struct bytes bytes, struct archive **out, struct err *e);

/* Accepts NULL. */
void archive_free(struct archive *archive);
DEFINE_CLEANUP(free_archive, struct archive *, archive_free)

#endif
