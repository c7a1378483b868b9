/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text goes through stdio, so that it stays in order with what the program
 * itself prints. A full buffer is written out before the next synchronisation:
 * nothing is ever lost.
 */
#include "output.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "colour.h"
#include "config.h"
#include "line_rank.h"
#include "lock.h"
#include "visible.h"

#define HELD_MOST ((size_t)1 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *held; /* HELD_MOST bytes, from the first use to the end of the process */
static size_t used;
static atomic_bool pending;

/* The caller holds the lock. */
static void write_out(const char *text, size_t length)
{
	ASSERT(lock_is_held(LOCK_OUTPUT));
	fwrite(text, 1, length, stdout);
	fflush(stdout);
}

static void flush(void)
{
	ASSERT(used <= HELD_MOST && (held || !used));
	if (used)
		write_out(held, used);
	used = 0;
	atomic_store(&pending, false);
}

void output_printf(const char *text, size_t length)
{
	lock_acquire(&lock, LOCK_OUTPUT);
	if (!held)
		held = malloc(HELD_MOST);
	if (!held || length > HELD_MOST || config.print_at_once) {
		flush();
		write_out(text, length);
	} else {
		if (length > HELD_MOST - used)
			flush();
		memcpy(held + used, text, length);
		used += length;
		atomic_store(&pending, true);
	}
	lock_release(&lock);
}

void output_assert(const char *text, size_t length)
{
	lock_acquire(&lock, LOCK_OUTPUT);
	visible_printf(stderr, "%.*s\n", (int)length, text);
	lock_release(&lock);
}

void output_listing(const char *text, size_t length)
{
	lock_acquire(&lock, LOCK_OUTPUT);
	visible_write(stderr, text, length, VISIBLE_TEXT);
	lock_release(&lock);
}

void output_report(const char *kind, const char *text)
{
	lock_acquire(&lock, LOCK_OUTPUT);
	colour_report(stderr, kind, text);
	lock_release(&lock);
}

void output_note(const char *fmt, ...)
{
	CLEANUP(free_pointer) char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	/* In one write: others print without this lock. */
	lock_acquire(&lock, LOCK_OUTPUT);
	visible_printf(stderr, "gpurun: %s%s\n", line_rank(), text ? text : fmt);
	lock_release(&lock);
}

bool output_pending(void)
{
	return atomic_load(&pending);
}

void output_flush(void)
{
	lock_acquire(&lock, LOCK_OUTPUT);
	flush();
	lock_release(&lock);
}
