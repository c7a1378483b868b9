/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A slow file system: what is written to a file of one's own takes two seconds. */
#include <dlfcn.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef ssize_t write_fn(int fd, const void *data, size_t size);

__attribute__((visibility("default"))) ssize_t write(int fd, const void *data, size_t size)
{
	struct timespec left = { 2, 0 };
	struct stat status;

	if (fd > 2 && !fstat(fd, &status) && S_ISREG(status.st_mode))
		while (nanosleep(&left, &left))
			; /* a signal interrupts it */
	return ((write_fn *)dlsym(RTLD_NEXT, "write"))(fd, data, size);
}
