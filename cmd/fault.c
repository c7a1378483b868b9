/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fault.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "demangle.h"
#include "lock.h"

static struct {
	pthread_mutex_t lock;
	bool known;
	struct fault fault;
} noted = { .lock = PTHREAD_MUTEX_INITIALIZER };

void fault_note(int driver, const char *text)
{
	lock_acquire(&noted.lock, LOCK_NOTED_FAULT);
	if (!noted.known) {
		noted.known = true;
		noted.fault.driver = driver;
		snprintf(noted.fault.text, sizeof(noted.fault.text), "%s", text);
	}
	lock_release(&noted.lock);
}

bool fault_get(struct fault *fault)
{
	bool known;

	lock_acquire(&noted.lock, LOCK_NOTED_FAULT);
	known = noted.known;
	*fault = noted.fault;
	lock_release(&noted.lock);
	return known;
}

/* What the driver's number says, which is all that there is on a GPU. */
static const char *kind_of(int driver)
{
	static const struct {
		int driver;
		const char *kind;
	} rows[] = {
		{ 700, "illegal-address" },    { 702, "launch-timeout" },
		{ 710, "assert" },	       { 714, "hardware-stack" },
		{ 715, "illegal-instruction" }, { 716, "misaligned-address" },
		{ 717, "invalid-address-space" }, { 718, "invalid-pc" },
		{ 719, "launch-failed" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].driver == driver)
			return rows[i].kind;
	return "other";
}

static struct bytes bytes_of(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

void fault_read(const struct fault *fault, struct finding_text *out)
{
	finding_text_read(bytes_of(fault->text), out);
	if (!out->kind)
		out->kind = kind_of(fault->driver);
}

void fault_read_finding(const char *text, struct finding_text *out)
{
	finding_text_read(bytes_of(text), out);
	if (!out->kind)
		out->kind = "other";
}

static void report_dims(struct json *json, const char *key, const unsigned dims[3], bool known)
{
	if (known)
		json_dims(json, key, dims);
	else
		json_string(json, key, NULL);
}

static void report_access(struct json *json, const struct finding_text *text)
{
	char address[24];

	json_string(json, "access", text->access);
	if (text->access)
		json_unsigned(json, "bytes", text->size);
	else
		json_string(json, "bytes", NULL);
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)text->address);
	json_string(json, "address", text->has_address ? address : NULL);
	json_string(json, "space",
		    !text->has_address ? NULL : text->shared ? "shared" : "generic");
}

/* By the names that it has in "actions". */
static void report_kernel(struct json *json, struct bytes kernel)
{
	CLEANUP(free_pointer)
	char *name = kernel.size ? strndup((const char *)kernel.data, kernel.size) : NULL;
	CLEANUP(free_pointer) char *signature = name ? demangle(name) : NULL;

	json_string(json, "kernel", signature);
	json_string(json, "mangled", name);
}

static void report_source(struct json *json, const struct finding_text *text)
{
	if (!text->file.size) {
		json_string(json, "source", NULL);
		return;
	}
	json_object(json, "source");
	json_text(json, "file", (const char *)text->file.data, text->file.size);
	json_unsigned(json, "line", text->source_line);
	json_end_object(json);
}

/* All of it but the check. */
static void report(struct json *json, const struct finding_text *text, const char *whole)
{
	json_string(json, "kind", text->kind);
	report_access(json, text);
	report_kernel(json, text->kernel);
	report_dims(json, "block", text->block, text->kernel.size);
	report_dims(json, "thread", text->thread, text->kernel.size);
	if (text->line)
		json_unsigned(json, "ptx_line", text->line);
	else
		json_string(json, "ptx_line", NULL);
	report_source(json, text);
	json_string(json, "text", *whole ? whole : NULL);
}

void fault_report(struct json *json)
{
	struct finding_text text;
	struct fault fault;

	if (!fault_get(&fault))
		return;
	fault_read(&fault, &text);
	json_object(json, "fault");
	report(json, &text, fault.text);
	json_end_object(json);
}

void fault_report_finding(struct json *json, const char *whole)
{
	struct finding_text text;

	fault_read_finding(whole, &text);
	json_object(json, NULL);
	json_string(json, "check", text.check);
	report(json, &text, whole);
	json_end_object(json);
}
