/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Linux, without a C library: what an audit module may do while the loader is at work. Nothing
 * here sets errno; what fails returns a negative number of errno.h, as the kernel does.
 */
#ifndef START_KERNEL_H
#define START_KERNEL_H

#include <stdint.h>

#include "bytes.h"

/* As the calls of these names, in whose manuals the arguments are. */
long kernel_open(const char *path);
long kernel_close(int fd);
long kernel_size(int fd);
long kernel_write(int fd, const void *from, size_t size);
long kernel_memfd(const char *name);
long kernel_readlink(const char *path, char *to, size_t size);
long kernel_unmap(void *at, size_t size);

/* mmap(2) with a private mapping: @fd -1 is anonymous memory. NULL when it fails. */
void *kernel_map(void *at, size_t size, int protection, int flags, int fd, uint64_t offset);

/* The memory file @fd itself, to be written. NULL when it fails. */
void *kernel_map_shared(int fd, size_t size);

/* Reads @size bytes at @offset of @fd to @to; false when they are not all there. */
bool kernel_read(int fd, uint64_t offset, void *to, size_t size);

/* Ends the process. */
void kernel_exit(int status) __attribute__((noreturn));

/* Lines have the rank @text, where it is one; see line_rank.h. Before the first line. */
void kernel_rank(const char *text);

/* Prints a line to stderr: "gpurun: " and the texts up to the first NULL. */
void kernel_print(const char *first, ...) __attribute__((sentinel));

#endif
