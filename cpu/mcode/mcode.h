/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pages of machine code. They are written first and executed then, never both at the same time: a
 * struct mcode is writable until mcode_seal(), and executable from then on.
 *
 *	TRY(mcode_new(size, &code, e));
 *	memcpy(mcode_address(code), bytes, used);
 *	TRY(mcode_seal(code, used, e));
 *
 * Any thread may call these functions; one at a time uses a struct mcode until it is sealed, and
 * the last one that executes it is done when it is freed. The child of a fork() has a copy of all
 * pages, sealed ones too: nothing has to be done there.
 */
#ifndef CPU_MCODE_H
#define CPU_MCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cleanup.h"
#include "err.h"

/* Bytes of all code in the process at the same time, at most. */
#define MCODE_MOST ((size_t)256 << 20)

struct mcode;

/* Whether the system lets this process execute what it wrote; found out by the first call. */
bool mcode_available(void);

/*
 * Maps at least @size bytes, not 0, which are writable and 0. *@out is owned by the caller
 * (mcode_free). GPURUN_UNSUPPORTED without mcode_available(); GPURUN_NO_MEMORY where the system has
 * no pages, and beyond MCODE_MOST.
 */
int mcode_new(size_t size, struct mcode **out, struct err *e);

/*
 * Makes the first @used bytes, not 0, executable, and unmaps the pages after them; one time. On
 * failure, GPURUN_UNSUPPORTED or GPURUN_NO_MEMORY, @code may still be written.
 */
int mcode_seal(struct mcode *code, size_t used, struct err *e);

/* Takes NULL. */
void mcode_free(struct mcode *code);
DEFINE_CLEANUP(free_mcode, struct mcode *, mcode_free)

/* Where it begins, at a page, and how many bytes it has: whole pages, after mcode_seal() @used. */
void *mcode_address(const struct mcode *code);
size_t mcode_size(const struct mcode *code);

/*
 * Adds a line to the file at @path, which mcode_map_path() returns: that the @size bytes at @offset
 * are @name, as perf(1) reads it. Nothing is added through a link, or to what is no file of this
 * user; no failure is reported.
 */
void mcode_describe(const struct mcode *code, size_t offset, size_t size, const char *name,
		    const char *path);

/* "/tmp/perf-PID.map" of this process. */
enum { MCODE_PATH = 64 };
void mcode_map_path(char path[MCODE_PATH]);

#endif
