/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Host files: read whole, and replaced whole or not at all. */
#ifndef CMD_FILE_H
#define CMD_FILE_H

#include <stdbool.h>

#include "bytes.h"
#include "err.h"

/*
 * Reads the file at @path, of at most @most bytes, into *@data, *@size bytes and a
 * NUL behind them; owned by the caller (free). No more than one byte too many is read:
 * a device or a pipe may have no end. GPURUN_IO or GPURUN_NO_MEMORY, naming @path.
 */
int file_read(const char *path, uint64_t most, uint8_t **data, size_t *size,
	      struct err *e);

/* Refuses, with GPURUN_IO, a @path that file_replace() could not write. */
int file_check_target(const char *path, bool overwrite, struct err *e);

/*
 * Writes @count spans of bytes to a temporary file beside @path and renames it:
 * a reader sees the old file or the whole new one. Without @overwrite an
 * existing @path is left alone and GPURUN_IO returned.
 */
int file_replace(const char *path, const struct bytes *spans, size_t count,
		 bool overwrite, struct err *e);

/* Writes all of @bytes to @fd; GPURUN_IO names @name. */
int file_write_all(int fd, struct bytes bytes, const char *name, struct err *e);

#endif
