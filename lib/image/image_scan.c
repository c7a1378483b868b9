/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Images that no section or symbol names: in data of their own, in a file whose section
 * headers were stripped, after something else. The whole file is searched except what was
 * read already, at every byte: linkers align images, other tools need not.
 *
 * What only looks like an image costs time. How much is bounded by the size of the file,
 * whatever it holds: see struct scan.
 */
#include "array.h"
#include "asserts.h"
#include "cubin.h"
#include "elf64.h"
#include "fatbin.h"
#include "image_file.h"
#include "image_search.h"
#include "ptx_text.h"

#include <elf.h>
#include <inttypes.h>

enum { LEFT_LEAST = 16 << 20 }; /* see struct scan */

struct scan {
	struct image_file *file;
	uint64_t left; /* bytes of headers that may still be read without finding an image */
	uint64_t first; /* where what may still be an image begins: after the last that was */
	uint64_t kept;	 /* the memory before it is released */
	uint64_t end;	 /* of the bytes that are searched */
	struct image_search *search;
	struct input_view view; /* of the file */
};

/* ---- What was read already -------------------------------------------- */

int image_cover(struct image_file *file, uint64_t offset, uint64_t size, struct err *e)
{
	struct image_span *span = array_grow(&file->covered, file->cover_count, sizeof(*span));

	ASSERT(size <= UINT64_MAX - offset);
	if (!span)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	*span = (struct image_span){ offset, offset + size };
	file->cover_count++;
	return 0;
}

static int compare_spans(const void *left, const void *right)
{
	const struct image_span *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* ---- Images ----------------------------------------------------------- */

/* Subtracts @size from scan->left; false when it is used up. */
static bool spend(struct scan *scan, uint64_t size)
{
	const bool enough = size <= scan->left;

	scan->left -= enough ? size : scan->left;
	return enough;
}

/* Adds the fatbin at *@offset, if it is whole; a cut one may be anything. */
static int add_fatbin(struct scan *scan, uint64_t *offset, const struct image_place *place,
		      struct err *e)
{
	CLEANUP(free_fatbin) struct fatbin *fatbin = NULL;
	struct input_view *view = &scan->view;

	if (fatbin_read(view, *offset, &fatbin, NULL) || fatbin->damage.code) {
		spend(scan, fatbin ? fatbin->count * 64 + 64 : 64);
		++*offset;
		return 0;
	}
	return image_add_container(scan->file, view, offset, place, e);
}

/* Tells whether the cubin in @bytes is whole, and how long it is. */
static bool is_whole_cubin(struct bytes bytes, uint64_t *size)
{
	struct kernel_info *kernels;
	struct cubin_head head;
	size_t count;

	if (cubin_head(bytes, &head, NULL))
		return false;
	bytes.size = head.size;
	*size = head.size;
	if (cubin_kernels(bytes, &kernels, &count, NULL))
		return false;
	kernel_info_free(kernels, count);
	return true;
}

/* The bytes of the headers of the ELF file in @bytes; 0 when it is not to be read. */
static uint64_t cost_of_elf(struct bytes bytes)
{
	const size_t count = elf64_count(bytes);

	return count ? 64 + 64 * (uint64_t)count : 0;
}

static int add_cubin(struct scan *scan, uint64_t *offset, const struct image_place *place,
		     struct err *e)
{
	struct image_place at = *place;
	struct bytes bytes;
	uint64_t cost, size = 0;

	bytes_slice(scan->file->bytes, *offset, scan->file->bytes.size - *offset, &bytes);
	cost = cost_of_elf(bytes);
	if (!cost || !spend(scan, cost) || !is_whole_cubin(bytes, &size)) {
		spend(scan, size);
		++*offset;
		return 0;
	}
	scan->left += cost; /* an image was found */
	at.offset = *offset;
	at.size = size;
	*offset += size;
	return image_add_cubin(scan->file, &at, e);
}

static int add_offload(struct scan *scan, uint64_t *offset, const struct image_place *place,
		       struct err *e)
{
	CLEANUP(free_offload) struct offload *offload = NULL;
	struct image_place at = *place;

	if (offload_open(scan->file->bytes, *offset, &offload, NULL) || offload->damage.code ||
	    !offload->count) {
		spend(scan, offload ? offload->end - *offset : 64);
		++*offset;
		return 0;
	}
	at.offset = *offset;
	at.size = offload->end - *offset;
	*offset = offload->end;
	return image_add_offloads(scan->file, &at, e);
}

/* Notes why the first text was refused that is certainly PTX: if the file has nothing else, this
 * is what is wrong with it. */
static void note_refused(struct image_file *file, const struct ptx_text *text,
			 const struct err *reason)
{
	if (!text->begun || file->refused.code)
		return;
	file->refused = *reason;
	err_wrap(&file->refused, "offset %#" PRIx64 ": PTX text that %s", text->begin,
		 text->torn ? "is cut off" : "cannot be read");
}

/* The texts of a file need no budget: each byte is read a few times, whatever there is. */
static int add_ptx(struct scan *scan, uint64_t *offset, const struct image_place *place,
		   struct err *e)
{
	struct bytes bytes = { scan->file->bytes.data, scan->end };
	struct image_place at = *place;
	struct err reason = { 0 };
	struct ptx_text text;

	if (!ptx_text_sniff(bytes, *offset)) {
		++*offset;
		return 0;
	}
	if (ptx_text_measure(bytes, *offset, scan->first, &text, &reason)) {
		++*offset;
		note_refused(scan->file, &text, &reason);
		return reason.code == GPURUN_NO_MEMORY ? err_set(e, GPURUN_NO_MEMORY, "%s",
								  reason.text) : 0;
	}
	at.offset = text.begin;
	at.size = text.end - text.begin;
	at.relocatable = text.gcc;
	*offset = text.end;
	return image_add_ptx(scan->file, &at, e);
}

/* Adds the image that seems to be at *@offset and moves *@offset after it, or to the next byte. */
static int add_scanned(struct scan *scan, uint64_t *offset, struct err *e)
{
	const struct image_place place = { .bytes = scan->file->bytes, .name = "data",
					   .linked = true };

	switch (*input_view_at(&scan->view, *offset, 1)) {
	case 0x50:
		return add_fatbin(scan, offset, &place, e);
	case 0x7F:
		return add_cubin(scan, offset, &place, e);
	case '.':
		return add_ptx(scan, offset, &place, e);
	default:
		return add_offload(scan, offset, &place, e);
	}
}

/* ---- The file --------------------------------------------------------- */

/* Adds the images from *@offset to @end, and moves *@offset there, or beyond it with an image. */
static int scan_gap(struct scan *scan, uint64_t *offset, uint64_t end, struct err *e)
{
	ASSERT(end <= scan->file->bytes.size);
	scan->first = *offset;
	scan->end = end;
	image_drop(scan->file, &scan->kept, *offset);
	while (*offset < end && scan->left) {
		*offset = image_search_next(scan->search, *offset, end);
		if (*offset == end)
			break;
		TRY(add_scanned(scan, offset, e));
		scan->first = *offset;
		image_drop(scan->file, &scan->kept, *offset);
	}
	return 0;
}

int image_add_scattered(struct image_file *file, struct image_search *search, struct err *e)
{
	struct scan scan = { .file = file, .search = search,
			     .left = LEFT_LEAST + 4 * (uint64_t)file->bytes.size,
			     .view = { .input = &file->input, .bytes = file->bytes } };
	const size_t count = file->cover_count; /* what is found adds to them */
	uint64_t offset = 0;

	if (count)
		qsort(file->covered, count, sizeof(*file->covered), compare_spans);
	for (size_t i = 0; i < count; i++) {
		const struct image_span span = file->covered[i];

		TRY(scan_gap(&scan, &offset, span.from, e));
		if (span.to > offset)
			offset = span.to;
	}
	return scan_gap(&scan, &offset, file->bytes.size, e);
}
