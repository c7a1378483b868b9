/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cleanup.h"
#include "file.h"

static int report_fd = 1;
static bool to_parent;
static atomic_bool reported;

int output_begin(bool json_on_stdout, struct err *e)
{
	int kept;

	if (!json_on_stdout)
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
	/* A program that the worker becomes does not hold it open. */
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	report_fd = fd;
	to_parent = true;
}

int output_report(const char *file, const char *text, size_t size, struct err *e)
{
	struct bytes bytes = { (const uint8_t *)text, size };

	reported = true;
	if (file && !to_parent)
		return file_replace(file, &bytes, 1, true, e);
	return file_write_all(report_fd, bytes, "stdout", e);
}

int output_tell_parent(const void *data, size_t size, struct err *e)
{
	struct bytes bytes = { data, size };

	return to_parent ? file_write_all(report_fd, bytes, "the parent's pipe", e) : 0;
}

bool output_reported(void)
{
	return reported;
}

int output_end(struct err *e)
{
	if (fflush(stdout))
		return err_set(e, GPURUN_IO, "stdout: cannot write: %s", strerror(errno));
	/* Why, errno no longer tells. */
	return ferror(stdout) ? err_set(e, GPURUN_IO, "stdout: not all could be written") : 0;
}
