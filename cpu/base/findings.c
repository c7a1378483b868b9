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

#include "driver.h"
#include "lock.h"

/* A finding's key is a hash of the kernel's name, the line of its PTX, and the check. */
struct finding {
	uint64_t key, count;
	bool printed;
	char *text; /* owned; NULL: removed, or there was no memory for it */
};

static struct {
	pthread_mutex_t lock;
	struct finding items[FINDINGS];
	unsigned count, removed;
	uint64_t unnamed; /* findings without room in items */
} findings = { .lock = PTHREAD_MUTEX_INITIALIZER };

const char *finding_name(enum check check)
{
	switch (check) {
	case CHECK_MEM:
		return "mem";
	case CHECK_INIT:
		return "init";
	case CHECK_RACE:
		return "race";
	case CHECK_SYNC:
		return "sync";
	default:
		return "leak";
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

bool finding_is_new(uint64_t key)
{
	bool is_new = true;

	lock_acquire(&findings.lock, LOCK_FINDINGS);
	for (unsigned i = 0; i < findings.count && is_new; i++) {
		if (findings.items[i].key != key)
			continue;
		findings.items[i].count++;
		is_new = false;
	}
	if (is_new && findings.count == FINDINGS) {
		findings.unnamed++;
		is_new = false;
	} else if (is_new) {
		findings.items[findings.count++] = (struct finding){ .key = key, .count = 1 };
	}
	lock_release(&findings.lock);
	return is_new;
}

/* Appends @text to the file of check-log in one write; stderr has it, even if that fails. */
static void write_log(const char *text)
{
	struct iovec parts[] = { { (void *)(uintptr_t)text, strlen(text) },
				 { (char[]){ '\n' }, 1 } };
	int fd = open(config.check_log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return;
	if (writev(fd, parts, 2) < 0)
		fprintf(stderr, "gpurun: check: %s: %s\n", config.check_log, strerror(errno));
	close(fd);
}

void finding_print(uint64_t key, const char *text)
{
	lock_acquire(&findings.lock, LOCK_FINDINGS);
	fprintf(stderr, "gpurun: check: %s\n", text);
	if (*config.check_log)
		write_log(text);
	for (unsigned i = findings.removed; i < findings.count; i++)
		if (findings.items[i].key == key && !findings.items[i].printed) {
			findings.items[i].printed = true;
			findings.items[i].text = strdup(text);
		}
	lock_release(&findings.lock);
}

void finding_report_once(const char *name, enum check check, const char *fmt, ...)
{
	char text[FINDING_SIZE];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s: ", finding_name(check));
	const uint64_t key = finding_key(name, check);
	va_list args;

	if (!finding_is_new(key))
		return;
	va_start(args, fmt);
	vsnprintf(text + used, sizeof(text) - used, fmt, args);
	va_end(args);
	finding_print(key, text);
}

void finding_report(enum check check, const char *fmt, ...)
{
	char text[FINDING_SIZE];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s: ", finding_name(check));
	uint64_t key = 0;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + used, sizeof(text) - used, fmt, args);
	va_end(args);
	lock_acquire(&findings.lock, LOCK_FINDINGS);
	if (findings.count < FINDINGS) {
		key = findings.count; /* unique: keys of ops are hashes */
		findings.items[findings.count++] = (struct finding){ .key = key, .count = 1 };
	} else {
		findings.unnamed++;
	}
	lock_release(&findings.lock);
	finding_print(key, text);
}

void finding_report_unreleased(unsigned count, const char *what, const char *call)
{
	if (count)
		finding_report(CHECK_LEAK, "%u %s%s: %s is never called for %s", count, what,
			       count > 1 ? "s" : "", call, count > 1 ? "them" : "it");
}

static void pop_next(char *text, size_t size)
{
	struct finding *finding = &findings.items[findings.removed++];

	snprintf(text, size, "%s", finding->text ? finding->text : "a finding without memory");
	if (finding->count > 1)
		snprintf(text + strlen(text), size - strlen(text), "\n  %llu times in all",
			 (unsigned long long)finding->count);
	free(finding->text);
	finding->text = NULL;
}

void finding_pop(char *text, size_t size)
{
	text[0] = '\0';
	lock_acquire(&findings.lock, LOCK_FINDINGS);
	if (findings.removed < findings.count) {
		if (findings.items[findings.removed].printed)
			pop_next(text, size);
	} else if (findings.unnamed) {
		snprintf(text, size, "and %llu more", (unsigned long long)findings.unnamed);
		findings.unnamed = 0;
	}
	lock_release(&findings.lock);
}

void finding_exit(int status, void *unused)
{
	unsigned left;

	(void)unused;
	/* A child has found nothing, and its parent may have had the lock locked. */
	if (driver_state() == DRIVER_FORKED)
		return;
	lock_acquire(&findings.lock, LOCK_FINDINGS);
	left = findings.count - findings.removed;
	if (findings.count)
		fprintf(stderr, "gpurun: check: %u finding%s\n", findings.count,
			findings.count > 1 ? "s" : "");
	lock_release(&findings.lock);
	/*
	 * glibc, which alone has on_exit(), lets a handler call exit(): the remaining handlers,
	 * a report's perhaps, run one time, with the new status, and buffers are flushed.
	 */
	if (left && !status && config.exit_code)
		exit((int)config.exit_code);
}
