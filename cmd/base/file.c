/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asserts.h"
#include "cleanup.h"
#include "lock.h"

static int io_error(const char *path, const char *what, struct err *e)
{
	return err_set(e, GPURUN_IO, "%s: %s: %s", path, what, strerror(errno));
}

static int too_large(const char *path, uint64_t most, struct err *e)
{
	return err_set(e, GPURUN_IO, "%s: has more than %llu bytes, which is the limit here",
		       path, (unsigned long long)most);
}

/* Makes *@data larger, but not by more than a byte beyond @most. */
static int grow(uint8_t **data, size_t *capacity, size_t room, uint64_t most,
		const char *path, struct err *e)
{
	size_t wanted = *capacity ? 2 * *capacity : room + 1;
	uint8_t *grown;

	if (*capacity > most)
		return too_large(path, most, e);
	wanted = wanted > most ? most + 1 : wanted;
	grown = realloc(*data, wanted + 1);
	ASSERT(wanted > *capacity);
	if (!grown)
		return err_set(e, GPURUN_NO_MEMORY, "%s: no memory for %zu bytes", path, wanted);
	*data = grown;
	*capacity = wanted;
	return 0;
}

/* Reads @fd to its end; @room is a guess at how much that is. */
static int read_all(int fd, const char *path, size_t room, uint64_t most, uint8_t **out,
		    size_t *size, struct err *e)
{
	CLEANUP(free_pointer) uint8_t *data = NULL;
	size_t have = 0, capacity = 0;

	for (;;) {
		ssize_t got;

		if (have == capacity)
			TRY(grow(&data, &capacity, room, most, path, e));
		got = read(fd, data + have, capacity - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return io_error(path, "cannot read", e);
		if (!got)
			break;
		have += (size_t)got;
	}
	data[have] = '\0';
	*size = have;
	*out = STEAL(data);
	return 0;
}

int file_take_stdin(const char *path, const char *what, struct err *e)
{
	static const char *taken;

	if (strcmp(path, "-"))
		return 0;
	if (taken)
		return err_set(e, GPURUN_INVALID, "the standard input, '-', can be read once, and "
			       "%s has it", taken);
	taken = what;
	return 0;
}

/* A copy of standard input, so that the next file opened does not get descriptor 0. */
static int open_input(const char *path)
{
	return strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
				   fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
}

int file_read(const char *path, uint64_t most, uint8_t **data, size_t *size,
	      struct err *e)
{
	CLEANUP(close_fd) int fd = open_input(path);
	struct stat status;

	*data = NULL;
	*size = 0;
	if (fd < 0)
		return io_error(path, "cannot open", e);
	if (fstat(fd, &status))
		return io_error(path, "cannot read", e);
	if (S_ISDIR(status.st_mode))
		return err_set(e, GPURUN_IO, "%s: is a directory", path);
	if (status.st_size > 0 && (uint64_t)status.st_size > most)
		return err_set(e, GPURUN_IO, "%s: has %lld bytes, the limit here is %llu", path,
			       (long long)status.st_size, (unsigned long long)most);
	return read_all(fd, path, (size_t)status.st_size, most, data, size, e);
}

static int existing(const char *path, struct err *e)
{
	err_set(e, GPURUN_IO, "%s: exists already", path);
	return err_hint(e, "-f lets it be overwritten");
}

int file_check_target(const char *path, bool overwrite, struct err *e)
{
	CLEANUP(free_pointer) char *copy = strdup(path);
	struct stat status;
	const char *folder;

	if (!copy)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a path");
	if (!*path)
		return err_set(e, GPURUN_INVALID, "an empty file name");
	if (!stat(path, &status)) {
		if (S_ISDIR(status.st_mode))
			return err_set(e, GPURUN_IO, "%s: is a directory", path);
		if (!overwrite && S_ISREG(status.st_mode))
			return existing(path, e);
	}
	folder = dirname(copy);
	if (stat(folder, &status) || !S_ISDIR(status.st_mode))
		return err_set(e, GPURUN_IO, "%s: there is no folder %s", path, folder);
	if (access(folder, W_OK))
		return io_error(path, "cannot be written", e);
	return 0;
}

int file_write_all(int fd, struct bytes bytes, const char *name, struct err *e)
{
	while (bytes.size) {
		ssize_t done = write(fd, bytes.data, bytes.size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return io_error(name, "cannot write", e);
		bytes.data += done;
		bytes.size -= (size_t)done;
	}
	return 0;
}

/* ---- files that are being written ---- */

/* Recursive: a thread that has abandoned them keeps it for ever, and writes one more file. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct file_output *outputs; /* those with a temporary file */

static void forget(struct file_output *output)
{
	struct file_output **at = &outputs;

	ASSERT(lock_is_held(LOCK_FILES));
	while (*at && *at != output)
		at = &(*at)->next;
	if (*at)
		*at = output->next;
}

void file_output_release(struct file_output *output)
{
	lock_acquire(&lock, LOCK_FILES);
	if (output->temporary)
		unlink(output->temporary);
	forget(output);
	lock_release(&lock);
	free(output->temporary);
	if (output->path)
		close_fd(&output->fd);
	free(output->target);
	*output = (struct file_output){ 0 };
}

void file_abandon(void)
{
	/* Kept for ever, across the report: its rank does not count. */
	pthread_mutex_lock(&lock);
	for (; outputs; outputs = outputs->next)
		unlink(outputs->temporary);
}

/* The mode, and if possible the owner, of the file that it replaces; of a new one, the mode
 * that a plain open() would have given it. */
static int set_mode(int fd, const char *path, struct err *e)
{
	struct stat status;
	mode_t mask, mode;

	if (!stat(path, &status)) {
		if (fchown(fd, status.st_uid, status.st_gid))
			errno = 0; /* not ours to give away */
		mode = status.st_mode & 07777;
	} else {
		mask = umask(0);
		umask(mask);
		mode = 0666 & ~mask;
	}
	return fchmod(fd, mode) ? io_error(path, "cannot set the mode", e) : 0;
}

static int publish(const char *from, int fd, const char *path, bool overwrite,
		   struct err *e)
{
	TRY(set_mode(fd, path, e));
	if (overwrite) {
		if (rename(from, path))
			return io_error(path, "cannot rename into place", e);
		return 0;
	}
	if (link(from, path)) {
		if (errno == EEXIST)
			return existing(path, e);
		/* No hard links here: the check and the rename are then two steps. */
		if (!access(path, F_OK))
			return existing(path, e);
		if (rename(from, path))
			return io_error(path, "cannot rename into place", e);
	}
	return 0;
}

/* A device or a pipe is written in place: it cannot be replaced. */
static bool is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

static int write_spans(int fd, const struct bytes *spans, size_t count, const char *path,
		       struct err *e)
{
	for (size_t i = 0; i < count; i++)
		TRY(file_write_all(fd, spans[i], path, e));
	return 0;
}

/* Replaces the target of a symbolic link, not the link; a dangling link is replaced itself. */
static void follow_link(struct file_output *output)
{
	struct stat status;

	if (lstat(output->path, &status) || !S_ISLNK(status.st_mode))
		return;
	output->target = realpath(output->path, NULL);
	if (output->target)
		output->path = output->target;
}

static int create_beside(struct file_output *output, struct err *e)
{
	CLEANUP(free_pointer) char *name = NULL;

	if (asprintf(&name, "%s.XXXXXX", output->path) < 0) {
		name = NULL;
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a path");
	}
	lock_acquire(&lock, LOCK_FILES);
	output->fd = mkostemp(name, O_CLOEXEC);
	if (output->fd >= 0) {
		output->temporary = STEAL(name);
		output->next = outputs;
		outputs = output;
	}
	lock_release(&lock);
	return output->fd < 0 ? io_error(output->path, "cannot create", e) : 0;
}

int file_output_write(struct file_output *output, const char *path, const struct bytes *spans,
		      size_t count, struct err *e)
{
	ASSERT(!output->temporary && !output->target); /* nothing that would be lost */
	*output = (struct file_output){ .path = path, .fd = -1 };
	if (!is_special(path)) {
		follow_link(output);
		TRY(create_beside(output, e));
		return write_spans(output->fd, spans, count, path, e);
	}
	output->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (output->fd < 0)
		return io_error(path, "cannot open", e);
	return write_spans(output->fd, spans, count, path, e);
}

/* Under the lock. */
static int publish_all(struct file_output *all, size_t count, bool overwrite, struct err *e)
{
	ASSERT(lock_is_held(LOCK_FILES));
	for (size_t i = 0; i < count; i++) {
		if (!all[i].temporary)
			continue;
		TRY(publish(all[i].temporary, all[i].fd, all[i].path, overwrite, e));
		if (!overwrite)
			unlink(all[i].temporary);
		forget(&all[i]);
		free(STEAL(all[i].temporary));
	}
	return 0;
}

int file_outputs_publish(struct file_output *all, size_t count, bool overwrite, struct err *e)
{
	int status;

	lock_acquire(&lock, LOCK_FILES);
	status = publish_all(all, count, overwrite, e);
	lock_release(&lock);
	return status;
}

int file_replace(const char *path, const struct bytes *spans, size_t count,
		 bool overwrite, struct err *e)
{
	CLEANUP(file_output_release) struct file_output output = { 0 };

	TRY(file_output_write(&output, path, spans, count, e));
	return file_outputs_publish(&output, 1, overwrite, e);
}
