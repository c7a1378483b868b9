/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The driver fills with elements of 1, 2 and 4 bytes: a row of equal ones, or a
 * column of them, one in every so many bytes. A longer pattern is a column for each
 * of its elements; equal neighbours are one wider column. So the pattern is passed
 * in the arguments, and nothing has to wait until the stream has read it.
 */
#include "memory_fill.h"

#include <string.h>

#include "block.h"
#include "context.h"
#include "memory.h"
#include "stream.h"

/* What is filled, and where. */
struct fill {
	struct device *device; /* borrowed; its context is current */
	CUstream stream;
	uint64_t address;
	const char *pattern;   /* borrowed */
	uint64_t size;         /* of the pattern, in bytes */
	uint64_t rows;         /* copies of it */
	unsigned width;        /* of an element */
};

static int fill_row(const struct fill *fill, uint32_t value, struct err *e)
{
	switch (fill->width) {
	case 1:
		return CUDA(fill->device, e, cuMemsetD8Async, fill->address, (uint8_t)value,
			    fill->rows, fill->stream);
	case 2:
		return CUDA(fill->device, e, cuMemsetD16Async, fill->address,
			    (uint16_t)value, fill->rows, fill->stream);
	case 4:
		return CUDA(fill->device, e, cuMemsetD32Async, fill->address, value,
			    fill->rows, fill->stream);
	}
	return err_set(e, GPURUN_INVALID, "a pattern of %u bytes: it has 1, 2 or 4",
		       fill->width);
}

/* Fills @columns elements at @offset of every row. */
static int fill_columns(const struct fill *fill, uint64_t offset, uint32_t value,
			uint64_t columns, struct err *e)
{
	const uint64_t address = fill->address + offset;

	switch (fill->width) {
	case 1:
		return CUDA(fill->device, e, cuMemsetD2D8Async, address, fill->size,
			    (uint8_t)value, columns, fill->rows, fill->stream);
	case 2:
		return CUDA(fill->device, e, cuMemsetD2D16Async, address, fill->size,
			    (uint16_t)value, columns, fill->rows, fill->stream);
	}
	return CUDA(fill->device, e, cuMemsetD2D32Async, address, fill->size, value,
		    columns, fill->rows, fill->stream);
}

int fill_elements(uint64_t address, uint32_t pattern, unsigned width, uint64_t count,
		  struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct fill fill = { .address = address, .rows = count, .width = width };

	TRY(memory_target(handle, address, &stream, &device, e));
	if (!count)
		return 0;
	if (!address)
		return err_set(e, GPURUN_INVALID, "fill of %llu elements at address 0",
			       (unsigned long long)count);
	fill.device = device;
	fill.stream = stream ? stream->native : NULL;
	TRY(context_enter(device, &scope, e));
	TRY(fill_row(&fill, pattern, e));
	return stream ? 0 : CUDA(device, e, cuStreamSynchronize, NULL);
}

/* The size of the part of which @pattern is @times copies, if there is one, else @size. */
static uint64_t fold(const char *pattern, uint64_t size, uint64_t times)
{
	const uint64_t part = size / times;

	return memcmp(pattern, pattern + part, size - part) ? size : part;
}

/* The bytes after which @pattern repeats itself: its size without some of the prime
 * factors. */
static uint64_t period(const char *pattern, uint64_t size)
{
	uint64_t rest = size;

	for (uint64_t factor = 2; factor <= rest / factor; factor++)
		for (; rest % factor == 0; rest /= factor)
			size = fold(pattern, size, factor);
	return rest > 1 ? fold(pattern, size, rest) : size;
}

/* The widest element that fits both the size and the address. */
static unsigned width_of(uint64_t address, uint64_t size)
{
	const uint64_t both = address | size;

	return both % 2 ? 1 : both % 4 ? 2 : 4;
}

static uint32_t element(const struct fill *fill, uint64_t offset)
{
	uint32_t value = 0;

	memcpy(&value, fill->pattern + offset, fill->width);
	return value;
}

static int fill_all(const struct fill *fill, struct err *e)
{
	uint64_t from = 0, to;

	if (fill->size == fill->width)
		return fill_row(fill, element(fill, 0), e);
	for (; from < fill->size; from = to) {
		const uint32_t value = element(fill, from);

		to = from + fill->width;
		while (to < fill->size && element(fill, to) == value)
			to += fill->width;
		TRY(fill_columns(fill, from, value, (to - from) / fill->width, e));
	}
	return 0;
}

/* Refuses @bytes from @address on that exceed the block in which they begin. */
static int check_range(uint64_t address, uint64_t bytes, struct err *e)
{
	struct block block;
	CLEANUP(put_object) struct device *device = NULL;
	uint64_t room = UINT64_MAX - address;

	if (block_find(address, &block)) {
		device = block.device;
		room = block.address + block.size - address;
	}
	if (address && bytes <= room)
		return 0;
	return err_set(e, GPURUN_INVALID, "fill of %llu bytes at %#llx: %s %llu bytes",
		       (unsigned long long)bytes, (unsigned long long)address,
		       device ? "its block ends after" : "there are",
		       (unsigned long long)(address ? room : 0));
}

/* Refuses an invalid pattern, and too many copies of it. */
static int check_pattern(const void *pattern, uint64_t size, uint64_t count,
			 uint64_t *bytes, struct err *e)
{
	if (!pattern || !size)
		return err_set(e, GPURUN_INVALID, "no pattern to fill with: %p, %llu bytes",
			       pattern, (unsigned long long)size);
	if (__builtin_mul_overflow(size, count, bytes))
		return err_set(e, GPURUN_INVALID, "fill with %llu patterns of %llu bytes: "
			       "more than there are addresses", (unsigned long long)count,
			       (unsigned long long)size);
	return 0;
}

int fill_pattern(uint64_t address, const void *pattern, uint64_t size, uint64_t count,
		 struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct fill fill = { .address = address, .pattern = pattern };
	uint64_t bytes = 0;

	TRY(memory_target(handle, address, &stream, &device, e));
	TRY(check_pattern(pattern, size, count, &bytes, e));
	if (!count)
		return 0;
	TRY(check_range(address, bytes, e));
	fill.device = device;
	fill.stream = stream ? stream->native : NULL;
	fill.size = period(pattern, size);
	fill.rows = bytes / fill.size;
	fill.width = width_of(address, fill.size);
	TRY(context_enter(device, &scope, e));
	TRY(fill_all(&fill, e));
	return stream ? 0 : CUDA(device, e, cuStreamSynchronize, NULL);
}
