/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "logs.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "entry.h"
#include "exports.h"
#include "lock.h"

#define KEPT     100 /* messages; CUDA keeps 25600 bytes of them */
#define LINE     256
#define LISTENERS 16

#define TRUNCATED "earlier messages are not here"

struct listener {
	CUlogsCallback callback; /* NULL: free */
	void *data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char lines[KEPT][LINE]; /* message N is in lines[N % KEPT] */
static unsigned next;          /* message: an iterator at the end */
static struct listener listeners[LISTENERS];

#define LOCKED LOCKED_BY(&lock, LOCK_LOGS)

void logs_add(const char *fmt, ...)
{
	struct listener now[LISTENERS];
	char text[LINE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	lock_acquire(&lock, LOCK_LOGS);
	memcpy(lines[next++ % KEPT], text, sizeof(text));
	memcpy(now, listeners, sizeof(now));
	lock_release(&lock);
	for (int i = 0; i < LISTENERS; i++)
		if (now[i].callback)
			now[i].callback(now[i].data, CU_LOG_LEVEL_ERROR, text, strlen(text));
}

CUresult cuLogsRegisterCallback(CUlogsCallback callback, void *data, CUlogsCallbackHandle *handle)
{
	LOCKED;

	if (driver_ended())
		return CUDA_ERROR_DEINITIALIZED;
	if (!callback)
		return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < LISTENERS; i++) {
		if (listeners[i].callback)
			continue;
		listeners[i] = (struct listener){ callback, data };
		if (handle)
			*handle = (CUlogsCallbackHandle)(void *)&listeners[i];
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* A message that is being delivered may still arrive. */
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle)
{
	LOCKED;

	if (driver_ended())
		return CUDA_ERROR_DEINITIALIZED;
	for (int i = 0; i < LISTENERS; i++) {
		if ((void *)handle != (void *)&listeners[i] || !listeners[i].callback)
			continue;
		listeners[i].callback = NULL;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLogsCurrent(CUlogIterator *at, unsigned flags)
{
	LOCKED;

	if (driver_ended())
		return CUDA_ERROR_DEINITIALIZED;
	if (!at || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*at = next;
	return CUDA_SUCCESS;
}

/* The first message to be dumped from @at on, and whether some before it were dropped. */
static CUresult first_of(const CUlogIterator *at, unsigned flags, unsigned *first, bool *lost)
{
	const unsigned oldest = next > KEPT ? next - KEPT : 0;
	const unsigned wanted = at ? *at : 0;

	if (driver_ended())
		return CUDA_ERROR_DEINITIALIZED;
	if (flags || wanted > next)
		return CUDA_ERROR_INVALID_VALUE;
	*lost = wanted < oldest;
	*first = *lost ? oldest : wanted;
	return CUDA_SUCCESS;
}

/* Writes the messages from @first on; false when not all can be written. */
static bool write_lines(FILE *to, unsigned first, bool lost)
{
	if (lost)
		fputs(TRUNCATED "\n", to);
	for (unsigned i = first; i != next; i++)
		fprintf(to, "%s\n", lines[i % KEPT]);
	return !fclose(to);
}

CUresult cuLogsDumpToFile(CUlogIterator *at, const char *path, unsigned flags)
{
	unsigned first;
	FILE *to;
	bool lost;
	LOCKED;

	TRY(first_of(at, flags, &first, &lost));
	to = path ? fopen(path, "we") : NULL;
	if (!to || !write_lines(to, first, lost))
		return CUDA_ERROR_INVALID_VALUE;
	if (at)
		*at = next;
	return CUDA_SUCCESS;
}

/* Bytes of the messages from @first on, without a NUL at the end. */
static size_t length_of(unsigned first, bool lost)
{
	size_t length = lost ? sizeof(TRUNCATED) : 0;

	for (unsigned i = first; i != next; i++)
		length += strlen(lines[i % KEPT]) + 1;
	return length;
}

/* Where not all fit, the last ones are written. */
CUresult cuLogsDumpToMemory(CUlogIterator *at, char *text, size_t *size, unsigned flags)
{
	size_t room, length;
	unsigned first;
	bool lost;
	FILE *to;
	LOCKED;

	TRY(first_of(at, flags, &first, &lost));
	if (!text || !size || !*size)
		return CUDA_ERROR_INVALID_VALUE;
	room = *size;
	*size = 0;
	text[0] = '\0';
	if (first == next)
		return CUDA_SUCCESS;
	while (first != next && length_of(first, lost) >= room) {
		first++;
		lost = true;
	}
	if (first == next)
		return CUDA_ERROR_INVALID_VALUE;
	length = length_of(first, lost);
	to = fmemopen(text, length + 1, "w");
	if (!to || !write_lines(to, first, lost))
		return CUDA_ERROR_OUT_OF_MEMORY;
	*size = length;
	if (at)
		*at = next;
	return CUDA_SUCCESS;
}
