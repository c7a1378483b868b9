/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "status_line.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "lock.h"

enum { USUAL_COLUMNS = 80, MOMENT_MS = 250 };

static const char erase[] = "\r\033[K"; /* to the first column, to the end of the line */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool begun;
static bool shown;       /* under the lock, as is the next */
static bool within_line; /* what was written last does not end its line */
static atomic_bool ended;

/* The number of bytes of @text that were written. */
static size_t write_bytes(int fd, const char *text, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t count = write(fd, text + done, size - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			break;
		done += (size_t)count;
	}
	return done;
}

/* The caller has the lock. */
static void erase_shown(void)
{
	if (shown)
		write_bytes(STDERR_FILENO, erase, strlen(erase));
	shown = false;
}

static bool can_erase(void)
{
	const char *terminal = getenv("TERM");

	return (!terminal || strcmp(terminal, "dumb") != 0) && isatty(STDERR_FILENO);
}

/* ---- The streams ---------------------------------------------------------------------- */

/* What a stream whose cookie is a descriptor is written by. */
static ssize_t pass_on(void *cookie, const char *text, size_t size)
{
	LOCKED_BY(&lock, LOCK_STATUS_LINE);
	erase_shown();
	if (size)
		within_line = text[size - 1] != '\n';
	return (ssize_t)write_bytes((int)(intptr_t)cookie, text, size);
}

/* NULL without memory. */
static FILE *open_stream(int fd, int buffering)
{
	const cookie_io_functions_t io = { .write = pass_on };
	FILE *stream = fopencookie((void *)(intptr_t)fd, "w", io);

	if (stream)
		setvbuf(stream, NULL, buffering, BUFSIZ);
	return stream;
}

bool status_line_begin(void)
{
	const bool both = isatty(STDOUT_FILENO);
	FILE *out, *err;

	if (!can_erase())
		return false;
	err = open_stream(STDERR_FILENO, _IONBF);
	out = both ? open_stream(STDOUT_FILENO, _IOLBF) : stdout;
	if (!err || !out) {
		if (err)
			fclose(err);
		if (both && out)
			fclose(out);
		return false;
	}
	fflush(stdout);
	stderr = err;
	stdout = out;
	begun = true;
	return true;
}

/* ---- The line ------------------------------------------------------------------------- */

size_t status_line_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return USUAL_COLUMNS - 1;
	/* In the last column some terminals go on to the next line. */
	return size.ws_col > 1 ? size.ws_col - 1u : 1;
}

/* The line that a person types, or another program's, may be where ours would be. */
static bool in_background(void)
{
	const pid_t group = tcgetpgrp(STDERR_FILENO);

	return group > 0 && group != getpgrp();
}

void status_line_show(const char *line)
{
	char text[2048];

	if (!begun || in_background())
		return;
	/* In one write, so that what other processes write is not within it. */
	snprintf(text, sizeof(text), "%s%s", erase, line);
	LOCKED_BY(&lock, LOCK_STATUS_LINE);
	if (within_line || atomic_load(&ended))
		return;
	shown = true;
	write_bytes(STDERR_FILENO, text, strlen(text));
}

void status_line_hide(void)
{
	if (!begun)
		return;
	LOCKED_BY(&lock, LOCK_STATUS_LINE);
	erase_shown();
}

/* Its order with other locks does not matter: it is not waited for without end. */
void status_line_end(void)
{
	const struct timespec nap = { 0, 1000000 };

	if (!begun)
		return;
	atomic_store(&ended, true);
	for (int i = 0; pthread_mutex_trylock(&lock); i++) {
		if (i == MOMENT_MS)
			return;
		nanosleep(&nap, NULL);
	}
	erase_shown();
	pthread_mutex_unlock(&lock);
}

void status_line_wipe(void)
{
	if (can_erase())
		write_bytes(STDERR_FILENO, erase, strlen(erase));
}
