/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visible.h"

_Thread_local struct api_record *api_own;

/* For threads without memory for their own. */
static struct api_record last_resort;

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static bool has_key; /* without it, records of threads are not freed */

/* A destructor that runs later at the thread's end, and calls us, gets another one. */
static void free_record(void *record)
{
	api_own = NULL;
	free(record);
}

static void prepare(void)
{
	has_key = !pthread_key_create(&at_thread_end, free_record);
}

/* A record is too large for the thread-local data that a library opened late may have. */
struct api_record *api_first(void)
{
	pthread_once(&prepared, prepare);
	api_own = calloc(1, sizeof(*api_own));
	if (!api_own)
		api_own = &last_resort;
	else if (has_key)
		pthread_setspecific(at_thread_end, api_own);
	return api_own;
}

int api_refuse_phase(enum runtime_phase phase, struct err *e)
{
	switch (phase) {
	case PHASE_ENDED:
		return err_set(e, GPURUN_ENDED, "the process is ending: the driver is gone");
	case PHASE_FORKED:
		err_set(e, GPURUN_FORKED, "gpurun was initialised before fork()");
		return err_hint(e, "initialise in the child, not before fork(), or exec a "
				"program");
	case PHASE_DOWN:
	case PHASE_UP:
	case PHASE_CLOSING:
		break;
	}
	err_set(e, GPURUN_UNINITIALIZED, "gpurun is not initialised");
	return err_hint(e, "call gpurun_init() first");
}

struct err *api_refuse(struct api_record *record)
{
	enum runtime_phase phase = runtime_phase();

	runtime_leave();
	api_refuse_phase(phase, &record->err);
	return NULL;
}

int api_refused(bool release)
{
	struct err *e = &api_record()->err;

	if (!release || e->code != GPURUN_ENDED)
		return e->code;
	api_clear();
	return 0;
}

enum { COUNT_ROOM = 32 }; /* for "; and 4294967295 more" */

/* Appends @first and @second to @text, whole or not at all; a count still fits then. */
static bool append(char *text, size_t size, const char *first, const char *second)
{
	size_t length = strlen(text);

	if (length + strlen(first) + strlen(second) + COUNT_ROOM > size)
		return false;
	snprintf(text + length, size - length, "%s%s", first, second);
	return true;
}

/* Appends how many more there are, in the room for that. */
static void append_count(char *text, size_t size, const char *separator, unsigned count)
{
	size_t length = strlen(text);

	if (count)
		snprintf(text + length, size - length, "%sand %u more", separator, count);
}

/* Adds one line to the log, which has far more room than the text. */
static void log_line(struct api_record *record, const char *line)
{
	if (!append(record->log, sizeof(record->log), line, "\n"))
		record->unlogged++;
}

/* They are the text, or follow the call's own. */
int api_merge_late(struct api_record *record, int status)
{
	struct err *e = &record->err;

	append_count(record->late.text, sizeof(record->late.text), "; ", record->unlisted);
	append_count(record->log, sizeof(record->log), "", record->unlogged);
	if (!status) {
		*e = record->late;
		return e->code;
	}
	if (!append(e->text, sizeof(e->text), "; also ", record->late.text) &&
	    record->late_count == 1)
		log_line(record, record->late.text);
	return status;
}

void api_failed(const struct err *e)
{
	struct api_record *record = api_record();
	struct err *late = &record->late;

	if (!record->late_count++) {
		*late = *e;
		record->unlisted = record->unlogged = 0;
		return;
	}
	if (record->late_count == 2)
		log_line(record, late->text);
	log_line(record, e->text);
	if (record->unlisted || !append(late->text, sizeof(late->text), "; ", e->text))
		record->unlisted++;
}

void api_log(const char *line)
{
	log_line(api_record(), line);
}

int api_copy_struct(void *to, const void *from, size_t size, struct err *e)
{
	size_t room;

	memcpy(&room, to, sizeof(room));
	if (room <= sizeof(room))
		return err_set(e, GPURUN_INVALID, "struct_size is %zu: set it to the size of "
			       "the struct, which is %zu", room, size);
	memset((char *)to + sizeof(room), 0, room - sizeof(room));
	memcpy((char *)to + sizeof(room), (const char *)from + sizeof(room),
	       (room < size ? room : size) - sizeof(room));
	return 0;
}

const char *api_shown_log(void)
{
	char *log = api_record()->log, raw[API_LOG_SIZE];
	const size_t size = strnlen(log, API_LOG_SIZE - 1);

	memcpy(raw, log, size);
	visible_copy(log, API_LOG_SIZE, raw, size, VISIBLE_TEXT);
	return log;
}
