/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

#include "asserts.h"
#include "cleanup.h"
#include "file.h"
#include "progress.h"
#include "visible.h"

static int report_fd = 1;
static bool to_parent;
static atomic_bool reported;

int output_begin(bool report_on_stdout, struct err *e)
{
	int kept;

	if (!report_on_stdout)
		return 0;
	kept = to_parent ? report_fd : fcntl(1, F_DUPFD_CLOEXEC, 3);
	if (kept < 0 || dup2(2, 1) < 0)
		return err_set(e, GPURUN_IO, "cannot set stdout aside: %s",
			       strerror(errno));
	report_fd = kept;
	return 0;
}

void output_report_to(int fd)
{
	ASSERT(fd >= 0 && !to_parent && !reported);
	/* A program that the worker becomes does not hold it open. */
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	report_fd = fd;
	to_parent = true;
}

/* Before each text that a worker sends. */
struct header {
	uint64_t kind, size;
};

static int send_to_parent(enum output_kind kind, struct bytes bytes, struct err *e)
{
	const struct header header = { kind, bytes.size };
	const struct bytes front = { (const uint8_t *)&header, sizeof(header) };

	TRY(file_write_all(report_fd, front, "the parent's pipe", e));
	return file_write_all(report_fd, bytes, "the parent's pipe", e);
}

int output_report(enum output_kind kind, const char *file, const char *text, size_t size,
		  struct err *e)
{
	struct bytes bytes = { (const uint8_t *)text, size };

	ASSERT(kind > OUTPUT_DEVICE && kind < OUTPUT_KINDS && text);
	reported = true;
	progress_end(); /* what follows goes past the streams */
	if (to_parent)
		return send_to_parent(kind, bytes, e);
	if (kind == OUTPUT_ANNOTATIONS)
		return file_write_all(2, bytes, "stderr", e);
	if (file)
		return file_replace(file, &bytes, 1, true, e);
	return file_write_all(report_fd, bytes, "stdout", e);
}

bool output_find(struct bytes sent, enum output_kind kind, struct bytes *out)
{
	struct header header;
	uint64_t at = 0;

	while (bytes_read(sent, at, &header, sizeof(header))) {
		at += sizeof(header);
		if (!bytes_slice(sent, at, header.size, out))
			return false;
		if (header.kind == (uint64_t)kind)
			return true;
		at += header.size;
	}
	return false;
}

int output_send_parent(const void *data, size_t size, struct err *e)
{
	return to_parent ? send_to_parent(OUTPUT_DEVICE, (struct bytes){ data, size }, e) : 0;
}

bool output_reported(void)
{
	return reported;
}

void output_text(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	visible_vprintf(stdout, fmt, args);
	va_end(args);
}

int output_end(struct err *e)
{
	if (fflush(stdout))
		return err_set(e, GPURUN_IO, "stdout: cannot write: %s", strerror(errno));
	/* errno no longer has the reason. */
	return ferror(stdout) ? err_set(e, GPURUN_IO, "stdout: not all could be written") : 0;
}
