/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "host_program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"

bool host_program_may_run(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* A library is executable for many linkers; what starts has an address, or an interpreter. */
static bool starts(struct bytes head)
{
	Elf64_Ehdr elf;
	Elf64_Phdr segment;

	if (bytes_begin(head, "#!", 2))
		return true;
	if (!bytes_begin(head, ELFMAG, SELFMAG) || !bytes_read(head, 0, &elf, sizeof(elf)))
		return false;
	for (unsigned i = 0; elf.e_type == ET_DYN && i < elf.e_phnum; i++) {
		if (!bytes_read(head, elf.e_phoff + i * (uint64_t)sizeof(segment), &segment,
				sizeof(segment)))
			return false;
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return elf.e_type == ET_EXEC;
}

bool host_program_is(const char *path)
{
	uint8_t head[4096];
	ssize_t size;
	int fd;

	if (!host_program_may_run(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);
	if (fd >= 0)
		close(fd);
	return size > 0 && starts((struct bytes){ head, (size_t)size });
}

bool host_program_find(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	size_t length;

	for (const char *at = folders ? folders : "/bin:/usr/bin";; at += length + 1) {
		length = strcspn(at, ":");
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, at,
			     length ? "/" : "./", name) < PATH_MAX &&
		    host_program_may_run(path))
			return true;
		if (!at[length])
			return false;
	}
}
