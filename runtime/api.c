/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "api.h"

#include <stdio.h>
#include <string.h>

#include "runtime.h"

static _Thread_local struct api_record thread_record;

struct api_record *api_record(void)
{
	return &thread_record;
}

struct api_record *api_clear(void)
{
	struct api_record *record = &thread_record;

	record->err.code = GPURUN_OK;
	record->err.text[0] = '\0';
	record->err.hint[0] = '\0';
	record->log[0] = '\0';
	record->driver = 0;
	record->late_count = 0;
	return record;
}

static void refuse(enum runtime_phase phase, struct err *e)
{
	switch (phase) {
	case PHASE_ENDED:
		err_set(e, GPURUN_ENDED, "the process is ending: the driver is gone");
		return;
	case PHASE_FORKED:
		err_set(e, GPURUN_FORKED, "gpurun was initialised before fork()");
		err_hint(e, "initialise in the child, not before fork(), or exec a program");
		return;
	case PHASE_DOWN:
	case PHASE_UP:
	case PHASE_CLOSING:
		err_set(e, GPURUN_UNINITIALIZED, "gpurun is not initialised");
		err_hint(e, "call gpurun_init() first");
		return;
	}
}

struct err *api_enter(void)
{
	struct api_record *record = api_clear();
	enum runtime_phase phase = runtime_enter();

	if (phase == PHASE_UP) {
		record->inside = true;
		return &record->err;
	}
	runtime_leave();
	refuse(phase, &record->err);
	return NULL;
}

int api_refused(bool release)
{
	struct err *e = &thread_record.err;

	if (!release || e->code != GPURUN_ENDED)
		return e->code;
	api_clear();
	return 0;
}

/* Tells the failures noted meanwhile: alone, or after the call's own. */
static int merge_late(struct api_record *record, int status)
{
	struct err *e = &record->err;
	size_t length;

	if (!status) {
		*e = record->late;
		return e->code;
	}
	length = strlen(e->text);
	snprintf(e->text + length, sizeof(e->text) - length, "; also %s", record->late.text);
	return status;
}

int api_outside(int status)
{
	struct api_record *record = &thread_record;

	if (record->late_count)
		status = merge_late(record, status);
	if (!status)
		record->err.text[0] = '\0';
	return status;
}

int api_leave(int status)
{
	status = api_outside(status);
	thread_record.inside = false;
	runtime_leave();
	return status;
}

/* Adds one line to the log, which has all failures even where the text is full. */
static void log_line(struct api_record *record, const char *line)
{
	size_t length = strlen(record->log);

	snprintf(record->log + length, sizeof(record->log) - length, "%s\n", line);
}

void api_failed(const struct err *e)
{
	struct api_record *record = &thread_record;
	struct err *late = &record->late;
	size_t length;

	if (!record->late_count++) {
		*late = *e;
		return;
	}
	if (record->late_count == 2)
		log_line(record, late->text);
	log_line(record, e->text);
	length = strlen(late->text);
	snprintf(late->text + length, sizeof(late->text) - length, "; %s", e->text);
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
