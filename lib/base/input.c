/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "asserts.h"

static int io_error(struct err *e, const char *what)
{
	return err_set(e, GPURUN_IO, "cannot %s: %s", what, strerror(errno));
}

/* The bytes of @fd, of @size, that are nowhere on a disk; 0 if that is unknown. */
static off_t count_holes(int fd, off_t start, off_t size)
{
	off_t holes = 0, at = start;

	while (at >= 0 && at < size) {
		off_t hole = lseek(fd, at, SEEK_HOLE);

		if (hole < 0 || hole >= size)
			break;
		at = lseek(fd, hole, SEEK_DATA);
		holes += (at < 0 ? size : at) - hole;
	}
	lseek(fd, start, SEEK_SET);
	return holes;
}

static int check_holes(int fd, off_t start, off_t size, struct err *e)
{
	const off_t holes = (size_t)size > INPUT_MAX_HOLES ? count_holes(fd, start, size) : 0;

	if ((size_t)holes <= INPUT_MAX_HOLES)
		return 0;
	err_set(e, GPURUN_IO,
		"a sparse file: %lld of its %lld bytes are missing; the limit is %zu",
		(long long)holes, (long long)size, INPUT_MAX_HOLES);
	return err_hint(e, "give a copy without what is behind its GPU code");
}

/* Maps the regular file @fd from its current offset. */
static int map(struct input *input, int fd, const struct stat *st, struct err *e)
{
	off_t start = lseek(fd, 0, SEEK_CUR);
	void *mapped;

	if (start < 0)
		start = 0;
	if (start >= st->st_size)
		return 0;
	TRY(check_holes(fd, start, st->st_size, e));
	mapped = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapped == MAP_FAILED)
		return io_error(e, "map the file");
	input->mapped = mapped;
	input->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	input->mapped_size = (size_t)st->st_size;
	bytes_slice((struct bytes){ mapped, input->mapped_size }, (uint64_t)start,
		    (uint64_t)(st->st_size - start), &input->bytes);
	return 0;
}

static int grow(struct input *input, size_t *capacity, struct err *e)
{
	size_t wanted = *capacity ? *capacity * 2 : 65536;
	uint8_t *buffer;

	if (*capacity >= INPUT_MAX) {
		err_set(e, GPURUN_IO,
			"more than %zu bytes from something that is not a regular file",
			INPUT_MAX);
		return err_hint(e, "write it into a file, which may be larger");
	}
	buffer = realloc(input->buffer, wanted);
	if (!buffer)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu bytes", wanted);
	input->buffer = buffer;
	*capacity = wanted;
	return 0;
}

static int read_all(struct input *input, int fd, bool (*wanted)(struct bytes head),
		    struct err *e)
{
	size_t size = 0, capacity = 0;

	for (;;) {
		ssize_t got;

		if (size == INPUT_HEAD && !wanted((struct bytes){ input->buffer, size }))
			break;

		if (size == capacity)
			TRY(grow(input, &capacity, e));
		got = read(fd, input->buffer + size, capacity - size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return io_error(e, "read");
		if (!got)
			break;
		size += (size_t)got;
	}
	input->bytes = (struct bytes){ input->buffer, size };
	return 0;
}

static int read_or_map(struct input *input, int fd, bool (*wanted)(struct bytes head),
		       struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return io_error(e, "read");
	return S_ISREG(st.st_mode) && st.st_size ? map(input, fd, &st, e)
						 : read_all(input, fd, wanted, e);
}

int input_open(struct input *input, const char *path, bool (*wanted)(struct bytes head),
	       struct err *e)
{
	CLEANUP(close_fd) int fd = -1;

	*input = (struct input){ 0 };
	if (!strcmp(path, "-"))
		return read_or_map(input, STDIN_FILENO, wanted, e);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(e, "open");
	return read_or_map(input, fd, wanted, e);
}

void input_drop(const struct input *input, struct bytes bytes)
{
	const uintptr_t page = 4096;
	uintptr_t from = ((uintptr_t)bytes.data + page - 1) / page * page;
	uintptr_t to = ((uintptr_t)bytes.data + bytes.size) / page * page;

	if (input->mapped && from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

struct bytes input_copy(const struct input *input, struct bytes bytes, uint8_t *buffer)
{
	size_t have = 0;

	ASSERT(!input->mapped || (bytes.data >= (const uint8_t *)input->mapped &&
				  bytes.size <= input->mapped_size));
	if (!input->mapped || input->fd < 0)
		return bytes;
	while (have < bytes.size) {
		const off_t at = bytes.data + have - (const uint8_t *)input->mapped;
		ssize_t got = pread(input->fd, buffer + have, bytes.size - have, at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) /* it has become shorter, for example */
			return bytes;
		have += (size_t)got;
	}
	return (struct bytes){ buffer, bytes.size };
}

const uint8_t *input_view_at(struct input_view *view, uint64_t offset, size_t size)
{
	const uint8_t *data = bytes_at(view->bytes, offset, size);
	const uint64_t left = data ? view->bytes.size - offset : 0;

	ASSERT(size <= INPUT_VIEW);
	if (!data || !view->input)
		return data;
	if (offset < view->from || !bytes_at(view->near, offset - view->from, size)) {
		view->from = offset;
		view->near = input_copy(view->input, (struct bytes){ data,
					left < INPUT_VIEW ? left : INPUT_VIEW }, view->buffer);
	}
	return view->near.data + (offset - view->from);
}

void input_release(struct input *input)
{
	if (input->mapped) {
		munmap(input->mapped, input->mapped_size);
		close_fd(&input->fd);
	}
	free(input->buffer);
	*input = (struct input){ 0 };
}
