/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fault.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "demangle.h"
#include "lock.h"
#include "report_format.h"

static struct {
	pthread_mutex_t lock;
	bool known;
	int driver;
	void *record; /* owned, until the end of the process */
} noted = { .lock = PTHREAD_MUTEX_INITIALIZER };

void fault_note(int driver, const struct gpurun_report *report)
{
	lock_acquire(&noted.lock, LOCK_NOTED_FAULT);
	if (!noted.known) {
		noted.known = true;
		noted.driver = driver;
		noted.record = report->event ? report_copy(report) : NULL;
	}
	lock_release(&noted.lock);
}

/* The error is all that is known of a fault of a GPU. */
bool fault_get(struct gpurun_report *report)
{
	bool known;

	lock_acquire(&noted.lock, LOCK_NOTED_FAULT);
	known = noted.known;
	if (!report_read(noted.record, report)) {
		report->event = GPURUN_REPORT_FAULT;
		report->error = noted.driver;
		report->kind = report_kind_name(report_kind_of(noted.driver));
	}
	lock_release(&noted.lock);
	return known;
}

char *fault_text(const struct gpurun_report *report)
{
	char *text = malloc(REPORT_MOST);

	if (text)
		report_format(report, text, REPORT_MOST);
	return text;
}

static void report_dims(struct json *json, const char *key, const unsigned dims[3], bool known)
{
	if (known)
		json_dims(json, key, dims);
	else
		json_string(json, key, NULL);
}

static void report_text(struct json *json, const char *key, const char *text)
{
	json_string(json, key, *text ? text : NULL);
}

static void report_number(struct json *json, const char *key, unsigned long long number)
{
	if (number)
		json_unsigned(json, key, number);
	else
		json_string(json, key, NULL);
}

static void report_access(struct json *json, const struct gpurun_report *report)
{
	char address[24];

	report_text(json, "access", report->access);
	report_number(json, "bytes", report->bytes);
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)report->address);
	json_string(json, "address", report->has_address ? address : NULL);
	report_text(json, "space", report->space);
}

/* By the names that it has in "actions". */
static void report_kernel(struct json *json, const struct gpurun_report *report)
{
	CLEANUP(free_pointer) char *signature = *report->kernel ? demangle(report->kernel) : NULL;

	json_string(json, "kernel", signature);
	report_text(json, "mangled", report->kernel);
	report_dims(json, "grid", report->grid, *report->kernel);
	report_dims(json, "block_size", report->block_size, *report->kernel);
	report_dims(json, "block", report->block, report->has_thread);
	report_dims(json, "thread", report->thread, report->has_thread);
}

static void report_source(struct json *json, const struct gpurun_report *report)
{
	if (!*report->file) {
		json_string(json, "source", NULL);
		return;
	}
	json_object(json, "source");
	json_string(json, "file", report->file);
	json_unsigned(json, "line", report->source_line);
	json_end_object(json);
}

/* The other access of a race. */
static void report_other(struct json *json, const struct gpurun_report *report)
{
	if (!*report->other)
		return;
	json_object(json, "other");
	json_string(json, "access", report->other_access);
	report_dims(json, "block", report->other_block, report->has_other);
	report_dims(json, "thread", report->other_thread, report->has_other);
	json_string(json, "by", report->other);
	json_end_object(json);
}

static void report_error(struct json *json, const struct gpurun_report *report)
{
	if (*report->call)
		json_string(json, "call", report->call);
	if (report->error)
		json_unsigned(json, "error", (unsigned)report->error);
	if (*report->error_name)
		json_string(json, "error_name", report->error_name);
	if (*report->hint)
		json_string(json, "hint", report->hint);
}

/* All of it but the check. */
static void report_parts(struct json *json, const struct gpurun_report *report)
{
	CLEANUP(free_pointer) char *text = fault_text(report);

	json_string(json, "kind", report->kind);
	report_access(json, report);
	report_kernel(json, report);
	report_number(json, "ptx_line", report->ptx_line);
	report_source(json, report);
	report_other(json, report);
	report_error(json, report);
	report_number(json, "count", report->count);
	json_string(json, "text", text && *text ? text : NULL);
}

void fault_report(struct json *json)
{
	struct gpurun_report report;

	if (!fault_get(&report))
		return;
	json_object(json, "fault");
	report_parts(json, &report);
	json_end_object(json);
}

void fault_report_element(struct json *json, const struct gpurun_report *report)
{
	json_object(json, NULL);
	report_text(json, "check", report->check);
	report_parts(json, report);
	json_end_object(json);
}
