/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Of Linux 6.3; an older one refuses it, and needs none. */
#define NOEXEC_SEAL 0x0008U

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

long kernel_open(const char *path)
{
	return call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0, 0);
}

long kernel_close(int fd)
{
	return call(SYS_close, fd, 0, 0, 0, 0, 0);
}

long kernel_size(int fd)
{
	return call(SYS_lseek, fd, 0, 2 /* SEEK_END */, 0, 0, 0);
}

long kernel_write(int fd, const void *from, size_t size)
{
	return call(SYS_write, fd, (long)from, (long)size, 0, 0, 0);
}

long kernel_memfd(const char *name)
{
	long fd = call(SYS_memfd_create, (long)name, MFD_CLOEXEC | NOEXEC_SEAL, 0, 0, 0, 0);

	return fd == -EINVAL ? call(SYS_memfd_create, (long)name, MFD_CLOEXEC, 0, 0, 0, 0) : fd;
}

long kernel_readlink(const char *path, char *to, size_t size)
{
	return call(SYS_readlinkat, AT_FDCWD, (long)path, (long)to, (long)size, 0, 0);
}

long kernel_unmap(void *at, size_t size)
{
	return call(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

/* The kernel returns errors as the last page of addresses. */
static void *mapped(long result)
{
	return result < 0 && result > -4096 ? NULL : (void *)result;
}

void *kernel_map(void *at, size_t size, int protection, int flags, int fd, uint64_t offset)
{
	flags |= MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0);
	return mapped(call(SYS_mmap, (long)at, (long)size, protection, flags, fd, (long)offset));
}

void *kernel_map_shared(int fd, size_t size)
{
	return mapped(call(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_POPULATE, fd, 0));
}

bool kernel_read(int fd, uint64_t offset, void *to, size_t size)
{
	char *at = to;

	while (size) {
		long done = call(SYS_pread64, fd, (long)at, (long)size, (long)offset, 0, 0);

		if (done == -EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

void kernel_exit(int status)
{
	for (;;)
		call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static char rank[16]; /* "[3] ", or "" */

void kernel_rank(const char *text)
{
	size_t length = 0;

	while (text && text[length] >= '0' && text[length] <= '9')
		length++;
	if (!length || length > 9 || text[length])
		return;
	rank[0] = '[';
	for (size_t i = 0; i < length; i++)
		rank[1 + i] = text[i];
	rank[1 + length] = ']';
	rank[2 + length] = ' ';
}

void kernel_print(const char *first, ...)
{
	char line[1024] = "gpurun: ";
	size_t length = sizeof("gpurun: ") - 1;
	va_list texts;

	for (const char *at = rank; *at; at++)
		line[length++] = *at;
	va_start(texts, first);
	for (const char *text = first; text; text = va_arg(texts, const char *))
		for (; *text && length < sizeof(line) - 1; text++)
			/* A file's name may hold what a terminal obeys. */
			line[length++] = (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text;
	va_end(texts);
	line[length++] = '\n';
	kernel_write(2, line, length);
}
