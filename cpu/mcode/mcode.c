/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mcode.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asserts.h"

struct mcode {
	uint8_t *pages; /* owned; NULL: not mapped yet */
	size_t mapped;  /* whole pages */
	size_t size;
	bool sealed;
};

/* Bytes that are mapped. */
static atomic_size_t total;

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t size)
{
	const size_t page = page_size();

	return (size + page - 1) / page * page;
}

static void *map_pages(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* 0, or the errno of what was refused. Pages that cannot be had now say nothing: 0. */
static int probe_pages(void)
{
	const size_t size = page_size();
	void *pages = map_pages(size);
	int refused = 0;

	if (pages == MAP_FAILED)
		return 0;
	if (mprotect(pages, size, PROT_READ | PROT_EXEC) && errno != ENOMEM)
		refused = errno;
	munmap(pages, size);
	return refused;
}

static int probed;

static void probe_once(void)
{
	probed = probe_pages();
}

static int refused_errno(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, probe_once);
	return probed;
}

bool mcode_available(void)
{
	return !refused_errno();
}

static int set_refused(struct err *e, int error)
{
	err_set(e, GPURUN_UNSUPPORTED, "making memory executable: %s", strerror(error));
	return err_hint(e, "a policy of the system forbids it, such as a seccomp filter or "
			   "SELinux's execmem: without it, kernels are not compiled");
}

/* Adds @size to the bytes of the process, unless they were more than MCODE_MOST then. */
static bool count_bytes(size_t size)
{
	size_t old = atomic_load(&total);

	do {
		if (size > MCODE_MOST || old > MCODE_MOST - size)
			return false;
	} while (!atomic_compare_exchange_weak(&total, &old, old + size));
	return true;
}

int mcode_new(size_t size, struct mcode **out, struct err *e)
{
	CLEANUP(free_mcode) struct mcode *code = NULL;

	ASSERT(size);
	*out = NULL;
	if (!mcode_available())
		return set_refused(e, refused_errno());
	code = calloc(1, sizeof(*code));
	if (!code)
		return err_set(e, GPURUN_NO_MEMORY, "%zu bytes of machine code", size);
	if (size > MCODE_MOST || !count_bytes(whole_pages(size)))
		return err_set(e, GPURUN_NO_MEMORY,
			       "%zu bytes of machine code: the process has %zu of %zu", size,
			       atomic_load(&total), MCODE_MOST);
	code->mapped = code->size = whole_pages(size);
	code->pages = map_pages(code->mapped);
	if (code->pages == MAP_FAILED) {
		const int error = errno;

		code->pages = NULL;
		return err_set(e, GPURUN_NO_MEMORY, "%zu bytes of machine code: %s", size,
			       strerror(error));
	}
	*out = STEAL(code);
	return 0;
}

/* A tail that the system does not unmap stays mapped, and counted. */
static void trim_pages(struct mcode *code, size_t kept)
{
	if (kept == code->mapped || munmap(code->pages + kept, code->mapped - kept))
		return;
	atomic_fetch_sub(&total, code->mapped - kept);
	code->mapped = kept;
}

int mcode_seal(struct mcode *code, size_t used, struct err *e)
{
	ASSERT(!code->sealed && used && used <= code->size);
	if (mprotect(code->pages, code->mapped, PROT_READ | PROT_EXEC)) {
		const int error = errno;

		if (error != ENOMEM)
			return set_refused(e, error);
		return err_set(e, GPURUN_NO_MEMORY, "making %zu bytes executable: %s", code->mapped,
			       strerror(error));
	}
	trim_pages(code, whole_pages(used));
	__builtin___clear_cache((char *)code->pages, (char *)code->pages + used);
	code->size = used;
	code->sealed = true;
	return 0;
}

void mcode_free(struct mcode *code)
{
	if (!code)
		return;
	if (code->pages)
		munmap(code->pages, code->mapped);
	atomic_fetch_sub(&total, code->mapped);
	free(code);
}

void *mcode_address(const struct mcode *code)
{
	return code->pages;
}

size_t mcode_size(const struct mcode *code)
{
	return code->size;
}

void mcode_map_path(char path[MCODE_PATH])
{
	snprintf(path, MCODE_PATH, "/tmp/perf-%ld.map", (long)getpid());
}

/* The file, which is a plain one of this user, or -1. */
static int open_map(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	CLEANUP(close_fd) int fd = open(path, flags, 0600);
	struct stat about;
	int found = fd;

	if (fd < 0 || fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_uid != geteuid())
		return -1;
	fd = -1;
	return found;
}

/* One write(), so that lines of several threads do not mix. */
void mcode_describe(const struct mcode *code, size_t offset, size_t size, const char *name,
		    const char *path)
{
	CLEANUP(close_fd) int fd = open_map(path);
	char line[512];
	int length;

	ASSERT(offset <= code->size && size <= code->size - offset);
	if (fd < 0)
		return;
	length = snprintf(line, sizeof(line), "%lx %zx %.400s\n",
			  (unsigned long)(uintptr_t)(code->pages + offset), size, name);
	(void)!write(fd, line, (size_t)length);
}
