/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "findings.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "array.h"
#include "asserts.h"
#include "colour.h"
#include "hash.h"
#include "line_rank.h"
#include "lock.h"
#include "outcome.h"
#include "visible.h"

/* A finding's key is a hash of the kernel's name, the line of its PTX, and the check. */
struct finding {
	uint64_t key, count;
	bool printed;
	void *record; /* owned; NULL: removed, or there was no memory for it, or it is not kept */
};

static struct {
	pthread_mutex_t lock;
	struct finding *items; /* in their order */
	size_t count, removed;
	bool summed;	       /* those beyond FINDINGS were reported */
	uint32_t *table;       /* 1 + the index in items, by the hash of the key; 0: none */
	size_t slots;	       /* in table: a power of two */
} findings = { .lock = PTHREAD_MUTEX_INITIALIZER };

const char *finding_name(enum check check)
{
	switch (check) {
#define REPORT_CHECK(name, text, bit, meaning) \
	case CHECK_##name:                     \
		return text;
#include "report_kinds.def"
	default:
		return "";
	}
}

#define HASH_START 0xcbf29ce484222325u

static uint64_t hash(uint64_t key, const char *text)
{
	for (; *text; text++)
		key = (key ^ (uint8_t)*text) * 0x100000001b3u;
	return key;
}

uint64_t finding_key(const char *name, enum check check)
{
	return hash(HASH_START ^ check, name);
}

/* ---- the table; the caller holds the lock --------------------------------------------- */

/* The place in the table of @key, or of the free slot that it would have. */
static uint32_t *slot_of(uint64_t key)
{
	size_t at = hash_u64(key) >> 32;

	ASSERT(findings.slots && !(findings.slots & (findings.slots - 1)));
	ASSERT(findings.count < findings.slots); /* there is a free slot */
	for (;; at++) {
		uint32_t *slot = &findings.table[at & (findings.slots - 1)];

		if (!*slot || findings.items[*slot - 1].key == key)
			return slot;
	}
}

static bool grow_table(void)
{
	const size_t slots = findings.slots ? findings.slots * 2 : 256;
	uint32_t *table = calloc(slots, sizeof(*table));

	if (!table)
		return false;
	free(findings.table);
	findings.table = table;
	findings.slots = slots;
	for (size_t i = 0; i < findings.count; i++)
		*slot_of(findings.items[i].key) = (uint32_t)i + 1;
	return true;
}

/* The finding of @key, a new one if there is none; NULL without memory. */
static struct finding *find_finding(uint64_t key)
{
	struct finding *finding;
	uint32_t *slot;

	ASSERT(lock_is_held(LOCK_FINDINGS));
	if (findings.count >= findings.slots / 2 && !grow_table())
		return NULL;
	slot = slot_of(key);
	if (*slot)
		return &findings.items[*slot - 1];
	finding = array_grow(&findings.items, findings.count, sizeof(*finding));
	if (!finding)
		return NULL;
	finding->key = key;
	*slot = (uint32_t)++findings.count;
	return finding;
}

static bool is_kept(const struct finding *finding)
{
	return finding && finding - findings.items < FINDINGS;
}

bool finding_is_new(uint64_t key)
{
	struct finding *finding;
	bool is_new;

	lock_acquire(&findings.lock, LOCK_FINDINGS);
	finding = find_finding(key);
	is_new = finding && !finding->count++ && is_kept(finding);
	lock_release(&findings.lock);
	return is_new;
}

uint64_t findings_count(void)
{
	uint64_t count;

	lock_acquire(&findings.lock, LOCK_FINDINGS);
	count = findings.count;
	lock_release(&findings.lock);
	return count;
}

/* ---- reports ---------------------------------------------------------------------------- */

/* Appends @text to the file of check-log in one write; stderr has it, even if that fails. */
static void write_log(const char *text)
{
	struct iovec parts[] = { { (void *)(uintptr_t)text, strlen(text) },
				 { (char[]){ '\n' }, 1 } };
	int fd = open(config.check_log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return;
	if (writev(fd, parts, 2) < 0)
		visible_printf(stderr, "gpurun: %scheck: %s: %s\n", line_rank(),
			       config.check_log, strerror(errno));
	close(fd);
}

void finding_print(uint64_t key, const struct gpurun_report *report)
{
	char text[REPORT_MOST];
	struct finding *finding;

	report_format(report, text, sizeof(text));
	lock_acquire(&findings.lock, LOCK_FINDINGS);
	colour_report(stderr, "check: ", text);
	if (*report->hint)
		visible_printf(stderr, "gpurun: %shint: %s\n", line_rank(), report->hint);
	if (*config.check_log)
		write_log(text);
	outcome_log(report);
	finding = find_finding(key);
	if (is_kept(finding) && !finding->printed) {
		finding->printed = true;
		finding->record = report_copy(report);
	}
	lock_release(&findings.lock);
}

static void print_about(uint64_t key, enum check check, const struct about *about, const char *fmt,
			va_list args)
{
	char what[FINDING_SIZE];
	struct gpurun_report report;

	vsnprintf(what, sizeof(what), fmt, args);
	report = report_about(GPURUN_REPORT_FINDING, about, what);
	report.check = finding_name(check);
	finding_print(key, &report);
}

void finding_report_once(const char *name, enum check check, struct about about, const char *fmt,
			 ...)
{
	const uint64_t key = finding_key(name, check);
	va_list args;

	if (!finding_is_new(key))
		return;
	va_start(args, fmt);
	print_about(key, check, &about, fmt, args);
	va_end(args);
}

void finding_report(enum check check, struct about about, const char *fmt, ...)
{
	static _Atomic uint64_t serial;
	/* Each is one of its own: the keys of ops are hashes of names. */
	const uint64_t key = finding_key("", check) ^ hash_u64(++serial);
	va_list args;

	if (!finding_is_new(key))
		return;
	va_start(args, fmt);
	print_about(key, check, &about, fmt, args);
	va_end(args);
}

void finding_report_unreleased(unsigned count, const char *what, const char *call)
{
	if (count)
		finding_report(CHECK_LEAK, ABOUT(LEAK), "%u %s%s: %s is never called for %s", count,
			       what, count > 1 ? "s" : "", call, count > 1 ? "them" : "it");
}

static void *pop_next(struct gpurun_report *report)
{
	struct finding *finding = &findings.items[findings.removed++];
	const struct about about = ABOUT(OTHER);
	void *record = finding->record;

	ASSERT(lock_is_held(LOCK_FINDINGS) && findings.removed <= findings.count);
	ASSERT(finding->printed && finding->count);
	finding->record = NULL;
	if (!report_read(record, report))
		*report = report_about(GPURUN_REPORT_FINDING, &about, "a finding without memory");
	report->count = finding->count;
	return record;
}

/* Of those that are counted alone. */
static void *pop_sum(struct gpurun_report *report)
{
	const struct about about = ABOUT(OTHER);
	char *what = NULL;

	findings.summed = true;
	if (asprintf(&what, "and %zu more", findings.count - FINDINGS) < 0)
		what = NULL;
	*report = report_about(GPURUN_REPORT_FINDING, &about, what ? what : "and more");
	report->count = findings.count - FINDINGS;
	return what;
}

void *finding_pop(struct gpurun_report *report)
{
	void *owned = NULL;

	*report = report_none();
	lock_acquire(&findings.lock, LOCK_FINDINGS);
	if (findings.removed < findings.count && findings.removed < FINDINGS) {
		if (findings.items[findings.removed].printed)
			owned = pop_next(report);
	} else if (findings.count > FINDINGS && !findings.summed) {
		owned = pop_sum(report);
	}
	lock_release(&findings.lock);
	return owned;
}

uint64_t findings_left(void)
{
	uint64_t left;

	lock_acquire(&findings.lock, LOCK_FINDINGS);
	left = findings.count - findings.removed;
	lock_release(&findings.lock);
	return left;
}

void findings_print_more(void)
{
	const uint64_t count = findings_count();

	if (count > FINDINGS)
		visible_printf(stderr, "gpurun: %scheck: and %llu more\n", line_rank(),
			       (unsigned long long)(count - FINDINGS));
}
