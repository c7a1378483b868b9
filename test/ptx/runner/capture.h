/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a case prints to a stream, kept in a file meanwhile. */
#ifndef PTX_CAPTURE_H
#define PTX_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CAPTURE_SIZE = 1 << 16 };

struct capture {
	int fd;    /* the stream: 1 or 2 */
	int saved; /* where it led */
	int file;  /* where it leads now */
};

/* Leads the stream @fd to a file until capture_end(), which reads what it has. */
static void capture_start(struct capture *capture, int fd)
{
	fflush(NULL);
	capture->fd = fd;
	capture->saved = dup(fd);
	capture->file = memfd_create("output", 0);
	if (capture->saved < 0 || capture->file < 0 || dup2(capture->file, fd) < 0)
		abort();
}

/* Waits for a text that another thread is about to write, and for its end: two seconds at most. */
static void capture_wait(const struct capture *capture)
{
	off_t size = 0, before = -1;

	for (unsigned i = 0; i < 2000 && (!size || size != before); i++) {
		before = size;
		usleep(1000);
		size = lseek(capture->file, 0, SEEK_END);
	}
}

static void capture_end(struct capture *capture, char text[CAPTURE_SIZE])
{
	ssize_t size;

	fflush(NULL);
	dup2(capture->saved, capture->fd);
	size = pread(capture->file, text, CAPTURE_SIZE - 1, 0);
	text[size < 0 ? 0 : size] = '\0';
	close(capture->saved);
	close(capture->file);
}

#endif
