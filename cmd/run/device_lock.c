/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "message.h"
#include "nap.h"
#include "words.h"

/* The locks that programs above this one hold, as DEVICE:INODE of their files, with commas. */
#define HELD_VARIABLE "GPURUN_LOCKED"

enum {
	SILENT_SECONDS = 1, /* how long it waits before it says so */
	HIGH_FD = 200,	    /* shell scripts use descriptors below 10 as they like */
};

static int cannot_lock(const char *path, const char *reason, struct err *e)
{
	err_set(e, GPURUN_IO, "--lock: %s: cannot lock: %s", path, reason);
	return err_hint(e, "--lock=FILE takes another file");
}

static void set_default_path(const struct gpurun_device_info *info, char path[PATH_MAX])
{
	const char *name = info->kind == GPURUN_DEVICE_CPU ? "cpu" : info->uuid;

	snprintf(path, PATH_MAX, "/tmp/gpurun-%s.lock", name);
}

/* Opens what is at @path, or makes it where nothing is: empty, for all users to lock. */
static int open_or_make(const char *path)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd;

	/* Two steps: without O_EXCL some kernels refuse other users' files in /tmp. */
	do {
		fd = open(path, flags);
		if (fd >= 0 || errno != ENOENT)
			return fd;
		fd = open(path, flags | O_CREAT | O_EXCL, 0644);
	} while (fd < 0 && errno == EEXIST);
	if (fd >= 0)
		fchmod(fd, 0644); /* whatever the umask is */
	return fd;
}

static int open_file(const char *path, int *fd, struct stat *status, struct err *e)
{
	*fd = open_or_make(path);
	if (*fd < 0)
		return cannot_lock(path, errno == ELOOP ? "it is a symbolic link" :
							  strerror(errno), e);
	if (fstat(*fd, status))
		return cannot_lock(path, strerror(errno), e);
	return S_ISREG(status->st_mode) ? 0 : cannot_lock(path, "not a regular file", e);
}

/* Tells whether @path still leads to that file: a cleaner of /tmp may have removed it. */
static bool is_there(const char *path, const struct stat *file)
{
	struct stat now;

	return !lstat(path, &now) && now.st_dev == file->st_dev && now.st_ino == file->st_ino;
}

/*
 * The process that has locked that file, by /proc/locks; 0: not known, or it has ended, and those
 * that it left the lock to are not there.
 */
static int holder_of(const struct stat *file)
{
	FILE *locks = fopen("/proc/locks", "re");
	unsigned long long inode;
	char line[256];
	int found = 0, pid;

	while (locks && !found && fgets(line, sizeof(line), locks))
		if (sscanf(line, "%*d: FLOCK ADVISORY WRITE %d %*x:%*x:%llu", &pid, &inode) == 2 &&
		    inode == file->st_ino && pid > 0)
			found = pid;
	if (locks)
		fclose(locks);
	return found && (!kill(found, 0) || errno == EPERM) ? found : 0;
}

static void say_waiting(const char *path, const struct stat *file)
{
	const int holder = holder_of(file);

	if (holder)
		message_note("waiting for %s, held by process %d", path, holder);
	else
		message_note("waiting for %s, held by another process", path);
}

/* Locks the open file @fd at once; false where another has it, or, in errno, it is impossible. */
static bool try_lock(int fd)
{
	int status;

	do
		status = flock(fd, LOCK_EX | LOCK_NB);
	while (status && errno == EINTR);
	return !status;
}

static int wait_for_lock(const char *path, int fd, const struct stat *file, struct err *e)
{
	struct timespec nap = NAP_FIRST, began, now;
	int status = 0;

	clock_gettime(CLOCK_MONOTONIC, &began);
	do {
		if (try_lock(fd))
			return 0;
		if (errno != EWOULDBLOCK)
			return cannot_lock(path, strerror(errno), e);
		nap_sleep(&nap);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - began.tv_sec < SILENT_SECONDS ||
		 (now.tv_sec - began.tv_sec == SILENT_SECONDS && now.tv_nsec < began.tv_nsec));
	say_waiting(path, file);
	do
		status = flock(fd, LOCK_EX);
	while (status && errno == EINTR);
	return status ? cannot_lock(path, strerror(errno), e) : 0;
}

/* The file's word in the variable. */
static void set_word(char word[40], const struct stat *file)
{
	snprintf(word, 40, "%llx:%llx", (unsigned long long)file->st_dev,
		 (unsigned long long)file->st_ino);
}

static bool is_held_above(const struct stat *file)
{
	char word[40];

	set_word(word, file);
	return words_have(getenv(HELD_VARIABLE), word);
}

/* Programs that come of this process hold the lock, and know it. */
static int let_inherit(int fd, const struct stat *file, struct err *e)
{
	const char *old = getenv(HELD_VARIABLE);
	CLEANUP(free_pointer) char *text = NULL;
	char word[40];

	if (fcntl(fd, F_DUPFD, HIGH_FD) < 0)
		fcntl(fd, F_SETFD, 0);
	set_word(word, file);
	if (asprintf(&text, "%s%s%s", old ? old : "", old && *old ? "," : "", word) < 0) {
		text = NULL;
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
	}
	return setenv(HELD_VARIABLE, text, 1) ?
		       err_set(e, GPURUN_NO_MEMORY, "no memory for the environment") : 0;
}

/* Opens and locks the file at @path. *@above: no need, a program above this one has it. */
static int acquire(const char *path, int *fd, struct stat *file, bool *above, struct err *e)
{
	TRY(open_file(path, fd, file, e));
	*above = is_held_above(file);
	return *above ? 0 : wait_for_lock(path, *fd, file, e);
}

int device_lock(const char *file, const struct gpurun_device_info *info, bool inherit,
		struct err *e)
{
	CLEANUP(close_fd) int fd = -1;
	char path[PATH_MAX];
	bool above = false;
	struct stat status;

	if (file)
		snprintf(path, sizeof(path), "%s", file);
	else
		set_default_path(info, path);
	do {
		close_fd(&fd);
		TRY(acquire(path, &fd, &status, &above, e));
		message_verbose(above ? "%s is held by a program above this one" : "locked: %s",
				path);
	} while (!above && !is_there(path, &status));
	if (above)
		return 0;
	if (inherit)
		TRY(let_inherit(fd, &status, e));
	fd = -1; /* the end of the process closes it */
	return 0;
}
