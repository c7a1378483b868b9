/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exec_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "asserts.h"
#include "cleanup.h"
#include "demangle.h"
#include "exec_share.h"
#include "exit.h"
#include "fault.h"
#include "report_format.h"

/* How long devices may take to answer. */
enum { ANSWER_MS = 250 };

int exec_log_open(bool ask, struct err *e)
{
	const struct exec_counts counts = { .ask = ask ? EXEC_ASKS_LATER : EXEC_ASKS_NEVER };
	int fd = memfd_create("gpurun-exec", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	/* No program takes away what is mapped here. */
	if (fd >= 0 && pwrite(fd, &counts, sizeof(counts), 0) == sizeof(counts) &&
	    !ftruncate(fd, EXEC_LOG_START) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return fd;
	err_set(e, GPURUN_INTERNAL, "cannot watch a program: %s", strerror(errno));
	close_fd(&fd);
	return -1;
}

static uint64_t read_milliseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* A process that ended without its answer is waited for as well: nothing here tells. */
static void wait_for_answers(struct exec_counts *counts)
{
	const uint64_t end = read_milliseconds() + ANSWER_MS;
	uint32_t left;

	while ((left = atomic_load(&counts->answering)) != 0) {
		const uint64_t time = read_milliseconds();

		if (time >= end)
			return;
		exec_wait(&counts->answering, left,
			  &(struct timespec){ .tv_nsec = (long)(end - time) * 1000000 });
	}
}

void exec_log_ask(int fd)
{
	struct exec_counts *counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
					  MAP_SHARED, fd, 0);

	if (counts == MAP_FAILED)
		return;
	atomic_store(&counts->ask, EXEC_ASKS_NOW);
	exec_wake(&counts->ask);
	wait_for_answers(counts);
	munmap(counts, sizeof(*counts));
}

/* What @fd has, from its beginning. */
static int read_whole(int fd, struct bytes *out, struct err *e)
{
	CLEANUP(free_pointer) uint8_t *data = NULL;
	struct stat status;
	ssize_t got = -1;

	*out = (struct bytes){ 0 };
	if (!fstat(fd, &status)) {
		data = malloc((size_t)status.st_size + 1);
		if (!data)
			return err_set(e, GPURUN_NO_MEMORY, "no memory for the reports");
		got = pread(fd, data, (size_t)status.st_size, 0);
	}
	if (got < 0)
		return err_set(e, GPURUN_IO, "cannot read the reports: %s", strerror(errno));
	*out = (struct bytes){ STEAL(data), (size_t)got };
	return 0;
}

static void keep_running(struct exec_log *log, const struct gpurun_report *report)
{
	const unsigned *grid = report->grid, *block = report->block_size;
	const uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2];
	CLEANUP(free_pointer) char *kernel = demangle_alone(report->kernel);

	if (!*log->running)
		snprintf(log->running, sizeof(log->running),
			 "%.256s ran, grid %ux%ux%u, block %ux%ux%u: "
			 "%llu of %llu block%s had ended",
			 kernel ? kernel : report->kernel, grid[0], grid[1], grid[2], block[0],
			 block[1], block[2], (unsigned long long)report->count,
			 (unsigned long long)total, total == 1 ? "" : "s");
}

static int keep_report(struct exec_log *log, pid_t program, const struct gpurun_report *report,
		       struct err *e)
{
	switch (report->event) {
	case GPURUN_REPORT_FAULT:
		fault_note(report->error, report);
		return findings_add(&log->broken, report, e);
	case GPURUN_REPORT_FINDING:
		return findings_add(&log->findings, report, e);
	case GPURUN_REPORT_STATUS:
		if (report->count == (uint64_t)program)
			log->status = (unsigned)report->error;
		return 0;
	case GPURUN_REPORT_RUNNING:
		keep_running(log, report);
		return 0;
	default:
		return findings_add(&log->failures, report, e);
	}
}

/* A program can write anything there: what follows a record that is none is ignored. */
static int read_records(struct exec_log *log, pid_t program, struct bytes bytes, struct err *e)
{
	struct gpurun_report report;
	size_t size;

	while ((size = report_unpack(bytes, &report)) != 0) {
		TRY(keep_report(log, program, &report, e));
		bytes = (struct bytes){ bytes.data + size, bytes.size - size };
	}
	return 0;
}

int exec_log_read(struct exec_log *log, pid_t program, int fd, struct err *e)
{
	CLEANUP(free_pointer) void *owned = NULL;
	struct exec_counts counts;
	struct bytes all;

	ASSERT(fd >= 0 && !log->launches && !log->findings.count);
	TRY(read_whole(fd, &all, e));
	owned = (void *)(uintptr_t)all.data;
	if (!bytes_read(all, 0, &counts, sizeof(counts)) || all.size < EXEC_LOG_START)
		return 0;
	log->launches = counts.launches;
	log->failed = counts.failed;
	log->kernels = counts.kernels;
	log->faults = counts.faults;
	return read_records(log, program, (struct bytes){ all.data + EXEC_LOG_START,
							  all.size - EXEC_LOG_START }, e);
}

static void add_counts(int to, const struct exec_counts *counts)
{
	struct exec_counts *all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED, to,
				       0);

	if (all == MAP_FAILED)
		return;
	atomic_fetch_add(&all->launches, atomic_load(&counts->launches));
	atomic_fetch_add(&all->failed, atomic_load(&counts->failed));
	atomic_fetch_add(&all->kernels, atomic_load(&counts->kernels));
	atomic_fetch_add(&all->faults, atomic_load(&counts->faults));
	munmap(all, sizeof(*all));
}

void exec_log_pass_on(int fd, bool records)
{
	CLEANUP(free_pointer) void *owned = NULL;
	CLEANUP(close_fd) int to = -1;
	struct exec_counts counts;
	struct stat status;
	char path[64];
	struct bytes all;
	struct err ignored;

	if (exec_path("log=", path, sizeof(path)))
		to = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	if (to < 0 || fstat(to, &status) || status.st_size < EXEC_LOG_START ||
	    read_whole(fd, &all, &ignored))
		return;
	owned = (void *)(uintptr_t)all.data;
	if (!bytes_read(all, 0, &counts, sizeof(counts)) || all.size < EXEC_LOG_START)
		return;
	add_counts(to, &counts);
	/* One write, as a process appends its own. */
	if (records && all.size > EXEC_LOG_START &&
	    write(to, all.data + EXEC_LOG_START, all.size - EXEC_LOG_START) < 0)
		return;
}

int exec_log_explain(const struct exec_log *log, int code, struct err *e)
{
	struct gpurun_report report;

	if (code == EXIT_FAULT && fault_get(&report))
		return err_set(e, GPURUN_FAULT, "a kernel broke down, and the program did not ask "
			       "for the error: %s", report.what);
	if (log->failures.count)
		return err_set(e, GPURUN_LAUNCH, "%s", log->failures.first.text);
	return err_set(e, GPURUN_FAULT, "the device ended the program with %d", code);
}

void exec_log_add_running(const struct exec_log *log, struct err *e)
{
	const struct err killed = *e;

	if (*log->running)
		err_set(e, killed.code, "%s while %s", killed.text, log->running);
}

void exec_log_release(struct exec_log *log)
{
	findings_release(&log->findings);
	findings_release(&log->failures);
	findings_release(&log->broken);
	*log = (struct exec_log){ 0 };
}
