/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a run did, in its order: modules loaded and unloaded, launches, records, waits, awaits.
 * Not thread-safe.
 */
#ifndef CMD_HISTORY_H
#define CMD_HISTORY_H

#include <stdbool.h>

#include "err.h"
#include "json.h"
#include "none.h"

enum history_kind {
	HISTORY_LOAD,    /* of a module: file, image, unit */
	HISTORY_UNLOAD,  /* the same, and by */
	HISTORY_LAUNCH,  /* a kernel was handed to a stream: launch, kernel, stream */
	HISTORY_RECORD,  /* event, stream */
	HISTORY_WAIT,    /* a stream waits from now on for an event: event, stream */
	HISTORY_AWAIT,   /* the host begins to wait: event or stream */
	HISTORY_AWAITED, /* what it waited for has happened; follows HISTORY_AWAIT: the same */
};

/* The names that an entry may have, by their keys in the report; NULL: it has none. */
#define HISTORY_NAMES(X) X(file) X(by) X(kernel) X(event) X(stream)

struct history_entry {
	enum history_kind kind;
	size_t unit;          /* of the plan: which module */
	size_t image;         /* its number in the file; NONE: several were linked */
	size_t launch;        /* its number, from 1; 0: it is none */
	uint64_t nanoseconds; /* of the host, since the first entry; set by history_add() */
	bool unloaded;        /* of a module: set once it was, likewise */
	/* @by: "--unload", "the end of the run" or "the exit hook" */
#define NAME(name) const char *name;
	HISTORY_NAMES(NAME)
#undef NAME
};

struct history {
	struct history_entry *at; /* owned, with their names */
	size_t count;
	uint64_t begin;           /* nanoseconds of the host's clock */
};

/* Adds a copy of @entry. GPURUN_NO_MEMORY. */
int history_add(struct history *history, const struct history_entry *entry, struct err *e);

/* Says the last entry under --verbose. */
void history_say(const struct history *history);

/* The module that was loaded last and is still loaded; NULL: none is. */
const struct history_entry *history_loaded(const struct history *history);

/* Adds the array "history" to @json, if there is anything in it. Takes NULL. */
void history_report(const struct history *history, struct json *json);

/* What is released is empty afterwards. */
void history_release(struct history *history);

#endif
