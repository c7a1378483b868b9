/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "clock.h"
#include "message.h"

static void release_names(struct history_entry *entry)
{
#define RELEASE(name) free((char *)entry->name);
	HISTORY_NAMES(RELEASE)
#undef RELEASE
}

/* Replaces the names of @entry by copies; false, without any, when there is no memory. */
static bool copy_names(struct history_entry *entry)
{
	bool lost = false;

#define COPY(name) \
	if (entry->name) \
		lost |= !(entry->name = strdup(entry->name));
	HISTORY_NAMES(COPY)
#undef COPY
	if (lost)
		release_names(entry);
	return !lost;
}

static void mark_unloaded(struct history *history, size_t unit)
{
	for (size_t i = 0; i < history->count; i++)
		history->at[i].unloaded |= history->at[i].kind == HISTORY_LOAD &&
					   history->at[i].unit == unit;
}

int history_add(struct history *history, const struct history_entry *entry, struct err *e)
{
	struct history_entry added = *entry;
	struct history_entry *grown = reallocarray(history->at, history->count + 1,
						   sizeof(*grown));

	if (grown)
		history->at = grown;
	if (!grown || !copy_names(&added))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for what the run did");
	if (!history->count)
		history->begin = clock_now();
	added.nanoseconds = clock_now() - history->begin;
	if (added.kind == HISTORY_UNLOAD)
		mark_unloaded(history, added.unit);
	history->at[history->count++] = added;
	return 0;
}

const struct history_entry *history_loaded(const struct history *history)
{
	for (size_t i = history->count; i-- > 0;) {
		if (history->at[i].kind == HISTORY_LOAD && !history->at[i].unloaded)
			return &history->at[i];
	}
	return NULL;
}

/* ---- in words ---- */

static void say_module(const char *what, const struct history_entry *entry)
{
	if (entry->image == NONE)
		message_verbose("%s: %s, linked", what, entry->file);
	else
		message_verbose("%s: image %zu of %s", what, entry->image, entry->file);
}

static void say_unload(const struct history_entry *entry)
{
	char what[80];

	snprintf(what, sizeof(what), "module unloaded by %s", entry->by);
	say_module(what, entry);
}

void history_say(const struct history *history)
{
	const struct history_entry *entry = &history->at[history->count - 1];
	const char *what = entry->event ? "event" : "stream";
	const char *awaited = entry->event ? entry->event : entry->stream;

	ASSERT(history->count && entry->kind <= HISTORY_AWAITED);
	switch (entry->kind) {
	case HISTORY_LOAD:
		say_module("module loaded", entry);
		break;
	case HISTORY_UNLOAD:
		say_unload(entry);
		break;
	case HISTORY_LAUNCH:
		message_verbose("launch %zu: %s on stream %s", entry->launch, entry->kernel,
				entry->stream);
		break;
	case HISTORY_RECORD:
		message_verbose("event recorded: %s on stream %s", entry->event, entry->stream);
		break;
	case HISTORY_WAIT:
		message_verbose("wait: stream %s for event %s", entry->stream, entry->event);
		break;
	case HISTORY_AWAIT:
		message_verbose("await begins: %s %s", what, awaited);
		break;
	case HISTORY_AWAITED:
		ASSERT(history->count > 1 && entry[-1].kind == HISTORY_AWAIT);
		message_verbose("await ends: %s %s, after %.3f us", what, awaited,
				(double)(entry->nanoseconds - entry[-1].nanoseconds) / 1000);
		break;
	}
}

/* ---- in the report ---- */

static const char *const words[] = {
	[HISTORY_LOAD] = "load",     [HISTORY_UNLOAD] = "unload", [HISTORY_LAUNCH] = "launch",
	[HISTORY_RECORD] = "record", [HISTORY_WAIT] = "wait",     [HISTORY_AWAIT] = "await",
	[HISTORY_AWAITED] = "awaited",
};

static void report_entry(const struct history_entry *entry, struct json *json)
{
	json_object(json, NULL);
	json_string(json, "what", words[entry->kind]);
	if (entry->launch)
		json_unsigned(json, "launch", entry->launch);
	if (entry->file && entry->image != NONE)
		json_unsigned(json, "image", entry->image);
#define REPORT(name) \
	if (entry->name) \
		json_string(json, #name, entry->name);
	HISTORY_NAMES(REPORT)
#undef REPORT
	json_unsigned(json, "host_ns", entry->nanoseconds);
	json_end_object(json);
}

void history_report(const struct history *history, struct json *json)
{
	if (!history || !history->count)
		return;
	json_array(json, "history");
	for (size_t i = 0; i < history->count; i++)
		report_entry(&history->at[i], json);
	json_end_array(json);
}

void history_release(struct history *history)
{
	for (size_t i = 0; i < history->count; i++)
		release_names(&history->at[i]);
	free(history->at);
	*history = (struct history){ 0 };
}
