/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Host files: read whole, and replaced whole or not at all. */
#ifndef CMD_FILE_H
#define CMD_FILE_H

#include <stdbool.h>

#include "bytes.h"
#include "err.h"

/*
 * Takes the standard input, which can be read once, where @path is "-", for what
 * messages call @what. GPURUN_INVALID where something else has it.
 */
int file_take_stdin(const char *path, const char *what, struct err *e);

/*
 * Reads the file at @path, or standard input for "-", of at most @most bytes, into
 * *@data, *@size bytes and a NUL after them; owned by the caller (free). No more than
 * one byte too many is read: a device or a pipe may have no end. GPURUN_IO or
 * GPURUN_NO_MEMORY, naming @path.
 */
int file_read(const char *path, uint64_t most, uint8_t **data, size_t *size,
	      struct err *e);

/* Refuses, with GPURUN_IO, a @path that file_replace() could not write. */
int file_check_target(const char *path, bool overwrite, struct err *e);

/* A file that is written whole beside its place, and not there yet. Zero is none. */
struct file_output {
	const char *path; /* borrowed, or @target */
	char *target;     /* owned; what a symbolic link leads to, or NULL */
	char *temporary;  /* owned; NULL: no longer there, or written in place */
	int fd;
	struct file_output *next;
};

/*
 * Writes @count spans of bytes to a temporary file beside @path; to a device or a pipe,
 * which cannot be replaced, at once. @output is released by the caller also after a
 * failure. GPURUN_IO.
 */
int file_output_write(struct file_output *output, const char *path, const struct bytes *spans,
		      size_t count, struct err *e);

/*
 * Renames @count files into place: a reader sees the old file or the whole new one. Without
 * @overwrite an existing file is left alone and GPURUN_IO returned.
 */
int file_outputs_publish(struct file_output *outputs, size_t count, bool overwrite,
			 struct err *e);

/* Removes the temporary file, if there is one. */
void file_output_release(struct file_output *output);

/*
 * Removes all temporary files before the process ends. Other threads that write files then
 * wait for ever; the caller may still write some.
 */
void file_abandon(void);

/* file_output_write() and file_outputs_publish() of one file. */
int file_replace(const char *path, const struct bytes *spans, size_t count,
		 bool overwrite, struct err *e);

/* Writes all of @bytes to @fd; GPURUN_IO names @name. */
int file_write_all(int fd, struct bytes bytes, const char *name, struct err *e);

#endif
